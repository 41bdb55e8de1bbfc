"""`rose.scipy`: what SciPy's solvers find with our derivatives, and what they are given."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import ROOT

import rose
from rose import Real, Vec, fn

optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")

START = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
X = np.linspace(0.0, 2.0, 12)
Y = 2.5 * np.exp(-1.3 * X) + 0.5


def chained(n: int) -> Any:
    """Rosenbrock's function of n numbers, as SciPy has it."""
    term: Any = lambda x, i: 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return fn([Vec[n]], Real)(lambda x: rose.sum(term(x, i) for i in rose.range(n - 1)))


@rose.struct
class Decay:
    height: Real
    rate: Real
    floor: Real

    def at(self, x):
        return self.height * rose.exp(-self.rate * x) + self.floor


@rose.struct
class Scene:
    offset: Real
    points: Vec[2, Vec[3]]


@fn
def misfits(curve: Decay, x: Vec[12], y: Vec[12]) -> Vec[12]:
    return rose.vec(curve.at(x[i]) - y[i] for i in rose.range(12))


@fn
def misfit(curve: Decay, x: Vec[12], y: Vec[12]) -> Real:
    away = misfits(curve, x, y)
    return rose.dot(away, away) / 2


@fn
def spread(scene: Scene, weight: Real) -> Real:
    p = scene.points
    far = rose.sum((p[0][k] - p[1][k]) ** 2 for k in rose.range(3))
    return weight * far**2 + rose.sin(scene.offset) * p[0][2]


@fn
def crossing(x: Vec[2]) -> Vec[2]:
    """It is 0 at (0.8411639, 0.1588361): an example of SciPy's `root`."""
    return [x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]]


ROSEN = rose.scipy(chained(5))


# what it gives


@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_rosenbrocks_derivatives_are_scipys(n: int):
    s, rng = rose.scipy(chained(n)), np.random.default_rng(n)
    for _ in range(5):
        x, p = rng.normal(size=(2, n))
        assert s.fun(x) == pytest.approx(optimize.rosen(x), rel=1e-14)
        assert s.jac(x) == pytest.approx(optimize.rosen_der(x), rel=1e-12, abs=1e-12)
        assert s.hess(x) == pytest.approx(optimize.rosen_hess(x), rel=1e-12, abs=1e-12)
        assert s.hessp(x, p) == pytest.approx(optimize.rosen_hess_prod(x, p), rel=1e-11, abs=1e-11)
        value, gradient = s.fun_and_jac(x)
        assert (value, gradient.tolist()) == (s.fun(x), s.jac(x).tolist())


FINITE = st.floats(-3, 3, allow_subnormal=False)
POINTS = st.lists(FINITE, min_size=7, max_size=7)
SEARCHED = {"chain": (rose.scipy(chained(7)), ()), "scene": (rose.scipy(spread), (0.7,))}


@pytest.mark.parametrize("name", SEARCHED)
@given(x=POINTS, p=POINTS)
@settings(max_examples=50, deadline=None)
def test_hessp_is_the_hessian_times_the_vector(name: str, x: list[float], p: list[float]):
    s, args = SEARCHED[name]
    h = s.hess(x, *args)
    product, size = h @ p, np.abs(h) @ np.abs(p)
    assert (np.abs(s.hessp(x, p, *args) - product) <= 1e-13 * size.max()).all()
    assert (np.abs(h - h.T) <= 1e-13 * np.abs(h).max()).all()


@pytest.mark.parametrize("name", SEARCHED)
@given(x=POINTS)
@settings(max_examples=20, deadline=None)
def test_the_gradient_is_that_of_differences(name: str, x: list[float]):
    s, args = SEARCHED[name]
    size = 1 + np.abs(s.jac(x, *args)).max() + np.abs(s.hess(x, *args)).max()
    assert optimize.check_grad(s.fun, s.jac, x, *args) <= 1e-6 * size


