"""`rose.compile`: the only door to the back end.

The back end is imported when it is needed: tracing and differentiating need none, compiling to bytes needs
nothing but the standard library, and only running needs wasmtime and NumPy.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from . import ir
from .autodiff.erase_tangents import untype
from .errors import Loc, NoField, OutOfRange, TypeMismatch, argument, edge, here
from .frontend.any_size import AnySize, fixed
from .frontend.documentation import OfInstances, result_labels
from .frontend.function import AnyFn, checked
from .frontend.tracing import no_collector as no_collector
from .frontend.values import is_number
from .host.effects import TAPE_LIMIT
from .host.marshal import is_listing, plain, present
from .host.signature import signature_of
from .ir import Func, Value
from .ir.check import CHECKS
from .ir.progress import entering, telling
from .ir.types import Tuple, Type, Vec
from .ir.value import host_index
from .module_options import DTYPES as DTYPES
from .module_options import Options, check_options, check_timeout
from .optimise.instruments import asked
from .optimise.values import witness
from .version import VERSION

if TYPE_CHECKING:
    from wasm_backend.abi.signature import Lowered
    from wasm_backend.debug_info import Origins
    from wasm_backend.runtime import callables as running


@edge
def compile(
    f: AnyFn | Mapping[str, AnyFn], *more: AnyFn, dtype: str = "f64", simd: bool | str = False, dynamic: bool = False,
    finite: bool = False, timeout: float | None = None, tape_limit: int = TAPE_LIMIT, **sizes: int,
) -> Compiled:  # fmt: skip
    """A WebAssembly module of one or several functions, which can be called, saved and inspected.

    A call of the result calls the first function; the others are reached by name. Names are those
    of the functions, or the keys of a mapping: `compile({"value": f, "grad": grad(f)})`.

    Functions with a `rose.dim("n")` in their types are compiled for a given size: `compile(f, n=10)`; or with
    `dynamic=True` for every size, if their Python does not read it as a number. Such a module computes its memory
    layout at each call. All of its functions have the same sizes.

    With `dtype="f32"` every number of the module has 32 bits, outside and inside, derivatives included.

    With `simd=True` loops are vectorised, two iterations at once, four in single precision, if they are independent and
    that is estimated to take a tenth less time, so that no program should be slower; every bit stays. With
    `simd="relaxed"` a product and a sum are also fused there, into one instruction that rounds once or twice, as the
    machine has it: the last bits may differ from one machine to another. With `simd=True`, `map` also computes two
    elements of a batch at once, or four, where that takes less time. A package that `save` writes also has a module
    without either, for engines that lack them.

    With `finite=True` you say that no number in it is infinite or nan: products with a constant 0.0, and sums with it,
    are left out, as matrices of constants have them. The signs of zeros may differ, and where an infinity or nan would
    meet a 0.0, the result.

    With a `timeout` in seconds, a call or a `map` in Python that takes longer ends with a `rose.TimedOut`. It has no
    effect on the bytes. What loops of unknown length keep for reverse mode, their tape, has at most `tape_limit` bytes,
    in pages too; a call that needs more is a `TooLarge` that names the loop. Memory is looked at as it grows, by half.
    """
    check_timeout(timeout)
    limit = host_index(tape_limit)
    if limit is None or not 0 < limit <= 2**32:
        kind = TypeMismatch if limit is None else OutOfRange
        what = f"tape_limit must be a number of bytes from 1 to 2**32, not {ir.shown(tape_limit)}"
        raise kind(what, here().into(("tape_limit",)), "write tape_limit=2**28 for 256 MiB")
    named = _of_mapping(f, more) if isinstance(f, Mapping) else _by_their_names([f, *more])
    if not named:
        raise TypeMismatch("rose.compile was given no function", here(), "give it at least one")
    named = fixed(named, sizes, dynamic=dynamic)
    options = Options(dtype, simd, finite, limit)
    made = _module(named, options)
    docs = {name: doc for name, g in named.items() if (doc := inspect.getdoc(g))}

    asking = _callers() | {f.loc.code for f in named.values() if _is_derived(f)}
    fs = list(named.values())
    written = [g for g in fs if g.loc.code is getattr(g.body, "__code__", None)] or fs  # and not derived
    files = dict.fromkeys([g.loc.code.co_filename for g in written])
    noted, again = partial(made.noted, named, options, asking), _Again(named, options, asking)
    module = _with_defaults(made.lowered, named)
    return Compiled(module, next(iter(named)), docs, fs, list(files), noted, timeout, again)


def _with_defaults(made: Lowered, named: Mapping[str, AnyFn]) -> Lowered:
    """The module, whose functions take in Python what a call leaves out from the defaults of these."""
    given = {name: f.defaults for name, f in named.items() if f.defaults}
    if not given:
        return made
    signatures = {k: s._replace(defaults=tuple(given.get(k, {}).items())) for k, s in made.signatures.items()}
    return made._replace(signatures=signatures)


def _with_labels(made: Lowered, fs: Iterable[AnyFn]) -> Lowered:
    """The module, of whose results the items are called what they are in these functions."""
    pairs = zip(made.signatures.items(), fs, strict=True)
    return made._replace(signatures={k: s._replace(labels=result_labels(f)) for (k, s), f in pairs})


def _callers() -> set[CodeType]:
    """The code objects of the functions on the call stack."""
    frame, found = sys._getframe(1), set[CodeType]()  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        found.add(frame.f_code)
        frame = frame.f_back
    return found


def _is_derived(f: AnyFn) -> bool:
    """True for a function that `rose.grad` made, say: its location is where it was asked for."""
    return type(f.loc) is Loc and f.loc.code is not getattr(f.body, "__code__", None)


def _of_mapping(fs: Mapping[Any, Any], more: Sequence[Any]) -> dict[str, AnyFn]:
    """The functions of a mapping, by name."""
    loc = here().narrow(argument(0, "f", 1 + len(more)))
    if more:
        what = f"rose.compile was given {ir.shown(more[0])} after a mapping"
        raise TypeMismatch(
            what,
            here().narrow(argument(1, "", 1 + len(more))),
            "put all functions into the mapping, each with its name",
        )
    for name, f in fs.items():
        if not isinstance(name, str):
            raise TypeMismatch(f"the name of a function is a string, not {ir.shown(name)}", loc, "quote the name")
        checked(f, "compile", loc.into((name,)), f" for {name!r}")
    return dict(fs)


def _by_their_names(fs: Sequence[Any]) -> dict[str, AnyFn]:
    """The functions by their own names: of two with one name, the second gets a number."""
    loc, named = here(), dict[str, AnyFn]()
    for k, x in enumerate(fs):
        f = checked(x, "compile", loc.narrow(argument(k, "f", len(fs))))
        name, count = f.name, 2
        while name in named:
            name, count = f"{f.name}_{count}", count + 1
        named[name] = f
    return named


def as_identifier(name: str) -> str:
    """The name of a function as an attribute, and as that of a package: `grad_f` for `grad(f)`."""
    return re.sub(r"\W+", "_", name).strip("_") if name.endswith(")") else name


def lowered(
    named: Mapping[str, AnyFn], dtype: str = "f64", simd: bool | str = False,
    *, finite: bool = False, asking: Collection[CodeType] | None = None, tape_limit: int = TAPE_LIMIT,
) -> Lowered:  # fmt: skip
    """The module of these functions: bytes and signatures. Needs the standard library only.

    With `asking`, the code objects that ask for the module, it has debug information: where its instructions come from.
    """
    options = Options(dtype, simd, finite, tape_limit)
    check_options(options)
    return _noted(named, options, asking)


def _noted(named: Mapping[str, AnyFn], options: Options, asking: Collection[CodeType] | None) -> Lowered:
    from wasm_backend.debug_info import Origins

    origins = None if asking is None else Origins()
    made = _lowered(named, options, origins)
    return made if asking is None or origins is None else origins.of(made, asking)


class _Module:
    """A module, and who heard where its instructions come from; nobody has, if it was made before."""

    def __init__(self, lowered: Lowered, origins: Origins | None = None) -> None:
        self.lowered, self.origins = lowered, origins

    def noted(self, named: Mapping[str, AnyFn], options: Options, asking: Collection[CodeType]) -> Lowered:
        """The module with debug information, for which it is made once more if nobody heard it."""
        if self.origins is None:
            return _noted(named, options, asking)
        return self.origins.of(self.lowered, asking)


def _module(named: Mapping[str, AnyFn], options: Options, *, heard: bool = True) -> _Module:
    """The module of these functions, made once: in this process, while someone has it, and on this machine.

    It is made now if `ROSE_CACHE` is empty, and for instruments, and the checks that `ROSE_CHECK` asks for. Debug
    information is only `heard` where it may be wanted.
    """
    from wasm_backend.runtime.cache_directory import is_off

    check_options(options)
    with telling(", ".join(named)):
        if is_off() or CHECKS or asked() is not None or witness() is not None:
            return _new(named, options, heard)
        return _shared(named, options, heard)


def _shared(named: Mapping[str, AnyFn], options: Options, heard: bool) -> _Module:
    """The module of these functions: that of this process, from the cache, or made now."""
    (name, f), *more = named.items()
    of = "module", name, options
    held = None if more else f.results.get(of)
    made = None if held is None else held()
    if made is None:
        made = _found(named, options, heard)
        if not more:
            f.results[of] = weakref.ref(made) if heard else lambda: made  # a function that is called keeps its module
    return made


def _found(named: Mapping[str, AnyFn], options: Options, heard: bool) -> _Module:
    """The module of these functions, from the cache or made now."""
    from wasm_backend.runtime.cache_directory import place

    from .module_key import exported, module_key

    key = None if place() is None else module_key(named, options)
    if key is None:
        return _new(named, options, heard)
    from wasm_backend.runtime import module_cache

    types = exported(named, options.dtype)
    found = module_cache.stored(*key, types)
    if found is not None:
        return _Module(found)
    begun = perf_counter()
    made = _new(named, options, heard)
    if perf_counter() - begun > module_cache.WORTH:
        module_cache.keep(*key, types, made.lowered)
    return made


def _new(named: Mapping[str, AnyFn], options: Options, heard: bool) -> _Module:
    from wasm_backend.debug_info import Origins

    origins = Origins() if heard else None
    return _Module(_lowered(named, options, origins), origins)


def _lowered(named: Mapping[str, AnyFn], options: Options, origins: Origins | None) -> Lowered:
    """The module; `origins` take the notes on where its instructions come from."""
    from .optimise.pipeline import optimise
    from .optimise.single_precision import to_single

    with no_collector():
        for f in named.values():
            if f.captured:
                what = f"{f.name} uses values of the function around it, so it has a meaning only there"
                raise TypeMismatch(what, f.loc, "compile the outer function, or pass the values in as parameters")
        funcs = {name: untype(f.func) for name, f in named.items()}  # in a module a tangent is a number
        if options.is_single:
            optimise(funcs.values())  # a literal that nothing needs may be too large for single precision
            funcs = {name: to_single(f) for name, f in funcs.items()}
        return _written(funcs, options, origins)


def _written(funcs: Mapping[str, Func], options: Options, origins: Origins | None) -> Lowered:
    from wasm_backend.lower import lower

    from .optimise.pipeline import optimised

    entering("optimise")
    single, simd = options.is_single, options.simd
    fast = optimised(funcs, simd=bool(simd), finite=options.finite)
    at_once: dict[str, Func] = {}
    if options.maps:
        from .optimise.lanes import forms

        at_once = forms(funcs)
    made = lower(fast, single=single, simd=simd, tape_limit=options.tape_limit, origins=origins, at_once=at_once)
    if simd and made.plain is None:  # no loop of it is vectorised
        return _written(funcs, options._replace(simd=False), origins)
    _witnessed(fast, single=single, simd=simd is True)
    return made


class _Again(NamedTuple):
    """How a module was made, for another one with functions of several elements of a batch at once."""

    named: Mapping[str, AnyFn]
    options: Options
    asking: Collection[CodeType]

    def at_once(self, name: str, shared: tuple[bool, ...]) -> Lowered | None:
        """The module of one function for several elements, if there is one; some arguments are the same for all."""
        from wasm_backend.lower import lower

        from .optimise.lanes import form

        with no_collector():
            f, single = untype(self.named[name].func), self.options.is_single
            made = form(f, shared, single=single) if self.options.has_several else None
            return made and lower({name: made}, single=single, tape_limit=self.options.tape_limit)

    def with_forms(self) -> Lowered:
        """The module of all functions, with those of several elements beside them."""
        return _noted(self.named, self.options._replace(maps=True), self.asking)


def _witnessed(funcs: Mapping[str, Func], *, single: bool = False, simd: bool = False) -> None:
    """With `ROSE_CHECK=values`: are the bits of the module those of the interpreter?"""
    if (w := witness()) is None:
        return
    from wasm_backend.lower import lower
    from wasm_backend.runtime import callables as running

    def made(funcs: Mapping[str, Func]) -> Callable[[str, Sequence[Any]], Any]:
        module = running.Compiled(lower(funcs, single=single, simd=simd), next(iter(funcs)), None)
        return lambda name, xs: plain(module[name](*xs), funcs[name].result)

    w.module(funcs, made)


class Compiled:
    """A compiled module: call it, `save` it, read its `wasm`.

    A call takes numbers, lists, NumPy arrays and structs, and gives numbers, NumPy arrays (copies) and the
    user's own struct classes. The other functions of the module are `compiled["name"]` or `compiled.name`.
    It can be called from several threads at once, and pickled: the bytes travel.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(
        self, lowered: Lowered, main: str, docs: Mapping[str, str], ir: str | Sequence[AnyFn], sources: Sequence[str],
        noted: Callable[[], Lowered] | None = None, timeout: float | None = None, again: _Again | None = None,
    ) -> None:  # fmt: skip
        self._timeout, self._again = timeout, again
        self._lowered, self._docs, self._ir, self._sources, self._noted = lowered, docs, ir, sources, noted
        self.__name__ = self.__qualname__ = main
        self.__doc__ = docs.get(main)
        self.__call__: Any = self._first_call  # then the function that runs it, with nothing in between

    @edge
    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        self.__call__ = self.running.__call__
        return self.__call__(*args, **kwargs)

    @property
    def running(self) -> running.Compiled:
        """The module under wasmtime."""
        made = self.__dict__.get("_running")
        if made is None:
            _import("wasm_backend.runtime.callables")
            from wasm_backend.runtime import callables as running

            more: Any = dict(timeout=self._timeout, at_once=self._again and self._again.at_once)
            made = running.Compiled(self._lowered, self.__name__, self.__doc__, **more)
            self.__dict__["_running"] = made
        return made

    @property
    def wasm(self) -> bytes:
        """The module: the same bytes for the same input, on every machine."""
        return self._lowered.wasm

    @property
    def signature(self) -> Any:
        """The parameters and the result, with their types: an `inspect.Signature`."""
        s = self._lowered.signatures[self.__name__]
        names, types = [p.name for p in s.params], [p.type for p in s.params]
        return signature_of(names, types, s.result.type, defaults=dict(s.defaults))

    __signature__ = OfInstances(lambda f: f.signature)

    @edge
    def call(self, args: Sequence[Any], *, out: Any = None, view: bool = False) -> Any:
        """A call with these arguments, in order; `out` takes the result, `view` gives it without a copy."""
        return self.running.call(args, out=out, view=view)

    @edge
    def map(self, *args: Any, in_axes: Any = 0, threads: int | None = None, executor: Any = None, **named: Any) -> Any:
        """The results for a batch of arguments, in few calls of WebAssembly, with the bits of single calls.

        Each argument is an array or a list with one element for each call, or one number for all calls. The result is
        an array with that axis, or a struct of arrays. `in_axes` has the axis of each argument, as in `rose.vmap`: None
        for one that is the same for all calls, as in `f.map(xs, table, in_axes=(0, None))`. `threads=4` spreads the
        batch over four threads, and `executor` over what has a method `submit` or `map`, such as a
        `ProcessPoolExecutor`.
        """
        if named:
            what = f"map takes its arguments by place, and none by the name {next(iter(named))}"
            raise TypeMismatch(what, here(), f"write map({', '.join(self.signature.parameters)})")
        return self.running.map(*args, in_axes=in_axes, threads=threads, executor=executor)

    @edge
    def __getitem__(self, name: str) -> Any:
        names = self._lowered.signatures
        if isinstance(name, str) and name not in names:  # pyright: ignore[reportUnnecessaryIsInstance]
            name = next((k for k in names if as_identifier(k) == name), name)
        return self if name == self.__name__ else self.running[name]

    @edge
    def __getattr__(self, name: str) -> Any:
        names = self._lowered.signatures if "_lowered" in self.__dict__ else {}
        if name not in names and name not in map(as_identifier, names):
            if name.startswith("__") or not names:
                raise AttributeError(name)
            raise NoField(f"the module has no function {name!r}", here(), f"it has {', '.join(names)}")
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._lowered.signatures]

    def __repr__(self) -> str:
        names, is_alone = ", ".join(self._lowered.signatures), len(self._lowered.signatures) == 1
        return f"<compiled {names}{self.signature if is_alone else ''}: {len(self.wasm):,} bytes>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.running, self._docs, self.pretty(), self._sources)

    @edge
    def save(
        self, out: str | Path, name: str | None = None, *, version: str | None = None, force: bool = False,
        inline: bool = False, html: bool = False, strip: bool = False, map: bool = False, workers: bool = False,
        dispose: bool = False, iife: str | None = None, drag: bool = False, animate: bool = False,
        certificate: Mapping[str, Any] | None = None,
    ) -> list[Path]:  # fmt: skip
        """Write the package for the web into the directory `out`; `wasm_backend/package/files.py` lists its files.

        The `name` may have a scope (`@me/line`: the files are called `line`), and is that of the first function unless
        it is given. The `version` is one of Semantic Versioning; without it, 0.0.0 with a hash of the files.

        Nothing is written if something goes wrong. `force` replaces the files of another package, but not those that
        were edited. With `inline` the module is part of `index.js`, and has no file of its own; `html` adds a page to
        try it with. `strip` leaves out the names of the functions inside of the module, and its source map, which a
        module that was pickled lacks anyway. With `map` each function has a `map` in JavaScript, which calls it for
        each row of flat arrays. With `workers` the package has a `remote`, which gives the functions in a Worker, and
        maps take `workers`; with `dispose` the functions have a `dispose`. `iife` names a global variable, which a
        script that is no module makes, `iife.js`; `drag` adds the element `<rose-drag>`, and `animate` what plays a
        simulation. The `certificate` of the derivatives goes into NAME.json.
        """
        from wasm_backend.package.write import write_files

        files = self.files(
            name, version=version, inline=inline, html=html, strip=strip, map=map, workers=workers, dispose=dispose,
            iife=iife, drag=drag, animate=animate, certificate=certificate,
        )  # fmt: skip
        return write_files(files, out, force=force)

    @edge
    def files(
        self, name: str | None = None, *, version: str | None = None, inline: bool = False, html: bool = False,
        strip: bool = False, map: bool = False, workers: bool = False, dispose: bool = False,
        iife: str | None = None, drag: bool = False, animate: bool = False,
        certificate: Mapping[str, Any] | None = None,
    ) -> dict[str, bytes]:  # fmt: skip
        """The files that `save` writes: the bytes of each, by its name."""
        from wasm_backend.package.calls import Extras
        from wasm_backend.package.files import About, package_files
        from wasm_backend.package.metadata import hashed, licence
        from wasm_backend.package.source_map import without_names

        noted = None if inline or strip else self._noted
        made = self._lowered if noted is None else noted()
        if not isinstance(self._ir, str):  # and it is not one that was pickled
            made = _with_labels(made, self._ir)
        assert made.wasm == self.wasm
        if map and self._again is not None and self._again.options.has_several:
            made = self._again.with_forms()
        if strip:
            made = without_names(made)
        about = About(
            self._docs, hashed(self._sources), f"rose {VERSION}", certificate, version, licence(self._sources)
        )  # fmt: skip
        name = as_identifier(self.__name__) if name is None else name
        extras = Extras(map, workers, dispose)
        return package_files(
            made, name, about, inline=inline, html=html, extras=extras, iife=iife, drag=drag, animate=animate
        )

    def pretty(self) -> str:
        """The IR of the functions, as text."""
        from .ir.text.printer import show
        from .optimise.pipeline import optimise

        if isinstance(self._ir, str):
            return self._ir
        optimise([untype(f.func) for f in self._ir])  # as when it is compiled: that of a module from the cache was not
        return "\n\n".join([show(f.func) for f in self._ir])

    def disassemble(self) -> str:
        """The instructions of the module, as text."""
        from wasm_backend.binary.disassembler import disassemble

        return disassemble(self.wasm)


