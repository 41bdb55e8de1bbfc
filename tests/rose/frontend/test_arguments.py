"""NumPy's arguments: each of the installed NumPy's and SciPy's signatures is taken, or has a row with the reason."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
from against_numpy import agree, differentiate

import rose
import rose.fft
import rose.linalg
from rose import Bool, Real, TypeMismatch, Vec, fn
from rose.frontend.arguments import FIXED, Fixed, fit_of, fixed, is_same
from rose.frontend.vocabulary import numpys_functions

PAGE = Path(__file__).parents[3] / "web" / "docs" / "numpy.md"
FUNCTIONS = "| function | takes | says one thing |\n|---|---|---|\n"
ROWS = "| argument | may be | as |\n|---|---|---|\n"
Of = Callable[..., Any]


def theirs(name: str) -> Of | None:
    found: Any = np
    for part in name.split(".") if not isinstance(getattr(np, name.partition(".")[0], None), np.ufunc) else [""]:
        found = getattr(found, part, None)
    return found


TAKEN = {name: ours for name, ours in numpys_functions().items() if theirs(name)}
NAMES = sorted(TAKEN)
SCIPY = {  # SciPy's function and ours, by the name of ours
    f"{room.__name__}.{k}": (f, getattr(room, k))
    for room, scipys in ((rose.linalg, scipy.linalg), (rose.fft, scipy.fft))
    for k in room.__all__
    if callable(f := getattr(scipys, k, None)) and not inspect.isclass(f)
}
ANY = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def split(name: str, numpys: Of, ours: Of) -> tuple[list[str], list[str]]:
    """The arguments of NumPy's that ours takes, and those that it does not."""
    fit = fit_of(numpys, ours)
    assert fit is not None
    parameters = [(k, p) for k, p in inspect.signature(numpys).parameters.items()]
    taken = [k for k, p in parameters if p.kind in ANY[1:] or (p.kind not in ANY and k in fit.ours)]
    return taken, [k for k, p in parameters if p.kind not in ANY and k not in fit.ours]


