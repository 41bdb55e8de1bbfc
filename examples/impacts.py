"""Billiards through ten impacts: where the ball is then, and how that depends on its aim.

The table is an ellipse, on a slope, and the ball is slowed by the air. Each impact is an event, whose time is found to
rounding, and has a derivative. With steps of a fixed length, an impact is seen after the step in which it is; the
derivative then knows nothing of how the time of the impact moves, and is wrong however short the steps are.
"""

from typing import Any

import rose
from rose import Fn, Real, Vec, fn

IMPACTS, TIME, DRAG, SLOPE = 10, 8.5, 0.05, [0.1, -0.4]


@rose.struct
class Ball:
    at: Vec[2]
    speed: Vec[2]


@fn
def roll(t: Real, ball: Ball) -> Ball:
    return Ball(ball.speed, SLOPE - DRAG * ball.speed)


@fn
def inside(t: Real, ball: Ball) -> Real:
    """Above 0 on the table, and 0 at its rim."""
    return 1.0 - 0.25 * ball.at[0] ** 2 - ball.at[1] ** 2


@fn
def reflected(ball: Ball) -> Ball:
    across = rose.array([0.25 * ball.at[0], ball.at[1]])
    return Ball(ball.at, ball.speed - 2.0 * rose.dot(ball.speed, across) / rose.dot(across, across) * across)


@fn
def shot(angle: Real) -> Ball:
    return Ball([0.3, 0.1], [3.0 * rose.cos(angle), 3.0 * rose.sin(angle)])


@fn
def last_impact(angle: Real) -> tuple[Real, Ball]:
    """The time of the last impact, and the ball after it."""

    def impact(_, state):
        t, ball = state
        met = rose.implicit.event(roll, inside, t, t + 10.0, ball, direction=-1, rtol=1e-12, atol=1e-12)
        return met.t, reflected(met.y)

    return rose.scan(impact, (0.0, shot(angle)), IMPACTS)


@fn
def end(angle: Real) -> Vec[2]:
    """Where the ball is at the end of the time, after ten impacts."""
    t, ball = last_impact(angle)
    return rose.implicit.ode(roll, t, TIME, ball, rtol=1e-12, atol=1e-12).at


def by_fixed_steps(count: int) -> Fn[..., Any]:
    """The same, by so many steps of the same length, each with an impact at its end if it has left the table."""
    length = TIME / count

    @fn
    def stepped(angle: Real) -> Vec[2]:
        def step(_, ball):
            speed = ball.speed + length * roll(0.0, ball).speed
            moved = Ball(ball.at + length * speed, speed)
            leaves = (inside(0.0, moved) < 0.0) & (rose.dot(moved.at * [0.25, 1.0], moved.speed) > 0.0)
            return rose.cond(leaves, lambda: reflected(moved), lambda: moved)

        return rose.scan(step, shot(angle), count).at

    return stepped


if __name__ == "__main__":
    print("at the end:", end(0.7))
    print("moves with the aim by", rose.jacfwd(end)(0.7))
    print("and by 10,000 steps by", rose.jacfwd(by_fixed_steps(10_000))(0.7))
