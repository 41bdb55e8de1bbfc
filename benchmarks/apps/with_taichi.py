"""Taichi on one thread of the CPU, in numbers of 64 bits: as DiffTaichi does it, a kernel for each part of each step.

DiffTaichi's own scripts compute in 32 bits. Of the robot they read and write the weights number by number, in Python:
here NumPy does that, so that this port spends its time on the simulation. It reads annotations as they are: no
`from __future__` stands here.
"""

import math
import os

os.environ["ENABLE_TAICHI_HEADER_PRINT"] = "0"  # what is printed is read by another program

import numpy as np
import settings as given
import taichi as ti
from settings import BILLIARDS, ROBOT

ti.init(arch=ti.cpu, default_fp=ti.f64, cpu_max_num_threads=1, offline_cache=False, log_level=ti.ERROR)


def real(*shape):
    return ti.field(ti.f64, shape=shape, needs_grad=True)


def points(*shape):
    return ti.Vector.field(2, ti.f64, shape=shape, needs_grad=True)


def billiards(setting):
    steps, c, rack = setting["steps"], BILLIARDS, given.rack()
    n = 1 + len(rack)
    x, v, impulse, back = (points(steps + 1, n) for _ in range(4))
    start, speed, loss = points(), points(), real()

    @ti.kernel
    def initialise():
        x[0, 0] = start[None]
        v[0, 0] = speed[None]

    @ti.kernel
    def clear():
        for t, i in impulse:
            impulse[t, i] = ti.Vector([0.0, 0.0])
            back[t, i] = ti.Vector([0.0, 0.0])

    @ti.func
    def bounce(t, i, j):
        apart = (x[t, i] + c.dt * v[t, i]) - (x[t, j] + c.dt * v[t, j])
        distance = apart.norm()
        between = v[t, i] - v[t, j]
        if distance < 2 * c.radius:
            normal = apart / (distance + 1e-6)
            along = normal.dot(between)
            if along < 0:
                push = -(1 + c.elasticity) * 0.5 * along * normal
                touched = (distance - 2 * c.radius) / min(-1e-3, along)
                impulse[t + 1, i] += push
                back[t + 1, i] += min(touched - c.dt, 0.0) * push

    @ti.kernel
    def collide(t: ti.i32):
        for i in range(n):
            for j in range(i):
                bounce(t, i, j)
        for i in range(n):
            for j in range(i + 1, n):
                bounce(t, i, j)

    @ti.kernel
    def advance(t: ti.i32):
        for i in range(n):
            v[t, i] = v[t - 1, i] + impulse[t, i]
            x[t, i] = x[t - 1, i] + c.dt * v[t, i] + back[t, i]

    @ti.kernel
    def missed():
        loss[None] = (x[steps, n - 1][0] - c.goal[0]) ** 2 + (x[steps, n - 1][1] - c.goal[1]) ** 2

    for k, at in enumerate(rack):
        x[0, k + 1] = at

    def both(shot):
        start[None], speed[None] = shot[:2], shot[2:]
        clear()
        with ti.ad.Tape(loss):
            initialise()
            for t in range(1, steps + 1):
                collide(t - 1)
                advance(t)
            missed()
        return loss[None], np.concatenate([start.grad.to_numpy(), speed.grad.to_numpy()])

    def optimised(iterations):
        shot, losses = np.array(c.shot), []
        for _ in range(iterations):
            value, slope = both(shot)
            losses.append(value)
            shot = shot - c.rate * slope
        return losses

    return lambda: both(np.array(c.shot)), optimised


