"""Sum forwarding: which accumulators are left, and that their sums keep every bit."""

from __future__ import annotations

from typing import Any

import pytest
from optimising import code, fast, func

import rose
import rose.ir.ops
from rose import Real, Vec, fn
from rose.ir import ACCUM, Builder, Func, Value
from rose.ir.text.printer import show
from rose.ir.types import Fin
from rose.optimise.dead_code import remove_dead_code
from rose.optimise.rewriter import Simplifier
from rose.optimise.sum_forwarding import forward_sums

pytestmark = pytest.mark.usefixtures("rolled")


def dense(n: int) -> rose.Fn[..., Any]:
    @fn([Vec[n, Vec[n]], Vec[n]], Real)
    def f(W, x):
        return rose.sum(rose.sum(W[i][j] * x[j] for j in rose.range(n)) ** 2 for i in rose.range(n))

    return f


def test_the_gradient_in_a_matrix_does_not_clear_a_row_for_each_element():
    W = tuple([tuple([0.5 * i - j for j in range(3)]) for i in range(3)])
    made = fast(rose.grad(dense(3)).func, (W, (1.0, -0.0, 0.5)))
    assert not [
        v
        for v in code(made)
        if v.op is ACCUM and v.block is not made.body and isinstance(v.args[0].type, rose.ir.types.Vec)
    ]


def test_what_is_read_down_a_column_is_added_to_there():
    """An iteration reads one element of each row: no row is cleared and added for it."""

    @fn
    def f(x: Vec[3, Vec[4]]) -> Real:
        return rose.sum(rose.logsumexp(x[j][i] for j in rose.range(3)) for i in rose.range(4))

    rows = ((0.5, -1.0, 2.0, 0.0), (1.0, 0.25, -3.0, -0.0), (0.1, 0.2, 0.3, 0.4))
    made = fast(rose.grad(f).func, (rows,))
    assert not [v for v in code(made) if v.op is ACCUM and v.args[0].type is rose.ir.types.Vec(4, Real)]
    fast(rose.hvp(f).func, (rows, rows))


def late(index_late: bool) -> Func:
    """Sums of sums of sums, where each part is named after what is added to it."""

    @func(Real)
    def f(b: Builder, x: Value) -> Value:
        three = rose.ir.types.Vec(3, Real)
        whole = b.accum(b.zero(rose.ir.types.Vec(2, rose.ir.types.Vec(2, three))))

        def iteration(i: Value) -> tuple[list[Value], list[Value]]:
            middle = b.accum(b.zero(rose.ir.types.Vec(2, three)))
            inner = b.accum(b.zero(three))
            b.add_to(b.at(inner, b.const(2, Fin(3))), x)
            k = b.emit(rose.ir.ops.ifrom, (i, b.const(1, Fin(2)))) if index_late else i
            b.add_to(b.at(middle, k), b.freeze(inner))
            b.add_to(b.at(whole, i), b.freeze(middle))
            return [], []

        b.loop(2, iteration)
        return b.freeze(whole)

    return f


@pytest.mark.parametrize("index_late", [False, True])
def test_a_part_of_a_sum_may_be_named_late(index_late: bool):
    made = fast(late(index_late), (-0.0,), (2.0,), by=merged)
    assert len([v for v in code(made) if v.op is ACCUM]) == (2 if index_late else 1)


def nested(start: float, between: bool) -> Func:
    """A sum into an element, of an inner sum that `x` is added to."""

    @func(Real)
    def f(b: Builder, x: Value) -> Value:
        whole = b.accum(b.const((start, start), Vec[2]))
        inner = b.accum(b.zero(Vec[2]))
        b.add_to(b.at(inner, b.const(0, Fin(2))), x)
        if between:
            b.add_to(b.at(whole, b.const(0, Fin(2))), x * 1e-20)
        b.add_to(whole, b.freeze(inner))
        return b.freeze(whole)

    return f


def merged(funcs: dict[str, Func]) -> dict[str, Func]:
    """Sums of sums only."""
    return {name: forward_sums(Simplifier({}, {}).function(f)) for name, f in funcs.items()}


@pytest.mark.parametrize("start", [-0.0, 1.0])
def test_a_sum_that_did_not_begin_at_zero_takes_another_as_it_was(start: float):
    made = fast(nested(start, False), (-0.0,), (1.0,), (float("nan"),), by=merged)
    assert len([v for v in code(made) if v.op is ACCUM]) == 2


