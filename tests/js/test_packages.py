"""Packages, through the front door: what their functions give in JavaScript is what they give in Python, to the bit.

Each package is a few functions, compiled and saved as a user would, and calls of them. Beside it goes
`calls.json`: the arguments, and what Python got, with each float as its bits in hexadecimal.
`tests/js/packages.mjs` loads the package in node, makes the same calls, and compares.
"""

import dataclasses
import functools
import json
import math
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from control_programs import CASES
from paths import ROOT
from portable_values import bits, portable

import rose
from rose import Bool, Dual, Fin, Fn, Real, Vec, opaque
from rose.differentiation.gradients import pullback
from rose.frontend.annotations import as_type
from rose.frontend.any_size import AnySize
from rose.host.marshal import plain
from rose.ir import OPS, types

pytestmark = pytest.mark.slow

INF, NAN = math.inf, math.nan
ODD = [0.0, -0.0, 1.0, -1.5, 2.5, -2.5, 0.1, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, INF, -INF, NAN]

WITH_MATHEMATICS = (
    "mathematics", "single_precision", "choices_and_turns", "choices_and_turns_in_single_precision",
    "memory_that_grows", "every_size",
)  # fmt: skip

SEEN: list[float] = []  # what opaque functions were given, in this call


@dataclasses.dataclass
class Package:
    """Functions by name; calls of them; and in JavaScript, what the page supplies (it notes what it `saw`)."""

    functions: dict[str, Fn[..., Any]]
    calls: list[tuple[str, Sequence[Any]]]
    page: Mapping[str, str] = dataclasses.field(default_factory=dict)
    name: str = "made"
    dtype: str = "f64"
    dynamic: bool = False


PACKAGES: dict[str, Callable[[], Package]] = {}


def package(f: Callable[[], Package]) -> Callable[[], Package]:
    PACKAGES[f.__name__] = f
    return f


def of(params: Sequence[Any], result: Any, body: Callable[..., Any]) -> Fn[..., Any]:
    return rose.fn(params, result)(body)


def literal(x: float) -> Fn[..., Any]:
    return of([], Real, lambda: x)


def plus(x: float) -> Fn[..., Any]:
    return of([Real], Real, lambda y: x + y)


# the packages


@package
def scalars() -> Package:
    unary = {
        "neg": lambda x: -x, "abs": abs, "sqrt": rose.sqrt, "floor": rose.floor, "ceil": rose.ceil,
        "trunc": rose.trunc, "round": rose.round, "sign": rose.sign, "same": lambda x: x, "cube": lambda x: x**3,
    }  # fmt: skip
    binary = {
        "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
        "min": rose.min, "max": rose.max, "copysign": rose.copysign,
        "mixed": lambda x, y: rose.select(x < y, rose.sqrt(x * x + y * y), x / (y + 0.1) - 3.0),
    }  # fmt: skip
    compared = {
        "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
    }  # fmt: skip
    literals = {f"literal_{k}": literal(x) for k, x in enumerate(ODD)}
    functions = {k: of([Real], Real, f) for k, f in unary.items()}
    functions |= {k: of([Real] * 2, Real, f) for k, f in binary.items()}
    functions |= {k: of([Real] * 2, Bool, f) for k, f in compared.items()} | literals
    calls = [(k, [x]) for k in unary for x in ODD]
    calls += [(k, [x, y]) for k in [*binary, *compared] for x in ODD for y in ODD]
    return Package(functions, calls + [(k, []) for k in literals])


@package
def mathematics() -> Package:
    """Every function that is called in the module, and its derivatives to second order."""
    functions: dict[str, Fn[..., Any]] = {}
    calls: list[tuple[str, Sequence[Any]]] = []
    for op in OPS.values():
        if op.wasm.startswith("call ") or op.expand is not None:
            count = op.type.__code__.co_argcount
            f = functions[op.name] = of([Real] * count, Real, lambda *xs, op=op: op(*xs))
            functions[f"{op.name}_grad"] = rose.grad(f, argnums=tuple(range(count)))
            functions[f"{op.name}_bend"] = rose.grad(rose.grad(f))
            given = [(x, y, z)[:count] for x in (*ODD, 0.7, -3.2, 700.5) for y, z in ((1.5, 2.5), (-0.3, 0.0))]
            calls += [(name, xs) for xs in given for name in (op.name, f"{op.name}_grad", f"{op.name}_bend")]
    return Package(functions, calls)


