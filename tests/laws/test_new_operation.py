"""A new operation is known everywhere: each test names the place where one is missing.

Beside its row and its name in `__all__` of `rose/ir/ops.py`, an operation needs its name in `web/docs/library.md`
(`test_documents.py` asks for that), and in `tests/support/operations.py` what tests compare it with.
"""

from __future__ import annotations

import inspect
import math
import re

import numpy as np
import operations
import pytest
import random_programs
import second_semantics

import rose
from rose.errors.numpy_names import INSTEAD
from rose.ir import OPS

# Rows that are written with Python's operators, that make or compare indices, or that only passes write.
UNNAMED = """
    neg add sub mul div mod eq ne lt le not and or xor iadd imul idiv imod ifrom ibeyond ixor ilow ihigh ieq ilt ile
    real itrunc more reached
""".split()
NAMED = [op.name for op in OPS.values() if (op.wasm or op.expand) and op.name not in UNNAMED]
each = pytest.mark.parametrize("name", NAMED)


@each
def test_an_operation_is_a_public_name(name: str):
    assert name in rose.__all__, f"__all__ of rose/ir/ops.py lacks {name}"
    assert callable(getattr(rose, name))


@each
def test_an_operation_of_math_or_numpy_is_hinted_at(name: str):
    if hasattr(math, name) or hasattr(np, name):
        assert name in INSTEAD, f"_SAME of rose/errors/numpy_names.py lacks {name}"


@each
def test_an_operation_has_a_second_meaning(name: str):
    assert hasattr(second_semantics.Meaning, name), f"MEANINGS of tests/support/operations.py lacks {name}"


@each
def test_an_operation_is_in_random_programs(name: str):
    missing = f"MATHEMATICS of tests/support/operations.py lacks {name}"
    text = inspect.getsource(random_programs) + inspect.getsource(operations)
    assert re.search(rf"rose\.{name}\(|\"{name}\"", text), missing
