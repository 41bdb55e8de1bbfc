"""The first page of the demo site."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_looks_as_it_should(page: Page, site: str, shots: Path, size: tuple[int, int], scheme: str):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme)
    page.goto(site)
    expect(page.locator("#time")).not_to_have_text("not yet")
    page.screenshot(path=shots / f"home-{size[0]}-{scheme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
