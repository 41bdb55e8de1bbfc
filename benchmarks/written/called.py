"""Calls from Python: ours, and JAX's in the environment of the peers. Each is a process, which measures when asked."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..compare import check, peers, timing
from ..compare.modules import Answer
from .model import HERE, Written

LIMIT = 300  # seconds of a process
ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
}
JAX = next(tool for tool in peers.TOOLS if tool.name == "JAX")


class Worker:
    """A process that calls, which is stopped after some minutes."""

    def __init__(self, tool: str, file: Path) -> None:
        python = str(peers.python()) if tool == "JAX" else sys.executable
        script = HERE / "workers" / ("with_jax.py" if tool == "JAX" else "with_ours.py")
        env = os.environ | ONE_THREAD | ({} if tool == "JAX" else {"PYTHONPATH": str(peers.ROOT)})
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
        self._process = subprocess.Popen([python, script, file], stderr=subprocess.DEVNULL, text=True, env=env, **pipes)
        self._limit = threading.Timer(LIMIT, self._process.kill)
        self._limit.start()

    def _said(self) -> Any:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise OSError("the process ended, or took too long")
        return json.loads(line)

    def answer(self) -> Answer:
        found = self._said()
        if "error" in found:
            raise ValueError(found["error"])
        return found["answer"][0], np.array(found["answer"][1:])

    def nanoseconds(self, n: int) -> float:
        """Of the processor, a call: all threads of the process."""
        assert self._process.stdin is not None
        print(n, file=self._process.stdin, flush=True)
        return self._said() / n

    def close(self) -> None:
        self._limit.cancel()
        self._process.kill()
        self._process.communicate()


@contextlib.contextmanager
def worker(tool: str, file: Path) -> Iterator[Worker]:
    made = Worker(tool, file)
    try:
        yield made
    finally:
        made.close()


def file_of(w: Written, folder: Path) -> Path:
    """What the processes are told of a program."""
    p, out = w.program, folder / f"{w.name}.json"
    given = {"name": w.name, "jax": str(HERE / "jax" / f"{w.name}.py"), "sizes": p.sizes, "tables": p.tables}
    out.write_text(json.dumps({**given, "params": p.params, "data": p.data}))
    return out


def measured(w: Written, answer: Answer, folder: Path, bound: float) -> dict[str, Any]:
    """The time of a call of each tool, and of ours over JAX's; of one that is wrong, the error."""
    file, row = file_of(w, folder), {"us": {}, "differs by": {}, "errors": {}}
    with worker("ours", file) as ours, worker("JAX", file) as jax:
        right: dict[str, Worker] = {}
        for tool, of in {"called": ours, "JAX": jax}.items():
            try:
                row["differs by"][tool] = check.agree(f"{w.name}, {tool}", of.answer(), answer, bound)
                right[tool] = of
            except (OSError, ValueError) as e:
                row["errors"][tool] = f"{type(e).__name__}: {e}"
        ns = timing.rounds(right, lambda of, n: of.nanoseconds(n))
    row["us"] = {tool: float(np.median(xs)) / 1e3 for tool, xs in ns.items()}
    if len(ns) == 2:
        row["over JAX"] = timing.ratio(ns["called"], ns["JAX"])
    return row
