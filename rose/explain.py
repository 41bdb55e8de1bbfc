"""`explain_nan`: the origin of the first nan or infinity of a result, by taint tracking.

The function runs in the interpreter, and each number that is not finite carries its origin: the operation that made
it from finite numbers, or made a nan from infinities. Operations that only propagate it keep its origin. So the origins
in the result are those that flowed into it; a comparison ends a flow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from .differentiation.gradients import gradient
from .errors import Loc, NotDifferentiable, edge
from .frontend.function import AnyFn, checked
from .host.evaluator import Env, Items
from .host.interpreter import Watch, run
from .ir import ADD_TO, CONST, PARAM, Block, Func, Loop, Value, While, callee, is_call
from .ir.ops import ifrom
from .ir.stacks import JOIN
from .ir.types import Fin, Real


@dataclass(frozen=True)
class Origin:
    """An operation that made a nan or an infinity from `inputs`, in these iterations of the loops around it.

    `calls` names its function, and the calls that led there. Of a nan that was made from infinities,
    `cause` is the origin of the first of them.
    """

    operation: str
    inputs: tuple[Any, ...]
    output: float
    loc: Loc
    turns: tuple[tuple[int, Loc], ...]
    calls: tuple[str, ...]
    backward: bool
    cause: Origin | None

    def __str__(self) -> str:
        of = " and ".join([_short(x) for x in self.inputs])
        half = ", in the derivative" if self.backward else ""
        lines = [f"{self.operation} made {self.output} of {of}{half}" if of else f"{self.operation} is {self.output}"]
        lines.append(f"  at {self.loc}")
        lines += [x for x in [self.loc.excerpt()] if x]
        lines += [f"  in iteration {i} (counted from 0) of the loop at {loc}" for i, loc in self.turns]
        return "\n".join([*lines, *[f"  {call}" for call in self.calls]])


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 60 else text[:57] + "..."


@dataclass(frozen=True)
class Explanation:
    """The result of `explain_nan`: the `origins` that flow into the result, in order, and the `unseen` others.

    `first` is the first origin, and `nan` the first that made a nan. An explanation without origins is false.
    """

    name: str
    origins: tuple[Origin, ...]
    unseen: tuple[Origin, ...]

    @property
    def first(self) -> Origin | None:
        return self.origins[0] if self.origins else None

    @property
    def nan(self) -> Origin | None:
        return next((x for x in self.origins if math.isnan(x.output)), None)

    def __bool__(self) -> bool:
        return bool(self.origins)

    def __str__(self) -> str:
        parts = [str(self.first) if self.first is not None else f"nothing in {self.name} is nan or infinite"]
        if self.nan is not None and self.nan is not self.first:
            parts.append(f"then {self.nan}")
        if self.unseen:
            where = ", ".join(dict.fromkeys([str(x.loc) for x in self.unseen[:3]]))
            more = ", ..." if len(self.unseen) > 3 else ""
            parts.append(f"{len(self.unseen)} more did not reach the result: at {where}{more}")
        return "\n".join(parts)

    __repr__ = __str__


@edge
def explain_nan(f: Any, *args: Any) -> Explanation:
    """The origin of the first nan or infinity of `f(*args)`, and of its gradient, if `f` gives a Real.

    Printed, it names the operation that made it, its inputs, line, iteration and callers. A branch of `select` that
    is not taken, and all else that does not flow into the result, is only counted. It is slow: `f` is
    evaluated by the interpreter.
    """
    return _explained(checked(f, "explain_nan"), args)


def _explained(f: AnyFn, args: Sequence[Any]) -> Explanation:
    both = _with_gradient(f)
    watch = _Watch(f.func if both is None else both.func, hide_root=both is not None)
    answer = run(watch.root, *f.bind(args, {}), watch=watch)
    reaching = dict.fromkeys(_origins(answer))
    forward = reaching if both is None else dict.fromkeys(_origins(answer[0]))
    found = [_told(x, x in reaching and x not in forward) for x in watch.found]
    there = [told for x, told in zip(watch.found, found, strict=True) if x in reaching]
    return Explanation(f.name, tuple(there), tuple([x for x in found if x not in there]))


def _with_gradient(f: AnyFn) -> AnyFn | None:
    """`value_and_grad` of `f` in all parameters that have a derivative; None if there is none."""
    active = [k for k, t in enumerate(f.types) if t.real]
    if f.result is not Real or not active:
        return None
    try:
        made = gradient(f, active, "value_and_grad", in_halves=True)
        _ = made.func
    except NotDifferentiable:
        return None
    return made


# numbers that know where they come from


@dataclass(eq=False)
class _Found:
    """An origin, while the function runs."""

    v: Value
    inputs: tuple[Any, ...]
    output: float
    turns: tuple[tuple[int, Loc], ...]
    frames: tuple[tuple[Func, Loc | None], ...]  # the functions that are running, the innermost first
    cause: _Found | None
    told: list[Origin] = field(default_factory=list[Origin])


class _Marked(float):
    """A number that is not finite, with its origin."""

    __slots__ = ("origin",)
    origin: _Found

    def __reduce__(self) -> Any:
        return float, (float(self),)


def _marked(x: float, origin: _Found) -> _Marked:
    made = _Marked(x)
    made.origin = origin
    return made


def _is_tuple(x: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(x, tuple)


def _origins(x: Any) -> Iterator[_Found]:
    """The origins of all numbers in a value, and their causes."""
    if isinstance(x, _Marked):
        at: _Found | None = x.origin
        while at is not None:
            yield at
            at = at.cause
    elif _is_tuple(x):
        for y in x:
            yield from _origins(y)


class _Watch(Watch):
    """The watch of an interpreter run that marks numbers that are not finite with their origin."""

    def __init__(self, root: Func, *, hide_root: bool) -> None:
        super().__init__()
        self.root, self.hide_root = root, hide_root
        self.found: list[_Found] = []
        self.loops: dict[int, tuple[Func, int, list[Any]]] = {}  # the iteration of each while_loop, by call depth

    def given(self, p: Value, x: Any) -> Any:
        return self.all(p, x, {})

    def step(self, v: Value, xs: list[Any], env: Env) -> Any:
        if v.op is ADD_TO:
            ref, x = xs
            before = ref.read()
            super().step(v, xs, env)
            ref.put(self.each(v, before, x, ref.read(), env))
            return None
        z = super().step(v, xs, env)
        if v.op is JOIN:
            return self.each(v, xs[0], xs[1], z, env)
        if v.op is CONST:
            return self.all(v, z, env)
        return z if z.__class__ is not float or math.isfinite(z) else self.mark(v, xs, z, env)

    def iteration(self, f: Func, count: int, xs: list[Any]) -> None:
        self.loops[len(self.calls)] = f, count, xs

    def answered(self, v: Value, xs: list[Any], x: Any, env: Env) -> Any:
        x = super().answered(v, xs, x, env)
        return self.all(v, x, env, xs) if v.attr.is_opaque else x

    def all(self, v: Value, x: Any, env: Env, xs: Sequence[Any] = ()) -> Any:
        """Mark all numbers of a value that comes from outside: an argument, a literal, an answer of the host."""
        if _is_tuple(x):
            return tuple([self.all(v, y, env, xs) for y in x])
        return self.mark(v, xs, x, env) if isinstance(x, float) and not math.isfinite(x) else x

    def each(self, v: Value, x: Any, y: Any, z: Any, env: Env) -> Any:
        """Mark the sums `z` of `x` and `y`, number by number."""
        if isinstance(z, Items):
            return self.stacked(v, x, y, z, env)
        if _is_tuple(z):
            return tuple([self.each(v, a, b, c, env) for a, b, c in zip(x, y, z, strict=True)])
        return self.mark(v, [x, y], z, env) if isinstance(z, float) and not math.isfinite(z) else z

    def stacked(self, v: Value, x: Any, y: Any, z: Any, env: Env) -> Any:
        """Mark the sums of two stacks, item by item; below the end of one, the sum is the other."""
        sums: list[Any] = []
        while x is not None and y is not None:
            sums.append(self.each(v, x.item, y.item, z.item, env))
            x, y, z = x.below, y.below, z.below
        for item in reversed(sums):
            z = Items(item, z)
        return z

    def mark(self, v: Value, xs: Sequence[Any], z: float, env: Env) -> _Marked:
        """`z` with the origin of what it was made of; a new one if that is finite, or a nan was made of infinities."""
        known = [x for x in xs if isinstance(x, _Marked)]
        nans = [x for x in known if math.isnan(x)]
        if known and (nans or not math.isnan(z)):
            return _marked(z, (nans or known)[0].origin)
        cause = known[0].origin if known else None
        ours = next((k for k, (call, _) in enumerate(self.calls) if _source(call.attr) == "library"), None)
        calls = self.calls[:ours]
        if ours is not None:  # no user has seen the inside of it
            v, env = self.calls[ours]
            xs = [env[a] for a in v.args]
        inputs = tuple([float(x) if isinstance(x, _Marked) else x for x in xs])
        made = _Found(v, inputs, float(z), self.iterations(v, env, calls), self.frames(calls), cause)
        self.found.append(made)
        return _marked(z, made)

    def frames(self, calls: Sequence[tuple[Value, Env]]) -> tuple[tuple[Func, Loc | None], ...]:
        outer: list[tuple[Func, Loc | None]] = [(self.root, None)]
        inner = [(call.attr, call.loc) for call, _ in calls]
        frames = inner if self.hide_root and inner else outer + inner
        return tuple(reversed([x for x in frames if _source(x[0]) not in ("scan", "segment", "while")]))

    def iterations(self, v: Value, env: Env, calls: Sequence[tuple[Value, Env]]) -> tuple[tuple[int, Loc], ...]:
        """The iterations of the loops around, in this function and its callers, the innermost first."""
        out, outwards = [*_iterations(v.block, env)], [*reversed(calls)]
        callers = [*[call.attr for call, _ in outwards[1:]], self.root]
        for (call, around), caller, depth in zip(outwards, callers, range(len(calls), 0, -1), strict=False):
            f = callee(call)
            if isinstance(f.kind, While):
                state, *_ = f.params
                out.append((_iteration(*self.loops[depth]), state.loc))
            if _source(f) == "scan":  # the body of a scan, whose argument is its iteration
                out += [(around[a], call.loc) for a in call.args if isinstance(a.type, Fin)][:1]
            elif _source(caller) != "segment":
                own = _iterations(call.block, around)
                out += [at for at in own if not (_source(f) == "segment" and at[1] == call.loc)]
        return tuple(out)


def _source(f: Func) -> str | None:
    """The origin of the function that `f` was derived from, in one step or several; None if a user wrote it."""
    *_, first = f.history
    return first.origin and first.origin.by


def _label(f: Func) -> str:
    """The name of the function that `f` was derived from, in one step or several."""
    *_, first = f.history
    return first.name


def _backwards(f: Func) -> int:
    """The number of times that `f` was transposed."""
    return [g.origin and g.origin.by for g in f.history].count("bwd")


def _iteration(f: Func, count: int, xs: list[Any]) -> int:
    """The iteration of a while_loop; in a backward half, the number of items that its tape has left."""
    if _backwards(f) % 2 == 0:
        return count
    tape, below = xs[0], -1
    while isinstance(tape, Items):
        tape, below = tape.below, below + 1
    return below


def _iterations(block: Block, env: Env) -> Iterator[tuple[int, Loc]]:
    around: Block | None = block
    while isinstance(around, Loop):
        i = around.index
        for v in around.code:  # a loop that runs backwards reads its own index from the end
            if v.op is ifrom and v.args[0] is i and v in env:
                i = v
        yield env[i], around.index.loc
        around = around.parent


# what a user is told


def _told(x: _Found, later: bool) -> Origin:
    """An origin for a user; `later` if it reaches the gradient and not the value."""
    if not x.told:
        cause = None if x.cause is None else _told(x.cause, later)
        backward = later or any([_backwards(f) for f, _ in x.frames])
        calls = () if x.v.op is PARAM else _calls(x.frames)
        x.told.append(Origin(_operation(x.v), x.inputs, x.output, x.v.loc, x.turns, calls, backward, cause))
    return x.told[0]


def _operation(v: Value) -> str:
    if v.op is PARAM:
        return f"the argument {v.attr}"
    if is_call(v) and v.attr.is_opaque:
        return f"the opaque function {v.attr.name}"
    if is_call(v):
        return _label(v.attr).rpartition(".")[2]
    return "a literal" if v.op is CONST else "a sum" if v.op is ADD_TO else v.op.name


def _calls(frames: Sequence[tuple[Func, Loc | None]]) -> tuple[str, ...]:
    """The calls that led to an operation, as text; the halves of a derivative have the name of its function."""
    names = [_label(f) for f, _ in frames]
    out = [f"in {names[0]}"]
    for (_, loc), caller in zip(frames, names[1:], strict=False):
        out.append(f"called from {caller} at {loc}")
    return tuple(out)
