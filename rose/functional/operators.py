"""The table of operators on functions: the value, the tangent and the transpose of each.

The rules are those of Lin, *Automatic Functional Differentiation in JAX* (ICLR 2024), whose numbers stand beside them.
Two functions are paired by the integral of their product, so the transpose of an integral is a constant function. What
a boundary would add is left out: the result is the functional derivative, as in the equation of Euler and Lagrange.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeGuard, TypeVar

from ..differentiation.gradients import linear_transpose as transposed_at_once
from ..differentiation.jacobians import by_leaf, jacfwd, jacrev, leaf_type
from ..differentiation.linear_map import LinearMap, as_cotangent, filled
from ..errors import NotDifferentiable
from ..frontend.arrays.creation import itself
from ..frontend.function import AnyFn, make
from ..frontend.language.accumulators import accum
from ..frontend.language.loops import range as indices
from ..frontend.language.loops import sum as total
from ..frontend.language.loops import vec
from ..frontend.language.select import select, stop_gradient
from ..frontend.operators import view
from ..frontend.values import infer, to_value
from ..ir import Value, current_builder
from ..ir.ops import eq
from ..ir.types import Real, Tuple, Type, Vec, tuple_of
from .composites import Composite, Grids, MapType, Operator, Scope, grids_of, made, merged, type_of
from .functions_of_numbers import again, each_number, known, nothing, opposite, plus, product
from .grids import Grid
from .higher_orders import JETS, chain_of, orders_of, with_derivatives

T = TypeVar("T")


def zero(t: MapType) -> AnyFn:
    """The function of that type that is zero."""
    return broadcast_arg(nothing(t.result), t.args, (), (None,) * len(t.args))


# compose


def compose(f: AnyFn, gs: Sequence[AnyFn], inverse: AnyFn | None = None) -> Composite:
    """`x -> f(g1(x), g2(x), ...)`, of functions of the same arguments."""
    return made(COMPOSE, (f, *gs), type_of(gs[0]).args, type_of(f).result, inverse, merged(*map(grids_of, gs)))


def _compose_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Value:
    f, *gs = c.inputs
    inner = Scope(scope) if _stops(c) else scope
    return scope.at(f, [inner.at(g, xs) for g in gs])


def _stops(c: Composite) -> bool:
    """True if nothing is derived from its inputs: what they make besides is not for others, which may be."""
    return getattr(c.inputs[0], "applied", None) is stop_gradient


def _compose_alike(c: Composite) -> Sequence[AnyFn]:
    return () if _stops(c) else c.inputs[1:]


def _compose_jvp(c: Composite, tangents: Sequence[AnyFn | None]) -> AnyFn | None:
    """Rule 8 for f, rule 7 for each g."""
    (f, *gs), (df, *dgs) = c.inputs, tangents
    terms = [] if df is None else [compose(df, gs, c.params)]
    for k, dg in enumerate(dgs):
        if dg is not None and type_of(f).args[k].real and type_of(f).result.real:
            terms.append(compose(linearize(f, (k,)), [*gs, dg]))
    return add(terms) if terms else None


def _compose_transpose(c: Composite, k: int, ct: AnyFn) -> AnyFn:
    """Rule 10 for g; rule 9 for f, where the user gives the inverse of g."""
    f, *gs = c.inputs
    if k > 0:
        return compose(linear_transpose(f, (k - 1,)), [*gs[: k - 1], *gs[k:], ct])
    if c.params is None or len(gs) != 1:
        what = f"the derivative in {f.name}, read at {gs[0].name}(x), needs the inverse of {gs[0].name}"
        raise NotDifferentiable(what, c.loc, f"give it: F.compose({f.name}, {gs[0].name}, inverse=...)")
    back: AnyFn = c.params
    if type_of(back) != MapType(Real, (Real,)):
        what = f"the inverse of {gs[0].name} is a {type_of(back)!r}, and only one number can be changed for another"
        raise NotDifferentiable(what, c.loc, "give an inverse of one Real")
    stretch = compose(known(abs, (Real,), Real, "abs"), [nabla(back, 0)])
    return scaled(compose(ct, [back]), stretch)


def scaled(f: AnyFn, by: AnyFn) -> AnyFn:
    """`f` times a function to a Real."""
    t = type_of(f).result
    return compose(known(product, (t, Real), t, "scale"), [f, by])


COMPOSE = Operator("compose", _compose_at, _compose_jvp, _compose_transpose, _compose_alike)

# nabla


def nabla(f: AnyFn, k: int, method: str = "jacfwd") -> Composite:
    """The Jacobian of `f` in argument `k`: rule 11."""
    t = type_of(f)
    return made(NABLA, (f,), t.args, jacfwd(f, k).result, (k, method), grids_of(f))


def _way(c: Composite) -> tuple[int, str]:
    """The argument in which a Jacobian is taken, and its mode."""
    return c.params


def _nabla_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Value:
    (f,), (k, method) = c.inputs, _way(c)
    chain = chain_of(c)
    if len(chain) == 1:
        return (jacfwd(f, k) if method == "jacfwd" else jacrev(f, k)).emit(xs)
    b, orders, of = current_builder(), orders_of(chain), chain[-1]
    for k in orders[0]:  # among others a jet is the shorter one from one order less on
        of = with_derivatives(of, k, orders[0][k], JETS - (len(orders[0]) > 1))
    made = infer(of.emit(xs))
    for g, order in reversed([*zip(chain, orders, strict=True)]):
        y = made
        for k in reversed(orders[0]):
            y = b.get(y, order.get(k, 0))
        scope.learn(g, xs, y)
    return scope.at(c, xs)


def _nabla_transpose(c: Composite, _: int, ct: AnyFn) -> AnyFn:
    """Rule 12: minus the divergence."""
    k, method = _way(c)
    f = type_of(c.inputs[0])
    twice = nabla(ct, k, method)
    if f.args[k] is Real and twice.result is f.result:  # signs go outwards, so that derivatives stay nested
        return nabla(ct.inputs[1], k, method) if _is_negated(ct) else compose(_negative(f.result), [twice])
    return compose(_minus_divergence(twice.result, f.result, f.args[k]), [twice])


def _is_negated(f: AnyFn) -> TypeGuard[Composite]:
    return isinstance(f, Composite) and f.op is COMPOSE and f.inputs[0] is _negative(type_of(f).result)


def _negative(t: Type) -> AnyFn:
    return known(opposite, (t,), t, "minus")


@cache
def _minus_divergence(jacobian: Type, result: Type, of: Type) -> AnyFn:
    def body(j: Any) -> Any:
        return _divergence(j, result, of)

    made = make(body, [jacobian], result, "minus_divergence", ["jacobian"])
    return again(made, _minus_divergence, jacobian, result, of)


def _divergence(j: Any, result: Type, of: Type) -> Any:
    """Minus the sum of the slopes of each component along its own axis: a value of type `result`."""
    if isinstance(result, Vec):
        return vec(_divergence(j[i], result.elem, of) for i in indices(result.size))
    if isinstance(result, Tuple):
        b, v = current_builder(), infer(j)
        items = [to_value(_divergence(b.get(v, k), t, of), t) for k, t in enumerate(result.items)]
        return view(b.tuple(items, result))
    return -_trace(infer(j), of, [])


def _trace(row: Value, of: Type, path: list[Value | int]) -> Any:
    """The sum of the elements of a square array whose row and column are the same; `path` is the row so far."""
    if isinstance(of, Vec):
        return total(_trace(_at(row, i), of.elem, [*path, i]) for i in indices(of.size))
    if isinstance(of, Tuple):
        return sum([_trace(_at(row, k), t, [*path, k]) for k, t in enumerate(of.items) if t.real], 0.0)
    for i in path:
        row = _at(row, i)
    return row


def _at(x: Value, i: Value | int) -> Value:
    b = current_builder()
    if isinstance(x.type, Vec):
        return b.index(x, i)
    assert isinstance(i, int)
    return b.get(x, i)


NABLA = Operator(
    "nabla", _nabla_at, lambda c, ts: ts[0] and nabla(ts[0], *c.params), _nabla_transpose,
    others=lambda c: len(chain_of(c)) - 1,
)  # fmt: skip


def of_arguments(jacobians: Sequence[Composite], t: Type) -> Composite:
    """The Jacobian in several arguments, of a function to `t`: a tuple of them in the place of each leaf of it."""
    if not isinstance(t, Tuple):
        return zip_functions(jacobians)
    return compose(_by_leaf(t, tuple([j.result for j in jacobians])), jacobians)


@cache
def _by_leaf(t: Type, types: tuple[Type, ...]) -> AnyFn:
    def body(*js: Any) -> Any:
        return view(by_leaf(current_builder(), t, [infer(j) for j in js]))

    made = make(body, types, leaf_type(t, types), "by_leaf", [f"x{k}" for k in range(len(types))])
    return again(made, _by_leaf, t, types)


# linearize, linear_transpose


def linearize(f: AnyFn, ks: tuple[int, ...]) -> Composite:
    """`(x, ..., t, ...) -> J t`: the derivative of `f` in its arguments `ks`, along tangents, which come last."""
    t = type_of(f)
    return made(LINEARIZE, (f,), [*t.args, *[t.args[k] for k in ks]], t.result, ks, (*grids_of(f), *[None] * len(ks)))


def _linearize_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Value:
    (f,), ks = c.inputs, c.params
    b, n = current_builder(), len(f.types)
    lin = LinearMap(f, ks)
    given = lin.arguments(xs[:n])
    y, dy = lin.jvp(given, {k: as_cotangent(b, x) for k, x in zip(ks, xs[n:], strict=True)})
    scope.learn(f, xs[:n], y)
    return filled(b, dy, y)


def _linearize_transpose(c: Composite, _: int, ct: AnyFn) -> AnyFn:
    """Rule 14: minus the divergence of the integral of `t ct(x, t)` over the tangent `t`, which needs a grid."""
    (f,), (k, *more) = c.inputs, c.params
    n = len(f.types)
    grid = merged(c.grids[n:], grids_of(ct)[n:])[0]
    if grid is None or more or type_of(f).args[k] is not Real:
        what = f"the derivative in {f.name} of its linearisation is an integral over all tangents, of one argument"
        raise NotDifferentiable(what, c.loc, "give a grid for the tangent: F.linearize(f).on(None, grid)")
    types = type_of(ct).args
    return _nabla_transpose(nabla(f, k), 0, integrate(scaled(ct, argument(types, n)), n, grid))


LINEARIZE = Operator(
    "linearize", _linearize_at, lambda c, ts: ts[0] and linearize(ts[0], c.params), _linearize_transpose
)


def linear_transpose(f: AnyFn, ks: tuple[int, ...]) -> Composite:
    """`(x, ..., ct) -> t`: the transpose of `f`, which is linear in its arguments `ks`; a tuple of several."""
    if isinstance(f, Composite) and f.op is PARTIAL:  # a value may be bound after, and the inner one is linear too
        (g, value), j = f.inputs, _bound(f)
        inner = tuple([k + (k >= j) for k in ks])
        return partial(linear_transpose(g, inner), value, j - sum([k < j for k in inner]))
    t = type_of(f)
    rest = [k for k in range(len(t.args)) if k not in ks]
    result = t.args[ks[0]] if len(ks) == 1 else tuple_of(*[t.args[k] for k in ks])
    grids = (*[grids_of(f)[k] for k in rest], None)
    return made(TRANSPOSE, (f,), [*[t.args[k] for k in rest], t.result], result, ks, grids)


def _transpose_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Any:
    f, rest, ct = c.inputs[0], xs[:-1], xs[-1]
    ks: tuple[int, ...] = c.params
    if isinstance(f, Composite) and f.op is LINEARIZE and ks == tuple(range(len(rest), len(f.types))):
        lin = LinearMap(f.inputs[0], f.params)
        given = lin.arguments(rest)
        found = lin.pullback(given, lin.primal(given)[1], ct)
        return found[0] if len(ks) == 1 else current_builder().tuple(found)
    types = type_of(f).args

    def body(*ts: Any) -> Any:
        mixed = iter(rest)
        tangents = dict(zip(ks, ts, strict=True))
        return f.emit([tangents[k] if k in tangents else next(mixed) for k in range(len(types))])

    held = make(body, [types[k] for k in ks], type_of(f).result, f.name, [f.names[k] for k in ks])
    return transposed_at_once(held)(ct)


def _transpose_transpose(c: Composite, _: int, ct: AnyFn) -> AnyFn:
    """Rule 16, for a cotangent that is linear in its last argument, as those that arise are."""
    f, n = c.inputs[0], len(c.inputs[0].types)
    ks: tuple[int, ...] = c.params
    rest = [k for k in range(n) if k not in ks]
    back = linear_transpose(ct, (len(rest),))  # of the rest, and of the argument ks[0], or a tuple of all in ks
    if len(ks) > 1:
        each = [argument(type_of(f).args, k) for k in range(n)]
        return compose(back, [*[each[k] for k in rest], zip_functions([each[k] for k in ks])])
    return permute_args(back, tuple([rest.index(k) if k in rest else len(rest) for k in range(n)]), of_new=True)


TRANSPOSE = Operator(
    "linear_transpose", _transpose_at, lambda c, ts: ts[0] and linear_transpose(ts[0], c.params), _transpose_transpose
)

# integrate, broadcast_arg


def _without(xs: tuple[T, ...], k: int) -> tuple[T, ...]:
    return (*xs[:k], *xs[k + 1 :])


def integrate(f: AnyFn, k: int, grid: Grid) -> Composite:
    """The integral of `f` over its argument `k`: a sum over a grid, in the order of its nodes."""
    t = type_of(f)
    return made(INTEGRATE, (f,), _without(t.args, k), t.result, (k, grid), _without(grids_of(f), k))


def _integrate_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Any:
    (f,), (k, grid) = c.inputs, _kept(c)
    n, b, (nodes, weights) = grid.size, current_builder(), grid.values

    def term(i: Value) -> Any:
        inner = Scope(scope)
        y = inner.at(f, [*xs[:k], inner.node(grid, nodes, i), *xs[k:]])
        return product(y, weights[i])

    if c.result is Real:
        return total(term(i) for i in indices(n))
    out = accum(b.zero(c.result))
    for i in indices(n):
        out += term(i)
    return out.value


def _integrate_transpose(c: Composite, _: int, ct: AnyFn) -> AnyFn:
    """Rule 18: a function that is constant in the argument that was integrated."""
    (f,), (k, grid) = c.inputs, _kept(c)
    others, theirs = tuple([j for j in range(len(f.types)) if j != k]), grids_of(ct)
    return broadcast_arg(ct, type_of(f).args, others, merged((*theirs[:k], grid, *theirs[k:]), grids_of(f)))


def _kept(c: Composite) -> tuple[int, Grid]:
    """The argument of an integral, or of a delta, and its grid."""
    return c.params


INTEGRATE = Operator(
    "integrate",
    _integrate_at,
    lambda c, ts: ts[0] and integrate(ts[0], *c.params),
    _integrate_transpose,
    loops=True,
)


def broadcast_arg(f: AnyFn, args: Sequence[Type], at: tuple[int, ...], grids: Grids) -> Composite:
    """A function of `args` that gives `f` of those numbered `at`."""
    return made(BROADCAST, (f,), args, type_of(f).result, at, grids)


def _broadcast_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Value:
    at: tuple[int, ...] = c.params
    return scope.at(c.inputs[0], [xs[k] for k in at])


def _broadcast_transpose(c: Composite, _: int, ct: AnyFn) -> AnyFn:
    """Rule 20: the integral over the other arguments."""
    at, kept = c.params, list(range(len(c.types)))
    for k in reversed(kept.copy()):
        if k not in at:
            (grid,) = merged(grids_of(ct)[k : k + 1], c.grids[k : k + 1])
            if grid is None:
                what = f"the derivative is an integral over argument {k}, of type {c.types[k]!r}, which has no grid"
                raise NotDifferentiable(what, c.loc, "attach one to a function of it: f.on(grid)")
            ct = integrate(ct, k, grid)
            kept.remove(k)
    return permute_args(on(ct, [c.grids[k] for k in kept]), tuple([kept.index(k) for k in at]))


def on(f: AnyFn, grids: Sequence[Grid | None]) -> AnyFn:
    """`f` with these grids, where it has none."""
    mine = grids_of(f)
    both = merged(mine, tuple(grids))
    types = type_of(f).args
    return f if both == mine else broadcast_arg(f, types, tuple(range(len(types))), both)


BROADCAST = Operator(
    "broadcast_arg",
    _broadcast_at,
    lambda c, ts: ts[0] and broadcast_arg(ts[0], c.types, c.params, c.grids),
    _broadcast_transpose,
)


def argument(types: Sequence[Type], k: int) -> Composite:
    """The function of `types` that gives its argument `k`."""
    return broadcast_arg(known(itself, (types[k],), types[k], "identity"), tuple(types), (k,), (None,) * len(types))


# permute_args


def permute_args(f: AnyFn, perm: tuple[int, ...], *, of_new: bool = False) -> AnyFn:
    """A function whose argument k is argument perm[k] of `f`; with `of_new`, `f` takes those at `perm` of it."""
    if perm == tuple(range(len(perm))):
        return f
    if of_new:
        inverse = sorted(range(len(perm)), key=perm.__getitem__)
        return permute_args(f, tuple(inverse))
    return made(PERMUTE, (f,), [type_of(f).args[k] for k in perm], type_of(f).result, perm,
                tuple([grids_of(f)[k] for k in perm]))  # fmt: skip


def _permute_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Value:
    perm: tuple[int, ...] = c.params
    return scope.at(c.inputs[0], [xs[perm.index(k)] for k in range(len(perm))])


PERMUTE = Operator(
    "permute_args", _permute_at, lambda c, ts: ts[0] and permute_args(ts[0], c.params),
    lambda c, _, ct: permute_args(ct, c.params, of_new=True),
)  # fmt: skip

# zip_functions, split


def zip_functions(fs: Sequence[AnyFn]) -> Composite:
    """The function to a tuple of what `fs` give, of the same arguments."""
    return made(ZIP, fs, type_of(fs[0]).args, tuple_of(*[type_of(f).result for f in fs]), None, grids_of(fs[0]))


def _zip_jvp(c: Composite, tangents: Sequence[AnyFn | None]) -> AnyFn:
    return zip_functions([zero(type_of(f)) if t is None else t for f, t in zip(c.inputs, tangents, strict=True)])


ZIP = Operator(
    "zip_functions", lambda c, scope, xs: current_builder().tuple([scope.at(f, xs) for f in c.inputs]),
    _zip_jvp, lambda c, k, ct: split(ct, k), lambda c: c.inputs,
)  # fmt: skip


def split(f: AnyFn, k: int) -> Composite:
    """The function to component `k` of the tuple that `f` gives."""
    t = type_of(f)
    assert isinstance(t.result, Tuple)
    return made(SPLIT, (f,), t.args, t.result.items[k], k, grids_of(f))


def _split_transpose(c: Composite, _: int, ct: AnyFn) -> AnyFn:
    (f,) = c.inputs
    t = type_of(f).result
    assert isinstance(t, Tuple)
    zeros = [zero(MapType(s, type_of(f).args)) for s in t.items]
    return zip_functions([ct if k == c.params else part for k, part in enumerate(zeros)])


SPLIT = Operator(
    "split", lambda c, scope, xs: current_builder().get(scope.at(c.inputs[0], xs), c.params),
    lambda c, ts: ts[0] and split(ts[0], c.params), _split_transpose, lambda c: c.inputs,
)  # fmt: skip

# partial


def partial(f: AnyFn, value: AnyFn, k: int) -> Composite:
    """`f` with its argument `k` bound to `value`, a function of no arguments."""
    t = type_of(f)
    return made(PARTIAL, (f, value), _without(t.args, k), t.result, k, _without(grids_of(f), k))


def _bound(c: Composite) -> int:
    return c.params


def _partial_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Value:
    (f, value), k = c.inputs, _bound(c)
    return scope.at(f, [*xs[:k], scope.at(value, []), *xs[k:]])


def _partial_jvp(c: Composite, tangents: Sequence[AnyFn | None]) -> AnyFn | None:
    (f, value), k, (df, dv) = c.inputs, c.params, tangents
    terms = [] if df is None else [partial(df, value, k)]
    if dv is not None:
        slope = partial(linearize(f, (k,)), value, k)
        terms.append(partial(slope, dv, len(f.types) - 1))
    return add(terms) if terms else None


def _partial_transpose(c: Composite, at: int, ct: AnyFn) -> AnyFn:
    """For the value, an integral over the other arguments; for f, the discrete delta of a grid."""
    (f, value), k = c.inputs, _bound(c)
    if at == 1:
        types = type_of(ct).args
        back = linear_transpose(f, (k,))
        whole = compose(back, [*[argument(types, j) for j in range(len(c.types))], ct])
        return _broadcast_transpose(broadcast_arg(value, types, (), merged(grids_of(ct), c.grids)), 0, whole)
    grid = grids_of(f)[k]
    if grid is None:
        what = f"the derivative in {f.name}, read at one point, is Dirac's delta there, which is no function"
        raise NotDifferentiable(what, c.loc, f"give {f.name} a grid, for a discrete one: {f.name}.on(grid)")
    return made(DELTA, (ct, value), type_of(f).args, type_of(ct).result, (k, grid), grids_of(f))


PARTIAL = Operator("partial", _partial_at, _partial_jvp, _partial_transpose)


def _delta_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Any:
    """`ct` over the weight of the node that is the argument, if that node is the point; else 0."""
    (ct, point), (k, grid) = c.inputs, _kept(c)
    b, (nodes, weights), x, at = current_builder(), grid.values, xs[k], scope.at(point, [])
    y = scope.at(ct, [*xs[:k], *xs[k + 1 :]])

    def term(i: Value) -> Value:
        node = b.index(nodes, i)
        return select(_equal(node, x) & _equal(node, at), 1.0 / weights[i], 0.0)

    return product(y, total(term(i) for i in indices(grid.size)))


def _equal(x: Value, y: Value) -> Value:
    """True for equal numbers, and for points, arrays and structs of equal ones."""
    t, both = x.type, current_builder().lift(True)
    if t is Real:
        return eq(x, y)
    for k in range(t.size if isinstance(t, Vec) else len(t.items) if isinstance(t, Tuple) else 0):
        both = both & _equal(_at(x, k), _at(y, k))
    return both


def _delta_transpose(c: Composite, k: int, ct: AnyFn) -> AnyFn:
    if k == 0:
        (place,) = c.params
        return partial(ct, c.inputs[1], place)
    raise _jump(c)


def _jump(c: Composite) -> NotDifferentiable:
    return NotDifferentiable("a discrete delta has no derivative in its point", c.loc, "keep the point constant")


def _delta_jvp(c: Composite, tangents: Sequence[AnyFn | None]) -> AnyFn | None:
    if tangents[1] is not None:
        raise _jump(c)
    assert tangents[0] is not None
    return made(DELTA, (tangents[0], c.inputs[1]), c.types, c.result, c.params, c.grids)


DELTA = Operator("delta", _delta_at, _delta_jvp, _delta_transpose)

# add, constants


def add(fs: Sequence[AnyFn]) -> AnyFn:
    """The sum of functions of the same type."""
    if len(fs) == 1:
        return fs[0]
    return made(ADD, fs, type_of(fs[0]).args, type_of(fs[0]).result, None, merged(*map(grids_of, fs)))


def _add_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Any:
    first, *others = [scope.at(f, xs) for f in c.inputs]
    for y in others:
        first = each_number(plus, first, y)
    return first


def _add_jvp(c: Composite, tangents: Sequence[AnyFn | None]) -> AnyFn:
    return add([t for t in tangents if t is not None])


ADD = Operator("add", _add_at, _add_jvp, lambda c, k, ct: ct, lambda c: c.inputs)
