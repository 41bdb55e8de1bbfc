"""Masks for `select`: a branch that is not taken contributes nothing to a derivative, whatever it holds.

In reverse, the branch that was not taken gets the cotangent 0. But 0 may meet an infinity on its way back through the
branch, and leave it as nan. So the contributions that leave a branch are masked with its condition once more, where
they leave. A *guard* is the chain of conditions under which a value is used: the branches that its uses lie in; where
these differ, one of the conditions is that some use is taken. An instruction's contribution to an argument with another
guard leaves a branch.

The conditions of a loop differ from iteration to iteration, and cannot be seen outside of it. There a value that only
iterations of the loop use is guarded by this: in some iteration, such a use is taken. No instruction of the program
says so; the forward half finds it out, where it is asked for.

Where guards are coarser than branches, 0 may still meet an infinity: all elements of a vector have one guard, and all
iterations of a state; and while a loop runs, a condition that is made of its results counts as true.

A value is *wild* if its cotangent may be other than 0 in a branch that was not taken: it was multiplied by something
that may be infinite. What is not wild needs no mask, so tame branches cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from ..ir import ADD_TO, AT, CONST, FOR, GET, Block, Builder, Value, is_call
from ..ir.accumulators import base, is_ref
from ..ir.ops import and_, not_, or_, select
from ..ir.types import Bool
from .linearity import Loops


class Guard:
    """A condition, whether it must hold or must not, and the guards around it.

    With `either`, the condition is that one of those guards holds; they are inside of the same `outer`.
    """

    __slots__ = ("condition", "depth", "either", "expected", "jump", "outer", "scope")

    def __init__(
        self, outer: Guard | None, condition: Value | None, expected: bool, either: tuple[Guard, ...] = ()
    ) -> None:
        self.outer, self.condition, self.expected, self.either = outer, condition, expected, either
        self.depth: int = 1 if outer is None else outer.depth + 1
        # the innermost block of the conditions: inside of it, all of them can be seen
        blocks = [g.scope for g in either] if condition is None else [condition.block]
        self.scope: Block = blocks[0] if outer is None else outer.scope
        for block in blocks:
            self.scope = block if block.inside(self.scope) else self.scope
        # a pointer far outwards, as in a skip list, so that `meet` takes logarithmic time
        far = None if outer is None else outer.jump
        skip = outer is not None and far is not None and outer.depth - far.depth == far.depth - _depth(far.jump)
        self.jump: Guard | None = far.jump if skip and far is not None else outer


def _depth(g: Guard | None) -> int:
    return 0 if g is None else g.depth


def meet(x: Guard | None, y: Guard | None) -> Guard | None:
    """The guards that two chains have in common."""
    while _depth(x) > _depth(y):
        assert x is not None
        x = x.jump if _depth(x.jump) >= _depth(y) else x.outer
    while _depth(y) > _depth(x):
        assert y is not None
        y = y.jump if _depth(y.jump) >= _depth(x) else y.outer
    while x is not y:
        assert x is not None and y is not None
        x, y = (x.jump, y.jump) if x.jump is not y.jump else (x.outer, y.outer)
    return x


def visible(g: Guard | None, block: Block) -> Guard | None:
    """The guards whose conditions can be seen from a block."""
    while g is not None and not block.inside(g.scope):
        g = g.outer
    return g


def outer_block(body: Block) -> Block:
    """The block that a loop stands in."""
    assert body.parent is not None
    return body.parent


def around(g: Guard) -> Guard | None:
    """The guards that can be seen outside of the innermost loop of a chain."""
    return visible(g, outer_block(g.scope))


def holds(g: Guard | None, outer: Guard | None, known: Callable[[Value], Value | None]) -> Value | None:
    """True if the guards of a chain, up to `outer`, hold; None if that is not known.

    The outer ones come first: what chains have in common is then one instruction.
    """
    chain: list[Guard] = []
    while g is not None and g is not outer:
        chain.append(g)
        g = g.outer
    mask: Value | None = None
    for g in reversed(chain):
        own = _own(g, known)
        mask = own if mask is None else mask if own is None else and_(mask, own)
    return mask


def _own(g: Guard, known: Callable[[Value], Value | None]) -> Value | None:
    if g.condition is not None:
        c = known(g.condition)
        return c if g.expected or c is None else not_(c)
    mask: Value | None = None
    for x in g.either:
        own = holds(x, g.outer, known)
        if own is None:
            return None
        mask = own if mask is None else or_(mask, own)
    return mask


def _spread(guards: Iterable[Guard | None], block: Block) -> Iterator[Guard | None]:
    """The same guards, with those that one joins in its place, if it cannot be seen from the block."""
    todo, opened = list(guards), dict[Guard, None]()
    for g in todo:
        if g is None or not g.either or block.inside(g.scope):
            yield g
        elif g not in opened:
            opened[g] = None
            todo.extend(g.either)


Key = Value | tuple[Value, int]  # a value, or one result of a loop


class Masks:
    """The masks of a function in which no tangent goes through a `select`: there are none."""

    def __init__(self) -> None:
        # conditions on some iteration of a loop: of what, up to the guards that are seen outside
        self.some_iteration: dict[Value, Guard] = {}

    def under(self, v: Value) -> Guard | None:
        """The guard of what an instruction contributes."""
        return None

    def leaving(self, user: Value, arg: Value) -> Guard | None:
        """The guard that a contribution of `user` to `arg` leaves, if it must be masked."""
        return None

    def leaving_iteration(self, loop: Value, j: int) -> Guard | None:
        """The same for result `j` of a loop, whose iterations may give a value from outside of it."""
        return None

    def crossed(self, v: Value) -> list[Guard | None]:
        """All guards that contributions of an instruction leave."""
        return []

    def outside(self, guards: Iterable[Guard | None], block: Block) -> Guard | None:
        """The guard that holds in a block where one of these does, in some iteration of the loops in it."""
        return None


def masks_of(body: Block, loops: Loops) -> Masks:
    through_select = any([v.op is select for code in loops.code.values() for v in code])
    return SelectMasks(body, loops) if through_select else Masks()


class SelectMasks(Masks):
    """For each linear value, the guards under which it is used, and whether it is wild there."""

    def __init__(self, body: Block, loops: Loops) -> None:
        super().__init__()
        self.loops = loops
        # what leaves the function, by way of a parameter, leaves every branch
        self.guard: dict[Key, Guard | None] = {p: None for p in body.params}
        self.wild: dict[Key, None] = {}
        self.uses: dict[Key, dict[Guard | None, None]] = {}
        self.made: dict[tuple[Guard | None, Value, bool], Guard] = {}
        self.joined: dict[frozenset[Guard], Guard] = {}
        self.lifted: dict[Guard, Guard] = {}
        self._block(body)

    def of(self, key: Key) -> Guard | None:
        """The guard of a value, once all of its uses were seen."""
        if key not in self.guard and key in self.uses:
            self.guard[key] = self.outside(self.uses[key], (key[0] if isinstance(key, tuple) else key).block)
        return self.guard.get(key)

    def leaving(self, user: Value, arg: Value) -> Guard | None:
        g = self.under(user)
        if g is not None and user.op is select:
            g = self._branch(g, user.args[0], arg is user.args[1])
        if g is None or g is self.of(self._key(user, arg)) or not self._spoils(user):
            return None
        return g

    def leaving_iteration(self, loop: Value, j: int) -> Guard | None:
        block: Block = loop.attr
        state = j < len(loop.args)
        g = self.of(loop if state else (loop, j))
        wild = state or (loop, j) in self.wild
        return None if g is self.of(block.results[j]) or not wild else g

    def crossed(self, v: Value) -> list[Guard | None]:
        left = [self.leaving(v, a) for a in v.args if a.type.linear]
        if v.op is FOR:
            left += [self.leaving_iteration(v, j) for j, r in enumerate(v.attr.results) if r.type.linear]
        return left

    def under(self, v: Value) -> Guard | None:
        if v.op is ADD_TO:
            return self.of(base(v.args[0]))
        if is_call(v):
            return self.any_of([self.of(k) for k in (v, *map(base, v.args)) if (k is v or is_ref(k)) and self._used(k)])
        return self.of(v)

    def _used(self, key: Key) -> bool:
        return key in self.guard or key in self.uses

    def _key(self, user: Value, arg: Value) -> Key:
        return (arg, user.attr) if user.op is GET and arg.op is FOR else arg

    def _spoils(self, v: Value) -> bool:
        """True if what `v` contributes may be other than 0 in a branch that was not taken."""
        if is_call(v) or (base(v.args[0]) if v.op is ADD_TO else v) in self.wild:
            return True
        return v.op.transpose is not None and any([not a.type.linear and not _is_tame(a) for a in v.args])

    def _flow(self, g: Guard | None, wild: bool, a: Value, key: Key) -> None:
        if a.type.linear:
            self.uses.setdefault(key, {})[g] = None
            # what cannot be seen from `a` is left, and masked there
            if wild and (g is None or a.block.inside(g.scope)):
                self.wild[key] = None

    def _block(self, block: Block) -> None:
        for v in reversed(self.loops.code[block]):
            if v.op is FOR:
                self._for(v)
            elif v.op is not AT:
                self._instruction(v)

    def _branch(self, outer: Guard | None, condition: Value, expected: bool) -> Guard:
        """The guard of a branch: the same for all that are chosen by the same conditions.

        A mask of several branches is one `and`, which counts as the conditions that it joins.
        """
        if condition.op is not_:
            return self._branch(outer, condition.args[0], not expected)
        if condition.op is and_ and expected:
            return self._branch(self._branch(outer, condition.args[0], True), condition.args[1], True)
        key = (outer, condition, expected)
        if key not in self.made:
            self.made[key] = Guard(outer, condition, expected)
        return self.made[key]

    def any_of(self, guards: Iterable[Guard | None]) -> Guard | None:
        """The guard that holds where one of these does. Both branches of a `select` are as good as none."""
        levels: dict[int, dict[Guard, None]] = {}
        for g in guards:
            if g is None:
                return None
            levels.setdefault(g.depth, {})[g] = None
        for depth in range(max(levels, default=0), 0, -1):
            level = levels.get(depth, {})
            for g in list(level):
                other = None if g.condition is None else self.made.get((g.outer, g.condition, not g.expected))
                if g in level and other in level:
                    if g.outer is None:
                        return None
                    del level[g], level[other]
                    levels.setdefault(depth - 1, {})[g.outer] = None
        found = [g for level in levels.values() for g in level]
        outer = found[0] if found else None
        for g in found[1:]:
            outer = meet(outer, g)
        if (outer is None and not found) or outer in found:
            return outer
        key = frozenset(found)
        if key not in self.joined:
            self.joined[key] = Guard(outer, None, True, tuple(found))
        return self.joined[key]

    def outside(self, guards: Iterable[Guard | None], block: Block) -> Guard | None:
        seen: dict[Guard | None, None] = {}
        hidden: dict[tuple[Block, Guard | None], dict[Guard, None]] = {}
        for g in _spread(guards, block):
            if g is None or block.inside(g.scope):
                seen[g] = None
            else:
                hidden.setdefault((g.scope, around(g)), {})[g] = None
        for (body, _), group in hidden.items():
            seen[self._some_iteration(self.any_of(group), body)] = None
        return self.outside(seen, block) if hidden else self.any_of(seen)

    def _some_iteration(self, g: Guard | None, body: Block) -> Guard | None:
        """The guard, around a loop, that `g` holds in some iteration of it."""
        if g is None or g.scope is not body:
            return g
        if g not in self.lifted:
            some = Value(or_, Bool, (), None, body.params[0].loc, outer_block(body))
            self.some_iteration[some] = g
            self.lifted[g] = Guard(around(g), some, True)
        return self.lifted[g]

    def _instruction(self, v: Value) -> None:
        g, wild = self.under(v), self._spoils(v)
        if v.op is select:
            for a, expected in zip(v.args[1:], (True, False), strict=True):
                self._flow(self._branch(g, v.args[0], expected), g is not None and wild, a, a)
            return
        for a in v.args[1:] if v.op is ADD_TO else v.args:
            if not (is_call(v) and is_ref(a)):
                self._flow(g, wild, a, self._key(v, a))

    def _for(self, v: Value) -> None:
        block: Block = v.attr
        k = len(v.args)
        keys = [(v, j) for j in range(len(block.results))]
        refs = [base(a) for a in self.loops.outside[v] if is_ref(a)]
        # the iterations of a loop with states are taken where any of its uses is
        whole = self.any_of([self.of(x) for x in (*keys, *refs) if self._used(x)]) if k else None
        for j, r in enumerate(block.results):
            if j < k:
                self._flow(whole, True, r, r)
            elif self._used(keys[j]):
                self._flow(self.of(keys[j]), keys[j] in self.wild, r, r)
        for p in block.params[1:]:
            self.guard[p] = whole
        self._block(block)
        for a in v.args:
            self._flow(whole, True, a, a)
        self.guard[v] = whole
        self.wild[v] = None


def _is_tame(v: Value) -> bool:
    return v.op is CONST and (not isinstance(v.attr, float) or (math.isfinite(v.attr) and v.attr != 0.0))


class MaskWriter:
    """Writes the masks of one half: each is made once for the blocks in which it can be seen."""

    def __init__(self, primal: Callable[[Builder, Value], Value]) -> None:
        self.primal = primal
        self.made: dict[Guard, Value] = {}

    def masked(self, b: Builder, g: Guard | None, ct: Value) -> Value:
        """`ct`, and zero if the guard does not hold."""
        return ct if g is None else b.emit(select, (self.mask(b, g), ct, b.zero(ct.type)))

    def mask(self, b: Builder, g: Guard) -> Value:
        chain: list[Guard] = []
        at: Guard | None = g
        while at is not None and not (at in self.made and b.block.inside(self.made[at].block)):
            chain.append(at)
            at = at.outer
        mask = None if at is None else self.made[at]
        for at in reversed(chain):
            own = holds(at, at.outer, lambda c: self.primal(b, c))
            assert own is not None
            mask = own if mask is None else and_(mask, own)
            self.made[at] = mask
        assert mask is not None
        return mask
