"""Calling modules from Python: what goes in, what comes out, and what must not go wrong in between.

The modules are written by hand, to the contract of `abi.py`. Most tests run twice: through wasmtime's
private calls of C, and without them.
"""

import ctypes
import dataclasses
import gc
import pickle
import sys
import threading
import types as python_types
import weakref
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest
import wasmtime
from hypothesis import given, settings
from hypothesis import strategies as st

import rose
from rose import types
from rose.errors import OutOfRange, RoseError, TypeMismatch
from rose.ir import Func
from rose.structs import as_type, form_of, plain, present
from rose.trace import opaque
from rose.types import Bool, Fin, Real, Tuple, Type, Unit, Vec, tuple_of
from wasm_backend import rawcall
from wasm_backend.abi import Lowered, Signature, Slot
from wasm_backend.layout import align, offsets, size
from wasm_backend.run import Compiled


@pytest.fixture(params=["raw", "official"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With wasmtime's private calls, and as if they were not there."""
    if request.param == "official":
        monkeypatch.setattr(rawcall, "private", None)
    else:
        assert rawcall.private is not None
    return request.param


@rose.struct
class Point:
    x: Real
    y: Real


@dataclasses.dataclass
class Mixed:
    flag: Bool
    x: Real
    k: Fin(7)
    v: Vec(2, Vec(3, Real))
    point: Point


class Pair(NamedTuple):
    first: Fin(9)
    second: Vec(2, Real)


# modules


def signature(name: str, params: dict[str, Type | tuple[Type, int]], result: Type, at: int | None = None) -> Signature:
    slots = [Slot(k, *(t if isinstance(t, tuple) else (t, None))) for k, t in params.items()]
    return Signature(name, tuple(slots), Slot("result", result, at))


def lowered(wat: str, *signatures: Signature, imports: tuple[Func, ...] = ()) -> Lowered:
    wasm = wasmtime.wat2wasm(f"(module {wat})")
    return Lowered(bytes(wasm), {s.name: s for s in signatures}, imports)


def module(wat: str, *signatures: Signature, imports: tuple[Func, ...] = (), doc: str | None = None) -> Compiled:
    made = lowered(wat if imports else f'(memory (export "memory") 1) {wat}', *signatures, imports=imports)
    return Compiled(made, signatures[0].name, doc)


def identity(t: Type) -> Compiled:
    """The function that gives back its argument, which lies in memory."""
    at = -(-(16 + size(t)) // 8) * 8
    pages = (at + size(t)) // 65536 + 1
    wat = f"""(memory (export "memory") {pages})
      (func (export "id") (memory.copy (i32.const {at}) (i32.const 16) (i32.const {size(t)})))"""
    return Compiled(lowered(wat, signature("id", {"x": (t, 16)}, t, at)), "id")


ADD = '(func (export "add") (param f64 f64) (result f64) local.get 0 local.get 1 f64.add)'
ADD_SIGNATURE = signature("add", {"x": Real, "y": Real}, Real)


@pytest.fixture
def add() -> Compiled:
    return module(ADD, ADD_SIGNATURE)


def message(error: pytest.ExceptionInfo[RoseError]) -> str:
    """What is said first; the place must be in this file, and what our code did must not be shown."""
    loc = error.value.loc
    assert loc is not None
    assert loc.position()[0] == __file__
    assert error.value.message == str(error.value).splitlines()[0]
    return error.value.message


# scalars


@pytest.mark.parametrize("y", [2, 2.0, np.float64(2), np.float32(2), np.int8(2), np.array(2.0), np.array(2)])
def test_a_real_is_any_real_number(add: Compiled, y: Any) -> None:
    got = add(1.5, y)
    assert got == 3.5
    assert type(got) is float
    assert add(y, 1.5) == 3.5


def test_every_bit_arrives(add: Compiled) -> None:
    assert str(add(-0.0, -0.0)) == "-0.0"
    assert add(float("inf"), 1.0) == float("inf")
    assert np.isnan(add(float("nan"), 1.0))
    assert add(5e-324, 0.0) == 5e-324


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (True, "y must be a Real, got True (bool)"),
        (np.True_, f"y must be a Real, got {np.True_!r} (bool)"),
        ("a", "y must be a Real, got 'a' (str)"),
        (None, "y must be a Real, got None"),
        (1j, "y must be a Real, got 1j (complex)"),
        (np.complex128(1), f"y must be a Real, got {np.complex128(1)!r} (complex128)"),
        (Decimal(1), "y must be a Real, got Decimal('1') (Decimal)"),
        ([1.0], "y must be a Real, got [1.0] (list)"),
        (np.array([1.0]), "y must be a Real, got array([1.]) (ndarray)"),
        (10**400, "y must be a Real, got 1000000000000000000000000000000000000... (int)"),
    ],
)
def test_what_is_no_real_number_is_refused(add: Compiled, y: Any, what: str) -> None:
    with pytest.raises(TypeMismatch) as e:
        add(1.0, y)
    assert message(e) == what
    with pytest.raises(TypeMismatch) as e:
        add(x=1.0, y=y)
    assert message(e) == what
    assert add(1.0, 2.0) == 3.0


def test_a_traceback_shows_no_more_of_us_than_the_call(add: Compiled) -> None:
    with pytest.raises(TypeMismatch) as e:
        add(1.0, "a")
    assert len(e.traceback) == 2
    assert e.value.__cause__ is None


def test_arguments_by_name(add: Compiled) -> None:
    assert add(x=1.0, y=2.0) == add(1.0, y=2.0) == add(y=2.0, x=1.0) == 3.0


@pytest.mark.parametrize(
    ("args", "named", "what", "hint"),
    [
        ((), {}, "add takes 2 arguments (x, y), got 0", "x is missing"),
        ((1.0,), {}, "add takes 2 arguments (x, y), got 1", "y is missing"),
        ((), {"y": 1.0}, "add takes 2 arguments (x, y), got 1", "x is missing"),
        ((1.0, 2.0, 3.0), {}, "add takes 2 arguments (x, y), got 3", "too many"),
        ((1.0, 2.0), {"z": 3.0}, "add takes 2 arguments (x, y): z is unknown", "see its signature"),
        ((1.0,), {"z": 3.0}, "add takes 2 arguments (x, y): z is unknown", "see its signature"),
        ((1.0, 2.0), {"x": 3.0}, "add takes 2 arguments (x, y): x is given twice", "see its signature"),
        ((1.0,), {"x": 3.0}, "add takes 2 arguments (x, y): x is given twice", "see its signature"),
    ],
)
def test_wrong_number_of_arguments(
    add: Compiled, args: tuple[float, ...], named: dict[str, float], what: str, hint: str
) -> None:
    with pytest.raises(TypeMismatch) as e:
        add(*args, **named)
    assert message(e) == what
    assert e.value.hint == hint


def test_no_arguments() -> None:
    f = module('(func (export "f") (result f64) f64.const 4)', signature("f", {}, Real))
    assert f() == 4.0
    with pytest.raises(TypeMismatch) as e:
        f(1.0)
    assert message(e) == "f takes no arguments, got 1"


def test_bool() -> None:
    f = module('(func (export "f") (param i32) (result i32) local.get 0 i32.eqz)', signature("f", {"p": Bool}, Bool))
    assert f(True) is False
    assert f(False) is True
    assert f(np.True_) is False
    assert f(np.array(False)) is True
    for p in (1, 0.0, None, "a", np.int64(1)):
        with pytest.raises(TypeMismatch, match=r"^p must be a Bool, got "):
            f(p)


def test_index() -> None:
    f = module(
        '(func (export "f") (param i32) (result i32) local.get 0)', signature("f", {"i": Fin(2**32 - 1)}, Fin(2**32))
    )
    for i in (0, 7, 2**31 - 1, 2**31, 2**32 - 2, np.int64(2**31)):
        assert f(i) == i
        assert type(f(i)) is int
    for i in (2**32 - 1, -1, 2**70):
        with pytest.raises(OutOfRange, match=f"^i is out of range: {i}"):
            f(i)
    for i in (1.0, True, "a", None, np.float64(1)):
        with pytest.raises(TypeMismatch, match=r"^i must be a Fin\[4294967295\], got "):
            f(i)


def test_unit() -> None:
    f = module('(func (export "f") (param f64))', signature("f", {"nothing": Unit, "x": Real}, Unit))
    assert f(None, 1.0) is None
    with pytest.raises(TypeMismatch) as e:
        f(0, 1.0)
    assert message(e) == "nothing must be a Unit, got 0 (int)"


def test_what_is_empty_is_left_out_and_checked_all_the_same() -> None:
    t = tuple_of(Vec(0, Real), Unit)
    f = module(
        '(func (export "f") (param f64) (result f64) local.get 0)',
        signature("f", {"v": Vec(0, Real), "x": Real, "t": t, "u": Vec(2, Unit)}, Real),
        signature("f", {"v": Vec(0, Real), "x": Real, "t": t, "u": Vec(2, Unit)}, Real),
    )
    assert f([], 2.0, ([], None), [None, None]) == 2.0
    assert f(np.zeros(0), 2.0, ((), None), (None, None)) == 2.0
    with pytest.raises(TypeMismatch) as e:
        f([1.0], 2.0, ([], None), [None, None])
    assert message(e) == "v must have 0 elements, got 1"
    with pytest.raises(TypeMismatch) as e:
        f([], 2.0, ([], None), [None, 1])
    assert message(e) == "u[1] must be a Unit, got 1 (int)"


@pytest.mark.parametrize(
    "t", [Vec(0, Real), tuple_of(), tuple_of(Unit, Vec(0, Bool)), Vec(3, Unit), Vec(2, tuple_of())]
)
def test_empty_results(t: Type) -> None:
    f = module('(func (export "f"))', signature("f", {}, t))
    want = {
        "Vec[0]": [],
        "()": (),
        "(Unit, Vec[0, Bool])": (None, []),
        "Vec[3, Unit]": [None] * 3,
        "Vec[2, ()]": [(), ()],
    }
    assert lists(f()) == want[repr(t)]


def test_scalars_may_lie_in_memory_too() -> None:
    f = module(
        """(func (export "f") (param f64)
             (f64.store (i32.const 64)
               (f64.add (f64.load (i32.const 8))
               (f64.add (local.get 0) (f64.convert_i32_u (i32.load (i32.const 16)))))))""",
        signature("f", {"x": (Real, 8), "y": Real, "i": (Fin(5), 16)}, Real, 64),
    )
    assert f(1.0, 2.0, 4) == 7.0
    assert type(f(1, 2, 4)) is float
    with pytest.raises(OutOfRange) as e:
        f(1.0, 2.0, 5)
    assert message(e) == "i is out of range: 5"


# vectors


def lists(x: Any) -> Any:
    """Arrays as lists, wherever they are in `x`; what they were is checked by `test_kinds_of_results`."""
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, list):
        return [lists(y) for y in x]
    if isinstance(x, tuple) and not hasattr(x, "_fields"):
        return tuple([lists(y) for y in x])
    return x


