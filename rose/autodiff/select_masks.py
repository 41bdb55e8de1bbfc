"""Masks for `select`: a branch that is not taken contributes nothing to a derivative, whatever it holds.

In reverse, the branch that was not taken gets the cotangent 0. But 0 may meet an infinity on its way back through the
branch, and leave it as nan. So the contributions that leave a branch are masked with its condition once more, where
they leave. A *guard* is the chain of conditions under which a value is used: the branches that its uses lie in; where
these differ, one of the conditions is that some use is taken. An instruction's contribution to an argument with another
guard leaves a branch.

Guards are conditions of the program, and suffice for a number that is used where they can be seen. Which elements of a
vector are read at all, or in a branch that is taken, and which iterations of a state, or whether a number is read in a
loop or in a function that it was passed to, no condition of the program says. There the cotangent says so itself. A sum
of no contributions is -0.0, to which adding any number gives that number, to the bit; and a contribution from a branch
that is taken is never -0.0, since 0.0 is added to it, and no sum of such contributions is. So in a *marked* cotangent a
number is -0.0 if nothing that was taken read it, and at no other time. Where the cotangent of a number is complete,
`reached` tells, which is the guard of all that the number is made of. The mark says what was taken, and nothing of
values: a cotangent that happens to be 0 is not -0.0, and its derivatives lose no term.

A marked cotangent goes through tuples, vectors, states and calls as it is. The other cotangents are *plain*.

A value is *dirty* if it is made of the function's parameters by something that may be infinite, and its cotangent is
only marked if it is; a plain one is *wild* if it may be other than 0 in a branch that was not taken: it was multiplied
by something that may be infinite. What is neither needs no mask, so tame branches cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ..ir import (
    ADD_TO,
    AT,
    CONST,
    FOR,
    FREEZE,
    GET,
    PACK,
    TUPLE,
    ZERO,
    Block,
    Func,
    Loop,
    Value,
    is_call,
    loop_of,
)
from ..ir.accumulators import base, is_ref
from ..ir.ops import reached, select
from ..ir.puts import PUT
from ..ir.sizes import differ
from ..ir.types import Bool, Tan, Type
from .guards import Guard, Guards
from .half_signature import HalfSignature
from .linear_parts import Key, Path, inner, key_of, leaves, whole_of
from .linearity import Loops


class Source(NamedTuple):
    """The source of a contribution: a marked cotangent, or a plain one under a guard, which it may leave."""

    under: Guard | None = None
    leaving: Guard | None = None  # the guard that it leaves, if it must be masked
    marked: bool = False
    used: bool = True  # false if nothing uses it: there is no contribution but zeros


class Uses:
    """The uses of a part of a value: their guards, and whether one is of all that is in it."""

    __slots__ = ("guards", "marked", "whole")

    def __init__(self) -> None:
        self.guards: dict[Guard | None, None] = {}
        self.marked = False  # one has a marked cotangent
        self.whole = False  # one is of all elements, under no condition


class Masks:
    """The masks of a function in which nothing chooses: there are none."""

    chooses = False

    def is_marked(self, key: Key) -> bool:
        """True if the cotangent is marked, false if it is plain."""
        return False

    def half(self, call: Value) -> bool:
        """True if a call is to be transposed with marked cotangents."""
        return False


class SelectMasks(Masks):
    """For each part of a linear value, whether its cotangent is marked; if not, under which guards it is used."""

    chooses = True

    def __init__(
        self,
        g: Func,
        loops: Loops,
        signature_of: Callable[[Func], HalfSignature],
        partial: set[Key],
        *,
        marked: bool,
    ) -> None:
        self.loops, self.signature_of, self.partial = loops, signature_of, partial
        self.uses: dict[Key, Uses] = {}
        self.guard: dict[Key, Guard | None] = {}
        self.marked: dict[Key, None] = {}
        self.wild: dict[Key, None] = {}
        self.guards = Guards()
        self.reached: dict[Value, Guard] = {}  # the guard of what a number is made of, if its cotangent is marked
        self.seen: dict[Key, Guard | None] = {}
        self.calls: dict[Value, bool] = {}
        self.dirty: dict[Value, None] = {p: None for p in g.params if marked}
        self.harmful: dict[Block, bool] = {}  # blocks with something that may be infinite, or with a choice
        self.choosing: dict[Block, bool] = {}
        self._survey(g.body)
        self._soil(g.body)
        for p in g.params:
            for path, _ in leaves(inner(p.type)):
                self._settled((p, path), marked=marked)
        for path, _ in leaves(g.result):
            self._use(g.body.results[0], path, None, marked=marked, whole=True)
        self._block(g.body)
        self._halves(g.body)

    # what a transposition asks

    def is_marked(self, key: Key) -> bool:
        return key in self.marked or self.calls.get(key[0], False)

    def half(self, call: Value) -> bool:
        return self.calls[call]

    def source(self, user: Value, path: Path, arg: Value, part: Path) -> Source:
        """Where a contribution to a part of an argument comes from."""
        key = key_of(user.args[0] if user.op is ADD_TO else user, path)
        if self.is_marked(key) and user not in self.reached:
            return Source(marked=True)
        if key not in self.guard:
            return Source(used=False)
        g = self.guard[key]
        if user.op is select:
            g = self.guards.branch(g, user.args[0], arg is user.args[1])
        to = key_of(arg, part)
        around = self.local(to) if self.is_marked(to) and to in self.uses else self.guard.get(to)
        return Source(g, g if g is not None and g is not around and self._spoils(user, path) else None)

    def sees(self, key: Key, source: Source) -> bool:
        """True if the guard of a contribution is one that can be seen from where its argument is made."""
        if source.marked or key not in self.uses:
            return False
        g = source.under
        return g is None or key[0].block.inside(g.scope)

    def local(self, key: Key) -> Guard | None:
        """The guard of the uses of a part that can be seen from where it is made."""
        if key not in self.seen:
            block = key[0].block
            self.seen[key] = self.guards.any_of(
                [g for g in self.uses[key].guards if g is None or block.inside(g.scope)]
            )
        return self.seen[key]

    # what may be infinite, and what is made of it

    def _survey(self, block: Block) -> None:
        harmful = choosing = False
        for v in self.loops.code[block]:
            if v.op is FOR:
                self._survey(v.attr)
                harmful, choosing = harmful or self.harmful[v.attr], choosing or self.choosing[v.attr]
            else:
                harmful = harmful or _is_harmful(v)
                choosing = choosing or v.op is select or v.op is PUT
                choosing = choosing or (is_call(v) and self.signature_of(v.attr).chooses)
        self.harmful[block], self.choosing[block] = harmful, choosing

    def _soil(self, block: Block) -> None:
        for v in self.loops.code[block]:
            if v.op is FOR:
                self._soil_loop(v)
            elif v.op is ADD_TO:
                if v.args[1] in self.dirty:
                    self.dirty[base(v.args[0])] = None
            elif is_call(v):
                self.dirty.update({base(a) if is_ref(a) else v: None for a in (v, *v.args)})
            elif v.op is GET and v.args[0].op is FOR:
                if self._is_dirty((v.args[0], (v.attr,))):
                    self.dirty[v] = None
            elif _is_harmful(v) or any([a in self.dirty for a in v.args if a.type.linear]):
                self.dirty[v] = None

    def _soil_loop(self, v: Value) -> None:
        block = loop_of(v)
        if self.harmful[block] or any([a in self.dirty for a in (*v.args, *self.loops.outside[v])]):
            self.dirty.update(dict.fromkeys(block.states))
        self._soil(block)

    def _is_dirty(self, key: Key) -> bool:
        v, path = key
        if v.op is not FOR:
            return v in self.dirty
        block = loop_of(v)
        j = path[0]
        return block.results[j] in self.dirty or (j < block.carried and block.state(j) in self.dirty)

    def _spoils(self, v: Value, path: Path) -> bool:
        """True if what `v` contributes may be other than 0 in a branch that was not taken."""
        return _is_harmful(v) or key_of(v.args[0] if v.op is ADD_TO else v, path) in self.wild

    # the uses of each value, from the last instruction to the first

    def _use(
        self, arg: Value, part: Path, g: Guard | None, *, marked: bool = False, whole: bool = False, wild: bool = False
    ) -> None:
        key = key_of(arg, part)
        uses = self.uses.setdefault(key, Uses())
        if marked:
            uses.marked = True
            return
        uses.guards[g] = None
        uses.whole = uses.whole or (whole and g is None and key[0] is whole_of(arg))
        # what cannot be seen from there is left, and masked there
        if wild and (g is None or key[0].block.inside(g.scope)):
            self.wild[key] = None

    def _settled(self, key: Key, *, marked: bool, g: Guard | None = None) -> None:
        self.guard[key] = g
        if marked:
            self.marked[key] = None

    def _settle(self, v: Value, path: Path, t: Type) -> bool:
        """Decide between a marked and a plain cotangent, once all uses were seen. False if there are none."""
        key = v, path
        uses = self.uses.get(key)
        if uses is None or key in self.guard:
            return uses is not None
        block = v.block
        seen = not uses.marked and all([g is None or block.inside(g.scope) for g in uses.guards])
        if t is Tan:
            plain = None in uses.guards or seen
        else:
            one = seen and len(uses.guards) == 1 and key not in self.partial
            plain = v.op is not PUT and (uses.whole or (one and (None in uses.guards or v.op in (FOR, PACK, FREEZE))))
        if plain or not self._is_dirty(key):
            self._settled(key, marked=False, g=self.guards.any_of(uses.guards) if seen else None)
        else:
            self._settled(key, marked=True)
        return True

    def _number(self, v: Value) -> Guard | None:
        """The guard of what a number is made of."""
        self._settle(v, (), Tan)
        if (v, ()) in self.marked and v not in self.reached:
            marker = Value(reached, Bool, (), None, v.loc, v.block)  # of the backward half, not of the program
            self.reached[v] = self.guard[v, ()] = Guard(None, marker, True)
        return self.guard.get((v, ()))

    def _hand_on(self, v: Value, k: int, arg: Value, *, wild: bool = False, whole: bool = False) -> None:
        """Use argument `k` as that part of `v` is used that it becomes."""
        for part, _ in leaves(arg.type):
            key = key_of(v, v.op.place(k, part))
            if key in self.guard:
                uses = self.uses.get(key)
                self._use(
                    arg,
                    part,
                    self.guard[key],
                    marked=key in self.marked,
                    whole=whole or (uses is not None and uses.whole),
                    wild=wild or key in self.wild,
                )

    def _block(self, block: Block) -> None:
        for v in reversed(self.loops.code[block]):
            if v.op is FOR:
                self._for(v)
            elif is_call(v):
                self._call(v)
            elif v.op is not AT and v.op is not GET:
                for path, t in leaves(v.type):
                    self._settle(v, path, t)
                self._instruction(v)

    def _instruction(self, v: Value) -> None:
        op, args = v.op, v.args
        if op is ADD_TO:
            self._hand_on(args[0], 0, args[1])
        elif op is FREEZE:
            self._freeze(v)
        elif op is select:
            self._select(v)
        elif op.reads:
            for path, _ in leaves(v.type):
                if (key := (v, path)) in self.guard:
                    self._use(args[0], (), self.guard[key], marked=key in self.marked, wild=key in self.wild)
        elif v.type is not Tan:
            for k, x in enumerate(args):
                self._hand_on(v, k, x)
        elif op is not ZERO:
            g, wild = self._number(v), self._spoils(v, ())
            for a in args:
                if a.type.linear and (v, ()) in self.guard:
                    self._use(a, (), g, whole=True, wild=wild)

    def _freeze(self, v: Value) -> None:
        """The cotangent of an accumulator is that of its sum; the mark of a number is read here, once."""
        ref = v.args[0]
        g = self._number(v) if v.type is Tan else None
        for path, t in leaves(v.type):
            if (v, path) in self.guard:
                number = t is Tan and not path
                marked = not number and (v, path) in self.marked
                self._settled((ref, path), marked=marked, g=g if number else self.guard[v, path])
                if (v, path) in self.wild:
                    self.wild[ref, path] = None

    def _select(self, v: Value) -> None:
        if v.type is Tan:
            self._number(v)
        for path, t in leaves(v.type):
            if (v, path) not in self.guard:
                continue
            marked = t is not Tan or bool(path)
            marked = marked and (v, path) in self.marked
            g = self.guard[v, path]
            for a, expected in zip(v.args[1:], (True, False), strict=True):
                branch = None if marked else self.guards.branch(g, v.args[0], expected)
                self._use(a, path, branch, marked=marked, wild=g is not None and (v, path) in self.wild)

    def _call(self, v: Value) -> None:
        refs = [key_of(a, path) for a in v.args if is_ref(a) for path, _ in leaves(inner(a.type))]
        for path, t in leaves(v.type):
            self._settle(v, path, t)
        keys = [*[(v, path) for path, _ in leaves(v.type)], *refs]
        given = self.given(v)
        conditional = any([k in self.marked or self.guard.get(k) is not None for k in keys])
        conditional = conditional or len({k in self.guard for k in keys}) > 1  # nothing reads a part of the result
        self.calls[v] = conditional or (self.signature_of(v.attr).chooses and any([a in self.dirty for a in given]))
        for a in given:
            for path, _ in leaves(a.type):
                self._use(a, path, None, marked=self.calls[v], whole=True, wild=True)

    def given(self, v: Value) -> list[Value]:
        """The arguments to which a call contributes."""
        unread = self.signature_of(v.attr).unread
        return [a for k, a in enumerate(v.args) if a.type.linear and not is_ref(a) and k not in unread]

    def _for(self, v: Value) -> None:
        block = loop_of(v)
        k = block.carried
        for path, t in leaves(v.type):
            self._settle(v, path, t)
        self._states(v)
        if not self._is_empty(v):
            for j, r in enumerate(block.results):
                self._hand_on(v, j, r, wild=j < k, whole=j < k)
            self._block(block)
        for j, a in enumerate(v.args):
            self._hand_on(v, j, a, wild=True, whole=True)

    def _is_empty(self, v: Value) -> bool:
        """True if a loop has no iterations."""
        return not differ(loop_of(v).size, 0)

    def _states(self, v: Value) -> None:
        """The states of a loop: their cotangents are marked where the uses of its results, or of a state, differ."""
        block = loop_of(v)
        states = [path for path, _ in leaves(v.type) if path[0] < block.carried]
        if not states:
            return
        whole = [v, *[base(a) for a in self.loops.outside[v] if is_ref(a)]]
        used = [key for x in whole for path, _ in leaves(inner(x.type)) if (key := (x, path)) in self.guard]
        guards = list(dict.fromkeys([self.guard[key] for key in used]))
        uneven = self.choosing[block] or len(guards) > 1 or any([key in self.marked for key in used])
        marks = uneven and any([self._is_dirty((v, path)) for path in states])
        g = None if marks or not guards else self.guards.any_of(guards)
        always = self._always_reached(v, states) if marks else states
        for path in states:
            for key in ((v, path), (block.state(path[0]), path[1:])):
                self._settled(key, marked=path not in always, g=g)
                self.wild[key] = None

    def _always_reached(self, v: Value, states: list[Path]) -> set[Path]:
        """The numbers of a state that every iteration reads, and that are read after the last one as well."""
        block = loop_of(v)
        reached_by = self._reached_by(block)
        of = {path: reached_by.get(key_of(block.results[path[0]], path[1:]), frozenset[Key]()) for path in states}
        keys = {path: (block.state(path[0]), path[1:]) for path in states}
        always = {p for p in states if (v, p) in self.guard and self.guard[v, p] is None and (v, p) not in self.marked}
        while lost := {p for p in always if not any([keys[p] in of[q] for q in always])}:
            always -= lost
        return always

    def _reached_by(self, block: Loop) -> dict[Key, frozenset[Key]]:
        """For each number, the parameters of the block that are read wherever it is."""
        found = {(p, path): frozenset([(p, path)]) for p in block.states for path, t in leaves(p.type) if t is Tan}
        none = frozenset[Key]()
        for v in self.loops.code[block]:
            if v.op is TUPLE or v.op is select:
                for path, _ in leaves(v.type):
                    parts = [(v.args[path[0]], path[1:])] if v.op is TUPLE else [(a, path) for a in v.args[1:]]
                    first, *others = [found.get(key_of(a, part), none) for a, part in parts]
                    found[v, path] = first.intersection(*others)
            elif v.op.transpose is not None and v.type is Tan:
                found[v, ()] = none.union(*[found.get(key_of(a), none) for a in v.args if a.type.linear])
        return found

    def _halves(self, block: Block) -> None:
        for v in self.loops.code[block]:
            if v.op is FOR:
                self._halves(v.attr)
            elif is_call(v) and not self.calls.setdefault(v, False):
                keys = [key_of(a, path) for a in self.given(v) for path, _ in leaves(a.type)]
                self.calls[v] = any([self.is_marked(key) for key in keys])


def _is_harmful(v: Value) -> bool:
    """True if an instruction may make something other than 0 of the cotangent 0."""
    return is_call(v) or (v.op.transpose is not None and any([not a.type.linear and not _is_tame(a) for a in v.args]))


def _is_tame(v: Value) -> bool:
    return v.op is CONST and (not isinstance(v.attr, float) or (math.isfinite(v.attr) and v.attr != 0.0))
