"""Signatures: the calling convention of exports and imports."""

from rose import Real, Vec, fn, opaque
from rose.ir import types
from rose.ir.sizes import Dim, times
from rose.ir.types import tuple_of
from wasm_backend.abi.signature import Signature, Slot, import_types
from wasm_backend.binary.encoder import F64, I32
from wasm_backend.lower import lower

N = Dim("n")
ROW = types.Vec(N, types.Real)
OPEN = Signature(
    "f", (Slot("m", types.Vec(2, ROW), 16), Slot("x", ROW, times(N, 16))), Slot("result", Real, None), (N,)
)


def test_numbers_are_parameters_and_aggregates_have_addresses():
    @fn
    def f(x: Real, v: Vec[3]) -> Vec[3]:
        return [v[k] * x for k in range(3)]

    signature = lower({"f": f.func}).signatures["f"]
    x, v = signature.params
    assert (x.name, x.at) == ("x", None)
    assert isinstance(v.at, int) and isinstance(signature.result.at, int)
    assert v.at % 8 == signature.result.at % 8 == 0 and abs(signature.result.at - v.at) >= 24


def test_an_import_takes_pointers_also_to_its_result():
    @opaque
    def number(x: Real, v: Vec[2]) -> Real:
        return x + v[0]

    @opaque
    def vector(x: Real) -> Vec[2]:
        return [x, x]

    assert import_types(number.func) == ([F64, I32], [F64])
    assert import_types(vector.func) == ([F64, I32], [])


def test_a_call_tells_a_size_by_the_shortest_path():
    assert OPEN.told_by(N) == [1]
    inside = types.Vec(2, tuple_of(types.Real, ROW))
    assert Signature("f", (Slot("s", inside, 16),), OPEN.result, (N,)).told_by(N) == [0, 0, 1]


def test_dynamic_sizes_are_those_of_types_and_of_addresses():
    assert list(OPEN.dynamic_sizes()) == [times(N, 8), N, N, times(N, 16)]


def test_for_some_sizes_no_size_is_dynamic():
    closed = OPEN.sized({"n": 3})
    assert [p.at for p in closed.params] == [16, 48]
    assert closed.params[1].type is types.Vec(3, types.Real)
    assert list(closed.dynamic_sizes()) == []


def test_javascript_reads_dynamic_sizes_off_their_exports():
    told = OPEN.describe()
    assert told["sizes"] == [["n", 1]]
    assert told["params"][1]["at"] == {"#": "#16 * n"} and told["params"][0]["at"] == 16
