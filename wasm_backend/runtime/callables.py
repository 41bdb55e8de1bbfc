"""Compiled functions as Python callables, with one call of C for each evaluation.

An `Export` is a function that a user calls, and a `Compiled` is the main function of a module. The calling convention
of each signature is compiled into a Python function of its own, whose text is generated.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import threading
from collections.abc import Callable, Iterable, Sequence
from math import inf
from types import CodeType
from typing import TYPE_CHECKING, Any

from rose.errors import NoField, RoseError, TypeMismatch, edge, here, hide_our_frames
from rose.host.argument_sizes import measured
from rose.host.signature import signature_of
from rose.ir import Builder, Func, Opaque, shown
from rose.ir.sizes import dims_of
from rose.ir.types import Bool, Fin, Real, Single, Tuple, Type, Unit, Vec, is_complex
from rose.ir.value import bind_arguments

from ..abi.layout import kind
from ..abi.signature import Lowered, Signature, Slot
from . import native, raw_call
from .instances import Module, Numbers, known_sizes
from .numbers import LARGEST_SINGLE
from .places import destination, fill, number

if TYPE_CHECKING:
    from .batch import Batch

NativeCall: Any = native.load()

# calls


# the expression of argument number k in the buffer of a raw call; number 0 is also the result
_SLOTS: dict[str, Callable[[int], str]] = {
    "d": lambda k: f"reals[{2 * k + 2}]", "f": lambda k: f"singles[{4 * k + 4}]", "i": lambda k: f"words[{2 * k + 2}]",
}  # fmt: skip


class _Absent:
    """Marks an argument that is missing."""


_LIMITED = ["own.limit(timeout)", "try: error = call(*args)", "finally: own.until = inf"]


def _source(s: Signature, pooled: bool, sized: bool, timeout: float | None = None, stops: bool = False) -> str:
    """The text of the Python function for one signature, specialised to its types.

    It handles the usual arguments itself, and passes all others to `bind`, `number`, `fill` and `destination`.
    """
    names = [f"a{k}" for k in range(len(s.params))]
    checks, fills, sends = list[str](), list[str](), list[str]()
    for k, p in enumerate(s.params):
        if p.placed:
            place = f"places[{len(fills)}]"
            fills.append(f"{place}.put(a{k}) or fill({place}, a{k}, n{k})")
            continue
        checks.append(f"if {_unusual(p.type, f'a{k}')}: a{k} = number(a{k}, t{k}, n{k})")
        if not p.type.empty:
            sends.append(f"{_SLOTS[kind(p.type).raw](len(sends))} = a{k}")
    missing = f" or {names[-1]} is absent" if names else ""
    arguments = "".join([f"{a}, " for a in names])
    own = ["try: state = local.state", "except AttributeError: state = make(signature, sizes, local)"]
    options = [k for k in ("out", "view") if k not in [p.name for p in s.params]]  # as keywords they cost nothing
    lines = [
        *[f"{k} = None" for k in ("out", "view") if k not in options],
        f"if named or rest{missing}:"
        f" [{arguments}out, view] = bind(name, names, [{arguments}*rest], named, out, view, defaults)",
        *checks,
        *(["state = taken.state(signature, sizes)"] if pooled else own),
        "call, args, fail, reals, singles, words, places, result, own, _ = state",
        *["own.resize(signature, sizes)"] * sized,
        f"into = None if out is None else {_into(s.result)}",
        *fills,
        *sends,
        *(["error = call(*args)"] if timeout is None else _LIMITED),
        "if error is not None or words[0]: raise fail(error)",
        *_returns(s.result),
    ]
    if stops and not pooled:
        k = lines.index("error = call(*args)" if timeout is None else _LIMITED[0])
        lines[k:] = ["try:", *[f"    {x}" for x in lines[k:]], "finally:", "    if own.large: shed()"]
    if pooled:
        lines = ["taken = take()", "try:", *[f"    {x}" for x in lines], "finally: give(taken)"]
    params = "".join([f"{a}=absent, " for a in names]) + ("/, " if names else "")
    keywords = "".join([f"{k}=None, " for k in options])
    text = [f"def call({params}*rest, {keywords}**named):", "    try:", *[f"        {x}" for x in lines]]
    return "\n".join([*text, "    except Exception as e:", "        hide_our_frames(e)", "        raise"])


def _unusual(t: Type, x: str) -> str:
    """The condition that the argument `x` of a scalar type needs conversion or a check."""
    if isinstance(t, Fin):
        return f"{x}.__class__ is not int or not 0 <= {x} < {t.size}"
    if t is Single:
        return f"{x}.__class__ is not float or not -{LARGEST_SINGLE!r} <= {x} <= {LARGEST_SINGLE!r}"
    return f"{x} is not None" if t is Unit else f"{x}.__class__ is not {'bool' if t is Bool else 'float'}"


def _into(s: Slot) -> str:
    """The expression of what writes the result into `out`: None if it is an array that the result is copied to."""
    if s.placed:
        same = "(result.seen() is out or result.takes(out))"
        return f"None if {same} and not view else destination(result, t, out, view)"
    return "destination(None, t, out, view)"


def _returns(s: Slot) -> list[str]:
    """The statements that return the result."""
    if s.placed:
        return [
            "if out is None: return result.peek() if view else result.read()",
            "if into is not None: return into()",
            "try: out[...] = result.view",
            "except ValueError: return destination(result, t, out, view)()",  # its error: `out` is another one by now
            "return out",
        ]
    if s.type is Unit:
        return ["return None"]
    raw = kind(s.type).raw
    number = _SLOTS[raw](0) + " & 0xFFFFFFFF" * (raw == "i")
    return [f"return ({number}) != 0" if s.type is Bool else f"return {number}"]


def _function(module: Module, s: Signature, sizes: Numbers = ()) -> Callable[..., Any]:
    """The Python function for an export, at these dynamic sizes if it has any."""
    pooled = bool(module.lowered.imports)
    scope: dict[str, Any] = {
        "absent": _Absent, "bind": _bind, "number": number, "fill": fill, "destination": destination, "inf": inf,
        "hide_our_frames": hide_our_frames, "signature": s, "sizes": sizes, "name": s.name, "t": s.result.type,
        "names": [p.name for p in s.params], "local": threading.local(), "timeout": module.timeout,
        "defaults": dict(s.defaults),
        "make": module.state, "take": module.take, "give": module.give, "shed": module.shed,
    }  # fmt: skip
    for k, p in enumerate(s.params):
        scope |= {f"t{k}": p.type, f"n{k}": (p.name,)}
    call = _defined(s.name, _source(s, pooled, bool(sizes), module.timeout, bool(module.lowered.stops)), scope)
    if NativeCall is None or pooled or sizes or module.timeout is not None or module.lowered.stops or not _of_reals(s):
        return call
    return NativeCall(call, functools.partial(_entered, module, s, scope["local"]))


def _of_reals(s: Signature) -> bool:
    """True for a function from numbers to a number, in double precision."""
    return all([x.type is Real for x in (*s.params, s.result)])


def _entered(module: Module, s: Signature, local: threading.local) -> tuple[Any, ...] | None:
    """What `native.c` needs to make raw calls in this thread."""
    call, args, fail, *rest = module.state(s, (), local)
    return None if raw_call.private is None else (*raw_call.addresses(call, args), len(s.params), fail, rest)


def _defined(name: str, text: str, scope: dict[str, Any]) -> Callable[..., Any]:
    exec(_code(name, text), scope)
    return scope.pop("call")


@functools.lru_cache(maxsize=256)
def _code(name: str, text: str) -> CodeType:
    """The code of a generated function, which takes 0.4 ms: one that is edited keeps its name and its signature."""
    # the path begins with that of this file, so that errors hide the frame as one of ours
    return compile(text, f"{__file__}/{name}", "exec")


def _of_every_size(module: Module, s: Signature) -> Callable[..., Any]:
    """The Python function for an export with dynamic sizes: it dispatches on the sizes of the arguments."""
    names, types = [p.name for p in s.params], [p.type for p in s.params]

    @functools.lru_cache(maxsize=64)
    def of(sizes: Numbers) -> Callable[..., Any]:
        return _function(module, s.sized(known_sizes(module.lowered, s, sizes)), sizes)

    known: dict[Any, Callable[..., Any]] = {}

    def find(key: Any, args: list[Any], named: dict[str, Any]) -> Callable[..., Any]:
        given = _bind(s.name, names, args, dict(named), None, None, dict(s.defaults))[: len(names)]
        found = measured(s.name, names, types, given)
        f = of(tuple([found[d.key] for d in s.sizes]))
        if len(known) == MOST_SHAPES:
            known.clear()
        if key is not None:
            known[key] = f
        return f

    scope = {"find": find, "known": known, "absent": _Absent, "hide_our_frames": hide_our_frames}
    return _defined(s.name, _finding_source(types), scope)


MOST_SHAPES = 256


def _finding_source(types: Sequence[Type]) -> str:
    """The text of the Python function that looks up, by the shapes of its arguments, the function for their sizes."""
    shapes = [_shapes(t, f"a{k}") for k, t in enumerate(types)]
    key = "None" if None in shapes else f"({''.join([f'{x}, ' for xs in shapes for x in xs or []])})"
    arguments = "".join([f"a{k}, " for k in range(len(types))])
    params = "".join([f"a{k}=absent, " for k in range(len(types))])
    return f"""
