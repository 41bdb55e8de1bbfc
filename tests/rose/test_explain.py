"""`rose.explain_nan`: the first operation that made a nan or an infinity which flows into the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Fn, Real, Vec, explain_nan, fn, opaque


def of(params: list[Any], result: Any, body: Callable[..., Any]) -> Fn[..., Any]:
    return rose.fn(params, result)(body)


def first(f: Fn[..., Any], *args: Any) -> tuple[Any, ...]:
    """What made the first nan or infinity, of what, and whether that was in the derivative."""
    found = explain_nan(f, *args)
    assert found
    assert found.first is not None
    origin = found.first
    return origin.operation, origin.inputs, origin.output, origin.backward


def turns(f: Fn[..., Any], *args: Any) -> list[int]:
    origin = explain_nan(f, *args).first
    assert origin is not None
    return [i for i, _ in origin.turns]


def nan(x: float) -> Any:
    return pytest.approx(x, nan_ok=True)


CASES: list[tuple[str, Callable[[Any], Any], float, tuple[Any, ...]]] = [
    ("a logarithm", lambda x: rose.log(x) * 2.0 + 1.0, -1.0, ("log", (-1.0,), math.nan, False)),
    ("0 / 0", lambda x: (x / x) * x, 0.0, ("div", (0.0, 0.0), math.nan, False)),
    ("an overflow", lambda x: rose.exp(x) * 0.5, 1000.0, ("exp", (1000.0,), math.inf, False)),
    ("the slope of a root", lambda x: 3.0 * rose.sqrt(x), 0.0, ("div", (3.0, 0.0), math.inf, True)),
    ("the slope of a power", lambda x: rose.pow(x, 0.5), 0.0, ("pow", (0.0, -0.5), math.inf, True)),
    ("an argument", lambda x: x + 1.0, math.inf, ("the argument x", (), math.inf, False)),
]


@pytest.mark.parametrize(("name", "body", "x", "expected"), CASES, ids=[c[0] for c in CASES])
def test_the_first_operation_is_found(name: str, body: Any, x: float, expected: tuple[Any, ...]):
    operation, inputs, output, backward = first(of([Real], Real, body), x)
    assert (operation, inputs, backward) == (expected[0], expected[1], expected[3])
    assert output == nan(expected[2])


def test_where_a_nan_is_made_of_infinities_is_found_as_well():
    found = explain_nan(of([Real], Real, lambda x: rose.exp(x) - rose.exp(2.0 * x)), 800.0)
    assert found.first is not None
    assert found.nan is not None
    assert (found.first.operation, found.first.inputs) == ("exp", (800.0,))
    assert (found.nan.operation, found.nan.inputs, found.nan.cause) == ("sub", (math.inf, math.inf), found.first)
    assert "\nthen sub made nan of inf and inf\n" in str(found)


def test_nothing_is_said_of_what_is_finite():
    found = explain_nan(of([Real], Real, lambda x: x * x), 3.0)
    assert not found
    assert found.first is None
    assert str(found) == repr(found) == "nothing in <lambda> is nan or infinite"


def test_an_arm_that_is_not_taken_is_counted_only():
    f = of([Real], Real, lambda x: rose.select(x > 0.0, x * x, x / x))
    found = explain_nan(f, 0.0)
    assert found.first is not None and found.first.operation == "div"
    found = explain_nan(of([Real], Real, lambda x: rose.select(x < 0.0, rose.log(-x), x)), 0.0)
    assert not found
    assert [x.operation for x in found.unseen] == ["log", "div"]  # 1 / -0 in the derivative of it
    assert "\n2 more did not reach the result: at " in str(found)


def test_what_a_division_takes_away_did_not_reach_the_result():
    found = explain_nan(of([Real], Real, lambda x: 1.0 / rose.exp(rose.stop_gradient(x))), 1000.0)
    assert not found
    assert [x.operation for x in found.unseen] == ["exp"]


@fn
def inner(x: Real) -> Real:
    return rose.log(x) * 2.0


@fn
def total(v: Vec[5]) -> Real:
    sum = rose.accum(0.0)
    for i in rose.range(5):
        sum += inner(v[i])
    return sum.value


def test_the_turn_and_the_call_are_said():
    found = explain_nan(total, [1, 2, 3, -1, 5])
    lines = str(found).splitlines()
    assert lines[0] == "log made nan of -1.0"
    assert lines[1].startswith("  at ") and "test_explain.py:" in lines[1]
    assert lines[2:4] == ["    return rose.log(x) * 2.0", "           ^^^^^^^^^^^"]
    assert lines[4].startswith("  in iteration 3 (counted from 0) of the loop at ")
    assert lines[5] == "  in inner"
    assert lines[6].startswith("  called from total at ")
    assert len(lines) == 7


def test_the_turn_is_that_of_the_users_loop_in_a_derivative_too():
    def body(x: Any) -> Any:
        def turn(i: Any, s: Any) -> Any:
            return s * rose.sqrt(rose.select(i == 1, x * 0.0, x)) + x

        return rose.scan(turn, x, 4)

    f = of([Real], Real, body)
    assert first(f, 2.0)[0] == "div"
    assert turns(f, 2.0) == [1]
    assert turns(rose.grad(f), 2.0) == [1]
    assert turns(rose.grad(rose.grad(f)), 2.0) == [1]


def test_nested_loops_and_calls_have_all_their_turns():
    row = of([Vec[3]], Real, lambda v: rose.sum(rose.log(v[j]) for j in rose.range(3)))
    f = of([Vec[2, Vec[3]]], Real, lambda m: rose.sum(row(m[i]) for i in rose.range(2)))
    assert turns(f, [[1, 1, 1], [1, 1, -1]]) == [2, 1]
    g = of(
        [Vec[2, Vec[3]]],
        Real,
        lambda m: rose.sum(rose.sum(rose.log(m[i][j]) for j in rose.range(3)) for i in rose.range(2)),
    )
    assert turns(g, [[1, 1, 1], [1, 1, -1]]) == [2, 1]


def test_a_scan_and_a_branch_are_looked_into():
    f = of([Real], Real, lambda x: rose.scan(lambda i, s: rose.sqrt(s - 1.0), x, 6))
    assert turns(f, 5.0) == [3]
    g = of([Real], Real, lambda x: rose.cond(x > 0.0, lambda: x, lambda: rose.log(x)))
    assert first(g, -1.0)[:2] == ("log", (-1.0,))
    assert not explain_nan(g, 1.0)
    assert not explain_nan(g, 1.0).unseen


def test_sums_that_overflow_and_what_is_summed_are_told_apart():
    f = of([Vec[3]], Real, rose.sum)
    assert first(f, [1e308, 1e308, 1.0]) == ("a sum", (1e308, 1e308), math.inf, False)
    g = of([Vec[3]], Real, lambda v: rose.sum(1.0 / v[i] for i in rose.range(3)))
    assert first(g, [1.0, 0.0, 1.0]) == ("div", (1.0, 0.0), math.inf, False)
    h = of([Vec[2]], Vec[2], lambda v: rose.sum(rose.vec(v[i] / v[1] for i in rose.range(2)) for _ in rose.range(2)))
    assert first(h, [1.0, 0.0]) == ("div", (1.0, 0.0), math.inf, False)


def test_results_of_any_type_are_looked_through():
    f = of([Real], tuple[Real, Vec[2]], lambda x: (x, [x, rose.sqrt(x)]))
    assert first(f, -4.0)[:2] == ("sqrt", (-4.0,))
    assert first(rose.jacobian(of([Real], Vec[2], lambda x: [x, rose.sqrt(x)])), 0.0)[0] == "div"


def test_an_opaque_function_is_named():
    @opaque
    def odd(x: Real) -> Real:
        return x / 0.0 if x > 5.0 else math.inf

    assert first(of([Real], Real, lambda x: odd(x) + 1.0), 2.0) == ("the opaque function odd", (2.0,), math.inf, False)


def test_what_is_printed_is_printed_once_and_what_is_asserted_holds(capsys: pytest.CaptureFixture[str]):
    def body(x: Any) -> Any:
        rose.print("x = {}", x)
        rose.assert_(x < 1.0, "x is small")
        return rose.log(x)

    f = of([Real], Real, body)
    assert first(f, -1.0)[0] == "log"
    assert capsys.readouterr().out == "x = -1.0\n"
    with pytest.raises(rose.AssertionFailed):
        explain_nan(f, 2.0)


def test_a_derivative_of_any_order_is_explained():
    f = of([Real], Real, lambda x: x * rose.sqrt(x))
    assert first(f, 0.0)[0] == "div"
    found = explain_nan(rose.grad(rose.grad(f)), 0.0).first
    assert found is not None and found.calls == ("in <lambda>",)
    assert not explain_nan(rose.grad(rose.grad(f)), 4.0)


@pytest.mark.parametrize("checkpoint", [None, "sqrt", "binomial"])
def test_a_scan_with_checkpoints_has_the_turns_of_the_user(checkpoint: str | None):
    def turn(i: Any, s: Any) -> Any:
        return rose.sqrt(s - 1.0)

    f = of([Real], Real, lambda x: rose.scan(turn, x, 9, checkpoint=checkpoint))
    found = explain_nan(f, 5.0)
    assert found.first is not None
    assert (found.first.operation, found.first.calls) == ("sqrt", ("in <lambda>",))
    assert turns(f, 5.0) == [3]

    def both(x: Any) -> Any:
        def outer(j: Any, t: Any) -> Any:
            bad = rose.select(j == 2, -1.0, 1.0) + 0.0 * t  # not the same in all iterations
            return rose.scan(lambda i, s: s + rose.log(select_at(i, 3, bad)), t, 5, checkpoint=checkpoint)

        return rose.scan(outer, x, 4, checkpoint=checkpoint)

    g = of([Real], Real, lambda x: rose.sum(both(x + 0.0 * k) for k in rose.range(2)))
    assert turns(g, 5.0) == [3, 2, 0]
    found = explain_nan(g, 5.0).first
    assert found is not None
    above = both.__code__.co_firstlineno
    assert [loc.position()[1] - above for _, loc in found.turns] == [3, 5, 7]


def select_at(i: Any, k: int, x: Any) -> Any:
    return rose.select(i == k, x, 1.0)


def test_what_no_user_wrote_is_said_where_it_is_called():
    f = of([Real], Real, rose.lgamma)
    found = explain_nan(f, -1.0)
    assert found.nan is not None
    assert (found.nan.operation, found.nan.inputs, found.nan.calls) == ("digamma", (-1.0,), ("in lgamma",))


def test_a_while_loop_has_turns_in_either_direction():
    def outer(x: Any) -> Any:
        def turn(s: Any) -> Any:
            inner = rose.while_loop(
                lambda t: t[0] < 3.0, lambda t: (t[0] + 1.0, t[1] + rose.log(x + s[0] + t[0])), (0.0, 0.0)
            )
            return s[0] + 1.0, s[1] + inner[1]

        return rose.while_loop(lambda s: s[0] < 4.0, turn, (0.0, 0.0))[1]

    f = of([Real], Real, lambda x: rose.sum(outer(x + 0.0 * i) * i for i in rose.range(2)))
    assert turns(f, -4.0) == [0, 0, 0]
    for g in (rose.grad(f), rose.grad(rose.grad(f))):
        assert turns(g, -4.0) == [1, 3, 0]  # the only one that a derivative of a logarithm is not finite in


@pytest.mark.slow
def test_where_the_sum_of_two_stacks_came_from_is_known(monkeypatch: pytest.MonkeyPatch):
    """A cotangent of what two loops read is the sum of two stacks, where a derivative is differentiated again."""

    def body(x: Any) -> Any:
        def turn(s: Any) -> Any:
            return s[0] + 1.0, s[1] * x + rose.select(s[0] == 2.0, (x - 1.0) ** 0.5, s[1])

        return rose.while_loop(lambda s: s[0] < 4.0, turn, (0.0, x))[1]

    f = of([Real], Real, body)

    @fn
    def twice(x: Real) -> Real:
        v = rose.vjp(f)(x)
        return v.grad(x) * v.grad(x + 1.0)

    summed: list[Any] = []
    stacked = rose.explain._Watch.stacked  # pyright: ignore
    monkeypatch.setattr(rose.explain._Watch, "stacked", lambda *xs: [stacked(*xs), summed.append(xs)][0])  # pyright: ignore
    found = explain_nan(rose.grad(twice), 1.0)
    assert summed
    assert found.first is not None and found.first.operation == "pow"
    assert all(origin.turns[0][0] == 2 or origin.cause is not None for origin in found.origins)  # or made of infinities
