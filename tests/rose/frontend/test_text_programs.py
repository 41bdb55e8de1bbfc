"""`rose.parse`: functions of the text form as `Fn`s."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import rose
from rose import Real, TypeMismatch, Vec, WrongSyntax, fn
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


GENERIC = """
def sum<n: Index>(v: [n]Real): Real = fst (accum a from 0.0 in [for i: n, a += v[i]])
def at<n: Index>(i: n, v: [n]Real): Real = v[i]
def twice<T: Value>(x: T): (T, T) = (x, x)
"""


def test_a_generic_function_shows_itself():
    fs = rose.parse(GENERIC)
    assert (list(fs), len(fs), repr(fs["sum"])) == (["sum", "at", "twice"], 3, "<generic fn sum<n: Index>>")
    assert fs["sum<3>"]([1.0, 2.0, 3.0]) == 6.0 and "twice<T: Value>" in repr(fs)


def test_a_generic_function_has_the_types_of_its_arguments():
    fs = rose.parse(GENERIC)
    assert [fs["sum"](x) for x in ([], [1.0], [1.0, 2.0])] == [0.0, 1.0, 3.0] and fs["at"](1, [1.0, 2.0]) == 2.0
    f = fn([Vec[3]], Real)(lambda x: fs["sum"](x) * fs["sum"]([x[0], 2.0]))
    assert rose.grad(f)([1.0, 2.0, 3.0]).tolist() == [9.0, 3.0, 3.0]
    assert rose.hessian(f)([1.0, 2.0, 3.0])[0].tolist() == [2.0, 1.0, 1.0]
    assert pickle.loads(pickle.dumps(fs["sum"]))([1.0, 2.0]) == 3.0


def test_what_a_generic_function_cannot_take_is_an_error():
    fs = rose.parse(GENERIC)
    with pytest.raises(TypeMismatch, match=r"sum takes 1 argument, got 2"):
        fs["sum"](1.0, 2.0)
    with pytest.raises(TypeMismatch, match=r"the arguments do not say what n is[\s\S]*write sum<...>"):
        fs["sum"](1.0)
