"""Under `@fn(syntax=True)` NumPy's functions that make arrays take traced values and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, dim, fn
from rose.frontend.syntax.makers import MAKERS, maker

POINT = [0.5, -2.0]


def a_row(x: Any, y: Any) -> Any:
    return np.array([x, y, 1.0]) @ np.array([1, 2, 3])


def kinds(x: Any, y: Any) -> Any:
    return np.sum(np.asarray(np.array([x, y], dtype=float)) * np.asanyarray([x, 2.0]))


def filled(x: Any, y: Any) -> Any:
    return np.sum(np.full((2, 3), x) * np.full(3, y)) + np.ascontiguousarray([x, y])[0]


def compared(x: Any, y: Any) -> Any:
    a = np.array([x, y])
    if x > 0.0:
        a = np.maximum(a, 0.25 * np.array([y, x]))
    return np.sum(np.where(a > 0.0, a, x * a)) + np.max(a) + sum([np.array([x, k])[0] for k in range(2)])


def solved(x: Any, y: Any) -> Any:
    return np.linalg.solve(np.array([[x, y], [1.0, x]]), np.ones(2))[0]


@pytest.mark.parametrize("of", [a_row, kinds, filled, compared, solved])
def test_a_program_for_numpy_gives_what_it_gives_there(of: Any):
    f = fn([Real, Real], Real, syntax=True)(of)
    assert f(*POINT) == pytest.approx(of(*POINT), rel=1e-14)
    with rose.eager():
        assert f(*POINT) == rose.compile(f)(*POINT)
    for g in (f, fn([Real, Real], Real)(rose.grad(f, 0))):
        report = rose.testing.examine(g, points=2)
        assert report.ok, report


def test_pythons_functions_of_arrays_and_numbers_take_traced_ones():
    @fn(syntax=True)
    def f(x: Vec[20], y: Real) -> Real:
        best = max(x) - min(x) + sum(x) + sorted(x)[1] + max(y, 3, 0.5) + max([1, 2])
        if any(x > 100.0) and all(x > 0.0):
            best = 0.0
        return best

    x = np.arange(20.0) - 3.0
    assert f(x, 4.0) == 19.0 + sum(x) - 2.0 + 4.0 + 2
    assert rose.compile(f)(x, 4.0) == f(x, 4.0)


def test_a_size_that_a_call_decides_makes_an_array():
    @fn(syntax=True)
    def f(x: Vec[dim("n")]) -> Real:
        n = x.shape[0]
        return np.sum((np.zeros(n) + x) * np.full((n,), 2.0) + np.arange(n) * np.ones(n))

    assert rose.compile(f, dynamic=True)([1.0, 2.0, 4.0]) == 17.0 == f([1.0, 2.0, 4.0])


def test_a_large_array_is_one_array():
    @fn(syntax=True)
    def f(x: Vec[5000]) -> Real:
        return np.sum(np.asarray(x) ** 2)

    assert len(rose.compile(f).wasm) < 1500 and f(np.ones(5000)) == 5000.0


@pytest.mark.parametrize("name", MAKERS)
def test_a_maker_without_traced_values_is_numpys_own(name: str):
    own: Any = getattr(np, name)
    given: Any = {"full": (2, 1.5), "eye": (2,), "arange": (2,), "zeros": (2,), "ones": (2,)}.get(name, ([1, 2.5],))
    assert np.array_equal(maker(own)(*given), own(*given)) and isinstance(maker(own)(*given), np.ndarray)


def test_what_only_has_the_name_of_a_maker_is_itself():
    def array(x: Any) -> Any:
        return x

    class Own:
        zeros = staticmethod(array)

    @fn(syntax=True)
    def f(x: Real) -> Real:
        return array(x) + Own.zeros(x)

    assert maker(array) is array and maker(len) is len and f(2.0) == 4.0


def test_an_error_points_at_the_call():
    @fn(syntax=True)
    def f(x: Vec[2]) -> Real:
        return np.sum(np.array([x, x[0]]))

    with pytest.raises(rose.TypeMismatch, match="arrays of one shape") as e:
        f([1.0, 2.0])
    assert "np.array([x, x[0]])" in str(e.value) and "^" * len("np.array([x, x[0]])") in str(e.value)


def test_a_function_that_is_called_is_not_rewritten():
    def inner(x: Any) -> Any:
        return np.array([x, 1.0])

    @fn(syntax=True)
    def f(x: Real) -> Real:
        return np.sum(inner(x) * np.array([x, x]))

    assert f(3.0) == 12.0 and rose.grad(f)(3.0) == 7.0
