"""Operators: a function of ours as one of flat lists of arrays, with its derivatives as operators again.

What a framework calls is `run`, of arrays of NumPy. `tangents` is the operator from the arguments and the tangents of
those that are numbers to the tangents of the results; `cotangents` that from the arguments and the cotangents of the
results to those of the arguments. Each is compiled when it first runs, and has such operators itself: so derivatives of
any order are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..build import compile
from ..differentiation.gradients import vjp
from ..differentiation.linear_map import LinearMap
from ..errors import TypeMismatch, here
from ..frontend.arrays.shapes import leaf_of
from ..frontend.function import AnyFn, checked, make
from ..frontend.operators import view
from ..frontend.vmap import vmap
from ..host.marshal import fields
from ..ir import current_builder
from ..ir.types import Bool, Fin, Real, Tuple, Type, Vec, tuple_of


class Array(NamedTuple):
    """The shape and the dtype of an argument or a result of an operator."""

    shape: tuple[int, ...]
    dtype: Any
    type: Type

    @property
    def moves(self) -> bool:
        """Whether it has a derivative."""
        return self.dtype.kind == "f"


class Operator:
    """A function of arrays to a tuple of arrays, made of a function whose types have no structs."""

    def __init__(self, flat: AnyFn) -> None:
        self.flat = flat
        self.ins = [array_of(t, flat.name) for t in flat.types]
        assert isinstance(flat.result, Tuple)
        self.outs = [array_of(t, flat.name) for t in flat.result.items]
        self._vmapped: dict[tuple[tuple[bool, ...], int], Operator] = {}

    @cached_property
    def _module(self) -> Callable[..., Any]:
        return compile(self.flat)

    def run(self, *xs: Any) -> list[Any]:
        """The results for arrays of NumPy, as such."""
        made = self._module(*[np.asarray(x, a.dtype) for x, a in zip(xs, self.ins, strict=True)])
        return [np.asarray(y, a.dtype).reshape(a.shape) for y, a in zip(made, self.outs, strict=True)]

    @property
    def moving(self) -> list[int]:
        """The arguments that have a derivative."""
        return [k for k, a in enumerate(self.ins) if a.moves]

    @cached_property
    def tangents(self) -> Operator:
        f, moving = self.flat, self.moving
        along = LinearMap(f, moving)

        def body(*xs: Any) -> Any:
            n, b = len(f.types), current_builder()
            _, dy = along.jvp(along.arguments(xs[:n]), dict(zip(moving, xs[n:], strict=True)))
            return tuple([view(b.get(dy, k)) for k, a in enumerate(self.outs) if a.moves])

        types = [*f.types, *[f.types[k] for k in moving]]
        result = tuple_of(*[a.type for a in self.outs if a.moves])
        return Operator(make(body, types, result, f"tangents({f.name})", _numbered(types)))

    @cached_property
    def cotangents(self) -> Operator:
        f, moving = self.flat, self.moving
        back = vjp(f)

        def body(*xs: Any) -> Any:
            n, b = len(f.types), current_builder()
            cts = iter(xs[n:])
            found = back(*xs[:n]).grad(tuple([next(cts) if a.moves else b.zero(a.type) for a in self.outs]))
            return tuple([found[k] for k in moving] if n > 1 else [found])

        types = [*f.types, *[a.type for a in self.outs if a.moves]]
        result = tuple_of(*[f.types[k] for k in moving])
        return Operator(make(body, types, result, f"cotangents({f.name})", _numbered(types)))

    def vmapped(self, batched: Sequence[bool], n: int) -> Operator:
        """The operator for batches of `n` in some arguments."""
        key = tuple(batched), n
        if key not in self._vmapped:
            f = vmap(self.flat, tuple([0 if b else None for b in batched]))
            types = [Vec(n, t) if b else t for b, t in zip(batched, self.flat.types, strict=True)]
            result = tuple_of(*[Vec(n, a.type) for a in self.outs])
            name = f"vmap({self.flat.name})"
            whole = make(lambda *xs: tuple(_columns(f(*xs), len(self.outs))), types, result, name, _numbered(types))
            self._vmapped[key] = Operator(whole)
        return self._vmapped[key]


def _columns(x: Any, count: int) -> list[Any]:
    return [x[k] for k in range(count)] if x.__class__ is tuple else [x[:, k] for k in range(count)]


def _numbered(types: Sequence[Type]) -> list[str]:
    return [f"x{k}" for k in range(len(types))]


def array_of(t: Type, name: str) -> Array:
    """An argument or a result as an array; refused if it is none."""
    shape, at = list[int](), t
    while isinstance(at, Vec) and isinstance(at.size, int):
        shape.append(at.size)
        at = at.elem
    kind = "f8" if at is Real else "?" if at is Bool else "i4" if isinstance(at, Fin) else None
    if kind is None:
        hint = "give arrays of numbers, in structs if you like; of a rose.dim, f.at(n=10)"
        raise TypeMismatch(f"{name} has a {t!r}, which is no array of an operator", here(), hint)
    return Array(tuple(shape), np.dtype(kind), t)


class Structure(NamedTuple):
    """The types of the parameters of a function and of its result, and the operator of their arrays."""

    f: AnyFn
    operator: Operator

    def arrays(self, args: Sequence[Any]) -> list[Any]:
        """The arrays in the arguments, in order."""
        return [x for a, t, n in zip(args, self.f.types, self.f.names, strict=True) for x in _leaves(a, t, n)]

    def result(self, arrays: Sequence[Any]) -> Any:
        return _whole(self.f.result, iter(arrays))


def structure_of(f: AnyFn, name: str) -> Structure:
    """A function as an operator of the arrays in its arguments."""
    f = checked(f, name)
    types = [s for t in f.types for s in _leaf_types(t)]
    result = tuple_of(*_leaf_types(f.result))

    def body(*xs: Any) -> Any:
        at = iter(xs)
        return tuple(_leaves(f(*[_whole(t, at) for t in f.types]), f.result, "the result"))

    return Structure(f, Operator(make(body, types, result, f.name, _numbered(types))))


def _leaf_types(t: Type) -> Iterator[Type]:
    if isinstance(t, Tuple) and leaf_of(t) is t:
        for s in t.items:
            yield from _leaf_types(s)
    else:
        yield t


def _leaves(x: Any, t: Type, name: str) -> Iterator[Any]:
    """The arrays in a value of a type, traced or not."""
    if not isinstance(t, Tuple):
        yield x
        return
    items, names = fields(x, t, (name,), None)
    for y, s, k in zip(items, t.items, names, strict=True):
        yield from _leaves(y, s, f"{name}.{k}")


def _whole(t: Type, at: Iterator[Any]) -> Any:
    """A value of a type, of the arrays that come next."""
    return t.make([_whole(s, at) for s in t.items]) if isinstance(t, Tuple) else next(at)
