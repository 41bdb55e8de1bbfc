"""The IR of five small programs after each pass: golden files, which tell the story of a derivative.

In `tests/golden/ir/PROGRAM` are, in order, `trace`, `jvp`, `unzip` (the forward half), `transpose` (the backward half);
and, of these and of the value with its gradient, a file for each pass that changed one, with all that it changed.
`pytest --bless` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from paths import ROOT

import rose
from rose import Fn, Real, Vec, fn
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import transpose
from rose.ir import Func
from rose.ir.text.printer import show
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import Instruments, optimised

GOLDEN = ROOT / "tests" / "golden" / "ir"


def squared_distance() -> Fn[..., Any]:
    @fn
    def f(x: Vec[5], y: Vec[5]) -> Real:
        return rose.sum((x[i] - y[i]) ** 2 for i in rose.range(5))

    return f


def choices() -> Fn[..., Any]:
    """Selects of one condition, which become a branch, and a maximum, whose ties are known where it is decided."""

    @fn
    def f(x: Vec[20]) -> Real:
        far = lambda d: rose.select(d > 0.5, rose.sqrt(d) / (1.0 + d), d * d)
        return rose.sum(far(x[i + 1] - x[i]) * rose.max(x[i], 0.1) for i in rose.range(19))

    return f


def branches() -> Fn[..., Any]:
    """A function that is called, and a choice of which one branch is too long for both to be evaluated."""

    @fn
    def smooth(x: Real) -> Real:
        return rose.exp(-x * x)

    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.cond(x < y, lambda: smooth(x) * y, lambda: x - y)

    return f


def loops() -> Fn[..., Any]:
    """A loop of a known number of iterations with a state, and one of an unknown number."""

    @fn
    def f(x: Real) -> Real:
        grown = rose.scan(lambda i, s: s + x * s, 1.0, 20)
        return rose.while_loop(lambda s: s > 1.0, lambda s: s * 0.5, grown)

    return f


def matrix() -> Fn[..., Any]:
    """A matrix times a vector: its loops are fused, unrolled and jammed."""

    @fn
    def f(m: Vec[40, Vec[30]], x: Vec[30]) -> Real:
        return rose.sum(rose.sum(m[i][j] * x[j] for j in rose.range(30)) ** 2 for i in rose.range(40))

    return f


PROGRAMS: dict[str, Callable[[], Fn[..., Any]]] = {
    "squared-distance": squared_distance, "choices": choices, "branches": branches, "loops": loops, "matrix": matrix,
}  # fmt: skip


def after_each_pass(f: Fn[..., Any]) -> dict[str, str]:
    """The text of a function after each pass, by its name."""
    found = dict[str, str]()

    def tell(name: str, g: Func) -> None:
        text = f"# {g.name}\n\n{show(g, callees=False)}"
        found[name] = f"{found[name]}\n\n{text}" if name in found else text

    with instrumented(Instruments(tell=tell)):
        derived = jvp(f.func, full_mask(f.func)).func
        halves = transpose(derived)
        whole = {"trace": show(f.func), "jvp": show(derived), "unzip": show(halves.fwd), "transpose": show(halves.bwd)}
        optimised({"": rose.value_and_grad(f, tuple(range(len(f.types)))).func})
    return {name: text + "\n" for name, text in (found | whole).items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_after_each_pass_the_ir_is_what_the_golden_file_says(name: str, bless: bool):
    found, folder = after_each_pass(PROGRAMS[name]()), GOLDEN / name
    if bless:
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("*.txt"):
            file.unlink()
        for stage, text in found.items():
            (folder / f"{stage}.txt").write_text(text)
    assert {file.stem: file.read_text() for file in folder.glob("*.txt")} == found
