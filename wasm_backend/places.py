"""Where values are while a function runs: in locals, in memory, or nowhere, since they are literals."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from rose.types import Bool, Real, Single, Tan, Type

from .abi import FAILED
from .encode import F32, F64, I32, Code
from .layout import align, size

INLINE = 64  # bytes that are copied or cleared by single instructions


class Mem(NamedTuple):
    """An address: the local that holds the base (None: 0), and an offset."""

    base: int | None
    offset: int

    def at(self, n: int) -> Mem:
        return Mem(self.base, self.offset + n)


class Literal(NamedTuple):
    """A number that is written where it is read."""

    type: Type
    value: float


Place = int | Mem | Literal  # an int is a local


class Frame:
    """The memory of one function, as it grows."""

    def __init__(self, bottom: int) -> None:
        self.top = bottom

    def reserve(self, t: Type) -> int:
        """The address of a new `t`."""
        to = max(align(t), 8)
        at = -(-self.top // to) * to
        self.top = at + size(t)
        return at


def wasm_type(t: Type) -> int:
    """The type of the local that holds a scalar, or the address of an aggregate."""
    return _NUMBERS.get(t, I32)


_NUMBERS: dict[Type, int] = {Real: F64, Tan: F64, Single: F32}
_LOADS: dict[Type, str] = {Bool: "i32.load8_u", Real: "f64.load", Tan: "f64.load", Single: "f32.load"}
_STORES: dict[Type, str] = {Bool: "i32.store8", Real: "f64.store", Tan: "f64.store", Single: "f32.store"}
_ADDS: dict[Type, str] = {Real: "f64.add", Tan: "f64.add", Single: "f32.add"}


@cache
def pieces(t: Type, single: bool) -> tuple[tuple[int, str], ...]:
    """The offset and the type of each load or store that moves a `t`, where few do; else nothing."""
    n = size(t)
    half = single and n % 8 == 4
    if n > INLINE or (n % 8 and not half):
        return ()
    return (*[(k, "i64" if single else "f64") for k in range(0, n - 7, 8)], *[(n - 4, "i32")] * half)


class Assembler(Code):
    """The body of a function, with the steps that reading and writing memory is made of."""

    __slots__ = ("single",)

    def __init__(self, params: int, single: bool) -> None:
        super().__init__(params)
        self.single = single  # the module is: nothing of it has 64 bits but what is moved

    def constant(self, t: Type, x: float) -> None:
        kind = wasm_type(t)
        if kind == F64:
            self.f64_const(x)
        elif kind == F32:
            self("f32.const", x)
        else:
            self.i32_const(int(x))

    def base(self, at: Mem) -> None:
        """Put the base of an address on the stack: its offset goes into the instruction."""
        if at.base is None:
            self.i32_const(0)
        else:
            self.get(at.base)

    def address(self, at: Mem) -> None:
        if at.base is None:
            self.i32_const(at.offset)
        else:
            self.get(at.base)
            if at.offset:
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

    def fail(self, why: int) -> None:
        """Say which failure it is, and trap."""
        self.i32_const(0)
        self.i32_const(why)
        self("i32.store", FAILED)
        self("unreachable")

    def copy(self, t: Type, at: Mem, to: Mem) -> None:
        steps = pieces(t, self.single)
        for k, kind in steps:
            self.base(to)
            self.base(at)
            self(f"{kind}.load", at.offset + k)
            self(f"{kind}.store", to.offset + k)
        if size(t) and not steps:
            self.address(to)
            self.address(at)
            self.i32_const(size(t))
            self("memory.copy")

    def clear(self, t: Type, to: Mem) -> None:
        steps = pieces(t, self.single)
        for k, kind in steps:
            self.base(to)
            self(f"{kind}.const", 0)
            self(f"{kind}.store", to.offset + k)
        if size(t) and not steps:
            self.address(to)
            self.i32_const(0)
            self.i32_const(size(t))
            self("memory.fill")
