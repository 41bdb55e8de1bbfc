"""Docstrings in parts, in each notation."""

import pytest

from rose.host.docstring import Docstring, parsed, without_result

GOOGLE = """A line.

More.

Args:
    x: The first point, in metres,
        which goes on.
    y (m/s): The second.
    z (float): The third.

Returns:
    float: The distance, in metres.

Raises:
    ValueError: never
"""
NUMPY = """A line.

Parameters
----------
x : float, in metres
    The first.
y, z : array_like
    Others
    and so on.

Returns
-------
value : float
    The value.
gradient : ndarray
    In 1/m.

Notes
-----
Of it.
"""
SPHINX = """A line.

:param x: the first
:param float y: the second
   goes on
:returns: a thing
"""


@pytest.mark.parametrize(
    ("doc", "parts"),
    [
        (
            GOOGLE,
            Docstring(
                "A line.\n\nMore.\n\nRaises:\n    ValueError: never",
                {"x": "The first point, in metres, which goes on.", "y": "(m/s) The second.", "z": "The third."},
                "The distance, in metres.",
            ),
        ),
        (
            NUMPY,
            Docstring(
                "A line.\n\nNotes\n-----\nOf it.",
                {"x": "(float, in metres) The first.", "y": "Others and so on.", "z": "Others and so on."},
                "value: The value.; gradient: In 1/m.",
                ("value", "gradient"),
            ),
        ),
        (SPHINX, Docstring("A line.", {"x": "the first", "y": "the second goes on"}, "a thing")),
        ("", Docstring("", {})),
        ("Of x: a thing.\n\nx: no section", Docstring("Of x: a thing.\n\nx: no section", {})),
        ("Returns: nothing.", Docstring("Returns: nothing.", {})),
    ],
)
def test_parts(doc: str, parts: Docstring):
    assert parsed(doc) == parts


def test_several_results():
    assert parsed("F.\n\nReturns:\n    value: V.\n    gradient: G, in 1/m.").results == ("value", "gradient")
    assert parsed("F.\n\nReturns:\n    Vec: V.\n    Real: G.").results == ()
    assert parsed("F.\n\nReturns:\n    The value,\n    in metres.").returns == "The value, in metres."


@pytest.mark.parametrize("doc", [GOOGLE, NUMPY, SPHINX])
def test_without_the_result(doc: str):
    left = without_result(doc)
    assert parsed(left) == parsed(doc)._replace(returns="", results=())
