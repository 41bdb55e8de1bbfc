"""One ill-formed program for each rule, made by hand, and well-formed ones from the front end."""

from collections.abc import Callable
from typing import Any

import pytest

import rose.frontend.language.loops as loops
from rose import ir
from rose.autodiff.erase_tangents import untype
from rose.autodiff.jvp import full_mask, jvp
from rose.errors import Loc
from rose.frontend.annotations import Fin, Vec, struct
from rose.frontend.decorators import fn, opaque
from rose.frontend.language.accumulators import accum
from rose.host.interpreter import run
from rose.ir import Block, Func, Linear, Loop, Op, Opaque, Value, building, ops
from rose.ir.check import check
from rose.ir.types import Bool, Real, Ref, Span, Tan, Tuple, Type, Unit, tuple_of
from rose.ir.types import Vec as VecType
from rose.optimise.dead_code import remove_dead_code

V3 = VecType(3, Real)
HERE = Loc((lambda: None).__code__, -1)


class Raw:
    """A function made by hand, with nothing checked on the way."""

    def __init__(self, *params: Type) -> None:
        self.body = self.block = Block()
        self.params = [self.param(t) for t in params]

    def param(self, t: Type) -> Value:
        p = Value(ir.PARAM, t, (), None, HERE, self.block)
        self.block.params.append(p)
        return p

    def put(self, op: Op, t: Type, *args: Value, attr: Any = None) -> Value:
        v = Value(op, t, args, attr, HERE, self.block)
        self.block.code.append(v)
        return v

    def loop(self, n: int, body: Callable[[Value], list[Value]]) -> Value:
        """A loop without states; its vectors are given by its type."""
        outer, self.block = self.block, Loop(self.block)
        inner = self.block
        inner.results = tuple(body(self.param(Fin[n])))
        self.block = outer
        return self.put(ir.FOR, Tuple(tuple([VecType(n, r.type) for r in inner.results]), None), attr=inner)

    def func(self, result: Value, *, pure: bool = True) -> Func:
        self.body.results = (result,)
        return Func("f", self.body, result.type, pure=pure)


def wrong(f: Func, message: str) -> None:
    with pytest.raises(AssertionError) as e:
        check(f)
    assert message in str(e.value)


# the rows of the table


def test_a_message_names_the_function_and_the_instruction():
    raw = Raw(Real, Bool)
    raw.put(ir.CONST, Real, attr=1.0)
    f = raw.func(raw.put(ops.add, Real, *raw.params))
    with pytest.raises(AssertionError) as e:
        check(f)
    assert str(e.value) == f"f: instruction 1, add(Real, Bool): Real, from {HERE}: add does not accept (Real, Bool)"


def test_a_row_has_the_type_that_the_table_gives():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ops.neg, Bool, *raw.params)), "neg(Real): Bool, from")
    wrong(raw.func(raw.body.code[0]), "its type must be Real")


def test_a_row_takes_its_number_of_arguments():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ops.add, Real, *raw.params)), "add takes another number of arguments")


def test_a_row_has_no_attribute():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ops.neg, Real, *raw.params, attr=1)), "neg has no attribute")


def test_a_tangent_is_not_multiplied_by_a_tangent():
    raw = Raw(Tan, Tan)
    wrong(raw.func(raw.put(ops.mul, Tan, *raw.params)), "mul does not accept (Tan, Tan)")


def test_a_tangent_goes_through_no_curve():
    raw = Raw(Tan)
    wrong(raw.func(raw.put(ops.sqrt, Tan, *raw.params)), "sqrt does not accept (Tan)")


def test_a_tangent_does_not_become_a_real():
    raw = Raw(Tan, Real)
    wrong(raw.func(raw.put(ops.mul, Real, *raw.params)), "its type must be Tan")


def test_an_index_fits_its_vector():
    raw = Raw(V3, Fin[4])
    wrong(raw.func(raw.put(ir.INDEX, Real, *raw.params)), "index does not accept (Vec[3], Fin[4])")


# literals, tuples, vectors


