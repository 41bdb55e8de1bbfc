"""Expressions: what is put on the stack."""

from typing import Any

from harness import compiled

import rose
from rose import Real, Vec, fn
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower


def body_of(f: Any, name: str = "f") -> list[str]:
    """The instructions of a function of a module."""
    text = disassemble(lower({"f": f.func}).wasm).split(f"func {name} ")[1].split("\nend")[0]
    return [line.strip() for line in text.splitlines()[1:]]


def test_an_expression_is_one_tree_on_the_stack():
    f = fn([Real, Real], Real)(lambda x, y: x * y + rose.sqrt(y))
    assert body_of(f) == ["local.get 0", "local.get 1", "f64.mul", "local.get 1", "f64.sqrt", "f64.add"]


def test_an_element_at_a_literal_index_is_a_load_with_an_offset():
    f = fn([Vec[9]], Real)(lambda x: x[3])
    assert body_of(f) == ["i32.const 0", "f64.load 40"]


def test_an_index_is_scaled_by_a_shift_or_a_product():
    element = fn([Vec[9], rose.Fin[9]], Real)(lambda x, i: x[i])
    assert "i32.shl" in body_of(element)
    of_three = fn([Vec[9, Vec[3]], rose.Fin[9]], Real)(lambda x, i: x[i][1])
    assert "i32.mul" in body_of(of_three)


def test_a_row_reads_its_arguments_as_its_column_names_them():
    f = fn([rose.Bool, Real, Real], Real)(rose.select)
    assert body_of(f) == ["local.get 1", "local.get 2", "local.get 0", "select"]
    assert compiled(f.func)(False, 1.0, 2.0) == 2.0


def test_what_an_array_chooses_in_a_loop_is_chosen_without_a_branch():
    """As an integer, to the bit; not what a condition of numbers chooses, nor in a scan, whose state would wait."""
    n, nan = 5, float("nan")
    total = fn([Vec[n, bool], Vec[n]], Real)(
        lambda m, x: rose.sum(rose.select(m[i], x[i], -0.0) for i in rose.range(n))
    )
    large = fn([Vec[40, bool], Vec[40]], Real)(
        lambda m, x: rose.sum(rose.select(m[i], x[i], 0.0) for i in rose.range(40))
    )
    steps = fn([Vec[40, bool], Vec[40]], Real)(
        lambda m, x: rose.scan(lambda i, s: rose.select(m[i], s * x[i], s), 1.0, 40)
    )
    signs = fn([Vec[40]], Real)(lambda x: rose.sum(rose.select(x[i] > 0.0, x[i], 0.0) for i in rose.range(40)))
    assert "f64.reinterpret_i64" in body_of(large)
    assert "f64.reinterpret_i64" not in [*body_of(steps), *body_of(signs)]
    chosen = fn([Vec[40, bool], Vec[40]], Vec[40])(
        lambda m, x: rose.vec(rose.select(m[i], x[i], -x[i]) for i in rose.range(40))
    )
    mask, xs = [k % 3 == 0 for k in range(40)], [0.0, -0.0, nan, float("inf"), 1.5] * 8
    got = compiled(chosen.func)(tuple(mask), tuple(xs))
    assert [str(x) for x in got] == [str(x if m else -x) for m, x in zip(mask, xs, strict=True)]
    assert str(compiled(total.func)((True, False) * 2 + (True,), (-0.0,) * n)) == "0.0"
