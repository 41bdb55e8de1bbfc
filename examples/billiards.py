"""Billiards: the shot that sends a ball to a goal, found by gradient descent through all collisions.

Eleven balls move in 1,024 steps, and in each of them those that touch bounce off each other. What the gradient changes
is where the cue ball lies at first, and how fast it goes. The physics is that of `billiards` in DiffTaichi.
"""

from itertools import combinations
from typing import Any, TypeAlias

import rose
from rose import Fin, Fn, Real, Vec, fn

STEPS, DT, RADIUS, ELASTICITY, RATE = 1024, 0.003, 0.03, 0.8, 0.01
RACK = [[i * 2 * RADIUS + 0.5, j * 2 * RADIUS + 0.5 - i * RADIUS * 0.7] for i in range(4) for j in range(i + 1)]
BALLS = 1 + len(RACK)  # ball 0 is the cue ball
PAIRS = list(combinations(range(BALLS), 2))

Point: TypeAlias = Vec[2]


def plus(a, b, scale=1.0):
    return [a[k] + scale * b[k] for k in range(2)]


@rose.struct
class Ball:
    x: Point
    v: Point

    def plus(self, change, scale=1.0):
        return Ball(plus(self.x, change.x, scale), plus(self.v, change.v, scale))


Table: TypeAlias = Vec[BALLS, Ball]
NOTHING = Ball([0.0, 0.0], [0.0, 0.0])


@fn
def bounce(a: Ball, b: Ball) -> Ball:
    """How a collision changes the first of two balls. The second one changes as much, the other way."""
    apart = plus(plus(a.x, a.v, DT), plus(b.x, b.v, DT), -1)  # at the end of the step
    distance = rose.norm(apart)
    normal = [d / (distance + 1e-6) for d in apart]
    speed = rose.dot(normal, plus(a.v, b.v, -1))

    def pushed():
        push = [-(1 + ELASTICITY) * 0.5 * speed * n for n in normal]
        touched = (distance - 2 * RADIUS) / rose.min(-1e-3, speed)  # so long before
        back = rose.min(touched - DT, 0.0)
        return Ball([back * p for p in push], push)

    return rose.cond((distance < 2 * RADIUS) & (speed < 0), pushed, lambda: NOTHING)


@fn
def step(table: Table) -> Table:
    pairs = rose.constant(Vec[len(PAIRS), tuple[Fin[BALLS], Fin[BALLS]]], PAIRS)
    changes = rose.accum([NOTHING] * BALLS)
    for k in rose.range(len(PAIRS)):
        i, j = pairs[k]
        change = bounce(table[i], table[j])
        changes[i] += change
        changes[j] += NOTHING.plus(change, -1)
    change = changes.value

    def moved(i):
        v = plus(table[i].v, change[i].v)
        return Ball(plus(plus(table[i].x, v, DT), change[i].x), v)

    return rose.vec(moved(i) for i in rose.range(BALLS))


def racked(cue):
    return [cue, *[Ball(x, [0.0, 0.0]) for x in RACK]]


def loss_after(steps: int) -> Fn[..., Any]:
    @fn
    def loss(cue: Ball, ball: Fin[BALLS], goal: Point) -> Real:
        """How far the ball is from the goal in the end, squared."""
        table = rose.scan(lambda _, table: step(table), racked(cue), steps)
        d = plus(table[ball].x, goal, -1)
        return rose.dot(d, d)

    return loss


loss = loss_after(STEPS)


@fn
def improve(cue: Ball, ball: Fin[BALLS], goal: Point) -> tuple[Real, Ball]:
    """How far the ball is from the goal, squared, and a better shot: one step of gradient descent."""
    value, slope = rose.value_and_grad(loss)(cue, ball, goal)
    return value, cue.plus(slope, -RATE)


@fn
def replay(cue: Ball) -> Vec[STEPS // 4 + 1, Vec[2 * BALLS]]:
    """Where the balls are, at first and after each four steps."""

    def turn(_, table):
        after = rose.scan(lambda _, table: step(table), table, 4)
        return after, rose.vec(table[i // 2].x[i % 2] for i in rose.range(2 * BALLS))

    return rose.scan(turn, racked(cue), STEPS // 4 + 1)[1]


if __name__ == "__main__":
    module, shot = rose.compile(improve), Ball([0.1, 0.5], [0.3, 0.0])
    for k in range(201):
        value, better = module(shot, BALLS - 1, [0.9, 0.75])
        if k % 50 == 0:
            print(f"{k:3} steps: {value**0.5:.4f} from the goal")
        shot = better
