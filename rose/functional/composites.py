"""Functions that operators make of functions: the IR of functionals.

A `Composite` is an operator, such as `compose` or `nabla`, and the functions that it is applied to: an `@fn` like any
other, which can be called, compiled and differentiated. Equal composites are one object, so what a functional makes is
a graph. An `@fn` of the user is a leaf of it, and so is a `Variable`, which stands for a parameter of a functional.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeGuard, cast
from weakref import WeakValueDictionary

from ..errors import RoseError, TypeMismatch, edge, here
from ..frontend.annotations import as_type
from ..frontend.function import AnyFn, Fn, of_functions
from ..frontend.values import to_value
from ..host.marshal import is_listing
from ..ir import Value, current_builder
from ..ir.types import Bool, Type, untyped

if TYPE_CHECKING:
    from .grids import Grid

LONGEST_NAME = 40  # of a composite, in letters: a name has those of its inputs in it

Grids = tuple["Grid | None", ...]


@dataclass(frozen=True)
class MapType:
    """The type of a function: of its result, and of each argument."""

    result: Type
    args: tuple[Type, ...]

    def __repr__(self) -> str:
        return f"Map[{', '.join(map(repr, (self.result, *self.args)))}]" if self.args else repr(self.result)


class Map:
    """The type of a function, in the annotations of a functional: `Map[result, arg, ...]`."""

    @edge
    def __class_getitem__(cls, key: Any) -> MapType:
        result, *args = [untyped(as_type(t)) for t in (key if is_listing(key) else (key,))]
        return MapType(result, tuple(args))


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator on functions: one row of the table in `operators.py`.

    `evaluate` gives the value of a composite at arguments. `jvp` gives its tangent for those of its inputs, of which
    some are None, for zero; it is called if one is not. `transpose` gives the cotangent of input `k`, in which the
    composite is linear, for its own. `alike` gives the inputs that are evaluated at the composite's own arguments.
    """

    name: str
    evaluate: Callable[[Composite, Scope, Sequence[Value]], Any]
    jvp: Callable[[Composite, Sequence[AnyFn | None]], AnyFn | None]
    transpose: Callable[[Composite, int, AnyFn], AnyFn | None]
    alike: Callable[[Composite], Sequence[AnyFn]] = lambda c: ()
    others: Callable[[Composite], int] = lambda c: 0
    loops: bool = False  # it costs more than its inputs do: their values are summed

    def __post_init__(self) -> None:
        _operators[self.name] = self

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return _operator, (self.name,)


_operators: dict[str, Operator] = {}


def _operator(name: str) -> Operator:
    return _operators[name]


class Composite(Fn[..., Any]):
    """A function that an operator makes of others. `grids` has a grid for each argument, or None."""

    def __init__(
        self, op: Operator, inputs: Sequence[AnyFn], params: Any, types: Sequence[Type], result: Type, grids: Grids
    ) -> None:
        name = _called(op.name, inputs)
        super().__init__(lambda *xs: Scope().at(self, values(self, xs)), types, result, name, _names(types))
        self.op, self.inputs, self.params, self.grids = op, tuple(inputs), params, grids
        self.variables: frozenset[Variable] = frozenset().union(*[variables(f) for f in inputs])
        self.loops = op.loops or any([isinstance(f, Composite) and f.loops for f in inputs])
        self.of_users = any(map(is_of_users, inputs))

    def __call__(self, *args: Any, **named: Any) -> Any:
        if is_open(self):  # a value of it is composed, as all is
            return of_functions(self, args, named)
        return super().__call__(*args, **named)

    @property
    def is_everywhere(self) -> bool:
        """True for a function of no arguments, as one of any."""
        return self.op.name == "broadcast_arg" and self.params == ()

    @property
    def is_on_grids(self) -> bool:
        """True for a function of the same arguments, with other grids."""
        return self.op.name == "broadcast_arg" and self.params == tuple(range(len(self.inputs[0].types)))

    @edge
    def __reduce_ex__(self, _: Any) -> Any:
        return _again, (self.name, _rows(self))

    @edge
    def __bool__(self) -> bool:
        if self.result is Bool:
            hint = "choose with rose.where(c, x, y), which is composed: a functional is not evaluated in Python"
            raise TypeMismatch("a functional asks in Python for a value of a function", here(), hint)
        return True


class Variable(Composite):
    """A parameter of a functional. It stands for the function that is given, if one is.

    While the functional is being composed it is `open`: nothing that depends on it is evaluated.
    """

    def __init__(self, given: AnyFn | None, of: MapType, name: str, grids: Grids | None = None) -> None:
        self.open = True
        super().__init__(VARIABLE, () if given is None else (given,), None, of.args, of.result, _grids(given, of))
        self.variables = frozenset({self}) | self.variables
        named(self, name)
        if grids is not None:
            self.grids = grids


