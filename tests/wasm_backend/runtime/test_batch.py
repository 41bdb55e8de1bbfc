"""`map`: a whole batch gives the bits of single calls, in one thread, in several, and in other processes."""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest
from handwritten_modules import message
from handwritten_modules import way as way

import rose
from rose import Bool, Fin, Real, RoseError, Unit, Vec, fn
from wasm_backend.runtime import batch

pytestmark = pytest.mark.usefixtures("way")

n, m = rose.dim("n"), rose.dim("m")


@rose.struct
class Point:
    x: Real
    y: Real


class Step(NamedTuple):
    on: Bool
    k: Fin[5]
    at: Vec[2, Point]
    w: Vec[3]


@fn
def hypot(x: Real, y: Real) -> Real:
    return rose.sqrt(x * x + y * y) * rose.sin(x)


@fn
def cubes(v: Vec[4]) -> Real:
    return rose.sum(v[i] ** 3 for i in rose.range(4))


@fn
def moved(s: Step, by: Real) -> Step:
    at = rose.vec([Point(s.at[1].y * by, s.at[0].x), Point(s.w[s.k % 3], by)])
    return Step(~s.on, s.k, at, rose.vec(s.w[i] * by for i in rose.range(3)))


@fn
def scaled(a: Vec[n, Vec[m]], x: Vec[m]) -> Vec[n]:
    return rose.vec(rose.dot(a[i], x) for i in rose.range(n))


@fn
def halved(x: Real) -> tuple[Real, Vec[2, Fin[3]]]:
    """A tape that grows, and indices."""
    y = rose.while_loop(lambda y: y > 1.0, lambda y: y * 0.5 + rose.sin(y) * 0.1, x)
    return y, rose.vec([rose.select(y > 0.7, i, (i + 1) % 3) for i in rose.range(2)])


def steps(count: int) -> list[Step]:
    r = np.random.default_rng(0)
    number = lambda: float(r.normal())
    point = lambda: Point(number(), number())
    return [Step(k % 3 == 0, k % 5, [point(), point()], r.normal(size=3)) for k in range(count)]


def bits(x: Any) -> Any:
    """All numbers in a value, so that equal ones have equal bits."""
    if isinstance(x, dict):
        x = list(x.values())
    if hasattr(x, "__dataclass_fields__"):
        x = [getattr(x, k) for k in x.__dataclass_fields__]
    if isinstance(x, (list, tuple)):
        return [bits(y) for y in x]
    return np.asarray(x).tobytes()


# numbers and vectors

X, Y = np.random.default_rng(1).normal(size=(2, 1000)) * 3
V = np.random.default_rng(2).normal(size=(1000, 4))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_a_batch_has_the_bits_of_single_calls(dtype: str):
    module = rose.compile({"f": hypot, "g": cubes, "d": rose.grad(cubes), "h": rose.hessian(cubes)}, dtype=dtype)
    kind = np.float64 if dtype == "f64" else np.float32
    x, y, v = X.astype(kind), Y.astype(kind), V.astype(kind)
    assert module.f.map(x, y).dtype == module.d.map(v).dtype == kind
    assert bits(module.f.map(x, y)) == bits(np.array([module.f(a, b) for a, b in zip(x, y, strict=True)], kind))
    for f in (module.g, module.d, module["h"]):
        assert bits(f.map(v)) == bits(np.array([f(a) for a in v], kind))


def test_a_number_is_for_all_calls():
    f = rose.compile(hypot)
    np.testing.assert_array_equal(f.map(X, 2), [f(x, 2) for x in X])
    np.testing.assert_array_equal(f.map(2.0, Y), [f(2, y) for y in Y])
    np.testing.assert_array_equal(f.map(X, np.float64(2)), f.map(X, np.full(1000, 2)))


@fn
def weighed(x: Vec[2], w: Vec[3], s: Real) -> Real:
    return w[0] * rose.sum(x) + w[1] * s + w[2]


