"""The binary format: every opcode as the assembler of wasmtime has it, and whole modules that run."""

import math
import os
import re
import shutil
import subprocess
import sys
import textwrap
from itertools import product
from pathlib import Path

import pytest
import wasmtime
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import ROOT, TESTS

from wasm_backend.binary import encoder
from wasm_backend.binary.encoder import (
    F32,
    F64,
    FUNC,
    GLOBAL,
    I32,
    I64,
    MEMORY,
    OPCODES,
    Code,
    Module,
    instruction,
    signed,
    unsigned,
)


def read_unsigned(raw: bytes, at: int = 0) -> tuple[int, int]:
    """The number there, and where the next thing starts."""
    n = shift = 0
    while True:
        n |= (raw[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if raw[at - 1] < 0x80:
            return n, at


def read_signed(raw: bytes) -> int:
    n, end = read_unsigned(raw)
    assert end == len(raw)
    return n - (1 << 7 * end) if raw[-1] & 0x40 else n


def sections(wasm: bytes) -> list[tuple[int, bytes]]:
    assert wasm[:8] == b"\0asm\1\0\0\0"
    found, at = [], 8
    while at < len(wasm):
        size, start = read_unsigned(wasm, at + 1)
        found.append((wasm[at], wasm[start : start + size]))
        at = start + size
    return found


def first_body(wasm: bytes) -> bytes:
    code = dict(sections(wasm))[10]
    size, start = read_unsigned(code, 1)
    return code[start : start + size]


def run(m: Module, export: str, *args: float) -> float:
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, m.finish()), [])
    return instance.exports(store)[export](store, *args)


def example() -> Module:
    """The sum of the reals that lie at 16, and the number of times that it was asked for."""
    m = Module("example")
    m.memory(1, max=2)
    calls = m.global_(I32, True, 0)
    m.data(16, encoder._f64(1.5) + encoder._f64(-0.25) + encoder._f64(1e300))
    total = m.reserve(m.type([I32], [F64]), "total")
    add = m.reserve(m.type([F64, F64], [F64]), "add")
    m.export("total", FUNC, total), m.export("memory", MEMORY, 0), m.export("calls", GLOBAL, calls)

    c = Code(params=1)
    k, sum = c.local(I32), c.local(F64)
    c("global.get", calls), c.i32_const(1), c("i32.add"), c("global.set", calls)
    c("loop")
    c.get(sum), c.get(k), c.f64_load(16), c("call", add), c.set(sum)
    c.get(k), c.i32_const(8), c("i32.add"), c.tee(k)
    c.get(0), c.i32_const(3), c("i32.shl"), c("i32.lt_u"), c("br_if", 0)
    c("end")
    c.get(sum)
    m.define(total, c)

    c = Code(params=2)
    c.get(0), c.get(1), c.emit(instruction("f64.add"))
    m.define(add, c.finish())
    return m


# numbers


@settings(deadline=None)
@given(st.integers(0, 2**64) | st.integers(0, 2**15))
def test_unsigned_numbers_come_back_in_as_few_bytes_as_can_be(n: int):
    assert read_unsigned(unsigned(n)) == (n, max(1, math.ceil(n.bit_length() / 7)))


@settings(deadline=None)
@given(st.integers(-(2**63), 2**63) | st.integers(-(2**15), 2**15))
def test_signed_numbers_come_back_in_as_few_bytes_as_can_be(n: int):
    assert read_signed(signed(n)) == n
    assert len(signed(n)) == (n if n >= 0 else ~n).bit_length() // 7 + 1


@pytest.mark.parametrize(
    ("n", "raw"),
    [(0, "00"), (63, "3f"), (64, "c000"), (127, "ff00"), (128, "8001"), (-1, "7f"), (-64, "40"), (-65, "bf7f")],
)
def test_signed_numbers_at_the_borders_of_a_byte(n: int, raw: str):
    assert signed(n).hex() == raw


@pytest.mark.parametrize("n", [-1, -(2**40)])
def test_an_index_is_not_negative(n: int):
    with pytest.raises(AssertionError):
        unsigned(n)


@pytest.mark.parametrize(("n", "wrapped"), [(2**32 - 1, -1), (2**31, -(2**31)), (2**31 - 1, 2**31 - 1)])
def test_addresses_beyond_two_gigabytes_wrap(n: int, wrapped: int):
    assert instruction("i32.const", n) == b"\x41" + signed(wrapped)


def test_names_are_counted_in_bytes():
    assert encoder.name("π") == b"\x02\xcf\x80"


# instructions

