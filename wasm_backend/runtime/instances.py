"""Instances of modules, each in a store of its own: one of them runs one call at a time.

An `Instance` has what a call needs to know of an export; a `Module` is compiled once, and sees to it that no two
calls at once share an instance.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import wasmtime

from rose.errors import Loc, RoseError, here
from rose.host.effects import Failure, Printer
from rose.host.marshal import answer, plain
from rose.ir import Func
from rose.ir.sizes import Sizes, sized
from rose.ir.sizes import number as number_of
from rose.ir.types import Bool, Real, Single, Tan, Type, double

from ..abi.layout import is_aggregate, size
from ..abi.signature import BASE, FAILED, MARK, Lowered, Signature, Slot
from . import code_cache, raw_call
from .memory import Place, fill, place_of

Numbers = tuple[int, ...]


def kind_of(t: Type) -> str:
    """How a scalar crosses the border: "d" as an f64, "f" as an f32, "i" as an i32, "" not at all."""
    return "" if t.empty else "d" if t is Real or t is Tan else "f" if t is Single else "i"


def _at(s: Slot) -> int:
    """The address of what is placed."""
    return number_of(s.at or 0)


def is_placed(s: Slot) -> bool:
    """True for what is written to memory or read from it, or is an aggregate with nothing to write."""
    return s.at is not None or is_aggregate(s.type)


class Instance:
    """A module in a store of its own. Its memory has room for the arguments of one call at a time."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module, lowered: Lowered) -> None:
        self.store = wasmtime.Store(engine)
        self.signatures, self.failures = lowered.signatures, lowered.failures
        self.raised: list[BaseException] = []  # by an opaque function, during this call
        self.states: dict[tuple[str, Numbers], tuple[Any, ...]] = {}
        self.sizes: dict[str, int] = {}  # of vectors, as calls told them last
        self.ready: dict[str, Numbers] = {}  # the sizes of exports that know of these
        self.hosts = [self._host(f) for f in lowered.imports]
        made = wasmtime.Instance(self.store, module, [f for f, _ in self.hosts])
        self.exports = made.exports(self.store)
        self.pages = self._pages()

    def _pages(self) -> Any:
        """The memory, as it is now. All views of it hold it, and it holds the store, which it lives in."""
        memory: Any = self.exports["memory"]
        pages = memory.get_buffer_ptr(self.store)
        pages.store = self.store
        return pages

    def place(self, t: Type, at: int) -> Place:
        if at + number_of(size(t)) > len(self.pages):
            self.pages = self._pages()  # it has grown; the engine's default is that it does not move
        return place_of(t, at, self.pages)

    def resize(self, s: Signature, sizes: Numbers) -> None:
        """Let the vectors of an export have these sizes from now on."""
        if self.ready.get(s.name) == sizes:
            return
        given = {d.key: n for d, n in zip(s.sizes, sizes, strict=True)}
        if not given.items() <= self.sizes.items():
            self.ready.clear()
            self.sizes.update(given)
        if s.name not in self.ready:
            resize: Any = self.exports[MARK + s.name]
            try:
                resize(self.store, *[n - (n >> 31 << 32) for n in sizes])
            except wasmtime.Trap as e:
                self.pages = self._pages()
                raise failure(lambda error: error, self.failures, self.pages, e) from None
            self.ready[s.name] = sizes

    def state(self, s: Signature, sizes: Numbers) -> tuple[Any, ...]:
        """What the code of `_source` needs to call an export."""
        name = s.name
        made = self.states.get((name, sizes))
        if made is None:
            func = self.exports[name]
            assert isinstance(func, wasmtime.Func)
            if sizes:
                self.resize(s, sizes)
            params = "".join(["" if is_placed(p) else kind_of(p.type) for p in s.params])
            result = "" if is_placed(s.result) else kind_of(s.result.type)
            e = raw_call.entry(self.store, func, params, result, self.raised)
            places = [self.place(p.type, _at(p)) for p in s.params if is_placed(p)]
            found = self.place(s.result.type, _at(s.result)) if is_placed(s.result) else None
            fail = functools.partial(failure, e.fail, self.failures, self.pages) if self.failures else e.fail
            resize = functools.partial(Instance.resize, weakref.proxy(self))  # no cycle: the store goes at once
            state = (e.call, e.args, fail, e.reals, e.singles, e.words, places, found, resize, e.keep)
            made = self.states[name, sizes] = state
        return made

    def _host(self, f: Func) -> tuple[wasmtime.Func, Any]:
        """The import behind which an opaque function stands."""
        returns = is_aggregate(f.result) and not f.result.empty  # in memory, where the last argument says
        params = "".join(["i" if is_aggregate(p.type) and not p.type.empty else kind_of(p.type) for p in f.params])
        answer = functools.partial(_answer, weakref.ref(self), f)  # the store will hold it: not the reverse
        result = "" if returns else kind_of(f.result)
        return raw_call.host(self.store, params + "i" * returns, result, answer, self.raised)

    def received(self, t: Type, numbers: Iterator[Any]) -> Any:
        """An argument of an opaque function, as its Python body sees it."""
        if is_aggregate(t) or t.empty:
            return self.place(sized(t, self.sizes), 0 if t.empty else next(numbers)).read()
        return next(numbers) != 0 if t is Bool else next(numbers)


