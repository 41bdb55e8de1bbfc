"""Jets beside `jax.experimental.jet`, and beside nested reverse mode: `python -m benchmarks.jets [PYTHON]`.

The jets of orders 1 to 10 of two functions: the time of an evaluation, alone and of 1,000 points in one call, the time
to compile, and sizes. JAX runs in the process of another Python, if one that has it is named, in turn with ours. Then
how code grows with the order, up to 30; and nested reverse mode, order by order, until its code is too large to wait
for. Derivatives must agree before anything is timed. Times are the least of interleaved repetitions, by the clock.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np

import rose
from rose import Real, Vec
from rose.ir import Func
from rose.ir.callgraph import callees_first, instructions
from rose.optimise.pipeline import optimised

ORDERS, POINTS, TURNS = range(1, 11), 1000, 2
AT = 0.7

wave = rose.fn([Real], Real)(lambda x: x * rose.tanh(x * rose.sin(x)))
nest = rose.fn([Real], Real)(lambda x: rose.sin(rose.sin(rose.sin(rose.sin(rose.sin(x))))))
FUNCTIONS: dict[str, rose.Fn[..., Any]] = {"x tanh(x sin x)": wave, "sin of sin, five": nest}

IN_JAX = """
import json, sys, time
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
from jax.experimental.jet import jet
bodies = {
    "x tanh(x sin x)": lambda x: x * jnp.tanh(x * jnp.sin(x)),
    "sin of sin, five": lambda x: jnp.sin(jnp.sin(jnp.sin(jnp.sin(jnp.sin(x))))),
}
points, at = json.load(sys.stdin)
def least(f, x, repeats):
    f(x).block_until_ready()
    best = 1e9
    for _ in range(repeats):
        start = time.perf_counter()
        f(x).block_until_ready()
        best = min(best, time.perf_counter() - start)
    return 1e6 * best
out = {}
for name, body in bodies.items():
    for n in range(1, 11):
        def f(x):
            y, more = jet(body, (x,), ([1.0] + [0.0] * (n - 1),))
            return jnp.stack([y, *more])
        start = time.perf_counter()
        one = jax.jit(f).lower(at).compile()
        compile_ms = 1e3 * (time.perf_counter() - start)
        many = jax.jit(jax.vmap(f))
        size = sum(1 for line in jax.jit(f).lower(at).as_text().splitlines() if " = stablehlo" in line)
        given = jnp.asarray(points)
        alone, each = least(jax.jit(f), jnp.asarray(at), 2000), least(many, given, 200)
        out[f"{name} {n}"] = alone, each, compile_ms, size, np.asarray(one(at)).tolist()
