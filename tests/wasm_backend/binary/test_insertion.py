"""Instructions put into finished modules: what a module does without them, it does with them."""

import pytest
import wasmtime

from wasm_backend.binary.encoder import EMPTY, F64, FUNC, I32, Code, Module, instruction
from wasm_backend.binary.insertion import Insertion

TABLE, TYPE = ("t", "table"), bytes([0x60, 1, I32, 0])


def counting(*, imports: bool, globals: bool) -> tuple[bytes, list[int]]:
    """A module that adds its argument to itself five times, in a loop; and the offset where an iteration begins."""
    m, c = Module("m"), Code(1)
    if imports:
        m.import_func("host", "f", m.type([], []))
    if globals:
        m.global_(I32, True, 7)
    k, total = c.local(I32), c.local(F64)
    c("loop")
    c.body.stops.append((len(c.body), None))
    c.get(0), c.get(total), c("f64.add"), c.set(total)
    c.get(k), c.i32_const(1), c("i32.add"), c.tee(k), c.i32_const(5), c("i32.lt_u"), c("br_if", 0)
    c("end")
    c.get(total)
    f = m.reserve(m.type([F64], [F64]), "f")
    m.define(f, c)
    m.export("f", FUNC, f)
    return m.finish(), [at for at, _ in m.stops()]


def run(wasm: bytes, *, imports: bool) -> tuple[float, list[int]]:
    """What the module answers to 1.5, and the numbers that its table was called with."""
    store, calls = wasmtime.Store(), list[int]()
    called = wasmtime.Func(store, wasmtime.FuncType([wasmtime.ValType.i32()], []), calls.append)
    nothing = wasmtime.Func(store, wasmtime.FuncType([], []), lambda: None)
    kind = wasmtime.TableType(wasmtime.ValType.funcref(), wasmtime.Limits(1, 1))
    given = [nothing] * imports + [wasmtime.Table(store, kind, called)]
    f = wasmtime.Instance(store, wasmtime.Module(store.engine, wasm), given).exports(store)["f"]
    assert isinstance(f, wasmtime.Func)
    return f(store, 1.5), calls


@pytest.mark.parametrize("globals", [False, True])
@pytest.mark.parametrize("imports", [False, True])
def test_what_is_inserted_calls_the_table_and_keeps_numbers_in_globals(imports: bool, globals: bool):
    wasm, (at,) = counting(imports=imports, globals=globals)
    to = Insertion(wasm, TYPE, TABLE, [F64, I32])
    (real,), (word,) = to.globals()[F64], to.globals()[I32]
    piece = b"".join([
        instruction("local.get", 2), instruction("global.set", real), instruction("f64.const", 0),
        instruction("local.set", 2), instruction("local.get", 1), instruction("global.set", word),
        instruction("global.get", word), instruction("i32.const", 0), to.call,
        instruction("block", EMPTY), instruction("end"), instruction("global.get", real), instruction("local.set", 2),
    ])  # fmt: skip
    assert run(to.finish([(at, piece)]), imports=imports) == (7.5, [0, 1, 2, 3, 4])


def test_the_bodies_grow_beyond_a_byte_of_size():
    wasm, (at,) = counting(imports=False, globals=False)
    to = Insertion(wasm, TYPE, TABLE, [])
    assert to.globals() == {}
    assert run(to.finish([(at, instruction("nop") * 20_000)]), imports=False) == (7.5, [])


def test_several_pieces_go_to_their_places_in_order():
    wasm, (at,) = counting(imports=False, globals=False)
    to = Insertion(wasm, TYPE, TABLE, [])
    calls = [(at, instruction("i32.const", k) + instruction("i32.const", 0) + to.call) for k in (3, 4)]
    assert run(to.finish(calls), imports=False) == (7.5, [3, 4] * 5)
