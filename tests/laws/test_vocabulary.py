"""The laws of the vocabulary of arrays: each name of its table against NumPy, its derivatives against differences.

`ROWS` has for each name how to draw a call of it: shapes (sizes 0, 1 and odd ones, ranks from 0 to 4), axes, and what
NumPy makes of the same. A name without a row fails `test_each_name_has_a_row`.
"""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import same_bits
from numpys import agree, names, tuples
from scipy import special

import rose
from rose import Bool, Real, Vec, dim, fn
from rose.frontend.arrays.shapes import array_type
from rose.frontend.vocabulary import VOCABULARY
from rose.host.interpreter import run
from rose.ir.types import Type

Of = Callable[..., Any]
Shape = tuple[int, ...]
ULP = 4 * 2.0**-52
SEEDS = 8


FLAT = {"all", "any", "argmax", "argmin", "argsort", "nonzero", "searchsorted"}  # names that have no derivative
COUNTS = {"sum", "mean", "all", "any"}  # names that take conditions
KEEP = [True, False]


class Call(NamedTuple):
    """A call of a name of the vocabulary, and what gives the same in NumPy: two functions of arrays of these shapes."""

    ours: Of
    theirs: Of
    shapes: list[Shape]
    leaf: Type = Real
    rtol: float = ULP


class Row(NamedTuple):
    """How calls of a name are drawn."""

    draw: Callable[[random.Random], Call]
    smooth: Sequence[Call] = ()  # calls whose derivatives are compared with differences
    dims: Sequence[Call] = ()  # calls of which every size may be one that a call decides


def shape(r: random.Random, low: int = 1, high: int = 4, sizes: Sequence[int] = (0, 1, 1, 2, 3, 5)) -> Shape:
    return tuple(r.choice(sizes) for _ in range(r.randint(low, high)))


def ones_of(*calls: Call) -> Callable[[random.Random], Call]:
    return lambda r: r.choice(calls)


def broadcast(r: random.Random, count: int) -> list[Shape]:
    """Shapes that are broadcast to one."""
    whole = shape(r)
    return [whole, *[tuple(r.choice([n, n, 1]) for n in whole)[r.randint(0, len(whole)) :] for _ in range(count - 1)]]


def choice(r: random.Random) -> Call:
    return Call(lambda x, y: rose.where(x > y, x, 2.0), lambda x, y: np.where(x > y, x, 2.0), broadcast(r, 2), rtol=0.0)


def an_axis(r: random.Random, rank: int) -> Any:
    return r.randrange(-rank, rank)


def some_axes(r: random.Random, rank: int) -> Any:
    several = tuple(r.sample(range(rank), r.randint(1, rank)))
    return r.choice([None, an_axis(r, rank), several])


def reduction(name: str, theirs: Of | None = None, low: int = 0, several: bool = True, **more: Any) -> Row:
    """A row of a reduction: by NumPy's own function, a method or ours, along axes."""
    ours, numpys = getattr(rose, name), theirs or getattr(np, name)
    as_number: Of = lambda y: y if name in ("all", "any") else 1.0 * y
    made: Callable[..., Call] = lambda shape, leaf=Real, **named: Call(
        lambda x: as_number(ours(x, **named)), lambda x: as_number(numpys(x, **named)), [shape], leaf
    )

    def draw(r: random.Random) -> Call:
        s = shape(r, sizes=(low, 1, 1, 2, 3, 5))
        axis = some_axes(r, len(s)) if several else r.choice([None, an_axis(r, len(s))])
        options = {k: r.choice(v) for k, v in more.items() if r.random() < 0.5}
        return made(s, r.choice((Real, Real, Bool)) if name in COUNTS else Real, axis=axis, **options)

    named = [{}, {"axis": 0}, {"axis": -1, **{k: v[0] for k, v in more.items()}}]
    cases = [] if name in FLAT else [made((3, 4), **n) for n in named]
    return Row(draw, cases, [made((3, 4), **n) for n in named[1:]] if low == 0 else [])