@pytest.mark.parametrize(
    ("t", "x"),
    [
        (Fin[3], 3), (Fin[3], -1), (Fin[3], 1.0), (Fin[3], True), (Real, 1), (Real, True), (Bool, 0), (Tan, 0.0),
        (Unit, None), (V3, (1.0, 2.0)), (V3, [1.0, 2.0, 3.0]), (V3, (1.0, 2, 3.0)), (VecType(1, Fin[2]), (2,)),
        (tuple_of(Real), (1.0,)), (VecType(1, tuple_of(Real)), ((1,),)), (VecType(1, tuple_of(Real)), ((),)),
    ],
)  # fmt: skip
def test_a_literal_is_of_its_type(t: Type, x: Any):
    raw = Raw()
    wrong(raw.func(raw.put(ir.CONST, t, attr=x)), f"is not a literal of type {t!r}")


def test_a_literal_takes_no_arguments():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ir.CONST, Real, *raw.params, attr=1.0)), "const takes 0 arguments")


def test_there_is_no_zero_of_an_accumulator():
    raw = Raw()
    raw.put(ir.ZERO, Ref(Real))
    wrong(raw.func(raw.put(ir.ZERO, Unit)), "there is no zero of an accumulator")


def test_a_tuple_has_the_types_of_its_items():
    raw = Raw(Real, Bool)
    wrong(raw.func(raw.put(ir.TUPLE, tuple_of(Real, Real), *raw.params)), "its type must be a tuple")
    raw = Raw(Real)
    wrong(raw.func(raw.put(ir.TUPLE, Real, *raw.params)), "its type must be a tuple")


@pytest.mark.parametrize("k", [2, -1, None])
def test_an_item_of_a_tuple_is_there(k: int | None):
    raw = Raw(tuple_of(Real, Bool))
    wrong(raw.func(raw.put(ir.GET, Real, *raw.params, attr=k)), f"there is no item {k} to get")


def test_an_item_has_its_type():
    raw = Raw(tuple_of(Real, Bool))
    wrong(raw.func(raw.put(ir.GET, Real, *raw.params, attr=1)), "its type must be Bool")


def test_only_a_tuple_has_items():
    raw = Raw(V3)
    wrong(raw.func(raw.put(ir.GET, Real, *raw.params, attr=1)), "there is no item 1 to get")


@pytest.mark.parametrize("t", [VecType(3, Real), VecType(2, Tan), Real])
def test_a_vector_has_the_type_of_its_elements(t: Type):
    raw = Raw(Real, Real)
    wrong(raw.func(raw.put(ir.PACK, t, *raw.params)), "its type must be a vector of its arguments")


# loops


def test_a_loop_has_a_block_with_an_index():
    raw = Raw()
    raw.put(ir.FOR, tuple_of())
    wrong(raw.func(raw.put(ir.ZERO, Unit)), "a loop needs a block whose first parameter is an index")


def test_the_results_of_a_loop_have_its_types():
    raw = Raw(Real)
    loop = raw.loop(3, lambda i: [raw.params[0]])
    loop.type = tuple_of(VecType(4, Real))
    wrong(raw.func(raw.put(ir.GET, VecType(4, Real), loop, attr=0)), "its type must be (Vec[3],)")


def test_a_state_keeps_its_type():
    raw = Raw(Bool)
    block = raw.block = Loop(raw.body)
    raw.param(Fin[3])
    block.results = (raw.param(Real),)
    raw.block = raw.body
    loop = raw.put(ir.FOR, tuple_of(Real), *raw.params, attr=block)
    wrong(raw.func(raw.put(ir.GET, Real, loop, attr=0)), "the states of a loop have other types")


def test_a_loop_is_only_read_by_get():
    raw = Raw(Real)
    loop = raw.loop(3, lambda i: [raw.params[0]])
    wrong(raw.func(raw.put(ir.TUPLE, tuple_of(loop.type), loop)), "a loop is used by something other than `get`")


