"""Reductions: sums of vectorised loops keep the order of the scalar ones."""

from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower
from wasm_backend.simd import loops

X = tuple([10.0 ** (k * 7 % 13 - 6) * (-1) ** k for k in range(64)])  # whose sum depends on the order


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch):
    """Loops are vectorised also where that does not pay."""
    monkeypatch.setattr(loops, "pays", lambda *_: True)


def agrees(f: Any) -> str:
    """The instructions of a module, after its bits were found to be those of the interpreter."""
    module = Module({"f": f}, simd=True)
    for _ in range(2):
        assert same(module["f"](X), run(f, X))
    return disassemble(lower({"f": f}, simd=True).wasm)


def test_a_total_is_added_to_in_the_order_of_the_iterations():
    text = agrees(fn([Vec[64]], Real)(lambda x: rose.sum(x[i] * x[i + 1] for i in rose.range(63))).func)
    assert text.count("f64x2.extract_lane") >= 2 and "f64x2.mul" in text


def test_two_totals_share_a_vector():
    def body(x: Any) -> Any:
        first, second = rose.accum(0.0), rose.accum(0.0)
        for i in rose.range(60):
            first += x[i] * 3.0
            second += x[i] / 3.0
        return [first.value, second.value]

    assert "i8x16.shuffle" in agrees(fn([Vec[64]], Vec[2])(body).func)


@pytest.mark.parametrize(("iterations", "also", "stay"), [(8, False, True), (8, True, False), (7, False, False)])
def test_two_totals_stay_in_their_vector_while_the_loops_around_run(iterations: int, also: bool, stay: bool):
    """Unless these loops use the totals elsewhere, as the last of an odd number of iterations does."""

    def body(x: Any) -> Any:
        first, second = rose.accum(0.0), rose.accum(0.0)
        for i in rose.range(20):
            for j in rose.range(19):
                for k in rose.range(iterations):
                    first += x[i + j + k] * x[k]
                    second += x[i + j + k] / 3.0
                if also:
                    second += x[i]
        return [first.value, second.value]

    text = agrees(fn([Vec[64]], Vec[2])(body).func)
    assert "i8x16.shuffle" in text
    assert (text.index("f64x2.replace_lane") < text.index("loop")) == stay


def test_elements_that_move_are_added_to_at_once():
    def body(x: Any) -> Any:
        total = rose.accum(x)
        for i in rose.range(60):
            total[i] += x[i + 1] * 2.0
        return total.value

    assert "v128.store" in agrees(fn([Vec[64]], Vec[64])(body).func)


def test_the_element_of_the_next_iteration_is_handed_on():
    def body(x: Any) -> Any:
        total = rose.accum(x)
        for i in rose.range(60):
            total[i] += x[i] * 2.0
            total[i + 1] += x[i + 3]
        return total.value

    agrees(fn([Vec[64]], Vec[64])(body).func)


@pytest.mark.parametrize(("step", "at_once"), [(1, False), (3, True)])
def test_neighbours_are_added_to_at_once_unless_the_next_iteration_reads_one_of_them(step: int, at_once: bool):
    """Else its load would be of numbers from two stores."""

    def body(x: Any) -> Any:
        total = rose.accum(x)
        for i in rose.range(20):
            for k in range(3):
                total[step * i + k] += x[i + k] * 2.0
            total[step * i] += x[i]
        return total.value

    assert ("v128.store" in agrees(fn([Vec[64]], Vec[64])(body).func)) == at_once


def test_elements_at_indices_that_are_read_are_added_to_one_after_the_other():
    def body(x: Any) -> Any:
        total = rose.accum([0.0] * 4)
        for i in rose.range(60):
            total[rose.constant(Vec[60, rose.Fin[4]], [k * k % 4 for k in range(60)])[i]] += x[i]
        return total.value

    agrees(fn([Vec[64]], Vec[4])(body).func)
