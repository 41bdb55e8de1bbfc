"""The pipeline as a whole, and its driver: the same bits, less code, and nothing that was there before is changed."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from typing import Any

import pytest
from harness import Module, same

import rose
import rose.ir.ops
from rose import Bool, Real, Vec, fn
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import transpose
from rose.host.interpreter import run
from rose.ir import Func, is_call
from rose.ir.check import check
from rose.ir.ops import exp, sin
from rose.ir.text.printer import show
from rose.ir.types import Single
from rose.optimise.dead_code import remove_dead_code
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import NAMES, Context, Instruments, Pass, optimised
from rose.optimise.single_precision import to_single

pytestmark = pytest.mark.usefixtures("rolled")


@fn
def line(a: Real, b: Real, x: Real) -> Real:
    return a * x + b


def test_a_struct_that_is_handed_on_is_not_on_the_tape():
    @rose.struct
    class Line:
        a: Vec[9]
        b: Real

    at = fn([Line, Real], Real)(lambda w, x: w.a[0] * exp(x) + w.b)
    step = fn([Line, Real], Real)(lambda w, x: at(w, x) / 2)
    last = fn([Line, Real], Real)(lambda w, x: rose.scan(lambda _, x: step(w, x), x, 5))
    (call,) = [v for v in step.func.body.code if is_call(v)]
    assert call.args[0] is step.func.params[0]
    tape = transpose(jvp(last.func, full_mask(last.func), last.loc).func).fwd.result
    assert "Real" in repr(tape) and "Line" not in repr(tape)


def test_effects_keep_their_order(capfd: pytest.CaptureFixture[str]):
    @fn
    def f(x: Vec[2]) -> Real:
        y = rose.vec(rose.print("first {}", x[i]) or sin(x[i]) for i in rose.range(2))
        return rose.sum(rose.print("then {}", y[i]) or y[i] for i in rose.range(2))

    run(f.func, (0.0, 0.0))
    want = capfd.readouterr().out
    run(check(optimised({"f": f.func})["f"]), (0.0, 0.0))
    assert capfd.readouterr().out == want
    assert want.split() == ["first", "0.0", "first", "0.0", "then", "0.0", "then", "0.0"]


def test_what_is_derived_later_does_not_depend_on_what_was_compiled():
    def gradient(compiled: bool) -> str:
        f = fn([Real, Real], Real)(lambda x, y: line(x, y, x) * line(y, x, y))
        if compiled:
            optimised({"f": f.func})
        return show(rose.grad(f).func)

    assert gradient(True) == gradient(False)


def test_zeros_of_both_signs_are_two_literals_in_single_precision():
    f = fn([Real, Bool], Real)(lambda x, c: rose.select(c, x * 0.0, x * -0.0))
    made = check(optimised({"f": to_single(f.func)})["f"])
    assert made.result is Single
    module = Module({"f": made}, single=True)
    assert [str(module["f"](1.0, c)) for c in (True, False)] == ["0.0", "-0.0"]


def steep() -> Func:
    """A gradient that most passes and rules have something to do in."""
    inner = fn([Real], Real)(lambda x: rose.cond(x > 0.5, lambda: x * x - sin(x), lambda: -x))

    def f(x: Any, m: Any) -> Any:
        rows = rose.sum(rose.sum(m[i][j] * x[j] for j in rose.range(20)) ** 2 for i in rose.range(20))
        return rows + rose.sum(inner(x[i] - x[i + 1]) for i in rose.range(19))

    return rose.value_and_grad(fn([Vec[20], Vec[20, Vec[20]]], Real)(f)).func


@pytest.mark.parametrize("name", NAMES)
def test_without_a_pass_every_bit_stays(name: str):
    x = [0.1 * k for k in range(20)]
    args = x, [x[k:] + x[:k] for k in range(20)]
    with instrumented(Instruments((name,), verifies=True)):
        g = steep()
        made = optimised({"g": g})["g"]
    assert same(run(check(made), *args), run(g, *args))


def test_whoever_asks_is_told_of_each_pass_that_changed_something():
    told: list[str] = []
    optimised({"g": steep()}, asked=Instruments(tell=lambda name, f: told.append(name)))
    assert {"early-dead-code", "inline", "fuse-loops", "unroll-and-jam", "dead-code"} <= {*told}


def square() -> Func:
    return fn([Real], Real)(lambda x: (x + 1.0, x * x)[1]).func


@pytest.mark.parametrize(
    ("edits", "message"), [(False, "a pass edited f, which is not its own"), (True, None)], ids=["refused", "allowed"]
)
def test_only_what_the_pipeline_made_is_edited_in_place(edits: bool, message: str | None):
    step = Pass("a pass", lambda f, c: remove_dead_code(f), "", edits)
    f = square()
    f.name = "f"
    expected = nullcontext() if message is None else pytest.raises(AssertionError, match=message)
    with instrumented(Instruments(verifies=True)), expected:
        step.over(f, Context((), False))


def test_a_pass_that_makes_what_is_not_well_formed_is_found():
    def forget(f: Func, c: Context) -> Func:
        f.body.code.clear()
        return f

    made = pytest.raises(AssertionError, match="used before it is defined")
    with instrumented(Instruments(verifies=True)), made:
        Pass("forget", forget, "", edits=True).over(square(), Context((), False))


def test_an_unknown_pass_cannot_be_left_out():
    with pytest.raises(
        AssertionError,
        match="there is no pass inlining: the passes are fuse-maps, live-parts, write-out, early-dead-code,",
    ):
        Instruments(("inlining",))


BROKEN = """
import rose.optimise.pipeline
from rose.ir import building
from rose.ir.ops import neg
from rose.ir.types import Real

with building("f") as b:
    y = neg(b.param(Real))
    b.root.code.clear()
    b.func(y)
"""


@pytest.mark.parametrize(("check", "code"), [("1", 1), ("", 0)])
def test_rose_check_verifies_every_function_that_is_made(check: str, code: int):
    environment = {**os.environ, "ROSE_CHECK": check}
    done = subprocess.run([sys.executable, "-c", BROKEN], env=environment, capture_output=True, text=True)
    assert done.returncode == code
    assert ("used before it is defined" in done.stderr) == bool(code)
