"""The calling convention of the halves: what is passed, what is returned, and that both halves are adjoint."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Module

import rose
from rose import Real, Vec, ir
from rose.autodiff.cotangents import Cotangent
from rose.autodiff.half_signature import Arguments, opened
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearize import linearize
from rose.autodiff.transpose import Halves, transpose
from rose.host.interpreter import run
from rose.ir import Func, types
from rose.ir.check import check
from rose.ir.types import Ref, Stack, items_of, linear_part, tuple_of


def halves_of(f: Func) -> Halves:
    return transpose(jvp(f, full_mask(f)).func)


@rose.fn
def mixed(x: Real, v: Vec[3], p: tuple[Real, Vec[2]]) -> Real:
    return x * v[0] * v[2] + rose.sin(p[0] * p[1][1])


@rose.fn
def power(x: Real, n: Real) -> Real:
    return rose.while_loop(lambda s: s[1] < n, lambda s: (s[0] * x, s[1] + 1.0), (1.0, 0.0))[0]


@rose.fn
def chosen(x: Real, v: Vec[2]) -> Real:
    return rose.cond(x > 0.0, lambda: x * v[0] * v[1], lambda: rose.exp(x) * v[1])


def test_vectors_have_accumulators_and_numbers_are_returned():
    bwd = check(halves_of(mixed.func).bwd)
    assert [p.type for p in bwd.params if isinstance(p.type, Ref)] == [Ref(types.Vec(3, Real)), Ref(types.Vec(2, Real))]
    assert bwd.result is tuple_of(Real, Real)


def test_a_stack_is_summed_by_value_as_a_number_is():
    """The backward half of a while loop takes a stack; in its own backward half that has a cotangent."""
    again = halves_of(halves_of(power.func).bwd)
    taken, returned = [p.type for p in check(again.bwd).params], items_of(again.bwd.result)
    assert any([isinstance(t, Stack) for t in returned]) and Real in returned
    assert not any([isinstance(t, Ref) and isinstance(t.inner, Stack) for t in taken])


def test_a_while_loop_is_differentiated_twice_in_reverse_and_compiled():
    twice = rose.fn([Real], Real)(lambda x: rose.grad(rose.fn([Real], Real)(lambda y: rose.grad(power)(y, 5.0)))(x))
    assert Module({"f": twice.func})["f"](1.5) == pytest.approx(20 * 1.5**3)


def test_an_accumulator_has_the_cotangent_of_its_sum():
    """`bwd` takes it, and `lin` takes an accumulator."""
    with ir.building("f") as b:
        b.loc = mixed.loc
        total, x = b.param(Ref(types.Vec(2, Real)), "total"), b.param(Real, "x")
        b.add_to(b.at(total, b.const(1, rose.Fin[2])), x)
        f = b.func(b.tuple([]))
    d = jvp(f, full_mask(f)).func
    bwd, lin = check(transpose(d).bwd), check(linearize(d).lin)
    assert bwd.params[0].type is types.Vec(2, Real) and lin.params[0].type is Ref(types.Vec(2, Real))
    assert run(bwd, (3.0, 7.0), *[() for _ in bwd.params[1:]]) == (7.0,)


@pytest.mark.parametrize(("f", "at"), [(mixed, (1.3, (0.4, 0.7, -0.2), (0.5, (0.1, 0.9)))),
                                       (power, (1.3, 3.0)), (chosen, (0.8, (0.3, 0.6)))])  # fmt: skip
def test_the_halves_are_adjoint(f: Any, at: tuple[Any, ...]):
    """<J d, ct> = <d, J^T ct>, through calls by the signature."""
    d = jvp(f.func, full_mask(f.func)).func
    halves, (_, lin, signature) = transpose(d), linearize(d)
    with ir.building("both") as b:
        b.loc = f.loc
        primals = {k: b.param(d.params[k].type) for k in signature.primal}
        tangents = {k: b.param(linear_part(d.params[k].type)) for k in signature.linear}
        tape = b.get(signature.call_forward(b, halves.fwd, primals), 1)
        pushed = b.get(signature.call(b, lin, Arguments(tangents, primals, [], tape)), 1)
        totals = {k: Cotangent(linear_part(d.params[k].type)) for k in signature.linear}
        ct = b.tuple([b.zero(items_of(linear_part(d.result))[0]), b.const(1.0, Real)])
        signature.call_backward(b, halves.bwd, Arguments(totals, primals, [ct], tape))
        assert all([not opened(b, x) for x in totals.values() if x.type is Real])
        gradients = b.tuple([x.total(b) for x in totals.values()])
        both = check(b.func(b.tuple([pushed, gradients])))
    slope, gradient = run(both, *at, *at)
    assert slope == pytest.approx(sum([x * y for x, y in zip(numbers(gradient), numbers(at), strict=True)]))


def numbers(x: Any) -> list[float]:
    return [y for part in x for y in numbers(part)] if isinstance(x, tuple) else [x]
