"""Every test of the original Rose, by its name, and the test of ours that stands for it.

The original had 88 tests of its library, one of its site and three of its interpreter; the last row is a step of
its build. What has a value is run compiled and interpreted. Where the two languages differ, ours is asserted: a
`select` contributes to a derivative by the arm that is taken, an index below zero counts from the end, the sign of
a nan is a nan, and 0 and -0 are two constants.
"""

import ast
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import same

import rose
from rose import Bool, Dual, Fin, Real, Unit, Vec
from rose.differentiation.gradients import pullback
from rose.host.interpreter import run
from rose.host.marshal import plain, present
from rose.ir import Value
from rose.ir.check import check
from rose.ir.text.printer import show

INVENTORY = """
invalid: undefined
invalid: bigint
invalid: string
invalid: literal return type
invalid: add argument type
invalid: invalid index type
invalid: symbolic array dimension
invalid: literal array dimension
invalid: access index out of scope
invalid: wrong struct member names
valid: return null
valid: interp with null
valid: not
valid: 2 + 2 = 4
valid: basic arithmetic
valid: absolute value
valid: signum
valid: ceiling
valid: floor
valid: truncate
valid: square root
valid: select
valid: call
valid: empty boolean array
valid: empty real array
valid: dot product
valid: cross product
valid: index array
valid: interp with index value
valid: matrix multiplication
valid: singleton array from index
valid: struct
valid: return struct
valid: select struct
valid: array of structs
valid: internal array of structs
valid: interp struct arg
valid: opaque unary function
valid: opaque binary function
valid: JVP
valid: JVP with sharing in call graph
valid: custom JVP
valid: custom JVP with zero tangent
valid: VJP
valid: VJP with sharing in call graph
valid: VJP with struct and select
valid: VJP with logic
valid: VJP with select on null
valid: VJP with select on booleans
valid: VJP with select on indices
valid: VJP with vector comprehension
valid: VJP twice
valid: Hessian
valid: VJP twice with struct
valid: VJP twice with select
valid: opaque functions with derivatives
valid: compile
valid: compile with shared memory
valid: compile opaque function
valid: compile calls to multiple opaque functions
valid: compile opaque and transparent calls together
valid: compile array
valid: compile null array
valid: compile struct
valid: compile logic
valid: compile signum
valid: compile select
valid: compile vector comprehension
valid: compile empty vector comprehension
valid: compile VJP
valid: compile VJP with call
valid: compile VJP with opaque call
valid: compile nulls in signature
valid: compile booleans in signature
valid: compile null arrays in signature
valid: compile byte index arrays in signature
valid: compile structs in signature
valid: compile zero-sized struct members in signature
valid: compile nested structs in signature
valid: compile big structs in signature
valid: compile matrix gradient
valid: compile gradient with dynamic index
valid: index comparison
valid: index addition
valid: index modulus
impl: core IR type layouts
impl: pprint opaque
impl: pprint graph
site: add
rust interp: test_two_plus_two
rust interp: test_nested_call
rust interp: test_custom
rust interp: export_bindings_*
""".strip().splitlines()

TABLE: dict[str, Callable[[], None]] = {}

R2 = Vec[2]
PAIR = {"x": Real, "y": Real}


