"""Watchers of a compilation."""

from __future__ import annotations

import pytest

from rose.ir import progress
from rose.ir.progress import Clock, clocked, step, timed, watched


def test_a_watcher_is_told_of_each_step_inside_and_of_none_outside():
    told: list[tuple[str, int | None]] = []
    step("trace")
    with watched(lambda stage, of: told.append((stage, of))):
        step("trace")
        step("lower", 3)
    step("lower", 3)
    assert told == [("trace", None), ("lower", 3)]


def test_a_watcher_is_told_no_more_after_an_error():
    told: list[str] = []
    with pytest.raises(KeyError), watched(lambda stage, _: told.append(stage)):
        raise KeyError
    step("trace")
    assert told == []


def test_a_clock_counts_each_stage_without_those_in_it(monkeypatch: pytest.MonkeyPatch):
    clock, ticks = Clock(), iter([0.0, 1.0, 4.0, 6.0, 100.0, 107.0])
    monkeypatch.setattr(progress, "perf_counter", lambda: next(ticks))
    with clocked(clock):
        with timed("jvp"), timed("move-invariants"):
            pass
        with pytest.raises(KeyError), timed("jvp"):
            raise KeyError
    with timed("jvp"):
        pass
    assert clock.seconds == {"jvp": 1.0 + 2.0 + 7.0, "move-invariants": 3.0}
