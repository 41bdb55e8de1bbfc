"""The programs over arrays, for tools that have NumPy's functions, which are `np` here.

Each makes, of a program, the function of the parameters as one row of numbers, and its other arguments.
"""

from __future__ import annotations

from functools import partial


def least_squares(np, p):
    n, m = p["sizes"]["N"], p["sizes"]["M"]
    given = p["data"] or [p["tables"]["x"], p["tables"]["y"]]

    def loss(b, x, y):
        return np.sum((y - b[0] - np.reshape(x, (n, m)) @ b[1:]) ** 2)

    if p["data"]:
        return loss, given
    x, y = (np.array(xs) for xs in given)
    return (lambda b: loss(b, x, y)), []


def rosenbrock(np, _):
    return (lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)), []


def springs(np, _):
    def energy(flat):
        p = np.reshape(flat, (-1, 2))
        d = p[1:] - p[:-1]
        return 25.0 * np.sum((np.sqrt(np.sum(d * d, 1)) - 0.1) ** 2) + 0.02 * 9.81 * np.sum(p[:, 1])

    return energy, []


def every(np, p):
    mass = np.array(p["tables"]["mass"])
    own = sum(m * m for m in p["tables"]["mass"]) / 0.01**0.5

    def energy(flat):
        x = np.reshape(flat, (-1, 3))
        d = x[:, None] - x[None, :]
        return 0.5 * (own - np.sum(mass[:, None] * mass[None, :] / np.sqrt(np.sum(d * d, 2) + 0.01)))

    return energy, []


def pairs(np, p):
    n = p["sizes"]["N"]
    one = np.array([i for i in range(n) for _ in range(i)])
    two = np.array([j for i in range(n) for j in range(i)])
    mass = np.array(p["tables"]["mass"])
    products = mass[one] * mass[two]

    def energy(flat):
        x = np.reshape(flat, (-1, 3))
        d = x[one] - x[two]
        return -np.sum(products / np.sqrt(np.sum(d * d, 1) + 0.01))

    return energy, []


def network(np, p):
    h = p["sizes"]["H"]

    def loss(w, x, y):
        at = 0

        def take(*shape):
            nonlocal at
            size = shape[0] * (shape[1] if len(shape) > 1 else 1)
            at += size
            return np.reshape(w[at - size : at], shape)

        first = np.tanh(np.reshape(x, (-1, 2)) @ take(h, 2).T + take(h))
        second = np.tanh(first @ take(h, h).T + take(h))
        return np.mean((second @ take(h) + take(1) - y) ** 2)

    return loss, p["data"]


def calls(np, p):
    def missed(s):
        for _ in range(p["sizes"]["N"]):
            s = step(np, s)
        return (s[0] - 0.3) ** 2 + (s[1] + 0.8) ** 2

    return missed, []


def terms(np, p):
    n = p["sizes"]["N"]
    one, two = (np.array(p["tables"][k]) for k in ("one", "two"))

    def penalty(flat):
        x = np.reshape(flat, (-1, 2))
        d = x[two] - x[one]
        s = np.sum(d * d, 1)
        near, apart = np.sum((np.sqrt(s[:n]) - 1) ** 2), np.sum(1 / (s[n : 2 * n] + 0.1))
        above = np.sum(np.maximum(0.2 - d[2 * n : 3 * n, 1], 0 * d[2 * n : 3 * n, 1]) ** 2)
        return near + apart + above + np.sum(np.exp(-s[3 * n :]))

    return penalty, []


MADE = {
    "least_squares": {"loop": least_squares}, "rosenbrock": {"loop": rosenbrock}, "springs": {"loop": springs},
    "nbody": {"all": every, "pairs": pairs}, "network": {"loop": network}, "oscillator": {"calls": calls},
    "hessian": {"loop": rosenbrock}, "terms": {"loop": terms},
}  # fmt: skip


def functions(np):
    """By source and form: from a program to its function of the parameters and the rest, and that rest."""
    return {source: {form: partial(f, np) for form, f in forms.items()} for source, forms in MADE.items()}


def step(np, s):
    """One step of the oscillator, from four numbers to four numbers."""
    x, y, u, v = s
    drag = 0.05 * np.sqrt(u * u + v * v + 1e-12)
    u, v = u + 0.01 * (-1.3 * x - drag * u), v + 0.01 * (-1.3 * y - drag * v - 1.0)
    return x + 0.01 * u, y + 0.01 * v, u, v
