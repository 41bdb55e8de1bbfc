"""Abstract interpretation: which inputs each number of a derivative depends on."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Fin, Real, Vec
from rose.autodiff.jvp import jvp
from rose.differentiation.sparse.abstract_interpreter import Dependence
from rose.differentiation.sparse.abstract_values import Row, leaves
from rose.differentiation.sparse.index_sets import listed, single
from rose.ir.callgraph import make_linear
from rose.ir.types import items_of

CASES: list[tuple[str, Any, list[list[int]]]] = [
    ("elements", lambda v, i, x: rose.vec([v[0] * v[2], v[1], 1.0]), [[0, 2], [1], []]),
    ("a loop with known indices", lambda v, i, x: rose.vec(v[k] * v[(k + 1) % 3] for k in rose.range(3)),
     [[0, 1], [1, 2], [0, 2]]),
    ("an index from outside reads any element", lambda v, i, x: rose.vec([v[i], v[1], x]), [[0, 1, 2], [1], []]),
    ("a triangle", lambda v, i, x: rose.vec(rose.sum(v[j] ** 2 for j in rose.range(k)) for k in rose.range(3)),
     [[], [0], [0, 1]]),
    ("a range that ends where data say",
     lambda v, i, x: rose.vec([rose.scan(lambda j, s: v[j] * x, v[2], rose.range(i)), v[1], x]), [[0, 1, 2], [1], []]),
    ("times a literal zero",
     lambda v, i, x: rose.vec(v[k] * rose.constant(Vec[3], [0.0, 1.0, 2.0])[k] for k in rose.range(3)),
     [[], [1], [2]]),
    ("either side of a branch",
     lambda v, i, x: rose.cond(x > 0.0, lambda: rose.vec([v[0], v[1], 0.0]), lambda: rose.vec([v[2], v[1], 0.0])),
     [[0, 2], [1], []]),
    ("a while loop runs until nothing grows",
     lambda v, i, x: rose.while_loop(lambda s: s[0] < x, lambda s: rose.vec([s[1], s[2], s[2]]), v),
     [[0, 1, 2], [1, 2], [2]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "wanted"), CASES, ids=[row[0] for row in CASES])
def test_the_inputs_that_each_number_depends_on(name: str, body: Any, wanted: list[list[int]]):
    f = rose.fn([Vec[3], Fin[3], Real], Vec[3])(body)
    d = jvp(f.func, (True, False, False)).func
    run = Dependence(3)
    _, dy = run.run(d, [None, Row([single(k) for k in range(3)]), None, None])
    found = [*leaves(items_of(d.result)[1], dy)]
    run.sets.settle(found)
    assert [[*listed(s)] for s in found] == wanted


SEEN: list[tuple[Any, list[list[int]]]] = [
    (lambda x, k: [k * x[0], x[1]], [[2], [0]]),
    (lambda x, k: [rose.select(x[0] == 0.0, 0.0, k * x[0]), x[1]], [[0, 2], [0, 2]]),
    (lambda x, k: [rose.sum(k * x[i] for i in rose.range(1)), x[1]], [[0, 2], [0, 2]]),
]


@pytest.mark.parametrize(("body", "wanted"), SEEN, ids=["seen", "not seen", "a loop"])
def test_what_is_linear_because_its_maker_says_so(body: Any, wanted: list[list[int]]):
    """By its instructions, if they are straight and seen to be linear; else all depends on all of the tangent."""
    by = rose.fn([Vec[3], Real], Vec[2])(body).func
    back = rose.fn([Vec[2], Real], Vec[3])(lambda ct, k: [k * ct[0], ct[1], 0.0]).func
    run = Dependence(3)
    found = run.run(make_linear("given", by, back), [Row([single(2), single(0), single(2)]), None])
    run.sets.settle(found)
    assert [[*listed(s)] for s in found] == wanted