def strided() -> Any:
    return np.arange(12.0).reshape(6, 2)[::2, 1]


def read_only() -> Any:
    x = np.array([1.0, 3.0, 5.0])
    x.flags.writeable = False
    return x


class HasArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([1, 2, 3])


@pytest.mark.parametrize(
    "x",
    [
        [1.0, 2.0, 3.0],
        (1, 2.5, np.float32(3)),
        [np.array(1.0), 2.0, 3.0],
        range(1, 4),
        np.array([1.0, 2.0, 3.0]),
        np.array([1, 2, 3]),
        np.array([1, 2, 3], np.uint8),
        np.array([1, 2, 3], np.float32),
        np.array([1, 2, 3], np.float16),
        np.array([1, 2, 3], np.longdouble),
        np.array([1.0, 2.0, 3.0], ">f8"),
        np.array([1.0, 2.0, 3.0], object),
        np.arange(3.0)[::-1],
        np.broadcast_to(np.float64(2), (3,)),
        strided(),
        read_only(),
        np.ma.masked_array([1.0, 2.0, 3.0]),
        memoryview(np.array([1.0, 2.0, 3.0])),
        HasArray(),
    ],
)
def test_a_vector_is_any_sequence_of_numbers(x: Any) -> None:
    got = identity(Vec(3, Real))(x)
    assert got.tolist() == np.array(x, float).tolist()
    assert got.dtype == np.float64


