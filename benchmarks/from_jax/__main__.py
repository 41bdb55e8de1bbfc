"""`python -m benchmarks.from_jax [check] [NAME ...]`: all functions, or these; `check` measures no times.

`tables` writes the tables again from the figures of the last run. What is measured of some functions replaces what the
figures have of these.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ..compare.peers import PEERS, ROOT, printed, said
from ..written.called import ONE_THREAD
from . import report
from .model import FILES

HERE = Path(__file__).parent
NEEDS = (
    "jax==0.10.2", "wasmtime==50.0.1", "scipy", "numpyro==0.22.0", "equinox==0.13.8", "flax==0.12.8", "optax==0.2.8",
    "diffrax==0.7.2", "jaxopt==0.8.5", "blackjax==1.7.1", "distrax==0.1.9", "rlax==0.1.9", "jax-md==0.2.29",
    "brax==0.14.2",
)  # fmt: skip
LIMIT = 300  # seconds of a process
TURNS = 1  # processes of each for a first answer, of which the least counts
Row = dict[str, Any]


def python() -> Path:
    return PEERS / "from_jax" / ("Scripts" if os.name == "nt" else "bin") / "python"


def installed() -> str | None:
    """Installs the libraries, unless they are there; what went wrong, if it did."""
    done = python().parent / "installed"
    if done.exists() and done.read_text() == "\n".join(NEEDS):
        return None
    wrong = said([sys.executable, "-m", "venv", python().parents[1]])
    wrong = wrong or said([python(), "-m", "pip", "install", "--quiet", *NEEDS])
    if wrong is None:
        done.write_text("\n".join(NEEDS))
    return wrong


def functions() -> list[Row]:
    """The functions as their files say, none of which is imported here."""
    found: list[Row] = []
    for file in FILES:
        for node in ast.parse((HERE / "cases" / f"{file}.py").read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                (given,) = [d for d in node.decorator_list if isinstance(d, ast.Call)]
                library, name = [ast.literal_eval(x) for x in given.args]
                found.append({"library": library, "function": name, "file": file, "key": node.name})
    return found


def run(what: str, row: Row) -> Row:
    """What a worker says in a process of its own."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | ONE_THREAD
    env |= {"PYTHONPATH": str(ROOT), "ROSE_CACHE": "", "PYTHONWARNINGS": "ignore", "JAX_PLATFORMS": "cpu"}
    env["PYTHONPYCACHEPREFIX"] = str(PEERS / "from_jax" / "bytecode")  # of our sources too, as when they are installed
    command = [python(), "-m", "benchmarks.from_jax.worker", what, row["file"], row["key"]]
    return printed(command, ROOT, env, LIMIT)


def measured(row: Row, only_checked: bool) -> Row:
    """A function with all that is measured of it."""
    found = {**row, **run("check", row)}
    if not only_checked and "gradient" in found:
        found |= run("calls", row)
        turns = [(run("ours", row), run("jax", row)) for _ in range(TURNS)]
        firsts = {name: [t[k]["s"] for t in turns if "s" in t[k]] for k, name in enumerate(("ours", "JAX"))}
        found |= {f"first answer, {name}, s": min(s) for name, s in firsts.items() if s}
        if all(firsts.values()):
            found["first over JAX"] = min(firsts["ours"]) / min(firsts["JAX"])
    print(report.line(found), flush=True)
    return found


def main(words: list[str]) -> None:
    names = [w for w in words if w not in ("check", "tables")]
    rows = [r for r in functions() if not names or f"{r['file']}.{r['key']}" in names]
    kept = {(r["file"], r["key"]): r for r in json.loads(report.FIGURES.read_text())} if report.FIGURES.exists() else {}
    if "tables" not in words:
        if wrong := installed():
            raise SystemExit(f"the libraries cannot be installed: {wrong}")
        with ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
            for found in pool.map(lambda row: measured(row, "check" in words), rows):
                kept[found["file"], found["key"]] = {**kept.get((found["file"], found["key"]), {}), **found}
                rest = [kept[key] for r in functions() if (key := (r["file"], r["key"])) in kept]
                report.FIGURES.write_text(json.dumps(rest, indent=1) + "\n")
    report.document([kept[r["file"], r["key"]] for r in functions() if (r["file"], r["key"]) in kept])


main(sys.argv[1:])
