"""Gather, scatter, and slices at places that are known when the module runs."""

import numpy as np
import pytest
from jax_programs import agrees, jax, jnp, lax, sample

x, m, t = sample(5), sample(3, 5), sample(2, 3, 4)

FUNCTIONS = {
    "known rows": lambda m: m[jnp.array([0, 2, 0, -1])],
    "known places": lambda m: m[jnp.array([0, 2]), jnp.array([1, -1])],
    "a column": lambda m: m[:, 2] * m[1, -1],
    "take": lambda m: jnp.take(m, jnp.array([4, 0]), axis=1) * jnp.take(m, 3),
    "take_along_axis": lambda m: jnp.take_along_axis(m, jnp.argsort(m, 1), 1),
    "at the largest": lambda m: m[:, jnp.argmax(m[0])] * m[0, jnp.argmax(m[0])],
    "set": lambda m: m.at[2].set(7.0).at[:, 1].set(m[:, 0]) * m,
    "add": lambda m: m.at[jnp.array([0, 0, 1])].add(m[:, ::-1]),
    "multiply": lambda m: m.at[0, jnp.array([1, 3, 2])].multiply(m[1, :3], unique_indices=True),
    "min and max": lambda m: m.at[1].max(0.3).at[:, 2].min(0.1),
    "segments": lambda m: jax.ops.segment_sum(m, jnp.array([0, 1, 0]), 2),
    "set at the largest": lambda m: m.at[0, jnp.argmax(m[0])].set(m[1, 1]),
    "diagonals": lambda m: jnp.diagonal(m[:, :3]) * jnp.einsum("ii->i", m[:, :3]),
    "bincount": lambda m: jnp.bincount(jnp.array([0, 1, 1, 2, 0]), weights=m[0], length=3),
    "interp": lambda m: jnp.interp(m[0], jnp.array([-1.0, 0.0, 1.0]), jnp.array([0.0, 2.0, 1.0])),
    "no places": lambda m: m[jnp.array([], int)].sum() + m.at[jnp.array([], int)].add(2.0) * m,
    "vmapped rows": lambda m: jax.vmap(lambda r, k: r[k])(m, jnp.array([1, 4, 0])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_places_is_jaxs(name: str):
    agrees(FUNCTIONS[name], m)


@pytest.mark.parametrize("i", [0, 2, 4, -1, -5, 5, 99, -99])
def test_a_place_that_is_an_argument(i: int):
    """Counted from the end below 0, and clamped where there is none, as JAX's; writing there does nothing."""
    agrees(lambda x, i: (x[i], x.at[i].set(2.0), x.at[i].add(x[0])), x, i, gradient=False)
    agrees(lambda x, i: jnp.take(x, i, mode="fill"), x, i, gradient=False)
    agrees(lambda x, i: jnp.take(x, i, mode="clip"), x, i, gradient=False)
    agrees(lambda m, i: (lax.dynamic_slice(m, (i, i), (2, 3)), lax.dynamic_index_in_dim(m, i)), m, i, gradient=False)
    agrees(lambda m, i: lax.dynamic_update_slice(m, m[:2, :2] * 3, (i, 1)), m, i, gradient=False)


def test_several_places_that_are_arguments():
    places = np.array([[1, 4], [0, -1]])
    agrees(lambda m, k: m[:, k], m, places, gradient=False)
    agrees(lambda m, k: m[k[:, 0], k[:, 1]], m, places, gradient=False)
    agrees(lambda m, k: m.at[k[:, 0]].add(1.5).at[:, k[0]].set(0.5), m, places, gradient=False)
    agrees(lambda t, k: t[:, k, 1:], t, np.array([2, 0, 5]), gradient=False)
    agrees(lambda t, k: jax.vmap(lambda r, k: lax.dynamic_slice(r, (k, 0), (2, 2)))(t, k), t, np.array([1, 0]),
           gradient=False)  # fmt: skip


def test_one_hot():
    agrees(lambda k: jax.nn.one_hot(k, 4), np.array([1, 3, 7, -1]), gradient=False)
