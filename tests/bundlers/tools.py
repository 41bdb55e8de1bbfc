"""The tools of node's that packages are tried with, and browsers to run what they make."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

HERE = Path(__file__).parent
TOOLS = HERE / "node_modules" / ".bin"
TSC = "../{}/bin/tsc".format  # there are several, and one place for their name
TYPESCRIPTS = ["typescript-5.0", "typescript-5.6", "typescript-5.7", "typescript-5.9", "typescript"]
STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'"


def tool(name: str, *args: object, cwd: Path) -> str:
    """What a tool of node's prints."""
    if not (TOOLS / name).exists():
        pytest.skip("the bundlers are not installed: npm install --prefix tests/bundlers")
    ran = subprocess.run([TOOLS / name, *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def in_chromium(page: Page, url: str, what: str = "document.title") -> Any:
    """What a page says, as JSON, in its title or elsewhere, in Chromium."""
    page.goto(url)
    return json.loads(page.wait_for_function(f"() => {what}").json_value())