def test_numpys_functions_are_found():
    assert len(NAMES) > 150
    assert {"sum", "linalg.svd", "nanstd", "round"} <= {*NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_of_numpys_is_taken_or_has_its_row(name: str):
    numpys = theirs(name)
    assert numpys is not None
    defaults = {k: p.default for k, p in inspect.signature(numpys).parameters.items()}
    for k in split(name, numpys, TAKEN[name])[1]:
        row = fixed(name, k)
        assert row is not None, f"{name} does not take {k}, and there is no row for it"
        known = row.values is None or any(is_same(defaults[k], x) for x in row.values)
        assert known or defaults[k] is np._NoValue, f"the default of {k} is not taken"  # pyright: ignore


@pytest.mark.parametrize("name", NAMES)
def test_what_is_taken_by_place_is_where_numpy_has_it(name: str):
    numpys = theirs(name)
    fit = fit_of(numpys, TAKEN[name])  # pyright: ignore[reportArgumentType]
    assert fit is not None and len({*fit.ours.values()}) == len(fit.ours)  # no two are one of ours


@pytest.mark.parametrize("name", SCIPY)
def test_each_argument_of_scipys_is_taken_or_has_its_row(name: str):
    for k in split(name, *SCIPY[name])[1]:
        assert fixed(name, k) is not None, f"{name} does not take {k}, and there is no row for it"


def test_each_row_is_of_an_argument_of_a_function():
    given = [(n, theirs(n), TAKEN[n]) for n in NAMES]
    given += [(n, *both) for n, both in SCIPY.items()]
    used = {key for n, f, ours in given for k in split(n, f, ours)[1] for key in (f"{n.rpartition('.')[2]}.{k}", k)}
    assert {*FIXED} - used <= {"dtype", "where", "ndmax", "stat_length", "reflect_type"}


REFUSED = [
    (lambda x: np.sum(x, out=np.zeros(1)), "sum of a traced value takes no out but None: traced values never change"),
    (lambda x: np.median(x, None, np.zeros(1)), "median of a traced value takes no out but None"),
    (lambda x: np.quantile(x, 0.5, weights=x), "takes no weights but None: quantiles are those of equal weights"),
    (lambda x: np.sort(x, order="a")[0], "sort of a traced value takes no order but None"),
    (lambda x: np.pad(x, 1, "reflect", reflect_type="odd")[0], "takes no reflect_type but 'even'"),
    (lambda x: x.sum(out=np.zeros(1)), "sum of a traced value takes no out but None"),
    (lambda x: rose.linalg.det(rose.outer(x, x), check_finite=False, overwrite_a=1) + np.max(x, out=x), "takes no out"),
    (lambda x: rose.linalg.solve(rose.outer(x, x), x, assume_a="pos")[0], "takes no assume_a but None"),
]


@pytest.mark.parametrize(("of", "words"), REFUSED)
def test_an_argument_that_says_something_else_is_refused_with_its_reason(of: Of, words: str):
    with pytest.raises(TypeMismatch, match=re.escape(words)):
        _ = fn([Vec[3]], Real)(of).func


SAME = [
    lambda x: np.mean(x, 0, None, None, True)[0],
    lambda x: np.std(x, None, float, None, 1),
    lambda x: np.median(x, 0, None, True, True)[0],
    lambda x: np.trace(np.outer(x, x), 1, 1, 0, None, None),
    lambda x: np.average(x, 0, x, False),
    lambda x: np.cumsum(x, 0, float, None)[-1],
    lambda x: np.reshape(x, (3, 1), "F", copy=None)[1, 0],
    lambda x: np.einsum("i,i->", x, x, out=None, optimize="greedy"),
    lambda x: np.sum(a=x, axis=0),
    lambda x: x.mean(0, float),
    lambda x: x.round(1)[1],
]


@pytest.mark.parametrize("k", range(len(SAME)))
def test_arguments_by_place_mean_what_they_mean_to_numpy(k: int):
    x = np.array([1.04, -5.0, 2.5])
    assert fn([Vec[3]], Real)(SAME[k])(x) == pytest.approx(SAME[k](x), rel=1e-14)


X = np.random.default_rng(0).normal(size=(2, 3, 4))
W = np.array([[True, False, True, True], [False, False, False, True], [True, True, True, True]])
VALUES = """np.sum(x,where=w) | np.sum(x,1,initial=2.0,where=w,keepdims=True) | np.prod(x,-1,where=w) |
    np.max(x,initial=0.5) | np.max(x,0,initial=-1.0,where=w) | np.min(x,axis=(0,2),initial=9.0,where=w) |
    np.mean(x,(0,1),where=w) | np.var(x,where=w,ddof=1) | np.std(x,axis=1,where=w,keepdims=True) |
    np.var(x,1,mean=np.mean(x,1,keepdims=True)) | np.std(x,correction=1) | np.all(x>-1,axis=0,where=w) |
    np.any(x>1,where=w) | np.sum(x,axis=()) | np.mean(x,axis=()) | np.std(x,axis=()) | np.max(x,axis=()) |
    np.sum(x[0,0,0],axis=0) | np.argmax(x[0,0,0]) | np.ptp(x[0,0,0]) | np.median(x,axis=(0,2)) |
    np.quantile(x,0.3,method="hazen") | np.quantile(x,[0.1,0.9],1,method="weibull") |
    np.quantile(x,0.35,method="lower") | np.quantile(x,0.35,-1,method="higher") |
    np.quantile(x,0.5,method="nearest") | np.percentile(x,35,(0,1),method="midpoint",keepdims=True) |
    np.quantile(x,0.99,method="median_unbiased") | np.quantile(x,0.3,method="normal_unbiased") |
    np.quantile(x,0.3,method="interpolated_inverted_cdf") | np.average(x,axis=(1,2),weights=x[0]*x[0]) |
    np.average(x,2,x[0,0]**2,True)[1] | np.average(x,(2,1),(x[0]*x[0]).T) | np.trace(x,1,2,1) |
    np.trace(x,axis1=0,axis2=2) | np.cross(x[:,:,:3],x[:,:,1:],axis=1) |
    np.cross(x[:,:,:3],x[:,:,:3],axisa=1,axisc=0) | np.take(x,[5,-9],1,mode="wrap") |
    np.take(x,[5,-9],1,mode="clip") | np.gradient(x,0.5,axis=2,edge_order=2) |
    np.gradient(x,[0.0,1.0,3.0],axis=1,edge_order=2) | np.interp(5*x,[0.5,2.0,1.0],[1.0,2.0,4.0],period=3.0) |
    0.0+np.searchsorted([3.0,1.0,2.0],2*x,sorter=[1,2,0]) | np.linspace(x[0],x[1],3,axis=1) |
    np.linspace(x[0,0],2.0,4,endpoint=False,retstep=True)[1] | np.zeros_like(x,shape=3) |
    np.ones_like(x,None,"K",True,(2,2)) | np.full_like(x,x[0,0,0],shape=(2,)) | np.reshape(x,(4,6),order="F") |
    np.ravel(x,"F") | np.roll(x,(1,2),axis=(0,0)) | np.roll(x,1,axis=(0,2)) |
    np.meshgrid(x[0,0],x[0,1],sparse=True)[1] | np.cov(x[0],dtype=float) | np.triu(x[0,0]) | np.tril(x[0,0],1) |
    np.size(x,1)*x | np.size(x,(0,2))*x | np.add.reduce(x,1,where=w,initial=1.0) |
    np.logical_and.reduce(x>-1,axis=2) | np.concatenate([x,x],1,dtype=float)"""


@pytest.mark.parametrize("text", [t.strip() for t in VALUES.replace("\n", " ").split("|")])
def test_what_is_taken_means_what_it_means_to_numpy(text: str):
    of: Any = lambda x: eval(text, {"np": np, "x": x, "w": W})
    agree(of, of, [X], rtol=1e-13)


SMOOTH = ["np.sum(x,where=x<9)", "np.prod(x,1,initial=2.0,where=[[True,False]])", "np.max(x,0,initial=0.25,where=x<9)",
          "np.std(x,where=[[True],[False]],axis=1)", "np.var(x,mean=0.5)", "np.median(x,axis=(0,1))",
          "np.cross(x,x[::-1],axis=0)",
          "np.gradient(x,axis=0,edge_order=1)", "np.linspace(x[0],x[1],3)", "np.average(x,0,x[:,0],True)[0]",
          "np.interp(x,[0.0,1.0],[1.0,3.0],period=2.0)", "np.quantile(x,0.3,0,method='hazen')"]  # fmt: skip


@pytest.mark.parametrize("text", SMOOTH)
def test_derivatives_in_both_modes_and_twice(text: str):
    shape = (3, 2) if "cross" in text else (2, 2)
    differentiate(lambda x: eval(text, {"np": np, "x": x}), shape)


def test_what_is_left_out_has_no_derivative():
    f = fn([Vec[3], Vec[3, Bool]], Real)(lambda x, w: np.sum(np.log(x), where=w) + np.mean(1.0 / x, where=w))
    assert rose.grad(f)([1.0, 0.0, 2.0], [True, False, True]).tolist() == [0.5, 0.0, 0.375]


WRONG = [
    (lambda x: np.max(x, where=x > 0.0), "max with where= may be of nothing"),
    (lambda x: np.sum(x[0], where=x > 0.0), "where= has the shape"),
    (lambda x: np.std(x, ddof=1, correction=1), "ddof and correction of rose.std are one thing"),
    (lambda x: np.quantile(x, 0.5, method="best"), "rose.quantile has no method 'best'"),
    (lambda x: np.take(x, 1, mode="far"), "rose.take has no mode 'far'"),
    (lambda x: np.gradient(x, edge_order=3)[0], "edge_order of rose.gradient is 1 or 2"),
    (lambda x: np.reshape(x, (3, 1), order="Z")[0, 0], "rose.reshape has no order 'Z'"),
]


@pytest.mark.parametrize(("of", "words"), WRONG)
def test_a_value_that_an_argument_cannot_have_is_an_error(of: Of, words: str):
    with pytest.raises(TypeMismatch, match=re.escape(words)):
        _ = fn([Vec[3]], Real)(of).func


def listed(names: list[str]) -> str:
    return ", ".join(f"`{k}`" for k in names)


def of_row(k: str, row: Fixed) -> str:
    values = "anything" if row.values is None else ", ".join(f"`{v!r}`" for v in row.values)
    return f"| `{k}` | {values.replace(repr(float), 'float')} | {row.because} |\n"


def tables() -> dict[str, str]:
    lines = ""
    for name in NAMES:
        taken, other = split(name, theirs(name), TAKEN[name])  # pyright: ignore[reportArgumentType]
        lines += f"| `np.{name}` | {listed(taken)} | {listed(other)} |\n"
    return {FUNCTIONS: lines, ROWS: "".join(of_row(k, row) for k, row in sorted(FIXED.items()))}


@pytest.mark.skipif(not np.__version__.startswith("2.4."), reason="the page has the signatures of NumPy 2.4")
def test_the_documents_have_the_table(bless: bool):
    for head, rows in tables().items():
        text = PAGE.read_text(encoding="utf-8")
        if bless:
            new = re.sub(re.escape(head) + r"(\|.*\n)*", lambda _, rows=rows, head=head: head + rows, text)
            PAGE.write_text(new, encoding="utf-8")
        assert head + rows in PAGE.read_text(encoding="utf-8")
