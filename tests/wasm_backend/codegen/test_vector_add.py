"""The function that adds one vector to another."""

import struct

import pytest
import wasmtime

from wasm_backend.binary.encoder import FUNC, I32, MEMORY, Module
from wasm_backend.codegen.vector_add import vector_add


@pytest.mark.parametrize(("single", "kind"), [(False, "d"), (True, "f")])
def test_numbers_are_added_in_place(single: bool, kind: str):
    m = Module()
    f = m.reserve(m.type([I32, I32, I32], []), "add")
    m.define(f, vector_add(single))
    m.memory(1)
    m.export("memory", MEMORY, 0), m.export("add", FUNC, f)
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    exports = wasmtime.Instance(store, wasmtime.Module(engine, m.finish()), []).exports(store)
    memory, add = exports["memory"], exports["add"]
    assert isinstance(memory, wasmtime.Memory) and isinstance(add, wasmtime.Func)
    to, of = struct.pack(f"<4{kind}", 1, 2, 3, 4), struct.pack(f"<3{kind}", 10, 20, 30)
    memory.write(store, to, 16), memory.write(store, of, 64)
    add(store, 16, 64, len(of))
    assert struct.unpack(f"<4{kind}", memory.read(store, 16, 16 + len(to))) == (11, 22, 33, 4)
