"""Guards: the chains of conditions under which values are used; what they join; and the masks that test them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from ..ir import Block, Builder, Value
from ..ir.ops import and_, not_, or_


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


class Guards:
    """The guards of a function: one object for one chain of conditions."""

    def __init__(self) -> None:
        self.made: dict[tuple[Guard | None, Value, bool], Guard] = {}
        self.joined: dict[frozenset[Guard], Guard] = {}

    def branch(self, outer: Guard | None, condition: Value, expected: bool) -> Guard:
        """The guard of a branch: the same for all that are chosen by the same conditions.

        A mask of several branches is one `and`, which counts as the conditions that it joins.
        """
        if condition.op is not_:
            return self.branch(outer, condition.args[0], not expected)
        if condition.op is and_ and expected:
            return self.branch(self.branch(outer, condition.args[0], True), condition.args[1], True)
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


def joined_by(mask: Value) -> Iterator[Value]:
    """The conditions that all hold where `mask` does."""
    todo = [mask]
    while todo:
        yield (c := todo.pop())
        todo += c.args if c.op is and_ else ()


class MaskWriter:
    """Writes the masks of one half: each is made once for the blocks in which it can be seen."""

    def __init__(self, primal: Callable[[Builder, Value], Value]) -> None:
        self.primal = primal
        self.made: dict[Guard, Value] = {}

    def mask(self, b: Builder, g: Guard) -> Value:
        """True if all guards of a chain hold. The outer ones come first: what chains have in common is then shared."""
        chain: list[Guard] = []
        at: Guard | None = g
        while at is not None and not (at in self.made and b.block.inside(self.made[at].block)):
            chain.append(at)
            at = at.outer
        mask = None if at is None else self.made[at]
        for at in reversed(chain):
            if at.condition is None:
                mask = reduce(or_, [self.mask(b, x) for x in at.either])
            else:
                c = self.primal(b, at.condition)
                own = c if at.expected else not_(c)
                mask = own if mask is None else and_(mask, own)
            self.made[at] = mask
        assert mask is not None
        return mask
