"""`ROSE_CHECK=values`: the first step that changes a bit of what a function gives is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from operations import plant

import rose
from rose import Real, Vec, fn
from rose.ir import OPS, Func
from rose.optimise.pipeline import Context, Pass
from rose.optimise.values import Changed, Witness, bits, watching


def func(of: Callable[[Any], Any]) -> Func:
    f = fn([Real], Real)(of).func
    f.name = "f"
    return f


def test_a_pass_that_changes_the_sign_of_a_zero_is_named():
    wrong = Pass("drop-zero", lambda f, c: func(lambda x: x * 1.0), "")
    said = r"drop-zero changes a value of f: 0.0 becomes -0.0\n  at x = -0.0\n  before: 0.0\n  after:  -0.0"
    with watching(), pytest.raises(Changed, match=said):
        wrong.over(func(lambda x: x + 0.0), Context((), False))


def test_a_pass_that_edits_in_place_is_compared_with_what_was_before():
    def edit(f: Func, c: Context) -> Func:
        f.body.results = (f.params[0],)
        return f

    with watching(), pytest.raises(Changed, match="edit changes a value of f"):
        Pass("edit", edit, "", edits=True).over(func(lambda x: x + 1.0), Context((), False))


@pytest.mark.parametrize(
    ("of", "other", "same"),
    [
        (lambda x: x - x, lambda x: x * 0.0, False),
        (lambda x: rose.sqrt(x), lambda x: -rose.sqrt(x) * -1.0, True),
        (lambda x: rose.max(x, 0.0), lambda x: rose.select(x > 0.0, x, 0.0), False),  # of a nan
        (lambda x: x / 1e300, lambda x: x * 1e-300, False),
    ],
    ids=["signs of zeros", "nans", "nan and zero", "roundings"],
)
def test_bits_are_compared_on_special_inputs(of: Any, other: Any, same: bool):
    w = Witness()
    with nullcontext() if same else pytest.raises(Changed):
        w.kept("a step", func(of), func(other))
    assert w.steps["a step"] == same


def total(x: Any) -> Any:
    """A function whose derivatives have tapes, stacks, branches, accumulators and callees."""
    inner = fn([Real, Real], Real)(lambda a, b: rose.cond(a > b, lambda: a * b, lambda: b))
    (y, _) = rose.while_loop(lambda s: s[1] < 3.0, lambda s: (inner(s[0], x[0]) + 0.5, s[1] + 1.0), (x[1], 0.0))
    return rose.sum(inner(x[i], y) ** 2 for i in rose.range(3))


def test_every_step_of_a_second_derivative_is_seen_and_nothing_is_left_out():
    with watching() as w:
        rose.compile(rose.grad(fn([Vec[3]], Real)(lambda x: rose.grad(fn([Vec[3]], Real)(total))(x)[1])))
    assert {"jvp", "the forward half", "move-invariants", "inline", "dead-arguments", "lowering"} <= {*w.steps}
    assert w.numbers > 3 * w.nans > 0
    assert not w.skipped


def test_the_back_end_is_compared_function_by_function(monkeypatch: pytest.MonkeyPatch):
    """The bug is planted: the interpreter has another `min`."""
    plant(monkeypatch, OPS["min"], eval=lambda x, y: y)
    inner = fn([Real, Real], Real)(lambda x, y: rose.while_loop(lambda s: s < x, lambda s: rose.min(s + 1.0, y), y))
    outer = fn([Real, Real], Real)(lambda x, y: inner(x, y) + inner(y, x))
    with watching(), pytest.raises(Changed, match=r"lowering \(each function alone\) changes a value of while"):
        rose.compile(outer)


def test_what_cannot_be_run_alone_is_counted(capfd: pytest.CaptureFixture[str]):
    @fn
    def f(x: Real) -> Real:
        rose.print("{}", x)
        return x

    with watching() as w:
        rose.compile(f)
    assert capfd.readouterr().out == ""
    assert re.fullmatch(r"values: 0 steps .*; not run alone: \d+ ask the host", str(w))


def test_nans_are_equal_and_zeros_are_not():
    assert bits((float("nan"), 0.0)) == bits((-float("nan"), 0.0)) != bits((float("nan"), -0.0))


def test_the_environment_asks_for_it():
    code = "import rose; rose.compile(rose.fn([rose.Real], rose.Real)(lambda x: x * x))"
    environment = {**os.environ, "ROSE_CHECK": "values"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert re.fullmatch(
        r"values: \d+ steps of functions kept [\d,]+ bits; \d+ numbers were nan; .*: none\n", done.stderr
    )
