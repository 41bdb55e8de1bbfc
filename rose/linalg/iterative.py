"""Equations whose matrix is only multiplied with vectors, by the names of SciPy: `cg` and `gmres`."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import TypeMismatch, argument, here
from ..frontend import options
from ..frontend.any_size import AnySize
from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import shape_of
from ..frontend.function import AnyFn, Fn, from_func, make
from ..frontend.language.select import select
from ..frontend.transforms import remembered
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, ops
from ..ir.sizes import differ
from ..ir.types import Real, Type, Vec
from .krylov import Method, solver
from .matrices import array, misfit, square
from .primitives import primitive


class KrylovResult(NamedTuple):
    """A solution, and 0.0; if the search has not converged, its last point, and how many steps there were."""

    x: Array
    info: Any


@lenient
def cg(
    a: ArrayLike | AnyFn,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: ArrayLike | AnyFn | None = None,
) -> KrylovResult:
    """The solution `x` of `a @ x == b` by conjugate gradients, for a symmetric positive definite matrix `a`.

    `a` is a matrix, or an `@fn` from a vector to its product with one; it may use what it finds around it. From `x0`,
    or zeros, until the residual has a length of at most `max(rtol * norm(b), atol)`, in `maxiter` steps at most: ten
    for each unknown, if it is not given. `M` is near the inverse of `a`, a matrix or a function, too.

    The result is the pair `(x, info)`, as in SciPy. Where the search has not converged, `info` is the number of steps,
    above 0.0, and the derivatives are nan. Elsewhere they are those of the solution, by `b` and by what `a` is made of,
    in all modes and to any order: solutions by the same method, to `rtol`. `x0` and `M` have none.
    """
    rtol, atol = options.number(rtol, "rtol"), options.number(atol, "atol")
    if maxiter is not None:
        maxiter = options.count(maxiter, "maxiter")
    return _solved("cg", Method(None, rtol, atol, maxiter), a, b, x0, M)


@lenient
def gmres(
    a: ArrayLike | AnyFn,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: ArrayLike | AnyFn | None = None,
) -> KrylovResult:
    """The solution `x` of `a @ x == b` by GMRES, for any regular matrix `a`.

    As `cg`, in cycles of at most `restart` steps, each of which stores a vector, and `maxiter` cycles at most: ten for
    each unknown, if it is not given. A cycle that makes the residual no shorter is the last. `info` counts steps.
    """
    rtol, atol = options.number(rtol, "rtol"), options.number(atol, "atol")
    restart = options.count(restart, "restart")
    if maxiter is not None:
        maxiter = options.count(maxiter, "maxiter")
    most = None if maxiter is None else maxiter * restart
    return _solved("gmres", Method(restart, rtol, atol, most), a, b, x0, M)


class _Matrix(NamedTuple):
    """A matrix: the function from a vector and data to its product with it, and these data."""

    apply: AnyFn
    data: tuple[Value, ...]


def _solved(
    name: str,
    method: Method,
    a: ArrayLike | AnyFn,
    b: ArrayLike,
    x0: ArrayLike | None,
    inverse: ArrayLike | AnyFn | None,
) -> KrylovResult:
    y = array(b, 1, name, 1, 2, 3, names=_NAMES)
    if y.type is not Vec(shape_of(y.type)[0], Real):
        raise misfit(b, y, "a vector as its right side", name, 1, 2, 3, names=_NAMES, hint=_VECTOR)
    start = current_builder().zero(y.type) if x0 is None else array(x0, 1, name, 2, 3, names=_NAMES)
    if start.type is not y.type:
        raise misfit(x0, start, f"a start of {shape_of(y.type)[0]!r} numbers", name, 2, 3, names=_NAMES, hint=_VECTOR)
    of = _matrix(a, y.type, name, 0, 2, 3)
    near = None if inverse is None else _matrix(inverse, y.type, name, _BY_NAME, *range(2, 4))
    if not differ(shape_of(y.type)[0], 0):
        return KrylovResult(y, 0.0)
    data = (*of.data, *(near.data if near else ()))
    x, _, steps, converged = _search(of.apply, near and near.apply, method)(y, start, *data)
    return KrylovResult(x, select(converged, 0.0, ops.max_(steps, 1.0)))


_NAMES = ("a", "b", "x0", "M")
_BY_NAME = 3  # M is given by name
_VECTOR = "give a vector; rose.vmap solves for several"


def _matrix(a: ArrayLike | AnyFn, t: Type, name: str, k: int, *counts: int) -> _Matrix:
    """The matrix of as many rows as a `t` has elements that is the argument `k` of so many."""
    if not isinstance(a, Fn):
        m = square(a, name, *counts, k=k, names=_NAMES)
        if m.type is not Vec(shape_of(t)[0], t):
            raise misfit(a, m, f"a matrix of {shape_of(t)[0]!r} rows", name, k, *counts, names=_NAMES)
        return _Matrix(_product.of(t, m.type), (m,))
    f = a
    if isinstance(f, AnySize):
        f = f.fitting([current_builder().zero(t)])
    if list(f.types) != [t] or f.result is not t:
        message = f"rose.linalg.{name} takes a function from a {t!r} to a {t!r}, not {f!r}"
        at = here().narrow(argument(k, _NAMES[k], *counts))
        raise TypeMismatch(message, at, "let it take the vector alone, and find other values around it")
    return _Matrix(_with_data(f), tuple([current_builder().reach(v) for v in f.captured]))


@primitive("product", lambda t: t)
def _product(x: Value, a: Value) -> Any:
    return matmul(a, x)


@remembered
def _with_data(f: AnyFn) -> AnyFn:
    """The function of a vector, and of what `f` captures."""
    return from_func(f.func, [p.attr or "captured" for p in f.func.params])


def _search(apply: AnyFn, inverse: AnyFn | None, method: Method) -> AnyFn:
    """The search with matrices of these functions, which is made once."""
    key = (_search, inverse, method)
    if key not in apply.results:
        pair = (apply, None) if inverse is None else _of_same_data(apply, inverse)
        apply.results[key] = solver(*pair, method).search
    return apply.results[key]


def _of_same_data(f: AnyFn, g: AnyFn) -> tuple[AnyFn, AnyFn]:
    """Both functions with the data of both, those of `f` first."""
    own = len(f.types) - 1

    def first(x: Value, *data: Value) -> Value:
        return f(x, *data[:own])

    def second(x: Value, *data: Value) -> Value:
        return g(x, *data[own:])

    types, names = [*f.types, *g.types[1:]], [*f.names, *g.names[1:]]
    return make(first, types, f.result, f.name, names), make(second, types, g.result, g.name, names)
