"""One function, from IR to instructions."""

from __future__ import annotations

from rose.host.effects import Assertion
from rose.ir import (
    ACCUM,
    ADD_TO,
    AT,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    TUPLE,
    ZERO,
    Block,
    Func,
    Value,
    is_call,
)
from rose.ir.ops import neg
from rose.ir.sizes import Size, plus, times
from rose.ir.stacks import JOIN, POP, PUSH
from rose.ir.types import Ref, Stack, Tuple, Type, Vec

from ..abi.layout import (
    is_aggregate,
    is_flat,
    item_leaves,
    item_offsets,
    leaf_offsets,
    leaves,
    offsets,
    open_extents,
    size,
    wasm_type,
)
from ..binary.encoder import I32, LOCAL_GET, LOCAL_SET, Code
from .heap import HEADER, node, node_size
from .loops import LoopWriter
from .places import ADDRESS, Mem, Place
from .templates import PLAIN, template


class FunctionWriter(LoopWriter):
    """Writes the instructions of a function."""

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

    # instructions

    def _block(self, block: Block) -> None:
        deferred, dies, computed, start = self.deferred, self.lives.dies, self.lives.computed, self.lives.start
        unread = self.unread
        for v in block.code:
            if v not in deferred and v not in unread:
                if v in computed:
                    self._define(v)
                elif v.op is not CONST and v.op is not ZERO:
                    self._instruction(v)
            if (n := start[v]) in dies:
                self._release(n)

    def _instruction(self, v: Value) -> None:
        op = v.op
        if v in self.carried:
            return
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
        elif op is PUSH:
            self._push_item(v)
        elif op is POP:
            self._pop_item(v)
        elif op is JOIN:
            self._join(v)
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
        t: Type = t.inner if isinstance(t, Ref) else t
        if isinstance(t, Tuple) and (is_flat(t) or whole.op is FOR):
            return places[item_leaves(t, v.attr)]
        if v.type.empty:
            return ()
        at = self._memory(whole)
        if isinstance(t, Tuple):
            k: int = v.attr
            return self._leaves_at(t.items[k], at.at(offsets(t)[k]))
        assert isinstance(t, Vec)
        return self._leaves_at(t.elem, at.at(times(index[0].attr, size(t.elem))))

    def _define(self, v: Value) -> None:
        """A number: into a local, and into the aggregates that it is an item of."""
        early = self.lives.early.get(v)
        if early is None:
            self._compute(v)
            self._release(self.lives.start[v])
            k = self._local(v, wasm_type(v.type))
            self.c.body += LOCAL_SET[k]
            self.place[v] = (k,)
            return
        if len(early) == 1 and self.lives.reader[v] is not None:
            to = self._item(*early[0])
            self.c.base(to)
            self._compute(v)
            self.c.write(v.type, to)
            return
        self._compute(v)
        self._release(self.lives.start[v])
        k = self._set(v, v.type)
        self.place[v] = (k,)
        for whole, item in early:
            to = self._item(whole, item)
            self.c.base(to)
            self.c.get(k)
            self.c.write(v.type, to)

    def _item(self, whole: Value, k: int) -> Mem:
        if isinstance(whole.type, Vec):
            offset = times(k, size(whole.type.elem))
        else:
            assert isinstance(whole.type, Tuple)
            offset = offsets(whole.type)[k]
        return self._build_at(whole, 0, whole.type).at(offset)

    def _compute(self, v: Value) -> None:
        """Put a number on the stack: a row of the table, or a load."""
        if v.op is INDEX:
            at = self._memory(v.args[0])
            if v.args[1].op is CONST:
                self.c.load(v.type, at.at(times(v.args[1].attr, size(v.type))))
                return
            self.c.load_from(v.type, self._scaled(v.args[1], size(v.type), at))
        elif v.op is GET:
            t, k = v.args[0].type, int(v.attr)
            assert isinstance(t, Tuple)
            self.c.load(v.type, self._memory(v.args[0]).at(offsets(t)[k]))
        else:
            simple = PLAIN.get(v.op)
            if simple is not None:
                body, place, deferred = self.c.body, self.place, self.deferred
                for a in v.args:
                    if a in deferred:
                        self._compute(a)
                    elif a in place and isinstance(k := place[a][0], int):
                        body += LOCAL_GET[k]
                    else:
                        self._push(a)
                body += simple
                return
            if "$" not in v.op.wasm:
                for a in v.args:
                    self._push(a)
            for step in template(v.op):
                if isinstance(step, int):
                    self._push(v.args[step])
                elif isinstance(step, str):
                    self.c("call", self.program.math[step])
                else:
                    self.c.emit(step)

    def _element(self, v: Value) -> None:
        """An aggregate in a vector, or an element of an accumulator: its address."""
        whole, i = v.args
        t = whole.type.inner if isinstance(whole.type, Ref) else whole.type
        assert isinstance(t, Vec)
        if v.type.empty:
            self.place[v] = ()
            return
        self.place[v] = self._leaves_at(t.elem, self._element_at(i, v, size(t.elem), self._memory(whole)))

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
                self._store(x, leaf, t, to.at(plus(start, at)))

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
            places: tuple[Place, ...] = self._leaves_at(t, self.frame.reserve(t))
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
                continue
            assert isinstance(to, Mem)
            if init.op is ZERO and not s.scalar:
                self._clear(v, s, to)
            else:
                self._store(init, leaf, s, to)

    def _clear(self, v: Value, t: Type, to: Mem) -> None:
        """Let a sum begin at zeros, but for the elements that a loop writes before all else."""
        n = self._written_first(v, t)
        if n:
            assert isinstance(t, Vec) and not isinstance(t.size, Size)
            t, to = Vec(t.size - n, t.elem), to.at(times(n, size(t.elem)))
        self.c.clear(t, to)

    def _add_to(self, ref: Value, x: Value) -> None:
        for leaf, (t, to) in enumerate(zip(leaves(x.type), self.place[ref], strict=True)):
            if isinstance(to, int):
                self.c.get(to)
                self._sum(t, x, leaf)
                self.c.set(to)
                continue
            assert isinstance(to, Mem)
            if t.scalar:
                self.c.base(to)
                self.c.load(t, to)
                self._sum(t, x, leaf)
                self.c.write(t, to)
            elif t.stacked:
                self.program.heap.add(self.c, t, to, self._memory(x, leaf), to)
            else:
                self.c.address(to)
                self._push(x, leaf)
                self.c.extent(size(t))
                self.c("call", self.program.adder())

    def _sum(self, t: Type, x: Value, leaf: int) -> None:
        """Add a leaf of `x` to what is on the stack."""
        if x.op is neg and x in self.deferred:
            self._push(x.args[0])
            self.c("f64.sub")
            return
        self._push(x, leaf)
        if isinstance(t, Stack):
            self.c.extent(node_size(t))
            self.c("call", self.program.heap.join())
        else:
            self.c.add(t)

    # stacks

    def _push_item(self, v: Value) -> None:
        below, x = v.args
        assert isinstance(v.type, Stack)
        item, rest = offsets(node(v.type))
        self.c.extent(node_size(v.type))
        self.c("call", self.program.heap.alloc())
        k = self._set(v, v.type)
        self.place[v] = (k,)
        self.c.get(k)
        self.c.i32_const(0)
        self.c("i32.store", 0)
        self._store(below, 0, v.type, Mem(k, HEADER).at(rest))
        for leaf, (t, at) in enumerate(zip(leaves(x.type), leaf_offsets(x.type), strict=True)):
            self._store(x, leaf, t, Mem(k, HEADER).at(plus(item, at)))

    def _pop_item(self, v: Value) -> None:
        """The top of a stack stays where it is."""
        (s,) = v.args
        assert isinstance(s.type, Stack)
        self._push(s)
        self.c("call", self.program.heap.force(s.type))
        k = self._local(v, I32)
        self.c.set(k)
        self.place[v] = self._leaves_at(v.type, Mem(k, HEADER))

    def _join(self, v: Value) -> None:
        assert isinstance(v.type, Stack)
        for a in v.args:
            self._push(a)
        self.c.extent(node_size(v.type))
        self.c("call", self.program.heap.join())
        self._release(self.lives.start[v])
        self.place[v] = (self._set(v, v.type),)

    # calls

    def _call(self, v: Value) -> None:
        f: Func = v.attr
        if isinstance(f.impl, Assertion):
            self._assert(v, f.impl)
            return
        if f.is_opaque:
            self._call_host(v, f)
            return
        mailbox = self.program.mailbox.get(f, [None] * len(v.args))
        for a, at in zip(v.args, mailbox, strict=True):
            if a.type.empty:
                continue
            if isinstance(a.type, Ref):
                if at is not None:
                    self.c.base(at)
                self.c.address(self._memory(a))
                if at is not None:
                    self.c.write(ADDRESS, at)
                continue
            for leaf, (t, start) in enumerate(zip(leaves(a.type), leaf_offsets(a.type), strict=True)):
                if at is None:
                    self._push(a, leaf)
                else:
                    self._store(a, leaf, t, at.at(start))
        parts = leaves(v.type)
        built = {leaf: self._build_at(v, leaf, t) for leaf, t in enumerate(parts) if not t.scalar}
        for to in built.values():
            self.c.address(to)
        self.c("call", self.program.index[f])
        self._release(self.lives.start[v])
        numbers = {leaf: self._local(v, wasm_type(t)) for leaf, t in enumerate(parts) if t.scalar}
        for k in reversed(numbers.values()):
            self.c.set(k)
        self.place[v] = tuple([built[leaf] if leaf in built else numbers[leaf] for leaf in range(len(parts))])

    def _assert(self, v: Value, assertion: Assertion) -> None:
        self._push(v.args[0])
        self.c("i32.eqz")
        self.c("if")
        self.c.fail(self.program.failure(assertion))
        self.c("end")
        self.place[v] = ()

    def _call_host(self, v: Value, f: Func) -> None:
        for a in v.args:
            for x in open_extents(a.type):
                self.program.extents.export(x)
            if a.type.scalar:
                self._push(a)
            elif not a.type.empty:
                self.c.address(self._in_memory(a))
        if v.type.empty:
            self.c("call", self.program.index[f])
            self.place[v] = ()
        elif is_aggregate(v.type):
            to = self.frame.reserve(v.type)
            self.c.address(to)
            self.c("call", self.program.index[f])
            self.place[v] = self._leaves_at(v.type, to)
        else:
            self.c("call", self.program.index[f])
            self._release(self.lives.start[v])
            self.place[v] = (self._set(v, v.type),)

    def _in_memory(self, v: Value) -> Mem:
        """An aggregate as a whole, at one address."""
        if leaves(v.type) == (v.type,):
            return self._memory(v)
        to = self.frame.reserve(v.type)
        for leaf, (t, start) in enumerate(zip(leaves(v.type), leaf_offsets(v.type), strict=True)):
            self._store(v, leaf, t, to.at(start))
        return to
