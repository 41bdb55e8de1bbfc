"""The meaning of each part of the IR, on small programs whose answers are known."""

import math
import struct as binary

import pytest

import rose.frontend.language.loops as loops
from rose.autodiff.jvp import full_mask, jvp
from rose.errors import OutOfRange, TypeMismatch
from rose.frontend.annotations import Dual, Fin, Vec, struct
from rose.frontend.decorators import fn, opaque
from rose.frontend.values import to_value
from rose.host.evaluator import accumulator
from rose.host.interpreter import Watch, run, zero
from rose.ir import Block, Func, building, ops
from rose.ir.types import Bool, Real, Ref, Tan, Tuple, Unit, tuple_of
from rose.ir.types import Vec as VecType


@struct
class Point:
    x: Real
    y: Real


def bits(x: float) -> bytes:
    return binary.pack("<d", x)


def test_arithmetic_is_done_in_the_order_it_was_written():
    @fn
    def f(x: Real, y: Real) -> Real:
        return (x + y) + x * y - y / x

    assert run(f.func, 0.1, 0.7) == (0.1 + 0.7) + 0.1 * 0.7 - 0.7 / 0.1


@pytest.mark.parametrize("x", [0.0, -0.0, math.inf, -math.inf, 5e-324, 1.8e308])
def test_every_bit_of_a_number_is_kept(x: float):
    @fn
    def f(x: Real, v: Vec[2]) -> tuple[Real, Vec[2]]:
        return x, loops.vec(v[i] for i in loops.range(2))

    y, (z, w) = run(f.func, x, [x, 1.0])
    assert bits(x) == bits(y) == bits(z)
    assert w == 1.0


def test_division_by_zero_answers():
    @fn
    def f(x: Real, y: Real) -> Real:
        return x / y

    assert run(f.func, 1.0, -0.0) == -math.inf
    assert math.isnan(run(f.func, 0.0, 0.0))


def test_select_takes_one_of_two_values_of_any_type():
    @fn
    def f(c: Bool, x: Vec[2], y: Vec[2]) -> Vec[2]:
        return ops.select(c, x, y)

    assert run(f.func, True, [1.0, 2.0], [3.0, 4.0]) == (1.0, 2.0)
    assert run(f.func, False, [1.0, 2.0], [3.0, 4.0]) == (3.0, 4.0)


def test_aggregates_are_tuples_and_a_unit_is_none():
    @fn
    def f(p: Point, v: Vec[2, Vec[1]]) -> tuple[Point, Vec[2, Vec[1]], None, Vec[3]]:
        return Point(p.y, p.x), v, None, [p.x, v[0][0], 5.0]

    assert run(f.func, Point(1.0, 2.0), [[3.0], [4.0]]) == ((2.0, 1.0), ((3.0,), (4.0,)), None, (1.0, 3.0, 5.0))


def test_indices_read_data_and_literals():
    @fn
    def f(k: Vec[3, Fin[2]]) -> Vec[3]:
        table = to_value([10.0, 20.0], Vec[2])
        return loops.vec(table[k[i]] + i for i in loops.range(3))

    assert run(f.func, [1, 0, 1]) == (20.0, 11.0, 22.0)


def test_an_argument_is_checked_against_its_type():
    @fn
    def f(k: Fin[3], v: Vec[3]) -> Real:
        return v[k]

    with pytest.raises(OutOfRange, match="k is out of range: 3"):
        run(f.func, 3, [1.0, 2.0, 3.0])
    with pytest.raises(TypeMismatch, match="v must have 3 elements, got 2"):
        run(f.func, 0, [1.0, 2.0])


def test_loops_nest():
    @fn
    def f(x: Vec[3], y: Vec[2]) -> Vec[3, Vec[2]]:
        return loops.vec(loops.vec(x[i] * y[j] for j in loops.range(2)) for i in loops.range(3))

    assert run(f.func, [1.0, 2.0, 3.0], [10.0, 1.0]) == ((10.0, 1.0), (20.0, 2.0), (30.0, 3.0))


