"""Axes of arrays, parts at known places, joins, padding."""

import pytest
from jax_programs import agrees, jnp, lax, sample

x, m, a = sample(5), sample(3, 5), sample(4, 4)

FUNCTIONS = {
    "slices": (lambda x: x[1:4:2] * x[-1], x),
    "reshape": (lambda m: m.reshape(5, 3) * m.T + m.ravel()[:3], m),
    "a number": (lambda m: m.sum().reshape(1, 1) * m[0, 0], m),
    "concatenate": (lambda x: jnp.concatenate([x, x * 2, jnp.zeros(2)]), x),
    "stack": (lambda x: jnp.stack([x, x * 2], 1), x),
    "split": (lambda m: jnp.split(m, [2, 3], axis=1)[1] * m[:, :1], m),
    "pad": (lambda m: jnp.pad(m, ((1, 2), (0, 1)), constant_values=2.0), m),
    "pad between": (lambda m: lax.pad(m, 0.5, ((1, 0, 2), (-1, 1, 1))), m),
    "pad of a number": (lambda m: lax.pad(m, m[0, 0], ((1, 0, 0), (0, 2, 0))), m),
    "roll": (lambda m: jnp.roll(m, 2, 1), m),
    "flip": (lambda m: m[::-1, ::-1] * m, m),
    "broadcast": (lambda m: jnp.broadcast_to(m[:, None], (3, 2, 5)) * m[:, :1, None], m),
    "tile": (lambda x: jnp.tile(x, 2) + jnp.repeat(x, 2), x),
    "triangles": (lambda a: jnp.tril(a) * 2 + jnp.triu(a, 1), a),
    "diagonals": (lambda a: jnp.diag(a) + jnp.trace(a) + jnp.diag(a[0]), a),
    "eye": (lambda a: a + jnp.eye(4) * 2, a),
    "moved axes": (lambda m: jnp.moveaxis(m[None], 0, 2) + jnp.swapaxes(m, 0, 1).T[:, :, None], m),
    "linspace": (lambda x: jnp.linspace(x[0], x[1], 7), x),
    "meshgrid": (lambda x: jnp.meshgrid(x, x[:2])[1] * 2, x),
    "no elements": (lambda x: jnp.concatenate([x[:0], x]) + jnp.sum(x[5:]), x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_axes_is_jaxs(name: str):
    agrees(*FUNCTIONS[name])
