"""What is compiled in the place of what was derived: less of it, and the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import Module, same

import rose
import rose.ir.ops
from rose import Bool, Real, Vec, fn, ir
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import transpose
from rose.errors import Loc
from rose.host.interpreter import run
from rose.ir import ACCUM, ADD_TO, FOR, Block, Builder, Func, Value, is_call
from rose.ir.callgraph import callees, weight
from rose.ir.check import check
from rose.ir.ops import exp, sin
from rose.ir.text.printer import show
from rose.ir.types import Fin, Ref, Single
from rose.optimise import scalar_replacement, unrolling
from rose.optimise.dead_arguments import remove_dead_arguments
from rose.optimise.dead_code import remove_dead_code
from rose.optimise.inlining import SMALL
from rose.optimise.outlining import LONGEST
from rose.optimise.pipeline import NAMES, Context, Instruments, Pass, optimise, optimised
from rose.optimise.rewriter import Simplifier
from rose.optimise.single_precision import to_single
from rose.optimise.sum_forwarding import forward_sums


@pytest.fixture(autouse=True)
def rolled(monkeypatch: pytest.MonkeyPatch):
    """Loops stay loops, and rows rows: those here are short. What becomes of such is in test_unrolling.py."""
    monkeypatch.setattr(unrolling, "TURNS", 0)
    monkeypatch.setattr(scalar_replacement, "LARGEST", 8)


HERE = Loc((lambda: None).__code__, -1)


def fast(f: Func, *points: tuple[Any, ...], by: Any = optimised) -> Func:
    """What is compiled for `f`: well formed, with the bits of `f` at some points."""
    optimise([f])
    before = show(f)
    made = check(by({"f": f})["f"])
    assert show(f) == before
    plain, module = Module({"f": f}), Module({"f": made})
    for x in points:
        want = run(f, *x)
        for got in (run(made, *x), plain["f"](*x), module["f"](*x)):
            assert same(got, want), (got, want)
    return made


def code(f: Func) -> Iterator[Value]:
    """All instructions of a function, those in loops too."""

    def of(block: Block) -> Iterator[Value]:
        for v in block.code:
            yield v
            if v.op is FOR:
                yield from of(v.attr)

    return of(f.body)


def loops(f: Func) -> list[Value]:
    return [v for v in code(f) if v.op is FOR]


def func(*params: Any) -> Callable[[Callable[..., Value]], Func]:
    """A function of the IR, from its body over a builder and parameters."""

    def make(body: Callable[..., Value]) -> Func:
        with ir.building("f") as b:
            b.loc = HERE
            result = body(b, *[b.param(t, f"x{k}") for k, t in enumerate(params)])
            return check(b.func(result))

    return make


# inlining


@fn
def line(a: Real, b: Real, x: Real) -> Real:
    return a * x + b


@fn
def fit(a: Real, b: Real, X: Vec[5], Y: Vec[5]) -> Real:
    return rose.sum((line(a, b, X[i]) - Y[i]) ** 2 for i in rose.range(5))


X, Y = (0.5, -1.0, 2.0, 0.25, 3.0), (1.0, -0.0, 2.5, 0.125, 0.0)


def test_small_functions_are_put_where_they_are_called():
    made = fast(rose.value_and_grad(fit, (0, 1)).func, (0.5, -0.25, X, Y))
    assert not list(callees(made))
    assert line.func.name in [v.loc.code.co_name for v in code(made)], "an instruction is where the user wrote it"


def steps(n: int) -> rose.Fn[..., Any]:
    def body(x):
        for k in range(n):
            x = sin(x) + float(k)
        return x

    return fn([Real], Real)(body)


def test_a_larger_function_stays_a_call_unless_it_is_called_once():
    once = steps(2 * SMALL)
    twice = steps(2 * SMALL)
    f = fast(fn([Real], Real)(lambda x: once(x) + twice(x) * twice(x + 1.0)).func, (0.5,))
    assert [is_call(v) for v in code(f)].count(True) == 2
    assert weight(f.body) > 2 * SMALL


def test_a_function_does_not_grow_beyond_what_engines_like():
    parts = [steps(LONGEST // 5) for _ in range(5)]
    f = fast(fn([Real], Real)(lambda x: sum([g(x) for g in parts], x)).func, (0.5,))
    assert list(callees(f))
    assert weight(f.body) <= LONGEST


@pytest.mark.slow
def test_a_chain_of_calls_is_as_long_as_it_likes():
    def around(g: Func) -> Func:
        with ir.building("f") as b:
            b.loc = HERE
            return b.func(b.call(g, [b.param(Real, "x")]) * 0.5)

    f = steps(2).func
    for _ in range(10_000):
        f = around(f)
    made = check(optimised({"f": f})["f"])
    assert list(callees(made))
    assert weight(made.body) <= LONGEST


def test_checkpoints_take_no_more_memory():
    """What is evaluated again stays a call: the values of the first time would have to be kept."""

    def memory(**schedule: Any) -> tuple[int, int]:
        scan = fn([Real], Real)(lambda x: rose.scan(lambda i, s: (sin(s[0]),), (x,), 1000, **schedule)[0])
        f = rose.grad(scan).func
        plain, made = Module({"f": f}), Module({"f": fast(f, (0.5,))})
        return plain.memory.data_len(plain.store) + plain.lowered.base, made.memory.data_len(
            made.store
        ) + made.lowered.base

    all_kept, _ = memory()
    before, after = memory(checkpoint="sqrt")
    assert after <= before < all_kept


def test_what_is_exported_twice_is_there_twice():
    funcs = {"fit": fit.func, "line": line.func}
    made = optimised(funcs)
    assert list(made) == ["fit", "line"]
    module = Module(made)
    assert same(module["line"](2.0, 1.0, 3.0), 7.0)
    assert same(module["fit"](0.5, 1.0, X, Y), run(fit.func, 0.5, 1.0, X, Y))


# dead code, across calls


@fn
def slope(a: Real, b: Real, X: Vec[5], Y: Vec[5]) -> tuple[Real, Real]:
    grads = rose.vjp(fit)(a, b, X, Y).grad(1.0)
    return grads[0], grads[1]


@pytest.mark.parametrize("by", [optimised, remove_dead_arguments])
def test_the_gradient_in_data_leaves_no_code_if_nobody_asks_for_it(by: Any):
    made = fast(slope.func, (0.5, -0.25, X, Y), by=by)
    functions = [made]
    for f in functions:
        functions += callees(f)
    refs = [v for f in functions for v in (*f.params, *code(f)) if isinstance(v.type, Ref)]
    assert [v.type.inner for v in refs if isinstance(v.type, Ref)] == [Real, Real], (
        "a sum for the line, none for the data"
    )


def test_a_result_that_no_caller_reads_is_not_made():
    @func(Real)
    def pair(b: Builder, x: Value) -> Value:
        return b.tuple([sin(x), exp(x)])

    @func(Real)
    def f(b: Builder, x: Value) -> Value:
        return b.get(b.call(pair, [x]), 0) + b.get(b.call(pair, [x + 1.0]), 0)

    made = fast(f, (0.5,), by=remove_dead_arguments)
    (half,) = set(callees(made))
    assert [v.op for v in code(half) if v.op is sin or v.op is exp] == [sin]


def test_a_parameter_that_only_dead_code_reads_is_not_handed_on():
    @func(Real, Real)
    def pair(b: Builder, x: Value, y: Value) -> Value:
        return b.tuple([sin(x), exp(y)])

    @func(Real, Real)
    def f(b: Builder, x: Value, y: Value) -> Value:
        return b.get(b.call(pair, [x, exp(y)]), 0) * b.get(b.call(pair, [x + 1.0, y]), 0)

    made = fast(f, (0.5, 0.25), by=remove_dead_arguments)
    assert not [v for v in code(made) if v.op is exp]
    assert [len(g.params) for g in callees(made)] == [1, 1]


def test_effects_stay_though_nobody_reads_what_they_give(capfd: pytest.CaptureFixture[str]):
    @fn
    def tell(x: Real) -> Real:
        rose.print("x is {}", x)
        return x + 1.0

    @fn
    def f(x: Real) -> Real:
        tell(x)
        return x * 2.0

    for by in (optimised, remove_dead_arguments):
        assert run(check(by({"f": f.func})["f"]), 0.5) == 1.0
    assert capfd.readouterr().out == "x is 0.5\n" * 2


# tapes


def test_the_tape_of_a_sum_is_not_stored():
    made = fast(rose.value_and_grad(fit, (0, 1)).func, (0.5, -0.25, X, Y))
    (loop,) = loops(made)  # both halves in one
    assert all([r.op is ir.ZERO or r.type.empty for r in loop.attr.results])


def test_a_struct_that_is_handed_on_is_not_on_the_tape():
    @rose.struct
    class Line:
        a: Vec[9]
        b: Real

    at = fn([Line, Real], Real)(lambda w, x: w.a[0] * exp(x) + w.b)
    step = fn([Line, Real], Real)(lambda w, x: at(w, x) / 2)
    last = fn([Line, Real], Real)(lambda w, x: rose.scan(lambda _, x: step(w, x), x, 5))
    (call,) = [v for v in step.func.body.code if is_call(v)]
    assert call.args[0] is step.func.params[0]
    tape = transpose(jvp(last.func, full_mask(last.func), last.loc).func).fwd.result
    assert "Real" in repr(tape) and "Line" not in repr(tape)


def test_cheap_elements_are_computed_again_and_dear_ones_are_kept():
    def of(item: Callable[[Value], Value]) -> int:
        @func(Vec[4])
        def f(b: Builder, x: Value) -> Value:
            v = b.vec(4, lambda i: item(b.index(x, i)))
            backwards = b.vec(4, lambda i: b.index(v, b.emit(rose.ir.ops.ifrom, (i, b.const(3, Fin(4))))))
            return backwards

        made = fast(f, ((0.5, -1.0, 2.0, 0.25),))
        return len([v for v in loops(made) if not all([r.op is ir.ZERO for r in v.attr.results])])

    assert of(lambda x: x * 3.0) == 1
    assert of(sin) == 2


# loops


def test_what_is_the_same_in_each_turn_is_done_once():
    @fn
    def f(a: Real, X: Vec[5]) -> Real:
        return rose.sum(X[i] * exp(a / 3.0) for i in rose.range(5))

    made = fast(f.func, (0.5, X))
    assert [v.block is made.body for v in code(made) if v.op is exp] == [True]
    nothing = fn([Real], Vec[0])(lambda a: rose.vec(1.0 / a for _ in rose.range(0)))
    fast(nothing.func, (0.0,))


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
    """A turn reads one element of each row: no row is cleared and added for it."""

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

        def turn(i: Value) -> tuple[list[Value], list[Value]]:
            middle = b.accum(b.zero(rose.ir.types.Vec(2, three)))
            inner = b.accum(b.zero(three))
            b.add_to(b.at(inner, b.const(2, Fin(3))), x)
            k = b.emit(rose.ir.ops.ifrom, (i, b.const(1, Fin(2)))) if index_late else i
            b.add_to(b.at(middle, k), b.freeze(inner))
            b.add_to(b.at(whole, i), b.freeze(middle))
            return [], []

        b.loop(2, turn)
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

        def turn(i: Value) -> tuple[list[Value], list[Value]]:
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

        b.loop(3, turn)
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


def two_loops(second: Callable[[Builder, Value, Value, Value], None], shared: bool = False) -> Func:
    """The sum of a vector's sines; then what `second` does with it in each turn of another loop."""

    @func(Vec[4])
    def f(b: Builder, x: Value) -> Value:
        total = b.accum(b.lift(0.0))
        other = total if shared else b.accum(b.lift(0.0))

        def first(i: Value) -> tuple[list[Value], list[Value]]:
            y = sin(b.index(x, i))
            b.add_to(total, y)
            return [], [y]

        def then(i: Value) -> tuple[list[Value], list[Value]]:
            second(b, other, made, i)
            return [], []

        _, (made,) = b.loop(4, first)
        b.loop(4, then)
        return b.freeze(total) if shared else b.tuple([b.freeze(total), b.freeze(other)])

    return f


