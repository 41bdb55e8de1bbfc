"""Programs drawn at random have the gradient of the adjoint that the recipe writes in C."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.compare import byhand, check, inside, modules
from benchmarks.unseen import Drawn, adjoint, program, summary

needs_c = pytest.mark.skipif(byhand.compiler() is None, reason="there is no C compiler")


@needs_c
@pytest.mark.parametrize("seed", [*range(12), 13, 15])
def test_the_gradient_is_that_of_the_recipe(tmp_path: Path, seed: int):
    p = program(seed, tmp_path)
    answer = modules.Running(modules.ours(p, p.forms["text"])).answer()
    assert check.difference(answer, inside.known(p, tmp_path)) < check.CLOSE


def test_a_program_is_its_seed():
    assert adjoint(Drawn(7)) == adjoint(Drawn(7)) != adjoint(Drawn(8))


def test_the_mean_is_geometric_and_the_worst_is_named():
    rows = [{"program": name, "engine": "node", "tool": "ours", "over C": x} for name, x in (("a", 1.0), ("b", 4.0))]
    assert summary(rows)["node"] == {"programs": 2, "mean": 2.0, "worst": 4.0, "of": "b", "above 1.5": 1}
