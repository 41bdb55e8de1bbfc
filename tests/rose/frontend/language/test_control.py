"""`cond`, `scan` and `while_loop`: what they give, and their derivatives, to any order and in every mode."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest
from control_programs import CASES, Case, Particle, Point
from harness import Module, same
from pairs import rest_in_fuzz, rotated

import rose
from rose import Real, Vec
from rose.frontend.annotations import as_type
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.ir import Func
from rose.ir.check import check
from rose.optimise.pipeline import optimised
from rose.optimise.single_precision import to_single
from tests.fuzz.derivatives import WAYS, direction
from tests.fuzz.laws import ORDERS

each = pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])


# laws that hold for every case


def compositions(case: Case, orders: Sequence[str]) -> dict[str, Func]:
    """The function, and its derivatives along fixed directions, by these compositions of the modes."""
    made: dict[str, Any] = {"": case.fn}
    for order in orders:
        for k in range(1, len(order) + 1):
            if order[:k] not in made:
                made[order[:k]] = WAYS[order[k - 1]](made[order[: k - 1]], direction(k, len(case.at)))
    return {name or "f": f.func for name, f in made.items()}


def agree(case: Case, orders: Sequence[str]) -> dict[str, float]:
    """Every composition, in the interpreter and compiled, before and after optimisation: the same bits."""
    funcs = compositions(case, orders)
    for f in funcs.values():
        check(f)
    wanted = {name: run(f, case.at) for name, f in funcs.items()}
    plain = Module(funcs)
    funcs = optimised(funcs)
    for f in funcs.values():
        check(f)
    fast = Module(funcs)
    for name, want in wanted.items():
        for got in (plain[name](case.at), run(funcs[name], case.at), fast[name](case.at)):
            assert same(got, want), (name, got, want)
    found: dict[int, float] = {}
    for name, got in wanted.items():
        order = 0 if name == "f" else len(name)
        want = found.setdefault(order, got)
        assert math.isfinite(got), (name, got)
        assert got == pytest.approx(want, rel=1e-9, abs=1e-10), name
    return wanted


@each
def test_all_modes_agree_to_third_order(case: Case):
    wanted = agree(case, (*ORDERS, "vvv", "jvv"))
    if case.value is not None:
        assert wanted["f"] == pytest.approx(case.value, rel=1e-15)


@each
def test_derivatives_are_those_of_differences(case: Case):
    if case.name == "cond_beside_infinities":
        pytest.skip("it has no derivative on the other side")
    n, h, value, gradient = len(case.at), 1e-5, case.fn, rose.grad(case.fn)
    hessian = rose.hessian(case.fn)(case.at)
    for k in range(n):
        up, down = ([x + s * h * (j == k) for j, x in enumerate(case.at)] for s in (1, -1))
        slope = (value(up) - value(down)) / (2 * h)
        assert gradient(case.at)[k] == pytest.approx(slope, rel=1e-6, abs=1e-6)
        bend = (gradient(up) - gradient(down)) / (2 * h)
        assert list(hessian[k]) == pytest.approx(list(bend), rel=1e-5, abs=1e-5)


@each
def test_single_precision_is_close(case: Case):
    if case.name in ("square_root_by_newton", "while_of_a_derivative"):
        pytest.skip("its tolerance is one that single precision does not reach")
    f, g = case.fn, rose.grad(case.fn)
    funcs = {name: check(to_single(h)) for name, h in compositions(case, ("v", "j", "vv", "jv")).items()}
    compiled = Module(funcs, single=True)
    for name, h in funcs.items():
        assert same(compiled[name](case.at), run(h, case.at)), name
    module = rose.compile({"f": f, "g": g}, dtype="f32")
    assert module.f(case.at) == pytest.approx(f(case.at), rel=1e-4)
    assert list(module.g(case.at)) == pytest.approx(list(g(case.at)), rel=1e-3, abs=1e-5)


# what is evaluated


def counted() -> tuple[Any, list[float]]:
    """An impure function with a derivative, and what it was called with."""
    seen: list[float] = []

    @rose.opaque
    def note(x: Real) -> Real:
        seen.append(x)
        return x * x

    @note.jvp
    def _(x: Any) -> Any:
        return rose.Dual(note(x.re), 2.0 * x.re * x.du)

    return note, seen


def test_an_arm_that_is_not_taken_is_not_evaluated():
    note, seen = counted()
    f = rose.fn([Real], Real)(lambda x: rose.cond(x > 0.0, lambda: note(x), lambda: 3.0 * x))
    g = rose.grad(f)
    found = [h(-2.0) for h in (f, rose.compile(f), g, rose.grad(g))]
    assert (found, run(f.func, -2.0), run(g.func, -2.0), seen) == ([-6.0, -6.0, 3.0, 0.0], -6.0, 3.0, [])
    assert (f(2.0), seen) == (4.0, [2.0])
    assert (rose.grad(f)(3.0), seen[1:]) == (6.0, [3.0])


def test_an_arm_is_evaluated_once_in_a_turn_that_takes_it():
    note, seen = counted()

    @rose.fn
    def f(x: Real) -> Real:
        turn = lambda i, s: rose.cond(i % 2 == 0, lambda: note(s) + x, lambda: s * 0.5)
        return rose.scan(turn, x, 4)

    y = (1.0 + 1.0) * 0.5
    assert (f(1.0), seen) == ((y * y + 1.0) * 0.5, [1.0, y])
    seen.clear()
    assert rose.grad(f)(1.0) == pytest.approx(0.5 * (2 * y * 0.5 * 3.0 + 1.0))
    assert seen == [1.0, y]


def test_a_test_is_evaluated_once_more_than_the_body():
    note, seen = counted()
    f = rose.fn([Real], Real)(lambda x: rose.while_loop(lambda s: note(s) < 100.0, lambda s: 2.0 * s, x))
    assert (f(1.0), seen) == (16.0, [1.0, 2.0, 4.0, 8.0, 16.0])
    seen.clear()
    assert (rose.grad(f)(1.0), seen) == (16.0, [1.0, 2.0, 4.0, 8.0, 16.0])


def test_a_condition_that_is_known_leaves_one_arm():
    def never() -> Any:
        raise AssertionError("it is not traced")

    assert rose.fn([Real], Real)(lambda x: rose.cond(True, lambda: x, never))(2.0) == 2.0
    assert rose.fn([Real], Real)(lambda x: rose.cond(rose.constant(rose.Bool, False), never, lambda: -x))(2.0) == -2.0


@pytest.mark.parametrize("p", [True, np.bool_(True)])
def test_outside_of_a_trace_it_is_a_conditional_expression(p: Any):
    assert rose.cond(p, lambda: "a", lambda: 1 // 0) == "a"
    assert rose.cond(not p, lambda: 1 // 0, lambda: "b") == "b"


INFINITE = [lambda x: rose.sqrt(x) / x, lambda x: rose.log(x) * 0.0, lambda x: (1.0 / x) ** 3, lambda x: x / x]
TWICE = ["v", "j", "l", "vv", "vj", "jv", "jj", "lv", "vvv", "jvv", "vjv"]


@pytest.mark.parametrize("order", TWICE)
@pytest.mark.parametrize("k", range(len(INFINITE)))
def test_infinities_in_the_arm_that_is_not_taken_count_for_nothing(k: int, order: str):
    calm = lambda x: x * x * x + 2.0 * x

    def derivative(body: Any) -> float:
        f = rose.fn([Vec[1]], Real)(body)
        for way in order:
            f = WAYS[way](f, [1.0])
        return f([0.0])

    want = derivative(lambda v: calm(v[0]))
    assert derivative(lambda v: rose.cond(v[0] > 0.0, lambda: INFINITE[k](v[0]), lambda: calm(v[0]))) == want
    assert derivative(lambda v: rose.cond(v[0] <= 0.0, lambda: calm(v[0]), lambda: INFINITE[k](v[0]))) == want
    assert derivative(lambda v: rose.scan(
        lambda _, s: rose.cond(s > 0.0, lambda: INFINITE[k](s), lambda: calm(s)), v[0], 2)) == derivative(
        lambda v: calm(calm(v[0])))  # fmt: skip


# what an arm or a turn captures


def test_an_arm_captures_whatever_is_around_it():
    @rose.fn
    def f(x: Real, v: Vec[3], p: Point, i: rose.Fin[3], c: rose.Bool) -> Real:
        def outer() -> Any:
            y = x * p.x

            def inner() -> Any:
                return rose.sum(
                    rose.cond(c, lambda k=k: v[k] * v[i] * y * p.y, lambda k=k: y * k) for k in rose.range(3)
                )

            return rose.cond(v[i] > 0.0, inner, lambda: p.y * y)

        return rose.cond(x > 0.0, outer, lambda: rose.norm(v))

    v, p = [0.5, -1.0, 2.0], Point(0.7, -1.3)
    assert f(1.5, v, p, 2, True) == pytest.approx(1.5 * 2.0 * 1.5 * 0.7 * -1.3)
    assert f(1.5, v, p, 2, False) == pytest.approx(1.5 * 0.7 * 3.0)
    assert f(1.5, v, p, 1, True) == pytest.approx(-1.3 * 1.5 * 0.7)
    assert f(-1.5, v, p, 1, True) == pytest.approx(math.hypot(0.5, -1.0, 2.0))
    dx, dv, dp = rose.grad(f, argnums=(0, 1, 2))(1.5, v, p, 2, True)
    y = 1.5 * 0.7
    assert dx == pytest.approx(1.5 * 2.0 * 0.7 * -1.3)
    assert list(dv) == pytest.approx([2.0 * y * -1.3, 2.0 * y * -1.3, (0.5 - 1.0 + 4.0) * y * -1.3])
    assert (dp.x, dp.y) == pytest.approx((1.5 * 2.0 * 1.5 * -1.3, 1.5 * 2.0 * y))


def test_any_type_comes_out_of_an_arm():
    kinds = [
        (Real, 0.5, 1.5), (rose.Bool, True, False), (rose.Fin[3], 2, 0), (Vec[2], [1.0, -0.0], [3.0, 4.0]),
        (Point, Point(1.0, 2.0), Point(3.0, 4.0)), (tuple[Real, rose.Bool], (1.0, True), (2.0, False)),
        (Vec[0], [], []), (Vec[2, rose.Fin[5]], [1, 4], [0, 3]), ({"a": Real, "b": Vec[1]}, {"a": 1.0, "b": [2.0]},
        {"a": 3.0, "b": [4.0]}), (Particle, Particle(Point(1.0, 2.0), [3.0, 4.0], True, 1),
        Particle(Point(5.0, 6.0), [7.0, 8.0], False, 3)),
    ]  # fmt: skip
    for t, x, y in kinds:
        f = rose.fn([rose.Bool, t, t], t)(lambda c, x, y: rose.cond(c, lambda: x, lambda: y))
        g = rose.fn([rose.Bool, t, t], t)(
            lambda c, x, y: rose.scan(lambda i, s: rose.cond(c, lambda: s, lambda: y), x, 2)
        )
        h = rose.fn([rose.Bool, t, t], t)(
            lambda c, x, y: rose.while_loop(lambda s: ~s[1], lambda s: (s[0], s[1] ^ True), (x, c))[0]
        )
        for c in (True, False):
            want = as_plain(x if c else y, t)
            assert same(as_plain(f(c, x, y), t), want)
            assert same(as_plain(g(c, x, y), t), want)
            assert same(as_plain(h(c, x, y), t), as_plain(x, t))
            assert same(run(check(f.func), c, as_plain(x, t), as_plain(y, t)), want)


def as_plain(x: Any, t: Any) -> Any:
    return plain(x, as_type(t))


@pytest.mark.parametrize("t", [Real, rose.Bool, rose.Fin[3], Vec[2], Point, Vec[0]], ids=repr)
def test_a_function_in_a_loop_without_turns_may_read_a_vector_without_elements(t: Any):
    read = rose.fn([rose.Fin[0], Vec[0, t], t], t)(lambda i, v, w: rose.cond(i < 1, lambda: v[i], lambda: w))

    @rose.fn
    def f(v: Vec[0, t], w: t) -> t:
        rows = rose.vec(read(i, v, w) for i in rose.range(0))
        return rose.scan(lambda i, s: rose.cond(i < 0, lambda: rows[i], lambda: s), w, 0)

    x = {Real: -0.0, rose.Bool: True, rose.Fin[3]: 2, Vec[2]: [1.0, 2.0]}.get(t, Point(1.0, 2.0))
    x = [] if t is Vec[0] else x
    assert same(as_plain(f([], x), t), as_plain(x, t))


# many turns, and memory


@rose.fn
def halved(x: Real, n: Real) -> Real:
    """x, made smaller and larger again so often that n is reached."""
    return rose.while_loop(lambda s: s[1] < n, lambda s: (rose.sin(s[0]) + x * 0.5, s[1] + 1.0), (x, 0.0))[0]


def slope(x: float, n: int) -> float:
    s, ds = x, 1.0
    for _ in range(n):
        s, ds = math.sin(s) + 0.5 * x, math.cos(s) * ds + 0.5
    return ds


def test_a_hundred_thousand_turns_have_a_gradient():
    g = rose.grad(halved)
    assert g(0.7, 1e5) == pytest.approx(slope(0.7, 100_000), rel=1e-9)


def test_a_hundred_thousand_turns_have_higher_derivatives():
    forward = lambda f: rose.fn([Real, Real], Real)(lambda x, n: rose.jvp(f)(rose.Dual(x, 1.0), rose.Dual(n, 0.0)).du)
    ways = {"j": forward, "v": rose.grad}
    for orders in (("jj", "vv", "jv", "vj"), ("jjj", "vvv", "vjv")):
        found: list[float] = []
        for order in orders:
            f: Any = halved
            for way in order:
                f = ways[way](f)
            found.append(f(0.7, 1e5))
        assert found == [pytest.approx(found[0], rel=1e-12)] * len(found)
        assert abs(found[0]) > 0.1


def test_memory_that_has_grown_is_used_again():
    module = rose.compile({"f": halved, "g": rose.grad(halved)})
    first = [module.g(0.7, n) for n in (10.0, 2e4, 10.0)]
    pages = memory_of(rose.grad(halved), [(0.7, 2e4)])
    assert memory_of(rose.grad(halved), [(0.7, 2e4)] * 20) == pages
    assert memory_of(rose.grad(halved), [(0.7, 10.0)]) < pages
    assert first == [pytest.approx(slope(0.7, n), rel=1e-9) for n in (10, 20_000, 10)]


def memory_of(f: Any, calls: Sequence[Any]) -> int:
    """The bytes of memory that a module has after some calls."""
    module = Module({"f": f.func})
    for args in calls:
        module["f"](*args)
    return module.memory.data_len(module.store)


def test_views_and_vectors_are_right_after_memory_has_grown():
    @rose.fn
    def f(v: Vec[50], n: Real) -> Real:
        turn = lambda s: (rose.vec(rose.sin(s[0][i]) + v[i] for i in rose.range(50)), s[1] + 1.0)
        w = rose.while_loop(lambda s: s[1] < n, turn, (v, 0.0))[0]
        return rose.dot(w, w)

    g = rose.compile(rose.value_and_grad(f))
    v = [0.1 * k for k in range(50)]
    small = g(v, 3.0)
    large = g(v, 2000.0)
    again = g(v, 3.0)
    assert again[0] == small[0]
    assert list(again[1]) == list(small[1])
    one = rose.value_and_grad(rose.fn([Real, Real], Real)(lambda x, n: rose.while_loop(
        lambda s: s[1] < n, lambda s: (rose.sin(s[0]) + x, s[1] + 1.0), (x, 0.0))[0] ** 2))  # fmt: skip
    wanted = [one(x, 2000.0)[1] for x in v]
    assert list(large[1]) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@pytest.mark.slow
def test_a_limit_stops_and_never_cuts_off():
    @rose.fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 100.0, lambda s: 2.0 * s, x, max_iter=6)

    assert f(1.6) == 102.4
    assert rose.grad(f)(1.6) == 64.0
    for g in (f, rose.grad(f), rose.compile(f)):
        with pytest.raises(rose.TooLarge, match="max_iter"):
            g(1.5)
    with pytest.raises(rose.TooLarge):
        run(f.func, 1.5)
    assert (f(1.6), rose.grad(f)(1.6)) == (102.4, 64.0)
    nothing = rose.fn([Real], Real)(lambda x: rose.while_loop(lambda s: s < 1.0, lambda s: s + 1.0, x, max_iter=0))
    assert nothing(2.0) == 2.0
    with pytest.raises(rose.TooLarge):
        nothing(0.5)


def test_calls_from_threads_have_memory_of_their_own():
    module = rose.compile({"g": rose.grad(halved)})
    sizes = [10, 3000, 200, 5000] * 4
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda n: module.g(0.7, float(n)), sizes))
    assert got == [module.g(0.7, float(n)) for n in sizes]


def test_a_compiled_loop_can_be_pickled():
    module = rose.compile({"f": halved, "g": rose.grad(halved)})
    copy = pickle.loads(pickle.dumps(module))
    assert (copy.f(0.7, 500.0), copy.g(0.7, 500.0)) == (module.f(0.7, 500.0), module.g(0.7, 500.0))


# derivatives, as a user asks for them


def test_a_power_by_turns_has_its_three_derivatives():
    f = rose.fn([Real], Real)(
        lambda x: rose.while_loop(lambda s: s[1] < 5.0, lambda s: (s[0] * x, s[1] + 1.0), (1.0, 0.0))[0]
    )
    g, x = [f], 1.7
    for _ in range(3):
        g.append(rose.grad(g[-1]))
    assert [h(x) for h in g] == pytest.approx([x**5, 5 * x**4, 20 * x**3, 60 * x**2], rel=1e-14)


@pytest.mark.parametrize("x", [2.0, 0.3, 1e6])
def test_newtons_square_root_has_the_derivatives_of_a_square_root(x: float):
    f = rose.fn([Real], Real)(lambda x: rose.while_loop(
        lambda y: abs(y * y - x) > 1e-12 * x, lambda y: 0.5 * (y + x / y), 0.5 * (1.0 + x)))  # fmt: skip
    assert f(x) == pytest.approx(math.sqrt(x), rel=1e-12)
    assert rose.grad(f)(x) == pytest.approx(0.5 / math.sqrt(x), rel=1e-8)
    assert rose.grad(rose.grad(f))(x) == pytest.approx(-0.25 * x**-1.5, rel=1e-4)


def test_a_pullback_of_loops_can_be_called_again_and_again():
    @rose.fn
    def f(v: Vec[2]) -> Vec[2]:
        w = rose.while_loop(lambda s: s[0] < 9.0, lambda s: [s[0] * 1.5 + v[1], rose.sin(s[1] * s[0])], v)
        return rose.cond(w[0] > w[1], lambda: [w[0] * v[1], w[1]], lambda: w)

    v = [1.1, 0.4]
    rows = rose.jacfwd(f)(v)
    y, pull = rose.vjp(f)(v)
    z, other = rose.vjp(f)([2.0, 0.1])
    for _ in range(3):
        for ct in ([1.0, 0.0], [0.0, 1.0], [2.0, -3.0]):
            want = [ct[0] * rows[0][k] + ct[1] * rows[1][k] for k in range(2)]
            assert list(pull(ct)) == pytest.approx(want, rel=1e-12)
    assert list(y) == list(f(v))
    assert list(z) == list(f([2.0, 0.1]))
    assert list(other([1.0, 1.0])) == pytest.approx(list(sum(rose.jacrev(f)([2.0, 0.1]))), rel=1e-12)
    assert np.array(rose.jacrev(f)(v)) == pytest.approx(np.array(rows), rel=1e-12)
    assert np.array(rose.jacobian(f)(v)) == pytest.approx(np.array(rows), rel=1e-12)
    value, push = rose.linearize(f)(v)
    assert list(value) == list(y)
    assert list(push([1.0, -2.0])) == pytest.approx([r[0] - 2.0 * r[1] for r in rows], rel=1e-12)


def test_loops_that_are_linear_can_be_transposed():
    @rose.fn
    def f(c: rose.Bool, n: rose.Fin[9], v: Vec[2]) -> Vec[2]:
        w = rose.scan(lambda i, s: [s[1], 2.0 * s[0] + s[1] * i], v, 3)
        turn = lambda s: ([s[0][1] * 0.5, s[0][0] - s[0][1]], (s[1] + 1) % 9)
        u = rose.while_loop(lambda s: s[1] < n, turn, (w, rose.constant(rose.Fin[9], 0)))[0]
        return rose.cond(c, lambda: [u[0] + u[1], u[0]], lambda: u)

    for c, n in ((True, 5), (False, 0), (False, 3)):
        a = np.array([list(f(c, n, e)) for e in ([1.0, 0.0], [0.0, 1.0])]).T
        for ct in ([1.0, 0.0], [0.5, -2.0]):
            assert list(rose.linear_transpose(f)(c, n, ct)) == pytest.approx(list(a.T @ ct))


# derivatives of derivatives, in and around choices and loops


@rose.fn
def sine(x: Real) -> Real:
    """The series, to the last term that counts."""

    def turn(s: Any) -> Any:
        term, total, k = s
        return term * (-x * x) / ((k + 1.0) * (k + 2.0)), total + term, k + 2.0

    return rose.while_loop(lambda s: abs(s[0]) > 1e-30, turn, (x, 0.0, 1.0))[1]


def times(f: Any, x: float, n: int) -> float:
    for _ in range(n):
        f = rose.grad(f)
    return f(x)


def of(body: Any) -> Any:
    return rose.fn([Real], Real)(body)


@pytest.mark.parametrize("wrap", [
    lambda f: lambda y: rose.scan(lambda _, s: rose.cond(y > 1e9, lambda: s, lambda: f(y)), 0.0, 2),
    lambda f: lambda y: rose.while_loop(lambda s: s[1] < 2.0, lambda s: (f(y), s[1] + 1.0), (0.0, 0.0))[0],
], ids=["scan and cond", "while"])  # fmt: skip
@pytest.mark.parametrize("d", [
    lambda f, y: rose.grad(of(f))(y), lambda f, y: rose.jvp(of(f))(rose.Dual(y, 1.0)).du
], ids=["reverse", "forward"])  # fmt: skip
def test_perturbations_are_not_confused(d: Any, wrap: Any):
    """The cases of Owl's book, written with loops and choices around each derivative."""
    assert times(of(lambda x: x * d(wrap(lambda y: x + y), x)), 2.0, 1) == 1.0
    assert times(of(lambda x: x * d(wrap(lambda y: x * y), x)), 3.0, 1) == 6.0
    assert times(of(lambda x: x * d(wrap(lambda y: x * y * y), 2.0)), 3.0, 1) == 24.0
    p = of(lambda x: d(wrap(lambda y: d(wrap(lambda z: x * y**2 * z**3), y)), x))
    assert (p(1.5), times(p, 1.5, 1)) == (60.75, 162.0)
    assert [times(of(wrap(wrap(lambda y: y**5))), 1.0, n) for n in (2, 3)] == [20.0, 60.0]