def test_a_hessian_of_a_vector_is_that_of_its_product():
    s, x, v = rose.scipy(misfits), np.array([2.0, 1.0, 0.1]), np.linspace(-1, 1, 12)
    slopes = [(v @ s.jac(x + d, X, Y) - v @ s.jac(x - d, X, Y)) / 2e-5 for d in 1e-5 * np.eye(3)]
    assert s.hess(x, v, X, Y) == pytest.approx(np.array(slopes), abs=1e-8)


def test_both_at_once_are_those_of_single_calls():
    s, x = rose.scipy(misfits), [2.0, 1.0, 0.1]
    value, jacobian = s.fun_and_jac(x, X, Y)
    assert (value == s.fun(x, X, Y)).all()
    assert (jacobian == s.jac(x, X, Y)).all()
    assert jacobian.shape == (12, 3)


# what it takes


def test_a_struct_becomes_a_vector_and_a_vector_a_struct():
    s = rose.scipy(spread)
    scene = Scene(0.5, [[1, 2, 3], [4, 5, 6]])
    x = s.flatten(scene)
    assert x.tolist() == [0.5, 1, 2, 3, 4, 5, 6]
    again = s.unflatten(x)
    assert isinstance(again, Scene)
    assert (again.offset, again.points.tolist()) == (0.5, [[1, 2, 3], [4, 5, 6]])
    assert s.fun(x, 2.0) == spread(scene, 2.0)
    slope = rose.grad(spread)(scene, 2.0)
    assert s.jac(x, 2.0).tolist() == s.flatten(slope).tolist()


def test_a_result_that_is_a_struct_becomes_a_vector():
    @fn
    def moved(p: Vec[2], by: Real) -> Scene:
        return Scene(p[0] * p[1], [[p[0], by * p[0], 0.0], [p[1], 1.0, p[0] ** 2]])

    s = rose.scipy(moved)
    assert s.fun([2, 3], 5).tolist() == [6, 2, 10, 0, 3, 1, 4]
    assert s.jac([2, 3], 5).tolist() == [[3, 2], [1, 0], [5, 0], [0, 0], [0, 1], [0, 0], [4, 0]]


def test_a_single_number_is_a_vector_of_one():
    s = rose.scipy(fn([Real], Real)(lambda x: (x - 2) ** 4 + x))
    assert (s.flatten(3).tolist(), s.unflatten([3.0])) == ([3], 3)
    assert (s.fun([3]), s.jac([3]).tolist(), s.hess([3]).tolist()) == (4, [5], [[12]])
    found = optimize.minimize(s.fun, 3.0, jac=s.jac, hess=s.hess, method="trust-exact")
    assert found.x == pytest.approx([2 - 0.25 ** (1 / 3)], rel=1e-5)


def test_several_parameters_are_searched_together():
    @fn
    def far(a: Real, k: Real, b: Vec[2, Vec[2]]) -> Real:
        return k * (a - b[0][1]) ** 2 + b[1][0] ** 2

    s = rose.scipy(far, argnums=(2, 0))
    x = s.flatten([[1, 2], [3, 4]], 5)
    assert x.tolist() == [1, 2, 3, 4, 5]
    assert s.fun(x, 10) == far(5, 10, [[1, 2], [3, 4]])
    assert s.jac(x, 10).tolist() == [0, -60, 6, 0, 60]
    assert s.hessp(x, [0, 1, 1, 0, 0], 10).tolist() == [0, 20, 2, 0, -20]
    b, a = s.unflatten(x)
    assert (b.tolist(), a) == ([[1, 2], [3, 4]], 5)


def test_a_vector_of_several_has_a_name_that_is_not_taken():
    @fn
    def f(a: Real, x: Real, b: Real) -> Real:
        return a * b + x

    s = rose.scipy(f, argnums=(0, 2))
    assert s.fun([2, 3], x=4) == 10
    assert s.jac([2, 3], 4).tolist() == [3, 2]


def test_the_parameters_before_stay_before():
    @fn
    def slope(t: Real, y: Vec[2], k: Real) -> Vec[2]:
        return [y[1], k * (1 - y[0] ** 2) * y[1] - y[0] + t]

    s = rose.scipy(slope, argnums=1)
    assert s.fun(0.5, [1, 2], 3).tolist() == [2, -0.5]
    assert s.jac(0.5, [1, 2], 3).tolist() == [[0, 1], [-13, 0]]
    assert s.hess(0.5, [1, 2], [0, 1], 3).tolist() == [[-12, -6], [-6, 0]]


