"""Grids: the rules of quadrature, against integrals that are known."""

import math
from typing import Any

import numpy as np
import pytest

import rose
from rose import OutOfRange, Real, TypeMismatch, Vec, fn
from rose import functional as F
from rose.frontend.annotations import as_type
from rose.functional import Grid

from .functions import exp, kernel, sin

RULES = {
    "trapezoid": (Grid.trapezoid(-1.0, 2.0, 20_001), 1e-8),
    "simpson": (Grid.simpson(-1.0, 2.0, 201), 1e-8),
    "gauss": (Grid.gauss_legendre(-1.0, 2.0, 12), 1e-14),
    "chebyshev": (Grid.chebyshev(-1.0, 2.0, 21), 1e-14),
    "monte carlo": (Grid.monte_carlo(-1.0, 2.0, 40_000, seed=1), 0.05),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_integrates_the_exponential(name: str):
    grid, tolerance = RULES[name]
    found = math.fsum(w * math.exp(x) for x, w in zip(grid.nodes, grid.weights, strict=True))
    assert found == pytest.approx(math.exp(2.0) - math.exp(-1.0), rel=tolerance)


@pytest.mark.parametrize("n", range(1, 8))
def test_gausss_rule_is_exact_for_polynomials_of_degree_2n_minus_1(n: int):
    grid = Grid.gauss_legendre(-1.0, 1.0, n)
    for power in range(2 * n):
        found = math.fsum(w * x**power for x, w in zip(grid.nodes, grid.weights, strict=True))
        assert found == pytest.approx(0.0 if power % 2 else 2.0 / (power + 1), abs=1e-14)


def test_a_product_of_grids_is_of_points():
    plane = Grid.gauss_legendre(0.0, 1.0, 3) * Grid.trapezoid(0.0, 2.0, 5)
    assert plane.type is Vec[2] and len(plane) == 15
    assert math.fsum(w * x * y for (x, y), w in zip(plane.nodes, plane.weights, strict=True)) == pytest.approx(1.0)
    assert (plane * plane).type is Vec[4] and Grid.trapezoid(0.0, 1.0, 2).type is Real


def test_random_nodes_are_the_same_for_the_same_seed():
    drawn = [Grid.monte_carlo(0.0, 1.0, 5, seed=s).nodes for s in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("wrong", [lambda: Grid.simpson(0.0, 1.0, 4), lambda: Grid.trapezoid(0.0, 1.0, 1)])
def test_a_rule_has_a_least_count_of_nodes(wrong: object):
    with pytest.raises(OutOfRange, match="nodes"):
        wrong()  # type: ignore[operator]


# grids that a program computes


@fn
def stretched(a: Real) -> Real:
    h = a / 4
    grid = F.Grid([h * k for k in range(5)], [h / 2, h, h, h, h / 2])
    return F.integrate(rose.exp(sin) * F.nabla(sin), grid)


n = rose.dim("n")


@fn
def any_rule(nodes: Vec[n], weights: Vec[n]) -> Real:
    return F.integrate(sin, F.Grid(nodes, weights))


@fn
def layers(weights: Vec[4]) -> Real:
    grid = F.Grid([0.1, 0.3, 0.6, 0.9], weights)
    near = kernel.on(None, grid)
    return F.integrate((near @ rose.tanh(near @ sin)) ** 2, grid)


@fn
def of_points(c: Vec[2], points: Vec[3, Vec[2]]) -> Real:
    grid = F.Grid(points, [0.2, 0.3, 0.5])

    @F.functional
    def energy(f: F.Map[Real, Vec[2]]) -> Real:
        return F.integrate(f**2 * rose.dot(F.nabla(f), F.nabla(f)), grid)

    wave = rose.fn([Vec[2]], Real)(lambda r: rose.sin(c[0] * r[0] + c[1] * r[1]))
    return energy(wave) + rose.grad(energy)(wave)([0.1, 0.2])


def shrunk(bound: float) -> Any:
    """A user's own adaptive rule: the trapezoid of an interval that is halved while the slope there is large."""

    @fn
    def integral(steep: Real) -> Real:
        end = rose.while_loop(lambda b: rose.cosh(steep * b) > bound, lambda b: b / 2, 1.0)
        return F.integrate(exp, F.Grid([0.0, end], [end / 2, end / 2]))

    return integral


TRACED: dict[str, tuple[Any, list[Any]]] = {
    "nodes of a number": (stretched, [1.3]),
    "vectors of any size": (any_rule, [[0.1, 0.2, 0.7], [1.0, 2.0, 0.5]]),
    "weights of a table": (layers, [[0.1, 0.2, 0.3, 0.4]]),
    "points": (of_points, [[0.7, 0.3], [[0.1, 0.2], [0.3, 0.5], [0.9, 0.4]]]),
}


@pytest.mark.parametrize("name", TRACED)
def test_a_grid_that_a_program_computes_is_differentiated_twice(name: str):
    f, at = TRACED[name]
    first = rose.grad(f)

    def moved(g: Any, h: float) -> Any:
        return np.asarray(g(np.add(at[0], h), *at[1:]))

    slope = (moved(f, 1e-6) - moved(f, -1e-6)) / 2e-6
    assert np.sum(first(*at)) == pytest.approx(slope, rel=1e-7)
    second = rose.grad(rose.fn(first.types, Real)(lambda *xs: rose.sum(first(*xs)) if at[0] != 1.3 else first(*xs)))
    assert np.sum(second(*at)) == pytest.approx(np.sum(moved(first, 1e-6) - moved(first, -1e-6)) / 2e-6, rel=1e-6)


def test_a_grid_of_any_size_is_one_module():
    module = rose.compile(any_rule, dynamic=True)
    for k in (0, 1, 5):
        assert module([0.5] * k, [2.0] * k) == pytest.approx(2.0 * k * math.sin(0.5))


def test_an_adaptive_rule_is_a_users_own_function():
    assert shrunk(2.0)(3.0) == pytest.approx((1.0 + math.exp(0.25)) / 8)
    assert rose.grad(shrunk(2.0))(3.0) == 0.0


def test_a_traced_grid_computes_in_32_bits_too():
    module = rose.compile(rose.grad(of_points), dtype="f32")
    np.testing.assert_allclose(module(*TRACED["points"][1]), rose.grad(of_points)(*TRACED["points"][1]), rtol=1e-5)


# nodes of any type


@rose.struct
class Place:
    at: Vec[2]
    t: Real


wave = fn([Place], Real)(lambda p: rose.sin(p.at[0]) * p.at[1] ** 2 * p.t)
trace = fn([Vec[2, 3]], Real)(lambda a: a[0, 0] * a[1, 1] ** 2 + a[1, 2] ** 3)
NODES: dict[str, tuple[Any, list[Any], Any]] = {
    "structs": (wave, [Place([0.1, 0.2], 0.3), Place([0.4, 0.5], 0.6)], Place),
    "matrices": (trace, np.arange(12.0).reshape(2, 2, 3), Vec[2, 3]),
    "vectors without numbers": (fn([Vec[0]], Real)(lambda v: rose.sum(v) + 2.0), [[], []], Vec[0]),
}


@pytest.mark.parametrize("name", NODES)
def test_a_grid_may_have_nodes_of_any_type(name: str):
    f, nodes, of = NODES[name]
    grid = F.Grid(nodes, [0.5, 2.0])
    assert grid.type is as_type(of) and F.integrate(f, grid) == 0.5 * f(nodes[0]) + 2.0 * f(nodes[1])

    @F.functional
    def energy(y: F.Map[Real, of]) -> Real:
        return F.integrate(y**3, grid)

    assert rose.grad(energy)(f)(nodes[0]) == pytest.approx(3.0 * f(nodes[0]) ** 2)
    assert rose.hvp(energy)(f, f)(nodes[1]) == pytest.approx(6.0 * f(nodes[1]) ** 2)
    assert rose.compile(rose.grad(energy)(f))(nodes[1]) == rose.grad(energy)(f)(nodes[1])


def test_the_derivative_of_an_energy_of_slopes_over_structs_is_a_laplacian():
    grid = F.Grid([Place([0.1, 0.2], 0.3)], [1.0])

    @F.functional
    def energy(y: F.Map[Real, Place]) -> Real:
        return F.integrate(F.pointwise(lambda g: rose.dot(g.at, g.at) + g.t**2, F.nabla(y)), grid)

    p = Place([0.7, 1.3], 0.4)
    laplacian = (2.0 - 1.3**2) * math.sin(0.7) * 0.4
    assert rose.grad(energy)(wave)(p) == pytest.approx(-2.0 * laplacian)
    assert rose.compile(rose.grad(energy)(wave))(p) == rose.grad(energy)(wave)(p)


def test_a_value_at_a_struct_is_one_over_the_weight_of_that_node():
    nodes = [Place([0.1, 0.2], 0.3), Place([0.1, 0.2], 0.4)]
    grid = F.Grid(nodes, [0.5, 2.0])

    @F.functional
    def value(y: F.Map[Real, Place]) -> Real:
        return y.on(grid)(nodes[1])

    assert [rose.grad(value)(wave)(p) for p in nodes] == [0.0, 0.5]


def test_nodes_that_are_structs_may_be_traced_and_are_differentiated():
    @fn
    def integral(t: Real) -> Real:
        return F.integrate(wave, F.Grid([Place([0.7, 1.0], t), Place([0.7, t], 2.0)], [1.0, t]))

    s = math.sin(0.7)
    assert integral(3.0) == pytest.approx(s * 3.0 + 2.0 * s * 27.0)
    assert rose.grad(integral)(3.0) == pytest.approx(s + 6.0 * s * 9.0)


def test_only_numbers_and_points_are_multiplied():
    with pytest.raises(TypeMismatch, match=r"grids of a Place and a Real are not multiplied[\s\S]*one argument after"):
        F.Grid([Place([0.1, 0.2], 0.3)], [1.0]) * Grid.trapezoid(0.0, 1.0, 2)
