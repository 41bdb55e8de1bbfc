"""Stopping a run: at its stops, a module asks Python whether to go on.

Each stop is a test of a byte of the module's memory, which is 0 nearly always. A thread, the watch, sets the byte of
each instance twenty times a second, and then the next stop of a run calls Python. There Python runs the handlers of
signals, as between any two of its own instructions: so Ctrl-C is a KeyboardInterrupt in the run, which ends it, and a
handler that raises nothing lets it go on. Nothing of the user's is replaced for that. There, too, a run ends whose time
is up.

The watch sleeps when no run has come to a stop for a second. All bytes are 1 then, so the next stop wakes it. A run in
a thread that is not the main one is called once a second, as no signal is handled there, and when its time is up.

(The epochs of wasmtime do the same in each loop and at the start of each function. But what they call takes the
registers from all numbers that live in a loop: a sum of 1,000 numbers takes 2.3 times as long with them, a product of
matrices 1.7. A stop is in few loops, and hands its numbers over in memory, in the rare case.)
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any, Protocol

from ..abi.signature import ASKED, Stop
from ..binary.encoder import EMPTY, I32, instruction
from ..binary.insertion import Insertion

PERIOD = 0.05  # seconds
QUIET = 20  # periods without a run, after which the watch sleeps
TABLE = ("stop", "table")  # the import, a table with the one function that a stop calls, with its number
_TYPE = b"\x60" + bytes([1, I32, 0])


def stoppable(wasm: bytes, stops: Sequence[tuple[int, Stop]]) -> bytes:
    """The module with a test at each of its stops."""
    if not stops:
        return wasm
    most: Counter[int] = Counter()  # of each type, how many locals of a stop are kept at once
    for _, stop in stops:
        most |= Counter([type for _, type in stop.locals])
    to = Insertion(wasm, _TYPE, TABLE, [type for type in sorted(most) for _ in range(most[type])])
    return to.finish([(at, _test(k, stop, to)) for k, (at, stop) in enumerate(stops)])


def _test(k: int, stop: Stop, to: Insertion) -> bytes:
    """A call of Python if the byte is set, with the locals in globals for so long."""
    free = to.globals()
    kept = [(local, free[type].pop()) for local, type in stop.locals]
    return b"".join([
        instruction("i32.const", 0), instruction("i32.load8_u", ASKED), instruction("if", EMPTY),
        *[instruction("local.get", local) + instruction("global.set", g) for local, g in kept],
        instruction("i32.const", k), instruction("i32.const", 0), to.call,
        *[instruction("global.get", g) + instruction("local.set", local) for local, g in kept],
        instruction("end"),
    ])  # fmt: skip


class Asked(Protocol):
    """An instance, as the watch knows it."""

    pages: Any  # its memory
    until: float  # when its call is to end, by the clock
    apart: bool  # it runs in a thread that handles no signals
    stopped: bool  # its call is to end now


clock = time.monotonic


class Watch:
    """The watch over the instances of this process, and the thread in which it goes its rounds."""

    def __init__(self) -> None:
        self._instances: weakref.WeakSet[Asked] = weakref.WeakSet()
        self._lock, self._awake = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self._count = 0  # of rounds

    def add(self, instance: Asked) -> None:
        """Watch over an instance, as long as it lives."""
        with self._lock:
            self._instances.add(instance)
        instance.pages[ASKED] = 1

    def wake(self) -> None:
        """Go on with the rounds: some instance runs."""
        if not self._awake.is_set():
            self._awake.set()
            with self._lock:
                if self._thread is None:
                    self._begin()

    def _begin(self) -> None:
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        self._thread = threading.Thread(target=self._rounds, name="rose-watch", daemon=True)
        with suppress(RuntimeError):  # there are no threads here, or no more, as Python ends
            self._thread.start()

    def _rounds(self) -> None:
        quiet = 0
        while True:
            self._count += 1
            quiet = 0 if self.round() else quiet + 1
            if quiet > QUIET:
                self._awake.clear()
                if not self.round():  # of a run that saw the watch awake and asks for nothing more
                    self._awake.wait()
                self._awake.set()
                quiet = 0
            time.sleep(PERIOD)

    def round(self) -> bool:
        """Ask the instances that have a reason to look up. False if no run came to a stop since the last round."""
        with self._lock:
            instances = [*self._instances]
        now, ran, rare = clock(), False, self._count % QUIET == 0
        for x in instances:
            if not x.pages[ASKED] and (rare or not x.apart or x.stopped or x.until <= now):
                x.pages[ASKED], ran = 1, True
            ran = ran or now < x.until < inf
        return ran

    def _forked(self) -> None:
        """Begin again in a process that was forked, which has no thread but one."""
        self._lock, self._awake, self._thread = threading.Lock(), threading.Event(), None
        for x in [*self._instances]:
            x.pages[ASKED] = 1


watch = Watch()
