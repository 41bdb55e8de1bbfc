"""Functionals, and functions that operators made, as text: each operator once, after its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import TypeMismatch, edge, here
from ..frontend.annotations import Dual
from ..frontend.function import AnyFn, Fn
from ..host.marshal import is_listing
from ..ir import shown
from .composites import Composite, Variable, order, type_of
from .elementary import Elementary, is_fn
from .functionals import Functional
from .grids import Grid


@edge
def show(f: Any) -> str:
    """The operators of a functional, or of a function that operators made, as text: a line for each, in order.

    `f0`, `f1`, ... are functions, each with its type, and `g0`, ... are grids. A function of the user has its own name.
    """
    lines = Lines(f)
    grids = [f"  let {label} = {grid!r} in" for grid, label in lines.grids.items()]
    lets = [f"  let {lines.labels[g]}: {type_of(g)!r} = {text} in" for g, text in lines.texts.items()]
    return "\n".join([f"{lines.head} =", *grids, *lets, f"  {_tuple([lines.labels[g] for g in lines.outs])}"])


class Lines:
    """The functions of which one is made: their labels, the text of each in terms of others, and grids."""

    def __init__(self, f: Any) -> None:
        name, self.params, self.outs = _parts(f)
        self.labels: dict[AnyFn, str] = {p: p.name for p in self.params}
        self.texts: dict[AnyFn, str] = {}
        self.grids: dict[Grid, str] = {}
        self.taken = set(self.labels.values())
        for g in order(*self.outs):
            if g not in self.labels:
                self.labels[g] = self._label(g)
        given = ", ".join([f"{p.name}: {type_of(p)!r}" for p in self.params])
        self.head = f"def {name}{f'({given})' if given else ''}: {_tuple([repr(type_of(g)) for g in self.outs])}"

    def _label(self, g: AnyFn) -> str:
        """The label of a function; what is made of others has a line of its own."""
        if isinstance(g, Composite):
            if isinstance(g, Variable) or g.is_everywhere:
                return self.labels[g.inputs[0]]
            self.texts[g] = self._written(g)
            return f"f{len(self.texts) - 1}"
        if isinstance(g, Elementary):
            return g.written(g.names)
        name, count = _constant(g) or g.name, 1
        while name in self.taken and not _constant(g):
            name, count = f"{g.name}_{count}", count + 1
        self.taken.add(name)
        return name

    def _written(self, c: Composite) -> str:
        xs = [self.labels[g] for g in c.inputs]
        if c.op.name == "compose":
            f, *args = c.inputs[0], *xs[1:]
            inverse = [f"inverse={c.params.name}"] if c.params is not None else []
            if isinstance(f, Elementary):
                return f.written(args)
            return f"{xs[0]}({', '.join([*args, *inverse])})"
        if c.is_on_grids:
            return f"{xs[0]}.on({', '.join(map(self._param, c.grids))})"
        params: list[Any] = list(c.params) if is_listing(c.params) else [] if c.params is None else [c.params]
        given = [self._param(x) for x in params if x != "jacfwd"]
        return f"{c.op.name}({', '.join([*xs, *given])})"

    def _param(self, x: Any) -> str:
        return self.grids.setdefault(x, f"g{len(self.grids)}") if isinstance(x, Grid) else str(x)


def _parts(f: Any) -> tuple[str, list[AnyFn], list[AnyFn]]:
    """The name, the parameters, and the results."""
    if isinstance(f, Functional):
        params, out = f.of_parameters()
        return f.name, [*params], _leaves(out)
    if not is_fn(f):
        what = f"F.show takes a functional, or a function, not {shown(f)}"
        raise TypeMismatch(what, here(), "mark it with @F.functional, or with @rose.fn")
    return f.name, [], [f]


def _leaves(x: Any) -> list[AnyFn]:
    """The functions of a result."""
    if isinstance(x, Fn):
        return [x]
    return [y for part in ((x.re, x.du) if isinstance(x, Dual) else x) for y in _leaves(part)]


def _constant(f: AnyFn) -> str | None:
    """A number of the host, as it is written; None for any other function."""
    value = f.made_by[1][0] if f.name == "constant" and f.made_by is not None else None
    return repr(value) if isinstance(value, (int, float)) else None


def _tuple(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
