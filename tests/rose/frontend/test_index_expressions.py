"""Indices that are written with a minus: the expression on traced indices reads what it reads on Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, OutOfRange, Real, RoseError, TypeMismatch, Vec, fn
from rose.frontend.index_expressions import within

Index = Callable[[Any, Any], Any]
dim = rose.dim("n")

OF_ANY_SIZE: dict[str, Index] = {  # of i below n, for a vector of n elements
    "(i + n - 1) % n": lambda i, n: (i + n - 1) % n,
    "(i + (n - 1)) % n": lambda i, n: (i + (n - 1)) % n,
    "(i - 1) % n": lambda i, n: (i - 1) % n,
    "(i - 2) % n": lambda i, n: (i - 2) % n,
    "(i + 1) % n": lambda i, n: (i + 1) % n,
    "-i % n": lambda i, n: -i % n,
    "n - 1 - i": lambda i, n: n - 1 - i,
    "n - (i + 1)": lambda i, n: n - (i + 1),
    "-1 - i + n": lambda i, n: -1 - i + n,
    "(i + 1) - 1": lambda i, n: (i + 1) - 1,
    "n - 1 - (n - 1 - i)": lambda i, n: n - 1 - (n - 1 - i),
    "(2 * i - n) % n": lambda i, n: (2 * i - n) % n,
    "(3 * (i - 1)) % n": lambda i, n: (3 * (i - 1)) % n,
    "(i - 1) % n of (i - 1) % n": lambda i, n: ((i - 1) % n - 1) % n,
}
OF_SIX: dict[str, tuple[int, Index]] = {  # of i below a number, for a vector of 6 elements
    "2 * i + 1": (3, lambda i, n: 2 * i + 1),
    "5 - 2 * i": (3, lambda i, n: 5 - 2 * i),
    "2 * (2 - i)": (3, lambda i, n: 2 * (2 - i)),
    "(5 - i) // 2": (6, lambda i, n: (5 - i) // 2),
    "(i + 3) - 2": (4, lambda i, n: (i + 3) - 2),
    "5.0 - i": (6, lambda i, n: int(5.0 - i) if isinstance(i, int) else 5.0 - i),
    "4 - i + (1 - i)": (3, lambda i, n: 4 - i + (1 - i)),
}
X = np.random.default_rng(5).normal(size=6)


def read(n: Any, count: Any, index: Index) -> Any:
    return rose.fn([Vec[n]], Vec[count])(lambda v: rose.vec(v[index(i, n)] for i in rose.range(count)))


def picked(n: int, count: int, index: Index) -> Any:
    return [X[index(i, n)] for i in range(count)]


@pytest.mark.parametrize("name", OF_ANY_SIZE)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_an_index_is_what_it_is_in_python(name: str, n: int):
    f, want = read(n, n, OF_ANY_SIZE[name]), picked(n, n, OF_ANY_SIZE[name])
    assert f(X[:n]).tolist() == want
    with rose.eager():
        assert f(X[:n]).tolist() == want


@pytest.mark.parametrize("name", OF_ANY_SIZE)
def test_an_index_is_the_same_for_every_size(name: str):
    module = rose.compile(read(dim, dim, OF_ANY_SIZE[name]), dynamic=True)
    for n in range(7):
        assert module(X[:n]).tolist() == picked(n, n, OF_ANY_SIZE[name])


@pytest.mark.parametrize("name", OF_SIX)
def test_an_index_with_factors_is_what_it_is_in_python(name: str):
    count, index = OF_SIX[name]
    assert read(6, count, index)(X).tolist() == picked(6, count, index)


@pytest.mark.parametrize("name", OF_ANY_SIZE)
def test_derivatives_go_through_an_index(name: str):
    index = OF_ANY_SIZE[name]
    f = rose.fn([Vec[6]], Real)(lambda v: rose.sum(v[i] * v[index(i, 6)] for i in rose.range(6)))
    matrix = np.zeros((6, 6))
    for i in range(6):
        matrix[i, index(i, 6)] += 1.0
        matrix[index(i, 6), i] += 1.0
    assert np.allclose(rose.grad(f)(X), matrix @ X)
    assert np.array_equal(rose.hessian(f)(X), matrix)


@rose.struct
class Link:
    at: Vec[2]
    weight: Real


def test_an_index_reads_and_adds_everywhere():
    @fn
    def ring(links: Vec[4, Link]) -> Vec[4]:
        out = rose.accum([0.0] * 4)
        for i in rose.range(4):
            out[3 - i] += links[(i - 1) % 4].at[1] * links[i].weight
        return out.value

    links = [Link([k, 10.0 + k], k + 1.0) for k in range(4)]
    assert ring(links).tolist() == [links[(i - 1) % 4].at[1] * links[i].weight for i in (3, 2, 1, 0)]


def test_an_index_is_given_to_a_function_and_taken_from_one_around():
    @fn
    def at(v: Vec[6], k: Fin[6]) -> Real:
        return v[k]

    @fn
    def f(v: Vec[6]) -> Real:
        return rose.scan(
            lambda i, s: s + at(v, 5 - i) * rose.cond(s > 0.0, lambda: v[(i - 1) % 6], lambda: 1.0), 0.0, 6
        )

    s = 0.0
    for i in range(6):
        s += X[5 - i] * (X[i - 1] if s > 0.0 else 1.0)
    assert f(X) == s


def test_what_was_recorded_of_the_number_is_gone():
    text = rose.compile(read(6, 6, lambda i, n: n - 1 - i)).pretty()
    assert "ifrom" in text
    assert "real" not in text


@pytest.mark.parametrize("index", [lambda i: i - 1, lambda i: 4 - i, lambda i: 6 - i, lambda i: (i - 1) % 7])
def test_what_may_be_out_of_range_is_refused(index: Any):
    with pytest.raises(RoseError):
        _ = rose.fn([Vec[6]], Vec[6])(lambda v: rose.vec(v[index(i)] for i in rose.range(6))).func


@pytest.mark.parametrize(
    "index", [lambda x, i: x, lambda x, i: x - i, lambda x, i: i / 2, lambda x, i: i - 0.5, lambda x, i: x % 6]
)
def test_a_number_is_no_index(index: Any):
    with pytest.raises((TypeMismatch, OutOfRange), match=r"cannot index a vector"):
        _ = rose.fn([Vec[6], Real], Vec[6])(lambda v, x: rose.vec(v[index(x, i)] for i in rose.range(6))).func


def test_long_expressions_end():
    def index(i: Any) -> Any:
        x = i - 1.0
        for _ in range(60):
            x = x + x
        return x

    with pytest.raises(RoseError):
        _ = rose.fn([Vec[6]], Vec[6])(lambda v: rose.vec(v[index(i)] for i in rose.range(6))).func


@pytest.mark.parametrize("n", [1, 2, 4])
def test_an_index_within_a_size_is_the_last_one_where_it_is_beyond(n: int):
    near: Index = lambda i, n: within(i, n)
    f = fn([Vec[n]], Vec[6])(lambda x: rose.vec(x[near(i, n)] for i in rose.range(6)))
    assert f(range(n)).tolist() == [min(k, n - 1) for k in range(6)]


def test_an_index_within_a_size_that_holds_its_type_is_itself_and_within_none_it_reads_nothing():
    same: list[bool] = []
    body: Index = lambda i, j: same.extend([within(i, 3) is i, within(j, 0).type is Fin[0]]) or 0.0
    assert fn([Fin[3], Fin[7]], Real)(body)(1, 2) == 0.0
    assert all(same)
