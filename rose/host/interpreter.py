"""The meaning of the IR, in plain Python: slow and exact, and every back end agrees with it to the bit.

It is the evaluation over numbers: a Real is a float, a Bool a bool, an index an int, a Unit None, and vectors and
tuples are tuples: what `structs.plain` makes. A Single is a float that 32 bits can hold, rounded after each operation.
Only an accumulator can change, and what is read of it is a copy. A `Watch` sees each step, and may put another object
of the same number in the place of what it made.
"""

from __future__ import annotations

import operator
from typing import Any

from ..ir import Block, Func, Value
from ..ir.libm import nearest
from ..ir.types import Ref, Type, double, lane, once
from .evaluator import Accumulator, Env, Evaluator, Plus, Running
from .marshal import plain


@once
def zero(t: Type) -> Any:
    """The zero of a type: 0.0, False or 0 in the place of each number, truth value or index."""
    return Evaluator().zero(t)


@once
def _plus(t: Type) -> Plus:
    """The addition of two numbers in a `t`."""
    return operator.add if double(lane(t)) is lane(t) else lambda x, y: nearest(x + y)


_RULES = Evaluator.rules


class Numbers(Evaluator):
    """The domain of numbers."""

    def zero(self, t: Type) -> Any:
        return zero(t)

    def plus(self, t: Type) -> Plus:
        return _plus(t)

    def step(self, v: Value, xs: list[Any], env: Env) -> Any:
        value = v.op.eval
        return value(*xs) if value is not None else _RULES[v.op](self, v, xs)


class Watch(Numbers):
    """An observer of the evaluation, which may put other results in the place of those that it sees.

    `calls` are the calls that are running, and what was known where each was made.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[Value, Env]] = []

    def given(self, p: Value, x: Any) -> Any:
        """The argument of a parameter."""
        return x

    def ran(self, block: Block) -> None:
        """Note that the instructions of a block were run once, those of loops in it apart."""

    def called(self, v: Value, env: Env) -> None:
        self.calls.append((v, env))

    def answered(self, v: Value, xs: list[Any], x: Any, env: Env) -> Any:
        """The result of a call."""
        self.calls.pop()
        return x

    def block(self, block: Block, env: Env) -> Running:
        results = yield from super().block(block, env)
        self.ran(block)
        return results


NUMBERS = Numbers()


def run(f: Func, *args: Any, watch: Watch | None = None) -> Any:
    """The result of `f`. A parameter of type `Ref` is given an `Accumulator`, and is added to."""
    given = [_given(x, p) for x, p in zip(args, f.params, strict=True)]
    if watch is not None:
        given = [watch.given(p, x) for x, p in zip(given, f.params, strict=True)]
    return run_plain(f, given, watch)


def run_plain(f: Func, xs: list[Any], watch: Watch | None = None) -> Any:
    """The result of `f`, of what this module has made itself."""
    return (watch or NUMBERS).run(f, xs)


def evaluate(v: Value, xs: list[Any]) -> Any:
    """The result of an instruction that is neither a loop nor a call."""
    return NUMBERS.step(v, xs, {})


def _given(x: Any, p: Value) -> Any:
    if isinstance(p.type, Ref):
        assert isinstance(x, Accumulator), f"{p!r} is given an Accumulator, not {x!r}"
        return x
    return plain(x, p.type, (p.attr or "an argument",))