@pytest.mark.parametrize("named", [False, True])
def test_sums_of_sums_of_sums_that_are_named_after_them(named: bool):
    """A part of a sum is named after what is put into it, and is put into another one itself."""

    @func(Vec[3], Vec[4])
    def f(b: Builder, x: Value, y: Value) -> Value:
        whole = b.accum(b.zero(Vec[3, Vec[3, Vec[4]]]))

        def iteration(i: Value) -> tuple[list[Value], list[Value]]:
            middle, inner = b.accum(b.zero(Vec[3, Vec[4]])), b.accum(b.zero(Vec[4]))
            part = b.at(inner, b.const(1, Fin(4))) if named else None

            def add(j: Value) -> tuple[list[Value], list[Value]]:
                b.add_to(b.at(inner, j), b.index(y, j) * b.index(x, i))
                return [], []

            if part is None:
                b.loop(4, add)
            else:
                b.add_to(part, b.index(x, i))
            b.add_to(b.at(middle, i), b.freeze(inner))
            b.add_to(b.at(whole, i), b.freeze(middle))
            return [], []

        b.loop(3, iteration)
        return b.freeze(whole)

    made = fast(f, ((0.5, -0.0, 2.0), (1.0, -1.0, -0.0, 3.0)), by=merged)
    assert len([v for v in code(made) if v.op is ACCUM]) == 1
    fast(f, ((0.5, -0.0, 2.0), (1.0, -1.0, -0.0, 3.0)))


def test_sums_keep_their_order():
    @func(Real)
    def f(b: Builder, x: Value) -> Value:
        whole, inner = b.accum(b.lift(0.0)), b.accum(b.lift(0.0))
        b.add_to(inner, x)
        b.add_to(whole, b.lift(1.0))
        b.add_to(whole, b.lift(1e17))
        b.add_to(whole, b.freeze(inner))
        return b.freeze(whole)

    made = fast(f, (-1e17,), (1.0,), by=merged)
    assert len([v for v in code(made) if v.op is ACCUM]) == 2
    fast(f, (-1e17,), (1.0,))


ROWS = Vec[2, Vec[2]]
COPIES = {  # what is added to a sum that begins at 0, and how many sums are left of it and of that
    "a sum": (lambda b, x, m: [m], 0.0, 1),
    "a row of one": (lambda b, x, m: [b.index(m, 1)], 0.0, 1),
    "an element of one": (lambda b, x, m: [b.index(b.index(m, 0), 1)], 0.0, 1),
    "a parameter": (lambda b, x, m: [b.index(x, 0)], 0.0, 1),  # the copy: the other is dead
    "two sums": (lambda b, x, m: [b.index(m, 0), b.index(m, 1)], 0.0, 2),
    "a sum that may be -0.0": (lambda b, x, m: [b.index(m, 1)], -0.0, 2),
}


@pytest.mark.parametrize("read", ["once", "twice", "in a loop"])
@pytest.mark.parametrize("name", COPIES)
def test_a_sum_of_one_sum_is_that_sum(name: str, read: str):
    terms, start, left = COPIES[name]

    @func(ROWS, Real)
    def f(b: Builder, x: Value, k: Value) -> Value:
        whole = b.accum(b.zero(ROWS) if start.hex() == "0x0.0p+0" else b.const(((start,) * 2,) * 2, ROWS))
        b.add_to(whole, x)
        added = terms(b, x, b.freeze(whole))
        copy = b.accum(b.zero(added[0].type))
        for t in added:
            b.add_to(copy, t)
        y = b.freeze(copy)
        if read == "once":
            return y
        if read == "twice":
            return b.tuple([y, y])
        return b.vec(3, lambda _: y)

    made = fast(f, (((-0.0, 1.0), (2.0, -0.0)), 0.5), by=merged)
    assert len([v for v in code(made) if v.op is ACCUM]) == left
    fast(f, (((-0.0, 1.0), (2.0, -0.0)), 0.5))


def test_layers_of_a_net_hand_no_copies_of_rows_back():
    @fn
    def loss(w: Vec[9, Vec[9]], u: Vec[9, Vec[9]], x: Vec[9, Vec[9]]) -> Real:
        return rose.sum((rose.relu(x @ w) @ u) ** 2)

    made = fast(rose.value_and_grad(loss, (0, 1)).func)
    assert not [v for v in code(made) if v.op is ACCUM and v.type is rose.ir.types.Ref(rose.ir.types.Vec(9, Real))]


def test_dead_code_may_be_removed_again_where_sums_were_forwarded():
    made = fast(rose.value_and_grad(dense(2)).func)
    before = show(made)
    assert show(remove_dead_code(made)) == before
