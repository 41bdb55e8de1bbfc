"""Functions of values, applied to what functions give: `x -> f(g1(x), g2(x), ...)`."""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, TypeGuard

from .. import ir
from ..errors import TypeMismatch, here
from ..frontend import vocabulary
from ..frontend.arrays import ufuncs
from ..frontend.function import AnyFn, Fn
from ..frontend.operators import view
from ..frontend.signatures import name_of
from ..frontend.values import infer
from ..host.marshal import is_listing
from ..ir import Op, Value, current_builder
from ..ir.numbers import as_number
from ..ir.types import Real, Tuple, Type
from ..ir.value import OPERATORS, host_index, is_function
from . import operators
from .composites import MapType, type_of
from .functions_of_numbers import number


def is_fn(x: Any) -> TypeGuard[AnyFn]:
    return isinstance(x, Fn)


def as_function(x: Any, want: MapType | None = None) -> AnyFn:
    """`x` as a function: an `@fn`; a plain one, if the type that it must have is known; a value, of no arguments."""
    if is_fn(x):
        return x
    if is_function(x):
        if want is None:
            hint = "mark it with @rose.fn, or give the functional's parameter a type: y: F.Map[Real, Real]"
            raise TypeMismatch(f"the types of {name_of(x)} are not known", here(), hint)
        return Fn(x, want.args, want.result)
    if want is not None and not want.args:
        return number(x, want.result)
    if isinstance(x, (int, float)):
        return number(x, Real)
    with ir.building("constant", inside=True):
        t = infer(x).type
    return number(x, t)


Slot = Any  # an operand: the type of what a function gives; a number, which is bound; or a tuple of such


class Elementary(Fn[..., Any]):
    """`f`, a function of traced values, at operands of these types; what is no type is bound."""

    def __init__(self, f: Callable[..., Any], operands: tuple[Slot, ...]) -> None:
        self.applied, self.operands, self.symbol = f, operands, getattr(f, "symbol", None)
        types = [t for t in _leaves(operands) if isinstance(t, Type)]
        name, names = getattr(f, "__name__", "f"), [f"x{k}" for k in range(len(types))]

        def body(*xs: Any) -> Any:
            given = _filled(operands, iter(xs))
            return _each_item(f, *given) if isinstance(f, (Op, _Bound)) else f(*given)

        with ir.building(name) as b:
            result = infer(body(*[view(b.param(t, n)) for t, n in zip(types, names, strict=True)])).type
        super().__init__(body, types, result, name, names)
        self.made_by = _elementary, (f, operands), {}

    def written(self, args: Sequence[str]) -> str:
        """A call as text, with these for the arguments."""
        texts = list(map(_text, _filled(self.operands, iter(args))))
        if self.symbol is None:
            return f"{self.name}({', '.join(texts)})"
        return f" {self.symbol} ".join(texts) if len(texts) == 2 else f"{self.symbol}{texts[0]}"


def _each_item(f: Callable[..., Any], *xs: Any) -> Any:
    """`f` of the members at the same place in tuples and structs; what is none stands beside each.

    A member without numbers stays that of the first. A struct that defines the operator is asked.
    """
    wholes = [x for x in xs if _type(x) is not None]
    ts = list(map(_type, wholes))
    if isinstance(f, _Bound) and any([_defines(x, f.of) for x in wholes]):
        return PYTHONS[f.of](*xs)
    if not ts:
        return f(*xs)
    first = ts[0]
    assert first is not None
    if any([t is None or t.form is not first.form or len(t.items) != len(first.items) for t in ts]):
        what = f"{f.__name__} takes functions to the same tuples, not to {' and to '.join(map(repr, ts))}"
        raise TypeMismatch(what, here(), "compose one with a function to the other: f(g)")
    b, rows = current_builder(), list[Value]()
    for k, t in enumerate(first.items):
        members = [x if _type(x) is None else view(b.get(infer(x), k)) for x in xs]
        kept = next(m for m, x in zip(members, xs, strict=True) if _type(x) is not None)
        rows.append(infer(_each_item(f, *members) if t.real else kept))
    return view(b.tuple(rows, first.of(tuple([x.type for x in rows]))))


def _type(x: Any) -> Tuple | None:
    """The type of a tuple or a struct of traced values; None for anything else."""
    if isinstance(x, (int, float, Value)) or (is_listing(x) and not isinstance(x, tuple)):
        return None
    t = infer(x).type
    return t if isinstance(t, Tuple) else None


def _defines(x: Any, symbol: str) -> bool:
    """True for a struct whose class has the operator, on either side."""
    kind: type[object] = x.__class__
    if symbol not in PYTHONS or kind is tuple:
        return False
    names = [f"__{side}{PYTHONS[symbol].__name__}__" for side in ("", "r")]
    return any([getattr(kind, name, None) is not getattr(object, name, None) for name in names])


PYTHONS: dict[str, Callable[..., Any]] = {symbol: getattr(op, name) for symbol, name in {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
    "neg": "neg", "abs": "abs",
}.items()}  # fmt: skip


def _elementary(f: Callable[..., Any], operands: tuple[Slot, ...]) -> Elementary:
    """One for the same function and operands."""
    return _once(f, operands, str(operands))


