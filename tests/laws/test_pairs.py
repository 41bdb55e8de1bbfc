"""Of a product of parameters `make test` runs pairs, and `make fuzz` the rest: nothing is left out of both."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from typing import Any

import pytest
from pairs import pairs, rest_in_fuzz, rotated, seeds
from paths import ROOT

AXES = ["abc", [1, 2], "xyzw", [True, False]]


def test_pairs_have_any_two_things_in_any_two_places():
    chosen = pairs(*AXES)
    assert len(chosen) == 12 < 3 * 2 * 4 * 2
    for a, b in combinations(range(4), 2):
        assert {(case[a], case[b]) for case in chosen} == {(x, y) for x in AXES[a] for y in AXES[b]}


def test_what_takes_turns_is_met_by_all():
    assert rotated("abc", [1, 2]) == [("a", 1), ("b", 2), ("c", 1)]
    assert rotated("ab", [1, 2, 3], each=2, start=1) == [("a", 2), ("a", 3), ("b", 1), ("b", 2)]
    assert rotated("ab", [1], each=2) == [("a", 1), ("b", 1)]


def marks(cases: list[Any]) -> list[list[str]]:
    return [[m.name for m in getattr(case, "marks", ())] for case in cases]


def test_the_other_cases_are_left_to_make_fuzz():
    assert marks(rest_in_fuzz(["a", "b", "c"], ["b", "c"], pytest.mark.slow)) == [["fuzz"], ["slow"], ["slow"]]
    assert marks(rest_in_fuzz([("a", 1), ("b", 2)], [("b", 2)])) == [["fuzz"], []]
    assert marks(seeds(2, 4, quick=1)) == [[], ["slow"], ["fuzz"], ["fuzz"]]


@pytest.mark.slow
def test_what_one_leaves_out_the_other_runs():
    """The columns of the Hessian of each access, under each guard."""
    found: list[set[str]] = []
    for options in ([], ["--fuzz"]):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:xdist", "tests/laws/test_columns.py"]
        said = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        found.append({line for line in said.splitlines() if "_of_any_access[" in line})
    assert found[0].isdisjoint(found[1]) and min(map(len, found)) > 20
