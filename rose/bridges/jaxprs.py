"""The tracer of jaxprs: each equation becomes operations of the language, by the rule of its primitive.

A function that is called more than once, and is not short, stays a function. What is known while tracing is computed by
NumPy as far as whole numbers and shapes go, so that indices are known where JAX's program knows them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from ..errors import Loc
from ..frontend.function import AnyFn, make
from ..frontend.language.select import stop_gradient
from ..ir import Value, current_builder
from ..ir.types import Unit, tuple_of
from .equations import Aval, Equation, aval_of
from .folding import ALWAYS, folded
from .jax_api import core, is_key, jax
from .operands import Known, Operand, Range, Word, traced
from .primitives.control import typed
from .rules import RULES

SHORT = 16  # equations of a function that is written where it is called
Jaxpr = Any


class Program:
    """A JAX program, while it is traced."""

    def __init__(self, jaxpr: Jaxpr) -> None:
        self.ranges: dict[Value, Range] = {}
        self.wide: bool = jax.config.jax_enable_x64  # pyright: ignore
        self.in_tangents = False  # a derivative rule is being traced: what is zero times a number is zero
        self._functions: dict[Any, AnyFn] = {}
        self._calls: dict[int, int] = {}
        self._lengths: dict[int, int] = {}
        self._count(jaxpr)

    def _count(self, jaxpr: Jaxpr) -> int:
        """The number of equations of a jaxpr and of those in it; how often each is called goes into the table."""
        key = id(jaxpr)
        self._calls[key] = self._calls.get(key, 0) + 1
        if key not in self._lengths:
            self._lengths[key] = sum(1 + sum(self._count(j) for j in inner(e)) for e in jaxpr.eqns)
        return self._lengths[key]

    def argument(self, x: Any, a: Aval) -> Operand:
        """An argument of the program: whole numbers have no derivative."""
        return stop_gradient(x) if a.dtype.kind in "iu" else x

    def run(self, closed: Any, args: Sequence[Operand]) -> list[Operand]:
        """The results of a closed jaxpr."""
        return self.evaluated(closed.jaxpr, [constant_of(c) for c in closed.consts], args)

    def evaluated(self, jaxpr: Jaxpr, consts: Sequence[Operand], args: Sequence[Operand]) -> list[Operand]:
        env: dict[Any, Operand] = dict(zip(jaxpr.constvars, consts, strict=True))
        env.update(zip(jaxpr.invars, args, strict=True))

        def read(v: Any) -> Operand:
            return Known(np.asarray(v.val, v.aval.dtype)) if hasattr(v, "val") else env[v]

        for e in needed(jaxpr):
            found = self._applied(e, [read(v) for v in e.invars])
            env.update(zip(e.outvars, found, strict=True))
        return [read(v) for v in jaxpr.outvars]

    def _applied(self, e: Any, xs: list[Operand]) -> list[Operand]:
        ins, outs = [aval_of(v.aval) for v in e.invars], [aval_of(v.aval) for v in e.outvars]
        equation = Equation(e, ins, outs, self)
        known = all(x.__class__ is Known for x in xs)
        if known and (arrays := folded(equation, [x.array for x in xs])) is not None:
            return [Known(a, self._expressed(equation, xs, k)) for k, a in enumerate(arrays)]
        if self.in_tangents and (zero := _zero(equation, xs)) is not None:
            return [zero]
        b = current_builder()
        outer, equation.loc = b.loc, loc_of(e)
        b.loc = equation.loc or outer
        try:
            return self._by_rule(equation, xs)
        finally:
            b.loc = outer

    def _by_rule(self, e: Equation, xs: Sequence[Operand]) -> list[Operand]:
        found = RULES.get(e.name)
        if found is None:
            return self._as_implemented(e, xs)
        made = found.apply(e, *(xs if found.raw else map(traced, xs)))
        return list[Operand](made) if made.__class__ is list else [made]

    def _as_implemented(self, e: Equation, xs: Sequence[Operand]) -> list[Operand]:
        """The results of a primitive of another library: what its implementation says, if that is a function of JAX."""
        impl = e.written.primitive.impl
        if impl.__class__ is not FunctionType or impl.__module__.startswith("jax."):
            raise e.refused("this primitive has no meaning here", "write it with functions that have one")
        shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in e.variables]
        try:
            jaxpr = jax.make_jaxpr(lambda *args: impl(*args, **e.params))(*shapes)
        except (jax.errors.JAXTypeError, TypeError) as error:
            raise e.refused(f"its implementation is no function of JAX: {error}", "leave it out") from None
        if any(x.primitive is e.written.primitive for x in jaxpr.jaxpr.eqns):
            raise e.refused("its implementation calls itself", "leave it out")
        return self.run(jaxpr, xs)

    def _expressed(self, e: Equation, xs: Sequence[Operand], k: int) -> Any:
        return (lambda: traced(self._by_rule(e, xs)[k])) if e.name in RULES and e.name not in ALWAYS else None

    def call(self, closed: Any, name: str, args: Sequence[Operand]) -> list[Operand]:
        """The results of a call of a jaxpr: of a function of its own, if it is long and called more than once."""
        key = id(closed.jaxpr)
        if self._calls.get(key, 1) < 2 or self._lengths.get(key, 0) < SHORT or any(isinstance(x, Word) for x in args):
            return self.run(closed, args)
        given = [k for k, x in enumerate(args) if x.__class__ is not Known]
        same = tuple([(x.array.tobytes(), x.array.shape) if x.__class__ is Known else None for x in args])
        if (key, same) not in self._functions:
            self._functions[key, same] = self._function(closed, name, args, given)
        f = self._functions[key, same]
        made = f(*[traced(args[k]) for k in given])
        return [made[k] for k, _ in enumerate(closed.out_avals)]

    def _function(self, closed: Any, name: str, args: Sequence[Operand], given: Sequence[int]) -> AnyFn:
        types = [aval_of(closed.in_avals[k]).type for k in given]
        result = tuple_of(*[aval_of(a).type for a in closed.out_avals])

        def body(*values: Value) -> Any:
            xs = list(args)
            for k, v in zip(given, values, strict=True):
                xs[k] = v
            return tuple([typed(x, aval_of(a)) for x, a in zip(self.run(closed, xs), closed.out_avals, strict=True)])

        return make(body, types, result if closed.out_avals else Unit, name, [f"x{k}" for k in given])


def inner(e: Any) -> Iterator[Jaxpr]:
    """The jaxprs that an equation holds."""
    held: list[Any] = list(e.params.values())
    for x in held:
        several: Any = x if x.__class__ in (tuple, list) else (x,)
        for y in several:
            if isinstance(y, core.ClosedJaxpr):
                yield y.jaxpr
            elif isinstance(y, core.Jaxpr):
                yield y


def _zero(e: Equation, xs: Sequence[Operand]) -> Known | None:
    """The result of a product or a quotient, if a factor of it is known to be 0."""
    factors = xs[:1] if e.name == "div" else xs if e.name in ("mul", "dot_general") else ()
    none = any(x.__class__ is Known and not x.array.any() for x in factors)
    return Known(np.zeros(e.out.shape, e.out.dtype)) if none else None


def needed(jaxpr: Jaxpr) -> list[Any]:
    """The equations of a jaxpr that its results need, or that have an effect."""
    wanted, found = set(map(id, jaxpr.outvars)), list[Any]()
    for e in reversed(jaxpr.eqns):
        if e.effects or any(id(v) in wanted for v in e.outvars):
            found.append(e)
            wanted.update(map(id, e.invars))
    return found[::-1]


def constant_of(x: Any) -> Known:
    """A constant of a jaxpr: an array, or keys."""
    if isinstance(x, jax.Array) and is_key(x):
        x = jax.random.key_data(x)
    return Known(np.asarray(x))


def loc_of(e: Any) -> Loc | None:
    """The user's line that made an equation."""
    source = e.source_info.traceback
    if source is None:
        return None
    codes, places = source.raw_frames()
    return next((Loc(c, at) for c, at in zip(codes, places, strict=True) if not _is_inside(c.co_filename)), None)


@cache
def _is_inside(file: str) -> bool:
    """True of the files of JAX, and of ours."""
    return file.startswith(_INSIDE) or file.startswith("<")


_INSIDE = tuple(str(Path(f).parent) + os.sep for f in (jax.__file__, __file__, os.__file__))