AT = ((0.5, -1.0, 2.0, 0.25),)


def test_a_loop_that_reads_what_the_turn_of_another_made_is_one_with_it():
    made = fast(two_loops(lambda b, other, y, i: b.add_to(other, b.index(y, i) * 2.0)), AT)
    (loop,) = loops(made)
    assert len([v for v in loop.attr.code if v.op is ADD_TO]) == 2


@pytest.mark.parametrize(
    ("second", "shared"),
    [
        (lambda b, other, y, i: b.add_to(other, b.index(y, b.emit(rose.ir.ops.ifrom, (i, b.const(3, Fin(4)))))), False),
        (lambda b, other, y, i: b.add_to(other, b.index(y, i) * 1e17), True),
    ],
    ids=["another turn", "the same sum"],
)
def test_loops_stay_apart_where_their_order_is_seen(second: Any, shared: bool):
    made = fast(two_loops(second, shared), AT)
    assert len(loops(made)) == 2


def test_a_loop_does_not_pass_a_sum_that_it_reads():
    """The sum is frozen between the loops, after something was added to it that the first one made."""

    @func(Vec[2])
    def f(b: Builder, x: Value) -> Value:
        first, between, last = b.accum(b.zero(Vec[2])), b.accum(b.zero(Vec[2])), b.accum(b.lift(0.0))
        b.vec(2, lambda i: b.emit(ADD_TO, (b.at(first, i), sin(b.index(x, i)))))
        b.add_to(b.at(between, b.const(1, Fin(2))), b.index(b.freeze(first), 0))
        y = b.freeze(between)
        b.vec(2, lambda i: b.emit(ADD_TO, (last, b.index(y, i))))
        return b.freeze(last)

    assert len(loops(fast(f, ((0.5, -1.0),)))) == 2


