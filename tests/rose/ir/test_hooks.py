"""Hooks: what rooms below ask of rooms above."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from paths import ROOT

from rose.hooks import Above
from rose.ir import hooks


def test_what_is_installed_is_what_answers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hooks, "_installed", [])
    with pytest.raises(AssertionError, match="import rose first"):
        hooks.above()
    mine: Any = Above()
    hooks.install(mine)
    assert hooks.above() is mine


def test_one_module_installs():
    """And no other import has an effect: what is called alone is that, a command, or a step to a table of its own."""
    files = [path for room in ("rose", "wasm_backend") for path in sorted((ROOT / room).rglob("*.py"))]
    alone = [(path, n) for path in files for n in ast.parse(path.read_text(encoding="utf-8")).body]
    calls = {path.relative_to(ROOT).as_posix(): ast.unparse(n) for path, n in alone if _is_call(n)}
    assert calls == {"rose/__init__.py": "install(Above())", "rose/__main__.py": "main(prog_name='rose')"}


def _is_call(n: ast.stmt) -> bool:
    if isinstance(n, ast.If):
        return "TYPE_CHECKING" not in ast.unparse(n.test) and "__name__" not in ast.unparse(n.test)
    return isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and not ast.unparse(n).startswith("_")
