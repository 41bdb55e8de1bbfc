"""The law of growth: the work of the compiler, and the module, are a constant times the program.

Work is counted, not timed: see `benchmarks/growth.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import pytest
from control_programs import Case

import rose
from benchmarks.growth import PROGRAMS, compiled, lines
from rose import Fn, Real
from rose.ir.callgraph import reachable, weight
from tests.rose.frontend.language.test_control import agree

AnyFn = Fn[..., Any]

SIZES = {"straight": (500, 2000), "terms": (500, 2000), "calls": (150, 600), "shared": (200, 800)}
FLAT = 1.3  # what an operation costs the compiler, over what it costs in a quarter of the program
# Lines of Python that an operation took in the larger program, verifier included, when this was last set: set it again
# when it falls
WORK = {
    "straight": 886, "calls": 2920, "functions": 1417, "oscillator": 1050, "terms": 1451, "shared": 7322,
    "arrays": 508, "solutions": 640, "twice": 257,
}  # fmt: skip
MORE = 1.1


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_work_of_the_compiler_grows_as_the_program(name: str):
    compiled(PROGRAMS[name], 100)  # what is done once
    sizes = SIZES.get(name, (250, 1000))
    small, large = [lines(partial(compiled, PROGRAMS[name], n)) for n in sizes]
    assert large <= FLAT * 4 * small
    assert large <= MORE * WORK[name] * sizes[1], f"{large / sizes[1]:.0f} lines for each operation"


def nested(n: int) -> AnyFn:
    """Functions each of which calls the one before it, so that all are traced inside the trace of the last one."""

    def around(g: AnyFn) -> AnyFn:
        return rose.fn([Real], Real)(lambda x: g(x) * x + 2.0)

    return reduce(lambda f, _: around(f), range(n), rose.fn([Real], Real)(rose.sin))


def test_the_work_of_a_trace_does_not_grow_with_the_traces_around_it():
    """What is watched of random generators was looked up in each of them: 4,000 functions took 31 s."""

    def work(n: int) -> int:
        f = nested(n)
        return lines(lambda: f.func)

    work(50)  # what is done once
    small, middle, large = map(work, (70, 140, 280))  # of fewer than 50 functions, all are looked through
    assert large - middle <= FLAT * 2 * (middle - small)


# calls of calls: each function calls those before it, several times, so that there are exponentially many paths

Both = Callable[[AnyFn, AnyFn, Any, Any], Any]  # a function of two numbers, and of two functions that it calls

KINDS: dict[str, Both] = {
    "twice": lambda f, g, x, y: f(x, y) + g(y, x * 0.5),
    "one in the other": lambda f, g, x, y: f(g(x, y), x * 0.5),
    "more than an operation": lambda f, g, x, y: f(g(x, y), rose.sqrt(1.0 + x * x)) * g(y, x) / (1.0 + x * x),
    "arms": lambda f, g, x, y: rose.cond(x < y, lambda: f(x, y), lambda: g(y, x)),
    "a select": lambda f, g, x, y: rose.select(x < y, f(x, y), g(y, y)),
    "a loop": lambda f, g, x, y: rose.sum(f(x, y * i) * g(y, y) for i in rose.range(2)),
    "turns": lambda f, g, x, y: rose.while_loop(lambda s: s < 0.5, lambda s: s + 0.4 + 0.1 * f(s, y) * g(s, x), x),
}


def called(kind: Both, f: AnyFn, g: AnyFn) -> AnyFn:
    return rose.fn([Real, Real], Real)(lambda x, y: kind(f, g, x, y) * 0.5)


def graph(seed: int, n: int) -> AnyFn:
    """The last of `n` functions, each of which calls two of the three before it."""
    r = random.Random(seed)
    one, two = [rose.fn([Real, Real], Real)(f) for f in (lambda x, y: x * y + x, lambda x, y: x - y * x)]
    made = [one, two]
    for _ in range(n):
        made.append(called(KINDS[r.choice([*KINDS])], r.choice(made[-2:]), r.choice(made[-3:])))
    return made[-1]


def along(f: AnyFn) -> AnyFn:
    return rose.fn([Real, Real], Real)(lambda x, y: rose.jvp(f)(rose.Dual(x, 1.0), rose.Dual(y, 0.5)).du)


# by the derivative: the functions of a graph, and for each instruction of it the lines and the bytes
BOUNDS: dict[str, tuple[Callable[[AnyFn], AnyFn], int, int, int]] = {
    "forward": (along, 20, 8_000, 80),
    "reverse": (rose.grad, 16, 40_000, 300),
    "forward twice": (lambda f: along(along(f)), 12, 12_000, 80),
    "reverse twice": (lambda f: rose.grad(rose.grad(f)), 6, 150_000, 600),
}


@pytest.mark.parametrize("by", BOUNDS)
@pytest.mark.parametrize("seed", range(2))
def test_shared_calls_are_compiled_once(seed: int, by: str):
    derive, n, most_lines, most_bytes = BOUNDS[by]
    f = graph(seed, n)
    size = sum([weight(g.body) for g in reachable(f.func)])
    made: list[bytes] = []
    assert lines(lambda: made.append(rose.compile(derive(f)).wasm)) <= most_lines * size
    assert len(made[0]) <= most_bytes * size


@pytest.mark.parametrize("seed", range(2))
def test_derivatives_of_shared_calls_agree(seed: int):
    f = graph(seed, 5)
    agree(Case(f"graph {seed}", lambda v: f(v[0], v[1]), (0.7, 0.4)), ("j", "v", "l", "jv", "vv"))
