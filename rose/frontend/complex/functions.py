"""NumPy's functions of arrays on arrays of complex numbers, beside those that move elements, or multiply them.

Functions that move elements take elements of any type, and sums of products (`arrays/products.py`) any that multiply.
Others raise `MeetsComplex` where they meet one, and are looked up here: a linear function is done with both parts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from ...errors import TypeMismatch, here
from ...host.marshal import is_listing
from ...ir import Value, current_builder, ops
from ...ir.types import Bool, Complex, Vec
from ..arrays import nans, norms, polynomials, reductions, running, statistics
from ..arrays.elementwise import array_function, each, maps
from ..arrays.kinds import kind_of
from ..arrays.shapes import as_array, axis_given, shape_of
from ..arrays.shaping import flip, ravel
from ..language import loops
from ..operators import is_array, multiply
from ..values import is_number, to_value
from . import arrays
from .parts import number

# functions that are linear, or of each part, with the arguments in which they are
_LINEAR = {
    "sum": ("items", "initial"), "mean": ("x",), "cumsum": ("x",), "diff": ("x", "prepend", "append"), "trace": ("x",),
    "gradient": ("f",), "trapezoid": ("y",), "interp": ("fp", "left", "right"), "nan_to_num": ("x",),
    "ediff1d": ("ary", "to_end", "to_begin"), "cumulative_sum": ("x",),
}  # fmt: skip


def applied(name: str, f: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What a function that met a complex number is of complex numbers; a TypeMismatch if it is nothing."""
    if name in _LINEAR or name in _OWN:
        bound = inspect.signature(f).bind(*args, **named)
        if (dtype := bound.arguments.pop("dtype", None)) is not None:
            _check_complex(dtype)
        of = partial(_of_parts, name, f) if name in _LINEAR else _OWN[name]
        return of(*bound.args, **bound.kwargs)
    name = {"smallest": "min", "largest": "max"}.get(name, name)
    what = f"{name} takes Reals, and got complex numbers"
    raise TypeMismatch(what, here(), "give it their .real, their .imag or their abs")


def _check_complex(dtype: Any) -> None:
    if kind_of(dtype) != "c":
        hint = "leave out the dtype, or take their .real, their .imag or their abs"
        raise TypeMismatch("the imaginary parts of complex numbers would be lost", here().into(["dtype"]), hint)


