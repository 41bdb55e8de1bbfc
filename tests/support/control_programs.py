"""Functions of a few numbers to one, made of `cond`, `scan` and `while_loop`: each a case for many laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import rose
from rose import Bool, Fin, Real, Vec


class Case(NamedTuple):
    """A function of a vector of numbers, where to take it, and a number that it has there, if one is known."""

    name: str
    body: Callable[[Any], Any]
    at: tuple[float, ...]
    value: float | None = None

    @property
    def fn(self) -> rose.Fn[..., Any]:
        return rose.fn([Vec[len(self.at)]], Real)(self.body)


CASES: list[Case] = []


def case(*at: float, value: float | None = None) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    def register(body: Callable[[Any], Any]) -> Callable[[Any], Any]:
        CASES.append(Case(body.__name__, body, at, value))
        return body

    return register


@rose.struct
class Point:
    x: Real
    y: Real


@rose.struct
class Particle:
    at: Point
    v: Vec[2]
    alive: Bool
    cell: Fin[4]


# cond


@case(1.5, value=2.25)
def cond_of_numbers(v: Any) -> Any:
    return rose.cond(v[0] > 1.0, lambda: v[0] * v[0], lambda: -v[0])


@case(0.5, value=-0.5)
def cond_not_taken(v: Any) -> Any:
    return rose.cond(v[0] > 1.0, lambda: v[0] * v[0], lambda: -v[0])


@case(0.0, 2.0, value=6.0)
def cond_beside_infinities(v: Any) -> Any:
    x, y = v[0], v[1]
    return rose.cond(x > 0.0, lambda: rose.sqrt(x) / x + rose.log(x), lambda: (x + 3.0) * y)


@case(1.2, -0.7)
def cond_of_a_vector(v: Any) -> Any:
    w = rose.cond(v[1] < 0.0, lambda: [v[0] * v[1], rose.sin(v[0])], lambda: [1.0, v[1]])
    return w[0] * w[1] + w[0]


@case(1.2, -0.7)
def cond_of_a_struct(v: Any) -> Any:
    p = Particle(Point(v[0], v[1]), rose.vec([v[1], v[0]]), v[0] > 0.0, 2)
    q = rose.cond(
        p.alive,
        lambda: Particle(Point(p.at.y, p.at.x * p.v[0]), rose.vec(p.v[i] * p.at.x for i in rose.range(2)), ~p.alive, 1),
        lambda: p,
    )
    return q.at.x * q.at.y + rose.dot(q.v, q.v) * (q.cell + 1) + rose.select(q.alive, 100.0, q.at.x)


@case(0.3, 0.9)
def cond_of_an_index(v: Any) -> Any:
    i = rose.cond(v[0] < v[1], lambda: rose.constant(Fin[2], 1), lambda: rose.constant(Fin[2], 0))
    return v[i] * v[i] + i * v[0]


@case(0.3, 0.9)
def cond_of_a_truth_value(v: Any) -> Any:
    c = rose.cond(v[0] < v[1], lambda: v[0] > 0.0, lambda: v[1] > 0.0)
    return rose.cond(c, lambda: rose.exp(v[0] * v[1]), lambda: v[0])


@case(0.4, 0.6)
def cond_of_tuples_and_dicts(v: Any) -> Any:
    a, d = rose.cond(v[0] > 0.5, lambda: (v[0], {"k": v}), lambda: (v[1] * 2.0, {"k": [v[1], v[0] * v[1]]}))
    return a * d["k"][0] + d["k"][1]


@case(0.4, 0.6)
def cond_of_none(v: Any) -> Any:
    nothing = rose.cond(v[0] > 0.5, lambda: None, lambda: None)
    return v[0] * v[1] if nothing is None or nothing.type is rose.Unit else v[0]


@case(0.4, 0.6)
def cond_of_a_number_and_a_value(v: Any) -> Any:
    x = rose.cond(v[0] > 0.5, lambda: 1, lambda: v[1] * v[0])
    y = rose.cond(v[0] < 0.5, lambda: v[1] * v[1], lambda: 2.0)
    return x * y + x


@case(-0.4, 0.6)
def cond_in_cond(v: Any) -> Any:
    x, y = v[0], v[1]
    return rose.cond(
        x > 0.0,
        lambda: rose.log(x),
        lambda: rose.cond(y > 0.0, lambda: rose.sqrt(y) * x, lambda: rose.sqrt(-y)) + x * y,
    )


@case(0.4, -0.6, 1.3)
def cond_in_for(v: Any) -> Any:
    total = rose.accum(0.0)
    for i in rose.range(3):
        total += rose.cond(v[i] > 0.0, lambda i=i: rose.log(v[i]) * v[1], lambda i=i: v[i] ** 3 * v[0])
    return total.value


@case(0.4, -0.6, 1.3)
def cond_in_comprehensions(v: Any) -> Any:
    w = rose.vec(
        rose.sum(rose.cond(i < j, lambda i=i, j=j: v[i] * v[j], lambda i=i: rose.sin(v[i])) for j in rose.range(3))
        for i in rose.range(3)
    )
    return rose.dot(w, w)


@case(0.7, 0.2)
def cond_with_a_nested_function(v: Any) -> Any:
    @rose.fn
    def f(x: Real) -> Real:
        return rose.cond(x > v[1], lambda: x * v[0], lambda: rose.fn([Real], Real)(lambda y: y * x * v[1])(x))

    return f(v[0]) + f(v[1] * v[0])


@case(0.7, 0.2)
def cond_of_a_sum_of_its_own(v: Any) -> Any:
    def arm() -> Any:
        total = rose.accum([0.0, v[0]])
        for i in rose.range(3):
            total[0] += v[0] * v[1] * i
            total[1] += total_of(i)
        return rose.dot(total.value, v)

    def total_of(i: Any) -> Any:
        return rose.sum(v[j] * i for j in rose.range(2))

    return rose.cond(v[0] > v[1], arm, lambda: 0.0)


@case(0.7, 0.2)
def cond_of_a_derivative(v: Any) -> Any:
    @rose.fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.5, lambda: x**3, lambda: rose.sin(x))

    return rose.cond(v[0] > 0.0, lambda: rose.grad(f)(v[0]) * v[1], lambda: rose.grad(f)(v[1])) + rose.grad(f)(v[1])


@case(0.31, 3.7)
def logistic_map_by_cond(v: Any) -> Any:
    return rose.scan(lambda _, x: rose.cond(x < 0.5, lambda: v[1] * x * (1.0 - x), lambda: v[1] * (1 - x) * x), v[0], 5)


# scan


@case(1.1, 0.4, value=1.1 + 0.4 * 6)
def scan_of_a_number(v: Any) -> Any:
    return rose.scan(lambda i, s: s + i * v[1], v[0], 4)


@case(1.1, 0.4)
def scan_of_nothing(v: Any) -> Any:
    last, outs = rose.scan(lambda i, s: (s * v[1], s + i), v[0] * v[1], 0)
    return last * last + rose.sum(outs[i] for i in rose.range(0))


@case(1.1, 0.4)
def scan_with_outs(v: Any) -> Any:
    last, outs = rose.scan(lambda i, s: (rose.sin(s) * v[1] + i, s * s), v[0], 4)
    return last * rose.dot(outs, outs)


@case(1.1, 0.4)
def scan_from_a_number_of_pythons(v: Any) -> Any:
    return rose.scan(lambda _, s: s * v[0] + v[1], 1, 3)


@case(1.1, 0.4)
def scan_of_a_pair(v: Any) -> Any:
    x, y = rose.scan(lambda _, s: (s[1], s[0] * s[1]), (v[0], v[1]), 5)
    return x * y


@case(1.1, 0.4)
def scan_of_a_pair_with_outs(v: Any) -> Any:
    (x, y), outs = rose.scan(lambda i, s: ((s[1], s[0] * s[1]), [s[0], s[1] * i]), (v[0], v[1]), 3)
    return x * y + rose.sum(outs[i][0] * outs[i][1] for i in rose.range(3))


@case(1.1, 0.4)
def scan_of_a_vector(v: Any) -> Any:
    w = rose.scan(lambda i, s: [s[1] + 0.1 * i, rose.cos(s[0]) * v[1]], v, 4)
    return w[0] * w[1]


@case(1.1, 0.4)
def scan_of_a_struct(v: Any) -> Any:
    def turn(i: Any, p: Any) -> Any:
        return Particle(
            Point(p.at.x + 0.1 * p.v[0], p.at.y * p.at.x),
            [p.v[1], p.v[0] * p.at.y],
            p.at.x < p.at.y,
            (p.cell + 1) % 4,
        )

    p = rose.scan(turn, Particle(Point(v[0], v[1]), v, True, 0), 6)
    return p.at.x * p.at.y + p.v[0] * p.v[1] + rose.select(p.alive, v[0], v[1]) * (p.cell + 1)


@case(1.1, 0.4)
def scan_in_a_comprehension(v: Any) -> Any:
    w = rose.vec(rose.scan(lambda k, s, i=i: s * v[i] + k, v[1], 3) for i in rose.range(2))
    return w[0] * w[1]


@case(1.1, 0.4)
def scan_in_scan(v: Any) -> Any:
    return rose.scan(lambda i, s: rose.scan(lambda j, t: t * v[1] + (i + j) * s, s, 2), v[0], 3)


@case(0.6, -0.3, 0.2)
def scan_with_cond(v: Any) -> Any:
    def turn(i: Any, s: Any) -> Any:
        return rose.cond(s > 0.0, lambda: (s - v[i] ** 2, rose.sqrt(s)), lambda: (s + v[0] * v[i], v[2] * s))

    last, outs = rose.scan(turn, v[0], 3)
    return last + rose.dot(outs, v)


# while_loop


@case(1.3, value=1.3**5)
def power_by_while(v: Any) -> Any:
    def turn(s: Any) -> Any:
        return s[0] * v[0], s[1] - 1.0

    return rose.while_loop(lambda s: s[1] > 0.0, turn, (1.0, 5.0))[0]


@case(2.0, value=2.0**0.5)
def square_root_by_newton(v: Any) -> Any:
    return rose.while_loop(lambda y: abs(y * y - v[0]) > 1e-13, lambda y: 0.5 * (y + v[0] / y), v[0])


@case(1.1, 0.4)
def while_of_no_turns(v: Any) -> Any:
    return rose.while_loop(lambda s: s > 100.0, lambda s: s * v[1], v[0] * v[1]) * v[0]


@case(1.1, 0.4)
def while_of_a_vector(v: Any) -> Any:
    w = rose.while_loop(lambda s: s[0] < 4.0, lambda s: [s[0] * 1.5 + v[1], rose.sin(s[1] * s[0])], v)
    return w[0] * w[1]


@case(1.1, 0.4)
def while_that_gives_what_is_outside(v: Any) -> Any:
    x, p, c = v[0] * v[1], Point(v[0], v[1] * 2.0), v[0] < v[1]
    q, y = rose.while_loop(lambda s: s[1] < 0.5, lambda s: (p, x + 0.5), (Point(0.0, 1.0), v[1]))
    z = rose.while_loop(lambda s: c, lambda s: x, v[0])
    w = rose.scan(lambda i, s: (x, p), v[0], 2)
    return q.x * q.y * y + z * z + w[0] * w[1][1].y + rose.while_loop(lambda s: s < 0.1, lambda s: x, 0.05) ** 2


@case(1.1, 0.4)
def while_of_a_struct(v: Any) -> Any:
    def turn(p: Any) -> Any:
        return Particle(Point(p.at.x + p.v[0], p.at.y * 0.9), [p.v[1], p.v[0] * p.at.y], p.at.x < 2.0, (p.cell + 1) % 4)

    p = rose.while_loop(lambda p: p.alive, turn, Particle(Point(v[0], v[1]), v, True, 0))
    return p.at.x * p.at.y + p.v[0] * p.v[1] * (p.cell + 1)


@case(1.1, 0.4)
def while_that_only_counts(v: Any) -> Any:
    k = rose.while_loop(lambda s: s * v[0] < 10.0, lambda s: s + 1.0, 0.0)
    return k * v[1] * v[0]


@case(1.1, 0.4)
def while_of_an_index(v: Any) -> Any:
    i, x = rose.while_loop(
        lambda s: s[1] < 10.0, lambda s: ((s[0] + 1) % 2, s[1] + v[s[0]] * s[1]), (rose.constant(Fin[2], 0), v[0])
    )
    return x * v[i]


@case(1.7, 0.4)
def while_in_while(v: Any) -> Any:
    def turn(s: Any) -> Any:
        return rose.while_loop(lambda t: t < 2.0 * s, lambda t: t * 1.5 + v[1] * s, s)

    return rose.while_loop(lambda s: s < 20.0, turn, v[0])


@case(1.7, 0.4, 0.9)
def while_in_while_in_for(v: Any) -> Any:
    total = rose.accum(0.0)
    for i in rose.range(3):

        def turn(s: Any, i: Any = i) -> Any:
            return rose.while_loop(lambda t: t < 1.2 * s, lambda t: t * 1.5 + v[1] * v[i], s)

        total += rose.while_loop(lambda s: s < 5.0, turn, v[i]) * v[i]
    return total.value


@case(1.7, 0.4)
def while_with_cond(v: Any) -> Any:
    def turn(s: Any) -> Any:
        return rose.cond(s < 3.0, lambda: s * v[0], lambda: rose.sqrt(s - 3.0) + s + v[1])

    return rose.while_loop(lambda s: s < 9.0, turn, v[0], max_iter=50)


@case(1.7, 0.4)
def while_with_a_loop_inside(v: Any) -> Any:
    def turn(s: Any) -> Any:
        w = rose.vec(s * v[i] for i in rose.range(2))
        return s + rose.sum(w[i] * w[i] for i in rose.range(2))

    return rose.while_loop(lambda s: s < 100.0, turn, v[0] * v[1])


@case(1.7, 0.4)
def while_in_an_arm(v: Any) -> Any:
    return rose.cond(v[0] > 0.0, lambda: rose.while_loop(lambda s: s < 9.0, lambda s: s * s + v[1], v[0]), lambda: v[1])


@case(1.7, 0.4)
def while_in_scan(v: Any) -> Any:
    return rose.scan(lambda i, s: rose.while_loop(lambda t: t > 1.0, lambda t: t * v[1], s + v[0] * i) + 1.0, v[0], 3)


@case(1.7, 0.4)
def while_of_a_derivative(v: Any) -> Any:
    f = rose.fn([Real], Real)(lambda x: x**3 - v[0] * x - 1.0)
    return rose.while_loop(lambda x: abs(f(x)) > 1e-12, lambda x: x - f(x) / rose.grad(f)(x), v[0] + v[1])


@case(1.1, 0.4)
def while_in_a_function_that_is_called_twice(v: Any) -> Any:
    @rose.fn
    def f(x: Real, y: Real) -> Real:
        return rose.while_loop(lambda s: s < 5.0, lambda s: s * x + y, y)

    return f(v[0] + 1.0, v[1]) * f(v[0] * 2.0, v[1] * v[1])


# checkpoints


@case(1.1, 0.4)
def scan_by_roots(v: Any) -> Any:
    return rose.scan(lambda i, s: rose.sin(s) * v[1] + 0.1 * i, v[0], 7, checkpoint="sqrt")


@case(1.1, 0.4)
def scan_by_snapshots(v: Any) -> Any:
    last, outs = rose.scan(
        lambda i, s: (rose.sin(s) * v[1] + 0.1 * i, s * v[0]), v[0], 7, checkpoint="binomial", snapshots=2
    )
    return last * rose.dot(outs, outs)


@case(1.1, 0.4)
def scan_by_roots_with_everything_inside(v: Any) -> Any:
    def turn(i: Any, s: Any) -> Any:
        t = rose.cond(s > 1.0, lambda: s * v[1], lambda: s + v[0] * (i + 1))
        return rose.while_loop(lambda u: u < 1.0, lambda u: u * 1.5 + v[1], t)

    return rose.scan(turn, v[0], 6, checkpoint="sqrt")


@case(1.1, 0.4)
def scan_of_an_index_by_roots(v: Any) -> Any:
    turn = lambda i, k: rose.cond(v[0] * i > v[1], lambda: (k + 1) % 2, lambda: k)
    k = rose.scan(turn, rose.constant(Fin[2], 0), 5, checkpoint="sqrt")
    return v[k] * v[k] + v[0] * k
