"""The way forward: the rules in the place of the operations, and everything else as it was."""

from __future__ import annotations

from typing import Any

import pytest
from meaning_programs import PROGRAMS, WHILE

import rose
from rose import Real, RoseError, Vec, fn, opaque
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.interpretations import Meaning
from rose.ir.callgraph import instructions, reachable

ALL = {**PROGRAMS, "a while loop": WHILE}
each_program = pytest.mark.parametrize("name", ALL)


@rose.struct
class Box:
    x: Real


class Same(Meaning):
    """Each operation means itself."""

    name = "identity"

    def rule(self, op: Any) -> Any:
        return op if getattr(op, "eval", None) else None


class Boxed(Meaning):
    """The same, with each number in a struct."""

    name, carrier = "boxes", Box

    def literal(self, x: Any) -> Any:
        return Box(x) if x.type is Real else x

    def rule(self, op: Any) -> Any:
        def rule(*xs: Any) -> Any:
            y = op(*[x.x if isinstance(x, Box) else x for x in xs])
            return Box(y) if y.type is Real else y

        return rule if getattr(op, "eval", None) else None


def boxed(x: Any) -> Any:
    return tuple(map(boxed, x)) if isinstance(x, tuple) else (x,) if isinstance(x, float) else x


@each_program
def test_the_identity_is_the_function_to_the_bit(name: str):
    f, args = ALL[name]
    given = [plain(x, t) for x, t in zip(args, f.types, strict=True)]
    assert repr(run(rose.interpret(f, Same()).func, *given)) == repr(run(f.func, *given))


@each_program
def test_numbers_in_structs_have_the_same_bits(name: str):
    f, args = ALL[name]
    given = [plain(x, t) for x, t in zip(args, f.types, strict=True)]
    assert repr(run(rose.interpret(f, Boxed()).func, *map(boxed, given))) == repr(boxed(run(f.func, *given)))


@each_program
def test_the_module_has_the_bits_of_the_interpreter(name: str):
    f, args = ALL[name]
    g = rose.interpret(f, Boxed())
    given = [boxed(plain(x, t)) for x, t in zip(args, f.types, strict=True)]
    compiled = rose.compile(g)
    assert plain(compiled(*given), g.result) == run(g.func, *given)


@pytest.mark.parametrize("n", [10, 1000])
def test_loops_stay_loops_and_calls_calls(n: int):
    square = fn([Real], Real)(lambda x: x * x)
    f = rose.interpret(fn([Vec[n]], Real)(lambda x: rose.sum(square(x[i]) for i in rose.range(n))), Boxed())
    assert sum([len(list(instructions(g.body))) for g in reachable(f.func)]) < 25


def test_an_operation_without_a_meaning_is_an_error_that_names_the_row_to_write():
    with pytest.raises(
        RoseError, match=r'no meaning for exp[\s\S]*rose.exp\(x\)[\s\S]*rules = \{"exp": lambda x: ...\}'
    ):
        rose.interpret(fn([Real], Real)(lambda x: rose.exp(x)), Meaning())


def test_a_function_of_the_host_is_an_error_that_names_it():
    @opaque
    def measured(x: Real) -> Real:
        return x

    with pytest.raises(RoseError, match=r"identity has no meaning for measured[\s\S]*rules = \{measured: ...\}"):
        rose.interpret(fn([Real], Real)(lambda x: measured(x)), Same())


def test_what_prints_or_asserts_is_left_out():
    f = fn([Real], Real)(lambda x: (rose.assert_(x > 0.0, "positive"), x)[1])
    with pytest.raises(RoseError, match=r"no meaning for assert[\s\S]*hint: leave it out"):
        rose.interpret(f, Same())
