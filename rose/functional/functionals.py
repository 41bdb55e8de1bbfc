"""`@functional`: functions of functions, and their derivatives, which are functionals again."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .. import errors
from ..differentiation.gradients import Vjp
from ..errors import NotDifferentiable, NotLinear, TypeMismatch, edge, here
from ..frontend.annotations import Dual, as_type
from ..frontend.documentation import Documented
from ..frontend.function import AnyFn, Fn, MadeBy, P
from ..frontend.pickling import again, by_value, is_global, unnamed
from ..frontend.signatures import fresh_name, name_of, written
from ..frontend.tracing import R
from ..frontend.transforms import OfFunctions
from ..host.marshal import is_listing
from ..ir import shown
from ..ir.types import Real, untyped
from ..ir.value import host_index
from . import operators
from .algebra import evaluated
from .composites import Composite, MapType, Variable, named, type_of, variables
from .elementary import as_function
from .functions_of_numbers import number
from .transforms import pulled, pushed


class Functional(Documented, OfFunctions):
    """A function of functions, which gives a number, a function, or a tuple of such: call it, differentiate it.

    `types` and `names` have the type and the name of each parameter, and `result` the type of the result, or None if
    it is not declared.
    """

    _public = "name names result types"

    def __init__(
        self, body: Callable[..., Any], types: Sequence[MapType], result: MapType | None, name: str,
        names: Sequence[str],
    ) -> None:  # fmt: skip
        if written(body).code is body.__code__:
            functools.update_wrapper(self, body)
        else:
            self.__name__ = self.__qualname__ = name
        self.body, self.types, self.result, self.name, self.names = body, tuple(types), result, name, list(names)
        self.made_by: MadeBy | None = None  # the transform that gave it

    def __repr__(self) -> str:
        params = ", ".join([f"{n}: {t!r}" for n, t in zip(self.names, self.types, strict=True)])
        return f"<functional {self.name}({params})>"

    @edge
    def __call__(self, *fs: Any) -> Any:
        ys, out = self.composed(fs)
        _name(out, self.name, frozenset(ys))
        return _each(evaluated, out)

    @edge
    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.made_by is not None:
            return again, self.made_by
        by_name = by_value() is None
        if (by_name or self.__module__ != "__main__") and is_global(self):
            return self.body.__qualname__
        if by_name:
            raise unnamed(self, self.name)
        return object.__reduce_ex__(self, protocol)

    def of_parameters(self) -> tuple[list[Variable], Any]:
        """Variables that stand for its parameters, and the result, of those."""
        xs = [Variable(None, t, n) for t, n in zip(self.types, self.names, strict=True)]
        out = self.composed(xs)[1]
        if not isinstance(out, Vjp):
            return xs, out
        ct = Variable(None, type_of(out.ret), fresh_name("ct", self.names))
        return [*xs, ct], (out.ret, out.grad(ct))

    def composed(self, fs: Sequence[Any]) -> tuple[list[Variable], Any]:
        """A variable for each of the functions `fs`, and what the body makes of them: nothing is evaluated."""
        if len(fs) != len(self.types):
            what = f"{self.name} takes {len(self.types)} function{'s' * (len(self.types) != 1)}, got {len(fs)}"
            raise TypeMismatch(what, here(), "give one for each of its parameters")
        ys = [self._variable(f, k) for k, f in enumerate(fs)]
        try:
            out = _each(self._checked, self.body(*ys))
        finally:
            for y in ys:
                y.open = False
        return ys, out

    def _variable(self, x: Any, k: int) -> Variable:
        t = self.types[k]
        f = as_function(x, t)
        if type_of(f) != t:
            what = f"{self.name} takes a {t!r}, and {f.name} is a {type_of(f)!r}"
            raise TypeMismatch(what, here().narrow(errors.argument(k, "", len(self.types))), f"give a {t!r}")
        return Variable(f, t, f.name if t.args else self.names[k])

    def _checked(self, x: Any) -> AnyFn:
        out = as_function(x, self.result)
        if self.result is not None and type_of(out) != self.result:
            what = f"the result of {self.name} must be a {self.result!r}, got a {type_of(out)!r}"
            raise TypeMismatch(what, written(self.body), "return what is declared")
        return out

    def transformed(self, transform: str, args: Sequence[Any], named: dict[str, Any]) -> Functional:
        if transform not in TRANSFORMS:
            what = f"rose.{transform} takes an @fn function, not the functional {self.name}"
            raise TypeMismatch(what, here(), f"use one of {', '.join(TRANSFORMS)}")
        made = TRANSFORMS[transform](self, *args, **named)
        made.made_by = TRANSFORMS[transform], (self, *args), named
        return made


def _each(f: Callable[[Any], Any], x: Any) -> Any:
    """`f` of each function in a result: alone, in a tuple, or in a Dual."""
    if is_listing(x):
        return tuple([_each(f, y) for y in x])
    if isinstance(x, Dual):
        return Dual(_each(f, x.re), _each(f, x.du))
    return Vjp(_each(f, x.ret), x.grad) if isinstance(x, Vjp) else f(x)


def _name(out: Any, name: str, of: frozenset[Variable]) -> None:
    """Name the results of a functional, those that depend on what it was given."""
    if is_listing(out):
        for k, f in enumerate(out):
            _name(f, name[:-1] + f", {k})" if name.endswith(")") else f"{name}({k})", of)
    elif isinstance(out, Dual):
        _name(out.du, name, of)
    elif isinstance(out, Composite) and out.variables & of:
        named(out, name)


@edge
def functional(body: Callable[P, R]) -> Fn[P, R]:
    """Make a Python function of functions one that can be differentiated: `@functional`. It is a `Functional`.

    Each parameter has the type `F.Map[result, arg, ...]`; one of any other type is a value, which is a function of no
    arguments. The body composes: it runs on functions that stand for those that are given, and evaluates nothing. What
    it gives is a number (such as an integral), a function, or a tuple of such.

    Its derivatives are functionals: `rose.grad(f)(y)` gives the function x -> df/dy(x), for the product of two
    functions that is the integral of theirs. What the ends of a domain would add is left out.
    """
    if not inspect.isfunction(body):
        raise TypeMismatch(f"F.functional takes a Python function, not {shown(body)}", here(), "mark a `def` with it")
    hints, names = body.__annotations__, {**body.__globals__, **errors.users_frame().f_locals}
    for k in inspect.signature(body).parameters:
        if k not in hints:
            what = f"{name_of(body)} needs a type for {k}"
            raise TypeMismatch(what, written(body).narrow(errors.parameter(k)), f"write {k}: F.Map[Real, Real]")
    types = [_as_map(hints[k], names) for k in inspect.signature(body).parameters]
    result = _as_map(hints["return"], names) if "return" in hints else None
    made: Any = Functional(body, types, result, name_of(body), [*inspect.signature(body).parameters])
    return made  # to a checker a function as an `@fn` is, of functions


def _as_map(hint: Any, names: dict[str, Any]) -> MapType:
    while isinstance(hint, str):
        hint = eval(hint, names)
    return hint if isinstance(hint, MapType) else MapType(untyped(as_type(hint)), ())


# derivatives


def _pullback(out: AnyFn, ys: Sequence[Variable]) -> Callable[[AnyFn], list[AnyFn]]:
    """From a cotangent of `out` to those of the functions that `ys` stand for."""
    dys = [Variable(None, type_of(y), y.name, y.grids) for y in ys]
    tangent = pushed(out, dict(zip(ys, dys, strict=True)))
    return lambda ct: [operators.zero(type_of(y)) for y in ys] if tangent is None else pulled(tangent, dys, ct)


def _to_number(out: Any, of: Functional, what: str) -> AnyFn:
    if isinstance(out, tuple) or type_of(out) != MapType(Real, ()):
        gives = "a tuple" if isinstance(out, tuple) else f"a {type_of(out)!r}"
        message = f"rose.{what} takes a functional to a Real, and {of.name} gives {gives}"
        raise NotDifferentiable(message, here(), "use rose.jvp or rose.vjp, or integrate what it gives")
    return out


def value_and_grad(of: Functional, argnums: Any = 0, what: str = "value_and_grad") -> Functional:
    """The number, and the functional derivative, a function of the type of the parameter."""
    given: list[Any] = list(argnums) if is_listing(argnums) else [argnums]
    ks = [host_index(k) for k in given]
    if wrong := [k for k, n in zip(given, ks, strict=True) if n is None or not -len(of.types) <= n < len(of.types)]:
        hint = f"count from 0: it has {len(of.types)}"
        raise NotDifferentiable(f"{of.name} has no parameter number {shown(wrong[0])}", here(), hint)

    def body(*fs: Any) -> Any:
        ys, out = of.composed(fs)
        found = _pullback(_to_number(out, of, what), [ys[k] for k in ks if k is not None])(number(1.0, Real))
        return out, tuple(found) if is_listing(argnums) else found[0]

    return Functional(body, of.types, None, f"{what}({of.name})", of.names)


def grad(of: Functional, argnums: Any = 0) -> Functional:
    """The functional derivative: a function of the type of the parameter."""
    both = value_and_grad(of, argnums, "grad")
    return Functional(lambda *fs: both.body(*fs)[1], of.types, None, both.name, of.names)


def jvp(of: Functional) -> Functional:
    """The value and its tangent, a Dual: of Duals, or of functions and then their directions."""

    def body(*fs: Any) -> Any:
        n = len(of.types)
        ys, out = of.composed(fs[:n])
        tangents = dict[AnyFn, AnyFn](zip(ys, fs[n:], strict=True))
        return Dual(out, _each(lambda y: pushed(y, tangents) or operators.zero(type_of(y)), out))

    names = [*of.names, *[fresh_name(f"d{n}", of.names) for n in of.names]]
    return _OfDuals(body, (*of.types, *of.types), None, f"jvp({of.name})", names)


class _OfDuals(Functional):
    """A functional of functions and their directions, which takes Duals of both, too."""

    def composed(self, fs: Sequence[Any]) -> tuple[list[Variable], Any]:
        if any([isinstance(f, Dual) for f in fs]):
            duals = [f if isinstance(f, Dual) else Dual(f, None) for f in fs]
            fs = [*[d.re for d in duals], *[d.du for d in duals]]
        return super().composed(fs)


def hvp(of: Functional) -> Functional:
    """The second derivative of a functional of one function, along a direction: a function."""
    both = jvp(grad(of))
    return Functional(lambda *fs: both.body(*fs).du, both.types, None, f"hvp({of.name})", both.names)


def vjp(of: Functional) -> Functional:
    """The value, and the map from a cotangent of it to those of the parameters."""

    def body(*fs: Any) -> Vjp:
        ys, out = of.composed(fs)
        back = _pullback(out, ys)

        def grad(ct: Any) -> Any:
            found = [evaluated(f) for f in back(as_function(ct, type_of(out)))]
            return found[0] if len(found) == 1 else tuple(found)

        return Vjp(out, edge(grad))

    return Functional(body, of.types, None, f"vjp({of.name})", of.names)


def linear_transpose(of: Functional) -> Functional:
    """The transpose of a linear functional: from a cotangent of its result, of its type, to those of its parameters."""

    xs = [Variable(None, t, f"x{k}") for k, t in enumerate(of.types)]
    ys, out = of.composed(xs)

    def body(ct: AnyFn) -> Any:
        found = pulled(out, ys, ct)
        if any([variables(f) & {*xs, *ys} for f in found]):
            hint = "use rose.vjp, which linearises it first"
            raise NotLinear(f"{of.name} is not linear, and has no transpose", here(), hint)
        return found[0] if len(found) == 1 else tuple(found)

    return Functional(body, [type_of(out)], None, f"linear_transpose({of.name})", ["ct"])


TRANSFORMS: dict[str, Callable[..., Functional]] = {
    f.__name__: f for f in (grad, value_and_grad, jvp, vjp, hvp, linear_transpose)
}
