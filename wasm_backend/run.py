"""Modules as Python callables: under wasmtime, with one call of C for each evaluation.

    _Instance          a module in a store of its own, with its own memory
    _Module            a module, compiled once, and its instances: no two calls at once share one
    Export, Compiled   what a user holds
"""

from __future__ import annotations

import functools
import importlib
import inspect
import keyword
import pickle
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import wasmtime

from rose.errors import Loc, RoseError, TypeMismatch, here, hide_our_frames
from rose.ir import Builder, Func, shown
from rose.structs import plain
from rose.types import Bool, Fin, Real, Tan, Tuple, Type, Unit, Vec

from . import rawcall
from .abi import Lowered, Signature, Slot
from .layout import is_aggregate, size
from .memory import Array, Leaf, Struct, dtype_of, fill, place_of, shape_of

# instances


def _kind(t: Type, in_memory: bool) -> str:
    """How a value crosses the border: "d" as an f64, "i" as an i32, "" not at all."""
    return "" if t.empty or in_memory else "d" if t is Real or t is Tan else "i"


class _Instance:
    """A module in a store of its own. Its memory is one set of arguments and results: one call at a time."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module, lowered: Lowered) -> None:
        self.store = wasmtime.Store(engine)
        self.signatures = lowered.signatures
        self.raised: list[BaseException] = []  # by an opaque function, during this call
        self.states: dict[str, tuple[Any, ...]] = {}
        self.hosts = [self._host(f) for f in lowered.imports]
        made = wasmtime.Instance(self.store, module, [f for f, _ in self.hosts])
        self.exports = made.exports(self.store)
        self.pages = self._pages()

    def _pages(self) -> Any:
        """The memory, as it is now. It holds the store, without which it would be gone: so do all views of it."""
        memory = self.exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        pages: Any = memory.get_buffer_ptr(self.store)
        pages.store = self.store
        return pages

    def place(self, t: Type, at: int) -> Leaf | Struct:
        if at + size(t) > len(self.pages):
            self.pages = self._pages()  # it has grown, at the same address
        return place_of(t, at, self.pages)

    def state(self, name: str) -> tuple[Any, ...]:
        """What the code of `_source` needs to call an export."""
        made = self.states.get(name)
        if made is None:
            s, func = self.signatures[name], self.exports[name]
            assert isinstance(func, wasmtime.Func)
            params = "".join([_kind(p.type, p.at is not None) for p in s.params])
            result = _kind(s.result.type, s.result.at is not None)
            e = rawcall.entry(self.store, func, params, result, self.raised)
            put = [self.place(p.type, p.at or 0).put for p in s.params if _is_placed(p)]
            place = self.place(s.result.type, s.result.at or 0)
            made = self.states[name] = (e.call, e.args, e.fail, e.reals, e.words, put, place, e.keep)
        return made

    def _host(self, f: Func) -> tuple[wasmtime.Func, Any]:
        """The import behind which an opaque function stands."""
        returns = is_aggregate(f.result) and not f.result.empty  # in memory, where the last argument says
        params = "".join([_kind(p.type, False) for p in f.params]) + "i" * returns
        body = functools.partial(_answer, weakref.ref(self), f, returns)  # the store holds it: not the reverse
        return rawcall.host(self.store, params, _kind(f.result, returns), body, self.raised)

    def received(self, t: Type, numbers: Iterator[Any]) -> Any:
        """An argument of an opaque function, as its Python body sees it."""
        if is_aggregate(t) or t.empty:
            return self.place(t, 0 if t.empty else next(numbers)).read()
        return next(numbers) != 0 if t is Bool else next(numbers)


def _answer(ref: weakref.ref[_Instance], f: Func, returns: bool, *numbers: Any) -> Any:
    """What an opaque function answers to the module."""
    instance = ref()
    assert instance is not None and f.impl is not None
    rest = iter(numbers)
    x = f.impl(*[instance.received(p.type, rest) for p in f.params])
    code = getattr(f.impl, "__code__", None)
    path, loc = (f"what {f.name} returns",), None if code is None else Loc(code, -1)
    if not returns and not f.result.empty:
        return x if f.result is Real and x.__class__ is float else plain(x, f.result, path, loc)
    put = instance.place(f.result, next(rest, 0)).put
    if not put(x):
        fill(put, x, f.result, path, loc)


_lock = threading.Lock()


@functools.cache
def _engine() -> wasmtime.Engine:
    """The engine of this process."""
    return wasmtime.Engine()


class _Module:
    """A module, compiled when first needed, and its instances: one for each thread, and one more for each
    call that an opaque function makes while another call of the same module waits for it."""

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self._lock, self._local = threading.Lock(), threading.local()
        self._made: tuple[wasmtime.Engine, wasmtime.Module, Lowered] | None = None

    def instance(self) -> _Instance:
        """A new one."""
        with self._lock:
            if self._made is None:
                with _lock:
                    engine = _engine()
                self._made = engine, wasmtime.Module(engine, self.lowered.wasm), self.lowered
        return _Instance(*self._made)

    def own(self) -> _Instance:
        """That of this thread."""
        if not hasattr(self._local, "own"):
            self._local.own = self.instance()
        return self._local.own

    def take(self) -> _Instance:
        """One that no call of this thread uses now: to be given back."""
        free = self._local.__dict__.setdefault("free", [])
        return free.pop() if free else self.instance()

    def give(self, instance: _Instance) -> None:
        self._local.free.append(instance)


class _Local(threading.local):
    """The `state` of an export in each thread: made when it is first asked for."""

    def __init__(self, module: _Module, name: str) -> None:
        self._module, self._name = module, name

    def __getattr__(self, attribute: str) -> Any:
        if attribute != "state":
            raise AttributeError(attribute)
        self.state = self._module.own().state(self._name)
        return self.state


# calls


class _Absent:
    """In the place of an argument that was not given."""


def _is_placed(p: Slot) -> bool:
    return p.at is not None or is_aggregate(p.type)


def _source(s: Signature, pooled: bool) -> str:
    """A Python function for one signature: nothing about the signature is left to look up when it is called."""
    names = [f"a{k}" for k in range(len(s.params))]
    checks, fills, sends = list[str](), list[str](), list[str]()
    for k, p in enumerate(s.params):
        if _is_placed(p):
            put = f"put[{len(fills)}]"
            fills.append(f"{put}(a{k}) or fill({put}, a{k}, t{k}, n{k})")
            continue
        checks.append(f"if {_wrong(p.type, f'a{k}')}: a{k} = plain(a{k}, t{k}, n{k})")
        if not p.type.empty:
            buffer = "reals" if _kind(p.type, False) == "d" else "words"
            sends.append(f"{buffer}[{2 * len(sends) + 2}] = a{k}")
    lines = [
        f"if named or rest{f' or {names[-1]} is absent' if names else ''}:",
        f"    [{', '.join(names)}], finish = bind(signature, ({''.join([f'{a}, ' for a in names])}*rest), named)",
        *(["else: finish = None"] if _is_placed(s.result) else []),
        *checks,
        "call, args, fail, reals, words, put, result, _ = " + ("instance.state(name)" if pooled else "local.state"),
        *fills,
        *sends,
        "error = call(*args)",
        "if error is not None or words[0]: raise fail(error)",
        f"return {_read(s.result)}",
    ]
    if pooled:
        lines = ["instance = take()", "try:", *[f"    {x}" for x in lines], "finally: give(instance)"]
    params = "".join([f"{a}=absent, " for a in names]) + ("/, " if names else "")
    return "\n".join(
        [f"def call({params}*rest, **named):", "    try:", *[f"        {x}" for x in lines]]
        + ["    except RoseError as e: raise hide_our_frames(e)"]
    )


def _wrong(t: Type, x: str) -> str:
    """The condition that `x` is not as `t` is given most often, and so has to be looked at."""
    if isinstance(t, Fin):
        return f"{x}.__class__ is not int or not 0 <= {x} < {t.size}"
    return f"{x} is not None" if t is Unit else f"{x}.__class__ is not {'bool' if t is Bool else 'float'}"


def _read(result: Slot) -> str:
    """The expression for what comes back."""
    if _is_placed(result):
        return "result.read() if finish is None else finish(result)"
    if result.type is Unit:
        return "None"
    number = "reals[2]" if _kind(result.type, False) == "d" else "(words[2] & 0xFFFFFFFF)"
    return f"{number} != 0" if result.type is Bool else number


def _function(module: _Module, s: Signature) -> Callable[..., Any]:
    """The Python function for an export."""
    pooled = bool(module.lowered.imports)
    scope: dict[str, Any] = {
        **{f"t{k}": p.type for k, p in enumerate(s.params)},
        **{f"n{k}": (p.name,) for k, p in enumerate(s.params)},
        **{"absent": _Absent, "bind": _bind, "fill": fill, "plain": plain, "signature": s, "name": s.name},
        **{"RoseError": RoseError, "hide_our_frames": hide_our_frames},
        **({"take": module.take, "give": module.give} if pooled else {"local": _Local(module, s.name)}),
    }
    # a name below this file's, so that errors know the frame to be ours
    exec(compile(_source(s, pooled), f"{__file__}/{s.name}", "exec"), scope)
    return scope.pop("call")


def _bind(s: Signature, args: Sequence[Any], named: dict[str, Any]) -> tuple[list[Any], Any]:
    """One argument for each parameter, and what to do with the result if it is not to be copied."""
    names = [p.name for p in s.params]
    finish = _finish(s.result, *[_extra(k, names, named) for k in ("out", "view")])
    given = [x for x in args if x is not _Absent]
    takes = f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})" if names else "no arguments"
    count, rest = len(given) + len(named), names[len(given) :]
    if extra := [k for k in named if k not in rest]:
        said = "is given twice" if extra[0] in names else "is unknown"
        raise TypeMismatch(f"{s.name} takes {takes}: {extra[0]} {said}", here(), "see its signature")
    if count != len(names):
        missing = [k for k in rest if k not in named]
        hint = f"{missing[0]} is missing" if missing else "too many"
        raise TypeMismatch(f"{s.name} takes {takes}, got {count}", here(), hint)
    return given + [named[k] for k in rest], finish


def _extra(k: str, names: list[str], named: dict[str, Any]) -> Any:
    """What is given as `out` or `view`. `Export.call` writes it in a way that no parameter can be called."""
    given = named.pop(f"{k}=", None)
    return named.pop(k, None) if given is None and k not in names else given


def _finish(result: Slot, out: Any, view: Any) -> Callable[[Any], Any] | None:
    """What to do with the place where the result is, in the place of copying it."""
    if out is None:
        return (lambda place: place.read(copy=False)) if view else None
    dims, elem = shape_of(result.type)
    dtype = np.dtype(np.int64) if isinstance(elem, Fin) else _DTYPES.get(elem)
    what = f"an array of shape {dims} and dtype {dtype}"
    if not dims or dtype is None or elem is Unit or view:
        hint = "it takes a result that is a vector of numbers; `view=True` is in the place of it"
        raise TypeMismatch(f"out cannot be given here: the result is a {result.type!r}", here(), hint)
    if not isinstance(out, np.ndarray) or out.shape != dims or out.dtype != dtype:
        got = f"one of {out.shape} and {out.dtype}" if isinstance(out, np.ndarray) else shown(out)
        raise TypeMismatch(f"out must be {what}, got {got}", here(), f"np.empty({dims}, {str(dtype)!r}) is one")
    if not out.flags.writeable:
        raise TypeMismatch("out must be an array that can be written to", here(), "give a copy of it")

    def into(place: Leaf) -> Array:
        out[...] = place.view
        return out

    return into


# what a user holds


class Export:
    """One function of a compiled module: call it with numbers, lists, arrays, structs.

    The result is a number, an array (a copy), or an object of the user's own class. Two more arguments
    by name say what becomes of a result that is in memory:

        out=array    write a vector of numbers into `array`, and give that
        view=True    give read-only views of the memory: no copy, and valid only until the next call of any
                     function of the module in the same thread, which overwrites it. They keep the memory alive.

    Where a parameter is itself called `out` or `view`, these are given to `call`.
    """

    # a slot, so that calling the object finds its function without any Python in between
    __slots__ = ("__call__", "__dict__", "__weakref__")
    __call__: Callable[..., Any]

    def __init__(self, lowered: Lowered, name: str, doc: str | None = None, *, module: _Module | None = None) -> None:
        self.lowered, self.__name__, self.__qualname__ = lowered, name, name
        if doc is not None:
            self.__doc__ = doc
        self._doc, self._module = doc, module or _Module(lowered)
        self.__call__ = _function(self._module, lowered.signatures[name])

    def call(self, args: Sequence[Any], *, out: Any = None, view: bool = False) -> Any:
        """A call with these arguments in order, where `out` and `view` cannot be taken for parameters."""
        return self.__call__(*args, **{"out=": out, "view=": view or None})

    @property
    def signature(self) -> inspect.Signature:
        """The parameters and the result, with their types."""
        s = self.lowered.signatures[self.__name__]
        legal = [p.name.isidentifier() and not keyword.iskeyword(p.name) for p in s.params]
        names = [p.name if all(legal) else f"x{k}" for k, p in enumerate(s.params)]
        params = [
            inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=p.type)
            for n, p in zip(names, s.params, strict=True)
        ]
        return inspect.Signature(params, return_annotation=s.result.type)

    __signature__ = signature

    def __repr__(self) -> str:
        return f"<compiled {self.__name__}{self.signature}>"

    def __reduce__(self) -> tuple[Any, ...]:
        x = self.lowered
        return _unpickled, (type(self), self.__name__, self._doc, x.wasm, x.signatures, [_packed(f) for f in x.imports])


class Compiled(Export):
    """A compiled module. It is its main function; the others are `compiled["name"]` or `compiled.name`.

    It can be called from several threads at once, and pickled: the bytes travel, and are compiled where
    they are first called.
    """

    __slots__ = ()

    @property
    def wasm(self) -> bytes:
        """The module, in the binary format."""
        return self.lowered.wasm

    @property
    def signatures(self) -> dict[str, Signature]:
        """The signature of each function, by its name."""
        return self.lowered.signatures

    def __getitem__(self, name: str) -> Export:
        if name == self.__name__:
            return self
        exports: dict[str, Export] = self.__dict__.setdefault("_exports", {})
        if name not in self.lowered.signatures:
            hint = f"it has {', '.join(self.lowered.signatures)}"
            raise RoseError(f"the module has no function {name!r}", here(), hint)
        if name not in exports:
            exports[name] = Export(self.lowered, name, module=self._module)
        return exports[name]

    def __getattr__(self, name: str) -> Export:
        lowered: Lowered | None = self.__dict__.get("lowered")
        if lowered is None or name not in lowered.signatures:
            raise AttributeError(f"{type(self).__name__} object has no attribute {name!r}")
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.lowered.signatures]


# pickling


def _unpickled(
    cls: type[Export], name: str, doc: str | None, wasm: bytes, signatures: dict[str, Signature], imports: list[Any]
) -> Export:
    return cls(Lowered(wasm, signatures, tuple([_opaque(*f) for f in imports])), name, doc)


def _packed(f: Func) -> tuple[Any, ...]:
    """An opaque function, with its body by reference: by its name where `@opaque` took that, else as pickle has it."""
    where = getattr(f.impl, "__module__", None), getattr(f.impl, "__qualname__", "")
    body: Any = f.impl
    if where[0] is not None and _find(*where) is f.impl:
        body = where
    else:
        try:
            pickle.dumps(body)
        except Exception as e:
            hint = "define it at the top of a module, so that its name finds it where the pickle is read"
            raise RoseError(f"the opaque function {f.name} cannot be pickled: {e}", here(), hint) from None
    return f.name, body, [(p.type, p.attr) for p in f.params], f.result, f.pure


def _opaque(name: str, body: Any, params: list[tuple[Type, str]], result: Type, pure: bool) -> Func:
    """What `_packed` packed."""
    b = Builder(name)
    for t, k in params:
        b.param(t, k)
    return Func(name, b.root, result, pure=pure, impl=_find(*body) if isinstance(body, tuple) else body)


def _find(module: str, name: str) -> Any:
    """The function of that name in that module, below the `@opaque` that may stand there; None if there is none."""
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return getattr(found, "body", found)
