"""Values on their way into the memory of a module, and out of it again."""

import dataclasses
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from handwritten_modules import ADD, ADD_SIGNATURE, Mixed, Pair, Point, identity, message, module, signature
from hypothesis import given, settings
from hypothesis import strategies as st

import rose
from rose.errors import OutOfRange, TypeMismatch
from rose.frontend.annotations import as_type
from rose.host.marshal import plain, present
from rose.ir.forms import form_of
from rose.ir.types import Bool, Fin, Real, Tuple, Type, Unit, Vec, tuple_of
from wasm_backend.abi.layout import offsets

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
        np.array([True, False, True]),
        [2**53 + 2, -(2**70), float("inf")],
        np.array([2**53 + 2, -(2**53), 3]),
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
        ([1, 2**53 + 1, 3], "x[1] must be a Real, got 9007199254740993 (int)"),
        ([1.0, 2.0, -(2**53) - 1], "x[2] must be a Real, got -9007199254740993 (int)"),
        ((np.int64(2**53 + 1), 2, 3), "x[0] must be a Real, got np.int64(9007199254740993) (int64)"),
        (np.array([1, 2, 2**53 + 1]), "x[2] must be a Real, got 9007199254740993 (int)"),
        (np.array([2**63 + 1, 2, 3], np.uint64), "x[0] must be a Real, got 9223372036854775809 (int)"),
        ([True, False, True], "x[0] must be a Real, got True (bool)"),
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


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8])
def test_a_vector_of_conditions_is_an_array_of_0_and_1(dtype: Any) -> None:
    f = identity(Vec(2, Vec(2, Bool)))
    assert f(np.array([[0, 1], [1, 1]], dtype)).tolist() == [[False, True], [True, True]]
    assert f(np.empty((2, 2), dtype) > 300).dtype == bool


@pytest.mark.parametrize("x", [np.array([0, 2]), np.array([-1, 1]), np.array([0.0, 1.0]), [0, 1]])
def test_other_numbers_are_no_conditions(x: Any) -> None:
    with pytest.raises(TypeMismatch, match="must be a Bool"):
        identity(Vec(2, Bool))(x)


@pytest.mark.parametrize(("x", "fits"), [(2**53, True), (2**53 + 1, False), (2**53 + 2, True), (-(2**53) - 1, False)])
def test_a_whole_number_is_refused_where_it_would_be_rounded(x: int, fits: bool) -> None:
    constant = lambda n: rose.fn([Real], Real)(lambda y: y * n).func
    of_arrays = lambda n: rose.fn([Real], Real)(lambda y: (y * np.array([n]))[0]).func
    for f in (identity(Real), constant, of_arrays):
        for n in (x, np.int64(x)):
            if fits:
                assert f(n) is not None
                continue
            with pytest.raises(TypeMismatch, match="9007199254740993"):
                f(n)


def test_complex_numbers_are_rounded_to_single_precision_where_they_are_pythons() -> None:
    t = rose.Vec[3, rose.Complex]
    f = rose.compile(rose.fn([t], t)(lambda z: 2.0 * z), dtype="f32")
    z = [0.1, 1e-3j, 3.0]
    for x in (z, tuple(z), np.complex64(z), np.arange(3, dtype=np.int16), np.float32([1, 2, 3])):
        assert f(x).tolist() == (2 * np.complex64(x)).tolist()
    for wide, hint in ((np.array(z), "complex64"), (np.ones(3), "float32"), ([np.complex128(1j)] * 3, "complex64")):
        with pytest.raises(TypeMismatch, match="and the module computes in float32") as e:
            f(wide)
        assert e.value.hint == f"write x.astype(np.{hint}) to have it rounded"
    with pytest.raises(TypeMismatch, match=r"z\[1\].imag must be a Single, got 1e\+300"):
        f([0.0, 1e300j, 0.0])


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
    with pytest.raises(TypeMismatch) as e:
        f([1, 0, 1])
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


