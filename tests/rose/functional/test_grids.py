"""Grids: the rules of quadrature, against integrals that are known."""

import math

import pytest

from rose import OutOfRange, Real, Vec
from rose.functional import Grid

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
