"""`rose doctor`: a machine with everything, with little, and with something wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import said

from rose.cli import doctor


def test_doctor(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(tmp_path / "cache"))
    code, out, err = said(capsys, "doctor")
    assert (code, err) == (0, "")
    assert f"ok       Python {sys.version.split()[0]} on " in out
    assert "are right in wasmtime\n" in out
    assert f"compiled modules are kept in {tmp_path / 'cache' / 'rose-machine-code'}: 0 of them, 0.0 MB\n" in out


def test_doctor_where_little_is_there(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", "")
    monkeypatch.setenv("PATH", "/nowhere")
    code, out, _ = said(capsys, "doctor")
    assert code == 0
    assert [line.split()[1] for line in out.splitlines() if line.startswith("missing")] == ["node:", "a", "compiled"]


def test_doctor_where_something_is_wrong(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    def version(name: str) -> str | None:
        return None if name == "numpy" else "1.0"

    monkeypatch.setattr(doctor, "_version", version)
    monkeypatch.setattr(doctor, "_slope", lambda x: 2.0)  # pyright: ignore
    code, out, _ = said(capsys, "doctor")
    assert code == 1
    assert "wrong    numpy is not installed, which has the arrays that go in and out: pip install numpy\n" in out
    assert "and not (" in out


def test_doctor_finds_a_node_with_other_bits(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    node = tmp_path / "node"
    node.write_text(f"#!{sys.executable}\nimport sys\nprint('v20.0.0' if '--version' in sys.argv else '00')\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, _ = said(capsys, "doctor")
    assert code == 1
    assert "wrong    a function and its gradient have the bits 00 in node, and " in out
