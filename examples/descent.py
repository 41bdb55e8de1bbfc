"""The least value of a function, by gradient descent with a step that adapts: a plain `while`.

How many iterations it takes depends on the numbers. It is a function of the language itself, so what it finds can be
differentiated in anything that the function depends on, in either mode: `saddle.py` and `particle.py` do.
"""

from collections.abc import Callable
from typing import Any

import rose
from rose import Fn, Vec, fn

forward = rose.jacfwd  # the gradient by forward mode, once for each coordinate
reverse = rose.grad  # the gradient by reverse mode


def minimiser(f: Fn[..., Any], gradient: Callable[[Any], Any], n: int) -> Fn[..., Any]:
    """A function from a start to where the least value of `f`, of `n` numbers, is found from there."""
    slope = gradient(f)
    minus = lambda x, y: rose.vec(x[i] - y[i] for i in rose.range(n))
    stepped = lambda x, rate, down: rose.vec(x[i] - rate * down[i] for i in rose.range(n))

    @fn(syntax=True)
    def argmin(x: Vec[n]) -> Vec[n]:
        least, down = f(x), slope(x)
        rate, gains = 1e-5, 0
        there = stepped(x, rate, down)
        while (rose.norm(down) > 1e-5) & (rose.norm(minus(x, there)) > 1e-5):
            value = f(there)
            if value < least:
                x, least, down, gains = there, value, slope(there), gains + 1
            else:
                rate, gains = rate / 2, 0
            rate, gains = rose.select(gains == 10, 2 * rate, rate), rose.select(gains == 10, 0, gains)
            there = stepped(x, rate, down)
        return x

    return argmin


if __name__ == "__main__":
    valley = fn([Vec[2]], rose.Real)(lambda v: (v[0] - 1) ** 2 + 10 * (v[1] + 2) ** 2)
    print("from (0, 0) to ({:.4f}, {:.4f})".format(*minimiser(valley, reverse, 2)([0, 0])))
