"""What GradBench's evals ask, and what the adjoints by hand answer: one module for each eval.

A module has `workloads`, which makes its inputs from a seed, at GradBench's sizes, and `functions`: by its name in the
protocol, how an input is laid out for the C in `c/`, and how what that writes is read.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Workload:
    """An input, and GradBench's name of it."""

    description: str
    input: Any  # an object for all evals but one
    functions: tuple[str, ...] | None = None  # that are asked for it: all, unless said


@dataclass(frozen=True)
class Packed:
    """An input for a function of C: `void f(const int *ints, const double *numbers, double *out, double *work)`."""

    ints: NDArray[np.int32]
    numbers: NDArray[np.float64]
    out: int  # how many numbers it writes
    work: int  # how many it may use besides


@dataclass(frozen=True)
class Function:
    """A function of an eval: that of the same name in `c/EVAL.c`, unless C has that name for itself."""

    pack: Callable[[Any], Packed]
    shown: Callable[[Any, NDArray[np.float64]], Any]  # of the input and what was written: the output, for JSON
    name: str | None = None


Workloads = Callable[[], Iterator[Workload]]


def find(name: str) -> ModuleType:
    """The module of an eval."""
    return importlib.import_module(f".{name}", __name__)
