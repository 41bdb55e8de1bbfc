"""A graph without what is known before it runs: constants are folded, and equal nodes are one.

Penrose folds nothing: in diagrams whose shapes do not move, most nodes compute the same number in every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graphs import Node, number
from .operations import VALUES

INPUT, CONST, TRUTH = "input", "const", "truth"  # of constants, those that are numbers, and those that are not


LEAVES = frozenset((INPUT, CONST, TRUTH))
Known = tuple[Any, ...]  # a node that nothing changes any more


def folded(nodes: Sequence[Node], outputs: Sequence[int]) -> tuple[list[Known | None], list[int]]:
    """The nodes that the outputs need, with None in the places of others; and where the outputs are among them."""
    made, place, known = list[Known](), list[int](), dict[Any, int]()
    constant = list[bool]()
    for node in nodes:
        op = node[0]
        if op == INPUT:
            key = made_of = (INPUT, node[1])
        elif op == CONST:
            key, made_of = _constant(number(node[1]))
        else:
            args = [place[a] for a in node[1:]]
            if op == "select" and constant[args[0]]:
                place.append(args[1] if made[args[0]][1] else args[2])
                continue
            if constant[args[-1]] and all([constant[a] for a in args]):
                key, made_of = _constant(VALUES[op](*[made[a][1] for a in args]))
            else:
                key = made_of = (op, *args)
        k = known.get(key)
        if k is None:
            k = known[key] = len(made)
            made.append(made_of)
            constant.append(made_of[0] == CONST or made_of[0] == TRUTH)
        place.append(k)
    found = [place[k] for k in outputs]
    return _needed(made, found), found


def _constant(x: Any) -> tuple[Any, Known]:
    """A constant; and as a key, where a number is its digits: 0.0 == -0.0, and nan is not even equal to itself."""
    return ((TRUTH, x), (TRUTH, x)) if x.__class__ is bool else (float(x).hex(), (CONST, float(x)))


def _needed(nodes: list[Known], outputs: Sequence[int]) -> list[Known | None]:
    used = [False] * len(nodes)
    for k in outputs:
        used[k] = True
    for k in range(len(nodes) - 1, -1, -1):
        if used[k] and nodes[k][0] not in LEAVES:
            for a in nodes[k][1:]:
                used[a] = True
    return [node if use else None for node, use in zip(nodes, used, strict=True)]