def row(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Put a test of ours in the row of the original's `name`."""

    def put(test: Callable[[], None]) -> Callable[[], None]:
        assert name not in TABLE, name
        TABLE[name] = test
        return test

    return put


def both(f: Any, *args: Any) -> Any:
    """The value of `f`, compiled and interpreted, which is the same to the bit: with lists for vectors."""
    check(f.func)
    compiled, interpreted = rose.compile(f)(*args), run(f.func, *args)
    t = f.func.result
    assert same(plain(compiled, t), interpreted), f"compiled {compiled}, interpreted {interpreted}"
    return present(interpreted, t)


def refused(f: Any, kind: type[rose.RoseError], *words: str) -> None:
    """`f` cannot be traced, so there is nothing to compile or to interpret; the message has these words."""
    with pytest.raises(kind) as e:
        rose.compile(f)
    assert all(word in e.value.message for word in words), e.value.message


@pytest.mark.parametrize("name", INVENTORY)
def test_what_the_original_tested_holds_here(name: str):
    TABLE[name]()


def test_no_row_of_the_inventory_is_missing():
    assert list(TABLE) == INVENTORY
    assert len(INVENTORY) == 85 + 3 + 1 + 3 + 1


@rose.opaque(name="Math.log", pure=True)
def log(x: Real) -> Real:
    return math.log(x)


@log.jvp
def _(x):
    return Dual(log(x.re), x.du / x.re)


@rose.opaque(name="Math.pow", pure=True)
def power(x: Real, y: Real) -> Real:
    return math.pow(x, y)


@rose.opaque(name="Math.exp", pure=True)
def exp(x: Real) -> Real:
    return math.exp(x)


@exp.jvp
def _(x):
    y = exp(x.re)
    return Dual(y, x.du * y)


@rose.opaque(name="Math.sin", pure=True)
def sin(x: Real) -> Real:
    return math.sin(x)


@rose.opaque(name="Math.cos", pure=True)
def cos(x: Real) -> Real:
    return math.cos(x)


@sin.jvp
def _(x):
    return Dual(sin(x.re), x.du * cos(x.re))


@cos.jvp
def _(x):
    return Dual(cos(x.re), x.du * -sin(x.re))


@row("invalid: undefined")
def a_forgotten_return_is_refused():
    @rose.fn
    def f(x: Real) -> Real:
        x + 1.0

    refused(f, rose.TypeMismatch, "Real", "None")


@row("invalid: bigint")
def an_integer_that_no_double_is_near_is_refused():
    refused(rose.fn([], Real)(lambda: 10**400), rose.TypeMismatch, "Real", "int")
    assert both(rose.fn([], Real)(lambda: 0)) == 0.0


@row("invalid: string")
def a_string_is_no_value():
    refused(rose.fn([], Real)(lambda: "hello"), rose.TypeMismatch, "Real", "hello")


@row("invalid: literal return type")
def a_literal_of_another_type_is_refused():
    refused(rose.fn([], Real)(lambda: None), rose.TypeMismatch, "Real", "None")
    refused(rose.fn([], Real)(lambda: True), rose.TypeMismatch, "Real", "True")
    refused(rose.fn([], Unit)(lambda: 1.0), rose.TypeMismatch, "Unit", "1.0")


@row("invalid: add argument type")
def truth_values_are_not_added():
    refused(rose.fn([Bool], Real)(lambda p: p + p), rose.TypeMismatch, "Bool")


@row("invalid: invalid index type")
def only_an_integer_is_a_size_and_only_an_index_indexes():
    with pytest.raises(rose.TypeMismatch, match="integer"):
        Vec[Real, Unit]
    refused(rose.fn([R2, Real], Real)(lambda v, x: v[x]), rose.TypeMismatch, "Real", "index")


@row("invalid: symbolic array dimension")
def a_vector_of_another_size_is_refused():
    refused(rose.fn([Vec[3]], R2)(lambda v: v), rose.TypeMismatch, "Vec[2]", "Vec[3]")


@row("invalid: literal array dimension")
def a_list_of_another_size_is_refused():
    refused(rose.fn([], R2)(lambda: [1, 2, 3]), rose.TypeMismatch, "2 elements", "3")


@row("invalid: access index out of scope")
def an_index_has_no_meaning_outside_its_loop():
    @rose.fn
    def f() -> Fin[2]:
        kept = []
        rose.vec(kept.append(i) or 42.0 for i in rose.range(2))
        return kept[0]

    refused(f, rose.EscapedValue, "Fin[2]", "outside")


@row("invalid: wrong struct member names")
def a_struct_of_other_fields_is_refused():
    f = rose.fn([{"a": Real, "b": Real}], {"b": Real, "c": Real})(lambda p: p)
    refused(f, rose.TypeMismatch, "'a'")


@row("valid: return null")
def nothing_can_be_returned():
    assert both(rose.fn([], Unit)(lambda: None)) is None


@row("valid: interp with null")
def nothing_can_be_given_and_comes_back():
    assert both(rose.fn([Unit], Unit)(lambda x: x), None) is None


@row("valid: not")
def a_truth_value_is_negated():
    f = rose.fn([Bool], Bool)(lambda p: ~p)
    assert both(f, True) is False
    assert both(f, False) is True


@row("valid: 2 + 2 = 4")
def two_and_two_are_four():
    @rose.fn
    def f(x: Real, y: Real) -> Real:
        return x + y

    assert both(f, 2, 2) == 4
    assert both(rose.fn([], Real)(lambda: f(2, 2))) == 4


@row("valid: basic arithmetic")
def the_four_operations_on_numbers_and_on_constants():
    f = rose.fn([Real, Real], Real)(lambda x, y: x + (y * x - x / 1))
    assert both(f, 2, 3) == 6
    assert both(rose.fn([], Real)(lambda: f(2, 3))) == 6


def unary(op: Callable[[Any], Any], *pairs: tuple[float, float]) -> None:
    """Of each pair, `op` of the first is the second, to the bit: of a parameter, and of a constant."""

    def of_constant(x: float) -> Any:
        return rose.fn([], Real)(lambda: op(x))

    for x, y in pairs:
        assert same(both(rose.fn([Real], Real)(op), x), y)
        assert same(both(of_constant(x)), y)


@row("valid: absolute value")
def absolute_values():
    unary(rose.abs, (-2.0, 2.0), (0.0, 0.0), (2.0, 2.0), (-0.0, 0.0))
    assert both(rose.grad(rose.fn([Real], Real)(rose.abs)), -0.0) == 0.0


@row("valid: signum")
def signs():
    unary(rose.sign, (-2.0, -1.0), (-0.0, 0.0), (2.0, 1.0), (0.0, 0.0), (math.nan, math.nan))
    assert str(both(rose.fn([], R2)(lambda: [rose.sign(0.0), rose.sign(-0.0)]))) == "[0.0, 0.0]"


@row("valid: ceiling")
def whole_numbers_above():
    unary(rose.ceil, (-1.5, -1.0), (-0.5, -0.0), (-0.0, -0.0), (0.5, 1.0), (1.5, 2.0), (0.0, 0.0))


@row("valid: floor")
def whole_numbers_below():
    unary(rose.floor, (-1.5, -2.0), (-0.5, -1.0), (-0.0, -0.0), (0.5, 0.0), (1.5, 1.0), (0.0, 0.0))


@row("valid: truncate")
def whole_numbers_towards_zero():
    unary(rose.trunc, (-1.5, -1.0), (-0.5, -0.0), (-0.0, -0.0), (0.5, 0.0), (1.5, 1.0), (0.0, 0.0))


@row("valid: square root")
def square_roots():
    unary(rose.sqrt, (math.pi, 1.7724538509055159), (0.0, 0.0), (-1.0, math.nan))


@row("valid: select")
def a_truth_value_selects():
    f = rose.fn([Bool], Real)(lambda p: rose.select(p, 1, 2))
    assert both(f, True) == 1
    assert both(f, False) == 2


@row("valid: call")
def a_function_calls_another():
    choose = rose.fn([Bool, Real, Real], Real)(rose.select)
    relu = rose.fn([Real], Real)(lambda x: choose(x < 0, 0, x))
    assert [both(relu, x) for x in (-1, 0, 1)] == [0, 0, 1]


@row("valid: empty boolean array")
def a_vector_of_no_truth_values():
    assert both(rose.fn([], Vec[0, Bool])(lambda: [])) == []


@row("valid: empty real array")
def a_vector_of_no_numbers():
    assert both(rose.fn([], Vec[0])(lambda: [])) == []


@row("valid: dot product")
def a_dot_product():
    dot = rose.fn([Vec[3], Vec[3]], Real)(lambda u, v: rose.sum(u[i] * v[i] for i in rose.range(3)))
    assert both(dot, [1, 3, -5], [4, -2, -1]) == 3


@row("valid: cross product")
def a_cross_product():
    @rose.fn
    def cross(u: Vec[3], v: Vec[3]) -> Vec[3]:
        return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]

    assert both(cross, [3, -3, 1], [4, 9, 2]) == [-15, -2, 39]