def test_no_function_or_block_gives_a_whole_loop():
    raw = Raw(Real)
    wrong(raw.func(raw.loop(3, lambda i: [raw.params[0]])), "gives back what it cannot: a loop")
    raw = Raw(Real)
    raw.loop(2, lambda i: [raw.loop(3, lambda j: [raw.params[0]])])
    wrong(raw.func(raw.params[0]), "gives back what it cannot: a loop")
    raw = Raw(Real)
    wrong(raw.func(raw.loop(3, lambda i: [raw.params[0]])), "gives back what it cannot: a loop")


def test_a_loop_carries_no_accumulator():
    raw = Raw(Real)
    ref = raw.put(ir.ACCUM, Ref(Real), *raw.params)
    block = raw.block = Loop(raw.body)
    raw.param(Fin[3])
    block.results = (raw.param(Ref(Real)),)
    raw.block = raw.body
    raw.put(ir.FOR, tuple_of(Ref(Real)), ref, attr=block)
    wrong(raw.func(raw.params[0]), "an accumulator is only added to")


def test_a_loop_gives_no_accumulator():
    raw = Raw(Real)
    raw.loop(3, lambda i: [raw.put(ir.ACCUM, Ref(Real), *raw.params)])
    wrong(raw.func(raw.params[0]), "gives back what it cannot: a loop or an accumulator")


def with_span(size: int, high: int, *, same: bool) -> Func:
    """A loop over indices below 3, with a span of those below `size`, which it keeps, or changes."""
    raw = Raw(Fin[1], Fin[high])
    t = Span(size, Fin[1], Fin[high])
    span = raw.put(ir.TUPLE, t, *raw.params)
    block = raw.block = Loop(raw.body)
    raw.param(Fin[3])
    p = raw.param(t)
    block.results = (p if same else span,)
    raw.block = raw.body
    loop = raw.put(ir.FOR, tuple_of(t), span, attr=block)
    return raw.func(raw.put(ir.GET, t, loop, attr=0))


def test_the_span_of_a_loop_is_of_its_indices_and_stays():
    check(with_span(3, 4, same=True))
    wrong(with_span(3, 4, same=False), "the span of a loop is of its indices, and stays as it is")
    wrong(with_span(4, 4, same=True), "the span of a loop is of its indices, and stays as it is")
    wrong(with_span(3, 5, same=True), "a span ends where its indices end, or before")


def test_a_block_belongs_to_one_loop():
    raw = Raw(Real)
    loop = raw.loop(3, lambda i: [raw.params[0]])
    raw.put(ir.FOR, loop.type, attr=loop.attr)
    wrong(raw.func(raw.params[0]), "a block is not in its place")


def test_a_block_knows_the_block_around_it():
    raw = Raw(Real)
    raw.loop(3, lambda i: [raw.params[0]]).attr.parent = None
    wrong(raw.func(raw.params[0]), "a block is not in its place")


# calls


def identity(t: Type, *, pure: bool = True) -> Func:
    raw = Raw(t)
    return Func("g", raw.func(raw.params[0]).body, t, pure=pure)


def test_a_call_gives_what_the_function_takes():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ir.PURE_CALL, Bool, *raw.params, attr=identity(Bool))), "g takes (Bool)")
    raw = Raw(Real, Real)
    wrong(raw.func(raw.put(ir.PURE_CALL, Real, *raw.params, attr=identity(Real))), "g takes (Real)")


def test_a_call_has_the_result_of_the_function():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ir.PURE_CALL, Bool, *raw.params, attr=identity(Real))), "its type must be Real")


def test_a_call_names_a_function():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ir.PURE_CALL, Real, *raw.params, attr="g")), "a call names no function")


def test_a_call_that_is_shared_is_pure():
    raw = Raw(Real)
    call = raw.put(ir.PURE_CALL, Real, *raw.params, attr=identity(Real, pure=False))
    wrong(raw.func(call, pure=False), "`pure_call` of g, which is not pure")


def test_a_pure_function_makes_only_pure_calls():
    raw = Raw(Real)
    call = raw.put(ir.CALL, Real, *raw.params, attr=identity(Real, pure=False))
    assert check(raw.func(call, pure=False))
    wrong(raw.func(call), "a function that is marked as pure makes a call that is not")


