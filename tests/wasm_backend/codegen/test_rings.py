"""Rings: loops over `(i + c) % n` run in pieces, in which nothing is divided; the bits are those of the division."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.optimise.pipeline import optimised
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.codegen import costs
from wasm_backend.lower import lower

N = 27


def wave(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        u, v = s
        v = rose.vec(v[i] + 0.1 * (u[(i + 1) % N] - 2.0 * u[i] + u[(i + N - 1) % N]) for i in rose.range(N))
        return rose.vec(u[i] + 0.1 * v[i] for i in rose.range(N)), v

    u, v = rose.scan(step, (x, rose.vec(0.0 for _ in rose.range(N))), 5)
    return rose.sum(u[i] * u[i] * v[i] for i in rose.range(N))


def advection(x: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        return u - 0.05 * u * (np.roll(u, -1) - np.roll(u, 1)) + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))

    return np.sum(rose.scan(step, x, 5) ** 3)


def lattice(x: Any) -> Any:
    rows = rose.reshape(rose.concatenate([x] * 17), (17, N))
    round_each = np.roll(rows, 1, 0) + np.roll(rows, -1, 0) + np.roll(rows, 2, 1) - np.roll(rows, -2, 1)
    return np.sum(round_each * rows * rows)


def spline(x: Any) -> Any:
    return rose.sum((x[i] + 4.0 * x[(i + 1) % N] + x[(i + 2) % N]) ** 2 * x[(i + 3) % N] for i in rose.range(N))


def reaction(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        u, v = s
        r = u * v * v
        return (u + 0.2 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1)) - r, v + 0.1 * np.roll(v, 3) + r)

    u, v = rose.scan(step, (x, 0.5 * x), 4)
    return np.sum(u * v)


def convolution(x: Any) -> Any:
    y = sum(w * np.roll(x, k - 2) for k, w in enumerate((0.1, 0.2, 0.4, 0.2, 0.1)))
    return np.sum(y * y * y)


def backwards(x: Any) -> Any:
    """A circular convolution: one index rises, and the other falls."""
    y = rose.vec(rose.sum(x[j] * x[(i + N - j) % N] for j in rose.range(N)) for i in rose.range(N))
    return rose.sum(y[i] * y[i] for i in rose.range(N))


def polygon(x: Any) -> Any:
    p = rose.vec(rose.vec([x[i], x[i] * x[i]]) for i in rose.range(N))
    return rose.sum(p[i][0] * p[(i + 1) % N][1] - p[i][1] * p[(i + 1) % N][0] for i in rose.range(N))


def phases(x: Any) -> Any:
    """Coupled oscillators, which are summed in a state; one that falls, and one that is a number."""
    near = rose.scan(lambda i, s: s * 0.5 + rose.sin(x[(i + 1) % N] - x[i]), 0.0, N)
    return near + rose.sum(x[(2 * N - i) % N] * ((i + 5) % N) for i in rose.range(N))


PROGRAMS: dict[str, Any] = {
    f.__name__: f for f in (wave, advection, lattice, spline, reaction, convolution, backwards, polygon, phases)
}
DERIVED: dict[str, Any] = {
    "f": lambda f: f,
    "grad": rose.grad,
    "twice": lambda f: rose.grad(fn([Vec[N]], Real)(lambda x: rose.dot(rose.grad(f)(x), x))),
}


def inner_loops(text: str) -> list[list[str]]:
    """The instructions of each loop that has no other in it."""
    open_, found = list[list[str]](), list[list[str]]()
    for line in map(str.strip, text.splitlines()):
        word = line.partition(" ")[0]
        if word in ("loop", "block", "if"):
            if word == "loop" and open_:
                open_[-1].append("loop")
            open_.append([word])
        elif word == "end" and open_:
            code = open_.pop()
            if code[0] == "loop" and "loop" not in code[1:]:
                found.append(code)
            elif open_:
                open_[-1] += code
        elif open_:
            open_[-1].append(word)
    return found


@pytest.mark.parametrize("simd", [False, True])
@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_no_iteration_divides(f: Any, simd: bool):
    made = optimised({"f": rose.grad(fn([Vec[N]], Real)(f)).func}, simd=simd)
    assert not [code for code in inner_loops(disassemble(lower(made, simd=simd).wasm)) if "i32.rem_u" in code]
    assert [code for code in inner_loops(disassemble(lower(made, naive=True).wasm)) if "i32.rem_u" in code]


@pytest.mark.parametrize("f", [advection, reaction, convolution, polygon], ids=lambda f: f.__name__)
def test_two_iterations_at_once_read_neighbours_at_once(f: Any):
    made = optimised({"f": rose.grad(fn([Vec[N]], Real)(f)).func}, simd=True)
    assert [code for code in inner_loops(disassemble(lower(made, simd=True).wasm)) if code.count("v128.load") > 1]


@pytest.mark.parametrize("n", [27, 32])
@pytest.mark.parametrize("derive", DERIVED.values(), ids=DERIVED)
@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS)
def test_the_bits_are_those_of_the_interpreter(body: Any, derive: Any, n: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "N", n)
    monkeypatch.setattr(costs, "PIECE_PAIRED_ITERATIONS", 2)
    f, x = derive(fn([Vec[n]], Real)(body)), np.linspace(-0.7, 1.1, n)
    x[3] = -0.0
    with rose.eager():
        want = np.asarray(f(x)).tobytes()
    assert np.asarray(rose.compile(f, simd=True)(x)).tobytes() == np.asarray(rose.compile(f)(x)).tobytes() == want
    monkeypatch.setattr(costs, "STOP_INSTRUCTIONS", 160)  # these loops are cut into pieces for stops, too
    monkeypatch.setattr(costs, "STOP_ITERATION", 30)
    assert np.asarray(rose.compile(f)(x)).tobytes() == want


def divisions(n: int, body: Any) -> int:
    f = fn([Vec[n]], Real)(lambda x: rose.sum(body(x, i) for i in rose.range(n)))
    return sum([code.count("i32.rem_u") for code in inner_loops(disassemble(lower({"f": f.func}).wasm))])


def test_a_ring_that_is_short_or_goes_on_by_more_than_one_is_divided():
    assert divisions(60, lambda x, i: x[(i + 1) % 60]) == 0
    assert divisions(60, lambda x, i: x[(i + 1) % 3]) == 1
    assert divisions(60, lambda x, i: x[(2 * i + 1) % 60]) == 1
    assert divisions(60, lambda x, i: x[(i + 1) % 60] * x[(i * i) % 60]) == 1


def test_what_is_left_by_a_power_of_two_is_a_mask_in_each_engine():
    assert divisions(64, lambda x, i: x[(i + 1) % 64]) == 1


@pytest.mark.parametrize("low", [0, 3])
def test_a_loop_of_dependent_length_runs_in_pieces_too(low: int):
    body: Any = lambda x: rose.sum(
        rose.sum(x[(i + j) % N] * x[j] for j in rose.range(low, i)) for i in rose.range(N)
    )  # fmt: skip
    f, x = rose.grad(fn([Vec[N]], Real)(body)), np.linspace(-0.7, 1.1, N)
    with rose.eager():
        want = np.asarray(f(x))
    assert np.asarray(rose.compile(f)(x)).tobytes() == want.tobytes()


@pytest.mark.parametrize("simd", [False, True])
def test_what_a_ring_begins_at_may_be_data(simd: bool):
    """The sums `k[j] % 7 + 2` and `2 * k[j] + j` are made before the loop over the ring, which reads nothing else."""

    @fn
    def f(x: Vec[N], k: Vec[6, rose.Fin[9]]) -> Real:
        total = rose.accum(0.0)
        for j in rose.range(6):
            first, last = k[j] % 7 + 2, 2 * k[j] + j
            w = rose.sin(x[j])
            total += rose.sum(w * x[(i + first) % N] * x[(last + N - i) % N] ** 2 for i in rose.range(N))
        return total.value

    slope, x = rose.grad(f), np.linspace(-0.7, 1.1, N)
    for k in ([0, 8, 3, 3, 1, 7], [5, 4, 3, 2, 1, 0]):
        with rose.eager():
            want = np.asarray(slope(x, k))
        assert np.asarray(rose.compile(slope, simd=simd)(x, k)).tobytes() == want.tobytes()


n = rose.dim("n")


def smoothed(x: Any) -> Any:
    step: Any = lambda _, u: rose.vec(u[i] + 0.1 * (u[(i + 1) % n] - u[i] * u[(i + 3) % n]) for i in rose.range(n))
    return rose.sum(rose.scan(step, x, 3)[(i + 2) % n] * x[i] for i in rose.range(n))


@pytest.mark.parametrize("simd", [False, True])
def test_a_ring_of_any_size_runs_in_pieces(simd: bool):
    f = rose.grad(fn([Vec[n]], Real)(smoothed))
    module = rose.compile(f, dynamic=True, simd=simd)
    assert not [code for code in inner_loops(disassemble(module.wasm)) if "i32.rem_u" in code]
    for k in (0, 1, 2, 3, 8, 13):
        x = np.linspace(-0.7, 1.1, k)
        assert np.asarray(module(x)).tobytes() == np.asarray(rose.compile(f, n=k)(x)).tobytes()
