"""`rose.compile`: names, options, and the results of calls."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import INTERRUPTIBLE

import rose
from rose import OutOfRange, Real, TypeMismatch, Vec, fn
from rose.build import lowered
from rose.optimise import pipeline
from wasm_backend.lower import Program


@fn
def square(x: Real) -> Real:
    """The square."""
    return x * x


@fn
def scaled(x: Real, v: Vec[2]) -> Vec[2]:
    return [x * v[0], x * v[1]]


def test_functions_have_their_own_names_or_those_of_a_mapping():
    other = fn([Real], Real)(lambda x: x + 1.0)
    module = rose.compile(square, scaled, other, other)
    assert module["square"](3.0) == module.square(3.0) == module(3.0) == 9.0
    assert repr(module).startswith("<compiled square, scaled, <lambda>, <lambda>_2: ")
    assert rose.compile({"f": square}).f(2.0) == 4.0
    with pytest.raises(rose.RoseError, match="the module has no function 'g'"):
        _ = module.g


def test_the_same_functions_have_the_same_bytes():
    assert rose.compile(square, scaled).wasm == rose.compile(square, scaled).wasm
    assert lowered({"f": square}).wasm == rose.compile({"f": square}).wasm


def test_a_module_travels():
    module = pickle.loads(pickle.dumps(rose.compile(square)))
    assert (module(3.0), module.__doc__, module.__name__) == (9.0, "The square.", "square")


def test_a_timeout_travels_too():
    made = pickle.loads(pickle.dumps(rose.compile(square, timeout=2.5)))
    assert made.running.timeout == pickle.loads(pickle.dumps(made)).running.timeout == 2.5


IMPORTED = """
import os, signal, sys, threading
import rose

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "wasmtime._value":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Slow())

@rose.fn
def square(x: rose.Real) -> rose.Real:
    return x * x

try:
    square(3.0)
except KeyboardInterrupt:
    print("stopped", square(3.0))
