"""Loop-invariant code motion out of while loops."""

from __future__ import annotations

from typing import Any

import pytest
from optimising import code, fast

import rose
from rose import Real, Vec, fn
from rose.ir import Func, While
from rose.ir.callgraph import reachable
from rose.ir.ops import div, exp, sqrt
from rose.optimise.costs import WHILE_KEPT_NUMBERS


def looped(test: Any, body: Any, n: Any) -> Any:
    return rose.while_loop(lambda s: (s[0] < n) & test(s), lambda s: (s[0] + 1.0, body(s[1])), (0.0, 1.0))[1]


ALWAYS = lambda s: True
PROGRAMS: dict[str, Any] = {
    "in the body": lambda n, a: looped(lambda s: s[1] < 9.0, lambda x: 0.5 * x + rose.exp(a[0]), n),
    "in the test": lambda n, a: looped(lambda s: s[1] < rose.exp(a[0]), lambda x: x * a[1], n),
    "in both": lambda n, a: looped(lambda s: s[1] < rose.exp(a[0]), lambda x: x * rose.exp(a[0]), n),
    "of a short loop": lambda n, a: looped(
        lambda s: s[1] < 99.0, lambda x: x + rose.exp(rose.sum(a[i] * a[i] for i in rose.range(2))), n
    ),
    "in a loop in the body": lambda n, a: looped(
        lambda s: s[1] < 99.0, lambda x: x + rose.sum(x * rose.exp(a[0]) for _ in rose.range(40)), n
    ),
    "in a loop in a loop": lambda n, a: looped(
        lambda s: s[1] < 99.0, lambda x: x + looped(lambda t: t[1] < 3.0, lambda y: y + rose.exp(a[0]), n), n
    ),
}
POINTS = [(n, (0.5, 1.5)) for n in (0.0, 1.0, 3.0)]


def inside(f: Func) -> list[Any]:
    """The operations of the parts of while loops."""
    parts = [g for w in reachable(f) if isinstance(w.kind, While) for g in (w.kind.test, w.kind.body)]
    return [v.op for g in parts for v in code(g)]


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS)
def test_what_stays_the_same_is_made_before_the_loop(body: Any):
    f = fn([Real, Vec[2]], Real)(body)
    assert exp not in inside(fast(f.func, *POINTS))
    for g in (rose.grad(f, 1), rose.jacfwd(rose.grad(f, 1), 1)):
        fast(g.func, *POINTS)


def test_what_an_iteration_changes_stays_in_the_loop():
    f = fn([Real, Vec[2]], Real)(lambda n, a: looped(lambda s: s[1] < 9.0, lambda x: x + rose.exp(a[0] * x), n))
    assert exp in inside(fast(f.func, *POINTS))


def test_of_many_the_costly_are_made_before():
    many = range(WHILE_KEPT_NUMBERS + 4)
    body = lambda x, v: rose.exp(x) * sum([v[k] * v[k] * x for k in many], 0.0) + rose.sqrt(v[0]) / v[1]
    f = fn([Real, Vec[20]], Real)(lambda n, v: looped(lambda s: s[1] < 9.0, lambda x: body(x, v), n))
    kept = inside(fast(f.func, (3.0, tuple([0.125 * k + 0.5 for k in range(20)]))))
    assert sqrt not in kept and div not in kept
