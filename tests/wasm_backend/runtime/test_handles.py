"""The end of a process that compiled and called functions: it says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wasmtime
from paths import ROOT

from wasm_backend.runtime import handles

MODELS = {
    "small": """
import rose
from rose import Real, Vec, fn

@fn
def trace(a: Vec[2, Vec[2]]) -> Real:
    return a[0][0] + a[1][1]

made = rose.compile(trace)

def use():
    made([[1, 2], [3, 4]])
""",
    "large": """
import rose
from rose import Real, Vec, fn

@fn
def trace(a: Vec[2, Vec[2]]) -> Real:
    return a[0][0] + a[1][1]

@fn
def total(x: Vec[1000]) -> Real:
    return rose.sum(x[i] * x[i] for i in rose.range(1000))

class Model:
    slope = rose.compile(rose.grad(total))

    def __init__(self):
        self.me, self.call = self, rose.compile({"trace": trace, "total": total}, timeout=5)

made = rose.compile(trace)

def use():
    made([[1, 2], [3, 4]])
    Model.slope([1.0] * 1000)
    model.call.total([1.0] * 1000)
    made.map([[[1, 2], [3, 4]]] * 10)

model = Model()
""",
}

ENDINGS = {
    "by itself": "",
    "with an exit code of 0": "import sys; sys.exit(0)",
    "kept by C": "import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))",
    "kept by a daemon thread": """
import threading, time
threading.Thread(target=lambda model: time.sleep(100), args=(model,), daemon=True).start()
""",
    "called by a daemon thread": """
import threading, time
begun = threading.Event()
def calls():
    while True:
        model.use()
        begun.set()
threading.Thread(target=calls, daemon=True).start()
begun.wait()
""",
    "called in a thread": "import threading; t = threading.Thread(target=model.use); t.start(); t.join()",
    "called at exit": "import atexit; atexit.register(model.use)",
    "kept with an error": """
try:
    model.made([[1, 2]])
except Exception as e:
    model.error = e
""",
    "kept by the standard library": "import json, builtins; json.made, builtins.made = model, model.use",
    "after a fork": """
import os, sys
if (child := os.fork()) == 0:
    model.use()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_ends_without_a_word(ending: str, model: str, tmp_path: Path):
    if "os.fork" in ENDINGS[ending] and not hasattr(os, "fork"):
        pytest.skip("nothing forks here")
    (tmp_path / "model.py").write_text(MODELS[model])
    program = f"import model\nmodel.use()  # which imports wasmtime after it\n{ENDINGS[ending]}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_goes_before_the_end_is_deleted(monkeypatch: pytest.MonkeyPatch):
    deleted: list[Any] = []
    wasmtimes: Any = wasmtime.Store
    delete = wasmtimes._delete

    def counted(store: Any, ptr: Any) -> None:
        deleted.append(store)
        delete(store, ptr)

    monkeypatch.setattr(wasmtimes, "_delete", counted)
    handles.Store(handles.Engine()).close()
    assert [x.__class__ for x in deleted] == [handles.Store]
    handles.Store(handles.Engine())._delete(None, at_the_end=lambda: True)  # pyright: ignore[reportPrivateUsage]
    assert len(deleted) == 2  # by itself, as it went, and not by the call
