"""The page with the billiard balls."""

from collections.abc import Callable
from typing import Any

import billiards
import browsers
import pytest
from billiards import Ball
from playwright.sync_api import Locator, Page, expect

import rose

LAST, GOAL, TURNS = 10, [0.9, 0.75], 200
SLOW = 30_000  # milliseconds that a search may take


@pytest.fixture(scope="module")
def model() -> Any:
    return rose.compile(billiards.loss, billiards.improve, billiards.replay)


@pytest.fixture
def table(page: Page, site: str) -> Page:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/billiards/")
    expect(page.locator("#missed")).to_have_text("0.2130")
    return page


def at(e: Locator) -> list[float]:
    """Where an element was put, y upwards: as JavaScript writes the numbers, which keeps every bit."""
    x, y = (e.get_attribute("transform") or "").removeprefix("translate(").removesuffix(")").split()
    return [float(x), -float(y)]


def end(model: Any, shot: Ball) -> list[float]:
    """Where the last ball is in the end."""
    return model.replay(shot)[-1][2 * LAST :].tolist()


def cue(page: Page) -> Ball:
    """The shot that is drawn. Its speed is that of the arrow, which is 0.4 seconds long."""
    x, tip = at(page.locator("#cue")), at(page.locator("#aim"))
    return Ball(x, [(b - a) / 0.4 for a, b in zip(x, tip, strict=True)])


def drag(page: Page, name: str, dx: float, dy: float) -> None:
    """Drag a handle by a part of the table, y upwards."""
    scale: float = page.locator("#table").evaluate("(e) => e.getScreenCTM().a")
    box = page.locator(f"{name} .reach").bounding_box()
    assert box is not None
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    browsers.drag(page, at, (dx * scale, -dy * scale))


def test_it_looks_as_it_should(table: Page, look: Callable[[Page, str], None]):
    table.locator("#optimise").click()
    expect(table.locator("#optimise")).to_have_text("Optimise", timeout=SLOW)
    look(table, "billiards")


def test_it_finds_the_shot_that_python_finds_to_the_bit(table: Page, model: Any):
    table.locator("#optimise").click()
    expect(table.locator("#steps")).to_contain_text("200 steps", timeout=SLOW)
    expect(table.locator("#optimise")).to_have_text("Optimise", timeout=SLOW)
    tried, shot = [], Ball([0.1, 0.5], [0.3, 0.0])
    for _ in range(TURNS):
        value, better = model.improve(shot, LAST, GOAL)
        tried.append((value, shot))
        shot = better
    value, best = min(tried, key=lambda pair: pair[0])
    assert at(table.locator("#cue")) == list(best.x)
    assert at(table.locator("#aim")) == [x + 0.4 * v for x, v in zip(best.x, best.v, strict=True)]
    assert at(table.locator("#landing")) == end(model, best)
    expect(table.locator("#missed")).to_have_text(f"{value**0.5:.4f}")
    assert value < 2.2e-5


def test_its_slider_shows_every_frame(table: Page, model: Any):
    path = model.replay(Ball([0.1, 0.5], [0.3, 0.0]))
    for frame in (0, 1, 125, 256):
        table.locator("#step").fill(str(frame))
        balls = table.locator("#balls g").all()
        assert [x for ball in balls for x in at(ball)] == path[frame].tolist()
        expect(table.locator("#clock")).to_have_text(f"{frame * 0.012:.2f} s")


def test_its_arrows_are_minus_the_gradient(table: Page):
    x1, y1, x2, y2 = (float(table.locator("#better-x").get_attribute(k) or "") for k in ("x1", "y1", "x2", "y2"))
    x, y = -0.5188530865230098, 1.129672200247702  # see tests/programs/test_simulations.py
    assert (x2 - x1) / (y1 - y2) == pytest.approx(x / y, rel=1e-9)
    assert x2 > x1
    assert y2 > y1