@pytest.mark.slow
def test_a_pullback_inside_of_a_function_that_is_differentiated():
    z = of(lambda x: rose.vjp(sine)(x).grad(rose.cond(x > 0.0, lambda: sine(x), lambda: x) ** 2))
    wanted = [0.3174220729710865, 0.4863526031772326, -1.327114282170801, -5.665608803070475]
    assert [times(z, 0.7, k) for k in range(4)] == pytest.approx(wanted, rel=1e-13)
    assert times(of(lambda x: x * rose.grad(sine)(x)), 0.7, 1) == pytest.approx(0.3138898062181047, rel=1e-14)
    chain = [0.611544751106977, -0.866422440012048, -0.0815364720585371, 3.18611494413592]
    assert [times(of(lambda x: sine(sine(x))), 0.7, k + 1) for k in range(4)] == pytest.approx(chain, rel=1e-12)


def test_the_critical_edges_of_diffractor():
    @rose.fn
    def f(a: rose.Bool, b: rose.Bool, c: rose.Bool, x: Real) -> Real:
        y = rose.cond(a & b, lambda: 2.0 * x, lambda: x)
        y = rose.cond(b & c, lambda: 3.0 * x, lambda: y)
        return rose.cond(c, lambda: 4.0 * y, lambda: y)

    g = rose.grad(f, argnums=3)
    cases = {(False, False, False): 1.0, (True, True, False): 2.0, (False, True, True): 12.0, (False, False, True): 4.0}
    assert {k: g(*k, 1.0) for k in cases} == cases
    three = of(lambda x: rose.while_loop(lambda s: s[1] < 3.0, lambda s: (s[0] + x, s[1] + 1.0), (0.0, 0.0))[0])
    assert rose.grad(three)(1.0) == 3.0


