"""The assembler: templates of instructions to code, with loads and stores of every type."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Protocol, TypeVar

from rose.ir import Value
from rose.ir.sizes import Size
from rose.ir.types import Bool, Four, Mask, Pair, Real, Single, Tan, Type

from ..abi.layout import align, size, wasm_type
from ..abi.signature import FAILED, Stop
from ..binary.encoder import F32, F64, I32, OPCODES, PAGE, Body, Code
from . import costs
from .locations import Mem

_COUNTS: dict[Type, int] = {Pair: 2, Four: 4}  # the numbers of a vector
_LOADS: dict[Type, str] = {
    Bool: "i32.load8_u", Real: "f64.load", Tan: "f64.load", Single: "f32.load",
    Pair: "v128.load", Four: "v128.load", Mask: "v128.load",
}  # fmt: skip
_STORES: dict[Type, str] = {
    Bool: "i32.store8", Real: "f64.store", Tan: "f64.store", Single: "f32.store",
    Pair: "v128.store", Four: "v128.store", Mask: "v128.store",
}  # fmt: skip
_ADDS: dict[Type, str] = {Real: "f64.add", Tan: "f64.add", Single: "f32.add", Pair: "f64x2.add", Four: "f32x4.add"}


@cache
def pieces(n: int | Size, single: bool, vectors: bool = False) -> tuple[tuple[int, str], ...]:
    """The offset and the type of each load or store that moves so many bytes, where few do; else nothing.

    What is read as vectors of several numbers is moved as such: a processor waits where two stores are one load.
    """
    if isinstance(n, Size):
        return ()
    if vectors:
        return tuple([(k, "v128") for k in range(0, n, 16)]) if n <= 2 * costs.COPIED_BYTES and not n % 16 else ()
    half = single and n % 8 == 4
    if n > costs.COPIED_BYTES or (n % 8 and not half):
        return ()
    return (*[(k, "i64" if single else "f64") for k in range(0, n - 7, 8)], *[(n - 4, "i32")] * half)


class Assembler(Code):
    """The body of a function, with short sequences for loads, stores and addresses."""

    __slots__ = ("global_of", "single")

    def __init__(self, params: int, single: bool, global_of: Callable[..., int] | None = None) -> None:
        super().__init__(params)
        self.single = single  # the module is: nothing of it has 64 bits but what is moved
        self.global_of = global_of  # the global that has a size

    def stop(self, stop: Stop) -> None:
        """Let a runtime put a test in here."""
        self.body.stops.append((len(self.body), stop))

    @contextmanager
    def aside(self, body: Body) -> Generator[None]:
        """Inside, what is written goes into another body."""
        outer, self.body = self.body, body
        yield
        self.body = outer

    def size(self, x: int | Size) -> None:
        """Put a number of bytes, or of elements, on the stack."""
        if isinstance(x, Size):
            assert self.global_of is not None, x
            self("global.get", self.global_of(x))
        else:
            self.i32_const(x)

    def constant(self, t: Type, x: float | Size) -> None:
        kind = wasm_type(t)
        if isinstance(x, Size):
            assert self.global_of is not None, x
            self("global.get", self.global_of(x, count=False))
        elif kind == F64:
            self.f64_const(x)
        elif t is Mask:
            self.emit(OPCODES["v128.const"][0] + (b"\xff" if x else b"\0") * 16)
        elif t in _COUNTS:
            self("v128.const", *[x] * _COUNTS[t])
        elif kind == F32:
            self("f32.const", x)
        else:
            self.i32_const(int(x))

    def base(self, at: Mem) -> None:
        """Put the base of an address on the stack: its offset goes into the instruction."""
        if not self.beginning(at):
            self.i32_const(0)

    def beginning(self, at: Mem) -> bool:
        """Put the base on the stack, if there is one."""
        if at.base is not None:
            self.get(at.base)
        if at.more is not None:
            self.size(at.more)
            if at.base is not None:
                self("i32.add")
        return at.base is not None or at.more is not None

    def address(self, at: Mem) -> None:
        if not self.beginning(at):
            self.i32_const(at.offset)
        elif at.offset:
            self.i32_const(at.offset)
            self("i32.add")

    def load(self, t: Type, at: Mem) -> None:
        self.base(at)
        self.load_from(t, at)

    def load_from(self, t: Type, at: Mem) -> None:
        """Load from a base that is on the stack."""
        self(_LOADS.get(t, "i32.load"), at.offset)

    def write(self, t: Type, at: Mem) -> None:
        """Store the number on the stack; below it is the base."""
        self(_STORES.get(t, "i32.store"), at.offset)

    def add(self, t: Type) -> None:
        """Add the two numbers on the stack."""
        self(_ADDS[t])

    def fail(self, why: int, *, in_local: bool = False) -> None:
        """Say which failure it is, by its number or by the local that has it, and trap."""
        self.i32_const(0)
        (self.get if in_local else self.i32_const)(why)
        self("i32.store", FAILED)
        self("unreachable")

    def if_missing(self) -> int:
        """Begin what is done if memory ends before the address on the stack: the local of how many pages it lacks."""
        missing = self.local(I32)
        self.i32_const(PAGE.bit_length() - 1)
        self("i32.shr_u")
        self.i32_const(1)
        self("i32.add")
        self("memory.size")
        self("i32.sub")
        self.tee(missing)
        self.i32_const(0)
        self("i32.gt_s")
        self("if")
        return missing

    def grow(self, pages: int) -> None:
        """Ask for so many pages, and begin what is done if they are not to be had."""
        self.get(pages)
        self("memory.grow")
        self.i32_const(-1)
        self("i32.eq")
        self("if")

    def copy(self, t: Type, at: Mem, to: Mem) -> None:
        steps = pieces(size(t), self.single, align(t) == 16)
        for k, kind in steps:
            self.base(to)
            self.base(at)
            self(f"{kind}.load", at.offset + k)
            self(f"{kind}.store", to.offset + k)
        if not t.empty and not steps:
            self.address(to)
            self.address(at)
            self.size(size(t))
            self("memory.copy")

    def clear(self, t: Type, to: Mem) -> None:
        steps = pieces(size(t), self.single, align(t) == 16)
        for k, kind in steps:
            self.base(to)
            self(f"{kind}.const", *[0] * (2 if kind == "v128" else 1))
            self(f"{kind}.store", to.offset + k)
        if not t.empty and not steps:
            self.address(to)
            self.i32_const(0)
            self.size(size(t))
            self("memory.fill")


class Writing(Protocol):
    """What writes the code of values into an assembler."""

    @property
    def c(self) -> Assembler: ...


W = TypeVar("W", bound=Writing)


def noted(write: Callable[[W, Value], None]) -> Callable[[W, Value], None]:
    """The method `write` of a value, which notes the `Loc` of the value on its code: see `debug_info.py`."""

    @wraps(write)
    def writing(self: W, v: Value, /) -> None:
        body = self.c.body
        notes, start = body.notes, len(body)
        write(self, v)
        notes.starts.append(start)  # as `add` does: each instruction comes through here
        notes.ends.append(len(body))
        notes.texts.append(v.loc)

    return writing
