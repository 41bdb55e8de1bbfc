"""Sparse Jacobians and Hessians, beside CasADi's and our dense ones: patterns, colours, and times.

`python -m benchmarks.sparse`. CasADi's SX, in its virtual machine, has the same programs in a process of its own, and
takes turns with ours. Patterns must be equal, and entries agree, before anything is timed. Times are of the thread: of
making the function, from the definition to the first answer, and of a call. A call gives a matrix of SciPy's; a `bare`
one takes and leaves numbers where they are. Of the smallest program there is also CasADi's C, compiled by gcc.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import rose
from rose import Vec
from rose.differentiation.sparse import colouring

from .compare.peers import HERE, Tool, installed, python
from .compare.timing import nanoseconds, turns
from .loops import saved, shown
from .sparse_programs import Program, programs, rosenbrock

CASADI = Tool("CasADi", "sparse_casadi", ("casadi==3.8.2", "casadi"))
ROUNDS = 11
DENSE = 2_000_000  # numbers in a dense matrix that is still made


class Other:
    """CasADi with one program: its answer, and the time of a call each time that it is asked."""

    def __init__(self, p: Program, folder: Path) -> None:
        file = folder / "program.json"
        given = {"source": p.source, "point": np.ravel(p.point).tolist(), "hessian": p.hessian, "data": p.data}
        file.write_text(json.dumps(given))
        command = [python(), HERE / "py" / "sparse_casadi.py", file]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer = self._read()

    def _read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"CasADi stopped with code {self.process.wait()}")
        return json.loads(line)

    def nanoseconds(self) -> dict[str, float]:
        assert self.process.stdin is not None
        self.process.stdin.write("again\n")
        self.process.stdin.flush()
        return self._read()

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def matrix(p: Program) -> Any:
    return rose.hessian(p.f, sparse=True) if p.hessian else rose.jacobian(p.f, sparse=True)


def colours(p: Program) -> int:
    pattern = rose.sparsity(rose.grad(p.f) if p.hessian else p.f)
    rows, (m, n) = pattern.by_row(), pattern.shape
    if p.hessian:
        return colouring.count(colouring.of_symmetric(rows))
    both = colouring.of_columns(rows, n), colouring.of_columns(colouring.transposed(rows, n), m)
    return min(map(colouring.count, both))


def ours(p: Program) -> tuple[Any, dict[str, Callable[[], Any]], dict[str, float]]:
    """The matrix at the point, the ways to call, and milliseconds of making them."""
    start = time.thread_time()
    f = matrix(p)
    pattern = time.thread_time()
    module = rose.compile(f)
    answer = module(p.point)
    first = time.thread_time()
    values = rose.compile(rose.fn(f.types, Vec[answer.nnz])(lambda x: f(x).values))
    out = np.empty(answer.nnz)
    ways = {"called": lambda: module(p.point), "bare": lambda: values(p.point, out=out)}
    if answer.shape[0] * answer.shape[1] <= DENSE:
        dense = rose.compile(rose.hessian(p.f) if p.hessian else rose.jacobian(p.f))
        ways["dense"] = lambda: dense(p.point)
        assert np.allclose(np.reshape(dense(p.point), answer.shape), answer.toarray(), rtol=1e-12, atol=1e-12)
    return answer, ways, {"pattern, ms": (pattern - start) * 1e3, "in all, ms": (first - start) * 1e3}


def check(p: Program, made: Any, other: Any) -> None:
    """The patterns are equal, and the entries agree."""
    coordinates = made.tocoo()
    here = {(int(i), int(j)): x for i, j, x in zip(*coordinates.coords, coordinates.data, strict=True)}
    there = {(i, j): x for i, j, x in zip(other["rows"], other["cols"], other["values"], strict=True)}
    assert here.keys() == there.keys(), f"{p.name}: {len(here)} entries, and {len(there)} of CasADi's"
    most = max(map(abs, there.values()))
    assert all([abs(here[k] - there[k]) <= 1e-12 * most for k in here]), p.name


def measured(p: Program, folder: Path, missing: str | None) -> list[dict[str, Any]]:
    answer, ways, made = ours(p)
    other = None if missing else Other(p, folder)
    if other is not None:
        check(p, answer, other.answer)
    loops = {way: (lambda n, go=go: [go() for _ in range(n)]) for way, go in ways.items()}
    counts = {way: turns(loop) for way, loop in loops.items()}
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for way, loop in loops.items():
            times.setdefault(f"ours, {way}", []).append(min([nanoseconds(loop, counts[way]) for _ in range(3)]))
        for way, ns in other.nanoseconds().items() if other is not None else ():
            times.setdefault(f"CasADi, {way}", []).append(ns)
    if other is not None:
        other.close()
    theirs = other.answer if other is not None else {}
    rows: list[dict[str, Any]] = []
    for way, samples in times.items():
        own = way.startswith("ours")
        beside = times.get(way.replace("ours", "CasADi").replace("dense", "called"), samples) if own else samples
        took = made["in all, ms"] if own else theirs["ms"] + 1e3 * theirs.get("C, s", 0.0) * ("C, " in way)
        rows.append({
            "program": p.name, "entries": answer.nnz, "way": way,
            "colours": (answer.shape[1] if "dense" in way else colours(p)) if own else theirs["colours"],
            "made in, ms": took,
            "pattern, ms": made["pattern, ms"] if own else "",
            "call, us": statistics.median(samples) / 1e3,
            "CasADi's / this": statistics.median([y / x for x, y in zip(samples, beside, strict=True)]),
        })  # fmt: skip
    return rows


def main() -> None:
    rose.compile(matrix(rosenbrock(3)))([1.0, 2.0, 3.0])  # what is imported at the first call is no part of the times
    missing = installed(CASADI)
    if missing:
        print(f"CasADi cannot be installed: {missing}")
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for p in programs() for row in measured(p, Path(folder), missing)]
    Console(width=160).print(shown("sparse Jacobians and Hessians", rows))
    saved("sparse", {"rows": rows})


if __name__ == "__main__":
    main()
