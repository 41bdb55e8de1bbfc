"""The same programs in other tools, and ours called from outside: each in a process of its own, with data in and out.

Tools of others are installed into `benchmarks/.peers`, which holds an environment for Python and one for node, and
never into the project's own. One that cannot be installed has rows that say so; a program that a tool cannot do, or
not in time, has what was said.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rose

from .modules import Answer
from .programs import Program

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PEERS = HERE.parent / ".peers"
LIMIT = 60  # seconds for one program with one tool
BOUND = 1e-11  # how far from the adjoint by hand an answer in 64 bits may be


@dataclass(frozen=True)
class Tool:
    """A tool: the script that has its programs, and what it needs."""

    name: str
    script: str
    needs: tuple[str, ...] = ()  # packages: the first that can be installed

    @property
    def in_node(self) -> bool:
        return self.script.endswith(".mjs")


TFJS = "@tensorflow/tfjs-backend-wasm@4.22.0 @tensorflow/tfjs@4.22.0"
TOOLS = (
    Tool("ours, Python", "with_ours"),
    Tool("JAX", "with_jax", ("jax==0.10.2",)),
    Tool("PyTorch", "with_torch", ("torch==2.13.0+cpu", "torch==2.13.0")),
    Tool("autograd", "with_autograd", ("autograd==1.9.1",)),
    Tool("CasADi", "with_casadi", ("casadi==3.8.2",)),
    Tool("ours, JavaScript", "ours.mjs"),
    Tool("by hand, JavaScript", "byhand.mjs"),
    Tool("Rose 0.4.10", "rose.mjs", ("rose@0.4.10",)),
    Tool("tfjs cpu", "tfjs-cpu.mjs", (TFJS,)),
    Tool("tfjs wasm", "tfjs-wasm.mjs", (TFJS,)),
    Tool("jax-js", "jaxjs.mjs", ("@jax-js/jax@0.1.25",)),
)


# installing


def said(command: Sequence[str | Path], cwd: Path | None = None) -> str | None:
    """Runs it; the last that it said, if it failed."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=1800)
    except (OSError, subprocess.TimeoutExpired) as e:
        return str(e)[:200]
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip()[-200:]


def python() -> Path:
    return PEERS / "python" / ("Scripts" if os.name == "nt" else "bin") / "python"


def installed(tool: Tool) -> str | None:
    """Installs what a tool needs, unless it is there; what went wrong, if it did."""
    folder = PEERS / ("node" if tool.in_node else "python")
    wrong = None
    for spec in tool.needs:
        done = folder / (spec.replace("/", "_") + ".installed")
        if done.exists():
            return None
        if tool.in_node:
            wrong = said(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *spec.split()], folder)
        else:
            wrong = None if python().exists() else said([sys.executable, "-m", "venv", folder])
            wrong = wrong or said([python(), "-m", "pip", "install", "--quiet", "numpy", spec])
        if wrong is None:
            done.touch()
            return None
    return wrong


def prepared(tools: Sequence[Tool] = TOOLS) -> dict[str, str]:
    """All that can be had of the tools is installed; what could not be, and why."""
    node = PEERS / "node"
    node.mkdir(parents=True, exist_ok=True)
    (PEERS / "python").mkdir(exist_ok=True)
    if not (node / "package.json").exists():
        (node / "package.json").write_text('{"private": true, "type": "module"}\n')
    for script in (HERE / "js").glob("*.mjs"):  # beside node_modules, where node looks for what they import
        shutil.copy(script, node)
    missing: dict[str, str] = {}
    for tool in tools:
        if tool.in_node and shutil.which("node") is None:
            missing[tool.name] = "node is not installed"
        elif (wrong := installed(tool)) is not None:
            missing[tool.name] = f"cannot be installed: {wrong}"
    return missing


def plotted(figures: Path, folder: Path, script: Path = HERE / "plots.py") -> str | None:
    """The plots, by matplotlib of the environment of the others; what went wrong, if it did."""
    plots = Tool("matplotlib", "", ("matplotlib==3.11.1", "matplotlib"))
    wrong = installed(plots) or said([python(), script, figures, folder])
    return f"no plots: {wrong}" if wrong else None


# running


def written(p: Program, answer: Answer, folder: Path) -> Path:
    """A program as the scripts read it, with the answer, and with our packages of it."""
    packages: dict[str, Any] = {}
    for form, f in p.forms.items():
        made = rose.compile({"f": p.derived(f)})
        at = folder / f"{p.name}, {form}"
        made.save(at, "program")
        packages[form] = {"folder": str(at), "signature": made.running.signatures["f"].describe()}
    given = {"name": p.name, "source": p.source, "sizes": p.sizes, "params": p.params, "data": p.data}
    given |= {"tables": p.tables, "answer": [answer[0], *answer[1].tolist()], "bound": BOUND, "packages": packages}
    out = folder / f"{p.name}.json"
    out.write_text(json.dumps(given))
    return out


def printed(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str], limit: int = LIMIT) -> Any:
    """The last line of JSON that a process prints; of one that fails, or takes more than so many seconds, an error."""
    try:
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {limit} s"}
    lines = done.stdout.strip().splitlines()
    return json.loads(lines[-1]) if lines else {"error": f"stopped: {done.stderr.strip()[-200:]}"}


def run(tool: Tool, *args: str | Path) -> Any:
    """What the script of a tool prints: of one form of a program; of nothing, the forms that it has."""
    own = not tool.needs
    if tool.in_node:
        command: list[Any] = ["node", "run.mjs", f"./{tool.script}", *args]
    else:
        command = [sys.executable if own else python(), HERE / "py" / "run.py", tool.script, *args]
    env = {**os.environ, "PYTHONPATH": str(ROOT)} if own else {**os.environ, "OMP_NUM_THREADS": "1"}
    cwd = PEERS / "node" if tool.in_node else HERE / "py"
    return printed(command, cwd, env)


def rows(tool: Tool, p: Program, file: Path, forms: Sequence[str], slow: set[str]) -> Iterator[dict[str, Any]]:
    """One row for each form in which the tool has the program; those too slow at a smaller size are not tried."""
    for form in forms:
        key = f"{p.source}, {form}"
        found = (
            {"error": f"not tried: a smaller size took more than {LIMIT} s"} if key in slow else run(tool, form, file)
        )
        if "took more" in found.get("error", ""):
            slow.add(key)
        yield {"program": p.name, "tool": tool.name, "form": form, **found}


def measured(programs: Sequence[tuple[Program, Answer]], folder: Path) -> list[dict[str, Any]]:
    """All tools with all programs: the tools take turns, program by program."""
    missing = prepared()
    forms = {tool: run(tool) for tool in TOOLS if tool.name not in missing}
    missing |= {tool.name: found["error"] for tool, found in forms.items() if "error" in found}
    out: list[dict[str, Any]] = [{"tool": name, "error": why} for name, why in missing.items()]
    slow: dict[str, set[str]] = {tool.name: set() for tool in TOOLS}
    for p, answer in programs:
        file = written(p, answer, folder)
        for tool, of in forms.items():
            having = [f for f in of.get(p.source, []) if f in p.forms or not tool.name.startswith("ours")]
            for row in rows(tool, p, file, having, slow[tool.name]):
                out.append(row)
                print(*[row.get(k, "") for k in ("program", "tool", "form", "us", "error")], sep=" | ", flush=True)
    return out
