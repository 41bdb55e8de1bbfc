"""The table of planted faults: each can still be planted."""

from pathlib import Path

import pytest

from .__main__ import ROOT, planted
from .table import MUTANTS, Mutant


@pytest.mark.whole
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.file}: {m.new[:30]}")
def test_each_old_text_occurs_once(mutant: Mutant):
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1 and mutant.old != mutant.new


def test_a_fault_whose_text_is_gone_fails_loudly(tmp_path: Path):
    with pytest.raises(AssertionError, match="mend tests/mutants"):
        planted(Mutant("rose/version.py", "no such text", ""), tmp_path)
