"""Lengths, deviations, ties, ends, and determinants of singular matrices."""

from ..spec import at, case


def _square(m, *x):
    return sum(v * v for v in x)


def _det2(m, a, b, c, d):
    return a * d - b * c


CASES = (
    case(
        "norm at 0",
        "jax-ml/jax/issues/3058 pytorch/pytorch/issues/2421 HIPS/autograd/issues/151",
        "a kink: each vector of length 1 or less is a subgradient",
        lambda m, x: m.norm(x),
        at(0, 0, near=(lambda m, x, y: x, lambda m, x, y: -x, lambda m, x, y: y, lambda m, x, y: -y)),
    ),
    case(
        "norm, squared",
        "jax-ml/jax/issues/21723 jax-ml/jax/issues/4177 HIPS/autograd/issues/617 jax-ml/jax/issues/5262",
        "norm(x) ** 2 is smooth at 0",
        lambda m, x: m.norm(x) ** 2,
        at(0, 0, near=_square),
        at(1, 2, near=_square),
    ),
    case(
        "exp of the norm, squared",
        "HIPS/autograd/issues/183",
        "exp(-norm(x) ** 2) is smooth at 0",
        lambda m, x: m.exp(-(m.norm(x) ** 2)),
        at(0, 0, near=lambda m, x, y: m.exp(-x * x - y * y)),
        at(1, 2, near=lambda m, x, y: m.exp(-x * x - y * y)),
    ),
    case(
        "norm of a multiple of 0",
        "jax-ml/jax/issues/26248",
        "norm(a * x) by a, where x is 0: 0",
        lambda m, x: m.norm(m.vec([x[0] * m.stop(x[1]), x[0] * m.stop(x[2])])),
        at(1.3, 0, 0, near=lambda m, a, x, y: m.mpf(0), orders=1),
    ),
    case(
        "deviation of equal numbers",
        "pytorch/pytorch/issues/4320 jax-ml/jax/issues/11716",
        "the standard deviation of (1, 1): a kink, |x - y| / 2",
        lambda m, x: m.std(x),
        at(1, 1, near=(lambda m, x, y: (x - y) / 2, lambda m, x, y: (y - x) / 2)),
    ),
    case(
        "deviation of one number",
        "tensorflow/tensorflow/issues/56830",
        "it is 0",
        lambda m, x: m.std(x),
        at(0.3, near=lambda m, x: m.mpf(0), orders=1),
    ),
    case(
        "maximum of equal numbers",
        "apache/mxnet/issues/18563",
        "the weights of a subgradient add up to 1",
        lambda m, x: m.amax(x),
        at(1, 1, 1, near=(lambda m, x, y, z: x, lambda m, x, y, z: y, lambda m, x, y, z: z)),
    ),
    case(
        "minimum of a number and itself",
        "Theano/Theano/issues/6470",
        "min(x, x) is x",
        lambda m, x: m.min(x[0], x[0] * 1.0),
        at(2, near=lambda m, x: x),
    ),
    case(
        "max(x, 0) + min(x, 0)",
        "jax-ml/jax/pull/2195",
        "it is x, at 0 too",
        lambda m, x: m.max(x[0], 0.0) + m.min(x[0], 0.0),
        at(0, near=lambda m, x: x),
    ),
    case(
        "clip at its end",
        "pytorch/pytorch/issues/7002 pytorch/pytorch/issues/184574",
        "a kink: any slope from 0 to 1",
        lambda m, x: m.clip(x[0], 0.0, 1.0),
        at(0, near=(lambda m, x: x, lambda m, x: m.mpf(0))),
        at(1, near=(lambda m, x: x, lambda m, x: m.mpf(1))),
    ),
    case(
        "abs at 0",
        "FluxML/Zygote.jl/pull/1632",
        "a kink: any slope from -1 to 1",
        lambda m, x: m.sum(m.each(m.abs, x)),
        at(0, 2, near=(lambda m, x, y: x + y, lambda m, x, y: y - x)),
    ),
    case(
        "prelu, by its slope",
        "tensorflow/tfjs/issues/1072",
        "the derivative by alpha, left of 0",
        lambda m, x: m.prelu(x[0], x[1]),
        at(-2, 0.25, near=lambda m, x, a: a * x),
        at(2, 0.25, near=lambda m, x, a: x),
    ),
    case(
        "angle near the origin",
        "pytorch/pytorch/issues/98276",
        "atan2 of numbers near 1e-13",
        lambda m, x: m.atan2(x[0], x[1]),
        at(1e-13, 5.6843e-14, near=lambda m, y, x: m.atan(y / x)),
    ),
    case(
        "angle on an axis",
        "coin-or/CppAD/issues/120 Hipparchus-Math/hipparchus/issues/411",
        "atan2(0, 1) and atan2(0.005, 0)",
        lambda m, x: m.atan2(x[0], x[1]),
        at(0, 1, near=lambda m, y, x: m.atan(y / x)),
        at(0.005, 0, near=lambda m, y, x: m.pi / 2 - m.atan(x / y)),
    ),
    case(
        "determinant, singular",
        "jax-ml/jax/issues/2380 pytorch/pytorch/issues/104675 tensorflow/tensorflow/issues/119477 "
        "HIPS/autograd/issues/549",
        "its gradient is the cofactors",
        lambda m, x: m.det2(x),
        at(1, 2, 2, 4, near=_det2, orders=1),
        at(0, 1, 0, 1, near=_det2, orders=1),
    ),
    case(
        "determinant, higher orders",
        "jax-ml/jax/issues/2821 pytorch/pytorch/issues/192540",
        "of a singular and of a regular matrix",
        lambda m, x: m.det2(x),
        at(0, 0, 0, 0, near=_det2),
        at(1.3, 0.4, -0.7, 0.9, near=_det2),
    ),
    case(
        "largest two",
        "ml-explore/mlx/issues/1428",
        "the sum of the largest two of five",
        lambda m, x: m.sum(m.largest(x, 2)),
        at(1, 2, 6, 4, 5, near=lambda m, a, b, c, d, e: c + e, orders=2),
    ),
)
