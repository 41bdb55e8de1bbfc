"""Series by derivative rules: those of rows without a recurrence of their own, and what such a rule may hold."""

from __future__ import annotations

import pytest
from curves import curve, jets, nested

import rose
from rose import Real
from rose.errors import Loc
from rose.ir import OPS, building
from rose.ir.types import Real as R
from rose.taylor_mode.elementary import RECURRENCES
from rose.taylor_mode.recurrences import Recurrences
from rose.taylor_mode.series import Series

BY_RULE = [op for op in OPS.values() if op.jvp is not None and op not in RECURRENCES and op.name != "pow"]


@pytest.mark.parametrize("op", [op for op in BY_RULE if len(op.jvp or ()) == 1], ids=repr)
def test_a_derivative_rule_is_enough(op: rose.ir.Op):
    f = rose.fn([Real], Real)(lambda x: op(0.25 + x * x) * op(x + 1.0))
    given = curve(0.6, 3)
    assert jets(f, 3, given) == pytest.approx(nested(f, 3, given), rel=1e-10, abs=1e-10)


def test_sine_and_cosine_share_their_series():
    with building("f") as b:
        b.loc = Loc(test_sine_and_cosine_share_their_series.__code__, -1)
        x = Series(b.param(R), lambda k: b.const(1.0, R) if k == 1 else None)
        made = Recurrences(4, lambda f, xs: xs[0])
        sine, cosine = made.of(OPS["sin"], (x,)), made.of(OPS["cos"], (x,))
        assert sine[4] is not None and made.of(OPS["cos"], (x,)) is cosine
        before = len(b.block.code)
        assert cosine[3] is not None and len(b.block.code) - before <= 1


def test_what_does_not_move_has_no_further_coefficient():
    with building("f") as b:
        b.loc = Loc(test_sine_and_cosine_share_their_series.__code__, -1)
        made, x = Recurrences(3, lambda f, xs: xs[0]), Series(b.param(R))
        moving = Series(b.param(R), lambda k: b.const(1.0, R))
        assert made.of(OPS["exp"], (x,)).is_constant and made.of(OPS["floor"], (moving,)).is_constant
        assert made.of(OPS["copysign"], (x, moving)).is_constant
