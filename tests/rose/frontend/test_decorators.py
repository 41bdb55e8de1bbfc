"""`@fn` and `@opaque`: the ways to write them."""

from __future__ import annotations

import pytest

import rose
from rose import Fn, Real, TypeMismatch, Vec, fn, opaque
from rose.frontend.any_size import AnySize


def test_annotations_and_types_make_the_same_function():
    @fn
    def f(x: Real, v: Vec[2]) -> Vec[2]:
        return [x * v[0], v[1]]

    g = rose.fn([Real, Vec[2]], Vec[2])(lambda x, v: [x * v[0], v[1]])
    assert (f.types, f.result, f.names) == (g.types, g.result, g.names)
    assert f(2.0, [3.0, 4.0]).tolist() == g(2.0, [3.0, 4.0]).tolist() == [6.0, 4.0]


def test_an_fn_stays_as_it_is():
    f = fn([Real], Real)(lambda x: x)
    assert fn(f) is f
    with pytest.raises(TypeMismatch, match="made without syntax=True"):
        fn(f, syntax=True)  # pyright: ignore


def test_a_dim_makes_a_function_of_any_size():
    n = rose.dim("n")
    assert isinstance(fn([Vec[n]], Real)(lambda v: rose.sum(v)), AnySize)


def test_syntax_takes_a_plain_if():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            x = 2.0 * x
        return x

    assert (f(3.0), f(-3.0)) == (6.0, -3.0)


def test_an_opaque_function_runs_its_python():
    @opaque(name="Math.log", pure=True)
    def ln(x: Real) -> Real:
        return x + 1.0

    assert isinstance(ln, Fn)
    assert (ln.name, ln.func.pure) == ("Math.log", True)
    assert fn([Real], Real)(lambda x: 2.0 * ln(x))(1.0) == 4.0