def test_what_is_called_is_checked():
    raw = Raw(Real)
    bad = Func("bad", raw.body, Real, pure=True)
    raw.body.results = (raw.put(ops.add, Real, *raw.params),)
    outer = Raw(Real)
    call = outer.loop(2, lambda i: [outer.put(ir.PURE_CALL, Real, *outer.params, attr=bad)])
    wrong(outer.func(outer.put(ir.GET, VecType(2, Real), call, attr=0)), "bad: instruction 0")


@pytest.mark.slow
def test_a_long_chain_of_calls_is_checked():
    g = identity(Real)
    for _ in range(5000):
        raw = Raw(Real)
        g = raw.func(raw.put(ir.PURE_CALL, Real, *raw.params, attr=g))
    assert check(g) is g


def test_a_function_gives_one_result_of_its_type():
    raw = Raw(Real)
    f = raw.func(raw.params[0])
    f.result = Bool
    wrong(f, "f: it gives Real, not one Bool")
    f.body.results = ()
    wrong(f, "f: it gives , not one Bool")


def test_an_opaque_function_has_no_body():
    raw = Raw(Real)
    wrong(Func("f", raw.func(raw.params[0]).body, Real, pure=True, kind=Opaque(abs)), "f: it is opaque, but has a body")


@pytest.mark.parametrize("t", [Tan, VecType(2, Tan), Ref(Real)])
def test_an_opaque_function_sees_only_numbers(t: Type):
    f = Func("f", Raw(t).body, Real, pure=True, kind=Opaque(abs))
    wrong(f, "f: it is opaque, but sees a tangent or an accumulator")


def test_a_linear_function_is_of_its_parts():
    with building("f") as b:
        f = b.func(b.param(Real))
    for params, result in (([Real], Tan), ([Tan], Real), ([Tan, Real], Tan), ([VecType(2, Tan)], Tan)):
        body = Raw(*params).body
        what = "f: it is linear, and what it calls takes and gives the same, over numbers"
        wrong(Func("f", body, result, pure=True, kind=Linear(f, f)), what)
    with building("f") as b:
        b.func(b.param(Tan))
    what = "f: it is linear in its first parameter, so it has no body, and the rest are primals"
    wrong(Func("f", b.root, Tan, pure=True, kind=Linear(f, f)), what)


# scopes


def test_a_value_is_defined_before_it_is_used():
    raw = Raw(Real)
    late = Value(ops.neg, Real, (raw.params[0],), None, HERE, raw.body)
    result = raw.put(ops.neg, Real, late)
    raw.body.code.append(late)
    wrong(raw.func(result), "instruction 0, neg(Real): Real, from")
    wrong(raw.func(result), "neg is used before it is defined")


def test_a_value_is_used_inside_of_its_block():
    raw = Raw(Real)
    inner: list[Value] = []
    raw.loop(3, lambda i: inner.append(raw.put(ops.neg, Real, *raw.params)) or inner)
    wrong(raw.func(raw.put(ops.neg, Real, *inner)), "neg is used outside of its block")
    raw = Raw(Real)
    index: list[Value] = []
    raw.loop(3, lambda i: index.append(i) or [])
    wrong(raw.func(*index), "gives back what it cannot: param is used outside of its block")


def test_a_value_stands_in_one_place():
    raw = Raw(Real)
    v = raw.put(ops.neg, Real, *raw.params)
    raw.body.code.append(v)
    wrong(raw.func(v), "is in two places")


def test_a_value_knows_its_block():
    raw = Raw(Real)
    v = raw.put(ops.neg, Real, *raw.params)
    v.block = Block()
    wrong(raw.func(raw.params[0]), "does not belong to the block that it is in")


def test_a_parameter_is_no_instruction():
    raw = Raw()
    wrong(raw.func(raw.put(ir.PARAM, Real)), "a parameter is among the instructions")


def test_an_instruction_is_no_parameter():
    raw = Raw()
    raw.body.params.append(raw.put(ir.CONST, Real, attr=1.0))
    wrong(raw.func(raw.body.code[0]), "a parameter of a block is not a `param`")


# accumulators


