"""Two iterations of a loop at once: `python -m benchmarks.simd [the beginning of a program's name ...]`.

The programs of `compare`, as they are compiled without and with `simd`, and the adjoints by hand as native code of the
C compiler's best: microseconds of an evaluation, median, all ways in turns in one run; and how much each is of that
native code. With `simd=True` the answer has the same bits, which is checked, as is that of all others, approximately.

`python -m benchmarks.simd f32`: programs of `LANES`, in single and in double precision, without and with `simd`.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

import rose
from rose import Real, Vec, build, fn
from wasm_backend.abi.layout import size
from wasm_backend.runtime.raw_call import engine

from .compare import byhand, check, innode, measure, modules, report, timing
from .compare.programs import Program, programs

N = 4000
LANES: dict[str, Callable[[], Any]] = {
    "a x + y": lambda: _each(lambda x, y, i: x[i] * 1.5 + y[i]),
    "a polynomial": lambda: _each(lambda x, y, i: ((x[i] * 0.3 + y[i]) * x[i] - 1.0) * y[i] + x[i]),
    "a quotient": lambda: _each(lambda x, y, i: x[i] * y[i] + 0.3 / (x[i] * x[i] + 2.0)),
    "lengths": lambda: _each(lambda x, y, i: rose.sqrt(x[i] * x[i] + y[i] * y[i])),
    "a choice": lambda: _each(lambda x, y, i: rose.select(x[i] > y[i], x[i] - y[i], y[i] * 0.5)),
    "the index as a number": lambda: _each(lambda x, y, i: x[i] * i + y[i]),
    "points of two numbers": lambda: _each(lambda x, y, i: rose.sqrt(x[2 * i] ** 2 + x[2 * i + 1] ** 2) * y[i], N // 2),
    "points of three numbers": lambda: _each(
        lambda x, y, i: rose.sqrt(x[3 * i] ** 2 + x[3 * i + 1] ** 2 + x[3 * i + 2] ** 2) * y[i], N // 3
    ),
    "exp": lambda: _each(lambda x, y, i: rose.exp(-x[i] * x[i])),
    "log": lambda: _each(lambda x, y, i: rose.log(x[i] * x[i] + 1.0)),
    "tanh": lambda: _each(lambda x, y, i: rose.tanh(x[i])),
    "erf": lambda: _each(lambda x, y, i: rose.erf(x[i])),
    "gradient of Rosenbrock": lambda: _slope(lambda x, y, i: 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2),
    "gradient of differences": lambda: _slope(lambda x, y, i: ((x[i + 2] - x[i]) * 0.5) ** 2 * y[i]),
    "a sum of products": lambda: fn([Vec[N], Vec[N]], Vec[1])(
        lambda x, y: [rose.sum(x[i] * y[i] for i in rose.range(N))]
    ),
    "a choice by `i % 3`": lambda: _each(
        lambda x, y, i: rose.select(i % 3 == 0, x[i] * y[i] * x[i], y[i] + x[i] * 0.5)
    ),
}


def _each(body: Callable[..., Any], n: int = N) -> Any:
    return fn([Vec[N], Vec[N]], Vec[n])(lambda x, y: rose.vec(body(x, y, i) for i in rose.range(n)))


def _slope(body: Callable[..., Any]) -> Any:
    return rose.grad(fn([Vec[N], Vec[N]], Real)(lambda x, y: rose.sum(body(x, y, i) for i in rose.range(N - 2))))


RESULTS = Path(__file__).parent / "results"
NATIVE = "C -O3 native"
WAYS: dict[str, bool | str] = {"scalar": False, "simd": True, "relaxed": "relaxed"}


def measured(p: Program, form: str, folder: Path) -> dict[str, Any]:
    """A row for a form of a program."""
    made = {way: modules.ours(p, p.forms[form], simd) for way, simd in WAYS.items()}
    running = {way: modules.Running(m) for way, m in made.items()}
    native = byhand.Native(p, byhand.NATIVE[NATIVE], folder)
    known = native.answer()
    for way, x in running.items():
        check.agree(f"{p.name}, {form}, {way}", x.answer(), known)
    answers = [running[way].answer() for way in ("scalar", "simd")]
    assert answers[0][0] == answers[1][0] and answers[0][1].tobytes() == answers[1][1].tobytes(), p.name
    ns = timing.rounds({**{way: x.loop for way, x in running.items()}, NATIVE: native.loop})
    row: dict[str, Any] = {"program": p.name, "form": form, "bytes": {way: len(m.wasm) for way, m in made.items()}}
    row["us"] = {way: statistics.median(times) / 1e3 for way, times in ns.items()}
    row["over native"] = {way: timing.ratio(ns[way], ns[NATIVE]) for way in WAYS}
    row["of scalar"] = {way: timing.ratio(ns[way], ns["scalar"]) for way in ("simd", "relaxed")}
    in_node = innode.times({p.name: {way: made[way] for way in ("scalar", "simd")}}, folder)
    for found in in_node or []:  # which may not have what is relaxed
        row["node, of scalar"] = timing.ratio(found["ns"]["simd"], found["ns"]["scalar"])
    return row


def table(rows: Sequence[dict[str, Any]]) -> str:
    """For `results/simd.md`."""
    ratios = [*[("over native", way) for way in WAYS], *[("of scalar", way) for way in ("simd", "relaxed")]]
    headings = ["program", "form", *[f"{way}, µs" for way in (*WAYS, NATIVE)]]
    headings += [f"{way}, {what}" for what, way in ratios] + ["node: simd, of scalar"]
    lines: list[list[str]] = []
    for row in rows:
        times = [report.shown(row["us"][way]) for way in (*WAYS, NATIVE)]
        found = [report.times(row[what][way]) for what, way in ratios]
        lines.append([row["program"], row["form"], *times, *found, report.times(row.get("node, of scalar"))])
    fastest = {row["program"]: row for row in sorted(rows, key=lambda row: -row["us"]["relaxed"])}
    for name, among in (("geometric mean", rows), ("of the fastest forms", list(fastest.values()))):
        means = [report.times(report.mean([row[what][way] for row in among])) for what, way in ratios]
        nodes = [row["node, of scalar"] for row in among if "node, of scalar" in row]
        lines.append([name, "", *[""] * 4, *means, report.times(report.mean(nodes) if nodes else None)])
    return report.table(headings, lines)


class OfLanes:
    """A function of two vectors under wasmtime, called by a driver."""

    def __init__(self, f: Any, dtype: str, simd: bool) -> None:
        made = build.lowered({"f": f}, dtype, simd)
        s, r = made.signatures["f"], np.random.default_rng(0)
        self.store = wasmtime.Store(engine())
        exports = wasmtime.Instance(self.store, wasmtime.Module(self.store.engine, made.wasm), []).exports(self.store)
        self.memory: Any = exports["memory"]
        self.at, self.size = s.result.at, size(s.result.type)
        for slot in s.params:
            x = r.normal(size=N).astype(np.float32)
            self.memory.write(self.store, x.astype(dtype.replace("f64", "f8").replace("f32", "f4")).tobytes(), slot.at)
        code = wasmtime.Module(self.store.engine, modules.driver([]))
        self._loop: Any = wasmtime.Instance(self.store, code, [exports["f"]]).exports(self.store)["loop"]

    def loop(self, n: int) -> None:
        self._loop(self.store, n)

    def answer(self) -> bytes:
        self.loop(1)
        return bytes(self.memory.read(self.store, self.at, self.at + self.size))


def single_precision() -> str:
    """The table of the programs of `LANES`."""
    lines: list[list[str]] = []
    for name, make in LANES.items():
        f, cells = make(), list[str]()
        for dtype in ("f32", "f64"):
            ways = {simd: OfLanes(f, dtype, simd) for simd in (False, True)}
            assert ways[False].answer() == ways[True].answer(), name
            ns = timing.rounds({str(simd): way.loop for simd, way in ways.items()})
            cells += [report.shown(statistics.median(ns[way]) / 1e3) for way in ("False", "True")]
            cells.append(report.times(timing.ratio(ns["True"], ns["False"])))
        lines.append([name, *cells])
    headings = [f"{dtype}, {way}" for dtype in ("f32", "f64") for way in ("plain, µs", "simd, µs", "of plain")]
    return report.table(["program", *headings], lines)


def main(names: Sequence[str] = ()) -> None:
    gc.disable()
    if list(names) == ["f32"]:
        table_of_lanes = single_precision()
        print(table_of_lanes)
        report.put(RESULTS / "simd.md", "single", table_of_lanes)
        return
    chosen = [p for p in programs() if not names or any(p.name.startswith(x) for x in names)]
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(p, form, Path(folder)) for p in chosen for form in p.forms]
    print(table(rows))
    if not names:
        RESULTS.mkdir(exist_ok=True)
        text = json.dumps({"machine": measure.machine(), "programs": rows}, indent=1)
        (RESULTS / "simd.json").write_text(text + "\n")
        report.put(RESULTS / "simd.md", "simd", table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
