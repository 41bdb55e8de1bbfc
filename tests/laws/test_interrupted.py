"""A KeyboardInterrupt at any point of tracing, differentiating, compiling and calling leaves nothing half done.

It is raised at one line of ours, drawn by chance. Then the same functions, and others, give what they always give.
"""

import os
import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from paths import ROOT

import rose
from rose import Real, Vec, fn

POINTS = int(os.environ.get("ROSE_FUZZ", "200")) // 10
ROOMS = (str(ROOT / "rose"), str(ROOT / "wasm_backend"))
n = rose.dim("n")


def functions() -> tuple[rose.Fn, rose.Fn]:
    @fn
    def inner(x: Real) -> Real:
        return rose.sin(x) * x

    @fn
    def f(x: Real, v: Vec[3]) -> Real:
        t = rose.scan(lambda i, s: s * 0.5 + v[i], rose.sum(v[i] * inner(x) for i in rose.range(3)), 3)
        return rose.cond(t > 0, lambda: t, lambda: -t) + rose.while_loop(lambda s: s < 3.0, lambda s: s + inner(x), x)

    return f, fn([Vec[n]], Real)(lambda v: rose.sum(v[i] ** 2 for i in rose.range(n)))


def results(f: rose.Fn, g: rose.Fn) -> list[Any]:
    module, v = rose.compile({"f": f, "df": rose.grad(f)}), [1.0, 2.0, 3.0]
    batch = module.map(1.5, [v, v]).tolist()
    return [module(1.5, v), module.df(1.5, v), rose.grad(f, argnums=1)(1.5, v).tolist(), batch, g(v), g(v[:2])]


def traced(body: Callable[[], object], at: int) -> int:
    """The lines of ours that a call runs, which is interrupted at line number `at`."""
    lines = 0

    def tracer(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(ROOMS) or frame.f_code.co_name == "callback":
            return None  # what C calls has no caller in Python
        lines += event == "line"
        if lines == at:
            raise KeyboardInterrupt
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        body()
    finally:
        sys.settrace(before)
    return lines


WANT = results(*functions())
LINES = traced(lambda: results(*functions()), -1)


@pytest.mark.parametrize("seed", range(POINTS))
def test_what_was_interrupted_can_be_done_again(seed: int):
    f, g = functions()
    with pytest.raises(KeyboardInterrupt):
        traced(lambda: results(f, g), random.Random(seed).randrange(1, LINES * 9 // 10))
    assert results(f, g) == results(*functions()) == WANT
