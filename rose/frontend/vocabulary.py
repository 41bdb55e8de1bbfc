"""The vocabulary of arrays: the one table of its names, and how each is found under NumPy's names and as a method.

`VOCABULARY` has a row for each name. From it are made NumPy's functions on traced values (NEP 18): `np.sum(x, axis=0)`;
methods: `x.sum(axis=0)`; the table of web/docs/arrays.md; `rose ops`; and the law of tests that asks a row of each
name. Functions of one element, such as `exp`, are rows of `ir/ops.py`, and under NumPy's names in `arrays/ufuncs.py`.

To add a name: write its function, in `arrays/` or `language/`; enter it here, and in the table of `rose/__init__.py`;
and give `tests/laws/test_vocabulary.py` its arguments. The tests name each place that is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any, NamedTuple

from ..errors import TypeMismatch, called, edge, here, is_direct
from ..errors.advice import of_library
from ..host.marshal import as_given, is_listing
from ..ir import Value, a_traced
from ..ir.hooks import above
from ..ir.value import unchanging
from . import arguments
from .arrays import (
    attributes,
    counting,
    creation,
    einsum,
    joining,
    kinds,
    nans,
    order,
    padding,
    polynomials,
    products,
    reductions,
    running,
    searches,
    shaping,
    statistics,
    ufuncs,
)
from .language import loops, select, vectors


class Name(NamedTuple):
    """A name of the vocabulary."""

    name: str  # under which `rose` has it
    function: Callable[..., Any]
    section: str  # of the documents
    numpy: str = ""  # NumPy's names of it, with a module within NumPy as in "linalg.norm"; empty: the same as ours
    method: bool = False  # whether arrays have it after a dot
    along: Callable[..., Any] | None = None  # what it is there, and to NumPy, if ours takes other arguments

    @property
    def with_axes(self) -> Callable[..., Any]:
        """The function with NumPy's arguments."""
        return self.along or self.function

    @property
    def numpys(self) -> list[str]:
        return self.numpy.split() or [self.name]

    @property
    def doc(self) -> str:
        """The first line of its docstring."""
        return (self.function.__doc__ or "").partition("\n")[0]


CHOICE, CREATION, PRODUCTS = "choice", "creation", "products"
REDUCTIONS, RUNNING, SHAPES = "reductions", "running", "shapes"

