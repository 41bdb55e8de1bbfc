"""Loop interchange: what a nest of loops adds up is read and written in the order in which it lies in memory.

The product of a row with a matrix, and the adjoints of products, have the loop over the rows of a matrix innermost: of
512 numbers in a row, those of a column all lie in the same few places of a cache. So an addition is taken out of its
nest, with what it needs, and gets one of its own. Innermost there is the loop in which the fewest of its numbers lie
apart; around it are the loops over the terms of an element, so that what is added to stays in the cache; then the
others. Of two additions each has a nest, if little is computed twice: four rows at once of two matrices, and of their
adjoints, are more places than a cache has for lines of the same remainder.

Loops that do not tell elements apart keep their order, so each element has the same terms in the same order, and the
same bits. A sum that each iteration makes is one of a vector of sums, and a number that an outer iteration computes is
read from a vector or a matrix. An array that begins at zero, to which a nest alone adds, is the value of that nest: its
rows are added up, or its elements, since `0.0 + (0.0 + x)` is `0.0 + x`. Unroll-and-jam makes blocks of those as of
any other.

A condition that is kept is another one in each iteration of an innermost loop. Two at once choose by it without a
branch, if it is kept as a number; one alone chooses as an integer, which pays where a column is in one or two places of
a cache: the gradient of `sum(maximum(a @ b, 0))` takes 0.35 of its time at 512, with simd 0.62, and 0.52 at 500.

Measured: at 512 x 512 the gradient of `sum((a @ b) ** 2)` takes 0.17 of its time, and 0.47 with simd, that of
`sum((v @ a) ** 2)` 0.24 and 0.13; at 500 x 500 0.69, 0.86, 0.98 and 0.69.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import gcd, prod

from ..ir import (
    ADD_TO,
    AT,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PARAM,
    Builder,
    Func,
    Value,
    is_index,
    loop_of,
    loops_around,
    span_of,
)
from ..ir.accumulators import aliases, base, begins_at_zero
from ..ir.affine import affine_of
from ..ir.callgraph import instructions, operations
from ..ir.ops import add, lt, select
from ..ir.sizes import Size
from ..ir.types import Bool, Fin, Real, Ref, Tuple, Type, Vec, count_leaves
from ..ir.users import users_of
from . import costs
from .dead_code import remove_dead_code
from .jam_analysis import INDICES, depends, indices_of, is_quick, tells
from .recomputation import vector_of
from .rewriter import Env, Iteration, Simplifier

_READS = {INDEX, GET, AT}


def interchange(f: Func, without: Collection[str] = (), *, simd: bool = False) -> Func:
    """`f` with its products in the order of memory."""
    if not {FOR, ADD_TO} <= operations(f):
        return f
    found = Nests(f, simd)
    return remove_dead_code(_Writer(found, without).function(f)) if found.nests else f


@dataclass(eq=False)
class Nest:
    """An addition that gets a nest of its own."""

    add: Value
    loops: list[Value]  # around it, the outermost first
    sum: Value | None  # the number that each iteration of the first loop adds up
    simd: bool
    code: dict[Value, None] = field(default_factory=dict[Value, None])  # what it needs of their iterations
    kept: dict[Value, None] = field(default_factory=dict[Value, None])  # numbers that stay where they are computed
    told: dict[Value, None] = field(default_factory=dict[Value, None])  # loops that tell elements apart: in any order
    terms: dict[Value, None] = field(default_factory=dict[Value, None])  # the others, in their order
    fresh: bool = False  # true if it adds to what begins at zero, and nothing is added there before
    read: Value | None = None  # what reads that, if nothing is added after either: it becomes a value
    order: list[Value] = field(default_factory=list[Value])  # the loops as they are to be

    def __post_init__(self) -> None:
        for loop in self.loops:
            index = loop_of(loop).index
            (self.told if any([tells(i, index) for i in self.at]) else self.terms)[loop] = None

    @property
    def at(self) -> list[Value]:
        """The indices of the element that is added to."""
        return [loop_of(self.loops[0]).index] if self.sum is not None else indices_of(self.add.args[0])[::-1]

    def around(self, x: Value) -> list[Value]:
        """The loops in which `x` stands."""
        return [loop for loop in self.loops if x.block.inside(loop.attr)]

    def arrange(self) -> None:
        """Choose the order of the loops."""
        # the terms of a number are innermost, but for a location of an array: that stays in no register
        free = self.fresh or self.sum is not None or not self.told
        might = [loop for loop in self.loops if loop in self.told or (free and loop is [*self.terms][-1])]
        might = [loop for loop in might if not self.chooses(loop)] or self.loops[-1:]
        last = min(reversed(might), key=self.apart)
        if self.read is not None:
            at = {loop_of(loop).index: loop for loop in self.told}
            told = [at[i] for i in self.at]
            if last in self.told and last is not told[-1]:
                self.read = None
            self.told = dict.fromkeys(told)
        self.order = [*[loop for loop in (*self.told, *self.terms) if loop is not last], last]

    def chooses(self, loop: Value) -> bool:
        """True if the iterations of a loop differ in a condition, which machines would predict in vain.

        Two at once are chosen without a branch. So is by what is kept, an element of an array; but slowly.
        """
        found = [x.args[0] for x in self.code if x.op is select and not self.simd]
        kept = [c for c in found if c in self.kept and c.block.inside(loop.attr)]
        others = [c for c in found if c not in self.kept and depends(c, loop_of(loop).index)]
        return bool(others) or (bool(kept) and not self.crowds())

    def crowds(self) -> bool:
        """True if rows that are read or added to begin at one or two places of a cache."""
        return any([n >= costs.LINE_NUMBERS and _places(n) <= 2 for path in self.paths() for _, n in path])

    def paths(self) -> list[list[tuple[Value, int]]]:
        """Where the numbers lie that it reads and adds to: indices, each with how far apart its elements are."""
        found = [_path(x) for x in self.code if x.op is INDEX and x.type.scalar] + [_path(self.add.args[0])]
        if self.sum is not None:
            found.append([(loop_of(self.loops[0]).index, 1)])
        for x in self.kept:
            sizes = [*map(_iterations, self.around(x)), 1]
            found.append([(loop_of(w).index, prod(sizes[k + 1 :])) for k, w in enumerate(self.around(x))])
        return found

    def apart(self, loop: Value) -> int:
        """How far apart the numbers lie that iterations of a loop read and write: a line of a cache at most, each."""
        return sum([self.step(path, loop) for path in self.paths()])

    def step(self, path: list[tuple[Value, int]], loop: Value) -> int:
        """How far apart the numbers on a path lie; not for one number after the other, if lines stay in the cache."""
        index = loop_of(loop).index
        step = abs(sum([affine_of(i).terms.get(index, 0) * n for i, n in path]))
        stay = not self.simd and step >= costs.LINE_NUMBERS and _iterations(loop) <= 2 * _places(step)
        return 1 if stay else min(step, costs.LINE_NUMBERS)

    def gains(self) -> bool:
        """True if fewer numbers lie apart than in the order of the function."""
        return self.apart(self.order[-1]) < self.apart(self.loops[-1])

    def collides(self) -> bool:
        """True if the rows that are read or added to all begin at the same place of a cache."""
        steps = [n for path in self.paths() for _, n in path if n >= costs.LINE_NUMBERS]
        return any([_places(n) == 1 for n in steps]) and self.apart(self.order[-1]) < costs.LINE_NUMBERS

    def fits(self) -> bool:
        """True if little is computed, and no more is kept than is in an array that the loops read or add to."""
        if len([x for x in self.code if x.type is Real and x.op not in _READS]) > costs.BLOCKED_OPERATIONS:
            return False
        read = [x for x in instructions(self.loops[0].attr) if x.op is INDEX or x.op is AT]
        room = max(map(_numbers, read), default=0)
        return all([prod(map(_iterations, self.around(x))) <= room for x in self.kept])


def _path(x: Value) -> list[tuple[Value, int]]:
    """The indices of a part of an array, each with the numbers from one of its elements to the next."""
    found: list[tuple[Value, int]] = []
    while x.op in _READS:
        t = x.type.inner if isinstance(x.type, Ref) else x.type
        found += [(i, count_leaves(t)) for i in x.args[1:]]
        x = x.args[0]
    return found


def _places(step: int) -> int:
    """How many places of a cache there are for lines of numbers that lie so far apart."""
    lines, rest = divmod(step, costs.LINE_NUMBERS)
    return costs.CACHE_PLACES if rest else costs.CACHE_PLACES // gcd(lines, costs.CACHE_PLACES)


def _numbers(x: Value) -> int:
    """The numbers of the whole array of which `x` is a part."""
    while x.op in _READS:
        x = x.args[0]
    return count_leaves(x.type.inner if isinstance(x.type, Ref) else x.type)


def _iterations(loop: Value) -> int:
    n = loop_of(loop).size
    assert not isinstance(n, Size)
    return n


def _is_long(loop: Value) -> bool:
    n = loop_of(loop).size
    return span_of(loop) is None and not isinstance(n, Size) and n >= costs.INTERCHANGED_ITERATIONS


def _array(indices: Sequence[Type]) -> Type:
    """The array of numbers of which these are the types of the indices."""
    t: Type = Real
    for i in reversed(indices):
        assert isinstance(i, Fin)
        t = Vec(i.size, t)
    return t


class Nests:
    """The additions of a function that get a nest of their own."""

    def __init__(self, f: Func, simd: bool) -> None:
        self.simd = simd
        self.nests: list[Nest] = []
        loops = [v for v in instructions(f.body) if v.op is FOR and v.block is not f.body and _only_adds(v)]
        if not loops:
            return
        self.users = users_of(f)
        self.uses: dict[Value, dict[Value, int]] = {}
        for v in loops:
            adds = [x for x in loop_of(v).code if x.op is ADD_TO]
            nests = [nest for x in adds if (nest := self.nest(x)) is not None]
            self.nests += _taken_out(nests, len(adds))

    def nest(self, add: Value) -> Nest | None:
        """The nest of an addition; None if it stays in its own."""
        ref = base(add.args[0])
        is_sum = ref.type is Ref(Real) and begins_at_zero(ref) and ref.block.parent is not None
        loops = self.loops(add, ref, is_sum)
        if len(loops) < 2 or (is_sum and loops[0].attr is not ref.block):
            return None
        nest = Nest(add, loops, ref if is_sum else None, self.simd)
        while not is_sum and loops[0] in nest.terms and len(nest.terms) > 1 and len(loops) > 2:
            nest = Nest(add, loops := loops[1:], None, self.simd)  # what an iteration adds up is in the cache as yet
        if not all(map(_is_long, nest.terms)) or not self.is_alone(nest, ref):
            return None
        if not all([self.collect(nest, a) for a in add.args]) or not nest.fits():
            return None
        nest.fresh = not is_sum and self.is_first(nest.loops[0], ref)
        nest.read = self.read(nest, ref) if nest.fresh else None
        nest.arrange()
        return nest if _is_long(nest.order[-1]) else None

    def loops(self, add: Value, ref: Value, is_sum: bool) -> list[Value]:
        """The loops around an addition, the outermost first, as far as their iterations could come in another order."""
        found: list[Value] = []
        outside = ref.block.parent if is_sum else ref.block
        assert outside is not None
        for block in loops_around(add.block, outside):
            loop = self.users.loops[block]
            if span_of(loop) is not None or isinstance(block.size, Size) or (loop.args and block is not ref.block):
                break
            found.insert(0, loop)
        return found

    def is_alone(self, nest: Nest, ref: Value) -> bool:
        """True if nothing else touches what the nest adds to, until it is read."""
        if nest.sum is not None:
            others = [x for x in self.users.of_accumulator(ref) if x is not nest.add]
            return len(others) == 1 and others[0].op is FREEZE and others[0].block is ref.block
        loop = nest.loops[0]
        if loop not in self.uses:
            code = [v for v in instructions(loop.attr) if v.op is not AT]
            self.uses[loop] = Counter([base(a) for v in code for a in v.args if isinstance(a.type, Ref)])
        return self.uses[loop][ref] == 1 and ref not in aliases(self.uses[loop])

    def is_first(self, loop: Value, ref: Value) -> bool:
        """True if nothing is added to `ref`, which begins at zero, before a loop."""
        if loop.block is not ref.block or not begins_at_zero(ref):
            return False
        for v in self.users.of_accumulator(ref):
            while v.block is not ref.block:
                v = self.users.loops[v.block]
            if v.op is not AT and self.users.place(v) < self.users.place(loop):
                return False
        return True

    def read(self, nest: Nest, ref: Value) -> Value | None:
        """What reads an array, if the nest alone adds to it, and to each of its elements."""
        if len({*nest.at}) < len(nest.at) or {*nest.at} != {loop_of(loop).index for loop in nest.told}:
            return None
        users = [v for v in self.users.of_accumulator(ref) if v.op is not AT and v is not nest.add]
        is_whole = ref.type is Ref(_array([i.type for i in nest.at]))
        is_read = len(users) == 1 and users[0].op is FREEZE and users[0].block is ref.block
        return users[0] if is_whole and is_read else None

    def collect(self, nest: Nest, v: Value, depth: int = 0) -> bool:
        """Find what is needed for `v` of the iterations; False if that cannot be had in another order."""
        if not v.block.inside(nest.loops[0].attr) or v is nest.sum or v in nest.code or v in nest.kept:
            return True
        if v.op is PARAM:
            return is_index(v)
        is_outer, before = v.block is not nest.add.block, dict(nest.code)
        again = v.op in _READS or v.op in INDICES or (is_quick(v) and (not is_outer or nest.sum is not None))
        if again and depth < costs.JAMMED_AGAIN and all([self.collect(nest, a, depth + 1) for a in v.args]):
            nest.code[v] = None
            return True
        nest.code = before
        if nest.sum is None and is_outer and v.type in (Real, Bool):
            nest.kept[v] = None
            return True
        return False


def _only_adds(v: Value) -> bool:
    """True for a long loop without others in it that does nothing but add what takes little."""
    code = loop_of(v).code
    if not _is_long(v) or v.args or not all([r.type.empty for r in loop_of(v).results]):
        return False
    return any([x.op is ADD_TO for x in code]) and all([x.op in _READS or x.op is ADD_TO or is_quick(x) for x in code])


def _taken_out(nests: Sequence[Nest], additions: int) -> Sequence[Nest]:
    """Those of the nests of a loop with so many additions that are worth it: all, if they are in one another's way."""
    apart = len(nests) == additions > 1 and all([nest.sum is None and nest.collides() for nest in nests])
    return [nest for nest in nests if apart or nest.gains()]


