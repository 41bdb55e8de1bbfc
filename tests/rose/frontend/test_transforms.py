"""Transforms remember their results: one for a function and options, which is garbage when the function is."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

import rose
from rose import Dual, Real, Vec, fn

TRANSFORMS: list[Any] = [
    rose.grad, rose.value_and_grad, rose.jacobian, rose.jacfwd, rose.jacrev, rose.hessian, rose.hvp, rose.jvp, rose.vjp,
    rose.linearize, rose.jacobianv, rose.jacobianTv, rose.laplacian, rose.gradhessian, rose.value_and_hessian,
    rose.lib.newton, rose.lib.lbfgs, rose.scipy,
]  # fmt: skip
n = rose.dim("n")


def square() -> Any:
    return rose.fn([Real], Real)(lambda x: x * x)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_result_is_made_once(transform: Any):
    f = square()
    assert transform(f) is transform(f)
    assert transform(f) is not transform(square())


@pytest.mark.parametrize("transform", TRANSFORMS[:-1])
def test_a_result_of_any_size_is_made_once(transform: Any):
    f = rose.fn([Vec[n]], Real)(lambda x: rose.sum(x[i] ** 2 for i in rose.range(n)))
    assert transform(f) is transform(f)
    if isinstance(made := transform(f), rose.Fn):
        assert made.at(n=2) is transform(f.at(n=2))


def test_options_that_mean_the_same_give_the_same():
    f = square()
    assert rose.grad(f) is rose.grad(f, 0) is rose.grad(f, argnums=0) is rose.grad(f=f)
    assert rose.grad(f, [0]) is rose.grad(f, (0,)) is not rose.grad(f)
    assert rose.hessian(f, sparse=True) is rose.hessian(f, sparse=True) is not rose.hessian(f)


@pytest.mark.parametrize("argnums", [True, 0.0, "0", [0.0]])
def test_options_that_are_equal_to_others_are_refused_as_before(argnums: Any):
    f = square()
    assert rose.grad(f, 0) and rose.grad(f, [0])
    with pytest.raises(rose.NotDifferentiable):
        rose.grad(f, argnums)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_no_result_keeps_its_function(transform: Any):
    f = square()
    made = transform(f)
    if isinstance(made, rose.Fn):
        made(*[1.0] * len(made.types)) if transform is not rose.jvp else made(Dual(1.0, 1.0))
    kept = weakref.ref(f)
    del f, made
    gc.collect()
    assert kept() is None


def test_a_rule_that_is_given_after_the_transform_is_taken():
    f = square()
    slope, caller = rose.grad(f), rose.grad(rose.fn([Real], Real)(lambda x: f(x)))
    f.jvp(lambda x: Dual(f(x.re), 7.0 * x.du))
    assert slope(1.0) == rose.grad(f)(1.0) == caller(1.0) == 7.0


def test_a_function_that_is_written_again_is_another():
    def written(k: float) -> Any:
        return rose.fn([Real], Real)(lambda x: k * x)

    assert [rose.grad(written(k))(1.0) for k in (1.0, 2.0, 3.0)] == [1.0, 2.0, 3.0]


def test_an_option_that_is_traced_is_not_kept():
    f = square()

    @fn
    def found(x: Real, rate: Real) -> Real:
        return rose.lib.gradient_descent(f, rate=rate)(x).x

    assert abs(found(1.0, 0.25)) < 1e-6
    assert abs(found(1.0, 0.125)) < 1e-6


def test_sizes_of_one_instance_are_not_those_of_another():
    f = rose.fn([Vec[2]], Real)(lambda x: x[0] * x[1])

    @fn
    def g(x: Vec[n]) -> Real:
        return rose.grad(f)([1.0, 2.0])[0] * len(x)

    assert (g([1.0, 2.0, 3.0]), g([1.0])) == (6.0, 2.0)


def test_threads_get_the_same_result():
    f, made = square(), list[Any]()
    threads = [threading.Thread(target=lambda: made.append(rose.grad(f))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(made) == 8
    assert len({*map(id, made)}) == 1


def test_functions_at_a_point_say_what_they_are():
    f = square()
    y, f_lin = rose.linearize(f)(2.0)
    assert repr(rose.vjp(f)) == f"<vjp of {f!r}>"
    assert repr(rose.vjp(f)(2.0)) == f"<Vjp: the value ret={y!r}, and grad(ct), which pulls a cotangent back>"
    assert repr(f_lin) == "<the derivative of <lambda> at a point, a function of tangents>"


def test_a_derivative_has_the_sizes_of_its_function_whoever_asks_for_it_first():
    def compiled(asked_before: bool) -> bytes:
        f = rose.fn([Vec[n]], Real)(lambda x: rose.sum(rose.sin(x[i]) for i in rose.range(n)))
        hessian = rose.hessian(f)
        if asked_before:
            _ = hessian.at(n=5)
        trace = rose.fn([Vec[n]], Real)(lambda x: rose.sum(hessian(x)[i][i] for i in rose.range(n)))
        return rose.compile(trace.at(n=5)).wasm

    assert compiled(True) == compiled(False)
