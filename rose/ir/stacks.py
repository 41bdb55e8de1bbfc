"""Stacks: the tape of a while loop, with one item for each iteration.

A stack never changes: `push` makes a new one, on top of it. Below all of its items a stack holds zeros without
end, so the zero of its type is also the empty one; and two stacks are added item by item. In reverse a `push`
is a `pop`, and a `pop` is a `push`.
"""

from __future__ import annotations

from .builder import ZERO, Builder, current_builder
from .builder import structural as _row
from .columns import ALL
from .types import Bool, Stack, Type, tuple_of
from .value import Value


def _pushed(s: Value, x: Value) -> Type | None:
    return s.type if isinstance(s.type, Stack) and s.type.elem is x.type else None


def _popped(s: Value) -> Type | None:
    return tuple_of(s.type.elem, s.type) if isinstance(s.type, Stack) else None


def _more(s: Value) -> Type | None:
    return Bool if isinstance(s.type, Stack) else None


def _joined(s: Value, t: Value) -> Type | None:
    return s.type if isinstance(s.type, Stack) and s.type is t.type else None


def _simpler(s: Value, t: Value) -> Value | None:
    return t if s.op is ZERO else s if t.op is ZERO else None


def _pop_of_push(ct: Value, s: Value, x: Value) -> list[Value]:
    item, below = pop(current_builder(), ct)
    return [below, item]


def _push_of_pop(ct: Value, s: Value) -> list[Value]:
    b = current_builder()
    return [b.emit(PUSH, (b.get(ct, 1), b.get(ct, 0)))]


PUSH = _row(
    "push", "A stack with one more item.", type=_pushed, linear_in=ALL, moves=True, transpose=_pop_of_push,
)  # fmt: skip
POP = _row(
    "pop", "The top item of a stack, and the stack below it.", type=_popped,
    linear_in=ALL, moves=True, reads=(0,), transpose=_push_of_pop,
)  # fmt: skip
MORE = _row("more", "True if a stack has an item.", type=_more, wasm="i32.eqz, i32.eqz")
JOIN = _row(
    "join", "The sum of two stacks, item by item.",
    type=_joined,
    linear_in=ALL,
    transpose=lambda ct, s, t: [ct, ct],
    simplify=_simpler,
)  # fmt: skip


def pop(b: Builder, s: Value) -> tuple[Value, Value]:
    """The top item, and the rest."""
    made = b.emit(POP, (s,))
    return b.get(made, 0), b.get(made, 1)
