"""Overload resolution: the row of the table that an operator means, by the types of its operands."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Fin, OutOfRange, Real, Tan, TypeMismatch, Unit, Vec
from rose.frontend.operators import TABLE, as_real, index_into, view
from rose.ir import Builder, building
from rose.ir.types import tuple_of


@pytest.fixture
def b() -> Generator[Builder]:
    with building("f") as b:
        yield b


@pytest.mark.parametrize(
    ("of", "left", "right", "op", "result"),
    [
        (operator.add, Real, Real, "add", Real),
        (operator.add, Fin[3], Fin[4], "iadd", Fin[6]),
        (operator.add, Fin[3], Real, "add", Real),
        (operator.sub, Fin[3], Fin[3], "sub", Real),
        (operator.mul, Fin[3], Fin[4], "imul", Fin[7]),
        (operator.mul, Real, Tan, "mul", Tan),
        (operator.truediv, Fin[3], Real, "div", Real),
        (operator.lt, Fin[3], Fin[9], "ilt", Bool),
        (operator.lt, Fin[3], Real, "lt", Bool),
        (operator.and_, Bool, Bool, "and", Bool),
        (operator.ne, Bool, Bool, "xor", Bool),
    ],
)
def test_types_choose_the_row(b: Builder, of: Callable[[Any, Any], Any], left: Any, right: Any, op: str, result: Any):
    v = of(b.param(left, "x"), b.param(right, "y"))
    assert (v.op.name, v.type) == (op, result)


def test_a_tangent_is_the_first_factor(b: Builder):
    x, dx = b.param(Real, "x"), b.param(Tan, "dx")
    assert (x * dx).args == (dx * x).args == (dx, x)


def test_a_literal_power_is_a_product(b: Builder):
    x = b.param(Real, "x")
    assert (x**2).op.name == "mul"
    assert (x**-1).op.name == "div"
    assert (x**0.5).op.name == "pow"
    assert (x**0).attr == 1.0


def test_an_index_is_divided_by_literals_only(b: Builder):
    i = b.param(Fin[10], "i")
    assert (i // 3).type is Fin[4]
    assert (i % 3).type is Fin[3]
    assert (i // b.param(Real, "x")).type is Real
    with pytest.raises(TypeMismatch, match="an index is divided by a traced Fin"):
        _ = i // i


NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 7.0, 1e300, -5e-324, np.inf, -np.inf, np.nan, 0.6, 1.9999999999999998]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_quotient_of_numbers_is_numpys_to_the_bit():
    xs, ys = [np.array(v) for v in zip(*[(x, y) for x in NUMBERS for y in NUMBERS], strict=True)]
    n = len(xs)
    f = rose.fn([Vec[n], Vec[n]], Vec[n])(lambda x, y: x // y)
    want = xs // ys
    there = ~np.isnan(want)
    for found in (f(xs, ys), rose.compile(f)(xs, ys)):
        assert np.array_equal(found, want, equal_nan=True)
        assert np.array_equal(np.signbit(found)[there], np.signbit(want)[there])
    g = rose.fn([Vec[n], Vec[n]], Vec[2, n])(lambda x, y: rose.stack([*np.divmod(x, y)]))
    assert np.array_equal(g(xs, ys), np.stack(np.divmod(xs, ys)), equal_nan=True)


def test_pythons_roundings_of_a_number():
    f = rose.fn([Real], Real)(
        lambda x: round(x) + 10 * round(x, 1) + 100 * math.floor(x) + math.ceil(x) - math.trunc(x)
    )
    x = -2.46
    assert f(x) == round(x) + 10 * round(x, 1) + 100 * math.floor(x) + math.ceil(x) - math.trunc(x)
    assert rose.grad(f)(x) == 0.0
    h = rose.fn([Real, Real], Real)(lambda x, y: x // y * y + x % y + divmod(7.0, y)[0])
    assert h(7.5, 2.0) == 10.5 and rose.grad(h, 0)(7.5, 2.0) == 1.0


def test_a_quotient_is_an_index_where_it_is_in_range():
    f = rose.fn([Vec[4], Real], Real)(lambda x, t: x[(t // 2.0) % 4])
    assert f([1.0, 2.0, 4.0, 8.0], 7.0) == 8.0


def test_a_number_is_an_array_of_no_axes():
    f = rose.fn([Real], Vec[2, 1])(lambda x: rose.array([x[None], x[..., None] * x[()]]))
    assert f(3.0).tolist() == [[3.0], [9.0]]
    g = rose.fn([Real, Real], Real)(lambda x, y: np.sum(x < y) + np.mean(x) + np.max(y) * np.std(x) + x[...])
    assert g(1.0, 2.0) == 3.0 and rose.grad(g)(1.0, 2.0) == 2.0
    with pytest.raises(TypeMismatch, match="cannot be indexed"):
        _ = rose.fn([Real], Real)(lambda x: x[0]).func


def test_negative_indices_count_from_the_end(b: Builder):
    v = b.param(Vec[3], "v")
    assert index_into(v, -1) == 2
    assert index_into(v, i := b.param(Fin[2], "i")) is i
    for wrong in (3, -4):
        with pytest.raises(OutOfRange, match="out of range for a vector of 3"):
            index_into(v, wrong)


def test_a_slice_is_a_vector(b: Builder):
    v = b.param(Vec[5], "v")
    assert v[1:4].type is Vec[3]
    assert v[::-2].type is Vec[3]
    assert v[4:1].type is Vec[0]


def test_views_and_conversions(b: Builder):
    assert view(b.unit()) is None
    x, i = view(b.param(tuple_of(Real, Fin[2]), "p"))
    assert (x.type, as_real(i).type) == (Real, Real)
    assert view(b.param(Unit, "u")) is None


def test_greater_is_less_with_the_operands_exchanged(b: Builder):
    x, y = b.param(Real, "x"), b.param(Real, "y")
    assert TABLE[">"](x, y).args == TABLE["<"](y, x).args == (y, x)


# the classes of others


class Tagged:
    """A class with all of the methods by which it takes part in an operator on its left."""


NAMES = ["add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul", "and", "or", "xor"]
TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
for method in [*[f"__r{name}__" for name in NAMES], *[f"__{name}__" for name in TURNED]]:
    setattr(Tagged, method, lambda self, x, method=method: (method, x))


class Modest:
    """A class whose operators take none but its own objects."""

    __radd__ = __rmul__ = __gt__ = __eq__ = lambda self, x: NotImplemented  # pyright: ignore
    __hash__ = None  # pyright: ignore


def of(name: str) -> Callable[[Any, Any], Any]:
    return divmod if name == "divmod" else getattr(operator, f"{name}_" if name in ("and", "or") else name)


@pytest.mark.parametrize("name", [*NAMES, *TURNED])
@pytest.mark.parametrize("type", [Real, Vec[3]])
def test_the_class_of_the_right_operand_decides_where_it_says_so(b: Builder, name: str, type: Any):
    x = b.param(type, "x")
    assert of(name)(x, Tagged()) == (f"__{TURNED[name]}__" if name in TURNED else f"__r{name}__", x)


EXTENDED = {  # objects of classes that extend others, and define the operators anew
    "list": type("Items", (Tagged, list), {})([1.0, 2.0, 3.0]),
    "tuple": type("Pair", (Tagged, tuple), {})((1.0, 2.0)),
    "float": type("Dollars", (Tagged, float), {})(2.0),
    "int": type("Count", (Tagged, int), {})(2),
    "array": np.ones(3).view(type("Field", (Tagged, np.ndarray), {})),
}
for cls in map(type, EXTENDED.values()):  # Python and NumPy ask the class itself
    for method in [*[f"__r{name}__" for name in NAMES], *[f"__{name}__" for name in TURNED]]:
        setattr(cls, method, vars(Tagged)[method])


@pytest.mark.parametrize("name", [*NAMES, *TURNED])
@pytest.mark.parametrize("base", EXTENDED)
@pytest.mark.parametrize("type", [Real, Vec[3]])
def test_a_class_that_extends_another_decides_too(b: Builder, name: str, base: str, type: Any):
    x = b.param(type, "x")
    assert of(name)(x, EXTENDED[base]) == (f"__{TURNED[name]}__" if name in TURNED else f"__r{name}__", x)


@pytest.mark.parametrize("number", [np.float64(2.0), np.float32(2.0), np.int64(2), type("Plain", (float,), {})(2.0)])
def test_numbers_without_operators_of_their_own_are_constants(number: Any):
    f = rose.fn([Real], Real)(lambda x: number * x + x**number - number / x)
    assert f(4.0) == 8.0 + 16.0 - 0.5


@pytest.mark.parametrize("name", ["add", "mul", "lt", "eq", "sub"])
@pytest.mark.parametrize("other", [Modest(), "text", None, {}, b"bytes", Tagged])
def test_an_operand_that_no_class_takes_is_our_error(b: Builder, name: str, other: Any):
    with pytest.raises(TypeMismatch, match="expected a number or a traced value"):
        of(name)(b.param(Real, "x"), other)


def test_a_struct_may_have_operators_of_its_own():
    @rose.struct
    class Point:
        x: Real
        y: Real

        def __rmul__(self, k: Any) -> Point:
            return Point(k * self.x, k * self.y)

    f = rose.fn([Real, Point], Point)(lambda k, p: k * p)
    assert f(2.0, Point(3.0, 4.0)) == Point(6.0, 8.0)
    assert rose.jacobian(f, 0)(2.0, Point(3.0, 4.0)) == Point(3.0, 4.0)


class Series:
    """A column as pandas has it: it leaves an operator to the class with the higher priority."""

    __pandas_priority__, shape = 3000, (2,)

    def __mul__(self, other: Any) -> Any:
        return NotImplemented if getattr(other, "__pandas_priority__", 0) > 3000 else [self, other]

    def tolist(self) -> list[float]:
        return [1.0, 2.0]


class Places:
    """A column of whole numbers, or of conditions, or a table of numbers, as pandas has them."""

    def __init__(self, of: Any) -> None:
        self.of = np.array(of)
        self.shape = self.of.shape
        if self.of.ndim == 1:
            self.dtype = self.of.dtype

    shape: Any

    def to_numpy(self) -> Any:
        return self.of

    def tolist(self) -> Any:
        return self.of.tolist()


Places.shape = ()


@pytest.mark.parametrize("key", [[2, 0], [True, False, True]])
def test_a_column_of_pandas_is_a_key(key: list[Any]):
    f = rose.fn([Vec[3]], Vec[2])(lambda v: v[Places(key)])
    assert f([1.0, 2.0, 3.0]).tolist() == np.array([1.0, 2.0, 3.0])[np.array(key)].tolist()
    g = rose.fn([Vec[3]], Vec[3])(lambda v: v.at[Places(key)].set(0.0))
    assert g([1.0, 2.0, 3.0]).tolist() == [0.0, 2.0, 0.0]


def test_a_table_of_pandas_is_an_array():
    f = rose.fn([Real], Vec[2, 2])(lambda x: x * Places([[1.0, 2.0], [3.0, 4.0]]))
    assert f(2.0).tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_a_column_that_is_changed_in_place_says_what_to_write():
    scope: dict[str, Any] = {}
    text = "class Column:\n    def __iadd__(self, x):\n        return NotImplemented.reindex_like"
    exec(compile(text, "/lib/site-packages/pandas/core.py", "exec"), scope)

    def f(x: Any) -> Any:
        s: Any = scope["Column"]()
        s += x
        return s

    with pytest.raises(TypeMismatch, match=r"write s = s \+ x"):
        rose.fn([Real], Real)(f)(1.0)


def test_a_column_of_pandas_is_an_array_on_either_side():
    for product in (lambda x: Series() * x, lambda x: x * Series()):
        f: Any = rose.fn([Vec[2]], Vec[2])(product)
        assert list(f([3.0, 5.0])) == [3.0, 10.0]
