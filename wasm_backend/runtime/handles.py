"""Engines, modules and stores of wasmtime that Python's end leaves to the operating system.

wasmtime deletes what an object of its own stands for when that object goes. What goes while Python ends, such as what
a module keeps that a daemon thread uses, may go after the functions that delete it: `Exception ignored in`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import wasmtime


class _Left:
    """A base before one of wasmtime's."""

    def _delete(self, ptr: Any, *, at_the_end: Callable[[], bool] = sys.is_finalizing) -> None:
        if not at_the_end():  # which is kept here, as modules lose their names then
            wasmtimes: Any = super()
            wasmtimes._delete(ptr)


class Engine(_Left, wasmtime.Engine):
    """The compiler of modules, and the settings of it."""


class MachineCode(_Left, wasmtime.Module):
    """A module in machine code."""


class Store(_Left, wasmtime.Store):
    """The instances of a module, and their memories."""
