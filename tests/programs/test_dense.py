"""Dense kernels: what is timed beside C and OpenBLAS has NumPy's answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
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
