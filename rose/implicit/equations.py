"""An equation as a function of its data: the derivative rule that all of this room share, and what they take and give.

Implicit function theorem: where `residual(x, *data) == 0` and its Jacobian in `x` is regular, `x` moves by
`-solve(jacobian, residual's tangent along that of the data)`. The start has no part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from .. import ir
from ..differentiation.flatten import Flat, is_real
from ..differentiation.jacobians import jacfwd
from ..differentiation.linear_map import LinearMap
from ..errors import TypeMismatch, argument, here
from ..frontend import options
from ..frontend.annotations import Generic, struct, struct_of
from ..frontend.duals import split_dual, view_dual
from ..frontend.function import AnyFn, checked, from_func, make
from ..frontend.language.select import abs, select
from ..frontend.language.vectors import norm
from ..ir import Value, shown
from ..ir.sizes import differ
from ..ir.types import Bool, Real, Tan, Type, count_reals, tangent, tuple_of
from ..ir.value import is_function
from ..linalg.elimination import solver as of_matrix

Point = TypeVar("Point")


@struct
class Solution(Generic[Point]):
    """What a search found. As a type, `Solution[X]` is that of an unknown of type `X`.

    `x` is the last point, `residual` the length of the residual there (of a minimum, of the gradient), and `steps`
    counts the steps. Unless it has `converged`, `x` solves nothing, and neither do its derivatives.
    """

    x: Point
    residual: float
    steps: float
    converged: bool


Found = tuple[Any, Any, Any, Any]  # the fields of a `Solution`, of an unknown in its plain form
Search = Callable[..., Found]  # of the start and the data
Maker = Callable[[AnyFn], AnyFn]  # of a search for the minimum of a function


class Plain:
    """A function whose first parameter, the unknown, is one number or one vector of numbers: its plain form.

    What the function captures comes after its parameters, so that a derivative rule has a Dual for it.
    """

    def __init__(self, f: AnyFn) -> None:
        self.captured = f.captured
        names = [p.attr or "captured" for p in f.func.params]
        self._given, self._unknown = from_func(f.func, names), Flat(f.types[0])
        self.type = self._unknown.vec if f.types[0] is not Real else Real
        types = [self.type, *self._given.types[1:]]
        self.names, self.types = names, types
        self.f = self.made(self._at, f.result, f.name)

    def _at(self, v: Value, *data: object) -> Any:
        return self._given(self.value(v), *data)

    def value(self, v: Value) -> Any:
        return v if self.type is Real else self._unknown.value(v)

    def vector(self, x: object) -> Any:
        return x if self.type is Real else self._unknown.vector(x)

    def made(self, body: Callable[..., Any], result: Type, name: str) -> AnyFn:
        """A function of the plain unknown and the data."""
        return make(body, self.types, result, name, self.names)

    def result(self, y: object) -> Any:
        """What the function gives, in the form of the unknown, which has as many numbers."""
        if self.type is Real and self.f.result is Real:
            return y
        v = Flat(self.f.result).vector(y)
        return v[0] if self.type is Real else v

    def residual(self) -> AnyFn:
        """The function with its result in the form of the unknown."""

        def body(v: Value, *data: object) -> Any:
            return self.result(self.f(v, *data))

        return self.made(body, self.type, self.f.name)


def solver(residual: AnyFn, search: Search, name: str) -> AnyFn:
    """The function from a start and data to what `search` finds, with the derivative rule of `residual == 0`."""
    types, t = residual.types, residual.types[0]
    f = make(search, types, tuple_of(t, Real, Real, Bool), name, residual.names)
    moving = [k for k, s in enumerate(types) if k and s.real]
    along, slope = LinearMap(residual, moving), jacfwd(residual)

    @f.jvp
    def rule(*duals: object) -> Any:
        b = ir.current_builder()
        pairs = [split_dual(x, s, tangent) for x, s in zip(duals, types, strict=True)]
        given = [re for re, _ in pairs]
        x, size, steps, converged = f(*given)
        there, no = [x, *given[1:]], b.zero(Tan)
        residuals = along.jvp(there, {k: pairs[k][1] for k in moving}, numbers=False)[1]
        dx = -solver_with(slope(*there))(residuals) if moving else b.zero(tangent(t))
        return view_dual(x, dx), view_dual(size, no), view_dual(steps, no), converged

    return f


def solver_with(jacobian: Value) -> Callable[[Any], Any]:
    """The map from a right side to the solution with a matrix, which is factorised once, or with a number: linear."""
    if jacobian.type is Real:
        return lambda y: y / jacobian
    return of_matrix(jacobian)


def implicit(what: str, f: AnyFn, result: Type, full: bool, solution: Callable[[], tuple[Plain, AnyFn]]) -> AnyFn:
    """The function from a start and data to the unknown, or to its `Solution`, as a user calls it.

    `solution` is asked for the plain form and its solver when the function is traced: then it is known what `f`
    captures. Where the search has not converged, the unknown is nan, and so are its derivatives.
    """

    def body(start: object, *data: object) -> Any:
        plain, solve = solution()
        b = ir.current_builder()
        x, *more = solve(plain.vector(start), *data, *[b.reach(v) for v in plain.captured])
        if full:
            return Solution(plain.value(x), *more)
        return plain.value(x * select(more[-1], 1.0, math.nan))

    return make(body, f.types, struct_of(Solution, result) if full else result, f"{what}({f.name})", f.names)


def length(x: Value) -> Value:
    return abs(x) if x.type is Real else norm(x)


def short(size: Value, x: Value, tolerance: float) -> Value:
    """Whether a step of this length, to `x`, is at most the tolerance; an infinite one is not."""
    return (size <= tolerance * (1.0 + length(x))) & (size < math.inf)


# arguments


def unknown(what: str, f: AnyFn) -> AnyFn:
    """`f`, checked to be a function with an unknown made of Reals; a TypeMismatch if it is not."""
    at = here().narrow(argument(0, "f", *range(1, 9)))
    of = checked(f, f"implicit.{what}", at)
    if not of.types or not is_real(of.types[0]):
        given = f"is a {of.types[0]!r}" if of.types else "is missing"
        hint = "put the unknown first, one number, vector or struct of Reals; data come after it"
        raise TypeMismatch(f"rose.implicit.{what}: the first parameter of {of.name} {given}", at, hint)
    return of


def as_many(what: str, f: AnyFn) -> None:
    """Check that `f` gives as many Reals as its unknown has."""
    if is_real(f.result) and not differ(count_reals(f.result), count_reals(f.types[0])):
        return
    at = here().narrow(argument(0, "f", *range(1, 9)))
    what = f"rose.implicit.{what}: {f.name} gives a {f.result!r}, and its unknown is a {f.types[0]!r}"
    raise TypeMismatch(what, at, "return as many Reals as the unknown has")


def limits(tolerance: float, most: int, name: str = "max_steps") -> tuple[float, int]:
    """The options that end a search, checked: they are part of the program."""
    return options.number(tolerance, "tolerance"), options.count(most, name)


def maker(search: Maker) -> None:
    """Check an option that makes a minimiser of a function."""
    if not is_function(search):
        at = here().narrow(argument(_BY_NAME, "search", *range(1, 9)))
        hint = "write search=rose.lib.lbfgs, or leave it out"
        raise TypeMismatch(f"search is a function that makes a minimiser, not {shown(search)}", at, hint)


_BY_NAME = 9  # options are given by name
