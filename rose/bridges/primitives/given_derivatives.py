"""Functions whose derivative JAX's program gives: by `custom_jvp`, `custom_vjp`, or as a solution of equations.

JAX itself says what the derivative is: `jax.jvp` and `jax.vjp` of the one equation are programs like any other. A rule
must be linear in the tangents, which is proven; the transpose that a `custom_vjp` gives is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...autodiff.erase_tangents import untype
from ...autodiff.prove_linear import as_linear, assume_linear
from ...differentiation.gradients import pulled_back
from ...differentiation.linear_map import LinearMap, filled
from ...errors import Loc, NotLinear
from ...frontend.duals import split_dual, view_dual
from ...frontend.function import AnyFn, make
from ...frontend.language.debugging import assert_
from ...frontend.operators import view
from ...frontend.values import to_value
from ...ir import Func, Value, current_builder
from ...ir.callgraph import make_linear
from ...ir.types import Tuple, Type, is_complex, tangent, tuple_of
from ..equations import Aval, Equation, rule
from ..jax_api import core, enable_x64, jax
from ..operands import Known, Operand
from .control import closed, typed


class _Given:
    """An equation whose derivative is given, with what of its operands is not known."""

    def __init__(self, e: Equation, xs: Sequence[Operand]) -> None:
        self.e, self.xs = e, xs
        self.given = [k for k, x in enumerate(xs) if x.__class__ is not Known]
        self.moving = [k for k in self.given if e.ins[k].dtype.kind in "fc"]
        self.fixed = [k for k in range(len(xs)) if k not in self.moving]
        self.order = [*[k for k in self.fixed if k in self.given], *self.moving]
        self.types = [e.ins[k].type for k in self.given]
        self.outs = [a for a in e.outs if a.dtype.kind in "fc"]  # which have a tangent

    def operands(self, values: Sequence[Any], order: Sequence[int]) -> list[Operand]:
        """All operands: these values, and what is known."""
        xs = list(self.xs)
        for k, v in zip(order, values, strict=True):
            xs[k] = v
        return xs


def _bundle_type(avals: Sequence[Aval]) -> Type:
    """The type of several values as one: of one, its own."""
    return avals[0].type if len(avals) == 1 else tuple_of(*[a.type for a in avals])


def _bundle(values: Sequence[Value]) -> Value:
    return values[0] if len(values) == 1 else current_builder().tuple(list(values))


def _items(x: Any, count: int) -> list[Any]:
    """The values of a bundle, in any form."""
    if count == 1:
        return [x]
    b = current_builder()
    return [view(b.get(x, k)) if isinstance(x, Value) else x[k] for k in range(count)]


@rule("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", raw=True)
def _custom(e: Equation, *xs: Operand) -> list[Operand]:
    inner = closed(e, "call_jaxpr", "fun_jaxpr")
    g = _Given(e, xs)
    if not g.moving:
        return e.program.run(inner, xs)

    def body(*values: Value) -> Any:
        made = e.program.run(inner, g.operands(values, g.given))
        return _bundle([typed(x, a) for x, a in zip(made, e.outs, strict=True)])

    f = make(body, g.types, _bundle_type(e.outs), _name(inner), [f"x{k}" for k in g.given])
    f.differentiate_later(lambda: _given_rule(g, f))
    return _items(f(*[typed(xs[k], e.ins[k]) for k in g.given]), len(e.outs))


def _given_rule(g: _Given, f: AnyFn) -> Callable[..., Any]:
    """The derivative rule that the program gives, which JAX traces now."""
    try:
        with enable_x64(g.e.program.wide):
            return _by_vjp(g, f, _gradients(g)) if "vjp" in g.e.name else _by_jvp(g, f, _tangents(g))
    except jax.errors.JAXTypeError as error:
        raise g.e.refused(f"JAX cannot differentiate it: {error}", "mend its derivative") from None


def _name(inner: Any) -> str:
    """The name of the function that a jaxpr was made of."""
    name = str(getattr(getattr(inner.jaxpr, "debug_info", None), "func_name", "custom"))
    return name.rpartition(".")[2].strip("<>") or "custom"


def _example(a: Any) -> Any:
    return jax.ShapeDtypeStruct(a.shape, a.dtype)


def _merged(g: _Given, values: Sequence[Any], moving: Sequence[Any]) -> list[Any]:
    """All operands of the equation in JAX, of those that have a tangent and of the others."""
    args: list[Any] = [None] * len(g.xs)
    for k, v in (*zip(g.fixed, values, strict=True), *zip(g.moving, moving, strict=True)):
        args[k] = v
    return args


def _with_tangents(g: _Given, outs: Sequence[Any]) -> list[Any]:
    return [y for y, a in zip(outs, g.e.outs, strict=True) if a.dtype.kind in "fc"]


def _tangents(g: _Given) -> Any:
    """The jaxpr from operands and tangents to the tangents of the results."""
    one, avals = core.jaxpr_as_fun(g.e.alone()), [_example(v.aval) for v in g.e.variables]
    moving = [avals[k] for k in g.moving]

    def tangents(values: list[Any], moving: list[Any], along: list[Any]) -> Any:
        of_moving: Callable[..., Any] = lambda *ms: one(*_merged(g, values, ms))
        return _with_tangents(g, jax.jvp(of_moving, tuple(moving), tuple(along))[1])

    return jax.make_jaxpr(tangents)([avals[k] for k in g.fixed], moving, moving)


def _gradients(g: _Given) -> Any:
    """The jaxpr from cotangents of the results and the operands to the cotangents of these."""
    one, avals = core.jaxpr_as_fun(g.e.alone()), [_example(v.aval) for v in g.e.variables]

    def gradients(cts: list[Any], values: list[Any], moving: list[Any]) -> Any:
        of_moving: Callable[..., Any] = lambda *ms: _with_tangents(g, one(*_merged(g, values, ms)))
        return list(jax.vjp(of_moving, *moving)[1](list(cts)))

    cts = [_example(a) for a in g.outs]
    return jax.make_jaxpr(gradients)(cts, [avals[k] for k in g.fixed], [avals[k] for k in g.moving])


def _by_jvp(g: _Given, f: AnyFn, jaxpr: Any) -> Callable[..., Any]:
    """The derivative rule of a `custom_jvp`."""
    e, count = g.e, len(g.order)

    def body(*given: Value) -> Any:
        xs = g.operands(given[:count], g.order)
        outer, e.program.in_tangents = e.program.in_tangents, True
        try:
            made = e.program.run(jaxpr, [*[xs[k] for k in (*g.fixed, *g.moving)], *given[count:]])
        finally:
            e.program.in_tangents = outer
        return _bundle([typed(x, a) for x, a in zip(made, g.outs, strict=True)])

    names = [*[f"x{k}" for k in g.order], *[f"dx{k}" for k in g.moving]]
    types = [e.ins[k].type for k in (*g.order, *g.moving)]
    d = make(body, types, _bundle_type(g.outs), f"d{f.name}", names)
    along = as_linear(untype(d.func), [k >= count for k in range(len(types))])
    return _rule(g, f, lambda re, du: current_builder().call(along, [*[re[k] for k in g.order], *du]))


def _by_vjp(g: _Given, f: AnyFn, jaxpr: Any) -> Callable[..., Any]:
    """The derivative rule of a `custom_vjp`: the transpose of what it gives."""
    e = g.e

    def body(ct: Any, *given: Value) -> Any:
        xs = g.operands(given, g.order)
        made = e.program.run(jaxpr, [*_items(ct, len(g.outs)), *[xs[k] for k in (*g.fixed, *g.moving)]])
        return _bundle([typed(x, e.ins[k]) for x, k in zip(made, g.moving, strict=True)])

    types = [_bundle_type(g.outs), *[e.ins[k].type for k in g.order]]
    names = ["ct", *[f"x{k}" for k in g.order]]
    back = make(body, types, _bundle_type([e.ins[k] for k in g.moving]), f"transpose({f.name})", names)
    try:
        as_linear(untype(back.func), [k == 0 for k in range(len(back.types))])
        along, _ = _linear_pair(_transposed(back), back)
    except NotLinear:  # as what clips a gradient: its own derivative is that of its code
        along = make_linear(f.name, _backwards_only(back, e.loc).func, back.func)
    return _rule(g, f, lambda re, du: current_builder().call(along, [_bundle(du), *[re[k] for k in g.order]]))


def _backwards_only(back: AnyFn, loc: Loc | None) -> AnyFn:
    """What stands for the derivative of a function, of which only reverse mode is given: it fails where it is run."""
    where = "" if loc is None else f" ({loc})"

    def body(dx: Any, *_: Any) -> Any:
        assert_(False, f"a custom_vjp whose backward function is not linear has no derivative in forward mode{where}")
        return current_builder().zero(back.types[0])

    return make(body, [back.result, *back.types[1:]], back.types[0], back.name, back.names)


def _rule(g: _Given, f: AnyFn, along: Callable[[dict[int, Value], list[Value]], Value]) -> Callable[..., Any]:
    """The derivative rule of `f`, of what gives the tangents of its results."""

    def rule_of(*duals: Any) -> Any:
        pairs = [split_dual(x, t, tangent) for x, t in zip(duals, g.types, strict=True)]
        re, du = [dict(zip(g.given, [p[j] for p in pairs], strict=True)) for j in range(2)]
        ys = _items(f(*[re[k] for k in g.given]), len(g.e.outs))
        tangents, b = iter(_items(along(re, [du[k] for k in g.moving]), len(g.outs))), current_builder()
        dys = [next(tangents) if a.dtype.kind in "fc" else b.zero(tangent(a.type)) for a in g.e.outs]
        made = [
            y if a.dtype.kind == "b" else view_dual(typed(y, a), dy) for y, dy, a in zip(ys, dys, g.e.outs, strict=True)
        ]
        return made[0] if len(made) == 1 else tuple(made)

    return rule_of


def _linear_pair(f: AnyFn, g: AnyFn) -> list[Func]:
    """Functions of which each is linear in its first parameter, and the transpose of the other, as linear functions."""
    made = [make_linear(one.name, one.func, other.func) for one, other in ((f, g), (g, f))]
    for one, linear in zip((f, g), made, strict=True):
        assume_linear(one.func, linear)
    return made


def _transposed(f: AnyFn) -> AnyFn:
    """The transpose of a function that is linear in its first parameter, and takes data."""
    active = [k == 0 for k in range(len(f.types))]

    def body(ct: Any, *data: Value) -> Any:
        b, t = current_builder(), f.types[0]
        (made,) = pulled_back(as_linear(untype(f.func), active), dict(enumerate(data, 1)), to_value(ct, f.result))
        return view(filled(b, made, b.zero(t)))

    return make(body, [f.result, *f.types[1:]], f.types[0], f"transpose({f.name})", f.names)


# equations


@rule("custom_linear_solve", raw=True, note="derivatives in reverse, where JAX has none either")
def _linear_solve(e: Equation, *xs: Operand) -> list[Operand]:
    """The solution; its tangent is another one, of what the tangents leave of the right side."""
    counts, jaxprs = e.params["const_lengths"], e.params["jaxprs"]
    ends = [counts.matvec, counts.vecmat, counts.solve, counts.transpose_solve]
    starts = [sum(ends[:k]) for k in range(5)]
    consts, count = xs[: starts[4]], len(e.outs)
    solve = e.program.run(jaxprs.solve, [*xs[starts[2] : starts[3]], *xs[starts[4] :]])
    moves = any(x.__class__ is not Known for x in (*consts[: starts[1]], *xs[starts[4] :]))
    if not moves:
        return solve
    if jaxprs.transpose_solve is None:
        raise e.refused("no function that solves the transposed equations", "give it one: transpose_solve=")
    given = [k for k, x in enumerate(consts) if x.__class__ is not Known]
    types, names = [_bundle_type(e.outs), *[e.ins[k].type for k in given]], ["b", *[f"x{k}" for k in given]]

    def of(part: int, jaxpr: Any, name: str) -> AnyFn:
        def body(b: Any, *values: Value) -> Any:
            args = list(consts)
            for k, v in zip(given, values, strict=True):
                args[k] = v
            made = e.program.run(jaxpr, [*args[starts[part] : starts[part + 1]], *_items(b, count)])
            return _bundle([typed(x, a) for x, a in zip(made, e.outs, strict=True)])

        return make(body, types, types[0], name, names)

    apply, search = of(0, jaxprs.matvec, "matvec"), of(2, jaxprs.solve, "linear_solve")
    back = of(3, jaxprs.transpose_solve, "transpose(linear_solve)")
    linear = _linear_pair(search, back)
    for f, by, matrix in zip((search, back), linear, (apply, _transposed(apply)), strict=True):
        f.jvp(_solution_rule(f, matrix, by))
    right = _bundle([typed(x, a) for x, a in zip(xs[starts[4] :], e.outs, strict=True)])
    return _items(search(right, *[typed(consts[k], e.ins[k]) for k in given]), count)


def _solution_rule(f: AnyFn, apply: AnyFn, linear: Func) -> Callable[..., Any]:
    """The tangent of a solution: the solution of what the tangents leave of the right side."""
    moving = [k for k, t in enumerate(f.types) if k and t.real]
    along = LinearMap(apply, moving)

    def rule_of(*duals: Any) -> Any:
        b = current_builder()
        pairs = [split_dual(x, t, tangent) for x, t in zip(duals, f.types, strict=True)]
        x = to_value(f(*[re for re, _ in pairs]), f.result)
        (_, rest), *data = pairs
        there = [x, *[re for re, _ in data]]
        if moving:
            less = along.jvp(there, {k: data[k - 1][1] for k in moving}, numbers=False)[1]
            n = len(f.result.items) if isinstance(f.result, Tuple) and not is_complex(f.result) else 1
            rest = _bundle([p - q for p, q in zip(_items(view(rest), n), _items(view(less), n), strict=True)])
        return view_dual(x, b.call(linear, [rest, *there[1:]]))

    return rule_of
