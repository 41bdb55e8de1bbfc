"""Sums of sums: what is added up only to be added to something else is added there at once.

Reverse mode sums the cotangent of a row of a matrix in each turn of a loop, and adds it to that of the matrix: to
add to one element it clears, and adds, a whole row. Where each element of the inner sum is added to at most once, and
nothing is added to the outer sum meanwhile, the bits stay: `t + (0 + x)` is `t + x`, and `t + 0` is `t`, for any `t`
but -0.0, which a sum that began at 0 never is.
"""

from __future__ import annotations

from ..ir import ADD_TO, AT, FOR, FREEZE, PARAM, Block, Func, Value, is_call
from ..linear import base, begins_at_zero
from ..types import Ref

_NEAR = 200  # instructions that are looked at for others that add to the outer sum


def merge_sums(f: Func) -> Func:
    """`f`, a new function, with fewer accumulators: it is edited in place."""
    uses = _Uses()
    uses.block(f.body)
    for z in uses.frozen:
        if (found := _goes_to(z, uses)) is not None:
            _redirect(z, *found, uses)
    if uses.gone:
        _sweep(f.body, uses)
    return f


class _Uses:
    """Who adds to an accumulator, who reads a frozen one, and where all stand."""

    def __init__(self) -> None:
        self.frozen: list[Value] = []
        self.readers: dict[Value, list[Value | Block]] = {}  # of what was frozen
        self.users: dict[Value, list[Value]] = {}  # of an accumulator, by its base
        self.at: dict[Value, int] = {}
        self.loop_of: dict[Block, Value] = {}
        self.gone: set[Value] = set()
        self.moved: dict[Value, Value] = {}  # part of an accumulator -> what it is to stand before,
        self.before: dict[Value, list[Value]] = {}  # and the other way round

    def block(self, block: Block) -> None:
        for k, v in enumerate(block.code):
            self.at[v] = k
            if v.op is FOR:
                self.loop_of[v.attr] = v
                self.block(v.attr)
            elif v.op is FREEZE:
                self.frozen.append(v)
                self.readers[v] = []
            for a in v.args:
                if isinstance(a.type, Ref):
                    self.users.setdefault(base(a), []).append(v)
                elif a in self.readers:
                    self.readers[a].append(v)
        for r in block.results:
            if r in self.readers:
                self.readers[r].append(block)


def _goes_to(z: Value, uses: _Uses) -> tuple[Value, Value] | None:
    """The accumulator to which the sum `z` is added, if what is added to the one can be added to the other.

    And the first instruction that needs it.
    """
    (ref,) = z.args
    if len(uses.readers[z]) != 1 or not begins_at_zero(ref) or z.type.stacked or not z.type.numeric:
        return None
    (reader,) = uses.readers[z]
    if isinstance(reader, Block) or reader.op is not ADD_TO or reader.block is not z.block or reader.args[1] is not z:
        return None
    target = reader.args[0]
    adds = [v for v in uses.users[ref] if v.op is not AT and v is not z and v not in uses.gone]
    if not begins_at_zero(target) or len(adds) != 1 or adds[0].op is not ADD_TO:
        return None
    start = _once(adds[0], ref, uses)
    if start is None:
        return None
    parts = [v for v in uses.users[ref] if v.op is AT and v.block is start.block]
    first = min([start, *parts], key=lambda v: uses.at[v])
    between = z.block.code[uses.at[start] : uses.at[reader]]
    return (target, first) if _can_precede(target, first, uses) and not _touched(between, base(target)) else None


def _late(target: Value, first: Value, uses: _Uses) -> list[Value]:
    """What makes `target` of a part of the same accumulator, and stands after `first`, in its block."""
    parts: list[Value] = []
    while target.block is first.block and target.op is not PARAM and uses.at[target] > uses.at[first]:
        parts.append(target)
        if target.op is not AT:
            break
        target = target.args[0]
    return parts[::-1]


def _can_precede(target: Value, first: Value, uses: _Uses) -> bool:
    """True if `target` can be there when `first` needs it: a part of an accumulator may be named at any time."""
    late = _late(target, first, uses)
    indices = [i for v in late for i in v.args[1:] if i.block is first.block and i.op is not PARAM]
    return all([v.op is AT for v in late]) and all([uses.at[i] < uses.at[first] for i in indices])


def _once(add: Value, ref: Value, uses: _Uses) -> Value | None:
    """The instruction of the accumulator's block in which `add` stands, if it adds to each element at most once."""
    indices: set[Value] = set()
    at = add.args[0]
    while at.op is AT:
        indices.update(at.args[1:])
        at = at.args[0]
    v = add
    while v.block is not ref.block:
        if v.block.params[0] not in indices:
            return None
        v = uses.loop_of[v.block]
    return v


def _touched(code: list[Value], ref: Value) -> bool:
    """True if these instructions may add to an accumulator, or read it."""
    todo, seen = list(code), 0
    while todo:
        v = todo.pop()
        seen += 1
        if seen > _NEAR:
            return True
        if v.op is FOR:
            todo += v.attr.code
        elif v.op in (ADD_TO, FREEZE) or is_call(v):
            if any([isinstance(a.type, Ref) and base(a) is ref for a in v.args]):
                return True
    return False


def _redirect(z: Value, target: Value, first: Value, uses: _Uses) -> None:
    late = _late(target, first, uses)
    first = uses.moved.get(first, first)
    for v in late:
        uses.moved[v], uses.at[v] = first, uses.at[first]
    if late:
        uses.before[first] = [*late, *uses.before.get(first, ())]
    (ref,), (reader,) = z.args, uses.readers[z]
    assert isinstance(reader, Value)
    users = [v for v in uses.users[ref] if v is not z]
    for v in users:
        v.args = tuple([target if a is ref else a for a in v.args])
    uses.users[base(target)] += users
    uses.gone.update((ref, z, reader))


def _sweep(block: Block, uses: _Uses) -> None:
    code = [w for v in block.code for w in (*uses.before.get(v, ()), *(() if v in uses.moved else (v,)))]
    block.code = [v for v in code if v not in uses.gone]
    for v in block.code:
        if v.op is FOR:
            _sweep(v.attr, uses)
