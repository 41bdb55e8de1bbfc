"""Colouring: which columns of a sparse matrix one product with a vector tells at once.

Columns of one colour are summed, and each entry is read where nothing else was added to it. Of any matrix that is so
where no two columns of one colour meet in a row. Of a symmetric one fewer colours do: an entry can be read in its own
column or in that of its mirror image, and one of the two is alone where the colouring is a star colouring, in which
neighbours differ and every path over four vertices has three colours (Coleman and Moré 1984; the greedy algorithms
follow Gebremedhin, Tarafdar, Manne and Pothen 2005 and 2007). Sets of colours are the bits of an integer.
"""

from __future__ import annotations

from collections.abc import Sequence

Places = Sequence[Sequence[int]]  # for each row of a matrix the columns in which it has an entry


def of_columns(rows: Places, n: int) -> list[int]:
    """The colour of each of `n` columns of any matrix: where an entry is, no other column of its colour has one."""
    columns = transposed(rows, n)
    return min([_distant(rows, columns, order) for order in _orders(columns)], key=count)


def of_symmetric(rows: Places) -> list[int]:
    """The colour of each column of a symmetric matrix."""
    near = [[j for j in row if j != i] for i, row in enumerate(rows)]
    return min([_star(near, order, apart) for apart in (False, True) for order in _orders(near)], key=count)


def mirrored(rows: Places, colours: Sequence[int]) -> list[tuple[int, int]]:
    """For each entry of a symmetric matrix a colour and a row in which it, or its mirror image, stands alone."""
    seen: list[dict[int, int]] = []  # how many columns of each colour a row has
    for row in rows:
        counts: dict[int, int] = {}
        for j in row:
            counts[colours[j]] = counts.get(colours[j], 0) + 1
        seen.append(counts)
    pairs = [(min(i, j), max(i, j)) for i, row in enumerate(rows) for j in row]
    return [(colours[j], i) if seen[i][colours[j]] == 1 else (colours[i], j) for i, j in pairs]


def transposed(rows: Places, n: int) -> list[list[int]]:
    """For each of `n` columns the rows in which it has an entry."""
    columns: list[list[int]] = [[] for _ in range(n)]
    for i, row in enumerate(rows):
        for j in row:
            columns[j].append(i)
    return columns


def count(colours: Sequence[int]) -> int:
    """The number of colours."""
    return max(colours, default=-1) + 1


def _orders(near: Places) -> list[Sequence[int]]:
    """The orders to try: as they come, which is best for bands, and those with most to heed first."""
    vertices = range(len(near))
    return [vertices, sorted(vertices, key=lambda v: -len(near[v]))]


def _lowest(taken: int) -> int:
    """The lowest colour that is not taken."""
    return (~taken & taken + 1).bit_length() - 1


def _distant(rows: Places, columns: Places, order: Sequence[int]) -> list[int]:
    """Colours with which no two columns of one colour meet in a row."""
    colours, taken = [0] * len(columns), [0] * len(rows)
    for j in order:
        near = 0
        for i in columns[j]:
            near |= taken[i]
        colours[j] = _lowest(near)
        for i in columns[j]:
            taken[i] |= 1 << colours[j]
    return colours


def _star(near: Places, order: Sequence[int], apart: bool) -> list[int]:
    """A star colouring of a graph, in which `near` has the neighbours of each vertex.

    A vertex `v` is in no path of two colours if it differs from its neighbours; if it differs from all that are next to
    neighbours of one colour, where it has several of one; and if no path `v w x y` has the colours of `v` and `x` alike
    and those of `w` and `y`: in `ends[w]` are the colours of all such `x`. With `apart`, neighbours of a vertex without
    a colour differ, too, which leaves it more: that is better where a few vertices have many neighbours.
    """
    colours: list[int] = [-1] * len(near)
    around, ends = [0] * len(near), [0] * len(near)
    first: list[dict[int, int]] = [{} for _ in near]  # a neighbour of each colour
    for v in order:
        once = several = 0
        for w in near[v]:
            if colours[w] >= 0:
                several |= once & 1 << colours[w]
                once |= 1 << colours[w]
        taken, middle = once, [w for w in near[v] if colours[w] >= 0 and several >> colours[w] & 1]
        for w in near[v]:
            taken |= around[w] if apart and colours[w] < 0 else ends[w]
        for w in middle:
            taken |= around[w]
        c = colours[v] = _lowest(taken)
        for w in middle:
            ends[w] |= 1 << c
        for w in near[v]:
            around[w] |= 1 << c
            other = first[w].setdefault(c, v)
            if other != v and colours[w] >= 0:
                ends[v] |= 1 << colours[w]
                ends[other] |= 1 << colours[w]
    return colours
