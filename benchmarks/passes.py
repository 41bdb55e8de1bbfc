"""What each pass brings, from the trace on: `python -m benchmarks.passes`.

For each program, its value and gradient are traced, derived and compiled with all passes, and then with each pass, and
each rule that passes ask, left out: executed instructions (the fuel that wasmtime counts, which is the same in each
run), and bytes of the modules. Each name is left out in a process of its own, in which no function is known before.
`python -m benchmarks.passes NAME ...` measures these names anew, and leaves the others.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

import rose
import wasm_backend.lower
from rose import Real, Vec, fn
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import NAMES, REASONS, Instruments
from wasm_backend.runtime import handles, instances

from .compare import programs as comparison
from .gradbench import programs as gradbench
from .gradbench.evals import gmm, kmeans, lstm
from .gradbench.evals.ba import example as bundle
from .gradbench.evals.ht import example as tracking
from .loops import RESULTS, saved
from .optimiser import PROGRAMS, numbers

FUEL = 10**15
LEAST = 0.02  # of the instructions, or the bytes, of one program: a pass that brings less on each has no reason to be
Prepare = Callable[[], Callable[[], Any]]  # traces, derives and compiles, and gives what calls
sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))


def of_gradient(make: Callable[[], tuple[rose.Fn, Any, Sequence[Any]]], derived: Any = rose.value_and_grad) -> Prepare:
    def prepare() -> Callable[[], Any]:
        f, argnums, args = make()
        module = rose.compile(derived(f, argnums))
        return lambda: module(*args)

    return prepare


def condition(n: int = 1000) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A sum whose terms depend on a condition."""

    def term(x: Any) -> Any:
        return rose.cond(x > 0.0, lambda: x * x, lambda: -0.5 * x)

    return fn([Vec[n]], Real)(lambda x: rose.sum(term(x[i]) for i in rose.range(n))), 0, (numbers(n),)


def columns(n: int = 100) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A matrix is read by columns."""

    def f(m: Any, x: Any) -> Any:
        return rose.sum(rose.sum(m[i][j] * x[i] for i in rose.range(n)) ** 2 for j in rose.range(n))

    return fn([Vec[n, Vec[n]], Vec[n]], Real)(f), (0, 1), (numbers(n, n), numbers(n))


def robot(steps: int = 64) -> tuple[rose.Fn, Any, Sequence[Any]]:
    import robot as example

    return example.ahead_after(steps), 0, (rose.compile(example.newborn)(1), [0.9, 0.2])


def billiards(steps: int = 64) -> tuple[rose.Fn, Any, Sequence[Any]]:
    import billiards as example

    return example.loss_after(steps), 0, (example.Ball([0.1, 0.5], [0.3, 0.0]), example.BALLS - 1, [0.9, 0.75])


def kernel(n: int = 60) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A kernel that calls another, in a double sum; and a sine of two of three indices."""
    distance = fn([Real, Real], Real)(lambda a, b: rose.sqrt(1.0 + a * a) - b * rose.cos(b))
    near = fn([Real, Real], Real)(lambda a, b: rose.exp(-(distance(a, b) ** 2)) * rose.log(2.0 + a * a))

    def f(x: Any, y: Any) -> Any:
        pairs = rose.sum(rose.sum(near(x[i], y[j]) for j in rose.range(n)) for i in rose.range(n))
        row = lambda i, j: rose.sum(x[i] * rose.sin(y[j] + y[k]) for k in rose.range(n))
        return pairs + rose.sum(rose.sum(row(i, j) for j in rose.range(n)) for i in rose.range(n))

    return fn([Vec[n], Vec[n]], Real)(f), (0, 1), (numbers(n), 2.0 + numbers(n))


def arrays(n: int = 1000) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """Arithmetic on arrays."""

    def f(x: Any, y: Any) -> Any:
        z = (x - y) * (x + 2.0 * y) + rose.abs(x)
        return rose.sum(z * z) + rose.sum(z[1:] - z[:-1])

    return fn([Vec[n], Vec[n]], Real)(f), (0, 1), (numbers(n), numbers(n))


def tables(n: int = 200) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """Two tables, which a scan carries."""

    def f(x: Any) -> Any:
        step = lambda i, s: (s[0].at[i].set(x[i] * s[1][i]), s[1].at[i].set(s[0][i] + s[0][(i + 1) % n]))
        p, q = rose.scan(step, (x, x), n)
        return rose.dot(p, q)

    return fn([Vec[n]], Real)(f), 0, (numbers(n),)


