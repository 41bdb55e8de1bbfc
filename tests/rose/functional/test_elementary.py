"""Functions of values applied to functions: operators, the operations, NumPy's names."""

import math
import operator as op
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, Real, TypeMismatch, Vec, fn
from rose import functional as F
from rose.ir.types import tuple_of

from .functions import cos, cube, exp, product, sin, square, waves


@pytest.mark.parametrize("f", [op.add, op.sub, op.mul, op.truediv, op.pow])
@pytest.mark.parametrize("of", [(exp, square), (exp, 2), (2.5, exp)], ids=["functions", "a number right", "left"])
def test_an_operator_is_pointwise(f: Callable[..., Any], of: tuple[Any, Any]):
    at = [g(0.7) if callable(g) else g for g in of]
    assert f(*of)(0.7) == pytest.approx(f(*at), rel=1e-15)


AUTOFD: dict[str, tuple[Callable[[], Any], float]] = {  # numbers of closed forms at 0.7, for the rows of its paper
    "+": (lambda: sin + cos, 1.4090598745221796), "-": (lambda: sin - cos, -0.12062450004679748),
    "*": (lambda: sin * exp, 1.2972951118752687), "/": (lambda: sin / exp, 0.3199090359247281),
    "**": (lambda: sin**3, 0.2673609237660498), "2 *": (lambda: 2 * sin, 1.288435374475382),
    "1 -": (lambda: 1 - sin, 0.355782312762309), "2 /": (lambda: 2 / exp, 0.9931706075828192),
    "2 **": (lambda: 2**sin, 1.5628915661605574), "neg": (lambda: -sin, -0.644217687237691),
    "tanh": (lambda: rose.tanh(square), 0.4542164326822591), "erf": (lambda: rose.erf(square), 0.511668261188523),
    "sigmoid": (lambda: rose.sigmoid(square), 0.6201064323430902), "atan": (lambda: rose.atan(sin), 0.5722995797790047),
    "relu": (lambda: rose.relu(-sin), 0.0),
    "shared": (lambda: waves(sin, cube, share_inputs=True), 0.07065682566086641),
}  # fmt: skip


@pytest.mark.parametrize("name", AUTOFD)
def test_an_operator_has_the_number_of_autofds_paper(name: str):
    of, want = AUTOFD[name]
    assert of()(0.7) == pytest.approx(want, rel=1e-14)


def test_a_parameter_inside_of_a_function_is_differentiated():
    @fn
    def inside(a: Real, b: Real) -> Real:
        return F.nabla(fn([Real], Real)(lambda t: rose.sin(a + t)))(b)

    assert inside(1.0, 2.0) == pytest.approx(-0.9899924966004454, rel=1e-14)
    assert rose.grad(inside)(1.0, 2.0) == pytest.approx(-0.1411200080598672, rel=1e-14)


def test_a_number_keeps_its_sign_and_its_kind():
    assert (exp / 0.0)(0.7) == math.inf
    assert (exp / -0.0)(0.7) == -math.inf
    assert ["1.0 +" in F.show(1.0 + exp), "1 +" in F.show(1 + exp)] == [True, True]


@fn
def places(x: Real) -> Vec[3]:
    return [x, x * x, 2.0]


