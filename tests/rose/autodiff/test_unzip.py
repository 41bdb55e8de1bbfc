"""The forward half: it computes what the function does, to the bit, and its tape is made of numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.unzip import unzip
from rose.host.interpreter import run
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.ir.types import items_of
from rose.optimise.costs import TAPE_DEPTH


def unzipped(f: Any) -> Any:
    return unzip(jvp(f.func, full_mask(f.func)).func)


@rose.fn
def f(v: Vec[3], x: Real) -> Real:
    w = rose.vec(rose.sin(v[i] * x) for i in rose.range(3))
    return rose.scan(lambda i, s: s * w[i] + x, 1.0, 3) + rose.dot(w, v)


def test_it_has_the_value_of_the_function():
    args = (0.3, 0.7, -0.2), 1.1
    (value, _), _ = run(check(unzipped(f).fwd), *args)
    assert value == f(*args)


def test_it_touches_no_tangent():
    fwd = unzipped(f).fwd
    assert not fwd.result.linear and not any([v.type.linear for v in instructions(fwd.body)])


def test_its_signature_has_the_type_of_the_tape():
    of = unzipped(f)
    assert items_of(of.fwd.result)[1] is of.signature.tape


def test_the_tape_of_a_loop_has_what_its_iterations_made_each_in_its_place():
    g = rose.fn([Vec[3]], Real)(lambda v: rose.sum(rose.sqrt(v[i]) * rose.exp(v[i]) for i in rose.range(3)))
    x = 1.0, 4.0, 0.25
    _, tape = run(check(unzipped(g).fwd), x)
    assert set(tape) == {tuple(map(math.sqrt, x)), tuple(map(math.exp, x))}
    slopes = [math.exp(y) * (0.5 / math.sqrt(y) + math.sqrt(y)) for y in x]
    assert rose.grad(g)(x).tolist() == pytest.approx(slopes, rel=1e-15)


def test_a_function_is_unzipped_once():
    d = jvp(f.func, full_mask(f.func)).func
    assert unzip(d) is unzip(d)


def test_what_no_branch_reads_is_on_the_tape_as_it_is():
    """The backward half masks what it makes of it."""
    g = rose.fn([Real], Real)(lambda x: rose.select(x > 0.0, rose.sqrt(x) * rose.log(x), x))
    _, tape = run(unzipped(g).fwd, -1.0)
    assert [y for y in tape if y != y]


def around(inner: Any) -> Any:
    return rose.fn([Real], Real)(lambda x: inner(rose.sin(x)) * x)


@pytest.mark.parametrize(("depth", "deep"), [(3, False), (TAPE_DEPTH + 2, True)])
def test_the_tape_of_a_deep_chain_of_calls_is_on_a_stack(depth: int, deep: bool):
    g = rose.fn([Real], Real)(lambda x: rose.sin(x) * x)
    for _ in range(depth):
        g = around(g)
    assert unzipped(g).signature.tape.stacked is deep
