"""The user's shape of a type, which the IR has as a tuple: struct, named tuple, dict, Dual, complex number."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from types import FunctionType
from typing import Any


class Form:
    """The form of a tuple for its user: the class it came from, or the keys of a dict.

    `make` gets one value per field, in order. Two types with different forms are different types. What `make` gives
    may be of another class: then `other` gives its fields again, and None for what it does not know.
    """

    __slots__ = ("cls", "fields", "get", "is_dict", "make", "name", "other", "types", "written")

    def __init__(
        self, name: str, fields: tuple[str, ...], make: Callable[[Sequence[Any]], Any], cls: type = dict
    ) -> None:
        self.name, self.fields, self.make, self.cls = name, fields, make, cls
        self.is_dict = cls is dict
        self.get = attrgetter(*fields) if len(fields) > 1 and not self.is_dict else None  # the fields, in one call
        self.other: Callable[[Any], Sequence[Any] | None] = lambda _: None
        self.types: dict[Any, Any] = {}  # in which its class is
        self.written: Any = None  # the type that the annotations of the class make
        _told[fields] = None
        for told in _watching:
            told(fields)

    @property
    def stays(self) -> bool:
        """True if its class is always there: it is one of ours."""
        return self.cls.__module__.startswith("rose.") or self is DUAL or self is COMPLEX

    def __reduce__(self) -> Any:
        """A form is found again by its class, or its keys: so types can be pickled. Two of them are here."""
        if self is DUAL or self is COMPLEX:
            return "DUAL" if self is DUAL else "COMPLEX"
        again = (dict_form, (self.fields,)) if self.is_dict else (_again, (self.cls, self.name, self.fields))
        return reduced.get(self) or again

    def read(self, x: Any) -> list[Any]:
        """The fields of `x`, in order."""
        return [x[k] for k in self.fields] if self.is_dict else [getattr(x, k) for k in self.fields]


_watching: list[Callable[[tuple[str, ...]], None]] = []
_told: dict[tuple[str, ...], None] = {}  # the fields of all forms
_OWN = "__rose_form__"  # a class has its form itself, so that both go when nobody has them


def watch(told: Callable[[tuple[str, ...]], None]) -> None:
    """Tell of the fields of every form, when it is made, and of those that are there."""
    _watching.append(told)
    for fields in _told:
        told(fields)


def maker(cls: type, fields: tuple[str, ...]) -> Callable[[Sequence[Any]], Any]:
    """The constructor of a class: without names where that is the same, which takes a quarter of the time."""
    plain = cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__
    if plain and isinstance(init := cls.__init__, FunctionType):
        if init.__code__.co_varnames[1 : init.__code__.co_argcount] == fields:
            return lambda xs: cls(*xs)
    return lambda xs: cls(**dict(zip(fields, xs, strict=True)))


DUAL = Form("Dual", ("re", "du"), tuple, tuple)  # its class is the front end's: see `hooks`
COMPLEX = Form("Complex", ("real", "imag"), lambda xs: complex(*xs), complex)  # while it is traced, it stays one value
_dicts: dict[tuple[str, ...], Form] = {}
reduced: dict[Form, tuple[Any, ...]] = {}  # how those forms are pickled that no class of the user's has


def dress(form: Form, cls: type) -> None:
    """Give a form the class that its users see."""
    form.cls, form.make = cls, maker(cls, form.fields)
    _keep(cls, form)


def _keep(cls: type, form: Form) -> Form:
    type.__setattr__(cls, _OWN, form)
    return form


def _known(cls: type) -> Form | None:
    form: Form | None = cls.__dict__.get(_OWN)
    return form if form is not None and (form.cls is cls or form is DUAL) else None  # a class may be made of another's


def _again(cls: type, name: str, fields: tuple[str, ...]) -> Form:
    """The form of a class where a pickle is read. One whose class is not read to its end is not a dataclass yet."""
    form = form_of(cls)
    if form is None:
        form = _keep(cls, Form(name, fields, lambda xs: cls(**dict(zip(fields, xs, strict=True))), cls))
    return form


def is_named_tuple(cls: Any) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")  # pyright: ignore[reportUnknownArgumentType]


def form_of(cls: type) -> Form | None:
    """The form of the structs of a class; None if it is not a class of structs."""
    form = _known(cls)
    if form is None and dataclasses.is_dataclass(cls):
        names = tuple(f.name for f in dataclasses.fields(cls) if f.init)
        form = _keep(cls, Form(cls.__name__, names, maker(cls, names), cls))
    elif form is None and is_named_tuple(cls):
        form = _keep(cls, Form(cls.__name__, cls._fields, lambda xs: cls(*xs), cls))  # pyright: ignore
    elif form is None and issubclass(cls, complex):
        form = COMPLEX
    return form


def dict_form(keys: Sequence[str]) -> Form:
    names = tuple(keys)
    form = _dicts.get(names)
    if form is None:
        form = _dicts[names] = Form("dict", names, lambda xs: dict(zip(names, xs, strict=True)))
    return form