NUMBERS = np.arange(1.0, 6.0)
KINDS = [[1, 2, 3, 4, 5], (1.0, 2, 3, 4, 5), NUMBERS.astype(int), NUMBERS.astype("f4"), np.repeat(NUMBERS, 3)[::3]]


@pytest.mark.parametrize("x", KINDS)
def test_lists_and_arrays_of_all_kinds_are_taken(x: Any):
    assert (ROSEN.jac(x) == ROSEN.jac(NUMBERS)).all()


def test_names_that_are_taken_are_left_alone():
    @fn
    def f(p: Vec[2], v: Real, view: Real) -> Real:
        return view * p[0] ** 2 * p[1] + v

    for s in (rose.scipy(f), rose.scipy(f, copy=False)):
        assert s.jac([1, 2], 1, 10).tolist() == [40, 10]
        assert s.hessp([1, 2], [1, 0], 1, 10).tolist() == [40, 20]


def test_a_size_is_named():
    n = rose.dim("n")

    @fn
    def square(x: Vec[n], y: Vec[n]) -> Real:
        return rose.sum((x[i] - y[i]) ** 2 for i in rose.range(n))

    s = rose.scipy(square, n=3)
    assert s.jac([1, 2, 3], [1, 1, 1]).tolist() == [0, 2, 4]


def test_a_derivative_is_compiled_once_and_when_it_is_asked_for():
    s = rose.scipy(chained(4))
    assert not {"fun", "jac", "hess", "hessp"} & vars(s).keys()
    assert s.jac is s.jac
    assert not {"fun", "hess", "hessp"} & vars(s).keys()


def test_views_are_of_the_memory_that_the_next_call_writes():
    s, x = rose.scipy(chained(5), copy=False), START
    g = s.jac(x)
    assert not g.flags.owndata
    assert not g.flags.writeable
    before = g.copy()
    s.hess(x)
    assert (g == before).all()  # each derivative has a memory of its own
    s.jac(x + 1)
    assert (g == ROSEN.jac(x + 1)).all()
    assert s.fun(x) == ROSEN.fun(x)


@pytest.mark.parametrize("method", ["L-BFGS-B", "TNC", "SLSQP", "Newton-CG", "trust-ncg", "trust-constr"])
def test_solvers_that_are_done_with_an_array_take_views(method: str):
    views, found = rose.scipy(chained(5), copy=False), []
    for s in (ROSEN, views):
        second = {"hess": s.hess} if method in SECOND else {}
        found.append(optimize.minimize(s.fun, START, jac=s.jac, method=method, **second))
    assert (found[0].x == found[1].x).all()
    assert found[0].nfev == found[1].nfev


def test_each_call_of_a_gradient_gives_an_array_of_its_own():
    a = ROSEN.jac(START)
    before = a.copy()
    b = ROSEN.jac(START + 1)
    assert (a == before).all()
    assert a is not b
    a[:] = 0
    assert (ROSEN.jac(START) == before).all()


