"""`with rose.eager()`: nothing is compiled, Python's own tools see numbers, and the bits are the same."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest
from harness import same

import rose
from rose import Bool, Dual, Fn, Real, Vec, fn, opaque
from rose.frontend.any_size import AnySize
from rose.host.marshal import plain
from tests.js.test_packages import PACKAGES, compiled

LONG = (30_000.0, 60_000.0)  # turns, for which the memory of a module grows: eager mode has the code of fewer


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_every_function_of_the_packages_gives_the_same_bits(name: str):
    made, module = compiled(name)
    if made.dtype == "f32":
        return  # eager mode is in double precision
    wrong: list[Any] = []
    calls = [(k, args) for k, args in made.calls if not any(isinstance(a, float) and a in LONG for a in args)]
    for k, args in calls[:: max(len(calls) // 150, 1)]:
        f = made.functions[k]
        f = f.fitting(args) if isinstance(f, AnySize) else f
        with rose.eager():
            got = f(*args)
        want = module[k](*args)
        if type(got) is not type(want) or not same(plain(got, f.result), plain(want, f.result)):
            wrong.append((k, args, got, want))
    assert not wrong


def of(params: list[Any], result: Any, body: Any) -> Fn[..., Any]:
    return rose.fn(params, result)(body)


def test_python_sees_numbers_turn_by_turn(capsys: pytest.CaptureFixture[str]):
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(3):
            print(i, v[i], f"{v[i]:.2f}", float(v[i]) + int(i))
            total += v[i] * i
        print(v, v[0] > 0.0, total.value * 2.0)
        return total.value

    with rose.eager():
        assert f([1, 2, 3]) == 8.0
        assert f([1, 2, 3]) == 8.0
    once = [
        "<Fin[3] 0> <Real 1.0> 1.00 1.0",
        "<Fin[3] 1> <Real 2.0> 2.00 3.0",
        "<Fin[3] 2> <Real 3.0> 3.00 5.0",
        "<Vec[3] (1.0, 2.0, 3.0), the parameter v> <Bool True> <Real 16.0>",
    ]
    assert capsys.readouterr().out.splitlines() == once * 2
    with pytest.raises(rose.TypeMismatch, match=r"has no digits"):
        f([1, 2, 3])
    assert capsys.readouterr().out == ""


def test_a_breakpoint_stops_with_the_numbers_there(monkeypatch: pytest.MonkeyPatch):
    seen: list[Any] = []

    @fn
    def inner(x: Real) -> Real:
        y = x * x
        breakpoint()
        return y

    f = of([Real], Real, lambda x: rose.sum(inner(x + i) for i in rose.range(3)))
    monkeypatch.setattr(sys, "breakpointhook", lambda: seen.append(float(sys._getframe(1).f_locals["y"])))
    with rose.eager():
        assert f(2) == 29.0
    assert seen == [4.0, 9.0, 16.0]


def test_a_python_condition_works_and_is_an_error_once_it_is_traced():
    f = of([Real], Real, lambda x: x if x > 0.0 else -x * 2.0)
    with rose.eager():
        assert (f(3.0), f(-3.0)) == (3.0, 6.0)
    with pytest.raises(rose.TypeMismatch, match="no truth value"):
        f(3.0)
    with rose.eager(), pytest.raises(rose.TypeMismatch, match="no truth value"):
        rose.grad(f)(3.0)  # it is traced for that


def test_only_the_arm_that_is_taken_runs_and_a_scan_runs_its_turns():
    seen: list[Any] = []

    def turn(i: Any, s: Any) -> Any:
        seen.append((int(i), float(s)))
        return s * 2.0, s

    def body(x: Any, p: Any) -> Any:
        y = rose.cond(x > 0.0, lambda: (seen.append("then"), x)[1], lambda: (seen.append("otherwise"), 1)[1])
        z = rose.cond(p, lambda: [y, y], lambda: (seen.append("not p"), [x, 2.0])[1])
        last, all = rose.scan(turn, y, 3, checkpoint="sqrt")
        return last + rose.sum(all) + z[1]

    f = of([Real, Bool], Real, body)
    for args in ((3.0, True), (-3.0, False)):
        seen.clear()
        with rose.eager():
            assert f(*args) == (48.0 if args[1] else 17.0)
        run = [*seen]
        turns = [(0, 3.0), (1, 6.0), (2, 12.0)] if args[1] else [(0, 1.0), (1, 2.0), (2, 4.0)]
        assert run == [*(["then"] if args[1] else ["otherwise", "not p"]), *turns]


@rose.struct
class Point:
    x: Real
    y: Real


def derivatives_inside(x: Any) -> Any:
    """Derivatives of functions of all sorts, some of which use what is around them."""
    k = x * 3.0
    square = of([Real], Real, lambda y: y * y * k)
    value, pullback = rose.vjp(square)(x + 1.0)
    both = rose.jvp(square)(Dual(x, 2.0))
    h = rose.hessian(of([Vec[2]], Real, lambda v: rose.dot(v, v) * v[0]))([x, 2.0])
    j = rose.jacobian(of([Real], Point, lambda t: Point(t * t, rose.sin(t))))(x)
    _, lin = rose.linearize(square)(x)
    twice = rose.grad(rose.grad(square))(x)
    return value + pullback(2.0) + both.du + h[0][1] + j.y + lin(2.0) + twice + rose.hvp(square)(x, 1.0)


@fn
def ruled(x: Real) -> Real:
    return rose.sqrt(x)


@ruled.jvp
def _(x: Any) -> Any:
    y = ruled(x.re)
    return Dual(y, x.du * 7.0 / y)


BODIES = {
    "derivatives inside": derivatives_inside,
    "a rule of its own": lambda x: rose.grad(ruled)(x) * ruled(x),
    "a while loop": lambda x: rose.while_loop(
        lambda s: s[0] < 9.0,
        lambda s: (s[0] + x, rose.while_loop(lambda t: t < 40.0, lambda t: t * 2 + s[0], s[1] + 2)),
        (x, 1),
    )[1],
    "a while loop without turns": lambda x: rose.while_loop(lambda s: s < 0.0, rose.sqrt, x) * x,
    "one that is only traced": lambda x: (
        rose.sum(rose.while_loop(lambda s: s < x, lambda s: s + x, 0.0) for i in rose.range(0)) + x
    ),
    "no turns": lambda x: x + rose.sum(x * i for i in rose.range(0)) + rose.prod(x for _ in rose.range(0)),
    "zeros": lambda x: rose.sum(-0.0 * x for _ in rose.range(2)) + rose.dot([x, -0.0], [0.0, x]),
    "extremes": lambda x: rose.max(rose.min(x * i for i in rose.range(3)), -x) + rose.max(x, 2.0, -x),
    "vectors": lambda x: rose.norm(rose.matmul([[x, 1.0], [2.0, x]], [x, 3.0])) + rose.logsumexp([x, 1.0]),
    "indices": lambda x: rose.sum(x * ((i * 2 + 1) % 3 // 2) for i in rose.range(4)),
    "special functions": lambda x: rose.grad(of([Real], Real, rose.lgamma))(x) + rose.gamma(x) % 0.7,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_derivatives_are_the_same_bits(name: str):
    f = of([Real], Real, BODIES[name])
    for d in (lambda f: f, rose.grad, lambda f: rose.grad(rose.grad(f)), rose.value_and_grad):
        g = d(f)
        for x in (0.75, 2.5):
            with rose.eager():
                got = g(x)
            assert same(plain(got, g.result), plain(g(x), g.result))


def test_a_while_loop_runs_turn_by_turn_and_its_parts_are_checked():
    seen: list[float] = []

    def turn(s: Any) -> Any:
        seen.append(float(s))
        if s > 5.0:
            return 100.0
        return s * 2.0

    f = of([Real], Real, lambda x: rose.while_loop(lambda s: s < 9.0, turn, x, max_iter=3))
    with rose.eager():
        assert f(2.0) == 100.0
        assert seen == [2.0, 4.0, 8.0]
        with pytest.raises(rose.TooLarge, match="a loop was to end within 3 turns, and did not"):
            f(1.0)
    wrong = {
        "what the test": lambda x: rose.while_loop(lambda s: s, lambda s: s, x),
        "the state after": lambda x: rose.while_loop(lambda s: s < 9.0, lambda s: [s], x),
        "body is a function": lambda x: rose.while_loop(lambda s: s < 9.0, x, x),
    }
    for text, body in wrong.items():
        g = of([Real], Real, body)
        with rose.eager(), pytest.raises(rose.TypeMismatch, match=text):
            g(1.0)
        with pytest.raises(rose.TypeMismatch, match=text):
            _ = g.func


def test_what_is_traced_before_or_inside_can_be_compiled_after():
    f = of([Real], Real, lambda x: x * x)
    with rose.eager():
        assert rose.grad(f)(3.0) == 6.0
        assert f(3.0) == 9.0
        assert rose.compile(f)(3.0) == 9.0
    assert rose.grad(f)(3.0) == 6.0
    pullback = rose.vjp(f)(2.0).grad
    with rose.eager():
        assert pullback(1.0) == 4.0
        y, back = rose.vjp(f)(2.0)
    assert (y, back(2.0)) == (4.0, 8.0)


def test_results_have_the_users_types_and_arguments_are_checked():
    f = of(
        [Point, Vec[2, Point]], {"p": Point, "v": Vec[2], "n": Real}, lambda p, v: {"p": p, "v": [p.x, 2], "n": v[1].y}
    )
    with rose.eager():
        made = f(Point(1, 2), [Point(3, 4), (5, 6)])
        assert isinstance(made["p"], Point)
        assert isinstance(made["v"], np.ndarray)
        assert made["n"] == 6.0
        with pytest.raises(rose.TypeMismatch, match="v must have 2 elements, got 1"):
            f(Point(1, 2), [Point(3, 4)])
        with pytest.raises(rose.TypeMismatch, match="2 arguments"):
            f(Point(1, 2))


def test_it_ends_with_the_block_and_is_of_one_thread():
    f = of([Real], Bool, lambda x: [seen.append(hasattr(x, "number")), x > 0.0][1])
    seen: list[bool] = []
    with rose.eager():
        with pytest.raises(ZeroDivisionError), rose.eager():
            of([Real], Real, lambda x: x * (1 // 0))(1.0)
        f(1.0)
        thread = threading.Thread(target=f, args=(1.0,))
        thread.start()
        thread.join()
    of([Real], Bool, f)(1.0)
    assert seen == [True, False]


def test_assertions_and_prints_work(capsys: pytest.CaptureFixture[str]):
    def body(x: Any) -> Any:
        rose.print("x = {} {:.1f}", x, x)
        rose.assert_(x > 0.0, "x is above 0")
        return rose.log(x)

    f = of([Real], Real, body)
    for g in (f, rose.grad(f), rose.grad(rose.grad(f))):
        with rose.eager():
            g(2.0)
            with pytest.raises(rose.AssertionFailed, match="x is above 0"):
                g(-1.0)
        assert capsys.readouterr().out == "x = 2.0 2.0\nx = -1.0 -1.0\n"


def test_a_value_that_is_only_traced_is_refused():
    kept: list[Any] = []
    f = of([Real], Real, lambda x: [kept.append(x), x][1])
    _ = f.func
    with rose.eager(), pytest.raises(rose.EscapedValue):
        of([Real], Real, lambda x: x + kept[0])(1.0)


def test_an_opaque_function_may_call_others():
    half = of([Real], Real, lambda x: x / 2.0)

    @opaque
    def outside(x: Real) -> Real:
        assert isinstance(rose.sqrt(x), float)
        return half(x) + rose.sqrt(x)

    f = of([Real], Real, lambda x: outside(x) + half(x))
    with rose.eager():
        assert f(4.0) == 6.0
        assert outside(4.0) == 4.0
    assert f(4.0) == 6.0