@row("valid: index array")
def a_vector_is_read_at_indices_that_are_data():
    gather = rose.fn([Vec[3, Fin[3]], Vec[3]], Vec[3])(lambda i, v: rose.vec(v[i[j]] for j in rose.range(3)))
    assert both(gather, [2, 0, 1], [20, 0, 10]) == [10, 20, 0]
    assert both(rose.fn([], Vec[3])(lambda: gather([2, 0, 1], [2, 0, 1]))) == [1, 2, 0]
    assert both(rose.fn([Vec[3]], Real)(lambda v: v[-1]), [5, 6, 7]) == 7  # a literal counts from the end
    refused(rose.fn([Vec[3]], Real)(lambda v: v[3]), rose.OutOfRange, "3", "out of range")


@row("valid: interp with index value")
def an_index_is_a_parameter():
    f = rose.fn([Vec[3], Fin[3]], Real)(lambda v, i: v[i])
    assert both(f, [5, 6, 7], 1) == 6
    with pytest.raises(rose.OutOfRange, match="out of range"):
        rose.compile(f)([5, 6, 7], 3)


@row("valid: matrix multiplication")
def a_matrix_product():
    m, n, p = 5, 6, 7

    @rose.fn
    def dot(u: Vec[n], v: Vec[n]) -> Real:
        return rose.sum(u[i] * v[i] for i in rose.range(n))

    @rose.fn
    def product(a: Vec[m, Vec[n]], b: Vec[n, Vec[p]]) -> Vec[m, Vec[p]]:
        column = lambda j: rose.vec(b[k][j] for k in rose.range(n))
        return rose.vec(rose.vec(dot(a[i], column(j)) for j in rose.range(p)) for i in rose.range(m))

    a = [[i * i - 3 * k for k in range(n)] for i in range(m)]
    b = [[k - 2 * j + k * j for j in range(p)] for k in range(n)]
    assert both(product, a, b) == [
        [sum(x * y for x, y in zip(u, v, strict=True)) for v in zip(*b, strict=True)] for u in a
    ]


