"""Products of Jacobians with vectors, the Laplacian, and derivatives together with the value: as Owl names them.

A twin `value_and_X` gives the pair of the value, and of what `X` gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ir
from ..autodiff.jvp import interleaved
from ..errors import NotDifferentiable, TypeMismatch, here
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, checked, make
from ..frontend.language import loops
from ..frontend.language.select import select
from ..frontend.operators import view
from ..frontend.signatures import fresh_name
from ..frontend.values import to_value
from ..ir import Value
from ..ir.types import Real, tuple_of, untyped
from ..taylor_mode.collapsed import collapsed
from .arguments import Argnums, positions, real_result
from .flatten import Flat, is_real
from .gradients import grad, hvp
from .jacobians import hessian, jacobian
from .linear_map import LinearMap, as_cotangent, conjugated, filled


@of_any_size
def jacobianv(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The Jacobian times a vector: `jacobianv(f)(*xs, v)`, in forward mode, without the Jacobian.

    `v` is of the type of the parameter, and the product of that of the result.
    """
    return _along(f, argnums, "jacobianv", False)


@of_any_size
def value_and_jacobianv(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The pair of the value, and of the Jacobian times a vector; `f` is evaluated once."""
    return _along(f, argnums, "value_and_jacobianv", True)


@of_any_size
def jacobianTv(f: AnyFn, argnums: int = 0) -> AnyFn:  # Owl's name
    """The transposed Jacobian times a vector: `jacobianTv(f)(*xs, v)`, in reverse mode, without the Jacobian.

    `v` is of the type of the result, and the product of that of the parameter.
    """
    return _back(f, argnums, "jacobianTv", False)


@of_any_size
def value_and_jacobianTv(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The pair of the value, and of the transposed Jacobian times a vector; `f` is evaluated once."""
    return _back(f, argnums, "value_and_jacobianTv", True)


hessianv = hvp


@of_any_size
def laplacian(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The trace of the Hessian of a function to a number: the sum of its second derivatives, without the Hessian.

    In one sweep of collapsed Taylor mode: it carries `n + 2` numbers for each of a function of `n`.
    """
    f, k = _one(f, argnums, "laplacian")
    if untyped(f.result) is not Real or not is_real(untyped(f.types[k])):
        what = (
            f"rose.laplacian takes a function of Reals to a Real, and {f.name} goes from {f.types[k]!r} to {f.result!r}"
        )
        raise NotDifferentiable(what, here(), "return one number; choose the parameter with argnums")
    flat = Flat(untyped(f.types[k]))

    def of_vector(v: Any, *xs: Any) -> Any:
        return f(*xs[:k], flat.value(v), *xs[k:])

    def body(*xs: Any) -> Any:
        others = [t for j, t in enumerate(f.types) if j != k]
        names = [n for j, n in enumerate(f.names) if j != k]
        lin = LinearMap(make(of_vector, [flat.vec, *others], Real, f.name, [f.names[k], *names]), (0,))
        given = lin.arguments([flat.vector(xs[k]), *xs[:k], *xs[k + 1 :]])
        d = collapsed(lin.primal_func, flat.size, lin.mask, here())
        if d.flat:
            return 0.0
        b = ir.current_builder()

        def direction(j: Value) -> Value:
            unit = loops.vec(select(i == j, 1.0, 0.0) for i in loops.range(flat.size))
            return b.tuple([to_value(unit, flat.vec), b.const(0.0, Real)])

        directions = b.vec(flat.size, direction)
        pair = b.get(b.call(d.func, interleaved(given, [directions], lin.mask)), 1)
        return 2.0 * view(b.get(pair, 1))

    return make(body, f.types, Real, f"laplacian({f.name})", f.names)


@of_any_size
def bilaplacian(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The Laplacian of the Laplacian of a function to a number."""
    return laplacian(laplacian(f, argnums), argnums)


@of_any_size
def gradhessian(f: AnyFn, argnums: Argnums = 0) -> AnyFn:
    """The pair of the gradient and the Hessian of a function to a number."""
    g, h = grad(f, argnums), hessian(f, argnums)
    return make(lambda *xs: (g(*xs), h(*xs)), g.types, tuple_of(g.result, h.result), f"gradhessian({f.name})", g.names)


@of_any_size
def gradhessianv(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The pair of the gradient times a vector, a number, and of the Hessian times it: `gradhessianv(f)(*xs, v)`."""
    h, g = hvp(f, argnums), jacobianv(f, argnums)
    body: Callable[..., Any] = lambda *args: (g(*args), h(*args))
    return make(body, h.types, tuple_of(g.result, h.result), f"gradhessianv({f.name})", h.names)


def _with_value(name: str, derivative: Callable[..., AnyFn]) -> Callable[..., AnyFn]:
    """The twin of `derivative` that gives the value, too, under a name of this module."""

    def twin(f: AnyFn, argnums: Argnums = 0) -> AnyFn:
        d, of = derivative(f, argnums), checked(f, name)

        def body(*args: Any) -> Any:
            return of(*args[: len(of.types)]), d(*args)

        return make(body, d.types, tuple_of(untyped(of.result), d.result), f"{name}({of.name})", d.names)

    twin.__name__ = twin.__qualname__ = name
    twin.__doc__ = f"The pair of the value, and of what `{name.removeprefix('value_and_')}` gives."
    return of_any_size(twin)


value_and_jacobian = _with_value("value_and_jacobian", jacobian)
value_and_hessian = _with_value("value_and_hessian", hessian)
value_and_hessianv = _with_value("value_and_hessianv", hvp)
value_and_gradhessian = _with_value("value_and_gradhessian", gradhessian)
value_and_gradhessianv = _with_value("value_and_gradhessianv", gradhessianv)
value_and_laplacian = _with_value("value_and_laplacian", laplacian)


def _one(f: AnyFn, argnums: Any, what: str) -> tuple[AnyFn, int]:
    if isinstance(argnums, (list, tuple)):
        raise TypeMismatch(
            f"rose.{what} takes one parameter, not {ir.shown(argnums)}", here(), "give argnums an integer"
        )
    (k,) = positions(checked(f, what), argnums, what)
    real_result(f, what)
    return f, k


def _along(f: AnyFn, argnums: int, what: str, value: bool) -> AnyFn:
    f, k = _one(f, argnums, what)
    lin = LinearMap(f, (k,))

    def body(*args: Any) -> Any:
        b, (*xs, v) = ir.current_builder(), args
        dv = as_cotangent(b, to_value(v, lin.types[k], ("v",)))
        y, dy = lin.jvp(lin.arguments(xs), {k: dv})
        dy = filled(b, dy, y)
        return (view(y), view(dy)) if value else view(dy)

    result = tuple_of(lin.result, lin.result) if value else lin.result
    return make(body, [*lin.types, lin.types[k]], result, f"{what}({f.name})", [*f.names, fresh_name("v", f.names)])


def _back(f: AnyFn, argnums: int, what: str, value: bool) -> AnyFn:
    f, k = _one(f, argnums, what)
    lin = LinearMap(f, (k,))

    def body(*args: Any) -> Any:
        *given, v = args
        xs = lin.arguments(given)
        y, tape = lin.primal(xs)
        (g,) = map(conjugated, lin.pullback(xs, tape, conjugated(to_value(v, lin.result, ("v",)))))
        return (view(y), view(g)) if value else view(g)

    result = tuple_of(lin.result, lin.types[k]) if value else lin.types[k]
    return make(body, [*lin.types, lin.result], result, f"{what}({f.name})", [*f.names, fresh_name("v", f.names)])
