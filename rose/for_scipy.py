"""`rose.scipy`: a function and its derivatives as SciPy calls them, of one vector of numbers.

SciPy's solvers know one vector `x`, whatever it means. Here the parameters that are searched become that vector, their
numbers in order (flattened), and so does the result of a function to many numbers. A derivative is compiled when it is
first asked for. SciPy itself is imported where a sparse matrix is made, and nowhere else.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import Any

from .build import compile
from .differentiation.arguments import Argnums, positions
from .differentiation.flatten import Flat, is_real
from .differentiation.gradients import grad, hvp, value_and_grad
from .differentiation.jacobians import hessian, jacobian
from .differentiation.sparse.pattern import sparsity
from .errors import NotDifferentiable, TypeMismatch, argument, edge, here
from .frontend.arrays.products import dot
from .frontend.function import AnyFn, MadeBy, checked, make
from .frontend.pickling import again
from .frontend.signatures import fresh_name
from .frontend.transforms import made_by, remembered
from .host.marshal import plain
from .ir.types import Real, Type, Vec, count_reals, tuple_of
from .ir.value import host_index


@edge
def scipy(
    f: AnyFn, argnums: Argnums = 0, *, sparse: bool | None = None, copy: bool = True, **sizes: int
) -> ForSciPy:  # fmt: skip
    """`f` as SciPy's solvers take it: `fun`, `jac`, `hess` and `hessp`, of one vector.

    The vector `x` has the numbers of the first parameter, or of those of `argnums`, in order: fields as they are
    written, vectors row by row. It stands in the place of the first of them, and the other parameters stay where they
    are: they are SciPy's `args`, or the `t` of `solve_ivp`. The functions depend on the result of `f`:

        a Real          fun(x), jac(x) the gradient, hess(x), hessp(x, p) the Hessian times a vector
        other Reals     fun(x) the vector of them, jac(x) the Jacobian, hess(x, v) the Hessian of `dot(fun(x), v)`

    Both are what a `NonlinearConstraint` takes: it gives `hess` a `v` of one number where the result is a Real.

    A Jacobian is a sparse SciPy array if it is large, and most of it zeros that `rose.sparsity` knows; solvers
    that need a NumPy array convert it, as `np.asarray` does. With `sparse=True` it is always sparse, and so
    is `hess`, which Newton-CG and trust-constr take; with `sparse=False` never, and its zeros are not looked for.

    With `copy=False` arrays that come out are read-only views of the memory of a module, which its next call in the
    same thread overwrites. SciPy's CG, BFGS, trust-krylov and trust-exact keep such arrays, and go wrong with views.
    """
    if copy is True:
        return _kept(f, argnums, sparse=sparse, **sizes)
    return made_by(_made(f, argnums, sparse, copy, sizes), scipy, (f, argnums), dict(sparse=sparse, copy=copy, **sizes))


@remembered
def _kept(f: AnyFn, argnums: Argnums = 0, *, sparse: bool | None = None, **sizes: int) -> ForSciPy:
    """`rose.scipy(f)` once for each function: its results are copies, so that all who ask for it can share it."""
    return _made(f, argnums, sparse, True, sizes)


def _made(f: AnyFn, argnums: Argnums, sparse: bool | None, copy: bool, sizes: Mapping[str, int]) -> ForSciPy:
    at = here().narrow(argument(0, "f", *range(1, 9)))
    f = checked(f, "scipy").at(**sizes)
    active = positions(f, argnums, "scipy")
    searched: list[tuple[Type, str]] = [(f.types[k], f.names[k]) for k in active]
    for t, what in [*searched, (f.result, "the result")]:
        if not is_real(t):
            hint = "use Reals alone in the parameters that are searched, and in the result; data go into others"
            raise TypeMismatch(f"rose.scipy: {what} of {f.name} is a {t!r}", at, hint)
    if not active or len({*active}) < len(active):
        what = f"rose.scipy: argnums names {'a parameter twice' if active else 'no parameter'}"
        which = here().narrow(argument(1, "argnums", *range(1, 9)))
        raise TypeMismatch(what, which, f"name each parameter once, by its number: {', '.join(f.names)}, from 0")
    return ForSciPy(f, active, host_index(argnums) is None, sparse, copy)


class ForSciPy:
    """A function as SciPy takes it. The functions that it gives can be called from several threads, and pickled."""

    made_by: MadeBy

    def __init__(
        self, f: AnyFn, active: Sequence[int], several: bool, sparse: bool | None, copy: bool
    ) -> None:  # fmt: skip
        types = [f.types[k] for k in active]
        self._names = [f.names[k] for k in active]
        self._parts, self._several, self._sparse, self._copy = types, several, sparse, copy
        self._flat, self._at = Flat(tuple_of(*types) if several else types[0]), min(active)
        self._f = _of_vector(f, active, self._flat, several)

    def __repr__(self) -> str:
        return f"<rose.scipy({self._f!r})>"

    def __reduce__(self) -> Any:
        return again, self.made_by

    def __dir__(self) -> list[str]:
        return [k for k in object.__dir__(self) if k != "made_by"]

    @cached_property
    @edge
    def fun(self) -> Callable[..., Any]:
        """The value at `x`: a number, or a vector of them."""
        return self._compiled("fun", self._f)

    @cached_property
    @edge
    def jac(self) -> Callable[..., Any]:
        """The gradient at `x`, of a function to a number; else the Jacobian, a row for each number of the result."""
        f, at = self._f, self._at
        if f.result is Real:
            return self._compiled("jac", grad(f, at))
        sparse = _is_sparse(f, at) if self._sparse is None else self._sparse
        made = self._compiled("jac", jacobian(f, at, sparse=sparse))
        return _Either(made) if sparse else made

    @cached_property
    @edge
    def fun_and_jac(self) -> Callable[..., Any]:
        """Both at once, for SciPy's `jac=True`. A Jacobian is not sparse here: only `root` takes it so."""
        f = self._f
        if f.result is Real:
            return self._compiled("fun_and_jac", value_and_grad(f, self._at))
        d = jacobian(f, self._at)
        both = make(lambda *xs: (f(*xs), d(*xs)), f.types, tuple_of(f.result, d.result), f"both({f.name})", f.names)
        return self._compiled("fun_and_jac", both)

    @cached_property
    @edge
    def hess(self) -> Callable[..., Any]:
        """The Hessian at `x`; of a function to a vector, that of its product with `v`, as constraints have it."""
        f, at, sparse = self._f, self._at, self._sparse is True
        if f.result is Real:
            return _Weighted(self._compiled("hess", hessian(f, at, sparse=sparse)), len(f.types), at + 1)
        names, types = self._with("v", f.result)
        weighted: Callable[..., Any] = lambda *xs: dot(f(*xs[: at + 1], *xs[at + 2 :]), xs[at + 1])
        product = make(weighted, types, Real, f"dot({f.name}, {names[at + 1]})", names)
        return self._compiled("hess", hessian(product, at, sparse=sparse))

    @cached_property
    @edge
    def hessp(self) -> Callable[..., Any]:
        """The Hessian at `x` times the vector `p`, without the Hessian: forward mode over the gradient."""
        f, at = self._f, self._at
        if f.result is not Real:
            what = f"hessp is of a function to a Real: {f.name} gives a {f.result!r}, with a Hessian for each number"
            hint = "use jac, its Jacobian, or hess(x, v), the Hessian of the dot product of its result and v"
            raise NotDifferentiable(what, here(), hint)
        along, (names, types) = hvp(f, at), self._with("p", self._flat.vec)
        moved: Callable[..., Any] = lambda *xs: along(*xs[: at + 1], *xs[at + 2 :], xs[at + 1])
        return self._compiled("hessp", make(moved, types, self._flat.vec, along.name, names))

    @cached_property
    @edge
    def flatten(self) -> Callable[..., Any]:
        """The function from the parameters that are searched to the vector `x` of their numbers."""
        take: Callable[..., Any] = lambda *xs: self._flat.vector(xs if self._several else xs[0])
        return compile({"flatten": make(take, self._parts, self._flat.vec, "flatten", self._names)})

    @cached_property
    @edge
    def unflatten(self) -> Callable[..., Any]:
        """The inverse of `flatten`: from a vector `x` to the parameters that have its numbers."""
        flat = self._flat
        return compile({"unflatten": make(flat.value, [flat.vec], flat.type, "unflatten", ["x"])})

    def _with(self, name: str, t: Type) -> tuple[list[str], list[Type]]:
        """The names and types of the parameters, and one more after `x`."""
        names, types, at = list(self._f.names), list(self._f.types), self._at + 1
        return [*names[:at], fresh_name(name, names), *names[at:]], [*types[:at], t, *types[at:]]

    def _compiled(self, name: str, f: AnyFn) -> Callable[..., Any]:
        made = compile({name: f})
        return made if self._copy or f.result is Real else partial[Any](made, **{"view=": True})


