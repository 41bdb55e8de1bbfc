"""`examine`: gradient checks of a function at random points.

At each point the module must have the bits of the interpreter, in the value and in both modes, and at two points in
the second derivatives over reverse mode; the value that a derivative gives beside it must be that of the function;
reverse mode must be the adjoint of forward mode, up to rounding; and forward mode must agree with differences of the
value, extrapolated to step 0 (Richardson).

Special points are examined too: 0, and points at which a comparison of the program, or of a rule, flips, with their
neighbours. At a kink, where the slopes on both sides differ, the derivative must lie between them; it is reported. If
the slopes are equal, and the derivative is another, it is wrong, unless a convention of the table of operations applies
there. Where the derivative is continuous, the second derivative is compared with differences of the first in the same
way. The report names the comparisons that were not seen both ways.
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from itertools import combinations, pairwise
from operator import mul
from typing import Any

from ..differentiation.gradients import jvp, pullback
from ..errors import NotDifferentiable, RoseError
from ..frontend.any_size import AnySize
from ..frontend.function import AnyFn
from ..host.comparisons import Record, Search, Site, Spent, from_leaves, key, leaves_of, named, ours
from ..host.differences import approaches, beside, between, central, on_one_side, one_sided
from ..host.effects import Assertion, Printer, spelled
from ..host.interpreter import run
from ..host.marshal import plain, present, spell
from ..ir import Value, While
from ..ir.callgraph import instructions, reachable
from ..ir.ops import eq, ne, stop_gradient
from ..ir.types import Fin, Tuple, Type, Vec, untyped
from ..optimise.values import bits
from .limits import PATIENCE, Limit, TooLong
from .points import SCALES, apart, cotangents, direction, draw, duals_of, joined, moved, reals, short, tangents_in, zero
from .report import Report

STEPS = (0.1, 1e-2, 1e-3, 1e-5)  # the largest steps of differences; each is halved seven times
CLOSE = 1e-6  # the tolerance of differences, relative to the derivative
ADJOINT = 1e-8  # the tolerance of the adjoint, relative to the products that are summed
TWICE = 2  # points at which the bits of second derivatives are compared
LONG = 20_000  # instructions of a derivative with all that it calls: a longer one is not derived, or compiled, again
SEARCH = 12  # evaluations of forward mode, for each point, in the search for points where comparisons flip


def examine(
    f: AnyFn, points: int = 10, seed: int = 0, sizes: Mapping[str, int] | None = None, *,
    strict: bool = True, interpreted: bool = True, patience: int = PATIENCE, most: int | None = None,
    twice: int = TWICE,
) -> Report:  # fmt: skip
    """Check the derivatives of `f` at random points where it is finite, the same ones for the same seed.

    A size of a `rose.dim` is 3, unless `sizes` says another. If only one mode gives a nan, that is wrong if it is
    `strict`, else reported as a kink. Without `interpreted`, the bits of the module are not compared with the
    interpreter's, unless there are loops of unknown length, which have `patience` iterations at most. For
    differences the function is evaluated at most `most` times. The bits of second derivatives are compared at `twice`
    of the points.
    """
    report = Report(f.name)
    if isinstance(f, AnySize):
        f = f.at(**{d.text: (sizes or {}).get(d.text, 3) for d in f.dims})
    if any(map(_is_empty, f.types)):
        report.notes.append("not checked: a parameter is an index of nothing")
    else:
        with redirect_stdout(io.StringIO()):  # what the function prints
            rng = random.Random(f"{seed} {f.name}")
            Examination(f, report, rng, Limit(patience, most), strict, interpreted).at(points, twice)
    return report


def _length(f: AnyFn) -> int:
    """The instructions of a function with all that it calls."""
    return sum([1 for g in reachable(f.func) for _ in instructions(g.body)])


def _is_empty(t: Type) -> bool:
    """True for a type that has no value."""
    if isinstance(t, Vec):
        return t.size > 0 and _is_empty(t.elem)
    return t.size == 0 if isinstance(t, Fin) else isinstance(t, Tuple) and any(map(_is_empty, t.items))


class Examination:
    """The examination of one function and its derivatives, at one point after another."""

    def __init__(
        self, f: AnyFn, report: Report, rng: random.Random, watch: Limit, strict: bool, interpreted: bool
    ) -> None:
        self.f, self.report, self.rng, self.watch, self.strict = f, report, rng, watch, strict
        self.types, self.result = [untyped(t) for t in f.types], untyped(f.result)
        self.forward = self.reverse = None
        self.special = False  # at 0, or where a comparison flips: where kinks are
        self.scale = 1.0  # of the steps from there
        self.record = Record()  # of the last run of forward mode
        self.seen: list[tuple[list[Any], Record]] = []  # regular points
        self.answers: dict[Any, set[bool]] = {}  # of each comparison, at the points that were examined
        self.second: AnyFn | None = None
        parts = list(reachable(f.func))
        self.stops = any(v.op is stop_gradient for g in parts for v in instructions(g.body))
        self.endless = any(isinstance(g.kind, While) for g in parts)
        self.interpreted = interpreted or self.endless
        self.outside: tuple[type[Exception], ...] = (RoseError, TooLong)  # what it raises outside of its domain
        if any(g.impl and not isinstance(g.impl, (Printer, Assertion)) for g in parts):
            self.outside += (ValueError, ArithmeticError)
        if not self.result.real or not any(t.real for t in self.types):
            report.notes.append("it has no derivative: the module is compared with the interpreter")
            return
        try:
            self.forward, self.reverse = jvp(f), pullback(f)
            self.named = named(f.func)
            _ = self.forward.func, self.reverse.func
        except NotDifferentiable as e:
            self.forward = self.reverse = None
            report.notes.append(f"it has no derivative: {e.message}")

    def at(self, points: int, twice: int) -> None:
        found = 0
        for k in range(20 * points):
            self.special = k == 0
            real = zero if self.special else SCALES[k % len(SCALES)]
            xs = [draw(t, self.rng, real) for t in self.types]
            if (y := self._both(self.f, xs)) is not None and all(map(math.isfinite, reals(y, self.result))):
                self._derivatives(xs, y)
                self.seen.append((xs, self.record))
                found += 1
            if found == points or self.report.wrong:
                break
            if self.watch.patience < 0:
                end = "ended early" if found else "not checked"
                self.report.notes.append(f"{end}: its loops take many iterations")
                break
        if not found and self.watch.patience >= 0:
            self.report.notes.append("not checked: no point was found where it is finite")
        if self.forward is not None:
            self.report.points = found
            self._flips(SEARCH * points, points)
            self._unseen()
            self._twice(twice)

    def _both(self, f: AnyFn, xs: Sequence[Any]) -> Any:
        """The value in the interpreter, compared with the module's bits; None outside of the domain of `f`."""
        try:
            if not self.interpreted:
                return self._call(f, xs)
            y = run(f.func, *xs, watch=self.watch.anew())
        except self.outside:
            return None
        if f is self.forward:
            self._remember(self.watch.record)
        if bits(made := self._call(f, xs)) != bits(y):
            path, *parts, t = apart(made, y, untyped(f.result))
            module, meant = [spelled(x, t) for x in parts]
            what = f"{spell((f.name, *path))} is {module} in the module, {meant} in the interpreter"
            self.report.wrong.append(f"{self._where(xs[: len(self.types)])}: {what}")
        return y

    def _call(self, f: AnyFn, xs: Sequence[Any]) -> Any:
        return plain(f(*[present(x, t) for x, t in zip(xs, f.types, strict=True)]), f.result)

    def _where(self, xs: Sequence[Any]) -> str:
        given = zip(self.f.names, xs, self.types, strict=True)
        return short("at " + ", ".join([f"{name} = {spelled(x, t)}" for name, x, t in given]))

    def _derivatives(self, xs: Sequence[Any], y: Any) -> None:
        """Check the derivatives at a point, in a random direction; at a special one, those of its neighbours too."""
        if self.forward is None or self.reverse is None:
            return
        dxs = [draw(t, self.rng, direction) for t in self.types]
        ct = draw(self.result, self.rng, direction, like=y)
        duals = self._joined(xs, dxs)
        both, pulled = self._both(self.forward, duals), self._both(self.reverse, [*xs, ct])
        if self.report.wrong or both is None or pulled is None:
            return
        found = [*duals_of(both, self.result)]
        dy = [d for _, d in found]
        gradients = pulled[1] if len(xs) > 1 else (pulled[1],)
        gs = [x for g, t in zip(gradients, self.types, strict=True) if t.real for x in cotangents(g, t)]
        ds = [x for dx, t in zip(dxs, self.types, strict=True) for x in reals(dx, t)]
        finite = [all(map(math.isfinite, some)) for some in (dy, gs)]
        if not any(finite):
            self.report.kinks.append(f"{self._where(xs)}: the derivative is not finite")
        elif not all(finite):
            said = self.report.wrong if self.strict and not self.special else self.report.kinks
            said.append(f"{self._where(xs)}: one of forward and reverse mode is finite, and one is not")
        else:
            value, cts = list(reals(y, self.result)), list(cotangents(ct, self.result))
            self._same_value(xs, value, [x for x, _ in found])
            room = 1e-4 * math.fsum([abs(u) * max(1.0, abs(x)) for u, x in zip(cts, value, strict=True)])
            self._adjoint(xs, list(map(mul, cts, dy)), list(map(mul, gs, ds)), room)
            try:
                self._differences(xs, dxs, value, dy)
                if self.special:
                    self._second(xs, dxs, dy)
            except TooLong:
                self.report.notes.append(f"{self._where(xs)}: differences take too long")

    def _same_value(self, xs: Sequence[Any], value: list[float], primal: list[float]) -> None:
        """Check that the derivative, which may be a rule, has the value of the function beside it."""
        for x, y in zip(value, primal, strict=True):
            if not self.special and abs(x - y) > CLOSE * max(1.0, abs(x)):
                self.report.wrong.append(f"{self._where(xs)}: the value is {x:.9g}, and in the derivative {y:.9g}")
                return

    def _adjoint(self, xs: Sequence[Any], out: list[float], back: list[float], room: float) -> None:
        """Check that `<ct, J dx>` is `<J^T ct, dx>`, up to rounding of the products, and inside of the function."""
        x, y = math.fsum(out), math.fsum(back)
        off = abs(x - y) / (math.fsum(map(abs, [*out, *back])) + room or 1.0)
        self.report.adjoint = max(self.report.adjoint, off)
        if off > ADJOINT:
            what = f"forward mode gives {x:.9g} along a direction, and reverse mode {y:.9g}"
            self.report.wrong.append(f"{self._where(xs)}: {what}")

    def _differences(self, xs: Sequence[Any], dxs: Sequence[Any], y: list[float], dy: list[float]) -> None:
        along = self._along(xs, dxs, len(y))
        tried, off = list[list[float]](), [math.inf] * len(dy)
        for h in STEPS:
            tried.append(central(along, h))
            for k, (value, d, slope) in enumerate(zip(y, dy, tried[-1], strict=True)):
                if abs(d - slope) <= CLOSE * max(abs(d), abs(slope)) + 1e-9 * max(1.0, abs(value)):
                    off[k] = min(off[k], abs(d - slope) / max(abs(d), 1e-3, 1e-3 * abs(value)))
            if math.inf not in off:
                break
        for k, x in enumerate(off):
            one: Callable[[float], float] = lambda h, k=k: along(h)[k]
            if x < math.inf:
                self.report.differences = max(self.report.differences, x)
            elif self.special:
                self._at_kink(self._where(xs), one, dy[k])
            else:
                self._disagree(self._where(xs), one, dy[k], [slopes[k] for slopes in tried])

    def _joined(self, xs: Sequence[Any], dxs: Sequence[Any]) -> list[Any]:
        """Arguments of forward mode."""
        return [joined(x, dx, t) for x, dx, t in zip(xs, dxs, self.types, strict=True)]

    def _moved(self, xs: Sequence[Any], dxs: Sequence[Any], h: float) -> list[Any]:
        """The arguments `xs + h * dxs`."""
        return [moved(x, dx, h, t) for x, dx, t in zip(xs, dxs, self.types, strict=True)]

    def _along(self, xs: Sequence[Any], dxs: Sequence[Any], count: int) -> Callable[[float], list[float]]:
        """The numbers of the value along a line."""

        def along(h: float) -> list[float]:
            self.watch.another()
            there = self._moved(xs, dxs, h)
            try:
                again = self.watch.anew()
                z = run(self.f.func, *there, watch=again) if self.endless else self._call(self.f, there)
            except TooLong:
                raise
            except self.outside:
                return [math.nan] * count
            return list(reals(z, self.result))

        return along

    def _disagree(self, at: str, along: Callable[[float], float], d: float, slopes: Sequence[float]) -> None:
        """Classify a derivative `d` far from all differences: a kink, a jump, too rough to tell, or wrong."""
        found = next((s for r, s in combinations(slopes, 2) if abs(r - s) <= 1e-4 * abs(s)), math.nan)
        left, right = sorted([one_sided(along, first) for first in (-1e-3, 1e-3)])
        space = 1e-4 * max(abs(left), abs(right))
        said = f"derivative {d:.9g}, by differences {found:.9g}"
        if right - left > space and left - space <= d <= right + space:
            self.report.kinks.append(f"{at}: a kink, with slopes {left:.6g} and {right:.6g}; derivative {d:.6g}")
        elif math.isnan(found):
            self.report.notes.append(f"{at}: differences are too rough to tell (derivative {d:.9g})")
        elif self.stops:
            self.report.notes.append(f"{at}: {said}; it has a stop_gradient, which only derivatives see")
        elif approaches(along, d, 0.1 * abs(d - found)):
            self.report.kinks.append(f"{at}: many jumps; {said}")
        else:
            self.report.wrong.append(f"{at}: {said}")

    def _at_kink(self, at: str, along: Callable[[float], float], d: float) -> None:
        """Classify a derivative `d` at a special point, which is not that of central differences."""
        here = along(0.0)
        jumps = any([abs(along(h * self.scale) - here) > 1e-6 * max(1.0, abs(here)) for h in (-1e-14, 1e-14)])
        sides = [on_one_side(beside(along, s * self.scale) if jumps else along, s, self.scale) for s in (-1.0, 1.0)]
        left, right = sorted(sides)
        same, slopes = between(left, right, right, abs(here)), f"with slopes {left:.6g} and {right:.6g}"
        said = f"{at}: a jump; derivative {d:.6g}" if jumps else f"{at}: a kink, {slopes}; derivative {d:.6g}"
        if any(map(math.isnan, sides)) or between(d, left, right, abs(here)):
            if not same or jumps:
                self.report.kinks.append(said)
        elif self._by_convention():
            self.report.kinks.append(f"{said}, by convention")
        elif self.stops:
            self.report.notes.append(f"{said}; it has a stop_gradient, which only derivatives see")
        elif approaches(along, d, 0.1 * abs(d - left)):
            self.report.kinks.append(f"{at}: many jumps; derivative {d:.9g}, by differences {left:.9g}")
        elif same:
            alone = "; the program has a == or != that is decided so at this point alone"
            said = f"{at}: derivative {d:.9g}, by differences {left:.9g} on both sides"
            self.report.wrong.append(said + alone * self._ties_itself())
        else:
            self.report.wrong.append(f"{at}: derivative {d:.9g}, at a {'jump' if jumps else 'kink'} {slopes}")

    # points where comparisons flip

    def _remember(self, record: Record) -> None:
        self.record = record
        for v, answers in record.answers.items():
            self.answers.setdefault(key(v), set()).update(answers)

    def _by_convention(self, also: bool = False) -> bool:
        """True if a comparison ties at this point that a row of the table makes; or, `also`, the program itself."""
        program, of_rules = self.named
        own = of_rules if also else program | of_rules
        return any([key(v) not in own for v in self.record.ties])

    def _ties_itself(self) -> bool:
        """True if a `==` or `!=` of the program holds, or does not, at this point alone."""
        return any([v.op in (eq, ne) and key(v) in self.named[0] for v in self.record.ties])

    def _sites(self) -> list[Site]:
        """The comparisons that were seen, those that the user wrote first."""
        sites = dict.fromkeys([s for _, record in self.seen for s in record.first if not ours(s[0].loc)])
        own = self.named[0] | self.named[1]
        return sorted(sites, key=lambda s: key(s[0]) not in own)

    def _flips(self, evaluations: int, most: int) -> None:
        """Examine points at which comparisons flip: on them, beside them, and beyond, where only one side was seen."""
        examined, left = {bits(tuple(x)) for x, _ in self.seen[:1]}, self._sites()
        search = Search(self._measured, self.types, evaluations)
        try:
            while left and most and not self.report.wrong:
                found = self._flip(search, left[0])
                site = left.pop(0)
                if found is None:
                    continue
                xs = self._of_leaves(found[0])
                if (same := bits(tuple(xs))) not in examined:
                    examined.add(same)
                    most -= 1
                    self._at_flip(xs, *found)
                self._beyond(site[0], *found)
        except (Spent, TooLong):
            pass
        rest = {key(v) for v, _ in left} & (self.named[0] | self.named[1])
        if rest and not self.report.wrong:
            what = "comparison was" if len(rest) == 1 else "comparisons were"
            self.report.notes.append(f"{len(rest)} {what} not examined where both sides are equal")

    def _flip(self, search: Search, site: Site) -> tuple[list[Any], int] | None:
        """Arguments at which a comparison flips, near one of the points."""
        there = [self._leaves(xs) for xs, record in self.seen[1:] if site in record.first]
        for base, other in pairwise(there[:3]):
            if (found := search.flip(site, base, other)) is not None:
                return found
        return None

    def _measured(self, leaves: list[Any]) -> Record:
        assert self.forward is not None
        xs = self._of_leaves(leaves)
        dxs = [draw(t, random.Random(0), direction) for t in self.types]
        again = self.watch.anew()
        try:
            run(self.forward.func, *self._joined(xs, dxs), watch=again)
        except TooLong:
            raise
        except self.outside:
            pass
        return again.record

    def _leaves(self, xs: Sequence[Any]) -> list[Any]:
        return [y for x, t in zip(xs, self.types, strict=True) for y in leaves_of(x, t)]

    def _of_leaves(self, leaves: Sequence[Any]) -> list[Any]:
        rest = iter(leaves)
        return [from_leaves(rest, t) for t in self.types]

    def _at_flip(self, xs: list[Any], leaves: list[Any], k: int) -> None:
        """Examine a point, and its neighbours in the number at place `k`."""
        x = leaves[k]
        self.special, self.scale = True, max(1.0, abs(float(x)))
        before = len(self.report.kinks)
        self._examined(xs)
        if isinstance(x, float) and not self.report.wrong and len(self.report.kinks) == before:
            self._neighbours(xs, leaves, k)
        self.special, self.scale = False, 1.0

    def _examined(self, xs: list[Any]) -> None:
        if (y := self._both(self.f, xs)) is not None and all(map(math.isfinite, reals(y, self.result))):
            self._derivatives(xs, y)

    def _neighbours(self, xs: list[Any], leaves: list[Any], k: int) -> None:
        """Check that the derivatives beside a point are that at it, or at a kink one that lies between the slopes."""
        dxs = [draw(t, self.rng, direction) for t in self.types]
        here = self._slope(xs, dxs)
        along = self._along(xs, dxs, len(here))
        for towards in (-math.inf, math.inf):
            near = self._of_leaves([*leaves[:k], math.nextafter(leaves[k], towards), *leaves[k + 1 :]])
            for n, ((y, d), (_, e)) in enumerate(zip(here, self._slope(near, dxs), strict=False)):
                if not math.isfinite(d) or not math.isfinite(e) or between(e, d, d, abs(y)):
                    continue
                one: Callable[[float], float] = lambda h, n=n: along(h)[n]
                sides = [on_one_side(one, sign, self.scale) for sign in (-1.0, 1.0)]
                known = all(map(math.isfinite, sides)) and not approaches(one, e, 0.1 * abs(e - sides[0]))
                if known and not between(e, sides[0], sides[1], abs(y)):
                    what = f"derivative {e:.9g}, beside a point with slopes {sides[0]:.9g} and {sides[1]:.9g}"
                    self.report.wrong.append(f"{self._where(near)}: {what}")

    def _slope(self, xs: Sequence[Any], dxs: Sequence[Any]) -> list[tuple[float, float]]:
        """The numbers of the value, each with its derivative along a direction."""
        assert self.forward is not None
        duals = self._joined(xs, dxs)
        try:
            return list(duals_of(self._call(self.forward, duals), self.result))
        except self.outside:
            return []

    def _beyond(self, v: Value, leaves: list[Any], k: int) -> None:
        """Examine a regular point on the side of a comparison that was not seen, if there is one."""
        x = leaves[k]
        for sign in (-1.0, 1.0):
            if len(self.answers.get(key(v), (True, False))) > 1 or not isinstance(x, float) or self.report.wrong:
                return
            far = x + sign * self.rng.uniform(0.25, 1.0) * max(1.0, abs(x))
            self._examined(self._of_leaves([*leaves[:k], far, *leaves[k + 1 :]]))

    def _unseen(self) -> None:
        """Tell which comparisons were not seen both ways."""
        if self.report.wrong:
            return
        if not self.interpreted:
            if self.named[0] or self.named[1]:
                self.report.notes.append("the interpreter took no part: no comparison was looked at")
            return
        for loc, op in sorted(self.named[0] | self.named[1], key=lambda k: (k[0].position()[1:3], k[1].name)):
            answers = self.answers.get((loc, op), set())
            if len(answers) < 2:
                never = "seen" if not answers else "false" if True in answers else "true"
                self.report.notes.append(f"the comparison at line {loc.position()[1]} was never {never}")

    # second derivatives

    def _twice(self, points: int) -> None:
        """Compare the bits of second derivatives at the last points: those of forward and reverse mode over reverse."""
        reverse = self.reverse
        if reverse is None or self.report.wrong or not self.interpreted or not points:
            return
        try:
            over = [] if _length(reverse) > LONG else [jvp(reverse), pullback(reverse)]
            if not over or any([_length(g) > LONG for g in over]):
                self.report.notes.append("second derivatives are long: the module is not compared with the interpreter")
                return
        except NotDifferentiable as e:
            self.report.notes.append(f"it has no second derivative: {e.message}")
            return
        types, result = [*self.types, self.result], untyped(reverse.result)
        for xs, _ in self.seen[-points:]:
            given = [*xs, draw(self.result, self.rng, direction, like=self._both(self.f, xs))]
            moves = [draw(t, self.rng, direction, like=x) for x, t in zip(given, types, strict=True)]
            duals = [joined(x, dx, t) for x, dx, t in zip(given, moves, types, strict=True)]
            ct = draw(result, self.rng, direction, like=self._both(reverse, given))
            both = [self._both(over[0], duals), self._both(over[1], [*given, ct])]
            self.report.twice += None not in both

    def _second(self, xs: Sequence[Any], dxs: Sequence[Any], dy: list[float]) -> None:
        """Compare the second derivatives at a special point with differences of the first, where that is continuous."""
        if self.report.wrong or not self.interpreted or not self.record.ties or self.forward is None:
            return
        if self.second is None:
            self.second = jvp(self.forward)
        lines = self._duals_along(xs, dxs)
        found = run(self.second.func, *lines, watch=self.watch.anew())
        duals = duals_of(found, untyped(self.forward.result))
        seconds = [d for (_, d), moves in zip(duals, tangents_in(self.result), strict=True) if moves]

        def along(h: float) -> list[float]:
            self.watch.another()
            there = self._moved(xs, dxs, h)
            return [d for _, d in self._slope(there, dxs)] or [math.nan] * len(dy)

        for k, (d, dd) in enumerate(zip(dy, seconds, strict=True)):
            self._second_at(self._where(xs), lambda h, k=k: along(h)[k], d, dd)

    def _duals_along(self, xs: Sequence[Any], dxs: Sequence[Any]) -> list[Any]:
        """The point and the direction as arguments of the second derivative, along the same direction twice."""
        assert self.forward is not None
        duals = self._joined(xs, dxs)
        zeros = [draw(t, self.rng, zero, like=x) for x, t in zip(xs, self.types, strict=True)]
        moves = self._joined(dxs, zeros)
        return [joined(x, dx, untyped(t)) for x, dx, t in zip(duals, moves, self.forward.types, strict=True)]

    def _second_at(self, at: str, along: Callable[[float], float], d: float, dd: float) -> None:
        if any([abs(along(h * self.scale) - d) > 1e-6 * max(1.0, abs(d)) for h in (-1e-14, 1e-14)]):
            return  # a kink
        sides = [on_one_side(along, sign, self.scale) for sign in (-1.0, 1.0)]
        if not all(map(math.isfinite, [*sides, dd])):
            return
        left, right = sides
        same = between(left, right, right, abs(d))
        if same and between(dd, left, right, abs(d)):
            return
        said = f"a kink of order 2, with second derivatives {left:.6g} and {right:.6g}; by our rules {dd:.6g}"
        if between(dd, left, right, abs(d)) or self._by_convention(also=True) or self.stops:
            self.report.kinks.append(f"{at}: {said}")
        else:
            self.report.wrong.append(f"{at}: {said}")
