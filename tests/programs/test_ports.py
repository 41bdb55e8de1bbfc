"""Published examples of other tools, ported: each gives what they gave for the same mathematics.

That of the transformer is JAX 0.10.2, in 64 bits; that of the others with known numbers for a slope autograd 1.9.1.
Those that are checked by `agrees` are NumPy's: without `@fn` they run there, and differences give their slopes.
"""

import dataclasses
import importlib.util
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import same
from paths import ROOT

import rose
from rose.host.differences import central
from rose.host.interpreter import run
from rose.host.marshal import plain

PORTS = ROOT / "examples" / "ports"


def port(name: str) -> Any:
    """The module of a port, not run as a program."""
    spec = importlib.util.spec_from_file_location(f"port_{name}", PORTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(x: Any) -> Iterator[Any]:
    """The numbers and arrays in an argument."""
    if dataclasses.is_dataclass(x):
        for field in dataclasses.fields(x):
            yield from leaves(getattr(x, field.name))
    else:
        yield x


def moved(x: Any, ways: Iterator[Any], h: float) -> Any:
    """An argument, moved by `h` along directions of its numbers and arrays."""
    if dataclasses.is_dataclass(x):
        parts = [moved(getattr(x, field.name), ways, h) for field in dataclasses.fields(x)]
        return type(x)(*parts)
    return x + h * next(ways)


def way(rng: np.random.RandomState, x: Any) -> Any:
    """A direction of a number or an array, in complex numbers if it has them."""
    turn = rng.randn(*np.shape(x))
    return turn + 1j * rng.randn(*np.shape(x)) if np.iscomplexobj(x) else turn


def agrees(f: Any, *args: Any, of: int = 1, step: float = 1e-3) -> None:
    """Check value and gradient against NumPy, which runs the same body, and the interpreter, to the bit.

    The gradient is that by the first arguments, as many as `of`, beside differences along three directions.
    """
    slope = rose.grad(f, tuple(range(of)))
    value, found = f(*args), slope(*args)
    assert same(run(f.func, *args), plain(value, f.result))
    assert same(run(slope.func, *args), plain(found, slope.result))
    assert value == pytest.approx(f.__wrapped__(*args), rel=1e-12)
    rng, xs = np.random.RandomState(1), list(itertools.chain.from_iterable(map(leaves, args[:of])))
    for _ in range(3):
        ways = [way(rng, x) for x in xs]
        steep = sum([np.sum(np.real(g * d)) for g, d in zip(itertools.chain(*map(leaves, found)), ways, strict=True)])

        def along(h: float, ways: list[Any] = ways) -> list[float]:
            each = iter(ways)
            there = [moved(x, each, h) for x in args[:of]]
            return [float(f.__wrapped__(*there, *args[of:]))]

        assert steep == pytest.approx(central(along, step)[0], rel=1e-8)


def test_a_neural_net_learns_a_cosine():
    p = port("neural_net")
    after = p.learnt(p.start, p.x, p.y, 0.1)
    assert p.loss(p.start, p.x, p.y) == pytest.approx(0.4894790151151732, rel=1e-12)
    assert p.loss(after, p.x, p.y) == pytest.approx(0.036485388693860636, rel=1e-9)
    assert after.w3[:3].tolist() == pytest.approx([0.5761301833436752, 0.8337660913756952, 0.9400567664794229])


def test_hamiltonian_monte_carlo_takes_the_same_walk():
    means = np.mean(port("hmc").samples()[50:], 0)
    assert means.tolist() == pytest.approx([0.49206378601348966, -1.3165877200898661, 0.2003298620012045], rel=1e-9)


def test_the_rates_of_hares_and_lynxes_are_found():
    p = port("ode_fit")
    seen = p.simulated(p.start, p.true)
    assert p.misfit(p.guess, p.start, seen) == pytest.approx(8.69286366950736, rel=1e-12)
    slope = [-65.93149724807017, 9.3613369160555, -175.97271211846694, 20.05217406663969]
    assert rose.grad(p.misfit)(p.guess, p.start, seen).tolist() == pytest.approx(slope, rel=1e-10)
    assert rose.lib.lbfgs(p.misfit)(p.guess, p.start, seen).x.tolist() == pytest.approx(p.true, rel=1e-6)


def test_a_gaussian_process_has_its_likelihood_slope_and_prediction():
    p = port("gaussian_process")
    slope = rose.grad(p.log_likelihood)(p.kernel, p.x, p.y)
    assert p.log_likelihood(p.kernel, p.x, p.y) == pytest.approx(-4.424457344626569, rel=1e-12)
    expected = [-6.586630119953268, 9.156852307260580, -11.350827028497815]
    assert [slope.height, slope.length, slope.noise] == pytest.approx(expected, rel=1e-10)
    ends = p.predicted(p.kernel, p.x, p.y, p.at)[[0, -1]]
    assert ends.tolist() == pytest.approx([-0.9825336962230908, -0.036345061012723806], rel=1e-9)


def test_a_mixture_of_gaussians_is_made_likelier():
    p = port("mixture")
    better = p.improved(p.start, p.points, 0.002)
    found = [p.log_likelihood(q, p.points) for q in (p.start, better)]
    assert found == pytest.approx([-148.65197987253535, -134.55197271837582], rel=1e-10)
    assert better.means[1].tolist() == pytest.approx([0.3370384704787351, 0.9021741452553128], rel=1e-9)


def test_a_transformer_has_the_loss_and_the_slope_that_jax_finds():
    p = port("transformer")
    slope = rose.grad(p.loss)(p.start)
    assert p.loss(p.start) == pytest.approx(4.252524622878482, rel=1e-12)
    firsts = [0.023787395728030136, -0.15120315295030165, 0.03371594175745456]
    assert [s[0, 0] for s in (slope.letters, slope.heads, slope.narrowed)] == pytest.approx(firsts, rel=1e-10)
    lengths = [2.34506086676351, 3.8057242214020803, 3.3244893849006933]
    found = [np.linalg.norm(s) for s in (slope.shifts, slope.joined, slope.widened)]
    assert found == pytest.approx(lengths, rel=1e-10)


def test_a_convolutional_net_has_its_loss_and_slope():
    p = port("convolution")
    slope = rose.grad(p.loss)(p.start, p.images, p.classes)
    assert p.loss(p.start, p.images, p.classes) == pytest.approx(15.648942057346009, rel=1e-12)
    assert slope.heights.tolist() == pytest.approx([-3.9744715374981876, -1.1412498257174575], rel=1e-10)
    assert slope.kernels[0, 0].tolist() == pytest.approx([-1.1150209145195333, -1.508754161941611, -1.6316464502825796])


def test_a_wind_has_the_slope_by_which_smoke_gets_its_shape():
    p = port("fluid")
    slope = rose.grad(p.distance)(p.start, p.smoke, p.target)
    assert p.distance(p.start, p.smoke, p.target) == pytest.approx(0.3250888622569886, rel=1e-12)
    firsts = [-0.0025939999120517285, 0.002147047833831524, 0.0016648699090029279]
    assert slope.down[0, :3].tolist() == pytest.approx(firsts, rel=1e-10)
    lengths = [0.072864603833255, 0.0701693582388104]
    assert [np.linalg.norm(s) for s in (slope.down, slope.right)] == pytest.approx(lengths, rel=1e-10)


def test_waves_that_attract_themselves_have_their_potential_energy_and_slope():
    p = port("poisson")
    at = 2 * np.pi * p.at
    wave = np.cos(at[:, None]) + 0.5 * np.sin(2 * at)  # a solution by hand: frequency by frequency
    solved = p.potential(wave)
    by_hand = -p.GRAVITY * (np.cos(at[:, None]) + 0.125 * np.sin(2 * at)) / np.pi
    np.testing.assert_allclose(solved, by_hand, atol=1e-13)
    assert np.mean(np.abs(p.moved(p.start)) ** 2) == pytest.approx(np.mean(np.abs(p.start) ** 2), rel=1e-12)
    agrees(p.energy, p.start)


def test_a_call_in_hestons_model_has_the_prices_that_are_known():
    p = port("heston")
    known = [26.774758743998854, 20.933349000596710, 16.070154917028834, 12.132211516709845, 9.024913483457836]
    prices = [p.call(p.parameters, strike, p.market) for strike in (80.0, 90.0, 100.0, 110.0, 120.0)]
    assert prices == pytest.approx(known, rel=1e-12)  # of A. Lewis, who has 50 digits
    agrees(p.call, p.parameters, 100.0, p.market, of=2)
    agrees(p.call, p.parameters, 120.0, p.market)


def test_a_circuit_has_the_energy_of_its_state_and_nearly_the_least_one():
    p = port("eigensolver")

    def at(gate: Any, *qubits: int) -> Any:
        each = [gate if q in qubits else np.eye(2) for q in range(p.QUBITS)]
        return np.kron(np.kron(each[0], each[1]), np.kron(each[2], each[3]))

    whole = -sum([at(p.Z, q, q + 1) for q in range(3)]) - p.FIELD * sum([at(p.X, q) for q in range(4)])
    state = np.ravel(p.state_of(p.start))
    assert p.energy(p.start) == pytest.approx(np.real(np.vdot(state, whole @ state)), rel=1e-13)
    assert np.vdot(state, state) == pytest.approx(1, rel=1e-13)
    least = np.linalg.eigvalsh(whole)[0]
    assert least - 1e-9 < p.energy(rose.lib.lbfgs(p.energy)(p.start).x) < least + 0.02
    agrees(p.energy, p.start)


def test_an_equaliser_has_the_gains_it_is_made_for_and_is_found_by_its_response():
    p = port("equaliser")
    peak = p.frequencies[7]
    alone = p.decibels(np.array([[np.log(peak), 6.0, 0.3], [0.0, 0.0, 0.0]]))
    assert alone[7] == pytest.approx(6, rel=1e-12)
    assert abs(alone[-1]) < 0.01
    seen = p.decibels(p.true)
    assert np.ravel(rose.lib.lbfgs(p.misfit)(p.guess, seen).x) == pytest.approx(np.ravel(p.true), rel=1e-6, abs=1e-6)
    agrees(p.misfit, p.guess, seen)


def test_a_linear_prediction_solves_the_equations_of_yule_and_walker():
    p = port("linear_prediction")
    r = p.correlated(p.signal)
    windowed = p.signal * np.hamming(p.n)
    assert r == pytest.approx([windowed[k:] @ windowed[: p.n - k] for k in range(p.ORDER + 1)], rel=1e-12)
    table = r[abs(np.subtract.outer(range(p.ORDER), range(p.ORDER)))]
    solved = np.linalg.solve(table, -r[1:])
    assert p.coefficients(p.signal) == pytest.approx([1, *solved], rel=1e-11)
    assert p.flatness(p.signal) == pytest.approx(np.log((r[0] + solved @ r[1:]) / r[0]), rel=1e-11)
    agrees(p.flatness, p.signal)


def test_a_fourier_neural_operator_is_a_circular_convolution_and_has_its_slope():
    p = port("neural_operator")
    weights = p.start.first.spectral
    x = np.random.RandomState(2).randn(p.CHANNELS, p.POINTS)
    padded = np.concatenate([weights, np.zeros((p.CHANNELS, p.CHANNELS, p.POINTS // 2 + 1 - p.MODES))], 2)
    kernels = np.fft.irfft(padded)  # what the weights are among places
    far = (np.arange(p.POINTS)[:, None] - np.arange(p.POINTS)) % p.POINTS
    np.testing.assert_allclose(p.convolved(x, weights), np.einsum("iopq,iq->op", kernels[:, :, far], x), atol=1e-12)
    agrees(p.loss, p.start, p.u, p.target)


def test_clotting_times_have_the_coefficients_of_r():
    pytest.importorskip("scipy", reason="SciPy is not installed")
    p = port("gamma_regression")
    b, shape = p.fitted(p.by_reciprocals, np.array([0.0, 0.01]))
    assert b == pytest.approx([-0.01655438, 0.01534311], abs=5e-9)  # as R prints them
    means = 1 / (p.x @ b)
    deviance = -2 * np.sum(np.log(p.y / means) - (p.y - means) / means)
    assert deviance == pytest.approx(0.01672967, rel=1e-5)
    assert shape == pytest.approx(p.n / deviance, rel=1e-3)  # nearly, as it is large
    b, shape = p.fitted(p.by_logarithms, np.array([4.0, 0.0]))
    assert p.x.T @ (p.y / np.exp(p.x @ b) - 1) == pytest.approx([0, 0], abs=1e-10)
    for f in (p.by_reciprocals, p.by_logarithms):
        agrees(f, b if f is p.by_logarithms else np.array([0.0, 0.01]), 3.0, p.x, p.y, of=2)


def test_a_beta_regression_has_the_scores_of_its_authors():
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    p = port("beta_regression")
    v = np.array([-0.3, 1.2, 2.0])
    mu, phi = special.expit(p.x @ v[:2]), np.exp(v[2])
    apart = np.log(p.y / (1 - p.y)) - special.digamma(mu * phi) + special.digamma((1 - mu) * phi)
    rest = special.digamma(phi) - special.digamma((1 - mu) * phi) + np.log(1 - p.y)
    scores = [*(phi * p.x.T @ (mu * (1 - mu) * apart)), phi * np.sum(mu * apart + rest)]
    assert rose.grad(p.log_likelihood)(v, p.x, p.y) == pytest.approx(scores, rel=1e-11)
    found, errors = p.fitted(p.x, p.y)
    assert rose.grad(p.log_likelihood)(found, p.x, p.y) == pytest.approx([0, 0, 0], abs=1e-10)
    assert (abs(found[:2] - [-0.5, 1.5]) < 2 * errors[:2]).all()
    agrees(p.log_likelihood, v, p.x, p.y)


def test_isings_ring_has_the_energy_of_all_its_states():
    p = port("ising")
    spins = np.array(list(itertools.product((1, -1), repeat=p.SPINS)))
    beta, field = 0.6, 0.2
    heights = -np.sum(spins * np.roll(spins, 1, 1), 1) - field * np.sum(spins, 1)
    chances = np.exp(-beta * heights)
    z = np.sum(chances)
    mean = chances @ heights / z
    assert p.log_z(beta, field) == pytest.approx(np.log(z), rel=1e-13)
    assert p.energy(beta, field) == pytest.approx(mean, rel=1e-12)
    assert p.heat_capacity(beta, field) == pytest.approx(beta**2 * (chances @ (heights - mean) ** 2) / z, rel=1e-11)
    assert p.magnetisation(beta, field) == pytest.approx(chances @ np.sum(spins, 1) / z, rel=1e-12)
    agrees(p.log_z, beta, field, of=2)


def test_a_kalman_filter_has_the_poles_of_scipys_gain():
    linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
    p = port("kalman")

    def poles(stiffness: float, damping: float, push: float, noise: float) -> Any:
        a, c = np.array([[1, p.DT], [-p.DT * stiffness, 1 - p.DT * damping]]), np.array([[1.0, 0.0]])
        q = np.diag([0.0, p.DT * push**2])
        left = linalg.solve_discrete_are(a.T, c.T, q, np.array([[noise**2]]))
        return np.linalg.eigvals(a - a @ left @ c.T / (c @ left @ c.T + noise**2) @ c)

    for at in (p.at, (2.0, 0.1, 40.0, 0.2)):  # poles that are a pair, and real ones
        np.testing.assert_allclose(np.sort(p.poles(*at)), np.sort(poles(*at)), rtol=1e-10)
        slope = rose.grad(p.radius, (0, 1, 2, 3))
        for k, way in enumerate(np.eye(4)):
            steep = central(lambda h, way=way, at=at: [max(abs(poles(*(at + h * way))))], 1e-2)[0]
            assert slope(*at)[k] == pytest.approx(steep, rel=1e-6)
        assert same(run(slope.func, *at), slope(*at))


def test_an_object_is_found_from_the_intensities_behind_it():
    p = port("ptychography")
    assert np.sum(p.seen[0]) == pytest.approx(np.sum(np.abs(p.probe * p.true[:4, :4]) ** 2), rel=1e-12)
    before, after = [p.misfit(thing, p.probe, p.seen) for thing in (p.start, p.found(p.start, 0.05))]
    assert after < before / 100
    assert p.misfit(np.exp(0.3j) * p.true, p.probe, p.seen) < 1e-24  # no intensity shows the phase of all
    agrees(p.misfit, p.start, p.probe, p.seen, of=2)


def test_a_sphere_has_the_efficiencies_of_bohren_and_huffman():
    p = port("mie")
    assert p.efficiencies(p.size, p.index) == pytest.approx([3.10543, 3.10543, 2.92534], abs=5e-6)
    small, index = 0.01, 1.33 + 0.02j
    ratio = (index**2 - 1) / (index**2 + 2)
    rayleigh = [4 * small * ratio.imag, 8 / 3 * small**4 * abs(ratio) ** 2]
    assert p.efficiencies(small, index)[:2] == pytest.approx(rayleigh, rel=1e-3)
    agrees(p.absorption, 2.0, 1.5 + 0.1j, of=2)


def test_every_port_is_tested():
    tested = Path(__file__).read_text(encoding="utf-8")
    assert [path.stem for path in sorted(PORTS.glob("*.py")) if f'port("{path.stem}")' not in tested] == []
