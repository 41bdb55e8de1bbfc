"""Watchers of a compilation."""

from __future__ import annotations

import pytest

from rose.ir.progress import step, watched


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
