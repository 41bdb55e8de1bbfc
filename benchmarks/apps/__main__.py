"""Prints two tables, with the tools of others as `benchmarks/compare/peers.py` installs them.

In the first a gradient, in milliseconds of the processor: each tool is a process of its own, and they take turns. In
the second the whole optimisation, in seconds of the clock and of the processor, from importing the tool to the last
iteration. Every answer is checked against the reference first: the numbers in `tests/data`, and those below.

`python -m benchmarks.apps gradients` or `whole` prints one of them.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..compare.peers import PEERS, ROOT, Tool, installed, python

HERE = Path(__file__).parent
BILLIARDS, ROBOTS = [
    json.loads((ROOT / "tests" / "data" / name).read_text(encoding="utf-8"))
    for name in ("billiards.json", "robot.json")
]
ROUNDS, SAMPLE = 9, 100.0  # milliseconds of the processor
SLOPES = {  # with so many steps: the loss, and the slopes, of billiards; the loss and the squared norm of the robot
    1023: [0.0454166227585681, -0.5183187429265992, 1.1283946992678617, -0.6967854761398166, 1.2795995889697676],
    1024: [0.045376100103525101, -0.5188530865230098, 1.129672200247702, -0.6975152352009544, 1.2810482750808891],
    681: [-0.227928548408988, 0.0263512796476091],
    1364: [-0.26131516761184564, 0.118751997686],
}
LOSSES: dict[int, dict[int, float]] = {
    1023: dict(enumerate(BILLIARDS["losses"])),
    1024: {0: 0.045376100103525094, 10: 0.013561330266228635, 100: 3.144209822827173e-05, 199: 2.1710971463331647e-05},
    681: dict(enumerate(ROBOTS["D"]["losses"])),
    1364: {0: -0.26131516761184564, 1: -0.30674719867, 2: -0.32223276347, 5: -0.45764733570},
}
APPS = {1023: ("billiards", 200), 1024: ("billiards", 200), 681: ("robot", 100), 1364: ("robot", 100)}
TOOLS = {
    "ours": Tool("ours", "with_ours"),
    "ours, simd": Tool("ours, simd", "with_ours"),
    "JAX": Tool("JAX", "with_jax", ("jax==0.10.2",)),
    "Rose 0.4.10": Tool("Rose 0.4.10", "rose.mjs", ("rose@0.4.10",)),
    "Taichi 1.7.4": Tool("Taichi 1.7.4", "with_taichi", ("taichi==1.7.4",)),
}
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "ROSE_CACHE": "",
}


def setting(steps: int, simd: bool) -> dict[str, Any]:
    """What a tool is given: for the robot the weights that the reference begins with, from NumPy's old generator."""
    masses, springs = ROBOTS["D"]["masses"], ROBOTS["D"]["springs"]
    draw, inputs = np.random.RandomState(0).randn, 10 + 4 * len(masses) + 2
    w1 = draw(32, inputs) * math.sqrt(2 / (32 + inputs)) * 2
    w2 = draw(len(springs), 32) * math.sqrt(2 / (32 + len(springs))) * 3
    weights = [w1.tolist(), [0.0] * 32, w2.tolist(), [0.0] * len(springs)]
    return {"steps": steps, "simd": simd, "masses": masses, "springs": springs, "weights": weights}


