"""A function of the library as the text of a function of Python: structured control flow stays structured.

The memory is the parameter `m`, and locals are `l0`, `l1` and so on. An expression stands where it is used,
unless something that it reads is written before that: then it has a variable of its own. A block is a
`while True`, which `break` leaves; a branch to a block further out says in `go` which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from .decode import Instruction, decode
from .library import CALL, Function, Library, Relocation


def translate(f: Function, library: Library, address: Mapping[str, int]) -> str:
    """The text of the function, called `name_of(f.name)`; data and the stack pointer, `""`, are at these addresses."""
    nested = _depth(decode(f, library.opcodes)[1]) <= _NESTED
    return (Writer if nested else _Flat)(f, library, address).text()


_NESTED = 19  # CPython has at most 20 loops one in another


def _depth(code: list[Instruction]) -> int:
    """How many blocks and loops are one in another."""
    return max(accumulate([(i.mnemonic in ("block", "loop")) - (i.mnemonic == "end") for i in code]))


def name_of(function: str) -> str:
    """The name of a function in Python."""
    return "f_" + function.replace(".", "_")


# Expressions: {0} and {1} are the operands, and what stands there twice is a name or a number.


def _of_integers(bits: int) -> dict[str, str]:
    """Integers are not negative: a signed one is seen as such by shifting its range."""
    mask, sign, last = hex(2**bits - 1), hex(2 ** (bits - 1)), bits - 1
    rows = {"eqz": "({0} == 0)", "and": "({0} & {1})", "or": "({0} | {1})", "xor": "({0} ^ {1})"}
    rows["shl"] = f"({{0}} << ({{1}} & {last}) & {mask})"
    rows["shr_u"] = f"({{0}} >> ({{1}} & {last}))"
    rows["shr_s"] = f"(({{0}} ^ {sign}) - {sign} >> ({{1}} & {last}) & {mask})"
    for name, operator in {"add": "+", "sub": "-", "mul": "*"}.items():
        rows[name] = f"({{0}} {operator} {{1}} & {mask})"
    for name, operator in _COMPARISONS.items():
        rows[f"{name}_u"] = f"({{0}} {operator} {{1}})"
        rows[f"{name}_s"] = f"(({{0}} ^ {sign}) {operator} ({{1}} ^ {sign}))"
    rows |= {"eq": "({0} == {1})", "ne": "({0} != {1})"}
    return {f"i{bits}.{name}": text for name, text in rows.items()}


def _of_floats(bits: int) -> dict[str, str]:
    """An f32 is rounded where the answer of an f64 might not be one."""
    rows = {"abs": "abs({0})", "neg": "(-{0})", "floor": "whole({0})", "copysign": "copysign({0}, {1})"}
    rows |= {name: f"({{0}} {operator} {{1}})" for name, operator in _COMPARISONS.items()}
    rows |= {"eq": "({0} == {1})", "ne": "({0} != {1})"}
    rows |= {"min": "least({0}, {1})", "max": "(-least(-{0}, -{1}))"}
    rounded = {"add": "({0} + {1})", "sub": "({0} - {1})", "mul": "({0} * {1})", "sqrt": "root({0})"}
    rounded["div"] = "({0} / {1} if {1} else divide({0}, {1}))"
    rows |= {name: f"single({text})" if bits == 32 else text for name, text in rounded.items()}
    return {f"f{bits}.{name}": text for name, text in rows.items()}


_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_EXPRESSIONS = {
    **_of_integers(32), **_of_integers(64), **_of_floats(32), **_of_floats(64),
    "i32.div_s": "(int(signed({0}) / signed({1})) & 0xffffffff)",  # a double is fine enough that none rounds up
    "i32.div_u": "({0} // {1})",
    "i32.rem_s": "(int(fmod(signed({0}), signed({1}))) & 0xffffffff)",
    "i64.clz": "(64 - {0}.bit_length())",
    "i32.wrap_i64": "({0} & 0xffffffff)",
    "i64.extend_i32_u": "{0}",
    "i32.trunc_f32_s": "(int({0}) & 0xffffffff)",
    "i32.trunc_f64_s": "(int({0}) & 0xffffffff)",
    "f32.convert_i32_s": "single(signed({0}))",
    "f64.convert_i32_s": "float(signed({0}))",
    "f64.convert_i32_u": "float({0})",
    "f64.convert_i64_s": "float(({0} ^ 0x8000000000000000) - 0x8000000000000000)",
    "f64.convert_i64_u": "float({0})",
    "i32.trunc_f64_u": "int({0})",
    "f32.demote_f64": "single({0})",
    "f64.promote_f32": "{0}",
    "i32.reinterpret_f32": "i32_load(f32_bytes({0}))[0]",
    "f32.reinterpret_i32": "f32_load(i32_bytes({0}))[0]",
    "i64.reinterpret_f64": "i64_load(f64_bytes({0}))[0]",
    "f64.reinterpret_i64": "f64_load(i64_bytes({0}))[0]",
    "select": "({0} if {2} else {1})",
}  # fmt: skip


class _Term(NamedTuple):
    """An entry of the stack: an expression, and the locals that it reads; `m` among them stands for memory."""

    text: str
    reads: frozenset[str] = frozenset()


class _Label(NamedTuple):
    """A block or loop; `passing` are the numbers of those around it to which branches out of it go."""

    number: int
    loop: bool
    passing: set[int]


class Writer:
    """The lines of a function, while they are written."""

    def __init__(self, f: Function, library: Library, address: Mapping[str, int]) -> None:
        self.library, self.address = library, address
        self.f, self.params = f, len(f.params)
        self.lines = [f"def {name_of(f.name)}({', '.join(['m', *[f'l{k}' for k in range(self.params)]])}):"]
        self.stack: list[_Term] = []
        self.labels: list[_Label] = []
        self.count = 0  # of labels and variables so far
        self.unreachable = 0  # how deep in blocks that cannot be reached

    def text(self) -> str:
        """The whole text."""
        types, code = decode(self.f, self.library.opcodes)
        self.locals(types)
        for i in code:
            self.write(i)
        return "\n".join(self.lines) + "\n"

    def locals(self, types: list[int]) -> None:
        """Those that are no parameters are zero at first."""
        self.line("go = 0")
        for k, type in enumerate(types, self.params):
            self.line(f"l{k} = {'0' if type in (0x7F, 0x7E) else '0.0'}")

    def line(self, text: str) -> None:
        self.lines.append("    " * (1 + len(self.labels)) + text)

    def write(self, i: Instruction) -> None:
        name, immediates = i
        if self.unreachable:
            self.unreachable += (name in ("block", "loop")) - (name == "end")
            if not self.unreachable:
                self.close()
        elif name in _EXPRESSIONS:
            self.expression(_EXPRESSIONS[name])
        elif name in _INSTRUCTIONS:
            _INSTRUCTIONS[name](self, *[self.known(x) for x in immediates])
        else:
            type, kind = name.split(".")
            _TYPED[kind](self, type, *[self.known(x) for x in immediates])

    def known(self, x: float | Relocation) -> float | str:
        """An immediate; of a relocation, the address, or the function."""
        if not isinstance(x, Relocation):
            return x
        return x.target if x.kind == CALL else self.address[x.target] + x.addend

    # values

    def push(self, text: str, *reads: frozenset[str]) -> None:
        self.stack.append(_Term(text, frozenset[str]().union(*reads)))

    def pop(self, n: int) -> list[_Term]:
        """The last values, the first of them first."""
        taken = self.stack[len(self.stack) - n :]
        del self.stack[len(self.stack) - n :]
        return taken

    def variable(self, text: str) -> _Term:
        """A new variable of this value."""
        self.count += 1
        self.line(f"t{self.count} = {text}")
        return _Term(f"t{self.count}")

    def settle(self, what: str | None = None) -> None:
        """Compute now what reads a local, or memory, or anything, as it will change."""
        for k, t in enumerate(self.stack):
            if t.reads if what is None else what in t.reads:
                self.stack[k] = self.variable(t.text)

    def expression(self, text: str) -> None:
        operands = self.pop(1 + ("{1}" in text) + ("{2}" in text))
        for k, t in enumerate(operands):
            if text.count(f"{{{k}}}") > 1 and "(" in t.text:
                operands[k] = self.variable(t.text)
        self.push(text.format(*[t.text for t in operands]), *[t.reads for t in operands])

    def const(self, type: str, x: float) -> None:
        self.push(str(int(x) & (0xFFFFFFFF if type == "i32" else 0xFFFFFFFFFFFFFFFF)) if type[0] == "i" else repr(x))

    def load(self, type: str, align: int, offset: int) -> None:
        (at,) = self.pop(1)
        self.push(f"{type}_load(m, {at.text} + {offset})[0]", at.reads, _MEMORY)

    def load_bytes(self, type: str, align: int, offset: int, *, size: int) -> None:
        """Some bytes, as an integer that is not negative."""
        (at,) = self.pop(1)
        first = f"{at.text} + {offset}"
        self.push(f"int.from_bytes(m[{first} : {first} + {size}], 'little')", at.reads, _MEMORY)

    def store(self, type: str, align: int, offset: int) -> None:
        at, x = self.pop(2)
        self.settle("m")
        self.line(f"{type}_store(m, {at.text} + {offset}, {x.text})")

    def get(self, k: int) -> None:
        self.push(f"l{k}", frozenset([f"l{k}"]))

    def set(self, k: int) -> None:
        (x,) = self.pop(1)
        self.settle(f"l{k}")
        self.line(f"l{k} = {x.text}")

    def tee(self, k: int) -> None:
        self.set(k)
        self.get(k)

    def get_stack(self, at: int) -> None:
        self.push(f"i32_load(m, {at})[0]", _MEMORY)

    def set_stack(self, at: int) -> None:
        (x,) = self.pop(1)
        self.settle("m")
        self.line(f"i32_store(m, {at}, {x.text})")

    def call(self, name: str) -> None:
        """A call, which may write to memory."""
        f = self.library.functions[name]
        xs = self.pop(len(f.params))
        self.settle("m")
        text = f"{name_of(name)}({', '.join(['m', *[x.text for x in xs]])})"
        if f.results:
            self.stack.append(self.variable(text))
        else:
            self.line(text)

    def drop(self) -> None:
        """A value that is not needed."""
        self.pop(1)

    def store_bytes(self, type: str, align: int, offset: int, *, size: int) -> None:
        """The lowest bytes of an integer."""
        at, x = self.pop(2)
        self.settle("m")
        first, low = f"{at.text} + {offset}", f"({x.text}) & {256**size - 1}"
        self.line(f"m[{first} : {first} + {size}] = ({low}).to_bytes({size}, 'little')")

    def block(self, type: int) -> None:
        self.open(loop=False)

    def loop(self, type: int) -> None:
        self.open(loop=True)

    def open(self, loop: bool) -> None:
        self.settle()
        self.line("while True:")
        self.count += 1
        self.labels.append(_Label(self.count, loop, set()))

    def end(self) -> None:
        if not self.labels:
            self.leave()
        else:
            self.fall()
            self.close()

    def fall(self) -> None:
        """Leave a block at its end."""
        self.line("break")

    def close(self) -> None:
        """The end of a block, or of the function: what was to branch further out does so now."""
        if not self.labels:
            return
        passing = self.labels.pop().passing
        if not passing:
            return
        around = self.labels[-1]
        if around.number in passing:
            self.line(f"if go == {around.number}:")
            self.line("    go = 0")
            self.line("    continue" if around.loop else "    break")
        further = passing - {around.number}
        if further:
            self.line("if go:")
            self.line("    break")
            around.passing.update(further)

    def branch(self, depth: int, indent: str = "") -> None:
        inner, label = self.labels[-1], self.labels[-1 - depth]
        if depth:
            inner.passing.add(label.number)
            self.line(f"{indent}go = {label.number}")
        self.line(indent + ("continue" if label.loop and not depth else "break"))

    def br(self, depth: int) -> None:
        self.branch(depth)
        self.unreachable = 1

    def br_if(self, depth: int) -> None:
        (condition,) = self.pop(1)
        self.line(f"if {condition.text}:")
        self.branch(depth, "    ")

    def br_table(self, *depths: int) -> None:
        (x,) = self.pop(1)
        k = self.variable(x.text)
        for n, depth in enumerate(depths[:-1]):
            self.line(f"if {k.text} == {n}:")
            self.branch(depth, "    ")
        self.br(depths[-1])

    def leave(self) -> None:
        self.line(f"return {self.pop(1)[0].text}" if self.f.results else "return")

    def return_(self) -> None:
        self.leave()
        self.unreachable = 1


class _Flat(Writer):
    """The lines of a function whose blocks are too deep for Python: its pieces, and `go` says which is next.

    A piece begins where a loop does, and where a block ends.
    """

    def __init__(self, f: Function, library: Library, address: Mapping[str, int]) -> None:
        super().__init__(f, library, address)
        self.pieces, self.head = [list[str]()], self.lines

    def text(self) -> str:
        types, code = decode(self.f, self.library.opcodes)
        self.locals(types)
        self.head, self.lines = [self.head[0], *["    " + line for line in self.lines[1:]]], self.pieces[0]
        for i in code:
            self.write(i)
        tree = ["    " * 2 + line for line in self.tree(0, len(self.pieces))]
        return "\n".join([*self.head, "    while True:", *tree]) + "\n"

    def tree(self, low: int, high: int) -> list[str]:
        """The pieces from one to another, each under the comparisons that lead to it."""
        if high - low == 1:
            return self.pieces[low] or ["pass"]
        middle = (low + high) // 2
        halves = [["    " + line for line in self.tree(*part)] for part in ((low, middle), (middle, high))]
        return [f"if go < {middle}:", *halves[0], "else:", *halves[1]]

    def line(self, text: str) -> None:
        self.lines.append(text)

    def open(self, loop: bool) -> None:
        self.settle()
        self.labels.append(_Label(len(self.pieces), loop, set()))
        self.pieces.append([])
        if loop:
            self.line(f"go = {self.labels[-1].number}")
            self.lines = self.pieces[-1]

    def fall(self) -> None:
        if not self.labels[-1].loop:
            self.branch(0)

    def close(self) -> None:
        if self.labels:
            label = self.labels.pop()
            self.lines = self.lines if label.loop else self.pieces[label.number]

    def branch(self, depth: int, indent: str = "") -> None:
        self.line(f"{indent}go = {self.labels[-1 - depth].number}")
        self.line(f"{indent}continue")


_MEMORY = frozenset(["m"])
_INSTRUCTIONS: dict[str, Callable[..., None]] = {
    "local.get": Writer.get, "local.set": Writer.set, "local.tee": Writer.tee, "call": Writer.call,
    "global.get": Writer.get_stack, "global.set": Writer.set_stack,
    "block": Writer.block, "loop": Writer.loop, "end": Writer.end, "br": Writer.br, "br_if": Writer.br_if,
    "br_table": Writer.br_table, "return": Writer.return_, "drop": Writer.drop,
}  # fmt: skip
_TYPED: dict[str, Callable[..., None]] = {
    "const": Writer.const,
    "load": Writer.load,
    "store": Writer.store,
    "store8": partial(Writer.store_bytes, size=1),
    "store16": partial(Writer.store_bytes, size=2),
    "load8_u": partial(Writer.load_bytes, size=1),
    "load16_u": partial(Writer.load_bytes, size=2),
}