def _grids(f: AnyFn | None, of: MapType) -> Grids:
    return grids_of(f) if f is not None else (None,) * len(of.args)


def named(f: AnyFn, name: str) -> AnyFn:
    """`f`, which is called so from now on."""
    f.name = f.__name__ = f.__qualname__ = name
    return f


def _called(operator: str, inputs: Sequence[AnyFn]) -> str:
    """The name of a composite: `exp(sin)`, `nabla(curve)`, or `add(...)` where that would be long."""
    if operator == "broadcast_arg":  # the same function, of other arguments or on grids
        return inputs[0].name
    head, *names = [f.name for f in inputs] if operator == "compose" else [operator, *[f.name for f in inputs]]
    name = f"{head}({', '.join(names)})"
    return name if len(name) <= LONGEST_NAME else f"{head if len(head) <= LONGEST_NAME else operator}(...)"


def _names(types: Sequence[Type]) -> list[str]:
    return [f"x{k}" for k in range(len(types))] if len(types) > 1 else ["x"][: len(types)]


def variables(f: AnyFn) -> frozenset[Variable]:
    return f.variables if isinstance(f, Composite) else frozenset()


def is_of_users(f: AnyFn) -> bool:
    """True for a function that a user wrote, or that is made of one: it may be long."""
    return f.of_users if isinstance(f, Composite) else not f.is_derived


def is_open(f: AnyFn) -> bool:
    """True for a function that depends on a parameter of a functional that is being composed."""
    return any([v.open for v in variables(f)])


def type_of(f: AnyFn) -> MapType:
    return MapType(untyped(f.result), tuple([untyped(t) for t in f.types]))


def grids_of(f: AnyFn) -> Grids:
    return f.grids if isinstance(f, Composite) else (None,) * len(f.types)


def merged(*found: Grids) -> Grids:
    """The grid of each argument: the first that there is."""
    return tuple([next((g for g in grids if g is not None), None) for grids in zip(*found, strict=True)])


def values(f: AnyFn, xs: Sequence[Any]) -> list[Value]:
    """Arguments of `f` as traced values."""
    return [to_value(x, t, (n,)) for x, t, n in zip(xs, type_of(f).args, f.names, strict=True)]


_made: WeakValueDictionary[Any, Composite] = WeakValueDictionary()


def made(
    op: Operator, inputs: Sequence[AnyFn], types: Sequence[Type], result: Type, params: Any = None,
    grids: Grids | None = None,
) -> Composite:  # fmt: skip
    """The composite of `op` and its inputs: the one that there is, or a new one."""
    grids = (None,) * len(types) if grids is None else grids
    key = op, tuple(map(id, inputs)), params, tuple(types), grids  # a composite keeps its inputs, so an id is theirs
    if (found := _made.get(key)) is None:
        _made[key] = found = Composite(op, inputs, params, types, result, grids)
    return found


def inputs_of(f: AnyFn) -> Sequence[AnyFn]:
    return f.inputs if isinstance(f, Composite) else ()


def order(*outs: AnyFn, of: Callable[[AnyFn], Sequence[AnyFn]] | None = None) -> Iterator[AnyFn]:
    """The functions that `outs` are made of, each after its inputs, without recursion."""
    inputs = of or inputs_of
    seen: set[AnyFn] = set()
    stack = [(f, False) for f in reversed(outs)]
    while stack:
        f, ready = stack.pop()
        if ready:
            yield f
        elif f not in seen:
            seen.add(f)
            stack.append((f, True))
            stack.extend([(g, False) for g in reversed(inputs(f)) if g not in seen])


# pickles: a list of the functions of a graph, so that depth is no matter


def _rows(out: Composite) -> list[Any]:
    """The functions that `out` is made of: of each composite its parts, with its inputs by their places in the list."""
    places, rows = dict[AnyFn, int](), list[Any]()
    for f in order(out):
        places[f] = len(rows)
        rows.append(f if not isinstance(f, Composite) else (
            f.op, [places[g] for g in f.inputs], f.params, f.types, f.result, f.grids, f.name
        ))  # fmt: skip
    return rows


def _again(name: str, rows: Sequence[Any]) -> AnyFn:
    """The last function of the list that `_rows` gave."""
    fs: list[AnyFn] = []
    for row in rows:
        if not isinstance(row, tuple):
            fs.append(row)
            continue
        op, places, params, types, result, grids, called = cast("tuple[Any, ...]", row)
        inputs: list[AnyFn] = [fs[k] for k in places]
        if op is VARIABLE:
            f = Variable(inputs[0], MapType(result, types), called, grids)
            f.open = False
        else:
            f = made(op, inputs, types, result, params, grids)
        fs.append(f)
    return named(fs[-1], name)


