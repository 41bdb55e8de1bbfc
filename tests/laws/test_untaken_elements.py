"""Vectors that are computed once and read behind a mask, and states that explode behind one, to any order.

What no taken branch reads contributes nothing: each program equals the same one with the expression in the branch. The
point has elements at which the expression, or a derivative of it, is infinite or nan.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, Vec
from tests.laws.test_untaken_branches import values

N = 4
NASTY = (1.5, 0.0, 2.0, -1.0)  # `inside` below is 0 * inf of the second, and nan of the last
TAME = (1.5, 0.3, 2.0, 0.7)  # all of it is taken
ALONG = (1.0, 0.5, -2.0, 0.25)
Body = Callable[[Any], Any]


def line(body: Body, at: tuple[float, ...] = NASTY) -> Body:
    """The body along a line through a point."""
    return lambda t: body(rose.vec([a + t * d for a, d in zip(at, ALONG, strict=True)]))


@rose.struct
class Pair:
    a: Real
    b: Real


@rose.struct
class Table:
    rows: Vec[4, Vec[2]]
    scale: Real


@rose.fn
def logs(x: Vec[4]) -> Vec[4]:
    return rose.vec(rose.log(x[i]) for i in rose.range(N))


@rose.fn
def masked_sum(x: Vec[4], p: Vec[4]) -> Real:
    return rose.sum(rose.select(x[i] > 0.0, p[i], 0.0) for i in rose.range(N))


@rose.fn
def chosen(c: Real, y: Real) -> Real:
    return rose.select(c > 0.0, y, 0.0)


@rose.fn(syntax=True)
def plain_if(x: Vec[4], p: Vec[4]) -> Real:
    s = 0.0
    for i in rose.range(4):
        if x[i] > 0.0:
            s = s + p[i]
    return s


def each(f: Callable[[Any], Any]) -> Any:
    return rose.sum(f(i) for i in rose.range(N))


def log_of(x: Any) -> Any:
    return rose.vec(rose.log(x[i]) for i in rose.range(N))


def where(x: Any, i: Any, y: Any) -> Any:
    return rose.select(x[i] > 0.0, y, 0.0)


def inside(x: Any) -> Any:
    return each(lambda i: where(x, i, rose.log(x[i])))


def squared_errors(x: Any) -> Any:
    mask = rose.vec([1.0, 0.0, 1.0, 0.0])
    err = rose.vec((rose.log(x[i]) - 0.5 * i) ** 2 for i in rose.range(N))
    return each(lambda i: rose.select(mask[i] > 0.5, err[i], 0.0))


def squared_errors_inside(x: Any) -> Any:
    mask = rose.vec([1.0, 0.0, 1.0, 0.0])
    return each(lambda i: rose.select(mask[i] > 0.5, (rose.log(x[i]) - 0.5 * i) ** 2, 0.0))


def distance(x: Any, i: Any, j: Any) -> Any:
    return rose.sqrt((x[i] - x[j]) ** 2 + (x[i] * x[i] - x[j] * x[j]) ** 2)


def distances(x: Any) -> Any:
    d = rose.vec(rose.vec(distance(x, i, j) for j in rose.range(N)) for i in rose.range(N))
    pair = lambda i, j: rose.select(i != j, 1.0 / (1.0 + d[i][j]), 0.0)
    return each(lambda i: each(lambda j: pair(i, j)))


def distances_inside(x: Any) -> Any:
    return each(lambda i: each(lambda j: rose.select(i != j, 1.0 / (1.0 + distance(x, i, j)), 0.0)))


def force(x: Any, i: Any, j: Any) -> Pair:
    r = distance(x, i, j)
    return Pair((x[i] - x[j]) / (r * r * r), x[i] * x[j] / r)


def forces(x: Any) -> Any:
    f = rose.vec(rose.vec(force(x, i, j) for j in rose.range(N)) for i in rose.range(N))
    return each(lambda i: each(lambda j: rose.select(i != j, f[i][j].a * f[i][j].b, 0.0)) * x[i])


def forces_inside(x: Any) -> Any:
    product = lambda p: p.a * p.b
    return each(lambda i: each(lambda j: rose.select(i != j, product(force(x, i, j)), 0.0)) * x[i])


def hit(x: Any, i: Any) -> Any:
    return 2.0 - rose.sqrt(x[i])


def nearest_hit(x: Any) -> Any:
    t = rose.vec(hit(x, i) for i in rose.range(N))
    return rose.min(rose.select(x[i] > 0.0, t[i], 1e9) for i in rose.range(N)) ** 2


def nearest_hit_inside(x: Any) -> Any:
    return rose.min(rose.select(x[i] > 0.0, hit(x, i), 1e9) for i in rose.range(N)) ** 2


def masked_max(x: Any) -> Any:
    p = log_of(x)
    return rose.max(rose.select(x[i] > 0.0, p[i], -1e9) for i in rose.range(N)) ** 2


def masked_max_inside(x: Any) -> Any:
    return rose.max(rose.select(x[i] > 0.0, rose.log(x[i]), -1e9) for i in rose.range(N)) ** 2


def relative_errors(x: Any) -> Any:
    e = rose.vec((x[i] - 1.0) / x[i] for i in rose.range(N))
    return each(lambda i: rose.select(x[i] == 0.0, 0.0, e[i] * e[i]))


def relative_errors_inside(x: Any) -> Any:
    return each(lambda i: rose.select(x[i] == 0.0, 0.0, ((x[i] - 1.0) / x[i]) ** 2))


def angles(x: Any) -> Any:
    a = rose.vec(rose.acos(x[i]) for i in rose.range(N))
    return each(lambda i: rose.select(abs(x[i]) < 1.0, a[i] * a[i], 0.0))


def angles_inside(x: Any) -> Any:
    return each(lambda i: rose.select(abs(x[i]) < 1.0, rose.acos(x[i]) ** 2, 0.0))


def hinges(x: Any) -> Any:
    h = rose.vec(rose.vec(rose.sqrt(x[i] - k) for k in rose.range(3)) for i in rose.range(N))
    return each(lambda i: rose.sum(rose.select(x[i] > k, h[i][k], 0.0) * k for k in rose.range(3)))


def hinges_inside(x: Any) -> Any:
    return each(lambda i: rose.sum(rose.select(x[i] > k, rose.sqrt(x[i] - k), 0.0) * k for k in rose.range(3)))


def two_vectors(x: Any) -> Any:
    p = rose.vec(rose.sqrt(x[i]) * x[i] for i in rose.range(N))
    q = rose.vec(where(x, i, p[i]) for i in rose.range(N))
    return rose.dot(q, q)


def two_vectors_inside(x: Any) -> Any:
    q = rose.vec(where(x, i, rose.sqrt(x[i]) * x[i]) for i in rose.range(N))
    return rose.dot(q, q)


def by_a_helper(x: Any) -> Any:
    return masked_sum(x, logs(x))


def by_a_helper_for_each(x: Any) -> Any:
    p = log_of(x)
    return each(lambda i: chosen(x[i], p[i]))


def by_cond(x: Any) -> Any:
    p = log_of(x)
    return each(lambda i: rose.cond(x[i] > 0.0, lambda: p[i], lambda: 0.0))


def by_if(x: Any) -> Any:
    return plain_if(x, log_of(x))


def of_structs(x: Any) -> Any:
    p = rose.vec(Pair(rose.log(x[i]), 1.0 / x[i]) for i in rose.range(N))
    return each(lambda i: where(x, i, p[i].a * p[i].b))


def of_structs_inside(x: Any) -> Any:
    return each(lambda i: where(x, i, rose.log(x[i]) * (1.0 / x[i])))


def one_member(x: Any) -> Any:
    """One member of a struct is read under no condition, and the other behind a mask."""
    p = rose.vec(Pair(x[i] * x[i], rose.log(x[i]) / x[i]) for i in rose.range(N))
    return each(lambda i: p[i].a + where(x, i, p[i].b))


def one_member_inside(x: Any) -> Any:
    return each(lambda i: x[i] * x[i] + where(x, i, rose.log(x[i]) / x[i]))


def in_a_scan(x: Any) -> Any:
    p = log_of(x)
    return rose.scan(lambda i, s: rose.select(x[i] > 0.0, s * 0.5 + p[i], s), x[0], N) ** 2


def in_a_scan_inside(x: Any) -> Any:
    return rose.scan(lambda i, s: rose.select(x[i] > 0.0, s * 0.5 + rose.log(x[i]), s), x[0], N) ** 2


def trajectory(x: Any) -> Any:
    _, ts = rose.scan(lambda i, s: (s * 0.5 + x[i] * x[0], rose.log(x[i]) * s), x[0], N)
    return each(lambda i: where(x, i, ts[i]))


def trajectory_inside(x: Any) -> Any:
    iteration = lambda i, s: (s * 0.5 + x[i] * x[0], where(x, i, rose.log(x[i]) * s))
    _, ts = rose.scan(iteration, x[0], N)
    return each(lambda i: ts[i])


def read_twice(x: Any) -> Any:
    """An element that one branch reads and another does not."""
    p = log_of(x)
    return each(lambda i: where(x, i, p[i])) + each(lambda i: rose.select(x[i] > 1.7, p[i] * p[i], x[i]))


def read_twice_inside(x: Any) -> Any:
    return inside(x) + each(lambda i: rose.select(x[i] > 1.7, rose.log(x[i]) * rose.log(x[i]), x[i]))


def some_outside(x: Any) -> Any:
    """An element that is read under no condition, and others behind a mask."""
    p = log_of(x)
    return p[0] * p[2] + masked_sum(x, p)


def some_outside_inside(x: Any) -> Any:
    return rose.log(x[0]) * rose.log(x[2]) + inside(x)


def accumulated(x: Any) -> Any:
    total = rose.accum(rose.vec([0.0] * N))
    for i in rose.range(N):
        total[i] += rose.log(x[i]) * x[0]
    p = total.value
    return each(lambda i: where(x, i, p[i]))


def accumulated_inside(x: Any) -> Any:
    return each(lambda i: where(x, i, rose.log(x[i]) * x[0]))


def permuted(x: Any) -> Any:
    """Elements are read in another order than they are made."""
    p = log_of(x)
    return each(lambda i: rose.select(x[(i + 1) % N] > 0.0, p[(i + 1) % N] * x[i], 0.0))


def permuted_inside(x: Any) -> Any:
    return each(lambda i: rose.select(x[(i + 1) % N] > 0.0, rose.log(x[(i + 1) % N]) * x[i], 0.0))


def a_member_that_is_a_vector(x: Any) -> Any:
    t = Table(rose.vec(rose.vec([rose.log(x[i]), 1.0 / x[i]]) for i in rose.range(N)), x[0] * x[2])
    return each(lambda i: where(x, i, t.rows[i][0] + t.rows[i][1])) * t.scale


def a_member_inside(x: Any) -> Any:
    return each(lambda i: where(x, i, rose.log(x[i]) + 1.0 / x[i])) * (x[0] * x[2])


def read_in_a_while(x: Any) -> Any:
    p = log_of(x)
    iteration = lambda s: (s[0] * 0.5 + each(lambda i: where(x, i, p[i])), s[1] + 1.0)
    return rose.while_loop(lambda s: s[1] < 3.0, iteration, (x[0], 0.0))[0]


def read_in_a_while_inside(x: Any) -> Any:
    iteration = lambda s: (s[0] * 0.5 + inside(x), s[1] + 1.0)
    return rose.while_loop(lambda s: s[1] < 3.0, iteration, (x[0], 0.0))[0]


def with_checkpoints(x: Any) -> Any:
    p = log_of(x)
    return rose.scan(lambda i, s: rose.select(x[i] > 0.0, s * 0.5 + p[i], s), x[0], N, checkpoint="sqrt") ** 2


def number_in_checkpoints(x: Any) -> Any:
    p = rose.log(x[1])
    return rose.scan(lambda i, s: rose.select(x[1] > 0.0, s * p, s * x[0]), x[2], N, checkpoint="binomial")


def number_inside(x: Any) -> Any:
    return rose.scan(lambda i, s: rose.select(x[1] > 0.0, s * rose.log(x[1]), s * x[0]), x[2], N)


def chosen_vector(x: Any) -> Any:
    p, q = log_of(x), rose.vec(x[i] * x[i] for i in rose.range(N))
    w = rose.select(x[0] > 0.0, p, q)
    return each(lambda i: where(x, i, w[i]))


def packed(x: Any) -> Any:
    p = rose.vec([rose.log(x[0]), rose.log(x[1]), 1.0 / x[1], rose.log(x[2])])
    return rose.sum(rose.select(i != 1, rose.select(i != 2, p[i], 0.0), 0.0) for i in rose.range(4))


def packed_inside(x: Any) -> Any:
    return rose.log(x[0]) + rose.log(x[2])


# states that explode


def explode(i: Any, s: Any) -> Any:
    return s * s + 1.0


def exploded_cond(x: Any) -> Any:
    s = rose.scan(explode, x[0] * 3.0, 12)
    return rose.cond(x[0] > 100.0, lambda: s, lambda: x[0] * x[2])


def exploded_select(x: Any) -> Any:
    s = rose.scan(explode, x[0] * 3.0, 12)
    return rose.select(x[0] > 100.0, s, x[0] * x[2])


def exploded_inside(x: Any) -> Any:
    return x[0] * x[2]


def pair_state(x: Any) -> Any:
    """One half overflows, and masks itself in the other."""
    iteration = lambda i, s: (s[0] * s[0] + x[0], rose.select(s[0] < 50.0, s[1] + s[0] * x[2], s[1]))
    return rose.scan(iteration, (x[0], x[2]), 14)[1]


def pair_state_inside(x: Any) -> Any:
    s, t = x[0], x[2]
    for _ in range(3):
        s, t = s * s + x[0], t + s * x[2]
    return t


def reset_state(x: Any) -> Any:
    """What came before the state is set anew is read by nothing."""
    iteration = lambda i, s: rose.select(i == 8, x[0], s * s + 1.0 / x[1])
    return rose.scan(iteration, x[2], 11)


def reset_inside(x: Any) -> Any:
    return rose.scan(lambda i, s: s * s + 1.0 / x[1], x[0], 2)


def outs_of_an_explosion(x: Any) -> Any:
    _, ts = rose.scan(lambda i, s: (s * s + x[0], s), x[0], 14)
    return rose.sum(rose.select(ts[i] < 50.0, ts[i], 0.0) for i in rose.range(14))


def outs_inside(x: Any) -> Any:
    s = total = x[0]
    for _ in range(2):
        s = s * s + x[0]
        total = total + s
    return total


def handed_to_what_reads_it_not(x: Any) -> Any:
    p = log_of(x)
    spent = each(lambda i: where(x, i, rose.sin(p[i]) * x[i]))
    return rose.cond(x[0] > 0.0, lambda: rose.select(False, spent, inside(x)), lambda: x[1])


def inactive_after_division(x: Any) -> Any:
    s = rose.scan(lambda i, s: s / (1.5 + s * s), x[0] * x[2], 1)
    return rose.relu(s - 5.0) + rose.relu(s) * x[0]


def inactive_inside(x: Any) -> Any:
    y = x[0] * x[2]
    return y / (1.5 + y * y) * x[0]


def masked_logs(x: Any) -> Any:
    return masked_sum(x, log_of(x))


PROGRAMS: list[tuple[Body, Body]] = [
    (masked_logs, inside),
    (squared_errors, squared_errors_inside),
    (distances, distances_inside),
    (forces, forces_inside),
    (nearest_hit, nearest_hit_inside),
    (masked_max, masked_max_inside),
    (relative_errors, relative_errors_inside),
    (angles, angles_inside),
    (hinges, hinges_inside),
    (two_vectors, two_vectors_inside),
    (by_a_helper, inside),
    (by_a_helper_for_each, inside),
    (by_cond, inside),
    (by_if, inside),
    (of_structs, of_structs_inside),
    (one_member, one_member_inside),
    (in_a_scan, in_a_scan_inside),
    (trajectory, trajectory_inside),
    (read_twice, read_twice_inside),
    (some_outside, some_outside_inside),
    (accumulated, accumulated_inside),
    (permuted, permuted_inside),
    (a_member_that_is_a_vector, a_member_inside),
    (read_in_a_while, read_in_a_while_inside),
    (with_checkpoints, in_a_scan_inside),
    (number_in_checkpoints, number_inside),
    (chosen_vector, inside),
    (packed, packed_inside),
    (exploded_cond, exploded_inside),
    (exploded_select, exploded_inside),
    (pair_state, pair_state_inside),
    (outs_of_an_explosion, outs_inside),
    (handed_to_what_reads_it_not, inside),
    (inactive_after_division, inactive_inside),
]

each_program = pytest.mark.parametrize(("body", "within"), PROGRAMS, ids=[body.__name__ for body, _ in PROGRAMS])


def same(found: dict[str, float], want: dict[str, float]) -> bool:
    return found == pytest.approx(want, rel=1e-9, abs=1e-12)


@each_program
def test_what_no_branch_reads_adds_nothing(body: Body, within: Body):
    want = values(line(within), 0.0, 2)
    assert all([math.isfinite(y) for y in want.values()])
    assert same(values(line(body), 0.0, 2), want)


@pytest.mark.slow
@each_program
def test_what_no_branch_reads_adds_nothing_to_third_derivatives(body: Body, within: Body):
    want = values(line(within), 0.0, 3)
    assert all([math.isfinite(y) for y in want.values()])
    assert same(values(line(body), 0.0, 3), want)


@each_program
def test_what_a_branch_reads_is_all_there(body: Body, within: Body):
    """Forward mode needs no masks; all other ways to the same order agree with it."""
    found = values(line(body, TAME), 0.0, 2)
    for order in (1, 2):
        ways = [y for k, y in found.items() if k != "f" and len(k) == order]
        assert ways == pytest.approx([found["j" * order]] * 2**order, rel=1e-9, abs=1e-12)
