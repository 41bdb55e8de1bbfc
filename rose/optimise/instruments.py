"""Instruments of a compilation: passes by name, which can be left out, and are timed, printed and verified.

Each step from a function to a function goes through `run`, wherever it runs: when a trace ends, before a derivation,
between the halves of a derivative, or in `pipeline.py`, which has all names. `ROSE_CHECK=values` looks at each, too.
Without instruments a step is a call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..ir import Func
from ..ir.callgraph import callees_first
from ..ir.check import CHECKS, check_alone
from ..ir.progress import Clock, among, clocked, timed
from .values import witness


@dataclass
class Instruments:
    """What is asked of a compilation: passes left out, verification, printing. None of them by default."""

    without: Collection[str] = ()  # passes and rules that are left out
    verifies: bool = CHECKS
    tell: Callable[[str, Func], object] | None = None  # called with each function that a pass made, or changed
    clock: Clock = field(default_factory=Clock)

    @property
    def seconds(self) -> dict[str, float]:
        """The time of each pass, by name."""
        return self.clock.seconds

    def run(self, name: str, f: Func, step: Callable[[Func], Func], edits: bool) -> Func:
        if not self.verifies and self.tell is None:
            with timed(name):
                return step(f)
        from ..ir.text.printer import show

        before = show(f, callees=False)
        with timed(name):
            new = step(f)
        if self.verifies:
            check_alone(new)
        after = show(new, callees=False)
        if self.verifies and not edits:
            old = after if new is f else show(f, callees=False)
            assert old == before, f"{name} edited {f.name}, which is not its own"
        if self.tell is not None and after != before:
            self.tell(name, new)
        return new


_asked = [Instruments()] if CHECKS else []


def asked() -> Instruments | None:
    """The instruments, if some are asked for."""
    return _asked[-1] if _asked else None


@contextmanager
def instrumented(by: Instruments) -> Generator[None]:
    """Inside, all that is traced, derived and optimised is watched by these."""
    with among(_asked, by), clocked(by.clock):
        yield


def leaves_out(name: str) -> bool:
    """True if a pass, or a rule, is switched off."""
    return bool(_asked) and name in _asked[-1].without


def told(name: str, f: Func) -> Func:
    """`f`, a function that did not stand in the place of another: a trace, or a derivative."""
    if _asked and (tell := _asked[-1].tell) is not None:
        tell(name, f)
    return f


def run(name: str, f: Func, step: Callable[[Func], Func], *, edits: bool = False) -> Func:
    """What a step makes of `f`, with all that is asked; `f`, if it is left out. It `edits` in place what is its own."""
    by, w = asked(), witness()
    if by is None and w is None:
        return step(f)
    if leaves_out(name):
        return f
    if w is not None and edits:
        w.of(f)
    made = step(f) if by is None else by.run(name, f, step, edits)
    if w is not None and (edits or made is not f):
        w.kept(name, f, made)
    return made


Program = Mapping[str, Func]


def run_all(name: str, funcs: Program, step: Callable[[Program], dict[str, Func]]) -> dict[str, Func]:
    """What a step makes of a program, with all that is asked."""
    by, w = asked(), witness()
    if leaves_out(name):
        return dict(funcs)
    if by is None:
        made = step(funcs)
    else:
        known = set(_functions(funcs, set[Func]()))
        with timed(name):
            made = step(funcs)
        for f in _functions(made, known):
            if by.verifies:
                check_alone(f)
            told(name, f)
    if w is not None:
        for k, f in funcs.items():
            w.kept(name, f, made[k])
    return made


def _functions(funcs: Program, known: Container[Func]) -> list[Func]:
    """All functions of a program that are not known, callees first."""
    found: dict[Func, None] = {}
    for f in funcs.values():
        for g in callees_first(f, lambda g: g not in known and g not in found):
            found[g] = None
    return list(found)
