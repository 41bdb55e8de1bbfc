"""The recipes of `web/docs/apps.md`, in apps of React, Svelte and Vue that Vite builds, and in pages without it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from browsers import served
from paths import ROOT
from playwright.sync_api import Page, expect

from tests.bundlers.tools import STRICT, TOOLS, tool

CHAPTER = (ROOT / "web" / "docs" / "apps.md").read_text(encoding="utf-8")
POLICY = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'"
MOUNT = {
    "React 19": """
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.jsx";
createRoot(document.body).render(createElement(App));
""",
    "Svelte 5": """
import { mount } from "svelte";
import App from "./App.svelte";
mount(App, { target: document.body });
""",
    "Vue 3": """
import { createApp } from "vue";
import App from "./App.vue";
createApp(App).mount(document.body);
""",
}
CONFIG = {
    "React 19": "export default {};",
    "Svelte 5": 'import { svelte } from "@sveltejs/vite-plugin-svelte";\nexport default { plugins: [svelte()] };',
    "Vue 3": 'import vue from "@vitejs/plugin-vue";\nexport default { plugins: [vue()] };',
}


def section(title: str) -> str:
    """A section of the chapter."""
    return CHAPTER.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def files(text: str) -> dict[str, str]:
    """The files in a section: blocks whose first line is a comment with a name."""
    blocks = re.findall(r"^```\w+\n(.*?)^```$", text, re.M | re.S)
    named = [(re.match(r"(?:#|//|<!--) ([\w.-]+\.\w+)", block), block) for block in blocks]
    return {name[1]: block for name, block in named if name}


def compiled(folder: Path, text: str) -> None:
    """The packages of a section, by its own commands."""
    for command in re.findall(r"^(?:```sh\n)?rose (compile .*)$", text, re.M):
        subprocess.run([sys.executable, "-m", "rose", *command.split(), "-q"], cwd=folder, check=True)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the package of the recipes."""
    if not TOOLS.exists():
        pytest.skip("the bundlers are not installed: npm install --prefix tests/bundlers")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    first = section("Functions of a page, written in Python")
    (tmp_path / "model.py").write_text(files(first)["model.py"])
    compiled(tmp_path, first)
    (tmp_path / "node_modules").symlink_to(TOOLS.parent)
    (tmp_path / "package.json").write_text('{ "type": "module", "private": true }')
    return tmp_path


@pytest.mark.parametrize("framework", MOUNT)
def test_a_framework(app: Path, page: Page, framework: str):
    for name, text in files(section(framework)).items():
        (app / name).write_text(text)
    (app / "main.js").write_text(MOUNT[framework])
    (app / "vite.config.js").write_text(CONFIG[framework])
    (app / "index.html").write_text(
        '<!doctype html><link rel="icon" href="data:,"><body></body><script type="module" src="./main.js"></script>'
    )
    tool("vite", "build", "--logLevel", "warn", cwd=app)
    with served(app / "dist", STRICT.replace("default-src 'none'", "default-src 'none'; img-src data:")) as address:
        page.goto(address)
        button = page.get_by_role("button")
        expect(button).to_have_text("25", timeout=20_000)
        button.click()
        expect(button).to_have_text("6.25")
        button.click()
        expect(button).to_have_text("1.5625")


def test_a_picture_that_moves(app: Path, page: Page):
    text = section("A picture that moves, and one that is dragged")
    (app / "pendulum.py").write_text(files(text)["pendulum.py"])
    compiled(app, text)
    (html,) = re.findall(r"```html\n(.*?)```", text, re.S)
    (app / "index.html").write_text(f"<!doctype html><link rel=icon href=data:>{html}")
    page.emulate_media(reduced_motion="no-preference")
    bob = "document.querySelector('circle')"
    with served(app, POLICY) as address:
        page.goto(address)
        page.wait_for_function(f"() => {bob}.getAttribute('transform')?.startsWith('translate(-')")
        drag = page.evaluate("import('./pendulum/rose-drag.js').then(Object.keys)")
    assert drag == ["RoseDrag"]


def test_a_script_that_is_no_module(app: Path, page: Page):
    text = section("A script that is no module")
    compiled(app, text)
    (html,) = re.findall(r"```html\n(.*?)```", text, re.S)
    (app / "index.html").write_text(f"<!doctype html><link rel=icon href=data:>{html}")
    with served(app, POLICY) as address, page.expect_event("console") as said:
        page.goto(address)
        assert said.value.text == "25"
