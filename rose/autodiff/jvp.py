"""Forward mode: a function over (primal, tangent) pairs, made by running the function again.

What a tangent is, `Mode` says: here a number of type `Tan`; in `rose/taylor_mode`, further coefficients of a series.

`env` maps each old value to its new primal and its tangent. The tangent is None where it is known to be
zero, so no code is made for it; that is also how a function is differentiated in some of its parameters
and not in others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

from .. import ir
from ..errors import Loc, NotDifferentiable
from ..ir import (
    ACCUM,
    ADD_TO,
    CONST,
    FOR,
    FREEZE,
    TUPLE,
    ZERO,
    Block,
    Body,
    Branch,
    Builder,
    Func,
    Linear,
    Opaque,
    Origin,
    Value,
    While,
    is_call,
    loop_of,
)
from ..ir.accumulators import base
from ..ir.callgraph import Work, done, make_branch, make_while
from ..ir.ops import add
from ..ir.progress import step, timed
from ..ir.types import Ref, Type, as_tuple, items_of, tangent
from ..optimise.code_motion import hoisted
from ..optimise.dead_code import remove_dead_code
from ..optimise.instruments import leaves_out, told
from ..optimise.values import first, whole, witness
from .extremes import extreme_of, pair_of_extreme
from .shifts import without_derivative

T = TypeVar("T")
Pair = tuple[Value, Value | None]
Mask = tuple[bool, ...]  # for each parameter, whether it has a tangent


class Mode:
    """First derivatives: what stands beside a primal is its tangent. A subclass has something else there."""

    name: Literal["jvp", "jet"] = "jvp"

    def key(self, mask: Mask) -> tuple[object, ...]:
        """The key of a derivative in the memo of its function."""
        return jvp, mask, leaves_out("index-extremes")

    def tangent(self, t: Type) -> Type:
        """The type of what stands beside a `t`: `Unit` for what has no derivative."""
        return tangent(t)

    def by_rule(self, f: Func) -> Func:
        """The derivative of a function with a user's rule: in every parameter."""
        assert f.jvp is not None
        return f.jvp

    def has_rule(self, v: Value) -> bool:
        """True if `row` makes the derivative of this instruction."""
        return v.op.jvp is not None

    def row(self, b: Builder, v: Value, pairs: Sequence[Pair]) -> Pair:
        """A row of the table that has a derivative: its rules say which."""
        assert v.op.jvp is not None
        xs = tuple([x for x, _ in pairs])
        z = b.emit(v.op, xs)
        dz = None
        for rule, (_, dx) in zip(v.op.jvp, pairs, strict=True):
            if dx is not None and rule is not None:
                part = rule(dx, *xs, z)
                dz = part if dz is None else b.emit(add, (dz, part))
        return z, dz


FIRST = Mode()


class Env(dict[Value, Pair]):
    """The map from old values to new pairs, and the accumulators of tangents that were added to."""

    def __init__(self, mode: Mode = FIRST) -> None:
        super().__init__()
        self.mode = mode
        self.touched: dict[Value, None] = {}
        self.cancelled: set[Value] | None = None  # the maxima without a derivative, when somebody asks

    def touch(self, ref: Value | None) -> None:
        if ref is not None and isinstance(ref.type, Ref):
            self.touched[base(ref)] = None

    def primals(self) -> Env:
        """The same primals, and no tangents."""
        return _Primals(self)

    def has_none(self, v: Value) -> bool:
        """True if the derivative of an extreme cancels."""
        if self.cancelled is None:
            self.cancelled = without_derivative(v.block.root)
        return v in self.cancelled

    def full(self, b: Builder, x: Value, dx: Value | None) -> Value:
        """The tangent of `x`, as a value where it is known to be zero."""
        return b.zero(self.mode.tangent(x.type)) if dx is None else dx


class _Primals(Env):
    """An environment in which nothing has a tangent."""

    def __init__(self, of: Env) -> None:
        super().__init__(of.mode)
        self.of = of

    def __missing__(self, v: Value) -> Pair:
        return self.of[v][0], None


class Jvp:
    """A derivative: `func` takes each parameter, followed by its tangent where the mask says so.

    It gives (primal, tangent); or the primal alone, where the tangent is known to be zero.
    """

    __slots__ = ("flat", "func")

    def __init__(self, func: Func, flat: bool) -> None:
        self.func, self.flat = func, flat


