"""Puts: a vector with another element, which the back end writes in place where nobody reads the old vector any more.

A put is linear in the vector and the element. In reverse the cotangent of the element is taken out of that of the
vector, where it leaves nothing. The path has one index, or more for an element of a vector of vectors, so that no row
is taken out and put back.
"""

from __future__ import annotations

from collections.abc import Sequence

from .builder import CONST, PACK, Builder, structural
from .ops import select
from .sizes import at_most, differ
from .types import MANY, Fin, Type, Vec, as_vec
from .value import Value


def _put_type(vec: Value, *path_and_x: Value) -> Type | None:
    *path, x = path_and_x
    t = vec.type
    for i in path:
        if not isinstance(t, Vec) or not isinstance(i.type, Fin) or not at_most(i.type.size, t.size):
            return None
        t = t.elem
    return vec.type if path and x.type is t else None


def put(b: Builder, vec: Value, path: Sequence[Value], x: Value) -> Value:
    """The vector with `x` in the place of the element to which the path leads."""
    sizes = [i.type.size for i in path if isinstance(i.type, Fin)]
    if vec.type.empty or x.type.empty or not all([differ(n, 0) for n in sizes]):  # no index: never reached
        return vec
    first, *rest = path
    if vec.op is PACK and first.op is CONST and len(vec.args) <= MANY:
        items, k = list(vec.args), int(first.attr)
        items[k] = put(b, items[k], rest, x) if rest else x
        return b.pack(items, as_vec(vec.type))
    return b.emit(PUT, (vec, *path, x))


def _put(b: Builder, args: tuple[Value, ...], *_: object) -> Value:
    return put(b, args[0], args[1:-1], args[-1])


PUT = structural(
    "put", "A vector with another element, at one index or at one in each vector inwards.", type=_put_type,
    linear_in=(0, -1), moves=True, make=_put,
)  # fmt: skip


def selected(b: Builder, c: Value, x: Value, y: Value) -> Value:
    """`x` where `c` holds, else `y`. Between versions of one vector elements are chosen, and no vector is copied."""
    mine, others = _versions(x), _versions(y)
    start = next((v for v in mine if any([v is w for w in others])), None)
    if x is y or start is None or (x.op is not PUT and y.op is not PUT):
        return b.emit(select, (c, x, y))
    made = start
    for versions, taken in ((mine, True), (others, False)):
        changes = versions[: next(k for k, v in enumerate(versions) if v is start)]
        for v in reversed(changes):
            old, (_, *path, new) = made, v.args
            for i in path:
                old = b.index(old, i)
            made = put(b, made, path, selected(b, c, *((new, old) if taken else (old, new))))
    return made


def _versions(v: Value) -> list[Value]:
    """A vector, that at which it begins, and so on."""
    found = [v]
    while v.op is PUT:
        v = v.args[0]
        found.append(v)
    return found
