"""Vectorised loops: the same bits, in all loops that can be vectorised; and packages that have both modules."""

from __future__ import annotations

import base64
import json
import math
import os
import pickle
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wasmtime
from harness import Module, same
from hypothesis import HealthCheck, Phase, given, seed, settings
from optimising import func
from random_programs import Program, programs

import rose
from rose import Fn, Real, Vec, fn, ir
from rose.host.interpreter import run
from rose.ir import OPS, Func, Op, Value, types
from rose.ir.check import check
from rose.ir.libm import nearest
from rose.ir.ops import ifrom, lt, select
from rose.ir.sizes import Dim
from rose.ir.types import Bool, Fin, Ref, Type
from rose.optimise import costs
from rose.optimise.pipeline import optimised
from rose.optimise.single_precision import to_single
from tests.fuzz.derivatives import mixed, pulled_back
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower
from wasm_backend.package.source_map import with_map
from wasm_backend.simd import loops
from wasm_backend.simd.plan import twin

SIZES = [*[(n, False) for n in (0, 1, 2, 3, 7, 8)], *[(n, True) for n in (*range(10), 13)]]
PRECISIONS = pytest.mark.parametrize("single", [False, True], ids=["f64", "f32"])
SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 5e-324, -2.3e-308, 1.7e308, math.inf, -math.inf, math.nan]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch):
    """Loops stay loops, without branches, and two iterations are done at once also where that does not pay."""
    monkeypatch.setattr(costs, "UNROLLED_ITERATIONS", 0)
    monkeypatch.setattr(costs, "BRANCHING_CONDITIONS", 0)
    monkeypatch.setattr(costs, "REPLACED_NUMBERS", 0)
    monkeypatch.setattr(loops, "pays", lambda *_: True)


def vectors(f: Func, *, single: bool = False) -> int:
    """How many instructions of its module compute several numbers at once."""
    lines = disassemble(lower({"f": f}, simd=True, single=single).wasm).splitlines()
    return len([x for x in lines if ("f32x4." if single else "f64x2.") in x or "v128." in x])


def agree(f: Func, *points: Sequence[Any], vectorised: bool = True, single: bool = False) -> None:
    """A vectorised loop gives the bits of the interpreter, with the optimiser or not; `vectorised`, if some must be."""
    f = to_single(f) if single else f
    for g in (f, check(optimised({"f": f}, simd=True)["f"])):
        module = Module({"f": g}, simd=True, single=single)
        for x in map(rounded if single else tuple, (*points, *points[:1])):
            want, got = run(f, *x), module["f"](*x)
            assert same(got, want), (got, want)
    assert vectors(g, single=single) or not vectorised


def rounded(x: Any) -> Any:
    """A plain value with all of its numbers in single precision."""
    return tuple(map(rounded, x)) if isinstance(x, (tuple, list)) else nearest(x) if isinstance(x, float) else x


def numbers(n: int, k: int = 1) -> tuple[float, ...]:
    return tuple(np.random.default_rng(k).uniform(-1.0, 1.0, n))


# loops

Body = Callable[[int], Fn[..., Any]]
TABLE: dict[str, Body] = {}


def loop(f: Body) -> Body:
    TABLE[f.__name__] = f
    return f


@loop
def a_vector(n: int) -> Fn[..., Any]:
    return fn([Vec[n], Vec[n], Real], Vec[n])(
        lambda x, y, k: rose.vec(x[i] * y[i] + k / (x[i] * x[i] + 2.0) for i in rose.range(n))
    )


@loop
def two_vectors(n: int) -> Fn[..., Any]:
    def f(x, k):
        return rose.vec(x[i] - k for i in rose.range(n)), rose.vec(-x[i] for i in rose.range(n))

    return fn([Vec[n], Real], tuple[Vec[n], Vec[n]])(f)


@loop
def a_vector_of_structs(n: int) -> Fn[..., Any]:
    made = lambda x, y: (x * y, [x + y, x - y, x / (2.0 + y)], [-x])
    return fn([Vec[n], Vec[n]], Vec[n, tuple[Real, Vec[3], Vec[1]]])(
        lambda x, y: rose.vec(made(x[i], y[i]) for i in rose.range(n))
    )


@loop
def a_sum(n: int) -> Fn[..., Any]:
    return fn([Vec[n], Vec[n]], Real)(lambda x, y: rose.sum(x[i] * y[i] for i in rose.range(n)))


@loop
def sums_of_neighbours(n: int) -> Fn[..., Any]:
    term = lambda x, y: 100.0 * (y - x**2) ** 2 + (1.0 - x) ** 2
    return fn([Vec[n + 1]], Real)(lambda x: rose.sum(term(x[i], x[i + 1]) for i in rose.range(n)))


@loop
def neighbours_of_three(n: int) -> Fn[..., Any]:
    return fn([Vec[n + 2]], Real)(lambda x: rose.sum(x[i] * x[i + 1] * x[i + 2] for i in rose.range(n)))


