"""Derivatives in derivatives, and rules that users write."""

from ..spec import at, case


def _cube(m, x):
    """x ** 3 with a rule by hand, whose square has a rule by hand too."""
    square = m.custom(lambda v: v * v, lambda v: 2.0 * v)
    return m.custom(lambda v: v * v * v, lambda v: 3.0 * square(v))(x[0])


CASES = (
    case(
        "D(x -> x * D(y -> x * y))",
        "JuliaDiff/ReverseDiff.jl/issues/45",
        "perturbation confusion: it is x * x",
        lambda m, x: x[0] * m.grad(lambda y: x[0] * y, 1.0),
        at(4, near=lambda m, x: x * x),
    ),
    case(
        "D(x -> x * D(y -> x + y))",
        "JuliaDiff/ForwardDiff.jl/issues/83",
        "perturbation confusion: it is x",
        lambda m, x: x[0] * m.grad(lambda y: x[0] + y, 1.0),
        at(1, near=lambda m, x: x),
    ),
    case(
        "the same inner function twice",
        "JuliaDiff/ForwardDiff.jl/issues/443",
        "an inner derivative, of which the first is dropped",
        lambda m, x: m.grad(lambda y: x[0] * m.grad(lambda z: x[0] * y * z, 1.0), 1.0),
        at(3, near=lambda m, x: x * x),
    ),
    case(
        "gradient inside of a loss",
        "FluxML/Zygote.jl/issues/937",
        "the slope of 1 - a ** 2 - b ** 2, differentiated",
        lambda m, x: m.grad(lambda v: 1.0 - v * v - (v - 0.5) * (v - 0.5), x[0]),
        at(1, near=lambda m, x: 1 - 4 * x),
    ),
    case(
        "inner and outer parameters",
        "JuliaDiff/ForwardDiff.jl/issues/423",
        "a mixed derivative by nesting",
        lambda m, x: m.grad(lambda p: x[0] ** 2 * x[1] ** 2 * p**2, 4.0),
        at(2, 3, near=lambda m, x, y: 8 * x**2 * y**2),
    ),
    case(
        "rule that does not call its function",
        "jax-ml/jax/issues/28805",
        "a rule x * dx: the second derivative is 1",
        lambda m, x: m.custom(lambda v: v * v * 0.5, lambda v: v)(x[0]),
        at(3, near=lambda m, x: x * x / 2),
    ),
    case(
        "rule with what it saved",
        "pytorch/pytorch/issues/76185",
        "f(x) = 6 x, with a rule 3 * (2 x) / x: its derivative is 0",
        lambda m, x: m.custom(lambda v: 6.0 * v, lambda v: 3.0 * (2.0 * v) / v)(x[0]),
        at(0.7, near=lambda m, x: 6 * x),
    ),
    case(
        "rule in a rule",
        "jax-ml/jax/issues/21220",
        "x ** 3, whose derivative has a rule of its own",
        _cube,
        at(2, near=lambda m, x: x**3),
    ),
    case(
        "product rule by hand",
        "pytorch/pytorch/issues/18619",
        "a rule that divides the result by the argument, evaluated twice",
        lambda m, x: m.custom(lambda v: v * v, lambda v: (v * v) / v * 2.0)(x[0]) * x[1],
        at(2, 3, near=lambda m, x, y: x * x * y),
    ),
)