def jvp(f: Func, mask: Mask, loc: Loc | None = None) -> Jvp:
    """The derivative of `f` in the parameters of `mask`. `loc` is where it is called, for errors."""
    return derivative(FIRST, f, mask, loc)


def derivative(mode: Mode, f: Func, mask: Mask, loc: Loc | None = None) -> Jvp:
    """The derivative of `f` in the parameters of `mask`, of any mode."""
    with timed(mode.name):
        return done(_derivative(mode, f, mask, loc))


def _derivative(mode: Mode, f: Func, mask: Mask, loc: Loc | None = None) -> Work[Jvp]:
    if (refused := f.marks.refused) is not None:
        raise NotDifferentiable(refused[0], loc, refused[1])
    if f.jvp is not None:
        return Jvp(mode.by_rule(f), flat=not f.result.real)
    if f.is_opaque:
        if not f.result.real or not f.params:
            return Jvp(f, flat=True)
        raise NotDifferentiable(
            f"{f.name} is opaque and has no derivative",
            loc,
            f"give it one: @{f.name.rpartition('.')[2]}.jvp over a function of Duals",
        )
    made = f.memo.get(mode.key(mask))
    if made is None:  # of one size of many nothing moves: whether a loop has iterations is not known of each size
        made = yield _derive_by_kind(mode, f if f.sized else hoisted(f), mask)
        if (w := witness()) is not None and mode is FIRST:
            w.derived("jvp", made.func, f, places(mask), whole if made.flat else first)
        told(mode.name, made.func).mark(remat=f.remat, primal=f)
        f.differentiated = True
        f.memo[mode.key(mask)] = made
        step("derive")
    return made


def _derive_by_kind(mode: Mode, f: Func, mask: Mask) -> Work[Jvp]:
    match f.kind:
        case Body():
            return _derive(mode, f, mask)
        case Branch():
            return _derive_branch(mode, f, f.kind, mask[1:])
        case While():
            return _derive_while(mode, f, f.kind, mask)
        case Opaque() | Linear():
            raise AssertionError(f)


def places(mask: Mask) -> list[int]:
    """The places of the parameters among those of a derivative, where a tangent follows each that has one."""
    return [k + sum(mask[:k]) for k in range(len(mask))]


def full_mask(f: Func) -> Mask:
    """The mask of a derivative in every parameter that can have one."""
    return tuple([p.type.real for p in f.params])


def _derive(mode: Mode, f: Func, mask: Mask) -> Work[Jvp]:
    with ir.deriving(f, mode.name) as b:
        env = Env(mode)
        for p, active in zip(f.params, mask, strict=True):
            b.loc = p.loc
            x = b.param(p.type, p.attr)
            env[p] = x, b.param(mode.tangent(p.type), f"d{p.attr}") if active else None
        ((y, dy),) = yield from block_of_pairs(b, f.body, env)
        made = b.func(y if dy is None else b.tuple([y, dy]))
        # what nobody reads would count as a use outside of the branches of a `select`: see `select_masks.py`
        return Jvp(remove_dead_code(made), flat=dy is None)


def _derive_branch(mode: Mode, f: Func, of: Branch, mask: Mask) -> Work[Jvp]:
    """The branch between the derivatives of the two functions."""
    ds: list[Jvp] = [(yield _derivative(mode, of.then, mask)), (yield _derivative(mode, of.otherwise, mask))]
    flat = all([d.flat for d in ds])
    then, otherwise = [_padded(mode, d.func) if d.flat and not flat else d.func for d in ds]
    return Jvp(make_branch(f"{f.name}.{mode.name}", then, otherwise, origin=Origin(mode.name, f)), flat)


