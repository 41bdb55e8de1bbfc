"""The table of the names of arrays: `rose` exports it, the documents show it, and NumPy's functions find it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.frontend.vocabulary import VOCABULARY, Name, numpys_name

PAGE = Path(__file__).parents[3] / "web" / "docs" / "arrays.md"
HEAD = "| the vocabulary | |\n|---|---|\n"


def shown(row: Name) -> str:
    """A name as the documents show it."""
    others = [n for n in row.numpys if n.rpartition(".")[2] != row.name]
    return f"`{'x.' * row.method}{row.name}`" + (f" ({', '.join([f'`np.{n}`' for n in others])})" if others else "")


def table() -> str:
    sections = dict.fromkeys([row.section for row in VOCABULARY])
    lines = [f"| {s} | {', '.join([shown(row) for row in VOCABULARY if row.section == s])} |\n" for s in sections]
    return HEAD + "".join(lines)


def test_the_documents_have_the_table(bless: bool):
    text = PAGE.read_text(encoding="utf-8")
    if bless:
        PAGE.write_text(re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: table(), text), encoding="utf-8")
    assert table() in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("row", VOCABULARY, ids=lambda row: row.name)
def test_rose_exports_each_name(row: Name):
    assert getattr(rose, row.name) is row.function
    assert row.name in rose.__all__
    assert row.doc.endswith((".", ":"))


def test_a_name_stands_once():
    names = [row.name for row in VOCABULARY]
    assert len({*names}) == len(names)
    theirs = [n for row in VOCABULARY for n in row.numpys]
    assert len({*theirs}) == len(theirs)


def test_a_function_of_numpys_has_the_name_that_a_user_writes():
    assert [numpys_name(f) for f in (np.sum, np.linalg.norm, np.where)] == ["sum", "linalg.norm", "where"]


def program(f: Any) -> Any:
    return fn([Vec[3]], Real)(f)([1.0, 5.0, 2.0])


def test_numpys_functions_and_methods_are_ours():
    assert program(lambda x: np.sum(x)) == program(lambda x: x.sum()) == 8.0
    assert program(lambda x: np.amax(x) + np.linalg.norm(x)) == 5.0 + np.sqrt(30.0)
    assert program(lambda x: np.where(x > 1.0, x, 0.0)[0] + np.dot([1.0, 0.0, 2.0], x)) == 5.0


def test_the_shape_is_what_numpys_functions_find():
    assert program(lambda x: 1.0 * np.ndim(x) + np.size(x) + np.shape(x)[0]) == 7.0


@pytest.mark.parametrize("named", [{"out": np.zeros(1)}, {"nonsense": 1}])
def test_an_argument_that_we_do_not_have_is_named(named: dict[str, Any]):
    with pytest.raises(
        (rose.RoseError, TypeError), match=f"sum of a traced value takes no {next(iter(named))}|nonsense"
    ):
        program(lambda x: np.sum(x, **named))


WITH_DEFAULTS = [
    lambda x, m: np.sum(x, 0, None, None, True)[0],
    lambda x, m: np.sum(x, axis=0, dtype=None, out=None, where=True),
    lambda x, m: np.mean(x, None, None),
    lambda x, m: np.exp(x, out=None, dtype=None, where=True, casting="same_kind")[1],
    lambda x, m: np.linalg.eigvalsh(m, "L")[0],
    lambda x, m: np.linalg.cholesky(m, upper=False)[0, 0],
    lambda x, m: np.linalg.svd(m, True, True)[1][0],
    lambda x, m: np.linalg.pinv(m, hermitian=False)[0, 0],
    lambda x, m: np.concatenate([x, x], 0, dtype=None, casting="same_kind")[4],
    lambda x, m: np.hstack([x, x], dtype=None)[4],
    lambda x, m: x.sum(out=None),
    lambda x, m: x.reshape(3, order="C").copy(order="K")[2],
]


@pytest.mark.parametrize("k", range(len(WITH_DEFAULTS)))
def test_an_argument_that_says_what_numpy_means_without_it_may_be_given(k: int):
    f, x, m = WITH_DEFAULTS[k], np.array([1.0, 5.0, 2.0]), np.array([[2.0, 1.0], [1.0, 3.0]])
    assert fn([Vec[3], Vec[2, 2]], Real)(f)(x, m) == pytest.approx(f(x, m), rel=1e-14)


def test_an_argument_that_says_something_else_is_refused():
    for f in (lambda m: m.astype(float, order="F")[0, 0], lambda m: np.exp(m, where=False)[0, 0]):
        with pytest.raises(rose.TypeMismatch, match=r"order|where"):
            _ = fn([Vec[2, 2]], Real)(f).func
