"""Reductions of a vectorised loop: what its lanes add to sums, at once or in the order of the iterations.

All are added at once if each has a number of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rose.ir import ACCUM, ADD_TO, Value
from rose.ir.accumulators import base
from rose.ir.types import Ref, Vec

from ..binary.encoder import V128, Body
from ..codegen.assembler import noted
from ..codegen.locations import Mem
from ..codegen.loops import Pair
from ..codegen.register_promotion import Promoted, Promotion
from .plan import Kind
from .vectors import At, VectorWriter


@dataclass
class Total:
    """A number outside of the loop that is added to, and what its iterations add to it."""

    to: int | At
    adds: list[Value] = field(default_factory=list[Value])
    kept: list[int] = field(default_factory=list[int])  # the vectors that are to be added
    local: int = -1  # of the number, or with others in a vector
    group: Group | None = None  # those in the vector


class Products(NamedTuple):
    """The products of one number with all of a vector that lie side by side in memory."""

    factor: Value
    at: At
    negated: bool


@dataclass
class Group:
    """Totals in one vector: one in each lane, or two, of which each has half of them."""

    totals: list[Total]
    local: int
    products: Products | None  # that are added


class Reductions:
    """The additions of a loop, and how each is done: so that one number is added to in the order of the iterations."""

    def __init__(self, vectors: VectorWriter, promotion: Promotion) -> None:
        self.vectors, self.promotion = vectors, promotion
        self.frame, self.c, self.plan, self.shape = vectors.frame, vectors.c, vectors.plan, vectors.shape
        self.direct: dict[Value, At] = {}  # all lanes at once, in memory
        self.again: dict[At, list[Value]] = {}  # by address, where there are several
        self.partial: dict[At, int] = {}  # the vectors of those, while more is to be added
        self.totals: dict[Value, Total] = {}
        self.handed_on: list[tuple[Value, Value, At, int]] = []  # and how many iterations on
        self.late: dict[Value, At] = {}  # one iteration after the other
        self.fresh: dict[Value, Promoted] = {}  # what was not added to before, by root
        self.news: set[Value] = set()  # the additions to that
        self.kept: dict[Value, int] = {}
        self.pairs: list[Pair] = []
        self._sort()

    def _sort(self) -> None:
        totals: dict[int | At, Total] = {}
        groups: dict[Value | None, dict[Value, At]] = {}
        for v in self.plan.block.code:
            if v.op is not ADD_TO or self.plan.kinds.get(v.args[0]) is Kind.SUM:
                continue
            ref = v.args[0]
            to = self._target(ref)
            if isinstance(to, At):
                root = base(ref)  # two parameters may alias
                groups.setdefault(root if root.op is ACCUM else None, {})[v] = to
            else:
                self.totals[v] = totals.setdefault(to, Total(to))
        for adds in groups.values():
            spaces = {at._replace(offset=0) for at in adds.values()}
            if len(spaces) > 1 or any([at.lanes for at in spaces]) or not self._columns(adds):
                self.late |= adds
        for v, at in list(self.direct.items()):
            if at.fixed:
                self.totals[v] = totals.setdefault(self.direct.pop(v), Total(at))
        for v, total in self.totals.items():
            total.adds.append(v)
        for v, at in self.direct.items():
            self.again.setdefault(at, []).append(v)

    def _columns(self, adds: dict[Value, At]) -> bool:
        """Let additions to elements that move together be done for all lanes at once, if their order allows it.

        What an iteration adds to the element of a later one comes there before what that adds itself: it is handed on.
        """
        at: dict[int, list[Value]] = {}
        for v, to in adds.items():
            at.setdefault(to.offset, []).append(v)
        step = next(iter(adds.values())).step
        ahead = range(1, self.shape.lanes)
        before = {k: n for n in reversed(ahead) for k in at if step and k + n * step in at}
        if any([len(at[k]) > 1 or len(at[k + n * step]) > 1 or k + n * step in before for k, n in before.items()]):
            return False
        for k, n in before.items():
            self.handed_on.append((at[k + n * step][0], at[k][0], adds[at[k][0]], n))
        waiting = {k + m * step for k, n in before.items() for m in (0, n)}
        self.direct |= {v: to for v, to in adds.items() if to.offset not in waiting}
        return True

    def start_fresh(self, v: Value) -> None:
        """Start each accumulator at zero instead of loading it, if loop `v` is the first that adds to it."""
        for row in [x for x in self.promotion.rows(v) if self.promotion.is_first(v, x)]:
            adds = {x for x in self.plan.block.code if x.op is ADD_TO and base(x.args[0]) is base(row.row)}
            whole = [x for x in self.handed_on if x[0] in adds] if row.moves else [x for x in adds if x in self.direct]
            one = len(whole) == len(row.numbers) and len(adds) == len(whole) * (1 + row.moves)
            if one and not (row.moves and self.plan.rings):  # a piece goes on where the one before it ended
                self.fresh[row.row] = row
                self.news.update(adds)
            else:
                self.clear(row, 0, self.plan.block.size + row.moves)

    def clear(self, row: Promoted, first: int, n: int) -> None:
        """Write zeros to some elements of a row."""
        t = row.row.type.inner if isinstance(row.row.type, Ref) else row.row.type
        assert isinstance(t, Vec)
        self.c.clear(Vec(n, t.elem), self.frame.address(row.row).at(first * row.stride))

    def clear_at(self, i: Value) -> None:
        """Write zeros to element `i` of each row that starts at zero."""
        for row in self.fresh.values():
            at = self.frame.address(row.row)
            for start, t in row.numbers.items():
                to = self.vectors.expr.scaled(i, row.stride, at.at(start))
                self.c.constant(t, 0)
                self.c.write(t, to)

    def _target(self, ref: Value) -> int | At:
        """The location of an accumulator: a local, or an address."""
        if self.plan.outside(ref):
            at = self.frame.location[ref][0]
            assert isinstance(at, (int, Mem))
            return at if isinstance(at, int) else At(at.base, at.more, (), (), 0, at.offset)
        return self.vectors.at(self.plan.row(ref))

    def open(self, stay: set[Value]) -> None:
        """Before the loop: the numbers that are added to are in locals, several of them in a vector where that can be.

        A group of sums that stay in their vector while the loop around this one runs has a local of its own.
        """
        totals = [total for v, total in self.totals.items() if v is total.adds[0]]
        for found, products in self.groups():
            sums = tuple([total.adds[0].args[0] for total in found])
            local = self.c.local(V128) if stay.issuperset(sums) else self.frame.take(V128)
            group, lanes = Group(found, local, products), range(0, self.shape.lanes, self.shape.lanes // len(found))
            pair = Pair(sums, local, Body(), Body())
            self.pairs.append(pair)
            for lane, total in zip(lanes, found, strict=True):
                total.local, total.group = local, group
                with self.c.aside(pair.pack):
                    self._read_total(total)
                    self.vectors.put(lane, self.shape.floats)
                with self.c.aside(pair.unpack):
                    self._write_total(total, lane)
            with self.c.aside(pair.pack):
                self.c.set(local)
        for total in totals:
            if total.local < 0 and isinstance(total.to, int):
                total.local = total.to
            elif total.local < 0:
                total.local = self.vectors.hold(self.shape.local)
                with self.c.aside(self.vectors.before):
                    self._read_total(total)
                    self.c.set(total.local)
                with self.c.aside(self.vectors.after):
                    self._write_total(total, None)

    def groups(self) -> Iterator[tuple[list[Total], Products | None]]:
        """Group the numbers that share a vector: first those whose products are made in one, too."""
        alone = [total for v, total in self.totals.items() if v is total.adds[0] and len(total.adds) == 1]
        plan, others = self.plan, list[Total]()
        by_factors: dict[tuple[Value, Value, bool], dict[Value, Total]] = {}
        for total in alone:
            found = self.vectors.product(total.adds[0].args[1])
            if found is None or (found[0] not in plan.joined and found[1] not in plan.joined):
                others.append(total)
                continue
            x, y, negated = found
            x, y = (x, y) if y in plan.joined else (y, x)
            row = plan.joined[y]
            of = by_factors.setdefault((x, row[0], negated), {})
            of[y] = total
            if len(of) == self.shape.lanes:
                del by_factors[x, row[0], negated]
                yield [of[y] for y in row], Products(x, self.vectors.at(plan.rows[row[0]]), negated)
        others += [total for of in by_factors.values() for total in of.values()]
        for first, second in zip(others[::2], others[1::2], strict=False):
            yield [first, second], None

    def _read_total(self, total: Total) -> None:
        if isinstance(total.to, int):
            self.c.get(total.to)
        else:
            self.c(f"{self.shape.float}.load", self.vectors.base(total.to, 0))

    def _write_total(self, total: Total, lane: int | None) -> None:
        offset = self.vectors.base(total.to, 0) if isinstance(total.to, At) else 0
        self.c.get(total.local)
        if lane is not None:
            self.vectors.take(lane)
        if isinstance(total.to, int):
            self.c.set(total.to)
        else:
            self.c(f"{self.shape.float}.store", offset)

    @noted
    def add(self, v: Value, /) -> None:
        ref, x = v.args
        if ref in self.vectors.vectors:
            self.vectors.plus(lambda: self.c.get(self.vectors.vectors[ref]), x)
            self.c.set(self.vectors.vectors[ref])
        elif v in self.totals:
            self._add_to_total(self.totals[v], x)
        elif v in self.direct:
            self._add_direct(v, x, fresh=v in self.news)
        else:
            self.kept[v] = self.vectors.keep(x)

    def _add_to_total(self, total: Total, x: Value) -> None:
        """Add what the lanes made to a total, one after the other, when all of it is there."""
        group = total.group
        if group is None or group.products is None:
            total.kept.append(self.vectors.keep(x))
        else:
            total.kept.append(-1)
        if group is not None and all([other.kept for other in group.totals]):
            self._add_to_group(group)
        elif group is None and len(total.kept) == len(total.adds):
            for lane in self.vectors.lanes_of:
                self.c.get(total.local)
                for k in total.kept:
                    self.c.get(k)
                    self.vectors.take(lane)
                    self.c(f"{self.shape.float}.add")
                self.c.set(total.local)
            self.vectors.free += total.kept

    def _add_to_group(self, group: Group) -> None:
        if group.products is not None:
            self._add_products(group.local, *group.products)
            return
        (x,), (y,) = [total.kept for total in group.totals]
        self.c.get(group.local)
        for lane in self.vectors.lanes_of:
            self.c.get(x)
            self.c.get(y)
            self.c.emit(self.shape.together(lane))
            self.c(f"{self.shape.floats}.add")
        self.c.set(group.local)
        self.vectors.free += [x, y]

    def _add_products(self, totals: int, factor: Value, at: At, negated: bool) -> None:
        for lane in self.vectors.lanes_of:
            if not self.vectors.relaxed:
                self.c.get(totals)
            self.c.get(self._splat(factor, lane))
            self.c("v128.load", self.vectors.base(at, lane))
            if self.vectors.relaxed:
                self.frame.program.fused = True
                self.c.get(totals)
                self.vectors.multiply_add(negated=negated)
            else:
                self.c(f"{self.shape.floats}.mul")
                self.c(f"{self.shape.floats}.{'sub' if negated else 'add'}")
            self.c.set(totals)

    def _splat(self, v: Value, lane: int) -> int:
        """The local of a vector that has the number of one lane in all."""
        if self.plan.outside(v):
            return self.vectors.splat(v)
        splats = self.vectors.splat_lanes
        if v not in splats:
            splats[v] = [self.vectors.hold(V128) for _ in self.vectors.lanes_of]
            for lane_of, k in enumerate(splats[v]):
                self.vectors.push(v)
                self.vectors.push(v)
                self.c.emit(self.shape.splat(lane_of))
                self.c.set(k)
        return splats[v][lane]

    def _add_direct(self, v: Value, x: Value, *, fresh: bool) -> None:
        at = self.direct[v]
        adds = self.again[at]
        if at.step == self.shape.bytes and len(adds) == 1:
            offset = self.vectors.base(at, 0)
            self.vectors.plus(lambda: self._load_sums(at, fresh=fresh), x)
            self.c("v128.store", offset)
            return
        if v is adds[0]:
            self.vectors.plus(lambda: self._load_sums(at, fresh=fresh), x)
            self.partial[at] = self.vectors.vector_local()
        else:
            self.vectors.plus(lambda: self.c.get(self.partial[at]), x)
        self.c.set(self.partial[at])
        if v is adds[-1]:
            self.vectors.store_kept([(at, self.partial[at])])

    def _load_sums(self, at: At, *, fresh: bool) -> None:
        """Put numbers on the stack that are to be added to."""
        if fresh:
            self.c.emit(self.shape.constant(0.0))
        else:
            self.vectors.load(at, self.plan.number)

    def add_late(self) -> None:
        """At the end of the iterations: write the additions that wait for others."""
        made = list[tuple[At, int]]()
        for upper, lower, at, ahead in self.handed_on:
            carry = self.vectors.hold(V128)
            with self.c.aside(self.vectors.before):
                self.c.emit(self.shape.constant(-0.0))  # which changes nothing that it is added to
                self.c.set(carry)
            fresh = upper in self.news
            self._load_sums(at, fresh=fresh)
            self.c.get(carry)
            self.c.get(self.kept[upper])
            self.c.emit(self.shape.across(ahead))
            self.c(f"{self.shape.floats}.add")
            self.c.get(self.kept[lower])
            self.c(f"{self.shape.floats}.add")
            made.append((at, self.vectors.vector_local()))
            self.c.set(made[-1][1])
            self.c.get(self.kept[upper])
            self.c.set(carry)
            with self.c.aside(self.vectors.after):
                for lane in range(ahead):
                    self._add_carried(carry, at, lane, self.shape.lanes - ahead + lane, fresh=fresh)
        self.vectors.store_kept(made)
        self._one_after_the_other()
        self.vectors.free += self.kept.values()

    def _add_carried(self, carry: int, at: At, lane: int, of: int, *, fresh: bool) -> None:
        """Add what is handed on past the end."""
        offset = self.vectors.base(at, lane)
        if fresh:
            self.c(f"{self.shape.float}.const", 0.0)
        else:
            self.c(f"{self.shape.float}.load", self.vectors.base(at, lane))
        self.c.get(carry)
        self.vectors.take(of)
        self.c(f"{self.shape.float}.add")
        self.c(f"{self.shape.float}.store", offset)

    def _one_after_the_other(self) -> None:
        """Write the additions of one iteration, then those of the next; a vector of neighbours is added to at once."""
        for lane in self.vectors.lanes_of:
            late = list(self.late.items())
            while late:
                v, at = late.pop(0)
                offset = self.vectors.base(at, lane)
                two = self.shape.lanes == 2 and late and abs(at.step) != self.shape.bytes
                if two and at.is_before(late[0][1], self.shape.bytes):
                    w, _ = late.pop(0)
                    self.c("v128.load", self.vectors.base(at, lane))
                    self.c.get(self.kept[v])
                    self.c.get(self.kept[w])
                    self.c.emit(self.shape.together(lane))
                    self.c(f"{self.shape.floats}.add")
                    self.c("v128.store", offset)
                else:
                    self.c(f"{self.shape.float}.load", self.vectors.base(at, lane))
                    self.c.get(self.kept[v])
                    self.vectors.take(lane)
                    self.c(f"{self.shape.float}.add")
                    self.c(f"{self.shape.float}.store", offset)
