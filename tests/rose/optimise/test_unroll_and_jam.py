"""Iterations of a loop that share the iterations of a loop in it: the same bits, in fewer loops."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from harness import Module, same
from optimising import func

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import ADD_TO, FOR, Builder, Func, Value
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.ir.types import Fin, Ref
from rose.optimise import costs
from rose.optimise.pipeline import optimise, optimised
from rose.optimise.unroll_and_jam import LANES, unroll_and_jam

ROWS = [0, 1, 2, 3, 4, 5, 8, 11, 61]
COLUMNS = 20


def numbers(*shape: int) -> Any:
    """Numbers whose sums depend on their order."""

    def tuples(x: Any) -> Any:
        return tuple(map(tuples, x)) if isinstance(x, list) else x

    r = np.random.default_rng(sum(shape))
    return tuples((r.uniform(-1, 1, shape) * 10.0 ** r.integers(-8, 9, shape)).tolist())


def compiled(f: Func, *args: Any) -> Func:
    """What is compiled for `f`: well formed, and with its bits, also if two iterations are done at once."""
    optimise([f])
    want = run(f, *args)
    for simd in (False, True):
        made = check(optimised({"f": f}, simd=simd)["f"])
        assert same(run(made, *args), want)
        assert same(Module({"f": made}, simd=simd)["f"](*args), want)
    return optimised({"f": f})["f"]


def loops(f: Func) -> Iterator[tuple[int, int]]:
    """Of each loop the number of iterations, and of additions in one."""
    for v in instructions(f.body):
        if v.op is FOR:
            yield v.attr.params[0].type.size, len([w for w in v.attr.code if w.op is ADD_TO])


def product_of(n: int, m: int) -> rose.Fn[..., Any]:
    return fn([Vec[n, Vec[m]], Vec[m]], Vec[n])(lambda a, x: rose.vec(rose.dot(a[i], x) for i in rose.range(n)))


def pulled(f: rose.Fn[..., Any], n: int, m: int) -> rose.Fn[..., Any]:
    """The derivative of a product, in both of its factors."""

    @fn
    def g(a: Vec[n, Vec[m]], x: Vec[m], ct: Vec[n]) -> tuple[Vec[n, Vec[m]], Vec[m]]:
        return rose.vjp(f)(a, x).grad(ct)

    return g


@pytest.mark.parametrize("n", ROWS)
def test_a_matrix_times_a_vector(n: int):
    made = compiled(product_of(n, COLUMNS).func, numbers(n, COLUMNS), numbers(COLUMNS))
    inner = [adds for iterations, adds in loops(made) if iterations == COLUMNS]
    assert inner == ([LANES] if n >= LANES else []) + ([n % LANES] if n % LANES else [])


@pytest.mark.parametrize("n", ROWS)
def test_its_derivative(n: int):
    f = pulled(product_of(n, COLUMNS), n, COLUMNS)
    made = compiled(f.func, numbers(n, COLUMNS), numbers(COLUMNS), numbers(n))
    if n >= LANES:
        assert 2 * LANES in [adds for iterations, adds in loops(made) if iterations == COLUMNS]


@pytest.mark.parametrize(("n", "order"), [*product([1, 4, 7], [1, 2])])
def test_derivatives_of_an_order(n: int, order: int):
    f = fn([Vec[n, Vec[COLUMNS]], Vec[COLUMNS]], Real)(
        lambda a, x: rose.sum(rose.tanh(rose.dot(a[i], x)) * (i + 0.5) for i in rose.range(n))
    )
    a, x = numbers(n, COLUMNS), numbers(COLUMNS)
    compiled((rose.grad(f, 1) if order == 1 else rose.hvp(f, 1)).func, *((a, x) if order == 1 else (a, x, x)))


def test_a_matrix_times_a_matrix():
    f = fn([Vec[18, Vec[19]], Vec[19, Vec[21]]], Vec[18, Vec[21]])(
        lambda a, b: rose.vec(
            rose.vec(rose.sum(a[i][k] * b[k][j] for k in rose.range(19)) for j in rose.range(21))
            for i in rose.range(18)
        )
    )
    made = compiled(f.func, numbers(18, 19), numbers(19, 21))
    assert (19, LANES) in loops(made)


# blocks of sums


def matrices(n: int, m: int, k: int) -> tuple[Any, Any]:
    return numbers(n, k), numbers(m, k)


def of_two(n: int, m: int, k: int, body: Any) -> rose.Fn[..., Any]:
    """A matrix whose elements are sums over rows of two others."""

    def f(a: Any, b: Any) -> Any:
        element = lambda i, j: rose.sum(body(a[i][l], b[j][l]) for l in rose.range(k))
        return rose.vec(rose.vec(element(i, j) for j in rose.range(m)) for i in rose.range(n))

    return fn([Vec[n, Vec[k]], Vec[m, Vec[k]]], Vec[n, Vec[m]])(f)


def added(n: int, m: int, k: int, where: Any) -> rose.Fn[..., Any]:
    """The same sums, added `where` the row and the column say."""

    @fn
    def f(a: Vec[n, Vec[k]], b: Vec[m, Vec[k]]) -> Vec[30, Vec[30]]:
        c = rose.accum([[0.0] * 30] * 30)
        for i in rose.range(n):
            for j in rose.range(m):
                x, y = where(i, j)
                c[x][y] += rose.dot(a[i], b[j]) * 2.0
        return c.value

    return f


@pytest.mark.parametrize(("n", "m"), [*product([7, 8, 9, 16, 19], [8, 11, 12])])
@pytest.mark.parametrize("body", [lambda x, y: x * y, lambda x, y: (x - y) ** 2])
def test_sums_of_rows_and_columns_are_made_in_blocks(n: int, m: int, body: Any):
    made = compiled(of_two(n, m, COLUMNS, body).func, *matrices(n, m, COLUMNS))
    assert ((COLUMNS, LANES**2) in loops(made)) == (n >= 8)


@pytest.mark.parametrize(
    ("where", "blocks"),
    [
        (lambda i, j: (i, j), True),
        (lambda i, j: (i + 1, j + 2), True),
        (lambda i, j: (i, 0), True),  # each row has the same terms in the same order
        (lambda i, j: (0, j), True),  # and so has each column
        (lambda i, j: (j, i), True),
        (lambda i, j: (i + j, j), True),
        (lambda i, j: (0, 0), False),
        (lambda i, j: (i + j, 0), False),
    ],
)
def test_blocks_are_made_where_each_sum_keeps_the_order_of_its_terms(where: Any, blocks: bool):
    made = compiled(added(9, 10, COLUMNS, where).func, *matrices(9, 10, COLUMNS))
    assert ((COLUMNS, LANES**2) in loops(made)) == blocks


def test_rows_that_two_ways_lead_to_are_not_made_in_blocks():
    @fn
    def f(a: Vec[9, Vec[COLUMNS]], b: Vec[9, Vec[COLUMNS]]) -> Vec[10, Vec[9]]:
        c = rose.accum([[0.0] * 9] * 10)
        for i in rose.range(9):
            for j in rose.range(9):
                s = rose.dot(a[i], b[j])
                c[i][j] += s
                c[i + 1][j] += s
        return c.value

    assert (COLUMNS, LANES**2) not in loops(compiled(f.func, *matrices(9, 9, COLUMNS)))


@pytest.mark.parametrize(
    "derive", [rose.grad, lambda f: rose.grad(fn(f.types, Real)(lambda *x: rose.grad(f)(*x)[0][0]))]
)
def test_derivatives_of_a_product_of_matrices(derive: Any):
    f = of_two(9, 10, COLUMNS, lambda x, y: x * y)
    squares = fn(f.types, Real)(lambda a, b: rose.sum(rose.dot(c, c) for c in [f(a, b)[i] for i in range(9)]))
    compiled(derive(squares).func, *matrices(9, 10, COLUMNS))


@pytest.mark.parametrize(("n", "m"), [(8, 8), (9, 11), (16, 19), (7, 12)])
@pytest.mark.parametrize("argument", [0, 1])
def test_the_derivative_of_a_product_in_one_factor_is_made_in_blocks(n: int, m: int, argument: int):
    """In the second, the loops add to an element once each, before they come to it again."""
    matrix = [Vec[n, Vec[COLUMNS]], Vec[COLUMNS, Vec[m]], Vec[n, Vec[m]]]
    product = fn(matrix, Real)(lambda a, b, w: rose.sum(rose.dot((a @ b)[i], w[i]) for i in rose.range(n)))
    one = fn(matrix, matrix[argument])(lambda *x: rose.vjp(product)(*x).grad(1.0)[argument])
    compiled(one.func, numbers(n, COLUMNS), numbers(COLUMNS, m), numbers(n, m))
    made = optimised({"f": one.func}, simd=True)["f"]
    assert (max([adds for _, adds in loops(made)]) == LANES**2) == (n >= 8)


@pytest.mark.parametrize(("n", "m"), [(16, 16), (17, 21), (7, 12)])
@pytest.mark.parametrize("power", [2, 3])
def test_a_product_and_its_derivative_in_one_nest_are_made_in_blocks(n: int, m: int, power: int):
    """The sum of its elements' powers: an element, and what comes back to its row and column, are of one iteration."""
    matrix = [Vec[n, Vec[COLUMNS]], Vec[COLUMNS, Vec[m]]]
    f = fn(matrix, Real)(lambda a, b: rose.sum((a @ b) ** power))
    slope = rose.grad(f, (0, 1)).func
    compiled(slope, numbers(n, COLUMNS), numbers(COLUMNS, m))
    made = optimised({"f": slope}, simd=True)["f"]
    assert ((COLUMNS, LANES**2) in loops(made)) == (n >= 8)


