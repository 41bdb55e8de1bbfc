"""Billiards and the robot beside other tools: what is timed is checked first, and what is wrong is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.apps import __main__ as apps

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("steps", [1023, 681])
def test_ours_has_the_gradient_of_the_reference(steps: int, tmp_path: Path):
    process = apps.begun("ours", steps, tmp_path)
    try:
        found = apps.read(process)
        assert apps.checked(steps, found) == ""
        assert apps.asked(process, 1) > 0
        for k in range(len(found["answer"])) if steps == 1023 else (0, 1, 3712, 3750, 5757):
            wrong = [x + 1e-4 * (j == k) for j, x in enumerate(found["answer"])]
            assert "differs" in apps.checked(steps, {"answer": wrong}), k
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()


def test_a_loss_that_is_wrong_is_named():
    losses = list(apps.BILLIARDS["losses"])
    assert apps.wrong_losses(1023, losses) == ""
    losses[7] += 1e-8
    assert apps.wrong_losses(1023, losses).startswith("loss 7 is")
    robot = [*apps.ROBOTS["D"]["losses"], *[-0.45] * 89]
    assert apps.wrong_losses(681, robot) == ""
    assert apps.wrong_losses(681, [*robot[:-1], -0.39]) == "the last loss is -0.39"
    assert apps.wrong_losses(681, [float("nan"), *robot[1:]]).startswith("loss 0 is nan")


def test_a_tool_that_stops_has_no_answer():
    assert apps.checked(1023, {"error": "stopped"}) == "stopped"