@package
def truth_values_and_indices() -> Package:
    n = 5
    functions = {
        "logic": of([Bool, Bool], tuple[Bool, Bool, Bool, Bool], lambda p, q: (p & q, p | q, p ^ q, ~p)),
        "choose": of([Bool, Fin[n], Fin[n]], Fin[n], rose.select),
        "next": of([Fin[n]], Fin[n], lambda i: (i + 1) % n),
        "as_number": of([Fin[n]], Real, lambda i: i * 0.5),
        "order": of([Fin[n], Fin[n]], Vec[3, Bool], lambda i, j: [i < j, i == j, i <= j]),
        "largest": of([Fin[2**32 - 1]], Fin[2**32 - 1], lambda i: i),
        "pick": of([Vec[n], Vec[3, Fin[n]]], Vec[3], lambda v, at: rose.vec(v[at[k]] for k in rose.range(3))),
        "flip": of([Vec[3, Bool]], Vec[3, Bool], lambda v: rose.vec(~v[k] for k in rose.range(3))),
        "indices": of([Vec[3, Fin[n]]], Vec[3, Fin[n]], lambda v: rose.vec((v[k] + 2) % n for k in rose.range(3))),
    }
    both, index = [True, False], [*range(n)]
    calls: list[tuple[str, Sequence[Any]]] = [("logic", [p, q]) for p in both for q in both]
    calls += [("choose", [p, 1, 4]) for p in both] + [(k, [i]) for k in ("next", "as_number") for i in index]
    calls += [("order", [i, j]) for i in index for j in index]
    calls += [("largest", [i]) for i in (0, 1, 2**31 - 1, 2**31, 2**32 - 2)]
    calls += [("pick", [[0.5, -0.0, INF, NAN, 4.0], [4, 1, 3]]), ("indices", [[0, 3, 4]])]
    return Package(functions, [*calls, ("flip", [[True, False, True]])])


@package
def vectors() -> Package:
    m, n = 2, 3
    matrix = Vec[m, Vec[n]]
    functions = {
        "same": of([matrix], matrix, lambda a: a),
        "transposed": of([matrix], Vec[n, Vec[m]], lambda a: rose.vec(
            rose.vec(a[i][j] for i in rose.range(m)) for j in rose.range(n))),
        "row": of([matrix, Fin[m]], Vec[n], lambda a, i: a[i]),
        "product": of([matrix, Vec[n]], Vec[m], lambda a, x: rose.vec(rose.dot(a[i], x) for i in rose.range(m))),
        "literal": of([Fin[4]], Vec[4], lambda i: rose.constant(Vec[4, Vec[4]], [[i * j / 7 for j in range(4)]
                                                                                 for i in range(4)])[i]),
        "empty": of([Vec[0], Vec[0, Vec[2]]], Vec[2, Vec[0]], lambda v, w: [v, v]),
        "sum_of_nothing": of([Vec[0]], Real, lambda v: rose.sum(v[i] for i in rose.range(0))),
        "nested": of([Vec[2, Vec[2, Vec[2, Bool]]]], Vec[2, Vec[2, Vec[2, Bool]]], lambda v: [v[1], v[0]]),
        "long": of([Vec[10_000]], Vec[10_000], lambda v: rose.vec(v[i] * v[i] for i in rose.range(10_000))),
    }  # fmt: skip
    a, x = [[0.1, -0.0, NAN], [INF, 5e-324, -7.25]], [1.0, -2.0, 1e300]
    b = [[[True, False], [False, False]], [[True, True], [False, True]]]
    calls: list[tuple[str, Sequence[Any]]] = [("same", [a]), ("transposed", [a]), ("row", [a, 1]), ("product", [a, x])]
    calls += [("literal", [i]) for i in range(4)]
    calls += [("empty", [[], []]), ("sum_of_nothing", [[]]), ("nested", [b])]
    return Package(functions, [*calls, ("long", [[k / 3 for k in range(10_000)]])])


@rose.struct
class Point:
    x: Real
    y: Real


@rose.struct
class Mixed:  # with gaps between its members
    flag: Bool
    at: Point
    index: Fin[7]
    other: Bool
    none: None
    v: Vec[3, Bool]


class Named(NamedTuple):
    a: Real
    b: Vec[2]


Dict = {"p": Point, "q": Vec[2, Point]}


@rose.struct
class Nothing:
    pass


