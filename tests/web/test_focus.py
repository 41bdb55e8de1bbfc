"""What has the focus is seen to have it: a ring around a handle, and nothing else, by pictures with and without."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from browsers import BUNDLERS, FIREFOX, node
from playwright.sync_api import Browser, Page

HANDLES = {
    "": ["#end"],
    "quadratic/": ["#map .handle", "#surface .handle"],
    "billiards/": ["#goal", "#cue", "#aim"],
    "robot/": ["#goal"],
    "slide/": [".grip", ".start"],
    "fit/": [".handle"],
    "drag/": ["#leg .joint", "#triangle .corner"],
}
EACH = [(slug, handle) for slug, handles in HANDLES.items() for handle in handles]

# what differs between two pictures: the first and the last column and row, and how many pixels
DIFFERENCE = """async (pictures) => {
  const [a, b] = await Promise.all(pictures.map(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  const at = [];
  for (let k = 0; k < a.data.length; k += 4)
    if ([0, 1, 2].some((c) => Math.abs(a.data[k + c] - b.data[k + c]) > 40)) at.push(k / 4);
  const [x, y] = [at.map((k) => k % a.width), at.map((k) => Math.floor(k / a.width))];
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y), at.length];
}"""


def assert_ring(browser: Browser, pictures: list[bytes], box: Any) -> None:
    """The difference of the pictures is a line around the box of a handle, or of what of it a finger takes."""
    page = browser.new_page()
    left, top, right, bottom, count = page.evaluate(DIFFERENCE, [b64encode(x).decode() for x in pictures])
    page.close()
    width, height = box["width"], box["height"]
    assert count >= (width + height) / 2
    assert count <= (width + 20) * (height + 20)
    assert box["x"] - 8 <= left <= box["x"] + 0.3 * width
    assert box["y"] - 8 <= top <= box["y"] + 0.3 * height
    assert box["x"] + 0.7 * width <= right <= box["x"] + width + 8
    assert box["y"] + 0.7 * height <= bottom <= box["y"] + height + 8


def at_rest(page: Page) -> bytes:
    """A picture of a page on which nothing moves any more."""
    before = page.screenshot()
    while (now := page.screenshot()) != before:
        before = now
    return now


@pytest.mark.parametrize(("slug", "handle"), EACH, ids=[f"{slug}{handle}" for slug, handle in EACH])
def test_a_handle_in_the_focus_has_a_ring(page: Page, browser: Browser, site: str, slug: str, handle: str):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/{slug}")
    page.wait_for_function("() => time.value != 'not yet' || document.querySelector('.rose-handle')")
    it = page.locator(handle).first
    it.scroll_into_view_if_needed()
    before = at_rest(page)
    it.evaluate("(e) => e.focus({ preventScroll: true })")
    reach = it.locator(":is(.reach, .rose-dot)")
    assert_ring(browser, [before, page.screenshot()], reach.bounding_box())


@pytest.mark.parametrize("slug", ["", "billiards/", "robot/"])
def test_a_handle_in_the_focus_has_a_ring_in_firefox(browser: Browser, site: str, tmp_path: Path, slug: str):
    if FIREFOX is None or not (BUNDLERS / "node_modules" / "puppeteer-core").exists():
        pytest.skip("there is no Firefox here, or no puppeteer")
    said = node(BUNDLERS / "firefox-focus.mjs", FIREFOX, f"{site}/{slug}", HANDLES[slug][0], tmp_path, cwd=BUNDLERS)
    pictures = [(tmp_path / name).read_bytes() for name in ("before.png", "after.png")]
    assert_ring(browser, pictures, json.loads(said))