"""


def test_the_runtime_is_imported_as_a_whole_by_a_call_that_is_interrupted():
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, **INTERRUPTIBLE)
    assert done.stdout + done.stderr == "stopped 9.0\n"


def test_single_precision_rounds():
    assert rose.compile(square, dtype="f32")(0.1) == np.float32(0.1) * np.float32(0.1)


WRONG: list[dict[str, Any]] = [
    {"dtype": "f16"}, {"simd": "fast"}, {"n": 3}, {"timeout": "1 s"},
    {"timeout": True}, {"tape_limit": 1e9}, {"finite": 1},
]  # fmt: skip
OUTSIDE: list[dict[str, Any]] = [
    {"timeout": 0}, {"timeout": -1.0}, {"timeout": float("nan")}, {"tape_limit": 0}, {"tape_limit": 2**33},
]  # fmt: skip


@pytest.mark.parametrize("options", WRONG, ids=str)
def test_wrong_options_are_refused(options: dict[str, Any]):
    with pytest.raises(TypeMismatch):
        rose.compile(square, **options)


@pytest.mark.parametrize("options", OUTSIDE, ids=str)
def test_options_out_of_range_are_refused(options: dict[str, Any]):
    with pytest.raises(OutOfRange):
        rose.compile(square, **options)


def test_limits_are_numbers_of_python_or_numpy():
    assert rose.compile(square, timeout=np.float64(2.5), tape_limit=np.int64(2**20))(3.0) == 9.0


@pytest.mark.parametrize("args", [({},), ({1: square},), ({"f": square}, scaled), ({"f": 3.0},), (3.0,)])
def test_wrong_functions_are_refused(args: Any):
    with pytest.raises(TypeMismatch):
        rose.compile(*args)


def test_a_function_of_outer_values_is_refused():
    def outer(x: Any) -> Any:
        rose.compile(fn([Real], Real)(lambda y: x * y))
        return x

    with pytest.raises(TypeMismatch, match="uses values of the function around it"):
        _ = fn([Real], Real)(outer).func


def test_a_call_outside_of_a_trace_gives_what_a_module_gives():
    with rose.eager():
        eager = scaled(2.0, [1.0, 3.0])
    assert isinstance(eager, np.ndarray)
    assert eager.tolist() == scaled(2.0, [1.0, 3.0]).tolist() == [2.0, 6.0]


def test_a_package_is_saved_with_a_name_and_a_version(tmp_path: Path):
    rose.compile(square).save(tmp_path, "@me/squares", version="2.0.0")
    manifest = json.loads((tmp_path / "package.json").read_text())
    assert [manifest[k] for k in ("name", "version", "description")] == ["@me/squares", "2.0.0", "The square."]
    assert (tmp_path / "squares.wasm").exists()


@pytest.mark.parametrize(
    ("heads", "licence"),
    [
        (["MIT"], "MIT"),
        (["MIT", "MIT"], "MIT"),
        (["(MIT OR Apache-2.0)"], "(MIT OR Apache-2.0)"),
        (["MIT", "ISC"], None),
    ],
)
def test_the_licence_of_a_package_is_that_of_its_sources(tmp_path: Path, heads: list[str], licence: str | None):
    found: dict[str, Any] = {}
    for k, head in enumerate(heads):
        file = tmp_path / f"m{k}.py"
        file.write_text(
            f"# SPDX-License-Identifier: {head}\nimport rose\n@rose.fn\ndef f(x: rose.Real) -> rose.Real: return x\n"
        )
        exec(compile(file.read_text(), file, "exec"), found)
        found[f"f{k}"] = found["f"]
    files = rose.compile({k: f for k, f in found.items() if k in ("f0", "f1")}).files("line")
    assert json.loads(files["package.json"]).get("license") == licence


def test_derived_functions_have_names_that_packages_can_have(tmp_path: Path):
    module = rose.compile(square, rose.grad(square), rose.grad(rose.grad(square)), rose.value_and_grad(square))
    assert module.grad_square(3.0) == module["grad(square)"](3.0) == module["grad_square"](3.0) == 6.0
    assert module.grad_grad_square(3.0) == 2.0
    assert "grad_square.wasm" in [path.name for path in rose.compile(rose.grad(square)).save(tmp_path)]


def test_map_takes_no_names():
    with pytest.raises(TypeMismatch, match="map takes its arguments by place, and none by the name x"):
        rose.compile(square).map(x=[1.0])


@fn
def of_rows(x: Vec[64]) -> Real:
    return rose.sum(rose.sqrt(x[i]) * x[i] / (1.0 + x[i]) for i in rose.range(64))


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows by "optimise" and "lower" whenever a program is optimised, and a module is written."""
    found: list[str] = []

    def counted(what: str, run: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **named: (found.append(what), run(*args, **named))[1]

    monkeypatch.setattr(pipeline, "optimised", counted("optimise", pipeline.optimised))
    monkeypatch.setattr(Program, "finish", counted("lower", Program.finish))
    return found


@pytest.mark.parametrize("options", [{}, {"simd": True}, {"simd": "relaxed"}, {"dtype": "f32"}], ids=str)
def test_a_module_is_optimised_and_written_once_whatever_is_asked_of_it(
    options: dict[str, Any], tmp_path: Path, runs: list[str]
):
    module = rose.compile(rose.value_and_grad(of_rows), **options)
    assert runs == ["optimise", *["lower"] * (2 if "simd" in options else 1)]
    assert "made.wasm.map" in module.files("made")
    runs.clear()
    for k, how in enumerate(({}, {}, {"html": True}, {"inline": True}, {"strip": True}, {"certificate": {}})):
        module.save(tmp_path / str(k), "made", **how)
    assert module.files("made") == module.files("made")
    assert module.disassemble() and module.pretty() and module([1.0] * 64) is not None
    assert pickle.loads(pickle.dumps(module)).files("made")["made.wasm"]
    assert runs == []


def test_a_module_whose_loops_are_not_vectorised_has_a_map(runs: list[str]):
    module = rose.compile(square, simd=True)
    runs.clear()
    assert module.files()["square.wasm.map"] == rose.compile(square).files()["square.wasm.map"]
    assert runs == ["optimise", "lower"]


def test_the_map_is_of_the_module_though_two_are_made_at_once():
    one, other = rose.compile(square), rose.compile(scaled)
    assert one.files("f")["f.wasm.map"] == rose.compile(square).files("f")["f.wasm.map"]
    assert one.files("f")["f.wasm.map"] != other.files("f")["f.wasm.map"]