AROUND = {"block": "block {} end", "loop": "loop {} end", "if": "if {} end", "else": "if else end", "end": "block end"}
REALS = [(x, repr(x)) for x in (0.0, -0.0, 1.5, -5e-324, math.inf, -math.inf)] + [(math.nan, "nan")]
INTEGERS = [(n, str(n)) for n in (0, -1, 63, 64, -64, -65, 8191, 8192, 2**31 - 1, -(2**31))]
INDICES = [0, 1, 127, 128, 300, 16_383, 16_384, 70_000]
IMMEDIATES = {
    encoder._block_type: [((), ""), *[((t,), f"(result {s})") for t, s in [(I32, "i32"), (I64, "i64"), (F32, "f32")]]],
    encoder._labels: [((0,), "0"), ((3, 1, 2), "3 1 2"), ((*range(200),), " ".join(map(str, range(200))))],
    encoder._i32: [((n,), s) for n, s in INTEGERS],
    encoder._i64: [((n,), s) for n, s in [*INTEGERS, (2**63 - 1, str(2**63 - 1)), (-(2**63), str(-(2**63)))]],
    encoder._f32: [((x,), s) for x, s in REALS if abs(x) != 5e-324],
    encoder._f64: [((x,), s) for x, s in REALS],
    encoder._v128: [
        *[((x, y), f"f64x2 {s} {t}") for x, s in REALS[:5] for y, t in REALS[-2:]],
        *[((x, y, x, 2.5), f"f32x4 {s} {t} {s} 2.5") for x, s in REALS[:3] for y, t in REALS[-2:]],
    ],
    encoder._lane: [((0,), "0"), ((1,), "1")],
    encoder._access: [((n, k), f"{n} {k}") for n in INDICES for k in (0, 1)],
    encoder._lanes: [
        (lanes, " ".join([str(16 // len(lanes) * x + k) for x in lanes for k in range(16 // len(lanes))]))
        for lanes in [*product(range(4), repeat=2), (0, 0, 2, 2), (7, 3, 1, 5)]
    ],
    unsigned: [((n,), str(n)) for n in INDICES],
    None: [((), "")],
}


def texts(mnemonic: str) -> list[tuple[tuple[float, ...], str]]:
    """The immediates that a mnemonic is tried with, and the instruction as text."""
    access = ".load" in mnemonic or ".store" in mnemonic
    given = IMMEDIATES[OPCODES[mnemonic][1]]
    around = AROUND.get(mnemonic, mnemonic + " {}")
    if access and mnemonic.startswith("v128."):  # which are of numbers
        align = " align=4 " if "32_lane" in mnemonic else " align=8 "
        given = [(xs, align.join([*s.split(), ""][:2])) for xs, s in given]
    return [(xs, around.format(f"offset={s}" if access else s)) for xs, s in given]


@pytest.mark.parametrize("mnemonic", OPCODES)
def test_every_instruction_is_what_the_assembler_makes_of_it(mnemonic: str):
    for immediates, text in texts(mnemonic):
        c = Code(params=0)
        if mnemonic in {"else", "end"}:
            c("if" if mnemonic == "else" else "block")
        c(mnemonic, *immediates)
        if mnemonic in {"block", "loop", "if", "else"}:
            c("end")
        expected = first_body(wasmtime.wat2wasm(f"(module (memory 1) (func {text}))"))
        assert b"\0" + c.body + b"\x0b" == expected, text


def test_the_table_is_whole():
    gaps = {*range(0x06, 0x0B), *range(0x11, 0x1A), *range(0x1C, 0x20), *range(0x25, 0x28)}
    saturating = {bytes([0xFC, k]) for k in range(8)}
    bulk = {bytes.fromhex("fc0a0000"), bytes.fromhex("fc0b00")}
    fixed = [row for row, _ in OPCODES.values()]
    assert {f[0] for f in fixed} == {*range(0xC5), 0xFC, 0xFD} - gaps
    assert {f for f in fixed if f[0] == 0xFC} == saturating | bulk
    assert len({*fixed}) == len(OPCODES)


@pytest.mark.parametrize("k", INDICES)
def test_the_short_ways_write_the_same_bytes(k: int):
    c, d = Code(params=0), Code(params=0)
    c.get(k), c.set(k), c.tee(k), c.f64_load(k), c.f64_store(k), c.i32_const(k), c.f64_const(k)
    for m in ("local.get", "local.set", "local.tee", "f64.load", "f64.store", "i32.const", "f64.const"):
        d.emit(instruction(m, k))
    assert c.body == d.body


def test_the_zero_that_is_negative_stays_so():
    c = Code(params=0)
    c.f64_const(0.0), c.f64_const(-0.0), c.f64_const(0.0)
    assert c.body.hex() == "440000000000000000" + "440000000000000080" + "440000000000000000"


def test_an_instruction_takes_its_immediates_and_no_others():
    with pytest.raises(AssertionError):
        Code(params=0)("f64.add", 1)
    with pytest.raises(TypeError):
        Code(params=0)("local.get")
    with pytest.raises(KeyError):
        Code(params=0)("f64.pow")


def test_locals_of_one_type_in_a_row_are_declared_together():
    c = Code(params=2)
    assert [c.local(t) for t in (F64, F64, I32, F64)] == [2, 3, 4, 5]
    assert c.finish().hex() == "08" + "03" + "027c" + "017f" + "017c" + "0b"


def test_a_function_has_no_more_locals_than_engines_allow():
    c = Code(params=1)
    for _ in range(encoder.MAX_LOCALS - 1):
        c.local(F64)
    m = Module()
    m.define(m.reserve(m.type([F64], [])), c)
    wasmtime.Module(wasmtime.Engine(), m.finish())
    c.local(F64)
    with pytest.raises(AssertionError):
        c.finish()


def test_a_body_has_no_more_bytes_than_engines_allow():
    c = Code(params=0)
    c.emit(instruction("nop") * (encoder.MAX_BODY - 2))
    c.finish()
    c("nop")
    with pytest.raises(AssertionError):
        c.finish()


# modules


def test_an_empty_module_is_eight_bytes():
    assert Module().finish() == wasmtime.wat2wasm("(module)")


def test_the_example_of_the_module_runs():
    text = re.search(r"\n\n((?:    .*\n)+)", encoder.__doc__ or "")
    assert text
    names = dict(vars(encoder))
    exec(textwrap.dedent(text[1]), names)
    assert run(names["m"], "square", -3.0) == 9.0


@pytest.mark.parametrize(("n", "total"), [(1, 1.5), (2, 1.25), (3, 1e300)])
def test_a_module_runs(n: int, total: float):
    assert run(example(), "total", n) == total


def test_sections_stand_in_the_order_of_the_specification():
    assert [id for id, _ in sections(example().finish())] == [1, 3, 5, 6, 7, 10, 11, 0]


def test_functions_and_the_module_have_names():
    names = sections(example().finish())[-1][1]
    assert names == encoder.name("name") + b"\0\x08\x07example" + b"\1\x0d\x02" + b"\0\5total" + b"\1\3add"


def test_a_trap_tells_the_name_of_the_function():
    m, c = Module(), Code(params=0)
    f = m.reserve(m.type([], []), "where it fails")
    c("unreachable")
    m.define(f, c), m.export("f", FUNC, f)
    with pytest.raises(wasmtime.Trap, match="where it fails"):
        run(m, "f")


def test_what_has_no_name_leaves_no_section():
    m = Module()
    m.define(m.reserve(m.type([], [])), Code(params=0))
    assert [id for id, _ in sections(m.finish())] == [1, 3, 10]


def test_equal_types_are_one():
    m = Module()
    assert [m.type([F64], [F64]), m.type([F64], []), m.type((F64,), iter([F64])), m.type([], [F64])] == [0, 1, 0, 2]


def test_imports_come_before_functions():
    m = Module()
    t = m.type([F64], [F64])
    twice = m.import_func("env", "twice", t)
    f = m.reserve(t)
    assert (twice, f) == (0, 1)
    c = Code(params=1)
    c.get(0), c("call", twice), c("call", twice)
    m.define(f, c), m.export("f", FUNC, f)
    store = wasmtime.Store()
    made = wasmtime.Module(store.engine, m.finish())
    func = wasmtime.Func(store, made.imports[0].type, lambda x: 2 * x)
    assert wasmtime.Instance(store, made, [func]).exports(store)["f"](store, 1.5) == 6.0
    with pytest.raises(AssertionError, match="imports come first"):
        m.import_func("env", "late", t)


def test_a_memory_grows_as_far_as_it_may():
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, example().finish()), [])
    memory = instance.exports(store)["memory"]
    assert (memory.size(store), memory.type(store).limits.max) == (1, 2)
    assert memory.read(store, 24, 32) == encoder._f64(-0.25)


@pytest.mark.parametrize(("type", "value"), [(I32, -7), (I64, -(2**40)), (F32, 0.5), (F64, -math.pi)])
def test_globals_start_with_their_value(type: int, value: float):
    m = Module()
    m.export("g", GLOBAL, m.global_(type, False, value))
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, m.finish()), [])
    assert instance.exports(store)["g"].value(store) == value


def test_a_function_is_defined_once():
    m = Module()
    f = m.reserve(m.type([], []), "f")
    with pytest.raises(AssertionError, match="not defined"):
        m.finish()
    m.define(f, Code(params=0))
    with pytest.raises(AssertionError, match="defined already"):
        m.define(f, Code(params=0))


def test_a_name_is_exported_once():
    m = example()
    with pytest.raises(AssertionError):
        m.export("total", FUNC, 1)


@pytest.mark.skipif(shutil.which("wasm-validate") is None, reason="wasm-validate is not installed")
def test_a_second_validator_accepts_the_module(tmp_path: Path):
    (tmp_path / "example.wasm").write_bytes(example().finish())
    subprocess.run(["wasm-validate", tmp_path / "example.wasm"], check=True)


@pytest.mark.slow
def test_the_same_module_is_the_same_bytes_whatever_the_hashes():
    wasm = example().finish()
    assert example().finish() == wasm
    code = f"import sys; sys.path[:0] = {[str(ROOT), str(TESTS / 'support')]}; import {__name__} as t; "
    code += "print(t.example().finish().hex())"
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        assert out.stdout.strip() == wasm.hex()
