"""`rose serve`: files, types, headers, and ports that are taken."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path

import pytest
from command_line import said
from paths import ROOT
from processes import INTERRUPTIBLE


@contextmanager
def served(folder: Path, *options: str) -> Generator[tuple[str, subprocess.Popen[str]]]:
    """The address of a server of a directory, and its process."""
    command = [sys.executable, "-m", "rose", "serve", str(folder), "--port", "0", *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, env=env, **INTERRUPTIBLE) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def got(url: str) -> HTTPResponse:
    return urllib.request.urlopen(url, timeout=20)


def test_serve(tmp_path: Path):
    for name in ("a.wasm", "b.js", "c.mjs", "d.d.ts", "index.html", "e.wasm.map", "f.py", "g.css", "h.svg"):
        (tmp_path / name).write_bytes(b"\0asm" if name == "a.wasm" else b"x")
    (tmp_path.parent / "secret.txt").write_text("no")
    with served(tmp_path) as (url, process):
        assert url.startswith("http://127.0.0.1:")
        kinds = {
            "a.wasm": "application/wasm", "b.js": "text/javascript; charset=utf-8",
            "c.mjs": "text/javascript; charset=utf-8", "d.d.ts": "text/plain; charset=utf-8",
            "": "text/html; charset=utf-8", "e.wasm.map": "application/json", "f.py": "text/plain; charset=utf-8",
            "g.css": "text/css; charset=utf-8", "h.svg": "image/svg+xml",
        }  # fmt: skip
        for name, kind in kinds.items():
            with got(url + name) as answer:
                assert answer.headers["Content-Type"] == kind, name
                assert answer.headers["Cache-Control"] == "no-store"
                assert answer.headers["Content-Security-Policy"] is None
        for path in ("nothing", "../secret.txt", "%2e%2e/secret.txt"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                got(url + path)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "Traceback" not in err
        assert '"GET /a.wasm HTTP/1.1" 200' in err


def test_serve_with_a_strict_policy(tmp_path: Path):
    with served(tmp_path, "--csp", "--quiet") as (url, process):
        with got(url) as answer:
            policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self' 'wasm-unsafe-eval'" in policy
        assert "unsafe-inline" not in policy
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[1] == ""


def test_serve_answers_while_another_answer_waits(tmp_path: Path):
    with served(tmp_path, "-q") as (url, _):
        host, port = url.removeprefix("http://").strip("/").split(":")
        with socket.create_connection((host, int(port))) as waiting:
            waiting.sendall(b"GET / HTTP/1.1\r\n")  # and no more
            with got(url) as answer:
                assert answer.status == 200


def test_serve_where_it_cannot(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert said(capsys, "serve", tmp_path / "nothing")[0] == 2
    with served(tmp_path) as (url, _):
        port = url.strip("/").rpartition(":")[2]
        code, _, err = said(capsys, "serve", tmp_path, "--port", port)
        assert code == 2
        assert f"cannot serve at 127.0.0.1:{port}: " in err
        assert "ddress" in err
    assert said(capsys, "serve", tmp_path, "--port", "66000")[0] == 2
