"""Loops of a nest in the order of memory: nothing lies apart in an innermost loop, and all bits stay."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from harness import bits
from limits import short_products
from optimising import func

import rose
from rose import Real, Vec, fn
from rose.frontend.function import Fn
from rose.host.interpreter import run
from rose.ir import ACCUM, ADD_TO, AT, FOR, GET, INDEX, Builder, Func, Loop, Value, loop_of
from rose.ir.affine import affine_of
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.ir.ops import select
from rose.ir.text.printer import show
from rose.ir.types import Fin, Ref
from rose.ir.types import Real as RealType
from rose.ir.types import Vec as VecType
from rose.optimise.instruments import instrumented
from rose.optimise.interchange import interchange
from rose.optimise.pipeline import Instruments, optimised

N = 64  # rows of eight lines: of a column, eight numbers are in a place of a cache
ROW, MATRIX = Vec[N], Vec[N, N]
LATER = ("unroll-and-jam", "unroll")

AnyFn = Fn[..., Any]


def layer(h: Any, u: Any, b: Any) -> Any:
    """A layer of a network, whose weights are on the right."""
    return np.sum(np.tanh(h @ u + b))


def markov(p: Any, t: Any, reward: Any) -> Any:
    """What a Markov chain brings in two steps."""
    once = p @ t
    return once @ reward + 0.5 * (once @ t @ reward)


def normal_equations(a: Any, x: Any, y: Any) -> Any:
    """The square of the gradient of least squares."""
    return np.sum((a.T @ (a @ x - y)) ** 2)


def portfolio(w: Any, covariance: Any) -> Any:
    """A variance, by row."""
    return np.sqrt(np.sum((w @ covariance) * w) + 100.0)


def potential(charge: Any, green: Any, at: Any) -> Any:
    """The energy of charges in a potential that others make, by loops."""
    made = rose.vec(rose.sum(charge[i] * green[i][j] for i in rose.range(N)) for j in rose.range(N))
    return rose.sum(made[j] * at[j] for j in rose.range(N))


def transform(x: Any, basis: Any) -> Any:
    """The power of a signal in a basis, whose functions are columns."""
    return np.sum(np.log(1.0 + np.einsum("k,kj->j", x, basis) ** 2))


def diffusion(x: Any, kernel: Any) -> Any:
    """Three steps of a field that a kernel spreads, one by one."""
    return np.sum(rose.scan(lambda i, s: 0.9 * s + 0.01 * (s @ kernel), x, 3) ** 2)


def cooled(x: Any, conductance: Any) -> Any:
    """A sum over differences that are taken down a column."""
    flow = rose.vec(rose.sum(conductance[i][j] * (x[i] - x[j]) for i in rose.range(N)) for j in rose.range(N))
    return np.sum(flow**2)


PROGRAMS: dict[Callable[..., Any], list[Any]] = {
    layer: [ROW, MATRIX, ROW],
    markov: [ROW, MATRIX, ROW],
    normal_equations: [MATRIX, ROW, ROW],
    portfolio: [ROW, MATRIX],
    potential: [ROW, MATRIX, ROW],
    transform: [ROW, MATRIX],
    diffusion: [ROW, MATRIX],
    cooled: [ROW, MATRIX],
}


def same(x: Any, y: Any) -> bool:
    """True if two results agree to the bit."""
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(same, x, y))
    return np.asarray(x, float).tobytes() == np.asarray(y, float).tobytes()


def of(body: Callable[..., Any]) -> tuple[AnyFn, list[Any]]:
    """A program, and its arguments: numbers whose sums depend on their order."""
    f, r = fn(PROGRAMS[body], Real)(body), np.random.default_rng(len(body.__name__))
    shapes = [(N,) if t is ROW else (N, N) for t in PROGRAMS[body]]
    return f, [r.uniform(-1, 1, s) * 10.0 ** r.integers(-6, 2, s) for s in shapes]


def innermost(f: Func) -> Iterator[Value]:
    """The loops that have none in them, and are in one."""
    for v in instructions(f.body):
        if v.op is FOR and v.block.parent is not None and not any([x.op is FOR for x in loop_of(v).code]):
            yield v


def lying_apart(f: Func) -> int:
    """The numbers that innermost loops read or add to in another row in each iteration."""
    found = 0
    for loop in innermost(f):
        for v in loop_of(loop).code:
            if (v.op is INDEX and v.type is RealType) or v.op is ADD_TO:
                x, rows = v if v.op is INDEX else v.args[0], list[Value]()
                while x.op in (INDEX, AT, GET):
                    rows += x.args[1:]
                    x = x.args[0]
                found += any([loop_of(loop).index in affine_of(i).terms for i in rows[1:]])
    return found


def code_of(f: AnyFn, *without: str, simd: bool = False) -> Func:
    return optimised({"f": f.func}, simd=simd, asked=Instruments(without))["f"]


def result_of(f: AnyFn, args: list[Any], *without: str, simd: bool | str = False) -> Any:
    with instrumented(Instruments(without)):
        return rose.compile(f, simd=simd)(*args)


@pytest.mark.parametrize("body", PROGRAMS)
def test_nothing_lies_apart_in_an_innermost_loop(body: Any):
    f, args = of(body)
    slope = rose.value_and_grad(f, tuple(range(len(args))))
    assert lying_apart(code_of(slope, *LATER, "interchange")) > 0
    assert lying_apart(code_of(slope, *LATER)) == 0


@pytest.mark.parametrize("body", PROGRAMS)
def test_all_bits_stay_and_those_of_derivatives(body: Any):
    f, args = of(body)
    slope = rose.value_and_grad(f, tuple(range(len(args))))
    for g, xs in ((f, args), (slope, args), (rose.hvp(f), [*args, args[0]])):
        with rose.eager():
            want = g(*xs)
        for simd in (False, True):
            assert same(result_of(g, xs, simd=simd), want)
            assert same(result_of(g, xs, "interchange", simd=simd), want)


def twice(a: Any, b: Any) -> Any:
    """Two products of the same matrix: what comes back to it is added to twice."""
    return np.sum((a @ b) ** 2) + np.sum(np.sin(a @ b.T))


def product(a: Any, b: Any) -> Any:
    return np.sum((a @ b) ** 2)


def transposed(a: Any, b: Any) -> Any:
    return np.sum((a.T @ b) ** 2)


def einsum(a: Any, b: Any) -> Any:
    return np.sum(np.einsum("ji,jk,kl->il", a, b, b) ** 3)


def rectified(a: Any, b: Any) -> Any:
    return np.sum(np.maximum(a @ b, 0.0))


@pytest.mark.parametrize("simd", [False, True])
@pytest.mark.parametrize("body", [product, transposed, twice, einsum, rectified])
def test_products_of_matrices_keep_their_bits(body: Any, simd: bool):
    f, r = fn([MATRIX, MATRIX], Real)(body), np.random.default_rng(1)
    a, b = [r.uniform(-1, 1, (N, N)) * 10.0 ** r.integers(-6, 2, (N, N)) for _ in "ab"]
    for g, xs in ((f, (a, b)), (rose.grad(f, (0, 1)), (a, b)), (rose.hvp(f, 1), (a, b, a))):
        assert same(result_of(g, [*xs], simd=simd), result_of(g, [*xs], "interchange"))


def test_batches_keep_their_bits_and_their_gradient_is_a_value():
    f = fn([Vec[3, N, N], Vec[3, N, N]], Real)(lambda a, b: np.sum((a @ b) ** 2))
    slope, r = rose.grad(f, (0, 1)), np.random.default_rng(2)
    args = [r.normal(size=(3, N, N)) for _ in "ab"]
    assert same(result_of(slope, args), result_of(slope, args, "interchange"))
    sums = {v.type for v in instructions(code_of(slope, *LATER).body) if v.op is ACCUM}
    assert sums == {Ref(RealType), Ref(VecType(N, RealType))}  # of elements, and of rows


def order_of(f: Func) -> list[tuple[int, ...]]:
    """The sizes of the loops around each addition, the outermost first."""
    found: list[tuple[int, ...]] = []
    for v in [v for v in instructions(f.body) if v.op is ADD_TO]:
        sizes, block = [], v.block
        while isinstance(block, Loop):
            sizes.insert(0, block.size)
            block = block.parent
        found.append(tuple(sizes))
    return found


def test_what_is_added_to_is_innermost_and_its_terms_are_around():
    f = fn([Vec[60, 50], Vec[50, 64]], Real)(lambda a, b: np.sum((a @ b) ** 2))
    made = order_of(code_of(rose.grad(f, (0, 1)), *LATER, simd=True))
    assert sorted(made) == [(50, 60, 64), (60, 50, 64), (60, 50, 64)]  # of b, of a @ b, and of a


@pytest.mark.parametrize("n", [20, 47])
def test_short_loops_stay(n: int):
    f = fn([Vec[n], Vec[n, n]], Real)(lambda v, a: np.sum((v @ a) ** 2))
    slope = rose.grad(f, (0, 1)).func
    for simd in (False, True):
        kept, made = [optimised({"f": slope}, simd=simd, asked=Instruments(w))["f"] for w in (("interchange",), ())]
        assert show(kept) == show(made)


def test_a_column_that_stays_in_the_cache_costs_nothing():
    """Rows of 100 numbers begin at all places of a cache; two numbers at once must lie side by side."""
    f = fn([Vec[100], Vec[100, 100]], Real)(lambda v, a: np.sum((v @ a) ** 2))
    assert lying_apart(code_of(f, *LATER)) > 0
    assert lying_apart(code_of(f, *LATER, simd=True)) == 0


def test_a_condition_does_not_become_innermost():
    """A branch of which each iteration takes another side is predicted in vain."""
    f = rose.grad(fn([MATRIX, MATRIX], Real)(rectified), (0, 1))
    for loop in innermost(code_of(f, *LATER)):
        chosen = [v.args[0] for v in loop_of(loop).code if v.op is select]
        assert not any([c.block is loop.attr for c in chosen]) or not any([v.op is ADD_TO for v in loop_of(loop).code])


def leaky(a: Any, b: Any) -> Any:
    """A rectified layer, with a slope where it is off."""
    x = a @ b
    return np.sum(np.where(x > 0.0, x, 0.1 * x) ** 2)


def hinges(a: Any, b: Any) -> Any:
    """The losses of many classifiers on many points."""
    return np.sum(np.maximum(1.0 - a @ b.T, 0.0) ** 2)


def clipped(a: Any, b: Any) -> Any:
    """An image through a filter, as a screen shows it."""
    return np.sum(np.clip(a @ b, -0.2, 0.3) * 0.5)


def robust(a: Any, b: Any) -> Any:
    """Huber's measure of the residuals of a factorisation."""
    x = np.abs(a @ b - 0.1)
    return np.sum(np.where(x < 0.5, x * x, x - 0.25))


