"""The functions of a module in post-order of the call graph, with what each needs of its module.

A function is written after those that it calls, so its memory can lie above theirs.
"""

from __future__ import annotations

from collections.abc import Iterable

from rose.ir import ADD_TO, CALL, CONST, FOR, PURE_CALL, ZERO, Block, Func, Value, callgraph, is_call
from rose.ir.stacks import JOIN, POP

_NEEDS = {CONST, ZERO, CALL, PURE_CALL, POP, JOIN, ADD_TO, FOR}


def needs(block: Block) -> list[Value]:
    """The instructions that concern the whole module: literals, zeros, calls, mathematics and stacks, also in loops."""
    out: list[Value] = []
    for v in [v for v in block.code if v.op in _NEEDS or v.op.library]:
        if v.op is FOR:
            out.extend(needs(v.attr))
        elif v.op is not ADD_TO or v.args[1].type.stacked:
            out.append(v)
    return out


def adds_stacks(needed: Iterable[Value]) -> bool:
    """True if stacks are added to one another."""
    return any([v.op is JOIN or v.op is ADD_TO for v in needed])


def callees(f: Func, needed: Iterable[Value]) -> list[Func]:
    """The functions that `f` calls, once for each call; `needed` are its `needs`, so that it is walked once."""
    return [v.attr for v in needed if is_call(v)] if f.has_body else callgraph.callees(f)


def calls_first(roots: Iterable[Func]) -> dict[Func, list[Value]]:
    """These functions and all that they call, each after those that it calls; with the `needs` of each."""
    out: dict[Func, list[Value]] = {}
    todo: list[tuple[Func, list[Value] | None]] = [(f, None) for f in reversed(list(roots))]
    while todo:
        f, needed = todo.pop()
        if needed is not None:
            out.setdefault(f, needed)
        elif f not in out:
            needed = needs(f.body)
            todo.append((f, needed))
            todo.extend([(g, None) for g in reversed(callees(f, needed)) if g not in out])
    return out