@row("valid: singleton array from index")
def an_index_is_an_element():
    f = rose.fn([], Vec[1, Fin[1]])(lambda: rose.vec([i] for i in rose.range(1))[0])
    assert both(f) == [0]


@row("valid: struct")
def structs_are_given_and_returned_whatever_the_order_of_their_names():
    f = rose.fn([PAIR], Real)(lambda p: p["y"] - p["x"])
    g = rose.fn([Real, Real], PAIR)(lambda x, y: {"y": y, "x": x})
    assert both(rose.fn([], Real)(lambda: f(g(3, 5)))) == 2
    assert both(f, {"y": 5, "x": 3}) == 2


@row("valid: return struct")
def a_struct_of_constants():
    assert both(rose.fn([], {"p": Bool, "x": Real})(lambda: {"p": True, "x": 42})) == {"p": True, "x": 42}


@row("valid: select struct")
def structs_are_selected():
    f = rose.fn([Bool], Real)(lambda p: rose.select(p, {"x": 3.0}, {"x": 5.0})["x"])
    assert both(f, True) == 3
    assert both(f, False) == 5


INDEXED = {"i": Fin[2], "x": Real}


@row("valid: array of structs")
def a_vector_of_structs():
    f = rose.fn([R2], Vec[2, INDEXED])(lambda v: rose.vec({"i": i, "x": v[i]} for i in rose.range(2)))
    assert both(f, [3, 5]) == [{"i": 0, "x": 3}, {"i": 1, "x": 5}]


@row("valid: internal array of structs")
def a_vector_of_structs_that_nobody_outside_sees():
    @rose.fn
    def f(v: R2) -> Vec[2, Fin[2]]:
        u = rose.vec({"i": i, "x": v[i]} for i in rose.range(2))
        return rose.vec(rose.fn([INDEXED], Fin[2])(lambda s: s["i"])(u[i]) for i in rose.range(2))

    assert both(f, [3, 5]) == [0, 1]


@row("valid: interp struct arg")
def a_struct_is_an_argument():
    assert both(rose.fn([{"x": Real}], Real)(lambda p: p["x"]), {"x": 5}) == 5


@row("valid: opaque unary function")
def an_opaque_function_of_one_number():
    assert both(rose.fn([Real], Real)(lambda x: log(x)), math.pi) == 1.1447298858494002


@row("valid: opaque binary function")
def an_opaque_function_of_two_numbers():
    assert both(rose.fn([Real, Real], Real)(lambda x, y: power(x, y)), math.e, math.pi) == math.e**math.pi


@row("valid: JVP")
def the_derivative_along_a_tangent():
    square = rose.fn([Real], Real)(lambda x: x * x)
    assert both(rose.jvp(square), Dual(3, 1)) == Dual(9, 6)
    assert both(rose.jvp(square), Dual(3, 2)) == Dual(9, 12)
    assert both(rose.jvp(rose.jvp(square)), Dual(Dual(3, 1), Dual(1, 0))) == Dual(Dual(9, 6), Dual(6, 2))


def calls_calls(depth: int) -> Any:
    """A function of which there are 2 ** `depth` calls, and `depth` definitions."""
    if depth == 0:
        return rose.fn([Real], Real)(lambda x: x * x)
    f = calls_calls(depth - 1)
    return rose.fn([Real], Real)(lambda x: f(x) + f(-x))


@row("valid: JVP with sharing in call graph")
def a_million_calls_are_differentiated_as_twenty():
    once = lambda depth: rose.compile(rose.jvp(calls_calls(depth)))
    assert once(20)(Dual(2, 1)) == Dual(2**22, 2**22)
    assert len(once(20).wasm) - len(once(15).wasm) <= 2 * (len(once(15).wasm) - len(once(10).wasm))
    assert both(rose.jvp(calls_calls(8)), Dual(2, 1)) == Dual(2**10, 2**10)


@row("valid: custom JVP")
def a_rule_replaces_a_derivative():
    root = rose.fn([Real], Real)(rose.sqrt)
    root.jvp(lambda x: Dual(root(x.re), x.du * (0.5 / rose.max(1e-5, root(x.re)))))
    f = rose.fn([Real], Real)(lambda x: rose.vjp(root)(x).grad(1))
    assert both(f, 0) == 49999.99999999999
    assert both(f, 4) == 0.25


@row("valid: custom JVP with zero tangent")
def a_rule_may_say_that_there_is_no_derivative():
    f = rose.fn([Real], Real)(lambda x: x)
    f.jvp(lambda x: Dual(x.re, 0))
    g = rose.fn([Real], {"x": Real, "dx": Real})(lambda x: {"x": rose.vjp(f)(x).ret, "dx": rose.vjp(f)(x).grad(1)})
    assert both(g, 2) == {"x": 2, "dx": 0}


