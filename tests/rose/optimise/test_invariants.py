"""What is the same in each iteration of a loop."""

from __future__ import annotations

from typing import Any

import pytest
from optimising import code, fast

import rose
from rose import Real, Vec, fn
from rose.frontend.any_size import fixed
from rose.ir import FOR, Func, Value
from rose.ir.ops import exp
from rose.optimise.dead_code import remove_dead_code
from rose.optimise.invariants import Invariants, Reads, iterations


def looped(item: Any) -> Func:
    return remove_dead_code(fn([Vec[9], Real], Real)(lambda x, a: rose.sum(item(x, a, i) for i in rose.range(9))).func)


def the_loop(f: Func) -> Value:
    return next(v for v in f.body.code if v.op is FOR)


def same(item: Any) -> list[str]:
    block = the_loop(looped(item)).attr
    return [v.op.name for v in Invariants(block, set(block.params), Reads()).cost if v.op.name != "const"]


def closed(x: Any, a: Any, i: Any) -> Any:
    """A sum of its own."""
    total = rose.accum(0.0)
    for k in rose.range(9):
        total += x[k] * a
    return total.value * x[i]


def open_to_what_varies(x: Any, a: Any, i: Any) -> Any:
    total = rose.accum(0.0)
    for k in rose.range(9):
        total += x[k] * a
    total += x[i]
    return total.value


def stored(x: Any, a: Any, i: Any) -> Any:
    """A vector whose elements are read more than once, and so are not computed where they are read."""
    v = rose.vec(rose.exp(x[k] * a) for k in rose.range(9))
    return v[i] * v[0]


PROGRAMS: dict[str, tuple[Any, list[str]]] = {
    "an operation": (lambda x, a, i: rose.exp(a) * x[i], ["exp"]),
    "what the iteration reads": (lambda x, a, i: rose.exp(x[i]), []),
    "a chain": (lambda x, a, i: rose.exp(a * x[2]) * x[i], ["index", "mul", "exp"]),
    "a sum of its own": (closed, ["accum", "for", "freeze"]),
    "a sum to which something else is added": (open_to_what_varies, []),
    "a vector": (stored, ["for", "get", "index"]),
    "a call": (lambda x, a, i: rose.cond(a > 0.0, lambda: rose.exp(a), lambda: a) * x[i], ["lt", "pure_call"]),
    "what is printed": (lambda x, a, i: rose.print("{}", a) or x[i], []),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_reads_the_same_is_the_same(name: str):
    item, want = PROGRAMS[name]
    assert same(item) == want


def test_what_is_the_same_is_costly_if_what_it_needs_is():
    block = the_loop(looped(closed)).attr
    found = Invariants(block, set(block.params), Reads())
    costs = {v.op.name: cost for v, cost in found.cost.items()}
    assert costs["accum"] == 0 and costs["freeze"] >= costs["for"] > 0


def test_all_that_touches_an_accumulator_is_needed_together():
    block = the_loop(looped(closed)).attr
    found = Invariants(block, set(block.params), Reads())
    for v in found.cost:
        if v.op.name in ("accum", "for", "freeze"):
            assert {w.op.name for w in found.needed([v])} >= {"accum", "for", "freeze"}


def test_what_may_not_end_is_not_done_before_what_is_printed():
    forever = lambda a: rose.while_loop(lambda s: s > 0.0, lambda s: s - a, 1.0)
    assert "pure_call" in same(lambda x, a, i: forever(a) * x[i])
    assert "pure_call" not in same(lambda x, a, i: rose.print("{}", x[i]) or forever(a) * x[i])


@pytest.mark.parametrize(
    ("loop", "want"),
    [
        (lambda x: rose.sum(x[i] for i in rose.range(9)), [9]),
        (lambda x: rose.sum(x[i] for i in rose.range(0)), [0]),
        (lambda x: rose.sum(rose.sum(x[j] for j in rose.range(i)) for i in rose.range(9)), [9, 0]),
    ],
    ids=["of some iterations", "of none", "of dependent length"],
)
def test_the_iterations_of_a_loop_that_it_has_whatever_the_arguments(loop: Any, want: list[int]):
    outer = the_loop(fn([Vec[9]], Real)(loop).func)
    inner = [v for v in outer.attr.code if v.op is FOR]
    assert [iterations(v) for v in (outer, *inner)] == want


def test_of_a_loop_over_a_size_of_the_call_they_are_not_known():
    n = rose.dim("n")
    f = fn([Vec[n]], Real)(lambda x: rose.sum(x[i] for i in rose.range(n)))
    assert iterations(the_loop(fixed({"f": f}, {}, dynamic=True)["f"].func)) == 0


@pytest.mark.usefixtures("rolled")
def test_what_does_no_harm_is_done_before_a_loop_that_may_run_never():
    f = fn([Real, Vec[5]], Real)(lambda a, x: rose.sum(x[i] * rose.exp(a / 3.0) for i in rose.range(5)))
    made = fast(f.func, (0.5, (0.5, -1.0, 2.0, 0.25, 3.0)))
    assert [v.block is made.body for v in code(made) if v.op is exp] == [True]
    nothing = fn([Real], Vec[0])(lambda a: rose.vec(1.0 / a for _ in rose.range(0)))
    fast(nothing.func, (0.0,))
