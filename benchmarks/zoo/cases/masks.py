"""What a mask hides has no derivative, not even an infinite one."""

from math import inf, nan

from ..spec import at, case


def _distance(m, x, i, j):
    return m.sqrt((x[i] - x[j]) * (x[i] - x[j]))


def _masked_distances(m, x):
    n = 3
    d = m.table(n, n, lambda i, j: _distance(m, x, i, j))
    kept = m.table(n, n, lambda i, j: m.where(m.differ(i, j), 1.0 / (1.0 + m.entry(d, i, j)), 0.0))
    return m.total(kept)


def _pair_truth(m, x, y, z):
    return 2 / (1 + abs(x - y)) + 2 / (1 + abs(x - z)) + 2 / (1 + abs(y - z))


def _well(m, r):
    """A potential with a parabola below 0.8 and nothing above 2.5."""
    s = (1.0 / r) ** 6
    return m.where(r > 2.5, 0.0, m.where(r > 0.8, s * (0.5 * s - 1.0), 3.0 - r**2))


def _exprel(m, x):
    series = 1.0 + x / 2.0 + x * x / 6.0 + x * x * x / 24.0
    return m.where(m.abs(x) < 1e-5, series, m.expm1(x) / x)


def _exprel_truth(m, x):
    return sum(x**k / m.factorial(k + 1) for k in range(60))


def _log_in_where(m, x):
    logs = m.each(m.log, x)
    return m.sum(m.each(lambda v, l: m.where(v > 0.0, l, 0.0), x, logs))


