"""Joining of halves: a forward half and a later backward half that waits for nothing else are inlined together.

Where a sum has many terms, long functions are outlined, and forward halves are followed by backward halves, in reverse:
tapes of all parts lie in memory meanwhile. If the arguments of a backward half are known as soon as its forward half is
done, both are inlined, so that `scheduling.py` can bring them together, and no tape is left. Measured: an unrolled
Rosenbrock function of 1000 numbers executes 1.17 x as many instructions without it, and a sum of 1000 calls of four
functions takes 1.28 x as long. The price there: twice the bytes, and five times the time of the optimiser. So there is
a limit for a program as a whole: where functions call each other on many paths, each of these could be written out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from ..ir import CONST, GET, PARAM, TUPLE, ZERO, Func, Value, is_call
from ..ir.callgraph import reachable, weight
from ..ir.func import Origin
from ..ir.types import Ref
from . import costs
from .dead_code import remove_dead_code
from .rewriter import Simplifier


class Room:
    """The instructions by which a program may still grow."""

    def __init__(self, roots: Iterable[Func]) -> None:
        self.roots = roots
        self.left: int | None = None  # counted when it is first asked for

    def takes(self, n: int) -> bool:
        """True if the program may grow by `n`, which it does then."""
        if self.left is None:
            functions = dict.fromkeys([g for f in self.roots for g in reachable(f)])
            self.left = costs.JOINED_GROWTH * sum([weight(g.body) for g in functions])
        fits = n <= self.left
        self.left -= n if fits else 0
        return fits


def join_halves(f: Func, made: Mapping[Func, Func], room: Room, without: Collection[str] = ()) -> Func:
    """`f` with the halves that it calls in pairs inlined; `made` is what takes the place of its callees."""
    if any([isinstance(p.type, Ref) for p in f.params]):  # it is a half itself, and has its pair where it is called
        return f
    for _ in range(costs.JOINED_ROUNDS):
        here = {v: made.get(v.attr, v.attr) for v in _pairs(f)}
        n = sum([weight(g.body) for g in here.values()])
        if not here or weight(f.body) + n > costs.JOINED_INSTRUCTIONS or not room.takes(n):
            break
        f = remove_dead_code(Simplifier(made, here, without).function(f))
    return f


def _pairs(f: Func) -> set[Value]:
    """The calls to inline: pairs with others between them, or of which the second can follow parts of the first."""
    pairs, waits = set[Value](), False
    adding: set[Value] = set()  # calls that add to something, and those that they need
    calls = _calls(f)
    position = {v: k for k, v in enumerate(calls)}
    parallel = cache(_is_parallel)
    for v, needs in calls.items():
        if not _has_body(v):
            continue
        both = {v, *filter(_has_body, needs)}
        adds = any([isinstance(a.type, Ref) for a in v.args])
        if adds:
            adding |= both
        if not needs:
            if adds and _takes_a_tape(v) and (weight(v.attr.body) <= costs.INLINED_INSTRUCTIONS or parallel(v.attr)):
                pairs.add(v)
            continue
        last = max(needs, key=position.__getitem__)
        follows = position[v] == position[last] + 1
        if last in both and _are_halves(last, v) and (not follows or parallel(v.attr)):
            pairs |= both
            waits = waits or not follows
    if waits:  # and those of which the other half is here already
        times = Counter([v.attr for v in calls])
        pairs |= adding | {v for v in calls if _has_body(v) and times[v.attr] == 1}
    return pairs


def _are_halves(first: Value, second: Value) -> bool:
    """True for calls of a forward half, and of a backward or linear one; and of the same derivatives of such a pair.

    Where these are backward halves they are called in reverse.
    """
    one, other = first.attr.origin, second.attr.origin
    while one is not None and other is not None:
        if one.by != other.by:
            return "fwd" in (one.by, other.by) and ("bwd" in (one.by, other.by) or "lin" in (one.by, other.by))
        one, other = _before(one), _before(other)
    return False


def _before(origin: Origin) -> Origin | None:
    return None if origin.derived_from is None else origin.derived_from.origin


def _takes_a_tape(v: Value) -> bool:
    """True if an argument of a call is a tuple that is made of numbers where the call stands."""
    todo = [a for a in v.args if a.op is TUPLE]
    while todo:
        a = todo.pop()
        if a.op.eval is not None:
            return True
        if a.op is TUPLE:
            todo += a.args
    return False


def _calls(f: Func) -> dict[Value, set[Value]]:
    """The calls of a function, each with those that its arguments need."""
    newest: dict[Value, Value] = {}
    position: dict[Value, int] = {}
    calls: dict[Value, set[Value]] = {}
    for k, v in enumerate(f.body.code):
        position[v] = k
        if is_call(v):
            calls[v] = _needs(v, newest)
            newest[v] = v
        elif newest:
            needs = [newest[x] for a in v.args if not isinstance(a.type, Ref) and (x := _source(a)) in newest]
            if needs:
                newest[v] = max(needs, key=position.__getitem__)
    return calls


def _needs(v: Value, newest: dict[Value, Value]) -> set[Value]:
    """The calls that the arguments of one need, each part of a tuple for itself."""
    found: set[Value] = set()
    todo = [a for a in v.args if not isinstance(a.type, Ref)]
    while todo:
        a = _source(todo.pop())
        if a.op is TUPLE:
            todo += a.args
        elif a in newest:
            found.add(newest[a])
    return found


def _is_parallel(g: Func) -> bool:
    """True if `g` is not a chain, in which each step needs the one before it: its critical path is short."""
    depth: dict[Value, int] = {}
    steps = 0
    for v in g.body.code:
        counts = v.op.eval is not None or is_call(v)
        steps += counts
        depth[v] = counts + max([depth.get(_source(a), 0) for a in v.args], default=0)
    return costs.JOINED_WIDTH * max(depth.values(), default=0) < steps


def _has_body(v: Value) -> bool:
    """True for a call that can be inlined."""
    return is_call(v) and v.attr.has_body and not v.attr.remat


def _source(v: Value) -> Value:
    """The origin of a value, through tuples and calls that hand on a parameter."""
    path: list[int] = []
    for _ in range(costs.JOINED_CALLS):
        v = _along(v, path)
        if not is_call(v) or not _has_body(v):
            break
        g: Func = v.attr
        r = _along(g.body.results[0], path)
        if r.op is CONST or r.op is ZERO:
            return r
        if r.op is not PARAM or r.block is not g.body:
            break
        v = next(a for a, p in zip(v.args, g.params, strict=True) if p is r)
    return v


def _along(v: Value, path: list[int]) -> Value:
    """The value whose part, at the end of `path`, is the part of `v` there."""
    while v.op is GET or (v.op is TUPLE and path):
        if v.op is GET:
            path.append(v.attr)
            v = v.args[0]
        else:
            v = v.args[path.pop()]
    return v
