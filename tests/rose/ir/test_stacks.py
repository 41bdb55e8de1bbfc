"""Stacks: their operations, in the interpreter and transposed."""

from rose.host.interpreter import run
from rose.ir import building
from rose.ir.check import check
from rose.ir.columns import ALL
from rose.ir.stacks import JOIN, MORE, POP, PUSH, pop
from rose.ir.types import Real, Stack, tuple_of


def test_the_last_item_that_was_pushed_is_the_first_that_is_popped():
    with building("f") as b:
        x, y = b.param(Real, "x"), b.param(Real, "y")
        s = b.emit(PUSH, (b.emit(PUSH, (b.zero(Stack(Real)), x)), y))
        top, rest = pop(b, s)
        below, empty = pop(b, rest)
        out = [top, below, b.emit(MORE, (rest,)), b.emit(MORE, (empty,)), pop(b, empty)[0]]
        f = check(b.func(b.tuple(out)))
    assert run(f, 1.0, 2.0) == (2.0, 1.0, True, False, 0.0)


def test_stacks_are_added_item_by_item_and_one_may_be_shorter():
    with building("f") as b:
        x, y = b.param(Real, "x"), b.param(Real, "y")
        short = b.emit(PUSH, (b.zero(Stack(Real)), x))
        long = b.emit(PUSH, (b.emit(PUSH, (b.zero(Stack(Real)), y)), y))
        top, rest = pop(b, b.emit(JOIN, (short, long)))
        f = check(b.func(b.tuple([top, pop(b, rest)[0]])))
    assert run(f, 1.0, 10.0) == (11.0, 10.0)


def test_to_add_the_empty_stack_changes_nothing():
    with building("f") as b:
        s = b.param(Stack(Real), "s")
        assert b.emit(JOIN, (s, b.zero(Stack(Real)))) is s


def test_a_push_is_transposed_to_a_pop_and_each_linear_operation_has_a_transpose():
    assert all(op.transpose and op.linear_in == ALL for op in (PUSH, POP, JOIN))
    with building("f") as b:
        ct, x = b.param(Stack(Real), "ct"), b.param(Real, "x")
        assert PUSH.transpose is not None
        below, item = PUSH.transpose(ct, ct, x)
        assert below is not None and item is not None
        assert tuple_of(below.type, item.type) is tuple_of(Stack(Real), Real)
