"""Derivatives of functions, as functions: each is a few lines over `LinearMap`.

All of them can be applied inside a trace and outside, to each other, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import ir
from ..autodiff.cotangents import Cotangent
from ..autodiff.erase_tangents import untype
from ..autodiff.half_signature import Arguments
from ..autodiff.prove_linear import as_linear
from ..autodiff.transpose import transpose
from ..errors import NotDifferentiable, TypeMismatch, edge, here
from ..frontend.annotations import dual
from ..frontend.any_size import of_any_size
from ..frontend.duals import join_dual, split_dual
from ..frontend.function import AnyFn, Fn, P, checked, make
from ..frontend.operators import view
from ..frontend.signatures import fresh_name
from ..frontend.tracing import R
from ..frontend.values import infer, to_value
from ..ir import Func, Value, types
from ..ir.ops import stop_gradient
from ..ir.types import Complex, Real, Tuple, Type, Unit, linear_part, map_leaves, tangent, tuple_of, untyped
from ..ir.value import host_index
from .arguments import Argnums, check_holomorphic, positions
from .linear_map import LinearMap, as_cotangent, conjugated, filled

# forward


@of_any_size
def jvp(f: AnyFn) -> AnyFn:
    """The derivative in forward mode: from one `Dual[T]` for each parameter to a `Dual` of the result.

    `jvp(f)(Dual(x, dx))` is `Dual(f(x), f'(x) dx)`.
    """
    f = checked(f, "jvp")
    types = [untyped(t) for t in f.types]

    def body(*duals: Any) -> Any:
        lin = LinearMap(f)
        pairs = [split_dual(x, t, tangent, (n,)) for x, t, n in zip(duals, types, f.names, strict=True)]
        xs = [*[re for re, _ in pairs], *lin.captured()]
        return join_dual(*lin.jvp(xs, {k: du for k, (_, du) in enumerate(pairs)}, numbers=False))

    return make(body, [dual(t) for t in types], dual(untyped(f.result)), f"jvp({f.name})", f.names)


@of_any_size
def hvp(f: AnyFn, argnums: int = 0) -> AnyFn:
    """The Hessian times a vector: `hvp(f)(*xs, v)`, by forward mode over the gradient, without the Hessian."""
    if isinstance(argnums, (list, tuple)):
        raise TypeMismatch(f"rose.hvp takes one parameter, not {ir.shown(argnums)}", here(), "give argnums an integer")
    (k,) = positions(checked(f, "hvp"), argnums, "hvp")
    g = grad(f, k)

    def body(*args: Any) -> Any:
        *xs, v = args
        lin = LinearMap(g, (k,))
        values = lin.arguments(xs)
        b = ir.current_builder()
        dv = as_cotangent(b, to_value(v, lin.types[k], ("v",)))
        return view(filled(b, lin.jvp(values, {k: dv})[1], values[k]))

    return make(body, [*g.types, g.types[k]], g.result, f"hvp({f.name})", [*f.names, fresh_name("v", f.names)])


@of_any_size
def linearize(f: Fn[P, R]) -> Callable[P, tuple[R, Callable[..., R]]]:
    """`y, f_lin = linearize(f)(*xs)`: the value, and the derivative there as a linear function of tangents.

    `f` is evaluated once. `f_lin` takes a tangent for each parameter that can have one, of that
    parameter's type, and gives a tangent of the result.
    """
    f = checked(f, "linearize")
    lin = LinearMap(f)
    outside: list[tuple[AnyFn, AnyFn]] = []  # for calls outside of a trace: compiled once

    @edge
    def at(*args: Any, **kwargs: Any) -> tuple[Any, Callable[..., Any]]:
        given = f.bind(args, kwargs)
        if ir.is_tracing():
            xs = lin.arguments(given)
            y, tape = lin.primal(xs)
            return view(y), Pushforward(f, lambda *dxs: view(lin.pushforward(xs, y, tape, dxs)))
        if not outside:
            outside.append((_primal(f, lin), _pushforward(f, lin)))
        primal, pushforward = outside[0]
        y, tape = primal(*given)

        def push(*dxs: Any) -> Any:
            lin.check_tangents(dxs)
            return pushforward(*given, y, tape, *dxs)

        return y, Pushforward(f, push)

    return at


class Pushforward:
    """The derivative of a function at a point: call it with tangents."""

    def __init__(self, f: AnyFn, push: Callable[..., Any]) -> None:
        self._f, self._push = f, push

    @edge
    def __call__(self, *tangents: Any) -> Any:
        return self._push(*tangents)

    def __repr__(self) -> str:
        return f"<the derivative of {self._f.name} at a point, a function of tangents>"


def _pushforward(f: AnyFn, lin: LinearMap) -> AnyFn:
    """The linear half as a function of its own."""
    n = len(f.types)

    def body(*args: Any) -> Any:
        xs, y, tape, dxs = lin.arguments(args[:n]), args[n], args[n + 1], args[n + 2 :]
        return view(lin.pushforward(xs, to_value(y, lin.result), _resumed(lin, xs, tape), dxs))

    tangents = [fresh_name(f"d{f.names[k]}", f.names) for k in lin.active]
    names = [*f.names, fresh_name("y", f.names), fresh_name("tape", f.names), *tangents]
    inputs = [*lin.types, lin.result, _tape_type(lin), *[lin.types[k] for k in lin.active]]
    return make(body, inputs, lin.result, f"{f.name}.lin", names)


@of_any_size
def linear_transpose(f: AnyFn) -> AnyFn:
    """The transpose of a linear function: from a cotangent of its result to those of its parameters.

    Parameters without Reals stay, and come first. It is an error if `f` is not linear.
    """
    f = checked(f, "linear_transpose")
    types_ = [untyped(t) for t in f.types]
    result = untyped(f.result)
    active = [k for k, t in enumerate(types_) if t.real]
    fixed = [k for k, t in enumerate(types_) if not t.real]
    for k in active:
        if not map_leaves(types_[k], lambda s: Unit if s is Real else s).empty:
            what = f"rose.linear_transpose: {f.names[k]} is a {f.types[k]!r}, which holds more than Reals"
            raise NotDifferentiable(what, here(), "move what is not a Real to a parameter of its own")
    if not active or not result.real:
        hint = "it needs a parameter and a result of Reals"
        raise NotDifferentiable(f"{f.name} is not a linear function: there is nothing to transpose", here(), hint)

    def body(*args: Any) -> Any:
        b, func = ir.current_builder(), untype(f.func)
        linear = as_linear(func, [*[t.real for t in types_], *[False for _ in f.captured]])
        given = {k: to_value(x, types_[k], (f.names[k],)) for k, x in zip(fixed, args, strict=False)}
        given.update(enumerate([b.reach(v) for v in f.captured], len(types_)))
        ct = as_cotangent(b, conjugated(to_value(args[-1], result, ("the cotangent",))))
        cts = pulled_back(linear, given, ct)
        grads = [view(conjugated(filled(b, x, b.zero(types_[k])))) for k, x in zip(active, cts, strict=True)]
        return grads[0] if len(grads) == 1 else tuple(grads)

    inputs = [*[types_[k] for k in fixed], result]
    names = [*[f.names[k] for k in fixed], fresh_name("ct", f.names)]
    outs = [types_[k] for k in active]
    return make(body, inputs, outs[0] if len(outs) == 1 else tuple_of(*outs), f"transpose({f.name})", names)


def pulled_back(f: Func, given: Mapping[int, Value], ct: Value) -> list[Value | None]:
    """The cotangents of the tangents that `f` takes, from that of its result, which is linear in them.

    `given` are the other arguments, by position. None of a parameter to which nothing contributes.
    """
    b, halves = ir.current_builder(), transpose(f)
    both = halves.signature.call_forward(b, halves.fwd, given)
    totals = {k: Cotangent(linear_part(f.params[k].type)) for k in halves.signature.linear}
    halves.signature.call_backward(b, halves.bwd, Arguments(totals, given, [ct], b.get(both, 1)))
    return [total.close(b) for total in totals.values()]


# reverse


class Vjp:
    """A function at a point: its value `ret`, and `grad(ct)`, which pulls a cotangent of it back.

    Unpacks as `y, pullback`. `grad` can be called many times; it gives the gradient in each parameter (of
    a function of one parameter, just that): None for one that has no derivative.
    """

    def __init__(self, ret: Any, grad: Callable[[Any], Any]) -> None:
        self.ret, self.grad = ret, grad

    def __iter__(self) -> Iterator[Any]:
        return iter((self.ret, self.grad))

    def __repr__(self) -> str:
        return f"<Vjp: the value ret={self.ret!r}, and grad(ct), which pulls a cotangent back>"


@of_any_size
def vjp(f: Fn[P, Any]) -> Callable[P, Vjp]:
    """The derivative in reverse mode: `vjp(f)(*xs)` has the value, and the map from its cotangent to theirs."""
    f = checked(f, "vjp")
    lin = LinearMap(f)
    outside: list[tuple[AnyFn, AnyFn]] = []  # for calls outside of a trace: compiled once

    @edge
    def at(*args: Any, **kwargs: Any) -> Vjp:
        given = f.bind(args, kwargs)
        if ir.is_tracing():
            xs = lin.arguments(given)
            y, pull = lin.at(xs)
            return _vjp(view(y), lambda ct: _each(f, lin, pull(_cotangent(ct, lin))))
        if not outside:
            outside.append((_primal(f, lin), _pullback(f, lin)))
        primal, pull = outside[0]
        y, tape = primal(*given)
        return _vjp(y, lambda ct: pull(*given, tape, ct))

    return at


def _vjp(y: Any, back: Callable[[Any], Any]) -> Vjp:
    @edge
    def grad(ct: Any) -> Any:
        return back(ct)

    return Vjp(y, grad)


def _cotangent(ct: Any, lin: LinearMap) -> Value:
    if not lin.result.real:
        return to_value(None, types.Unit) if ct is None else to_value(ct, lin.result, ("the cotangent",))
    return conjugated(to_value(ct, lin.result, ("the cotangent",)))


def _each(f: AnyFn, lin: LinearMap, grads: Sequence[Value]) -> Any:
    """The gradients as a user sees them."""
    there = dict(zip(lin.active, [view(conjugated(g)) for g in grads], strict=True))
    whole = tuple([there.get(k) for k in range(len(f.types))])
    return whole[0] if len(whole) == 1 else whole


def _primal(f: AnyFn, lin: LinearMap) -> AnyFn:
    """The forward half as a function of its own: it gives the value and the tape, if that can leave the module."""
    t = _tape_type(lin)

    def body(*xs: Any) -> Any:
        y, tape = lin.primal(lin.arguments(xs))
        return ir.current_builder().tuple([y, tape if t is not Unit else ir.current_builder().unit()])

    return make(body, lin.types, tuple_of(lin.result, t), f"{f.name}.fwd", f.names)


def _tape_type(lin: LinearMap) -> Type:
    """The type of the tape, outside of a module. A stack does not leave it: then there is none."""
    tape = lin.tape_type()
    return Unit if tape.stacked else tape


def _resumed(lin: LinearMap, xs: Sequence[Value], tape: Any) -> Value:
    """The tape: as it left the module, or made once more."""
    t = _tape_type(lin)
    return lin.primal(xs)[1] if t is Unit else to_value(tape, t)


def _pullback(f: AnyFn, lin: LinearMap) -> AnyFn:
    """The backward half as a function of its own."""

    def body(*args: Any) -> Any:
        *given, tape, ct = args
        xs = lin.arguments(given)
        return _each(f, lin, lin.pullback(xs, _resumed(lin, xs, tape), _cotangent(ct, lin)))

    names = [*f.names, fresh_name("tape", f.names), fresh_name("ct", f.names)]
    return make(body, [*lin.types, _tape_type(lin), lin.result], _gradients(lin), f"{f.name}.bwd", names)


@of_any_size
def pullback(f: AnyFn) -> AnyFn:
    """`vjp` as one function: from the arguments and a cotangent to the value and the gradients."""
    f = checked(f, "vjp")
    lin = LinearMap(f)

    def body(*args: Any) -> Any:
        *given, ct = args
        xs = lin.arguments(given)
        y, grads = lin.reverse(xs, _cotangent(ct, lin))
        return view(y), _each(f, lin, grads)

    names = [*f.names, fresh_name("ct", f.names)]
    return make(body, [*lin.types, lin.result], tuple_of(lin.result, _gradients(lin)), f"vjp({f.name})", names)


def _gradients(lin: LinearMap) -> Type:
    """The type of the gradients in all parameters, as `Vjp.grad` gives them."""
    grads = tuple([t if k in lin.active else types.Unit for k, t in enumerate(lin.types)])
    return grads[0] if len(grads) == 1 else Tuple(grads, None)


@of_any_size
def grad(f: Fn[P, Any], argnums: Argnums = 0, *, has_aux: bool = False, holomorphic: bool = False) -> Fn[P, Any]:
    """The gradient of a function to a number, in its first parameter, or in those of `argnums`.

    With `has_aux=True` the function gives a pair, of which the first is the number; so does its gradient, and the
    second of both is the same.

    In a complex number it is `df/dx - 1j * df/dy`. With `holomorphic=True` it is the complex derivative of a function
    from complex numbers to one, which is taken to have one.
    """
    of = with_aux if _is_true(has_aux) else gradient
    return of(f, argnums, "grad", holomorphic=holomorphic)


@of_any_size
def value_and_grad(
    f: Fn[P, R], argnums: Argnums = 0, *, has_aux: bool = False, holomorphic: bool = False
) -> Fn[P, tuple[R, Any]]:  # fmt: skip
    """The value of a function to a number, and its gradient: `(value, gradient)`.

    With `has_aux=True` the function gives a pair, of which the first is the number: `((value, more), gradient)`.
    """
    of = with_aux if _is_true(has_aux) else gradient
    return of(f, argnums, "value_and_grad", holomorphic=holomorphic)


def _is_true(has_aux: Any) -> bool:
    if not isinstance(has_aux, bool):
        raise TypeMismatch(f"has_aux is True or False, not {ir.shown(has_aux)}", here(), "write has_aux=True")
    return has_aux


def with_aux(f: AnyFn, argnums: Argnums, what: str, *, holomorphic: bool = False) -> AnyFn:
    """`grad` or `value_and_grad` of the first of two results; the second has no derivative, and comes out beside it."""
    f = checked(f, what)
    if holomorphic:
        hint = "differentiate the first result alone, by rose.fn"
        raise TypeMismatch(f"rose.{what} takes has_aux or holomorphic, not both", here(), hint)
    pair = untyped(f.result)
    if not (isinstance(pair, Tuple) and len(pair.items) == 2 and pair.items[0] is Real):
        told = f"rose.{what} with has_aux=True takes a function to a pair of a Real and more"
        hint = "return the number to differentiate first: return loss, more"
        raise NotDifferentiable(f"{told}, and {f.name} gives a {f.result!r}", here(), hint)
    aux = pair.items[1]

    def body(*args: Any) -> Any:
        y, more = f.emit(args)
        return y, view(stop_gradient(infer(more)))

    whole = make(body, [untyped(t) for t in f.types], tuple_of(Real, aux), f.name, f.names)
    active = positions(f, argnums, what)
    lin = LinearMap(whole, active, constants=True)

    def derived(*args: Any) -> Any:
        b, xs = ir.current_builder(), lin.arguments(args)
        both, grads = lin.reverse(xs, b.tuple([b.const(1.0, Real), b.zero(aux)]))
        grads = [*map(conjugated, grads)]
        g = grads[0] if host_index(argnums) is not None else b.tuple(grads)
        return b.tuple([both, g] if what == "value_and_grad" else [g, b.get(both, 1)])

    g = lin.types[active[0]] if host_index(argnums) is not None else tuple_of(*[lin.types[k] for k in active])
    result = tuple_of(pair, g) if what == "value_and_grad" else tuple_of(g, aux)
    return make(derived, lin.types, result, f"{what}({f.name})", f.names)


def gradient(
    f: AnyFn, argnums: Argnums, what: str, *, in_halves: bool = False, holomorphic: bool = False
) -> AnyFn:  # fmt: skip
    """`grad` or `value_and_grad`; with `in_halves`, functions that are called stay calls, by their names."""
    f = checked(f, what)
    active = positions(f, argnums, what)
    if holomorphic:
        check_holomorphic(f, active, what)
        number = Complex
    elif untyped(f.result) is Complex:
        message = f"rose.{what} takes a function to a Real, and {f.name} gives a Complex"
        hint = "write holomorphic=True if it has a complex derivative, or take the .real, the .imag or the abs of it"
        raise NotDifferentiable(message, here(), hint)
    else:
        number = Real
    if untyped(f.result) is not number:
        raise NotDifferentiable(
            f"rose.{what} takes a function to a Real, and {f.name} gives a {f.result!r}",
            here(),
            "rose.jacobian and rose.vjp differentiate functions to any type",
        )
    lin = LinearMap(f, active)

    def body(*args: Any) -> Any:
        b = ir.current_builder()
        xs = lin.arguments(args)
        y, grads = lin.reverse(xs, to_value(1.0, number), in_halves=in_halves)
        grads = [*map(conjugated, grads)]
        g = grads[0] if host_index(argnums) is not None else b.tuple(grads)
        return b.tuple([y, g]) if what == "value_and_grad" else g

    g = lin.types[active[0]] if host_index(argnums) is not None else tuple_of(*[lin.types[k] for k in active])
    result = tuple_of(number, g) if what == "value_and_grad" else g
    return make(body, lin.types, result, f"{what}({f.name})", f.names)


# matrices
