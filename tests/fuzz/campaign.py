"""The campaign: batches of programs in processes of their own, in the order of their seeds, and the ledger.

A process makes one batch and ends, so nothing that a program leaves behind meets the next, and what hangs or crashes is
found: its batch is taken apart. What breaks a law is made small in a process of its own.
"""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import resource
import signal
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from time import monotonic
from typing import Any, NamedTuple

from random_programs import Program
from shrinker import failure, shrunk

from .any_size import check_any_size, law_of_any_size, of_any_size
from .batch import check_small, law_of_small
from .engines import ENGINES, check_engines, law_of_engines
from .intervals import check_intervals, law_of_intervals
from .large import check_large, large, law_of_large
from .ledger import Ledger
from .library import check_library, law_of_library, of_library
from .report import Report
from .small import small

WRITES = 60.0  # seconds between two states of the ledger
LONGEST = 100.0  # seconds for what is made small
ALONE = 60.0  # seconds for one program
PATIENCE = 10  # a process may take so many times as long as it may use the processor, of which it has not all


class Kind(NamedTuple):
    """A kind of batch: how many programs, in how many seconds at most, of how much of the time."""

    size: int
    limit: float
    share: float
    check: Callable[[Sequence[int]], Report]
    program: Callable[[int], Program]
    law: Callable[[Program, int], object]
    apart: bool = True  # whether a batch that hangs or crashes is taken apart: not where each program starts a browser


KINDS = {
    "small": Kind(200, 300.0, 0.45, check_small, small, law_of_small),
    "large": Kind(10, 300.0, 0.3, check_large, large, law_of_large),
    "any size": Kind(20, 300.0, 0.05, check_any_size, of_any_size, law_of_any_size),
    "library": Kind(4, 300.0, 0.1, check_library, of_library, law_of_library),
    "intervals": Kind(500, 300.0, 0.05, check_intervals, small, law_of_intervals),
    **({"engines": Kind(300, 300.0, 0.05, check_engines, small, law_of_engines, False)} if ENGINES else {}),
}


@dataclass
class Task:
    """A process at work on some seeds, or on making the program of a failure small."""

    kind: str
    seeds: Sequence[int]
    process: ForkProcess
    pipe: Connection
    started: float
    limit: float
    failure: dict[str, Any] | None = None


