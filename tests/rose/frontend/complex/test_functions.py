"""NumPy's functions of arrays, of complex numbers: the values of NumPy, and derivatives by examination."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Complex, Real, TypeMismatch, Vec, fn

_draw = np.random.default_rng(1)


def _complex(*shape: int) -> Any:
    return _draw.normal(size=shape) + 1j * _draw.normal(size=shape)


GIVEN: dict[str, Any] = {
    "z": _complex(4), "w": _complex(4), "M": _complex(3, 4), "A": _complex(3, 3), "B": _complex(3, 3),
    "x": _draw.normal(size=4), "N": np.where(_draw.random((3, 4)) < 0.4, complex(np.nan, 1.0), _complex(3, 4)),
    "P": _draw.normal(size=(3, 4)), "c": _complex()[()],
}  # fmt: skip

EXPRESSIONS = """
np.sum(M, axis=0)
M.sum(axis=1, keepdims=True)
np.sum(z, initial=1j)
np.sum(z, initial=2.0)
np.mean(M, axis=1)
np.prod(z)
np.prod(M, axis=1)
np.prod(z, initial=2j)
np.cumsum(M, axis=1)
np.cumprod(z)
np.diff(z)
np.var(z)
np.std(M, axis=0)
np.nansum(z)
np.nan_to_num(np.array([complex(np.nan, 1.0), 2j, complex(1.0, np.inf), 0.0]) + 0.0 * z)
np.count_nonzero(z)
np.any(z)
np.all(M, axis=0)
np.average(z, weights=abs(x))
np.gradient(z)
np.trapezoid(z, dx=0.5)
np.interp(0.5, np.arange(4.0) + 0.0 * x, z)
np.trace(A)
np.dot(z, x)
np.vdot(z, w)
np.vdot(x, w)
np.inner(z, w)
np.outer(z, x)
np.kron(A, B)
M @ z
x @ z
M.conj().T @ A
np.tensordot(A, M, 1)
np.einsum('ij,jk->ik', A, M)
np.einsum('ii', A)
np.cross(z[:3], w[:3])
np.convolve(z, x)
np.correlate(z, w)
np.correlate(z, w, 'full')
np.polyval(z, w)
np.polyval(x, z)
np.polyval(z, x)
np.vander(z, 3)
np.linalg.norm(z)
np.linalg.norm(M, axis=1)
np.linalg.norm(M, 'fro')
np.linalg.norm(z, 1)
np.linalg.norm(A, 1)
np.add.reduce(M)
np.multiply.reduce(z)
np.multiply.outer(z, w)
np.stack([z, x])
np.concatenate([z, x])
np.where(x > 0.0, z, x)
np.where(x > 0.0, z, 0)
np.zeros(4, dtype=complex) + z
np.full(3, 2.0, dtype=complex) + z[0]
np.eye(3, dtype=complex) * z[0]
np.ones_like(z)
np.linspace(z[0], z[1], 4)
np.linspace(0, 1j, 4) + x
x.astype(complex)
rose.array([[z[0], 1.0], [2j, x[0]]])
np.block([[A, B], [B, A]])
np.pad(z, 1)
np.diag(z)
z[::-1][np.array([0, 2])]
np.isreal(z)
np.iscomplex(z)
np.isclose(z, w)
np.sum(M)
M.sum()
np.prod(M)
np.prod(M, axis=None, keepdims=False)
np.mean(M)
np.var(M)
np.cumsum(M)
np.cumprod(M)
np.any(M)
np.nansum(N)
np.sum(c)
np.mean(c)
np.prod(c, initial=2.0)
np.var(c)
np.std(c)
np.cumsum(c)
np.any(c)
np.all(c)
np.sum(M, 0, complex)
np.sum(x, dtype=complex)
np.mean(M, axis=0, dtype=np.complex128)
np.mean(x, dtype=complex)
np.prod(M, 0, np.complex128)
np.prod(x, dtype=complex)
np.cumsum(x, dtype='complex128')
np.cumprod(M, axis=0, dtype=complex)
np.var(M, axis=0, dtype=complex)
np.prod(M, axis=1, where=P > 0.0)
np.mean(M, where=P > 0.0)
np.var(M, axis=1, where=P > -2.0, ddof=0.5)
np.std(M, axis=0, mean=np.mean(M, axis=0, keepdims=True))
np.nansum(N, axis=0)
np.nanprod(N, axis=1, keepdims=True)
np.nanmean(N, axis=1)
np.nanmean(N, where=P > 0.0)
np.nanvar(N, axis=1)
np.nanstd(N, ddof=1)
np.nancumsum(N, axis=1)
np.nancumprod(N, axis=0)
np.rint(z)
np.round(M, 1)
np.sinc(z)
np.sinc(0.1 * z)
np.polyval(M, z)
np.polyval(P, z)
np.polyval(M, x)
np.isrealobj(z) * x
np.average(z, weights=x, returned=True)[0]
np.average(z, weights=x, returned=True)[1]
np.average(M, 1, None, True)[1]
np.average(M, axis=0, keepdims=True)
np.interp(9.0 * x, np.arange(4.0), z, left=1.0, right=2j)
np.interp(9.0 * x, np.arange(4.0), z, -1.0)
np.interp(x, np.arange(4.0), z, period=3.5)
np.nan_to_num(N, nan=3.0, posinf=1.0)
np.diff(z, prepend=1.0, append=2j)
np.gradient(z, 0.5)
np.gradient(z, np.arange(4.0) ** 2)
np.trapezoid(z, np.arange(4.0) ** 2)
np.trapezoid(M, axis=0)
np.trace(A, 1)
np.ediff1d(z, to_end=w, to_begin=[1.0, 2j])
np.cumulative_sum(M, axis=1, include_initial=True)
np.prod(x > 0.0, dtype=complex)
np.sum(M, axis=1, initial=2.0 - 1j, where=P > 0.0)
np.real_if_close(x)
np.linalg.eigh(A, 'U').eigenvalues
np.linalg.eigvalsh(A, 'U')
""".strip().splitlines()


def of(expression: str) -> tuple[Any, list[Any]]:
    """The function of the arrays that an expression names, and these."""
    code = compile(expression, "<test>", "eval")
    names = [k for k in GIVEN if k in code.co_names]
    wanted = np.asarray(eval(code, {"np": np, "rose": np, **GIVEN}))
    leaf: Any = {"c": Complex, "b": Bool}.get(wanted.dtype.kind, Real)
    for n in reversed(wanted.shape):
        leaf = Vec[n, leaf]
    leaves: list[Any] = [Complex if GIVEN[k].dtype.kind == "c" else Real for k in names]
    types = [Vec[*GIVEN[k].shape, t] if GIVEN[k].shape else t for k, t in zip(names, leaves, strict=True)]
    return fn(types, leaf)(eval(f"lambda {', '.join(names)}: {expression}", {"np": np, "rose": rose})), [
        wanted,
        *map(GIVEN.get, names),
    ]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_function_is_numpys(expression: str):
    f, (wanted, *given) = of(expression)
    found = f(*given)
    assert np.shape(found) == wanted.shape
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-14)
    with rose.eager():
        again = f(*given)
    assert np.asarray(again).tobytes() == np.asarray(found).tobytes()


DERIVED = """
np.prod(z) | np.std(M, axis=0) | np.polyval(z, w) | M @ z | np.vdot(z, w) | np.nanmean(M, axis=1) | np.sinc(z) |
np.polyval(M, z) | np.var(M, axis=1, where=P > -2.0) | np.prod(M, axis=1, where=P > 0.0) | np.sum(c) |
np.std(M, axis=0, mean=np.mean(M, axis=0, keepdims=True)) | np.linalg.eigvalsh(A, 'U')
"""


@pytest.mark.parametrize("expression", DERIVED.replace("\n", " ").strip().split(" | "))
def test_derivatives_are_those_of_differences(expression: str):
    assert rose.testing.examine(of(expression)[0], points=3).wrong == []


def test_what_takes_reals_says_so():
    for name in ("argmax", "median", "cov"):
        with pytest.raises(TypeMismatch, match="takes Reals, and got complex numbers") as e:
            _ = fn([Vec[4, Complex]], Real)(lambda z, name=name: getattr(rose, name)(z)).func
        assert e.value.hint == "give it their .real, their .imag or their abs"
    for dtype in (float, "int"):
        with pytest.raises(TypeMismatch, match="the imaginary parts of complex numbers would be lost"):
            _ = fn([Vec[4, Complex]], Real)(lambda z, dtype=dtype: np.sum(z, dtype=dtype)).func
    with pytest.raises(TypeMismatch, match="whether imaginary parts are close to 0 is known only") as e:
        _ = fn([Vec[4, Complex]], Vec[4])(lambda z: np.real_if_close(z)).func
    assert e.value.hint == "write z.real"
    with pytest.raises(TypeMismatch, match="average: weights is complex"):
        _ = fn([Vec[4, Complex]], Complex)(lambda z: np.average(z, weights=z)).func
    with pytest.raises(TypeMismatch, match="the imaginary parts of complex numbers would be lost"):
        _ = fn([Vec[4, Complex]], Vec[4])(lambda z: z.astype(float)).func


def test_a_list_of_them_is_an_array_of_ours():
    with pytest.raises(TypeMismatch, match="would lose its imaginary part") as e:
        _ = fn([Complex], Vec[2])(lambda z: np.array([z, z]).imag).func
    assert e.value.hint == "write rose.array(...) in its place"


def test_items_of_a_generator_are_multiplied():
    f = fn([Vec[4, Complex]], Complex)(lambda z: rose.prod(z[i] + 1.0 for i in rose.range(4)))
    assert f(GIVEN["z"]) == pytest.approx(np.prod(GIVEN["z"] + 1.0))
