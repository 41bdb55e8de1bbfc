"""Functionals beside autofd 0.0.9 and JAX: to the first answer, and of each after it.

`python -m benchmarks.functionals`. The other side has the same programs in a process and an environment of its own
(`compare/py/functionals_autofd.py`), and takes turns with ours. Answers must agree before anything is timed. Times are
those of the process, with all of its threads: of making the function, from the functional to its first answer, and of a
call. Of a network the call is a step of Adam's method, inside of the module.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console

import rose
from rose import Real, Vec, fn
from rose import functional as F

from .compare.peers import HERE, PEERS, said
from .loops import saved, shown

NEEDS = ("autofd==0.0.9", "jax==0.5.3", "absl-py")
ROUNDS = 7
STEPS = 10  # of a network, in one call
Made = tuple[rose.Compiled, Callable[[], Any], Callable[[], Any], int]  # a module, a call, the answer, steps of a call

# the programs

Density = F.Map[Real, Vec[3]]
Row, Kernel = F.Map[Real, Real], F.Map[Real, Real, Real]
LINE = F.Grid([0.01 + 0.99 * k / 49 for k in range(50)], [1 / 50] * 50)
NODES = F.Grid([k / 99 for k in range(100)], [1 / 100] * 100)
SPACE = F.Grid([[0.0, 0.0, 0.0]], [1.0])


def exchange(n: Any) -> Any:
    return -0.75 * (3.0 / math.pi) ** (1 / 3) * n ** (4 / 3)


@F.functional
def lda(n: Density) -> Real:
    return F.integrate(exchange(n), SPACE)


@F.functional
def pbe(n: Density) -> Real:
    kappa, mu = 0.804, 0.2195149727645171
    s = rose.norm(F.nabla(n)) / (2.0 * (3.0 * math.pi**2) ** (1 / 3) * n ** (4 / 3))
    return F.integrate(exchange(n) * (1 + kappa - kappa / (1 + mu * s**2 / kappa)), SPACE)


@F.functional
def weizsaecker(n: Density) -> Real:
    slope = F.nabla(n)
    return F.integrate(rose.dot(slope, slope) / (8 * n), SPACE)


def density() -> Any:
    return rose.fn([Vec[3]], Real)(lambda r: math.pi**-1.5 * rose.exp(-rose.dot(r, r)))


@F.functional
def length(y: Row) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2), LINE)


@F.functional
def slide(y: Row) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2) / rose.sqrt(-y), LINE)


def losses(curve: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    def along(c: Any) -> Any:
        y = curve(c)
        return F.integrate(rose.stop_gradient(rose.grad(slide)(y)) * y, LINE)

    return {
        "least": lambda c: slide(curve(c)),
        "stationary": lambda c: F.integrate(rose.grad(slide)(curve(c)) ** 2, LINE),
        "along": along,
    }


def waves(c: Any) -> Any:
    of = lambda x: rose.sum(c[k] * rose.sin((k + 1.0) * math.pi * x) for k in rose.range(3))
    return rose.fn([Real], Real)(lambda x: -x + of(x))


@rose.struct
class Network:
    w1: Vec[128]
    b1: Vec[128]
    w2: Vec[128, Vec[128]]
    b2: Vec[128]
    w3: Vec[128, Vec[128]]
    b3: Vec[128]
    w4: Vec[128]
    b4: Real


def network(p: Any) -> Any:
    def y(x: Any) -> Any:
        h = rose.sigmoid(p.w1 * x + p.b1)
        h = rose.sigmoid(p.w2 @ h + p.b2)
        h = rose.sigmoid(p.w3 @ h + p.b3)
        return (p.w4 @ h + p.b4) * rose.sin(math.pi * x) - x

    return rose.fn([Real], Real)(y)


def start(dtype: Any) -> Network:
    row = lambda i: np.sin(np.arange(128.0) * (1.3 + i))
    square = lambda i: np.sin(np.arange(128 * 128).reshape(128, 128) * (0.7 + i)) / 8
    zero = np.zeros(128)
    vectors = [row(0), zero, square(0), zero, square(1), zero, row(1) / 11]
    return Network(*[v.astype(dtype) for v in vectors], 0.0)  # type: ignore[arg-type]


@fn
def sine(x: Real) -> Real:
    return rose.sin(x)


@fn
def wave(x: Real) -> Real:
    return rose.sin(4.0 * math.pi * x)


@fn
def bias(x: Real) -> Real:
    return rose.sin(math.pi * x)


@fn
def target(x: Real) -> Real:
    return rose.cos(math.pi * x)


@fn
def kernel(y: Real, x: Real) -> Real:
    return rose.sin(y) + rose.cos(x)


@F.functional
def loss(k1: Kernel, b1: Row, k2: Kernel, b2: Row) -> Real:
    return F.integrate((k2 @ rose.tanh(k1 @ wave + b1) + b2 - target) ** 2, NODES)


def at(f: Any, *args: Any) -> Made:
    module = rose.compile(f)
    call = lambda: module(*args)
    return module, call, call, 1


def slopes(name: str) -> Callable[[], Made]:
    return lambda: at(rose.value_and_grad(rose.fn([Vec[3]], Real)(losses(waves)[name])), [-0.3, -0.05, 0.02])


def learned(steps: int) -> Callable[[], Made]:
    def made() -> Made:
        p: Any = (kernel.on(None, NODES), bias, kernel.on(None, NODES), bias)
        for _ in range(steps):
            p = [w - 0.1 * s for w, s in zip(p, rose.grad(loss, (0, 1, 2, 3))(*p), strict=True)]
        return at(p[0], 0.25, 0.3)

    return made


def tower(depth: int) -> Callable[[], Made]:
    def made() -> Made:
        h: Any = sine
        for _ in range(depth):
            h = 0.01 * rose.exp(h) + rose.tanh(h)
        return at(h, 0.3)

    return made


def training(name: str, **options: Any) -> Callable[[], Made]:
    def made() -> Made:
        f = rose.fn([Network], Real)(losses(network)[name])
        train = rose.lib.adam(f, rate=1e-3, max_steps=STEPS)
        module = rose.compile({"train": train, "loss": f}, **options)
        p = start(np.float32 if "dtype" in options else np.float64)
        return module, lambda: module(p), lambda: module["loss"](p), STEPS

    return made


NAMES = ("least", "stationary", "along")
PROGRAMS: dict[str, tuple[str, Callable[[], Made]]] = {
    "slope of a length": ("slope of a length", lambda: at(rose.grad(length)(sine), 0.7)),
    **{
        f"potential, {name}": (f"potential, {name}", lambda e=e: at(rose.grad(e)(density()), [0.1, 0.2, 0.3]))
        for name, e in {"LDA": lda, "PBE": pbe, "von Weizsaecker": weizsaecker}.items()
    },
    **{f"slide, {name}": (f"slide, {name}", slopes(name)) for name in NAMES},
    **{f"neural functional, step {k}": (f"neural functional, step {k}", learned(k)) for k in (1, 2, 3, 4)},
    **{f"tower of {d}": (f"tower of {d}", tower(d)) for d in (10, 100, 300, 1000)},
    **{f"network, {name}": (f"network, {name}", training(name)) for name in NAMES},
    **{f"network, {name}, relaxed": (f"network, {name}", training(name, simd="relaxed")) for name in NAMES},
    **{f"network, {name}, 32 bits": (f"network, {name}, 32 bits", training(name, dtype="f32")) for name in NAMES},
}

# the other side


def installed() -> str | None:
    """Makes the environment of autofd, unless it is there; what went wrong, if it did."""
    folder = PEERS / "autofd"
    if (folder / "whole").exists():
        return None
    wrong = said([sys.executable, "-m", "venv", folder]) or said([folder / "bin" / "pip", "install", "-q", *NEEDS])
    if wrong is None:
        (folder / "whole").touch()
    return wrong


class Other:
    """autofd and JAX, in a process; in another one, when that has ended."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        command = [PEERS / "autofd" / "bin" / "python", HERE / "py" / "functionals_autofd.py"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __call__(self, name: str) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        code = self.process.wait()
        self.start()
        return {"failed": f"it ended with code {code}"}


