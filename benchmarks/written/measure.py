"""What is measured of a program: checks first, then the times of all ways in turns."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rose import build

from ..compare import byhand, check, innode, inside, modules, timing
from ..compare.modules import Answer, Module
from ..compare.programs import Program
from . import called
from .model import Written, written

Row = dict[str, Any]
OURS: dict[str, bool | str] = {"plain": False, "simd": True, "relaxed": "relaxed"}
C: dict[str, list[str]] = {"C": [], "C simd": byhand.SIMD}
NATIVE = "C -O2"
BOUND = 1e-10  # how far from the adjoint by hand an answer may be, relative to the largest number in it
DIFFERENCES = 1e-6  # how far the adjoint by hand may be from differences of its value
COMPILED = 3  # times


def slopes(value: Callable[[Any], float], x: Any, d: Any) -> float:
    """Along a direction, by central differences of the fourth order."""
    h = 1e-4
    return (8 * (value(x + h * d) - value(x - h * d)) - value(x + 2 * h * d) + value(x - 2 * h * d)) / (12 * h)


def differs(p: Program, folder: Path) -> float:
    """How far the gradient by hand is from differences of its own value: along axes, and along any directions."""
    native = byhand.Native(p, byhand.NATIVE[NATIVE], folder)
    (_, g), x, r = native.answer(), np.array(p.params), np.random.default_rng(0)

    def value(at: Any) -> float:
        native.put(np.concatenate([at, *p.data]))
        return native.answer()[0]

    axes = r.permutation(len(x))[:40]
    along = [np.eye(1, len(x), k)[0] * max(abs(x[k]), 0.1) for k in axes]
    along += [r.standard_normal(len(x)) * np.maximum(np.abs(x), 0.1) / len(x) ** 0.5 for _ in range(3)]
    scale = float(max(np.abs(g * np.maximum(np.abs(x), 0.1)).max(), 1e-300))
    return max([abs(slopes(value, x, d) - float(g @ d)) / scale for d in along])


def known(w: Written, folder: Path) -> Answer:
    """The answer of the adjoint by hand, if it is the gradient of its value."""
    off = differs(w.program, folder)
    if not off <= DIFFERENCES:
        raise ValueError(f"the adjoint by hand differs from differences by {off:.1e}")
    return inside.known(w.program, folder)


def of_all(w: Written, answer: Answer, folder: Path, row: Row) -> dict[str, Module]:
    """The modules that are right; what is wrong with another is in the row."""
    p, out, bits = w.program, dict[str, Module](), dict[str, Answer]()
    makes: dict[str, Callable[[], Module]] = {
        **{way: lambda simd=simd: modules.ours(p, p.forms["text"], simd) for way, simd in OURS.items()},
        **{way: lambda options=options: byhand.module(p, folder, options) for way, options in C.items()},
    }
    for way, make in makes.items():
        try:
            made = make()
            bits[way] = modules.Running(made).answer()
            row["differs by"][way] = check.agree(f"{w.name}, {way}", bits[way], answer, BOUND)
            row["bytes"][way] = len(made.wasm)
            if way == "simd" and "plain" in out and not same(bits["plain"], bits["simd"]):
                raise ValueError("simd has other bits than plain")
            out[way] = made
        except Exception as e:  # whatever is wrong with one, the others are measured
            row["errors"][way] = f"{type(e).__name__}: {e}"[:300]
    return out


def same(one: Answer, other: Answer) -> bool:
    return one[0] == other[0] and one[1].tobytes() == other[1].tobytes()


def ratios(ns: dict[str, list[float]]) -> Row:
    """The median time of each way, and those of ours over both of C's."""
    found: Row = {"us": {way: statistics.median(times) / 1e3 for way, times in ns.items()}}
    for c in C:
        found[f"over {c}"] = {way: timing.ratio(ns[way], ns[c]) for way in ns if way in OURS and c in ns}
    if "plain" in ns and "simd" in ns:
        found["simd of plain"] = timing.ratio(ns["simd"], ns["plain"])
    return found


def compile_ms(name: str) -> float:
    """From Python to the bytes of a plain module, the trace included: of the processor, in a process that is warm."""
    taken: list[float] = []
    for _ in range(COMPILED):
        module = importlib.reload(importlib.import_module(f"benchmarks.written.programs.{name}"))
        p = module.written().program
        start = time.process_time_ns()
        build.lowered({"f": p.derived(p.forms["text"])})
        taken.append((time.process_time_ns() - start) / 1e6)
    return statistics.median(taken)


def in_node(w: Written, answer: Answer, made: dict[str, Module], folder: Path) -> Row:
    """The same in node, of which version 20 has no relaxed SIMD."""
    ways = {way: m for way, m in made.items() if way != "relaxed"}
    for found in innode.times({w.name: ways}, folder) or []:
        for way, xs in found["answers"].items():
            check.agree(f"{w.name}, {way} in node", (xs[0], np.array(xs[1:])), answer, BOUND)
        return ratios(found["ns"])
    return {}


def measured(name: str, folder: Path) -> Row:
    """The row of a program."""
    row: Row = {"program": name, "errors": {}, "differs by": {}, "bytes": {}}
    try:
        w = written(name)
        row |= {"field": w.field, "style": w.style}
        answer = known(w, folder)
    except Exception as e:
        return {**row, "errors": {"program": f"{type(e).__name__}: {e}"[:300]}}
    made = of_all(w, answer, folder, row)
    running = {way: modules.Running(m) for way, m in made.items()}
    native = byhand.Native(w.program, byhand.NATIVE[NATIVE], folder)
    row |= ratios(timing.rounds({**{way: x.loop for way, x in running.items()}, "native": native.loop}))
    parts: dict[str, Callable[[], Any]] = {
        "node": lambda: in_node(w, answer, made, folder),
        "calls": lambda: called.measured(w, answer, folder, BOUND),
        "compile ms": lambda: compile_ms(name),
    }
    for part, of in parts.items():
        try:
            row[part] = of()
        except Exception as e:
            row["errors"][part] = f"{type(e).__name__}: {e}"[:300]
    row["errors"] |= row.get("calls", {}).get("errors", {})
    return row


def checked(w: Written, folder: Path) -> dict[str, float]:
    """How far the answers are from the adjoint by hand, and that from differences: nothing is timed."""
    found = {"differences": differs(w.program, folder)}
    answer = inside.known(w.program, folder)
    row: Row = {"errors": {}, "differs by": {}, "bytes": {}}
    of_all(w, answer, folder, row)
    with called.worker("JAX", called.file_of(w, folder)) as jax:
        row["differs by"]["JAX"] = check.difference(jax.answer(), answer)
    return found | row["differs by"] | row["errors"]
