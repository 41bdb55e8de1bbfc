"""What users write, which pyright and mypy take, both as strict as they can be. It is read by them, and run."""

from collections.abc import Callable
from typing import TypeAlias, assert_type

import numpy as np

import rose
from rose import Bool, Dual, Fin, Fn, Real, Vec, fn
from rose import functional as F

n, m = 3, 2
k = rose.dim("k")
Point: TypeAlias = Vec[m]


@rose.struct
class Line:
    slope: Real
    at_zero: Point

    def at(self, x: Real) -> Vec[m]:
        return self.slope * x + self.at_zero


@fn
def loss(line: Line, x: Vec[n, Vec[m]], y: Vec[n, m], which: Fin[n], there: Bool) -> Real:
    total = rose.accum(0.0)
    for i in rose.range(n):
        total += rose.sum(((y[i] - line.at(x[i, 0])) ** 2)[j] for j in rose.range(m))
    return rose.select(there, rose.exp(-x[which, 1]), 0.0) + total.value + which / 2


@fn
def waves(x: Vec[k], a: Real) -> Vec[k]:
    part = np.exp(-x) * rose.sin(a * x)[::-1] + rose.dot(x, x) / k
    first: Real = rose.exp(x)[0] + rose.exp(a)
    return (
        first + rose.where((part > 0) & ~(x < a), part, rose.atan2(a, x)) + rose.vec(x[i] ** 2 for i in rose.range(k))
    )


@fn
def pair(a: Real, b: Real) -> Vec[2]:
    if n == 3:
        return [a, rose.cond(a < b, lambda: a, lambda: b)]
    return rose.matmul([[a, 0], [0, b]], [a, b])


@fn
def root(x: Real) -> Real:
    return rose.sqrt(x) if n else abs(x)


@root.jvp
def root_rule(x: Dual) -> Dual:
    return Dual(root(x.re), x.du / (2 * root(x.re)))


Curve: TypeAlias = F.Map[Real, Real]
grid = F.Grid.gauss_legendre(0.0, 1.0, 5)


@F.functional
def length(y: Curve) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2), grid)


@F.functional
def composed(y: F.Map[Real, Real], k: F.Map[Real, Real, Real]) -> Curve:
    twice = 2 * y(y) - rose.exp(-y) / y
    return (k.on(grid, grid) @ twice + pointed(y, twice, share_inputs=True)) ** 2


@fn
def pointed(x: Real, y: Real) -> Real:
    return x * y


@fn
def sine(x: Real) -> Real:
    return rose.sin(x)


@fn
def valley(p: Vec[m]) -> Real:
    return (p[0] - 1) ** 2 + p[1] ** 2


@fn
def lowest(start: Vec[m]) -> rose.lib.Minimum[Vec[m]]:
    found: rose.lib.Minimum[Vec[m]] = rose.lib.newton(valley)(start)
    assert_type(found.value, float)
    return found


arc: float = length(sine)
arc = length(rose.exp(sine) + 2 * sine)
steep: float = rose.grad(length)(sine)(0.5) + F.nabla(rose.tanh(sine))(0.5)
there: float = rose.grad(length)(sine * sine)(0.5) + composed(sine, pointed)(0.5)


def repeated(f: Fn[[Real], Real], times: int) -> Callable[[Real], Real]:
    return f if times == 0 else repeated(rose.grad(f), times - 1)


slope: float = rose.grad(root)(2.0)
value, gradient = rose.value_and_grad(loss)(Line(1, [0, 1]), np.ones((n, m)), [[1, 2]] * n, 1, True)
assert_type(value, Real)
assert gradient.at_zero.shape == (m,)
y, back = rose.vjp(waves)(np.array([1.0, 2.0]), 0.5)
assert len(back(y)) == len(rose.jacobian(pair)(1, b=2)) == len(rose.compile(waves, k=2)([1, 2], 3)) == 2
assert rose.jvp(root)(Dual(4.0, 1.0)).du == repeated(root, 1)(4.0) == 0.25
assert rose.linearize(pair)(1, 2)[0].tolist() == pair(1, 2).tolist() == [1, 1]
assert abs(lowest([3.0, 4.0]).x[0] - 1.0) < 1e-9