@pytest.mark.parametrize(
    ("x", "what"),
    [
        ([1.0, 2.0], "x must have 3 elements, got 2"),
        (np.zeros(4), "x must have the shape (3,), got (4,)"),
        (np.zeros((3, 1)), "x must have the shape (3,), got (3, 1)"),
        (np.zeros((1, 3)), "x must have the shape (3,), got (1, 3)"),
        (np.array(1.0), "x must have the shape (3,), got ()"),
        (1.0, "x must be a Vec[3], got 1.0 (float)"),
        (None, "x must be a Vec[3], got None"),
        ("abc", "x must be a Vec[3], got 'abc' (str)"),
        ({1.0, 2.0, 3.0}, "x must be a Vec[3], got {1.0, 2.0, 3.0} (set)"),
        ([1.0, True, 2.0], "x[1] must be a Real, got True (bool)"),
        ([1.0, 2.0, "3"], "x[2] must be a Real, got '3' (str)"),
        ([1.0, [2.0], 3.0], "x[1] must be a Real, got [2.0] (list)"),
        ([1.0, 2.0, 10**400], "x[2] must be a Real, got 1000000000000000000000000000000000000... (int)"),
        (np.array([True, False, True]), "x[0] must be a Real, got True (bool)"),
        (np.array([1j, 2, 3]), "x[0] must be a Real, got 1j (complex)"),
        (np.array(["1", "2", "3"]), "x[0] must be a Real, got '1' (str)"),
        (np.array([1, 2, 3], "m8[s]"), "x[0] must be a Real, got datetime.timedelta(seconds=1) (timedelta)"),
        (np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]), "x[1] must be a Real, got None"),
        (Pair(1, [2.0]), "x must be a Vec[3], got Pair(first=1, second=[2.0]) (Pair)"),
    ],
)
def test_what_is_no_vector_of_numbers_is_refused(x: Any, what: str) -> None:
    f = identity(Vec(3, Real))
    with pytest.raises(TypeMismatch) as e:
        f(x)
    assert message(e) == what


def test_a_generator_is_refused_with_a_hint() -> None:
    with pytest.raises(TypeMismatch, match="a vector is given as a list, a tuple or an array"):
        identity(Vec(3, Real))(k for k in range(3))


@pytest.mark.parametrize(
    "x",
    [
        [[1.0, 2.0, 3.0], (4, 5, 6)],
        (np.arange(3), [1, 2, 3]),
        np.arange(6).reshape(2, 3),
        np.arange(6.0).reshape(3, 2).T,
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        [range(3), np.array([1, 2, 3], ">i2")],
        [[np.float64(1), np.array(2), 3], [4, 5, 6]],
    ],
)
def test_a_vector_of_vectors(x: Any) -> None:
    got = identity(Vec(2, Vec(3, Real)))(x)
    assert got.tolist() == np.array([np.array(row, float) for row in x]).tolist()
    assert got.shape == (2, 3)
    assert got.flags.c_contiguous


def test_the_wrong_shape_of_a_vector_of_vectors() -> None:
    f = identity(Vec(2, Vec(3, Real)))
    for x, what in [
        (np.zeros((3, 2)), "x must have the shape (2, 3), got (3, 2)"),
        (np.zeros(6), "x must have the shape (2, 3), got (6,)"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0]], "x[1] must have 3 elements, got 2"),
        ([[1.0, 2.0, 3.0], [1.0, None, 2.0]], "x[1][1] must be a Real, got None"),
        ([1.0, 2.0], "x[0] must be a Vec[3], got 1.0 (float)"),
    ]:
        with pytest.raises(TypeMismatch) as e:
            f(x)
        assert message(e) == what


@pytest.mark.parametrize(
    "x", [[0, 4, 2], (0, 4, 2), range(3), np.array([0, 4, 2]), np.array([0, 4, 2], ">u2"), [np.int8(4), 0, 1]]
)
def test_a_vector_of_indices(x: Any) -> None:
    got = identity(Vec(3, Fin(5)))(x)
    assert got.tolist() == [int(k) for k in x]
    assert got.dtype == np.int64


def test_what_is_no_vector_of_indices_is_refused() -> None:
    f = identity(Vec(3, Fin(5)))
    for x, kind, what in [
        ([0, 5, 1], OutOfRange, "x[1] is out of range: 5"),
        (np.array([0, 1, 5]), OutOfRange, "x[2] is out of range: 5"),
        (np.array([0, -1, 5]), OutOfRange, "x[1] is out of range: -1"),
        (np.array([0, 200, 1], np.uint8), OutOfRange, "x[1] is out of range: 200"),
        (np.array([0, 2**63, 1], np.uint64), OutOfRange, "x[1] is out of range: 9223372036854775808"),
        ([0, 2**32 + 1, 1], OutOfRange, "x[1] is out of range: 4294967297"),
        ([0, 2**70, 1], OutOfRange, "x[1] is out of range: 1180591620717411303424"),
        ([2**63, -1, 1], OutOfRange, "x[0] is out of range: 9223372036854775808"),
        ([0.0, 1, 2], TypeMismatch, "x[0] must be a Fin[5], got 0.0 (float)"),
        (np.zeros(3), TypeMismatch, "x[0] must be a Fin[5], got 0.0 (float)"),
        ([0, True, 2], TypeMismatch, "x[1] must be a Fin[5], got True (bool)"),
        (np.array([0, 1]), TypeMismatch, "x must have the shape (3,), got (2,)"),
    ]:
        with pytest.raises(kind) as e:
            f(x)
        assert message(e) == what


def test_a_vector_of_booleans() -> None:
    f = identity(Vec(3, Bool))
    for x in (
        [True, False, True],
        (True, np.False_, True),
        np.array([True, False, True]),
        np.array([1, 0, 1], object) == 1,
    ):
        got = f(x)
        assert got.tolist() == [True, False, True]
        assert got.dtype == np.bool_
    for x in ([1, 0, 1], np.array([1, 0, 1])):
        with pytest.raises(TypeMismatch) as e:
            f(x)
        assert message(e) == "x[0] must be a Bool, got 1 (int)"


def test_a_traced_value_is_refused_with_what_to_do() -> None:
    f, add = identity(Vec(3, Real)), module(ADD, ADD_SIGNATURE)
    for g in (rose.fn([Vec(3, Real)], Vec(3, Real))(lambda v: f(v)), rose.fn([Real], Real)(lambda x: add(x, 1.0))):
        with pytest.raises(TypeMismatch, match="traced"):
            _ = g.func


