"""The kinds of rows: the types that they accept, and what all rows of a kind have in common."""

import math

from rose.ir import OPS, building
from rose.ir.columns import LIBRARY
from rose.ir.rows import HALVES, LARGEST, by_literal, indices, two_halves
from rose.ir.types import Fin, Real


def test_two_indices_make_one_that_always_fits_or_none_where_there_is_none_so_large():
    add = indices(lambda n, m: n + m - 1)
    with building("f") as b:
        i, empty, last, x = b.param(Fin(6)), b.param(Fin(0)), b.param(Fin(LARGEST)), b.param(Real)
        assert (add(i, i), add(i, empty), add(i, last), add(i, x)) == (Fin(11), Fin(0), None, None)


def test_an_index_is_divided_by_a_literal_that_is_not_zero():
    divided = by_literal(lambda n, k: (n - 1) // k + 1)
    with building("f") as b:
        i = b.param(Fin(6))
        given = [b.const(2, Fin(6)), b.const(0, Fin(6)), i]
        assert [divided(i, k) for k in given] == [Fin(3), None, None]


def test_halves_of_words_are_those_of_16_bits():
    with building("f") as b:
        i, j = b.param(Fin(HALVES)), b.param(Fin(HALVES + 1))
        assert two_halves(i, i) == Fin(HALVES) and two_halves(i, j) is None


def test_rounding_keeps_infinity_nan_and_the_sign_of_zero():
    floor = OPS["floor"]
    assert floor.eval is not None
    assert [floor.eval(x) for x in (-0.0, math.inf, -1.5)] == [0.0, math.inf, -2.0]
    assert math.copysign(1.0, floor.eval(-0.0)) == -1.0 and math.isnan(floor.eval(math.nan))
    assert floor.kind == "choice" and floor.whole and floor.exact


def test_mathematics_rounds_and_takes_pure_numbers_unless_a_row_says_otherwise():
    sin, cbrt = OPS["sin"], OPS["cbrt"]
    assert (sin.kind, sin.unit, sin.cost, sin.exact, sin.monotone) == (
        "function",
        "pure",
        LIBRARY,
        False,
        None,
    )
    assert cbrt.unit != "pure" and cbrt.monotone is not None


def test_what_rounding_makes_of_a_whole_number_is_the_number():
    floor, sign, real = OPS["floor"], OPS["sign"], OPS["real"]
    with building("f") as b:
        x, i = b.param(Real), b.param(Fin(3))
        for whole in (floor(x), sign(x), b.emit(real, (i,))):
            assert floor(whole) is whole
        assert floor(abs(x)) is not abs(x)
