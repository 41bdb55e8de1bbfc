"""The encoder: instructions, functions and modules as bytes, with the names of the specification.

The body of a function is written front to back into a `Code`, and a `Module` puts the sections around it.
Nothing checks the types on the stack: a validator does, in the tests.

    m, c = Module("example"), Code(params=1)
    square = m.reserve(m.type([F64], [F64]), "square")
    c.get(0), c.get(0), c("f64.mul")
    m.define(square, c)
    m.export("square", FUNC, square)
    wasm = m.finish()
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, groupby

I32, I64, F32, F64, V128 = 0x7F, 0x7E, 0x7D, 0x7C, 0x7B  # value types
EMPTY = 0x40  # the type of a block without a result
FUNC, MEMORY, GLOBAL = 0, 2, 3  # kinds of exports
START, CODE = 8, 10  # the ids of sections
PAGE = 65_536  # bytes

# The limits of engines, from the specification of the JavaScript interface.
MAX_LOCALS = 50_000  # in a function, parameters included
MAX_PARAMS = 1_000
MAX_RESULTS = 1_000
MAX_BODY = 7_654_321  # bytes of a function
MAX_PAGES = 65_536  # of a memory: 4 GiB


# Values

_BYTE = tuple([bytes([n]) for n in range(256)])


def unsigned(n: int) -> bytes:
    """An unsigned integer, in LEB128."""
    if n < 0x80:
        assert n >= 0, n
        return _BYTE[n]
    return _BYTE[n & 0x7F | 0x80] + unsigned(n >> 7)


def signed(n: int) -> bytes:
    """A signed integer, in LEB128."""
    if -0x40 <= n < 0x40:
        return _BYTE[n & 0x7F]
    return _BYTE[n & 0x7F | 0x80] + signed(n >> 7)


def name(s: str) -> bytes:
    """A string: its length, and its UTF-8; half of a surrogate pair, which has none, as an escape."""
    raw = s.encode(errors="backslashreplace")
    return unsigned(len(raw)) + raw


def vector(items: Sequence[bytes]) -> bytes:
    """A vector of the specification: the number of items, and the items."""
    return unsigned(len(items)) + b"".join(items)


def section(id: int, content: bytes) -> bytes:
    """A section or a subsection: its id, its size, and its content."""
    return _BYTE[id] + unsigned(len(content)) + content


# Instructions

# Mnemonic, fixed bytes, kind of the immediates if it has any; two spaces between rows. The fixed bytes
# are the opcode and constant immediates: the natural alignment of a load or store, and memory 0. The table has all
# of WebAssembly 1.0 except `call_indirect`, as we make no tables; then the bulk memory operations, the sign
# extensions and the saturating truncations, which every engine has had for years. Last is SIMD of two numbers and of
# four, whose loads and stores are aligned as numbers are; it ends with relaxed SIMD, which not every engine has.
_TABLE = """
    unreachable 00  nop 01          block 02 t      loop 03 t
    if 04 t         else 05         end 0b          br 0c u
    br_if 0d u      br_table 0e v   return 0f       call 10 u
    drop 1a         select 1b

    local.get 20 u   local.set 21 u   local.tee 22 u   global.get 23 u
    global.set 24 u

    i32.load 2802 u       i64.load 2903 u       f32.load 2a02 u       f64.load 2b03 u
    i32.load8_s 2c00 u    i32.load8_u 2d00 u    i32.load16_s 2e01 u   i32.load16_u 2f01 u
    i64.load8_s 3000 u    i64.load8_u 3100 u    i64.load16_s 3201 u   i64.load16_u 3301 u
    i64.load32_s 3402 u   i64.load32_u 3502 u
    i32.store 3602 u      i64.store 3703 u      f32.store 3802 u      f64.store 3903 u
    i32.store8 3a00 u     i32.store16 3b01 u    i64.store8 3c00 u     i64.store16 3d01 u
    i64.store32 3e02 u
    memory.size 3f00      memory.grow 4000      memory.copy fc0a0000  memory.fill fc0b00

    i32.const 41 i32  i64.const 42 i64  f32.const 43 f32  f64.const 44 f64

    i32.eqz 45   i32.eq 46    i32.ne 47    i32.lt_s 48  i32.lt_u 49  i32.gt_s 4a  i32.gt_u 4b
    i32.le_s 4c  i32.le_u 4d  i32.ge_s 4e  i32.ge_u 4f
    i64.eqz 50   i64.eq 51    i64.ne 52    i64.lt_s 53  i64.lt_u 54  i64.gt_s 55  i64.gt_u 56
    i64.le_s 57  i64.le_u 58  i64.ge_s 59  i64.ge_u 5a
    f32.eq 5b    f32.ne 5c    f32.lt 5d    f32.gt 5e    f32.le 5f    f32.ge 60
    f64.eq 61    f64.ne 62    f64.lt 63    f64.gt 64    f64.le 65    f64.ge 66

    i32.clz 67    i32.ctz 68    i32.popcnt 69  i32.add 6a    i32.sub 6b    i32.mul 6c      i32.div_s 6d
    i32.div_u 6e  i32.rem_s 6f  i32.rem_u 70   i32.and 71    i32.or 72     i32.xor 73      i32.shl 74
    i32.shr_s 75  i32.shr_u 76  i32.rotl 77    i32.rotr 78
    i64.clz 79    i64.ctz 7a    i64.popcnt 7b  i64.add 7c    i64.sub 7d    i64.mul 7e      i64.div_s 7f
    i64.div_u 80  i64.rem_s 81  i64.rem_u 82   i64.and 83    i64.or 84     i64.xor 85      i64.shl 86
    i64.shr_s 87  i64.shr_u 88  i64.rotl 89    i64.rotr 8a
    f32.abs 8b    f32.neg 8c    f32.ceil 8d    f32.floor 8e  f32.trunc 8f  f32.nearest 90  f32.sqrt 91
    f32.add 92    f32.sub 93    f32.mul 94     f32.div 95    f32.min 96    f32.max 97      f32.copysign 98
    f64.abs 99    f64.neg 9a    f64.ceil 9b    f64.floor 9c  f64.trunc 9d  f64.nearest 9e  f64.sqrt 9f
    f64.add a0    f64.sub a1    f64.mul a2     f64.div a3    f64.min a4    f64.max a5      f64.copysign a6

    i32.wrap_i64 a7           i32.trunc_f32_s a8        i32.trunc_f32_u a9        i32.trunc_f64_s aa
    i32.trunc_f64_u ab        i64.extend_i32_s ac       i64.extend_i32_u ad       i64.trunc_f32_s ae
    i64.trunc_f32_u af        i64.trunc_f64_s b0        i64.trunc_f64_u b1        f32.convert_i32_s b2
    f32.convert_i32_u b3      f32.convert_i64_s b4      f32.convert_i64_u b5      f32.demote_f64 b6
    f64.convert_i32_s b7      f64.convert_i32_u b8      f64.convert_i64_s b9      f64.convert_i64_u ba
    f64.promote_f32 bb        i32.reinterpret_f32 bc    i64.reinterpret_f64 bd    f32.reinterpret_i32 be
    f64.reinterpret_i64 bf
    i32.extend8_s c0          i32.extend16_s c1         i64.extend8_s c2          i64.extend16_s c3
    i64.extend32_s c4
    i32.trunc_sat_f32_s fc00  i32.trunc_sat_f32_u fc01  i32.trunc_sat_f64_s fc02  i32.trunc_sat_f64_u fc03
    i64.trunc_sat_f32_s fc04  i64.trunc_sat_f32_u fc05  i64.trunc_sat_f64_s fc06  i64.trunc_sat_f64_u fc07

    v128.load fd0003 u          v128.store fd0b03 u           v128.store32_lane fd5a02 ul  v128.store64_lane fd5b03 ul
    v128.const fd0c v128        i8x16.shuffle fd0d lanes      i64x2.splat fd12          f64x2.splat fd14
    i32x4.extract_lane fd1b l   i64x2.extract_lane fd1d l     i64x2.replace_lane fd1e l
    f64x2.extract_lane fd21 l   f64x2.replace_lane fd22 l
    i32x4.eq fd37               i32x4.ne fd38                 i32x4.lt_s fd39           i32x4.lt_u fd3a
    i32x4.gt_u fd3c             i32x4.le_u fd3e               i32x4.ge_s fd3f           i32x4.ge_u fd40
    f64x2.eq fd47               f64x2.ne fd48                 f64x2.lt fd49             f64x2.le fd4b
    v128.not fd4d               v128.and fd4e                 v128.or fd50              v128.xor fd51
    v128.bitselect fd52         v128.any_true fd53
    f64x2.ceil fd74             f64x2.floor fd75              f64x2.trunc fd7a          f64x2.nearest fd9401
    i32x4.shr_s fdac01          i32x4.shr_u fdad01            i64x2.shl fdcb01          i64x2.shr_u fdcd01
    i64x2.add fdce01            i64x2.sub fdd101              i64x2.ne fdd701           i64x2.lt_s fdd801
    i64x2.gt_s fdd901           i64x2.le_s fdda01             i64x2.ge_s fddb01
    f64x2.abs fdec01            f64x2.neg fded01              f64x2.sqrt fdef01         f64x2.add fdf001
    f64x2.sub fdf101            f64x2.mul fdf201              f64x2.div fdf301          f64x2.min fdf401
    f64x2.max fdf501            f64x2.convert_low_i32x4_s fdfe01
    f32x4.splat fd13            f32x4.extract_lane fd1f l     f32x4.replace_lane fd20 l  i32x4.splat fd11
    i32x4.replace_lane fd1c l   f32x4.eq fd41                 f32x4.ne fd42              f32x4.lt fd43
    f32x4.le fd45               f32x4.ceil fd67               f32x4.floor fd68           f32x4.trunc fd69
    f32x4.nearest fd6a          f32x4.abs fde001              f32x4.neg fde101           f32x4.sqrt fde301
    f32x4.add fde401            f32x4.sub fde501              f32x4.mul fde601           f32x4.div fde701
    f32x4.min fde801            f32x4.max fde901
    i32x4.neg fda101            i32x4.add fdae01              i32x4.sub fdb101           i32x4.mul fdb501
    i32x4.shl fdab01            v128.andnot fd4f              i32x4.trunc_sat_f32x4_s fdf801
    f32x4.convert_i32x4_s fdfa01
    f32x4.demote_f64x2_zero fd5e                              f64x2.promote_low_f32x4 fd5f
    f32x4.convert_i32x4_u fdfb01                              i64x2.neg fdc101
    f32x4.relaxed_madd fd8502   f32x4.relaxed_nmadd fd8602
    f64x2.relaxed_madd fd8702   f64x2.relaxed_nmadd fd8802
