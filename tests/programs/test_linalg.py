"""Functions of matrices and their gradients, as `benchmarks/linalg.py` times them: all answers agree with NumPy's."""

from __future__ import annotations

import pytest

from benchmarks import linalg


def test_small_systems_have_numpys_answers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linalg, "ROWS", (2, 5))
    rows = linalg.small(1)
    assert [(name, n) for name, n, *_ in rows[:2]] == [("solve", 2), ("inv", 2)]
    assert len(rows) == 10 and all([theirs > 0.0 and ours > 0.0 for *_, theirs, ours in rows])


def test_gradients_are_those_of_formulas(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linalg, "LARGER", (6,))
    assert [(name, n, len(times)) for name, n, times in linalg.gradients(None, 1)] == [
        ("logdet", 6, 4),
        ("solve", 6, 4),
        ("svd", 6, 4),
    ]
