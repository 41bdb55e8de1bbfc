"""The norm of a vector, or of a matrix, and `logsumexp`."""

from __future__ import annotations

from typing import Any

from ...errors import TypeMismatch, argument, here
from ...ir import Value, shown
from ...ir.lengths import norm_of
from ...ir.types import Real, Type, is_complex
from ..arrays import norms, reductions
from ..arrays.shapes import Shape, leaf_of, shape_of
from ..function import MeetsComplex, of_values
from ..values import infer
from .loops import vec


def _shape(t: Type) -> Shape:
    """The shape of an array of Reals; () for a Real, and for others."""
    return shape_of(t) if leaf_of(t) is Real else ()


@of_values
def norm(x: Any, ord: Any = None, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The Euclidean norm: the square root of the sum of the squares of all elements of an array, or along axes.

    `ord` is another, by NumPy's names: 1, `math.inf`, `-math.inf`, 0 or a power for vectors; "fro", 1, -1, `math.inf`,
    `-math.inf` for matrices, along a pair of axes. What follows is of the Euclidean one.

    At 0 its derivatives are 0, and where it appears twice in a product, as in `norm(x) ** 2`, the product has those of
    `dot(x, x)`. It overflows only if its answer does, and keeps all digits of small numbers. An infinite element makes
    it infinite, with the derivative nan by that element and 0 by the others.
    """
    v = infer(x, here().narrow(argument(0, "x", 1, 2, 3, 4)))
    if ord is not None or axis is not None or keepdims:
        return norms.norm(v, ord, axis, keepdims)
    if not _shape(v.type):
        if is_complex(leaf_of(v.type)) and shape_of(v.type):
            raise MeetsComplex
        message = f"rose.norm takes a vector of Reals, not {_a(v, x)}"
        raise TypeMismatch(message, here(), "give it a list of numbers: rose.norm([x, y]); for a number write abs(x)")
    return norm_of(v)


@of_values
def logsumexp(items: Any, axis: Any = None, b: Any = None, *, keepdims: Any = False) -> Any:
    """The logarithm of the sum of `exp(x)` over an array, or along axes, or over a generator, without overflow.

    Of no numbers it is -inf. Its gradient is the softmax of the numbers, and 0 if all of them are -inf. With `b` each
    exponential is multiplied by its element, as in SciPy; the sum is nan below 0.
    """
    x = reductions.with_axes(items, "logsumexp", axis, keepdims)
    if x is None and b is not None:
        x = reductions.numbers(items, "logsumexp")
    if x is None:
        x = vec(items) if not isinstance(items, Value) else items
        if len(_shape(x.type)) != 1:
            message = f"rose.logsumexp takes a vector of Reals, not {_a(x, items)}"
            raise TypeMismatch(message, here(), "write rose.logsumexp(... for i in rose.range(n))")
    return reductions.logsumexp(x, axis, keepdims, b)


def _a(v: Value, x: Any) -> str:
    return shown(x) if not isinstance(x, Value) else f"a {v.type!r}"
