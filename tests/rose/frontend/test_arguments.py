"""NumPy's arguments: each of the installed NumPy's and SciPy's signatures is taken, or has a row with the reason."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import rose
import rose.linalg
from rose import Real, TypeMismatch, Vec, fn
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
SCIPY = [k for k in rose.linalg.__all__ if inspect.isfunction(getattr(scipy.linalg, k, None))]
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
    for k in split(name, getattr(scipy.linalg, name), getattr(rose.linalg, name))[1]:
        assert fixed(name, k) is not None, f"rose.linalg.{name} does not take {k}, and there is no row for it"


def test_each_row_is_of_an_argument_of_a_function():
    given = [(n, theirs(n), TAKEN[n]) for n in NAMES]
    given += [(n, getattr(scipy.linalg, n), getattr(rose.linalg, n)) for n in SCIPY]
    used = {key for n, f, ours in given for k in split(n, f, ours)[1] for key in (f"{n.rpartition('.')[2]}.{k}", k)}
    assert {*FIXED} - used <= {"dtype", "where", "ndmax", "stat_length", "reflect_type"}


REFUSED = [
    (lambda x: np.sum(x, out=np.zeros(1)), "sum of a traced value takes no out but None: traced values never change"),
    (lambda x: np.median(x, None, np.zeros(1)), "median of a traced value takes no out but None"),
    (lambda x: np.quantile(x, 0.5, weights=x), "takes no weights but None: quantiles are those of equal weights"),
    (lambda x: np.sort(x, order="a")[0], "sort of a traced value takes no order but None"),
    (lambda x: np.cov(x, aweights=x), "takes no aweights but None: samples have equal weights"),
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
