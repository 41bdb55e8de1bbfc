"""NumPy's functions that put arrays together, compare and choose, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate

import rose
from rose import Bool, Complex, Fin, OutOfRange, Real, RoseError, TypeMismatch, Vec, fn

NAMES = {"np": np, "windows": np.lib.stride_tricks.sliding_window_view}
X = np.random.default_rng(0).normal(size=(2, 4, 3))
CALLS = """np.hsplit(x,2)[1] | np.vsplit(x,2)[0] | np.dsplit(x,3)[2] | np.hsplit(x[0,0],[1])[1] |
    np.rollaxis(x,2) | np.rollaxis(x,1,3) | np.rollaxis(x,0,2) | np.matrix_transpose(x) |
    np.broadcast_arrays(x[0],x[0,0])[1] | np.diagflat(x[0,:2,:2],1) | np.resize(x,(5,7)) | np.resize(x[0],(2,2)) |
    np.resize(x,(0,3)) | np.unstack(x,axis=1)[3] | np.linalg.matrix_transpose(x) | np.linalg.trace(x[:,:3]) |
    np.linalg.diagonal(x,offset=1) | np.linalg.vecdot(x,x) | np.insert(x,1,5.0) | np.insert(x,[1,1,3],2.0,axis=1) |
    np.insert(x,-1,x[:,0],axis=1) | np.insert(x[0],2,x[0,0],axis=0) | np.insert(x[0,0],[0,3],[7.0,8.0]) |
    np.insert(x[0],slice(0,4,2),x[0,:2],axis=0) | np.delete(x,3) | np.delete(x,-1,axis=1) |
    np.delete(x,[0,2],axis=1) | np.delete(x,slice(None,None,2),axis=1) | np.delete(x[0,0],[True,False,True]) |
    np.delete(x,[0,1],axis=0) | np.atleast_3d(x[0,0]) | np.atleast_3d(x[0]) |
    np.piecewise(x,[x<0,x>0.5],[lambda y:y*y,3.0]) | np.piecewise(x,[x<0],[lambda y:-y,lambda y:2*y]) |
    np.apply_along_axis(np.sum,1,x) | np.apply_along_axis(lambda v:v[:2]*v[2],1,x) |
    np.apply_over_axes(np.sum,x,(0,2)) | np.moveaxis(np.vecdot(x,x[0]),0,1) | np.matvec(x,x[0,0]) |
    np.vecmat(x[0,:,0],x) | np.modf(5*x)[0] | np.modf(5*x)[1] | np.logaddexp2(x,2*x[0]) | np.ldexp(x,3) |
    np.round(x,1) | np.around(100*x,-1) | np.atleast_1d(x[0],x)[1] | np.ldexp(x,[1,-2,3]) | np.ldexp(0.1*x,1026) |
    np.ldexp(x,-1070) | np.ldexp(0*x,2000) | np.logspace(x,2*x[0],4) | np.logspace(x[0,0],1,3,False,2.0,None,1) |
    np.logspace(0,x[0,0],3) | np.geomspace(x*x,2+x[0]**2,3,axis=1) | np.geomspace(-1-x[0]**2,-2,4,endpoint=False) |
    np.geomspace(3,x[0,0]**2,4,axis=-1) | x[0][np.tril_indices_from(x[0])] | x[0][np.triu_indices_from(x[0],1)] |
    x[0,:3][np.diag_indices_from(x[0,:3])] | np.roll(x,np.array([3]),1) | np.roll(x,np.array([1,2]),(0,2)) |
    np.delete(x,[0,-1,0],axis=1) | windows(x,(2,3,1)) | windows(x,2,axis=1) | windows(x,(2,3),axis=(-1,1)) |
    windows(x,(2,2),axis=(1,1)) | windows(x[0,0],3) | windows(x[0,0],0) | windows(x[0],(0,2)) |
    windows(x,(),axis=())"""
TEXTS = [text.strip() for text in CALLS.replace("\n", " ").split("|")]


def call(text: str) -> Any:
    return lambda x: eval(text, {**NAMES, "x": x})


@pytest.mark.parametrize("text", TEXTS)
def test_elements_are_numpys(text: str):
    agree(call(text), call(text), [X], rtol=1e-14)


SMOOTH = [
    "np.insert(x,1,x[0],axis=1)",
    "np.delete(x,0,axis=1)",
    "np.resize(x,(3,3))",
    "np.diagflat(x)",
    "np.modf(x)[0]",
]
SMOOTH += [
    "np.piecewise(x,[x>9],[1.0,lambda y:y**3])",
    "np.apply_along_axis(lambda v:v*v[0],0,x)",
    "np.logaddexp2(x,1.0)",
]
SMOOTH += ["np.logspace(x,1.0,3)", "np.geomspace(1+x,2.0,3)", "np.ldexp(x,3)"]
SMOOTH += ["windows(x,2,axis=0)", "windows(x,(2,1))"]
SMOOTH += ["np.matvec(x,x[0])", "np.vecdot(x,x)", "np.hsplit(x,2)[0]", "np.apply_over_axes(np.sum,x,(0,))"]


@pytest.mark.parametrize("text", SMOOTH)
def test_derivatives_in_both_modes_and_twice(text: str):
    differentiate(call(text), (2, 2))


COMPARED = ["np.array_equal(x,x)", "np.array_equal(x,x[:1])", "np.array_equal(x,x[0])", "np.array_equal(x,x*y)",
            "np.array_equiv(x,x[:1])", "np.array_equiv(x[:1],x[:1]*y)", "np.array_equiv(x[:,:1],x[:,:3])",
            "np.allclose(x,x+1e-9)", "np.allclose(x,x+1.0)",
            "np.array_equal(x*z,x*z)", "np.allclose(x*z,x*z,equal_nan=True)",
            "np.array_equal(x*z,x*z,equal_nan=True)"]  # fmt: skip


@pytest.mark.parametrize("text", COMPARED)
def test_arrays_are_compared_as_numpys_are(text: str):
    of: Any = lambda x: eval(text, {"np": np, "x": x, "y": 1.5, "z": np.nan})
    assert fn([Vec[X.shape]], Bool)(lambda x: of(x))(X) == of(X)


def test_indices_choose_and_are_compared():
    at = np.array([2, 0, 1, 2])
    f = fn([Vec[4, Fin[3]], Vec[4]], Vec[4])(lambda i, x: np.choose(i, [x, 2.0 * x, -x]))
    assert f(at, X[0, :, 0]).tolist() == np.choose(at, [X[0, :, 0], 2.0 * X[0, :, 0], -X[0, :, 0]]).tolist()
    g = fn([Vec[4, Fin[3]]], Vec[4, Bool])(lambda i: np.isin(i, [0, 2]))
    assert [*g(at)] == np.isin(at, [0, 2]).tolist()
    h = fn([Vec[4, Fin[3]], Vec[3, 3]], Vec[4])(lambda i, x: x.ravel()[np.ravel_multi_index((i, i), (3, 3))])
    assert h(at, X[0, :3]).tolist() == X[0, :3][at, at].tolist()
    k = fn([Vec[2, Fin[2]], Vec[4, 3]], Vec[2, 2])(lambda i, x: x[np.ix_(i, i)])
    assert k(at[:2] % 2, X[0]).tolist() == X[0][np.ix_(at[:2] % 2, at[:2] % 2)].tolist()


WRONG: list[tuple[str, type[RoseError], str]] = [
    ("np.insert(x, 99, 1.0)", OutOfRange, "no place 99"),
    ("np.delete(x[0,0], i)", TypeMismatch, "takes places that Python knows"),
    ("np.piecewise(x, [x > 0.0], [1.0, 2.0, 3.0])", TypeMismatch, "given 1 conditions and 3 functions"),
    ("np.matrix_transpose(x[0,0])", TypeMismatch, "takes a matrix"),
    ("np.tril_indices_from(x)", TypeMismatch, "tril_indices_from takes a matrix"),
    ("np.diag_indices_from(x)", TypeMismatch, "takes axes of one size, not"),
    ("windows(x, 2)", TypeMismatch, "given 1 sizes of windows for 3 axes"),
    ("windows(x, 4, axis=2)", OutOfRange, "a window of 4 elements is longer than an axis of 3"),
    ("windows(x, (2, 2), axis=(1, 1))", OutOfRange, "a window of 2 elements is longer than an axis of 1"),
    ("windows(x, 2, axis=2, writeable=True)", TypeMismatch, "takes no writeable but False: traced values never change"),
    ("np.ravel_multi_index((i,), (2, 2))", TypeMismatch, "given 1 indices for 2 axes"),
]


@pytest.mark.parametrize(("text", "error", "words"), WRONG)
def test_what_is_no_place_is_an_error(text: str, error: type[RoseError], words: str):
    with pytest.raises(error, match=words):
        _ = fn([Vec[2, 2, 3], Fin[2]], Real)(lambda x, i: eval(text, {**NAMES, "x": x, "i": i})).func


def test_indices_of_a_matrix_of_any_size_are_not_known():
    n = rose.dim("n")
    f = fn([Vec[n, Vec[n]]], Real)(lambda a: np.sum(a[np.tril_indices_from(a)]))
    with pytest.raises(TypeMismatch, match="takes a size that is known, not n") as e:
        rose.compile(f, dynamic=True)
    assert e.value.hint == "write rose.tril, rose.triu or rose.diagonal of the matrix"
    assert f(np.ones((3, 3))) == 6.0


def test_windows_of_complex_numbers_and_of_an_axis_of_any_size():
    n, windows = rose.dim("n"), np.lib.stride_tricks.sliding_window_view
    f = fn([Vec[n + 2, Complex], Vec[3], Vec[n]], Vec[n, Complex])(lambda z, w, x: windows(z, 3) @ w + x)
    z, w, x = X[0, :, 0] + 1j * X[0, :, 1], np.array([1.0, -2.0, 0.5]), X[0, :2, 2]
    expected = pytest.approx(np.correlate(z, w) + x, rel=1e-15)
    assert f(z, w, x) == expected
    assert rose.compile(f, dynamic=True)(z, w, x) == expected
    short = fn([Vec[n]], Real)(lambda x: np.sum(windows(x, 3)))
    with pytest.raises(OutOfRange, match="a window of 3 elements may be longer than an axis of n"):
        rose.compile(short, dynamic=True)
    assert short(X[0, :, 0]) == pytest.approx(np.sum(windows(X[0, :, 0], 3)))


def test_an_array_of_no_elements():
    assert fn([Vec[0]], Vec[2])(lambda x: np.insert(x, 0, [1.0, 2.0]))([]).tolist() == [1.0, 2.0]
    assert fn([Vec[0]], Vec[0])(lambda x: np.delete(x, []))([]).tolist() == []
    assert fn([Vec[0]], rose.Bool)(lambda x: np.array_equal(x, x))([])