def test_a_state_goes_from_turn_to_turn():
    @fn
    def f(v: Vec[4]) -> Real:
        return loops.prod(v[i] for i in loops.range(4))

    assert run(f.func, [1.0, 2.0, 3.0, 4.0]) == 24.0


def test_a_loop_gives_its_last_states_then_its_vectors():
    with building("f") as b:
        x, y = b.param(Real), b.param(Real)

        def body(i, s, t):
            return [t, s + t], [s, i]

        states, vectors = b.loop(5, body, [x, y])
        f = b.func(b.tuple([*states, *vectors]))
    assert run(f, 0.0, 1.0) == (5.0, 8.0, (0.0, 1.0, 1.0, 2.0, 3.0), (0, 1, 2, 3, 4))


def test_a_loop_of_no_turns_gives_its_first_states_and_empty_vectors():
    with building("f") as b:
        x = b.param(Real)
        states, vectors = b.loop(0, lambda i, s: ([s + s], [s, i]), [x])
        f = b.func(b.tuple([*states, *vectors]))
    assert run(f, 7.0) == (7.0, (), ())


def test_an_accumulator_sums():
    @fn
    def f(v: Vec[3]) -> Real:
        return loops.sum(v[i] for i in loops.range(3))

    assert run(f.func, [0.1, 0.2, 0.3]) == ((0.0 + 0.1) + 0.2) + 0.3


def test_an_accumulator_leaves_its_initial_value_as_it_was():
    with building("f") as b:
        v, i = b.param(VecType(2, Real)), b.param(Fin[2])
        ref = b.accum(v)
        b.add_to(b.at(ref, i), b.const(1.0, Real))
        b.add_to(ref, v)
        f = b.func(b.tuple([v, b.freeze(ref)]))
    assert run(f, [10.0, 20.0], 1) == ((10.0, 20.0), (20.0, 41.0))


def test_parts_of_an_accumulator_are_added_to_by_themselves():
    with building("f") as b:
        p = b.param(tuple_of(Real, VecType(2, Real), Unit))
        x = b.param(Real)
        ref = b.accum(p)
        b.add_to(b.at(ref, 0), x)
        b.add_to(b.at(b.at(ref, 1), b.const(1, Fin[2])), x)
        b.add_to(ref, p)
        f = b.func(b.freeze(ref))
    assert run(f, (1.0, (2.0, 3.0), None), 0.5) == (2.5, (4.0, 6.5), None)


def test_what_is_no_number_stays_when_it_is_added_to():
    with building("f") as b:
        p = b.param(tuple_of(Real, Bool, Fin[3]))
        ref = b.accum(p)
        b.add_to(ref, p)
        f = b.func(b.freeze(ref))
    assert run(f, (1.5, True, 2)) == (3.0, True, 2)


def test_every_turn_of_a_loop_opens_a_new_accumulator():
    @fn
    def f(v: Vec[3, Vec[2]]) -> Vec[3]:
        return loops.vec(loops.sum(v[i][j] for j in loops.range(2)) for i in loops.range(3))

    assert run(f.func, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) == (3.0, 7.0, 11.0)


def adder() -> Func:
    with building("adder") as b:
        ref, x = b.param(Ref(VecType(2, Real))), b.param(Real)
        b.add_to(b.at(ref, b.const(1, Fin[2])), x)
        return b.func(b.unit())


def test_a_function_adds_to_the_accumulator_that_it_is_given():
    total = accumulator((1.0, 2.0))
    assert run(adder(), total, 5.0) is None
    assert total.read() == (1.0, 7.0)


