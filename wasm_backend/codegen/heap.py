"""The heap, for the items of stacks: a bump allocator, whose memory is given back when the next call begins.

A node of a stack is two words, and then a `Tuple(item, stack below)` as in memory. The first word is 0; or the node
is the sum of two stacks, which the two words point to, until somebody wants its top: then it becomes a plain one.
The empty stack is address 0, and its top is a node of zeros.
"""

from __future__ import annotations

from typing import Protocol

from rose.errors import Loc
from rose.host.effects import Failure, exhausted
from rose.ir.sizes import Size, plus, rounded_up
from rose.ir.types import Stack, Tuple, Type, Vec, tuple_of

from ..abi.layout import offsets, size
from ..abi.signature import LARGEST
from ..binary.encoder import I32, Module
from .assembler import Assembler
from .dynamic_sizes import DynamicSizes
from .locations import Mem

HEADER = 8


def node(t: Stack) -> Tuple:
    """The type of the content of a node, after its two words."""
    return tuple_of(t.elem, t)


def node_size(t: Stack) -> int | Size:
    return plus(HEADER, rounded_up(size(node(t)), 8))


class Program(Protocol):
    """The module, as the heap needs it."""

    module: Module
    zeros: Mem
    single: bool
    sizes: DynamicSizes
    tape_limit: int

    def adder(self) -> int: ...
    def failure(self, why: Failure) -> int: ...


