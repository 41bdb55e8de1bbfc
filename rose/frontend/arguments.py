"""NumPy's arguments: which of them a function of ours takes, which may say one thing only, and why.

A parameter of ours is NumPy's of the same name; or, of what must be given, that of the same place. What ours does not
have is a row of `FIXED`: it may say what NumPy means without it, and whatever else changes nothing here. So a
signature of ours and `FIXED` are all that is known of NumPy's arguments: calls are fitted by it, refusals have their
reasons from it, and so has the table of web/docs/numpy.md. `tests/rose/frontend/test_arguments.py` walks along the
signatures of the installed NumPy and SciPy, and finds what has no row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, NamedTuple, TypeVar, cast

from ..errors import TypeMismatch, edge, here

F = TypeVar("F", bound=Callable[..., Any])
Kind = inspect.Parameter


class Fixed(NamedTuple):
    """An argument that may say only some things: which, None for anything; why; and what to write for another."""

    values: tuple[Any, ...] | None
    because: str
    instead: str = "leave it out"


_NOTHING = Fixed(None, "it changes nothing: an array never changes")
_WHOLE = "all of them are found"
_CHECKED = Fixed(None, "it changes nothing: what is nan gives nan")
_DRIVER = Fixed(None, "it changes nothing: there is one algorithm")

FIXED: dict[str, Fixed] = {  # by the name of the argument; or by that of the function, a dot, and it
    "out": Fixed((None,), "traced values never change", "give the result a name, as in y = rose.exp(x)"),
    "where": Fixed((True,), "an element that is left out has no value", "choose before: rose.where(condition, x, 0.0)"),
    "dtype": Fixed((None, float), "numbers are Reals", "leave it out: numbers are Reals"),
    "order": Fixed(("C", "K", "A", None), "elements are in the order of rows"),
    "sort.order": Fixed((None,), "there are no fields to sort by"),
    "argsort.order": Fixed((None,), "there are no fields to sort by"),
    "like": Fixed((None,), "the result is an array of ours"),
    "xp": Fixed((None,), "the result is an array of ours"),
    "device": Fixed((None, "cpu"), "a module runs where it is called"),
    "weights": Fixed((None,), "quantiles are those of equal weights", "write rose.interp of sorted ones"),
    "optimize": Fixed(None, "it changes nothing: operands are contracted from the left to the right"),
    "ndmin": Fixed((0,), "an array has the axes that it is given", "write rose.expand_dims(x, 0)"),
    "ndmax": Fixed((0,), "an array has the axes that it is given"),
    "reflect_type": Fixed(("even",), "what is mirrored keeps its sign"),
    "stat_length": Fixed((None,), "a statistic is that of the whole axis"),
    **dict.fromkeys(("copy", "subok", "casting", "overwrite_input"), _NOTHING),
    **dict.fromkeys(("overwrite_a", "overwrite_b", "overwrite_ab", "overwrite_x"), _NOTHING),
    "workers": Fixed(None, "it changes nothing: a module runs in one thread"),
    "plan": Fixed((None,), "plans are made when it is compiled"),
    "check_finite": _CHECKED,
    **dict.fromkeys(("lapack_driver", "driver", "lwork", "blocksize", "balanced"), _DRIVER),
    # SciPy's
    "cholesky.lower": Fixed((True,), "the factor is NumPy's, the lower one", "write upper=True"),
    "eigh.lower": Fixed((True,), "the half is named as in NumPy", 'write UPLO="U"'),
    "eigvalsh.lower": Fixed((True,), "the half is named as in NumPy", 'write UPLO="U"'),
    "inv.lower": Fixed(None, "it changes nothing: all of the matrix is read"),
    "solve.lower": Fixed(None, "it changes nothing: all of the matrix is read"),
    "solve.transposed": Fixed((False,), "a is the matrix", "write rose.linalg.solve(rose.transpose(a), b)"),
    "assume_a": Fixed((None, "gen", "general"), "all of it is read", "write cholesky_solve, or solve_triangular"),
    "eigvals_only": Fixed((False,), "the result is a pair", "write rose.linalg.eigvalsh(a)"),
    "subset_by_index": Fixed((None,), _WHOLE, "take some of the result: w[:k]"),
    "subset_by_value": Fixed((None,), _WHOLE, "choose of the result: rose.where(w > x, w, 0.0)"),
    "homogeneous_eigvals": Fixed((False,), "eigenvalues are numbers"),
    "eigh.b": Fixed((None,), "the problem is that of one matrix", "reduce it by the Cholesky factor of b"),
    "eigvalsh.b": Fixed((None,), "the problem is that of one matrix", "reduce it by the Cholesky factor of b"),
    "eigvals.b": Fixed((None,), "the problem is that of one matrix", "write eigvals(solve(b, a)), of rose.linalg"),
    "eig.b": Fixed((None,), "the problem is that of one matrix", "write eig(solve(b, a)), of rose.linalg"),
    "eig.left": Fixed((False,), "the vectors are the right ones", "write eig of the transposed matrix"),
    "eig.right": Fixed((True,), "the result is a pair", "write rose.linalg.eigvals(a)"),
    "schur.sort": Fixed((None,), "eigenvalues come as the steps find them"),
    **dict.fromkeys(
        ("return_index", "return_inverse", "return_counts"), Fixed((False,), "the result is the numbers alone")
    ),
    "unique.axis": Fixed((None,), "the numbers of the whole array are compared", "write x.ravel()"),
    "unique.equal_nan": Fixed((True,), "nan are one number"),
    "unique.sorted": Fixed((True,), "they are sorted"),
    "polyfit.cov": Fixed((False,), "the result is the coefficients alone"),
    "real_if_close.tol": Fixed(None, "it changes nothing: Reals have no imaginary parts"),
    "isin.kind": _DRIVER,
    "partition.kind": _DRIVER,
    "argpartition.kind": _DRIVER,
    "writeable": Fixed((False,), "traced values never change", "write x.at[i].set(v)"),
    "partition.order": Fixed((None,), "there are no fields to sort by"),
    "argpartition.order": Fixed((None,), "there are no fields to sort by"),
    "method": Fixed(("linear",), "the number of those that are not nan is not known", "write np.quantile"),
    "ravel_multi_index.mode": Fixed(("raise",), "indices are in range", "wrap them round, i % n, or clip them"),
    "type": Fixed((1,), "the problem is that of one matrix"),
    "lstsq.cond": Fixed((None,), "it is named as in NumPy", "write rcond=..."),
    "disp": Fixed((True,), "a module prints no warnings"),
    "permute_l": Fixed((False,), "the result has three parts", "write f.P @ f.L"),
    "p_indices": Fixed((False,), "the permutation is a matrix"),
    "atol": Fixed((None,), "what counts as 0 is relative to the largest", "write rcond=..."),
    "return_rank": Fixed((False,), "the result is the matrix alone", "write rose.linalg.matrix_rank(a)"),
    "pivoting": Fixed((False,), "columns stay in their order"),
    "e": Fixed((None,), "the equation is that of three matrices and r"),
    "s": Fixed((None,), "the equation is that of three matrices and r"),
    "solve_discrete_lyapunov.method": _DRIVER,
}  # fmt: skip


def fixed(function: str, argument: str) -> Fixed | None:
    """The row of an argument that ours does not have."""
    return FIXED.get(f"{function.rpartition('.')[2]}.{argument}") or FIXED.get(argument)


class Fit(NamedTuple):
    """How a call of a function of NumPy's is one of ours."""

    places: tuple[str, ...]  # NumPy's arguments by place
    defaults: Mapping[str, Any]
    ours: Mapping[str, str]  # the name of ours for each that is taken
    leading: tuple[str, ...]  # our parameters that may be given by place
    by_place: bool  # whether any number may be given by place, as of meshgrid: then it is by our places


