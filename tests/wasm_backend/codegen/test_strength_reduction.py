"""Strength reduction: which indices and pointers a loop has."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from optimising import HERE

import rose
from rose import Real, Vec, fn, ir
from rose.ir import FOR, INDEX, Func, Value
from rose.ir.callgraph import instructions
from wasm_backend.codegen import costs
from wasm_backend.codegen.costs import LOOP_POINTERS
from wasm_backend.codegen.liveness import Lives
from wasm_backend.codegen.register_promotion import RefUses
from wasm_backend.codegen.strength_reduction import IndexUses, Pointers, Step, step
from wasm_backend.lower import lower


def loop_of(f: Func) -> Value:
    (loop,) = [v for v in f.body.code if v.op is FOR]
    return loop


def pointers(f: Func) -> Pointers:
    return Pointers(loop_of(f), IndexUses(f.body, Lives(f).items))


def summed(body: Any, n: int = 10, size: int = 100) -> Func:
    return fn([Vec[size]], Real)(lambda x: rose.sum(body(x, i) for i in rose.range(n))).func


def test_an_index_is_affine_in_that_of_its_loop():
    f = summed(lambda x, i: x[4 * i + 3])
    loop = loop_of(f)
    (index,) = [
        v.args[1] for v in instructions(loop.attr) if v.type is rose.Real and len(v.args) == 2 and v.op.name == "index"
    ]
    assert step(index) == Step(loop.attr.params[0], 3, 4)
    assert step(loop.attr.params[0]) == Step(loop.attr.params[0], 0, 1)


def test_sums_of_sums_and_indices_from_the_end_are_affine_too():
    f = summed(lambda x, i: x[99 - 2 * (i + 1)] * x[2 * (3 * i + 1) + 4])
    made = [v.args[1] for v in instructions(loop_of(f).attr) if v.op is INDEX]
    assert [step(i) for i in made] == [Step(loop_of(f).attr.index, 97, -2), Step(loop_of(f).attr.index, 6, 6)]


def test_neighbours_share_a_pointer():
    assert list(pointers(summed(lambda x, i: x[i] * x[i + 1] * x[i + 7])).strides) == [8]


def test_each_distance_has_a_pointer_and_the_index_is_no_number():
    p = pointers(summed(lambda x, i: x[i] * x[4 * i]))
    assert list(p.strides) == [8, 32]
    assert p.index in p.unread


def test_the_pointer_of_a_loop_that_runs_backwards_falls():
    f = fn([Vec[12]], Real)(lambda x: rose.sum(x[i] * x[i + 2] for i in rose.range(9, -1, -1)))
    p = pointers(f.func)
    assert list(p.strides) == [-8] and p.index in p.unread


def test_an_index_that_is_a_number_is_multiplied_for_one_element_alone():
    assert list(pointers(summed(lambda x, i: x[i] * i)).strides) == []
    assert list(pointers(summed(lambda x, i: x[i] * x[i + 1] * i)).strides) == [8]


n = rose.dim("n")
FROM_THE_END: dict[str, Any] = {
    "alone": lambda x: rose.sum(x[39 - i] * x[39 - i] for i in rose.range(40)),
    "beside one from the start": lambda x: rose.sum(x[39 - i] * x[i] for i in rose.range(40)),
    "two at a time": lambda x: rose.sum(x[39 - 2 * i] * x[38 - 2 * i] for i in rose.range(20)),
    "a number too": lambda x: rose.sum(x[39 - i] * x[38 - i] * (38 - i) for i in rose.range(39)),
    "a vector": lambda x: rose.sum(rose.scan(lambda i, s: (s + x[i], s * x[39 - i]), 1.0, 40)[1]),
    "a state": lambda x: rose.scan(lambda i, s: s * x[i] + x[39 - i], 1.0, 40),
    "a dependent length": lambda x: rose.sum(
        rose.sum(x[38 - j] * x[39 - j] for j in rose.range(i, 30)) for i in rose.range(25)
    ),
    "the index of a loop around": lambda x: rose.sum(
        rose.sum(rose.sin(x[39 - i - j]) * x[39 - i] * x[j] for j in rose.range(8)) for i in rose.range(32)
    ),
    "rows": lambda x: rose.sum(
        rose.reshape(x, (8, 5))[7 - i][4 - j] * x[j] for i in rose.range(8) for j in rose.range(5)
    ),
}
DERIVED: dict[str, Any] = {
    "f": lambda f: f,
    "grad": rose.grad,
    "twice": lambda f: rose.grad(fn([Vec[40]], Real)(lambda x: rose.dot(rose.grad(f)(x), x))),
}


@pytest.mark.parametrize("simd", [False, True])
@pytest.mark.parametrize("derive", DERIVED.values(), ids=DERIVED)
@pytest.mark.parametrize("body", FROM_THE_END.values(), ids=FROM_THE_END)
def test_indices_from_the_end_give_the_bits_of_the_interpreter(
    body: Any, derive: Any, simd: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(costs, "STOP_INSTRUCTIONS", 160)  # so that even these loops are cut into pieces
    monkeypatch.setattr(costs, "STOP_ITERATION", 10)
    f, x = derive(fn([Vec[40]], Real)(body)), np.linspace(0.3, 1.1, 40)
    with rose.eager():
        want = np.asarray(f(x))
    assert np.asarray(rose.compile(f, simd=simd)(x)).tobytes() == want.tobytes()


@pytest.mark.parametrize("k", [0, 1, 2, 7])
def test_indices_from_the_end_of_any_size(k: int):
    f = fn([Vec[n], Vec[n]], Real)(lambda x, y: rose.sum(x[n - 1 - i] * y[n - 1 - i] for i in rose.range(n)))
    x, y = np.linspace(0.3, 1.1, k), np.linspace(1.0, 2.0, k)
    module, alone = rose.compile(rose.grad(f), dynamic=True), rose.compile(rose.grad(f), n=k)
    assert np.asarray(module(x, y)).tobytes() == np.asarray(alone(x, y)).tobytes() == y.tobytes()


def test_there_are_few_pointers_and_then_the_index_is_a_number():
    p = pointers(summed(lambda x, i: x[i] * x[2 * i] * x[3 * i] * x[4 * i] * x[5 * i]))
    assert len(p.strides) == LOOP_POINTERS
    assert p.index not in p.unread


def test_an_index_of_another_loop_has_no_pointer():
    f = fn([Vec[9], rose.Fin[9]], Real)(lambda x, k: rose.sum(x[k] + rose.sin(i * 1.0) for i in rose.range(5)))
    assert list(pointers(f.func).strides) == []


def nest(depth: int) -> Func:
    """Loops in one another, each of which adds an element of a vector to one of another."""
    with ir.building("f") as b:
        b.loc = HERE
        x, total = b.param(Vec[3]), b.accum(b.zero(Vec[3]))
        loops = [b.nested() for _ in range(depth)]
        blocks: list[ir.Block] = []
        for loop in loops:
            blocks.append(loop.__enter__())
            i = b.param(rose.Fin[3])
            b.add_to(b.at(total, i), b.index(x, i))
        for loop, block in zip(reversed(loops), reversed(blocks), strict=True):
            block.results = (b.unit(),)
            loop.__exit__(None, None, None)
            b.close(block, ())
        return b.func(b.freeze(total))


@pytest.mark.parametrize("depth", [3, 60])
def test_loops_in_one_another_are_walked_once(depth: int, monkeypatch: pytest.MonkeyPatch):
    walks = Counter[str]()
    for kind in (IndexUses, RefUses):

        def counted(self: Any, block: Any, visit: Any = kind.__dict__["_visit"], name: str = kind.__name__) -> None:
            walks[name] += 1
            visit(self, block)

        monkeypatch.setattr(kind, "_visit", counted)
    lower({"f": nest(depth)})
    assert walks == {"IndexUses": depth + 1, "RefUses": depth + 1}


def test_an_index_that_is_also_a_number_stays_one_in_loops_in_one_another():
    f = fn([Vec[9]], Real)(lambda x: rose.sum(rose.sum(x[i] * x[j] * i for j in rose.range(4)) for i in rose.range(5)))
    outer = pointers(f.func)
    assert outer.index not in outer.unread
