"""Convolutions and pooling."""

from typing import Any

import pytest
from jax_programs import agrees, jax, jnp, lax, sample

images, kernel = sample(2, 3, 6, 6), sample(4, 3, 3, 3)
last = (0, 2, 3, 1)


def pooled(x: Any, padding: str) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), padding)


KERNELS = {
    "same": lambda x, k: lax.conv(x, k, (1, 1), "SAME"),
    "strides": lambda x, k: lax.conv_general_dilated(x, k, (2, 2), "VALID", rhs_dilation=(2, 1)),
    "transposed": lambda x, k: lax.conv_transpose(x.transpose(last), k.transpose(2, 3, 1, 0), (2, 2), "SAME"),
    "channels last": lambda x, k: lax.conv_general_dilated(
        x.transpose(last), k.transpose(2, 3, 1, 0), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
    "groups": lambda x, k: lax.conv_general_dilated(x, k[:3, :1], (1, 1), "SAME", feature_group_count=3),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_a_convolution_is_jaxs(name: str):
    agrees(KERNELS[name], images[:1] if name != "same" else images, kernel, gradient=name in ("same", "strides"))


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_pooling_is_jaxs(padding: str):
    x = images[:1, :2, :5]
    agrees(lambda x: pooled(x, padding), x)
    agrees(lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 1, 3, 3), (1, 1, 2, 2), padding), x)
    agrees(lambda x: jax.grad(lambda x: jnp.sum(jnp.sin(pooled(x, padding))))(x), x, gradient=False)


def test_of_vectors():
    agrees(lambda x, y: jnp.convolve(x, y) + jnp.convolve(x, y, mode="same")[0], sample(7), sample(3))


def test_a_window_with_a_function_of_its_own_is_refused():
    import rose

    f = rose.from_jax(lambda x: lax.reduce_window(x, 1.0, lambda a, b: a * b + a, (2,), (1,), "VALID"), sample(4))
    with pytest.raises(rose.TypeMismatch, match="reduce_window: a window with a function of its own"):
        rose.compile(f)