VALUES = {  # of a product: sums over all of its elements, in the order of rows
    "squares": lambda p, b: rose.sum(p**2),
    "far": lambda p, b: rose.sum((p - 0.5) ** 2 * 0.25),
    "positive": lambda p, b: rose.sum(rose.relu(p)),
    "absolute": lambda p, b: rose.sum(abs(p)),
}


@pytest.mark.parametrize(("n", "m"), [(16, 16), (9, 13), (7, 12)])
@pytest.mark.parametrize("name", VALUES)
def test_a_value_beside_the_derivative_of_a_product_keeps_its_order_in_blocks(name: str, n: int, m: int):
    matrix = [Vec[n, Vec[COLUMNS]], Vec[COLUMNS, Vec[m]]]
    f = fn(matrix, Real)(lambda a, b: VALUES[name](a @ b, b))
    both = rose.value_and_grad(f, (0, 1)).func
    compiled(both, numbers(n, COLUMNS), numbers(COLUMNS, m))
    made = optimised({"f": both}, simd=True)["f"]
    assert ((COLUMNS, LANES**2) in loops(made)) == (n >= 8)


def test_a_value_of_any_size_beside_its_derivative():
    n, m, k = rose.dim("n"), rose.dim("m"), rose.dim("k")
    f = fn([Vec[n, Vec[k]], Vec[k, Vec[m]]], Real)(lambda a, b: rose.sum((a @ b) ** 2))
    module = rose.compile(both := rose.value_and_grad(f, (0, 1)), dynamic=True, simd=True)
    for rows, columns, inner in [(0, 3, 2), (1, 1, 1), (4, 4, 0), (8, 9, 10), (17, 8, 5)]:
        a, b = np.array(numbers(rows, inner)).reshape(rows, inner), np.array(numbers(inner, columns))
        (y, dy), (z, dz) = [g(a, b.reshape(inner, columns)) for g in (module, both)]
        assert same(y, z)
        assert all([np.array_equal(*pair) for pair in zip(dy, dz, strict=True)])


