"""Published examples of other tools, ported: each gives what they gave for the same mathematics.

That of the transformer is JAX 0.10.2, in 64 bits; that of all others autograd 1.9.1.
"""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import ROOT

import rose

PORTS = ROOT / "examples" / "ports"


def port(name: str) -> Any:
    """The module of a port, not run as a program."""
    spec = importlib.util.spec_from_file_location(f"port_{name}", PORTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def test_every_port_is_tested():
    tested = Path(__file__).read_text(encoding="utf-8")
    assert [path.stem for path in sorted(PORTS.glob("*.py")) if f'port("{path.stem}")' not in tested] == []