def softened(f: Of) -> Of:
    """`f` after `exp(x - max(x))`, as SciPy's softmax is defined."""

    def of(x: Any, axis: Any = None, **named: Any) -> Any:
        most = np.max(x, axis=axis, keepdims=True, initial=-1e300)
        return f(np.exp(x - most), most, axis, **named)

    return of


def log_of_sum(x: Any, **named: Any) -> Any:
    """SciPy's `logsumexp`, and -inf of nothing."""
    return special.logsumexp(x, **named) if np.size(x) else np.sum(x, **named) - math.inf


def passing_over_nan(name: str) -> Row:
    """A row of a reduction of elements of which the large ones are nan, one row of them all."""

    def made(s: Shape, **named: Any) -> Call:
        holes: Callable[[Any, Any], Any] = lambda of, x: of.where(x > 0.7, math.nan, x)
        return Call(
            lambda x: getattr(rose, name)(holes(rose, x), **named),
            lambda x: getattr(np, name)(holes(np, x), **named),
            [s],
            rtol=8 * ULP,
        )

    def draw(r: random.Random) -> Call:
        s = shape(r, sizes=(1, 2, 3, 5))
        return made(s, axis=some_axes(r, len(s)), keepdims=r.random() < 0.5)

    return Row(draw, [made((3, 4)), made((5, 4), axis=0)], [])


def norms() -> Row:
    whole = Call(rose.norm, np.linalg.norm, [(3, 2)])
    orders = (None, 1, 2, 0, 3, math.inf, -math.inf)
    of: Callable[..., Call] = lambda s, **n: Call(
        lambda x: rose.norm(x, **n), lambda x: np.linalg.norm(x, **n), [s], rtol=4 * ULP
    )

    def draw(r: random.Random) -> Call:
        s, keep = shape(r, sizes=(1, 2, 3, 5)), r.choice([False, True])
        if len(s) > 1 and r.random() < 0.4:
            axis = tuple(r.sample(range(len(s)), 2))
            return of(s, ord=r.choice(["fro", 1, -1, math.inf, -math.inf, None]), axis=axis, keepdims=keep)
        return of(s, ord=r.choice(orders), axis=an_axis(r, len(s)), keepdims=keep)

    smooth = [of((3, 4), ord=k, axis=a) for k, a in ((None, 0), (1, -1), (3, 0), (math.inf, 1), (1, (0, 1)))]
    return Row(draw, [whole, *smooth], [of((3, 4), axis=0), of((3, 4), ord=1, axis=1)])


def softmaxes() -> Row:
    theirs = softened(lambda e, _, a: e / np.sum(e, axis=a, keepdims=True))
    of: Callable[..., Call] = lambda s, k: Call(lambda x: rose.softmax(x, axis=k), lambda x: theirs(x, k), [s])
    return Row(lambda r: of(s := shape(r), an_axis(r, len(s))), [of((3, 4), 0), of((4,), -1)], [of((3, 4), -1)])


def accumulated(f: np.ufunc) -> Of:
    return lambda x, axis: f.accumulate(np.ravel(x) if axis is None else x, 0 if axis is None else axis)


def running(name: str, theirs: Of) -> Row:
    """A row of a running fold, which NumPy adds up in the order of indices, too."""
    ours = getattr(rose, name)
    of: Callable[..., Call] = lambda s, k: Call(lambda x: ours(x, axis=k), lambda x: theirs(x, axis=k), [s], rtol=0.0)
    draw = lambda r: of(s := shape(r), r.choice([None, an_axis(r, len(s))]))
    return Row(draw, [of((3, 4), 0), of((2, 3), None)], [of((3, 4), 0), of((3, 4), -1)])


def differences_of(s: Shape, n: int, axis: int) -> Call:
    return Call(lambda x: rose.diff(x, n=n, axis=axis), lambda x: np.diff(x, n=n, axis=axis), [s], rtol=0.0)


