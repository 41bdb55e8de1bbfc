# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
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

from .errors import RoseError, TypeMismatch, here, operand_of, subscript
from .ir import CONST, OPS, ZERO, Op, Value, a_traced, builder, is_literal, literal_index, shown
from .types import Bool, Fin, Real, Ref, Tan, Tuple, Type, Unit, Vec
from .value import OPERATORS

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
floor = _row("floor", "The whole number at or below.", type=UNARY, eval=lambda x: _whole(math.floor, x), wasm="f64.floor")
ceil = _row("ceil", "The whole number at or above.", type=UNARY, eval=lambda x: _whole(math.ceil, x), wasm="f64.ceil")
trunc = _row("trunc", "The whole number towards zero.", type=UNARY, eval=lambda x: _whole(math.trunc, x), wasm="f64.trunc")
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


# Python's operators: which row each is, by the types of what it is given


def operand(x: Any) -> Value:
    return x if x.__class__ is Value else builder().lift(x)


def as_real(x: Any) -> Value:
    """`x` where a number is meant: an index is converted."""
    v = operand(x)
    return real(v) if isinstance(v.type, Fin) else v


def _side(side: str, x: Any) -> Value:
    """The operand on one side of an operator, where a number is meant."""
    try:
        return as_real(x)
    except RoseError as e:
        raise e.at(here().narrow(operand_of(side))) from None


def is_index(x: Any) -> bool:
    return x.__class__ is Value and isinstance(x.type, Fin)


def host_index(x: Any) -> int | None:
    """`x` as a Python integer, if it is one."""
    if x.__class__ is int:
        return x
    if isinstance(x, bool) or x.__class__ is Value or not hasattr(x.__class__, "__index__"):
        return None
    return None if getattr(x, "shape", ()) != () else int(x)


def _as_index(x: Any) -> Value | None:
    """`x` as an index, if it is one: a traced `Fin`, or an integer that is not negative."""
    if x.__class__ is Value:
        return x if isinstance(x.type, Fin) else None
    k = host_index(x)
    return None if k is None or not 0 <= k < LARGEST else builder().const(k, Fin(k + 1))


def _arithmetic(of_reals: Op, of_indices: Op | None) -> Callable[[Any, Any], Value]:
    def operator(x: Any, y: Any) -> Value:
        if x.__class__ is Value and y.__class__ is Value and x.type is Real and y.type is Real:
            return builder().emit(of_reals, (x, y))
        return _of_mixed(of_reals, of_indices, x, y)

    return operator


def _of_mixed(of_reals: Op, of_indices: Op | None, x: Any, y: Any) -> Value:
    """Arithmetic on what may be indices, numbers of Python, or tangents."""
    if of_indices is not None and (is_index(x) or is_index(y)):
        i, j = _as_index(x), _as_index(y)
        if i is not None and j is not None:
            return builder().emit(of_indices, (i, j))
    return builder().emit(of_reals, (_side("left", x), _side("right", y)))


def _multiply(x: Any, y: Any) -> Value:
    """Multiplication; a tangent comes first, whichever way it was written."""
    if x.__class__ is Value and y.__class__ is Value and y.type is Real and (x.type is Real or x.type is Tan):
        return builder().emit(mul, (x, y))
    if y.__class__ is Value and y.type is Tan and not (x.__class__ is Value and x.type is Tan):
        return builder().emit(mul, (y, as_real(x)))
    return _of_mixed(mul, imul, x, y)


def _compare(
    of_reals: Op, of_indices: Callable[[Value, Value], Value], of_truths: Callable[[Value, Value], Value] | None = None
) -> Callable[[Any, Any], Value]:
    def operator(x: Any, y: Any) -> Value:
        if is_index(x) or is_index(y):
            i, j = _as_index(x), _as_index(y)
            if i is not None and j is not None:
                return of_indices(i, j)
        x, y = _side("left", x), _side("right", y)
        if of_truths is not None and x.type is Bool and y.type is Bool:
            return of_truths(x, y)
        return builder().emit(of_reals, (x, y))

    return operator


def _by_whole(op: Op) -> Callable[[Any, Any], Value]:
    """`//` and `%`: of an index and a literal."""

    def operator(x: Any, y: Any) -> Value:
        i, k = _as_index(x), host_index(y)
        if i is not None and k is not None and k > 0:
            return builder().emit(op, (i, builder().const(k, Fin(k + 1))))
        if i is not None and is_index(x):
            what = a_traced(y) if isinstance(y, Value) else shown(y)
            raise TypeMismatch(
                f"an index is divided by {what}", here(), "the divisor of an index is an integer above zero"
            )
        raise TypeMismatch(
            f"`{'//' if op is idiv else '%'}` divides an index by an integer, not {a_traced(operand(x))}",
            here(),
            "of numbers, write rose.floor(x / y), and x - y * rose.floor(x / y)",
        )

    return operator


