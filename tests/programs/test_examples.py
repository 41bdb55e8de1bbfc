"""The examples: each is run, and says what it should."""

import math
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import ROOT

import rose

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


class Ran(dict[str, Any]):
    """What a program defined, as attributes, and what it printed."""

    __getattr__ = dict.__getitem__


@pytest.fixture
def example(capsys: pytest.CaptureFixture[str]):
    """Run an example, by its name."""

    def run(name: str) -> Ran:
        made = runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
        return Ran(made, printed=capsys.readouterr().out)

    return run


def test_the_line_through_anscombes_points_is_found(example: Any):
    ran = example("anscombe")
    assert f"b0 = {ran.line.b0:.6g}, b = {ran.line.b[0]:.6g}" in ran.printed
    assert (f"{ran.line.b0:.6g}", f"{ran.line.b[0]:.6g}") == ("3.00009", "0.500091")


def test_ten_impacts_have_the_derivative_of_differences(example: Any):
    ran, x, h = example("impacts"), 0.7, 5e-4
    end = rose.compile(ran.end)
    parts = [w * (end(x + k * h) - end(x - k * h)) for k, w in ((1, 45.0), (2, -9.0), (3, 1.0))]
    slope = rose.jacfwd(ran.end)(x)
    assert ran.last_impact(x)[0] < ran.TIME
    assert slope == pytest.approx(sum(parts) / (60.0 * h), rel=1e-8)
    assert abs(rose.jacfwd(ran.by_fixed_steps(20_000))(x) / slope - 1.0).min() > 0.1


def test_a_power_has_its_value_gradient_and_hessian(example: Any):
    at = example("power")["at"]
    assert at["z"] == 8
    assert list(at["g"]) == [12, 5.545177444479562]
    expected = [[12, 12.317766166719343], [12.317766166719343, 3.843624111345611]]
    assert at["h"].tolist() == [pytest.approx(row, rel=1e-15) for row in expected]


def test_sine_has_four_derivatives(example: Any):
    ran = example("sine")
    assert ran.derivatives == [math.cos(1), -math.sin(1), -math.cos(1), math.sin(1)]


def test_the_springs_slope_is_twice_its_stretch(example: Any):
    ran = example("spring")
    assert (ran.module.spring([3, 4]), ran.module.slope([3, 4]).tolist()) == (16, pytest.approx([4.8, 6.4]))


def test_a_power_is_known_to_second_order(example: Any):
    at = example("quadratic")["at"]
    assert (at["value"], at["gradient"].tolist()) == (pytest.approx(8), pytest.approx([12, 8 * math.log(2)]))
    assert (at["hessian"] @ at["newton"]).tolist() == pytest.approx((-at["gradient"]).tolist())
    for bend, along in zip(at["bends"], at["along"], strict=True):
        assert (at["hessian"] @ along).tolist() == pytest.approx((bend * along).tolist())


def test_what_is_printed_for_debugging_is_printed_once(example: Any):
    ran = example("print_debug")
    assert (ran.value, ran.gradient) == (8, 12)
    assert ran.printed == "the value:\n  x is 2.0\n  8.0\nthe gradient:\n  x is 2.0\n  12.0\n"


def test_the_ways_to_debug_say_what_is_there(example: Any):
    ran = example("debugging")
    printed, asserted, eager, explained = re.split(r"\n?(?:assert|eager|explain_nan):\n", ran.printed)
    assert printed == "print:\nmean = 3.00 of [1.0, 2.0, 3.0, 6.0]"
    assert asserted.splitlines()[1] == f"  {ran.failed.message}" == "  the numbers are near one another"
    assert eager.splitlines() == [
        "  turn 0 of 3.0", "  it is large", "  turn 1 of 1.5", "  it is large", "  turn 2 of 0.5"
    ]  # fmt: skip
    assert ran.last == 0.125
    assert "div made inf of 1.0 and 0.0, in the derivative\n" in explained
    assert (ran.found.first.operation, ran.found.nan.operation) == ("div", "mul")


def test_a_clamped_derivative_is_finite(example: Any):
    clamped = example("clamped_sqrt").clamped
    assert clamped(0) == 49999.99999999999
    assert clamped(4) == 0.25


