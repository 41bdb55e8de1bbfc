"""`examine`: gradient checks of a function at random points.

At each point the module must have the bits of the interpreter, in the value and in both modes; reverse mode must be the
adjoint of forward mode, up to rounding; and forward mode must agree with differences of the value, extrapolated to
step 0 (Richardson). The first point is 0: a disagreement there, or an infinite derivative, is a kink. It is reported,
and is not wrong.
"""

from __future__ import annotations

import io
import math
import random
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import combinations
from operator import mul
from typing import Any

from .derivatives.gradients import jvp, pullback
from .errors import NotDifferentiable, RoseError
from .frontend.any_size import AnySize
from .frontend.function import AnyFn
from .host.effects import Assertion, Printer, spelled
from .host.interpreter import Env, evaluate, run
from .host.marshal import plain, present
from .ir import Func, Value, While
from .ir.callgraph import instructions, reachable
from .ir.ops import stop_gradient
from .ir.types import Fin, Real, Tuple, Type, Vec, untyped

ITERATIONS, PATIENCE = 10_000, 300_000  # of loops of unknown length: in one evaluation, and in all of a function
STEPS = (0.1, 1e-2, 1e-3, 1e-5)  # the largest steps of differences; each is halved seven times
CLOSE = 1e-6  # the tolerance of differences, relative to the derivative
ADJOINT = 1e-8  # the tolerance of the adjoint, relative to the products that are summed