@package
def structs() -> Package:
    functions = {
        "dataclass": of([Point, Point], Point, lambda p, q: Point(p.x + q.x, p.y * q.y)),
        "mixed": of([Mixed], Mixed, lambda s: Mixed(
            ~s.flag, Point(s.at.y, s.at.x), (s.index + 1) % 7, s.flag, None, s.v)),
        "many_mixed": of([Vec[3, Mixed]], Vec[3, Mixed], lambda v: [v[2], v[0], v[1]]),
        "named_tuple": of([Named], Named, lambda t: Named(t.b[0], [t.a, t.b[1]])),
        "dict": of([Dict], Dict, lambda d: {"p": d["q"][0], "q": [d["p"], d["q"][1]]}),
        "tuple": of([tuple[Real, Bool, Point]], tuple[Point, tuple[Real, Bool]], lambda t: (t[2], (t[0], t[1]))),
        "points": of([Vec[4, Point]], Point, lambda ps: Point(
            rose.sum(ps[i].x for i in rose.range(4)), rose.sum(ps[i].y for i in rose.range(4)))),
        "made": of([Real], Vec[5, Point], lambda x: rose.vec(Point(x * i, x + i) for i in rose.range(5))),
        "nothing": of([Nothing, Real], Nothing, lambda n, x: n),
        "choose": of([Bool, Mixed, Mixed], Mixed, rose.select),
    }  # fmt: skip
    p, q = Point(0.5, -0.0), Point(NAN, INF)
    s, t = Mixed(True, p, 6, False, None, [True, False, True]), Mixed(False, q, 0, True, None, [False, True, True])
    return Package(
        functions,
        [
            ("dataclass", [p, q]), ("mixed", [s]), ("many_mixed", [[s, t, s]]),
            ("named_tuple", [Named(1.0, [2.0, -0.0])]), ("dict", [{"p": p, "q": [q, Point(3.0, 4.0)]}]),
            ("tuple", [(1.5, True, p)]),
            ("points", [[p, Point(1.0, 2.0), p, Point(-7.0, 0.1)]]), ("made", [0.1]), ("nothing", [Nothing(), 1.0]),
            ("choose", [True, s, t]), ("choose", [False, s, t]),
        ],
    )  # fmt: skip


@package
def units() -> Package:
    With, Without = {"x": Real, "u": None, "v": Vec[2, None]}, {"u": None, "y": Real}
    functions = {
        "unit": of([None], None, lambda u: u),
        "ignored": of([Real], None, lambda x: None),
        "between": of([Real, None, Real], Real, lambda x, u, y: x - y),
        "inside": of([With], Without, lambda s: {"u": None, "y": s["x"]}),
        "none": of([], None, lambda: None),
        "many": of([Vec[3, None]], Vec[2, None], lambda v: [v[0], v[1]]),
    }  # fmt: skip
    calls: list[tuple[str, Sequence[Any]]] = [("unit", [None]), ("ignored", [1.0]), ("between", [3.0, None, 4.5])]
    calls += [("inside", [{"x": -0.0, "u": None, "v": [None, None]}]), ("none", []), ("many", [[None] * 3])]
    return Package(functions, calls)


@package
def opaque_functions_of_scalars() -> Package:
    @opaque
    def tell(x: Real) -> None:  # impure: seen as often as it is called, in order
        SEEN.append(x)

    @opaque
    def ask(x: Real, p: Bool, i: Fin[4], u: None) -> Fin[4]:
        SEEN.extend([x, p, i])
        return (i + 1) % 4 if p else i

    @opaque(pure=True)
    def twice(x: Real) -> Real:
        return 2.0 * x

    @twice.jvp
    def rule(x: Dual) -> Dual:
        return Dual(twice(x.re), 2.0 * x.du)

    @opaque(name="is.odd?")
    def odd(i: Fin[9]) -> Bool:
        return i % 2 == 1

    def told(x: Any, y: Any) -> Any:
        tell(x)
        for i in rose.range(3):
            tell(y * i)
        return x + y

    def asked(x: Any, p: Any, i: Any) -> Any:
        j = ask(x, p, i, None)
        return ask(-x, ~p, j, None)

    functions = {
        "told": of([Real, Real], Real, told),
        "asked": of([Real, Bool, Fin[4]], Fin[4], asked),
        "fourfold": of([Real], Real, lambda x: twice(twice(x))),
        "slope": rose.value_and_grad(of([Real], Real, lambda x: twice(x) * twice(x))),
        "odd": of([Fin[9]], Bool, odd),
        "exported": twice,
    }
    page = {
        "tell": "(x) => { saw(x); }",
        "ask": "(x, p, i, u) => { saw(x, +p, i); if (u !== undefined) throw u; return p ? (i + 1) % 4 : i; }",
        "twice": "(x) => 2 * x",
        "is.odd?": "(i) => i % 2 == 1",
    }
    calls: list[tuple[str, Sequence[Any]]] = [("told", [x, -0.0]) for x in ODD]
    calls += [("asked", [x, p, 3]) for x in (0.5, NAN) for p in (True, False)]
    calls += [(k, [x]) for k in ("fourfold", "slope", "exported") for x in ODD]
    return Package(functions, calls + [("odd", [i]) for i in range(9)], page)


