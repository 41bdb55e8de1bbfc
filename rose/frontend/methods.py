"""Methods as `@fn` functions: of an object, whose attributes are constants, or of a struct, which is a parameter.

`@fn` above a `def` of a class whose first parameter has no type makes a `Method`. Of each object it gives an `Fn`, made
once and kept in the object, as `functools.cached_property` keeps a value: what the body reads of the object is read
when it is traced. Of an object of a `@rose.struct` class it gives the `Fn` of the class on that object.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

from ..errors import TypeMismatch, edge, here
from ..ir.forms import form_of
from .function import AnyFn


class Method:
    """An `@fn` of a class. `make` gives the `Fn` of a function, with the type of its first parameter if it has one."""

    def __init__(self, f: Callable[..., Any], make: Callable[[Callable[..., Any], type | None], AnyFn]) -> None:
        self._f, self._make, self._of = f, make, dict[type, AnyFn]()
        functools.update_wrapper(self, f)

    __qualname__: str

    def __set_name__(self, cls: type, name: str) -> None:
        self.__name__ = name

    @edge
    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        name, cls = self.__name__, self.__qualname__.rpartition("<locals>.")[2].rpartition(".")[0]
        what = f"{name} is a method of {cls}, and is called on no object"
        raise TypeMismatch(what, here(), f"make one: m = {cls}(...), and write m.{name}(...)")

    def __get__(self, obj: Any, cls: type) -> Any:
        if form_of(cls) is not None:
            if cls not in self._of:
                self._of[cls] = self._make(self._f, cls)
            return self._of[cls] if obj is None else functools.partial(self._of[cls], obj)
        if obj is None:
            return self
        made = self._make(types.MethodType(self._f, obj), None)
        made.made_by = getattr, (obj, self.__name__), {}  # as it is pickled
        return getattr(obj, "__dict__", {}).setdefault(self.__name__, made)