def begun(name: str, steps: int, folder: Path, *more: str) -> subprocess.Popen[str]:
    """A process of a tool with a simulation."""
    tool, app = TOOLS[name], APPS[steps][0]
    file = folder / f"{steps} {name}.json"
    file.write_text(json.dumps(setting(steps, "simd" in name)), encoding="utf-8")
    if tool.in_node:
        script = PEERS / "node" / f"apps-{tool.script}"  # beside node_modules, where node looks for what it imports
        shutil.copy(HERE / tool.script, script)
        command: list[Any] = ["node", "--stack-size=4000", script]
    else:
        command = [python() if tool.needs else sys.executable, HERE / "serve.py", tool.script]
    env = {**os.environ, **ONE_THREAD, "PYTHONPATH": "" if tool.needs else str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen([*command, app, str(file), *more], stdin=pipe, stdout=pipe, text=True, env=env)


def read(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next line of JSON that a process prints."""
    assert process.stdout is not None
    line = next((x for x in process.stdout if x.startswith("{")), "")
    return json.loads(line) if line else {"error": "stopped"}


def asked(process: subprocess.Popen[str], n: int) -> float:
    """Milliseconds of the processor for each of n gradients."""
    assert process.stdin is not None
    process.stdin.write(f"{n}\n")
    process.stdin.flush()
    return read(process)["cpu_ms"]


def off(steps: int, answer: Sequence[float]) -> float:
    """How far a value and a gradient are from the reference, as a part of the largest."""
    known = np.array(SLOPES[steps])
    if APPS[steps][0] == "robot":
        found = np.array([answer[0], np.square(answer[1:]).sum()])
        return float(np.abs(found / known - 1).max())
    return float(np.abs(np.array(answer) - known).max() / np.abs(known).max())


def parts_off(answer: Sequence[float]) -> float:
    """Of the robot with 681 steps: the same for the parts of the gradient that the reference names."""
    known, x = ROBOTS["D"], np.array(answer[1:])
    n, m, inputs = 32, len(known["springs"]), 10 + 4 * len(known["masses"]) + 2
    ends = np.cumsum([0, n * inputs, n, m * n, m])
    w1, b1, w2, b2 = [x[a:b] for a, b in pairwise(ends)]
    pairs = [(b1, known["b1"]), (b2, known["b2"])]
    pairs += [(w1.reshape(n, -1)[int(i)], row) for i, row in known["w1"].items()]
    pairs += [(w2.reshape(m, -1)[int(i)], row) for i, row in known["w2"].items()]
    return max(float(np.abs(got - row).max() / (np.abs(row).max() or 1.0)) for got, row in pairs)


def wrong_losses(steps: int, losses: Sequence[float]) -> str:
    """What is wrong with the losses of an optimisation: rounding grows tenfold in two iterations of the robot."""
    is_robot = APPS[steps][0] == "robot"
    for k, known in LOSSES[steps].items():
        bound = 1e-6 if is_robot and k > 4 else 1e-9
        if not abs(losses[k] - known) < bound:
            return f"loss {k} is {losses[k]}, not {known}"
    return "" if not is_robot or losses[-1] < -0.40 else f"the last loss is {losses[-1]}"


# the tables


def gradients(tools: Iterable[str], folder: Path) -> None:
    print("| one gradient, ms of the processor | " + " | ".join(tools) + " |")
    for steps in (1023, 681, 1364):
        running = {name: begun(name, steps, folder) for name in tools}
        try:
            first = {name: read(process) for name, process in running.items()}
            cells = {name: checked(steps, found) for name, found in first.items()}
            right = {name: running[name] for name, cell in cells.items() if not cell}
            counts = {name: max(1, round(SAMPLE / asked(process, 1))) for name, process in right.items()}
            times: dict[str, list[float]] = {name: [] for name in right}
            for _ in range(ROUNDS):
                for name, process in right.items():
                    times[name].append(asked(process, counts[name]))
        finally:
            for process in running.values():
                process.kill()
                process.wait()
        cells |= {name: f"{statistics.median(xs):.2f}" for name, xs in times.items()}
        print(f"| {APPS[steps][0]}, {steps:,} steps | " + " | ".join(cells.values()) + " |", flush=True)


def checked(steps: int, found: Mapping[str, Any]) -> str:
    """What is wrong with a first answer."""
    if "error" in found:
        return str(found["error"])
    far = max(off(steps, found["answer"]), parts_off(found["answer"]) if steps == 681 else 0.0)
    return "" if far < 1e-8 else f"differs by {far:.0e}"


def whole(tools: Iterable[str], folder: Path) -> None:
    print("| all iterations, s (of the processor) | " + " | ".join(tools) + " |")
    for steps, (app, iterations) in APPS.items():
        cells: list[str] = []
        for name in tools:
            process = begun(name, steps, folder, str(iterations))
            found = read(process)
            process.kill()
            process.wait()
            wrong = found.get("error") or wrong_losses(steps, found["losses"])
            cells.append(wrong or f"{found['ms'] / 1e3:.2f} ({found['cpu_ms'] / 1e3:.2f})")
            print(f"{app}, {steps}: {name} {cells[-1]}", file=sys.stderr, flush=True)
        print(f"| {app}, {steps:,} steps, {iterations} iterations | " + " | ".join(cells) + " |", flush=True)


def main(which: Sequence[str]) -> None:
    """Install what is missing, and print the tables."""
    (PEERS / "node").mkdir(parents=True, exist_ok=True)
    missing = {name: wrong for name, tool in TOOLS.items() if tool.needs and (wrong := installed(tool))}
    for name, wrong in missing.items():
        print(f"{name}: cannot be installed: {wrong}")
    tools = [name for name in TOOLS if name not in missing]
    with tempfile.TemporaryDirectory() as folder:
        for table in which or ("gradients", "whole"):
            {"gradients": gradients, "whole": whole}[table](tools, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