@package
def opaque_functions_of_aggregates() -> Package:
    @opaque(pure=True)
    def turned(p: Point, k: Real) -> Point:
        return Point(-p.y * k, p.x * k)

    @turned.jvp
    def rule(p: Dual[Point], k: Dual) -> Dual[Point]:
        q = turned(Point(p.x.re, p.y.re), k.re)
        return Point(Dual(q.x, -p.y.du * k.re - p.y.re * k.du), Dual(q.y, p.x.du * k.re + p.x.re * k.du))

    Shuffled = {"v": Vec[3], "flags": Vec[2, Bool]}

    @opaque
    def shuffled(v: Vec[3], at: Vec[3, Fin[3]], flags: Vec[2, Bool]) -> Shuffled:
        SEEN.extend([*v, *at, *flags])
        return {"v": [v[i] for i in at], "flags": [flags[1], flags[0]]}

    @opaque
    def empty(v: Vec[0], w: Vec[2, None]) -> Vec[0]:
        SEEN.append(len(v) + len(w))
        return []

    def shuffle(v: Any, at: Any) -> Any:
        out = shuffled(v, at, [True, False])
        return shuffled(out["v"], at, out["flags"])

    def path(p: Any) -> Any:
        q = turned(p, 2.0)
        return q.x * q.x + turned(q, p.x).y

    functions = {
        "turned": of([Point, Real], Point, lambda p, k: turned(turned(p, k), k)),
        "shuffle": of([Vec[3], Vec[3, Fin[3]]], Shuffled, shuffle),
        "empty": of([Vec[0]], Vec[0], lambda v: empty(v, [None, None])),
        "path": of([Point], Real, path),
        "slope": rose.grad(of([Point], Real, path)),
    }
    page = {
        "turned": "(p, k) => ({ x: -p.y * k, y: p.x * k })",
        "shuffled": "(v, at, flags) => { saw(...v, ...at, ...flags.map(Number)); "
        "return { v: Array.from(at, (i) => v[i]), flags: [flags[1], flags[0]] }; }",
        "empty": "(v, w) => { saw(v.length + w.length); return []; }",
    }
    p = Point(1.5, -0.0)
    calls: list[tuple[str, Sequence[Any]]] = [("turned", [p, 3.0]), ("turned", [Point(INF, NAN), -0.5])]
    calls += [("shuffle", [[0.5, NAN, -0.0], [2, 0, 1]]), ("empty", [[]]), ("path", [p]), ("slope", [p])]
    return Package(functions, calls, page)


@package
def math_log_by_its_global_name() -> Package:
    @opaque(name="Math.log", pure=True)
    def log(x: Real) -> Real:
        return math.log(x) if x > 0 else -INF if x == 0 else NAN

    @log.jvp
    def rule(x: Dual) -> Dual:
        return Dual(log(x.re), x.du / x.re)

    f = of([Real], Real, lambda x: x * log(x))
    functions = {"log": of([Real], Real, log), "slope": rose.grad(f), "curve": rose.grad(rose.grad(f))}
    # where all libraries of the world agree
    return Package(functions, [(k, [x]) for k in functions for x in (1.0, 2.0, 0.5, 1024.0, 0.0, -0.0, -1.0, INF, NAN)])


@package
def the_print_of_listing_5() -> Package:
    @opaque
    def print_(x: Real) -> Real:
        SEEN.append(x)
        return x

    @print_.jvp
    def rule(x: Dual) -> Dual:
        return Dual(print_(x.re), x.du)

    f = of([Real, Real], Real, lambda x, y: print_(x * y) * y)
    functions = {
        "f": f,
        "vjp": pullback(f),
        "grad": rose.grad(f),
        "jvp": rose.jvp(f),
        "none": of([Real], Real, lambda x: x),
    }
    calls: list[tuple[str, Sequence[Any]]] = [("f", [2.0, -0.5]), ("vjp", [2.0, -0.5, 3.0]), ("grad", [2.0, NAN])]
    calls += [("jvp", [Dual(2.0, 1.0), Dual(3.0, 0.5)]), ("none", [1.0])]
    return Package(functions, calls, {"print_": "(x) => { saw(x); return x; }"})


@package
def derivatives() -> Package:
    n = 3

    @rose.struct
    class Line:
        b0: Real
        b: Vec[n]
        at: Fin[n]

    def loss(line: Any, xs: Any) -> Any:
        total = rose.accum(0.0)
        for i in rose.range(n):
            total += (line.b0 + rose.dot(line.b, xs[i]) - xs[i][line.at]) ** 2
        return total.value / n

    f = of([Line, Vec[n, Vec[n]]], Real, loss)
    g = of([Vec[n]], Vec[2], lambda v: [v[0] * v[1] / v[2], rose.sqrt(rose.dot(v, v))])
    h = of([Vec[n]], Real, lambda v: rose.select(v[0] < v[1], v[0] / v[1] ** 2, v[2] * abs(v[0])))
    functions = {
        "loss": f, "grad": rose.grad(f), "both": rose.grad(f, (0, 1)), "value_and_grad": rose.value_and_grad(f),
        "pullback": pullback(f), "jvp": rose.jvp(h), "jacobian": rose.jacobian(g), "jacrev": rose.jacrev(g),
        "jacfwd": rose.jacfwd(g), "hessian": rose.hessian(h), "hvp": rose.hvp(h), "pullback_g": pullback(g),
        "third": rose.jacobian(rose.hessian(h)), "hessian_loss": rose.hessian(f),
    }  # fmt: skip
    line, xs = Line(0.25, [0.1, -2.0, 3.0], 2), [[1.0, 2.0, 3.0], [0.3, -0.0, 0.7], [1e-5, 8.0, -9.5]]
    vs = [[1.0, 2.0, 3.0], [-0.5, -0.5, 1.0], [0.0, 1.0, -2.0], [3.0, 0.0, 1e300], [NAN, 1.0, INF]]
    calls: list[tuple[str, Sequence[Any]]] = [
        (k, [line, xs]) for k in ("loss", "grad", "both", "value_and_grad", "hessian_loss")
    ]
    calls += [("pullback", [line, xs, 2.0])]
    for v in vs:
        calls += [(k, [v]) for k in ("jacobian", "jacrev", "jacfwd", "hessian", "third")]
        calls += [
            ("hvp", [v, [1.0, -1.0, 0.5]]),
            ("jvp", [[Dual(x, 0.5) for x in v]]),
            ("pullback_g", [v, [1.0, -2.0]]),
        ]
    return Package(functions, calls)


