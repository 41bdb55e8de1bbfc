"""What of JAX the tracer needs is there."""

from jax_programs import jax, jnp

from rose.bridges import jax_api


def test_keys_are_told_from_arrays():
    assert jax_api.is_key(jax.random.key(0)) and not jax_api.is_key(jnp.ones(2))


def test_the_names_that_are_used():
    for name in ("ClosedJaxpr", "Jaxpr", "Var", "Primitive", "DebugInfo", "jaxpr_as_fun"):
        assert hasattr(jax_api.core, name)
    assert hasattr(jax_api.mlir, "register_lowering") and hasattr(jax_api.ad, "primitive_jvps")
    assert hasattr(jax_api.batching, "primitive_batchers")
