"""Calls, loops and branches."""

import pytest
from jax_programs import agrees, jax, jnp, lax, sample

import rose

x, m = sample(5), sample(3, 5)

FUNCTIONS = {
    "fori_loop": lambda x: lax.fori_loop(0, 5, lambda i, s: s * x[i] + i, 1.0),
    "fori_loop from 2": lambda x: lax.fori_loop(2, 5, lambda i, s: s + x[i - 1] * i, 0.0),
    "scan": lambda x: lax.scan(lambda c, v: (c * v + 1, (c, v * v)), 0.5, x),
    "scan backwards": lambda x: lax.scan(lambda c, v: (c * v + 1, (c, v * v)), 0.5, x, reverse=True),
    "scan over numbers": lambda x: lax.scan(lambda c, k: (c * x[k] + 1.0, c), 0.5, jnp.arange(5))[0],
    "scan over every other": lambda x: lax.scan(lambda c, k: (c * x[k] + 1.0, c), 0.5, jnp.arange(0, 5, 2))[0],
    "scan without rows": lambda x: lax.scan(lambda c, _: (jnp.sin(c), c), x, None, length=4),
    "scan without iterations": lambda x: lax.scan(lambda c, v: (c * v, v), x[0], x[:0])[0],
    "scan with what stays": lambda x: lax.scan(lambda c, v: ((c[0] * c[1] + v, c[1]), c[1]), (x[0], x[1]), x),
    "scan of truths": lambda x: lax.scan(lambda c, v: (c ^ (v > 0), jnp.where(c, v, 2 * v)), True, x)[1],
    "map": lambda x: lax.map(lambda v: jnp.sin(v) * v, x),
    "cond": lambda x: lax.cond(x[0] > 0, lambda: x * 2, lambda: x * x),
    "cond of pytrees": lambda x: lax.cond(x[1] > 0, lambda v: (v, {"a": v * 2}), lambda v: (v * v, {"a": v}), x),
    "vmapped cond": lambda x: jax.vmap(lambda v: lax.cond(v > 0, lambda v: v * 2, lambda v: v * v, v))(x),
    "vmapped scan": lambda x: jax.vmap(lambda r: lax.scan(lambda c, v: (c * v + r, c), 0.5, x))(x),
    "checkpoint": jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))),
    "jit in jit": jax.jit(lambda x: jax.jit(jnp.sin)(x) * jax.jit(lambda y: y * y)(x)),
    "a gradient inside": lambda x: jax.grad(lambda y: jnp.sum(jnp.sin(y) * y[::-1]))(x),
    "a Hessian inside": lambda x: jax.hessian(lambda y: jnp.sum(jnp.sin(y) * y[::-1]))(x),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_program_with_control_flow_is_jaxs(name: str):
    agrees(FUNCTIONS[name], x)


def test_loops_of_unknown_length():
    agrees(lambda x: lax.while_loop(lambda s: s[0] < 100, lambda s: (s[0] * 2 + 1, s[1] + 1), (x[0] ** 2, 0)), x,
           gradient=False)  # fmt: skip
    agrees(lambda x: jax.vmap(lambda v: lax.while_loop(lambda s: s < 9, lambda s: s * 2 + 1, abs(v)))(x), x,
           gradient=False)  # fmt: skip
    agrees(lambda x, n: lax.fori_loop(0, n, lambda i, s: s * 1.5 + x[i], 0.0), x, 4, gradient=False)


def test_reverse_mode_through_a_while_loop_which_jax_has_not():
    import rose

    f = rose.from_jax(lambda x: lax.while_loop(lambda s: s < 100.0, lambda s: s * s, x), 3.0)
    assert rose.grad(f)(3.0) == 8 * 3.0**7


def test_a_switch_clamps_its_index():
    branches = [lambda x: x, lambda x: 2 * x, lambda x: x * x]
    for k in (-1, 0, 1, 2, 7):
        agrees(lambda x, k: lax.switch(k, branches, x), x, k, gradient=False)
    agrees(lambda x: lax.switch(jnp.argmax(x[:3]), branches, x), x)


def test_an_error_of_equinox_is_an_assertion():
    """Its function is called as theirs is, which is not installed here."""
    msgs = ["x is below 0"]

    def raises(index):
        raise RuntimeError(msgs[index.item()])

    raises.__module__ = "equinox._errors"
    shape = jax.ShapeDtypeStruct((), float)
    f = rose.from_jax(lambda x: lax.cond(x < 0, lambda: jax.pure_callback(raises, shape, 0), lambda: jnp.sqrt(x)), 1.0)
    assert f(4.0) == 2.0 and rose.grad(f)(4.0) == 0.25
    with pytest.raises(rose.AssertionFailed, match="x is below 0"):
        f(-1.0)


def test_other_callbacks_are_refused():
    shape = jax.ShapeDtypeStruct((), float)
    with pytest.raises(rose.TypeMismatch, match="pure_callback: there is no Python where the module runs"):
        rose.from_jax(lambda x: jax.pure_callback(lambda y: y, shape, x), 1.0)(1.0)
