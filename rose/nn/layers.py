"""Dense layers, embeddings, attention and normalisation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend import options
from ..frontend.arrays.elementwise import array_function
from ..frontend.arrays.order import take
from ..frontend.arrays.products import matmul
from ..frontend.arrays.reductions import mean, softmax, var
from ..frontend.arrays.shapes import as_array, leaf_of, shape_of
from ..frontend.arrays.shaping import expand_dims, reshape, swapaxes
from ..frontend.language.select import where
from ..frontend.typed import Array, Operand
from ..ir import Value, a_traced
from ..ir.ops import sqrt
from ..ir.sizes import differ
from ..ir.types import Bool, Real
from ..random import uniform
from ..random.philox import KEY


@array_function
def dense(x: Operand, weights: Operand, bias: Operand = 0.0) -> Any:
    """`x @ weights + bias`: of a vector, or of each of a batch."""
    return matmul(x, weights) + bias


@array_function
def linear(x: Operand, weights: Operand, bias: Operand = 0.0) -> Any:
    """`x @ weights.T + bias`: weights as PyTorch has them, with a row for each number of the result."""
    return matmul(x, swapaxes(weights, -1, -2)) + bias


@array_function
def embedding(table: Operand, indices: Operand) -> Any:
    """The rows of a table, for an index, or each of an array of indices."""
    return take(table, indices, 0)


@array_function
def dropout(x: Operand, rate: float, draws: Operand) -> Any:
    """`x` with a share of its elements, the `rate`, replaced by 0, and the others divided by `1 - rate`.

    Which ones is decided by `draws`, so that a program is a function of its arguments: a key of `rose.random`, which
    decides for each element; or an array, broadcast to `x`, of numbers drawn uniformly from 0 to 1, of which those
    below the rate drop an element, or of conditions, which hold where an element is kept. The rate is a number of
    Python's, from 0, and below 1. To evaluate a network, leave the layer out.
    """
    rate = options.number(rate, "rate", 1.0, "write a number from 0, below 1")
    v = as_array(x)
    by = as_array(uniform(draws, shape_of(v.type)) if _is_key(draws) else draws)
    kept = by if leaf_of(by.type) is Bool else by >= rate
    return where(kept, v * (1.0 / (1.0 - rate)), 0.0)


def _is_key(x: Any) -> bool:
    """True for a key, as a traced value or as `rose.random.key` gives it: four integers."""
    if isinstance(x, Value):
        return x.type is KEY
    return x.__class__ is tuple and [type(y) for y in x] == [int] * 4


@array_function
def attention(query: Operand, key: Operand, value: Operand, mask: Operand | None = None) -> Array:
    """Scaled dot-product attention: `softmax(query @ key.T / sqrt(d)) @ value`, of rows; leading axes are a batch.

    `mask` is an array of conditions, one for each query and key, or broadcast to them: where one does not hold, the
    key has no weight. A query without any key gives nan.
    """
    q, k = _rows(query, "query"), _rows(key, "key")
    d, other = shape_of(q.type)[-1], shape_of(k.type)[-1]
    if differ(d, other):
        what = f"rose.nn.attention: the rows of {a_traced(q)} and {a_traced(k)} have {d!r} and {other!r} numbers"
        raise TypeMismatch(what, here(), "let a query and a key have as many")
    scores = matmul(q, swapaxes(k, -1, -2)) * (1.0 / math.sqrt(d))
    if mask is not None:
        scores = where(_conditions(mask), scores, -math.inf)
    return matmul(softmax(scores), _rows(value, "value"))


@array_function
def multi_head_attention(
    query: Operand, key: Operand, value: Operand, heads: int, wq: Operand, wk: Operand, wv: Operand, wo: Operand,
    mask: Operand | None = None, *, bq: Operand = 0.0, bk: Operand = 0.0, bv: Operand = 0.0, bo: Operand = 0.0,
) -> Any:  # fmt: skip
    """Attention by several heads: Vaswani et al., Attention is all you need (2017), 3.2.2.

    Rows of `query @ wq + bq`, and so on, are cut into as many parts as there are `heads`; what each head gives is put
    together again, times `wo`, plus `bo`. `mask` is that of `attention`, the same for all heads, or with an axis of
    heads before the queries; leading axes are a batch.
    """
    heads = options.count(heads, "heads")
    q, k, v = [
        _heads(matmul(_rows(x, name), w) + b, heads, name)
        for x, w, b, name in ((query, wq, bq, "query"), (key, wk, bk, "key"), (value, wv, bv, "value"))
    ]
    together = swapaxes(attention(q, k, v, _of_heads(mask)), -2, -3)
    *lead, n, m = shape_of(as_array(together).type)
    return matmul(reshape(together, (*lead, n * m)), wo) + bo


def _heads(x: Operand, heads: int, name: str) -> Any:
    """Rows cut into the parts of the heads, whose axis comes before that of the rows."""
    v = as_array(x)
    *lead, rows, d = shape_of(v.type)
    if differ(d % heads, 0):
        what = f"rose.nn.multi_head_attention: {d!r} numbers of a {name} are not cut into {heads} equal parts"
        raise TypeMismatch(what, here(), "let the columns of the weights be a multiple of the heads")
    return swapaxes(reshape(v, (*lead, rows, heads, d // heads)), -2, -3)


def _of_heads(mask: Operand | None) -> Any:
    """A mask of the queries and keys, as one of each head."""
    m = None if mask is None else _conditions(mask)
    return m if m is None or len(shape_of(m.type)) != 3 else expand_dims(m, 1)


def _rows(x: Operand, name: str) -> Value:
    v = as_array(x)
    if leaf_of(v.type) is not Real or len(shape_of(v.type)) < 2:
        hint = "give one row for each: Vec[n, d]; leading axes are those of a batch"
        raise TypeMismatch(f"rose.nn.attention takes a {name} of rows of Reals, not {a_traced(v)}", here(), hint)
    return v


def _conditions(mask: Operand) -> Value:
    v = as_array(mask)
    if leaf_of(v.type) is not Bool:
        what = f"rose.nn.attention takes a mask of conditions, not {a_traced(v)}"
        raise TypeMismatch(what, here(), "write a comparison, as in mask > 0.0")
    return v


@array_function
def batch_norm(
    x: Operand,
    scale: Operand = 1.0,
    offset: Operand = 0.0,
    *,
    mean: Operand | None = None,
    var: Operand | None = None,
    epsilon: float | Value = 1e-5,
) -> Any:
    """Each channel, the last axis, less its mean, over its standard deviation; times a scale, plus an offset.

    Mean and variance are those of all other axes of `x`, or those that are given, as running means.
    """
    v = as_array(x)
    others = tuple(range(len(shape_of(v.type)) - 1))
    return _normalised(v, others, mean, var, epsilon) * scale + offset


@array_function
def layer_norm(
    x: Operand,
    scale: Operand = 1.0,
    offset: Operand = 0.0,
    *,
    axis: int | Sequence[int] = -1,
    epsilon: float | Value = 1e-5,
) -> Any:
    """`x` less its mean along an axis, over its standard deviation; times a scale, plus an offset."""
    return _normalised(as_array(x), axis, None, None, epsilon) * scale + offset


@array_function
def rms_norm(x: Operand, scale: Operand = 1.0, *, axis: int | Sequence[int] = -1, epsilon: float | Value = 1e-6) -> Any:
    """`x` over the root of the mean of its squares along an axis, times a scale: Zhang and Sennrich (NeurIPS 2019)."""
    v = as_array(x)
    return v * (1.0 / sqrt(mean(v * v, axis, keepdims=True) + epsilon)) * scale


@array_function
def group_norm(
    x: Operand, groups: int, scale: Operand = 1.0, offset: Operand = 0.0, *, epsilon: float | Value = 1e-5
) -> Any:
    """Channels, the last axis, in groups, each less its mean over all places of an example, over its deviation.

    The first axis is the batch; times a scale, plus an offset of each channel: Wu and He (ECCV 2018).
    """
    v, groups = as_array(x), options.count(groups, "groups")
    shape = shape_of(v.type)
    if len(shape) < 2 or differ(shape[-1] % groups, 0):
        what = f"rose.nn.group_norm cannot cut the channels of {a_traced(v)} into {groups} groups"
        raise TypeMismatch(what, here(), "give a batch, whose last axis is a multiple of the groups")
    parts = reshape(v, (*shape[:-1], groups, shape[-1] // groups))
    others = (*range(1, len(shape) - 1), len(shape))
    return reshape(_normalised(as_array(parts), others, None, None, epsilon), shape) * scale + offset


def _normalised(
    v: Value, axis: int | Sequence[int], m: Operand | None, s: Operand | None, epsilon: float | Value
) -> Value:
    middle = mean(v, axis, keepdims=True) if m is None else as_array(m)
    square = var(v, axis, keepdims=True) if s is None else as_array(s)
    return (v - middle) * (1.0 / sqrt(square + epsilon))