VOCABULARY: tuple[Name, ...] = (
    Name("where", select.where, CHOICE),
    Name("nan_to_num", order.nan_to_num, CHOICE),
    Name("sum", loops.sum, REDUCTIONS, method=True),
    Name("prod", loops.prod, REDUCTIONS, method=True),
    Name("min", loops.min, REDUCTIONS, "min amin", method=True, along=reductions.smallest),
    Name("max", loops.max, REDUCTIONS, "max amax", method=True, along=reductions.largest),
    Name("mean", reductions.mean, REDUCTIONS, method=True),
    Name("var", reductions.var, REDUCTIONS, method=True),
    Name("std", reductions.std, REDUCTIONS, method=True),
    Name("all", reductions.all_, REDUCTIONS, method=True),
    Name("any", reductions.any_, REDUCTIONS, method=True),
    Name("argmax", reductions.argmax, REDUCTIONS, method=True),
    Name("argmin", reductions.argmin, REDUCTIONS, method=True),
    Name("trace", reductions.trace, REDUCTIONS, "trace", method=True),
    Name("norm", vectors.norm, REDUCTIONS, "linalg.norm"),
    Name("median", order.median, REDUCTIONS),
    Name("quantile", order.quantile, REDUCTIONS),
    Name("percentile", statistics.percentile, REDUCTIONS),
    Name("average", statistics.average, REDUCTIONS),
    Name("ptp", statistics.ptp, REDUCTIONS),
    Name("cov", statistics.cov, REDUCTIONS),
    Name("corrcoef", statistics.corrcoef, REDUCTIONS),
    Name("count_nonzero", statistics.count_nonzero, REDUCTIONS),
    Name("nansum", nans.nansum, REDUCTIONS),
    Name("nanmean", nans.nanmean, REDUCTIONS),
    Name("nanmin", nans.nanmin, REDUCTIONS),
    Name("nanmax", nans.nanmax, REDUCTIONS),
    Name("logsumexp", vectors.logsumexp, REDUCTIONS),
    Name("softmax", reductions.softmax, REDUCTIONS),
    Name("cumsum", running.cumsum, RUNNING, "cumsum", method=True),
    Name("cumprod", running.cumprod, RUNNING, "cumprod", method=True),
    Name("cummax", running.cummax, RUNNING),
    Name("cummin", running.cummin, RUNNING),
    Name("diff", running.diff, RUNNING),
    Name("gradient", order.gradient, RUNNING),
    Name("interp", searches.interp, RUNNING),
    Name("dot", products.dot, PRODUCTS, method=True),
    Name("vdot", products.vdot, PRODUCTS),
    Name("inner", products.inner, PRODUCTS),
    Name("outer", products.outer, PRODUCTS, "outer linalg.outer"),
    Name("kron", products.kron, PRODUCTS),
    Name("cross", products.cross, PRODUCTS, "cross linalg.cross"),
    Name("matmul", products.matmul, PRODUCTS, "matmul linalg.matmul"),
    Name("tensordot", products.tensordot, PRODUCTS, "tensordot linalg.tensordot"),
    Name("einsum", einsum.einsum, PRODUCTS),
    Name("convolve", products.convolve, PRODUCTS),
    Name("correlate", products.correlate, PRODUCTS),
    Name("polyval", polynomials.polyval, PRODUCTS),
    Name("vander", polynomials.vander, PRODUCTS),
    Name("trapezoid", products.trapezoid, PRODUCTS, "trapezoid trapz"),
    Name("array", joining.array, CREATION, "array asarray asanyarray ascontiguousarray"),
    Name("zeros", creation.zeros, CREATION),
    Name("ones", creation.ones, CREATION),
    Name("full", creation.full, CREATION),
    Name("eye", creation.eye, CREATION),
    Name("arange", creation.arange, CREATION),
    Name("linspace", creation.linspace, CREATION),
    Name("zeros_like", creation.zeros_like, CREATION),
    Name("ones_like", creation.ones_like, CREATION),
    Name("full_like", creation.full_like, CREATION),
    Name("meshgrid", creation.meshgrid, CREATION),
    Name("copy", shaping.copy, SHAPES, method=True),
    Name("astype", kinds.astype, SHAPES, method=True),
    Name("reshape", shaping.reshape, SHAPES, method=True),
    Name("ravel", shaping.ravel, SHAPES, method=True),
    Name("flatten", shaping.flatten, SHAPES, method=True),
    Name("transpose", shaping.transpose, SHAPES, "transpose permute_dims", method=True),
    Name("moveaxis", shaping.moveaxis, SHAPES),
    Name("swapaxes", shaping.swapaxes, SHAPES, method=True),
    Name("squeeze", shaping.squeeze, SHAPES, method=True),
    Name("expand_dims", shaping.expand_dims, SHAPES),
    Name("atleast_1d", shaping.atleast_1d, SHAPES),
    Name("atleast_2d", shaping.atleast_2d, SHAPES),
    Name("broadcast_to", shaping.broadcast_to, SHAPES),
    Name("flip", shaping.flip, SHAPES),
    Name("fliplr", shaping.fliplr, SHAPES),
    Name("flipud", shaping.flipud, SHAPES),
    Name("rot90", shaping.rot90, SHAPES),
    Name("roll", shaping.roll, SHAPES),
    Name("tile", shaping.tile, SHAPES),
    Name("repeat", shaping.repeat, SHAPES, method=True),
    Name("tril", shaping.tril, SHAPES),
    Name("triu", shaping.triu, SHAPES),
    Name("diag", shaping.diag, SHAPES),
    Name("diagonal", shaping.diagonal, SHAPES, method=True),
    Name("sort", order.sort, SHAPES),
    Name("argsort", order.argsort, SHAPES, method=True),
    Name("searchsorted", searches.searchsorted, SHAPES, method=True),
    Name("nonzero", counting.nonzero, SHAPES),
    Name("unique", counting.unique, SHAPES),
    Name("take", order.take, SHAPES, method=True),
    Name("take_along_axis", order.take_along_axis, SHAPES),
    Name("stack", joining.stack, SHAPES),
    Name("concatenate", joining.concatenate, SHAPES, "concatenate concat"),
    Name("hstack", joining.hstack, SHAPES),
    Name("vstack", joining.vstack, SHAPES),
    Name("column_stack", joining.column_stack, SHAPES),
    Name("dstack", joining.dstack, SHAPES),
    Name("append", joining.append, SHAPES),
    Name("block", joining.block, SHAPES),
    Name("split", joining.split, SHAPES),
    Name("array_split", joining.array_split, SHAPES),
    Name("pad", padding.pad, SHAPES),
)