def test_a_call_adds_to_an_accumulator_of_the_caller():
    g = adder()
    with building("f") as b:
        x = b.param(Real)
        ref = b.accum(b.zero(VecType(2, Real)))
        b.call(g, [ref, x])
        b.call(g, [ref, x])
        f = b.func(b.freeze(ref))
    assert run(f, 3.0) == (0.0, 6.0)


def test_what_is_read_of_an_accumulator_does_not_change():
    total = accumulator([1.0, 2.0])
    before = total.read()
    total.at(0).add(1.0)
    assert before == (1.0, 2.0)
    assert total.read() == (2.0, 2.0)


def test_the_zero_of_each_type():
    t = Tuple((Real, Tan, Bool, Unit, Fin[4], VecType(2, tuple_of(Real, Bool))), None)
    assert zero(t) == (0.0, 0.0, False, None, 0, ((0.0, False), (0.0, False)))
    assert zero(Bool) is False


def test_a_host_function_sees_and_gives_what_a_user_does():
    @opaque
    def swap(p: Point, v: Vec[2], k: Fin[2]) -> Point:
        assert isinstance(p, Point)
        assert isinstance(v, list)
        return Point(p.y + v[k], p.x)

    @fn
    def f(p: Point, k: Fin[2]) -> Real:
        q = swap(p, [10.0, 20.0], k)
        return q.x

    assert run(f.func, Point(1.0, 2.0), 1) == 22.0
    assert run(swap.func, Point(1.0, 2.0), [0.0, 5.0], 1) == (7.0, 1.0)


def test_the_answer_of_a_host_function_is_checked():
    @opaque
    def wrong(x: Real) -> Vec[2]:
        return [x]

    with pytest.raises(TypeMismatch, match="the result of wrong must have 2 elements, got 1"):
        run(wrong.func, 1.0)


def test_an_exception_of_a_host_function_comes_out():
    @opaque
    def stop(x: Real) -> Real:
        raise StopIteration(x)

    @fn
    def f(x: Real) -> Real:
        return stop(x) + 1.0

    with pytest.raises(StopIteration):
        run(f.func, 1.0)


@pytest.mark.slow
def test_a_chain_of_calls_may_be_long():
    made = None
    for _ in range(5000):
        with building("link") as b:
            x = b.param(Real)
            made = b.func(b.emit(ops.add, (x if made is None else b.call(made, [x]), b.const(1.0, Real))))
    assert made is not None
    assert run(made, 0.0) == 5000.0


def test_a_derivative_runs_on_a_number_and_its_tangent():
    @fn
    def f(x: Real) -> Real:
        return ops.sqrt(x) * x

    d = jvp(f.func, full_mask(f.func)).func
    assert run(d, 4.0, 1.0) == (8.0, 3.0)


def test_a_rule_of_a_user_is_run():
    @opaque(pure=True)
    def log(x: Real) -> Real:
        return math.log(x)

    @log.jvp
    def rule(x: Dual) -> Dual:
        return Dual(log(x.re), x.du / x.re)

    @fn
    def f(x: Real) -> Real:
        return log(x) * 3.0

    assert run(jvp(f.func, (True,)).func, 2.0, 1.0) == (math.log(2.0) * 3.0, 1.5)


def test_a_watch_hears_of_each_run_of_a_block():
    class Count(Watch):
        runs = 0

        def ran(self, block: Block) -> None:
            self.runs += 1

    f = fn([Vec[3]], Real)(lambda x: loops.sum(x[i] for i in loops.range(3)))
    run(f.func, (1.0, 2.0, 3.0), watch=(watch := Count()))
    assert watch.runs == 1 + 3


def test_a_loop_without_iterations_that_begins_beyond_its_last_index_has_a_vector_of_its_length():
    with building("f") as b:
        i = b.param(Fin[5], "i")
        _, (v,) = b.loop(2, lambda j: ([], [ops.real(j)]), (), b.span(2, i, i))
        f = b.func(v)
    assert [run(f, k) for k in range(5)] == [(0.0, 0.0)] * 5