def call({params}/, *rest, **named):
    try:
        try:
            key = {key}
            f = known.get(key)
        except Exception:
            key = f = None
        if f is None: f = find(key, [{arguments}*rest], named)
        return f({arguments}*rest, **named)
    except Exception as e:
        hide_our_frames(e)
        raise
"""


def _shapes(t: Type, x: str) -> list[str] | None:
    """The expressions of the shapes of an argument that is made of arrays; None if its sizes have to be measured."""
    if not dims_of(t):
        return []
    if isinstance(t, Tuple) and not is_complex(t):
        form = t.form
        items = [
            f"{x}[{k}]" if form is None else f"{x}[{form.fields[k]!r}]" if form.is_dict else f"{x}.{form.fields[k]}"
            for k in range(len(t.items))
        ]
        found = [_shapes(s, y) for s, y in zip(t.items, items, strict=True)]
        return None if None in found else [y for ys in found for y in ys or []]
    while isinstance(t, Vec):
        t = t.elem
    return [f"{x}.shape"] if t.scalar or is_complex(t) else None


def _bind(
    f: str, names: list[str], args: list[Any], named: dict[str, Any], out: Any, view: Any, defaults: dict[str, Any]
) -> list[Any]:  # fmt: skip
    """One argument for each parameter, and the options `out` and `view`; `Export.call` appends an = to their names."""
    options = {"out": out, "view": view}
    for k in options:
        given = [named.pop(key) for key in (f"{k}=", k) if key in named and key not in names]
        options[k] = next((x for x in given if x is not None), options[k])
    by_position = [x for x in args if x is not _Absent]
    return [*bind_arguments(f, names, by_position, named, defaults), *options.values()]


# compiled functions


class Export:
    """One function of a compiled module. It takes numbers, lists, arrays and structs.

    The result is a number, an array (a copy), or an object of the user's own class. Two keyword arguments
    choose another form for a result that is in memory:

        out=array    write a vector of numbers, or of structs, into `array`, and return that
        view=True    return read-only views of the memory instead of copies. They are valid until the
                     module is next called in the same thread, which overwrites them, and keep it alive.
                     That of a vector of structs is an array of records.

    If a parameter is itself called `out` or `view`, use `call`.
    """

    # a slot, so that a call finds the function of this object without any Python in between
    __slots__ = ("__call__", "__dict__", "__weakref__")
    __call__: Callable[..., Any]

    def __init__(
        self, lowered: Lowered, name: str, doc: str | None = None, *,
        module: Module | None = None, timeout: float | None = None,
        at_once: Callable[[str, tuple[bool, ...]], Lowered | None] | None = None,
    ) -> None:  # fmt: skip
        """`at_once` gives the module of a function for several elements of a batch at once, where there is one."""
        self._at_once = at_once
        self.lowered, self.__name__, self.__qualname__ = lowered, name, name
        if doc is not None:
            self.__doc__ = doc
        self._doc, self._module = doc, module or Module(lowered, timeout)
        signature = lowered.signatures[name]
        make = _of_every_size if signature.sizes else _function
        self.__call__ = make(self._module, signature)

    @edge
    def call(self, args: Sequence[Any], *, out: Any = None, view: bool = False) -> Any:
        """A call with these arguments, in order."""
        if not isinstance(args, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeMismatch(f"call takes a list of arguments, not {shown(args)}", here(), "write call([x, y])")
        return self.__call__(*args, **{"out=": out, "view=": view or None})

    @edge
    def map(self, *args: Any, in_axes: Any = 0, threads: int | None = None, executor: Any = None) -> Any:
        """The results for a batch of arguments, in few calls of WebAssembly, with the bits of single calls.

        Each argument is an array or a list with one element for each call, or one number for all calls. For a struct,
        it is a list of structs, or one struct whose fields have the axis of the batch; likewise a list of tuples has
        one for each call, and a tuple of lists the columns. The result is an array with that axis, or a struct of
        arrays: an array in the place of each number of a single result.

        `in_axes` has the axis of the batch: an integer for all arguments, or a tuple with one for each, and within it
        one for each field of a struct. None is for an argument that is the same for all calls, as in
        `f.map(xs, table, in_axes=(0, None))`.

        `threads=4` spreads the batch over four threads, which wait for one another only where an opaque function or
        `rose.print` runs Python. `executor` spreads it over an object with a method `submit` or `map`: a
        `ProcessPoolExecutor`, a Dask `Client`, `joblib.externals.loky.get_reusable_executor()`, or the `Pool` of
        `ray.util.multiprocessing`. The bytes of the module travel, and each process compiles them once; opaque
        functions travel by name. If several elements fail, the error of the first is raised.
        """
        return self.batch.map(args, threads, executor, in_axes)

    @functools.cached_property
    def batch(self) -> Batch:
        """The implementation of `map`."""
        from .batch import Batch

        name = self.__name__
        packed = functools.partial(_alone, self.lowered, name, self._module.timeout)
        at_once = None if self._at_once is None else functools.partial(self._at_once, name)
        return Batch(self._module, self.lowered.signatures[name], packed, at_once)

    @property
    def timeout(self) -> float | None:
        """The seconds that a call may take, if there is a limit."""
        return self._module.timeout

    @property
    def signature(self) -> inspect.Signature:
        """The parameters and the result, with their types."""
        s = self.lowered.signatures[self.__name__]
        names, types = [p.name for p in s.params], [p.type for p in s.params]
        return signature_of(names, types, s.result.type, defaults=dict(s.defaults))

    __signature__ = signature

    def __repr__(self) -> str:
        return f"<compiled {self.__name__}{self.signature}>"

    def __dir__(self) -> list[str]:
        return [k for k in object.__dir__(self) if k not in ("batch", "lowered")]

    @edge
    def __reduce__(self) -> tuple[Any, ...]:
        imports = [_packed(f) for f in self.lowered.imports]
        lowered = self.lowered._replace(imports=(), origins=())
        return _unpickled, (type(self), self.__name__, self._doc, lowered, imports, self._module.timeout)


class Compiled(Export):
    """A compiled module. It is its main function; the others are `compiled["name"]` or `compiled.name`.

    It can be called from several threads at once, and pickled: the bytes travel, and are compiled again where
    they are first called. See `Export` for the arguments and results of a call.
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
            exports[name] = Export(self.lowered, name, module=self._module, at_once=self._at_once)
        return exports[name]

    @edge
    def __getattr__(self, name: str) -> Export:
        if "lowered" not in self.__dict__ or name not in self.signatures:
            if "lowered" not in self.__dict__ or name.startswith("__"):
                raise AttributeError(name)
            raise NoField(f"the module has no function {name!r}", here(), f"it has {', '.join(self.signatures)}")
        self.__dict__[name] = self[name]  # so that Python finds it by itself the next time
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.signatures]


