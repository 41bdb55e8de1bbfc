"""A fixture for tests of one pass."""

import pytest

from rose.optimise import scalar_replacement, unrolling


@pytest.fixture
def rolled(monkeypatch: pytest.MonkeyPatch):
    """Loops stay loops, and rows rows: those in tests are short. What becomes of such is in test_unrolling.py."""
    monkeypatch.setattr(unrolling, "TURNS", 0)
    monkeypatch.setattr(scalar_replacement, "LARGEST", 8)
