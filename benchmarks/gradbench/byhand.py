"""The adjoints by hand in `c/`, behind GradBench's protocol: `python -m benchmarks.gradbench.byhand native`.

`native` is compiled for this machine by gcc, `clang` by clang, and `wasm` and `wasm-simd` by clang to WebAssembly, for
wasmtime. An input is laid out before anything is timed, and what is written is read afterwards: a run is one call.
"""

from __future__ import annotations

import ctypes
import functools
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime
from numpy.typing import NDArray

from wasm_backend.runtime import raw_call

from . import evals, programs, tool
from .compiling import kept

C = Path(__file__).parent / "c"
PAGE = 65536
NATIVE = ("-O3", "-march=native", "-shared", "-fPIC")
WASM = ("--target=wasm32-wasi", "-O3", "-nostdlib", "-lc", "-Wl,--no-entry")
KINDS = {"native": "gcc", "clang": "clang", "wasm": "clang", "wasm-simd": "clang"}

Ready = tuple[Callable[[], Any], Callable[[], NDArray[np.float64]]]  # what runs it, and what was written


def compiler(kind: str) -> str | None:
    """The compiler for a kind of code, or another for native code, where that is not installed."""
    return shutil.which(KINDS[kind]) or (shutil.which("clang") if kind == "native" else None)


def options(name: str, kind: str) -> Sequence[str]:
    if not kind.startswith("wasm"):
        return NATIVE
    exports = [f"-Wl,--export={f.name or of}" for of, f in evals.find(name).functions.items()]
    return [*WASM, *exports, *(["-msimd128"] if kind == "wasm-simd" else [])]


def source_of(name: str) -> Path:
    """The C of an eval, or the C++."""
    return next(C.glob(f"{name}.c*"), C / f"{name}.c")


@functools.cache
def compiled(name: str, kind: str) -> Path:
    """The file that a compiler makes of the C of an eval."""
    found, source = compiler(kind), source_of(name)
    if found is None:
        raise FileNotFoundError(f"{KINDS[kind]} is not installed")
    command = [found, *options(name, kind), str(source)]
    suffix = "wasm" if kind.startswith("wasm") else "so"
    return kept(command, ["-lm"], [source, *sorted(C.glob("*.hpp"))], f"{name}.{suffix}")


def native(path: Path, function: str, packed: evals.Packed) -> Ready:
    call = getattr(ctypes.CDLL(str(path)), function)
    call.restype = None
    out, work = np.zeros(packed.out), np.zeros(packed.work)
    address: Callable[[Any], Any] = lambda a: ctypes.c_void_p(a.ctypes.data)
    arrays = [np.ascontiguousarray(a) for a in (packed.ints, packed.numbers)] + [out, work]
    run = functools.partial(call, *map(address, arrays))
    return run, lambda: arrays[2].copy()


def in_wasmtime(path: Path, function: str, packed: evals.Packed) -> Ready:
    """The data lies behind all that is clang's own; the call is that of our own modules."""
    engine = raw_call.engine()
    store = wasmtime.Store(engine)
    exports = wasmtime.Instance(store, wasmtime.Module(engine, path.read_bytes()), []).exports(store)
    memory, callee = exports["memory"], exports[function]
    assert isinstance(memory, wasmtime.Memory) and isinstance(callee, wasmtime.Func)
    sizes = [8 * packed.numbers.size, 4 * packed.ints.size, 8 * packed.out, 8 * packed.work]
    begins = [memory.data_len(store)]
    for size in sizes:
        begins.append(begins[-1] + -(-size // 16) * 16)
    memory.grow(store, -(-(begins[-1] - begins[0]) // PAGE))
    numbers, ints, out, work = begins[:4]
    memory.write(store, np.ascontiguousarray(packed.numbers).tobytes(), numbers)
    memory.write(store, np.ascontiguousarray(packed.ints).tobytes(), ints)
    entry = raw_call.entry(store, callee, "iiii", "", [])
    call, args, words = entry.call, entry.args, entry.words
    for k, at in enumerate((ints, numbers, out, work)):
        words[2 * k + 2] = at

    def run() -> None:
        error = call(*args)
        if error is not None or words[0]:
            raise entry.fail(error)

    return run, lambda: np.frombuffer(memory.read(store, out, out + 8 * packed.out)).copy()


def prepared(name: str, kind: str, function: str, given: Any) -> programs.Job:
    """A function by hand with its input."""
    f: evals.Function = evals.find(name).functions[function]
    load = in_wasmtime if kind.startswith("wasm") else native
    run, read = load(compiled(name, kind), f.name or function, f.pack(given))
    run()  # as ours and the tools of others do, before anything is timed
    return programs.Job(run, lambda _: f.shown(given, read()))


def functions(kind: str, name: str) -> programs.Functions | None:
    """Those of an eval, by hand."""
    if name not in programs.NAMES or not source_of(name).exists():
        return None
    return {f: functools.partial(prepared, name, kind, f) for f in evals.find(name).functions}


def answer(name: str, function: str, given: Any) -> Any:
    """The output of a function, by hand."""
    job = prepared(name, "native", function, given)
    return job.shown(job.run())


def main() -> None:
    kind, *rest = sys.argv[1:] or ["native"]
    tool.main(f"by hand, {kind}", functools.partial(functions, kind), rest)


if __name__ == "__main__":
    main()