@loop
def springs(n: int) -> Fn[..., Any]:
    def f(p):
        def length(i):
            x, y = p[i + 1][0] - p[i][0], p[i + 1][1] - p[i][1]
            return (rose.sqrt(x * x + y * y) - 0.1) ** 2

        return rose.sum(length(i) for i in rose.range(n)) + rose.sum(0.1 * p[i][1] for i in rose.range(n + 1))

    return fn([Vec[n + 1, Vec[2]]], Real)(f)


@rose.struct
class Body3:
    mass: Real
    at: Vec[3]
    alive: Bool
    near: rose.Fin[3]


@loop
def structs(n: int) -> Fn[..., Any]:
    def f(bodies, k):
        def energy(i):
            b = bodies[i]
            return rose.select(b.alive, b.mass * (b.at[0] ** 2 + b.at[1] ** 2) * b.at[b.near], k)

        return rose.sum(energy(i) for i in rose.range(n))

    return fn([Vec[n, Body3], Real], Real)(f)


@loop
def chosen_elements(n: int) -> Fn[..., Any]:
    def f(x, at, k):
        return rose.sum(k * (x[at[i]][1] - x[i][0]) ** 2 * x[at[i]][2] * x[at[i]][0] for i in rose.range(n))

    return fn([Vec[n, Vec[3]], Vec[n, rose.Fin[n]], Real], Real)(f)


@loop
def the_elements_around(n: int) -> Fn[..., Any]:
    def f(x):
        i = rose.range(n)
        return rose.sum((x[(k + 1) % n] - x[k]) ** 2 * rose.select(k % 2 == 0, x[k], 0.5 * k) for k in i)

    return fn([Vec[n]], Real)(f)


@loop
def elements_by_products(n: int) -> Fn[..., Any]:
    def f(x, y):
        one = lambda i, j: x[3 * i + j] * y[j + 1] - x[i * 0 + 2 * j] ** 2 + x[i + j * 2]
        return rose.sum(one(i, j) for j in rose.range(3) for i in rose.range(n))

    return fn([Vec[3 * n + 5], Vec[4]], Real)(f)


@loop
def choices(n: int) -> Fn[..., Any]:
    def f(x, y, c):
        def one(i):
            both = (x[i] > y[i]) & (y[i] <= 0.5) | c
            return rose.select(both ^ (x[i] == 0.0), rose.copysign(x[i], y[i]), rose.max(y[i], 0.25)) * rose.sign(x[i])

        return rose.vec(one(i) for i in rose.range(n))

    return fn([Vec[n], Vec[n], Bool], Vec[n])(f)


@loop
def mathematics(n: int) -> Fn[..., Any]:
    return fn([Vec[n]], Real)(lambda x: rose.sum(rose.tanh(2.0 * x[i]) * rose.exp(-x[i]) for i in rose.range(n)))


@loop
def a_plane(n: int) -> Fn[..., Any]:
    def f(w, x, y):
        return rose.sum((y[i] - w[3] - sum(x[i][j] * w[j] for j in range(3))) ** 2 for i in rose.range(n))

    return fn([Vec[4], Vec[n, Vec[3]], Vec[n]], Real)(f)


@loop
def columns(n: int) -> Fn[..., Any]:
    """What is added to the columns has a factor from outside of the loop, and from inside."""

    def f(x, y, k):
        total = rose.vec(rose.sum(x[i][j] * k for i in rose.range(n)) for j in range(4))
        other = rose.vec(rose.sum(y[i] * x[i][j] for i in rose.range(n)) for j in range(4))
        return rose.dot(total, other)

    return fn([Vec[n, Vec[4]], Vec[n], Real], Real)(f)


@loop
def a_matrix(n: int) -> Fn[..., Any]:
    def f(a, x):
        y = rose.vec(rose.sum(a[i][j] * x[j] for j in rose.range(n)) for i in rose.range(3))
        return rose.dot(y, y)

    return fn([Vec[3, Vec[n]], Vec[n]], Real)(f)


@loop
def a_product_of_matrices(n: int) -> Fn[..., Any]:
    """Four columns at once, which lie side by side, at four times the index of a loop around."""

    def f(a, b):
        c = a @ b
        return rose.sum(c[i][j] * c[i][(j + 1) % 9] for i in rose.range(5) for j in rose.range(9))

    return fn([Vec[5, Vec[n]], Vec[n, Vec[9]]], Real)(f)


@loop
def every_other_row(n: int) -> Fn[..., Any]:
    def f(x, a):
        return rose.vec(
            rose.sum(a[2 * j][i] * a[2 * j + 1][i] + a[2 * j + 1][i] * x[2 * j + 1] for i in rose.range(n))
            for j in rose.range(3)
        )

    return fn([Vec[6], Vec[6, Vec[n]]], Vec[3])(f)


@loop
def pairs_of_bodies(n: int) -> Fn[..., Any]:
    def f(p):
        def one(i, j):
            return 1.0 / (sum((p[i][k] - p[j][k]) ** 2 for k in range(3)) + 0.01)

        return rose.sum(one(i, j) for i in rose.range(n) for j in rose.range(n))

    return fn([Vec[n, Vec[3]]], Real)(f)


OF_AGGREGATES = ("structs", "chosen_elements")  # in their derivatives