@dataclasses.dataclass
class Swapped:
    x: Real
    y: Real

    def __init__(self, y: Any, x: Any) -> None:
        self.x, self.y = x, y


@dataclasses.dataclass(kw_only=True)
class Named:
    x: Real
    y: Real


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: Real
    y: Real
    sum: Any = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sum", self.x + self.y)


class Turned(type):
    def __call__(cls, x: Any, y: Any) -> Any:
        made = cls.__new__(cls)
        made.x, made.y = x, y
        return made


@dataclasses.dataclass
class Odd(metaclass=Turned):
    y: Real
    x: Real


@dataclasses.dataclass
class Old:
    x: Real
    y: Real

    def __new__(cls, y: Any, x: Any) -> Any:
        made = super().__new__(cls)
        made.seen = (x, y)
        return made


@pytest.mark.parametrize("cls", [Swapped, Named, Frozen, Odd, Old])
def test_an_object_is_made_as_by_the_names_of_its_fields(cls: Any) -> None:
    given = cls(x=1.0, y=2.0)
    f, g = identity(as_type(cls)), identity(Vec(2, as_type(cls)))
    for got in (f(given), f({"x": 1, "y": 2}), *g([given, given])):
        assert type(got) is cls
        assert (got.x, got.y) == (1.0, 2.0)
        assert getattr(got, "sum", 3.0) == 3.0
        assert getattr(got, "seen", (1.0, 2.0)) == (1.0, 2.0)


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
    Real: st.floats(width=64) | st.integers(-(2**60), 2**60).map(float).map(int),  # one that is rounded is refused
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


@pytest.mark.slow
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
    np.testing.assert_equal(bare(identity(t)(x, view=True)), bare(want))


def comparable(x: Any) -> Any:
    """Structs as tuples, arrays as lists."""
    if isinstance(x, Point):
        x = (x.x, x.y)
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, dict):
        return {k: comparable(y) for k, y in x.items()}
    return type(x)(comparable(y) for y in x) if isinstance(x, (list, tuple)) else x


def bare(x: Any) -> Any:
    """All that has parts as a tuple: a record has no more."""
    if isinstance(x, (np.ndarray, np.void)):
        x = x.tolist()
    if isinstance(x, (Point, dict)):
        x = x.values() if isinstance(x, dict) else (x.x, x.y)
    return x if isinstance(x, (float, int, type(None))) else tuple([bare(y) for y in x])


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


@pytest.mark.parametrize("change", [{"writeable": False}, {"shape": (2, 2)}])
def test_an_out_that_was_changed_since_the_last_call_is_looked_at_again(change: dict[str, Any]) -> None:
    f, out = identity(Vec(4, Real)), np.zeros(4)
    assert f([1.0, 2.0, 3.0, 4.0], out=out) is out and out.tolist() == [1.0, 2.0, 3.0, 4.0]
    if "shape" in change:
        out.shape = change["shape"]
    else:
        out.flags.writeable = False
    with pytest.raises(TypeMismatch, match=r"^out must be an array of shape \(4,\) of float64, got"):
        f([1.0, 2.0, 3.0, 4.0], out=out)


def test_a_view_can_be_reshaped_and_the_next_one_is_as_before() -> None:
    f = identity(Vec(4, Real))
    view = f([1.0, 2.0, 3.0, 4.0], view=True)
    view.shape = (2, 2)
    assert f([5.0, 2.0, 3.0, 4.0], view=True).tolist() == [5.0, 2.0, 3.0, 4.0] and view[0, 0] == 5.0


def test_an_out_is_not_kept_alive() -> None:
    f, out = identity(Vec(2, Real)), np.zeros(2)
    gone = weakref.ref(f([1.0, 2.0], out=out))
    del out
    gc.collect()
    assert gone() is None


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


@pytest.mark.slow
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


# what is empty, and scalars


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
    ("t", "want"),
    [
        (Vec(0, Real), []),
        (tuple_of(), ()),
        (tuple_of(Unit, Vec(0, Bool)), (None, [])),
        (Vec(3, Unit), [None] * 3),
        (Vec(2, tuple_of()), [(), ()]),
    ],
)
def test_empty_results(t: Type, want: Any) -> None:
    f = module('(func (export "f"))', signature("f", {}, t))
    assert lists(f()) == want


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


