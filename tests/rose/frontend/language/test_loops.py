"""Loops over `rose.range`, and the vectors, sums and folds over them."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rose
from rose import OutOfRange, Real, RoseError, TypeMismatch, Vec, fn
from rose.frontend.language.loops import iterations, size_of
from rose.ir import FOR, building
from rose.ir.callgraph import instructions

DATA = [3.0, -1.0, 2.5]


def of_three(body: Any, t: Any = Real) -> Any:
    return fn([Vec[3]], t)(body)


@pytest.mark.parametrize(("fold", "wanted"), [(rose.sum, 4.5), (rose.prod, -7.5), (rose.min, -1.0), (rose.max, 3.0)])
def test_a_fold_over_a_loop_is_that_over_a_list(fold: Any, wanted: float):
    assert of_three(lambda v: fold(v[i] for i in rose.range(3)))(DATA) == wanted
    assert of_three(lambda v: fold([v[0], v[1], v[2]]))(DATA) == wanted
    assert of_three(lambda v: fold(v))(DATA) == wanted


def test_a_loop_is_traced_once():
    count: list[int] = []
    f = of_three(lambda v: rose.vec(count.append(1) or 2.0 * v[i] for i in rose.range(3)), Vec[3])
    assert f(DATA).tolist() == [6.0, -2.0, 5.0]
    assert count == [1]
    assert [v.op for v in instructions(f.func.body)].count(FOR) == 1


def test_a_generator_over_two_loops_is_one_sum():
    f = of_three(lambda v: rose.sum(v[i] * v[j] for i in rose.range(3) for j in rose.range(3)))
    assert f(DATA) == pytest.approx(4.5**2)
    with pytest.raises(TypeMismatch, match="a generator over two loops"):
        _ = of_three(lambda v: rose.vec(v[i] for i in rose.range(3) for _ in rose.range(3)), Vec[3]).func


@pytest.mark.parametrize(("fold", "wanted"), [(rose.sum, 0.0), (rose.prod, 1.0), (rose.logsumexp, -math.inf)])
def test_of_nothing_a_fold_is_its_neutral_number(fold: Any, wanted: float):
    assert fn([Vec[0]], Real)(lambda v: fold(v))([]) == wanted


@pytest.mark.parametrize("fold", [rose.min, rose.max])
def test_nothing_has_no_least_number(fold: Any):
    with pytest.raises(OutOfRange, match="of nothing"):
        _ = fn([Vec[0]], Real)(lambda v: fold(v)).func


@pytest.mark.parametrize("n", [-1, 2**40, 1.5, "3"])
def test_a_number_of_iterations_is_a_host_integer(n: Any):
    with building("f"), pytest.raises(RoseError):
        list(rose.range(n))


def test_the_size_of_a_range_is_known_before_it_begins():
    with building("f") as b:
        assert size_of(rose.range(3)) == iterations(3, "f", b.loc) == 3  # pyright: ignore
        assert size_of([1, 2]) is None