# checkpoints


SCHEDULES: list[dict[str, Any]] = [
    {"checkpoint": "sqrt"}, {"checkpoint": "binomial"},
    *[{"checkpoint": "binomial", "snapshots": k} for k in (1, 2, 3, 10)],
]  # fmt: skip


NAMED = {"-".join(map(str, s.values())): s for s in SCHEDULES}


def rich(n: int, **schedule: Any) -> Any:
    """A scan with everything: a struct for its state, outs of vectors, and captured vectors, structs and numbers."""

    @rose.fn
    def f(v: Vec[4]) -> Real:
        p, w, x = Point(v[0], v[1]), rose.vec(v[i] * v[i + 1] for i in rose.range(3)), v[3] * v[0]

        def turn(i: Any, s: Any) -> Any:
            y = rose.cond(s.alive, lambda: s.at.x * 0.5 + x, lambda: rose.sin(s.at.y) * p.y)
            after = Particle(Point(y, s.v[1] + 0.1 * p.x), [s.v[1] * w[i % 3], y * 0.3], s.at.x < y, (s.cell + 1) % 4)
            return after, [y * x, s.at.y + w[s.cell % 3]]

        s, outs = rose.scan(turn, Particle(Point(v[0], v[1]), [v[2], v[3]], True, 0), n, **schedule)
        total = rose.sum(outs[i][0] * outs[i][1] for i in rose.range(n))
        return total + s.at.x * s.at.y + s.v[0] * s.v[1] * (s.cell + 1)

    return f


