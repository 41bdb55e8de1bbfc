"""Building `rose/ir/libm/special.bin`: the special functions of xsf, the library of SciPy, compiled by clang.

    apt install clang libc++-14-dev-wasm32 wasi-libc
    git clone https://github.com/scipy/xsf XSF
    git -C XSF checkout 101ee41a1471dcbd8cdcbcd15ddbc96696094d0e
    python -m wasm_backend.libm.build_special XSF

A developer runs it, and a test compares the file's hash of `special.cpp`, which says which functions are taken. They
import nothing from a host, and allocate nothing. They call those of `libm.bin`; of musl's others, such as `frexp`, the
code is taken from the same archive. Products and sums are not fused, so that every engine rounds alike.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rose.ir.libm.library import SPECIAL, SPECIAL_FILE, SPECIAL_STACK, Library, library, pack

from .build import ARCHIVE, Collector, stack_of
from .objects import FUNCTION, Archive, Object, read_object

COMMIT = "101ee41a1471dcbd8cdcbcd15ddbc96696094d0e"  # of xsf, after its version 0.2.2
SOURCE = Path(__file__).with_name("special.cpp")
HEADERS = Path("/usr/lib/llvm-14/include/wasm32-wasi/c++/v1")  # where Debian's libc++-14-dev-wasm32 has them
FLAGS = """--target=wasm32-wasi -std=c++17 -O2 -ffp-contract=off -fno-exceptions -fno-rtti -fno-threadsafe-statics
-ftrivial-auto-var-init=pattern
-ffunction-sections -fdata-sections -nostdinc++""".split()


class _Sources(Archive):
    """The object of our file, and behind it musl's archive."""

    def __init__(self, raw: bytes, ours: Object) -> None:
        super().__init__(raw)
        self.ours = ours
        self.defined = {s.name for s in ours.symbols if s.target is not None}

    def defining(self, symbol: str) -> Object:
        return self.ours if symbol in self.defined else super().defining(symbol)


def compiled(xsf: Path, headers: Path = HEADERS) -> bytes:
    """The object file of our source."""
    with tempfile.TemporaryDirectory() as directory:
        made = Path(directory, "special.o")
        include = [f"-isystem{headers}", f"-I{xsf / 'include'}"]
        subprocess.run(["clang++", *FLAGS, *include, "-c", str(SOURCE), "-o", str(made)], check=True)
        return made.read_bytes()


def build(object: Object, archive: bytes, made_from: dict[str, str]) -> Library:
    """The library of special functions, from the object file and musl's archive."""
    collector = Collector(_Sources(archive, object), library().functions, _Names())
    for s in object.symbols:
        if s.kind == FUNCTION and s.name.startswith(SPECIAL):
            assert collector.exported(FUNCTION, s.name) == s.name
    made = collector.library(made_from)
    both = library()._replace(
        opcodes=library().opcodes | made.opcodes, functions=library().functions | made.functions
    )  # fmt: skip
    known = dict[str, int]()
    assert max([stack_of(name, both, known) for name in made.functions]) <= SPECIAL_STACK
    assert not set(made.functions) & set(library().functions)
    return made


class _Names(dict[str, str]):
    """Short names for those that C++ gives: `amos.bknu` for `_ZN3xsf4amos4bknuE...`, with a number for each further."""

    def __call__(self, mangled: str) -> str:
        if mangled not in self:
            name = ".".join([p for p in _parts(mangled) if p != "detail"]).replace("xsf.cephes", "cephes") or mangled
            same = sum([n == name or n.startswith(f"{name}..") for n in self.values()])
            self[mangled] = f"{name}..{same + 1}" if same else name
        return self[mangled]


def _parts(mangled: str) -> list[str]:
    """The names in a name of C++, the namespaces first."""
    found, rest = list[str](), re.sub(r"^.*_ZN?", "", mangled) if "_Z" in mangled else ""
    while m := re.match(r"[LKS]*(\d+)", rest):
        end = m.end() + int(m[1])
        found.append(rest[m.end() : end])
        rest = rest[end:]
    return found


def source() -> str:
    """The hash of our file."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def main(xsf: str, headers: str = str(HEADERS)) -> None:
    """Write `special.bin`."""
    at = subprocess.run(["git", "-C", xsf, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    assert at.stdout.strip() == COMMIT, f"xsf is at {at.stdout}"
    raw, archive = compiled(Path(xsf), Path(headers)), ARCHIVE.read_bytes()
    object = read_object(raw)
    hashes = {"source": source(), "musl": hashlib.sha256(archive).hexdigest()}
    made_from = {"xsf": COMMIT, "compiler": object.compiler, **hashes}
    made = pack(build(object, archive, made_from))
    Path(SPECIAL_FILE).write_bytes(made)
    print(f"{SPECIAL_FILE}: {len(made):,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
