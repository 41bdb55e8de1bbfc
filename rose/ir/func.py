"""Functions of the IR, and the blocks of instructions that they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .types import Type
from .value import Value


class Block:
    """Instructions in order, and the values handed back at the end."""

    __slots__ = ("code", "known", "params", "parent", "results")

    def __init__(self, parent: Block | None = None) -> None:
        self.params: list[Value] = []
        self.code: list[Value] = []
        self.results: tuple[Value, ...] = ()
        self.parent = parent
        self.known: dict[Any, Value] = {}  # what this block already holds, by operation and arguments

    def inside(self, other: Block) -> bool:
        """True if this block is `other`, or nested in it."""
        block: Block | None = self
        while block is not None and block is not other:
            block = block.parent
        return block is not None


class Turns(NamedTuple):
    """A loop: `body` is called for as long as `test` holds, at most so many times."""

    test: Func
    body: Func
    most: int | None


class Func:
    """A function of the IR. In the place of a body an opaque one has an `impl`, a choice `arms`, and a loop `turns`.

    A pure one does nothing but make its result, and add to the accumulators that it is given.
    """

    __slots__ = ("arms", "body", "calls", "impl", "jvp", "memo", "name", "pure", "remat", "result", "turns")

    def __init__(
        self, name: str, body: Block, result: Type, *, pure: bool, impl: Callable[..., Any] | None = None
    ) -> None:
        self.name, self.body, self.result, self.pure, self.impl = name, body, result, pure, impl
        self.arms: tuple[Func, Func] | None = None  # which of them is called, its first parameter says
        self.turns: Turns | None = None  # what is called again and again: see `calls.py`
        self.remat = False  # a derivative in reverse keeps what it is given, and evaluates it once more
        self.calls: list[Value] | None = None  # those in it, once they were asked for: see `calls.py`
        self.jvp: Func | None = None  # the user's derivative, over (primal, tangent) pairs
        self.memo: dict[Any, Any] = {}  # what passes derived from this function: made once

    @property
    def params(self) -> list[Value]:
        return self.body.params

    @property
    def has_body(self) -> bool:
        """True if it has instructions: the host has those of an opaque one, and a choice or a loop has its parts."""
        return self.impl is None and self.arms is None and self.turns is None

    def __repr__(self) -> str:
        return f"<Func {self.name}>"