def test_effects_keep_their_order(capfd: pytest.CaptureFixture[str]):
    @fn
    def f(x: Vec[2]) -> Real:
        y = rose.vec(rose.print("first {}", x[i]) or sin(x[i]) for i in rose.range(2))
        return rose.sum(rose.print("then {}", y[i]) or y[i] for i in rose.range(2))

    run(f.func, (0.0, 0.0))
    want = capfd.readouterr().out
    run(check(optimised({"f": f.func})["f"]), (0.0, 0.0))
    assert capfd.readouterr().out == want
    assert want.split() == ["first", "0.0", "first", "0.0", "then", "0.0", "then", "0.0"]


# what must not happen


def test_what_is_derived_later_does_not_depend_on_what_was_compiled():
    def gradient(compiled: bool) -> str:
        f = fn([Real, Real], Real)(lambda x, y: line(x, y, x) * line(y, x, y))
        if compiled:
            optimised({"f": f.func})
        return show(rose.grad(f).func)

    assert gradient(True) == gradient(False)


def test_zeros_of_both_signs_are_two_literals_in_single_precision():
    f = fn([Real, Bool], Real)(lambda x, c: rose.select(c, x * 0.0, x * -0.0))
    made = check(optimised({"f": to_single(f.func)})["f"])
    assert made.result is Single
    module = Module({"f": made}, single=True)
    assert [str(module["f"](1.0, c)) for c in (True, False)] == ["0.0", "-0.0"]


