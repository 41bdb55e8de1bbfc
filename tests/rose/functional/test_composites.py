"""Composites: one of each, evaluated once at the same arguments, in code that grows with the depth alone."""

import copy
import math
import pickle
from typing import Any

import pytest
from harness import same
from nests import executed

import rose
from rose import Real, fn
from rose import functional as F
from rose.functional.composites import order
from rose.host.interpreter import run
from rose.ir.callgraph import instructions, reachable

from .functions import LINE, Curve, Surface, cos, kernel, sin


def tower(h: Any, depth: int) -> Any:
    for _ in range(depth):
        h = 0.01 * rose.exp(h) + rose.tanh(h)
    return h


def size(f: Any) -> int:
    return sum([len([*instructions(g.body)]) for g in reachable(f.func)])


@F.functional
def ten(y: Curve) -> Real:
    return F.integrate(tower(y, 10), LINE)


@F.functional
def twenty(y: Curve) -> Real:
    return F.integrate(tower(y, 20), LINE)


@F.functional
def thirty(y: Curve) -> Real:
    return F.integrate(tower(y, 30), LINE)


def test_equal_composites_are_one():
    assert sin + cos is sin + cos and rose.exp(sin) is rose.exp(sin) and sin + cos is not cos + sin
    assert F.nabla(sin * cos) is F.nabla(sin * cos)


def test_a_graph_grows_by_four_functions_for_each_level():
    counts = [len([*order(tower(sin, d))]) for d in (10, 20, 30)]
    assert counts[1] - counts[0] == counts[2] - counts[1] <= 4 * 10


@pytest.mark.parametrize("of", ["value", "nabla", "nabla twice", "grad", "hvp"])
def test_graphs_and_code_grow_linearly_with_the_depth(of: str):
    made = {
        "value": lambda of, d: tower(sin, d),
        "nabla": lambda of, d: F.nabla(tower(sin, d)),
        "nabla twice": lambda of, d: F.nabla(F.nabla(tower(sin, d))),
        "grad": lambda of, d: rose.grad(of)(sin),
        "hvp": lambda of, d: rose.hvp(of)(sin, cos),
    }
    fs = [made[of](f, d) for f, d in ((ten, 10), (twenty, 20), (thirty, 30))]
    counts, sizes = [len([*order(f)]) for f in fs], [size(f) for f in fs]
    assert counts[2] - counts[1] == counts[1] - counts[0]
    assert sizes[2] - sizes[1] < 1.6 * (sizes[1] - sizes[0])  # a long function is cut in two, and each has a frame


def test_a_deep_composite_needs_no_deep_stack():
    assert tower(sin, 1000)(0.3) == pytest.approx(tower(0.29552020666133955, 1000), rel=1e-12)


def test_an_integral_is_made_once_for_all_nodes():
    """Twice the layers are twice the instructions: each is a table at the nodes, not a loop in a loop."""

    def layers(count: int) -> Any:
        h: Any = sin
        for _ in range(count):
            h = rose.tanh(kernel.on(None, LINE) @ h)
        return h

    sizes = [size(layers(n)) for n in (2, 4, 6)]
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]


def test_a_table_has_the_numbers_of_the_function():
    twice = kernel.on(None, LINE) @ (kernel.on(None, LINE) @ sin)
    once = [(kernel.on(None, LINE) @ sin)(x) for x in LINE.nodes]
    want = sum([w * kernel(0.7, x) * y for x, w, y in zip(LINE.nodes, LINE.weights, once, strict=True)])
    assert twice(0.7) == pytest.approx(want, rel=1e-13)


@fn
def five(x: Real) -> Real:
    """It takes five exponentials, and so does it with its derivatives."""
    return rose.sum(rose.exp(x * (k + 1.0)) for k in rose.range(5))


@fn
def five_of_two(x: Real, y: Real) -> Real:
    return five(x * y)


def slope(f: Any, order: int = 1) -> Any:
    return f if order == 0 else F.nabla(slope(f, order - 1))


