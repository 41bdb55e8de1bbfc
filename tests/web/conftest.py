"""A browser for the pages of the demo site, which are built once for all tests, and served from this machine."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


class _Quiet(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".mjs": "text/javascript"}

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(directory: Path) -> Generator[str]:
    """A server of the files of a directory: its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(directory))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo site, as `make web` makes it."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "site").exists():
            subprocess.run([sys.executable, "web/build.py", "-o", shared / "making"], cwd=ROOT, check=True)
            (shared / "making").rename(shared / "site")
    return shared / "site"


@pytest.fixture(scope="session")
def site(dist: Path) -> Iterator[str]:
    """The address of the demo site."""
    with served(dist) as address:
        yield address


@pytest.fixture
def shots() -> Path:
    """Where pictures of pages are kept: `ROSE_SHOTS`, or build/shots."""
    at = Path(os.environ.get("ROSE_SHOTS", ROOT / "build" / "shots"))
    at.mkdir(parents=True, exist_ok=True)
    return at


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page of the browser, that may not complain: what its console says of errors fails the test."""
    wrong: list[str] = []
    page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: wrong.append(str(e)))
    page.on("requestfailed", lambda r: wrong.append(f"{r.url}: {r.failure}"))
    yield page
    assert not wrong
