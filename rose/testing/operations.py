"""`check_op`: a check of an operation with a derivative rule of its own, before it is relied on."""

from __future__ import annotations

from ..differentiation.gradients import jvp, pullback
from ..frontend.any_size import AnySize
from ..frontend.function import AnyFn, checked
from .examination import examine
from .report import Report


def check_op(f: AnyFn, points: int = 10, seed: int = 0) -> Report:
    """Check an operation of your own, and its derivatives to second order; in a test, `assert check_op(f).ok`.

    `f` is examined, and so are its derivatives as functions: `rose.jvp(f)`, and what `rose.vjp(f)` computes. So the
    value beside the rule's derivative is compared with the value, the rule with differences of the value, the derived
    transpose with the rule, and each second derivative, of which there are four, with differences of the first. The
    points are random, the same ones for the same seed, and those at which a comparison flips. A size of a `rose.dim` is
    3. What has no derivative is wrong.
    """
    f = checked(f, "testing.check_op")
    if isinstance(f, AnySize):
        f = f.at(**{d.text: 3 for d in f.dims})
    report = examine(f, points, seed)
    if not report.points and report.ok:
        report.wrong += report.notes or ["there is no derivative to check"]
        report.notes = []
    for of, what in ((jvp, "forward mode"), (pullback, "reverse mode")):
        if report.ok:
            _add(report, examine(of(f), points, seed, twice=0), what)
    return report


def _add(report: Report, more: Report, what: str) -> None:
    """Add what was found of a derivative to what was found of its function."""
    report.adjoint = max(report.adjoint, more.adjoint)
    report.differences = max(report.differences, more.differences)
    report.wrong += [f"the derivative in {what}, {said}" for said in more.wrong]
    report.kinks += [f"the derivative in {what}, {said}" for said in more.kinks if said not in report.kinks]
    if not more.points:
        report.notes += [f"the derivative in {what}: {said}" for said in more.notes]
