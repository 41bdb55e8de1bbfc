"""Tracing: recording, loops left early, binding of arguments, threads."""

from __future__ import annotations

import gc
import sys
import threading
from typing import Any

import pytest

from rose import Real, RoseError, fn
from rose.frontend.tracing import in_a_thread, no_collector, recorded, room_for_one_more
from rose.ir import building, current_builder


def test_a_loop_that_is_left_early_is_an_error():
    import rose

    def leaves() -> Any:
        for _ in rose.range(3):
            return 1

    with building("f") as b, pytest.raises(RoseError, match="left before its end"):
        recorded(b, leaves)


def test_another_thread_continues_the_trace():
    found: list[Any] = []
    with building("f") as b:
        in_a_thread(lambda: found.extend([current_builder(), threading.current_thread()]))
        assert found[0] is b
        assert found[1] is not threading.current_thread()


def test_an_error_of_another_thread_comes_through():
    def fails() -> None:
        raise KeyError("mine")

    with building("f"), pytest.raises(KeyError, match="mine"):
        in_a_thread(fails)


def test_the_collector_and_the_recursion_limit_are_put_back():
    limit = sys.getrecursionlimit()
    with no_collector(), room_for_one_more():
        assert not gc.isenabled()
        assert sys.getrecursionlimit() > limit
    assert gc.isenabled()
    assert sys.getrecursionlimit() == limit


def test_two_threads_trace_a_function_once():
    traces: list[int] = []
    f = fn([Real], Real)(lambda x: traces.append(1) or x)
    threads = [threading.Thread(target=lambda: f.func) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert traces == [1]
