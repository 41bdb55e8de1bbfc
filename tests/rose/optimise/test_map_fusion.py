"""Map fusion: which vectors are stored, and that none of it changes a bit."""

from __future__ import annotations

import operator as op
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import same

import rose
from rose import Real, Vec, fn
from rose.frontend import tracing
from rose.host.interpreter import run
from rose.ir import FOR, Func
from rose.ir.callgraph import instructions
from rose.ir.check import check

n = 5


def loops(f: Func) -> int:
    return sum([v.op is FOR for v in instructions(f.body)])


def stored(f: Func) -> int:
    """The vectors that the loops of a function make: those of units hold nothing."""
    return sum([not r.type.empty for v in instructions(f.body) if v.op is FOR for r in v.attr.results])


def dense(x: Any, w: Any) -> Any:
    h = rose.tanh(x)
    return rose.sum(rose.sum(w[i][j] * h[j] for j in rose.range(n)) for i in rose.range(n))


PROGRAMS: dict[str, tuple[Callable[[Any, Any], Any], int]] = {  # and the vectors that are worth storing
    "a chain": (lambda x, w: rose.sum(rose.sin(x * x + 1.0) / (2.0 - x)), 0),
    "a value that two read": (lambda x, w: rose.sum((e := rose.exp(x)) * e + rose.sin(e)), 0),
    "a value that two loops read": (lambda x, w: rose.sum(e := rose.exp(x)) + rose.sum(x * e), 1),
    "differences": (lambda x, w: rose.sum((x[1:] - x[:-1]) ** 2), 0),
    "differences of differences": (lambda x, w: rose.sum(((d := x[1:] - x[:-1])[1:] - d[:-1]) ** 2), 0),
    "neighbours that cost": (lambda x, w: rose.sum((e := rose.exp(x))[1:] - e[:-1]), 1),
    "a row that is broadcast": (lambda x, w: rose.sum(rose.sum((w * x)[i]) for i in rose.range(n)), 0),
    "a row that costs, and is broadcast": (lambda x, w: rose.sum((w * rose.exp(x))[i][i] for i in rose.range(n)), 0),
    "a column that costs": (
        lambda x, w: rose.sum(rose.sum((w * rose.exp(x)[:, None])[i]) for i in rose.range(n)), 0,
    ),
    "a transpose": (lambda x, w: rose.sum(rose.sum((w.T * w)[i]) for i in rose.range(n)), 0),
    "a transpose of what costs": (lambda x, w: rose.sum(rose.sum((rose.exp(w).T + 1.0)[i]) for i in rose.range(n)), 0),
    "what an inner loop reads": (dense, 1),
    "an element": (lambda x, w: rose.exp(x)[2], 0),
    "what is read backwards": (lambda x, w: rose.sum(rose.exp(x)[::-1]), 0),
    "a gather": (lambda x, w: rose.sum(rose.exp(x)[[0, 1, 1, 3]]), 1),
    "what nobody reads": (lambda x, w: [rose.exp(x), x[0]][1], 0),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_only_what_is_worth_it_is_stored(name: str):
    body, most = PROGRAMS[name]
    f = fn([Vec[n], Vec[n, n]], Real)(body)
    assert stored(check(f.func)) <= most


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_changes_a_bit(name: str, monkeypatch: pytest.MonkeyPatch):
    body, _ = PROGRAMS[name]
    rng = np.random.default_rng(1)
    point = tuple(rng.normal(size=n).tolist()), tuple(map(tuple, rng.normal(size=(n, n)).tolist()))
    fused = fn([Vec[n], Vec[n, n]], Real)(body)
    assert same(fused(*point), run(fused.func, *point))
    slope = rose.grad(fused, (0, 1))(*point)
    monkeypatch.setattr(tracing, "fuse_maps", lambda f, maps: f)
    plain = fn([Vec[n], Vec[n, n]], Real)(body)
    assert same(run(plain.func, *point), run(fused.func, *point))
    for got, want in zip(slope, rose.grad(plain, (0, 1))(*point), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)


def test_what_leaves_the_function_is_stored():
    f = fn([Vec[n]], tuple[Vec[n], Real])(lambda x: ((e := rose.exp(x)), rose.sum(e * e)))
    assert stored(f.func) == 1
    assert loops(f.func) == 2


def test_a_chain_of_a_thousand_operations_is_no_recursion():
    def long(x: Any) -> Any:
        for k in range(1000):
            x = x[::-1] + float(k) if k % 3 else x * x
        return rose.sum(x)

    f = fn([Vec[n]], Real)(long)
    with pytest.warns(rose.UnrolledLoop):
        assert check(f.func)


def drawn(seed: int) -> tuple[Any, tuple[Any, ...]]:
    """A random program of arrays, and a point."""
    sizes = random.Random(seed)
    rows, columns = sizes.choice([1, 2, 3]), sizes.choice([0, 1, 2, 5])

    def body(x: Any, w: Any) -> Any:
        r, pool, total = random.Random(seed), [x, w], rose.sum(x)
        for _ in range(r.randint(3, 10)):
            a, b = r.choice(pool), r.choice(pool)
            kind = r.randrange(9)
            if kind < 3:
                v = r.choice([op.add, op.mul, lambda a, b: rose.where(a > b, a, 2.0 * b)])(a, b)
            elif kind < 5:
                v = r.choice([rose.sin, rose.tanh, lambda v: -v, lambda v: v / (1.0 + v * v)])(a)
            elif kind == 5:
                v = a[::-1] if a.ndim == 1 else (a * 1.5).T.T[:, ::-1]
            elif kind == 6:
                v = rose.sin(a)[..., [0] * columns] if columns else a
            elif kind == 7:
                d = a[..., 1:] - a[..., :-1] if columns else a
                total, v = total + whole(d), a
            else:
                total, v = total + whole(a * b), rose.exp(-a * a)
            pool.append(v)
        return total + whole(pool[-1]) + whole(r.choice(pool))

    point = np.random.default_rng(seed)
    given = point.normal(size=columns).tolist(), point.normal(size=(rows, columns)).tolist()
    return fn([Vec[columns], Vec[rows, columns]], Real)(body), (tuple(given[0]), tuple(map(tuple, given[1])))


def whole(v: Any) -> Any:
    return rose.sum(v) if v.ndim == 1 else rose.sum(rose.sum(v[i]) for i in rose.range(len(v)))


@pytest.mark.parametrize("seed", range(60))
def test_programs_at_random_keep_their_bits(seed: int, monkeypatch: pytest.MonkeyPatch):
    f, point = drawn(seed)
    got = run(check(f.func), *point)
    monkeypatch.setattr(tracing, "fuse_maps", lambda f, maps: f)
    assert same(run(drawn(seed)[0].func, *point), got)


def of_indices(seed: int) -> tuple[Any, tuple[Any, ...]]:
    """A random program of vectors whose elements are made from their indices, read over shorter ranges and none."""
    r = random.Random(seed)
    size, inner = r.choice([1, 2, 3, 5]), r.choice([1, 2, 3])
    few = r.choice([0, inner])
    at = fn([rose.Fin[8], Vec[3]], Real)(lambda i, x: x[i % 3] * 0.5)
    numbers: list[Callable[[Any, Any], Any]] = [
        lambda i, x: x[i % 3],
        lambda i, x: at(i, x),
        lambda i, x: rose.cond(x[i % 3] > 0.5, lambda: x[i % 3], lambda: 2.0 * x[(i + 1) % 3]),
        lambda i, x: rose.select(i > 1, x[i // 3], 1.5),
        lambda i, x: rose.sum(x[j % 3] for j in rose.range(i)),
        lambda i, x: rose.scan(lambda j, s: s * 0.5 + x[(i + j) % 3], 1.0, inner),
    ]
    number, other = r.choice(numbers), r.choice(numbers)
    elements: list[tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = [
        (number, lambda t, x: t),
        (lambda i, x: (number(i, x), i + 1), lambda t, x: t[0] * x[t[1] % 3]),
        (lambda i, x: [number(i, x), other(i, x)], lambda t, x: t[0] - t[1]),
        (lambda i, x: rose.vec(i + j for j in rose.range(inner)), lambda t, x: x[t[inner - 1] % 3]),
        (
            lambda i, x: rose.vec((number(i, x), i * 2 + j) for j in rose.range(inner)),
            lambda t, x: rose.sum(t[j][0] * x[t[j][1] % 3] for j in rose.range(few)),
        ),
    ]
    made, read = r.choice(elements)
    index = r.choice([lambda k: k, lambda k: size - 1 - k, lambda k: (k + 1) % size])

    def body(x: Any) -> Any:
        t = rose.vec(made(i, x) for i in rose.range(size))
        u = rose.vec(read(t[index(k)], x) for k in rose.range(shorter[0]))
        return rose.sum(u[k] for k in rose.range(shorter[1])) + x[0]

    shorter = sorted([r.randint(0, size), r.randint(0, size)], reverse=True)
    return fn([Vec[3]], Real)(body), (tuple(np.random.default_rng(seed).normal(size=3).tolist()),)


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_vectors_of_what_indices_make_at_random(start: int, monkeypatch: pytest.MonkeyPatch):
    seeds = range(start, start + 20)
    got = [run(check(f.func), *x) for f, x in map(of_indices, seeds)]
    slopes = [run(check(rose.grad(f).func), *x) for f, x in map(of_indices, seeds)]
    monkeypatch.setattr(tracing, "fuse_maps", lambda f, maps: f)
    for k, seed in enumerate(seeds):
        f, x = of_indices(seed)
        assert same(run(f.func, *x), got[k]), seed
        np.testing.assert_allclose(slopes[k], run(rose.grad(f).func, *x), rtol=1e-12, atol=1e-12)
