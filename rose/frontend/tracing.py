"""The trace: its lock, its thread with a deep stack, recording, and the binding of arguments to parameters."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

from .. import errors, ir
from ..errors import Loc, RoseError
from ..ir import Builder, Func, Value, not_one_each

R = TypeVar("R")

lock = threading.RLock()  # one trace at a time: a function may be needed by two threads at once


class _Thread(threading.local):
    goes_on = False  # with the trace of another thread, which waits for it, and has the lock


_thread = _Thread()


def locked() -> AbstractContextManager[Any]:
    """Inside, no other thread traces; but one that goes on with a trace of another is let in."""
    return nullcontext() if _thread.goes_on else lock


def in_a_thread(work: Callable[[], None]) -> None:
    """Go on in another thread, which has room for more calls."""
    outer, failed = ir.current_builder(), list[BaseException]()

    def go_on() -> None:
        _thread.goes_on = True
        try:
            with ir.resumed(outer):
                work()
        except BaseException as e:
            failed.append(e)

    thread = threading.Thread(target=go_on)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


@contextmanager
def no_collector() -> Generator[None]:
    """The cyclic collector is off inside: nothing that the compiler makes is garbage before it ends."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def room_for_one_more() -> Generator[None]:
    """Room on Python's stack for the frames of one more trace, so that its user has as much as ever."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 50)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def finish(b: Builder, body: Callable[[], Any], convert: Callable[[Any, Loc], Value], loc: Loc) -> Func:
    """The function that `body` records, unless it left a loop early. `convert` makes a value of what it returns.

    It was written at `loc`.
    """
    x = recorded(b, body)
    b.loc = loc.narrow(errors.returned)
    return b.func(convert(x, b.loc))


def recorded(b: Builder, body: Callable[[], R]) -> R:
    """What `body` returns, unless it left a loop early."""
    block = b.block
    try:
        x = body()
    except RoseError as e:
        if b.failure is not None and b.failure.number < e.number:
            raise b.failure from None
        raise
    if b.failure is None and b.block is not block:
        hint = "write it as `for i in rose.range(n)`, which ends it"
        b.failure = RoseError("this loop is still open where its function ends", b.block.params[0].loc, hint)
    if b.failure is not None:
        raise b.failure
    return x


def bind_arguments(name: str, names: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """One argument for each name, or an error that says which is wrong."""
    given = list(args)
    for k in names[len(given) :]:
        if k not in kwargs:
            break
        given.append(kwargs[k])
    if len(given) != len(names) or len(args) + len(kwargs) != len(names):
        raise not_one_each(name, names, len(args), kwargs)
    return given
