"""Calls, loops and branches, and functions whose derivative was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import getclosurevars
from typing import Any

import numpy as np

from ...frontend.arrays import kinds, reductions, shaping
from ...frontend.arrays.shapes import leaf_of
from ...frontend.index_expressions import within
from ...frontend.language import control, loops
from ...frontend.language.debugging import assert_
from ...frontend.language.select import where
from ...frontend.operators import certain_index
from ...frontend.values import to_value
from ...ir import Value, ops
from ...ir.types import Fin
from ..equations import Aval, Equation, rule
from ..jax_api import core
from ..operands import Known, Operand, Truth, shape_of, traced

Closed = Any  # a jaxpr with its constants


def typed(x: Operand, a: Aval) -> Value:
    """An operand as a value of exactly its type."""
    v, t = traced(x), a.type
    return v if isinstance(v, Value) and v.type is t else to_value(kinds.astype(v, float) if _counts(v) else v, t)


def _counts(v: Any) -> bool:
    """True of an array of indices."""
    return isinstance(v, Value) and bool(shape_of(v)) and isinstance(leaf_of(v.type), Fin)


def as_index(x: Any, n: int) -> Any:
    """A whole number as an index below `n`; the nearest, if it is none."""
    if not isinstance(x, Value):
        return min(max(int(x), 0), n - 1)
    x = x if isinstance(x.type, Fin) else certain_index(x)
    if isinstance(x.type, Fin):
        return within(x, n)
    floor: Any = np.maximum
    return within(ops.itrunc(floor(x, 0.0)), n)


@rule("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint", "custom_lin", raw=True)
def _call(e: Equation, *xs: Operand) -> list[Operand]:
    return e.program.call(closed(e, "jaxpr", "call_jaxpr"), str(e.params.get("name", e.name)), xs)


def closed(e: Equation, *names: str) -> Closed:
    """The jaxpr that an equation holds, with constants."""
    found = next(e.params[n] for n in names if n in e.params)
    return found if hasattr(found, "consts") else core.ClosedJaxpr(found, ())


# loops


class _Carry:
    """The state of a loop: what of it stays as it is, what counts iterations, and what is carried."""

    def __init__(self, jaxpr: Any, consts: int, count: int, start: Sequence[Operand], avals: Sequence[Aval]) -> None:
        ins, outs = jaxpr.invars[consts : consts + count], jaxpr.outvars[:count]
        self.start, self.avals = list(start), avals
        self.same = [k for k in range(count) if outs[k] is ins[k]]
        self.steps = {k: n for k in range(count) if (n := _step(jaxpr, ins[k], outs[k])) and _is_whole(start[k])}
        self.carried = [k for k in range(count) if k not in self.same and k not in self.steps]

    def init(self) -> tuple[Value, ...]:
        return tuple([typed(self.start[k], self.avals[k]) for k in self.carried])

    def at(self, i: Any, state: Any) -> list[Operand]:
        """The whole state in iteration `i`."""
        whole = list(self.start)
        for k, n in self.steps.items():
            first = int(self.start[k].array)
            whole[k] = Known(np.asarray(first + n * i)) if isinstance(i, int) else i * n + first
        for j, k in enumerate(self.carried):
            whole[k] = state[j]
        return whole

    def next(self, after: Sequence[Operand]) -> tuple[Value, ...]:
        return tuple([typed(after[k], self.avals[k]) for k in self.carried])


def _is_whole(x: Operand) -> bool:
    return x.__class__ is Known and x.array.ndim == 0 and x.array.dtype.kind in "iu"


def _step(jaxpr: Any, before: Any, after: Any) -> int:
    """By how much each iteration increases a whole number; 0 if that is not a number above 0."""
    for e in jaxpr.eqns:
        if after in e.outvars and e.primitive.name == "add" and e.invars[0] is before and hasattr(e.invars[1], "val"):
            n = np.asarray(e.invars[1].val)
            return int(n) if n.ndim == 0 and n.dtype.kind in "iu" and n > 0 else 0
    return 0


@rule("scan", raw=True)
def _scan(e: Equation, *xs: Operand) -> list[Operand]:
    p = e.params
    consts, count, n, inner = p["num_consts"], p["num_carry"], p["length"], p["jaxpr"]
    avals = e.outs[:count]
    carry = _Carry(inner.jaxpr, consts, count, xs[consts : consts + count], avals)
    rows = list(xs[consts + count :])
    outs = [Aval(a.shape[1:], a.dtype) for a in e.outs[count:]]

    def step(i: Any, state: Any) -> Any:
        k = (n - 1) - i if p["reverse"] else i
        items = [_row(x, k, n) for x in rows]
        after = e.program.run(inner, [*xs[:consts], *carry.at(i, state), *items])
        made = tuple([typed(x, a) for x, a in zip(after[count:], outs, strict=True)])
        return (carry.next(after), made) if made else carry.next(after)

    if n == 0:
        return [*carry.start, *[Known(np.zeros(a.shape, a.dtype)) for a in e.outs[count:]]]
    found = control.scan(step, carry.init(), n)
    last, stacked = found if outs else (found, ())
    stacked = [stacked[k] for k in range(len(outs))]
    flipped = [shaping.flip(y, 0) for y in stacked] if p["reverse"] else stacked
    return [*carry.at(n, last), *flipped]


def _row(x: Operand, k: Any, n: int) -> Operand:
    """Row `k` of an operand: of numbers that count, the number."""
    if x.__class__ is Known and x.array.ndim == 1 and x.array.dtype.kind in "iu" and n > 1:
        first, step = int(x.array[0]), int(x.array[1]) - int(x.array[0])
        if step > 0 and (np.diff(x.array) == step).all():
            return k * step + first
    if x.__class__ is Truth:
        return Truth(x.value[k])
    v = x.traced() if x.__class__ is Known else traced(x)
    return v[k]


@rule("while", raw=True)
def _while(e: Equation, *xs: Operand) -> list[Operand]:
    p = e.params
    a, b = p["cond_nconsts"], p["body_nconsts"]
    test_consts, body_consts, start = xs[:a], xs[a : a + b], xs[a + b :]
    test, body = p["cond_jaxpr"], p["body_jaxpr"]
    carry = _Carry(body.jaxpr, b, len(start), start, e.outs)
    carry.carried, carry.steps = sorted([*carry.carried, *carry.steps]), {}

    several = test.out_avals[0].shape

    def asked(state: Any) -> Any:
        (answer,) = e.program.run(test, [*test_consts, *carry.at(0, state)])
        return traced(answer)

    def holds(state: Any) -> Any:
        return reductions.any_(asked(state)) if several else asked(state)

    def step(state: Any) -> Any:
        """The next state: of a batch of loops, for those that go on."""
        after = carry.next(e.program.run(body, [*body_consts, *carry.at(0, state)]))
        if not several:
            return after
        on = asked(state)
        return tuple([_kept(on, y, state[j]) for j, y in enumerate(after)])

    return carry.at(0, control.while_loop(holds, step, carry.init()))


def _kept(on: Any, new: Any, old: Any) -> Any:
    """`new` for those of a batch that go on, else `old`."""
    if not shape_of(on):
        return where(on, new, old)
    return loops.vec(_kept(on[i], new[i], old[i]) for i in loops.range(shape_of(on)[0]))


# branches


@rule("cond", raw=True)
def _cond(e: Equation, which: Operand, *xs: Operand) -> list[Operand]:
    branches = e.params["branches"]
    run: Callable[[int], Any] = lambda k: e.program.run(branches[k], xs)
    if which.__class__ is Known:
        return run(min(max(int(which.array), 0), len(branches) - 1))

    def taken(k: int) -> tuple[Value, ...]:
        return tuple([typed(x, a) for x, a in zip(run(k), e.outs, strict=True)])

    if not e.outs:
        return []
    if len(branches) == 2:
        p = which.value if which.__class__ is Truth else which if e.kind == "b" else traced(which) > 0
        made = control.cond(p, lambda: taken(1), lambda: taken(0))
    else:
        at = as_index(traced(which), len(branches))
        made = control.switch(at, [partial(taken, k) for k in range(len(branches))])
    return [made[k] for k in range(len(e.outs))]


@rule("platform_index", raw=True)
def _platform(e: Equation, *_: Operand) -> Operand:
    """The branch for the processor that JAX calls cpu, or the default one."""
    names = e.params["platforms"]
    for k, row in enumerate(names):
        if row is None or "cpu" in row:
            return Known(np.asarray(k, e.out.dtype))
    raise e.refused("no branch for a cpu", "give a default")


@rule("debug_callback", "debug_print", "inspect_sharding", "io_callback", note="always", raw=True)
def _callback(e: Equation, *_: Operand) -> list[Operand]:
    raise e.refused("there is no Python where the module runs", "leave the callback out; rose.print prints in a page")


@rule("pure_callback", note="but that of equinox.error_if", raw=True)
def _pure_callback(e: Equation, *xs: Operand) -> list[Operand]:
    """What `equinox.error_if` does where its condition holds: an assertion fails."""
    f: Any = getattr(e.params["callback"], "callback_func", None)
    if getattr(f, "__module__", "") != "equinox._errors":
        return _callback(e)
    if f.__name__ == "raises":
        messages: Sequence[str] = getclosurevars(f).nonlocals["msgs"]
        index = int(xs[0].array) if xs[0].__class__ is Known else None
        assert_(False, messages[index] if index is not None else "; or ".join(messages))
    return [Known(np.full(a.shape, np.nan if a.dtype.kind in "fc" else 0, a.dtype)) for a in e.outs]
