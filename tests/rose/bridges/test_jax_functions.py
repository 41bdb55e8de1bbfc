"""From a function of JAX and examples to an `@fn`: parameters, structs, precision, what is a constant."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jax_programs import agrees, jax, jnp, same, sample, tree

import rose
from rose.bridges.jax_api import enable_x64

x, w = sample(3), sample(3, 4)


def loss(params: dict[str, Any], x: Any, y: Any) -> Any:
    """Mean squared error."""
    return jnp.mean((jnp.tanh(x @ params["w"] + params["b"]).sum(1) - y) ** 2)


def test_parameters_have_the_names_and_the_docstring_of_the_function():
    f = rose.from_jax(loss, {"w": w, "b": w[0]}, sample(2, 3), sample(2))
    assert list(f.names) == ["params", "x", "y"] and f.__doc__ == "Mean squared error." and f.name == "loss"
    assert repr(f.types[0]) == "{b: Vec[4], w: Vec[3, Vec[4]]}"
    assert list(rose.from_jax(lambda a, b: a + b, x, x, names=["left", "right"]).names) == ["left", "right"]


def test_dicts_are_structs_in_and_out():
    agrees(loss, {"w": w, "b": w[0]}, sample(2, 3), sample(2))
    agrees(lambda p, x: {"a": p["w"] * x, "b": (p["v"], [x, 2 * x])}, {"w": x, "v": 2.0}, x)


class Pair(NamedTuple):
    first: Any
    second: Any


@tree.register_dataclass
@dataclass
class Layer:
    weights: Any
    bias: Any


def test_named_tuples_and_dataclasses_can_be_given_as_they_are():
    f = rose.from_jax(
        lambda p, layer: p.first * layer.bias + (layer.weights @ p.second).sum(), Pair(x, x), Layer(w.T, x)
    )
    same(f(Pair(x, x), Layer(w.T, x)), x * x + (w.T @ x).sum())
    slope = rose.grad(rose.from_jax(lambda p: (p.first * p.second).sum(), Pair(x, 2 * x)))
    same(slope(Pair(x, 2 * x)), {"first": 2 * x, "second": x})
    same(rose.from_jax(lambda x: Pair(x, 2 * x), x)(x), {"first": x, "second": 2 * x})


def test_what_is_no_number_is_a_constant():
    def f(x: Any, activation: Any, how: str, on: bool) -> Any:
        return activation(x) * (2 if how == "twice" and on else 1)

    imported = rose.from_jax(f, x, jnp.tanh, "twice", True)
    assert list(imported.names) == ["x"]
    same(imported(x), 2 * jnp.tanh(x))


def test_examples_without_data():
    struct = jax.ShapeDtypeStruct((3,), jnp.float32)
    f = rose.from_jax(lambda x, k: x[k], struct, jax.ShapeDtypeStruct((), jnp.int32))
    assert f([1.0, 2.0, 3.0], 1) == 2.0


def test_numbers_of_64_bits_though_jax_has_32():
    with enable_x64(False):
        f = rose.from_jax(lambda x: jnp.sin(x) + 0.1, jnp.zeros(3))
    assert np.asarray(f(x)).dtype == np.float64
    same(f(x), np.sin(np.asarray(x)) + 0.1, 1e-15)


def test_single_precision_keeps_jaxs_dtypes():
    def f(x: Any) -> Any:
        assert x.dtype == jnp.float32
        return jnp.sum(x * jnp.finfo(x.dtype).eps)

    imported = rose.from_jax(f, np.ones(3, np.float32), dtype="f32")
    module = rose.compile(imported, dtype="f32")
    assert abs(module(np.ones(3, np.float32)) - 3 * 2.0**-23) < 1e-12


def test_functions_that_are_jitted_already():
    agrees(jax.jit(lambda x: jnp.sin(x) * 2), x)
    agrees(jax.vmap(jax.grad(lambda v: v**3)), x)


def test_whole_numbers_have_no_derivative():
    f = rose.from_jax(lambda x, k: jnp.sum(x * k), x, np.arange(3))
    same(rose.grad(f)(x, np.arange(3)), jnp.arange(3.0))
    same(rose.grad(f, 1)(x, np.arange(3)), jnp.zeros(3))


def test_the_module_needs_neither_jax_nor_rose(tmp_path: Any):
    rose.compile(rose.from_jax(loss, {"w": w, "b": w[0]}, sample(2, 3), sample(2))).save(tmp_path / "package")
    assert (tmp_path / "package" / "loss.wasm").stat().st_size < 4000
