"""The IR as text, in the syntax of the paper (Figure 3): for people, and for golden tests.

    def sum(v: [11]Real): Real =
      let x0: Real = 0.0 in
      let x1: (Real, [11]()) =
        accum a0 from x0 in
          [for i0: 11,
            let x2: Real = v[i0] in
            let x3: () = a0 += x2 in
            x3
          ]
      in
      let x4: Real = fst x1 in
      x4

Parameters keep their names; indices are i0, i1, ..., accumulators a0, a1, ..., and all else x0, x1, ....
What the paper does not have: `let (x, y): (T, U) = [for i: n, s: T from z, ...] in` is a loop with a state
and a vector; `let a: &T = accum z in` and `freeze a` are an accumulator whose region is not nested in
others, or gives more than one value; `t.2` and `t.name` are items; `zero` is the zero of any type;
`x min y` is an operation without a symbol; and literals that nothing uses are left out. `(,)` is the tuple
of nothing. A field that is not a word is quoted, and so is the name of an import that is printed by another.
After `=`, `remat` marks a function whose derivative in reverse keeps nothing; between functions, `jvp f = g`
says that `g` is the derivative of `f`, and `primal g = f` that it was made of `f`. `grammar.py` reads it all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import builder
from ..builder import Op, is_call
from ..callgraph import callees
from ..func import Block, Body, Branch, Func, Linear, Opaque, While
from ..ops import neg, select
from ..reshapes import RESHAPE
from ..stacks import PUSH as PUSH  # so that its rows are in the table
from ..types import Bool, Fin, Real, Ref, Single, Span, Stack, Tan, Tuple, Type, Unit, Vec, components_first
from ..value import OPS, SPECIALS, Value

SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
    "iadd": "+", "imul": "*", "idiv": "//", "imod": "%", "ieq": "==", "ilt": "<", "ile": "<=",
}  # fmt: skip
ZEROS: dict[Type, str] = {Real: "0.0", Tan: "0.0", Single: "0.0", Bool: "false", Unit: "()"}
_WORDS = """accum def do else false for freeze from fst if in inf let linear nan not opaque pure remat snd then
transposed true type while"""
WORDS = [*_WORDS.split(), "zero"]
OPERATIONS = {op.name: op for op in OPS.values() if op.wasm or op.expand or op.transpose}
ARITY = {name: op.type.__code__.co_argcount for name, op in OPERATIONS.items()}
# operations of two operands that have no symbol: they stand between them
INFIX = {name for name, n in ARITY.items() if n == 2 and name not in SYMBOLS}
REGIONS = 8  # how deep accumulators nest, and how often an instruction is looked at to see if they do


def show(f: Func, *, callees: bool = True) -> str:
    """`f` as text, after the structs that it names and the functions that it calls, each once."""
    program = _Globals()
    program.name(f)
    functions = list(_calls_first(f)) if callees else [f]
    parts: list[str] = []
    for g in functions:
        parts += [program.define(g), *(program.relations(g) if callees else ())]
    types = ["\n".join(program.structs)] if program.structs else []
    return "\n\n".join([*types, *parts])


def show_func(f: Func) -> str:
    """The definition of `f` as text."""
    return _Globals().define(f)


def spell(t: Type) -> str:
    """A type, as it is written in the text form."""
    return _Globals().type(t)


def labelled(fs: Sequence[Func]) -> Iterator[tuple[Func, str, dict[Value, str]]]:
    """Functions and all that they call, each with its first line, and with a label for each instruction that is used.

    A label is what stands in the line of the instruction; of a parameter, its name.
    """
    program = _Globals()
    for f in fs:
        program.name(f)
    for g in dict.fromkeys([g for f in fs for g in _calls_first(f, rules=False)]):
        body = _Definition(program, g)
        head = program.head(g, body)
        body.block(g.body, "")
        yield g, head, body.labels()


def _calls_first(f: Func, *, rules: bool = True) -> Iterator[Func]:
    """`f` and all that it calls, each after what it calls itself, and before the rule for its derivative."""
    seen, stack = {f}, [(f, _needs(f))]
    while stack:
        g, rest = stack[-1]
        for h in rest:
            if h not in seen:
                seen.add(h)
                stack.append((h, _needs(h)))
                break
        else:
            stack.pop()
            yield g
            if rules and g.made_rule is not None and g.made_rule not in seen:
                seen.add(g.made_rule)
                stack.append((g.made_rule, _needs(g.made_rule)))


def _needs(f: Func) -> Iterator[Func]:
    """The callees of `f`; and its primal, if it is recomputed."""
    yield from callees(f)
    if f.remat and f.primal is not None:
        yield f.primal


def _unique(name: str, taken: dict[str, int]) -> str:
    """`name`, with a number after it if it is taken; `taken` counts how often."""
    made = name
    while made in taken:
        taken[name] += 1
        made = f"{name}_{taken[name]}"
    taken[made] = 0
    return made


class _Globals:
    """The names of functions and types, and the definitions of the types that were named."""

    def __init__(self) -> None:
        self.structs: list[str] = []
        self._funcs: dict[Func, str] = {}
        self._types: dict[Type, str] = {Unit: "()"}
        self._func_names: dict[str, int] = dict.fromkeys([*WORDS, *INFIX], 0)
        self._type_names: dict[str, int] = dict.fromkeys(["Real", "Tan", "Single", "Bool"], 0)
        self._defined: set[Func] = set()
        self._rules: dict[Func, list[Func]] = {}  # from each rule to what it is the derivative of

    def name(self, f: Func) -> str:
        if f not in self._funcs:
            self._funcs[f] = _unique(_readable(f.name, "f"), self._func_names)
        return self._funcs[f]

    def relations(self, f: Func) -> Iterator[str]:
        """The relations of `f` to other functions, as soon as both are defined: its rule, and its primal."""
        self._defined.add(f)
        if f.made_rule is not None:
            self._rules.setdefault(f.made_rule, []).append(f)
            if f.made_rule in self._defined and f.made_rule is not f:
                yield from self._rule(f.made_rule)
        yield from self._rule(f)
        if f.remat and f.primal is not None:
            yield f"primal {self.name(f)} = {self.name(f.primal)}"

    def _rule(self, rule: Func) -> Iterator[str]:
        for f in self._rules.pop(rule, []):
            yield f"jvp {self.name(f)} = {self.name(rule)}"

    def type(self, t: Type) -> str:
        for s in components_first(t, self._types):
            self._types[s] = self._spell(s)
        return self._types[t]

    def _spell(self, t: Type) -> str:
        match t:
            case Fin():
                return str(t.size)
            case Vec():
                return f"[{t.size}]{self.type(t.elem)}"
            case Ref():
                return f"&{self.type(t.inner)}"
            case Stack():
                text = f"Stack[{self.type(t.elem)}]"
                return self._named("Tape", text) if t.elem.stacked else text
            case Span():
                return f"Span[{', '.join([str(t.size), *[self.type(x) for x in t.items]])}]"
            case Tuple(form=None):
                return _tuple([self.type(x) for x in t.items]) if t.items else "(,)"
            case Tuple():
                return self._struct(t)
            case _:
                return repr(t)

    def _struct(self, t: Tuple) -> str:
        assert t.form is not None
        items = [f"{_field(k)}: {self.type(x)}" for k, x in zip(t.form.fields, t.items, strict=True)]
        text = f"{{{', '.join(items)}}}"
        if t.form.is_dict:
            return text
        return self._named(_readable(t.form.name, "T"), text)

    def _named(self, wanted: str, text: str) -> str:
        """A name for a type: stacks lie in one another as the calls of a program do, and would fill pages."""
        name = _unique(wanted, self._type_names)
        self.structs.append(f"type {name} = {text}")
        return name

    def head(self, f: Func, body: _Definition) -> str:
        params = ", ".join([f"{body.names[p]}: {self.type(p.type)}" for p in f.params])
        return f"def {self.name(f)}({params}): {self.type(f.result)}"

    def define(self, f: Func) -> str:
        body = _Definition(self, f)
        head = self.head(f, body) + " ="
        names = [body.names[p] for p in f.params]
        match f.kind:
            case Body():
                body.block(f.body, "  ")
                head += " remat" * f.remat
                return "\n".join([head, *body.lines, "  " + body.names[f.body.results[0]]])
            case Opaque():
                other = "" if f.name == self.name(f) else f" {json.dumps(f.name, ensure_ascii=False)}"
                return f"{head}{' pure' if f.pure else ''} opaque{other}"
            case Branch():
                then, otherwise = [f"{self.name(g)}({', '.join(names[1:])})" for g in callees(f)]
                return f"{head}\n  if {names[0]} then {then} else {otherwise}"
            case While(_, _, most):
                test, step = [f"{self.name(g)}({', '.join(names)})" for g in callees(f)]
                return f"{head}\n  while {test} do {step}" + ("" if most is None else f" max {most}")
            case Linear():
                by, transposed = [f"{self.name(g)}({', '.join(names)})" for g in callees(f)]
                return f"{head}\n  linear {by} transposed {transposed}"


@dataclass(slots=True, eq=False)
class _Region:
    """The instructions between an accumulator and its freeze."""

    ref: Value
    out: Value | None  # the value that comes out beside the sum, if one does
    tail: Value | None  # the last instruction, if what it makes comes out without a name
    pair: str = ""  # the name of all that comes out


class _Definition:
    """One function: the names of its values, and its lines."""

    def __init__(self, program: _Globals, f: Func) -> None:
        self.program = program
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self._taken: dict[str, int] = dict.fromkeys([*WORDS, *INFIX], 0)
        self._count = {"x": 0, "i": 0, "a": 0}
        self._last: dict[Value, int] = {}  # where a value is used last, as a position in its own block
        self._tails: list[Value] = []  # instructions that have no name
        self._patience = 0
        self._rank: dict[Value, int] = {}  # how many instructions of its block are printed up to a value
        self._gets: dict[tuple[Value, int], list[Value]] = {}  # what reads each result of each loop
        for p in sorted(f.params, key=lambda p: not p.attr):  # those that have a name come first
            self.names[p] = _unique(_readable(p.attr, "x").replace(".", "_"), self._taken) if p.attr else self._name(p)
        self._find_uses(f.body, {})

    def _find_uses(self, block: Block, now: dict[Block, int]) -> None:
        printed = 0
        for k, v in enumerate(block.code):
            now[block] = k
            self._rank[v] = printed = printed + (not _is_literal(v) and not _is_item(v))
            for a in v.args:
                self._last[a] = now[a.block]
            if v.op is builder.FOR:
                self._find_uses(v.attr, now)
            elif _is_item(v):
                self._gets.setdefault((v.args[0], v.attr), []).append(v)
        now[block] = len(block.code)
        self._patience += REGIONS * printed
        for r in block.results:
            self._last[r] = now[r.block]

    def _item(self, loop: Value, k: int) -> list[Value]:
        """The `get` of result `k` of a loop, if there is one."""
        gets = self._gets.get((loop, k), [])
        return gets if any(g in self._last for g in gets) else []

    def _name(self, v: Value) -> str:
        self.names[v] = name = self._fresh("a" if isinstance(v.type, Ref) else "x")
        return name

    def _fresh(self, letter: str) -> str:
        while True:
            name = f"{letter}{self._count[letter]}"
            self._count[letter] += 1
            if name not in self._taken:
                return name

    # blocks

    def block(self, block: Block, indent: str) -> None:
        """The lines of the instructions of a block."""
        inside: list[_Region] = []
        for k, v in enumerate(block.code):
            region = self._region(block.code, k) if v.op is builder.ACCUM and len(inside) < REGIONS else None
            if _is_literal(v):
                self._literals([] if inside else [v], indent)
            elif region is not None:
                self._literals([] if inside else block.code[k : self._last[v]], indent)
                self._enter(region, indent)
                inside.append(region)
                indent += "    "
            elif inside and v.op is builder.FREEZE and v.args[0] is inside[-1].ref:
                indent = indent[:-4]
                self._leave(inside.pop(), v, indent)
            elif inside and v is inside[-1].tail:
                self._tails += [v] if v.op is not builder.FOR else []
                self._put(indent, v, "", indent)
            elif not _is_item(v):
                self._let(v, indent)

    def _region(self, code: list[Value], start: int) -> _Region | None:
        """The region of the accumulator at `start`, if it is nested in those around it and gives one value at most."""
        ref = code[start]
        end = self._last.get(ref, start)
        self._patience -= self._rank[code[end]] - self._rank[ref]
        if code[end].op is not builder.FREEZE or self._patience < 0:
            return None
        opened, out, tail = {ref}, list[Value](), None
        for v in code[start + 1 : end]:
            if v.op is builder.FREEZE and v.args[0] not in opened:
                return None
            if not _is_literal(v) and not _is_item(v):
                opened.add(v)
                tail = v
                out += [x for x in self._named_values(v) if self._last.get(x, -1) > end]
            if len(out) > 1 or (out and isinstance(out[0].type, Ref)):
                return None
        only = out[0] if out else None
        return _Region(ref, only, tail if self._is_result(tail, only) else None)

    def _named_values(self, v: Value) -> list[Value]:
        """The values that an instruction names."""
        return [g for k in range(len(v.attr.results)) for g in self._item(v, k)] if v.op is builder.FOR else [v]

    def _is_result(self, v: Value | None, out: Value | None) -> bool:
        """True if the last instruction of a region makes just what comes out of it: it needs no name."""
        if v is None or v.op is builder.ACCUM or v.op is builder.FREEZE or isinstance(v.type, Ref):
            return False
        return out is None or out is v or (_is_item(out) and out.args[0] is v and len(v.attr.results) == 1)

    def _literals(self, code: list[Value], indent: str) -> None:
        """The literals of `code` that are used: those of a region stand before it."""
        for v in code:
            if _is_literal(v) and v in self._last:
                self._let(v, indent)

    def _enter(self, region: _Region, indent: str) -> None:
        ref, last = region.ref, region.out if region.tail is None else region.tail
        region.pair = self._fresh("x")
        types = f"({self.program.type(ref.args[0].type)}, {'()' if last is None else self._type(last)})"
        self.lines.append(f"{indent}let {region.pair}: {types} =")
        self.lines.append(f"{indent}  accum {self._name(ref)} from {self.names[ref.args[0]]} in")

    def _leave(self, region: _Region, freeze: Value, indent: str) -> None:
        out = region.out
        if region.tail is None:
            self.lines.append(f"{indent}    {'()' if out is None else self.names[out]}")
        self.lines.append(f"{indent}in")
        self.lines.append(f"{indent}let {self._name(freeze)}: {self._type(freeze)} = fst {region.pair} in")
        if out is not None:
            self.lines.append(f"{indent}let {self._name(out)}: {self._type(out)} = snd {region.pair} in")

    def _let(self, v: Value, indent: str) -> None:
        name = self._pattern(v) if v.op is builder.FOR else self._name(v)
        self._put(f"{indent}let {name}: {self._type(v)} = ", v, " in", indent)

    def _put(self, before: str, v: Value, after: str, indent: str) -> None:
        """The expression of an instruction: one line, or for a loop several."""
        if v.op is not builder.FOR:
            self.lines.append(f"{before}{self._expr(v)}{after}")
            return
        self.lines.append(before + self._loop(v))
        self.block(v.attr, indent + "  ")
        self.lines.append(f"{indent}  {self._result(v.attr)}")
        self.lines.append(f"{indent}]{after}")

    def labels(self) -> dict[Value, str]:
        """The text of the line of each instruction, once the lines are made."""
        out: dict[Value, str] = {}
        for v, name in self.names.items():
            plain = v.op is builder.PARAM or _is_item(v)
            out[v] = name if plain else f"{name} = {self._expr(v)}"
        for v in self._tails:
            out.setdefault(v, self._expr(v))
        return out

    # loops

    def _type(self, v: Value) -> str:
        if v.op is not builder.FOR:
            return self.program.type(v.type)
        types = [self.program.type(r.type) for r in v.attr.results]
        size, k = self.program.type(v.attr.params[0].type), len(v.args)
        return _one([*types[:k], *[f"[{size}]{t}" for t in types[k:] or ["()"] * (k == 0)]])

    def _pattern(self, loop: Value) -> str:
        """Names for the results of a loop: `_` for one that is not used."""
        names: list[str] = []
        for k in range(len(loop.attr.results)):
            gets = self._item(loop, k)
            names.append(self._name(gets[0]) if gets else "_")
            self.names.update(dict.fromkeys(gets, names[-1]))
        return _one(names) if names else self._fresh("x")

    def _loop(self, v: Value) -> str:
        index, *states = v.attr.params
        self.names[index] = self._fresh("i")
        head = [f"for {self.names[index]}: {self.program.type(index.type)}"]
        for p, init in zip(states, v.args, strict=True):
            head.append(f"{self._name(p)}: {self.program.type(p.type)} from {self.names[init]}")
        return f"[{', '.join(head)},"

    def _result(self, block: Block) -> str:
        """The result of one iteration: a unit, where there is none."""
        if block.results:
            return _one([self.names[r] for r in block.results])
        unit = block.code and block.code[-1].type is Unit
        return self.names.get(block.code[-1], "()") if unit else "()"

    def _expr(self, v: Value) -> str:
        xs = [self.names[a] for a in v.args]
        if is_call(v):
            return f"{self.program.name(v.attr)}({', '.join(xs)})"
        if v.op in _EXPRESSIONS:
            return _EXPRESSIONS[v.op](v, xs)
        symbol = SYMBOLS.get(v.op.name, v.op.name)
        if symbol not in OPERATIONS and symbol in SPECIALS:
            return f"{symbol}({', '.join(xs)})"
        if len(xs) == 2:
            return f"{xs[0]} {symbol} {xs[1]}"
        return f"{symbol} {xs[0]}" if len(xs) == 1 else f"{symbol}({', '.join(xs)})"


def _is_literal(v: Value) -> bool:
    return v.op is builder.CONST or v.op is builder.ZERO


def _is_item(v: Value) -> bool:
    """True for a result of a loop, which is named where the loop is."""
    return v.op is builder.GET and v.args[0].op is builder.FOR


def _one(items: list[str]) -> str:
    return items[0] if len(items) == 1 else _tuple(items)


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' * (len(items) == 1)})"


def _access(t: Type, name: str, k: int) -> str:
    """Item `k` of the tuple of that name, or of an accumulator of one."""
    inner = t.inner if isinstance(t, Ref) else t
    assert isinstance(inner, Tuple)
    if inner.form is not None:
        return f"{name}.{_field(inner.form.fields[k])}"
    return f"{'snd' if k else 'fst'} {name}" if len(inner.items) == 2 else f"{name}.{k}"


def _field(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else json.dumps(name, ensure_ascii=False)


def _readable(name: str, letter: str) -> str:
    """A name that can be read again: of `grad(f)` and `<lambda>`, `grad_f` and `lambda`."""
    words = re.findall(r"\w+(?:\.\w+)*", name)
    made = "_".join(words) or letter
    return f"{letter}{made}" if made[0].isdecimal() else made


def _literal(x: Any, t: Type) -> str:
    if isinstance(t, Vec):
        return f"[{', '.join([_literal(y, t.elem) for y in x])}]"
    if isinstance(t, Tuple):
        return _tuple([*map(_literal, x, t.items)]) if x else "(,)"
    if t is Unit:
        return ZEROS[Unit]
    return str(x).lower() if isinstance(x, bool) else repr(x)


_EXPRESSIONS: dict[Op, Callable[[Value, list[str]], str]] = {
    builder.CONST: lambda v, xs: _literal(v.attr, v.type),
    builder.ZERO: lambda v, xs: ZEROS.get(v.type, "0" if isinstance(v.type, Fin) else "zero"),
    builder.TUPLE: lambda v, xs: _tuple(xs) if xs else "(,)",
    builder.PACK: lambda v, xs: f"[{', '.join(xs)}]",
    builder.GET: lambda v, xs: _access(v.args[0].type, xs[0], v.attr),
    builder.INDEX: lambda v, xs: f"{xs[0]}[{xs[1]}]",
    builder.ACCUM: lambda v, xs: f"accum {xs[0]}",
    builder.AT: lambda v, xs: f"&{xs[0]}[{xs[1]}]" if len(xs) == 2 else f"&{_access(v.args[0].type, xs[0], v.attr)}",
    builder.ADD_TO: lambda v, xs: f"{xs[0]} += {xs[1]}",
    builder.FREEZE: lambda v, xs: f"freeze {xs[0]}",
    RESHAPE: lambda v, xs: f"reshape({xs[0]})",
    neg: lambda v, xs: f"-{xs[0]}",
    select: lambda v, xs: f"{xs[0]} ? {xs[1]} : {xs[2]}",
}