def named(names: Sequence[str], params: Sequence[Any], result: Any, body: Callable[..., Any]) -> Fn[..., Any]:
    """A function whose parameters have these names."""
    return Fn(body, [as_type(t) for t in params], as_type(result), "made", names)


@package
def single_precision() -> Package:
    class Spot(NamedTuple):
        on: Bool
        x: Real
        at: Fin[3]
        v: Vec[3]

    @opaque(pure=True)
    def turned(p: Spot, k: Real) -> Vec[2]:
        return [p.x * k, p.v[p.at]]

    n, f = 3, of([Real, Real], Real, lambda x, y: rose.sin(x) * rose.exp(y) - x / (y * y + 0.1))
    g = of([Vec[n]], Real, lambda v: f(v[0], v[1]) * rose.sum(v[i] ** 3 for i in rose.range(n)))
    functions = {
        "f": f, "g": g, "slope": rose.grad(f, (0, 1)), "grad": rose.grad(g), "hessian": rose.hessian(g),
        "spot": of([Spot], Spot, lambda s: Spot(~s.on, s.x / 3.0, s.at, rose.vec(s.v[i] * 0.1 for i in rose.range(n)))),
        "larger": of([Real, Real], Bool, lambda x, y: x > y), "turned": of([Spot, Real], Vec[2], turned),
        "many": of([Real] * 210, Real, lambda *xs: rose.sum([x / (k + 1) for k, x in enumerate(xs)])),
        "nothing": of([Vec[0]], Vec[0], lambda v: v), "third": literal(1 / 3),
        "rows": of([Vec[2, Vec[n]]], Vec[n, Vec[2]], lambda a: rose.vec(
            rose.vec(a[i][j] / 3.0 for i in rose.range(2)) for j in rose.range(n))),
    }  # fmt: skip
    odd = [0.1, -0.0, 1e-45, 1.5e-39, 3.4028234663852886e38, 1.0000001, INF, -INF, NAN]
    spot, v = Spot(True, 0.7, 2, [0.1, NAN, 16777217.0]), [0.3, -1.1, 2.0]
    calls: list[tuple[str, Sequence[Any]]] = [(k, [x, y]) for k in ("f", "slope", "larger") for x in odd for y in odd]
    calls += [(k, [v]) for k in ("g", "grad", "hessian")] + [("spot", [spot]), ("turned", [spot, 1.1])]
    calls += [("many", [math.sqrt(k) for k in range(210)]), ("nothing", [[]]), ("third", []), ("rows", [[v, v]])]
    return Package(functions, calls, {"turned": "(p, k) => [p.x * k, p.v[p.at]]"}, dtype="f32")


@package
def hundreds_of_parameters() -> Package:
    n = 300

    def alternating(*xs: Any) -> Any:
        total = 0.0
        for k, x in enumerate(xs):
            total = total + x * (k + 1) if k % 2 else total - x
        return total

    def mixed(*xs: Any) -> Any:
        return alternating(
            *[rose.select(x, 1.0, 0.5) if k % 3 == 0 else x[1] if k == 1 else x for k, x in enumerate(xs)]
        )

    kinds = [Bool if k % 3 == 0 else Vec[2] if k == 1 else Real for k in range(n)]
    f = of([Real] * n, Real, alternating)
    xs = [math.sqrt(k) for k in range(n)]
    functions = {
        "f": f,
        "grad": rose.grad(f, [*range(n)]),
        "last": rose.grad(f, n - 1),
        "mixed": of(kinds, Real, mixed),
    }
    calls: list[tuple[str, Sequence[Any]]] = [("f", xs), ("grad", xs), ("last", xs), ("f", [NAN, *xs[1:]])]
    return Package(
        functions, [*calls, ("mixed", [x > 9 if k % 3 == 0 else [x, -x] if k == 1 else x for k, x in enumerate(xs)])]
    )


