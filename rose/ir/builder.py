"""The IR: values, blocks, functions, and the builder that makes them.

A `Value` is an instruction and its one result, at once; it is also what a user's code holds while it
is traced. A `Block` is a list of them in order. Only `for` holds a nested block, and only a call names
another function. The graph of calls has no cycles: a function must exist before it can be called.

`Builder.emit` is the one door for instructions: it simplifies them, and shares equal ones, so every pass gets that.
"""

from __future__ import annotations

import inspect
import math
import struct
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal

from ..errors import EscapedValue, Loc, RoseError, argument, here, hide_our_frames
from .columns import ALL, Columns, Make
from .columns import LIBRARY as LIBRARY
from .func import Block as Block
from .func import Func as Func
from .func import Loop, Origin
from .hooks import above
from .numbers import Numbers, as_number, complex_of, is_listed, is_one_object, is_truth
from .numbers import shown as shown
from .sizes import Size, at_most, current, differ, open_size, plus
from .tracing import has_ended, tracing
from .types import Bool, Complex, Fin, Real, Ref, Scalar, Span, Tuple, Type, Unit, Vec
from .value import (
    OPERATORS,
    OPS,
    WIDE,
    Value,
    a_traced,
    escaped,
    made_at,
    not_called_so,
    otherwise,
    outside,
    take_meanings,
)
from .value import not_one_each as not_one_each


