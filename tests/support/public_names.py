"""Public names in a text."""

from __future__ import annotations

import operator
import re

import rose


def assert_there(text: str) -> None:
    """Each public name of ours in a text is one."""
    for path in re.findall(r"rose((?:\.[a-zA-Z]\w*)+)", text):
        assert operator.attrgetter(path[1:])(rose) is not None, text
