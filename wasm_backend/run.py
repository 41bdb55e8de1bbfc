"""Modules as Python callables: under wasmtime, with one call of C for each evaluation.

Three layers, from the inside out: an `_Instance` is a module in a store of its own; a `_Module` is compiled
once, and sees to it that no two calls at once share an instance; an `Export` is what a user calls, and a
`Compiled` is the main one.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import keyword
import pickle
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import wasmtime

from rose.dims import number as number_of
from rose.dims import sized
from rose.effects import Failure, Printer
from rose.errors import Loc, NoField, RoseError, TypeMismatch, edge, here, hide_our_frames
from rose.ir import Builder, Func, not_one_each, shown
from rose.measure import measured
from rose.structs import answer, plain
from rose.types import Bool, Fin, Real, Single, Tan, Type, Unit, double

from . import rawcall
from .abi import FAILED, Lowered, Signature, Slot
from .extents import MARK
from .layout import is_aggregate, size
from .memory import LARGEST, Place, destination, fill, number, place_of
from .places import BASE

Numbers = tuple[int, ...]

# instances


def _kind(t: Type) -> str:
    """How a scalar crosses the border: "d" as an f64, "f" as an f32, "i" as an i32, "" not at all."""
    return "" if t.empty else "d" if t is Real or t is Tan else "f" if t is Single else "i"


# how the text of a function names the number k that goes in, or 0 that comes out
_SLOTS: dict[str, Callable[[int], str]] = {
    "d": lambda k: f"reals[{2 * k + 2}]", "f": lambda k: f"singles[{4 * k + 4}]", "i": lambda k: f"words[{2 * k + 2}]",
}  # fmt: skip


def _is_placed(s: Slot) -> bool:
    """True for what is written to memory or read from it, or is an aggregate with nothing to write."""
    return s.at is not None or is_aggregate(s.type)


class _Instance:
    """A module in a store of its own. Its memory has room for the arguments of one call at a time."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module, lowered: Lowered) -> None:
        self.store = wasmtime.Store(engine)
        self.signatures, self.failures = lowered.signatures, lowered.failures
        self.raised: list[BaseException] = []  # by an opaque function, during this call
        self.states: dict[tuple[str, Numbers], tuple[Any, ...]] = {}
        self.sizes: dict[str, int] = {}  # of vectors, as calls told them last
        self.ready: set[str] = set()  # the exports that know of these
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
                raise _failure(lambda error: error, self.failures, self.pages, e) from None
            self.ready.add(s.name)

    def state(self, s: Signature, sizes: Numbers) -> tuple[Any, ...]:
        """What the code of `_source` needs to call an export."""
        name = s.name
        made = self.states.get((name, sizes))
        if made is None:
            func = self.exports[name]
            assert isinstance(func, wasmtime.Func)
            if sizes:
                self.resize(s, sizes)
            params = "".join(["" if _is_placed(p) else _kind(p.type) for p in s.params])
            result = "" if _is_placed(s.result) else _kind(s.result.type)
            e = rawcall.entry(self.store, func, params, result, self.raised)
            places = [self.place(p.type, number_of(p.at or 0)) for p in s.params if _is_placed(p)]
            found = self.place(s.result.type, number_of(s.result.at or 0)) if _is_placed(s.result) else None
            fail = functools.partial(_failure, e.fail, self.failures, self.pages) if self.failures else e.fail
            resize = functools.partial(_resize, weakref.ref(self))  # of what the instance holds, nothing holds it
            state = (e.call, e.args, fail, e.reals, e.singles, e.words, places, found, resize, e.keep)
            made = self.states[name, sizes] = state
        return made

    def _host(self, f: Func) -> tuple[wasmtime.Func, Any]:
        """The import behind which an opaque function stands."""
        returns = is_aggregate(f.result) and not f.result.empty  # in memory, where the last argument says
        params = "".join(["i" if is_aggregate(p.type) and not p.type.empty else _kind(p.type) for p in f.params])
        answer = functools.partial(_answer, weakref.ref(self), f)  # the store will hold it: not the reverse
        result = "" if returns else _kind(f.result)
        return rawcall.host(self.store, params + "i" * returns, result, answer, self.raised)

    def received(self, t: Type, numbers: Iterator[Any]) -> Any:
        """An argument of an opaque function, as its Python body sees it."""
        if is_aggregate(t) or t.empty:
            return self.place(sized(t, self.sizes), 0 if t.empty else next(numbers)).read()
        return next(numbers) != 0 if t is Bool else next(numbers)