class _Writer(Simplifier):
    """A copy of a function with some additions in nests of their own: of sums before the loop, of others after it."""

    def __init__(self, found: Nests, without: Collection[str]) -> None:
        super().__init__({}, {}, without)
        self.before: dict[Value, list[Nest]] = {}
        self.after: dict[Value, list[Nest]] = {}
        self.kept: dict[Value, dict[Value, None]] = {}  # the numbers that are kept, by the loops around
        self.numbers: dict[Value, Value] = {}  # conditions that are kept as numbers, which fit into vectors
        self.sums: dict[Value, Nest] = {}
        self.rows: dict[Value, Value] = {}  # the array of what is kept, or of the sums
        self.reads = {nest.read for nest in found.nests if nest.read is not None}
        self.gone = {nest.add for nest in found.nests}
        for nest in found.nests:
            if nest.sum is not None:
                self.sums[nest.sum] = nest
            (self.after if nest.sum is None else self.before).setdefault(nest.loops[0], []).append(nest)
            for x in nest.kept:
                for loop in nest.around(x):
                    self.kept.setdefault(loop, {})[x] = None
        self.chosen = {x for nest in found.nests if nest.simd for x in nest.kept if x.type is Bool}

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        if v in self.gone:
            return b.unit()
        if v.op is FREEZE and v.args[0] in self.sums:
            return b.index(self.rows[v.args[0]], env[loop_of(self.sums[v.args[0]].loops[0]).index])
        if v in self.reads:
            return self.rows[v]
        made = super().instruction(b, v, env)
        if v in self.chosen:
            self.numbers[v] = b.emit(select, (made, b.lift(1.0), b.lift(0.0)))
        return made

    def loop(self, b: Builder, v: Value, args: tuple[Value, ...], env: Env) -> Value:
        for nest in self.before.get(v, ()):
            self._nest(b, nest, env)
        made = super().loop(b, v, args, env)
        for x in self.kept.get(v, ()):
            number = self.numbers.get(x, env[x]) if x.block is v.attr else self.rows[x]
            self.rows[x] = b.get(made, vector_of(made, number))
        for nest in self.after.get(v, ()):
            self._nest(b, nest, env)
        return made

    def _nest(self, b: Builder, nest: Nest, env: Env) -> None:
        """Write a nest: of what reads all that it adds up it makes the value."""
        at, b.loc = Iteration(env), nest.add.loc
        if nest.sum is not None:
            self.rows[nest.sum] = self._row(b, nest, nest.order, at)
        elif nest.read is not None:
            self.rows[nest.read] = self._array(b, nest, nest.order, at)
        else:
            self._loops(b, nest, nest.order, at, None)

    def _array(self, b: Builder, nest: Nest, loops: list[Value], at: Iteration) -> Value:
        """The array of what a nest adds up."""
        if nest.terms and {*loops} <= {*nest.terms, *loops[-1:]}:
            return self._row(b, nest, loops, at)
        with b.nested() as body:
            at[loop_of(loops[0]).index] = b.param(loop_of(loops[0]).indices)
            if loops[1:]:
                body.results = (self._array(b, nest, loops[1:], at),)
            else:
                self._iteration(b, nest, at)
                body.results = (b.emit(add, (b.zero(Real), at[nest.add.args[1]])),)
        return b.close(body, ())[1][0]

    def _row(self, b: Builder, nest: Nest, loops: list[Value], at: Iteration) -> Value:
        """What the inner loops of a nest add up: a number, or a row if the innermost tells its elements."""
        last = loops[-1]
        rows = b.accum(b.zero(Vec(loop_of(last).size, Real) if last not in nest.terms else Real))
        self._loops(b, nest, loops, at, rows)
        return b.freeze(rows)

    def _loops(self, b: Builder, nest: Nest, loops: list[Value], at: Iteration, rows: Value | None) -> None:
        """Write these loops of a nest, in one another."""
        if rows is None and nest.fresh and nest.terms and {*loops} == {*nest.terms}:
            number = self._row(b, nest, loops, at)
            b.add_to(at[nest.add.args[0]], number)
            return
        if loops:
            with b.nested() as body:
                at[loop_of(loops[0]).index] = b.param(loop_of(loops[0]).indices)
                self._loops(b, nest, loops[1:], at, rows)
            b.emit(FOR, (), body, Tuple((), None))
            return
        self._iteration(b, nest, at)
        last = nest.order[-1]
        to = at[nest.add.args[0]] if rows is None else rows
        if rows is not None and last not in nest.terms:
            to = b.at(rows, at[loop_of(last).index])
        b.add_to(to, at[nest.add.args[1]])

    def _iteration(self, b: Builder, nest: Nest, at: Iteration) -> None:
        """Write what an addition needs, each instruction in the outermost loop where it can stand."""
        for x in nest.kept:
            number = self._element(b, self.rows[x], [at[loop_of(loop).index] for loop in nest.around(x)])
            at[x] = b.emit(lt, (b.lift(0.0), number)) if x in self.chosen else number
        for x in nest.code:
            b.loc = x.loc
            at[x] = self.instruction(b, x, at)
        b.loc = nest.add.loc

    def _element(self, b: Builder, x: Value, indices: list[Value]) -> Value:
        """An element of an array, each part of which is read as early as it is there."""
        inner = b.block
        for i in indices:
            b.block = i.block if i.block.inside(x.block) else x.block
            x = b.index(x, i)
        b.block = inner
        return x
