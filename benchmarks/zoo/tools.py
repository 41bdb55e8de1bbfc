"""The tools, each in an environment of its own under `benchmarks/.peers`, and what they answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..compare.peers import PEERS, said
from .cases import CASES
from .judge import DOUBLE, SINGLE
from .spec import Missing
from .trace import traced

ADAPTERS = Path(__file__).parent / "adapters"
ROOT = Path(__file__).parents[2]
LIMIT = 1200  # seconds for a tool
# the newest comes first, since some tools have left older ones; `PEER_PYTHON` may name another
PYTHONS = (os.environ.get("PEER_PYTHON", ""), "python3.13", "python3.12", "python3.11", sys.executable)


@dataclass(frozen=True)
class Tool:
    name: str
    adapter: str
    needs: str = ""
    bound: float = DOUBLE

    @property
    def in_node(self) -> bool:
        return self.adapter.endswith(".mjs")


TOOLS = (
    Tool("Rose", "ours"),
    Tool("JAX", "with_jax", "jax==0.12.0.1 numpy"),
    Tool("PyTorch", "with_torch", "torch==2.15.0 numpy"),
    Tool("TensorFlow", "with_tensorflow", "tensorflow-cpu==2.21.0"),
    Tool("autograd", "with_autograd", "autograd==1.9.1 scipy"),
    Tool("CasADi", "with_casadi", "casadi==3.8.2"),
    Tool("Enzyme", "with_enzyme", "enzyme-ad==0.0.16"),
    Tool("Dr.Jit", "with_drjit", "drjit==1.5.0"),
    Tool("Warp", "with_warp", "warp-lang==1.19.0"),
    Tool("Taichi", "with_taichi", "taichi==1.7.4"),
    Tool("tfjs", "tfjs.mjs", "@tensorflow/tfjs@4.22.0", bound=SINGLE),
    Tool("jax-js", "jaxjs.mjs", "@jax-js/jax@0.1.25"),
)


def installed(tool: Tool) -> str | None:
    """Installs what a tool needs, unless it is there; what went wrong, if it did."""
    if not tool.needs:
        return None
    folder = PEERS / "node" if tool.in_node else PEERS / "zoo" / tool.adapter
    done = folder / (tool.needs.replace("/", "_").replace(" ", "+") + ".installed")
    if done.exists():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    wrong = _npm(tool, folder) if tool.in_node else _pip(tool, folder)
    if wrong is None:
        done.touch()
    return wrong


def _npm(tool: Tool, folder: Path) -> str | None:
    if shutil.which("node") is None:
        return "node is not installed"
    if not (folder / "package.json").exists():
        (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    return said(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *tool.needs.split()], folder)


def _pip(tool: Tool, folder: Path) -> str | None:
    """With the newest Python for which there is a package."""
    wrong = "there is no Python"
    for python in filter(shutil.which, PYTHONS):
        wrong = said([python, "-m", "venv", "--clear", folder])
        wrong = wrong or said([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *tool.needs.split()])
        if wrong is None:
            return None
    return wrong


def answered(tool: Tool) -> tuple[str, dict[str, Any]]:
    """The version of a tool, and what it answers for each case; a case in which it crashes is an error."""
    versions, rows = "", dict[str, Any]()
    for row in _lines(tool):
        versions = row.get("versions", versions)
        if "case" in row:
            rows[row["case"]] = row["answers"]
    return versions, rows


def _lines(tool: Tool) -> Iterator[dict[str, Any]]:
    start = 0
    while start < len(CASES):
        try:
            done = subprocess.run(_command(tool, start), **_place(tool), capture_output=True, text=True, timeout=LIMIT)
            out, how = done.stdout, f"crashed: exit {done.returncode}"
        except subprocess.TimeoutExpired as e:
            out, how = (e.stdout or b"").decode(), f"took more than {LIMIT} s"
        rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        yield from rows
        start += sum("case" in row for row in rows)
        if start < len(CASES):
            yield {"case": CASES[start].name, "answers": [[{"error": how}] * 4 for _ in CASES[start].points]}
            start += 1


def _command(tool: Tool, start: int) -> list[str | Path]:
    if tool.in_node:
        return ["node", tool.adapter, "cases.json", str(start)]
    python = PEERS / "zoo" / tool.adapter / "bin" / "python" if tool.needs else Path(sys.executable)
    return [python, "-m", f"benchmarks.zoo.adapters.{tool.adapter}", str(start)]


def _place(tool: Tool) -> dict[str, Any]:
    if not tool.in_node:
        return {"cwd": ROOT, "env": {**os.environ, "OMP_NUM_THREADS": "2"}}
    node = PEERS / "node"
    for script in ADAPTERS.glob("*.mjs"):  # beside node_modules, where node looks for what they import
        shutil.copy(script, node)
    (node / "cases.json").write_text(json.dumps(list(_traces())))
    return {"cwd": node}


def _traces() -> Iterator[dict[str, Any]]:
    for c in CASES:
        points = [{"point": [str(v) for v in p.point], "orders": p.orders} for p in c.points]
        try:
            made: dict[str, Any] = {"nodes": traced(c.program)}
        except Missing as e:
            made = {"missing": str(e)}
        yield {"name": c.name, "size": c.size, "points": points, **made}