def known_sizes(lowered: Lowered, s: Signature, sizes: Numbers) -> Sizes:
    """What a signature of a module for every size is to be told, at these sizes."""
    return {BASE.key: lowered.base} | {d.key: n for d, n in zip(s.sizes, sizes, strict=True)}


def failure(fail: Callable[[Any], BaseException], failures: Sequence[Failure], pages: Any, error: Any) -> Any:
    """What to raise for a call that failed: one that it says itself, or what `fail` makes of it."""
    made = fail(error)
    number = int.from_bytes(bytes(pages[FAILED : FAILED + 4]), "little")
    if not number:
        return made
    pages[FAILED : FAILED + 4] = (0, 0, 0, 0)
    return failures[number - 1].error()


def _answer(ref: weakref.ref[Instance], f: Func, *numbers: Any) -> Any:
    """What an opaque function answers to the module: a number, or nothing and an aggregate in memory."""
    instance, impl = ref(), cast("Any", f.impl)
    assert instance is not None and impl is not None
    rest = iter(numbers)
    given = [instance.received(p.type, rest) for p in f.params]
    x = (impl.sized(instance.sizes) if isinstance(impl, Printer) else impl)(*given)
    if f.result is Real and x.__class__ is float:
        return x
    code = getattr(impl, "__code__", None)
    path, loc = (f"what {f.name} returns",), None if code is None else Loc(code, -1)
    if double(f.result) is not f.result:
        x = answer(x, f.result, path, loc)
    if is_aggregate(f.result) or f.result.empty:
        return fill(instance.place(f.result, next(rest, 0)), x, f.result, path, loc)
    return plain(x, f.result, path, loc)


_DEEPEST = 50  # calls within calls: each has a memory of its own, and takes 4 to 8 of Python's 1,000 frames
_lock = threading.Lock()
_engine = functools.cache(raw_call.engine)  # of this process, made under the lock
_born = os.getpid()  # a process that was forked has another: the engine's threads, which compile, did not come along


class Module:
    """A module, compiled when first needed, and its instances: one for each thread, and one more for each
    call that an opaque function makes while the call that it answers waits."""

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self._lock, self._local = threading.Lock(), threading.local()
        self._compiled: dict[bool, tuple[wasmtime.Engine, wasmtime.Module]] = {}

    def compiled(self) -> tuple[wasmtime.Engine, wasmtime.Module]:
        forked = os.getpid() != _born
        with self._lock:
            if forked not in self._compiled:
                with _lock:
                    engine = _engine(not forked)
                self._compiled[forked] = engine, code_cache.compiled(engine, self.lowered.wasm)
        return self._compiled[forked]

    def instance(self) -> Instance:
        """A new one."""
        return Instance(*self.compiled(), self.lowered)

    def state(self, s: Signature, sizes: Numbers, local: threading.local) -> tuple[Any, ...]:
        """The state of an export in the instance of this thread, where there is one; put into `local`."""
        if not hasattr(self._local, "own"):
            self._local.own = self.instance()
        state = local.state = self._local.own.state(s, sizes)
        return state

    def take(self) -> Instance:
        """An instance that no call of this thread uses now, to be given back."""
        free: list[Instance] = self._local.__dict__.setdefault("free", [])
        if free:
            return free.pop()
        made = getattr(self._local, "made", 0)
        if made == _DEEPEST:
            hint = "an opaque function calls the compiled function that it is called by: let that come to an end"
            raise RoseError(f"{made} calls wait for one another", here(), hint)
        instance = self.instance()
        self._local.made = made + 1
        return instance

    def give(self, instance: Instance) -> None:
        self._local.free.append(instance)
