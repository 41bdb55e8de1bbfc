"""Dense kernels: what is timed beside C and OpenBLAS has NumPy's answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from benchmarks.dense import products
from benchmarks.dense.__main__ import Kernel, in_c, kernels

SMALL = [kernel for kernel in kernels() if kernel.n <= 64]


@pytest.mark.parametrize("simd", [False, True])
@pytest.mark.parametrize("kernel", SMALL, ids=lambda kernel: kernel.name)
def test_ours_have_numpys_answers(kernel: Kernel, simd: Any):
    got = rose.compile(kernel.ours, simd=simd)(*kernel.args)
    np.testing.assert_allclose(got, kernel.numpys(*kernel.args), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", SMALL, ids=lambda kernel: kernel.name)
def test_c_has_numpys_answers(kernel: Kernel):
    try:
        call, read = in_c(kernel, simd=True)
    except OSError:
        pytest.skip("there is no clang with wasi-libc")
    call()
    np.testing.assert_allclose(read(), kernel.numpys(*kernel.args), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", products.PROGRAMS)
def test_products_have_numpys_values_and_gradients_along_a_line(name: str):
    f, args = products.program(name, 64)
    numpys, h = products.PROGRAMS[name][1], 1e-5
    value, gradients = rose.compile(rose.value_and_grad(f, tuple(range(len(args)))))(*args)
    np.testing.assert_allclose(value, numpys(*args), rtol=1e-9)
    ahead, behind = [numpys(*[x * (1.0 + s * h) for x in args]) for s in (1, -1)]
    along = sum([np.sum(g * x) for g, x in zip(gradients, args, strict=True)])
    np.testing.assert_allclose(along, (ahead - behind) / (2 * h), rtol=1e-6)


def test_a_multiple_is_without_what_fills_the_answer():
    assert products.Row(2.0, 9.0, 1.0, 4.0).multiple == 3.0
