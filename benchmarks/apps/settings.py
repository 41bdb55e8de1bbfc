"""The constants of the two simulations of DiffTaichi, as its `billiards.py` and `mass_spring.py` have them."""

from __future__ import annotations

from types import SimpleNamespace

BILLIARDS = SimpleNamespace(
    dt=0.003, radius=0.03, elasticity=0.8, goal=(0.9, 0.75), shot=(0.1, 0.5, 0.3, 0.0), rate=0.01, layers=4
)
ROBOT = SimpleNamespace(
    dt=0.004, gravity=-4.8, damping=15, ground=0.1, waves=10, hidden=32, goal=(0.9, 0.2), rate=0.2
)  # fmt: skip


def rack():
    """Where the balls other than the cue ball lie."""
    r = BILLIARDS.radius
    return [[i * 2 * r + 0.5, j * 2 * r + 0.5 - i * r * 0.7] for i in range(BILLIARDS.layers) for j in range(i + 1)]
