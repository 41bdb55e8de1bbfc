"""Whole numbers: they wrap, and have bits."""

import numpy as np
import pytest
from jax_programs import agrees, jnp, lax

import rose
from rose.ir.text.printer import show

a = np.array([7, -7, 2**31 - 1, -(2**31)], np.int32)
b = np.array([2, 3, -4, 5], np.int32)

FUNCTIONS = {
    "arithmetic": lambda a, b: (a + b, a - b, a * b, -a, abs(b)),
    "division": lambda a, b: (a // b, a % b, lax.div(a, b), lax.rem(a, b)),
    "bits": lambda a, b: (a & b, a | b, a ^ b, ~a),
    "shifts": lambda a, b: (a << 2, a >> 1, lax.shift_right_logical(a, a.dtype.type(3))),
    "counts": lambda a, b: (lax.population_count(a), lax.clz(b)),
    "extremes": lambda a, b: (jnp.maximum(a, b), jnp.minimum(a, b), jnp.clip(a, -3, 3)),
    "powers": lambda a, b: (b**3, b * b),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int16", "int8"])
def test_whole_numbers_wrap_as_jaxs(name: str, dtype: str):
    if name == "division" and dtype == "uint32":
        b_ = jnp.asarray([2, 3, 4, 5], dtype)
    else:
        b_ = jnp.asarray(b).astype(dtype)
    agrees(FUNCTIONS[name], jnp.asarray(a).astype(dtype), b_, gradient=False)


def test_a_product_of_two_words_has_the_right_lower_word():
    """Of 62 bits, of which a Real holds 53."""
    words = np.array([2**31 + 12345, 4294967291, 65537], np.uint32)
    agrees(lambda a: a * a[::-1], words, gradient=False)


def test_what_cannot_wrap_is_not_wrapped():
    """An index of a loop, a place: their ranges are known, and no operation checks them."""
    shown = show(rose.from_jax(lambda x: x[jnp.argmax(x) - 1 + 1], jnp.zeros(5)).func)
    assert "floor" not in shown


def test_the_bits_of_a_number_are_refused_by_name_and_line():
    message = "bitcast_convert_type: the bits of a number that is computed are not seen"
    with pytest.raises(rose.TypeMismatch, match=message):
        rose.compile(rose.from_jax(lambda x: lax.bitcast_convert_type(x, jnp.int64), jnp.zeros(3)))


wide = np.array([5, -7, 2**40 + 3, -(2**45) - 1, -1, 0])
others = np.array([3, 12, -(2**41) + 5, -1, 2**52 - 1, -(2**52)])

WIDE = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "the last bits": lambda a, b: (a & 1, a & 7, b & (2**40 - 1)),
    "known numbers": lambda a, b: (a & 12345678901, 6 | b, a ^ -2),
    "counts": lambda a, b: (lax.population_count(a), lax.clz(b)),
}


@pytest.mark.parametrize("name", WIDE)
def test_numbers_of_64_bits_have_those_that_a_real_holds(name: str):
    agrees(WIDE[name], wide, others, gradient=False)


def test_a_known_number_beyond_is_rounded_but_has_no_bits():
    """As the most that a counter can be, which optax compares with."""
    most = jnp.iinfo(jnp.int64).max
    agrees(lambda n: jnp.where(n < most, n + 1, n), 3, gradient=False)
    with pytest.raises(rose.TypeMismatch, match="xor: the bits of numbers of 64 bits are not all there"):
        rose.from_jax(lambda n: n ^ most, 3)(3)
