"""The page with the fastest slide: what is drawn, what pointers, fingers and keys do to it, and the descent."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import browsers
import numpy as np
import pytest
import slide as example
from playwright.sync_api import Locator, Page, expect

import rose

MODULE = rose.compile({f: getattr(example, f) for f in ("seconds", "descend", "pull", "look", "cycloid")})
END, HUMPS = [8, -3.4], [-0.6, -0.2, 0.9, -0.5, *[0] * 6]
FIRST = [[0, hump] for hump in HUMPS]


@pytest.fixture
def slide(page: Page, site: str) -> Page:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/slide/")
    expect(page.locator("#yours")).to_have_text("2.2382")
    return page


def points(page: Page, name: str) -> Any:
    """The points of a line that is drawn."""
    d = page.locator(f"path#{name}").get_attribute("d") or ""
    return np.array([[float(x) for x in point.split()] for point in re.split("[ML]", d)[1:]])


def at(e: Locator) -> list[float]:
    """Where an element was put, y upwards."""
    return [float(x) for x in re.findall(r"-?[\d.]+", e.get_attribute("transform") or "")]


def drag(page: Page, name: str, dx: float, dy: float) -> None:
    """Drag a handle by metres, y upwards."""
    scale: float = page.locator("#world").evaluate("(e) => e.getScreenCTM().a")
    box = page.locator(f"{name} .reach").bounding_box()
    assert box is not None
    browsers.drag(page, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), (dx * scale, -dy * scale))


def table(page: Page) -> list[float]:
    """The seconds of your slide, the straight one and the cycloid."""
    return [float(page.locator(f"#{name}").inner_text()) for name in ("yours", "line", "least")]


def ends(page: Page) -> tuple[list[float], list[float]]:
    """Where the start is, and the end from there."""
    start, end = at(page.locator(".start")), at(page.locator(".finish"))
    return start, [end[0] - start[0], end[1] - start[1]]


def has_come_down(page: Page) -> None:
    """That your slide is as fast as the cycloid, which is that of the ends."""
    yours, line, least = table(page)
    start, end = ends(page)
    assert least == pytest.approx(MODULE.cycloid(end).seconds, abs=1e-3)
    assert least <= yours < 1.001 * least < line
    assert np.abs(points(page, "slide")[-1] - start - end).max() < 2e-3


def test_it_looks_as_it_should(slide: Page, look: Callable[[Page, str], None]):
    look(slide, "slide-first")
    slide.locator("#descend").click()
    slide.locator("#step").fill("0.9")
    look(slide, "slide")


def test_its_numbers_have_the_bits_of_pythons(slide: Page, site: str):
    code = """async ([url, end, slide]) => {
        const model = await (await import(url)).default();
        const seconds = model.seconds(end, slide);
        const next = model.descend(end, { slide, seconds, rate: 10 });
        const pulled = model.pull(next.slide, 0.4, [0.1, 0.2]);
        const places = model.look(end, pulled).slice(1);
        const wheel = model.cycloid(end);
        return [seconds, next.seconds, next.rate, ...pulled.flatMap((p) => [...p]),
          wheel.radius, wheel.angle, wheel.seconds,
          ...places.flatMap(({ at, slope, seconds }) => [...at, ...slope, seconds])];
    }"""
    found = slide.evaluate(code, [f"{site}/slide/model/index.js", END, FIRST])
    seconds = MODULE.seconds(END, FIRST)
    after = MODULE.descend(END, example.Descent(FIRST, seconds, 10.0))
    pulled, wheel = MODULE.pull(after.slide, 0.4, [0.1, 0.2]), MODULE.cycloid(END)
    expected = [seconds, after.seconds, after.rate, *np.ravel(pulled), wheel.radius, wheel.angle, wheel.seconds]
    for place in MODULE.look(END, pulled)[1:]:
        expected += [*place.at, *place.slope, place.seconds]
    assert [float.hex(float(x)) for x in found] == [float.hex(float(x)) for x in expected]


def test_its_table_has_the_seconds_of_pythons(slide: Page):
    line = math.sqrt(2 * (END[0] ** 2 + END[1] ** 2) / (-END[1] * example.GRAVITY))
    least = MODULE.cycloid(END).seconds
    assert table(slide) == pytest.approx([MODULE.seconds(END, FIRST), line, least], abs=6e-5)
    expect(slide.locator("#line-more")).to_have_text(f"{100 * (line / least - 1):.2f} %")


def test_its_arrows_are_minus_the_derivative(slide: Page):
    """Each begins at a place on the slide, and points the way that Python says."""
    shafts = re.findall(r"M[^M]+", slide.locator("#arrows").get_attribute("d") or "")[::2]  # without their heads
    arrows = [np.reshape([float(x) for x in re.split("[ ML]", shaft) if x], (2, 2)) for shaft in shafts]
    places = MODULE.look(END, FIRST)
    start = np.array([1, 5.6])
    assert len(arrows) > 12
    for tail, tip in arrows:
        near = min(places, key=lambda p: math.dist(p.at + start, tail))
        assert math.dist(near.at + start, tail) < 2e-3
        way, slope = (tip - tail) / math.dist(tip, tail), near.slope / np.linalg.norm(near.slope)
        assert way @ slope < -0.99


def test_it_descends_to_the_cycloid_and_the_arrows_vanish(slide: Page):
    before = len(slide.locator("#arrows").get_attribute("d") or "")
    slide.locator("#descend").click()
    has_come_down(slide)
    expect(slide.locator("#yours-more")).to_have_text("0.00 %")
    assert len(slide.locator("#arrows").get_attribute("d") or "") < before / 10
    wheel = points(slide, "cycloid")
    assert max([np.hypot(*(wheel - p).T).min() for p in points(slide, "slide")]) < 0.08


def test_one_step_makes_it_faster_each_time(slide: Page):
    seconds = [table(slide)[0]]
    for _ in range(4):
        slide.locator("#once").click()
        seconds.append(table(slide)[0])
    assert seconds == sorted(seconds, reverse=True)
    assert seconds[-1] < seconds[0] - 0.05


@pytest.mark.parametrize("name", [".start", ".finish"])
def test_an_end_is_dragged_and_the_slide_that_came_down_follows(slide: Page, name: str):
    slide.locator("#descend").click()
    before = at(slide.locator(name))
    drag(slide, name, -0.5 if name == ".finish" else 0.5, 0.3)
    assert at(slide.locator(name)) != before
    has_come_down(slide)


def test_a_slide_that_did_not_come_down_is_stretched_with_its_ends(slide: Page):
    before = points(slide, "slide")
    drag(slide, ".finish", -2, 0.8)
    (x, y), after = ends(slide)[1], points(slide, "slide")
    assert (x, y) == pytest.approx((6, -2.6), abs=0.03)
    np.testing.assert_allclose(after - after[0], (before - before[0]) * [x / 8, y / -3.4], atol=3e-3)
    assert table(slide)[0] > 1.2 * table(slide)[2]


def test_a_slide_is_pulled_by_its_dots(slide: Page):
    grip = slide.locator(".grip").nth(1)
    x, y = at(grip)
    drag(slide, ".grip:nth-child(2)", 0.3, -0.6)
    assert at(grip) == pytest.approx([x + 0.3, y - 0.6], abs=0.03)
    assert ends(slide)[1] == pytest.approx(END)
    assert table(slide)[0] != pytest.approx(MODULE.seconds(END, FIRST), abs=1e-3)


def test_a_slide_is_not_pulled_above_its_start(slide: Page):
    drag(slide, ".grip:nth-child(3)", 0, 4)
    assert points(slide, "slide")[1:, 1].max() <= 5.6
    assert all([math.isfinite(x) for x in table(slide)])
    slide.locator("#descend").click()
    has_come_down(slide)


def test_arrow_keys_move_what_is_dragged(slide: Page):
    slide.locator(".finish").focus()
    slide.keyboard.press("ArrowUp")
    slide.keyboard.press("Shift+ArrowLeft")
    assert ends(slide)[1] == pytest.approx([7, -3.3])
    told = slide.locator(".finish").get_attribute("aria-valuetext")
    assert told == f"x 8.00, y 2.30, {float(slide.locator('#yours').inner_text()):.3f} seconds"
    grip = slide.locator(".grip").first
    before = at(grip)
    grip.focus()
    slide.keyboard.press("ArrowDown")
    assert at(grip) == pytest.approx([before[0], before[1] - 0.1], abs=2e-3)


def test_ends_stay_in_the_picture_and_apart(slide: Page):
    for _ in range(12):
        slide.locator(".finish").focus()
        for key in ("Shift+ArrowLeft", "Shift+ArrowUp"):
            slide.keyboard.press(key)
    assert ends(slide)[1] == pytest.approx([1, -0.5])
    slide.locator("#descend").click()
    has_come_down(slide)


def test_a_finger_pulls_too(slide: Page):
    slide.set_viewport_size({"width": 390, "height": 844})
    grip = slide.locator(".grip").nth(1)
    box, before = grip.locator(".dot").bounding_box(), at(grip)
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = slide.context.new_cdp_session(slide)
    for kind, k in (("touchStart", 0), ("touchMove", 1), ("touchMove", 2), ("touchEnd", 0)):
        touches = [] if kind == "touchEnd" else [{"x": x, "y": y + 10 * k}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    scale: float = slide.locator("#world").evaluate("(e) => e.getScreenCTM().a")
    slide.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert at(grip) == pytest.approx([before[0], before[1] - 20 / scale], abs=0.03)


def test_its_slider_shows_where_three_beads_are(slide: Page):
    start, wheel = np.array([1, 5.6]), MODULE.cycloid(END)
    line = math.sqrt(2 * (END[0] ** 2 + END[1] ** 2) / (-END[1] * example.GRAVITY))
    places = MODULE.look(END, FIRST)
    for k in (20, 50, 80):
        t = places[k].seconds
        slide.locator("#step").evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input')); }", t)
        beads = {name: at(slide.locator(f"#beads .{name}")) for name in ("slide", "straight", "cycloid")}
        angle = wheel.angle * min(1, t / wheel.seconds)
        rolled = [wheel.radius * (angle - math.sin(angle)), wheel.radius * (math.cos(angle) - 1)]
        assert beads["slide"] == pytest.approx(places[k].at + start, abs=0.01)
        assert beads["cycloid"] == pytest.approx(rolled + start, abs=0.01)
        assert beads["straight"] == pytest.approx(min(1, t / line) ** 2 * np.array(END) + start, abs=0.01)
        expect(slide.locator("#clock")).to_have_text(f"{t:.2f} s")


def test_three_beads_race_and_all_arrive(slide: Page):
    slide.emulate_media(reduced_motion="no-preference")
    slide.locator("#play").click()
    expect(slide.locator("#play")).to_have_text("Pause")
    expect(slide.locator("#play")).to_have_text("Race", timeout=15_000)
    for name in ("slide", "straight", "cycloid"):
        assert at(slide.locator(f"#beads .{name}")) == pytest.approx([9, 2.2], abs=1e-3)


def test_with_motion_it_descends_by_itself_and_then_races(slide: Page):
    slide.emulate_media(reduced_motion="no-preference")
    slide.reload()
    expect(slide.locator("#descend")).to_have_text("Stop")
    expect(slide.locator("#play")).to_have_text("Pause", timeout=20_000)
    expect(slide.locator("#descend")).to_have_text("Descend")
    has_come_down(slide)


def test_a_descent_is_stopped_and_started_over(slide: Page):
    slide.emulate_media(reduced_motion="no-preference")
    slide.locator("#descend").click()
    expect(slide.locator("#descend")).to_have_text("Stop")
    slide.locator("#descend").click()
    expect(slide.locator("#descend")).to_have_text("Descend")
    slide.locator("#reset").click()
    expect(slide.locator("#yours")).to_have_text("2.2382")


def test_it_tells_how_large_its_module_is_and_shows_its_functional(slide: Page, dist: Any):
    size = (dist / "slide" / "model" / "slide.wasm").stat().st_size
    assert slide.locator(".why b").inner_text().startswith(f"{size:,} bytes of WebAssembly, ")
    shown = slide.locator(".why pre").inner_text()
    assert shown.startswith("@F.functional\ndef time(")
    assert "F.integrate(pace, LINE)" in shown
    assert '"""' not in shown
