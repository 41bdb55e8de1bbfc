"""Graphs, for Graphviz or as pictures: of functions, with boxes for loops and functions; of operators on functions.

The picture is laid out in layers: what is read stands above what reads it, and an edge that passes a layer has a
place of its own in it. A box is laid out by itself first, and is then one item of the box around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from ..frontend.function import AnyFn
from ..functional.composites import inputs_of, type_of
from ..functional.elementary import Elementary
from ..functional.printing import Lines
from ..ir import builder, loop_of
from ..ir.builder import is_call
from ..ir.callgraph import callees
from ..ir.func import Block, Branch, Func, Linear, Opaque, While
from ..ir.text.printer import labelled, spell
from ..ir.types import Ref
from ..ir.value import Value

GAP, ROW, PAD, LINE, LETTER = 18.0, 34.0, 14.0, 15.0, 7.3  # in pixels: between items, rows, in boxes, of text
FILLS = {"param": "#dbeafe", "literal": "#f1f5f9", "call": "#dcfce7", "sum": "#ffedd5", "": "#ffffff", "box": "#f8fafc"}


class Item:
    """A thing with a position: a node, a box, or (without a label) the place of an edge in a layer that it passes."""

    def __init__(self, label: Sequence[str], kind: str, parent: Box | None) -> None:
        self.label, self.kind, self.parent = label, kind, parent
        self.x = self.y = 0.0
        self.w = max([len(s) for s in label], default=0) * LETTER + 2 * PAD if label else 4.0
        self.h = len(label) * LINE + PAD if label else 0.0
        self.depth: int = 0 if parent is None else parent.depth + 1


class Box(Item):
    def __init__(self, label: Sequence[str], parent: Box | None) -> None:
        super().__init__(label, "box", parent)
        self.items: list[Item] = []
        self.edges: list[Edge] = []  # between two items of this box, or something in them
        self.entering: list[tuple[Edge, Item]] = []  # from outside to an item
        self.leaving: list[tuple[Edge, Item]] = []
        self.passing: list[Item] = []  # the places of edges


class Edge:
    """From a node to a node, or to the box of the function that it calls."""

    def __init__(self, start: Item, end: Item, dashed: bool) -> None:
        self.start, self.end, self.dashed = start, end, dashed
        self.out: list[Item] = []  # the places that it passes: on its way out of boxes, between two, and into others
        self.between: list[Item] = []
        self.into: list[Item] = []


class Drawing:
    """Items, in boxes, and the edges between them."""

    def __init__(self) -> None:
        self.root = Box([], None)
        self.edges: list[Edge] = []

    def add(self, item: Item) -> Item:
        assert item.parent is not None
        item.parent.items.append(item)
        return item

    def box(self, label: Sequence[str], parent: Box) -> Box:
        made = Box(label, parent)
        parent.items.append(made)
        return made

    def edge(self, start: Item, end: Item, *, dashed: bool = False) -> None:
        made = Edge(start, end, dashed)
        self.edges.append(made)
        around, outer_start, outer_end = _meet(start, end)
        around.edges.append(made)
        for box, item in _up(start, outer_start):
            box.leaving.append((made, item))
        for box, item in _up(end, outer_end):
            box.entering.append((made, item))


_KINDS: dict[type, str] = {Opaque: "opaque", Branch: "if", While: "while", Linear: "linear"}


class Graph(Drawing):
    """The graph of functions, and of all that they call."""

    def __init__(self, funcs: Sequence[Func]) -> None:
        super().__init__()
        self.funcs: dict[Func, Box] = {}
        self.calls: list[tuple[Item, Func]] = []
        self.adders: dict[Value, list[Item]] = {}  # what adds to each accumulator
        for f, head, labels in reversed(list(labelled(funcs[::-1]))):
            self.func(f, head, labels)
        for node, f in self.calls:
            self.edge(node, self.funcs[f], dashed=True)

    def func(self, f: Func, head: str, labels: dict[Value, str]) -> None:
        box = self.funcs[f] = self.box([head], self.root)
        nodes: dict[Value, Item] = {}
        for p in f.params:
            nodes[p] = self.node(labels[p], p, "param", box)
        if not f.has_body:
            node = self.add(Item([_KINDS[f.kind.__class__]], "call", box))
            for p in f.params:
                self.edge(nodes[p], node)
            self.calls += [(node, g) for g in callees(f)]
            return
        self.block(f.body, box, nodes, labels)
        result = self.add(Item(["result", spell(f.result)], "param", box))
        self.edge(nodes[f.body.results[0]], result)

    def block(self, block: Block, box: Box, nodes: dict[Value, Item], labels: dict[Value, str]) -> None:
        for v in block.code:
            if v.op is builder.FOR:
                self.loop(v, box, nodes, labels)
            elif v in labels:
                kind = "literal" if not v.args else "call" if is_call(v) else "sum" if _is_sum(v) else ""
                node = nodes[v] = self.node(labels[v], v, kind, box)
                if v.op is builder.GET and v.args[0].op is builder.FOR:
                    self.edge(nodes[loop_of(v.args[0]).results[v.attr]], node)
                    continue
                reads = [nodes[a] for a in v.args]
                for x in dict.fromkeys(reads if v.op is not builder.FREEZE else self.adders.get(v.args[0], reads)):
                    self.edge(x, node)
                if is_call(v):
                    self.calls.append((node, v.attr))
                if is_call(v) or v.op is builder.ADD_TO:
                    for a in v.args:
                        self.adders.setdefault(_accumulator(a), []).append(node)

    def loop(self, v: Value, box: Box, nodes: dict[Value, Item], labels: dict[Value, str]) -> None:
        block = loop_of(v)
        index, *states = block.params
        inner = self.box([f"for {labels[index]}: {spell(index.type)}"], box)
        for p in block.params:
            nodes[p] = self.node(labels[p], p, "param", inner)
        for p, init in zip(states, v.args, strict=True):
            self.edge(nodes[init], nodes[p])
        self.block(block, inner, nodes, labels)

    def node(self, label: str, v: Value, kind: str, box: Box) -> Item:
        return self.add(Item([label, spell(v.type)], kind, box))


class Operators(Drawing):
    """The operators of a functional, or of a function that operators made: an arrow from each function to its uses."""

    def __init__(self, f: Any) -> None:
        super().__init__()
        self.lines = Lines(f)
        self.params = {p.name for p in self.lines.params}
        self.within = self.box([self.lines.head], self.root)
        self.items: dict[str, Item] = {}
        for g in self.lines.texts:
            for x in dict.fromkeys([self.item(x) for x in inputs_of(g) if not isinstance(x, Elementary)]):
                self.edge(x, self.item(g))
        for k, g in enumerate(self.lines.outs):
            label = f"result {k}" if len(self.lines.outs) > 1 else "result"
            self.edge(self.item(g), self.add(Item([label, repr(type_of(g))], "param", self.within)))

    def item(self, g: AnyFn) -> Item:
        label, text = self.lines.labels[g], self.lines.texts.get(g)
        if label not in self.items:
            kind = "call" if text is not None else "param" if label in self.params else "literal"
            lines = [label if text is None else f"{label} = {text}", repr(type_of(g))]
            self.items[label] = self.add(Item(lines, kind, self.within))
        return self.items[label]


def _accumulator(ref: Value) -> Value:
    """The accumulator that another is a part of."""
    while ref.op is builder.AT:
        ref = ref.args[0]
    return ref


def _is_sum(v: Value) -> bool:
    return isinstance(v.type, Ref) or v.op is builder.FREEZE or v.op is builder.ADD_TO


def _meet(start: Item, end: Item) -> tuple[Box, Item, Item]:
    """The innermost box around both, and the items of it that they are, or are in."""
    while start.parent is not end.parent:
        if start.depth >= end.depth:
            assert start.parent is not None
            start = start.parent
        else:
            assert end.parent is not None
            end = end.parent
    assert start.parent is not None
    return start.parent, start, end


def _up(item: Item, last: Item) -> Iterator[tuple[Box, Item]]:
    """The boxes around an item up to `last`, each with the item in it that the first is in."""
    while item is not last:
        assert item.parent is not None
        yield item.parent, item
        item = item.parent


# for Graphviz


def dot(graph: Drawing) -> str:
    """A graph in the language of Graphviz."""
    names: dict[Item, str] = {}
    lines = ["digraph rose {", "  compound=true;", '  node [shape=box, style="rounded,filled", fontname=monospace];']
    lines += _dot_items(graph.root, names, "  ")
    for e in graph.edges:
        end, options = e.end, " [style=dashed]" if e.dashed else ""
        if isinstance(end, Box):
            options = f" [style=dashed, lhead={names[end]}]"
            end = next(iter(_nodes(end)))
        lines.append(f"  {names[e.start]} -> {names[end]}{options};")
    return "\n".join([*lines, "}"])


def _nodes(box: Box) -> Iterator[Item]:
    for item in box.items:
        if isinstance(item, Box):
            yield from _nodes(item)
        else:
            yield item


def _dot_items(box: Box, names: dict[Item, str], indent: str) -> Iterator[str]:
    for item in box.items:
        label = "\\n".join([s.replace("\\", "\\\\").replace('"', '\\"') for s in item.label])
        names[item] = f"{'cluster_' if isinstance(item, Box) else 'n'}{len(names)}"
        if isinstance(item, Box):
            yield f"{indent}subgraph {names[item]} {{"
            yield f'{indent}  label="{label}"; fontname=monospace;'
            yield from _dot_items(item, names, indent + "  ")
            yield f"{indent}}}"
        else:
            yield f'{indent}{names[item]} [label="{label}", fillcolor="{FILLS[item.kind]}"];'


# as a picture


def svg(graph: Drawing) -> str:
    """A picture of a graph."""
    _layout(graph.root)
    _place(graph.root, 0.0, 0.0)
    w, h = graph.root.w, graph.root.h
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:.0f}" height="{h:.0f}" viewBox="0 0 {w:.0f} {h:.0f}" '
    arrow = '<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    return "\n".join([
        head + 'font-family="monospace" font-size="12">',
        f'<defs>{arrow}<path d="M0,0 L8,4 L0,8 z" fill="#64748b"/></marker></defs>',
        f'<rect width="{w:.0f}" height="{h:.0f}" fill="#ffffff"/>',
        *_svg_boxes(graph.root),
        *[_svg_edge(e) for e in graph.edges],
        *_svg_nodes(graph.root),
        "</svg>",
    ])  # fmt: skip


def _svg_boxes(box: Box) -> Iterator[str]:
    for item in box.items:
        if isinstance(item, Box):
            yield _rect(item, "#94a3b8")
            place = f'x="{item.x + PAD:.1f}" y="{item.y + LINE + 3:.1f}"'
            yield f'<text {place} fill="#334155">{escape(item.label[0])}</text>'
            yield from _svg_boxes(item)


def _svg_nodes(box: Box) -> Iterator[str]:
    for item in _nodes(box):
        yield _rect(item, "#64748b")
        for k, text in enumerate(item.label):
            fill = "#64748b" if k else "#0f172a"
            place = f'x="{item.x + item.w / 2:.1f}" y="{item.y + LINE * (k + 1) + 2:.1f}" text-anchor="middle"'
            yield f'<text {place} fill="{fill}">{escape(text)}</text>'


def _rect(item: Item, stroke: str) -> str:
    place = f'x="{item.x:.1f}" y="{item.y:.1f}" width="{item.w:.1f}" height="{item.h:.1f}"'
    return f'<rect {place} rx="5" fill="{FILLS[item.kind]}" stroke="{stroke}"/>'


def _svg_edge(e: Edge) -> str:
    middle = [(x.x + x.w / 2, x.y + x.h / 2) for x in (*e.out, *e.between, *e.into)]
    points = [(e.start.x + e.start.w / 2, e.start.y + e.start.h), *middle, (e.end.x + e.end.w / 2, e.end.y - 1)]
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x, y), (u, v) in pairwise(points):
        bend = (v - y) / 2
        path += f" C{x:.1f},{y + bend:.1f} {u:.1f},{v - bend:.1f} {u:.1f},{v:.1f}"
    dashes = ' stroke-dasharray="5 4"' if e.dashed else ""
    return f'<path d="{path}" fill="none" stroke="#64748b"{dashes} marker-end="url(#arrow)"/>'


# the layers of one box


def _layout(box: Box) -> None:
    """Give each item its place in the box, and the box its size."""
    for item in box.items:
        if isinstance(item, Box):
            _layout(item)
    rows, above, below = _rows(box)
    for _ in range(4):
        for row in rows[1:]:
            _sort(row, above)
        for row in reversed(rows[:-1]):
            _sort(row, below)
    for row in rows:
        _spread(row, {x: 0.0 for x in row})
    for near, order in ((above, rows), (below, rows[::-1]), (above, rows)) * 2:
        for row in order:
            _spread(row, {x: _mean(near.get(x, []), x.x + x.w / 2) for x in row})
    left = min([x.x for row in rows for x in row], default=0.0)
    y = PAD + (LINE + 6 if box.label else 0.0)
    for row in rows:
        high = max([x.h for x in row])
        for x in row:
            x.x, x.y = x.x - left + PAD, y + (high - x.h) / 2
        y += high + ROW
    box.w = max([box.w, *[x.x + x.w + PAD for row in rows for x in row]])
    box.h = y - ROW + PAD


def _rows(box: Box) -> tuple[list[list[Item]], dict[Item, list[Item]], dict[Item, list[Item]]]:
    """The items by layers, with places for the edges that pass; and what is joined to each, above and below."""
    rank = _ranks(box)
    rows: list[list[Item]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for item in box.items:
        rows[rank[item]].append(item)
    above: dict[Item, list[Item]] = {}
    below: dict[Item, list[Item]] = {}
    made: dict[tuple[Item | None, Item | None], list[Item]] = {}

    def passing(a: Item | None, b: Item | None, key: tuple[Item | None, Item | None]) -> list[Item]:
        """The places of an edge from `a` to `b`, or from above to `b`, or from `a` to below; shared by like edges."""
        if key not in made:
            first, last = -1 if a is None else rank[a], len(rows) if b is None else rank[b]
            chain = made[key] = [Item([], "", box) for _ in range(first + 1, last)]
            for row, x in zip(rows[first + 1 : last], chain, strict=True):
                row.append(x)
            for x, y in pairwise([x for x in (a, *chain, b) if x is not None]):
                below.setdefault(x, []).append(y)
                above.setdefault(y, []).append(x)
            box.passing += chain
        return made[key]

    for e in box.edges:
        _, a, b = _meet(e.start, e.end)
        e.between = passing(a, b, (a, b))
    for e, b in box.entering:
        e.into = [*passing(None, b, (e.start, b)), *e.into]
    for e, a in box.leaving:
        e.out = [*e.out, *passing(a, None, (a, e.end if e.dashed else None))]
    return rows, above, below


def _ranks(box: Box) -> dict[Item, int]:
    """The layer of each item: below all that it reads; of a literal, right above the first that reads it."""
    rank = dict.fromkeys(box.items, 0)
    reads: dict[Item, list[Item]] = {}
    readers: dict[Item, list[Item]] = {}
    for e in box.edges:
        _, a, b = _meet(e.start, e.end)
        reads.setdefault(b, []).append(a)
        readers.setdefault(a, []).append(b)
    for item in box.items:
        rank[item] = max([rank[a] + 1 for a in reads.get(item, [])], default=0)
    for item in reversed(box.items):
        if item.kind == "literal" and item in readers:
            rank[item] = max(min([rank[b] for b in readers[item]]) - 1, 0)
    return rank


def _mean(near: list[Item], default: float) -> float:
    return sum([x.x + x.w / 2 for x in near]) / len(near) if near else default


def _sort(row: list[Item], near: dict[Item, list[Item]]) -> None:
    """Order a row by where the things are that its items are joined to."""
    _spread(row, {x: 0.0 for x in row})
    row.sort(key=lambda x: _mean(near.get(x, []), x.x + x.w / 2))
    _spread(row, {x: 0.0 for x in row})


def _spread(row: list[Item], wanted: dict[Item, float]) -> None:
    """Place the items of a row as near to where they are wanted as their order and widths allow."""
    lefts, at = list[float](), float("-inf")
    for x in row:
        at = max(at, wanted[x] - x.w / 2)
        lefts.append(at)
        at += x.w + GAP
    at = float("inf")
    for k in range(len(row) - 1, -1, -1):
        x = row[k]
        at = min(at - x.w, wanted[x] - x.w / 2)
        x.x = (lefts[k] + at) / 2  # the mean of as far left and as far right as it may be: both keep the distances
        at -= GAP


def _place(box: Box, x: float, y: float) -> None:
    """From places in the box to places in the picture."""
    for item in (*box.items, *box.passing):
        item.x, item.y = item.x + x, item.y + y
        if isinstance(item, Box):
            _place(item, item.x, item.y)
