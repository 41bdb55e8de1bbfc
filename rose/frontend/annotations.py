"""Types as a user writes them, and the values of those types: from Python to the IR, and back.

A struct is a dataclass, a named tuple or a dict in the user's code and a tuple in the IR, whose `Form`
remembers the class and the names. Four directions:

    as_type    an annotation         -> a type
    to_value   what a user gives     -> a traced value of a type that is known
    infer      what a user gives     -> a traced value of the type that it shows
    plain      numbers from outside  -> nested tuples, checked; `present` gives them back as a user sees them
"""

from __future__ import annotations

import copyreg
import dataclasses
import inspect
import sys
from collections.abc import Sequence
from typing import Any, ClassVar, TypeGuard, TypeVar, cast, dataclass_transform, get_args, get_origin

from .. import errors
from ..errors import Loc, NoField, NotLinear, OutOfRange, RoseError, TypeMismatch, edge, here
from ..ir import CONST, Value, a_traced, as_number, current_builder, is_tracing, shown, types
from ..ir.ops import iadd, real
from ..ir.sizes import LARGEST, Size, at_most, bound, current, differ, sized
from ..ir.types import Bool, Form, Real, Single, Tan, Tuple, Type, Unit, double, maker, map_leaves, tuple_of
from ..ir.value import as_single, digits, is_truth
from .operators import host_index, widest

C = TypeVar("C", bound=type)


# annotations


class Vec:
    """The type of a vector: `Vec[n]` of n Reals, `Vec[n, T]` of n values of type T."""

    @edge
    def __class_getitem__(cls, key: Any) -> types.Vec:
        n, *rest = key if is_listing(key) else (key,)
        if len(rest) > 1:
            message = f"a Vec takes a size and a type, not {len(rest) + 1} things"
            raise TypeMismatch(message, here(), "a matrix is a vector of its rows: Vec[2, Vec[3]]")
        return types.Vec(_size(n, "Vec"), as_type(rest[0]) if rest else Real)


class Fin:
    """The type of an index: `Fin[n]` holds the integers 0, ..., n - 1."""

    @edge
    def __class_getitem__(cls, n: Any) -> types.Fin:
        return types.Fin(_size(n, "Fin"))


def _size(n: Any, what: str) -> int:
    n = n.at(current()) if isinstance(n, Size) else n
    if isinstance(n, Size):
        return cast("int", n)  # in an annotation: it is known at a call
    k = host_index(n)
    if k is None:
        hint = f"write {what}[3]" + ", or Vec[3, T] for elements of type T" * (what == "Vec")
        raise TypeMismatch(f"the size of a {what} must be an integer, not {shown(n)}", here(), hint)
    if not 0 <= k < LARGEST:
        raise OutOfRange(f"a {what} cannot have size {digits(k)}", here(), f"sizes go from 0 to {LARGEST - 1}")
    return k


class NoNumber:
    """What stands for traced values, but is no number: its operators say so."""

    __slots__ = ()
    what: ClassVar[str]
    instead: ClassVar[str]  # what to write in its place

    @edge
    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeMismatch(f"{self.what} is no number", here(), self.instead)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __matmul__ = __rmatmul__ = __array_ufunc__ = _refuse
    __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __abs__ = __float__ = __int__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


@dataclasses.dataclass(slots=True)
class Dual(NoNumber):
    """A value `re` and its tangent `du`. As a type, `Dual[T]` is `T` with a `Dual` for each `Real`."""

    what: ClassVar[str] = "a Dual"
    instead: ClassVar[str] = "name a part of it: x.re is the value, x.du the tangent"

    re: Any
    du: Any

    @edge
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoField(f"a Dual has no {name}", here(), self.instead)

    @edge
    def __class_getitem__(cls, t: Any) -> Type:
        return dual(as_type(t))


DUAL = Form("Dual", ("re", "du"), lambda xs: Dual(*xs), Dual)


def dual(t: Type) -> Type:
    """`t` with a `Dual` in the place of each `Real` (and of each `Tan`, which counts as one)."""
    return map_leaves(t, lambda s: Tuple((Real, Tan), DUAL) if s is Real or s is Tan else s)


