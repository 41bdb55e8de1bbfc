"""A browser for the pages of the demo site, which are built once for all tests, and served from this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import noted, served
from demo_site import made
from paths import ROOT
from playwright.sync_api import Page


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo site."""
    shared = tmp_path_factory.getbasetemp()
    return made(shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared)


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


@pytest.fixture(params=[(390, 844), (1280, 800)], ids=["phone", "desktop"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def look(shots: Path, size: tuple[int, int], scheme: Any) -> Callable[[Page, str], None]:
    """Takes a picture of a page, on a phone and on a desktop, by day and by night: it is as wide as the window."""

    def look(page: Page, name: str) -> None:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=scheme)
        page.evaluate("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))")
        page.screenshot(path=shots / f"{name}-{size[0]}-{scheme}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]

    return look


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page of the browser, that may not complain: what its console says of errors fails the test."""
    wrong: list[str] = []
    noted(page, wrong)
    yield page
    assert not wrong
