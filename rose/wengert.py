"""`trace_table`: the evaluation of a function, operation by operation, with a tangent or an adjoint beside each number.

The function runs in the interpreter, in which each number carries its row. What only moves numbers, as an index or a
`select` does, makes no row. The derivatives of one operation are those of its row in the table of operations, or of a
user's rule; the chain rule is applied here, to numbers, and by nothing of what transforms programs. So a table is also
a second opinion on a derivative.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeGuard

from .differentiation.gradients import jvp
from .errors import NotDifferentiable, OutOfRange, TooLarge, edge, here
from .frontend.any_size import AnySize
from .frontend.function import AnyFn, checked, make
from .host.evaluator import Env
from .host.interpreter import Watch, run, run_plain, zero
from .host.marshal import plain, present
from .ir import ADD_TO, Func, Op, Value, shown
from .ir.ops import add, select
from .ir.types import Real, Tuple, Type, Vec, tangent, untyped

MODES = {"primal": "", "forward": "tangent", "reverse": "adjoint"}
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "fmod": "%"}


@dataclass(frozen=True)
class Row:
    """One number of an evaluation: its name, such as "v2", the operation on others that made it, and its value.

    `derivative` is its tangent or its adjoint; None in a table of values alone.
    """

    name: str
    operation: str
    value: float
    derivative: float | None


@dataclass(frozen=True)
class TraceTable:
    """The rows of an evaluation, in the order in which their derivatives are computed; print it, or show it as HTML."""

    title: str
    mode: str
    rows: tuple[Row, ...]

    def cells(self) -> list[list[str]]:
        """The texts of the table, the heading first."""
        what = MODES[self.mode]
        heading = ["", "operation", "value", *([what] if what else [])]
        return [heading, *[[r.name, r.operation, *_numbers(r)] for r in self.rows]]

    def __str__(self) -> str:
        cells = self.cells()
        widths = [max([len(row[k]) for row in cells]) for k in range(len(cells[0]))]
        lines = ["  ".join([x.ljust(w) for x, w in zip(row, widths, strict=True)]).rstrip() for row in cells]
        return "\n".join([self.title, *lines])

    def _repr_html_(self) -> str:
        """The table as a notebook shows it."""
        heading, *rows = [[html.escape(x) for x in row] for row in self.cells()]
        lines = ["".join([f"<td>{x}</td>" for x in row]) for row in rows]
        top = f"<caption>{html.escape(self.title)}</caption><tr>{''.join([f'<th>{x}</th>' for x in heading])}</tr>"
        return f"<table>{top}{''.join([f'<tr>{line}</tr>' for line in lines])}</table>"


def _numbers(r: Row) -> list[str]:
    return [f"{x:.10g}" for x in (r.value, r.derivative) if x is not None]


@edge
def trace_table(f: Any, *args: Any, mode: Any = None, along: Any = None, most: Any = 1000) -> TraceTable:
    """The evaluation of `f(*args)` as a table: a row for each number that depends on the arguments.

    `mode` is "primal": values alone; "forward": with the tangent of each, from the first row on; or "reverse": with the
    adjoint of each, from the last row on. In forward mode `along` is the direction, a tangent for each argument (of a
    function of one parameter, that); by default 1 in the first number, and 0 in the others. In reverse mode it is the
    adjoint of the result, by default 1 of a Real. Where it is given the default is "forward", and else "primal".

    A loop has the rows of all of its iterations, and a call those of the function that is called. A function with a
    derivative rule of its own is one operation, with a row for each number of its result. More than `most` rows are an
    error.
    """
    mode = ("primal" if along is None else "forward") if mode is None else mode
    if mode not in MODES:
        hint = 'write "primal", "forward" or "reverse"'
        raise OutOfRange(f"rose.trace_table has no mode {shown(mode)}", here(), hint)
    if mode == "primal" and along is not None:
        what = "rose.trace_table has values alone in primal mode, and no direction"
        raise OutOfRange(what, here(), 'leave out along, or write mode="forward"')
    f = checked(f, "trace_table")
    given = f.bind(args, {})
    f = f.fitting(given) if isinstance(f, AnySize) else f
    recorder = _Recorder(most)
    y = run(f.func, *given, watch=recorder)
    title = f"{f.name} = {_short(_spelled(y, recorder.name_of))}"
    derivatives: list[Any] = [None] * len(recorder.made)
    order = range(len(derivatives))
    if mode == "forward":
        derivatives = _tangents(recorder.made, _direction(f, along))
    if mode == "reverse":
        derivatives, order = _adjoints(recorder.made, y, _seed(f, along)), order[::-1]
    rows = [Row(m.name, m.operation, m.value, derivatives[k]) for k, m in enumerate(recorder.made)]
    return TraceTable(title, mode, tuple([rows[k] for k in order]))


def _direction(f: AnyFn, along: Any) -> list[float]:
    """The tangents of all numbers of the arguments."""
    if along is None:
        return [1.0]
    each = (along,) if len(f.types) == 1 else along
    if not isinstance(each, (tuple, list)) or len(each) != len(f.types):  # pyright: ignore[reportUnknownArgumentType]
        hint = "give a tuple of them, in the order of the parameters"
        raise OutOfRange(f"{f.name} needs a tangent for each of {len(f.types)} parameters", here(), hint)
    pairs = zip(each, f.types, f.names, strict=True)  # pyright: ignore[reportUnknownArgumentType]
    return [x for dx, t, n in pairs for x in _leaves(plain(dx, untyped(t), (n,)), t)]


def _seed(f: AnyFn, along: Any) -> list[float]:
    """The adjoints of all numbers of the result."""
    if along is None and f.result is not Real:
        hint = f"give that of the result, as in along={present(zero(untyped(f.result)), untyped(f.result))!r}"
        raise NotDifferentiable(f"{f.name} gives a {f.result!r}, which has no adjoint by default", here(), hint)
    seed = 1.0 if along is None else along
    return [*_leaves(plain(seed, untyped(f.result), ("along",)), f.result)]


def _leaves(x: Any, t: Type) -> Iterator[Any]:
    """The Reals in a plain value, in order."""
    if t is Real:
        yield x
    elif isinstance(t, (Vec, Tuple)) and t.real:
        items = [t.elem] * t.size if isinstance(t, Vec) else t.items
        for y, s in zip(x, items, strict=True):
            yield from _leaves(y, s)


# the chain rule


def _tangents(made: Sequence[_Made], given: Sequence[float]) -> list[float]:
    known: list[float] = []
    rest = iter(given)
    for m in made:
        if m.slopes is None:
            known.append(next(rest, 0.0))
        else:
            known.append(sum([s * known[k] for s, k in zip(m.slopes(), m.inputs, strict=True)], 0.0))
    return known


def _adjoints(made: Sequence[_Made], y: Any, seed: Sequence[float]) -> list[float]:
    known = [0.0] * len(made)
    for x, ct in zip(_numbers_of(y), seed, strict=True):
        if isinstance(x, _Number):
            known[x.row] += ct
    reached = {x.row for x in _numbers_of(y) if isinstance(x, _Number)}
    for k in reversed(range(len(made))):
        m = made[k]
        if k in reached and m.slopes is not None:
            for slope, j in zip(m.slopes(), m.inputs, strict=True):
                known[j] += slope * known[k]
                reached.add(j)
    return known


# the evaluation


class _Number(float):
    """A number of the evaluation, with its row."""

    __slots__ = ("row",)
    row: int


@dataclass(frozen=True)
class _Made:
    """A row in the making. `slopes` are the derivatives by the rows of `inputs`; an argument has none."""

    name: str
    operation: str
    value: float
    inputs: tuple[int, ...] = ()
    slopes: Callable[[], Sequence[float]] | None = None


class _Recorder(Watch):
    """The watch of an interpreter run that makes a row of each operation on numbers that have one."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most, self.made = most, list[_Made]()

    def given(self, p: Value, x: Any) -> Any:
        return self._argument(str(p.attr), x)

    def _argument(self, name: str, x: Any) -> Any:
        if _is_tuple(x):
            return tuple([self._argument(f"{name}[{k}]", y) for k, y in enumerate(x)])
        return self._row(name, x) if isinstance(x, float) else x

    def step(self, v: Value, xs: list[Any], env: Env) -> Any:
        if self._ruled():
            return super().step(v, xs, env)
        if v.op is ADD_TO:
            ref, x = xs
            before = ref.read()
            super().step(v, xs, env)
            ref.put(self._sums(before, x, ref.read()))
            return None
        z = super().step(v, xs, env)
        is_row = isinstance(z, float) and v.op.eval is not None and v.op is not select
        return self._of_numbers(v.op, xs, z, [a.type for a in v.args]) if is_row else z

    def _ruled(self) -> bool:
        """True inside of a function that is one operation."""
        return any([call.attr.jvp is not None for call, _ in self.calls])

    def _sums(self, x: Any, y: Any, z: Any) -> Any:
        if _is_tuple(z):
            return tuple([self._sums(*each) for each in zip(x, y, z, strict=True)])
        if not isinstance(z, float) or (x == 0.0 and not isinstance(x, _Number)):
            return y if isinstance(z, float) else z
        if y == 0.0 and not isinstance(y, _Number):
            return x
        return self._of_numbers(add, [x, y], z, [Real, Real])

    def _of_numbers(self, op: Op, xs: Sequence[Any], z: float, types: Sequence[Type]) -> float:
        """The result of an operation: with a row, if one of its operands has one."""
        inputs = tuple([x.row for x in xs if isinstance(x, _Number)])
        if not inputs:
            return z
        names = [self.name_of(x) for x in xs]
        said = f"{names[0]} {INFIX[op.name]} {names[1]}" if op.name in INFIX else f"{op.name}({', '.join(names)})"
        said = f"-{names[0]}" if op.name == "neg" else said
        at = [k for k, x in enumerate(xs) if isinstance(x, _Number)]
        return self._row(said, z, inputs, lambda: _slopes(op, tuple(types), xs, at))

    def answered(self, v: Value, xs: list[Any], x: Any, env: Env) -> Any:
        x, f = super().answered(v, xs, x, env), v.attr
        if self._ruled() or (f.jvp is None and not f.is_opaque):
            return x
        numbers = [y for y in _numbers_of(tuple(xs)) if isinstance(y, _Number)]
        if not numbers:
            return _bare(x)
        said = f"{f.name}({', '.join([_spelled(y, self.name_of) for y in xs])})"
        slopes = cache(lambda: _slopes_of_rule(f, xs, [y.row for y in numbers]))
        inputs, count = tuple(dict.fromkeys([y.row for y in numbers])), len(list(_numbers_of(x)))
        return self._results(x, said, inputs, slopes, iter(range(count)), count > 1)

    def _results(
        self, x: Any, said: str, inputs: tuple[int, ...], slopes: Callable[[], Any], places: Iterator[int], many: bool
    ) -> Any:
        if _is_tuple(x):
            return tuple([self._results(y, said, inputs, slopes, places, many) for y in x])
        if not isinstance(x, float):
            return x
        k = next(places)
        return self._row(f"{said}[{k}]" if many else said, float(x), inputs, lambda: slopes()[k])

    def _row(self, said: str, z: float, inputs: tuple[int, ...] = (), slopes: Any = None) -> _Number:
        if len(self.made) >= self.most:
            what = f"the evaluation has more than {self.most:,} numbers"
            raise TooLarge(what, here(), "take fewer iterations, or allow more rows by most=")
        made = _Number(z)
        made.row = len(self.made)
        self.made.append(_Made(f"v{made.row}", _short(said), float(z), inputs, slopes))
        return made

    def name_of(self, x: Any) -> str:
        """The name of a number's row, or a number without one."""
        return self.made[x.row].name if isinstance(x, _Number) else f"{x:.10g}" if isinstance(x, float) else repr(x)


