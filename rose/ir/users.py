"""Users of values, and the edits that keep them true: who reads each value of a function, and where each stands.

A pass that edits a function in place asks `users_of(f)`, which is found once, replaces, inserts and erases through it,
and ends with `sweep`, which takes what was erased out of the code. A rewrite that leaves out double negations:

    users = users_of(f)
    for v in list(instructions(f.body)):
        if v.op is neg and v.args[0].op is neg:
            users.replace(v, v.args[0].args[0])
            users.erase(v)
    users.sweep()

What edits in another way says `callgraph.changed(f)`, and the next pass finds the users anew. The verifier finds a
table that is no longer true.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from .builder import AT, FOR
from .func import Block, Func
from .value import Value
from .views import loop_of

User = Value | Block  # an instruction, or a block whose result it is


class Users:
    """The users of each value of a function."""

    def __init__(self, f: Func) -> None:
        self.func = f
        self.loops: dict[Block, Value] = {}  # the `for` of each block
        self._of: dict[Value, dict[User, None]] = {}
        self._places: dict[Block, dict[Value, int]] = {}
        self._early: dict[Value, list[Value]] = {}  # what is to stand before another
        self._gone: set[Value] = set()
        self._enter(f.body)

    def _enter(self, block: Block) -> None:
        for v in block.code:
            self._reads(v, v.args)
            if v.op is FOR:
                self.loops[v.attr] = v
                self._enter(v.attr)
        self._reads(block, block.results)

    def _reads(self, user: User, values: Iterable[Value]) -> None:
        of = self._of
        for a in values:
            if a in of:
                of[a][user] = None
            else:
                of[a] = {user: None}

    def _forgets(self, user: User, values: Iterable[Value]) -> None:
        for a in values:
            self._of[a].pop(user, None)

    # questions

    def of(self, v: Value) -> Collection[User]:
        """Who reads a value, each once, in the order in which they stand or were changed to read it."""
        return self._of.get(v, ())

    def gets(self, loop: Value) -> list[Value]:
        """The parts of a `for`: nothing else reads it."""
        return [user for user in self.of(loop) if isinstance(user, Value)]

    def of_accumulator(self, ref: Value) -> Iterator[Value]:
        """What takes an accumulator or a part of it: additions, calls, the part itself, and `freeze`."""
        parts = [ref]
        for part in parts:
            for user in self.of(part):
                assert isinstance(user, Value)  # the verifier refuses one that is a result
                yield user
                if user.op is AT:
                    parts.append(user)

    def place(self, v: Value) -> int:
        """The position of an instruction in its block, as it was before the edits that are not swept; -1 of others."""
        places = self._places.get(v.block)
        if places is None:
            places = self._places[v.block] = {u: k for k, u in enumerate(v.block.code)}
        return places.get(v, -1)

    # edits

    def replace(self, old: Value, new: Value) -> None:
        """Let what reads `old` read `new`."""
        readers = self._of.pop(old, None)
        if not readers:
            return
        for user in readers:
            if isinstance(user, Block):
                user.results = tuple([new if r is old else r for r in user.results])
            else:
                user.args = tuple([new if a is old else a for a in user.args])
            self._reads(user, (new,))

    def give(self, v: Value, *args: Value) -> None:
        """Let an instruction have other arguments."""
        self._forgets(v, v.args)
        v.args = args
        self._reads(v, args)

    def end(self, block: Block, *results: Value) -> None:
        """Let a block have other results."""
        self._forgets(block, block.results)
        block.results = results
        self._reads(block, results)

    def erase(self, *gone: Value) -> None:
        """Take out instructions that nobody reads, but others that go with them."""
        self._gone.update(gone)
        for v in gone:
            self._forgets(v, v.args)

    def move(self, code: Iterable[Value], before: Value) -> None:
        """Let instructions of the same block stand before another, in this order, and before what was moved there."""
        self._early[before] = [*code, *self._early.get(before, ())]

    def arrange(self, block: Block, code: list[Value]) -> None:
        """Let a block have its instructions in another order, or without some."""
        block.code = code
        self._places.pop(block, None)
        self.func.inventory = None

    def sweep(self, block: Block | None = None) -> None:
        """Write the code without what was erased, and with what was moved where it belongs; of one block, or of all."""
        if not self._gone and not self._early:
            return
        todo = [self.func.body if block is None else block]
        for inner in todo:
            code = inner.code
            if self._early:
                code = list(dict.fromkeys([v for u in code for v in (*self._early.get(u, ()), u)]))
            self.arrange(inner, [v for v in code if v not in self._gone])
            todo += [loop_of(v) for v in inner.code if v.op is FOR]
        if block is None:
            self._gone.clear()
            self._early.clear()

    def is_current(self) -> bool:
        """True unless the function was edited in another way."""
        now = Users(self.func)
        kept = {v: found for v, found in self._of.items() if found}
        return kept == now._of and now.loops.items() <= self.loops.items()


def users_of(f: Func) -> Users:
    """The users of the values of a function: found once, until `changed`."""
    if f.users is None:
        f.users = Users(f)
    return f.users
