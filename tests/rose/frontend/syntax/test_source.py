"""Reading a function's source again, and compiling it."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from rose import Real, RoseError, TypeMismatch
from rose.frontend.syntax.source import rewrite
from tests.support.notebook import Notebook

SCALE = 2.0


def doubled(x: Any, shift: Any = 1.0) -> Any:
    """Twice."""
    if x > 0.0:
        x = SCALE * x
    return x + shift


def test_a_rewritten_function_computes_the_same():
    f = rewrite(doubled, Real)
    assert f is not doubled
    assert [f(x) for x in (-1.0, 3.0)] == [doubled(x) for x in (-1.0, 3.0)]
    assert f(1.0, shift=5.0) == 7.0


def test_it_keeps_name_doc_annotations_and_location():
    f = rewrite(doubled, Real)
    assert (f.__name__, f.__doc__, f.__annotations__) == ("doubled", "Twice.", doubled.__annotations__)
    assert f.__code__.co_filename == doubled.__code__.co_filename
    assert f.__code__.co_firstlineno == doubled.__code__.co_firstlineno


def test_it_sees_the_variables_around_it():
    factor = 3.0

    def f(x: Any) -> Any:
        return factor * x if x > 0.0 else x

    g = rewrite(f, Real)
    factor = 4.0
    assert g(1.0) == 4.0


@functools.wraps(doubled)
def wrapped(x: Any) -> Any:
    return doubled(x)


@pytest.mark.parametrize("wrong", [functools.partial(doubled, 1.0), wrapped, len, 3])
def test_what_has_no_source_of_its_own_is_refused(wrong: Any):
    with pytest.raises(TypeMismatch):
        rewrite(wrong, Real)


def test_a_function_without_a_file_is_refused():
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x", names)
    with pytest.raises(RoseError, match="the source of f cannot be read"):
        rewrite(names["f"], Real)


TIMED = """
import rose
@rose.fn(syntax=True)
def f(x: rose.Real) -> rose.Real:
    if x > 0.0:
        return x
    return 0.0
"""


def test_a_function_of_a_timed_cell_is_rewritten(monkeypatch: pytest.MonkeyPatch):
    f = Notebook(monkeypatch).run(TIMED)["f"]
    assert (f(2.0), f(-2.0)) == (2.0, 0.0)


def test_a_function_of_a_timed_cell_that_is_not_found_says_to_remove_the_magic(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(RoseError, match="the source of f cannot be read") as e:
        Notebook(monkeypatch).run(TIMED.replace("0.0", "3.0"), kept=False)
    assert e.value.hint.startswith("remove %%time from the cell: ")
