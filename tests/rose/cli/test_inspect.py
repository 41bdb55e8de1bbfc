"""What `rose inspect`, `rose serve` and `rose doctor` say and do."""

import gzip
import json
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
from typing import cast

import pytest
import wasmtime
from paths import ROOT
from processes import INTERRUPTIBLE

import rose
from rose import Real, Vec
from rose.cli import commands, doctor
from wasm_backend.binary.inspector import anatomy


def said(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    """The exit code of a command, and what it says."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as e:
        commands.main([str(a) for a in args], prog_name="rose")
    out, err = capsys.readouterr()
    return cast("int", e.value.code or 0), out, err


@pytest.fixture
def made(tmp_path: Path) -> Path:
    f = rose.fn([Vec[1000], Real], Real)(lambda x, k: rose.sum(rose.exp(x[i] * k) for i in rose.range(1000)))
    module = rose.compile({"value": f, "grad": rose.grad(f)})
    (tmp_path / "made.wasm").write_bytes(module.wasm)
    return tmp_path / "made.wasm"


# inspect


def test_inspect_says_what_a_module_is_made_of(made: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = said(capsys, "inspect", made)
    wasm = made.read_bytes()
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == f"{made}: {len(wasm):,} bytes, {len(gzip.compress(wasm, 9, mtime=0)):,} gzipped".split()
    assert "value func (f64) -> (f64)".split() in lines
    assert "memory memory 1 page".split() in lines
    assert ["imports:", "none"] in lines
    assert ["source", "map:", "none"] in lines


def test_what_inspect_finds_is_what_wasmtime_finds(made: Path, capsys: pytest.CaptureFixture[str]):
    wasm = made.read_bytes()
    found = json.loads(said(capsys, "inspect", made, "--json")[1])
    module = wasmtime.Module(wasmtime.Engine(), wasm)
    assert [name for name, _, _ in found["exports"]] == [x.name for x in module.exports]
    assert found["bytes"] == len(wasm) == 8 + sum(n for _, n in found["sections"])
    assert [name for name, _ in found["sections"]][-1] == "name"
    types = {x.name: x.type for x in module.exports}
    for name, kind, text in found["exports"]:
        if kind == "func":
            t = cast("wasmtime.FuncType", types[name])
            assert text == f"({' '.join(map(str, t.params))}) -> ({' '.join(map(str, t.results))})"
    assert found["pages"][0] == cast("wasmtime.MemoryType", types["memory"]).limits.min
    code = dict(found["sections"])["code"]
    assert 0 < code - sum(f["bytes"] for f in found["functions"]) <= 5 + 4 * len(found["functions"])
    assert {f["name"] for f in found["functions"]} >= {"value", "grad", "exp"}


def test_inspect_of_a_module_with_imports_and_a_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    @rose.opaque(name="Math.log")
    def log(x: Real) -> Real:
        return x

    f = rose.fn([Real, rose.Vec[2]], Real)(lambda x, v: log(x) + v[0])
    rose.compile({"f": f}).save(tmp_path, "made")
    found = json.loads(said(capsys, "inspect", tmp_path / "made.wasm", "--json")[1])
    assert found["imports"] == [["opaque.Math.log", "func", "(f64) -> (f64)"]]
    assert found["source_map"] == "./made.wasm.map"


WATS = {
    "globals": ('(global (export "g") (mut i32) (i32.const 1)) (global (export "h") f64 (f64.const 1))', None),
    "limits": ('(memory (export "m") 2 7)', [["m", "memory", "2 pages, at most 7"]]),
    "imported": (
        '(import "a" "m" (memory 1)) (import "a" "g" (global (mut f32))) (import "a" "f" (func (result i64)))',
        None,
    ),
}


@pytest.mark.parametrize("name", WATS)
def test_inspect_of_modules_that_are_not_ours(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wat, exports = WATS[name]
    (tmp_path / "m.wasm").write_bytes(wasmtime.wat2wasm(f"(module {wat})"))
    code, out, _ = said(capsys, "inspect", tmp_path / "m.wasm", "--json")
    assert code == 0
    if exports is not None:
        assert json.loads(out)["exports"] == exports
    if name == "globals":
        assert [x[:2] for x in json.loads(out)["exports"]] == [["g", "global"], ["h", "global"]]
    if name == "imported":
        kinds = [["a.m", "memory", "1 page"], ["a.g", "global", "mutable f32"], ["a.f", "func", "() -> (i64)"]]
        assert json.loads(out)["imports"] == kinds


def test_inspect_of_what_is_no_module(made: Path, capsys: pytest.CaptureFixture[str]):
    wasm = made.read_bytes()
    bad = made.parent / "bad.wasm"
    bad.write_bytes(b"<!doctype html>")
    code, _, err = said(capsys, "inspect", bad)
    assert code == 1
    assert err == f"Error: {bad} is not a module that can be read: it does not begin like a WebAssembly module\n"
    bad.write_bytes(b"\0asm\x0d\0\1\0")
    assert "a component" in said(capsys, "inspect", bad)[2]
    assert said(capsys, "inspect", made.parent / "nothing.wasm")[0] == 2
    for k in range(9, len(wasm), 7):  # every one that ends too early, and no other error
        try:
            anatomy(wasm[:k])
        except ValueError:
            pass
    for k in range(8, len(wasm), 5):
        try:
            anatomy(wasm[:k] + bytes([wasm[k] ^ 0x55]) + wasm[k + 1 :])
        except ValueError:
            pass


# serve


@contextmanager
def served(folder: Path, *options: str) -> Generator[tuple[str, "subprocess.Popen[str]"]]:
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


# doctor


def test_doctor(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(tmp_path / "cache"))
    code, out, err = said(capsys, "doctor")
    assert (code, err) == (0, "")
    assert f"ok       Python {sys.version.split()[0]} on " in out
    assert "are right in wasmtime\n" in out
    assert f"compiled modules are kept in {tmp_path / 'cache'}: 0 of them, 0.0 MB\n" in out


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