_structs: dict[type, Tuple] = {}
_forms: dict[type, Form] = {}
_dicts: dict[tuple[str, ...], Form] = {}
reduced: dict[Form, tuple[Any, ...]] = {}  # how those forms are pickled that no class of the user's has


@edge
@dataclass_transform()
def struct(cls: C) -> C:
    """Make `cls` a dataclass whose annotations are types of Rose: a type for parameters and results.

    Its methods are ordinary Python, and run anew at each use, as macros do.
    """
    if not inspect.isclass(cls):
        raise TypeMismatch(f"rose.struct takes a class, not {shown(cls)}", here(), "@rose.fn marks a function")
    try:
        made: Any = dataclasses.dataclass(cls)
    except (TypeError, ValueError) as e:
        hint = "a struct is a dataclass of Python's, for which the same holds"
        raise TypeMismatch(f"{cls.__name__} cannot be a struct: {e}", here(), hint) from None
    _structs[made] = _struct_type(made, (frame := errors.users_frame()).f_globals | frame.f_locals)
    return made


def is_named_tuple(cls: Any) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")  # pyright: ignore[reportUnknownArgumentType]


def form_of(cls: type) -> Form | None:
    """The form of the structs of a class; None if it is no class of structs."""
    if cls is Dual:
        return DUAL
    form = _forms.get(cls)
    if form is None and dataclasses.is_dataclass(cls):
        names = tuple(f.name for f in dataclasses.fields(cls) if f.init)
        form = _forms[cls] = Form(cls.__name__, names, maker(cls, names), cls)
    elif form is None and is_named_tuple(cls):
        form = _forms[cls] = Form(cls.__name__, cls._fields, lambda xs: cls(*xs), cls)  # pyright: ignore
    return form


def dict_form(keys: Sequence[str]) -> Form:
    names = tuple(keys)
    form = _dicts.get(names)
    if form is None:
        form = _dicts[names] = Form("dict", names, lambda xs: dict(zip(names, xs, strict=True)))
    return form


# a form is found again by its class, or its keys: so types can be pickled
copyreg.pickle(Form, lambda f: reduced.get(f) or ((dict_form, (f.fields,)) if f.is_dict else (form_of, (f.cls,))))  # pyright: ignore


def _struct_type(cls: type, scope: dict[str, Any] | None = None) -> Tuple:
    form = form_of(cls)
    assert form is not None
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        hints.update(inspect.get_annotations(base))
    names = {**vars(sys.modules.get(cls.__module__, cls)), **(scope or {})}
    if cls in _unfinished:
        raise _endless(cls)
    _unfinished.append(cls)
    try:
        return Tuple(tuple([_field_type(cls, k, hints[k], names) for k in form.fields]), form)
    finally:
        _unfinished.remove(cls)


_unfinished: list[type] = []  # the structs whose fields are being looked at, outermost first


def _field_type(cls: type, name: str, hint: Any, names: dict[str, Any]) -> Type:
    """The type of a field, as it is written in the class."""
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
    hint = "every value has a fixed size: keep them in a Vec, and an index into it in each"
    return TypeMismatch(f"a {cls.__name__} holds a {cls.__name__}, without end", here(), hint)


def as_type(hint: Any) -> Type:
    """The type that an annotation stands for."""
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
    if isinstance(hint, type) and form_of(hint) is not None:
        if hint not in _structs:
            with bound({}):  # it may be used elsewhere, with other sizes
                _structs[hint] = _struct_type(hint)
        return sized(_structs[hint], current())
    what = getattr(hint, "__name__", "") if isinstance(hint, type) else shown(hint)
    raise TypeMismatch(f"{what} is not a type that a traced value can have", here(), _type_to_write(hint))


def _type_to_write(hint: Any) -> str:
    """What to write for something that is no type: a hint."""
    name = getattr(get_origin(hint) or hint, "__name__", "")
    if hint is Vec or hint is Fin or name in ("list", "tuple", "ndarray", "Sequence"):
        return "a Fin has a size: write Fin[3]" if hint is Fin else "a Vec has a size: write Vec[3], or Vec[3, T]"
    if name.startswith(("int", "uint")):
        return "write Real for a number, and Fin[n] for one of 0, ..., n - 1"
    if name.startswith(("float", "double")):
        return "write Real: it has 64 bits"
    if name == "str":
        return "a string is known when a function is traced: give it to the Python function that makes the @fn"
    return (
        "the types are Real, Bool, Fin[n], Vec[n, T], None, tuple[...], dataclasses, named tuples, "
        "and a dict of names to types"
    )


