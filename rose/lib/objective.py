"""The objective and the result of a minimiser, and the checks of its arguments: shared by all minimisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..differentiation.flatten import Flat, is_real
from ..errors import TypeMismatch, argument, here
from ..frontend import options
from ..frontend.annotations import Generic, struct, struct_of
from ..frontend.function import AnyFn, checked, make
from ..ir import Value
from ..ir.types import Real, Type

Point = TypeVar("Point")

ROUNDING = 2.0**-48  # of a value: about what it is rounded by, as the sum of a few numbers


@struct
class Minimum(Generic[Point]):
    """The result of a minimiser. As a type, `Minimum[P]` is that of a search through values of type `P`.

    `x` is the best point it saw, `value` the objective there, and `gradient_norm` the length of the gradient: of the
    sum of squares, for `gauss_newton`. `steps` counts the steps it tried, also those that did not help. It has
    `converged` if the gradient is as small as the tolerance, or if no step makes the value less, up to rounding.
    """

    x: Point
    value: float
    gradient_norm: float
    steps: float
    converged: bool


class Objective:
    """The objective of a minimiser: a function to a number as a function of one vector, its other arguments fixed."""

    def __init__(self, f: AnyFn, data: Sequence[Any]) -> None:
        self.f, self.flat, self._given, self._data = f, Flat(f.types[0]), f, data
        there = [self.flat.vec, *f.types[1:]]
        if self.flat.type is not self.flat.vec:
            self.f = make(self._at_vector, there, f.result, f.name, f.names)

    def _at_vector(self, v: Value, *data: object) -> Any:
        return self._given(self.flat.value(v), *data)

    def of(self, derived: Callable[[AnyFn], AnyFn]) -> Callable[[Any], Any]:
        """The function that `derived` makes from the objective, such as its gradient, of a vector."""
        made = derived(self.f)
        return lambda v: made(v, *self._data)


Found = tuple[Any, Any, Any, Any, Any]  # the vector, and the other fields of a `Minimum`
Search = Callable[[Objective, Any], Found]
State = dict[str, Any]  # of a search: values, and states of parts, by their names


def searching(what: str, f: AnyFn, search: Search, squares: bool = False) -> AnyFn:
    """The function from a start, and the other arguments of `f`, to the `Minimum` that `search` finds from there."""
    t = _checked(what, f, squares)

    def body(start: object, *data: object) -> Any:
        objective = Objective(f, data)
        v, *more = search(objective, objective.flat.vector(start))
        return Minimum(objective.flat.value(v), *more)

    return make(body, f.types, struct_of(Minimum, t), f"{what}({f.name})", f.names)


def _checked(what: str, f: AnyFn, squares: bool) -> Type:
    """The type of the first parameter of `f`, which is searched through; a TypeMismatch if `f` cannot be minimised."""
    at = here().narrow(argument(0, "f", *range(1, 9)))
    of = checked(f, f"lib.{what}", at)
    if not of.types or not is_real(of.types[0]):
        given = f"is a {of.types[0]!r}" if of.types else "is missing"
        hint = "put one number, vector or struct of Reals first, which is searched; data come after it"
        raise TypeMismatch(f"rose.lib.{what}: the first parameter of {of.name} {given}", at, hint)
    if not squares and of.result is not Real:
        hint = "use rose.lib.gauss_newton for residuals: it squares and adds them itself"
        hint = hint if is_real(of.result) else "return one number, which is to be least"
        raise TypeMismatch(f"rose.lib.{what} takes a function to a Real, and {of.name} gives a {of.result!r}", at, hint)
    if not is_real(of.result):
        hint = "return the residuals, as in rose.vec(y[i] - line(x[i]) for i in rose.range(n))"
        raise TypeMismatch(f"rose.lib.{what}: {of.name} gives a {of.result!r}, not Reals", at, hint)
    return of.types[0]


def limits(tolerance: float | Value, max_steps: int | Value) -> tuple[Any, Any]:
    """The options that end a search, checked; they may be traced."""
    return options.number_or_traced(tolerance, "tolerance"), options.count_or_traced(max_steps, "max_steps")
