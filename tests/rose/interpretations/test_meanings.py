"""What a meaning is made of: carriers, rules by name and by function, refusals."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import rose
import rose.interpretations as room
from rose import Bool, Fin, Real, RoseError, Vec, fn
from rose.frontend.annotations import as_type
from rose.interpretations import Interval, Meaning, Optic, Refusal, Truth, TwoWay
from rose.ir import OPS
from rose.ir.types import Unit, tuple_of

square = fn([Real], Real)(lambda x: x * x)


class Doubled(Meaning):
    name = "doubled"
    rules: Mapping[Any, Any] = {"add": lambda x, y: x + y, square: lambda x: 2.0 * x}


class OfIntervals(TwoWay):
    carrier, truth, back = Interval, Truth, Interval


def test_a_rule_is_found_by_the_name_of_an_operation_and_by_the_function():
    doubled = Doubled()
    assert doubled.rule(OPS["add"]) is Doubled.rules["add"] and doubled.rule(OPS["mul"]) is None
    assert rose.interpret(fn([Real], Real)(lambda x: square(x) + x), doubled)(3.0) == 9.0


def test_a_function_with_a_rule_is_not_looked_into_in_a_loop_either():
    f = fn([Vec[3]], Real)(lambda x: rose.sum(square(e) for e in x))
    assert rose.interpret(f, Doubled())([1.0, 2.0, 3.0]) == 12.0


@pytest.mark.parametrize(
    ("t", "carriers", "backs"),
    [
        (Real, as_type(Interval), as_type(Interval)),
        (Bool, as_type(Truth), Unit),
        (Fin[3], Fin[3], Unit),
        (Vec[2, 3], Vec[2, 3, as_type(Interval)], Vec[2, 3, as_type(Interval)]),
        (tuple_of(Real, Fin[2]), tuple_of(as_type(Interval), Fin[2]), tuple_of(as_type(Interval), Unit)),
    ],
)
def test_carriers_stand_for_numbers_and_truths_and_nothing_comes_back_for_truths(t: Any, carriers: Any, backs: Any):
    assert OfIntervals().carriers(t) is carriers and OfIntervals().backs(t) is backs


def test_what_a_rule_refuses_is_an_error_at_the_users_expression():
    class Strict(Meaning):
        name = "strictness"

        def rule(self, op: Any) -> Any:
            def refused(*_: Any) -> Any:
                raise Refusal("not today", "come back tomorrow")

            return refused

    with pytest.raises(RoseError, match=r"strictness: not today[\s\S]*rose.sin\(x\)[\s\S]*hint: come back tomorrow"):
        rose.interpret(fn([Real], Real)(lambda x: rose.sin(x)), Strict())


class Numbers(Meaning):
    name, truth, rules = "numbers", Real, {"lt": lambda x, y: y - x, "mul": lambda x, y: x * y}


class NumbersBack(TwoWay):
    name, rules = "numbers", {"lt": Optic(lambda x, y: (y - x, None), lambda _, due: (due, due))}


@pytest.mark.parametrize(
    ("body", "meaning", "says"),
    [
        (lambda x: rose.select(x < 1.0, x, 2.0), Numbers(), r"a choice by[\s\S]*rose.select\(x[\s\S]*define choose"),
        (lambda x: rose.cond(x < 1.0, lambda: x, lambda: 2.0), Numbers(), r"rose.cond\(x[\s\S]*define choose"),
        (
            lambda x: rose.while_loop(lambda s: s < 9.0, lambda s: s * s, x),
            Numbers(),
            r"goes on by[\s\S]*define decide",
        ),
        (lambda x: rose.select(x < 1.0, x, 2.0), NumbersBack(), r"no way back through a choice[\s\S]*let choose = Opt"),
        (lambda x: rose.cond(x < 1.0, lambda: x, lambda: 2.0), NumbersBack(), r"rose.cond\(x[\s\S]*let choose = Opt"),
    ],
)
def test_a_condition_that_is_no_truth_needs_a_policy(body: Any, meaning: Meaning, says: str):
    with pytest.raises(RoseError, match=says):
        rose.interpret(fn([Real], Real)(body), meaning)


def test_a_truth_that_is_none_on_the_way_back_needs_a_choice():
    class OfTruths(TwoWay):
        truth = Real

    with pytest.raises(RoseError, match=r"its truth is a Real[\s\S]*let truth = Bool[\s\S]*let choose be an Optic"):
        rose.interpret(square, OfTruths())


@rose.struct
class Ball:
    at: Vec[2]
    mass: Real


def test_optics_are_composed_and_go_both_ways():
    twice = Optic(lambda x: (2.0 * x, None), lambda _, due: 2.0 * due)
    cubed = Optic(lambda x: (x**3, x), lambda x, due: 3.0 * x**2 * due)
    both = twice >> cubed
    y, back = both(5.0)
    assert (y, back(1.0), back(2.0)) == (1000.0, 600.0, 1200.0) and both(lambda y: y / 500.0, 5.0) == 1200.0
    rule = rose.interpret(fn([Real], Real)(lambda x: square(x)), _with(twice >> twice >> cubed))
    y, residual = rule.forward(1.5)
    assert (y, rule.backward(residual, 1.0)) == (216.0, 12.0 * 36.0)


def _with(rule: Optic) -> TwoWay:
    class One(TwoWay):
        rules: Mapping[Any, Any] = {square: rule}

    return One()


def test_a_lens_is_an_optic():
    height = Optic.of(rose.lens(lambda ball: ball.at)) >> Optic.of(rose.lens(lambda at: at[1]))
    ball = Ball([1.0, 2.0], 3.0)
    y, back = height(ball)
    assert y == 2.0 and back(7.0) == Ball([1.0, 7.0], 3.0) and height(lambda y: y + 100.0, ball).at == [1.0, 102.0]
    f = fn([Ball], Ball)(lambda ball: height(lambda y: y * y, ball))
    assert rose.jacobian(f)(ball).at[1].at.tolist() == [0.0, 4.0]


@pytest.mark.parametrize("wrong", [lambda o: o >> rose.lens(lambda s: s.x), lambda o: Optic.of(o)])
def test_what_is_no_optic_is_refused(wrong: Any):
    with pytest.raises(RoseError, match=r"an optic is followed by another|Optic.of takes a lens"):
        wrong(Optic(lambda x: (x, None), lambda _, due: due))


# a meaning in a few lines, and with public names alone


@rose.struct
class Deep:
    value: Real
    depth: Real  # the longest chain of operations that ends here


class Depths(Meaning):
    name, carrier = "depths", Deep

    def literal(self, x: Any) -> Any:
        return Deep(x, 0.0) if x.type is Real else x

    def row(self, op: Any, *xs: Any) -> Any:
        z = op(*[x.value if isinstance(x, Deep) else x for x in xs])
        return Deep(z, 1.0 + rose.max(0.0, *[x.depth for x in xs if isinstance(x, Deep)])) if z.type is Real else z


def test_a_meaning_of_all_operations_is_one_row():
    f = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s < 100.0, lambda s: s * s + 1.0, x))
    assert rose.interpret(f, Depths())(Deep(2.0, 0.0)) == Deep(677.0, 6.0)
    g = fn([Vec[3]], Real)(lambda x: rose.sum(x[i] * x[i] for i in rose.range(3)))
    made = rose.interpret(rose.grad(g), Depths())([Deep(2.0, 0.0)] * 3)
    assert [x.value for x in made] == [4.0] * 3 and all([x.depth > 0.0 for x in made])


def test_a_rule_comes_before_the_row():
    class Free(Depths):
        rules: Mapping[Any, Any] = {"mul": lambda x, y: Deep(x.value * y.value, 0.0)}

    assert rose.interpret(fn([Real], Real)(lambda x: x * x + 1.0), Free())(Deep(3.0, 8.0)) == Deep(10.0, 1.0)


def test_a_function_of_the_library_may_have_a_rule_by_its_name():
    class OfNorms(Depths):
        rules: Mapping[Any, Any] = {"norm": lambda x: Deep(7.0, 0.0)}

    assert (
        rose.interpret(fn([Vec[2]], Real)(lambda x: rose.norm(x) + 1.0), OfNorms())([Deep(1.0, 0.0)] * 2).value == 8.0
    )


@pytest.mark.parametrize("name", ["units", "counts", "conditions", "dependencies", "prices"])
def test_a_meaning_imports_public_names_alone_and_has_at_most_sixty_lines(name: str):
    module = import_module(f"rose.interpretations.{name}")
    text = Path(str(module.__file__)).read_text()
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom) and n.level]
    names = [a.name for n in imports if n.module != "dimensions" for a in n.names]  # which are a part of units
    public = [getattr(rose, k, None) or getattr(room, k, None) for k in names]
    assert names and [getattr(module, k) for k in names] == public
    assert len([line for line in text.splitlines() if line]) <= 60
