"""Small programs: up to some twenty operations, with loops, calls and structs, each written in half a millisecond.

Each expression knows a bound of its absolute value, and is scaled where that grows. A program is one function `main`
of some vectors, numbers, structs and indices, which gives a number; and the functions that it calls.
"""

from __future__ import annotations

import linecache
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from types import CodeType
from typing import Any, NamedTuple

from operations import MATHEMATICS, OF_TWO
from random_programs import Over, Pair, Program, Var, dependent

import rose
from rose.frontend.annotations import as_type
from rose.ir.types import Bool, Fin, Real, Tuple, Type, Vec


@rose.struct
class Deep:
    """A struct with a vector of structs, a vector of nothing and an index."""

    scale: Real
    rows: rose.Vec[2, Pair]
    none: rose.Vec[0]
    at: rose.Fin[2]


PAIR, DEEP = as_type(Pair), as_type(Deep)
SCOPE = {"Pair": Pair, "Deep": Deep, "Real": Real, "Bool": Bool, "Fin": rose.Fin, "Vec": rose.Vec, "Dual": rose.Dual}
LIMIT = 4.0  # no number that has a name is larger
LITERALS = ("0.5", "2.0", "-0.75", "1.0", "-1.5", "0.0", "-0.0", "3", "0.125")
COMPARED = ("<", "<=", ">", ">=", "==", "!=")
ODD = (
    0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, -math.nan, 5e-324, -2.2250738585072009e-308,
    2.2250738585072014e-308, 1.7976931348623157e308, -1e308, 1e-200, 1e200, 0.5, 2.0**53, -(2.0**-60), 709.8, 36.05,
)  # fmt: skip
TIES = (0.0, 1.0, -1.0, 0.5, -0.0)


class Small(Program):
    """A program without the prelude of large ones. Its text is compiled once, and run by each module."""

    __slots__ = ()

    def run(self, module: Any = rose) -> dict[str, Any]:
        scope = {**SCOPE, "rose": module}
        exec(compiled(self.source), scope)
        return scope


_code: dict[str, CodeType] = {}
_numbers = count()


def compiled(source: str) -> CodeType:
    made = _code.get(source)
    if made is None:
        if len(_code) > 1000:
            for code in _code.values():
                linecache.cache.pop(code.co_filename, None)
            _code.clear()
        name = f"<small {next(_numbers)}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        made = _code[source] = compile(source, name, "exec", dont_inherit=True)
    return made


class Expr(NamedTuple):
    text: str
    bound: float


