"""The key of a module: a digest of all that its bytes depend on, without deriving, optimising or lowering anything.

It has the traces of the functions (see `ir/digest.py`), the options, the version, and the files of the compiler as they
are. A function that a transform made, such as `rose.grad(f)`, has in its place the names of the transforms with their
options, and the trace of `f`. That is sound for those of `DERIVING`, which look at nothing but the trace, the name and
the types of `f`. What any other made is traced, and so is a function that has a derivative rule of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

from .frontend.function import AnyFn, Fn
from .frontend.tracing import no_collector
from .frontend.transforms import options_key
from .ir.callgraph import length, reachable
from .ir.digest import Digest, Unknown
from .ir.types import Type, single, untyped
from .optimise.dead_code import remove_dead_code
from .version import BEGUN, VERSION

DERIVING = {f"rose.differentiation.{name}" for name in ("fields", "gradients", "jacobians", "jets", "products")}
WORTH = 32  # instructions of a trace: shorter gradients compile in less than 2 ms, and to look for one takes 0.15 ms
_COARSE = 2.0  # seconds: how long the import takes, and how coarse the times of files are
_PACKAGES = "rose", "wasm_backend"


class Key(NamedTuple):
    """The key of a module, with the digest that it is of: it has the functions that were traced, by number."""

    name: str
    digest: Digest


def module_key(fs: Mapping[str, AnyFn], options: tuple[Any, ...]) -> Key | None:
    """The key of the module of these functions; None if it has none, or is not worth one.

    What goes wrong here will go wrong when the module is made, which says so.
    """
    try:
        with no_collector():
            if _is_short(fs):
                return None
            digest = Digest(remove_dead_code)
            for name, f in fs.items():
                _add(digest, name, f)
            if digest.count < WORTH or (files := sources()) is None:
                return None
            digest.add([VERSION, sys.implementation.cache_tag, files, *options])
            return Key(digest.hexdigest(), digest)
    except (Unknown, ValueError):  # which marshal raises of what is not plain data
        return None


def exported(fs: Mapping[str, AnyFn], dtype: str) -> dict[str, list[Type]]:
    """The types of the parameters and of the result of each function in a module."""
    of = single if dtype == "f32" else untyped
    return {name: [of(t) for t in (*f.types, f.result)] for name, f in fs.items()}


def _add(digest: Digest, name: str, f: AnyFn) -> None:
    """Add a function: how it was derived, and what from."""
    steps, f = _primal(f)
    if f.captured:
        raise Unknown
    types = [digest.type(t) for t in (*f.types, f.result)]
    digest.add([name, steps, f.name, f.names, types, sorted(f.sizes.items()), digest.function(f.func)])


def _is_short(fs: Mapping[str, AnyFn]) -> bool:
    """True if the traces are too short for a key, whatever dead code is in them: no digest is made then."""
    primals = [_primal(f)[1].func for f in fs.values()]
    return sum([length(g) for g in {g: None for f in primals for g in reachable(f)}]) < WORTH


def _primal(f: AnyFn) -> tuple[list[Any], AnyFn]:
    """What a function was derived from, which is traced, and by which steps."""
    steps = list[Any]()
    while (step := _derived(f)) is not None:
        steps.append(step[1:])
        f = step[0]
    try:
        _ = f.captured
    except Exception:  # an error of the user's program
        raise Unknown from None
    return steps, f


def _derived(f: AnyFn) -> tuple[AnyFn, str, str] | None:
    """What a function was made of, by which transform with which options; None if that alone does not tell it."""
    if f.made_by is None or f.rule is not None or type(f) is not Fn:
        return None
    if f.is_traced and (f.func.has_rule or f.func.marks.linear is not None):
        return None
    transform, args, named = f.made_by
    of = cast("AnyFn | None", next(iter(args), None))
    options = options_key({**{str(k): x for k, x in enumerate(args[1:])}, **named})
    if transform.__module__ not in DERIVING or options is None or of is None or type(of) is not Fn:
        return None
    return of, transform.__qualname__, repr(options)


@cache
def sources() -> str | None:
    """What tells the files of the compiler from others: their sizes and times. None if they are not those that run.

    The time of a change cannot be set, as that of a modification can.
    """
    from hashlib import sha256

    found: dict[str, tuple[int, ...]] = {}
    for name in _PACKAGES:
        spec = find_spec(name)
        for folder in (spec and spec.submodule_search_locations) or ():
            _stat(folder, name, found)
    newest = max([times[-1] for times in found.values()], default=None)
    if newest is None or newest > (BEGUN - _COARSE) * 1e9:
        return None
    return sha256(repr(sorted(found.items())).encode()).hexdigest()


def _stat(folder: str, name: str, found: dict[str, tuple[int, ...]]) -> None:
    """Note the files in a folder, and in those below."""
    try:
        with os.scandir(folder) as there:
            for file in there:
                if file.is_dir():
                    if file.name != "__pycache__":
                        _stat(file.path, f"{name}/{file.name}", found)
                else:
                    about = file.stat()
                    found[f"{name}/{file.name}"] = about.st_size, about.st_mtime_ns, about.st_ctime_ns
    except OSError:  # in an archive, say
        found[name] = (sys.maxsize,)
