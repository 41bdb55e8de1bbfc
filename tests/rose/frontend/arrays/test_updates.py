"""`x.at[i].set(v)` and its kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate
from costs import cost

import rose
from rose import Bool, Fin, Real, RoseError, Vec, dim, fn

X = np.random.default_rng(0).normal(size=(4, 5))
KEYS = """1 | 1,2 | -1,-2 | :,1 | 1:3 | ::2,1: | ::-1,0 | [0,2] | [1,1,0] | :,[0,1,1] | [0,1],[2,2] | ... | 0:0 |
    3:0:-2,::-2 | None,1 | [[0],[2]],[1,1] | X > 0 | X[:, 0] > 0,1: | [True,False,True,True]"""
KINDS: dict[str, Any] = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def changed(x: Any, key: str, kind: str, y: Any) -> Any:
    if isinstance(x, np.ndarray):
        x, k = x.copy(), eval(f"np.s_[{key}]", {"X": X, "np": np})
        return KINDS[kind].at(x, k, y) if kind != "set" else x.__setitem__(k, y), x
    return getattr(eval(f"x.at[{key}]", {"X": X, "x": x}), kind)(y)


@pytest.mark.parametrize("kind", ["set", *KINDS])
@pytest.mark.parametrize("key", [key.strip() for key in KEYS.split("|")])
def test_a_change_is_what_numpy_does_in_place(key: str, kind: str):
    y = np.random.default_rng(1).normal(size=eval(f"X[{key}]").shape)
    for new in (y, 2.5):
        agree(lambda x, new=new: changed(x, key, kind, new), lambda x, new=new: changed(x, key, kind, new)[1], [X])


def test_the_array_itself_stays_as_it_is():
    f = fn([Vec[3], Real], Real)(lambda x, v: rose.sum(x.at[1].set(v)) * 100.0 + rose.sum(x))
    assert f([1.0, 2.0, 3.0], 5.0) == 906.0


@pytest.mark.parametrize("kind", ["set", "add", "mul", "max"])
@pytest.mark.parametrize("key", ["1", "1:", "[0, 2, 2]"])
def test_derivatives_in_both_modes_and_twice(kind: str, key: str):
    differentiate(lambda x, y: changed(x, key, kind, y[0] + 0.1), (3,), (1,))


def test_traced_indices_name_an_element():
    f = fn([Vec[2, 3], Fin[2], Fin[3], Vec[2, Fin[3]]], Vec[2, 3])(
        lambda x, i, j, k: x.at[i, 2 - j].set(9.0).at[1 - i, k].add(1.0)
    )
    assert np.array_equal(f(np.zeros((2, 3)), 0, 0, [1, 1]), [[0.0, 0.0, 9.0], [0.0, 2.0, 0.0]])


def test_elements_of_other_types_are_set():
    pair = tuple[Real, Real]
    f = fn([Vec[2, pair], Vec[2, Bool], Vec[2, Fin[5]]], tuple[Vec[2, pair], Vec[2, Bool], Vec[2, Fin[5]]])(
        lambda x, c, i: (x.at[0].set(x[1]), c.at[1].set(c[0]), i.at[:].set(i[1]))
    )
    x, c, i = f([(1.0, 2.0), (3.0, 4.0)], [True, False], [1, 4])
    assert (list(map(tuple, x)), list(c), list(i)) == ([(3.0, 4.0)] * 2, [True, True], [4, 4])


def test_a_size_may_be_that_of_a_call():
    n = dim("n")
    f = fn([Vec[n + 1], Vec[n]], Vec[n + 1])(lambda x, y: x.at[0].set(7.0).at[1:].mul(y))
    assert list(rose.compile(f, dynamic=True)([1.0, 2.0, 3.0], [4.0, 5.0])) == [7.0, 8.0, 15.0]


@pytest.mark.parametrize("kind", ["set", "add", "mul"])
def test_a_gradient_costs_a_constant_times_the_value(kind: str):
    ratios = list[float]()
    for n in (16, 64):
        f = fn([Vec[n], Vec[4]], Real)(lambda x, y: rose.norm(changed(x, "2:6", kind, y)))
        x = [0.1 * k for k in range(n)], [1.0, 2.0, 3.0, 4.0]
        ratios.append(cost(rose.grad(f).func, *x) / cost(f.func, *x))
    assert ratios[1] <= min(10.0, 1.15 * ratios[0])


@pytest.mark.parametrize("kind", ["set", *KINDS])
@pytest.mark.parametrize("condition", ["x > 0.3", "x[:, 0] > 0.3", "x.sum() > 0.0", "(x > 0.3) & (x < 0.5)"])
def test_conditions_that_a_run_decides_keep_the_shape(condition: str, kind: str):
    of: Any = lambda x, new: getattr(x.at[eval(condition)], kind)(new)
    theirs: Any = lambda x, new: changed(x, condition.replace("x", "X"), kind, new)[1]
    agree(lambda x: of(x, 2.5), lambda x: theirs(x, 2.5), [X])
    agree(lambda x: of(x, x + 1.0), lambda x: theirs(x, (x + 1.0)[eval(condition)]), [X])


def test_conditions_may_be_of_nothing_and_of_any_size():
    n = dim("n")
    f = rose.compile(fn([Vec[n]], Vec[n])(lambda x: x.at[x < 0.0].set(0.0)), dynamic=True)
    assert [list(f(x)) for x in ([], [-1.0], [-1.0, 2.0])] == [[], [0.0], [0.0, 2.0]]


@pytest.mark.parametrize("kind", ["set", "add", "mul", "max"])
def test_conditions_have_derivatives(kind: str):
    differentiate(lambda x, y: changed(x, "x > 0.3", kind, y[0] + 0.1), (3,), (1,))


@pytest.mark.parametrize(
    ("of", "match"),
    [
        (lambda x: x.at[3].set(1.0), "out of range"),
        (lambda x: x.at[1:].set([1.0, 2.0, 3.0]), "do not broadcast"),
        (lambda x: x.at[1].set([1.0, 2.0]), r"has the shape \(\), and cannot become one of \(2,\)"),
        (lambda x: (x > 0.0).at[0].add(1.0), "they are no numbers"),
        (lambda x: x.at[0, 0].set(1.0), "has 1 axes, and 2 are indexed"),
        (lambda x: x.at[x > 0.0].set([1.0, 2.0]), "do not broadcast"),
        (lambda x: x.at[x[1:] > 0.0].set(1.0), r"conditions of the shape \(2,\) are no key of a traced Vec\[3\]"),
        (lambda x: x.at[x > 0.0].set(x[None, None]), "cannot take elements of the shape"),
        (lambda x: x.at + 1.0, "is not a number"),
        (lambda x: x.at[0] + 1.0, "is not a number"),
    ],
)
def test_a_wrong_change_is_an_error(of: Any, match: str):
    with pytest.raises(RoseError, match=match):
        _ = fn([Vec[3]], Vec[3])(of).func
