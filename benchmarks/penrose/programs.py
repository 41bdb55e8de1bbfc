"""Functions of a diagram, made of the kinds in its graph.

    phi = sum of mask * objective + weight * sum of mask * max(constraint, 0)^2

Each kind is an `@fn` of one instance, which is differentiated by itself. Its instances are the turns of a loop with
tables of indices: forwards for what others read, then backwards for all, adding to the cotangents of what is read. What
has the cotangent 0 contributes nothing, whatever infinities it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rose
from rose import Bool, Fn, Real, Vec, ir
from rose.ir import types

from .folding import CONST, INPUT, TRUTH
from .graphs import Graph
from .kinds import Kind, Kinds, Operand, Read
from .operations import CONDITIONS, OPERATIONS, larger


def functions(graph: Graph) -> dict[str, Fn[..., Any]]:
    """`value_and_gradient` of the inputs, the weight and the masks of a stage; and `phi`, with that as its derivative.

    The masks are of inputs, objectives and constraints. An input that does not vary has the derivative 0.
    """
    n, objectives, constraints = len(graph.inputs), len(graph.objectives), len(graph.constraints)
    kinds = Kinds(graph)
    given = [Vec[n], Real, Vec[n], Vec[objectives], Vec[constraints]]

    def value_and_gradient(x: Any, weight: Any, varies: Any, objectives: Any, constraints: Any) -> Any:
        phi, g = _Program(kinds, x, weight, {"objectives": objectives, "constraints": constraints}).run()
        return phi, rose.vec(varies[i] * g[i] for i in rose.range(n))

    both = rose.fn(given, tuple[Real, Vec[n]])(value_and_gradient)

    def phi(x: Any, weight: Any, varies: Any, objectives: Any, constraints: Any) -> Any:
        return both(x, weight, varies, objectives, constraints)[0]

    value = rose.fn(given, Real)(phi)

    @value.jvp
    def _(x: Any, *more: Any) -> Any:
        y, g = both(x.re, *[d.re for d in more])
        return rose.Dual(y, rose.sum(x.du[i] * g[i] for i in rose.range(n)))

    return {"value_and_gradient": both, "phi": value}


class _Program:
    """The loops over the instances of all kinds."""

    def __init__(self, kinds: Kinds, x: Any, weight: Any, masks: dict[str, Any]) -> None:
        self.classes, self.kinds, self.masks = kinds.classes, kinds.kinds, masks
        self.of, self.x, self.weight = kinds, x, weight
        self.fns = dict[Any, Fn[..., Any]]()
        self.pullbacks = dict[Any, Callable[..., rose.Vjp]]()
        self.values = dict[int, Any]()  # of each class that others read
        self.sums = dict[int, Any]()  # and its cotangents
        self.literals = dict[int, Any]()  # by identity: each belongs to a kind
        self.total, self.gradient = rose.accum(0.0), rose.accum(zeros(len(x)))

    def run(self) -> tuple[Any, Any]:
        for kind in self.kinds:
            if not kind.output:
                self.values[kind.root] = self.forwards(kind)
                if not self.classes[kind.root].flat:
                    self.sums[kind.root] = rose.accum(0.0 if kind.turns == 1 else zeros(kind.turns))
        for kind in reversed(self.kinds):
            each(kind, self.output(kind) if kind.output else self.backwards(kind))
        return self.total.value, self.gradient.value

    def forwards(self, kind: Kind) -> Any:
        f = self.fn(kind)
        if kind.turns == 1:
            return f(*self.read(kind, 0))
        return rose.vec(f(*self.read(kind, i)) for i in rose.range(kind.turns))

    def output(self, kind: Kind) -> Callable[[Any], None]:
        mask = self.masks[kind.output]

        def turn(i: Any) -> None:
            xs = self.read(kind, i)
            at = self.at(kind, xs)
            y = at.ret if at else self.fn(kind)(*xs)
            m = mask[self.entry(kind.which, len(mask), i)]
            if kind.output == "constraints":
                y = larger(y, 0.0)
                m = self.weight * m * y
            self.total += m * y
            if at:
                self.pull(kind, i, at, m if kind.output == "objectives" else m + m)

        return turn

    def backwards(self, kind: Kind) -> Callable[[Any], None]:
        ct = None if self.classes[kind.root].flat else self.sums[kind.root].value

        def turn(i: Any) -> None:
            at = None if ct is None else self.at(kind, self.read(kind, i))
            if at:
                self.pull(kind, i, at, ct if kind.turns == 1 else ct[i])

        return turn

    def at(self, kind: Kind, xs: Sequence[Any]) -> rose.Vjp | None:
        """An instance with its pullback; None where the derivative is 0."""
        if self.classes[kind.root].flat or not any(map(self.of.is_active, kind.reads)):
            return None
        f = self.fn(kind)
        if f not in self.pullbacks:
            self.pullbacks[f] = rose.vjp(f)
        return self.pullbacks[f](*xs)

    def pull(self, kind: Kind, i: Any, at: rose.Vjp, ct: Any) -> None:
        """Add the cotangents of what an instance reads."""
        cts = at.grad(ct)
        for k, read in enumerate(kind.reads):
            if self.of.is_active(read):
                g = cts if len(kind.reads) == 1 else cts[k]
                self.add(read, i, rose.select(ct == 0.0, 0.0, g) if self.classes[kind.root].wild else g)

    def add(self, read: Read, i: Any, ct: Any) -> None:
        of = self.classes[read.of or 0]
        if of.op == INPUT:
            self.gradient[self.entry(read.table, len(self.x), i)] += ct
        elif len(of.nodes) == 1:
            self.sums[read.of or 0] += ct
        else:
            self.sums[read.of or 0][self.entry(read.table, len(of.nodes), i)] += ct

    def read(self, kind: Kind, i: Any) -> list[Any]:
        """What instance `i` of a kind reads."""
        return [self.element(read, i) for read in kind.reads]

    def element(self, read: Read, i: Any) -> Any:
        if read.of is None:
            return self.literal(read.table, Bool if isinstance(read.table[0], bool) else Real)[i]
        of = self.classes[read.of]
        if of.op == INPUT:
            return self.x[self.entry(read.table, len(self.x), i)]
        values = self.values[read.of]
        return values if len(of.nodes) == 1 else values[self.entry(read.table, len(of.nodes), i)]

    def entry(self, table: tuple[int, ...], n: int, i: Any) -> Any:
        """Entry `i` of a table of indices below `n`."""
        if table.count(table[0]) == len(table):
            return table[0]
        return self.literal(table, types.Fin(n))[i]

    def literal(self, table: tuple[Any, ...], t: Any) -> Any:
        """A table as a vector, made once."""
        if id(table) not in self.literals:
            self.literals[id(table)] = ir.current_builder().const(table, types.Vec(len(table), t))
        return self.literals[id(table)]

    def fn(self, kind: Kind) -> Fn[..., Any]:
        """The function of a kind: one for all kinds that differ in what they read alone."""
        key = (tuple(kind.rows), kind.result, tuple([self.of.is_condition(r) for r in kind.reads]))
        active = tuple([self.of.is_active(r) for r in kind.reads])
        if (key, active) not in self.fns:
            self.fns[key, active] = _function(kind, key[2])
        return self.fns[key, active]


def _function(kind: Kind, conditions: Sequence[bool]) -> Fn[..., Any]:
    rows, result = kind.rows, kind.result

    def body(*xs: Any) -> Any:
        made = list[Any]()

        def operand(where: Operand) -> Any:
            what, k = where
            if what == "row" or what == "read":
                return made[k] if what == "row" else xs[k]
            return ir.current_builder().lift(float.fromhex(k) if what == CONST else k)

        for op, *args in rows:
            made.append(OPERATIONS[op](*map(operand, args)))
        return operand(result)

    is_condition = rows[-1][0] in CONDITIONS if rows else result[0] == TRUTH
    return rose.fn([Bool if c else Real for c in conditions], Bool if is_condition else Real)(body)


def zeros(n: int) -> Any:
    return ir.current_builder().zero(types.Vec(n, types.Real))


def each(kind: Kind, turn: Callable[[Any], None]) -> None:
    if kind.turns == 1:
        turn(0)
    else:
        for i in rose.range(kind.turns):
            turn(i)