def differences(r: random.Random) -> Call:
    s = shape(r, sizes=(1, 2, 3, 5))
    return differences_of(s, r.choice([0, 1, 1, 2]), an_axis(r, len(s)))


def of_vectors(ours: Of, theirs: Of, *shapes: Shape) -> Row:
    """A row of one call, at any size of a vector."""
    one = Call(ours, theirs, [*shapes])
    return Row(lambda r: one, [one], [])


ROWS = {
    "where": Row(choice, [Call(lambda x, y: rose.where(x > 0.3, x * y, y), np.where, [(3, 4), (4,)])]),
    "sum": reduction("sum", keepdims=KEEP, initial=[0.5, 0.0]),
    "prod": reduction("prod", keepdims=KEEP, initial=[0.5, 2.0]),
    "min": reduction("min", low=1, keepdims=KEEP, initial=[0.25, 3.0]),
    "max": reduction("max", low=1, keepdims=KEEP, initial=[0.25, 3.0]),
    "mean": reduction("mean", keepdims=KEEP),
    "var": reduction("var", keepdims=KEEP, ddof=[1, 0]),
    "std": reduction("std", keepdims=KEEP, ddof=[1, 0]),
    "all": reduction("all", keepdims=KEEP),
    "any": reduction("any", keepdims=KEEP),
    "argmax": reduction("argmax", low=1, several=False, keepdims=KEEP),
    "argmin": reduction("argmin", low=1, several=False, keepdims=KEEP),
    "trace": of_vectors(rose.trace, np.trace, (3, 4)),
    "norm": norms(),
    "logsumexp": reduction("logsumexp", log_of_sum, keepdims=KEEP),
    "softmax": softmaxes(),
    "cumsum": running("cumsum", np.cumsum),
    "cumprod": running("cumprod", np.cumprod),
    "cummax": running("cummax", accumulated(np.maximum)),
    "cummin": running("cummin", accumulated(np.minimum)),
    "diff": Row(differences, [differences_of((3, 4), 1, 0), differences_of((5,), 2, -1)], []),
}


def written(text: str, *shapes: Shape, rtol: float = 0.0) -> Call:
    """The call that is written, of `x`, `y`, `z` of these shapes."""
    of: Callable[[Any], Of] = lambda of: lambda *xs: eval(text, {**names(of), **dict(zip("xyz", xs, strict=False))})
    return Call(of(rose), of(np), [*shapes], rtol=rtol)


def moving(*texts: str, low: int = 1, dims: bool = True) -> Row:
    """A row of calls that only move elements, of arrays of any shape."""
    draw = lambda r: written(r.choice(texts), shape(r, low))
    return Row(draw, [written(texts[0], (2, 3))], [written(f"ravel({texts[0]})", (2, 3))] if dims else [])


def product(*calls: tuple[str, *tuple[Shape, ...]]) -> Row:
    """A row of these calls, whose sums are in an order that NumPy does not promise."""
    made = [written(text, *shapes, rtol=1e-14) for text, *shapes in calls]
    return Row(ones_of(*made), made[:1], [])


def at_indices(s: Shape, at: Sequence[Sequence[int]], axis: int) -> Call:
    """The elements of an array at indices along an axis."""
    where = np.array(at)
    return Call(
        lambda x: rose.take_along_axis(x, where, axis), lambda x: np.take_along_axis(x, where, axis), [s], rtol=0.0
    )


def different(x: Any, n: int) -> Any:
    """The first `n` different numbers; where there are fewer, the smallest again."""
    found = np.unique(x)
    return np.concatenate([found, np.full(n, found[0])])[:n]


ALONG = [
    at_indices((3, 2), [[2, 0], [1, -1]], 0),
    at_indices((2, 3), [[2, 0], [1, -1]], -1),
    at_indices((4, 2), [[1, 0, 1]], 1),
]