def test_functions_made_by_functions_are_called_in_the_ir(example: Any):
    ran = example("metaprogramming")
    definitions = re.findall(r"def (\w+)", ran.printed)
    assert definitions == ["x_over", "x_over_1", "x_over_2", "h"]
    assert re.findall(r"= (x_over\w*)\(", ran.printed) == ["x_over", "x_over", "x_over_1", "x_over_2"]
    assert ran.module(2) == 7 / 2 + 7 / 4 + (5 / 2) * (5 / 2)


def test_the_boxes_of_groups_are_right_and_circles_are_calls(example: Any):
    ran = example("bounding_boxes")
    assert ran.box == ran.Rectangle(left=-3.5, right=4.5, bottom=-1.25, top=4)
    assert ran.pull.tolist() == [[-1, 0], [1, 0]]
    assert ran.printed.count("def bbox_circle(") == 1
    assert ran.printed.count("= bbox_circle(") == 6


def test_a_function_of_the_users_own_has_every_derivative(example: Any):
    w = example("lambertw").module
    assert w.w(1) == pytest.approx(0.5671432904097838, rel=1e-15)  # the omega constant
    assert (w.w(0), w.slope(0), w.bend(0)) == (0, 1, -2)  # w = x - x ** 2 + ...
    assert (w.w(-1 / math.e), w.slope(-1 / math.e)) == (-1, math.inf)
    assert w.slope(-1e-300) == 1
    for x in (-0.36, -0.1, 0.5, 3.0, 1e3, 1e100):
        assert w.w(x) * math.exp(w.w(x)) == pytest.approx(x, rel=1e-13)
        assert w.slope(x) == pytest.approx(w.w(x) / (x * (1 + w.w(x))), rel=1e-12)


def test_the_demo_fits_a_line_and_lists_its_package(example: Any):
    ran = example("demo")
    assert "y = 3.00009 + 0.500091 x" in ran.printed
    assert f"{ran.steps:,} calls of the gradient" in ran.printed
    assert f"the module has {len(ran.module.wasm):,} bytes" in ran.printed
    for file in ("gradient.wasm", "index.js", "index.d.ts", "package.json"):
        assert f"dist/{file}" in ran.printed


def test_a_plain_while_finds_a_root_and_its_derivative(example: Any):
    ran = example("bisection")
    assert (ran.module.speed(-1.0), ran.module.slope(-1.0)) == (0, 0)
    for depth in (0.5, 2.0, 10.0):
        speed, t = math.sqrt(1.56 * math.tanh(0.628 * depth)), math.tanh(0.628 * depth)
        assert ran.module.speed(depth) == pytest.approx(speed, rel=1e-11)
        assert ran.module.slope(depth) == pytest.approx(1.56 * 0.628 * (1 - t * t) / (2 * speed), rel=1e-9)
    assert "2.0 m: 1.151492, and 0.118078 more" in ran.printed


def test_a_search_by_gradients_finds_the_least_value(example: Any):
    assert example("descent").printed == "from (0, 0) to (1.0000, -2.0000)\n"


def test_a_search_through_a_search_finds_the_saddle(example: Any):
    lines = example("saddle").printed.splitlines()
    assert lines == [f"{modes}: 8.246e-06 8.246e-06 8.246e-06 8.246e-06" for modes in ("ff", "fr", "rf", "rr")]


def test_a_search_through_a_simulation_finds_the_charge(example: Any):
    lines = example("particle").printed.splitlines()
    assert lines == [f"{modes}: 0.2071918746" for modes in ("ff", "fr", "rf", "rr")]


def test_a_shot_is_improved_through_all_collisions(example: Any):
    lines = example("billiards").printed.splitlines()
    assert [float(line.split()[2]) for line in lines] == [0.2130, 0.0257, 0.0056, 0.0047, 0.0047]


def test_a_robot_learns_to_walk(example: Any):
    first, then, last = [float(line.split()[2]) for line in example("robot").printed.splitlines()]
    assert first == 0.687
    assert last < then < 0.6
    assert last < 0.45  # a rounding moves it from 0.21 to 0.36: the way there is chaotic


def test_the_fastest_slide_is_the_cycloid(example: Any):
    ran = example("slide")
    first, *_, last, cycloid = [float(line.split(": ")[1].split()[0]) for line in ran.printed.splitlines()]
    assert first == pytest.approx(math.sqrt(2 * (8 * 8 + 3 * 3) / 9.81 / 3), abs=1e-6)
    assert cycloid < last < 1.001 * cycloid < first