@pytest.mark.slow
def test_scipy_is_not_imported():
    program = """
import sys, rose

@rose.fn
def square(x: rose.Vec[2]) -> rose.Real:
    return rose.dot(x, x)

print(rose.scipy(square).hess([1, 2]).tolist(), "scipy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[[2.0, 0.0], [0.0, 2.0]] False\n"


# what SciPy does with it

FIRST = ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP"]
SECOND = ["Newton-CG", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr"]
HOW: dict[str, dict[str, Any]] = {
    **{m: {"method": m} for m in ("Nelder-Mead", "Powell", "COBYQA")},
    **{m: {"method": m, "jac": ROSEN.jac} for m in FIRST},
    **{f"{m} with both": {"method": m, "jac": True} for m in FIRST},
    **{f"{m} with hess": {"method": m, "jac": ROSEN.jac, "hess": ROSEN.hess} for m in SECOND},
    **{f"{m} with hessp": {"method": m, "jac": ROSEN.jac, "hessp": ROSEN.hessp} for m in SECOND if m != "trust-exact"},
}


@pytest.mark.parametrize("how", HOW)
def test_minimize_finds_the_least_value(how: str):
    options = HOW[how]
    fun = ROSEN.fun_and_jac if options.get("jac") is True else ROSEN.fun
    found = optimize.minimize(fun, START, **options)
    assert found.success
    assert found.x == pytest.approx([1] * 5, abs=2e-2 if how == "Nelder-Mead" else 2e-3)


def test_minimize_takes_data_as_args():
    s = rose.scipy(misfit)
    for how in (
        {"method": "BFGS"},
        {"method": "trust-exact", "hess": s.hess},
        {"method": "trust-ncg", "hessp": s.hessp},
    ):
        found = optimize.minimize(s.fun, s.flatten(Decay(1, 1, 0)), args=(X, Y), jac=s.jac, tol=1e-10, **how)
        curve = s.unflatten(found.x)
        assert (curve.height, curve.rate, curve.floor) == pytest.approx((2.5, 1.3, 0.5), rel=1e-6)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
@pytest.mark.parametrize("copy", [True, False])
def test_least_squares_finds_the_curve(method: str, copy: bool):
    s = rose.scipy(misfits, copy=copy)
    found = optimize.least_squares(s.fun, [1, 1, 0], s.jac, method=method, x_scale="jac", args=(X, Y))
    assert found.success
    assert found.x == pytest.approx([2.5, 1.3, 0.5], rel=1e-8)


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov"])
def test_root_finds_where_the_vector_is_zero(method: str):
    s = rose.scipy(crossing)
    derivative = {} if method == "krylov" else {"jac": s.jac}
    found = optimize.root(s.fun, [1, 0.1], method=method, **derivative)
    assert found.success
    assert found.x == pytest.approx([0.8411639, 0.1588361], abs=1e-6)


def test_a_saddle_is_where_the_gradient_is_zero():
    s = rose.scipy(rose.grad(fn([Vec[2]], Real)(lambda x: x[0] ** 2 - x[1] ** 2 + x[0] * rose.cos(x[1]))))
    found = optimize.root(s.fun, [0.3, 0.2], jac=s.jac)
    assert found.x == pytest.approx([-0.5, 0], abs=1e-9)
    assert s.jac(found.x) == pytest.approx(np.diag([2.0, -1.5]), abs=1e-6)


def test_root_takes_both_at_once():
    s = rose.scipy(crossing)
    assert optimize.root(s.fun_and_jac, [0, 0], jac=True).x == pytest.approx([0.8411639, 0.1588361], abs=1e-6)


def test_curve_fit_takes_the_numbers_one_by_one():
    @fn
    def curve(x: Vec[12], p: Decay) -> Vec[12]:
        return rose.vec(p.at(x[i]) for i in rose.range(12))

    s = rose.scipy(curve, argnums=1)
    for method in ("lm", "trf"):
        found, _ = optimize.curve_fit(
            lambda x, *p: s.fun(x, p), X, Y, [1, 1, 0], jac=lambda x, *p: s.jac(x, p), method=method
        )
        assert found == pytest.approx([2.5, 1.3, 0.5], rel=1e-8)


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_stiff_equations_are_solved_with_the_jacobian(method: str):
    @fn
    def robertson(t: Real, y: Vec[3]) -> Vec[3]:
        """H. H. Robertson's three reactions (1966)."""
        slow, fast, join = 0.04 * y[0], 3e7 * y[1] ** 2, 1e4 * y[1] * y[2]
        return [join - slow, slow - join - fast, fast]

    s = rose.scipy(robertson, argnums=1)
    done = integrate.solve_ivp(s.fun, (0, 40), [1, 0, 0], method, jac=s.jac, rtol=1e-8, atol=1e-10)
    assert done.success
    assert done.y[:, -1] == pytest.approx([0.7158271, 9.185535e-6, 0.2841637], rel=1e-5)


