"""A function of ours in JAX: all transforms, to any order."""

from typing import Any

import numpy as np
import pytest
from jax_programs import jax, jnp, same, sample

import rose
from rose import Real, Vec, fn
from rose.bridges.jax_api import enable_x64


@fn
def ours(p: {"w": Vec[3], "b": Real}, x: Vec[3]) -> tuple[Real, Vec[3]]:  # noqa: F821
    y = np.sin(p["w"] * x) + p["b"]
    return np.sum(y * y), y


def theirs(p: Any, x: Any) -> Any:
    y = jnp.sin(p["w"] * x) + p["b"]
    return jnp.sum(y * y), y


p, x = {"w": sample(3, seed=1), "b": jnp.asarray(0.5)}, sample(3)
operator = rose.to_jax(ours)


def total(f: Any) -> Any:
    return lambda p, x: f(p, x)[0] + jnp.sum(f(p, x)[1] ** 3)


TRANSFORMS: dict[str, Any] = {
    "value": lambda f: f(p, x),
    "jit": lambda f: jax.jit(f)(p, x),
    "grad": lambda f: jax.grad(total(f), (0, 1))(p, x),
    "grad under jit": lambda f: jax.jit(jax.grad(total(f)))(p, x),
    "jacfwd": lambda f: jax.jacfwd(total(f), 1)(p, x),
    "Hessian": lambda f: jax.hessian(total(f), 1)(p, x),
    "forward over forward": lambda f: jax.jacfwd(jax.jacfwd(total(f), 1), 1)(p, x),
    "reverse over reverse": lambda f: jax.jacrev(jax.jacrev(total(f), 1), 1)(p, x),
    "third derivative": lambda f: jax.jacrev(jax.hessian(total(f), 1), 1)(p, x),
    "vmap": lambda f: jax.vmap(f, (None, 0))(p, sample(2, 3)),
    "vmap of grad": lambda f: jax.jit(jax.vmap(jax.grad(total(f), 1), (None, 1)))(p, sample(3, 2)),
    "scan": lambda f: jax.lax.scan(lambda c, x: (c + f(p, x)[0], None), 0.0, sample(4, 3))[0],
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_gives_what_it_gives_of_jaxs_own(name: str):
    same(TRANSFORMS[name](operator), TRANSFORMS[name](theirs))


def test_a_function_that_came_from_jax_goes_back():
    f = rose.to_jax(rose.from_jax(theirs, p, x))
    same(jax.grad(total(f), 1)(p, x), jax.grad(total(theirs), 1)(p, x))


def test_single_precision():
    with enable_x64(False):
        y = operator({"w": np.ones(3, np.float32), "b": 0.5}, np.ones(3, np.float32))[1]
        assert y.dtype == jnp.float32


def test_results_without_a_derivative():
    f = rose.to_jax(fn([Vec[3]], tuple[rose.Bool, rose.Fin[3], Vec[3]])(lambda x: (x[0] > 0, rose.argmax(x), x * x)))
    same(jax.jacfwd(lambda x: f(x)[2])(x), jnp.diag(2 * x))
    assert f(x)[1].dtype == jnp.int32 and f(x)[0].dtype == bool