ARRAYS: dict[str, tuple[Any, Any]] = {
    "norm": (lambda: np.linalg.norm(places), np.linalg.norm([0.5, 0.25, 2.0])),
    "sum": (lambda: np.sum(places, axis=0), 2.75),
    "dot": (lambda: np.dot(places, places), 4.3125),
    "reshape": (lambda: np.reshape(places, (3, 1)), [[0.5], [0.25], [2.0]]),
    "stack": (lambda: np.stack([sin, sin]), [math.sin(0.5)] * 2),
    "ours, of a list": (lambda: rose.stack([sin, 1.0]), [math.sin(0.5), 1.0]),
    "ours, with an option": (lambda: rose.sum(places, axis=0), 2.75),
    "maximum": (lambda: np.maximum(places, 1.0), [1.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_numpys_functions_of_arrays_apply_to_what_functions_give(name: str):
    of, want = ARRAYS[name]
    np.testing.assert_allclose(of()(0.5), want, rtol=1e-15)
    np.testing.assert_allclose(rose.compile(of())(0.5), want, rtol=1e-15)


NAMES = ["exp", "log", "sin", "tanh", "sqrt", "sigmoid", "erf", "cosh", "expm1", "atan"]


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_pointwise(name: str):
    f = getattr(rose, name)
    assert f(exp)(0.7) == f(exp(0.7))
    assert F.nabla(f(exp))(0.7) == pytest.approx(rose.grad(rose.fn([Real], Real)(f))(exp(0.7)) * exp(0.7), rel=1e-14)


def test_numpys_functions_are_pointwise():
    assert np.arctan2(sin, cos)(0.7) == pytest.approx(0.7)
    assert np.exp(-sin)(0.7) == rose.exp(-sin)(0.7) and abs(-sin)(0.7) == sin(0.7)


@fn
def helix(t: Real) -> Vec[3]:
    return [rose.sin(t), rose.cos(t), t]


def test_a_function_of_vectors_is_pointwise():
    assert F.pointwise(rose.dot, helix, helix)(0.5) == pytest.approx(1.25)
    assert rose.norm(F.nabla(helix))(0.5) == pytest.approx(2.0**0.5)
    assert (2.0 * helix + helix)(0.5) == pytest.approx([3.0 * x for x in helix(0.5)])


def test_a_choice_is_composed():
    larger = rose.where(sin > cos, sin, cos)
    assert [larger(x) for x in (0.1, 1.0)] == [cos(0.1), sin(1.0)]


def test_a_number_in_a_power_stays_a_number():
    """A square is a product, not a power: the module has no logarithm."""
    assert len(rose.compile(square**2).wasm) < 200


def test_functions_of_different_arguments_are_refused():
    with pytest.raises(TypeMismatch, match=r"sin, a Map\[Real, Real\], and product, a Map\[Real, Real, Real\], are"):
        _ = sin + product


def test_a_reduction_of_functions_is_pointwise():
    assert rose.max(sin, cos, 0.5)(1.0) == sin(1.0) and rose.max(sin, 0.9)(1.0) == 0.9
    assert rose.sum(helix)(0.5) == pytest.approx(sum(helix(0.5)))


@rose.struct
class Place:
    at: Vec[2]
    x: Real
    near: Fin[3]


@rose.struct
class Product:
    x: Real

    def __add__(self, other: Any) -> Any:
        return Product(self.x * other.x)

    def __radd__(self, other: Any) -> Any:
        return Product(self.x * other)


pair = F.zip_functions(sin, fn([Real], Vec[2])(lambda x: [x, x * x]))
place = fn([Real], Place)(lambda x: Place([rose.sin(x), x], x * x, 1))
TREES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "+": (lambda f: f + f, lambda x: x + x), "-": (lambda f: f - f, lambda x: 0.0 * x),
    "*": (lambda f: f * f, lambda x: x * x), "/": (lambda f: f / (f + 1.0), lambda x: x / (x + 1.0)),
    "**": (lambda f: f**3, lambda x: x**3), "neg": (lambda f: -f, lambda x: -x),
    "number": (lambda f: 2.0 - f, lambda x: 2.0 - x),
    "sin": (lambda f: rose.sin(f), np.sin), "numpy": (lambda f: np.exp(f), np.exp), "abs": (lambda f: abs(-f), abs),
    "function": (lambda f: f * cos, lambda x: x * math.cos(0.7)),
}  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_operators_map_over_tuples_and_structs(name: str):
    of, want = TREES[name]
    numbers = lambda y: [y.x, *y.at] if isinstance(y, Place) else [y[0], *y[1]]
    for f in (pair, place):
        got = [numbers(g(0.7)) for g in (of(f), rose.compile(of(f)))]
        assert got[0] == got[1] == pytest.approx([want(y) for y in numbers(f(0.7))], rel=1e-15)
    assert of(place)(0.7).near == 1  # what is no number stays that of the first


def test_a_struct_with_an_operator_of_its_own_has_that_one():
    f = fn([Real], Product)(lambda x: Product(x))
    assert ((f + f)(3.0).x, (2.0 + f)(3.0).x) == (9.0, 6.0)


def test_functions_to_different_tuples_are_refused_with_both_types():
    with pytest.raises(TypeMismatch, match=r"functions to the same tuples, not to \(Real, Vec\[2\]\) and to Place"):
        pair + place


def test_a_functional_of_tuples_is_differentiated_twice():
    @F.functional
    def energy(y: F.Map[tuple_of(Real, Vec[2]), Real]) -> Real:
        a, b = F.split(y * y * y)
        return F.integrate(a + F.pointwise(lambda v: rose.sum(v), b), F.Grid.gauss_legendre(0.0, 1.0, 5))

    a, b = pair(0.7)
    got = rose.grad(energy)(pair)(0.7)
    assert got[0] == pytest.approx(3.0 * a**2) and got[1] == pytest.approx(3.0 * b**2)
    got = rose.hvp(energy)(pair, pair)(0.7)
    assert got[0] == pytest.approx(6.0 * a**2) and got[1] == pytest.approx(6.0 * b**2)
