"""The frame of a function while it is written: the locations of its values, in locals and in memory.

A value is its leaves (see `layout.leaves`), and each leaf has a location. Going to a part of an aggregate only
moves an offset.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from rose.host.effects import Failure
from rose.ir import AT, CONST, FOR, FREEZE, GET, INDEX, TUPLE, ZERO, Block, Func, Value
from rose.ir.sizes import Size, times
from rose.ir.types import Ref, Tuple, Type, Vec

from ..abi.layout import is_flat, item_leaves, leaf_offsets, leaves, offsets, size, wasm_type
from ..binary.encoder import F32, F64, I32, V128, Body
from .assembler import Assembler
from .destinations import Destination, Part
from .dynamic_sizes import DynamicSizes
from .heap import Heap
from .locations import ADDRESS, Literal, Location, Mem, leaves_at
from .memory import Memory
from .stops import Stops

if TYPE_CHECKING:
    from .analyses import Analyses


class Mathematics(Protocol):
    """The functions of the library: the index of each, and of its form for two numbers at once."""

    index: dict[str, int]

    def twice(self, name: str, /) -> int:
        """The index of the form for two numbers; the function is written when it is asked for."""
        ...


class Program(Protocol):
    """The module, as the writer of a function needs it."""

    analyses: Analyses
    exports: Mapping[str, Func]
    index: dict[Func, int]
    heap: Heap
    sizes: DynamicSizes
    mailbox: dict[Func, list[Mem | None]]  # where the parameters go, of functions that have too many
    literals: dict[Value, int]  # the addresses of literal vectors
    zeros: Mem
    single: bool  # the module is in single precision
    fused: bool  # some of its products and sums are one instruction
    stops: Stops
    placed: Container[Func]  # functions that are written where they are called
    simd: bool | str  # loops are vectorised; if "relaxed", their bits may depend on the machine

    @property
    def math(self) -> Mathematics: ...
    def adder(self) -> int: ...
    def failure(self, why: Failure) -> int: ...
    def code(self, frame: Frame) -> None: ...


class Frame:
    """The locations of the values of one function, and its code as it grows.

    `at` are the addresses of the parameters that lie in memory at fixed ones, and `out` that of the result. A function
    that is written where it is called has the frame of its caller as `outer`: it shares the code, the locals and the
    memory, and whoever makes its frame says where its parameters and results are.
    """

    def __init__(
        self, program: Program, f: Func, memory: Memory, at: Sequence[Mem | None] | None = None,
        out: Mem | None = None, outer: Frame | None = None,
    ) -> None:  # fmt: skip
        self.program, self.f, self.memory, self.out = program, f, memory, out
        analyses = program.analyses
        self.lives = analyses.lives(f)
        self.in_place = analyses.in_place(f.body, self.lives)
        found = analyses.destinations(f.body, self.in_place)
        self.destinations, self.escaping = found.of, found.escaping
        self.location: dict[Value, tuple[Location, ...]] = {}
        self.owned: dict[Value, list[tuple[int, int]]] = {}  # value -> its locals: (type, index)
        self.free = {type: analyses.free() for type in (I32, F32, F64, V128)}
        self.built: dict[Part, Mem] = {}  # the address at which a part is, or will be, built
        # the address of a loop's next state: (block, result, offset); -1 for the element that an iteration makes
        self.next: dict[tuple[Block, int, int | Size], Mem] = {}
        self.zeros: dict[Type, Mem] = {}  # those whose size only the module knows
        self.results: list[Mem] = []  # where the aggregates of the result go
        self.params: list[int] = []
        self.posted: dict[Value, Mem] = {}  # accumulators among the parameters whose addresses lie in memory
        if outer is not None:
            self.free, self.zeros, self.params, self.c = outer.free, outer.zeros, outer.params, outer.c
            return
        self._take_params(at or [None] * len(f.params))
        self.c = Assembler(len(self.params), program.single, program.sizes.get)
        for p, box in self.posted.items():
            assert isinstance(p.type, Ref)
            self.c.load(ADDRESS, box)
            self.location[p] = leaves_at(p.type.inner, Mem(self.set(p, ADDRESS), 0))

    # the signature

    def _take_params(self, fixed: Sequence[Mem | None]) -> None:
        for p, at in zip(self.f.params, fixed, strict=True):
            if p.type.empty:
                self.location[p] = ()
            elif at is not None and isinstance(p.type, Ref):
                self.posted[p] = at
            elif at is not None:
                self.location[p] = leaves_at(p.type, at)
            elif isinstance(p.type, Ref):
                self.location[p] = leaves_at(p.type.inner, Mem(self._param(p, I32), 0))
            else:
                self.location[p] = tuple([
                    self._param(p, wasm_type(t)) if t.scalar else Mem(self._param(p, I32), 0) for t in leaves(p.type)
                ])  # fmt: skip
        for t, start in zip(leaves(self.f.result), leaf_offsets(self.f.result), strict=True):
            if self.out is not None:
                self.results.append(self.out.at(start))
            else:
                self.results.append(Mem(None, -1) if t.scalar else Mem(self._param(None, I32), 0))

    def _param(self, p: Value | None, type: int) -> int:
        self.params.append(type)
        k = len(self.params) - 1
        if p is not None:
            self.owned.setdefault(p, []).append((type, k))
        return k

    def signature(self) -> tuple[list[int], list[int]]:
        """The types of its parameters and results."""
        return self.params, [] if self.out is not None else [
            wasm_type(t) for t in leaves(self.f.result) if t.scalar
        ]  # fmt: skip

    # locals

    def take(self, type: int) -> int:
        """A local that belongs to no value: whoever takes it gives it back to `free`."""
        free = self.free[type]
        return free.pop() if free else self.c.local(type)

    def local(self, v: Value, type: int) -> int:
        """A local that belongs to a value, until that dies."""
        free = self.free[type]
        k = free.pop() if free else self.c.local(type)
        self.owned.setdefault(v, []).append((type, k))
        return k

    def set(self, v: Value, t: Type) -> int:
        """Put what is on the stack into a local that belongs to a value."""
        k = self.local(v, wasm_type(t))
        self.c.set(k)
        return k

    def release(self, n: int) -> None:
        """Free the locals of the values that die at number `n` (see `Lives`)."""
        for v in self.lives.dies.get(n, ()):
            if v in self.owned:
                for type, k in self.owned.pop(v):
                    self.free[type].append(k)

    def give_back(self, v: Value) -> None:
        """Free the locals of a value."""
        for type, k in self.owned.pop(v, ()):
            self.free[type].append(k)

    def leave(self) -> None:
        """Free the locals of all values: this function is written, and its caller is not."""
        for v in [*self.owned]:
            self.give_back(v)

    def live(self) -> Iterator[tuple[int, int]]:
        """The locals that are not free: (index, type)."""
        free = {k for ks in self.free.values() for k in ks}
        return ((k, type) for k, type in enumerate([*self.params, *self.c.locals]) if k not in free)

    # locations

    def locations(self, v: Value) -> tuple[Location, ...]:
        """The locations of the leaves of a value that is not a number's literal."""
        if v.op is ZERO:
            return self.all_locations(v)
        if v.op is CONST:
            return () if v.type.empty else (Mem(None, self.program.literals[v]),)
        return self.location[v]

    def all_locations(self, v: Value) -> tuple[Location, ...]:
        """The locations of all leaves, also of a literal."""
        if v.op is CONST and v.type.scalar:
            return (Literal(v.type, v.attr),)
        if v.op is ZERO:
            return tuple([Literal(t, 0) if t.scalar else self._zeros(t) for t in leaves(v.type)])
        return self.locations(v)

    def address(self, v: Value, leaf: int = 0) -> Mem:
        """The address of a leaf that lies in memory."""
        locations = self.locations(v)
        if not locations:  # it has no elements, so no index of one exists, and what asks for one never runs
            return Mem(None, 0)
        at = locations[leaf]
        assert isinstance(at, Mem), v
        return at

    def alias(self, v: Value) -> tuple[Location, ...]:
        """The locations of an alias: some of its arguments', or all."""
        op = v.op
        if op is TUPLE:
            return tuple([x for a in v.args for x in self.all_locations(a)])
        (whole, *index), t = v.args, v.args[0].type
        if op is FREEZE or op not in (GET, INDEX, AT):
            return self.all_locations(whole)
        locations = self.locations(whole)
        t: Type = t.inner if isinstance(t, Ref) else t
        if isinstance(t, Tuple) and (is_flat(t) or whole.op is FOR):
            return locations[item_leaves(t, v.attr)]
        if v.type.empty:
            return ()
        at = self.address(whole)
        if isinstance(t, Tuple):
            k: int = v.attr
            return leaves_at(t.items[k], at.at(offsets(t)[k]))
        assert isinstance(t, Vec)
        return leaves_at(t.elem, at.at(times(index[0].attr, size(t.elem))))

    def _zeros(self, t: Type) -> Mem:
        """The address of the zero of a `t`: that of all others, or memory of this function, which it clears first."""
        if not isinstance(size(t), Size):
            return self.program.zeros
        if t not in self.zeros:
            self.zeros[t] = self.memory.reserve(t)
        return self.zeros[t]

    # where aggregates are built

    def build_at(self, v: Value, leaf: int, t: Type) -> Mem:
        """The address where `v` makes one of its leaves."""
        at = self.built.get((v, leaf))
        if at is None:
            to = self.destinations.get((v, leaf))
            wanted = None if to is None else self._at_destination(to)
            at = self.memory.reserve(t) if wanted is None else wanted
            self.built[(v, leaf)] = at
        return at

    def _at_destination(self, to: Destination) -> Mem | None:
        """The address of a destination; None in an element of a vector that nobody reads, which has no place."""
        whole = to.whole
        if isinstance(whole, Value):
            return self.build_at(whole, to.leaf, to.type).at(to.offset)
        if whole is self.f.body:
            before = self.f.body.results[: to.leaf]
            return self.results[sum([len(leaves(r.type)) for r in before]) + cast("int", to.offset)]
        state, element = self.next.get((whole, to.leaf, to.offset)), self.next.get((whole, to.leaf, -1))
        return state if state is not None or element is None else element.at(to.offset)

    # the whole function

    def finish(self, heap: int | Size | None = None) -> Assembler:
        """The code, with what comes first: where the heap begins, if there is one, and the zeros of this function."""
        body, self.c.body = self.c.body, Body()
        if heap is not None:
            self.program.heap.open(self.c, heap)
        for t, at in self.zeros.items():
            self.c.clear(t, at)
        self.c.splice(body)
        return self.c