def chain(n: int = 10) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A function whose Hessian has three diagonals."""
    f = fn([Vec[n]], Real)(lambda x: rose.sum((x[i + 1] - x[i] ** 2) ** 2 for i in rose.range(n - 1)))
    return f, 0, (numbers(n),)


def largest(n: int = 40) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """The largest of each row of a matrix, and of all."""
    f = fn([Vec[n, n]], Real)(lambda x: rose.sum(np.max(x, axis=1) ** 2) + np.max(x))
    return f, 0, (numbers(n, n),)


def softmax(n: int = 40) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """Rows of exponentials over their sum, without overflow."""

    def f(x: Any) -> Any:
        e = np.exp(x - np.max(x, axis=1, keepdims=True))
        return rose.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)

    return fn([Vec[n, n]], Real)(f), 0, (numbers(n, n),)


def pendulums(n: int = 40) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """Many pendulums at once, as two arrays that a scan carries."""

    def step(p: Any, s: Any) -> Any:
        q, v = s
        v = v - p[0] * np.sin(q)
        return q + p[1] * v, v

    def f(p: Any, x: Any) -> Any:
        q, v = rose.scan(lambda _, s: step(p, s), (x, p[1] * x), 30)
        return rose.sum(q * q + v * v)

    return fn([Vec[2], Vec[n]], Real)(f), 0, (numbers(2), numbers(n))


def piecewise(n: int = 9000) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A force where bodies touch, and none elsewhere, in a sum."""
    touch = lambda c, x: rose.exp(c[1] * (c[0] - x)) * (c[0] - x)
    force = lambda c, x: rose.cond(x < c[0], lambda: touch(c, x), lambda: rose.log(1.0 + x * x) * c[2])

    def f(c: Any, x: Any) -> Any:
        return rose.sum(force(c, x[i]) ** 2 for i in rose.range(n))

    return fn([Vec[3], Vec[n]], Real)(f), (0, 1), (numbers(3), numbers(n))


def wave() -> Callable[[], Any]:
    """The fourth derivative of an opaque sine."""
    import sine as example

    wave = fn([Real], Real)(lambda x: example.sin(x))
    module = rose.compile(functools.reduce(lambda f, _: rose.grad(f), range(4), wave))
    return lambda: module(1.0)


def compared() -> Iterator[tuple[str, Prepare]]:
    """Programs of the comparison, whose parameters are vectors."""
    wanted = {"springs 500": "loop", "bodies 100": "pairs", "Rosenbrock 1000": "unrolled", "terms 1000": "calls"}
    for p in comparison.programs():
        if p.name in wanted:
            yield f"{p.name}, {wanted[p.name]}", of_gradient(functools.partial(_compared, p.name, wanted[p.name]))


def _compared(name: str, form: str) -> tuple[rose.Fn, Any, Sequence[Any]]:
    (p,) = [p for p in comparison.programs() if p.name == name]
    f = p.forms[form]
    return f, 0, [_shaped(t, iter(p.params)) for t in f.types]


def _shaped(t: Any, xs: Iterator[float]) -> Any:
    return [_shaped(t.elem, xs) for _ in range(t.size)] if hasattr(t, "elem") else next(xs)


def of_gradbench() -> Iterator[tuple[str, Prepare]]:
    made = {
        "ba": bundle(3, 5, 8), "det": {"A": [7.0 * k % 11 for k in range(49)], "ell": 7},
        "gmm": gmm.made(50, 4, 3, 2, 0.5), "ht": tracking(10, "small"), "kmeans": kmeans.made(30, 10, 2),
        "llsq": {"x": [0.3, -1.2, 0.7, 0.1], "n": 99}, "lse": {"x": [0.1 * k % 0.7 for k in range(50)]},
        "lstm": lstm.made(2, 15, 3), "ode": {"x": [0.9, 0.7, 1.1, 0.4], "s": 7}, "saddle": {"start": [1.0, 1.0]},
    }  # fmt: skip
    for name, given in made.items():
        yield f"GradBench {name}", functools.partial(_prepared, name, json.loads(json.dumps(given)))


def _prepared(name: str, given: Any) -> Callable[[], Any]:
    """All functions of an eval, compiled anew."""
    functions = gradbench.functions(name) or {}
    for x in vars(sys.modules[f"{gradbench.__name__}.{name}"]).values():
        if hasattr(x, "cache_clear"):
            x.cache_clear()
    jobs = [prepare(given) for prepare in functions.values()]
    return lambda: [job.run() for job in jobs]


