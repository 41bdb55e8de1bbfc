"""Pytrees of JAX as types: what a function of JAX takes and gives.

A dict, a dataclass and a module of Equinox become structs with the names of their fields, a tuple or a list a tuple, an
array a `Vec`. Where a module is expected, the object itself can be given. What is no number, such as an activation, is
a part of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..ir.forms import Form, dict_form
from ..ir.types import Tuple, Type, Unit
from .equations import Aval
from .jax_api import is_key, jax, tree_util
from .operands import array_type


class Node(NamedTuple):
    """A part of a pytree: its type, and its arrays in the order of JAX."""

    type: Type
    leaves: Callable[[Any], Iterator[Any]]  # of a value of that type


def is_array(x: Any) -> bool:
    """True for what is an argument, and not a part of the program."""
    number = isinstance(x, (int, float, complex)) and not isinstance(x, bool)
    return number or (hasattr(x, "shape") and hasattr(x, "dtype"))


def aval_of(x: Any) -> Aval:
    """The shape and the dtype of an array, a number, or a `jax.ShapeDtypeStruct`; of keys, that of their words."""
    if not hasattr(x, "dtype"):
        x = jax.numpy.asarray(x)
    if is_key(x):
        return Aval((*x.shape, 2), np.dtype(np.uint32))
    return Aval(tuple(x.shape), np.dtype(x.dtype))


def node_of(tree: Any, name: str) -> Node | None:
    """The type of a pytree; None if there is no array in it."""
    if is_array(tree):
        a = aval_of(tree)
        alone: Callable[[Any], Iterator[Any]] = lambda v: iter((v,))
        return Node(array_type(a.shape, a.dtype), alone)
    items, keys = children(tree)
    parts = [(k, node_of(x, f"{name}.{k}")) for k, x in zip(keys, items, strict=True)]
    found = [(k, p) for k, p in parts if p is not None]
    if not found:
        return None
    form = _form(tree, [k for k, _ in found])
    t = Tuple(tuple([p.type for _, p in found]), form)

    def leaves(v: Any) -> Iterator[Any]:
        for j, (k, p) in enumerate(found):
            yield from p.leaves(v[j] if form is None else v[k])

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
    """The form of the struct of a pytree; None of a tuple or a list."""
    if tree.__class__ in (tuple, list) or all(k.isdigit() for k in keys):
        return None
    if tree.__class__ is dict:
        return dict_form(keys)
    cls = tree.__class__
    form = Form(cls.__name__, tuple(keys), lambda xs: dict(zip(keys, xs, strict=True)))
    form.other = lambda x: [getattr(x, k) for k in keys] if isinstance(x, cls) else None
    return form


def result_of(tree: Any, name: str) -> Type:
    """The type of a result; `Unit` if it has no array."""
    node = node_of(tree, name)
    return Unit if node is None else node.type
