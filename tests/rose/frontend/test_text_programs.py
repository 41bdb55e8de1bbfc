"""`rose.parse`: functions of the text form as `Fn`s."""

from __future__ import annotations

from pathlib import Path

import pytest

import rose
from rose import Real, TypeMismatch, WrongSyntax, fn
from rose.frontend.text_programs import parse_file


def test_a_printed_function_is_read_back():
    f = fn([Real], Real)(lambda x: rose.sin(x) * x)
    again = rose.parse(rose.compile({"f": f}).pretty())
    (g,) = again.values()
    assert g(2.0) == f(2.0)
    assert rose.grad(g)(2.0) == rose.grad(f)(2.0)


def test_a_file_is_read(tmp_path: Path):
    text = rose.compile({"f": fn([Real], Real)(lambda x: x + 1.0)}).pretty()
    (tmp_path / "f.rose").write_text(text)
    (f,) = parse_file(tmp_path / "f.rose").values()
    assert f(1.0) == 2.0


def test_bytes_that_are_not_text_are_a_wrong_syntax(tmp_path: Path):
    (tmp_path / "f.rose").write_bytes(b"\xff")
    with pytest.raises(WrongSyntax, match=r"is not UTF-8 text: .* at byte 0"):
        parse_file(tmp_path / "f.rose")


def test_only_text_is_parsed():
    with pytest.raises(TypeMismatch, match=r"rose.parse takes a text, not 3"):
        rose.parse(3)  # pyright: ignore
