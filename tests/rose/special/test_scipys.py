"""SciPy's functions of SciPy's name alone, called as SciPy's: their values, their derivatives, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import rose
from rose import Fin, Real, TypeMismatch, Vec, fn, special
from rose.special.scipys import BY_SCIPYS_NAME

LINE = np.array([-3.5, -2.0, -1.5, -1.0, -0.5, -1e-9, -0.0, 0.0, 1e-9, 0.3, 0.5, 1.0, 2.5, 7.0, 30.0])
ABOVE = np.array([1e-9, 0.1, 0.5, 1.0, 2.5, 30.0])
POLYNOMIALS = sorted(name for name in BY_SCIPYS_NAME if name.startswith("eval_"))
GIVEN: dict[str, list[Any]] = {
    "boxcox": [ABOVE, LINE], "huber": [LINE, LINE], "pseudo_huber": [LINE, LINE], "chdtr": [ABOVE, ABOVE],
    "chdtrc": [ABOVE, ABOVE], "binom": [np.array([-3.5, -2.0, 0.5, 3.0, 10.0]), LINE],
    **{name: [LINE] for name in ("exprel", "cosm1", "rgamma", "gammasgn", "loggamma")},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(GIVEN))
def test_values_are_scipys(name: str):
    of: Any = getattr(scipy.special, name)
    xs = [x.ravel() for x in np.meshgrid(*GIVEN[name])]
    found = fn([Vec[xs[0].size]] * len(xs), Vec[xs[0].size])(of)(*xs)
    assert np.allclose(found, of(*xs), rtol=1e-12, atol=1e-300, equal_nan=True)


@pytest.mark.parametrize("name", POLYNOMIALS)
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_polynomials_are_scipys(name: str, n: int):
    of: Any = getattr(scipy.special, name)
    assert np.allclose(fn([Vec[15]], Vec[15])(lambda x: of(n, x))(LINE), of(n, LINE), rtol=1e-12)


def test_each_function_has_its_case():
    assert GIVEN.keys() | set(POLYNOMIALS) == BY_SCIPYS_NAME.keys()


@pytest.mark.parametrize("name", sorted(BY_SCIPYS_NAME))
def test_derivatives_to_second_order_and_bits(name: str):
    of: Any = getattr(scipy.special, name)
    if name.startswith("eval_"):
        f = fn([Real], Real)(lambda x: of(3, x))
    elif name.startswith("chdtr"):
        f = fn([Real], Real)(lambda x: of(3.0, x))
    else:
        f = fn([Real] * len(GIVEN[name]), Real)(of)
    assert rose.testing.examine(f, points=4).ok


@pytest.mark.parametrize(("name", "x", "slopes"), [
    ("exprel", 0.0, [0.5, 1.0 / 3.0]), ("rgamma", -1.0, [-1.0, None]), ("rgamma", 0.0, [1.0, None]),
])  # fmt: skip
def test_derivatives_where_a_quotient_has_none(name: str, x: float, slopes: list[float | None]):
    f = fn([Real], Real)(getattr(scipy.special, name))
    for slope in slopes:
        f = rose.grad(f)
        assert slope is None or f(x) == pytest.approx(slope, rel=1e-14)


def test_a_power_of_boxcox_may_be_0():
    slope = rose.grad(fn([Real, Real], Real)(scipy.special.boxcox), argnums=1)
    assert slope(3.0, 0.0) == pytest.approx(0.5 * np.log(3.0) ** 2, rel=1e-14)


def test_a_degree_is_known():
    of: Any = scipy.special.eval_legendre
    for body, what in ((lambda i, x: of(i, x), "not a traced Fin"), (lambda i, x: of(-1, x), "from 0 on, not -1")):
        with pytest.raises(TypeMismatch, match=what) as e:
            _ = fn([Fin[3], Real], Real)(body).func
        assert e.value.hint == "write an integer"


def test_functions_of_arrays_are_broadcast_and_have_any_size():
    n = rose.dim("n")
    f = fn([Vec[n], Vec[n]], Real)(lambda x, y: rose.sum(scipy.special.huber(x[:, None], y)))
    for size in (0, 1, 3):
        x, y = np.arange(1.0, size + 1.0), np.linspace(-2.0, 2.0, size)
        assert f(x, y) == pytest.approx(scipy.special.huber(x[:, None], y).sum())


def test_a_ufunc_of_scipys_is_a_function():
    assert repr(fn([Real], Real)(scipy.special.exprel)) == "<fn exprel(x: Real) -> Real>"
    assert fn([Real], Real)(special.digamma)(1.0) == fn([Real], Real)(scipy.special.psi)(1.0)
