"""What is computed while tracing."""

from typing import Any

import pytest
from jax_programs import agrees, jnp, lax, sample

import rose
from rose.bridges.folding import FOLDS
from rose.bridges.rules import RULES
from rose.ir.text.printer import show

x = sample(5)


def test_indices_are_known_where_jaxs_program_knows_them():
    shown = show(rose.from_jax(lambda x: x[(jnp.arange(3) * 2 + 1) % 5], x).func)
    assert "itrunc" not in shown and "floor" not in shown


def test_a_large_array_is_made_by_the_module():
    """The mask of a triangle of 300 rows would take 90,000 bytes."""
    assert len(rose.compile(rose.from_jax(jnp.tril, sample(300, 300))).wasm) < 1000


def test_constants_of_the_program_are_there_once():
    table = sample(100)
    f = rose.from_jax(lambda x: jnp.sum(table * x) + jnp.sum(table * x * x), sample(100))
    assert len(rose.compile(f).wasm) < 1500


@pytest.mark.parametrize("name", sorted(FOLDS))
def test_what_is_folded_has_a_rule_too(name: str):
    assert name in RULES


def test_folds_are_what_jax_computes():
    k = jnp.array([7, -7, 3], jnp.int32)

    def f(x: Any) -> Any:
        arithmetic = k // 2, k % 3, k * k, -k, abs(k), k**2, jnp.sign(k), lax.rem(k, jnp.int32(4))
        bits = k << 2, k >> 1, k & 3, k | 4, ~k, k.astype(jnp.int8), lax.shift_right_logical(k, jnp.int32(3))
        choices = jnp.minimum(k, 2), jnp.clip(k, -1, 1), jnp.where(k > 0, k, 0), jnp.any(k > 3)
        along = jnp.cumsum(k), jnp.sort(k), jnp.max(k), jnp.argmax(k)
        axes = k[::-1], jnp.pad(k, 1), k[None, :].T, jnp.split(k, 3)[1]
        return x, arithmetic, bits, choices, along, axes

    agrees(f, x, gradient=False)
