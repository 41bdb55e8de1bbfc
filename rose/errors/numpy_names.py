"""The functions of math and NumPy that do not take what they are given: what to write in the place of each."""

from __future__ import annotations

_SAME = """
    abs acos acosh array asin asinh atan atan2 atanh cbrt ceil clip copysign cos cosh cross dot erf erfc exp exp2 expm1
    floor fmod gamma hypot lgamma log log10 log1p log2 matmul max min norm pow prod round sign sin sinh sqrt sum tan
    tanh transpose trunc logsumexp where
""".split()
_BY_ANOTHER_NAME = {
    "abs": "absolute fabs",
    "array": "asarray",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "dot": "sumprod",
    "lgamma": "gammaln",
    "norm": "vector_norm matrix_norm",
    "max": "amax fmax maximum nanmax maximum.reduce",
    "min": "amin fmin minimum nanmin minimum.reduce",
    "pow": "power float_power",
    "prod": "multiply.reduce",
    "round": "around rint",
    "sigmoid": "expit",
    "sum": "fsum nansum add.reduce",
    "transpose": "permute_dims",
    "trunc": "fix",
}
_WRITTEN = {
    "add": "x + y", "subtract": "x - y", "multiply": "x * y", "divide": "x / y", "true_divide": "x / y",
    "floor_divide": "x // y", "remainder": "x % y", "mod": "x % y", "divmod": "divmod(x, y)",
    "negative": "-x", "positive": "x", "conj": "x", "conjugate": "x", "square": "x * x", "reciprocal": "1.0 / x",
    "less": "x < y", "less_equal": "x <= y", "greater": "x > y", "greater_equal": "x >= y", "equal": "x == y",
    "not_equal": "x != y", "isclose": "rose.abs(x - y) < 1e-9",
    "bitwise_and": "x & y", "bitwise_or": "x | y", "bitwise_xor": "x ^ y", "invert": "~x",
    "bitwise_not": "~x", "bitwise_invert": "~x",
    "all": "x & y", "any": "x | y", "real": "x", "shape": "len(v)", "size": "len(v)",
    "logical_and": "x & y", "logical_or": "x | y", "logical_xor": "x ^ y", "logical_not": "~x",
    "isnan": "x != x", "isinf": "rose.abs(x) == math.inf", "isfinite": "rose.abs(x) < math.inf",
    "signbit": "rose.copysign(1.0, x) < 0.0",
    "heaviside": "rose.select(x == 0.0, y, rose.select(x < 0.0, 0.0, 1.0))",
    "select": "rose.select(condition, x, y)",
    "modf": "rose.trunc(x) and x - rose.trunc(x)", "ldexp": "x * rose.exp2(y)",
    "degrees": "x * (180.0 / math.pi)", "rad2deg": "x * (180.0 / math.pi)",
    "radians": "x * (math.pi / 180.0)", "deg2rad": "x * (math.pi / 180.0)",
    "dist": "rose.norm(rose.vec(v[i] - w[i] for i in rose.range(n)))",
    "mean": "rose.sum(...) / n", "average": "rose.sum(...) / n",
    "trace": "rose.sum(a[i][i] for i in rose.range(n))",
    "factorial": "rose.gamma(x + 1.0)", "isqrt": "rose.floor(rose.sqrt(x))",
}  # fmt: skip

_OURS = {name: name for name in _SAME} | {name: k for k, names in _BY_ANOTHER_NAME.items() for name in names.split()}
INSTEAD = {name: f"rose.{ours}(...)" for name, ours in _OURS.items()} | _WRITTEN
MAKERS = {
    name: f"write rose.{name}(...) in its place" for name in ("zeros", "ones", "full", "eye", "arange", "linspace")
}


def by_numpys_name() -> dict[str, str]:
    """The name of ours for each function of NumPy's that is the same one, under any of its names."""
    return {name: ours for name, ours in _OURS.items() if name not in ("fmax", "fmin")}  # which pass over a nan