XS, WEIGHTS = np.arange(8.0).reshape(4, 2), [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("args", "in_axes"),
    [
        ((XS, WEIGHTS, 0.5), (0, None, None)),
        ((XS.T, np.array(WEIGHTS), [0.5] * 4), (1, None, 0)),
        ((XS.T.tolist(), [WEIGHTS] * 4, 0.5), [-1, 0, None]),
        ((XS, [WEIGHTS] * 4, [0.5] * 4), 0),
    ],
)
@pytest.mark.parametrize("threads", [None, 2])
def test_the_elements_lie_along_axes_and_what_has_none_is_shared(args: Any, in_axes: Any, threads: int | None):
    want = [weighed(x, WEIGHTS, 0.5) for x in XS]
    for f in (weighed, rose.compile(weighed)):
        assert f.map(*args, in_axes=in_axes, threads=threads).tolist() == want


def test_each_field_of_a_struct_may_have_an_axis_and_a_list_of_structs_is_shared():
    f = fn([Point, Vec[2, Point], Fin[3]], Point)(lambda p, q, i: Point(p.x + q[1].y, p.y * i))
    q = [Point(1.0, 2.0), Point(3.0, 4.0)]
    made = f.map(Point(np.arange(3.0), 0.5), q, 2, in_axes=((0, None), None, None))
    assert (made.x.tolist(), made.y.tolist()) == ([4.0, 5.0, 6.0], [1.0] * 3)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 127, 128, 129])
def test_elements_of_every_number_of_bytes_are_copied_whole(n: int):
    flags = np.random.default_rng(n).random((5, n)) < 0.5
    module = rose.compile(
        rose.fn([Vec[n, Bool], Vec[n, Bool]], tuple[Vec[n, Bool], Real])(lambda x, y: (y, len(x) + 0.0))
    )
    for other, in_axes in ((flags[::-1], 0), (flags[1], (0, None))):
        found, sizes = module.map(flags, other, in_axes=in_axes)
        assert found.tolist() == np.broadcast_to(other, (5, n)).tolist() and sizes.tolist() == [n] * 5


def test_what_is_shared_is_in_memory_once_and_untouched_by_the_calls():
    module = rose.compile(rose.fn([Vec[2000], Real], Vec[2000])(lambda t, x: t * x))
    table, xs = np.arange(2000.0), np.arange(300.0)
    assert np.array_equal(module.map(table, xs, in_axes=(None, 0)), xs[:, None] * table)
    batch = module.running.batch
    assert batch.loop((), (True, False)).counts[0] == 1
    assert batch.loop((), (True, False)).room > 1.9 * batch.loop((), (False, False)).room


def test_a_function_of_any_size_maps_with_what_is_shared():
    f = fn([Vec[n], Vec[n]], Real)(lambda x, y: rose.dot(x, y))
    assert f.map(XS, [1.0, 2.0], in_axes=(0, None)).tolist() == [f(x, [1.0, 2.0]) for x in XS]
    assert f.map(XS.T, XS.T, in_axes=1).tolist() == [f(x, x) for x in XS]


def test_in_another_function_a_map_is_a_loop_with_derivatives():
    f = fn([Vec[4, 2], Vec[3]], Real)(lambda x, w: rose.sum(weighed.map(x, w, 0.5, in_axes=(0, None, None)) ** 2))
    want = [2.0 * weighed(x, WEIGHTS, 0.5) for x in XS]
    assert rose.grad(f, 0)(XS, WEIGHTS)[:, 1].tolist() == want
    g = fn([Vec[3]], Vec[3])(lambda x: fn([Real, Real], Real)(lambda a, b: a * b).map(x, 2.0))
    assert g([1.0, 2.0, 3.0]).tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("in_axes", "what"),
    [
        ((0, None), "2 axes for the 3 arguments of weighed"),
        ((2, None, None), "no axis 2: x has 2 axes"),
        ((0, None, 1), "no axis 1: s has no axes"),
        (("a", None, None), "an axis of x is an integer or None"),
        (None, "no argument of weighed.map has an axis"),
        (0, "w must have"),
    ],
)
def test_wrong_axes_are_refused(in_axes: Any, what: str):
    with pytest.raises(RoseError, match=what):
        weighed.map(XS, WEIGHTS, 0.5, in_axes=in_axes)


