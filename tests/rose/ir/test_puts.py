"""A vector with another element: its meaning, its text, what the checker refuses, and a `select` of versions."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Vec, fn, ir
from rose.host.interpreter import run
from rose.ir import Func
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.ir.ops import select
from rose.ir.puts import PUT, put
from rose.ir.text.printer import show
from rose.ir.types import Fin

N = 12
TEXT = f"""def f(x: [{N}]Real, m: [{N}][2]Real, i: {N}): ([{N}]Real, [{N}][2]Real) =
  let y: [{N}]Real = put(x, i, 2.0) in
  let z: [{N}]Real = put(y, 0, 3.0) in
  let w: [{N}][2]Real = put(m, i, 1, 4.0) in
  let v: [{N}][2]Real = put(w, 2, [5.0, 6.0]) in
  (z, v)
"""


def made(x: Any) -> Func:
    return fn([Vec[N], Fin(N)], Vec[N])(x).func  # pyright: ignore[reportArgumentType]


def test_the_last_of_the_elements_that_are_put_in_one_place_is_there():
    f = rose.parse(TEXT)["f"]
    x, m = tuple([float(k) for k in range(N)]), ((0.0, 1.0),) * N
    y, rows = run(f.func, x, m, 2)
    assert y == (3.0, 1.0, 2.0, *x[3:]) and rows == (*m[:2], (5.0, 6.0), *m[3:])
    assert run(f.func, x, m, 0)[0] == (3.0, *x[1:])


def test_the_text_can_be_read_again():
    text = show(rose.parse(TEXT)["f"].func)
    assert "put(" in text and show(rose.parse(text)["f"].func) == text


@pytest.mark.parametrize("wrong", ["put(x, i, true)", "put(x, i, i, 1.0)", "put(x, 12, 1.0)"])
def test_a_text_with_another_element_or_index_is_refused(wrong: str):
    with pytest.raises(rose.RoseError):
        rose.parse(f"def f(x: [{N}]Real, i: {N}): [{N}]Real = {wrong}")


def test_the_checker_refuses_an_element_of_another_type():
    f = rose.parse(TEXT)["f"].func
    (first, *_) = [v for v in instructions(f.body) if v.op is PUT]
    first.args = (*first.args[:2], first.args[1])
    with pytest.raises(AssertionError, match="put does not accept"):
        check(f)


def test_a_vector_without_elements_stays_as_it_is():
    with ir.building("f") as b:
        x, i = b.param(Vec[0, Vec[3]], "x"), b.param(Fin(0), "i")  # pyright: ignore[reportArgumentType]
        assert put(b, x, [i, b.const(0, Fin(3))], b.const(1.0, rose.Real)) is x  # pyright: ignore[reportArgumentType]


def test_a_choice_between_versions_is_one_of_elements():
    f = made(lambda x, i: rose.select(x[0] > 0.0, x.at[i].set(1.0).at[3].set(2.0), x.at[1].set(x[2])))
    chosen = [v for v in instructions(f.body) if v.op is select]
    assert len(chosen) == 3 and all([v.type.scalar for v in chosen])
    x = tuple([float(k) for k in range(1, N + 1)])
    assert run(f, x, 5) == (*x[:3], 2.0, x[4], 1.0, *x[6:])
    assert run(f, (-1.0, *x[1:]), 5) == (-1.0, 3.0, *x[2:])
