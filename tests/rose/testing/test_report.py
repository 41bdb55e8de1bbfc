"""The texts of reports."""

from __future__ import annotations

from rose.testing import Report, several


def test_a_report_is_ok_unless_something_is_wrong():
    assert str(Report("f", 2, 1e-9, 2e-7)).splitlines()[0] == "f: ok"
    wrong = Report("f", wrong=["at x = 1.0: it is wrong"])
    assert not wrong.ok
    assert str(wrong) == "f: WRONG\n  at x = 1.0: it is wrong"


def test_a_report_tells_where_second_derivatives_were_compared():
    said = "  at 2 of them, second derivatives have the bits of the interpreter in the module"
    assert str(Report("f", 3, twice=2)).splitlines()[2] == said
    assert len(str(Report("f", 3)).splitlines()) == 2


def test_of_many_lines_three_are_told():
    assert several(["a", "b"], "kinks") == ["a", "b"]
    assert several(list("abcde"), "kinks") == ["a", "b", "c", "and 2 more kinks"]
