"""What is noted of the comparisons of a run, which of them a user wrote, and the search for where they flip."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rose
from rose import Bool, Fin, Real, Vec
from rose.host import comparisons
from rose.host.comparisons import Record, Search, from_leaves, leaf_types, leaves_of, named
from rose.host.interpreter import Watch, run
from rose.ir.ops import lt

n = rose.dim("n")


class Recorder(Watch):
    def __init__(self) -> None:
        super().__init__()
        self.record = Record()

    def step(self, v: Any, xs: list[Any], env: Any) -> Any:
        answer = super().step(v, xs, env)
        self.record.note(v, xs, answer)
        return answer


def recorded(f: Any, *xs: Any) -> Record:
    watch = Recorder()
    run(f.func, *xs, watch=watch)
    return watch.record


def flip(body: Any, types: list[Any], base: list[Any], other: list[Any], most: int = 200) -> Any:
    f = rose.fn(types, Real)(body)
    search = Search(lambda leaves: recorded(f, *leaves), f.types, most)
    (site,) = recorded(f, *base).first
    return search.flip(site, base, other)


def test_a_run_is_recorded_in_loops_branches_and_functions():
    inner = rose.fn([Real], Real)(lambda x: rose.select(x > 1.0, x, 1.0))
    f = rose.fn([Real], Real)(lambda x: rose.cond(x == 2.0, lambda: inner(x), lambda: rose.sqrt(x)))
    record = recorded(f, 2.0)
    assert sorted(record.first.values()) == [-1.0, 0.0]
    assert [v.op.name for v in record.ties] == ["eq"]
    assert list(recorded(f, 9.0).first.values()) == [7.0, 9.0]
    loop = rose.fn([Vec[3]], Real)(lambda v: rose.sum(rose.select(v[i] < 1.0, 1.0, 0.0) for i in rose.range(3)))
    assert list(recorded(loop, (0.0, 2.0, 1.0)).answers.values()) == [{True, False}]


FLIPS = [
    (lambda x: rose.select(x > 3.0, 1.0, 0.0), [0.1], [0.7], ([3.0], 0)),
    (lambda x: rose.select(2.0 * x - 1.0 <= 7.0, 1.0, 0.0), [-5.1], [-0.3], ([4.0], 0)),
    (lambda x: rose.select(x == 1e6, 1.0, 0.0), [0.25], [0.5], ([1e6], 0)),
    (lambda x: rose.select(x * x < -1.0, 1.0, 0.0), [0.25], [0.5], None),
    (lambda x: rose.select(rose.floor(x) * 0.0 > 1.0, 1.0, 0.0), [0.25], [0.5], None),
    (lambda x: rose.sqrt(x + 2.0), [0.25], [0.5], ([-2.0], 0)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "base", "other", "found"), FLIPS)
def test_where_a_comparison_flips(body: Any, base: list[float], other: list[float], found: Any):
    assert flip(body, [Real], base, other) == found


def test_a_curve_flips_near_its_root():
    (x,), k = flip(lambda x: rose.select(rose.exp(x) > 60.0, 1.0, 0.0), [Real], [0.25], [0.5])
    assert (k, x) == (0, pytest.approx(math.log(60.0), rel=1e-15))


def test_the_number_on_which_a_comparison_depends_is_found():
    xs, ys = [0.5 + k for k in range(9)], [0.25 * k for k in range(9)]
    found, k = flip(lambda *v: rose.select(v[6] > 100.0, 1.0, 0.0), [Real] * 9, xs, ys)
    assert (k, found) == (6, [*xs[:6], 100.0, *xs[7:]])
    found, k = flip(lambda i, x: rose.select(i == 17, 1.0, x), [Fin[50], Real], [3, 0.5], [40, 0.25])
    assert (k, found) == (0, [17, 0.5])
    assert flip(lambda x, y: rose.select(x > y, 1.0, 0.0), [Real, Real], [1.0, 4.0], [2.0, 3.0]) == ([4.0, 4.0], 0)


def test_the_search_ends():
    with pytest.raises(comparisons.Spent):
        flip(lambda x: rose.select(rose.exp(x) > 60.0, 1.0, 0.0), [Real], [0.25], [0.5], most=4)


def test_the_comparisons_that_a_user_wrote():
    f = rose.fn([Real], Real)(lambda x: rose.select(x < 2.0, rose.relu(x), x % 3.0) + rose.max(x, 1.0) + rose.norm([x]))
    g = rose.fn([Real], Real)(lambda x: f(x) * 2.0)

    @g.jvp
    def _(x: Any) -> Any:
        return rose.Dual(g(x.re), rose.select(x.re == 4.0, 1.0, 2.0) * x.du)

    for h in (g, rose.grad(g), rose.grad(rose.grad(g))):
        of_program, of_rules = named(h.func)
        assert [op for _, op in of_program] == [lt]
        assert [op.name for _, op in of_rules] == ["eq"]


def test_leaves():
    f = rose.fn([{"a": Real, "b": Vec[2, {"c": Fin[3], "d": Bool}]}], Real)(lambda p: p["a"])
    x = (1.5, ((2, True), (0, False)))
    leaves = list(leaves_of(x, f.types[0]))
    assert leaves == [1.5, 2, True, 0, False]
    assert len(list(leaf_types(f.types[0]))) == 5
    assert from_leaves(iter(leaves), f.types[0]) == x