LARGE = 50  # columns: with fewer, SciPy's algebra is quicker where the matrix is dense
# (`least_squares`, tridiagonal with 5 rows more: 1.2 ms, and 7.7 if sparse, of 40 unknowns; 56 ms and 17 of 80)


def _is_sparse(f: AnyFn, at: int) -> bool:
    """True if a Jacobian is large, and at most a quarter of it can be other than zero."""
    rows, columns = count_reals(f.result), count_reals(f.types[at])
    return rows * columns >= LARGE**2 and columns >= LARGE and 4 * sparsity(f, at).nnz <= rows * columns


class _Either:
    """A sparse Jacobian as SciPy calls it: its results convert to NumPy arrays for solvers that need one."""

    def __init__(self, made: Callable[..., Any]) -> None:
        self.made = made

    @edge
    def __call__(self, *args: Any, **named: Any) -> Any:
        matrix = self.made(*args, **named)
        matrix.__class__ = _readable()
        return matrix


class _Weighted:
    """A Hessian, or with one argument more, the vector `v` of one number, their product: constraints ask for that."""

    def __init__(self, made: Callable[..., Any], count: int, at: int) -> None:
        self.made, self.count, self.at = made, count, at

    @edge
    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) != self.count + 1 or named:
            return self.made(*args, **named)
        (weight,) = plain(args[self.at], Vec(1, Real), ("v",))
        return self.made(*args[: self.at], *args[self.at + 1 :]) * weight


