"""Staging: two functions in the place of one, with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import same

import rose
from rose import Real, fn, ir
from rose.host.interpreter import run
from rose.ir import Func, Value
from rose.ir.callgraph import done
from rose.ir.check import check
from rose.ir.ops import exp, mul
from rose.ir.types import Ref, Vec, items_of
from rose.optimise.dead_code import remove_dead_code
from rose.optimise.staging import Staged, staged


def of(types: list[Any], body: Callable[..., Any]) -> Func:
    f = fn(types, Real)(body).func
    return remove_dead_code(f)


def stages(f: Func, *is_same: bool) -> Staged:
    made = done(staged(f, is_same))
    assert made is not None
    return made


def joined(f: Func, s: Staged) -> Func:
    """The late stage of the early one."""
    with ir.copying(f) as b:
        args = [b.param(p.type, p.attr) for p in f.params]
        return check(b.func(b.call(s.late, s.begin(b, args))))


INNER = fn([Real, Real], Real)(lambda a, b: rose.exp(a) * rose.log(2.0 + a * a) * b)


def one_side(a: Any, b: Any) -> Any:
    return rose.cond(a > 0.0, lambda: rose.exp(a) * rose.tanh(a) * b, lambda: b)


def summed(a: Any, b: Any) -> Any:
    total, other = rose.accum(0.0), rose.accum(0.0)
    for k in rose.range(4):
        total += rose.exp(a * (k + 1.0))
    for _ in rose.range(4):
        other += b
    return total.value * other.value


def of_vectors(a: Any, b: Any) -> Any:
    v = rose.vec(rose.exp(a * (k + 1.0)) for k in rose.range(12))
    return rose.sum(v[k] * v[11 - k] * b for k in rose.range(12))


PROGRAMS: dict[str, Any] = {
    "operations": lambda a, b: rose.exp(a) * rose.tanh(a) * b,
    "a call": lambda a, b: INNER(a, b) + INNER(a, 2.0),
    "a call in a call": lambda a, b: fn([Real, Real], Real)(lambda x, y: INNER(x, y) * y)(a, b),
    "a branch": one_side,
    "a branch in a call": lambda a, b: fn([Real, Real], Real)(one_side)(a, b) * b,
    "a sum": summed,
    "a vector": of_vectors,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_stages_have_the_bits_of_the_function(name: str):
    f = of([Real, Real], PROGRAMS[name])
    made = joined(f, stages(f, True, False))
    for x in ((0.5, 2.0), (-0.5, 3.0), (0.0, -0.0)):
        assert same(run(made, *x), run(f, *x))


def test_each_stage_takes_what_it_reads():
    f = of([Real, Real, Real], lambda a, b, c: rose.exp(a) * rose.exp(c) * b + a)
    s = stages(f, True, False, True)
    assert s.early_params == (0, 2) and s.late_params == (0, 1) and len(items_of(s.early.result)) == 1


def test_what_is_cheap_is_computed_again():
    f = of([Real, Real], lambda a, b: rose.exp(a) * rose.tanh(a) * b + (a + 1.0) * b)
    assert len(items_of(stages(f, True, False).early.result)) == 1


@pytest.mark.parametrize(
    ("f", "same_params"),
    [
        (of([Real, Real], lambda a, b: a * b + a), (True, False)),
        (of([Real, Real], lambda a, b: rose.exp(b) * a), (True, False)),
        (of([Real, Real], PROGRAMS["operations"]), (False, False)),
        (
            fn([Real, Real], Real)(lambda a, b: rose.cond(b > 0.0, lambda: rose.exp(a) * b, lambda: b)).func,
            (True, False),
        ),
    ],
    ids=["what is cheap", "nothing is the same", "nothing is given", "a side that may not be taken"],
)
def test_what_is_not_worth_it_stays_one_function(f: Func, same_params: tuple[bool, ...]):
    assert done(staged(f, same_params)) is None


def test_a_function_with_a_derivative_of_its_own_stays_one():
    f = fn([Real, Real], Real)(PROGRAMS["operations"])
    f.jvp(lambda a, b: rose.Dual(a.re, b.du))
    assert done(staged(f.func, (True, False))) is None


def test_what_is_added_to_what_others_read_is_added_late():
    def body(b: ir.Builder, ref: Value, x: Value, y: Value) -> Value:
        b.add_to(ref, b.emit(mul, (b.emit(exp, (b.emit(exp, (x,)),)), y)))
        return b.unit()

    with ir.building("adds") as b:
        f = b.func(body(b, b.param(Ref(Real)), b.param(Real), b.param(Real)))
    s = stages(f, False, True, False)
    assert s.early_params == (1,) and s.late_params == (0, 2)
    check(s.late)


def test_a_branch_gives_each_side_what_is_its_own():
    then, otherwise = lambda a, b: rose.exp(a) * rose.tanh(a) * b, lambda a, b: rose.sin(a) * rose.log(a + 9.0) + b
    f = of([Real, Real], lambda a, b: rose.cond(a > 0.0, lambda: then(a, b), lambda: otherwise(a, b)))
    s = stages(f, True, False)
    assert items_of(s.early.result) == (Real, Real)
    assert same(run(joined(f, s), -1.0, 2.0), run(f, -1.0, 2.0))


def test_vectors_are_handed_on_whole():
    (item,) = items_of(stages(of([Real, Real], of_vectors), True, False).early.result)
    assert item is Vec(12, Real)
