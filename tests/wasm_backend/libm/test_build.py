"""Building `libm.bin` from the library of Debian's wasi-libc."""

import hashlib
from pathlib import Path

import pytest

from rose.ir.libm.library import CALL, DOUBLE, FILE, STACK, library, pack
from wasm_backend.libm import build
from wasm_backend.libm.objects import Archive, Hole


def test_the_file_is_what_the_archive_makes():
    if not build.ARCHIVE.exists():
        pytest.skip("wasi-libc is not installed, so its functions are not taken out of it again")
    raw, made_from = build.ARCHIVE.read_bytes(), library().made_from
    if hashlib.sha256(raw).hexdigest() != made_from["sha256"]:
        pytest.skip(f"another wasi-libc is installed, not {made_from['package']}")
    assert pack(build.build(Archive(raw), made_from)) == Path(FILE).read_bytes()


def test_holes_are_cut_out_of_the_code():
    code, holes = build._cut(b"ab12345cd12345e", [Hole(9, 0, 7, 0), Hole(2, 0, 6, 0)])
    assert (code, [(h.at, h.symbol) for h in holes]) == (b"abcde", [(2, 6), (4, 7)])


def test_every_function_fits_into_the_stack_with_its_callees():
    needed = {name: build.stack_of(name, library()) for name in library().functions}
    assert 0 < max(needed.values()) <= STACK
    assert needed["exp"] == 0 < needed["sin"]


def test_the_library_is_closed_under_calls():
    functions = library().functions
    assert set(DOUBLE) <= set(functions)
    assert all([r.target in functions for f in functions.values() for r in f.relocations if r.kind == CALL])
