"""Domains of one's own: what stands for a number, and what an operation does with it. The walk is the evaluator's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import rose
from rose import Fin, Real, Vec, fn
from rose.autodiff.jvp import jvp
from rose.host.evaluator import Evaluator
from rose.host.interpreter import run
from rose.ir import Op, building
from rose.ir.numbers import Numbers
from rose.ir.types import Fin as FinType
from rose.ir.types import Real as RealType
from rose.ir.types import Type
from rose.ir.types import Vec as VecType


class Text(Evaluator):
    """Formulas: a number is the text that computes it, and of an unknown truth both sides are written."""

    def literal(self, x: Any, t: Type) -> Any:
        return f"{x:g}" if t is RealType else x

    def row(self, op: Op, *xs: Any) -> Any:
        return f"{op.name}({', '.join(map(str, xs))})" if str in map(type, xs) else super().row(op, *xs)

    def truth(self, c: Any) -> bool | None:
        return None if isinstance(c, str) else c

    def either(self, t: Type, x: Any, y: Any) -> Any:
        return f"({x} or {y})"


@dataclass(frozen=True)
class Deep:
    """A number, and the length of the longest chain of operations that it ends."""

    value: float
    depth: int


class Depths(Evaluator):
    """How many operations must be done one after another, on the path that the program takes."""

    def literal(self, x: Any, t: Type) -> Any:
        return Deep(x, 0) if t is RealType else x

    def row(self, op: Op, *xs: Any) -> Any:
        z = super().row(op, *[x.value if isinstance(x, Deep) else x for x in xs])
        return Deep(z, 1 + max([x.depth for x in xs if isinstance(x, Deep)], default=0)) if type(z) is float else z


def of(domain: Evaluator, f: Any, *xs: Any) -> Any:
    return domain.run(f.func, list(xs))


@fn
def poly(x: Real, y: Real) -> Real:
    return x * y + 2.0


def test_a_domain_of_texts_writes_formulas():
    assert of(Text(), poly, "x", "y") == "add(mul(x, y), 2)"


def test_a_domain_of_texts_evaluates_a_derivative():
    d = jvp(poly.func, (True, False)).func
    assert Text().run(d, ["x", "dx", "y"]) == ("add(mul(x, y), 2)", "mul(dx, y)")


def test_a_loop_runs_its_iterations_over_any_domain():
    f = fn([Vec[3]], Real)(lambda x: rose.prod(x[i] for i in rose.range(1, 3)))
    assert of(Text(), f, ("a", "b", "c")) == "mul(mul(1, b), c)"


def test_what_is_added_to_an_accumulator_is_a_sum_of_the_domain():
    f = fn([Vec[3]], Real)(lambda x: rose.sum(x[i] for i in rose.range(3)))
    assert of(Text(), f, ("a", "b", "c")) == "add(add(add(0, a), b), c)"
    assert of(Depths(), f, [Deep(k, 0) for k in (1.0, 2.0, 3.0)]) == Deep(6.0, 3)


def test_an_accumulator_begins_at_a_literal_vector():
    with building("f") as b:
        x = b.param(RealType, "x")
        ref = b.accum(b.const(Numbers((1.0, 2.0)), VecType(2, RealType)))
        b.add_to(b.at(ref, b.const(1, FinType(2))), x)
        f = b.func(b.freeze(ref))
    assert run(f, 5.0) == (1.0, 7.0)


def test_of_a_truth_that_is_not_known_there_are_both_sides():
    f = fn([Real], Real)(lambda x: rose.cond(x > 0.0, lambda: x * x, lambda: -x))
    g = fn([Real], Real)(lambda x: rose.select(x > 0.0, x, 1.0))
    assert of(Text(), f, "x") == "(mul(x, x) or neg(x))" and of(Text(), g, "x") == "(x or 1)"


def test_an_index_that_is_known_reads_its_element():
    f = fn([Vec[3], Fin[3]], Real)(lambda x, i: x[i] + rose.constant(Vec[2], [3.0, 4.0])[1])
    assert of(Text(), f, ("a", "b", "c"), 2) == "add(c, 4)"


def test_the_depth_of_a_program_is_that_of_the_path_it_takes():
    f = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s < 100.0, lambda s: s * s, x))
    assert of(Depths(), f, Deep(2.0, 0)) == Deep(256.0, 3)
    assert of(Depths(), rose.grad(f), Deep(2.0, 0)).value == run(rose.grad(f).func, 2.0)


def test_a_truth_that_no_domain_knows_is_told():
    class Unknown(Text):
        either = Evaluator.either

    with pytest.raises(NotImplementedError, match="Unknown has no value that is one of two"):
        of(Unknown(), fn([Real], Real)(lambda x: rose.select(x > 0.0, x, 1.0)), "x")


def test_a_while_loop_that_has_had_its_iterations_ends_in_every_domain():
    f = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s > 0.0, lambda s: s + 1.0, x, max_iter=5))
    with pytest.raises(rose.RoseError, match="5"):
        of(Depths(), f, Deep(1.0, 0))


def test_a_host_function_sees_what_stands_for_numbers():
    @rose.opaque
    def twice(x: Real) -> Real:
        return x + x

    class Joined(Text):
        def opaque(self, f: Any, impl: Any, xs: list[Any]) -> Any:
            return impl(*xs)

    assert of(Joined(), fn([Real], Real)(lambda x: twice(x) * x), "x") == "mul(xx, x)"