# arrays of structs

QUAD = as_type({"k": Fin(9), "p": Point, "v": Vec(2, Real), "ps": Vec(2, as_type(Point))})
RECORD = np.dtype(
    [("p", [("y", "f4"), ("x", "f8")]), ("v", "i2", 2), ("k", "u1"), ("ps", [("x", "f8"), ("y", "f8")], 2)]
)
RECORDS = np.array([((2, 1), [3, 4], 5, [(6, 7), (8, 9)]), ((0, 0.5), [1, 2], 3, [(4, 5), (6, 7)])], RECORD)


def test_an_array_of_records_is_a_vector_of_structs_by_the_names_of_the_fields() -> None:
    first, second = identity(Vec(2, QUAD))(RECORDS)
    assert (first["k"], first["p"], first["v"].tolist()) == (5, Point(1.0, 2.0), [3.0, 4.0])
    assert (second["k"], second["p"].x, second["ps"]) == (3, 0.5, [Point(4.0, 5.0), Point(6.0, 7.0)])


@pytest.mark.parametrize(
    ("x", "what"),
    [
        (RECORDS[:1], "x must have 2 elements, got 1"),
        (RECORDS[["k", "v"]], "x[0] is missing field 'p'"),
        (
            np.zeros((2, 5)),
            "x[0] must be a {k: Fin[9], p: Point, v: Vec[2], ps: Vec[2, Point]}, got [0.0, 0.0, 0.0, 0.0, 0.0] (list)",
        ),
    ],
)
def test_an_array_of_other_records_is_refused(x: Any, what: str) -> None:
    with pytest.raises(TypeMismatch) as e:
        identity(Vec(2, QUAD))(x)
    assert message(e) == what


def test_fields_of_records_that_no_field_of_the_struct_is_called_are_left_out() -> None:
    wide = np.zeros(2, [("z", "f8"), *RECORD.descr])
    for k in RECORD.names or ():
        wide[k] = RECORDS[k]
    f = identity(Vec(2, QUAD))
    assert comparable(f(wide)) == comparable(f(RECORDS))


class Frame:
    """A table with columns by name, as pandas and others have them."""

    def __init__(self, **columns: Any) -> None:
        self.data, self.columns = columns, [*columns]
        self.shape = len(columns["x"]), len(columns)

    def __getitem__(self, name: str) -> Any:
        return self.data[name]


