"""Users of values, and the edits that keep them true."""

from __future__ import annotations

import pytest

import rose
from rose import Real, Vec, fn
from rose.ir import ACCUM, FOR, FREEZE, GET, Block, Func, Value, building, loop_of
from rose.ir.callgraph import changed, instructions
from rose.ir.check import check
from rose.ir.ops import add, mul, neg
from rose.ir.types import Real as R
from rose.ir.types import Vec as V
from rose.ir.users import Users, users_of


def squares() -> Func:
    return fn([Vec[5]], Real)(lambda x: rose.sum(x[i] * x[i] for i in rose.range(5))).func


def of(f: Func, *ops: object) -> list[Value]:
    return [v for v in instructions(f.body) if v.op in ops]


def test_a_value_is_read_by_instructions_and_by_blocks():
    f = squares()
    users = users_of(f)
    (loop,), (square,), (total,) = of(f, FOR), of(f, mul), of(f, FREEZE)
    (element,) = dict.fromkeys(square.args)
    assert [*users.of(element)] == [square]  # once, though it is both factors
    assert [*users.of(total)] == [f.body]
    assert loop in users.of(f.params[0]) or [*users.of(f.params[0])] == [element]
    assert users.loops == {loop.attr: loop}


def test_the_users_of_an_accumulator_are_those_of_its_parts_too():
    with building("f") as b:
        x = b.param(R, "x")
        ref = b.accum(b.zero(V(2, R)))
        b.add_to(b.at(ref, b.const(0, rose.ir.types.Fin(2))), x)
        b.add_to(b.at(ref, b.const(1, rose.ir.types.Fin(2))), x)
        f = b.func(b.freeze(ref))
    found = dict.fromkeys(users_of(f).of_accumulator(ref))
    assert sorted([v.op.name for v in found]) == ["add_to", "add_to", "at", "at", "freeze"]
    assert of(f, FREEZE)[0] in found and ref not in found


def without_double_negations(f: Func) -> Func:
    users = users_of(f)
    for v in list(instructions(f.body)):
        if v.op is neg and v.args[0].op is neg:
            users.replace(v, v.args[0].args[0])
            users.erase(v)
    users.sweep()
    return f


def negated() -> Func:
    with building("f") as b:
        x = b.param(R, "x")
        inner = Value(neg, R, (x,), None, b.loc, b.root)  # the builder would simplify the second
        outer = Value(neg, R, (inner,), None, b.loc, b.root)
        b.root.code += [inner, outer]
        return b.func(b.emit(add, (outer, inner)))


def test_a_rewrite_is_five_lines():
    f = without_double_negations(negated())
    (inner,), (total,) = of(f, neg), of(f, add)
    assert total.args == (f.params[0], inner) and [*users_of(f).of(f.params[0])] == [inner, total]
    assert users_of(f).is_current()
    check(f)


def test_what_is_replaced_as_a_result_is_so_in_the_block():
    f = squares()
    users = users_of(f)
    (total,) = of(f, FREEZE)
    zero = f.body.code[0] if f.body.code[0].type is R else of(f, ACCUM)[0].args[0]
    users.replace(total, zero)
    assert f.body.results == (zero,) and f.body in users.of(zero) and not users.of(total)
    assert users.is_current()


def test_instructions_move_before_another_in_the_order_given():
    with building("f") as b:
        x, y = b.param(R, "x"), b.param(R, "y")
        first, second, third = x * y, x + y, x - y
        f = b.func(first + second + third)
    users = users_of(f)
    assert [users.place(v) for v in (first, second, third)] == [0, 1, 2] and users.place(x) == -1
    users.move([third], before=second)
    users.move([second, third], before=first)
    users.sweep()
    assert f.body.code[:3] == [second, third, first]
    assert [users.place(v) for v in (first, second, third)] == [2, 0, 1]
    assert users.is_current()


def test_arguments_and_results_that_are_given_are_read():
    with building("f") as b:
        x, y = b.param(R, "x"), b.param(R, "y")
        total = x + y
        f = b.func(total)
    users = users_of(f)
    users.give(total, y, y)
    assert not users.of(x) and [*users.of(y)] == [total]
    users.end(f.body, y)
    assert not users.of(total) and [*users.of(y)] == [total, f.body]
    assert users.is_current()


def test_they_are_found_once_until_the_function_is_changed():
    f = squares()
    users = users_of(f)
    assert users_of(f) is users
    changed(f)
    assert users_of(f) is not users


@pytest.mark.parametrize("edit", ["an argument", "a result", "a loop"])
def test_the_verifier_finds_users_that_are_not_true(edit: str):
    f = squares()
    _ = users_of(f)
    if edit == "an argument":
        (square,) = of(f, mul)
        square.args = (square.args[0], loop_of(of(f, FOR)[0]).index)
    elif edit == "a result":
        f.body.results = (of(f, ACCUM)[0].args[0],)
    else:
        extra = fn([Vec[5]], Real)(lambda x: rose.sum(x[i] for i in rose.range(5))).func
        f.body.code += extra.body.code
    assert not f.users.is_current()


def test_a_loop_is_read_by_gets_alone():
    f = fn([Vec[5]], Vec[5])(lambda x: rose.vec(x[i] + 1.0 for i in rose.range(5))).func
    (loop,) = of(f, FOR)
    assert all([isinstance(u, Value) and u.op is GET for u in users_of(f).of(loop)])
    assert all([isinstance(u, Block | Value) for v in loop_of(loop).code for u in Users(f).of(v)])