@pytest.mark.parametrize("start", [-0.0, 1.5])
def test_a_sum_over_blocks_that_begins_elsewhere_stays_in_their_order(start: float):
    @fn
    def f(a: Vec[9, Vec[COLUMNS]], b: Vec[9, Vec[COLUMNS]]) -> tuple[Real, Vec[9, Vec[COLUMNS]]]:
        total, c = rose.accum(start), rose.accum([[0.0] * COLUMNS] * 9)
        for i in rose.range(9):
            for j in rose.range(9):
                s = rose.dot(a[i], b[j])
                total += s
                for k in rose.range(COLUMNS):
                    c[i][k] += s * b[j][k]
        return total.value, c.value

    assert (COLUMNS, LANES**2) not in loops(compiled(f.func, *matrices(9, 9, COLUMNS)))


class Blocks:
    """Rows, columns, and one to three inner loops for each pair of them, at random: sums of its own, and elsewhere."""

    def __init__(self, seed: int) -> None:
        r = self.r = Random(seed)
        n, m, k = self.sizes = r.choice([8, 9, 13]), r.choice([8, 10, 11]), r.choice([3, 5])
        shapes = ((n, k), (k, m), (n, m))
        self.args = tuple([numbers(*shape) for shape in shapes])
        self.func = func(*[Vec[rows, Vec[columns]] for rows, columns in shapes])(self.body)

    def body(self, b: Builder, *given: Value) -> Value:
        self.given, self.sums = given, [b.accum(b.zero(x.type)) for x in (*given, *given)]
        self.total = b.accum(b.lift(self.r.choice([0.0, 0.0, -0.0])))
        self.left = self.r.sample(range(6), 6)
        self.loop(b, self.sizes[0], lambda i: self.loop(b, self.sizes[1], lambda j: self.pair(b, i, j)))
        return b.tuple([b.freeze(ref) for ref in (*self.sums, self.total)])

    def loop(self, b: Builder, n: int, body: Any) -> None:
        b.loop(n, lambda i: (body(i), ([], []))[1])

    def pair(self, b: Builder, i: Value, j: Value) -> None:
        known = [b.lift(0.5), b.index(b.index(self.given[2], i), j)]
        for _ in range(self.r.randrange(1, 4)):
            local = [b.accum(b.lift(0.0))] * self.r.randrange(2)
            targets = [self.left.pop() for _ in range(min(self.r.randrange(3), len(self.left)))]
            inner = partial(self.inner, b, (i, j), list(known), local, targets)
            self.loop(b, self.sizes[2], inner)
            known += [b.freeze(ref) * self.r.choice(known) for ref in local]
        for _ in range(self.r.choice([0, 0, 1, 1, 2])):
            b.add_to(self.total, self.r.choice(known[1:]))
        if self.left and self.r.random() < 0.5:
            k = self.left.pop()
            if k % 3 == 2:
                b.add_to(b.at(b.at(self.sums[k], i), j), known[-1])

    def inner(self, b: Builder, at: Any, known: list[Value], local: list[Value], targets: list[int], k: Value) -> None:
        (i, j), (x, y, _) = at, self.given
        row, column = b.index(b.index(x, i), k), b.index(b.index(y, k), j)
        for ref in local:
            b.add_to(ref, row * column)
        for target in targets:
            first, second = ((i, k), (k, j), (i, j))[target % 3]
            b.add_to(b.at(b.at(self.sums[target], first), second), self.r.choice(known) * self.r.choice([row, column]))


