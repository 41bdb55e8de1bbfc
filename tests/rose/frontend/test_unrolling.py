"""Loops of Python's that are unrolled into many array operations: one warning, with the line and what to write."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, UnrolledLoop, Vec
from rose.frontend import unrolling
from rose.frontend.unrolling import MOST


def told(body: Callable[[Any], Any], result: Any = Vec[3]) -> list[warnings.WarningMessage]:
    """The warnings while a function of an array is traced."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        _ = rose.fn([Vec[3]], result)(body).func
    return found


def looped(n: int, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def body(x: Any) -> Any:
        for _ in range(n):
            x = step(x)
        return x

    return body


STEPS: list[Callable[[Any], Any]] = [
    lambda x: x * 2.0, lambda x: -x, lambda x: 1.0 + x, lambda x: np.exp(x), lambda x: x[::-1], lambda x: np.roll(x, 1),
    lambda x: x @ np.eye(3), lambda x: x.cumsum(), lambda x: rose.nn.gelu(x),
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_a_thousand_are_let_pass_and_one_more_is_told(step: Callable[[Any], Any]):
    assert told(looped(MOST, step)) == []
    (found,) = told(looped(MOST + 1, step))
    assert found.category is UnrolledLoop
    assert (found.filename, found.lineno) == (__file__, looped.__code__.co_firstlineno + 2)


def test_the_words_the_line_and_what_to_write():
    (found,) = told(looped(MOST + 1, STEPS[0]))
    at = looped.__code__.co_firstlineno + 2
    assert str(found.message) == (
        "a loop of Python's has traced more than 1,000 equal array operations, each of which is compiled\n"
        f"  at {__file__}:{at}\n"
        "    for _ in range(n):\n"
        "             ^^^^^^^^\n"
        f"  hint: {unrolling.HINT}"
    )


def test_the_operations_of_a_body_are_added_up_and_told_once():
    def body(x: Any) -> Any:
        for _ in range(MOST // 2):
            x = rose.sin(x)
            x = x + 1.0
            x = x * 0.5
        for _ in range(MOST // 2):
            x = x + 1.0
            x = x * 0.5
        return x

    assert [found.lineno - body.__code__.co_firstlineno for found in told(body)] == [1]


def test_loops_by_while_and_in_comprehensions_are_told():
    def by_while(x: Any) -> Any:
        k = 0
        while k <= MOST:
            k += 1
            x = x * 0.5
        return x

    def in_comprehension(x: Any) -> Any:
        return sum([x * float(k) for k in range(MOST + 1)][:1])

    for body in (by_while, in_comprehension):
        (found,) = told(body)
        assert found.lineno == body.__code__.co_firstlineno + (2 if body is by_while else 1)
        assert ("k <= MOST" if body is by_while else "range(MOST + 1)") in str(found.message)


def test_repeated_calls_of_themselves_are_told_where_they_compute():
    def halved(x: Any, n: int) -> Any:
        return halved(x * 0.5, n - 1) if n else x

    def body(x: Any) -> Any:
        return halved(halved(x, MOST // 2), MOST - MOST // 2 + 1)

    (found,) = told(body)
    assert found.lineno == halved.__code__.co_firstlineno + 1


def test_a_loop_of_pythons_in_one_of_the_language_is_told_and_not_that():
    def body(x: Any) -> Any:
        total = rose.accum(0.0)
        for i in rose.range(3):
            for k in range(MOST + 1):
                total += (x * float(k))[i]
        return total.value

    (found,) = told(body, Real)
    assert found.lineno == body.__code__.co_firstlineno + 3


def test_what_is_traced_once_or_is_of_numbers_or_differs_is_not_told():
    def by_range(x: Any) -> Any:
        total = rose.accum(0.0)
        for _ in rose.range(MOST * 10):
            total += rose.sum(x * 2.0)
        return total.value

    def by_scan(x: Any) -> Any:
        return rose.scan(lambda i, y: y * 0.5, x, MOST * 10)

    def of_numbers(x: Any) -> Any:
        a = x[0]
        for _ in range(MOST * 2):
            a = rose.sin(a) + 1.0
        return a

    def of_other_sizes(x: Any) -> Any:
        for k in range(MOST + 1):
            x = rose.zeros(k % 600 + 2)
        return x[0]

    for body, result in [(by_range, Real), (by_scan, Vec[3]), (of_numbers, Real), (of_other_sizes, Real)]:
        assert told(body, result) == []


def test_a_library_of_ours_is_not_told(monkeypatch: pytest.MonkeyPatch):
    """One equation in a line of the user's takes many operations there, and a loop of ours."""
    monkeypatch.setattr(unrolling, "MOST", 1)
    assert told(lambda x: rose.linalg.solve(rose.eye(3), x)) == []
    assert len(told(looped(2, STEPS[0]))) == 1
    monkeypatch.setattr(unrolling, "by_library", lambda: False)
    assert told(lambda _: rose.linalg.solve(rose.eye(17), rose.ones(17)), Vec[17]) != []  # which is not traced yet


def test_nothing_is_told_where_nothing_is_compiled():
    f = rose.fn([Vec[3]], Vec[3])(looped(MOST + 1, STEPS[2]))
    with rose.eager():
        assert f([0.0, 1.0, 2.0]).tolist() == [MOST + 1.0, MOST + 2.0, MOST + 3.0]


def test_the_numbers_stay_the_same():
    f = rose.fn([Vec[3]], Vec[3])(looped(MOST + 1, STEPS[2]))
    with pytest.warns(UnrolledLoop):
        assert f([0.0, 1.0, 2.0]).tolist() == [MOST + 1.0, MOST + 2.0, MOST + 3.0]


def test_a_warning_that_is_an_error_ends_the_trace():
    f = rose.fn([Vec[3]], Vec[3])(looped(MOST + 1, STEPS[0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnrolledLoop, match="a loop of Python's"):
            _ = f.func
