"""Modules and their instances: an instance has a wasmtime store of its own, and runs one call at a time.

An `Instance` has the state that a call of an export needs; a `Module` is compiled once, and ensures that no two
concurrent calls share an instance.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any, cast

import wasmtime

from rose.errors import Loc, RoseError, TimedOut, here
from rose.host.effects import Failure, Printer
from rose.host.marshal import answer, plain
from rose.ir import Func
from rose.ir.sizes import Sizes, sized
from rose.ir.sizes import number as number_of
from rose.ir.types import Bool, Real, Type, double

from ..abi.layout import is_aggregate, kind, plan, size
from ..abi.signature import ASKED, BASE, FAILED, MARK, Lowered, Signature
from . import code_cache, handles, raw_call
from .places import Place, fill, place_of
from .stopping import clock, stoppable, watch

Numbers = tuple[int, ...]


class Instance:
    """A module in a store of its own. Its memory has room for the arguments of one call at a time."""

    def __init__(self, engine: handles.Engine, module: handles.MachineCode, lowered: Lowered) -> None:
        self.store = handles.Store(engine)
        self.signatures, self.failures = lowered.signatures, lowered.failures
        self.raised: list[BaseException] = []  # by an opaque function, during this call
        self.states: dict[tuple[str, Numbers], tuple[Any, ...]] = {}
        self.sizes: dict[str, int] = {}  # the dynamic sizes that the module was last told
        self.ready: dict[str, Numbers] = {}  # the exports that were told these sizes
        self.until, self.apart, self.stopped = inf, False, False  # see `stopping.py`
        self.large = False  # its memory has grown so much that it is not to be kept
        self.stops = [stop for _, stop in lowered.stops]
        self.hosts = [self._host(f) for f in lowered.imports]
        imports: list[Any] = [f for f, _ in self.hosts]
        made = wasmtime.Instance(self.store, module, imports + [self._table()] * bool(self.stops))
        self.exports = made.exports(self.store)
        self.pages = self._pages()
        if self.stops:
            watch.add(self)

    @functools.cached_property
    def stop(self) -> tuple[wasmtime.Func, Any]:
        """The import that a stop calls, and the object that must live as long as it."""
        return raw_call.host(self.store, "i", "", functools.partial(_asked, weakref.ref(self)), self.raised)

    def _table(self) -> wasmtime.Table:
        functions = wasmtime.TableType(wasmtime.ValType.funcref(), wasmtime.Limits(1, 1))
        return wasmtime.Table(self.store, functions, self.stop[0])

    def _pages(self) -> Any:
        """The linear memory, at its size of now. Every view of it keeps it alive, and it keeps its store alive."""
        memory: Any = self.exports["memory"]
        pages = memory.get_buffer_ptr(self.store)
        pages.store = self.store
        return pages

    def limit(self, seconds: float) -> None:
        """End the call that begins now at its first stop after so many seconds."""
        self.until = clock() + seconds
        watch.wake()

    def asked(self) -> None:
        """Let the next stop of its run look whether to go on."""
        self.pages[ASKED] = 1

    def growth(self) -> int:
        """The bytes by which memory has grown since the sizes of the arguments were told."""
        memory: Any = self.exports["memory"]
        return memory.data_len(self.store) - len(self.pages)

    def place(self, t: Type, at: int) -> Place:
        """The place of a `t` at an address of linear memory."""
        if at + number_of(size(t)) > len(self.pages):
            self.pages = self._pages()  # it has grown, which by the engine's default does not move it
        return place_of(plan(t), at, self.pages)

    def resize(self, s: Signature, sizes: Numbers) -> None:
        """Tell the module these dynamic sizes of an export, unless it knows them."""
        if self.ready.get(s.name) == sizes:
            return
        known = {d.key: n for d, n in zip(s.sizes, sizes, strict=True)}
        if not known.items() <= self.sizes.items():
            self.ready.clear()
            self.sizes.update(known)
        if s.name not in self.ready:
            resize: Any = self.exports[MARK + s.name]
            try:
                resize(self.store, *[n - (n >> 31 << 32) for n in sizes])
            except wasmtime.Trap as e:
                self.pages = self._pages()
                raise failure(lambda error: error, self.failures, self.pages, e) from None
            self.ready[s.name] = sizes

    def state(self, s: Signature, sizes: Numbers) -> tuple[Any, ...]:
        """The state of an export, memoised: the values that the generated Python function unpacks."""
        name = s.name
        made = self.states.get((name, sizes))
        if made is None:
            func = self.exports[name]
            assert isinstance(func, wasmtime.Func)
            if sizes:
                self.resize(s, sizes)
            *params, result = ["" if x.placed else kind(x.type).raw for x in (*s.params, s.result)]
            e = raw_call.entry(self.store, func, "".join(params), result, self.raised)
            places = [self.place(p.type, p.address) for p in s.params if p.placed]
            found = self.place(s.result.type, s.result.address) if s.result.placed else None
            fail = functools.partial(failure, e.fail, self.failures, self.pages) if self.failures else e.fail
            own = weakref.proxy(self)  # without a cycle
            state = (e.call, e.args, fail, e.reals, e.singles, e.words, places, found, own, e.keep)
            made = self.states[name, sizes] = state
        return made

    def _host(self, f: Func) -> tuple[wasmtime.Func, Any]:
        """The import of a host function, and the objects that must live as long as it."""
        returns = is_aggregate(f.result) and not f.result.empty  # in memory, at the address in the last argument
        params = "".join([kind(p.type).raw for p in f.params])
        answer = functools.partial(_answer, weakref.ref(self), f)  # weak, as the store will hold it
        result = "" if returns else kind(f.result).raw
        return raw_call.host(self.store, params + "i" * returns, result, answer, self.raised)

    def received(self, t: Type, numbers: Iterator[Any]) -> Any:
        """The next argument of a host function, as its Python body gets it."""
        if is_aggregate(t) or t.empty:
            return self.place(sized(t, self.sizes), 0 if t.empty else next(numbers)).read()
        return next(numbers) != 0 if t is Bool else next(numbers)


def known_sizes(lowered: Lowered, s: Signature, sizes: Numbers) -> Sizes:
    """The values of all size variables of a signature with dynamic sizes, at these sizes."""
    return {BASE.key: lowered.base} | {d.key: n for d, n in zip(s.sizes, sizes, strict=True)}


def failure(fail: Callable[[Any], BaseException], failures: Sequence[Failure], pages: Any, error: Any) -> Any:
    """The error of a failed call: the failure whose number the module left in memory, else the result of `fail`."""
    made = fail(error)
    number = int.from_bytes(bytes(pages[FAILED : FAILED + 4]), "little")
    if not number:
        return made
    pages[FAILED : FAILED + 4] = (0, 0, 0, 0)
    return failures[number - 1].error()


def _answer(ref: weakref.ref[Instance], f: Func, *numbers: Any) -> Any:
    """Call a host function: its result as a number, or None after it was written to memory."""
    instance, impl = ref(), cast("Any", f.impl)
    assert instance is not None and impl is not None
    rest = iter(numbers)
    args = [instance.received(p.type, rest) for p in f.params]
    x = (impl.sized(instance.sizes) if isinstance(impl, Printer) else impl)(*args)
    if f.result is Real and x.__class__ is float:
        return x
    code = getattr(impl, "__code__", None)
    path, loc = (f"the result of {f.name}",), None if code is None else Loc(code, -1)
    if double(f.result) is not f.result:
        x = answer(x, f.result, path, loc)
    if is_aggregate(f.result) or f.result.empty:
        return fill(instance.place(f.result, next(rest, 0)), x, path, loc)
    return plain(x, f.result, path, loc)


def _asked(ref: weakref.ref[Instance], k: int) -> None:
    """Let a run go on from its stop `k`, unless it is to end. Handlers of signals have been run when this begins."""
    instance = ref()
    assert instance is not None
    instance.pages[ASKED] = 0
    instance.apart = threading.get_ident() != threading.main_thread().ident
    watch.wake()
    instance.large = instance.growth() > SPARE
    if instance.stopped:
        raise KeyboardInterrupt
    if instance.until <= clock():
        where = instance.stops[k].where if k < len(instance.stops) else ""
        what = f"the time of the call was up{f' in the loop at {where}' if where else ''}"
        raise TimedOut(what, here(), "give it a larger timeout, or its loops fewer iterations")


SPARE = 2**26  # bytes of tape that an instance keeps for its next call
_DEEPEST = 50  # nested calls: each has a memory of its own, and takes 4 to 8 of Python's 1,000 frames
_lock = threading.Lock()
_engine = functools.cache(raw_call.engine)  # of this process, made under the lock
_born = os.getpid()  # differs in a forked process, where the threads with which the engine compiles do not exist


class Module:
    """A module, compiled when it is first needed, and its instances: one for each thread, and one more for each nested
    call, which a host function makes."""

    def __init__(self, lowered: Lowered, timeout: float | None = None) -> None:
        self.lowered, self.timeout = lowered, timeout
        self._lock, self._local = threading.Lock(), threading.local()
        self._locals: weakref.WeakSet[threading.local] = weakref.WeakSet()  # with the states of exports
        self._compiled: dict[bool, tuple[handles.Engine, handles.MachineCode]] = {}

    def compiled(self) -> tuple[handles.Engine, handles.MachineCode]:
        """The engine, and the module that it compiled: once in this process, and once more after a fork."""
        forked = os.getpid() != _born
        with self._lock:
            if forked not in self._compiled:
                with _lock:
                    engine = _engine(not forked)
                self._compiled[forked] = engine, code_cache.compiled(engine, self.wasm())
        return self._compiled[forked]

    def wasm(self) -> bytes:
        """The bytes that are compiled: those of the module, and a test at each of its stops."""
        return stoppable(self.lowered.wasm, self.lowered.stops)

    def instance(self) -> Instance:
        """A new instance."""
        return Instance(*self.compiled(), self.lowered)

    def state(self, s: Signature, sizes: Numbers, local: threading.local) -> tuple[Any, ...]:
        """The state of an export in the instance of this thread; stored in `local`."""
        if not hasattr(self._local, "own"):
            self._local.own = self.instance()
        self._locals.add(local)
        state = local.state = self._local.own.state(s, sizes)
        return state

    def take(self) -> Instance:
        """An instance that no call of this thread uses, until it is given back with `give`."""
        free: list[Instance] = self._local.__dict__.setdefault("free", [])
        if free:
            return free.pop()
        made = getattr(self._local, "made", 0)
        if made == _DEEPEST:
            hint = "end the recursion: an opaque function calls the compiled function that calls it"
            raise RoseError(f"{made} calls wait for one another", here(), hint)
        instance = self.instance()
        self._local.made = made + 1
        return instance

    def give(self, instance: Instance) -> None:
        """Let the next call of this thread use an instance."""
        if instance.large:
            self._local.made -= 1
        else:
            self._local.free.append(instance)

    def shed(self) -> None:
        """Let the next call of this thread have a new instance: memory that has grown does not get smaller."""
        del self._local.own
        for local in [*self._locals]:
            local.__dict__.pop("state", None)