@row("valid: VJP")
def a_value_and_the_gradient_that_goes_with_it():
    @rose.fn
    def f(v: R2) -> Real:
        return v[0] * v[1]

    assert both(rose.fn([R2], Real)(lambda v: rose.vjp(f)(v).ret), [2, 3]) == 6
    assert both(rose.fn([R2, Real], R2)(lambda v, ct: rose.vjp(f)(v).grad(ct)), [2, 3], 10) == [30, 20]


@row("valid: VJP with sharing in call graph")
def four_thousand_calls_are_transposed_as_twelve():
    gradient = rose.fn([Real], Real)(lambda x: rose.vjp(calls_calls(12))(x).grad(1))
    assert both(gradient, 2) == 2**14


@row("valid: VJP with struct and select")
def what_has_no_derivative_comes_back_as_it_was():
    mixed = {"n": Unit, "p": Bool, "x": Real}
    f = rose.fn([mixed], Real)(lambda s: rose.select(s["p"], s["x"] * s["x"], 2 * s["x"]))
    g = rose.fn([mixed, Real], mixed)(lambda s, ct: rose.vjp(f)(s).grad(ct))
    assert both(g, {"n": None, "p": True, "x": 5}, 3) == {"n": None, "p": True, "x": 30}
    assert both(g, {"n": None, "p": False, "x": 5}, 3) == {"n": None, "p": False, "x": 6}


@row("valid: VJP with logic")
def logic_has_a_value_and_no_derivative():
    f = rose.fn([Bool], Bool)(lambda p: ~p)
    assert both(rose.fn([Bool], Bool)(lambda p: rose.vjp(f)(p).ret), True) is False


def selected(t: Any, x: Any, y: Any) -> None:
    """A select of constants of type `t`, under `vjp`: the value, and nothing for what selects."""
    f = rose.fn([Real], t)(lambda r: rose.select(r < 0, rose.constant(t, x), rose.constant(t, y)))
    value = rose.fn([Real], t)(lambda r: rose.vjp(f)(r).ret)
    assert (both(value, -1), both(value, 1)) == (x, y)
    assert both(rose.fn([Real, t], Real)(lambda r, ct: rose.vjp(f)(r).grad(ct)), -1, x) == 0


@row("valid: VJP with select on null")
def nothing_is_selected():
    selected(Unit, None, None)


@row("valid: VJP with select on booleans")
def truth_values_are_selected():
    selected(Bool, True, False)


@row("valid: VJP with select on indices")
def indices_are_selected():
    selected(Fin[2], 0, 1)


@row("valid: VJP with vector comprehension")
def a_cotangent_may_be_a_vector():
    squares = rose.fn([Vec[3]], Vec[3])(lambda v: rose.vec(v[i] ** 2 for i in rose.range(3)))
    g = rose.fn([Vec[3], Vec[3]], Vec[3])(lambda v, ct: rose.vjp(squares)(v).grad(ct))
    assert both(g, [1, 2, 3], [4, 5, 6]) == [8, 20, 36]


def gradient(f: Any) -> Any:
    """The gradient of `f`, as the original wrote it."""
    return rose.fn(f.types, f.types[0])(lambda x: rose.vjp(f)(x).grad(1))


@row("valid: VJP twice")
def a_gradient_has_a_gradient():
    cube = rose.fn([Real], Real)(lambda x: x * (x * x))
    assert both(gradient(cube), 5) == 75
    assert both(gradient(gradient(cube)), 5) == 30
    assert both(gradient(gradient(gradient(cube))), 5) == 6


@row("valid: Hessian")
def a_hessian_is_two_pullbacks_of_the_gradient():
    f = rose.fn([R2], Real)(lambda v: v[0] * v[1] * v[1])

    @rose.fn
    def hessian(v: R2) -> Vec[2, R2]:
        _, pullback = rose.vjp(gradient(f))(v)
        return [pullback([1, 0]), pullback([0, 1])]

    assert both(hessian, [3, 5]) == [[0, 10], [10, 6]] == both(rose.hessian(f), [3, 5])


@row("valid: VJP twice with struct")
def a_gradient_in_a_struct_has_a_gradient():
    f = rose.fn([PAIR], Real)(lambda p: p["x"] * p["x"] * p["y"])
    along_x = rose.fn([PAIR], Real)(lambda p: gradient(f)(p)["x"])
    assert both(gradient(f), {"x": 3, "y": 5}) == {"x": 30, "y": 9}
    assert both(gradient(along_x), {"x": 3, "y": 5}) == {"x": 10, "y": 6}


