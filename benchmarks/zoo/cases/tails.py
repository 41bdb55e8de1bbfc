"""Smooth functions where their formulas overflow, cancel, or are 0 / 0."""

from ..spec import at, case


def _softplus_by_hand(m, x):
    return m.max(x, 0.0) + m.log1p(m.exp(-m.abs(x)))


def _normalised(m, *x):
    mean = sum(x) / len(x)
    spread = m.sqrt(sum((v - mean) ** 2 for v in x) / len(x) + m.mpf(10) ** -5)
    return sum((k + 1) * (v - mean) / spread for k, v in enumerate(x))


CASES = (
    case(
        "softplus at 0",
        "jax-ml/jax/issues/2107",
        "the tool's own softplus has slope 1/2 at 0",
        lambda m, x: m.softplus(x[0]),
        at(0, near=lambda m, x: m.log1p(m.exp(x))),
    ),
    case(
        "softplus by max and abs",
        "FluxML/NNlib.jl/pull/679 jax-ml/jax/issues/2107",
        "max(x, 0) + log1p(exp(-abs(x))), whose kinks cancel at 0",
        lambda m, x: _softplus_by_hand(m, x[0]),
        at(0, near=lambda m, x: m.log1p(m.exp(x))),
        at(1, near=lambda m, x: m.log1p(m.exp(x))),
    ),
    case(
        "softplus far right",
        "tracel-ai/burn/issues/5373",
        "softplus(1000) is 1000, with slope 1",
        lambda m, x: m.softplus(x[0]),
        at(1000, near=lambda m, x: x, orders=1),
    ),
    case(
        "curvature of softplus",
        "jax-ml/jax/issues/40387",
        "far right it is exp(-x)",
        lambda m, x: m.softplus(x[0]),
        at(37.42994775023705, near=lambda m, x: m.log1p(m.exp(x))),
    ),
    case(
        "curvature of log sigmoid",
        "pytorch/pytorch/issues/195530",
        "it is even: at 40 as at -40",
        lambda m, x: m.log_sigmoid(x[0]),
        at(-40, near=lambda m, x: -m.log1p(m.exp(-x))),
        at(40, near=lambda m, x: -m.log1p(m.exp(-x))),
    ),
    case(
        "log sigmoid at 0",
        "jax-ml/jax/issues/2140",
        "slope 1/2",
        lambda m, x: m.log_sigmoid(x[0]),
        at(0, near=lambda m, x: -m.log1p(m.exp(-x))),
    ),
    case(
        "sigmoid far left",
        "jeshraghian/snntorch/pull/433 clab/dynet/issues/1525",
        "the exponential of a logistic function overflows",
        lambda m, x: m.sigmoid(25.0 * x[0]),
        at(-40, near=lambda m, x: 0 * x),
        at(0, near=lambda m, x: 1 / (1 + m.exp(-25 * x))),
    ),
    case(
        "logaddexp of equal numbers",
        "keras-team/keras/pull/23616",
        "half to each",
        lambda m, x: m.logaddexp(x[0], x[1]),
        at(1, 1, near=lambda m, x, y: m.log(m.exp(x) + m.exp(y))),
    ),
    case(
        "sinc at 0",
        "pytorch/pytorch/issues/196703",
        "sin(pi x) / (pi x), whose curvature at 0 is -pi ** 2 / 3",
        lambda m, x: m.sinc(x[0]),
        at(0, near=lambda m, x: m.sincpi(x)),
        at(0.5, near=lambda m, x: m.sincpi(x)),
    ),
    case(
        "Bessel's I0 at 0",
        "jax-ml/jax/issues/40627",
        "its curvature is 1/2",
        lambda m, x: m.i0(x[0]),
        at(0, near=lambda m, x: m.besseli(0, x)),
        at(1, near=lambda m, x: m.besseli(0, x)),
    ),
    case(
        "incomplete gamma at 0",
        "tensorflow/tensorflow/issues/123578",
        "igamma(1, x) is 1 - exp(-x)",
        lambda m, x: m.igamma1(x[0]),
        at(0, near=lambda m, x: 1 - m.exp(-x), orders=1),
        at(1, near=lambda m, x: 1 - m.exp(-x)),
    ),
    case(
        "digamma left of 0",
        "jax-ml/jax/issues/37635 jax-ml/jax/pull/35307",
        "the derivative of digamma at -16.5 is 9.81",
        lambda m, x: m.digamma(x[0]),
        at(-16.5, near=lambda m, x: m.digamma(x)),
        at(2.5, near=lambda m, x: m.digamma(x)),
    ),
    case(
        "asinh far out",
        "jax-ml/jax/issues/40634",
        "its slope at x is 1 / x, where x ** 2 overflows",
        lambda m, x: m.asinh(x[0]),
        at(1e200, near=lambda m, x: m.asinh(x), orders=1),
    ),
    case(
        "asinh far left",
        "tinygrad/tinygrad/pull/17749",
        "log(x + sqrt(x * x + 1)) cancels",
        lambda m, x: m.asinh(x[0]),
        at(-1e10, near=lambda m, x: m.asinh(x)),
    ),
    case(
        "logarithm of a normal tail",
        "stan-dev/stan/issues/1424 stan-dev/math/issues/3401",
        "the logarithm of the normal distribution function, 40 deviations out",
        lambda m, x: m.log_ndtr(x[0]),
        at(-40, near=lambda m, x: m.log(m.erfc(-x / m.sqrt(2)) / 2)),
        at(0, near=lambda m, x: m.log(m.erfc(-x / m.sqrt(2)) / 2)),
    ),
    case(
        "normalised layer",
        "pytorch/pytorch/issues/186256",
        "mean 0 and variance 1, to third order",
        lambda m, x: m.sum(m.each(lambda w, v: w * v, m.constants([1.0, 2.0, 3.0]), m.layer_norm(x, 1e-5))),
        at(0.3, -1.2, 2, near=_normalised),
    ),
)
