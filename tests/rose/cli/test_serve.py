"""`rose serve`: files, types, headers, and ports that are taken."""

from __future__ import annotations

import gzip
import os
import re
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


def asked(url: str, path: str, host: str | None = None, method: str = "GET") -> tuple[int, str]:
    """The status and the body of an answer to a request for just this path, which no client made pretty."""
    address = url.removeprefix("http://").strip("/")
    name, port = address.split(":")
    with socket.create_connection((name, int(port)), timeout=20) as made:
        made.sendall(f"{method} {path} HTTP/1.0\r\nHost: {host or address}\r\n\r\n".encode())
        head, _, body = made.makefile("rb").read().decode().partition("\r\n\r\n")
    return int(head.split()[1]), body


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """A directory to serve, with what must not be served in it and around it."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "index.html").write_text("secret")
    public = tmp_path / "public"
    for folder in ("", ".git", "sub", "empty"):
        (public / folder).mkdir(exist_ok=True)
    for file in (".env", ".git/config", "a<b>.js", "sub/index.html"):
        (public / file).write_text("secret" if file[0] == "." else "open")
    for name, to in (("out", "../secret"), ("file", "../secret/index.html"), ("loop", "loop"), ("in", "sub")):
        (public / name).symlink_to(to)
    (public / "empty" / "index.html").symlink_to("../../secret/index.html")
    return public


HIDDEN = ["/.env", "/.git/", "/.git/config", "/%2eenv", "/sub/..%2f.env", "/out/", "/out/index.html", "/file", "/loop",
          "/empty/", "/%00", "/a%00.js", "/../secret/index.html", "/%2e%2e/secret/index.html", "//../secret/index.html",
          "/..%5csecret", f"/{'x' * 5000}", "/sub/%00/"]  # fmt: skip


def test_serve_hides_what_begins_with_a_dot_or_lies_outside(secrets: Path):
    with served(secrets) as (url, process):
        for path in HIDDEN:
            assert asked(url, path)[0] == 404 and asked(url, path, method="HEAD")[0] == 404, path
        assert asked(url, "/in/") == asked(url, "/sub/?x#y") == (200, "open")
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in process.communicate(timeout=20)[1]


def test_serve_lists_what_it_serves(secrets: Path):
    with served(secrets, "-q") as (url, _):
        status, page = asked(url, "/")
        assert status == 200
        assert re.findall('href="([^"]*)"', page) == ["a%3Cb%3E.js", "empty/", "in/", "sub/"]
        assert "a&lt;b&gt;.js" in page


def test_serve_answers_only_to_its_own_names(secrets: Path):
    with served(secrets, "-q") as (url, _):
        port = url.strip("/").rpartition(":")[2]
        for host in ("localhost", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
            assert asked(url, "/sub/", host) == (200, "open")
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost@evil", " "):
            assert asked(url, "/sub/", host)[0] == 421
    with served(secrets, "-q", "--host", "0.0.0.0") as (url, _):
        assert asked(url.replace("0.0.0.0", "127.0.0.1"), "/sub/", "my-machine.local")[0] == 200


def test_serve_compresses_and_tells_what_comes_next(tmp_path: Path):
    (tmp_path / "index.html").write_text('<script type="module" src="page.js"></script>')
    (tmp_path / "page.js").write_text("// a page\n" * 100)
    (tmp_path / "README.md").write_text("# A package\n")
    with served(tmp_path, "-q") as (url, _):

        def head(path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            with urllib.request.urlopen(urllib.request.Request(url + path, headers=named), timeout=20) as answer:
                return answer, answer.read()

        packed, body = head("page.js", Accept_Encoding="gzip, br")
        assert packed.headers["Content-Encoding"] == "gzip" and int(packed.headers["Content-Length"]) == len(body)
        assert gzip.decompress(body) == b"// a page\n" * 100
        for encoding in ("identity", "br", "gzip;q=0"):
            assert head("page.js", Accept_Encoding=encoding)[0].headers["Content-Encoding"] is None
        assert head("")[0].headers["Link"] == "</page.js>; rel=modulepreload"
        assert head("README.md")[1] == b"# A package\n"
        page, body = head("README.md", Accept="text/html,*/*")
        assert page.headers["Content-Type"] == "text/html; charset=utf-8" and b"<h1>A package</h1>" in body
