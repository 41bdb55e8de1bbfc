"""Several directions in one sweep: `python -m benchmarks.sweeps`.

Jacobians in forward mode, as they are and with one direction in each sweep; and the product of a Hessian with a vector
beside the gradient. Microseconds of the thread, the two in turns, and executed instructions. `simd` as an argument
compiles with it, and names of programs choose them.

`python -m benchmarks.sweeps map`: the same programs as functions of the elements of a batch, with simd several at once,
and one after the other with and without simd: nanoseconds of an element.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import rose
from rose import Real, Vec, fn
from rose.differentiation import sweeps

from .compare import report, timing
from .masks import executed, loop, some

RESULTS = Path(__file__).parent / "results" / "sweeps.json"
MAPS = RESULTS.with_name("maps.json")
# Its first argument is a struct; and a loop that asks for more than single precision has does not end.
NO_BATCH = {"f64": ["network"], "f32": ["network", "root by newton"]}
Make = Callable[[], tuple[Any, Sequence[Any]]]
JACOBIANS: dict[str, Make] = {}
PRODUCTS: dict[str, Make] = {}


def of(table: dict[str, Make]) -> Callable[[Make], Make]:
    def enter(make: Make) -> Make:
        table[make.__name__.replace("_", " ")] = make
        return make

    return enter


def total(n: int, term: Callable[[Any], Any]) -> Any:
    return rose.sum(term(i) for i in rose.range(n))


# Jacobians


@of(JACOBIANS)
def peaks_of_a_spectrum() -> Any:
    @fn
    def f(p: Vec[9]) -> Vec[100]:
        t = rose.constant(Vec[100], [k / 50 for k in range(100)])
        peak = lambda k, x: p[k] * rose.exp(-(((x - p[k + 3]) / p[k + 6]) ** 2))
        return rose.vec(total(3, lambda k, i=i: peak(k, t[i])) for i in rose.range(100))

    return f, [[1.0, 2.0, 0.5, 0.3, 1.0, 1.6, 0.2, 0.3, 0.2]]


@rose.struct
class Camera:
    rotation: Vec[3]
    position: Vec[3]
    focus: Real

    def sees(self, p: Any) -> Any:
        angle = rose.norm(self.rotation)
        k = rose.vec(self.rotation[j] / angle for j in rose.range(3))
        along, across, c, s = rose.dot(k, p), rose.cross(k, p), rose.cos(angle), rose.sin(angle)
        x, y, z = [p[j] * c + across[j] * s + k[j] * along * (1 - c) + self.position[j] for j in range(3)]
        return rose.vec([self.focus * x / z, self.focus * y / z])


@of(JACOBIANS)
def points_in_a_camera() -> Any:
    @fn
    def f(c: Vec[7], p: Vec[40, Vec[3]]) -> Vec[40, Vec[2]]:
        part = lambda k: rose.vec(c[k + i] for i in range(3))
        camera = Camera(part(0), part(3), c[6])
        return rose.vec(camera.sees(p[i]) for i in rose.range(40))

    return f, [[0.1, 0.2, 0.3, 0.0, 0.1, 5.0, 2.0], some(40, 3)]


@of(JACOBIANS)
def reaction_by_its_rates() -> Any:
    @fn
    def f(k: Vec[6]) -> Vec[4]:
        def step(_: Any, y: Any) -> Any:
            a, b, c, d = [y[j] for j in range(4)]
            one, two, three = k[0] * a * b - k[1] * c, k[2] * c - k[3] * d * d, k[4] * b * d / (k[5] + b)
            return rose.vec([a - 0.05 * one, b - 0.05 * (one + three), c + 0.05 * (one - two), d + 0.1 * two])

        return rose.scan(step, rose.vec([1.0, 0.8, 0.1, 0.1]), 200)

    return f, [[1.0, 0.5, 0.7, 0.2, 0.3, 0.4]]


@of(JACOBIANS)
def arm_of_many_joints() -> Any:
    @fn
    def f(q: Vec[12]) -> Vec[3, Vec[3]]:
        def joint(k: Any, m: Any) -> Any:
            c, s = rose.cos(q[k]), rose.sin(q[k])
            turn = rose.vec(
                [rose.vec([c, -s, 0.0]), rose.vec([s * 0.8, c * 0.8, -0.6]), rose.vec([s * 0.6, c * 0.6, 0.8])]
            )
            return m @ turn

        start = rose.vec(rose.vec(rose.select(i == j, 1.0, 0.0) for j in rose.range(3)) for i in rose.range(3))
        return rose.scan(joint, start, 12)

    return f, [some(12)]


@of(JACOBIANS)
def root_by_newton() -> Any:
    @fn
    def f(p: Vec[5]) -> Vec[8]:
        def root(a: Any) -> Any:
            at = lambda x: x**5 + p[0] * x**3 + p[1] * x - a - p[2]
            slope = lambda x: 5 * x**4 + 3 * p[0] * x**2 + p[1] + p[3] ** 2 + p[4] ** 2
            return rose.while_loop(lambda x: rose.abs(at(x)) > 1e-12, lambda x: x - at(x) / slope(x), 1.0)

        return rose.vec(root(i + 1.0) for i in rose.range(8))

    return f, [[1.0, 2.0, 0.5, 0.1, 0.1]]


@of(JACOBIANS)
def heat_by_its_start() -> Any:
    @fn
    def f(u: Vec[40]) -> Vec[40]:
        def step(_: Any, u: Any) -> Any:
            lap = lambda i: u[(i + 1) % 40] - 2.0 * u[i] + u[(i + 39) % 40]
            return rose.vec(u[i] + 0.1 * lap(i) * (1.0 + u[i] ** 2) for i in rose.range(40))

        return rose.scan(step, u, 30)

    return f, [some(40)]


@of(JACOBIANS)
def layers() -> Any:
    @fn
    def f(x: Vec[16], w: Vec[3, Vec[16, Vec[16]]]) -> Vec[16]:
        return rose.scan(lambda k, h: rose.vec(rose.tanh(rose.dot(w[k][i], h)) for i in rose.range(16)), x, 3)

    return f, [some(16), np.array(some(3, 16, 16)) / 4]


@of(JACOBIANS)
def robust_residuals() -> Any:
    @fn
    def f(p: Vec[4], t: Vec[60], y: Vec[60]) -> Vec[60]:
        def residual(t: Any, y: Any) -> Any:
            r = p[0] * rose.exp(-p[1] * t) * rose.cos(p[2] * t + p[3]) - y
            return rose.cond(rose.abs(r) < 0.5, lambda: r * r, lambda: rose.abs(r) - 0.25)

        return rose.vec(residual(t[i], y[i]) for i in rose.range(60))

    return f, [[1.0, 0.3, 2.0, 0.1], [k / 10 for k in range(60)], some(60)]


# numbers, whose Hessian a vector is multiplied with


@of(PRODUCTS)
def logistic_regression() -> Any:
    @fn
    def f(w: Vec[20], x: Vec[100, Vec[20]], y: Vec[100]) -> Real:
        return total(100, lambda i: rose.softplus(-y[i] * rose.dot(w, x[i]))) + 0.1 * rose.dot(w, w)

    return f, [some(20), some(100, 20), np.sign(some(100))]


@of(PRODUCTS)
def hunters_and_prey() -> Any:
    @fn
    def f(p: Vec[4], seen: Vec[80]) -> Real:
        def step(i: Any, s: Any) -> Any:
            x, y, lost = s
            return (x + 0.1 * x * (p[0] - p[1] * y), y + 0.1 * y * (p[2] * x - p[3]), lost + (x - seen[i]) ** 2)

        return rose.scan(step, (1.0, 0.5, 0.0), 80)[2]

    return f, [[1.0, 0.5, 0.3, 0.6], [abs(x) for x in some(80)]]


@of(PRODUCTS)
def atoms() -> Any:
    @fn
    def f(x: Vec[10, Vec[3]]) -> Real:
        def energy(i: Any, j: Any) -> Any:
            r2 = total(3, lambda k: (x[i][k] - x[j][k]) ** 2)
            return r2**-6 - 2.0 * r2**-3

        return total(10, lambda i: rose.sum(energy(i, j) for j in rose.range(i)))

    return f, [[[k % 3 + 0.1 * x, k // 3 + 0.1 * y, 0.5 * z] for k, (x, y, z) in enumerate(some(10, 3))]]


@rose.struct
class Network:
    inner: Vec[8, Vec[3]]
    bias: Vec[8]
    outer: Vec[8]


@of(PRODUCTS)
def network() -> Any:
    @fn
    def f(net: Network, x: Vec[20, Vec[3]], y: Vec[20]) -> Real:
        unit = lambda x, i: net.outer[i] * rose.tanh(rose.dot(net.inner[i], x) + net.bias[i])
        return total(20, lambda k: (total(8, lambda i: unit(x[k], i)) - y[k]) ** 2)

    return f, [(some(8, 3), some(8), some(8)), some(20, 3), some(20)]


@of(PRODUCTS)
def mixture() -> Any:
    @fn
    def f(p: Vec[12], x: Vec[60]) -> Real:
        term = lambda k, x: p[k] - p[k + 8] - 0.5 * ((x - p[k + 4]) * rose.exp(-p[k + 8])) ** 2
        return -total(60, lambda i: rose.logsumexp(rose.vec(term(k, x[i]) for k in rose.range(4))))

    return f, [some(12), some(60)]


@of(PRODUCTS)
def log_determinant() -> Any:
    @fn
    def f(p: Vec[6], d: Vec[8, Vec[8]]) -> Real:
        kernel = lambda i, j: p[0] ** 2 * rose.exp(-d[i][j] * p[1] ** 2) + p[2] ** 2 * rose.cos(d[i][j] * p[3])
        full = lambda i, j: kernel(i, j) + rose.select(i == j, 4.0 + p[4] ** 2 + p[5] ** 2, 0.0)
        a = rose.vec(rose.vec(full(i, j) for j in rose.range(8)) for i in rose.range(8))
        c = rose.lib.cholesky(a)
        return 2.0 * total(8, lambda i: rose.log(c[i][i]))

    return f, [[1.0, 0.5, 0.3, 1.0, 0.2, 0.4], np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))]


@of(PRODUCTS)
def filtered_series() -> Any:
    @fn
    def f(p: Vec[5], y: Vec[100]) -> Real:
        def step(i: Any, s: Any) -> Any:
            m, v, lost = s
            v = p[0] ** 2 * v + p[1] ** 2
            gain = v / (v + p[2] ** 2 + 0.1)
            r = y[i] - p[0] * m - p[3]
            return p[0] * m + gain * r, (1.0 - gain) * v, lost + r * r / (v + 0.1) + rose.log(v + p[4] ** 2)

        return rose.scan(step, (0.0, 1.0, 0.0), 100)[2]

    return f, [[0.9, 0.5, 0.4, 0.1, 0.2], some(100)]


@of(PRODUCTS)
def cameras_of_one_point() -> Any:
    @fn
    def f(p: Vec[3], cameras: Vec[12, Camera], seen: Vec[12, Vec[2]]) -> Real:
        def lost(i: Any) -> Any:
            at = cameras[i].sees(p)
            return (at[0] - seen[i][0]) ** 2 + (at[1] - seen[i][1]) ** 2

        return total(12, lost)

    cameras = [((0.1, 0.2, 0.1 * k), (0.1 * k, 0.1, 5.0), 2.0) for k in range(12)]
    return f, [[0.1, 0.2, 0.3], cameras, some(12, 2)]


@of(PRODUCTS)
def valley() -> Any:
    @fn
    def f(x: Vec[24]) -> Real:
        return rose.sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in rose.range(23))

    return f, [some(24)]


@of(PRODUCTS)
def soap_film() -> Any:
    @fn
    def f(u: Vec[10, Vec[10]]) -> Real:
        def area(i: Any, j: Any) -> Any:
            return rose.sqrt(1.0 + (u[i + 1][j] - u[i][j]) ** 2 + (u[i][j + 1] - u[i][j]) ** 2)

        return total(9, lambda i: total(9, lambda j: area(i, j)))

    return f, [some(10, 10)]


@of(PRODUCTS)
def hanging_cloth() -> Any:
    @fn
    def f(x: Vec[8, Vec[8, Vec[3]]]) -> Real:
        def spring(a: Any, b: Any) -> Any:
            return (rose.sqrt(total(3, lambda k: (a[k] - b[k]) ** 2)) - 1.0) ** 2

        rows = total(8, lambda i: total(7, lambda j: spring(x[i][j], x[i][j + 1])))
        columns = total(7, lambda i: total(8, lambda j: spring(x[i][j], x[i + 1][j])))
        return rows + columns + total(8, lambda i: total(8, lambda j: 0.1 * x[i][j][2]))

    return f, [
        [[[i + 0.1 * a, j + 0.1 * b, c] for j, (a, b, c) in enumerate(row)] for i, row in enumerate(some(8, 8, 3))]
    ]


@of(PRODUCTS)
def path_around_obstacles() -> Any:
    @fn
    def f(x: Vec[40, Vec[2]]) -> Real:
        bump = lambda p, k: rose.exp(-((p[0] - k) ** 2) - (p[1] - 0.5) ** 2)
        near = total(40, lambda i: total(5, lambda k: bump(x[i], k)))
        bend = lambda i, k: (x[i][k] - 2.0 * x[i + 1][k] + x[i + 2][k]) ** 2
        return near + 10.0 * total(38, lambda i: total(2, lambda k: bend(i, k)))

    return f, [some(40, 2)]


@contextmanager
def one_by_one() -> Iterator[None]:
    """Inside, a sweep has one direction."""
    known, sweeps.SEVERAL = sweeps.SEVERAL, (1,)
    try:
        yield
    finally:
        sweeps.SEVERAL = known


def jacobian(name: str, options: dict[str, Any]) -> dict[str, Any]:
    f, given = JACOBIANS[name]()
    several = rose.compile(rose.jacfwd(f), **options)
    with one_by_one():
        single = rose.compile(rose.jacfwd(JACOBIANS[name]()[0]), **options)
    return beside(name, several, single, given, given)


def product(name: str, options: dict[str, Any]) -> dict[str, Any]:
    f, given = PRODUCTS[name]()
    hvp, gradient = [rose.compile(d(f), **options) for d in (rose.hvp, rose.grad)]
    return beside(name, hvp, gradient, [*given, given[0]], given)


def beside(name: str, one: Any, other: Any, xs: Sequence[Any], ys: Sequence[Any]) -> dict[str, Any]:
    """A row of the table: two modules, and their arguments."""
    xs, ys = [list(map(array, given)) for given in (xs, ys)]
    times = timing.rounds({"one": loop(one, xs), "other": loop(other, ys)})
    return {
        "program": name,
        "us": [statistics.median(ns) / 1e3 for ns in times.values()],
        "time": timing.ratio(times["other"], times["one"]),
        "instructions": [executed(one, xs), executed(other, ys)],
        "bytes": [len(one.wasm), len(other.wasm)],
    }


ELEMENTS = 2000  # of a batch


def batch(name: str, dtype: str, gradient: bool) -> dict[str, Any]:
    """A row of the table of `map`: one element at a time, and several; all arguments but the first are shared."""
    f, given = {**JACOBIANS, **PRODUCTS}[name]()
    g = rose.grad(f) if gradient else f
    kind = np.dtype("f8" if dtype == "f64" else "f4")
    several, single = [rose.compile(g, dtype=dtype, simd=True) for _ in range(2)]
    plain = rose.compile(g, dtype=dtype)
    single.running._at_once = None
    r = np.random.default_rng(0)
    x = np.asarray(given[0], kind)
    xs = (x * r.uniform(0.9, 1.1, (ELEMENTS, *x.shape))).astype(kind)
    rest = [a.astype(kind) if isinstance(a := array(y), np.ndarray) else a for y in given[1:]]
    axes = (0, *[None] * len(rest))
    modules = {"one": several, "other": single, "plain": plain}
    ways = {way: partial(m.map, xs, *rest, in_axes=axes) for way, m in modules.items()}
    answers = [flat(way()) for way in ways.values()]
    assert answers[0] == answers[1] == answers[2], name

    def repeated(way: Callable[[], Any]) -> Callable[[int], None]:
        return lambda n: [way() for _ in range(n)] and None

    times = timing.rounds({way: repeated(f) for way, f in ways.items()})
    at_once = several.running.batch.loop((), (False, *[True] * len(rest))).at_once
    at_once = at_once.several if at_once.pays else None
    return {
        "program": f"{name}{', gradient' * gradient}",
        "ns": [statistics.median(ns) / ELEMENTS for ns in times.values()],
        "time": timing.ratio(times["other"], times["one"]),
        "over plain": timing.ratio(times["plain"], times["one"]),
        "at once": 1 if at_once is None else at_once.lanes,
    }


def flat(x: Any) -> bytes:
    """The bytes of a result."""
    if isinstance(x, np.ndarray):
        return x.tobytes()
    return b"".join(map(flat, vars(x).values() if hasattr(x, "__dict__") else x))


def array(x: Any) -> Any:
    """As it is copied at once: an array, or structs as they are."""
    return x if "(" in str(x) else np.array(x)


def maps(chosen: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of the table of `map`, in double and in single precision."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for dtype in ("f64", "f32"):
        names = [k for k in [*JACOBIANS, *PRODUCTS] if (not chosen or k in chosen) and k not in NO_BATCH[dtype]]
        asked = [(k, gradient) for k in names for gradient in ([False, True] if k in PRODUCTS else [False])]
        tables[dtype] = [batch(k, dtype, gradient) for k, gradient in asked]
        lines = [
            [r["program"], *map(report.shown, r["ns"]), str(r["at once"]), *map(report.times, ratios)]
            for r in tables[dtype]
            if (ratios := [r["time"], r["over plain"]])
        ]
        means = [report.times(report.mean([r[k] for r in tables[dtype]])) for k in ("time", "over plain")]
        lines.append(["geometric mean", "", "", "", "", *means])
        ways = ["simd, several at once, ns", "simd, one by one, ns", "plain, ns"]
        table = report.table([f"map, {dtype}", *ways, "at once", "over simd", "over plain"], lines)
        print(table)
        if not chosen:
            report.put(MAPS.with_suffix(".md"), dtype, table)
    return tables


def main(words: Sequence[str]) -> None:
    gc.disable()
    if "map" in words:
        tables = maps([w for w in words if w != "map"])
        if list(words) == ["map"]:
            MAPS.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")
        return
    options = {"simd": True} if "simd" in words else {}
    chosen = [w for w in words if w != "simd"]
    ways = {"Jacobian": (jacobian, JACOBIANS), "hvp": (product, PRODUCTS)}
    tables = {
        what: [row(name, options) for name in programs if not chosen or name in chosen]
        for what, (row, programs) in ways.items()
    }
    if not words:
        RESULTS.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")
    for what, rows in tables.items():
        print(shown(what, rows))


def shown(what: str, rows: Sequence[dict[str, Any]]) -> str:
    ratios = [[r["time"], r["instructions"][1] / r["instructions"][0], r["bytes"][0] / r["bytes"][1]] for r in rows]
    if what == "hvp":  # how many gradients a product takes
        ratios = [[1 / t, 1 / i, b] for t, i, b in ratios]
    lines = [
        [r["program"], *map(report.shown, r["us"]), *map(report.times, found)]
        for r, found in zip(rows, ratios, strict=True)
    ]
    lines.append(
        ["geometric mean", "", "", *[report.times(report.mean(column)) for column in zip(*ratios, strict=True)]]
    )
    ways = ["hvp", "gradient"] if what == "hvp" else ["several", "one by one"]
    return report.table([what, *[f"{way}, µs" for way in ways], "time", "instructions", "bytes"], lines)


if __name__ == "__main__":
    main(sys.argv[1:])
