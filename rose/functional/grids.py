"""Grids: the nodes and weights of a quadrature rule, over which one argument of a function is integrated."""

from __future__ import annotations

import math
import random
from operator import index
from typing import Any

from ..errors import OutOfRange, TypeMismatch, edge, here
from ..frontend.annotations import as_type
from ..frontend.values import infer, is_traced
from ..host.marshal import is_listing, plain
from ..ir import Value, current_builder, shown
from ..ir.forms import form_of
from ..ir.numbers import as_number
from ..ir.types import Real, Type, Vec
from ..ir.value import host_index

Node = Any  # a number; nested tuples of numbers, for a point, a matrix or a struct


class Grid:
    """Nodes and weights of one argument: the integral of `f` is the sum of `w * f(x)` over them.

    `nodes` is a list of numbers; of points, lists of d numbers, for an argument of type `Vec[d]`, or arrays of more
    axes; or of structs. `weights` has one number for each, in the units of the argument (of its volume, for points). In
    a program both may be traced, vectors or lists of what the program computes, such as an adaptive rule, and are
    differentiated with it.
    """

    nodes: Any  # a list of `Node`s, or a traced vector
    weights: Any
    type: Type  # of a node

    @edge
    def __init__(self, nodes: Any, weights: Any) -> None:
        if is_traced(nodes) or is_traced(weights):
            self._of_traced(infer(nodes), infer(weights))
            return
        points = _items(nodes, "nodes")
        self.weights = [as_number(w, here()) for w in _items(weights, "weights")]
        types = list(dict.fromkeys(map(_type_of, points))) or [Real]
        if len(types) > 1:
            raise TypeMismatch("the nodes of a grid differ in dimension", here(), "give points of one dimension")
        (self.type,) = types
        self.nodes = [plain(x, self.type, ("a node",), here()) for x in points]
        self.size = len(points)
        self._check(len(self.weights))

    def _of_traced(self, nodes: Value, weights: Value) -> None:
        of, by = nodes.type, weights.type
        node = of.elem if isinstance(of, Vec) else None
        if not isinstance(of, Vec) or node is None or not node.real or not isinstance(by, Vec) or by.elem is not Real:
            what = f"the nodes and the weights of a grid are vectors of numbers, not a {of!r} and a {by!r}"
            raise TypeMismatch(what, here(), "give one number, or point, and one weight for each node")
        self.nodes, self.weights, self.type, self.size = nodes, weights, node, of.size
        self._check(by.size)

    def _check(self, weights: Any) -> None:
        if self.size != weights:
            what = f"a grid has {self.size} nodes and {weights} weights"
            raise TypeMismatch(what, here(), "give one weight for each node")

    @property
    def values(self) -> tuple[Value, Value]:
        """The nodes and the weights, in the function that is being traced."""
        if isinstance(self.nodes, Value):
            return self.nodes, self.weights
        b = current_builder()
        return b.const(tuple(self.nodes), Vec(self.size, self.type)), b.const(tuple(self.weights), Vec(self.size, Real))

    def __len__(self) -> int:
        return index(self.size)

    def __repr__(self) -> str:
        return f"<grid of {self.size} nodes, each a {self.type!r}>"

    @classmethod
    @edge
    def trapezoid(cls, a: float, b: float, n: int) -> Grid:
        """The trapezoidal rule on [a, b] with `n` equidistant nodes, both ends among them."""
        n = _count(n, "trapezoid", 2)
        h = (b - a) / (n - 1)
        return cls(_equidistant(a, b, n), [h / 2.0 if k in (0, n - 1) else h for k in range(n)])

    @classmethod
    @edge
    def simpson(cls, a: float, b: float, n: int) -> Grid:
        """Simpson's rule on [a, b] with `n` equidistant nodes; `n` is odd."""
        if _count(n, "simpson", 3) % 2 == 0:
            raise OutOfRange(f"Simpson's rule has an odd number of nodes, not {n}", here(), f"write {n + 1}")
        h = (b - a) / (n - 1) / 3.0
        return cls(_equidistant(a, b, n), [h * (1 if k in (0, n - 1) else 4 if k % 2 else 2) for k in range(n)])

    @classmethod
    @edge
    def gauss_legendre(cls, a: float, b: float, n: int) -> Grid:
        """Gauss's rule on [a, b] with `n` nodes, which is exact for polynomials of degree 2n - 1.

        Source of the formula for the weights: Abramowitz and Stegun, 25.4.29.
        """
        n = _count(n, "gauss_legendre", 1)
        both = [_root_of_legendre(n, k) for k in range(n)]
        half, middle = (b - a) / 2.0, (a + b) / 2.0
        nodes = [middle + half * x for x, _ in both]
        return cls(nodes, [2.0 * half / ((1.0 - x * x) * slope * slope) for x, slope in both])

    @classmethod
    @edge
    def chebyshev(cls, a: float, b: float, n: int) -> Grid:
        """Fejer's first rule on [a, b]: `n` roots of a Chebyshev polynomial, which crowd at the ends.

        Source of the formula for the weights: J. Waldvogel, BIT 46 (2006), equation 1.5.
        """
        n = _count(n, "chebyshev", 1)
        half, middle = (b - a) / 2.0, (a + b) / 2.0
        angles = [math.pi * (2 * k + 1) / (2 * n) for k in reversed(range(n))]
        weights = [_fejer(t, n) for t in angles]
        return cls([middle + half * math.cos(t) for t in angles], [half * w for w in weights])

    @classmethod
    @edge
    def monte_carlo(cls, a: float, b: float, n: int, *, seed: int) -> Grid:
        """`n` nodes drawn from [a, b] at random, all of one weight; the same ones for the same seed."""
        n = _count(n, "monte_carlo", 1)
        draw = random.Random(seed)
        return cls([a + (b - a) * draw.random() for _ in range(n)], [(b - a) / n] * n)

    @edge
    def __mul__(self, other: Any) -> Grid:
        """The product of two grids: the points `(x, y)` of one argument of more dimensions."""
        if not isinstance(other, Grid):
            raise TypeMismatch(f"a grid is multiplied by a grid, not by {shown(other)}", here(), "write line * line")
        if isinstance(self.nodes, Value) or isinstance(other.nodes, Value):
            hint = "integrate over one argument after another: F.integrate(f, (x, y))"
            raise TypeMismatch("grids whose nodes are traced are not multiplied", here(), hint)
        if not _is_point(self.type) or not _is_point(other.type):
            what = f"grids of a {self.type!r} and a {other.type!r} are not multiplied: only numbers and points are"
            raise TypeMismatch(what, here(), "integrate over one argument after another: F.integrate(f, (x, y))")
        nodes = [(*_coordinates(x), *_coordinates(y)) for x in self.nodes for y in other.nodes]
        return Grid(nodes, [v * w for v in self.weights for w in other.weights])