def made(name: str) -> Row:
    """A row of a function that makes an array of a size."""
    call = lambda n: written(f"{name}({n}) * x", (n,))
    sized = Call(lambda x: getattr(rose, name)(x.shape[0]) * x, lambda x: getattr(np, name)(len(x)) * x, [(3,)])
    return Row(ones_of(*map(call, (0, 1, 3))), [call(3)], [sized] if name != "eye" else [])


ROWS |= {
    **{name: made(name) for name in ("zeros", "ones", "eye", "arange")},
    "full": product(("full((2, 3), x[0]) * x", (3,)), ("full((3,), x)", (3,))),
    "linspace": product(("linspace(x[0], x[1], 5)", (2,)), ("linspace(x[0], 1.0, 4, endpoint=False)", (2,))),
    "zeros_like": moving("zeros_like(x) + x"),
    "ones_like": moving("ones_like(x) * x"),
    "full_like": moving("full_like(x, 2.5) * x"),
    "meshgrid": product(("stack(meshgrid(x, y))", (2,), (3,)), ("meshgrid(x, y, indexing='ij')[1]", (2,), (3,))),
    "array": moving("array([x, 2.0 * x])", "array([[x, x], (x, -x)])", "array((x,), dtype=float)"),
    "copy": moving("copy(x)", "x.copy()"),
    "astype": moving("(3.0 * x).astype(float)", "x.astype(int) * x", "(x > 0.5).astype(int) + x"),
    "reshape": moving("reshape(x, (-1,))", "reshape(x, (*x.shape, 1))", "reshape(x, x.shape[::-1])"),
    "ravel": moving("ravel(x)"),
    "flatten": Row(lambda r: Call(rose.flatten, np.ravel, [shape(r)]), [Call(rose.flatten, np.ravel, [(2, 3)])]),
    "transpose": moving("transpose(x)", "x.transpose()", "x.T"),
    "moveaxis": moving("moveaxis(x, 0, -1)", "moveaxis(x, -1, 0)"),
    "swapaxes": moving("swapaxes(x, 0, -1)", "x.swapaxes(0, -1)"),
    "squeeze": moving("squeeze(x)", "x.squeeze()"),
    "expand_dims": moving("expand_dims(x, 0)", "expand_dims(x, (0, -1))"),
    "broadcast_to": moving("broadcast_to(x, (2, *x.shape))"),
    "flip": moving("flip(x)", "flip(x, 0)", "flip(x, -1)"),
    "roll": moving("roll(x, 2)", "roll(x, -1, 0)", "roll(x, 3, -1)"),
    "tile": moving("tile(x, 2)", "tile(x, (2, 1))"),
    "repeat": moving("repeat(x, 3)", "repeat(x, 2, -1)"),
    "tril": moving("tril(x)", "tril(x, -1)", "tril(x, 1)", low=2),
    "triu": moving("triu(x)", "triu(x, -1)", "triu(x, 1)", low=2),
    "diag": product(("diag(x)", (3,)), ("diag(x, -1)", (3,)), ("diag(x, 1)", (3, 4)), ("diag(x)", (0,))),
    "diagonal": moving("diagonal(x)", "diagonal(x, 1)", "x.diagonal(-1)", low=2, dims=False),
    "stack": moving("stack([x, 2 * x])", "stack([x, x], -1)", "stack([x, x, x], 1)"),
    "concatenate": moving("concatenate([x, 2 * x])", "concatenate([x, x], -1)", "concatenate([x, x], None)"),
    "hstack": moving("hstack([x, -x])"),
    "vstack": moving("vstack([x, x])"),
    "column_stack": moving("column_stack([x, 2.0 * x])", "column_stack((x, -x, x))"),
    "split": moving("split(x, 1)[0]", "split(x, [1, 2])[1]", "split(x, [1], -1)[0]", dims=False),
    "array_split": moving("array_split(x, 2)[0]", "array_split(x, 3, -1)[1]", dims=False),
    "pad": moving("pad(x, 1)", "pad(x, (2, 1), constant_values=1.5)"),
    "dot": product(("dot(x, y)", (5,), (5,)), ("x.dot(y)", (2, 3), (3, 2)), ("dot(x, y)", (2, 3), (3,))),
    "vdot": product(("vdot(x, y)", (2, 3), (2, 3)), ("vdot(x, y)", (0,), (0,))),
    "inner": product(("inner(x, y)", (2, 3), (4, 3)), ("inner(x, y)", (3,), (3,))),
    "outer": product(("outer(x, y)", (2,), (3,)), ("outer(x, y)", (0,), (3,))),
    "kron": product(("kron(x, y)", (2, 2), (3,)), ("kron(x, y)", (2, 1), (1, 3))),
    "cross": product(("cross(x, y)", (3,), (3,)), ("cross(x, y)", (2, 3), (3,))),
    "matmul": product(("matmul(x, y)", (2, 3), (3, 4)), ("x @ y", (2, 2, 3), (3, 1)), ("x @ y", (3,), (4, 3, 2))),
    "tensordot": product(("tensordot(x, y, 1)", (2, 3), (3, 2)), ("tensordot(x, y)", (3, 2, 3), (2, 3, 2))),
    "einsum": product(("einsum('ij,jk->ik', x, y)", (2, 3), (3, 2)), ("einsum('ii', x)", (3, 3))),
    "convolve": product(("convolve(x, y)", (4,), (2,)), ("convolve(x, y, 'valid')", (4,), (2,))),
    "trapezoid": product(("trapezoid(x)", (5,)), ("trapezoid(x, y, axis=0)", (3, 2), (3,))),
    "sort": moving("sort(x)", "sort(x, 0)", "sort(x, None)"),
    "argsort": moving("argsort(x, kind='stable') + 0.0", "x.argsort(0, kind='stable') + 0.0")._replace(smooth=()),
    "median": product(
        ("median(x)", (2, 3)),
        ("median(x, axis=1)", (2, 4)),
        ("median(x, axis=0, keepdims=True)", (5, 2)),
        ("median(x, keepdims=True)", (3, 1)),
        ("median(x)", (1,)),
    ),
    "quantile": product(
        ("quantile(x, 0.25)", (7,)),
        ("quantile(x, 0.9, axis=-1)", (2, 5)),
        ("quantile(x, 1.0, axis=0, keepdims=True)", (4, 3)),
        ("quantile(x, 0.0)", (2, 2)),
    ),
    "percentile": product(
        ("percentile(x, 30)", (7,)),
        ("percentile(x, [10, 50, 99.5], axis=0, keepdims=True)", (5, 2)),
        ("percentile(x, (25.0, 75.0))", (2, 3)),
    ),
    "average": product(
        ("average(x, 0, abs(y) + 1.0)", (3, 2), (3,)),
        ("average(x, weights=1.0 + y * y, keepdims=True)", (2, 3), (2, 3)),
        ("average(x, axis=(0, 2), weights=1.0 + y * y)", (2, 1, 3), (2, 1, 3)),
        ("average(x, -1)", (2, 3)),
    ),
    "ptp": reduction("ptp", low=1, keepdims=KEEP),
    "cov": product(
        ("cov(x)", (2, 5)),
        ("cov(x, y, rowvar=False)", (4, 2), (4, 1)),
        ("cov(x)", (4,)),
        ("cov(x, y, bias=True)", (3,), (3,)),
        ("cov(x, ddof=2)", (1, 4)),
        ("cov(x, aweights=1.0 + y * y)", (2, 4), (4,)),
        ("cov(x, bias=True, fweights=[2, 1, 3], aweights=1.0 + y * y)", (2, 3), (3,)),
    ),
    "corrcoef": product(("corrcoef(x, y)", (6,), (2, 6)), ("corrcoef(x, rowvar=False)", (4, 2)), ("corrcoef(x)", (3,))),
    "count_nonzero": reduction("count_nonzero", lambda x, **named: 1.0 * np.count_nonzero(x, **named), keepdims=KEEP),
    "nansum": passing_over_nan("nansum"),
    "nanmean": passing_over_nan("nanmean"),
    "nanmin": passing_over_nan("nanmin"),
    "nanmax": passing_over_nan("nanmax"),
    "correlate": product(
        ("correlate(x, y)", (5,), (2,)),
        ("correlate(x, y, 'full')", (2,), (5,)),
        ("correlate(x, y, 'same')", (3,), (6,)),
        ("correlate(x, y, mode='same')", (6,), (3,)),
    ),
    "polyval": product(
        ("polyval(x, y)", (4,), (2, 3)),
        ("polyval(x, x[0])", (3,)),
        ("polyval([2.0, 0.5, -1.0], x)", (3,)),
        ("polyval(x, y)", (0,), (2,)),
        ("polyval(x, y)", (3,), (0,)),
    ),
    "vander": product(("vander(x)", (4,)), ("vander(x, 2, increasing=True)", (3,)), ("vander(x, N=5)", (2,))),
    "fliplr": moving("fliplr(x)", low=2),
    "flipud": moving("flipud(x)"),
    "rot90": moving("rot90(x)", "rot90(x, 2)", "rot90(x, -1)", "rot90(x, 3, axes=(1, 0))", "rot90(x, 4)", low=2),
    "atleast_1d": moving("atleast_1d(x)", "atleast_1d(x.min())"),
    "atleast_2d": moving("atleast_2d(x)", "atleast_2d(x.ravel())"),
    "dstack": moving("dstack([x, 2.0 * x])"),
    "append": moving("append(x, 2.0 * x)", "append(x, x, 0)", "append(x, 3.0)"),
    "block": product(
        ("block([[x, 2.0 * x], [y, y]])", (2, 3), (1, 3)),
        ("block([x, y, 3.0])", (2,), (3,)),
        ("block([[x[0], x], [y]])", (2,), (3,)),
        ("block(x)", (2, 3)),
    ),
    "take": product(
        ("take(x, [2, 0, 2], 0)", (3, 2)),
        ("take(x, -1, -1)", (2, 1, 3)),
        ("x.take([[0, -1]])", (2, 3)),
        ("take(x, 4)", (2, 3)),
        ("take(x, [1, 0], axis=1)", (0, 2)),
    ),
    "nonzero": Row(
        ones_of(
            Call(lambda x: rose.nonzero(x * x + 1.0, size=4)[1] + 0.0, lambda x: np.arange(4.0) % 2, [(3, 2)]),
        )
    ),
    "unique": Row(
        ones_of(Call(lambda x: rose.unique(x, size=3), lambda x: different(x, 3), [(4,)])),
        [Call(lambda x: rose.unique(x, size=4), np.sort, [(4,)])],
    ),
    "take_along_axis": Row(ones_of(*ALONG), ALONG, []),
    "searchsorted": product(
        ("searchsorted(cumsum(abs(x)), y * y) + 0.0", (5,), (2, 3)),
        ("searchsorted(cumsum(abs(x)), cumsum(abs(x)), side='right') + 0.0", (4,)),
        ("cumsum(abs(x)).searchsorted(y[0]) + 0.0", (1,), (1,)),
        ("searchsorted(x, y) + 0.0", (0,), (3,)),
    )._replace(smooth=()),
    "interp": product(
        ("interp(y, cumsum(1.0 + abs(x)), x)", (5,), (2, 3)),
        ("interp(cumsum(1.0 + abs(x)), cumsum(1.0 + abs(x)), x * y, left=x[0], right=2.0)", (4,), (4,)),
        ("interp(y, x, x)", (1,), (3,)),
    ),
    "nan_to_num": product(("nan_to_num(x)", (3, 2)), ("nan_to_num(x / 0.0, nan=2.0, posinf=y, neginf=-y)", (5,), (5,))),
    "gradient": product(
        ("gradient(x, y[0], axis=0)", (4, 3), (1,)),
        ("gradient(x)", (2,)),
        ("gradient(x, cumsum(1.0 + y * y), axis=-1)", (2, 3, 5), (5,)),
        ("gradient(x, 0.5, 2.0)[1]", (3, 4)),
        ("gradient(x, axis=(1, 0))[0]", (3, 4)),
    ),
}
NAMES = [row.name for row in VOCABULARY]
SMOOTH = [(name, k) for name in ROWS for k in range(len(ROWS[name].smooth))]
DIMS = [(name, k) for name in ROWS for k in range(len(ROWS[name].dims))]


