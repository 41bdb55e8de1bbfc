"""Divergence and curl against the Jacobian."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from tests.programs.test_inventory import both

X = [0.3, -0.7, 1.1]


@fn
def field(x: Vec[3], k: Real) -> Vec[3]:
    return [rose.sin(x[1]) * k, x[0] * x[2] ** 2, rose.exp(x[0] * x[1]) * x[2]]


def test_divergence_and_curl_are_parts_of_the_jacobian():
    d = np.array(rose.jacobian(field)(X, 2.0))
    assert both(rose.divergence(field), X, 2.0) == pytest.approx(np.trace(d), rel=1e-14)
    curl = [d[2][1] - d[1][2], d[0][2] - d[2][0], d[1][0] - d[0][1]]
    assert list(both(rose.curl(field), X, 2.0)) == pytest.approx(curl, rel=1e-14)


def test_in_the_plane_the_curl_is_a_number():
    f = rose.fn([Vec[2]], Vec[2])(lambda x: [-(x[1] ** 2), x[0] * x[1]])
    assert rose.curl(f)([2.0, 3.0]) == 9.0 and rose.divergence(f)([2.0, 3.0]) == 2.0


def test_a_gradient_has_no_curl_and_a_curl_no_divergence():
    potential = rose.fn([Vec[3]], Real)(lambda x: rose.sin(x[0] * x[1]) + x[2] ** 3 * x[0])
    assert list(rose.curl(rose.grad(potential))(X)) == pytest.approx([0.0] * 3, abs=1e-15)
    assert rose.divergence(rose.grad(potential))(X) == pytest.approx(rose.laplacian(potential)(X), rel=1e-14)
    whirl = rose.curl(rose.fn([Vec[3]], Vec[3])(lambda x: field(x, 1.5)))
    assert rose.divergence(whirl)(X) == pytest.approx(0.0, abs=1e-15)


def test_one_module_of_any_size():
    n = rose.dim("n")
    f = rose.fn([Vec[n]], Vec[n])(lambda x: x**3)
    module = rose.compile({"d": rose.divergence(f)}, dynamic=True)
    assert module.d([1.0, 2.0]) == 15.0 and module.d([]) == 0.0
