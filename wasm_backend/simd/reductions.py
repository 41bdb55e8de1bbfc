"""What two turns of a loop add to sums: at once, if each has a number of its own; else in the order of the turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rose.ir import ACCUM, ADD_TO, Value
from rose.ir.accumulators import base
from rose.ir.types import Fin, Ref, Vec

from ..binary.encoder import F64, V128, instruction
from ..codegen.places import Literal
from ..codegen.register_promotion import Carried
from .plan import Kind, Plan
from .vectors import HIGH, LOW, At, LaneWriter

ACROSS = instruction("i8x16.shuffle", 1, 2)  # the second of one, and the first of the next


@dataclass
class Total:
    """A number outside of the loop that is added to, and what its turns add to it."""

    to: int | At
    adds: list[Value] = field(default_factory=list[Value])
    kept: list[int] = field(default_factory=list[int])  # the vectors that are to be added
    local: int = -1  # of the number, or with another in a vector
    both: Both | None = None  # the vector that it is in, with another


class Products(NamedTuple):
    """Those of one number with two that lie side by side in memory."""

    factor: Value
    at: At
    negated: bool


@dataclass
class Both:
    """Two numbers in a vector."""

    first: Total
    second: Total
    local: int
    products: Products | None  # that are added


@dataclass
class Sums:
    """How each addition is done."""

    direct: dict[Value, At] = field(default_factory=dict[Value, At])  # both turns at once, in memory
    again: dict[At, list[Value]] = field(default_factory=dict[At, list[Value]])  # by place, where there are several
    partial: dict[At, int] = field(default_factory=dict[At, int])  # the vectors of those, while more is to be added
    totals: dict[Value, Total] = field(default_factory=dict[Value, Total])
    carried: list[tuple[Value, Value, At]] = field(default_factory=list[tuple[Value, Value, At]])
    late: dict[Value, At] = field(default_factory=dict[Value, At])  # one turn after the other
    fresh: dict[Value, Carried] = field(default_factory=dict[Value, Carried])  # what was not added to before, by root
    news: set[Value] = field(default_factory=set[Value])  # the additions to that
    kept: dict[Value, int] = field(default_factory=dict[Value, int])


class SumWriter(LaneWriter):
    """Writes additions."""

    sums: Sums

    def _sorted(self, plan: Plan) -> Sums:
        """How each addition is done: so that what adds to one number does it in the order of the turns."""
        sums = Sums()
        totals: dict[int | At, Total] = {}
        groups: dict[Value | None, dict[Value, At]] = {}
        for v in plan.block.code:
            if v.op is not ADD_TO or plan.kinds.get(v.args[0]) is Kind.SUM:
                continue
            ref = v.args[0]
            to = self._target(ref)
            if isinstance(to, At):
                root = base(ref)  # two of the parameters may be the same accumulator
                groups.setdefault(root if root.op is ACCUM else None, {})[v] = to
            else:
                sums.totals[v] = totals.setdefault(to, Total(to))
        for adds in groups.values():
            spaces = {at._replace(offset=0) for at in adds.values()}
            if len(spaces) > 1 or any([at.lanes for at in spaces]) or not _columns(adds, sums):
                sums.late |= adds
        for v, at in list(sums.direct.items()):
            if at.fixed:
                sums.totals[v] = totals.setdefault(sums.direct.pop(v), Total(at))
        for v, total in sums.totals.items():
            total.adds.append(v)
        for v, at in sums.direct.items():
            sums.again.setdefault(at, []).append(v)
        return sums

    def _renew(self, v: Value, plan: Plan) -> None:
        """What no loop before has added to is not read: it is as if it was zero."""
        sums = self.sums
        for row in [x for x in self._rows(v) if self._is_first(v, x)]:
            adds = {x for x in plan.block.code if x.op is ADD_TO and base(x.args[0]) is base(row.row)}
            whole = [x for x in sums.carried if x[0] in adds] if row.moves else [x for x in adds if x in sums.direct]
            if len(whole) == len(row.numbers) and len(adds) == len(whole) * (1 + row.moves):
                sums.fresh[row.row] = row
                sums.news.update(adds)
            else:
                t = plan.block.params[0].type
                assert isinstance(t, Fin)
                self._clear_elements(row, 0, t.size + row.moves)

    def _clear_elements(self, row: Carried, first: int, n: int) -> None:
        t = row.row.type.inner if isinstance(row.row.type, Ref) else row.row.type
        assert isinstance(t, Vec)
        self.c.clear(Vec(n, t.elem), self._memory(row.row).at(first * row.stride))

    def _target(self, ref: Value) -> int | At:
        """Where an accumulator is: in a local, or in memory."""
        plan = self.two.plan
        if plan.outside(ref):
            place = self.place[ref][0]
            assert not isinstance(place, Literal)
            return place if isinstance(place, int) else At(place.base, place.more, (), (), 0, place.offset)
        return self._at(plan.row(ref))

    def _open_totals(self) -> None:
        """Before the loop: the numbers that are added to are in locals, two of them in a vector where that can be."""
        totals = [total for v, total in self.sums.totals.items() if v is total.adds[0]]
        alone = [total for total in totals if len(total.adds) == 1]
        for first, second, products in self._couples(alone):
            first.local = second.local = self._hold(V128)
            first.both = second.both = Both(first, second, first.local, products)
            with self._before():
                self._read_total(first)
                self.c("f64x2.splat")
                self._read_total(second)
                self.c("f64x2.replace_lane", 1)
                self.c.set(first.local)
            with self._after():
                for lane, total in enumerate((first, second)):
                    self._write_total(total, lane)
        for total in totals:
            if total.local < 0 and isinstance(total.to, int):
                total.local = total.to
            elif total.local < 0:
                total.local = self._hold(F64)
                with self._before():
                    self._read_total(total)
                    self.c.set(total.local)
                with self._after():
                    self._write_total(total, None)

    def _couples(self, alone: list[Total]) -> Iterator[tuple[Total, Total, Products | None]]:
        """Which of these numbers are in one vector: those first whose products are made in one, too."""
        plan, others = self.two.plan, list[Total]()
        by_factors: dict[tuple[Value, Value, bool], Total] = {}
        for total in alone:
            found = self._product(total.adds[0].args[1])
            if found is None or (found[0] not in plan.joined and found[1] not in plan.joined):
                others.append(total)
                continue
            x, y, negated = found
            x, y = (x, y) if y in plan.joined else (y, x)
            first, _ = plan.joined[y]
            other = by_factors.pop((x, first, negated), None)
            if other is None:
                by_factors[x, first, negated] = total
            else:
                both = (total, other) if y is first else (other, total)
                yield *both, Products(x, self._at(plan.rows[first]), negated)
        others += by_factors.values()
        for first, second in zip(others[::2], others[1::2], strict=False):
            yield first, second, None

    def _read_total(self, total: Total) -> None:
        if isinstance(total.to, int):
            self.c.get(total.to)
        else:
            self.c("f64.load", self._base(total.to, 0))

    def _write_total(self, total: Total, lane: int | None) -> None:
        offset = self._base(total.to, 0) if isinstance(total.to, At) else 0
        self.c.get(total.local)
        if lane is not None:
            self.c("f64x2.extract_lane", lane)
        if isinstance(total.to, int):
            self.c.set(total.to)
        else:
            self.c("f64.store", offset)

    def _add_pair(self, v: Value) -> None:
        ref, x = v.args
        two, sums = self.two, self.sums
        if ref in two.vectors:
            self._plus(lambda: self.c.get(two.vectors[ref]), x)
            self.c.set(two.vectors[ref])
        elif v in sums.totals:
            self._add_to_total(sums.totals[v], x)
        elif v in sums.direct:
            self._add_direct(v, x, fresh=v in sums.news)
        else:
            sums.kept[v] = self._keep(x)

    def _add_to_total(self, total: Total, x: Value) -> None:
        """Add what two turns made, one after the other, when all of it is there."""
        both = total.both
        if both is None or both.products is None:
            total.kept.append(self._keep(x))
        else:
            total.kept.append(-1)
        if both is not None and both.first.kept and both.second.kept:
            self._add_to_both(both)
        elif both is None and len(total.kept) == len(total.adds):
            for lane in (0, 1):
                self.c.get(total.local)
                for k in total.kept:
                    self.c.get(k)
                    self.c("f64x2.extract_lane", lane)
                    self.c("f64.add")
                self.c.set(total.local)
            self.two.free += total.kept

    def _add_to_both(self, both: Both) -> None:
        if both.products is not None:
            factor, at, negated = both.products
            for lane in (0, 1):
                if self.program.simd != "relaxed":
                    self.c.get(both.local)
                self.c.get(self._twice(factor, lane))
                self.c("v128.load", self._base(at, lane))
                if self.program.simd == "relaxed":
                    self.program.fused = True
                    self.c.get(both.local)
                    self.c("f64x2.relaxed_nmadd" if negated else "f64x2.relaxed_madd")
                else:
                    self.c("f64x2.mul")
                    self.c("f64x2.sub" if negated else "f64x2.add")
                self.c.set(both.local)
            return
        (x,), (y,) = both.first.kept, both.second.kept
        self.c.get(both.local)
        for order in (LOW, HIGH):
            self.c.get(x)
            self.c.get(y)
            self.c.emit(order)
            self.c("f64x2.add")
        self.c.set(both.local)
        self.two.free += [x, y]

    def _twice(self, v: Value, lane: int) -> int:
        """The local of a vector that has the number of one turn twice."""
        two = self.two
        if two.plan.outside(v):
            return self._splat(v)
        if v not in two.twice:
            two.twice[v] = self._hold(V128), self._hold(V128)
            for lane_of, k in enumerate(two.twice[v]):
                self._pair(v)
                self._pair(v)
                self.c("i8x16.shuffle", lane_of, lane_of)
                self.c.set(k)
        return two.twice[v][lane]

    def _add_direct(self, v: Value, x: Value, *, fresh: bool) -> None:
        at, sums = self.sums.direct[v], self.sums
        adds = sums.again[at]
        if at.step == 8 and len(adds) == 1:
            offset = self._base(at, 0)
            self._plus(lambda: self._load_sums(at, fresh=fresh), x)
            self.c("v128.store", offset)
            return
        if v is adds[0]:
            self._plus(lambda: self._load_sums(at, fresh=fresh), x)
            sums.partial[at] = self._vector_local()
        else:
            self._plus(lambda: self.c.get(sums.partial[at]), x)
        self.c.set(sums.partial[at])
        if v is adds[-1]:
            self._store_kept([(at, sums.partial[at])])

    def _load_sums(self, at: At, *, fresh: bool) -> None:
        """Put two numbers on the stack that are to be added to."""
        if fresh:
            self.c("v128.const", 0.0, 0.0)
        else:
            self._load_pair(at)

    def _late(self) -> None:
        """At the end of two turns: the additions that wait for others."""
        sums, made = self.sums, list[tuple[At, int]]()
        for upper, lower, at in sums.carried:
            carry = self._hold(V128)
            with self._before():
                self.c("v128.const", -0.0, -0.0)  # which changes nothing that it is added to
                self.c.set(carry)
            fresh = upper in sums.news
            self._load_sums(at, fresh=fresh)
            self.c.get(carry)
            self.c.get(sums.kept[upper])
            self.c.emit(ACROSS)
            self.c("f64x2.add")
            self.c.get(sums.kept[lower])
            self.c("f64x2.add")
            made.append((at, self._vector_local()))
            self.c.set(made[-1][1])
            self.c.get(sums.kept[upper])
            self.c.set(carry)
            with self._after():
                offset = self._base(at, 0)
                if fresh:
                    self.c.f64_const(0.0)
                else:
                    self.c("f64.load", self._base(at, 0))
                self.c.get(carry)
                self.c("f64x2.extract_lane", 1)
                self.c("f64.add")
                self.c("f64.store", offset)
        self._store_kept(made)
        self._one_after_the_other()
        self.two.free += sums.kept.values()

    def _one_after_the_other(self) -> None:
        """The additions of one turn, and then those of the next. Two that are neighbours in memory are done at once."""
        sums = self.sums
        for lane in (0, 1):
            late = list(sums.late.items())
            while late:
                v, at = late.pop(0)
                offset = self._base(at, lane)
                if late and at.is_before(late[0][1]):
                    w, _ = late.pop(0)
                    self.c("v128.load", self._base(at, lane))
                    self.c.get(sums.kept[v])
                    self.c.get(sums.kept[w])
                    self.c.emit((LOW, HIGH)[lane])
                    self.c("f64x2.add")
                    self.c("v128.store", offset)
                else:
                    self.c("f64.load", self._base(at, lane))
                    self.c.get(sums.kept[v])
                    self.c("f64x2.extract_lane", lane)
                    self.c("f64.add")
                    self.c("f64.store", offset)


def _columns(adds: dict[Value, At], sums: Sums) -> bool:
    """Let additions to elements that move together be done for both turns at once; False if their order forbids it.

    What a turn adds to the element of the next turn comes there before what that adds itself: it is carried.
    """
    at: dict[int, list[Value]] = {}
    for v, to in adds.items():
        at.setdefault(to.offset, []).append(v)
    step = next(iter(adds.values())).step
    before = {k: k + step for k in at if step and k + step in at}
    if any([len(at[k]) > 1 or len(at[j]) > 1 or j in before for k, j in before.items()]):
        return False
    for k, j in before.items():
        sums.carried.append((at[j][0], at[k][0], adds[at[k][0]]))
    waiting = {*before, *before.values()}
    sums.direct |= {v: to for v, to in adds.items() if to.offset not in waiting}
    return True
