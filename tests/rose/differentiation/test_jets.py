"""`rose.jet`: what it takes and gives, jets of derivatives and derivatives of jets."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from curves import curves, jets, nested

import rose
from rose import Bool, Fin, Real, Vec, fn


@rose.struct
class Body:
    on: Bool
    mass: Real
    at: Vec[2]


@fn
def energy(p: Body) -> Body:
    return Body(p.on, p.mass * p.at[0] ** 2, p.at / p.mass)


@fn
def wave(x: Real) -> Real:
    return rose.tanh(x * rose.sin(x))


EXACT = [1.10088281832727, 1.88162228723258, -4.39057023530139, -20.5461370999739, 100.834431792449, 637.147589694797,
         -3991.03030003507, -43013.3493634496, 275264.515163416, 4578674.23315628]  # fmt: skip


def test_order_10_is_exact_to_nine_digits():
    f = rose.fn([Real], Real)(lambda x: x * wave(x))
    assert jets(f, 10, [0.7, 1.0, *[0.0] * 9])[1:] == pytest.approx(EXACT, rel=1e-9)


TABLE = {
    "sin": (0.479425538604203, 0.8775825618903727, -0.2161507700370912, -1.48458205901223, -0.2318197440149794),
    "log": (-0.6931471805599453, 2, -3.4, 12, -63.68),
    "sqrt": (0.7071067811865475, 0.7071067811865475, -0.4949747468305833, 1.34350288425444, -5.918483758531403),
    "tanh": (0.4621171572600098, 0.7864477329659274, -0.4909276614938091, -1.376674618098184, 3.870593108066447),
}


@pytest.mark.parametrize("name", TABLE)
def test_derivatives_are_not_divided_by_factorials(name: str):
    f = rose.fn([Real], Real)(lambda x: getattr(rose, name)(x))
    assert rose.jet(f, 4)([0.5, 1.0, 0.3, -0.2, 0.7]) == pytest.approx(TABLE[name], rel=1e-14)


def test_a_jet_has_the_shape_of_the_parameters():
    j = rose.jet(energy, 2)
    out = j({"on": True, "mass": [2.0, 1.0, 0.0], "at": [[3.0, 0.0, 0.0], [4.0, 1.0, 0.5]]})
    assert out.on and out.mass.tolist() == [18.0, 9.0, 0.0]
    assert out.at.tolist() == [[1.5, -0.75, 0.75], [2.0, -0.5, 0.75]]


def test_several_parameters_and_those_that_do_not_move():
    f = rose.fn([Real, Fin[3], Vec[3]], Real)(lambda a, i, x: a * x[i])
    assert rose.jet(f, 2)([2.0, 1.0, 0.0], 1, [[0.0] * 3, [5.0, 3.0, 1.0], [0.0] * 3]).tolist() == [10.0, 11.0, 8.0]


def test_vectors_of_length_zero():
    f = rose.fn([Vec[0]], Vec[0])(lambda x: x * 2.0)
    assert rose.jet(f, 3)([]).shape == (0, 4)
    total = rose.fn([Vec[0], Real], Real)(lambda x, y: rose.sum(x) + y * y)
    assert rose.jet(total, 2)([], [3.0, 1.0, 0.0]).tolist() == [9.0, 6.0, 2.0]


def test_a_function_of_what_does_not_move():
    f = rose.fn([Real], Real)(lambda x: rose.floor(x))
    assert rose.jet(f, 2)([2.5, 1.0, 1.0]).tolist() == [2.0, 0.0, 0.0]
    same = rose.fn([Vec[2]], Vec[2])(lambda x: x)
    assert rose.jet(same, 1)([[1.0, 2.0], [3.0, 4.0]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_one_module_of_any_size():
    n = rose.dim("n")
    f = rose.fn([Vec[n]], Real)(lambda x: rose.exp(rose.sum(x[i] * x[i] for i in rose.range(n))))
    module = rose.compile({"j": rose.jet(f, 3)}, dynamic=True)
    for size in (0, 1, 4):
        given = curves(np.linspace(0.1, 0.4, size), 3)
        assert module.j(given) == pytest.approx(rose.jet(f.at(n=size), 3)(given), rel=1e-14)


def test_single_precision():
    module = rose.compile({"j": rose.jet(wave, 4)}, dtype="f32")
    given = [0.5, 1.0, 0.25, 0.0, 0.5]
    assert module.j(given) == pytest.approx(rose.jet(wave, 4)(given), rel=1e-5)


def test_two_iterations_at_once_give_the_same_bits():
    f = rose.fn([Vec[8]], Vec[8])(lambda x: rose.vec(wave(x[i]) / (1.0 + x[i] ** 2) for i in rose.range(8)))
    plain, simd = [rose.compile({"j": rose.jet(f, 3)}, simd=simd) for simd in (False, True)]
    given = curves(np.linspace(-1.0, 1.0, 8), 3)
    assert np.array_equal(plain.j(given), simd.j(given))


def test_the_gradient_of_a_jet():
    third = rose.fn([Real], Real)(lambda x: rose.jet(wave, 3)([x, 1.0, 0.0, 0.0])[3])
    fourth = rose.jet(wave, 5)([0.7, 1.0, 0.0, 0.0, 0.0, 0.0])
    assert rose.grad(third)(0.7) == pytest.approx(fourth[4], rel=1e-11)
    assert rose.grad(rose.grad(third))(0.7) == pytest.approx(fourth[5], rel=1e-11)


def test_the_jet_of_a_gradient():
    f = rose.fn([Vec[2]], Real)(lambda x: rose.while_loop(lambda a: a < 30.0, lambda a: a * a + x[1], 1.0 + x[0]))
    given = curves([0.6, 0.8], 3)
    assert np.allclose(jets(rose.grad(f), 3, given), nested(rose.grad(f), 3, given), rtol=1e-10)


def test_the_jet_of_a_jet():
    j = rose.jet(wave, 2)
    given = curves([0.6, 1.0, -0.5], 2)
    assert np.allclose(jets(j, 2, given), nested(j, 2, given), rtol=1e-10)


THETA = np.sin(np.arange(1.0, 11.0))
DTHETA = [-1.4038593475585992, -2.152704820285065, -0.14647745043292743, -0.7063968894096131, -1.4057621038055612,
          -0.5832330241332842, 0.06560332592612661, 0.1728068813435465, 0.3911521219546709,
          -1.5670058846187365]  # fmt: skip


def test_a_network_that_solves_an_equation_is_trained():
    """The gradient of `(u'' + u) ** 2` in the weights of `u`, of which the second derivative is a jet."""

    @fn
    def loss(w: Vec[10]) -> Real:
        u = rose.fn([Real], Real)(
            lambda x: rose.sum(w[6 + j] * rose.tanh(w[j] * x + w[3 + j]) for j in range(3)) + w[9]
        )
        value, _, second = rose.jet(u, 2)([0.1, 1.0, 0.0])
        return (second + value) ** 2

    value, slope = rose.value_and_grad(loss)(THETA)
    assert value == pytest.approx(0.6138768606074372, rel=1e-13)
    assert slope == pytest.approx(DTHETA, rel=1e-12)


@pytest.mark.parametrize(
    ("f", "x", "want"),
    [
        (lambda x: rose.abs(x), 0.0, [0.0, 0.0, 0.0, 0.0]),
        (lambda x: rose.max(x, x * x), 0.0, [0.0, 0.5, 1.0, 0.0]),
        (lambda x: rose.relu(x), 0.0, [0.0, 0.0, 0.0, 0.0]),
        (lambda x: rose.hypot(x, 0.0), 0.0, [0.0, 0.0, 0.0, 0.0]),
        (lambda x: rose.abs(x) ** 2, 0.0, [0.0, 0.0, 2.0, 0.0]),
        (lambda x: rose.select(x > 0.0, rose.log(x), x), 0.0, [0.0, 1.0, 0.0, 0.0]),
        (lambda x: x**3, 0.0, [0.0, 0.0, 0.0, 6.0]),
        (lambda x: x**7, 0.0, [0.0, 0.0, 0.0, 0.0]),
        (lambda x: x**2.5, 0.0, [0.0, 0.0, 0.0, math.nan]),
        (lambda x: rose.sqrt(x), 0.0, [0.0, math.inf, -math.inf, math.inf]),
        (lambda x: x**0.25, 0.0, [0.0, math.inf, -math.inf, math.nan]),
        (lambda x: 2.0**x, 0.0, [1.0, math.log(2.0), math.log(2.0) ** 2, math.log(2.0) ** 3]),
        (lambda x: 0.0**x, 2.0, [0.0, 0.0, 0.0, 0.0]),
        (lambda x: rose.floor(x), 1.0, [1.0, 0.0, 0.0, 0.0]),
    ],
)
def test_jets_at_kinks(f: object, x: float, want: list[float]):
    j = rose.jet(rose.fn([Real], Real)(f), 3)
    assert j([x, 1.0, 0.0, 0.0]) == pytest.approx(want, nan_ok=True)


@pytest.mark.parametrize("y", [0.0, 1.0, 2.0, 3.0, 7.0])
@pytest.mark.parametrize("x", [0.0, 1.5, -0.5])
def test_a_power_that_is_not_a_literal(x: float, y: float):
    f = rose.fn([Real], Real)(lambda x: rose.pow(x, rose.stop_gradient(y + 0.0 * x)))
    want = [math.perm(int(y), k) * x ** (y - k) if k <= y else 0.0 for k in range(5)]
    assert jets(f, 4, [x, 1.0, 0.0, 0.0, 0.0]) == pytest.approx(want)


def test_a_jet_is_a_function_like_others():
    assert rose.jet(wave, 3) is rose.jet(wave, 3) and rose.jet(wave, 3) is not rose.jet(wave, 2)
    again = pickle.loads(pickle.dumps(rose.jet(wave, 2)))
    assert again([0.5, 1.0, 0.0]).tolist() == rose.jet(wave, 2)([0.5, 1.0, 0.0]).tolist()
    assert rose.vmap(rose.jet(wave, 1))([[0.5, 1.0], [0.5, 2.0]])[1][1] == pytest.approx(2.0 * rose.grad(wave)(0.5))


def test_captured_values_stay():
    @fn
    def outer(a: Real) -> Real:
        return rose.jet(rose.fn([Real], Real)(lambda x: a * x**3), 3)([a, 1.0, 0.0, 0.0])[2]

    assert outer(2.0) == 24.0 and rose.grad(outer)(2.0) == 24.0


def test_derivatives_along_a_vector():
    f = rose.fn([Vec[2], Real], Vec[2])(lambda x, k: [x[0] ** 4 * x[1] ** 2, k * x[0]])
    along = np.polynomial.Polynomial([1.0, 1.0]) ** 4 * np.polynomial.Polynomial([2.0, -3.0]) ** 2
    for k in (1, 2, 3, 5):
        second = 7.0 if k == 1 else 0.0
        assert rose.directional(f, k)([1.0, 2.0], 7.0, [1.0, -3.0]) == pytest.approx([along.deriv(k)(0.0), second])


def test_a_direction_in_a_struct_and_in_another_parameter():
    out = rose.directional(energy, 2)(Body(True, 2.0, [3.0, 4.0]), Body(False, 1.0, [1.0, 0.0]))
    assert out.on and out.mass == pytest.approx(2.0 * (2.0 * 3.0 + 2.0)) and out.at[1] == pytest.approx(1.0)
    f = rose.fn([Real, Real], Real)(lambda x, y: x * y**3)
    assert rose.directional(f, 2, argnums=1)(2.0, 3.0, 1.0) == 36.0
    assert rose.grad(rose.directional(f, 2, argnums=1), 1)(2.0, 3.0, 1.0) == 12.0
    assert rose.directional(fn([Real], Real)(lambda x: rose.floor(x)), 2)(1.5, 1.0) == 0.0
