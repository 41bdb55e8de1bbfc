"""A robot made of springs learns to walk: a small network contracts some of them, and is trained through the physics.

In each of 1,364 steps the network looks at the robot and says how long its muscles shall be; then springs, gravity and
the ground move it. The gradient in all 5,757 weights goes back through that. The physics is that of `mass_spring` in
DiffTaichi, and the robot is that of the paper's Figure 5.
"""

import math
from typing import Any, TypeAlias

import rose
from rose import Fin, Fn, Real, Vec, fn

STEPS, DT, GRAVITY, DAMPING, GROUND, STIFFNESS = 1364, 0.004, -4.8, 15, 0.1, 3e4
WAVES, HIDDEN, RATE = 10, 32, 0.2
SQUARES = {  # by column and row: by what part of their length the two upright sides of each can grow or shrink
    (2, 0): 0.15, (0, 0): 0.15, (0, 1): 0.15, (0, 2): 0, (1, 2): 0, (2, 1): 0.15, (2, 2): 0, (2, 3): 0, (2, 4): 0,
    (3, 1): 0, (4, 0): 0.15, (4, 1): 0.15,
}  # fmt: skip


def mesh(squares: dict[tuple[int, int], Any]):
    """The masses at the corners of the squares, and the springs between them: ends, length, stiffness, muscle."""
    at: dict[tuple[int, int], list[float]] = {}
    springs: dict[Any, Any] = {}
    for (i, j), muscle in squares.items():
        a, b, c, d = corners = [(i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1)]
        at |= {p: [0.05 * p[0] + 0.1, 0.05 * p[1] + 0.1] for p in corners if p not in at}
        for p, q, grows in [(a, b, muscle), (c, d, muscle), *[(p, q, 0) for p in corners for q in corners if p != q]]:
            if (q, p) not in springs:
                springs.setdefault((p, q), grows)
    index = {p: k for k, p in enumerate(at)}
    return [*at.values()], [
        (index[p], index[q], math.dist(at[p], at[q]), STIFFNESS, grows) for (p, q), grows in springs.items()
    ]


MASSES, SPRINGS = mesh(SQUARES)
n, m = len(MASSES), len(SPRINGS)
INPUTS = WAVES + 4 * n + 2

Point: TypeAlias = Vec[2]


@rose.struct
class Mass:
    x: Point
    v: Point


@rose.struct
class Spring:
    a: Fin[n]
    b: Fin[n]
    length: Real
    stiffness: Real
    muscle: Real


@rose.struct
class Weights:
    w1: Vec[HIDDEN, Vec[INPUTS]]
    b1: Vec[HIDDEN]
    w2: Vec[m, Vec[HIDDEN]]
    b2: Vec[m]


Body: TypeAlias = Vec[n, Mass]


@fn
def springs() -> Vec[m, Spring]:
    return [Spring(*s) for s in SPRINGS]


@fn
def senses(body: Body, goal: Point, time: Real) -> Vec[INPUTS]:
    """What the network is told: waves, where each mass is and how fast it goes, and how far the goal is."""
    told = rose.accum([0.0] * INPUTS)
    for j in rose.range(WAVES):
        told[j] += rose.sin(10 * time + 2 * math.pi / WAVES * j)
    for k in range(2):
        centre = rose.sum(body[i].x[k] for i in rose.range(n)) / n
        for i in rose.range(n):
            told[4 * i + (WAVES + k)] += 0.05 * (body[i].x[k] - centre)
            told[4 * i + (WAVES + 2 + k)] += 0.05 * body[i].v[k]
        told[WAVES + 4 * n + k] += goal[k] - centre
    return told.value


@fn
def muscles(weights: Weights, told: Vec[INPUTS]) -> Vec[m]:
    """What the network says to each spring, from -1 to 1."""
    w1, b1, w2, b2 = weights.w1, weights.b1, weights.w2, weights.b2
    hidden = rose.vec(rose.tanh(rose.dot(w1[i], told) + b1[i]) for i in rose.range(HIDDEN))
    return rose.vec(rose.tanh(rose.dot(w2[i], hidden) + b2[i]) for i in rose.range(m))


