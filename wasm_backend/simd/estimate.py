"""The estimate of a vectorised loop: whether iterations at once take less time than one after the other.

The cost model: the instructions, of which machines do some 4 in a cycle, or the longest row of sums, of which each
waits 3 cycles for the one before it; and what is done before and after a loop of vectors. So in loops of few
instructions or iterations nothing is won, nor where most elements are gathered and scattered one by one. Quotients and
roots are counted as less than they take, since machines do other work meanwhile. Measured on some 200 programs and
sizes, with `benchmarks/compare` and GradBench among them: none is slower than without by more than 5 %.
"""

from __future__ import annotations

from rose.ir import FREEZE, GET, INDEX, Value
from rose.ir.ops import max_, min_
from rose.ir.sizes import Size
from rose.ir.types import Bool

from ..codegen import costs
from ..codegen.loops import Loop
from .plan import NUMBERS, Affine, Kind, Plan, Row, double
from .reductions import Reductions


def pays(plan: Plan, sums: Reductions, loop: Loop) -> bool:
    """True if a loop of vectors takes less than the loop, by more than the estimate errs."""
    n, lanes = costs.PAIRED_UNKNOWN if isinstance(loop.size, Size) else loop.size, plan.shape.lanes
    apart, once = of_a_vector(plan, sums)
    waits = n * costs.PAIRED_WAIT * max([len(total.adds) for total in sums.totals.values()], default=0)
    vectors = _before(plan, sums, loop) + n // lanes * once + n % lanes * apart / lanes
    return max(vectors, waits) <= (1 - costs.PAIRED_GAIN) * max(n * apart / lanes, waits)


def _before(plan: Plan, sums: Reductions, loop: Loop) -> int:
    """What is done before a loop of vectors, and after it."""
    splats = {a for v in plan.block.code if v.op.wasm for a in v.args if a.type in NUMBERS and plan.outside(a)}
    cost, f = costs.PAIRED_ENTRY + len(splats), loop.frame.f
    exported = f in loop.frame.program.exports.values()
    if exported and loop.v.block.parent is None:
        return cost  # it is run once
    given, added = {*f.params} if exported else set[Value](), bool(sums.again or sums.handed_on)
    near = plan.shape.bytes
    loaded = [row for v, row in plan.rows.items() if v in plan.joined or (row.step == near and not row.lanes)]
    stores = added or bool(sums.late) or any(plan.parts.values())
    loads = added or any([_root(row.whole) not in given for row in loaded])
    return cost + costs.PAIRED_PASSED * (stores + loads)


def _root(v: Value) -> Value:
    """What a value is a part of."""
    while v.op is INDEX or v.op is GET:
        v = v.args[0]
    return v


def of_a_vector(plan: Plan, sums: Reductions) -> tuple[float, float]:
    """The instructions of the iterations of a vector: apart, and at once."""
    apart, once = _of_additions(sums)
    lanes = plan.shape.lanes
    for r, found in plan.parts.items():
        apart += lanes * len(found)
        once += 1 if r.type in NUMBERS else lanes * len(found)
    for v, kind in plan.kinds.items():
        if not (isinstance(kind, (Affine, Row)) or kind is Kind.SAME or kind is Kind.NOTHING or v.op is FREEZE):
            apart += lanes * max(1, v.op.cost)
            once += _at_once(plan, v)
    return apart + lanes * costs.COUNTING_INSTRUCTIONS, once + costs.COUNTING_INSTRUCTIONS


def _at_once(plan: Plan, v: Value) -> float:
    """The cost of an instruction for the lanes of a vector."""
    n, lanes = max(1, v.op.cost), plan.shape.lanes
    row = plan.rows.get(v)
    if v in plan.joined:
        return costs.PAIRED_JOINED[lanes, len(plan.joined[v])]
    if plan.kinds[v] is Kind.LANES:
        return lanes * (n + (costs.PAIRED_MASK if v.type is Bool else 0))
    if row is not None:
        return 1 if not row.lanes and row.step in (0, plan.shape.bytes) else lanes * costs.PAIRED_GATHER
    if plan.kinds[v] is not Kind.SUM and not plan.is_twin(v):
        return lanes * n + 2 * lanes - 1
    n += costs.PAIRED_LANE * lanes * len([a for a in v.args if plan.is_apart(a)])
    if double(v.op) is min_ or double(v.op) is max_:
        return costs.PAIRED_EXTREME
    if v.op.library == "erff":
        return n * costs.PAIRED_ERROR_FUNCTION
    return n * costs.PAIRED_LIBRARY[lanes] if v.op.library else n


def _of_additions(sums: Reductions) -> tuple[float, float]:
    """The cost of what a vector adds to sums: with one load and one store for all that is added to an element."""
    apart, once, lanes, near = 0.0, 0.0, sums.shape.lanes, sums.shape.bytes
    for at, adds in sums.again.items():
        apart += lanes * (2 + len(adds))
        once += (2 if at.step == near else 3 * lanes) + len(adds)
    for _, _, at, _ in sums.handed_on:
        apart += 4 * lanes
        once += 8 if at.step == near else 4 + costs.PAIRED_HANDED * lanes
    apart += lanes * (3 * len(sums.late) + len(sums.totals))
    once += lanes * (costs.PAIRED_SCATTER * len(sums.late) + len(sums.totals))
    once -= costs.PAIRED_PRODUCTS * len([found for _, found in sums.groups() if found is not None])
    return apart, once
