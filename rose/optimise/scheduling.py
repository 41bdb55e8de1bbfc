"""Instruction scheduling: additions move up to where their terms are known, so that few numbers are live for long.

Reverse mode goes back over a row of terms when all of them are summed. Where the cotangent of the sum is known before,
a term's part of the gradient needs nothing but the term: it moves up to it, and no residual is left. No operation
changes, and the additions to one number keep their order. Measured: an unrolled Rosenbrock function of 1000 numbers
executes 1.18 x as many instructions without it, as outlining then cuts between the value and the gradient.
"""

from __future__ import annotations

from ..ir import ADD_TO, AT, CONST, GET, INDEX, PACK, PARAM, ZERO, Func, Value
from ..ir.accumulators import aliases, base
from ..ir.callgraph import changed
from ..ir.types import MANY, Real
from . import costs

_GIVEN = {CONST, ZERO, PARAM}
_READS = {INDEX, GET}


def schedule(f: Func) -> Func:
    """`f` with the instructions of its outermost block in another order, edited in place."""
    run, code = list[Value](), list[Value]()
    for v in f.body.code:
        if _moves(v):
            run.append(v)
            continue
        code += _sorted(run)
        code.append(v)
        run = []
    f.body.code = code + _sorted(run)
    changed(f)
    return f


def _moves(v: Value) -> bool:
    return v.op.effect is None or (v.op is ADD_TO and v.args[1].type is Real and _location(v.args[0]) is not None)


def _location(ref: Value) -> tuple[Value, tuple[object, ...]] | None:
    """The location of an accumulator: its base and a path in it; None if that is known only at run time."""
    path: list[object] = []
    while ref.op is AT:
        whole, *index = ref.args
        if index and index[0].op is not CONST:
            return None
        path.append(index[0].attr if index else ref.attr)
        ref = whole
    return ref, tuple(path)


def _sorted(code: list[Value]) -> list[Value]:
    """Instructions in the order in which they are needed: none later than it stood, nor before its operands."""
    if len(code) < costs.SCHEDULED_INSTRUCTIONS:
        return code
    before = _sums_before(code)
    ends = {
        a for v in code if v.op is PACK and len(v.args) > MANY for a in v.args
    }  # which are stored when they are made
    first: dict[Value, int] = {}  # the earliest position of each
    position: dict[Value, int] = {}
    free: set[Value] = set()
    for k, v in enumerate(code):
        position[v] = k
        if _is_free(v, free):
            free.add(v)
        else:
            made = max([first.get(a, -1) for a in v.args], default=-1)
            first[v] = max(made if made >= 0 else k, first[before[v]] if v in before else -1)
    when: dict[Value, int] = {}
    needed: dict[Value, int] = {}  # the position of the first that reads it
    for v in reversed(code):
        k = first.get(v, -1)
        if v.op is not ADD_TO and v not in ends:
            k = max(k, position[v])
        k = when[v] = max(first.get(v, -1), min(k, needed.get(v, k)))
        for a in (*v.args, before[v]) if v in before else v.args:
            if needed.get(a, k) >= k:
                needed[a] = k
    return sorted(code, key=when.__getitem__)


def _is_free(v: Value, free: set[Value]) -> bool:
    """True for an instruction that reads parameters or nothing: it can be computed at any time."""
    if v.op is AT:
        return _location(v) is not None
    return v.op in _GIVEN or (v.op in _READS and all([a.op in _GIVEN or a in free for a in v.args]))


def _sums_before(code: list[Value]) -> dict[Value, Value]:
    """For each addition the one before it that may be to the same number."""
    same = aliases([base(v.args[0]) for v in code if v.op is ADD_TO])
    before: dict[Value, Value] = {}
    last: dict[object, Value] = {}
    for v in code:
        if v.op is ADD_TO:
            location = _location(v.args[0])
            assert location is not None
            key = "same" if location[0] in same else location
            if key in last:
                before[v] = last[key]
            last[key] = v
    return before
