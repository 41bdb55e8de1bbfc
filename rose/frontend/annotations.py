"""Types as a user writes them: `Vec[n, T]`, `Fin[n]`, `Dual[T]`, `@struct`; `as_type` converts annotations to types.

A struct is a dataclass, a named tuple or a dict in the user's code and a tuple in the IR, whose `Form`
remembers the class and the names.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast, dataclass_transform, get_args, get_origin

from .. import errors
from ..errors import NoField, OutOfRange, RoseError, TypeMismatch, edge, here
from ..host.marshal import is_listing
from ..ir import shown, types
from ..ir.forms import DUAL, dict_form, form_of
from ..ir.numbers import digits
from ..ir.sizes import LARGEST, Size, bound, current, sized
from ..ir.types import (
    DEEPEST,
    Bool,
    Complex,
    Real,
    Tan,
    Tuple,
    Type,
    Unit,
    as_tuple,
    has_complex,
    is_complex,
    items_of,
    map_leaves,
    tangent,
    tuple_of,
)
from ..ir.value import host_index

if TYPE_CHECKING:
    from typing import Generic as Generic
else:

    class Generic:
        """The base of structs with a type parameter, `class Pair(Generic[T])`; `Pair[Vec[2]]` is a type as `Vec[2]` is.

        As an annotation, `Pair` alone is `Pair[Real]`.
        """

        @edge
        def __class_getitem__(cls, t: Any) -> Any:
            return type("Generic", (cls,), {"_parameter": t}) if cls is Generic else struct_of(cls, as_type(t))


C = TypeVar("C", bound=type)


class Vec:
    """The type of a vector: `Vec[n]` of n Reals, `Vec[n, T]` of n values of type T; `Vec[n, m]` is `Vec[n, Vec[m]]`."""

    @edge
    def __class_getitem__(cls, key: Any) -> types.Vec:
        first, *rest = key if is_listing(key) else (key,)
        sizes = [first, *takewhile(_is_size, rest)]
        of = rest[len(sizes) - 1 :]
        if len(of) > 1:
            message = f"a Vec takes sizes and one type, not {len(of)} things after {len(sizes)} of them"
            raise TypeMismatch(message, here(), "write a matrix as Vec[2, 3], and one of indices as Vec[2, 3, Fin[4]]")
        t = as_type(of[0]) if of else Real
        for n in reversed(sizes):
            t = types.Vec(_size(n, "Vec"), t)
        return cast("types.Vec", t)


def _is_size(x: Any) -> bool:
    return isinstance(x, Size) or host_index(x) is not None


class Fin:
    """The type of an index: `Fin[n]` holds the integers 0, ..., n - 1."""

    @edge
    def __class_getitem__(cls, n: Any) -> types.Fin:
        return types.Fin(_size(n, "Fin"))


def _size(n: Any, what: str) -> int | Size:
    """The size `n` of a Vec or a Fin, checked."""
    n = n.at(current()) if isinstance(n, Size) else n
    if isinstance(n, Size):
        return n  # in an annotation: it is known at a call
    k = host_index(n)
    if k is None:
        hint = f"write {what}[3]" + ", or Vec[3, T] for elements of type T" * (what == "Vec")
        raise TypeMismatch(f"the size of a {what} must be an integer, not {shown(n)}", here(), hint)
    if not 0 <= k < LARGEST:
        raise OutOfRange(f"a {what} cannot have size {digits(k)}", here(), f"write a size from 0 to {LARGEST - 1}")
    return k


class NotANumber:
    """A base of the objects of traced code that are not numbers: their operators raise a TypeMismatch that says so."""

    __slots__ = ()
    _what: ClassVar[str]  # the name of such an object in messages
    _instead: ClassVar[str]  # a hint: what to write in its place

    @edge
    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeMismatch(f"{self._what} is not a number", here(), self._instead)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __matmul__ = __rmatmul__ = __array_ufunc__ = _refuse
    __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __abs__ = __float__ = __int__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


@dataclasses.dataclass(slots=True)
class Dual(NotANumber):
    """A value `re` and its tangent `du`. As a type, `Dual[T]` is `T` with a `Dual` for each `Real`."""

    _what: ClassVar[str] = "a Dual"
    _instead: ClassVar[str] = "name a part of it: x.re is the value, x.du the tangent"

    __rose_form__: ClassVar[Any] = DUAL

    re: Any
    du: Any

    @edge
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoField(f"a Dual has no {name}", here(), self._instead)

    @edge
    def __class_getitem__(cls, t: Any) -> Type:
        return dual(as_type(t))


def dual(t: Type) -> Type:
    """`t` with a `Dual` in the place of each number: each `Real` and `Tan`, and each `Complex`."""
    if not has_complex(t):
        return map_leaves(t, lambda s: Tuple((Real, Tan), DUAL) if s is Real or s is Tan else s)
    if is_complex(t):
        return Tuple((Complex, tangent(Complex)), DUAL)
    return (
        types.Vec(t.size, dual(t.elem)) if isinstance(t, types.Vec) else as_tuple(t).of(tuple(map(dual, items_of(t))))
    )


@edge
@dataclass_transform()
def struct(cls: C) -> C:
    """Make `cls` a dataclass whose annotations are types of Rose: a type for parameters and results.

    Its methods are ordinary Python, and are traced anew at each call, as macros are.
    """
    if not inspect.isclass(cls):
        raise TypeMismatch(f"rose.struct takes a class, not {shown(cls)}", here(), "mark a function with @rose.fn")
    if cls is Vec or cls is Fin or cls is Dual:
        raise TypeMismatch(f"rose.struct takes a class of yours, not {cls.__name__}", here(), _type_to_write(cls))
    try:
        made: Any = dataclasses.dataclass(cls)
    except (TypeError, ValueError) as e:
        hint = "write it as Python's dataclasses must be: a struct is one"
        raise TypeMismatch(f"{cls.__name__} cannot be a struct: {e}", here(), hint) from None
    form = form_of(made)
    assert form is not None
    form.written = _struct_type(made, (frame := errors.users_frame()).f_globals | frame.f_locals)
    return made


def struct_of(cls: type, t: Type) -> Tuple:
    """The type of a struct class whose type parameter is `t`."""
    return _struct_type(cls, None, t)


def _struct_type(cls: type, scope: dict[str, Any] | None = None, t: Type = Real) -> Tuple:
    """The type of a struct class; `scope` has names that its annotations may use besides those of its module.

    `t` is what its type parameter stands for, if it has one.
    """
    form = form_of(cls)
    assert form is not None
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        hints.update(inspect.get_annotations(base))
    names = {**vars(sys.modules.get(cls.__module__, cls)), **(scope or {})}
    if (parameter := getattr(cls, "_parameter", None)) is not None:
        names[parameter.__name__] = t
    if cls in _unfinished:
        raise _endless(cls)
    _unfinished.append(cls)
    try:
        return Tuple(tuple([_field_type(cls, k, hints[k], names) for k in form.fields]), form)
    finally:
        _unfinished.remove(cls)


_unfinished: list[type] = []  # the structs whose field types are being evaluated, outermost first


def _field_type(cls: type, name: str, hint: Any, names: dict[str, Any]) -> Type:
    """The type of a field, from its annotation."""
    loc, field = here().narrow(errors.field(name)), f"{cls.__name__}.{name}"
    hint = getattr(hint, "__forward_arg__", hint)
    try:
        while isinstance(hint, str):
            hint = eval(hint, names)
        return as_type(hint)
    except RoseError as e:
        raise type(e)(e.message if " of " in e.message else f"{field}: {e.message}", loc, e.hint) from None
    except Exception as e:
        if isinstance(e, NameError) and e.name == cls.__name__:
            raise _endless(cls).at(loc) from None
        what = f"the type of {field} cannot be evaluated: {type(e).__name__}: {e}"
        said = "define it before the struct" if isinstance(e, NameError) else "write Real, Vec[3], ..."
        raise TypeMismatch(what, loc, said) from None


def _endless(cls: type) -> TypeMismatch:
    hint = "keep them in a Vec, and an index into it in each: every value has a fixed size"
    return TypeMismatch(f"a {cls.__name__} holds a {cls.__name__}, without end", here(), hint)


def as_type(hint: Any) -> Type:
    """The type that an annotation stands for; a TypeMismatch if it is none."""
    t = _as_type(hint)
    if t.depth > DEEPEST:
        what = f"more than {DEEPEST} vectors and structs lie in one another"
        raise TypeMismatch(what, here(), "write fewer, of more elements")
    return t


def _as_type(hint: Any) -> Type:
    if isinstance(hint, Type):
        return sized(hint, current())
    if hint is None or hint is type(None):
        return Unit
    if hint is float or hint is bool:
        return Real if hint is float else Bool
    if hint is Dual:
        return dual(Real)
    if hint.__class__ is dict:
        if wrong := [k for k in hint if not isinstance(k, str)]:
            raise TypeMismatch(f"the names of a dict of types are strings, not {shown(wrong[0])}", here(), "quote them")
        return Tuple(tuple([as_type(t) for t in hint.values()]), dict_form([str(k) for k in hint]))
    if get_origin(hint) is tuple:
        return tuple_of(*[as_type(t) for t in get_args(hint)])
    if isinstance(hint, type) and (form := form_of(hint)) is not None:
        if form.written is None:
            with bound({}):  # it may be used elsewhere, with other sizes
                form.written = _struct_type(hint)
        return sized(form.written, current())
    what = getattr(hint, "__name__", "") if isinstance(hint, type) else shown(hint)
    raise TypeMismatch(f"{what} is not a type that a traced value can have", here(), _type_to_write(hint))


def _type_to_write(hint: Any) -> str:
    """A hint for an annotation that is not a type."""
    name = getattr(get_origin(hint) or hint, "__name__", "")
    if hint is Vec or hint is Fin or name in ("list", "tuple", "ndarray", "Sequence"):
        return "give it a size: Fin[3]" if hint is Fin else "write Vec[3], or Vec[3, T]: a Vec has a size"
    if name.startswith(("int", "uint")):
        return "write Real for a number, and Fin[n] for one of 0, ..., n - 1"
    if name.startswith(("float", "double")):
        return "write Real: it has 64 bits"
    if name == "str":
        return "pass a string to the Python function that makes the @fn: it is known when that is traced"
    return "write Real, Bool, Fin[n], Vec[n, T], None, tuple[...], a dataclass, a named tuple, or a dict of types"