def opened() -> tuple[Raw, Value, Value]:
    raw = Raw(Real)
    return raw, raw.params[0], raw.put(ir.ACCUM, Ref(Real), *raw.params)


def test_an_accumulator_is_not_a_value():
    raw, _, ref = opened()
    raw.put(ir.TUPLE, tuple_of(Ref(Real)), ref)
    wrong(raw.func(raw.put(ir.FREEZE, Real, ref)), "an accumulator is only added to, frozen, or given to a `call`")


def test_an_accumulator_is_not_chosen():
    raw, _, ref = opened()
    c = raw.put(ir.CONST, Bool, attr=True)
    raw.put(ops.select, Ref(Real), c, ref, ref)
    wrong(raw.func(raw.put(ir.FREEZE, Real, ref)), "an accumulator is only added to, frozen, or given to a `call`")


def test_an_accumulator_is_not_given_to_a_call_that_is_shared():
    raw, x, ref = opened()
    raw.put(ir.PURE_CALL, Unit, ref, attr=adds())
    wrong(raw.func(x), "an accumulator is only added to, frozen, or given to a `call`")


def test_what_is_added_is_of_its_type():
    raw, x, ref = opened()
    flag = raw.put(ir.CONST, Bool, attr=True)
    raw.put(ir.ADD_TO, Unit, ref, flag)
    wrong(raw.func(x), "add_to does not accept (&Real, Bool)")


def test_only_an_accumulator_is_frozen():
    raw = Raw(Real)
    wrong(raw.func(raw.put(ir.FREEZE, Real, *raw.params)), "freeze does not accept (Real)")


def test_an_accumulator_is_frozen_once():
    raw, _, ref = opened()
    raw.put(ir.FREEZE, Real, ref)
    wrong(raw.func(raw.put(ir.FREEZE, Real, ref)), "an accumulator is frozen twice")


def test_an_accumulator_is_frozen_where_it_was_opened():
    raw, x, ref = opened()
    raw.loop(3, lambda i: [raw.put(ir.FREEZE, Real, ref)])
    wrong(raw.func(x), "frozen as a whole, in the block that opened it")


def test_a_parameter_is_not_frozen():
    raw = Raw(Ref(Real))
    wrong(raw.func(raw.put(ir.FREEZE, Real, *raw.params), pure=False), "frozen as a whole, in the block that opened it")


def test_a_part_of_an_accumulator_is_not_frozen():
    raw = Raw(V3, Fin[3])
    ref = raw.put(ir.ACCUM, Ref(V3), raw.params[0])
    part = raw.put(ir.AT, Ref(Real), ref, raw.params[1])
    wrong(raw.func(raw.put(ir.FREEZE, Real, part)), "frozen as a whole, in the block that opened it")


def test_nothing_is_added_after_the_freeze():
    raw, x, ref = opened()
    y = raw.put(ir.FREEZE, Real, ref)
    raw.put(ir.ADD_TO, Unit, ref, x)
    wrong(raw.func(y), "an accumulator is added to after its freeze")


def test_nothing_is_added_after_the_freeze_inside_a_loop():
    raw, x, ref = opened()
    y = raw.put(ir.FREEZE, Real, ref)
    raw.loop(3, lambda i: [raw.put(ir.ADD_TO, Unit, ref, x)])
    wrong(raw.func(y), "an accumulator is added to after its freeze")


def test_nothing_is_added_to_a_part_after_the_freeze():
    raw = Raw(V3, Fin[3], Real)
    ref = raw.put(ir.ACCUM, Ref(V3), raw.params[0])
    part = raw.put(ir.AT, Ref(Real), ref, raw.params[1])
    y = raw.put(ir.FREEZE, V3, ref)
    raw.put(ir.ADD_TO, Unit, part, raw.params[2])
    wrong(raw.func(y), "an accumulator is added to after its freeze")


def adds() -> Func:
    raw = Raw(Ref(Real))
    one = raw.put(ir.CONST, Real, attr=1.0)
    raw.put(ir.ADD_TO, Unit, raw.params[0], one)
    return raw.func(raw.put(ir.ZERO, Unit))


