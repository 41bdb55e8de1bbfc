"""The promises of SECURITY.md: those that no other test holds, and that each test named there exists."""

from __future__ import annotations

import pickle
import pickletools
import re
from typing import Any

import pytest
import wasmtime
from paths import ROOT

import rose
from rose import Fin, Real, RoseError, Vec

NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "SECURITY.md").read_text())


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_test_that_a_promise_names_exists(file: str, name: str):
    assert f"\ndef {name}(" in (ROOT / file).read_text()


def test_each_promise_names_a_test():
    rows = [line for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("| ")]
    assert len(NAMED) == len(rows) - 1 >= 10


@rose.opaque
def chosen(x: Real) -> Real:
    return x


chosen.jvp(lambda x: rose.Dual(chosen(x.re), x.du))


@rose.fn
def asking(x: Real) -> Real:
    rose.print("{}", x)
    return chosen(x) * rose.sin(x)


@rose.fn
def reading(v: Vec[3], i: Fin[3]) -> Real:
    return v[i]


def imports(f: Any) -> set[tuple[str, str]]:
    module = wasmtime.Module(wasmtime.Engine(), rose.compile(f).wasm)
    return {(str(i.module), str(i.name)) for i in module.imports}


def test_a_module_imports_what_its_program_asks_for():
    assert imports(reading) == imports(rose.grad(reading)) == set()
    assert imports(asking) == {("print", "0"), ("opaque", "chosen")}


@pytest.mark.parametrize("args", [([1, 2, 3], 3), ([1, 2, 3], -1), ([1, 2], 0), ([1, 2, 3, 4], 0), ([1, 2, 3], 2**40)])
def test_an_index_or_a_length_out_of_range_is_refused(args: Any):
    with pytest.raises(RoseError):
        rose.compile(reading)(*args)


def test_a_pickle_names_constructors_of_ours_only():
    dumped = pickle.dumps(rose.compile(reading), protocol=0)
    rooms = {re.split("[. ]", str(what))[0] for op, what, _ in pickletools.genops(dumped) if op.name == "GLOBAL"}
    assert rooms <= {"rose", "wasm_backend", "copy_reg", "_codecs", "__builtin__"} and "rose" in rooms
