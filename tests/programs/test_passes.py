"""What each pass brings: the figures of `python -m benchmarks.passes`, and the reasons in `pipeline.py`."""

from __future__ import annotations

import json

import pytest

from benchmarks import passes
from benchmarks.loops import RESULTS
from rose.optimise.pipeline import NAMES, REASONS

FOUND: passes.Found = json.loads((RESULTS / "passes.json").read_text())["without"]
OTHER = ("correctness: ", "engines: ")  # how a reason begins that is not speed


def test_every_pass_and_rule_is_measured_on_every_program():
    assert set(FOUND) == {"", *NAMES}
    assert {frozenset(figures) for figures in FOUND.values()} == {frozenset(passes.programs())}


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_brings_something_to_the_program_for_which_it_exists(name: str):
    why = REASONS[name]
    if not why.startswith(OTHER):
        brought = [passes.gains(FOUND, name, kind)[why] for kind in ("instructions", "bytes")]
        assert max(brought) >= 1 + passes.LEAST, f"{name} brings {why} {max(brought)}: a pass that brings less goes"


def test_the_page_has_the_table_of_the_figures():
    page = (RESULTS / "passes.md").read_text().splitlines()
    assert [line for line in page if line.startswith("|")] == passes.table(FOUND)


def test_instructions_and_bytes_are_counted():
    prepare = passes.programs()["rows of a softmax"]
    whole, apart = passes.counted(prepare, ()), passes.counted(prepare, ("fuse-maps",))
    assert apart["instructions"] > whole["instructions"] > 1000
    assert apart["bytes"] > whole["bytes"] > 100
