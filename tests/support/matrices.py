"""Laws of functions of matrices: values against SciPy's, and derivatives of every mode against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rose
from rose import Real, Vec, fn


def random(seed: int, *shape: int) -> Any:
    """A matrix of moderate condition: random numbers, and 2 on its diagonal."""
    a = np.random.default_rng(seed).normal(size=shape)
    for k in range(min(shape[-2:])):
        a[..., k, k] += 2.0
    return a


def symmetric(seed: int, n: int) -> Any:
    a = random(seed, n, n)
    return a + a.T


def positive(seed: int, n: int) -> Any:
    a = random(seed, n, n)
    return a @ a.T + np.eye(n)


def matrix(*shape: int) -> Any:
    return Vec[shape]


def differences(f: Callable[[Any], Any], x: Any, step: float = 1e-5) -> Any:
    """The derivative of `f` by each number of `x`, of the order of the error `step ** 2`: one row for each."""
    rows: list[Any] = []
    for k in range(x.size):
        d = np.zeros(x.size)
        d[k] = step
        d = d.reshape(x.shape)
        rows.append((np.ravel(f(x + d)) - np.ravel(f(x - d))) / (2.0 * step))
    return np.array(rows)


def close(got: Any, wanted: Any, rel: float = 1e-6) -> None:
    wanted = np.asarray(wanted)
    error, size = np.abs(np.reshape(got, wanted.shape) - wanted), np.abs(wanted).max(initial=1.0)
    assert error.max(initial=0.0) <= rel * size


def derivatives_hold(body: Callable[[Any], Any], x: Any, orders: int = 2) -> None:
    """The gradient is that of differences, in both modes, compiled; so are the second derivatives."""
    f = fn([matrix(*x.shape)], Real)(body)
    gradient = rose.grad(f)
    close(gradient(x), differences(f, x))
    close(rose.jacfwd(f)(x), gradient(x), 1e-11)
    assert np.array_equal(rose.compile(gradient)(x), gradient(x))
    if orders == 2:
        second = np.reshape(rose.jacfwd(gradient)(x), (x.size, x.size))
        close(second, differences(gradient, x))
        close(second, second.T, 1e-9)
        close(rose.jacrev(gradient)(x), second, 1e-9)


def bits_hold(body: Callable[[Any], Any], x: Any) -> None:
    """Check that a function of numbers, its gradient and its Hessian have the interpreter's bits in both modules."""
    f = rose.fn([rose.Vec[len(x)]], rose.Real)(body)
    both = {"f": f, "slope": rose.grad(f), "hessian": rose.hessian(f)}
    module, wide = rose.compile(both), rose.compile(both, simd=True)
    with rose.eager():
        wanted = [np.asarray(g(x)) for g in both.values()]
    for got in (module, wide):
        assert [np.asarray(getattr(got, k)(x)).tobytes() for k in both] == [y.tobytes() for y in wanted]