def _is_point(t: Type) -> bool:
    return t is Real or (isinstance(t, Vec) and t.elem is Real)


def _coordinates(x: Node) -> tuple[float, ...]:
    return x if isinstance(x, tuple) else (x,)  # pyright: ignore[reportUnknownVariableType]


def _items(xs: Any, what: str) -> list[Any]:
    given = xs.tolist() if hasattr(xs, "tolist") else xs
    if not is_listing(given):
        raise TypeMismatch(f"the {what} of a grid are a list, not {shown(xs)}", here(), f"give a list of {what}")
    return list(given)


def _type_of(x: Any) -> Type:
    """The type of a node: of its class, if that is a struct."""
    if is_listing(x):
        return Vec(len(x), _type_of(x[0]) if len(x) else Real)
    return Real if form_of(x.__class__) is None else as_type(x.__class__)


def _count(n: Any, what: str, least: int) -> int:
    k = host_index(n)
    if k is None or k < least:
        kind = TypeMismatch if k is None else OutOfRange
        raise kind(f"Grid.{what} takes {least} nodes or more, not {shown(n)}", here(), f"write {least} or more")
    return k


def _equidistant(a: float, b: float, n: int) -> list[float]:
    return [a + (b - a) * k / (n - 1) for k in range(n)]


def _root_of_legendre(n: int, k: int) -> tuple[float, float]:
    """The root number `k`, from below, of Legendre's polynomial of degree `n`, and its slope there: by Newton."""
    x = -math.cos(math.pi * (k + 0.75) / (n + 0.5))
    for _ in range(100):
        value, slope = _legendre(n, x)
        step = value / slope
        x -= step
        if abs(step) < 1e-15:
            break
    return x, _legendre(n, x)[1]


def _legendre(n: int, x: float) -> tuple[float, float]:
    """Legendre's polynomial of degree `n` at `x`, and its slope: by the recurrence in three terms."""
    before, now = 1.0, x
    for k in range(2, n + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
    return now, n * (x * now - before) / (x * x - 1.0)


def _fejer(t: float, n: int) -> float:
    terms = [math.cos(2 * j * t) / (4 * j * j - 1) for j in range(1, n // 2 + 1)]
    return 2.0 / n * (1.0 - 2.0 * math.fsum(terms))