print(json.dumps(out))
"""

Row = tuple[float, float, float, int, list[float]]  # µs alone, µs of all points, ms to compile, size, derivatives


def in_jax(python: str, points: list[float]) -> dict[str, Row]:
    """JAX's figures of each function and order; the size is that of its program in StableHLO, in operations."""
    env = {**os.environ, "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}
    given = json.dumps([points, AT])
    run = subprocess.run([python, "-c", IN_JAX], input=given, env=env, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def along(f: rose.Fn[..., Any], n: int) -> rose.Fn[..., Any]:
    """The derivatives of `f` at a point, of the orders 0 to n."""
    j = rose.jet(rose.fn([Real], Real)(lambda x: f(x)), n)
    return rose.fn([Real], Vec[n + 1])(lambda x: j([x, 1.0, *[0.0] * (n - 1)]))


def least(call: Any, x: Any, repeats: int) -> float:
    best = math.inf
    for _ in range(repeats):
        start = time.perf_counter()
        call(x)
        best = min(best, time.perf_counter() - start)
    return 1e6 * best


def ours(name: str, n: int, points: list[float]) -> Row:
    """Our figures; the size is that of the module, in bytes."""
    start = time.perf_counter()
    one = rose.compile({"f": along(FUNCTIONS[name], n)})
    value = one.f(AT)
    compile_ms = 1e3 * (time.perf_counter() - start)
    f = along(FUNCTIONS[name], n)
    each = rose.fn([Vec[POINTS]], Vec[POINTS, Vec[n + 1]])(lambda x: rose.vec(f(x[i]) for i in rose.range(POINTS)))
    many, given, out = rose.compile({"f": each}), np.array(points), np.empty((POINTS, n + 1))
    many_us = least(lambda x: many.f(x, out=out), given, 200)
    return least(one.f, AT, 2000), many_us, compile_ms, len(one.wasm), value.tolist()


def best(rows: list[Row]) -> Row:
    """Of several runs of one function, the least times."""
    return (*[min([r[k] for r in rows]) for k in range(3)], *rows[0][3:])  # pyright: ignore[reportReturnType]


def evaluations(python: str | None) -> None:
    """Prints the table of orders."""
    points = np.linspace(0.1, 1.2, POINTS).tolist()
    ours("sin of sin, five", 1, points)  # imports what is imported when it is needed
    rows: dict[str, list[Row]] = {}
    theirs: dict[str, list[Row]] = {}
    for _ in range(TURNS):
        for name in FUNCTIONS:
            for n in ORDERS:
                rows.setdefault(f"{name} {n}", []).append(ours(name, n, points))
        for key, row in (in_jax(python, points) if python else {}).items():
            theirs.setdefault(key, []).append(row)
    heads = ("call, µs", "JAX", "a point, ns", "JAX", "compile, ms", "JAX", "bytes", "JAX, ops")
    print(f"{'':20}" + "".join([f"{h:>12}" for h in heads]))
    for key, own in rows.items():
        one, other = best(own), best(theirs[key]) if python else None
        if other:
            np.testing.assert_allclose(one[4], other[4], rtol=1e-9)
        times = [x for k in range(3) for x in (one[k], other and other[k])]
        text = ["" if x is None else f"{x:.2f}" if k < 2 else f"{x:.0f}" for k, x in enumerate(times)]
        print(f"{key:20}" + "".join([f"{x:>12}" for x in (*text, one[3], other[3] if other else "")]))


def size(f: rose.Fn[..., Any], optimise: bool = False) -> int:
    """The instructions of a function, and of those that it calls, before the optimiser or after it."""
    program: set[Func] = set()
    for g in callees_first(optimised({"f": f.func})["f"] if optimise else f.func, lambda g: g not in program):
        program.add(g)
    return sum([len(list(instructions(g.body))) for g in program if g.has_body])


def slope(sizes: list[int], first: int) -> float:
    """The slope of the logarithm of sizes against that of orders, which begin with `first`."""
    orders = np.arange(first, first + len(sizes))
    return float(np.polyfit(np.log(orders), np.log(sizes), 1)[0])


def steps_of(sizes: list[int]) -> list[float]:
    """By how much each is larger than the one before."""
    return [round(b / a, 2) for a, b in pairwise(sizes)]


def growth() -> None:
    """Prints how jets grow with the order, beside nested reverse mode."""
    for name, f in FUNCTIONS.items():
        jets = [size(along(f, n)) for n in range(1, 31)]
        second = np.diff(jets, 2)
        print(f"\n{name}: jets of orders 1 to 30: {jets}")
        print(f"second differences, of orders 2 to 29: {second.tolist()}; slopes: "
              f"{slope(jets[4:10], 5):.2f} of orders 5 to 10, {slope(jets[9:], 10):.2f} of 10 to 30")  # fmt: skip
        g, nested, fast, bytes_, wanted = (
            f,
            list[int](),
            list[int](),
            list[int](),
            rose.compile({"f": along(f, 8)}).f(AT),
        )
        for n in range(1, 8):
            g = rose.grad(g)
            start = time.perf_counter()
            module = rose.compile({"f": g})
            assert math.isclose(module.f(AT), wanted[n], rel_tol=1e-9), (module.f(AT), wanted[n])
            nested.append(size(g))
            fast.append(size(g, True))
            bytes_.append(len(module.wasm))
            if time.perf_counter() - start > 40.0:
                break
        jet_bytes = [len(rose.compile({"f": along(f, n)}).wasm) for n in range(1, len(nested) + 1)]
        after = [size(along(f, n), True) for n in range(1, len(nested) + 1)]
        print(f"after the optimiser: nested {fast}, jets {after}; steps {steps_of(fast)}")
        print(f"nested reverse mode: instructions {nested}, bytes {bytes_}; jets: bytes {jet_bytes}")
        mean = (nested[-1] / nested[0]) ** (1.0 / (len(nested) - 1))
        smaller = [n for n, (a, b) in enumerate(zip(jets, nested, strict=False), 1) if a < b]
        smaller_bytes = [n for n, (a, b) in enumerate(zip(jet_bytes, bytes_, strict=True), 1) if a < b]
        print(f"steps {steps_of(nested)}, mean {mean:.2f}; slope from order 3: {slope(nested[2:], 3):.2f}; "
              f"jets have fewer instructions from order {min(smaller, default=None)}, "
              f"fewer bytes from {min(smaller_bytes, default=None)}")  # fmt: skip


def main(python: str | None = None) -> None:
    evaluations(python)
    growth()


if __name__ == "__main__":
    main(*sys.argv[1:2])
