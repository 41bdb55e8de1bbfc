"""The programs of `benchmarks/compare` against differences and, where a C compiler is, the adjoints by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare import byhand, check
from benchmarks.compare.modules import Answer, Module, Running, ours
from benchmarks.compare.programs import Program, programs

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
