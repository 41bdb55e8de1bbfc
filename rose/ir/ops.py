# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
"""THE table: one row for each operation on scalars. To add an operation, add a row; `columns.py` has its columns.

In the rules, `x` and `y` are the arguments, `z` is the result, `d` is the tangent of one argument, and
`ct` is the cotangent of the result. `jvp` has one rule for each argument: the part of the result's
tangent that comes from that argument's. The parts are summed by the pass, and a rule is not run where
its tangent is known to be zero, so no rule handles zeros. Rules are written with the operators of other
rows. A row without `jvp` is flat: its tangent is zero. Only the rows that accept a `Tan` are linear, and
only they have a `transpose`: the cotangent of each argument, None for one that is not a tangent.

`eval` is the meaning of a row, and WebAssembly computes the same bits: it answers as IEEE 754 does where
Python would raise. Where an engine may choose the sign of a nan, no row lets it be seen. A function of
mathematics is musl's, compiled to WebAssembly: a module that calls it has it inside, and `eval` runs the
same instructions in Python (`libm/`). A row with `expand` is an expression of other rows.
"""

from __future__ import annotations

import math
from functools import cache

from ..errors import Loc
from .accumulators import begins_at_zero
from .builder import CONST, FREEZE, GET, INDEX, ZERO, building, current_builder, is_known, is_literal
from .columns import ALL, Monotone
from .func import Func, Origin
from .rows import (
    BINARY,
    COMPARE,
    FALLS,
    GROWS,
    GROWS_ABOVE_0,
    LOGIC,
    UNARY,
    binary,
    by_literal,
    comparison,
    expression,
    from_literal,
    indices,
    logic,
    mathematics,
    of_indices,
    rounding,
    scalar,
    two_halves,
    two_indices,
    unary,
)  # fmt: skip
from .rows import LARGEST as LARGEST
from .sizes import at_most, differ
from .types import Bool, Fin, Real, Tan
from .value import Value

