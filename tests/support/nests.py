"""Nests of loops over i and j in which something expensive depends on one of the indices, in many shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import rose
from rose import Real, Vec
from rose.host.interpreter import Watch, run
from rose.ir import Block, Func

AnyFn = Any
EXPENSIVE = ("exp", "log", "sin", "cos", "tanh", "sqrt", "div")


class _Counts(Watch):
    def __init__(self) -> None:
        super().__init__()
        self.of = Counter[str]()

    def ran(self, block: Block) -> None:
        self.of.update([v.op.name for v in block.code])


def executed(f: Func, *args: Any, names: Sequence[str] = EXPENSIVE) -> int:
    """The functions of libm, divisions and roots that a function executes, or the operations of those names."""
    counts = _Counts()
    run(f, *args, watch=counts)
    return sum([counts.of[name] for name in names])


@rose.struct
class Wave:
    size: Real
    rate: Real


def _bell(a: Any, b: Any) -> Any:
    return a * rose.exp(-b * b) + b * rose.sin(a)


def double_sum(item: Callable[..., Any]) -> Callable[[int, int], AnyFn]:
    """The sum of `item(x, y, i, j)`."""
    return lambda n, m: rose.fn([Vec[n], Vec[m]], Real)(
        lambda x, y: rose.sum(rose.sum(item(x, y, i, j) for j in rose.range(m)) for i in rose.range(n))
    )


def called(n: int, m: int) -> AnyFn:
    kernel = rose.fn([Real, Real], Real)(_bell)
    return double_sum(lambda x, y, i, j: kernel(x[i], y[j]))(n, m)


def called_twice_over(n: int, m: int) -> AnyFn:
    kernel = rose.fn([Real, Real], Real)(_bell)
    outer = rose.fn([Real, Real], Real)(lambda a, b: kernel(a, b) * b + rose.log(1.0 + b * b) * a)
    return double_sum(lambda x, y, i, j: outer(x[i], y[j]))(n, m)


def in_a_callee(n: int, m: int) -> AnyFn:
    row = rose.fn([Real, Vec[m]], Real)(lambda a, y: rose.sum(rose.tanh(y[j]) * a * a for j in rose.range(m)))
    return rose.fn([Vec[n], Vec[m]], Real)(lambda x, y: rose.sum(row(x[i], y) for i in rose.range(n)))


def of_a_struct(n: int, m: int) -> AnyFn:
    def f(x: Any, y: Any) -> Any:
        waves = rose.vec(Wave(y[j] * y[j], y[j]) for j in rose.range(m))
        decay = lambda w: w.size * rose.exp(-w.rate)
        return rose.sum(rose.sum(x[i] * x[i] * decay(waves[j]) for j in rose.range(m)) for i in rose.range(n))

    return rose.fn([Vec[n], Vec[m]], Real)(f)


def makes_a_struct(n: int, m: int) -> AnyFn:
    wave = rose.fn([Real], Wave)(lambda b: Wave(rose.exp(b), rose.sin(b)))

    def item(x: Any, y: Any, i: Any, j: Any) -> Any:
        w = wave(y[j])
        return x[i] * w.size + x[i] * x[i] * w.rate

    return double_sum(item)(n, m)


def with_a_sum_for_each(n: int, m: int) -> AnyFn:
    def item(x: Any, y: Any, i: Any, j: Any) -> Any:
        return x[i] * x[i] * rose.sum(rose.exp(y[j] * (k + 1.0)) for k in rose.range(3))

    return double_sum(item)(n, m)


def with_a_vector_for_each(n: int, m: int) -> AnyFn:
    def item(x: Any, y: Any, i: Any, j: Any) -> Any:
        v = rose.vec(rose.sin(y[j] * (k + 1.0)) for k in rose.range(9))
        return rose.sum(v[k] * v[8 - k] * x[i] for k in rose.range(9)) * x[i]

    return double_sum(item)(n, m)


def three_deep(n: int, m: int) -> AnyFn:
    """What depends on j and k does not depend on i; what depends on k alone, on neither of the others."""

    def f(x: Any, y: Any) -> Any:
        total = rose.accum(0.0)
        for i in rose.range(n):
            for j in rose.range(m):
                for k in rose.range(m):
                    total += x[i] * rose.sin(y[j] * y[k]) + x[i] * x[i] * rose.exp(y[k])
        return total.value

    return rose.fn([Vec[n], Vec[m]], Real)(f)


def scanned(n: int, m: int) -> AnyFn:
    def row(a: Any, y: Any) -> Any:
        return rose.scan(lambda j, s: s * 0.5 + a * a * rose.cos(y[j]), a, m)

    return rose.fn([Vec[n], Vec[m]], Real)(lambda x, y: rose.sum(row(x[i], y) for i in rose.range(n)))


def scanned_outside(n: int, m: int) -> AnyFn:
    def step(x: Any, y: Any, i: Any, s: Any) -> Any:
        return s * 0.5 + x[i] * rose.sum(rose.exp(y[j]) * s for j in rose.range(m)) / m

    return rose.fn([Vec[n], Vec[m]], Real)(lambda x, y: rose.scan(lambda i, s: step(x, y, i, s), 0.1, n))


def added_up(n: int, m: int) -> AnyFn:
    def f(x: Any, y: Any) -> Any:
        rows = rose.accum(rose.zeros(n))
        for i in rose.range(n):
            for j in rose.range(m):
                rows[i] += x[i] * (1.0 / (1.0 + y[j] * y[j])) + x[i] * x[i] * rose.sqrt(1.0 + y[j] * y[j])
        return rose.sum(rows.value[i] * x[i] for i in rose.range(n))

    return rose.fn([Vec[n], Vec[m]], Real)(f)


def with_a_while_loop(n: int, m: int) -> AnyFn:
    halved = rose.fn([Real], Real)(lambda b: rose.while_loop(lambda s: s > b, lambda s: s * 0.5 * rose.cos(b), 2.0))
    return double_sum(lambda x, y, i, j: x[i] * x[i] * halved(0.3 + y[j] * y[j]))(n, m)


def with_a_branch(n: int, m: int) -> AnyFn:
    side = lambda b: rose.cond(b > 0.4, lambda: rose.exp(b) * rose.sin(b), lambda: rose.log(2.0 + b))
    return double_sum(lambda x, y, i, j: x[i] * x[i] * side(y[j]))(n, m)


def with_a_select(n: int, m: int) -> AnyFn:
    return double_sum(lambda x, y, i, j: rose.select(x[i] > 0.4, rose.exp(y[j]) * x[i], x[i]))(n, m)


def of_the_index(n: int, m: int) -> AnyFn:
    return double_sum(lambda x, y, i, j: x[i] * y[j] * rose.cos((j + 1.0) * 0.7) * x[i])(n, m)


def of_columns(n: int, m: int) -> AnyFn:
    """The inner loop makes a vector."""

    def f(x: Any, y: Any) -> Any:
        a = rose.vec(rose.vec(x[i] + rose.exp(y[j]) for j in rose.range(m)) for i in rose.range(n))
        return rose.sum(rose.sum(a[i][j] * a[i][m - 1 - j] for j in rose.range(m)) for i in rose.range(n))

    return rose.fn([Vec[n], Vec[m]], Real)(f)


NESTS: dict[str, Callable[[int, int], AnyFn]] = {
    "an operation": double_sum(lambda x, y, i, j: rose.sin(x[i]) * rose.cos(y[j])),
    "a chain": double_sum(lambda x, y, i, j: x[i] * rose.exp(rose.sin(y[j]) / (2.0 + y[j])) * x[i]),
    **{
        f.__name__.replace("_", " "): f
        for f in (
            called, called_twice_over, in_a_callee, of_a_struct, makes_a_struct, with_a_sum_for_each,
            with_a_vector_for_each, three_deep, scanned, scanned_outside, added_up, with_a_while_loop, with_a_branch,
            with_a_select, of_the_index, of_columns,
        )
    },
}  # fmt: skip


def point(n: int, m: int) -> tuple[Any, ...]:
    """Numbers of both signs, below 1."""
    return tuple([(7 * k % 11) / 8.0 - 0.45 for k in range(n)]), tuple([(5 * k % 13) / 9.0 - 0.6 for k in range(m)])
