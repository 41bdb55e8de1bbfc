"""The heap: memory for the tapes of loops of unknown length."""

import pytest
import wasmtime
from harness import Module, compiled, same

import rose
from rose import Real, fn
from rose.host.interpreter import run
from rose.ir.types import Real as Number
from rose.ir.types import Stack, Vec, tuple_of
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.codegen.heap import HEADER, node, node_size
from wasm_backend.lower import lower


@fn
def grown(x: Real) -> Real:
    return rose.while_loop(lambda s: s < 1e4, lambda s: s * x + rose.sqrt(s), 2.0 * x)


GRAD = rose.grad(grown).func
ENDLESS = rose.grad(fn([Real], Real)(lambda x: rose.while_loop(lambda s: s > -x, lambda s: rose.sin(s) + x, x))).func


def test_a_node_is_two_words_an_item_and_the_stack_below():
    t = Stack(tuple_of(Number, Vec(3, Number)))
    assert node(t).items == (t.elem, t)
    assert node_size(t) == HEADER + 40


def test_a_tape_grows_as_long_as_its_loop_runs():
    f = compiled(GRAD)
    for x in (2.0, 1.001, 1.5):
        assert same(f(x), run(GRAD, x))


def test_memory_is_given_back_by_the_next_call():
    module = Module({"f": GRAD})
    module["f"](1.001)
    before = module.memory.size(module.store)
    for _ in range(100):
        module["f"](1.001)
    assert module.memory.size(module.store) == before


def test_a_tape_has_its_limit_or_little_more():
    for limit in (2**17, 2**20):
        module = Module({"f": ENDLESS}, tape_limit=limit)
        with pytest.raises(wasmtime.Trap):
            module["f"](1.0)
        assert limit <= module.memory.data_len(module.store) <= 2 * limit


def test_a_tape_that_fits_into_its_limit_is_kept():
    assert same(Module({"f": GRAD}, tape_limit=2**17)["f"](1.5), run(GRAD, 1.5))


def test_a_module_without_stacks_has_no_heap():
    assert "func alloc" not in disassemble(lower({"f": grown.func}).wasm)
    assert "func alloc" in disassemble(lower({"f": GRAD}).wasm)
