"""Random programs, as text: what a user could have written, in all that the public front end offers.

`program(choose)` draws one; `choose(n)` is a number below n, from hypothesis or from `random`. Every program is
the source of a module that defines `main`, and can be run with the real `rose` or with that of `second_semantics.py`.
Numbers stay small: each expression knows a bound of its absolute value, and is scaled where that grows.
"""

from __future__ import annotations

import dataclasses
import linecache
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

from hypothesis import strategies as st
from operations import MATHEMATICS, OF_TWO

import rose
from rose.frontend.annotations import as_type
from rose.ir.types import Bool, Fin, Real, Tuple, Type, Vec

Choose = Callable[[int], int]


# the types that programs use


@rose.struct
class Pair:
    a: Real
    b: Real

    def swapped(self) -> Any:
        return Pair(self.b, self.a)


@rose.struct
class Body:
    mass: Real
    pos: rose.Vec[2]
    alive: Bool
    near: rose.Fin[3]


class Edge(NamedTuple):
    to: rose.Fin[3]
    weight: Real


@dataclasses.dataclass
class Nest:
    pair: Pair
    row: rose.Vec[2, Pair]


@rose.struct
class Wide:
    """More numbers than are kept apart in locals."""

    p: Pair
    q: Pair
    r: Pair
    s: Pair
    t: Pair
    u: Pair
    v: Pair
    w: Pair
    ok: Bool
    z: Real


CLASSES = (Pair, Body, Edge, Nest, Wide)
STRUCTS = {as_type(c): c.__name__ for c in CLASSES}
DICT = as_type({"z": Real, "g": rose.Vec[2]})
MIXED = as_type(tuple[Real, rose.Vec[2], Bool])
TWO = as_type(tuple[Real, rose.Vec[2]])


def text(t: Type) -> str:
    """A type as a program writes it."""
    if t in STRUCTS:
        return STRUCTS[t]
    if isinstance(t, Vec):
        return f"Vec[{t.size}]" if t.elem is Real else f"Vec[{t.size}, {text(t.elem)}]"
    if isinstance(t, Tuple):
        if t.form is not None:
            return "{" + ", ".join([f"{k!r}: {text(s)}" for k, s in zip(t.form.fields, t.items, strict=True)]) + "}"
        return f"tuple[{', '.join(map(text, t.items))}]"
    return repr(t)


PRELUDE = """
import math

LOG = []

# a value that only some arms use, and a choice whose first arm uses it: `untaken_branches.py` has its own
spare = getattr(rose, "spare", lambda name, x: x)
choice = getattr(rose, "choice", lambda name, c, x, y: rose.select(c, x, y))


@rose.opaque(name="Math.sin", pure=True)
def sin(x: Real) -> Real:
    return math.sin(x)


@rose.opaque(name="Math.cos", pure=True)
def cos(x: Real) -> Real:
    return math.cos(x)


@sin.jvp
def sin_rule(x):
    return Dual(sin(x.re), cos(x.re) * x.du)


@cos.jvp
def cos_rule(x):
    return Dual(cos(x.re), -(sin(x.re) * x.du))


@rose.opaque(name="noted")
def noted(x: Real, k: Fin[3]) -> Real:
    LOG.append((x, k))
    return 0.5 * x + k


@noted.jvp
def noted_rule(x, k):
    return Dual(noted(x.re, k), 0.5 * x.du)


@rose.opaque(name="page.turned", pure=True)
def turned(v: Vec[2], p: Pair) -> Vec[2, Pair]:
    return [Pair(v[1], p.a), Pair(p.b, v[0])]


@turned.jvp
def turned_rule(v, p):
    return [Pair(v[1], p.a), Pair(p.b, v[0])]


@rose.opaque(pure=True)
def near(x: Real, c: Bool) -> Body:
    return Body(0.5, [x, -x], not c, int(abs(x)) % 3)


@rose.opaque(pure=True)
def above(x: Real, y: Real) -> Bool:
    return x > y


@rose.opaque(pure=True)
def bucket(x: Real) -> Fin[3]:
    return int(math.floor(x)) % 3


@rose.opaque
def tell(x: Real, c: Bool) -> None:
    LOG.append((x, c))
"""


class Program(NamedTuple):
    """The text of a module; the types of `main`; arguments for it; and the constructs that are in it."""

    source: str
    types: tuple[Type, ...]
    result: Type
    args: tuple[tuple[Any, ...], ...]  # several lists of arguments: plain values
    tags: Counter[str]

    def __repr__(self) -> str:
        return f"\n{self.source}\n# args: {self.args}\n"

    def run(self, module: Any = rose) -> dict[str, Any]:
        """The names that the program defines, with this module as its `rose`."""
        scope: dict[str, Any] = {c.__name__: c for c in CLASSES}
        scope.update(rose=module, Real=Real, Bool=Bool, Fin=rose.Fin, Vec=rose.Vec, Dual=rose.Dual)
        whole = PRELUDE + self.source
        name = f"<program {next(_numbers)}>"
        linecache.cache[name] = (len(whole), None, whole.splitlines(keepends=True), name)
        exec(compile(whole, name, "exec", dont_inherit=True), scope)
        return scope


_numbers = count()


# what an expression can see


class Var(NamedTuple):
    name: str
    type: Type
    bound: float


class Open(NamedTuple):
    """An accumulator that can be added to, and how many turns of loops are inside of it."""

    name: str
    type: Type
    turns: int


class Callee(NamedTuple):
    name: str
    types: tuple[Type, ...]
    result: Type


class Scope:
    """The names of a block. `turns` is how often it runs, for each time that its function does."""

    def __init__(self, outer: Scope | None = None, size: int = 1) -> None:
        self.vars: list[Var] = list(outer.vars) if outer else []
        self.callees: list[Callee] = list(outer.callees) if outer else []
        self.open: list[Open] = [o._replace(turns=o.turns * max(size, 1)) for o in outer.open] if outer else []
        self.depth: int = outer.depth + 1 if outer else 0


class Expr(NamedTuple):
    text: str
    bound: float


class Over(NamedTuple):
    """A range, as text, and the largest size that its index can have, which is the most iterations."""

    text: str
    size: int


