"""The table of rules, and the ranges of whole numbers."""

import numpy as np

from rose.bridges.equations import limits
from rose.bridges.rules import FILES, RULES


def test_the_table_has_a_rule_for_most_primitives():
    assert len(RULES) >= 130
    assert all(r.apply.__module__.startswith("rose.bridges.primitives.") for r in RULES.values())
    assert len(FILES) == 10


def test_limits_of_dtypes():
    assert limits(np.dtype(np.int8)) == (-128, 127) and limits(np.dtype(np.uint32)) == (0, 2**32 - 1)
    assert limits(np.dtype(bool)) == (0, 1) and limits(np.dtype(np.int64)) is None