@package
def a_struct_of_thousands_of_members() -> Package:
    n = 2000
    Large = {f"m{k}": Real for k in range(n)}

    def shifted(s: Any) -> Any:
        return {f"m{k}": s[f"m{(k + 1) % n}"] * 0.5 for k in range(n)}

    f = of([Large], Real, lambda s: rose.sum([x * x for x in s.values()]))
    s = {f"m{k}": k / 7 for k in range(n)}
    functions = {"shifted": of([Large], Large, shifted), "grad": rose.grad(f), "f": f}
    return Package(functions, [(k, [s]) for k in functions])


@package
def a_program_of_thousands_of_operations() -> Package:
    def long(x: Any, v: Any) -> Any:
        y = x
        for k in range(1250):
            y = rose.sqrt(y * y + v[k % 5]) - x / (k + 1)
        return y

    f = of([Real, Vec[5]], Real, long)
    functions = {"f": f, "grad": rose.grad(f, (0, 1))}
    v = [1.0, 0.5, 0.25, 2.0, 0.1]
    return Package(functions, [(k, [x, v]) for k in functions for x in (0.3, -40.0, NAN)])


@package
def odd_names() -> Package:
    fields = [
        "then",
        "constructor",
        "__proto__",
        "length",
        "größe",
        "名",
        "default",
        "toString",
        "class",
        "size",
        "kind",
    ]
    Odd = dict.fromkeys(fields, Real)
    params = [
        "arguments",
        "eval",
        "await",
        "class",
        "this",
        "λ",
        "ready",
        "exports",
        "a b",
        "a-b",
        "a",
        "a",
        "init",
        "x0",
    ]
    back = of([Odd], Odd, lambda s: dict(zip(fields, reversed([s[k] for k in fields]), strict=True)))
    tell = opaque(name="__proto__")(_told)
    functions = {
        "class": back,
        "grad": rose.grad(of([Odd], Real, lambda s: s["then"] * s["__proto__"] + s["constructor"])),
        "inside": of([Vec[2, Odd]], Vec[2, Odd], lambda v: [v[1], v[0]]),
        "params": named(params, [Real] * len(params), Vec[len(params)], lambda *xs: [*xs]),
        "tells": of([Real], Real, lambda x: tell(x)),
    }
    odd = [
        "constructor",
        "__proto__",
        "default",
        "delete",
        "new",
        "await",
        "unchecked",
        "init",
        "toString",
        "größe",
        "名",
        "a b",
        "",
        "-",
        "a.b",
        "0",
        '"',
        "*/",
        "\n",
    ]
    functions |= {k: plus(j) for j, k in enumerate(odd)}
    s = {k: j - 0.5 for j, k in enumerate(fields)}
    calls: list[tuple[str, Sequence[Any]]] = [
        ("class", [s]),
        ("grad", [s]),
        ("inside", [[s, dict.fromkeys(fields, NAN)]]),
    ]
    calls += [("params", [float(k) for k in range(len(params))]), ("tells", [2.0])]
    page = {"__proto__": "(x) => { saw(x); return 2 * x; }"}
    return Package(functions, calls + [(k, [1.5]) for k in odd], page, "größe.2")


def _told(x: Real) -> Real:
    SEEN.append(x)
    return 2.0 * x


@package
def loops() -> Package:
    n = 6

    def running(v: Any) -> Any:
        total = rose.accum([0.0] * n)
        for i in rose.range(n):
            for j in rose.range(n):
                total[i] += v[j] * rose.select(j <= i, 1.0, -0.5)
        return total.value

    functions = {
        "running": of([Vec[n]], Vec[n], running),
        "product": of([Vec[n]], Real, lambda v: rose.prod(v[i] for i in rose.range(n))),
        "least": of([Vec[n]], Real, lambda v: rose.min(v)),
        "greatest": of([Vec[n]], Real, lambda v: rose.max(v[i] * v[j] for i in rose.range(n) for j in rose.range(n))),
        "grad": rose.grad(of([Vec[n]], Real, lambda v: rose.prod(v[i] + i for i in rose.range(n)))),
    }
    vs = [[1.0, 2.0, -3.0, 4.5, 0.1, 7.0], [0.0, -0.0, 1.0, -1.0, INF, 5e-324], [NAN, *[1.0] * 5]]
    return Package(functions, [(k, [v]) for k in functions for v in vs])


@package
def choices_and_turns() -> Package:
    """Each case of `control_programs.py`, and its derivatives to second order."""
    functions: dict[str, Fn[..., Any]] = {}
    calls: list[tuple[str, Sequence[Any]]] = []
    for case in CASES:
        names = case.name, f"{case.name}_grad", f"{case.name}_bend"
        functions |= dict(zip(names, (case.fn, rose.grad(case.fn), rose.hessian(case.fn)), strict=True))
        calls += [(name, [list(case.at)]) for name in names]
    return Package(functions, [*calls, *calls[::-1]])


