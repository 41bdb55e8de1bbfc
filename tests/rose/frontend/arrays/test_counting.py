"""What counts numbers, beside NumPy's; and indices and numbers of which a size is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate

import rose
from rose import Fin, OutOfRange, Real, RoseError, TypeMismatch, Vec, dim, fn

X = np.round(np.random.default_rng(0).normal(size=12), 1)
AT = np.array([2, 0, 1, 2, 2])
CALLS = """np.digitize(x,[-1.0,0.0,0.5]) | np.digitize(x,[-1.0,0.0,0.5],True) | np.digitize(x,[0.5,0.1,-1.0]) |
    np.digitize(x,[0.5,0.1,-1.0],right=True) | np.digitize(x,[0.3]) | np.histogram(x)[0] |
    np.histogram(x,bins=4)[1] | np.histogram(x,bins=3,range=(-0.5,0.7))[0] |
    np.histogram(x,[-1.0,-0.1,0.4,0.9])[0] | np.histogram(x,4,weights=x*x)[0] | np.histogram(x,5,density=True)[0] |
    np.histogram(0.0*x,2)[0] | np.histogram(0.0*x,2)[1] | np.lexsort((x,x*x)) | np.histogram2d(x,x*x,3)[0] |
    np.histogram2d(x,x*x,(2,4))[2] | np.histogram2d(x,-x,[[-1.0,0.0,1.0],[-1.0,1.0]])[0] |
    np.histogram2d(x,-x,2,density=True,weights=x*x)[0] | np.lexsort((x.reshape(3,4),-x.reshape(3,4)),axis=0) |
    np.sort(np.partition(x,3)[:3]) | np.partition(x,3)[3]"""
TEXTS = [text.strip() for text in CALLS.replace("\n", " ").split("|")]


def call(text: str) -> Any:
    return lambda x: 1.0 * eval(text, {"np": np, "x": x})


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_numpys(text: str):
    agree(call(text), call(text), [X], rtol=1e-14)


@pytest.mark.parametrize(
    "text", ["np.histogram(x,2,(-1,9),weights=x*y)[0]", "np.histogram(x*x,2)[1]", "np.partition(x,1)"]
)
def test_derivatives_in_both_modes_and_twice(text: str):
    differentiate(lambda x, y: eval(text, {"np": np, "x": x, "y": y}), (3,), (3,))


def test_indices_are_counted():
    of = lambda i, w: np.bincount(i, w, 4)
    assert fn([Vec[5, Fin[3]]], Vec[3])(lambda i: np.bincount(i))(AT).tolist() == [1.0, 1.0, 3.0]
    assert fn([Vec[5, Fin[3]], Vec[5]], Vec[4])(of)(AT, X[:5]) == pytest.approx(of(AT, X[:5]))
    assert fn([Vec[0, Fin[3]]], Vec[3])(lambda i: np.bincount(i))([]).tolist() == [0.0, 0.0, 0.0]
    slope = rose.grad(fn([Vec[5, Fin[3]], Vec[5]], Real)(lambda i, w: np.sum(np.bincount(i, w) ** 2)), 1)
    assert slope(AT, np.ones(5)).tolist() == [6.0, 2.0, 2.0, 6.0, 6.0]


def test_numbers_that_are_not_between_edges_are_not_counted():
    f = fn([Vec[6]], Vec[2])(lambda x: np.histogram(x, [0.0, 1.0, 2.0])[0])
    assert f([0.0, 1.0, 2.0, 2.5, -0.1, np.nan]).tolist() == [1.0, 2.0]


def test_a_number_of_bins_is_that_of_the_type_in_a_module_for_every_size():
    n = dim("n")
    f = rose.compile(fn([Vec[n]], Vec[3])(lambda x: np.histogram(x, 3, (0.0, 3.0))[0]), dynamic=True)
    assert f([0.5, 1.5, 1.6, 3.0]).tolist() == [1.0, 2.0, 1.0]


GRID = np.array([[0.0, 1.0, 0.0], [2.0, 3.0, 0.0]])


@pytest.mark.parametrize(("size", "fill"), [(3, 0), (2, 0), (5, 1), (4, -1)])
def test_the_first_indices_are_numpys_and_others_are_filled(size: int, fill: int):
    f = fn([Vec[2, 3]], Vec[2, size])(
        lambda x: rose.stack([k + 0.0 for k in rose.nonzero(x, size=size, fill_value=fill)])
    )
    want = [[*map(float, k[:size])] + [float(fill)] * (size - 3) for k in np.nonzero(GRID)]
    assert f(GRID).tolist() == want


def test_indices_of_what_holds_read_arrays():
    f = fn([Vec[4]], Real)(lambda x: np.sum(x[rose.nonzero(x > 0.0, size=2)[0]] ** 2))
    assert f([-1.0, 2.0, -3.0, 4.0]) == 20.0
    assert rose.grad(f)([-1.0, 2.0, -3.0, 4.0]).tolist() == [0.0, 4.0, 0.0, 8.0]


@pytest.mark.parametrize(("size", "fill", "want"), [(3, None, [1, 2, 3]), (2, None, [1, 2]), (5, 9.0, [1, 2, 3, 9, 9])])
def test_different_numbers_are_sorted(size: int, fill: Any, want: list[float]):
    f = fn([Vec[5]], Vec[size])(lambda x: rose.unique(x, size=size, fill_value=fill))
    assert f([3.0, 1.0, 3.0, 2.0, 1.0]).tolist() == want


WRONG: list[tuple[str, type[RoseError], str]] = [
    ("np.nonzero(x)[0]", TypeMismatch, r"how many elements are not 0 .*would be a size"),
    ("np.unique(x)", TypeMismatch, r"how many different numbers there are .*would be a size"),
    ("np.unique(x, return_counts=True)", TypeMismatch, "takes no return_counts but False"),
    ("np.bincount(x)", TypeMismatch, "counts a vector of indices"),
    ("np.histogram(x, 'auto')[0]", TypeMismatch, "bins='auto'"),
    ("np.histogram(x, 0)[0]", OutOfRange, "has 0 bins"),
]


@pytest.mark.parametrize(("text", "error", "words"), WRONG)
def test_a_size_that_a_run_decides_is_an_error_with_a_way_out(text: str, error: type[RoseError], words: str):
    with pytest.raises(error, match=words):
        _ = fn([Vec[3]], Vec[3])(call(text)).func
