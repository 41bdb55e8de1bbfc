"""What of a graph is alike: its nodes as the instances of few kinds of functions.

Penrose's objectives and constraints are a few dozen functions, each of many shapes; the graph has forgotten which.
Nodes are of one *class* if their expressions are equal but for which inputs and constants stand in them: one walk
finds them all. The classes form a graph that is much smaller. From the outputs backwards, it is cut into *kinds*: a
class starts one if several others read it, or others read its elements in another order, and if it is too large to
be computed again there. What one kind reads of another, or of the inputs, is a table: an index for each instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .folding import CONST, LEAVES, TRUTH, Known, folded
from .graphs import Graph
from .operations import CONDITIONS, FLAT, UNBOUNDED

Places = NDArray[np.int64]
SMALL = 2  # operations: what has no more is computed wherever it is read


@dataclass(eq=False)
class Class:
    """Nodes with the same operation, whose arguments are of the same classes."""

    op: str
    args: tuple[int, ...]
    nodes: list[int] = field(default_factory=list[int])
    readers: int = 0  # classes
    size: int = 0  # operations, without those of the classes that are likely to be kinds
    demands: dict[Any, tuple[Kind, Places]] = field(default_factory=dict[Any, "tuple[Kind, Places]"])
    flat: bool = False  # the derivative is 0
    above: bool = False  # it is 0 or more, or nan
    positive: bool = False  # it is more than 0, or nan
    wild: bool = False  # it, or its derivative, may be infinite or nan

    @property
    def leaf(self) -> bool:
        return self.op in LEAVES


@dataclass(frozen=True, eq=False)
class Read:
    """What each instance of a kind reads: an element of a class, or of the inputs; or a constant."""

    of: int | None  # the class; None for constants
    table: tuple[Any, ...]  # places, or constants


Operand = tuple[str, Any]  # ("read", k), ("row", k), ("const", its digits), ("truth", it)


@dataclass(eq=False)
class Kind:
    """An expression, and what each of its instances reads. Outputs are those of `which` objectives or constraints."""

    root: int
    nodes: Places
    output: str = ""  # "objectives", "constraints"; empty if others read what it gives
    which: tuple[int, ...] = ()
    found: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])  # arguments come later
    position: dict[Any, int] = field(default_factory=dict[Any, int])
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])  # operations, with their operands
    reads: list[Read] = field(default_factory=list[Read])
    result: Operand = (CONST, "0")

    @property
    def turns(self) -> int:
        return len(self.nodes)


def _signs(op: str, args: Sequence[Class]) -> tuple[bool, bool]:
    """Whether what such a class gives is never below 0, and always above."""
    above, positive = [a.above for a in args], [a.positive for a in args]
    match op:
        case "sq" | "exp":
            return True, False  # it may be rounded to 0
        case "abs":
            return True, positive[0]
        case "sqrt" | "sqrt_eps":
            return True, positive[0]
        case "add" | "addN":
            return all(above), all(above) and any(positive)
        case "mul" | "div":
            return all(above), False
        case "max" | "maxN":
            return any(above), any(positive)
        case "min" | "minN":
            return all(above), all(positive)
        case "select":
            return all(above[1:]), all(positive[1:])
        case _:
            return False, False


class Kinds:
    """The classes and kinds of a graph. Each kind stands after those that it reads."""

    def __init__(self, graph: Graph) -> None:
        self.classes = list[Class]()
        self.kinds = list[Kind]()
        nodes, outputs = folded(graph.nodes, [*graph.objectives, *graph.constraints])
        n = len(graph.objectives)
        self.outputs = {"objectives": outputs[:n], "constraints": outputs[n:]}
        self._classify(nodes)
        self._weigh()
        self._cut()
        self.kinds.sort(key=lambda k: (k.root, bool(k.output)))
        for kind in self.kinds:
            self._write(kind)

    def _classify(self, nodes: Sequence[Known | None]) -> None:
        known, members = dict[Any, int](), list[list[int]]()
        start, flat, of, place = [0] * len(nodes), list[int](), [0] * len(nodes), [0] * len(nodes)
        value = [0.0] * len(nodes)
        for k, node in enumerate(nodes):
            if node is None:
                continue
            op, *args = node
            if op in LEAVES:
                value[k], args = args[0], ()
            start[k] = len(flat)
            flat += args
            key = (op, *[of[a] for a in args])
            c = known.get(key)
            if c is None:
                c = known[key] = len(members)
                members.append([])
                self.classes.append(Class(op, key[1:], members[c]))
            of[k] = c
            members[c].append(k)
        for same in members:  # the last first: what is summed backwards is summed in the order of the reference
            same.reverse()
            for j, k in enumerate(same):
                place[k] = j
        self._of, self._value = of, np.array(value)
        self._start, self._flat, self._place = np.array(start), np.array([*flat, 0]), np.array(place)

    def _weigh(self) -> None:
        for c in self.classes:
            for a in dict.fromkeys(c.args):
                self.classes[a].readers += 1
        for c in self.classes:
            args = [self.classes[a] for a in dict.fromkeys(c.args)]
            c.size = 0 if c.leaf else 1 + sum([a.size for a in args if a.readers == 1 or a.size <= SMALL])
            c.flat = c.op in FLAT or (bool(args) and all([a.flat for a in args]))
        for c in self.classes:
            args = [self._argument(c, j, self.classes[a]) for j, a in enumerate(c.args)]
            c.above, c.positive = _signs(c.op, args)
            c.wild = any([a.wild for a in args]) or (c.op in UNBOUNDED and not self._is_bounded(c.op, args))

    def _argument(self, c: Class, j: int, a: Class) -> Class:
        """The class of an argument; of a constant, one of those constants that stand there."""
        if a.op != CONST:
            return a
        nodes = self._flat[self._start[c.nodes] + j]
        x = self._value[nodes]
        above, positive, regular = (bool(each.all()) for each in (x >= 0.0, x > 0.0, np.isfinite(x)))
        return Class(CONST, (), nodes.tolist(), above=above, positive=positive, wild=not regular)

    def _is_bounded(self, op: str, args: Sequence[Class]) -> bool:
        """True if such an operation is finite where its arguments are, and its derivative, too."""
        match op:
            case "div" | "inv":
                x = args[-1]
                return x.positive or (x.op == CONST and bool((self._value[x.nodes] != 0.0).all()))
            case "sqrt_eps":
                return args[0].above
            case "sqrt" | "log":
                return args[0].positive
            case _:
                return False

    def _outputs(self) -> Iterator[Kind]:
        for output, outs in self.outputs.items():
            by_class = dict[int, list[int]]()
            for j in reversed(range(len(outs))):
                by_class.setdefault(self._of[outs[j]], []).append(j)
            for c, which in by_class.items():
                yield Kind(c, np.array([outs[j] for j in which]), output, tuple(which))

    def _cut(self) -> None:
        """From the outputs backwards, let each class be part of the kinds that read it, or start one."""
        for kind in self._outputs():
            self.kinds.append(kind)
            self._demand(kind, kind.root, kind.nodes)
        for k in range(len(self.classes) - 1, -1, -1):
            c = self.classes[k]
            if c.leaf or (c.demands and not self._is_part(c)):
                for key, (kind, nodes) in c.demands.items():
                    kind.position[key[1:]] = len(kind.found)
                    kind.found.append((k, nodes))
                c.demands = {}
                if c.leaf:
                    continue
                own = Kind(k, np.array(c.nodes))
                self.kinds.append(own)
                self._demand(own, k, own.nodes)
            for key, (kind, nodes) in c.demands.items():
                first, args = self._start[nodes], list[Any]()
                for j, a in enumerate(c.args):
                    args.append(self._demand(kind, a, self._flat[first + j]))
                kind.position[key[1:]] = len(kind.found)
                kind.found.append((c.op, *args))

    def _demand(self, kind: Kind, c: int, nodes: Places) -> Any:
        """Note that a kind computes these nodes of a class, one in each turn; what it finds them by."""
        key = (c, nodes.tobytes())
        self.classes[c].demands.setdefault((kind, *key), (kind, nodes))
        return key

    def _is_part(self, c: Class) -> bool:
        """True if what reads a class computes it."""
        if len(c.demands) > 1:
            return c.size <= SMALL
        ((_, nodes),) = c.demands.values()
        return c.size * (len(nodes) - len(c.nodes)) <= 4 * len(nodes)

    def _write(self, kind: Kind) -> None:
        """The expression of a kind, in order."""
        made = list[Operand](((),) * len(kind.found))  # pyright: ignore[reportArgumentType]
        for k in range(len(kind.found) - 1, -1, -1):
            op, *args = kind.found[k]
            if isinstance(op, int):
                made[k] = self._read(kind, op, args[0])
            else:
                made[k] = ("row", len(kind.rows))
                kind.rows.append((op, *[made[kind.position[a]] for a in args]))
        kind.result = made[kind.position[kind.root, kind.nodes.tobytes()]]
        kind.found, kind.position = [], {}

    def _read(self, kind: Kind, c: int, nodes: Places) -> Operand:
        of = self.classes[c]
        if of.op not in (CONST, TRUTH):
            places = self._value[nodes].astype(np.int64) if of.leaf else self._place[nodes]
            kind.reads.append(Read(c, tuple(places.tolist())))
            return "read", len(kind.reads) - 1
        values = self._value[nodes]
        bits = values.view(np.int64)
        if of.op == TRUTH:
            values = values.astype(bool)
        if (bits == bits[0]).all():
            return of.op, float(values[0]).hex() if of.op == CONST else bool(values[0])
        kind.reads.append(Read(None, tuple(values.tolist())))
        return "read", len(kind.reads) - 1

    def is_condition(self, read: Read) -> bool:
        return isinstance(read.table[0], bool) if read.of is None else self.classes[read.of].op in CONDITIONS

    def is_active(self, read: Read) -> bool:
        """True if there is a derivative in what is read."""
        return read.of is not None and not self.classes[read.of].flat
