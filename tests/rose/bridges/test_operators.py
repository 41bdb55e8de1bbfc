"""Functions as operators of flat lists of arrays."""

from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Complex, Fin, Real, Vec, fn
from rose.bridges.operators import structure_of


@fn
def f(p: {"w": Vec[3], "b": Real}, k: Fin[3]) -> tuple[Real, Bool, Vec[3]]:  # noqa: F821
    return np.sum(p["w"] ** 2) * p["b"] + p["w"][k], p["b"] > 0.0, p["w"] * p["b"]


def test_arrays_of_structs_in_order_and_back():
    s = structure_of(f, "to_jax")
    arrays = s.arrays([{"w": np.arange(3.0), "b": 2.0}, 1])
    assert [np.shape(a) for a in arrays] == [(3,), (), ()]
    total, positive, scaled = s.result(s.operator.run(*arrays))
    assert total == 11.0 and positive.dtype == bool and scaled.tolist() == [0.0, 2.0, 4.0]


def test_derivatives_are_operators_too():
    op = structure_of(f, "to_jax").operator
    assert op.moving == [0, 1]
    w = np.arange(3.0)
    dy = op.tangents.run(w, 2.0, 1, np.ones(3), 0.0)
    assert float(dy[0]) == 13.0 and dy[1].tolist() == [2.0, 2.0, 2.0]
    dw, db = op.cotangents.run(w, 2.0, 1, 1.0, np.zeros(3))
    assert dw.tolist() == [0.0, 5.0, 8.0] and float(db) == 5.0


def test_batches():
    op = structure_of(f, "to_jax").operator
    outs = op.vmapped([True, False, False], 2).run(np.arange(6.0).reshape(2, 3), 2.0, 1)
    assert [y.shape for y in outs] == [(2,), (2,), (2, 3)] and outs[0].tolist() == [11.0, 104.0]


@pytest.mark.parametrize("t", [Vec[2, Complex], Vec[2, tuple[Real, Real]]])
def test_what_is_no_array(t: Any):
    g = fn([t], Real)(lambda _: 1.0)
    with pytest.raises(rose.TypeMismatch, match="which is no array of an operator"):
        structure_of(g, "to_jax")
