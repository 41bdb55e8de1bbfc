"""What a program means, told a second time: the same source, run on Python numbers with their derivatives.

A generated program is text that knows a module by the name `rose`. Here is another one to give it: its
loops are Python's, its vectors lists, and its numbers carry tangents, one for each derivative that is being
taken (`Num`, nested by tags). It shares no code with the compiler, only the types and the classes of structs.
So it says what the value and each derivative of a program is, by the rules of the public documentation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from operations import MEANINGS, Index, Num, Truth, exp, larger, length, lift, log, mul, number, smaller, split, sqrt

from rose.frontend.annotations import Dual, as_type
from rose.ir.types import Bool, Fin, Real, Tan, Tuple, Type, Vec

_tags = count(1)


# values of any type


def conform(x: Any, t: Type) -> Any:
    """`x` as a value of type `t`: a copy, with literals lifted."""
    if t is Real:
        return lift(x)
    if t is Bool:
        return Truth(x)
    if isinstance(t, Fin):
        assert 0 <= int(x) < t.size
        return Index(x)
    if isinstance(t, Vec):
        assert len(x) == t.size
        return [conform(y, t.elem) for y in x]
    if isinstance(t, Tuple):
        return make(t, [conform(y, s) for y, s in zip(items(x, t), t.items, strict=True)])
    return None


def items(x: Any, t: Tuple) -> Sequence[Any]:
    return x if t.form is None or isinstance(x, (tuple, list)) else t.form.read(x)


def make(t: Tuple, xs: Sequence[Any]) -> Any:
    return tuple(xs) if t.form is None else t.form.make(xs)


def map_reals(f: Callable[..., Any], t: Type, *xs: Any) -> Any:
    """The first value, with `f` of all values in the place of each Real."""
    if t is Real:
        return f(*xs)
    if isinstance(t, Vec):
        return [map_reals(f, t.elem, *ys) for ys in zip(*xs, strict=True)]
    if isinstance(t, Tuple):
        parts = [items(x, t) for x in xs]
        return make(t, [map_reals(f, s, *ys) for s, *ys in zip(t.items, *parts, strict=True)])
    return xs[0]


def leaves(x: Any, t: Type) -> list[Any]:
    """The Reals of a value, in order."""
    out: list[Any] = []
    map_reals(out.append, t, x)
    return out


def untraced(x: Any, t: Type) -> Any:
    """A value as plain floats, bools and ints in nested tuples: what the interpreter gives."""
    if isinstance(t, Vec):
        return tuple([untraced(y, t.elem) for y in x])
    if isinstance(t, Tuple):
        return tuple([untraced(y, s) for y, s in zip(items(x, t), t.items, strict=True)])
    return number(x) if t is Real or t is Tan else Truth(x).yes if t is Bool else int(x) if isinstance(t, Fin) else None


def show(x: Any, t: Type) -> Any:
    """A value as the body of an opaque function sees it: plain numbers in the user's own classes."""
    if isinstance(t, Vec):
        return [show(y, t.elem) for y in x]
    if isinstance(t, Tuple):
        return make(t, [show(y, s) for y, s in zip(items(x, t), t.items, strict=True)])
    return untraced(x, t)


def type_of(x: Any) -> Callable[[Any], Any]:
    """For values without a declared type: lifts what a trace would have lifted."""
    if isinstance(x, (bool, Truth)):
        return Truth
    return lift if isinstance(x, (int, float)) and not isinstance(x, Index) else lambda y: y


def infer(x: Any) -> Any:
    return type_of(x)(x)


# functions and derivatives


class Function:
    """An `@fn` or `@opaque` function, with the derivative that a user gave it."""

    def __init__(self, body: Callable[..., Any], types: Sequence[Type], result: Type, opaque: bool = False) -> None:
        self.body, self.types, self.result, self.opaque = body, list(types), result, opaque
        self.rule: Callable[..., Any] | None = None

    def jvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        self.rule = rule
        return rule

    def __call__(self, *args: Any) -> Any:
        xs = [conform(x, t) for x, t in zip(args, self.types, strict=True)]
        tag = max([n.tag for x, t in zip(xs, self.types, strict=True) for n in leaves(x, t)], default=0)
        if self.rule is not None and tag:
            return self._by_rule(xs, tag)
        if self.opaque:
            return conform(self.body(*[show(x, t) for x, t in zip(xs, self.types, strict=True)]), self.result)
        return conform(self.body(*xs), self.result)

    def _by_rule(self, xs: Sequence[Any], tag: int) -> Any:
        duals = [map_reals(lambda n: _as_dual(n, tag), t, x) for x, t in zip(xs, self.types, strict=True)]
        assert self.rule is not None
        return map_reals(lambda d: Num(lift(d.re), lift(d.du), tag), self.result, self.rule(*duals))