def test_an_accumulator_is_not_given_to_a_call_after_its_freeze():
    raw, _, ref = opened()
    raw.put(ir.CALL, Unit, ref, attr=adds())
    y = raw.put(ir.FREEZE, Real, ref)
    assert check(raw.func(y))
    raw.put(ir.CALL, Unit, ref, attr=adds())
    wrong(raw.func(y), "an accumulator is added to after its freeze")


@pytest.mark.parametrize("t", [tuple_of(Ref(Real)), VecType(2, Ref(Real)), Ref(Ref(Real))])
def test_an_accumulator_is_in_nothing_else(t: Type):
    raw = Raw(t)
    wrong(raw.func(raw.put(ir.ZERO, Unit)), "an accumulator is in a vector, a tuple or another accumulator")


def test_a_part_of_an_accumulator_is_there():
    raw = Raw(Ref(tuple_of(Real, Bool)))
    raw.put(ir.AT, Ref(Real), *raw.params, attr=2)
    wrong(raw.func(raw.put(ir.ZERO, Unit)), "there is no item 2 to add to")
    raw = Raw(Ref(tuple_of(Real, Bool)))
    raw.put(ir.AT, Ref(Real), *raw.params, attr=1)
    wrong(raw.func(raw.put(ir.ZERO, Unit)), "its type must be &Bool")
    raw = Raw(Ref(V3), Fin[4])
    raw.put(ir.AT, Ref(Real), *raw.params)
    wrong(raw.func(raw.put(ir.ZERO, Unit)), "at does not accept (&Vec[3], Fin[4])")


# what the front end makes is well formed


@struct
class Line:
    b0: Real
    b: Vec[2]


@fn
def loss(line: Line, x: Vec[5, Vec[2]], y: Vec[5]) -> Real:
    total = accum(0.0)
    for i in loops.range(5):
        total += (y[i] - line.b0 - loops.sum(x[i][j] * line.b[j] for j in loops.range(2))) ** 2
    return total.value


@fn
def mixed(c: Bool, x: Real, v: Vec[3, Fin[4]]) -> tuple[Real, Bool, Real]:
    product = loops.prod(ops.real(v[i]) * x for i in loops.range(3))
    return ops.select(c, ops.max_(x, -1.0), ops.sqrt(x)), ~c & (x <= 2.0), product


@opaque(pure=True)
def host(p: Line, v: Vec[2]) -> Line:
    return p


@fn
def caller(p: Line, x: Vec[5, Vec[2]], y: Vec[5]) -> Real:
    q = host(p, [1.0, 2.0])
    return loops.vec(loss(q, x, y) + loss(p, x, y) for _ in loops.range(3))[1]


@pytest.mark.parametrize("f", [loss, mixed, host, caller], ids=repr)
def test_what_the_front_end_makes_is_well_formed(f: Any):
    assert check(f.func) is f.func


@pytest.mark.parametrize("f", [loss, mixed], ids=repr)
def test_a_derivative_is_well_formed(f: Any):
    d = jvp(f.func, full_mask(f.func)).func
    assert check(d) is d
    again = check(untype(d))
    assert check(jvp(again, full_mask(again)).func)


def test_what_the_builder_makes_is_well_formed():
    with building("f") as b:
        x, p = b.param(Real), b.param(tuple_of(Real, V3))
        ref = b.accum(p)
        b.loop(3, lambda i: ([], [b.add_to(b.at(b.at(ref, 1), i), x) or x]))
        b.add_to(b.at(ref, 0), x)
        b.zero(tuple_of(Bool, Fin[3], V3))
        f = b.func(b.tuple([b.freeze(ref), x]))
    assert check(f) is f


def test_dead_code_is_removed_as_often_as_one_likes():
    """A vector of a loop that nobody reads is made of zeros, which a second run leaves there."""
    with building("f") as b:
        x = b.param(Real, "x")
        ys, _ = b.loop(3, lambda i, y: ([y * x], [y + x]), [x])
        f = b.func(ys[0])
    for _ in range(3):
        assert run(check(remove_dead_code(f)), 2.0) == 16.0