# from Python to the IR

Path = tuple[str | int, ...]


def spell(path: Path) -> str:
    """`("line", "b", 3)` as `line.b[3]`, and `("the sum", "b", 3)` as `b[3] of the sum`."""
    head, *rest = path or ("the value",)
    part = "".join([f"[{k}]" if isinstance(k, int) else f".{k}" for k in rest])
    return f"{part.removeprefix('.')} of {head}" if part and " " in str(head) else f"{head}{part}"


def misfit(path: Path, t: Type, x: Any, hint: str, loc: Loc | None) -> RoseError:
    what = a_traced(x) if isinstance(x, Value) else shown(x)
    return TypeMismatch(f"{spell(path)} must be a {t!r}, got {what}", (loc or here()).into(path[1:]), hint)


def to_value(x: Any, t: Type, path: Path = (), loc: Loc | None = None) -> Value:
    """`x`, in any way a user may give it, as a traced value of type `t`; `path` names it in errors."""
    x = as_given(x, loc)
    if x.__class__ is Value:
        return coerce(x, t, path, loc)
    b = current_builder()
    if t is Tan:
        if is_number(x) and as_number(x, loc or here()) == 0.0:
            return b.zero(Tan)
        raise NotLinear(
            f"{spell(path)} must be a tangent, got {shown(x)}",
            (loc or here()).into(path[1:]),
            "a derivative rule is linear in its tangents: besides them, only the number 0 is a tangent",
        )
    if isinstance(t, types.Vec):
        xs = elements(x, t, path, loc)
        if _holds_numbers(t) and not any(map(is_traced, xs)):
            return b.const(plain(xs, t, path, loc), t)
        return b.pack([to_value(y, t.elem, (*path, k), loc) for k, y in enumerate(xs)], t)
    if isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        return b.tuple([to_value(y, s, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)], t)
    return b.unit() if t is Unit and x is None else b.const(plain(x, t, path, loc), t)


def as_given(x: Any, loc: Loc | None = None) -> Any:
    """`x`, or the traced value that stands behind it, for the objects that stand for one."""
    return x.as_value(loc) if hasattr(x.__class__, "as_value") else x


def coerce(v: Value, t: Type, path: Path, loc: Loc | None) -> Value:
    if v.type is t:
        return v
    if isinstance(v.type, types.Fin):
        if isinstance(t, types.Fin) and at_most(v.type.size + 1, t.size):
            return iadd(v, current_builder().const(0, types.Fin(t.size - v.type.size + 1)))
        if t is Real:
            return real(v)
    if t is Tan and v.op is CONST and v.type is Real and v.attr == 0.0:
        return current_builder().zero(Tan)
    if t is Tan and v.type is Real:
        raise NotLinear(
            f"{spell(path)} must be a tangent, got {a_traced(v)}",
            (loc or here()).into(path[1:]),
            "a derivative rule is linear in its tangents: each term has one of them as a factor",
        )
    if v.type is Tan and t is Real:
        hint = "a tangent is no number inside a derivative rule; declare the type Tan, or call rose.jvp outside a rule"
        raise misfit(path, t, v, hint, loc)
    raise misfit(path, t, v, _to_write(v.type, t), loc)