def _as_dual(n: Num, tag: int) -> Dual:
    re, du = split(n, tag)
    return Dual(re, lift(0.0) if du is None else du)


def along(f: Function, xs: Sequence[Any], dxs: Sequence[Any]) -> tuple[Any, Any]:
    """The value of `f`, and its derivative along `dxs`; what has none is as in the value."""
    tag = next(_tags)
    args = [
        map_reals(lambda x, d: Num(lift(x), lift(d), tag), t, x, x if d is None else d)
        for x, d, t in zip(xs, dxs, f.types, strict=True)
    ]
    y = f(*args)
    parts = lambda k: map_reals(lambda n: split(n, tag)[k], f.result, y)
    return parts(0), map_reals(lambda d: lift(0.0) if d is None else d, f.result, parts(1))


def _units(xs: Sequence[Any], types: Sequence[Type]) -> Iterator[list[Any]]:
    """For each Real in the arguments, the arguments with 1 there and 0 for all others."""
    total = sum([len(leaves(x, t)) for x, t in zip(xs, types, strict=True)])
    for k in range(total):
        one = iter([lift(float(j == k)) for j in range(total)])
        yield [map_reals(lambda _: next(one), t, x) for x, t in zip(xs, types, strict=True)]  # noqa: B023


def back(f: Function, xs: Sequence[Any], ct: Any) -> list[Any]:
    """The gradient of <ct, f> in each argument."""
    weights = [lift(w) for w in leaves(ct, f.result)]
    out = iter([
        sum([w * d for w, d in zip(weights, leaves(along(f, xs, unit)[1], f.result), strict=True)], lift(0.0))
        for unit in _units(xs, f.types)
    ])  # fmt: skip
    return [map_reals(lambda _: next(out), t, x) for x, t in zip(xs, f.types, strict=True)]


class Vjp:
    def __init__(self, f: Function, xs: Sequence[Any]) -> None:
        self.f, self.xs, self.ret = f, [conform(x, t) for x, t in zip(xs, f.types, strict=True)], f(*xs)

    def grad(self, ct: Any) -> Any:
        gs = back(self.f, self.xs, conform(ct, self.f.result))
        out = [g if t.real else None for g, t in zip(gs, self.f.types, strict=True)]
        return out[0] if len(out) == 1 else tuple(out)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.ret, self.grad))


class Accum:
    """A sum, in nested lists, and the place in it that this object is."""

    def __init__(self, cells: list[Any], key: int, t: Type | None) -> None:
        self.__dict__.update(_cells=cells, _key=key, _type=t)

    def __iadd__(self, x: Any) -> Accum:
        _add(self._cells, self._key, x)
        return self

    def __isub__(self, x: Any) -> Accum:
        _add(self._cells, self._key, -x)
        return self

    def __getitem__(self, i: int) -> Accum:
        return Accum(self._cells[self._key], int(i), None)

    def __setitem__(self, i: int, x: Accum) -> None:
        pass

    def __getattr__(self, name: str) -> Accum:
        form, cells = self._cells[self._key]
        return Accum(cells, form.index(name), None)

    def __setattr__(self, name: str, x: Accum) -> None:
        pass

    @property
    def value(self) -> Any:
        return _frozen(self._cells[self._key])


def _thawed(x: Any) -> Any:
    """Lists stay lists; a struct becomes its names and a list, a tuple the same without names."""
    if isinstance(x, list):
        return [_thawed(y) for y in x]
    names = _names(x)
    return infer(x) if names is None else (_Names(names, type(x)), [_thawed(y) for y in _read(x, names)])


class _Names(list[Any]):
    def __init__(self, names: Sequence[Any], cls: type) -> None:
        super().__init__(names)
        self.cls = cls


def _names(x: Any) -> Sequence[Any] | None:
    if hasattr(x, "__dataclass_fields__"):
        return list(x.__dataclass_fields__)
    if isinstance(x, dict):
        return list(x)
    return (getattr(x, "_fields", None) or range(len(x))) if isinstance(x, tuple) else None


def _read(x: Any, names: Sequence[Any]) -> list[Any]:
    return [x[k] for k in names] if isinstance(x, dict) else [*x] if isinstance(x, tuple) else [
        getattr(x, k) for k in names
    ]  # fmt: skip


