"""Short loops of few iterations, written iteration by iteration: the same bits, and no loop where it pays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import ACCUM, FOR, PACK, Func
from rose.ir.callgraph import instructions, weight
from rose.ir.types import Fin
from rose.optimise import costs
from rose.optimise.pipeline import optimise, optimised


def compiled(f: rose.Fn[..., Any], *points: tuple[Any, ...]) -> Func:
    """What is compiled for `f`, with the bits of `f` at some points."""
    optimise([f.func])
    made = optimised({"f": f.func})["f"]
    module = Module({"f": made})
    for x in points:
        assert same(module["f"](*x), run(f.func, *x))
    return made


def iterations(f: Func) -> Iterator[int]:
    for v in instructions(f.body):
        if v.op is FOR:
            assert isinstance(v.attr.params[0].type, Fin)
            yield v.attr.params[0].type.size


def squares(n: int, m: int) -> rose.Fn[..., Any]:
    """The squares of what a plane through `m` slopes misses in `n` points."""

    @fn
    def loss(w: Vec[m], x: Vec[n, Vec[m]], y: Vec[n]) -> Real:
        return rose.sum((rose.dot(w, x[i]) - y[i]) ** 2 for i in rose.range(n))

    return loss


def points(n: int, m: int) -> tuple[Any, ...]:
    w = tuple([0.5 - 0.25 * k for k in range(m)])
    x = tuple([tuple([0.125 * i - 0.5 * k for k in range(m)]) for i in range(n)])
    return w, x, tuple([0.3 * i for i in range(n)])


@pytest.mark.parametrize("n", [1, 2, 16])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_short_loop_is_written_turn_by_turn(n: int, order: int):
    f = fn([Vec[n]], Real)(lambda x: rose.sum(x[i] * x[i] * x[n - 1] for i in rose.range(n)))
    g = (f, rose.grad(f), rose.hvp(f))[order]
    x = tuple([0.1 * k - 0.0 for k in range(n)])
    made = compiled(g, (x,) if order < 2 else (x, x[::-1]))
    assert not list(iterations(made))


def test_a_loop_of_many_turns_stays_one():
    f = fn([Vec[17]], Real)(lambda x: rose.sum(x[i] * x[i] for i in rose.range(17)))
    assert list(iterations(compiled(rose.grad(f), (tuple([0.5] * 17),)))) == [17]


def test_a_long_turn_is_not_repeated(monkeypatch: pytest.MonkeyPatch):
    f = fn([Vec[10]], Real)(lambda x: rose.sum(x[i] * x[i] for i in rose.range(10)))
    monkeypatch.setattr(costs, "UNROLLED_INSTRUCTIONS", 29)
    assert list(iterations(compiled(f, (tuple([0.5] * 10),)))) == [10]


def test_the_sums_of_a_row_inside_of_a_loop_are_numbers():
    made = compiled(rose.value_and_grad(squares(100, 10)), points(100, 10))
    assert list(iterations(made)) == [100]
    sums = [v.args[0].type for v in instructions(made.body) if v.op is ACCUM]
    assert sums == [Real] * 11, "the value, and a sum for each slope: none of a vector"


def test_a_function_does_not_grow_beyond_what_engines_like():
    """Each loop alone is short enough; together they are not."""

    @fn
    def f(x: Vec[100, Vec[10]]) -> Real:
        total = rose.accum(0.0)
        for k in range(100):
            total += rose.sum(rose.sin(x[k][i]) * x[99 - k][i] for i in rose.range(10))
        return total.value

    made = compiled(f, (tuple([tuple([0.1 * i + k for i in range(10)]) for k in range(100)]),))
    assert weight(made.body) < 1.2 * costs.LONG_BLOCK_INSTRUCTIONS
    assert 0 < len(list(iterations(made))) < 100


def test_states_and_vectors_of_a_loop_that_is_unrolled():
    @fn
    def f(x: Real) -> tuple[Real, Vec[3]]:
        return rose.scan(lambda i, s: (s * x, s + i), x, 3)

    made = compiled(f, (0.5,), (-0.0,))
    assert not list(iterations(made))
    assert [v.type for v in instructions(made.body) if v.op is PACK] == [Vec[3]]


def test_a_loop_of_no_turns_makes_empty_vectors():
    f = fn([Vec[0]], tuple[Real, Vec[0]])(lambda x: (rose.sum(x), rose.vec(x[i] for i in rose.range(0))))
    assert not list(iterations(compiled(f, ((),))))


def test_what_has_an_effect_has_it_in_every_turn(capfd: pytest.CaptureFixture[str]):
    @fn
    def f(x: Vec[3]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(3):
            rose.print("{}", x[i])
            total += x[i]
        return total.value

    assert rose.compile(f)([1.0, 2.0, 3.0]) == 6.0
    assert capfd.readouterr().out.splitlines() == ["1.0", "2.0", "3.0"]


def test_matrices_of_known_size_are_numbers():
    @fn
    def f(a: Vec[3, Vec[3]], x: Vec[3]) -> Vec[3]:
        return rose.vec(rose.sum(a[i][j] * x[j] for j in rose.range(3)) for i in rose.range(3))

    a = ((1.0, 2.0, -0.0), (0.5, 0.25, 3.0), (7.0, -1.0, 2.0))
    assert not list(iterations(compiled(f, (a, (0.5, -0.0, 2.0)))))
    assert not list(iterations(compiled(rose.jacobian(f, 1), (a, (0.5, -0.0, 2.0)))))


@pytest.mark.parametrize(("sums", "simd", "stays"), [(16, True, True), (15, True, False), (16, False, False)])
def test_a_loop_that_adds_to_many_sums_stays_for_the_back_end_to_vectorise(sums: int, simd: bool, stays: bool):
    def body(x: Any) -> Any:
        totals = [rose.accum(0.0) for _ in range(sums)]
        for i in rose.range(20):
            for j in rose.range(4):
                for k, total in enumerate(totals):
                    total += x[i + j] * x[i + k]
        return rose.vec([total.value for total in totals])

    f = rose.fn([Vec[40]], Vec[sums])(body).func
    made = optimised({"f": f}, simd=simd)["f"]
    assert any([v.op is FOR and v.attr.params[0].type.size == 4 for v in instructions(made.body)]) == stays
    x = tuple([1.1**k for k in range(40)])
    assert run(made, x) == run(f, x)


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        (lambda x: rose.sum(x[i] / (1.0 + x[i] * x[i]) for i in rose.range(8)), True),
        (lambda x: rose.log(rose.sum(rose.exp(x[i] - x[0]) for i in rose.range(8))), False),
        (
            lambda x: rose.sum(rose.select(x[i] < 0.5, x[i], rose.sqrt(x[i]) / (1.0 + x[i])) for i in rose.range(8)),
            False,
        ),
    ],
    ids=["a sum", "a vector between two loops", "a branch"],
)
def test_a_loop_that_vectors_would_not_help_is_unrolled_with_simd_too(body: Any, stays: bool):
    f = rose.value_and_grad(rose.fn([Vec[8]], Real)(body)).func
    made = optimised({"f": f}, simd=True)["f"]
    assert any([v.op is FOR for v in instructions(made.body)]) == stays
    x = tuple([0.1 + 0.15 * k for k in range(8)])
    assert run(made, x) == run(f, x)


@pytest.mark.parametrize("simd", [False, True])
@pytest.mark.parametrize("derive", [lambda f: f, rose.value_and_grad, rose.hvp])
def test_a_loop_of_dependent_length_is_unrolled_with_the_loop_around_it(derive: Any, simd: bool):
    def body(x: Any) -> Any:
        total = rose.accum(0.0)
        for i in rose.range(1, 4):
            total += x[i] * rose.sum(x[j] for j in rose.range(i))
            total += rose.scan(lambda j, s: s * x[j], x[i], rose.range(i + 1, 4))
        return total.value

    f = derive(rose.fn([Vec[4]], Real)(body)).func
    made = optimised({"f": f}, simd=simd)["f"]
    assert not any([v.op is FOR for v in instructions(made.body)])
    x = [(2.0, 3.0, 5.0, 7.0)] * len(f.params)
    assert run(made, *x) == run(f, *x)
