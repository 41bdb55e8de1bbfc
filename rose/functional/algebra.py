"""Algebra of functions, as users write it: `f + g`, `f(g, 1.3)`, `k @ f`, and the operators by name, all checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..differentiation.jacobians import jacrev
from ..errors import NotDifferentiable, OutOfRange, TypeMismatch, edge, here
from ..frontend.function import AnyFn
from ..host.marshal import is_listing
from ..ir import shown
from ..ir.types import Tuple, Type
from ..ir.value import host_index, is_function
from . import elementary, operators
from .composites import MapType, grids_of, is_open, merged, type_of
from .elementary import array_function as array_function
from .elementary import as_function, everywhere, said
from .elementary import pointwise as pointwise
from .elementary import ufunc as ufunc
from .grids import Grid


def _against(k: Any, f: Any) -> AnyFn:
    k, f = as_function(k), as_function(f)
    if len(f.types) != 1 or len(k.types) != 2:
        what = f"k @ f takes a kernel of two arguments and a function of one, not {said(k)}, and {said(f)}"
        raise TypeMismatch(what, here(), "integrate k * F.broadcast_arg(f, k, argnums=1) over argnums=1")
    product = elementary.operator("*", k, broadcast_arg(f, k, argnums=1))
    (grid,) = merged(grids_of(k)[1:], grids_of(f))
    return integrate(product, grid, argnums=1)


@edge
def compose(f: Any, *gs: Any, share_inputs: bool = False, inverse: Any = None) -> AnyFn:
    """`f` of functions: of their arguments one after another, or, if they `share_inputs`, of the same ones.

    `compose(f, g, h)` is `(x, y) -> f(g(x), h(y))`, and with `share_inputs=True` it is `x -> f(g(x), h(x))`. A value in
    the place of a function is bound. `inverse` is that of the one `g`: with it the derivative in `f` is defined.
    """
    f = as_function(f)
    if len(gs) != len(f.types):
        what = f"{said(f)}, takes {len(f.types)} functions to compose it with, got {len(gs)}"
        raise TypeMismatch(what, here(), "give one for each of its arguments")
    back = None if inverse is None else as_function(inverse, MapType(type_of(f).args[0], type_of(f).args))
    for k, x in reversed([*enumerate(gs)]):
        if not is_function(x):
            f = operators.partial(f, as_function(x, MapType(type_of(f).args[k], ())), k)
    fs = [as_function(g) for g in gs if is_function(g)]
    for k, (g, t) in enumerate(zip(fs, type_of(f).args, strict=True)):
        if type_of(g).result is not t:
            what = f"{said(f)}, cannot be composed with {said(g)}: its argument {k} is a {t!r}"
            raise TypeMismatch(what, here(), f"give a function to {t!r}")
    if not fs:
        return evaluated(f)
    fs = fs if share_inputs else _side_by_side(fs)
    types = next((type_of(g).args for g in fs if g.types), ())
    if any([g.types and type_of(g).args != types for g in fs]):
        what = f"functions that share their inputs are of the same arguments, not {' and '.join(map(said, fs))}"
        raise TypeMismatch(what, here(), "leave out share_inputs, to have the arguments of one after those of another")
    return operators.compose(f, [everywhere(g, types) for g in fs], back)


def _side_by_side(fs: Sequence[AnyFn]) -> list[AnyFn]:
    """The functions `fs`, each as one of the arguments of all."""
    if sum([bool(g.types) for g in fs]) < 2:
        return list(fs)
    types = [t for g in fs for t in type_of(g).args]
    grids = tuple([grid for g in fs for grid in grids_of(g)])
    out, start = list[AnyFn](), 0
    for g in fs:
        at = tuple(range(start, start + len(g.types)))
        out.append(operators.broadcast_arg(g, tuple(types), at, grids))
        start += len(g.types)
    return out


# operators by name


def _argnum(f: AnyFn, k: Any, what: str) -> int:
    n = host_index(k)
    if n is None or not -len(f.types) <= n < len(f.types):
        have = f"{len(f.types)} argument{'s' * (len(f.types) != 1)}"
        raise OutOfRange(f"F.{what}: {f.name} has {have}, and none is number {shown(k)}", here(), "count from 0")
    return n % len(f.types)


def _argnums(f: AnyFn, ks: Any, what: str) -> tuple[int, ...]:
    found = tuple([_argnum(f, k, what) for k in (ks if is_listing(ks) else (ks,))])
    if len(set(found)) != len(found):
        raise OutOfRange(f"F.{what}: an argument of {f.name} is named twice", here(), "name each once")
    return found


@edge
def nabla(f: Any, argnums: Any = 0, method: Any = None) -> AnyFn:
    """The Jacobian of a function, as a function: of a Real, its slope.

    Of a tuple of `argnums` it has the order of `rose.jacfwd`: a tuple, with one for each, for each leaf of the result.
    `method` is `rose.jacfwd`, unless it is `rose.jacrev`. Its transpose is minus the divergence.
    """
    f = as_function(f)
    ks = _argnums(f, argnums, "nabla")
    for k in ks:
        if not type_of(f).args[k].real:
            what = f"F.nabla: argument {k} of {f.name} is a {type_of(f).args[k]!r}, which has no derivative"
            raise NotDifferentiable(what, here(), "choose other arguments with argnums")
    way = "jacrev" if method is jacrev else "jacfwd"
    found = [operators.nabla(f, k, way) for k in ks]
    return operators.of_arguments(found, type_of(f).result) if is_listing(argnums) else found[0]


@edge
def linearize(f: Any, argnums: Any = 0) -> AnyFn:
    """`(x, ..., t) -> J(x) t`: the derivative of a function along tangents of `argnums`, which come last."""
    f = as_function(f)
    return operators.linearize(f, _argnums(f, argnums, "linearize"))


@edge
def linear_transpose(f: Any, argnums: Any = 0, *, unpack: bool = False) -> AnyFn:
    """`(..., ct) -> t`: the transpose of a function that is linear in `argnums`; the other arguments come first.

    Of a tuple of `argnums` it gives a tuple. With `unpack`, the cotangent of a function to a tuple is given as several
    arguments.
    """
    f = as_function(f)
    ks = _argnums(f, argnums, "linear_transpose")
    out = operators.linear_transpose(f, ks)
    t = type_of(f).result
    if unpack and isinstance(t, Tuple):
        rest = type_of(out).args[:-1]
        types = (*rest, *t.items)
        parts = [operators.argument(types, k) for k in range(len(types))]
        out = operators.compose(out, [*parts[: len(rest)], operators.zip_functions(parts[len(rest) :])])
    return out


@edge
def integrate(f: Any, grid: Any = None, argnums: Any = None) -> Any:
    """The integral of a function over its `argnums`, all of them if none are given: sums over grids.

    `grid` is a `Grid`, or one for each of `argnums`; where none is given it is that of the function, `f.on(grid)`. The
    integral over all arguments is a number.
    """
    f = as_function(f)
    ks = tuple(range(len(f.types))) if argnums is None else _argnums(f, argnums, "integrate")
    given = list(grid) if is_listing(grid) else [grid] * len(ks)
    if len(given) != len(ks):
        what = f"F.integrate: {len(given)} grids are given for {len(ks)} arguments"
        raise TypeMismatch(
            what, here(), "make a grid of an interval: F.Grid.gauss_legendre(0.0, 1.0, 50); one for each argument"
        )
    found = [_grid_for(f, k, g) for k, g in zip(ks, given, strict=True)]
    out: AnyFn = f
    for k, g in sorted(zip(ks, found, strict=True), key=lambda p: -p[0]):
        out = operators.integrate(out, k, g)
    return evaluated(out)


def _grid_for(f: AnyFn, k: int, given: Any) -> Grid:
    grid = given if given is not None else grids_of(f)[k]
    if grid is None:
        what = f"F.integrate: argument {k} of {f.name} has no grid, and an integral is a sum over one"
        raise TypeMismatch(what, here(), "give it: F.integrate(f, F.Grid.gauss_legendre(0.0, 1.0, 50))")
    _check_grid(f, k, grid)
    return grid


def _check_grid(f: AnyFn, k: int, grid: Any) -> None:
    if not isinstance(grid, Grid):
        raise TypeMismatch(f"{shown(grid)} is not a grid", here(), "write F.Grid.gauss_legendre(0.0, 1.0, 50)")
    if grid.type is not (want := type_of(f).args[k]):
        what = f"a grid of nodes of type {grid.type!r} does not fit argument {k} of {f.name}, which is a {want!r}"
        raise TypeMismatch(what, here(), f"give nodes of type {want!r}")


@edge
def permute_args(f: Any, perm: Any) -> AnyFn:
    """A function whose argument k is argument `perm[k]` of `f`."""
    f = as_function(f)
    ks = _argnums(f, perm, "permute_args")
    if len(ks) != len(f.types):
        what = f"F.permute_args: {f.name} has {len(f.types)} arguments, and {len(ks)} are named"
        raise TypeMismatch(what, here(), "name each once, as in (2, 0, 1)")
    return operators.permute_args(f, ks)


@edge
def zip_functions(*fs: Any, share_inputs: bool = True) -> AnyFn:
    """The function to a tuple of what `fs` give: of the same arguments, or, unless they `share_inputs`, of all."""
    given = [as_function(f) for f in fs]
    given = given if share_inputs else _side_by_side(given)
    if not given or any([type_of(f).args != type_of(given[0]).args for f in given]):
        what = " and ".join([repr(type_of(f)) for f in given]) or "nothing"
        raise TypeMismatch(
            f"F.zip_functions takes functions of the same arguments, not {what}",
            here(),
            "give functions of one type of arguments, or share_inputs=False",
        )
    return operators.zip_functions(given)


@edge
def split(f: Any) -> tuple[AnyFn, ...]:
    """The functions to each component of the tuple that `f` gives."""
    f = as_function(f)
    if not isinstance(t := type_of(f).result, Tuple):
        raise TypeMismatch(
            f"F.split takes a function to a tuple, not {said(f)}", here(), "zip functions first: F.zip_functions(f, g)"
        )
    return tuple([operators.split(f, k) for k in range(len(t.items))])


@edge
def broadcast_arg(f: Any, target: Any, argnums: Any) -> AnyFn:
    """A function of the arguments of `target`, which gives `f` of those numbered `argnums`."""
    f, target = as_function(f), as_function(target)
    ks, t = _argnums(target, argnums, "broadcast_arg"), type_of(target)
    if tuple([t.args[k] for k in ks]) != type_of(f).args:
        what = f"F.broadcast_arg: {said(f)} does not take arguments {list(ks)} of {said(target)}"
        raise TypeMismatch(what, here(), "name one argument of the target for each of f")
    return operators.broadcast_arg(f, t.args, ks, grids_of(target))


@edge
def partial(f: Any, args: Sequence[Any], argnums: Any = 0) -> AnyFn:
    """`f` with its arguments `argnums` bound to the values `args`, which may be traced, and are differentiable."""
    f = as_function(f)
    ks = _argnums(f, argnums, "partial")
    if len(ks) != len(args):
        what = f"F.partial: {len(args)} values are given for {len(ks)} arguments"
        raise TypeMismatch(what, here(), "give one value for each of argnums")
    out = f
    for k, x in sorted(zip(ks, args, strict=True), key=lambda p: -p[0]):
        out = operators.partial(out, as_function(x, MapType(type_of(f).args[k], ())), k)
    return evaluated(out)


@edge
def invoke(f: Any, *args: Any) -> Any:
    """`f` at a point: a number."""
    return partial(f, args, tuple(range(len(args))))


@edge
def constant(value: Any, args: Sequence[Type] = ()) -> AnyFn:
    """The function of `args` that is `value` everywhere."""
    return everywhere(as_function(value), tuple(args))


@edge
def braket(left: Any, right: Any, grid: Any = None) -> Any:
    """The integral of the product of two functions."""
    return integrate(elementary.operator("*", left, right), grid)


@edge
def add(*fs: Any) -> AnyFn:
    """The sum of functions of the same type."""
    given = [as_function(f) for f in fs]
    if not given or any([type_of(f) != type_of(given[0]) for f in given]):
        what = " and ".join([repr(type_of(f)) for f in given]) or "nothing"
        raise TypeMismatch(f"F.add takes functions of the same type, not {what}", here(), "give one or more")
    return operators.add(given)


def evaluated(f: AnyFn) -> Any:
    """`f`; if it has no arguments, and is of functions that are known, its value."""
    return f if f.types or is_open(f) else f()


# of `ir.hooks.Algebra`, with those that are imported here: what `Fn` asks for


def operator(symbol: str, /, *operands: Any) -> Any:
    """`f + g`, and the like; `k @ f` is the integral of `k(y, x) * f(x)` over x."""
    return _against(*operands) if symbol == "@" else elementary.operator(symbol, *operands)


def called(f: AnyFn, args: Sequence[Any], named: dict[str, Any], /) -> Any:
    """`f(g, h, 1.3)`: functions composed, values bound."""
    options = {k: named.pop(k) for k in ("share_inputs", "inverse") if k in named}
    return compose(f, *f.bind(args, named), **options)


def on(f: AnyFn, /, *grids: Any) -> AnyFn:
    """`f`, with a grid for each argument, or None: what it is integrated over where no other grid is given."""
    if len(grids) != len(f.types):
        what = f"{f.name} has {len(f.types)} arguments, and {len(grids)} grids are given"
        raise TypeMismatch(what, here(), "give a grid, or None, for each argument")
    for k, grid in enumerate(grids):
        if grid is not None:
            _check_grid(f, k, grid)
    t = type_of(f)
    return operators.broadcast_arg(f, t.args, tuple(range(len(t.args))), tuple(grids))
