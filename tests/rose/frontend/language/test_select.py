"""`select`, `stop_gradient`, `constant`, `abs`: over values of any type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import rose
from rose import Bool, Fin, Real, TypeMismatch, Vec, fn
from rose.host.interpreter import run
from rose.ir import building


@pytest.mark.parametrize(
    ("x", "y"), [(1.0, 2), ([1.0, 2.0], [3.0, 4.0]), ({"a": 1.0}, {"a": 2.0}), ((1.0, True), (2.0, False))]
)
def test_values_of_one_type_are_chosen(x: Any, y: Any):
    assert rose.select(True, x, y) is x
    with building("f") as b:
        assert rose.select(b.param(rose.Bool, "c"), x, y) is not None


def test_indices_of_two_ranges_are_chosen():
    with building("f") as b:
        v = rose.select(b.param(rose.Bool, "c"), b.param(Fin[2], "i"), b.param(Fin[5], "j"))
        assert v.type is Fin[5]


class Step(NamedTuple):
    """A place, of an index whose range differs, and numbers."""

    to: Fin[5]
    sizes: Vec[2]


@pytest.mark.parametrize("choose", [rose.select, lambda c, x, y: rose.cond(c, lambda: x, lambda: y)])
def test_structs_with_indices_of_two_ranges_or_with_a_number_for_one_are_chosen(choose: Any):
    @fn([Real, Vec[5]], Real)
    def f(x: Any, y: Any) -> Any:
        def item(i: Any) -> Any:
            far, near = Step(i + 2, [x, 2.0]), Step(i, [x * x, 1.0])
            first = choose(x > 1.0, far, near)
            rows = choose(x > 1.0, rose.vec([i, i] for _ in range(2)), rose.vec([i + 1, i] for _ in range(2)))
            half = choose(x > 2.0, (i, x), (0.5, x))
            return y[first.to] * first.sizes[0] + 1.0 * rows[1][0] + half[0]

        return rose.sum(item(i) for i in rose.range(3))

    y = [1.0, 10.0, 100.0, 1000.0, 10000.0]
    compiled, slope = rose.compile(f), rose.compile(rose.grad(f))
    for x, value, derivative in (
        (1.5, 11100 * 1.5 + 3 + 1.5, 11100.0),
        (1.0, 111 + 6 + 1.5, 222.0),
        (3.0, 33306.0, 11100.0),
    ):
        assert (compiled(x, y), slope(x, y)) == (value, derivative)
        with rose.eager():
            assert f(x, y) == value


def test_two_types_cannot_be_chosen():
    with building("f") as b, pytest.raises(TypeMismatch, match=r"rose.select between a Fin.2. and a Bool|must be"):
        rose.select(b.param(rose.Bool, "c"), True, b.param(Real, "x"))


def test_arrays_are_chosen_element_by_element():
    f = fn([Vec[3], Vec[3]], Vec[3])(lambda x, y: rose.where(x > y, x, 0.0) + rose.select([True, False, True], x, y))
    assert list(f([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])) == [1.0, 2.0, 6.0]


def test_a_stopped_value_is_a_constant_to_derivatives():
    f = fn([Real], Real)(lambda x: x * rose.stop_gradient(x))
    assert rose.grad(f)(3.0) == 3.0
    assert rose.stop_gradient(2.0) == 2.0


def test_a_traced_index_reads_a_constant():
    f = fn([Fin[3]], Real)(lambda i: rose.constant(Vec[3], [4.0, 5.0, 6.0])[i])
    assert f(2) == 6.0


def test_the_absolute_value_has_a_flat_kink():
    assert rose.grad(fn([Real], Real)(rose.abs))(0.0) == 0.0


class Spring(NamedTuple):
    ends: tuple[Fin[3], Fin[3]]
    k: Real
    rests: Vec[2]


TABLES: list[tuple[Any, Any, Callable[[Any], Any]]] = [
    (tuple[Fin[3], Fin[3]], [(0, 1), (1, 2), (2, 0)], lambda row: row[0] * 2.0 + row[1]),
    (tuple[Real], [(0.1,), (0.2,)], lambda row: row[0]),
    (
        tuple[Fin[2], None, Bool],
        [(1, None, True), (0, None, False)],
        lambda row: rose.select(row[2], row[0] + 1.5, 2.5),
    ),
    (Spring, [((0, 1), 0.3, [1, 2]), Spring((1, 2), 0.7, [3.5, -0.0])], lambda row: row.k * row.rests[row.ends[0] % 2]),
    ({"a": Vec[2, tuple[Real, Bool]]}, [{"a": [(0.5, True), (1.5, False)]}] * 2, lambda row: row["a"][1][0]),
    (Vec[2, tuple[Real, Fin[4]]], [[(0.5, 3), (1.5, 2)], [(2.5, 1), (3.5, 0)]], lambda row: row[1][0] * row[0][1]),
    (tuple[Vec[0], Real], [([], 0.25), ([], 0.5)], lambda row: row[1]),
    (tuple[Vec[17], Bool], [([0.5] * 17, True), ([1.5] * 17, False)], lambda row: row[0][16]),
]


@pytest.mark.parametrize(("t", "rows", "use"), TABLES)
def test_a_table_of_structs_is_read_by_a_traced_index(t: Any, rows: Any, use: Callable[[Any], Any]):
    n = len(rows)

    def weighed(x: Any, k: Any) -> Any:
        table = rose.constant(Vec[n, t], rows)
        return use(table[k]) * x * x + rose.sum(rose.exp(use(table[i]) * x) for i in rose.range(n))

    f = fn([Real, Fin[n]], Real)(weighed)
    second = rose.grad(rose.grad(f))
    for options in ({}, {"simd": True}):
        module = rose.compile({"f": f, "second": second}, **options)
        assert module(0.7, 1) == run(f.func, 0.7, 1) and module.second(0.7, 1) == run(second.func, 0.7, 1)
    assert rose.compile(f, dtype="f32")(0.7, 1) == pytest.approx(module(0.7, 1), rel=1e-5)


def test_a_table_takes_the_bytes_of_its_elements():
    pairs = [(k % 50, k // 50) for k in range(1000)]

    def body(x: Any) -> Any:
        table = rose.constant(Vec[1000, tuple[Fin[50], Fin[50]]], pairs)
        return rose.sum(x[table[k][0]] * x[table[k][1]] for k in rose.range(1000))

    assert len(rose.compile(rose.grad(fn([Vec[50]], Real)(body))).wasm) < 8 * 1000 + 600
