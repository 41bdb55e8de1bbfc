"""Sums that a loop's iterations have in locals, and pointers: the same bits as in the interpreter, and less memory."""

from __future__ import annotations

import re
from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.optimise import costs
from rose.optimise.pipeline import optimise, optimised
from wasm_backend.binary.disassembler import disassemble


@pytest.fixture(autouse=True)
def rolled(monkeypatch: pytest.MonkeyPatch):
    """Loops stay loops, however short."""
    monkeypatch.setattr(costs, "UNROLLED_ITERATIONS", 0)


def text(f: rose.Fn[..., Any], *points: tuple[Any, ...]) -> str:
    """The instructions of `f`, after its bits at some points were found to be right."""
    optimise([f.func])
    module = Module(optimised({"f": f.func}))
    for x in points:
        for _ in range(2):  # what a call leaves in memory is nothing to the next
            assert same(module["f"](*x), run(f.func, *x)), x
    return disassemble(module.lowered.wasm)


def numbers(n: int, seed: float = 0.7) -> tuple[float, ...]:
    return tuple([((k + 1) * seed) % 1.9 - 0.8 if k % 5 else -0.0 for k in range(n)])


@rose.struct
class Place:
    x: Real
    y: Real


def neighbours(n: int, f: Any) -> rose.Fn[..., Any]:
    return fn([Vec[n]], Real)(lambda x: f(x, n))


def chain(x: Any, n: int) -> Any:
    return rose.sum((x[i + 1] - x[i] * x[i]) ** 2 for i in rose.range(n - 1))


def chain_from_one(x: Any, n: int) -> Any:
    return rose.sum(x[i + 1] * x[i + 2] * x[i + 1] for i in rose.range(max(n - 2, 0)))


def wide(x: Any, n: int) -> Any:
    return rose.sum(x[i] * x[i + 2] for i in rose.range(max(n - 2, 0)))


def two_chains(x: Any, n: int) -> Any:
    return chain(x, n) * chain(x, n) + rose.sum(x[i] ** 3 for i in rose.range(n))


def twice(x: Any, n: int) -> Any:
    return rose.sum(rose.sin(x[i]) * x[i] + x[i] for i in rose.range(n))


def reversed_too(x: Any, n: int) -> Any:
    y = rose.vec(x[i] * 2.0 for i in rose.range(n))
    return rose.sum(x[i + 1] * y[i] for i in rose.range(n - 1)) + rose.sum(y[i] ** 3 for i in rose.range(n))


def nested(x: Any, n: int) -> Any:
    total = rose.accum(0.0)
    for i in rose.range(n):
        for j in rose.range(n):
            total += x[i] * x[j] * x[j]
    return total.value


def pairs(x: Any, n: int) -> Any:
    return rose.sum(x[i] * x[i + 1] ** 2 for i in rose.range(0, n - 1, 2))


PROGRAMS = [pairs, chain, chain_from_one, wide, two_chains, twice, reversed_too, nested]


@pytest.mark.parametrize("n", [1, 2, 3, 23])
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_bits_of_gradients(f: Any, n: int):
    g = neighbours(n, f)
    x = numbers(n)
    text(rose.value_and_grad(g), (x,), (numbers(n, 1.3),))
    text(rose.hvp(g), (x, numbers(n, 0.3)))
    text(rose.grad(fn([Vec[n]], Real)(lambda x: rose.sum(rose.grad(g)(x)))), (x,))


@pytest.mark.parametrize("n", [1, 2, 23])
def test_the_bits_of_gradients_in_structs(n: int):
    @fn
    def energy(p: Vec[n, Place], w: Vec[n, Vec[2]]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(n - 1):
            dx, dy = p[i + 1].x - p[i].x, p[i + 1].y - w[i][0]
            total += rose.sqrt(dx * dx + dy * dy + 1.0) * w[i + 1][1]
        for i in rose.range(n):
            total += p[i].y * 0.5
        return total.value

    a, b = numbers(2 * n), numbers(2 * n, 1.1)
    p = tuple([(a[2 * k], a[2 * k + 1]) for k in range(n)])
    w = tuple([(b[2 * k], b[2 * k + 1]) for k in range(n)])
    text(rose.value_and_grad(energy, (0, 1)), (p, w))


def test_a_sum_that_is_handed_on_stays_in_a_local():
    code = text(rose.value_and_grad(neighbours(40, chain)), (numbers(40),))
    loop = code[code.index("loop") : code.index("\n  end")]
    assert loop.count("f64.load") == 2, "x[i] and x[i + 1]: no sum is read"
    assert loop.count("f64.store") == 1
    assert "memory.fill" not in code, "every element is written before it is read"
    assert "i32.shl" not in code, "a pointer counts bytes"
    assert loop.count("i32.add") == 1, "and the iterations"


def test_what_a_loop_does_not_write_is_cleared():
    f = fn([Vec[40]], Real)(lambda x: rose.sum(x[i] * x[i + 1] for i in rose.range(20)))
    code = text(rose.grad(f), (numbers(40),))
    assert re.search(r"i32.const 0\n +i32.const 152\n +memory.fill", code), "19 of 40 elements"


def test_an_element_that_is_added_to_in_an_inner_loop_is_in_a_local():
    f = fn([Vec[40], Vec[40, Vec[30]], Vec[30]], Real)(
        lambda x, a, y: rose.sum(rose.sum(x[i] * a[i][j] * y[j] for j in rose.range(30)) for i in rose.range(40))
    )
    a = tuple([numbers(30, 0.1 * k + 0.2) for k in range(40)])
    text(rose.value_and_grad(f, 0), (numbers(40), a, numbers(30)))


def test_single_precision():
    f = rose.compile(rose.value_and_grad(neighbours(40, chain)), dtype="f32")
    assert "memory.fill" not in f.disassemble()
    y, g = f(numbers(40))
    want, direction = rose.value_and_grad(neighbours(40, chain))(numbers(40))
    assert y == pytest.approx(want, rel=1e-5)
    assert list(g) == pytest.approx(list(direction), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 23])
def test_sizes_of_a_call(size: int):
    n = rose.dim("n")

    @fn
    def f(x: Vec[n], y: Vec[n + 1]) -> Real:
        return rose.sum((y[i + 1] - y[i] * x[i]) ** 2 for i in rose.range(n))

    g = rose.value_and_grad(f, (0, 1))
    x = numbers(size), numbers(size + 1, 0.3)
    (a, (b, c)), (d, (e, f)) = rose.compile(g, dynamic=True)(*x), rose.compile(g, n=size)(*x)
    assert same(a, d)
    assert (b.tobytes(), c.tobytes()) == (e.tobytes(), f.tobytes())


# states


def shifted(f: Any) -> rose.Fn[..., Any]:
    """The sum of `f` of what each number is below the largest."""

    def total(x: Any) -> Any:
        most = rose.max(x)
        return rose.sum(f(x[i] - most) for i in rose.range(9))

    return fn([Vec[9]], Real)(total)


@pytest.mark.parametrize(("f", "times"), [(rose.exp, 1), (rose.sqrt, 0), (lambda x: x * x, 0)])
def test_a_last_state_that_outlives_a_call_is_a_number_of_its_own(f: Any, times: int):
    zeros, odd = (-0.0,) * 9, (float("nan"), *[float("inf")] * 8)
    code = text(shifted(f), (numbers(9),), (zeros,), (odd,)).rpartition("\nfunc ")[2]
    assert code.count("f64.copysign") == times
