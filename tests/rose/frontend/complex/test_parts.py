"""A complex number as its parts: what a user writes after its dot, and what becomes one."""

from __future__ import annotations

import numpy as np
import pytest

from rose import Complex, Real, TypeMismatch, Vec, fn, struct


def test_a_number_has_its_parts_and_its_conjugate():
    parts = fn([Complex], Vec[2])(lambda z: [z.real, z.imag])
    assert parts(3.0 - 4.0j).tolist() == [3.0, -4.0]
    assert fn([Complex], Complex)(lambda z: z.conj() + z.conjugate())(1.0 + 2.0j) == 2.0 - 4.0j


def test_a_real_has_parts_too():
    assert fn([Real], Vec[2])(lambda x: [x.real, x.imag])(2.0).tolist() == [2.0, 0.0]
    assert fn([Vec[2]], Vec[2])(lambda x: np.real(x) + np.imag(x) + np.conj(x))([1.0, 2.0]).tolist() == [2.0, 4.0]


def test_an_array_has_the_arrays_of_its_parts():
    z = np.array([1.0 + 2.0j, -3.0j])
    both = fn([Vec[2, Complex]], Vec[2, Vec[2]])(lambda z: [z.real, z.imag])(z)
    assert both.tolist() == [z.real.tolist(), z.imag.tolist()]


def test_a_real_or_an_index_becomes_a_complex_number_where_one_is_asked_for():
    assert fn([Real], Complex)(lambda x: x)(2.0) == 2.0 + 0.0j
    assert fn([Real], Vec[2, Complex])(lambda x: [x, 1j])(2.0).tolist() == [2.0 + 0.0j, 1j]


def test_a_complex_number_is_no_real():
    with pytest.raises(TypeMismatch, match="must be a Real, got a traced Complex") as e:
        _ = fn([Complex], Real)(lambda z: z).func
    assert e.value.hint == "take its .real, its .imag or its abs"


def test_a_field_comes_before_a_part():
    @struct
    class Pair:
        real: Real
        imag: Real

    column = fn([Vec[2, Pair]], Vec[2])(lambda ps: ps.real + ps.imag)
    assert column([Pair(1.0, 2.0), Pair(3.0, 4.0)]).tolist() == [3.0, 7.0]