def test_five_searches_fit_one_curve(example: Any):
    lines = example("fit").printed.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "Gauss-Newton", "Newton", "L-BFGS", "Adam", "gradient descent"
    ]  # fmt: skip
    assert all(re.search(r" steps to 0\.911\d+, centre 4\.775\d$", line) for line in lines)


def test_a_leg_and_a_triangle_are_dragged_by_points_that_are_computed(example: Any):
    ran = example("drag")
    assert ran.printed.splitlines() == [
        "the foot: -43.1601, -91.7569",
        "dragged, where only bars change: -35.0000, -87.0000",
        "the altitudes meet in: 3.0000, 2.6250",
        "dragged, where ab keeps its length: 4.0000, 4.0000",
    ]
    assert math.dist(ran.moved[:2], ran.moved[2:4]) == pytest.approx(10, abs=1e-9)


@pytest.mark.slow
def test_every_solver_comes_to_the_end_of_rosenbrocks_valley(example: Any):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    ran = example("rosenbrock")
    lines = ran.printed.splitlines()
    assert [line.partition(":")[0] for line in lines] == list(ran.ways)
    assert all([float(line.split(": ")[1].split()[0]) < 1e-8 for line in lines])


def test_a_logistic_regression_has_the_known_fit(example: Any):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    free, held = example("logistic").printed.splitlines()
    assert free.startswith("ridge 0: 15.043 -0.2322 t;")  # as statistics packages have it
    assert held.startswith("ridge 1: 8.039 -0.1291 t;")


@pytest.mark.slow
def test_a_bundle_is_adjusted_with_a_sparse_jacobian(example: Any):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    ran = example("bundle")
    unknowns, numbers, entries = map(int, re.findall(r"(\d+) (?:unknowns|numbers|entries)", ran.printed))
    assert (unknowns, numbers) == (1040, 2 * len(ran.SEEN))
    assert entries == 9 * numbers  # the turn, two of the numbers of the place, the focal length, and the point
    before, after = map(float, re.findall(r"by (\d+\.\d+)", ran.printed))
    assert before > 3
    assert after < 0.5  # to which the pictures were measured


def test_density_functionals_have_their_known_energies_and_potentials(example: Any):
    ran = example("density")
    lines = [[float(x) for x in re.findall(r"-?\d+\.\d+", line)] for line in ran.printed.splitlines()]
    assert [line[:2] for line in lines] == [[-0.27064625, -0.53025135], [-0.31398675, -0.61748381], [0.75, 1.43]]
    assert ran.potentials["Perdew"]([0.5, -0.4, 0.9]) == pytest.approx(-0.4033977332938773, rel=1e-12)


def test_three_losses_of_the_brachistochrone_and_the_fastest_of_its_curves(example: Any):
    lines = example("brachistochrone").printed.splitlines()
    assert lines == [
        "least: 2.496315, -0.003124 0.156235 1.569365",
        "stationary: 114.284070, 784.041857 1548.111723 2491.777881",
        "along: -0.145579, -0.100475 0.022789 1.277136",
        "fastest: -0.264860 -0.064841 -0.030547, which takes 2.609022",
    ]


@pytest.mark.slow
def test_a_network_is_trained_through_a_functional_and_its_derivative(example: Any):
    ran = example("brachistochrone_network")
    assert ran.printed.splitlines() == [
        "least: 2.554914, after five steps 2.496987",
        "stationary: 52.913788, after five steps 8.886729",
        "along: 0.902781, after five steps -0.379110",
    ]
    net, away = ran.drawn(1), ran.drawn(2)
    moved = lambda h: ran.Network(
        *[np.asarray(a) + h * np.asarray(b) for a, b in zip(_parts(net), _parts(away), strict=True)]
    )
    assert ran.least(net) == pytest.approx(_time_of(net), rel=1e-12)
    for loss in ran.losses[:2]:  # the third has the slope of the first
        slope = rose.grad(loss)(net)
        along = sum([float(np.vdot(a, b)) for a, b in zip(_parts(slope), _parts(away), strict=True)])
        assert along == pytest.approx((loss(moved(1e-6)) - loss(moved(-1e-6))) / 2e-6, rel=1e-5)