def _to_write(have: Type | None, want: Type) -> str:
    """How to come from one type to another (None: from a value of Python's): a hint."""
    if isinstance(want, Tuple):
        return f"give {_items(want)}"
    if isinstance(want, types.Vec):
        if isinstance(have, types.Vec) and have.elem is not want.elem:
            return f"its elements are of type {have.elem!r}, not {want.elem!r}"
        if isinstance(have, types.Vec):
            return f"v[:{want.size}] has {want.size} elements" if have.size > want.size else "both must be of one size"
        return f"a list of {want.size} items makes one"
    if isinstance(want, types.Fin):
        wraps = "; i % n is below n" if isinstance(have, types.Fin) else ""
        return f"an index from 0 to {want.size - 1} comes from rose.range, or is an integer{wraps}"
    if want is Unit:
        return "None as a type is for what has no value: write the type in its place"
    if want is Bool:
        return "a Bool is a comparison, such as x > 0.0" if have is not None else "a Bool is True or False"
    if want is Real and have is Bool:
        return "rose.select(condition, 1.0, 0.0) makes a number of a condition"
    if want is Real and isinstance(have, (types.Vec, Tuple)):
        return "name an element, or take the rose.sum" if isinstance(have, types.Vec) else "name one of its items"
    return "give a value of the type that is declared"


def _items(t: Tuple) -> str:
    """The ways to give a struct or a tuple."""
    if t.form is DUAL:
        return "rose.Dual(value, tangent)"
    if t.form is not None and t.form.is_dict:
        return f"a dict with the keys {', '.join(t.form.fields)}"
    kind = f"a {t.form.name}, a dict" if t.form is not None else "a tuple"
    return f"{kind}, or a list of its {len(t.items)} items in order"


def is_traced(x: Any) -> bool:
    """True if a traced value is in `x`, or in what it holds."""
    if x.__class__ is float or x.__class__ is int:
        return False
    if is_listing(x) or is_dict(x):
        return any(map(is_traced, x.values() if is_dict(x) else x))
    f = form_of(x.__class__)
    return x.__class__ is Value or hasattr(x.__class__, "as_value") or bool(f and any(map(is_traced, f.read(x))))


def is_dict(x: Any) -> TypeGuard[dict[Any, Any]]:
    return isinstance(x, dict)


