"""The call graph: walks in post-order, memos, branches and while loops."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import rose
from rose.ir import ADD_TO, FOR, Func, Origin, Value, building
from rose.ir.callgraph import (
    callees,
    callees_first,
    calls,
    changed,
    done,
    instructions,
    is_current,
    length,
    make_branch,
    make_linear,
    make_while,
    map_kind,
    memoised,
    operations,
    reachable,
    weight,
    with_parts,
)
from rose.ir.check import check_alone
from rose.ir.ops import real, sin
from rose.ir.types import Bool, Real, Tan, tuple_of


def calling(name: str, *gs: Func) -> Func:
    """The function that calls these, one after the other."""
    with building(name) as b:
        x = b.param(Real, "x")
        for g in gs:
            x = b.call(g, [x])
        return b.func(x + 1.0)


def diamond() -> tuple[Func, Func, Func, Func]:
    leaf = calling("leaf")
    left, right = calling("left", leaf), calling("right", leaf)
    return calling("top", left, right), left, right, leaf


def looping() -> tuple[Func, Func, Func]:
    with building("test") as b:
        test = b.func(b.param(Real, "x") < 1.0)
    with building("body") as b:
        body = b.func(b.tuple([b.param(Real, "x") * 2.0]))
    return make_while("loop", test, body, 10), test, body


def test_callees_come_first_and_each_once():
    top, left, right, leaf = diamond()
    found: list[Func] = []
    for f in callees_first(top, lambda f: f not in found):
        found.append(f)
    assert found[0] is leaf and found[-1] is top and set(found) == {top, left, right, leaf} and len(found) == 4


def test_all_that_a_function_calls_is_reachable_once():
    top, left, right, leaf = diamond()
    found = [*reachable(top)]
    assert found[0] is top and len(found) == 4 and set(found) == {top, left, right, leaf}
    assert [*reachable(leaf)] == [leaf]


def test_a_memo_is_filled_once_callees_first():
    top, _, _, leaf = diamond()
    made: list[Func] = []
    depth = lambda f: made.append(f) or 1 + max([g.memo["depth"] for g in callees(f)], default=0)
    assert memoised(top, "depth", depth) == 3
    assert memoised(leaf, "depth", depth) == 1
    assert len(made) == 4


def test_a_memo_is_made_of_the_functions_that_need_one():
    top, left, right, leaf = diamond()
    memoised(top, "key", lambda f: f.name, lambda f: f is left)
    assert ["key" in f.memo for f in (top, left, right, leaf)] == [True, True, False, False]


def test_a_walk_is_not_limited_by_pythons_stack():
    f = calling("f0")
    for k in range(5000):
        f = calling(f"f{k + 1}", f)
    assert memoised(f, "n", lambda g: 1 + sum([h.memo["n"] for h in callees(g)])) == 5001


def test_calls_are_found_once_until_the_function_is_changed():
    _, left, right, _ = diamond()
    with building("top") as b:
        x = b.param(Real, "x")
        first, _ = b.call(left, [x]), b.call(right, [x])
        top = b.func(x)
    assert len(calls(top)) == 2
    top.body.code = [v for v in top.body.code if v is not first]
    assert len(calls(top)) == 2 and not is_current(top)
    with pytest.raises(AssertionError, match="edited in place"):
        check_alone(top)
    changed(top)
    assert len(calls(top)) == 1 and is_current(top)


def test_an_inventory_has_what_is_in_loops_too():
    @rose.fn([rose.Vec[3]], rose.Real)
    def f(v):
        return rose.sum(rose.sin(v[i] * v[j]) for i in rose.range(3) for j in rose.range(3))

    g = f.func
    there = list(instructions(g.body))
    assert operations(g) == {v.op for v in there} and {FOR, ADD_TO, sin} <= operations(g)
    assert length(g) == weight(g.body) == len(there) + len([v for v in there if v.op is ADD_TO])


def test_an_inventory_is_taken_anew_when_an_instruction_went():
    with building("f") as b:
        x = b.param(Real, "x")
        rose.sin(x)
        f = b.func(x * x)
    assert sin in operations(f)
    f.body.code = [v for v in f.body.code if v.op is not sin]
    assert not is_current(f)
    changed(f)
    assert sin not in operations(f) and is_current(f)


def test_a_branch_takes_a_condition_and_the_parameters_of_both():
    f, g = calling("f"), calling("g")
    branch = make_branch("branch", f, g)
    assert [p.type for p in branch.params] == [Bool, Real] and callees(branch) == [f, g]
    with pytest.raises(AssertionError):
        make_branch("wrong", f, branch)


def test_a_while_loop_takes_the_states_and_gives_them():
    loop, test, body = looping()
    assert [p.type for p in loop.params] == [Real] and loop.result is tuple_of(Real)
    assert callees(loop) == [test, body]
    with pytest.raises(AssertionError):
        make_while("wrong", body, body)


def test_a_linear_function_takes_a_tangent_and_gives_one():
    f, g = calling("f"), calling("g")
    linear = make_linear("linear", f, g)
    assert [p.type for p in linear.params] == [Tan] and linear.result is Tan
    assert callees(linear) == [f, g] and check_alone(linear) is linear
    assert callees(with_parts(linear, {f: f, g: f})) == [f, f]
    with pytest.raises(AssertionError):
        make_linear("wrong", f, looping()[1])


def test_with_the_same_parts_a_loop_is_itself_and_with_others_another():
    loop, test, body = looping()
    assert with_parts(loop, {test: test, body: body}) is loop
    _, other, _ = looping()
    assert callees(with_parts(loop, {test: other, body: body})) == [other, body]
    assert map_kind(loop.kind, lambda f: f) == loop.kind


def test_a_loop_over_other_parts_comes_from_where_it_came():
    loop, test, body = looping()
    loop.origin = Origin("fwd", body)
    _, other, _ = looping()
    assert with_parts(loop, {test: other, body: body}).origin is loop.origin


def test_work_recurs_without_pythons_stack_and_hands_on_errors():
    def count(n: int):
        return 0 if n == 0 else 1 + (yield count(n - 1))

    def fail(n: int):
        if n == 0:
            raise KeyError("deep")
        return (yield fail(n - 1))

    assert done(count(10_000)) == 10_000
    with pytest.raises(KeyError):
        done(fail(10))


def test_the_weight_of_a_block_counts_those_in_loops():
    with building("f") as b:
        x = b.param(Real, "x")
        body: list[Value] = []
        b.vec(3, lambda i: body.append(x * x) or x + 2.0)
        f = b.func(x)
    loop = next(v for v in f.body.code if v.op.name == "for")
    assert weight(f.body) == len(f.body.code) + weight(loop.attr)


def steps_of_a_walk(depth: int) -> float:
    """The calls of Python for one instruction, in a walk over loops in one another."""

    def loop(k: int) -> Any:
        return b.loop(2, lambda i: ([], [loop(k - 1) if k else b.zero(Real)]))[1][0]

    with building("f") as b:
        loop(depth)
    events = list[str]()
    sys.setprofile(lambda frame, event, arg: events.append(event))
    try:
        found = [*instructions(b.root)]
    finally:
        sys.setprofile(None)
    return events.count("call") / len(found)


def test_a_walk_over_instructions_takes_the_same_for_each_at_any_depth():
    assert steps_of_a_walk(100) <= steps_of_a_walk(10) + 1


def test_a_walk_has_the_body_of_a_loop_before_what_comes_after_it():
    with building("f") as b:
        _, (inner,) = b.loop(2, lambda i: ([], [real(i)]))
        after = b.index(inner, 0)
    names = [v.op.name for v in instructions(b.root)]
    assert names.index("real") < names.index(after.op.name)
