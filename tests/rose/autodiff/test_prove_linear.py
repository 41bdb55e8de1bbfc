"""`as_linear`: what is linear in its parameters gets tangents there, and what is not is an error that points at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import NotLinear, Real, Vec, linalg
from rose.autodiff.prove_linear import as_linear, assume_linear
from rose.host.interpreter import run
from rose.ir.callgraph import callees
from rose.ir.check import check
from rose.ir.types import Tan

Body = Callable[[Any, Any], Any]


def added(init: Any, x: Any, c: Any) -> Any:
    total = rose.accum(init)
    for i in rose.range(2):
        total[i] += x[i] * c
    return total.value[1]


LINEAR: list[tuple[str, Body]] = [
    ("products and sums", lambda x, c: (x[0] * c - x[1] / c) * 2.0),
    ("a loop", lambda x, c: rose.sum(x[i] * c for i in rose.range(2))),
    ("a state", lambda x, c: rose.scan(lambda i, s: s * c + x[i], x[0], 2)),
    ("a call", lambda x, c: rose.fn([Real, Real], Real)(lambda y, z: y * z)(c, x[1])),
    ("a branch", lambda x, c: rose.cond(c > 0.0, lambda: x[0], lambda: -x[1])),
    ("a while loop", lambda x, c: rose.while_loop(lambda s: c > 10.0, lambda s: s * c, x[0])),
    ("a sum from a list of zeros", lambda x, c: added([0.0, 0.0], x, c)),
    ("a select", lambda x, c: rose.select(c > 0.0, x[0], 0.0)),
]
NOT: list[tuple[str, Body]] = [
    ("a square", lambda x, c: x[0] * x[1]),
    ("a sum from a list", lambda x, c: added([0.0, 1.0], x, c)),
    ("a constant", lambda x, c: x[0] + 1.0),
    ("a function", lambda x, c: rose.sin(x[0])),
    ("a divisor", lambda x, c: c / x[0]),
    (
        "a state from outside",
        lambda x, c: rose.while_loop(lambda s: s[1] > 9.0, lambda s: (s[0] * c, s[1]), (x[0], c))[0],
    ),
]


def made(body: Body) -> Any:
    return as_linear(rose.fn([Vec[2], Real], Real)(body).func, [True, False])


@pytest.mark.parametrize(("name", "body"), LINEAR, ids=[n for n, _ in LINEAR])
def test_what_is_linear_is_proved_and_transposed(name: str, body: Body):
    f = check(made(body))
    assert f.params[0].type.elem is Tan and f.params[1].type is Real and f.result is Tan
    x, ct = (0.3, -0.7), 1.5
    out = rose.linear_transpose(rose.fn([Vec[2]], Real)(lambda x: body(x, 2.0)))(ct)
    assert sum([a * b for a, b in zip(x, out, strict=True)]) == pytest.approx(ct * run(f, x, 2.0))


@pytest.mark.parametrize(("name", "body"), NOT, ids=[n for n, _ in NOT])
def test_what_is_not_linear_is_an_error(name: str, body: Body):
    with pytest.raises(NotLinear) as e:
        made(body)
    assert e.value.loc is not None and e.value.hint


def test_an_error_in_a_function_of_ours_is_where_this_program_calls_it():
    def program() -> Any:
        def steps(b: Any) -> Any:
            return linalg.cg([[2.0, 0.0], [0.0, 1.0]], b).info

        return rose.fn([Vec[2]], Real)(steps)

    rose.fn([Vec[2]], Real)(lambda b: linalg.cg([[2.0, 0.0], [0.0, 1.0]], b).info)([1.0, 2.0])  # traces it
    with pytest.raises(NotLinear, match=r"return linalg\.cg"):
        rose.linear_transpose(program())(1.0)


def test_an_array_among_zeros_is_linear():
    f = rose.fn([Vec[2, 2]], Vec[4, 4])(lambda x: rose.pad(x, 1))
    assert rose.linear_transpose(f)([[1.0, 2.0, 3.0, 4.0]] * 4).tolist() == [[2.0, 3.0], [2.0, 3.0]]
    with pytest.raises(NotLinear):
        rose.linear_transpose(rose.fn([Vec[2]], Vec[4])(lambda x: rose.pad(x, 1, constant_values=1.0)))([1.0] * 4)


def test_what_is_assumed_needs_no_proof():
    square = rose.fn([Real], Real)(lambda x: x * x)
    f = rose.fn([Vec[2]], Real)(lambda x: square(x[0]) + x[1])
    assume_linear(square.func, made := as_linear(rose.fn([Real], Real)(lambda x: 3.0 * x).func, [True]))
    assert made in callees(as_linear(f.func, [True]))
    assert rose.linear_transpose(f)(2.0).tolist() == [6.0, 2.0]