# structs


def test_structs() -> None:
    f = identity(as_type(Point))
    for p in (Point(1.0, 2), {"x": 1, "y": 2.0}, {"y": np.float64(2), "x": 1}, (1.0, 2.0), [1, 2]):
        assert f(p) == Point(1.0, 2.0)
        assert type(f(p).x) is float
    for p, what in [
        ({"x": 1.0}, "p is missing field 'y'"),
        ({"x": 1.0, "y": 2.0, "z": 3.0}, "p has the unknown field 'z'"),
        (Point(1.0, "2"), "p.y must be a Real, got '2' (str)"),
        (Point(1.0, True), "p.y must be a Real, got True (bool)"),
        ((1.0,), "p must be a Point, got (1.0,) (tuple)"),
        (1.0, "p must be a Point, got 1.0 (float)"),
        (np.zeros(2), "p must be a Point, got array([0., 0.]) (ndarray)"),
    ]:
        with pytest.raises(TypeMismatch) as e:
            f(p)
        assert message(e) == what.replace("p", "x", 1)


MIXED = Mixed(True, 2.5, 6, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Point(7.0, 8.0))


def test_a_struct_of_many_kinds() -> None:
    t = as_type(Mixed)
    f = identity(t)
    got = f(MIXED)
    assert (got.flag, got.x, got.k, got.point) == (True, 2.5, 6, Point(7.0, 8.0))
    assert (type(got.flag), type(got.x), type(got.k)) == (bool, float, int)
    assert got.v.tolist() == MIXED.v
    again = f(got)
    assert again.v.tolist() == MIXED.v
    with pytest.raises(OutOfRange) as e:
        f(dataclasses.replace(MIXED, k=7))
    assert message(e) == "x.k is out of range: 7"
    with pytest.raises(TypeMismatch) as e:
        f(dataclasses.replace(MIXED, v=np.zeros((3, 2))))
    assert message(e) == "x.v must have 2 elements, got 3"


def test_the_module_finds_the_fields_where_layout_says() -> None:
    t = as_type(Mixed)
    at = [8 + k for k in offsets(t)]
    f = module(
        f"""(func (export "f") (result f64)
              (f64.add (f64.load (i32.const {at[1]}))
              (f64.add (f64.convert_i32_u (i32.load8_u (i32.const {at[0]})))
              (f64.add (f64.convert_i32_u (i32.load (i32.const {at[2]})))
              (f64.add (f64.load (i32.const {at[3] + 4 * 8})) (f64.load (i32.const {at[4] + 8})))))))""",
        signature("f", {"m": (t, 8)}, Real),
    )
    assert f(MIXED) == 2.5 + 1 + 6 + 5.0 + 8.0


def test_named_tuples_dicts_and_tuples() -> None:
    pair = identity(as_type(Pair))(Pair(3, [1.0, 2.0]))
    assert type(pair) is Pair
    assert pair.first == 3
    assert pair.second.tolist() == [1.0, 2.0]
    record = identity(as_type({"z": Real, "g": Vec(2, Real)}))({"g": [1, 2], "z": 3})
    assert list(record) == ["z", "g"]
    assert record["z"] == 3.0
    assert record["g"].tolist() == [1.0, 2.0]
    assert identity(tuple_of(Real, Bool, tuple_of(Fin(3))))((1, True, (2,))) == (1.0, True, (2,))


def test_vectors_of_structs() -> None:
    f = identity(Vec(3, as_type(Point)))
    points = [Point(1.0, 2.0), Point(3.0, 4.0), Point(5.0, 6.0)]
    for x in (points, tuple(points), [(1, 2), {"x": 3, "y": 4}, points[2]], np.arange(1, 7).reshape(3, 2)):
        assert f(x) == points
    assert type(f(points)[0].x) is float
    for x, what in [
        (points[:2], "x must have 3 elements, got 2"),
        ([*points[:2], Point(1.0, None)], "x[2].y must be a Real, got None"),
        ([*points[:2], (1.0,)], "x[2] must be a Point, got (1.0,) (tuple)"),
        (1.0, "x must be a Vec[3, Point], got 1.0 (float)"),
    ]:
        with pytest.raises(TypeMismatch) as e:
            f(x)
        assert message(e) == what


def test_vectors_in_structs_in_vectors_of_vectors() -> None:
    f = identity(Vec(2, Vec(2, as_type(Pair))))
    x = [[Pair(1, [1.0, 2.0]), Pair(2, [3.0, 4.0])], [Pair(3, np.array([5, 6])), (4, (7.0, 8.0))]]
    got = f(x)
    assert [[p.first for p in row] for row in got] == [[1, 2], [3, 4]]
    assert [[p.second.tolist() for p in row] for row in got] == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    with pytest.raises(OutOfRange) as e:
        f([x[0], [Pair(3, [5, 6]), Pair(9, [1, 2])]])
    assert message(e) == "x[1][1].first is out of range: 9"
    assert identity(Vec(0, as_type(Pair)))([]) == []


SCALARS = {
    Real: st.floats(width=64) | st.integers(-(2**60), 2**60),
    Bool: st.booleans(),
    Unit: st.none(),
}


def values(t: Type) -> st.SearchStrategy[Any]:
    """Ways to give a `t`."""
    match t:
        case Fin():
            return st.integers(0, t.size - 1)
        case Vec():
            return st.lists(values(t.elem), min_size=t.size, max_size=t.size).flatmap(
                lambda xs: st.sampled_from([xs, tuple(xs)])
            )
        case Tuple():
            make = t.form.make if t.form is not None else tuple
            return st.tuples(*map(values, t.items)).flatmap(lambda xs: st.sampled_from([xs, make(xs)]))
        case _:
            return SCALARS[t]