class Scope:
    """The functions that are evaluated in a block, and at what: each is evaluated once at the same arguments.

    At nodes of grids, a function is read from a table, made before all loops, if there is an integral in it, or if it
    would be evaluated again in each iteration of another loop.
    """

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.root: Scope = self if outer is None else outer.root
        self.block = current_builder().block
        self.known: dict[Any, tuple[Any, Value]] = {}  # with the arguments, which keep their ids
        self.nodes: dict[int, tuple[Grid, Value]] = {} if outer is None else outer.nodes.copy()
        self.tables: dict[Any, Value] = {}

    def node(self, grid: Grid, nodes: Value, i: Value) -> Value:
        """Node `i` of a grid, as an argument."""
        x = current_builder().index(nodes, i)
        self.nodes[id(x)] = grid, i
        return x

    def _find(self, key: Any) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if key in scope.known:
                return scope.known[key][1]
            scope = scope.outer
        return None

    def at(self, f: AnyFn, xs: Sequence[Value]) -> Value:
        """The value of `f` at `xs`. What is evaluated at the same arguments is done without recursion."""
        places = tuple(map(id, xs))

        def unknown(g: AnyFn) -> Sequence[AnyFn]:
            return g.op.alike(g) if isinstance(g, Composite) and self._find((g, places)) is None else ()

        if self._find((f, places)) is None and self._is_repeated(f, xs):
            self.known[f, places] = xs, self._read(f, xs)
        first = sorted(filter(_others, order(f, of=unknown)), key=_others, reverse=True)
        for g in chain(first, order(f, of=unknown)):
            if self._find((g, places)) is None:
                self.known[g, places] = xs, self._read(g, xs) if _is_tabled(g) else _evaluated(g, self, xs)
        found = self._find((f, places))
        assert found is not None
        return found

    def learn(self, f: AnyFn, xs: Sequence[Value], y: Value) -> None:
        """Note that `f` is `y` at `xs`."""
        self.known[f, tuple(map(id, xs))] = xs, y

    def _is_repeated(self, f: AnyFn, xs: Sequence[Value]) -> bool:
        """True for a function of the user at nodes of some of the loops around, but not of all."""
        at = {id(x) for x in xs}
        return 0 < len(at) < len(self.nodes) and at <= self.nodes.keys() and is_of_users(f)

    def _read(self, f: AnyFn, xs: Sequence[Value]) -> Value:
        """The value of `f` from its table, if all arguments are nodes of grids; else evaluated."""
        at = [self.nodes.get(id(x)) for x in xs]
        if self is self.root or None in at:
            return _evaluated(f, self, xs)
        b, known = current_builder(), [x for x in at if x is not None]
        y = self.root.table(f, tuple([grid for grid, _ in known]))
        for _, i in known:
            y = b.index(y, i)
        return y

    def table(self, f: AnyFn, grids: tuple[Grid, ...]) -> Value:
        """The values of `f` at the nodes of `grids`, one for each argument: made where this scope began."""
        if (f, grids) not in self.tables:
            b = current_builder()
            inner, b.block = b.block, self.block
            self.tables[f, grids] = _tabled(f, self, grids, [])
            b.block = inner
        return self.tables[f, grids]


def _others(f: AnyFn) -> int:
    return f.op.others(f) if isinstance(f, Composite) else 0


def _is_tabled(f: AnyFn) -> TypeGuard[Composite]:
    return isinstance(f, Composite) and f.loops


def _evaluated(f: AnyFn, scope: Scope, xs: Sequence[Value]) -> Value:
    y = f.op.evaluate(f, scope, xs) if isinstance(f, Composite) else f.emit(xs)
    return to_value(y, untyped(f.result))


def _tabled(f: AnyFn, scope: Scope, grids: tuple[Grid, ...], xs: list[Value]) -> Value:
    """The values of `f` at `xs`, and at the nodes of the grids for the arguments after them."""
    if len(xs) == len(grids):
        return _evaluated(f, scope, xs)
    grid, b = grids[len(xs)], current_builder()
    nodes, _ = grid.values

    def row(i: Value) -> Value:
        inner = Scope(scope)
        return _tabled(f, inner, grids, [*xs, inner.node(grid, nodes, i)])

    return b.vec(grid.size, row)


def _variable_at(c: Composite, scope: Scope, xs: Sequence[Value]) -> Value:
    v = cast("Variable", c)
    if v.open or not v.inputs:
        hint = "compose it: F.integrate(f, grid), f * g, rose.exp(f), F.nabla(f)"
        raise RoseError(
            f"{v.name} is a parameter of a functional, and has no values while that is composed", here(), hint
        )
    return scope.at(v.inputs[0], xs)


VARIABLE = Operator(
    "variable",
    _variable_at,
    lambda c, ts: ts[0],
    lambda c, k, ct: ct,
    lambda c: () if cast("Variable", c).open else c.inputs,
)
