# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
"""What is computed while tracing: whole numbers, conditions, shapes, and numbers of which a program knows all.

The arithmetic is NumPy's on arrays of JAX's dtypes, so that whole numbers wrap as JAX's. Functions of mathematics are
left to the module, whose library has its own last bits. Random numbers of a key that is known are drawn here too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .equations import Equation
from .jax_api import core, is_key, jax
from .known_keys import DRAWN

MOST = 10_000_000  # elements of an array that is computed

Fold = Callable[..., Any]


def _div(e: Equation, x: Any, y: Any) -> Any:
    if e.kind not in "iu":
        return x / y
    whole = np.abs(x) // np.where(y == 0, 1, np.abs(y))
    return np.where(y == 0, -1, np.sign(x) * np.sign(y) * whole)


def _shape(e: Equation, x: Any, *_: Any) -> Any:
    return np.reshape(x, e.out.shape)


def _broadcast(e: Equation, x: Any, *_: Any) -> Any:
    wide = [1] * len(e.out.shape)
    for k, n in zip(e.params["broadcast_dimensions"], x.shape, strict=True):
        wide[k] = n
    return np.broadcast_to(np.reshape(x, wide), e.out.shape)


def _slice(e: Equation, x: Any) -> Any:
    p = e.params
    steps = p["strides"] or (1,) * x.ndim
    return x[tuple(map(slice, p["start_indices"], p["limit_indices"], steps))]


def _iota(e: Equation, *_: Any) -> Any:
    shape, axis = e.out.shape, e.params["dimension"]
    wide = [1] * len(shape)
    wide[axis] = shape[axis]
    return np.broadcast_to(np.arange(shape[axis], dtype=e.out.dtype).reshape(wide), shape)


def _select(e: Equation, which: Any, *cases: Any) -> Any:
    if which.shape != e.out.shape:
        return cases[int(which)]
    return np.choose(which.astype(int), cases)


def _convert(e: Equation, x: Any) -> Any:
    return x != 0 if e.out.dtype.kind == "b" else x


def _split(e: Equation, x: Any) -> Any:
    return np.split(x, np.cumsum(e.params["sizes"])[:-1], e.params["axis"])


def _shift(e: Equation, x: Any, by: Any) -> Any:
    if e.name == "shift_left":
        return x << by
    if e.name == "shift_right_arithmetic" or e.kind == "u":
        return x >> by
    unsigned = x.view(x.dtype.str.replace("i", "u"))
    return (unsigned >> by.astype(unsigned.dtype)).view(x.dtype)


def _of(f: Callable[..., Any]) -> Fold:
    return lambda e, *xs: f(*xs)


def _along(f: Callable[..., Any]) -> Fold:
    return lambda e, x: f(x, axis=tuple(e.params["axes"]))


FOLDS: dict[str, Fold] = {
    "add": _of(operator.add), "add_any": _of(operator.add), "sub": _of(operator.sub), "mul": _of(operator.mul),
    "div": _div, "rem": _of(np.fmod), "neg": _of(operator.neg), "abs": _of(np.abs), "sign": _of(np.sign),
    "max": _of(np.maximum), "min": _of(np.minimum), "clamp": lambda e, a, x, b: np.minimum(np.maximum(x, a), b),
    "lt": _of(operator.lt), "le": _of(operator.le), "gt": _of(operator.gt), "ge": _of(operator.ge),
    "eq": _of(operator.eq), "ne": _of(operator.ne), "and": _of(operator.and_), "or": _of(operator.or_),
    "xor": _of(operator.xor), "not": _of(operator.invert), "select_n": _select, "convert_element_type": _convert,
    "shift_left": _shift, "shift_right_logical": _shift, "shift_right_arithmetic": _shift,
    "integer_pow": lambda e, x: x ** e.params["y"], "square": lambda e, x: x * x, "sqrt": _of(np.sqrt),
    "floor": _of(np.floor), "ceil": _of(np.ceil), "is_finite": _of(np.isfinite),
    "broadcast_in_dim": _broadcast, "reshape": _shape, "squeeze": _shape, "expand_dims": _shape,
    "transpose": lambda e, x: np.transpose(x, e.params["permutation"]), "slice": _slice, "iota": _iota,
    "rev": lambda e, x: np.flip(x, tuple(e.params["dimensions"])), "split": _split,
    "concatenate": lambda e, *xs: np.concatenate(xs, e.params["dimension"]),
    "stop_gradient": _of(np.asarray), "copy": _of(np.asarray), "copy_p": _of(np.asarray),
    "reduce_and": _along(np.all), "reduce_or": _along(np.any), "real": _of(np.real), "imag": _of(np.imag),
    "device_put": lambda e, *xs: list(xs), "optimization_barrier": lambda e, *xs: list(xs),
}  # fmt: skip
ALWAYS = {*DRAWN, "random_gamma", "bitcast_convert_type"}  # by JAX, whatever the numbers are
NEVER = {"jit", "pjit", "closed_call", "core_call", "scan", "while", "cond", "custom_jvp_call", "custom_vjp_call"}


def folded(e: Equation, xs: Sequence[Any]) -> list[Any] | None:
    """The results of an equation of known operands; None if the module computes them."""
    name = e.name
    if sum(int(np.prod(a.shape)) for a in e.outs) > MOST or name in NEVER:
        return None
    whole = all(a.dtype.kind in "iub" for a in (*e.ins, *e.outs))
    if name in FOLDS:
        with np.errstate(all="ignore"):
            made = FOLDS[name](e, *xs)
    elif name in DRAWN:
        with np.errstate(over="ignore"):
            made = DRAWN[name](e, *xs)
    elif name in ALWAYS or (whole and name != "platform_index"):
        made = _by_jax(e, xs)
    else:
        return None
    arrays = made if isinstance(made, (list, tuple)) else [made]
    return [np.asarray(x).astype(a.dtype, copy=False) for x, a in zip(arrays, e.outs, strict=True)]


def _by_jax(e: Equation, xs: Sequence[Any]) -> Any:
    given = [_as_given(x, v.aval) for x, v in zip(xs, e.variables, strict=True)]
    made = core.jaxpr_as_fun(e.alone())(*given)
    return [np.asarray(jax.random.key_data(x) if is_key(x) else x) for x in made]


def _as_given(x: Any, aval: Any) -> Any:
    if is_key(aval):
        return jax.random.wrap_key_data(jax.numpy.asarray(x))
    return jax.numpy.asarray(x, aval.dtype)
