"""`ROSE_CHECK=values`: does each step of the compiler keep what a function gives, to the bit?

A `Witness` runs the interpreter on a function as it was, and as a step has made it: map fusion and outlining after the
trace, the motion of invariants, the primal part of a derivative, each pass of the pipeline. At last it compares the
module with the interpreter, each function of the optimised program alone, so that the back end's errors have a name
too. The inputs are drawn by the types of the parameters, always the same: ordinary numbers, zeros of both signs and
ties, infinities, nans and numbers of all sizes, and matrices that can be factorised. An accumulator is drawn as what is
in it before, and read afterwards. The first bit that differs is a `Changed`; which nan it is does not count.

Runs are bounded by counting instructions, so the same program is always checked alike. What cannot be run alone is
counted, by the reason (`why_not` in `alone.py`). When the program ends, standard error says what was compared.
"""

from __future__ import annotations

import atexit
import os
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cache
from typing import Any, NamedTuple

from ..errors import RoseError
from ..host.effects import spelled
from ..host.interpreter import Watch, run_plain
from ..ir import Block, Func
from ..ir.callgraph import callees_first
from ..ir.progress import among
from ..ir.types import Ref, Tuple, Type, Unit, Vec
from . import costs
from .alone import alone, inputs, why_not

Call = Callable[[str, Sequence[Any]], Any]
Part = Callable[[Any], Any]  # of a value, or of its type
whole: Part = lambda x: x
first: Part = lambda x: x.items[0] if isinstance(x, Tuple) else x[0]


class Changed(AssertionError):
    """A step of the compiler has changed what a function gives."""


class _TooLong(Exception):
    """A run takes more instructions than it may."""


class Seen(NamedTuple):
    """What a function gives for some arguments."""

    xs: list[Any]
    result: Any


