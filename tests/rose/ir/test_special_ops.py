"""The rows of special functions: values and derivatives against mpmath, edges, refusals."""

import math
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special
from harness import bits
from special_functions import TABLE, drawn, exact, function, slope

import rose
from rose import NotDifferentiable, Real, Vec, fn, special
from rose.ir import special_ops
from rose.ir.text.printer import show
from rose.ir.value import SPECIALS

INF, NAN = math.inf, math.nan
SLOW = {"k0", "k1", "k0e", "k1e", "kv", "kve", "gammainccinv", "betaincinv", "gammaincinv", "y1"}  # in mpmath
VALUES = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.5, INF, -INF, NAN]


def made(name: str) -> Any:
    """The function as one of the language."""
    n = len(TABLE[name].ranges)
    body: dict[int, Callable[..., Any]] = {
        1: lambda a: function(name)(a),
        2: lambda a, b: function(name)(a, b),
        3: lambda a, b, c: function(name)(a, b, c),
        4: lambda a, b, c, d: function(name)(a, b, c, d),
    }
    return rose.fn([Real] * n, Real)(body[n])


def derivative(f: Any, k: int) -> Any:
    return rose.grad(f, argnums=k)


def points(name: str, n: int) -> list[list[float]]:
    return drawn(name, 2 if name in SLOW else n)


def near(x: float, y: float, error: float, beside: float) -> bool:
    return abs(x - y) <= error * max(abs(y), beside)


@pytest.mark.parametrize("name", TABLE)
def test_values_are_those_of_mpmath_and_compiled_code_has_the_bits_of_python(name: str):
    f, s = made(name), TABLE[name]
    for xs in points(name, 15):
        assert near(f(*xs), exact(s.of, xs), s.error, s.beside), xs
        assert bits(f(*xs)) == bits(function(name)(*xs))


@pytest.mark.parametrize(("name", "k"), [(name, k) for name, s in TABLE.items() for k in s.moving])
def test_derivatives_are_those_of_mpmath_twice_compiled_as_in_eager(name: str, k: int):
    s, f = TABLE[name], made(name)
    once = derivative(f, k)
    twice = derivative(once, k)
    for xs in points(name, 4)[-4:]:
        assert near(once(*xs), slope(name, xs, k, 1), s.slopes, s.beside), xs
        assert near(twice(*xs), slope(name, xs, k, 2), s.slopes, s.beside), xs
        with rose.eager():
            assert bits((once(*xs), twice(*xs))) == bits((derivative(f, k)(*xs), derivative(once, k)(*xs)))


# at 1e300 and beyond SciPy itself does not come to an end with some; what is between them and Boost is left out
@pytest.mark.parametrize("name", [name for name, s in TABLE.items() if len(s.ranges) < 3 and name != "zeta"])
def test_special_values_are_scipys(name: str):
    pairs = [[x] for x in VALUES] if len(TABLE[name].ranges) == 1 else [[x, y] for x in VALUES for y in VALUES]
    for xs in pairs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x, y = function(name)(*xs), float(getattr(scipy.special, name)(*xs))
        assert (math.isnan(x) and math.isnan(y)) or x == y or abs(x - y) <= 1e-13 * abs(y), (xs, x, y)


@pytest.mark.parametrize("name", ["betainc", "betaincinv", "hyp1f1", "hyp2f1"])
def test_a_nan_gives_a_nan(name: str):
    n = len(TABLE[name].ranges)
    for k in range(n):
        xs = [0.5] * n
        xs[k] = NAN
        assert math.isnan(function(name)(*xs))