@package
def choices_and_turns_in_single_precision() -> Package:
    """The same; what has a tolerance of more digits than there are would not end."""
    cases = [c for c in CASES if c.name not in ("square_root_by_newton", "while_of_a_derivative")]
    functions = {c.name: c.fn for c in cases} | {f"{c.name}_grad": rose.grad(c.fn) for c in cases}
    return Package(functions, [(k, [list(c.at)]) for c in cases for k in (c.name, f"{c.name}_grad")], dtype="f32")


@package
def memory_that_grows() -> Package:
    """Arguments, results and what the page sees are in memory that is another one after it has grown."""

    @opaque
    def seen(v: Vec[3], s: Real) -> Vec[3]:
        SEEN.extend([*v, s])
        return [2.0 * x + s for x in v]

    @seen.jvp
    def _(v: Any, s: Any) -> Any:
        w = seen(rose.vec(v[i].re for i in rose.range(3)), s.re)
        return rose.vec(Dual(w[i], 2.0 * v[i].du + s.du) for i in rose.range(3))

    def body(v: Any, n: Any) -> Any:
        turn = lambda s: (rose.vec(rose.sin(s[0][i]) + v[i] for i in rose.range(3)), s[1] + 1.0)
        return rose.dot(rose.while_loop(lambda s: s[1] < n, turn, (v, 0.0))[0], v)

    def and_told(v: Any, n: Any) -> Any:
        grown = rose.grad(of([Vec[3], Real], Real, body))(v, n)
        return seen(seen(grown, n), grown[0])

    functions = {
        "grad": rose.grad(of([Vec[3], Real], Real, body)),
        "told": of([Vec[3], Real], Vec[3], and_told),
        "told_grad": rose.grad(of([Vec[3], Real], Real, lambda v, n: rose.sum(and_told(v, n)))),
    }
    calls = [(k, [[0.1, -0.7, 2.0], n]) for n in (3.0, 30_000.0, 5.0, 60_000.0, 3.0) for k in functions]
    page = {"seen": "(v, s) => { saw(...v, s); return v.map((x) => 2 * x + s); }"}
    return Package(functions, calls, page)


@package
def every_size() -> Package:
    """Sizes that differ from call to call, and from function to function; more memory, and less again."""
    n, m = rose.dim("n"), rose.dim("m")
    line = rose.fn([Vec[n]], Real)(lambda x: rose.sum(rose.sin(x[i]) * x[i] for i in rose.range(n)))
    grown = rose.fn([Vec[n], Real], Vec[n])(
        lambda x, a: rose.while_loop(
            lambda s: s[1] < a, lambda s: (rose.vec(s[0][i] * 1.5 + x[i] for i in rose.range(n)), s[1] + 1.0), (x, 0.0)
        )[0]
    )
    product = rose.fn([Vec[n, Vec[m]], Vec[m]], Vec[n])(lambda a, x: rose.vec(rose.dot(a[i], x) for i in rose.range(n)))

    def ends(x: Any, y: Any, i: Any) -> Any:
        scaled = rose.vec(y[-1] * y[j] for j in rose.range(n + 1))
        return scaled, rose.vec(x[j][1] for j in rose.range(n)), i

    def told(x: Any, y: Any) -> Any:
        rose.print("{} and {}", x, y)
        return rose.sum(x)

    fs: dict[str, Fn[..., Any]] = {
        "product": product,
        "line": line,
        "line_grad": rose.grad(line),
        "line_bend": rose.hessian(line),
        "grown": grown,
        "grown_pull": rose.jacrev(grown),
        "ends": rose.fn([Vec[n, tuple[Real, Fin[5]]], Vec[n + 1], Fin[9]], tuple[Vec[n + 1], Vec[n, Fin[5]], Fin[9]])(
            ends
        ),
        "square": of([Real], Real, lambda x: x * x),
        "told": rose.fn([Vec[n], Vec[m]], Real)(told),
    }
    calls: list[tuple[str, Sequence[Any]]] = []
    for size in (3, 1, 0, 40, 2, 3):
        x = [0.1 * j - 0.4 for j in range(size)]
        calls += [("line", [x]), ("line_grad", [x]), ("line_bend", [x]), ("grown", [x, 7.0]), ("grown_pull", [x, 7.0])]
        calls += [("product", [[x[::-1], x, x], x]), ("square", [3.0]), ("line", [[*x, 0.25]]), ("grown", [x, 2_000.0])]
        calls += [("told", [x, [*x, 0.5]])]
        calls += [("ends", [[(y, j % 5) for j, y in enumerate(x)], [*x, 0.5], 8])]
    return Package(fs, calls, dynamic=True)


# what is written beside them


