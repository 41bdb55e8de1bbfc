"""Operators of core ATen, PyTorch's own, each with its rule: of the shape of the result and of its arguments.

Names and arguments are those of PyTorch's list of core ATen. Axes below 0 count from the end.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import TypeMismatch, here
from ..frontend.arrays import creation, joining, order, padding, products, reductions, running, shaping
from ..frontend.language import loops
from ..frontend.language.select import where
from ..ir import Value, ops
from ..nn.pooling import avg_pool, max_pool
from .operands import shape_of
from .primitives.control import as_index
from .primitives.shapes import filled, padded, reshaped
from .primitives.windows import convolved

Rule = Callable[..., Any]
_np: Any = np  # its functions take traced values
_FLOAT = np.dtype(float)


def _refused(name: str, what: str) -> TypeMismatch:
    return TypeMismatch(f"rose.from_torch: {name} with {what} has no meaning here", here(), "pad the image before it")


def _scaled(f: Callable[[Any, Any], Any]) -> Rule:
    return lambda _, x, y, alpha=1: f(x, y if alpha == 1 else alpha * y)


def _unary(f: Callable[[Any], Any]) -> Rule:
    return lambda _, x: f(x)


def _binary(f: Callable[[Any, Any], Any]) -> Rule:
    return lambda _, x, y: f(x, y)


def _axes(x: Any, dims: Any) -> tuple[int, ...]:
    """Axes, from 0 on; all, if there are none."""
    rank = len(shape_of(x))
    given = range(rank) if dims is None or dims == [] else dims if isinstance(dims, (list, tuple)) else [dims]
    return tuple([k % rank for k in given])


def _along(f: Callable[..., Any]) -> Rule:
    def of(shape: tuple[int, ...], x: Any, dims: Any = None, keepdim: bool = False, **_: Any) -> Any:
        axes = _axes(x, dims) if shape_of(x) else ()
        return f(x, axis=axes, keepdims=keepdim) if axes else x

    return of


def _extreme(f: Callable[..., Any], place: Callable[..., Any]) -> Rule:
    def of(shape: tuple[int, ...], x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        if dim is None:
            return f(x)
        axis = dim % len(shape_of(x))
        return f(x, axis=axis, keepdims=keepdim), place(x, axis=axis, keepdims=keepdim)

    return of


def _variance(_: Any, x: Any, dims: Any = None, *, correction: float = 1, keepdim: bool = False) -> Any:
    axes = _axes(x, dims)
    count = math.prod([shape_of(x)[k] for k in axes])
    apart = x - reductions.mean(x, axis=axes, keepdims=True)
    return loops.sum(apart * apart, axis=axes, keepdims=keepdim) / max(count - correction, 0)


def _slice(_: Any, x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    n = shape_of(x)[dim]
    last = n if end is None else min(end, n)
    return x[(*[slice(None)] * (dim % len(shape_of(x))), slice(start, last, step))]


def _split(_: Any, x: Any, sizes: Sequence[int], dim: int = 0) -> list[Any]:
    at, parts, axis = 0, list[Any](), dim % len(shape_of(x))
    for n in sizes:
        parts.append(x[(*[slice(None)] * axis, slice(at, at + n))])
        at += n
    return parts


def _expand(shape: tuple[int, ...], x: Any, *_: Any, **__: Any) -> Any:
    return filled(shape, x, _FLOAT) if not shape_of(x) else shaping.broadcast_to(x, shape)


def _reshape(shape: tuple[int, ...], x: Any, *_: Any, **__: Any) -> Any:
    return reshaped(x, shape, _FLOAT)


def _full(shape: tuple[int, ...], _: Any, value: Any = 0.0, **__: Any) -> Any:
    return filled(shape, value, _FLOAT)


def _softmax(_: Any, x: Any, dim: int, __: Any = False) -> Any:
    return reductions.softmax(x, axis=dim)


def _log_softmax(_: Any, x: Any, dim: int, __: Any = False) -> Any:
    high = loops.max(x, axis=dim % len(shape_of(x)), keepdims=True)
    return x - high - ops.log(loops.sum(ops.exp(x - high), axis=dim % len(shape_of(x)), keepdims=True))


def _gelu(_: Any, x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return 0.5 * x * (1.0 + ops.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + ops.erf(x * math.sqrt(0.5)))


def _elu(_: Any, x: Any, alpha: float = 1.0, scale: float = 1.0, inner: float = 1.0) -> Any:
    return scale * where(x > 0.0, x, alpha * ops.expm1(inner * x))


def _clamp(_: Any, x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else _np.maximum(x, low)
    return x if high is None else _np.minimum(x, high)


def _layer_norm(_: Any, x: Any, shape: Sequence[int], weight: Any, bias: Any, eps: float) -> list[Any]:
    rank = len(shape_of(x))
    axes = tuple(range(rank - len(shape), rank))
    mean = reductions.mean(x, axis=axes, keepdims=True)
    scale = 1.0 / ops.sqrt(reductions.mean((x - mean) * (x - mean), axis=axes, keepdims=True) + eps)
    y = (x - mean) * scale
    y = y if weight is None else y * weight
    return [y if bias is None else y + bias, mean, scale]


def _group_norm(
    _: Any, x: Any, weight: Any, bias: Any, n: int, channels: int, size: int, groups: int, eps: float
) -> list[Any]:  # fmt: skip
    shape = shape_of(x)
    rows = shaping.reshape(x, (n, groups, channels // groups * size))
    (y, mean, scale) = _layer_norm(None, rows, [shape_of(rows)[-1]], None, None, eps)
    y, wide = shaping.reshape(y, shape), (channels, *[1] * (len(shape) - 2))
    y = y if weight is None else y * shaping.reshape(weight, wide)
    return [y if bias is None else y + shaping.reshape(bias, wide), mean, scale]


def _batch_norm(_: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, __: Any, eps: float) -> list[Any]:
    wide = (-1, *[1] * (len(shape_of(x)) - 2))
    scale = 1.0 / ops.sqrt(var + eps) if weight is None else weight / ops.sqrt(var + eps)
    shift = -mean * scale if bias is None else bias - mean * scale
    return [x * shaping.reshape(scale, wide) + shaping.reshape(shift, wide)]


def _channels_last(x: Any) -> Any:
    return shaping.moveaxis(x, 1, -1)


def _convolution(
    shape: tuple[int, ...], x: Any, weight: Any, bias: Any, stride: Sequence[int], pad: Sequence[int],
    dilation: Sequence[int], transposed: bool, more: Sequence[int], groups: int,
) -> Any:  # fmt: skip
    kernel, count = shaping.moveaxis(weight, (0, 1), (-1, -2)), len(stride)
    if transposed:
        axes = tuple(range(count))
        kernel = shaping.flip(shaping.swapaxes(kernel, -1, -2), axes)
        sizes = shape_of(kernel)[:count]
        edges = [(s - 1) * d - p for s, d, p in zip(sizes, dilation, pad, strict=True)]
        config = [(e, e + m, s - 1) for e, m, s in zip(edges, more, stride, strict=True)]
        stride = [1] * count
    else:
        config = [(p, p, 0) for p in pad]
    images = padded(_channels_last(x), [(0, 0, 0), *config, (0, 0, 0)], 0.0, _FLOAT)
    made = convolved(images, kernel, stride, dilation, groups)
    return shaping.moveaxis(made if bias is None else made + bias, -1, 1)


def _max_pool(
    _: Any, x: Any, window: Any, stride: Any = None, pad: Any = (0, 0), dilation: Any = (1, 1), ceil: bool = False
) -> list[Any]:  # fmt: skip
    if ceil:
        raise _refused("max_pool2d", "ceil_mode=True")
    pads = [(p, p) for p in pad]
    images = padding.pad(_channels_last(x), [(0, 0), *pads, (0, 0)], constant_values=-math.inf)
    made = max_pool(images if any(p != (0, 0) for p in pads) else _channels_last(x), window, stride=stride or None,
                    dilation=dilation)  # fmt: skip
    return [shaping.moveaxis(made, -1, 1)]


def _avg_pool(_: Any, x: Any, window: Any, stride: Any = None, pad: Any = (0, 0), *rest: Any) -> Any:
    if any(pad) or any(rest[:1]):
        raise _refused("avg_pool2d", "padding, or ceil_mode=True,")
    return shaping.moveaxis(avg_pool(_channels_last(x), window, stride=stride or None), -1, 1)


def _adaptive_avg_pool(shape: tuple[int, ...], x: Any, sizes: Sequence[int]) -> Any:
    if any(n % m for n, m in zip(shape_of(x)[2:], sizes, strict=True)):
        raise _refused("adaptive_avg_pool2d", "sizes that do not divide those of the image")
    window = [n // m for n, m in zip(shape_of(x)[2:], sizes, strict=True)]
    return _avg_pool(shape, x, window, window)


def _embedding(_: Any, weight: Any, at: Any, *__: Any) -> Any:
    return order.take(weight, _indices(at, shape_of(weight)[0]), axis=0)


def _indices(at: Any, n: int) -> Any:
    shape = shape_of(at)
    return as_index(at, n) if not shape else loops.vec(_indices(at[i], n) for i in loops.range(shape[0]))


def _constant_pad(shape: tuple[int, ...], x: Any, pad: Sequence[int], value: float = 0.0) -> Any:
    rank = len(shape)
    config = [(0, 0, 0)] * rank
    for k in range(len(pad) // 2):
        config[rank - 1 - k] = (pad[2 * k], pad[2 * k + 1], 0)
    return padded(x, config, value, _FLOAT)


def _power(x: Any, y: Any) -> Any:
    return x * x if y == 2 and not isinstance(y, Value) else x**y


def _to(_: Any, x: Any, *, dtype: Any = None, **__: Any) -> Any:
    kind = str(dtype)
    if "bool" in kind:
        return x != 0.0
    return ops.trunc(x) if "int" in kind and "float" not in kind else x * 1.0 if isinstance(x, Value) else x


def _addmm(_: Any, bias: Any, x: Any, y: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    made = products.matmul(x, y)
    return (made if alpha == 1 else alpha * made) + (bias if beta == 1 else beta * bias)


RULES: dict[str, Rule] = {
    "add": _scaled(operator.add), "sub": _scaled(operator.sub), "rsub": _scaled(lambda x, y: y - x),
    "mul": _binary(operator.mul), "div": _binary(operator.truediv), "pow": _binary(_power),
    "remainder": _binary(operator.mod), "fmod": _binary(_np.fmod), "maximum": _binary(_np.maximum),
    "minimum": _binary(_np.minimum), "atan2": _binary(ops.atan2), "eq": _binary(operator.eq),
    "ne": _binary(operator.ne), "lt": _binary(operator.lt), "le": _binary(operator.le), "gt": _binary(operator.gt),
    "ge": _binary(operator.ge), "logical_and": _binary(operator.and_), "logical_or": _binary(operator.or_),
    "bitwise_and": _binary(operator.and_), "bitwise_or": _binary(operator.or_), "logical_not": _unary(operator.invert),
    "bitwise_not": _unary(operator.invert), "neg": _unary(operator.neg), "abs": _unary(abs),
    "relu": _unary(ops.relu), "sigmoid": _unary(ops.sigmoid), "tanh": _unary(ops.tanh), "exp": _unary(ops.exp),
    "log": _unary(ops.log), "log2": _unary(ops.log2), "log10": _unary(ops.log10), "log1p": _unary(ops.log1p),
    "expm1": _unary(ops.expm1), "sqrt": _unary(ops.sqrt), "rsqrt": _unary(lambda x: 1.0 / ops.sqrt(x)),
    "reciprocal": _unary(lambda x: 1.0 / x), "sin": _unary(ops.sin), "cos": _unary(ops.cos), "tan": _unary(ops.tan),
    "asin": _unary(ops.asin), "acos": _unary(ops.acos), "atan": _unary(ops.atan), "sinh": _unary(ops.sinh),
    "cosh": _unary(ops.cosh), "asinh": _unary(ops.asinh), "acosh": _unary(ops.acosh), "atanh": _unary(ops.atanh),
    "erf": _unary(ops.erf), "floor": _unary(ops.floor), "ceil": _unary(ops.ceil), "round": _unary(ops.round_),
    "trunc": _unary(ops.trunc), "sign": _unary(ops.sign), "gelu": _gelu, "elu": _elu, "clamp": _clamp,
    "hardtanh": lambda _, x, low=-1.0, high=1.0: _clamp(_, x, low, high),
    "leaky_relu": lambda _, x, slope=0.01: where(x > 0.0, x, slope * x), "where": lambda _, c, x, y: where(c, x, y),
    "sum": _along(loops.sum), "mean": _along(reductions.mean), "amax": _along(loops.max), "amin": _along(loops.min),
    "any": _along(reductions.any_), "all": _along(reductions.all_), "prod": _along(loops.prod), "var": _variance,
    "max": _extreme(loops.max, reductions.argmax), "min": _extreme(loops.min, reductions.argmin),
    "argmax": lambda _, x, dim=None, keepdim=False: reductions.argmax(x, axis=dim, keepdims=keepdim),
    "argmin": lambda _, x, dim=None, keepdim=False: reductions.argmin(x, axis=dim, keepdims=keepdim),
    "cumsum": lambda _, x, dim, **__: running.cumsum(x, dim % len(shape_of(x))),
    "mm": _binary(products.matmul), "bmm": _binary(products.matmul), "addmm": _addmm,
    "view": _reshape, "reshape": _reshape, "_unsafe_view": _reshape, "squeeze": _reshape, "unsqueeze": _reshape,
    "expand": _expand, "permute": lambda _, x, dims: shaping.transpose(x, tuple(dims)), "slice": _slice,
    "select": lambda _, x, dim, k: x[(*[slice(None)] * (dim % len(shape_of(x))), k)], "split_with_sizes": _split,
    "cat": lambda _, xs, dim=0: joining.concatenate(xs, dim), "flip": lambda _, x, dims: shaping.flip(x, tuple(dims)),
    "getitem": lambda _, x, k: x[k], "clone": lambda _, x, **__: x, "alias": lambda _, x: x,
    "detach": lambda _, x: x, "_to_copy": _to, "full": _full, "full_like": _full,
    "scalar_tensor": lambda _, x, **__: x, "arange": lambda shape, *_, **__: creation.arange(shape[0]) * 1.0,
    "_softmax": _softmax, "_log_softmax": _log_softmax, "native_layer_norm": _layer_norm,
    "native_group_norm": _group_norm, "_native_batch_norm_legit_no_training": _batch_norm,
    "convolution": _convolution, "max_pool2d_with_indices": _max_pool, "avg_pool2d": _avg_pool, "avg_pool1d": _avg_pool,
    "_adaptive_avg_pool2d": _adaptive_avg_pool, "embedding": _embedding, "constant_pad_nd": _constant_pad,
}  # fmt: skip
