"""Programs drawn at random, beside an adjoint in C that a recipe writes out: `python -m benchmarks.unseen COUNT SEED`.

Nobody has seen these programs, so no pass knows them. A program is some stages, each a nest of loops over vectors,
matrices or structs: a map, a stencil, a gather, a recurrence, a choice between two branches, all pairs; the last one is
a sum. The recipe is that of a person who writes an adjoint by hand: each stage keeps its results, and the loops of the
adjoint, in reverse order, compute the numbers of an iteration again and add to the cotangents of what it read. There is
no tape, and no call.
"""

from __future__ import annotations

import json
import operator
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rose
from rose import Real, Vec

from .compare import inside
from .compare.measure import machine
from .compare.modules import Answer
from .compare.programs import Program, uniform

LARGEST = 1e6  # derivative
RESULTS = Path(__file__).parent / "results" / "unseen.json"


@rose.struct
class Pair:
    a: Real
    b: Real


# expressions


class Op(NamedTuple):
    """An operation in C, its cotangents (`d` is that of the result, `z` the result), and in our language."""

    c: str
    parts: tuple[str, ...]
    rose: Callable[..., Any]


OPS = {
    "+": Op("{0} + {1}", ("{d}", "{d}"), operator.add),
    "-": Op("{0} - {1}", ("{d}", "-{d}"), operator.sub),
    "*": Op("{0} * {1}", ("{d} * {1}", "{d} * {0}"), operator.mul),
    "/": Op("{0} / {1}", ("{d} / {1}", "-{d} * {z} / {1}"), operator.truediv),
    "neg": Op("-{0}", ("-{d}",), operator.neg),
    "sin": Op("sin({0})", ("{d} * cos({0})",), rose.sin),
    "exp": Op("exp({0})", ("{d} * {z}",), rose.exp),
    "sqrt": Op("sqrt({0})", ("{d} / ({z} + {z})",), rose.sqrt),
    "tanh": Op("tanh({0})", ("{d} * (1 - {z} * {z})",), rose.tanh),
    "max": Op("{0} > {1} ? {0} : {1}", ("{0} > {1} ? {d} : 0", "{0} > {1} ? 0 : {d}"), rose.max),
    "abs": Op("fabs({0})", ("{0} < 0 ? -{d} : {d}",), abs),
}


@dataclass(eq=False)
class Term:
    """An expression: an operation, a `read` of an array, a `literal`, or the `state` of a recurrence."""

    op: str
    args: tuple[Term, ...] = ()
    attr: Any = None


def literal(x: float) -> Term:
    return Term("literal", attr=x)


def apply(op: str, *args: Term) -> Term:
    return Term(op, args)


class Array(NamedTuple):
    """What a stage has made, or the parameter: a vector, a vector of pairs, or a matrix."""

    name: str
    shape: tuple[int, ...]
    width: int = 1

    @property
    def size(self) -> int:
        size = self.width
        for n in self.shape:
            size *= n
        return size


class At(NamedTuple):
    """An element: for each dimension the loop and how far ahead, round the end or not; or a table of indices."""

    array: Array
    loops: tuple[int, ...]
    ahead: tuple[int, ...]
    part: int = 0
    wraps: bool = False
    table: str = ""


@dataclass
class Stage:
    """A nest of loops. Without `shape`, or `of` a sum, it makes a number."""

    kind: str  # map, recurrence, sum
    out: Array
    loops: tuple[int, ...]
    terms: list[Term]  # one for each part of an element
    condition: Term | None = None  # with `terms` where it is above 0, and `others` elsewhere
    others: list[Term] = field(default_factory=list[Term])
    in_function: bool = False  # the text calls a function for an element
    by_cond: bool = False  # the text has `cond` for the choice, not `select`
    inner: str = "all"  # the range of the second loop: a name of `RANGES`


WINDOW = 3
RANGES = {  # of a second loop, that may depend on the index of the first: in C, and in our language
    "all": (("0", "{n}"), lambda i, n: rose.range(n)),
    "below": (("0", "i0"), lambda i, n: rose.range(i)),
    "above": (("i0 + 1", "{n}"), lambda i, n: rose.range(i + 1, n)),
    "window": (
        (f"(i0 > {WINDOW} ? i0 - {WINDOW} : 0)", f"(i0 + {WINDOW} < {{n}} ? i0 + {WINDOW} : {{n}})"),
        lambda i, n: rose.range(rose.max(i - WINDOW, 0), rose.min(i + WINDOW, n)),
    ),
}  # fmt: skip


