"""Blocks, and functions with their kinds, origins and histories."""

from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose.ir import FOR, Block, Branch, Func, Opaque, Origin, building, copying, deriving
from rose.ir.callgraph import instructions
from rose.ir.types import Real


def identity(name: str = "f") -> Func:
    with building(name) as b:
        return b.func(b.param(Real, "x"))


def test_a_block_is_inside_those_around_it_and_no_others():
    outer = Block()
    inner = Block(Block(outer))
    assert inner.inside(inner) and inner.inside(outer)
    assert not outer.inside(inner)


def test_a_function_that_is_built_has_instructions_and_no_host_function():
    f = identity()
    assert f.has_body and not f.is_opaque and f.impl is None


def test_an_opaque_function_has_a_host_function_and_no_instructions():
    f = identity()
    g = Func("g", f.body, Real, pure=True, kind=Opaque(abs))
    assert g.is_opaque and g.impl is abs and not g.has_body


def test_a_branch_has_neither_instructions_nor_a_host_function():
    f = identity()
    g = Func("g", f.body, Real, pure=True, kind=Branch(f, f))
    assert not g.has_body and not g.is_opaque and g.impl is None


def test_a_branch_is_one_size_of_many_if_a_part_is():
    f, g = identity(), identity("g")
    g.mark(sized=True)
    assert not Func("h", f.body, Real, pure=True, kind=Branch(f, f)).sized
    assert Func("h", f.body, Real, pure=True, kind=Branch(f, g)).sized


def test_the_history_of_a_function_goes_back_to_the_one_that_a_user_wrote():
    f = identity()
    with deriving(f, "jvp") as b:
        d = b.func(b.param(Real, "x"))
    with deriving(d, "bwd") as b:
        back = b.func(b.param(Real, "x"))
    assert [*back.history] == [back, d, f]
    assert (d.name, back.name, back.origin) == ("f.jvp", "f.jvp.bwd", Origin("bwd", d))


def test_a_copy_comes_from_where_the_function_does():
    f = identity()
    with deriving(f, "jvp") as b:
        d = b.func(b.param(Real, "x"))
    with copying(d) as b:
        copy = b.func(b.param(Real, "x"))
    assert copy is not d and copy.origin == d.origin and copy.name == d.name


def total(x: Any, step: Callable[[Any, Any], Any], start: Any = 0.0) -> Any:
    return rose.scan(lambda i, s: step(s, x[i]), start, 4)


def swap(s: Any, v: Any) -> Any:
    return s[1], s[0] + v


def pairs(x: Any, y: Any) -> Any:
    return rose.max(x[i] * y[j] for i in rose.range(4) for j in rose.range(4))


TWICE: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "the same": (1, lambda x, _: total(x, lambda s, v: s * v + 1.0) + total(x, lambda s, v: s * v + 1.0)),
    "maxima": (1, lambda x, _: rose.max(x) * rose.max(x)),
    "two states": (1, lambda x, _: total(x, swap, (0.0, 1.0))[0] * total(x, swap, (0.0, 1.0))[1]),
    "nested": (2, lambda x, y: pairs(x, y) + pairs(x, y)),
    "an inner loop": (3, lambda x, y: rose.max(x[i] + rose.max(y) for i in rose.range(4)) - rose.max(y)),
    "another operation": (2, lambda x, _: total(x, lambda s, v: s * v + 1.0) + total(x, lambda s, v: s * v - 1.0)),
    "other operands": (2, lambda x, y: rose.max(x) + rose.max(y)),
    "another start": (2, lambda x, _: total(x, lambda s, v: s + v) + total(x, lambda s, v: s + v, 1.0)),
    "another order": (2, lambda x, _: total(x, lambda s, v: s - v) + total(x, lambda s, v: v - s)),
    "another index": (2, lambda x, _: total(x, lambda s, v: s * v) + total(x[::-1], lambda s, v: s * v)),
}


@pytest.mark.parametrize(("loops", "body"), TWICE.values(), ids=TWICE)
def test_equal_loops_with_states_are_one(loops: int, body: Callable[[Any, Any], Any]):
    f = rose.fn([rose.Vec[4], rose.Vec[4]], rose.Real)(body)
    assert sum([v.op is FOR for v in instructions(f.func.body)]) == loops
    xs = [1.0, -2.0, 0.5, 3.0], [0.25, 4.0, -1.0, 2.0]
    with rose.eager():
        assert rose.compile(f)(*xs) == f(*xs)


def test_equal_loops_that_add_to_what_is_outside_are_two():
    def body(x: Any) -> Any:
        seen = rose.accum(0.0)

        def step(i: Any, s: Any) -> Any:
            seen.__iadd__(x[i])
            return s * x[i]

        p = rose.scan(step, 1.0, 4) + rose.scan(step, 1.0, 4)
        return p + 100.0 * seen.value

    assert rose.fn([rose.Vec[4]], rose.Real)(body)([1.0, 2.0, 3.0, 4.0]) == 48.0 + 2000.0