def bare(n: int, **schedule: Any) -> Any:
    return rose.fn([Vec[4]], Real)(
        lambda v: rose.scan(lambda i, s: rose.sin(s + v[1]) * v[2] + v[3] * i * 0.01, v[0], n, **schedule)
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 16, 50])
@pytest.mark.parametrize("make", [rich, bare], ids=["rich", "bare"])
@pytest.mark.parametrize("rest", [False, pytest.param(True, marks=pytest.mark.fuzz)])
def test_checkpoints_change_no_bit(make: Any, n: int, rest: bool):
    """The schedules by their names, and one with some snapshots; the rest of them by `make fuzz`."""
    at = (0.6, -0.4, 0.9, 0.3)
    whole = lambda f: {**compositions(Case("", f.body, at), ("j", "v", "jv", "jj")), "h": rose.hessian(f).func}
    module = Module(whole(make(n)))
    for schedule in [s for k, s in enumerate(SCHEDULES) if (k < 2 or k == 2 + n % 4) != rest]:
        other = Module({name: check(f) for name, f in whole(make(n, **schedule)).items()})
        for name in ("f", "j", "v", "jv", "jj", "h"):
            assert same(other[name](at), module[name](at)), (schedule, name)


@pytest.mark.parametrize(
    ("name", "make"), rest_in_fuzz(product(NAMED, "rb"), rotated([*NAMED], "rb"), pytest.mark.slow)
)
def test_checkpoints_agree_with_the_interpreter_and_forward_mode(name: str, make: str):
    f = {"r": rich, "b": bare}[make](7, **NAMED[name])
    agree(Case("checkpoints", f.body, (0.6, -0.4, 0.9, 0.3)), ("j", "v", "l", "vv", "jv", "vj"))