# the function, the argument in which it moves, where; then the derivatives of order 1, 2 and so on
EDGES: list[tuple[str, int, tuple[float, ...], list[float]]] = [
    ("entr", 0, (0.0,), [INF]),
    ("xlogy", 0, (0.0, 0.0), [-INF]),
    ("xlogy", 1, (0.0, 0.0), [0.0]),
    ("xlogy", 0, (0.0, 2.0), [math.log(2.0), 0.0]),
    ("xlogy", 1, (3.0, 0.5), [6.0, -12.0, 48.0]),
    ("xlog1py", 0, (0.0, -1.0), [-INF]),
    ("xlog1py", 1, (0.0, -1.0), [0.0]),
    ("rel_entr", 1, (0.0, 2.0), [-0.0, 0.0]),
    ("kl_div", 1, (0.0, 2.0), [1.0, 0.0]),
    ("kl_div", 1, (0.0, 0.0), [1.0]),
    ("logit", 0, (1.0,), [INF]),
    ("logit", 0, (0.0,), [INF]),
    ("gammainc", 1, (3.0, 0.0), [0.0, 0.0, 1.0, -3.0, 6.0]),
    ("gammainc", 1, (1.0, 0.0), [1.0, -1.0, 1.0]),
    ("gammainc", 1, (0.5, 0.0), [INF]),
    ("betainc", 2, (2.0, 3.0, 0.0), [0.0, 12.0, -48.0]),
    ("betainc", 2, (2.0, 3.0, 1.0), [0.0, 0.0, 24.0]),
    ("j1", 0, (0.0,), [0.5, 0.0, -0.375]),
    ("j0", 0, (0.0,), [0.0, -0.5, 0.0, 0.375]),
    ("i1", 0, (0.0,), [0.5, 0.0, 0.375]),
    ("ellipk", 0, (0.0,), [math.pi / 8, 9 * math.pi / 64]),
    ("ellipe", 0, (0.0,), [-math.pi / 8, -3 * math.pi / 64]),
    ("dawsn", 0, (0.0,), [1.0, 0.0, -4.0]),
    ("erfinv", 0, (0.0,), [math.sqrt(math.pi) / 2, 0.0]),
    ("erfcx", 0, (100.0,), [-5.64105e-05, 1.12804e-06]),
    ("log_ndtr", 0, (-50.0,), [50.01998, -0.99960]),
    ("polygamma", 1, (1.0, 1.0), [-2.4041138063191885, 6.493939402266829]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "k", "xs", "slopes"), EDGES)
def test_derivatives_at_edges_are_exact(name: str, k: int, xs: tuple[float, ...], slopes: list[float]):
    f = made(name)
    for expected in slopes:
        f = derivative(f, k)
        assert f(*xs) == expected or math.isclose(f(*xs), expected, rel_tol=1e-5, abs_tol=1e-15), (f(*xs), expected)


REFUSED = [
    ("zeta", 0), ("jv", 0), ("yv", 0), ("iv", 0), ("kv", 0), ("ive", 0), ("kve", 0), ("hyp2f1", 0), ("hyp2f1", 1),
    ("hyp2f1", 2), ("hyp1f1", 0), ("hyp1f1", 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "k"), REFUSED)
def test_a_parameter_without_a_derivative_is_refused_by_name(name: str, k: int):
    f = made(name)
    with pytest.raises(NotDifferentiable, match=f"{name} has no derivative in"):
        derivative(f, k)(*drawn(name, 1)[0])


# a shape and a point for each of the ways in which the derivatives are computed; what mpmath gives, to order 3
SHAPES = [(1e-6, 2e-3), (0.01, 0.005), (0.2, 0.5), (1.0, 0.9), (3.0, 9.0), (20.0, 14.0), (20.0, 30.0), (200.0, 260.0)]


@pytest.mark.parametrize(("a", "x"), SHAPES)
def test_derivatives_in_a_shape_are_there_to_any_order(a: float, x: float):
    f = made("gammainc")
    for order in (1, 2, 3):
        f = derivative(f, 0)
        assert near(f(a, x), slope("gammainc", [a, x], 0, order), 1e-10, 0.0)


def test_mixed_derivatives_in_shapes_are_those_of_mpmath():
    f, xs = made("betainc"), (2.0, 3.0, 0.4)
    once = derivative(f, 0)
    for k, order in enumerate([(2, 0, 0), (1, 1, 0), (1, 0, 1)]):
        expected = float(mpmath.diff(TABLE["betainc"].of, xs, order))
        assert near(derivative(once, k)(*xs), expected, 1e-8, 0.0)


