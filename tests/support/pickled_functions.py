"""Functions that are pickled: by name as a module has them, and by value as a notebook has them."""

from __future__ import annotations

from typing import Any

import rose
from rose import Dual, Real, Vec, fn, opaque

n = rose.dim("n")


@rose.struct
class Point:
    x: Real
    y: Real

    def sum(self) -> Any:
        return total(self)  # a function that takes the class of which this is a method


@fn
def total(p: Point) -> Real:
    return p.x + p.y


@fn
def mirrored(p: Point) -> Point:
    return Point(p.sum(), p.x)


@fn
def bump(x: Real, y: Real) -> Real:
    return rose.exp(-x * x) * y


@opaque
def triple(x: Real) -> Real:
    return 3.0 * x


@triple.jvp
def _(x: Any) -> Any:
    return Dual(triple(x.re), 3.0 * x.du)


@fn
def host(x: Real) -> Real:
    return triple(x) + 1.0


@fn
def cube(x: Real) -> Real:
    return x**3


@cube.jvp
def _(x: Any) -> Any:
    return Dual(cube(x.re), 10.0 * x.re * x.re * x.du)  # not the derivative, so that it shows which is taken


@fn
def squares(x: Vec[n]) -> Real:
    return rose.sum(x[i] ** 2 for i in rose.range(n))


@fn(syntax=True)
def plain(x: Real) -> Real:
    if x > 0.0:
        return x * x
    return -x


def scaled(k: float) -> Any:
    @fn
    def times(x: Real) -> Real:
        return k * x * x

    return times


BY_NAME: dict[str, tuple[Any, tuple[Any, ...]]] = {  # functions, and arguments for each
    "bump": (bump, (1.0, 2.0)),
    "mirrored": (mirrored, (Point(1.0, 2.0),)),
    "triple": (triple, (2.0,)),
    "host": (host, (2.0,)),
    "squares": (squares, ([1.0, 2.0],)),
    "plain": (plain, (-2.0,)),
    "squares.at": (squares.at(n=2), ([1.0, 2.0],)),
    "grad(bump)": (rose.grad(bump, (0, 1)), (1.0, 2.0)),
    "hessian(cube)": (rose.hessian(cube), (2.0,)),
    "grad(grad(cube))": (rose.grad(rose.grad(cube)), (2.0,)),
    "grad(host)": (rose.grad(host), (2.0,)),
    "grad(squares)": (rose.grad(squares), ([1.0, 2.0],)),
    "grad(squares.at)": (rose.grad(squares).at(n=2), ([1.0, 2.0],)),
    "hvp(squares)": (rose.hvp(squares), ([1.0, 2.0], [1.0, 0.0])),
    "sparse": (rose.jacobian(rose.grad(squares.at(n=2)), sparse=True), ([1.0, 2.0],)),
    "value_and_grad(plain)": (rose.value_and_grad(plain), (2.0,)),
    "newton(bump)": (rose.lib.newton(plain), (2.0,)),
}
BY_VALUE: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "scaled": (scaled(3.0), (2.0,)),
    "grad(scaled)": (rose.grad(scaled(2.0)), (2.0,)),
    "lambda": (rose.fn([Real], Real)(lambda x: x * x), (3.0,)),
}
