"""Evaluations inside of modules: ours, and the adjoint by hand in C, in the same engines; and that as native code.

All are checked against the native adjoint before any is timed. A form whose making or checking fails has a row with
what was wrong.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

from . import byhand, check, innode, modules, timing
from .modules import Answer, Module
from .programs import Program

Row = dict[str, Any]
C = "C"


def known(p: Program, folder: Path) -> Answer:
    """The value and the derivative, by hand."""
    return byhand.Native(p, byhand.NATIVE["C -O2"], folder).answer()


def rows_of(p: Program, engine: str, ns: dict[str, list[float]], off: dict[str, float]) -> list[Row]:
    """One row for each way, with its time over that of C in the same engine."""
    rows: list[Row] = []
    for way, times in ns.items():
        row: Row = {"program": p.name, "tool": C if way.startswith(C) else "ours", "form": way, "engine": engine}
        row |= {"us": statistics.median(times) / 1e3, "differs by": off[way]}
        if C in ns:
            row["over C"] = timing.ratio(times, ns[C])
        rows.append(row)
    return rows


def failed(p: Program, tool: str, form: str, error: Exception) -> Row:
    return {"program": p.name, "tool": tool, "form": form, "error": f"{type(error).__name__}: {error}"[:300]}


def made(p: Program, answer: Answer, folder: Path) -> tuple[dict[str, Module], list[Row]]:
    """The modules of a program that are right, and a row for each that is not."""
    out: dict[str, Module] = {}
    wrong: list[Row] = []
    try:
        out[C] = byhand.module(p, folder)
    except OSError as e:
        wrong.append(failed(p, C, "WebAssembly", e))
    for form, f in p.forms.items():
        try:
            m = modules.ours(p, f)
            check.agree(f"{p.name}, {form}", modules.Running(m).answer(), answer)
            out[form] = m
        except Exception as e:  # whatever is wrong with one, the others are measured
            wrong.append(failed(p, "ours", form, e))
    return out, wrong


def empty_call(folder: Path) -> dict[str, float]:
    """Nanoseconds that the driver takes for a call of nothing, which are in all figures."""
    text = '(module (memory (export "memory") 1) (func (export "f")))'
    nothing = Module(wasmtime.wat2wasm(text), "f", modules.driver([]), [], 0, 0)
    found = {"wasmtime": timing.rounds({"f": modules.Running(nothing).loop})["f"]}
    for row in innode.times({"nothing": {"f": nothing}}, folder) or []:
        found["node"] = row["ns"]["f"]
    return {engine: statistics.median(ns) for engine, ns in found.items()}


def measured(programs: Sequence[Program], folder: Path) -> list[Row]:
    """All rows: under wasmtime and native, then in node."""
    rows: list[Row] = []
    every: dict[str, dict[str, Module]] = {}
    for p in programs:
        answer = known(p, folder)
        every[p.name], wrong = made(p, answer, folder)
        running = {way: modules.Running(m) for way, m in every[p.name].items()}
        native = {way: byhand.Native(p, options, folder) for way, options in byhand.NATIVE.items()}
        off = {way: check.agree(f"{p.name}, {way}", x.answer(), answer) for way, x in {**running, **native}.items()}
        ns = timing.rounds({way: x.loop for way, x in {**running, **native}.items()})
        rows += rows_of(p, "wasmtime", {way: ns[way] for way in running}, off) + wrong
        rows += rows_of(p, "native", {way: ns[way] for way in native}, off)
    known_of = {p.name: (p, known(p, folder)) for p in programs}
    for found in innode.times(every, folder) or []:
        p, answer = known_of[found["program"]]
        got = {way: (xs[0], np.array(xs[1:])) for way, xs in found["answers"].items()}
        off = {way: check.agree(f"{p.name}, {way} in node", x, answer) for way, x in got.items()}
        rows += rows_of(p, "node", found["ns"], off)
    return rows
