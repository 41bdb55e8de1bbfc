"""Loop fusion: which loops become one, and which stay apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from optimising import fast, func, loops

import rose
import rose.ir.ops
from rose import Real, Vec, fn, ir
from rose.ir import ADD_TO, Builder, Func, Value
from rose.ir.ops import sin
from rose.ir.types import Fin, Ref
from rose.optimise.loop_fusion import fuse_loops

pytestmark = pytest.mark.usefixtures("rolled")


@fn
def line(a: Real, b: Real, x: Real) -> Real:
    return a * x + b


@fn
def fit(a: Real, b: Real, X: Vec[5], Y: Vec[5]) -> Real:
    return rose.sum((line(a, b, X[i]) - Y[i]) ** 2 for i in rose.range(5))


X, Y = (0.5, -1.0, 2.0, 0.25, 3.0), (1.0, -0.0, 2.5, 0.125, 0.0)


def test_the_tape_of_a_sum_is_not_stored():
    made = fast(rose.value_and_grad(fit, (0, 1)).func, (0.5, -0.25, X, Y))
    (loop,) = loops(made)  # both halves in one
    assert all([r.op is ir.ZERO or r.type.empty for r in loop.attr.results])


def two_loops(second: Callable[[Builder, Value, Value, Value], None], shared: bool = False) -> Func:
    """The sum of a vector's sines; then what `second` does with it in each iteration of another loop."""

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


def test_a_loop_that_reads_what_the_iteration_of_another_made_is_one_with_it():
    made = fast(two_loops(lambda b, other, y, i: b.add_to(other, b.index(y, i) * 2.0)), AT)
    (loop,) = loops(made)
    assert len([v for v in loop.attr.code if v.op is ADD_TO]) == 2