def test_each_name_has_a_row():
    assert sorted(ROWS) == sorted(NAMES)
    assert {name for name, _ in SMOOTH} == set(NAMES) - FLAT


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("name", NAMES)
def test_a_name_gives_what_numpy_gives(name: str, seed: int):
    call, rng = ROWS[name].draw(random.Random(f"{name} {seed}")), np.random.default_rng(seed)
    tried = [k for k in HARD if call.leaf is Real and k not in APART.get(name, {})]
    more = [[hard(rng, s, k) for s in call.shapes] for k in tried]
    signs = call.rtol == 0.0 and name not in ZEROS
    first = [arrays(rng, s, call.leaf) for s in call.shapes]
    agree(call.ours, call.theirs, call.leaf, first, call.rtol, *more, signs=signs)


def total(v: Any) -> Any:
    """A sum with weights, in which no two elements can take each other's place."""
    if v.ndim == 0:
        return v * v
    return sum([(0.5 + 0.25 * k) * x * x for k, x in enumerate(flat(v))])


def whole(v: Any) -> Any:
    return rose.sum(v) if v.ndim else v


def flat(v: Any) -> list[Any]:
    return [v] if not v.ndim else [x for k in range(len(v)) for x in flat(v[k])]


@pytest.mark.parametrize(("name", "k"), SMOOTH)
def test_derivatives_in_both_modes_and_twice_agree_with_differences(name: str, k: int):
    call = ROWS[name].smooth[k]
    types = [array_type(s, Real) for s in call.shapes]
    f = fn(types, Real)(lambda *xs: total(call.ours(*xs)))
    for g in (f, fn(types, types[0])(rose.grad(f, 0))):
        report = rose.testing.examine(g, points=2)
        assert report.ok, report


