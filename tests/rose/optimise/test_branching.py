"""Branches in the place of selects: one jump for several, what one side reads is computed there, and the same bits."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest
from harness import same
from optimising import HERE, code, fast

import rose
from rose import Real, Vec, fn, ir
from rose.host.interpreter import run
from rose.ir import Branch, Func
from rose.ir.callgraph import reachable
from rose.ir.check import check
from rose.ir.ops import eq, le, lt, ne, select
from rose.ir.types import Bool
from rose.optimise import costs
from rose.optimise.branching import Facts, branch
from rose.optimise.pipeline import Instruments, optimised

N = 9


@pytest.fixture(autouse=True)
def blocks_outside_of_loops_count_as_those_inside(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(costs, "BRANCH_SAVES", costs.BRANCH_SAVES_IN_LOOP)


@rose.struct
class Pair:
    a: Real
    b: Real


def branches(f: Func) -> int:
    return sum([isinstance(g.kind, Branch) for g in reachable(f)])


def selects(f: Func) -> int:
    return sum([v.op is select for g in reachable(f) if g.has_body for v in code(g)])


def costly(x: Any, y: Any) -> Any:
    return rose.select(x > y, rose.sin(x) * y / (1.0 + x * x), rose.sqrt(1.0 + (x - y) * (x - y)))


def summed(body: Any) -> Any:
    return lambda x: rose.sum(body(x[i], x[i + 1]) for i in rose.range(N - 1))


def scanned(x: Any) -> Any:
    step = lambda i, s: (rose.select(s > x[i], 0.5 * s + rose.tanh(x[i]), s * s / (1.0 + x[i] * x[i])), s)
    s, passed = rose.scan(step, 0.3, N)
    return s + rose.sum(passed[i] for i in rose.range(N))


def repeated(x: Any) -> Any:
    less = lambda s: rose.select(s > 1.0, 0.5 * s + rose.cos(s), s - rose.sqrt(s) / 4.0 - 0.01)
    return rose.while_loop(lambda s: s > 0.1, less, 4.0 + x[0] * x[0])


def pairs(x: Any) -> Any:
    made = rose.vec(
        rose.select(x[i] > 0.1, Pair(rose.exp(x[i]), x[i] / 3.0), Pair(x[i], rose.sqrt(2.0 + x[i])))
        for i in rose.range(N)
    )
    return rose.sum(made[i].a * made[j].b for i in rose.range(N) for j in rose.range(i))


def added(x: Any) -> Any:
    """The second sum must not go before the first."""
    total = rose.accum(0.0)
    for i in rose.range(N):
        total += costly(x[i], 0.2)
        total += x[i] * 1e3
    return total.value


def logical(x: Any, y: Any) -> Any:
    low, near = x < y, abs(x - y) < 0.5
    one = rose.select(low & near, rose.exp(x), rose.select(low | ~near, rose.sin(y) / x, 1.0))
    return one * rose.select(low, y, x)


FROM, TO = [3, 1, 4, 1, 5, 8, 2, 6, 5], [2, 7, 1, 8, 2, 8, 1, 8, 2]
SHAPES: dict[str, Any] = {
    "sides in a sum": summed(costly),
    "ties": summed(lambda x, y: rose.max(x, y) * rose.min(2.0 * x, y) + rose.max(x, x)),
    "clipped": summed(lambda x, y: rose.clip(x, -0.5, y) ** 2 * rose.relu(y - x)),
    "logic": summed(logical),
    "one in the other": summed(lambda x, y: rose.select(x > 0.0, costly(x, y), costly(y, -x) * rose.abs(x))),
    "arms": summed(lambda x, y: rose.cond(x > y, lambda: rose.sqrt(1.0 + x * x) / y, lambda: x * y / (2.0 + y * y))),
    "a state": scanned,
    "a while loop": repeated,
    "structs in a triangle": pairs,
    "two additions": added,
    "a condition from outside": lambda x: rose.sum(
        rose.select(x[0] > 0.3, rose.sin(x[i]) * x[2], x[i] / (2.0 + x[1])) for i in rose.range(N)
    ),
    "a convolution": lambda x: rose.sum(
        rose.relu(rose.sum(x[(2 * i + j) % N] * x[j] for j in rose.range(3))) ** 2 for i in rose.range(N)
    ),
    "a table of pairs": lambda x: rose.sum(
        rose.select(x[p] - x[q] > 0.2, (x[p] - x[q]) ** 2 * rose.exp(x[p]), 0.0)
        for k in rose.range(N)
        for p, q in [(rose.constant(Vec[N, rose.Fin[N]], FROM)[k], rose.constant(Vec[N, rose.Fin[N]], TO)[k])]
    ),
    "in one line": lambda x: costly(x[0], x[1]) * costly(x[1], x[2]),
}  # fmt: skip
POINTS = [
    tuple([math.sin(3.0 * k) for k in range(N)]),
    (0.0, -0.0, 0.0, 1.0, 1.0, -1.0, 0.1, 0.1, 0.3),
    (math.nan, 1.0, math.inf, -math.inf, 2.0, 0.5, math.nan, -0.0, 5e-324),
]


@pytest.mark.parametrize("body", SHAPES.values(), ids=SHAPES)
def test_the_bits_are_those_of_selects(body: Any):
    f = fn([Vec[N]], Real)(body)
    for g in (f, rose.value_and_grad(f), rose.jacfwd(f)):
        fast(g.func, *[(x,) for x in POINTS])


@pytest.mark.parametrize("body", SHAPES.values(), ids=SHAPES)
def test_the_bits_of_second_derivatives_and_of_single_precision(body: Any):
    f = fn([Vec[N]], Real)(body)
    fast(rose.hvp(f).func, (POINTS[0], POINTS[1]))
    got = rose.compile(rose.grad(f), dtype="f32")(POINTS[0])
    want = rose.grad(f)(POINTS[0])
    assert max(abs(a - b) for a, b in zip(got, want, strict=True)) < 2e-3


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_loop_of_a_size_that_a_call_decides(n: int):
    term = lambda x: costly(x, 0.1) * rose.max(x, 0.2)
    over = lambda size: fn([Vec[size]], Real)(lambda x: rose.sum(term(x[i]) for i in rose.range(size)))
    x = list(POINTS[0][:n])
    got = rose.compile(rose.grad(over(rose.dim("n"))), dynamic=True)(x)
    assert same(tuple(got), run(rose.grad(over(n)).func, tuple(x)))


def made(body: Any, *params: Any) -> Func:
    """The result of the pass alone."""
    with ir.building("f") as b:
        b.loc = HERE
        return branch(b.func(body(*[b.param(t) for t in params])))


def test_the_selects_of_one_condition_are_one_branch_and_what_they_read_is_in_it():
    def body(x: Any, y: Any) -> Any:
        c = x < y
        return select(c, rose.sqrt(x), y / x) + select(c, x * x * y, 1.0 / y) * select(~c, x, y)

    f = made(body, Real, Real)
    assert (branches(f), selects(f)) == (1, 0)
    assert [v.op.name for v in code(f) if v.op.name in ("sqrt", "div", "mul")] == []


def test_what_both_sides_read_is_computed_before():
    def body(x: Any, y: Any) -> Any:
        shared = rose.sqrt(x * x + y)
        return select(x < y, shared / x + shared * y / 3.0, rose.sqrt(shared + 1.0) / y)

    f = made(body, Real, Real)
    assert branches(f) == 1
    assert [v.op.name for v in code(f) if v.op.name == "sqrt"] == ["sqrt"]


def test_a_select_that_saves_little_stays():
    assert branches(made(lambda x, y: select(x < y, x, y + 1.0), Real, Real)) == 0


def test_where_one_number_is_larger_there_is_no_tie():
    def body(x: Any, y: Any, d: Any) -> Any:
        first = select(y < x, d, select(x.__eq__(y), d * 0.5, d * 0.0))
        second = select(x < y, d * 3.0, select(x.__eq__(y), d * 0.25, d * 0.0))
        return first * second

    f = made(body, Real, Real, Real)
    assert branches(f) >= 1
    assert "div" not in {v.op.name for v in code(f)} and not [v for v in code(f) if v.op is select]


def additions(f: Func) -> int:
    """Those that are not in a branch."""
    return sum([v.op.name == "add_to" for v in code(f)])


@pytest.mark.parametrize(("zero", "start", "outside"), [(0.0, 0.0, 1), (-0.0, 0.0, 1), (-0.0, -0.0, 1), (0.0, -0.0, 3)])
def test_additions_of_zero_are_left_out_with_their_side_where_no_sum_is_minus_zero(
    zero: float, start: float, outside: int
):
    with ir.building("f") as b:
        b.loc = HERE
        x, y, i, j = b.param(Real), b.param(Real), b.param(rose.Fin[4]), b.param(rose.Fin[4])
        begun = b.zero(Vec[4]) if math.copysign(1.0, start) > 0 else b.pack([b.lift(start)] * 4, Vec[4])
        sums, c = b.accum(begun), x < y
        b.add_to(b.at(sums, j), x)
        b.add_to(b.at(sums, i), select(c, rose.sqrt(x) / y, b.lift(zero)))
        b.add_to(b.at(sums, j), select(c, x * rose.sqrt(y), b.lift(zero)))
        f = b.func(b.freeze(sums))
    made = branch(f)
    assert (additions(made), branches(made)) == (outside, 1)
    for x0, y0, k in itertools.product((-0.0, 1.0, math.nan), (-1.0, 2.0), (0, 2)):
        assert same(run(made, x0, y0, k, 2), run(f, x0, y0, k, 2))


LONG = 40  # iterations: no loop is written out
WINDOWS: dict[str, Any] = {  # guarded terms, the derivative of which adds to elements in the order of the loop
    "a window": lambda x: rose.sum(rose.relu(x[i] * x[i + 1] + x[i + 2] * 0.5) ** 2 for i in rose.range(LONG - 2)),
    "signs": lambda x: rose.sum(rose.relu(x[i] - x[i + 1] - x[i + 2] * x[i]) ** 2 for i in rose.range(LONG - 2)),
    "a filter": lambda x: rose.sum(
        rose.relu(rose.sum(x[i + k] * x[k] for k in rose.range(3))) ** 2 for i in rose.range(LONG - 3)
    ),
    "pairs": lambda x: rose.sum(
        rose.relu(x[i] * x[j] - x[i]) ** 3 for i in rose.range(LONG) for j in rose.range(LONG)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WINDOWS)
def test_guarded_additions_to_elements_in_order_are_in_one_branch(name: str):
    slope = rose.grad(fn([Vec[LONG]], Real)(WINDOWS[name])).func
    points = [((0.5, -1.0, 2.0, 0.0, 3.0, -2.0, 1.0, -0.0) * 5,), ((math.inf, -1.0, 0.0, 2.0) * 10,)]
    made = fast(slope, *points)
    assert branches(made) and not selects(made)
    assert additions(made) == (name in ("a filter", "pairs"))  # what comes back by another index
    assert selects(optimised({"f": slope}, asked=Instruments(without=("branch",)))["f"])


def test_an_addition_does_not_go_before_one_to_what_may_be_the_same():
    with ir.building("f") as b:
        b.loc = HERE
        one, two = b.param(ir.types.Ref(Vec[4])), b.param(ir.types.Ref(Vec[4]))
        x, i = b.param(Real), b.param(rose.Fin[4])
        c = x < 1.0
        b.add_to(b.at(one, b.const(1, rose.Fin[4])), select(c, x, x * 2.0) * 3.0)
        b.add_to(
            b.at(two, b.index(b.const((0, 1, 2, 3), Vec[4, rose.Fin[4]]), i)), select(c, rose.sqrt(x), b.lift(-0.0))
        )
        f = branch(b.func(b.unit()))
    assert [v.op.name for v in code(f) if v.op.name == "add_to"] == ["add_to", "add_to"]


def drawn(seed: int) -> Func:
    """Straight-line code with comparisons, logic, selects and additions, drawn at random."""
    r = random.Random(seed)
    with ir.building("f") as b:
        b.loc = HERE
        numbers = [b.param(Real) for _ in range(3)] + [b.lift(0.0), b.lift(-0.0), b.lift(1.5)]
        places = [b.param(rose.Fin[2]), b.param(rose.Fin[2])]
        sums = [b.accum(b.zero(Vec[2])), b.accum(b.pack([b.lift(-0.0)] * 2, Vec[2]))]
        truths = [numbers[0] < numbers[1]]
        for _ in range(r.choice([20, 60])):
            x, y, c, d = *r.choices(numbers[-8:] + numbers[:5], k=2), *r.choices(truths[-5:], k=2)
            kind = r.randrange(9)
            if kind < 2:
                truths.append(r.choice([x < y, x <= y, b.emit(eq, (x, y)), y < x]))
            elif kind == 2:
                truths.append(r.choice([c & d, c | d, ~c]))
            elif kind < 6:
                numbers.append(select(c, x, y))
            elif kind < 8:
                numbers.append(r.choice([x + y, x * y, rose.sqrt(x), x / y, rose.max(x, y)]))
            else:
                b.add_to(b.at(r.choice(sums), r.choice(places)), x)
        return b.func(b.tuple([*numbers[-3:], b.freeze(sums[0]), b.freeze(sums[1])]))


@pytest.mark.parametrize("seed", [*range(40), 1069, 1158, 1193, 1299])  # the last ones broke it
def test_straight_line_code_drawn_at_random_keeps_its_bits(seed: int):
    f = drawn(seed)
    made = check(branch(f))
    for x, y in itertools.product((0.5, -0.0, 2.0, math.nan), (2.0, 0.0, -1.0, math.inf)):
        at = (x, y, -0.5, 0, seed % 2)
        assert same(run(made, *at), run(f, *at)), at


def test_code_drawn_at_random_has_branches():
    assert sum([branches(branch(drawn(seed))) > 0 for seed in range(40)]) > 10


def test_long_blocks_are_left_as_they_are():
    def body(x: Any, y: Any) -> Any:
        for _ in range(costs.BRANCHING_INSTRUCTIONS // 4):
            x = select(x < y, rose.sin(x) + y, rose.cos(x) * y)
        return x

    assert branches(made(body, Real, Real)) == 0


@pytest.mark.parametrize("body", [summed(costly), scanned], ids=["a sum", "a scan"])
def test_loops_have_branches_with_simd_too(body: Any):
    f, x = fn([Vec[N]], Real)(body), [0.1 * i for i in range(N)]
    assert branches(optimised({"f": f.func}, simd=True)["f"]) > 0
    assert rose.compile(f, simd=True)(x) == f(x)


NUMBERS = [*itertools.product((1.0, 2.0, math.nan), repeat=2)]
ORDERS = [eq, ne, lt, le]


@pytest.mark.parametrize("known", ORDERS, ids=lambda op: op.name)
@pytest.mark.parametrize("asked", ORDERS, ids=lambda op: op.name)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("holds", [False, True])
def test_what_follows_from_a_comparison_is_true_of_all_numbers(known: Any, asked: Any, turned: bool, holds: bool):
    with ir.building("f") as b:
        x, y = b.param(Real), b.param(Real)
        v = b.emit(asked, (y, x) if turned else (x, y))
        found = Facts(b.emit(known, (x, y)), holds).of(v)
    values = {asked.eval(*((q, p) if turned else (p, q))) for p, q in NUMBERS if known.eval(p, q) is holds}
    assert values == {found} if found is not None else len(values) == 2


@pytest.mark.parametrize("holds", [False, True])
def test_what_follows_in_logic(holds: bool):
    with ir.building("f") as b:
        c, d = b.param(Bool), b.param(Bool)
        facts = Facts(c, holds)
        assert [facts.of(v) for v in (c, ~c, d)] == [holds, not holds, None]
        assert facts.of(c & d) is (None if holds else False)
        assert facts.of(c | d) is (True if holds else None)
        assert facts.of(~(~c | d)) is (None if holds else False)
        assert facts.touch(d & (c | ~d)) and not facts.touch(d)


def test_outside_of_loops_a_branch_must_save_more(monkeypatch: pytest.MonkeyPatch):
    with ir.building("f") as b:
        b.loc = HERE
        x, y = b.param(Real), b.param(Real)
        c = x < y
        f = b.func(b.tuple([select(c, rose.sqrt(x) / y, y), select(c, x * rose.sqrt(y), x), select(c, x, y)]))
    assert branches(branch(f)) == 1
    monkeypatch.setattr(costs, "BRANCH_SAVES", 16)
    assert branches(branch(f)) == 0