def _frozen(x: Any) -> Any:
    if isinstance(x, list):
        return [_frozen(y) for y in x]
    if not isinstance(x, tuple):
        return x
    names, cells = x
    xs = [_frozen(y) for y in cells]
    if names.cls is dict:
        return dict(zip(names, xs, strict=True))
    return tuple(xs) if names.cls is tuple else names.cls(*xs)


def _add(cells: list[Any], key: int, x: Any) -> None:
    old = cells[key]
    if isinstance(old, list):
        for k, y in enumerate(x):
            _add(old, k, y)
    elif isinstance(old, tuple):
        for k, y in enumerate(_read(x, _names(x) or ())):
            _add(old[1], k, y)
    elif isinstance(old, Num):
        cells[key] = old + x


def _lifted(x: Any) -> Any:
    """A value with each number in it as one that can carry a tangent."""
    return _frozen(_thawed(x))


def _is_two(x: Any) -> bool:
    return type(x) is tuple and len(x) == 2


def _zero_like(x: Any) -> Any:
    if isinstance(x, list):
        return [_zero_like(y) for y in x]
    if isinstance(x, tuple):
        return (x[0], [_zero_like(y) for y in x[1]])
    return lift(0.0) if isinstance(x, Num) else Truth(False) if isinstance(x, Truth) else Index(0)


def _fold(op: Callable[[Any, Any], Any], xs: Sequence[Any], start: float) -> Any:
    out = lift(start)
    for x in xs:
        out = op(out, x)
    return out


def _all(xs: tuple[Any, ...]) -> list[Any]:
    return list(xs[0]) if len(xs) == 1 else list(xs)


