"""Sparse matrices: their pattern, which is known when a function is made, and the struct of their entries.

In the IR, and in JavaScript, a sparse matrix is a struct of rows, columns, values and the shape. In Python it is a
SciPy array.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, ClassVar

from ...errors import RoseError, here
from ...ir import Builder, Value
from ...ir.forms import form_of, reduced
from ...ir.types import Fin, Real, Tuple, Vec, tuple_of


@dataclass(frozen=True, slots=True)
class Sparsity:
    """The pattern of a sparse matrix: entry `k` is in row `rows[k]` and column `cols[k]`.

    Entries are sorted by row, then by column, and none is there twice. What is not there is zero at every point.
    """

    shape: tuple[int, int]
    rows: tuple[int, ...] = field(repr=False)
    cols: tuple[int, ...] = field(repr=False)

    @property
    def nnz(self) -> int:
        """The number of entries."""
        return len(self.rows)

    def by_row(self) -> list[list[int]]:
        """The columns of each row."""
        out: list[list[int]] = [[] for _ in range(self.shape[0])]
        for i, j in zip(self.rows, self.cols, strict=True):
            out[i].append(j)
        return out

    def __repr__(self) -> str:
        return f"<Sparsity {self.shape[0]} x {self.shape[1]}, {self.nnz} entries>"


def of_rows(rows: Sequence[Sequence[int]], n: int) -> Sparsity:
    """The pattern with these columns in each row, sorted, of `n` columns."""
    return Sparsity(
        (len(rows), n), tuple([i for i, row in enumerate(rows) for _ in row]), tuple([j for row in rows for j in row])
    )


@dataclass(slots=True)
class Sparse:
    """A sparse matrix: the number `values[k]` stands in row `rows[k]` and column `cols[k]`, and elsewhere are zeros.

    Rows and columns are the same at each call; entries go row by row.
    """

    pattern: ClassVar[Sparsity]

    rows: Any
    cols: Any
    values: Any
    shape: Any


@cache
def type_of(p: Sparsity) -> Tuple:
    """The type of matrices with this pattern."""
    m, n = p.shape
    cls = type("Sparse", (Sparse,), {"pattern": p, "__slots__": (), "__doc__": Sparse.__doc__})
    form = form_of(cls)
    assert form is not None
    form.make, form.other = partial(_made, cls), partial(_fields, cls)
    reduced[form] = (_form, (p,))
    vectors = [Vec(p.nnz, t) for t in (Fin(m), Fin(n), Real)]
    return Tuple((*vectors, tuple_of(Fin(m + 1), Fin(n + 1))), form)


def _form(p: Sparsity) -> Any:
    return type_of(p).form


def matrix(b: Builder, p: Sparsity, values: Value) -> Value:
    """The matrix with these values."""
    t = type_of(p)
    shape = t.items[3]
    assert isinstance(shape, Tuple)
    literals = [b.const(x, s) for x, s in zip((p.rows, p.cols), t.items, strict=False)]
    sizes = b.tuple([b.const(k, s) for k, s in zip(p.shape, shape.items, strict=True)], shape)
    return b.tuple([*literals, values, sizes], t)


def _made(cls: type[Sparse], items: Sequence[Any]) -> Any:
    """The matrix for a user: a SciPy array, where the values are a NumPy array."""
    values = items[2]
    if values.__class__ is Value or getattr(values, "ndim", 0) != 1 or values.dtype.kind != "f":
        return cls(*items)
    starts, cols = _compressed(cls)
    made = _scipy().csr_array((values, cols.copy(), starts.copy()), shape=cls.pattern.shape)
    made.has_canonical_format = True
    return made


def coordinates(x: Any) -> dict[str, Any]:
    """A sparse SciPy array as a struct of lists."""
    x = x.tocoo()
    return {"rows": x.row.tolist(), "cols": x.col.tolist(), "values": x.data.tolist(), "shape": list(x.shape)}


def _fields(cls: type[Sparse], x: Any) -> Sequence[Any] | None:
    """The arguments of `_made` for a SciPy array; None if it has other entries than these."""
    if not hasattr(x, "tocoo") or x.shape != cls.pattern.shape:
        return None
    x = x.tocoo()
    p = cls.pattern
    return [p.rows, p.cols, x.data, p.shape] if (*x.row,) == p.rows and (*x.col,) == p.cols else None


@cache
def _compressed(cls: type[Sparse]) -> tuple[Any, Any]:
    """The start of each row, and the column of each entry, as SciPy has them."""
    p = cls.pattern
    numpy: Any = importlib.import_module("numpy")
    starts = [0]
    for row in p.by_row():
        starts.append(starts[-1] + len(row))
    return numpy.array(starts, "i4"), numpy.array(p.cols, "i4")


def _scipy() -> Any:
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError as e:
        what = f"a sparse matrix is given as a SciPy array, which cannot be imported: {e}"
        hint = "pip install scipy; or call it in an @fn function, where it has rows, cols and values"
        raise RoseError(what, here(), hint) from None
