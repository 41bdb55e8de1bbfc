"""Numbers that are known: derivatives in Owl's book, in Diffractor's tests, and of what has a closed form.

Each is computed by the interpreter, and to the bit by a module; where it matters, in every mode.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from harness import compiled, same

import rose
from rose import Bool, Dual, Fin, Real, Vec
from rose.differentiation.gradients import pullback
from rose.host.interpreter import run
from rose.ir.check import check

R2, R3 = Vec[2], Vec[3]


def real(body: Any) -> rose.Fn[..., Any]:
    return rose.fn([Real], Real)(body)


def on(*types: Any, to: Any = Real) -> Callable[[Any], Any]:
    return rose.fn(list(types), to)


def at(f: Any, *args: Any) -> Any:
    """What a function gives in the interpreter, and to the bit in a module."""
    got = run(check(f.func), *args)
    assert same(got, compiled(f.func)(*args))
    return got


def near(x: Any, rel: float = 1e-13) -> Any:
    return pytest.approx(x, rel=rel, abs=1e-15)


FORWARD = lambda f: real(lambda x: rose.jvp(f)(Dual(x, 1.0)).du)
MODES = {"reverse": rose.grad, "forward": FORWARD}
every_mode = pytest.mark.parametrize("d", MODES.values(), ids=MODES.keys())


def orders(d: Any, body: Any, x: float, count: int) -> list[float]:
    """The value and its first derivatives."""
    fs = [real(body)]
    for _ in range(count):
        fs.append(d(fs[-1]))
    return [at(f, x) for f in fs]


# Owl's book


def test_a_product_in_a_sine():
    f = on(Real, Real)(lambda x, y: rose.sin(x * y))
    assert at(rose.jvp(f), (2.0, 1.0), (2.0, 0.0)) == near((-0.7568024953079282, -1.3072872417272239))
    assert at(pullback(f), 2.0, 2.0, 1.0)[1] == near((-1.3072872417272239, -1.3072872417272239))


@every_mode
def test_a_square_in_a_sine(d: Any):
    assert orders(d, lambda x: rose.sin(x**2), 2.0, 1)[1] == near(-2.6145744834544478)


def test_a_tape_is_pulled_back_twice():
    y, pull = rose.vjp(real(lambda x: x**2 + x))(3.0)
    assert (y, pull(10.0), pull(1.0), pull(10.0)) == (12.0, 70.0, 7.0, 70.0)


@every_mode
def test_a_hyperbolic_tangent_to_fourth_order(d: Any):
    wanted = [0.41997434161402607, -0.6397000084492246, 0.6216266807712962, 0.66509104475050]
    assert orders(d, rose.tanh, 1.0, 4)[1:] == near(wanted)
    assert orders(d, rose.tanh, 0.1, 1)[1] == near(0.99006629084744)


TANH = [
    0.915136961826629, -0.533181878201454, -1.36430610610112, 3.72248581661372, 6.11370393195315, -52.1763075767859,
    -14.4230480094839, 1169.29256508477, -2063.7592899915,
]  # fmt: skip
SINES = [
    0.611544751106977, -0.866422440012048, -0.0815364720585371, 3.18611494413592, -5.57858872359353, -22.1036232293692
]  # fmt: skip


@pytest.mark.slow
@every_mode
def test_derivatives_of_high_order(d: Any):
    count = 7 if d is rose.grad else 9
    assert orders(d, rose.tanh, 0.3, count)[1:] == near(TANH[:count], 1e-12)
    assert orders(d, lambda x: rose.sin(rose.sin(x)), 0.7, 6)[1:] == near(SINES, 1e-12)


def bumps(x: Any) -> Any:
    return x[0] ** 2 * x[1] + rose.sin(x[2]) * rose.exp(x[0])


def test_a_function_of_three_numbers():
    f, x, v = on(R3)(bumps), (0.5, -1.2, 0.8), (1.0, 2.0, -0.5)
    gradient = (-0.017279754267662151, 0.25, 1.1486751711401635)
    rows = (
        (-1.2172797542676621, 1.0, 1.1486751711401635),
        (1.0, 0.0, 0.0),
        (1.1486751711401635, 0.0, -1.1827202457323378),
    )
    assert at(f, x) == near(0.88272024573233776)
    assert at(rose.grad(f), x) == near(gradient)
    assert at(rose.jacfwd(f), x) == near(gradient)
    for h in (rose.hessian(f), rose.jacrev(rose.jacfwd(f)), rose.jacfwd(rose.jacfwd(f)), rose.jacrev(rose.grad(f))):
        assert at(h, x) == tuple(map(near, rows))
    assert at(rose.hvp(f), x, v) == near((0.20838266016225626, 1.0, 1.7400352940063324))
    assert at(rose.jvp(f), tuple(zip(x, v, strict=True)))[1] == near(-0.091617339837743894)


def test_a_trace_of_a_hessian_is_differentiated():
    def laplacian(f: Any) -> Any:
        def total(x: Any) -> Any:
            h = rose.hessian(f)(x)
            return rose.sum(h[i][i] for i in rose.range(3))

        return on(R3)(total)

    assert at(laplacian(on(R3)(bumps)), (0.5, -1.2, 0.8)) == near(-2.4)
    cubes = on(R3)(lambda x: rose.sum(x[i] ** 3 for i in rose.range(3)))
    assert at(rose.grad(laplacian(cubes)), (1.0, 2.0, -3.0)) == (6.0, 6.0, 6.0)


def test_a_function_to_two_numbers():
    g = on(R3, to=R2)(lambda x: [x[0] * x[1], rose.sin(x[2]) + x[0]])
    x, rows = (0.5, -1.2, 0.8), ((-1.2, 0.5, 0.0), (1.0, 0.0, 0.69670670934716539))
    for jacobian in (rose.jacfwd, rose.jacrev, rose.jacobian):
        assert at(jacobian(g), x) == tuple(map(near, rows))
    along = at(rose.jvp(g), tuple(zip(x, (1.0, 2.0, -0.5), strict=True)))
    assert [du for _, du in along] == near([-0.2, 0.65164664532641736])
    assert at(pullback(g), x, (2.0, -3.0))[1] == near((-5.4, 1.0, -2.0901201280414963))


@pytest.mark.parametrize(("start", "eta", "iterations", "wanted"), [
    ((0.5, 0.9), 1.0, 4, (0.0, 0.0)), ((2.0, 4.0), 1.0, 5, (math.pi, math.pi)), ((1.0, 1.2), 1.0, 5, (0.0, math.pi)),
    ((0.5, 0.9), 0.01, 1366, (5.225e-07, 8.523e-07)),
])  # fmt: skip
def test_newtons_method_takes_the_iterations_that_it_does(start: Any, eta: float, iterations: int, wanted: Any):
    f = on(R2)(lambda x: rose.cos(x[0]) + rose.cos(x[1]))

    @rose.fn
    def search(x: R2) -> tuple[R2, Real]:
        def iteration(s: Any) -> Any:
            g, h = rose.grad(f)(s[0]), rose.hessian(f)(s[0])
            d = h[0][0] * h[1][1] - h[0][1] * h[1][0]
            step = [(h[1][1] * g[0] - h[0][1] * g[1]) / d, (h[0][0] * g[1] - h[1][0] * g[0]) / d]
            return [s[0][k] - eta * step[k] for k in range(2)], s[1] + 1.0

        return rose.while_loop(lambda s: rose.norm(rose.grad(f)(s[0])) >= 1e-6, iteration, (x, 0.0))

    x, count = at(search, start)
    assert count == iterations
    assert x == pytest.approx(wanted, abs=1e-9)


@every_mode
def test_a_function_of_the_users_own(d: Any):
    @rose.opaque
    def sine(x: Real) -> Real:
        return math.sin(x)

    @rose.opaque
    def cosine(x: Real) -> Real:
        return math.cos(x)

    sine.jvp(lambda x: Dual(sine(x.re), cosine(x.re) * x.du))
    cosine.jvp(lambda x: Dual(cosine(x.re), -sine(x.re) * x.du))
    assert orders(d, sine, 1.0, 2)[1:] == near([0.5403023058681398, -0.8414709848078965])
    assert orders(d, lambda x: math.cos(1) / sine(x), 0.5, 1)[1] == near(-2.0629204271928727)


def test_sums_of_exponentials_in_both_precisions():
    f = rose.grad(on(R2)(lambda x: rose.exp(x[0]) + rose.exp(x[1])))
    assert at(f, (1.0, 2.0)) == near((2.718281828459045, 7.38905609893065))
    assert list(rose.compile(f, dtype="f32")([1.0, 2.0])) == pytest.approx([2.71828175, 7.38905621], rel=1e-7)
    g = rose.grad(on(R2)(lambda x: rose.sum(rose.sin(x[i] * x[i]) * rose.exp(x[i]) for i in rose.range(2))))
    assert at(g, (0.3, 0.8)) == near((0.9279606923984676, 4.185237997447812))
    assert at(g, (1.1, -0.4)) == near((5.143909363388753, -0.4226124028400147))


# the terminology guide of Diffractor, and its tests


D = (0.7, 1.1, 0.9, 1.3, -0.7, 0.4, 0.8, -0.5, 0.6, 0.2, -0.3, 0.75, -0.15, 0.35, 0.55, 1.2)
SINE = (
    0.6442176872376911, 0.8413264060129373, 0.6883579685560396, 0.3565193331045208, -0.5353895310991419,
    0.8019844940868175, 1.017730892787336, -0.06497729464253178, 0.4589053123706931, -0.2722152361199784,
    -0.5773302072936997, -0.2865417617433652, 0.155845100547157, 0.6629260057454545, 0.3522327333830867,
    0.5704298536867622,
)  # fmt: skip


def bundle(xs: Sequence[float]) -> Any:
    """A Dual of Duals, whose leaves are these."""
    half = len(xs) // 2
    return xs[0] if not half else (bundle(xs[:half]), bundle(xs[half:]))


def leaves(x: Any) -> list[float]:
    return [y for half in x for y in leaves(half)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize("n", range(5))
def test_duals_of_duals_are_sums_over_partitions(n: int):
    f, g, count = real(rose.sin), real(rose.exp), 2**n
    for _ in range(n):
        f, g = rose.jvp(f), rose.jvp(g)
    assert leaves(at(f, bundle(D[:count]))) == near(SINE[:count], 1e-12)
    if n == 3:
        w, a, b, c, d, e, z, h = D[:8]
        wanted = [1, a, b, c + a * b, d, e + a * d, z + b * d, h + a * z + b * e + d * (c + a * b)]
        assert leaves(at(g, bundle(D[:8]))) == near([math.exp(w) * x for x in wanted])


def test_a_pullback_of_a_pullback_has_the_same_numbers():
    """Figure 5: the names of the numbers are those of the guide."""
    x, d, d1, d2 = 0.7, 1.1, 0.9, 1.3
    once, twice = pullback(real(rose.sin)), pullback(pullback(real(rose.sin)))
    assert at(once, x, d) == near((0.6442176872376911, 1.1 * math.cos(0.7)))
    assert at(twice, x, d, (0.0, d1))[1] == near((-0.6377755103653141, 0.6883579685560396))
    assert at(twice, x, d, (d2, d1))[1] == near((0.3565193331045208, 0.6883579685560396))
    assert at(twice, x, 1.0, (0.0, 1.0))[1][0] == near(-0.6442176872376911)
    ways = [rose.jvp(once), rose.jvp(rose.jvp(real(rose.sin)))]
    mixed, forward = at(ways[0], (D[0], D[2]), (D[1], D[3])), at(ways[1], bundle(D[:4]))
    assert leaves(mixed) == near([forward[0][0], forward[1][0], forward[0][1], forward[1][1]])


def test_a_pullback_of_a_pullback_of_a_pullback():
    f = real(rose.sin)
    for _ in range(3):
        f = pullback(f)
    got = at(f, 0.7, 1.1, (0.0, 0.9), ((0.0, 0.0), (1.3, 0.4)))[1]
    s, c = math.sin(0.7), math.cos(0.7)
    x, ct, again = got
    # of 1.3 * (-0.9 * 1.1 * sin x) + 0.4 * (0.9 * cos x), by all that it depends on
    assert x == near(-1.3 * 0.9 * 1.1 * c - 0.4 * 0.9 * s)
    assert ct == near(-1.3 * 0.9 * s)
    assert again == near((1.3 * c, -1.3 * 1.1 * s + 0.4 * c))


@every_mode
def test_a_pullback_inside_of_what_is_differentiated(d: Any):
    z = lambda x: rose.vjp(real(rose.sin))(x).grad(rose.sin(x) ** 2)
    wanted = [0.3174220729710865, 0.4863526031772326, -1.327114282170801, -5.665608803070475]
    assert orders(d, z, 0.7, 3) == near(wanted)
    assert orders(d, lambda x: x * d(real(rose.sin))(x), 0.7, 1)[1] == near(0.3138898062181047)


TAYLOR = {
    "sin": (0.479425538604203, 0.8775825618903727, -0.2161507700370912, -1.48458205901223, -0.2318197440149794),
    "cos": (0.8775825618903727, -0.479425538604203, -1.021410223471634, -0.2145136593762918, 1.870069412156894),
    "exp": (1.648721270700128, 1.648721270700128, 2.143337651910167, 2.802826160190218, 4.896702173979381),
    "log": (-0.6931471805599453, 2, -3.4, 12, -63.68),
    "sqrt": (0.7071067811865475, 0.7071067811865475, -0.4949747468305833, 1.34350288425444, -5.918483758531403),
    "tanh": (0.4621171572600098, 0.7864477329659274, -0.4909276614938091, -1.376674618098184, 3.870593108066447),
    "inverse": (2, -4, 14.8, -80.8, 583.92),
    "x_sin_x": (0.2397127693021015, 0.9182168195493894, 1.790917400343461, -0.6968041416368937, -6.80977766661253),
    "power": (0.1767766952966369, 0.8838834764831844, 2.916815472394509, 4.861359120657514, 1.334664049489608),
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    "inverse": lambda x: 1 / x, "x_sin_x": lambda x: x * rose.sin(x), "power": lambda x: x**2.5,
}  # fmt: skip


@every_mode
@pytest.mark.parametrize("name", TAYLOR)
def test_derivatives_along_a_curve(name: str, d: Any):
    f = FUNCTIONS.get(name) or getattr(rose, name)
    curve = lambda t: 0.5 + t + 0.3 * t**2 / 2 - 0.2 * t**3 / 6 + 0.7 * t**4 / 24
    assert orders(d, lambda t: f(curve(t)), 0.0, 4) == near(TAYLOR[name], 1e-11)


WAVES = [1.10088281832727, 1.88162228723258, -4.39057023530139, -20.5461370999739, 100.834431792449, 637.147589694797]
NESTED = [0.366440771183107, -0.882541169492689, 1.55142618435107, 0.119621106221882, -22.946993289382]


@every_mode
def test_derivatives_of_compositions(d: Any):
    assert orders(d, lambda x: x * rose.tanh(x * rose.sin(x)), 0.7, 5)[1:] == near(WAVES[:5], 1e-11)
    five = lambda x: rose.sin(rose.sin(rose.sin(rose.sin(rose.sin(x)))))
    assert orders(d, five, 0.7, 4)[1:] == near(NESTED[:4], 1e-11)


def test_gradients_of_diffractors_tests():
    angles = on(R3)(lambda x: rose.sum(
        rose.sum(rose.sqrt(rose.atan2(x[i], x[j])) for j in rose.range(3)) for i in rose.range(3)))  # fmt: skip
    assert at(rose.grad(angles), (1.0, 2.0, 3.0)) == near(
        (0.23387318175456884, -0.01774027690696528, -0.06613087598021278)
    )
    shares = on(R3)(lambda x: rose.sum(rose.sum(x) / x[i] for i in rose.range(3)))
    assert at(rose.grad(shares), (1.0, 2.0, 3.0)) == near((-25 / 6, 1 / 3, 7 / 6))
    rows = on(Vec[2, Vec[2]], R2)(
        lambda x, y: rose.sum(rose.sum(x[i][j] / y[i] for j in rose.range(2)) for i in rose.range(2))
    )
    gradients = at(rose.grad(rows, (0, 1)), ((1.0, 2.0), (3.0, 4.0)), (1.0, 2.0))
    assert gradients == (((1.0, 1.0), (0.5, 0.5)), (-3.0, -1.75))
    times, product = on(Real, Real)(lambda x, y: x * y), on(R3)(lambda x: rose.prod(x[i] for i in rose.range(3)))
    assert at(rose.grad(times, (0, 1)), 1.5, 10.0) == (10.0, 1.5)
    assert at(rose.jacrev(product), (1.5, 2.5, 10.0)) == at(rose.jacfwd(product), (1.5, 2.5, 10.0)) == (25, 15, 3.75)


def test_second_orders_of_diffractors_tests():
    powers = lambda n: on(R3)(lambda x: rose.sum(x[i] ** n for i in rose.range(3)))
    again = lambda f: on(R3)(lambda x: rose.sum(rose.grad(f)(x)))
    assert at(rose.grad(again(powers(2))), (1.0, 2.0, 3.0)) == (2, 2, 2)
    assert at(rose.grad(powers(3)), (1.0, 2.0, 3.0)) == (3, 12, 27)
    assert at(rose.grad(again(powers(3))), (2.0, 2.0, 2.0)) == (12, 12, 12)
    for first, second in itertools.product(MODES.values(), repeat=2):
        assert at(first(second(real(lambda x: x**3))), 2.0) == 12


@pytest.mark.slow
def test_a_loss_with_second_derivatives_in_it():
    """A small network, the equation that it is to solve, and the gradient of how far it is from that."""
    weights = tuple([math.sin(k) for k in range(1, 11)])
    gradient = (
        -1.4038593475585992, -2.152704820285065, -0.14647745043292743, -0.7063968894096131, -1.4057621038055612,
        -0.5832330241332842, 0.06560332592612661, 0.1728068813435465, 0.3911521219546709, -1.5670058846187365,
    )  # fmt: skip

    def loss(d: Any, e: Any) -> Any:
        def body(w: Any) -> Any:
            hidden = lambda x, j: w[6 + j] * rose.tanh(w[j] * x + w[3 + j])
            u = real(lambda x: hidden(x, 0) + hidden(x, 1) + hidden(x, 2) + w[9])
            return (d(e(u))(0.1) + u(0.1)) ** 2

        return on(Vec[10])(body)

    for d, e in itertools.product(MODES.values(), repeat=2):
        assert at(loss(d, e), weights) == near(0.6138768606074372)
        for whole in (rose.grad, rose.jacfwd):
            assert at(whole(loss(d, e)), weights) == near(gradient, 1e-12)


# what has a closed form, and a derivative by hand


@every_mode
def test_the_logistic_map_by_choices_has_its_closed_form(d: Any):
    """For the growth 4, x after n iterations is sin(2 ** n * asin(sqrt(x))) ** 2."""
    half = lambda x: rose.cond(x < 0.5, lambda: 2 * x, lambda: 2 - 2 * x)
    x, iterations = 0.31, 8
    angle = math.asin(math.sqrt(x))
    logistic = lambda x: rose.scan(
        lambda _, s: half(s) * rose.cond(s < 0.5, lambda: 2 - 2 * s, lambda: 2 * s), x, iterations
    )
    slope = 2**iterations * math.sin(2 * 2**iterations * angle) / (2 * math.sqrt(x * (1 - x)))
    assert orders(d, logistic, x, 1) == near([math.sin(2**iterations * angle) ** 2, slope], 1e-10)


def swing(n: int) -> Any:
    """The angle of a pendulum after `n` steps, from an angle, a speed, and a length; with checkpoints."""
    h = 10.0 / n

    def angle(v: Any) -> Any:
        def step(_: Any, s: Any) -> Any:
            speed = s[1] - h * 9.81 / v[2] * rose.sin(s[0])
            return s[0] + h * speed, speed

        return rose.scan(step, (v[0], v[1]), n, checkpoint="binomial")[0]

    return on(R3)(angle)


def adjoint_of_swing(n: int, v: Sequence[float]) -> tuple[float, float, float]:
    """Its gradient, written by hand: the states are kept, and walked backward."""
    h, (x, speed, length) = 10.0 / n, v
    angles: list[float] = []
    for _ in range(n):
        angles.append(x)
        speed -= h * 9.81 / length * math.sin(x)
        x += h * speed
    ct_x, ct_speed, ct_length = 1.0, 0.0, 0.0
    for x in reversed(angles):
        ct_speed += h * ct_x
        ct_x -= h * 9.81 / length * math.cos(x) * ct_speed
        ct_length += h * 9.81 / length**2 * math.sin(x) * ct_speed
    return ct_x, ct_speed, ct_length


@pytest.mark.slow
def test_a_pendulum_with_checkpoints_has_the_gradient_written_by_hand():
    n, v = 100_000, (0.5, 0.1, 1.2)
    assert list(rose.grad(swing(n))(v)) == pytest.approx(adjoint_of_swing(n, v), rel=1e-10)


def test_indices_in_a_list_and_the_arms_of_a_choice_are_of_the_larger_type():
    @rose.fn
    def f(i: Fin[3], j: Fin[7], c: Bool) -> tuple[Vec[3, Fin[7]], Fin[7], Fin[9]]:
        return [i, j, i], rose.select(c, i, j), rose.select(c, j, i + 6)

    for c, chosen in ((True, (2, 6)), (False, (6, 8))):
        listed, *rest = f(2, 6, c)
        assert (listed.tolist(), *rest) == ([2, 6, 2], *chosen)
        assert run(f.func, 2, 6, c) == ((2, 6, 2), *chosen)


def test_a_choice_between_an_index_and_a_number_is_a_number():
    f = rose.fn([Fin[3], Real, Bool], Real)(lambda i, x, c: rose.select(c, i, x) / 2)
    assert [f(2, 0.5, c) for c in (True, False)] == [1.0, 0.25]
