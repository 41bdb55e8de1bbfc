"""Errors, and the frames that users see of them."""

from __future__ import annotations

import pickle
import traceback

import pytest

import rose
from rose import RoseError, TypeMismatch
from rose.errors import edge, here


def test_an_error_says_what_and_where_and_what_to_write():
    text = str(TypeMismatch("this is wrong", here(), "write that"))
    assert text.splitlines()[0] == "this is wrong" and "test_exceptions.py:" in text
    assert "TypeMismatch(" in text and text.endswith("  hint: write that")


def test_an_error_that_is_moved_keeps_its_number():
    error = RoseError("wrong", None, "write that")
    moved = error.at(here())
    assert moved.number == error.number and moved.loc is not None


def test_an_error_keeps_its_text_when_it_is_pickled():
    error = TypeMismatch("wrong", here(), "write that")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and type(again) is TypeMismatch


def test_no_frame_of_ours_is_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ROSE_TRACEBACK", raising=False)
    with pytest.raises(RoseError) as caught:
        rose.grad(3)  # pyright: ignore
    files = [f.filename for f in traceback.extract_tb(caught.tb)]
    assert files and not [file for file in files if "/rose/" in file and "/tests/" not in file]


def test_arguments_that_do_not_fit_a_public_function_are_a_type_mismatch():
    @edge
    def double(x: float) -> float:
        return 2 * x

    assert double(2.0) == 4.0
    with pytest.raises(TypeMismatch, match="double"):
        double(1.0, 2.0)  # pyright: ignore
