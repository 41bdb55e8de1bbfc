"""The estimate of a vectorised loop: whether two iterations at once take less time than one after the other.

The cost model: the instructions, of which machines do some 4 in a cycle, or the longest row of sums, of which each
waits 3 cycles for the one before it; and what is done before and after a loop of pairs. So in loops of few instructions
or iterations nothing is won, nor where most elements are gathered and scattered one by one. Quotients and roots are
counted as less than they take, since machines do other work meanwhile. Measured on some 200 programs and sizes, with
`benchmarks/compare` and GradBench among them: none is slower than without by more than 5 %.
"""

from __future__ import annotations

from rose.ir import FREEZE, GET, INDEX, Value
from rose.ir.ops import max_, min_
from rose.ir.sizes import Size
from rose.ir.types import Bool, Real

from ..codegen import costs
from ..codegen.loops import Loop
from .plan import Affine, Kind, Plan, Row
from .reductions import Reductions


def pays(plan: Plan, sums: Reductions, loop: Loop) -> bool:
    """True if a loop of pairs takes less than the loop, by more than the estimate errs."""
    n = costs.PAIRED_UNKNOWN if isinstance(loop.size, Size) else loop.size
    apart, once = of_two_iterations(plan, sums)
    waits = n * costs.PAIRED_WAIT * max([len(total.adds) for total in sums.totals.values()], default=0)
    pairs = _before(plan, sums, loop) + n // 2 * once + n % 2 * apart / 2
    return max(pairs, waits) <= (1 - costs.PAIRED_GAIN) * max(n * apart / 2, waits)


def _before(plan: Plan, sums: Reductions, loop: Loop) -> int:
    """What is done before a loop of pairs, and after it."""
    splats = {a for v in plan.block.code if v.op.wasm for a in v.args if a.type is Real and plan.outside(a)}
    cost, f = costs.PAIRED_ENTRY + len(splats), loop.frame.f
    exported = f in loop.frame.program.exports.values()
    if exported and loop.v.block.parent is None:
        return cost  # it is run once
    given, added = {*f.params} if exported else set[Value](), bool(sums.again or sums.handed_on)
    loaded = [row for v, row in plan.rows.items() if v in plan.joined or (row.step == 8 and not row.lanes)]
    stores = added or bool(sums.late) or any(plan.parts.values())
    loads = added or any([_root(row.whole) not in given for row in loaded])
    return cost + costs.PAIRED_PASSED * (stores + loads)


def _root(v: Value) -> Value:
    """What a value is a part of."""
    while v.op is INDEX or v.op is GET:
        v = v.args[0]
    return v


def of_two_iterations(plan: Plan, sums: Reductions) -> tuple[float, float]:
    """The instructions of two iterations: apart, and at once."""
    apart, once = _of_additions(sums)
    for r, found in plan.parts.items():
        apart += 2 * len(found)
        once += 1 if r.type is Real else 2 * len(found)
    for v, kind in plan.kinds.items():
        if not (isinstance(kind, (Affine, Row)) or kind is Kind.SAME or kind is Kind.NOTHING or v.op is FREEZE):
            apart += 2 * max(1, v.op.cost)
            once += _at_once(plan, v)
    return apart + 2 * costs.COUNTING_INSTRUCTIONS, once + costs.COUNTING_INSTRUCTIONS


def _at_once(plan: Plan, v: Value) -> float:
    """The cost of an instruction for two iterations."""
    n = max(1, v.op.cost)
    row = plan.rows.get(v)
    if plan.kinds[v] is Kind.LANES or v in plan.joined:
        return 2 * n + (costs.PAIRED_MASK if v.type is Bool else 0)
    if row is not None:
        return 1 if not row.lanes and row.step in (0, 8) else costs.PAIRED_GATHER
    if plan.kinds[v] is not Kind.SUM and not plan.is_twin(v):
        return 2 * n + 3
    if v.op is min_ or v.op is max_:
        return costs.PAIRED_EXTREME
    return n * costs.PAIRED_LIBRARY if v.op.library else n


def _of_additions(sums: Reductions) -> tuple[float, float]:
    """The cost of what two iterations add to sums: with one load and one store for all that is added to an element."""
    apart = once = 0.0
    for at, adds in sums.again.items():
        apart += 4 + 2 * len(adds)
        once += (2 if at.step == 8 else 6) + len(adds)
    for _, _, at in sums.handed_on:
        apart += 8
        once += 8 if at.step == 8 else costs.PAIRED_HANDED
    apart += 6 * len(sums.late) + 2 * len(sums.totals)
    once += costs.PAIRED_SCATTER * len(sums.late) + 2 * len(sums.totals)
    once -= costs.PAIRED_PRODUCTS * len([both for *_, both in sums.couples() if both is not None])
    return apart, once
