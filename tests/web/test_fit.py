"""The page on which a curve is fitted to points that are dragged."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import fit as example
import pytest
from playwright.sync_api import Locator, Page, expect

import rose

NAMES = ("gauss_newton", "newton", "lbfgs", "adam", "gradient_descent")
MODULE = rose.compile({name: getattr(example, name) for name in ("curve", *NAMES)})
START = example.Peak(base=1, slope=0, height=1, centre=5, width=1)


@pytest.fixture
def fit(page: Page, site: str) -> Page:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/fit/")
    expect(page.locator("#time")).not_to_have_text("not yet")
    return page


def points(page: Page) -> list[list[float]]:
    """Where the points are."""
    said = page.locator(".point").evaluate_all("(all) => all.map((e) => e.getAttribute('transform'))")
    return [[float(x) for x in re.findall(r"-?[\d.]+", text)] for text in said]


def given(page: Page) -> tuple[list[list[float]], list[int]]:
    """What the module is given of the points."""
    there = points(page)
    rest = example.N - len(there)
    return [*there, *[[0.0, 0.0]] * rest], [1] * len(there) + [0] * rest


def shown(page: Page) -> dict[str, float]:
    """The numbers of the curve."""
    return {k: float(v) for k, v in re.findall(r"(\w+) (-?[\d.]+)", page.locator("#numbers").inner_text())}


def best(page: Page) -> Any:
    """The curve that Python fits to the points."""
    found = MODULE.gauss_newton(START, *given(page), 1000)
    assert found.converged
    return found.x


def follows(page: Page) -> None:
    """That the page shows the curve that Python fits, and where its points are off it."""
    peak = best(page)
    expect(page.locator("#numbers")).to_contain_text(f"centre {peak.centre:.3f}")
    assert shown(page) == pytest.approx(vars(peak), abs=1e-3)
    ends = [float(y) for y in re.findall(r"V(-?[\d.]+)", page.locator("#residuals").get_attribute("d") or "")]
    assert ends == pytest.approx([peak.at(x) for x, _ in points(page)], abs=1e-5)


def middle(handle: Locator) -> tuple[float, float]:
    box = handle.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def scale(page: Page) -> float:
    return page.locator("#points").evaluate("(e) => e.getScreenCTM().a")


def test_it_looks_as_it_should(fit: Page, look: Callable[[Page, str], None]):
    look(fit, "fit")


@pytest.mark.parametrize("name", NAMES)
def test_its_searches_have_the_bits_of_pythons(fit: Page, site: str, name: str):
    code = """async ([url, name, start, points, there]) => {
        const model = await (await import(url)).default();
        const found = [0, 1, 7, 1000].map((steps) => model[name](start, points, there, steps));
        return found.map((f) => [f.steps, f.value, f.gradient_norm, ...Object.values(f.x)]);
    }"""
    args = given(fit)
    found = fit.evaluate(code, [f"{site}/fit/model/index.js", name, vars(START), *args])
    for row, steps in zip(found, (0, 1, 7, 1000), strict=True):
        ours = MODULE[name](START, *args, steps)
        assert row == [ours.steps, ours.value, ours.gradient_norm, *vars(ours.x).values()]


def test_its_table_has_the_steps_and_sums_of_pythons(fit: Page):
    rows = fit.locator("#searches tr").all()
    assert len(rows) == len(NAMES)
    for row, name in zip(rows, NAMES, strict=True):
        ours = MODULE[name](START, *given(fit), 1000)
        steps, value = row.locator("td").all_inner_texts()
        assert steps == f"{ours.steps:.0f}" + "+" * (not ours.converged)
        assert value == f"{ours.value:.6f}"


def test_it_starts_with_the_curve_that_fits(fit: Page):
    assert len(points(fit)) == 9
    follows(fit)


def test_a_point_is_dragged_and_the_curve_follows(fit: Page):
    handle, before = fit.locator(".point").nth(4), shown(fit)
    (x, y), at = middle(handle), points(fit)[4]
    fit.mouse.move(x, y)
    fit.mouse.down()
    for k in range(1, 11):
        fit.mouse.move(x + 4 * k, y + 6 * k)
    fit.mouse.up()
    assert points(fit)[4] == pytest.approx([at[0] + 40 / scale(fit), at[1] - 60 / scale(fit)], abs=0.5 / scale(fit))
    follows(fit)
    assert shown(fit)["height"] < before["height"]
    assert shown(fit)["centre"] > before["centre"]


def test_a_finger_drags_too(fit: Page):
    fit.set_viewport_size({"width": 390, "height": 844})
    handle, at = fit.locator(".point").nth(2), points(fit)[2]
    x, y = middle(handle)
    session = fit.context.new_cdp_session(fit)
    for kind, k in (("touchStart", 0), ("touchMove", 1), ("touchMove", 2), ("touchEnd", 0)):
        touches = [] if kind == "touchEnd" else [{"x": x, "y": y - 20 * k}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    there = f"{at[1] + 40 / scale(fit):.1f}".replace(".", "\\.")
    expect(handle).to_have_attribute("transform", re.compile(rf"translate\({at[0]} {there}"))
    follows(fit)


def test_arrow_keys_move_a_point_and_delete_removes_it(fit: Page):
    handle, at = fit.locator(".point").nth(4), points(fit)[4]
    handle.focus()
    fit.keyboard.press("ArrowUp")
    fit.keyboard.press("Shift+ArrowLeft")
    assert points(fit)[4] == pytest.approx([at[0] - 1, at[1] + 0.1])
    follows(fit)
    text = handle.get_attribute("aria-valuetext") or ""
    off = points(fit)[4][1] - best(fit).at(points(fit)[4][0])
    assert text == f"x {at[0] - 1:.2f}, y {at[1] + 0.1:.2f}, {abs(off):.2f} {'above' if off > 0 else 'below'} the curve"
    fit.keyboard.press("Delete")
    assert len(points(fit)) == 8
    follows(fit)


def test_points_are_added_up_to_all_places_and_taken_away(fit: Page):
    box = fit.locator("#world").bounding_box()
    assert box is not None
    fit.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.8 * box["height"])
    assert points(fit)[9] == pytest.approx([5, 0.2 * 6.6], abs=0.02)
    follows(fit)
    for _ in range(2):
        fit.locator("#add").click()
    assert len(points(fit)) == example.N
    expect(fit.locator("#add")).to_be_disabled()
    follows(fit)
    fit.locator("#remove").click()
    assert len(points(fit)) == example.N - 1
    follows(fit)


@pytest.mark.parametrize("name", NAMES)
def test_each_search_can_be_chosen_and_started_over(fit: Page, name: str):
    fit.locator(f"input[value={name}]").check()
    fit.locator("#again").click()
    ours = MODULE[name](START, *given(fit), 1000).x
    expect(fit.locator("#numbers")).to_contain_text(f"centre {ours.centre:.3f}")
    assert "chosen" in (fit.locator(f".trace.{name}").get_attribute("class") or "")
    assert name in (fit.locator("#fit").get_attribute("class") or "")


def test_what_moves_by_itself_shows_each_step(fit: Page):
    fit.emulate_media(reduced_motion="no-preference")
    fit.locator("input[value=lbfgs]").check()
    fit.locator("#again").click()
    first = [shown(fit)["height"] for _ in range(3)]
    assert min(first) < best(fit).height - 0.5
    expect(fit.locator("#numbers")).to_contain_text(f"height {best(fit).height:.3f}")


def test_dragging_leaves_the_frame_to_the_page(fit: Page, record_property: Any):
    handle = fit.locator(".point").nth(4)
    x, y = middle(handle)
    fit.mouse.move(x, y)
    fit.mouse.down()
    for k in range(60):
        fit.mouse.move(x + k % 20, y + k)
    fit.mouse.up()
    ms = float(fit.locator("#time").get_attribute("data-ms") or "nan")
    record_property("ms per evaluation", ms)
    print(f"fit: {ms:.3f} ms for each frame's search")
    assert ms > 0
