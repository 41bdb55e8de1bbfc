"""All mixed partial derivatives of one order: against nested forward mode and closed forms, and what they cost."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
from curves import products

import rose
from rose import Bool, Fin, Real, Vec, fn
from tests.programs.test_inventory import both

X = [0.3, 0.7, -0.4]


@rose.struct
class Body:
    on: Bool
    mass: Real
    at: Vec[2]
    link: Vec[2, Fin[3]]


@fn
def f(x: Vec[3]) -> Real:
    return rose.exp(x[0] * x[1]) * rose.sin(x[2] + x[0]) + x[1] ** 3 * x[2]


@fn
def field(x: Vec[3]) -> Vec[2]:
    return rose.vec(rose.sum(rose.cos(x[j] * (i + 1.0)) * x[0] for j in rose.range(3)) for i in rose.range(2))


def variables(n: int, k: int) -> list[tuple[int, ...]]:
    """The variables of the derivatives, in the documented order."""
    return sorted(itertools.combinations_with_replacement(range(n), k), key=lambda v: v[::-1])


def nested(g: Any, k: int, *args: Any) -> Any:
    """All derivatives of order k by forward mode over forward mode: an array with k axes more."""
    for _ in range(k):
        g = rose.jacfwd(g)
    return np.array(g(*args))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_they_are_those_of_nested_forward_mode(k: int):
    want = nested(f, k, X)
    assert list(both(rose.derivatives(f, k), X)) == pytest.approx([want[v] for v in variables(3, k)], rel=1e-13)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_of_a_vector_each_number_has_its_own(k: int):
    want, got = nested(field, k, X), np.array(both(rose.derivatives(field, k), X))
    for j in range(2):
        assert got[j] == pytest.approx([want[(j, *v)] for v in variables(3, k)], rel=1e-12, abs=1e-14)


def test_the_order_is_that_of_the_index_which_takes_variables_in_any_order():
    for n, k in itertools.product((1, 2, 4), (1, 2, 3, 5)):
        assert [rose.partial_index(*v) for v in variables(n, k)] == [*range(math.comb(n + k - 1, k))]
    assert rose.partial_index(2, 0, 1) == rose.partial_index(0, 1, 2) and rose.partial_index() == 0
    hessian, lower = rose.hessian(f)(X), rose.derivatives(f, 2)(X)
    assert lower == pytest.approx(hessian[np.tril_indices(3)], rel=1e-13)


@pytest.mark.parametrize(("n", "k"), [(1, 10), (2, 10), (3, 7), (5, 4), (10, 3)])
def test_closed_forms(n: int, k: int):
    """Of `exp(a . x)` the derivative is a product of the `a` of the variables, times the value."""
    a = np.cos(np.arange(1.0, n + 1.0))
    g = rose.fn([Vec[n]], Real)(lambda x: rose.exp(rose.sum(float(a[i]) * x[i] for i in range(n))))
    x = np.sin(np.arange(1.0, n + 1.0))
    want = [math.exp(a @ x) * math.prod(a[list(v)]) for v in variables(n, k)]
    assert rose.derivatives(g, k)(x) == pytest.approx(want, rel=1e-10, abs=1e-13)


def test_a_polynomial_has_its_coefficients():
    """Each monomial of degree 4 in three variables, with a coefficient of its own."""
    powers = [tuple(v.count(i) for i in range(3)) for v in variables(3, 4)]
    g = rose.fn([Vec[3]], Real)(
        lambda x: sum((j + 1.0) * math.prod(x[i] ** p for i, p in enumerate(e)) for j, e in enumerate(powers))
    )
    want = [(j + 1.0) * math.prod(map(math.factorial, e)) for j, e in enumerate(powers)]
    assert rose.derivatives(g, 4)([0.5, -1.0, 2.0]) == pytest.approx(want, rel=1e-12)
    assert rose.derivatives(g, 5)([0.5, -1.0, 2.0]) == pytest.approx([0.0] * 21, abs=1e-9)


def test_several_parameters_of_several_vectors_are_numbered_in_order():
    g = rose.fn([Real, Vec[2], Vec[2, Vec[2]]], Real)(lambda a, x, m: a**2 * x[1] * m[1][0] + x[0] ** 3 + a * m[0][1])
    args = (2.0, [3.0, 5.0], [[7.0, 11.0], [13.0, 17.0]])
    third = both(rose.derivatives(g, 3, argnums=(0, 1, 2)), *args)
    at = lambda *v: third[rose.partial_index(*v)]
    assert (at(0, 0, 2), at(0, 2, 5), at(0, 0, 5), at(1, 1, 1)) == pytest.approx((26.0, 4.0, 10.0, 6.0))
    assert sum(x != 0.0 for x in np.round(third, 9)) == 4
    assert both(rose.derivatives(g, 2, argnums=2), *args) == pytest.approx([0.0] * 10)
    swapped = both(rose.derivatives(g, 3, argnums=(1, 0)), *args)
    assert swapped[rose.partial_index(2, 2, 1)] == pytest.approx(26.0) and len(swapped) == 10


def test_of_structs_what_does_not_move_stays():
    def body(p: Any) -> Any:
        return Body(p.on, p.mass**2 * p.at[1], [p.at[0] ** 2 * p.mass, 1.0], p.link)

    out = both(rose.derivatives(rose.fn([Body], Body)(body), 2), Body(True, 2.0, [3.0, 5.0], [0, 2]))
    assert out.on and list(out.link) == [0, 2]
    assert list(out.mass) == pytest.approx([10.0, 0.0, 0.0, 4.0, 0.0, 0.0])
    assert list(out.at[0]) == pytest.approx([0.0, 6.0, 4.0, 0.0, 0.0, 0.0]) and list(out.at[1]) == [0.0] * 6


def test_of_no_variables_there_are_none():
    assert rose.derivatives(rose.fn([Vec[0]], Real)(lambda x: rose.sum(x)), 3)([]).shape == (0,)
    assert rose.derivatives(rose.fn([Vec[3]], Vec[0])(lambda x: x[:0]), 2)(X).shape == (0, 6)
    assert rose.derivatives(rose.fn([Vec[3]], Real)(lambda x: rose.floor(x[0])), 2)(X).tolist() == [0.0] * 6


def test_those_by_one_variable_alone_have_the_bits_of_a_jet():
    third = rose.derivatives(f, 3)(X)
    for i, unit in enumerate(np.eye(3)):
        assert third[rose.partial_index(i, i, i)] == rose.directional(f, 3)(X, unit)


def test_they_are_a_function_like_others():
    """Inside of another function, differentiated once and twice, and pickled."""

    @fn
    def skew(x: Vec[3]) -> Real:
        third = rose.derivatives(f, 3)(x)
        return third[rose.partial_index(0, 1, 2)] * x[0]

    at = lambda x: nested(f, 3, x)[0, 1, 2] * x[0]
    assert both(skew, X) == pytest.approx(at(X), rel=1e-13)
    fourth, fifth = nested(f, 4, X)[0, 1, 2], nested(f, 5, X)[0, 1, 2]
    slope = X[0] * fourth + np.array([nested(f, 3, X)[0, 1, 2], 0.0, 0.0])
    assert list(both(rose.grad(skew), X)) == pytest.approx(list(slope), rel=1e-11)
    curved = X[0] * fifth + np.eye(3)[[0]].T @ [fourth] + np.outer(fourth, np.eye(3)[0])
    assert rose.hessian(skew)(X) == pytest.approx(curved, rel=1e-10)
    again = pickle.loads(pickle.dumps(rose.derivatives(f, 2)))
    assert again(X).tolist() == rose.derivatives(f, 2)(X).tolist()
    assert rose.derivatives(f, 2) is rose.derivatives(f, 2)


def test_derivatives_of_derivatives_are_of_the_sum_of_the_orders():
    both_orders = np.array(rose.derivatives(rose.derivatives(f, 1), 2)(X))
    third = rose.derivatives(f, 3)(X)
    for a, (b, c) in itertools.product(range(3), variables(3, 2)):
        want = third[rose.partial_index(a, b, c)]
        assert both_orders[a][rose.partial_index(b, c)] == pytest.approx(want, rel=1e-12)


def test_the_rule_of_a_user_is_taken_and_captured_values_stay():
    @fn
    def outer(a: Real) -> Real:
        g = rose.fn([Vec[2]], Real)(lambda x: a * x[0] ** 2 * x[1] + a**2)
        return rose.derivatives(g, 3)([a, 1.0])[rose.partial_index(0, 0, 1)]

    assert both(outer, 3.0) == pytest.approx(6.0) and rose.grad(outer)(3.0) == pytest.approx(2.0)
    ruled = rose.fn([Real], Real)(lambda x: x + 1.0)
    ruled.jvp(lambda x: rose.Dual(ruled(x.re), 3.0 * x.du * x.re**2))
    product = rose.fn([Vec[2]], Real)(lambda x: ruled(x[0]) * x[1] ** 2)
    assert both(rose.derivatives(product, 3), [2.0, 5.0]) == pytest.approx([150.0, 120.0, 24.0, 0.0])


def test_one_function_of_any_size():
    n = rose.dim("n")
    g = rose.fn([Vec[n]], Real)(lambda x: rose.prod(x[i] for i in rose.range(n)) ** 2)
    second = rose.derivatives(g, 2)
    assert second([2.0]) == pytest.approx([2.0]) and second([2.0, 3.0]) == pytest.approx([18.0, 24.0, 8.0])
    assert second([]).shape == (0,)


def test_single_precision():
    module = rose.compile({"d": rose.derivatives(f, 3)}, dtype="f32")
    assert module.d(X) == pytest.approx(rose.derivatives(f, 3)(X), rel=2e-5, abs=2e-5)


def deep(n: int) -> Any:
    return rose.fn([Vec[n]], Real)(lambda x: rose.scan(lambda i, s: rose.sin(s * x[i]) + x[i] * s, 1.0 + x[0], n))


@pytest.mark.parametrize(("n", "k", "times"), [(3, 3, 1.1), (4, 3, 1.1), (3, 4, 2.5), (4, 4, 3.0)])
def test_they_cost_a_part_of_nesting(n: int, k: int, times: float):
    """Products and quotients; forward mode over forward mode computes each by every order of its variables."""
    f, x = deep(n), np.linspace(0.1, 0.9, n)
    dense: Any = f
    for _ in range(k):
        dense = rose.jacfwd(dense)
    assert products(dense, x) >= times * products(rose.derivatives(f, k), x)


def test_the_code_does_not_grow_with_the_lines():
    """Loops stay loops: what grows are tables, of some bytes for each derivative."""
    few, many = [len(rose.compile({"f": rose.derivatives(deep(n), 3)}).wasm) for n in (6, 10)]
    more = math.comb(12, 3) - math.comb(8, 3)
    assert many - few < 60 * more