# a random program


class Drawn:
    """A program with its stages, from a seed."""

    def __init__(self, seed: int) -> None:
        self.r = r = random.Random(seed)
        self.name = f"seed {seed}"
        self.inner = random.Random(f"{seed}, inner").choice
        self.tables: dict[str, list[int]] = {}
        kind = r.choice(["vector", "vector", "pairs", "matrix"])
        n = r.choice([60, 200, 500])
        m = r.choice([12, 24, 40])
        self.x = Array("x", (m, m) if kind == "matrix" else (n,), 2 if kind == "pairs" else 1)
        self.arrays, self.stages = [self.x], list[Stage]()
        for k in range(r.randint(1, 3)):
            self.add(r.choice(["map", "map", "recurrence"]), k)
        self.add("sum", len(self.stages))
        self.params = uniform(r, self.x.size)

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def add(self, kind: str, k: int) -> None:
        of = self.arrays[-1]
        if len(of.shape) == 2 and kind == "recurrence":
            kind = "map"
        reach = self.r.choice([0, 0, 1, 1, 2])
        loops = tuple([n - reach for n in of.shape])
        if kind == "sum" and len(loops) == 1 and loops[0] <= 200 and self.chance(0.3):
            loops = (loops[0], loops[0])  # all pairs
        width = 2 if kind != "sum" and len(loops) == 1 and self.chance(0.3) else 1
        out = Array(f"t{k}", loops if kind != "sum" else (), width)
        state = [Term("state", attr=p) for p in range(width)] if kind == "recurrence" else []
        reads = self.reads(loops, reach)
        made = lambda: [self.term([*state, *reads], state[p] if state else None) for p in range(width)]
        stage = Stage(kind, out, loops, made(), in_function=self.chance(0.3), by_cond=self.chance(0.5))
        if kind == "sum" and len(loops) == 2 and len(of.shape) == 1:
            stage.inner = self.inner([*RANGES])
        if self.chance(0.3):
            stage.condition = apply("-", self.r.choice(reads), literal(round(self.r.uniform(-0.5, 0.5), 2)))
            stage.others = made()
        self.stages.append(stage)
        if kind != "sum":
            self.arrays.append(out)

    def reads(self, loops: tuple[int, ...], reach: int) -> list[Term]:
        """Some elements that an iteration may read."""
        found = list[Term]()
        while len(found) < 2 + reach:
            a = self.r.choice(self.arrays) if found else self.arrays[-1]  # so that no stage is for nothing
            dims = [self.r.randrange(len(loops)) for _ in a.shape]
            if len(a.shape) == 2 and (len(loops) != 2 or loops[0] != loops[1] or dims[0] == dims[1]):
                continue
            if any([a.shape[d] < loops[k] for d, k in enumerate(dims)]):
                continue
            part, (n, loop) = self.r.randrange(a.width), (a.shape[0], loops[dims[0]])
            if len(a.shape) == 1 and self.chance(0.15):
                table = f"k{len(self.tables)}"
                self.tables[table] = [self.r.randrange(n) for _ in range(loop)]
                found.append(Term("read", attr=At(a, tuple(dims), (0,), part, table=table)))
                continue
            wraps = self.chance(0.15)
            most = [reach if wraps else min(reach, n - loops[k]) for n, k in zip(a.shape, dims, strict=True)]
            ahead = tuple([self.r.randint(0, most[d]) for d in range(len(dims))])
            found.append(Term("read", attr=At(a, tuple(dims), ahead, part, wraps and any(ahead))))
        return found

    def term(self, leaves: Sequence[Term], state: Term | None) -> Term:
        """An expression of some operations, all of whose numbers stay small; the leaves are read more than once."""
        pool = list(leaves)
        for _ in range(self.r.randint(2, 7)):
            x, y = self.r.sample(pool, 2)
            pool.append(self.r.choice(FORMS)(x, y, literal(round(self.r.uniform(0.2, 1.5), 2))))
        made = apply("+", pool[-1], apply("*", literal(0.5), leaves[1 if state else 0]))
        return made if state is None else apply("+", apply("*", literal(0.9), state), apply("*", literal(0.1), made))


def one_plus_square(x: Term) -> Term:
    return apply("+", literal(1.0), apply("*", x, x))


