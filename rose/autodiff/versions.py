"""Versions of vectors: those that puts make of one another, through the states of loops and both sides of a `select`.

A tape that kept a version for each put would take a vector for each element. So of a vector that has versions the
elements are kept that are read, each where it is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import ACCUM, FOR, FREEZE, GET, INDEX, TUPLE, Func, Value, loop_of
from ..ir.callgraph import instructions, operations
from ..ir.ops import select
from ..ir.puts import PUT
from ..ir.types import Tuple, Type, Vec

Path = tuple[int, ...]
Part = tuple[Value, Path]  # a vector in a value: the items that lead to it


class Versions:
    """The vectors of a function that have versions."""

    def __init__(self, f: Func) -> None:
        self._same: dict[Part, Part] = {}
        self._put: dict[Part, None] = {}
        if PUT in operations(f):
            for v in instructions(f.body):
                self._enter(v)
            self._put = {self._first(part): None for part in self._put}

    def has(self, v: Value) -> bool:
        """True if `v` is an element of a vector that has versions, or a part of one."""
        if not self._put:
            return False
        path: Path = ()
        inside = False
        while v.op is GET or v.op is INDEX:
            path = () if v.op is INDEX else (v.attr, *path)
            inside = inside or v.op is INDEX
            v = v.args[0]
        return inside and self._first(_part(v, path)) in self._put

    def _enter(self, v: Value) -> None:
        if v.op is PUT:
            self._join((v, ()), (v.args[0], ()))
            self._put[v, ()] = None
        elif v.op is ACCUM or v.op is FREEZE:
            for path in _vectors(v.args[0].type if v.op is ACCUM else v.type):
                self._join((v, path), (v.args[0], path))
        elif v.op is select:
            for path in _vectors(v.type):
                self._join((v, path), (v.args[1], path), (v.args[2], path))
        elif v.op is FOR:
            block = loop_of(v)
            for j, (a, p, r) in enumerate(zip(v.args, block.states, block.results, strict=False)):
                for path in _vectors(p.type):
                    self._join((v, (j, *path)), (a, path), (p, path), (r, path))

    def _join(self, *parts: Part) -> None:
        first = self._first(_part(*parts[0]))
        for part in parts[1:]:
            other = self._first(_part(*part))
            if other[0] is not first[0] or other[1] != first[1]:
                self._same[other] = first

    def _first(self, part: Part) -> Part:
        """The part that stands for all versions of one vector."""
        while part in self._same:
            part = self._same[part]
        return part


def _part(v: Value, path: Path) -> Part:
    """A part of a value, by what makes it."""
    while v.op is GET or (v.op is TUPLE and path):
        v, path = (v.args[0], (v.attr, *path)) if v.op is GET else (v.args[path[0]], path[1:])
    return v, path


def _vectors(t: Type) -> Iterator[Path]:
    """The vectors in a type, but for those in others."""
    if isinstance(t, Vec):
        yield ()
    elif isinstance(t, Tuple):
        for k, item in enumerate(t.items):
            yield from [(k, *path) for path in _vectors(item)]
