"""Sets that are made by unions: what they hold, and that making them takes no longer than it must."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rose.indexsets import EMPTY, IndexSet, Settled, single, union


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=30), st.sets(st.integers(0, 40)))
def test_unions_are_those_of_python(pairs: list[tuple[int, int]], asked: set[int]):
    ours, theirs = [EMPTY, *[single(k) for k in range(9)]], [frozenset[int](), *[frozenset((k,)) for k in range(9)]]
    for i, j in pairs:
        ours.append(union(ours[i % len(ours)], ours[j % len(ours)]))
        theirs.append(theirs[i % len(theirs)] | theirs[j % len(theirs)])
    settled = Settled()
    settled.settle([ours[k] for k in sorted(asked) if k < len(ours)])
    assert all([ours[k].numbers == theirs[k] for k in asked if k < len(ours)])
    settled.settle(ours)
    assert [s.numbers for s in ours] == theirs


def test_equal_sets_are_one_object():
    settled, x, y = Settled(), union(single(1), single(2)), union(single(2), single(1))
    settled.settle([x])
    settled.settle([y])
    assert x.numbers is y.numbers


def test_what_only_one_needs_is_not_made():
    total = parts = EMPTY
    sums: list[IndexSet] = []
    for k in range(20_000):  # made one by one, these would hold 200 million numbers
        total = union(total, single(k))
        sums.append(total)
    parts = sums[:-1]
    Settled().settle([total])
    assert total.numbers == frozenset(range(20_000)) and all([s.numbers is None for s in parts[1:]])
