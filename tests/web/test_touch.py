"""A finger on a handle drags it, and not the page; beside it, the page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page

HANDLES = {
    "": "#end",
    "billiards/": "#aim",
    "robot/": "#goal",
    "slide/": ".start",
    "drag/": ".rose-handle",
    "fit/": ".handle",
}


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


def settle(page: Page) -> None:
    """Wait until a page has loaded and is idle: one that answers a finger too late is scrolled by it."""
    page.wait_for_load_state("networkidle")
    page.evaluate(
        "() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(() => setTimeout(done))))"
    )


def swipe(session: CDPSession, x: float, y: float, dx: float, dy: float) -> None:
    for k in range(9):
        at = [{"x": x + dx * k / 8, "y": y + dy * k / 8}]
        session.send("Input.dispatchTouchEvent", {"type": "touchMove" if k else "touchStart", "touchPoints": at})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("slug", HANDLES)
def test_a_finger_drags_a_handle_and_not_the_page(phone: Page, site: str, slug: str):
    phone.goto(f"{site}/{slug}")
    handle = phone.locator(HANDLES[slug]).first
    handle.wait_for()
    handle.scroll_into_view_if_needed()
    settle(phone)
    before, scrolled = handle.get_attribute("aria-valuetext"), phone.evaluate("scrollY")
    box = handle.locator(".reach").bounding_box() if slug == "robot/" else handle.bounding_box()
    assert box is not None
    session = phone.context.new_cdp_session(phone)
    swipe(session, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, -40, -40)
    phone.wait_for_function(
        "([css, was]) => document.querySelector(css).getAttribute('aria-valuetext') != was", arg=[HANDLES[slug], before]
    )
    assert phone.evaluate("scrollY") == scrolled


@pytest.mark.parametrize("slug", [slug for slug in HANDLES if slug])
def test_the_name_of_a_page_is_in_sight(phone: Page, site: str, slug: str):
    phone.goto(f"{site}/{slug}")
    phone.wait_for_function(
        "() => { const { left, right } = document.querySelector('nav [aria-current]').getBoundingClientRect();"
        " return left >= 0 && right <= innerWidth; }"
    )


def test_beside_the_handles_a_finger_scrolls(phone: Page, site: str):
    phone.goto(f"{site}/billiards/")
    box = phone.locator("#table").bounding_box()
    assert box is not None
    settle(phone)
    swipe(phone.context.new_cdp_session(phone), box["x"] + 20, box["y"] + box["height"] - 20, 0, -200)
    phone.wait_for_function("() => scrollY > 100")
