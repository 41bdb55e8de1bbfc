"""One function, from IR to instructions.

A value is its leaves (see `layout.leaves`), and each leaf has a place: a local, or an address. An address
is a base, in a local or 0, and an offset; going to a part of an aggregate only moves the offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

from rose.ir import ACCUM, ADD_TO, AT, CONST, FOR, FREEZE, GET, INDEX, PACK, TUPLE, ZERO
from rose.ir import OPS, Block, Func, Op, Value, is_call
from rose.types import Bool, Fin, Real, Ref, Tan, Tuple, Type, Vec

from .encode import F64, I32, LOCAL_GET, LOCAL_SET, Code, instruction
from .homes import Home, Part, escaping, homes, item_offsets
from .layout import align, is_aggregate, is_flat, item_leaves, leaf_offsets, leaves, offsets, size
from .locals import Lives

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


Place = int | Mem | Literal


class Frame:
    """The memory of one function, as it grows."""

    def __init__(self, bottom: int, name: str) -> None:
        self.top, self.name = bottom, name

    def reserve(self, t: Type) -> int:
        at = -(-self.top // max(align(t), 8)) * max(align(t), 8)
        self.top = at + size(t)
        return at


class Program(Protocol):
    """What a function needs to know of its module."""

    index: dict[Func, int]
    mailbox: dict[Func, list[int | None]]  # where the parameters go, of functions that have too many
    zeros: int

    def literal(self, v: Value) -> int: ...
    def adder(self) -> int: ...


def wasm_type(t: Type) -> int:
    """The type of the local that holds a scalar, or the address of an aggregate."""
    return F64 if t is Real or t is Tan else I32


_LOADS = {Bool: "i32.load8_u", Real: "f64.load", Tan: "f64.load"}
_STORES = {Bool: "i32.store8", Real: "f64.store", Tan: "f64.store"}


@cache
def template(op: Op) -> tuple[int | bytes, ...]:
    """The `wasm` column, encoded: a number stands for an argument, which is put on the stack."""
    steps: list[int | bytes] = []
    for step in op.wasm.split(", "):
        word, *rest = step.split()
        steps.append(int(word[1:]) if word[0] == "$" else instruction(word, *[float(x) for x in rest]))
    return tuple(steps)


# the rows whose code is one instruction after their arguments
PLAIN = {op: b"".join([x for x in template(op) if isinstance(x, bytes)]) for op in OPS.values() if op.wasm and "$" not in op.wasm}


class FunctionWriter:
    """Writes one function. With `at`, the parameters that lie in memory at fixed addresses, it is an export."""

    def __init__(
        self, program: Program, f: Func, frame: Frame, at: Sequence[int | None] | None = None, out: int | None = None
    ) -> None:
        self.program, self.f, self.frame = program, f, frame
        self.fixed: Sequence[int | None] = at if at is not None else [None] * len(f.params)
        self.is_export, self.out = at is not None, out
        self.lives = Lives(f.body)
        self.deferred = self.lives.deferred
        self.homes = homes(f.body)
        self.escaping = escaping(f.body)
        self.place: dict[Value, tuple[Place, ...]] = {}
        self.owned: dict[Value, list[tuple[int, int]]] = {}  # value -> its locals: (type, index)
        self.free: dict[int, list[int]] = {I32: [], F64: []}
        self.built: dict[Part, Mem] = {}  # where a part is, or will be, built
        # where a loop's next state is built: (block, result, offset); -1 for the element that a turn makes
        self.next: dict[tuple[Block, int, int], Mem] = {}
        self.results: list[Mem] = []  # where the aggregates of the result go
        self.params: list[int] = []
        self._take_params()
        self.c = Code(len(self.params))

    # the signature

    def _take_params(self) -> None:
        for p, at in zip(self.f.params, self.fixed, strict=True):
            if p.type.empty:
                self.place[p] = ()
            elif at is not None:
                self.place[p] = self._leaves_at(p.type, Mem(None, at))
            elif isinstance(p.type, Ref):
                self.place[p] = self._leaves_at(p.type.inner, Mem(self._param(p, I32), 0))
            else:
                self.place[p] = tuple([
                    self._param(p, wasm_type(t)) if t.scalar else Mem(self._param(p, I32), 0) for t in leaves(p.type)
                ])  # fmt: skip
        for t, start in zip(leaves(self.f.result), leaf_offsets(self.f.result), strict=True):
            if self.out is not None:
                self.results.append(Mem(None, self.out + start))
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

    def write(self) -> Code:
        self._block(self.f.body)
        (result,) = self.f.body.results
        for leaf, t in enumerate(leaves(result.type)):
            if not t.scalar:
                self._store(result, leaf, t, self.results[leaf])
        for leaf, t in enumerate(leaves(result.type)):
            if t.scalar and self.out is not None:
                self._store(result, leaf, t, self.results[leaf])
            elif t.scalar:
                self._push(result, leaf)
        return self.c

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
        if place.__class__ is int:
            self.c.body += LOCAL_GET[place]
        elif isinstance(place, Mem):
            t = leaves(v.type)[leaf] if not isinstance(v.type, Ref) else v.type
            if t.scalar:
                self._load(t, place)
            else:
                self._address(place)
        else:
            assert isinstance(place, Literal)
            self._constant(place.type, place.value)

    def _constant(self, t: Type, x: float) -> None:
        if wasm_type(t) == F64:
            self.c.f64_const(x)
        else:
            self.c.i32_const(int(x))

    def _places(self, v: Value) -> tuple[Place, ...]:
        if v.op is ZERO:
            return self._all(v)
        if v.op is CONST:
            return (Mem(None, self.program.literal(v)),)
        return self.place[v]

    def _leaves_at(self, t: Type, at: Mem) -> tuple[Place, ...]:
        return tuple([at.at(k) for k in leaf_offsets(t)])

    def _base(self, at: Mem) -> None:
        if at.base is None:
            self.c.i32_const(0)
        else:
            self.c.get(at.base)

    def _address(self, at: Mem) -> None:
        if at.base is None:
            self.c.i32_const(at.offset)
        else:
            self.c.get(at.base)
            if at.offset:
                self.c.i32_const(at.offset)
                self.c("i32.add")

    def _load(self, t: Type, at: Mem) -> None:
        self._base(at)
        self.c(_LOADS.get(t, "i32.load"), at.offset)  # pyright: ignore[reportArgumentType]

    def _write(self, t: Type, at: Mem) -> None:
        self.c(_STORES.get(t, "i32.store"), at.offset)  # pyright: ignore[reportArgumentType]

    def _store(self, v: Value, leaf: int, t: Type, to: Mem) -> None:
        """Let a leaf of `v` be at an address; nothing to do if it was built there."""
        if t.scalar:
            self._base(to)
            self._push(v, leaf)
            self._write(t, to)
        elif self._places(v)[leaf] != to:
            at = self._places(v)[leaf]
            assert isinstance(at, Mem)
            self._copy(size(t), at, to)

    def _copy(self, n: int, at: Mem, to: Mem) -> None:
        if n <= INLINE and n % 8 == 0:
            for k in range(0, n, 8):
                self._base(to)
                self._load(Real, at.at(k))
                self.c.f64_store(to.offset + k)
        else:
            self._address(to)
            self._address(at)
            self.c.i32_const(n)
            self.c("memory.copy")

    def _clear(self, n: int, to: Mem) -> None:
        if n <= INLINE and n % 8 == 0:
            for k in range(0, n, 8):
                self._base(to)
                self.c.f64_const(0.0)
                self.c.f64_store(to.offset + k)
        else:
            self._address(to)
            self.c.i32_const(0)
            self.c.i32_const(n)
            self.c("memory.fill")

    # where aggregates are built

    def _build_at(self, v: Value, leaf: int, t: Type) -> Mem:
        """The address where `v` makes one of its leaves."""
        at = self.built.get((v, leaf))
        if at is None:
            home = self.homes.get((v, leaf))
            at = Mem(None, self.frame.reserve(t)) if home is None else self._at_home(home, t)
            self.built[(v, leaf)] = at
        return at

    def _at_home(self, home: Home, t: Type) -> Mem:
        whole = home.whole
        if isinstance(whole, Value):
            return self._build_at(whole, 0, whole.type).at(home.offset)
        if whole is self.f.body:
            return self.results[home.offset]
        state = self.next.get((whole, home.leaf, home.offset))
        return self.next[(whole, home.leaf, -1)].at(home.offset) if state is None else state

    # instructions

    def _block(self, block: Block) -> None:
        deferred, dies, computed = self.deferred, self.lives.dies, self.lives.computed
        for v in block.code:
            if v not in deferred:
                if v in computed:
                    self._define(v)
                elif v.op is not CONST and v.op is not ZERO:
                    self._instruction(v)
            if self.lives.start[v] in dies:
                self._release(self.lives.start[v])

    def _instruction(self, v: Value) -> None:
        op = v.op
        if v in self.lives.aliases:
            self.place[v] = self._alias(v)
        elif op is FOR:
            self._loop(v)
        elif op is ADD_TO:
            self._add_to(*v.args)
        elif op is PACK or op is TUPLE:
            self._aggregate(v)
        elif is_call(v):
            self._call(v)
        elif op is ACCUM:
            self._accum(v)
        elif op is INDEX or op is AT:
            self._element(v)
        else:
            self._select(v)

    def _alias(self, v: Value) -> tuple[Place, ...]:
        op = v.op
        if op is TUPLE:
            return tuple([place for a in v.args for place in self._all(a)])
        (whole, *index), t = v.args, v.args[0].type
        if op is FREEZE or op not in (GET, INDEX, AT):
            return self._all(whole)
        places = self._places(whole)
        t = t.inner if isinstance(t, Ref) else t
        if isinstance(t, Tuple) and (is_flat(t) or whole.op is FOR):
            return places[item_leaves(t, v.attr)]
        if v.type.empty:
            return ()
        at = places[0]
        assert isinstance(at, Mem)
        if isinstance(t, Tuple):
            return self._leaves_at(t.items[v.attr], at.at(offsets(t)[v.attr]))
        assert isinstance(t, Vec)
        return self._leaves_at(t.elem, at.at(index[0].attr * size(t.elem)))

    def _all(self, v: Value) -> tuple[Place, ...]:
        """The places of all leaves, also of a literal."""
        if v.op is CONST and v.type.scalar:
            return (Literal(v.type, v.attr),)
        if v.op is ZERO:
            zero = Mem(None, self.program.zeros)
            return tuple([Literal(t, 0) if t.scalar else zero for t in leaves(v.type)])
        return self._places(v)

    def _define(self, v: Value) -> None:
        """A number: into a local, and into the aggregates that it is an item of."""
        early = self.lives.early.get(v)
        if early is None:
            self._compute(v)
            self._release(self.lives.start[v])
            k = self._local(v, I32 if v.type is not Real and v.type is not Tan else F64)
            self.c.body += LOCAL_SET[k]
            self.place[v] = (k,)
            return
        if len(early) == 1 and self.lives.uses[v] == 1:
            to = self._item(*early[0])
            self._base(to)
            self._compute(v)
            self._write(v.type, to)
            return
        self._compute(v)
        self._release(self.lives.start[v])
        k = self._set(v, v.type)
        self.place[v] = (k,)
        for whole, item in early:
            to = self._item(whole, item)
            self._base(to)
            self.c.get(k)
            self._write(v.type, to)

    def _item(self, whole: Value, k: int) -> Mem:
        if isinstance(whole.type, Vec):
            offset = k * size(whole.type.elem)
        else:
            assert isinstance(whole.type, Tuple)
            offset = offsets(whole.type)[k]
        return self._build_at(whole, 0, whole.type).at(offset)

    def _compute(self, v: Value) -> None:
        """Put a number on the stack: a row of the table, or a load."""
        if v.op is INDEX:
            at = self._places(v.args[0])[0]
            assert isinstance(at, Mem)
            if v.args[1].op is CONST:
                self._load(v.type, at.at(v.args[1].attr * size(v.type)))
                return
            self._scaled(v.args[1], size(v.type), at.base)
            self.c(_LOADS.get(v.type, "i32.load"), at.offset)  # pyright: ignore[reportArgumentType]
        elif v.op is GET:
            at, t = self._places(v.args[0])[0], v.args[0].type
            assert isinstance(at, Mem) and isinstance(t, Tuple)
            self._load(v.type, at.at(offsets(t)[v.attr]))
        else:
            simple = PLAIN.get(v.op)
            if simple is not None:
                body, place, deferred = self.c.body, self.place, self.deferred
                for a in v.args:
                    if a in deferred:
                        self._compute(a)
                    elif a in place and (k := place[a][0]).__class__ is int:
                        body += LOCAL_GET[k]  # pyright: ignore[reportArgumentType]
                    else:
                        self._push(a)
                body += simple
                return
            for step in template(v.op):
                if isinstance(step, int):
                    self._push(v.args[step])
                else:
                    self.c.emit(step)

    def _scaled(self, i: Value, stride: int, base: int | None) -> None:
        """The address of element `i` of a row that starts at a base."""
        if base is not None:
            self.c.get(base)
        self._push(i)
        if stride & (stride - 1) == 0:
            if stride > 1:
                self.c.i32_const(stride.bit_length() - 1)
                self.c("i32.shl")
        else:
            self.c.i32_const(stride)
            self.c("i32.mul")
        if base is not None:
            self.c("i32.add")

    def _element(self, v: Value) -> None:
        """An aggregate in a vector, or an element of an accumulator: its address."""
        whole, i = v.args
        t = whole.type.inner if isinstance(whole.type, Ref) else whole.type
        assert isinstance(t, Vec)
        if v.type.empty:
            self.place[v] = ()
            return
        at = self._places(whole)[0]
        assert isinstance(at, Mem)
        self._scaled(i, size(t.elem), at.base)
        self._release(self.lives.start[v])
        k = self._local(v, I32)
        self.c.set(k)
        self.place[v] = self._leaves_at(t.elem, Mem(k, at.offset))

    def _aggregate(self, v: Value) -> None:
        """A vector or a large tuple from its items; some are there already."""
        if v.type.empty:
            self.place[v] = ()
            return
        to = self._build_at(v, 0, v.type)
        self.place[v] = (to,)
        for k, (x, start) in enumerate(zip(v.args, item_offsets(v), strict=True)):
            if (v, k) in self.lives.stored:
                continue
            for leaf, (t, at) in enumerate(zip(leaves(x.type), leaf_offsets(x.type), strict=True)):
                self._store(x, leaf, t, to.at(start + at))

    def _select(self, v: Value) -> None:
        """A choice between aggregates: of addresses, and of the numbers that are kept apart."""
        c, x, y = v.args
        places: list[Place] = []
        for leaf, t in enumerate(leaves(v.type)):
            self._push(x, leaf)
            self._push(y, leaf)
            self._push(c)
            self.c("select")
            k = self._local(v, wasm_type(t))
            self.c.set(k)
            places.append(k if t.scalar else Mem(k, 0))
        self.place[v] = tuple(places)

    # accumulators

    def _accum(self, v: Value) -> None:
        (init,), t = v.args, v.args[0].type
        parts = leaves(t)
        if v in self.escaping and (len(parts) != 1 or parts[0].scalar):
            places: tuple[Place, ...] = self._leaves_at(t, Mem(None, self.frame.reserve(t)))
        else:
            places = tuple([
                self._local(v, wasm_type(s)) if s.scalar else self._build_at(v, leaf, s)
                for leaf, s in enumerate(parts)
            ])  # fmt: skip
        self.place[v] = places
        for leaf, (s, to) in enumerate(zip(parts, places, strict=True)):
            if isinstance(to, int):
                self._push(init, leaf)
                self.c.set(to)
            elif init.op is ZERO and not s.scalar:
                self._clear(size(s), to)
            else:
                self._store(init, leaf, s, to)

    def _add_to(self, ref: Value, x: Value) -> None:
        for leaf, (t, to) in enumerate(zip(leaves(x.type), self.place[ref], strict=True)):
            if isinstance(to, int):
                self.c.get(to)
                self._push(x, leaf)
                self.c("f64.add")
                self.c.set(to)
            elif t.scalar:
                self._base(to)
                self._load(t, to)
                self._push(x, leaf)
                self.c("f64.add")
                self._write(t, to)
            else:
                self._address(to)
                self._push(x, leaf)
                self.c.i32_const(size(t))
                self.c("call", self.program.adder())

    # calls

    def _call(self, v: Value) -> None:
        f: Func = v.attr
        if f.impl is not None:
            self._call_host(v, f)
            return
        mailbox = self.program.mailbox.get(f, [None] * len(v.args))
        for a, at in zip(v.args, mailbox, strict=True):
            if a.type.empty:
                continue
            if isinstance(a.type, Ref):
                to = self._places(a)[0]
                assert isinstance(to, Mem)
                self._address(to)
                continue
            for leaf, (t, start) in enumerate(zip(leaves(a.type), leaf_offsets(a.type), strict=True)):
                if at is None:
                    self._push(a, leaf)
                else:
                    self._store(a, leaf, t, Mem(None, at + start))
        parts = leaves(v.type)
        built = {leaf: self._build_at(v, leaf, t) for leaf, t in enumerate(parts) if not t.scalar}
        for to in built.values():
            self._address(to)
        self.c("call", self.program.index[f])
        self._release(self.lives.start[v])
        numbers = {leaf: self._local(v, wasm_type(t)) for leaf, t in enumerate(parts) if t.scalar}
        for k in reversed(numbers.values()):
            self.c.set(k)
        self.place[v] = tuple([built[leaf] if leaf in built else numbers[leaf] for leaf in range(len(parts))])

    def _call_host(self, v: Value, f: Func) -> None:
        for a in v.args:
            if a.type.scalar:
                self._push(a)
            elif not a.type.empty:
                self._address(self._in_memory(a))
        if v.type.empty:
            self.c("call", self.program.index[f])
            self.place[v] = ()
        elif is_aggregate(v.type):
            to = Mem(None, self.frame.reserve(v.type))
            self._address(to)
            self.c("call", self.program.index[f])
            self.place[v] = self._leaves_at(v.type, to)
        else:
            self.c("call", self.program.index[f])
            self._release(self.lives.start[v])
            self.place[v] = (self._set(v, v.type),)

    def _in_memory(self, v: Value) -> Mem:
        """An aggregate as a whole, at one address."""
        places = self._places(v)
        if leaves(v.type) == (v.type,) and isinstance(places[0], Mem):
            return places[0]
        to = Mem(None, self.frame.reserve(v.type))
        for leaf, (t, start) in enumerate(zip(leaves(v.type), leaf_offsets(v.type), strict=True)):
            self._store(v, leaf, t, to.at(start))
        return to

    # loops

    def _loop(self, v: Value) -> None:
        block: Block = v.attr
        n = block.params[0].type
        assert isinstance(n, Fin)
        states = [_State(j, leaf, t) for j, a in enumerate(v.args) for leaf, t in enumerate(leaves(a.type))]
        swaps = [self._open_state(v, block, s) for s in states]
        self._places_of_loop(v, block, states, swaps)
        self._release(self.lives.start[v])
        if n.size:
            i = self._local(block.params[0], I32)
            self.place[block.params[0]] = (i,)
            self.c.i32_const(0)
            self.c.set(i)
            self.c("loop")
            self._turn_addresses(v, block)
            self._block(block)
            self._end_of_turn(v, block, states, swaps)
            self.c.get(i)
            self.c.i32_const(1)
            self.c("i32.add")
            self.c.tee(i)
            self.c.i32_const(n.size)
            self.c("i32.lt_u")
            self.c("br_if", 0)
            self.c("end")
        self._release(self.lives.end[block])

    def _open_state(self, v: Value, block: Block, s: _State) -> _Swap:
        """Where a state is in this turn, and where its next is built: in two buffers, that change places."""
        init = v.args[s.item]
        if s.type.scalar:
            self._push(init, s.leaf)
            return _Swap(self._set(v, s.type), -1, 0)
        self._push(init, s.leaf)
        now, then = self._local(v, I32), self._local(v, I32)
        self.c.set(now)
        one, two = self.frame.reserve(s.type), self.frame.reserve(s.type)
        self.c.i32_const(one)
        self.c.set(then)
        self.next[(block, s.item, leaf_offsets(init.type)[s.leaf])] = Mem(then, 0)
        return _Swap(now, then, one + two)

    def _places_of_loop(self, v: Value, block: Block, states: list[_State], swaps: list[_Swap]) -> None:
        places: list[Place] = [
            w.now if s.type.scalar else Mem(w.now, 0) for s, w in zip(states, swaps, strict=True)
        ]  # fmt: skip
        for j, p in enumerate(block.params[1:]):
            self.place[p] = tuple([x for s, x in zip(states, places, strict=True) if s.item == j])
        assert isinstance(v.type, Tuple)
        for j, t in enumerate(v.type.items):
            if j >= len(v.args) and not t.empty:
                read = (v, j) in self.lives.items
                places.append(self._build_at(v, len(places), t) if read else Mem(None, 0))
        self.place[v] = tuple(places)

    def _turn_addresses(self, v: Value, block: Block) -> None:
        """The address of the element that this turn makes, of each vector of aggregates."""
        for j in range(len(v.args), len(block.results)):
            t = block.results[j].type
            if not t.empty and not t.scalar and (v, j) in self.lives.items:
                at = self._vector(v, j)
                self._scaled(block.params[0], size(t), at.base)
                k = self._local(block.params[0], I32)
                self.c.set(k)
                self.next[(block, j, -1)] = Mem(k, at.offset)

    def _vector(self, v: Value, j: int) -> Mem:
        assert isinstance(v.type, Tuple)
        at = self.place[v][item_leaves(v.type, j)][0]
        assert isinstance(at, Mem)
        return at

    def _end_of_turn(self, v: Value, block: Block, states: list[_State], swaps: list[_Swap]) -> None:
        for j in range(len(v.args), len(block.results)):
            r = block.results[j]
            if (v, j) not in self.lives.items:
                continue
            if r.type.scalar:
                at = self._vector(v, j)
                self._scaled(block.params[0], size(r.type), at.base)
                self._push(r)
                self._write(r.type, at)
            elif not r.type.empty:
                to = self.next[(block, j, -1)]
                for leaf, (t, start) in enumerate(zip(leaves(r.type), leaf_offsets(r.type), strict=True)):
                    self._store(r, leaf, t, to.at(start))
        moved: list[int] = []
        for s, w in zip(states, swaps, strict=True):
            r = block.results[s.item]
            if s.type.scalar:
                self._push(r, s.leaf)
                moved.append(w.now)
            else:
                self._store(r, s.leaf, s.type, Mem(w.then, 0))
        for k in reversed(moved):
            self.c.set(k)
        for s, w in zip(states, swaps, strict=True):
            if not s.type.scalar:
                self.c.get(w.then)
                self.c.set(w.now)
                self.c.i32_const(w.both)
                self.c.get(w.then)
                self.c("i32.sub")
                self.c.set(w.then)


class _State(NamedTuple):
    """One leaf of a state of a loop."""

    item: int
    leaf: int
    type: Type


class _Swap(NamedTuple):
    """The locals of a state: where it is now, where the next is built, and the sum of the two addresses."""

    now: int
    then: int
    both: int
