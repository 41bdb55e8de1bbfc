"""A fixture for tests of one pass."""

import pytest

from rose.optimise import costs


@pytest.fixture
def rolled(monkeypatch: pytest.MonkeyPatch):
    """Loops stay loops, and rows rows: those in tests are short. What becomes of such is in test_unrolling.py."""
    monkeypatch.setattr(costs, "UNROLLED_ITERATIONS", 0)
    monkeypatch.setattr(costs, "REPLACED_NUMBERS", 8)