@row("valid: VJP twice with select")
def only_the_arm_that_is_taken_has_derivatives():
    f = rose.fn([Real], Real)(lambda x: rose.select(x < 0, 0, x * x * x))
    assert [both(gradient(gradient(f)), x) for x in (-2, 2)] == [0, 12]
    safe = rose.fn([Real], Real)(lambda x: rose.select(x > 0, rose.sqrt(x), 0))
    assert [both(gradient(safe), x) for x in (0, 4)] == [0, 0.25]
    assert [both(gradient(gradient(safe)), x) for x in (0, 4)] == [0, -1 / 32]


@row("valid: opaque functions with derivatives")
def sine_and_cosine_are_the_derivatives_of_each_other():
    f = rose.fn([Real], Real)(lambda x: sin(x))
    assert both(gradient(f), 1) == math.cos(1)
    assert both(gradient(gradient(f)), 1) == -math.sin(1)
    assert both(gradient(gradient(gradient(f))), 1) == -math.cos(1)


@row("valid: compile")
def functions_that_call_functions():
    @rose.fn
    def square(x: Real) -> Real:
        return x * x

    @rose.fn
    def quarter(x: Real) -> Real:
        return x / 4

    @rose.fn
    def both_of_them(x: Real) -> Real:
        return square(x) - quarter(x)

    assert both(rose.fn([Real, Real], Real)(lambda x, y: both_of_them(x) * both_of_them(y)), 2, 4) == 3.5 * 15


@row("valid: compile with shared memory")
def functions_of_one_module_share_a_memory():
    n = 10_000

    @rose.fn
    def small(v: R2) -> Real:
        return v[0] - v[1]

    @rose.fn
    def large(x: Real) -> Vec[n]:
        return rose.vec(x + i for i in rose.range(n))

    module = rose.compile(small, large)
    numbers = module.large(0.5)
    assert module.small([5, 2]) == both(small, [5, 2]) == 3
    assert list(numbers) == [0.5 + i for i in range(n)] == both(large, 0.5)


@row("valid: compile opaque function")
def an_opaque_function_is_compiled_by_itself():
    assert both(log, 2) == math.log(2)


@row("valid: compile calls to multiple opaque functions")
def several_opaque_functions_are_imported():
    assert both(rose.fn([Real], Real)(lambda x: sin(x) - cos(x)), 5) == math.sin(5) - math.cos(5)


@row("valid: compile opaque and transparent calls together")
def opaque_calls_and_others():
    f = rose.fn([Real], Real)(lambda x: log(x) / 2)
    g = rose.fn([Real, Real], Real)(lambda x, y: sin(f(x)) + f(y) * exp(x))
    expected = math.sin(math.log(3) / 2) + math.log(5) / 2 * math.exp(3)
    assert both(g, 3, 5) == expected


@row("valid: compile array")
def a_list_is_passed_to_a_function():
    f = rose.fn([R2], Real)(lambda v: v[0] + v[1])
    assert both(rose.fn([Real, Real], Real)(lambda x, y: f([x, y])), 3, 5) == 8


@row("valid: compile null array")
def a_vector_of_nothing_takes_no_place():
    f = rose.fn([Vec[2, Unit]], Unit)(lambda v: v[0])
    assert both(rose.fn([Unit], Unit)(lambda x: f([x, x])), None) is None


@row("valid: compile struct")
def a_struct_is_passed_to_a_function():
    f = rose.fn([PAIR], Real)(lambda p: p["x"] - p["y"])
    assert both(rose.fn([Real, Real], Real)(lambda x, y: f({"y": y, "x": x})), 3, 5) == -2


LOGIC: dict[str, tuple[Any, list[bool]]] = {
    "and": (lambda p, q: p & q, [False, False, False, True]),
    "or": (lambda p, q: p | q, [False, True, True, True]),
    "not": (lambda p, q: ~p, [True, True, False, False]),
    "xor": (lambda p, q: p ^ q, [False, True, True, False]),
    "iff": (lambda p, q: p == q, [True, False, False, True]),
}


@row("valid: compile logic")
def truth_tables():
    for op, table in LOGIC.values():
        f = rose.fn([Bool, Bool], Bool)(op)
        assert [both(f, p, q) for p in (False, True) for q in (False, True)] == table


@row("valid: compile signum")
def a_sign_of_parameters():
    f = rose.fn([Real], Real)(rose.sign)
    assert [both(f, x) for x in (-5e-324, -0.0, 0.0, 5e-324, -math.inf)] == [-1, 0, 0, 1, -1]
    assert math.isnan(both(f, math.nan))


@row("valid: compile select")
def a_select_of_parameters():
    f = rose.fn([Bool, Real, Real], Real)(rose.select)
    assert both(f, True, 5, 7) == 5
    assert both(f, False, 5, 7) == 7


@row("valid: compile vector comprehension")
def a_comprehension():
    f = rose.fn([Real], Vec[3])(lambda x: rose.vec(x * i for i in rose.range(3)))
    assert both(f, 2) == [0, 2, 4]


