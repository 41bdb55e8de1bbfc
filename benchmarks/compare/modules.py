"""Modules of WebAssembly, ours and others', called in the same way in each engine.

A driver, which is a module too, calls the function so many times as it is told: so an evaluation is timed without
a call from Python or from JavaScript. The driver knows the addresses, and costs a call between modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import wasmtime

import rose
from rose import build
from wasm_backend.runtime.raw_call import engine

from .programs import Numbers, Program

Answer = tuple[float, Any]
PAGE = 65536

DRIVER = """(module
  (import "" "f" (func $f{params}))
  (func (export "loop") (param $n i32)
    (loop $again
      (call $f{arguments})
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))
"""


@dataclass(frozen=True)
class Module:
    """A function in a module: what to write where, and where it writes the value, and then the derivative."""

    wasm: bytes
    export: str
    driver: bytes
    arguments: list[tuple[int, Numbers]]
    result: int
    outputs: int

    @property
    def end(self) -> int:
        """Where the memory that the caller reads and writes ends."""
        return max([self.result + 8 * (1 + self.outputs), *[at + 8 * len(xs) for at, xs in self.arguments]])


def driver(addresses: list[int]) -> bytes:
    params = f" (param{' i32' * len(addresses)})" if addresses else ""
    return wasmtime.wat2wasm(DRIVER.format(params=params, arguments="".join(f" (i32.const {a})" for a in addresses)))


def ours(p: Program, f: rose.Fn[..., Any], simd: bool | str = False) -> Module:
    """A program of ours with its derivative, compiled."""
    made = build.lowered({"f": p.derived(f)}, simd=simd)
    s = made.signatures["f"]
    places: list[Any] = [slot.at for slot in (*s.params, s.result)]
    arguments = list(zip(places, (p.params, *p.data), strict=False))
    return Module(made.wasm, "f", driver([]), arguments, places[-1], p.outputs)


def of_clang(wasm: bytes, arguments: Numbers, outputs: int) -> Module:
    """One of C: what it reads and writes lies behind all that is its own."""
    store = wasmtime.Store()
    made = wasmtime.Instance(store, wasmtime.Module(store.engine, wasm), [])
    at = made.exports(store)["memory"].data_len(store)
    result = at + 8 * len(arguments)
    return Module(wasm, "adjoint", driver([at, result]), [(at, arguments)], result, outputs)


class Running:
    """A module under wasmtime, with the engine that calls from Python use."""

    def __init__(self, m: Module) -> None:
        self._module, self._store = m, wasmtime.Store(engine())
        made = wasmtime.Instance(self._store, wasmtime.Module(self._store.engine, m.wasm), [])
        exports = made.exports(self._store)
        self._memory: Any = exports["memory"]
        short = m.end - self._memory.data_len(self._store)
        if short > 0:
            self._memory.grow(self._store, -(-short // PAGE))
        for at, xs in m.arguments:
            self._memory.write(self._store, np.array(xs).tobytes(), at)
        code = wasmtime.Module(self._store.engine, m.driver)
        self._loop: Any = wasmtime.Instance(self._store, code, [exports[m.export]]).exports(self._store)["loop"]

    def loop(self, n: int) -> None:
        self._loop(self._store, n)

    def answer(self) -> Answer:
        self.loop(1)
        m = self._module
        read = np.frombuffer(self._memory.read(self._store, m.result, m.result + 8 * (1 + m.outputs)))
        return float(read[0]), read[1:].copy()

    @property
    def memory(self) -> int:
        """Bytes of memory, after what was called."""
        return self._memory.data_len(self._store)

    def scratch(self) -> int:
        """Bytes behind the arguments and the result that a call writes: the tape, and vectors on the way."""
        self.loop(1)  # which makes memory as large as it gets
        size = self.memory - self._module.end
        marked = b"\xa5" * size
        self._memory.write(self._store, marked, self._module.end)
        self.loop(1)
        left = np.frombuffer(self._memory.read(self._store, self._module.end, self.memory), np.uint8)
        return int((left != 0xA5).nonzero()[0].max(initial=-1)) + 1
