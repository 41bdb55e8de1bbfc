"""Programs in plain Python's syntax, each with one that says the same by cond, while_loop and scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import rose
from rose import Real, Vec


class Pair(NamedTuple):
    """A program twice, the type of its one parameter, and points at which they are compared."""

    plain: Callable[..., Any]
    by_hand: Callable[..., Any]
    type: Any
    points: list[Any]


PAIRS: dict[str, Pair] = {}
ENDS = [-2.0, -0.5, 0.0, 0.5, 1.0, 3.5]


def pair(by_hand: Callable[..., Any], type: Any = Real, points: list[Any] = ENDS) -> Callable[..., Any]:
    def decorate(plain: Callable[..., Any]) -> Callable[..., Any]:
        PAIRS[plain.__name__] = Pair(plain, by_hand, type, points)
        return plain

    return decorate


class Point(NamedTuple):
    x: Real
    y: Real


@rose.struct
class Ball:
    at: Real
    speed: Vec[2]


cond, loop, scan = rose.cond, rose.while_loop, rose.scan

# branches


@pair(lambda x: cond(x < 0.0, lambda: -x, lambda: x))
def absolute(x):
    if x < 0.0:
        return -x
    return x


@pair(lambda x: cond(x < 0.0, lambda: -x * x, lambda: x * x * x))
def assigned_in_both(x):
    if x < 0.0:
        y = -x * x
    else:
        y = x * x * x
    return y


@pair(lambda x: cond(x > 1.0, lambda: 2.0 * x, lambda: x) * x)
def assigned_in_one(x):
    y = x
    if x > 1.0:
        y = 2.0 * x
    return y * x


@pair(lambda x: cond(x < 0.0, lambda: 0.0, lambda: cond(x < 1.0, lambda: x * x, lambda: 2.0 * x - 1.0)))
def pieces(x):
    if x < 0.0:
        return 0.0
    elif x < 1.0:
        return x * x
    else:
        return 2.0 * x - 1.0


@pair(lambda x: cond(x > 0.0, lambda: cond(x > 1.0, lambda: x * x, lambda: rose.sqrt(x)), lambda: rose.exp(x)))
def nested(x):
    if x > 0.0:
        if x > 1.0:
            y = x * x
        else:
            y = rose.sqrt(x)
    else:
        y = rose.exp(x)
    return y


@pair(lambda x: cond(x > 0.0, lambda: cond(x > 1.0, lambda: x * 3.0, lambda: x + x * x), lambda: x * x))
def some_return_and_some_go_on(x):
    if x > 0.0:
        if x > 1.0:
            return x * 3.0
        y = x
    else:
        y = 0.0
    return y + x * x


@pair(lambda x: cond(x > 0.0, lambda: rose.sin(x), lambda: x * 0.5))
def an_expression(x):
    return rose.sin(x) if x > 0.0 else x * 0.5


@pair(lambda x: cond(x > 0.0, lambda: cond(x > 1.0, lambda: x * x, lambda: x), lambda: 0.0) + 1.0)
def expressions_in_expressions(x):
    return ((x * x if x > 1.0 else x) if x > 0.0 else 0.0) + 1.0


@pair(lambda x: cond((x > 0.0) & (x < 2.0), lambda: x * x, lambda: x))
def conjunction(x):
    if x > 0.0 and x < 2.0:
        x = x * x
    return x


@pair(lambda x: cond((x < 0.0) | (x > 2.0) | (x.__eq__(1.0)), lambda: x * x, lambda: x))
def disjunction(x):
    return x * x if x < 0.0 or x > 2.0 or x == 1.0 else x


@pair(lambda x: cond(~(x < 0.0), lambda: x * x, lambda: x))
def negation(x):
    return x * x if not x < 0.0 else x


@pair(lambda x: cond((-1.0 < x) & (x <= 0.5) & (0.5 < 3.0), lambda: x * x, lambda: x))
def chained(x):
    return x * x if -1.0 < x <= 0.5 < 3.0 else x


@pair(lambda x: cond(x > 0.0, lambda: rose.log(x) > -1.0, lambda: False) & (x < 3.0))
def a_bool_of_a_call(x):
    @rose.fn
    def high(x: Real) -> rose.Bool:
        return rose.log(x) > -1.0

    return x > 0.0 and high(x) and x < 3.0


PAIRS.pop("a_bool_of_a_call")  # its result is no number: see test_syntax


@pair(lambda x: sum(cond(x > 0.0, lambda: (x, 2.0 * x), lambda: (1.0 * x, x * x))))
def two_variables(x):
    if x > 0.0:
        a, b = x, 2.0 * x
    else:
        a, b = 1.0 * x, x * x
    return 0 + a + b


def _swapped(v):
    p = cond(v[0] > v[1], lambda: (v[1], v[0]), lambda: (v[0], v[1]))
    return p[0] * 2.0 + p[1] * p[1]


@pair(_swapped, Vec[2], [[1.0, 2.0], [3.0, -1.0], [0.0, 0.0]])
def swap(v):
    a, b = v[0], v[1]
    if a > b:
        a, b = b, a
    return a * 2.0 + b * b


@pair(lambda v: rose.dot(*(lambda w: (w, w))(cond(v[0] > 0.0, lambda: v, lambda: rose.vec([v[1], v[0] * v[1], 1.0])))),
      Vec[3], [[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0]])  # fmt: skip
def vectors_chosen(v):
    w = v
    if not v[0] > 0.0:
        w = [v[1], v[0] * v[1], 1.0]
    return rose.dot(w, w)


def _ball(x):
    ball = cond(x > 0.0, lambda: Ball(x, [x, 1.0]), lambda: Ball(1.0, [x * x, x]))
    return ball.at * ball.speed[0] + ball.speed[1]


@pair(_ball)
def structs_chosen(x):
    if x > 0.0:
        ball = Ball(x, [x, 1.0])
    else:
        ball = Ball(1.0, [x * x, x])
    return ball.at * ball.speed[0] + ball.speed[1]


@pair(lambda x: cond(x > 0.0, lambda: 2.0, lambda: 3.0) * x)
def numbers_become_reals(x):
    if x > 0.0:
        k = 2
    else:
        k = 3
    return k * x


@pair(lambda x: cond(x > 0.0, lambda: x * 4.0, lambda: x))
def numbers_that_are_the_same_stay(x):
    n = 2
    if x > 0.0:
        n, x = 2, x * 4.0
    return sum(x for _ in range(n)) - x


@pair(lambda x: cond(x > 1.0, lambda: x * x * x, lambda: x))
def a_loop_of_pythons_in_a_branch(x):
    if x > 1.0:
        y = x
        for k in range(5):
            if k == 2:
                break
            if k < 0:
                continue
            y = y * x
        return y
    return x


@pair(lambda x: cond(x > 0.5, lambda: x * x, lambda: cond(x > 0.0, lambda: x, lambda: -x)))
def python_decides_too(x):
    flags = {"square": True, "cube": False}
    if flags["cube"]:
        return nonsense(x)  # noqa: F821
    if flags["square"] and x > 0.5:
        x = x * x
    else:
        x = x if x > 0.0 or flags["cube"] else -x
    return x


@pair(lambda x: cond(x > 0.0, lambda: rose.sum(x * k for k in rose.range(3)), lambda: x))
def a_sum_in_a_branch(x):
    if x > 0.0:
        scale = x
        y = rose.sum(scale * k for k in rose.range(3))
    else:
        y = x
    return y


@pair(lambda x: rose.sum(cond(x > k, lambda k=k: x * k, lambda: x * x) for k in rose.range(3)))
def in_a_generator(x):
    return rose.sum(x * k if x > k else x * x for k in rose.range(3))


@pair(lambda x: (lambda f: f(x) + f(x + 1.0))(lambda y: cond(y > 1.0, lambda: y * y, lambda: y)))
def in_a_lambda(x):
    f = lambda y: y * y if y > 1.0 else y
    return f(x) + f(x + 1.0)


@pair(lambda x: cond(x > 0.0, lambda: x * 5.0, lambda: x * 7.0))
def a_closure_sees_what_is_chosen(x):
    k = 7.0

    def times(y):
        return y * k

    if x > 0.0:
        k = 5.0
    return times(x)


# while


@pair(lambda x: loop(lambda s: s > 1.0, lambda s: s / 2.0, x), Real, [0.5, 1.0, 3.0, 100.0])
def halving(x):
    while x > 1.0:
        x = x / 2.0
    return x


def _collatz(x):
    def turn(s):
        n, k = s
        return cond((n % 2.0).__eq__(0.0), lambda: n / 2.0, lambda: 3.0 * n + 1.0), k + 1.0

    n, k = loop(lambda s: s[0].__ne__(1.0), turn, (x, 0.0))
    return k + 0.0 * n


@pair(_collatz, Real, [1.0, 6.0, 27.0])
def collatz(n):
    k = 0
    while n != 1.0:
        if n % 2.0 == 0.0:
            n = n / 2.0
        else:
            n = 3.0 * n + 1.0
        k += 1
    return k + 0.0 * n


def _newton(x):
    y = loop(lambda y: abs(y * y - x) > 1e-9, lambda y: 0.5 * (y + x / y), x)
    return y


@pair(_newton, Real, [2.0, 9.0, 0.3])
def newton(x):
    y = x
    while abs(y * y - x) > 1e-9:
        y = 0.5 * (y + x / y)
    return y


def _bisection(x):
    def turn(s):
        low, high = s
        mid = 0.5 * (low + high)
        return cond(mid * mid * mid < x, lambda: (mid, high), lambda: (low, mid))

    low, high = loop(lambda s: s[1] - s[0] > 1e-6 * x, turn, (0.0, x + 1.0))
    return 0.5 * (low + high)


@pair(_bisection, Real, [0.5, 2.0, 20.0])
def bisection(x):
    low, high = 0.0, x + 1.0
    while high - low > 1e-6 * x:
        mid = 0.5 * (low + high)
        if mid * mid * mid < x:
            low = mid
        else:
            high = mid
    return 0.5 * (low + high)


@pair(lambda x: loop(lambda s: s[0] < x, lambda s: (s[0] + 1.0, s[1] * x), (0.0, 1.0))[1], Real, [-1.0, 0.5, 3.0])
def a_counter(x):
    k, y = 0, 1.0
    while k < x:
        y = y * x
        k += 1
    return y


@pair(lambda x: loop(lambda s: (s[0] > 1.0) & (s[1] < 5.0), lambda s: (s[0] * 0.9, s[1] + 1.0), (x, 0.0))[0],
      Real, [0.5, 2.0, 1.2])  # fmt: skip
def a_test_of_two(x):
    k = 0
    while x > 1.0 and k < 5:
        x = x * 0.9
        k = k + 1
    return x


def _rows(x):
    def outer(s):
        i, y = s
        _, y = loop(lambda t: t[0] < i, lambda t: (t[0] + 1.0, t[1] + t[0] * x), (0.0, y))
        return i + 1.0, y

    return loop(lambda s: s[0] < x, outer, (0.0, x))[1]


@pair(_rows, Real, [0.5, 2.5, 4.0])
def whiles_in_whiles(x):
    i, y = 0, x
    while i < x:
        j = 0.0
        while j < i:
            y = y + j * x
            j = j + 1.0
        i = i + 1.0
    return y


def _euclid(v):
    return loop(lambda s: s[1] > 0.5, lambda s: (s[1], s[0] % s[1]), (v[0], v[1]))[0]


@pair(_euclid, Vec[2], [[48.0, 18.0], [7.0, 5.0]])
def euclid(v):
    a, b = v[0], v[1]
    while b > 0.5:
        a, b = b, a % b
    return a


@pair(lambda v: rose.sum(loop(lambda w: rose.dot(w, w) > 1.0, lambda w: rose.vec([w[0] * 0.5, w[1] * 0.5]), v)),
      Vec[2], [[0.5, 0.5], [3.0, 4.0]])  # fmt: skip
def a_vector_as_state(v):
    while rose.dot(v, v) > 1.0:
        v = rose.vec(v[i] * 0.5 for i in rose.range(2))
    return rose.sum(v)


def _falling(x):
    def turn(ball):
        return Ball(ball.at + 0.1 * ball.speed[0], [ball.speed[0] - x * 0.1, ball.speed[1]])

    ball = loop(lambda ball: ball.at > 0.0, turn, Ball(1.0, [x, 0.0]))
    return ball.at + ball.speed[0]


@pair(_falling, Real, [1.0, 2.0])
def a_struct_as_state(x):
    ball = Ball(1.0, [x, 0.0])
    while rose.max(ball.at, -1.0) > 0.0:
        ball = Ball(ball.at + 0.1 * ball.speed[0], [ball.speed[0] - x * 0.1, ball.speed[1]])
    return ball.at + ball.speed[0]


@pair(lambda x: loop(lambda s: s < 10.0, lambda s: s + x * x + 1.0, 1.0 + x * x) * x, Real, [0.5, 2.0, 4.0])
def a_turn_that_python_takes(x):
    y = 0.0
    while y < 10.0:
        y = y + x * x + 1.0
    return y * x


@pair(lambda x: x * x * x)
def a_while_of_pythons(x):
    k, y = 0, x
    while True:
        k += 1
        if k == 3:
            break
        y = y * x
    else:
        y = 0.0
    return y


@pair(lambda x: loop(lambda s: s > 2.0, lambda s: s - 1.0, x) * 2.0, Real, [1.0, 5.5])
def else_after_a_while(x):
    while x > 2.0:
        x = x - 1.0
    else:
        x = x * 2.0
    return x


# for


@pair(lambda x: scan(lambda i, s: s * x + i, 1.0, 4))
def horner(x):
    y = 1.0
    for i in rose.range(4):
        y = y * x + i
    return y


@pair(lambda v: scan(lambda i, s: (s[1], s[0] + s[1] * v[i]), (0.0, 1.0), 3)[1], Vec[3], [[1.0, 2.0, 3.0]])
def fibonacci(v):
    a, b = 0, 1
    for i in rose.range(3):
        a, b = b, a + b * v[i]
    return b


def _largest(v):
    return scan(lambda i, s: cond(v[i] > s, lambda: v[i], lambda: s), v[0], 4)


@pair(_largest, Vec[4], [[1.0, 4.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0]])
def largest(v):
    best = v[0]
    for i in rose.range(4):
        if v[i] > best:
            best = v[i]
    return best


def _sums(v):
    total = rose.accum(0.0)
    for i in rose.range(3):
        total += v[i] * v[i]
    return total.value


@pair(_sums, Vec[3], [[1.0, -2.0, 3.0]])
def only_an_accumulator(v):
    total = rose.accum(0.0)
    for i in rose.range(3):
        x = v[i]
        total += x * x
    return total.value


def _both(v):
    total = rose.accum(0.0)

    def turn(i, s):
        nonlocal total
        s = s * v[i] + 1.0
        total += s
        return s

    s = scan(turn, 1.0, 3)
    return total.value * s


@pair(_both, Vec[3], [[1.0, -2.0, 3.0]])
def a_state_and_an_accumulator(v):
    total, s = rose.accum(0.0), 1.0
    for i in rose.range(3):
        s = s * v[i] + 1.0
        total += s
    return total.value * s


def _matrix(v):
    return scan(lambda i, s: scan(lambda j, t: t * v[j] + i, s, 2), 1.0, 3)


@pair(_matrix, Vec[2], [[1.0, 2.0], [-0.5, 3.0]])
def fors_in_fors(v):
    s = 1.0
    for i in rose.range(3):
        for j in rose.range(2):
            s = s * v[j] + i
    return s


def _steps(x):
    def turn(i, y):
        z = loop(lambda z: z > 1.0, lambda z: cond(z > 4.0, lambda: z * 0.25, lambda: z - 1.0), y + x)
        return cond(i < 2, lambda: z * y, lambda: z + y)

    return scan(turn, x, 4)


@pair(_steps, Real, [0.5, 1.75, 6.0])
def ifs_in_whiles_in_fors(x):
    y = x
    for i in rose.range(4):
        z = y + x
        while z > 1.0:
            if z > 4.0:
                z = z * 0.25
            else:
                z = z - 1.0
        if i < 2:
            y = z * y
        else:
            y = z + y
    return y


@pair(
    lambda x: cond(
        x > 1.0, lambda: scan(lambda i, s: s * x, 1.0, 3), lambda: loop(lambda s: s < 1.0, lambda s: s + 0.4, x)
    )
)
def loops_in_branches(x):
    if x > 1.0:
        y = 1.0
        for _ in rose.range(3):
            y = y * x
    else:
        y = x
        while y < 1.0:
            y = y + 0.4
    return y


@pair(lambda v: scan(lambda i, s: rose.vec([s[1], s[0] * v[i]]), rose.vec([1.0, 2.0]), 3)[0], Vec[3], [[1.0, 2.0, 3.0]])
def a_list_as_state(v):
    s = [1.0, 2.0]
    for i in rose.range(3):
        s = [s[1], s[0] * v[i]]
    return s[0]


@pair(lambda x: scan(lambda i, p: Point(p.y, p.x * x), Point(x, 1.0), 3).y)
def a_named_tuple_as_state(x):
    p = Point(x, 1.0)
    for _ in rose.range(3):
        p = Point(p.y, p.x * x)
    return p.y


@pair(lambda x: scan(lambda i, s: s + x * i, x, 3) + x * x)
def a_for_of_pythons_around(x):
    y = x
    for f in (lambda z: z, lambda z: z * x):
        if f is not None:
            y = f(y)
    total = y - y + x
    for i in rose.range(3):
        total = total + x * i
    return total + x * x


@pair(lambda x: cond(x > 0.0, lambda: x * 2.0, lambda: x * 3.0))
def a_match(x):
    y = x
    match "double":
        case "triple":
            y = x * 9.0
        case "double" if x is not None:
            if x > 0.0:
                y = x * 2.0
            else:
                y = x * 3.0
    return y