# times


def calls(run: Callable[[], Any], steps: int) -> float:
    """Nanoseconds of the process for a call, or a step of one."""
    begin, n = time.process_time_ns(), 0
    while n < 3 or time.process_time_ns() - begin < 2e7:
        run()
        n += 1
    return (time.process_time_ns() - begin) / n / steps


def numbers(x: Any) -> list[float]:
    return [y for part in x for y in numbers(part)] if isinstance(x, (tuple, list, np.ndarray)) else [float(x)]


def measured(name: str, other: Other, asked: set[str]) -> dict[str, Any]:
    theirs, build = PROGRAMS[name]
    begin = time.process_time_ns()
    module, run, answer, steps = build()
    run()
    first = time.process_time_ns() - begin
    built: dict[str, Any] = {} if theirs in asked else other(theirs)
    asked.add(theirs)
    row: dict[str, Any] = {"program": name, "bytes": len(module.wasm), "first, ms": first / 1e6}
    if "failed" in built:
        again = statistics.median([calls(run, steps) for _ in range(ROUNDS)])
        return {**row, "theirs, ms": built["failed"], "call, µs": again / 1e3}
    if built:
        near = 1e-4 if "32" in name else 1e-9
        np.testing.assert_allclose(numbers(answer()), built["answer"], rtol=near, atol=1e-12)
        row["theirs, ms"] = built["ns"] / 1e6
    pairs = [(calls(run, steps), float(other(theirs)["ns"])) for _ in range(ROUNDS)]
    ours, others = [statistics.median(times) for times in zip(*pairs, strict=True)]
    return {**row, "call, µs": ours / 1e3, "their call, µs": others / 1e3,
            "longer": statistics.median([x / y for x, y in pairs])}  # fmt: skip


def main(parts: Sequence[str] = ()) -> None:
    """Measures all programs, or those that have one of these in their names."""
    wrong = installed()
    if wrong is not None:
        print(f"autofd cannot be installed: {wrong}")
        return
    other, console, asked, rows = Other(), Console(width=140), set[str](), list[dict[str, Any]]()
    names = [n for n in PROGRAMS if not parts or any([part in n for part in parts])]
    rose.compile(sine)(0.5)
    for name in names:
        rows.append(measured(name, other, asked))
        console.print(rows[-1])
    empty = dict.fromkeys(["program", "bytes", "first, ms", "theirs, ms", "call, µs", "their call, µs", "longer"], "")
    console.print(shown("functionals", [{**empty, **row} for row in rows]))
    if names == [*PROGRAMS]:
        saved("functionals", {"rows": rows})


if __name__ == "__main__":
    main(sys.argv[1:])
