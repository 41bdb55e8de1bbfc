"""Functions of matrices and their gradients, as `linalg.py` and `krylov.py` of `benchmarks` time them.

All answers agree with NumPy's and SciPy's.
"""

from __future__ import annotations

import pytest

from benchmarks import krylov, linalg


def test_small_systems_have_numpys_answers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linalg, "ROWS", (2, 5))
    rows = linalg.small(1)
    assert [(name, n) for name, n, *_ in rows[:2]] == [("solve", 2), ("inv", 2)]
    assert len(rows) == 10 and all([theirs > 0.0 and ours > 0.0 for *_, theirs, ours in rows])


def test_stacks_of_systems_have_numpys_answers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linalg, "ROWS", (2, 5))
    monkeypatch.setattr(linalg, "STACK", 7)
    rows = linalg.stacks(1)
    assert [name for name, *_ in rows] == ["solve", "inv", "det", "eigh"] * 2
    assert all([theirs > 0.0 and ours > 0.0 for *_, theirs, ours in rows])


def test_solutions_by_iterations_are_those_of_scipy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(krylov, "SIDE", 6)
    rows = krylov.measure(1)
    assert [(row.method, row.what, len(row.ours)) for row in rows] == [
        (method, what, 3) for method in ("cg", "gmres") for what in ("value", "gradient")
    ]


def test_gradients_are_those_of_formulas(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linalg, "LARGER", (6,))
    assert [(name, n, len(times)) for name, n, times in linalg.gradients(None, 1)] == [
        ("logdet", 6, 4),
        ("solve", 6, 4),
        ("svd", 6, 4),
    ]
