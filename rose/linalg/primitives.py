"""Functions of linear algebra that are functions of a module of their own, with rules for their derivatives.

There is one for the types of its arguments, and equal calls are one call: of a matrix there is one factorisation,
whatever is asked of it. A rule uses what is there, and differentiates again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from typing import Any

from ..frontend.annotations import Dual
from ..frontend.duals import DualVec, view_dual
from ..frontend.function import AnyFn, make
from ..host.marshal import is_listing
from ..ir import Value, current_builder
from ..ir.types import Type, tangent

Body = Callable[..., Any]


class Primitive:
    """A function of values, with its name in a module.

    Its result has the type `result(t)` for that of its first argument; or, as solutions of equations have, that of the
    last. What it is given by name is Python's, such as which half of a matrix is read: another makes another function.
    """

    def __init__(self, name: str, result: Callable[[Type], Type] | None, body: Body) -> None:
        self.name, self.result, self.body = name, result, body
        self.names = [k for k, p in signature(body).parameters.items() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
        self.rule: Body | None = None
        self.refused: tuple[str, str] | None = None  # why there is no derivative, and what to write
        self.of = cache(self._of)

    def __call__(self, *args: Value, **given: Any) -> Any:
        return self.of(*[x.type for x in args], **given)(*args)

    def _of(self, *types: Type, **given: Any) -> AnyFn:
        """The function for these types."""
        result = types[-1] if self.result is None else self.result(types[0])
        body: Body = lambda *args: self.body(*args, **given)
        f = make(body, types, result, self.name, self.names)
        if (rule := self.rule) is not None:
            moved: Body = lambda *duals: _dual(x := f(*map(_primal, duals)), rule(x, *duals, **given))
            f.jvp(moved)
        if self.refused is not None:
            f.func.mark(refused=self.refused)
        return f

    def jvp(self, rule: Body) -> Body:
        """Give it its derivative: `rule(x, *duals)` is the tangent of the result `x`.

        Where that has parts, there is one for each, and None for those that do not move.
        """
        self.rule = rule
        return rule

    def residual(self, left: Body) -> Body:
        """Give it the derivative of the solution `x` of equations, whose last argument is the right side.

        The tangent is a solution too, with the same factors, of `left(x, *duals)`: of what the tangents leave of `x`.
        """

        def rule(x: Value, *duals: object, **given: Any) -> Any:
            return self.body(*map(_primal, duals[:-1]), left(x, *duals, **given), **given)

        self.rule = rule
        return left


def primitive(name: str, result: Callable[[Type], Type] | None = None) -> Callable[[Body], Primitive]:
    """Make a function of values a `Primitive`."""
    return lambda body: Primitive(name, result, body)


def _primal(x: Any) -> Any:
    return x.re if isinstance(x, (Dual, DualVec)) else x


def _dual(x: Any, dx: Any) -> Any:
    """A result and its tangent, as a derivative rule gives them."""
    if is_listing(x):
        return tuple([_dual(y, dy) for y, dy in zip(x, dx, strict=True)])
    return view_dual(x, current_builder().zero(tangent(x.type)) if dx is None else dx) if x.type.real else x