def _failure(fail: Callable[[Any], BaseException], failures: Sequence[Failure], pages: Any, error: Any) -> Any:
    """What to raise for a call that failed: one that it says itself, or what `fail` makes of it."""
    made = fail(error)
    number = int.from_bytes(bytes(pages[FAILED : FAILED + 4]), "little")
    if not number:
        return made
    pages[FAILED : FAILED + 4] = (0, 0, 0, 0)
    return failures[number - 1].error()


def _resize(ref: weakref.ref[_Instance], s: Signature, sizes: Numbers) -> None:
    instance = ref()
    assert instance is not None
    instance.resize(s, sizes)


def _answer(ref: weakref.ref[_Instance], f: Func, *numbers: Any) -> Any:
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
_engine = functools.cache(rawcall.engine)  # the one of this process, made under the lock


class _Module:
    """A module, compiled when first needed, and its instances: one for each thread, and one more for each
    call that an opaque function makes while the call that it answers waits."""

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self._lock, self._local = threading.Lock(), threading.local()
        self._compiled: tuple[wasmtime.Engine, wasmtime.Module] | None = None

    def _instance(self) -> _Instance:
        with self._lock:
            if self._compiled is None:
                with _lock:
                    engine = _engine()
                self._compiled = engine, wasmtime.Module(engine, self.lowered.wasm)
        return _Instance(*self._compiled, self.lowered)

    def state(self, s: Signature, sizes: Numbers, local: threading.local) -> tuple[Any, ...]:
        """The state of an export in the instance of this thread, where there is one; put into `local`."""
        if not hasattr(self._local, "own"):
            self._local.own = self._instance()
        state = local.state = self._local.own.state(s, sizes)
        return state

    def take(self) -> _Instance:
        """An instance that no call of this thread uses now, to be given back."""
        free: list[_Instance] = self._local.__dict__.setdefault("free", [])
        if free:
            return free.pop()
        made = getattr(self._local, "made", 0)
        if made == _DEEPEST:
            hint = "an opaque function calls the compiled function that it is called by: let that come to an end"
            raise RoseError(f"{made} calls wait for one another", here(), hint)
        instance = self._instance()
        self._local.made = made + 1
        return instance

    def give(self, instance: _Instance) -> None:
        self._local.free.append(instance)


# calls


class _Absent:
    """In the place of an argument that is not given."""


def _source(s: Signature, pooled: bool, sized: bool) -> str:
    """A Python function for one signature: what can be known of a call before it is made is in its text.

    It takes what is usual, and leaves the rest to `bind`, `number`, `fill` and `destination`.
    """
    names = [f"a{k}" for k in range(len(s.params))]
    checks, fills, sends = list[str](), list[str](), list[str]()
    for k, p in enumerate(s.params):
        if _is_placed(p):
            place = f"places[{len(fills)}]"
            fills.append(f"{place}.put(a{k}) or fill({place}, a{k}, t{k}, n{k})")
            continue
        checks.append(f"if {_unusual(p.type, f'a{k}')}: a{k} = number(a{k}, t{k}, n{k})")
        if not p.type.empty:
            sends.append(f"{_SLOTS[_kind(p.type)](len(sends))} = a{k}")
    missing = f" or {names[-1]} is absent" if names else ""
    given = "".join([f"{a}, " for a in names])
    own = ["try: state = local.state", "except AttributeError: state = make(signature, sizes, local)"]
    lines = [
        "extras = None",
        f"if named or rest{missing}: [{given}], extras = bind(name, names, [{given}*rest], named)",
        *checks,
        *(["state = taken.state(signature, sizes)"] if pooled else own),
        "call, args, fail, reals, singles, words, places, result, resize, _ = state",
        *["resize(signature, sizes)"] * sized,
        "if extras is not None: into = destination(result, t, *extras)",
        *fills,
        *sends,
        "error = call(*args)",
        "if error is not None or words[0]: raise fail(error)",
        f"return {_result(s.result)}",
    ]
    if pooled:
        lines = ["taken = take()", "try:", *[f"    {x}" for x in lines], "finally: give(taken)"]
    params = "".join([f"{a}=absent, " for a in names]) + ("/, " if names else "")
    text = [f"def call({params}*rest, **named):", "    try:", *[f"        {x}" for x in lines]]
    return "\n".join([*text, "    except Exception as e:", "        hide_our_frames(e)", "        raise"])


