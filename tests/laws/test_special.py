"""Special functions have the same bits everywhere: in the interpreter, under wasmtime, and in node.

For each row that is a function of xsf, a value at drawn points, and at all tuples of special values.
"""

from __future__ import annotations

import functools
import math
import random
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import bits, same
from same_bits import entry, in_node

import rose
from rose import Vec, special
from rose.host.interpreter import run
from rose.ir.value import SPECIALS

pytestmark = pytest.mark.slow

assert special.jv in SPECIALS.values()  # they were read
ROWS = {name: op for name, op in SPECIALS.items() if op.library}
VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 40.0, math.inf, -math.inf, math.nan]
FEW = [0.0, 1.0, -2.5, 0.5, math.inf, math.nan]
COUNT = 200


def arity(name: str) -> int:
    return len(ROWS[name].jvp or ())


def points(name: str) -> list[tuple[float, ...]]:
    r, n = random.Random(name), arity(name)
    out = list(product(VALUES if n < 3 else FEW, repeat=n)) if n < 4 else []
    for _ in range(COUNT):
        size = r.choice([1.0, 10.0, 60.0])
        p = [r.uniform(-size, size) for _ in range(n)]
        out.append(tuple([float(round(x)) if r.random() < 0.2 else x for x in p]))
    return out


@functools.cache
def sweep(name: str) -> Any:
    f, n, count = ROWS[name], arity(name), len(points(name))
    row = lambda p: [f(*[p[j] for j in range(n)])]
    return rose.fn([Vec[count, Vec[n]]], Vec[count, Vec[1]])(
        lambda ps: rose.vec(row(ps[i]) for i in rose.range(count))
    )  # fmt: skip


@functools.cache
def under_wasmtime(name: str) -> Any:
    return rose.compile({"sweep": sweep(name)})(np.array(points(name)))


@pytest.mark.parametrize("name", ROWS)
def test_the_interpreter_and_wasmtime_agree(name: str):
    at, got = points(name), under_wasmtime(name).tolist()
    wanted = run(sweep(name).func, tuple(at))
    wrong = [(p, bits(y), bits(tuple(z))) for p, y, z in zip(at, wanted, got, strict=True) if not same(y, tuple(z))]
    assert not wrong, f"{len(wrong)} points, such as {wrong[:3]}"


def test_node_agrees(tmp_path: Path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed, so its bits are not compared")
    compared, wrong = in_node(
        [entry(name, sweep(name), points(name), under_wasmtime(name)) for name in ROWS], tmp_path
    )  # fmt: skip
    assert not wrong
    assert compared == [[name, len(points(name))] for name in ROWS]