def _derive_while(mode: Mode, f: Func, loop: While, mask: Mask) -> Work[Jvp]:
    """The loop over states and tangents. Which states have one is found by trying, as for `for`."""
    tangent = mode.tangent
    types = items_of(f.result)
    k, constant = len(types), mask[len(types) :]
    active = list(mask[:k])
    while True:
        d: Jvp = yield _derivative(mode, loop.body, (*active, *constant))
        grown = [a or m for a, m in zip(active, _moving(d, k), strict=True)]
        if grown == active:
            break
        active = grown
    moving = [j for j in range(k) if active[j]]
    own, origin = (*active, *constant), Origin(mode.name, f)

    def part(name: str, body: Callable[[Builder, list[Value], list[Value]], Value]) -> Func:
        """A function of the states, their tangents, the rest, and its tangents."""
        with ir.building(name, origin) as b:
            b.loc = f.loc
            xs = [b.param(p.type, p.attr) for p in f.params[:k]]
            dxs = [b.param(tangent(types[j]), f"d{f.params[j].attr}") for j in moving]
            xs += [b.param(p.type, p.attr) for p in f.params[k:]]
            rest = [(p, m) for p, m in zip(f.params[k:], constant, strict=True)]
            dxs += [b.param(tangent(p.type), f"d{p.attr}") for p, m in rest if m]
            return b.func(body(b, xs, dxs))

    def iteration(b: Builder, xs: list[Value], dxs: list[Value]) -> Value:
        y = b.call(d.func, interleaved(xs, dxs, own))
        primal, dy = (y, None) if d.flat else (b.get(y, 0), b.get(y, 1))
        after = [b.get(primal, j) for j in range(k)]
        return b.tuple([*after, *[b.zero(tangent(types[j])) if dy is None else b.get(dy, j) for j in moving]])

    test = part(loop.test.name, lambda b, xs, _: b.call(loop.test, xs))
    whole = make_while(f"{f.name}.turns", test, part(loop.body.name, iteration), loop.most, origin=origin)
    with ir.deriving(f, mode.name) as b:
        xs, dxs = list[Value](), dict[int, Value]()
        for j, (p, m) in enumerate(zip(f.params, mask, strict=True)):
            b.loc = p.loc
            xs.append(b.param(p.type, p.attr))
            if m:
                dxs[j] = b.param(tangent(p.type), f"d{p.attr}")
        ds = [dxs[j] if j in dxs else b.zero(tangent(types[j])) for j in moving]
        ds += [dxs[j] for j in range(k, len(xs)) if j in dxs]
        out = b.call(whole, [*xs[:k], *ds[: len(moving)], *xs[k:], *ds[len(moving) :]])
        y = b.tuple([b.get(out, j) for j in range(k)], as_tuple(f.result))
        after = {j: b.get(out, k + n) for n, j in enumerate(moving)}
        dy = [after[j] if j in after else b.zero(tangent(t)) for j, t in enumerate(types)]
        made = b.func(b.tuple([y, b.tuple(dy, as_tuple(tangent(f.result)))]) if moving else y)
    return Jvp(made, flat=not moving)


def _moving(d: Jvp, k: int) -> list[bool]:
    """Which items of the result of a function of `k` items get a tangent."""
    if d.flat:
        return [False] * k
    made = d.func.body.results[0]
    dy = made.args[1] if made.op is TUPLE else made
    t = items_of(items_of(made.type)[1])
    if dy.op is TUPLE:
        return [x.op is not ZERO and not x.type.empty for x in dy.args]
    return [not x.empty for x in t]


def interleaved(xs: Sequence[T], dxs: Iterable[T], mask: Mask) -> list[T]:
    """Each primal, followed by its tangent where the mask says so: the arguments of a derivative."""
    tangents = iter(dxs)
    return [z for x, m in zip(xs, mask, strict=True) for z in ((x, next(tangents)) if m else (x,))]


def _padded(mode: Mode, f: Func) -> Func:
    """A derivative that is zero, with the zeros."""
    with ir.copying(f) as b:
        b.loc = f.loc
        y = b.call(f, [b.param(p.type, p.attr) for p in f.params])
        return b.func(b.tuple([y, b.zero(mode.tangent(y.type))]))


def block_of_pairs(b: Builder, block: Block, env: Env) -> Work[list[Pair]]:
    """The instructions of a block again, with tangents; the pairs of its results."""
    yield from pairs_of(b, block.code, env)
    return [env[r] for r in block.results]


def pairs_of(b: Builder, code: Iterable[Value], env: Env) -> Work[None]:
    """These instructions again, with tangents."""
    for v in code:
        b.loc = v.loc
        if env.mode.has_rule(v):
            z, dz = env.mode.row(b, v, [env[a] for a in v.args])
        elif v.op is FOR:
            z, dz = yield from _for(b, v, env)
        elif is_call(v):
            z, dz = yield from _call(b, v, env)
        else:
            z, dz = _instruction(b, v, env)
        env[v] = z, None if dz is None or dz.op is ZERO or dz.type.empty else dz