def _parts(net: Any) -> list[Any]:
    return [getattr(net, name) for name in ("w1", "b1", "w2", "b2", "w3", "b3", "w4", "b4")]


def _time_of(net: Any) -> float:
    """The time of the slide along the curve of a network, by NumPy."""
    w1, b1, w2, b2, w3, b3, w4, b4 = map(np.asarray, _parts(net))
    x = np.array([0.01 + 0.99 * k / 49 for k in range(50)])[:, None]
    h, dh = x * w1 + b1, np.ones_like(x) * w1
    for w, b in ((w2, b2), (w3, b3), (w4[None, :], b4)):
        s = 1.0 / (1.0 + np.exp(-h))
        h, dh = s @ w.T + b, (s * (1.0 - s) * dh) @ w.T
    wave, turn = np.sin(math.pi * x), math.pi * np.cos(math.pi * x)
    y, slope = h * wave - x, dh * wave + h * turn - 1.0
    return float(np.sum(np.sqrt(1.0 + slope**2) / np.sqrt(-y)) / 50)


def test_a_network_of_integrals_learns_kernels(example: Any):
    printed = example("neural_functional").printed.splitlines()
    assert printed == [
        "after 0 steps: loss 2.641506, kernel 1.202740",
        "after 1 steps: loss 0.771752, kernel 1.354292",
        "after 2 steps: loss 0.284366, kernel 1.443982",
    ]


def test_a_pendulum_swings_as_its_action_says(example: Any):
    ran = example("pendulum")
    *graph, small, large, over = ran.printed.splitlines()
    assert graph[0] == "def grad(action)(q: Map[Real, Real]): Map[Real, Real] ="
    assert ran.acceleration(1.0, 0.3) == pytest.approx(-math.sin(1.0), rel=1e-14)
    assert [line.rpartition(" ")[2] for line in (small, large, over)] == ["0.100000000", "1.000000000", "2.999999999"]


def test_a_path_around_a_hill_is_found_by_natural_gradients(example: Any):
    ran = example("least_action")
    straight, plain, natural, *bends = [float(x) for x in re.findall(r"\d+\.\d+", ran.printed)]
    assert straight > plain > natural and all([b > 0.0 for b in bends])
    c, d = ran.natural(ran.straight), [1.0] + [0.0] * (ran.WAVES - 1)
    assert ran.bend(c, d) == pytest.approx(rose.hvp(ran.cost)(c, d)[0], rel=1e-9)
    assert np.linalg.norm(rose.grad(ran.cost)(c)) < np.linalg.norm(rose.grad(ran.cost)(ran.plain(ran.straight))) / 10


def test_what_users_of_others_asked_for(example: Any):
    ran, at, h = example("asked"), [0.3, 0.1, -0.2], 1e-6
    hand = rose.compile(ran.hand)
    off = (ran.BASE - ran.HAND) * math.tan(math.pi / 6) / 2
    for k, angle in enumerate(at):
        out, turn = off + ran.ARM * math.cos(angle), -math.pi / 2 + 2 * math.pi * k / 3
        elbow = [out * math.cos(turn), out * math.sin(turn), -ran.ARM * math.sin(angle)]
        assert math.dist(elbow, hand(at)) == pytest.approx(ran.BAR, rel=1e-12)
    moved = [(hand(np.add(at, d)) - hand(np.subtract(at, d))) / (2 * h) for d in h * np.eye(3)]
    assert np.transpose(rose.compile(ran.moves)(at)) == pytest.approx(np.array(moved), rel=1e-7)
    *_, wave, first, last = ran.printed.splitlines()
    assert wave.startswith("amplitude 2.000000, frequency 2.000000, after ")
    assert float(first.split()[-1]) > 1.0 and float(last.split()[-1]) < 0.02


def test_every_example_is_tested_says_what_it_shows_and_imports_little():
    tested = Path(__file__).read_text(encoding="utf-8")
    for name in EXAMPLES:
        text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
        assert f'example("{name}")' in tested
        assert text.startswith('"""')
        assert not re.search(r"^\s*(from|import) (numpy|wasmtime|wasm_backend|rose\.)", text, re.MULTILINE)
