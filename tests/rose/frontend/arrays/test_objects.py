"""NumPy's arrays of objects: `np.array([x, y])` holds traced values, and is taken wherever an array is."""

from __future__ import annotations

import pickle
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import rose
from rose import Fin, Real, Vec, dim, fn
from rose.frontend.arrays.objects import MOST
from rose.frontend.arrays.ufuncs import MEANINGS

POINT = [0.5, -2.0]


@dataclass
class Line:
    ends: Vec[2]
    width: Real


class Pair(NamedTuple):
    a: Real
    b: Real


def assigned(a: Any, key: Any, x: Any) -> Any:
    a[key] = x
    return a


def augmented(a: Any, x: Any) -> Any:
    a += x
    a *= 2.0
    return a


PROGRAMS: dict[str, Any] = {  # of two numbers, as a user of NumPy writes them
    "a row": lambda x, y: np.array([x, y, 1.0]) @ np.array([1, 2, 3]),
    "a matrix": lambda x, y: np.sum(np.array([[np.cos(x), -y], [y, x]]) @ np.array([x, 1])),
    "tuples": lambda x, y: np.sum(np.array(((x, 1), (2, y))) ** 2),
    "a comprehension": lambda x, y: np.sum(np.array([x**k / (k + 1) for k in range(5)]) * y),
    "rows of arrays": lambda x, y: np.sum(np.array([x * np.ones(3), y * np.arange(3)])[:, 1:] ** 2),
    "a row beside a list": lambda x, y: np.sum(np.array([x * np.arange(3), [1.0, y, 3.0]]) @ np.array([x, y, 1.0])),
    "a square of rows": lambda x, y: np.sum((np.array([x * np.arange(2), y * np.ones(2)]) @ np.array([1.0, 3.0])) ** 2),
    "a transpose": lambda x, y: np.array([x * np.arange(2), y * np.ones(2)]).T[0] @ np.array([x, y]),
    "of an array": lambda x, y: np.sum(np.asarray(np.array([x, y])) * np.array([1.0, 2.0])),
    "a number": lambda x, y: np.asarray(x) * y + np.sin(np.asarray(y)) + y * np.array(x),
    "filled": lambda x, y: np.sum(np.full((2, 3), x) * np.full(3, y)),
    "in place": lambda x, y: np.sum(augmented(np.zeros(3), x * np.ones(3)) * y),
    "objects in place": lambda x, y: np.sum(augmented(np.array([x, y]), x) ** 2),
    "an element assigned": lambda x, y: np.prod(assigned(np.array([x, x, y]), 0, y)),
    "a row assigned": lambda x, y: np.sum(assigned(np.array([[x, x], [y, 1.0]]), 0, y * np.arange(2)) ** 2),
    "functions": lambda x, y: np.sum(np.exp(np.sin(np.array([x, y])))) + np.hypot(np.array([x]), y)[0],
    "statistics": lambda x, y: np.mean(np.array([x, y])) + np.var(np.array([x, y, 1.0])) + np.std(np.array([x, y])),
    "products": lambda x, y: np.dot(np.array([x, y]), np.array([y, 1.0])) + np.prod(np.array([x, y])),
    "norm": lambda x, y: np.linalg.norm(np.array([x, y])),
    "shapes": lambda x, y: np.sum(np.stack([np.array([x, y]).reshape(2, 1), [[1.0], [2.0]]])[0] ** 3),
    "loops": lambda x, y: sum(a * a for a in np.array([x, y, 2.0])),
    "conditions": lambda x, y: np.sum(np.where(np.array([True, False]), np.array([x, y]), x * np.array([y, y]))),
    "beside a traced array": lambda x, y: np.sum(np.array([x, y]) * np.maximum(x * np.ones(2), np.array([y, 0.0]))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_for_numpy_gives_what_it_gives_there(name: str):
    f = fn([Real, Real], Real)(PROGRAMS[name])
    assert f(*POINT) == pytest.approx(PROGRAMS[name](*POINT), rel=1e-14)
    with rose.eager():
        assert f(*POINT) == rose.compile(f)(*POINT)
    for g in (f, fn([Real, Real], Real)(rose.grad(f, 0))):
        report = rose.testing.examine(g, points=2)
        assert report.ok, report


TAKEN: dict[str, tuple[Any, Callable[..., Any]]] = {  # the type of a result, and what a maker of arrays is given to
    "a result": (Vec[2], lambda a, x, v: a([x, v[1]])),
    "an argument": (Real, lambda a, x, v: product(a([x, v[1]]))),
    "a field": (Line, lambda a, x, v: Line(a([x, v[1]]), a([x])[0])),
    "an operand on the left": (Vec[2], lambda a, x, v: a([x, 2.0]) * v),
    "an operand on the right": (Vec[2], lambda a, x, v: v - a([x, 2.0])),
    "a product": (Real, lambda a, x, v: v @ a([x, 2.0])),
    "an update": (Vec[2], lambda a, x, v: rose.zeros(3).at[1:].set(a([x, v[0]]))[1:]),
    "an iteration": (Vec[3, Vec[2]], lambda a, x, v: rose.vec(a([x, v[0] * i]) for i in rose.range(3))),
    "a sum": (Vec[2], lambda a, x, v: rose.sum(a([x, v[0] * i]) for i in rose.range(3))),
    "a state": (Vec[2], lambda a, x, v: rose.scan(lambda i, s: (a([s[1], s[0] * x]), a([i, x])), a([x, x]), 3)[0]),
    "an output": (Vec[3, 2], lambda a, x, v: rose.scan(lambda i, s: (s, a([i, x])), a([x, x]), 3)[1]),
    "branches": (Vec[2], lambda a, x, v: rose.cond(x > 0.0, lambda: a([x, v[0]]), lambda: v)),
    "a choice": (Vec[2], lambda a, x, v: rose.select(x > 9.0, v, a([x, v[0]]))),
    "a while loop": (Vec[2], lambda a, x, v: rose.while_loop(lambda s: s[0] < 9.0, lambda s: a([2 * s[0], x]), v)),
    "a gradient": (Vec[2], lambda a, x, v: rose.grad(product)(a([x, v[0]]))),
    "a batch": (Vec[2], lambda a, x, v: rose.vmap(product)(a([a([x, v[0]]), v]))),
    "a system": (Vec[2], lambda a, x, v: np.linalg.solve(a([[v[0], x], [1.0, v[1]]]), a([x, 1.0]))
                 if a is not np.array else rose.linalg.solve(a([[v[0], x], [1.0, v[1]]]), a([x, 1.0]))),
    "an accumulator": (Vec[2], lambda a, x, v: summed(a([x, v[0]]))),
    "structs": (Vec[2, Pair], lambda a, x, v: [Pair(x, v[0]), Pair(v[1], x)] if a is not np.array
                else np.array([Pair(x, v[0]), Pair(v[1], x)])),
}  # fmt: skip


@fn
def product(v: Vec[2]) -> Real:
    return v[0] * v[1] + v[0]


def summed(x: Any) -> Any:
    total = rose.accum(x)
    total += x
    return total.value


@pytest.mark.parametrize("name", TAKEN)
def test_it_is_taken_wherever_an_array_is(name: str):
    result, of = TAKEN[name]
    theirs, ours = [fn([Real, Vec[2]], result)(lambda x, v, a=a: of(a, x, v)) for a in (np.array, rose.array)]
    assert repr(theirs(2.0, [1.0, 3.0])) == repr(ours(2.0, [1.0, 3.0]))
    with rose.eager():
        assert repr(theirs(2.0, [1.0, 3.0])) == repr(rose.compile(theirs)(2.0, [1.0, 3.0]))


KEYS: dict[str, Callable[[Any, Any], Any]] = {
    "indices": lambda v, i: v[np.array([i, 0])],
    "an index": lambda v, i: np.array([v[np.asarray(i)], v[0]]),
    "an update": lambda v, i: v.at[np.array([i, i])].add(np.array([v[0], 1.0])),
    "taken": lambda v, i: np.take(v, np.array([i, 0])),
    "mixed numbers": lambda v, i: np.array([i, v[0]]) * v,
    "mixed rows": lambda v, i: (np.array([[i, i], v]) * v)[1],
    "checked": lambda v, i: v[rose.index(np.array([v[0] - 1.0, 1.0]), 2)],
}


@pytest.mark.parametrize("name", KEYS)
def test_indices_in_it_are_indices(name: str):
    of = KEYS[name]
    ours = fn([Vec[2], Fin[2]], Vec[2])(of)
    numpys = of if name != "checked" else lambda v, _: v
    theirs = {"an update": [1.0, 3.0 + 2.0]}.get(name)
    if theirs is None:
        theirs = numpys(np.array([1.0, 3.0]), 1)
    assert ours([1.0, 3.0], 1).tolist() == list(theirs)


SHAPES = [(0,), (3,), (2, 3), (0, 3), (2, 0), (2, 0, 3), (2, 1, 2)]


@pytest.mark.parametrize("shape", SHAPES)
def test_an_array_is_the_same_of_any_shape_and_as_compact(shape: tuple[int, ...]):
    x, t = np.random.default_rng(0).normal(size=shape), Vec[shape]
    for rows in (lambda of, v: of.asarray(v) if of is np else v, lambda of, v: of.array([v, 2.0 * v])):
        result = Vec[np.shape(rows(np, x))]
        theirs, ours = [fn([t], result)(lambda v, of=of, rows=rows: rows(of, v)) for of in (np, rose)]
        assert np.array_equal(theirs(x), rows(np, x)) and theirs(x).shape == np.shape(rows(np, x))
        assert np.array_equal(rose.jacobian(theirs)(x), rose.jacobian(ours)(x))
        sizes = [len(rose.compile({"f": f, "g": rose.jacobian(f)}).wasm) for f in (theirs, ours)]
        assert sizes[0] == sizes[1]


def test_elements_in_another_order_are_no_array_that_is_there():
    f = fn([Vec[3]], Vec[3])(lambda v: np.asarray(v)[::-1])
    g = fn([Vec[3]], Vec[2])(lambda v: np.asarray(v)[:2])
    assert f([1.0, 2.0, 3.0]).tolist() == [3.0, 2.0, 1.0] and g([1.0, 2.0, 3.0]).tolist() == [1.0, 2.0]


def test_arrays_of_structs_hold_structs():
    f = fn([Vec[2, Line]], Vec[2, Line])(lambda lines: np.array(lines)[::-1])
    g = fn([Vec[2, Pair]], Vec[1, Vec[2, Pair]])(lambda pairs: np.array([pairs]))
    assert [line.width for line in f([Line([1.0, 2.0], 3.0), Line([4.0, 5.0], 6.0)])] == [6.0, 3.0]
    assert g([Pair(1.0, 2.0), Pair(3.0, 4.0)]) == [[Pair(1.0, 2.0), Pair(3.0, 4.0)]]


UFUNCS = [  # but those of conditions and of indices, and of more axes
    name for name in sorted(MEANINGS)
    if isinstance(f := getattr(np, name, None), np.ufunc) and f.nout == 1 and any(k.startswith("O") for k in f.types)
    and not name.startswith(("bitwise", "invert", "matmul", "left_", "right_", "matvec", "vecdot", "vecmat"))
]  # fmt: skip


ASKING = """
    clip equal fmax fmin gcd greater greater_equal lcm less less_equal logical_and logical_not logical_or maximum
    minimum not_equal sign
""".split()  # those which ask for the truth of a comparison, or for a Python number


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UFUNCS)
def test_a_ufunc_of_it_gives_what_it_gives_of_numbers_or_says_what_to_write(name: str):
    f: Any = getattr(np, name)
    more, x = [0.25] * (f.nin - 1), [0.5, 0.75]
    of = fn([Real, Real], Vec[2])(lambda x, y: rose.array(f(np.array([x, y]), *more)).astype(float))
    if name in ASKING:
        with pytest.raises(rose.TypeMismatch, match=r"hint: (write|use) ") as e:
            of(*x)
        assert str(e.value.loc).startswith(__file__)
    else:
        assert of(*x) == pytest.approx(f(np.array(x), *more).astype(float), rel=1e-15, nan_ok=True)


REFUSED: dict[str, tuple[Any, str]] = {  # what cannot be had of objects, and what is to be written
    "a kind of elements": (lambda x, y: np.array([x, y], dtype=float), r"write rose.array\(...\) in its place"),
    "an array of numbers": (lambda x, y: np.asarray(x, dtype=float), r"write rose.array\(...\) in its place"),
    "a conversion": (lambda x, y: np.array([x, y]).astype(float), r"write rose.astype\(...\) in its place"),
    "a system": (lambda x, y: np.linalg.solve(np.array([[x, y], [y, x]]), np.ones(2)), r"write rose.linalg.solve\("),
    "a determinant": (lambda x, y: np.linalg.det(np.array([[x, y], [y, x]])), r"write rose.linalg.det\(...\)"),
    "a test": (lambda x, y: np.isnan(np.array([x, y])), r"write rose.array\(\[...\]\)"),
    "a covariance": (lambda x, y: np.cov(np.array([x, y])), r"write rose.cov\(...\)"),
    "between numbers": (lambda x, y: np.interp(0.5, [0.0, 1.0], np.array([x, y])), r"write rose.interp\(...\)"),
    "a comparison": (lambda x, y: np.where(np.array([x, y]) > 0.0, x, y), r"write rose.array\(\[x, y\]\)"),
    "the largest": (lambda x, y: np.max(np.array([x, y])), r"rose.max takes"),
    "larger ones": (lambda x, y: np.maximum(np.array([x, y]), 0.0), r"write rose.max\(...\) in its place"),
    "bounds": (lambda x, y: np.clip(np.array([x, y]), 0.0, 1.0), r"write rose.clip\(...\) in its place"),
    "an order": (lambda x, y: np.sort(np.array([x, y])), r"write rose.sort\(...\) in its place"),
    "an index": (lambda x, y: rose.vec(np.array([x, y])[i] for i in rose.range(2)), r"write rose.array\(\[x, y\]\)"),
    "a number as an index": (lambda x, y: np.array([1.0, 2.0])[x], r"a traced index reads a traced vector"),
    "a number kept": (lambda x, y: assigned(np.zeros(2), 0, x), r"begin with x = rose.zeros\(n\)"),
    "a row kept": (lambda x, y: assigned(np.zeros(2), slice(None), x * np.ones(2)), r"begin with x = rose.zeros\(n\)"),
    "too many": (lambda x, y: np.array(x * np.ones(MOST + 1)), r"write rose.array\(...\) in its place"),
    "another shape": (lambda x, y: np.array([x * np.ones(2), y * np.ones(3)]), "give arrays of one shape"),
    "a number beside a row": (lambda x, y: np.array([x * np.ones(2), y]), "give arrays of one shape"),
    "numbers beside traced ones": (lambda x, y: np.exp(np.array([x, 1.0])), r"write rose.exp\(...\)"),
    "SciPy's determinant": (lambda x, y: scipy.linalg.det(np.array([[x, y], [y, x]])), r"write rose.linalg.det\(...\)"),
    "SciPy's exponential": (lambda x, y: scipy.linalg.expm(1j * np.diag([x, y])), r"write rose.linalg.expm\(...\)"),
    "SciPy's factorial": (lambda x, y: scipy.special.factorial(np.array([x, y])), r"write rose.array\(\[...\]\)"),
    "an angle": (lambda x, y: np.arctan2(2.0, np.array([x, y])), r"write rose.array\(\[...\]\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_had_is_an_error_at_the_users_line(name: str):
    of, words = REFUSED[name]
    with pytest.raises(rose.TypeMismatch, match=words) as e:
        fn([Real, Real], Vec[2])(of)(*POINT)
    assert str(e.value.loc).startswith(__file__)


SIZED: dict[str, Any] = {
    "zeros": lambda of, n: of.zeros(n),
    "ones": lambda of, n: of.ones((n,)),
    "full": lambda of, n: of.full(n, 2.0),
    "eye": lambda of, n: of.eye(n),
    "arange": lambda of, n: of.arange(n),
    "linspace": lambda of, n: of.linspace(0.0, 1.0, n),
}


@pytest.mark.parametrize("name", SIZED)
def test_a_size_that_a_call_decides_says_what_to_write(name: str):
    of, x = SIZED[name], [1.0, 2.0]
    theirs, ours = [fn([Vec[dim("n")]], Real)(lambda x, m=m: np.sum(of(m, x.shape[0]) * x)) for m in (np, rose)]
    with pytest.raises(rose.TypeMismatch, match=rf"write rose.{name}\(...\) in its place") as e:
        rose.compile(theirs, dynamic=True)
    assert str(e.value.loc).startswith(__file__)
    assert rose.compile(ours, dynamic=True)(x) == np.sum(of(np, 2) * x) == theirs(x)


def test_an_array_of_a_size_that_a_call_decides_says_what_to_write():
    f = fn([Vec[dim("n")]], Real)(lambda x: np.sum(np.array(x)))
    with pytest.raises(rose.TypeMismatch, match=r"write rose.array\(...\) in its place"):
        rose.compile(f, dynamic=True)


def test_numpys_own_error_of_something_else_stays():
    with pytest.raises(ValueError, match="could not be broadcast") as e:
        fn([Real], Real)(lambda x: np.sum(np.array([x, x]) + np.ones(3)))(1.0)
    assert not isinstance(e.value, rose.RoseError)
    with pytest.raises(ValueError, match="does not have enough dimensions") as e:
        fn([Real], Real)(lambda x: np.sum(np.array([x, x]) @ np.float64(2.0)))(1.0)
    assert not isinstance(e.value, rose.RoseError)
    with pytest.raises(TypeError, match="ufunc 'isnan' not supported") as e:
        fn([Real], Real)(lambda x: x + np.isnan(np.array(["text"]))[0])(1.0)
    assert not isinstance(e.value, rose.RoseError)


class Noted(NamedTuple):
    """What is in a module, by name."""

    numpy: dict[str, Any]
    linalg: dict[str, Any]
    random: dict[str, Any]

    @staticmethod
    def now() -> Noted:
        return Noted(dict(vars(np)), dict(vars(np.linalg)), dict(vars(random)))


def same(one: Noted, other: Noted) -> bool:
    return all(a.keys() == b.keys() and all(a[k] is b[k] for k in a) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("syntax", [False, True])
def test_nothing_of_numpys_or_pythons_is_replaced_while_a_function_is_traced(syntax: bool):
    _ = np.linalg, np.random, np.fft  # which NumPy itself loads when they are first named
    before, inside, elsewhere, pickled = Noted.now(), list[Noted](), list[Noted](), list[Any]()

    def other() -> None:
        elsewhere.append(Noted.now())
        pickled.append(pickle.loads(pickle.dumps(np.array)))

    @fn(syntax=syntax)
    def f(x: Real) -> Real:
        inside.append(Noted.now())
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return np.sum(np.array([x, 2.0 * x]))

    assert f(2.0) == 6.0 and rose.grad(f)(2.0) == 3.0
    with rose.eager():
        assert f(2.0) == 6.0
    found = [*inside, *elsewhere, Noted.now()]
    assert len(found) >= 5 and all(same(before, x) for x in found)
    assert pickled and all(x is np.array for x in pickled)


def test_what_was_taken_before_a_trace_is_what_is_in_it():
    from numpy import array, full

    f = fn([Real], Real)(lambda x: np.sum(array([x, 1.0]) * full(2, x)))
    assert f(3.0) == 12.0 and rose.grad(f)(3.0) == 7.0
