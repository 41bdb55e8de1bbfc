"""The page on local quadratic approximations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import browsers
import numpy as np
import pytest
import quadratic
from paths import ROOT
from playwright.sync_api import Locator, Page, expect

import rose

BOXES = {
    "power": (0.1, -1, 3.1, 2),
    "himmelblau": (-4.8, -4.8, 4.8, 4.8),
    "waves": (-3.2, -3.2, 3.2, 3.2),
    "rosenbrock": (-1.6, -0.7, 1.6, 2.5),
}
NAMES = re.findall(r'data-name="(\w+)"', (ROOT / "web/quadratic/body.html").read_text())
ON_MAP, ON_GRAPH = "#map .handle", "#surface .handle"


@pytest.fixture(scope="module")
def model() -> Any:
    """The functions of the page, in Python."""
    kinds = [(name, kind) for name in NAMES for kind in ("local", "heights")]
    return rose.compile({f"{name}_{kind}": getattr(quadratic, f"{name}_{kind}") for name, kind in kinds})


@pytest.fixture
def opened(page: Page, site: str) -> Callable[[str], Page]:
    """Open the page, and choose a function."""

    def choose(name: str) -> Page:
        page.goto(f"{site}/quadratic/")
        expect(page.locator("#time")).not_to_have_text("not yet")
        page.locator(f"[data-name={name}]").click()
        expect(page.locator(f"[data-name={name}]")).to_have_attribute("aria-pressed", "true")
        return page

    return choose


def told(page: Page) -> dict[str, float]:
    """The numbers on the page, all of their digits."""
    found = page.evaluate("[...document.querySelectorAll('[data-exactly]')].map(e => [e.id, e.dataset.exactly])")
    return {k: float(x) for k, x in found}


def middle(handle: Locator) -> tuple[float, float]:
    """Where the middle of a handle is, on the screen."""
    x, y = handle.evaluate("e => { const m = e.getScreenCTM(); return [m.e, m.f]; }")
    return x, y


def drag(page: Page, handle: str, dx: float, dy: float) -> tuple[float, float]:
    """Drag a handle, in several steps: where the pointer is in the end."""
    page.locator(handle).scroll_into_view_if_needed()
    x, y = middle(page.locator(handle))
    browsers.drag(page, (x, y), (dx, dy))
    return x + dx, y + dy


def test_it_looks_as_it_should(page: Page, site: str, look: Callable[[Page, str], None]):
    page.goto(f"{site}/quadratic/")
    expect(page.locator("#time")).not_to_have_text("not yet")
    look(page, "quadratic")


@pytest.mark.parametrize("name", NAMES)
def test_its_numbers_are_pythons_to_the_bit(opened: Callable[[str], Page], model: Any, name: str):
    page = opened(name)
    for move in [(0, 0), (-31, 22), (17, 40)]:
        if any(move):
            drag(page, ON_MAP, *move)
        at = told(page)
        expected = model[f"{name}_local"](at["x"], at["y"])
        assert at["value"] == expected["value"]
        assert [at["gx"], at["gy"]] == expected["gradient"].tolist()
        assert [[at["hxx"], at["hxy"]], [at["hyx"], at["hyy"]]] == expected["hessian"].tolist()


@pytest.mark.parametrize("name", NAMES)
def test_the_point_on_the_map_goes_where_the_pointer_goes(opened: Callable[[str], Page], name: str):
    page = opened(name)
    before, (x0, y0, x1, y1) = told(page), BOXES[name]
    goal = drag(page, ON_MAP, 24, -18)
    box = page.locator("#map svg").bounding_box()
    assert box is not None
    assert middle(page.locator(ON_MAP)) == pytest.approx(goal, abs=0.1)
    assert told(page)["x"] == pytest.approx(before["x"] + 24 / box["width"] * (x1 - x0), rel=1e-3)
    assert told(page)["y"] == pytest.approx(before["y"] + 18 / box["height"] * (y1 - y0), rel=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_the_point_on_the_graph_stays_under_the_pointer(opened: Callable[[str], Page], name: str):
    page = opened(name)
    goal = drag(page, ON_GRAPH, 14, 12)
    assert middle(page.locator(ON_GRAPH)) == pytest.approx(goal, abs=1)


def test_a_point_outside_of_the_picture_stays_at_its_edge(opened: Callable[[str], Page]):
    page = opened("himmelblau")
    drag(page, ON_MAP, 3000, -3000)
    assert (told(page)["x"], told(page)["y"]) == (4.8, 4.8)


def test_a_finger_drags_too(opened: Callable[[str], Page]):
    page = opened("himmelblau")
    page.locator(ON_MAP).scroll_into_view_if_needed()
    (x, y), before = middle(page.locator(ON_MAP)), told(page)
    touch = page.context.new_cdp_session(page)
    for kind, points in [("Start", [(x, y)]), ("Move", [(x + 9, y)]), ("Move", [(x + 20, y + 5)]), ("End", [])]:
        at = [{"x": u, "y": v} for u, v in points]
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})
    page.wait_for_timeout(100)
    assert middle(page.locator(ON_MAP)) == pytest.approx((x + 20, y + 5), abs=0.1)
    assert told(page)["x"] > before["x"]


def path(page: Page, of: str, name: str) -> np.ndarray[Any, Any]:
    """The points of a path on the map, as points of the plane."""
    numbers = re.findall(r"[ML](\S+) (\S+?)(?=[ML]|$)", page.locator(of).get_attribute("d") or "")
    x0, y0, x1, y1 = BOXES[name]
    return np.array([[x0 + float(u) / 400 * (x1 - x0), y0 + (1 - float(v) / 400) * (y1 - y0)] for u, v in numbers])


@pytest.mark.parametrize("name", NAMES)
def test_the_lens_has_the_contours_of_the_approximation(opened: Callable[[str], Page], model: Any, name: str):
    page = opened(name)
    drag(page, ON_MAP, -40, 10)
    at = told(page)
    grid = model[f"{name}_heights"](*BOXES[name])
    levels = np.sort(grid.ravel())[[(k + 1) * grid.size // 15 for k in range(14)]]
    local = model[f"{name}_local"](at["x"], at["y"])
    found = path(page, "#map .hugged", name)
    assert len(found) > 10
    d = found - [at["x"], at["y"]]
    heights = local["value"] + d @ local["gradient"] + np.einsum("ni,ij,nj->n", d, local["hessian"], d) / 2
    span = heights.max() - heights.min()
    assert np.abs(heights[:, None] - levels).min(1).max() < 0.02 * span  # between cells lines are straight


def test_newtons_steps_lead_to_a_minimum(opened: Callable[[str], Page]):
    page = opened("himmelblau")
    page.emulate_media(reduced_motion="reduce")  # at once
    drag(page, ON_MAP, 85, -65)
    for _ in range(8):
        page.locator("#step").click()
    at = told(page)
    assert (at["x"], at["y"]) == pytest.approx((3, 2))
    assert at["value"] < 1e-20
    expect(page.locator("#bends")).to_have_text("up, a bowl")


def test_newtons_step_is_drawn_where_it_leads(opened: Callable[[str], Page], model: Any):
    page = opened("rosenbrock")
    at = told(page)
    there = model.rosenbrock_local(at["x"], at["y"])["newton"] + [at["x"], at["y"]]
    mark = page.locator("#map .goal")
    cx, cy = (float(mark.get_attribute(k) or "nan") for k in ("cx", "cy"))
    x0, y0, x1, y1 = BOXES["rosenbrock"]
    expected = (there[0] - x0) / (x1 - x0) * 400, 400 - (there[1] - y0) / (y1 - y0) * 400
    assert (cx, cy) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("handle", [ON_MAP, ON_GRAPH])
def test_arrow_keys_move_it(opened: Callable[[str], Page], handle: str):
    page = opened("himmelblau")
    point = page.locator(handle)
    point.focus()
    before, at, said = middle(point), told(page), point.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowRight")
    assert middle(point)[0] > before[0] + 1
    assert middle(point)[1] == pytest.approx(before[1], abs=1)
    page.keyboard.press("Shift+ArrowUp")
    assert middle(point)[1] < before[1] - 10
    assert point.get_attribute("aria-valuetext") != said
    if handle == ON_MAP:
        assert told(page)["x"] == pytest.approx(at["x"] + 0.096)
        assert told(page)["y"] == pytest.approx(at["y"] + 0.96)


def test_a_key_turns_the_graph(opened: Callable[[str], Page]):
    page = opened("power")
    before = middle(page.locator(ON_GRAPH))
    page.get_by_label("Turn left").focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    assert middle(page.locator(ON_GRAPH)) != pytest.approx(before, abs=5)


def test_the_time_of_a_frame_is_told(opened: Callable[[str], Page], record_property: Callable[[str, object], None]):
    page = opened("himmelblau")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def spent() -> float:
        return {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}["TaskDuration"]

    page.locator(ON_MAP).focus()
    before = spent()
    page.evaluate("""async () => {
        for (let n = 0; n < 60; n++) {
            const key = n % 20 < 10 ? "ArrowRight" : "ArrowLeft";
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key }));
            await new Promise(requestAnimationFrame);
        }
    }""")
    ms = 1000 * (spent() - before) / 60
    record_property("ms per frame", ms)
    print(f"quadratic: {ms:.1f} ms of work for each frame, both pictures drawn")
    assert told(page)["x"] > -4.8
