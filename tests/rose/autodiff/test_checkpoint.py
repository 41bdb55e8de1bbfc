"""Scans with checkpoints give the bits of scans that keep everything, of the value and of derivatives to third order.

Reverse mode over reverse mode is the exception: there the turns that were evaluated again have derivatives of their
own, and a cotangent goes back through a turn in two parts, which are added afterwards, and not as one sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from control_programs import Particle, Point
from harness import Module, same

import rose
from rose import Real, Vec
from rose.autodiff.checkpoint import joined
from rose.host.interpreter import run
from rose.ir import building, types
from rose.ir.check import check
from rose.ir.text.printer import show
from tests.fuzz.derivatives import WAYS, direction

AT = (0.6, -0.4, 0.9, 0.3)
Scan = Callable[..., Any]  # `rose.scan` with a schedule
Body = Callable[[Scan, Any], Any]

SCHEDULES: list[dict[str, Any]] = [{"checkpoint": "sqrt"}, {"checkpoint": "binomial", "snapshots": 2}]


def number(scan: Scan, v: Any) -> Any:
    return scan(lambda i, s: rose.sin(s + v[1]) * v[2] + v[3] * i * 0.01, v[0], 7)


def outs(scan: Scan, v: Any) -> Any:
    last, all = scan(lambda i, s: (rose.sin(s) * v[1] + 0.1 * i, [s * v[0], s + i]), v[2], 8)
    return last * rose.sum(all[i][0] * all[i][1] for i in rose.range(8))


def vector(scan: Scan, v: Any) -> Any:
    w = scan(lambda i, s: rose.vec(s[(k + 1) % 4] * v[k] + rose.cos(s[k]) for k in rose.range(4)), v, 5)
    return rose.dot(w, v)


def struct(scan: Scan, v: Any) -> Any:
    def turn(i: Any, s: Any) -> Any:
        y = rose.cond(s.alive, lambda: s.at.x * 0.5 + v[3], lambda: rose.sin(s.at.y) * v[1])
        return Particle(Point(y, s.v[1] + 0.1 * v[2]), [s.v[1] * v[i % 4], y * 0.3], s.at.x < y, (s.cell + 1) % 4)

    s = scan(turn, Particle(Point(v[0], v[1]), [v[2], v[3]], True, 0), 9)
    return s.at.x * s.at.y + s.v[0] * s.v[1] * (s.cell + 1)


def captured_numbers(scan: Scan, v: Any) -> Any:
    x, p = v[0] * v[3], Point(rose.exp(v[1]), v[2] * v[2])
    s = scan(lambda i, s: rose.tanh(s * x + p.x) * p.y + x * x, v[0], 6)
    return s * x + p.x * s


def captured_vectors(scan: Scan, v: Any) -> Any:
    w = rose.vec(v[k % 4] * v[(k + 1) % 4] + k for k in rose.range(7))
    s = scan(lambda i, s: rose.sin(s * w[i]) + rose.dot(w, w) * 0.01 * s, v[0], 7)
    return s * rose.sum(w[i] * w[i] for i in rose.range(7))


def vectors_as_a_whole(scan: Scan, v: Any) -> Any:
    norm = rose.fn([Vec[4]], Real)(lambda x: rose.sqrt(rose.dot(x, x)))
    s = scan(lambda i, s: (rose.select(i > 2, s[0] + norm(v), norm(s[1])), v), (v[0], v), 6)
    return s[0] * norm(v) + rose.dot(s[1], v)


def struct_outside(scan: Scan, v: Any) -> Any:
    """One item of it is read outside, where it is known, and in the turns; one is a vector, read twice in a turn."""
    make = rose.fn([Vec[4]], Particle)(lambda w: Particle(Point(w[0] * w[1], w[2]), [w[3], w[1]], w[0] < 1.0, 1))
    add = rose.fn([Particle, Real], Real)(lambda p, x: p.at.x * x + p.v[0] * p.v[1] + p.at.y)
    p = make(v)
    x = p.at.x * p.v[1]
    s = scan(lambda i, s: rose.sin(add(p, s) + p.at.x * x) * p.v[i % 2] + p.v[0] * p.at.y, p.at.y, 6)
    return s * x + add(p, s)


def vector_of_structs_outside(scan: Scan, v: Any) -> Any:
    ps = rose.vec(Point(v[k] * 0.5, rose.sin(v[k])) for k in rose.range(4))
    q = scan(lambda i, s: Point(ps[i % 4].x * s.y + ps[0].x, s.x * ps[1].y + ps[i % 4].x), ps[0], 6)
    return q.x * q.y + ps[1].x


def in_arms(scan: Scan, v: Any) -> Any:
    """What is infinite is made in the turns, for an arm that none of them takes."""

    def turn(i: Any, s: Any) -> Any:
        far = rose.sqrt(v[0] - 0.6) / (v[0] - 0.6)
        return rose.select(s > 90.0, far * s, rose.sin(s) * v[1]) + v[2]

    return scan(turn, v[3], 6) ** 2


def made_outside_too(scan: Scan, v: Any) -> Any:
    """The turns make what is there outside as well."""
    x = rose.sin(v[0] * v[1])
    s = scan(lambda i, s: s * rose.sin(v[0] * v[1]) + v[2] * v[3], v[2] * v[3], 7)
    return s * x + v[2] * v[3]


def with_flat_outs(scan: Scan, v: Any) -> Any:
    last, all = scan(lambda i, s: (rose.sin(s) * v[1], [rose.floor(s * 5.0) + i, 2.0]), v[0], 6)
    return last * rose.sum(all[i][0] * all[i][1] * v[2] for i in rose.range(6))


def unused(scan: Scan, v: Any) -> Any:
    """A state that no result reads, one that stays, and one that has no derivative at first."""
    s = scan(lambda i, s: (s[1] * v[0], s[1], s[2] * v[1] + s[0], s[3] + s[1]), (1.0, v[2], 0.5, v[3]), 7)
    return s[2] * s[1]


def nested(scan: Scan, v: Any) -> Any:
    inner = lambda i, s: scan(lambda j, t: rose.sin(t * v[1] + s) + (i + j) * v[2] * 0.1, s * v[3], 5)
    return scan(inner, v[0], 5)


def nested_with_outs(scan: Scan, v: Any) -> Any:
    def turn(i: Any, s: Any) -> Any:
        t, all = scan(lambda j, t: (rose.sin(t) * v[j % 4], t * s[1]), s[0], 5)
        return (t, s[1] * 0.9), rose.dot(all, all)

    s, all = scan(turn, (v[0], v[1]), 6)
    return s[0] * s[1] + rose.dot(all, all)


def stored_inside(scan: Scan, v: Any) -> Any:
    return scan(lambda i, s: rose.scan(lambda j, t: rose.sin(t) * v[1] + s * v[j], s, 4), v[0], 6)


def inside_of_stored(scan: Scan, v: Any) -> Any:
    return rose.scan(lambda i, s: scan(lambda j, t: rose.sin(t) * v[1] + s * v[j % 4], s, 6), v[0], 4)


def in_cond(scan: Scan, v: Any) -> Any:
    arm = lambda: scan(lambda i, s: rose.sin(s) * v[1] + v[0] * i, v[2], 6)
    return rose.cond(v[0] > 0.0, arm, lambda: v[1]) * rose.cond(v[0] < 0.0, arm, lambda: v[1])


def in_while(scan: Scan, v: Any) -> Any:
    turn = lambda s: (scan(lambda i, t: rose.sin(t) * v[1] + v[0] * i, s[0], 6), s[1] + 1.0)
    return rose.while_loop(lambda s: s[1] < 3.0, turn, (v[2], 0.0))[0]


def in_vec(scan: Scan, v: Any) -> Any:
    w = rose.vec(scan(lambda i, s, k=k: rose.sin(s) * v[k] + v[0] * i, v[k], 6) for k in rose.range(4))
    return rose.dot(w, w)


def with_everything_inside(scan: Scan, v: Any) -> Any:
    def turn(i: Any, s: Any) -> Any:
        t = rose.cond(s > 1.0, lambda: s * v[1], lambda: s + v[0] * (i + 1))
        u = rose.while_loop(lambda u: u < 1.0, lambda u: u * 1.5 + v[2], t)
        return u * rose.sum(v[k] * v[k] for k in rose.range(4))

    return scan(turn, v[0], 7)


def called_twice(scan: Scan, v: Any) -> Any:
    f = rose.fn([Real, Vec[4]], Real)(lambda x, w: scan(lambda i, s: rose.sin(s) * x + w[i % 4], x * w[0], 7))
    return f(v[0], v) * f(v[1], v)


FAMILY: list[Body] = [
    number, outs, vector, struct, captured_numbers, captured_vectors, vectors_as_a_whole, struct_outside,
    vector_of_structs_outside, made_outside_too, with_flat_outs, unused, nested, nested_with_outs, stored_inside,
    inside_of_stored, in_cond, in_while, in_vec, in_arms, with_everything_inside, called_twice,
]  # fmt: skip
ONCE = ["j", "v", "l", "jj", "jv", "vj", "vl", "jjv", "jvj", "vjj"]
AGAIN = ["vv", "lv"]  # reverse mode, where reverse mode or `linearize` was before

each = pytest.mark.parametrize("body", FAMILY, ids=lambda body: body.__name__)


def compositions(body: Body, schedule: dict[str, Any], orders: list[str]) -> dict[str, Any]:
    """The function with this schedule, and its derivatives along fixed directions."""
    scan: Scan = lambda *args: rose.scan(*args, **schedule)
    made: dict[str, Any] = {"": rose.fn([Vec[4]], Real)(lambda v: body(scan, v))}
    for order in orders:
        for k in range(1, len(order) + 1):
            if order[:k] not in made:
                made[order[:k]] = WAYS[order[k - 1]](made[order[: k - 1]], direction(k, 4))
    return made


def values(made: dict[str, Any]) -> dict[str, Any]:
    module = Module({f"d{name}": check(f.func) for name, f in made.items()})
    return {name: module[f"d{name}"](AT) for name in made}


def users(body: Body, schedule: dict[str, Any]) -> dict[str, Any]:
    """Derivatives as users take them."""
    f = compositions(body, schedule, [])[""]
    hvp = rose.fn([Vec[4]], Vec[4])(lambda v: rose.hvp(f)(v, direction(1, 4)))
    return {"grad": rose.grad(f), "hessian": rose.hessian(f), "hvp": hvp}


@each
def test_derivatives_are_those_of_a_scan_that_keeps_everything(body: Body):
    wanted = values({**compositions(body, {}, ONCE + AGAIN), **users(body, {})})
    assert all([math.isfinite(wanted[name]) for name in ("", *ONCE, *AGAIN)]) and wanted["vj"]
    for schedule in SCHEDULES:
        found = values({**compositions(body, schedule, ONCE + AGAIN), **users(body, schedule)})
        for name, want in wanted.items():
            if name in AGAIN:
                assert found[name] == pytest.approx(want, rel=1e-13, abs=1e-14), (schedule, name)
            else:
                assert same(found[name], want), (schedule, name)


def test_iterations_that_use_a_member_of_a_tuple_can_be_printed():
    f = rose.fn([tuple[Real, Real]], Real)(lambda p: rose.scan(lambda i, s: s * p[1], 1.0, 4, checkpoint="sqrt"))
    assert "remat" in show(f.func)


@pytest.mark.parametrize(("n", "m"), [(5, 3), (3, 5), (4, 3), (0, 2), (2, 0), (1, 1)])
def test_vectors_are_joined_whatever_their_lengths(n: int, m: int):
    with building("f") as b:
        x, y = b.param(types.Vec(n, types.Real), "x"), b.param(types.Vec(m, types.Real), "y")
        both = joined(b, x, y)
        assert both is not None
        f = b.func(both)
    xs, ys = tuple(map(float, range(n))), tuple(map(float, range(10, 10 + m)))
    assert run(f, xs, ys) == (*xs, *ys)