def robot(setting):
    steps, c = setting["steps"], ROBOT
    masses, springs = np.array(setting["masses"]), setting["springs"]
    n, m = len(masses), len(springs)
    inputs = c.waves + 4 * n + 2
    x, v, pull = (points(steps + 1, n) for _ in range(3))
    centre, loss = points(steps + 1), real()
    hidden, said = real(steps + 1, c.hidden), real(steps + 1, m)
    w1, b1, w2, b2 = real(c.hidden, inputs), real(c.hidden), real(m, c.hidden), real(m)
    one, two = ti.field(ti.i32, shape=m), ti.field(ti.i32, shape=m)
    length, stiffness, muscle = (ti.field(ti.f64, shape=m) for _ in range(3))
    columns = [np.array(column) for column in zip(*springs, strict=True)]
    for field, column in zip((one, two, length, stiffness, muscle), columns, strict=True):
        field.from_numpy(column.astype(np.int32) if field in (one, two) else column)

    @ti.kernel
    def clear():
        for t, i in pull:
            pull[t, i] = ti.Vector([0.0, 0.0])
        for t in centre:
            centre[t] = ti.Vector([0.0, 0.0])

    @ti.kernel
    def find_centre(t: ti.i32):
        for _ in range(1):
            for i in range(n):
                centre[t] += x[t, i] / n

    @ti.kernel
    def first_layer(t: ti.i32):
        for i in range(c.hidden):
            told = 0.0
            for j in ti.static(range(c.waves)):
                told += w1[i, j] * ti.sin(10 * t * c.dt + 2 * math.pi / c.waves * j)
            for j in ti.static(range(n)):
                apart = x[t, j] - centre[t]
                told += w1[i, c.waves + 4 * j] * 0.05 * apart[0]
                told += w1[i, c.waves + 4 * j + 1] * 0.05 * apart[1]
                told += w1[i, c.waves + 4 * j + 2] * 0.05 * v[t, j][0]
                told += w1[i, c.waves + 4 * j + 3] * 0.05 * v[t, j][1]
            told += w1[i, c.waves + 4 * n] * (c.goal[0] - centre[t][0])
            told += w1[i, c.waves + 4 * n + 1] * (c.goal[1] - centre[t][1])
            hidden[t, i] = ti.tanh(told + b1[i])

    @ti.kernel
    def second_layer(t: ti.i32):
        for i in range(m):
            told = 0.0
            for j in ti.static(range(c.hidden)):
                told += w2[i, j] * hidden[t, j]
            said[t, i] = ti.tanh(told + b2[i])

    @ti.kernel
    def contract(t: ti.i32):
        for k in range(m):
            a, b = one[k], two[k]
            along = x[t, a] - x[t, b]
            far = along.norm() + 1e-4
            rest = length[k] * (1.0 + muscle[k] * said[t, k])
            force = c.dt * (far - rest) * stiffness[k] / far * along
            pull[t + 1, a] += -force
            pull[t + 1, b] += force

    @ti.kernel
    def advance(t: ti.i32):
        for i in range(n):
            old = ti.exp(-c.dt * c.damping) * v[t - 1, i] + c.dt * c.gravity * ti.Vector([0.0, 1.0]) + pull[t, i]
            at, falls, new = x[t - 1, i], 0.0, old
            if at[1] + c.dt * old[1] < c.ground and old[1] < -1e-4:
                falls = -(at[1] - c.ground) / old[1]
                new = ti.Vector([0.0, 0.0])
            x[t, i] = at + falls * old + (c.dt - falls) * new
            v[t, i] = new

    @ti.kernel
    def missed():
        loss[None] = -x[steps, 0][0]

    fields = w1, b1, w2, b2

    def both(weights):
        for field, w in zip(fields, weights, strict=True):
            field.from_numpy(w)
        for i in range(n):
            x[0, i] = masses[i]
        clear()
        with ti.ad.Tape(loss):
            for t in range(1, steps + 1):
                find_centre(t - 1)
                first_layer(t - 1)
                second_layer(t - 1)
                contract(t - 1)
                advance(t)
            missed()
        return loss[None], [field.grad.to_numpy() for field in fields]

    start = [np.array(w) for w in setting["weights"]]

    def optimised(iterations):
        weights, losses = start, []
        for _ in range(iterations):
            value, slope = both(weights)
            losses.append(value)
            rate = c.rate / (math.sqrt(sum((g**2).sum() for g in slope)) + 1e-6)
            weights = [w - rate * g for w, g in zip(weights, slope, strict=True)]
        return losses

    return lambda: both(start), optimised


APPS = {"billiards": billiards, "robot": robot}
