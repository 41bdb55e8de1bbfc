"""A graph without what is known before it runs: constants are folded, and equal nodes are one.

Penrose folds nothing: in diagrams whose shapes do not move, most nodes compute the same number in every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graphs import Node, number
from .operations import VALUES

INPUT, CONST, TRUTH = "input", "const", "truth"  # of constants, those that are numbers, and those that are not


def folded(nodes: Sequence[Node], outputs: Sequence[int]) -> tuple[list[Node], list[int]]:
    """The nodes that the outputs need, and where these are among them."""
    made = list[Node]()
    place = list[int]()
    known = dict[Any, int]()
    constant = list[bool]()
    for op, *args in nodes:
        if op == INPUT:
            node = [INPUT, args[0]]
        elif op == CONST:
            node = [CONST, number(args[0])]
        else:
            args = [place[a] for a in args]
            if op == "select" and constant[args[0]]:
                place.append(args[1] if made[args[0]][1] else args[2])
                continue
            if all([constant[a] for a in args]):
                x = VALUES[op](*[made[a][1] for a in args])
                node = [TRUTH if x.__class__ is bool else CONST, x]
            else:
                node = [op, *args]
        # as a key a number is its digits: 0.0 == -0.0, and nan is not even equal to itself
        key = (CONST, node[1].hex()) if node[0] == CONST else tuple(node)
        k = known.get(key)
        if k is None:
            k = known[key] = len(made)
            made.append(node)
            constant.append(node[0] == CONST or node[0] == TRUTH)
        place.append(k)
    return _needed(made, [place[k] for k in outputs])


def _needed(nodes: list[Node], outputs: list[int]) -> tuple[list[Node], list[int]]:
    """Those of the nodes that the outputs need."""
    used = [False] * len(nodes)
    for k in outputs:
        used[k] = True
    for k in range(len(nodes) - 1, -1, -1):
        if used[k] and nodes[k][0] not in (INPUT, CONST, TRUTH):
            for a in nodes[k][1:]:
                used[a] = True
    place, made = [0] * len(nodes), list[Node]()
    for k, node in enumerate(nodes):
        if used[k]:
            place[k] = len(made)
            made.append(node if node[0] in (INPUT, CONST, TRUTH) else [node[0], *[place[a] for a in node[1:]]])
    return made, [place[k] for k in outputs]