class Heap:
    """The functions with which a module handles stacks, each written when it is first wanted."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._top: int | None = None  # the global that says how far the heap has grown
        self._start = 0  # the global that says where it begins
        self._made: dict[str | Type, int] = {}
        self.adds = False  # whether stacks are added to one another, so that the top of one may be a sum
        self._needs: dict[Type, dict[Size, bool]] = {}  # the sizes that the functions of a stack use

    @property
    def used(self) -> bool:
        return self._top is not None

    def top(self) -> int:
        if self._top is None:
            self._top = self.program.module.global_(I32, True, 0)
            self._start = self.program.module.global_(I32, True, 0)
        return self._top

    def open(self, c: Assembler, at: int | Size) -> None:
        """Let the heap begin, empty, at an address."""
        for k in (self.top(), self._start):
            c.size(rounded_up(at, 8))
            c("global.set", k)

    def why(self, c: Assembler, loc: Loc | None = None) -> None:
        """Put the number of the failure on the stack, for `alloc`, in the loop at this place."""
        c.i32_const(self.program.failure(exhausted(self.program.tape_limit, loc)))

    def _assembler(self, params: int) -> Assembler:
        return Assembler(params, self.program.single, self.program.sizes.get)

    def _define(self, name: str, params: int, key: str | Type | None = None) -> tuple[int, Assembler]:
        module = self.program.module
        index = self._made[key or name] = module.reserve(module.type([I32] * params, [I32]), name)
        return index, self._assembler(params)

    def alloc(self) -> int:
        """The function that gives new memory, which may hold anything: (bytes, failure if there is none) -> address."""
        if "alloc" in self._made:
            return self._made["alloc"]
        index, c = self._define("alloc", 2)
        n, why, at, top = 0, 1, c.local(I32), self.top()
        c("global.get", top)
        c.tee(at)
        c.get(n)
        c("i32.add")
        c("global.set", top)
        # the end of memory at 4 GiB is 0 again: then there are no pages left to be had
        c("global.get", top)
        self._grow(c, c.if_missing(), why)
        c("end")
        c("global.get", top)
        c.get(at)
        c("i32.lt_u")
        c("if")
        c.fail(why, in_local=True)
        c("end")
        c.get(at)
        self.program.module.define(index, c)
        return index

    def _grow(self, c: Assembler, missing: int, why: int) -> None:
        """Grow memory by half, or if that is not to be had, by as much as is missing; unless the limit is reached."""
        c("global.get", self.top())
        c("global.get", self._start)
        c("i32.sub")
        c.i32_const(min(self.program.tape_limit, LARGEST - 1))
        c("i32.gt_u")
        c("if")
        c.fail(why, in_local=True)
        c("end")
        c("memory.size")
        c.i32_const(1)
        c("i32.shr_u")
        c.get(missing)
        c("i32.add")
        c("memory.grow")
        c.i32_const(-1)
        c("i32.eq")
        c("if")
        c.grow(missing)
        c.fail(why, in_local=True)
        c("end")
        c("end")

    def join(self) -> int:
        """The function that adds two stacks: (stack, stack, size of a node) -> stack."""
        if "join" in self._made:
            return self._made["join"]
        alloc = self.alloc()
        index, c = self._define("join", 3)
        s, t, n, at = 0, 1, 2, c.local(I32)
        for one, other in ((s, t), (t, s)):
            c.get(one)
            c("i32.eqz")
            c("if")
            c.get(other)
            c("return")
            c("end")
        c.get(n)
        self.why(c)
        c("call", alloc)
        c.tee(at)
        c.get(t)
        c("i32.store", 0)
        c.get(at)
        c.get(s)
        c("i32.store", 4)
        c.get(at)
        self.program.module.define(index, c)
        return index

    def force(self, t: Stack) -> int:
        """The function that makes the top of a stack a plain node: stack -> address."""
        sizes = self.program.sizes
        if t not in self._made:
            with sizes.using() as self._needs[t]:
                self._define_force(t)
        sizes.use(self._needs[t])
        return self._made[t]

    def _define_force(self, t: Stack) -> None:
        sums = t.numeric and self.adds  # what holds anything else is on no stack that is added to another
        if sums:
            self.join()
        empty = isinstance(node_size(t), Size) and self.alloc()
        index, c = self._define("top", 1, t)
        s = 0
        c.get(s)
        c("i32.eqz")
        c("if")
        if empty:
            c.size(node_size(t))
            self.why(c)
            c("call", empty)
            c.set(s)
            c.clear(node(t), Mem(s, HEADER))
            c.get(s)
        else:
            c.address(self.program.zeros)
        c("return")
        c("end")
        if sums:
            self._add_tops(c, t, index)
        c.get(s)
        self.program.module.define(index, c)

    def _add_tops(self, c: Assembler, t: Stack, force: int) -> None:
        """Make a sum of two stacks a plain node."""
        s, x, y = 0, c.local(I32), c.local(I32)
        c.get(s)
        c("i32.load", 0)
        c("if")
        for at, word in ((x, 4), (y, 0)):
            c.get(s)
            c("i32.load", word)
            c("call", force)
            c.set(at)
        self.add(c, node(t), Mem(x, HEADER), Mem(y, HEADER), Mem(s, HEADER))
        c.get(s)
        c.i32_const(0)
        c("i32.store", 0)
        c("end")

    def add(self, c: Assembler, t: Type, x: Mem, y: Mem, to: Mem) -> None:
        """Write the sum of what lies at `x` and `y` to `to`, which may be one of them."""
        if t.empty:
            return
        if isinstance(t, Tuple):
            for s, at in zip(t.items, offsets(t), strict=True):
                self.add(c, s, x.at(at), y.at(at), to.at(at))
        elif isinstance(t, Vec):
            self._add_row(c, t, x, y, to)
        else:
            c.base(to)
            c.load(t, x)
            c.load(t, y)
            if isinstance(t, Stack):
                c.size(node_size(t))
                c("call", self.join())
            else:
                c.add(t)
            c.write(t, to)

    def _add_row(self, c: Assembler, t: Vec, x: Mem, y: Mem, to: Mem) -> None:
        if not t.stacked:
            if x != to:
                c.copy(t, x, to)
            c.address(to)
            c.address(y)
            c.size(size(t))
            c("call", self.program.adder())
            return
        locations = [x, y, to]
        at = [c.local(I32) for _ in locations]
        for k, x in zip(at, locations, strict=True):
            c.address(x)
            c.set(k)
        end = c.local(I32)
        c.get(at[2])
        c.size(size(t))
        c("i32.add")
        c.set(end)
        c("loop")
        self.add(c, t.elem, *[Mem(k, 0) for k in at])
        for k in at:
            c.get(k)
            c.size(size(t.elem))
            c("i32.add")
            c.set(k)
        c.get(at[2])
        c.get(end)
        c("i32.lt_u")
        c("br_if", 0)
        c("end")
