"""Optimisers beside optax 0.2.8 with JAX 0.10.2 (x64), 25 steps each: inside of a function, outside, in a module."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, Real, Vec, fn, optim
from rose.frontend.annotations import as_type
from rose.frontend.operators import view
from rose.ir import current_builder


@rose.struct
class Net:
    """What is trained here."""

    w: Vec[3]
    b: Real


START = Net(np.zeros(3), 0.5)
RATES = {
    "cosine": optim.cosine(0.05, 20, warmup=5, end=0.001),
    "exponential": optim.exponential(0.05, 10, 0.5),
    "linear": optim.linear(0.05, 0.01, 12),
}
OPTIMISERS = {
    "sgd": optim.sgd(Net, 0.1),
    "momentum": optim.momentum(Net, 0.02),
    "nesterov": optim.momentum(Net, 0.02, 0.8, nesterov=True),
    "adam": optim.adam(Net, 0.1),
    "adamw": optim.adamw(Net, 0.1, weight_decay=0.01),
    "lion": optim.lion(Net, 0.01),
    "clip": optim.sgd(Net, 0.1, clip=1.0),
    **{name: optim.sgd(Net, rate) for name, rate in RATES.items()},
}
OPTAX = {  # of optax.sgd(0.1), sgd(0.02, momentum=0.9), sgd(0.02, momentum=0.8, nesterov=True), adam(0.1), and so on
    "sgd": [0.9962221068137043, -0.7930705404422062, 6.0, -1.3119598653409024],
    "momentum": [0.9732874498638592, -1.107088032339135, 3.433656211141676, -1.9514254647582203],
    "nesterov": [1.0320513742293724, -0.7393711484171587, 2.9999325368472918, -1.3073013019072],
    "adam": [1.1805543842298012, -2.0467371944680957, 2.2610427361378242, -1.7263253544539636],
    "adamw": [1.172967368230854, -2.0258075795442685, 2.2356625252904414, -1.7131639758461281],
    "lion": [0.24997000229987348, -0.24997000229987348, 0.24997000229987348, 0.24990501269897666],
    "clip": [0.1568052930585572, -0.03369272375835554, 2.492289278768642, 0.42408896298800497],
    "cosine": [0.6546426782383543, -0.19533505106997853, 3.0000000000000004, 0.012846878569916412],
    "exponential": [0.7187724194539328, -0.23201312465304574, 3.000000000000001, -0.08970284498473946],
    "linear": [0.6505493101571627, -0.1944824584828891, 2.9999999999999547, 0.014667521136655804],
}


@fn
def slope(net: Net) -> Net:
    return Net(2.0 * (net.w - np.array([1.0, -2.0, 3.0])) * np.array([1.0, 0.1, 10.0]), rose.cos(net.b))


@pytest.mark.parametrize("name", OPTIMISERS)
def test_25_steps_end_where_those_of_optax_do(name: str):
    optimiser = OPTIMISERS[name]
    trained = fn([Net], optimiser.state)(
        lambda net: rose.scan(lambda _, s: optimiser(s, slope(s["x"])), optimiser.start(net), 25)
    )
    inside, outside = trained(START), optimiser.start(START)
    for _ in range(25):
        outside = optimiser.step(outside, slope(outside["x"]))
    exact = 1e-5 if name in RATES else 1e-11  # optax computes schedules in single precision
    assert np.allclose([*inside["x"].w, inside["x"].b], OPTAX[name], rtol=exact, atol=0.0)
    assert inside["x"].w.tolist() == outside["x"].w.tolist() and inside["x"].b == outside["x"].b
    assert inside["step"] == outside["step"] == 25.0
    with rose.eager():
        assert trained(START)["x"].b == inside["x"].b


@pytest.mark.parametrize("t", [Real, Vec[4], Vec[0], Vec[2, Vec[3]], Vec[2, Net], tuple[Real, Vec[2]]], ids=repr)
def test_any_type_of_reals_is_trained(t: Any):
    adam = optim.adam(t, 0.1)
    zero = fn([], t)(lambda: view(current_builder().zero(as_type(t))))()
    state = adam.step(adam.start(zero), zero)
    assert state["step"] == 1.0 and repr(state["x"]) == repr(zero)


def test_a_step_is_a_small_module():
    sizes = {name: len(rose.compile(OPTIMISERS[name].step).wasm) for name in ("sgd", "adam", "lion")}
    assert sizes["sgd"] < 300 and sizes["adam"] < 1000 and sizes["lion"] < 1000


def test_training_is_differentiated_in_its_rate():
    @fn
    def trained(rate: Real) -> Real:
        sgd = optim.sgd(Net, rate)
        return rose.scan(lambda _, s: sgd(s, slope(s["x"])), sgd.start(START), 5)["x"].b

    h = 1e-6
    assert rose.grad(trained)(0.1) == pytest.approx((trained(0.1 + h) - trained(0.1 - h)) / (2 * h), rel=1e-7)


def test_a_gradient_of_nothing_and_of_infinity_is_clipped_to_what_it_is():
    sgd = optim.sgd(Vec[2], 1.0, clip=2.0)
    assert sgd(sgd.start([0.0, 0.0]), [0.0, 0.0])["x"].tolist() == [0.0, 0.0]
    assert sgd(sgd.start([0.0, 0.0]), [3.0, 4.0])["x"].tolist() == pytest.approx([-1.2, -1.6])
    assert sgd(sgd.start([0.0, 0.0]), [0.3, 0.4])["x"].tolist() == [-0.3, -0.4]


def test_what_cannot_be_trained_is_refused():
    with pytest.raises(rose.TypeMismatch, match=r"rose.optim.adam changes values made of Reals, not a Fin\[3\]"):
        optim.adam(Fin[3])
    with pytest.raises(rose.RoseError, match="rate is a number that is not negative, not -1"):
        optim.sgd(Vec[2], -1.0)
    with pytest.raises(rose.RoseError, match="b1 is from 0 to below 1"):
        optim.adam(Vec[2], b1=1.0)
    assert repr(optim.lion(Vec[2])) == "<lion of Vec[2]>"