def example(t: Type, r: Any) -> Any:
    """A plain value."""
    if isinstance(t, types.Vec):
        return tuple([example(t.elem, r) for _ in range(t.size)])
    if isinstance(t, Fin):
        return int(r.integers(t.size))
    if t is Bool:
        return bool(r.integers(2))
    if t is Real:
        return float(r.uniform(-1.0, 1.0))
    return tuple([example(s, r) for s in t.items])  # pyright: ignore


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("n", "single"), SIZES)
@pytest.mark.parametrize("name", TABLE)
def test_a_loop_keeps_its_bits(name: str, n: int, single: bool):
    f, r = TABLE[name](n), np.random.default_rng(n)
    points = [[example(t, r) for t in f.types] for _ in range(3)]
    agree(f.func, *points, vectorised=n >= (4 if single else 2), single=single)


@pytest.mark.usefixtures("always")
@PRECISIONS
@pytest.mark.parametrize("n", [2, 3, 7])
@pytest.mark.parametrize("name", TABLE)
def test_derivatives_keep_their_bits_to_second_order(name: str, n: int, single: bool):
    f, r = TABLE[name](n), np.random.default_rng(n)
    vectorised = name not in OF_AGGREGATES and n >= (4 if single else 2)
    for g in (f, rose.grad(f)) if f.result is Real else (f,):
        ct = mixed(example(g.result, r), g.result)
        agree(pulled_back(g).func, [*[example(t, r) for t in f.types], ct], vectorised=vectorised, single=single)


INDICES = "iadd imul ifrom ibeyond ixor ilow ihigh ieq ilt ile".split()
ROWS = [name for name, op in OPS.items() if op.eval is not None and op.wasm and twin(op) and name not in INDICES]


@pytest.mark.usefixtures("always")
@PRECISIONS
@pytest.mark.parametrize("name", ROWS)
def test_a_row_computes_the_same_in_each_lane(name: str, single: bool):
    """At all pairs of special values; the third argument is another one."""
    op, at = OPS[name], list(product(SPECIAL, repeat=2))
    n = len(at) + 1
    columns = [(*xs, 0.5) for xs in zip(*at, strict=True)]

    @func(types.Vec(n, Real), types.Vec(n, Real))
    def f(b: ir.Builder, x: Value, y: Value) -> Value:
        return b.vec(n, lambda i: result(op, b.index(x, i), b.index(y, i)))

    agree(f, columns, single=single)


@pytest.mark.usefixtures("always")
@PRECISIONS
@pytest.mark.parametrize("name", [*INDICES, "itrunc"])
def test_a_row_of_indices_computes_the_same_in_each_lane(name: str, single: bool):
    """In a vector where its lanes have 32 bits, else apart; as numbers, and as the indices of elements too."""
    op, half, r = OPS[name], Fin(2**16), np.random.default_rng(3)

    @func(types.Vec(23, half), types.Vec(23, half), types.Vec(23, Real))
    def f(b: ir.Builder, xs: Value, ys: Value, zs: Value) -> Value:
        def one(i: Value) -> Value:
            x, y, z = b.index(xs, i), b.index(ys, i), b.index(zs, i)
            y = {"imul": b.const(300, Fin(301)), "ifrom": b.const(70000, Fin(70001))}.get(name, y)
            made = op(z) if name == "itrunc" else op(x, y)
            number = select(made, z, z * 0.5) if made.type is Bool else OPS["real"](made)
            turn = b.index(zs, OPS["imod"](OPS["ixor"](x, b.index(ys, i)), b.const(23, Fin(24))))
            return number + OPS["real"](i) * turn

        return b.vec(23, one)

    halves = [tuple([int(x) for x in r.integers(0, 2**16, 23)]) for _ in range(2)]
    numbers_ = tuple([*SPECIAL[:10], math.inf, -math.inf, *r.uniform(-5.0, 9e9, 11)])
    agree(f, [*halves, numbers_], [halves[0], halves[0], numbers_], single=single)


def result(op: Op, x: Value, y: Value) -> Value:
    """What a row makes of two numbers; of truth values, what it makes of comparisons."""
    truth = [lt(x, y), lt(y, -x), lt(x, x * 0.5)]
    for given_ in product(*[((x, y, x + y)[k], truth[k]) for k in range(op.type.__code__.co_argcount)]):
        t = op.type(*given_)
        if t is Real:
            return op(*given_)
        if t is Bool:
            return select(op(*given_), x, y)
    raise AssertionError(op)


# what is added to one number keeps its order


def adds(*ahead: int, n: int = 7, vector: int = 1) -> Func:
    """A loop of which each iteration adds to elements that are so far ahead; of an accumulator that is not zero."""
    rows = types.Vec(n + 3, Real if vector == 1 else types.Vec(vector, Real))

    @func(types.Vec(n, Real), rows)
    def f(b: ir.Builder, x: Value, start: Value) -> Value:
        ref = b.accum(start)

        def iteration(i: Value) -> Any:
            for k, d in enumerate(ahead):
                at = b.at(ref, OPS["iadd"](i, b.const(d, Fin(4))))
                if vector > 1:
                    at = b.at(at, b.const(k % vector, Fin(vector)))
                b.add_to(at, b.index(x, i) * (0.1 + k))
            return [], [b.unit()]

        b.loop(n, iteration)
        return b.freeze(ref)

    return f


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    "ahead", [*product(range(3), repeat=2), (0,), (2,), (0, 1, 2), (2, 1, 0), (1, 1, 0), (3, 1, 2)]
)
@pytest.mark.parametrize("vector", [1, 2, 3, 4])
@pytest.mark.parametrize(("n", "single"), [(7, False), (7, True), (13, True)])
def test_elements_that_several_iterations_add_to(ahead: tuple[int, ...], vector: int, n: int, single: bool):
    start = numbers(n + 3) if vector == 1 else tuple([numbers(vector, k) for k in range(n + 3)])
    large = tuple([x * 1e16 for x in numbers(n)])  # what is added first is lost
    agree(adds(*ahead, n=n, vector=vector), [numbers(n), start], [large, start], single=single)