def _of_parts(name: str, f: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """A linear function, of the real parts and of the imaginary parts."""
    bound = inspect.signature(f).bind(*args, **named)
    given = bound.arguments
    linear = {k: as_array(given[k]) for k in _LINEAR.get(name, ("a",)) if given.get(k) is not None}
    for k, x in given.items():
        if k not in linear and (is_array(x) or isinstance(x, Value)) and arrays.has_complex(as_array(x)):
            raise TypeMismatch(f"{name}: {k} is complex, and takes Reals", here(), "give it their .real or their abs")

    def part(of: Callable[[Any], Any]) -> Any:
        first, *options = linear
        given.update({first: of(linear[first])} | {k: _option(of(linear[k])) for k in options})
        return f(*bound.args, **bound.kwargs)

    re, im = part(arrays.real), part(arrays.imag)
    if is_listing(re):
        return [arrays.of_parts(x, y) for x, y in zip(re, im, strict=True)]
    return arrays.of_parts(re, im)


def _option(x: Any) -> Any:
    """An option: a number of the host, where one is known."""
    return x.attr if isinstance(x, Value) and not isinstance(x.type, Vec) and x.op.name == "const" else x


def _average(*args: Any, **named: Any) -> Any:
    """The mean with weights, of both parts; with the sum of the weights, which are Reals."""
    given = inspect.signature(statistics.average).bind(*args, **named).arguments
    returned = given.pop("returned", False)
    found = _of_parts("average", statistics.average, **given)
    if not returned:
        return found
    return found, statistics.average(**(given | {"a": arrays.real(given["a"]), "returned": True}))[1]


def _as_complex(x: Any) -> Value:
    v = as_array(x)
    return maps(shape_of(v.type), _complex, [v])


def _complex(x: Any) -> Value:
    return to_value(number(x) if isinstance(x, Value) and x.type is Bool else x, Complex)


@array_function
def prod(items: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The product of all elements, or along axes, of those for which `where` holds."""
    v, start = _as_complex(items), _complex(1.0 if initial is None else initial)
    v = reductions.masked(v, where, _complex(1.0)) if where is not True else v
    axes = reductions.axes_of(axis, shape_of(v.type))
    fold: reductions.Fold = lambda sizes, item: reductions.fold_of(sizes, item, start, multiply)
    return reductions.over(v, axes, keepdims, fold)


@array_function
def cumprod(x: Any, axis: Any = None) -> Any:
    """The running product along an axis, or of all elements in a row."""
    b, v = current_builder(), _as_complex(x)
    v = ravel(v) if axis is None else v

    def of_vector(row: Value) -> Value:
        def body(i: Value, state: Value) -> tuple[list[Value], list[Value]]:
            after = multiply(state, b.index(row, i))
            return [after], [after]

        return b.loop(shape_of(row.type)[0], body, [_complex(1.0)])[1][0]

    return reductions.along(v, 0 if axis is None else axis_given(axis, len(shape_of(v.type))), of_vector)


def _variance(of_reals: Callable[..., Any]) -> Callable[..., Any]:
    """The mean of the squared distances from the mean: the sum of the variances of both parts."""

    @array_function
    def of(x: Any, axis: Any = None, *, mean: Any = None, **named: Any) -> Any:
        means = [None if mean is None else part(mean) for part in (arrays.real, arrays.imag)]
        parts = arrays.real(x), arrays.imag(x)
        re, im = [of_reals(v, axis, mean=m, **named) for v, m in zip(parts, means, strict=True)]
        return re + im

    return of


def _root_of(variance: Callable[..., Any]) -> Callable[..., Any]:
    """The root of the variance."""
    return lambda *args, **named: each(reductions.root, variance(*args, **named))


def _of_truths(f: Callable[..., Any]) -> Callable[..., Any]:
    def of(x: Any, *args: Any, **named: Any) -> Any:
        return f(as_array(x) != 0.0, *args, **named)

    return of


@array_function
def norm(x: Any, ord: Any = None, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The norm of the lengths of the elements; of all of them, that of both parts in a row."""
    v = as_array(x)
    if ord is None and axis is None and not keepdims:
        real, imag = ravel(arrays.real(v)), ravel(arrays.imag(v))
        parts = current_builder().pack([real, imag], Vec(2, real.type))
        return norms.norm(ravel(parts), None, None, False)
    return norms.norm(each(ops.abs_, v), ord, axis, keepdims)


@array_function
def polyval(p: Any, x: Any) -> Any:
    """The polynomial of the coefficients `p`, of the highest power first, by Horner's rule."""
    b, c = current_builder(), _as_complex(p)
    if len(shape_of(c.type)) > 1:
        return polynomials.of_rows(c, x)
    n = shape_of(c.type)[0]

    def at(y: Any) -> Value:
        step: Callable[[Value, Value], Value] = lambda total, k: total * y + k
        return reductions.fold_of([n], lambda *i: b.index(c, *i), _complex(0.0), step)

    return each(at, x if is_number(x) else as_array(x))


@array_function
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """Vandermonde's matrix: the powers of each number of a vector, a row each."""
    b, v = current_builder(), _as_complex(x)
    n = shape_of(v.type)[0]

    def powers(i: Value) -> Value:
        y = b.index(v, i)

        def step(_: Value, power: Value) -> tuple[list[Value], list[Value]]:
            return [power * y], [power]

        return b.loop(n if N is None else N, step, [_complex(1.0)])[1][0]

    rows = b.vec(n, powers)
    return rows if increasing else flip(rows, 1)


def _but_for_nan(of: Callable[..., Any]) -> Callable[..., Any]:
    """`of` those numbers of which no part is nan, as of its `where`."""

    @array_function
    def of_known(a: Any, axis: Any = None, *, where: Any = True, **named: Any) -> Any:
        v = as_array(a)
        there = each(ops.eq, v, v)
        return of(v, axis, where=there if where is True else there & where, **named)

    return of_known


def _running_but_for_nan(of: Callable[..., Any], instead: float) -> Callable[..., Any]:
    @array_function
    def of_known(a: Any, axis: Any = None) -> Any:
        known: Callable[[Any], Any] = lambda z: ops.select(z == z, z, _complex(instead))
        return of(each(known, as_array(a)), axis)

    return of_known


_var = _variance(reductions.var)
_nanvar = _but_for_nan(_variance(nans.nanvar))


def _reduce(f: Callable[..., Any]) -> Callable[..., Any]:
    def of(array: Any, axis: Any = 0, **named: Any) -> Any:
        return f(array, axis, **named)

    return of


_OWN: dict[str, Callable[..., Any]] = {
    "prod": prod, "cumprod": cumprod, "var": _var, "std": _root_of(_var), "norm": norm, "polyval": polyval,
    "vander": vander, "average": _average, "count_nonzero": _of_truths(loops.sum),
    "nansum": _but_for_nan(loops.sum), "nanprod": _but_for_nan(prod), "nanmean": _but_for_nan(reductions.mean),
    "nanvar": _nanvar, "nanstd": _root_of(_nanvar),
    "nancumsum": _running_but_for_nan(running.cumsum, 0.0), "nancumprod": _running_but_for_nan(cumprod, 1.0),
    "add.reduce": _reduce(loops.sum), "multiply.reduce": _reduce(prod),
    "any_": _of_truths(reductions.any_), "all_": _of_truths(reductions.all_),
}  # fmt: skip