@cache
def _readable() -> type:
    """The class of sparse SciPy arrays that `np.asarray` makes dense. They pickle as ordinary sparse arrays."""
    csr: Any = importlib.import_module("scipy.sparse").csr_array

    def dense(matrix: Any, dtype: Any = None, copy: Any = None) -> Any:
        return matrix.toarray().astype(dtype or matrix.dtype)

    def reduced(matrix: Any) -> Any:
        return csr, ((matrix.data, matrix.indices, matrix.indptr), matrix.shape)

    return type("csr_array", (csr,), {"__array__": dense, "__reduce__": reduced, "__module__": csr.__module__})


def _of_vector(f: AnyFn, active: Sequence[int], flat: Flat, several: bool) -> AnyFn:
    """`f` as a function of the vector of the parameters that are searched, to a number or a vector."""
    to = f.result if f.result is Real else Flat(f.result).vec
    if flat.type is flat.vec and to is f.result:
        return f
    at, after = min(active), [k for k in range(min(active), len(f.types)) if k not in active]

    def body(*args: Any) -> Any:
        x = flat.value(args[at])
        given = dict(enumerate(args[:at])) | dict(zip(after, args[at + 1 :], strict=True))
        given |= dict(zip(active, x if several else [x], strict=True))
        y = f(*[given[k] for k in range(len(f.types))])
        return y if f.result is Real else Flat(f.result).vector(y)

    types = [*f.types[:at], flat.vec, *[f.types[k] for k in after]]
    before, behind = list(f.names[:at]), [f.names[k] for k in after]
    name = fresh_name("x", [*before, *behind]) if several else f.names[at]
    return make(body, types, to, f.name, [*before, name, *behind])
