"""Random numbers of keys that are known."""

from typing import Any

import numpy as np
import pytest
from jax_programs import agrees, jax, jnp, same, sample

import rose
from rose.bridges.known_keys import DRAWN
from rose.bridges.rules import RULES

random = jax.random
key = random.key(7)

FUNCTIONS = {
    "normal": lambda: random.normal(key, (3, 2)),
    "bits": lambda: [random.bits(key, (5,), f"uint{n}").astype(float) for n in (8, 16, 32)],
    "split": lambda: random.uniform(random.split(key, (2, 3))[1, 2], (2,)),
    "fold_in": lambda: random.normal(random.fold_in(key, 3)),
    "a large seed": lambda: random.normal(random.key(2**40 + 5), (2,)),
    "a seed below 0": lambda: random.uniform(random.PRNGKey(-3), (2,)),
    "many keys": lambda: jax.vmap(lambda k: random.normal(k, (2,)))(random.split(key, 3)),
    "many fold_in": lambda: jax.vmap(lambda k: random.normal(random.fold_in(key, k)))(jnp.arange(3)),
    "permutation": lambda: random.permutation(key, 5) * 1.0,
    "randint": lambda: random.randint(key, (3,), 0, 100) * 1.0,
    "gamma": lambda: random.gamma(key, 2.0, (2,)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_jaxs(name: str):
    agrees(lambda x: jax.tree.map(lambda y: x[0] * y, FUNCTIONS[name]()), sample(5))


def test_many_are_a_constant_of_the_module():
    """The bits of those that are computed while tracing are not seen again: more than are written otherwise."""
    f: Any = lambda x: jnp.sum(x * random.normal(key, (10, 20)))
    same(rose.from_jax(f, sample(10, 20))(np.ones((10, 20))), f(jnp.ones((10, 20))))


def test_keys_of_other_generators_are_refused():
    with pytest.raises(rose.TypeMismatch, match="keys of another generator than JAX's default: key<rbg>"):
        rose.from_jax(lambda x: x * random.normal(random.key(3, impl="rbg")), 1.0)(1.0)
    with pytest.raises(rose.TypeMismatch, match="keys of another generator"):
        rose.from_jax(random.normal, random.key(3, impl="rbg"))


def test_each_has_a_rule_for_keys_that_are_not_known():
    assert set(DRAWN) <= set(RULES)