def test_constraints_have_derivatives_too():
    @fn
    def disc(x: Vec[2]) -> Vec[2]:
        return [x[0] ** 2 + x[1] ** 2, x[0] ** 3 - x[1]]

    s, c = rose.scipy(chained(2)), rose.scipy(disc)
    limits = partial(optimize.NonlinearConstraint, c.fun, [-np.inf, -np.inf], [1, 0.5], jac=c.jac)
    above = optimize.LinearConstraint([[1, 1]], 0.5, np.inf)
    expected = [0.7864, 0.6177]  # on the circle, as SciPy's guide has it for the disc alone
    ways = {"trust-constr": ({"hess": s.hess}, {"hess": c.hess}), "SLSQP": ({}, {})}
    for method, (hess, of_limits) in ways.items():
        constraints = [limits(**of_limits), above]
        found = optimize.minimize(s.fun, [0.5, 0.5], jac=s.jac, constraints=constraints, method=method, **hess)
        assert found.success
        assert found.x == pytest.approx(expected, abs=1e-3)


def test_a_constraint_on_one_number_is_a_vector_of_one():
    c = rose.scipy(fn([Vec[2]], Vec[1])(lambda x: [x[0] * x[1]]))
    s = rose.scipy(fn([Vec[2]], Real)(lambda x: x[0] ** 2 + 4 * x[1] ** 2))
    limit = optimize.NonlinearConstraint(c.fun, 2, np.inf, jac=c.jac, hess=c.hess)
    found = optimize.minimize(s.fun, [3, 3], jac=s.jac, hess=s.hess, constraints=limit, method="trust-constr")
    assert found.x == pytest.approx([2, 1], abs=2e-3)


@pytest.mark.parametrize("options", [{}, {"sparse": True}, {"copy": False}])
@pytest.mark.parametrize("method", ["trust-constr", "SLSQP"])
def test_a_constraint_may_be_a_function_to_a_real(method: str, options: dict[str, Any]):
    s = rose.scipy(fn([Vec[2]], Real)(lambda x: x[0] ** 2 + 4 * x[1] ** 2))
    c = rose.scipy(fn([Vec[2]], Real)(lambda x: x[0] * x[1]), **options)
    second = {"hess": c.hess} if method == "trust-constr" else {}
    limit = optimize.NonlinearConstraint(c.fun, 2, np.inf, jac=c.jac, **second)
    found = optimize.minimize(s.fun, [3, 3], jac=s.jac, constraints=limit, method=method)
    assert found.x == pytest.approx([2, 1], abs=2e-3)


def test_a_hessian_of_a_real_takes_the_multiplier_of_a_constraint():
    s = rose.scipy(fn([Real, Vec[2], Real], Real)(lambda a, x, b: a * x[0] ** 2 * x[1] + b * x[1] ** 2), argnums=1)
    assert s.hess(2.0, [3, 4], 5.0).tolist() == [[16, 12], [12, 10]]
    assert s.hess(2.0, [3, 4], np.array([-0.5]), 5.0).tolist() == [[-8, -6], [-6, -5]]
    assert pickle.loads(pickle.dumps(s.hess))(2.0, [3, 4], [2], 5.0).tolist() == [[32, 24], [24, 20]]
    with pytest.raises(rose.TypeMismatch, match="v must have 1 elements, got 2"):
        s.hess(2.0, [3, 4], [1, 2], 5.0)
    with pytest.raises(rose.TypeMismatch, match="hess takes 3 arguments"):
        s.hess(2.0)


@pytest.mark.slow
def test_basinhopping_searches_with_gradients():
    s = rose.scipy(fn([Vec[1]], Real)(lambda x: rose.cos(14.5 * x[0] - 0.3) + (x[0] + 0.2) * x[0]))
    how = {"method": "L-BFGS-B", "jac": True}
    found = optimize.basinhopping(s.fun_and_jac, [1.0], minimizer_kwargs=how, niter=100, rng=1)
    assert found.fun == pytest.approx(-1.0009, abs=1e-4)  # as in SciPy's manual


