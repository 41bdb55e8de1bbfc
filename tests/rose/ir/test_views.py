"""The parts of loops and calls, by name."""

from __future__ import annotations

import rose
from rose import Real, Vec, fn
from rose.ir import FOR, GET, Func, Loop, Value, callee, element_of, is_call, is_index, loop_of, loops_around, span_of
from rose.ir.callgraph import instructions


def loops(f: Func) -> list[Value]:
    return [v for v in instructions(f.body) if v.op is FOR]


def test_a_loop_has_an_index_states_and_elements() -> None:
    def body(x: Vec[5]) -> tuple[Vec[5], Real]:
        last, xs = rose.scan(lambda i, c: (c + x[i], c * x[i]), 0.0, 5)
        return xs, last

    f = fn(body).func
    (v,) = loops(f)
    loop = loop_of(v)
    assert isinstance(loop, Loop) and loop.parent is f.body
    assert loop.size == loop.indices.size == 5 and loop.index.type is loop.indices
    assert loop.carried == len(loop.states) == len(v.args) == len(loop.following) == 1
    assert loop.state(0) is loop.states[0]
    assert [p.type for p in loop.states] == [r.type for r in loop.following]
    assert (*loop.following, *loop.elements) == loop.results and len(loop.elements) == 1
    assert span_of(v) is None


def test_a_span_is_the_first_state() -> None:
    f = fn([Vec[4]], Real)(lambda x: rose.sum(rose.sum(x[j] for j in rose.range(i)) for i in rose.range(4))).func
    outer, inner = loops(f)
    assert span_of(outer) is None
    assert span_of(inner) is inner.args[0]
    assert loop_of(inner).following[0] is loop_of(inner).states[0]


def test_the_loops_around_begin_with_the_innermost():
    f = fn([Vec[4]], Real)(lambda x: rose.sum(rose.sum(x[i] * x[j] for j in rose.range(4)) for i in rose.range(4))).func
    outer, inner = map(loop_of, loops(f))
    assert [*loops_around(inner, f.body)] == [inner, outer]
    assert [*loops_around(inner, outer)] == [inner] and [*loops_around(f.body, f.body)] == []


def test_the_index_of_a_loop_is_no_parameter_of_a_function() -> None:
    f = fn([Vec[3]], Vec[3])(lambda x: rose.vec(x[i] for i in rose.range(3))).func
    (v,) = loops(f)
    assert is_index(loop_of(v).index)
    assert not is_index(f.params[0]) and not is_index(v)


def test_the_elements_of_a_vector_are_what_its_loop_makes() -> None:
    def body(x: Vec[3]) -> tuple[Vec[3], Real]:
        last, xs = rose.scan(lambda i, c: (c + x[i], c * x[i]), 0.0, 3)
        return xs, last

    f = fn(body).func
    (v,) = loops(f)
    last, xs = sorted([w for w in f.body.code if w.op is GET and w.args[0] is v], key=lambda w: w.attr)
    assert element_of(xs) is loop_of(v).elements[0]
    assert element_of(last) is None and element_of(f.params[0]) is None


def test_a_call_has_a_callee() -> None:
    g = fn([Real], Real)(lambda x: rose.sin(x) * x)
    f = fn([Real], Real)(lambda x: g(x) + 1.0).func
    (call,) = [v for v in f.body.code if is_call(v)]
    assert callee(call) is g.func
