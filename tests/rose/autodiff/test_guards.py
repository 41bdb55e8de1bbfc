"""Chains of conditions: what they have in common, what joins them, and the masks that test them."""

from __future__ import annotations

from rose import ir
from rose.autodiff.guards import Guard, Guards, MaskWriter, joined_by, meet
from rose.errors import here
from rose.host.interpreter import run
from rose.ir import Builder, Value
from rose.ir.types import Bool


def conditions(b: Builder, n: int) -> list[Value]:
    b.loc = here()
    return [b.param(Bool) for _ in range(n)]


def made_of(g: Guard) -> Value:
    assert g.condition is not None
    return g.condition


def test_both_branches_are_as_good_as_none():
    with ir.building("f") as b:
        c, d = conditions(b, 2)
        made = Guards()
        outer = made.branch(None, c, True)
        assert made.any_of([made.branch(outer, d, True), made.branch(outer, d, False)]) is outer
        assert made.any_of([outer, made.branch(None, c, False)]) is None


def test_chains_meet_in_what_they_have_in_common():
    with ir.building("f") as b:
        made, chain = Guards(), list[Guard]()
        for c in conditions(b, 20):
            chain.append(made.branch(chain[-1] if chain else None, c, True))
        other = made.branch(chain[6], made_of(chain[15]), False)
        assert meet(chain[-1], other) is chain[6] and meet(chain[3], chain[9]) is chain[3]
        assert meet(chain[2], None) is None


def test_a_condition_that_joins_others_counts_as_those():
    with ir.building("f") as b:
        c, d = conditions(b, 2)
        made = Guards()
        assert made.branch(None, c & d, True) is made.branch(made.branch(None, c, True), d, True)
        assert made.branch(None, ~c, True) is made.branch(None, c, False)
        f = b.func(MaskWriter(lambda b, v: v).mask(b, made.branch(None, c & d, False)))
    assert [run(f, *x) for x in [(True, True), (True, False), (False, False)]] == [False, True, True]


def test_a_mask_holds_where_its_guards_do():
    with ir.building("f") as b:
        c, d, e = conditions(b, 3)
        made = Guards()
        inside = made.branch(made.branch(None, c, True), d, False)
        either = made.any_of([inside, made.branch(None, e, True)])
        assert either is not None
        mask = MaskWriter(lambda b, v: v).mask(b, either)
        f = b.func(mask)
    assert [bool(run(f, *x)) for x in [(True, False, False), (True, True, False), (False, False, True)]] == [
        True, False, True,
    ]  # fmt: skip


def test_a_mask_is_made_once_and_tells_what_it_joins():
    with ir.building("f") as b:
        c, d = conditions(b, 2)
        made, writer = Guards(), MaskWriter(lambda b, v: v)
        g = made.branch(made.branch(None, c, True), d, True)
        mask = writer.mask(b, g)
        assert writer.mask(b, g) is mask
        assert {id(x) for x in joined_by(mask)} == {id(mask), id(c), id(d)}
