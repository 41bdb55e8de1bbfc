"""Divergence and curl of vector fields."""

from __future__ import annotations

from typing import Any

from .. import ir
from ..errors import NotDifferentiable, here
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, checked, make
from ..frontend.language import loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..frontend.values import to_value
from ..ir.types import Real, Type, Vec, untyped
from .arguments import positions
from .jacobians import jacfwd
from .linear_map import LinearMap


@of_any_size
def divergence(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The divergence of a vector field, a function of a `Vec[n]` to a `Vec[n]`: the trace of the Jacobian.

    In forward mode along each coordinate, of which only the one component is computed.
    """
    f, k, t = _field(f, argnums, "divergence")

    def body(*args: Any) -> Any:
        b, lin, total = ir.current_builder(), LinearMap(f, (k,)), accum(0.0)
        xs = lin.arguments(args)
        for i in loops.range(t.size):
            unit = loops.vec(select(i == j, 1.0, 0.0) for j in loops.range(t.size))
            total += b.index(lin.jvp(xs, {k: to_value(unit, t)})[1], i)
        return total.value

    return make(body, f.types, Real, f"divergence({f.name})", f.names)


@of_any_size
def curl(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The curl of a vector field: a `Vec[3]` of one in space, and a number of one in the plane.

    In the plane it is `dv/dx - du/dy`, where `(u, v)` is the field.
    """
    f, k, t = _field(f, argnums, "curl")
    if t.size not in (2, 3):
        what = f"rose.curl takes a field in the plane or in space, and {f.name} goes from {t!r} to {t!r}"
        raise NotDifferentiable(what, here(), "give it a function of a Vec[3] to a Vec[3]")
    jacobian = jacfwd(f, k)

    def body(*args: Any) -> Any:
        d = jacobian(*args)
        if t.size == 2:
            return d[1][0] - d[0][1]
        return [d[2][1] - d[1][2], d[0][2] - d[2][0], d[1][0] - d[0][1]]

    return make(body, f.types, Real if t.size == 2 else t, f"curl({f.name})", f.names)


def _field(f: AnyFn, argnums: int, what: str) -> tuple[AnyFn, int, Vec]:
    """A function, the parameter in which it is a vector field, and the type of that and of the result."""
    f = checked(f, what)
    (k,) = positions(f, argnums, what)
    t: Type = untyped(f.types[k])
    if not isinstance(t, Vec) or t.elem is not Real or untyped(f.result) is not t:
        message = f"rose.{what} takes a function of a Vec[n] to a Vec[n], and {f.name} goes from {t!r} to {f.result!r}"
        raise NotDifferentiable(message, here(), "return one component for each coordinate")
    return f, k, t