def test_lists_strides_and_integers():
    f, g = rose.compile(hypot), rose.compile(cubes)
    want = [f(1, 2), f(3, 4)]
    assert [*f.map([1, 3], (2, 4))] == [*f.map(range(1, 5, 2), np.array([2, 9, 4])[::2])] == want
    assert [*g.map(V.T.copy().T[:3])] == [*g.map([[*v] for v in V[:3]])] == [*g.map([*V[:3]])] == [g(v) for v in V[:3]]
    np.testing.assert_array_equal(g.map(np.broadcast_to(V[0], (7, 4))), [g(V[0])] * 7)


def test_an_empty_batch():
    module = rose.compile({"f": hypot, "d": rose.grad(cubes), "s": moved})
    assert module.f.map([], 2.0).shape == (0,)
    assert module.d.map(np.empty((0, 4)), threads=2).shape == module.d.map([]).shape == (0, 4)
    assert module.s.map([], []).at.x.shape == (0, 2)


def test_more_than_fits_in_one_call(monkeypatch: pytest.MonkeyPatch):
    want = rose.compile(rose.grad(cubes)).map(V)
    for size in (1, 100, 7_000):
        monkeypatch.setattr(batch, "CHUNK", size)
        assert bits(rose.compile(rose.grad(cubes)).map(V)) == bits(want)


# structs


def test_a_list_of_structs_and_a_struct_of_arrays():
    f, given = rose.compile(moved), steps(20)
    got = f.map(given, X[:20])
    assert type(got) is Step and type(got.at) is Point
    assert got.at.x.shape == (20, 2) and got.w.shape == (20, 3)
    assert got.on.dtype == bool and got.k.dtype == np.int64
    for j, want in enumerate([f(s, x) for s, x in zip(given, X, strict=False)]):
        one = (got.on[j], got.k[j], [(got.at.x[j, i], got.at.y[j, i]) for i in (0, 1)], got.w[j])
        assert bits(one) == bits((want.on, np.int64(want.k), want.at, want.w))
    columns = Step(
        [s.on for s in given],
        np.array([s.k for s in given]),
        Point(np.array([[p.x for p in s.at] for s in given]), [[p.y for p in s.at] for s in given]),
        np.array([s.w for s in given]),
    )
    assert bits(f.map(columns, X[:20])) == bits(got)
    again = f.map(got, 1.0)  # what comes out goes in
    np.testing.assert_array_equal(again.on, columns.on)


def test_of_tuples_a_list_is_the_elements_and_a_tuple_the_columns():
    f = rose.compile(rose.fn([tuple[Real, Real]], Real)(lambda p: p[0] - p[1]))
    assert [*f.map([(1.0, 2.0), (4.0, 3.0)])] == [-1.0, 1.0]
    assert [*f.map(([1.0, 2.0], [4.0, 3.0]))] == [-3.0, -1.0]
    g = rose.compile(rose.fn([{"a": Real, "b": Vec[2]}], {"c": Real})(lambda p: {"c": p["a"] * p["b"][1]}))
    assert g.map({"a": 2.0, "b": [[1.0, 2.0], [3.0, 4.0]]})["c"].tolist() == [4.0, 8.0]


def test_nothing_as_argument_and_as_result(capsys: pytest.CaptureFixture[str]):
    @fn
    def f(u: Unit, x: Real) -> Unit:
        rose.print("{}", x)

    assert rose.compile(f).map(None, [1.0, 2.0]).tolist() == [None, None]
    assert rose.compile(f).map([None], [3.0]).tolist() == [None]
    assert capsys.readouterr().out == "1.0\n2.0\n3.0\n"


# sizes that a call tells


