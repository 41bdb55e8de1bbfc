"""Functions of JAX beside what was imported of them: values, gradients, and the import of JAX's own gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

import rose

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
lax: Any = import_module("jax.lax")
tree: Any = import_module("jax.tree_util")
jax.config.update("jax_enable_x64", True)

TOLERANCE = 1e-10


@cache
def sample(*shape: int, seed: int = 0) -> Any:
    """Numbers of the normal distribution: none is 0, and no two are the same."""
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape))


def words(x: Any) -> Any:
    """Keys as they are given to an imported function."""
    return np.asarray(jax.random.key_data(x)) if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) else x


def same(found: Any, wanted: Any, tolerance: float = TOLERANCE) -> None:
    """Assert that results have the same numbers, in whatever containers."""
    ours, theirs = tree.tree_leaves(found), tree.tree_leaves(wanted)
    assert len(ours) == len(theirs)
    for x, y in zip(ours, theirs, strict=True):
        y = np.asarray(y)
        assert np.shape(x) == y.shape
        single = y.dtype in (np.float32, np.complex64)
        wide = 2e-5 if single else tolerance
        np.testing.assert_allclose(np.asarray(x, y.dtype), y, rtol=wide, atol=wide)


def agrees(f: Callable[..., Any], *args: Any, gradient: bool = True, tolerance: float = TOLERANCE) -> None:
    """Assert that a function and its gradients are JAX's: ours of the imported one, and the imported one of JAX's."""
    args = tree.tree_map(jnp.asarray, args)
    given = tree.tree_map(words, args)
    same(rose.from_jax(f, *args)(*given), f(*args), tolerance)
    if not gradient:
        return

    def total(*xs: Any) -> Any:
        outs = tree.tree_leaves(f(*xs))
        return sum(jnp.sum(jnp.sin(jnp.abs(y) if y.dtype.kind == "c" else y)) for y in outs if y.dtype.kind in "fc")

    moving = tuple([k for k, x in enumerate(args) if all(y.dtype.kind == "f" for y in tree.tree_leaves(x))])
    assert moving
    wanted = jax.grad(total, moving)(*args)
    imported = rose.from_jax(total, *args)
    for k, g in zip(moving, wanted, strict=True):
        same(rose.grad(imported, k)(*given), g, tolerance)
    same(rose.from_jax(jax.grad(total, moving), *args)(*given), wanted, tolerance)