"""


def _block_type(type: int = EMPTY) -> bytes:
    return _BYTE[type]


def _labels(*labels: int) -> bytes:
    """The labels of a `br_table`; the last is its default."""
    return unsigned(len(labels) - 1) + b"".join(map(unsigned, labels))


def _i32(n: int) -> bytes:
    """A 32-bit integer; an address from 2**31 on wraps to a negative one."""
    assert -(2**31) <= n < 2**32, n
    return signed(n if n < 2**31 else n - 2**32)


def _i64(n: int) -> bytes:
    assert -(2**63) <= n < 2**64, n
    return signed(n if n < 2**63 else n - 2**64)


def _lane(lane: int) -> bytes:
    return _BYTE[lane]


def _access(offset: int, lane: int) -> bytes:
    return unsigned(offset) + _BYTE[lane]


def _lanes(*lanes: int) -> bytes:
    """The byte indices of an `i8x16.shuffle` that takes two of the four numbers in two vectors, or four of eight."""
    width = 16 // len(lanes)
    return bytes([width * lane + k for lane in lanes for k in range(width)])


def _v128(*numbers: float) -> bytes:
    return struct.pack("<dd" if len(numbers) == 2 else "<ffff", *numbers)


_f32, _f64 = struct.Struct("<f").pack, struct.Struct("<d").pack

Immediates = Callable[..., bytes]
_KINDS: dict[str, Immediates] = {
    "u": unsigned, "i32": _i32, "i64": _i64, "f32": _f32, "f64": _f64, "t": _block_type, "v": _labels,
    "l": _lane, "ul": _access, "lanes": _lanes, "v128": _v128,
}  # fmt: skip


def _opcodes() -> dict[str, tuple[bytes, Immediates | None]]:
    rows: dict[str, tuple[bytes, Immediates | None]] = {}
    for row in re.split(r"\s{2,}", _TABLE.strip()):
        mnemonic, fixed, *kind = row.split(" ")
        rows[mnemonic] = bytes.fromhex(fixed), _KINDS[kind[0]] if kind else None
    return rows


# mnemonic -> its fixed bytes, and the encoder of its immediates, if it has any
OPCODES = _opcodes()


def instruction(mnemonic: str, *immediates: float) -> bytes:
    """The bytes of one instruction, for `Code.emit`."""
    fixed, encode = OPCODES[mnemonic]
    if encode is not None:
        return fixed + encode(*immediates)
    assert not immediates, mnemonic
    return fixed


class _Indexed(dict[int, bytes]):
    """index -> the encoded instruction with this immediate, memoised."""

    def __init__(self, mnemonic: str) -> None:
        super().__init__()
        self.mnemonic = mnemonic

    def __missing__(self, index: int) -> bytes:
        made = self[index] = instruction(self.mnemonic, index)
        return made


LOCAL_GET, LOCAL_SET, _TEE = _Indexed("local.get"), _Indexed("local.set"), _Indexed("local.tee")
_I32_CONST, _F64_CONST = OPCODES["i32.const"][0], OPCODES["f64.const"][0]
_F64_LOAD, _F64_STORE = OPCODES["f64.load"][0], OPCODES["f64.store"][0]
_END = OPCODES["end"][0]
_CONST = {I32: "i32.const", I64: "i64.const", F32: "f32.const", F64: "f64.const"}


Mark = tuple[int, object]  # an offset, and the note on the instruction there


class Notes:
    """The notes on instructions, such as their origins: each on a span. Of nested spans the inner one is first."""

    __slots__ = ("ends", "starts", "texts")

    def __init__(self) -> None:
        self.starts, self.ends, self.texts = array("I"), array("I"), list[object]()

    def add(self, start: int, end: int, text: object) -> None:
        """Note something on the instructions from `start` to `end`."""
        self.starts.append(start)
        self.ends.append(end)
        self.texts.append(text)

    def take(self, other: Notes, at: int) -> None:
        """Take over the notes on instructions that come to lie at an offset."""
        self.starts.extend([at + k for k in other.starts])
        self.ends.extend([at + k for k in other.ends])
        self.texts += other.texts


class Body(bytearray):
    """Encoded instructions, with notes on them."""

    def __init__(self) -> None:
        super().__init__()
        self.notes = Notes()
        self.stops: list[Mark] = []  # where instructions may be put in: see `codegen/stops.py`


_NONE = Notes()


class Code:
    """The body of a function, while it is being written.

    `code("f64.load", 8)` writes any instruction; the methods write the most frequent ones faster.
    `params` is the number of parameters; the other locals are numbered after them.
    """

    __slots__ = ("body", "locals", "params")

    def __init__(self, params: int) -> None:
        self.params = params
        self.locals: list[int] = []  # the type of each local that is not a parameter
        self.body = Body()

    def local(self, type: int) -> int:
        """The index of a new local of a type."""
        self.locals.append(type)
        return self.params + len(self.locals) - 1

    def __call__(self, mnemonic: str, *immediates: float) -> None:
        fixed, encode = OPCODES[mnemonic]
        if encode is not None:
            self.body += fixed + encode(*immediates)
        else:
            assert not immediates, mnemonic
            self.body += fixed

    def emit(self, encoded: bytes) -> None:
        """Write encoded instructions."""
        self.body += encoded

    def splice(self, body: Body) -> None:
        """Append another body, with its notes."""
        start = len(self.body)
        self.body.notes.take(body.notes, start)
        self.body.stops += [(start + at, note) for at, note in body.stops]
        self.body += body

    def get(self, local: int) -> None:
        """Write `local.get`."""
        self.body += LOCAL_GET[local]

    def set(self, local: int) -> None:
        """Write `local.set`."""
        self.body += LOCAL_SET[local]

    def tee(self, local: int) -> None:
        """Write `local.tee`."""
        self.body += _TEE[local]

    def i32_const(self, n: int) -> None:
        """Write `i32.const`."""
        self.body += _I32_CONST + _i32(n)

    def f64_const(self, x: float) -> None:
        """Write `f64.const`."""
        self.body += _F64_CONST + _f64(x)

    def f64_load(self, offset: int) -> None:
        """Write `f64.load`."""
        self.body += _F64_LOAD + unsigned(offset)

    def f64_store(self, offset: int) -> None:
        """Write `f64.store`."""
        self.body += _F64_STORE + unsigned(offset)

    def finish(self) -> bytes:
        """The entry of the code section: size, locals, body and the last `end`."""
        assert self.params + len(self.locals) <= MAX_LOCALS, len(self.locals)
        groups = [unsigned(len(list(run))) + _BYTE[type] for type, run in groupby(self.locals)]
        body = vector(groups) + self.body + _END
        assert len(body) <= MAX_BODY, len(body)
        return unsigned(len(body)) + body


class Module:
    """A module, while it is being put together.

    Functions are numbered, imports first, and may be called before they are defined. The name of a
    function is for debuggers and profilers; "" leaves it without one.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._types: dict[bytes, int] = {}
        self._imports: list[bytes] = []
        self._functions: list[int] = []  # the type of each that is not an import
        self._codes: list[bytes | None] = []
        self._notes: list[
            tuple[int, Notes]
        ] = []  # the notes on each code, and how many bytes of it come before the body
        self._stops: list[list[Mark]] = []  # with offsets from its start
        self._names: list[str] = []  # of all functions
        self._memory = b""
        self._globals: list[bytes] = []
        self._exports: dict[str, bytes] = {}
        self._start: list[bytes] = []
        self._data: list[bytes] = []

    def type(self, params: Iterable[int], results: Iterable[int]) -> int:
        """The index of a function type; equal types have one index."""
        xs, ys = bytes(params), bytes(results)
        assert len(xs) <= MAX_PARAMS and len(ys) <= MAX_RESULTS, (len(xs), len(ys))
        key = b"\x60" + unsigned(len(xs)) + xs + unsigned(len(ys)) + ys
        return self._types.setdefault(key, len(self._types))

    def import_func(self, module: str, field: str, type: int) -> int:
        """The index of an imported function, which is named after its field."""
        assert not self._functions, "imports come first"
        self._imports.append(name(module) + name(field) + _BYTE[FUNC] + unsigned(type))
        self._names.append(field)
        return len(self._imports) - 1

    def reserve(self, type: int, name: str = "") -> int:
        """The index of a function, which must be defined before `finish`."""
        self._functions.append(type)
        self._codes.append(None)
        self._notes.append((0, _NONE))
        self._stops.append([])
        self._names.append(name)
        return len(self._names) - 1

    def define(self, index: int, code: Code | bytes) -> None:
        """Give a reserved function its body: a `Code`, or what one's `finish` gave."""
        k = index - len(self._imports)
        assert k >= 0 and self._codes[k] is None, f"function {index} {self._names[index]} is defined already"
        if isinstance(code, Code):
            made = self._codes[k] = code.finish()
            start = len(made) - len(_END) - len(code.body)
            self._notes[k] = start, code.body.notes
            self._stops[k] = [(start + at, what) for at, what in code.body.stops]
        else:
            self._codes[k] = code

    def memory(self, pages: int, max: int | None = None) -> None:
        """The one memory: its pages at the start, and how far it may grow."""
        assert pages <= (MAX_PAGES if max is None else max) <= MAX_PAGES, (pages, max)
        self._memory = _BYTE[0] + unsigned(pages) if max is None else _BYTE[1] + unsigned(pages) + unsigned(max)

    def global_(self, type: int, mutable: bool, init: float) -> int:
        """The index of a new global."""
        self._globals.append(bytes([type, mutable]) + instruction(_CONST[type], init) + _END)
        return len(self._globals) - 1

    def export(self, field: str, kind: int, index: int) -> None:
        """Export a `FUNC`, `MEMORY` or `GLOBAL` under a name."""
        assert field not in self._exports, field
        self._exports[field] = name(field) + _BYTE[kind] + unsigned(index)

    def start(self, index: int) -> None:
        """The function with which the module begins."""
        self._start = [unsigned(index)]

    def data(self, offset: int, content: bytes) -> None:
        """Add a data segment: these bytes are in memory at `offset` when the module starts."""
        self._data.append(_BYTE[0] + instruction("i32.const", offset) + _END + unsigned(len(content)) + content)

    def finish(self) -> bytes:
        """The bytes of the module, without a data count section, as no instruction refers to a segment."""
        return b"\0asm\1\0\0\0" + b"".join([section(id, x) for id, x in self._sections()]) + self._name_section()

    def notes(self) -> list[tuple[int, Notes]]:
        """The notes on the body of each function, and the offset of that body in the finished module."""
        return [(at + k, notes) for at, (k, notes) in zip(self._starts(), self._notes, strict=True)]

    def stops(self) -> list[Mark]:
        """The stops, by offsets in the finished module."""
        return [(at + k, note) for at, stops in zip(self._starts(), self._stops, strict=True) for k, note in stops]

    def _starts(self) -> list[int]:
        """The offset of each code in the finished module."""
        at, sizes = 8, [len(c) for c in self._codes if c is not None]
        for id, content in self._sections():
            at += len(section(id, content))
            if id == CODE:
                return [*accumulate(sizes[:-1], initial=at - sum(sizes))]
        return []

    def _sections(self) -> list[tuple[int, bytes]]:
        """The sections that are not empty, in order, except the name section."""
        codes = [c for c in self._codes if c is not None]
        assert len(codes) == len(self._codes), f"reserved function {self._codes.index(None)} is not defined"
        sections: list[tuple[int, Sequence[bytes]]] = [
            (1, list(self._types)), (2, self._imports), (3, [unsigned(t) for t in self._functions]),
            (5, [self._memory] if self._memory else []), (6, self._globals), (7, list(self._exports.values())),
            (CODE, codes), (11, self._data),
        ]  # fmt: skip
        found = [(id, vector(items)) for id, items in sections if items]
        return sorted([*found, *[(START, index) for index in self._start]])

    def _name_section(self) -> bytes:
        functions = [unsigned(k) + name(s) for k, s in enumerate(self._names) if s]
        content = section(0, name(self._name)) if self._name else b""
        if functions:
            content += section(1, vector(functions))
        return section(0, name("name") + content) if content else b""
