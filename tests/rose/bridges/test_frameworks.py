"""The public functions: what they say where a framework is missing, or what they are given is wrong."""

from typing import Any

import pytest
from jax_programs import jnp, sample

import rose

x = sample(3)


@pytest.mark.parametrize(
    ("name", "library", "install"),
    [("from_jax", "JAX", "jax"), ("to_jax", "JAX", "jax"), ("to_torch", "PyTorch", "torch")],
)
def test_a_framework_that_is_not_installed(monkeypatch: Any, name: str, library: str, install: str):
    monkeypatch.setattr("rose.bridges.frameworks.find_spec", lambda _: None)
    with pytest.raises(rose.RoseError, match=f"{name} needs {library}, which is not installed") as e:
        getattr(rose, name)(lambda x: x)
    assert f"pip install {install}" in str(e.value)


def test_what_is_no_function():
    with pytest.raises(rose.TypeMismatch, match="takes a function, not 3"):
        rose.from_jax(3, x)  # pyright: ignore[reportArgumentType]


def test_a_dtype_that_there_is_not():
    with pytest.raises(rose.TypeMismatch, match='dtype is "f32" or left out, not'):
        rose.from_jax(jnp.sin, x, dtype="f16")


def test_names_that_are_not_one_for_each_example():
    with pytest.raises(rose.TypeMismatch, match="2 names for 1 examples"):
        rose.from_jax(jnp.sin, x, names=["a", "b"])


def test_a_traced_value_is_no_example():
    f = rose.fn([rose.Vec[3]], rose.Real)(lambda x: rose.from_jax(jnp.sum, x)(x))
    with pytest.raises(rose.TypeMismatch, match="an example is an array or a number, not a traced value"):
        rose.compile(f)


def test_a_primitive_without_a_meaning_is_refused_at_the_line_that_made_it():
    import jax

    def f(x: Any) -> Any:
        y = jnp.sin(x)
        return jax.pure_callback(lambda y: y, y, y)  # here

    with pytest.raises(rose.TypeMismatch) as e:
        rose.compile(rose.from_jax(f, x))
    message = str(e.value)
    assert message.startswith("rose.from_jax: pure_callback: there is no Python where the module runs")
    assert "return jax.pure_callback(lambda y: y, y, y)  # here" in message
    assert "hint: leave the callback out" in message
