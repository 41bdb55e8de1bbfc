"""Modules as text."""

from wasm_backend.binary.disassembler import disassemble
from wasm_backend.binary.encoder import F64, FUNC, I32, MEMORY, Code, Module


def test_a_module_as_text():
    m, c = Module(), Code(params=1)
    log = m.import_func("opaque", "log", m.type([F64], [F64]))
    f = m.reserve(m.type([F64], [F64]), "f")
    m.memory(1)
    m.export("memory", MEMORY, 0), m.export("f", FUNC, f)
    m.data(16, b"abc")
    local = c.local(I32)
    c.get(0), c.f64_const(0.5), c("f64.mul"), c("call", log), c.i32_const(-3), c.set(local)
    m.define(f, c)
    assert disassemble(m.finish()).split("\n") == [
        'import "opaque" "log" (f64) -> (f64)',
        "memory 1 pages",
        'export "memory" memory 0',
        'export "f" func f',
        "",
        "func f (f64) -> (f64)",
        "  local 1 i32",
        "  local.get 0",
        "  f64.const 0.5",
        "  f64.mul",
        "  call log",
        "  i32.const -3",
        "  local.set 1",
        "end",
        "",
        "data 16: 3 bytes",
    ]


def test_blocks_are_indented():
    m, c = Module(), Code(params=0)
    f = m.reserve(m.type([], []))
    c("block", 0x40), c("loop", 0x40), c("br", 1), c("end"), c("end")
    m.define(f, c)
    body = disassemble(m.finish()).partition("-> ()\n")[2]
    assert body == "  block\n    loop\n      br 1\n    end\n  end\nend"


def test_a_function_without_a_name_is_shown_by_its_index():
    m = Module()
    m.define(m.reserve(m.type([], [])), Code(params=0))
    assert disassemble(m.finish()) == "\nfunc 0 () -> ()\nend"


def test_a_shuffle_is_shown_by_the_numbers_or_the_halves_that_it_takes():
    for order in ((0, 3), (0, 0, 2, 2), (1, 1, 3, 3), (4, 5, 0, 1)):
        m, c = Module(), Code(params=0)
        c("v128.const", 0, 0), c("v128.const", 0, 0), c("i8x16.shuffle", *order), c("drop")
        m.define(m.reserve(m.type([], [])), c)
        shown = order if order != (4, 5, 0, 1) else (2, 0)
        assert f"i8x16.shuffle {' '.join(map(str, shown))}\n" in disassemble(m.finish())