COMPARED = {"where", "nansum", "nanmean", "nanmin", "nanmax", "astype"}  # whose calls ask NumPy to compare, or convert


@pytest.mark.parametrize("name", sorted(set(NAMES) - COMPARED))
def test_numpys_arrays_of_objects_are_taken_as_arrays(name: str):
    for k, call in enumerate(ROWS[name].smooth or [any_call(name)]):
        types, rng = [array_type(s, Real) for s in call.shapes], np.random.default_rng(k)
        xs = [rng.normal(size=s) for s in call.shapes]
        counted: Of = lambda y: rose.where(y, 1.0, 0.0) if name in ("all", "any") else y
        of: Callable[[Of], Any] = lambda given, call=call, types=types, counted=counted: fn(types, Real)(
            lambda *vs: total(rose.array(counted(call.ours(*map(given, vs)))))
        )
        ours, whole, each = of(lambda v: v), of(np.asarray), of(lambda v: np.asarray(v) * 1.0)
        assert ours(*xs) == whole(*xs) == each(*xs)


@pytest.mark.parametrize(("name", "k"), DIMS)
def test_sizes_that_a_call_decides_give_the_same(name: str, k: int):
    call, rng = ROWS[name].dims[k], np.random.default_rng(k)
    names = {n: dim(f"n{n}") for s in call.shapes for n in s}
    f = fn([array_type([names[n] for n in s], Real) for s in call.shapes], Real)(lambda *xs: whole(call.ours(*xs)))
    xs = [rng.normal(size=s) for s in call.shapes]
    assert rose.compile(f, dynamic=True)(*xs) == f(*xs)
    both = [g(*xs) for g in (rose.compile(rose.grad(f), dynamic=True), rose.grad(f))]
    assert np.array_equal(*both)