@cache
def fit_of(theirs: Callable[..., Any], ours: Callable[..., Any]) -> Fit | None:
    """How calls of `theirs` are calls of `ours`; None if Python does not know the signature of `theirs`."""
    try:
        numpys = inspect.signature(theirs).parameters
    except ValueError:
        return None
    mine = inspect.signature(ours).parameters
    places = tuple([k for k, p in numpys.items() if p.kind in (Kind.POSITIONAL_ONLY, Kind.POSITIONAL_OR_KEYWORD)])
    leading = [k for k, p in mine.items() if p.kind in (Kind.POSITIONAL_ONLY, Kind.POSITIONAL_OR_KEYWORD)]
    taken = {k: k for k in numpys if k in mine}
    for k, ours_ in zip(places, leading, strict=False):
        if k not in mine and ours_ not in numpys and (numpys[k].default is Kind.empty or k.lower() == ours_):
            taken[k] = ours_
    if any([p.kind is Kind.VAR_KEYWORD for p in numpys.values()]):  # what NumPy does not name
        taken |= {k: k for k in mine if k not in taken.values()}
    defaults = {k: p.default for k, p in numpys.items() if p.default is not p.empty}
    several = any([p.kind is Kind.VAR_POSITIONAL for p in numpys.values()])
    return Fit(places, defaults, taken, tuple(leading), several)


