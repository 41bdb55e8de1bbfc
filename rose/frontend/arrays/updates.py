"""`x.at[i].set(v)`, `.add`, `.mul`, `.min`, `.max`: the array with other elements in one place. `x` stays as it is.

`add` adds to an accumulator that begins at `x`, and the others put elements into `x` one by one: so they take as long
as the part has elements where `x` is not needed any more, in the state of a loop too. Only what changes slices alone,
or a few numbers, makes each element of the new array: that of `x`, or the new one where its index is in the key. That
is a map, which fuses with others. So it is where `i` is an array of conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Any

from ...errors import TypeMismatch, here
from ...ir import Value, a_traced, current_builder
from ...ir.ops import and_, ibeyond, idiv, ieq, ile, ilt, imod, max_, min_, select
from ...ir.puts import put
from ...ir.sizes import Size, differ, plus, times
from ...ir.types import MANY, Bool, Fin, Real, Ref, Tan, Type, as_vec, is_complex
from ..annotations import NotANumber
from ..index_expressions import literal, within
from ..operators import as_real, multiply, view
from ..values import is_number, to_value
from .elementwise import array_function, maps
from .indexing import Along, Axis, Gathered, Place, as_fin, entered, is_whole, part, places_of
from .shapes import Shape, as_array, broadcast, leaf_of, same, shape_of, spelled
from .shaping import broadcast_to

Change = Callable[[Value, Value], Value]  # of the old element and the given one


class At(NotANumber):
    """`x.at`, which is indexed as `x` is."""

    _what = "x.at"
    _instead = "write x.at[i].set(v), or .add, .mul, .min, .max"

    def __init__(self, v: Value) -> None:
        self._array = v

    def __getitem__(self, key: Any) -> Update:
        return Update(self._array, key)


class Update(NotANumber):
    """`x.at[key]`: a part of an array, as it is to be in a new one."""

    _what = "x.at[i]"
    _instead = "write x.at[i].set(v), or .add, .mul, .min, .max; x[i] is the element"

    def __init__(self, v: Value, key: Any) -> None:
        self._array, self._key = v, key

    def set(self, y: Any) -> Any:
        """The array with `y` in this place, broadcast to it. Of indices that are named twice the last one counts."""
        return _changed(self._array, self._key, y, _replaced)

    def add(self, y: Any) -> Any:
        """The array with `y` added in this place; to an element whose index is named twice, twice."""
        if _is_mask(self._key):
            return _where(self._array, self._key, y, lambda old, new: as_real(old) + as_real(new))
        return _added(self._array, self._key, y)

    def mul(self, y: Any) -> Any:
        """The array multiplied by `y` in this place."""
        return _changed(self._array, self._key, y, lambda old, new: multiply(as_real(old), as_real(new)))

    multiply = mul

    def min(self, y: Any) -> Any:
        """The array with the smaller one of its elements and `y` in this place."""
        return _changed(self._array, self._key, y, lambda old, new: min_(as_real(old), as_real(new)))

    def max(self, y: Any) -> Any:
        """The array with the larger one of its elements and `y` in this place."""
        return _changed(self._array, self._key, y, lambda old, new: max_(as_real(old), as_real(new)))


def _part(v: Value, key: Any, y: Any) -> tuple[list[Place], list[Axis], Value]:
    """The places that a key names in `v`, the axes of the part, and `y` in its shape."""
    keys = list(key) if key.__class__ is tuple else [key]
    places, axes = places_of(v, tuple(keys))
    shape: Shape = tuple([1 if a.size is None else a.size for a in axes])
    leaf = leaf_of(v.type)
    given = to_value(y, leaf, ("the new element",)) if is_number(y) else as_array(y)
    own = shape_of(given.type)
    if len(own) > len(shape) or not same(broadcast([own, shape]), shape):
        what = f"a part of {a_traced(v)} has the shape {spelled(shape)}, and cannot become one of {spelled(own)}"
        raise TypeMismatch(what, here(), "give it as many elements, or one for all")
    return places, axes, broadcast_to(given, shape) if shape else given


def _is_mask(key: Any) -> bool:
    """True for conditions that are known only when the function runs; those that Python knows are indices."""
    return isinstance(key, Value) and leaf_of(key.type) is Bool


@array_function
def _where(v: Value, mask: Value, y: Any, change: Change) -> Any:
    """The array with the elements changed for which a condition holds: one for each, or for each row of its axes."""
    shape, leaf, theirs = shape_of(v.type), leaf_of(v.type), shape_of(mask.type)
    if not same(theirs, shape[: len(theirs)]):
        what = f"conditions of the shape {spelled(theirs)} are no key of {a_traced(v)}"
        raise TypeMismatch(what, here(), "give one condition for each element")
    new = to_value(y, leaf, ("the new element",)) if is_number(y) else as_array(y)
    if not same(broadcast([shape_of(new.type), shape]), shape):
        what = f"{a_traced(v)} cannot take elements of the shape {spelled(shape_of(new.type))} by conditions"
        raise TypeMismatch(what, here(), "give one for each of its elements, or one for all")
    held = part(mask, (..., *[None] * (len(shape) - len(theirs)))) if theirs else mask

    def element(old: Value, holds: Value, new: Value) -> Value:
        return select(holds, to_value(change(old, new), leaf), old)

    return view(maps(shape, element, [v, held, new]))


@array_function
def _added(v: Value, key: Any, y: Any) -> Any:
    leaf = leaf_of(v.type)
    if leaf is not Real and leaf is not Tan and not is_complex(leaf):
        what = f"nothing is added to the elements of {a_traced(v)}: they are no numbers"
        raise TypeMismatch(what, here(), "set them: x.at[i].set(v)")
    places, axes, new = _part(v, key, y)
    b = current_builder()
    ref = b.accum(v)
    _add(ref, places, axes, new)
    return view(b.freeze(ref))


def _add(ref: Value, places: Sequence[Place], axes: Sequence[Axis], new: Value) -> None:
    b = current_builder()
    if not axes:
        for p in places:
            ref = b.at(ref, p if isinstance(p, Value) else b.const(p, Fin(as_vec(_inner(ref)).size)))
        b.add_to(ref, to_value(new, _inner(ref), ("the summand",)))
        return

    def body(i: Value) -> tuple[list[Value], list[Value]]:
        _add(ref, entered(places, axes[0], i), axes[1:], b.index(new, i))
        return [], []

    b.loop(1 if axes[0].size is None else axes[0].size, body)


def _inner(ref: Value) -> Type:
    assert isinstance(ref.type, Ref)
    return ref.type.inner


@array_function
def _changed(v: Value, key: Any, y: Any, change: Change) -> Any:
    if _is_mask(key):
        return _where(v, key, y, change)
    places, axes, new = _part(v, key, y)
    leaf = leaf_of(v.type)
    if _are_few(places) and not _is_short(v.type):
        return view(_put(v, places, axes, new, change))
    gathered = [a for p in places if isinstance(p, Gathered) for a in p.axes]
    again = [a for a in axes if a in gathered]

    def element(old: Value, indices: Sequence[Value]) -> Value:
        return _folded(old, indices, places, axes, again, new, lambda x, y: to_value(change(x, y), leaf))

    return view(_mapped(v, element, shape_of(v.type), []))


def _are_few(places: Sequence[Place]) -> bool:
    """True if it is the indices of elements that name a part, along some axis."""
    return any([not isinstance(p, Along) for p in places])


def _is_short(t: Type) -> bool:
    """True for an array of a few numbers, each of which has a local where its index is known."""
    shape = shape_of(t)
    return not any([isinstance(n, Size) for n in shape]) and prod(shape) <= MANY


def _put(v: Value, places: Sequence[Place], axes: Sequence[Axis], new: Value, change: Change) -> Value:
    """The array with its elements in these places changed, one after the other; rows that are set, as a whole."""
    b = current_builder()
    single = [p for p in places if isinstance(p, (int, Value))]
    whole = change is _replaced and 0 < len(single) and single == list(places[: len(single)])
    if axes and not (whole and is_whole(shape_of(v.type)[len(single) :], places[len(single) :], axes)):

        def body(i: Value, now: Value) -> tuple[list[Value], list[Value]]:
            return [_put(now, entered(places, axes[0], i), axes[1:], b.index(new, i), change)], []

        return b.loop(1 if axes[0].size is None else axes[0].size, body, [v])[0][0]
    path, old = list[Value](), v
    for p in single:
        path.append(p if isinstance(p, Value) else b.const(p, Fin(as_vec(old.type).size)))
        old = b.index(old, path[-1])
    return put(b, v, path, new if change is _replaced else to_value(change(old, new), old.type))


def _replaced(old: Value, new: Value) -> Value:
    return new


def _mapped(v: Value, f: Callable[[Value, Sequence[Value]], Value], shape: Shape, indices: Sequence[Value]) -> Value:
    """The array of `f` of each element and its indices."""
    if not shape:
        return f(v, indices)
    b = current_builder()
    return b.vec(shape[0], lambda i: _mapped(b.index(v, i), f, shape[1:], [*indices, i]))


def _folded(
    old: Value,
    indices: Sequence[Value],
    places: Sequence[Place],
    axes: Sequence[Axis],
    again: Sequence[Axis],
    new: Value,
    change: Change,
    known: dict[Axis, Value] | None = None,
) -> Value:
    """An element after all changes: for arrays of indices, those of each of their elements in order."""
    known = known or {}
    if not again:
        return _chosen(old, indices, places, axes, new, change, known)
    b, axis = current_builder(), again[0]

    def body(i: Value, x: Value) -> tuple[list[Value], list[Value]]:
        now = {**known, axis: i}
        return [_folded(x, indices, entered(places, axis, i), axes, again[1:], new, change, now)], []

    return b.loop(1 if axis.size is None else axis.size, body, [old])[0][0]


def _chosen(
    old: Value,
    indices: Sequence[Value],
    places: Sequence[Place],
    axes: Sequence[Axis],
    new: Value,
    change: Change,
    known: dict[Axis, Value],
) -> Value:
    """The new element, where each index is in its place; else the old one."""
    conditions = list[Value]()
    found = dict(known)
    b = current_builder()
    for i, p in zip(indices, places, strict=True):
        if isinstance(p, Along):
            found[p.axis], within_it = _inverse(p, i)
            conditions += within_it
        else:
            assert not isinstance(p, Gathered)
            conditions.append(ieq(i, p if isinstance(p, Value) else literal(p)))
    for a in axes:
        new = b.index(new, 0 if a.size is None else found[a])
    changed = change(old, new)
    return select(reduce(and_, conditions), changed, old) if conditions else changed


def _inverse(p: Along, i: Value) -> tuple[Value, list[Value]]:
    """The index along the part's axis of the index `i` of the array, and the conditions under which there is one."""
    n, size = as_fin(i).size, p.axis.size
    if not differ(size, n) and p.step == 1 and not differ(p.start, 0):
        return i, []
    if not differ(size, 0):
        return within(i, size), [ilt(i, literal(0))]
    step = abs(p.step)
    last = plus(p.start, times(plus(size, -1), p.step))
    low, high = (p.start, last) if p.step > 0 else (last, p.start)
    far = ibeyond(i, literal(low)) if p.step > 0 else ibeyond(literal(high), i)
    conditions = [ile(literal(low), i)] if differ(low, 0) else []
    conditions += [ile(i, literal(high))] if differ(plus(high, 1), n) else []
    conditions += [ieq(imod(far, literal(step)), literal(0))] if step > 1 else []
    return within(idiv(far, literal(step)) if step > 1 else far, size), conditions