# numbers that are not ordinary
HARD = {
    "zeros": (-0.0, 0.0, 1.0, -1.0),
    "infinity": (math.inf, 0.5, -0.0, 2.0),
    "nan": (math.inf, -math.inf, 1.0),
    "large": (1e200, -1e-200, 3.0),
}
BESIDE_INFINITY = "NumPy's line to an infinite neighbour is nan at its other end"
APART = {  # where NumPy's answer is not asked for, and why
    "norm": {"large": "NumPy's squares overflow"},
    "cov": {"large": "infinities of both signs are added up, in another order"},
    "quantile": {"infinity": BESIDE_INFINITY, "nan": BESIDE_INFINITY},
    "percentile": {"infinity": BESIDE_INFINITY, "nan": BESIDE_INFINITY},
    "gradient": dict.fromkeys(("infinity", "nan", "large"), "its formula is another one"),
    "interp": dict.fromkeys(HARD, "the places would not increase; test_searches.py has those that do"),
}
ZEROS = {  # where a zero may have another sign, and why
    "cumsum": "a sum begins at 0.0",
    "cummax": "0.0 is above -0.0, as IEEE 754 has it",
    "cummin": "-0.0 is below 0.0, as IEEE 754 has it",
    "sort": "NumPy's is not stable",
}