class Meaning:
    """The module that a program knows as `rose`."""

    Real, Bool, Dual = Real, Bool, Dual

    @staticmethod
    def fn(types: Sequence[Any], result: Any, *, syntax: bool = False) -> Callable[..., Function]:
        return lambda body: Function(body, [as_type(t) for t in types], as_type(result))

    @staticmethod
    def opaque(body: Any = None, *, name: str | None = None, pure: bool = False) -> Any:
        def decorate(body: Any) -> Function:
            hints = dict(body.__annotations__)
            result = as_type(hints.pop("return"))
            return Function(body, [as_type(t) for t in hints.values()], result, opaque=True)

        return decorate if body is None else decorate(body)

    @staticmethod
    def constant(t: Any, x: Any) -> Any:
        return conform(x, as_type(t))

    @staticmethod
    def range(start: Any, stop: Any = None, step: int = 1) -> Iterator[Index]:
        """The indices: an end below zero ends where they do."""
        low, high = [int(number(x)) for x in ((0, start) if stop is None else (start, stop))]
        return iter([Index(k) for k in range(low, high, step) if k >= 0])

    @staticmethod
    def vec(xs: Any) -> list[Any]:
        return [infer(x) for x in xs]

    @staticmethod
    def sum(xs: Any) -> Any:
        cells = [None]
        for x in [lift(x) if isinstance(x, int) else infer(x) for x in xs]:
            if cells[0] is None:
                cells[0] = _zero_like(_thawed(x))
            _add(cells, 0, x)
        return lift(0.0) if cells[0] is None else _frozen(cells[0])

    @staticmethod
    def dot(x: Any, y: Any) -> Any:
        return Meaning.sum([a * b for a, b in zip(x, y, strict=True)])

    @staticmethod
    def clip(x: Any, low: Any, high: Any) -> Num:
        return smaller(larger(x, low), high)

    @staticmethod
    def norm(v: Any) -> Any:
        flat = lambda x: [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
        numbers = flat(v)
        total = Meaning.sum([x * x for x in numbers])
        return length(lift(0.0) if number(total) == 0.0 else sqrt(total), numbers)

    @staticmethod
    def logsumexp(v: Any) -> Any:
        shift = max([number(x) for x in v])
        return log(Meaning.sum([exp(x - shift) for x in v])) + shift

    @staticmethod
    def cross(x: Any, y: Any) -> Any:
        return [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]

    @staticmethod
    def transpose(x: Any) -> Any:
        return [list(column) for column in zip(*x, strict=True)]

    @staticmethod
    def matmul(x: Any, y: Any) -> Any:
        if not x:
            return []
        if not isinstance(x[0], list):
            return [Meaning.dot(x, column) for column in zip(*y, strict=True)]
        if not isinstance(y[0], list):
            return [Meaning.dot(row, y) for row in x]
        return [Meaning.matmul(row, y) for row in x]

    @staticmethod
    def prod(xs: Any) -> Any:
        return _fold(mul, list(xs), 1.0)

    @staticmethod
    def max(*xs: Any) -> Any:
        return _fold(larger, _all(xs), -math.inf)

    @staticmethod
    def min(*xs: Any) -> Any:
        return _fold(smaller, _all(xs), math.inf)

    @staticmethod
    def accum(init: Any) -> Accum:
        return Accum([_thawed(init)], 0, None)

    @staticmethod
    def select(c: Any, x: Any, y: Any) -> Any:
        taken, other = (x, y) if Truth(c).yes else (y, x)
        return lift(taken) if isinstance(taken, Index) and not isinstance(other, Index) else infer(taken)

    @staticmethod
    def cond(c: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        return _lifted(then() if Truth(c).yes else otherwise())

    @staticmethod
    def scan(
        body: Callable[[Any, Any], Any], init: Any, n: Any, *, checkpoint: Any = None, snapshots: Any = None
    ) -> Any:
        state, outs = _lifted(init), None
        for k in Meaning.range(n) if isinstance(n, int) else n:
            given = body(k, state)
            if type(given) is tuple and len(given) == 2 and (not _is_two(state) or _is_two(given[0])):
                outs = [*(outs or []), _lifted(given[1])]
                given = given[0]
            state = _lifted(given)
        return state if outs is None else (state, outs)

    @staticmethod
    def while_loop(
        test: Callable[[Any], Any], body: Callable[[Any], Any], init: Any, max_iter: int | None = None
    ) -> Any:
        state, count = _lifted(init), 0
        while Truth(test(state)).yes:
            count += 1
            assert max_iter is None or count <= max_iter
            state = _lifted(body(state))
        return state

    @staticmethod
    def stop_gradient(x: Any) -> Any:
        if isinstance(x, Num):
            return Num(number(x))
        if isinstance(x, list):
            return [Meaning.stop_gradient(y) for y in x]
        names = _names(x)
        if names is None:
            return x
        xs = [Meaning.stop_gradient(y) for y in _read(x, names)]
        return (
            dict(zip(names, xs, strict=True))
            if isinstance(x, dict)
            else tuple(xs)
            if type(x) is tuple
            else type(x)(*xs)
        )

    # derivatives

    @staticmethod
    def grad(f: Function, argnums: int = 0) -> Function:
        return Function(lambda *xs: back(f, xs, lift(1.0))[argnums], f.types, f.types[argnums])

    @staticmethod
    def value_and_grad(f: Function, argnums: int = 0) -> Function:
        g = Meaning.grad(f, argnums)
        return Function(lambda *xs: (f(*xs), g(*xs)), f.types, Tuple((Real, g.result), None))

    @staticmethod
    def vjp(f: Function) -> Callable[..., Vjp]:
        return lambda *xs: Vjp(f, xs)

    @staticmethod
    def jvp(f: Function) -> Callable[..., Any]:
        def at(*duals: Any) -> Any:
            pairs = [
                (map_reals(lambda d: d.re, t, x), map_reals(lambda d: d.du, t, x))
                for x, t in zip(duals, f.types, strict=True)
            ]
            y, dy = along(f, [re for re, _ in pairs], [du for _, du in pairs])
            return map_reals(Dual, f.result, y, dy)

        return at

    @staticmethod
    def hvp(f: Function, argnums: int = 0) -> Callable[..., Any]:
        def at(*args: Any) -> Any:
            *xs, v = args
            g = Meaning.grad(f, argnums)
            still = [map_reals(lambda _: 0.0, t, x) for x, t in zip(xs, f.types, strict=True)]
            return along(g, xs, [v if k == argnums else z for k, z in enumerate(still)])[1]

        return at

    @staticmethod
    def linearize(f: Function) -> Callable[..., Any]:
        return lambda *xs: (f(*xs), lambda *dxs: along(f, xs, dxs)[1])

    @staticmethod
    def jacobian(f: Function) -> Callable[..., Any]:
        """Of a function from a vector to a number or a vector."""

        def at(x: Any) -> Any:
            columns = [along(f, [x], unit)[1] for unit in _units([x], f.types)]
            return columns if f.result is Real else [list(row) for row in zip(*columns, strict=True)]

        return at

    jacfwd = jacrev = jacobian

    @staticmethod
    def hessian(f: Function) -> Callable[..., Any]:
        return Meaning.jacobian(Meaning.grad(f))


for _name, _meaning in MEANINGS.items():
    setattr(Meaning, _name, staticmethod(_meaning))