def _is_tuple(x: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(x, tuple)


def _numbers_of(x: Any) -> Iterator[float]:
    """The Reals in a value, in order."""
    if _is_tuple(x):
        for y in x:
            yield from _numbers_of(y)
    elif isinstance(x, float):
        yield x


def _bare(x: Any) -> Any:
    """A value whose numbers have no rows."""
    if _is_tuple(x):
        return tuple([_bare(y) for y in x])
    return float(x) if isinstance(x, float) else x


def _spelled(x: Any, name: Callable[[Any], str]) -> str:
    return f"[{', '.join([_spelled(y, name) for y in x])}]" if _is_tuple(x) else name(x)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


# the derivatives of one operation


def _slopes(op: Op, types: tuple[Type, ...], xs: Sequence[Any], at: Sequence[int]) -> list[float]:
    """The derivatives of an operation of the table by the operands at these places."""
    f = _forward(op, types)
    xs = [_bare(x) for x in xs]
    units = [
        [(x, float(k == j)) if t is Real else x for j, (x, t) in enumerate(zip(xs, types, strict=True))] for k in at
    ]
    return [run(f.func, *unit)[1] for unit in units]


@cache
def _forward(op: Op, types: tuple[Type, ...]) -> AnyFn:
    return jvp(make(lambda *xs: op(*xs), types, Real, op.name, [f"x{k}" for k in range(len(types))]))


def _slopes_of_rule(f: Func, xs: Sequence[Any], rows: Sequence[int]) -> list[list[float]]:
    """The derivatives of each number that a function gives, by the rows that its arguments have."""
    if f.jvp is None:
        hint = f"give its derivative: @{f.name}.jvp"
        raise NotDifferentiable(f"{f.name} is opaque and has no derivative", here(), hint)
    columns = [_along(f, f.jvp, xs, row) for row in dict.fromkeys(rows)]
    return [list(each) for each in zip(*columns, strict=True)]


def _along(f: Func, rule: Func, xs: Sequence[Any], row: int) -> list[float]:
    """The tangents of what a function gives, where the numbers of that row move."""
    given: list[Any] = []
    for x, p in zip(xs, f.params, strict=True):
        given.append(_bare(x))
        if p.type.real:
            given.append(_unit(x, p.type, row))
    _, du = run_plain(rule, given)
    return [*_numbers_of(du)]


def _unit(x: Any, t: Type, row: int) -> Any:
    """The tangent of an argument that is 1 where a number has that row."""
    if t is Real:
        return float(isinstance(x, _Number) and x.row == row)
    if isinstance(t, Vec):
        return tuple([_unit(y, t.elem, row) for y in x])
    if isinstance(t, Tuple):
        return tuple([_unit(y, s, row) for y, s in zip(x, t.items, strict=True)])
    return zero(tangent(t))