class _Steps(Watch):
    """Stops a run after so many instructions."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.left = most

    def ran(self, block: Block) -> None:
        self.left -= 1 + len(block.code)
        if self.left < 0:
            raise _TooLong


def _fitted(x: Any, t: Type) -> Any:
    """A value without the parts that are of no type in `t`."""
    if isinstance(t, Vec):
        return tuple([_fitted(y, t.elem) for y in x])
    if isinstance(t, Tuple):
        return tuple([_fitted(y, s) for y, s in zip(x, t.items, strict=True)])
    return None if t is Unit else x


def bits(x: Any) -> Any:
    """A value with each number as its bits; all nans are equal."""
    if isinstance(x, tuple):
        return tuple([bits(y) for y in x])  # pyright: ignore[reportUnknownVariableType]
    return ("nan" if x != x else struct.pack("<d", x)) if isinstance(x, float) else x


# the witness


class Witness:
    """Compares functions before and after each step. It remembers what each has given."""

    def __init__(self) -> None:
        self.known: dict[Func, list[Seen]] = {}
        self.runs: dict[Func, Func] = {}  # what is run in the place of each
        self.steps: Counter[str] = Counter()  # functions that each step kept
        self.skipped: Counter[str] = Counter()  # functions that cannot be run alone, by the reason
        self.numbers = self.nans = 0  # that were compared

    def of(self, f: Func) -> list[Seen]:
        """What a function gives for its inputs: none, if it cannot be run alone."""
        if f not in self.known:
            why = why_not(f)
            self.known[f] = seen = [] if why else list(self._seen(f))
            if not seen:
                self.skipped[why or "fails, or takes long"] += 1
        return self.known[f]

    def _seen(self, f: Func) -> Iterator[Seen]:
        f, left = self.alone(f), costs.WITNESSED_INSTRUCTIONS
        for k, xs in enumerate(inputs([p.type for p in f.params])):
            watch = _Steps(max(left, costs.WITNESSED_FIRST * (k == 0)))
            left -= watch.left
            with suppress(RoseError, _TooLong):
                yield Seen(xs, run_plain(f, list(xs), watch))
            left += watch.left
            if left <= 0:
                return

    def alone(self, f: Func) -> Func:
        if f not in self.runs:
            self.runs[f] = alone(f)
        return self.runs[f]

    def kept(self, step: str, old: Func, new: Func) -> None:
        """Check that a step made a function of the same bits. If it edits in place, `of(old)` was called before."""
        seen = self.of(old)
        if not seen:
            return
        f = self.alone(new)
        for xs, want in seen:
            try:
                got = run_plain(f, list(xs), _Steps(20 * costs.WITNESSED_FIRST))
            except (RoseError, _TooLong) as e:
                raise Changed(_told(step, f, xs, want, f"{type(e).__name__} {e}")) from e
            self.compare(step, f, xs, want, got)
        self.steps[step] += 1
        self.known[new] = seen

    def compare(self, step: str, f: Func, xs: Sequence[Any], want: Any, got: Any, t: Type | None = None) -> None:
        """Check that two results of `f`, of type `t`, have the same bits, and count them."""
        t = t or f.result
        if bits(want) != bits(got):
            raise Changed(_told(step, f, xs, spelled(want, t), spelled(got, t), _path(want, got)))
        for x in _numbers(want):
            self.numbers += 1
            self.nans += x != x

    def derived(
        self, step: str, large: Func, small: Func, at: Sequence[int], of_large: Part = whole, of_small: Part = whole
    ) -> None:
        """Check that two functions, of which one has tangents beside its numbers, give the same numbers.

        `at` has the places of the parameters of the small one among those of the large one.
        """
        if any([isinstance(p.type, Ref) for p in large.params]) or why_not(small):
            return
        f = self.alone(small)
        t = of_small(f.result)
        for xs, y in self.of(large):
            given = [_fitted(xs[k], p.type) for k, p in zip(at, f.params, strict=True)]
            got = of_small(run_plain(f, list(given), _Steps(20 * costs.WITNESSED_FIRST)))
            self.compare(f"{step} (beside the tangents)", f, given, got, _fitted(of_large(y), t), t)
        self.steps[step] += 1

    # the module

    def module(self, exports: Mapping[str, Func], made: Callable[[Mapping[str, Func]], Call]) -> None:
        """Compare what is compiled of optimised functions with the interpreter: all that they call, and then them."""
        every: dict[Func, str] = {}
        for f in exports.values():
            for g in callees_first(f, lambda g: g not in every):
                every[g] = f"part{len(every)}"
        parts = {name: g for g, name in every.items() if g not in exports.values() and self.of(g)}
        if parts:
            self._called("lowering (each function alone)", parts, made({k: self.alone(g) for k, g in parts.items()}))
        self._called("lowering", exports, made(exports))

    def _called(self, step: str, funcs: Mapping[str, Func], call: Call) -> None:
        for name, f in funcs.items():
            for xs, want in self.of(f):
                self.compare(step, self.alone(f), xs, want, call(name, xs))
            self.steps[step] += bool(self.of(f))

    def __str__(self) -> str:
        """What was compared, and what was not."""
        steps = sum(self.steps.values())
        said = f"values: {steps:,} steps of functions kept {64 * self.numbers:,} bits; {self.nans:,} numbers were nan"
        left = ", ".join([f"{n:,} {why}" for why, n in sorted(self.skipped.items())])
        return f"{said}; not run alone: {left or 'none'}"


def _told(step: str, f: Func, xs: Sequence[Any], want: str, got: str, path: str = "") -> str:
    named = [(p.attr or f"argument {k}", x, p.type) for k, (p, x) in enumerate(zip(f.params, xs, strict=True))]
    given = ", ".join([f"{name} = {spelled(x, t)}" for name, x, t in named])
    return f"{step} changes a value of {f.name}{path}\n  at {given}\n  before: {want}\n  after:  {got}"


def _path(x: Any, y: Any) -> str:
    """The place of the first number that differs."""
    if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y):  # pyright: ignore[reportUnknownArgumentType]
        k = next(k for k, (a, b) in enumerate(zip(x, y, strict=True)) if bits(a) != bits(b))  # pyright: ignore
        return f"[{k}]{_path(x[k], y[k])}"
    return f": {x!r} becomes {y!r}"


def _numbers(x: Any) -> Iterator[float]:
    if isinstance(x, tuple):
        for y in x:  # pyright: ignore[reportUnknownVariableType]
            yield from _numbers(y)
    elif isinstance(x, float):
        yield x


# who watches


_watching: list[Witness] = []


def witness() -> Witness | None:
    """The witness, if there is one."""
    return _watching[-1] if _watching else _of_the_process()


@cache
def _of_the_process() -> Witness | None:
    """The witness that `ROSE_CHECK=values` asks for: it says at the end what it has compared."""
    if os.environ.get("ROSE_CHECK") != "values":
        return None
    made = Witness()
    atexit.register(lambda: print(made, file=sys.stderr))
    return made


def watching() -> AbstractContextManager[Witness]:
    """Inside, a new witness looks at each step."""
    return among(_watching, Witness())
