"""The table of planted faults: that each can still be planted, and that the ledger is of it."""

import json
from pathlib import Path

import pytest

from . import power
from .__main__ import LEDGER, ROOT, planted
from .page import PAGE, of_faults, of_files, placed
from .table import MUTANTS, Mutant


@pytest.mark.whole
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.file}: {m.new[:30]}")
def test_each_old_text_occurs_once(mutant: Mutant):
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1 and mutant.old != mutant.new


def test_a_fault_whose_text_is_gone_fails_loudly(tmp_path: Path):
    with pytest.raises(AssertionError, match="mend tests/mutants"):
        planted(Mutant("rose/version.py", "no such text", ""), tmp_path)


def test_the_tables_of_the_page_are_those_of_the_ledgers():
    kills, page = json.loads(power.LEDGER.read_text()), PAGE.read_text()
    assert (
        placed(page, "kills", of_files(kills))
        == placed(page, "faults", of_faults(json.loads(LEDGER.read_text())))
        == page
    )
    assert all([set(row["found"]) <= set(row["asked"]) <= set(range(len(MUTANTS))) for row in kills.values()])


def test_the_ledger_is_of_this_table_and_has_all_but_two_that_are_found():
    rows = json.loads(LEDGER.read_text())
    assert [(row["file"], row["old"], row["new"]) for row in rows] == [tuple(m) for m in MUTANTS]
    assert len(MUTANTS) >= 60 and sum(row["found by"] is None for row in rows) <= 2
