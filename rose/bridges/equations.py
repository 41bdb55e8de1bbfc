"""Equations of a jaxpr, as their rules see them, and the table of the rules.

A rule is a function from an `Equation` and its operands, traced, to the result, or to the list of the results. One that
is `raw` gets the operands as they are: `Known`, `Truth`, `Word`, or traced values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..errors import Loc, RoseError, TypeMismatch, here
from ..frontend.arrays.shapes import leaf_of
from ..ir import Value
from ..ir.types import Fin, Type
from .jax_api import core, debug_info, is_key, jax, variables
from .operands import Known, Range, Truth, array_type

if TYPE_CHECKING:
    from .jaxprs import Program

F = TypeVar("F", bound=Callable[..., Any])


class Aval(NamedTuple):
    """The shape and the dtype of a variable. Keys have the dtype uint32, and an axis of 2 words."""

    shape: tuple[int, ...]
    dtype: Any  # of NumPy

    @property
    def type(self) -> Type:
        return array_type(self.shape, self.dtype)


def aval_of(x: Any) -> Aval:
    """The shape and the dtype of what has them: an array, or an aval of JAX; of keys, those of their words."""
    return _words_of(x) if is_key(x) else Aval(tuple(x.shape), np.dtype(x.dtype))


def _words_of(keys: Any) -> Aval:
    """Keys as the words that they are, of JAX's default generator."""
    if str(keys.dtype) != "key<fry>" or not jax.config.jax_threefry_partitionable:
        hint = "draw with the default, threefry2x32, and leave jax_threefry_partitionable on"
        raise TypeMismatch(f"rose.from_jax: keys of another generator than JAX's default: {keys.dtype}", here(), hint)
    return Aval((*keys.shape, 2), np.dtype(np.uint32))


class Rule(NamedTuple):
    """What a primitive means here."""

    apply: Callable[..., Any]
    raw: bool
    note: str  # what of it is refused


RULES: dict[str, Rule] = {}  # by the name of the primitive


def rule(*names: str, raw: bool = False, note: str = "") -> Callable[[F], F]:
    """Give a rule to primitives of these names."""

    def given(f: F) -> F:
        RULES.update(dict.fromkeys(names, Rule(f, raw, note)))
        return f

    return given


class Equation:
    """An equation of a jaxpr: what of it a rule may ask."""

    __slots__ = ("ins", "loc", "name", "outs", "params", "program", "written")

    def __init__(self, written: Any, ins: Sequence[Aval], outs: Sequence[Aval], program: Program) -> None:
        self.written = written  # of JAX
        self.name: str = written.primitive.name
        self.params: dict[str, Any] = written.params
        self.ins, self.outs, self.program = ins, outs, program
        self.loc: Loc | None = None

    @property
    def variables(self) -> Sequence[Any]:
        """The operands in the jaxpr: variables and literals, each with an aval."""
        return self.written.invars

    def alone(self) -> Any:
        """The equation as a closed jaxpr, with a parameter for each operand."""
        e = self.written
        variable = variables()
        params: list[Any] = [variable(v.aval) for v in e.invars]
        one = e.replace(invars=params)
        names = tuple([f"x{k}" for k in range(len(params))])
        made = core.Jaxpr((), params, e.outvars, [one], e.effects, debug_info(self.name, names, len(e.outvars)))
        return core.ClosedJaxpr(made, ())

    @property
    def out(self) -> Aval:
        return self.outs[0]

    @property
    def kind(self) -> str:
        """That of the first operand's dtype: b, i, u, f or c."""
        return self.ins[0].dtype.kind

    def refused(self, what: str, hint: str) -> RoseError:
        """An error that names the primitive, at the line of the user's program that made it."""
        return TypeMismatch(f"rose.from_jax: {self.name}: {what}", self.loc or here(), hint)

    def range_of(self, x: Any, aval: Aval) -> Range | None:
        """The range of an operand of whole numbers; None if it is that of its dtype, and that is not exact."""
        if x.__class__ is Known:
            return (int(x.array.min()), int(x.array.max())) if x.array.size else (0, 0)
        if x.__class__ is Truth or aval.dtype.kind == "b":
            return 0, 1
        if isinstance(x, Value):
            if x in self.program.ranges:
                return self.program.ranges[x]
            t = leaf_of(x.type)
            if isinstance(t, Fin) and isinstance(t.size, int):
                return 0, max(t.size - 1, 0)
        return limits(aval.dtype)

    def remember(self, x: Any, within: Range | None) -> Any:
        """`x`, whose range is known from now on."""
        if within is not None and isinstance(x, Value):
            self.program.ranges[x] = within
        return x


EXACT = 53  # bits of whole numbers that are exact as Reals


def limits(dtype: Any) -> Range | None:
    """The range of the whole numbers of a dtype; None of those of 64 bits, which are taken to be below `2 ** 53`."""
    bits = dtype.itemsize * 8
    if dtype.kind == "b":
        return 0, 1
    if bits > EXACT:
        return None
    return (0, 2**bits - 1) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
