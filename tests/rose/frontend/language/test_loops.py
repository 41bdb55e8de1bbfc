"""Loops over `rose.range`, and the vectors, sums and folds over them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rose
from rose import OutOfRange, Real, RoseError, TypeMismatch, Vec, fn
from rose.frontend.language.loops import Bounds, iterations_of, range_of
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


def test_the_bounds_of_a_range_are_known_before_it_begins():
    with building("f") as b:
        assert range_of(rose.range(3)) == iterations_of(3, "f", b.loc) == Bounds(3)
        assert range_of(rose.range(2, 5)) == Bounds(3, None, 2)
        assert range_of([1, 2]) is None


@pytest.mark.parametrize(("start", "stop"), [(0, 3), (1, 3), (2, 2), (3, 1), (0, 0)])
def test_a_range_of_two_integers_is_that_of_python(start: int, stop: int):
    f = of_three(lambda v: rose.sum(v[i] * 10.0**i for i in rose.range(start, stop)))
    assert f(DATA) == sum([DATA[i] * 10.0**i for i in range(start, stop)])


@pytest.mark.parametrize(
    "bounds",
    [(0, 3, 2), (0, 2, 2), (1, 3, 5), (2, -1, -1), (2, 0, -1), (2, -1, -2), (1, 1, -1), (0, 2, -1), (-1, -1, -1)],
)
def test_a_range_with_a_step_is_that_of_python(bounds: tuple[int, int, int]):
    def total(v: Any) -> Any:
        return rose.scan(lambda i, s: 10.0 * s + v[i], 0.0, rose.range(*bounds))

    wanted = 0.0
    for i in range(*bounds):
        wanted = 10.0 * wanted + DATA[i]
    assert of_three(total)(DATA) == wanted
    with rose.eager():
        assert of_three(total)(DATA) == wanted


def test_a_range_of_integers_makes_a_vector():
    f = of_three(lambda v: rose.vec(v[i] for i in rose.range(1, 3)), Vec[2])
    assert f(DATA).tolist() == [-1.0, 2.5]
    f = of_three(lambda v: rose.vec(v[i] for i in rose.range(2, -1, -2)), Vec[2])
    assert f(DATA).tolist() == [2.5, DATA[0]]


def test_a_scan_over_a_range_with_a_step_may_have_checkpoints():
    step = lambda i, s: rose.sin(s) + s * i
    over = lambda kept: rose.grad(fn([Real], Real)(lambda x: rose.scan(step, x, rose.range(9, -1, -3), **kept)))
    assert over({})(0.3) == over({"checkpoint": "sqrt"})(0.3)


@pytest.mark.parametrize(
    ("step", "error"), [(0, OutOfRange), (1.5, TypeMismatch), (2**40, OutOfRange), (None, TypeMismatch)]
)
def test_a_step_is_an_integer_other_than_zero(step: Any, error: Any):
    with building("f"), pytest.raises(error, match="the step of"):
        list(rose.range(0, 3, step))


@pytest.mark.parametrize(
    ("bounds", "wanted"),
    [
        (lambda i: (i,), lambda i: range(i)),
        (lambda i: (i + 1,), lambda i: range(i + 1)),
        (lambda i: (i - 1,), lambda i: range(i - 1)),
        (lambda i: (3 - i,), lambda i: range(3 - i)),
        (lambda i: (i, 3), lambda i: range(i, 3)),
        (lambda i: (3 - 1 - i, 3), lambda i: range(2 - i, 3)),
        (lambda i: (rose.max(i - 1, 0), rose.min(i + 2, 3)), lambda i: range(max(i - 1, 0), min(i + 2, 3))),
        (lambda i: (2, i), lambda i: range(2, i)),
        (lambda i: (rose.max(i, 1), rose.max(rose.min(i + 2, 3), 0)), lambda i: range(max(i, 1), min(i + 2, 3))),
        (lambda i: (rose.min(i, 1), rose.max(i, 1) + 1), lambda i: range(min(i, 1), max(i, 1) + 1)),
        (lambda i: (0, 1 + (rose.max(i + 1, 2) - 2)), lambda i: range(0, 1 + max(i + 1, 2) - 2)),
        (lambda i: (rose.max(i, 1) - 2, -1, -1), lambda i: range(max(i, 1) - 2, -1, -1)),
        (lambda i: (0, i, 2), lambda i: range(0, i, 2)),
        (lambda i: (i, 3, 2), lambda i: range(i, 3, 2)),
        (lambda i: (1, i + 5, 3), lambda i: range(1, i + 5, 3)),
        (lambda i: (i, -1, -1), lambda i: range(i, -1, -1)),
        (lambda i: (i - 1, -1, -1), lambda i: range(i - 1, -1, -1)),
        (lambda i: (2, i, -1), lambda i: range(2, i, -1)),
        (lambda i: (5, i - 1, -2), lambda i: range(5, i - 1, -2)),
        (lambda i: (i + 4, rose.max(i - 1, 1), -3), lambda i: range(i + 4, max(i - 1, 1), -3)),
        (lambda i: (i + 4, rose.min(i, 1), -1), lambda i: range(i + 4, min(i, 1), -1)),
    ],
)
def test_bounds_may_be_written_with_indices(bounds: Any, wanted: Any):
    f = of_three(lambda v: rose.vec(rose.sum(1.0 + j for j in rose.range(*bounds(i))) for i in rose.range(3)), Vec[3])
    assert f(DATA).tolist() == [sum([1.0 + j for j in wanted(i)]) for i in range(3)]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize(
    "bounds", [lambda n: (0, n, 2), lambda n: (n - 1, -1, -1), lambda n: (n - 1, -1, -2), lambda n: (1, n, 3)]
)
def test_a_range_with_a_step_may_have_a_size_of_run_time(bounds: Any, n: int):
    m, data = rose.dim("m"), [3.0, 1.0, 4.0, 1.5, 5.0][:n]
    f = fn([Vec[m]], Real)(lambda v: rose.sum(v[j] ** 2 * (j + 1) for j in rose.range(*bounds(m))))
    module = rose.compile({"f": f, "slope": rose.grad(f)}, dynamic=True)
    assert module.f(data) == sum([data[j] ** 2 * (j + 1) for j in range(*bounds(n))])
    assert module.slope(data).tolist() == [2 * data[j] * (j + 1) * (j in range(*bounds(n))) for j in range(n)]


def test_an_index_is_as_small_as_its_range_says():
    f = of_three(lambda v: rose.sum(v[j] for i in rose.range(4) for j in rose.range(i)))
    assert f(DATA) == 3 * DATA[0] + 2 * DATA[1] + DATA[2]


def test_the_larger_of_two_ends_is_no_larger_than_both():
    two = lambda v: ((i, j) for i in rose.range(3) for j in rose.range(2))
    f = of_three(lambda v: rose.sum(v[k] * (i + 1) for i, j in two(v) for k in rose.range(j, rose.max(i, j) + 1)))
    each = [(i, k) for i in range(3) for j in range(2) for k in range(j, max(i, j) + 1)]
    assert f(DATA) == sum([DATA[k] * (i + 1) for i, k in each])


@pytest.mark.parametrize("fold", [rose.min, rose.max])
def test_a_range_that_may_be_empty_has_no_least_number(fold: Any):
    with pytest.raises(OutOfRange, match="the length of a range is known only at run time"):
        _ = of_three(lambda v: fold(v[j] for i in rose.range(3) for j in rose.range(i))).func


@pytest.mark.parametrize(
    "vector",
    [
        lambda i: rose.vec(1.0 for _ in rose.range(i)),
        lambda i: rose.scan(lambda j, s: (s, s), 0.0, i)[1],
        lambda i: rose.scan(lambda j, s: s, 0.0, i, checkpoint="sqrt"),
    ],
)
def test_no_vector_has_a_length_of_run_time(vector: Any):
    with pytest.raises(TypeMismatch, match="at run time"):
        _ = fn([rose.Fin[3]], Real)(lambda i: rose.sum(vector(i))).func


def test_the_iterations_of_a_range_are_those_that_are_executed():
    seen: list[int] = []

    @rose.opaque
    def note(i: rose.Fin[5]) -> Real:
        seen.append(i)
        return 1.0

    f = fn([rose.Fin[5], rose.Fin[6]], Real)(lambda a, b: rose.sum(note(j) for j in rose.range(a, b)))
    assert f(1, 4) == 3.0 and seen == [1, 2, 3]
    assert f(4, 2) == 0.0 and len(seen) == 3


def pairs(x: Any) -> Any:
    i = rose.range(4)
    return rose.sum(rose.sum(x[j] * x[k] for j in i) for k in i)


def twice(x: Any) -> Any:
    i = rose.range(1, 4)
    return rose.sum(x[j] for j in i) + rose.prod(2.0 * x[j] for j in i) + rose.sum(rose.vec(x[j] for j in i))


def statements(x: Any) -> Any:
    total, i = rose.accum(0.0), rose.range(4)
    for j in i:
        for k in i:
            total += x[j] * x[k]
    for j in i:
        total += x[j]
    return total.value


def of_an_index(x: Any) -> Any:
    def row(k: Any) -> Any:
        below = rose.range(k)
        return rose.sum(x[j] for j in below) * rose.sum(x[j] * x[j] for j in below)

    return rose.sum(row(k) for k in rose.range(4))


X = np.array([1.0, 2.0, 3.0, 5.0])
AGAIN: list[tuple[Any, float]] = [
    (pairs, 121.0), (twice, 10.0 + 240.0 + 10.0), (statements, 121.0 + 11.0), (of_an_index, 0.0 + 1 + 3 * 5 + 6 * 14),
]  # fmt: skip


@pytest.mark.parametrize("syntax", [False, True])
@pytest.mark.parametrize(("body", "want"), AGAIN)
def test_each_for_over_a_range_is_a_loop_of_its_own(body: Any, want: float, syntax: bool):
    """A range that was used once had no indices left: sums over it again were 0."""
    f = fn([Vec[4]], Real, syntax=syntax)(body)
    assert f(X) == want
    with rose.eager():
        assert f(X) == want
    h = 1e-6
    slopes = [(body_at(f, k, h) - body_at(f, k, -h)) / (2 * h) for k in range(4)]
    np.testing.assert_allclose(rose.grad(f)(X), slopes, rtol=1e-6)


def body_at(f: Any, k: int, h: float) -> float:
    return f([x + h * (j == k) for j, x in enumerate(X)])