@pytest.mark.usefixtures("always")
@PRECISIONS
def test_an_accumulator_that_is_read_from_its_end(single: bool):
    @func(types.Vec(7, Real), types.Vec(7, Real))
    def f(b: ir.Builder, x: Value, start: Value) -> Value:
        ref = b.accum(start)

        def iteration(i: Value) -> Any:
            back = ifrom(i, b.const(6, Fin(7)))
            b.add_to(b.at(ref, back), b.index(x, back) * b.index(x, i))
            b.add_to(b.at(ref, i), b.index(x, i))
            return [], [b.index(x, back)]

        _, (made,) = b.loop(7, iteration)
        return b.tuple([b.freeze(ref), made])

    agree(f, [numbers(7), numbers(7, 2)], single=single)


@pytest.mark.usefixtures("always")
@PRECISIONS
def test_two_parameters_may_be_one_accumulator(single: bool):
    """`g` adds to elements `i` of one and `i + 1` of the other."""

    @func(Ref(types.Vec(8, Real)), Ref(types.Vec(8, Real)), types.Vec(7, Real))
    def g(b: ir.Builder, p: Value, q: Value, x: Value) -> Value:
        def iteration(i: Value) -> Any:
            b.add_to(b.at(q, i), b.index(x, i) * 0.3)
            b.add_to(b.at(p, OPS["iadd"](i, b.const(1, Fin(2)))), b.index(x, i))
            return [], [b.unit()]

        b.loop(7, iteration)
        return b.unit()

    @func(types.Vec(7, Real), types.Vec(8, Real))
    def f(b: ir.Builder, x: Value, start: Value) -> Value:
        one, two = b.accum(start), b.accum(start)
        for p, q in ((one, one), (one, two), (two, one)):
            b.call(g, [p, q, x])
        return b.tuple([b.freeze(one), b.freeze(two)])

    points = [[x, numbers(8, 3)] for x in (numbers(7), tuple([x * 1e16 for x in numbers(7)]))]
    agree(f, *points, single=single)


@pytest.mark.usefixtures("always")
@PRECISIONS
def test_elements_that_are_chosen_twice_in_a_row(single: bool):
    n = 9
    count = fn([Vec[n], Vec[n, rose.Fin[3]]], Real)(lambda x, at: rose.sum(x[at[i]] ** 2 * x[i] for i in rose.range(n)))
    points = [[numbers(n), at] for at in ((0, 0, 1, 1, 1, 2, 0, 2, 2), (2,) * n)]
    agree(rose.grad(count).func, *points, single=single)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("part", range(4))
