"""Linear algebra of complex numbers, beside NumPy's and SciPy's, and its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import rose
from rose import Complex, Real, TypeMismatch, Vec, fn

_draw = np.random.default_rng(3)


def _complex(*shape: int) -> Any:
    return _draw.normal(size=shape) + 1j * _draw.normal(size=shape)


ROWS = (1, 2, 3, 5, 40)
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "inv": (np.linalg.inv, np.linalg.inv),
    "expm": (rose.linalg.expm, scipy.linalg.expm),
    "power": (lambda a: np.linalg.matrix_power(a, 3), lambda a: np.linalg.matrix_power(a, 3)),
    "power of the inverse": (lambda a: np.linalg.matrix_power(a, -2), lambda a: np.linalg.matrix_power(a, -2)),
    "no power": (lambda a: np.linalg.matrix_power(a, 0), lambda a: np.eye(len(a))),
}


@pytest.mark.parametrize("n", ROWS)
def test_equations_have_numpys_solutions(n: int):
    a, b, c = _complex(n, n), _complex(n), _complex(n, 2)
    both = fn([Vec[n, n, Complex], Vec[n, Complex], Vec[n, 2, Complex]], tuple[Vec[n, Complex], Vec[n, 2, Complex]])(
        lambda a, b, c: (np.linalg.solve(a, b), np.linalg.solve(a, c))
    )
    x, y = both(a, b, c)
    assert x == pytest.approx(np.linalg.solve(a, b), rel=1e-10)
    assert y == pytest.approx(np.linalg.solve(a, c), rel=1e-10)


@pytest.mark.parametrize("n", ROWS[:-1])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_matrices_are_theirs(name: str, n: int):
    ours, theirs = FUNCTIONS[name]
    a = _complex(n, n)
    found = fn([Vec[n, n, Complex]], Vec[n, n, Complex])(lambda a: ours(a))(a)
    assert found == pytest.approx(theirs(a), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("n", ROWS)
def test_a_determinant_has_a_direction_and_a_size(n: int):
    a = _complex(n, n)
    assert fn([Vec[n, n, Complex]], Complex)(lambda a: np.linalg.det(a))(a) == pytest.approx(
        np.linalg.det(a), rel=1e-11
    )
    sign, size = fn([Vec[n, n, Complex]], tuple[Complex, Real])(lambda a: tuple(np.linalg.slogdet(a)))(a)
    assert (sign, size) == (pytest.approx(np.linalg.slogdet(a)[0]), pytest.approx(np.linalg.slogdet(a)[1]))


@pytest.mark.parametrize("n", ROWS)
def test_a_hermitian_matrix_is_diagonal_in_its_eigenvectors(n: int):
    a = _complex(n, n)
    a = a + a.conj().T
    both = fn([Vec[n, n, Complex]], tuple[Vec[n], Vec[n, n, Complex]])(lambda a: tuple(np.linalg.eigh(a)))
    for m in (a, np.eye(n) + 0j, np.zeros((n, n)) + 0j):
        w, v = both(np.tril(m) + 1j * np.diag(np.ones(n)))  # the lower half is read, and of the diagonal its real part
        assert w == pytest.approx(np.linalg.eigvalsh(m), abs=1e-11)
        assert m @ v == pytest.approx(v * w, abs=1e-11)
        assert v.conj().T @ v == pytest.approx(np.eye(n), abs=1e-13)


def test_real_and_complex_operands_meet_and_batches_are_taken():
    r, b = _draw.normal(size=(3, 3)), _complex(3)
    mixed = fn([Vec[3, 3], Vec[3, Complex]], Vec[3, Complex])(lambda a, b: np.linalg.solve(a, b))
    assert mixed(r, b) == pytest.approx(np.linalg.solve(r, b))
    a = _complex(4, 3, 3)
    assert fn([Vec[4, 3, 3, Complex]], Vec[4, Complex])(lambda a: np.linalg.det(a))(a) == pytest.approx(
        np.linalg.det(a)
    )


def _turned(a: Any) -> Any:
    found = np.linalg.eigh(a)
    return (found.eigenvectors * np.exp(1j * found.eigenvalues)) @ found.eigenvectors.conj().T


DIFFERENTIATED: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "solve": (Vec[3, Complex], lambda a: np.linalg.solve(a, np.array([1.0, 2j, 3.0]))),
    "inv": (Vec[3, 3, Complex], np.linalg.inv),
    "det": (Complex, np.linalg.det),
    "slogdet": (tuple[Complex, Real], lambda a: tuple(np.linalg.slogdet(a))),
    "eigvalsh": (Vec[3], np.linalg.eigvalsh),
    "eigh": (Vec[3, 3, Complex], _turned),
    "expm": (Vec[3, 3, Complex], rose.linalg.expm),
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_derivatives_are_those_of_differences(name: str):
    result, of = DIFFERENTIATED[name]
    f = fn([Vec[3, 3, Complex]], result)(lambda a: of(a))
    f.name = name
    assert rose.testing.examine(f, points=3).wrong == []


def test_the_derivative_of_a_determinant_is_complex():
    a = _complex(4, 4)
    slope = rose.grad(fn([Vec[4, 4, Complex]], Complex)(lambda a: np.linalg.det(a)), holomorphic=True)
    assert slope(a) == pytest.approx(np.linalg.det(a) * np.linalg.inv(a).T)


@pytest.mark.parametrize("name", ["sqrtm", "logm", "cholesky_solve"])
def test_what_takes_reals_says_so(name: str):
    with pytest.raises(TypeMismatch, match=f"rose.linalg.{name} takes a.* Reals?, not a traced Vec"):
        _ = fn([Vec[3, 3, Complex]], Real)(lambda a: getattr(rose.linalg, name)(a, *[a] * (name[0] == "c"))).func
