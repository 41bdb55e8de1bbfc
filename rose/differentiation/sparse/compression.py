"""Sparse Jacobians and Hessians: a few products with the derivative, from which all entries are read.

The pattern says which entries there are, and the colouring which of them a product with one vector tells at once. So
what is made is a loop over the colours, in which the vector has a 1 in each column of its colour, and then the vector
of the entries, read where they stand. Rows go in the place of columns where that takes fewer colours, in reverse mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import ir
from ...frontend.function import AnyFn, make
from ...ir import Builder, Func, Value
from ...ir.callgraph import reachable
from ...ir.ops import ieq, select
from ...ir.types import Fin, Real, Type, Vec, linear_part, tangent, tuple_of, untyped
from ..arguments import Argnums, check_reals, positions, real_result
from ..flatten import Flat, Path, build, place
from ..linear_map import LinearMap, filled
from . import colouring
from .matrix import Sparsity, matrix, type_of
from .pattern import of_known_size, pattern

Read = Sequence[tuple[int, int]]  # for each entry, the product that tells it, and where it stands there


def sparse_jacobian(f: AnyFn, argnums: Argnums, name: str) -> AnyFn:
    """The Jacobian of `f`, as a sparse matrix."""
    f = of_known_size(f, "jacobian")
    active = positions(f, argnums, "jacobian")
    real_result(f, "jacobian")
    check_reals(f, active, "jacobian with sparse=True")
    p = pattern(f, active)

    def values(b: Builder, lin: LinearMap, xs: Sequence[Value]) -> Value:
        rows = p.by_row()
        forward = colouring.of_columns(rows, p.shape[1])
        reverse = colouring.of_columns(colouring.transposed(rows, p.shape[1]), p.shape[0])
        if colouring.count(forward) <= colouring.count(reverse):
            return _by_columns(b, lin, xs, forward, [(forward[j], i) for i, j in zip(p.rows, p.cols, strict=True)])
        _, tape = lin.primal(xs)
        ct = linear_part(tangent(lin.result))
        read = [(reverse[i], j) for i, j in zip(p.rows, p.cols, strict=True)]
        return _entries(b, reverse, read, lambda unit: b.tuple(lin.pullback(xs, tape, unit(ct))))

    return _made(f, active, p, name, values)


def sparse_hessian(f: AnyFn, g: AnyFn, argnums: Argnums, name: str) -> AnyFn:
    """The second derivatives of `f`, as a sparse matrix: those of its gradient `g`."""
    of_known_size(f, "hessian")
    active = positions(g, argnums, "hessian")
    check_reals(f, active, "hessian with sparse=True")
    p = pattern(g, active)

    def values(b: Builder, lin: LinearMap, xs: Sequence[Value]) -> Value:
        rows = p.by_row()
        # a user's rule may not be a derivative of anything, so that the order of two of them matters
        if rows == colouring.transposed(rows, p.shape[1]) and not _has_rules(f.func):
            colours = colouring.of_symmetric(rows)
            read = colouring.mirrored(rows, colours)
        else:
            colours = colouring.of_columns(rows, p.shape[1])
            read = [(colours[j], i) for i, j in zip(p.rows, p.cols, strict=True)]
        return _by_columns(b, lin, xs, colours, read)

    return _made(g, active, p, name, values)


def _made(f: AnyFn, active: Sequence[int], p: Sparsity, name: str, values: Callable[..., Value]) -> AnyFn:
    def body(*args: Any) -> Any:
        b, lin = ir.current_builder(), LinearMap(f, active)
        xs = lin.arguments(args)
        return matrix(b, p, values(b, lin, xs) if p.nnz else b.zero(Vec(0, Real)))

    return make(body, [untyped(t) for t in f.types], type_of(p), name, f.names)


def _by_columns(b: Builder, lin: LinearMap, xs: Sequence[Value], colours: Sequence[int], read: Read) -> Value:
    """The entries, in forward mode: the function itself is evaluated once."""
    y, tape = lin.primal(xs)

    def product(unit: Unit) -> Value:
        dxs = unit(tuple_of(*[linear_part(tangent(lin.types[k])) for k in lin.active]))
        return lin.pushforward(xs, y, tape, [filled(b, b.get(dxs, j), xs[k]) for j, k in enumerate(lin.active)])

    return _entries(b, colours, read, product)


Unit = Callable[[Type], Value]  # the value of a type with a 1 for each number of one colour, and 0 for the others


def _entries(b: Builder, colours: Sequence[int], read: Read, product: Callable[[Unit], Value]) -> Value:
    """The entries, read from the products with one vector for each colour."""
    n, count = len(colours), colouring.count(colours)
    colour = b.const(tuple(colours), Vec(n, Fin(count)))
    one, zero = b.const(1.0, Real), b.const(0.0, Real)

    def of(c: Value) -> Value:
        leaf: Callable[[Type, Path], Value] = lambda t, path: select(ieq(b.index(colour, place(t, path)), c), one, zero)
        return _flat(product(lambda t: build(b, t, lambda path: leaf(t, path))))

    products = b.vec(count, of)
    assert isinstance(products.type, Vec) and isinstance(products.type.elem, Vec)
    which = b.const(tuple([c for c, _ in read]), Vec(len(read), Fin(count)))
    where = b.const(tuple([k for _, k in read]), Vec(len(read), Fin(products.type.elem.size)))
    return b.vec(len(read), lambda k: b.index(b.index(products, b.index(which, k)), b.index(where, k)))


def _flat(x: Value) -> Value:
    """The numbers of a value, as a vector."""
    return ir.current_builder().reach(Flat(x.type).vector(x))


def _has_rules(f: Func) -> bool:
    """True if a user's rule is the derivative of `f`, or of what it calls."""
    return any(g.has_rule for g in reachable(f))
