"""The types of pytrees."""

import numpy as np
from jax_programs import jax, jnp, sample

from rose.bridges.pytrees import aval_of, children, is_array, node_of, result_of
from rose.ir.types import Real, Unit


def test_what_is_an_argument():
    assert all(map(is_array, [1, 2.0, 3j, np.ones(2), jnp.ones(2), jax.ShapeDtypeStruct((2,), "float32")]))
    assert not any(map(is_array, [True, "text", None, jnp.sin, [1]]))


def test_avals_of_numbers_arrays_and_keys():
    assert aval_of(1.0).shape == () and aval_of(np.ones((2, 3), np.int32)).dtype == np.int32
    assert aval_of(jax.random.key(0)) == ((2,), np.uint32)


def test_types_and_leaves():
    node = node_of({"b": [1.0, sample(2)], "a": 2.0}, "p")
    assert node is not None and repr(node.type) == "{a: Real, b: (Real, Vec[2])}"
    assert list(node.leaves({"a": "x", "b": ("y", "z")})) == ["x", "y", "z"]
    assert node_of({"a": "text"}, "p") is None and result_of((), "f") is Unit and result_of(1.0, "f") is Real


def test_parts_without_arrays_are_left_out():
    node = node_of({"a": jnp.sin, "b": 1.0}, "p")
    assert node is not None and repr(node.type) == "{b: Real}"


def test_the_names_of_children():
    assert list(children({"b": 1, "a": 2})[1]) == ["a", "b"] and list(children((1, 2))[1]) == ["0", "1"]
