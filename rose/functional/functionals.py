"""`@functional`: functions of functions, and their derivatives."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .. import errors
from ..derivatives.gradients import Vjp
from ..errors import NotDifferentiable, TypeMismatch, edge, here
from ..frontend.annotations import Dual, as_type
from ..frontend.function import AnyFn, Fn
from ..frontend.signatures import name_of, written
from ..frontend.transforms import OfFunctions
from ..ir import shown
from ..ir.types import Real, untyped
from ..ir.value import host_index, is_function
from . import algebra, operators
from .composites import MapType, Variable, is_open, type_of
from .transforms import pulled, pushed


class Functional(OfFunctions):
    """A function of functions, which gives a number or a function: call it, differentiate it."""

    def __init__(self, body: Callable[..., Any], types: Sequence[MapType], result: MapType | None, name: str) -> None:
        functools.update_wrapper(self, body)
        self.body, self.types, self.result, self.name = body, tuple(types), result, name

    def __repr__(self) -> str:
        return f"<functional {self.name}({', '.join(map(repr, self.types))})>"

    @edge
    def __call__(self, *fs: Any) -> Any:
        return algebra.evaluated(self._composed(self._variables(fs)))

    def _variables(self, fs: Sequence[Any]) -> list[Variable]:
        """A variable for each parameter, which stands for the function that is given."""
        if len(fs) != len(self.types):
            what = f"{self.name} takes {len(self.types)} function{'s' * (len(self.types) != 1)}, got {len(fs)}"
            raise TypeMismatch(what, here(), "give one for each of its parameters")
        return [self._variable(f, t, k) for k, (f, t) in enumerate(zip(fs, self.types, strict=True))]

    def _variable(self, x: Any, t: MapType, k: int) -> Variable:
        f = algebra.as_function(x, t)
        if type_of(f) != t:
            what = f"{self.name} takes a {t!r}, and {f.name} is a {type_of(f)!r}"
            raise TypeMismatch(what, here().narrow(errors.argument(k, "", len(self.types))), f"give a {t!r}")
        return Variable(f, t, f.name)

    def _composed(self, ys: Sequence[Variable]) -> AnyFn:
        """The function, or the number, that the body makes of them."""
        try:
            out = algebra.as_function(self.body(*ys), self.result)
        finally:
            for y in ys:
                y.open = False
        if self.result is not None and type_of(out) != self.result:
            what = f"the result of {self.name} must be a {self.result!r}, got a {type_of(out)!r}"
            raise TypeMismatch(what, written(self.body), "give it the type that it declares")
        return out

    # derivatives

    def _positions(self, argnums: Any) -> list[int]:
        given = argnums if isinstance(argnums, (tuple, list)) else [argnums]
        for k in given:
            if host_index(k) is None or not -len(self.types) <= k < len(self.types):
                what = f"{self.name} has no parameter number {shown(k)}"
                raise NotDifferentiable(what, here(), "count from 0")
        return [k % len(self.types) for k in given]

    def _pulled(self, out: AnyFn, ys: Sequence[Variable], ct: AnyFn) -> list[AnyFn]:
        """The cotangents of the functions that `ys` stand for."""
        dys = [Variable(None, type_of(y), f"d{y.name}", y.grids) for y in ys]
        tangent = pushed(out, dict(zip(ys, dys, strict=True)))
        return [operators.zero(type_of(y)) for y in ys] if tangent is None else pulled(tangent, dys, ct)

    def transformed(self, transform: str, args: Sequence[Any], named: dict[str, Any]) -> Any:
        """What `rose.grad` and its kin make of it: a functional again."""
        made = getattr(self, f"_{transform}", None)
        if made is None:
            raise TypeMismatch(f"rose.{transform} takes an @fn function, not the functional {self.name}", here(),
                               "use rose.grad, value_and_grad, jvp, vjp, hvp or linear_transpose")  # fmt: skip
        return made(*args, **named)

    def _grad(self, argnums: Any = 0) -> Functional:
        return self._gradient(argnums, with_value=False)

    def _value_and_grad(self, argnums: Any = 0) -> Functional:
        return self._gradient(argnums, with_value=True)

    def _gradient(self, argnums: Any, *, with_value: bool) -> Functional:
        ks = self._positions(argnums)

        def body(*fs: Any) -> Any:
            ys = self._variables(fs)
            out = self._composed(ys)
            if type_of(out) != MapType(Real, ()):
                what = f"rose.grad takes a functional to a Real, and {self.name} gives a {type_of(out)!r}"
                raise NotDifferentiable(what, here(), "use rose.jvp or rose.vjp, or integrate its result")
            found = self._pulled(out, [ys[k] for k in ks], operators.number(1.0, Real))
            g = found[0] if host_index(argnums) is not None else tuple(found)
            return (algebra.evaluated(out), g) if with_value else g

        return _Derived(body, self.types, f"grad({self.name})")

    def _jvp(self) -> Functional:
        def body(*fs: Any) -> Any:
            duals = [x for x in fs if isinstance(x, Dual)]
            pairs = [(x.re, x.du) for x in duals] if duals else list(zip(fs[: len(fs) // 2], fs[len(fs) // 2 :], strict=True))
            ys = self._variables([f for f, _ in pairs])
            out = self._composed(ys)
            dys = {y: algebra.as_function(df, type_of(y)) for y, (_, df) in zip(ys, pairs, strict=True)}
            for y, dy in dys.items():
                if type_of(dy) != type_of(y):
                    what = f"a direction of {y.name}, a {type_of(y)!r}, cannot be a {type_of(dy)!r}"
                    raise TypeMismatch(what, here(), "give a function of the same type")
            tangent = pushed(out, dict(dys)) or operators.zero(type_of(out))
            return Dual(algebra.evaluated(out), algebra.evaluated(tangent))

        return _Derived(body, (*self.types, *self.types), f"jvp({self.name})")

    def _hvp(self) -> Functional:
        second = self._grad()._jvp()
        return _Derived(lambda f, df: second(f, df).du, (*self.types, *self.types), f"hvp({self.name})")

    def _vjp(self) -> Functional:
        def body(*fs: Any) -> Any:
            ys = self._variables(fs)
            out = self._composed(ys)

            def back(ct: Any) -> Any:
                found = self._pulled(out, ys, algebra.as_function(ct, type_of(out)))
                return algebra.evaluated(found[0]) if len(found) == 1 else tuple(map(algebra.evaluated, found))

            return Vjp(algebra.evaluated(out), edge(back))

        return _Derived(body, self.types, f"vjp({self.name})")

    def _linear_transpose(self) -> Functional:
        def body(ct: Any) -> Any:
            ys = [Variable(None, t, f"x{k}") for k, t in enumerate(self.types)]
            out = self._composed(ys)
            found = pulled(out, ys, algebra.as_function(ct, type_of(out)))
            return found[0] if len(found) == 1 else tuple(found)

        return _Derived(body, (), f"linear_transpose({self.name})")


class _Derived(Functional):
    """A derivative of a functional: its parameters are checked by the functional that it is made of."""

    def __init__(self, body: Callable[..., Any], types: Sequence[MapType], name: str) -> None:
        super().__init__(body, types, None, name)
        self.plain = body

    @edge
    def __call__(self, *fs: Any) -> Any:
        return self.plain(*fs)


@edge
def functional(body: Callable[..., Any]) -> Functional:
    """Make a Python function of functions one that can be differentiated: `@functional`.

    Each parameter has the type `F.Map[result, arg, ...]`; a parameter of any other type is a value. The body composes:
    it is run with functions that stand for those that are given, and gives a number or a function.
    """
    if not is_function(body) or not inspect.isfunction(body):
        raise TypeMismatch(f"F.functional takes a Python function, not {shown(body)}", here(), "mark a `def` with it")
    scope = errors.users_frame().f_locals
    hints, params = body.__annotations__, inspect.signature(body).parameters
    names = {**body.__globals__, **scope}
    types = list[MapType]()
    for k in params:
        if k not in hints:
            what = f"{name_of(body)} needs a type for {k}"
            raise TypeMismatch(what, written(body).narrow(errors.annotation(k)), f"write {k}: F.Map[Real, Real]")
        types.append(_as_map(hints[k], names))
    result = _as_map(hints["return"], names) if "return" in hints else None
    return Functional(body, types, result, name_of(body))


def _as_map(hint: Any, names: dict[str, Any]) -> MapType:
    while isinstance(hint, str):
        hint = eval(hint, names)
    return hint if isinstance(hint, MapType) else MapType(untyped(as_type(hint)), ())
