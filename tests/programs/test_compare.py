"""The programs of `benchmarks/compare` against differences and, where a C compiler is, the adjoints by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare import byhand, check, report
from benchmarks.compare.modules import Answer, Module, Running, ours
from benchmarks.compare.programs import Program, programs

pytestmark = pytest.mark.slow

LARGE = ("1000x10", "Rosenbrock 1000", "springs 500", "bodies 100", "oscillator 1000")
SMALL = [p for p in programs() if not any(word in p.name for word in LARGE)]
FORMS = [pytest.param(p, form, id=f"{p.name}, {form}") for p in SMALL for form in p.forms]


def answer(m: Module, params: list[float]) -> Answer:
    (at, _), *rest = m.arguments
    return Running(dataclasses.replace(m, arguments=[(at, params), *rest])).answer()


@pytest.mark.skipif(byhand.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("p", SMALL, ids=lambda p: p.name)
def test_a_program_agrees_with_the_adjoint_by_hand(p: Program, tmp_path: Path):
    known = byhand.Native(p, ["-O1"], tmp_path).answer()
    for form, f in p.forms.items():
        check.agree(form, Running(ours(p, f)).answer(), known)


@pytest.mark.parametrize(("p", "form"), FORMS)
def test_a_program_agrees_with_differences_of_its_value(p: Program, form: str):
    m, x, h = ours(p, p.forms[form]), np.array(p.params), 1e-4 if p.source == "hessian" else 1e-5
    d = np.random.default_rng(0).standard_normal(len(x))
    value, derivative = answer(m, p.params)
    up, down = [answer(m, list(x + s * h * d))[0] for s in (1, -1)]
    if p.source == "hessian":
        assert d @ derivative.reshape(len(x), -1) @ d == pytest.approx((up - 2 * value + down) / h**2, rel=1e-5)
    else:
        assert derivative @ d == pytest.approx((up - down) / (2 * h), rel=1e-5)


def test_a_wrong_answer_stops_the_measurement():
    with pytest.raises(ValueError, match=r"springs: differs .* by 1.0e-03"):
        check.agree("springs", (1.0, np.array([1.0, 2.002])), (1.0, np.array([1.0, 2.0])))


def test_a_table_replaces_the_one_between_its_marks(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- x: written by `make bench` -->\nold\n<!-- end of x -->\nafter\n")
    report.put(page, "x", report.table(["a"], [["1"]]))
    report.put(page, "x", report.table(["a"], [["2"]]))
    assert page.read_text() == (
        "before\n<!-- x: written by `make bench` -->\n| a |\n| --- |\n| 2 |\n<!-- end of x -->\nafter\n"
    )
    with pytest.raises(ValueError, match=r"page.md has no marks for y"):
        report.put(page, "y", "")


def test_a_tool_that_cannot_be_installed_is_in_the_table():
    rows = [{"tool": "JAX", "error": "cannot be installed: no\nnetwork"}, {"tool": "ours", "program": "p", "us": 1.5}]
    assert "| JAX | all |  | cannot be installed: no network |" in report.failures(rows)
    inner = [{"program": "p", "tool": "ours", "engine": "wasmtime", "us": 0.5}]
    assert report.calls(rows, inner).splitlines()[-1] == "| p | 0.500 |  | not installed | 1.50 |"


def test_the_adjoints_by_hand_in_javascript_have_every_program():
    text = (byhand.C.parent / "js" / "byhand.mjs").read_text()
    assert all(f"\n  {p.source}: {{ loop" in text for p in SMALL)
