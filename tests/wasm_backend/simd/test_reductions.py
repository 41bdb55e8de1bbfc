"""Reductions: sums of vectorised loops keep the order of the scalar ones."""

from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir.libm import nearest
from rose.optimise.single_precision import to_single
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower
from wasm_backend.simd import loops

X = tuple([10.0 ** (k * 7 % 13 - 6) * (-1) ** k for k in range(64)])  # whose sum depends on the order


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch):
    """Loops are vectorised also where that does not pay."""
    monkeypatch.setattr(loops, "pays", lambda *_: True)


def agrees(f: Any, *, single: bool = False) -> str:
    """The instructions of a module, after its bits were found to be those of the interpreter."""
    f = to_single(f) if single else f
    x = tuple(map(nearest, X)) if single else X
    module = Module({"f": f}, simd=True, single=single)
    for _ in range(2):
        assert same(module["f"](x), run(f, x))
    return disassemble(lower({"f": f}, simd=True, single=single).wasm)


EACH = pytest.mark.parametrize(("single", "vectors"), [(False, "f64x2"), (True, "f32x4")])


@EACH
def test_a_total_is_added_to_in_the_order_of_the_iterations(single: bool, vectors: str):
    f = fn([Vec[64]], Real)(lambda x: rose.sum(x[i] * x[i + 1] for i in rose.range(63)))
    text = agrees(f.func, single=single)
    assert text.count(f"{vectors}.extract_lane") >= 2 and f"{vectors}.mul" in text


@EACH
def test_two_totals_share_a_vector(single: bool, vectors: str):
    def body(x: Any) -> Any:
        first, second = rose.accum(0.0), rose.accum(0.0)
        for i in rose.range(60):
            first += x[i] * 3.0
            second += x[i] / 3.0
        return [first.value, second.value]

    text = agrees(fn([Vec[64]], Vec[2])(body).func, single=single)
    assert "i8x16.shuffle" in text and f"{vectors}.add" in text


@pytest.mark.parametrize("single", [False, True])
def test_products_of_columns_side_by_side_are_added_at_once(single: bool):
    """A sum in each lane: of two columns, or of four."""

    def body(x: Any) -> Any:
        totals = [rose.accum(0.0) for _ in range(4)]
        for i in rose.range(12):
            for k in range(4):
                totals[k] += x[63 - i] * x[4 * i + k]
        return [t.value for t in totals]

    text = agrees(fn([Vec[64]], Vec[4])(body).func, single=single)
    assert text.count("f32x4.mul" if single else "f64x2.mul") == 4 and "extract_lane" not in text.partition("end")[0]


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


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("ahead", [1, 2, 3, 4])
def test_the_element_of_a_later_iteration_is_handed_on(ahead: int, single: bool):
    def body(x: Any, turned: bool) -> Any:
        y = rose.vec(rose.sin(x[i]) for i in rose.range(64))
        total = rose.accum(y)
        for i in rose.range(59):
            adds = [(i, y[i] * 0.7), (i + ahead, y[i + 3] * 1.3)]
            for at, number in reversed(adds) if turned else adds:
                total[at] += number
        return total.value

    for turned in (False, True):
        agrees(fn([Vec[64]], Vec[64])(lambda x, turned=turned: body(x, turned)).func, single=single)


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