OF_NUMPY = {  # functions that have NumPy's name alone, by where they are: each is imported when it is first called
    name: module
    for module, names in {
        "nans": ("nanprod nanvar nanstd nanargmin nanargmax nancumsum nancumprod nanmedian nanquantile nanpercentile"),
        "shaping": "atleast_3d",
        "running": "ediff1d cumulative_sum cumulative_prod unwrap",
        "polynomials": "polyder polyint polyadd polysub polymul",
        "counting": "bincount digitize histogram histogram2d lexsort partition argpartition",
        "editing": (
            "hsplit vsplit dsplit unstack rollaxis matrix_transpose broadcast_arrays diagflat resize insert delete "
            "array_equal array_equiv isin piecewise choose apply_along_axis apply_over_axes ix_ ravel_multi_index "
            "logspace geomspace tril_indices_from triu_indices_from diag_indices_from "
            "lib.stride_tricks.sliding_window_view"
        ),
    }.items()
    for name in names.split()
}
_BY_NUMPY = {numpys: row.with_axes for row in VOCABULARY for numpys in row.numpys}
METHODS = {row.name: row.with_axes for row in VOCABULARY if row.method} | {"clip": ufuncs.clip, "round": ufuncs.rounded}


def after_the_dot() -> dict[str, Any]:
    """The attributes of values, for their class: properties, and methods."""
    methods = {name: _as_method(name, f) for name, f in METHODS.items()}
    return {name: property(f, unchanging) for name, f in attributes.ATTRIBUTES.items()} | methods


def _as_method(name: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` as a method, which takes what says only what NumPy's method means anyway: `out=None`."""

    @wraps(f)
    def method(*args: Any, **named: Any) -> Any:
        return f(*args, **(arguments.without_fixed(name, f, named) if named else named))

    return edge(method)


def applied(f: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The result of NumPy's function `f` on arguments of which one is traced; a TypeMismatch if it has no meaning."""
    name = numpys_name(f)
    of_linalg = _rarer(name) if name.startswith("linalg.") else None  # has more norms than the language
    ours = of_linalg or _BY_NUMPY.get(name) or ufuncs.MEANINGS.get(name) or attributes.ATTRIBUTES.get(name)
    ours = ours or _rarer(name)
    if ours is None:
        raise _refused(f, _traced(args, named))
    try:
        args, named = arguments.fitted(name, f, ours, args, named)
    except TypeMismatch:
        if is_direct():
            raise
        raise _refused(f, _traced(args, named)) from None
    return ours(*args, **named)


def numpys_functions() -> dict[str, Callable[..., Any]]:
    """What each function of NumPy's is here, by its name."""
    rarer = {name: _rarer(name) for name in OF_NUMPY}
    return {**ufuncs.MEANINGS, **_BY_NUMPY, **rarer, **above().numpys, **above().transforms}


@cache
def _rarer(name: str) -> Any:
    """The function of NumPy's name alone, or of linear algebra or transforms, of a room above."""
    if module := OF_NUMPY.get(name):
        return getattr(import_module(f".arrays.{module}", __package__), name.rpartition(".")[2])
    if name.startswith("fft."):
        return above().transforms.get(name)
    return above().numpys.get(name) if name.startswith("linalg.") or name in OF_LINALG else None


OF_LINALG = {"polyfit", "roots", "poly"}  # names of NumPy's own that are of linear algebra


def _refused(f: Any, v: Value) -> TypeMismatch:
    """The error of a function of NumPy's without a meaning, or of the one that called it, if the user called that."""
    loc = here()
    outer = "" if is_direct() else called(loc)
    what = f"{outer or numpys_name(f)} does not take {a_traced(v)}: it is known only when the compiled function runs"
    return TypeMismatch(what, loc, of_library(outer or f.__name__))


def numpys_name(f: Any) -> str:
    """The name of a function of NumPy's, with its module within NumPy."""
    within = (getattr(f, "__module__", None) or "").partition(".")[2]
    return f"{within}.{f.__name__}" if within and not within.startswith("_") else f.__name__


def _traced(args: tuple[Any, ...], named: dict[str, Any]) -> Value:
    """The first traced value among arguments, or in a list among them."""
    todo: list[Any] = [*reversed([*args, *named.values()])]
    while not isinstance(x := as_given(todo.pop()), Value):
        if is_listing(x):
            todo += reversed(x)
    return x