FORMS: tuple[Callable[[Term, Term, Term], Term], ...] = (
    lambda x, y, c: apply("-", x, y),
    lambda x, y, c: apply("+", x, apply("*", c, y)),
    lambda x, y, c: apply("*", apply("*", c, x), apply("tanh", y)),
    lambda x, y, c: apply("/", x, one_plus_square(y)),
    lambda x, y, c: apply("sin", apply("+", x, apply("*", c, y))),
    lambda x, y, c: apply("exp", apply("neg", apply("*", c, apply("*", x, x)))),
    lambda x, y, c: apply("sqrt", one_plus_square(apply("-", x, y))),
    lambda x, y, c: apply("max", apply("-", x, c), apply("*", c, y)),
    lambda x, y, c: apply("abs", apply("-", x, y)),
    lambda x, y, c: apply("*", apply("-", x, y), apply("-", x, y)),
)


# in our language


def element(read: At, values: dict[str, Any], tables: dict[str, list[int]], index: Sequence[Any]) -> Any:
    x = values[read.array.name]
    if read.table:
        x = x[
            rose.constant(Vec[len(tables[read.table]), rose.Fin[read.array.shape[0]]], tables[read.table])[
                index[read.loops[0]]
            ]
        ]
    else:
        for n, k, ahead in zip(read.array.shape, read.loops, read.ahead, strict=True):
            x = x[(index[k] + ahead) % n if read.wraps else index[k] + ahead]
    return (x.a, x.b)[read.part] if read.array.width == 2 else x


def evaluated(t: Term, leaf: Callable[[Term], Any], known: dict[Term, Any]) -> Any:
    if t not in known:
        given = [evaluated(a, leaf, known) for a in t.args]
        known[t] = t.attr if t.op == "literal" else OPS[t.op].rose(*given) if given else leaf(t)
    return known[t]


def reads_of(terms: Sequence[Term]) -> list[Term]:
    """The elements that are read, each once."""
    found, todo = dict[Term, None](), list(terms)
    for t in todo:
        todo += t.args
        if t.op == "read":
            found[t] = None
    return list(found)


def text_of(d: Drawn) -> rose.Fn[..., Any]:
    """The function, as its author would write it."""
    types = {1: Vec[d.x.shape[0]], 2: Vec[d.x.shape[0], Vec[d.x.shape[-1]]]}
    kind: Any = Vec[d.x.shape[0], Pair] if d.x.width == 2 else types[len(d.x.shape)]

    def body(x: Any) -> Any:
        values: dict[str, Any] = {"x": x}
        for s in d.stages:
            values[s.out.name] = staged(d, s, values)
        return values[d.stages[-1].out.name]

    return rose.fn([kind], Real)(body)


def staged(d: Drawn, s: Stage, values: dict[str, Any]) -> Any:
    reads = reads_of([*s.terms, *s.others, *([s.condition] if s.condition else [])])
    struct = s.out.width == 2
    states: list[Any] = [Real] * (s.out.width if s.kind == "recurrence" else 0)

    def computed(*given: Any) -> Any:
        """An element, from the state and what is read."""
        parts, elements = given[: len(states)], dict(zip(reads, given[len(states) :], strict=True))
        made: Callable[..., Any] = Pair if struct else lambda x: x
        leaf = lambda t: parts[t.attr] if t.op == "state" else elements[t]
        packed = lambda terms: made(*values_of(terms, leaf))
        if s.condition is None:
            return packed(s.terms)
        c = evaluated(s.condition, leaf, {}) > 0.0
        if s.by_cond:
            return rose.cond(c, lambda: packed(s.terms), lambda: packed(s.others))
        return rose.select(c, packed(s.terms), packed(s.others))

    if s.in_function:
        computed = rose.fn([*states, *[Real] * len(reads)], Pair if struct else Real)(computed)
    at = lambda *index: [element(t.attr, values, d.tables, index) for t in reads]
    if s.kind == "recurrence":

        def step(i: Any, state: Any) -> Any:
            after = computed(*((state.a, state.b) if struct else (state,)), *at(i))
            return after, after

        return rose.scan(step, Pair(0.1, 0.1) if struct else 0.1, s.loops[0])[1]
    over = rose.vec if s.kind == "map" else rose.sum
    if len(s.loops) == 1:
        return over(computed(*at(i)) for i in rose.range(s.loops[0]))
    inner = RANGES[s.inner][1]
    return over(over(computed(*at(i, j)) for j in inner(i, s.loops[1])) for i in rose.range(s.loops[0]))


def values_of(terms: Sequence[Term], leaf: Callable[[Term], Any]) -> list[Any]:
    known: dict[Term, Any] = {}
    return [evaluated(t, leaf, known) for t in terms]


# in C


