"""Derivatives of functions, as functions: each is a few lines over `forward` and `transpose`.

All of them can be applied inside a trace and outside, to each other, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import ir
from ..autodiff.cotangents import Cotangent
from ..autodiff.erase_tangents import as_linear, untype
from ..autodiff.transpose import transpose
from ..errors import NotDifferentiable, TypeMismatch, edge, here
from ..frontend.annotations import dual, to_value
from ..frontend.any_size import of_any_size
from ..frontend.duals import join_dual, split_dual
from ..frontend.function import Fn, make
from ..frontend.operators import host_index, view
from ..ir import Builder, Value, types
from ..ir.ops import ieq, select
from ..ir.sizes import at_most, current
from ..ir.types import Real, Tuple, Type, Unit, linear_part, map_leaves, tangent, tuple_of, untyped
from .arguments import Argnums, checked, positions, real_result
from .flatten import Path, build, count
from .linear_map import Halved, as_cotangent, filled
from .sparse.compression import sparse_hessian, sparse_jacobian
from .straight_line import sparse_columns

AnyFn = Fn[..., Any]


# forward


@of_any_size
def jvp(f: AnyFn) -> AnyFn:
    """The derivative in forward mode: from one `Dual[T]` for each parameter to a `Dual` of the result.

    `jvp(f)(Dual(x, dx))` is `Dual(f(x), f'(x) dx)`.
    """
    f = checked(f, "jvp")
    types = [untyped(t) for t in f.types]

    def body(*duals: Any) -> Any:
        b = ir.current_builder()
        whole = Halved(f, [k for k, t in enumerate(types) if t.real])
        func, d = whole.func()
        pairs = [split_dual(x, t, tangent, (n,)) for x, t, n in zip(duals, types, f.names, strict=True)]
        captured = [b.reach(v) for v in f.captured]
        xs = [*[re for re, _ in pairs], *captured]
        if d is None:
            y, dy = b.call(func, xs), b.zero(tangent(func.result))
        else:
            whole_pairs = [*pairs, *[[c, b.zero(tangent(c.type))] for c in captured]]
            moving = zip(whole_pairs, whole.mask, strict=True)
            both = b.call(d, [z for (re, du), m in moving for z in ((re, du) if m else (re,))])
            y, dy = b.get(both, 0), b.get(both, 1)
        return join_dual(y, dy)

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
        d = Halved(g, (k,))
        values = d.values(xs)
        b = ir.current_builder()
        dv = as_cotangent(b, to_value(v, d.types[k], ("v",)))
        return view(filled(b, d.forward(values, {k: dv})[1], values[k]))

    return make(body, [*g.types, g.types[k]], g.result, f"hvp({f.name})", [*f.names, _fresh("v", f.names)])


def _fresh(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += "_"
    return name


@of_any_size
def linearize(f: AnyFn) -> Callable[..., tuple[Any, Callable[..., Any]]]:
    """`y, f_lin = linearize(f)(*xs)`: the value, and the derivative there as a linear function of tangents.

    `f` is evaluated once. `f_lin` takes a tangent for each parameter that can have one, of that
    parameter's type, and gives a tangent of the result.
    """
    f = checked(f, "linearize")
    lin = Halved(f, [k for k, t in enumerate(f.types) if untyped(t).real])
    outside: list[tuple[AnyFn, AnyFn]] = []  # for calls outside of a trace: compiled once

    @edge
    def at(*args: Any, **kwargs: Any) -> tuple[Any, Callable[..., Any]]:
        given = f.bind(args, kwargs)
        if ir.is_tracing():
            xs = lin.values(given)
            y, tape = lin.start(xs)
            return view(y), edge(lambda *dxs: view(lin.along(xs, y, tape, dxs)))
        if not outside:
            outside.append((_start(f, lin), _along(f, lin)))
        start, along = outside[0]
        y, tape = start(*given)

        @edge
        def f_lin(*dxs: Any) -> Any:
            lin.check_tangents(dxs)
            return along(*given, y, tape, *dxs)

        return y, f_lin

    return at


def _along(f: AnyFn, lin: Halved) -> AnyFn:
    """The linear half as a function of its own."""
    n = len(f.types)

    def body(*args: Any) -> Any:
        xs, y, tape, dxs = lin.values(args[:n]), args[n], args[n + 1], args[n + 2 :]
        return view(lin.along(xs, to_value(y, lin.result), _resumed(lin, xs, tape), dxs))

    tangents = [_fresh(f"d{f.names[k]}", f.names) for k in lin.active]
    names = [*f.names, _fresh("y", f.names), _fresh("tape", f.names), *tangents]
    inputs = [*lin.types, lin.result, _kept(lin), *[lin.types[k] for k in lin.active]]
    return make(body, inputs, lin.result, f"{f.name}.lin", names)


@of_any_size
def linear_transpose(f: AnyFn) -> AnyFn:
    """The transpose of a linear function: from a cotangent of its result to those of its parameters.

    Parameters that are no Reals stay, and come first. It is an error if `f` is not linear.
    """
    f = checked(f, "linear_transpose")
    types_ = [untyped(t) for t in f.types]
    result = untyped(f.result)
    active = [k for k, t in enumerate(types_) if t.real]
    kept = [k for k, t in enumerate(types_) if not t.real]
    if not active or not result.real:
        hint = "it needs a parameter and a result of Reals"
        raise NotDifferentiable(f"{f.name} is no linear function: there is nothing to transpose", here(), hint)

    def body(*args: Any) -> Any:
        b, func = ir.current_builder(), untype(f.func)
        halves = transpose(as_linear(func, [*[t.real for t in types_], *[False for _ in f.captured]]))
        given = {k: to_value(x, types_[k], (f.names[k],)) for k, x in zip(kept, args, strict=False)}
        given.update(enumerate([b.reach(v) for v in f.captured], len(types_)))
        ct = as_cotangent(b, to_value(args[-1], result, ("the cotangent",)))
        both = b.call(halves.fwd, [x for x in given.values() if not x.type.empty])
        totals = {k: Cotangent(linear_part(tangent(types_[k]))) for k in active}
        leaves = [leaf for total in totals.values() for leaf in total.leaves()]
        refs = [leaf.open(b) for leaf in leaves if leaf.type is not Real]
        out = b.call(halves.bwd, [*refs, *[given[k] for k in halves.saved], ct, b.get(both, 1)])
        for k, leaf in enumerate([leaf for leaf in leaves if leaf.type is Real]):
            leaf.add(b, b.get(out, k))
        grads = [view(filled(b, totals[k].close(b), b.zero(types_[k]))) for k in active]
        return grads[0] if len(grads) == 1 else tuple(grads)

    inputs = [*[types_[k] for k in kept], result]
    names = [*[f.names[k] for k in kept], _fresh("ct", f.names)]
    outs = [types_[k] for k in active]
    return make(body, inputs, outs[0] if len(outs) == 1 else tuple_of(*outs), f"transpose({f.name})", names)


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


@of_any_size
def vjp(f: AnyFn) -> Callable[..., Vjp]:
    """The derivative in reverse mode: `vjp(f)(*xs)` has the value, and the map from its cotangent to theirs."""
    f = checked(f, "vjp")
    lin = Halved(f, [k for k, t in enumerate(f.types) if untyped(t).real])
    outside: list[tuple[AnyFn, AnyFn]] = []  # for calls outside of a trace: compiled once

    @edge
    def at(*args: Any, **kwargs: Any) -> Vjp:
        given = f.bind(args, kwargs)
        if ir.is_tracing():
            xs = lin.values(given)
            y, tape = lin.start(xs)
            return _vjp(view(y), lambda ct: _each(f, lin, lin.back(xs, tape, _given(ct, lin))))
        if not outside:
            outside.append((_start(f, lin), _back(f, lin)))
        start, back = outside[0]
        y, tape = start(*given)
        return _vjp(y, lambda ct: back(*given, tape, ct))

    return at


def _vjp(y: Any, back: Callable[[Any], Any]) -> Vjp:
    @edge
    def grad(ct: Any) -> Any:
        return back(ct)

    return Vjp(y, grad)


def _given(ct: Any, lin: Halved) -> Value:
    if not lin.result.real:
        return to_value(None, types.Unit) if ct is None else to_value(ct, lin.result, ("the cotangent",))
    return to_value(ct, lin.result, ("the cotangent",))


def _each(f: AnyFn, lin: Halved, grads: Sequence[Value]) -> Any:
    """The gradients as a user sees them."""
    there = dict(zip(lin.active, map(view, grads), strict=True))
    whole = tuple([there.get(k) for k in range(len(f.types))])
    return whole[0] if len(whole) == 1 else whole


def _start(f: AnyFn, lin: Halved) -> AnyFn:
    """The forward half as a function of its own: it gives the value and the tape, if that can leave the module."""
    kept = _kept(lin)

    def body(*xs: Any) -> Any:
        y, tape = lin.start(lin.values(xs))
        return ir.current_builder().tuple([y, tape if kept is not Unit else ir.current_builder().unit()])

    return make(body, lin.types, tuple_of(lin.result, kept), f"{f.name}.fwd", f.names)


def _kept(lin: Halved) -> Type:
    """The type of the tape, outside of a module. A stack does not leave it: then there is none."""
    tape = lin.tape()
    return Unit if tape.stacked else tape


def _resumed(lin: Halved, xs: Sequence[Value], tape: Any) -> Value:
    """The tape: as it was kept, or made once more."""
    kept = _kept(lin)
    return lin.start(xs)[1] if kept is Unit else to_value(tape, kept)


def _back(f: AnyFn, lin: Halved) -> AnyFn:
    """The backward half as a function of its own."""

    def body(*args: Any) -> Any:
        *given, tape, ct = args
        xs = lin.values(given)
        return _each(f, lin, lin.back(xs, _resumed(lin, xs, tape), _given(ct, lin)))

    names = [*f.names, _fresh("tape", f.names), _fresh("ct", f.names)]
    return make(body, [*lin.types, _kept(lin), lin.result], _gradients(lin), f"{f.name}.bwd", names)


@of_any_size
def pullback(f: AnyFn) -> AnyFn:
    """`vjp` as one function: from the arguments and a cotangent to the value and the gradients."""
    f = checked(f, "vjp")
    lin = Halved(f, [k for k, t in enumerate(f.types) if untyped(t).real])

    def body(*args: Any) -> Any:
        *given, ct = args
        xs = lin.values(given)
        y, tape = lin.start(xs)
        return view(y), _each(f, lin, lin.back(xs, tape, _given(ct, lin)))

    names = [*f.names, _fresh("ct", f.names)]
    return make(body, [*lin.types, lin.result], tuple_of(lin.result, _gradients(lin)), f"vjp({f.name})", names)


def _gradients(lin: Halved) -> Type:
    """The type of the gradients in all parameters, as `Vjp.grad` gives them."""
    grads = tuple([t if k in lin.active else types.Unit for k, t in enumerate(lin.types)])
    return grads[0] if len(grads) == 1 else Tuple(grads, None)


@of_any_size
def grad(f: AnyFn, argnums: Argnums = 0) -> AnyFn:
    """The gradient of a function to a number, in its first parameter, or in those of `argnums`."""
    return _gradient(f, argnums, "grad")


@of_any_size
def value_and_grad(f: AnyFn, argnums: Argnums = 0) -> AnyFn:
    """The value of a function to a number, and its gradient: `(value, gradient)`."""
    return _gradient(f, argnums, "value_and_grad")


def _gradient(f: AnyFn, argnums: Argnums, what: str) -> AnyFn:
    f = checked(f, what)
    active = positions(f, argnums, what)
    if untyped(f.result) is not Real:
        raise NotDifferentiable(
            f"rose.{what} takes a function to a Real, and {f.name} gives a {f.result!r}",
            here(),
            "rose.jacobian and rose.vjp differentiate functions to any type",
        )
    lin = Halved(f, active)

    def body(*args: Any) -> Any:
        b = ir.current_builder()
        xs = lin.values(args)
        y, tape = lin.start(xs)
        grads = lin.back(xs, tape, b.const(1.0, Real))
        g = grads[0] if host_index(argnums) is not None else b.tuple(grads)
        return b.tuple([y, g]) if what == "value_and_grad" else g

    g = lin.types[active[0]] if host_index(argnums) is not None else tuple_of(*[lin.types[k] for k in active])
    result = tuple_of(Real, g) if what == "value_and_grad" else g
    return make(body, lin.types, result, f"{what}({f.name})", f.names)


# matrices


def _matrix(rows: Type, columns: Type) -> Type:
    """`rows` with a `columns` in the place of each Real."""
    return map_leaves(rows, lambda s: columns if s is Real else types.Unit)


def _read(b: Builder, x: Value, path: Path) -> Value:
    for k in path:
        x = b.index(x, k) if isinstance(k, Value) else b.get(x, k)
    return x


def _unit_vector(b: Builder, t: Type, path: Path) -> Value:
    """The value of type `t` that is 1 at `path`, and 0 elsewhere. A short vector of numbers needs no memory."""
    if isinstance(t, types.Vec) and t.elem is Real and at_most(t.size, 8):
        same = [ieq(path[0], b.const(k, types.Fin(k + 1))) for k in range(t.size)]
        return b.pack([select(c, b.const(1.0, Real), b.const(0.0, Real)) for c in same], t)
    ref = whole = b.accum(b.zero(t))
    for k in path:
        ref = b.at(ref, k)
    b.add_to(ref, b.const(1.0, Real))
    return b.freeze(whole)


@of_any_size
def jacrev(f: AnyFn, argnums: Argnums = 0) -> AnyFn:
    """The Jacobian in reverse mode: one backward pass for each number of the result."""
    return _jacobian(f, argnums, "jacrev")


@of_any_size
def jacfwd(f: AnyFn, argnums: Argnums = 0) -> AnyFn:
    """The Jacobian in forward mode: one forward pass for each number of the parameter."""
    return _jacobian(f, argnums, "jacfwd")


@of_any_size
def jacobian(f: AnyFn, argnums: Argnums = 0, *, sparse: bool = False) -> AnyFn:
    """The Jacobian, by the mode that takes fewer passes: the type of the result, with the parameter's for each Real.

    Of a function from `Vec[m]` to `Vec[n]` it is a `Vec[n, Vec[m]]`: one row for each number of the result. With
    several `argnums`, a tuple with one for each stands in the place of each leaf of the result. What is known to be
    zero is 0 and has no code, as in `hessian`.

    With `sparse=True` it is a matrix of SciPy's, a `csr_array`, with the entries of `rose.sparsity(f, argnums)`: a row
    for each number of the result, a column for each of the parameters, one after another. In an `@fn` function, and
    in JavaScript, it has `rows`, `cols`, `values` and `shape`.
    """
    if sparse:
        return sparse_jacobian(checked(f, "jacobian"), argnums, f"jacobian({f.name})")
    return _jacobian(f, argnums, "jacobian")


@of_any_size
def hessian(f: AnyFn, argnums: Argnums = 0, *, sparse: bool = False) -> AnyFn:
    """The second derivatives of a function to a number: those of its gradient, which is evaluated once, forwards.

    In a vector of at most 16 numbers, of a function that is short and not of any size, what is known to be zero is 0
    and has no code. With `sparse=True` it is a sparse matrix, as in `jacobian`; and exactly symmetric, unless a user's
    derivative rule is in it.
    """
    g = _gradient(f, argnums, "hessian")
    if sparse:
        return sparse_hessian(f, g, argnums, f"hessian({f.name})")
    return _jacobian(g, argnums, "hessian", f"hessian({f.name})")


def _jacobian(f: AnyFn, argnums: Argnums, what: str, name: str | None = None) -> AnyFn:
    f = checked(f, what)
    active = positions(f, argnums, what)
    result = real_result(f, what)

    def one(k: int, xs: Sequence[Value], lin: Halved) -> Value:
        b, t = ir.current_builder(), linear_part(tangent(lin.types[k]))
        # a function of any size has derivatives of the same bits, whether its size is known or not
        short = sparse_columns(lin.func()[0], k) if what != "jacrev" and not current() else None
        if short is not None:
            return _of_columns(lin, k, xs, b.call(short, [*xs, b.const(1.0, Real)]))
        if what == "hessian":
            start = lin.start(xs)
            return _by_columns(lin, k, xs, lambda path: lin.along(xs, *start, [_unit_vector(b, lin.types[k], path)]))
        if what == "jacfwd" or (what == "jacobian" and at_most(count(lin.types[k]) + 1, count(result))):
            return _by_columns(lin, k, xs, lambda path: lin.forward(xs, {k: _unit_vector(b, t, path)})[1])
        return _by_rows(lin, xs)

    def body(*args: Any) -> Any:
        b = ir.current_builder()
        parts: list[Value] = []
        for k in active:
            lin = Halved(f, (k,))
            parts.append(one(k, lin.values(args), lin))
        return parts[0] if host_index(argnums) is not None else _by_leaf(b, result, parts)

    inputs = [untyped(t) for t in f.types]
    kinds = [_matrix(result, inputs[k]) for k in active]
    whole = kinds[0] if host_index(argnums) is not None else _leaf_type(result, kinds)
    return make(body, inputs, whole, name or f"{what}({f.name})", f.names)


def _by_leaf(b: Builder, t: Type, parts: Sequence[Value]) -> Value:
    """Jacobians in several parameters, as JAX has them: a tuple of them in the place of each leaf of the result."""
    if not isinstance(t, Tuple):
        return b.tuple(parts)
    items = [_by_leaf(b, x, [b.get(p, k) for p in parts]) for k, x in enumerate(t.items)]
    return b.tuple(items, Tuple(tuple([x.type for x in items]), t.form))


def _leaf_type(t: Type, parts: Sequence[Type]) -> Type:
    if not isinstance(t, Tuple):
        return tuple_of(*parts)
    columns = zip(*[p.items for p in parts if isinstance(p, Tuple)], strict=True)
    return Tuple(tuple([_leaf_type(x, c) for x, c in zip(t.items, columns, strict=True)]), t.form)


def _by_rows(lin: Halved, xs: Sequence[Value]) -> Value:
    b = ir.current_builder()
    _, tape = lin.start(xs)
    ct = linear_part(tangent(lin.result))
    return build(b, lin.result, lambda path: lin.back(xs, tape, _unit_vector(b, ct, path))[0])


def _by_columns(lin: Halved, k: int, xs: Sequence[Value], column: Callable[[Path], Value]) -> Value:
    return _of_columns(lin, k, xs, build(ir.current_builder(), linear_part(tangent(lin.types[k])), column))


def _of_columns(lin: Halved, k: int, xs: Sequence[Value], columns: Value) -> Value:
    b, t = ir.current_builder(), linear_part(tangent(lin.types[k]))
    inner: Callable[[Path], Value] = lambda out: filled(
        b, build(b, t, lambda path: _read(b, _read(b, columns, path), out)), xs[k]
    )
    return build(b, lin.result, inner)
