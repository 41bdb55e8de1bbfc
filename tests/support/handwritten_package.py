"""A package of a module by hand, for the tests of `wasm_backend/package`."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import wasmtime

from rose.errors import RoseError, here
from rose.ir import PARAM, Block, Func, Opaque, Value
from rose.ir.forms import Form
from rose.ir.types import Real, Tuple, Type, Unit, Vec
from wasm_backend.abi.signature import Lowered, Signature, Slot
from wasm_backend.package.files import About, package_files
from wasm_backend.package.write import write_files

WASM = bytes(
    wasmtime.wat2wasm(
        """(module
          (memory (export "memory") 1)
          (func (export "add") (param f64 f64) (result f64) (f64.add (local.get 0) (local.get 1)))
          (func (export "same")))"""
    )
)


def struct(name: str, **fields: Type) -> Tuple:
    return Tuple(tuple(fields.values()), Form(name, tuple(fields), list, type(name, (), {})))


def mapping(**fields: Type) -> Tuple:
    return Tuple(tuple(fields.values()), Form("dict", tuple(fields), list))


LINE = struct("Line", b0=Real, b=Vec(2, Real))
ADD = Signature("add", (Slot("x", Real, None), Slot("y", Real, None)), Slot("result", Real, None))
SAME = Signature("same", (Slot("line", LINE, 16),), Slot("result", LINE, 16))
FILES = """
    line.wasm index.js workerd.js inline.js index.d.ts inline.d.ts core.js README.md package.json
    line.json
""".split()


def lowered(*signatures: Signature, imports: Sequence[Func] = (), wasm: bytes = WASM) -> Lowered:
    return Lowered(wasm, {s.name: s for s in signatures}, tuple(imports))


def opaque(name: str, result: Type, **params: Type) -> Func:
    block = Block()
    block.params += [Value(PARAM, t, (), k, here(), block) for k, t in params.items()]
    return Func(name, block, result, pure=True, kind=Opaque(print))


def of(name: str, result: Type = Unit, **params: Type) -> Signature:
    return Signature(name, tuple(Slot(k, t, None) for k, t in params.items()), Slot("result", result, None))


def declarations(*signatures: Signature, imports: Sequence[Func] = (), **docs: str) -> str:
    return package_files(lowered(*signatures, imports=imports), "line", About(docs))["index.d.ts"].decode()


def tree(root: Path) -> dict[str, bytes | None]:
    """All that is below a directory: the bytes of files, and None for directories."""
    return {str(p.relative_to(root)): p.read_bytes() if p.is_file() else None for p in sorted(root.rglob("*"))}


def message(e: pytest.ExceptionInfo[RoseError]) -> list[str]:
    return str(e.value).splitlines()


MODULE = lowered(ADD, SAME)


def write_package(lowered: Lowered, out: Path, name: str, *, force: bool = False, inline: bool = False) -> list[Path]:
    return write_files(package_files(lowered, name, inline=inline), out, force=force)