@pytest.mark.parametrize("schedule", SCHEDULES[:3], ids=lambda s: "-".join(map(str, s.values())))
def test_a_rule_may_have_checkpoints(schedule: dict[str, Any]):
    def with_rule(**schedule: Any) -> Any:
        f = rose.fn([Vec[2]], Real)(lambda v: v[0] ** 3 * v[1])

        @f.jvp
        def _(v: Any) -> Any:
            dz = v[0].du * v[1].re
            turn = lambda i, s: (rose.sin(s[0]) + v[1].re, s[1] * v[0].re + v[i % 2].du * s[0] + dz)
            y, dy = rose.scan(turn, (v[0].re, v[0].du), 7, **schedule)
            return rose.Dual(y, dy)

        return rose.fn([Vec[2]], Real)(lambda v: f(v) * v[0])

    for order in ("v", "j", "vv", "jv", "vj"):
        one, other = [compositions(Case("", with_rule(**s).body, (0.3, 0.8)), (order,))[order] for s in ({}, schedule)]
        found, want = run(check(other), (0.3, 0.8)), run(one, (0.3, 0.8))
        assert found == pytest.approx(want, rel=1e-13) if order == "vv" else same(found, want), order


def pendulum(n: int, **schedule: Any) -> Any:
    """The angle of a pendulum after `n` steps, from an angle, a speed, and a length."""

    @rose.fn
    def f(v: Vec[3]) -> Real:
        h, pull = 10.0 / n, 9.81 / v[2]

        def step(_: Any, s: Any) -> Any:
            speed = s[1] - h * pull * rose.sin(s[0])
            return s[0] + h * speed, speed

        return rose.scan(step, (v[0], v[1]), n, **schedule)[0]

    return f


