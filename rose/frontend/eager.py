"""`rose.eager`: evaluation without compiling. The user's Python runs on values that are known.

Inside, a call of an `@fn` runs its body, and each operation is evaluated when it is reached, by its row of the table:
the bits are those of the compiled module. A loop over `rose.range` runs its iterations one by one, and `cond` and
`scan` call their functions. A derivative is derived from the IR as always, and then interpreted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import ir
from ..errors import here
from ..host.interpreter import evaluate, run_plain, zero
from ..ir import CONST, FOR, PARAM, ZERO, Builder, Func, Op, Value
from ..ir.sizes import Size
from ..ir.types import Fin, Real, Tuple, Type, Vec
from ..ir.value import Known, is_known, otherwise


class _Mode(threading.local):
    on = False


mode = _Mode()


@contextmanager
def eager() -> Generator[None]:
    """Compile nothing inside: in `with rose.eager(): loss(x)` Python's `print`, breakpoints and debuggers work.

    A value shows its number, `float(x)` gives it, and a Bool has a truth value, so that a Python `if` on it works:
    outside, when the function is traced, the same `if` is an error. The results have the same bits. A derivative is
    traced and interpreted, so the Python of its function runs once, and `rose.print` shows its numbers.
    """
    before, mode.on = mode.on, True
    try:
        yield
    finally:
        mode.on = before


class Now(Builder):
    """A builder that evaluates each instruction in the place of recording it, and gives a value with its number."""

    def __init__(self) -> None:
        super().__init__("eager")

    def known(self, type: Type, number: Any, name: str | None = None) -> Value:
        """A value with its number; a parameter if `name` is given."""
        op, attr = (CONST, number) if name is None else (PARAM, name)
        return Value(op, type, Known((number,)), attr, self.loc or here(), self.root)

    @property
    def symbolic(self) -> bool:
        """True in the body of a loop without iterations: it is traced, for the types of its results."""
        return self.block is not self.root

    def emit(self, op: Op, args: tuple[Value, ...] = (), attr: Any = None, type: Type | None = None) -> Value:
        if self.symbolic:
            return super().emit(op, args, attr, type)
        numbers = self.numbers(args)
        if type is None and (type := op.type(*args)) is None:
            return otherwise(op, args, self.loc or here())
        if op is FOR:
            assert isinstance(type, Tuple)
            return self.known(type, (*numbers, *map(zero, type.items[len(numbers) :])))
        v = Value(op, type, args, attr, self.loc or here(), self.root)
        return self.known(type, evaluate(v, numbers))

    def numbers(self, values: Sequence[Value]) -> list[Any]:
        """The numbers of values. A value of a function that is only traced has none, which is an error."""
        return [v.number if is_known(v) else self.reach(v).number for v in values]

    def const(self, x: Any, type: Type) -> Value:
        return self.known(type, x)

    def zero(self, type: Type) -> Value:
        if type is Real:
            return self.known(Real, 0.0)
        return Value(ZERO, type, Known((zero(type),)), None, self.loc or here(), self.root)

    def call(self, f: Func, args: Sequence[Value]) -> Value:
        if self.symbolic:
            return super().call(f, args)
        numbers = self.numbers(args)
        with ir.resumed(None):  # an opaque function may call others
            answer = run_plain(f, numbers)
        return self.known(f.result, answer)

    def indices(self, n: int | Size, span: Value | None = None) -> Iterator[Value]:
        """The indices of the iterations of a loop, one by one; with a span, those in it."""
        for i in range(n) if span is None else range(*self.numbers([span])[0]):
            yield self.known(Fin(n), i)

    def loop(
        self,
        n: int | Size,
        body: Callable[..., tuple[Sequence[Value], Sequence[Value]]],
        states: Sequence[Value] = (),
        span: Value | None = None,
    ) -> tuple[list[Value], list[Value]]:
        if n == 0 or self.symbolic:
            return super().loop(n, body, states, span)
        after, rows = list(states), list[Sequence[Value]]()
        for i in self.indices(n, span):
            now, outs = body(i, *after)
            after = list(now)
            rows.append(outs)
        return after, [self.pack(column, Vec(n, column[0].type)) for column in zip(*rows, strict=True)]

    def vec(self, n: int | Size, item: Callable[[Value], Value]) -> Value:
        body: Callable[[Value], tuple[list[Value], list[Value]]] = lambda i: ([], [item(i)])
        return self.loop(n, body)[1][0]


def now() -> Now | None:
    """The current builder, if it evaluates eagerly; else None."""
    b = ir.current_builder()
    return b if isinstance(b, Now) and not b.symbolic else None


def at_once(types: Sequence[Type], numbers: Sequence[Any], body: Callable[[list[Value]], Value]) -> Any:
    """The host value of `body(args)`, for arguments with these types and host values."""
    with ir.resumed(Now()) as b:
        return body([b.known(t, x) for t, x in zip(types, numbers, strict=True)]).number