def _unpickled(made: running.Compiled, docs: Mapping[str, str], text: str, sources: Sequence[str]) -> Compiled:
    return Compiled(made.lowered, made.__name__, docs, text, sources, timeout=made.timeout)


def _import(name: str) -> None:
    """Import a module of the runtime in a thread, which nothing interrupts: half a package could not be used again."""
    if name in sys.modules:
        return

    def run() -> None:
        with suppress(ImportError):  # raised again by who asked
            importlib.import_module(name)

    thread = threading.Thread(target=run)
    with suppress(RuntimeError):  # there are no threads here
        thread.start()
        thread.join()


def _is_single(x: Any) -> bool:
    """True for a number, which is the same for all elements of a batch."""
    return is_number(x) or (isinstance(x, Value) and x.type.scalar)


class _Runtime:
    """Functions outside of any trace run as WebAssembly, under wasmtime."""

    def run(self, f: AnyFn, /) -> Callable[..., Any]:
        """The compiled `f`."""
        made = _with_defaults(_module({f.name: f}, Options(), heard=False).lowered, {f.name: f})
        _import("wasm_backend.runtime.callables")
        from wasm_backend.runtime import callables as running

        return running.Compiled(made, f.name, inspect.getdoc(f)).__call__

    def map(self, f: AnyFn, args: Sequence[Any], in_axes: Any, options: Mapping[str, Any], /) -> Any:
        """The results of `f` for a batch of arguments; in a trace by a loop there."""
        if ir.is_tracing():
            from .frontend.vmap import vmap

            axes = in_axes if is_listing(in_axes) else [None if _is_single(x) else in_axes for x in args]
            return vmap(f, tuple(axes))(*args)
        if "map" not in f.results:
            f.results["map"] = compile(f, dynamic=isinstance(f, AnySize))
        return f.results["map"].map(*args, in_axes=in_axes, **options)

    def elementwise(self, f: AnyFn, args: Sequence[Any], /) -> Any:
        """The results of `f`, from numbers to a number, for the elements of arrays, which are broadcast."""
        if ir.is_tracing():
            from .frontend.arrays.elementwise import each

            return each(lambda *xs: f.emit(xs), *args)
        _import("wasm_backend.runtime.batch")
        from wasm_backend.runtime.batch import elementwise

        return elementwise(f.map, f.name, f.names, args)

    def present(self, x: Any, t: Type, /) -> Any:
        """A host value as a compiled function gives it: vectors are NumPy arrays, or lists if there is no NumPy."""
        if not isinstance(t, (Vec, Tuple)):
            return present(x, t)
        try:
            _import("wasm_backend.runtime.places")
            from wasm_backend.runtime.places import copied
        except ImportError:
            return present(x, t)
        return copied(x, t)


RUNTIME = _Runtime()  # for `ir.hooks`
