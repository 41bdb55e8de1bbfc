"""Colourings: each entry can be read where it is said to stand, alone; and few colours do where few can."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rose.differentiation.sparse.colouring import count, mirrored, of_columns, of_symmetric, transposed

Rows = list[list[int]]


def band(n: int, width: int) -> Rows:
    return [[j for j in range(i - width, i + width + 1) if 0 <= j < n] for i in range(n)]


def arrow(n: int) -> Rows:
    return [list(range(n)), *[[0, i] for i in range(1, n)]]


def grid(n: int) -> Rows:
    """The neighbours of each point of a square, and itself."""
    near = [(0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)]
    return [
        sorted([(i + k) * n + j + m for k, m in near if 0 <= i + k < n and 0 <= j + m < n])
        for i in range(n)
        for j in range(n)
    ]


def hubs(n: int) -> Rows:
    """Four vertices that are next to each of the others, as cameras are to points."""
    return [[i, *range(4, n)] if i < 4 else [0, 1, 2, 3, i] for i in range(n)]


def alone(rows: Sequence[Sequence[int]], colours: Sequence[int], c: int, i: int) -> list[int]:
    """The columns of a colour that have an entry in a row."""
    return [j for j in rows[i] if colours[j] == c]


matrices = st.integers(0, 8).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.sets(st.integers(0, n - 1)) if n else st.just(set[int]()), max_size=8)
    )
)  # fmt: skip


@given(matrices)
def test_no_two_columns_of_a_colour_meet_in_a_row(matrix: tuple[int, list[set[int]]]):
    n, rows = matrix
    colours = of_columns([sorted(row) for row in rows], n)
    assert len(colours) == n and all([len({colours[j] for j in row}) == len(row) for row in rows])
    assert count(colours) >= max(map(len, rows), default=0)


@given(st.integers(1, 12), st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11))))
def test_an_entry_of_a_symmetric_matrix_stands_alone_where_it_is_read(n: int, entries: set[tuple[int, int]]):
    check_mirrored([sorted({j for j in range(n) if {(i, j), (j, i)} & entries}) for i in range(n)])


@pytest.mark.parametrize("k", range(5))
def test_so_it_does_in_larger_ones(k: int):
    rng, rows = random.Random(k), [set[int]() for _ in range(200)]
    for _ in range(100 + 200 * k):
        i, j = rng.randrange(200), rng.randrange(200)
        rows[i].add(j)
        rows[j].add(i)
    check_mirrored(list(map(sorted, rows)))


def check_mirrored(rows: Rows) -> None:
    colours = of_symmetric(rows)
    entries_ = [(i, j) for i, row in enumerate(rows) for j in row]
    for (i, j), (c, at) in zip(entries_, mirrored(rows, colours), strict=True):
        assert at in (i, j)
        assert alone(rows, colours, c, at) == [j if at == i else i]
    where = dict(zip(entries_, mirrored(rows, colours), strict=True))
    assert all([where[j, i] == at for (i, j), at in where.items()])


@pytest.mark.parametrize(
    ("rows", "columns", "symmetric"),
    [
        (band(60, 1), 3, 3),
        (band(60, 2), 5, 5),
        (arrow(60), 60, 2),
        (grid(20), 7, 5),
        (hubs(60), 60, 5),
        ([[i] for i in range(9)], 1, 1),
        ([list(range(7)) for _ in range(7)], 7, 7),
        ([[] for _ in range(4)], 1, 1),
    ],
    ids=["band of 3", "band of 5", "arrow", "grid", "hubs", "diagonal", "full", "empty"],
)
def test_few_colours_do(rows: Rows, columns: int, symmetric: int):
    assert count(of_columns(rows, len(rows))) == columns
    assert count(of_symmetric(rows)) == symmetric


def test_the_transposed_has_the_entries_of_the_matrix():
    assert transposed([[0, 2], [], [2]], 3) == [[0], [], [0, 2]]


def test_a_large_arrow_takes_no_longer_than_its_entries():
    colours = of_symmetric(arrow(20_000))  # its hub has 20,000 neighbours: to look at pairs of them would never end
    assert count(colours) == 2
