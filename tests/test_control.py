"""`cond`, `scan` and `while_loop`: what they give, and their derivatives, to any order and in every mode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from controls import CASES, Case
from harness import Module, same
from test_fuzz import ORDERS, WAYS, direction

import rose
from rose.check import check
from rose.interp import run
from rose.ir import Func
from rose.optimise import optimise

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
    optimise(funcs.values())
    for f in funcs.values():
        check(f)
    optimised = Module(funcs)
    for name, want in wanted.items():
        for got in (plain[name](case.at), run(funcs[name], case.at), optimised[name](case.at)):
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
    wanted = agree(case, (*ORDERS, "vvv", "vjv", "jvv", "vjj"))
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
    module = rose.compile({"f": f, "g": g}, dtype="f32")
    assert module.f(case.at) == pytest.approx(f(case.at), rel=1e-4)
    assert list(module.g(case.at)) == pytest.approx(list(g(case.at)), rel=1e-3, abs=1e-5)
