"""The programs of `benchmarks/pages`: each has a page, which gives what Python gives."""

from pathlib import Path

import pytest

import rose
from benchmarks.pages.__main__ import PROGRAMS, apart, packages, timed
from benchmarks.pages.programs import programs, valley
from tests.js.test_packages import no_node

pytestmark = pytest.mark.slow


def test_each_program_has_a_page():
    assert list(programs()) == list(PROGRAMS)


def test_a_page_gives_what_python_gives(tmp_path: Path):
    if why := no_node():
        pytest.skip(why)
    packages(tmp_path)
    assert timed(tmp_path / "valley.mjs", "valley")["found"] == list(rose.grad(valley)([-1.2, 1.0]))
    assert timed(tmp_path / "fit.mjs", "fit")["found"] == pytest.approx([2.0, 2.0], rel=1e-12)


def test_how_far_results_are_apart():
    assert apart([1.0, -4.0], [1.5, -4.0]) == 0.125
    assert str(apart([1.0], [1.0, 2.0])) == "nan"
