"""Pytrees of JAX as types: what a function of JAX takes and gives.

A dict, a dataclass and a module of Equinox become structs with the names of their fields, a tuple or a list a tuple, an
array a `Vec`. Where a module is expected, the object itself can be given. What is no number, such as an activation, is
a part of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..ir.forms import Form, dict_form
from ..ir.types import Tuple, Type, Unit
from .equations import Aval, aval_of
from .jax_api import jax, tree_util

_LISTS = ("tuple", "list")  # the names of their forms


class Node(NamedTuple):
    """A part of a pytree: its type, and its arrays in the order of JAX."""

    type: Type
    leaves: Callable[[Any], Iterator[Any]]  # of a value of that type


def is_array(x: Any) -> bool:
    """True for what is an argument, and not a part of the program."""
    number = isinstance(x, (int, float, complex)) and not isinstance(x, bool)
    return number or (hasattr(x, "shape") and hasattr(x, "dtype"))


def leaf_aval(x: Any) -> Aval:
    """The shape and the dtype of an array, a number, or a `jax.ShapeDtypeStruct`; of keys, that of their words."""
    return aval_of(x if hasattr(x, "dtype") else jax.numpy.asarray(x))


def node_of(tree: Any) -> Node | None:
    """The type of a pytree; None if there is no array in it."""
    if is_array(tree):
        alone: Callable[[Any], Iterator[Any]] = lambda v: iter((v,))
        return Node(leaf_aval(tree).type, alone)
    items, keys = children(tree)
    parts = [(k, node_of(x)) for k, x in zip(keys, items, strict=True)]
    found = [(k, p) for k, p in parts if p is not None]
    if not found:
        return None
    form = _form(tree, [k for k, _ in found])
    t = Tuple(tuple([p.type for _, p in found]), form)

    def leaves(v: Any) -> Iterator[Any]:
        for j, (k, p) in enumerate(found):
            yield from p.leaves(v[j] if form is None else v[int(k)] if form.name in _LISTS else v[k])

    return Node(t, leaves)


def children(tree: Any) -> tuple[Sequence[Any], Sequence[str]]:
    """The parts of a pytree, and their names."""
    at = tree_util.default_registry.flatten_one_level_with_keys(tree)
    if at is None:
        return [], []
    pairs = list(at[0])
    if hasattr(tree, "_fields"):
        return list(tree), tree._fields
    return [x for _, x in pairs], [_named(k) for k, _ in pairs]


def _named(key: Any) -> str:
    for field in ("name", "key", "idx"):
        if hasattr(key, field):
            return str(getattr(key, field))
    return str(key)


def _form(tree: Any, keys: Sequence[str]) -> Form | None:
    """The form of the struct of a pytree; None of a tuple or a list that has arrays everywhere."""
    cls = tree.__class__
    if cls in (tuple, list) or all(k.isdigit() for k in keys):
        places, count = [int(k) for k in keys], len(children(tree)[0])
        if len(places) == count:
            return None
        form = Form(cls.__name__, tuple(keys), lambda xs: _spread(xs, places, count))
        form.other = lambda x: _at(x, places, count)
        return form
    if cls is dict and len(keys) == len(tree):
        return dict_form(keys)
    form = Form(cls.__name__, tuple(keys), lambda xs: dict(zip(keys, xs, strict=True)))
    fast = hasattr(cls, "__dataclass_fields__") or hasattr(cls, "_fields")
    form.other = lambda x: _read(x, cls, keys) if fast else _picked(x, cls, keys)
    return form


def _at(x: Any, places: Sequence[int], count: int) -> list[Any] | None:
    """What a tuple or a list of that length has at some places."""
    return [x[k] for k in places] if x.__class__ in (tuple, list) and len(x) == count else None


def _spread(xs: Sequence[Any], places: Sequence[int], count: int) -> tuple[Any, ...]:
    """A tuple with None where there is no array."""
    at = dict(zip(places, xs, strict=True))
    return tuple([at.get(k) for k in range(count)])


def _read(x: Any, cls: type, keys: Sequence[str]) -> list[Any] | None:
    return [getattr(x, k) for k in keys] if isinstance(x, cls) else None


def _picked(x: Any, cls: type, keys: Sequence[str]) -> list[Any] | None:
    """The parts of a pytree in which there are arrays."""
    if not isinstance(x, cls):
        return None
    at = dict(zip(*reversed(children(x)), strict=True))
    return [at[k] for k in keys] if all(k in at for k in keys) else None


def result_of(tree: Any) -> Type:
    """The type of a result; `Unit` if it has no array."""
    node = node_of(tree)
    return Unit if node is None else node.type
