"""The types of pytrees."""

import numpy as np
import pytest
from jax_programs import jax, jnp, sample

import rose
from rose.bridges.pytrees import children, is_array, leaf_aval, node_of, result_of
from rose.ir.types import Real, Unit


def test_what_is_an_argument():
    assert all(map(is_array, [1, 2.0, 3j, np.ones(2), jnp.ones(2), jax.ShapeDtypeStruct((2,), "float32")]))
    assert not any(map(is_array, [True, "text", None, jnp.sin, [1]]))


def test_avals_of_numbers_arrays_and_keys():
    assert leaf_aval(1.0).shape == () and leaf_aval(np.ones((2, 3), np.int32)).dtype == np.int32
    assert leaf_aval(jax.random.key(0)) == ((2,), np.uint32)


def test_types_and_leaves():
    node = node_of({"b": [1.0, sample(2)], "a": 2.0})
    assert node is not None and repr(node.type) == "{a: Real, b: (Real, Vec[2])}"
    assert list(node.leaves({"a": "x", "b": ("y", "z")})) == ["x", "y", "z"]
    assert node_of({"a": "text"}) is None and result_of(()) is Unit and result_of(1.0) is Real


def test_parts_without_arrays_are_left_out():
    node = node_of({"a": jnp.sin, "b": 1.0})
    assert node is not None and repr(node.type) == "{b: Real}"


def test_the_names_of_children():
    assert list(children({"b": 1, "a": 2})[1]) == ["a", "b"] and list(children((1, 2))[1]) == ["0", "1"]


def test_a_tuple_with_functions_in_it_is_given_as_it_is():
    layers = (2.0, jnp.sin, [sample(2), "text"])
    f = rose.from_jax(lambda p: p[1](p[0]) * jnp.sum(p[2][0]), layers)
    assert f(layers) == pytest.approx(float(jnp.sin(2.0) * jnp.sum(sample(2))))
    number, none, (array, _) = rose.grad(f)(layers)
    assert (
        none is None
        and array == pytest.approx(np.sin(2.0))
        and number == pytest.approx(np.cos(2.0) * f(layers) / np.sin(2.0))
    )


def test_what_a_class_flattens_to_need_not_be_its_attributes():
    class Box:
        def __init__(self, inside):
            self.inside = inside

    jax.tree_util.register_pytree_with_keys(
        Box, lambda b: ([(jax.tree_util.DictKey("of"), b.inside)], None), lambda _, xs: Box(xs[0])
    )
    assert rose.from_jax(lambda b: b.inside**2, Box(1.0))(Box(3.0)) == 9.0
