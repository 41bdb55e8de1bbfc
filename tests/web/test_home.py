"""The first page of the demo site."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import drag
from playwright.sync_api import Page, expect
from spring import slope, spring

import rose

END = "[...end.getAttribute('transform').matchAll(/[-+.\\de]+(?=[ )])/g)].map(Number)"  # y downwards


@pytest.fixture
def home(page: Page, site: str) -> Page:
    page.emulate_media(reduced_motion="reduce")
    page.goto(site)
    expect(page.locator("#time")).not_to_have_text("not yet")
    return page


def end(page: Page) -> tuple[float, float]:
    """Where the end of the spring is, y upwards."""
    at: Any = page.evaluate(END)
    return at[0], -at[1]


def middle(page: Page) -> tuple[float, float]:
    """Where the end of the spring is in the window."""
    box = page.locator("#end").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_it_looks_as_it_should(home: Page, look: Callable[[Page, str], None]):
    look(home, "home")


def test_its_gradient_has_the_bits_of_pythons(home: Page):
    module = rose.compile({"spring": spring, "slope": slope})
    expected = ", ".join([float.hex(x) for x in module.slope([1, 2])])
    said = home.locator("#answer").inner_text().removeprefix("// [").removesuffix("]")
    assert ", ".join([float.hex(float(x)) for x in said.split(", ")]) == expected
    x, y = end(home)
    g = module.slope([x, y])
    expect(home.locator("#numbers")).to_have_text(
        f"energy {module.spring([x, y]):.4f}   gradient {g[0]:.4f}, {g[1]:.4f}"
    )


def test_its_spring_is_dragged(home: Page):
    x, y = end(home)
    scale: float = home.locator("#world").evaluate("(e) => e.getScreenCTM().a")
    drag(home, middle(home), (-60, -90))
    assert end(home) == pytest.approx((x - 60 / scale, y + 90 / scale), abs=0.5 / scale)


def test_its_spring_follows_the_arrow_keys(home: Page):
    x, y = end(home)
    home.locator("#end").focus()
    home.keyboard.press("ArrowUp")
    home.keyboard.press("Shift+ArrowLeft")
    assert end(home) == pytest.approx((x - 0.5, y + 0.05))
    expect(home.locator("#end")).to_have_attribute("aria-valuetext", f"x 0.40, y -1.00, energy {spring([0.4, -1]):.3f}")


def test_let_go_the_spring_comes_to_rest(home: Page):
    home.emulate_media(reduced_motion="no-preference")
    x, y = middle(home)
    home.mouse.move(x, y)
    home.mouse.down()
    home.mouse.move(x + 40, y + 40)
    home.wait_for_function(f"() => Math.hypot(...{END}) > 1.4")
    home.mouse.up()
    home.wait_for_function(f"() => Math.abs(Math.hypot(...{END}) - 1) < 0.01")
    expect(home.locator("#end")).to_be_focused()
