"""Functions for two numbers at once, derived from their code for one: the same operations in each lane, so its bits.

What is written is the way of ordinary arguments through the function (`rose/ir/libm/branches.py`), a straight line:
each instruction becomes its twin, on vectors of two. Where a lane would branch off, a test sends both to the function
for one number. So there is one source of each function, musl's. A function has such a form where its ordinary arguments
go one way: of those with several, `all_ways.py` has some.

An i32 is the lower half of its lane, and above it is anything. A truth value is a mask.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from rose.ir.libm.branches import ENOUGH, ORDINARY, branches
from rose.ir.libm.decode import Instruction, decode
from rose.ir.libm.library import Function, Relocation, library

from ..binary.encoder import EMPTY, F64, I32, I64, LOCAL_GET, OPCODES, V128, Code, instruction
from ..binary.shapes import F32X4, F64X2, Shape
from . import all_ways, error_function, singles
from .all_ways import Linked, Vector, Writer

FORMS = {**all_ways.FORMS, **error_function.FORMS, **singles.FORMS}

_I32, _I64, _F64, _MASK = "i32", "i64", "f64", "mask"  # kinds of vectors
_KINDS = {I32: _I32, I64: _I64, F64: _F64}
_HALF = -(2**63)  # half of the range of an i64


def has_lanes(name: str) -> bool:
    """True if there is a form of a function for the numbers of a vector."""
    return name in ORDINARY or name in FORMS


def _shuffle(*halves: int) -> bytes:
    """These halves of lanes; a second vector, of which nothing is taken, is the first parameter."""
    return instruction("local.get", 0) + instruction("i8x16.shuffle", *halves)


def _constant(kind: str, x: float) -> bytes:
    """A number in both lanes."""
    raw = struct.pack("<d", x) if kind == _F64 else (int(x) % 2 ** (64 if kind == _I64 else 32)).to_bytes(8, "little")
    return OPCODES["v128.const"][0] + raw + raw


def _of_integers(kind: str) -> dict[str, tuple[bytes, str]]:
    """Sums have the right lower half, whatever is above."""
    rows = {f"{kind}.{x}": (instruction(f"i64x2.{x}"), kind) for x in ("add", "sub")}
    return rows | {f"{kind}.{x}": (instruction(f"v128.{x}"), kind) for x in ("and", "or", "xor")}


def _compared(*names: str) -> dict[str, tuple[bytes, str]]:
    """Comparisons: of an i32, that of the lower half is that of both."""
    wide = {_I32: ("i32x4", _shuffle(0, 0, 2, 2)), _I64: ("i64x2", b"")}
    return {x: (instruction(f"{wide[x[:3]][0]}.{x[4:]}") + wide[x[:3]][1], _MASK) for x in names}


_OF_I32 = {"lt_u": "ge_u", "lt_s": "ge_s", "gt_u": "le_u", "eq": "ne"}
_OF_I64 = {"gt_s": "le_s", "lt_s": "ge_s"}
_PAIRS = [(f"{kind}.{x}", f"{kind}.{y}") for kind, xs in ((_I32, _OF_I32), (_I64, _OF_I64)) for x, y in xs.items()]
_OPPOSITES = dict([*_PAIRS, *[(y, x) for x, y in _PAIRS]])
# the twins of instructions with two operands, and the kinds of their results
_OF_TWO = {
    **{f"f64.{x}": (instruction(f"f64x2.{x}"), _F64) for x in ("add", "sub", "mul", "div")},
    **_of_integers(_I32),
    **_of_integers(_I64),
    **_compared(*_OPPOSITES),
}
# likewise with one
_OF_ONE = {
    "i32.wrap_i64": (b"", _I32),
    "i64.extend_i32_u": (_constant(_I64, 2**32 - 1) + instruction("v128.and"), _I64),
    "i64.reinterpret_f64": (b"", _I64),
    "f64.reinterpret_i64": (b"", _F64),
    "f64.convert_i32_s": (_shuffle(0, 2, 0, 2) + instruction("f64x2.convert_low_i32x4_s"), _F64),
}
_SHIFTS = {"i64.shl": "i64x2.shl", "i64.shr_u": "i64x2.shr_u", "i32.shl": "i64x2.shl", "i32.shr_u": "i32x4.shr_u"}


class _Entry(NamedTuple):
    """An entry of the stack: its kind, and of a literal that is not written yet, its value."""

    kind: str
    value: float | Relocation | None = None
    table: Relocation | None = None  # whose address a load is to add
    local: tuple[int, int] | None = None  # it is what this local has since it was set for so many times


def lanes(f: Function, linked: Linked) -> Code:
    """The code of a function for a vector of numbers: a block, which the tests leave, and after it one by one."""
    shape = F64X2 if F64 in f.params else F32X4
    if not has_lanes(f.name):
        c = Code(len(f.params))
        _one_by_one(f, linked, c, shape)
        return c
    if f.name in FORMS:
        c = Code(1)
        c("block", EMPTY)
        c.emit(FORMS[f.name](Writer(c, linked), Vector(LOCAL_GET[0], shape)).code)
    else:
        writer = _Writer(f, linked)
        c = writer.c
        c("block", EMPTY)
        writer.way()
    c("return")
    c("end")
    _one_by_one(f, linked, c, shape)
    return c


def _one_by_one(f: Function, linked: Linked, c: Code, shape: Shape) -> None:
    for lane in range(shape.lanes):
        for k in range(len(f.params)):
            c.get(k)
            c(f"{shape.floats}.extract_lane", lane)
        c("call", linked.index[f.name])
        c(f"{shape.floats}.replace_lane", lane) if lane else c(f"{shape.floats}.splat")


class _Writer:
    """Writes the way of ordinary arguments through a function, instruction by instruction."""

    def __init__(self, f: Function, linked: Linked) -> None:
        assert (*f.params, *f.results) == (F64,) * (len(f.params) + 1), f.name
        self.f, self.linked, self.seen = f, linked, branches(f.name)
        types, self.code = decode(f, library().opcodes)
        self.c = Code(len(f.params))
        self.kinds = [_KINDS[t] for t in (*f.params, *types)]
        self.locals = [self.c.local(V128) for _ in self.kinds]  # parameters stay, for the function for one number
        self.times = [0] * len(self.kinds)  # that a local was set
        self.stack: list[_Entry] = []
        self.rows: dict[tuple[str, int, tuple[int, int]], tuple[int, int]] = {}
        self.compared = 0, 0, ""  # the last comparison: where it begins and ends, and which it is

    def way(self) -> None:
        """Write the instructions from the first to the one that returns."""
        for k in range(len(self.f.params)):
            self.c.get(k)
            self.c.set(self.locals[k])
        at, last = 0, len(self.code) - 1
        inside = [last]  # the ends of the blocks around, and of the function
        while at < last and self.code[at].mnemonic != "return":
            name, immediates = self.code[at]
            if name == "block":
                inside.append(self.end_of(at))
            elif name == "end":
                inside.pop()
            elif name == "br" or (name == "br_if" and self.branches(at)):
                depth = immediates[0]
                assert isinstance(depth, int)
                at = inside[-1 - depth]
                inside = [x for x in inside if x > at]
            elif name != "br_if":
                self.instruction(at, self.code[at])
            at += 1
        self.flush()

    def end_of(self, at: int) -> int:
        """Where the `end` of a block is."""
        depth = 1
        while depth:
            at += 1
            depth += (self.code[at].mnemonic in ("block", "loop")) - (self.code[at].mnemonic == "end")
        return at

    def branches(self, at: int) -> bool:
        """True if ordinary arguments branch here; write the test that both lanes do as they do."""
        (branches,) = {bool(x) for x in self.seen[self.f.name, at]}
        self.flush()
        if ENOUGH.get((self.f.name, at)) == "":
            self.c("drop")
            self.stack.pop()
            return branches
        if self.stack[-1].kind != _MASK:
            self.stack.append(_Entry(_I32, 0))
            self.operation("i32.ne")
        self.stack.pop()
        start, end, name = self.compared
        assert end == len(self.c.body), name
        wanted = ENOUGH.get((self.f.name, at), name)
        del self.c.body[start:]
        self.c.emit(_OF_TWO[_OPPOSITES[wanted] if branches else wanted][0])
        self.c("v128.any_true")
        self.c("br_if", 0)
        return branches

    # instructions

    def instruction(self, at: int, i: Instruction) -> None:
        """Write an instruction."""
        name, immediates = i
        kind, _, what = name.partition(".")
        if name in _OF_TWO:
            self.operation(name)
        elif name in _OF_ONE:
            code, after = _OF_ONE[name]
            self.flush()
            self.c.emit(code)
            self.stack[-1] = _Entry(after)
        elif name in _SHIFTS:
            self.shift(kind, _SHIFTS[name])
        elif name == "i64.shr_s":
            assert self.code[at + 1].mnemonic == "i32.wrap_i64"
            self.shift_upper()
        elif what == "const":
            self.stack.append(_Entry(kind, immediates[0]))
        elif what == "load":
            self.load(kind, immediates[1])
        else:
            _INSTRUCTIONS[name](self, *immediates)

    def flush(self) -> None:
        """Write the literals on the stack."""
        for k, e in enumerate(self.stack):
            if e.value is not None:
                assert not isinstance(e.value, Relocation)
                self.c.emit(_constant(e.kind, e.value))
                self.stack[k] = _Entry(e.kind)

    def literal(self) -> float | Relocation:
        """The last entry, which is a literal; what is below it is written."""
        x = self.stack.pop().value
        assert x is not None
        self.flush()
        return x

    def operation(self, name: str) -> None:
        """An operation with two operands."""
        code, kind = _OF_TWO[name]
        if name == "i32.add" and isinstance(self.stack[-1].value, Relocation):
            table = self.stack.pop().value
            assert isinstance(table, Relocation)
            self.stack[-1] = self.stack[-1]._replace(table=table)
            return
        self.flush()
        y, x = self.stack.pop(), self.stack.pop()
        assert x.kind == y.kind and x.kind != _MASK, name
        start = len(self.c.body)
        self.c.emit(code)
        self.compared = start, len(self.c.body), name
        self.stack.append(_Entry(kind))

    def more(self) -> None:
        """`i64.gt_u`: vectors are compared as numbers with signs, so both are moved by half of the range."""
        y = self.literal()
        assert isinstance(y, int)
        self.c.emit(_constant(_I64, _HALF))
        self.c("v128.xor")
        self.stack.append(_Entry(_I64, y ^ _HALF))
        self.operation("i64.gt_s")

    def shift(self, kind: str, mnemonic: str) -> None:
        self.c("i32.const", self.shifted_by())
        self.c(mnemonic)
        self.stack[-1] = _Entry(kind)

    def shift_upper(self) -> None:
        """`i64.shr_s` of which the lower half is enough: a shift of the upper half. Machines have no other."""
        self.c("i32.const", self.shifted_by() - 32)
        self.c("i32x4.shr_s")
        self.c.emit(_shuffle(1, 1, 3, 3))
        self.stack[-1] = _Entry(_I64)

    def shifted_by(self) -> int:
        x = self.literal()
        assert isinstance(x, int)
        return x

    def load(self, kind: str, offset: int | float | Relocation) -> None:
        """A number of a table: one that is known, or one for each lane, which lies beside another."""
        e = self.stack.pop()
        if isinstance(offset, Relocation):
            assert e.value == 0 and kind == _F64
            raw = library().data[offset.target].content[offset.addend : offset.addend + 8]
            self.stack.append(_Entry(kind, struct.unpack("<d", raw)[0]))
            return
        assert e.table is not None and e.local is not None and not offset
        row, odd = divmod(e.table.addend, 16)
        self.c("drop")
        for k in self.row(e.table.target, row, e.local):
            self.c.get(k)
        self.c("i8x16.shuffle", odd // 8, 2 + odd // 8)
        self.stack.append(_Entry(kind))

    def row(self, table: str, row: int, local: tuple[int, int]) -> tuple[int, int]:
        """The locals of two numbers of a table, for the first lane and for the second."""
        key = table, row, local
        if key not in self.rows:
            self.rows[key] = self.c.local(V128), self.c.local(V128)
            for lane, k in enumerate(self.rows[key]):
                self.c.get(self.locals[local[0]])
                self.c("i32x4.extract_lane", 2 * lane)
                self.c("v128.load", self.linked.address[table] + 16 * row)
                self.c.set(k)
        return self.rows[key]

    def get(self, k: int) -> None:
        self.flush()
        self.c.get(self.locals[k])
        self.stack.append(_Entry(self.kinds[k], local=(k, self.times[k])))

    def set(self, k: int) -> None:
        self.kept(k)
        self.c.set(self.locals[k])

    def tee(self, k: int) -> None:
        self.kept(k)
        self.c.tee(self.locals[k])
        self.stack.append(_Entry(self.kinds[k], local=(k, self.times[k])))

    def kept(self, k: int) -> None:
        """The last entry goes into a local."""
        self.flush()
        assert self.stack.pop().kind == self.kinds[k]
        self.times[k] += 1


_INSTRUCTIONS: dict[str, Callable[..., None]] = {
    "local.get": _Writer.get, "local.set": _Writer.set, "local.tee": _Writer.tee, "i64.gt_u": _Writer.more,
}  # fmt: skip
