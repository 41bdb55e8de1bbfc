"""JAX, as far as the tracer needs it. To the type checker it is of no type: JAX's own are unknown in parts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

jax: Any = import_module("jax")
core: Any = import_module("jax.extend.core")
tree_util: Any = import_module("jax.tree_util")
ad: Any = import_module("jax.interpreters.ad")
batching: Any = import_module("jax.interpreters.batching")
mlir: Any = import_module("jax.interpreters.mlir")


def is_key(x: Any) -> bool:
    """True of keys of random numbers, by the dtype of an array or of an aval."""
    return bool(jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key))
