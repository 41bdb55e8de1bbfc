"""`@fn` inside `@fn`: what the inner one captures is constant for its derivatives, and not for those of the outer.

The classic cases of perturbation confusion, in all modes inside all others; each in the interpreter and, to the bit, in
a module.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import compiled, same

import rose
from rose import Bool, Dual, Fin, Fn, Real, RoseError, Vec, fn
from rose.differentiation import gradients
from rose.hooks import Above
from rose.host.interpreter import run
from rose.ir.check import check

AnyFn = Fn[..., Any]
Mode = Callable[[AnyFn], Callable[[Any], Any]]

n, m = rose.dim("n"), rose.dim("m")


def agree(f: AnyFn, *args: Any) -> Any:
    """What a function gives in the interpreter, and to the bit in a module."""
    check(f.func)
    got = run(f.func, *args)
    assert same(got, compiled(f.func)(*args))
    return got


# the derivative of a function of one number, in every mode that there is


def jvp(f: AnyFn) -> Any:
    return lambda x: rose.jvp(f)(Dual(x, 1.0)).du


def vjp(f: AnyFn) -> Any:
    return lambda x: rose.vjp(f)(x).grad(1.0)


def linearize(f: AnyFn) -> Any:
    return lambda x: rose.linearize(f)(x)[1](1.0)


def value_and_grad(f: AnyFn) -> Any:
    return lambda x: rose.value_and_grad(f)(x)[1]


def pullback(f: AnyFn) -> Any:
    return lambda x: gradients.pullback(f)(x, 1.0)[1]


MODES: list[Mode] = [jvp, vjp, linearize, value_and_grad, pullback, rose.grad, rose.jacfwd, rose.jacrev, rose.jacobian]
SHORT: list[Mode] = [jvp, rose.grad, linearize, rose.jacfwd]


def names(modes: Any) -> str:
    return " of ".join([d.__name__ for d in modes]) if isinstance(modes, tuple) else modes.__name__


def real(f: Any) -> AnyFn:
    return rose.fn([Real], Real)(f)


def several(modes: list[Mode], count: int) -> Any:
    return pytest.mark.parametrize("modes", [*itertools.product(modes, repeat=count)], ids=names)


# perturbation confusion


@several(MODES, 2)
def test_two_derivatives_are_not_confused(modes: tuple[Mode, ...]):
    first, second = modes

    def f(x: Any) -> Any:
        return x * second(real(lambda y: x + y))(x)  # 1 * x

    def g(x: Any) -> Any:
        return x * second(real(lambda y: x * y))(2.0)  # x ** 2

    def h(x: Any) -> Any:
        return x * second(real(lambda y: x * y * y))(2.0)  # 4 x ** 2

    assert agree(real(first(real(f))), 2.0) == 1.0
    assert agree(real(first(real(g))), 3.0) == 6.0
    assert agree(real(first(real(h))), 3.0) == 24.0


@several(SHORT, 3)
def test_three_derivatives_are_not_confused(modes: tuple[Mode, ...]):
    first, second, third = modes

    @fn
    def f(x: Real) -> Real:
        @fn
        def g(y: Real) -> Real:
            return third(real(lambda z: x * y**2 * z**3))(y)

        return second(g)(x)

    assert math.isclose(agree(f, 1.5), 60.75, rel_tol=1e-14)
    assert math.isclose(agree(real(first(f)), 1.5), 162.0, rel_tol=1e-14)


@several(SHORT, 3)
def test_the_same_function_at_three_levels(modes: tuple[Mode, ...]):
    first, second, third = modes

    @fn
    def f(x: Real) -> Real:  # x cos(x) through a captured factor, and once more
        inner = third(real(lambda y: rose.sin(y) * x))
        return second(real(lambda y: inner(y) * y))(x)  # x (cos(x) - x sin(x))

    x = 0.7
    want = math.cos(x) - 2 * x * math.sin(x) - x * (math.sin(x) + x * math.cos(x))
    assert math.isclose(agree(real(first(f)), x), want, rel_tol=1e-13)


@pytest.mark.parametrize("mode", MODES, ids=names)
def test_higher_orders_see_what_is_captured(mode: Mode):
    f = real(lambda x: mode(real(lambda y: rose.exp(x * y)))(x))  # x exp(x ** 2)
    x, e = 0.6, math.exp(0.36)
    for order, want in enumerate([x * e, (1 + 2 * x**2) * e, (6 * x + 4 * x**3) * e, (6 + 24 * x**2 + 8 * x**4) * e]):
        g = f
        for _ in range(order):
            g = real(mode(g))
        assert math.isclose(agree(g, x), want, rel_tol=1e-12)


def test_pullbacks_and_linear_maps_are_functions_of_what_was_captured():
    @fn
    def f(x: Real) -> Real:
        g = real(lambda y: x * y**3)
        _, pull = rose.vjp(g)(x)  # 3 x ** 3 ct
        _, push = rose.linearize(g)(x)
        return rose.grad(real(lambda c: pull(c) * push(c) * x))(x)  # 18 x ** 8

    assert math.isclose(agree(f, 1.5), 18 * 1.5**8, rel_tol=1e-14)
    assert math.isclose(agree(rose.grad(f), 1.5), 144 * 1.5**7, rel_tol=1e-14)


def test_the_operator_inside_the_primal():
    @fn
    def f(x: Real) -> Real:
        return x * rose.grad(real(rose.sin))(x)

    assert math.isclose(agree(rose.grad(f), 0.7), 0.3138898062181047, rel_tol=1e-14)
    g = real(lambda x: rose.vjp(real(lambda a: a * a))(rose.sin(x)).grad(rose.sin(x) ** 0 * 1.0))
    assert math.isclose(agree(rose.grad(g), 0.7), 2 * math.cos(0.7), rel_tol=1e-14)


@several([rose.jacfwd, rose.jacrev], 2)
def test_hessians_and_products_of_closures(modes: tuple[Mode, ...]):
    first, second = modes

    @fn
    def f(x: Vec[3], w: Vec[3]) -> Vec[3]:
        @fn
        def g(y: Vec[3]) -> Real:
            return rose.dot(x, y) ** 2 * w[0]

        return rose.hvp(g)(x, w)  # 2 w0 (x.w) x

    x, w = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.2, -1.0])
    np.testing.assert_allclose(agree(f, x, w), 2 * w[0] * (x @ w) * x)
    in_x = 2 * w[0] * (np.outer(x, w) + (x @ w) * np.eye(3))
    np.testing.assert_allclose(agree(first(f), x, w), in_x)
    both = agree(second(first(f)), x, w)  # pyright: ignore
    eye = np.eye(3)
    want = 2 * w[0] * (np.einsum("ik,j->ijk", eye, w) + np.einsum("ij,k->ijk", eye, w))
    np.testing.assert_allclose(both, want)


# what is captured


@rose.struct
class Spring:
    k: Real
    at: Vec[2]


def test_structs_and_vectors():
    @fn
    def f(s: Spring) -> Real:
        @fn
        def energy(y: Real) -> Real:
            return s.k * y**3 + s.at[0] * y * s.at[1]

        return rose.grad(energy)(s.k)  # 3 k ** 3 + a b

    assert agree(f, (2.0, (3.0, 4.0))) == 36.0
    assert agree(rose.grad(f), (2.0, (3.0, 4.0))) == (36.0, (4.0, 3.0))
    assert agree(rose.hessian(f), (2.0, (3.0, 4.0)))[0] == (36.0, (0.0, 0.0))


def test_indices_of_loops_and_conditions():
    @fn
    def f(v: Vec[3], up: Bool) -> Real:
        def turn(i: Any) -> Any:
            @fn
            def g(y: Real) -> Real:
                return rose.select(up, v[i], 1.0) * y * y * (i + 1)

            return rose.grad(g)(v[i])

        total = rose.accum(0.0)
        for i in rose.range(3):
            total += turn(i)
        return total.value

    v = np.array([1.0, 2.0, 3.0])
    assert agree(f, v, True) == 2 * (v**2 @ [1, 2, 3])
    np.testing.assert_array_equal(agree(rose.grad(f), v, True), 4 * v * [1, 2, 3])
    np.testing.assert_array_equal(agree(rose.grad(f), v, False), [2, 4, 6])
    np.testing.assert_array_equal(agree(rose.hessian(f), v, True), np.diag([4, 8, 12]))


def test_one_closure_in_loops_branches_and_after_them():
    @fn
    def f(x: Real, v: Vec[3]) -> Real:
        w = x * x

        @fn
        def g(y: Real) -> Real:
            return w * y * y

        total = rose.sum(g(v[i]) for i in rose.range(3)) + g(x)
        last = rose.scan(lambda i, s: rose.grad(g)(s) * v[i], 1.0, 2)  # (2 x x) ** 2 v0 v1
        return total + rose.cond(x > 0.0, lambda: g(x), lambda: 0.0) + last

    v = np.array([1.0, 2.0, 3.0])
    assert agree(f, 2.0, v) == 4 * 14 + 2 * 16 + 64 * 2
    dx, dv = agree(rose.grad(f, (0, 1)), 2.0, v)
    assert dx == 4 * 14 + 8 * 8 + 2 * 128
    np.testing.assert_array_equal(dv, 8 * v + [128, 64, 0])


def test_a_loop_of_unknown_length():
    @fn
    def f(x: Real) -> Real:
        g = real(lambda y: y * y * x)
        return rose.while_loop(lambda s: s < 10.0, lambda s: s + rose.grad(g)(s), 1.0)  # times 1 + 2 x

    assert agree(f, 0.5) == 16.0
    assert agree(rose.grad(f), 0.5) == 4 * 2 * 8.0
    assert agree(rose.grad(rose.grad(f)), 0.5) == 4 * 3 * 4 * 4.0


def test_several_levels():
    @fn
    def a(x: Real) -> Real:
        host = 2

        @fn
        def b(y: Real) -> Real:
            z = x * y

            @fn
            def c(u: Real) -> Real:
                @fn
                def d(w: Real) -> Real:
                    return x * y * u * w * z * host

                return rose.grad(d)(u) * rose.jvp(d)(Dual(u, 1.0)).re

            return rose.jacfwd(c)(y)

        return rose.linearize(b)(x)[1](1.0)

    f: AnyFn = a
    for want in (72 * 1.1**9, 648 * 1.1**8, 5184 * 1.1**7):
        assert math.isclose(agree(f, 1.1), want, rel_tol=1e-13)
        f = rose.grad(f)


def test_closures_of_any_size():
    @fn
    def f(x: Vec[n]) -> Real:
        @fn
        def g(y: Vec[m], i: Fin[n]) -> Real:
            return rose.sum(y[j] ** 2 * x[i] for j in rose.range(m)) * n

        return rose.sum(rose.grad(g)(x, 0)) + rose.sum(rose.grad(g)([x[0], x[0], 1.0], n - 1))

    x = np.array([2.0, 3.0])
    assert agree(f.at(n=2), x) == f(x) == 2 * (2 * 5 * 2 + 2 * 5 * 3)
    np.testing.assert_array_equal(agree(rose.grad(f).at(n=2), x), [2 * (2 * 5 + 2 * 2 + 4 * 3), 2 * (2 * 2 + 2 * 5)])


def test_the_transpose_of_a_closure():
    @fn
    def f(x: Real, ct: Real) -> Vec[2]:
        @fn
        def g(y: Vec[2]) -> Real:
            return x * y[0] + x * x * y[1]

        return rose.linear_transpose(g)(ct)

    assert agree(f, 3.0, 2.0) == (6.0, 18.0)
    assert agree(rose.jacobian(f), 3.0, 2.0) == (2.0, 12.0)


def test_functions_inside_of_rules():
    @fn
    def cube(x: Real) -> Real:
        return x**3

    @cube.jvp
    def _(x: Dual) -> Dual:
        return Dual(cube(x.re), rose.grad(real(lambda y: y * x.re * x.re))(x.re) * 3.0 * x.du)

    f: AnyFn = cube
    for want in (8.0, 12.0, 12.0, 6.0):
        assert agree(f, 2.0) == want
        f = rose.grad(f)


def test_a_function_with_a_rule_inside_of_another():
    @fn
    def f(x: Real) -> Real:
        @fn
        def g(y: Real) -> Real:
            return y * y

        @g.jvp
        def _(y: Dual) -> Dual:
            return Dual(g(y.re), 3.0 * y.re * y.du)  # not 2: it is the rule that is used

        return rose.grad(g)(x) * x

    assert (agree(f, 3.0), agree(rose.grad(f), 3.0)) == (27.0, 18.0)


# argnums


@fn
def weighted(x: Real, y: Vec[2], i: Fin[2], s: Spring) -> Real:
    return x * x * y[i] * s.k + s.at[i]


AT = (2.0, (3.0, 5.0), 1, (7.0, (0.0, 0.0)))
IN_X, IN_Y, IN_S = 140.0, (0.0, 28.0), (20.0, (0.0, 1.0))


@pytest.mark.parametrize(
    ("argnums", "want"),
    [
        (0, IN_X), (1, IN_Y), (-1, IN_S), (-4, IN_X), (np.int64(1), IN_Y), ((0,), (IN_X,)), ([1, 0], (IN_Y, IN_X)),
        ((-1, 0, 1), (IN_S, IN_X, IN_Y)), ((0, 0), (IN_X, IN_X)),
    ],
)  # fmt: skip
def test_argnums(argnums: Any, want: Any):
    assert agree(rose.grad(weighted, argnums), *AT) == want
    assert agree(rose.value_and_grad(weighted, argnums=argnums), *AT) == (140.0, want)
    for jacobian in (rose.jacfwd, rose.jacrev, rose.jacobian):
        assert agree(jacobian(weighted, argnums=argnums), *AT) == want


def test_argnums_of_second_derivatives():
    rows = agree(rose.hessian(weighted, (0, 1)), *AT)
    assert rows == ((70.0, (0.0, 28.0)), ((0.0, 28.0), ((0.0, 0.0), (0.0, 0.0))))
    assert agree(rose.hessian(weighted, -4), *AT) == 70.0
    assert agree(rose.hvp(weighted, 1), *AT, (1.0, 1.0)) == (0.0, 0.0)
    assert agree(rose.hvp(weighted, argnums=-4), *AT, 2.0) == 140.0


@pytest.mark.parametrize("argnums", [2, -2, 4, -5, (0, 2), (0, (1,)), "x", 1.5, None, True], ids=repr)
def test_argnums_that_name_no_parameter_with_a_derivative(argnums: Any):
    for d in (rose.grad, rose.value_and_grad, rose.hessian, rose.jacfwd, rose.jacrev, rose.jacobian):
        with pytest.raises(RoseError, match=r"no parameter number|has no derivative"):
            d(weighted, argnums)


# cycles


def test_a_cycle_through_a_closure_is_named():
    @fn
    def f(x: Real) -> Real:
        @fn
        def inner(y: Real) -> Real:
            return f(y) * x

        return rose.grad(inner)(x)

    with pytest.raises(RoseError, match=r"f calls itself: f -> grad\(inner\) -> inner -> f"):
        f(1.0)


def test_a_closure_that_calls_itself():
    @fn
    def f(x: Real) -> Real:
        @fn
        def inner(y: Real) -> Real:
            return inner(x) * y

        return inner(x)

    with pytest.raises(RoseError, match=r"inner calls itself: inner -> inner"):
        rose.grad(f)(1.0)


def test_a_cycle_through_sizes_and_derivatives():
    @fn
    def f(x: Vec[n]) -> Real:
        return g([x[0]])

    @fn
    def g(x: Vec[n]) -> Real:
        return rose.sum(rose.grad(f)(x)) if n < 2 else f(x[1:])

    with pytest.raises(RoseError, match=r"g calls itself: g -> grad\(f\) -> f -> g"):
        g([1.0])


def test_a_struct_of_a_module_that_was_not_imported():
    source = """
