"""Servers and browsers for tests: of what a directory has, on this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from paths import TESTS
from playwright.sync_api import Page

BUNDLERS = TESTS / "bundlers"  # where npm has put what the tests need of it
PUPPETEER = BUNDLERS / "node_modules" / "puppeteer-core"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


class _Files(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".mjs": "text/javascript"}

    def __init__(self, *args: Any, csp: str | None, isolated: bool, **kwargs: Any) -> None:
        self.csp, self.isolated = csp, isolated
        super().__init__(*args, **kwargs)

    def end_headers(self) -> None:
        if self.csp is not None:
            self.send_header("Content-Security-Policy", self.csp)
        if self.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(directory: Path, csp: str | None = None, *, isolated: bool = False) -> Generator[str]:
    """The address of a server of these files, which sends the Content-Security-Policy; an `isolated` page may share
    memory with its Workers."""
    handler = partial(_Files, directory=str(directory), csp=csp, isolated=isolated)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def noted(page: Page, wrong: list[str]) -> None:
    """Note what the console of a page says of errors."""
    page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: wrong.append(str(e)))
    page.on("requestfailed", lambda r: wrong.append(f"{r.url}: {r.failure}"))


def drag(page: Page, at: tuple[float, float], by: tuple[float, float], steps: int = 6) -> None:
    """Drag what lies at a place of the window, with the mouse, by so many pixels."""
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] + by[0], at[1] + by[1], steps=steps)
    page.mouse.up()


def node(*args: object, cwd: Path) -> str:
    """What a program in node prints."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    ran = subprocess.run(["node", *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def in_browser(kind: str, url: str, what: str = "document.title") -> Any:
    """What a page says, as JSON, in its title or elsewhere, in chrome or firefox; its console may not complain."""
    executable = {"chrome": CHROMIUM, "firefox": FIREFOX}[kind]
    if executable is None:
        pytest.skip(f"there is no {kind} here")
    if not PUPPETEER.exists():
        pytest.skip("puppeteer is not installed: npm install --prefix tests/bundlers")
    return json.loads(node(BUNDLERS / "browser.mjs", kind, executable, url, what, cwd=BUNDLERS))


def in_firefox(url: str, what: str = "document.title") -> Any:
    """What a page says in Firefox."""
    return in_browser("firefox", url, what)