def dependent(indices: Sequence[Var], n: int, pick: Callable[[Sequence[Any]], Any]) -> Over | None:
    """A range with a bound that one of these variables decides, which are indices; None if none of them has values."""
    found = [v for v in indices if isinstance(v.type, Fin) and v.type.size]
    if not found:
        return None
    i, j = pick(found), pick(found)
    m, k = i.type.size, j.type.size
    return pick([
        Over(f"rose.range({i.name})", m - 1),
        Over(f"rose.range({i.name})", m - 1),
        Over(f"rose.range({i.name} + 1)", m),
        Over(f"rose.range({i.name}, {n})", n),
        Over(f"rose.range({i.name} + 1, {n})", n),
        Over(f"rose.range({j.name}, {i.name})", m - 1),
        Over(f"rose.range({i.name} - 1)", m - 1),
        Over(f"rose.range({m} - {i.name})", m),
        Over(f"rose.range(rose.max({i.name} - 1, 0), rose.min({i.name} + 2, {n}))", min(m + 1, n)),
        Over(f"rose.range(rose.min({i.name}, {j.name}), rose.max({i.name}, {j.name}) + 1)", max(m, k)),
        Over(f"rose.range({i.name}, -1, -1)", m),
        Over(f"rose.range({i.name} - 1, -1, -1)", m - 1),
        Over(f"rose.range({n}, {i.name}, -1)", n + 1),
        Over(f"rose.range({i.name} + 1, {j.name} - 1, -2)", m + 1),
        Over(f"rose.range({i.name}, {n}, 2)", n),
        Over(f"rose.range(0, {i.name}, 3)", m - 1),
    ])  # fmt: skip


class Stuck(Exception):
    """There is no such expression here: choose another."""


LIMIT = 4.0  # no number that has a name is larger, but a sum

NUMBERS = ("1.0", "0.5", "2.0", "-0.75", "0.0", "-0.0", "3", "0.125", "-1.0", "1.5")


