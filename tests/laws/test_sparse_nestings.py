"""Patterns of loops and branches inside of each other, to a depth of three: they cover what is not 0.

Each `while` loop runs as often as the data says, and its derivative keeps a stack: one in another keeps stacks of
stacks, in a scan vectors of them, in a struct tuples.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import rose
from rose import Real, Vec

AT = [0.7, -0.4, 0.9]

Layer = Callable[[Callable[[Any], Any], Any, Any], Any]


@rose.struct
class State:
    now: Real
    past: Vec[2, Vec[1]]
    time: Real


def in_while(f: Callable[[Any], Any], s: Any, x: Any) -> Any:
    return rose.while_loop(lambda a: a[1] < 2.5, lambda a: [f(a[0]), a[1] + 1.0 + 0.1 * x[2] ** 2], [s, x[2]])[0]


def in_while_of_a_struct(f: Callable[[Any], Any], s: Any, x: Any) -> Any:
    step = lambda a: State(f(a.now), rose.vec([a.past[1], rose.vec([a.now])]), a.time + x[2])
    end = rose.while_loop(lambda a: a.time < 2.0, step, State(s, rose.vec([[0.0], [1.0]]), x[2]))
    return end.now + end.past[0][0] * end.past[1][0]


def in_scan(f: Callable[[Any], Any], s: Any, x: Any) -> Any:
    return rose.scan(lambda i, a: f(a) + 0.1 * x[i], s, 2)


def in_cond(f: Callable[[Any], Any], s: Any, x: Any) -> Any:
    return rose.cond(s > x[2], lambda: f(s), lambda: f(s * x[1]))


def in_loop(f: Callable[[Any], Any], s: Any, x: Any) -> Any:
    return rose.sum(f(s * x[i]) for i in rose.range(2))


LAYERS: dict[str, Layer] = {"while": in_while, "struct": in_while_of_a_struct, "scan": in_scan, "cond": in_cond,
                            "loop": in_loop}  # fmt: skip
PAIRS = list(product(LAYERS, repeat=2))
TRIPLES = [k for k in product(LAYERS, repeat=3) if sum([layer in ("while", "struct") for layer in k]) >= 2]


def nested(layers: tuple[str, ...], s: Any, x: Any) -> Any:
    """An expression in the state `s` and the vector `x` in these layers, the first of which is the outermost."""
    if not layers:
        return 0.3 * s * x[0] + rose.sin(x[1])
    return LAYERS[layers[0]](lambda a: nested(layers[1:], a, x), s, x)


def program(layers: tuple[str, ...]) -> rose.Fn[..., Any]:
    return rose.fn([Vec[3]], Vec[2])(lambda x: rose.vec([nested(layers, x[0] * x[2], x), x[1] * x[2]]))


def compare(sparse: Any, pattern: rose.Sparsity, dense: Any) -> None:
    assert (sparse.toarray() == pytest.approx(dense, rel=1e-12, abs=1e-12)) and any(map(any, dense))
    there = set(zip(pattern.rows, pattern.cols, strict=True))
    assert all([dense[i][j] == 0.0 for i in range(len(dense)) for j in range(3) if (i, j) not in there])


def holds(layers: tuple[str, ...]) -> None:
    """Jacobians and Hessians along the pattern are the dense ones, and 0 where the pattern has nothing."""
    f = program(layers)
    g = rose.fn([Vec[3]], Real)(lambda x: f(x)[0] * f(x)[1])
    module = rose.compile({"sparse": rose.jacobian(f, sparse=True), "dense": rose.jacrev(f),
                           "hessian": rose.hessian(g, sparse=True), "twice": rose.hessian(g)})  # fmt: skip
    compare(module["sparse"](AT), rose.sparsity(f), module["dense"](AT))
    compare(module["hessian"](AT), rose.sparsity(rose.grad(g)), module["twice"](AT))


@pytest.mark.parametrize("layers", PAIRS, ids=lambda layers: " in ".join(reversed(layers)))
def test_the_pattern_of_two_layers(layers: tuple[str, ...]):
    holds(layers)


@pytest.mark.slow
@pytest.mark.parametrize("layers", TRIPLES, ids=lambda layers: " in ".join(reversed(layers)))
def test_the_pattern_of_three_layers(layers: tuple[str, ...]):
    holds(layers)
