"""Windows that slide along axes: how often each fits, and what is added before and after an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from ..errors import OutOfRange, TypeMismatch, here
from ..frontend.arrays.shapes import Shape, as_array, is_several, items_of, leaf_of, shape_of
from ..frontend.typed import Operand
from ..ir import Value, a_traced, shown
from ..ir.sizes import Size, at_most, number, plus
from ..ir.types import Real
from ..ir.value import host_index

PerAxis = int | Sequence[int]  # one for all axes of places, or one for each
Padding = str | Sequence[Sequence[int]]  # a name, or a pair (before, after) for each axis


class Window(NamedTuple):
    """A window of one axis: of `size` elements, each `dilation` from the next, at each `stride`-th place."""

    size: int | Size
    stride: int
    dilation: int
    before: int  # what is added to the axis
    after: int
    places: int | Size  # where it fits


def image(x: Operand, name: str, places: int | None = None) -> Value:
    """The argument of a layer: an array of Reals with the axes batch, places, channels."""
    v = as_array(x)
    rank = len(shape_of(v.type))
    if leaf_of(v.type) is not Real or (rank != places + 2 if places else rank < 3):
        axes = f"{places} axes of places" if places else "one or more axes of places"
        what = f"rose.nn.{name} takes an array of Reals with a batch, {axes}, and channels, not {a_traced(v)}"
        raise TypeMismatch(what, here(), "add an axis of one element: x[None], x[..., None]")
    return v


def integers(given: PerAxis, count: int, what: str) -> list[int]:
    """A number above 0 for each axis of places, or one for all."""
    each = [host_index(k) for k in (items_of(given) if is_several(given) else [given] * count)]
    if len(each) != count or any([k is None or k < 1 for k in each]):
        kind = TypeMismatch if len(each) != count or None in each else OutOfRange
        wanted = f"an integer above 0, or one for each of {count} axes"
        raise kind(f"{what} is {wanted}, not {shown(given)}", here(), f"write {what}=2")
    return cast("list[int]", each)


def windows(
    sizes: Shape, window: Sequence[int | Size], stride: PerAxis, padding: Padding, dilation: PerAxis, name: str
) -> list[Window]:
    """The windows of axes of these sizes."""
    count = len(sizes)
    strides, dilations = integers(stride, count, "stride"), integers(dilation, count, "dilation")
    made: list[Window] = []
    for k, (n, size, s, d) in enumerate(zip(sizes, window, strides, dilations, strict=True)):
        before, after = margins(padding, k, count, n, (size - 1) * d + 1, s)
        made.append(Window(size, s, d, before, after, _count(plus(n, before + after), (size - 1) * d + 1, s, name)))
    return made


def margins(padding: Padding, k: int, count: int, n: int | Size, reach: int | Size, stride: int) -> tuple[int, int]:
    """What is added before and after axis `k` of `count`: with "same" as much as lets it have `n / stride` places."""
    if padding == "valid":
        return 0, 0
    if padding == "same":
        if isinstance(n, Size) and stride > 1:
            raise _unknown(n)
        rest = -number(n) % stride if stride > 1 else 0  # missing to a multiple of the stride
        missing = max(reach - stride + rest, 0)
        return missing // 2, missing - missing // 2
    pairs: list[Any] = [p for p in items_of(padding) if is_several(p)] if is_several(padding) else []
    numbers = [[_margin(x) for x in items_of(p)] for p in pairs]
    if len(numbers) != count or any([len(p) != 2 or min(p) < 0 for p in numbers]):
        what = f'padding is "valid", "same", or a pair (before, after) for each of {count} axes, not {shown(padding)}'
        raise TypeMismatch(what, here(), 'write padding="same"')
    before, after = numbers[k]
    return before, after


def _margin(x: object) -> int:
    """How many are added, or -1 if that is none."""
    k = host_index(x)
    return -1 if k is None else k


def _count(n: int | Size, reach: int | Size, stride: int, name: str) -> int | Size:
    if isinstance(n, Size):
        if stride > 1:
            raise _unknown(n)
        return plus(n, 1 - reach)
    if not at_most(reach, n):
        what = f"rose.nn.{name}: a window of {reach} elements is longer than an axis of {n!r}"
        raise OutOfRange(what, here(), 'write padding="same", or take a shorter window')
    return (n - reach) // stride + 1


def _unknown(n: Size) -> TypeMismatch:
    what = f"a stride above 1 needs a size that Python knows, and one module serves every {n!r}"
    return TypeMismatch(what, here(), "compile the function for the sizes of places: the batch may be of any size")
