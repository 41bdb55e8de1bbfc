"""The programs of `sparse.py`: in our language, and the data that the same in another tool starts from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rose
from rose import Fin, Fn, Real, Vec


@dataclass(frozen=True)
class Program:
    """A function, of which the second derivatives are wanted, or the first; a point; and the data in it."""

    name: str
    source: str  # the name in the other tool
    f: Fn[..., Any]
    point: Any
    hessian: bool = False
    data: dict[str, Any] = field(default_factory=dict)


def rosenbrock(n: int) -> Program:
    """The chained Rosenbrock function: a tridiagonal Hessian."""

    def f(x: Any) -> Any:
        return rose.sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in rose.range(n - 1))

    point = np.random.default_rng(0).uniform(-1.5, 1.5, n)
    return Program(f"Rosenbrock, {n:,}", "rosenbrock", rose.fn([Vec[n]], Real)(f), point, hessian=True)


def bratu(n: int) -> Program:
    """A reaction with diffusion, on a square of `n` points to a side: five entries in a row."""
    t = Vec[n, Vec[n]]

    def f(u: Any) -> Any:
        def residual(i: Any, j: Any) -> Any:
            down = rose.select(i < n - 1, u[(i + 1) % n][j], 0.0)
            right = rose.select(j < n - 1, u[i][(j + 1) % n], 0.0)
            up, left = (
                rose.select(i > 0, u[(i + (n - 1)) % n][j], 0.0),
                rose.select(j > 0, u[i][(j + (n - 1)) % n], 0.0),
            )
            return up + down + left + right - 4.0 * u[i][j] + 0.02 * rose.exp(u[i][j])

        return rose.vec(rose.vec(residual(i, j) for j in rose.range(n)) for i in rose.range(n))

    point = np.random.default_rng(1).uniform(0.0, 1.0, (n, n))
    return Program(f"Bratu, {n} x {n}", "bratu", rose.fn([t], t)(f), point, data={"n": n})


def bundle(cameras: int, points: int, seen: int, *, hessian: bool = False) -> Program:
    """The residuals of a bundle adjustment, or the Hessian of their squares.

    A camera turns by small angles, moves, and has a focal length and a distortion.
    """
    rng = np.random.default_rng(2)
    which, where = rng.integers(0, cameras, seen).tolist(), rng.integers(0, points, seen).tolist()
    found = rng.normal(size=(seen, 2)).tolist()
    n = 8 * cameras + 3 * points

    def project(x: Any, c: Any, p: Any) -> Any:
        cam, pt = [x[8 * c + k] for k in range(8)], [x[8 * cameras + 3 * p + k] for k in range(3)]
        turned = [
            pt[0] + cam[1] * pt[2] - cam[2] * pt[1] + cam[3],
            pt[1] + cam[2] * pt[0] - cam[0] * pt[2] + cam[4],
            pt[2] + cam[0] * pt[1] - cam[1] * pt[0] + cam[5] + 5.0,
        ]
        u, v = turned[0] / turned[2], turned[1] / turned[2]
        scale = cam[6] * (1.0 + cam[7] * (u * u + v * v))
        return u * scale, v * scale

    def f(x: Any) -> Any:
        camera, point = rose.constant(Vec[seen, Fin[cameras]], which), rose.constant(Vec[seen, Fin[points]], where)
        goal = rose.constant(Vec[seen, Vec[2]], found)

        def residual(k: Any) -> Any:
            u, v = project(x, camera[k], point[k])
            return [u - goal[k][0], v - goal[k][1]]

        return rose.vec(residual(k) for k in rose.range(seen))

    data = {"cameras": cameras, "which": which, "where": where, "found": found}
    name = f"{cameras} cameras, {points} points, {seen} seen"
    residuals = rose.fn([Vec[n]], Vec[seen, Vec[2]])(f)
    if not hessian:
        return Program(f"bundle, {name}", "bundle", residuals, 0.3 * rng.normal(size=n), data=data)

    def squares(x: Any) -> Any:
        r = residuals(x)
        return rose.sum(r[k][0] ** 2 + r[k][1] ** 2 for k in rose.range(seen))

    return Program(
        f"squares, {name}", "squares", rose.fn([Vec[n]], Real)(squares), 0.3 * rng.normal(size=n), True, data
    )


def programs() -> list[Program]:
    bundles = bundle(10, 200, 1_000), bundle(6, 40, 150, hessian=True)
    return [rosenbrock(1_000), rosenbrock(10_000), bratu(50), *bundles]
