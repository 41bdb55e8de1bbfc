"""Random numbers: JAX's bits, of keys that are arguments, and of keys that the program knows."""

from typing import Any

import pytest
from jax_programs import agrees, jax, jnp, lax, sample

import rose

key = jax.random.key(3)
random: Any = jax.random

DRAWS = {
    "normal": lambda k: random.normal(k, (3,)),
    "of single precision": lambda k: random.normal(k, (3,), dtype=jnp.float32),
    "uniform": lambda k: random.uniform(k, (2, 3), minval=-2.0),
    "one number": lambda k: random.normal(k),
    "split": lambda k: random.uniform(random.split(k)[1], (2,)),
    "fold_in": lambda k: random.normal(random.fold_in(k, 7)),
    "integers": lambda k: random.randint(k, (4,), 0, 10),
    "permutation": lambda k: random.permutation(k, 6),
    "bernoulli": lambda k: 1.0 * random.bernoulli(k, 0.3, (6,)),
    "categorical": lambda k: random.categorical(k, jnp.array([0.1, 2.0, -1.0])),
    "gamma": lambda k: random.gamma(k, 2.0, (3,)),
    "exponential": lambda k: random.exponential(k, (2,)) + random.laplace(k, (2,)) + random.gumbel(k, (2,)),
    "several keys": lambda k: jax.vmap(lambda k: random.normal(k, (2,)))(random.split(k, 3)),
    "a scan over keys": lambda k: lax.scan(lambda c, k: (c, random.normal(k)), 0.0, random.split(k, 3))[1],
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_of_a_key_that_is_an_argument_are_jaxs(name: str):
    agrees(DRAWS[name], key, gradient=False)


def test_keys_as_words():
    agrees(lambda k: random.normal(k, (2,)), random.PRNGKey(5), gradient=False)


def test_a_key_that_the_program_knows_makes_constants():
    agrees(lambda x: x * random.normal(random.key(1), (5,)), sample(5))


def test_numbers_of_the_gamma_distribution_move_with_its_shape():
    f = rose.from_jax(lambda k, a: random.gamma(k, a), key, 2.5)
    theirs = jax.grad(lambda a: random.gamma(key, a))(2.5)
    assert abs(rose.grad(f, 1)(random.key_data(key), 2.5) - theirs) < 1e-6  # to which JAX computes it


def test_what_is_not_drawn():
    with pytest.raises(rose.TypeMismatch, match=r"rng_bit_generator: .* known only when the module runs"):
        rose.compile(rose.from_jax(lambda k: lax.rng_bit_generator(k, (3,))[1], jnp.zeros(4, jnp.uint32)))
