"""Recurrent layers: a step of the language's own loop for each row of a sequence."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import TypeMismatch, here
from ..frontend.arrays.elementwise import array_function
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import array_type, as_array, leaf_of, same, shape_of
from ..frontend.arrays.shaping import moveaxis
from ..frontend.language.control import scan
from ..frontend.typed import Array, Operand
from ..ir import Value, a_traced, current_builder
from ..ir.ops import sigmoid, tanh
from ..ir.sizes import Size
from ..ir.types import Real


class LSTMResult(NamedTuple):
    """The state after each step, the last of them, and the last cell."""

    outputs: Array
    h: Array
    c: Array


class GRUResult(NamedTuple):
    """The state after each step, and the last of them."""

    outputs: Array
    h: Array


@array_function
def lstm(
    x: Operand,
    kernel: Operand,
    recurrent: Operand,
    bias: Operand = 0.0,
    *,
    h: Operand | None = None,
    c: Operand | None = None,
) -> LSTMResult:
    """A layer of long short-term memory, over sequences `Vec[batch, steps, features]`; the batch has any axes, or none.

    `kernel` is `Vec[features, 4 * units]`, `recurrent` `Vec[units, 4 * units]` and `bias` `Vec[4 * units]`: for the
    gates of input and forgetting, for what is new, and for the gate of output, in this order, which is that of Keras
    and PyTorch. `h` and `c` are the first state and cell, `Vec[batch, units]`, by default zeros.
    """
    of, u, n = _operands(x, kernel, recurrent, 4, "lstm")
    first = [_state(s, of, n, "lstm") for s in (h, c)]
    steps = of + bias

    def step(t: Value, state: tuple[Value, ...]) -> Any:
        h, c = state
        i, f, new, o = _parts(steps[t] + matmul(h, u), n, 4)
        c = sigmoid(f) * c + sigmoid(i) * tanh(new)
        h = sigmoid(o) * tanh(c)
        return (h, c), h

    (h, c), made = scan(step, tuple(first), shape_of(of.type)[0])
    return LSTMResult(moveaxis(made, 0, -2), h, c)


@array_function
def gru(
    x: Operand,
    kernel: Operand,
    recurrent: Operand,
    bias: Operand = 0.0,
    recurrent_bias: Operand = 0.0,
    *,
    h: Operand | None = None,
) -> GRUResult:
    """A layer of gated recurrent units, over sequences `Vec[batch, steps, features]`; the batch has any axes, or none.

    `kernel` is `Vec[features, 3 * units]`, `recurrent` `Vec[units, 3 * units]`, and either bias `Vec[3 * units]`: for
    the gates of reset and update, and for what is new, in PyTorch's order. As there, the gate of reset is a factor of
    the product of the state, its bias included. `h` is the first state, `Vec[batch, units]`, by default zeros.
    """
    of, u, n = _operands(x, kernel, recurrent, 3, "gru")
    steps = of + bias

    def step(t: Value, h: Value) -> Any:
        r, z, new = _parts(steps[t], n, 3)
        by_r, by_z, by_new = _parts(matmul(h, u) + recurrent_bias, n, 3)
        kept = sigmoid(z + by_z)
        h = kept * h + (1.0 - kept) * tanh(new + sigmoid(r + by_r) * by_new)
        return h, h

    last, made = scan(step, _state(h, of, n, "gru"), shape_of(of.type)[0])
    return GRUResult(moveaxis(made, 0, -2), last)


def _operands(
    x: Operand, kernel: Operand, recurrent: Operand, gates: int, name: str
) -> tuple[Value, Value, int | Size]:
    """The products of the sequences with the kernel, steps first; the recurrent kernel; and the number of units."""
    v, w, u = as_array(x), as_array(kernel), as_array(recurrent)
    units = shape_of(u.type)[0] if len(shape_of(u.type)) == 2 else 0
    if leaf_of(v.type) is not Real or len(shape_of(v.type)) < 2:
        what = f"rose.nn.{name} takes sequences of rows of Reals, not {a_traced(v)}"
        raise TypeMismatch(what, here(), "give Vec[steps, features]; leading axes are those of a batch")
    shapes = (shape_of(v.type)[-1], gates * units), (units, gates * units)
    if not same(shape_of(w.type), shapes[0]) or not same(shape_of(u.type), shapes[1]):
        what = f"rose.nn.{name} of a {v.type!r} has no kernels in a {w.type!r} and a {u.type!r}"
        hint = f"give Vec[{shapes[0][0]!r}, {gates} * units] and Vec[units, {gates} * units]"
        raise TypeMismatch(what, here(), hint)
    return moveaxis(matmul(v, w), -2, 0), u, units


def _state(given: Operand | None, of: Value, units: int | Size, name: str) -> Value:
    """The first state: zeros, or what is given."""
    shape = (*shape_of(of.type)[1:-1], units)
    if given is None:
        return current_builder().zero(array_type(shape, Real))
    v = as_array(given)
    if leaf_of(v.type) is not Real or not same(shape_of(v.type), shape):
        hint = "give a row of units for each sequence of the batch"
        raise TypeMismatch(f"rose.nn.{name} starts from {array_type(shape, Real)!r}, not {a_traced(v)}", here(), hint)
    return v


def _parts(x: Value, units: int | Size, count: int) -> list[Any]:
    """The parts of the last axis, each of so many units."""
    return [x[..., k * units : (k + 1) * units] for k in range(count)]
