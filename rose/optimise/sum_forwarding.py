"""Sum forwarding: what is summed only to be added to another accumulator is added there at once.

A vector that is made in each iteration of a loop, and handed to a function, has a sum that the function adds to, and
that is added to another. Where each element of the inner sum is added to at most once, and nothing is added to the
outer sum meanwhile, the bits stay: `t + (0 + x)` is `t + x`, and `t + 0` is `t`, for any `t` but -0.0, which a sum
that began at 0 never is. Measured: Gaussian mixtures execute 1.15 x as many instructions without it.

So a sum of one such sum alone is that sum, and no copy of it.
"""

from __future__ import annotations

from ..ir import ACCUM, ADD_TO, AT, FOR, FREEZE, INDEX, Block, Func, Value, is_call, loop_of
from ..ir.accumulators import base, begins_at_zero
from ..ir.types import Ref

_NEAR = 200  # instructions that are looked at for others that add to the outer sum


def forward_sums(f: Func) -> Func:
    """`f` with fewer accumulators, edited in place."""
    uses = _Uses()
    uses.block(f.body)
    for z in uses.frozen:
        if (x := _is_copy_of(z, uses)) is not None:
            _replace(z, x, uses)
        elif (target := _goes_to(z, uses)) is not None:
            _redirect(z, target, uses)
    if uses.gone:
        _sweep(f.body, uses)
    return f


class _Uses:
    """The uses of accumulators: who adds to one, who reads a frozen one, and where all stand."""

    def __init__(self) -> None:
        self.frozen: list[Value] = []
        self.readers: dict[Value, list[Value | Block]] = {}  # of what was frozen
        self.users: dict[Value, list[Value]] = {}  # of an accumulator, by its base
        self.at: dict[Value, int] = {}
        self.loop_of: dict[Block, Value] = {}
        self.gone: set[Value] = set()
        self.early: dict[Value, list[Value]] = {}  # the instructions that move to before another

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


def _is_copy_of(z: Value, uses: _Uses) -> Value | None:
    """The sum to which `z` is equal, or the part of one: it begins at 0, and that is all that is added to it."""
    (ref,) = z.args
    adds = [v for v in uses.users[ref] if v.op is not AT and v is not z and v not in uses.gone]
    if len(adds) != 1 or not begins_at_zero(ref) or ref.op is not ACCUM or ref.block is not z.block:
        return None
    (add,) = adds
    if add.op is not ADD_TO or add.args[0] is not ref or add.block is not z.block:
        return None
    x = whole = add.args[1]
    while whole.op is INDEX:
        whole = whole.args[0]
    return x if whole.op is FREEZE and begins_at_zero(whole.args[0]) else None


def _replace(z: Value, x: Value, uses: _Uses) -> None:
    """Let what reads `z` read `x`."""
    (ref,) = z.args
    for reader in uses.readers[z]:
        if isinstance(reader, Block):
            reader.results = tuple([x if r is z else r for r in reader.results])
        else:
            reader.args = tuple([x if a is z else a for a in reader.args])
    if x in uses.readers:
        uses.readers[x] += uses.readers[z]
    uses.gone.update((ref, z, *[v for v in uses.users[ref] if v is not z]))


def _goes_to(z: Value, uses: _Uses) -> Value | None:
    """The accumulator to which the sum `z` is added, if what is added to the one can be added to the other."""
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
    first = min([start, *[v for v in uses.users[ref] if v.block is z.block]], key=uses.at.__getitem__)
    late = _late(target, first, uses)
    if late is None or _touched(z.block.code[uses.at[start] : uses.at[reader]], base(target)):
        return None
    uses.early[first] = [*late, *uses.early.get(first, ())]  # which may be parts of this one
    return target


def _once(add: Value, ref: Value, uses: _Uses) -> Value | None:
    """The instruction of the accumulator's block in which `add` stands, if it adds to each element at most once."""
    indices: set[Value] = set()
    at = add.args[0]
    while at.op is AT:
        indices.update(at.args[1:])
        at = at.args[0]
    v = add
    while v.block is not ref.block:
        v = uses.loop_of[v.block]
        if loop_of(v).index not in indices:
            return None
    return v


def _late(target: Value, start: Value, uses: _Uses) -> list[Value] | None:
    """The instructions after `start` that name a part of an accumulator, if they can move before it; else None."""
    found: list[Value] = []
    while target.block is start.block and uses.at[target] > uses.at[start]:
        indices = [a for a in target.args[1:] if a.block is start.block and a in uses.at]
        if target.op is not AT or any([uses.at[a] > uses.at[start] for a in indices]):
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
        if seen > _NEAR:
            return True
        if v.op is FOR:
            todo += loop_of(v).code
        elif v.op in (ADD_TO, FREEZE) or is_call(v):
            if any([isinstance(a.type, Ref) and base(a) is ref for a in v.args]):
                return True
    return False


def _redirect(z: Value, target: Value, uses: _Uses) -> None:
    (ref,), (reader,) = z.args, uses.readers[z]
    assert isinstance(reader, Value)
    users = [v for v in uses.users[ref] if v is not z]
    for v in users:
        v.args = tuple([target if a is ref else a for a in v.args])
    uses.users[base(target)] += users
    uses.gone.update((ref, z, reader))


def _sweep(block: Block, uses: _Uses) -> None:
    code: dict[Value, None] = {}
    for v in block.code:
        code.update(dict.fromkeys([*uses.early.get(v, ()), v]))
        if v.op is FOR:
            _sweep(v.attr, uses)
    block.code = [v for v in code if v not in uses.gone]
