"""The first page of our README, and what the README of a package has to copy, in a browser."""

import re
from pathlib import Path

import pytest
from browsers import served
from click.testing import CliRunner
from playwright.sync_api import ConsoleMessage, Page

import rose
from rose import Real, Vec, fn
from rose.cli.commands import main


@fn
def spread(x: Vec[3], scale: Real) -> Real:
    mean = rose.sum(x) / 3
    return scale * rose.sum((x[i] - mean) ** 2 for i in rose.range(3))


@pytest.fixture
def text(tmp_path: Path) -> str:
    rose.compile(spread).save(tmp_path / "spread")
    return (tmp_path / "spread" / "README.md").read_text()


def block(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}\n")[2].partition("```")[2].partition("```")[0].partition("\n")[2]


def logged(page: Page, root: Path, policy: str) -> str:
    said: list[str] = []
    page.on("console", lambda m: said.append(m.text))
    with served(root, policy) as address, page.expect_event("console") as first:
        page.goto(address)
        message: ConsoleMessage = first.value
    assert said == [message.text]
    return message.text


def test_in_a_page(page: Page, text: str, tmp_path: Path):
    (tmp_path / "index.html").write_text(f"<!doctype html><link rel=icon href=data:>\n{block(text, 'In a page')}")
    assert logged(page, tmp_path, "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'") == "8"


def test_in_a_worker_under_the_policy(page: Page, text: str, tmp_path: Path):
    first, _, second = block(text, "In a Worker").partition("// worker.js\n")
    (tmp_path / "page.js").write_text(first)
    (tmp_path / "worker.js").write_text(second)
    script = '<script type="module" src="page.js"></script>'
    (tmp_path / "index.html").write_text(f"<!doctype html><link rel=icon href=data:>\n{script}")
    policy = block(text, "Content-Security-Policy").strip()
    assert policy == "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
    assert logged(page, tmp_path, policy) == "8"


def test_the_first_page_of_our_readme(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (tmp_path / "model.py").write_text(readme.partition("```python\n# model.py\n")[2].partition("```")[0])
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["compile", "model.py", "-o", "dist", "--grad"]).exit_code == 0
    (html,) = re.findall(r"```html\n(.*?)```", readme, re.S)
    (tmp_path / "index.html").write_text(html.replace("<p>", "<link rel=icon href=data:><p>"))
    with served(tmp_path, "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'") as address:
        page.goto(address)
        page.wait_for_function("document.querySelector('output').value === '-400, 200'")
