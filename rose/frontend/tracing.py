"""Tracing: its lock, threads with a deep stack, recording, and the binding of arguments to parameters."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

from .. import errors, ir
from ..errors import Loc, RoseError
from ..ir import Builder, Func, Loop, Value
from ..optimise.instruments import told
from ..optimise.map_fusion import fuse_maps

R = TypeVar("R")

_lock = threading.RLock()  # one trace at a time: two threads may need a function at once


class _Thread(threading.local):
    continues = False  # the trace of another thread, which holds the lock and waits for this one


_thread = _Thread()


def locked() -> AbstractContextManager[Any]:
    """Hold the lock: no other thread traces. A thread that continues the trace of another needs no lock."""
    return nullcontext() if _thread.continues else _lock


def in_a_thread(work: Callable[[], None]) -> None:
    """Continue the trace in a new thread, whose stack has room for more calls."""
    outer, failed = ir.current_builder(), list[BaseException]()

    def proceed() -> None:
        _thread.continues = True
        try:
            with ir.resumed(outer):
                work()
        except BaseException as e:
            failed.append(e)

    thread = threading.Thread(target=proceed)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


@contextmanager
def no_collector() -> Generator[None]:
    """Switch the garbage collector off: nothing that the compiler makes is garbage before it ends."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def room_for_one_more() -> Generator[None]:
    """Raise the recursion limit for one more trace, so that its frames take nothing from the user's."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 50)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def finish(b: Builder, body: Callable[[], Any], convert: Callable[[Any, Loc], Value], loc: Loc) -> Func:
    """The function that `body`, written at `loc`, records. `convert` makes a value of the result of `body`.

    It is a RoseError if `body` leaves a loop early.
    """
    x = recorded(b, body)
    b.loc = loc.narrow(errors.returned)
    return b.func(convert(x, b.loc))


def sealed(b: Builder, f: Func) -> Func:
    """The function that `b` made, as everything is derived from it: its maps fused."""
    told("trace", f)
    return fuse_maps(f, b.maps) if b.maps else f


def recorded(b: Builder, body: Callable[[], R]) -> R:
    """The result of `body`; a RoseError if it leaves a loop early, or goes on after an error."""
    block = b.block
    try:
        with errors.nothing_swallowed():
            x = body()
    except RoseError as e:
        if b.failure is not None and b.failure.number < e.number:
            raise b.failure from None
        raise
    if b.failure is None and b.block is not block and isinstance(b.block, Loop):
        hint = "write it as `for i in rose.range(n)`, which ends it"
        b.failure = RoseError("this loop is still open where its function ends", b.block.index.loc, hint)
    if b.failure is not None:
        raise b.failure
    return x
