# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
"""THE table: one row for each operation on scalars. To add an operation, add a row.

In the rules, `x` and `y` are the arguments, `z` is the result, `d` is the tangent of one argument, and
`ct` is the cotangent of the result. `jvp` has one rule for each argument: the part of the result's
tangent that comes from that argument's. The parts are summed by the pass, and a rule is not run where
its tangent is known to be zero, so no rule handles zeros. Rules are written with the operators of other
rows. A row without `jvp` is flat: its tangent is zero. Only the rows that accept a `Tan` are linear, and
only they have a `transpose`: the cotangent of each argument, None for one that is no tangent.

`eval` is the meaning of a row, and WebAssembly computes the same bits: it answers as IEEE 754 does where
Python would raise. Where an engine may choose the sign of a nan, no row lets it be seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .ir import CONST, OPS, ZERO, Op, Value, builder, is_literal
from .types import Bool, Fin, Real, Tan, Type

LARGEST = 2**31  # the size of the largest `Fin`: an index is an i32


def _row(name: str, doc: str, **columns: Any) -> Op:
    assert name not in OPS, name
    op = OPS[name] = Op(name, doc, **columns)
    return op


def _unary(*signatures: tuple[Type, Type]) -> Callable[[Value], Type | None]:
    table = dict(signatures)
    return lambda x: table.get(x.type)


def _binary(*signatures: tuple[Type, Type, Type]) -> Callable[[Value, Value], Type | None]:
    table = {(x, y): z for x, y, z in signatures}
    return lambda x, y: table.get((x.type, y.type))


def _indices(size: Callable[[int, int], int]) -> Callable[[Value, Value], Type | None]:
    """Two indices make an index, of a type that always holds it."""

    def result(x: Value, y: Value) -> Type | None:
        if not (isinstance(x.type, Fin) and isinstance(y.type, Fin)):
            return None
        n = size(x.type.size, y.type.size)
        return Fin(n) if n <= LARGEST else None

    return result


def _by_literal(size: Callable[[int, int], int]) -> Callable[[Value, Value], Type | None]:
    """An index and a literal that is not zero make an index."""

    def result(x: Value, y: Value) -> Type | None:
        literal = isinstance(x.type, Fin) and isinstance(y.type, Fin) and y.op is CONST and y.attr > 0
        return Fin(size(x.type.size, y.attr)) if literal and isinstance(x.type, Fin) else None

    return result


def _two_indices(x: Value, y: Value) -> Type | None:
    return Bool if isinstance(x.type, Fin) and isinstance(y.type, Fin) else None


R, T, B = Real, Tan, Bool
UNARY = _unary((R, R))
BINARY = _binary((R, R, R))
COMPARE = _binary((R, R, B))
LOGIC = _binary((B, B, B))


# Linear in every argument: these, and no others, may join two tangents.

neg = _row(
    "neg", "`-x`",
    type=_unary((R, R), (T, T)),
    eval=lambda x: -x,
    jvp=[lambda d, x, z: -d],
    transpose=lambda ct, x: [-ct],
    simplify=lambda x: x if x.op is ZERO else x.args[0] if x.op is neg else None,
    wasm="f64.neg",
)  # fmt: skip
add = _row(
    "add", "`x + y`",
    type=_binary((R, R, R), (T, T, T)),
    eval=lambda x, y: x + y,
    jvp=[lambda d, x, y, z: d, lambda d, x, y, z: d],
    transpose=lambda ct, x, y: [ct, ct],
    simplify=lambda x, y: (
        y if x.op is ZERO or (x.op is CONST and is_literal(x, -0.0))
        else x if y.op is ZERO or (y.op is CONST and is_literal(y, -0.0)) else None
    ),
    wasm="f64.add",
)  # fmt: skip
sub = _row(
    "sub", "`x - y`",
    type=_binary((R, R, R), (T, T, T)),
    eval=lambda x, y: x - y,
    jvp=[lambda d, x, y, z: d, lambda d, x, y, z: -d],
    transpose=lambda ct, x, y: [ct, -ct],
    simplify=lambda x, y: x if y.op is ZERO or (y.op is CONST and is_literal(y, 0.0)) else None,
    wasm="f64.sub",
)  # fmt: skip

# Linear in the first argument.

mul = _row(
    "mul", "`x * y`",
    type=_binary((R, R, R), (T, R, T)),
    eval=lambda x, y: x * y,
    jvp=[lambda d, x, y, z: d * y, lambda d, x, y, z: d * x],
    transpose=lambda ct, x, y: [ct * y, None],
    simplify=lambda x, y: (
        x if x.op is ZERO or (y.op is CONST and is_literal(y, 1.0))
        else y if x.op is CONST and is_literal(x, 1.0) else None
    ),
    wasm="f64.mul",
)  # fmt: skip
div = _row(
    "div", "`x / y`",
    type=_binary((R, R, R), (T, R, T)),
    eval=lambda x, y: x / y if y else x * math.copysign(math.inf, y),
    jvp=[lambda d, x, y, z: d / y, lambda d, x, y, z: -(d * (z / y))],
    transpose=lambda ct, x, y: [ct / y, None],
    simplify=lambda x, y: x if x.op is ZERO or (y.op is CONST and is_literal(y, 1.0)) else None,
    wasm="f64.div",
)  # fmt: skip

# Linear in both of its arms. An arm that is not taken gives nothing: see `transpose.py`.


def _arm(c: Value, x: Value, y: Value) -> Value | None:
    if x is y or c.op is CONST:
        return x if x is y or c.attr else y
    return select(c.args[0], y, x) if c.op is not_ else None


select = _row(
    "select", "`x` where the condition `c` holds, else `y`; of any type",
    type=lambda c, x, y: x.type if c.type is Bool and x.type is y.type else None,
    eval=lambda c, x, y: x if c else y,
    jvp=None,  # in forward.py: its arms may have any shape
    simplify=_arm,
    wasm="$1, $2, $0, select",
)  # fmt: skip

# Smooth, or with a kink: the conventions at the kinks are in the reference page of the README.

sqrt = _row(
    "sqrt", "The square root; nan below zero.",
    type=UNARY,
    eval=lambda x: math.sqrt(x) if x >= 0 else math.nan,
    jvp=[lambda d, x, z: d / (z + z)],
    wasm="f64.sqrt",
)  # fmt: skip
abs_ = _row(
    "abs", "The absolute value; its derivative at 0 is 0.",
    type=UNARY,
    eval=abs,
    jvp=[lambda d, x, z: select(x == 0.0, no(d), d * sign(x))],
    wasm="f64.abs",
)  # fmt: skip
min_ = _row(
    "min", "The smaller of two numbers, nan if either is; at a tie each has half of the derivative.",
    type=BINARY,
    eval=lambda x, y: _smaller(x, y),
    jvp=[lambda d, x, y, z: _share(d, x < y, x == y), lambda d, x, y, z: _share(d, y < x, x == y)],
    wasm="f64.min",
)  # fmt: skip
max_ = _row(
    "max", "The larger of two numbers, nan if either is; at a tie each has half of the derivative.",
    type=BINARY,
    eval=lambda x, y: -_smaller(-x, -y),
    jvp=[lambda d, x, y, z: _share(d, x > y, x == y), lambda d, x, y, z: _share(d, y > x, x == y)],
    wasm="f64.max",
)  # fmt: skip
copysign = _row(
    "copysign", "`x` with the sign of `y`; a nan counts as positive.",
    type=BINARY,
    eval=lambda x, y: math.copysign(x, y if y == y else 1.0),
    jvp=[lambda d, x, y, z: select(x == 0.0, no(d), d * (sign(x) * sign(copysign(1.0, y)))), None],
    wasm="$0, $1, f64.const 1, $1, $1, f64.eq, select, f64.copysign",
)  # fmt: skip

# Flat almost everywhere.

sign = _row(
    "sign", "1 with the sign of `x`, which a zero has too; nan of nan.",
    type=UNARY,
    eval=lambda x: math.copysign(1.0, x) if x == x else x,
    wasm="f64.const 1, $0, f64.copysign, $0, $0, $0, f64.eq, select",
)  # fmt: skip
floor = _row(
    "floor", "The whole number at or below.", type=UNARY, eval=lambda x: _whole(math.floor, x), wasm="f64.floor",
)  # fmt: skip
ceil = _row("ceil", "The whole number at or above.", type=UNARY, eval=lambda x: _whole(math.ceil, x), wasm="f64.ceil")
trunc = _row(
    "trunc", "The whole number towards zero.", type=UNARY, eval=lambda x: _whole(math.trunc, x), wasm="f64.trunc",
)  # fmt: skip
round_ = _row(
    "round", "The nearest whole number; the even one of two as near.",
    type=UNARY,
    eval=lambda x: _whole(round, x),
    wasm="f64.nearest",
)  # fmt: skip
stop_gradient = _row(
    "stop_gradient", "`x`, with derivative zero; of any type.",
    type=lambda x: None if x.type.linear else x.type,
    eval=lambda x: x,
    wasm="$0",
)  # fmt: skip
eq = _row("eq", "`x == y`", type=COMPARE, eval=lambda x, y: x == y, wasm="f64.eq")
ne = _row("ne", "`x != y`", type=COMPARE, eval=lambda x, y: x != y, wasm="f64.ne")
lt = _row("lt", "`x < y`", type=COMPARE, eval=lambda x, y: x < y, wasm="f64.lt")
le = _row("le", "`x <= y`", type=COMPARE, eval=lambda x, y: x <= y, wasm="f64.le")

# Truth values.

not_ = _row(
    "not", "`~x`",
    type=_unary((B, B)),
    eval=lambda x: not x,
    simplify=lambda x: x.args[0] if x.op is not_ else None,
    wasm="i32.eqz",
)  # fmt: skip
and_ = _row("and", "`x & y`", type=LOGIC, eval=lambda x, y: x and y, wasm="i32.and")
or_ = _row("or", "`x | y`", type=LOGIC, eval=lambda x, y: x or y, wasm="i32.or")
xor = _row("xor", "`x ^ y`, which is also `x != y`", type=LOGIC, eval=lambda x, y: x != y, wasm="i32.xor")

# Indices. The type of the result always holds it, so an index is never out of range.

iadd = _row(
    "iadd", "The sum of two indices.",
    type=_indices(lambda n, m: max(n + m - 1, 0)),
    eval=lambda x, y: x + y,
    wasm="i32.add",
)  # fmt: skip
imul = _row(
    "imul", "The product of two indices.",
    type=_indices(lambda n, m: max((n - 1) * (m - 1) + 1, 0)),
    eval=lambda x, y: x * y,
    wasm="i32.mul",
)  # fmt: skip
idiv = _row(
    "idiv", "An index divided by a literal, rounded down.",
    type=_by_literal(lambda n, k: (n - 1) // k + 1),
    eval=lambda x, y: x // y,
    wasm="i32.div_u",
)  # fmt: skip
imod = _row(
    "imod", "What is left of an index divided by a literal.",
    type=_by_literal(lambda n, k: min(n, k)),
    eval=lambda x, y: x % y,
    wasm="i32.rem_u",
)  # fmt: skip
ifrom = _row(
    "ifrom", "`y - x`, of an index and a literal that is not below it: an index that runs backwards.",
    type=lambda x, y: Fin(y.attr + 1) if y.op is CONST and _two_indices(x, y) and x.type.size <= y.attr + 1 else None,
    eval=lambda x, y: y - x,
    wasm="$1, $0, i32.sub",
)  # fmt: skip
ieq = _row("ieq", "`x == y`, of indices", type=_two_indices, eval=lambda x, y: x == y, wasm="i32.eq")
ilt = _row("ilt", "`x < y`, of indices", type=_two_indices, eval=lambda x, y: x < y, wasm="i32.lt_u")
ile = _row("ile", "`x <= y`, of indices", type=_two_indices, eval=lambda x, y: x <= y, wasm="i32.le_u")
real = _row(
    "real", "An index as a number.",
    type=lambda i: Real if isinstance(i.type, Fin) else None,
    eval=float,
    wasm="f64.convert_i32_u",
)  # fmt: skip


# what the rows above are made of


def _whole(f: Callable[[float], int], x: float) -> float:
    """`f` as IEEE 754 has it: nan, infinity and the sign of a zero stay."""
    return math.copysign(float(f(x)), x) if math.isfinite(x) else x


def _smaller(x: float, y: float) -> float:
    if x != x or y != y:
        return math.nan
    return y if y < x or (x == y and math.copysign(1.0, y) < 0.0) else x


def no(d: Value) -> Value:
    """The zero tangent."""
    return builder().zero(d.type)


def _share(d: Value, wins: Value, ties: Value) -> Value:
    return select(wins, d, select(ties, d * 0.5, no(d)))