def excited(a: Any, b: Any) -> Any:
    """The roots of what neurons get above a threshold."""
    x = a.T @ b
    return np.sum(np.where(x > 0.3, np.sqrt(np.where(x > 0.3, x, 1.0)), 0.0))


def dropped(a: Any, b: Any) -> Any:
    """A layer of which some neurons are left out."""
    return np.sum(np.where(b > 0.0, np.tanh(a @ b), 0.0))


MASKED = [rectified, leaky, hinges, clipped, robust, excited, dropped]


@pytest.mark.parametrize("body", MASKED, ids=lambda f: f.__name__)
def test_under_masks_two_numbers_at_once_lie_side_by_side_and_keep_their_bits(body: Any):
    f, r = fn([MATRIX, MATRIX], Real)(body), np.random.default_rng(3)
    a, b = [r.uniform(-1, 1, (N, N)) for _ in "ab"]
    slope = rose.grad(f, (0, 1))
    assert lying_apart(code_of(slope, *LATER, simd=True)) == 0
    for g, xs in ((slope, (a, b)), (rose.hvp(f, 1), (a, b, a))):
        want = result_of(g, [*xs], "interchange")
        assert same(result_of(g, [*xs], simd=True), want) and same(result_of(g, [*xs]), want)


def test_a_mask_is_read_innermost_where_rows_begin_at_one_place_of_a_cache():
    """By an element of an array engines choose without a branch, but slowly."""
    for n, apart in ((320, True), (256, False)):
        f = fn([Vec[n, n], Vec[n, n]], Real)(rectified)
        assert (lying_apart(code_of(rose.grad(f, (0, 1)), *LATER)) > 0) == apart


