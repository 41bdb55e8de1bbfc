"""A program as a list of operations, for tools that are not called from Python: JavaScript, and kernels.

A node is a list: a name, and the numbers of nodes that it takes. Loops over a known count are unrolled, and branches on
what is known taken, as the loops and branches of JavaScript are; loops on data, derivatives inside of programs, and
rules are `Missing`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .harness import Vocabulary
from .spec import Missing, Program

NAMES = {
    "add", "sub", "mul", "div", "neg", "pow", "gt", "ge", "lt", "le", "equal", "where", "sqrt", "exp", "log", "log1p",
    "expm1", "sin", "cos", "atan2", "abs", "max", "min", "clip", "floor", "fmod", "mod", "asinh", "sigmoid", "softplus",
    "copysign", "sum", "prod", "norm", "amax", "std", "logsumexp", "softmax", "cumprod", "stop", "log_sigmoid",
    "logaddexp", "xlogy", "digamma", "sinc", "i0", "log_ndtr", "igamma1", "det2", "largest", "prelu", "layer_norm",
    "take",
}  # fmt: skip


class Node:
    def __init__(self, tape: Tape, number: int) -> None:
        self.tape, self.number = tape, number

    def __getitem__(self, k: int) -> Node:
        return self.tape.node("item", self, k)

    def __pow__(self, n: float) -> Node:
        return self.tape.node("pow", self, n)

    def __neg__(self) -> Node:
        return self.tape.node("neg", self)


def _operator(name: str, swapped: bool = False) -> Callable[[Node, Any], Node]:
    def method(self: Node, other: Any) -> Node:
        return self.tape.node(name, *((other, self) if swapped else (self, other)))

    return method


for _name, _sign in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
    setattr(Node, f"__{_name}__", _operator(_sign))
    setattr(Node, f"__r{_name}__", _operator(_sign, swapped=True))
for _name in ("gt", "ge", "lt", "le"):
    setattr(Node, f"__{_name}__", _operator(_name))


class Tape(Vocabulary):
    """The vocabulary that records."""

    def __init__(self) -> None:
        super().__init__(nodes=[["x"]])

    def node(self, name: str, *args: Any) -> Node:
        indexed = name in ("item", "take", "largest")
        taken = [a if indexed and k else self.number(a) for k, a in enumerate(args)]
        self.nodes.append([name, *taken])
        return Node(self, len(self.nodes) - 1)

    def number(self, a: Any) -> int:
        if isinstance(a, Node):
            return a.number
        if not isinstance(a, int | float | list):
            raise Missing("not an expression")
        self.nodes.append(["const", str(float(a)) if not isinstance(a, list) else a])
        return len(self.nodes) - 1

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise Missing(f"{name} is not an expression")
        return lambda *args: self.node(name, *args)

    def equal(self, a: Any, b: Any) -> Node:
        return self.node("equal", a, b)

    def vec(self, items: Any) -> Node:
        return self.node("vec", *items)

    def constants(self, items: Any) -> Node:
        return self.node("vec", *items)

    def table(self, *_: Any) -> Any:
        raise Missing("a table is not an expression")

    def cond(self, c: Any, then: Any, otherwise: Any, x: Any) -> Any:
        if isinstance(c, Node):
            raise Missing("a branch on data is not an expression")
        return then(x) if c else otherwise(x)

    def mod(self, a: Any, b: Any) -> Any:
        return self.node("mod", a, b) if isinstance(a, Node) else a % b

    def while_(self, *_: Any) -> Any:
        raise Missing("a loop on data is not an expression")


def traced(program: Program) -> list[list[Any]]:
    """The operations of a program, the last of which is its result."""
    tape = Tape()
    out = program(tape, Node(tape, 0))
    if not isinstance(out, Node) or out.number != len(tape.nodes) - 1:
        tape.node("add", out, 0.0)
    return tape.nodes
