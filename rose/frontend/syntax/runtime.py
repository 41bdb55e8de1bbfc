"""The functions that rewritten code calls while it is traced under `@fn(syntax=True)`.

`converter.py` puts calls of these around the user's statements, which stay where they are, in the user's own
frame. If a condition is a Python bool, Python decides as always. If it is traced, both branches run, one after the
other, each recorded as a function of its own; then the variables that they assign take their values from the choice.
A loop's body runs once, on variables that stand for those of any iteration.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ... import ir
from ...errors import RoseError, TypeMismatch, edge, here
from ...ir import CONST, Func, Value, current_builder, ops
from ...ir.sizes import current, sized
from ...ir.types import Bool, Real, Type
from .. import operators, tracing
from ..arrays.shapes import shape_of
from ..columns import iterated
from ..language import accumulators
from ..language.control import cond
from ..language.indices import index
from ..language.loops import Indices
from ..operators import is_index, view
from ..values import to_value
from .if_statement import Choice
from .loop_statements import Each, Repeat
from .makers import maker
from .recorded_parts import NOTHING, Part, Variables, is_traced


class Run:
    """One trace of a rewritten function, with the stack of its parts that are being recorded."""

    nothing = NOTHING

    @staticmethod
    @edge
    def iter(items: Any) -> Iterator[Any]:
        return items if isinstance(items, Indices) else iterated(items, here())  # `Each` asks for its bounds

    locals = staticmethod(builtins.locals)
    maker = staticmethod(maker)

    def __init__(self, result: Type) -> None:
        self.open, self.result = list[Part](), result

    def close(self) -> None:
        """Leave the parts that an exception has left open."""
        while self.open:
            self.open[-1].leave()

    @edge
    def choose(
        self, test: Any, names: Sequence[str], live: Sequence[str], late: Sequence[str], under: str, there: Variables
    ) -> Choice:
        return Choice(self.open, test, names, live, late, under, {k: there.get(k, NOTHING) for k in names}, there)

    def repeat(self, names: Sequence[str], live: Sequence[str], under: str) -> Repeat:
        return Repeat(self.open, names, live, under)

    @edge
    def each(
        self, items: Any, names: Sequence[str], live: Sequence[str], under: str, there: Variables, flag: str | None
    ) -> Each:  # fmt: skip
        return Each(self.open, items, names, live, under, there, flag)

    @edge
    def blank(self) -> Value:
        """What is kept for the result before a `return` in a loop: a zero of its type."""
        return view(current_builder().zero(sized(self.result, current())))

    # statements that have no meaning where both branches run, or a body runs once for all iterations

    @edge
    def refuse(self, what: str, instead: str) -> None:
        """Raise a TypeMismatch, inside of a part that is recorded."""
        if self.open:
            raise TypeMismatch(f"{what} inside of {self._innermost()}", here(), instead)

    def _innermost(self) -> str:
        kind = self.open[-1].kind
        return "a traced loop" if kind == "for" else f"a traced `{kind}`"

    @edge
    def leave(self, what: str, *between: Choice | Repeat | Each) -> None:
        """`what` is break, continue or return: refused if it would leave something that is traced."""
        if any(x.traced for x in between):
            where = "a loop, or of `match`, `try` or `with`" if what == "return" else "a loop"
            hint = "let a `while` test for it: while (k < n) and not done"
            if what == "return":
                hint = "keep the result in a variable, and return it after that"
            elif what == "continue":
                hint = "put the rest of the iteration into an `if`"
            raise RoseError(f"{what} inside of {where}, where it depends on a traced value", here(), hint)

    @edge
    def adds(self, x: Any) -> None:
        """Check `x += ...`: `x` is not an accumulator from outside of a part that is recorded."""
        if self.open and accumulators.is_elsewhere(x):
            what = f"an accumulator from outside is added to inside of {self._innermost()}"
            raise TypeMismatch(what, here(), "choose the summand: total += x if c else 0.0; or sum into a variable")

    @edge
    def stores(self, x: Any, called: str, local: bool) -> None:
        """Check the assignment of an attribute or an element of `x`, which the code names `called`."""
        if self.open and not isinstance(x, accumulators.Accum) and self._from_outside(x, local):
            what = f"a part of {called} is assigned inside of {self._innermost()}"
            raise TypeMismatch(what, here(), "give a variable of its own a new value: x = ..., which may be a struct")

    @edge
    def calls(self, x: Any, called: str, name: str, local: bool) -> None:
        """Check the call `x.name(...)` as a statement: it must not change an object from outside."""
        changes = any(isinstance(x, t) and name in _CHANGES[t] for t in _CHANGES)
        if self.open and changes and self._from_outside(x, local):
            what = f"{called} is changed by .{name} inside of {self._innermost()}"
            raise TypeMismatch(what, here(), "give a variable a new value: x = ...; rose.vec makes a vector")

    def _from_outside(self, x: Any, local: bool) -> bool:
        return not local or any(x is y for part in self.open for y in part.outside)

    # expressions

    @edge
    def ifexp(self, c: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        if not is_traced(c, "a conditional expression"):
            return then() if c else otherwise()
        return cond(c, then, otherwise)

    @edge
    def both(self, x: Any, *rest: Callable[[], Any]) -> Any:
        """`x and y and ...`"""
        return _join(x, rest, True)

    @edge
    def either(self, x: Any, *rest: Callable[[], Any]) -> Any:
        """`x or y or ...`"""
        return _join(x, rest, False)

    @edge
    def item(self, x: Any, key: Any) -> Any:
        """`x[key]`, in which a number that the compiled function counts is checked to be an index when it runs."""
        keys: Sequence[Any] = key if key.__class__ is tuple else (key,)
        if any([is_counted(k) for k in keys]):
            sizes = sizes_of(x)
            if len(keys) <= len(sizes) and not any([k is None or k is ... for k in keys]):
                keys = [index(k, n) if is_counted(k) else k for k, n in zip(keys, sizes, strict=False)]
                key = tuple(keys) if key.__class__ is tuple else keys[0]
        return x[key]

    @edge
    def negate(self, x: Any) -> Any:
        return ops.not_(x) if is_traced(x, "`not`") else not x

    @edge
    def chain(self, symbols: Sequence[str], x: Any, *rest: Callable[[], Any]) -> Any:
        """`x < y < z`: each operand is evaluated once, and only if the comparisons before it hold."""
        y = rest[0]()
        holds = _COMPARE[symbols[0]](x, y)
        if len(rest) == 1:
            return holds
        return _join(holds, [lambda: self.chain(symbols[1:], y, *rest[1:])], True)


def is_counted(k: Any) -> bool:
    """Whether it is a Real of the compiled function, neither a parameter nor written as an index."""
    if k.__class__ is not Value or k.type is not Real or operators.is_parameter(k):
        return False
    return not is_index(operators.certain_index(k))


def sizes_of(x: Any) -> Sequence[Any]:
    """The sizes of the axes of an array or a list; none of anything else."""
    if x.__class__ is Value:
        return shape_of(x.type)
    return (len(x),) if x.__class__ is list else getattr(x, "shape", ())


_CHANGES: dict[type, set[str]] = {  # the methods that change an object
    list: {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"},
    dict: {"clear", "pop", "popitem", "setdefault", "update"},
    set: {"add", "clear", "difference_update", "discard", "intersection_update", "pop", "remove", "update"},
}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq,
    "NotEq": operator.ne, "Is": operator.is_, "IsNot": operator.is_not, "In": lambda x, y: x in y,
    "NotIn": lambda x, y: x not in y,
}  # fmt: skip


def _join(x: Any, rest: Sequence[Callable[[], Any]], both: bool) -> Any:
    """The conjunction or disjunction of `x` and the results of `rest`, from left to right, as lazy as Python's."""
    for make in rest:
        if is_traced(x, "`and`" if both else "`or`"):
            x = _with_right(x, make, both)
        elif bool(x) is both:
            x = make()
        else:
            return x
    return x


def _with_right(x: Value, make: Callable[[], Any], both: bool) -> Any:
    """`x and make()`, or `x or make()`: eager if the right side is pure and cannot fail, else by `cond`."""
    if x.op is CONST:
        return make() if x.attr is both else x
    with ir.building("right", inside=True) as b:
        loc = here()
        right = tracing.finish(
            b, make, lambda y, at: to_value(y, Bool, (f"the right side of {_WORDS[both]}",), at), loc
        )
    if not all(v.op is CONST or (v.op.effect is None and v.op.eval is not None) for v in right.body.code):
        return cond(x, make, lambda: False) if both else cond(x, lambda: True, make)
    env = {p: v for v, p in b.captured.items()}
    return (ops.and_ if both else ops.or_)(x, _spliced(right, env))


_WORDS = {True: "and", False: "or"}


def _spliced(f: Func, env: dict[Value, Value]) -> Value:
    """Inline `f`, whose instructions are all operations on numbers, into the current block; its result."""
    b = current_builder()
    for v in f.body.code:
        env[v] = b.const(v.attr, v.type) if v.op is CONST else b.emit(v.op, tuple([env[x] for x in v.args]), v.attr)
    (result,) = f.body.results
    return env[result]