TOGETHER: dict[str, Any] = {  # with the exponentials that they take, and the numbers of the derivatives
    "the slope first": (lambda: slope(five) * five, 5, lambda d: d[1] * d[0]),
    "the value first": (lambda: five * slope(five), 5, lambda d: d[0] * d[1]),
    "two slopes": (lambda: slope(five) + slope(five, 2) * five, 5, lambda d: d[1] + d[2] * d[0]),
    "three": (lambda: slope(five, 3) / slope(five) + five, 5, lambda d: d[3] / d[1] + d[0]),
    "composed": (
        lambda: rose.sqrt(1 + slope(five) ** 2) / rose.sqrt(five), 5, lambda d: math.sqrt((1 + d[1] ** 2) / d[0])
    ),
    "of a sum": (
        lambda: slope(five + sin) * (five + sin), 5, lambda d: (d[1] + math.cos(0.3)) * (d[0] + math.sin(0.3))
    ),
    "from which nothing is derived": (lambda: rose.stop_gradient(slope(five, 2)) * five, 10, lambda d: d[2] * d[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
def test_a_function_and_its_derivatives_at_one_point_are_evaluated_together(name: str):
    make, count, want = TOGETHER[name]
    f = make()
    derivatives = [sum([(k + 1.0) ** n * math.exp(0.3 * (k + 1)) for k in range(5)]) for n in range(4)]
    assert f(0.3) == pytest.approx(want(derivatives), rel=1e-13)
    assert executed(f.func, 0.3, names=("exp",)) == count


def test_what_is_derived_is_not_what_nothing_is_derived_from():
    """In the gradient in a parameter, the derivatives under `stop_gradient` take no part."""

    @fn
    def along(a: Real) -> Real:
        curve = rose.fn([Real], Real)(lambda x: five(a * x))
        return F.integrate(rose.stop_gradient(slope(curve, 2)) * curve, LINE)

    @fn
    def alone(a: Real) -> Real:
        return F.integrate(rose.fn([Real], Real)(lambda x: five(a * x)), LINE)

    counts = [executed(rose.grad(f).func, 0.4, names=("exp",)) for f in (along, alone)]
    assert counts[0] == counts[1] + 5 * len(LINE.nodes)


def test_derivatives_in_several_arguments_are_right():
    f = F.nabla(five_of_two) * F.nabla(five_of_two, argnums=1) * five_of_two
    d = [sum([(k + 1.0) ** n * math.exp(0.3 * (k + 1)) for k in range(5)]) for n in range(2)]
    assert f(0.6, 0.5) == pytest.approx(0.5 * d[1] * 0.6 * d[1] * d[0], rel=1e-13)


def test_a_composite_captures_values_of_the_program_around_it():
    @fn
    def both(a: Real, x: Real) -> Real:
        inner = rose.fn([Real], Real)(lambda y: rose.sin(a * y))
        return (inner * a + F.nabla(inner))(x)

    assert both(2.0, 0.3) == pytest.approx(2.0 * rose.sin(0.6) + 2.0 * rose.cos(0.6))


def test_module_and_interpreter_agree_to_the_bit():
    for f in (rose.grad(ten)(sin), rose.hvp(ten)(sin, cos), kernel.on(None, LINE) @ (sin * cos)):
        assert same(f(0.7), run(f.func, 0.7))


def test_the_type_of_a_function_is_written_as_it_is_read():
    assert repr(Surface) == "Map[Real, Real, Real]" and repr(Curve) == "Map[Real, Real]"


PICKLED: dict[str, Any] = {
    "a sum": lambda: sin + 2.0 * cos,
    "an operation": lambda: rose.exp(sin),
    "an option": lambda: rose.sum(rose.stack([sin, cos]), axis=0),
    "a slope": lambda: rose.grad(ten)(sin),
    "a second derivative": lambda: rose.hvp(ten)(sin, cos),
    "an integral": lambda: kernel.on(None, LINE) @ sin,
    "an inverse": lambda: F.compose(sin, cos, inverse=cos),
}


@pytest.mark.parametrize("name", PICKLED)
def test_a_composite_is_pickled_as_its_operators(name: str):
    f = PICKLED[name]()
    again = pickle.loads(pickle.dumps(f))
    assert (again.name, again(0.3)) == (f.name, f(0.3)) and copy.deepcopy(f) is f


def test_a_deep_composite_is_pickled_without_a_deep_stack():
    f = tower(sin, 1000)
    assert pickle.loads(pickle.dumps(f)) is f


def test_a_functional_is_pickled_by_its_name_and_a_derivative_as_that_of_it():
    assert pickle.loads(pickle.dumps(ten)) is ten
    assert pickle.loads(pickle.dumps(rose.grad(ten)))(sin)(0.3) == rose.grad(ten)(sin)(0.3)


def test_a_functional_of_a_function_is_pickled_by_value_alone():
    cloudpickle = pytest.importorskip("cloudpickle")

    @F.functional
    def local(y: Curve) -> Real:
        return F.integrate(y, LINE)

    with pytest.raises(rose.RoseError, match="local cannot be pickled by name"):
        pickle.dumps(local)
    assert pickle.loads(cloudpickle.dumps(local))(sin) == local(sin)


@pytest.mark.parametrize("composed", [False, True], ids=["alone", "in another"])
def test_a_function_of_one_node_is_evaluated_once_for_each_in_a_loop_over_pairs(composed: bool):
    seen = list[float]()

    @rose.opaque
    def counted(x: Real) -> Real:
        seen.append(x)
        return x * x

    given = fn([Real], Real)(lambda x: counted(x) + 1.0)
    h: Any = rose.tanh(given) * 2.0 if composed else given
    k = kernel.on(SMALL, SMALL)
    total = fn([], Real)(lambda: F.integrate(k * F.broadcast_arg(h, k, argnums=1)))
    nodes = [*zip(SMALL.nodes, SMALL.weights, strict=True)]
    want = sum([v * sum([w * (kernel(y, x) * h(x)) for x, w in nodes]) for y, v in nodes])
    seen.clear()
    assert total() == pytest.approx(want, rel=1e-14)
    assert seen == SMALL.nodes


SMALL = F.Grid.trapezoid(0.0, 1.0, 7)


def test_a_table_is_differentiated_through():
    @fn
    def of(a: Real) -> Real:
        h = fn([Real], Real)(lambda x: rose.sin(a * x))
        k = kernel.on(SMALL, SMALL)
        return F.integrate(k * F.broadcast_arg(h, k, argnums=1)) * F.integrate(h, SMALL)

    ends = [rose.value_and_grad(of)(1.3 + s) for s in (1e-6, -1e-6)]
    value, slope = [(x - y) / 2e-6 for x, y in zip(*ends, strict=True)]
    assert rose.grad(of)(1.3) == pytest.approx(value, rel=1e-8)
    assert rose.compile(rose.grad(rose.grad(of)))(1.3) == pytest.approx(slope, rel=1e-7)