TYPES = st.recursive(
    st.sampled_from([Real, Real, Bool, Unit, Fin(1), Fin(200), Fin(2**32 - 1)]),
    lambda inner: st.one_of(
        st.builds(Vec, st.integers(0, 3), inner),
        st.lists(inner, max_size=3).map(lambda ts: tuple_of(*ts)),
        st.tuples(inner, inner).map(lambda ts: Tuple(ts, form_of(Point))),
        st.lists(inner, min_size=1, max_size=2).map(lambda ts: as_type({f"k{i}": t for i, t in enumerate(ts)})),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_goes_in_comes_out(data: st.DataObject) -> None:
    t = data.draw(TYPES.filter(lambda t: isinstance(t, (Vec, Tuple))))
    x = data.draw(values(t))
    got = identity(t)(x)
    want = present(plain(x, t), t)
    np.testing.assert_equal(comparable(got), comparable(want))
    check_kinds(got, t)
    np.testing.assert_equal(comparable(identity(t)(got)), comparable(want))
    np.testing.assert_equal(comparable(identity(t)(x, view=True)), comparable(want))


def comparable(x: Any) -> Any:
    """Structs as tuples, arrays as lists."""
    if isinstance(x, Point):
        x = (x.x, x.y)
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, dict):
        return {k: comparable(y) for k, y in x.items()}
    return type(x)(comparable(y) for y in x) if isinstance(x, (list, tuple)) else x


def check_kinds(x: Any, t: Type) -> None:
    """That a result is given in the promised Python types."""
    dims, elem = (), t
    while isinstance(elem, Vec):
        dims, elem = (*dims, elem.size), elem.elem
    if dims and not isinstance(elem, Tuple) and elem is not Unit:
        assert type(x) is np.ndarray
        assert x.shape == dims
        assert x.dtype == (np.int64 if isinstance(elem, Fin) else np.float64 if elem is Real else np.bool_)
    elif isinstance(t, Vec):
        assert type(x) is list
        for y in x:
            check_kinds(y, t.elem)
    elif isinstance(t, Tuple):
        items = x if t.form is None else t.form.read(x)
        assert type(x) is (tuple if t.form is None else type(t.form.make(items)))
        for y, s in zip(items, t.items, strict=True):
            check_kinds(y, s)
    else:
        assert type(x) is (int if isinstance(t, Fin) else {Real: float, Bool: bool, Unit: type(None)}[t])


# without a copy


def test_results_are_copies() -> None:
    f = identity(Vec(2, Real))
    first = f([1.0, 2.0])
    f([3.0, 4.0])
    assert first.tolist() == [1.0, 2.0]
    assert first.flags.writeable
    assert first.flags.owndata


def test_out() -> None:
    f = identity(Vec(2, Vec(3, Real)))
    out = np.zeros((2, 3))
    assert f(np.ones((2, 3)), out=out) is out
    assert out.tolist() == [[1.0] * 3] * 2
    wide = np.zeros((2, 6))
    f(x=np.ones((2, 3)), out=wide[:, ::2])
    assert wide.tolist() == [[1.0, 0.0] * 3] * 2
    index = np.zeros(2, np.int64)
    assert identity(Vec(2, Fin(9)))([3, 4], out=index) is index
    assert index.tolist() == [3, 4]


def test_what_out_cannot_be() -> None:
    f = identity(Vec(2, Real))
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    for out, what in [
        (np.zeros(3), "out must be an array of shape (2,) of float64, got one of shape (3,) of float64"),
        (np.zeros(2, np.float32), "out must be an array of shape (2,) of float64, got one of shape (2,) of float32"),
        (np.zeros(2, ">f8"), "out must be an array of shape (2,) of float64, got one of shape (2,) of >f8"),
        (frozen, "out must be an array of shape (2,) of float64, got a read-only one of shape (2,) of float64"),
        ([0.0, 0.0], "out must be an array of shape (2,) of float64, got [0.0, 0.0] (list)"),
    ]:
        with pytest.raises(TypeMismatch) as e:
            f([1.0, 2.0], out=out)
        assert message(e) == what
    with pytest.raises(TypeMismatch, match=r"^out cannot be given here: the result is a Vec\[2\]"):
        f([1.0, 2.0], out=np.zeros(2), view=True)
    with pytest.raises(TypeMismatch, match=r"^out cannot be given here: the result is a Point"):
        identity(as_type(Point))(Point(1.0, 2.0), out=np.zeros(2))
    with pytest.raises(TypeMismatch, match=r"^out cannot be given here: the result is a Real"):
        module(ADD, ADD_SIGNATURE)(1.0, 2.0, out=np.zeros(2))


def test_view() -> None:
    f = identity(Vec(2, Real))
    view = f([1.0, 2.0], view=True)
    assert view.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 3.0
    f([3.0, 4.0])
    assert view.tolist() == [3.0, 4.0]
    assert f(view, view=True).tolist() == [3.0, 4.0]
    assert f([1.0, 2.0], view=False).flags.writeable
    assert module(ADD, ADD_SIGNATURE)(1.0, 2.0, view=True) == 3.0
    pair = identity(as_type(Pair))(Pair(1, [2.0, 3.0]), view=True)
    assert pair.first == 1
    assert not pair.second.flags.writeable


def test_a_view_keeps_the_memory_alive() -> None:
    def views() -> list[Any]:
        made = []
        for k in range(50):
            f = identity(Vec(10_000, Real))
            made.append(f(np.full(10_000, float(k)), view=True)[5:])
            g = identity(as_type(Pair))
            made.append(g(Pair(1, [2.0, k]), view=True).second)
        return made

    made = views()
    gc.collect()
    for k in range(50):
        assert (made[2 * k] == float(k)).all()
        assert made[2 * k + 1].tolist() == [2.0, k]


def test_nothing_is_kept_alive_in_vain() -> None:
    """No cycle: the store goes with the last name of the function, without the garbage collector."""
    gc.disable()
    try:
        f = identity(Vec(3, Real))
        f([1.0, 2.0, 3.0])
        store = weakref.ref(f._module._local.own.store)
        view = f([1.0, 2.0, 3.0], view=True)
        del f
        assert store() is not None
        del view
        assert store() is None
        g = module(CALLS, *CALL_SIGNATURES, imports=(func_of(lambda x: x, {"x": Real}, Real),))
        g(1.0)
        stores = [weakref.ref(x.store) for x in g._module._local.free]
        del g
        assert [x() for x in stores] == [None]
    finally:
        gc.enable()


def test_parameters_called_out_and_view() -> None:
    t = Vec(2, Real)
    f = module(
        """(func (export "f") (param f64)
             (f64.store (i32.const 64) (f64.load (i32.const 0))) (f64.store (i32.const 72) (local.get 0)))""",
        signature("f", {"out": (t, 0), "view": Real}, t, 64),
    )
    assert f(out=[1.0, 2.0], view=3.0).tolist() == [1.0, 3.0]
    into = np.zeros(2)
    assert f.call([[1.0, 2.0], 3.0], out=into) is into
    assert into.tolist() == [1.0, 3.0]
    assert not f.call(([1.0, 2.0], 3.0), view=True).flags.writeable
    assert f.call(([1.0, 2.0], 3.0)).flags.writeable
    with pytest.raises(TypeMismatch, match=r"^f takes 2 arguments"):
        f.call([1.0])


def test_names_that_python_does_not_allow() -> None:
    f = module(ADD.replace('"add"', '"lambda"'), signature("lambda", {"class": Real, "a0": Real}, Real))
    assert f(1.0, 2.0) == 3.0
    assert f(1.0, a0=2.0) == f(**{"class": 1.0, "a0": 2.0}) == 3.0
    assert str(f.signature) == "(x0: Real, x1: Real) -> Real"
    with pytest.raises(TypeMismatch) as e:
        f(None, 1.0)
    assert message(e) == "class must be a Real, got None"


# what a user holds


def test_several_functions() -> None:
    f = module(
        f"""{ADD} (func (export "wasm") (result f64) f64.const 5)
            (func (export "neg") (param f64) (result f64) local.get 0 f64.neg)""",
        ADD_SIGNATURE,
        signature("neg", {"x": Real}, Real),
        signature("wasm", {}, Real),
        doc="The sum.",
    )
    assert f(1.0, 2.0) == f["add"](1.0, 2.0) == f.add(1.0, 2.0) == 3.0
    assert f.neg(1.0) == f["neg"](1.0) == -1.0
    assert f.neg is f["neg"]
    assert f["wasm"]() == 5.0
    assert f.wasm[:4] == b"\0asm"
    assert list(f.signatures) == ["add", "neg", "wasm"]
    assert "neg" in dir(f)
    assert callable(f)
    assert (f.__name__, f.__doc__) == ("add", "The sum.")
    assert "out=array" in str(f.neg.__doc__)
    assert repr(f) == "<compiled add(x: Real, y: Real) -> Real>"
    assert repr(f.neg) == "<compiled neg(x: Real) -> Real>"
    assert list(f.signature.parameters) == ["x", "y"]
    assert f.signature.parameters["x"].annotation is Real
    with pytest.raises(RoseError) as e:
        f["mul"]
    assert message(e) == "the module has no function 'mul'"
    assert e.value.hint == "it has add, neg, wasm"
    with pytest.raises(AttributeError, match="'Compiled' object has no attribute 'mul'"):
        _ = f.mul


def test_it_is_open_for_more() -> None:
    class Built(Compiled):
        """With a method of its own."""

        def save(self) -> bytes:
            return self.wasm

    f = Built(lowered(f'(memory (export "memory") 1) {ADD}', ADD_SIGNATURE), "add")
    assert f(1.0, 2.0) == 3.0
    assert f.save() == f.wasm
    assert f.add is f


def test_nothing_is_compiled_before_the_first_call() -> None:
    broken = Compiled(Lowered(b"\0asm nonsense", {"add": ADD_SIGNATURE}, ()), "add")
    assert repr(broken).startswith("<compiled")
    with pytest.raises(wasmtime.WasmtimeError):
        broken(1.0, 2.0)


def test_large_vectors() -> None:
    n = 1_000_000
    x = np.random.default_rng(0).normal(size=n)
    assert (identity(Vec(n, Real))(x) == x).all()


# threads


SQUARE_SUM = """
  (func (export "f") (param f64) (local i32)
    (f64.store (i32.const 8192) (local.get 0))
    (loop
      (f64.store (i32.add (i32.const 4096) (local.get 1))
        (f64.add (f64.load (i32.const 8192)) (f64.load (local.get 1))))
      (local.set 1 (i32.add (local.get 1) (i32.const 8)))
      (br_if 0 (i32.lt_u (local.get 1) (i32.const 800)))))
"""


def in_threads(count: int, body: Callable[[int], None]) -> None:
    failures: list[BaseException] = []
    start = threading.Barrier(count)

    def run_one(k: int) -> None:
        try:
            start.wait()
            body(k)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=run_one, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_threads() -> None:
    t = Vec(100, Real)
    f = module(SQUARE_SUM, signature("f", {"v": (t, 0), "x": Real}, t, 4096))

    def body(k: int) -> None:
        v = np.arange(100.0) * (k + 1)
        for i in range(300):
            assert (f(v, float(i)) == v + i).all()

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        in_threads(8, body)
    finally:
        sys.setswitchinterval(switch)


def test_threads_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = wasmtime.Module

    def counted(*args: Any) -> Any:
        made.append(1)
        return original(*args)

    monkeypatch.setattr(wasmtime, "Module", counted)
    f = module(ADD, ADD_SIGNATURE)
    in_threads(8, lambda k: [f(1.0, float(k)) for _ in range(10)] and None)
    assert made == [1]


def test_the_instance_of_a_thread_goes_with_it() -> None:
    f = module(ADD, ADD_SIGNATURE)
    stores: list[Any] = []
    in_threads(1, lambda _: stores.append((f(1.0, 2.0), weakref.ref(f._module._local.own.store))[1]))
    gc.collect()
    assert stores[0]() is None
    assert f(1.0, 2.0) == 3.0


def test_exceptions_of_threads_are_not_mixed_up() -> None:
    def body(x: float) -> float:
        raise ValueError(x)

    f = module(CALLS, *CALL_SIGNATURES, imports=(func_of(body, {"x": Real}, Real),))

    def check(k: int) -> None:
        for i in range(100):
            x = float(1000 * k + i)
            with pytest.raises(ValueError, match=f"^{x}$"):
                f(x)

    in_threads(8, check)


# opaque functions


def func_of(body: Callable[..., Any], params: dict[str, Type], result: Type, name: str = "host") -> Func:
    """An opaque function, as `@opaque` makes it."""
    names = list(params)
    scope: dict[str, Any] = {"body": body}
    exec(f"def {name}({', '.join(names)}): return body({', '.join(names)})", scope)
    f = scope[name]
    f.__annotations__ = {**params, "return": result}
    return opaque(name=name)(f).func


CALLS = """
  (import "opaque" "host" (func $host (param f64) (result f64)))
  (memory (export "memory") 1)
  (func (export "f") (param f64) (result f64)
    (f64.store (i32.const 0) (local.get 0))
    (f64.add (call $host (local.get 0)) (f64.load (i32.const 0))))
  (func (export "g") (param f64) (result f64)
    (f64.store (i32.const 0) (local.get 0))
    (call $host (f64.add (local.get 0) (f64.const 1))))
"""
CALL_SIGNATURES = (signature("f", {"x": Real}, Real), signature("g", {"x": Real}, Real))


def calling(body: Callable[[float], Any]) -> Compiled:
    return module(CALLS, *CALL_SIGNATURES, imports=(func_of(body, {"x": Real}, Real),))


def test_an_opaque_function_of_numbers() -> None:
    seen: list[Any] = []

    def body(x: float) -> float:
        seen.append(x)
        return x * 10.0

    f = calling(body)
    assert f(2.0) == 22.0
    assert f.g(2.0) == 30.0
    assert seen == [2.0, 3.0]
    assert {type(x) for x in seen} == {float}
    assert calling(lambda x: np.float32(2))(1.0) == 3.0
    assert calling(lambda x: 2)(1.0) == 3.0


def test_scalars_of_all_kinds_to_an_opaque_function() -> None:
    seen: list[Any] = []

    def body(p: bool, i: int, nothing: None, x: float, empty: Any) -> int:
        seen.append((p, i, nothing, x, empty.shape))
        return i

    kinds = {"p": Bool, "i": Fin(2**32 - 1), "nothing": Unit, "x": Real, "empty": Vec(0, Real)}
    f = module(
        """(import "opaque" "host" (func $host (param i32 i32 f64) (result i32)))
           (memory (export "memory") 1)
           (func (export "f") (param i32 i32 f64) (result i32)
             (call $host (local.get 0) (local.get 1) (local.get 2)))""",
        signature("f", kinds, Fin(2**32 - 1)),
        imports=(func_of(body, kinds, Fin(2**32 - 1)),),
    )
    for p, i in [(True, 3), (False, 2**31), (True, 2**32 - 2)]:
        assert f(p, i, None, 1.5, []) == i
        assert seen[-1] == (p, i, None, 1.5, (0,))
        assert type(seen[-1][0]) is bool


AGGREGATES = """
  (import "opaque" "host" (func $host (param i32 i32)))
  (memory (export "memory") 1)
  (func (export "f") (call $host (i32.const 0) (i32.const 512)))
"""


def with_aggregates(body: Callable[..., Any]) -> Compiled:
    t, r = as_type({"p": Vec(2, as_type(Point)), "v": Vec(3, Real)}), as_type(Pair)
    return module(AGGREGATES, signature("f", {"x": (t, 0)}, r, 512), imports=(func_of(body, {"x": t}, r),))


def test_an_opaque_function_of_aggregates() -> None:
    seen: list[Any] = []

    def body(x: Any) -> Any:
        seen.append(x)
        return Pair(3, x["v"][:2] + x["p"][1].y)

    f = with_aggregates(body)
    for k in (1.0, 2.0):
        got = f({"p": [Point(1.0, 2.0), Point(3.0, 4.0)], "v": [k, 6.0, 7.0]})
        assert got.first == 3
        assert got.second.tolist() == [k + 4.0, 10.0]
    assert seen[0]["p"] == [Point(1.0, 2.0), Point(3.0, 4.0)]
    assert [x["v"].tolist() for x in seen] == [[1.0, 6.0, 7.0], [2.0, 6.0, 7.0]]
    assert isinstance(seen[0]["v"], np.ndarray)


@pytest.mark.parametrize(
    ("result", "what"),
    [
        (None, "what host returns must be a Pair, got None"),
        ((9, [1.0, 2.0]), "what host returns.first is out of range: 9"),
        ((1, [1.0]), "what host returns.second must have 2 elements, got 1"),
    ],
)
def test_a_wrong_aggregate_from_an_opaque_function(result: Any, what: str) -> None:
    f = with_aggregates(lambda x: result)
    with pytest.raises(RoseError) as e:
        f({"p": [(1, 2), (3, 4)], "v": [1, 2, 3]})
    assert e.value.message == what


def test_a_wrong_number_from_an_opaque_function() -> None:
    def body(x: float) -> Any:
        return "a"

    signatures = (signature("f", {"x": Real}, Real), signature("g", {"x": Real}, Real))
    body.__annotations__ = {"x": Real, "return": Real}
    f = module(CALLS, *signatures, imports=(opaque(body).func,))
    with pytest.raises(TypeMismatch) as e:
        f(1.0)
    assert message(e) == "what body returns must be a Real, got 'a' (str)"
    assert e.value.loc is not None
    assert e.value.loc.code.co_name == "body"


def test_an_opaque_function_without_a_result() -> None:
    seen: list[float] = []
    f = module(
        """(import "opaque" "host" (func $host (param f64)))
           (memory (export "memory") 1)
           (func (export "f") (param f64) (call $host (local.get 0)) (call $host (f64.const 2)))""",
        signature("f", {"x": Real}, Unit),
        imports=(func_of(seen.append, {"x": Real}, Unit),),
    )
    assert f(1.0) is None
    assert seen == [1.0, 2.0]


def test_memory_that_grew_meanwhile() -> None:
    t = Vec(2, Real)
    f = module(
        """(import "opaque" "host" (func $host (param i32 i32)))
           (memory (export "memory") 1)
           (func (export "f") (result f64) (local i32)
             (local.set 0 (i32.mul (memory.grow (i32.const 1)) (i32.const 65536)))
             (f64.store (local.get 0) (f64.const 3))
             (call $host (local.get 0) (i32.add (local.get 0) (i32.const 64)))
             (f64.load (i32.add (local.get 0) (i32.const 72))))""",
        signature("f", {}, Real),
        imports=(func_of(lambda v: [0.0, v[0] + 1.0], {"v": t}, t),),
    )
    for _ in range(5):
        assert f() == 4.0


def test_a_call_within_a_call() -> None:
    """f(x) = f(x - 1) + x, where the memory still has to hold x after the inner call."""

    def body(x: float) -> float:
        return f(x - 1.0) if x > 0.0 else 0.0

    f = calling(body)
    assert f(5.0) == 15.0
    assert len(f._module._local.free) == 6
    assert f(3.0) == 6.0
    assert len(f._module._local.free) == 6


def test_a_call_of_another_function_of_the_module_within_a_call() -> None:
    f = calling(lambda x: f.g(x) if x < 3.0 else x)
    assert f(2.0) == 5.0


def test_threads_and_calls_within_calls() -> None:
    f = calling(lambda x: f(x - 1.0) if x > 0.0 else 0.0)
    in_threads(8, lambda k: [1 / (f(float(k)) == k * (k + 1) / 2) for _ in range(20)] and None)


class Oops(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, Oops, ZeroDivisionError, RecursionError])
def test_an_exception_of_an_opaque_function_is_itself(kind: type[BaseException]) -> None:
    error = kind("mine")
    error.__cause__ = cause = ValueError("why")

    def body(x: float) -> float:
        if x > 1.0:
            raise error
        return x

    f = calling(body)
    for _ in range(3):
        with pytest.raises(kind, match="mine") as e:
            f(2.0)
        assert e.value is error
        assert e.value.__cause__ is cause
        assert f(1.0) == 2.0
    func: Any = wasmtime._func
    assert func.LAST_EXCEPTION is None
    assert f._module._local.free[0].raised == []


