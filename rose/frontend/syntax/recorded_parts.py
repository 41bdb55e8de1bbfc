"""The recorded parts of a function under `@fn(syntax=True)`, and the values of its variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import ir
from ...errors import Loc, RoseError, TypeMismatch, here
from ...ir import Func, Origin, Value, a_traced, current_builder, shown
from ...ir.types import Bool, Fin, Real
from .. import tracing
from ..arrays.shapes import leaf_of
from ..language.control import inside
from ..operators import view
from ..values import infer

Variables = dict[str, Any]


class _Nothing:
    """The value of a variable that has none."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


class Part:
    """A branch, test or loop body that is being recorded: as a function of its own, or as a block of a loop."""

    def __init__(self, open: list[Part], kind: str, name: str, there: Variables) -> None:
        self.open, self.kind, self.outside = open, kind, [*there.values()]
        origin = Origin("while") if kind == "while" else None
        self.cm = ir.building(name, origin, inside=True) if kind != "for" else None
        self.b = current_builder() if self.cm is None else self.cm.__enter__()
        self.block, self.loc = self.b.block, here()
        open.append(self)

    def leave(self) -> None:
        """Go back to the builder, or the block, around this part."""
        last = self.open.pop()
        assert last is self
        if self.cm is None:
            self.b.block = self.block
        else:
            self.cm.__exit__(None, None, None)

    def finish(self) -> None:
        """End a part that is a function. A loop that is still open in it is a RoseError."""
        done: Callable[[Any, Loc], Value] = lambda _, at: self.b.unit()
        tracing.finish(self.b, lambda: None, done, self.loc)
        self.leave()

    def func(self, first: list[Value], outside: list[Value], result: Value) -> Func:
        """The recorded function: its parameters are `first`, and those for the free variables `outside`."""
        with ir.resumed(self.b) as b:
            b.root.params = [*first, *inside(b, outside)]
            return tracing.sealed(b, b.func(result))


def lifted(x: Any) -> Value | None:
    """`x` as a traced value, or None if it cannot be one."""
    try:
        return current_builder().reach(infer(x))
    except RoseError:
        return None


def packed(part: Part, values: list[Value]) -> Value:
    """The `values` of a part as one value of it."""
    with ir.resumed(part.b) as b:
        return b.reach(pack(values))


def pack(values: list[Value]) -> Value:
    """One value for any number of them: itself, a tuple, or a Unit; `unpacked` takes it apart."""
    b = current_builder()
    return values[0] if len(values) == 1 else b.tuple(values) if values else b.unit()


def unpacked(v: Value, names: list[str]) -> Variables:
    """The variables `names`, of which `pack` made `v`."""
    if len(names) == 1:
        return {names[0]: view(v)}
    return {k: view(current_builder().get(v, j)) for j, k in enumerate(names)}


def described(x: Any) -> str:
    return a_traced(x) if isinstance(x, Value) else shown(x)


def kind_of(x: Any, v: Value) -> str:
    return "nothing (None)" if x is None else f"a {v.type!r}"


def check_place(under: str, what: str, loc: Loc) -> None:
    """Refuse a traced `if` or loop inside of a `try` or `with`, which `under` names."""
    if under:
        hint = f"put it outside of the `{under}`, or into an @fn(syntax=True) function that is called there"
        raise TypeMismatch(f"a traced `{what}` inside of `{under}`", loc, hint)


def is_traced(c: Any, what: str) -> bool:
    """True for a condition that the compiled function decides: a traced Bool. `what` asks for it."""
    if c.__class__ is not Value:
        return False
    if c.type is not Bool:
        hint = "compare it: x != 0.0" if c.type is Real or isinstance(c.type, Fin) else "compare a part of it"
        if leaf_of(c.type) is Bool:
            hint = "write c.all() or c.any(): is it to hold for all elements, or for one?"
        raise TypeMismatch(f"{what} asks for a Bool, not {a_traced(c)}", here(), hint)
    return True