class Lines:
    """The statements of an iteration: the numbers of some expressions, and then their cotangents."""

    def __init__(self, s: Stage) -> None:
        self.s, self.names, self.order = s, dict[Term, str](), list[Term]()

    def name(self, t: Term) -> str:
        if t.op == "literal":
            return repr(t.attr)
        return self.names[t]

    def forward(self, terms: Sequence[Term]) -> Iterator[str]:
        for t in terms:
            yield from self._forward(t)

    def _forward(self, t: Term) -> Iterator[str]:
        if t in self.names or t.op == "literal":
            return
        for a in t.args:
            yield from self._forward(a)
        self.names[t] = v = f"v{len(self.names)}"
        self.order.append(t)
        given = [self.name(a) for a in t.args]
        shown = f"s{t.attr}" if t.op == "state" else place(t.attr) if t.op == "read" else OPS[t.op].c.format(*given)
        yield f"double {v} = {shown};"

    def backward(self, seeds: dict[Term, str], of: Sequence[Term]) -> Iterator[str]:
        """From the cotangents of the results to those of what was read; a number's is a local."""
        cts: dict[Term, list[str]] = {t: [ct] for t, ct in seeds.items()}
        for t in reversed(of):
            if t not in cts:
                continue
            d = f"d{self.names[t]}"
            yield f"double {d} = {' + '.join(cts[t])};"
            if t.op == "read":
                yield f"d_{place(t.attr)} += {d};"
            elif t.op == "state":
                yield f"n{t.attr} += {d};"
            given = [self.name(a) for a in t.args]
            for a, part in zip(t.args, OPS[t.op].parts if t.args else (), strict=True):
                if a.op != "literal":
                    cts.setdefault(a, []).append(f"({part.format(*given, d=d, z=self.names[t])})")


def place(read: At) -> str:
    """An element in C."""
    a, at = read.array, ""
    for d, (n, k, ahead) in enumerate(zip(a.shape, read.loops, read.ahead, strict=True)):
        i = f"i{k}" + (f" + {ahead}" if ahead else "")
        i = f"({i}) % {n}" if read.wraps else i
        i = f"{read.table}[i{k}]" if read.table else i
        at = f"({at}) * {n} + {i}" if d else i
    return f"{a.name}[2 * ({at}) + {read.part}]" if a.width == 2 else f"{a.name}[{at}]"


def nest(s: Stage, lines: Sequence[str], *, reverse: bool = False) -> list[str]:
    ends = [("0", str(s.loops[0])), *[[x.format(n=n) for x in RANGES[s.inner][0]] for n in s.loops[1:]]]
    heads = [f"for (int i{k} = {low}; i{k} < {high}; i{k}++) {{" for k, (low, high) in enumerate(ends)]
    if reverse:
        heads = [f"for (int i{k} = {n - 1}; i{k} >= 0; i{k}--) {{" for k, n in enumerate(s.loops)]
    return [*heads, *lines, "}" * len(heads)]


def results(s: Stage) -> list[str]:
    """Where an iteration puts its parts."""
    if s.kind == "sum":
        return ["total"]
    at = f"i0 * {s.loops[1]} + i1" if len(s.loops) == 2 else "i0"
    return [
        f"{s.out.name}[2 * ({at}) + {p}]" if s.out.width == 2 else f"{s.out.name}[{at}]" for p in range(s.out.width)
    ]


def branches(s: Stage, of: Callable[[Lines, Sequence[Term]], Iterator[str]]) -> list[str]:
    """The statements of an iteration, with its choice."""
    if s.condition is None:
        return [*of(Lines(s), s.terms)]
    lines = Lines(s)
    head = [*lines.forward([s.condition])]
    return [
        *head,
        f"if ({lines.name(s.condition)} > 0) {{",
        *of(Lines(s), s.terms),
        "} else {",
        *of(Lines(s), s.others),
        "}",
    ]


def adjoint(d: Drawn) -> str:
    """The value and the gradient in C."""
    kept = [s.out for s in d.stages if s.kind != "sum"]
    tables = [f"static const int {k}[] = {{{', '.join(map(str, xs))}}};" for k, xs in d.tables.items()]
    arrays = [f"static double {a.name}[{a.size}], d_{a.name}[{a.size}];" for a in kept]
    body = ["double *d_x = out + 1, total = 0;", f"memset(d_x, 0, {8 * d.x.size});"]
    body += [f"memset(d_{a.name}, 0, sizeof d_{a.name});" for a in kept]
    for s in d.stages:
        body += forward_stage(s)
    body.append("out[0] = total;")
    for s in reversed(d.stages):
        body += backward_stage(s)
    head = ['#include "program.h"', "#include <math.h>", "#include <string.h>"]
    signature = "void adjoint(const double *restrict x, double *restrict out) {"
    return "\n".join([*head, *tables, *arrays, signature, *body, "}", ""])