def test_its_goal_its_cue_ball_and_its_arrow_are_dragged(table: Page, model: Any):
    drag(table, "#goal", -0.1, -0.2)
    goal = at(table.locator("#goal"))
    assert goal == pytest.approx([0.8, 0.55], abs=0.003)
    expect(table.locator("#missed")).to_have_text(f"{model.loss(cue(table), LAST, goal) ** 0.5:.4f}")
    drag(table, "#cue", 0.1, 0.05)
    assert cue(table).x == pytest.approx([0.2, 0.55], abs=0.003)
    assert cue(table).v == pytest.approx([0.3, 0.0], abs=1e-12)
    drag(table, "#aim", 0.1, -0.1)
    shot = cue(table)
    assert shot.v == pytest.approx([0.55, -0.25], abs=0.01)
    assert at(table.locator("#landing")) == pytest.approx(end(model, shot), abs=1e-6)


def test_its_handles_follow_the_arrow_keys(table: Page):
    goal = table.locator("#goal")
    goal.focus()
    table.keyboard.press("ArrowDown")
    table.keyboard.press("Shift+ArrowLeft")
    assert at(goal) == pytest.approx([0.85, 0.745])
    missed = float(table.locator("#missed").inner_text())
    expect(goal).to_have_attribute("aria-valuetext", f"x 0.850, y 0.745, ball 10 ends {missed:.3f} from the goal")


def test_a_ball_is_chosen_by_a_tap_or_by_its_number(table: Page, model: Any):
    shot = Ball([0.1, 0.5], [0.3, 0.0])
    table.locator("#balls g").nth(7).click()
    expect(table.locator("#ball")).to_have_value("7")
    expect(table.locator("#missed")).to_have_text(f"{model.loss(shot, 7, GOAL) ** 0.5:.4f}")
    table.locator("#ball").select_option("3")
    expect(table.locator("#missed")).to_have_text(f"{model.loss(shot, 3, GOAL) ** 0.5:.4f}")
    expect(table.locator("#balls .chosen")).to_have_text("3")


def test_looking_elsewhere_starts_from_a_better_shot(table: Page):
    table.locator("#goal").focus()
    table.keyboard.press("Shift+ArrowDown")
    table.locator("#look").click()
    expect(table.locator("#steps")).to_contain_text("200 steps", timeout=SLOW)
    expect(table.locator("#missed")).not_to_have_text("0.2130")
    assert float(table.locator("#missed").inner_text()) < 0.2


STOPPED_AFTER_FIFTY = """() => {
    const button = document.querySelector("#optimise"), steps = document.querySelector("#steps");
    const observer = new MutationObserver(() => {
        if (parseInt(steps.textContent) >= 50) { observer.disconnect(); button.click(); }
    });
    observer.observe(steps, { childList: true, characterData: true, subtree: true });
    button.click();
}"""  # by the page itself: a test that clicks may come when the search has ended


def test_a_search_is_stopped_with_the_best_shot_so_far(table: Page):
    table.evaluate(STOPPED_AFTER_FIFTY)
    expect(table.locator("#steps")).to_contain_text("steps")
    expect(table.locator("#optimise")).to_have_text("Optimise", timeout=SLOW)
    steps = table.locator("#steps").inner_text()
    assert 0.004 < float(table.locator("#missed").inner_text()) < 0.2130
    table.locator("#reset").click()
    expect(table.locator("#missed")).to_have_text("0.2130")
    assert int(steps.split()[0]) < TURNS


def test_its_shot_is_played(table: Page):
    table.emulate_media(reduced_motion="no-preference")
    table.locator("#play").click()
    expect(table.locator("#play")).to_have_text("Pause")
    table.wait_for_function("() => document.querySelector('#step').value > 25")
    table.locator("#play").click()
    expect(table.locator("#play")).to_have_text("Play")
    assert at(table.locator("#balls g").first)[0] > 0.18
