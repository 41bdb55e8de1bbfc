"""Powers, products and remainders at 0 and below it."""

from ..spec import at, case


def _power(m, x, n):
    return m.pow(x[0], m.stop(x[1] * 0.0 + n))


CASES = (
    case(
        "0 ** b, by b",
        "pytorch/pytorch/issues/27134",
        "0 ** b is 0 for each b > 0",
        lambda m, x: m.pow(m.stop(x[1]), x[0]),
        at(1, 0, near=lambda m, b, a: m.mpf(0)),
        at(2, 3, near=lambda m, b, a: m.mpf(3) ** b),
    ),
    case(
        "x ** 0",
        "pytorch/pytorch/issues/8940",
        "x ** 0 is 1",
        lambda m, x: x[0] ** 0,
        at(0, near=lambda m, x: m.mpf(1)),
        at(2, near=lambda m, x: m.mpf(1)),
    ),
    case(
        "polynomial by powers",
        "jax-ml/jax/issues/14397",
        "the sum of x ** [0, 1, 2]",
        lambda m, x: m.powers(x[0], 3),
        at(0, near=lambda m, x: 1 + x + x * x),
        at(2, near=lambda m, x: 1 + x + x * x),
    ),
    case(
        "(x - floor(x)) ** 0",
        "jax-ml/jax/issues/12409",
        "a power 0 of what is 0",
        lambda m, x: (x[0] - m.floor(x[0])) ** 0,
        at(1, near=lambda m, x: m.mpf(1)),
    ),
    case(
        "x ** y at y = 0",
        "jax-ml/jax/issues/12033",
        "the mixed second derivative of a power",
        lambda m, x: m.pow(x[0], x[1]),
        at(23, 0, near=lambda m, x, y: x**y),
        at(2, 3, near=lambda m, x, y: x**y),
    ),
    case(
        "x ** 1.0, at 0",
        "stan-dev/math/issues/3031",
        "a real exponent that is 1: the slope is 1",
        lambda m, x: _power(m, x, 1.0),
        at(0, 0, near=lambda m, x, y: x),
        at(-2, 0, near=lambda m, x, y: x),
    ),
    case(
        "x ** 2.0, at 0",
        "stan-dev/math/issues/3031 torch/nn/issues/170",
        "a real exponent that is 2: the curvature is 2",
        lambda m, x: _power(m, x, 2.0),
        at(0, 0, near=lambda m, x, y: x * x),
        at(-2, 0, near=lambda m, x, y: x * x),
    ),
    case(
        "x ** 1.5, at 0",
        "tinygrad/tinygrad/issues/12409",
        "flat at 0",
        lambda m, x: x[0] ** 1.5,
        at(0, near=lambda m, x: m.mpf(0), orders=1),
        at(4, near=lambda m, x: x ** m.mpf(1.5)),
    ),
    case(
        "product with a zero",
        "pytorch/pytorch/issues/773",
        "the product of (2, 3, 0)",
        lambda m, x: m.prod(x),
        at(2, 3, 0, near=lambda m, x, y, z: x * y * z),
    ),
    case(
        "product with two zeros",
        "pytorch/pytorch/issues/106789",
        "its gradient is 0, and its Hessian is not",
        lambda m, x: m.prod(x),
        at(3, 0, 0, near=lambda m, x, y, z: x * y * z),
    ),
    case(
        "cumulative product",
        "tensorflow/tensorflow/issues/119430 tensorflow/tensorflow/issues/3862 tracel-ai/burn/issues/3864",
        "of vectors that hold zeros, summed",
        lambda m, x: m.sum(m.cumprod(x)),
        at(0, 2, 3, near=lambda m, x, y, z: x + x * y + x * y * z),
        at(2, 0, 0, near=lambda m, x, y, z: x + x * y + x * y * z),
    ),
    case(
        "cumulative product, squared",
        "Theano/Theano/issues/5197",
        "the sum of squares of the cumulative product of (1, 0)",
        lambda m, x: m.sum(m.each(lambda v: v * v, m.cumprod(x))),
        at(1, 0, near=lambda m, x, y: x**2 + (x * y) ** 2),
    ),
    case(
        "cumulative product along a line",
        "pytorch/pytorch/issues/196701",
        "its second derivative where a factor is 0",
        lambda m, x: m.sum(
            m.each(
                lambda w, v: w * v,
                m.constants([4.0, 5.0, 6.0]),
                m.cumprod(m.vec([x[0] - 1.0, 2.0 * x[0] + 1.0, x[0] + 3.0])),
            )
        ),
        at(1, near=lambda m, t: 4 * (t - 1) + 5 * (t - 1) * (2 * t + 1) + 6 * (t - 1) * (2 * t + 1) * (t + 3)),
    ),
    case(
        "remainder, as in C",
        "jax-ml/jax/issues/11466 shader-slang/slang/issues/10071",
        "fmod(x, y) by both",
        lambda m, x: m.fmod(x[0], x[1]),
        at(-19, 3, near=lambda m, x, y: x + 6 * y),
        at(5.5, 2, near=lambda m, x, y: x - 2 * y),
    ),
    case(
        "remainder, as in Python",
        "jax-ml/jax/issues/11466",
        "x mod y, below 0",
        lambda m, x: m.mod(x[0], x[1]),
        at(-19, 3, near=lambda m, x, y: x + 7 * y),
    ),
    case(
        "x log y, at x = 0",
        "EnzymeAD/Enzyme.jl/issues/1601 chalk-lab/Mooncake.jl/issues/1310",
        "the slope in x is log y",
        lambda m, x: m.xlogy(x[0], x[1]),
        at(0, 3, near=lambda m, x, y: x * m.log(y)),
        at(2, 3, near=lambda m, x, y: x * m.log(y)),
    ),
    case(
        "copysign",
        "chalk-lab/Mooncake.jl/issues/1195",
        "copysign(x, 3) left of 0",
        lambda m, x: m.copysign(x[0], 3.0),
        at(-5, near=lambda m, x: -x),
        at(5, near=lambda m, x: x),
    ),
)
