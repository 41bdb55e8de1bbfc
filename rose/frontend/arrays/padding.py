"""`pad`: an array with more elements around it.

Those that are elements of the array again are an index function. Others are joined to it along each axis in turn, so a
corner has what the last axis puts there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import OutOfRange, TypeMismatch, here
from ...host.marshal import is_dict
from ...ir import Value, current_builder, shown
from ...ir.ops import iadd, ibeyond, ifrom, imod
from ...ir.sizes import Size, differ, minus, plus, times
from ..index_expressions import literal, within
from ..operators import view
from ..values import to_value
from .creation import filled, linspace
from .elementwise import array_function
from .indexing import Axis, Place, part, read
from .joining import assembled, joined
from .order import median
from .reductions import largest, mean, smallest
from .shapes import Shape, as_array, axis_given, is_several, items_of, leaf_of, shape_of, size_given
from .shaping import Along, Mapped, broadcast_to, cycle, flip, given

Width = tuple[int | Size, int | Size]  # how many elements before an axis, and after it
STATISTICS: dict[str, Callable[..., Any]] = {"maximum": largest, "minimum": smallest, "mean": mean, "median": median}
MODES = ("constant", "edge", "reflect", "symmetric", "wrap", *STATISTICS, "linear_ramp", "empty")


@array_function
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None, end_values: Any = None) -> Any:
    """The array with more elements before and after it, along each axis.

    `pad_width` is a number of them, a pair `(before, after)`, a pair for each axis, or a dict of axes. The mode says
    which: "constant" ones (by default zeros), the nearest ("edge"), or those of the array again: mirrored about its end
    ("reflect") or with it ("symmetric"), or from its other end ("wrap"); "linear_ramp" goes to `end_values`, by default
    0; "maximum", "minimum", "mean" and "median" are those along the axis. What "empty" gives is 0.
    """
    v, shape = given(x, "x")
    if mode not in MODES:
        raise TypeMismatch(f"rose.pad has no mode {shown(mode)}", here(), f"write one of {', '.join(MODES)}")
    widths = _widths(pad_width, len(shape))
    if mode in ("constant", "empty"):
        return view(_with_constants(v, shape, widths, None if mode == "empty" else constant_values))
    for n, (before, after) in zip(shape, widths, strict=True):
        if not differ(n, 0) and before + after:
            what = f"rose.pad cannot take elements for the mode {mode!r} from an axis that has none"
            raise OutOfRange(what, here(), 'pad it with the mode "constant"')
    if mode in STATISTICS:
        of: Margin = lambda v, k, n, _: broadcast_to(STATISTICS[mode](v, axis=k, keepdims=True), _with(v, k, n))
        return view(_along_each(v, widths, of))
    if mode == "linear_ramp":
        ends = _pairs(0.0 if end_values is None else end_values, len(shape), "end_values")
        return view(_along_each(v, widths, lambda v, k, n, last: _ramp(v, k, n, ends[k][last], last)))
    axes = [Axis(plus(n, before + after)) for n, (before, after) in zip(shape, widths, strict=True)]
    places: list[Place] = [_BEYOND[mode](a, n, before) for a, n, (before, _) in zip(axes, shape, widths, strict=True)]
    return view(read(v, places, axes))


Margin = Callable[[Value, int, Any, bool], Any]  # of an array, an axis, how many elements, and whether after the last


def _along_each(v: Value, widths: Sequence[Width], margin: Margin) -> Value:
    for k, (before, after) in enumerate(widths):
        first = [as_array(margin(v, k, before, False))] if differ(before, 0) else []
        last = [as_array(margin(v, k, after, True))] if differ(after, 0) else []
        v = joined([*first, v, *last], k)
    return v


def _with(v: Value, axis: int, n: Any) -> Shape:
    """The shape of an array with another size along an axis."""
    shape = shape_of(v.type)
    return (*shape[:axis], n, *shape[axis + 1 :])


def _ramp(v: Value, axis: int, n: Any, end: Any, last: bool) -> Any:
    """So many numbers from the end to the edge of the array."""
    edge = part(v, (*[slice(None)] * axis, -1 if last else 0))
    line = linspace(end, edge, n, endpoint=False, axis=axis)
    return flip(line, axis) if last else line


def _with_constants(v: Value, shape: Shape, widths: Sequence[Width], constants: Any) -> Value:
    leaf = leaf_of(v.type)
    value: Callable[[Any], Value] = lambda x: to_value(x, leaf, ("constant_values",))
    if constants is None or not is_several(constants):
        around = current_builder().zero(leaf) if constants is None else value(constants)
        return _surrounded(v, shape, widths, around)
    pairs = _pairs(constants, len(shape), "constant_values")
    return _along_each(v, widths, lambda v, k, n, last: filled(_with(v, k, n), value(pairs[k][last])))


def _pairs(given: Any, rank: int, name: str) -> list[tuple[Any, Any]]:
    """What is given before and after each axis: one thing, a pair, or a pair for each."""
    pairs = items_of(given)
    if not any(map(is_several, pairs)):
        pairs = [pairs] * rank if len(pairs) <= 2 else []
    elif len(pairs) == 1:
        pairs = pairs * rank
    each = [items_of(p) for p in pairs]
    if len(each) != rank or any([len(p) not in (1, 2) for p in each]):
        what = f"rose.pad of {rank} axes is not told how much to add by {shown(given)}"
        what = what if name == "pad_width" else f"rose.pad of {rank} axes is not told its {name} by {shown(given)}"
        raise TypeMismatch(what, here(), "write a number, a pair (before, after), or a pair for each axis")
    return [(p[0], p[-1]) for p in each]


def _widths(given: Any, rank: int) -> list[Width]:
    """The numbers of elements before and after each axis."""
    if is_dict(given):
        rows = {axis_given(k, rank): x for k, x in given.items()}
        given = [rows.get(k, (0, 0)) for k in range(rank)]
        given = [x if is_several(x) else (x, x) for x in given]
    pairs = _pairs(given.tolist() if hasattr(given, "tolist") else given, rank, "pad_width")
    return [(size_given(p, "rose.pad"), size_given(q, "rose.pad")) for p, q in pairs]


def _surrounded(v: Value, shape: Shape, widths: Sequence[Width], around: Value) -> Value:
    b = current_builder()
    whole = tuple([plus(n, before + after) for n, (before, after) in zip(shape, widths, strict=True)])

    def cut(axis: int, source: Value) -> list[tuple[Any, Callable[[Value], Value]]]:
        margin: Callable[[Value], Value] = lambda i: around
        if source is around:
            return [(whole[axis], margin)]
        before, after = widths[axis]
        return [(before, margin), (shape[axis], lambda i: b.index(source, i)), (after, margin)]

    return assembled(whole, leaf_of(v.type), cut, v) if shape else v


def _nearest(axis: Axis, n: Any, before: int | Size) -> Along:
    return Mapped(axis, lambda i: within(ibeyond(i, literal(before)), n))


def _mirrored(axis: Axis, n: Any, before: int | Size) -> Along:
    """The index in an axis that is mirrored about its first and its last element: again every `2 * n - 2`."""
    if not differ(n, 1):
        return Mapped(axis, lambda i: literal(0))
    last, period = minus(n, 1), times(2, minus(n, 1))

    def at(i: Value) -> Value:
        k = imod(iadd(i, literal(_turned(-before, period))), literal(period))
        return ibeyond(literal(last), iadd(ibeyond(k, literal(last)), ibeyond(literal(last), k)))

    return Mapped(axis, at)


def _doubled(axis: Axis, n: Any, before: int | Size) -> Along:
    """The index in an axis that is mirrored at its ends: again every `2 * n`."""
    period = times(2, n)

    def at(i: Value) -> Value:
        k = imod(iadd(i, literal(_turned(-before, period))), literal(period))
        back = ifrom(k, literal(minus(period, 1)))
        return within(ibeyond(k, ibeyond(k, back)), n)

    return Mapped(axis, at)


def _turned(start: int, period: Any) -> Any:
    """`start % period`, or a number that leaves the same rest, of a period that is not known."""
    return times(-start, minus(period, 1)) if isinstance(period, Size) else start % period


_BEYOND: dict[str, Callable[[Axis, Any, int | Size], Along]] = {
    "edge": _nearest,
    "reflect": _mirrored,
    "symmetric": _doubled,
    "wrap": lambda axis, n, before: cycle(axis, n, -before),
}
