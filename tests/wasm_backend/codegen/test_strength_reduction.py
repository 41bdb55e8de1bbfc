"""Strength reduction: which indices and pointers a loop has."""

from collections import Counter
from typing import Any

import pytest
from optimising import HERE

import rose
from rose import Real, Vec, fn, ir
from rose.ir import FOR, Func, Value
from rose.ir.callgraph import instructions
from wasm_backend.codegen.costs import LOOP_POINTERS
from wasm_backend.codegen.liveness import Lives
from wasm_backend.codegen.register_promotion import RefUses
from wasm_backend.codegen.strength_reduction import IndexUses, Pointers, Step, step
from wasm_backend.lower import lower


def loop_of(f: Func) -> Value:
    (loop,) = [v for v in f.body.code if v.op is FOR]
    return loop


def pointers(f: Func) -> Pointers:
    return Pointers(loop_of(f), IndexUses(f.body, Lives(f.body).items))


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
