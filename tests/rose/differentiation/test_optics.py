"""`rose.optic`: all stages of nested reverse mode, against the sum over set partitions, and published figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

import rose
from rose import Bool, Fin, Real, RoseError, Vec, dim, fn
from rose.host.interpreter import run
from rose.testing import examine

X = 0.7
D = [1.1, 0.9, 1.3, -0.7, 0.4, 0.8, -0.5, 0.6, 0.2, -0.3, 0.75, -0.15, 0.35, 0.55, 1.2]
SINE = [
    0.6442176872376911, 0.8413264060129373, 0.6883579685560396, 0.3565193331045208,
    -0.5353895310991419, 0.8019844940868175, 1.017730892787336, -0.06497729464253178,
    0.4589053123706931, -0.2722152361199784, -0.5773302072936997, -0.2865417617433652,
    0.155845100547157, 0.6629260057454545, 0.3522327333830867, 0.5704298536867622,
]  # fmt: skip
sine = fn([Real], Real)(rose.sin)

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], list[float]]] = {  # with the derivatives at X, from the 0th on
    "sin": (rose.sin, [math.sin(X + k * math.pi / 2) for k in range(5)]),
    "exp": (rose.exp, [math.exp(X)] * 5),
    "x ** 5": (lambda x: x**5, [X**5, 5 * X**4, 20 * X**3, 60 * X**2, 120 * X]),
    "1 / x": (lambda x: 1.0 / x, [math.factorial(k) * (-1) ** k / X ** (k + 1) for k in range(5)]),
    "a line": (lambda x: 3.0 * x - 1.0, [3.0 * X - 1.0, 3.0, 0.0, 0.0, 0.0]),
    "a constant": (lambda x: x * 0.0 + 2.0, [2.0, 0.0, 0.0, 0.0, 0.0]),
    "a loop": (lambda x: rose.prod(x for _ in rose.range(3)), [X**3, 3 * X**2, 6 * X, 6.0, 0.0]),
    "a branch": (lambda x: rose.cond(x > 0.0, lambda: x * x, lambda: -x), [X**2, 2 * X, 2.0, 0.0, 0.0]),
}


def partitions(bits: list[int]) -> Iterator[list[int]]:
    """The partitions of bits, each block as the number that has those bits."""
    if not bits:
        yield []
        return
    first, *rest = bits
    for p in partitions(rest):
        yield [first, *p]
        for k, block in enumerate(p):
            yield [*p[:k], block | first, *p[k + 1 :]]


def expected(derivatives: list[float], k: int) -> float:
    bits = [1 << b for b in range(k.bit_length()) if k >> b & 1]
    return math.fsum([derivatives[len(p)] * math.prod([D[block - 1] for block in p]) for p in partitions(bits)])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_output_is_the_sum_over_the_partitions_of_its_bits(name: str, n: int):
    f, derivatives = FUNCTIONS[name]
    got = rose.optic(fn([Real], Real)(f), n)(X, D[: 2**n - 1])
    assert list(got) == pytest.approx([expected(derivatives, k) for k in range(2**n)], rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_stages_of_a_sine_are_those_that_were_published(n: int):
    assert list(rose.optic(sine, n)(X, D[: 2**n - 1])) == pytest.approx(SINE[: 2**n], rel=1e-14)


def test_the_stages_of_the_exponential_are_those_of_diffractor():
    a, b, c, d, e, z, h = D[:7]
    exact = [1, a, b, c + a * b, d, e + a * d, z + b * d, h + a * z + b * e + d * (c + a * b)]
    got = rose.optic(fn([Real], Real)(rose.exp), 3)(X, D[:7])
    assert list(got) == pytest.approx([math.exp(X) * k for k in exact], rel=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_module_has_the_bits_of_the_interpreter(n: int):
    f = rose.optic(sine, n)
    assert list(f(X, D[: 2**n - 1])) == list(run(f.func, X, tuple(D[: 2**n - 1])))


def test_the_derivatives_of_a_function_are_outputs_of_it():
    _, first, _, second = rose.optic(sine, 2)(X, [1.0, 1.0, 0.0])
    assert (first, second) == pytest.approx((math.cos(X), -math.sin(X)), rel=1e-15)


@rose.struct
class State:
    x: Real
    rows: Vec[2, 2]
    none: Vec[0]


@fn
def moved(s: State) -> State:
    return State(s.x * s.rows[0, 1], [[s.x, s.rows[1, 0] ** 2], [s.rows[0, 0] * s.x, 1.0]], s.none)


def test_an_optic_of_a_struct_has_vectors_of_structs():
    ds = [State(0.5, [[1.0, -1.0], [0.25, 2.0]], []) for _ in range(3)]
    s = State(2.0, [[0.5, -3.0], [1.5, 0.75]], [])
    out = rose.optic(moved, 2)(s, ds)
    assert out[0].x == -6.0 and repr(out[1]) == repr(rose.vjp(moved)(s).grad(ds[0]))


def test_between_types_inputs_and_outputs_alternate():
    f = fn([Vec[2]], Real)(lambda x: x[0] * rose.sin(x[1]))
    y, back, forward, second = rose.optic(f, 2)([1.0, 2.0], (1.0, [1.0, 0.0], 0.0))
    assert y == forward == math.sin(2.0) and list(back) == [math.sin(2.0), math.cos(2.0)]
    assert list(second) == [0.0, math.cos(2.0)]


def test_an_optic_is_differentiated_and_has_any_size():
    n = dim("n")
    f = rose.optic(fn([Vec[n]], Vec[n])(lambda x: rose.vec(rose.sin(e) for e in x)), 2)
    assert f([], [[], [], []]).shape == (4, 0) and f([X], [[d] for d in D[:3]]).ravel() == pytest.approx(SINE[:4])
    assert examine(rose.optic(sine, 2), points=2).ok


# figures 5 and 6: the stages of sin, and of functions that copy their argument (d), with independent inputs

f1 = fn([Real, Real], Real)(lambda x, d: rose.vjp(sine)(x).grad(d))
f2 = fn([tuple[Real, Real], Real], tuple[Real, Real])(lambda s, d1: rose.vjp(f1)(*s).grad(d1))
copied = fn([Real], tuple[Real, Real])(lambda x: (x, sine(x)))
copied1 = fn([Real, tuple[Real, Real]], Real)(lambda x, ds: rose.vjp(copied)(x).grad(ds))
twice = fn([Real], tuple[Real, Real, Real])(lambda x: (x, x, sine(x)))
beside = fn([Real, Real], tuple[tuple[Real, Real], Real])(lambda x, d: ((x, d), f1(x, d)))
FIGURES: dict[str, tuple[Callable[[], Any], Any]] = {
    "f*": (lambda: f1(X, 1.1), 0.8413264060129373),
    "f**": (lambda: f2((X, 1.1), 0.9), (-0.6377755103653141, 0.6883579685560396)),
    "f***": (
        lambda: rose.vjp(f2)((X, 1.1), 0.9).grad((0.8, -0.5)),
        ((-0.3158570530723539, -0.4638367348111376), -0.9493326584114123),
    ),
    "(df*)*": (
        lambda: rose.vjp(beside)(X, 1.1).grad(((0.2, -0.3), 0.6)), (-0.2251836735768761, 0.1589053123706931),
    ),
    "(df)*": (lambda: copied1(X, (0.4, 1.3)), 1.394294843469835),
    "(df)**": (
        lambda: rose.vjp(copied1)(X, (0.4, 1.3)).grad(0.75), (-0.6281122450567488, (0.75, 0.5736316404633663)),
    ),
    "(ddf)*": (lambda: rose.vjp(twice)(X).grad((0.35, 0.55, -0.15)), 0.7852736719073267),
    "figure 5": (lambda: copied1(X, (-0.6377755103653141, 1.3)), 0.3565193331045208),
    "figure 5, all seeds 1": (lambda: rose.optic(sine, 2)(X, [1.0, 1.0, 0.0])[3], -0.6442176872376911),
}  # fmt: skip


def flat(x: Any) -> list[float]:
    return [z for y in x for z in flat(y)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_its_intermediate_values(name: str):
    stage, exact = FIGURES[name]
    assert flat(stage()) == pytest.approx(flat(exact), rel=1e-14)


def test_a_derivative_in_the_primal_is_differentiated_three_times():
    z = fn([Real], Real)(lambda x: rose.vjp(sine)(x).grad(sine(x) ** 2))
    exact = [0.3174220729710865, 0.4863526031772326, -1.327114282170801, -5.665608803070475]
    for order in exact:
        assert z(X) == pytest.approx(order, rel=1e-13)
        z = rose.grad(z)
    inside = fn([Real], Real)(lambda x: x * rose.grad(sine)(x))
    assert rose.grad(inside)(X) == pytest.approx(0.3138898062181047, rel=1e-14)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: rose.optic(sine, 0), "a whole number from 1 to 8, not 0"),
        (lambda: rose.optic(sine, -2), "a whole number from 1 to 8, not -2"),
        (lambda: rose.optic(sine, 1.5), "a whole number from 1 to 8, not 1.5"),
        (lambda: rose.optic(f1, 1), "a function of one argument"),
        (lambda: rose.optic(fn([Fin[3]], Real)(lambda i: 1.0), 1), "without a derivative"),
        (lambda: rose.optic(fn([Real], Bool)(lambda x: x > 0.0), 1), "without a derivative"),
        (lambda: rose.optic(rose.sin, 1), "takes an @fn function"),
        (lambda: rose.optic(sine, 2)(X, [1.0]), "inputs must be a Vec"),
    ],
)
def test_what_has_no_optic_is_an_error_that_says_so(wrong: Callable[[], Any], said: str):
    with pytest.raises(RoseError, match=said):
        wrong()


def test_code_of_a_sine_grows_slowly_with_the_order():
    """Stages of stages are swept as stages are, so that their tapes are gone."""
    sizes = [len(rose.compile(rose.optic(sine, n)).wasm) for n in range(1, 7)]
    assert all([large < 1.4 * small for small, large in pairwise(sizes)]), sizes
