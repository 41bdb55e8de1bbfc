"""The kinds of rows: what the rows of a kind have in common, and the types that they accept."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .builder import CONST, Op, row
from .columns import LIBRARY, Kind, Monotone
from .libm import function
from .sizes import Size, at_most, differ
from .types import Bool, Fin, Real, Type
from .value import Value

LARGEST = 2**31  # the size of the largest `Fin`: an index is an i32
HALVES = 2**16  # the size of an index that is half of a word
GROWS, FALLS, GROWS_ABOVE_0 = Monotone(), Monotone(falls=True), Monotone(low=0.0)


def scalar(name: str, doc: str, **columns: Any) -> Op:
    """A row that answers all columns of an operation on scalars; it is linear in nothing, if it does not say so."""
    none: dict[str, Any] = dict(linear_in=(), moves=False, reads=(), effect=None)
    return row(name, doc, **{**none, **columns})


def mathematics(name: str, doc: str, *jvp: Callable[..., Value], symbol: str = "", **columns: Any) -> Op:
    """A function of musl's: in WebAssembly a call of it. There are as many rules as it has arguments.

    If it does not say so, it takes and gives pure numbers, rounds, and neither grows nor falls.
    """
    symbol = symbol or name
    types = UNARY if len(jvp) == 1 else BINARY
    usual: dict[str, Any] = dict(kind="function", monotone=None, exact=False, whole=False, unit="pure", cost=LIBRARY)
    given = dict(type=types, eval=function(symbol), jvp=jvp, wasm=f"call {symbol}")
    return scalar(name, doc, **given, **{**usual, **columns})


def rounding(name: str, doc: str, to: Callable[[float], int], wasm: str) -> Op:
    """A whole number near a pure one: flat almost everywhere, and exact."""
    is_whole: Callable[[Value], Value | None] = lambda x: x if x.op.whole else None
    return scalar(
        name, doc, type=UNARY, eval=partial(_whole, to), simplify=is_whole, wasm=wasm,
        kind="choice", monotone=GROWS, exact=True, whole=True, unit="pure", cost=1,
    )  # fmt: skip


def logic(name: str, doc: str, **columns: Any) -> Op:
    return scalar(name, doc, kind=None, monotone=None, exact=True, whole=False, unit="pure", cost=1, **columns)


def comparison(name: str, doc: str, type: Callable[..., Type | None], eval: Callable[..., bool], wasm: str) -> Op:
    """A comparison of two numbers that have one unit, or of two indices."""
    return scalar(
        name, doc, type=type, eval=eval, wasm=wasm,
        kind="comparison", monotone=None, exact=True, whole=False, unit="compared", cost=1,
    )  # fmt: skip


def of_indices(name: str, doc: str, kind: Kind | None, cost: int = 1, **columns: Any) -> Op:
    """Exact arithmetic on indices, which are whole, and pure numbers."""
    return scalar(name, doc, kind=kind, monotone=None, exact=True, whole=True, unit="pure", cost=cost, **columns)


def expression(name: str, doc: str, type: Callable[..., Type | None], expand: Callable[..., Value]) -> Op:
    """An expression of other rows, by a name of its own: no instruction, so theirs are the answers."""
    none: dict[str, Any] = dict(kind=None, monotone=None, exact=None, whole=None, unit=None, cost=0)
    return scalar(name, doc, type=type, expand=expand, **none)


def unary(*signatures: tuple[Type, Type]) -> Callable[[Value], Type | None]:
    table = dict(signatures)
    return lambda x: table.get(x.type)


def binary(*signatures: tuple[Type, Type, Type]) -> Callable[[Value, Value], Type | None]:
    table = {(x, y): z for x, y, z in signatures}
    return lambda x, y: table.get((x.type, y.type))


def indices(size: Callable[[int | Size, int | Size], int | Size]) -> Callable[[Value, Value], Type | None]:
    """Two indices make an index, of a type that always holds it."""

    def result(x: Value, y: Value) -> Type | None:
        if not (isinstance(x.type, Fin) and isinstance(y.type, Fin)):
            return None
        n, m = x.type.size, y.type.size
        if not differ(n, 0) or not differ(m, 0):
            return Fin(0)
        k = size(n, m)  # of sizes that are not known, below zero only where there is no index
        return Fin(k) if isinstance(k, Size) or k <= LARGEST else None

    return result


def by_literal(size: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Type | None]:
    """An index and a literal that is not zero make an index."""

    def result(x: Value, y: Value) -> Type | None:
        if not isinstance(x.type, Fin) or not isinstance(y.type, Fin) or y.op is not CONST:
            return None
        return Fin(size(x.type.size, y.attr)) if isinstance(y.attr, Size) or y.attr > 0 else None

    return result


def from_literal(x: Value, y: Value) -> Type | None:
    """A literal less an index that is not above it."""
    if not isinstance(x.type, Fin) or not isinstance(y.type, Fin) or y.op is not CONST:
        return None
    return Fin(y.attr + 1) if at_most(x.type.size, y.attr + 1) else None


def two_halves(x: Value, y: Value) -> Type | None:
    """Two indices that have 16 bits each make another."""
    halves = [isinstance(v.type, Fin) and at_most(v.type.size, HALVES) for v in (x, y)]
    return Fin(HALVES) if all(halves) else None


def two_indices(x: Value, y: Value) -> Type | None:
    return Bool if isinstance(x.type, Fin) and isinstance(y.type, Fin) else None


R, B = Real, Bool
UNARY = unary((R, R))
BINARY = binary((R, R, R))
COMPARE = binary((R, R, B))
LOGIC = binary((B, B, B))


def _whole(f: Callable[[float], int], x: float) -> float:
    """`f` as IEEE 754 has it: nan, infinity and the sign of a zero stay."""
    return math.copysign(float(f(x)), x) if math.isfinite(x) else x
