"""`untype`: the same function over numbers."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Bool, Real, Vec
from rose.autodiff.erase_tangents import untype
from rose.autodiff.jvp import full_mask, jvp
from rose.host.interpreter import run
from rose.ir import Func
from rose.ir.callgraph import callees
from rose.ir.check import check


def derivative(f: Any) -> Func:
    return jvp(f.func, full_mask(f.func)).func


@rose.fn
def inner(x: Real, c: Bool) -> Real:
    return rose.cond(c, lambda: x * x, lambda: rose.while_loop(lambda s: s < 5.0, lambda s: s * x, x))


@rose.fn
def outer(v: Vec[2], c: Bool) -> Real:
    return rose.sum(inner(v[i], c) * i for i in rose.range(2))


def everything(f: Func) -> set[Func]:
    return {f}.union(*[everything(g) for g in callees(f)])


def test_a_function_without_tangents_is_itself():
    assert untype(outer.func) is outer.func


def test_no_tangent_is_left_in_any_callee():
    made = check(untype(derivative(outer)))
    assert not any([p.type.linear for g in everything(made) for p in g.params])
    assert not any([v.type.linear for g in everything(made) for v in g.body.code])


@pytest.mark.parametrize("c", [True, False])
def test_it_computes_the_same(c: bool):
    d = derivative(outer)
    args = (1.5, 1.7), (0.3, -0.4), c
    assert run(untype(d), *args) == run(d, *args)


def test_each_function_has_one_copy():
    d = derivative(outer)
    assert untype(d) is untype(d)