def hard(rng: np.random.Generator, s: Shape, kind: str) -> Any:
    """An array of such numbers, with one nan where they say so."""
    x = rng.choice(HARD[kind], size=s)
    if kind == "nan" and x.size:
        np.put(x, rng.integers(x.size), math.nan)
    return x


# node


def any_call(name: str) -> Call:
    """A call of a name on a few numbers."""
    drawn = [ROWS[name].draw(random.Random(f"{name} {seed}")) for seed in range(100)]
    fits: Callable[[Call], bool] = lambda c: c.leaf is Real and 0 < sum([math.prod(s) for s in c.shapes]) <= 60
    return next(filter(fits, drawn))


def in_a_row(call: Call, x: Any) -> list[Any]:
    """The arrays of a call, from all of their numbers in a row."""
    ends = np.cumsum([math.prod(s) for s in call.shapes]).tolist()
    return [np.reshape(x[end - math.prod(s) : end], s) for s, end in zip(call.shapes, ends, strict=True)]


def values_and_slopes(name: str) -> tuple[Any, np.ndarray]:
    """What a call gives, and the gradient of a sum of it, of all of its numbers in a row; and two such rows."""
    call, rng = any_call(name), np.random.default_rng(0)
    points = rng.normal(size=(2, sum([math.prod(s) for s in call.shapes])))
    f = fn([Vec[points.shape[1]]], Real)(lambda x: total(call.ours(*in_a_row(call, x))))

    def row(x: Any) -> Any:
        y = call.ours(*in_a_row(call, x))
        values = rose.ravel(rose.where(y, 1.0, 0.0) if name in ("all", "any") else y + 0.0)
        return values if name in FLAT else rose.concatenate([values, rose.grad(f)(x)])

    size = np.size(call.theirs(*in_a_row(call, points[0]))) + points.shape[1] * (name not in FLAT)
    sweep = fn([Vec[points.shape]], Vec[2, size])(lambda ps: rose.vec(row(ps[i]) for i in rose.range(2)))
    return sweep, points


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_node_has_the_bits_of_the_interpreter(tmp_path: Path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed, so its bits are not compared")
    sweeps = {name: values_and_slopes(name) for name in NAMES}
    bundle = [same_bits.entry(name, f, xs, run(f.func, tuples(xs.tolist()))) for name, (f, xs) in sweeps.items()]
    assert same_bits.in_node(bundle, tmp_path) == [[[name, 2] for name in NAMES], []]


def arrays(rng: np.random.Generator, s: Shape, leaf: Type) -> Any:
    """An array at random; of numbers a few are the same, so that there are ties."""
    x = rng.normal(size=s)
    return x > 0.0 if leaf is Bool else np.where(rng.random(s) < 0.3, np.round(x), x)
