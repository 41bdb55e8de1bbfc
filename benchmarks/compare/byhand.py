"""The adjoints by hand in `c/`: compiled for this machine, and to WebAssembly.

clang compiles both, or gcc the first where clang is not installed. A module of clang's has the mathematics of
wasi-libc, which are musl's, as ours are; native code has the C library of the machine.
"""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .modules import Answer, Module, of_clang
from .programs import Program

C = Path(__file__).parent / "c"
NATIVE = {"C -O2": ["-O2"], "C -O3 native": ["-O3", "-march=native"]}
SIMD = ["-msimd128"]
WASM = ["--target=wasm32-wasi", "-O3", "-nostdlib", "-lc", "-Wl,--no-entry", "-Wl,--export=adjoint"]


def header(p: Program) -> str:
    """What is known when a program is compiled."""
    lines = [f"#define {k} {n}" for k, n in p.sizes.items()]
    for name, xs in p.tables.items():
        kind, shown = ("double", float.hex) if isinstance(xs[0], float) else ("int", str)
        lines.append(f"static const {kind} {name}[] = {{{', '.join(map(shown, xs))}}};")
    return "\n".join([*lines, ""])


def compiled(p: Program, command: Sequence[str], folder: Path, files: Sequence[str], suffix: str) -> Path:
    """What a compiler makes of the adjoint of a program, in a folder of its own."""
    made = folder / f"{p.name} {' '.join(command[1:3])}".replace(" ", "_")
    made.mkdir(parents=True, exist_ok=True)
    (made / "program.h").write_text(header(p))
    out = made / f"adjoint.{suffix}"
    sources = [str(C / f"{name}.c") for name in (p.source, *files)]
    done = subprocess.run([*command, f"-I{made}", *sources, "-o", str(out), "-lm"], capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{command[0]} failed: {done.stderr.strip()[-200:]}")
    return out


def compiler() -> str | None:
    return shutil.which("clang") or shutil.which("gcc")


class Native:
    """An adjoint as native code."""

    def __init__(self, p: Program, options: Sequence[str], folder: Path) -> None:
        found = compiler()
        if found is None:
            raise FileNotFoundError("there is no C compiler, and so nothing to check the answers with: install clang")
        path = compiled(p, [found, *options, "-shared", "-fPIC"], folder, ["loop"], "so")
        self._library = ctypes.CDLL(str(path))
        self._in, self._out = np.array(p.arguments), np.zeros(1 + p.outputs)
        address: Callable[[Any], Any] = lambda a: ctypes.c_void_p(a.ctypes.data)
        self.loop = functools.partial(
            self._library.loop, self._library.adjoint, address(self._in), address(self._out)
        )  # fmt: skip

    def put(self, arguments: Any) -> None:
        """What it is called with from now on."""
        self._in[:] = arguments

    def answer(self) -> Answer:
        self.loop(1)
        return float(self._out[0]), self._out[1:].copy()


def module(p: Program, folder: Path, options: Sequence[str] = ()) -> Module:
    """An adjoint as WebAssembly."""
    clang = shutil.which("clang")
    if clang is None:
        raise FileNotFoundError("clang is not installed")
    return of_clang(compiled(p, [clang, *options, *WASM], folder, [], "wasm").read_bytes(), p.arguments, p.outputs)
