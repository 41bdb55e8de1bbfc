"""Sum forwarding: what is summed only to be added to another accumulator is added there at once.

A vector that is made in each iteration of a loop, and handed to a function, has a sum that the function adds to, and
that is added to another. Where each element of the inner sum is added to at most once, and nothing is added to the
outer sum meanwhile, the bits stay: `t + (0 + x)` is `t + x`, and `t + 0` is `t`, for any `t` but -0.0, which a sum
that began at 0 never is.

So a sum of one such sum alone is that sum, and no copy of it.
"""

from __future__ import annotations

from ..ir import ACCUM, ADD_TO, AT, FOR, FREEZE, INDEX, Block, Func, Value, is_call, loop_of
from ..ir.accumulators import base, begins_at_zero
from ..ir.callgraph import instructions, operations
from ..ir.types import Ref
from ..ir.users import Users, users_of
from . import costs


def forward_sums(f: Func) -> Func:
    """`f` with fewer accumulators, edited in place."""
    if FREEZE in operations(f):
        users = users_of(f)
        for z in [v for v in instructions(f.body) if v.op is FREEZE]:
            if (x := _is_copy_of(z, users)) is not None:
                _replace(z, x, users)
            elif (target := _goes_to(z, users)) is not None:
                _redirect(z, target, users)
        users.sweep()
    return f


def _is_copy_of(z: Value, users: Users) -> Value | None:
    """The sum to which `z` is equal, or the part of one: it begins at 0, and that is all that is added to it."""
    (ref,) = z.args
    adds = _additions(z, users)
    if len(adds) != 1 or not begins_at_zero(ref) or ref.op is not ACCUM or ref.block is not z.block:
        return None
    (add,) = adds
    if add.op is not ADD_TO or add.args[0] is not ref or add.block is not z.block:
        return None
    x = whole = add.args[1]
    while whole.op is INDEX:
        whole = whole.args[0]
    return x if whole.op is FREEZE and begins_at_zero(whole.args[0]) else None


def _additions(z: Value, users: Users) -> list[Value]:
    """What adds to an accumulator that is frozen here, and the calls that take it."""
    return [v for v in users.of_accumulator(z.args[0]) if v.op is not AT and v is not z]


def _replace(z: Value, x: Value, users: Users) -> None:
    """Let what reads `z` read `x`."""
    (ref,) = z.args
    users.replace(z, x)
    users.erase(*users.of_accumulator(ref), ref)


def _goes_to(z: Value, users: Users) -> Value | None:
    """The accumulator to which the sum `z` is added, if what is added to the one can be added to the other."""
    (ref,) = z.args
    if len(users.of(z)) != 1 or not begins_at_zero(ref) or z.type.stacked or not z.type.numeric:
        return None
    (reader,) = users.of(z)
    if isinstance(reader, Block) or reader.op is not ADD_TO or reader.block is not z.block or reader.args[1] is not z:
        return None
    target = reader.args[0]
    adds = _additions(z, users)
    if not begins_at_zero(target) or len(adds) != 1 or adds[0].op is not ADD_TO:
        return None
    start = _once(adds[0], ref, users)
    if start is None:
        return None
    first = min([start, *[v for v in users.of_accumulator(ref) if v.block is z.block]], key=users.place)
    late = _late(target, first, users)
    if late is None or _touched(z.block.code[users.place(start) : users.place(reader)], base(target)):
        return None
    users.move(late, before=first)  # what was moved there may be parts of this one
    return target


def _once(add: Value, ref: Value, users: Users) -> Value | None:
    """The instruction of the accumulator's block in which `add` stands, if it adds to each element at most once."""
    indices: set[Value] = set()
    at = add.args[0]
    while at.op is AT:
        indices.update(at.args[1:])
        at = at.args[0]
    v = add
    while v.block is not ref.block:
        v = users.loops[v.block]
        if loop_of(v).index not in indices:
            return None
    return v


def _late(target: Value, start: Value, users: Users) -> list[Value] | None:
    """The instructions after `start` that name a part of an accumulator, if they can move before it; else None."""
    found: list[Value] = []
    while target.block is start.block and users.place(target) > users.place(start):
        indices = [a for a in target.args[1:] if a.block is start.block]
        if target.op is not AT or any([users.place(a) > users.place(start) for a in indices]):
            return None
        found.insert(0, target)
        target = target.args[0]
    return found


def _touched(code: list[Value], ref: Value) -> bool:
    """True if these instructions may add to an accumulator, or read it."""
    todo, seen = list(code), 0
    while todo:
        v = todo.pop()
        seen += 1
        if seen > costs.FORWARDED_INSTRUCTIONS:
            return True
        if v.op is FOR:
            todo += loop_of(v).code
        elif v.op in (ADD_TO, FREEZE) or is_call(v):
            if any([isinstance(a.type, Ref) and base(a) is ref for a in v.args]):
                return True
    return False


def _redirect(z: Value, target: Value, users: Users) -> None:
    """Let what adds to the sum `z` add to the accumulator to which the whole is added."""
    (ref,), (reader,) = z.args, users.of(z)
    assert isinstance(reader, Value)
    users.erase(reader, z, ref)
    users.replace(ref, target)
