"""Penrose's graphs: what is made of them has the values and gradients of the original Rose, and of a walk by hand."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import DATA

import rose
from benchmarks.penrose.graphs import Graph, number, parsed, read
from benchmarks.penrose.kinds import Kinds
from benchmarks.penrose.programs import functions
from rose.ir.value import OPS

pytestmark = pytest.mark.slow

PENROSE = DATA / "penrose"
FILES = sorted(PENROSE.glob("*.json.gz"))

each = pytest.mark.parametrize("path", FILES, ids=[path.name.split(".")[0] for path in FILES])


def ones(g: Graph) -> list[list[float]]:
    return [[1.0] * len(xs) for xs in (g.inputs, g.objectives, g.constraints)]


def compiled(g: Graph) -> Any:
    return rose.compile(functions(g)["value_and_gradient"])


@each
def test_value_and_gradient_are_those_of_the_original(path: Path):
    g = read(path)
    f = compiled(g)
    for point in g.points.values():
        phi, gradient = f(point.x, point.weight, *ones(g))
        given = np.array(point.gradient)
        known = ~np.isnan(given)  # the original's are nan where an arm that is not taken holds an infinity
        scale = np.abs(given[known]).max(initial=0.0)
        assert phi == pytest.approx(point.phi, rel=1e-9)
        assert np.isfinite(gradient).all()
        assert np.abs(gradient - given)[known].max(initial=0.0) <= 1e-9 * scale


def test_an_arm_that_is_not_taken_contributes_nothing():
    g = read(PENROSE / "walk-on-spheres__poisson-estimator.json.gz")
    point = g.points["perturbed"]
    assert sum(map(math.isnan, point.gradient)) == 16
    _, gradient = compiled(g)(point.x, point.weight, *ones(g))
    _, wanted = by_hand(g, point.x, point.weight)
    assert np.abs(gradient - wanted).max() <= 1e-9 * np.abs(wanted).max()


def test_masks_choose_inputs_and_outputs():
    g = read(PENROSE / "fake-3d-linear-algebra__projection.json.gz")
    f, x = compiled(g), g.points["perturbed"].x
    varies, objectives, constraints = ([k % 2 for k in range(len(mask))] for mask in ones(g))
    phi, gradient = f(x, 10.0, varies, objectives, constraints)
    few = Graph(g.name, g.inputs, g.nodes, g.objectives[1::2], g.constraints[1::2], [], {}, {})
    value, wanted = by_hand(few, x, 10.0)
    assert phi == pytest.approx(value)
    assert gradient == pytest.approx(np.array(wanted) * varies)


def test_the_derivative_of_phi_is_the_gradient():
    g = read(PENROSE / "alloy-models__river-crossing.json.gz")
    both, phi = functions(g)["value_and_gradient"], functions(g)["phi"]
    value, gradient = rose.value_and_grad(phi)(g.inputs, 1e3, *ones(g))
    assert value == both(g.inputs, 1e3, *ones(g))[0]
    assert gradient.tolist() == both(g.inputs, 1e3, *ones(g))[1].tolist()


def test_constants_are_folded_to_the_bits_of_compiled_code():
    made = Builder([["const", 0.7], ["const", -2.0], ["input", 0]])
    of = ("sin", "cos", "tan", "atan", "exp", "acos")
    folded = [*[made(op, 0) for op in of], made("div", 0, 1), made("inv", 1), made("sqrt_eps", 0), made("pow", 0, 1)]
    same = Builder([["input", 0], ["input", 1], ["input", 2]])
    same.nodes += made.nodes[3:]
    one, two = (compiled(b.graph(folded, [])) for b in (made, same))
    assert not Kinds(made.graph(folded, [])).kinds[0].rows
    for k in range(len(folded)):
        mask = [float(j == k) for j in range(len(folded))]
        assert one([0.0], 1.0, [1.0], mask, [])[0] == two([0.7, -2.0, 0.0], 1.0, [1.0] * 3, mask, [])[0]


def test_the_same_expression_of_other_inputs_is_one_kind():
    circles = [["input", k] for k in range(40)]
    made = Builder(circles)
    for k in range(0, 40, 4):
        square = made("add", made("sq", made("sub", k, k + 1)), made("sq", made("sub", k + 2, k + 3)))
        made.outputs.append(made("sub", made("sqrt_eps", square), 3))
    kinds = Kinds(made.graph([], made.outputs)).kinds
    assert [kind.turns for kind in kinds] == [10]
    assert len(kinds[0].rows) == 7


def test_the_size_of_the_code_does_not_depend_on_how_often_a_kind_is_used():
    def bytes_of(count: int) -> int:
        made = Builder([["input", k] for k in range(2 * count)])
        for k in range(0, 2 * count, 2):
            made.outputs.append(made("exp", made("sin", made("mul", k, k + 1))))
        return len(compiled(made.graph(made.outputs, [])).wasm)

    assert bytes_of(200) - bytes_of(100) <= 100 * 3 * 4 + 100  # a table of 32 bits for each input, and one of outputs


@pytest.mark.parametrize(
    ("inputs", "objectives", "constraints"), [(0, 1, 1), (0, 0, 0), (2, 0, 0), (2, 0, 1), (2, 1, 0)]
)
def test_nothing_may_be_missing(inputs: int, objectives: int, constraints: int):
    nodes = [["const", "-0"], ["const", 2.5], ["sub", 1, 0], *[["input", k] for k in range(inputs)]]
    nodes.append(["mul", 2, len(nodes) - 1])
    last = len(nodes) - 1
    g = Builder(nodes).graph([last] * objectives, [last] * constraints)
    x = [0.5 + k for k in range(inputs)]
    phi, gradient = compiled(g)(x, 7.0, *ones(g))
    value, wanted = by_hand(g, x, 7.0)
    assert phi == value
    assert gradient.tolist() == wanted


def test_numbers_that_json_has_no_word_for():
    assert [str(number(x)) for x in ("NaN", "Infinity", "-Infinity", "-0", 1)] == ["nan", "inf", "-inf", "-0.0", "1.0"]
    made = Builder([["input", 0], ["const", "-Infinity"], ["const", "NaN"], ["const", "-0"]])
    made.outputs += [made("max", made("max", made("sq", 0), 1), 3), made("select", made("lt", 2, 0), 2, 0)]
    g = made.graph(made.outputs, [])
    phi, gradient = compiled(g)([3.0], 1.0, *ones(g))
    assert (phi, gradient.tolist()) == (12.0, [7.0])


def test_a_tie_goes_to_the_second():
    made = Builder([["input", 0], ["input", 1]])
    made.outputs += [made("max", 0, 1), made("min", 0, 1), made("maxN", 0, 1, 0)]
    g = made.graph(made.outputs, [])
    assert compiled(g)([2.0, 2.0], 1.0, *ones(g))[1].tolist() == [1.0, 2.0]


def test_calls_are_written_out():
    f = {"name": "f", "params": 2, "nodes": [["param", 0], ["param", 1], ["sub", 0, 1], ["sq", 2]], "outputs": [2, 3]}
    nodes = [["input", 0], ["input", 1], ["call", 0, 1, 0], ["get", 2, 1], ["get", 2, 0], ["mul", 3, 4]]
    data = {"name": "calls", "inputs": [1, 2], "nodes": nodes, "functions": [f], "objectives": [5], "constraints": [4]}
    g = parsed(json.loads(json.dumps(data)))
    assert [op for op, *_ in g.nodes] == ["input", "input", "sub", "sq", "mul"]
    phi, gradient = compiled(g)([1.0, 3.0], 10.0, *ones(g))
    assert (phi, gradient.tolist()) == (8.0 + 40.0, [-12.0 - 40.0, 12.0 + 40.0])


@pytest.mark.parametrize("seed", range(8))
def test_any_graph_has_the_gradient_of_a_walk_by_hand(seed: int):
    g, x = any_graph(random.Random(seed))
    phi, gradient = compiled(g)(x, 3.0, *ones(g))
    value, wanted = by_hand(g, x, 3.0)
    assert phi == pytest.approx(value, rel=1e-12, nan_ok=True)
    assert gradient == pytest.approx(np.array(wanted), rel=1e-9, abs=1e-9 * max(map(abs, wanted)), nan_ok=True)


# graphs for tests


class Builder:
    """Appends nodes."""

    def __init__(self, nodes: list[Any]) -> None:
        self.nodes, self.outputs = list(nodes), list[int]()

    def __call__(self, op: str, *args: int) -> int:
        self.nodes.append([op, *args])
        return len(self.nodes) - 1

    def graph(self, objectives: list[int], constraints: list[int]) -> Graph:
        inputs = [0.0 for op, *_ in self.nodes if op == "input"]
        return Graph("made", inputs, self.nodes, objectives, constraints, [], {}, {})


UNARY = "neg sq abs sqrt_eps sin cos atan floor sign".split()
BINARY = "add sub mul div max min atan2".split()
COMPARISONS = "gt lt ge le eq".split()


def any_graph(rng: random.Random) -> tuple[Graph, list[float]]:
    """All operations, on inputs and on what was made of them, with the same expressions again and again."""
    made = Builder([["input", k] for k in range(12)])
    numbers = [*range(12), made("const", 0), made("const", -1.5), made("const", "Infinity")]
    any_number: Callable[[], int] = lambda: rng.choice(numbers)
    shapes = [(rng.choice(UNARY), rng.choice(BINARY), rng.choice(BINARY)) for _ in range(12)]
    for _ in range(250):
        f, g, h = rng.choice(shapes)
        x = made(h, made(f, any_number()), made(g, any_number(), any_number()))
        if rng.random() < 0.3:
            c = made(rng.choice(COMPARISONS), any_number(), any_number())
            d = made("not", made(rng.choice(["and", "or", "xor"]), c, made("eq", any_number(), x)))
            x = made("select", d, x, any_number())
        if rng.random() < 0.2:
            x = made(rng.choice(["addN", "maxN", "minN"]), x, any_number(), any_number(), any_number())
        numbers.append(made("cos", x) if rng.random() < 0.5 else made("atan", x))
    for op in ("tan", "exp", "acos", "log", "sqrt", "inv", "pow"):
        one = made("add", made("sq", any_number()), made("const", 0.01))
        numbers.append(made(op, *([one, any_number()] if op == "pow" else [one])))
    outputs = rng.sample(numbers[15:], 40)
    x = [rng.choice([rng.gauss(0, 1), 0.0, 1.0]) for _ in range(12)]
    return made.graph(outputs[:15], outputs[15:]), x


def by_hand(g: Graph, x: Sequence[float], weight: float) -> tuple[float, list[float]]:
    """The value and the gradient, node by node. A node whose cotangent is 0 contributes nothing."""
    v = list[Any]()
    for op, *args in g.nodes:
        if op == "input" or op == "const":
            v.append(x[args[0]] if op == "input" else number(args[0]))
        else:
            v.append(VALUES[op](*[v[a] for a in args]))
    over = [v[k] if v[k] > 0 else 0.0 for k in g.constraints]
    ct = [0.0] * len(v)
    for k in g.objectives:
        ct[k] += 1.0
    for k, c in zip(g.constraints, over, strict=True):
        ct[k] += 2 * weight * c
    gradient = [0.0] * len(x)
    for k in range(len(v) - 1, -1, -1):
        op, *args = g.nodes[k]
        if op == "input":
            gradient[args[0]] += ct[k]
        elif ct[k] != 0 and op in SLOPES:
            for a, slope in zip(args, SLOPES[op](v[k], *[v[a] for a in args]), strict=True):
                if slope is not None:
                    ct[a] += ct[k] * slope
    return sum([v[k] for k in g.objectives]) + weight * sum([c * c for c in over]), gradient


def of(name: str) -> Callable[..., Any]:
    return OPS[name].eval


def chosen(first: Callable[[float, float], bool]) -> tuple[Callable[..., float], Callable[..., list[float | None]]]:
    """A fold that chooses one of two, and its derivative."""

    def place(*xs: float) -> int:
        k = 0
        for j in range(1, len(xs)):
            k = k if first(xs[k], xs[j]) else j
        return k

    return lambda *xs: xs[place(*xs)], lambda _, *xs: [1.0 if j == place(*xs) else None for j in range(len(xs))]


(larger, of_larger), (smaller, of_smaller) = chosen(lambda x, y: x > y), chosen(lambda x, y: x < y)
div, sqrt, sin, cos, log = (of(name) for name in ("div", "sqrt", "sin", "cos", "log"))
VALUES: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": div, "neg": lambda x: -x,
    "sq": lambda x: x * x, "inv": lambda x: div(1.0, x), "abs": abs, "sqrt_eps": sqrt, "sqrt": sqrt, "max": larger,
    "min": smaller, "maxN": larger, "minN": smaller, "addN": lambda *xs: sum(xs[1:], xs[0]), "sin": sin, "cos": cos,
    **{name: of(name) for name in ("tan", "atan", "acos", "exp", "log", "atan2", "pow", "floor", "sign")},
    "gt": lambda x, y: x > y, "lt": lambda x, y: x < y, "ge": lambda x, y: x >= y, "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y, "and": lambda x, y: x and y, "or": lambda x, y: x or y, "xor": lambda x, y: x is not y,
    "not": lambda x: not x, "select": lambda c, x, y: x if c else y,
}  # fmt: skip
SLOPES: dict[str, Callable[..., Sequence[float | None]]] = {
    "add": lambda z, x, y: (1.0, 1.0), "sub": lambda z, x, y: (1.0, -1.0), "mul": lambda z, x, y: (y, x),
    "div": lambda z, x, y: (div(1.0, y), -div(z, y)), "neg": lambda z, x: (-1.0,), "sq": lambda z, x: (2 * x,),
    "inv": lambda z, x: (-z * z,), "abs": lambda z, x: ((x > 0) - (x < 0),), "sqrt": lambda z, x: (div(0.5, z),),
    "sqrt_eps": lambda z, x: (0.5 / (z if z >= 1e-5 else 1e-5),), "max": of_larger, "min": of_smaller,
    "maxN": of_larger, "minN": of_smaller, "addN": lambda z, *xs: [1.0] * len(xs), "sin": lambda z, x: (cos(x),),
    "cos": lambda z, x: (-sin(x),), "tan": lambda z, x: (1 + z * z,), "atan": lambda z, x: (div(1.0, 1 + x * x),),
    "acos": lambda z, x: (div(-1.0, sqrt(1 - x * x)),), "exp": lambda z, x: (z,), "log": lambda z, x: (div(1.0, x),),
    "atan2": lambda z, y, x: (div(x, x * x + y * y), -div(y, x * x + y * y)),
    "pow": lambda z, x, y: (z * div(y, x), log(x) * z),
    "select": lambda z, c, x, y: (None, 1.0, None) if c else (None, None, 1.0),
}  # fmt: skip
