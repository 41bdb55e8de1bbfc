"""The programs: what each of them compiles, by the name of its page."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

import rose
from rose import Fin, Fn, Real, Vec, fn, linalg, nn
from rose import functional as F
from rose.implicit import ode

n, m = rose.dim("n"), rose.dim("m")


@fn
def valley(x: Vec[2]) -> Real:
    """Rosenbrock's function."""
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


line = F.Grid.gauss_legendre(0.0, 1.0, 50)


@F.functional
def length(y: F.Map[Real, Real]) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2), line)


@fn
def curve(x: Real) -> Real:
    return rose.sin(x)


@fn
def regression(w: Vec[8], x: Vec[100, 8], y: Vec[100]) -> Real:
    r = np.tanh(x @ w) - y
    return (r**2).mean() + 0.1 * np.abs(w).sum()


@fn
def fitted(w: Vec[m], x: Vec[n, Vec[m]], y: Vec[n]) -> Real:
    return rose.sum((rose.dot(x[i], w) - y[i]) ** 2 for i in rose.range(n)) / n


@fn
def solve(a: Vec[8, Vec[8]], b: Vec[8]) -> Vec[8]:
    return linalg.solve(a, b)


@fn
def energy(a: Vec[8, Vec[8]], b: Vec[8]) -> Real:
    return rose.dot(b, linalg.solve(a, b))


@fn
def hunt(t: Real, y: Vec[2], p: Vec[4]) -> Vec[2]:
    """Lotka and Volterra's equations."""
    return [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]


@fn
def distance(p: Vec[4], data: Vec[10, Vec[2]]) -> Real:
    path = ode(hunt, 0.0, [0.5 * (k + 1) for k in range(10)], [1.0, 1.0], p)
    return rose.sum((path[i][j] - data[i][j]) ** 2 for i in rose.range(10) for j in rose.range(2))


@rose.struct
class Images:
    kernel: Vec[3, 3, 1, 8]
    weights: Vec[8 * 14 * 14, 10]
    bias: Vec[10]


@fn
def digits(net: Images, images: Vec[8, 28, 28, 1]) -> Vec[8, 10]:
    x = nn.max_pool(nn.relu(nn.conv2d(images, net.kernel, padding="same")), 2)
    return nn.dense(x.reshape(8, -1), net.weights, net.bias)


@fn
def digits_loss(net: Images, images: Vec[8, 28, 28, 1], labels: Vec[8, Fin[10]]) -> Real:
    return rose.mean(nn.cross_entropy(digits(net, images), labels))


@fn
def train_digits(net: Images, x: Vec[8, 28, 28, 1], y: Vec[8, Fin[10]], rate: Real) -> Images:
    g = rose.grad(digits_loss)(net, x, y)
    return Images(net.kernel - rate * g.kernel, net.weights - rate * g.weights, net.bias - rate * g.bias)


def programs() -> dict[str, dict[str, Fn[..., Any]]]:
    """The functions of each page, by its name."""
    asked = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "asked.py"))
    return {
        "valley": {"valley": valley, "slope": rose.grad(valley)},
        "functional": {"slope": rose.grad(length)(curve)},
        "arrays": {"loss": regression, "slope": rose.grad(regression)},
        "any size": {"loss": fitted, "slope": rose.grad(fitted)},
        "solve": {"solve": solve, "slope": rose.grad(energy)},
        "delta": {"hand": asked["hand"], "moves": asked["moves"]},
        "fit": {"fit": asked["fit"]},
        "ode": {"distance": distance, "slope": rose.grad(distance)},
        "network": {"train": asked["train"], "logits": asked["logits"]},
        "images": {"train": train_digits, "logits": digits},
    }
