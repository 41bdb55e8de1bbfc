"""JAX on the CPU, in numbers of 64 bits: jitted, compiled before it is timed, and waited for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...programs import Job

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def plain(x: Any) -> Any:
    """For JSON."""
    return jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), x)


@functools.cache
def jitted(f: Callable[..., Any], static: tuple[str, ...]) -> Callable[..., Any]:
    return jax.jit(f, static_argnames=static)


def job(f: Callable[..., Any], *args: Any, shown: Callable[[Any], Any] = plain, **sizes: Any) -> Job:
    """`f` of arrays, compiled for these sizes; what else is known of an input is given by name."""
    given = jax.tree.map(lambda x: jnp.asarray(np.array(x, float) if isinstance(x, list) else x), args,
                         is_leaf=lambda x: isinstance(x, list))  # fmt: skip
    run = functools.partial(jitted(f, tuple(sizes)), *given, **sizes)
    jax.block_until_ready(run())
    return Job(lambda: jax.block_until_ready(run()), shown)