def test_random_programs_keep_their_bits(part: int):
    @seed(part)
    @settings(
        max_examples=12, deadline=None, database=None, phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(programs(60))
    def check_one(p: Program) -> None:
        main = p.run()["main"]
        law(main.func, *p.args)
        if p.result.real and any([t.real for t in p.types]):
            law(pulled_back(main).func, *[(*xs, mixed(ys, p.result)) for xs, ys in zip(p.args, p.args, strict=True)])

    def law(f: Func, *points: Sequence[Any]) -> None:
        for g in (f, optimised({"f": f})["f"]):
            plain, both = Module({"f": g}), Module({"f": g}, simd=True)
            for x in points:
                assert same(both["f"](*x), plain["f"](*x))

    check_one()


WIDTH = 4


class Loops:
    """Draws a loop of everything that a loop can be of which two iterations are done at once."""

    def __init__(self, r: random.Random) -> None:
        self.r, self.n = r, r.choice([2, 3, 4, 5, 8, 9])

    def index(self, b: ir.Builder, i: Value, tables: Value) -> Value:
        """Below `2 * n + 4`: one that moves, one that stands still, or one of a table."""
        kind = self.r.randrange(8)
        known = b.const(self.r.randrange(3), Fin(3))
        if kind == 0:
            return known
        if kind == 1:
            return b.index(b.index(tables, known), i)
        if kind == 2:
            return OPS["iadd"](OPS["imul"](i, b.const(2, Fin(3))), known)
        if kind == 3:
            return ifrom(i, b.const(self.n + self.r.randrange(3), Fin(self.n + 3)))
        return OPS["iadd"](i, known)

    def number(self, b: ir.Builder, known: list[Value]) -> Value:
        x, y, z = [self.r.choice(known) for _ in range(3)]
        kinds = [
            lambda: x * y, lambda: x + y, lambda: x - y, lambda: x * y + z, lambda: z - x * y, lambda: -x,
            lambda: x / (y * y + 1.5), lambda: select(lt(x, y), z, x), lambda: OPS["sqrt"](x * x + 0.5),
            lambda: OPS["max"](x, y), lambda: OPS["exp"](x * 0.1 - y * y), lambda: OPS["sign"](x) * y,
        ]  # fmt: skip
        return self.r.choice(kinds)()

    def func(self) -> Func:
        n, m, r = self.n, 2 * self.n + 4, self.r
        flat, rows = types.Vec(m, Real), types.Vec(m, types.Vec(WIDTH, Real))
        tables = types.Vec(3, types.Vec(n, Fin(m)))

        @func(flat, rows, tables, Real)
        def f(b: ir.Builder, x: Value, p: Value, at: Value, k: Value) -> Value:
            totals = [b.accum(b.const(0.25, Real)) for _ in range(r.randrange(4))]
            sums = [b.accum(r.choice([v, b.zero(v.type)])) for v in r.choices([x, p], k=r.randrange(1, 4))]
            chain = b.accum(r.choice([p, b.zero(p.type)]))
            pair = [b.accum(k), b.accum(b.const(-0.0, Real))]

            def iteration(i: Value) -> Any:
                known = [k, b.const(0.75, Real), OPS["real"](i) * 0.125]
                shared = self.index(b, i, at)
                for _ in range(r.randrange(1, 5)):
                    known.append(b.index(x, self.index(b, i, at)))
                    row = b.index(p, r.choice([shared, self.index(b, i, at)]))
                    known += [b.index(row, c) for c in sorted(r.sample(range(WIDTH), r.randrange(1, WIDTH)))]
                for _ in range(r.randrange(12)):
                    known.append(self.number(b, known))
                for _ in range(r.randrange(1, 9)):
                    ref = r.choice([*totals, *sums])
                    if ref in set(sums):
                        ref = b.at(ref, r.choice([shared, self.index(b, i, at)]))
                    parts = [ref]
                    if ref.type is Ref(types.Vec(WIDTH, Real)):
                        parts = [b.at(ref, b.const(c, Fin(WIDTH))) for c in r.sample(range(WIDTH), r.randrange(1, 3))]
                    for part in parts:
                        b.add_to(part, self.number(b, known))
                for ahead in r.sample([0, 1, r.randrange(3)], 2):
                    element = b.at(chain, OPS["iadd"](i, b.const(ahead, Fin(3))))
                    for c in r.sample(range(WIDTH), WIDTH):
                        b.add_to(b.at(element, b.const(c, Fin(WIDTH))), r.choice(known))
                row, factor = b.index(p, shared), r.choice(known)
                for c, ref in r.sample([*enumerate(pair)], 2):
                    product = factor * b.index(row, b.const(c, Fin(WIDTH)))
                    b.add_to(ref, -product if self.n % 2 else product)
                made = [r.choice(known), b.tuple([r.choice(known), b.pack(r.choices(known, k=3), types.Vec(3, Real))])]
                return [], r.sample(made, r.randrange(3))

            _, made = b.loop(n, iteration)
            return b.tuple([*made, *[b.freeze(ref) for ref in (*totals, *sums, chain, *pair)]])

        return f


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("start", range(0, int(os.environ.get("ROSE_FUZZ", "160")), 20))
def test_random_loops_keep_their_bits(start: int):
    for k in range(start, start + 20):
        f, r = Loops(random.Random(k)).func(), np.random.default_rng(k)
        points = [[example(p.type, r) for p in f.params] for _ in range(2)]
        agree(f, *points, vectorised=False)
        agree(f, *points, vectorised=False, single=True)
        relaxed = Module({"f": f}, simd="relaxed")
        for x in points:
            for got, want in zip(flat(relaxed["f"](*x)), flat(run(f, *x)), strict=True):
                assert got == want or abs(got - want) <= 1e-9 * max(abs(want), 1.0) or not math.isfinite(want), k


# what is done, and what is not

LONG = {
    "a_vector": ("f32x4.div", "v128.store"),
    "a_vector_of_structs": ("f32x4.add", "v128.store32_lane"),
    "sums_of_neighbours": ("f32x4.mul", "f32x4.extract_lane"),
    "springs": ("f32x4.sqrt", "i8x16.shuffle"),
    "choices": ("f32x4.lt", "v128.bitselect"),
    "mathematics": ("call tanhf twice", "call expf twice"),
    "a_plane": ("f32x4.sub", "f32x4.extract_lane"),
    "pairs_of_bodies": ("f32x4.div", "f32x4.add"),
}


@pytest.mark.parametrize("name", LONG)
def test_programs_in_single_precision_are_in_vectors_of_four(name: str):
    f = TABLE[name](100)
    f = rose.value_and_grad(f) if f.result is Real else f
    plain, fast = [rose.compile(f, dtype="f32", simd=simd).disassemble() for simd in (False, True)]
    assert all([what in fast for what in LONG[name]]) and "f32x4" not in plain


def test_what_fills_no_vector_of_four_is_a_loop_of_its_own():
    texts = [
        disassemble(lower({"f": to_single(TABLE["a_vector"](n).func)}, single=True, simd=True).wasm)
        for n in (1000, 1001, 1003)
    ]
    assert [text.count("loop") for text in texts] == [1, 1, 2] and [text.count("f32.mul") for text in texts] == [
        0,
        2,
        2,
    ]


def test_a_loop_is_of_half_as_many_iterations():
    f = TABLE["a_vector"](1000)
    text = disassemble(lower({"f": f.func}, simd=True).wasm)
    assert text.count("loop") == 1
    assert text.count("f64x2.mul") == 2
    assert text.count("v128.store") == 1
    assert "f64.mul" not in text


def test_what_an_odd_loop_has_left_is_one_iteration():
    text = disassemble(lower({"f": TABLE["a_vector"](1001).func}, simd=True).wasm)
    assert text.count("loop") == 1
    assert text.count("f64.mul") == 2


def stepping(n: int) -> Fn[..., Any]:
    return fn([Vec[n]], Real)(lambda x: rose.scan(lambda i, s: s * 0.5 + x[i], rose.constant(0.0), n))


APART = {
    "a loop with a state": fn([Vec[99], Real], Real)(lambda x, k: rose.scan(lambda i, s: s * x[i] + k, k, 99)),
    "a sum of little": fn([Vec[99], Vec[99]], Real)(lambda x, y: rose.sum(x[i] * y[i] for i in rose.range(99))),
    "a vector of indices": fn([Vec[99]], Vec[99, tuple[Real, rose.Fin[99]]])(
        lambda x: rose.vec((x[i] * x[i], i) for i in rose.range(99))
    ),
    "a vector of truths": fn([Vec[99]], Vec[99, Bool])(lambda x: rose.vec(x[i] * x[i] < 0.5 for i in rose.range(99))),
    "no loop": fn([Real], Real)(lambda x: x * x + 1.0),
    "mathematics": fn([Vec[99]], Vec[99])(lambda x: rose.vec(rose.atan(x[i]) for i in rose.range(99))),
}


@pytest.mark.parametrize("name", APART)
def test_what_runs_iteration_by_iteration_is_the_module_without_simd(name: str):
    plain, made = rose.compile(APART[name]), rose.compile(APART[name], simd="relaxed")
    assert made.wasm == plain.wasm
    assert made.running.lowered.plain is None


@pytest.mark.parametrize("n", [16, 17])
def test_a_loop_without_a_state_stays_apart_from_one_that_would_keep_it_from_pairs(n: int):
    @fn
    def nearest(p: Vec[3], x: Vec[3, Vec[n]]) -> Real:
        away = rose.vec(rose.sum((p[j] - x[j][c]) ** 2 for j in rose.range(3)) for c in rose.range(n))
        return rose.scan(lambda c, s: rose.select(away[c] < s, away[c], s), 1e9, n)

    at = numbers(3), (numbers(n, 2), numbers(n, 3), numbers(n, 4))
    for f in (nearest.func, rose.grad(nearest).func):
        made = check(optimised({"f": f}, simd=True)["f"])
        assert same(Module({"f": made}, simd=True)["f"](*at), run(f, *at))
    text = disassemble(rose.compile(nearest, simd=True).wasm)
    assert text.count("f64x2.sub") == text.count("f64x2.mul") == 3
    assert "f64x2" not in disassemble(rose.compile(nearest).wasm)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_every_size(dtype: str):
    n = rose.dim("n")

    @fn
    def f(x: Vec[n], k: Real) -> Vec[n]:
        return rose.vec((x[i] * x[i] + k) / (k + 1.5) for i in rose.range(n))

    @fn
    def norm(x: Vec[n]) -> Real:
        return rose.sum((x[i] * 3.0 + x[i] ** 2 / 7.0 - x[i] ** 4 / 9.0) ** 2 for i in rose.range(n))

    functions = {"f": f, "norm": norm, "grad": rose.grad(norm)}
    plain, both = [rose.compile(functions, dynamic=True, dtype=dtype, simd=simd) for simd in (False, True)]
    assert isinstance(n, Dim)
    assert plain.wasm != both.wasm
    for k in (0, 1, 2, 3, 4, 5, 8, 101, 102, 103, 2, 1):
        x = np.array(numbers(k), np.float32 if dtype == "f32" else float)
        assert both(x, 0.5).tobytes() == plain(x, 0.5).tobytes()
        assert both.norm(x) == plain.norm(x)
        assert both.grad(x).tobytes() == plain.grad(x).tobytes()


# relaxed


@pytest.mark.usefixtures("always")
@PRECISIONS
@pytest.mark.parametrize("name", TABLE)
def test_relaxed_is_near(name: str, single: bool):
    f, r = TABLE[name](7), np.random.default_rng(7)
    back = pulled_back(f).func
    xs = [*[example(t, r) for t in f.types], mixed(example(f.result, r), f.result)]
    got = Module({"f": to_single(back) if single else back}, simd="relaxed", single=single)["f"](*xs)
    for x, y in zip(flat(got), flat(run(back, *xs)), strict=True):
        assert (
            math.isclose(x, y, rel_tol=3e-5, abs_tol=3e-5)
            if single
            else math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-12)
        )