@cache
def _once(f: Callable[..., Any], operands: tuple[Slot, ...], _: str) -> Elementary:
    """The text tells 1 from 1.0, and 0.0 from -0.0, which are equal."""
    return Elementary(f, operands)


def _text(x: Any) -> str:
    return f"[{', '.join([_text(y) for y in x])}]" if is_listing(x) else str(x)


def _leaves(operands: Sequence[Slot]) -> Iterator[Slot]:
    for x in operands:
        yield from _leaves(x) if is_listing(x) else (x,)


def _filled(operands: Sequence[Slot], xs: Iterator[Any]) -> list[Any]:
    """The operands, with the values `xs` in the places of types."""
    return [next(xs) if isinstance(t, Type) else _filled(t, xs) if is_listing(t) else t for t in operands]


def _slot(x: Any) -> Any:
    """An operand: a function, a number, or a tuple of such if it is a list with a function or of integers."""
    if is_listing(x) and (any(map(is_fn, x)) or all([host_index(y) is not None for y in x])):
        return tuple(map(_slot, x))
    return _number(x) if isinstance(x, (int, float)) else as_function(x)


def pointwise(f: Callable[..., Any], *operands: Any) -> AnyFn:
    """`x -> f(g1(x), g2(x), ...)` for functions of the same arguments, and values, which are the same everywhere.

    `f` is any function of traced values: `F.pointwise(rose.dot, g, h)`.
    """
    given = tuple(map(_slot, operands))
    fs = [g for g in _leaves(given) if is_fn(g)]
    first = next((g for g in fs if g.types), None)
    types = () if first is None else type_of(first).args
    for g in fs:
        if first is not None and g.types and type_of(g).args != types:
            what = f"{said(first)}, and {said(g)}, are functions of different arguments"
            raise TypeMismatch(what, here(), "compose one with a function of those of the other: f(g)")
    inner = _elementary(f, _types(given))
    return operators.compose(inner, [everywhere(g, types) for g in fs])


def _types(given: Sequence[Any]) -> tuple[Slot, ...]:
    return tuple([type_of(x).result if is_fn(x) else _types(x) if is_listing(x) else x for x in given])


def _number(x: Any) -> Any:
    """A number of the host, checked; it stays what it is, so that a square is a product."""
    _ = isinstance(x, bool) or as_number(x, here())
    return x


def everywhere(g: AnyFn, types: Sequence[Type]) -> AnyFn:
    """A function of those types: `g`, or, if it has no arguments, what it gives."""
    return operators.broadcast_arg(g, tuple(types), (), (None,) * len(types)) if types and not g.types else g


def said(f: AnyFn) -> str:
    """A function in a message, with its type."""
    return f"{f.name}, a {type_of(f)!r}"


def _python(symbol: str, x: Any, y: Any = None) -> Any:
    return OPERATORS[symbol](x, y)


def _elements(name: str, *xs: Any) -> Any:
    return ufuncs.applied(name, xs, {})


def _arrays(f: Callable[..., Any], *xs: Any, **named: Any) -> Any:
    return vocabulary.applied(f, xs, named)


_NAMES = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power", "<": "less", "<=": "less_equal",
    ">": "greater", ">=": "greater_equal", "neg": "negative", "abs": "abs",
}  # fmt: skip


class _Bound:
    """A function of a name, and of values, of that name: equal ones are one, so what is made of them is made once."""

    def __init__(self, f: Callable[..., Any], of: str, name: str, symbol: str | None = None) -> None:
        self.f, self.of, self.__name__, self.symbol = f, of, name, symbol

    def __call__(self, *xs: Any) -> Any:
        return self.f(self.of, *xs)

    def __reduce__(self) -> Any:
        return _bound, (self.f, self.of, self.__name__, self.symbol)


@cache
def _bound(f: Callable[..., Any], of: str, name: str, symbol: str | None = None) -> _Bound:
    return _Bound(f, of, name, symbol)


def operator(symbol: str, *operands: Any) -> AnyFn:
    """Python's operator, of functions."""
    written = {"neg": "-", "abs": None}.get(symbol, symbol)
    return pointwise(_bound(_python, symbol, _NAMES[symbol], written), *operands)


def ufunc(name: str, operands: Sequence[Any], named: dict[str, Any]) -> AnyFn:
    """NumPy's function of elements of that name, of functions; a TypeMismatch if it has no meaning."""
    if name not in ufuncs.MEANINGS or named:
        given = f" with {next(iter(named))}" if name in ufuncs.MEANINGS else ""
        what = f"{name}{given} of functions is not defined, only of what they give"
        raise TypeMismatch(what, here(), "write a function of values: F.pointwise(lambda y: ..., f)")
    return pointwise(_bound(_elements, name, name), *operands)


def array_function(f: Callable[..., Any], operands: Sequence[Any], named: dict[str, Any]) -> AnyFn:
    """NumPy's function `f` of arrays, of functions to arrays: `np.linalg.norm(g)`."""
    one: Any = partial(_arrays, f, **named)
    one.__name__ = f.__name__
    return pointwise(one, *operands)
