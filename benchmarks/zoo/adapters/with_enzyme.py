"""Enzyme, as the compiler of what JAX lowers: `enzyme_jax_ir`, in 64 bits; `jacfwd` of its gradient."""

from importlib.metadata import version

import jax
import jax.numpy as jnp
from enzyme_ad.jax import enzyme_jax_ir

from ..harness import Vocabulary, run
from .with_jax import WORDS as JAX

WORDS = Vocabulary(**JAX.__dict__)
for lost in ("stop", "custom"):  # what JAX lowers has neither
    del WORDS.__dict__[lost]


def orders(program, n):
    @enzyme_jax_ir()
    def f(x):
        return program(WORDS, x)

    g = jax.grad(f)
    made = map(jax.jit, (f, g, jax.jacfwd(g), jax.jacfwd(jax.jacfwd(g))))
    return [lambda x, g=g: g(jnp.array(x)) for g in made]


if __name__ == "__main__":
    run(orders, f"Enzyme {version('enzyme_ad')}, by JAX {jax.__version__}")