CASES = (
    case(
        "where of a length",
        "jax-ml/jax/issues/347",
        "the square root of a sum of squares, behind a where that takes the constant",
        lambda m, x: m.where(m.sqrt(x[0] ** 2 + x[1] ** 2) > 0.5, m.sqrt(x[0] ** 2 + x[1] ** 2), 1.0),
        at(0, 0, near=lambda m, x, y: m.mpf(1)),
        at(3, 4, near=lambda m, x, y: m.sqrt(x * x + y * y)),
    ),
    case(
        "where of sqrt, at 0",
        "jax-ml/jax/issues/5798",
        "where(x < 1, x, sqrt(x)) has slope 1 at 0",
        lambda m, x: m.where(x[0] < 1.0, x[0], m.sqrt(x[0])),
        at(0, near=lambda m, x: x),
        at(1e-9, near=lambda m, x: x),
        at(4, near=lambda m, x: m.sqrt(x)),
    ),
    case(
        "where of atan2",
        "jax-ml/jax/issues/1052",
        "atan2(a, a) masked where a is 0",
        lambda m, x: m.sum(m.each(lambda a: m.where(a * a > 0.0, m.atan2(a, a), 0.0), x)),
        at(3, 0, -5, near=lambda m, x, y, z: m.pi / 4 - 3 * m.pi / 4 + 0 * x),
    ),
    case(
        "where of x * inf",
        "jax-ml/jax/issues/2630",
        "the arm that is not taken is infinite",
        lambda m, x: m.where(x[0] > 0.0, 0.0, x[0] * inf),
        at(1, near=lambda m, x: m.mpf(0)),
    ),
    case(
        "masked distances",
        "jax-ml/jax/issues/654",
        "a matrix of distances is made first, and its diagonal masked after",
        _masked_distances,
        at(0, 1, 3, near=lambda m, x, y, z: _pair_truth(m, x, y, z)),
    ),
    case(
        "where of x * sqrt(x)",
        "tinygrad/tinygrad/issues/12409",
        "where(x == 0, 0, x * sqrt(x)) is flat at 0",
        lambda m, x: m.where(m.equal(x[0], 0.0), 0.0, x[0] * m.sqrt(x[0])),
        at(0, near=lambda m, x: m.mpf(0), orders=1),
        at(4, near=lambda m, x: x ** m.mpf(1.5)),
    ),
    case(
        "where of sqrt(-x)",
        "HIPS/autograd/issues/802",
        "where(x >= 0, x, sqrt(-x)) at 1",
        lambda m, x: m.where(x[0] >= 0.0, x[0], m.sqrt(-x[0])),
        at(1, near=lambda m, x: x),
        at(-4, near=lambda m, x: m.sqrt(-x)),
    ),
    case(
        "where of sqrt, negative",
        "pytorch/pytorch/issues/187297",
        "where(x > 0, sqrt(x), x), summed, with negative elements",
        lambda m, x: m.sum(m.each(lambda v: m.where(v > 0.0, m.sqrt(v), v), x)),
        at(-1, -4, near=lambda m, x, y: x + y),
        at(1, -4, near=lambda m, x, y: m.sqrt(x) + y),
    ),
    case(
        "where of log and a pole",
        "tensorflow/tensorflow/issues/20355",
        "where(x < 0, 1 / (1 - x), log(x + 1)): at 1 the pole is not taken, at -1 the logarithm is not",
        lambda m, x: m.where(x[0] < 0.0, 1.0 / (1.0 - x[0]), m.log(x[0] + 1.0)),
        at(1, near=lambda m, x: m.log(x + 1)),
        at(-1, near=lambda m, x: 1 / (1 - x)),
    ),
    case(
        "where of a division by 0",
        "tensorflow/tensorflow/issues/20091 coin-or/CppAD/issues/8",
        "the quotient is not taken, and its denominator is 0",
        lambda m, x: m.where(x[2] > 0.0, x[0] / x[1], x[0]),
        at(2, 0, -1, near=lambda m, x, y, z: x),
        at(2, 4, 1, near=lambda m, x, y, z: x / y),
    ),
    case(
        "where of a * log",
        "tensorflow/tensorflow/issues/27684",
        "the slope in a factor of a logarithm that is not taken",
        lambda m, x: m.where(x[1] >= 0.0, x[0] * m.log(x[1]), 0.0),
        at(1, -2, near=lambda m, x, y: m.mpf(0)),
        at(1, 2, near=lambda m, x, y: x * m.log(y)),
    ),
    case(
        "if_else of sqrt",
        "casadi/casadi/issues/1805 casadi/casadi/issues/1878",
        "if_else(x > 0, sqrt(x), 0) and its second derivative",
        lambda m, x: m.where(x[0] > 0.0, m.sqrt(x[0]), 0.0),
        at(-3, near=lambda m, x: m.mpf(0)),
        at(1, near=lambda m, x: m.sqrt(x)),
    ),
    case(
        "if_else of a power",
        "casadi/casadi/issues/1878",
        "if_else(x > 0, x ** 0.5, 0) left of 0",
        lambda m, x: m.where(x[0] > 0.0, x[0] ** 0.5, 0.0),
        at(-1, near=lambda m, x: m.mpf(0)),
        at(1, near=lambda m, x: m.sqrt(x)),
    ),
    case(
        "elu far right",
        "EnzymeAD/Enzyme.jl/issues/2285",
        "the exponential of the arm that is not taken overflows",
        lambda m, x: m.where(x[0] > 0.0, x[0], m.exp(x[0]) - 1.0),
        at(1000, near=lambda m, x: x),
        at(-1, near=lambda m, x: m.expm1(x)),
    ),
    case(
        "cosine of a length",
        "joaoleal/CppADCodeGen/issues/74",
        "cos(r) where r > 0, else 1",
        lambda m, x: m.where(m.norm(x) > 0.0, m.cos(m.norm(x)), 1.0),
        at(0, 0, near=lambda m, x, y: m.mpf(1), orders=1),
        at(1, 2, near=lambda m, x, y: m.cos(m.sqrt(x * x + y * y))),
    ),
    case(
        "softmax with masked logits",
        "tensorflow/tensorflow/issues/11756",
        "logits masked by -inf, then softmax",
        lambda m, x: m.softmax(m.each(lambda v: m.where(v > 0.0, v, -inf), x))[0],
        at(1, -1, 2, near=lambda m, x, y, z: 1 / (1 + m.exp(z - x))),
    ),
    case(
        "logsumexp of -inf alone",
        "jax-ml/jax/issues/6811 pytorch/pytorch/issues/31829",
        "logsumexp(-inf, x - inf) is log(0 + 0), whatever x is",
        lambda m, x: m.logsumexp(m.vec([x[0] * 0.0 - inf, x[0] - inf])),
        at(1, near=lambda m, x: -m.inf),
    ),
    case(
        "potential with a cut-off",
        "jax-ml/jax/issues/18562",
        "nested wheres over a distance that is 0",
        lambda m, x: _well(m, m.norm(x)),
        at(0, 0, near=lambda m, x, y: 3 - x * x - y * y),
        at(1, 0.5, near=lambda m, x, y: (x * x + y * y) ** -3 * (0.5 * (x * x + y * y) ** -3 - 1)),
        at(3, 0, near=lambda m, x, y: m.mpf(0)),
    ),
    case(
        "squares without the nans",
        "jax-ml/jax/issues/9040",
        "the mean of x ** 2, where x is not nan",
        lambda m, x: m.sum(m.each(lambda v: m.where(m.equal(v, v), v**2, 0.0), x)) / 2.0,
        at(nan, 1, 2, near=lambda m, x, y, z: (y * y + z * z) / 2),
    ),
    case(
        "exprel",
        "chaobrain/saiunit/pull/114",
        "(exp(x) - 1) / x with a series near 0, whose other arm is 0 / 0",
        lambda m, x: _exprel(m, x[0]),
        at(0, near=_exprel_truth),
        at(1, near=_exprel_truth),
    ),
    case(
        "logarithms, masked after",
        "tensorflow/tensorflow/issues/38349 tensorflow/tensorflow/pull/38467",
        "all logarithms are taken, and those of what is not positive masked",
        _log_in_where,
        at(1, 0, -2, near=lambda m, x, y, z: m.log(x)),
    ),
)