def _power(x: Any, n: Any) -> Value:
    """`x ** n` for a literal integer, as a product: by squaring, `1 / x ** -n` below zero."""
    k = host_index(n)
    if k is None and isinstance(n, float) and n.is_integer():
        k = int(n)
    if k is None or not isinstance(x, Value):
        what = a_traced(n) if isinstance(n, Value) else shown(n)
        raise TypeMismatch(
            f"the exponent of ** must be a literal integer, not {what}",
            here(),
            "x ** 0.5 is rose.sqrt(x); any other power can be an @opaque function with its own derivative",
        )
    square, out, rest = as_real(x), None, abs(k)
    while rest:
        if rest & 1:
            out = square if out is None else out * square
        rest >>= 1
        square = square * square if rest else square
    power = operand(1.0) if out is None else out
    return 1.0 / power if k < 0 else power


def _subscript(v: Value, i: Any) -> Any:
    """`v[i]` for an index of any kind: a traced one, an integer, or a slice of integers."""
    t = v.type
    if not isinstance(t, Vec):
        of = "name its fields" if isinstance(t, Tuple) else "only a Vec has elements"
        raise TypeMismatch(f"{a_traced(v)} cannot be indexed", here(), of)
    return _slice(v, t, i) if i.__class__ is slice else view(builder().index(v, index_into(v, i)))


def index_into(v: Value, i: Any) -> Value | int:
    """`i` as an index of a vector, which it is certain to be inside of."""
    t = v.type.inner if isinstance(v.type, Ref) else v.type
    assert isinstance(t, Vec)
    if is_index(i) and i.type.size <= t.size:
        return i
    k, loc = host_index(i), here().narrow(subscript)
    if k is not None:
        return literal_index(k, t.size, loc)
    if not is_index(i):
        what = a_traced(i) if isinstance(i, Value) else shown(i)
        hint = "an index is an integer, or comes from rose.range, or is a parameter of a type Fin[n]"
        if isinstance(i, tuple):
            hint = "take a row first: write v[i][j] for v[i, j]"
        elif isinstance(i, Value) and i.type is Real:
            hint = "a number is no index; i - k is a number too: write (i + n - k) % n for it"
        raise TypeMismatch(f"{what} cannot index a vector", loc, hint)
    hint = "the index may be too large: loop over a smaller range, or wrap it round with % n"
    raise TypeMismatch(f"{t!r} is indexed by {Fin(t.size)!r}, not {i.type!r}", loc, hint)


def _slice(v: Value, t: Vec, part: Any) -> Value:
    try:
        which = range(*part.indices(t.size))
    except (TypeError, ValueError):
        message = f"a slice of a {t!r} is made of integers that Python knows, with a step other than 0"
        raise TypeMismatch(message, here().narrow(subscript), "write v[1:], v[:n], v[::-1]") from None
    b = builder()
    if len(which) == 0 or which.step != 1:
        return b.pack([b.index(v, k) for k in which], Vec(len(which), t.elem))
    start = b.const(which.start, Fin(which.start + 1))
    body: Callable[[Value], tuple[list[Value], list[Value]]] = lambda i: ([], [b.index(v, iadd(i, start))])
    _, (out,) = b.loop(len(which), body)
    return out


def view(v: Value) -> Any:
    """`v` as its user sees it: a struct as its class, a Unit as None, the rest as it is."""
    t = v.type
    if isinstance(t, Tuple):
        b = builder()
        items = [view(b.get(v, k)) for k in range(len(t.items))]
        return t.form.make(items) if t.form is not None else tuple(items)
    return None if t is Unit else v


OPERATORS.update({
    "+": _arithmetic(add, iadd),
    "-": _arithmetic(sub, None),
    "*": _multiply,
    "/": _arithmetic(div, None),
    "//": _by_whole(idiv),
    "%": _by_whole(imod),
    "**": _power,
    "[]": _subscript,
    "neg": lambda x, _: neg(as_real(x)),
    "abs": lambda x, _: abs_(as_real(x)),
    "~": lambda x, _: not_(x),
    "&": and_,
    "|": or_,
    "^": xor,
    "==": _compare(eq, ieq, lambda x, y: not_(xor(x, y))),
    "!=": _compare(ne, lambda i, j: not_(ieq(i, j)), xor),
    "<": _compare(lt, ilt),
    "<=": _compare(le, ile),
    ">": lambda x, y: OPERATORS["<"](y, x),
    ">=": lambda x, y: OPERATORS["<="](y, x),
})  # fmt: skip
