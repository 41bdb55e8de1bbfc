"""Dynamic sizes of a call, determined from its arguments."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, cast

from .. import errors
from ..errors import Loc, TypeMismatch, here
from ..ir import Value, shown, types
from ..ir.sizes import Dim, Size, Sizes, differ, dims_of
from ..ir.types import Fin, Real, Tuple, Type, Vec
from .marshal import Path, as_given, fields, is_listing, misfit, spell


def measured(name: str, names: Sequence[str], ts: Sequence[Type], args: Sequence[Any], hint: str = "") -> Sizes:
    """The sizes in the types of the parameters of a function, for these arguments."""
    loc, found = here(), _Found()
    for k, (x, t, n) in enumerate(zip(args, ts, names, strict=True)):
        found.read(x, t, (n,), loc.narrow(errors.argument(k, n, len(args))))
    return found.sizes(name, list(dict.fromkeys([d for t in ts for d in dims_of(t)])), loc, hint)


class _Found:
    """The sizes that the arguments of a call show."""

    def __init__(self) -> None:
        self.dims: dict[str, tuple[int | Size, str]] = {}  # and where each was found
        self.others: list[tuple[Size, int | Size, Path, Loc, Type]] = []  # what is computed of them, to be compared

    def read(self, x: Any, t: Type, path: Path, loc: Loc) -> None:
        """Find the sizes in `t` that `x` shows."""
        if not dims_of(t):
            return
        x = as_given(x, loc)
        if x.__class__ is Value:
            self._of_type(x.type, x, t, path, loc)
        elif isinstance(t, Vec):
            self._of_vector(x, t, path, loc)
        elif isinstance(t, Tuple):
            xs, names = fields(x, t, path, loc)
            for y, s, k in zip(xs, t.items, names, strict=True):
                self.read(y, s, (*path, k), loc)

    def _of_vector(self, x: Any, t: Vec, path: Path, loc: Loc) -> None:
        shape = getattr(x, "shape", None)
        if isinstance(shape, tuple) and shape:
            self._of_type(_of_shape(cast("tuple[int, ...]", shape)), x, t, path, loc)
            return
        is_column = hasattr(x, "__array__") and hasattr(x, "__len__")  # Arrow's have no shape
        if not is_column and not is_listing(x) and not isinstance(x, range):
            raise misfit(path, t, x, "a vector is given as a list, a tuple or an array", loc)
        self._note(len(x), t, path, loc)
        if len(x) and dims_of(t.elem):
            self.read(x[0], t.elem, (*path, 0), loc)

    def _of_type(self, have: Type, x: Any, t: Type, path: Path, loc: Loc) -> None:
        """Find the sizes that a value of a known type shows."""
        if isinstance(t, Vec) and isinstance(have, Vec):
            self._note(have.size, t, path, loc)
            if dims_of(t.elem):
                self._of_type(have.elem, x, t.elem, (*path, 0), loc)
        elif isinstance(t, Tuple) and isinstance(have, Tuple) and len(t.items) == len(have.items):
            for s, h, k in zip(t.items, have.items, t.names, strict=True):
                if dims_of(s):
                    self._of_type(h, x, s, (*path, k), loc)
        elif not isinstance(t, Fin):
            head = f"{spell(path)} must be a {t!r}"
            what = f"{head}, got a {have!r}" if isinstance(x, Value) else f"{head}, got {shown(x)}"
            raise TypeMismatch(what, loc.into(path[1:]), "give a value of the type that is declared")

    def _note(self, k: int | Size, t: Vec, path: Path, loc: Loc) -> None:
        size = t.size
        if isinstance(size, Dim):
            n, first = self.dims.setdefault(size.key, (k, spell(path)))
            if differ(n, k):
                known = "" if isinstance(n, Size) else f" = {n}"
                what = f"{spell(path)} must have {size!r}{known} elements, as {first} has, got {k}"
                raise TypeMismatch(what, loc.into(path[1:]), f"its type is {t!r}: {size!r} is one number at each call")
        elif isinstance(size, Size):
            self.others.append((size, k, path, loc, t))

    def sizes(self, name: str, dims: Sequence[Dim], loc: Loc, hint: str) -> Sizes:
        """All sizes of a function, compared with those that are computed of them."""
        if missing := [d for d in dims if d.key not in self.dims]:
            d = missing[0]
            what = f"this call of {name} does not tell what {d!r} is: it is the size of elements, and there are none"
            raise TypeMismatch(what, loc, "give an array, such as np.zeros((0, 3))" + hint.format(d))
        numbers = {k: n for k, (n, _) in self.dims.items()}
        for size, k, path, at, t in self.others:
            want = size.at(numbers)
            if differ(want, k):
                given = " and ".join(
                    [f"{d!r} = {numbers[d.key]} is the size of {self.dims[d.key][1]}" for d in size.dims]
                )
                what = f"{spell(path)} must have {size!r} = {want} elements, got {k}"
                raise TypeMismatch(what, at.into(path[1:]), f"its type is {t!r}, where {given}")
        return numbers


def _of_shape(shape: Sequence[int]) -> Type:
    """The type of an array of a shape."""
    return functools.reduce(lambda t, n: types.Vec(n, t), reversed(shape), cast("Type", Real))