@functools.cache
def compiled(name: str) -> tuple[Package, rose.Compiled]:
    made = PACKAGES[name]()
    return made, rose.compile(made.functions, dtype=made.dtype, dynamic=made.dynamic)


def save(name: str, out: Path) -> list[Path]:
    made, module = compiled(name)
    return module.save(out, made.name)


def called(name: str) -> dict[str, Any]:
    """The calls of a package, with what Python gets."""
    made, module = compiled(name)
    calls = list[Any]()
    for k, args in made.calls:
        f = made.functions[k]
        f = f.fitting(args) if isinstance(f, AnySize) else f
        params, result = f.types, f.result
        if made.dtype == "f32":
            params, result = [types.single(t) for t in params], types.single(result)
        given = [portable(plain(x, t), t) for x, t in zip(args, params, strict=True)]
        SEEN.clear()
        result = portable(plain(module[k](*args), result), result)
        calls.append({"name": k, "args": given, "result": result, "seen": [bits(float(x)) for x in SEEN]})
    return {"module": f"{made.name}.wasm", "functions": [*made.functions], "page": dict(made.page), "calls": calls}


# the tests


@functools.cache
def no_node() -> str | None:
    """Why nothing can run in node; None if it can."""
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return None if int(version[1:].split(".")[0]) >= 18 else f"node is {version}, and 18 is needed"


@pytest.mark.parametrize("name", PACKAGES)
def test_in_javascript_all_is_as_in_python_to_the_bit(name: str, tmp_path: Path):
    if why := no_node():
        pytest.skip(why)
    out = tmp_path / "a package é"
    save(name, out)
    (out / "calls.json").write_text(json.dumps(called(name)))
    command = ["node", "--test", "tests/js/packages.mjs"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "ROSE_PACKAGE": str(out)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_has_a_type_for_each_function(name: str, tmp_path: Path):
    made, _ = compiled(name)
    files = save(name, tmp_path / "out")
    notices = ["NOTICE"] if name in WITH_MATHEMATICS else []  # of whoever wrote what lies inside
    names = [f.name for f in files]
    assert names == [
        f"{made.name}.wasm", "index.js", "workerd.js", "inline.js", "index.d.ts", "inline.d.ts", "core.js",
        "README.md", *notices, f"{made.name}.wasm.map", "package.json", f"{made.name}.json",
    ]  # fmt: skip
    lines = (
        (files[0].parent / "index.d.ts")
        .read_text()
        .partition("export interface Functions {")[2]
        .partition("\n}")[0]
        .splitlines()
    )
    for k in made.functions:
        said = [f"  readonly {name}: Checked<" for name in (k, json.dumps(k, ensure_ascii=False))]
        assert len([x for x in lines if x.startswith(tuple(said))]) == 1, k


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_is_the_same_bytes_each_time(name: str, tmp_path: Path):
    first = [f.read_bytes() for f in save(name, tmp_path / "first")]
    made = PACKAGES[name]()
    module = rose.compile(made.functions, dtype=made.dtype, dynamic=made.dynamic)
    again = [f.read_bytes() for f in module.save(tmp_path / "again", made.name)]
    assert first == again == [f.read_bytes() for f in save(name, tmp_path / "third")]


@pytest.mark.parametrize("name", PACKAGES)
def test_wasm_validate_accepts_a_package(name: str, tmp_path: Path):
    if shutil.which("wasm-validate") is None:
        pytest.skip("wasm-validate (wabt) is not installed")
    files = save(name, tmp_path / "out")
    done = subprocess.run(["wasm-validate", files[0]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


README = """
    mathematics vectors structs units math_log_by_its_global_name derivatives hundreds_of_parameters
    a_struct_of_thousands_of_members choices_and_turns every_size truth_values_and_indices
""".split()


@pytest.mark.parametrize("name", README)
def test_what_the_readme_has_for_node_runs(name: str, tmp_path: Path):
    if why := no_node():
        pytest.skip(why)
    save(name, tmp_path / "made")  # which is its name for npm, too
    text = (tmp_path / "made" / "README.md").read_text().partition("## In Node\n\n```js\n")[2].partition("```")[0]
    (tmp_path / "page.mjs").write_text(text)
    done = subprocess.run(["node", tmp_path / "page.mjs"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_the_print_of_listing_5_prints_once_in_all_derivatives():
    calls = called("the_print_of_listing_5")["calls"]
    assert {c["name"]: len(c["seen"]) for c in calls} == {"f": 1, "vjp": 1, "grad": 1, "jvp": 1, "none": 0}


def test_a_function_called_then_can_be_compiled_but_not_saved(tmp_path: Path):
    module = rose.compile({"then": of([Real], Real, lambda x: x + 1)})
    assert module(1.0) == 2.0
    with pytest.raises(rose.RoseError, match="a function of a package cannot be called then"):
        module.save(tmp_path / "out", "made")
    assert not (tmp_path / "out").exists()