def flat(x: Any) -> list[float]:
    return [z for y in x for z in flat(y)] if isinstance(x, tuple) else [] if x is None else [float(x)]


@pytest.mark.parametrize(("dtype", "vectors"), [("f64", "f64x2"), ("f32", "f32x4")])
def test_relaxed_multiplies_and_adds_at_once(dtype: str, vectors: str):
    f = rose.value_and_grad(TABLE["sums_of_neighbours"](100))
    text = rose.compile(f, simd="relaxed", dtype=dtype).disassemble()
    assert f"{vectors}.relaxed_madd" in text
    assert f"{vectors}.relaxed_nmadd" in text
    assert "relaxed" not in rose.compile(f, simd=True, dtype=dtype).disassemble()


def test_without_a_product_nothing_is_relaxed():
    f = fn([Vec[99]], Vec[99])(lambda x: rose.vec(rose.sqrt(x[i]) / (x[i] + 1.0) for i in rose.range(99)))
    relaxed, strict = rose.compile(f, simd="relaxed"), rose.compile(f, simd=True)
    assert relaxed.wasm == strict.wasm
    assert relaxed.running.lowered.plain == strict.running.lowered.plain


# compiled modules, and packages


@fn
def loss(x: Vec[101]) -> Real:
    return rose.sum((x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in rose.range(100))


FUNCTIONS: dict[str, Fn[..., Any]] = {"loss": loss, "grad": rose.grad(loss)}
X = np.array(numbers(101))


@pytest.mark.parametrize("simd", [True, "relaxed"])
def test_a_module_can_be_called_mapped_and_pickled(simd: bool | str):
    made = rose.compile(FUNCTIONS, simd=simd)
    again = pickle.loads(pickle.dumps(made))
    assert again.wasm == made.wasm
    assert again.grad(X).tobytes() == made.grad(X).tobytes()
    assert again.running.lowered.plain == made.running.lowered.plain
    batch = np.stack([X, X * 0.5, -X])
    assert np.array_equal(made.grad.map(batch), [made.grad(x) for x in batch])
    assert math.isclose(made(X), rose.compile(FUNCTIONS)(X), rel_tol=1e-13)


def test_a_validator_accepts_the_modules(tmp_path: Path):
    tool = shutil.which("wasm-validate")
    if tool is None:
        pytest.skip("wasm-validate is not installed")
    for name in TABLE:
        (tmp_path / f"{name}.wasm").write_bytes(lower({"f": pulled_back(TABLE[name](7)).func}, simd="relaxed").wasm)
    for path in tmp_path.iterdir():
        subprocess.run([tool, "--enable-relaxed-simd", path], check=True)


def test_a_package_without_simd_has_nothing_of_it(tmp_path: Path):
    for simd in (False, True):
        files = rose.compile(APART["no loop"], simd=simd).save(tmp_path / str(simd), "made")
        assert [f.name for f in files if f.suffix == ".wasm"] == ["made.wasm"]
        assert not [f for f in files if f.suffix not in (".json", ".map") and b"simd" in f.read_bytes()]


def test_a_package_has_a_plain_module_beside_the_other(tmp_path: Path):
    made = rose.compile(FUNCTIONS, simd=True)
    made.save(tmp_path, "made")
    plain = rose.compile(FUNCTIONS)
    assert (tmp_path / "made.wasm").read_bytes() == with_map(plain.wasm, "made.wasm.map")
    assert (tmp_path / "made.simd.wasm").read_bytes() == with_map(made.wasm, "made.simd.wasm.map")
    plain.save(tmp_path / "plain", "made")
    for name in ("index.d.ts", "core.js", "made.wasm.map"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()
    manifest = json.loads((tmp_path / "package.json").read_text())
    assert manifest["exports"]["./made.simd.wasm"] == "./made.simd.wasm"
    assert {*manifest["files"], "package.json"} == {f.name for f in tmp_path.iterdir() if f.is_file()}


def hexadecimal(x: Any) -> str:
    return np.asarray(x, dtype=">f8").tobytes().hex()


PAGE = """
import { readFileSync } from "node:fs";
import fs from "node:fs/promises";
const LACKS = "...";
const validate = WebAssembly.validate, compile = WebAssembly.compile, instance = WebAssembly.Instance;
let asked = 0, size;
WebAssembly.validate = (x) => (asked++, LACKS ? false : validate(x));
WebAssembly.compile = (x) => ((size = x.byteLength), compile(x));
const { init } = await import("./inline.js");
if (asked) throw new Error("the engine is asked at import");
const { loss, grad } = await init();
const x = JSON.parse(readFileSync("x.json"));
const hex = (xs) => {
  const view = new DataView(new ArrayBuffer(8 * xs.length));
  xs.forEach((x, k) => view.setFloat64(8 * k, x));
  return Buffer.from(view.buffer).toString("hex");
};
console.log(JSON.stringify([asked, size, hex([loss(x)]), hex(Array.from(grad(x)))]));
"""


@pytest.mark.parametrize("lacks", [False, True])
@pytest.mark.parametrize(("simd", "dtype"), [(True, "f64"), ("relaxed", "f64"), (True, "f32"), ("relaxed", "f32")])
def test_a_page_has_the_module_that_its_engine_takes(simd: bool | str, dtype: str, lacks: bool, tmp_path: Path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    made, x = rose.compile(FUNCTIONS, dtype=dtype, simd=simd), X.astype(np.float32 if dtype == "f32" else float)
    made.save(tmp_path, "made")
    (tmp_path / "x.json").write_text(json.dumps(x.tolist()))
    (tmp_path / "page.mjs").write_text(PAGE.replace('"..."', json.dumps(lacks)))
    plain = made.running.lowered.plain
    assert plain is not None
    (tmp_path / "probe.wasm").write_bytes(plain.probe)
    probe = "process.exit(WebAssembly.validate(require('fs').readFileSync('probe.wasm')) ? 0 : 1)"
    takes = subprocess.run([node, "-e", probe], cwd=tmp_path).returncode == 0
    if simd is True:
        assert takes, "every node that is supported computes two numbers at once"
    taken = made.wasm if takes and not lacks else plain.wasm
    said = subprocess.run([node, "page.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    expected = made if taken is made.wasm else rose.compile(FUNCTIONS, dtype=dtype)
    wanted = [1, len(taken), hexadecimal([expected(x)]), hexadecimal(expected.grad(x))]
    assert json.loads(said)[:2] == wanted[:2]
    if taken is plain.wasm or simd is True:
        assert json.loads(said) == wanted


def test_the_probes_need_no_more_than_they_ask_for():
    config = wasmtime.Config()
    config.wasm_relaxed_simd = False
    engine = wasmtime.Engine(config)
    strict, relaxed = [rose.compile(FUNCTIONS, simd=simd).running.lowered.plain for simd in (True, "relaxed")]
    assert strict is not None and relaxed is not None
    wasmtime.Module(engine, strict.probe)
    with pytest.raises(wasmtime.WasmtimeError, match="relaxed SIMD"):
        wasmtime.Module(engine, relaxed.probe)


IN_PAGE = """<!doctype html><pre></pre><script>
const [wasm, probe, at, result, x] = DATA;
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes(wasm)));
new Float64Array(exports.memory.buffer, at, x.length).set(x);
exports.grad();
const said = [WebAssembly.validate(bytes(probe)), ...new Float64Array(exports.memory.buffer, result, x.length)];
document.querySelector("pre").textContent = JSON.stringify(said);
</script>"""


@pytest.mark.slow
def test_chromium_takes_relaxed_modules(tmp_path: Path):
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    if not found:
        pytest.skip("Chromium is not installed")
    made = rose.compile(FUNCTIONS, simd="relaxed")
    s, plain = made.running.signatures["grad"], made.running.lowered.plain
    assert plain is not None
    modules = [base64.b64encode(x).decode() for x in (made.wasm, plain.probe)]
    data = json.dumps([*modules, s.params[0].at, s.result.at, list(X)])
    (tmp_path / "page.html").write_text(IN_PAGE.replace("DATA", data))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (tmp_path / "page.html").as_uri()]
    done = subprocess.run([found[0], *options], check=True, capture_output=True, text=True, timeout=300)
    takes, *got = json.loads(done.stdout.partition("<pre>")[2].partition("</pre>")[0])
    assert takes
    assert np.allclose(got, made.grad(X), rtol=1e-14, atol=1e-13)


def test_the_rows_of_a_jacobian_are_two_iterations_at_once():
    """The loop over rows is the only one: the function is written out, and too long for its rows to be."""

    @fn
    def spun(x: Vec[3]) -> Vec[2]:
        y, z = x[0], x[1]
        for k in range(40):
            y, z = y * x[k % 3] + z, z * x[k % 3] - y
        return [y, z]

    plain, fast = rose.compile(rose.jacrev(spun)), rose.compile(rose.jacrev(spun), simd=True)
    x = np.array([0.3, -0.4, 0.9])
    assert (plain(x) == fast(x)).all()
    assert "f64x2.mul" in fast.disassemble()


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("n", [17, 30])
def test_a_sum_that_begins_at_zero_does_so_at_each_end_of_a_piece(n: int, dtype: str):
    """A ring of 17 has pieces of 1, 15 and 1: what no pair adds to, an iteration of its own does."""

    @fn
    def wave(x: Vec[n]) -> Real:
        def step(_: Any, s: Any) -> Any:
            u, v = s
            v = rose.vec(v[i] + 0.1 * (u[(i + 1) % n] - 2.0 * u[i] + u[(i + n - 1) % n]) for i in rose.range(n))
            return rose.vec(u[i] + 0.1 * v[i] for i in rose.range(n)), v

        u, v = rose.scan(step, (x, x), 20)
        return rose.sum(u[i] * u[i] * v[i] for i in rose.range(n))

    slope, x = rose.grad(wave), np.linspace(-0.5, 1.0, n, dtype=np.float32 if dtype == "f32" else float)
    plain, fast = [rose.compile(slope, dtype=dtype, simd=simd) for simd in (False, True)]
    assert ("f64x2.mul" if dtype == "f64" else "f32x4.mul") in fast.disassemble()
    assert (fast(x) == plain(x)).all() and (fast(x) == plain(x)).all()