def test_a_module_for_every_size():
    module = rose.compile({"f": scaled, "g": rose.jacrev(scaled)}, dynamic=True)
    r = np.random.default_rng(3)
    for a, b in ((2, 3), (1, 1), (4, 0), (2, 3)):
        A, x = r.normal(size=(5, a, b)), r.normal(size=(5, b))
        np.testing.assert_array_equal(module.f.map(A, x), [module.f(p, q) for p, q in zip(A, x, strict=True)])
        wants = [module.g(p, q) for p, q in zip(A, x, strict=True)]
        assert bits(module.g.map(A, x, threads=2)) == bits(np.array(wants))
    assert module.f.map(np.empty((0, 2, 3)), np.empty((0, 3))).shape == (0, 2)
    with pytest.raises(rose.TypeMismatch, match=r"^an empty list does not tell the sizes of a"):
        module.f.map([], [])
    with pytest.raises(rose.TypeMismatch, match=r"^x must have m = 3 elements, as a\[0\] has, got 2"):
        module.f.map(np.ones((2, 2, 3)), np.ones((2, 2)))


def test_structs_of_every_size():
    @rose.struct
    class Cloud:
        mass: Real
        at: Vec[n, Point]

    f = rose.compile(
        rose.fn([Cloud], Vec[n])(lambda c: rose.vec(c.at[i].x * c.mass for i in rose.range(n))), dynamic=True
    )
    clouds = [Cloud(j, [Point(j + i, 0.0) for i in range(3)]) for j in range(4)]
    want = [f(c) for c in clouds]
    np.testing.assert_array_equal(f.map(clouds), want)
    x = np.array([[p.x for p in c.at] for c in clouds])
    np.testing.assert_array_equal(f.map(Cloud(np.arange(4), Point(x, x * 0))), want)


# what goes wrong


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (([1.0, 2.0, "a"], 1.0), "x[2] must be a Real, got 'a' (str)"),
        (([1.0, 2.0], [1.0]), "y must have 2 elements, as x has, got 1"),
        ((1.0, 2.0), "no argument of hypot.map has an axis for the batch"),
        ((np.ones((2, 2)), 1.0), "x must have the shape (2,), got (2, 2)"),
        (([1.0],), "hypot takes 2 arguments (x, y), got 1"),
        (([1.0], None), "y must be a Real, got None"),
        ((np.ma.masked_array([1.0, 2.0], [True, False]), 1.0), "x[0] must be a Real, got None"),
    ],
)
def test_what_is_no_batch_is_refused(args: tuple[Any, ...], what: str):
    f = rose.compile(hypot)
    with pytest.raises(rose.TypeMismatch) as e:
        f.map(*args)
    assert message(e) == what
    assert f.map([1.0], 2.0) == [f(1.0, 2.0)]


def test_errors_name_the_field_and_the_element():
    f = rose.compile(moved)
    bad = [*steps(2), steps(1)[0]._replace(k=5)]
    with pytest.raises(rose.OutOfRange, match=r"^s\[2\]\.k is out of range: 5"):
        f.map(bad, 1.0)
    with pytest.raises(rose.TypeMismatch, match=r"^s\.at\.y must have the shape \(1, 2\), got \(1, 3\)"):
        f.map(Step([True], [0], Point(np.ones((1, 2)), np.ones((1, 3))), np.ones((1, 3))), 1.0)
    with pytest.raises(
        rose.TypeMismatch, match=r"^v must be a list or an array that has a Vec\[4\] for each call, got 3"
    ):
        rose.compile(cubes).map(3.0)


def test_threads_and_executors_are_checked():
    f = rose.compile(hypot)
    for threads in (0, -1, 1.5, True, "2"):
        with pytest.raises(rose.TypeMismatch, match=r"^threads must be an integer from 1 on, got "):
            f.map([1.0], 1.0, threads=threads)
    with pytest.raises(rose.TypeMismatch, match=r"^map takes threads or an executor, not both"):
        f.map([1.0], 1.0, threads=2, executor=ThreadPoolExecutor())
    with pytest.raises(rose.TypeMismatch, match=r"^map cannot use 3 \(int\) as an executor"):
        f.map([1.0], 1.0, executor=3)


@fn
def careful(x: Real) -> Real:
    rose.assert_(x < 500.0, "small")
    return rose.sqrt(x)


