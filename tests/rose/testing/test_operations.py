"""`check_op` rejects rules that are wrong by 1 %: in the value, the derivative, its transpose, the second order."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Dual, Real, Vec, fn
from rose.differentiation.gradients import pullback
from rose.testing import check_op, examination, operations

n = rose.dim("n")


def ruled(value: float = 1.0, slope: float = 1.0, second: float = 1.0) -> Any:
    """The sine, with a rule whose parts are off by these factors."""
    cosine = fn([Real], Real)(lambda x: rose.cos(x))
    cosine.jvp(lambda x: Dual(rose.cos(x.re), -second * rose.sin(x.re) * x.du))
    f = rose.op(fn([Real], Real)(lambda x: rose.sin(x)))
    f.jvp(lambda x: Dual(value * rose.sin(x.re), slope * cosine(x.re) * x.du))
    return f


WRONG = [
    ({"value": 1.01}, "and in the derivative"),
    ({"slope": 1.01}, "by differences"),
    ({"slope": 0.99}, "by differences"),
    ({"slope": -1.0}, "by differences"),
    ({"second": 1.01}, "the derivative in forward mode"),
]


@pytest.mark.parametrize(("off", "said"), WRONG)
def test_what_is_wrong_by_one_per_cent_is_rejected(off: dict[str, float], said: str):
    report = check_op(ruled(**off), 4)
    assert not report.ok
    assert said in str(report)


def test_an_adjoint_that_is_wrong_by_one_per_cent_is_rejected(monkeypatch: pytest.MonkeyPatch):
    f = ruled()
    off = pullback(fn([Real], Real)(lambda x: 1.01 * rose.sin(x) - 0.01 * rose.stop_gradient(rose.sin(x))))
    monkeypatch.setattr(examination, "pullback", lambda _: off)
    assert "along a direction, and reverse mode" in str(check_op(f, 4))


def test_an_adjoint_of_second_order_that_is_wrong_is_rejected(monkeypatch: pytest.MonkeyPatch):
    second = fn([Real], Real)(lambda x: rose.cos(x))
    second.jvp(lambda x: Dual(rose.cos(x.re), -1.01 * rose.sin(x.re) * x.du))
    off = fn([Real, Real], tuple[Real, Real])(lambda x, ct: (rose.sin(x), second(x) * ct))
    monkeypatch.setattr(operations, "pullback", lambda _: off)
    assert "the derivative in reverse mode" in str(check_op(ruled(), 4))


@rose.struct
class Pair:
    a: Real
    b: Vec[2]


RIGHT: list[Any] = [
    ruled(),
    rose.op(fn([Real, Real], Real)(lambda x, y: rose.hypot(x, y))),
    rose.op(fn([Real], Real)(lambda x: rose.abs(x))),
    fn([Vec[n]], Vec[n])(lambda v: v / rose.sum(rose.exp(v))),
    fn([Pair], Pair)(lambda p: Pair(p.a * p.b[0], [rose.sin(p.a), p.b[1]])),
]


@pytest.mark.parametrize("k", range(len(RIGHT)))
def test_what_is_right_is_not_rejected(k: int):
    report = check_op(RIGHT[k], 4)
    assert report.ok, report
    assert report.points == 4


def test_what_has_no_derivative_is_rejected():
    alone = rose.opaque(undifferentiated)
    assert "has no derivative" in str(check_op(alone, 2))
    assert not check_op(fn([rose.Bool], rose.Bool)(lambda p: ~p), 2).ok


def undifferentiated(x: Real) -> Real:
    return x
