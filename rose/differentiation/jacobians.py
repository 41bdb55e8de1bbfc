"""Dense Jacobians and Hessians: `jacfwd`, `jacrev`, `jacobian`, `hessian`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ir
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, Fn, P, checked, make
from ..ir import Builder, Value
from ..ir.ops import ieq, select
from ..ir.sizes import at_most, current
from ..ir.types import (
    Complex,
    Fin,
    Real,
    Tuple,
    Type,
    Unit,
    Vec,
    count_reals,
    has_complex,
    linear_part,
    map_leaves,
    tangent,
    tuple_of,
    untyped,
)
from ..ir.value import host_index
from .arguments import Argnums, positions, real_result
from .flatten import Path, build, place, read
from .gradients import gradient
from .linear_map import LinearMap, filled
from .sparse.compression import sparse_hessian, sparse_jacobian
from .straight_line import sparse_columns
from .sweeps import Sweeps


def _matrix(rows: Type, columns: Type) -> Type:
    """`rows` with a `columns` in the place of each Real."""
    return map_leaves(rows, lambda s: columns if s is Real else Unit)


def _unit_vector(b: Builder, t: Type, path: Path) -> Value:
    """The value of type `t` that is 1 at `path`, and 0 elsewhere. A short vector of numbers needs no memory."""
    if isinstance(t, Vec) and t.elem is Real and at_most(t.size, 8):
        same = [ieq(path[0], b.const(k, Fin(k + 1))) for k in range(t.size)]
        return b.pack([select(c, b.const(1.0, Real), b.const(0.0, Real)) for c in same], t)
    ref = whole = b.accum(b.zero(t))
    for k in path:
        ref = b.at(ref, k)
    b.add_to(ref, b.const(1.0, Real))
    return b.freeze(whole)


def _unit_vectors(b: Builder, t: Type, sweeps: Sweeps, number: Callable[[Value], Value]) -> Value:
    """In the place of each number of a `t` those of the unit vectors of a sweep."""
    flat = Vec(sweeps.count, Vec(sweeps.each, Real))
    whole = b.accum(b.zero(flat))

    def write(j: Value) -> tuple[list[Value], list[Value]]:
        b.add_to(b.at(b.at(whole, sweeps.there(number(j))), j), b.const(1.0, Real))
        return [], []

    b.loop(sweeps.each, write)
    made = b.freeze(whole)
    return made if t is Vec(sweeps.count, Real) else build(b, t, lambda path: b.index(made, _index(b, place(t, path))))


def _index(b: Builder, k: Value | int) -> Value:
    return k if isinstance(k, Value) else b.const(k, Fin(k + 1))


@of_any_size
def jacrev(f: Fn[P, Any], argnums: Argnums = 0, *, holomorphic: bool = False) -> Fn[P, Any]:
    """The Jacobian in reverse mode: one backward pass for each number of the result."""
    return _jacobian(f, argnums, "jacrev", holomorphic=holomorphic)


@of_any_size
def jacfwd(f: Fn[P, Any], argnums: Argnums = 0, *, holomorphic: bool = False) -> Fn[P, Any]:
    """The Jacobian in forward mode: one forward pass for a few numbers of the parameter, six at most."""
    return _jacobian(f, argnums, "jacfwd", holomorphic=holomorphic)


@of_any_size
def jacobian(
    f: Fn[P, Any], argnums: Argnums = 0, *, sparse: bool = False, holomorphic: bool = False
) -> Fn[P, Any]:  # fmt: skip
    """The Jacobian, by the mode that takes fewer passes: the type of the result, with the parameter's for each Real.

    Of a function from `Vec[m]` to `Vec[n]` it is a `Vec[n, Vec[m]]`: one row for each number of the result. With
    several `argnums`, a tuple with one for each stands in the place of each leaf of the result. What is known to be
    zero is 0 and has no code, as in `hessian`.

    With `sparse=True` it is a SciPy matrix, a `csr_array`, with the entries of `rose.sparsity(f, argnums)`: a row
    for each number of the result, a column for each of the parameters, one after another. In an `@fn` function, and
    in JavaScript, it has `rows`, `cols`, `values` and `shape`.

    With `holomorphic=True` it has the complex derivatives of a function from complex numbers to complex numbers.
    """
    if sparse:
        return sparse_jacobian(checked(f, "jacobian"), argnums, f"jacobian({f.name})")
    return _jacobian(f, argnums, "jacobian", holomorphic=holomorphic)


@of_any_size
def hessian(
    f: Fn[P, Any], argnums: Argnums = 0, *, sparse: bool = False, holomorphic: bool = False
) -> Fn[P, Any]:  # fmt: skip
    """The second derivatives: of a function to a number those of its gradient, which is evaluated once, forwards.

    Column `k` is `hvp(f)` along unit vector `k`, to the bit, but for zeros that are known.
    In a vector of at most 16 numbers, of a function that is short and not of any size, what is known to be zero is 0
    and has no code. With `sparse=True` it is a sparse matrix, as in `jacobian`; and exactly symmetric, unless a user's
    derivative rule is in it.

    Of a function to more it is the Jacobian, in forward mode, of that in reverse mode: its type has a matrix in the
    place of each Real of the result.
    """
    f = checked(f, "hessian")
    if untyped(f.result) not in (Real, Complex) and untyped(f.result).real and not sparse:
        return _jacobian(_jacobian(f, argnums, "jacrev"), argnums, "jacfwd", f"hessian({f.name})")
    g = gradient(f, argnums, "hessian", holomorphic=holomorphic)
    if sparse:
        return sparse_hessian(f, g, argnums, f"hessian({f.name})")
    return _jacobian(g, argnums, "hessian", f"hessian({f.name})", holomorphic=holomorphic)


def _jacobian(
    f: AnyFn, argnums: Argnums, what: str, name: str | None = None, *, holomorphic: bool = False
) -> AnyFn:  # fmt: skip
    f = checked(f, what)
    active = positions(f, argnums, what)
    real_result(f, what)
    if holomorphic or any(map(has_complex, [untyped(f.result), *[untyped(f.types[k]) for k in active]])):
        from .complex_jacobians import of_complex

        return of_complex(f, active, argnums, what, holomorphic, _of_reals, name or f"{what}({f.name})")
    return _of_reals(f, active, argnums, what, name)


def _of_reals(f: AnyFn, active: Sequence[int], argnums: Argnums, what: str, name: str | None = None) -> AnyFn:
    """The Jacobian, to which a complex number is a pair of numbers."""
    result = untyped(f.result)

    def one(k: int, xs: Sequence[Value], lin: LinearMap) -> Value:
        b, t = ir.current_builder(), linear_part(tangent(lin.types[k]))
        # a function of any size has derivatives of the same bits, whether its size is known or not
        short = sparse_columns(lin.func()[0], k) if what != "jacrev" and not current() else None
        if short is not None:
            return _of_columns(lin, k, xs, b.call(short, [*xs, b.const(1.0, Real)]))
        if what == "hessian":
            _, tape = lin.primal(xs)
            return _by_columns(lin, k, xs, lambda dx: lin.linear(xs, tape, {k: dx}))
        n = count_reals(t)
        if what == "jacrev" or (what == "jacobian" and not at_most(n + 1, count_reals(result))):
            return _by_rows(lin, xs)
        if Sweeps(n).each == 1:
            return _by_columns(lin, k, xs, lambda dx: lin.jvp(xs, {k: dx})[1])
        sweeps = Sweeps(n)
        several = LinearMap(f, (k,), sweeps.each)
        return _by_sweeps(lin, k, xs, sweeps, lambda dx: several.jvp(xs, {k: dx})[1])

    def body(*args: Any) -> Any:
        b = ir.current_builder()
        parts: list[Value] = []
        for k in active:
            lin = LinearMap(f, (k,))
            parts.append(one(k, lin.arguments(args), lin))
        return parts[0] if host_index(argnums) is not None else by_leaf(b, result, parts)

    inputs = [untyped(t) for t in f.types]
    kinds = [_matrix(result, inputs[k]) for k in active]
    whole = kinds[0] if host_index(argnums) is not None else leaf_type(result, kinds)
    return make(body, inputs, whole, name or f"{what}({f.name})", f.names)


def by_leaf(b: Builder, t: Type, parts: Sequence[Value]) -> Value:
    """Jacobians in several parameters, as JAX has them: a tuple of them in the place of each leaf of the result."""
    if not isinstance(t, Tuple):
        return b.tuple(parts)
    items = [by_leaf(b, x, [b.get(p, k) for p in parts]) for k, x in enumerate(t.items)]
    return b.tuple(items, t.of(tuple([x.type for x in items])))


def leaf_type(t: Type, parts: Sequence[Type]) -> Type:
    if not isinstance(t, Tuple):
        return tuple_of(*parts)
    columns = zip(*[p.items for p in parts if isinstance(p, Tuple)], strict=True)
    return Tuple(tuple([leaf_type(x, c) for x, c in zip(t.items, columns, strict=True)]), t.form)


def _by_rows(lin: LinearMap, xs: Sequence[Value]) -> Value:
    b = ir.current_builder()
    _, tape = lin.primal(xs)
    ct = linear_part(tangent(lin.result))
    return build(b, lin.result, lambda path: lin.pullback(xs, tape, _unit_vector(b, ct, path))[0])


def _by_columns(lin: LinearMap, k: int, xs: Sequence[Value], product: Callable[[Value], Value]) -> Value:
    b, t = ir.current_builder(), linear_part(tangent(lin.types[k]))
    return _of_columns(lin, k, xs, build(b, t, lambda path: product(_unit_vector(b, t, path))))


def _by_sweeps(lin: LinearMap, k: int, xs: Sequence[Value], sweeps: Sweeps, product: Callable[[Value], Value]) -> Value:
    b, t = ir.current_builder(), linear_part(tangent(lin.types[k]))
    columns = sweeps.products(b, lambda number: product(_unit_vectors(b, t, sweeps, number)))

    def number(path: Path, out: Path) -> Value:
        sweep, direction = sweeps.place(b, _index(b, place(t, path)))
        return b.index(read(b, b.index(columns, sweep), out), direction)

    return _of_numbers(lin, k, xs, number)


def _of_columns(lin: LinearMap, k: int, xs: Sequence[Value], columns: Value) -> Value:
    b = ir.current_builder()
    return _of_numbers(lin, k, xs, lambda path, out: read(b, read(b, columns, path), out))


def _of_numbers(lin: LinearMap, k: int, xs: Sequence[Value], number: Callable[[Path, Path], Value]) -> Value:
    """The Jacobian with `number(path, out)`, the derivative of what is at `out` in the result, for each number."""
    b, t = ir.current_builder(), linear_part(tangent(lin.types[k]))
    return build(b, lin.result, lambda out: filled(b, build(b, t, lambda path: number(path, out)), xs[k]))
