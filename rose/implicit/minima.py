"""Minima, by the searches of `rose.lib`."""

from __future__ import annotations

from ..differentiation.gradients import grad
from ..errors import TypeMismatch, here
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn
from ..ir import Value
from ..ir.types import Real
from ..lib.damped_newton import newton
from .equations import Found, Maker, Plain, implicit, maker, solver, unknown
from .roots import newtons

_LAST = 5  # steps after a search: each doubles the digits that are right


@of_any_size
def argmin(f: AnyFn, *, search: Maker = newton, full: bool = False) -> AnyFn:
    """The function from a start and data to the point `x` near it at which `f(x, *data)` is least.

    `f` takes the unknown, of any type made of Reals, and data after it, and gives a Real. `search` is a minimiser of
    `rose.lib`, or a function that makes one: `lambda f: rose.lib.lbfgs(f, history=5)`. If it has not converged, the
    result is nan. With `full=True` the result is a `Solution`; its residual is the length of the gradient.

    A search ends where the value gets no less, which tells a point to half of its digits: a few steps of Newton's for
    the gradient find the others. The derivatives are those of a root of the gradient.
    """
    of = unknown("argmin", f)
    if of.result is not Real:
        what = f"rose.implicit.argmin takes a function to a Real, and {of.name} gives a {of.result!r}"
        raise TypeMismatch(what, here(), "return one number, which is to be least")
    maker(search)

    def solution() -> tuple[Plain, AnyFn]:
        plain = Plain(of)
        slope, find = grad(plain.f), search(plain.f)
        finish = newtons(slope, 0.0, _LAST)

        def found(x: Value, *data: object) -> Found:
            m = find(x, *data)
            x, size, _, _ = finish(m.x, *data)
            return x, size, m.steps, m.converged

        return plain, solver(slope, found, "argmin")

    return implicit("argmin", of, of.types[0], full, solution)
