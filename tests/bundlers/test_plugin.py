"""Vite's plugin, in the app that `rose new` makes: functions by name, saved files, and mistakes over the page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsers import node, served
from paths import ROOT
from playwright.sync_api import Page, expect

from tests.bundlers.tools import STRICT, TOOLS, TSC, in_chromium, tool

ROSE = json.dumps([sys.executable, "-m", "rose"])
MODEL = """import helper
from rose import Real, Vec, fn

@fn
def loss(x: Vec[2]) -> Real:
    return helper.bowl(x)
"""
HELPER = "def bowl(x):\n    return x[0] ** 2 + 3 * x[1] ** 2\n"
MAIN = """
import init, { grad_loss, loss } from "./model.py";
init().then((m) => (document.title = JSON.stringify([loss([1, 2]), ...grad_loss([1, 2]), m.loss([0, 1])])));
"""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The app of `rose new`, with a model of two files and a page that says what it gives."""
    if not TOOLS.exists():
        pytest.skip("the bundlers are not installed: npm install --prefix tests/bundlers")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = tmp_path / "app"
    subprocess.run([sys.executable, "-m", "rose", "new", folder, "-q"], check=True, capture_output=True)
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "vite").symlink_to(TOOLS.parent / "vite")
    config = folder / "vite.config.js"
    config.write_text(config.read_text().replace("flags: []", f"command: {ROSE}"))
    return folder


@pytest.fixture
def mine(app: Path) -> Path:
    """The app with another model and another page."""
    for name, text in (("model.py", MODEL), ("helper.py", HELPER), ("main.js", MAIN)):
        (app / name).write_text(text)
    (app / "index.html").write_text('<!doctype html><script type="module" src="./main.js"></script>')
    return app


@contextmanager
def developed(app: Path) -> Generator[str]:
    """The address of Vite's server for an app."""
    command = [TOOLS / "vite", "--port", "0", "--host", "127.0.0.1"]
    env = {**os.environ, "NO_COLOR": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=app, **pipes, text=True, env=env) as vite:
        try:
            assert vite.stdout is not None
            yield next(found[0] for line in vite.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+/", line)))
        finally:
            vite.kill()


def test_the_app_as_it_is_made(app: Path, page: Page):
    tool("vite", "build", "--logLevel", "warn", cwd=app)
    with served(app / "dist") as address:
        page.goto(address)
        expect(page.locator("output")).to_contain_text(re.compile(r"loss 0\.0\d+ at "), timeout=60_000)


def test_functions_are_imported_by_name(mine: Path, page: Page):
    tool("vite", "build", "--logLevel", "warn", cwd=mine)
    assert not [*(mine / "dist").rglob("*.wasm")]
    with served(mine / "dist", STRICT) as address:
        assert in_chromium(page, address) == [13, 2, 12, 3]
    (mine / "main.js").write_text('import { loss } from "./model.py";\nconsole.log(loss([1, 2]));')
    tool("vite", "build", "--logLevel", "warn", "--ssr", "main.js", "--outDir", "out", cwd=mine)
    assert node("out/main.js", cwd=mine).strip() == "13"


def test_flags_and_tests(mine: Path):
    config = mine / "vite.config.js"
    config.write_text(config.read_text().replace("rose({", 'rose({ flags: ["--inline", "--hessian"],'))
    (mine / "model.test.js").write_text(
        'import { expect, test } from "vitest";\nimport { hessian_loss, loss } from "./model.py";\n'
        'test("loss", () => expect([loss([1, 2]), hessian_loss([1, 2])[1][1]]).toEqual([13, 6]));\n'
    )
    (mine / "node_modules" / "vitest").symlink_to(TOOLS.parent / "vitest")
    tool("vitest", "run", "--root", ".", cwd=mine)


def test_a_page_is_loaded_again_when_a_file_of_python_is_saved(mine: Path, page: Page):
    with developed(mine) as address:
        assert in_chromium(page, address) == [13, 2, 12, 3]
        (mine / "model.py").write_text(MODEL.replace("(x)\n", "(x) + 1\n"))
        expect(page).to_have_title("[14,2,12,4]", timeout=60_000)
        (mine / "helper.py").write_text(HELPER.replace("3 *", "4 *"))
        expect(page).to_have_title("[18,2,16,5]", timeout=60_000)


def test_a_mistake_is_shown_where_it_was_written(mine: Path, page: Page):
    (mine / "helper.py").write_text(HELPER.replace("x[1]", "x[5]"))
    with developed(mine) as address:
        page.goto(address)
        overlay = page.locator("vite-error-overlay")
        expect(overlay.locator(".message-body")).to_contain_text("index 5 is out of range", timeout=60_000)
        expect(overlay.locator(".message-body")).to_contain_text("hint: write an index from 0 to 1")
        expect(overlay.locator(".file")).to_contain_text("helper.py:2:29")
        expect(overlay.locator(".frame")).to_contain_text("return x[0] ** 2 + 3 * x[5] ** 2")
        (mine / "helper.py").write_text(HELPER)
        expect(page).to_have_title("[13,2,12,3]", timeout=60_000)


def test_a_build_tells_a_mistake(mine: Path):
    (mine / "model.py").write_text("def f(: pass\n")
    ran = subprocess.run([TOOLS / "vite", "build"], cwd=mine, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "SyntaxError: invalid syntax" in ran.stderr and f"{mine / 'model.py'}:1:6" in ran.stderr
    config = mine / "vite.config.js"
    config.write_text(config.read_text().replace(ROSE, '["/no/rose"]'))
    ran = subprocess.run([TOOLS / "vite", "build"], cwd=mine, capture_output=True, text=True)
    assert "cannot run /no/rose: install Rose, or say rose({ command: [...] })" in ran.stderr


def test_the_types_of_the_plugin_are_right(app: Path):
    (app / "node_modules" / "@types").symlink_to(TOOLS.parent / "@types")
    strict = "--noEmit --allowJs --checkJs --strict --skipLibCheck --target es2022 --module esnext --types node"
    tool(TSC("typescript"), *strict.split(), "--moduleResolution", "bundler", "vite-plugin-rose.js", cwd=app)


def test_typescript_knows_the_functions(mine: Path):
    options = {"strict": True, "noEmit": True, "module": "esnext", "moduleResolution": "bundler", "target": "es2022",
               "lib": ["es2022", "dom"], "allowArbitraryExtensions": True, "types": []}  # fmt: skip
    (mine / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["main.ts"]}))
    (mine / "main.ts").write_text(
        'import init, { grad_loss, initSync, loss } from "./model.py";\n'
        "const y: number = loss([1, 2]) + grad_loss([1, 2])[0] + initSync().loss([3, 4]);\n"
        'document.title = String(y + (await init()).loss([1, 2]));\n// @ts-expect-error\nloss("1");\n'
    )
    (mine / "index.html").write_text('<!doctype html><script type="module" src="./main.ts"></script>')
    tool("vite", "build", "--logLevel", "warn", "--target", "es2022", cwd=mine)
    for version in ("typescript-5.9", "typescript"):
        tool(TSC(version), "-p", ".", cwd=mine)
