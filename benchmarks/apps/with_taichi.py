"""Taichi on one thread of the CPU, in numbers of 64 bits: as DiffTaichi does it, a kernel for each part of each step.

DiffTaichi's own scripts compute in 32 bits. Of the robot they read and write the weights number by number, in Python:
here NumPy does that, so that this port spends its time on the simulation. Taichi reads annotations as they are: no
`from __future__` stands here.
"""

import math

import numpy as np
import settings as given
import taichi as ti
from settings import BILLIARDS, ROBOT

ti.init(arch=ti.cpu, default_fp=ti.f64, cpu_max_num_threads=1, offline_cache=False, log_level=ti.ERROR)


def real(*shape):
    return ti.field(ti.f64, shape=shape, needs_grad=True)


def points(*shape):
    return ti.Vector.field(2, ti.f64, shape=shape, needs_grad=True)


@ti.data_oriented
class Billiards:
    def __init__(self, setting):
        self.c, self.steps, rack = BILLIARDS, setting["steps"], given.rack()
        self.n = 1 + len(rack)
        self.x, self.v, self.impulse, self.back = (points(self.steps + 1, self.n) for _ in range(4))
        self.start, self.speed, self.loss = points(), points(), real()
        for k, at in enumerate(rack):
            self.x[0, k + 1] = at

    @ti.kernel
    def initialise(self):
        self.x[0, 0] = self.start[None]
        self.v[0, 0] = self.speed[None]

    @ti.func
    def bounce(self, t, i, j):
        apart = (self.x[t, i] + self.c.dt * self.v[t, i]) - (self.x[t, j] + self.c.dt * self.v[t, j])
        distance = apart.norm()
        between = self.v[t, i] - self.v[t, j]
        if distance < 2 * self.c.radius:
            normal = apart / (distance + 1e-6)
            along = normal.dot(between)
            if along < 0:
                push = -(1 + self.c.elasticity) * 0.5 * along * normal
                touched = (distance - 2 * self.c.radius) / min(-1e-3, along)
                self.impulse[t + 1, i] += push
                self.back[t + 1, i] += min(touched - self.c.dt, 0.0) * push

    @ti.kernel
    def collide(self, t: ti.i32):
        for i in range(self.n):
            for j in range(i):
                self.bounce(t, i, j)
        for i in range(self.n):
            for j in range(i + 1, self.n):
                self.bounce(t, i, j)

    @ti.kernel
    def advance(self, t: ti.i32):
        for i in range(self.n):
            self.v[t, i] = self.v[t - 1, i] + self.impulse[t, i]
            self.x[t, i] = self.x[t - 1, i] + self.c.dt * self.v[t, i] + self.back[t, i]

    @ti.kernel
    def missed(self):
        apart = self.x[self.steps, self.n - 1] - ti.Vector([self.c.goal[0], self.c.goal[1]])
        self.loss[None] = apart.dot(apart)

    def both(self, shot):
        self.start[None], self.speed[None] = shot[:2], shot[2:]
        self.impulse.fill(0.0)
        self.back.fill(0.0)
        with ti.ad.Tape(self.loss):
            self.initialise()
            for t in range(1, self.steps + 1):
                self.collide(t - 1)
                self.advance(t)
            self.missed()
        return self.loss[None], np.concatenate([self.start.grad.to_numpy(), self.speed.grad.to_numpy()])