def test_blocks_at_random(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(costs, "UNROLLED_ITERATIONS", 0)
    blocks = 0
    for k in range(int(os.environ.get("ROSE_FUZZ", "60"))):
        f, args = (nest := Blocks(k)).func, nest.args
        for simd in (False, True):
            made, _ = unroll_and_jam(f, simd=simd)
            assert same(run(check(made), *args), run(f, *args)), (k, simd)
        blocks += max([adds for _, adds in loops(made)], default=0) >= LANES**2
    assert blocks > 10


@pytest.mark.parametrize("simd", [False, True])
def test_blocks_of_a_size_that_only_the_module_knows(simd: bool):
    n, m, k = rose.dim("n"), rose.dim("m"), rose.dim("k")
    f = fn([Vec[n, Vec[k]], Vec[k, Vec[m]]], Vec[n, Vec[m]])(rose.matmul)
    module = rose.compile(f, dynamic=True, simd=simd)
    for sizes in [(0, 3, 2), (1, 1, 1), (4, 4, 0), (8, 9, 10), (3, 13, 20), (17, 8, 5)]:
        rows, columns, inner = sizes
        a, b = np.array(numbers(rows, inner)).reshape(rows, inner), np.array(numbers(inner, columns))
        want = rose.compile(f, n=rows, m=columns, k=inner)(a, b.reshape(inner, columns))
        assert np.array_equal(module(a, b.reshape(inner, columns)), want), sizes


def test_distances():
    f = fn([Vec[30, Vec[17]], Vec[6, Vec[17]]], Vec[30])(
        lambda x, c: rose.vec(
            rose.min(rose.sum((x[i][d] - c[k][d]) ** 2 for d in rose.range(17)) for k in rose.range(6))
            for i in rose.range(30)
        )
    )
    assert (17, LANES) in loops(compiled(f.func, numbers(30, 17), numbers(6, 17)))


def test_powers_that_an_inner_loop_carries():
    """Least squares, as in GradBench: the states of the lanes are carried side by side."""

    @fn
    def f(x: Vec[20]) -> Real:
        def missed(i: Any) -> Any:
            t = -1 + 2 * i / 40
            total = rose.accum(0.0)

            def iteration(j: Any, power: Any) -> Any:
                nonlocal total
                total += x[j] * power
                return power * t

            rose.scan(iteration, 1.0, 20)
            return (rose.sign(t) - total.value) ** 2

        return rose.sum(missed(i) for i in rose.range(41))

    assert (20, LANES) in loops(compiled(f.func, numbers(20)))
    made = compiled(rose.grad(f).func, numbers(20))
    assert [adds for iterations, adds in loops(made) if iterations == 20] == [LANES, LANES, 1, 1], (
        "iterations as they are, in fours"
    )


def test_logistic_regression():
    @fn
    def loss(w: Vec[20], x: Vec[33, Vec[20]], y: Vec[33]) -> Real:
        def term(i: Any) -> Any:
            z = rose.dot(w, x[i])
            return rose.softplus(z) - y[i] * z

        return rose.sum(term(i) for i in rose.range(33))

    w, x, y = numbers(20), numbers(33, 20), tuple([float(k % 2) for k in range(33)])
    made = compiled(rose.value_and_grad(loss).func, w, x, y)
    assert [adds for iterations, adds in loops(made) if iterations == 20] == [LANES, 1, LANES, 1]


def test_sums_and_what_is_added_elsewhere_in_one_loop():
    @fn
    def f(a: Vec[9, Vec[20]], x: Vec[20]) -> tuple[Vec[9], Vec[20]]:
        columns = rose.accum([0.0] * 20)

        def row(i: Any) -> Any:
            total = rose.accum(0.0)
            for j in rose.range(20):
                total += a[i][j] * x[j]
                columns[j] += a[i][j] * x[i]
            return total.value

        return rose.vec(row(i) for i in rose.range(9)), columns.value

    assert (20, 2 * LANES) in loops(compiled(f.func, numbers(9, 20), numbers(20)))


def test_a_turn_that_needs_the_one_before_it_stays_alone():
    """The method of Gauss and Seidel: a row reads what the rows above it have changed."""

    @fn
    def f(a: Vec[20, Vec[20]], b: Vec[20]) -> Vec[20]:
        def row(i: Any, x: Any) -> Any:
            new = b[i] - rose.dot(a[i], x)
            return rose.vec(rose.select(j == i, new, x[j]) for j in rose.range(20))

        return rose.scan(row, [0.0] * 20, 20)

    made = compiled(f.func, numbers(20, 20), numbers(20))
    assert all([adds <= 1 for _, adds in loops(made)])


def sums(add: Any, *outer: Any) -> Func:
    """Two nested loops; what `add(b, total, i, j, x)` does in an iteration, with a vector of sums from outside."""

    @func(Vec[20], *outer)
    def f(b: Builder, x: Value, *given: Value) -> Value:
        total: Value = given[0] if given else b.accum(b.zero(Vec[20]))

        def outside(i: Value) -> Any:
            def inside(j: Value) -> Any:
                add(b, (total, *given[1:]), i, j, b.index(x, j) * b.index(x, i))
                return [], []

            b.loop(20, inside)
            return [], []

        b.loop(20, outside)
        return b.zero(Real) if given else b.freeze(total)

    return f


def both(b: Builder, refs: Any, i: Value, j: Value, x: Value) -> None:
    b.add_to(b.at(refs[0], i), x)
    b.add_to(b.at(refs[0], j), x)


def anywhere(b: Builder, refs: Any, i: Value, j: Value, x: Value) -> None:
    b.add_to(b.at(refs[0], b.const(3, Fin(20))), x)


def twice(b: Builder, refs: Any, i: Value, j: Value, x: Value) -> None:
    for _ in range(2):
        b.add_to(b.at(refs[0], j), x)
        x = x * 1e9


@pytest.mark.parametrize("add", [both, anywhere, twice], ids=lambda f: f.__name__)
def test_sums_whose_order_would_be_another_stay_as_they_are(add: Any):
    f = sums(add)
    assert unroll_and_jam(f)[0] is f
    compiled(f, numbers(20))


def column(b: Builder, refs: Any, i: Value, j: Value, x: Value) -> None:
    for ref in refs:
        b.add_to(b.at(ref, j), x)


def test_two_sums_of_a_caller_may_be_the_same():
    one, two = sums(column, Ref(Vec[20])), sums(column, Ref(Vec[20]), Ref(Vec[20]))
    assert unroll_and_jam(one)[0] is not one
    assert unroll_and_jam(two)[0] is two


def test_a_sum_that_an_outer_turn_reads_elsewhere_is_not_moved():
    """What the inner loop adds to a row is read in the same iteration."""

    @fn
    def f(a: Vec[20, Vec[20]], x: Vec[20]) -> Real:
        def iteration(i: Any) -> Any:
            y = rose.accum([0.0] * 20)
            for j in rose.range(20):
                y[j] += a[i][j] * x[j]
                y[(j + 1) % 20] += a[i][j]
            return rose.sum(y.value)

        return rose.sum(iteration(i) for i in rose.range(20))

    compiled(f.func, numbers(20, 20), numbers(20))


def test_a_sum_that_begins_at_another_number_keeps_its_zero():
    """The sum of nothing but -0.0, from -0.0, is -0.0: as a sum that began at 0.0 it would not be."""

    @func(Vec[20, Vec[20]])
    def f(b: Builder, a: Value) -> Value:
        def outside(i: Value) -> Any:
            total = b.accum(b.const(-0.0, Real))
            row = b.index(a, i)

            def inside(j: Value) -> Any:
                b.add_to(total, b.index(row, j))
                return [], []

            b.loop(20, inside)
            return [], [b.freeze(total)]

        return b.loop(20, outside)[1][0]

    made = compiled(f, ((-0.0,) * 20,) * 20)
    assert struct.pack("d", run(made, ((-0.0,) * 20,) * 20)[0]) == struct.pack("d", -0.0)
    compiled(product_of(20, 20).func, ((-0.0,) * 20,) * 20, (1.0,) * 20)


class Nest:
    """Two or three nested loops at random: sums of an iteration, of rows, of columns, of both, and of all."""

    def __init__(self, seed: int) -> None:
        self.r = Random(seed)
        self.n, self.m = n, m = self.r.randrange(1, 11), self.r.randrange(1, 6)
        self.func = func(Vec[n, Vec[m]], Vec[m], Vec[n])(self.body)
        self.args = numbers(n, m), numbers(m), numbers(n)

    def body(self, b: Builder, *given: Value) -> Value:
        n, m = self.n, self.m
        types = [Real, Vec[n], Vec[m], Vec[n, Vec[m]], Vec[n], Vec[m]]
        self.given, self.sums = given, [b.accum(b.zero(t)) for t in types]
        made = b.loop(n, lambda i: self.iteration(b, i))[1]
        return b.tuple([*[b.freeze(ref) for ref in self.sums], *made])

    def term(self, known: Sequence[Value]) -> Value:
        z = self.r.choice(known)
        for _ in range(self.r.randrange(3)):
            w = self.r.choice(known)
            z = self.r.choice([z * w, z + w, z - w])
        return z

    def parts(self, b: Builder, i: Value, j: Value) -> list[Value]:
        whole, rows, columns, cells, more_rows, more_columns = self.sums
        cell = b.at(b.at(cells, i), j)
        return [whole, b.at(rows, i), b.at(columns, j), cell, b.at(more_rows, i), b.at(more_columns, j)]

    def iteration(self, b: Builder, i: Value) -> tuple[list[Value], list[Value]]:
        r, known = self.r, [b.index(self.given[2], i), b.lift(self.r.choice([0.5, 2.0, -1e9]))]
        for _ in range(r.randrange(1, 4)):
            known += self.inner(b, i, known)
        if r.random() < 0.5:
            b.add_to(r.choice([self.sums[0], b.at(self.sums[1], i), b.at(self.sums[4], i)]), self.term(known))
        return [], [self.term(known)] if r.random() < 0.5 else []

    def inner(self, b: Builder, i: Value, known: list[Value]) -> list[Value]:
        """An inner loop: the sums that it made of an iteration, and its states, if they are to be read."""
        r, (a, x, _) = self.r, self.given
        local = [b.accum(b.lift(r.choice([0.0, 0.0, 0.0, -0.0, 1.0]))) for _ in range(r.randrange(3))]
        targets = r.sample(range(6), r.randrange(3))

        def iteration(j: Value, *states: Value) -> tuple[list[Value], list[Value]]:
            seen = [*known, b.index(b.index(a, i), j), b.index(x, j), *states]
            for ref in (*local, *[self.parts(b, i, j)[k] for k in targets]):
                b.add_to(ref, self.term(seen))
            return [self.term(seen) for _ in states], [self.term(seen)] if r.random() < 0.3 else []

        last, _ = b.loop(self.m, iteration, [self.term(known) for _ in range(r.randrange(2))])
        return [*[b.freeze(ref) for ref in local], *(last if r.random() < 0.5 else [])]


def test_nests_at_random(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(costs, "UNROLLED_ITERATIONS", 0)
    changed = 0
    for k in range(int(os.environ.get("ROSE_FUZZ", "80"))):
        nest = Nest(k)
        f, args = nest.func, nest.args
        made, _ = unroll_and_jam(f)
        changed += made is not f
        assert same(run(check(made), *args), run(f, *args)), k
        if made is not f:
            compiled(f, *args)
    assert changed > 10


def test_what_has_an_effect_stays_where_it_is(capfd: pytest.CaptureFixture[str]):
    @fn
    def f(a: Vec[5, Vec[20]]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(5):
            rose.print("{}", i)
            total += rose.dot(a[i], a[0])
        return total.value

    a = numbers(5, 20)
    assert rose.compile(f)(a) == sum(np.cumsum(np.array(r) * a[0])[-1] for r in a)
    assert capfd.readouterr().out.split() == [str(i) for i in range(5)]


@pytest.mark.parametrize("simd", [False, True])
def test_loops_of_a_size_that_only_the_module_knows(simd: bool, monkeypatch: pytest.MonkeyPatch):
    n, m = rose.dim("n"), rose.dim("m")

    @fn
    def f(a: Vec[n, Vec[m]], x: Vec[m], y: Vec[n]) -> Real:
        return rose.sum(y[i] * rose.sin(rose.dot(a[i], x)) for i in rose.range(n))

    groups: set[Value] = set()

    def seen(g: Func, without: Any, *, simd: bool) -> Any:
        made, found = unroll_and_jam(g, without, simd=simd)
        groups.update(found)
        return made, found

    derived = rose.value_and_grad(f, (0, 1))
    with monkeypatch.context() as patch:
        patch.setattr("rose.optimise.pipeline.unroll_and_jam", seen)
        module = rose.compile(derived, dynamic=True, simd=simd)
    assert {repr(v.attr.params[0].type.size) for v in groups} == {"n // 4", "n % 4"}
    for k, length in [(0, 3), (1, 20), (3, 0), (4, 1), (9, 20)]:
        args = np.array(numbers(k, length)).reshape(k, length), np.array(numbers(length)), np.array(numbers(k))
        value, slopes = module(*args)
        want, expected = rose.compile(derived, n=k, m=length)(*args)
        assert value == want
        assert all([np.array_equal(x, y) for x, y in zip(slopes, expected, strict=True)])


def test_sums_grow_a_module_by_little():
    """Bytes, measured when the pass was written: 187 more than without it."""
    f = product_of(32, 116)
    assert len(rose.compile(f).wasm) < 900


@pytest.mark.parametrize("shape", [(2, 2, 18), (3, 2, 18), (5, 3, 17), (2, 4, 16), (2, 1, 18), (2, 2, 2, 18)])
def test_a_sum_that_needs_another_of_the_same_row_in_stacks_that_are_short(shape: tuple[int, ...]):
    """Deviations of rows: where an axis is shorter than what is done at once, its iterations are written out."""
    t = Vec[shape]

    def scaled(x: Any) -> Any:
        apart = x - np.mean(x, axis=-1, keepdims=True)
        return apart / np.sqrt(np.mean(apart * apart, axis=-1, keepdims=True))

    x = np.random.default_rng(0).normal(size=shape)
    f = rose.fn([t], t)(scaled)
    assert np.allclose(f(x), (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True), rtol=1e-13)
    total = rose.fn([t], Real)(lambda x: np.sum(np.sin(f(x))))
    assert np.isfinite(np.asarray(rose.grad(total)(x))).all()
