"""Functions of values, applied to what functions give: `x -> f(g1(x), g2(x), ...)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeGuard

from .. import ir
from ..errors import TypeMismatch, here
from ..frontend.arrays.ufuncs import applied
from ..frontend.function import AnyFn, Fn, make
from ..frontend.operators import view
from ..frontend.signatures import name_of
from ..frontend.values import infer
from ..ir.numbers import as_number
from ..ir.types import Real, Type
from ..ir.value import OPERATORS, is_function
from . import operators
from .composites import MapType, type_of


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
        return operators.number(x, want.result)
    if isinstance(x, (int, float)):
        return operators.number(x, Real)
    with ir.building("constant", inside=True):
        t = infer(x).type
    return operators.number(x, t)


@cache
def _elementary(f: Callable[..., Any], operands: tuple[Type | float, ...], name: str) -> AnyFn:
    """`f`, a function of traced values, at operands of these types; a number in the place of a type is bound."""
    types = [t for t in operands if isinstance(t, Type)]

    def body(*xs: Any) -> Any:
        given = iter(xs)
        return f(*[next(given) if isinstance(t, Type) else t for t in operands])

    names = [f"x{k}" for k in range(len(types))]
    with ir.building(name) as b:
        result = infer(body(*[view(b.param(t, n)) for t, n in zip(types, names, strict=True)])).type
    return make(body, types, result, name, names)


def pointwise(f: Callable[..., Any], *operands: Any) -> AnyFn:
    """`x -> f(g1(x), g2(x), ...)` for functions of the same arguments, and values, which are the same everywhere.

    `f` is any function of traced values: `F.pointwise(rose.dot, g, h)`.
    """
    given = [_number(x) if isinstance(x, (int, float)) else as_function(x) for x in operands]
    fs = [g for g in given if is_fn(g)]
    first = next((g for g in fs if g.types), None)
    types = () if first is None else type_of(first).args
    for g in fs:
        if first is not None and g.types and type_of(g).args != types:
            what = f"{said(first)}, and {said(g)}, are functions of different arguments"
            raise TypeMismatch(what, here(), "compose one with a function of those of the other: f(g)")
    slots = tuple([type_of(g).result if is_fn(g) else g for g in given])
    inner = _elementary(f, slots, getattr(f, "__name__", "f"))
    return operators.compose(inner, [everywhere(g, types) for g in fs])


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


def _numpy(name: str, *xs: Any) -> Any:
    return applied(name, xs, {})


@cache
def _named(f: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`f` of that name: one function, so that what is made of it is made once."""
    one: Any = partial(f, name)
    one.__name__ = name
    return one


def operator(symbol: str, *operands: Any) -> AnyFn:
    """Python's operator, of functions."""
    return pointwise(_named(_python, symbol), *operands)


def ufunc(name: str, operands: Sequence[Any]) -> AnyFn:
    """NumPy's function of that name, of functions."""
    return pointwise(_named(_numpy, name), *operands)
