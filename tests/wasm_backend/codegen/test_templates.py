"""Templates: the `wasm` column of each row, encoded."""

import pytest

from rose.ir import OPS, Op
from rose.ir.ops import add, sin
from wasm_backend.binary.encoder import instruction
from wasm_backend.codegen.templates import PLAIN, template

WITH_CODE = [op for op in OPS.values() if op.wasm]


def test_a_plain_row_is_its_bytes_after_its_arguments():
    assert PLAIN[add] == instruction("f64.add")


def test_a_row_of_the_library_is_a_call():
    assert template(sin) == ("sin",)
    assert sin not in PLAIN


@pytest.mark.parametrize("op", WITH_CODE, ids=lambda op: op.name)
def test_a_template_names_each_argument_or_none(op: Op):
    arguments = {x for x in template(op) if isinstance(x, int)}
    assert arguments in (set(), set(range(op.type.__code__.co_argcount)))
