"""NumPy's functions of elements, its ufuncs, on traced values (NEP 13): `np.exp(x)`, `np.add(x, y)`, `array * x`.

`MEANINGS` has what each does, by NumPy's name: a row of the table, an operator, or an expression of them. It does with
arrays what it does with numbers. What is not in it is an error that names the nearest thing.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import TypeMismatch, edge, here, is_augmented
from ...errors.advice import of_library
from ...errors.numpy_names import by_numpys_name
from ...ir import OPS, Value, a_traced, current_builder, ops
from ...ir.hooks import above
from ...ir.types import is_complex
from ...ir.value import OPERATORS
from ..operators import as_real
from .attributes import PARTS, part
from .creation import whole, zeros_like
from .elementwise import each
from .products import conjugate, matmul, meet
from .reductions import all_, carried, truth
from .shapes import as_array
from .shaping import moveaxis
from .ufunc_methods import METHODS

_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//",
    "remainder": "%", "mod": "%", "power": "**", "float_power": "**", "matmul": "@", "less": "<", "less_equal": "<=",
    "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=", "bitwise_and": "&",
    "bitwise_or": "|", "bitwise_xor": "^", "divmod": "divmod",
}  # fmt: skip


def _operator(symbol: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: OPERATORS[symbol](x, y)


def _of_truths(symbol: str) -> Callable[..., Any]:
    """An operator on conditions, where a number holds if it is not 0."""

    def of(x: Any, y: Any = None) -> Value:
        given = [None if v is None else truth(current_builder().lift(v)) for v in (x, y)]
        return OPERATORS[symbol](*given)

    return lambda *xs: each(of, *xs)


def _of_one(symbol: str) -> Callable[[Any], Any]:
    return lambda x: OPERATORS[symbol](x, None)


def _real(x: Any) -> Value:
    """An element, or a number of the host, as a Real."""
    return as_real(current_builder().lift(x))


def _logarithm_of_sum(x: Any, y: Any, unit: float, exp: Callable[[Any], Any]) -> Any:
    """The logarithm of a sum of two powers, of the base `exp(unit)`; the larger one, taken out, is a constant."""

    def of(x: Any, y: Any) -> Value:
        b = current_builder()
        x, y = _real(x), _real(y)
        high, low = ops.select(x > y, x, y), ops.select(x > y, y, x)
        most = ops.stop_gradient(ops.max_(x, y))  # nan if either is
        shift = ops.select(abs(most) == math.inf, 0.0, most)
        sum_ = ops.log1p(ops.expm1((high - shift) * unit) + exp(low - shift)) / unit + shift
        return ops.select(most == -math.inf, b.lift(-math.inf), sum_)

    return each(of, x, y)


def logaddexp(x: Any, y: Any) -> Any:
    """`log(exp(x) + exp(y))`, without overflow."""
    return _logarithm_of_sum(x, y, 1.0, ops.exp)


def logaddexp2(x: Any, y: Any) -> Any:
    """`log2(2**x + 2**y)`, without overflow."""
    return _logarithm_of_sum(x, y, math.log(2.0), ops.exp2)


def whole_part(name: str) -> Callable[[Any, Any], Any]:
    """The operation that `math.floor(x)` and its kind ask a value for."""
    return lambda x, _: OPS[name](x)


def modf(x: Any) -> tuple[Any, Any]:
    """NumPy's `modf`: what is behind the point, with the sign of the number, and what is before it."""

    def rest(x: Any) -> Value:
        x = _real(x)
        return ops.copysign(ops.select(ops.abs_(x) == math.inf, 0.0, x - ops.trunc(x)), x)

    def before(x: Any) -> Value:
        return ops.trunc(_real(x))

    return each(rest, x), each(before, x)


def ldexp(x: Any, k: Any) -> Any:
    """NumPy's `ldexp`, `x * 2**k`, in two steps where that power is no number."""

    def of(x: Any, k: Any) -> Value:
        x, k = _real(x), _real(k)
        rest = ops.select(k > 1023.0, k - 1023.0, ops.select(k < -1022.0, k + 1022.0, 0.0))
        return x * ops.exp2(ops.clip(rest, -1022.0, 1023.0)) * ops.exp2(ops.clip(k, -1022.0, 1023.0))

    return each(of, x, k)


def _matvec(a: Any, x: Any) -> Any:
    return matmul(a, as_array(x)[..., None])[..., 0]


def _vecmat(x: Any, a: Any) -> Any:
    return matmul(conjugate(as_array(x))[..., None, :], a)[..., 0, :]


def vecdot(x: Any, y: Any, axis: Any = -1) -> Any:
    """NumPy's `vecdot`: the sum of the products of the conjugate of `x` with `y` along an axis that both have."""
    v, w = [as_array(z if axis == -1 else moveaxis(z, axis, -1)) for z in (conjugate(as_array(x)), y)]
    meet(v, w, [(-1, -1)], "np.vecdot")
    return matmul(v[..., None, :], w[..., :, None])[..., 0, 0]