def forward_stage(s: Stage) -> list[str]:
    put = "+=" if s.kind == "sum" else "="

    def computed(lines: Lines, terms: Sequence[Term]) -> Iterator[str]:
        yield from lines.forward(terms)
        yield from [f"{at} {put} {lines.name(t)};" for at, t in zip(results(s), terms, strict=True)]

    if s.kind != "recurrence":
        return nest(s, branches(s, computed))
    states = [f"double s{p} = 0.1;" for p in range(s.out.width)]
    kept = [f"s{p} = {at};" for p, at in enumerate(results(s))]
    return ["{", *states, *nest(s, [*branches(s, computed), *kept]), "}"]


def backward_stage(s: Stage) -> list[str]:
    if s.kind == "recurrence":
        return backward_recurrence(s)

    def pulled(lines: Lines, terms: Sequence[Term]) -> Iterator[str]:
        yield from lines.forward(terms)
        cts = ["1.0"] if s.kind == "sum" else [f"d_{at}" for at in results(s)]
        yield from lines.backward(seeded(terms, cts), lines.order)

    return nest(s, branches(s, pulled))


def backward_recurrence(s: Stage) -> list[str]:
    width = s.out.width
    before = [at.replace("i0", "(i0 - 1)") for at in results(s)]
    head = [f"double s{p} = i0 ? {before[p]} : 0.1, c{p} = m{p} + d_{results(s)[p]}, n{p} = 0;" for p in range(width)]

    def pulled(lines: Lines, terms: Sequence[Term]) -> Iterator[str]:
        yield from lines.forward(terms)
        yield from lines.backward(seeded(terms, [f"c{p}" for p in range(width)]), lines.order)

    carried = [f"m{p} = n{p};" for p in range(width)]
    state = [f"double m{p} = 0;" for p in range(width)]
    return ["{", *state, *nest(s, [*head, *branches(s, pulled), *carried], reverse=True), "}"]


def seeded(terms: Sequence[Term], cts: Sequence[str]) -> dict[Term, str]:
    """The cotangents of the results: one may be asked for twice."""
    found: dict[Term, str] = {}
    for t, ct in zip(terms, cts, strict=True):
        found[t] = f"{found[t]} + {ct}" if t in found else ct
    return found


# the measurement


def program(seed: int, folder: Path) -> Program:
    d = Drawn(seed)
    source = folder / f"unseen{seed}"
    source.with_suffix(".c").write_text(adjoint(d))
    return Program(d.name, str(source), {}, d.params, {"text": text_of(d)})


def measured(seeds: Sequence[int]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        drawn = [program(seed, folder) for seed in seeds]
        return inside.measured([p for p in drawn if is_tame(inside.known(p, folder))], folder)


def is_tame(answer: Answer) -> bool:
    """False if the numbers of a program grow beyond what a user would have: it is left out."""
    return bool(np.isfinite(answer[0]) and np.abs(answer[1]).max() < LARGEST)


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """For each engine, the geometric mean of the ratios, and the worst."""
    found: dict[str, Any] = {}
    for engine in ("wasmtime", "node"):
        ratios = {
            r["program"]: r["over C"]
            for r in rows
            if r.get("engine") == engine and r["tool"] == "ours" and "over C" in r
        }
        if ratios:
            worst = max(ratios, key=lambda k: ratios[k])
            above = sum(x > 1.5 for x in ratios.values())
            mean = statistics.geometric_mean(ratios.values())
            found[engine] = {
                "programs": len(ratios),
                "mean": mean,
                "worst": ratios[worst],
                "of": worst,
                "above 1.5": above,
            }
    return found


def main(words: Sequence[str]) -> None:
    count, first = [*map(int, words), *(30, 0)[len(words) :]]
    before, rows = os.getloadavg()[0], measured(range(first, first + count))
    made = {"summary": summary(rows), "load": [before, os.getloadavg()[0]], "machine": machine(), "rows": rows}
    RESULTS.write_text(json.dumps(made, indent=1) + "\n")
    for r in rows:
        if "error" in r or r["tool"] == "ours":
            print(r["program"], r.get("engine", ""), r.get("error") or round(r["over C"], 2))
    print(json.dumps(made["summary"], indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