import rose

@rose.struct
class Pair:
    x: rose.Real
    y: "rose.Vec[SIZE]"

@rose.fn
def product(p: Pair) -> rose.Real:
    return p.x * p.y[0]
"""
    module: dict[str, Any] = {"__name__": "of_no_module", "SIZE": 1}
    exec(compile(source, "of_no_module.py", "exec", dont_inherit=True), module)
    assert "of_no_module" not in sys.modules
    slope = rose.grad(module["product"])(module["Pair"](2.0, [3.0]))
    assert (slope.x, *slope.y) == (3.0, 2.0)


def test_a_call_outside_of_a_trace_runs_on_the_installed_runtime(monkeypatch: pytest.MonkeyPatch):
    class Told:
        def run(self, f: AnyFn, /) -> Any:
            return lambda *args: (f.name, args)

        def present(self, x: Any, t: Any, /) -> Any:
            return ("presented", x)

    monkeypatch.setattr(Above, "runtime", Told())
    f = fn([Real], Real)(math.sqrt)
    assert f(4.0) == ("sqrt", (4.0,))
    with rose.eager():
        assert fn([Real], Real)(lambda x: x + 1.0)(4.0) == ("presented", 5.0)


@fn
def parabola(x: Real, k: Real = 2.0) -> Real:
    return x**2 * k


XS = np.linspace(0.0, 1.0, 5)


def test_a_function_of_numbers_takes_arrays_as_a_ufunc_does():
    assert parabola(XS).tolist() == (2 * XS**2).tolist() and rose.grad(parabola)(XS).tolist() == (4 * XS).tolist()
    assert parabola(XS[:, None], XS).tolist() == (XS[:, None] ** 2 * XS).tolist()
    assert parabola([1, 2]).tolist() == [2.0, 8.0] and parabola([[1, 2], [3, 4]]).tolist() == [[2.0, 8.0], [18.0, 32.0]]
    assert parabola(k=XS, x=2.0).tolist() == (4 * XS).tolist() and parabola(np.zeros((0, 3))).shape == (0, 3)
    above = fn([Real], Bool)(lambda x: x > 0.5)
    assert above(XS).tolist() == (XS > 0.5).tolist()
    with rose.eager():
        assert parabola(XS).tolist() == (2 * XS**2).tolist()


def test_a_function_of_complex_numbers_takes_arrays_of_them():
    square = fn([rose.Complex], rose.Complex)(lambda z: z * z)
    zs = np.array([0.5, 2j, 1 + 1j])
    assert square(zs).tolist() == (zs * zs).tolist() and square([1, 2j]).tolist() == [1 + 0j, -4 + 0j]
    assert rose.grad(square, holomorphic=True)(zs).tolist() == (2 * zs).tolist()
    total = fn([Vec[3, rose.Complex]], rose.Complex)(lambda z: np.sum(square(z)))
    assert total(zs) == np.sum(zs * zs)


def test_in_a_trace_it_is_a_loop_with_derivatives():
    @fn
    def total(x: Vec[5]) -> Real:
        return np.sum(parabola(x)) + np.sum(parabola(np.stack([x, x]), 1.0)) + parabola([x[0], 2.0])[1]

    assert total(XS) == pytest.approx(4 * np.sum(XS**2) + 8) and rose.grad(total)(XS).tolist() == (8 * XS).tolist()
    big = fn([Vec[100_000]], Real)(lambda x: np.sum(parabola(x)))
    assert len(rose.compile(rose.grad(big)).wasm) < 400


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (
            lambda: parabola(XS, XS[:2]),
            r"parabola of arrays that do not fit: .* k has the shape \(2,\)",
        ),
        (lambda: parabola([1.0, "b"]), "x must be a Real, got"),
        (lambda: parabola([[1.0], [1.0, 2.0]]), "x must be a Real, got"),
        (lambda: parabola(np.array(["a"])), "x must be a Real, got"),
        (lambda: fn([Real], Vec[2])(lambda x: [x, x])(XS), "x must be a Real, got"),
        (lambda: rose.compile(parabola)(XS), "x must be a Real, got"),
        (lambda: fn([Vec[5]], Real)(lambda x: np.sum(parabola(x, x[:2])))(XS), "do not broadcast"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused_as_before(call: Callable[[], Any], what: str):
    with pytest.raises(RoseError, match=what):
        call()
