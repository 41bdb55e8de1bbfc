"""A function of ours as an operator of JAX: two primitives, with rules for all of JAX's transforms.

`rose_call` runs an operator, and `rose_tangents` the tangents of one: it is linear in its last arguments, and its
transpose runs the cotangents. Both run as a callback of Python: on the processor, under `jit` too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

from ..frontend.function import AnyFn
from .jax_api import ad, batching, core, jax, mlir
from .operators import Operator, structure_of


def exported(f: AnyFn) -> Callable[..., Any]:
    """What `rose.to_jax` gives."""
    made = structure_of(f, "to_jax")

    @wraps(f.body)
    def call(*args: Any, **named: Any) -> Any:
        arrays = made.arrays(f.bind(args, named))
        given = [jax.numpy.asarray(x, _dtype(a.dtype)) for x, a in zip(arrays, made.operator.ins, strict=True)]
        return made.result(_call.bind(*given, op=made.operator))

    return call


def _dtype(dtype: Any) -> Any:
    """That of JAX: of 32 bits, unless `jax_enable_x64` is set."""
    return jax.dtypes.canonicalize_dtype(dtype)


def _shapes(*_: Any, op: Operator) -> list[Any]:
    return [jax.core.ShapedArray(a.shape, _dtype(a.dtype)) for a in op.outs]


def _run(op: Operator, *xs: Any) -> list[Any]:
    return [y.astype(_dtype(y.dtype)) for y in op.run(*map(np.asarray, xs))]


def _now(*xs: Any, op: Operator) -> list[Any]:
    return [jax.numpy.asarray(y) for y in _run(op, *xs)]


def _callback(*xs: Any, op: Operator) -> Any:
    shapes = [jax.ShapeDtypeStruct(a.shape, _dtype(a.dtype)) for a in op.outs]
    return jax.pure_callback(lambda *ys: _run(op, *ys), shapes, *xs)


def _primitive(name: str) -> Any:
    p = core.Primitive(name)
    p.multiple_results = True
    p.def_impl(_now)
    p.def_abstract_eval(_shapes)
    mlir.register_lowering(p, mlir.lower_fun(_callback, multiple_results=True))
    batching.primitive_batchers[p] = partial(_batched, p)
    return p


def _batched(p: Any, xs: Sequence[Any], dims: Sequence[Any], *, op: Operator) -> Any:
    there = [d is not None for d in dims]
    n = next(x.shape[d] for x, d, b in zip(xs, dims, there, strict=True) if b)
    moved = [jax.numpy.moveaxis(x, d, 0) if b else x for x, d, b in zip(xs, dims, there, strict=True)]
    outs = p.bind(*moved, op=op.vmapped(there, n))
    return outs, [0] * len(outs)


_call, _tangents = _primitive("rose_call"), _primitive("rose_tangents")


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, op: Operator) -> Any:
    """The results of an operator, and their tangents."""
    outs = _call.bind(*primals, op=op)
    return outs, _along(op, primals, tangents)


def _along(op: Operator, primals: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    given = [ad.instantiate_zeros(tangents[k]) for k in op.moving]
    found = iter(_tangents.bind(*primals, *given, op=op.tangents))
    return [next(found) if a.moves else ad.Zero(jax.core.ShapedArray(a.shape, jax.dtypes.float0)) for a in op.outs]


def _jvp_of_tangents(primals: Sequence[Any], tangents: Sequence[Any], *, op: Operator) -> Any:
    outs = _tangents.bind(*primals, op=op)
    return outs, _along(op, primals, tangents)


def _transpose(cts: Sequence[Any], *args: Any, op: Operator) -> list[Any]:
    """The cotangents of the tangents among the arguments, in which the results are linear."""
    given = [ad.instantiate_zeros(ct) for ct in cts]
    unknown = [k for k, x in enumerate(args) if ad.is_undefined_primal(x)]
    full = [jax.numpy.zeros(x.aval.shape, x.aval.dtype) if k in unknown else x for k, x in enumerate(args)]
    found = dict(zip(op.moving, _call.bind(*full, *given, op=op.cotangents), strict=True))
    return [found[k] if k in unknown else None for k in range(len(args))]


ad.primitive_jvps[_call] = _jvp
ad.primitive_jvps[_tangents] = _jvp_of_tangents
ad.primitive_transposes[_tangents] = _transpose