@row("valid: compile empty vector comprehension")
def a_loop_of_no_turns_has_no_effect():
    seen = []

    @rose.opaque
    def effect(x: Real) -> Real:
        seen.append(x)
        return x

    f = lambda n: rose.fn([Real], Vec[n])(lambda x: rose.vec(effect(x) for _ in rose.range(n)))
    assert both(f(0), 1) == []
    assert seen == []
    assert both(f(1), 1) == [1]
    assert seen == [1, 1]  # compiled, and interpreted


@row("valid: compile VJP")
def the_gradient_of_a_loop_over_structs():
    item = {"p": Bool, "x": Real}
    f = rose.fn([Vec[3, item]], Vec[3])(
        lambda v: rose.vec(rose.select(v[i]["p"], v[i]["x"] ** 2, -v[i]["x"]) for i in rose.range(3))
    )
    g = rose.fn([Vec[3, item], Vec[3]], Vec[3, item])(lambda v, ct: rose.vjp(f)(v).grad(ct))
    given = [{"p": True, "x": 2}, {"p": False, "x": 3}, {"p": True, "x": 5}]
    expected = [{"p": True, "x": 4}, {"p": False, "x": -1}, {"p": True, "x": 70}]
    assert both(g, given, [1, 1, 7]) == expected


@row("valid: compile VJP with call")
def the_value_of_a_call_under_vjp():
    f = rose.fn([Real], Real)(lambda x: x)
    g = rose.fn([Real], Real)(lambda x: f(x))
    assert both(rose.fn([Real], Real)(lambda x: rose.vjp(g)(x).ret), 1) == 1


@row("valid: compile VJP with opaque call")
def the_value_of_an_opaque_call_under_vjp():
    f = rose.fn([Real], Real)(lambda x: exp(x))
    assert both(rose.fn([Real], Real)(lambda x: rose.vjp(f)(x).ret), 1) == math.e


@row("valid: compile nulls in signature")
def nothing_in_a_signature():
    assert both(rose.fn([Unit, Real], tuple[Unit, Real])(lambda n, x: (n, x)), None, 2) == (None, 2)


@row("valid: compile booleans in signature")
def truth_values_in_a_signature():
    assert both(rose.fn([Bool], Bool)(lambda p: ~p), False) is True


@row("valid: compile null arrays in signature")
def vectors_of_nothing_in_a_signature():
    assert both(rose.fn([Vec[2, Unit]], Vec[2, Unit])(lambda v: v), [None, None]) == [None, None]


@row("valid: compile byte index arrays in signature")
def vectors_of_small_indices_in_a_signature():
    t = Vec[3, Fin[256]]
    reverse = rose.fn([t], t)(lambda v: [v[2], v[1], v[0]])
    assert both(reverse, [13, 255, 0]) == [0, 255, 13]
    with pytest.raises(rose.OutOfRange, match="out of range"):
        rose.compile(reverse)([13, 256, 0])


@row("valid: compile structs in signature")
def structs_in_a_signature():
    f = rose.fn([PAIR], PAIR)(lambda p: {"x": p["y"], "y": p["x"]})
    assert both(f, {"x": 3, "y": 5}) == {"x": 5, "y": 3}


@row("valid: compile zero-sized struct members in signature")
def fields_that_hold_nothing():
    t = {"n": Unit, "x": Real, "v": Vec[0, Fin[0]], "i": Fin[1]}
    given = {"n": None, "x": 2, "v": [], "i": 0}
    assert both(rose.fn([t], t)(lambda s: s), given) == given


@row("valid: compile nested structs in signature")
def structs_of_structs_in_a_signature():
    t = {"a": PAIR, "b": {"p": Bool, "q": PAIR}}
    swap = rose.fn([t], t)(lambda s: {"a": s["b"]["q"], "b": {"p": ~s["b"]["p"], "q": s["a"]}})
    p, q = {"x": 1, "y": 2}, {"x": 3, "y": 4}
    assert both(swap, {"a": p, "b": {"p": True, "q": q}}) == {"a": q, "b": {"p": False, "q": p}}


@row("valid: compile big structs in signature")
def a_struct_of_many_fields_of_all_sizes():
    kinds: list[tuple[Any, Any]] = [
        (Real, 1.5),
        (Fin[60_000], 59_999),
        (Fin[2**31], 2**31 - 1),
        (Bool, True),
        (Unit, None),
    ]
    t = {f"m{k}": kinds[k * k % 5][0] for k in range(21)}
    given = {f"m{k}": kinds[k * k % 5][1] for k in range(21)}
    assert both(rose.fn([t], t)(lambda s: s), given) == given