@pytest.mark.parametrize(
    ("second", "shared"),
    [
        (lambda b, other, y, i: b.add_to(other, b.index(y, b.emit(rose.ir.ops.ifrom, (i, b.const(3, Fin(4)))))), False),
        (lambda b, other, y, i: b.add_to(other, b.index(y, i) * 1e17), True),
    ],
    ids=["another iteration", "the same sum"],
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


def test_both_halves_of_a_sum_of_dependent_length_are_one_loop():
    f = fn([Vec[5]], Real)(lambda x: rose.sum(rose.sin(x[i] * x[j]) for i in rose.range(5) for j in rose.range(i)))
    made = fast(rose.value_and_grad(f).func, (X,))
    outer, inner = loops(made)
    assert inner.block is outer.attr and ir.span_of(inner) is not None


def test_loops_over_other_indices_stay_apart():
    @fn
    def f(x: Vec[5], k: rose.Fin[6], m: rose.Fin[6]) -> Real:
        return rose.sum(x[j] for j in rose.range(k)) * rose.sum(x[j] ** 2 for j in rose.range(m))

    assert len(loops(fast(f.func, (X, 2, 3)))) == 2
    assert f(X, 2, 3) == (X[0] + X[1]) * (X[0] ** 2 + X[1] ** 2 + X[2] ** 2)


@pytest.mark.parametrize(("n", "joined"), [(4, True), (48, False)])
def test_a_product_of_large_matrices_stays_apart(n: int, joined: bool):
    @func(Vec[n], Vec[n, Vec[n]])
    def f(b: Builder, x: Value, a: Value) -> Value:
        total = b.accum(b.lift(0.0))
        b.vec(n, lambda i: b.emit(ADD_TO, (total, sin(b.index(x, i)))))

        def element(i: Value, j: Value) -> Value:
            ref = b.accum(b.lift(0.0))
            b.vec(n, lambda k: b.emit(ADD_TO, (ref, b.index(b.index(a, i), k) * b.index(b.index(a, k), j))))
            return b.freeze(ref)

        product = b.vec(n, lambda i: b.vec(n, lambda j: element(i, j)))
        return b.tuple([b.freeze(total), product])

    at = tuple(0.125 * k for k in range(n)), tuple(tuple(float(j == k) for j in range(n)) for k in range(n))
    (loop,) = [v for v in loops(fast(f, at)) if any([w.op is sin for w in v.attr.code])]
    assert any([w.op is ir.FOR for w in loop.attr.code]) == joined


def horner(c: Any, x: Any) -> Any:
    """Approximation: a long polynomial, and its logarithm."""
    y = c[0]
    for k in range(120):
        y = y * x + c[k % 4]
    return rose.log(1.0 + y * y)


def pendulum(c: Any, x: Any) -> Any:
    """Mechanics: steps of a pendulum, written out."""
    p, v = x, c[0]
    for _ in range(40):
        v = v - 0.05 * (c[1] * rose.sin(p) + c[2] * v)
        p = p + 0.05 * v
    return (p - c[3]) ** 2


def tree(c: Any, x: Any) -> Any:
    """Genetics: the likelihood of a site, over the leaves of a tree."""
    nodes = [[x + k, 1.0 - x, x * x, 0.5] for k in range(16)]
    while len(nodes) > 1:
        a, b, nodes = nodes[0], nodes[1], nodes[2:]
        means = [0.25 * (1.0 - rose.exp(-c[len(nodes) % 4])) * (n[0] + n[1] + n[2] + n[3]) for n in (a, b)]
        nodes.append([(p * c[0] + means[0]) * (q * c[1] + means[1]) for p, q in zip(a, b, strict=True)])
    return rose.log(nodes[0][0] + nodes[0][1] ** 2 + 1.0)


def arm(c: Any, x: Any) -> Any:
    """Robotics: where an arm of many joints ends."""
    px, py, angle = 0.0, 0.0, x
    for k in range(30):
        angle = angle + c[k % 4]
        px, py = px + rose.cos(angle), py + rose.sin(angle)
    return (px - 1.0) ** 2 + (py + 1.0) ** 2


def layers(c: Any, x: Any) -> Any:
    """Networks: layers of a few neurons, by hand."""
    h = [x, x * x, 1.0, -x]
    for k in range(10):
        h = [rose.tanh(c[(i + k) % 4] * h[i] - c[i] * h[i - 1] + c[k % 4] * h[i - 2]) for i in range(4)]
    return h[0] * h[1] + h[2] * h[3]


def fraction(c: Any, x: Any) -> Any:
    """Numbers: a continued fraction."""
    y = x
    for k in range(100):
        y = c[k % 4] + 1.0 / (2.0 + y * y)
    return y * x


@pytest.mark.parametrize("item", [horner, pendulum, tree, arm, layers, fraction], ids=lambda f: f.__name__)
def test_both_halves_of_a_long_item_are_one_loop_and_no_item_has_a_tape(item: Callable[[Any, Any], Any]):
    f = fn([Vec[4], Vec[50]], Real)(lambda c, x: rose.sum(item(c, x[i]) for i in rose.range(50)))
    made = fast(rose.value_and_grad(f, (0, 1)).func, ((0.4, 0.9, 0.3, -0.2), tuple([k / 50 for k in range(50)])))
    (loop,) = loops(made)
    assert all([r.op is ir.ZERO or r.type.empty for r in loop.attr.results])


def test_long_loops_that_hand_nothing_on_stay_apart():
    f = fn([Vec[4], Vec[50]], tuple[Real, Real])(
        lambda c, x: (
            rose.sum(horner(c, x[i]) for i in rose.range(50)),
            rose.sum(pendulum(c, x[i]) for i in rose.range(50)),
        )
    )
    assert len(loops(fast(f.func))) == 2


def epidemic(p: Any, x: Any) -> Any:
    """Epidemiology: towns, of which two states are arrays in a scan."""

    def step(_: Any, s: Any) -> Any:
        ill, well = s
        new = p[0] * ill * well
        return ill + new - p[1] * ill, well - new

    return rose.sum(rose.scan(step, (x, 1.0 - x), 20)[0] ** 2)


def chemistry(p: Any, x: Any) -> Any:
    """Chemistry: two substances that make each other, in every cell."""

    def step(_: Any, s: Any) -> Any:
        a, b = s
        made = a * b * b
        return a - p[0] * made + p[1] * (1.0 - a), b + p[2] * made - p[3] * b

    a, b = rose.scan(step, (x, x * x), 20)
    return rose.sum(a * b)


def volatility(p: Any, x: Any) -> Any:
    """Finance: paths of a price and of its variance."""
    step = lambda k, s: (s[0] + s[1] * x * p[0], s[1] * rose.exp(p[1] * x - p[2]))
    price, _ = rose.scan(step, (x * 0.0 + p[3], x * 0.0 + 0.2), 20)
    return rose.sum(rose.max(price[i] - 0.1, 0.0) for i in rose.range(40))


def orbit(p: Any, x: Any) -> Any:
    """Mechanics: many pendulums at once, by leapfrog."""

    def step(_: Any, s: Any) -> Any:
        q, v = s
        v = v - p[0] * rose.sin(q)
        return q + p[1] * v, v

    q, v = rose.scan(step, (x, p[2] * x), 20)
    return rose.sum(q * q + v * v)


def lattice(p: Any, x: Any) -> Any:
    """Numbers: complex squares, as pairs of arrays."""
    a, b = rose.scan(lambda _, s: (s[0] * s[0] - s[1] * s[1] + p[0], 2.0 * s[0] * s[1] + p[1]), (x * 0.1, x * 0.2), 20)
    return rose.sum(a * a + b * b)


def layers_of_arrays(p: Any, x: Any) -> Any:
    """Networks: two activations beside each other."""
    a, b = rose.scan(lambda _, s: (rose.tanh(p[0] * s[0] + s[1]), s[0] * s[1] + p[1]), (x, x * p[2]), 20)
    return rose.sum(a * b)


STATES = [epidemic, chemistry, volatility, orbit, lattice, layers_of_arrays]


@pytest.mark.parametrize("program", STATES, ids=lambda f: f.__name__)
def test_what_two_loops_add_to_the_element_of_their_index_is_added_by_one(program: Callable[[Any, Any], Any]):
    f = fn([Vec[4], Vec[40]], Real)(program)
    at = (0.1, 0.05, 0.02, 0.3), tuple([0.1 + k / 90 for k in range(40)])
    made = fast(rose.value_and_grad(f, (0, 1)).func, at)
    inside = [[v for v in loop.attr.code if v.op is ir.FOR] for loop in loops(made)]
    assert {len(code) for code in inside if code} == {1}  # of each step, forward and backward


def test_loops_that_add_to_other_elements_stay_apart():
    f = fn([Vec[4], Vec[40]], Real)(
        lambda p, x: rose.sum(
            rose.scan(lambda _, s: (s[0] * s[1] + x, s[1] + 0.1 * s[0][::-1] * p[0]), (x, x * p[1]), 20)[0]
        )
    )
    made = fast(rose.value_and_grad(f, (0, 1)).func, ((0.1, 0.05, 0.02, 0.3), tuple([k / 90 for k in range(40)])))
    inside = [[v for v in loop.attr.code if v.op is ir.FOR] for loop in loops(made)]
    assert max(map(len, inside)) > 1


def test_loops_that_add_to_two_parameters_stay_apart_as_these_may_be_one():
    @func(Ref(Real), Ref(Real), Vec[40])
    def f(b: Builder, one: Value, two: Value, x: Value) -> Value:
        for ref in (one, two):

            def body(i: Value, ref: Value = ref) -> tuple[list[Value], list[Value]]:
                b.add_to(ref, sin(b.index(x, i)))
                return [], []

            b.loop(40, body)
        return b.unit()

    assert len(loops(fuse_loops(f))) == 2