def _instruction(b: Builder, v: Value, env: Env) -> Pair:
    pairs = [env[a] for a in v.args]
    xs, dxs = tuple([x for x, _ in pairs]), [dx for _, dx in pairs]
    op, tangent = v.op, env.mode.tangent
    if op is CONST:
        return b.const(v.attr, v.type), None
    if op is ZERO:
        return b.zero(v.type), None
    if op is ACCUM:
        if not v.type.real:
            return b.accum(xs[0]), None
        d = b.accum(env.full(b, xs[0], dxs[0]))
        if dxs[0] is not None:
            env.touch(d)
        return b.accum(xs[0]), d
    if op is ADD_TO:
        b.add_to(xs[0], xs[1])
        if dxs[0] is not None and dxs[1] is not None:
            b.add_to(dxs[0], dxs[1])
            env.touch(dxs[0])
        return b.unit(), None
    if op is FREEZE:
        return b.freeze(xs[0]), b.freeze(dxs[0]) if dxs[0] is not None and dxs[0] in env.touched else None
    y, linear = b.make(op, xs, v.attr, v.type), op.is_linear_in(len(xs))
    if not any([m and dx is not None for dx, m in zip(dxs, linear, strict=True)]):
        return y, None
    ds = [env.full(b, x, dx) if m else x for x, dx, m in zip(xs, dxs, linear, strict=True)]
    return y, b.make(op, tuple(ds), v.attr, tangent(v.type))


def _call(b: Builder, v: Value, env: Env) -> Work[Pair]:
    f: Func = v.attr
    xs, dxs = [env[a][0] for a in v.args], [env[a][1] for a in v.args]
    for dx in dxs:
        env.touch(dx)
    mask = tuple([dx is not None for dx in dxs])
    if not any(mask):
        return b.call(f, xs), None
    if f.has_rule:
        mask = full_mask(f)
    d: Jvp = yield _derivative(env.mode, f, mask, v.loc)
    tangents = [env.full(b, x, dx) for x, dx, m in zip(xs, dxs, mask, strict=True) if m]
    y = b.call(d.func, xs if d.func is f else interleaved(xs, tangents, mask))
    return (y, None) if d.func.result is f.result else (b.get(y, 0), None if d.flat else b.get(y, 1))


def _for(b: Builder, v: Value, env: Env) -> Work[Pair]:
    """A loop, with a tangent for each state that gets one in some iteration, and for each vector.

    Which states do is found by trying: those that start with one, then also those that end with one.
    """
    if env.mode is FIRST and not isinstance(env, _Primals) and (pair := (yield from _extreme(b, v, env))) is not None:
        return pair
    block = loop_of(v)
    xs, dxs = [env[a][0] for a in v.args], [env[a][1] for a in v.args]
    size, k = block.indices, len(xs)
    active = [dx is not None for dx in dxs]
    while True:
        with b.nested() as body:
            env[block.index] = b.param(size), None
            for p in block.states:
                env[p] = b.param(p.type), None
            for p, a in zip(block.states, active, strict=True):
                env[p] = env[p][0], b.param(env.mode.tangent(p.type)) if a else None
            pairs = yield from block_of_pairs(b, block, env)
            grown = [a or dy is not None for a, (_, dy) in zip(active, pairs[:k], strict=True)]
            if grown == active:
                states, outs = pairs[:k], pairs[k:]
                tangents = [env.full(b, x, dx) for (x, dx), a in zip(states, active, strict=True) if a]
                moving = [dy for _, dy in outs if dy is not None]
                body.results = (*[x for x, _ in states], *tangents, *[y for y, _ in outs], *moving)
                break
        active = grown
    inits = [env.full(b, x, dx) for x, dx, a in zip(xs, dxs, active, strict=True) if a]
    after, vecs = b.close(body, [*xs, *inits])
    results = [*after[:k], *vecs[: len(outs)]]
    d_states, d_vecs = iter(after[k:]), iter(vecs[len(outs) :])
    ds = [next(d_states) if a else None for a in active] + [
        None if dy is None else next(d_vecs) for _, dy in outs
    ]  # fmt: skip
    y = b.tuple(results)
    if all(d is None for d in ds):
        return y, None
    return y, b.tuple([env.full(b, r, d) for r, d in zip(results, ds, strict=True)])


def _extreme(b: Builder, v: Value, env: Env) -> Work[Pair | None]:
    """A loop that carries the largest or the smallest of its numbers; None of another, or if it has no other rule."""
    e = extreme_of(v)
    if e is None:
        return None
    cancels = not leaves_out("cancel-shifts") and env.has_none(v)
    if not cancels and (leaves_out("index-extremes") or e.is_short):
        return None
    pair = None if cancels else (yield from pair_of_extreme(b, v, e, env, pairs_of))
    return pair or (yield from _for(b, v, env.primals()))
