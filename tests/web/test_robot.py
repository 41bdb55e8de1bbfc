"""The page with the robot."""

from collections.abc import Callable
from typing import Any

import pytest
import robot
from playwright.sync_api import Locator, Page, expect

import rose

GOAL, SEED = [0.9, 0.2], 2
SLOW = 30_000  # milliseconds that a training may take


@pytest.fixture(scope="module")
def model() -> Any:
    return rose.compile(robot.improve, robot.replay, robot.newborn)


@pytest.fixture
def world(page: Page, site: str) -> Page:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/robot/")
    expect(page.locator("#far")).to_have_text("0.6869")  # what the weights of the seed do
    return page


def trained(page: Page, steps: int) -> int:
    """Train for some steps at least, and give how many there were."""
    page.locator("#train").click()
    page.wait_for_function("(n) => document.querySelector('#progress').value >= n", arg=steps)
    page.locator("#train").click()
    expect(page.locator("#train")).to_have_text("Train", timeout=SLOW)
    expect(page.locator("body")).to_have_attribute("aria-busy", "false", timeout=SLOW)
    return int(page.locator("#steps").inner_text().split()[0])


def pose(page: Page) -> list[float]:
    """Where the foot is, y upwards."""
    head = page.locator("#head")
    return [float(head.get_attribute("cx") or ""), -float(head.get_attribute("cy") or "")]


def value(far: Locator) -> float:
    return float(far.get_attribute("data-value") or "nan")


def test_it_looks_as_it_should(world: Page, look: Callable[[Page, str], None]):
    trained(world, 12)
    look(world, "robot")


def test_it_is_trained_as_in_python_to_the_bit(world: Page, model: Any):
    steps = trained(world, 15)
    weights, tried = model.newborn(SEED), []
    for _ in range(steps):
        far, better = model.improve(weights, GOAL)
        tried.append((far, weights))
        weights = better
    far, best = min(tried, key=lambda pair: pair[0])
    world.wait_for_function("(x) => +document.querySelector('#far').dataset.value == x", arg=far)
    assert value(world.locator("#far")) == far < 0.66
    walk = model.replay(best, GOAL)
    for frame in (0, 100, 341):
        world.locator("#step").fill(str(frame))
        assert pose(world) == walk[frame][:2].tolist()
        expect(world.locator("#clock")).to_have_text(f"{frame * 0.016:.2f} s")


def test_its_goal_is_dragged_and_the_robot_sees_it(world: Page, model: Any):
    box, scale = (
        world.locator("#goal .reach").bounding_box(),
        world.locator("#world").evaluate("e => e.getScreenCTM().a"),
    )
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    world.mouse.move(x, y)
    world.mouse.down()
    for k in range(1, 7):
        world.mouse.move(x - 0.1 * k * scale, y)
    world.mouse.up()
    at = (world.locator("#goal").get_attribute("transform") or "").removeprefix("translate(").split()[0]
    goal = [float(at), 0.2]
    assert goal[0] == pytest.approx(0.3, abs=0.002)
    foot = model.replay(model.newborn(SEED), goal)[-1][0]
    world.wait_for_function("(x) => +document.querySelector('#far').dataset.value == x", arg=abs(goal[0] - foot))
    assert foot != model.replay(model.newborn(SEED), GOAL)[-1][0]


def test_its_goal_follows_the_arrow_keys(world: Page, model: Any):
    goal = world.locator("#goal")
    goal.focus()
    world.keyboard.press("Shift+ArrowLeft")
    world.keyboard.press("ArrowRight")
    world.keyboard.press("ArrowUp")
    far = abs(0.81 - model.replay(model.newborn(SEED), [0.81, 0.2])[-1][0])
    expect(goal).to_have_attribute("aria-valuetext", f"0.81, and the robot ends {far:.3f} from it")
    expect(goal).to_have_attribute("transform", "translate(0.81 0)")


def test_a_goal_that_is_moved_while_it_is_trained_is_the_new_goal(world: Page):
    world.locator("#train").click()
    world.wait_for_function("() => document.querySelector('#progress').value >= 3")
    world.locator("#goal").focus()
    for _ in range(5):
        world.keyboard.press("Shift+ArrowLeft")
    world.wait_for_function("() => document.querySelector('#progress').value >= 20")
    world.locator("#train").click()
    expect(world.locator("#train")).to_have_text("Train", timeout=SLOW)
    world.wait_for_function("() => +document.querySelector('#far').dataset.value < 0.3")


def test_another_robot_has_other_weights(world: Page):
    world.locator("#born").click()
    expect(world.locator("#far")).not_to_have_text("0.6869")
    assert 0.5 < value(world.locator("#far")) < 0.9


def test_another_robot_stays_another_when_the_goal_is_moved_at_once(world: Page, model: Any):
    world.evaluate("""() => {
        document.querySelector("#born").click();
        const goal = document.querySelector("#goal");
        for (const key of ["ArrowLeft", "ArrowLeft"]) goal.dispatchEvent(new KeyboardEvent("keydown", { key }));
    }""")
    expect(world.locator("#goal")).to_have_attribute("transform", "translate(0.88 0)")
    expect(world.locator("#far")).not_to_have_text("0.6869")
    far = abs(0.88 - model.replay(model.newborn(SEED), [0.88, 0.2])[-1][0])
    assert value(world.locator("#far")) != far


def test_what_is_pressed_before_the_first_walk_waits_for_it(page: Page, site: str):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/robot/", wait_until="commit")
    page.locator("#train").click()
    page.locator("#step").fill("5")
    page.wait_for_function("() => document.querySelector('#progress').value >= 2")


def test_its_walk_is_played(world: Page):
    world.emulate_media(reduced_motion="no-preference")
    world.locator("#play").click()
    world.wait_for_function("() => document.querySelector('#step').value > 20")
    assert pose(world) != robot.MASSES[0]
    world.locator("#play").click()
    expect(world.locator("#play")).to_have_text("Play")