__all__ = [  # the operations that `rose` exports
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clip", "copysign", "cos", "cosh",
    "erf", "erfc", "exp", "exp2", "expm1", "floor", "fmod", "gamma", "hypot", "lgamma", "log", "log1p", "log2",
    "log10", "relu", "sigmoid", "sign", "sin", "sinh", "softplus", "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip

R, T, B = Real, Tan, Bool

# Linear in every argument: these, and no others, may join two tangents.

neg = scalar(
    "neg", "`-x`",
    type=unary((R, R), (T, T)),
    eval=lambda x: -x,
    jvp=[lambda d, x, z: -d],
    transpose=lambda ct, x: [-ct],
    simplify=lambda x: x if x.op is ZERO else x.args[0] if x.op is neg else None,
    wasm="f64.neg",
    linear_in=ALL, kind="choice", monotone=FALLS, exact=True, whole=False, unit="same", cost=1,
)  # fmt: skip
add = scalar(
    "add", "`x + y`",
    type=binary((R, R, R), (T, T, T)),
    eval=lambda x, y: x + y,
    jvp=[lambda d, x, y, z: d, lambda d, x, y, z: d],
    transpose=lambda ct, x, y: [ct, ct],
    simplify=lambda x, y: (
        y if x.op is ZERO or (x.op is CONST and _adds_nothing(x, y))
        else x if y.op is ZERO or (y.op is CONST and _adds_nothing(y, x)) else None
    ),
    wasm="f64.add",
    linear_in=ALL, kind="sum", monotone=None, exact=False, whole=False, unit="same", cost=1,
)  # fmt: skip
sub = scalar(
    "sub", "`x - y`",
    type=binary((R, R, R), (T, T, T)),
    eval=lambda x, y: x - y,
    jvp=[lambda d, x, y, z: d, lambda d, x, y, z: -d],
    transpose=lambda ct, x, y: [ct, -ct],
    simplify=lambda x, y: x if y.op is ZERO or (y.op is CONST and is_literal(y, 0.0)) else None,
    wasm="f64.sub",
    linear_in=ALL, kind="sum", monotone=None, exact=False, whole=False, unit="same", cost=1,
)  # fmt: skip

# Linear in the first argument.


def _as_product(x: Value, y: Value) -> Value | None:
    """`x / y` as a product, where `y` is a power of two: its reciprocal is exact, so both round the same number.

    In single precision, too: the largest and the smallest powers stay divisors, as their reciprocals may be none.
    """
    mantissa, exponent = math.frexp(y.attr)
    if abs(mantissa) != 0.5 or abs(exponent) > 120:
        return None
    return x if y.attr == 1.0 else mul(x, current_builder().const(1.0 / y.attr, Real))


mul = scalar(
    "mul", "`x * y`",
    type=binary((R, R, R), (T, R, T)),
    eval=lambda x, y: x * y,
    jvp=[lambda d, x, y, z: d * y, lambda d, x, y, z: d * x],
    transpose=lambda ct, x, y: [ct * y, None],
    simplify=lambda x, y: (
        x if x.op is ZERO or (y.op is CONST and is_literal(y, 1.0))
        else y if x.op is CONST and is_literal(x, 1.0) else None
    ),
    wasm="f64.mul",
    linear_in=(0,), kind="product", monotone=None, exact=False, whole=False, unit=(1, 1), cost=1,
)  # fmt: skip
div = scalar(
    "div", "`x / y`",
    type=binary((R, R, R), (T, R, T)),
    eval=lambda x, y: x / y if y else x * math.copysign(math.inf, y),
    jvp=[lambda d, x, y, z: d / y, lambda d, x, y, z: -(d * (z / y))],
    transpose=lambda ct, x, y: [ct / y, None],
    simplify=lambda x, y: x if x.op is ZERO else _as_product(x, y) if is_known(y) and y.type is Real else None,
    wasm="f64.div",
    linear_in=(0,), kind="quotient", monotone=None, exact=False, whole=False, unit=(1, -1), cost=5,
)  # fmt: skip

# Linear in both branches. One that is not taken contributes nothing: see `autodiff/select_masks.py`.


def _arm(c: Value, x: Value, y: Value) -> Value | None:
    if x is y or c.op is CONST:
        return x if x is y or c.attr else y
    if x.op is select and x.args[0] is c and x.args[2] is y:
        return x
    if y.op is select and y.args[0] is c and y.args[1] is x:
        return y
    return select(c.args[0], y, x) if c.op is not_ else None


select = scalar(
    "select", "`x` where the condition `c` holds, else `y`; of any type",
    type=lambda c, x, y: x.type if c.type is Bool and x.type is y.type else None,
    eval=lambda c, x, y: x if c else y,
    jvp=None,  # in autodiff/jvp.py: its branches may have any shape
    simplify=_arm,
    wasm="$1, $2, $0, select",
    linear_in=(1, 2), moves=True, kind=None, monotone=None, exact=True, whole=False, unit="same", cost=1,
)  # fmt: skip

# Smooth, or with a kink: the conventions at the kinks are in `web/docs/derivatives.md`.

sqrt = scalar(
    "sqrt", "The square root; nan below zero.",
    type=UNARY,
    eval=lambda x: math.sqrt(x) if x >= 0 else math.nan,
    jvp=[lambda d, x, z: d / (z + z)],
    wasm="f64.sqrt",
    kind="function", monotone=GROWS_ABOVE_0, exact=False, whole=False, unit=("1/2",), cost=5,
)  # fmt: skip
abs_ = scalar(
    "abs", "The absolute value; its derivative at 0 is 0.",
    type=UNARY,
    eval=abs,
    jvp=[lambda d, x, z: select(x == 0.0, no(d), d * sign(x))],
    wasm="f64.abs",
    kind="choice", monotone=None, exact=True, whole=False, unit="same", cost=1,
)  # fmt: skip
min_ = scalar(
    "min", "The smaller of two numbers, nan if either is; at a tie each has half of the derivative.",
    type=BINARY,
    eval=lambda x, y: _smaller(x, y),
    jvp=[lambda d, x, y, z: _share(d, x < y, x == y), lambda d, x, y, z: _rest(d, x < y, x == y)],
    wasm="f64.min",
    kind="choice", monotone=None, exact=True, whole=False, unit="same", cost=1,
)  # fmt: skip
max_ = scalar(
    "max", "The larger of two numbers, nan if either is; at a tie each has half of the derivative.",
    type=BINARY,
    eval=lambda x, y: -_smaller(-x, -y),
    jvp=[lambda d, x, y, z: _share(d, x > y, x == y), lambda d, x, y, z: _rest(d, x > y, x == y)],
    wasm="f64.max",
    kind="choice", monotone=None, exact=True, whole=False, unit="same", cost=1,
)  # fmt: skip
copysign = scalar(
    "copysign", "`x` with the sign of `y`; a nan counts as positive.",
    type=BINARY,
    eval=lambda x, y: math.copysign(x, y if y == y else 1.0),
    jvp=[lambda d, x, y, z: select(x == 0.0, no(d), d * (sign(x) * copysign(1.0, y))), None],
    wasm="$0, $1, f64.const 1, $1, $1, f64.eq, select, f64.copysign",
    kind="choice", monotone=None, exact=True, whole=False, unit="same", cost=3,
)  # fmt: skip

# Mathematics. A rule is written so that nothing cancels, and overflows only where its answer does. But that of `tanh`
# is the cheap one, exact to the last place of 1. `tests/laws/test_accuracy.py` has what each is allowed to be wrong.

exp = mathematics("exp", "e to the power of `x`.", lambda d, x, z: d * z, monotone=GROWS_ABOVE_0)
exp2 = mathematics("exp2", "2 to the power of `x`.", lambda d, x, z: d * (z * math.log(2.0)), monotone=GROWS_ABOVE_0)
expm1 = mathematics("expm1", "`exp(x) - 1`, exact near 0.", lambda d, x, z: d * exp(x), monotone=Monotone(low=-1.0))
log = mathematics("log", "The natural logarithm; -inf at 0, nan below.", lambda d, x, z: d / x, monotone=GROWS)
log2 = mathematics("log2", "The logarithm to base 2.", lambda d, x, z: d * (math.log2(math.e) / x), monotone=GROWS)
log10 = mathematics("log10", "The logarithm to base 10.", lambda d, x, z: d * (math.log10(math.e) / x), monotone=GROWS)
log1p = mathematics("log1p", "`log(1 + x)`, exact near 0.", lambda d, x, z: d / (1.0 + x), monotone=GROWS)
sin = mathematics("sin", "The sine of an angle in radians.", lambda d, x, z: d * cos(x))
cos = mathematics("cos", "The cosine of an angle in radians.", lambda d, x, z: -(d * sin(x)))
tan = mathematics("tan", "The tangent of an angle in radians.", lambda d, x, z: d * (1.0 + z * z))
asin = mathematics(
    "asin", "The angle with this sine, from -pi/2 to pi/2.", lambda d, x, z: d / sqrt((1.0 - x) * (1.0 + x)),
    monotone=GROWS,
)  # fmt: skip
acos = mathematics(
    "acos", "The angle with this cosine, from 0 to pi.", lambda d, x, z: -(d / sqrt((1.0 - x) * (1.0 + x))),
    monotone=Monotone(True, 0.0, 4.0),
)  # fmt: skip
atan = mathematics(
    "atan", "The angle with this tangent, from -pi/2 to pi/2.", lambda d, x, z: d * _one_over_square(x),
    monotone=GROWS,
)  # fmt: skip
atan2 = mathematics(
    "atan2", "The angle of the point `(y, x)`, given as `atan2(y, x)`; its derivatives at (0, 0) are nan.",
    lambda d, y, x, z: d * _over_squares(x, y)[0],
    lambda d, y, x, z: -(d * _over_squares(x, y)[1]),
    unit="compared",
)  # fmt: skip
sinh = mathematics("sinh", "The hyperbolic sine.", lambda d, x, z: d * cosh(x), monotone=GROWS)
cosh = mathematics("cosh", "The hyperbolic cosine.", lambda d, x, z: d * sinh(x))
tanh = mathematics(
    "tanh", "The hyperbolic tangent.", lambda d, x, z: d * (1.0 - z * z),
    monotone=Monotone(low=-1.0, high=1.0),
)  # fmt: skip
asinh = mathematics("asinh", "The number with this hyperbolic sine.", lambda d, x, z: d / hypot(x, 1.0), monotone=GROWS)
acosh = mathematics(
    "acosh", "The number from 0 on with this hyperbolic cosine.", lambda d, x, z: d / (sqrt(x - 1.0) * sqrt(x + 1.0)),
    monotone=GROWS_ABOVE_0,
)  # fmt: skip
atanh = mathematics(
    "atanh", "The number with this hyperbolic tangent.", lambda d, x, z: d / ((1.0 - x) * (1.0 + x)),
    monotone=GROWS,
)  # fmt: skip
pow_ = mathematics(
    "pow", "`x` to the power of `y`, which is 1 where `y` is 0.",
    lambda d, x, y, z: select(_is_flat(x, y, z), no(d), d * _slope_of_power(x, y, z)),
    lambda d, x, y, z: select((z == 0.0) | ((x == 0.0) & (y == 0.0)), no(d), d * (z * log(x))),
)  # fmt: skip
cbrt = mathematics(
    "cbrt", "The cube root, of a negative number too.", lambda d, x, z: d / (3.0 * (z * z)),
    monotone=GROWS, unit=("1/3",),
)  # fmt: skip
hypot = mathematics(
    "hypot", "The length of `(x, y)`; its derivatives at (0, 0) are 0.",
    lambda d, x, y, z: select(z == 0.0, no(d), d * _cosines(x, y)[0]),
    lambda d, x, y, z: select(z == 0.0, no(d), d * _cosines(x, y)[1]),
    unit="same",
)  # fmt: skip
erf = mathematics("erf", "The error function.", lambda d, x, z: d * _bell(x), monotone=Monotone(low=-1.0, high=1.0))
erfc = mathematics(
    "erfc", "`1 - erf(x)`, exact where that is small.", lambda d, x, z: -(d * _bell(x)),
    monotone=Monotone(True, 0.0, 2.0),
)  # fmt: skip
gamma = mathematics(
    "gamma", "The gamma function: `(x - 1)!`.", lambda d, x, z: d * (z * digamma(x)), symbol="tgamma",
)  # fmt: skip
lgamma = mathematics("lgamma", "The logarithm of `abs(gamma(x))`.", lambda d, x, z: d * digamma(x))
fmod = mathematics(
    "fmod", "What is left of `x` divided by `y`, with the sign of `x`.",
    lambda d, x, y, z: d,
    lambda d, x, y, z: -(d * round_((x - z) / y)),
    kind="quotient", exact=True, unit="same",
)  # fmt: skip

# Expressions of the rows above and below, by a name of their own.

mod = expression("mod", "`x % y`: what is left of `x` divided by `y`, with the sign of `y`.", type=BINARY,
           expand=lambda x, y: _floored(fmod(x, y), y))  # fmt: skip
clip = expression("clip", "The nearest number to `x` from `y` to `z`: at either, half of the derivative.",
            type=lambda x, y, z: R if x.type is R and y.type is R and z.type is R else None,
            expand=lambda x, y, z: min_(max_(x, y), z))  # fmt: skip
relu = expression("relu", "`x` where it is above 0, else 0; its derivative at 0 is 0.", type=UNARY,
            expand=lambda x: select(x <= 0.0, current_builder().lift(0.0), x))  # fmt: skip
sigmoid = expression("sigmoid", "`1 / (1 + exp(-x))`, exact on both sides.", type=UNARY,
               expand=lambda x: _logistic(x >= 0.0, _decay(x)))  # fmt: skip
softplus = expression("softplus", "`log(1 + exp(x))`, which overflows nowhere.", type=UNARY,
                expand=lambda x: select(x >= 0.0, x, current_builder().lift(0.0)) + log1p(_decay(x)))  # fmt: skip

# Flat almost everywhere.

sign = scalar(
    "sign", "1 above 0, -1 below, 0 at either zero, nan of nan; `copysign(1, x)` tells the zeros apart.",
    type=UNARY,
    eval=lambda x: math.copysign(1.0, x) if abs(x) > 0.0 else abs(x),
    wasm="f64.const 1, $0, f64.copysign, $0, f64.abs, f64.const 0, $0, f64.abs, f64.lt, select",
    kind="choice", monotone=GROWS, exact=True, whole=True, unit=(0,), cost=3,
)  # fmt: skip
floor = rounding("floor", "The whole number at or below.", math.floor, "f64.floor")
ceil = rounding("ceil", "The whole number at or above.", math.ceil, "f64.ceil")
trunc = rounding("trunc", "The whole number towards zero.", math.trunc, "f64.trunc")
round_ = rounding("round", "The nearest whole number; the even one of two as near.", round, "f64.nearest")
stop_gradient = scalar(
    "stop_gradient", "`x`, with derivative zero; of any type.",
    type=lambda x: None if x.type.linear else x.type,
    eval=lambda x: x,
    wasm="$0",
    moves=True, kind=None, monotone=GROWS, exact=True, whole=False, unit="same", cost=0,
)  # fmt: skip
eq = comparison("eq", "`x == y`", COMPARE, lambda x, y: x == y, "f64.eq")
ne = comparison("ne", "`x != y`", COMPARE, lambda x, y: x != y, "f64.ne")
lt = comparison("lt", "`x < y`", COMPARE, lambda x, y: x < y, "f64.lt")
le = comparison("le", "`x <= y`", COMPARE, lambda x, y: x <= y, "f64.le")

# Truth values.

not_ = logic(
    "not", "`~x`",
    type=unary((B, B)),
    eval=lambda x: not x,
    simplify=lambda x: x.args[0] if x.op is not_ else None,
    wasm="i32.eqz",
)  # fmt: skip
and_ = logic(
    "and", "`x & y`",
    type=LOGIC,
    eval=lambda x, y: x and y,
    simplify=lambda x, y: _decided(x, y, False),
    wasm="i32.and",
)  # fmt: skip
or_ = logic(
    "or", "`x | y`",
    type=LOGIC,
    eval=lambda x, y: x or y,
    simplify=lambda x, y: _decided(x, y, True),
    wasm="i32.or",
)  # fmt: skip
reached = scalar(
    "reached", "False of -0.0, true of every other number; what it is for, `autodiff/select_masks.py` says.",
    type=unary((R, B)),
    eval=lambda x: x != 0.0 or math.copysign(1.0, x) > 0.0,
    simplify=lambda x: True if _is_never_minus_zero(x, 4) else None,
    wasm="i64.reinterpret_f64, f64.const -0, i64.reinterpret_f64, i64.ne",
    kind=None, monotone=None, exact=True, whole=False, unit="compared", cost=1,
)  # fmt: skip
xor = logic("xor", "`x ^ y`, which is also `x != y`", type=LOGIC, eval=lambda x, y: x != y, wasm="i32.xor")

# Indices. The type of the result always holds it, so an index is never out of range.

iadd = of_indices(
    "iadd", "The sum of two indices.",
    type=indices(lambda n, m: n + m - 1),
    eval=lambda x, y: x + y,
    wasm="i32.add",
    kind="sum", cost=0,
)  # fmt: skip
imul = of_indices(
    "imul", "The product of two indices.",
    type=indices(lambda n, m: (n - 1) * (m - 1) + 1),
    eval=lambda x, y: x * y,
    wasm="i32.mul",
    kind="product",
)  # fmt: skip
idiv = of_indices(
    "idiv", "An index divided by a literal, rounded down.",
    type=by_literal(lambda n, k: (n - 1) // k + 1),
    eval=lambda x, y: x // y,
    wasm="i32.div_u",
    kind="quotient",
)  # fmt: skip
imod = of_indices(
    "imod", "What is left of an index divided by a literal.",
    type=by_literal(lambda n, k: n if at_most(n, k) else k),
    eval=lambda x, y: x % y,
    wasm="i32.rem_u",
    kind="quotient",
)  # fmt: skip
ifrom = of_indices(
    "ifrom", "`y - x`, of an index and a literal that is not below it: an index that runs backwards.",
    type=from_literal,
    eval=lambda x, y: y - x,
    wasm="$1, $0, i32.sub",
    kind="sum", cost=0,
)  # fmt: skip
ibeyond = of_indices(
    "ibeyond", "`x - y`, of indices; 0 where `y` is above `x`.",
    type=lambda x, y: x.type if isinstance(x.type, Fin) and isinstance(y.type, Fin) else None,
    eval=lambda x, y: max(x - y, 0),
    simplify=lambda x, y: x if y.op is CONST and not differ(y.attr, 0) else None,
    wasm="$0, $1, $0, $1, i32.gt_u, select, $1, i32.sub",
    kind="sum",
)  # fmt: skip
ixor = of_indices(
    "ixor", "`x ^ y`, of indices below 65,536.",
    type=two_halves,
    eval=lambda x, y: x ^ y,
    wasm="i32.xor",
    kind=None,
)  # fmt: skip
ilow = of_indices(
    "ilow", "The low half of the product of two indices below 65,536, which has 32 bits.",
    type=two_halves,
    eval=lambda x, y: x * y & 0xFFFF,
    wasm="i32.mul, i32.const 65535, i32.and",
    kind="product",
)  # fmt: skip
ihigh = of_indices(
    "ihigh", "The high half of the product of two indices below 65,536, which has 32 bits.",
    type=two_halves,
    eval=lambda x, y: x * y >> 16,
    wasm="i32.mul, i32.const 16, i32.shr_u",
    kind="product",
)  # fmt: skip
ieq = comparison("ieq", "`x == y`, of indices", two_indices, lambda x, y: x == y, "i32.eq")
ilt = comparison("ilt", "`x < y`, of indices", two_indices, lambda x, y: x < y, "i32.lt_u")
ile = comparison("ile", "`x <= y`, of indices", two_indices, lambda x, y: x <= y, "i32.le_u")
real = scalar(
    "real", "An index as a number.",
    type=lambda i: Real if isinstance(i.type, Fin) else None,
    eval=float,
    wasm="f64.convert_i32_u",
    kind=None, monotone=None, exact=True, whole=True, unit="pure", cost=1,
)  # fmt: skip
itrunc = scalar(
    "itrunc", "A number as an index, towards zero; the nearest one of what is out of range, and 0 of nan.",
    type=lambda x: Fin(LARGEST) if x.type is Real else None,
    eval=lambda x: int(min(x, LARGEST - 1.0)) if x > 0.0 else 0,
    wasm="$0, f64.const 0, f64.max, i32.trunc_sat_f64_s",
    kind="choice", monotone=None, exact=True, whole=True, unit="pure", cost=1,
)  # fmt: skip


# what the rows above are made of


def _decided(x: Value, y: Value, by: bool) -> Value | None:
    """The result of logic on a literal and another truth value: the literal, if it decides alone, else the other."""
    literal, other = (x, y) if x.op is CONST else (y, x)
    if literal.op is not CONST or x.type is not Bool or y.type is not Bool:
        return None
    return literal if literal.attr == by else other


def _smaller(x: float, y: float) -> float:
    if x != x or y != y:
        return math.nan
    return y if y < x or (x == y and math.copysign(1.0, y) < 0.0) else x


def no(d: Value) -> Value:
    """The zero tangent."""
    return current_builder().zero(d.type)


def _adds_nothing(zero: Value, x: Value) -> bool:
    """True if a literal is a zero that changes no bit of `x`: 0.0 makes 0.0 of -0.0."""
    return is_literal(zero, -0.0) or (is_literal(zero, 0.0) and _is_never_minus_zero(x, 4))


def _is_never_minus_zero(x: Value, depth: int) -> bool:
    """True if a number is known not to be -0.0, by the last few instructions that made it."""
    if x.op is CONST:
        return not is_literal(x, -0.0)
    if x.op is INDEX or x.op is GET:
        while x.op is INDEX or x.op is GET:
            x = x.args[0]
        return x.op is FREEZE and begins_at_zero(x.args[0])
    if x.op is FREEZE:
        return begins_at_zero(x.args[0])
    if x.op is mul:
        return x.args[0] is x.args[1]
    if x.op is sub:
        return is_literal(x.args[0], 0.0)
    if depth == 0 or x.op not in (add, select):
        return x.op in (abs_, exp, exp2, hypot, cosh)
    some = any if x.op is add else all  # a sum is -0.0 only if both of its terms are
    return some([_is_never_minus_zero(a, depth - 1) for a in x.args[-2:]])


def _share(d: Value, wins: Value, ties: Value) -> Value:
    return select(wins, d, select(ties, d * 0.5, no(d)))


def _rest(d: Value, loses: Value, ties: Value) -> Value:
    """What `_share` leaves, from the same conditions: the tape has no third."""
    return select(loses, no(d), select(ties, d * 0.5, d))


def _one_over_square(x: Value) -> Value:
    """`1 / (1 + x * x)`, where the square overflows only if the answer is 0."""
    s = 2.0**-60  # also in single precision
    return s * s / (s * s + (x * s) * (x * s))


def _by_larger(x: Value, y: Value) -> tuple[Value, Value, Value]:
    """The one of `x` and `y` that is farther from 0; and both, divided by it."""
    first = abs(x) > abs(y)
    large = select(first, x, y)
    ratio = select(first, y, x) / large
    one = current_builder().lift(1.0)
    return large, select(first, one, ratio), select(first, ratio, one)


def _over_squares(x: Value, y: Value) -> tuple[Value, Value]:
    """`x` and `y`, each divided by `x * x + y * y`, where no square overflows; 0 at infinity."""
    large, p, q = _by_larger(x, y)
    h, infinite, zero = p * p + q * q, abs(large) == math.inf, current_builder().lift(0.0)
    return select(infinite, zero, p / h / large), select(infinite, zero, q / h / large)


def _cosines(x: Value, y: Value) -> tuple[Value, Value]:
    """`x` and `y`, each divided by `hypot(x, y)`, exact for all numbers."""
    large, p, q = _by_larger(x, y)
    h = copysign(1.0, large) * sqrt(p * p + q * q)
    return p / h, q / h


def _is_flat(x: Value, y: Value, z: Value) -> Value:
    """Where `pow(x, y)` has slope 0 in `x`, and its formula nan. Where `y` alone is 0, the slope moves with `y`."""
    return ((y == 0.0) & ~(abs(x) > 0.0)) | ((z == 0.0) & (abs(y) == math.inf))


def _slope_of_power(x: Value, y: Value, z: Value) -> Value:
    """`y * pow(x, y - 1)`, where the difference is exact; elsewhere `pow(x, y)`, which is `z`, divided by `x`."""
    return select((y >= 0.5) | (x == 0.0) | (abs(x) == math.inf), y * pow_(x, y - 1.0), y * z / x)


def _bell(x: Value) -> Value:
    """The derivative of `erf`: `2 / sqrt(pi) * exp(-x * x)`, where the square is not rounded.

    The square is that of `c`, a few bits of `x`, and a small rest. Beyond 40 the answer is 0.
    """
    x = max_(min_(x, current_builder().lift(40.0)), current_builder().lift(-40.0))
    c = round_(x * 1024.0) / 1024.0
    return 2.0 / math.sqrt(math.pi) * exp(-(c * c)) * exp(-((x - c) * (x + c)))


def _floored(z: Value, y: Value) -> Value:
    """The remainder `z` of a division by `y`, with the sign of `y`, which a zero gets too; it moves as `z` does."""
    zero = stop_gradient(copysign(z, y)) - (stop_gradient(z) - z)
    return select(z == 0.0, zero, select((z < 0.0) ^ (y < 0.0), z + y, z))


def _decay(x: Value) -> Value:
    """`exp(-abs(x))`, with the derivative of one side at 0."""
    return exp(select(x >= 0.0, -x, x))


def _logistic(positive: Value, e: Value) -> Value:
    return select(positive, current_builder().lift(1.0), e) / (1.0 + e)


def digamma(x: Value) -> Value:
    """The derivative of `lgamma`; nan at its poles."""
    return current_builder().call(_digamma(), (x,))


@cache
def _digamma() -> Func:
    """Reflection (DLMF 5.5.4), recurrence up to 10 (5.5.2), asymptotic series (5.11.2)."""
    with building("rose.digamma", Origin("library")) as b:
        b.loc = Loc(digamma.__code__, -1)  # not where it is needed first
        x = b.param(Real, "x")
        left, r = x < 0.0, x - round_(x)
        c = math.pi * cos(math.pi * r) / sin(math.pi * r)  # 1 / tan cancels in derivatives where tan is large
        cotangent = select(left, select(r == 0.0, b.lift(math.nan), c), b.lift(0.0))

        def step(i: Value, y: Value, total: Value) -> tuple[list[Value], list[Value]]:
            low = y < 10.0
            return [select(low, y + 1.0, y), select(low, total + 1.0 / y, total)], []

        (y, total), _ = b.loop(10, step, [select(left, 1.0 - x, x), b.lift(0.0)])
        w, series = 1.0 / (y * y), b.lift(1.0 / 12.0)
        for k in (-691.0 / 32760.0, 1.0 / 132.0, -1.0 / 240.0, 1.0 / 252.0, -1.0 / 120.0, 1.0 / 12.0):
            series = series * w + k
        return b.func(log(y) - 0.5 / y - series * w - total - cotangent)
