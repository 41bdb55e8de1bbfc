"""Nanoseconds a call of each mathematical function: ours, under wasmtime and in node, beside Math.* and C.

`python -m benchmarks.mathematics`. Each is called in a loop over 4,096 numbers, or pairs, that sums what it gives:
ours is a loop of the IR, inside of the module, and node runs the same bytes. The loop itself is in every figure;
the first row, which sums the numbers, says what that is. All are measured in turn, many times, as the speed of a
machine changes from second to second: a figure is the median of the rounds, and of a round it is the least of ten.
Beside it, the bytes of a module that has the function alone, as a user exports it, and of one that has its value
and gradient; raw and gzipped. What is not installed is left out, and said.
"""

from __future__ import annotations

import ctypes
import functools
import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime
from rich.console import Console
from rich.table import Table

import rose
from rose import Real, Vec, build
from wasm_backend.runtime.raw_call import entry

from .loops import saved

N = 4096
BLOCKS, ROUNDS, REPEATS = 7, 5, 10  # blocks of rounds, of which each asks all engines; the least of the repeats
Bounds = tuple[float, float]
WAYS = ("wasmtime", "node", "Math.*", "C")

# where each is called, by argument; and the expressions of C and of JavaScript, where the name is another
RANGES: dict[str, tuple[Bounds, ...]] = {
    "x": ((-10, 10),), "sqrt": ((0, 100),), "exp": ((-10, 10),), "exp2": ((-10, 10),), "expm1": ((-3, 3),),
    "log": ((0.01, 100),), "log2": ((0.01, 100),), "log10": ((0.01, 100),), "log1p": ((-0.9, 10),), "sin": ((-10, 10),),
    "cos": ((-10, 10),), "tan": ((-10, 10),), "asin": ((-1, 1),), "acos": ((-1, 1),), "atan": ((-10, 10),),
    "atan2": ((-10, 10), (-10, 10)), "sinh": ((-5, 5),), "cosh": ((-5, 5),), "tanh": ((-3, 3),), "asinh": ((-10, 10),),
    "acosh": ((1, 20),), "atanh": ((-1, 1),), "pow": ((0.1, 10), (-5, 5)), "cbrt": ((-100, 100),),
    "hypot": ((-10, 10), (-10, 10)), "erf": ((-3, 3),), "erfc": ((-3, 3),), "gamma": ((0.1, 20),),
    "lgamma": ((0.1, 20),), "fmod": ((-100, 100), (0.1, 10)), "mod": ((-100, 100), (0.1, 10)), "relu": ((-3, 3),),
    "sigmoid": ((-5, 5),), "softplus": ((-5, 5),), "logsumexp": ((-5, 5), (-5, 5)),
}  # fmt: skip
OURS: dict[str, Callable[..., Any]] = {
    "x": lambda x: x,
    "mod": lambda x, y: x % y,
    "logsumexp": lambda x, y: rose.logsumexp([x, y]),
}
NO_MATH = {"exp2", "erf", "erfc", "gamma", "lgamma", "mod", "relu", "sigmoid", "softplus", "logsumexp"}
NO_C = {"mod", "relu", "sigmoid", "softplus", "logsumexp"}
SPELLED = {"x": "x", "fmod": "x % y"}  # in JavaScript


def arity(name: str) -> int:
    return len(RANGES[name])