def _unusual(t: Type, x: str) -> str:
    """The condition that `x` is not what is usually given for a scalar."""
    if isinstance(t, Fin):
        return f"{x}.__class__ is not int or not 0 <= {x} < {t.size}"
    if t is Single:
        return f"{x}.__class__ is not float or not -{LARGEST!r} <= {x} <= {LARGEST!r}"
    return f"{x} is not None" if t is Unit else f"{x}.__class__ is not {'bool' if t is Bool else 'float'}"


def _result(s: Slot) -> str:
    """The expression of what comes back."""
    if _is_placed(s):
        return "result.read() if extras is None else into()"
    if s.type is Unit:
        return "None"
    kind = _kind(s.type)
    number = _SLOTS[kind](0) + " & 0xFFFFFFFF" * (kind == "i")
    return f"({number}) != 0" if s.type is Bool else number


def _function(module: _Module, s: Signature, sizes: Numbers = ()) -> Callable[..., Any]:
    """The Python function for an export; for these sizes, if it is of a module for every size."""
    pooled = bool(module.lowered.imports)
    scope: dict[str, Any] = {"absent": _Absent, "bind": _bind, "number": number, "fill": fill, "name": s.name}
    scope |= {"signature": s, "sizes": sizes}
    scope |= {
        "destination": destination,
        "names": [p.name for p in s.params],
        "hide_our_frames": hide_our_frames,
    }
    scope |= {f"t{k}": p.type for k, p in enumerate(s.params)} | {f"n{k}": (p.name,) for k, p in enumerate(s.params)}
    scope |= {"t": s.result.type, "make": module.state, "local": threading.local()}
    scope |= {"take": module.take, "give": module.give}
    # the path begins with that of this file, so that errors know the frame to be ours
    exec(compile(_source(s, pooled, bool(sizes)), f"{__file__}/{s.name}", "exec"), scope)
    return scope.pop("call")


def _of_every_size(module: _Module, s: Signature) -> Callable[..., Any]:
    """The Python function for an export of a module for every size: it sees which, and calls that for it."""
    names, types = [p.name for p in s.params], [p.type for p in s.params]

    @functools.lru_cache(maxsize=64)
    def of(sizes: Numbers) -> Callable[..., Any]:
        known = {BASE.key: module.lowered.base} | {d.key: n for d, n in zip(s.sizes, sizes, strict=True)}
        return _function(module, s.sized(known), sizes)

    @edge
    def call(*args: Any, **named: Any) -> Any:
        given, _ = _bind(s.name, names, list(args), dict(named))
        found = measured(s.name, names, types, given)
        return of(tuple([found[d.key] for d in s.sizes]))(*args, **named)

    return call


def _bind(f: str, names: list[str], args: list[Any], named: dict[str, Any]) -> tuple[list[Any], Any]:
    """One argument for each parameter; and `out` and `view`, if one of them is given."""
    out, view = _extra("out", names, named), bool(_extra("view", names, named))
    given = [x for x in args if x is not _Absent]
    rest = names[len(given) :]
    if len(given) + len(named) != len(names) or not named.keys() >= set(rest):
        raise not_one_each(f, names, len(given), named)
    return given + [named[k] for k in rest], None if out is None and not view else (out, view)


def _extra(k: str, names: list[str], named: dict[str, Any]) -> Any:
    """What is given as `out` or `view`. `Export.call` writes them as no parameter can be called."""
    given = named.pop(f"{k}=", None)
    return named.pop(k, None) if given is None and k not in names else given


# what a user holds


