"""What it costs to get to the first evaluation: the time of each stage, bytes, and memory.

Milliseconds of the thread, the least of several runs, each with programs of its own, as functions are traced and
derived once. `engine` is wasmtime's compiler on one thread.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Sequence
from typing import Any

import wasmtime

from rose import build
from rose.optimise.pipeline import optimised
from wasm_backend.lower import lower

from .modules import Running, ours
from .programs import Program, programs

STAGES = ("trace", "derive", "optimise", "emit", "engine")
RUNS = 3


def stages(p: Program, form: str) -> dict[str, float]:
    """Milliseconds of each stage; the stages before it are done."""
    f = p.forms[form]
    marks = [time.thread_time_ns()]

    def mark() -> None:
        marks.append(time.thread_time_ns())

    with build.no_collector():
        assert f.func
        mark()
        both = p.derived(f).func
        mark()
        fast = optimised({"f": both})
        mark()
        wasm = lower(fast).wasm
        mark()
    config = wasmtime.Config()
    config.parallel_compilation = False
    engine = wasmtime.Engine(config)
    marks[-1] = time.thread_time_ns()
    wasmtime.Module(engine, wasm)
    mark()
    return {stage: (b - a) / 1e6 for stage, a, b in zip(STAGES, marks, marks[1:], strict=False)}


def sizes(p: Program, form: str) -> dict[str, int]:
    """Bytes of the module; of its memory; and of the tape and the vectors between."""
    m = ours(p, p.forms[form])
    running = Running(m)
    scratch = running.scratch()
    zipped = len(gzip.compress(m.wasm, mtime=0))
    return {"bytes": len(m.wasm), "gzipped": zipped, "memory": running.memory, "tape": scratch}


def measured(chosen: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each of these programs and each form."""
    runs = [{p.name: p for p in programs() if p.name in chosen} for _ in range(RUNS)]
    rows: list[dict[str, Any]] = []
    for p in runs[0].values():
        for form in p.forms:
            times = [stages(run[p.name], form) for run in runs]
            least = {stage: min(t[stage] for t in times) for stage in STAGES}
            rows.append({"program": p.name, "tool": "ours", "form": form, "ms": least, **sizes(p, form)})
    return rows