@row("valid: compile matrix gradient")
def the_gradient_of_nothing_is_zero():
    t = Vec[2, Vec[3]]
    f = rose.fn([t], Unit)(lambda m: None)
    assert both(rose.fn([t], t)(lambda m: rose.vjp(f)(m).grad(None)), [[1, 2, 3], [4, 5, 6]]) == [[0] * 3] * 2


@row("valid: compile gradient with dynamic index")
def the_gradient_of_an_element():
    t = {"v": Vec[3], "i": Fin[3]}
    f = rose.fn([t], Real)(lambda s: s["v"][s["i"]] ** 2)
    assert both(gradient(f), {"v": [1, 2, 3], "i": 1}) == {"v": [0, 4, 0], "i": 1}


@row("valid: index comparison")
def indices_are_compared():
    f = rose.fn([Fin[3], Fin[3]], Vec[6, Bool])(lambda i, j: [i != j, i < j, i <= j, i == j, i > j, i >= j])
    assert both(f, 1, 2) == [True, True, True, False, False, False]
    assert both(f, 1, 1) == [False, False, True, True, False, True]
    assert both(f, 2, 1) == [True, False, False, False, True, True]


@row("valid: index addition")
def the_sum_of_indices_is_an_index_of_a_larger_type():
    f = rose.fn([Fin[3], Fin[4]], Fin[6])(lambda i, j: i + j)
    assert both(f, 2, 3) == 5
    too_small = rose.fn([Fin[3], Fin[4]], Fin[5])(lambda i, j: i + j)
    refused(too_small, rose.TypeMismatch, "Fin[5]", "Fin[6]")


@row("valid: index modulus")
def the_rest_of_an_index_is_an_index_of_a_smaller_type():
    f = rose.fn([Fin[100]], Fin[7])(lambda i: i % 7)
    assert [both(f, i) for i in (0, 6, 7, 99)] == [0, 6, 0, 1]
    assert both(rose.fn([Fin[3]], Fin[3])(lambda i: (i + 5) % 3), 2) == 1


@row("impl: core IR type layouts")
def an_instruction_is_six_words_and_equal_types_are_one_object():
    assert Value.__slots__ == ("args", "attr", "block", "loc", "op", "type")
    assert Vec[3] is Vec[3, Real]


@row("impl: pprint opaque")
def an_opaque_function_as_text():
    assert show(power.func) == "def Math.pow(x: Real, y: Real): Real = pure opaque"


COMPLEX = {"re": Real, "im": Real}


@row("impl: pprint graph")
def the_text_of_a_gradient_is_the_gradient():
    @rose.fn
    def complexp(z: COMPLEX) -> COMPLEX:
        r = exp(z["re"])
        return {"re": r * cos(z["im"]), "im": r * sin(z["im"])}

    f = pullback(complexp)
    text = show(f.func)
    z, ct = {"re": 1.0, "im": 2.0}, {"re": 1.0, "im": 0.0}
    assert [text.count(f"def {name}(") for name in ("Math.exp", "Math.sin", "Math.cos", "vjp_complexp")] == [1] * 4
    assert text.index("def vjp_complexp(") == text.rindex("def ")  # after all that it calls
    e = math.e
    assert both(f, z, ct) == (
        {"re": e * math.cos(2), "im": e * math.sin(2)},
        {"re": math.cos(2) * e, "im": -math.sin(2) * e},
    )


@row("site: add")
def python_parses_the_expressions():
    """The original's page had a parser of its own; here a function is Python, which parses `x + y`."""
    assert ast.dump(ast.parse("x + y", mode="eval").body) == (
        "BinOp(left=Name(id='x', ctx=Load()), op=Add(), right=Name(id='y', ctx=Load()))"
    )
    assert both(rose.fn([Real, Real], Real)(eval("lambda x, y: x + y")), 2, 3) == 5


@row("rust interp: test_two_plus_two")
def the_interpreter_adds():
    assert run(rose.fn([Real, Real], Real)(lambda x, y: x + y).func, 2, 2) == 4


@row("rust interp: test_nested_call")
def the_interpreter_calls():
    square = rose.fn([Real], Real)(lambda x: x * x)
    f = rose.fn([Real, Real], Real)(lambda x, y: square(x) + square(square(y)))
    assert both(f, 3, 2) == 25


@row("rust interp: test_custom")
def the_interpreter_calls_opaque_functions():
    assert run(power.func, math.e, math.pi) == math.pow(math.e, math.pi)


@row("rust interp: export_bindings_*")
def the_types_of_a_package_are_exported_to_typescript():
    """The original wrote the types of its IR for TypeScript; a package of ours has those of its functions."""
    f = rose.fn([PAIR, Vec[3]], PAIR)(lambda p, v: p)
    with tempfile.TemporaryDirectory() as out:
        files = {path.name: path for path in rose.compile({"f": f}).save(Path(out), "pair")}
        text = files["index.d.ts"].read_text()
    assert "x: number" in text
    assert "y: number" in text
