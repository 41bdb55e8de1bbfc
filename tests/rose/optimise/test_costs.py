"""The limits: each has a name of its own, a reason, and somebody who asks it."""

from __future__ import annotations

import re

from paths import ROOT

from rose.optimise import costs

SOURCE = (ROOT / "rose/optimise/costs.py").read_text()
LIMITS = [name for name in vars(costs) if name.isupper() and name != "LIBRARY"]


def test_each_limit_is_asked_somewhere():
    files = [path for room in ["rose"] for path in (ROOT / room).rglob("*.py")]
    asked = {name for path in files for name in re.findall(r"\bcosts\.([A-Z_]+)", path.read_text())}
    assert {*LIMITS} - {*re.findall(r"= .*?\b([A-Z]{2,}[A-Z_]+)", SOURCE)} <= asked <= {*LIMITS}


def test_limits_are_numbers_that_allow_something():
    assert LIMITS
    assert all([getattr(costs, name) > 0 for name in LIMITS])