def is_listing(x: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(x, (list, tuple))


def is_number(x: Any) -> bool:
    return isinstance(x, (int, float, Size)) or (x.__class__ is not Value and getattr(x, "shape", None) == ())


def _holds_numbers(t: Type) -> bool:
    return _holds_numbers(t.elem) if isinstance(t, types.Vec) else t is Real or t is Bool or isinstance(t, types.Fin)


def elements(x: Any, t: types.Vec, path: Path, loc: Loc | None) -> Sequence[Any]:
    """The elements of a list, tuple or array, of which there must be the right number."""
    if hasattr(x, "tolist") and hasattr(x, "shape"):
        x = x.tolist()
    if not isinstance(x, (list, tuple, range)) or is_named_tuple(type(x)):  # pyright: ignore
        hint = "a vector is given as a list, a tuple or an array" + "; rose.vec(...) makes one" * is_tracing()
        raise misfit(path, t, x, hint, loc)
    if differ(len(x), t.size):  # pyright: ignore[reportUnknownArgumentType]
        for y in x if is_tracing() else ():  # pyright: ignore[reportUnknownVariableType]
            if isinstance(y, Value):
                current_builder().reach(y)  # a list over rose.range has one item, which is not to be used: say that
        what = f"{spell(path)} must have {t.size} elements, got {len(x)}"  # pyright: ignore[reportUnknownArgumentType]
        raise TypeMismatch(what, (loc or here()).into(path[1:]), f"its type is {t!r}")
    return x  # pyright: ignore[reportUnknownVariableType]


def fields(x: Any, t: Tuple, path: Path, loc: Loc | None) -> tuple[list[Any], Sequence[str | int]]:
    """The fields of a struct, and their names: from an object of its class, a dict, or a tuple."""
    names: Sequence[str | int] = t.form.fields if t.form is not None else range(len(t.items))
    form = form_of(x.__class__)
    if is_dict(x) and t.form is not None:
        if wrong := [k for k in (*x, *names) if k not in x or k not in names]:
            has = "is missing" if wrong[0] in names else "has the unknown"
            hint = f"its fields are {', '.join(map(str, names))}"
            raise TypeMismatch(f"{spell(path)} {has} field {wrong[0]!r}", (loc or here()).into(path[1:]), hint)
        return [x[k] for k in names], names
    if form is not None and form is t.form:
        return form.read(x), names
    items = x if form is None and is_listing(x) and len(x) == len(names) else t.form and t.form.other(x)
    if items is not None:
        return list(items), names
    raise misfit(path, t, x, f"give {_items(t)}", loc)


def infer(x: Any, loc: Loc | None = None, declared: Type | None = None) -> Value:
    """`x` as a traced value of the type that it shows: a list is a vector, a tuple is a tuple.

    A number is an index where the class around it has declared one.
    """
    x = as_given(x, loc)
    if x.__class__ is Value:
        return x
    b = current_builder()
    if x is None:
        return b.unit()
    if hasattr(x, "tolist") and getattr(x, "shape", ()) != ():
        x = x.tolist()
    form = dict_form(list(x)) if is_dict(x) else form_of(x.__class__)
    if form is not None or issubclass(x.__class__, tuple):
        t = as_type(form.cls) if form is not None and not form.is_dict else None
        xs = form.read(x) if form is not None else x
        items = [
            infer(y, loc, s) for y, s in zip(xs, t.items if isinstance(t, Tuple) else [None] * len(xs), strict=True)
        ]
        return b.tuple(items, Tuple(tuple([v.type for v in items]), form))
    if is_listing(x):
        below = declared.elem if isinstance(declared, types.Vec) else None
        items = [infer(y, loc, below) for y in x]
        elem = widest(items) if items else below or Real
        return to_value(x, types.Vec(len(items), elem), ("the list",), loc)
    if isinstance(declared, types.Fin) and not is_truth(x):
        return to_value(x, declared, ("an index",), loc)
    return b.lift(x) if is_truth(x) else b.const(as_number(x, loc or here()), Real)


# from outside, and back


def plain(x: Any, t: Type, path: Path = (), loc: Loc | None = None) -> Any:
    """Numbers as Python has them, checked against a type: nested tuples of floats, bools and ints."""
    if x.__class__ is Value:
        hint = "a compiled function takes numbers: in an @fn function, call the @fn function that was compiled"
        raise misfit(path, t, x, hint, loc)
    if t is Real or t is Tan or t is Single:
        if x.__class__ is float and t is not Single:
            return x
        try:
            return as_single(x, loc or here()) if t is Single else as_number(x, loc or here())
        except TypeMismatch as e:
            several = isinstance(x, (list, tuple)) or getattr(x, "shape", ()) != ()
            hint = "a Real is one number; Vec[n] and tuple[...] are the types of several" if several else e.hint
            raise misfit(path, t, x, hint, loc) from None
    if t is Unit and x is None:
        return None
    if t is Bool and is_truth(x):
        return bool(x)
    if isinstance(t, types.Fin):
        k = host_index(x)
        if k is None:
            raise misfit(path, t, x, "an index is given as an integer", loc)
        if not 0 <= k < t.size:
            hint = f"it goes from 0 to {t.size - 1}" if t.size else "there is no such index"
            raise OutOfRange(f"{spell(path)} is out of range: {digits(k)}", (loc or here()).into(path[1:]), hint)
        return k
    if isinstance(t, types.Vec):
        xs = elements(x, t, path, loc)
        done = t.elem is Real and all([y.__class__ is float for y in xs])
        return tuple(xs if done else [plain(y, t.elem, (*path, k), loc) for k, y in enumerate(xs)])
    if isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        return tuple([plain(y, s, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)])
    raise misfit(path, t, x, _to_write(None, t), loc)


def answer(x: Any, t: Type, path: Path, loc: Loc | None = None) -> Any:
    """What an opaque function gave, as `plain` has it: where it is to have 32 bits it is rounded, also NumPy's."""
    wide = double(t)
    return plain(x, t, path, loc) if wide is t else plain(plain(x, wide, path, loc), t, path, loc)


def present(x: Any, t: Type) -> Any:
    """What `plain` made, as a user sees it: lists for vectors, and the user's own classes."""
    if isinstance(t, types.Vec):
        return [present(y, t.elem) for y in x]
    if isinstance(t, Tuple):
        items = [present(y, s) for y, s in zip(x, t.items, strict=True)]
        return t.form.make(items) if t.form is not None else tuple(items)
    return x
