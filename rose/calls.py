"""What a function calls, and the functions that choose what they call."""

from __future__ import annotations

from collections.abc import Iterator

from .ir import FOR, Block, Func, building, is_call
from .types import Bool


def choice(name: str, then: Func, otherwise: Func) -> Func:
    """The function that calls `then` if its first parameter holds, else `otherwise`, with its other parameters."""
    assert [p.type for p in then.params] == [p.type for p in otherwise.params], name
    assert then.result is otherwise.result, name
    with building(name) as b:
        b.param(Bool, "c")
        for p in then.params:
            b.loc = p.loc
            b.param(p.type, p.attr)
    made = Func(name, b.root, then.result, pure=then.pure and otherwise.pure)
    made.arms = then, otherwise
    return made


def callees(f: Func) -> Iterator[Func]:
    """The functions that `f` calls, once for each call."""
    yield from f.arms or ()
    yield from _called(f.body)


def _called(block: Block) -> Iterator[Func]:
    for v in block.code:
        if is_call(v):
            yield v.attr
        elif v.op is FOR:
            yield from _called(v.attr)