class Op(Columns):  # one row of the table in `ops.py`
    __slots__ = ()

    @property
    def __doc__(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return f"{self.name}{self.__signature__}: {self.doc}"

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters, by the names that they have in a derivative rule, which begins with `d` and ends with `z`."""
        rule = self.jvp[0] if self.jvp else None
        names = [*inspect.signature(rule).parameters][1:-1] if rule else inspect.signature(self.type).parameters
        return inspect.Signature([inspect.Parameter(k, inspect.Parameter.POSITIONAL_ONLY) for k in names])

    _instead = "call it, as in f(x)"  # where a number is meant

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Of traced values, the instruction; of plain numbers, outside of any trace, the answer."""
        try:
            if named or len(args) != self.type.__code__.co_argcount:
                raise not_called_so(self, len(args), named)
            b = tracing.builder
            if b is None and not any([a.__class__ is Value for a in args]):
                numbers = [a if a.__class__ is float else _number(args, k) for k, a in enumerate(args)]
                return self.eval(*numbers) if self.eval is not None else self._folded(numbers)
            b = b or current_builder()
            return self._emit(
                b, tuple([a if a.__class__ is Value else _lifted(b, args, k) for k, a in enumerate(args)])
            )
        except MeetsFunction:
            return above().algebra.pointwise(self, *args)
        except Exception as e:
            hide_our_frames(e)
            raise

    def _emit(self, b: Builder, values: tuple[Value, ...]) -> Value:
        if any([v.type.__class__ is not Scalar for v in values]) and self.type(*values) is None:
            if any([v.type.__class__ is Vec for v in values]):
                return OPERATORS["each"](self, *values)
            values = tuple([b.emit(OPS["real"], (v,)) if isinstance(v.type, Fin) else v for v in values])
        smooth = SMOOTHED.get(self)
        if smooth is not None and values[0].type is Real and (made := smooth(b, *values)) is not None:
            return made
        if self.expand is None:
            return b.emit(self, values)
        if self.type(*values) is None:
            return otherwise(self, values, b.loc or here())
        return self.expand(*values)

    def _folded(self, numbers: list[Any]) -> Any:
        """The answer of an expression, which folds to a literal."""
        with building(self.name) as b:
            return self(*map(b.lift, numbers)).attr

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return _row, (self.name,)

    __name__ = property(__repr__)


SMOOTHED: dict[Op, Callable[..., Value | None]] = {}  # the same rows with other derivatives: filled by `smooth.py`


def _row(name: str) -> Op:
    """The row of that name, of a pickle."""
    return OPS[name] if name in OPS else above().specials[name]


def _place(args: Sequence[Any], k: int) -> Loc:
    """The location of an argument of an operation."""
    return here().narrow(argument(k, "", len(args)))


class MeetsFunction(Exception):
    """Raised, and caught, where an operation meets a function in the place of a number."""


def _of_host(args: Sequence[Any], k: int) -> Any:
    """An argument of the host, which is no function."""
    if hasattr(args[k], "__rose_function__"):
        raise MeetsFunction
    return args[k]


def _number(args: Sequence[Any], k: int) -> float:
    """An argument of the host as a number."""
    return as_number(_of_host(args, k), _place(args, k))


def _lifted(b: Builder, args: Sequence[Any], k: int) -> Value:
    """An argument of the host as a literal: a number, or an array of them."""
    x = _of_host(args, k)
    try:
        return OPERATORS["array"](x) if is_listed(x) else b.lift(x)
    except RoseError as e:
        raise e.at(_place(args, k)) from None


class Builder:
    """Appends instructions to a block, and makes one function.

    `outer` is the builder of the function around this one, whose values may be captured: each becomes
    one more parameter, in `captured`, and every caller passes it on.
    """

    def __init__(self, name: str, outer: Builder | None = None, origin: Origin | None = None) -> None:
        if not OPERATORS:
            take_meanings()
        self.name, self.outer, self.origin = name, outer, origin
        self.root = self.block = Block()
        self.loc: Loc | None = None  # set by passes, so that derived code keeps its primal's location
        self.captured: dict[Value, Value] = {}
        self.maps: list[Value] = []  # the vectors of loops without a state, in the order of their ends
        self.pure, self.repeated = True, dict[Any, float]()  # array operations by place: see `frontend/unrolling.py`
        self.failure: RoseError | None = None  # a loop that was left too early: raised when it can be

    def emit(self, op: Op, args: tuple[Value, ...] = (), attr: Any = None, type: Type | None = None) -> Value:
        """The value of `op` on `args`: a known one where there is one, else a new instruction."""
        block = self.block
        for v in args:
            if v.block is not block and not block.inside(v.block):
                args = tuple([self.reach(v) for v in args])
                break
        if op.simplify is not None and (simpler := op.simplify(*args)) is not None:
            v = simpler if isinstance(simpler, Value) else self.lift(simpler)
            usual = v.type is not Bool and args[0].type.__class__ is not Tuple and args[-1].type.__class__ is not Tuple
            if usual or op.type(*args) is v.type:  # `1.0 * condition` is no condition
                return v
        key: Any = None
        if op.effect is None:
            given = args if WIDE else tuple(map(id, args))  # they live as long as what is known
            key = (op, given) if attr is None and type is None else (op, given, attr, type)
            if (seen := block.known.get(key) if block.parent is None else self.seen(key)) is not None:
                return seen
        if type is None and (type := op.type(*args)) is None:
            return otherwise(op, args, self.loc or here())
        if args and args[0].op is CONST and op.eval is not None and all([is_known(v) for v in args]):
            return self.const(op.eval(*[v.attr for v in args]), type)
        value = Value(op, type, args, attr, self.loc or here(2), block)
        block.code.append(value)
        if key is not None:
            block.known[key] = value
        return value

    def seen(self, key: Any) -> Value | None:
        """The value that is known by a key, in this block or around it."""
        scope: Block | None = self.block
        while scope is not None and key not in scope.known:
            scope = scope.parent
        return None if scope is None else scope.known[key]

    def make(self, op: Op, args: tuple[Value, ...], attr: Any = None, type: Type | None = None) -> Value:
        """`op` on `args`, as simple as its own method has it; the `type` is that of a tuple, or of a packed vector."""
        return self.emit(op, args, attr) if op.make is None else op.make(self, args, attr, type)

    def again(self, v: Value, args: tuple[Value, ...]) -> Value:
        """A copy of `v` with other arguments of the same types, which need no second look."""
        value = Value(v.op, v.type, args, v.attr, v.loc, self.block)
        self.block.code.append(value)
        if v.op is CALL and not v.attr.pure:
            self.pure = False
        return value

    def reach(self, v: Value) -> Value:
        """`v`, where this function can see it: as it is, or captured from a function around this one."""
        if self.block.inside(v.block):
            return v
        if v in self.captured:
            return self.captured[v]
        outer = self.outer
        while outer is not None:
            if outer.block.inside(v.block):
                p = self.captured[v] = Value(PARAM, v.type, (), v.attr if v.op is PARAM else None, v.loc, self.root)
                self.root.params.append(p)
                return p
            outer = outer.outer
        raise self._escaped(v, self.loc or here())

    def _escaped(self, v: Value, loc: Loc) -> RoseError:
        if has_ended(v):
            return escaped(v, loc)
        hint = "carry it out with rose.sum, rose.vec, rose.accum or rose.scan, or write @fn(syntax=True)"
        what = f"{a_traced(v)} is used outside the loop that it was made in, at {made_at(v, loc)}"
        return EscapedValue(what, loc, hint)

    # literals

    def lift(self, x: Any) -> Value:
        """A number or a truth value of Python, or of NumPy, as a literal."""
        if x.__class__ is Value:
            return x
        if x.__class__ is float:
            return self.const(x, Real)
        if x.__class__ is bool or is_truth(x):
            return self.const(bool(x), Bool)
        if (k := open_size(x)) is not None:
            return self.const(k, Fin(plus(k, 1)))
        if (z := complex_of(x)) is not None:
            return self.tuple([self.const(y, Real) for y in (z.real, z.imag)], Complex)
        return self.lift(x.item()) if is_one_object(x) else self.const(as_number(x, self.loc or here()), Real)

    def const(self, x: Any, type: Type) -> Value:
        """The literal `x`. Literals stand in the outermost block, once each."""
        # as a key a float is its bits: 0.0 == -0.0, 1 == True, and nan is not even equal to itself
        if type.__class__ is Vec:
            x = x if x.__class__ is Numbers else Numbers(x)
            key = (type, x.bits)
        else:
            key = (type, _bits(x) if x.__class__ is float else x)
        return self._once(key, CONST, type, x)

    def zero(self, type: Type) -> Value:
        """The zero of any type: what a sum starts from."""
        return self.const(0.0, Real) if type is Real else self._once((ZERO, type), ZERO, type, None)

    def _once(self, key: Any, op: Op, type: Type, attr: Any) -> Value:
        known = self.root.known.get(key)
        if known is None:
            known = self.root.known[key] = Value(op, type, (), attr, self.loc or here(3), self.root)
            self.root.code.append(known)
        return known

    def unit(self) -> Value:
        return self.zero(Unit)

    # aggregates

    def tuple(self, items: Sequence[Value], type: Tuple | None = None) -> Value:
        """The tuple of these items. If they are those of a parameter, or of an element, it is that."""
        made = type or Tuple(tuple([x.type for x in items]), None)
        whole = items[0].args[0] if items and items[0].op is GET else None
        if whole is not None and whole.type is made and (whole.op is PARAM or whole.op is INDEX or whole.op is GET):
            if all([x.op is GET and x.attr == k and x.args[0] is whole for k, x in enumerate(items)]):
                return whole
        return self.emit(TUPLE, tuple(items), type=made)

    def get(self, tup: Value, k: int) -> Value:
        """Item `k` of a tuple."""
        if tup.op is TUPLE:
            return tup.args[k]
        assert isinstance(tup.type, Tuple), tup
        if tup.op is ZERO:
            return self.zero(tup.type.items[k])
        if tup.type.items[k].scalar and (row := _content(tup)) is not None:
            return self.const(row[k], tup.type.items[k])
        if self._is_choice(tup):
            return self._of_choice(tup, lambda v: self.get(v, k))
        return self.emit(GET, (tup,), k, tup.type.items[k])

    def pack(self, items: Sequence[Value], type: Vec) -> Value:
        """The vector of these elements."""
        return self.emit(PACK, tuple(items), type=type)

    def index(self, vec: Value, i: Value | int | Size) -> Value:
        """Element `i` of a vector; a literal index is known to be inside it."""
        t = vec.type
        assert isinstance(t, Vec), vec
        if isinstance(i, (int, Size)):
            i = self.const(i, Fin(t.size))
        if vec.op is ZERO or (isinstance(i.type, Fin) and not differ(i.type.size, 0)):  # no index: never reached
            return self.zero(t.elem)
        if i.op is CONST:
            k: int = i.attr
            if vec.op is PACK:
                return vec.args[k]
            if t.elem.scalar and (row := _content(vec)) is not None:
                return self.const(row[k], t.elem)
        if self._is_choice(vec):
            return self._of_choice(vec, lambda v: self.index(v, i))
        return self.emit(INDEX, (vec, i))

    def _is_choice(self, whole: Value) -> bool:
        """True for a `select` in this block, of which no part is a `select`: so nothing recurs."""
        is_one = whole.op.name == "select" and whole.block is self.block
        return is_one and not any([a.op is whole.op for a in whole.args[1:]])

    def _of_choice(self, whole: Value, part: Callable[[Value], Value]) -> Value:
        """A part of what a `select` takes: not a derivative of all of both, for each part that is read."""
        c, x, y = whole.args
        return self.emit(whole.op, (c, part(x), part(y)))

    # accumulators

    def accum(self, init: Value) -> Value:
        return self.emit(ACCUM, (init,))

    def add_to(self, ref: Value, x: Value) -> None:
        if x.op is not ZERO and not x.type.empty and not _nowhere(ref):
            self.emit(ADD_TO, (ref, x))

    def at(self, ref: Value, k: Value | int) -> Value:
        """The accumulator of one item (a number) or element (a value) of another."""
        assert isinstance(ref.type, Ref)
        if isinstance(k, Value):
            return self.emit(AT, (ref, k))
        assert isinstance(ref.type.inner, Tuple)
        return self.emit(AT, (ref,), k, Ref(ref.type.inner.items[k]))

    def freeze(self, ref: Value) -> Value:
        """The sum in `ref`; nothing may be added after."""
        return self.emit(FREEZE, (ref,))

    # calls and loops

    def call(self, f: Func, args: Sequence[Value]) -> Value:
        assert [a.type for a in args if a.op is not FOR] == [p.type for p in f.params], (f, args)  # a loop by its items
        adds = any([isinstance(a.type, Ref) for a in args])
        self.pure = self.pure and f.pure
        return self.emit(PURE_CALL if f.pure and not adds else CALL, tuple(args), f, f.result)

    def span(self, n: int | Size, low: Value, high: Value) -> Value:
        """The indices from `low` to before `high`, all of which are below `n`."""
        assert isinstance(low.type, Fin) and isinstance(high.type, Fin)
        return self.emit(TUPLE, (low, high), type=Span(n, low.type, high.type))

    def loop(
        self,
        n: int | Size,
        body: Callable[..., tuple[Sequence[Value], Sequence[Value]]],
        states: Sequence[Value] = (),
        span: Value | None = None,
    ) -> tuple[list[Value], list[Value]]:
        """Run `body(i, *states)` for each index below `n`, in order; with a span, for each index in it.

        It returns the states of the next iteration, and values of which a vector is made.
        The last states come out, and the vectors.
        """
        inits = states if span is None else [span, *states]
        with self.nested() as block:
            i, *now = [self.param(Fin(n)), *[self.param(s.type) for s in inits]]
            same = now[: len(inits) - len(states)]
            after, outs = body(i, *now[len(same) :])
            assert len(after) == len(states)
            block.results = tuple([self.reach(r) for r in (*same, *after, *outs)])
        last, vecs = self.close(block, inits)
        return last[len(same) :], vecs

    def close(self, block: Loop, states: Sequence[Value]) -> tuple[list[Value], list[Value]]:
        """Append the loop over a finished block; give its last states, and its vectors."""
        n, k = block.indices, len(states)
        kinds = [r.type if j < k else Vec(n.size, r.type) for j, r in enumerate(block.results)]
        loop = self.seen(key := (FOR, n, len(block.code), *map(id, states)))
        if not states or loop is None or not loop.attr.equals(block):
            loop = self.block.known[key] = self.emit(FOR, tuple(states), block, Tuple(tuple(kinds), None))
        out = [self.get(loop, j) for j in range(len(kinds))]
        if not states and len(out) == 1:
            self.maps.append(out[0])
        return out[:k], out[k:]

    def vec(self, n: int | Size, item: Callable[[Value], Value]) -> Value:
        """The vector of `item(i)` for each index below `n`: one loop."""
        with self.nested() as block:
            block.results = (self.reach(item(self.param(Fin(n)))),)
        return self.close(block, ())[1][0]

    @contextmanager
    def nested(self) -> Generator[Loop]:
        outer, loc = self.block, self.loc
        self.block = block = Loop(outer)
        try:
            yield block
        finally:
            self.block, self.loc = outer, loc  # so a loop is where it was begun

    # functions

    def param(self, type: Type, name: str | None = None) -> Value:
        value = Value(PARAM, type, (), name, self.loc or here(2), self.block)
        self.block.params.append(value)
        return value

    def func(self, result: Value) -> Func:
        """The finished function."""
        self.root.results = (self.reach(result),)
        made = Func(self.name, self.root, result.type, pure=self.pure, origin=self.origin)
        of = self.origin and self.origin.derived_from
        if current() or (of is not None and of.sized):
            made.mark(sized=True)
        if (verify := above().verify) is not None:
            verify(made)
        return made


def _content(v: Value) -> Any:
    """The host value of an aggregate that is a literal, or a part of one at literal indices; None of any other."""
    path: list[int] = []
    while v.op is GET or (v.op is INDEX and v.args[1].op is CONST):
        path.append(v.attr if v.op is GET else v.args[1].attr)
        v = v.args[0]
    if v.op is not CONST:
        return None
    x = v.attr
    for k in reversed(path):
        x = x[k]
    return x


def _nowhere(ref: Value) -> bool:
    """True if this is an element of a vector without elements: nothing can be added to it."""
    while ref.op is AT:
        ref = ref.args[0]
        inside = ref.type.inner if isinstance(ref.type, Ref) else None
        if isinstance(inside, Vec) and not differ(inside.size, 0):
            return True
    return False


_bits = struct.Struct("<d").pack


def current_builder() -> Builder:
    """The builder of the function that is being traced, in this thread."""
    b = tracing.builder
    if b is None:
        raise outside()
    return b


def is_tracing() -> bool:
    return tracing.builder is not None


class resumed:
    """Record into the builder `b` again; with None, what runs is outside of any trace."""

    def __init__(self, b: Any) -> None:
        self.b = b

    def __enter__(self) -> Any:
        self.outer, tracing.builder = tracing.builder, self.b
        return self.b

    def __exit__(self, *_: object) -> None:
        tracing.builder = self.outer


def building(name: str, origin: Origin | None = None, *, inside: bool = False) -> AbstractContextManager[Builder]:
    """A builder for one function; `inside` lets it capture values of the function being traced now."""
    return resumed(Builder(name, tracing.builder if inside else None, origin))


def deriving(f: Func, by: Literal["jvp", "fwd", "bwd", "lin", "jet"]) -> AbstractContextManager[Builder]:
    """A builder for a function that is derived from `f`."""
    return building(f"{f.name}.{by}", Origin(by, f))


def copying(f: Func) -> AbstractContextManager[Builder]:
    """A builder for a copy of `f`, which comes from where `f` does."""
    return building(f.name, f.origin)


# the structural operations: each pass handles these itself


def row(name: str, doc: str, **columns: Any) -> Op:
    """An operation, under its name in the table."""
    assert name not in OPS, name
    op = OPS[name] = Op(name, doc, **columns)
    return op


def structural(name: str, doc: str, *, make: Make | None = None, **columns: Any) -> Op:
    """An operation that is none on scalars; unless it says so, it is linear in nothing, moves nothing, and is pure."""
    none = dict(linear_in=(), moves=False, reads=(), effect=None, cost=1)
    scalar = dict(kind=None, monotone=None, exact=None, whole=None, unit=None)
    return row(name, doc, make=make, **{**none, **scalar, **columns})


def _index_type(vec: Value, i: Value) -> Type | None:
    t, n = vec.type, i.type
    return t.elem if isinstance(t, Vec) and isinstance(n, Fin) and at_most(n.size, t.size) else None


def _at_type(ref: Value, i: Value) -> Type | None:
    t, n = ref.type, i.type
    inside = t.inner if isinstance(t, Ref) else None
    ok = isinstance(inside, Vec) and isinstance(n, Fin) and at_most(n.size, inside.size)
    return Ref(inside.elem) if ok and isinstance(inside, Vec) else None


def _add_to_type(ref: Value, x: Value) -> Type | None:
    return Unit if isinstance(ref.type, Ref) and ref.type.inner is x.type else None


def _accum_type(x: Value) -> Type | None:
    return Ref(x.type)


def _frozen_type(ref: Value) -> Type | None:
    return ref.type.inner if isinstance(ref.type, Ref) else None


def _given(*_: Value) -> Type | None:
    """The type is given with the instruction."""
    return None


def _added(b: Builder, args: tuple[Value, ...], *_: Any) -> Value:
    b.add_to(*args)
    return b.unit()


PARAM = structural("param", "A parameter of a block.", type=_given)
CONST = structural("const", "A literal.", type=_given)
ZERO = structural("zero", "The zero of a type, of any shape.", type=_given)
TUPLE = structural(
    "tuple", "Several values as one.", type=_given,
    linear_in=ALL, moves=True, place=lambda k, part: (k, *part), make=lambda b, xs, _, t: b.tuple(xs, t),
)  # fmt: skip
GET = structural(
    "get", "One item of a tuple.", type=_given,
    linear_in=(0,), moves=True, reads=(0,), cost=0, make=lambda b, xs, k, _: b.get(xs[0], k),
)  # fmt: skip
INDEX = structural(
    "index", "One element of a vector.", type=_index_type,
    linear_in=(0,), moves=True, reads=(0,), cost=0, make=lambda b, xs, k, _: b.index(*xs),
)  # fmt: skip
PACK = structural(
    "pack", "A vector from its elements.", type=_given,
    linear_in=ALL, moves=True, make=lambda b, xs, _, t: b.pack(xs, t),
)  # fmt: skip
FOR = structural(
    "for", "Last states and vectors, from a block run once for each index.", type=_given,
    linear_in=None, place=lambda k, part: (k, *part), effect="loops",
)  # fmt: skip
CALL = structural("call", "A call that may have an effect.", type=_given, linear_in=None, effect="calls")
PURE_CALL = structural("pure_call", "A call that only makes its result.", type=_given, linear_in=None)
ACCUM = structural("accum", "Open an accumulator, at a value.", type=_accum_type, linear_in=ALL, effect="opens")
ADD_TO = structural(
    "add_to", "Add a value into an accumulator.", type=_add_to_type, linear_in=ALL, effect="adds", make=_added,
)  # fmt: skip
AT = structural(
    "at", "The accumulator of one element or item of another.", type=_at_type,
    linear_in=(0,), moves=True, make=lambda b, xs, k, _: b.at(xs[0], xs[1] if len(xs) > 1 else k),
)  # fmt: skip
FREEZE = structural("freeze", "Close an accumulator and read it.", type=_frozen_type, linear_in=ALL, effect="closes")


def is_call(v: Value) -> bool:
    return v.op is PURE_CALL or v.op is CALL


def is_known(v: Value) -> bool:
    """True for a literal with a number: not for a size that only the compiled module knows."""
    return v.op is CONST and not isinstance(v.attr, Size)


def is_literal(v: Value, x: float) -> bool:
    """True if `v` is the literal `x`, with its sign."""
    return v.op is CONST and v.type is Real and v.attr == x and math.copysign(1.0, v.attr) == math.copysign(1.0, x)