def test_an_exception_through_two_calls() -> None:
    def body(x: float) -> float:
        if x <= 0.0:
            raise LookupError("deep")
        try:
            return f(x - 1.0)
        except LookupError:
            if x == 2.0:
                return 100.0
            raise

    f = calling(body)
    assert f(3.0) == 105.0 - 2.0 + 2.0
    with pytest.raises(LookupError, match="deep"):
        f(1.0)


def test_endless_calls_within_calls() -> None:
    f = calling(lambda x: f(x))
    with pytest.raises(RoseError) as e:
        f(1.0)
    assert message(e) == "50 calls wait for one another"


# traps


TRAPS = """
  (func (export "dead") (param f64) (result f64) unreachable)
  (func (export "far") (param f64) (result f64) (f64.load (i32.const -8)))
  (func $deep (export "deep") (param f64) (result f64) (f64.add (f64.const 1) (call $deep (local.get 0))))
  (func (export "fine") (param f64) (result f64) local.get 0)
"""


@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("dead", "the compiled function stopped: wasm `unreachable` instruction executed", "please report it"),
        ("far", "the compiled function stopped: out of bounds memory access", "please report it"),
        ("deep", "the compiled function stopped: call stack exhausted", "nest too deeply"),
    ],
)
def test_traps(name: str, what: str, hint: str) -> None:
    f = module(TRAPS, *[signature(k, {"x": Real}, Real) for k in ("fine", "dead", "far", "deep")])
    for _ in range(3):
        with pytest.raises(RoseError) as e:
            f[name](1.0)
        assert message(e) == what
        assert hint in e.value.hint
        assert f(2.0) == 2.0