class Campaign:
    """Runs until time is over: `tell` is given a line for each failure."""

    def __init__(
        self, ledger: Ledger, kinds: Sequence[str] = (*KINDS,), jobs: int = 1, tell: Callable[[str], object] = print
    ) -> None:
        self.ledger, self.jobs, self.tell = ledger, jobs, tell
        self.at = {k: ledger.next(k) for k in kinds}  # the first seed that no process has
        self.used = dict.fromkeys(kinds, 0.0)  # seconds
        self.running: list[Task] = []
        self.early: dict[tuple[str, int], tuple[int, float, Report]] = {}  # done, while one before is at work
        self.small: list[tuple[str, dict[str, Any]]] = []  # failures to make small
        self.failures = 0

    def run(self, seconds: float, programs: int | None = None) -> int:
        """The number of failures. Without `programs` for each kind, it is time that ends it."""
        end, written = monotonic() + seconds, monotonic()
        goal = {k: at + (programs or 10**12) for k, at in self.at.items()}
        try:
            while True:
                while len(self.running) < self.jobs:
                    open_ = [k for k in self.at if self.at[k] < goal[k] and monotonic() < end]
                    if not self.small and not open_:
                        break
                    self.start(open_)
                if not self.running:
                    return self.failures
                wait([t.pipe for t in self.running], timeout=5.0)
                for t in [t for t in self.running if t.pipe.poll() or monotonic() - t.started > t.limit]:
                    self.finish(t)
                if monotonic() - written > WRITES:
                    self.ledger.write()
                    written = monotonic()
        finally:
            for t in self.running:
                t.process.kill()
            self.ledger.write()

    # processes

    def start(self, kinds: Sequence[str]) -> None:
        """Make a failure small; or go on with the kind that had the least of its share."""
        if self.small:
            kind, failure = self.small.pop()
            task = lambda: made_small(KINDS[kind], failure["seed"])
            self.running.append(spawned(kind, [failure["seed"]], task, LONGEST, failure))
            return
        kind = min(kinds, key=lambda k: self.used[k] / KINDS[k].share)
        self.begin(kind, range(self.at[kind], self.at[kind] + KINDS[kind].size))
        self.at[kind] += KINDS[kind].size

    def begin(self, kind: str, seeds: Sequence[int]) -> None:
        self.running.append(spawned(kind, seeds, lambda: KINDS[kind].check(seeds), KINDS[kind].limit))

    def finish(self, t: Task) -> None:
        """What a process says; of one that hangs or crashed, the seeds one by one."""
        self.running.remove(t)
        try:
            said = t.pipe.recv() if t.pipe.poll() else None
        except EOFError:
            said = None
        t.process.kill()
        t.process.join()
        t.pipe.close()
        if t.failure is not None:
            t.failure["program"] = said or str(KINDS[t.kind].program(t.failure["seed"]))
            self.tell(f"{t.kind} {t.failure['seed']} breaks a law: {t.failure['error']}\n{t.failure['program']}")
            return
        if said is None:
            said = (
                self.one_by_one(t)
                if len(t.seeds) > 1 and KINDS[t.kind].apart
                else (monotonic() - t.started, lost(t.seeds[0]))
            )
        self.done(t.kind, t.seeds, *said)

    def one_by_one(self, t: Task) -> tuple[float, Report]:
        total, spent = Report(), 0.0
        for seed in t.seeds:
            one = spawned(t.kind, [seed], lambda seed=seed: KINDS[t.kind].check([seed]), ALONE)
            try:
                seconds, report = one.pipe.recv() if one.pipe.poll(one.limit) else (one.limit, lost(seed))
            except EOFError:
                seconds, report = 0.0, lost(seed)
            one.process.kill()
            one.process.join()
            spent += seconds
            total.add(report)
        return spent, total

    def done(self, kind: str, seeds: Sequence[int], seconds: float, report: Report) -> None:
        """Into the ledger with it, as soon as all seeds before are there."""
        self.used[kind] += seconds
        self.early[kind, seeds[0]] = (seeds[-1] + 1, seconds, report)
        while done := self.early.pop((kind, self.ledger.next(kind)), None):
            last, seconds, report = done
            self.ledger.add(kind, last, seconds, report)
            for found in report.failures:
                self.failures += 1
                entry = self.ledger.failed(kind, found)
                if entry is not None:
                    self.small.append((kind, entry))
            if report.failures:
                self.ledger.write()


def lost(seed: int) -> Report:
    report = Report(programs=1)
    report.failed(seed, TimeoutError("it hangs, or the process died"))
    return report


def made_small(kind: Kind, seed: int) -> str:
    """The text of a small program that breaks the law which that of the seed breaks."""
    warnings.simplefilter("ignore")  # of what is tried on the way
    p, law = kind.program(seed), lambda p: kind.law(p, seed)
    return str(shrunk(p, law)) if failure(law, p) is not None else f"# alone it holds: see its batch\n{p}"


def spawned(
    kind: str, seeds: Sequence[int], work: Callable[[], Any], limit: float, failure: dict[str, Any] | None = None
) -> Task:
    """A process that sends what `work` gives, with the seconds of the processor that it took."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_work, args=(work, theirs, failure is not None, limit))
    process.start()
    theirs.close()
    return Task(kind, seeds, process, ours, monotonic(), PATIENCE * limit, failure)


def _work(work: Callable[[], Any], pipe: Connection, alone: bool, limit: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent kills it
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), resource.getrlimit(resource.RLIMIT_CPU)[1]))
    if not alone:
        gc.disable()  # what a batch makes lives as long as its process
    made = work()
    used = resource.getrusage(resource.RUSAGE_SELF)
    pipe.send(made if alone else (used.ru_utime + used.ru_stime, made))
    pipe.close()
    os._exit(0)
