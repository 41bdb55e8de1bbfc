"""Functions, and operators on them, as graphs: for Graphviz, and as a picture."""

from __future__ import annotations

import random
import re
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
from random_programs import program

import rose
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import transpose
from rose.cli import graph
from rose.cli.graph import Box, Graph, Item, Operators, dot, svg
from rose.ir import Func
from rose.ir.text.module import deep, parse
from tests.rose.functional.test_printing import everything, length
from tests.rose.ir.text import test_printer

SUM = """
def sum<n: Index>(v: [n]Real): Real = fst (accum a from 0.0 in [for i: n, a += v[i]])
def f(v: [3]Real): Real = let x = sum(v) in [for i: 3, s: Real from x, s * v[i]]
"""


def programs() -> list[list[Func]]:
    t = test_printer
    found = [[f.func] for f in (t.sum, t.dot, t.outer, t.prod, t.choose, t.predict, t.figure_4(), t.host())]
    d = test_printer.derivative(t.prod)
    return [*found, [t.parts()], [t.several()], [t.clash()], [d], list(transpose(d)[:2])]


def items(box: Box) -> list[Item]:
    out: list[Item] = []
    for item in box.items:
        out += [item, *(items(item) if isinstance(item, Box) else [])]
    return out


def test_dot():
    assert (
        dot(Graph([parse(SUM).funcs["f"]]))
        == r"""digraph rose {
  compound=true;
  node [shape=box, style="rounded,filled", fontname=monospace];
  subgraph cluster_0 {
    label="def f(v: [3]Real): Real"; fontname=monospace;
    n1 [label="v\n[3]Real", fillcolor="#dbeafe"];
    n2 [label="x0 = sum_3(v)\nReal", fillcolor="#dcfce7"];
    subgraph cluster_3 {
      label="for i0: 3"; fontname=monospace;
      n4 [label="i0\n3", fillcolor="#dbeafe"];
      n5 [label="x2\nReal", fillcolor="#dbeafe"];
      n6 [label="x3 = v[i0]\nReal", fillcolor="#ffffff"];
      n7 [label="x4 = x2 * x3\nReal", fillcolor="#ffffff"];
    }
    n8 [label="x1\nReal", fillcolor="#ffffff"];
    n9 [label="result\nReal", fillcolor="#dbeafe"];
  }
  subgraph cluster_10 {
    label="def sum_3(v: [3]Real): Real"; fontname=monospace;
    n11 [label="v\n[3]Real", fillcolor="#dbeafe"];
    n12 [label="x0 = 0.0\nReal", fillcolor="#f1f5f9"];
    n13 [label="a0 = accum x0\n&Real", fillcolor="#ffedd5"];
    subgraph cluster_14 {
      label="for i0: 3"; fontname=monospace;
      n15 [label="i0\n3", fillcolor="#dbeafe"];
      n16 [label="x2 = v[i0]\nReal", fillcolor="#ffffff"];
      n17 [label="x3 = a0 += x2\n()", fillcolor="#ffedd5"];
    }
    n18 [label="x4 = freeze a0\nReal", fillcolor="#ffedd5"];
    n19 [label="result\nReal", fillcolor="#dbeafe"];
  }
  n1 -> n2;
  n2 -> n5;
  n1 -> n6;
  n4 -> n6;
  n5 -> n7;
  n6 -> n7;
  n7 -> n8;
  n8 -> n9;
  n12 -> n13;
  n11 -> n16;
  n15 -> n16;
  n13 -> n17;
  n16 -> n17;
  n17 -> n18;
  n18 -> n19;
  n2 -> n11 [style=dashed, lhead=cluster_10];
}"""
    )


def layout(funcs: list[Func]) -> list[Item]:
    made = Graph(funcs)
    graph._layout(made.root)  # pyright: ignore[reportPrivateUsage]
    graph._place(made.root, 0.0, 0.0)  # pyright: ignore[reportPrivateUsage]
    return [made.root, *items(made.root)]


def holds(outer: Any, inner: Any) -> bool:
    return (
        outer.x <= inner.x and inner.x + inner.w <= outer.x + outer.w + 0.01
        and outer.y <= inner.y and inner.y + inner.h <= outer.y + outer.h + 0.01
    )  # fmt: skip


def apart(a: Item, b: Item) -> bool:
    return a.x + a.w <= b.x or b.x + b.w <= a.x or a.y + a.h <= b.y or b.y + b.h <= a.y


def random_programs() -> list[list[Func]]:
    out: list[list[Func]] = []
    for seed in range(6):
        r = random.Random(seed)
        f = program(lambda n, r=r: r.randrange(n)).run()["main"].func
        out += [[f], [jvp(f, full_mask(f)).func]]
    return out


@pytest.mark.parametrize("funcs", [*programs(), *random_programs()], ids=lambda fs: fs[0].name)
def test_a_picture_is_well_formed_and_nothing_covers_anything(funcs: list[Func]):
    with deep():
        text = svg(Graph(funcs))
        assert text == svg(Graph(funcs))
        root = ElementTree.fromstring(text)
        assert root.tag.endswith("svg") and "nan" not in text and "inf," not in text
        numbers = [float(x) for x in re.findall(r'(?:width|height|x|y)="([-\d.]+)"', text)]
        assert min(numbers) >= 0
        found = layout(funcs)
        boxes = [b for b in found if isinstance(b, Box)]
        for box in boxes:
            assert all(holds(box, x) for x in box.items)
            assert all(apart(a, b) for a, b in combinations(box.items, 2))


@pytest.mark.parametrize("funcs", programs(), ids=lambda fs: fs[0].name)
def test_edges_go_down(funcs: list[Func]):
    made = Graph(funcs)
    graph._layout(made.root)  # pyright: ignore[reportPrivateUsage]
    graph._place(made.root, 0.0, 0.0)  # pyright: ignore[reportPrivateUsage]
    assert made.edges
    assert all(e.start.y + e.start.h < e.end.y for e in made.edges)


def test_printer_is_escaped():
    f = parse('def f(d: {"<&>": Real}): Bool = d."<&>" < 1').funcs["f"]
    assert "&lt;&amp;&gt;" in svg(Graph([f])) and ElementTree.fromstring(svg(Graph([f]))) is not None
    assert r"{\"<&>\": Real}" in dot(Graph([f]))


def test_the_same_pictures_every_time():
    texts = {svg(Graph([parse(SUM).funcs["f"]])) + dot(Graph([parse(SUM).funcs["f"]])) for _ in range(3)}
    assert len(texts) == 1


def test_operators_have_a_node_for_each_line_and_an_edge_for_each_use():
    text = dot(Operators(length))
    assert text.count("label=") == 1 + 1 + 5 + 1 and text.count(" -> ") == 6
    ElementTree.fromstring(svg(Operators(everything)))
    assert dot(Operators(rose.grad(length))) == dot(Operators(rose.grad(length)))
