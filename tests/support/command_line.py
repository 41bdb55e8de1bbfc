"""Running `rose` in this process."""

from __future__ import annotations

from typing import cast

import pytest

from rose.cli import commands


def said(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    """The exit code of a command, and what it says."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as e:
        commands.main([str(a) for a in args], prog_name="rose")
    out, err = capsys.readouterr()
    return cast("int", e.value.code or 0), out, err