def test_a_pendulum_of_many_steps_needs_little_memory():
    n, at = 100_000, (0.5, 0.1, 1.2)
    module = Module({"g": rose.grad(pendulum(n, checkpoint="binomial")).func})
    assert module.memory.data_len(module.store) < 4_000_000
    gradient = module["g"](at)
    assert module.memory.data_len(module.store) < 4_000_000
    by_root = Module({"g": rose.grad(pendulum(n, checkpoint="sqrt")).func})
    assert same(by_root["g"](at), gradient)
    assert by_root.memory.data_len(by_root.store) < 4_000_000
    tangents = [rose.jvp(pendulum(n))([rose.Dual(x, float(j == k)) for j, x in enumerate(at)]).du for k in range(3)]
    assert list(gradient) == pytest.approx(tangents, rel=1e-9)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_switch_evaluates_one_of_its_branches(count: int):
    branches = [lambda x, k=k: x ** (k + 1) * (k + 1.0) for k in range(count)]
    f = rose.fn([rose.Fin[count], Real], Real)(lambda k, x: rose.switch(k, branches, x))
    for k in range(count):
        assert f(k, 1.5) == pytest.approx((k + 1.0) * 1.5 ** (k + 1))
        assert rose.grad(f, 1)(k, 1.5) == pytest.approx((k + 1.0) ** 2 * 1.5**k)
        assert rose.fn([Real], Real)(lambda x, k=k: rose.switch(k, branches, x))(1.5) == f(k, 1.5)
        with rose.eager():
            assert f(k, 1.5) == pytest.approx((k + 1.0) * 1.5 ** (k + 1))
    text = rose.compile(f).pretty()
    assert text.count("cond") >= count - 1


