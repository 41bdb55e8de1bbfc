"""The same functions in other tools, behind the same protocol: what the tools of others take for them.

A folder for each tool has a module for each eval that the tool can do, with `functions` as those in `programs` have:
what prepares it for an input, tracing, compiling and a first run included, and a run that waits for its result. Each
runs in the environment of its own, in `benchmarks/.peers`, and on one core.
"""

from __future__ import annotations

import importlib
import importlib.util
import os

from .. import programs

FOLDERS = {"jax": "with_jax", "torch": "with_torch"}


def has(tool: str, name: str) -> bool:
    """Whether there is a module for an eval."""
    return importlib.util.find_spec(f".{FOLDERS[tool]}.{name}", __name__) is not None


def functions(tool: str, name: str) -> programs.Functions | None:
    """Those of an eval in a tool."""
    if name not in programs.NAMES or not has(tool, name):
        return None
    return importlib.import_module(f".{FOLDERS[tool]}.{name}", __name__).functions


def on_one_core() -> None:
    """From now on; before anything makes threads."""
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
