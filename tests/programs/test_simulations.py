"""The simulations of DiffTaichi: their losses, gradients and searches are those of the original, in double precision.

The numbers were computed with Taichi 1.7.4 from DiffTaichi's `billiards.py` and `mass_spring.py`, in f64 and with
unchanged constants; a port to JAX agrees to 1e-12. Those with 1,024 and 1,364 steps are of the original Rose's port.
"""

import json
import math
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import billiards
import numpy as np
import pytest
import robot
from billiards import BALLS, Ball
from paths import DATA

import rose

pytestmark = pytest.mark.slow

BILLIARDS, ROBOTS = [json.loads((DATA / name).read_text()) for name in ("billiards.json", "robot.json")]
LAST, GOAL, GOAL_OF_THE_ROBOT = BALLS - 1, (0.9, 0.75), (0.9, 0.2)


def shot() -> Ball:
    return Ball([0.1, 0.5], [0.3, 0.0])


def flat(ball: Any) -> list[float]:
    return [*ball.x, *ball.v]


SLOPES = {
    1023: (0.0454166227585681, [-0.5183187429265992, 1.1283946992678617, -0.6967854761398166, 1.2795995889697676]),
    1024: (0.045376100103525101, [-0.5188530865230098, 1.129672200247702, -0.6975152352009544, 1.2810482750808891]),
}


@pytest.mark.parametrize("steps", SLOPES)
def test_billiards_has_the_loss_and_the_gradient_of_the_original(steps: int):
    value, slope = rose.compile(rose.value_and_grad(billiards.loss_after(steps)))(shot(), LAST, GOAL)
    assert value == pytest.approx(SLOPES[steps][0], rel=1e-14)
    assert flat(slope) == pytest.approx(SLOPES[steps][1], rel=1e-12)


def test_billiards_agrees_with_differences_between_the_collisions():
    f, h = rose.compile(billiards.loss_after(1023)), 1e-6  # at 1e-5 another collision happens
    x, (_, slope) = flat(shot()), SLOPES[1023]
    for k in range(4):
        low, high = [[v + sign * h * (i == k) for i, v in enumerate(x)] for sign in (-1, 1)]
        difference = (f(Ball(high[:2], high[2:]), LAST, GOAL) - f(Ball(low[:2], low[2:]), LAST, GOAL)) / (2 * h)
        assert difference == pytest.approx(slope[k], rel=1e-8)


def searched(f: rose.Fn[..., Any]) -> Iterator[tuple[float, Ball]]:
    """The losses and shots of gradient descent."""
    slope, cue = rose.compile(rose.value_and_grad(f)), shot()
    while True:
        value, d = slope(cue, LAST, GOAL)
        yield value, cue
        cue = cue.plus(d, -0.01)


def test_billiards_is_searched_as_in_the_original():
    rows = [*islice(searched(billiards.loss_after(1023)), 200)]
    assert [value for value, _ in rows] == pytest.approx(BILLIARDS["losses"], abs=1e-11)
    for k, expected in enumerate(BILLIARDS["shots"]):
        assert flat(rows[min(20 * k, 199)][1]) == pytest.approx(expected, abs=1e-10)


def test_with_one_step_more_it_is_searched_as_by_the_original_rose():
    losses = [value for value, _ in islice(searched(billiards.loss), 200)]
    expected = {
        0: 0.045376100103525094, 1: 0.029241944018130257, 2: 0.02868439639085918, 5: 0.02192377561235921,
        10: 0.013561330266228635, 20: 0.005618223846045961, 50: 0.00065877600888319, 100: 3.144209822827173e-05,
        150: 2.1711592915966656e-05, 199: 2.1710971463331647e-05,
    }  # fmt: skip
    assert [losses[k] for k in expected] == pytest.approx([*expected.values()], abs=1e-11)


def test_a_better_shot_is_a_step_against_the_gradient():
    value, better = rose.compile(billiards.improve)(shot(), LAST, GOAL)
    assert value == pytest.approx(SLOPES[1024][0], rel=1e-14)
    expected = [x - 0.01 * d for x, d in zip(flat(shot()), SLOPES[1024][1], strict=True)]
    assert flat(better) == pytest.approx(expected, rel=1e-12)


