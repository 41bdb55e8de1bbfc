"""Wrong programs: meanings that lack something, or give something else."""

from typing import Any, ClassVar

import rose
from rose import Real, fn, opaque
from rose.interpretations import Counts, Gradients, Meaning, Optic, Tally, TwoWay


@fn
def area(width: Real, height: Real) -> Real:
    return width * height + 1.0


class Lacking(Meaning):
    name = "a meaning that lacks a row"
    rules: ClassVar[Any] = {"mul": lambda x, y: x * y}


class Unpaired(Tally):
    name = "a total without entries"
    rules: ClassVar[Any] = {"mul": lambda x, y: x * y}


class Unkept(TwoWay):
    name = "a way back without a residual"
    rules: ClassVar[Any] = {"mul": Optic(lambda x, y: x * y, lambda _, due: (due, due))}


def an_operation_without_a_meaning():
    return rose.interpret(area, Lacking())


def a_meaning_that_is_none():
    return rose.interpret(area, {"add": lambda x, y: x + y})


def a_class_for_a_meaning():
    return rose.interpret(area, Counts)


def a_rule_without_an_entry():
    return rose.interpret(area, Unpaired())


def a_rule_without_a_residual():
    return rose.interpret(area, Unkept())


def the_count_of_an_opaque_function():
    @opaque
    def outside(x: Real) -> Real:
        return 2.0 * x

    return rose.interpret(fn([Real], Real)(lambda x: outside(x)), Counts())


def the_count_of_a_gradient_through_a_while_loop():
    f = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s < 9.0, lambda s: s * x, x))
    return rose.interpret(rose.grad(f), Counts())


def a_residual_of_another_kind():
    return rose.interpret(area, Gradients(), residual="some")