# pickling


def _alone(lowered: Lowered, name: str, timeout: float | None) -> bytes:
    """One function, pickled for another process, which need not have the classes of its structs."""
    import pickle

    signatures = {name: _without_forms(lowered.signatures[name])}
    return pickle.dumps(Export(lowered._replace(signatures=signatures, plain=None), name, timeout=timeout))


def _without_forms(s: Signature) -> Signature:
    """The signature with plain tuples for structs, whose classes may not exist in another process."""
    slot: Callable[[Slot], Slot] = lambda x: x._replace(type=_bare(x.type))
    return s._replace(params=tuple([slot(p) for p in s.params]), result=slot(s.result))


def _bare(t: Type) -> Type:
    if isinstance(t, Vec):
        return Vec(t.size, _bare(t.elem))
    return Tuple(tuple([_bare(x) for x in t.items])) if isinstance(t, Tuple) and not is_complex(t) else t


def _unpickled(
    cls: type[Export], name: str, doc: str | None, lowered: Lowered, imports: list[Any], timeout: float | None
) -> Export:
    return cls(lowered._replace(imports=tuple([_opaque(*f) for f in imports])), name, doc, timeout=timeout)


def _packed(f: Func) -> tuple[Any, ...]:
    """An opaque function, pickled for `_opaque`: its body by its qualified name if that finds it, else by pickle."""
    import pickle

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
    """The inverse of `_packed`."""
    b = Builder(name)
    for t, k in params:
        b.param(t, k)
    return Func(name, b.root, result, pure=pure, kind=Opaque(_found(body) if isinstance(body, str) else body))


def _found(where: str) -> Any:
    """The function at `module:name`, without its `@opaque` decorator; None if there is none."""
    module, _, name = where.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        return None
    return getattr(found, "body", found)
