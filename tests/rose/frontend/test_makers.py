"""NumPy's functions that make arrays take traced values while a function is traced, and only then."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, dim, fn
from rose.frontend.makers import NAMES, makers

OWN = {name: getattr(np, name) for name in NAMES}
POINT = [0.5, -2.0]

PROGRAMS: dict[str, Any] = {  # of two numbers, as a user of NumPy writes them
    "a row": lambda x, y: np.array([x, y, 1.0]) @ np.array([1, 2, 3]),
    "a matrix": lambda x, y: np.sum(np.array([[np.cos(x), -y], [y, x]]) @ np.array([x, 1])),
    "tuples": lambda x, y: np.sum(np.array(((x, 1), (2, y))) ** 2),
    "a comprehension": lambda x, y: np.sum(np.array([x**k / (k + 1) for k in range(5)]) * y),
    "rows of arrays": lambda x, y: np.sum(np.array([x * np.ones(3), y * np.arange(3)])[:, 1:]),
    "of an array": lambda x, y: np.sum(np.asarray(np.array([x, y], dtype=float)) * np.array([1.0, 2.0])),
    "filled": lambda x, y: np.sum(np.full((2, 3), x) * np.full(3, y)),
    "comparisons": lambda x, y: np.sum(np.maximum(np.array([x, y]), 0.0)) + np.max(np.array([x, y])),
    "in place": lambda x, y: np.sum(added(np.zeros(3), x * np.ones(3)) * y),
}


def added(total: Any, x: Any) -> Any:
    total += x
    total *= 2.0
    return total


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_for_numpy_gives_what_it_gives_there(name: str):
    f = fn([Real, Real], Real)(PROGRAMS[name])
    assert f(*POINT) == pytest.approx(PROGRAMS[name](*POINT), rel=1e-14)
    with rose.eager():
        assert f(*POINT) == rose.compile(f)(*POINT)
    for g in (f, fn([Real, Real], Real)(rose.grad(f, 0))):
        report = rose.testing.examine(g, points=2)
        assert report.ok, report


@pytest.mark.parametrize("name", ["zeros", "ones", "arange"])
def test_a_size_that_a_call_decides_makes_an_array(name: str):
    f = fn([Vec[dim("n")]], Real)(lambda x: np.sum(getattr(np, name)(x.shape[0]) + x))
    assert rose.compile(f, dynamic=True)([1.0, 2.0, 4.0]) == np.sum(getattr(np, name)(3)) + 7.0


def test_numpys_own_functions_are_back_after_a_trace_and_after_an_error():
    with pytest.raises(rose.TypeMismatch):
        fn([Vec[2]], Vec[2])(lambda x: np.array([x, x[0]]))([1.0, 2.0])
    assert {name: getattr(np, name) for name in NAMES} == OWN


def test_without_a_traced_value_it_is_numpys_own():
    with makers():
        assert isinstance(np.array([1, 2.5]), np.ndarray)
        assert np.zeros((2, 3)).shape == (2, 3)


def test_another_thread_has_numpys_own_answer_during_a_trace():
    made: list[Any] = []

    def f(x: Any) -> Any:
        other = threading.Thread(target=lambda: made.append(np.array([[1.0, 2.0]])))
        other.start()
        other.join()
        return x

    assert fn([Real], Real)(f)(2.0) == 2.0
    assert [type(x) for x in made] == [np.ndarray]


def test_nested_traces_end_in_any_order():
    first, second = makers(), makers()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert np.array is not OWN["array"]
    second.__exit__(None, None, None)
    assert np.array is OWN["array"]


def test_what_others_put_there_during_a_trace_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(np, "zeros", OWN["zeros"])  # and is taken away after the test
    with makers():
        np.zeros = theirs = lambda n: OWN["zeros"](n)  # type: ignore[assignment]
    assert np.zeros is theirs and np.ones is OWN["ones"]


def test_what_was_taken_in_a_trace_gives_numpys_own_answer_after_it():
    taken: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        from numpy import array

        taken.append(array)
        return np.sum(array([x, 2.0 * x]))

    assert f(2.0) == 6.0 and isinstance(taken[0]([1.0, 2.0]), np.ndarray)
    assert rose.grad(f)(2.0) == 3.0 and fn([Real], Real)(lambda x: np.sum(taken[0]([x, x])))(2.0) == 4.0


@pytest.mark.parametrize("name", ["array", "asarray", "zeros", "ones", "full", "arange"])
def test_what_was_taken_before_a_trace_says_what_to_write(name: str):
    make, n = OWN[name], dim("n")
    given: Any = {"array": lambda x: [[x, x]], "asarray": lambda x: [[x, x]], "full": lambda x: [x.shape[0], 1.0]}
    of = given.get(name, lambda x: [x.shape[0]])
    with pytest.raises(rose.TypeMismatch) as e:
        rose.compile(fn([Vec[n]], Real)(lambda x: np.sum(make(*of(x)) * x)), dynamic=True)
    assert str(e.value.loc).startswith(__file__)


def test_the_hint_for_a_function_of_numpys_own_is_ours():
    zeros = OWN["zeros"]
    with pytest.raises(rose.TypeMismatch, match=r"write rose.zeros\(...\) in its place"):
        rose.compile(fn([Vec[dim("n")]], Real)(lambda x: np.sum(zeros(x.shape[0]) + x)), dynamic=True)


def test_a_trace_in_a_trace_and_one_after_an_error_leave_numpys_own():
    inner = fn([Real], Real)(lambda x: np.sum(np.array([x, 1.0])))
    outer = fn([Real], Real)(lambda x: inner(x) + np.sum(np.array([inner(x), x])))
    assert outer(1.0) == 5.0
    with pytest.raises(ZeroDivisionError):
        fn([Real], Real)(lambda x: np.array([x, 1 / 0]))(1.0)
    assert {name: getattr(np, name) for name in NAMES} == OWN


def test_a_function_is_traced_where_numpy_is_not_loaded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "numpy")
    assert fn([Real], Real)(lambda x: x * x).func.result is Real
