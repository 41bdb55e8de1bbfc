"""Liveness of the variables of a Python function, on its syntax tree."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from rose.frontend.syntax.liveness import Liveness, bound, inside, late, reads


def body(text: str) -> list[ast.stmt]:
    return ast.parse(dedent(text)).body


def live(text: str) -> list[str]:
    """The live variables at the first branch or loop of a function."""
    statements = body(text)
    at = Liveness(statements).at
    return sorted(at[next(s for s in statements if isinstance(s, (ast.If, ast.While, ast.For)))])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if c:\n    x = 1\nreturn x", ["x"]),
        ("if c:\n    x = 1\nx = 2\nreturn x", []),
        ("if c:\n    x = y = 1\nx, z = y, 1\nreturn x", ["y"]),
        ("if c:\n    x = 1\ndel x", ["x"]),
        ("while k < n:\n    k = k + 1\nreturn 0", ["k", "n"]),
        ("while c:\n    x = 1\n    y = x", ["c"]),
        ("while c:\n    y = x\n    x = z", ["c", "x", "z"]),
        ("for i in v:\n    s = s + i\nreturn 0", ["s"]),
        ("while c:\n    if d:\n        break\n    x = 1\nreturn x", ["c", "d", "x"]),
    ],
)
def test_a_variable_is_live_if_it_may_be_read_later(text: str, wanted: list[str]):
    assert live(text) == wanted


def test_a_name_in_any_part_of_a_try_is_live_after_every_part():
    text = "if c:\n    x = 1\ntry:\n    x = 2\nexcept E:\n    y = x"
    assert "x" in live(text)


def test_all_ways_to_assign_are_found():
    text = """
        a = b, *c = 1, 2
        import d.e, f as g
        def h(): i = 1
        for j in [k for k in x]: pass
        with x as l: pass
        match x:
            case {"m": m, **n}: pass
        del o
    """
    assert bound(body(text)) == ["a", "b", "c", "d", "g", "h", "j", "l", "m", "n", "o"]


def test_functions_inside_read_late():
    statements = body("x = lambda: y\nz = w")
    assert late(statements) == {"y"}
    assert reads(*statements) == {"y", "w"}
    assert not [n for n in inside(statements) if isinstance(n, ast.Name) and n.id == "y"]
