"""The affine form of an index: it is the index, to the last unit, whatever that is written with."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import rose
from rose.errors import here
from rose.ir import CONST, PARAM, Value, building
from rose.ir.affine import LONGEST, affine_of, parts_of
from rose.ir.ops import iadd, ibeyond, idiv, ifrom, imod, imul
from rose.ir.sizes import plus
from rose.ir.types import Fin

n = rose.dim("n")
STEPS = st.lists(
    st.tuples(st.sampled_from([iadd, imul, ifrom, idiv, imod, ibeyond]), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=12,
)


def written(steps: Any) -> tuple[list[Value], list[Value]]:
    """Two indices, and indices that are made of them and of one another; those that have a type."""
    with building("f") as b:
        b.loc = here()
        indices = [b.param(Fin(4)), b.param(Fin(7))]
        made = [*indices]
        for op, j, k in steps:
            x = made[j % len(made)]
            y = made[k % len(made)] if op in (iadd, ibeyond) and k % 2 else b.const(k, Fin(k + 1))
            if op.type(x, y) is not None:
                made.append(b.emit(op, (x, y)))
    return indices, made


def value(v: Value, given: dict[Value, int]) -> int:
    """The index, by the table."""
    return given[v] if v.op is PARAM else v.attr if v.op is CONST else v.op.eval(*[value(a, given) for a in v.args])


@given(STEPS, st.integers(0, 3), st.integers(0, 6))
def test_the_form_of_an_index_is_the_index(steps: Any, i: int, j: int):
    indices, made = written(steps)
    given_ = dict(zip(indices, (i, j), strict=True))
    for v in made:
        form = affine_of(v)
        assert form.constant + sum([k * value(x, given_) for x, k in form.terms.items()]) == value(v, given_)
        assert form.least <= value(v, given_)
        assert all([parts_of(x) is None for x in form.terms])


def test_an_index_has_one_form_however_it_is_written():
    with building("f") as b:
        b.loc = here()
        i, j = b.param(Fin(5)), b.param(Fin(3))
        c = [b.const(k, Fin(k + 1)) for k in range(21)]
        forms = [
            affine_of(ifrom(iadd(i, imul(iadd(j, c[1]), c[2])), c[20])),
            affine_of(iadd(ifrom(imul(j, c[2]), c[10]), ifrom(i, c[8]))),
        ]
    assert [*forms] == [({i: -1, j: -2}, 18)] * 2
    assert forms[0].least == 18 - 4 - 4


def test_what_cancels_is_a_term_and_what_is_no_sum_is_one_as_it_is():
    with building("f") as b:
        b.loc = here()
        i, last = b.param(Fin(5)), b.const(4, Fin(5))
        none, rest = affine_of(iadd(i, ifrom(i, last))), imod(i, b.const(2, Fin(3)))
        assert none == ({i: 0}, 4) and none.least == 4
        assert affine_of(iadd(rest, last)) == ({rest: 1}, 4)
        assert affine_of(imul(i, i)) == ({imul(i, i): 1}, 0)


def test_the_number_and_the_factors_may_be_sizes():
    with building("f") as b:
        b.loc = here()
        i, one, many = b.param(Fin(n)), b.const(1, Fin(2)), b.const(n, Fin(plus(n, 1)))
        form = affine_of(iadd(ifrom(i, many), one))
        assert form.terms == {i: -1} and form.constant is plus(n, 1)
        assert form.least == 2
        assert affine_of(imul(i, many)).terms[i] is n


def test_a_form_ends_after_so_many_operations_and_is_exact():
    with building("f") as b:
        b.loc = here()
        made = [b.param(Fin(3))]
        ones = [b.param(Fin(2)) for _ in range(LONGEST)]
        for one in ones:
            made.append(iadd(made[-1], one))
    terms, constant = affine_of(made[-1])
    assert constant == 0 and set(terms) == {made[LONGEST // 2], *ones[LONGEST // 2 :]}


def test_what_is_shared_is_read_in_bounded_time():
    with building("f") as b:
        b.loc = here()
        x, read = b.param(Fin(2)), list[Value]()
        for _ in range(30):
            x = iadd(x, x)

    def noted(v: Value) -> Any:
        read.append(v)
        return parts_of(v)

    affine_of(x, noted)
    assert len(read) == LONGEST


def test_others_may_read_other_sums():
    with building("f") as b:
        b.loc = here()
        i, one = b.param(Fin(5)), b.const(1, Fin(2))
        x = iadd(i, one)
        assert affine_of(iadd(x, one), lambda v: None if v is x else parts_of(v)) == ({x: 1}, 1)
