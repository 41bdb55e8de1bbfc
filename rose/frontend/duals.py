"""Duals of any type, as a derivative rule sees them: a primal value and its tangent, side by side."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

from ..errors import Loc, edge
from ..host.marshal import Path, elements, fields, is_listing, misfit
from ..ir import Value, current_builder, types
from ..ir.forms import DUAL, form_of
from ..ir.types import Complex, Real, Tuple, Type
from .annotations import Dual, NotANumber, dual
from .operators import index_into, view
from .values import coerce, to_value

Iteration = tuple[list[Value], list[Value]]  # of a loop: the next states, and the items


class DualVec(NotANumber):
    """A vector of Duals, as a vector of primals and one of tangents."""

    _what = "a vector of Duals"
    _instead = "name a part of an element: v[i].re is its value, v[i].du its tangent"

    def __init__(self, re: Value, du: Value) -> None:
        self.re, self.du = re, du

    @edge
    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return DualVec(self.re[i], self.du[i])
        b, j = current_builder(), index_into(self.re, i)
        return view_dual(b.index(self.re, j), b.index(self.du, j))

    def __len__(self) -> int:
        assert isinstance(self.re.type, types.Vec)
        return index(self.re.type.size)

    def as_value(self, _: Loc | None = None) -> Value:
        return join_dual(self.re, self.du)


def view_dual(re: Value, du: Value) -> Any:
    """A primal and its tangent as a derivative rule sees them: a `Dual` for each `Real`."""
    t = re.type
    if t is Real or t is Complex:
        return Dual(re, du)
    if not t.real:
        return view(re)
    if isinstance(t, types.Vec):
        return DualVec(re, du)
    assert isinstance(t, Tuple)
    b = current_builder()
    items = [view_dual(b.get(re, k), b.get(du, k)) for k in range(len(t.items))]
    return t.form.make(items) if t.form is not None else tuple(items)


def join_dual(re: Value, du: Value) -> Value:
    """One value of type `Dual[T]`, from a primal and a tangent."""
    b, t = current_builder(), re.type
    if t is Real or t is Complex:
        return b.tuple([re, du], Tuple((t, du.type), DUAL))
    if not t.real:
        return re
    if isinstance(t, types.Vec):
        body: Callable[[Value], Iteration] = lambda i: ([], [join_dual(b.index(re, i), b.index(du, i))])
        return b.loop(t.size, body)[1][0]
    assert isinstance(t, Tuple)
    items = [join_dual(b.get(re, k), b.get(du, k)) for k in range(len(t.items))]
    return b.tuple(items, t.of(tuple([x.type for x in items])))


def split_dual(x: Any, t: Type, tan: Callable[[Type], Type], path: Path = (), loc: Loc | None = None) -> list[Value]:
    """The primal, of type `t`, and the tangent, of type `tan(t)`, of `x`, which a user gives as a `Dual[t]`."""
    b = current_builder()
    if isinstance(x, Dual) and isinstance(t, types.Vec):
        return [to_value(x.re, t, (*path, "re"), loc), to_value(x.du, tan(t), (*path, "du"), loc)]
    if isinstance(x, DualVec):
        return [coerce(x.re, t, path, loc), coerce(x.du, tan(t), path, loc)]
    if not t.real:
        return [to_value(x, t, path, loc), b.zero(tan(t))]
    if t is Real or t is Complex:
        if isinstance(x, Value) and isinstance(x.type, Tuple) and x.type.form is DUAL:
            x = Dual(b.get(x, 0), b.get(x, 1))
        if not isinstance(x, Dual):
            raise misfit(path, dual(t), x, "write rose.Dual(value, tangent)", loc)
        return [to_value(x.re, t, (*path, "re"), loc), to_value(x.du, tan(t), (*path, "du"), loc)]
    if isinstance(x, Value) and isinstance(t, types.Vec) and isinstance(x.type, types.Vec):
        body: Callable[[Value], Iteration] = lambda i: ([], split_dual(b.index(x, i), t.elem, tan, path, loc))
        return b.loop(t.size, body)[1]
    if isinstance(t, types.Vec):
        pairs = [split_dual(y, t.elem, tan, (*path, k), loc) for k, y in enumerate(elements(x, t, path, loc))]
        made = types.Vec(t.size, t.elem), types.Vec(t.size, tan(t.elem))
        return [b.pack([p[k] for p in pairs], s) for k, s in enumerate(made)]
    assert isinstance(t, Tuple)
    if isinstance(x, Value):
        x = view(x)
    xs, names = fields(x, t, path, loc)
    pairs = [split_dual(y, s, tan, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)]
    dt = tan(t)
    assert isinstance(dt, Tuple)
    return [b.tuple([p[0] for p in pairs], t), b.tuple([p[1] for p in pairs], dt)]


def mentions_tangent(x: Any) -> bool:
    """True if `x` is a traced tangent, or holds one."""
    if isinstance(x, Value):
        return x.type.linear
    if isinstance(x, DualVec):
        return x.du.type.linear
    if is_listing(x):
        return any(map(mentions_tangent, x))
    form = form_of(x.__class__)
    return form is not None and any(map(mentions_tangent, form.read(x)))
