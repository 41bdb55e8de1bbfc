"""Functions of several elements at once: in the interpreter, where they are those of one, and where there is none."""

from __future__ import annotations

from typing import Any

import pytest
from harness import same

import rose
from rose import Bool, Fin, Real, Vec, fn
from rose.host.interpreter import Numbers, run
from rose.ir import Func, While
from rose.ir.callgraph import operations, reachable
from rose.ir.check import check
from rose.ir.types import Pair, as_tuple
from rose.optimise.lanes import Unfit, form, forms, several


@fn
def decay(x: Real, rate: Real) -> Real:
    return rose.scan(lambda i, s: s - 0.1 * rate * rose.sqrt(rate) * s, x, 5)


@fn
def root(a: Real) -> Real:
    return rose.while_loop(lambda x: rose.abs(x * x - a) > 1e-9 * a, lambda x: 0.5 * (x + a / x), 1.0)


@fn
def guarded(a: Real) -> Real:
    return rose.cond(a > 0.0, lambda: root(a), lambda: -a)


@fn
def pieces(v: Vec[4]) -> Vec[2]:
    def term(i: Any) -> Any:
        return rose.cond(v[i] > 0.0, lambda: rose.exp(v[i]) * v[(i + 1) % 4], lambda: v[i] ** 3)

    total = rose.sum(term(i) for i in rose.range(4))
    return [total, total * v[0]]


@fn
def checked(a: Real) -> Real:
    rose.assert_(a < 9.0, "a is small")
    return a * a


@fn
def printed(a: Real) -> Real:
    rose.print("a is {}", a)
    return a


def squares(v: Any) -> Any:
    made = pieces(v)
    return made[0] * made[1]


slope = rose.grad(fn([Vec[4]], Real)(squares))
ONE = {
    "decay": (decay, (2.0, 0.5)),
    "root": (root, (7.0,)),
    "guarded": (guarded, (-3.0,)),
    "pieces": (pieces, ((0.5, -1.0, 2.0, -0.25),)),
    "slope": (slope, ((0.5, -1.0, 2.0, -0.25),)),
    "checked": (checked, (3.0,)),
}


def of_several(f: Any, *shared: bool) -> Func:
    made = several(f.func, shared or [False] * len(f.func.params))
    for g in reachable(made):
        check(g)
    return made


@pytest.mark.parametrize("name", ONE)
def test_the_interpreter_runs_it_as_that_of_one_element(name: str):
    f, args = ONE[name]
    (got,) = Numbers().run(of_several(f), [args])
    assert same(got, run(f.func, *args))


def test_what_is_shared_is_computed_once():
    made = of_several(decay, False, True)
    (given,) = made.params
    assert as_tuple(given.type).items == (Pair, Real)
    assert [op.wasm for g in reachable(made) for op in operations(g) if op.name == "sqrt"] == ["f64.sqrt"]


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (printed, "print is called once for each element"),
        (fn([Vec[3], Fin[3]], Real)(lambda v, k: v[k]), "an index differs"),
        (fn([Vec[3]], Real)(lambda v: v[rose.argmax(v)]), "differs from element to element"),
        (rose.grad(guarded), "differs from element to element"),
    ],
)
def test_where_there_is_none_it_is_said_why(f: Any, why: str):
    with pytest.raises(Unfit, match=why):
        of_several(f)
    assert form(f.func, [False] * len(f.func.params)) is None


def test_an_index_may_be_shared():
    f = fn([Vec[3], Fin[3], Bool], Real)(lambda v, k, up: rose.select(up, v[k], -v[k]))
    (got,) = Numbers().run(of_several(f, False, True, False), [((1.0, 2.0, 3.0), 1, False)])
    assert got == -2.0


def test_in_a_page_a_function_with_a_while_loop_has_none():
    assert [*forms({"root": root.func, "decay": decay.func})] == ["decay"]
    assert any([isinstance(g.kind, While) for g in reachable(of_several(root))])
