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
enable_x64: Any = (jax if hasattr(jax, "enable_x64") else import_module("jax.experimental")).enable_x64  # since 0.8


def is_key(x: Any) -> bool:
    """True of keys of random numbers, by the dtype of an array or of an aval."""
    return bool(jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key))


def debug_info(name: str, names: tuple[str, ...], results: int) -> Any:
    """What JAX is told of a jaxpr that we make."""
    made = getattr(core, "DebugInfo", None) or import_module("jax._src.core").DebugInfo  # public since 0.8
    return made("rose.from_jax", name, names, ("",) * results)


def variables() -> Any:
    """What makes a new variable of an aval."""
    return (getattr(core, "gensym", None) or import_module("jax._src.core").gensym)()  # public since 0.8
