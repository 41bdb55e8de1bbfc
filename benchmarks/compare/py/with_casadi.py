"""CasADi's SX: graphs of scalars, in its virtual machine. Every loop is unrolled; `scan` is its `mapaccum`."""

from __future__ import annotations

import arrays
import casadi as ca
import numpy as np


def rows(flat, width):
    return [[flat[k + j] for j in range(width)] for k in range(0, len(flat), width)]


def least_squares(p, b):
    n, m = p["sizes"]["N"], p["sizes"]["M"]
    given = [ca.SX.sym(name, len(xs)) for name, xs in zip("xy", p["data"], strict=False)]
    x, y = given or [ca.DM(p["tables"]["x"]), ca.DM(p["tables"]["y"])]
    return ca.sumsqr(y - b[0] - ca.mtimes(ca.reshape(x, m, n).T, b[1:])), given


def rosenbrock(_, x):
    return ca.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2), []


def springs(p, flat):
    n = p["sizes"]["N"]
    points = ca.reshape(flat, 2, n + 1)
    d = points[:, 1:] - points[:, :-1]
    return 25.0 * ca.sumsqr(ca.sqrt(ca.sum1(d * d)) - 0.1) + 0.02 * 9.81 * ca.sum2(points[1, :]), []


def nbody(p, flat):
    mass, x = p["tables"]["mass"], [ca.vertcat(*r) for r in rows(ca.vertsplit(flat), 3)]
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    return -ca.sum1(ca.vertcat(*[mass[i] * mass[j] / ca.sqrt(ca.sumsqr(x[i] - x[j]) + 0.01) for i, j in pairs])), []


def network(p, w):
    n, h = p["sizes"]["N"], p["sizes"]["H"]
    x, y = ca.SX.sym("x", 2 * n), ca.SX.sym("y", n)
    at = 0

    def take(columns, count):
        nonlocal at
        at += columns * count
        return ca.reshape(w[at - columns * count : at], columns, count).T

    first = ca.tanh(ca.mtimes(take(2, h), ca.reshape(x, 2, n)) + take(1, h))
    second = ca.tanh(ca.mtimes(take(h, h), first) + take(1, h))
    out = ca.mtimes(take(1, h).T, second) + take(1, 1)
    return ca.sumsqr(out.T - y) / n, [x, y]


def calls(p, s):
    s = ca.vertsplit(s)
    for _ in range(p["sizes"]["N"]):
        s = arrays.step(ca, s)
    return (s[0] - 0.3) ** 2 + (s[1] + 0.8) ** 2, []


def scan(p, _):
    s = ca.SX.sym("s", 4)
    many = ca.Function("step", [s], [ca.vertcat(*arrays.step(ca, ca.vertsplit(s)))]).mapaccum("many", p["sizes"]["N"])
    at = ca.MX.sym("s", 4)
    end = many(at)[:, -1]
    return (end[0] - 0.3) ** 2 + (end[1] + 0.8) ** 2, [], at


def terms(p, flat):
    n, x = p["sizes"]["N"], [ca.vertcat(*r) for r in rows(ca.vertsplit(flat), 2)]
    total = 0
    for k, (i, j) in enumerate(zip(p["tables"]["one"], p["tables"]["two"], strict=True)):
        d = x[j] - x[i]
        s = ca.sumsqr(d)
        kinds = [(ca.sqrt(s) - 1) ** 2, 1 / (s + 0.1), ca.fmax(0.2 - d[1], 0) ** 2, ca.exp(-s)]
        total += kinds[k // n]
    return total, []


def ready(make, second=False):
    """A function of CasADi's, called with arrays of NumPy's, with arrays for its results."""

    def of(p):
        x = ca.SX.sym("x", len(p["params"]))
        value, given, *at = make(p, x)
        x = at[0] if at else x
        derivative = ca.hessian(value, x)[0] if second else ca.gradient(value, x)
        f = ca.Function("f", [x, *given], [value, ca.densify(derivative)])

        def call(*args):
            y, g = f(*args)
            return float(y), g.full()

        return call, [np.array(xs) for xs in (p["params"], *p["data"])]

    return of


FORMS = {
    "least_squares": {"loop": ready(least_squares)}, "rosenbrock": {"unrolled": ready(rosenbrock)},
    "springs": {"unrolled": ready(springs)}, "nbody": {"pairs": ready(nbody)}, "network": {"unrolled": ready(network)},
    "oscillator": {"calls": ready(calls), "scan": ready(scan)}, "hessian": {"unrolled": ready(rosenbrock, True)},
    "terms": {"calls": ready(terms)},
}  # fmt: skip