@dataclass
class Report:
    """The findings on one function. It is `ok` unless something is `wrong`."""

    name: str
    points: int = 0  # at which derivatives were compared
    adjoint: float = 0.0  # the largest error between forward and reverse mode, relative to the products summed
    differences: float = 0.0  # the largest error between forward mode and differences, relative to the derivative
    kinks: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])

    @property
    def ok(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        lines = [f"{self.name}: {'ok' if self.ok else 'WRONG'}"]
        if self.points and self.ok:
            at = f"{self.points} point{'s' * (self.points != 1)}"
            lines.append(f"at {at}, forward and reverse mode differ by {self.adjoint:.0e}, ")
            lines[-1] += f"forward mode and differences by {self.differences:.0e}"
        return "\n  ".join([*lines, *self.wrong, *several(self.kinks, "kinks"), *several(self.notes, "notes")])


def several(said: Sequence[str], what: str) -> list[str]:
    """The first three lines of `said`, and the number of the others."""
    return [*said[:3], *([f"and {len(said) - 3} more {what}"] if len(said) > 3 else [])]


def examine(
    f: AnyFn, points: int = 10, seed: int = 0, sizes: Mapping[str, int] | None = None, *,
    strict: bool = True, interpreted: bool = True, patience: int = PATIENCE, most: int | None = None,
) -> Report:  # fmt: skip
    """Check the derivatives of `f` at random points where it is finite, the same ones for the same seed.

    A size of a `rose.dim` is 3, unless `sizes` says another. If only one mode gives a nan, that is wrong if it is
    `strict`, else reported as a kink. Without `interpreted`, the bits of the module are not compared with the
    interpreter's, unless there are loops of unknown length, which have `patience` iterations at most. For
    differences the function is evaluated at most `most` times.
    """
    report = Report(f.name)
    if isinstance(f, AnySize):
        f = f.at(**{d.text: (sizes or {}).get(d.text, 3) for d in f.dims})
    if any(map(_is_empty, f.types)):
        report.notes.append("not checked: a parameter is an index of nothing")
    else:
        with redirect_stdout(io.StringIO()):  # what the function prints
            rng = random.Random(f"{seed} {f.name}")
            _Examination(f, report, rng, _Limit(patience, most), strict, interpreted).at(points)
    return report


def _is_empty(t: Type) -> bool:
    """True for a type that has no value."""
    if isinstance(t, Vec):
        return t.size > 0 and _is_empty(t.elem)
    return t.size == 0 if isinstance(t, Fin) else isinstance(t, Tuple) and any(map(_is_empty, t.items))


class _Examination:
    """The examination of one function and its derivatives, at one point after another."""

    def __init__(
        self, f: AnyFn, report: Report, rng: random.Random, watch: _Limit, strict: bool, interpreted: bool
    ) -> None:
        self.f, self.report, self.rng, self.watch, self.strict = f, report, rng, watch, strict
        self.types, self.result = [untyped(t) for t in f.types], untyped(f.result)
        self.forward = self.reverse = None
        self.special = False  # at 0, where kinks are
        parts = list(reachable(f.func))
        self.stops = any(v.op is stop_gradient for g in parts for v in instructions(g.body))
        self.endless = any(isinstance(g.kind, While) for g in parts)
        self.interpreted = interpreted or self.endless
        self.outside: tuple[type[Exception], ...] = (RoseError, _TooLong)  # what it raises outside of its domain
        if any(g.impl and not isinstance(g.impl, (Printer, Assertion)) for g in parts):
            self.outside += (ValueError, ArithmeticError)
        if not self.result.real or not any(t.real for t in self.types):
            report.notes.append("it has no derivative: the module is compared with the interpreter")
            return
        try:
            self.forward, self.reverse = jvp(f), pullback(f)
            _ = self.forward.func, self.reverse.func
        except NotDifferentiable as e:
            self.forward = self.reverse = None
            report.notes.append(f"it has no derivative: {e.message}")

    def at(self, points: int) -> None:
        found = 0
        for k in range(20 * points):
            self.special = k == 0
            real = _zero if self.special else _SCALES[k % len(_SCALES)]
            xs = [_draw(t, self.rng, real) for t in self.types]
            if (y := self._both(self.f, xs)) is not None and all(map(math.isfinite, _reals(y, self.result))):
                self._derivatives(xs, y)
                found += 1
            if found == points or self.report.wrong:
                break
            if self.watch.patience < 0:
                end = "ended early" if found else "not checked"
                self.report.notes.append(f"{end}: its loops take many iterations")
                break
        if not found and self.watch.patience >= 0:
            self.report.notes.append("not checked: no point was found where it is finite")
        self.report.points = found if self.forward is not None else 0

    def _both(self, f: AnyFn, xs: Sequence[Any]) -> Any:
        """The value in the interpreter, compared with the module's bits; None outside of the domain of `f`."""
        try:
            if not self.interpreted:
                return self._call(f, xs)
            y = run(f.func, *xs, watch=self.watch.anew())
        except self.outside:
            return None
        if _bits(made := self._call(f, xs)) != _bits(y):
            what = f"{_short(spelled(made, f.result))} in the module, {_short(spelled(y, f.result))} in the interpreter"
            self.report.wrong.append(f"{self._where(xs[: len(self.types)])}: {f.name} is {what}")
        return y

    def _call(self, f: AnyFn, xs: Sequence[Any]) -> Any:
        return plain(f(*[present(x, t) for x, t in zip(xs, f.types, strict=True)]), f.result)

    def _where(self, xs: Sequence[Any]) -> str:
        given = zip(self.f.names, xs, self.types, strict=True)
        return _short("at " + ", ".join([f"{name} = {spelled(x, t)}" for name, x, t in given]))

    def _derivatives(self, xs: Sequence[Any], y: Any) -> None:
        if self.forward is None or self.reverse is None:
            return
        dxs = [_draw(t, self.rng, _direction) for t in self.types]
        ct = _draw(self.result, self.rng, _direction, like=y)
        duals = [_join(x, dx, t) for x, dx, t in zip(xs, dxs, self.types, strict=True)]
        both, pulled = self._both(self.forward, duals), self._both(self.reverse, [*xs, ct])
        if self.report.wrong or both is None or pulled is None:
            return
        dy = [d for _, d in _duals(both, self.result)]
        gradients = pulled[1] if len(xs) > 1 else (pulled[1],)
        gs = [x for g, t in zip(gradients, self.types, strict=True) if t.real for x in _reals(g, t)]
        ds = [x for dx, t in zip(dxs, self.types, strict=True) for x in _reals(dx, t)]
        finite = [all(map(math.isfinite, some)) for some in (dy, gs)]
        if not any(finite):
            self.report.kinks.append(f"{self._where(xs)}: the derivative is not finite")
        elif not all(finite):
            said = self.report.wrong if self.strict and not self.special else self.report.kinks
            said.append(f"{self._where(xs)}: one of forward and reverse mode is finite, and one is not")
        else:
            value, cts = list(_reals(y, self.result)), list(_reals(ct, self.result))
            room = 1e-4 * math.fsum([abs(u) * max(1.0, abs(x)) for u, x in zip(cts, value, strict=True)])
            self._adjoint(xs, list(map(mul, cts, dy)), list(map(mul, gs, ds)), room)
            try:
                self._differences(xs, dxs, value, dy)
            except _TooLong:
                self.report.notes.append(f"{self._where(xs)}: differences take too long")

    def _adjoint(self, xs: Sequence[Any], out: list[float], back: list[float], room: float) -> None:
        """Check that `<ct, J dx>` is `<J^T ct, dx>`, up to rounding of the products, and inside of the function."""
        x, y = math.fsum(out), math.fsum(back)
        off = abs(x - y) / (math.fsum(map(abs, [*out, *back])) + room or 1.0)
        self.report.adjoint = max(self.report.adjoint, off)
        if off > ADJOINT:
            what = f"forward mode gives {x:.9g} along a direction, and reverse mode {y:.9g}"
            self.report.wrong.append(f"{self._where(xs)}: {what}")

    def _differences(self, xs: Sequence[Any], dxs: Sequence[Any], y: list[float], dy: list[float]) -> None:
        def along(h: float) -> list[float]:
            self.watch.another()
            moved = [_moved(x, dx, h, t) for x, dx, t in zip(xs, dxs, self.types, strict=True)]
            try:
                again = self.watch.anew()
                z = run(self.f.func, *moved, watch=again) if self.endless else self._call(self.f, moved)
            except _TooLong:
                raise
            except self.outside:
                return [math.nan] * len(y)
            return list(_reals(z, self.result))

        tried, off = list[list[float]](), [math.inf] * len(dy)
        for h in STEPS:
            tried.append(_slopes(along, h))
            for k, (value, d, slope) in enumerate(zip(y, dy, tried[-1], strict=True)):
                if abs(d - slope) <= CLOSE * max(abs(d), abs(slope)) + 1e-9 * max(1.0, abs(value)):
                    off[k] = min(off[k], abs(d - slope) / max(abs(d), 1e-3, 1e-3 * abs(value)))
            if math.inf not in off:
                break
        for k, x in enumerate(off):
            if x < math.inf:
                self.report.differences = max(self.report.differences, x)
            else:
                self._disagree(self._where(xs), lambda h, k=k: along(h)[k], dy[k], [slopes[k] for slopes in tried])

    def _disagree(self, at: str, along: Callable[[float], float], d: float, slopes: Sequence[float]) -> None:
        """Classify a derivative `d` far from all differences: a kink, a jump, too rough to tell, or wrong."""
        found = next((s for r, s in combinations(slopes, 2) if abs(r - s) <= 1e-4 * abs(s)), math.nan)
        left, right = sorted([_one_sided(along, sign) for sign in (-1.0, 1.0)])
        space = 1e-4 * max(abs(left), abs(right))
        said = f"derivative {d:.9g}, by differences {found:.9g}"
        if self.special and any([abs(along(h) - along(0.0)) > 1e-6 for h in (-1e-14, 1e-14)]):
            self.report.kinks.append(f"{at}: a jump; derivative {d:.6g}")
        elif self.special or (right - left > space and left - space <= d <= right + space):
            self.report.kinks.append(f"{at}: a kink, with slopes {left:.6g} and {right:.6g}; derivative {d:.6g}")
        elif math.isnan(found):
            self.report.notes.append(f"{at}: differences are too rough to tell (derivative {d:.9g})")
        elif self.stops:
            self.report.notes.append(f"{at}: {said}; it has a stop_gradient, which only derivatives see")
        elif _goes(along, d, 0.1 * abs(d - found)):
            self.report.kinks.append(f"{at}: many jumps; {said}")
        else:
            self.report.wrong.append(f"{at}: {said}")


class _TooLong(Exception):
    """An evaluation takes too many iterations."""


class _Limit:
    """The watch of an interpreter run that stops it after too many iterations."""

    def __init__(self, patience: int, most: int | None) -> None:
        self.calls: list[tuple[Value, Env]] = []
        self.left, self.patience, self.most = ITERATIONS, patience, most

    def anew(self) -> _Limit:
        """This watch, for another evaluation."""
        self.calls, self.left = [], ITERATIONS
        return self

    def another(self) -> None:
        """Count one more evaluation for differences."""
        if self.most is not None:
            self.most -= 1
            if self.most < 0:
                raise _TooLong

    def given(self, p: Value, x: Any) -> Any:
        return x

    def step(self, v: Value, xs: list[Any], env: Env) -> Any:
        return evaluate(v, xs)

    def answered(self, v: Value, xs: list[Any], x: Any, env: Env) -> Any:
        return x

    def iteration(self, f: Func, count: int, xs: list[Any]) -> None:
        self.left, self.patience = self.left - 1, self.patience - 1
        if min(self.left, self.patience) < 0:
            raise _TooLong


# points and directions


Draw = Callable[[random.Random], float]

_SCALES: tuple[Draw, ...] = (
    lambda rng: rng.gauss(0.0, 1.0),
    lambda rng: rng.random(),
    lambda rng: rng.uniform(1.0, 4.0),
    lambda rng: rng.uniform(-1.0, 1.0) * 10.0 ** rng.randint(-2, 2),
)
_zero: Draw = lambda rng: 0.0
_direction: Draw = lambda rng: rng.choice((-1.0, 1.0)) * rng.uniform(0.25, 1.0)


def _draw(t: Type, rng: random.Random, real: Draw, like: Any = None) -> Any:
    """A random value of type `t`; its truth values and indices are those of `like`, if that is given."""
    if isinstance(t, Vec):
        return tuple([_draw(t.elem, rng, real, None if like is None else like[k]) for k in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([_draw(s, rng, real, None if like is None else like[k]) for k, s in enumerate(t.items)])
    if t is Real:
        return real(rng)
    if like is not None or t.empty:
        return like
    return rng.randrange(t.size) if isinstance(t, Fin) else rng.random() < 0.5


def _parts_of(x: Any, t: Type) -> Iterator[tuple[Any, Type]]:
    return zip(x, [t.elem] * t.size if isinstance(t, Vec) else t.items if isinstance(t, Tuple) else (), strict=True)


def _reals(x: Any, t: Type) -> Iterator[float]:
    """The Reals in a host value, in order."""
    if t is Real:
        yield x
    elif t.real:
        for y, s in _parts_of(x, t):
            yield from _reals(y, s)


def _join(x: Any, dx: Any, t: Type) -> Any:
    """The host value of type `Dual[t]` with primal `x` and tangent `dx`."""
    if t is Real:
        return (x, dx)
    return tuple([_join(y, dy, s) for (y, s), dy in zip(_parts_of(x, t), dx, strict=True)]) if t.real else x


def _duals(x: Any, t: Type) -> Iterator[tuple[float, float]]:
    """The Duals in a host value of type `Dual[t]`, in order."""
    if t is Real:
        yield x
    elif t.real:
        for y, s in _parts_of(x, t):
            yield from _duals(y, s)


def _moved(x: Any, dx: Any, h: float, t: Type) -> Any:
    if t is Real:
        return x + h * dx
    return tuple([_moved(y, dy, h, s) for (y, s), dy in zip(_parts_of(x, t), dx, strict=True)]) if t.real else x


def _bits(x: Any) -> Any:
    """A host value with each float as its bits; all nans are equal."""
    if isinstance(x, tuple):
        return tuple([_bits(y) for y in x])  # pyright: ignore[reportUnknownVariableType]
    return ("nan" if x != x else struct.pack("<d", x)) if isinstance(x, float) else x


# differences


def _slopes(along: Callable[[float], list[float]], h: float) -> list[float]:
    """The derivative of each number along a line, by central differences from `h` on."""
    rows: list[list[float]] = []
    for k in range(8):
        step = h / 2**k
        rows.append([(a - b) / (2 * step) for a, b in zip(along(step), along(-step), strict=True)])
    return [_limit([row[k] for row in rows], 4.0) for k in range(len(rows[0]))]


def _one_sided(along: Callable[[float], float], sign: float) -> float:
    """The derivative on one side."""
    steps = [sign * 1e-3 / 2**k for k in range(8)]
    return _limit([(along(step) - along(0.0)) / step for step in steps], 2.0)


def _goes(along: Callable[[float], float], d: float, room: float) -> bool:
    """True if differences with tiny steps approach `d`, as far as rounding lets them."""
    noise = 1e-15 * abs(along(0.0))
    return any(noise / h < room and abs((along(h) - along(-h)) / (2 * h) - d) < room for h in (1e-7, 1e-8, 1e-9, 1e-10))


def _limit(column: Sequence[float], power: float) -> float:
    """The limit of a sequence whose items halve the step: Richardson extrapolation, with Ridders' error estimate."""
    best, least, last = column[-1], math.inf, [column[0]]
    for x in column[1:]:
        row, factor = [x], 1.0
        for before in last:
            factor *= power
            row.append(row[-1] + (row[-1] - before) / (factor - 1))
        for j in range(1, len(row)):
            error = max(abs(row[j] - row[j - 1]), abs(row[j] - last[j - 1]))
            if error < least:
                best, least = row[j], error
        last = row
    return best


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