def points(name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    r = np.random.default_rng(0)
    return np.stack([r.uniform(low, high, N) for low, high in RANGES[name]], axis=1)


def function(name: str) -> rose.Fn[..., Any]:
    return rose.fn([Real] * arity(name), Real)(OURS.get(name) or getattr(rose, name))


def total(name: str) -> rose.Fn[..., Any]:
    """The sum of a function of ours over all points."""
    f, k = function(name), arity(name)
    return rose.fn([Vec[N, Vec[k]]], Real)(lambda ps: rose.sum(f(*[ps[i][j] for j in range(k)]) for i in rose.range(N)))


# the ways to call: each takes the name of a function, and gives what calls it N times


def in_wasmtime(names: Sequence[str]) -> dict[str, Callable[[], Any]]:
    """A call with the points in place: it costs half a microsecond beside the N calls of the function."""
    out: dict[str, Callable[[], Any]] = {}
    for name in names:
        module = build.lowered({"total": total(name)})
        store = wasmtime.Store()
        made = wasmtime.Instance(store, wasmtime.Module(store.engine, module.wasm), [])
        func, memory = [made.exports(store)[export] for export in ("total", "memory")]
        memory.write(store, points(name).tobytes(), module.signatures["total"].params[0].at)
        ready = entry(store, func, "", "d", [])
        out[name] = functools.partial(lambda ready: ready.call(*ready.args), ready)
    return out


C_LOOP = """
double {name}_total(const double *p) {{
    double total = 0.0;
    for (int i = 0; i < {count}; i++) {{ double x = p[{k} * i], y = p[{k} * i + {k} - 1]; (void)y; total += {call}; }}
    return total;
}}
"""


def in_c(names: Sequence[str], folder: Path) -> dict[str, Callable[[], Any]]:
    """The C library, in loops that gcc has made."""
    gcc = shutil.which("gcc")
    if gcc is None:
        return {}
    text, named = "#include <math.h>\n", [name for name in names if name not in NO_C]
    for name in named:
        call = "x" if name == "x" else f"{'tgamma' if name == 'gamma' else name}({', '.join('xy'[: arity(name)])})"
        text += C_LOOP.format(name=name, count=N, k=arity(name), call=call)
    (folder / "all.c").write_text(text)
    subprocess.run([gcc, "-O2", "-shared", "-fPIC", folder / "all.c", "-o", folder / "all.so", "-lm"], check=True)
    library, out = ctypes.CDLL(str(folder / "all.so")), dict[str, Callable[[], Any]]()
    for name in named:
        loop, at = getattr(library, f"{name}_total"), points(name)
        loop.restype, loop.argtypes = ctypes.c_double, [ctypes.c_void_p]
        out[name] = functools.partial(lambda loop, at: loop(at.ctypes.data), loop, at)
    return out


def for_node(names: Sequence[str], folder: Path) -> None:
    """The modules, and what node has to call, as the script beside this file wants them."""
    given = list[dict[str, Any]]()
    for name in names:
        module = build.lowered({"total": total(name)})
        (folder / f"{name}.wasm").write_bytes(module.wasm)
        (folder / f"{name}.f64").write_bytes(points(name).tobytes())
        xs = ", ".join("xy"[: arity(name)])
        call = SPELLED.get(name) or ("" if name in NO_MATH else f"Math.{name}({xs})")
        at = module.signatures["total"].params[0].at
        given.append({"name": name, "at": at, "call": call, "per": arity(name)})
    (folder / "all.json").write_text(json.dumps({"rounds": ROUNDS, "repeats": REPEATS, "count": N, "functions": given}))


def in_node(folder: Path) -> dict[str, dict[str, float]]:
    """Our modules and `Math.*` in node, which measures by itself."""
    node = shutil.which("node")
    if node is None:
        return {}
    script = Path(__file__).with_suffix(".mjs")
    return json.loads(subprocess.run([node, script, folder], check=True, capture_output=True, text=True).stdout)


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def nanoseconds(names: Sequence[str]) -> dict[str, dict[str, float]]:
    """For each way to call, the functions that can be called that way, and how long a call takes."""
    times: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for_node(names, folder)
        ours, c = in_wasmtime(names), in_c(names, folder)
        calls = {
            (way, name): call for name in names for way, of in (("wasmtime", ours), ("C", c)) if (call := of.get(name))
        }
        for _ in range(BLOCKS):
            for way, figures in in_node(folder).items():
                for name, ns in figures.items():
                    times.setdefault((way, name), []).append(ns)
            for _ in range(ROUNDS):
                for key, call in calls.items():
                    least = min([seconds(call) for _ in range(REPEATS)])
                    times.setdefault(key, []).append(least * 1e9 / N)
    return {way: {name: statistics.median(ts) for (w, name), ts in times.items() if w == way} for way in WAYS}


def sizes(name: str) -> list[int]:
    """Bytes of the module of a function, and of its value and gradient; each raw and gzipped."""
    f = function(name)
    both = rose.value_and_grad(f, tuple(range(arity(name))) if arity(name) > 1 else 0)
    modules = [rose.compile(f).wasm, rose.compile(both).wasm]
    return [size for wasm in modules for size in (len(wasm), len(gzip.compress(wasm, mtime=0)))]


def main(names: Sequence[str] = tuple(RANGES)) -> None:
    """Measure, print the table, and write the figures."""
    found = nanoseconds(names)
    rows = {name: [found[way].get(name) for way in WAYS] for name in names}
    bytes_of = {name: sizes(name) for name in names}
    table = Table(title="nanoseconds a call, and bytes of modules", title_justify="left", box=None)
    for heading in ("", *WAYS, "value", "gzipped", "and gradient", "gzipped"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, figures in rows.items():
        shown = ["" if ns is None else f"{ns:.1f}" for ns in figures]
        table.add_row(name, *shown, *[f"{size:,}" for size in bytes_of[name]])
    console = Console(width=110)
    console.print(table)
    for way, tool in (("node", "node"), ("C", "gcc")):
        if not found[way]:
            console.print(f"{tool} is not installed, so its column is empty")
    saved("mathematics", {"columns": WAYS, "ns": rows, "bytes": bytes_of})


if __name__ == "__main__":
    main(sys.argv[1:] or tuple(RANGES))