def test_rows_that_begin_at_one_place_of_a_cache_are_added_to_in_turn():
    """Four rows of a matrix and four of its adjoint are more than the eight lines of a place."""
    for n, nests in ((512, 1), (500, 2)):
        f = fn([Vec[n, n], Vec[n]], Real)(lambda a, v: np.sum((a @ v) ** 2))
        made = code_of(rose.grad(f, (0, 1)), *LATER)
        assert max([len([v for v in loop_of(w).code if v.op is ADD_TO]) for w in innermost(made)]) == nests


def test_accumulators_of_a_caller_may_be_one():
    """What is added to two parameters stays as it is: they may be the same accumulator."""
    t = Ref(VecType(N, VecType(N, RealType)))

    @func(t, t, VecType(N, RealType))
    def f(b: Builder, x: Value, y: Value, v: Value) -> Value:
        with b.nested() as rows:
            i = b.param(Fin(N))
            with b.nested() as columns:
                j = b.param(Fin(N))
                b.add_to(b.at(b.at(x, j), i), b.index(v, i))
                b.add_to(b.at(b.at(y, j), i), b.index(v, j))
            b.close(columns, ())
        b.close(rows, ())
        return b.unit()

    assert interchange(f) is f


class Loops:
    """Two to four loops in one another, at random, and what they add: to numbers of an iteration, and to arrays."""

    def __init__(self, seed: int) -> None:
        self.r = r = Random(seed)
        self.sizes = [r.choice([1, 2, 3, 5]) for _ in range(r.choice([2, 3, 3, 4]))]
        n = max(self.sizes)
        self.whole = VecType(n, VecType(n, RealType))
        self.func = func(self.whole, VecType(n, RealType))(self.body)
        draw = np.random.default_rng(seed).uniform
        self.args = [draw(-1, 1, (n, n)) * 10.0 ** draw(-6, 6, (n, n)), draw(-1, 1, n)]
        self.args = [tuple(map(tuple, self.args[0].tolist())), tuple(self.args[1].tolist())]

    def body(self, b: Builder, x: Value, y: Value) -> Value:
        r, sizes = self.r, self.sizes
        exact = VecType(sizes[0], VecType(sizes[-1], RealType))
        begin = [b.zero(self.whole), b.zero(y.type), b.zero(exact), *r.choice([(), (x,)])]
        self.given, self.refs = (x, y), [b.accum(v) for v in begin]
        self.loop(b, 0, [], [b.accum(b.lift(0.0))])
        if r.random() < 0.3:
            b.add_to(self.refs[0], x)
        return b.tuple([b.freeze(ref) for ref in self.refs])

    def loop(self, b: Builder, depth: int, at: list[Value], numbers: list[Value]) -> None:
        def iteration(i: Value) -> tuple[list[Value], list[Value]]:
            now = [*at, i]
            if depth + 1 == len(self.sizes):
                for _ in range(self.r.choice([1, 1, 2, 3])):
                    self.add(b, now, numbers)
                return [], []
            made = self.number(b, now) if self.r.random() < 0.6 else None
            inner = [b.accum(b.lift(0.0))] if self.r.random() < 0.6 else []
            self.loop(b, depth + 1, now, [*numbers, *inner, *([made] if made is not None else [])])
            for ref in inner:
                b.add_to(self.place(b, now), b.freeze(ref) * 2.0)
            return [], []

        b.loop(self.sizes[depth], iteration)

    def number(self, b: Builder, at: list[Value]) -> Value:
        x, y = self.given
        made = b.index(b.index(x, self.r.choice(at)), self.r.choice(at)) * b.index(y, self.r.choice(at))
        return b.emit(select, (made < 0.1, made, b.lift(0.0))) if self.r.random() < 0.2 else made

    def place(self, b: Builder, at: list[Value]) -> Value:
        k = self.r.randrange(len(self.refs))
        if k == 1:
            return b.at(self.refs[1], self.r.choice(at))
        i, j = (at[0], at[-1]) if k == 2 and len(at) == len(self.sizes) else [self.r.choice(at) for _ in "ij"]
        return b.at(b.at(self.refs[0 if k == 2 and len(at) < len(self.sizes) else k], i), j)

    def add(self, b: Builder, at: list[Value], numbers: list[Value]) -> None:
        outer = [v for v in numbers if v.type is RealType]
        sums = [v for v in numbers if v.type is not RealType]
        x = self.number(b, at)
        for v in outer[-1:]:
            x = x * v
        b.add_to(self.r.choice(sums) if self.r.random() < 0.4 else self.place(b, at), x)


def test_nests_at_random():
    changed = 0
    for seed in range(int(os.environ.get("ROSE_FUZZ", "400"))):
        loops = Loops(seed)
        want = run(loops.func, *loops.args)
        with short_products():
            for simd in (False, True):
                made = interchange(loops.func, simd=simd)
                assert bits(run(check(made), *loops.args)) == bits(want), (seed, simd)
                changed += made is not loops.func
    assert changed > 60
