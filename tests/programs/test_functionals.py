"""Applications of functionals, against numbers that other means gave.

The potentials of density functionals were computed to 40 digits from the equation of Euler and Lagrange, the losses of
the brachistochrone and the steps of the neural functional by NumPy; autofd gives the same ones.
"""

import math
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose import functional as F

# density functionals

RADIAL = F.Grid.gauss_legendre(0.0, 8.0, 200)
SPACE = F.Grid(
    [[0.0, 0.0, r] for r in RADIAL.nodes],
    [4.0 * math.pi * r * r * w for r, w in zip(RADIAL.nodes, RADIAL.weights, strict=True)],
)
Density = F.Map[Real, Vec[3]]


def exchange(n: Any) -> Any:
    return -0.75 * (3.0 / math.pi) ** (1 / 3) * n ** (4 / 3)


@F.functional
def lda(n: Density) -> Real:
    return F.integrate(exchange(n), SPACE)


@F.functional
def pbe(n: Density) -> Real:
    kappa, mu = 0.804, 0.2195149727645171
    s = rose.norm(F.nabla(n)) / (2.0 * (3.0 * math.pi**2) ** (1 / 3) * n ** (4 / 3))
    return F.integrate(exchange(n) * (1 + kappa - kappa / (1 + mu * s**2 / kappa)), SPACE)


@F.functional
def weizsaecker(n: Density) -> Real:
    slope = F.nabla(n)
    return F.integrate(rose.dot(slope, slope) / (8 * n), SPACE)


@fn
def bell(r: Vec[3]) -> Real:
    return rose.exp(-rose.dot(r, r))


@fn
def normalised(r: Vec[3]) -> Real:
    return math.pi**-1.5 * rose.exp(-rose.dot(r, r))


@fn
def oblong(r: Vec[3]) -> Real:
    return 2.0 * rose.exp(-(r[0] ** 2 + 2 * r[1] ** 2 + 3 * r[2] ** 2) / 2)


@fn
def direction(r: Vec[3]) -> Real:
    return rose.exp(-2.0 * rose.dot(r, r))


HERE, THERE = (0.1, 0.2, 0.3), (0.5, -0.4, 0.9)
POTENTIALS = [
    (bell, HERE, (-0.9398460449870991, -0.9906649525324347, 1.43)),
    (bell, THERE, (-0.6557083357389883, -0.6947803174355603, 0.89)),
    (normalised, HERE, (-0.5302513487202773, -0.6174838067407014, 1.43)),
    (normalised, THERE, (-0.3699438128693722, -0.4033977332938773, 0.89)),
    (oblong, HERE, (-1.1684481814412664, -1.2081302282411956, 1.3775)),
    (oblong, THERE, (-0.7525231849965382, -0.7689062115741009, 0.4775)),
]


@pytest.mark.parametrize(("n", "r", "want"), POTENTIALS)
def test_potentials_of_density_functionals(n: Any, r: Any, want: tuple[float, ...]):
    found = [rose.grad(energy)(n)(r) for energy in (lda, pbe, weizsaecker)]
    assert found == pytest.approx(want, rel=1e-12)


def test_energies_and_second_derivatives_of_density_functionals():
    energies = [energy(normalised) for energy in (lda, pbe, weizsaecker)]
    assert energies == pytest.approx((-0.27064625133163, -0.31398674909466, 0.75), rel=1e-12)
    second = [rose.hvp(energy)(bell, direction)(HERE) for energy in (lda, pbe, weizsaecker)]
    assert second == pytest.approx((-0.272354299738844, -0.295274265985365, 1.06061704718654), rel=1e-12)


# the brachistochrone

LINE = F.Grid([0.01 + 0.99 * k / 49 for k in range(50)], [1 / 50] * 50)


@F.functional
def time(y: F.Map[Real, Real]) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2) / rose.sqrt(-y), LINE)


def curve(c: Any) -> Any:
    return rose.fn([Real], Real)(
        lambda x: -x + rose.sum(c[k] * rose.sin((k + 1.0) * math.pi * x) for k in rose.range(3))
    )


