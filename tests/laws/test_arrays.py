"""The laws of arrays: every operator and function of elements, and every part, gives what NumPy gives.

Of random shapes: sizes 0, 1 and odd ones, ranks from 0 to 4, broadcast. The module has the bits of the interpreter, and
gradients those of the function that goes through the elements one by one, to a few units in the last place.
"""

from __future__ import annotations

import operator as op
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpys import agree

import rose
from rose import Bool, Fin, Real, dim, fn
from rose.frontend.arrays.shapes import array_type
from rose.ir import OPS

Of = Callable[..., Any]


def clipped(x: Any, y: Any, z: Any) -> Any:
    return np.minimum(np.maximum(x, y), z)


def masked(x: Any, y: Any) -> Any:
    return (x > y) * x + 2.0 * (x < y) - y * (x > 0.0)


def counted(x: Any, y: Any) -> Any:
    return 1.0 - (x > y) + (x > 0.0) / 4.0


REALS: dict[str, tuple[Of, Of]] = {  # ours and NumPy's
    **{f.__name__: (f, f) for f in (op.add, op.sub, op.mul, op.truediv, op.mod, op.neg, op.abs)},
    **{f.__name__: (f, f) for f in (op.lt, op.le, op.gt, op.ge, op.eq, op.ne)},
    "power": (lambda x, y: abs(x) ** y, lambda x, y: abs(x) ** y),
    "square": (lambda x: x**2, lambda x: x**2),
    "maximum": (rose.max, np.maximum),
    "minimum": (rose.min, np.minimum),
    "where": (lambda x, y: rose.where(x > y, x, 2.0 * y), lambda x, y: np.where(x > y, x, 2.0 * y)),
    "clip": (rose.clip, clipped),
    "round": (rose.round, np.round),
    "masked": (masked, masked),
    "counted": (counted, counted),
}
NAMES = {  # of functions that NumPy has, by our names
    "atan": "arctan", "asinh": "arcsinh", "atan2": "arctan2", **{k: k for k in """cbrt ceil copysign cos cosh exp exp2
    expm1 floor fmod hypot sign sin sinh tan tanh trunc""".split()},
}  # fmt: skip
REALS |= {ours: (OPS[ours], getattr(np, theirs)) for ours, theirs in NAMES.items()}
ALONE = {k for k in NAMES if k not in ("atan2", "copysign", "fmod", "hypot")} | {"neg", "abs", "square", "round"}
TRUTHS: dict[str, Of] = {"and": op.and_, "or": op.or_, "xor": op.xor, "eq": op.eq, "ne": op.ne}
EXACT = {
    "add",
    "sub",
    "mul",
    "truediv",
    "neg",
    "abs",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "maximum",
    "minimum",
    "clip",
    "masked",
    "counted",
}


def shapes(r: random.Random, count: int) -> list[tuple[int, ...]]:
    """Shapes that are broadcast to one."""
    whole = [r.choice([0, 1, 1, 2, 3]) for _ in range(r.randint(0, 4))]
    out = [tuple(r.choice([n, n, 1]) for n in whole)[r.randint(0, len(whole)) :] for _ in range(count)]
    return [tuple(whole) if whole else (3,), *out[1:]]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(REALS))
def test_a_function_of_elements_gives_what_numpy_gives(name: str, seed: int):
    ours, theirs = REALS[name]
    r, rng = random.Random(f"{name}{seed}"), np.random.default_rng(seed)
    count = 1 if name in ALONE else 3 if name == "clip" else 2
    xs = [rng.normal(size=s) for s in shapes(r, count)]
    agree(ours, theirs, Real, xs, 0.0 if name in EXACT else 4e-15)


@pytest.mark.parametrize("name", sorted(TRUTHS))
def test_conditions_are_joined_as_numpy_joins_them(name: str):
    rng = np.random.default_rng(1)
    xs = [rng.normal(size=s) > 0.0 for s in shapes(random.Random(name), 2)]
    agree(TRUTHS[name], TRUTHS[name], Bool, xs, 0.0)


@pytest.mark.parametrize("f", [op.add, op.mul, op.sub, op.lt, op.eq, lambda x, y: x % 3 + y, lambda x, y: x // 2 * y])
def test_indices_are_integers(f: Of):
    rng = np.random.default_rng(2)
    xs = [rng.integers(0, 5, size=s) for s in ((2, 3), (3,))]
    agree(lambda *v: 1.0 * f(*v) if f not in (op.lt, op.eq) else f(*v), f, Fin[5], xs, 0.0)


SMOOTH: list[Of] = [
    lambda x, y: x * y + rose.sin(x),
    lambda x, y: rose.exp(-x * x) / (1.0 + y * y),
    lambda x, y: (x[..., 1:] - x[..., :-1]) * y[..., :-1],
    lambda x, y: rose.where(x > y, x * y, rose.tanh(y)).T,
    lambda x, y: x[::-1] * y[:, ::2][:, [0, 1, 1, 0]],
    lambda x, y: rose.atan2(x[:, None], y[None]),
    lambda x, y: (e := rose.exp(x * y)) * e[::-1] + e,
]


def total(v: Any) -> Any:
    """The sum of all elements times 1, 2, 3, ..., one by one."""
    return rose.sum([k * x for k, x in enumerate(flat(v), 1)])


def flat(v: Any) -> list[Any]:
    return [v] if not v.ndim else [x for k in range(len(v)) for x in flat(v[k])]


@pytest.mark.parametrize("of", SMOOTH)
def test_derivatives_in_both_modes_and_twice_agree_with_differences(of: Of):
    f = fn([array_type((3, 4), Real), array_type((3, 4), Real)], Real)(lambda x, y: total(of(x, y)))
    for g in (f, rose.fn(f.types, f.types[0])(rose.grad(f))):
        report = rose.testing.examine(g, points=2)
        assert report.ok, report


def key(r: random.Random, shape: tuple[int, ...]) -> str:
    """A random key of an array, as it is written."""
    bound = lambda n: r.choice(["", *map(str, range(-n, n + 1))])
    parts: list[str] = []
    for n in shape[: r.randint(0, len(shape))]:
        whole = f"{bound(n)}:{bound(n)}:{r.choice(['', '1', '2', '-1', '-2'])}"
        rows = [r.randint(-n, n - 1) for _ in range(2)] if n else []
        parts += r.choice(
            [[str(r.randint(-n, n - 1))] if n else [whole], [whole], [whole], ["None", whole], [str(rows)]]
        )
    if r.random() < 0.3:
        parts.append("...")
    return ", ".join(parts) or "..."


@pytest.mark.parametrize("seed", range(120))
def test_a_part_at_random_is_numpys(seed: int):
    r = random.Random(seed)
    shape = tuple(r.choice([1, 2, 3, 5]) for _ in range(r.randint(1, 4)))
    x, k = np.random.default_rng(seed).normal(size=shape), key(r, shape)
    cut: Of = lambda v: eval(f"v[{k}]", {"v": v})
    agree(cut, cut, Real, [x], 0.0)


@pytest.mark.parametrize("of", [lambda x, y: x * y + 1.0, lambda x, y: rose.where(x > 0.5, x, y), lambda x, y: -x / y])
def test_sizes_that_a_call_decides_are_broadcast(of: Of):
    n, m = dim("n"), dim("m")
    f = fn([array_type((n, m), Real), array_type((m,), Real)], array_type((n, m), Real))(of)
    g = rose.compile(f, dynamic=True)
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(3, 2)), rng.normal(size=2)
    assert np.array_equal(g(x, y), f(x, y))
