"""Sets that are made by unions: what they hold, and that making them takes no longer than it must."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rose.differentiation.sparse.index_sets import EMPTY, IndexSet, Settled, listed, single, union

PAIRS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=60)


@given(PAIRS, st.sets(st.integers(0, 70)))
def test_unions_are_those_of_python(pairs: list[tuple[int, int]], asked: set[int]):
    ours, theirs = [EMPTY, *[single(k) for k in range(20)]], [frozenset[int](), *[frozenset((k,)) for k in range(20)]]
    for i, j in pairs:
        ours.append(union(ours[i % len(ours)], ours[j % len(ours)]))
        theirs.append(theirs[i % len(theirs)] | theirs[j % len(theirs)])
    settled = Settled(20)
    settled.settle([ours[k] for k in sorted(asked) if k < len(ours)])
    assert all([listed(ours[k]) == sorted(theirs[k]) for k in asked if k < len(ours)])
    settled.settle(ours)
    assert [listed(s) for s in ours] == list(map(sorted, theirs))


def test_a_set_that_is_grown_is_itself_until_there_is_more():
    settled, x = Settled(20), union(single(1), single(2))
    settled.settle([x])
    assert settled.grown(x, single(2)) is x
    assert listed(settled.grown(x, single(3))) == [1, 2, 3]


def test_what_only_one_needs_is_not_made():
    total = EMPTY
    sums: list[IndexSet] = []
    for k in range(20_000):  # made one by one, these would hold 200 million numbers
        total = union(total, single(k))
        sums.append(total)
    parts = sums[:-1]
    Settled(20_000).settle([total])
    assert listed(total) == list(range(20_000)) and all([s.numbers is None for s in parts[1:]])
