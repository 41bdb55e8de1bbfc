"""The conventions at the kinks, every row of the reference page: value, first and second derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec
from rose.host.interpreter import run

inf, nan = math.inf, math.nan


def v(f: Any) -> Any:
    return rose.grad(f)


def j(f: Any) -> Any:
    return rose.fn([Real], Real)(lambda x: rose.jvp(f)(rose.Dual(x, 1.0)).du)


Three = tuple[float, float, float | None]

# at a pole, a second derivative may be infinite or nan: None
ROWS: list[tuple[str, Callable[[Any], Any], float, Three]] = [
    ("abs at 0", lambda x: abs(x), 0.0, (0.0, 0.0, 0.0)),
    ("abs at -0", lambda x: abs(x), -0.0, (0.0, 0.0, 0.0)),
    ("abs of a square", lambda x: abs(x * x), 0.0, (0.0, 0.0, 0.0)),
    ("abs below", lambda x: abs(x * x * x), -1.0, (1.0, -3.0, 6.0)),
    ("sign at 0", lambda x: rose.sign(x), 0.0, (0.0, 0.0, 0.0)),
    ("sign at -0", lambda x: rose.copysign(1.0, rose.sign(x)), -0.0, (1.0, 0.0, 0.0)),
    ("sign, a factor", lambda x: rose.sign(x) * x * x, -2.0, (-4.0, 4.0, -2.0)),
    ("floor", lambda x: rose.floor(x), 2.0, (2.0, 0.0, 0.0)),
    ("floor, a factor", lambda x: rose.floor(x) * x * x, 2.0, (8.0, 8.0, 4.0)),
    ("ceil", lambda x: rose.ceil(x), 2.0, (2.0, 0.0, 0.0)),
    ("round", lambda x: rose.round(x), 2.5, (2.0, 0.0, 0.0)),
    ("trunc", lambda x: rose.trunc(x), -1.0, (-1.0, 0.0, 0.0)),
    ("max at a tie", lambda x: rose.max(x, 1.0), 1.0, (1.0, 0.5, 0.0)),
    ("max at a tie, the other way", lambda x: rose.max(1.0, x), 1.0, (1.0, 0.5, 0.0)),
    ("max of curves at a tie", lambda x: rose.max(x * x, x), 1.0, (1.0, 1.5, 1.0)),
    ("max of itself", lambda x: rose.max(x, x), 3.0, (3.0, 1.0, 0.0)),
    ("max of two zeros", lambda x: rose.max(x, 0.0), -0.0, (0.0, 0.5, 0.0)),
    ("min at a tie", lambda x: rose.min(x, 1.0), 1.0, (1.0, 0.5, 0.0)),
    ("min of curves at a tie", lambda x: rose.min(x * x, x), 1.0, (1.0, 1.5, 1.0)),
    ("the largest of three", lambda x: rose.max([x, x * x, 1.0]), 1.0, (1.0, 0.75, 0.5)),
    ("relu at 0", lambda x: rose.relu(x), 0.0, (0.0, 0.0, 0.0)),
    ("relu at -0", lambda x: rose.relu(x), -0.0, (0.0, 0.0, 0.0)),
    ("relu above", lambda x: rose.relu(x * x), 3.0, (9.0, 6.0, 2.0)),
    ("sqrt at 0", lambda x: rose.sqrt(x), 0.0, (0.0, inf, None)),
    ("x ** 0 at 0", lambda x: x**0, 0.0, (1.0, 0.0, 0.0)),
    ("x ** 0.0 at 0", lambda x: x**0.0, 0.0, (1.0, 0.0, 0.0)),
    ("x ** 1 at 0", lambda x: x**1, 0.0, (0.0, 1.0, 0.0)),
    ("x ** 2 at 0", lambda x: x**2, 0.0, (0.0, 0.0, 2.0)),
    ("x ** 3 at 0", lambda x: x**3, 0.0, (0.0, 0.0, 0.0)),
    ("x ** 2 below 0", lambda x: x**2.0, -3.0, (9.0, -6.0, 2.0)),
    ("x ** -1 at 0", lambda x: x**-1, 0.0, (inf, -inf, None)),
    ("pow(x, 0) at 0", lambda x: rose.pow(x, 0.0), 0.0, (1.0, 0.0, 0.0)),
    ("pow(0, x) at 0", lambda x: rose.pow(0.0, x), 0.0, (1.0, 0.0, 0.0)),
    ("norm at 0", lambda x: rose.norm(rose.vec([x, 2.0 * x])), 0.0, (0.0, 0.0, 0.0)),
    ("norm at -0", lambda x: rose.norm(rose.vec([x])), -0.0, (0.0, 0.0, 0.0)),
    ("hypot at (0, 0)", lambda x: rose.hypot(x, x), 0.0, (0.0, 0.0, 0.0)),
    ("atan2 at (0, 0)", lambda x: rose.atan2(x, x), 0.0, (0.0, nan, nan)),
    ("atan2 at (0, 0), of y", lambda x: rose.atan2(x, 0.0), 0.0, (0.0, nan, nan)),
    ("clip below", lambda x: rose.clip(x, 1.0, 2.0), 0.5, (1.0, 0.0, 0.0)),
    ("clip at the lower end", lambda x: rose.clip(x, 1.0, 2.0), 1.0, (1.0, 0.5, 0.0)),
    ("clip inside", lambda x: rose.clip(x * x, 1.0, 5.0), 2.0, (4.0, 4.0, 2.0)),
    ("clip at the upper end", lambda x: rose.clip(x, 1.0, 2.0), 2.0, (2.0, 0.5, 0.0)),
    ("clip above", lambda x: rose.clip(x, 1.0, 2.0), 2.5, (2.0, 0.0, 0.0)),
    ("clip to one number", lambda x: rose.clip(x, 1.0, 1.0), 1.0, (1.0, 0.25, 0.0)),
    ("copysign at 0", lambda x: rose.copysign(x, -1.0), 0.0, (-0.0, 0.0, 0.0)),
    ("select", lambda x: rose.select(x > 0, rose.sqrt(x), 0.0), 0.0, (0.0, 0.0, 0.0)),
    ("select, taken", lambda x: rose.select(x >= 0, x * x, 1.0 / x), 0.0, (0.0, 0.0, 2.0)),
    ("x % 1 at a jump", lambda x: x % 1.0, 2.0, (0.0, 1.0, 0.0)),
    ("softplus at 0", lambda x: rose.softplus(x), 0.0, (math.log(2.0), 0.5, 0.25)),
    ("sigmoid at 0", lambda x: rose.sigmoid(x), 0.0, (0.5, 0.25, 0.0)),
]  # fmt: skip


# the second table of the reference page: the first three derivatives at 0
HIGHER: list[tuple[str, Callable[[Any], Any], Three]] = [
    ("abs(x) ** 2", lambda x: abs(x) ** 2, (0.0, 2.0, 0.0)),
    ("abs(x) * abs(x)", lambda x: abs(x) * abs(x), (0.0, 2.0, 0.0)),
    ("hypot(x, 0) ** 2", lambda x: rose.hypot(x, 0.0) ** 2, (0.0, 2.0, 0.0)),
    ("abs(x) ** 3", lambda x: abs(x) ** 3, (0.0, 0.0, 0.0)),
    ("abs(x) * x", lambda x: abs(x) * x, (0.0, 0.0, 0.0)),
    ("relu(x) ** 2", lambda x: rose.relu(x) ** 2, (0.0, 0.0, 0.0)),
    ("max(x, 0) ** 2", lambda x: rose.max(x, 0.0) ** 2, (0.0, 0.5, 0.0)),
    ("a parabola", lambda x: rose.max(x, 0.0) ** 2 + rose.max(-x, 0.0) ** 2, (0.0, 1.0, 0.0)),
    ("pow(abs(x), 2.0)", lambda x: rose.pow(abs(x), 2.0), (0.0, 2.0, 0.0)),
    ("softplus", lambda x: rose.max(x, 0.0) + rose.log1p(rose.exp(-abs(x))), (0.5, 0.25, 0.0)),
    ("sqrt(x * x)", lambda x: rose.sqrt(x * x), (nan, nan, nan)),
]


@pytest.mark.parametrize(("name", "f", "want"), HIGHER, ids=[row[0] for row in HIGHER])
def test_derivatives_of_higher_order_at_0(name: str, f: Callable[[Any], Any], want: Three):
    one = v(rose.fn([Real], Real)(f))
    for orders in ((one, v(one), v(v(one))), (one, j(one), v(j(one)))):
        assert [g(0.0) for g in orders] == pytest.approx(want, nan_ok=True)


@pytest.mark.parametrize(("name", "f", "x", "want"), ROWS, ids=[row[0] for row in ROWS])
def test_the_table(name: str, f: Callable[[Any], Any], x: float, want: Three):
    g = rose.fn([Real], Real)(f)
    made = {"f": g, "j": j(g), "v": v(g), "jj": j(j(g)), "jv": v(j(g)), "vj": j(v(g)), "vv": v(v(g))}
    funcs = {k: h.func for k, h in made.items()}
    module = Module(funcs)
    for k, func in funcs.items():
        expected = want[0 if k == "f" else len(k)]
        got = module[k](x)
        assert same(got, run(func, x)), k
        if expected is None:
            assert not math.isfinite(got), k
        else:
            assert got == pytest.approx(expected, rel=1e-15, nan_ok=True), k


def test_norm_at_0_in_all_directions():
    f = rose.fn([Vec[3]], Real)(lambda p: rose.norm(p))
    assert rose.grad(f)([0.0, 0.0, 0.0]).tolist() == [0.0] * 3
    assert rose.hessian(f)([0.0, 0.0, 0.0]).tolist() == [[0.0] * 3] * 3
    assert rose.grad(f)([3.0, 0.0, 4.0]).tolist() == pytest.approx([0.6, 0.0, 0.8])


def test_atan2_at_the_origin_is_nan_and_nowhere_else():
    f = rose.fn([Real, Real], Real)(lambda y, x: rose.atan2(y, x))
    assert all([d != d for d in rose.grad(f, argnums=(0, 1))(0.0, 0.0)])
    assert rose.grad(f, argnums=(0, 1))(0.0, -2.0) == (-0.5, 0.0)
    assert rose.grad(f, argnums=(0, 1))(2.0, 0.0) == (0.0, -0.5)
