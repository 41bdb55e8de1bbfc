"""`rose.einsum`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate
from costs import cost

import rose
from rose import Real, RoseError, Vec, fn
from rose.frontend.arrays.einsum import parsed

SUMS = """ij,jk->ik|2,3|3,4 ij,jk|2,3|3,4 ii->i|3,3 ii|3,3 ij->ji|2,3 ij->|2,3 ba|2,3 ij->i|2,3 ->|
    ...ij,...jk->...ik|5,2,3|3,2 i,j->ji|2|3 ij,jk,kl->il|2,3|3,4|4,2 ijk,k->ij|2,3,4|4 ij,k->i|2,3|4 iij->j|3,3,2
    bqd,bkd->bqk|2,3,4|2,5,4 ...i->...|2,3 i,i,i|3|3|3 ...,...|2,3|3 ij,ij->ij|2,1|2,3 i...->i...|2,3
    nhwc,ijcf->nhwijf|1,2,2,2|2,1,2,2 i,ij,j|2|2,3|3 ij,jk->ik|2,0|0,2 i,->i|3| ab,ab,ab->b|2,3|2,3|2,3"""


@pytest.mark.parametrize("case", SUMS.split())
def test_a_sum_is_numpys(case: str):
    text, *shapes = case.split("|")
    r = np.random.default_rng(0)
    xs = [r.normal(size=tuple([int(n) for n in s.split(",") if n])) for s in shapes]
    agree(lambda *v: rose.einsum(text, *v), lambda *v: np.einsum(text, *v), xs, rtol=2e-14)


@pytest.mark.parametrize(
    ("text", "shapes"), [("ij,jk->ik", ((2, 2), (2, 2))), ("ii->i", ((2, 2),)), ("i,ij,j", ((2,), (2, 2), (2,)))]
)
def test_derivatives_in_both_modes_and_twice(text: str, shapes: tuple[tuple[int, ...], ...]):
    differentiate(lambda *v: rose.einsum(text, *v), *shapes)


def test_spaces_are_left_out():
    assert parsed(" i j , j -> i ", 2) == parsed("ij,j->i", 2)


def test_operands_are_contracted_from_the_left():
    costs = list[int]()
    for n in (8, 16):
        f = fn([Vec[n, n], Vec[n, n], Vec[n]], Vec[n])(lambda a, b, x: rose.einsum("ij,jk,k->i", a, b, x))
        g = fn([Vec[n, n], Vec[n, n], Vec[n]], Vec[n])(lambda a, b, x: rose.einsum("k,jk,ij->i", x, b, a))
        a, x = [[1.0] * n] * n, [1.0] * n
        costs += [cost(f.func, a, a, x), cost(g.func, a, a, x)]
    assert costs[2] > 6 * costs[0]  # the product of matrices first: n ** 3
    assert costs[3] < 5 * costs[1]


@pytest.mark.parametrize(
    "f",
    [
        lambda of, x, y: of.einsum(x, [0, 1], y, [1, 2], [0, 2]),
        lambda of, x, y: of.einsum(x, [3, 1], y, [1, 2]),  # the result is in the order of the numbers
        lambda of, x, y: of.einsum(x, [0, ...], y, (..., 0), [...]),
        lambda of, x, y: of.einsum(x, [51, 0], []),
        lambda of, x, y: of.einsum(y @ x, [7, 7], [7]),
        lambda of, x, y: of.einsum(x, [27, 2], y, [2, 4]),  # of letters, capitals come first
    ],
)
def test_lists_of_numbers_say_what_a_string_says(f: Any):
    r = np.random.default_rng(0)
    xs = [r.normal(size=(2, 3)), r.normal(size=(3, 2))]
    agree(lambda x, y: f(rose, x, y), lambda x, y: f(np, x, y), xs, rtol=2e-14)
    agree(lambda x, y: f(np, x, y), lambda x, y: f(np, x, y), xs, rtol=2e-14)


@pytest.mark.parametrize("args", [("xy",), ("x", [0]), ("x", [0, "i"]), ("x", [0, 52]), ("x", [0, -1]), ("x", 0)])
def test_a_wrong_list_is_an_error(args: Any):
    with pytest.raises(RoseError, match=r"rose\.einsum"):
        _ = fn([Vec[2, 3]], Real)(lambda x: rose.einsum(*[x if a == "x" else a for a in args])).func


def test_what_one_operand_has_alone_is_summed_first():
    n = 16
    f = fn([Vec[n], Vec[n]], Real)(lambda x, y: rose.einsum("i,j->", x, y))
    assert cost(f.func, [1.0] * n, [1.0] * n) < 10 * n


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("ij,j1->i", "'1' at position 4"),
        ("ij->i", "is given 2 operands, and its string names 1"),
        ("ij,jk->iz", "no operand has the index 'z'"),
        ("ij,jk->ii", "has the index 'i' twice"),
        ("ijk,jk->i", r"names 3 axes by 'ijk', and an operand of the shape \(2, 3\) has 2"),
        ("i,jk->i", "names 1 axes"),
        ("ij,ik->jk", r"index 'i' the sizes 2 and 3: of \(2, 3\) and \(3, 2\)"),
        ("...j,...->j", "lacks the axes"),
        ("......i,ij", "at position 3"),
        (3, "takes a string first"),
    ],
)
def test_a_wrong_string_is_an_error(text: str, match: str):
    with pytest.raises(RoseError, match=match):
        _ = fn([Vec[2, 3], Vec[3, 2]], Real)(lambda x, y: rose.einsum(text, x, y)).func
