"""IPython as far as timed cells go: its history of cells, and the names of what `%%time` and `%%timeit` compile."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest


class Notebook:
    """A notebook whose cells are run one after another, in one namespace."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.history: list[str] = [""]
        self.names: dict[str, Any] = {}
        shell = SimpleNamespace(user_ns={"In": self.history}, transform_cell=lambda text: text.lstrip("\n"))
        patch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))

    def run(self, cell: str, *, timed: bool = True, kept: bool = True) -> dict[str, Any]:
        """Run a cell, below `%%time`; `kept` in the history, which it is unless it is run by a program."""
        written = f"get_ipython().run_cell_magic('time', '', {cell!r})\n" if timed else cell
        self.history += [written] * kept
        code = compile(cell.lstrip("\n"), "<timed exec>" if timed else "<ipython-input>", "exec")
        exec(code, self.names)
        return self.names