def test_switch_takes_branches_without_operands_and_gives_structs():
    either = lambda v: [lambda: Point(v[0], v[1]), lambda: Point(v[1], v[0])]
    f = rose.fn([rose.Fin[2], Vec[2]], Point)(lambda k, v: rose.switch(k, either(v)))
    assert f(0, [1.0, 2.0]) == Point(1.0, 2.0) and f(1, [1.0, 2.0]) == Point(2.0, 1.0)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda k, x: rose.switch(k, [], x), r"branches is a list of functions, not \[\]"),
        (lambda k, x: rose.switch(k, [1.0], x), r"branches is a list of functions, not \[1.0\]"),
        (lambda k, x: rose.switch(2, [abs, abs], x), "there is no branch 2: rose.switch is given 2"),
        (lambda k, x: rose.switch(k, [abs, abs], x), "index"),
        (lambda k, x: rose.switch(x, [abs, abs], x), "index"),
    ],
)
def test_switch_refuses_what_is_no_index_of_its_branches(call: Any, what: str):
    with pytest.raises(rose.RoseError, match=what):
        rose.fn([rose.Fin[3], Real], Real)(call)(0, 1.0)


def test_fori_loop_is_a_scan_over_a_range():
    f = rose.fn([Real], Real)(lambda x: rose.fori_loop(2, 6, lambda i, s: s * x + i, 1.0))
    assert (
        f(2.0) == ((((1.0 * 2 + 2) * 2 + 3) * 2 + 4) * 2 + 5) and rose.grad(f)(2.0) == 4 * 8 + 2 * 3 * 4 + 3 * 2 * 2 + 4
    )