def _shifted(symbol: str) -> Callable[[Any, Any], Any]:
    """An index by so many binary digits: a product or a quotient with a power of 2 that Python knows."""
    return lambda i, k: OPERATORS[symbol](i, 2 ** whole(k, "the second argument", "np.left_shift and np.right_shift"))


def gcd(x1: Any, x2: Any) -> Any:
    """NumPy's `gcd`, of whole numbers, by Euclid's algorithm; nan of others, which NumPy refuses."""
    return each(_gcd, x1, x2)


def lcm(x1: Any, x2: Any) -> Any:
    """NumPy's `lcm`, of whole numbers; nan of others, which NumPy refuses."""

    def of(x: Any, y: Any) -> Value:
        by = _gcd(x, y)
        none = by == 0.0
        return ops.stop_gradient(
            ops.select(none, 0.0, ops.abs_(_real(x)) / ops.select(none, 1.0, by) * ops.abs_(_real(y)))
        )

    return each(of, x1, x2)


def _gcd(x: Any, y: Any) -> Value:
    sizes = [ops.stop_gradient(ops.abs_(_real(v))) for v in (x, y)]
    are_whole = [(ops.floor(v) == v) & (v < _WHOLE) for v in sizes]
    start = [ops.select(c, v, 0.0) for c, v in zip(are_whole, sizes, strict=True)]

    def step(_: object, state: Sequence[Value]) -> list[Value]:
        x, y = state
        goes_on = y > 0.0
        rest = OPS["fmod"](x, ops.select(goes_on, y, 1.0))
        return [ops.select(goes_on, y, x), ops.select(goes_on, rest, 0.0)]

    found = carried(current_builder(), [_STEPS], step, start)[0]
    return ops.select(are_whole[0] & are_whole[1], found, math.nan)


_WHOLE = 2.0**53  # from here on not all whole numbers are there
_STEPS = 78  # of Euclid's algorithm below it, at most: as many as the numbers of Fibonacci


def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """NumPy's `clip`: a bound that is left out, or None, does not bound."""
    low, high = [old if new is None else new for old, new in ((a_min, min), (a_max, max))]
    if low is None:
        return a if high is None else ops.min_(a, high)
    return ops.max_(a, low) if high is None else ops.clip(a, low, high)


def sinc(x: Any) -> Any:
    """NumPy's `sinc`, `sin(pi * x) / (pi * x)`: near 0 by its series, so that its derivatives are there, too."""

    def of(x: Any) -> Any:
        angle = as_real(x) * math.pi
        square, series = angle * angle, current_builder().lift(0.0)
        for k in range(9, -1, -1):  # the rest is below 1e-22 where the series is taken
            series = series * square + (-1.0) ** k / math.factorial(2 * k + 1)
        size = ops.abs_(square) if is_complex(angle.type) else square
        return ops.select(size < 0.25, series, ops.sin(angle) / angle)

    return each(of, x)


def heaviside(x1: Any, x2: Any) -> Any:
    """NumPy's `heaviside`: 0 below 0, 1 above it, and `x2` at 0."""

    def of(x: Any, y: Any) -> Value:
        x, y = _real(x), _real(y)
        return ops.select(x < 0.0, 0.0, ops.select(x > 0.0, 1.0, ops.select(x == 0.0, y, x)))

    return each(of, x1, x2)


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """NumPy's `isclose`: `abs(a - b) <= atol + rtol * abs(b)`; an infinity is close to itself alone."""
    size = ops.abs_(b)
    near = (ops.abs_(a - b) <= size * rtol + atol) & (size < math.inf) | (a == b)
    return near | (a != a) & (b != b) if equal_nan else near


def choose_first(condlist: Any, choicelist: Any, default: Any = 0.0) -> Any:
    """NumPy's `select`: what stands with the first condition that holds, or the default."""
    if len(condlist) != len(choicelist):
        what = f"np.select is given {len(condlist)} conditions for {len(choicelist)} choices"
        raise TypeMismatch(what, here(), "give it one for each; what is left over goes into default=")
    for condition, choice in reversed([*zip(condlist, choicelist, strict=True)]):
        default = each(ops.select, condition, choice, default)
    return default


