"""A function of ours in PyTorch, where that is installed."""

from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")


@fn
def ours(w: Vec[3], b: Real, x: Vec[3]) -> Real:
    return np.sum(np.sin(w * x) ** 2) + b * b


def theirs(w: Any, b: Any, x: Any) -> Any:
    return torch.sum(torch.sin(w * x) ** 2) + b * b


def number(*values: float) -> Any:
    return torch.tensor(values if len(values) > 1 else values[0], dtype=torch.float64, requires_grad=True)


w, b, x = number(1.0, 2.0, 3.0), number(0.5), number(0.1, 0.2, 0.3)
f = rose.to_torch(ours)


def test_derivatives_of_first_and_second_order():
    assert torch.autograd.gradcheck(f, (w, b, x)) and torch.autograd.gradgradcheck(f, (w, b, x))


@pytest.mark.parametrize("of", ["jacrev", "jacfwd", "hessian"])
def test_transforms(of: str):
    transform = getattr(torch.func, of)
    found, wanted = [transform(lambda x, g=g: g(w, b, x))(x) for g in (f, theirs)]
    assert torch.allclose(found, wanted, rtol=1e-12)


def test_the_compiler_leaves_it_alone():
    compiled = torch.compile(lambda x: 2 * f(w, b, x), backend="eager")
    assert torch.allclose(compiled(x), 2 * theirs(w, b, x))


def test_single_precision():
    assert f(w.float(), b.float(), x.float()).dtype == torch.float32