def test_the_replay_of_billiards_has_every_fourth_step():
    x = rose.compile(billiards.replay)(shot()).reshape(257, BALLS, 2)
    assert x[0].tolist() == [[0.1, 0.5], *billiards.RACK]
    for step, expected in BILLIARDS["x_at"].items():
        if int(step) % 4 == 0:
            assert x[int(step) // 4] == pytest.approx(np.array(expected), abs=1e-13)
    assert sum((x[256][LAST] - GOAL) ** 2) == pytest.approx(SLOPES[1024][0], rel=1e-13)


def test_the_balls_keep_their_momentum_and_lose_energy():
    x = rose.compile(billiards.replay)(shot()).reshape(257, BALLS, 2)
    v = np.diff(x, axis=0) / (4 * 0.003)
    assert v[250:].sum(axis=1) == pytest.approx(np.full((6, 2), [0.3, 0.0]), abs=1e-9)
    assert 0.2 < (v[250] ** 2).sum() / 0.3**2 < 0.9


# the robot


def weights_of(robot: Any) -> Any:
    """The weights that the original starts from."""
    draw = np.random.RandomState(0).randn
    w1 = draw(32, robot.INPUTS) * math.sqrt(2 / (32 + robot.INPUTS)) * 2
    w2 = draw(robot.m, 32) * math.sqrt(2 / (32 + robot.m)) * 3
    return robot.Weights(w1, np.zeros(32), w2, np.zeros(robot.m))


def check_gradient(slope: Any, expected: Any, near: float) -> None:
    """Both biases, some rows of both matrices, and the length of all together."""
    squares = sum((np.asarray(x) ** 2).sum() for x in (slope.w1, slope.b1, slope.w2, slope.b2))
    assert squares == pytest.approx(expected["norm_squared"], rel=near)
    for name in ("b1", "b2"):
        size = np.abs(expected[name]).max()
        assert getattr(slope, name) == pytest.approx(np.array(expected[name]), abs=near * size)
    for name in ("w1", "w2"):
        for i, row in expected[name].items():
            assert getattr(slope, name)[int(i)] == pytest.approx(np.array(row), abs=near * np.abs(row).max())


def test_the_robot_is_the_one_of_the_original():
    expected = ROBOTS["D"]
    assert np.abs(np.array(robot.MASSES) - expected["masses"]).max() < 1e-16
    assert np.abs(np.array(robot.SPRINGS) - expected["springs"]).max() < 1e-16
    assert sum(np.size(x) for x in vars(weights_of(robot)).values()) == 5757


def test_the_robot_has_the_losses_and_the_gradient_of_the_original():
    slope, weights = rose.compile(rose.value_and_grad(robot.ahead_after(681))), weights_of(robot)
    for k, expected in enumerate(ROBOTS["D"]["losses"]):
        value, g = slope(weights, GOAL_OF_THE_ROBOT)
        assert value - 0.9 == pytest.approx(expected, abs=1e-9 if k <= 4 else 1e-6)
        if k == 0:
            check_gradient(g, ROBOTS["D"], 1e-9)
        w, d = vars(weights), vars(g)
        rate = 0.2 / (math.sqrt(sum((np.asarray(x) ** 2).sum() for x in d.values())) + 1e-6)
        weights = robot.Weights(**{name: np.asarray(w[name]) - rate * np.asarray(d[name]) for name in w})


def test_the_robot_is_better_after_each_step_as_by_the_original_rose():
    module, weights = rose.compile(robot.improve), weights_of(robot)
    expected = {0: -0.26131516761184564, 1: -0.30674719867, 2: -0.32223276347, 5: -0.45764733570}
    for k in range(6):
        value, weights = module(weights, GOAL_OF_THE_ROBOT)
        if k in expected:
            assert value - 0.9 == pytest.approx(expected[k], abs=1e-9 if k < 5 else 1e-6)


def test_the_replay_of_the_robot_has_every_fourth_step():
    x = rose.compile(robot.replay)(weights_of(robot), GOAL_OF_THE_ROBOT).reshape(342, robot.n, 2)
    assert x[0].tolist() == robot.MASSES
    for step, expected in ROBOTS["D"]["x_at"].items():
        if int(step) % 4 == 0:
            assert x[int(step) // 4] == pytest.approx(np.array(expected), abs=1e-9)
    assert x[-1][0][0] == pytest.approx(0.26131516761184564, abs=1e-9)


def test_a_goal_that_lies_behind_is_approached_as_well():
    module, weights = rose.compile(robot.improve), weights_of(robot)
    value, better = module(weights, (0.2, 0.2))
    assert 0 < module(better, (0.2, 0.2))[0] < value


def test_another_robot_whose_gradient_is_very_large_has_that_of_the_original(monkeypatch: pytest.MonkeyPatch):
    """Robot A of DiffTaichi. Two ports of it agree to 3e-10 in each part of the gradient."""
    source = Path(robot.__file__).read_text(encoding="utf-8")
    known, expected = "MASSES, SPRINGS = mesh(SQUARES)", ROBOTS["A"]
    other = ModuleType("other_robot")
    monkeypatch.setitem(sys.modules, "other_robot", other)
    assert known in source
    exec(source.replace(known, f"MASSES, SPRINGS = {expected['masses']}, {expected['springs']}"), vars(other))
    value, g = rose.compile(rose.value_and_grad(other.ahead_after(681)))(weights_of(other), GOAL_OF_THE_ROBOT)
    assert value - 0.9 == pytest.approx(expected["loss"], abs=1e-9)
    check_gradient(g, expected, 1e-8)


def test_newborn_weights_are_spread_as_those_of_the_original():
    born, known = rose.compile(robot.newborn)(2), weights_of(robot)
    for name in ("w1", "w2"):
        assert np.std(getattr(born, name)) == pytest.approx(np.std(getattr(known, name)), rel=0.03)
        assert abs(np.mean(getattr(born, name))) < 0.01
    state = 2
    for x in born.w1[0]:
        state = 16807 * state % (2**31 - 1)
        assert x == pytest.approx(2 * math.sqrt(6 / 148) * (2 * state / (2**31 - 1) - 1), rel=1e-14)
