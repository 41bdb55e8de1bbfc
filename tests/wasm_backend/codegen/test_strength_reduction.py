"""Strength reduction: which indices and pointers a loop has."""

from typing import Any

import rose
from rose import Real, Vec, fn
from rose.ir import FOR, Func, Value
from rose.ir.callgraph import instructions
from wasm_backend.codegen.liveness import Lives
from wasm_backend.codegen.strength_reduction import MOST, Pointers, Step, step


def loop_of(f: Func) -> Value:
    (loop,) = [v for v in f.body.code if v.op is FOR]
    return loop


def pointers(f: Func) -> Pointers:
    return Pointers(loop_of(f), Lives(f.body).items)


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


def test_neighbours_share_a_pointer():
    assert list(pointers(summed(lambda x, i: x[i] * x[i + 1] * x[i + 7])).strides) == [8]


def test_each_distance_has_a_pointer_and_the_index_is_no_number():
    p = pointers(summed(lambda x, i: x[i] * x[4 * i]))
    assert list(p.strides) == [8, 32]
    assert p.index in p.unread


def test_there_are_few_pointers_and_then_the_index_is_a_number():
    p = pointers(summed(lambda x, i: x[i] * x[2 * i] * x[3 * i] * x[4 * i] * x[5 * i]))
    assert len(p.strides) == MOST
    assert p.index not in p.unread


def test_an_index_of_another_loop_has_no_pointer():
    f = fn([Vec[9], rose.Fin[9]], Real)(lambda x, k: rose.sum(x[k] + rose.sin(i * 1.0) for i in rose.range(5)))
    assert list(pointers(f.func).strides) == []