@fn
def pulls(body: Body, said: Vec[m]) -> Vec[n, Point]:
    """What the springs add to the speeds of the masses."""
    all_springs = springs()
    pull = rose.accum([[0.0, 0.0]] * n)
    for k in rose.range(m):
        s = all_springs[k]
        along = [body[s.a].x[i] - body[s.b].x[i] for i in range(2)]
        length = rose.norm(along) + 1e-4
        force = DT * (length - s.length * (1 + s.muscle * said[k])) * s.stiffness / length
        for i in range(2):
            pull[s.a][i] -= force * along[i]
            pull[s.b][i] += force * along[i]
    return pull.value


@fn
def moved(mass: Mass, pull: Point) -> Mass:
    """A mass after a step. On the ground it stays where it is until something lifts it."""
    keep = math.exp(-DT * DAMPING)
    v = [keep * mass.v[0] + pull[0], keep * mass.v[1] + DT * GRAVITY + pull[1]]
    lands = (mass.x[1] + DT * v[1] < GROUND) & (v[1] < -1e-4)
    falls = rose.select(lands, -(mass.x[1] - GROUND) / v[1], 0.0)  # for so long
    after = [rose.select(lands, 0.0, x) for x in v]
    return Mass([mass.x[k] + falls * v[k] + (DT - falls) * after[k] for k in range(2)], after)


@fn
def step(weights: Weights, body: Body, goal: Point, time: Real) -> Body:
    pull = pulls(body, muscles(weights, senses(body, goal, time)))
    return rose.vec(moved(body[i], pull[i]) for i in rose.range(n))


START = [Mass(x, [0.0, 0.0]) for x in MASSES]


def ahead_after(steps: int) -> Fn[..., Any]:
    @fn
    def ahead(weights: Weights, goal: Point) -> Real:
        """How far the goal is ahead of the head in the end, along the ground: below 0 if it lies behind."""
        body = rose.scan(lambda k, body: step(weights, body, goal, DT * k), START, steps)
        return goal[0] - body[0].x[0]

    return ahead


ahead = ahead_after(STEPS)


@fn
def improve(weights: Weights, goal: Point) -> tuple[Real, Weights]:
    """How far the head is from the goal, and better weights: a step of gradient descent, always as long."""
    value, slope = rose.value_and_grad(ahead)(weights, goal)
    squares = [rose.norm(x) ** 2 for x in (slope.w1, slope.b1, slope.w2, slope.b2)]
    rate = RATE * rose.sign(value) / (rose.sqrt(sum(squares)) + 1e-6)

    def row(w, g):
        return rose.vec(w[i] - rate * g[i] for i in rose.range(len(w)))

    def rows(w, g):
        return rose.vec(row(w[i], g[i]) for i in rose.range(len(w)))

    w, g = weights, slope
    return rose.abs(value), Weights(rows(w.w1, g.w1), row(w.b1, g.b1), rows(w.w2, g.w2), row(w.b2, g.b2))


@fn
def replay(weights: Weights, goal: Point) -> Vec[STEPS // 4 + 1, Vec[2 * n]]:
    """Where the masses are, at first and after each four steps: a picture for each sixtieth of a second."""

    def turn(k, body):
        after = rose.scan(lambda i, body: step(weights, body, goal, DT * (4 * k + i)), body, 4)
        return after, rose.vec(body[i // 2].x[i % 2] for i in rose.range(2 * n))

    return rose.scan(turn, START, STEPS // 4 + 1)[1]


@fn
def newborn(seed: Real) -> Weights:
    """Weights at random from a seed, an integer above 0: the numbers of Park and Miller's generator."""

    def matrix(state, rows, columns, scale):
        def number(_, state):
            state = rose.fmod(16807 * state, 2147483647)
            return state, scale * (2 * state / 2147483647 - 1)

        return rose.scan(lambda _, state: rose.scan(number, state, columns), state, rows)

    state, w1 = matrix(seed, HIDDEN, INPUTS, 2 * math.sqrt(6 / (INPUTS + HIDDEN)))
    _, w2 = matrix(state, m, HIDDEN, 3 * math.sqrt(6 / (HIDDEN + m)))
    return Weights(w1, [0.0] * HIDDEN, w2, [0.0] * m)


if __name__ == "__main__":
    module, goal = rose.compile(improve, newborn), [0.9, 0.2]
    weights, least = module.newborn(2), math.inf
    for k in range(51):
        value, weights = module(weights, goal)
        least = min(least, value)
        if k % 25 == 0:
            print(f"{k:2} steps: {least:.3f} from the goal")