class Generator:
    """Writes one program, line by line."""

    def __init__(self, choose: Choose, budget: int) -> None:
        self.choose, self.budget = choose, budget
        self.lines: list[str] = []
        self.indent = 0
        self.names = count()
        self.tags: Counter[str] = Counter()
        self.impure = ["noted", "tell"]  # and all functions that call one of these

    # choices

    def pick(self, xs: Sequence[Any]) -> Any:
        if not xs:
            raise Stuck
        return xs[self.choose(len(xs))]

    def chance(self, percent: int) -> bool:
        return self.choose(100) >= 100 - percent

    def first_of(self, options: Sequence[Callable[[], Expr]]) -> Expr:
        """One of these, at random; the next where one is stuck."""
        k = self.choose(len(options))
        for option in [*options[k:], *reversed(options[:k])]:
            try:
                return option()
            except Stuck:
                continue
        raise Stuck

    def small(self) -> int:
        """A size: mostly 1 to 3, sometimes 0 or 4."""
        return self.pick((2, 3, 1, 2, 3, 2, 4, 0))

    def some(self) -> int:
        return self.small() or 2

    def type(self, depth: int = 2) -> Type:
        """Any type that a value can have."""
        k = self.choose(16)
        if k < 5:
            return Real
        if k < 11 and depth:
            return Vec(self.small(), Real if k < 8 else self.type(depth - 1))
        options = (Bool, as_type(Pair), as_type(Body), as_type(Edge), as_type(Nest), as_type(Wide), DICT, MIXED, Real)
        return Fin(self.some()) if k == 15 else self.pick(options)

    # text

    def write(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def name(self, prefix: str) -> str:
        return f"{prefix}{next(self.names)}"

    @contextmanager
    def inside(self, line: str) -> Any:
        self.write(line)
        self.indent += 1
        try:
            yield
        finally:
            self.indent -= 1

    def let(self, s: Scope, e: Expr, t: Type, prefix: str = "t") -> Var:
        v = Var(self.name(prefix), t, e.bound)
        self.write(f"{v.name} = {e.text}")
        s.vars.append(v)
        return v

    # expressions

    def expr(self, s: Scope, t: Type, depth: int, limit: float = LIMIT) -> Expr:
        """An expression of type `t`, whose numbers are within the limit."""
        self.budget -= 1
        if self.budget < 0:
            depth = min(depth, 0)
        if t is Real:
            e = self.real(s, depth)
            return e if e.bound <= limit else Expr(f"({e.text} * {_scale(e.bound, limit)!r})", limit)
        for _ in range(4):
            e = self.other(s, t, depth)
            if e.bound <= limit:
                return e
        return self.plainest(s, t)

    def other(self, s: Scope, t: Type, depth: int) -> Expr:
        kinds: list[Callable[[], Expr]] = [lambda: self.path(s, t)]
        if depth > 0:
            kinds += [lambda: self.call(s, t, depth), lambda: self.select(s, t, depth), lambda: self.stop(s, t, depth)]
            kinds += [lambda: self.cond(s, t, depth), lambda: self.turns(s, t, depth)]
        if t is Bool:
            kinds += [lambda: self.truth(s, depth)] * 3
        elif isinstance(t, Fin):
            kinds += [lambda: self.exact_index(s, t.size)] * 2
        elif isinstance(t, Vec):
            kinds += [lambda: self.vector(s, t, depth)] * (4 if depth > 0 else 1)
        elif isinstance(t, Tuple):
            kinds += [lambda: self.struct(s, t, depth)] * 2
        kinds.append(lambda: self.plainest(s, t))
        return self.first_of(kinds)

    def plainest(self, s: Scope, t: Type) -> Expr:
        """An expression of type `t` that can always be written."""
        if t is Real:
            return Expr(self.pick(NUMBERS[:4]), 2.0)
        if t is Bool:
            return Expr(self.pick(("True", "False")), 0.0)
        if isinstance(t, Fin):
            return Expr(f"rose.constant({text(t)}, {self.choose(t.size)})", 0.0)
        if isinstance(t, Vec) and _is_flat(t):
            return Expr(f"rose.constant({text(t)}, {self.literal(t)!r})", 2.0)
        if isinstance(t, Vec):
            inner = Scope(s, t.size)
            e = self.plainest(inner, t.elem)
            return Expr(f"rose.vec({e.text} for _ in rose.range({t.size}))", e.bound)
        assert isinstance(t, Tuple)
        return self.struct(s, t, 0)

    def literal(self, t: Type) -> Any:
        if isinstance(t, Vec):
            return [self.literal(t.elem) for _ in range(t.size)]
        return float(self.pick(NUMBERS)) if t is Real else bool(self.choose(2)) if t is Bool else self.choose(t.size)

    def path(self, s: Scope, t: Type) -> Expr:
        """A part of a variable."""
        v: Var = self.pick([v for v in reversed(s.vars) if _reaches(v.type, t)])
        at, whole = v.name, v.type
        while whole is not t or (_below(whole, t) and self.chance(50)):
            if isinstance(whole, Vec):
                i = self.index(s, whole.size)
                at, whole = f"{at}[{i}]", whole.elem
            else:
                assert isinstance(whole, Tuple)
                k = self.pick([k for k, x in enumerate(whole.items) if _reaches(x, t)])
                at, whole = _member(at, whole, k), whole.items[k]
        self.tags["path" if at != v.name else "name"] += 1
        return Expr(at, v.bound)

    # indices

    def index(self, s: Scope, n: int) -> str:
        """An index of a vector of `n`."""
        options: list[str] = []
        for v in s.vars:
            if isinstance(v.type, Fin):
                if v.type.size <= n:
                    options += [v.name, v.name]
                if n:
                    options.append(f"({v.name} + {1 + self.choose(3)}) % {n}")
                    options.append(f"{v.name} % {n}")
                if v.type.size and (v.type.size - 1) // 2 + 1 <= n:
                    options.append(f"{v.name} // 2")
                if n and v.type.size > 1:
                    options.append(f"({v.name} * 2 + {v.name}) % {n}")
        for v in s.vars:
            gather = v.type.elem if isinstance(v.type, Vec) else None
            if isinstance(gather, Fin) and v.type.size and gather.size <= n:  # type: ignore[attr-defined]
                turns = [i.name for i in s.vars if isinstance(i.type, Fin) and i.type.size <= v.type.size]  # type: ignore
                options.append(f"{v.name}[{self.pick((*turns, str(self.choose(v.type.size))))}]")  # type: ignore
            if v.type is as_type(Body) and n >= 3:
                options.append(f"{v.name}.near")
        if n:
            options += [str(self.choose(n))] * 2
            if self.chance(20):
                options.append("-1")
        at = self.pick(options)
        self.tags["literal index" if at.lstrip("-").isdigit() else "traced index"] += 1
        return at

    def exact_index(self, s: Scope, n: int) -> Expr:
        v: Var = self.pick([v for v in s.vars if isinstance(v.type, Fin) and v.type.size])
        self.tags["index arithmetic"] += 1
        return Expr(self.pick((f"(({v.name} + {n}) % {n})", f"(({v.name} * 2 + {n}) % {n})")), 0.0)

    # truth values

    def truth(self, s: Scope, depth: int) -> Expr:
        self.tags["truth"] += 1
        k = self.choose(8) if depth > 0 else 0
        if k == 7:
            return Expr(f"above({self.real(s, 0).text}, {self.real(s, 0).text})", 0.0)
        if k in (4, 5):
            x, y = self.expr(s, Bool, depth - 1).text, self.expr(s, Bool, depth - 1).text
            c = self.path_to_truth(s)
            return Expr(f"(({c} {self.pick('&|^')} {x}) {self.pick(('&', '|', '^', '==', '!='))} {y})", 0.0)
        if k == 6:
            # two numbers of Python's may be compared, and `~True` is -2
            return Expr(f"(~({self.path_to_truth(s)} & rose.constant(Bool, True)))", 0.0)
        return Expr(self.path_to_truth(s), 0.0)

    def path_to_truth(self, s: Scope) -> str:
        """A truth value that is traced."""
        k = self.choose(4)
        indices = [v.name for v in s.vars if isinstance(v.type, Fin)]
        if k == 3 and indices:
            return (
                f"({self.pick(indices)} {self.pick(('<', '<=', '==', '!=', '>', '>='))} {self.pick((*indices, '1'))})"
            )
        if k == 2:
            try:
                return self.path(s, Bool).text
            except Stuck:
                pass
        x, y = self.path(s, Real).text, self.real(s, 0).text
        return f"({x} {self.pick(('<', '<=', '>', '>=', '==', '!='))} {y})"

    # numbers

    def real(self, s: Scope, depth: int) -> Expr:
        if depth <= 0:
            return self.first_of([lambda: self.path(s, Real)] * 4 + [lambda: self.plainest(s, Real)])
        kinds = [
            lambda: self.path(s, Real),
            lambda: self.arithmetic(s, depth),
            lambda: self.arithmetic(s, depth),
            lambda: self.unary(s, depth),
            lambda: self.unary(s, depth),
            lambda: self.mathematics(s, depth),
            lambda: self.mathematics(s, depth),
            lambda: self.extreme(s, depth),
            lambda: self.select(s, Real, depth),
            lambda: self.cond(s, Real, depth),
            lambda: self.cond(s, Real, depth),
            lambda: self.turns(s, Real, depth),
            lambda: self.turns(s, Real, depth),
            lambda: self.fold(s, depth),
            lambda: self.fold(s, depth),
            lambda: self.call(s, Real, depth),
            lambda: self.call(s, Real, depth),
            lambda: self.dot(s),
            lambda: self.measure(s),
            lambda: self.derivative(s, depth),
            lambda: self.opaque(s, depth),
            lambda: self.stop(s, Real, depth),
            lambda: self.index_as_real(s),
            lambda: self.listed(s, depth),
        ]
        return self.first_of(kinds)

    def arithmetic(self, s: Scope, depth: int) -> Expr:
        x, y = self.expr(s, Real, depth - 1), self.expr(s, Real, depth - 1)
        op = self.pick("+-*/")
        self.tags[op] += 1
        if op == "*":
            return Expr(f"({x.text} * {y.text})", x.bound * y.bound)
        if op == "/":
            return Expr(f"({x.text} / (1.5 + {y.text} * {y.text}))", x.bound)
        return Expr(f"({x.text} {op} {y.text})", x.bound + y.bound)

    def unary(self, s: Scope, depth: int) -> Expr:
        x = self.expr(s, Real, depth - 1, 2.0)
        form, bound = self.pick((
            ("(-{})", 2.0), ("abs({})", 2.0), ("rose.abs({})", 2.0), ("rose.sqrt(0.5 + {0} * {0})", 2.2),
            ("({} ** 2)", 4.0), ("({} ** 3)", 8.0), ("((1.25 + {0} * {0}) ** -2)", 1.0), ("({} ** 0)", 1.0),
            ("rose.floor({})", 2.0), ("rose.ceil({})", 2.0), ("rose.trunc({})", 2.0), ("rose.round({})", 2.0),
            ("rose.sign({})", 1.0), ("(+{})", 2.0), ("({} ** 5)", 32.0),
        ))  # fmt: skip
        self.tags[form.partition("(")[0] or "**" if "rose" in form or "abs" in form else "**"] += 1
        return Expr(form.format(x.text), bound)

    def mathematics(self, s: Scope, depth: int) -> Expr:
        x = self.expr(s, Real, depth - 1, 2.0)
        if self.chance(25):
            form, bound = self.pick(OF_TWO)
            out = form.format(x.text, self.expr(s, Real, depth - 1, 2.0).text)
        else:
            form, bound = self.pick(MATHEMATICS)
            out = form.format(x.text)
        known = form.partition("rose.")[2].partition("(")[0]
        self.tags["mathematics: " + (known if "%" not in form and "**" not in form else "% or **")] += 1
        return Expr(out, bound)

    def extreme(self, s: Scope, depth: int) -> Expr:
        name = self.pick(("max", "min", "copysign"))
        x, y = self.expr(s, Real, depth - 1), self.expr(s, Real, depth - 1)
        self.tags[name] += 1
        return Expr(f"rose.{name}({x.text}, {y.text})", max(x.bound, y.bound))

    def index_as_real(self, s: Scope) -> Expr:
        v: Var = self.pick([v for v in s.vars if isinstance(v.type, Fin)])
        return Expr(self.pick((f"({v.name} * 0.25)", f"({v.name} - 1)", f"(0.5 / ({v.name} + 1.0))")), 4.0)

    def listed(self, s: Scope, depth: int) -> Expr:
        """Python's own lists and loops: unrolled."""
        xs = [self.expr(s, Real, depth - 1) for _ in range(1 + self.choose(3))]
        self.tags["unrolled"] += 1
        if self.chance(50):
            x, n = xs[0], 1 + self.choose(3)
            return Expr(f"sum([{x.text} * (k + 1) for k in range({n})])", x.bound * n * (n + 1) / 2)
        name = self.pick(("sum", "max", "min"))
        return Expr(f"rose.{name}([{', '.join([x.text for x in xs])}])", sum([x.bound for x in xs]))

    def dot(self, s: Scope) -> Expr:
        v: Var = self.pick([v for v in s.vars if isinstance(v.type, Vec) and v.type.elem is Real])
        assert isinstance(v.type, Vec)
        w: Var = self.pick([w for w in s.vars if w.type is v.type])
        self.tags["dot"] += 1
        return Expr(f"rose.dot({v.name}, {w.name})", v.bound * w.bound * max(v.type.size, 1))

    def measure(self, s: Scope) -> Expr:
        """The norm of a vector or a matrix, or the `logsumexp` of a vector."""
        v: Var = self.pick([v for v in s.vars if _is_matrix(v.type)])
        if not (isinstance(v.type, Vec) and v.type.elem is Real and v.type.size) or self.chance(50):
            self.tags["norm"] += 1
            return Expr(f"rose.norm({v.name})", v.bound * 4.0)
        self.tags["logsumexp"] += 1
        return Expr(f"rose.logsumexp({v.name})", v.bound + 2.0)

    def product(self, s: Scope, t: Vec, depth: int) -> Expr:
        """A vector or a matrix, as a product of others, or transposed."""
        if t is as_type(rose.Vec[3]) and self.chance(50):
            x, y = self.expr(s, t, depth - 1), self.expr(s, t, depth - 1)
            self.tags["cross"] += 1
            return Expr(f"rose.cross({x.text}, {y.text})", 2.0 * x.bound * y.bound)
        if isinstance(t.elem, Vec) and t.elem.size and self.chance(50):
            x = self.expr(s, Vec(t.elem.size, Vec(t.size, Real)), depth - 1)
            self.tags["transpose"] += 1
            return Expr(f"rose.transpose({x.text})", x.bound)
        n = self.some()
        left = Vec(t.size, Vec(n, Real))
        right = Vec(n, t.elem if isinstance(t.elem, Vec) else Real)
        if right.elem is Real and self.chance(30):
            left, right = Vec(n, Real), Vec(n, t)
        x, y = self.expr(s, left, depth - 1), self.expr(s, right, depth - 1)
        self.tags["matmul"] += 1
        return Expr(f"rose.matmul({x.text}, {y.text})", n * x.bound * y.bound)

    def fold(self, s: Scope, depth: int) -> Expr:
        """`sum`, `prod`, `max` or `min` over one loop, or over two, one in the other."""
        if s.depth >= 3:
            raise Stuck
        name = self.pick(("sum", "sum", "prod", "max", "min"))
        loops, inner, total = list[str](), s, 1
        for _ in range(1 + (self.choose(4) == 3)):
            inner, i, over = self.over(inner, self.some() if name in ("max", "min") else self.small(), name)
            total *= over.size
            loops.append(f"for {i} in {over.text}")
        x = self.expr(inner, Real, depth - 1, 1.3 if name == "prod" else LIMIT)
        self.tags[f"{name} over {len(loops)} loops"] += 1
        self.tags[f"depth {inner.depth}"] += 1
        bound = {"sum": x.bound * total, "prod": max(x.bound, 1.0) ** total}.get(name, x.bound)
        return Expr(f"rose.{name}({x.text} {' '.join(loops)})", bound)

    def turn(self, s: Scope, n: int) -> tuple[Scope, str]:
        """The scope of the body of a loop."""
        inner, i = Scope(s, n), self.name("i")
        inner.vars.append(Var(i, Fin(n), 4.0))
        return inner, i

    def over(self, s: Scope, n: int, fold: str = "for") -> tuple[Scope, str, Over]:
        """The scope of the body of a loop over `n` indices, or over as many as another index says, and its range."""
        found = dependent(s.vars, n, self.pick) if fold not in ("max", "min", "vec") and self.chance(40) else None
        self.tags["range of dependent length"] += found is not None
        over = found or Over(f"rose.range({n})", n)
        return *self.turn(s, over.size), over

    # values of any type

    def select(self, s: Scope, t: Type, depth: int) -> Expr:
        c, x, y = self.expr(s, Bool, depth - 1), self.expr(s, t, depth - 1), self.expr(s, t, depth - 1)
        self.tags["select" if t is Real else "select of an aggregate"] += 1
        return Expr(f"rose.select({c.text}, {x.text}, {y.text})", max(x.bound, y.bound))

    def cond(self, s: Scope, t: Type, depth: int) -> Expr:
        """One of two expressions: the other one is not evaluated."""
        c, x, y = self.expr(s, Bool, depth - 1), self.expr(s, t, depth - 1), self.expr(s, t, depth - 1)
        self.tags["cond" if t is Real else "cond of an aggregate"] += 1
        return Expr(f"rose.cond({c.text}, lambda: {x.text}, lambda: {y.text})", max(x.bound, y.bound))

    def turns(self, s: Scope, t: Type, depth: int) -> Expr:
        """The last state of a loop."""
        if s.depth >= 3:
            raise Stuck
        kind = self.choose(4)
        if kind == 3 and t is Real:
            return self.growing(s, depth)
        init = self.expr(s, t, depth - 1)
        inner, i, over = self.over(s, n := self.small())
        state = self.state(inner, t)
        if kind < 2:
            body = self.expr(inner, t, depth - 1).text
            self.tags["scan"] += 1
            kept = f"{n}{self.kept(body)}" if over.text == f"rose.range({n})" else over.text
            return Expr(f"rose.scan(lambda {i}, {state}: {body}, {init.text}, {kept})", LIMIT)
        inner.vars = [v for v in inner.vars if v.name != i]
        test, body = self.limited(inner, i, depth), self.expr(inner, t, depth - 1).text
        self.tags["while"] += 1
        turn = lambda e: f"lambda s: (lambda {i}, {state}: {e})(*s)"
        whole = f"rose.while_loop({turn(test)}, {turn(f'({i} + 1.0, {body})')}, (0.0, {init.text}){self.most()})"
        return Expr(f"{whole}[1]", LIMIT)

    def state(self, inner: Scope, t: Type) -> str:
        state = self.name("s")
        inner.vars.append(Var(state, t, LIMIT))
        return state

    def limited(self, inner: Scope, count: str, depth: int) -> str:
        """A test that fails after a few turns, as `count` grows; how many depends on the data."""
        test = f"({count} < {self.expr(inner, Real, min(depth - 1, 1), 3.0).text})"
        return f"({test} & {self.path_to_truth(inner)})" if self.chance(40) else test

    def growing(self, s: Scope, depth: int) -> Expr:
        """A number that grows until it is large enough."""
        init = self.expr(s, Real, depth - 1, 2.0)
        inner = Scope(s, 8)
        state = self.state(inner, Real)
        more = self.expr(inner, Real, depth - 1, 2.0)
        self.tags["while of a number"] += 1
        body = f"{state} + 0.625 + 0.25 * abs({more.text})"
        whole = f"rose.while_loop(lambda {state}: {state} < 1.5, lambda {state}: {body}, {init.text}{self.most()})"
        return Expr(whole, LIMIT)

    def most(self) -> str:
        return self.pick(("", "", ", max_iter=9", ", 20"))

    def kept(self, body: str) -> str:
        """What a scan keeps for its derivative; no more than all, if evaluating it again would be seen."""
        if not self.chance(35) or self.has_effects(body):
            return ""
        self.tags["checkpoint"] += 1
        return self.pick((', checkpoint="sqrt"', ', checkpoint="binomial", snapshots=1', ', checkpoint="binomial"'))

    def has_effects(self, body: str) -> bool:
        return re.search(rf"\b({'|'.join(self.impure)})\b", body) is not None

    def stop(self, s: Scope, t: Type, depth: int) -> Expr:
        if not self.chance(25):
            raise Stuck
        x = self.expr(s, t, depth - 1)
        self.tags["stop_gradient"] += 1
        return Expr(f"rose.stop_gradient({x.text})", x.bound)

    def vector(self, s: Scope, t: Vec, depth: int) -> Expr:
        kinds: list[Callable[[], Expr]] = [lambda: self.comprehension(s, t, depth)] * 3
        if t.size:
            kinds += [lambda: self.listing(s, t, depth), lambda: self.slice(s, t)]
        if t.size and _is_summable(t) and depth > 0:
            kinds.append(lambda: self.sum_of(s, t, depth))
        if _is_matrix(t) and depth > 0:
            kinds.append(lambda: self.product(s, t, depth))
        if t is as_type(rose.Vec[2, Pair]):
            kinds.append(lambda: self.turned(s, depth))
        return self.first_of(kinds)

    def comprehension(self, s: Scope, t: Vec, depth: int) -> Expr:
        if s.depth >= 3:
            raise Stuck
        inner, i = self.turn(s, t.size)
        x = self.expr(inner, t.elem, depth - 1)
        self.tags["vec"] += 1
        return Expr(f"rose.vec({x.text} for {i} in rose.range({t.size}))", x.bound)

    def listing(self, s: Scope, t: Vec, depth: int) -> Expr:
        if isinstance(t.elem, Fin):
            raise Stuck
        xs = [self.expr(s, t.elem, depth - 1) for _ in range(t.size)]
        self.tags["vec of a list"] += 1
        return Expr(f"rose.vec([{', '.join([x.text for x in xs])}])", max([x.bound for x in xs]))

    def slice(self, s: Scope, t: Vec) -> Expr:
        v: Var = self.pick(
            [v for v in s.vars if isinstance(v.type, Vec) and v.type.elem is t.elem and v.type.size >= t.size]
        )
        assert isinstance(v.type, Vec)
        k = self.choose(v.type.size - t.size + 1)
        self.tags["slice"] += 1
        return Expr(f"{v.name}[::-1]" if v.type is t else f"{v.name}[{k}:{k + t.size}]", v.bound)

    def sum_of(self, s: Scope, t: Type, depth: int) -> Expr:
        """A sum of vectors or structs."""
        if s.depth >= 3:
            raise Stuck
        n = self.some()  # the second semantics does not know the type of a sum of nothing
        inner, i = self.turn(s, n)
        x = self.expr(inner, t, depth - 1)
        self.tags["sum of aggregates"] += 1
        return Expr(f"rose.sum({x.text} for {i} in rose.range({n}))", x.bound * n)

    def struct(self, s: Scope, t: Tuple, depth: int) -> Expr:
        if _is_summable(t) and depth > 0 and self.chance(10):
            return self.sum_of(s, t, depth)
        if t is as_type(Pair) and self.chance(10):
            e = self.path(s, t)
            return Expr(f"{e.text}.swapped()", e.bound)
        if t is as_type(Body) and any([_reaches(v.type, Real) for v in s.vars]) and self.chance(25):
            x = self.real(s, 0)
            return Expr(f"near(rose.stop_gradient({x.text}), {self.path_to_truth(s)})", max(x.bound, 1.0))
        xs = [self.expr(s, x, depth - 1) for x in t.items]
        parts = [x.text for x in xs]
        self.tags["struct"] += 1
        bound = max([x.bound for x in xs])
        if t is DICT:
            return Expr("{" + f"'z': {parts[0]}, 'g': {parts[1]}" + "}", bound)
        return Expr(f"{STRUCTS.get(t, '')}({', '.join(parts)})", bound)

    def call(self, s: Scope, t: Type, depth: int) -> Expr:
        f: Callee = self.pick([f for f in reversed(s.callees) if f.result is t])
        args = [self.expr(s, x, depth - 1).text for x in f.types]
        self.tags["call" if s.depth == 0 else "call in a loop"] += 1
        return Expr(f"{f.name}({', '.join(args)})", LIMIT)

    def opaque(self, s: Scope, depth: int) -> Expr:
        x = self.expr(s, Real, depth - 1)
        kind = self.choose(5)
        self.tags["opaque"] += 1
        if kind == 4:
            self.tags["opaque to an index"] += 1
            return Expr(f"(bucket({x.text}) * 0.5)", 1.0)
        if kind == 3:
            i = self.exact_index(s, 3)
            self.tags["impure"] += 1
            return Expr(f"noted({x.text}, {i.text})", x.bound * 0.5 + 2.0)
        return Expr(f"{self.pick(('sin', 'sin', 'cos'))}({x.text})", 1.0)

    def turned(self, s: Scope, depth: int) -> Expr:
        v, p = self.expr(s, as_type(rose.Vec[2]), depth - 1), self.expr(s, as_type(Pair), depth - 1)
        self.tags["opaque of aggregates"] += 1
        return Expr(f"turned({v.text}, {p.text})", max(v.bound, p.bound))

    def derivative(self, s: Scope, depth: int) -> Expr:
        """A derivative of a function, taken inside the program."""
        kind = self.pick(("grad", "vjp", "jvp", "value_and_grad"))
        f: Callee = self.pick(
            [f for f in reversed(s.callees) if f.types[0].real and (f.result is Real or kind == "vjp")]
        )
        if not f.result.real or (kind == "jvp" and f.types != (Real,)):
            raise Stuck
        args = ", ".join([self.expr(s, x, depth - 1).text for x in f.types])
        if kind == "vjp":
            ct = self.expr(s, f.result, 0).text
            whole = f"rose.vjp({f.name})({args}).grad({ct})" + ("[0]" if len(f.types) > 1 else "")
        elif kind == "jvp":
            whole = f"rose.jvp({f.name})(Dual({args}, {self.real(s, 0).text})).du"
        else:
            whole = f"rose.{kind}({f.name})({args})" + ("[1]" if kind == "value_and_grad" else "")
        v = self.path(_only(s, Var("it", Real if kind == "jvp" else f.types[0], 1.0)), Real)
        self.tags[f"{kind} inside"] += 1
        return Expr(f"tame({whole + v.text[2:]})", 1.0)

    # statements

    def block(self, s: Scope, length: int) -> None:
        for _ in range(length):
            if self.budget <= 0:
                return
            before = len(self.lines), list(s.vars), list(s.callees), list(s.open)
            try:
                self.statement(s)
            except Stuck:
                at, s.vars, s.callees, s.open = before
                del self.lines[at:]

    def statement(self, s: Scope) -> None:
        k = self.choose(16)
        if k < 5 or s.depth >= 3:
            t = self.type()
            # an aggregate that Python holds as a list or an object is one that a traced index cannot read
            e = self.expr(s, t, 3)
            self.let(s, e, t)
        elif k < 8:
            self.loop(s)
        elif k == 8:
            self.add(s)
        elif k == 9:
            self.function(s, nested=True)
        elif k == 10:
            self.macro(s)
        elif k == 11:
            self.spare(s)
        elif k == 12:
            self.branches(s)
        elif k == 13:
            self.turns_of_statements(s)
        else:
            self.tags["tell"] += 1
            self.write(f"tell({self.real(s, 0).text}, {self.path_to_truth(s)})")

    def define(self, name: str, inner: Scope, params: str, result: Callable[[], str], length: int) -> str:
        """A Python function of a few statements, which do not add to what is around them; its text."""
        inner.open = []
        start = len(self.lines)
        with self.inside(f"def {name}({params}):"):
            self.block(inner, length)
            self.write(f"return {result()}")
        body = "\n".join(self.lines[start:])
        if self.has_effects(body):
            self.impure.append(name)
        return body

    def branches(self, s: Scope) -> None:
        """A choice between two functions of several statements."""
        t, arms = self.type(), list[str]()
        condition = self.path_to_truth(s)
        for _ in range(2):
            inner = Scope(s)
            arms.append(self.name("arm"))
            self.define(arms[-1], inner, "", lambda inner=inner: self.expr(inner, t, 2).text, 1 + self.choose(2))
        self.tags["cond of statements"] += 1
        self.let(s, Expr(f"rose.cond({condition}, {arms[0]}, {arms[1]})", LIMIT), t)

    def turns_of_statements(self, s: Scope) -> None:
        """A loop with a state, whose body has several statements."""
        t = TWO if self.chance(20) else self.type()
        init, name, n = self.expr(s, t, 2), self.name("turn"), self.some()
        inner, i = self.turn(s, n)
        state = self.state(inner, t)
        if self.chance(50):
            out = self.type() if self.chance(50) else None
            result = lambda: self.expr(inner, t, 2).text
            both = lambda: result() if out is None else f"({result()}, {self.expr(inner, out, 2).text})"
            body = self.define(name, inner, f"{i}, {state}", both, 1 + self.choose(2))
            whole = f"rose.scan({name}, {init.text}, {n}{self.kept(body)})"
            self.tags["scan of statements" if out is None else "scan with outs"] += 1
            if out is None:
                self.let(s, Expr(whole, LIMIT), t)
                return
            last, outs = self.name("t"), self.name("t")
            self.write(f"{last}, {outs} = {whole}")
            s.vars += [Var(last, t, LIMIT), Var(outs, Vec(n, out), LIMIT)]
            return
        inner.vars = [v for v in inner.vars if v.name != i]
        before = list(inner.vars)
        more = lambda: f"({i} + 1.0, {self.expr(inner, t, 2).text})"
        self.define(name, inner, f"{i}, {state}", more, 1 + self.choose(2))
        inner.vars = before
        self.tags["while of statements"] += 1
        test = f"lambda s: (lambda {i}, {state}: {self.limited(inner, i, 2)})(*s)"
        whole = f"rose.while_loop({test}, lambda s: {name}(*s), (0.0, {init.text}){self.most()})[1]"
        self.let(s, Expr(whole, LIMIT), t)

    def loop(self, s: Scope) -> None:
        """A loop that adds into some accumulators."""
        n, opened = self.small(), list[Open]()
        for _ in range(1 + self.choose(2)):
            t = self.type()
            if _is_summable(t):
                init = self.expr(s, t, 1)
                acc = Open(self.name("acc"), t, 1)
                self.write(f"{acc.name} = rose.accum({init.text})")
                opened.append(acc)
        s.open += opened
        inner, i, over = self.over(s, n)
        self.tags["for"] += 1
        self.tags[f"depth {inner.depth}"] += 1
        with self.inside(f"for {i} in {over.text}:"):
            start = len(self.lines)
            self.block(inner, 1 + self.choose(3))
            if opened or len(self.lines) == start:
                self.add(inner)
        if self.chance(25):
            self.add(s)
        for acc in opened:
            s.open.remove(acc)
            if self.chance(90):
                self.let(s, Expr(f"{acc.name}.value", 4 * LIMIT), acc.type)

    def spare(self, s: Scope) -> None:
        """A value that is made outside of loops, and that only arms in them use: often arms that no turn takes."""
        t = self.pick((Real, Real, as_type(Vec(2, Real)), as_type(Pair)))
        e = self.expr(s, t, 2, 2.0)
        if t is Real:
            e = Expr(f"0.25 * {self.path(s, Real).text} * {e.text}", 2.0)
        v = Var(self.name("far"), t, e.bound)
        self.write(f"{v.name} = spare({v.name!r}, {e.text})")
        for _ in range(1 + self.choose(2)):
            name, loops, inner, total = self.pick(("sum", "sum", "prod", "max", "+=")), list[str](), s, 1
            for _ in range(1 + (self.choose(3) == 2)):
                inner, i, over = self.over(inner, self.some() if name == "max" else self.small(), name)
                total *= over.size
                loops.append(f"for {i} in {over.text}")
            x = self.choice(inner, v)
            self.tags[f"select of a spare, {name} over {len(loops)} loops"] += 1
            bound = {"max": x.bound, "prod": max(x.bound, 1.0) ** total}.get(name, x.bound * total)
            if name != "+=":
                self.let(s, Expr(f"rose.{name}({x.text} {' '.join(loops)})", bound), Real, "spent")
                continue
            acc = self.name("acc")
            self.write(f"{acc} = rose.accum({self.real(s, 0).text})")
            for k, line in enumerate(loops):
                self.write("    " * k + line + ":")
            self.write("    " * len(loops) + f"{acc} += {x.text}")
            self.let(s, Expr(f"{acc}.value", bound + LIMIT), Real, "spent")

    def choice(self, s: Scope, v: Var) -> Expr:
        """A choice whose first arm uses a spare value; the conditions are mostly false."""
        x, y, c = self.path(s, Real).text, self.expr(s, Real, 1, 1.2), self.path_to_truth(s)
        far = self.path(_only(s, v), Real).text if v.type is not Real else v.name
        form = self.pick((
            "{0}", "{0} * {1}", "{1} - {0} * {0}", "rose.sin({0}) * {1}", "rose.sqrt(0.5 + {0} * {0}) / (2.0 + {1})",
            "rose.select({1} < 0.0, {0}, {0} * {1})", "({0} + 1.0) * {0}",
        ))  # fmt: skip
        arm = form.format(far, y.text)
        i = [u.name for u in s.vars if isinstance(u.type, Fin)][-1]
        high = f"({x} > {i} * 1.0 + 9.0)"
        condition = self.pick((high, high, f"~({x} < {i} + 20.0)", f"({high} & {c})", c, f"({i} > 0)"))
        rest = self.pick((y.text, f"{y.text} * {x} * 0.25"))
        return Expr(f"(choice({v.name!r}, {condition}, {arm}, {rest}) * 0.125)", 1.3)

    def add(self, s: Scope) -> None:
        """`+=` into an accumulator, or a part of one."""
        if not s.open:
            self.write("pass")
            return
        acc: Open = self.pick(s.open)
        at, t = acc.name, acc.type
        while ((isinstance(t, Vec) and t.size) or (isinstance(t, Tuple) and t.form)) and self.chance(65):
            if isinstance(t, Vec):
                at, t = f"{at}[{self.index(s, t.size)}]", t.elem
            else:
                assert isinstance(t, Tuple) and t.form is not None
                k = self.pick([k for k, x in enumerate(t.items) if x.real])
                at, t = f"{at}.{t.form.fields[k]}", t.items[k]
            if not t.real:
                return
        minus = t is Real and self.chance(20)
        self.tags["+=" if at == acc.name else "+= into a part"] += 1
        e = self.expr(s, t, 2, 2.0)
        e = Expr(f"{e.text} * {1.0 / acc.turns!r}", 1.0) if t is Real else e
        self.write(f"{at} {'-=' if minus else '+='} {e.text}")

    def macro(self, s: Scope) -> None:
        """A Python function, whose body is recorded anew at each use, used in a loop."""
        n, name = self.small(), self.name("macro")
        t = self.pick((Real, Real, as_type(Pair), as_type(rose.Vec[2])))
        inner, i = self.turn(s, n)
        self.define(name, inner, i, lambda: self.expr(inner, t, 2, 1.3).text, 1 + self.choose(2))
        self.tags["macro"] += 1
        fold = self.pick(("sum", "vec", "max", "prod")) if t is Real and n else "vec"
        out = Vec(n, t) if fold == "vec" else t
        j = self.name("i")
        self.let(s, Expr(f"rose.{fold}({name}({j}) for {j} in rose.range({n}))", 1.3**n * n), out)

    def function(self, s: Scope | None, nested: bool = False, main: bool = False) -> Callee:
        """A function; a nested one sees the values of the function around it."""
        types = [Real if self.chance(50) else Vec(self.some(), Real)]
        types += [self.type() for _ in range(self.choose(3 if nested else 4))]
        if main:
            types = types if self.chance(50) else [*types, Vec(self.some(), Fin(3)), as_type(Vec(2, as_type(Pair)))]
        result = Real if self.chance(45) else self.type()
        f = Callee("main" if main else self.name("g" if nested else "f"), tuple(types), result)
        inner = Scope(s)
        inner.depth, inner.open = 0, []
        params = [self.name("x") for _ in types]
        inner.vars += [Var(p, t, LIMIT) for p, t in zip(params, types, strict=True)]
        start = len(self.lines)
        self.write(f"@rose.fn([{', '.join(map(text, types))}], {text(result)})")
        with self.inside(f"def {f.name}({', '.join(params)}):"):
            self.block(inner, 1 + self.choose(2) if nested else 2 + self.choose(6))
            out = self.expr(inner, result, 3).text
            spent = [f" + 0.0625 * {v.name}" for v in inner.vars if v.name.startswith("spent") and result is Real]
            self.write(f"return {out}{''.join(spent)}")
        if self.has_effects("\n".join(self.lines[start:])):
            self.impure.append(f.name)
        if not nested and not main and self.chance(25):
            self.rule(f, params)
        if s is not None:
            s.callees.append(f)
        self.tags["nested fn" if nested else "fn"] += 1
        return f

    def rule(self, f: Callee, params: Sequence[str]) -> None:
        """A derivative that a user gives: any linear map will do, so that it is seen whether it is used."""
        if f.result is not Real:
            return
        s, terms, primals = Scope(), ["0.0 * {}.du"], list[str]()
        for p, t in zip(params, f.types, strict=True):
            if t is Real:
                s.vars.append(Var(f"{p}.re", t, LIMIT))
                primals.append(f"{p}.re")
                terms.append(f"{p}.du")
            elif isinstance(t, Vec) and t.elem is Real and t.size:
                k = self.choose(t.size)
                s.vars.append(Var(f"{p}[{k}].re", Real, LIMIT))
                primals.append(f"rose.vec({p}[k].re for k in rose.range({t.size}))")
                terms.append(f"{p}[{k}].du")
                terms.append(f"rose.sum({p}[k].du * (k + 0.5) for k in rose.range({t.size}))")
            elif t is as_type(Pair):
                s.vars.append(Var(f"{p}.b.re", Real, LIMIT))
                primals.append(f"Pair({p}.a.re, {p}.b.re)")
                terms.append(f"({p}.a.du - {p}.b.du)")
            elif not t.real:
                s.vars.append(Var(p, t, 0.0))
                primals.append(p)
            else:
                return
        self.tags["custom jvp"] += 1
        with self.inside(f"@{f.name}.jvp\ndef {f.name}_rule({', '.join(params)}):"):
            self.write(f"y = {f.name}({', '.join(primals)})")
            s.vars.append(Var("y", Real, LIMIT))
            parts = [f"{self.expr(s, Real, 2).text} * {t}" for t in terms[1:]]
            self.write(f"return Dual(y{self.pick((' * 1.0', ''))}, {' + '.join(parts)})")

    def program(self) -> Program:
        self.lines += ["def tame(x):", "    return x / (1.5 + x * x)", ""]
        top = Scope()
        for _ in range(self.choose(4)):
            self.function(top)
            self.lines.append("")
        self.budget = max(self.budget, 30)
        main = self.function(top, main=True)
        args = tuple([tuple([self.argument(t) for t in main.types]) for _ in range(3)])
        return Program("\n".join(self.lines) + "\n", main.types, main.result, args, self.tags)

    def argument(self, t: Type) -> Any:
        """A plain value: mostly a number with many digits, sometimes one at which something ties."""
        if isinstance(t, Vec):
            return tuple([self.argument(t.elem) for _ in range(t.size)])
        if isinstance(t, Tuple):
            return tuple([self.argument(x) for x in t.items])
        if t is Real:
            k = self.choose(1000)
            return (0.0, 1.0, -1.0, 0.5, -0.0)[k] if k < 5 else math.sin(k) * 1.9
        return bool(self.choose(2)) if t is Bool else self.choose(t.size) if isinstance(t, Fin) else None


def _scale(bound: float, limit: float) -> float:
    return 2.0 ** math.floor(math.log2(limit / bound))


def _is_matrix(t: Type) -> bool:
    """True for a vector of numbers, and for a vector of those."""
    return isinstance(t, Vec) and (t.elem is Real or (isinstance(t.elem, Vec) and t.elem.elem is Real))


def _is_flat(t: Type) -> bool:
    return _is_flat(t.elem) if isinstance(t, Vec) else not isinstance(t, Tuple)


def _is_summable(t: Type) -> bool:
    """True for what only has Reals, and some."""
    return t.real and all([s is Real or _is_summable(s) for s in _parts(t)]) if _parts(t) else t is Real


def _parts(t: Type) -> Sequence[Type]:
    if isinstance(t, Vec):
        return [t.elem]
    return t.items if isinstance(t, Tuple) else []


def _below(t: Type, part: Type) -> bool:
    return any([_reaches(x, part) for x in _parts(t)])


def _reaches(t: Type, part: Type) -> bool:
    return t is part or _below(t, part)


def _member(at: str, t: Tuple, k: int) -> str:
    if t.form is None:
        return f"{at}[{k}]"
    return f"{at}[{t.form.fields[k]!r}]" if t.form.is_dict else f"{at}.{t.form.fields[k]}"


def _only(s: Scope, v: Var) -> Scope:
    """The indices of a scope, and one variable."""
    out = Scope(s)
    out.vars = [v, *[x for x in s.vars if isinstance(x.type, Fin)]]
    return out


def program(choose: Choose, budget: int = 60) -> Program:
    """A random program, of about `budget` expressions."""
    return Generator(choose, budget).program()


@st.composite
def programs(draw: st.DrawFn, budget: int = 60) -> Program:
    return program(lambda n: draw(st.integers(0, n - 1)) if n > 1 else 0, budget)
