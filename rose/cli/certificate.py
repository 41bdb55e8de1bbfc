"""The certificate of a package: which of its derivatives were checked when it was compiled, how, and which were not.

The checks are those of `examine`, at fewer points. They are bounded by counting, never by the clock, so that the same
program has the same certificate on every machine: a cost model counts the instructions of an evaluation beforehand. The
interpreter takes a microsecond or so for each, which is too slow for a long simulation. Such a function is checked by
the module alone: forward mode against reverse mode and against differences. The certificate says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from ..frontend.any_size import AnySize
from ..frontend.function import AnyFn
from ..host.effects import Assertion, Printer
from ..ir import FOR, Block, Func, While, is_call, loop_of
from ..ir.callgraph import callees, callees_first, instructions
from ..ir.progress import step
from ..ir.types import count_leaves
from ..testing import PATIENCE, TWICE, Report, examine, several

POINTS = 10  # at most, as `rose check` has
INTERPRETED = 200_000  # instructions that the interpreter may take for one function: some 0.3 s
COMPILED = 2_000_000_000  # instructions that the module may take
LARGEST_FUNCTION = 20_000  # instructions, with its callees: the derivatives of a larger one are not compiled
EACH_POINT = 20  # evaluations that a point takes, with both modes, and without differences
MATHEMATICS = 10  # the cost of a libm function, in instructions
NUMBER = 5_000  # the cost of a number that goes into the module or comes out, in Python, in nanoseconds


class WrongDerivative(Exception):
    """Some derivatives are wrong: the reports say which."""

    def __init__(self, reports: Mapping[str, Report]) -> None:
        super().__init__("\n".join([str(r) for r in reports.values() if not r.ok]))
        self.reports = reports


def certify(fs: Mapping[str, AnyFn], seed: int = 0) -> dict[str, Any]:
    """The certificate of these functions, as JSON data; a `WrongDerivative` if one of their derivatives is wrong.

    Functions of any size are checked at the size 3.
    """
    reports: dict[str, Report] = {}
    for name, f in fs.items():
        reports[name] = _examined(name, f, seed)
        step("check", len(fs))
    if not all([r.ok for r in reports.values()]):
        raise WrongDerivative(reports)
    return {
        "seed": seed,
        "compiled": "in double precision, and without SIMD",
        "functions": {name: _data(r) for name, r in reports.items()},
    }


def _data(report: Report) -> dict[str, Any]:
    """A report as JSON data. Differences are rounded to one digit."""
    found = asdict(report)
    del found["name"], found["wrong"]
    found |= {"kinks": several(report.kinks, "kinks"), "notes": several(report.notes, "notes")}
    rounded = {k: float(f"{found[k]:.0e}") for k in ("adjoint", "differences")}
    return {"ok": report.ok, **found, **rounded}


def _examined(name: str, f: AnyFn, seed: int) -> Report:
    """The report on one function, within the bounds."""
    if isinstance(f, AnySize):
        f = f.at(**{d.text: 3 for d in f.dims})
    work = _Work(f.func)
    if (why := work.hindrance()) is not None:
        return Report(name, notes=[f"not checked: {why}"])
    interpreted, compiled = INTERPRETED // work.evaluations, COMPILED // work.nanoseconds
    check = partial(examine, f, seed=seed, strict=False)  # a nan misleads nobody
    try:
        if work.endless:
            report = check(POINTS, patience=min(PATIENCE, interpreted), most=compiled)
        elif interpreted >= 2 * EACH_POINT:
            points = min(POINTS, interpreted // EACH_POINT)
            report = check(points, most=compiled, twice=TWICE if points == POINTS else 0)
        elif compiled >= EACH_POINT:
            report = check(min(3, compiled // EACH_POINT), interpreted=False, most=compiled // 2)
            said = f"an evaluation takes {work.evaluations:,} instructions, so the interpreter took no part in this"
            report.notes.append(said)
        else:
            said = (
                f"an evaluation takes {work.evaluations:,} instructions, and has {work.numbers:,} numbers go in and out"
            )
            return Report(name, notes=[f"not checked: {said}"])
    except ImportError as e:  # to run modules takes more than to make them
        return Report(name, notes=[f"not checked, as no module can be run here: {e}"])
    except Exception as e:
        if not work.hosts:
            raise
        return Report(name, notes=[f"not checked: a host function raises {type(e).__name__}"])
    report.name = name
    return report


class _Work:
    """The cost of evaluating a function, counted as if each loop of unknown length had one iteration."""

    def __init__(self, f: Func) -> None:
        counts: dict[Func, int] = {}
        for g in callees_first(f, lambda g: g not in counts):
            counts[g] = _instructions(g.body, counts) if g.has_body else 1 + sum([counts[h] for h in callees(g)])
        self.endless = any(isinstance(g.kind, While) for g in counts)
        self.hosts = [g for g in counts if g.impl and not isinstance(g.impl, (Printer, Assertion))]
        self.evaluations = max(1, counts[f])
        self.size = max(1, sum([1 for g in counts for _ in instructions(g.body)]))
        self.numbers = sum(map(count_leaves, [f.result, *[p.type for p in f.params]]))
        self.nanoseconds = self.evaluations + NUMBER * self.numbers

    def hindrance(self) -> str | None:
        """The reason why the function cannot be checked; None if it can."""
        if impure := [g.name for g in self.hosts if not g.pure]:
            return f"{impure[0]} is a host function with an effect"
        if self.size > LARGEST_FUNCTION:
            return f"with all that it calls it has {self.size:,} instructions"
        return None


def _instructions(block: Block, counts: Mapping[Func, int]) -> int:
    total = 0
    for v in block.code:
        if v.op is FOR:
            n = loop_of(v).indices
            total += n.size * _instructions(v.attr, counts)
        elif is_call(v):
            total += counts[v.attr]
        else:
            total += MATHEMATICS if v.op.library else 1
    return total
