"""Hessenberg's form: of real matrices SciPy's, and a product with unitary matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import close, matrix, random

import rose
from rose import Complex, NotDifferentiable, Real, Vec, fn, linalg

MATRICES: dict[str, Any] = {
    **{f"random, {n} rows": random(n, n, n) for n in (0, 1, 2, 3, 6, 20)},
    "zero": np.zeros((4, 4)),
    "a form already": np.triu(random(1, 5, 5), -1),
    "large numbers": 1e200 * random(1, 4, 4),
    "complex": random(1, 5, 5) + 1j * random(2, 5, 5),
}


@pytest.mark.parametrize("name", MATRICES)
def test_it_is_a_product_and_of_real_numbers_that_of_scipy(name: str):
    a = MATRICES[name]
    leaf, n, size = Complex if np.iscomplexobj(a) else Real, len(a), np.abs(a).max(initial=1e-300)
    both = tuple[Vec[n, n, leaf], Vec[n, n, leaf]]
    h, q = fn([Vec[n, n, leaf]], both)(lambda a: tuple(linalg.hessenberg(a, calc_q=True)))(a)
    assert not np.tril(h, -2).any()
    close(q @ (h / size) @ q.conj().T, a / size, 1e-14 * (3 + n))
    close(q @ q.conj().T, np.eye(n), 1e-14 * (3 + n))
    if leaf is Real and n > 1:
        close(h / size, scipy.linalg.hessenberg(a) / size, 1e-13 * (3 + n))


def test_the_form_alone_and_no_derivative():
    f = fn([matrix(4, 4)], matrix(4, 4))(lambda a: linalg.hessenberg(a))
    close(f(MATRICES["random, 6 rows"][:4, :4]), scipy.linalg.hessenberg(MATRICES["random, 6 rows"][:4, :4]), 1e-13)
    with pytest.raises(NotDifferentiable, match=r"rose.linalg.hessenberg has no derivative: its signs jump"):
        rose.jacfwd(f)(np.eye(4))
