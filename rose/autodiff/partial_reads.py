"""Vectors of which a program never reads some elements, by the ranges of its indices.

What nobody reads has the cotangent 0, and no condition of the program says so. Where an index is data, or a remainder,
all elements count as read; and so they do of what a loop carries, or a call gives: who reads the last position of a
trajectory alone would pay for the marks of all of it (GradBench's `ode` in reverse: 1.7 x as long).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import prod

from ..ir import ADD_TO, AT, FOR, GET, INDEX, PARAM, Block, Value, is_call, is_index, loop_of, span_of
from ..ir.affine import affine_of
from ..ir.sizes import Size, plus
from ..ir.types import Tan, Tuple, Type, Vec, as_vec
from ..optimise import costs
from .linear_parts import Key, Path, inner, key_of, leaves

Box = tuple[range, ...]  # of a vector of vectors: the indices in each


def partly_read(code: Mapping[Block, list[Value]], results: Iterable[Value]) -> set[Key]:
    """The vectors of linear values of which some elements are never read. `code` has the linear instructions."""
    if not any([v.op is INDEX for c in code.values() for v in c]):
        return set()  # of all that is read, all is
    found = _Reads({v.attr: v for c in code.values() for v in c if v.op is FOR})
    found.whole(results)
    for block in code.values():
        for v in block:
            found.enter(v)
    return {key for key, boxes in found.boxes.items() if not _is_carried(key) and not _cover(boxes, _shape(key))}


class _Reads:
    """The boxes of each vector that are read."""

    def __init__(self, loops: Mapping[Block, Value]) -> None:
        self.loops = loops
        self.boxes: dict[Key, dict[Box, None]] = {}

    def enter(self, v: Value) -> None:
        if v.op is INDEX:
            if not isinstance(v.type, Vec):  # what is read of a row, its reader says
                self._read(v.args[0], (), v)
        elif v.op is FOR:
            self.whole((*v.args, *loop_of(v).results))
        elif v.op is ADD_TO:
            self.whole(v.args[1:])
        elif v.op is not AT and v.op is not GET:
            self.whole(v.args)

    def whole(self, args: Iterable[Value]) -> None:
        """Some reader takes all of these."""
        for a in args:
            if a.type.linear and a.type is not Tan:
                for path, t in leaves(inner(a.type)):
                    if isinstance(t, Vec):
                        self._read(a, path, a)

    def _read(self, whole: Value, path: Path, v: Value) -> None:
        """Enter the read of `v`: a part of a vector, or an element of one."""
        key, box = key_of(whole, path), list[range]()
        while v is not key[0]:
            if v.op is INDEX:
                n = as_vec(v.args[0].type).size
                box.append(range(0) if isinstance(n, Size) else self._range(v.args[1]) or range(n))
            v = v.args[0]
        self.boxes.setdefault(key, {})[tuple(reversed(box))] = None

    def _range(self, i: Value) -> range | None:
        """The numbers that an index is, if that is known, and they are evenly spaced."""
        form = affine_of(i)
        low = high = form.constant
        steps: list[int] = []
        for x, k in form.terms.items():
            n = self._count(x)
            if not n or isinstance(k, Size):
                return None
            if far := k * (n - 1):
                low, high = plus(low, min(far, 0)), plus(high, max(far, 0))
                steps.append(abs(k))
        if isinstance(low, Size) or isinstance(high, Size) or (len(steps) > 1 and set(steps) != {1}):
            return None
        return range(low, high + 1, steps[0] if steps else 1)

    def _count(self, x: Value) -> int:
        """How many iterations the loop of an index has; 0 of what is none, or if that is not known."""
        loop = self.loops.get(x.block) if is_index(x) else None
        n = loop_of(loop).size if loop is not None and span_of(loop) is None else 0
        return 0 if isinstance(n, Size) else n


def _is_carried(key: Key) -> bool:
    """True for a state of a loop, in an iteration or after the last one, and for what a call gives."""
    v, path = key
    if v.op is FOR:
        return path[0] < loop_of(v).carried
    return is_call(v) or (v.op is PARAM and v.block.parent is not None)


def _cover(boxes: Iterable[Box], shape: list[int]) -> bool:
    """True if each cell of the grid that the edges of the boxes make is in one of them, or there are too many."""
    full = [(*box[: len(shape)], *[range(n) for n in shape[len(box) :]]) for box in boxes]
    edges = [_edges([box[k] for box in full], n) for k, n in enumerate(shape)]
    if prod([len(e) for e in edges]) * len(full) > costs.PARTIAL_CELLS:
        return True
    return all(
        [any([all([i in r for i, r in zip(cell, box, strict=True)]) for box in full]) for cell in product(*edges)]
    )


def _edges(ranges: Iterable[range], n: int) -> list[int]:
    """One index of each run of those that are in the same ranges."""
    found = {0}
    for r in ranges:
        found.update(r if r.step > 1 and len(r) > 1 else r[:1])
        found.update([i + 1 for i in (r if r.step > 1 else r[-1:])])
    return [i for i in sorted(found) if i < n]


def _shape(key: Key) -> list[int]:
    """The sizes of a vector and of those in it; none that are not known, nor what is in those."""
    t: Type = inner(key[0].type)
    for k in key[1]:
        assert isinstance(t, Tuple)
        t = t.items[k]
    sizes = list[int]()
    while isinstance(t, Vec) and not isinstance(t.size, Size):
        sizes.append(t.size)
        t = t.elem
    return sizes
