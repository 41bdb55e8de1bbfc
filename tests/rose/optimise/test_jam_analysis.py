"""Nests of loops that are done for several iterations of the loop around at once: windows, with the same bits."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import numpy as np
import pytest
from harness import Module, same
from optimising import func

import rose
from rose import Real, Vec, fn, nn
from rose.host.interpreter import run
from rose.ir import ADD_TO, FOR, Builder, Func, Value
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.ir.ops import iadd
from rose.optimise import costs
from rose.optimise.pipeline import optimised
from rose.optimise.unroll_and_jam import LANES, unroll_and_jam


def numbers(*shape: int) -> Any:
    """Numbers whose sums depend on their order."""

    def tuples(x: Any) -> Any:
        return tuple(map(tuples, x)) if isinstance(x, list) else x

    r = np.random.default_rng(sum(shape))
    return tuples((r.uniform(-1, 1, shape) * 10.0 ** r.integers(-8, 9, shape)).tolist())


def most(f: Func) -> int:
    """The most additions in one iteration of a loop."""
    nests = [v.attr.code for v in instructions(f.body) if v.op is FOR]
    return max([len([w for w in code if w.op is ADD_TO]) for code in nests], default=0)


def convolution(places: int, channels: int, out: int, to: tuple[int, int], **options: Any) -> rose.Fn[..., Any]:
    """Of an image of four rows, to so many rows and places."""
    given, made = [Vec[1, 4, places, channels], Vec[3, 3, channels, out]], Vec[1, to[0], to[1], out]
    return fn(given, made)(lambda x, w: nn.conv2d(x, w, **options))


@pytest.mark.parametrize("simd", [False, True])
@pytest.mark.parametrize(
    ("options", "to"), [({}, (2, 12)), ({"stride": 2, "padding": "same"}, (2, 7)), ({"dilation": (1, 2)}, (2, 10))]
)
@pytest.mark.parametrize(("channels", "out"), [(4, 8), (3, 9), (17, 8)])
def test_a_convolution_and_its_gradient_in_blocks(channels: int, out: int, options: Any, to: Any, simd: bool):
    """The bits are those of the interpreter, before any pass."""
    f = convolution(14, channels, out, to, **options)
    squares = fn([p.type for p in f.func.params], Real)(lambda x, w: rose.sum(f(x, w) ** 2))
    args = numbers(1, 4, 14, channels), numbers(3, 3, channels, out)
    for g in (f.func, rose.grad(squares, (0, 1)).func):
        made = optimised({"f": g}, simd=simd)["f"]
        assert same(Module({"f": made}, simd=simd)["f"](*args), run(g, *args))


def test_a_window_has_sums_of_four_places_and_four_channels():
    made = optimised({"f": convolution(14, 20, 8, (2, 12)).func}, simd=True)["f"]
    assert most(made) == LANES**2


def test_what_a_window_adds_to_its_places_stays_in_order():
    """The window of one place ends in that of the next: they add to the same elements, so four places are not one."""

    @fn
    def f(x: Vec[12], w: Vec[5, 5]) -> Vec[20]:
        total = rose.accum([0.0] * 20)
        for i in rose.range(12):
            for k in rose.range(5):
                for l in rose.range(5):
                    total[i + k + l] += x[i] * w[k][l]
        return total.value

    made, _ = unroll_and_jam(f.func)
    assert most(made) == 1
    args = numbers(12), numbers(5, 5)
    assert same(run(made, *args), run(f.func, *args))


def test_what_a_window_adds_for_each_channel_is_done_for_four():
    """Each channel adds to each place of the window once, so four of them keep their order."""

    @fn
    def f(w: Vec[8, 9, 9], x: Vec[8]) -> Vec[9, 9]:
        total = rose.accum(np.zeros((9, 9)))
        for c in rose.range(8):
            for k in rose.range(9):
                for l in rose.range(9):
                    total[k][l] += x[c] * w[c][k][l]
        return total.value

    made, _ = unroll_and_jam(f.func)
    assert most(made) == LANES
    args = numbers(8, 9, 9), numbers(8)
    assert same(run(made, *args), run(f.func, *args))


class Window:
    """One or two loops around the two loops of a window, at random: sums of its own, of places, of channels, of all."""

    def __init__(self, seed: int) -> None:
        self.r = r = Random(seed)
        self.n, self.w, self.m = n, w, m = r.choice([1, 5, 8, 9]), r.randrange(1, 4), r.choice([1, 4, 8, 11])
        self.c = c = r.randrange(1, 4)
        self.func = func(Vec[n + w - 1, Vec[c]], Vec[w, Vec[c, Vec[m]]])(self.body)
        self.args = numbers(n + w - 1, c), numbers(w, c, m)

    def body(self, b: Builder, *given: Value) -> Value:
        n, w, m, c, r = self.n, self.w, self.m, self.c, self.r
        types = [Vec[n + w - 1], Vec[w, Vec[c]], Vec[m], Vec[n + w - 1, Vec[c]], Vec[n, Vec[m]], given[1].type, Real]
        self.given, self.sums = given, [b.accum(b.zero(t)) for t in types]
        around = [(n, "i"), (m, "f")]
        r.shuffle(around)
        self.loop(b, around, {}, lambda at: self.pair(b, at))
        return b.tuple([b.freeze(ref) for ref in self.sums])

    def loop(self, b: Builder, nest: list[tuple[int, str]], at: dict[str, Value], do: Any) -> None:
        if not nest:
            do(at)
            return
        (n, name), *rest = nest
        b.loop(n, lambda i: (self.loop(b, rest, {**at, name: i}, do), ([], []))[1])

    def pair(self, b: Builder, at: dict[str, Value]) -> None:
        r = self.r
        local = [b.accum(b.lift(0.0)) for _ in range(r.randrange(3))]
        targets = r.sample(range(7), r.choice([0, 0, 1, 1, 2]))
        nest = [(self.w, "k"), (self.c, "c")]
        if r.random() < 0.3:
            nest.append((2, "q"))
        r.shuffle(nest)
        self.loop(b, nest, at, lambda at: self.iteration(b, at, local, targets))
        for ref in local:
            b.add_to(b.at(b.at(self.sums[4], at["i"]), at["f"]), b.freeze(ref))

    def iteration(self, b: Builder, at: dict[str, Value], local: list[Value], targets: list[int]) -> None:
        i, f, k, c = [at[name] for name in "ifkc"]
        ahead = b.emit(iadd, (i, k))
        x = b.index(b.index(self.given[0], ahead), c)
        y = b.index(b.index(b.index(self.given[1], k), c), f)
        wide = self.r.choice([ahead, ahead, i, k]) if self.n >= self.w else ahead
        places = [(wide,), (k, c), (f,), (wide, c), (i, f), (k, c, f), ()]
        for ref in local:
            b.add_to(ref, self.r.choice([x * y, x]))
        for target in targets:
            ref = self.sums[target]
            for index in places[target]:
                ref = b.at(ref, index)
            b.add_to(ref, self.r.choice([x, y, x * y]))


def test_windows_at_random(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(costs, "UNROLLED_ITERATIONS", 0)
    monkeypatch.setattr(costs, "UNROLLED_INSTRUCTIONS", 0)
    changed = 0
    for seed in range(int(os.environ.get("ROSE_FUZZ", "80"))):
        window = Window(seed)
        f, args = window.func, window.args
        want = run(f, *args)
        for simd in (False, True):
            made, _ = unroll_and_jam(f, simd=simd)
            assert same(run(check(made), *args), want), (seed, simd)
            if made is not f:
                changed += 1
                assert same(Module({"f": optimised({"f": f}, simd=simd)["f"]}, simd=simd)["f"](*args), want), seed
    assert changed > 40


def test_an_index_of_many_paths_to_that_of_a_loop_is_looked_at_once():
    """`i * i + i`, sixty times, has 3**60 paths to `i`; a row of it is shared by a row of sums, as that of `i` is."""

    def product(again: int) -> rose.Fn[..., Any]:
        @fn
        def f(a: Vec[40, 40], b: Vec[40, 40]) -> Vec[40, 40]:
            def row(i: Any) -> Any:
                for _ in range(again):
                    i = (i * i + i) % 40
                return i

            def element(i: Any, j: Any) -> Any:
                return rose.sum(a[row(i)][k] * b[k][j] for k in rose.range(40))

            return rose.vec(rose.vec(element(i, j) for j in rose.range(40)) for i in rose.range(40))

        return f

    plain, shared = [optimised({"f": product(again).func})["f"] for again in (0, 60)]
    assert most(shared) == most(plain) > 1