def fitted(
    name: str, theirs: Callable[..., Any], ours: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call of a function of NumPy's, for ours; a TypeMismatch at one that says what ours cannot."""
    fit = fit_of(theirs, ours)
    if fit is None:
        return args, without_fixed(name, ours, named)
    given = named if fit.by_place else dict(zip(fit.places, args, strict=False)) | named
    kept = {fit.ours.get(k, k): x for k, x in given.items() if k in fit.ours or not _says_nothing(name, k, x, fit)}
    if fit.by_place:
        return args, kept
    first: list[Any] = []
    for k in fit.leading:
        if k not in kept:
            break
        first.append(kept.pop(k))
    return (*first, *args[len(fit.places) :]), kept


def without_fixed(name: str, ours: Callable[..., Any], named: dict[str, Any]) -> dict[str, Any]:
    """What is given by name, without what ours does not have and may be given."""
    mine = _names(ours)
    rest = named.keys() - mine
    return named if not rest else {k: x for k, x in named.items() if k in mine or not _says_nothing(name, k, x)}


def lenient(f: F) -> F:
    """`f` as users call it, which takes what changes nothing, too: `check_finite=False`."""
    alone, room = edge(f), f.__module__.rpartition(".")[0]

    @wraps(f)
    def outer(*args: Any, **named: Any) -> Any:
        for k in named.keys() - _names(f):
            if fixed(f.__name__, k) is not None and _says_nothing(f"{room}.{f.__name__}", k, named[k]):
                named = {other: x for other, x in named.items() if other != k}
        return alone(*args, **named)

    return cast("F", edge(outer))


@cache
def _names(f: Callable[..., Any]) -> frozenset[str]:
    parameters = inspect.signature(f).parameters
    return frozenset(parameters)


def _says_nothing(name: str, argument: str, x: Any, fit: Fit | None = None) -> bool:
    """True for an argument that says what is meant without it; else a TypeMismatch at it."""
    row = fixed(name, argument)
    if fit is not None and argument in fit.defaults and is_same(x, fit.defaults[argument]):
        return True
    if row is not None and (row.values is None or any([is_same(x, y) for y in row.values])):
        return True
    raise refused(name, argument, row)


def is_same(x: Any, y: Any) -> bool:
    """True for two values of the host that mean one thing to NumPy."""
    if x is y:
        return True
    return isinstance(x, (str, int, float)) and x.__class__ is y.__class__ and x == y


def refused(name: str, argument: str, row: Fixed | None) -> TypeMismatch:
    """The error of an argument that says what ours cannot."""
    what = f"{name} of a traced value takes no {argument}"
    if row is not None and row.values is not None:
        what += f" but {row.values[0]!r}: {row.because}" if row.values != (True,) else f": {row.because}"
    return TypeMismatch(what, here().into([argument]), "leave it out" if row is None else row.instead)
