"""The gradient zoo, ours alone: each program right, by reverse mode and by forward mode, compiled."""

import re
from typing import Any

import pytest

from benchmarks.zoo import judge
from benchmarks.zoo.adapters import ours
from benchmarks.zoo.cases import CASES
from benchmarks.zoo.harness import answers
from benchmarks.zoo.judge import ERROR, NONE, PAST, RIGHT
from benchmarks.zoo.spec import Case, Missing

# what there is no function for; a program that calls one gets an error
NOT_OURS = {
    "largest two", "sinc at 0", "Bessel's I0 at 0", "incomplete gamma at 0", "logarithm of a normal tail",
}  # fmt: skip


def ours_are() -> list[Any]:
    return [pytest.param(c, id=c.name) for c in CASES if c.name not in NOT_OURS]


@pytest.mark.parametrize("c", ours_are())
def test_each_program_is_right_in_both_modes_and_to_third_order(c: Case):
    for derivatives in ours.modes(c.program, c.size):
        assert set(judge.verdicts(c, answers(lambda p, n, d=derivatives: d, c))) <= {RIGHT, PAST}


@pytest.mark.parametrize("c", [c for c in CASES if c.name in NOT_OURS], ids=lambda c: c.name)
def test_what_there_is_no_function_for_is_known(c: Case):
    with pytest.raises(Missing):
        ours.modes(c.program, c.size)


def test_there_are_sixty_cases_and_more_each_with_its_public_report():
    assert len(CASES) >= 60 and len({c.name for c in CASES}) == len(CASES)
    links = [link for c in CASES for link in c.links]
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+/(issues|pull)/\d+", link) for link in links)
    assert all(c.links for c in CASES)


def test_the_judge_tells_right_from_wrong_nan_and_errors():
    square = next(c for c in CASES if c.name == "x ** 2.0, at 0")
    right = [
        [[0.0], [0.0, 0.0], [2.0, 0.0, 0.0, 0.0], [0.0] * 8],
        [[4.0], [-4.0, 0.0], [2.0, 0.0, 0.0, 0.0], [0.0] * 8],
    ]
    assert judge.verdicts(square, right) == [RIGHT] * 4
    right[1][1:] = [[4.0, 0.0], [float("nan")] * 4, {"error": "no"}]
    assert judge.verdicts(square, right) == [RIGHT, judge.WRONG, judge.NAN, ERROR]
    right[1][3] = {"missing": "no such order"}
    assert judge.verdicts(square, right)[3] == RIGHT != NONE


def test_at_a_kink_a_subgradient_is_right_and_all_of_each_is_not():
    tie = next(c for c in CASES if c.name == "maximum of equal numbers")
    for gradient, verdict in (([1.0, 0.0, 0.0], RIGHT), ([0.2, 0.3, 0.5], RIGHT), ([1.0, 1.0, 1.0], judge.WRONG)):
        assert judge.verdicts(tie, [[[1.0], gradient]])[1] == verdict
