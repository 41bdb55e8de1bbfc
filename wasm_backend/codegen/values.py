"""The values of a function while it is written: their places, and what it takes to read, store and build them.

A value is its leaves (see `layout.leaves`), and each leaf has a place. Going to a part of an aggregate only
moves an offset.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import CodeType
from typing import Protocol, cast

from rose.host.effects import Failure
from rose.ir import CONST, ZERO, Block, Func, Value
from rose.ir.sizes import Size, rounded_up
from rose.ir.types import Real, Ref, Type

from ..abi.layout import leaf_offsets, leaves, size, wasm_type
from ..binary.encoder import F32, F64, I32, LOCAL_GET, Body
from .assembler import Assembler
from .destinations import Home, Homes, Part
from .dynamic_sizes import Extents
from .heap import Heap
from .liveness import Lives
from .memory import Memory
from .places import ADDRESS, Literal, Mem, Place
from .register_promotion import Carried


class Program(Protocol):
    """What a function needs to know of its module."""

    index: dict[Func, int]
    math: dict[str, int]  # the functions of the library
    heap: Heap
    extents: Extents
    mailbox: dict[Func, list[Mem | None]]  # where the parameters go, of functions that have too many
    literals: dict[Value, int]  # the addresses of literal vectors
    zeros: Mem
    single: bool  # the module is in single precision
    fused: bool  # some of its products and sums are one instruction
    asking: Collection[CodeType] | None  # the code that asked for the module, if places are noted
    simd: bool | str  # two turns of a loop may be one: if it is "relaxed", their bits may depend on the machine

    def adder(self) -> int: ...
    def failure(self, why: Failure) -> int: ...


class ValueWriter:
    """One function. With `at`, the parameters that lie in memory at fixed addresses, and `out`, the result's."""

    def __init__(
        self, program: Program, f: Func, frame: Memory, at: Sequence[Mem | None] | None = None, out: Mem | None = None
    ) -> None:
        self.program, self.f, self.frame, self.out = program, f, frame, out
        self.lives = Lives(f.body)
        self.deferred = self.lives.deferred
        found = Homes(f.body)
        self.homes, self.escaping = found.of, found.escaping
        self.place: dict[Value, tuple[Place, ...]] = {}
        self.owned: dict[Value, list[tuple[int, int]]] = {}  # value -> its locals: (type, index)
        self.free: dict[int, list[int]] = {I32: [], F32: [], F64: []}
        self.built: dict[Part, Mem] = {}  # where a part is, or will be, built
        # where a loop's next state is built: (block, result, offset); -1 for the element that a turn makes
        self.next: dict[tuple[Block, int, int | Size], Mem] = {}
        self.rows: dict[Value, list[Carried]] = {}  # of a loop: the rows whose elements are numbers in its turns
        self.first_uses: dict[Value, Value] | None = None  # of accumulators
        self.carried: dict[Value, int] = {}  # the elements of accumulators that are numbers: they have no address
        self.pointers: dict[tuple[Value, int], int] = {}  # (turn, bytes of an element) -> the local that has its bytes
        self.unread: set[Value] = set()  # indices that only pointers are made of
        self.zeros: dict[Type, Mem] = {}  # those whose size only the module knows
        self.results: list[Mem] = []  # where the aggregates of the result go
        self.params: list[int] = []
        self.posted: dict[Value, Mem] = {}  # accumulators among the parameters whose addresses lie in memory
        self._take_params(at or [None] * len(f.params))
        self.c = Assembler(len(self.params), program.single, program.extents.get)
        for p, box in self.posted.items():
            assert isinstance(p.type, Ref)
            self.c.load(ADDRESS, box)
            self.place[p] = self._leaves_at(p.type.inner, Mem(self._set(p, ADDRESS), 0))

    def _compute(self, v: Value) -> None:
        """Put the number that an instruction makes on the stack."""
        raise NotImplementedError

    # the signature

    def _take_params(self, fixed: Sequence[Mem | None]) -> None:
        for p, at in zip(self.f.params, fixed, strict=True):
            if p.type.empty:
                self.place[p] = ()
            elif at is not None and isinstance(p.type, Ref):
                self.posted[p] = at
            elif at is not None:
                self.place[p] = self._leaves_at(p.type, at)
            elif isinstance(p.type, Ref):
                self.place[p] = self._leaves_at(p.type.inner, Mem(self._param(p, I32), 0))
            else:
                self.place[p] = tuple([
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

    def _local(self, v: Value, type: int) -> int:
        free = self.free[type]
        k = free.pop() if free else self.c.local(type)
        self.owned.setdefault(v, []).append((type, k))
        return k

    def _release(self, n: int) -> None:
        for v in self.lives.dies.get(n, ()):
            if v in self.owned:
                for type, k in self.owned.pop(v):
                    self.free[type].append(k)

    def _set(self, v: Value, t: Type) -> int:
        k = self._local(v, wasm_type(t))
        self.c.set(k)
        return k

    # reading

    def _push(self, v: Value, leaf: int = 0) -> None:
        """Put a leaf on the stack: a number, or an address."""
        if v in self.deferred:
            self._compute(v)
            return
        if v.op is CONST and v.type is Real:
            self.c.f64_const(v.attr)
            return
        places = self.place.get(v)
        place = (self._all(v) if places is None else places)[leaf]
        if isinstance(place, int):
            self.c.body += LOCAL_GET[place]
        elif isinstance(place, Mem):
            t = leaves(v.type)[leaf] if not isinstance(v.type, Ref) else v.type
            if t.scalar:
                self.c.load(t, place)
            else:
                self.c.address(place)
        else:
            self.c.constant(place.type, place.value)

    def _places(self, v: Value) -> tuple[Place, ...]:
        if v.op is ZERO:
            return self._all(v)
        if v.op is CONST:
            return () if v.type.empty else (Mem(None, self.program.literals[v]),)
        return self.place[v]

    def _leaves_at(self, t: Type, at: Mem) -> tuple[Place, ...]:
        return tuple([at.at(k) for k in leaf_offsets(t)])

    def _store(self, v: Value, leaf: int, t: Type, to: Mem) -> None:
        """Let a leaf of `v` be at an address; nothing to do if it was built there."""
        if t.scalar:
            self.c.base(to)
            self._push(v, leaf)
            self.c.write(t, to)
        elif (at := self._memory(v, leaf)) != to:
            self.c.copy(t, at, to)

    def _memory(self, v: Value, leaf: int = 0) -> Mem:
        """The address of a leaf that lies in memory."""
        places = self._places(v)
        if not places:  # it has no elements, so no index of one exists, and what asks for one never runs
            return Mem(None, 0)
        at = places[leaf]
        assert isinstance(at, Mem), v
        return at

    def _all(self, v: Value) -> tuple[Place, ...]:
        """The places of all leaves, also of a literal."""
        if v.op is CONST and v.type.scalar:
            return (Literal(v.type, v.attr),)
        if v.op is ZERO:
            return tuple([Literal(t, 0) if t.scalar else self._zeros(t) for t in leaves(v.type)])
        return self._places(v)

    def _zeros(self, t: Type) -> Mem:
        """Where the zero of a `t` is: with all others, or in memory of this function, which it clears first."""
        if not isinstance(size(t), Size):
            return self.program.zeros
        if t not in self.zeros:
            self.zeros[t] = self.frame.reserve(t)
        return self.zeros[t]

    def begin(self, heap: int | Size | None = None) -> None:
        """Write what comes before all else: where the heap begins, if there is one, and the zeros of this function."""
        body, self.c.body = self.c.body, Body()
        if heap is not None:
            self.c.extent(rounded_up(heap, 8))
            self.c("global.set", self.program.heap.top())
        for t, at in self.zeros.items():
            self.c.clear(t, at)
        self.c.splice(body)

    # where aggregates are built

    def _build_at(self, v: Value, leaf: int, t: Type) -> Mem:
        """The address where `v` makes one of its leaves."""
        at = self.built.get((v, leaf))
        if at is None:
            home = self.homes.get((v, leaf))
            at = self.frame.reserve(t) if home is None else self._at_home(home)
            self.built[(v, leaf)] = at
        return at

    def _at_home(self, home: Home) -> Mem:
        whole = home.whole
        if isinstance(whole, Value):
            return self._build_at(whole, 0, whole.type).at(home.offset)
        if whole is self.f.body:
            return self.results[cast("int", home.offset)]
        state = self.next.get((whole, home.leaf, home.offset))
        return self.next[(whole, home.leaf, -1)].at(home.offset) if state is None else state
