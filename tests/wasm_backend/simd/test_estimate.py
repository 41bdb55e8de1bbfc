"""The estimate: which loops are two iterations at once, in programs of many fields, and that all keep their bits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, Fn, Real, Vec, fn
from rose.optimise import costs as limits
from rose.optimise.pipeline import optimised
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.codegen import costs
from wasm_backend.lower import lower
from wasm_backend.simd import loops
from wasm_backend.simd.estimate import of_a_vector

AT = [7 * k * k % 40 for k in range(120)]
TO = [(11 * k + 3) % 40 for k in range(120)]


def edges(name: list[int], k: Any) -> Any:
    return rose.constant(Vec[120, Fin[40]], name)[k]


def squared(p: Any, i: Any, j: Any) -> Any:
    return sum((p[i][c] - p[j][c]) ** 2 for c in range(2))


def rosenbrock(x: Any) -> Any:
    return rose.sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in rose.range(79))


def quotients(x: Any) -> Any:
    return rose.sum(1.0 / (2.0 + x[i] * x[i]) for i in rose.range(80))


def partition(x: Any) -> Any:
    return rose.log(rose.sum(rose.exp(x[i]) for i in rose.range(80)))


def a_table(x: Any) -> Any:
    at = lambda i: x[edges(AT, i)]
    return rose.sum(rose.exp(-(at(i) ** 2)) / (1.0 + at(i) ** 2) for i in rose.range(80))


def sorted_three(x: Any) -> Any:
    def one(i: Any) -> Any:
        a, b = rose.select(x[i] < x[i + 1], x[i], x[i + 1]), rose.select(x[i] < x[i + 1], x[i + 1], x[i])
        return a * 0.5 + b * b - rose.select(b < x[i + 2], b, x[i + 2]) * a

    return rose.sum(one(i) for i in rose.range(78))


def a_plane(x: Any) -> Any:
    at = lambda i: 0.3 - sum(x[3 * i + j] * (0.2 + 0.1 * j) for j in range(3))
    return rose.sum(at(i) ** 2 * rose.sqrt(1.0 + at(i) ** 2) for i in rose.range(26))


def four_numbers(x: Any) -> Any:
    return rose.sum(x[i] / (1.0 + x[i] * x[i]) for i in rose.range(4))


def a_mesh(x: Any) -> Any:
    """Neighbours in rows of nine."""
    along = lambda i, j: rose.sqrt((x[9 * i + j] - x[9 * i + j + 1]) ** 2 + 0.01)
    return rose.sum(along(i, j) for i in rose.range(8) for j in rose.range(3))


def a_product(x: Any) -> Any:
    return rose.sum(x[i] * x[i] for i in rose.range(80))


def both_ends(x: Any) -> Any:
    return rose.sum((x[i] - x[79 - i]) ** 2 for i in rose.range(80))


def a_ring(x: Any) -> Any:
    return rose.sum((x[i] - x[(i + 1) % 80]) ** 2 for i in rose.range(80))


def a_short_list(x: Any) -> Any:
    return rose.sum(x[edges(AT, k)] * x[edges(TO, k)] for k in rose.range(120))


def a_cut_off(x: Any) -> Any:
    def one(k: Any) -> Any:
        d = (x[edges(AT, k)] - x[edges(TO, k)]) ** 2 + 0.01
        return rose.cond(d < 0.25, lambda: (0.1 / d) ** 6 - (0.1 / d) ** 3, lambda: rose.constant(Real, 0.0))

    return rose.sum(one(k) for k in rose.range(120))


def a_rare_root(x: Any) -> Any:
    one = lambda v: rose.select(v < 0.9, v * v, rose.sqrt(abs(v)) / (1.0 + v**2))
    return rose.sum(one(x[i]) for i in rose.range(80))


def a_rectifier(x: Any) -> Any:
    h = rose.vec(rose.max(rose.sum(x[8 * i + j] * x[j] for j in rose.range(8)), 0.0) for i in rose.range(10))
    return rose.dot(h, h)


def a_filter(x: Any) -> Any:
    """Small matrices in a scan: loops of four iterations."""
    a = rose.vec(rose.vec(x[4 * i + j] for j in rose.range(4)) for i in rose.range(4))
    p = rose.scan(lambda t, p: 0.1 * (a @ p @ a.T) + np.eye(4), np.eye(4), 5)
    return rose.log(np.sum(p * p))


def a_short_softmax(x: Any) -> Any:
    return rose.log(rose.sum(rose.exp(x[i] - x[0]) for i in rose.range(8)))


GAIN = [rosenbrock, quotients, partition, a_table, sorted_three, a_plane, four_numbers, a_mesh]
KEPT = [a_product, both_ends, a_ring, a_short_list, a_cut_off, a_rare_root, a_rectifier, a_filter]
KEPT += [a_short_softmax]
Body = Callable[[Any], Any]


def gradient(body: Body) -> Fn[..., Any]:
    return rose.value_and_grad(fn([Vec[80]], Real)(body))


@pytest.mark.parametrize("body", GAIN)
def test_programs_whose_loops_are_two_iterations_at_once(body: Body):
    assert "f64x2" in rose.compile(gradient(body), simd=True).disassemble()


@pytest.mark.parametrize("body", [*GAIN, a_ring, a_rectifier])
def test_programs_whose_loops_are_four_iterations_at_once(body: Body):
    assert "f32x4" in rose.compile(gradient(body), dtype="f32", simd=True).disassemble()


@pytest.mark.parametrize("body", [a_product, a_short_list, a_short_softmax])
def test_programs_that_are_those_without_simd_in_single_precision(body: Body):
    plain, fast = [rose.compile(gradient(body), dtype="f32", simd=simd) for simd in (False, True)]
    assert plain.wasm == fast.wasm


@pytest.mark.parametrize("body", KEPT)
def test_programs_that_are_those_without_simd(body: Body):
    """Gathers, scatters and branches, and loops of few instructions or iterations."""
    assert rose.compile(gradient(body), simd=True).wasm == rose.compile(gradient(body)).wasm


def bits(x: Any) -> list[bytes]:
    return [np.asarray(y, dtype=float).tobytes() for y in (x if isinstance(x, tuple) else (x,))]


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("pays", [None, True])
@pytest.mark.parametrize("body", [*GAIN, *KEPT])
def test_all_keep_their_bits_to_second_order(
    body: Body, pays: bool | None, dtype: str, monkeypatch: pytest.MonkeyPatch
):
    """Also where pairs do not pay, and are done all the same."""
    f = fn([Vec[80]], Real)(body)
    fs: dict[str, Fn[..., Any]] = {"first": rose.value_and_grad(f), "second": rose.hvp(f)}
    x, v = [((7 * k % 11) - 5) / 6 for k in range(80)], [((3 * k % 7) - 3) / 4 for k in range(80)]
    plain = rose.compile(fs, dtype=dtype)
    if pays:
        monkeypatch.setattr(loops, "pays", lambda *_: True)
        monkeypatch.setattr(limits, "BRANCHING_CONDITIONS", 0)
    fast = rose.compile(fs, dtype=dtype, simd=True)
    for name, xs in (("first", (x,)), ("second", (x, v))):
        assert bits(getattr(fast, name)(*xs)) == bits(getattr(plain, name)(*xs))
        if dtype == "f64":
            with rose.eager():
                assert bits(getattr(plain, name)(*xs)) == bits(fs[name](*xs))


def estimates(body: Body, monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float]]:
    """Those of two iterations of each loop of a function: apart, and at once."""
    found: list[tuple[float, float]] = []

    def asked(plan: Any, sums: Any, loop: Any) -> bool:
        found.append(of_a_vector(plan, sums))
        return False

    monkeypatch.setattr(loops, "pays", asked)
    f = fn([Vec[80], Vec[80, rose.Fin[80]]], Real)(body).func
    lower({"f": optimised({"f": f}, simd=True)["f"]}, simd=True)
    return found


def test_arithmetic_at_once_costs_half(monkeypatch: pytest.MonkeyPatch):
    ((apart, once),) = estimates(lambda x, k: rose.sum(rose.sqrt(x[i]) / x[i] for i in rose.range(80)), monkeypatch)
    assert once < 0.6 * apart


@pytest.mark.parametrize(
    "body",
    [
        lambda x, k: rose.sum(x[k[i]] * x[i] for i in rose.range(80)),
        lambda x, k: rose.sum(x[9 * i] * x[i] for i in rose.range(8)),
        lambda x, k: rose.sum(rose.atan(x[i]) for i in rose.range(80)),
        lambda x, k: rose.sum(rose.select(k[i] < 40, x[i], 1.0) for i in rose.range(80)),
    ],
    ids=["a gather", "a column", "a function of one number", "a truth of indices"],
)
def test_what_is_done_in_each_lane_is_counted_for_each(body: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "UNROLLED_ITERATIONS", 0)
    ((apart, once),) = estimates(body, monkeypatch)
    assert once > 0.75 * apart


def added(n: int, *, often: bool) -> str:
    """A loop that adds to `n` elements, in another one, or alone."""

    def body(x: Any) -> Any:
        total = rose.accum(x)
        for j in rose.range(20) if often else [0]:
            for i in rose.range(n):
                total[i] += x[i] / (1.0 + x[i] ** 2) * x[j]
        return total.value

    return disassemble(lower({"f": fn([Vec[80]], Vec[80])(body).func}, simd=True).wasm)


def test_a_loop_that_is_run_often_must_win_what_its_vectors_wait_for_memory():
    assert "f64x2" in added(8, often=False) and "f64x2" not in added(8, often=True)
    assert "f64x2" in added(60, often=True)


def test_a_gain_that_is_less_than_the_estimate_errs_is_left(monkeypatch: pytest.MonkeyPatch):
    assert "f64x2" in added(60, often=False)
    monkeypatch.setattr(costs, "PAIRED_GAIN", 0.6)
    assert "f64x2" not in added(60, often=False)
