"""The answers to the hooks of the IR."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Real
from rose.build import RUNTIME
from rose.frontend.meanings import MEANINGS
from rose.functional import algebra
from rose.hooks import Above
from rose.ir.hooks import above


def test_each_is_of_the_room_that_has_it():
    assert isinstance(above(), Above)
    assert (above().runtime, above().algebra, above().meanings) == (RUNTIME, algebra, MEANINGS)


def test_numpys_linear_algebra_is_ours():
    assert all([hasattr(np.linalg, name.removeprefix("linalg.")) or hasattr(np, name) for name in above().numpys])
    assert above().numpys["linalg.det"] is rose.linalg.det


def test_functions_are_verified_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    seen: list[object] = []
    monkeypatch.setattr(Above, "verify", property(lambda _: seen.append))
    f = rose.fn([Real], Real)(lambda x: x + 1.0).func
    assert f in seen
