"""Products with 0.0 and sums with it, left out for `finite=True`: what is left, the same numbers, and what changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.ir import ADD_TO, CONST, Func, Value
from rose.ir.callgraph import instructions, reachable
from rose.optimise.pipeline import Instruments, optimised
from rose.optimise.values import watching
from rose.optimise.zeros import drop_zeros


def turned(p: Any) -> Any:
    """A point, turned around an axis: a matrix of rotation."""
    c, s = rose.cos(p[0]), rose.sin(p[0])
    return rose.sum(rose.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ p[1:4] * rose.array([1.0, 2.0, 3.0]))


def moved(p: Any) -> Any:
    """A covariance after a step of constant speed."""
    move = rose.array([[1.0, 0.1], [0.0, 1.0]])
    cov = rose.array([[p[0], p[1]], [p[1], p[2]]])
    return rose.sum((move @ cov @ move.T) ** 2)


def arm(p: Any) -> Any:
    """Where the hand of an arm with three joints is, by homogeneous transforms."""

    def link(angle: Any, length: float) -> Any:
        c, s = rose.cos(angle), rose.sin(angle)
        turn = rose.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return turn @ rose.array([[1.0, 0.0, length], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])

    m = link(p[0], 1.0) @ link(p[1], 0.5) @ link(p[2], 0.25)
    return m[0, 2] ** 2 + 2.0 * m[1, 2]


def edges(p: Any) -> Any:
    """How fast an image changes at a place, by Sobel's operator."""
    kernel = rose.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    image = rose.array([[p[i] * p[j + 3] for j in range(3)] for i in range(3)])
    return rose.sum(kernel * image) ** 2 + rose.sum(kernel.T * image) ** 2


def chain(p: Any) -> Any:
    """A Markov chain of which some transitions do not happen."""
    go = rose.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])
    return rose.sum(p[0:3] @ go @ go * rose.array([1.0, 4.0, 9.0]) * p[0])


def spline(p: Any) -> Any:
    """A cubic spline, by the matrix of its basis."""
    basis = rose.array([[1.0, 4.0, 1.0, 0.0], [-3.0, 0.0, 3.0, 0.0], [3.0, -6.0, 3.0, 0.0], [-1.0, 3.0, -3.0, 1.0]])
    t = p[4]
    return rose.array([1.0, t, t * t, t * t * t]) @ basis @ p[0:4]


PROGRAMS: dict[str, Callable[[Any], Any]] = {f.__name__: f for f in (turned, moved, arm, edges, chain, spline)}
POINT = np.array([0.7, -1.3, 0.4, 2.2, 1.7, -0.9])


def derived(name: str) -> dict[str, Any]:
    f = fn([Vec[6]], Real)(PROGRAMS[name])
    return {"f": f, "slope": rose.grad(f), "hessian": rose.hessian(f)}


def code(f: Func) -> list[Value]:
    return [v for g in reachable(f) if g.has_body for v in instructions(g.body)]


def with_zeros(f: Func) -> int:
    """The products, sums and differences with a literal 0.0 outside of loops."""
    zero = lambda v: v.op is CONST and v.attr == 0.0
    return sum([v.op.name in ("mul", "add", "sub") and any(map(zero, v.args)) for v in code(f)])


@pytest.mark.parametrize("name", PROGRAMS)
def test_products_and_sums_with_zeros_are_left_out(name: str):
    funcs = {k: f.func for k, f in derived(name).items()}
    plain, finite = optimised(funcs), optimised(funcs, finite=True)
    assert [with_zeros(f) for f in finite.values()] == [0, 0, 0]
    for k in ("f", "slope"):
        assert with_zeros(plain[k]) > 0 and len(code(finite[k])) < len(code(plain[k])), k


OPTIONS: list[dict[str, Any]] = [{}, {"simd": True}, {"dtype": "f32"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_finite_numbers_are_the_same(name: str, options: dict[str, Any]):
    of = derived(name)
    plain, finite = rose.compile(of, **options), rose.compile(of, finite=True, **options)
    x = POINT.astype(np.float32) if "dtype" in options else POINT
    assert len(finite.wasm) < len(plain.wasm)
    for k in of:
        assert np.array_equal(getattr(finite, k)(x), getattr(plain, k)(x)), k


def test_it_is_off_unless_it_is_asked_for():
    of = derived("arm")
    assert rose.compile(of).wasm == rose.compile(of, finite=False).wasm
    assert rose.compile(of).wasm != rose.compile(of, finite=True).wasm


def test_what_it_gives_up():
    f = fn([Real], Real)(lambda x: 0.0 * x + 0.0)
    plain, finite = rose.compile(f), rose.compile(f, finite=True)
    assert math.isnan(plain(math.inf)) and finite(math.inf) == 0.0
    g = fn([Real], Real)(lambda x: x + 0.0)
    plain, finite = rose.compile(g), rose.compile(g, finite=True)
    assert [math.copysign(1.0, h(-0.0)) for h in (plain, finite)] == [1.0, -1.0]


def test_each_form():
    forms: list[Callable[[Any], Any]] = [
        lambda x: x * 0.0, lambda x: -0.0 * x, lambda x: x + 0.0, lambda x: 0.0 + x, lambda x: x - 0.0,
        lambda x: 0.0 - x, lambda x: -0.0 - x, lambda x: x + -0.0,
    ]  # fmt: skip
    for form in forms:
        f = fn([Real], Real)(form)
        made = drop_zeros(f.func)
        assert rose.compile(f, finite=True)(2.5) == rose.compile(f)(2.5)
        assert {v.op.name for v in instructions(made.body)} <= {"param", "const", "neg"}


def test_a_zero_that_is_added_in_a_loop():
    def body(x: Any) -> Any:
        total = rose.accum(1.0)
        for i in rose.range(1000):
            total += 0.0 * x[i]
            total += x[i]
        return total.value

    f = fn([Vec[1000]], Real)(body)
    made = optimised({"f": f.func}, finite=True)["f"]
    assert sum([v.op is ADD_TO for v in instructions(made.body)]) == 1
    x = np.arange(1000.0)
    assert rose.compile(f, finite=True)(x) == rose.compile(f)(x) == 499501.0


def test_what_has_no_zeros_stays_as_it_is():
    f = fn([Real, Real], Real)(lambda x, y: x * y + 2.0).func
    assert drop_zeros(f) is f


def test_a_branch_that_is_not_taken_contributes_nothing():
    f = fn([Real, Real], Real)(lambda x, y: rose.select(x > 0.0, rose.sqrt(x) * y, 0.0 * y + x * x))
    of = {"f": f, "slope": rose.grad(f, (0, 1))}
    plain, finite = rose.compile(of), rose.compile(of, finite=True)
    for x in (-1.0, 0.0, 4.0):
        assert finite.slope(x, 3.0) == plain.slope(x, 3.0)


def test_nobody_compares_its_bits():
    with watching():
        optimised({"f": derived("moved")["f"].func}, finite=True)
    made = optimised({"f": derived("moved")["f"].func}, finite=True, asked=Instruments(verifies=True))
    assert with_zeros(made["f"]) == 0
