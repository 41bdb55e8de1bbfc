"""The pages without JavaScript: a picture that stands still, and nothing that could be pressed in vain."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

PAGES = ["", "quadratic/", "billiards/", "robot/", "slide/", "drag/", "fit/", "asked/", "live/"]


@pytest.fixture
def still(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("slug", PAGES[:-1])
def test_a_page_without_scripts_has_a_picture(still: Page, site: str, slug: str):
    still.goto(f"{site}/{slug}")
    picture = still.locator("noscript svg")
    expect(picture).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 390


@pytest.mark.parametrize("slug", PAGES)
def test_a_page_without_scripts_says_so_and_has_no_dead_buttons(still: Page, site: str, slug: str):
    still.goto(f"{site}/{slug}")
    expect(still.locator("noscript p")).to_contain_text("JavaScript")
    assert not [x for x in still.locator("button, input, select, .stage").all() if x.is_visible()]


def test_the_picture_is_that_of_the_page_with_scripts(still: Page, page: Page, site: str):
    page.emulate_media(reduced_motion="reduce")
    page.goto(site)
    expect(page.locator("#time")).not_to_have_text("not yet")
    still.goto(site)
    for at in (page, still):
        expect(at.locator("#coil:visible")).to_have_count(1)
    boxes = [at.locator("#coil:visible").bounding_box() for at in (page, still)]
    sizes = [box and (box["height"] / box["width"]) for box in boxes]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.02)
