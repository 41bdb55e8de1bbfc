"""From IR to WebAssembly: one module for some exported functions and all that they call.

There is no recursion, so memory is static: that of a function lies above that of all that it calls, and every
address is known when it is written. Functions are written callees first. A number is
an f64 or i32 parameter or result; an aggregate is a pointer, and the caller says where a result goes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from rose.errors import RoseError, TooLarge, here
from rose.host.effects import TAPE_LIMIT, Assertion, Failure, Printer
from rose.ir import Branch, Func, While, building
from rose.ir.callgraph import declared
from rose.ir.progress import step, timed
from rose.ir.sizes import Dim, Size, dims_of, larger, plus
from rose.ir.types import Ref, double

from .abi.layout import is_aggregate, leaves
from .abi.signature import AT_ONCE, BASE, LARGEST, MARK, Lowered, Plain, Signature, Slot, import_types
from .binary.encoder import FUNC, I32, MAX_PARAMS, MEMORY, PAGE, Module
from .codegen import costs
from .codegen.analyses import ECONOMICAL, NAIVE, Analyses
from .codegen.branch import write_branch
from .codegen.call_order import adds_stacks, callees, calls_first, needs
from .codegen.dynamic_sizes import DynamicSizes
from .codegen.frame import Frame
from .codegen.function import FunctionWriter
from .codegen.heap import Heap
from .codegen.literals import place_literals
from .codegen.locations import ADDRESS, Mem
from .codegen.memory import Memory, too_large
from .codegen.stops import Stops
from .codegen.vector_add import vector_add
from .codegen.while_loop import WhileLoop
from .debug_info import Origins
from .libm.link import link


def lower(
    exports: Mapping[str, Func], *, single: bool = False, simd: bool | str = False,
    origins: Origins | None = None, tape_limit: int = TAPE_LIMIT, naive: bool = False,
    at_once: Mapping[str, Func] | None = None,
) -> Lowered:  # fmt: skip
    """The module that exports these functions, which are over `Single` if it is to be in single precision.

    With `simd` its loops are vectorised, where they can be, and a plain module is beside it. `origins` take the notes
    on where its instructions come from. The tapes of its loops have at most `tape_limit` bytes. A `naive` module is one
    to compare with: see `codegen/analyses.py`. With `simd` some functions may have forms for several elements of a
    batch, `at_once`, which are in the vectorised module alone.
    """
    analyses = NAIVE if naive else ECONOMICAL
    with timed("lower"):
        if not simd:
            return Program(exports, single, False, origins, tape_limit, analyses, stages=1).finish()
        from .simd.loops import probe

        also = {AT_ONCE + name: f for name, f in (at_once or {}).items()}
        plain = Program(exports, single, False, origins, tape_limit, analyses, stages=2)
        program = Program({**exports, **also}, single, simd, origins, tape_limit, analyses, stages=2)
        made = program.finish() if also else None
        plain.least = program.bottom, program.largest
        without = plain.finish()
        made = made or program.finish()
    same = made.wasm == without.wasm
    assert _outside(made, without) == _outside(without, without)  # so that one can be used in the place of the other
    return without if same else made._replace(plain=Plain(without.wasm, probe(relaxed=program.fused)))


def _outside(made: Lowered, plain: Lowered) -> Any:
    """The interface of a module, but for its functions in Python, and what only forms of functions use."""
    failures = [why.told() for why in made.failures[: len(plain.failures)]]
    return made.signatures, made.mathematics[: len(plain.mathematics)], failures, made.base


class Program:
    """A module while it is written: what its functions share, and where each is."""

    verify: Callable[[Func], object] | None = None  # called with each function, by the tests

    def __init__(
        self, exports: Mapping[str, Func], single: bool, simd: bool | str, origins: Origins | None,
        tape_limit: int, analyses: Analyses, *, stages: int,
    ) -> None:  # fmt: skip
        self.module, self.tape_limit, self.analyses = Module(), tape_limit, analyses
        self.exports, self.single, self.simd = exports, single, simd
        self.origins = origins
        self.fused = False  # some product and sum are one instruction
        self.stages = stages  # how many modules are made of these functions
        self.needs = calls_first(exports.values())
        self.order = list(self.needs)
        if Program.verify is not None:
            for f in self.order:
                Program.verify(f)
        self.calls = {f: list(dict.fromkeys(callees(f, vs))) for f, vs in self.needs.items()}
        with_number = {f: callees(f, vs) for f, vs in self.needs.items()}
        many = filter(_takes_many, self.order)
        self.placed: Container[Func] = analyses.placing(with_number, exports.values(), many).placed
        self.called = {g for called in self.calls.values() for g in called}
        self.called |= {f for f in exports.values() if isinstance(f.kind, (Branch, While))}  # its wrapper does
        self.imports = tuple([f for f in self.order if f.is_opaque and not isinstance(f.impl, Assertion)])
        self.index: dict[Func, int] = {}
        self.memories: dict[Func, Memory] = {}
        self.mailbox: dict[Func, list[Mem | None]] = {}
        self.top = 16  # nothing lies at address 0
        self.largest = 0
        self.bottom = 0  # where the memory of functions begins
        self.least: tuple[int, int] = 0, 0  # where it begins, and how far it goes, at least
        self.calling: set[Func] = set()  # functions that call what the module imports, themselves or by what they call
        self.failing: set[Func] = set()  # likewise those that may fail
        self.writing: list[Func] = []  # the function that is being written
        self.used: dict[Func, dict[Size, bool]] = {}  # the dynamic sizes that each function uses, with what it calls
        self.dynamic: list[tuple[str, tuple[Dim, ...], dict[Size, bool], int | Size]] = []  # exports that use some
        self.failures: dict[tuple[str, str], tuple[int, Failure]] = {}
        self.sizes = DynamicSizes(self)
        self.heap = Heap(self)
        self.stops = Stops()
        self._adder: int | None = None

    def finish(self) -> Lowered:
        m = self.module
        prints = 0
        for f in self.imports:
            printer = isinstance(f.impl, Printer)
            name = ("print", str(prints)) if printer else ("opaque", f.name)
            _check_text(f.name)
            if len(f.params) >= MAX_PARAMS:
                what = f"{f.name} takes {len(f.params):,} arguments, and what a module imports at most {MAX_PARAMS - 1}"
                raise TooLarge(what, f.loc, "give it a struct, or a vector")
            self.index[f] = m.import_func(*name, m.type(*import_types(f)))
            prints += printer
        needed = [v for f in self.order for v in self.needs[f]]
        self.literals, self.zeros = place_literals(m, self.reserve, needed)
        if self.top > LARGEST:
            raise too_large(self.order[-1], self.top, self.exports)
        self.heap.adds = adds_stacks(needed)
        mathematics = [v.op.library for v in needed if v.op.library]
        self.math = link(m, mathematics, self.reserve)  # the functions of the library that are called
        self.bottom = self.top = max(self.top, self.least[0])
        for f in self.order:
            self.stops.work(f)
            if not f.is_opaque and f in self.called and f not in self.placed:
                self.write(f)
            step("lower", len(self.order) * self.stages)
        found = {name: self.export(name, f) for name, f in self.exports.items()}
        signatures = {name: s for name, s in found.items() if not name.startswith(AT_ONCE)}
        at_once = tuple([s for name, s in found.items() if name not in signatures])
        bottom = max(self.largest, self.top, self.least[1])
        base = -(-bottom // 8) * 8
        for name, dims, used, end in self.dynamic:
            self.sizes.define(name, dims, used, base, end)
        m.memory(max(-(-bottom // PAGE), 1))
        m.export("memory", MEMORY, 0)
        failures = tuple([why for _, why in self.failures.values()])
        stops = cast("Any", tuple(m.stops()))
        with timed("encode"):
            wasm = m.finish()
        if self.origins is not None:
            self.origins.take(m, wasm)
        return Lowered(wasm, signatures, self.imports, self.math.names, failures, base, None, (), stops, at_once)

    def reserve(self, n: int, to: int) -> int:
        at = -(-self.top // to) * to
        self.top = at + n
        return at

    def new_memory(self, f: Func) -> Memory:
        """Memory for `f`, above that of all that it calls."""
        top, more = self.top if self.analyses.shares else max(self.top, self.largest), cast("int | Size", 0)
        for g in self.callees(f):
            if not g.is_opaque:
                below = self.memories[g]
                top = max(top, below.top)
                more = larger(more, below.more) if isinstance(below.more, Size) else more
        memory = Memory(top, more, lambda needed: too_large(f, needed, self.exports))
        for t in (f.result, *[p.type for p in f.params]):
            memory.check(t.inner if isinstance(t, Ref) else t)
        return memory

    def callees(self, f: Func) -> list[Func]:
        """The callees of `f`, which may be a wrapper that was made here, and of what is written in it."""
        found: dict[Func, None] = {}
        todo = list(self.calls[f] if f in self.calls else callees(f, needs(f.body)))
        for g in todo:
            if g in self.placed:
                todo.extend(self.calls[g])
            else:
                found[g] = None
        return list(found)

    def done(self, f: Func, memory: Memory) -> None:
        self.largest = max(self.largest, memory.top)
        if memory.top > LARGEST:
            raise too_large(f, memory.top, self.exports)

    def write(self, f: Func) -> None:
        """Write a function that others call."""
        memory = self.memories[f] = self.new_memory(f)
        if _takes_many(f):
            self.mailbox[f] = [memory.reserve(ADDRESS if isinstance(p.type, Ref) else p.type) for p in f.params]
        with self.using(f):
            frame = Frame(self, f, memory, self.mailbox.get(f))
            self.index[f] = self.module.reserve(self.module.type(*frame.signature()), f.name)
            self.code(frame)
            self.module.define(self.index[f], frame.finish())
        self.done(f, memory)

    @contextmanager
    def using(self, f: Func) -> Generator[None]:
        """Inside, the code of `f` is written: collect the sizes that it uses, with those of its callees."""
        self.stops.work(f)
        with self.sizes.using() as used:
            for g in self.callees(f):
                self.sizes.use(self.used.get(g, {}))
                if g in self.calling or (g.is_opaque and not isinstance(g.impl, Assertion)):
                    self.calling.add(f)
                if g in self.failing:
                    self.failing.add(f)
            self.writing.append(f)
            yield
            self.writing.pop()
        self.used[f] = used

    def code(self, frame: Frame) -> None:
        """Write the code of a function."""
        f, body = frame.f, frame.c.body
        start = len(body)
        self._code(frame)
        of = f.body.results[-1] if f.has_body else next(iter(f.params))
        body.notes.add(start, len(body), of.loc)

    def _code(self, frame: Frame) -> None:
        kind = frame.f.kind
        if isinstance(kind, Branch):
            write_branch(frame)
        elif isinstance(kind, While):
            WhileLoop(frame).write()
        else:
            FunctionWriter(frame, self._vectoriser()).write()

    def _vectoriser(self) -> Callable[..., bool] | None:
        """What vectorises loops, where it is asked for."""
        if not self.simd:
            return None
        from .simd.loops import vectorise

        return vectorise

    def export(self, name: str, f: Func) -> Signature:
        """Write a function that is called from outside: its aggregates lie at fixed addresses."""
        if name == "memory" or (name.startswith(MARK) and not name.startswith(AT_ONCE)):
            taken = "its memory is" if name == "memory" else "its sizes are"
            raise RoseError(f'a function cannot be exported as "{name}"', here(), f"{taken}; rename the function")
        _check_text(name)
        assert self.single or all([double(t) is t for t in (f.result, *[p.type for p in f.params])]), f
        if not f.has_body:
            f = wrapper(f)
        memory = self.new_memory(f)
        in_memory = len([p for p in f.params if p.type.scalar]) > costs.PARAMETERS_IN_LOCALS
        at = [memory.reserve(p.type) if is_aggregate(p.type) or in_memory else None for p in f.params]
        out = memory.reserve(f.result) if is_aggregate(f.result) else None
        slots = [Slot(str(p.attr), p.type, x and x.total) for p, x in zip(f.params, at, strict=True)]
        dims = tuple(dict.fromkeys([d for p in f.params for d in dims_of(p.type)]))
        with self.using(f):
            frame = Frame(self, f, memory, at, out)
            index = self.module.reserve(self.module.type(*frame.signature()), name)
            self.code(frame)
            result = Slot("result", f.result, out and out.total)
            signature = Signature(name, tuple(slots), result, dims, f in self.calling, f in self.failing)
            end = plus(BASE, memory.more) if dims else max(memory.top, self.top)
            self.module.define(index, frame.finish(end if self.heap.used else None))
            for x in signature.dynamic_sizes():
                self.sizes.export(x)
        self.module.export(name, FUNC, index)
        if dims:
            self.dynamic.append((name, dims, self.used[f], end))
        self.done(f, memory)
        return signature

    def failure(self, why: Failure) -> int:
        """The number of a failure: the same for one message and line."""
        self.failing.update(self.writing)
        return self.failures.setdefault((why.message, why.where()), (len(self.failures) + 1, why))[0]

    def adder(self) -> int:
        """The function that adds one vector to another in memory."""
        if self._adder is None:
            self._adder = self.module.reserve(self.module.type([I32, I32, I32], []), "add")
            self.module.define(self._adder, vector_add(self.single))
        return self._adder


def _check_text(name: str) -> None:
    """Check that the name of an export or import is Unicode, as those of a module are."""
    try:
        name.encode()
    except UnicodeEncodeError:
        what = f"{name!r} is not the name of a function: half of a surrogate pair is no character"
        raise RoseError(what, here(), "rename the function") from None


def _takes_many(f: Func) -> bool:
    return sum([len(leaves(p.type)) for p in f.params]) > costs.PARAMETERS_IN_LOCALS


def wrapper(f: Func) -> Func:
    """A function that calls another, so that one without instructions can be exported."""
    with building(f.name) as b:
        return b.func(b.call(f, declared(b, f.params)))