class Column:
    """A column as Arrow has it: a length, and an array when NumPy asks."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, numbers: list[Any]) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.array(self.numbers)


class ArrowTable:
    """A table as Arrow has it: `columns` are the columns, and their names are apart. It has a hash of no column."""

    def __init__(self, **columns: Any) -> None:
        self.column_names, self.columns = [*columns], [Column(x) for x in columns.values()]
        self.shape = len(columns["x"]), len(columns)

    def __getitem__(self, name: str) -> Any:
        return self.columns[self.column_names.index(name)]


def test_a_table_of_arrow_is_read_by_names_and_its_columns_are_vectors() -> None:
    n = rose.dim("n")
    table = ArrowTable(city=["Oslo", "Bergen"], y=[1, 2], x=[3.0, 4.0])
    assert rose.fn([rose.Vec[n, Point]], rose.Real)(lambda ps: rose.sum(p.x * p.y for p in ps))(table) == 11.0
    assert rose.fn([rose.Vec[n], rose.Vec[n]], rose.Real)(np.dot)(table["x"], table["y"]) == 11.0


def test_a_table_is_a_struct_of_vectors_by_the_names_of_its_columns() -> None:
    columns = rose.struct(type("Columns", (), {"__annotations__": {"x": rose.Vec[2], "y": rose.Vec[2]}}))
    f = rose.fn([columns], rose.Real)(lambda c: c.x @ c.y)
    assert f(Frame(city=["Oslo", "Bergen"], y=[1.0, 2.0], x=[3.0, 4.0])) == 11.0
    assert f(ArrowTable(y=[1.0, 2.0], x=[3.0, 4.0])) == 11.0
    with pytest.raises(TypeMismatch, match="is missing field 'y'"):
        f(Frame(x=[1.0, 2.0]))


@pytest.mark.parametrize("of", [list, np.array])
def test_a_table_is_a_vector_of_structs_by_the_names_of_its_columns(of: Callable[[Any], Any]) -> None:
    table = Frame(city=["Oslo", "Bergen"], y=of([1.0, 2.0]), x=of([3.0, 4.0]))
    assert identity(Vec(2, as_type(Point)))(table) == [Point(3.0, 1.0), Point(4.0, 2.0)]
    points = rose.Vec[rose.dim("n"), Point]
    assert rose.fn([points], rose.Real)(lambda ps: rose.sum(p.x * p.y for p in ps))(table) == 11.0


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (Frame(x=[1.0, 2.0]), "x[0] is missing field 'y'"),
        (Frame(x=[1.0], y=[2.0]), "x must have 2 elements, got 1"),
        (Frame(x=[1.0, 2.0], y=[2.0, "?"]), "x[1].y must be a Real, got '?' (str)"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table: Frame, what: str) -> None:
    with pytest.raises(TypeMismatch) as e:
        identity(Vec(2, as_type(Point)))(table)
    assert message(e) == what


@pytest.mark.parametrize("rows", [10, (2, 5)])
def test_of_many_dicts_that_do_not_fit_few_errors_are_made(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr("rose.host.marshal.spell", lambda path: made.append(path) or "x")  # which each error does
    x = [{"x": 1.0, "y": 2.0, "z": 3.0}] * 10
    given, t = (x, Vec(10, as_type(Point))) if rows == 10 else ([x[:5], x[5:]], Vec(2, Vec(5, as_type(Point))))
    with pytest.raises(TypeMismatch, match=r"has the unknown field 'z'"):
        identity(t)(given)
    assert len(made) <= 3


def test_an_index_out_of_range_in_a_record_is_named() -> None:
    wrong = RECORDS.copy()
    wrong["k"][1] = 9
    with pytest.raises(OutOfRange, match=r"x\[1\].k is out of range: 9"):
        identity(Vec(2, QUAD))(wrong)


def test_the_view_of_a_vector_of_structs_is_an_array_of_records() -> None:
    f = identity(Vec(2, QUAD))
    view = f(RECORDS, view=True)
    assert view.p.x.tolist() == [1.0, 0.5] and view[0].ps[1].y == 9.0 and view["k"].tolist() == [5, 3]
    assert not view.flags.writeable and comparable(f(view.copy())) == comparable(f(RECORDS))
    assert identity(Vec(0, QUAD))([], view=True).shape == (0,)


@pytest.mark.parametrize("out", [np.zeros(2, RECORD), identity(Vec(2, QUAD))(RECORDS, view=True).copy()])
def test_structs_are_written_into_an_array_of_records(out: Any) -> None:
    f, fits = identity(Vec(2, QUAD)), out.dtype["v"].base == np.float64
    if fits:
        assert f(RECORDS[::-1], out=out) is out and out["k"].tolist() == [3, 5] and out["p"]["x"][1] == 1.0
    else:
        with pytest.raises(TypeMismatch, match=r"^out must be an array of .* of shape"):
            f(RECORDS, out=out)


def test_structs_of_equal_fields_are_the_rows_of_an_array() -> None:
    f, x, out = identity(Vec(3, Vec(2, as_type(Point)))), np.arange(12.0).reshape(3, 2, 2), np.zeros((3, 2, 2))
    assert f(x)[1][1] == Point(6.0, 7.0) and f(x, view=True).y.tolist() == x[..., 1].tolist()
    assert (f(x, out=out) == x).all()
    with pytest.raises(TypeMismatch):
        f(x, out=np.zeros((3, 2, 3)))