class Export:
    """One function of a compiled module. It takes numbers, lists, arrays and structs.

    The result is a number, an array (a copy), or an object of the user's own class. Two more arguments,
    by name, say what becomes of a result that is in memory:

        out=array    write a vector of numbers into `array`, and give that
        view=True    give read-only views of the memory, in the place of copies. They are valid until the
                     module is next called in the same thread, which overwrites them, and keep it alive.

    Where a parameter is itself called `out` or `view`, use `call`.
    """

    # a slot, so that a call finds the function of this very object without any Python in between
    __slots__ = ("__call__", "__dict__", "__weakref__")
    __call__: Callable[..., Any]

    def __init__(self, lowered: Lowered, name: str, doc: str | None = None, *, module: _Module | None = None) -> None:
        self.lowered, self.__name__, self.__qualname__ = lowered, name, name
        if doc is not None:
            self.__doc__ = doc
        self._doc, self._module = doc, module or _Module(lowered)
        signature = lowered.signatures[name]
        make = _of_every_size if signature.sizes else _function
        self.__call__ = make(self._module, signature)

    @edge
    def call(self, args: Sequence[Any], *, out: Any = None, view: bool = False) -> Any:
        """A call with these arguments, in order."""
        if not isinstance(args, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeMismatch(f"call takes a list of arguments, not {shown(args)}", here(), "write call([x, y])")
        return self.__call__(*args, **{"out=": out, "view=": view or None})

    @property
    def signature(self) -> inspect.Signature:
        """The parameters and the result, with their types."""
        s = self.lowered.signatures[self.__name__]
        legal = all([p.name.isidentifier() and not keyword.iskeyword(p.name) for p in s.params])
        names = [p.name if legal else f"x{k}" for k, p in enumerate(s.params)]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        params = [inspect.Parameter(n, kind, annotation=p.type) for n, p in zip(names, s.params, strict=True)]
        return inspect.Signature(params, return_annotation=s.result.type)

    __signature__ = signature

    def __repr__(self) -> str:
        return f"<compiled {self.__name__}{self.signature}>"

    @edge
    def __reduce__(self) -> tuple[Any, ...]:
        x = self.lowered
        imports = [_packed(f) for f in x.imports]
        return _unpickled, (
            type(self),
            self.__name__,
            self._doc,
            x.wasm,
            x.signatures,
            imports,
            x.mathematics,
            x.failures,
            x.base,
        )


class Compiled(Export):
    """A compiled module. It is its main function; the others are `compiled["name"]` or `compiled.name`.

    It can be called from several threads at once; and pickled: the bytes travel, and are compiled where
    they are first called. See `Export` for what a call takes and gives.
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

    @edge
    def __getitem__(self, name: str) -> Export:
        if not isinstance(name, str) or name not in self.signatures:  # pyright: ignore[reportUnnecessaryIsInstance]
            what = f"the module has no function {name!r}"
            if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                what = f"a function of a module has a string for its name, not {shown(name)}"
            raise RoseError(what, here(), f"it has {', '.join(self.signatures)}")
        if name == self.__name__:
            return self
        exports: dict[str, Export] = self.__dict__.setdefault("_exports", {})
        if name not in exports:
            exports[name] = Export(self.lowered, name, module=self._module)
        return exports[name]

    @edge
    def __getattr__(self, name: str) -> Export:
        if "lowered" not in self.__dict__ or name not in self.signatures:
            if "lowered" not in self.__dict__ or name.startswith("__"):
                raise AttributeError(name)
            raise NoField(f"the module has no function {name!r}", here(), f"it has {', '.join(self.signatures)}")
        self.__dict__[name] = self[name]  # found without coming here, the next time
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.signatures]


# pickling


def _unpickled(
    cls: type[Export],
    name: str,
    doc: str | None,
    wasm: bytes,
    signatures: dict[str, Signature],
    imports: list[Any],
    mathematics: tuple[str, ...],
    failures: tuple[Failure, ...],
    base: int,
) -> Export:
    opaque = tuple([_opaque(*f) for f in imports])
    return cls(Lowered(wasm, signatures, opaque, mathematics, failures, base), name, doc)


def _packed(f: Func) -> tuple[Any, ...]:
    """An opaque function, for `_opaque`: its body by its name where `@opaque` took that, else as pickle has it."""
    where = f"{getattr(f.impl, '__module__', '')}:{getattr(f.impl, '__qualname__', '')}"
    body: Any = where if _found(where) is f.impl else f.impl
    try:
        pickle.dumps(body)
    except Exception as e:
        hint = "define it at the top of a module, so that its name finds it where the pickle is read"
        raise RoseError(f"the opaque function {f.name} cannot be pickled: {e}", here(), hint) from None
    return f.name, body, [(p.type, p.attr) for p in f.params], f.result, f.pure


def _opaque(
    name: str, body: Callable[..., Any] | str, params: list[tuple[Type, str]], result: Type, pure: bool
) -> Func:
    """What `_packed` packed."""
    b = Builder(name)
    for t, k in params:
        b.param(t, k)
    return Func(name, b.root, result, pure=pure, impl=_found(body) if isinstance(body, str) else body)


def _found(where: str) -> Any:
    """The function of a module and a name, under the `@opaque` that may stand there; None if there is none."""
    module, _, name = where.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        return None
    return getattr(found, "body", found)
