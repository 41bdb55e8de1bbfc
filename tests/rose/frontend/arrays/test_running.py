"""Running sums and folds, and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate

import rose
from rose import Vec, fn


def test_a_running_sum_and_its_differences_are_each_others_inverse():
    f = fn([Vec[2, 4]], Vec[2, 3])(lambda x: np.diff(np.cumsum(x, axis=1)))
    x = [[1.0, 2.0, 4.0, 8.0], [3.0, 5.0, 7.0, 11.0]]
    assert f(x).tolist() == [row[1:] for row in x]


def test_the_gradient_of_a_running_product_goes_through_zeros():
    f = fn([Vec[3]], rose.Real)(lambda x: rose.cumprod(x)[2])
    assert rose.grad(f)([2.0, 0.0, 3.0]).tolist() == [0.0, 6.0, 0.0]


def test_differences_are_taken_a_whole_number_of_times():
    with pytest.raises(rose.TypeMismatch, match="a number of times, not"):
        _ = fn([Vec[3]], Vec[3])(lambda x: rose.diff(x, n=0.5)).func


ANGLES = np.array([0.0, 3.0, -3.0, 2.5, -0.5, 9.0, 9.0 - np.pi, 9.0])
RUNNING = ["np.ediff1d(x)", "np.ediff1d(x.reshape(2,4),to_end=[1.0,2.0],to_begin=3.0)", "np.cumulative_sum(x)",
           "np.cumulative_sum(x.reshape(2,4),axis=1,include_initial=True)",
           "np.cumulative_prod(x,include_initial=True)",
           "np.unwrap(x)", "np.unwrap(x.reshape(2,4),axis=0)", "np.unwrap(x,discont=4.0)", "np.unwrap(x,period=4.0)",
           "np.diff(x,prepend=0.0)", "np.diff(x.reshape(2,4),append=[[1.0],[2.0]])",
           "np.diff(x,2,prepend=1.0,append=x)",
           "np.cumsum(x[0])"]  # fmt: skip


@pytest.mark.parametrize("text", RUNNING)
def test_running_sums_and_differences_of_numpys_names(text: str):
    of: Any = lambda x: eval(text, {"np": np, "x": x})
    agree(of, of, [ANGLES], rtol=1e-14)
    differentiate(lambda x: of(np.concatenate([x, 2.0 * x])), (4,))
