"""`rose.accum`: sums that loops add to."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, RoseError, Vec, fn


def summed(body: Any, t: Any = Real) -> Any:
    return fn([Vec[3]], t)(body)([1.0, 2.0, 4.0])


def test_a_loop_adds_and_subtracts():
    def f(v: Any) -> Any:
        total = rose.accum(10.0)
        for i in rose.range(3):
            total += v[i]
            total -= 2.0 * v[i]
        return total.value

    assert summed(f) == 3.0


def test_parts_are_added_to():
    def f(v: Any) -> Any:
        total = rose.accum({"a": 0.0, "b": [0.0, 0.0]})
        for i in rose.range(3):
            total.a += v[i]
            total.b[1] += 2.0 * v[i]
        return total.value

    assert summed(f, {"a": Real, "b": Vec[2]})["b"].tolist() == [0.0, 14.0]


def after(total: Any) -> Any:
    _ = total.value
    total += 1.0
    return total.value


def inside(total: Any) -> Any:
    for _ in rose.range(3):
        total += 1.0
        _ = total.value
    return 0.0


def assigned(total: Any) -> Any:
    total.x = 1.0


@pytest.mark.parametrize("wrong", [after, inside, assigned, lambda total: total * 2.0, lambda total: total[0].value])
def test_a_wrong_use_is_refused(wrong: Any):
    f = fn([Vec[3]], Real)(lambda v: wrong(rose.accum(0.0)))
    with pytest.raises(RoseError):
        _ = f.func


def test_a_branch_cannot_add_to_an_accumulator_around_it():
    def f(x: Any) -> Any:
        total = rose.accum(0.0)
        return rose.cond(x > 0.0, lambda: total.__iadd__(x).value, lambda: 0.0)

    with pytest.raises(RoseError, match="outside of the function that opened it"):
        _ = fn([Real], Real)(f).func


def items_read_in_a_generator(x: Any) -> Any:
    a = rose.accum([0.0, 0.0])
    for i in rose.range(2):
        a[i] += x * i
    return rose.sum(a.value[i] ** 2 for i in rose.range(2))


def number_read_in_a_loop_in_a_loop(x: Any) -> Any:
    a, b = rose.accum(0.0), rose.accum(0.0)
    for _ in rose.range(3):
        a += x
    for i in rose.range(2):
        for _ in rose.range(2):
            b += a.value**2 * (i + 1)
    return b.value


def opened_and_read_in_a_loop(x: Any) -> Any:
    def row(i: Any) -> Any:
        a = rose.accum(x * i)
        for _ in rose.range(2):
            a += x
        return rose.sum(a.value**2 for _ in rose.range(3))

    return rose.sum(row(i) for i in rose.range(2))


READS = [(items_read_in_a_generator, 1.0), (number_read_in_a_loop_in_a_loop, 54.0), (opened_and_read_in_a_loop, 39.0)]


@pytest.mark.parametrize(("body", "factor"), READS)
def test_an_accumulator_is_read_in_a_loop_that_does_not_add_to_it(body: Any, factor: float):
    f = rose.fn([Real], Real)(body)
    assert rose.compile(f)(1.5) == factor * 2.25
    assert rose.grad(f)(1.5) == factor * 3.0 and rose.grad(rose.grad(f))(1.5) == factor * 2.0
    with rose.eager():
        assert f(1.5) == factor * 2.25


def test_several_indices_name_an_element():
    @rose.fn
    def f(x: rose.Vec[2, 3]) -> rose.Vec[2, 3]:
        total = rose.accum([[0.0] * 3] * 2)
        for i in rose.range(2):
            for j in rose.range(3):
                total[1 - i, j] += 2.0 * x[i, j]
        total[0, -1] -= 1.0
        return total.value

    assert f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).tolist() == [[8.0, 10.0, 11.0], [2.0, 4.0, 6.0]]