@pytest.mark.parametrize("threads", [None, 3])
def test_an_assertion_stops_the_batch_and_says_where(threads: int | None):
    f = rose.compile(careful)
    for first in (500, 700):
        x = np.arange(1000.0)
        x[:first] = 1.0
        with pytest.raises(rose.AssertionFailed, match="small") as e:
            f.map(x, threads=threads)
        assert e.value.__notes__ == [f"in element {first} of the batch"]
        np.testing.assert_array_equal(f.map(np.arange(9.0), threads=threads), np.sqrt(np.arange(9.0)))


# opaque functions


@rose.opaque
def shifted(x: Real) -> Real:
    if x == 3.0:
        raise KeyError("three")
    return x + 1.0


@fn
def through(x: Real) -> Real:
    return shifted(x) * 2.0


def test_an_opaque_function_and_what_it_raises():
    f = rose.compile(through)
    np.testing.assert_array_equal(f.map([1.0, 2.0, 4.0]), [4.0, 6.0, 10.0])
    np.testing.assert_array_equal(f.map(np.arange(50.0) + 4, threads=4), (np.arange(50.0) + 5) * 2)
    with pytest.raises(KeyError, match="three") as e:
        f.map([1.0, 3.0])
    assert e.value.__notes__ == ["in element 1 of the batch"]


def test_an_opaque_function_may_map_what_calls_it():
    @rose.opaque
    def nested(x: Real) -> Real:
        return float(f.map([x - 1.0, x - 2.0]).sum()) if x > 0.0 else 1.0

    f = rose.compile(rose.fn([Real], Real)(lambda x: nested(x) + x))

    def want(x: float) -> float:
        return (want(x - 1) + want(x - 2) if x > 0 else 1.0) + x

    assert f.map([4.0, 1.0, 5.0]).tolist() == [want(4), want(1), want(5)]


# threads and processes


def test_threads_do_not_wait_for_one_another():
    """While one thread is in a batch, another one counts."""
    f = rose.compile(rose.fn([Real], Real)(lambda x: rose.scan(lambda i, s: rose.sin(s) + x, x, 1_000_000)))
    f.map([1.0])
    seen: list[float] = []
    running = threading.Thread(target=lambda: (f.map(np.ones(10)), seen.append(-1.0)))
    running.start()
    while running.is_alive():
        seen.append(time.perf_counter())
        time.sleep(0.001)
    assert len(seen) > 10
    assert bits(f.map(X[:6], threads=3)) == bits(f.map(X[:6]))


def test_many_threads_map_at_once():
    f = rose.compile(rose.grad(cubes))
    want = f.map(V)
    with ThreadPoolExecutor(8) as pool:
        got = [*pool.map(lambda _: f.map(V, threads=2), range(20))]
    assert all(bits(x) == bits(want) for x in got)


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_an_executor_has_the_same_bits(processes: ProcessPoolExecutor):
    module = pickle.loads(pickle.dumps(rose.compile({"f": hypot, "d": rose.grad(cubes), "s": moved, "o": through})))
    assert bits(module.f.map(X, Y, executor=processes)) == bits(module.f.map(X, Y))
    assert bits(module["d"].map(V, executor=processes)) == bits(module.d.map(V))
    assert bits(module.s.map(steps(9), 2.0, executor=processes)) == bits(module.s.map(steps(9), 2.0))
    assert bits(module.o.map(X, executor=processes)) == bits(module.o.map(X))
    assert module.d.map(V[:0], executor=processes).shape == (0, 4)
    dynamic = rose.compile(scaled, dynamic=True)
    A = np.random.default_rng(4).normal(size=(9, 2, 3))
    assert bits(dynamic.map(A, A[:, 0], executor=processes)) == bits(dynamic.map(A, A[:, 0]))


def test_classes_of_structs_need_not_be_known_elsewhere(processes: ProcessPoolExecutor):
    @rose.struct
    class Local:
        x: Real

    f = rose.compile(rose.fn([Local], Local)(lambda p: Local(p.x * 2.0)))
    assert f.map([Local(1.0), Local(2.0)], executor=processes).x.tolist() == [2.0, 4.0]