# wasmtime's private parts


def fake(**changes: Any) -> Any:
    """wasmtime's private module, in part."""
    parts = ["wasmtime_context_t", "wasmtime_func_t", "wasmtime_val_raw_t", "wasm_trap_t", "wasm_functype_t"]
    parts += ["wasmtime_caller_t", "wasmtime_func_unchecked_callback_t", "wasmtime_func_new_unchecked", "dll"]
    return python_types.SimpleNamespace(**{**{k: getattr(rawcall._ffi, k) for k in parts}, **changes})


def test_private_parts_are_used_only_as_they_are_known() -> None:
    assert rawcall.find(fake()) is not None
    assert rawcall.find(None) is None
    for name in vars(fake()):
        changed = fake()
        delattr(changed, name)
        assert rawcall.find(changed) is None
    assert rawcall.find(fake(wasmtime_val_raw_t=ctypes.c_uint64)) is None
    assert rawcall.find(fake(wasmtime_func_unchecked_callback_t=ctypes.CFUNCTYPE(None))) is None
    assert rawcall.find(fake(wasmtime_func_t=ctypes.c_int)) is None
    assert rawcall.find(fake(dll=python_types.SimpleNamespace())) is None


# pickles


needs_types_that_pickle = pytest.mark.skipif("__reduce__" not in vars(types.Fin), reason="types do not pickle yet")