def programs() -> dict[str, Prepare]:
    made = {**PROGRAMS, "a condition in a sum": condition, "a matrix by columns": columns, "robot, 64 steps": robot,
            "billiards, 64 steps": billiards, "a kernel in a double sum": kernel, "arithmetic on arrays": arrays,
            "two tables in a scan": tables, "the largest of each row": largest,
            "rows of a softmax": softmax, "pendulums in a scan": pendulums,
            "a piecewise function in a sum": piecewise}  # fmt: skip
    return {
        **{name: of_gradient(make) for name, make in made.items()},
        "a Hessian of three diagonals": of_gradient(chain, lambda f, _: rose.hessian(f)),
        "a fourth derivative": wave,
        **dict(compared()),
        **dict(of_gradbench()),
    }


# measuring


@contextlib.contextmanager
def compiling() -> Iterator[list[bytes]]:
    """Inside, the bytes of all modules that are compiled."""
    found: list[bytes] = []
    lower = wasm_backend.lower.lower

    def noting(*args: Any, **options: Any) -> Any:
        made = lower(*args, **options)
        found.append(made.wasm)
        return made

    wasm_backend.lower.lower = noting
    try:
        yield found
    finally:
        wasm_backend.lower.lower = lower


@contextlib.contextmanager
def counting() -> Iterator[Callable[[], int]]:
    """Inside, modules count the instructions that they execute: all so far."""
    stores: list[wasmtime.Store] = []
    store, engine, config = handles.Store, instances._engine, wasmtime.Config()
    config.consume_fuel = True
    counts = wasmtime.Engine(config)

    class Counting(store):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self.set_fuel(FUEL)
            stores.append(self)

    handles.Store, instances._engine = Counting, lambda _: counts  # pyright: ignore
    try:
        yield lambda: sum([FUEL - s.get_fuel() for s in stores])
    finally:
        handles.Store, instances._engine = store, engine  # pyright: ignore


def counted(prepare: Prepare, without: Sequence[str]) -> dict[str, int]:
    """Instructions and bytes."""
    with instrumented(Instruments(without)), counting() as total, compiling() as modules:
        run = prepare()
        run()  # a module starts at its first call
        before = total()
        run()
        executed = total() - before
    return {"instructions": executed, "bytes": sum(map(len, modules))}


def measured(*without: str) -> dict[str, dict[str, int]]:
    """The figures of each program, in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.passes", "--one", *without]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()
    return json.loads(said[-1])  # an example prints, too


def one(*without: str) -> None:
    """Print the figures of each program, as JSON."""
    os.environ["ROSE_CACHE"] = ""
    random.seed(1)
    gc.disable()
    found: dict[str, dict[str, int]] = {}
    for name, prepare in programs().items():
        found[name] = counted(prepare, without)
        gc.collect()
    print(json.dumps(found))


# the table


Found = Mapping[str, Mapping[str, Mapping[str, int]]]  # by what is left out, "" if nothing is, and program


def gains(found: Found, name: str, kind: str) -> dict[str, float]:
    """What the absence of a pass multiplies, by program."""
    return {program: figures[kind] / found[""][program][kind] for program, figures in found[name].items()}


def table(found: Found) -> list[str]:
    """The table of `results/passes.md`."""
    rows = ["| without | instructions | of | bytes | of | changes | why |", "|" + "---|" * 7]
    for name in NAMES:
        more = [max((x, program) for program, x in gains(found, name, k).items()) for k in ("instructions", "bytes")]
        cells = [cell for x, program in more for cell in (f"{x:.3f}", program if x >= 1.0005 else "")]
        both = zip(gains(found, name, "instructions").values(), gains(found, name, "bytes").values(), strict=True)
        changed = sum([x != 1.0 or y != 1.0 for x, y in both])
        cells += [f"{changed} of {len(found[name])}", REASONS[name]]
        rows.append(f"| {' | '.join([name, *cells])} |")
    return rows


def report(found: Found) -> None:
    """Write the figures, and their table into its page, between the text before and after it."""
    saved("passes", {"without": found})
    page = RESULTS / "passes.md"
    lines = page.read_text().splitlines()
    at = [k for k, line in enumerate(lines) if line.startswith("|")]
    page.write_text("\n".join([*lines[: at[0]], *table(found), *lines[at[-1] + 1 :]]) + "\n")


def main(*names: str) -> None:
    known = json.loads((RESULTS / "passes.json").read_text())["without"] if names else {}
    for name in ("", *(names or NAMES)):
        known[name] = measured(*filter(None, [name]))
        print(name or "all passes", file=sys.stderr, flush=True)
    report({name: known[name] for name in ("", *NAMES)})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