@fn
def least(c: Vec[3]) -> Real:
    return time(curve(c))


@fn
def stationary(c: Vec[3]) -> Real:
    return F.integrate(rose.grad(time)(curve(c)) ** 2, LINE)


@fn
def through(c: Vec[3]) -> Real:
    y = curve(c)
    return F.integrate(rose.stop_gradient(rose.grad(time)(y)) * y, LINE)


@fn
def slope(c: Vec[3], x: Real) -> Real:
    return rose.grad(time)(curve(c))(x)


LOSSES = [
    (least, 2.4963151004011026, (-0.0031243836367296, 0.1562353442718758, 1.5693646526852592)),
    (stationary, 114.28406995858285, (784.0418574374672, 1548.1117226449846, 2491.7778809479414)),
    (through, -0.14557911392118242, (-0.10047456204638256, 0.0227887674729320, 1.2771355849250190)),
]
C = (-0.3, -0.05, 0.02)


@pytest.mark.parametrize(("loss", "value", "gradient"), LOSSES, ids=["the time", "its derivative", "through it"])
def test_the_brachistochrone_by_its_three_losses(loss: Any, value: float, gradient: tuple[float, ...]):
    assert loss(C) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(rose.grad(loss)(C), gradient, rtol=1e-10, atol=1e-13)


def test_the_derivative_of_the_time_along_the_curve():
    want = (0.2345731526205961, -2.3788980855551323, 1.7067013639135034)
    assert [slope(C, x) for x in (0.25, 0.5, 0.75)] == pytest.approx(want, rel=1e-12)


# the nonlocal neural functional

NODES = F.Grid([k / 99 for k in range(100)], [1 / 100] * 100)
Row, Kernel = F.Map[Real, Real], F.Map[Real, Real, Real]


@fn
def given(x: Real) -> Real:
    return rose.sin(4.0 * math.pi * x)


@fn
def bias(x: Real) -> Real:
    return rose.sin(math.pi * x)


@fn
def target(x: Real) -> Real:
    return rose.cos(math.pi * x)


@fn
def kernel(y: Real, x: Real) -> Real:
    return rose.sin(y) + rose.cos(x)


@F.functional
def network(k1: Kernel, b1: Row, k2: Kernel, b2: Row) -> Row:
    return k2 @ rose.tanh(k1 @ given + b1) + b2


@F.functional
def loss(k1: Kernel, b1: Row, k2: Kernel, b2: Row) -> Real:
    return F.integrate((network(k1, b1, k2, b2) - target) ** 2, NODES)


STEPS = [
    (2.641506047969820, (1.310273732924, 1.438531374869, 1.205643900183), 1.202740448380, 0.707106781187),
    (0.771751619776460, (0.835119317348, 0.888545202488, 0.190489852123), 1.354291675295, 0.449272433822),
    (0.284366464615757, (0.638953497997, 0.647914548561, -0.305746438137), 1.443981689227, 0.296682668118),
    (0.129468588676102, (0.578002057903, 0.555577800780, -0.559925658090), 1.488982587831, 0.220122566569),
    (0.066492661740282, (0.571867832850, 0.525959886156, -0.701172724063), 1.511023919824, 0.182623612817),
]


@pytest.mark.slow
def test_four_steps_of_a_network_whose_weights_are_functions():
    """Each step's weights are functions of those before: their code grows by the same at each."""
    k = kernel.on(None, NODES)
    weights: Any = [k, bias, k, bias]
    for value, outs, at_kernel, at_bias in STEPS:
        out = network(*weights)
        assert loss(*weights) == pytest.approx(value, rel=1e-11)
        assert [out(x) for x in (0.25, 0.3, 0.9)] == pytest.approx(outs, rel=1e-11)
        assert (weights[0](0.25, 0.3), weights[1](0.25)) == pytest.approx((at_kernel, at_bias), rel=1e-11)
        slopes = rose.grad(loss, (0, 1, 2, 3))(*weights)
        weights = [w - 0.1 * s for w, s in zip(weights, slopes, strict=True)]