def test_an_error_comes_back(processes: ProcessPoolExecutor):
    with pytest.raises(rose.AssertionFailed, match="small"):
        rose.compile(careful).map([1.0, 600.0], executor=processes)


FORKS = """
import os, sys
import rose
from rose import Real, fn

@fn
def f(x: Real) -> Real:
    return g(x) + rose.sin(x)

@fn
def g(x: Real) -> Real:
    return rose.exp(x) * x

both = rose.compile(rose.grad(f)), rose.compile(rose.value_and_grad(f))
want = both[0].map([1.0, 2.0]).tolist()
child = os.fork()
if child == 0:
    for made in (both[0], both[1], rose.compile({"h": rose.hessian(f), "g": rose.grad(f)})):
        made.map([1.0, 2.0]), made(1.0)
    os._exit(0 if both[0].map([1.0, 2.0]).tolist() == want else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_a_process_that_was_forked_compiles_and_maps():
    """The engine's threads, which compile, are those of the parent: without them nothing may wait."""
    command = [sys.executable, "-W", "ignore", "-c", FORKS]
    assert subprocess.run(command, timeout=60, check=False).returncode == 0


def test_an_executor_may_have_map_alone():
    class Pool:
        def map(self, f: Any, xs: Any) -> list[Any]:
            self.count = len(xs)
            return [f(pickle.loads(pickle.dumps(x))) for x in xs]

    pool = Pool()
    f = rose.compile(hypot)
    assert bits(f.map(X, Y, executor=pool)) == bits(f.map(X, Y))
    assert pool.count >= 4


def test_each_process_compiles_once():
    class Here:
        map = staticmethod(lambda g, xs: [g(x) for x in xs])

    f = rose.compile(hypot)
    batch._unpacked.cache_clear()
    for _ in range(3):
        f.map(X, Y, executor=Here())
    info = batch._unpacked.cache_info()
    assert info.misses == 1 and info.hits >= 11


def test_an_opaque_function_that_has_no_name_cannot_travel(processes: ProcessPoolExecutor):
    @rose.opaque
    def inner(x: Real) -> Real:
        return x + len(V)

    f = rose.compile(rose.fn([Real], Real)(lambda x: inner(x)))
    assert [*f.map([1.0])] == [1001.0]
    with pytest.raises(rose.RoseError, match="the opaque function inner cannot be pickled"):
        f.map([1.0], executor=processes)


@pytest.mark.slow
def test_nothing_is_kept_alive_in_vain():
    """No cycle: the memory of a batch goes with the last name of the function, without the garbage collector."""
    gc.disable()
    try:
        module = rose.compile(scaled, dynamic=True)
        module(np.ones((2, 3)), np.ones(3))
        module.map(np.ones((5, 2, 3)), np.ones((5, 3)))
        own, loop = module.running._module, module.running.batch.loop((2, 3), (False, False))
        stores = [weakref.ref(own._local.own.store), weakref.ref(loop.free[0].instance.store)]
        del module, own, loop
        assert [x() for x in stores] == [None, None]
    finally:
        gc.enable()


@pytest.mark.slow
def test_nan_and_zeros_keep_their_bits():
    f = rose.compile(rose.fn([Real], Real)(lambda x: x))
    x = np.array([math.nan, -0.0, 0.0, math.inf, -math.inf, 5e-324])
    assert bits(f.map(x)) == bits(x)


def test_an_array_of_records_is_a_batch_of_structs():
    module = rose.compile(fn([Point, Real], Real)(lambda p, s: p.x * s + p.y))
    points = np.array([(1.0, 2.0), (3.0, 4.0)], [("y", "f8"), ("x", "f8")])
    assert module.map(points, 10.0).tolist() == module.map(points[["x", "y"]], 10.0).tolist() == [21.0, 43.0]
    assert module.map(np.array([[2.0, 1.0], [4.0, 3.0]]), 10.0).tolist() == [21.0, 43.0]
