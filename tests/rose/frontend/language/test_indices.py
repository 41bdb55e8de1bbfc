"""`rose.index`: a number as an index."""

from __future__ import annotations

import math

import pytest

import rose
from rose import AssertionFailed, Fin, OutOfRange, Real, TypeMismatch, Vec, dim, fn
from rose.host.interpreter import run


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 17])
def test_each_index_is_found(n: int):
    f = fn([Vec[n], Real], Real)(lambda x, e: 2.0 * x[rose.index(e, n)])
    x = [float(k) for k in range(n)]
    assert (
        [f(x, float(k)) for k in range(n)] == [run(f.func, tuple(x), float(k)) for k in range(n)] == [2 * k for k in x]
    )


@pytest.mark.parametrize("e", [-1.0, -0.5, 0.5, 3.0, 1e300, math.inf, -math.inf, math.nan])
def test_what_is_no_index_is_a_trap_at_the_line_of_the_user(e: float):
    f = fn([Vec[3], Real], Real)(lambda x, e: x[rose.index(e, 3)])
    for call in (f, rose.grad(f)):
        with pytest.raises(AssertionFailed, match=r"a whole number from 0 to 3 - 1[^¶]*test_indices.py"):
            call([1.0, 2.0, 3.0], e)


def test_an_index_that_may_be_too_large_is_checked():
    f = fn([Vec[3], Fin[9]], Real)(lambda x, i: x[rose.index(i, 3)])
    assert f([1.0, 2.0, 3.0], 2) == 3.0
    with pytest.raises(AssertionFailed):
        f([1.0, 2.0, 3.0], 3)


def test_what_is_in_range_by_its_type_or_its_form_is_not_checked():
    f = fn([Vec[5], Fin[3]], Real)(lambda x, i: x[rose.index(i, 5)] + x[rose.index(4 - i, 5)] + x[rose.index(1.0, 5)])
    assert "assert" not in str(f.func) and rose.grad(f)([1.0] * 5, 0) == pytest.approx([1.0, 1.0, 0.0, 0.0, 1.0])


def test_it_has_derivatives_in_both_modes_and_twice():
    of = lambda x: rose.sum(x[rose.index(rose.floor(rose.abs(x[i])) % 3.0, 3)] ** 3 * x[i] for i in rose.range(3))
    f = fn([Vec[3]], Real)(of)
    for g in (f, fn([Vec[3]], Vec[3])(rose.grad(f))):
        x = [0.25, 1.5, -2.25]
        forward, reverse = rose.jacfwd(g)(x), rose.jacrev(g)(x)
        assert forward == pytest.approx(reverse, abs=1e-14)


def test_an_array_of_numbers_is_one_of_indices():
    f = fn([Vec[3], Vec[2, 2]], Vec[2, 2])(lambda x, t: x[rose.index(rose.floor(t), 3)])
    assert f([1.0, 2.0, 4.0], [[0.5, 2.5], [1.0, 0.0]]).tolist() == [[1.0, 4.0], [2.0, 1.0]]
    with pytest.raises(AssertionFailed, match="from 0 to 3 - 1"):
        f([1.0, 2.0, 4.0], [[0.5, 2.5], [-1.0, 0.0]])


def test_a_size_may_be_that_of_a_call():
    n = dim("n")
    f = fn([Vec[n], Real], Real)(lambda x, e: x[rose.index(e, n)])
    g = rose.compile(f, dynamic=True)
    assert [g([1.0, 2.0, 3.0], 2.0), g([4.0], 0.0)] == [3.0, 4.0]
    with pytest.raises(AssertionFailed):
        g([4.0], 1.0)


def test_it_runs_eagerly():
    f = fn([Vec[3], Real], Real)(lambda x, e: x[rose.index(e, 3)])
    with rose.eager():
        assert f([1.0, 2.0, 3.0], 1.0) == 2.0
        with pytest.raises(AssertionFailed):
            f([1.0, 2.0, 3.0], 1.5)


def test_what_can_be_no_index_is_an_error():
    with pytest.raises(OutOfRange, match="is no index below 3"):
        _ = fn([Vec[3]], Real)(lambda x: x[rose.index(3, 3)]).func
    with pytest.raises(TypeMismatch, match="takes a number, not"):
        _ = fn([Vec[3]], Real)(lambda x: x[rose.index(x[0] > 0, 3)]).func
    with pytest.raises(OutOfRange, match="below 0"):
        _ = fn([Vec[0], Real], Real)(lambda x, e: x[rose.index(e, 0)]).func
