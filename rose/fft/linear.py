"""Linear functions of arrays, each with its own transpose: reverse mode calls that, and costs what the value costs.

Each is one function of a module for the type of its argument, however often it is called. Its derivative is itself, of
the tangent, and the derivative of its transpose is that: so both differentiate to any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autodiff.prove_linear import assume_linear
from ..frontend.duals import DualVec, view_dual
from ..frontend.function import AnyFn, make
from ..frontend.operators import view
from ..frontend.tracing import locked
from ..ir import Func, Value, current_builder
from ..ir.callgraph import make_linear
from ..ir.types import Type, untyped


class Linear:
    """A linear function from an array of the type `t` to one of `result(t)`.

    `back(y, t)` is its transpose: the array `x` of the type `t` with `dot(x, z) == dot(y, f(z))`, where `dot` is the
    sum of products of all real and of all imaginary parts.
    """

    def __init__(
        self,
        name: str,
        result: Callable[[Type], Type],
        body: Callable[[Value], Any],
        back: Callable[[Value, Type], Any],
    ) -> None:
        self.name, self.result, self.body, self.back = name, result, body, back
        self.made: dict[Type, AnyFn] = {}

    def __call__(self, x: Value) -> Any:
        f = self.of(untyped(x.type))
        linear = f.func.marks.linear if x.type.linear else None
        return f(x) if linear is None else view(current_builder().call(linear, [x]))

    def of(self, t: Type) -> AnyFn:
        """The function for this type."""
        if t not in self.made:
            with locked():
                if t not in self.made:
                    self._make(t)
        return self.made[t]

    def _make(self, t: Type) -> None:
        f = self.made[t] = make(self.body, [t], self.result(t), self.name, ["x"])  # which `back` may call
        back: Callable[[Value], Any] = lambda y: self.back(y, t)
        g = make(back, [self.result(t)], t, f"transpose({self.name})", ["y"])
        for one, other in ((f, g), (g, f)):
            linear = make_linear(one.name, one.func, other.func)
            assume_linear(one.func, linear)
            one.jvp(_itself(one, linear))


def _itself(f: AnyFn, linear: Func) -> Callable[[DualVec], Any]:
    """The derivative of a linear function: of the tangent it is the same."""

    def rule(x: DualVec) -> Any:
        return view_dual(f(x.re), view(current_builder().call(linear, [x.du])))

    return rule
