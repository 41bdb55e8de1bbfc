"""Smoke in a wind on a torus, and the slope of the wind that is to blow it into a shape.

After autograd's example `fluidsim`: each step moves everything along the wind, from where it came (semi-Lagrangian
advection), and takes out of the wind what would compress the air (a projection, by a few iterations).
"""

import numpy as np

import rose
from rose import Real, Vec, fn

ROWS, COLUMNS, STEPS, ITERATIONS = 6, 8, 4, 5


@rose.struct
class Wind:
    down: Vec[ROWS, COLUMNS]
    right: Vec[ROWS, COLUMNS]


def neighbours(x: Vec[ROWS, COLUMNS], axis: int) -> tuple[Vec[ROWS, COLUMNS], Vec[ROWS, COLUMNS]]:
    """What lies before and after each cell."""
    return np.roll(x, 1, axis=axis), np.roll(x, -1, axis=axis)


@fn
def projected(wind: Wind) -> Wind:
    """The wind without what flows into cells, or out of them: less the slope of a pressure."""
    above, below = neighbours(wind.down, 0)
    left, right = neighbours(wind.right, 1)
    sources = -0.5 * (below - above + right - left)
    pressure = np.zeros((ROWS, COLUMNS))
    for _ in range(ITERATIONS):
        pressure = (sources + sum(neighbours(pressure, 0)) + sum(neighbours(pressure, 1))) / 4
    above, below = neighbours(pressure, 0)
    left, right = neighbours(pressure, 1)
    return Wind(wind.down - 0.5 * (below - above), wind.right - 0.5 * (right - left))


@fn
def advected(x: Vec[ROWS, COLUMNS], wind: Wind) -> Vec[ROWS, COLUMNS]:
    """What each cell holds after a step: what was, between four cells, where the wind comes from."""
    i, j = np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij")
    row, column = i - wind.down, j - wind.right
    top, left = np.floor(row).astype(int), np.floor(column).astype(int)
    low, far = row - top, column - left
    top, bottom = top % ROWS, (top + 1) % ROWS
    left, right = left % COLUMNS, (left + 1) % COLUMNS
    upper = (1 - far) * x[top, left] + far * x[top, right]
    lower = (1 - far) * x[bottom, left] + far * x[bottom, right]
    return (1 - low) * upper + low * lower


@fn
def blown(smoke: Vec[ROWS, COLUMNS], wind: Wind) -> Vec[ROWS, COLUMNS]:
    for _ in range(STEPS):
        wind = projected(Wind(advected(wind.down, wind), advected(wind.right, wind)))
        smoke = advected(smoke, wind)
    return smoke


@fn
def distance(wind: Wind, smoke: Vec[ROWS, COLUMNS], target: Vec[ROWS, COLUMNS]) -> Real:
    return ((blown(smoke, wind) - target) ** 2).mean()


rng = np.random.RandomState(0)
start = Wind(0.6 * rng.randn(ROWS, COLUMNS), 0.6 * rng.randn(ROWS, COLUMNS))
smoke, target = rng.rand(ROWS, COLUMNS), np.zeros((ROWS, COLUMNS))
target[1:4, 2:6] = 1

if __name__ == "__main__":
    slope = rose.grad(distance)(start, smoke, target)
    print(
        f"distance: {distance(start, smoke, target):.6f}, by the first wind: {np.asarray(slope.down)[0, :3].round(6)}"
    )
