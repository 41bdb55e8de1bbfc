"""`rose.lens`: a part of a struct or a vector. The three laws of lenses, to the bit, outside and compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import rose
from rose import Bool, Fin, Real, RoseError, Vec, fn
from rose.frontend.annotations import as_type
from rose.host.interpreter import run
from rose.testing import examine


@rose.struct
class Point:
    x: Real
    y: Vec[2]


DICT = as_type({"z": Real, "g": Vec[2]})


class Pair(NamedTuple):
    a: Real
    b: Real


@rose.struct
class Scene:
    points: Vec[3, Point]
    none: Vec[0]
    empty: Vec[0, Point]
    at: Fin[3]
    on: Bool
    pair: Pair
    grid: Vec[2, 3]
    dict: DICT  # type: ignore


SCENE = Scene(
    [Point(1.0, [2.0, -0.0]), Point(4.0, [5.0, 6.0]), Point(7.0, [8.0, 9.0])], [], [], 1, True, Pair(0.25, -3.0),
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], {"z": 0.5, "g": [1.5, 2.5]},
)  # fmt: skip

LENSES: dict[str, tuple[Any, Any, Any]] = {  # the getter, the type of the part, and two values of it
    "a field": (lambda s: s.at, Fin[3], (0, 2)),
    "a truth": (lambda s: s.on, Bool, (True, False)),
    "an element": (lambda s: s.points[1], as_type(Point), (Point(1.0, [2.0, 3.0]), Point(-0.0, [0.0, 1.0]))),
    "the last element": (lambda s: s.points[-1], as_type(Point), (Point(1.0, [2.0, 3.0]), Point(-0.0, [0.0, 1.0]))),
    "a field of an element": (lambda s: s.points[2].x, Real, (3.5, -0.0)),
    "an element of a field of an element": (lambda s: s.points[0].y[1], Real, (3.5, -0.0)),
    "a vector": (lambda s: s.points[0].y, Vec[2], ([1.0, 2.0], [-0.0, 0.0])),
    "a vector of nothing": (lambda s: s.none, Vec[0], ([], [])),
    "a vector of no structs": (lambda s: s.empty, Vec[0, as_type(Point)], ([], [])),
    "an item of a named tuple": (lambda s: s.pair.b, Real, (3.5, -0.0)),
    "an element of a matrix": (lambda s: s.grid[1, 2], Real, (3.5, -0.0)),
    "a row of a matrix": (lambda s: s.grid[1], Vec[3], ([1.0, 2.0, 3.0], [0.0, -0.0, 1.0])),
    "a member of a dict": (lambda s: s.dict["g"][0], Real, (3.5, -0.0)),
    "the whole": (lambda s: s, as_type(Scene), (SCENE, SCENE)),
}
each_lens = pytest.mark.parametrize("name", LENSES)


def plain(x: Any) -> str:
    """A value as text, with the signs of zeros, whether it has lists or arrays in it."""
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, list):
        return repr([plain(y) for y in x])  # pyright: ignore[reportUnknownVariableType]
    if isinstance(x, (Scene, Point)):
        return repr({k: plain(v) for k, v in vars(x).items()})
    if isinstance(x, dict):
        return repr({k: plain(v) for k, v in x.items()})
    return repr([plain(y) for y in x]) if isinstance(x, tuple) else repr(x)


@each_lens
def test_what_was_set_is_read_and_what_was_read_changes_nothing(name: str):
    getter, _, (v, w) = LENSES[name]
    lens = rose.lens(getter)
    assert plain(lens.get(lens.set(SCENE, v))) == plain(v)
    assert plain(lens.set(SCENE, lens.get(SCENE))) == plain(SCENE)
    assert plain(lens.set(lens.set(SCENE, v), w)) == plain(lens.set(SCENE, w))


@each_lens
def test_the_laws_hold_in_a_module_to_the_bit(name: str):
    getter, t, (v, w) = LENSES[name]
    lens = rose.lens(getter)
    put_get = fn([as_type(Scene), t], t)(lambda s, v: lens.get(lens.set(s, v)))
    get_put = fn([as_type(Scene)], as_type(Scene))(lambda s: lens.set(s, lens.get(s)))
    put_put = fn([as_type(Scene), t, t], as_type(Scene))(lambda s, v, w: lens.set(lens.set(s, v), w))
    assert plain(put_get(SCENE, v)) == plain(v) and plain(get_put(SCENE)) == plain(SCENE)
    assert plain(put_put(SCENE, v, w)) == plain(lens.set(SCENE, w))


@pytest.mark.parametrize("i", range(3))
def test_a_traced_index_has_the_part_that_it_has_outside(i: int):
    @fn
    def scaled(s: Scene, i: Fin[3]) -> Scene:
        return rose.lens(lambda s: s.points[i].y[0]).map(s, lambda v: 2.0 * v)

    outside = rose.lens(lambda s: s.points[i].y[0]).map(SCENE, lambda v: 2.0 * v)
    assert plain(scaled(SCENE, i)) == plain(outside)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_a_lens_in_a_loop_sets_each_element_of_any_size(n: int):
    @fn
    def doubled(v: Vec[n, Pair]) -> Vec[n, Pair]:
        def doubled_at(i: Any, v: Any) -> Any:
            return rose.lens(lambda v: v[i].b).map(v, lambda b: 2.0 * b)

        return rose.scan(doubled_at, v, n)

    rows = [Pair(float(k), k + 0.5) for k in range(n)]
    assert [tuple(p) for p in doubled(rows)] == [(p.a, 2.0 * p.b) for p in rows]


def test_lenses_compose_and_composition_is_associative():
    a, b, c = rose.lens(lambda s: s.points), rose.lens(lambda s: s[1]), rose.lens(lambda s: s.y[0])
    one, other = (a >> b) >> c, a >> (b >> c)
    assert repr(one) == repr(other) == "<lens .points[1].y[0]>"
    assert plain(one.set(SCENE, 9.0)) == plain(other.set(SCENE, 9.0)) and one.get(SCENE) == 5.0


@pytest.mark.parametrize("checked", ["set", "get", "map"])
def test_what_a_lens_does_is_differentiated_twice(checked: str):
    @fn
    def f(x: Vec[4, 2], i: Fin[4]) -> Real:
        lens = rose.lens(lambda x: x[i][1])
        x = lens.map(x, rose.sin) if checked == "map" else lens.set(x, x[0, 0] ** 3) if checked == "set" else x
        return lens.get(x) * rose.sum(x[k, 1] ** 2 for k in rose.range(4))

    slope = fn([Vec[4, 2]], Real)(lambda x: rose.sum(rose.sum(row**2) for row in rose.grad(f)(x, 2)))
    assert examine(f, points=2).ok and examine(slope, points=2).ok


def test_the_module_and_the_interpreter_have_the_same_bits():
    @fn
    def f(x: Vec[4], i: Fin[4]) -> Vec[4]:
        return rose.lens(lambda x: x[i]).map(x, lambda v: rose.exp(v) / 3.0)

    x = (0.1, 0.2, -0.3, 0.4)
    assert [list(f(x, i)) for i in range(4)] == [list(run(f.func, x, i)) for i in range(4)]


def test_arrays_of_numpy_are_copied_and_integers_are_not_rounded():
    x = np.array([[1, 2], [3, 4]])
    changed = rose.lens(lambda x: x[1][0]).set(x, 0.5)
    assert changed.tolist() == [[1.0, 2.0], [0.5, 4.0]] and x.tolist() == [[1, 2], [3, 4]]
    assert rose.lens(lambda x: x[0][0]).set(x, 7).dtype == x.dtype


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: rose.lens(lambda s: s.x + 1.0), "is not a number"),
        (lambda: rose.lens(lambda s: 3.0), "names a part of what it is given, and gave 3.0"),
        (lambda: rose.lens(lambda s: s[0:2]), "names none or several"),
        (lambda: rose.lens(lambda s: s.z).get(SCENE), "a Scene has no field z"),
        (lambda: rose.lens(lambda s: s.points[3]).get(SCENE), "has no part"),
        (lambda: rose.lens(lambda s: s.points[3]).set(SCENE, 1.0), "has no part"),
        (lambda: rose.lens(lambda s: s.at) >> 3, "composed with a lens"),
        (lambda: rose.lens(lambda s: s.at).map(SCENE, 3.0), "takes a function of the part"),
    ],
)
def test_what_is_no_part_is_an_error_that_says_so(wrong: Any, said: str):
    with pytest.raises(RoseError, match=said):
        wrong()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda s: rose.lens(lambda s: s.points[1]).set(s, 1.0), "the new part must be a Point"),
        (lambda s: rose.lens(lambda s: s.points.x).set(s, 1.0), "has no field x"),
        (lambda s: rose.lens(lambda s: s.points[5].x).set(s, 1.0), "out of range"),
        (lambda s: rose.lens(lambda s: s.grid[s.grid]).get(s), "names none or several"),
    ],
)
def test_a_part_of_another_type_is_an_error_in_a_trace(body: Any, said: str):
    with pytest.raises(RoseError, match=said):
        _ = fn([as_type(Scene)], as_type(Scene))(body).func
