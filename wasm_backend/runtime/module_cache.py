"""The module cache: modules on disk by the key of what they are made of, for the next process that compiles the same.

An entry is plain data. What it cannot have is of the process that reads it: the types in signatures, with the user's
classes; where failures and loops were written; and what is printed. They are numbers of what both processes have, the
instructions and functions of the trace. So a module that was read has the bytes, and says the lines, of one that is
made. A module of which something is found nowhere there is not stored.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from typing import Any

import rose.errors
from rose.errors import Loc
from rose.host.effects import Failure, Printer
from rose.ir import Func
from rose.ir.digest import Digest
from rose.ir.types import Type

from ..abi.signature import Lowered, Plain, Signature, Slot, Stop
from .cache_directory import cache_directory
from .entries import load, store

WORTH = 0.004  # seconds: a module that takes less time to compile is not stored, which takes 1.5 ms
Types = Mapping[str, Sequence[Type]]  # of the parameters, and of the result, by the name of the export
_Failures, _Stops = list[tuple[str, str, int, str]], list[tuple[int, int, Any]]
# bytes, those of the plain module, signatures, functions that print, mathematics, failures, base, stops
_Data = tuple[bytes, tuple[bytes, bytes] | None, list[Any], list[int], tuple[str, ...], _Failures, int, _Stops]


class _NotPlain(Exception):
    """A module is not stored."""


def stored(name: str, digest: Digest, types: Types) -> Lowered | None:
    """The module of that key; None if there is none that can be trusted."""
    with cache_directory() as directory:
        content = None if directory is None else load(directory, name)
    if content is None:
        return None
    data, derived = marshal.loads(content)
    functions = [*digest.functions]
    for k in derived:
        functions[k].differentiated = True  # as if that had been done here: it can have no other rule any more
    return _read(data, functions, digest, types)


def keep(name: str, digest: Digest, types: Types, made: Lowered) -> None:
    """Store a module, if that can be."""
    derived = [k for f, k in digest.functions.items() if f.differentiated]
    try:
        data = _written(made, digest, types), derived
    except _NotPlain:
        return
    with cache_directory() as directory:
        if directory is not None:
            store(directory, name, marshal.dumps(data, 2))


def _written(made: Lowered, digest: Digest, types: Types) -> _Data:
    """A module as plain data."""
    numbers: dict[int, int] = {}
    if made.failures or made.stops:
        for k, loc in enumerate(digest.places):
            numbers.setdefault(id(loc), k)
    plain = made.plain and (made.plain.wasm, made.plain.probe)
    signatures = [_signature(s, types[name]) for name, s in made.signatures.items()]
    failures = [_failure(why, numbers) for why in made.failures]
    stops = [(at, _place(stop.loc, numbers), stop.locals) for at, stop in made.stops]
    imports = [_printer(f, digest) for f in made.imports]
    return made.wasm, plain, signatures, imports, made.mathematics, failures, made.base, stops


def _read(data: _Data, functions: Sequence[Func], digest: Digest, types: Types) -> Lowered:
    """The module of plain data."""
    wasm, plain, signatures, imports, mathematics, failures, base, stops = data
    locs = [*digest.places, None]
    return Lowered(
        wasm,
        {name: _with_types(name, slots, calls, fails, types[name]) for name, slots, calls, fails in signatures},
        tuple([functions[k] for k in imports]),
        mathematics,
        tuple([Failure(getattr(rose.errors, kind), what, locs[k], hint) for kind, what, k, hint in failures]),
        base,
        plain and Plain(*plain),
        (),
        tuple([(at, Stop(locs[k], names)) for at, k, names in stops]),
    )


def _signature(s: Signature, types: Sequence[Type]) -> Any:
    """A signature without its types, which must be those that are known."""
    slots = [*s.params, s.result]
    same = len(slots) == len(types) and all([slot.type is t for slot, t in zip(slots, types, strict=True)])
    if not same or s.sizes or any([slot.at is not None and slot.at.__class__ is not int for slot in slots]):
        raise _NotPlain
    return s.name, [(slot.name, slot.at) for slot in slots], s.calls, s.fails


def _with_types(name: str, slots: Sequence[Any], calls: bool, fails: bool, types: Sequence[Type]) -> Signature:
    """A signature with its types."""
    *params, result = [Slot(of, t, at) for (of, at), t in zip(slots, types, strict=True)]
    return Signature(name, tuple(params), result, (), calls, fails)


def _failure(why: Failure, numbers: Mapping[int, int]) -> Any:
    kind = why.kind.__name__
    if getattr(rose.errors, kind, None) is not why.kind or why.text:
        raise _NotPlain
    return kind, why.message, _place(why.loc, numbers), why.hint


def _place(loc: Loc | str | None, numbers: Mapping[int, int]) -> int:
    """The number of a place of the trace; -1 of none."""
    if loc is None:
        return -1
    if id(loc) not in numbers:
        raise _NotPlain
    return numbers[id(loc)]


def _printer(f: Func, digest: Digest) -> int:
    """The number of a function that prints. What asserts is no import."""
    if not isinstance(f.impl, Printer) or f not in digest.functions:
        raise _NotPlain
    return digest.functions[f]
