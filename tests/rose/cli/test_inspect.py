"""`rose inspect`: the anatomy of modules, ours and others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import cast

import pytest
import wasmtime
from command_line import said

import rose
from rose import Real, Vec
from wasm_backend.binary.inspector import anatomy


@pytest.fixture
def made(tmp_path: Path) -> Path:
    f = rose.fn([Vec[1000], Real], Real)(lambda x, k: rose.sum(rose.exp(x[i] * k) for i in rose.range(1000)))
    module = rose.compile({"value": f, "grad": rose.grad(f)})
    (tmp_path / "made.wasm").write_bytes(module.wasm)
    return tmp_path / "made.wasm"


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