def _besides_nan(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`op` of two numbers, or the other one if one is nan: NumPy's `fmax` and `fmin`."""

    def of(x: Any, y: Any) -> Value:
        x, y = _real(x), _real(y)
        return ops.select(x != x, y, ops.select(y != y, x, op(x, y)))

    return lambda x, y: each(of, x, y)


def rounded(a: Any, decimals: Any = 0) -> Any:
    """NumPy's `round`, to so many decimals: a whole number of tenths, or with -1 of tens."""
    k = whole(decimals, "decimals", "np.round")
    if not k:
        return OPS["round"](a)
    by = 10.0 ** abs(k)
    return OPS["round"](a * by) / by if k > 0 else OPS["round"](a / by) * by


MEANINGS: dict[str, Callable[..., Any]] = {
    **{name: OPS[ours] for name, ours in by_numpys_name().items() if ours in OPS},
    **{name: rounded for name in ("round", "around")},
    **{name: _operator(symbol) for name, symbol in _OPERATORS.items()},
    **{name: _of_one("~") for name in ("invert", "bitwise_not", "bitwise_invert")},
    **{
        f"logical_{name}": _of_truths(symbol)
        for name, symbol in {"and": "&", "or": "|", "xor": "^", "not": "~"}.items()
    },
    **{name: _of_one("abs") for name in ("absolute", "abs", "fabs")},
    "negative": _of_one("neg"),
    "positive": lambda x: x,
    **{name: part(name) for name in PARTS},
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1.0 / x,
    "isnan": lambda x: x != x,
    "isinf": lambda x: ops.abs_(x) == math.inf,
    "isfinite": lambda x: ops.abs_(x) < math.inf,
    "signbit": lambda x: ops.copysign(1.0, x) < 0.0,
    "degrees": lambda x: x * (180.0 / math.pi),
    "rad2deg": lambda x: x * (180.0 / math.pi),
    "radians": lambda x: x * (math.pi / 180.0),
    "deg2rad": lambda x: x * (math.pi / 180.0),
    "clip": clip,
    "fmax": _besides_nan(ops.max_),
    "fmin": _besides_nan(ops.min_),
    "heaviside": heaviside,
    "isclose": isclose,
    "select": choose_first,
    "sinc": sinc,
    "logaddexp": logaddexp,
    "logaddexp2": logaddexp2,
    "modf": modf,
    "ldexp": ldexp,
    "vecdot": vecdot,
    "matvec": _matvec,
    "vecmat": _vecmat,
    "gcd": gcd,
    "lcm": lcm,
    "left_shift": _shifted("*"),
    "right_shift": _shifted("//"),
    "isposinf": lambda x: as_array(x) == math.inf,
    "isneginf": lambda x: as_array(x) == -math.inf,
    "allclose": lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: all_(isclose(a, b, rtol, atol, equal_nan)),
    "empty_like": zeros_like,
    "i0": lambda x: above().scipys["i0"](x),
}


# what NumPy calls by name of each object of an array of objects, where others are Python's operators
_OF_OBJECTS = """
    arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs
    float_power fmod hypot log log10 log1p log2 logical_xor rad2deg radians rint sin sinh sqrt tan tanh
""".split()


def of_objects() -> dict[str, Callable[..., Any]]:
    """The methods that NumPy calls of each object: `np.sin(np.array([x, y]))` is `x.sin()` and `y.sin()`."""
    return {name: edge(MEANINGS[name]) for name in _OF_OBJECTS}


def applied(name: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The result of the ufunc of that name on inputs, one of which is traced; a TypeMismatch if it has no meaning."""
    named = {k: x for k, x in named.items() if not is_default(k, x, _DEFAULTS.get(k, ...))}
    if name in METHODS and not named.keys() - inspect.signature(METHODS[name]).parameters.keys():
        return METHODS[name](*inputs, **named)
    if name in MEANINGS and (not named or _is_assignment(inputs, named)):
        return MEANINGS[name](*inputs)
    if name in (specials := above().scipys) and not named:
        return specials[name](*inputs)
    if name == "vecdot" and [*named] == ["axis"]:
        return vecdot(*inputs, **named)
    traced = next(x for x in inputs if isinstance(x, Value))
    what = f"{name} does not take {a_traced(traced)}: it is known only when the compiled function runs"
    if name in MEANINGS or name in METHODS:
        what = f"{name} takes no {next(iter(named))} with {a_traced(traced)}"
    if name.endswith(".at"):
        raise TypeMismatch(what, here(), "write x = x.at[i].add(y), or .mul, .min, .max, .set: it makes a new array")
    raise TypeMismatch(what, here(), of_library(name))


_DEFAULTS = {"casting": "same_kind", "order": "K", "subok": True}


def is_default(name: str, x: Any, default: Any) -> bool:
    """True for an argument of NumPy's that says what NumPy means without it: `out=None`, `where=True`."""
    if x is default or (name == "where" and x is True) or (name in ("out", "dtype") and x is None):
        return True
    return isinstance(x, (str, int, float)) and x.__class__ is default.__class__ and x == default


def _is_assignment(inputs: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """True of `array += x`, for an array of NumPy's: as of a traced one, it makes a new array and gives it the name."""
    return [*named] == ["out"] and named["out"][0] is inputs[0] and is_augmented(here())
