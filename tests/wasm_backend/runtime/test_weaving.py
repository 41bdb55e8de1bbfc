"""Weaving: where numbers of rows lie, and rows that come back as they were."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Bool, Real, Vec, fn
from rose.ir.types import Bool as B
from rose.ir.types import Fin, Tuple
from rose.ir.types import Real as R
from rose.ir.types import Vec as V
from wasm_backend.runtime.batch import AtOnceWhereItPays
from wasm_backend.runtime.weaving import Run, runs, too_many_runs


def test_numbers_of_one_type_are_one_run():
    assert [*runs(V(2, V(3, R)), 8, 32)] == [Run(R, 6, 8, 32)]
    t = Tuple((B, V(2, R), Fin(3)), None)
    assert [*runs(t)] == [Run(B, 1, 0, 0), Run(R, 2, 8, 16), Run(Fin(3), 1, 24, 48)]
    assert [r.to for r in runs(V(2, t))] == [0, 16, 48, 64, 80, 112]
    assert too_many_runs([V(30, t)]) and not too_many_runs([V(20, t)])


@rose.struct
class Body:
    on: Bool
    at: Vec[20]
    w: Real
    path: Vec[2, Vec[2]]


@fn
def turned(b: Body, up: Bool, by: Real) -> Body:
    at = rose.vec(b.at[19 - i] * by for i in rose.range(20))
    return Body(b.on ^ up, at, b.w + by, [b.path[1], b.path[0]])


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_rows_of_structs_are_woven_and_parted(dtype: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(AtOnceWhereItPays, "_measured", lambda *_: True)
    r, n, kind = np.random.default_rng(0), 67, "f4" if dtype == "f32" else "f8"
    real = lambda *shape: r.normal(size=(n, *shape)).astype(kind)
    args = Body(r.random(n) > 0.5, real(20), real(), real(2, 2)), r.random(n) > 0.5, real()
    several, one = [rose.compile(turned, dtype=dtype, simd=simd) for simd in (True, False)]
    got, wanted = several.map(*args), one.map(*args)
    for name in ("on", "at", "w", "path"):
        assert np.array_equal(getattr(got, name), getattr(wanted, name)), name
    assert several.running.batch.loop((), (False,) * 3).at_once.pays
