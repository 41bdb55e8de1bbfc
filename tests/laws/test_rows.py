"""Derivatives of every row of mathematics, to the third order: against mpmath, and at the boundaries.

A row that is missing in the tables of `operations.py` is not tested: `test_every_row_is_here` says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import pytest
from harness import Module, same
from operations import MEANT, MORE, ONE

import rose
from rose import Real, Vec
from rose.host.interpreter import run
from rose.ir import OPS

inf, nan = math.inf, math.nan
Function = Callable[..., Any]


PUBLIC = {"neg": lambda x: -x, "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
          "div": lambda x, y: x / y, "mod": lambda x, y: x % y}  # fmt: skip


def test_every_row_is_here():
    smooth = {op.name for op in OPS.values() if op.jvp is not None or op.expand is not None}
    assert smooth == {*ONE, *MORE}, "ONE or MORE of tests/support/operations.py lacks a row of rose/ir/ops.py"


def along(f: Any, u: tuple[float, ...], way: str) -> Any:
    """The derivative of `f` along a direction, forwards or backwards."""
    t = Vec[len(u)]
    if way == "v":
        return rose.fn([t], Real)(lambda p: rose.dot(rose.grad(f)(p), rose.constant(t, list(u))))
    return rose.fn([t], Real)(lambda p: rose.jvp(f)([rose.Dual(p[k], d) for k, d in enumerate(u)]).du)


def compositions(name: str, n: int, highest: int = 3) -> dict[str, Any]:
    op = PUBLIC.get(name) or getattr(rose, name)
    u = (1.0, -0.75, 0.5)[:n]
    made: dict[str, Any] = {"": rose.fn([Vec[n]], Real)(lambda p: op(*[p[k] for k in range(n)]))}
    for k in range(1, highest + 1):
        for ways in itertools.product("jv", repeat=k):
            order = "".join(ways)
            made[order] = along(made[order[:-1]], u, order[-1])
    return made


@pytest.mark.parametrize("name", [*ONE, *MORE])
def test_derivatives_to_the_third_order_are_those_of_mpmath(name: str):
    f, points = ONE.get(name) or MORE[name]
    points = [p if isinstance(p, tuple) else (p,) for p in points]
    n = len(points[0])
    made = compositions(name, n)
    module = Module({k or "f": g.func for k, g in made.items()})
    u = (1.0, -0.75, 0.5)[:n]
    for p in points:
        with mpmath.workdps(80):
            line = lambda t: f(*[mpmath.mpf(x) + t * mpmath.mpf(d) for x, d in zip(p, u, strict=True)])  # noqa: B023
            want = [float(mpmath.diff(line, 0, k, h=mpmath.mpf(10) ** -20) if k else line(0)) for k in range(4)]
        for order, g in made.items():
            got = module[order or "f"](p)
            scale = max([abs(w) for w in want[: len(order) + 1]])
            assert got == pytest.approx(want[len(order)], rel=1e-10, abs=1e-13 * scale), (name, order, p)
            if len(order) < 2:
                assert same(got, run(g.func, p))


# at the boundaries: the one-sided limit of the derivative, where there is one
LIMITS: list[tuple[str, Function, float, float]] = [
    ("sqrt at 0", lambda x: rose.sqrt(x), 0.0, inf),
    ("sqrt at infinity", lambda x: rose.sqrt(x), inf, 0.0),
    ("exp, overflow", lambda x: rose.exp(x), 1000.0, inf),
    ("exp, underflow", lambda x: rose.exp(x), -1000.0, 0.0),
    ("exp2, overflow", lambda x: rose.exp2(x), 2000.0, inf),
    ("expm1, far below", lambda x: rose.expm1(x), -1000.0, 0.0),
    ("log at 0", lambda x: rose.log(x), 0.0, inf),
    ("log at infinity", lambda x: rose.log(x), inf, 0.0),
    ("log2 at 0", lambda x: rose.log2(x), 0.0, inf),
    ("log10 at 0", lambda x: rose.log10(x), 0.0, inf),
    ("log1p at -1", lambda x: rose.log1p(x), -1.0, inf),
    ("asin at 1", lambda x: rose.asin(x), 1.0, inf),
    ("asin at -1", lambda x: rose.asin(x), -1.0, inf),
    ("acos at 1", lambda x: rose.acos(x), 1.0, -inf),
    ("acos at -1", lambda x: rose.acos(x), -1.0, -inf),
    ("atan, huge", lambda x: rose.atan(x), 1e300, 0.0),
    ("atan, huge below", lambda x: rose.atan(x), -1e300, 0.0),
    ("atan at infinity", lambda x: rose.atan(x), inf, 0.0),
    ("atan2, huge", lambda x: rose.atan2(x, 1.0), 1e300, 0.0),
    ("sinh, overflow", lambda x: rose.sinh(x), 1000.0, inf),
    ("cosh, overflow", lambda x: rose.cosh(x), -1000.0, -inf),
    ("tanh, far", lambda x: rose.tanh(x), 1000.0, 0.0),
    ("tanh at infinity", lambda x: rose.tanh(x), -inf, 0.0),
    ("asinh, huge", lambda x: rose.asinh(x), 1e300, 1e-300),
    ("acosh at 1", lambda x: rose.acosh(x), 1.0, inf),
    ("acosh, huge", lambda x: rose.acosh(x), 1e300, 1e-300),
    ("atanh at 1", lambda x: rose.atanh(x), 1.0, inf),
    ("atanh at -1", lambda x: rose.atanh(x), -1.0, inf),
    ("cbrt at 0", lambda x: rose.cbrt(x), 0.0, inf),
    ("erf, far", lambda x: rose.erf(x), 1e200, 0.0),
    ("erfc, far", lambda x: rose.erfc(x), 30.0, 0.0),
    ("lgamma, large", lambda x: rose.lgamma(x), 1e300, math.log(1e300)),
    ("hypot, huge", lambda x: rose.hypot(x, 1e300), 1e300, math.sqrt(0.5)),
    ("hypot, tiny", lambda x: rose.hypot(x, 3e-320), 4e-320, 0.8),
    ("pow at 0, below 1", lambda x: rose.pow(x, 0.5), 0.0, inf),
    ("pow at 0, at 1", lambda x: rose.pow(x, 1.0), 0.0, 1.0),
    ("pow at 0, above 1", lambda x: rose.pow(x, 1.5), 0.0, 0.0),
    ("pow at 0, the exponent", lambda y: rose.pow(0.0, y), 2.0, 0.0),
    ("pow of 1", lambda y: rose.pow(1.0, y), 1e300, 0.0),
    ("pow, underflow of the exponent", lambda y: rose.pow(0.5, y), 1e5, 0.0),
    ("sigmoid, far", lambda x: rose.sigmoid(x), 1000.0, 0.0),
    ("sigmoid, far below", lambda x: rose.sigmoid(x), -1000.0, 0.0),
    ("softplus, far", lambda x: rose.softplus(x), 1000.0, 1.0),
    ("softplus, far below", lambda x: rose.softplus(x), -1000.0, 0.0),
    ("relu of infinity", lambda x: rose.relu(x), inf, 1.0),
    ("clip of infinity", lambda x: rose.clip(x, -1.0, 1.0), inf, 0.0),
    ("fmod, huge divisor", lambda x: rose.fmod(5.0, x), inf, 0.0),
]


@pytest.mark.parametrize(("name", "f", "x", "want"), LIMITS, ids=[row[0] for row in LIMITS])
def test_derivatives_at_the_boundaries(name: str, f: Function, x: float, want: float):
    g = rose.fn([Real], Real)(f)
    forwards = rose.jvp(g)(rose.Dual(x, 1.0)).du
    assert rose.grad(g)(x) == pytest.approx(want, rel=1e-14)
    assert forwards == pytest.approx(want, rel=1e-14)


# rows that are expressions of other rows

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 5e-324, -5e-324, 1e300, -1e300, inf, -inf, nan]


def test_every_expression_is_here():
    expanded = {op.name for op in OPS.values() if op.expand is not None}
    assert expanded == set(MEANT), "MEANT of tests/support/operations.py lacks a row of rose/ir/ops.py"


@pytest.mark.parametrize("name", list(MEANT))
def test_an_expression_has_the_bits_that_it_should(name: str):
    """In a module, in the interpreter, and of numbers of Python; where one argument is a literal, too."""
    op: Any = OPS[name]
    n = op.type.__code__.co_argcount if name == "clip" else len(MORE[name][1][0]) if name in MORE else 1
    f = rose.fn([Real] * n, Real)(lambda *xs: op(*xs)).func
    module = Module({"f": f})["f"]
    for xs in itertools.product(SPECIAL, repeat=n):
        want = MEANT[name](*xs)
        assert same(module(*xs), want), xs
        assert same(op(*xs), want), xs
        if n < 3:
            assert same(run(f, *xs), want), xs
