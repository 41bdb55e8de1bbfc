"""What wasmtime's ways to compile cost, and what their code takes to run: for programs that are called once.

Each compiles the modules of the comparison on one thread. Then the first evaluation, further ones, and whether the
bits are the same. Winch, which compiles in one pass, is not among what wasmtime's package for Python offers; its
number is taken from the C interface.
"""

from __future__ import annotations

import importlib
import time
from typing import Any

import numpy as np
import wasmtime
from rich.console import Console
from rich.table import Table

from .compare.modules import PAGE, Module, ours
from .compare.programs import programs

WINCH = 2  # wasmtime_strategy_t
PROGRAMS = {
    "Rosenbrock 1000": ("loop", "unrolled"), "springs 500": ("loop",), "bodies 100": ("pairs",),
    "network 2-16-16-1": ("loop",), "oscillator 1000": ("calls",), "terms 1000": ("calls",),
}  # fmt: skip
ROUNDS = 5


def engine(kind: str) -> wasmtime.Engine:
    config = wasmtime.Config()
    config.parallel_compilation = False
    if kind == "Winch":
        ffi: Any = importlib.import_module("wasmtime._ffi")
        config.wasm_relaxed_simd = False  # which it does not know
        ffi.wasmtime_config_strategy_set(config.ptr(), WINCH)
    else:
        config.cranelift_opt_level = {"Cranelift": "speed", "not optimised": "none"}[kind]
    return wasmtime.Engine(config)


def measured(m: Module, kind: str) -> tuple[float, float, float, bytes]:
    """Milliseconds to compile, microseconds of the first evaluation and of another, and what it gave."""
    e = engine(kind)
    start = time.thread_time()
    module = wasmtime.Module(e, m.wasm)
    compiled = time.thread_time() - start
    store = wasmtime.Store(e)
    exports = wasmtime.Instance(store, module, []).exports(store)
    memory: Any = exports["memory"]
    if (short := m.end - memory.data_len(store)) > 0:
        memory.grow(store, -(-short // PAGE))
    for at, xs in m.arguments:
        memory.write(store, np.array(xs).tobytes(), at)
    driver = wasmtime.Instance(store, wasmtime.Module(e, m.driver), [exports[m.export]])
    loop: Any = driver.exports(store)["loop"]

    def run(n: int) -> float:
        begin = time.thread_time()
        loop(store, n)
        return (time.thread_time() - begin) / n

    first = run(1)
    later = run(max(1, int(0.01 / first)))
    return compiled * 1e3, first * 1e6, later * 1e6, memory.read(store, m.result, m.result + 8 * (1 + m.outputs))


def main() -> None:
    table = Table(title="compile, ms; first evaluation and others, microseconds", title_justify="left", box=None)
    for heading in ("program", "form", "compiler", "compile", "first", "others", "bits"):
        table.add_column(heading, justify="right" if heading in ("compile", "first", "others") else "left")
    for p in programs():
        for form in PROGRAMS.get(p.name, ()):
            m, expected = ours(p, p.forms[form]), None
            for kind in ("Cranelift", "not optimised", "Winch"):
                runs = [measured(m, kind) for _ in range(ROUNDS)]
                expected = expected or runs[0][3]
                same = "same" if all([r[3] == expected for r in runs]) else "OTHERS"
                shown = [f"{min(r[k] for r in runs):.2f}" for k in range(3)]
                table.add_row(p.name, form, kind, *shown, same)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
