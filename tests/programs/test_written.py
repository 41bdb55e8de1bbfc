"""Programs as their people write them have the gradient of the adjoint by hand, which has that of differences."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.compare import byhand, check, inside, modules
from benchmarks.written import measure, model, report

SOME = model.names()[::8]


@pytest.mark.slow
@pytest.mark.skipif(byhand.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", SOME)
def test_the_gradient_is_that_of_the_adjoint_by_hand(tmp_path: Path, name: str):
    p = model.written(name).program
    assert measure.differs(p, tmp_path) < measure.DIFFERENCES
    answer = modules.Running(modules.ours(p, p.forms["text"])).answer()
    assert check.difference(answer, inside.known(p, tmp_path)) < measure.BOUND


@pytest.mark.parametrize("name", model.names())
def test_a_program_has_its_three_files(name: str):
    assert all((model.HERE / folder / name).with_suffix(end).exists() for folder, end in (("c", ".c"), ("jax", ".py")))


def test_a_program_with_an_error_is_in_the_table():
    right = {"program": "a", "over C": {"plain": 1.5}, "errors": {}, "bytes": {}}
    wrong = {"program": "b", "errors": {"program": "no|\nC"}, "bytes": {}}
    assert "| b |" in report.table([right, wrong]) and "| program: no/ C |" in report.table([right, wrong])
    said = report.summary([right, wrong])
    assert "| plain, over C, in wasmtime | 1 | 1.50 | 1.50 (a) | 1 | 0 |" in said and "with an error: b" in said