# threads and processes


def test_threads_search_at_once():
    starts = np.random.default_rng(0).uniform(0.5, 1.5, size=(12, 5))
    search = lambda x: optimize.minimize(ROSEN.fun, x, jac=ROSEN.jac, hess=ROSEN.hess, method="trust-exact").x
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(search, starts))
    for x, start in zip(found, starts, strict=True):
        assert (x == search(start)).all()


def test_what_it_gives_can_be_pickled():
    views = rose.scipy(chained(5), copy=False)
    for f, args in ((ROSEN.fun, ()), (ROSEN.jac, ()), (ROSEN.hess, ()), (ROSEN.hessp, (START,)), (views.jac, ())):
        assert np.array_equal(pickle.loads(pickle.dumps(f))(START, *args), f(START, *args))


@pytest.mark.slow
def test_processes_take_the_function():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        search = partial(optimize.differential_evolution, ROSEN.fun, [(0, 2)] * 5, maxiter=3, popsize=4, rng=1)
        apart = search(workers=pool.map, updating="deferred", polish=False)
    here = search(workers=map, updating="deferred", polish=False)
    assert (apart.x == here.x).all()


# sparse matrices

N = 60


@fn
def tridiagonal(x: Vec[N]) -> Vec[N]:
    """C. G. Broyden's function (1965): each number with its neighbours."""
    out = rose.accum([1.0] * N)
    for i in rose.range(N):
        out[i] += (3 - 2 * x[i]) * x[i]
    for i in rose.range(N - 1):
        out[i + 1] += -x[i]
        out[i] += -2 * x[i + 1]
    return out.value


@fn
def heat(t: Real, x: Vec[N]) -> Vec[N]:
    """Along a bar that is cooled at both ends, and heated ever more."""
    out = rose.accum([t] * N)
    for i in rose.range(N):
        out[i] += -200 * x[i] - x[i] ** 3
    for i in rose.range(N - 1):
        out[i] += 100 * x[i + 1]
        out[i + 1] += 100 * x[i]
    return out.value


FLAT = -np.ones(N)


def test_a_large_jacobian_of_mostly_zeros_is_sparse():
    s, dense = rose.scipy(tridiagonal), rose.scipy(tridiagonal, sparse=False)
    j = s.jac(FLAT)
    assert sparse.issparse(j)
    assert j.nnz == 3 * N - 2
    assert np.array_equal(j.toarray(), dense.jac(FLAT))
    assert not sparse.issparse(dense.jac(FLAT))
    assert not sparse.issparse(s.hess(FLAT, FLAT))


def test_a_small_or_a_full_jacobian_is_dense_unless_it_is_asked_for():
    @fn
    def full(x: Vec[N]) -> Vec[N]:
        return rose.vec(rose.sum(x) * x[i] for i in rose.range(N))

    assert not sparse.issparse(rose.scipy(misfits).jac([1, 1, 0], X, Y))
    assert not sparse.issparse(rose.scipy(full).jac(FLAT))
    small = rose.scipy(crossing, sparse=True).jac([1, 2])
    assert sparse.issparse(small)
    assert np.array_equal(small.toarray(), rose.scipy(crossing).jac([1, 2]))


def test_a_sparse_jacobian_can_be_read_as_an_array():
    j = rose.scipy(tridiagonal).jac(FLAT)
    dense = j.toarray()
    assert np.array_equal(np.asarray(j), dense)
    assert np.array_equal(FLAT @ j, FLAT @ dense)
    assert np.array_equal(j @ FLAT, dense @ FLAT)
    assert np.array_equal(pickle.loads(pickle.dumps(j)).toarray(), dense)


def test_sparse_jacobians_are_matrices_of_their_own_or_views():
    for copy in (True, False):
        s = rose.scipy(tridiagonal, copy=copy)
        again = pickle.loads(pickle.dumps(s.jac))
        a = s.jac(FLAT)
        before = a.toarray()
        s.jac(2 * FLAT)
        assert np.array_equal(a.toarray(), before) is copy
        assert np.array_equal(again(FLAT).toarray(), before)


