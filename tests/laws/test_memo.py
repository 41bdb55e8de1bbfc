"""The memo of a function is a cache: clearing it between passes changes no byte of what is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Fn, Real
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearize import linearize
from rose.autodiff.transpose import transpose
from rose.ir import Func
from rose.ir.callgraph import reachable
from rose.ir.text.printer import show


def clear(f: Func) -> None:
    """Clear the memos of all functions that can be reached, and of those that they were derived from."""
    for g in [h for reached in reachable(f) for h in reached.history]:
        for h in (g, g.primal, g.jvp):
            if h is not None:
                h.memo.clear()


def loops(x: Any) -> Any:
    y = rose.scan(lambda i, s: rose.sin(s) * x, x, 9, checkpoint="binomial", snapshots=2)
    z = rose.while_loop(lambda s: s < 100.0, lambda s: s * 2.0 + rose.exp(-x), x)
    return rose.cond(y < z, lambda: y * z, lambda: y / z) + rose.select(x > 0.0, rose.sqrt(x), -x)


def calls(x: Any) -> Any:
    square = rose.fn([Real], Real)(lambda y: y * y)
    cube = rose.fn([Real], Real)(lambda y: y * square(y))
    cube.jvp(lambda y: rose.Dual(cube(y.re), 3.0 * square(y.re) * y.du))
    v = rose.vec(cube(x + i) for i in rose.range(5))
    return rose.sum(square(v[i]) for i in rose.range(5))


AnyFn = Fn[..., Any]
PROGRAMS: list[Callable[[AnyFn], AnyFn]] = [
    lambda f: f, rose.grad, lambda f: rose.grad(rose.grad(f)), lambda f: rose.jvp(rose.grad(f)),
]  # fmt: skip


def forget(f: AnyFn) -> None:
    """Clear what a function knows of its derivatives, and the memos."""
    clear(f.func)
    f.results.clear()


def written(body: Callable[[Any], Any], between: Callable[[AnyFn], None]) -> list[bytes]:
    f = rose.fn([Real], Real)(body)
    wasm: list[bytes] = []
    for program in PROGRAMS:
        between(f)
        g = program(f)
        between(g)
        wasm.append(rose.compile(g).wasm)
        between(g)
    return wasm


@pytest.mark.parametrize("body", [loops, calls])
def test_a_memo_that_is_cleared_between_passes_changes_no_byte(body: Callable[[Any], Any]):
    assert written(body, forget) == written(body, lambda f: None)


def halves(body: Callable[[Any], Any], between: Callable[[Func], None]) -> list[str]:
    f = rose.fn([Real], Real)(body).func
    between(f)
    derivative = jvp(f, full_mask(f)).func
    between(derivative)
    linear = linearize(derivative)
    between(derivative)
    made = transpose(derivative)
    return [show(made.fwd), show(made.bwd), show(linear.lin)]


@pytest.mark.parametrize("body", [loops, calls])
def test_a_memo_that_is_cleared_between_the_passes_of_autodiff_changes_nothing(body: Callable[[Any], Any]):
    assert halves(body, clear) == halves(body, lambda f: None)
