"""The way back: what goes back for each part of each argument, by policies that are not those of derivatives."""

from __future__ import annotations

from typing import Any

import pytest
from meaning_programs import PROGRAMS, WHILE, ones

import rose
from rose import Real, RoseError, Vec, fn
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.interpretations import Gradients, Optic, TwoWay

MEANING = Gradients()


class Readers(TwoWay):
    """How often each number is read on the way to the result."""

    name = "readers"

    def rule(self, op: Any) -> Any:
        if not getattr(op, "eval", None):
            return None
        n = op.type.__code__.co_argcount
        return Optic(lambda *xs: (op(*xs), None), lambda _, due: due if n == 1 else (due,) * n)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_module_has_the_bits_of_the_interpreter(name: str):
    f, args = PROGRAMS[name]
    g = rose.interpret(f, MEANING)
    y, residual = run(g.forward.func, *[plain(x, t) for x, t in zip(args, f.types, strict=True)])
    due = ones(f.result)
    got = rose.compile(g.backward)(residual, due)
    assert repr(plain(got, g.backward.result)) == repr(run(g.backward.func, residual, due)) and y is not None


@pytest.mark.parametrize(
    ("body", "readers"),
    [
        (lambda x: x[0] * x[0] + x[1], [2.0, 1.0, 0.0]),
        (lambda x: rose.sum(e * x[0] for e in x), [4.0, 1.0, 1.0]),
        (lambda x: rose.sum(x[i] + x[j] for i in rose.range(3) for j in rose.range(i)), [2.0, 2.0, 2.0]),
        (lambda x: rose.select(x[0] > 0.0, x[1] + x[1], x[2]), [0.0, 2.0, 0.0]),
        (lambda x: rose.cond(x[0] > 0.0, lambda: x[1] + x[1], lambda: x[2]), [0.0, 2.0, 0.0]),
        (lambda x: rose.scan(lambda i, s: s + x[i] * s, x[2], 2), [2.0, 1.0, 4.0]),
        (lambda x: x.at[1].set(x[0])[1] + x[2], [1.0, 0.0, 1.0]),
    ],
)
def test_readers_are_counted_through_every_construct(body: Any, readers: list[float]):
    g = rose.interpret(fn([Vec[3]], Real)(body), Readers())
    assert list(g.backward(g.forward([1.0, 2.0, 3.0])[1], 1.0)) == readers


def test_a_while_loop_has_no_way_back():
    with pytest.raises(RoseError, match=r"no way back through a while loop[\s\S]*hint: write rose.scan"):
        rose.interpret(WHILE.f, MEANING)


def test_a_rule_that_is_no_optic_has_no_way_back():
    class Half(TwoWay):
        name, rules = "half", {"sin": rose.sin}

    with pytest.raises(RoseError, match=r'half has no way back through sin[\s\S]*"sin": Optic\(forward, backward\)'):
        rose.interpret(fn([Real], Real)(lambda x: rose.sin(x)), Half())
