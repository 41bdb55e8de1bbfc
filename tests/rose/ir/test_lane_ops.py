"""The rows over several elements at once: types, meaning, and instructions."""

from __future__ import annotations

import pytest

from rose.ir import OPS, building
from rose.ir.lane_ops import BORROW, SPLATS, any_of, lane_op
from rose.ir.ops import add, copysign, exp, imod, lt, reached, select
from rose.ir.single_ops import twin_of
from rose.ir.types import Bool, Fin, Four, Mask, Pair, Real, Single, Tuple, Vec, lane, lanes


def test_a_type_of_several_elements_has_the_same_shape():
    t = Tuple((Vec(3, Real), Bool, Fin(4)), None)
    assert lanes(t) is Tuple((Vec(3, Pair), Mask, Fin(4)), None) and lane(lanes(t)) is t
    assert lanes(Single) is Four and lane(Four) is Single


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.eval is not None and op.wasm and "f64" in op.wasm])
def test_each_row_of_numbers_has_a_twin(op):
    for of in (op, twin_of(op)):
        twin = lane_op(of)
        assert twin is not None or "i32" in of.wasm or "trunc_sat" in of.wasm or "convert" in of.wasm, of
        assert twin is None or (twin.eval is of.eval and twin.name == of.name)


def test_a_twin_takes_several_elements_and_nothing_else():
    twin = lane_op(lt)
    assert twin is not None
    with building("f") as b:
        x, y = b.param(Pair), b.param(Real)
        assert twin.type(x, x) is Mask and twin.type(x, y) is None
        c = b.emit(twin, (x, x))
        assert any_of.type(c) is Bool and SPLATS[Real].type(y) is Pair and BORROW[Pair].type(c, x) is Pair


def test_the_instructions_of_a_twin_are_those_of_vectors():
    wasm = {op: twin.wasm for op in (add, copysign, exp, reached, select) if (twin := lane_op(op)) is not None}
    assert wasm[add] == "f64x2.add" and wasm[exp] == "twice call exp"
    assert wasm[select] == "$1, $2, $0, v128.bitselect"
    assert wasm[reached] == "f64x2.const -0, i64x2.ne"
    assert wasm[copysign].endswith("f64x2.copysign") and lane_op(imod) is None