def test_dead_code_may_be_removed_again():
    made = fast(rose.value_and_grad(dense(2)).func)
    before = show(made)
    assert show(remove_dead_code(made)) == before


# small accumulators


@fn
def stretched(p: Vec[2], q: Vec[2]) -> Real:
    dx, dy = q[0] - p[0], q[1] - p[1]
    return (rose.sqrt(dx * dx + dy * dy) - 0.1) ** 2


@fn
def springs(p: Vec[4, Vec[2]]) -> Real:
    return rose.sum(stretched(p[i], p[i + 1]) for i in rose.range(3))


POINTS = ((0.0, -0.0), (0.5, 0.25), (1.0, -1.0), (1.0, -2.0))


def test_the_cotangents_of_a_few_numbers_are_numbers():
    made = fast(rose.grad(springs).func, (POINTS,))
    assert [v.args[0].type for v in code(made) if v.op is ACCUM] == [springs.types[0]], "the gradient, and no other"
    assert all([v.args[1].type is Real for v in code(made) if v.op is ADD_TO])


def test_a_small_accumulator_keeps_the_sign_of_its_zeros():
    @fn
    def f(x: Vec[2], y: Real) -> Vec[2]:
        total = rose.accum([-0.0, 0.0])
        total[0] += y
        total[1] += y
        total += x
        return total.value

    for x, y in (((-0.0, -0.0), -0.0), ((0.0, -0.0), -0.0), ((-0.0, 1.0), 0.0)):
        fast(f.func, (x, y))


