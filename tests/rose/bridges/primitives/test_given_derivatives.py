"""Functions whose derivative JAX's program gives."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from jax_programs import agrees, jax, jnp, same, sample

import rose

x = sample(5)


@jax.custom_jvp
def wrong_sine(x: Any) -> Any:
    return jnp.sin(x)


@wrong_sine.defjvp
def _(primals: Any, tangents: Any) -> Any:
    """Three times the number, which the test can tell from the right one; it calls the function itself."""
    return wrong_sine(primals[0]), 3.0 * tangents[0] * primals[0] + 0.0 * wrong_sine(primals[0])


@jax.custom_vjp
def clipped(x: Any, bound: Any) -> Any:
    return x * 1.0, bound


clipped.defvjp(lambda x, b: (clipped(x, b), b), lambda b, ct: (jnp.clip(ct[0], -b, b), None))


def made(k: float) -> Any:
    """Two functions that differ in their derivative alone."""
    f = jax.custom_jvp(lambda x: x * 1.0)
    f.defjvp(lambda p, t: (p[0] * 1.0, k * t[0]))
    return f


def test_the_derivative_of_a_custom_jvp_is_the_given_one():
    agrees(lambda x: wrong_sine(x) * x, x)
    agrees(lambda x: jnp.sum(wrong_sine(wrong_sine(x) * x)), x)


def test_so_are_second_derivatives():
    total = lambda x: jnp.sum(wrong_sine(x) ** 2)
    same(rose.hessian(rose.from_jax(total, x))(x), jax.hessian(total)(x))


def test_the_derivative_of_a_custom_vjp_is_the_given_one():
    agrees(lambda x: jnp.sum(10 * clipped(x, 0.3)[0] * x), x)  # which is not linear
    agrees(lambda x, y: jnp.sum(clipped(x * y, 0.5)[0] ** 2), x, x[::-1])


def test_second_derivatives_through_a_backward_function_that_is_not_linear():
    total = lambda x: jnp.sum(jnp.sin(clipped(x, 0.4)[0]) ** 2)
    ours = rose.from_jax(lambda x: jnp.sum(jax.grad(total)(x) ** 2), x)
    same(rose.grad(ours)(x), jax.grad(lambda x: jnp.sum(jax.grad(total)(x) ** 2))(x))
    slope = rose.grad(rose.from_jax(total, x))
    again = rose.grad(rose.fn([rose.Vec[5]], rose.Real)(lambda x: rose.sum(slope(x) ** 2)))
    same(again(x), jax.grad(lambda x: jnp.sum(jax.grad(total)(x) ** 2))(x))
    with pytest.raises(rose.AssertionFailed, match="has no derivative in forward mode"):
        rose.jacfwd(rose.from_jax(total, x))(x)


def test_functions_that_differ_in_their_derivative_alone():
    agrees(lambda x: made(2.0)(x) + made(5.0)(x), x)


def test_derivatives_without_end():
    """The rule of `odeint` is an `odeint` of more unknowns, whose rule is one of still more."""
    odeint = import_module("jax.experimental.ode").odeint
    f = lambda y: odeint(lambda y, t: -y * y, y, jnp.array([0.0, 0.5]), rtol=1e-10, atol=1e-10)[1]
    agrees(f, x[:2] ** 2, tolerance=1e-7)


def test_solutions_of_equations_have_the_derivatives_of_solutions():
    a = sample(4, 4)
    s = a @ a.T + jnp.eye(4)
    agrees(lambda s, x: jax.scipy.sparse.linalg.cg(lambda v: s @ v, x, tol=1e-14)[0], s, x[:4])
    total = lambda s: jnp.sum(jnp.linalg.solve(s, x[:4]) ** 2)
    same(rose.hessian(rose.from_jax(total, s))(s), jax.hessian(total)(s))


def test_a_rule_that_is_not_linear_is_refused():
    f = jax.custom_jvp(lambda x: x * 1.0)
    f.defjvp(lambda p, t: (p[0] * 1.0, t[0] * t[0]))
    imported = rose.from_jax(f, 1.0)
    assert imported(2.0) == 2.0
    with pytest.raises(rose.NotLinear, match="mul is not linear in the parameters of dlambda"):
        rose.grad(imported)(2.0)


def test_equations_without_a_transposed_solution_are_refused():
    from jax.lax import custom_linear_solve

    f = lambda b: custom_linear_solve(lambda v: 2.0 * v, b, lambda _, b: b / 2.0)
    with pytest.raises(rose.TypeMismatch, match="custom_linear_solve: no function that solves the transposed"):
        rose.compile(rose.from_jax(f, x))


@jax.custom_jvp
def counted(x):
    return jnp.sin(x), jnp.arange(x.shape[0]) * (x[0] > 0), x[0] > 0


counted.defjvp(lambda p, t: (counted(*p), (3 * t[0], np.zeros(5, jax.dtypes.float0), np.zeros((), jax.dtypes.float0))))


def test_whole_numbers_and_conditions_among_the_results_have_no_derivative():
    agrees(lambda x: counted(x)[0] * jnp.where(counted(x)[2], 2.0, 3.0) + x[counted(x)[1]], x)
