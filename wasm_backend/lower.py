"""From IR to WebAssembly: one module for some exported functions and all that they call.

There is no recursion, so memory is static: the frame of a function lies above the frames of all that it
calls, and every address is known when it is written. Functions are written callees first. A number is
an f64 or i32 parameter or result; an aggregate is a pointer, and the caller says where a result goes.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import Any, cast

from rose.errors import RoseError, TooLarge, here
from rose.host.effects import Assertion, Failure, Printer
from rose.ir import PURE_CALL, Block, Branch, Func, Value, While
from rose.ir.progress import step
from rose.ir.sizes import Dim, Size, dims_of, larger, plus
from rose.ir.types import Ref, double

from .abi.layout import is_aggregate, leaves
from .abi.signature import BASE, LARGEST, MARK, Lowered, Plain, Signature, Slot, import_types
from .binary.encoder import FUNC, I32, MAX_PARAMS, MEMORY, PAGE, Module
from .codegen.branch import ChoiceWriter
from .codegen.call_order import callees, calls_first, needs
from .codegen.dynamic_sizes import Extents
from .codegen.function import FunctionWriter
from .codegen.heap import Heap
from .codegen.literals import place_literals
from .codegen.memory import Memory, too_large
from .codegen.places import ADDRESS, Mem
from .codegen.templates import CALLED
from .codegen.vector_add import vector_add
from .codegen.while_loop import TurnsWriter
from .debug_info import NOTING
from .libm.link import link
from .simd.loops import PairWriter, probe

IN_REGISTERS = 200  # a function with more numbers among its parameters gets them in memory


def lower(
    exports: Mapping[str, Func], *, single: bool = False, simd: bool | str = False,
    asking: Collection[CodeType] | None = None,
) -> Lowered:  # fmt: skip
    """The module that exports these functions, which are over `Single` if it is to be in single precision.

    With `simd` its loops compute two turns at once, where they can, and a plain module is beside it. With `asking`,
    the code that asks for the module, it is also known where the instructions come from.
    """
    plain = _Program(exports, single, False, asking, stages=1 if not simd else 2).finish()
    if not simd:
        return plain
    program = _Program(exports, single, simd, asking, stages=2)
    made = program.finish()
    assert _outside(made) == _outside(plain)  # so that one can be used in the place of the other
    same = made.wasm == plain.wasm
    return plain if same else replace(made, plain=Plain(plain.wasm, probe(relaxed=program.fused), plain.origins))


def _outside(made: Lowered) -> Any:
    """What has to be known of a module to use it, but for its functions in Python."""
    return made.signatures, made.mathematics, [why.told() for why in made.failures], made.base


class _Program:
    """What all functions of a module share: types, constants, helpers, and where each function is."""

    def __init__(
        self, exports: Mapping[str, Func], single: bool, simd: bool | str, asking: Collection[CodeType] | None,
        *, stages: int,
    ) -> None:  # fmt: skip
        self.module = Module()
        self.exports, self.single, self.simd, self.asking = exports, single, simd, asking
        self.fused = False  # some product and sum are one instruction
        self.stages = stages  # how many modules are made of these functions
        self.needs = calls_first(exports.values())
        self.order = list(self.needs)
        self.calls = {f: list(dict.fromkeys(callees(f, vs))) for f, vs in self.needs.items()}
        self.called = {g for called in self.calls.values() for g in called}
        self.called |= {f for f in exports.values() if isinstance(f.kind, (Branch, While))}  # its wrapper does
        self.imports = tuple([f for f in self.order if f.is_opaque and not isinstance(f.impl, Assertion)])
        self.index: dict[Func, int] = {}
        self.frames: dict[Func, Memory] = {}
        self.mailbox: dict[Func, list[Mem | None]] = {}
        self.top = 16  # nothing lies at address 0
        self.largest = 0
        self.used: dict[Func, dict[Size, None]] = {}  # the sizes that each function uses, with what it calls
        self.open: list[tuple[str, tuple[Dim, ...], dict[Size, None], int | Size]] = []  # exports with such sizes
        self.math: dict[str, int] = {}  # the functions of the library that are called
        self.failures: dict[tuple[str, str], tuple[int, Failure]] = {}
        self.extents = Extents(self)
        self.heap = Heap(self)
        self._adder: int | None = None

    def finish(self) -> Lowered:
        m = self.module
        prints = 0
        for f in self.imports:
            printer = isinstance(f.impl, Printer)
            name = ("print", str(prints)) if printer else ("opaque", f.name)
            if len(f.params) >= MAX_PARAMS:
                what = f"{f.name} takes {len(f.params):,} arguments, and what a module imports at most {MAX_PARAMS - 1}"
                raise TooLarge(what, f.params[0].loc, "give it a struct, or a vector")
            self.index[f] = m.import_func(*name, m.type(*import_types(f)))
            prints += printer
        needed = [v for f in self.order for v in self.needs[f]]
        self.literals, self.zeros = place_literals(m, self.reserve, needed)
        if self.top > LARGEST:
            raise too_large(self.order[-1], self.top, self.exports)
        mathematics = [CALLED[v.op] for v in needed if v.op in CALLED]
        self.math = link(m, mathematics, self.reserve)
        for f in self.order:
            if not f.is_opaque and f in self.called:
                self.write(f)
            step("lower", len(self.order) * self.stages)
        signatures = {name: self.export(name, f) for name, f in self.exports.items()}
        bottom = max(self.largest, self.top)
        base = -(-bottom // 8) * 8
        for name, dims, used, end in self.open:
            self.extents.define(name, dims, used, base, end)
        m.memory(max(-(-bottom // PAGE), 1))
        m.export("memory", MEMORY, 0)
        failures = tuple([why for _, why in self.failures.values()])
        origins = cast("Any", m.marks()) if self.asking is not None else ()
        return Lowered(m.finish(), signatures, self.imports, tuple(self.math), failures, base, None, tuple(origins))

    def reserve(self, n: int, to: int) -> int:
        at = -(-self.top // to) * to
        self.top = at + n
        return at

    def new_frame(self, f: Func) -> Memory:
        """Memory above that of all that `f` calls."""
        top, more = self.top, cast("int | Size", 0)
        for g in self.callees(f):
            if not g.is_opaque:
                below = self.frames[g]
                top = max(top, below.top)
                more = larger(more, below.more) if isinstance(below.more, Size) else more
        frame = Memory(top, more, lambda needed: too_large(f, needed, self.exports))
        for t in (f.result, *[p.type for p in f.params]):
            frame.check(t.inner if isinstance(t, Ref) else t)
        return frame

    def callees(self, f: Func) -> list[Func]:
        """What `f` calls, which may be a wrapper that was made here."""
        return self.calls[f] if f in self.calls else callees(f, needs(f.body))

    def done(self, f: Func, frame: Memory) -> None:
        self.largest = max(self.largest, frame.top)
        if frame.top > LARGEST:
            raise too_large(f, frame.top, self.exports)

    def write(self, f: Func) -> None:
        """One function, to be called by others."""
        frame = self.frames[f] = self.new_frame(f)
        if sum([len(leaves(p.type)) for p in f.params]) > IN_REGISTERS:
            self.mailbox[f] = [frame.reserve(ADDRESS if isinstance(p.type, Ref) else p.type) for p in f.params]
        with self.using(f):
            writer = self.writer(f)(self, f, frame, self.mailbox.get(f))
            params, results = writer.signature()
            self.index[f] = self.module.reserve(self.module.type(params, results), f.name)
            code = writer.write()
            writer.begin()
            self.module.define(self.index[f], code)
        self.done(f, frame)

    @contextmanager
    def using(self, f: Func) -> Generator[None]:
        """Inside, the code of a function is written: what it uses is kept, with what its callees use."""
        with self.extents.using() as used:
            for g in self.callees(f):
                used.update(self.used.get(g, {}))
            yield
        self.used[f] = used

    def writer(self, f: Func) -> type[FunctionWriter]:
        """What writes a function."""
        plain = PairWriter if self.simd else FunctionWriter
        kind = ChoiceWriter if isinstance(f.kind, Branch) else TurnsWriter if isinstance(f.kind, While) else plain
        return kind if self.asking is None else NOTING[kind]

    def export(self, name: str, f: Func) -> Signature:
        """One function, to be called from outside: its aggregates lie at fixed addresses."""
        if name == "memory" or name.startswith(MARK):
            taken = "its memory is" if name == "memory" else "its sizes are"
            raise RoseError(f'a function cannot be exported as "{name}"', here(), f"{taken}; rename the function")
        assert self.single or all([double(t) is t for t in (f.result, *[p.type for p in f.params])]), f
        if not f.has_body:
            f = wrapper(f)
        frame = self.new_frame(f)
        in_memory = len([p for p in f.params if p.type.scalar]) > IN_REGISTERS
        given = [frame.reserve(p.type) if is_aggregate(p.type) or in_memory else None for p in f.params]
        out = frame.reserve(f.result) if is_aggregate(f.result) else None
        slots = [Slot(str(p.attr), p.type, at and at.total) for p, at in zip(f.params, given, strict=True)]
        dims = tuple(dict.fromkeys([d for p in f.params for d in dims_of(p.type)]))
        signature = Signature(name, tuple(slots), Slot("result", f.result, out and out.total), dims)
        with self.using(f):
            writer = self.writer(f)(self, f, frame, given, out)
            params, results = writer.signature()
            index = self.module.reserve(self.module.type(params, results), name)
            code = writer.write()
            end = plus(BASE, frame.more) if dims else max(frame.top, self.top)
            writer.begin(end if self.heap.used else None)
            self.module.define(index, code)
            for x in signature.extents():
                self.extents.export(x)
        self.module.export(name, FUNC, index)
        if dims:
            self.open.append((name, dims, self.used[f], end))
        self.done(f, frame)
        return signature

    def failure(self, why: Failure) -> int:
        """The number of a failure: the same for one message and line."""
        return self.failures.setdefault((why.message, why.where()), (len(self.failures) + 1, why))[0]

    def adder(self) -> int:
        """The function that adds a row of numbers into another: (to, from, bytes)."""
        if self._adder is None:
            self._adder = self.module.reserve(self.module.type([I32, I32, I32], []), "add")
            self.module.define(self._adder, vector_add(self.single))
        return self._adder


def wrapper(f: Func) -> Func:
    """A function that calls another: so that one without instructions can be exported."""
    body = Block()
    loc = f.params[0].loc if f.params else None
    for p in f.params:
        body.params.append(Value(p.op, p.type, (), p.attr, p.loc, body))
    assert loc is not None or not f.params
    call = Value(PURE_CALL, f.result, tuple(body.params), f, loc, body)  # pyright: ignore[reportArgumentType]
    body.code, body.results = [call], (call,)
    return Func(f.name, body, f.result, pure=f.pure)