def test_a_small_accumulator_that_a_loop_adds_to_is_one_for_each_number():
    @fn
    def f(x: Vec[5, Vec[2]]) -> Vec[2]:
        total = rose.accum([0.0, 1.0])
        for i in rose.range(5):
            total[0] += x[i][1]
            total += x[i]
        return total.value

    made = fast(f.func, (tuple((0.1 * k, -0.3 * k) for k in range(5)),))
    assert [v.args[0].type for v in code(made) if v.op is ACCUM] == [Real, Real]


# the driver


def steep() -> Func:
    """A gradient that most passes and rules have something to do in."""
    inner = fn([Real], Real)(lambda x: rose.cond(x > 0.5, lambda: x * x - sin(x), lambda: -x))

    def f(x: Any, m: Any) -> Any:
        rows = rose.sum(rose.sum(m[i][j] * x[j] for j in rose.range(20)) ** 2 for i in rose.range(20))
        return rows + rose.sum(inner(x[i] - x[i + 1]) for i in rose.range(19))

    return rose.value_and_grad(fn([Vec[20], Vec[20, Vec[20]]], Real)(f)).func


@pytest.mark.parametrize("name", NAMES)
def test_without_a_pass_every_bit_stays(name: str):
    g, x = steep(), [0.1 * k for k in range(20)]
    args = x, [x[k:] + x[:k] for k in range(20)]
    made = optimised({"g": g}, asked=Instruments((name,), verifies=True))["g"]
    assert same(run(check(made), *args), run(g, *args))


def test_whoever_asks_is_told_of_each_pass_that_changed_something():
    told: list[str] = []
    optimised({"g": steep()}, asked=Instruments(tell=lambda name, f: told.append(name)))
    assert {"early-dead-code", "inline", "fuse-loops", "unroll-and-jam", "dead-code"} <= {*told}


def square() -> Func:
    return fn([Real], Real)(lambda x: (x + 1.0, x * x)[1]).func


@pytest.mark.parametrize(
    ("edits", "message"), [(False, "a pass edited f, which is not its own"), (True, None)], ids=["refused", "allowed"]
)
def test_only_what_the_pipeline_made_is_edited_in_place(edits: bool, message: str | None):
    step = Pass("a pass", lambda f, c: remove_dead_code(f), "", edits)
    f = square()
    f.name = "f"
    if message is None:
        Instruments(verifies=True).run(step, f, Context((), False, None))
    else:
        with pytest.raises(AssertionError, match=message):
            Instruments(verifies=True).run(step, f, Context((), False, None))


def test_a_pass_that_makes_what_is_not_well_formed_is_found():
    def forget(f: Func, c: Context) -> Func:
        f.body.code.clear()
        return f

    with pytest.raises(AssertionError, match="used before it is defined"):
        Instruments(verifies=True).run(Pass("forget", forget, "", edits=True), square(), Context((), False, None))


def test_an_unknown_pass_cannot_be_left_out():
    with pytest.raises(AssertionError, match="there is no pass inlining: the passes are early-dead-code, inline,"):
        Instruments(("inlining",))


BROKEN = """
import rose.optimise.pipeline
from rose.ir import building
from rose.ir.ops import neg
from rose.ir.types import Real

with building("f") as b:
    y = neg(b.param(Real))
    b.root.code.clear()
    b.func(y)
"""


@pytest.mark.parametrize(("check", "code"), [("1", 1), ("", 0)])
def test_rose_check_verifies_every_function_that_is_made(check: str, code: int):
    environment = {**os.environ, "ROSE_CHECK": check}
    done = subprocess.run([sys.executable, "-c", BROKEN], env=environment, capture_output=True, text=True)
    assert done.returncode == code
    assert ("used before it is defined" in done.stderr) == bool(code)
