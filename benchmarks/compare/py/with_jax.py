"""JAX, jitted, on the CPU, in numbers of 64 bits. The oscillator as `lax.scan`, too."""

from __future__ import annotations

import arrays
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def scan(p):
    def missed(s):
        s, _ = jax.lax.scan(lambda s, _: (arrays.step(jnp, s), None), tuple(s), length=p["sizes"]["N"])
        return (s[0] - 0.3) ** 2 + (s[1] + 0.8) ** 2

    return missed, []


def gradient(make):
    def of(p):
        f, data = make(p)
        both = jax.jit(jax.value_and_grad(f))

        def call(*args):
            value, g = both(*args)
            return float(value), np.asarray(g)

        return call, [np.array(xs) for xs in (p["params"], *data)]

    return of


def hessian(make):
    def of(p):
        f, _ = make(p)
        both = jax.jit(lambda x: (f(x), jax.hessian(f)(x)))

        def call(x):
            value, h = both(x)
            return float(value), np.asarray(h)

        return call, [np.array(p["params"])]

    return of


MADE = arrays.functions(jnp)
MADE["oscillator"]["scan"] = scan
FORMS = {
    source: {form: (hessian if source == "hessian" else gradient)(make) for form, make in forms.items()}
    for source, forms in MADE.items()
}