@pytest.mark.parametrize("method", ["trf", "dogbox"])
def test_least_squares_takes_a_sparse_jacobian(method: str):
    s = rose.scipy(tridiagonal)
    found = optimize.least_squares(s.fun, FLAT, s.jac, method=method)
    assert found.success
    assert np.abs(found.fun).max() < 1e-8
    assert sparse.issparse(found.jac)


@pytest.mark.parametrize("method", ["hybr", "lm"])
def test_root_reads_a_sparse_jacobian_as_an_array(method: str):
    s = rose.scipy(tridiagonal)
    found = optimize.root(s.fun, FLAT, jac=s.jac, method=method)
    assert found.success
    assert np.abs(found.fun).max() < 1e-6


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_equations_are_solved_with_a_sparse_jacobian(method: str):
    s = rose.scipy(heat, argnums=1)
    done = integrate.solve_ivp(s.fun, (0, 1), FLAT, method, jac=s.jac, rtol=1e-8)
    other = integrate.solve_ivp(s.fun, (0, 1), FLAT, "RK45", rtol=1e-10, atol=1e-10)
    assert sparse.issparse(s.jac(0, FLAT))
    assert done.y[:, -1] == pytest.approx(other.y[:, -1], abs=1e-5)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_constraints_take_a_sparse_jacobian(method: str):
    target = np.linspace(0, 1, N)
    away = rose.scipy(fn([Vec[N]], Real)(lambda x: rose.sum((x[i] - 0.02 * i) ** 2 for i in rose.range(N))))
    s = rose.scipy(tridiagonal)
    limits = optimize.NonlinearConstraint(s.fun, -np.inf, 1.5, jac=s.jac)
    found = optimize.minimize(away.fun, target, jac=away.jac, constraints=limits, method=method, tol=1e-9)
    dense = optimize.NonlinearConstraint(s.fun, -np.inf, 1.5, jac=rose.scipy(tridiagonal, sparse=False).jac)
    again = optimize.minimize(away.fun, target, jac=away.jac, constraints=dense, method=method, tol=1e-9)
    assert found.success
    assert s.fun(found.x).max() < 1.5 + 1e-6
    assert found.fun == pytest.approx(again.fun, rel=1e-6)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-constr"])
def test_a_hessian_is_sparse_where_it_is_asked_for(method: str):
    s = rose.scipy(chained(N), sparse=True)
    h = s.hess(FLAT)
    assert sparse.issparse(h)
    assert h.nnz == 3 * N - 2
    assert h.toarray() == pytest.approx(optimize.rosen_hess(FLAT), abs=1e-10)
    found = optimize.minimize(s.fun, 0.9 * np.ones(N), jac=s.jac, hess=s.hess, method=method, tol=1e-10)
    assert found.x == pytest.approx(np.ones(N), abs=1e-4)


@given(x=st.lists(FINITE, min_size=N, max_size=N), v=st.lists(FINITE, min_size=N, max_size=N))
@settings(max_examples=25, deadline=None)
def test_a_sparse_hessian_of_a_product_is_the_dense_one(x: list[float], v: list[float]):
    made, dense = SPARSE.hess(x, v), DENSE.hess(x, v)
    assert sparse.issparse(made)
    assert np.array_equal(made.toarray(), dense)


SPARSE, DENSE = rose.scipy(tridiagonal, sparse=True), rose.scipy(tridiagonal)


def test_a_while_loop_in_another_has_a_gradient_in_many_columns():
    def body(x):
        grow = lambda s: rose.while_loop(lambda a: a < 1.5, lambda a: a + 0.5 + 0.25 * x[1] ** 2, s)
        return rose.while_loop(lambda s: s < 9.0, lambda s: s + 1.0 + grow(x[0]) * s * 0.1, x[2])

    s = rose.scipy(rose.fn([Vec[60]], Real)(body))
    x = np.linspace(0.1, 1.0, 60)
    assert s.jac(x) == pytest.approx(optimize.approx_fprime(x, s.fun, 1e-7), abs=1e-5)
