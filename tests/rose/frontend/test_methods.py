"""Methods marked with `@fn`: of objects, whose attributes are constants, and of structs."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.frontend.signatures import is_method

ONES = np.ones(3)


class Model:
    """A model with weights."""

    def __init__(self, w: list[float]) -> None:
        self.w = np.asarray(w)

    @fn
    def loss(self, x: Vec[3], k: Real = 2.0) -> Real:
        """Loss of the model."""
        return np.sum((self.w * x) ** 2) * k + self.first(x)

    @fn(syntax=True)
    def first(self, x: Vec[3]) -> Real:
        for i in rose.range(3):
            if x[i] > 0.5:
                return x[i] * self.w[0]
        return 0.0

    @staticmethod
    @fn
    def square(x: Real) -> Real:
        return x * x


@rose.struct
class Point:
    """A point of the plane."""

    x: Real
    y: Real

    @fn
    def norm(self) -> Real:
        return np.sqrt(self.x**2 + self.y**2)

    @fn
    def plus(self, other: Point, *, k: Real = 1.0) -> Point:
        return Point(self.x + k * other.x, self.y + k * other.y)


def test_each_object_has_a_function_of_its_own_which_is_made_once():
    a, b = Model([1.0, 2.0, 3.0]), Model([0.0, 0.0, 1.0])
    assert a.loss(ONES) == 29.0 and b.loss(ONES) == 2.0 and b.loss(ONES, k=3.0) == 3.0
    assert a.loss is a.loss and a.loss is not b.loss
    assert rose.grad(a.loss)(ONES).tolist() == [5.0, 16.0, 36.0]
    assert rose.compile(a.loss, rose.grad(a.loss))(ONES) == 29.0
    assert (
        str(inspect.signature(a.loss)) == "(x: Vec[3], k: Real = 2.0) -> Real"
        and a.loss.__doc__ == "Loss of the model."
    )
    with rose.eager():
        assert a.loss(ONES) == 29.0
    assert a.square(3.0) == Model.square(3.0) == 9.0


def test_a_method_is_pickled_with_its_object():
    assert pickle.loads(pickle.dumps(Model([1.0, 2.0, 3.0]).loss))(ONES) == 29.0


def test_a_method_of_another_object_is_a_call_in_a_trace():
    model = Model([1.0, 2.0, 3.0])
    f = fn([Vec[3]], Real)(lambda x: model.loss(x) + model.loss(x, 1.0))
    assert f(ONES) == 44.0 and rose.grad(f)(ONES).tolist() == [8.0, 24.0, 54.0]


def test_of_a_struct_the_object_is_a_parameter():
    p = Point(3.0, 4.0)
    assert p.norm() == 5.0 and rose.grad(Point.norm)(p) == Point(pytest.approx(0.6), pytest.approx(0.8))
    assert p.plus(p) == Point(6.0, 8.0) and p.plus(p, k=2.0) == Point(9.0, 12.0)
    f = fn([Point], Real)(lambda p: p.plus(p, k=3.0).norm())
    assert f(p) == 20.0 and rose.grad(f)(p) == Point(pytest.approx(2.4), pytest.approx(3.2))
    assert rose.compile(Point.plus).signature.parameters.keys() == {"self", "other", "k"}


def test_an_object_without_a_dict_has_a_function_at_each_access():
    class Slotted:
        __slots__ = ("a",)

        def __init__(self) -> None:
            self.a = 3.0

        @fn
        def f(self, x: Real) -> Real:
            return x * self.a

    assert Slotted().f(2.0) == 6.0


def test_a_method_of_no_object_is_refused():
    with pytest.raises(rose.TypeMismatch, match="loss is a method of Model, and is called on no object") as e:
        Model.loss(ONES)
    assert "make one: m = Model(...), and write m.loss(...)" in str(e.value)

    def loss(self: Any, x: Real) -> Real:
        return x

    del loss.__annotations__["self"]
    assert not is_method(loss) and is_method(Model.__dict__["loss"].__wrapped__)
    with pytest.raises(rose.TypeMismatch, match="loss needs a type for self"):
        fn(loss)