@ti.data_oriented
class Robot:
    def __init__(self, setting):
        self.c, self.steps, springs = ROBOT, setting["steps"], setting["springs"]
        self.masses = np.array(setting["masses"])
        self.n, self.m = n, m = len(self.masses), len(springs)
        self.x, self.v, self.pull = (points(self.steps + 1, n) for _ in range(3))
        self.centre, self.loss = points(self.steps + 1), real()
        self.hidden, self.said = real(self.steps + 1, self.c.hidden), real(self.steps + 1, m)
        inputs = self.c.waves + 4 * n + 2
        self.w1, self.b1, self.w2, self.b2 = real(self.c.hidden, inputs), real(self.c.hidden), real(m, 32), real(m)
        self.weights = self.w1, self.b1, self.w2, self.b2
        self.one, self.two = (ti.field(ti.i32, shape=m) for _ in range(2))
        self.length, self.stiffness, self.muscle = (ti.field(ti.f64, shape=m) for _ in range(3))
        fields = self.one, self.two, self.length, self.stiffness, self.muscle
        for k, (field, column) in enumerate(zip(fields, zip(*springs, strict=True), strict=True)):
            field.from_numpy(np.array(column, np.int32 if k < 2 else np.float64))

    @ti.kernel
    def find_centre(self, t: ti.i32):
        for _ in range(1):
            for i in range(self.n):
                self.centre[t] += self.x[t, i] / self.n

    @ti.kernel
    def first_layer(self, t: ti.i32):
        for i in range(self.c.hidden):
            told = 0.0
            for j in ti.static(range(self.c.waves)):
                told += self.w1[i, j] * ti.sin(10 * t * self.c.dt + 2 * math.pi / self.c.waves * j)
            for j in ti.static(range(self.n)):
                apart = self.x[t, j] - self.centre[t]
                for k in ti.static(range(2)):
                    told += self.w1[i, self.c.waves + 4 * j + k] * 0.05 * apart[k]
                    told += self.w1[i, self.c.waves + 4 * j + 2 + k] * 0.05 * self.v[t, j][k]
            for k in ti.static(range(2)):
                told += self.w1[i, self.c.waves + 4 * self.n + k] * (self.c.goal[k] - self.centre[t][k])
            self.hidden[t, i] = ti.tanh(told + self.b1[i])

    @ti.kernel
    def second_layer(self, t: ti.i32):
        for i in range(self.m):
            told = 0.0
            for j in ti.static(range(self.c.hidden)):
                told += self.w2[i, j] * self.hidden[t, j]
            self.said[t, i] = ti.tanh(told + self.b2[i])

    @ti.kernel
    def contract(self, t: ti.i32):
        for k in range(self.m):
            a, b = self.one[k], self.two[k]
            along = self.x[t, a] - self.x[t, b]
            far = along.norm() + 1e-4
            rest = self.length[k] * (1.0 + self.muscle[k] * self.said[t, k])
            force = self.c.dt * (far - rest) * self.stiffness[k] / far * along
            self.pull[t + 1, a] += -force
            self.pull[t + 1, b] += force

    @ti.kernel
    def advance(self, t: ti.i32):
        for i in range(self.n):
            down = self.c.dt * self.c.gravity * ti.Vector([0.0, 1.0])
            old = ti.exp(-self.c.dt * self.c.damping) * self.v[t - 1, i] + down + self.pull[t, i]
            at, falls, new = self.x[t - 1, i], 0.0, old
            if at[1] + self.c.dt * old[1] < self.c.ground and old[1] < -1e-4:
                falls = -(at[1] - self.c.ground) / old[1]
                new = ti.Vector([0.0, 0.0])
            self.x[t, i] = at + falls * old + (self.c.dt - falls) * new
            self.v[t, i] = new

    @ti.kernel
    def missed(self):
        self.loss[None] = -self.x[self.steps, 0][0]

    def both(self, weights):
        for field, w in zip(self.weights, weights, strict=True):
            field.from_numpy(w)
        for i in range(self.n):
            self.x[0, i] = self.masses[i]
        self.pull.fill(0.0)
        self.centre.fill(0.0)
        with ti.ad.Tape(self.loss):
            for t in range(1, self.steps + 1):
                self.find_centre(t - 1)
                self.first_layer(t - 1)
                self.second_layer(t - 1)
                self.contract(t - 1)
                self.advance(t)
            self.missed()
        return self.loss[None], [field.grad.to_numpy() for field in self.weights]


def billiards(setting):
    made, shot = Billiards(setting), np.array(BILLIARDS.shot)

    def optimised(iterations):
        now, losses = shot, []
        for _ in range(iterations):
            value, slope = made.both(now)
            losses.append(value)
            now = now - BILLIARDS.rate * slope
        return losses

    return lambda: made.both(shot), optimised


def robot(setting):
    made, start = Robot(setting), [np.array(w) for w in setting["weights"]]

    def optimised(iterations):
        weights, losses = start, []
        for _ in range(iterations):
            value, slope = made.both(weights)
            losses.append(value)
            rate = ROBOT.rate / (math.sqrt(sum((g**2).sum() for g in slope)) + 1e-6)
            weights = [w - rate * g for w, g in zip(weights, slope, strict=True)]
        return losses

    return lambda: made.both(start), optimised


APPS = {"billiards": billiards, "robot": robot}