class Callee(NamedTuple):
    name: str
    types: tuple[Type, ...]
    result: Type


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed).random
        self.lines: list[str] = []
        self.tags: list[str] = []
        self.names = count()
        self.callees: list[Callee] = []
        self.budget = 2 + int(8 * self.draw())
        self.loops = 0

    # choices

    def pick(self, xs: Sequence[Any]) -> Any:
        return xs[int(self.draw() * len(xs))]

    def below(self, n: int) -> int:
        return int(self.draw() * n)

    def chance(self, p: float) -> bool:
        return self.draw() < p

    def name(self, prefix: str) -> str:
        return f"{prefix}{next(self.names)}"

    def write(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    # paths

    def leaf(self, vars: Sequence[Var], t: Type = Real) -> Expr:
        """A part of a variable that is a `t`; a literal if there is none."""
        found = [v for v in vars if reaches(v.type, t)]
        if not found:
            return Expr(self.pick(LITERALS[:5]) if t is Real else "rose.constant(Bool, True)", 2.0)
        v = self.pick(found)
        text, at = v.name, v.type
        while at is not t:
            if isinstance(at, Vec):
                text, at = f"{text}[{self.index(vars, at.size)}]", at.elem
            else:
                k = self.pick([k for k, s in enumerate(at.items) if reaches(s, t)])
                text, at = f"{text}.{at.form.fields[k]}" if at.form else f"{text}[{k}]", at.items[k]
        return Expr(text, v.bound)

    def index(self, vars: Sequence[Var], n: int) -> str:
        """An index of a vector of `n`."""
        options = [str(self.below(n))]
        for v in vars:
            t = v.type
            if isinstance(t, Fin):
                options += [v.name] * 3 if t.size <= n else [f"{v.name} % {n}"]
                if n > 1 and t.size:
                    options.append(f"({v.name} + {1 + self.below(n)}) % {n}")
            elif isinstance(t, Vec) and isinstance(t.elem, Fin) and t.elem.size <= n:
                turns = [u.name for u in vars if isinstance(u.type, Fin) and u.type.size <= t.size]
                options += [f"{v.name}[{self.pick([*turns, str(self.below(t.size))])}]"] * 3
            elif t is DEEP and n >= 2:
                options.append(f"{v.name}.at")
        at = self.pick(options)
        if "[" in at or ".at" in at:
            self.tags.append("index from data")
        return at

    # numbers

    def real(self, vars: Sequence[Var], depth: int, limit: float = LIMIT) -> Expr:
        self.budget -= 1
        if depth <= 0 or self.budget < 0:
            e = self.leaf(vars) if self.chance(0.85) else Expr(self.pick(LITERALS), 3.0)
        else:
            e = REALS[int(self.draw() * len(REALS))](self, vars, depth - 1)
        return e if e.bound <= limit else Expr(f"({e.text} * {scale(e.bound, limit)!r})", limit)

    def arithmetic(self, vars: Sequence[Var], depth: int) -> Expr:
        x, y, op = self.real(vars, depth), self.real(vars, depth), self.pick("+-**/")
        self.tags.append(op)
        if op == "*":
            return Expr(f"({x.text} * {y.text})", x.bound * y.bound)
        if op == "/":
            return Expr(f"({x.text} / (1.5 + {y.text} * {y.text}))", x.bound)
        return Expr(f"({x.text} {op} {y.text})", x.bound + y.bound)

    def mathematics(self, vars: Sequence[Var], depth: int) -> Expr:
        x = self.real(vars, depth, 2.0)
        if self.chance(0.2):
            form, bound = self.pick(OF_TWO)
            out = form.format(x.text, self.real(vars, depth, 2.0).text)
        else:
            form, bound = self.pick(MATHEMATICS)
            out = form.format(x.text)
        self.tags.append(form.partition("rose.")[2].partition("(")[0] if "rose." in form else "% or **")
        return Expr(out, bound)

    def simple(self, vars: Sequence[Var], depth: int) -> Expr:
        x = self.real(vars, depth, 2.0)
        form, bound = self.pick(SIMPLE)
        self.tags.append(form.format("x"))
        return Expr(form.format(x.text), bound)

    def extreme(self, vars: Sequence[Var], depth: int) -> Expr:
        name, x, y = self.pick(("max", "min", "copysign")), self.real(vars, depth), self.real(vars, depth)
        if self.chance(0.2):
            y = x
        self.tags.append(name)
        return Expr(f"rose.{name}({x.text}, {y.text})", max(x.bound, y.bound))

    def truth(self, vars: Sequence[Var]) -> str:
        fins = [v.name for v in vars if isinstance(v.type, Fin)]
        k = self.below(8)
        if k == 0 and fins:
            return f"({self.pick(fins)} {self.pick(COMPARED)} {self.pick((*fins, '1'))})"
        if k == 1:
            return self.leaf(vars, Bool).text
        one = f"({self.leaf(vars).text} {self.pick(COMPARED)} {self.real(vars, 0).text})"
        if k == 2:
            return f"({one} {self.pick('&|^')} {self.truth(vars)})"
        return f"(~{one})" if k == 3 and not one.startswith(tuple(f"({x}" for x in LITERALS)) else one

    def select(self, vars: Sequence[Var], depth: int) -> Expr:
        c, x, y = self.truth(vars), self.real(vars, depth), self.real(vars, depth)
        self.tags.append("select")
        return Expr(f"rose.select({c}, {x.text}, {y.text})", max(x.bound, y.bound))

    def guarded(self, vars: Sequence[Var], depth: int) -> Expr:
        """A function read only where it is defined."""
        x, (form, guard, bound) = self.leaf(vars), self.pick(GUARDED)
        y, inside = self.real(vars, depth), form.format(x.text)
        self.tags.append("nan arm")
        if self.chance(0.5):
            return Expr(f"rose.select({guard.format(x.text)}, {inside}, {y.text})", max(bound, y.bound))
        return Expr(f"rose.cond({guard.format(x.text)}, lambda: {inside}, lambda: {y.text})", max(bound, y.bound))

    def cond(self, vars: Sequence[Var], depth: int) -> Expr:
        c, x, y = self.truth(vars), self.real(vars, depth), self.real(vars, depth)
        self.tags.append("cond")
        return Expr(f"rose.cond({c}, lambda: {x.text}, lambda: {y.text})", max(x.bound, y.bound))

    def turn(self, vars: Sequence[Var], n: int) -> tuple[list[Var], str]:
        i = self.name("i")
        return [*vars, Var(i, Fin(n), 4.0)], i

    def over(self, vars: Sequence[Var], n: int, fold: str = "for") -> tuple[list[Var], str, Over]:
        """A loop over `n` indices, or over as many as another index says: what its body sees, and its range."""
        found = dependent(vars, n, self.pick) if fold not in ("max", "min") and self.chance(0.4) else None
        if found:
            self.tags.append("range of dependent length")
        over = found or Over(f"rose.range({n})", n)
        return *self.turn(vars, over.size), over

    def size(self) -> int:
        return self.pick((2, 3, 2, 1, 4, 3, 0))

    def fold(self, vars: Sequence[Var], depth: int) -> Expr:
        if self.loops > 2:
            return self.leaf(vars)
        self.loops += 1
        name = self.pick(("sum", "sum", "prod", "max", "min"))
        inner, i, over = self.over(vars, self.size() or int(name in ("max", "min")), name)
        x = self.real(inner, depth, 1.3 if name == "prod" else LIMIT)
        self.tags.append(f"{name} over a loop")
        bound = {"sum": x.bound * over.size, "prod": max(x.bound, 1.0) ** over.size}.get(name, x.bound)
        return Expr(f"rose.{name}({x.text} for {i} in {over.text})", bound)

    def pairs(self, vars: Sequence[Var], depth: int) -> Expr:
        """A sum over the pairs of indices of which one decides the range of the other."""
        if self.loops > 1:
            return self.leaf(vars)
        self.loops += 2
        outer, i = self.turn(vars, n := self.size() or 2)
        over = dependent(outer[-1:], self.size(), self.pick)
        assert over is not None
        inner, j = self.turn(outer, over.size)
        x = self.real([*inner, *inner[-2:]], max(depth, 1))
        self.tags.append("pairs")
        return Expr(f"rose.sum({x.text} for {i} in rose.range({n}) for {j} in {over.text})", x.bound * n * over.size)

    def scan(self, vars: Sequence[Var], depth: int) -> Expr:
        if self.loops > 2:
            return self.leaf(vars)
        self.loops += 1
        inner, i, over = self.over(vars, n := self.size())
        s, init = self.name("s"), self.real(vars, depth, 2.0)
        body = self.real([*inner, Var(s, Real, 2.0), Var(s, Real, 2.0)], max(depth, 1), 2.0)
        kept = self.pick(("", "", "", ', checkpoint="sqrt"', ', checkpoint="binomial", snapshots=1'))
        kept = f"{n}{kept}" if over.text == f"rose.range({n})" else over.text
        self.tags.append("checkpoint" if "checkpoint" in kept else "scan")
        return Expr(f"rose.scan(lambda {i}, {s}: {body.text}, {init.text}, {kept})", 2.0)

    def loop(self, vars: Sequence[Var], depth: int) -> Expr:
        """A while loop, whose count of iterations depends on the data, and is small."""
        if self.loops > 2:
            return self.leaf(vars)
        self.loops += 1
        s, init = self.name("s"), self.real(vars, depth, 2.0)
        self.tags.append("while")
        body = self.real([*vars, Var(f"{s}[1]", Real, 2.0)], max(depth, 1), 2.0)
        most = self.pick(("", "", ", max_iter=9"))
        test = f"{s}[0] < rose.min(2.0 + {self.leaf(vars).text}, 4.0)"
        whole = (
            f"rose.while_loop(lambda {s}: {test}, lambda {s}: ({s}[0] + 1.0, {body.text}), (0.0, {init.text}){most})"
        )
        return Expr(f"{whole}[1]", 2.0)

    def vector(self, vars: Sequence[Var], depth: int) -> Expr:
        """A number made of vectors: a product, a norm."""
        found = [v for v in vars if isinstance(v.type, Vec) and v.type.elem is Real and v.type.size]
        if not found or self.loops > 3:
            return self.leaf(vars)
        self.loops += 1
        v = self.pick(found)
        n, k = v.type.size, self.below(4)
        if k == 0:
            self.tags.append("norm")
            return Expr(f"rose.norm({v.name})", 2.0 * v.bound)
        if k == 1:
            self.tags.append("logsumexp")
            return Expr(f"rose.logsumexp({v.name})", v.bound + 2.0)
        self.tags.append("dot")
        inner, i = self.turn(vars, n)
        x = self.real(inner, depth)
        return Expr(f"rose.dot({v.name}, rose.vec({x.text} for {i} in rose.range({n})))", n * v.bound * x.bound)

    def call(self, vars: Sequence[Var], depth: int) -> Expr:
        found = [f for f in self.callees if f.result is Real]
        if not found:
            return self.mathematics(vars, depth)
        f = self.pick(found)
        args = [self.value(vars, t, depth).text for t in f.types]
        self.tags.append("call")
        return Expr(f"{f.name}({', '.join(args)})", LIMIT)

    def derivative(self, vars: Sequence[Var], depth: int) -> Expr:
        """A derivative inside of a program, of a function that uses what is around it."""
        if self.loops > 1 or self.chance(0.6):
            return self.mathematics(vars, depth)
        self.loops += 2
        z, at = self.name("z"), self.real(vars, 0, 2.0)
        body = self.real([*vars, Var(z, Real, 2.0), Var(z, Real, 2.0)], 2, 2.0)
        form = self.pick(INSIDE)
        self.tags.append("closure with " + form.partition("(")[0].removeprefix("rose."))
        inner = f"rose.fn([Real], Real)(lambda {z}: {body.text})"
        return Expr("rose.tanh(" + form.format(inner, at.text) + ")", 1.0)

    def stop(self, vars: Sequence[Var], depth: int) -> Expr:
        if self.chance(0.7):
            return self.arithmetic(vars, depth)
        x = self.real(vars, depth)
        self.tags.append("stop_gradient")
        return Expr(f"rose.stop_gradient({x.text})", x.bound)

    # values of any type

    def value(self, vars: Sequence[Var], t: Type, depth: int) -> Expr:
        if t is Real:
            return self.real(vars, depth)
        if t is Bool:
            return Expr(self.truth(vars), 0.0)
        if isinstance(t, Fin):
            found = [v.name for v in vars if isinstance(v.type, Fin) and v.type.size]
            k = f"(({self.pick(found)} + {t.size}) % {t.size})" if found else self.below(t.size)
            return Expr(str(k) if found else f"rose.constant(Fin[{t.size}], {k})", 0.0)
        same = [v for v in vars if v.type is t]
        if same and self.chance(0.5):
            return Expr(self.pick(same).name, LIMIT)
        if isinstance(t, Vec):
            inner, i = self.turn(vars, t.size)
            x = self.value(inner, t.elem, depth)
            return Expr(f"rose.vec({x.text} for {i} in rose.range({t.size}))", x.bound)
        assert isinstance(t, Tuple) and t.form is not None
        xs = [self.value(vars, s, depth - 1) for s in t.items]
        return Expr(f"{NAMES[t]}({', '.join([x.text for x in xs])})", max([x.bound for x in xs]))

    # statements

    def statements(self, vars: list[Var], indent: int, most: int) -> None:
        for _ in range(1 + self.below(most)):
            self.pick(STATEMENTS)(self, vars, indent)

    def let(self, vars: list[Var], indent: int) -> None:
        t = self.pick((Real, Real, Real, Vec(self.size(), Real), PAIR, Vec(2, PAIR), DEEP))
        e, name = self.value(vars, t, 2), self.name("t")
        self.tags.append("let" if t is Real else "struct" if t in NAMES else "vec")
        self.write(indent, f"{name} = {e.text}")
        vars.append(Var(name, t, e.bound))

    def accumulate(self, vars: list[Var], indent: int) -> None:
        """A loop that adds to an accumulator, a part of it, or at an index that the data say."""
        acc = self.name("acc")
        t = self.pick((Real, Real, Vec(3, Real), PAIR, Vec(2, PAIR)))
        self.write(indent, f"{acc} = rose.accum({self.value(vars, t, 1).text})")
        inner, i, over = self.over(vars, self.size())
        self.write(indent, f"for {i} in {over.text}:")
        inside, total = indent + 1, over.size
        if self.chance(0.3):
            inner, i, over = self.over(inner, self.size())
            self.write(inside, f"for {i} in {over.text}:")
            inside, total = inside + 1, total * over.size
        at, part = acc, t
        while part is not Real:
            if isinstance(part, Vec):
                at, part = f"{at}[{self.index(inner, part.size)}]", part.elem
            else:
                k = self.below(2)
                at, part = f"{at}.{'ab'[k]}", Real
        self.tags.append("accum" if t is Real else "accum, scattered")
        self.write(inside, f"{at} {self.pick(('+=', '+=', '-='))} {self.real(inner, 2).text}")
        name = self.name("t")
        self.write(indent, f"{name} = {acc}.value")
        vars.append(Var(name, t, LIMIT * (total + 1)))

    def nest(self, vars: list[Var], indent: int) -> None:
        """An accumulator in a scan in a branch in a while loop."""
        if self.loops > 2:
            return self.let(vars, indent)
        self.loops += 2
        f, s, i, acc, u = map(self.name, ("w", "s", "i", "acc", "u"))
        inner = [*vars, Var(f"{s}[1]", Real, 2.0), Var(i, Fin(2), 2.0), Var(u, Real, 2.0)]
        deepest, j, over = self.over(inner, self.size())
        self.tags.append("accum in scan in cond in while")
        self.write(indent, f"def {f}({s}):")
        self.write(indent + 1, f"def {f}_step({i}, {u}):")
        self.write(indent + 2, f"{acc} = rose.accum(0.25 * {u})")
        self.write(indent + 2, f"for {j} in {over.text}:")
        self.write(indent + 3, f"{acc} += {self.real(deepest, 1, 1.0).text} * 0.25")
        self.write(indent + 2, f"return {acc}.value * 0.5")
        outer = [*vars, Var(f"{s}[1]", Real, 2.0)]
        test, other = self.truth(outer), self.real(outer, 1, 2.0).text
        step = f"lambda: rose.scan({f}_step, {s}[1], 2)"
        self.write(indent + 1, f"return {s}[0] + 1.0, rose.cond({test}, {step}, lambda: {other})")
        name, init = self.name("t"), self.real(vars, 1, 2.0).text
        test = f"lambda s: s[0] < rose.min(2.0 + {self.leaf(vars).text}, 3.0)"
        self.write(indent, f"{name} = rose.while_loop({test}, {f}, (0.0, {init}))[1]")
        vars.append(Var(name, Real, 3.0))
        return None

    def outs(self, vars: list[Var], indent: int) -> None:
        """A scan that keeps something of each iteration."""
        n, s, init = self.size() or 1, self.name("s"), self.real(vars, 1, 2.0)
        inner, i = self.turn(vars, n)
        inner = [*inner, Var(s, Real, 2.0)]
        body, out = self.real(inner, 2, 2.0), self.real(inner, 1)
        last, kept = self.name("t"), self.name("t")
        self.tags.append("scan with outs")
        self.write(indent, f"{last}, {kept} = rose.scan(lambda {i}, {s}: ({body.text}, {out.text}), {init.text}, {n})")
        vars += [Var(last, Real, 2.0), Var(kept, Vec(n, Real), out.bound)]

    def masked(self, vars: list[Var], indent: int) -> None:
        """A vector that is computed once, and read behind a mask."""
        found = [v for v in vars if isinstance(v.type, Vec) and v.type.elem is Real and v.type.size]
        if not found:
            return self.accumulate(vars, indent)
        v, (form, guard, bound) = self.pick(found), self.pick(GUARDED)
        n, p, t = v.type.size, self.name("p"), self.name("t")
        inner, i = self.turn(vars, n)
        x = f"{v.name}[{i}]"
        self.write(indent, f"{p} = rose.vec({form.format(x)} for {i} in rose.range({n}))")
        choice = self.pick(("rose.select({0}, {1}, {2})", "rose.cond({0}, lambda: {1}, lambda: {2})"))
        read = choice.format(guard.format(x), f"{p}[{i}] * {self.real(inner, 1, 2.0).text}", self.real(inner, 1).text)
        self.tags.append("a vector behind a mask")
        self.write(indent, f"{t} = rose.sum({read} for {i} in rose.range({n}))")
        vars.append(Var(t, Real, n * max(2.0 * bound, LIMIT)))
        return None

    # functions

    def helper(self) -> None:
        """A function to call: plain, with a derivative rule of its own, or in plain Python's syntax."""
        kind = self.pick(("plain", "plain", "plain", "rule", "rule", "syntax"))
        types = [Real, self.pick((Real, Vec(2, Real), PAIR, Vec(2, Vec(2, Real)), Vec(3, Fin(2))))][: 1 + self.below(2)]
        names = [self.name("x") for _ in types]
        f = self.name("f")
        vars = [Var(k, t, LIMIT) for k, t in zip(names, types, strict=True)]
        head = f"def {f}({', '.join(names)}):"
        mark = f"@rose.fn([{', '.join(map(written, types))}], Real{', syntax=True' if kind == 'syntax' else ''})"
        self.lines += [mark, head]
        self.tags.append({"plain": "function", "rule": "derivative rule", "syntax": "syntax=True"}[kind])
        if kind == "syntax":
            self.syntax(vars)
        elif self.chance(0.2):
            self.statements(vars, 1, 1)
        self.write(1, f"return {self.real(vars, 2).text}")
        if kind == "rule":
            self.rule(f, vars[: len(types)])
        self.callees.append(Callee(f, tuple(types), Real))

    def rule(self, f: str, vars: Sequence[Var]) -> None:
        """A rule that is linear, and not the derivative: so that it is seen whether it is used."""
        parts, primals, terms = list[Var](), list[str](), list[str]()
        for v in vars:
            part = v.name
            if v.type is Real:
                primals.append(f"{part}.re")
                parts.append(Var(f"{part}.re", Real, LIMIT))
                terms.append(f"{part}.du")
            elif v.type is PAIR:
                primals.append(f"Pair({part}.a.re, {part}.b.re)")
                terms.append(f"({part}.a.du - 2.0 * {part}.b.du)")
            elif v.type is Vec(2, Real):
                primals.append(f"[{part}[0].re, {part}[1].re]")
                terms.append(f"({part}[1].du + {part}[0].du * 0.5)")
            elif isinstance(v.type.elem, Fin):
                primals.append(part)
            else:
                rows = [f"[{part}[{n}][0].re, {part}[{n}][1].re]" for n in (0, 1)]
                primals.append(f"[{', '.join(rows)}]")
                terms.append(f"{part}[1][0].du")
        given = ", ".join([v.name for v in vars])
        self.lines += [f"@{f}.jvp", f"def {f}_rule({given}):", f"    y = {f}({', '.join(primals)})"]
        parts.append(Var("y", Real, LIMIT))
        self.write(1, f"return Dual(y, {' + '.join([f'{self.real(parts, 1).text} * {t}' for t in terms])})")

    def syntax(self, vars: list[Var]) -> None:
        """Statements in plain Python's own branches and loops."""
        t = self.name("t")
        self.write(1, f"{t} = 1.0 * {self.real(vars, 1, 2.0).text}")
        before = list(vars)
        vars.append(Var(t, Real, 2.0))
        for _ in range(1 + self.below(2)):
            k = self.below(4)
            if k == 0:
                self.write(1, f"if {self.plain_truth(vars)}:")
                self.write(2, f"{t} = {self.real(vars, 1, 2.0).text} * 1.0")
                if self.chance(0.5):
                    self.write(1, "else:")
                    self.write(2, f"{t} = {self.real(vars, 1, 2.0).text} * 1.0")
            elif k == 1:
                self.write(1, f"while abs({t}) < 1.5:")  # from -inf, it would not end
                self.write(2, f"{t} = {t} + 0.75 + 0.25 * abs({self.real(before, 1, 2.0).text})")
            elif k == 2:
                inner, i, over = self.over(vars, self.size())
                self.write(1, f"for {i} in {over.text}:")
                self.write(2, f"{t} = {self.real(inner, 1, 2.0).text} * 1.0")
            else:
                self.write(1, f"if {self.plain_truth(vars)}:")
                self.write(2, f"return {self.real(vars, 1).text} * 1.0")

    def plain_truth(self, vars: Sequence[Var]) -> str:
        x, y, z = [self.leaf(vars).text for _ in range(3)]
        return self.pick(("{0} < {1}", "{0} < {1} and {2} > 0.5", "not {0} > {1}", "{0} <= {1} or {2} == {0}",
                          "-1.0 < {0} < {1}", "{0} >= 0.25")).format(x, y, z)  # fmt: skip

    def program(self) -> Small:
        for _ in range(self.pick((0, 0, 0, 1, 1, 2))):
            self.helper()
        types: list[Type] = [Vec(2 + self.below(3), Real)]
        types += [self.pick(MORE) for _ in range(self.below(3))]
        vars = [Var(self.name("x"), t, LIMIT / 2) for t in types]
        self.lines += [
            f"@rose.fn([{', '.join(map(written, types))}], Real)", f"def main({', '.join([v.name for v in vars])}):"
        ]  # fmt: skip
        self.budget = max(self.budget, 2)
        self.statements(vars, 1, 2)
        parts = [f"{self.leaf([v]).text} * {self.pick(LITERALS[:5])}" for v in vars[len(types) :]]
        self.write(1, f"return {' + '.join([self.real(vars, 2).text, *parts])}")
        args = tuple([self.arguments(types, ties) for ties in (False, True, None)])
        return Small("\n".join(self.lines) + "\n", tuple(types), Real, args, Counter(self.tags))

    def arguments(self, types: Sequence[Type], ties: bool | None) -> tuple[Any, ...]:
        """Numbers with many digits; with `ties`, ones that are often equal; without either, hostile ones."""

        def number() -> float:
            if ties is None and self.chance(0.6):
                return self.pick(ODD)
            return self.pick(TIES) if ties and self.chance(0.6) else self.draw() * 4.0 - 2.0

        def made(t: Type) -> Any:
            if isinstance(t, Vec):
                return tuple([made(t.elem) for _ in range(t.size)])
            if isinstance(t, Tuple):
                return tuple([made(s) for s in t.items])
            return number() if t is Real else self.chance(0.5) if t is Bool else self.below(t.size)

        return tuple([made(t) for t in types])


NAMES = {PAIR: "Pair", DEEP: "Deep"}
MORE: tuple[Type, ...] = (
    Real, PAIR, DEEP, Vec(3, Fin(2)), Vec(2, Fin(3)), Vec(2, Vec(2, Real)), Vec(2, PAIR), Bool, Vec(0, Real)
)  # fmt: skip
SIMPLE = (
    ("(-{})", 2.0), ("abs({})", 2.0), ("rose.sqrt(0.5 + {0} * {0})", 2.2), ("({} ** 2)", 4.0), ("({} ** 3)", 8.0),
    ("((1.25 + {0} * {0}) ** -2)", 1.0), ("rose.floor({})", 2.0), ("rose.ceil({})", 2.0), ("rose.round({})", 2.0),
    ("rose.trunc({})", 2.0), ("rose.sign(0.125 + {})", 1.0), ("rose.relu({})", 2.0), ("rose.clip({}, -0.5, 0.75)", 1.0),
)  # fmt: skip
GUARDED = (
    ("rose.log({0})", "{0} > 0.125", 3.0), ("rose.sqrt({0})", "{0} > 0.0625", 2.0),
    ("(1.0 / {0})", "abs({0}) > 0.25", 4.0),
    ("rose.acos({0})", "abs({0}) < 0.9", 3.0), ("({0} ** 1.5)", "{0} >= 0.25", 8.0),
    ("rose.log1p({0})", "{0} > -0.75", 2.0), ("rose.atanh({0})", "abs({0}) < 0.75", 1.0),
)  # fmt: skip
INSIDE = (
    "rose.grad({0})({1})", "rose.grad({0})({1})", "rose.grad(rose.grad({0}))({1})", "rose.value_and_grad({0})({1})[1]",
    "rose.jvp({0})(Dual({1}, 0.5)).du", "rose.vjp({0})({1}).grad(1.5)", "rose.linearize({0})({1})[1](0.25)",
    "rose.jvp(rose.grad({0}))(Dual({1}, -1.0)).du", "rose.hvp({0})({1}, 0.75)",
)  # fmt: skip
Production = Callable[[Writer, Sequence[Var], int], Expr]
REALS: tuple[Production, ...] = (
    *[Writer.arithmetic] * 5, *[Writer.mathematics] * 4, *[Writer.simple] * 3, *[Writer.extreme] * 2, Writer.select,
    Writer.select, Writer.cond, Writer.guarded, *[Writer.fold] * 2, Writer.scan, Writer.loop, Writer.vector,
    *[Writer.call] * 4, Writer.pairs, Writer.derivative, Writer.stop,
)  # fmt: skip
STATEMENTS: tuple[Callable[[Writer, list[Var], int], None], ...] = (
    *[Writer.let] * 10, *[Writer.accumulate] * 4, Writer.nest, *[Writer.outs] * 2, *[Writer.masked] * 2
)  # fmt: skip


def reaches(t: Type, part: Type) -> bool:
    if t is part:
        return True
    if isinstance(t, Vec):
        return t.size > 0 and reaches(t.elem, part)
    return isinstance(t, Tuple) and any([reaches(s, part) for s in t.items])


def written(t: Type) -> str:
    """A type as a program writes it."""
    if isinstance(t, Vec):
        return f"Vec[{t.size}, {written(t.elem)}]"
    return NAMES[t] if t in NAMES else f"Fin[{t.size}]" if isinstance(t, Fin) else "Bool" if t is Bool else "Real"


def scale(bound: float, limit: float) -> float:
    return 2.0 ** math.floor(math.log2(limit / bound))


def small(seed: int) -> Small:
    """The small program of this number."""
    return Writer(seed).program()
