"""The table of operators: each row's value, tangent and transpose, against numbers of the mathematics.

The numbers are those of closed forms, computed to 30 digits, and of sums over the grid of 101 nodes.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose import functional as F
from rose.ir.types import tuple_of

from .functions import LINE, Curve, Surface, cos, cube, exp, kernel, product, sin, square, waves


def real(f: Callable[[Any], Any]) -> Any:
    return rose.fn([Real], Real)(f)


@fn
def bell(r: Vec[3]) -> Real:
    return rose.exp(-rose.dot(r, r))


@fn
def matrix(v: Vec[3]) -> Vec[2]:
    return [v[0] + 2 * v[1] + 3 * v[2], 4 * v[0] + 5 * v[1] + 6 * v[2]]


@fn
def linear(x: Real) -> Real:
    return x


@fn
def digits(a: Real, b: Real, c: Real) -> Real:
    return a + 10 * b + 100 * c


@F.functional
def slope(f: Curve) -> Curve:
    return F.nabla(f)


@F.functional
def gradient(f: F.Map[Real, Vec[3]]) -> F.Map[Vec[3], Vec[3]]:
    return F.nabla(f)


@F.functional
def both(f: Curve, g: Curve) -> Curve:
    return f(g)


@F.functional
def inner(g: Curve) -> Curve:
    return sin(g)


@F.functional
def outer(f: Curve) -> Curve:
    return f(square)


@F.functional
def shared(g: Curve) -> Curve:
    return product(g, square, share_inputs=True)


@F.functional
def unshared(g: Curve) -> Surface:
    return product(g, square).on(LINE, LINE)


@F.functional
def linearised(f: Curve) -> Surface:
    return F.linearize(f)


@F.functional
def linearised_on_a_grid(f: Curve) -> Surface:
    return F.linearize(f).on(None, F.Grid.gauss_legendre(-8.0, 8.0, 80))


@F.functional
def integral(f: Curve) -> Real:
    return F.integrate(f, LINE)


@F.functional
def integral_in_part(f: Surface) -> Curve:
    return F.integrate(f, LINE, argnums=1)


@F.functional
def spread(f: Curve) -> Surface:
    return F.broadcast_arg(f, kernel.on(LINE, LINE), 1)


@F.functional
def inverted(f: Curve) -> Curve:
    return F.compose(f, exp, inverse=lambda x: rose.log(x))


@fn
def both_ways(x: Real, v: Vec[2]) -> tuple_of(Real, Vec[2]):
    return x * v[0], [rose.sin(x * v[1]), x]


@pytest.mark.parametrize("ks", [(0,), (0, 1), (1, 0), [-1]])
@pytest.mark.parametrize("f", [waves, both_ways, F.zip_functions(sin, cos)])
def test_a_jacobian_in_several_arguments_is_that_of_jacfwd(f: Any, ks: Any):
    given = [0.5, [1.0, 2.0]] if f is both_ways else [0.5, 2.0][: len(f.types)]
    if len(ks) <= len(f.types):
        found, want = F.nabla(f, ks), rose.jacfwd(f, ks)
        assert found.result is want.result and repr(found(*given)) == repr(want(*given))
        assert repr(F.nabla(found, 0)(*given)) == repr(rose.jacfwd(want, 0)(*given))


def test_a_jacobian_in_several_arguments_of_a_tuple_is_transposed():
    @F.functional
    def energy(f: F.Map[tuple_of(Real, Vec[2]), Real, Real]) -> Real:
        (a, b), (c, d) = [F.split(part) for part in F.split(F.nabla(f, (0, 1)))]  # results outside, arguments inside
        return F.integrate(a * b + F.pointwise(rose.dot, c, d), LINE)

    f = rose.fn([Real, Real], tuple_of(Real, Vec[2]))(lambda x, y: (x**2 * y**2, [x * y**3, 1.0]))
    u, v = rose.grad(energy)(f)(0.5, 0.3)  # minus twice the mixed derivative
    assert u == pytest.approx(-2.0 * 4.0 * 0.5 * 0.3) and v == pytest.approx([-2.0 * 3.0 * 0.3**2, 0.0])


@fn
def sums(x: Real, y: Real) -> Real:
    return 2 * x + 3 * y


@F.functional
def transposed(f: Surface) -> F.Map[tuple_of(Real, Real), Real]:
    return F.linear_transpose(f, argnums=(0, 1))


@F.functional
def at_a_node(f: Curve) -> Real:
    return F.integrate(f.on(LINE) * f, LINE) + f.on(LINE)(0.5)


ROWS: dict[str, tuple[Callable[[], Any], Any]] = {
    "nabla": (lambda: F.nabla(sin)(0.7), 0.7648421872844885),
    "nabla twice": (lambda: F.nabla(F.nabla(sin))(0.7), -0.644217687237691),
    "nabla of argument 1": (lambda: F.nabla(waves, argnums=1)(0.7, 1.3), 1.6749659868179967),
    "nabla of both": (lambda: F.nabla(waves, argnums=(0, 1))(0.7, 1.3), (1.2925832965107857, 1.6749659868179967)),
    "nabla of points": (
        lambda: F.nabla(bell)([0.1, 0.2, 0.3]), (-0.1738716470797612, -0.3477432941595224, -0.5216149412392835)
    ),
    "nabla backwards": (lambda: F.nabla(sin, method=rose.jacrev)(0.7), 0.7648421872844885),
    "nabla, transposed": (lambda: rose.linear_transpose(slope)(exp)(0.7), -2.013752707470476),
    "minus the Laplacian": (
        lambda: rose.linear_transpose(gradient)(F.nabla(bell))([0.1, 0.2, 0.3]), 4.729308800569504
    ),
    "nabla, pulled back": (lambda: rose.vjp(slope)(sin).grad(sin)(0.7), -0.7648421872844885),
    "nabla, pushed": (lambda: rose.jvp(slope)(sin, square).du(0.7), 1.4),
    "compose": (lambda: F.compose(sin, square)(0.7), 0.470625888171158),
    "compose, pushed": (lambda: rose.jvp(both)(sin, square, cos, exp).du(0.7), 2.6591330415264185),
    "compose, pushed inside": (lambda: rose.jvp(inner)(square, exp).du(0.7), 1.776800182916297),
    "compose, pulled back inside": (lambda: rose.vjp(inner)(square).grad(exp)(0.7), 1.776800182916297),
    "compose, pushed outside": (lambda: rose.jvp(outer)(sin, cos).du(0.7), 0.8823328586101215),
    "compose, of arguments in a row": (lambda: F.compose(product, sin, square)(0.7, 1.3), 1.0887278914316978),
    "compose, of shared ones": (lambda: product(sin, square, share_inputs=True)(0.7), 0.3156666667464686),
    "compose, shared, pulled back": (lambda: rose.vjp(shared)(sin).grad(exp)(0.7), 0.9867388266605334),
    "compose, not shared, pulled back": (  # the integral over the other argument
        lambda: rose.vjp(unshared)(sin).grad(kernel)(0.7),
        math.fsum(w * y * y * (math.sin(0.7) + math.cos(y)) for y, w in zip(LINE.nodes, LINE.weights, strict=True)),
    ),
    "compose, with an inverse": (
        lambda: rose.vjp(inverted)(sin).grad(real(lambda x: rose.exp(-x * x)))(2.0), 0.309251568900788
    ),
    "linearize": (lambda: F.linearize(sin)(0.7, 0.3), 0.22945265618534655),
    "linearize in both": (lambda: F.linearize(waves, (0, 1))(0.7, 1.3, 0.3, 0.5), 1.225257982362234),
    "linearize, pushed": (lambda: rose.jvp(linearised)(sin, square).du(0.7, 0.3), 0.42),
    "linearize, pulled back": (
        lambda: rose.vjp(linearised_on_a_grid)(sin).grad(
            rose.fn([Real, Real], Real)(lambda x, d: rose.sin(x) * d * rose.exp(-d * d))
        )(0.7),
        -0.6778237400936947,
    ),
    "linear_transpose": (lambda: F.linear_transpose(matrix)([1, -1]), (-3.0, -3.0, -3.0)),
    "linear_transpose twice": (lambda: F.linear_transpose(F.linear_transpose(matrix))([1, 0, -1]), (-2.0, -2.0)),
    "linear_transpose, unpacked": (
        lambda: F.linear_transpose(F.zip_functions(3.0 * linear, 5.0 * linear), unpack=True)(1.0, 2.0),
        13.0,
    ),
    "linear_transpose in both": (lambda: transposed(sums)(1.5), (3.0, 4.5)),
    "linear_transpose in both, pushed": (lambda: rose.jvp(transposed)(sums, 2.0 * sums).du(1.5), (6.0, 9.0)),
    "linear_transpose in both, pulled back": (
        lambda: rose.vjp(transposed)(sums).grad(F.zip_functions(linear, 2.0 * linear))(1.0, 2.0), 5.0
    ),
    "permute_args": (lambda: F.permute_args(digits, (2, 0, 1))(1, 2, 3), 132.0),
    "zip_functions": (lambda: F.zip_functions(sin, cos)(0.7), (0.644217687237691, 0.7648421872844885)),
    "zip_functions, not shared": (
        lambda: F.zip_functions(sin, cos, share_inputs=False)(0.7, 1.3), (0.644217687237691, 0.26749882862458740699)
    ),
    "split": (lambda: F.split(F.zip_functions(sin, cos))[1](0.7), 0.7648421872844885),
    "broadcast_arg": (lambda: F.broadcast_arg(sin, waves, 1)(0.7, 1.3), 0.963558185417193),
    "broadcast_arg, pulled back": (lambda: rose.vjp(spread)(sin).grad(kernel)(0.7), 1.2245360505958465),
    "integrate": (lambda: F.integrate(sin, LINE), 0.4596938633113578),
    "integrate in part": (lambda: F.integrate(kernel, LINE, argnums=1)(0.7), 1.4856816597756937),
    "integrate over both": (lambda: F.integrate(kernel, LINE, argnums=(0, 1)), 1.3011578358493607),
    "integrate, pushed": (lambda: rose.jvp(integral)(sin, cos).du, 0.8414639725380026),
    "integrate, pulled back": (lambda: rose.vjp(integral)(sin).grad(2.5)(0.123), 2.5),
    "integrate in part, pulled back": (
        lambda: rose.vjp(integral_in_part)(kernel).grad(sin)(0.7, 0.2), 0.644217687237691
    ),
    "braket": (lambda: F.braket(sin, cos, LINE), 0.3540249078344721),
    "partial": (lambda: F.partial(waves, (1.3,), argnums=1)(0.7), 1.0887278914316978),
    "partial, at a node": (lambda: rose.grad(at_a_node)(sin)(0.5), 2.0 * math.sin(0.5) + 100.0),
    "partial, beside it": (lambda: rose.grad(at_a_node)(sin)(0.51), 2.0 * math.sin(0.51)),
    "invoke": (lambda: F.invoke(sin, 0.7), 0.644217687237691),
    "add": (lambda: F.add(sin, cos, exp)(0.7), 0.644217687237691 + 0.7648421872844885 + 2.0137527074704766),
    "constant": (lambda: F.constant(2.5, [Real, Real])(0.1, 0.2), 2.5),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_row_has_the_number_of_the_mathematics(name: str):
    found, want = ROWS[name][0](), ROWS[name][1]
    np.testing.assert_allclose(np.ravel(found), np.ravel(want), rtol=1e-12)


def energy(density: Callable[[Any], Any]) -> Any:
    @F.functional
    def total(f: Curve) -> Real:
        return F.integrate(density(f), LINE)

    return total


DERIVATIVES: dict[str, tuple[Callable[[Any], Any], Any, float, float]] = {
    "exp(f)": (lambda f: rose.exp(f), real(lambda x: -x * x), 1.0, 0.36787944117144233),
    "f^2": (lambda f: f**2, sin, 0.7, 1.288435374475382),
    "length": (lambda f: rose.sqrt(1 + F.nabla(f) ** 2), sin, 0.7, 0.3228460645425418),
    "f^2 + f'^2": (lambda f: f**2 + F.nabla(f) ** 2, sin, 0.7, 2.576870748950764),
    "f''^2": (lambda f: F.nabla(F.nabla(f)) ** 2, sin, 0.7, 1.288435374475382),
    "f^2 f', a null Lagrangian": (lambda f: f**2 * F.nabla(f), sin, 0.7, 0.0),
    "exp(-f) sin(f')": (lambda f: rose.exp(-f) * rose.sin(F.nabla(f)), cube, 0.7, 2.364285838136497),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_functional_derivative_is_that_of_euler_and_lagrange(name: str):
    density, f, x, want = DERIVATIVES[name]
    assert rose.grad(energy(density))(f)(x) == pytest.approx(want, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("density", "want"), [("length", 0.6843864460144486), ("f^3", 2.956349189965381)])
def test_second_derivatives_along_a_direction(density: str, want: float):
    of = energy((lambda f: f**3) if density == "f^3" else DERIVATIVES[density][0])
    assert rose.jvp(rose.grad(of))(sin, cos).du(0.7) == pytest.approx(want, rel=1e-12)
    assert rose.hvp(of)(sin, cos)(0.7) == pytest.approx(want, rel=1e-12)


@F.functional
def interaction(f: Curve, k: Surface) -> Real:
    return F.integrate(F.broadcast_arg(f, k, 0) * k * F.broadcast_arg(f, k, 1), (LINE, LINE))


def test_a_nonlocal_functional_has_a_derivative_in_its_function_and_in_its_kernel():
    near = rose.fn([Real, Real], Real)(lambda y, x: rose.exp(-((y - x) ** 2)))
    assert rose.grad(interaction)(sin, near)(0.7) == pytest.approx(0.8696229419888593, rel=1e-12)
    assert rose.grad(interaction, 1)(sin, near)(0.7, 0.2) == pytest.approx(0.12798629680985413, rel=1e-12)


def test_a_parameter_of_the_program_is_differentiated_through_a_functional():
    @fn
    def loss(a: Real, b: Real) -> Real:
        return F.nabla(rose.fn([Real], Real)(lambda x: rose.sin(a + x)))(b)

    assert loss(1.0, 2.0) == pytest.approx(math.cos(3.0), rel=1e-14)
    assert rose.grad(loss)(1.0, 2.0) == pytest.approx(-math.sin(3.0), rel=1e-14)


def test_bound_values_are_trained():
    @fn
    def loss(a: Real) -> Real:
        return F.integrate(F.partial(waves, (a,), argnums=1) ** 2, LINE)

    whole = math.fsum(w * math.sin(x) ** 2 for x, w in zip(LINE.nodes, LINE.weights, strict=True))
    assert rose.grad(loss)(1.3) == pytest.approx(4.0 * 1.3**3 * whole, rel=1e-12)


def test_a_bound_value_has_a_cotangent_that_is_an_integral():
    @F.functional
    def bound(a: Real) -> Curve:
        return F.partial(waves, (a,), argnums=1).on(LINE)

    want = math.fsum(2.6 * w * math.sin(x) * math.exp(x) for x, w in zip(LINE.nodes, LINE.weights, strict=True))
    assert rose.vjp(bound)(1.3).grad(exp) == pytest.approx(want, rel=1e-12)


@rose.struct
class Pair:
    a: Real
    b: Vec[2]


@fn
def pair(x: Real) -> Pair:
    return Pair(rose.sin(x), [x, x * x])


def test_structs_and_vectors_pass_through_every_operator():
    first = rose.fn([Pair], Real)(lambda p: p.a * p.b[0] + p.b[1])
    assert F.nabla(pair)(0.7).b == pytest.approx([1.0, 1.4])
    assert F.integrate(pair, LINE).b == pytest.approx([0.5, 0.33335], rel=1e-4)
    assert F.nabla(first(pair))(0.7) == pytest.approx(math.cos(0.7) * 0.7 + math.sin(0.7) + 1.4)

    @F.functional
    def total(f: F.Map[Pair, Real]) -> Real:
        return F.integrate(first(f), LINE)

    found = rose.grad(total)(pair)(0.7)
    assert (found.a, *found.b) == pytest.approx((0.7, math.sin(0.7), 1.0))

    @F.functional
    def moved(f: F.Map[Pair, Real]) -> F.Map[Pair, Real]:
        return F.nabla(f)

    back = rose.vjp(moved)(pair).grad(pair)(0.7)
    assert (back.a, *back.b) == pytest.approx((-math.cos(0.7), -1.0, -1.4))


POINTS = F.Grid([[0.0, 0.0], [1.0, 0.0], [0.5, 0.5]], [0.2, 0.3, 0.5])


@F.functional
def at_a_point(f: F.Map[Real, Vec[2]]) -> Real:
    return f.on(POINTS)([0.5, 0.5]) ** 2 + F.integrate(f, POINTS)


@F.functional
def vector_at_a_node(f: F.Map[Vec[2], Real]) -> Real:
    found = f.on(F.Grid.trapezoid(0.0, 1.0, 5))(0.5)
    return rose.dot(found, found)


def test_a_discrete_delta_is_that_of_points_and_of_functions_to_vectors():
    plane = rose.fn([Vec[2]], Real)(lambda r: r[0] + 2.0 * r[1])
    slope = rose.grad(at_a_point)(plane)
    assert (slope([0.5, 0.5]), slope([0.0, 0.0])) == pytest.approx((2.0 * 1.5 / 0.5 + 1.0, 1.0))
    assert rose.compile(slope)([0.5, 0.5]) == slope([0.5, 0.5])
    places = rose.fn([Real], Vec[2])(lambda x: [x, x * x])
    assert rose.grad(vector_at_a_node)(places)(0.5) == pytest.approx([2.0 * 0.5 / 0.25, 2.0 * 0.25 / 0.25])
    assert rose.hvp(vector_at_a_node)(places, places)(0.5) == pytest.approx([4.0, 2.0])


@rose.struct
class Body:
    mass: Real
    place: Vec[2]


@F.functional
def motion(q: F.Map[Body, Real]) -> Real:
    density = rose.fn([Body, Body], Real)(
        lambda b, d: b.mass * rose.dot(d.place, d.place) / 2 + rose.sin(b.place[0] * b.place[1])
    )
    return F.integrate(density(q, F.nabla(q), share_inputs=True), LINE)


def test_a_functional_of_structs_has_second_derivatives_that_compile():
    def times(s: float) -> Any:
        return rose.fn([Real], Body)(lambda t: Body(s * (1.0 + t), [s * rose.sin(t), s * t * t]))

    path = times(1.0)
    ends = [rose.grad(motion)(times(s))(0.3) for s in (1.0 + 1e-6, 1.0 - 1e-6)]
    found = rose.hvp(motion)(path, path)(0.3)
    want = [(x - y) / 2e-6 for x, y in zip(*[(e.mass, *e.place) for e in ends], strict=True)]
    assert (found.mass, *found.place) == pytest.approx(want, rel=1e-7)
    again = rose.compile(rose.hvp(motion)(path, path))(0.3)
    assert (again.mass, *again.place) == (found.mass, *found.place)
