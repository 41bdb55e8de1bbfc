"""Ours, under wasmtime: the examples `billiards.py` and `robot.py`, with as many steps as asked for."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from settings import BILLIARDS, ROBOT

import rose

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))


def billiards(setting):
    import billiards as example

    def flat(ball):
        return np.array([*ball.x, *ball.v])

    last, loss = example.BALLS - 1, example.loss_after(setting["steps"])
    module = rose.compile(rose.value_and_grad(loss), simd=setting["simd"])

    def both(shot):
        value, slope = module(example.Ball(shot[:2], shot[2:]), last, BILLIARDS.goal)
        return value, flat(slope)

    def optimised(iterations):
        shot, losses = np.array(BILLIARDS.shot), []
        for _ in range(iterations):
            value, slope = both(shot)
            losses.append(value)
            shot = shot - BILLIARDS.rate * slope
        return losses

    return lambda: both(BILLIARDS.shot), optimised


def robot(setting):
    import robot as example

    def flat(w):
        return [w.w1, w.b1, w.w2, w.b2]

    module = rose.compile(rose.value_and_grad(example.ahead_after(setting["steps"])), simd=setting["simd"])
    start = [np.array(w) for w in setting["weights"]]

    def both(weights):
        value, slope = module(example.Weights(*weights), ROBOT.goal)
        return value - ROBOT.goal[0], flat(slope)

    def optimised(iterations):
        weights, losses = start, []
        for _ in range(iterations):
            value, slope = both(weights)
            losses.append(value)
            rate = ROBOT.rate / (math.sqrt(sum((g**2).sum() for g in slope)) + 1e-6)
            weights = [w - rate * g for w, g in zip(weights, slope, strict=True)]
        return losses

    return lambda: both(start), optimised


APPS = {"billiards": billiards, "robot": robot}
