"""The simulations of DiffTaichi: their losses, gradients and searches are those of the original, in double precision.

The numbers were computed with Taichi 1.7.4 from its `examples/billiards.py`, in f64 and with unchanged constants; a
port to JAX has them to 1e-12. Those with 1,024 steps are of the original Rose's own port.
"""

from typing import Any

import billiards
import pytest
from billiards import BALLS, Ball

import rose

LAST, GOAL = BALLS - 1, (0.9, 0.75)


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


SEARCHES = {
    1023: {
        0: 0.0454166227585681, 1: 0.02930089722891727, 2: 0.02874491693837865, 5: 0.02216198790771391,
        10: 0.013721442053597368, 20: 0.005636721968359574, 50: 0.0005713922195011139, 100: 2.257185045948689e-05,
        150: 2.2082335418349088e-05, 199: 2.2081394630049952e-05,
    },
    1024: {
        0: 0.045376100103525094, 1: 0.029241944018130257, 2: 0.02868439639085918, 5: 0.02192377561235921,
        10: 0.013561330266228635, 20: 0.005618223846045961, 50: 0.00065877600888319, 100: 3.144209822827173e-05,
        150: 2.1711592915966656e-05, 199: 2.1710971463331647e-05,
    },
}  # fmt: skip


@pytest.mark.parametrize("steps", SEARCHES)
def test_billiards_is_searched_as_in_the_original(steps: int):
    slope, cue = rose.compile(rose.value_and_grad(billiards.loss_after(steps))), shot()
    for k in range(200):
        value, d = slope(cue, LAST, GOAL)
        if k in SEARCHES[steps]:
            assert value == pytest.approx(SEARCHES[steps][k], abs=1e-9)
        if (steps, k) == (1023, 199):
            expected = [0.4458116311705684, 0.47530428914839556, 0.5002462537419198, -0.0008854217499140336]
            assert flat(cue) == pytest.approx(expected, abs=1e-9)
        cue = cue.plus(d, -0.01)


def test_a_better_shot_is_a_step_against_the_gradient():
    value, better = rose.compile(billiards.improve)(shot(), LAST, GOAL)
    assert value == pytest.approx(SLOPES[1024][0], rel=1e-14)
    expected = [x - 0.01 * d for x, d in zip(flat(shot()), SLOPES[1024][1], strict=True)]
    assert flat(better) == pytest.approx(expected, rel=1e-12)


def test_the_replay_of_billiards_has_all_steps():
    x = rose.compile(billiards.replay)(shot())
    assert x[0].tolist() == [[0.1, 0.5], *billiards.RACK]
    assert x[1023][0] == pytest.approx([0.4511223090239457, 0.4887134922179063], rel=1e-13)
    assert x[1023][LAST] == pytest.approx([0.7180375388497876, 0.6390663013745348], rel=1e-13)
    assert sum((x[1024][LAST] - GOAL) ** 2) == pytest.approx(SLOPES[1024][0], rel=1e-13)
