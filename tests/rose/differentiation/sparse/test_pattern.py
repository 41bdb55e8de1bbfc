"""The pattern of a Jacobian: just the entries that the program can make, in each construct of the language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sparse_functions import Item, rosenbrock

import rose
from rose import Dual, Fin, Real, Vec, fn
from rose.differentiation.sparse import abstract_interpreter, pattern
from rose.errors import RoseError


@fn
def product(x: Real, y: Real) -> Real:
    return x * rose.sin(y)


@fn
def neighbours(x: Vec[5]) -> Vec[4]:
    return rose.vec(product(x[i], x[i + 1]) for i in rose.range(4))


@fn
def stencil(u: Vec[3, Vec[3]]) -> Vec[3, Vec[3]]:
    """Inside, the sum of the four neighbours; on the border, nothing moves."""

    def at(i: Any, j: Any) -> Any:
        inside = (i == 1) & (j == 1)
        around = [u[(i + 1) % 3][j], u[(i + 2) % 3][j], u[i][(j + 1) % 3], u[i][(j + 2) % 3]]
        return rose.select(inside, around[0] + around[1] + around[2] + around[3], 0.0)

    return rose.vec(rose.vec(at(i, j) for j in rose.range(3)) for i in rose.range(3))


@fn
def sparse_product(x: Vec[3]) -> Vec[4]:
    """A matrix of coordinates, one of whose numbers is 0."""
    rows, cols = rose.constant(Vec[4, Fin[4]], [0, 0, 1, 3]), rose.constant(Vec[4, Fin[3]], [1, 2, 2, 0])
    numbers = rose.constant(Vec[4], [1.0, 2.0, 0.0, 3.0])
    y = rose.accum(rose.constant(Vec[4], [0.0] * 4))
    for k in rose.range(4):
        y[rows[k]] += numbers[k] * x[cols[k]]
    return y.value


@fn
def dense_data(x: Vec[3]) -> Vec[2]:
    a = rose.constant(Vec[2, Vec[3]], [[1.0, 0.0, 2.0], [0.0, -0.0, 3.0]])
    return rose.vec(rose.sum(a[i][j] * x[j] for j in rose.range(3)) for i in rose.range(2))


@fn
def running(x: Vec[4]) -> Vec[4]:
    return rose.scan(lambda i, s: (s + x[i], (s + x[i]) ** 2), 0.0, 4)[1]


@fn
def third_of_running(x: Vec[4]) -> Real:
    return running(x)[2]


@fn
def read_anywhere(x: Vec[3], k: Fin[3]) -> Vec[2]:
    return [x[k] * 2, x[0]]


@fn
def added_anywhere(x: Vec[3], k: Fin[3]) -> Vec[3]:
    y = rose.accum(rose.constant(Vec[3], [0.0] * 3))
    y[k] += x[1]
    y[0] += x[0]
    return y.value


@fn
def added_anywhere_in_rows(x: Vec[2], k: Fin[2]) -> Vec[2, Vec[2]]:
    y = rose.accum(rose.constant(Vec[2, Vec[2]], [[0.0] * 2] * 2))
    y[k][1] += x[0]
    y[0][k] += x[1]
    return y.value


@fn
def of_arms(x: Vec[3]) -> Vec[2]:
    first = rose.cond(x[0] > 0, lambda: x[1], lambda: x[2])
    return [first, rose.select(x[0] > 0, x[1], 3.0)]


@fn
def of_known_arms(x: Vec[4]) -> Vec[4]:
    return rose.vec(rose.cond(i < 2, lambda i=i: x[i] ** 2, lambda: x[3]) for i in rose.range(4))


@fn
def unknown_turns(x: Vec[4]) -> Vec[4]:
    return rose.while_loop(lambda s: s[3] < 3.0, lambda s: [s[1], s[0] * x[3], s[2], s[3] + 0.5], x)


@fn
def moved_along(x: Vec[6]) -> Vec[6]:
    """Each turn brings a number one place further: as many turns are needed to see where the first can come."""
    return rose.while_loop(lambda s: s[0] < 3.0, lambda s: [s[0], s[0] + s[1], s[1], s[2], s[3], s[4]], x)


@fn
def fields(p: Item, q: Real) -> Item:
    return Item(p.b[0] * q, p.k, [p.a, 1.0], p.on)


@fn
def flat_parts(x: Vec[4]) -> Vec[4]:
    return [rose.floor(x[0]), rose.stop_gradient(x[1]), x[2] * 0.0, rose.select(x[3] > 0, 1.0, 2.0)]


@fn
def halved(x: Vec[2]) -> Vec[2]:
    return [x[0] + x[1], x[0]]


@halved.jvp
def halved_rule(x: Any) -> Any:
    """A rule that is no derivative: what it says is what counts."""
    return [Dual(x[0].re, x[1].du * 0.5), Dual(x[1].re, x[1].du * x[0].re)]


@fn
def with_a_rule(x: Vec[2]) -> Vec[2]:
    return halved([x[1], x[0]])


@fn
def of_numbers_that_cancel(x: Vec[2]) -> Real:
    return x[0] - x[0] + x[1]


@fn
def nothing_in(x: Vec[0]) -> Vec[2]:
    return [1.0, 2.0]


@fn
def nothing_out(x: Vec[2]) -> Vec[0]:
    return rose.vec(x[0] for _ in rose.range(0))


ALL3 = [0, 1, 2]
PATTERNS: list[tuple[Any, Any, list[list[int]]]] = [
    (neighbours, 0, [[0, 1], [1, 2], [2, 3], [3, 4]]),
    (rosenbrock(5), 0, [[0, 1, 2, 3, 4]]),
    (rose.grad(rosenbrock(5)), 0, [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4]]),
    (stencil, 0, [[], [], [], [], [1, 3, 5, 7], [], [], [], []]),
    (sparse_product, 0, [[1, 2], [], [], [0]]),
    (dense_data, 0, [[0, 2], [2]]),
    (running, 0, [[0], [0, 1], ALL3, [0, 1, 2, 3]]),
    (rose.grad(third_of_running), 0, [ALL3, ALL3, ALL3, []]),
    (read_anywhere, 0, [ALL3, [0]]),
    (added_anywhere, 0, [[0, 1], [1], [1]]),
    (added_anywhere_in_rows, 0, [[1], [0, 1], [], [0]]),
    (of_arms, 0, [[1, 2], [1]]),
    (of_known_arms, 0, [[0], [1], [3], [3]]),
    (unknown_turns, 0, [[0, 1, 3], [0, 1, 3], [2], [3]]),
    (moved_along, 0, [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]]),
    (fields, 0, [[1], [0], []]),
    (fields, 1, [[0], [], []]),
    (fields, (0, 1), [[1, 3], [0], []]),
    (fields, (1, 0), [[0, 2], [1], []]),
    (flat_parts, 0, [[], [], [], []]),
    (with_a_rule, 0, [[0], [0]]),
    (of_numbers_that_cancel, 0, [[0, 1]]),
    (nothing_in, 0, [[], []]),
    (nothing_out, 0, []),
]


@pytest.mark.parametrize(("f", "argnums", "rows"), PATTERNS, ids=lambda x: getattr(x, "name", None))
def test_the_pattern_is_that_of_the_program(f: Any, argnums: Any, rows: list[list[int]]):
    pattern = rose.sparsity(f, argnums)
    assert pattern.by_row() == rows
    n = sum([len(list(_numbers(f.types[k]))) for k in ([argnums] if isinstance(argnums, int) else argnums)])
    assert pattern.shape == (len(rows), n) and pattern.nnz == sum(map(len, rows))


def _numbers(t: Any) -> Any:
    if hasattr(t, "elem"):
        for _ in range(t.size):
            yield from _numbers(t.elem)
    elif hasattr(t, "items"):
        for s in t.items:
            yield from _numbers(s)
    elif t is Real:
        yield t


@fn
def by_turns(x: Vec[4]) -> Real:
    """The state of a loop of unknown length, kept for each turn by its derivative."""
    return rose.while_loop(lambda s: s[1] < 3.0, lambda s: [s[0] * x[0], s[1] + x[1] * x[1]], [x[2], x[3]])[0]


def test_the_derivative_of_a_loop_of_unknown_length_leaves_nothing_out():
    pattern, dense = rose.sparsity(rose.grad(by_turns)), rose.hessian(by_turns)([0.5, 0.9, 2.0, 0.1])
    assert {(i, j) for i in range(4) for j in range(4) if dense[i][j]} <= set(
        zip(pattern.rows, pattern.cols, strict=True)
    )


@fn
def of_a_vector_of_points(p: Vec[2, tuple[Real, Vec[2]]]) -> Vec[2, tuple[Real, Real]]:
    return rose.vec((p[i][0] * p[i][1][0], p[i][1][1]) for i in rose.range(2))


def test_numbers_are_in_the_order_of_elements_and_fields():
    assert rose.sparsity(of_a_vector_of_points).by_row() == [[0, 1], [2], [3, 4], [5]]


def test_a_bundle_adjustment_has_a_block_for_each_camera_and_point():
    seen = [(0, 0), (0, 1), (1, 1), (1, 2)]

    @fn
    def residuals(cameras: Vec[2, Vec[3]], points: Vec[3, Vec[2]]) -> Vec[4, Vec[2]]:
        camera = rose.constant(Vec[4, Fin[2]], [c for c, _ in seen])
        point = rose.constant(Vec[4, Fin[3]], [p for _, p in seen])

        def one(c: Any, p: Any) -> Any:
            return [c[0] * p[0] + c[1], rose.exp(c[2]) * p[1]]

        return rose.vec(one(cameras[camera[k]], points[point[k]]) for k in rose.range(4))

    rows = rose.sparsity(residuals, (0, 1)).by_row()
    wanted = [([3 * c, 3 * c + 1, 6 + 2 * p], [3 * c + 2, 6 + 2 * p + 1]) for c, p in seen]
    assert rows == [row for pair in wanted for row in pair]


@fn
def masked(x: Real, y: Real, i: Fin[30], on: Real) -> Real:
    return rose.select(i < 20, x * y, y) * rose.select(on > 0.5, 1.0, x)


def test_calls_differ_by_what_is_known_of_their_arguments():
    """More of them than patterns are kept for one function."""
    on = [float(k % 3 == 0) for k in range(30)]

    @fn
    def f(x: Vec[30]) -> Vec[29]:
        data = rose.constant(Vec[30], on)
        return rose.vec(masked(x[i], x[i + 1], i, data[i]) for i in rose.range(29))

    assert rose.sparsity(f).by_row() == [[k, k + 1] if k < 20 or not on[k] else [k + 1] for k in range(29)]


def test_a_function_that_is_called_often_is_looked_at_once():
    calls: list[int] = []

    class Counted(abstract_interpreter.Dependence):
        def _pattern(self, f: Any, xs: list[Any]) -> Any:
            calls.append(1)
            return super()._pattern(f, xs)

    n = 500
    f = fn([Vec[n]], Vec[n - 1])(lambda x: rose.vec(product(x[i], x[i + 1]) for i in rose.range(n - 1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern, "Dependence", Counted)
        assert rose.sparsity(f).by_row() == [[k, k + 1] for k in range(n - 1)]
    assert len(calls) == 1


def test_a_pattern_is_the_same_inside_of_a_trace():
    found: list[rose.Sparsity] = []

    @fn
    def outer(y: Vec[3]) -> Real:
        @fn
        def inner(x: Vec[3]) -> Vec[3]:
            return rose.vec(x[i] * y[i] for i in rose.range(3))

        found.append(rose.sparsity(inner))
        return y[0]

    assert outer([1.0, 2.0, 3.0]) == 1.0
    assert found[0].by_row() == [[0], [1], [2]]


def test_a_comparison_that_single_precision_decides_otherwise_is_not_known():
    @fn
    def f(x: Vec[2]) -> Vec[2]:
        a, b = rose.constant(Vec[2], [1.0 + 1e-12, 3.0]), rose.constant(Vec[2], [1.0, 2.0])
        return rose.vec(rose.select(a[i] > b[i], x[0], x[1]) for i in rose.range(2))

    assert rose.sparsity(f).by_row() == [[0, 1], [0]]
    module = rose.compile(rose.jacobian(f, sparse=True), dtype="f32")
    assert module(np.float32([1, 2])).toarray().tolist() == [[0, 1], [1, 0]]


def test_the_pattern_of_twenty_thousand_turns():
    pattern = rose.sparsity(rose.grad(rosenbrock(20_000)))
    assert pattern.shape == (20_000, 20_000) and pattern.nnz == 3 * 20_000 - 2


def test_a_pattern_shows_its_size():
    assert repr(rose.sparsity(neighbours)) == "<Sparsity 4 x 5, 8 entries>"
    assert rose.sparsity(neighbours) is rose.sparsity(neighbours)


def test_a_function_of_any_size_has_no_pattern():
    n = rose.dim("n")

    @fn
    def f(x: Vec[n]) -> Vec[n]:
        return x

    asked: list[Callable[[], Any]] = [
        lambda: rose.sparsity(f),
        lambda: rose.jacobian(f, sparse=True),
        lambda: rose.compile(rose.fn([Vec[n]], Vec[n])(lambda x: [rose.sparsity(f)]), dynamic=True),
    ]
    for ask in asked:
        with pytest.raises(RoseError, match="is that of one size"):
            ask()
    assert rose.sparsity(f.at(n=2)).by_row() == [[0], [1]]


@pytest.mark.parametrize("wrong", [3, "x", lambda x: x])
def test_what_is_no_function_or_no_parameter_is_refused(wrong: Any):
    with pytest.raises(RoseError):
        rose.sparsity(neighbours if wrong in (3, "x") else wrong, wrong if wrong in (3, "x") else 0)


# loops that carry a state, in reverse too


@fn
def by_an_index(x: Vec[5]) -> Real:
    """A loop of unknown length, but its condition is known all the same."""

    def turn(s: Any) -> Any:
        return (s[0] + 1) % 5, s[1] + x[s[0]] * x[(s[0] + 1) % 5]

    return rose.while_loop(lambda s: s[0] < 3, turn, (rose.constant(Fin[5], 0), 0.0))[1]


def test_turns_that_an_index_counts_are_known_in_reverse_too():
    assert rose.sparsity(by_an_index).cols == (0, 1, 2, 3)
    assert rose.sparsity(rose.grad(by_an_index)).by_row() == [[1], [0, 2], [1, 3], [2], []]


WAYS: list[dict[str, Any]] = [
    {}, {"checkpoint": "sqrt"}, {"checkpoint": "binomial", "snapshots": 2}, {"checkpoint": "binomial"},
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(map(str, way.values())) or "all is kept")
def test_a_scan_that_forgets_has_neighbours_only(way: Any):
    """Whatever it keeps for its derivative."""

    @fn
    def f(x: Vec[20]) -> Real:
        return rose.scan(lambda i, s: (x[i], s[1] + s[0] * x[i] ** 2), (1.0, 0.5), 20, **way)[1]

    dense = rose.hessian(f)(np.linspace(0.1, 2.0, 20))
    assert rose.sparsity(rose.grad(f)).by_row() == [np.flatnonzero(row).tolist() for row in dense]
    assert (rose.hessian(f, sparse=True)(np.linspace(0.1, 2.0, 20)).toarray() == dense).all()


@fn(syntax=True)
def of_plain_branches(x: Vec[4]) -> Real:
    total = 0.0
    for i in rose.range(4):
        if i < 2:
            total += x[i] ** 2
        elif x[0] > 0.0:
            total += x[i] * x[0]
    return total


@fn
def of_the_library(x: Vec[4]) -> Vec[4]:
    return rose.vec(rose.norm([x[i], x[(i + 1) % 4]]) + rose.logsumexp([x[i], x[3]]) for i in rose.range(4))


@fn
def of_matrices(x: Vec[2, Vec[2]]) -> Vec[2, Vec[2]]:
    return rose.matmul(x, rose.transpose(x))


def test_branches_and_the_library_are_seen_through():
    assert rose.sparsity(rose.grad(of_plain_branches)).by_row() == [[0, 2, 3], [1], [0], [0]]
    assert rose.sparsity(of_the_library).by_row() == [[0, 1, 3], [1, 2, 3], [2, 3], [0, 3]]
    assert rose.sparsity(of_matrices).by_row() == [[0, 1], [0, 1, 2, 3], [0, 1, 2, 3], [2, 3]]


@pytest.mark.slow
def test_calls_may_be_as_deep_as_programs_are_long():
    def after(g: Any) -> Any:
        return fn([Vec[3]], Vec[3])(lambda x: g([x[1], x[0], x[2]]))

    f = fn([Vec[3]], Vec[3])(lambda x: [x[0] * x[1], x[1], x[2]])
    for _ in range(1500):
        f = after(f)
        assert f.func is not None
    assert rose.sparsity(f).by_row() == [[0, 1], [1], [2]]


def test_a_branch_on_an_accumulated_number_is_any_of_its_sides():
    def body(x: Any) -> Any:
        total = rose.accum(1.0)
        for _ in rose.range(1):
            total += 1.0
        n = total.value
        return rose.cond(n < 1.5, lambda: x[0], lambda: x[1] * x[1])

    f = rose.fn([Vec[2]], Real)(body)
    assert rose.sparsity(f).cols == (0, 1)
    assert rose.jacobian(f, sparse=True)([3.0, 2.0]).toarray().tolist() == [[0.0, 4.0]]