def triple(x: Real) -> Real:
    return x * 3.0


@opaque
def double(x: Real) -> Real:
    return x * 2.0


def copied(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


@needs_types_that_pickle
def test_pickles() -> None:
    f = module(
        f'{ADD} (func (export "two") (result f64) f64.const 2)', ADD_SIGNATURE, signature("two", {}, Real), doc="Sum."
    )
    assert f(1.0, 2.0) == 3.0
    g = copied(f)
    assert (g(1.0, 2.0), g.two(), g.wasm, g.__name__, g.__doc__) == (3.0, 2.0, f.wasm, "add", "Sum.")
    assert type(g) is Compiled
    assert copied(f.two)() == 2.0


@needs_types_that_pickle
@pytest.mark.parametrize("t", [Vec(2, Vec(3, Real)), as_type(Mixed), as_type(Pair), as_type({"a": Real, "b": Bool})])
def test_signatures_come_back_as_they_were(t: Type) -> None:
    f = identity(t)
    g = copied(f)
    assert g.signatures == f.signatures
    assert g.signature.return_annotation is t
    assert pickle.dumps(g) == pickle.dumps(f)


@needs_types_that_pickle
@pytest.mark.parametrize("func", [double.func, opaque(name="Math.triple")(triple).func])
def test_opaque_functions_pickle_by_name(func: Func) -> None:
    f = module(CALLS, *CALL_SIGNATURES, imports=(func,))
    g = copied(f)
    assert g(5.0) == f(5.0)
    assert g.lowered.imports[0].impl is func.impl
    assert g.lowered.imports[0].name == func.name


def test_an_opaque_function_that_cannot_be_found_again() -> None:
    f = calling(lambda x: x)
    with pytest.raises(RoseError) as e:
        pickle.dumps(f)
    assert message(e).startswith("the opaque function host cannot be pickled: ")
    assert "at the top of a module" in e.value.hint


def test_alignment_of_the_identity() -> None:
    assert all(16 % align(t) == 0 for t in (Real, Bool, Fin(3), as_type(Mixed)))
