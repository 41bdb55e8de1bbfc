"""Naive code: longer, with the same bits; a fault of an analysis is told by comparison with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import naive_code
import pytest

import rose
from rose import Real, Vec, build
from rose.ir import Block
from wasm_backend import lower
from wasm_backend.codegen.liveness import Lives


def compared(f: rose.Fn[..., object]) -> Counter[str]:
    told = Counter[str]()
    with naive_code.beside(told):
        build.lowered({"f": f})
    return told


@rose.fn
def iterations(x: Real, y: Real) -> Real:
    for _ in range(4):
        x, y = x * y + x, x * x - y
    return x * y


class Early(Lives):
    """A fault: each value dies some instructions before its last use."""

    def __init__(self, body: Block) -> None:
        super().__init__(body)
        self.dies = {n - 3: values for n, values in self.dies.items()}


def test_a_local_that_is_given_back_too_early_is_told(monkeypatch: pytest.MonkeyPatch):
    assert compared(iterations)["numbers"] == len(naive_code.DRAWS)
    monkeypatch.setattr(lower, "ECONOMICAL", replace(lower.ECONOMICAL, lives=Early))
    with pytest.raises(AssertionError, match="by naive code"):
        compared(iterations)


def test_naive_code_is_longer_and_shares_no_memory():
    twice = rose.fn([Vec[8]], Vec[8])(lambda x: rose.sort(x) * rose.cumsum(x))
    f = rose.fn([Vec[8]], Real)(lambda x: rose.sum(twice(x) * twice(twice(x))))
    made, naive = (lower.lower({"f": f.func}, naive=naive) for naive in (False, True))
    assert len(naive.wasm) > len(made.wasm)
    assert naive.base > made.base