def test_inverses_move_with_their_shapes():
    gamma = rose.fn([Real, Real], Real)(lambda a, y: special.gammainc(a, special.gammaincinv(a, y)) * y)
    upper = rose.fn([Real, Real], Real)(lambda a, y: special.gammaincc(a, special.gammainccinv(a, y)) * y)
    for f in (gamma, upper):
        assert abs(derivative(f, 0)(2.5, 0.3)) < 1e-14
        assert abs(derivative(derivative(f, 0), 0)(2.5, 0.3)) < 1e-13
    beta = rose.fn([Real] * 3, Real)(lambda a, b, y: special.betainc(a, b, special.betaincinv(a, b, y)))
    assert max([abs(derivative(beta, k)(2.5, 1.5, 0.3)) for k in (0, 1)]) < 1e-13


def test_the_slope_in_a_shape_at_0_is_0():
    assert [derivative(made("gammainc"), 0)(a, 0.0) for a in (0.3, 2.0)] == [0.0, 0.0]
    assert [derivative(made("betainc"), 0)(2.0, 3.0, x) for x in (0.0, 1.0)] == [0.0, 0.0]


def test_reverse_mode_is_forward_mode():
    f = made("gammainc")
    forward = rose.jvp(rose.fn([Real], Real)(lambda x: f(2.0, x)))
    assert forward(rose.Dual(1.5, 1.0)).du == derivative(f, 1)(2.0, 1.5)


def test_arrays_are_broadcast_also_two_at_a_time():
    @fn
    def f(a: Vec[3], x: Vec[4]) -> Vec[3, 4]:
        return special.gammainc(a[:, None], x)

    a, x = np.array([0.5, 1.0, 2.0]), np.array([0.1, 0.5, 2.0, 5.0])
    expected = scipy.special.gammainc(a[:, None], x)
    assert np.allclose(rose.compile(f)(a, x), expected, rtol=1e-13)
    assert np.array_equal(rose.compile(f, simd=True)(a, x), rose.compile(f)(a, x))


def test_single_precision_is_double_precision_rounded():
    @fn
    def f(x: Real) -> Real:
        return special.digamma(x)

    x = float(np.float32(0.7))
    assert rose.compile(f, dtype="f32")(x) == np.float32(special.digamma(x))


def test_the_text_of_a_function_is_read_again():
    @fn
    def f(x: Real, y: Real) -> Real:
        return special.betaln(x, y) + special.erfinv(y) + special.hyp1f1(1.0, 2.0, x)

    assert rose.parse(show(f.func))["f"](2.0, 0.5) == f(2.0, 0.5)


def test_a_row_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(special.jv)) is special.jv


def test_rows_have_names_and_documentation():
    assert all([name == f"special.{op.name.removeprefix('special.')}" and op.doc for name, op in SPECIALS.items()])
    assert "gammainc(a, x, /)" in str(special.gammainc.__doc__)


def test_a_program_without_special_functions_reads_neither_rows_nor_their_code():
    text = """
import sys, rose
f = rose.fn([rose.Real], rose.Real)(lambda x: rose.sin(x) * rose.lgamma(x))
assert rose.compile(rose.grad(f))(1.0) < 9.0
from rose.ir.libm import library
assert 'rose.ir.special_ops' not in sys.modules and library.both.cache_info().currsize == 0
"""
    subprocess.run([sys.executable, "-c", text], check=True)


def test_all_rows_are_reached_from_the_public_names():
    public = {id(getattr(special, name)) for name in special.__all__}
    inner = {
        "gamma_density",
        "gamma_moment",
        "beta_density",
        "beta_moment",
        "jn",
        "zeta",
        "riemann_zeta",
        "lambertw",
        "sph_jn",
        "ai",
        "aip",
        "bi",
    }
    inner |= {"bip", "sn", "cn", "dn", "am", "si", "ci", "fresnel_s", "fresnel_c"}
    assert {name.removeprefix("special.") for name, op in SPECIALS.items() if id(op) not in public} == inner
    assert special_ops.SPECIALS is SPECIALS
