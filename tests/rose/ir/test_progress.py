"""Watchers of a compilation."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import rose
from rose.ir import progress
from rose.ir.progress import Clock, clocked, entering, step, telling, timed, watched


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


# telling


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True

    def line(self) -> str:
        """What is on its line."""
        shown = ""
        for text in self.getvalue().split("\r"):
            shown = text + shown[len(text) :]
        return shown.rstrip()


Notebook = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.001)
    monkeypatch.setattr(progress, "_EACH", 0.001)


def waited(for_: Callable[[], bool]) -> None:
    """Wait until something is so."""
    until = time.monotonic() + 30.0
    while not for_():
        assert time.monotonic() < until
        time.sleep(0.001)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", [Screen, Notebook])
def test_who_waits_is_told_the_function_and_the_stage(kind: Any, monkeypatch: pytest.MonkeyPatch):
    screen = kind()
    monkeypatch.setattr(sys, "stderr", screen)
    with telling("grad(loss)"):
        waited(lambda: "\rcompiling grad(loss): trace, 0 s" in screen.getvalue())
        with timed("jvp"):
            waited(lambda: "\rcompiling grad(loss): jvp, 0 s" in screen.getvalue())
        entering("optimise")
        waited(lambda: "\rcompiling grad(loss): optimise, 0 s" in screen.getvalue())
        for _ in range(1200):
            step("optimise")
        waited(lambda: "\rcompiling grad(loss): optimise, 1,200 functions, 0 s" in screen.getvalue())
    assert Screen(screen.getvalue()).line() == ""


def test_who_waits_for_less_than_a_second_is_told_nothing(monkeypatch: pytest.MonkeyPatch):
    assert progress.PATIENCE == 1.0
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    with telling("f"):
        step("trace")
    assert screen.getvalue() == ""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_written_to_a_pipe(stream: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", stream)
    with telling("f"):
        time.sleep(0.02)
    assert stream is None or stream.getvalue() == ""
    closed = io.StringIO()
    closed.close()
    assert not progress.shows(closed)


@pytest.mark.usefixtures("impatient")
def test_nothing_is_written_beside_a_progress_bar(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    with watched(lambda stage, of: None), telling("f"):
        time.sleep(0.02)
    assert screen.getvalue() == ""


@pytest.mark.usefixtures("impatient")
def test_the_line_is_gone_after_an_error_and_short(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    with suppress(KeyError), telling("f" * 200):
        waited(lambda: "compiling" in screen.getvalue())
        raise KeyError
    assert screen.line() == "" and max(map(len, screen.getvalue().split("\r"))) == 79


@pytest.mark.usefixtures("impatient")
def test_a_compilation_tells_its_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", screen := Screen())

    @rose.fn
    def loss(x: rose.Real) -> rose.Real:
        time.sleep(0.1)
        return x * x

    assert rose.grad(loss)(3.0) == 6.0
    assert "compiling grad(loss): trace" in screen.getvalue() and screen.line() == ""
