"""The campaign of random programs: some of it, always the same; its ledger; and that it finds what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from operations import plant
from pairs import seeds
from paths import ROOT, TESTS
from precise_numbers import lifted

from rose.ir import OPS
from tests.fuzz import campaign
from tests.fuzz.any_size import check_any_size
from tests.fuzz.batch import KINDS, check_small
from tests.fuzz.campaign import Campaign, Kind, made_small
from tests.fuzz.engines import ENGINES, check_engines
from tests.fuzz.large import check_large
from tests.fuzz.ledger import Ledger
from tests.fuzz.library import check_library
from tests.fuzz.report import Report
from tests.fuzz.small import small

PARTS = seeds(3, 4, quick=1)  # the small programs of each are of one more kind of module


@pytest.mark.parametrize("part", PARTS)
def test_small_programs_hold_their_laws(part: int):
    size = 60 if part < 3 else 300
    report = check_small(range(part * size, (part + 1) * size))
    assert report.failures == []
    assert report.laws[f"{KINDS[part]} module = interpreter"] == size


@pytest.mark.parametrize("part", PARTS)
def test_large_programs_hold_their_laws(part: int):
    report = check_large(range(part * 15, part * 15 + (2, 4, 4, 12)[part]))
    assert report.failures == []


@pytest.mark.parametrize("part", PARTS)
def test_repeated_calls_of_the_library_have_the_same_bits_in_derivatives_of_derivatives(part: int):
    """Two of the first were wrong where a piece of a long function was given a whole loop: 11 and 12."""
    report = check_library(range(9 + 30 * part, 14 + (0, 5, 5, 25)[part] + 30 * part))
    assert report.failures == []


@pytest.mark.parametrize("part", PARTS)
def test_modules_of_every_size_have_the_bits_of_each(part: int):
    """A sum in a while loop was moved out of it at a size that is known alone: 10."""
    size = 4 if part < 3 else 12
    report = check_any_size(range(8 + part * size, 8 + (part + 1) * size))
    assert report.failures == []


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(len(ENGINES)), ids=list(ENGINES))
def test_engines_have_the_bits_of_the_interpreter(turn: int):
    report = check_engines(range(turn * 60, turn * 60 + 30))
    assert report.failures == []
    assert sum(report.laws.values()) == 30


def test_a_program_is_its_seed():
    assert small(7) == small(7) != small(8)


# what is wrong


def broken() -> tuple[int, str]:
    """The first seed of a program that breaks a law, and the law."""
    for seed in range(100):
        if failures := check_small([seed]).failures:
            return seed, failures[0]["law"]
    raise AssertionError("nothing is found")


def test_a_wrong_derivative_is_found_and_shown_in_few_lines(monkeypatch: pytest.MonkeyPatch):
    rule: Any = OPS["sin"].jvp[0]
    plant(monkeypatch, OPS["sin"], jvp=[lambda d, x, z: rule(d, x, z) * 1.000001])
    seed, law = broken()
    assert law.endswith("= meaning")
    text = made_small(campaign.KINDS["small"], seed)
    assert "rose.sin(" in text or "rose.cos(" in text
    assert len(text.strip().splitlines()) <= 15


def test_a_wrong_value_is_found(monkeypatch: pytest.MonkeyPatch):
    plant(monkeypatch, OPS["max"], eval=OPS["min"].eval)
    assert "=" in broken()[1]


def test_numbers_of_50_digits_take_the_path_of_floats():
    x = lifted(0.1) * 3.0
    assert x > 0.3  # as floats have it, by rounding
    assert abs(x.high - 0.3) < 1e-16


# the ledger


# the command, with 20 programs in a batch
SMALLER = """
from tests.fuzz.__main__ import KINDS, main

KINDS["small"] = KINDS["small"]._replace(size=20)
raise SystemExit(main())
"""


def command(ledger: Path, *args: str) -> list[str]:
    return [sys.executable, "-c", SMALLER, "--ledger", str(ledger), "--kinds", "small", *args]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(TESTS / "support")}


@pytest.mark.slow
def test_a_run_goes_on_where_the_last_one_was_killed(tmp_path: Path):
    file = tmp_path / "fuzz.json"
    run = lambda: subprocess.run(command(file, "--programs", "20"), cwd=ROOT, env=ENVIRONMENT, check=True)
    run()
    killed = subprocess.Popen(command(file), cwd=ROOT, env=ENVIRONMENT, start_new_session=True)
    time.sleep(1.0)
    os.killpg(killed.pid, 9)
    killed.wait()
    run()
    counted = json.loads(file.read_text())["kinds"]["small"]
    assert counted["next"] == counted["programs"] == counted["laws"]["value = meaning"] == 40


def hanging(seeds: Any) -> Report:
    if 3 in seeds:
        time.sleep(60)
    if 5 in seeds:
        os._exit(1)
    return Report(programs=len(seeds))


def test_what_hangs_or_crashes_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kind = Kind(4, 1.5, 1.0, hanging, small, lambda p, seed: None)
    monkeypatch.setattr(campaign, "KINDS", {"small": kind})
    monkeypatch.setattr(campaign, "ALONE", 1.5)
    monkeypatch.setattr(campaign, "PATIENCE", 2)
    ledger, told = Ledger(tmp_path / "fuzz.json"), list[str]()
    assert Campaign(ledger, ["small"], 2, told.append).run(60.0, 8) == 2
    assert [f["seed"] for f in json.loads(ledger.file.read_text())["failures"]] == [3, 5]
    assert ledger.section("small")["programs"] == 8
    assert len(told) == 2


def test_counts_begin_anew_where_the_compiler_has_changed(tmp_path: Path):
    ledger = Ledger(tmp_path / "fuzz.json")
    ledger.add("small", 200, 1.0, Report(programs=200))
    ledger.write()
    text = ledger.file.read_text().replace(ledger.data["commit"], "0123456")
    ledger.file.write_text(text)
    again = Ledger(ledger.file)
    assert (again.next("small"), again.section("small")["programs"]) == (200, 0)
    assert again.data["before"][0]["programs"] == {"small": 200}
