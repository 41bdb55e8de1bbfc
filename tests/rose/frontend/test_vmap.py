"""`rose.vmap`: each program against the loop that it stands for."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, Real, Vec, fn
from rose.host.interpreter import run_plain
from rose.ir import FOR
from rose.ir.callgraph import instructions

n = rose.dim("n")
RNG = np.random.default_rng(0)
X, Y, A = RNG.normal(size=(4, 3)), RNG.normal(size=4), RNG.normal(size=(4, 3, 2))
R = rose.range


@rose.struct
class Spring:
    length: Real
    ends: Vec[2]


@fn
def cubes(x: Vec[3], k: Real) -> Real:
    return k * rose.sum(x * x * x)


@fn
def any_size(x: Vec[n], k: Real) -> Vec[n]:
    return rose.exp(k * x) - rose.sum(x[i] for i in R(n))


@fn
def table(a: Vec[3, 2]) -> Vec[2]:
    return a[0] * a[1] + a[2]


@fn
def stretched(s: Spring, k: Real) -> Spring:
    return Spring(s.length * k, rose.sin(s.ends) * s.length)


@fn
def chosen(x: Vec[3], i: Fin[3], there: rose.Bool) -> Real:
    return rose.select(there, x[i], -1.0)


@fn
def nothing(x: Vec[0]) -> Real:
    return rose.sum(x) + 1.0


STACKED = Spring(Y, X[:, :2])
PROGRAMS: list[tuple[Any, Any, tuple[Any, ...], Callable[..., Any]]] = [
    (cubes, (0, None), (X, 2.0), lambda k: (X[k], 2.0)),
    (cubes, (-1, 0), (X.T, Y), lambda k: (X[k], Y[k])),
    (rose.grad(cubes), 0, (X, Y), lambda k: (X[k], Y[k])),
    (rose.hessian(cubes), 0, (X, Y), lambda k: (X[k], Y[k])),
    (rose.value_and_grad(cubes), (0, None), (X, 2.0), lambda k: (X[k], 2.0)),
    (any_size, (0, None), (X, 0.5), lambda k: (X[k], 0.5)),
    (rose.jacobian(any_size), (None, 0), (X[0], Y), lambda k: (X[0], Y[k])),
    (table, 0, (A,), lambda k: (A[k],)),
    (table, 1, (np.moveaxis(A, 0, 1),), lambda k: (A[k],)),
    (table, -1, (np.moveaxis(A, 0, 2),), lambda k: (A[k],)),
    (stretched, 0, (STACKED, Y), lambda k: (Spring(Y[k], X[k, :2]), Y[k])),
    (stretched, ((None, 0), None), (Spring(2.0, X[:, :2]), 3.0), lambda k: (Spring(2.0, X[k, :2]), 3.0)),
    (chosen, (None, 0, 0), (X[0], [0, 2, 1, 1], [True, False, True, True]), lambda k: (X[0], [0, 2, 1, 1][k], k != 1)),
    (nothing, 0, (np.zeros((4, 0)),), lambda k: (X[k, :0],)),
]


def leaves(x: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(x, Spring):
        return [*leaves(x.length), *leaves(x.ends)]
    return [a for y in x for a in leaves(y)] if isinstance(x, tuple) else [np.asarray(x)]


def same(found: Any, each: list[Any], axis: int = 0) -> None:
    rows = [np.stack(column, axis) for column in zip(*map(leaves, each), strict=True)]
    for a, b in zip(leaves(found), rows, strict=True):
        assert a.shape == b.shape
        assert a.tobytes() == np.ascontiguousarray(b, a.dtype).tobytes()


@pytest.mark.parametrize(("f", "axes", "args", "at"), PROGRAMS)
def test_each_element_has_the_bits_of_a_call_of_its_own(f: Any, axes: Any, args: Any, at: Any):
    each = [f(*at(k)) for k in range(4)]
    same(rose.vmap(f, axes)(*args), each)
    with rose.eager():
        same(rose.vmap(f, axes)(*args), each)


@pytest.mark.parametrize(("f", "axes", "args", "at"), PROGRAMS)
def test_one_module_serves_any_number_of_elements(f: Any, axes: Any, args: Any, at: Any):
    same(rose.compile(rose.vmap(f, axes), dynamic=True)(*args), [f(*at(k)) for k in range(4)])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_the_new_axis_of_the_result_is_where_it_is_asked_for(axis: int):
    f = rose.vmap(rose.hessian(cubes), 0, axis)
    same(f(X, Y), [rose.hessian(cubes)(X[k], Y[k]) for k in range(4)], axis)


@fn
def by_maps(x: Vec[4, 3], w: Vec[3], k: Real) -> Real:
    return rose.sum(rose.vmap(lambda row, w: rose.sin(rose.dot(row, w)) * k, (0, None))(x, w))


@fn
def by_loop(x: Vec[4, 3], w: Vec[3], k: Real) -> Real:
    return rose.sum(rose.sin(rose.dot(x[i], w)) * k for i in R(4))


@fn
def by_call(x: Vec[4, 3], w: Vec[3], k: Real) -> Real:
    inner = fn([Vec[3], Vec[3]], Real)(lambda row, w: rose.sin(rose.dot(row, w)) * k)  # it captures k
    return rose.sum(rose.vmap(inner, (0, None))(x, w))


@pytest.mark.parametrize("f", [by_maps, by_call])
def test_it_is_the_loop_in_value_and_derivatives(f: Any):
    x = (X, X[0], 2.0)
    assert f(*x) == by_loop(*x) == run_plain(f.func, [X.tolist(), X[0].tolist(), 2.0])
    for ours, theirs in zip(rose.grad(f, (0, 1, 2))(*x), rose.grad(by_loop, (0, 1, 2))(*x), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-14)
    assert np.allclose(rose.hessian(f, 1)(*x), rose.hessian(by_loop, 1)(*x), rtol=1e-13)


def test_a_map_in_a_function_is_the_module_of_the_loop():
    sizes = [len(rose.compile(rose.value_and_grad(f)).wasm) for f in (by_maps, by_loop)]
    assert sizes[0] == sizes[1]


def test_it_is_never_unrolled():
    f = rose.vmap(cubes, (0, None)).at(n=100_000)
    assert [v.op for v in instructions(f.func.body)].count(FOR) == 1
    assert len(list(instructions(f.func.body))) < 20


def test_derivatives_are_taken_of_it_again():
    f = fn([Vec[4, 3], Real], Real)(lambda x, k: rose.sum(rose.vmap(cubes, (0, None))(x, k)))
    assert np.allclose(rose.grad(f)(X, 2.0), 6 * X**2, rtol=1e-14)
    twice = rose.grad(fn([Vec[4, 3], Real], Real)(lambda x, k: rose.sum(rose.grad(f)(x, k))))
    assert np.allclose(twice(X, 2.0), 12 * X, rtol=1e-14)
    assert rose.grad(f, 1)(X, 2.0) == pytest.approx((X**3).sum())  # of the shared argument all are added up


def test_maps_nest():
    every = rose.vmap(rose.vmap(cubes, (None, 0)), (0, None))(X, Y)
    assert np.array_equal(every, [[cubes(x, k) for k in Y] for x in X])


def test_a_vector_of_structs_is_mapped_too():
    f = fn([Vec[4, Spring]], Real)(lambda v: rose.sum(rose.vmap(stretched, (0, None))(v, 2.0).length))
    assert f([Spring(y, [0, 0]) for y in Y]) == pytest.approx(2 * Y.sum())


def test_single_precision_and_simd_have_it():
    f = rose.vmap(cubes, (0, None))
    assert np.array_equal(rose.compile(f, n=4, simd=True)(X, 2.0), f(X, 2.0))
    assert np.allclose(rose.compile(f, n=4, dtype="f32")(X.astype(np.float32), 2.0), f(X, 2.0), rtol=1e-5)


def test_it_is_made_once_and_goes_with_its_function():
    assert rose.vmap(cubes, (0, None)) is rose.vmap(cubes, in_axes=[0, None]) is not rose.vmap(cubes)
    assert copy.deepcopy(rose.vmap(cubes)) is pickle.loads(pickle.dumps(rose.vmap(cubes))) is rose.vmap(cubes)
    assert repr(rose.vmap(cubes, (0, None))) == "<fn vmap(cubes)(x: Vec[n, Vec[3]], k: Real) -> Vec[n]>"
    assert rose.vmap(any_size, (0, None)).types[0] == Vec[rose.dim("n_"), n]


def test_no_elements_have_results_of_no_elements():
    assert rose.vmap(cubes, (0, None))(np.zeros((0, 3)), 1.0).shape == (0,)
    assert rose.vmap(rose.grad(cubes), (0, None), 1)(np.zeros((0, 3)), 1.0).shape == (3, 0)
