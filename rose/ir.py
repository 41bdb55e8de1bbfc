"""The IR: values, blocks, functions, and the builder that makes them.

A `Value` is an instruction and its one result, at once; it is also what a user's code holds while it
is traced. A `Block` is a list of them in order. Only `for` holds a nested block, and only a call names
another function. The graph of calls has no cycles: a function must exist before it can be called.

`Builder.emit` is the one door for instructions. Simplification and the sharing of equal expressions
happen there, so every pass gets them.
"""

from __future__ import annotations

import math
import struct
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .errors import EscapedValue, Loc, OutOfRange, RoseError, TypeMismatch, asked, called, here
from .types import Bool, Fin, Real, Ref, Tan, Tuple, Type, Unit, Vec


class Op:
    """One row of the table in `ops.py`: all that is known about an operation."""

    __slots__ = ("doc", "eval", "jvp", "name", "pure", "simplify", "transpose", "type", "wasm")

    def __init__(
        self,
        name: str,
        doc: str,
        *,
        type: Callable[..., Type | None],
        eval: Callable[..., Any] | None = None,
        jvp: Sequence[Callable[..., Value] | None] | None = None,
        transpose: Callable[..., Sequence[Value | None]] | None = None,
        simplify: Callable[..., Value | float | None] | None = None,
        wasm: str = "",
        pure: bool = True,
    ) -> None:
        self.name = name  # as printed
        self.doc = doc  # one line
        self.type = type  # arguments -> type of the result, or None: "does not accept"
        self.eval = eval  # on Python numbers, with the answers of IEEE 754
        self.jvp = jvp  # one rule for each argument, None where it is flat; absent: flat in all
        self.transpose = transpose  # only where a `Tan` is accepted: a cotangent for each argument
        self.simplify = simplify  # -> an argument, a literal, or None; keeps every bit
        self.wasm = wasm  # mnemonics; `$k` is argument k; arguments come first if none is named
        self.pure = pure  # may be shared, and dropped when unused

    def __call__(self, *args: Any) -> Any:
        """Of traced values, the instruction; of plain numbers, outside of any trace, the answer."""
        b = _tracing.builder
        if b is None and self.eval is not None and not any(a.__class__ is Value for a in args):
            return self.eval(*[a if isinstance(a, bool) else as_number(a, here()) for a in args])
        b = b or builder()
        values = tuple([a if a.__class__ is Value else b.lift(a) for a in args])
        if any(isinstance(v.type, Fin) for v in values) and self.type(*values) is None:
            values = tuple([b.emit(OPS["real"], (v,)) if isinstance(v.type, Fin) else v for v in values])
        return b.emit(self, values)

    def __repr__(self) -> str:
        return self.name


OPS: dict[str, Op] = {}  # filled by `ops.py` alone, and by the structural rows below
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {}  # Python's operators, by symbol: also filled by `ops.py`


class Value:
    """An instruction, and the value it makes."""

    __slots__ = ("args", "attr", "block", "loc", "op", "type")
    __array_ufunc__ = None  # so that `np.float64(2) * x` asks `x`
    __hash__ = object.__hash__

    def __init__(self, op: Op, type: Type, args: tuple[Value, ...], attr: Any, loc: Loc, block: Block) -> None:
        self.op, self.type, self.args, self.attr, self.loc, self.block = op, type, args, attr, loc, block

    def __repr__(self) -> str:
        name = f" {self.attr}" if self.op is PARAM and self.attr else ""
        return f"<traced {self.type!r}{name}, from {self.loc}>"

    # what a user writes: the meaning of each operator is in `ops.py`

    def __add__(self, y: Any) -> Value:
        return OPERATORS["+"](self, y)

    def __radd__(self, x: Any) -> Value:
        return OPERATORS["+"](x, self)

    def __sub__(self, y: Any) -> Value:
        return OPERATORS["-"](self, y)

    def __rsub__(self, x: Any) -> Value:
        return OPERATORS["-"](x, self)

    def __mul__(self, y: Any) -> Value:
        return OPERATORS["*"](self, y)

    def __rmul__(self, x: Any) -> Value:
        return OPERATORS["*"](x, self)

    def __truediv__(self, y: Any) -> Value:
        return OPERATORS["/"](self, y)

    def __rtruediv__(self, x: Any) -> Value:
        return OPERATORS["/"](x, self)

    def __floordiv__(self, y: Any) -> Value:
        return OPERATORS["//"](self, y)

    def __rfloordiv__(self, x: Any) -> Value:
        return OPERATORS["//"](x, self)

    def __mod__(self, y: Any) -> Value:
        return OPERATORS["%"](self, y)

    def __rmod__(self, x: Any) -> Value:
        return OPERATORS["%"](x, self)

    def __pow__(self, y: Any) -> Value:
        return OPERATORS["**"](self, y)

    def __rpow__(self, x: Any) -> Value:
        return OPERATORS["**"](x, self)

    def __neg__(self) -> Value:
        return OPERATORS["neg"](self, None)

    def __pos__(self) -> Value:
        return self

    def __abs__(self) -> Value:
        return OPERATORS["abs"](self, None)

    def __invert__(self) -> Value:
        return OPERATORS["~"](self, None)

    def __and__(self, y: Any) -> Value:
        return OPERATORS["&"](self, y)

    __rand__ = __and__

    def __or__(self, y: Any) -> Value:
        return OPERATORS["|"](self, y)

    __ror__ = __or__

    def __xor__(self, y: Any) -> Value:
        return OPERATORS["^"](self, y)

    __rxor__ = __xor__

    def __eq__(self, y: Any) -> Value:  # pyright: ignore[reportIncompatibleMethodOverride]
        return OPERATORS["=="](self, y)

    def __ne__(self, y: Any) -> Value:  # pyright: ignore[reportIncompatibleMethodOverride]
        return OPERATORS["!="](self, y)

    def __lt__(self, y: Any) -> Value:
        return OPERATORS["<"](self, y)

    def __le__(self, y: Any) -> Value:
        return OPERATORS["<="](self, y)

    def __gt__(self, y: Any) -> Value:
        return OPERATORS[">"](self, y)

    def __ge__(self, y: Any) -> Value:
        return OPERATORS[">="](self, y)

    def __getitem__(self, i: Any) -> Any:
        return OPERATORS["[]"](self, i)

    def __len__(self) -> int:
        if not isinstance(self.type, Vec):
            raise TypeMismatch(f"{a_traced(self)} has no length", here(), "only a Vec has one")
        return self.type.size

    # what has no answer before the compiled function runs

    def __bool__(self) -> bool:
        loc = here()
        what = f"{a_traced(self)} has no truth value: it is known only when the compiled function runs"
        raise TypeMismatch(what, loc, _ASKED.get(asked(loc), f"{_ASKED['if']}; {_ASKED['and']}"))

    def __index__(self) -> int:
        loc = here()
        hint = "a traced index reads a traced vector: make the list a rose.constant(Vec[n], list), or a parameter"
        if called(loc) == "range":
            hint = "loop with rose.range(n), where n is an integer of Python's: the size of a vector, say"
        raise TypeMismatch(f"{a_traced(self)} is no integer of Python's: {_LATER}", loc, hint)

    def __float__(self) -> float:
        loc = here()
        hint = "use the functions of rose, such as rose.sqrt, in the place of math's and NumPy's"
        raise TypeMismatch(f"{a_traced(self)} is no number of Python's: {_LATER}", loc, _instead(loc, hint))

    def __int__(self) -> int:
        loc = here()
        hint = "rose.floor and rose.trunc give whole numbers; loop with rose.range over a size that Python knows"
        raise TypeMismatch(f"{a_traced(self)} is no integer of Python's: {_LATER}", loc, _instead(loc, hint))

    __trunc__ = __int__
    __round__ = None
    __complex__ = None

    def __iter__(self) -> Iterator[Any]:
        loc = here()
        hint = "loop with `for i in rose.range(n)` and read v[i], or name its elements: v[0], v[1]"
        raise TypeMismatch(f"{a_traced(self)} cannot be iterated or unpacked", loc, _instead(loc, hint))

    def __contains__(self, x: Any) -> bool:
        self.__iter__()
        raise AssertionError

    def __array__(self, *_: Any, **__: Any) -> Any:
        loc = here()
        hint = "use the functions of rose in the place of NumPy's; a list [x, y] is a vector"
        raise TypeMismatch(f"{a_traced(self)} cannot become a NumPy array: {_LATER}", loc, _instead(loc, hint))

    def __setitem__(self, i: Any, x: Any) -> None:
        raise TypeMismatch(
            f"{a_traced(self)} cannot be assigned to: traced values never change",
            here(),
            "make a new vector with rose.vec(... for i in rose.range(n)), or sum into a rose.accum",
        )


_LATER = "it is known only when the compiled function runs"
_ASKED = {  # what to write where Python asks for the truth of a traced value
    "if": "choose between two values with rose.select(condition, x, y)",
    "and": "write & | ~ for and, or, not, with each comparison in parentheses",
    "or": "write & | ~ for and, or, not, with each comparison in parentheses",
    "not": "write & | ~ for and, or, not, with each comparison in parentheses",
    "chain": "write (a < x) & (x < b) for a < x < b",
    "in": "compare with each: (x == a) | (x == b)",
    "while": "loop with `for i in rose.range(n)`, and choose in each turn with rose.select(condition, x, y)",
    "filter": "each turn of the loop gives one item: choose it with rose.select(condition, x, 0.0)",
    "assert": "check the numbers where the function is called",
    "min": "rose.min takes traced values",
    "max": "rose.max takes traced values",
    "any": "write x | y for any([x, y])",
    "all": "write x & y for all([x, y])",
    "sorted": "rose.min and rose.max take traced values",
}


def _instead(loc: Loc, hint: str) -> str:
    """The function of ours to write for the one that is called there, if there is one; else `hint`."""
    name = called(loc)
    ours = name in ("sum", "prod", "dot") or (name in OPS and OPS[name].wasm and not OPS[name].doc.startswith("`"))
    return f"write rose.{name}(...) in its place" if ours else hint


def a_traced(v: Value) -> str:
    """How messages name a value: its type, and its name where it has one."""
    name = f" (the parameter {v.attr})" if v.op is PARAM and v.attr and v.block.parent is None else ""
    return f"a traced {v.type!r}{name}"


class Block:
    """Instructions in order, and the values handed back at the end."""

    __slots__ = ("code", "known", "params", "parent", "results")

    def __init__(self, parent: Block | None = None) -> None:
        self.params: list[Value] = []
        self.code: list[Value] = []
        self.results: tuple[Value, ...] = ()
        self.parent = parent
        self.known: dict[Any, Value] = {}  # what this block already holds, by operation and arguments

    def inside(self, other: Block) -> bool:
        """True if this block is `other`, or nested in it."""
        block: Block | None = self
        while block is not None and block is not other:
            block = block.parent
        return block is not None


class Func:
    """A function of the IR. An opaque one has an `impl` in the place of a body.

    A pure one does nothing but make its result, and add to the accumulators that it is given.
    """

    __slots__ = ("body", "impl", "jvp", "memo", "name", "pure", "result")

    def __init__(
        self, name: str, body: Block, result: Type, *, pure: bool, impl: Callable[..., Any] | None = None
    ) -> None:
        self.name, self.body, self.result, self.pure, self.impl = name, body, result, pure, impl
        self.jvp: Func | None = None  # the user's derivative, over (primal, tangent) pairs
        self.memo: dict[Any, Any] = {}  # what passes derived from this function: made once

    @property
    def params(self) -> list[Value]:
        return self.body.params

    def __repr__(self) -> str:
        return f"<Func {self.name}>"


class Builder:
    """Appends instructions to a block, and makes one function.

    `outer` is the builder of the function around this one, whose values may be captured: each becomes
    one more parameter, in `captured`, and every caller passes it on.
    """

    def __init__(self, name: str, outer: Builder | None = None) -> None:
        self.name, self.outer = name, outer
        self.root = self.block = Block()
        self.loc: Loc | None = None  # set by passes, so that derived code keeps its primal's location
        self.captured: dict[Value, Value] = {}
        self.pure = True
        self.failure: RoseError | None = None  # a loop that was left too early: raised when it can be

    def emit(self, op: Op, args: tuple[Value, ...] = (), attr: Any = None, type: Type | None = None) -> Value:
        """The value of `op` on `args`: a known one where there is one, else a new instruction."""
        block = self.block
        for v in args:
            if v.block is not block and not block.inside(v.block):
                args = tuple([self.reach(v) for v in args])
                break
        if op.simplify is not None and (simpler := op.simplify(*args)) is not None:
            return simpler if simpler.__class__ is Value else self.lift(simpler)
        key: Any = None
        if op.pure:
            key = (op, args) if attr is None and type is None else (op, args, attr, type)
            scope: Block | None = block
            while scope is not None:
                if (seen := scope.known.get(key)) is not None:
                    return seen
                scope = scope.parent
        if type is None and (type := op.type(*args)) is None:
            raise self.mismatch(op, args)
        if args and args[0].op is CONST and op.eval is not None and all([v.op is CONST for v in args]):
            return self.const(op.eval(*[v.attr for v in args]), type)
        value = Value(op, type, args, attr, self.loc or here(), block)
        block.code.append(value)
        if key is not None:
            block.known[key] = value
        return value

    def mismatch(self, op: Op, args: tuple[Value, ...]) -> RoseError:
        types = ", ".join([repr(v.type) for v in args])
        if any(v.type is Tan for v in args):
            hint = "a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear"
        elif any(isinstance(v.type, (Vec, Tuple)) for v in args):
            hint = "operations work on numbers: rose.vec(... for i in rose.range(n)) does one for each element"
        elif op.name in ("and", "or", "xor", "not"):
            hint = "conditions are compared numbers, in parentheses: (a < x) & (x < b)"
        elif any(v.type is Bool for v in args):
            hint = "rose.select(condition, 1.0, 0.0) makes a number of a condition"
        else:
            hint = f"{op.name}: {op.doc}"
        return TypeMismatch(f"{op.name} does not accept ({types})", self.loc or here(), hint)

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
        root, b = v.block, self
        while root.parent is not None:
            root = root.parent
        while b.root is not root and b.outer is not None:
            b = b.outer
        where, hint = "function", "return it from there, and pass it in as a parameter"
        if b.root is root:
            where, hint = "loop", "carry it out of the loop with rose.vec, rose.sum or rose.accum"
        file, line, *_ = v.loc.position()
        made = f"line {line}" if file == loc.code.co_filename else str(v.loc)
        return EscapedValue(f"{a_traced(v)} is used outside the {where} that it was made in, at {made}", loc, hint)

    # literals

    def lift(self, x: Any) -> Value:
        """A number or a truth value of Python, or of NumPy, as a literal."""
        if x.__class__ is Value:
            return x
        if x.__class__ is float:
            return self.const(x, Real)
        if x.__class__ is bool:
            return self.const(x, Bool)
        return self.const(as_number(x, self.loc or here()), Real)

    def const(self, x: Any, type: Type) -> Value:
        """The literal `x`. Literals stand in the outermost block, once each."""
        # as a key a float is its bits: 0.0 == -0.0, 1 == True, and nan is not even equal to itself
        key = (type, _bits(x) if type is Real else x if type.__class__ is not Vec else repr(x))
        known = self.root.known.get(key)
        if known is None:
            known = self.root.known[key] = Value(CONST, type, (), x, self.loc or here(), self.root)
            self.root.code.append(known)
        return known

    def zero(self, type: Type) -> Value:
        """The zero of any type: what a sum starts from."""
        if type is Real:
            return self.const(0.0, Real)
        known = self.root.known.get((ZERO, type))
        if known is None:
            known = self.root.known[(ZERO, type)] = Value(ZERO, type, (), None, self.loc or here(), self.root)
            self.root.code.append(known)
        return known

    def unit(self) -> Value:
        return self.zero(Unit)

    # aggregates

    def tuple(self, items: Sequence[Value], type: Tuple | None = None) -> Value:
        return self.emit(TUPLE, tuple(items), type=type or Tuple(tuple([x.type for x in items]), None))

    def get(self, tup: Value, k: int) -> Value:
        """Item `k` of a tuple."""
        if tup.op is TUPLE:
            return tup.args[k]
        assert isinstance(tup.type, Tuple), tup
        if tup.op is ZERO:
            return self.zero(tup.type.items[k])
        return self.emit(GET, (tup,), k, tup.type.items[k])

    def pack(self, items: Sequence[Value], type: Vec) -> Value:
        """The vector of these elements."""
        return self.emit(PACK, tuple(items), type=type)

    def index(self, vec: Value, i: Value | int) -> Value:
        """Element `i` of a vector; a literal index is known to be inside it."""
        t = vec.type
        assert isinstance(t, Vec), vec
        if isinstance(i, int):
            i = self.const(i, Fin(t.size))
        if vec.op is ZERO:
            return self.zero(t.elem)
        if i.op is CONST:
            if vec.op is PACK:
                return vec.args[i.attr]
            if vec.op is CONST and not isinstance(t.elem, (Vec, Tuple)):
                return self.const(vec.attr[i.attr], t.elem)
        return self.emit(INDEX, (vec, i))

    # accumulators

    def accum(self, init: Value) -> Value:
        return self.emit(ACCUM, (init,))

    def add_to(self, ref: Value, x: Value) -> None:
        if x.op is not ZERO and not x.type.empty:
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
        assert [a.type for a in args] == [p.type for p in f.params], (f, args)
        adds = any([isinstance(a.type, Ref) for a in args])
        if not f.pure:
            self.pure = False
        return self.emit(PURE_CALL if f.pure and not adds else CALL, tuple(args), f, f.result)

    def loop(
        self, n: int, body: Callable[..., tuple[Sequence[Value], Sequence[Value]]], states: Sequence[Value] = ()
    ) -> tuple[list[Value], list[Value]]:
        """Run `body(i, *states)` for each index below `n`, in order.

        It hands back the states of the next turn, and values of which a vector is made.
        The last states come out, and the vectors.
        """
        with self.nested() as block:
            params = [self.param(Fin(n)), *[self.param(s.type) for s in states]]
            after, outs = body(*params)
            assert len(after) == len(states)
            block.results = (*after, *outs)
        return self.close(block, states)

    def close(self, block: Block, states: Sequence[Value]) -> tuple[list[Value], list[Value]]:
        """Append the loop over a finished block; give its last states, and its vectors."""
        n, k = block.params[0].type, len(states)
        assert isinstance(n, Fin)
        kinds = [r.type if j < k else Vec(n.size, r.type) for j, r in enumerate(block.results)]
        loop = self.emit(FOR, tuple(states), block, Tuple(tuple(kinds), None))
        out = [self.get(loop, j) for j in range(len(kinds))]
        return out[:k], out[k:]

    def vec(self, n: int, item: Callable[[Value], Value]) -> Value:
        """The vector of `item(i)` for each index below `n`: one loop."""
        with self.nested() as block:
            block.results = (item(self.param(Fin(n))),)
        return self.close(block, ())[1][0]

    @contextmanager
    def nested(self) -> Generator[Block]:
        outer = self.block
        self.block = Block(outer)
        try:
            yield self.block
        finally:
            self.block = outer

    # functions

    def param(self, type: Type, name: str | None = None) -> Value:
        value = Value(PARAM, type, (), name, self.loc or here(), self.block)
        self.block.params.append(value)
        return value

    def func(self, result: Value) -> Func:
        """The finished function."""
        self.root.results = (self.reach(result),)
        return Func(self.name, self.root, result.type, pure=self.pure)


def _bits(x: float) -> bytes:
    return struct.pack("<d", x)


def as_number(x: Any, loc: Loc) -> float:
    """`x` as a float, if it is a real number in any of the ways that Python and NumPy have to say so."""
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        try:
            return float(x)
        except OverflowError:
            raise TypeMismatch(f"{shown(x)} is too large for a Real", loc, "the largest is 1.8e308") from None
    # NumPy's scalars and arrays of no dimensions, without importing NumPy
    if getattr(x, "shape", None) == () and getattr(getattr(x, "dtype", None), "kind", "") in "iuf":
        return float(x)
    raise TypeMismatch(f"expected a number or a traced value, got {shown(x)}", loc, as_a_number(x))


def as_a_number(x: Any) -> str:
    """What to write for `x`, which is no number: a hint."""
    if isinstance(x, bool):
        return "write 1.0 or 0.0 for it"
    if isinstance(x, (list, tuple)) or getattr(x, "shape", ()) != ():
        return "operations work on numbers: rose.vec(... for i in rose.range(n)) does one for each element"
    if instead := getattr(type(x), "instead", None):
        return str(instead)
    return "a Real is written as an int or a float" + ("; float(...) makes one of it" * hasattr(x, "__float__"))


def shown(x: Any) -> str:
    """A host value in a message: what it is, and its kind, on a part of a line."""
    kind = type(x).__name__
    if x is None or isinstance(x, type):
        return "None" if x is None else f"the class {x.__name__}"
    if callable(x) and hasattr(x, "__name__") and not hasattr(x, "__origin__"):
        return f"the function {x.__name__}"
    try:
        text = " ".join(repr(x).split())
    except Exception:  # Python writes no very long integers; and a class of the user's may do anything
        text = "<traced >"
    if "<traced " in text or " at 0x" in text:
        article = "an" if kind[0] in "AEIOUaeiou" else "a"
        return f"{article} {kind}" + (f" of {len(x)}" if type(x) in (list, tuple) else "")
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({kind})"


class _Tracing(threading.local):
    builder: Builder | None = None


_tracing = _Tracing()


def builder() -> Builder:
    """The builder of the function that is being traced, in this thread."""
    b = _tracing.builder
    if b is None:
        raise EscapedValue(
            "traced values have a meaning only while their function is being traced",
            here(),
            "do this inside an @fn function; outside, call the @fn function with numbers",
        )
    return b


def is_tracing() -> bool:
    return _tracing.builder is not None


@contextmanager
def building(name: str, *, inside: bool = False) -> Generator[Builder]:
    """A builder for one function; `inside` lets it capture values of the function being traced now."""
    outer = _tracing.builder
    _tracing.builder = b = Builder(name, outer if inside else None)
    try:
        yield b
    finally:
        _tracing.builder = outer


@contextmanager
def deep() -> Generator[None]:
    """Let calls be nested as deep as a program has them: passes recurse into what a function calls.

    Python's own frames do not use the stack of C, so the limit is only a guard against mistakes.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 1_000_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


# the structural operations: each pass handles these itself


def _structural(name: str, doc: str, type: Callable[..., Type | None], pure: bool = True) -> Op:
    op = OPS[name] = Op(name, doc, type=type, pure=pure)
    return op


def _index_type(vec: Value, i: Value) -> Type | None:
    t, n = vec.type, i.type
    return t.elem if isinstance(t, Vec) and isinstance(n, Fin) and n.size <= t.size else None


def _at_type(ref: Value, i: Value) -> Type | None:
    t, n = ref.type, i.type
    inside = t.inner if isinstance(t, Ref) else None
    ok = isinstance(inside, Vec) and isinstance(n, Fin) and n.size <= inside.size
    return Ref(inside.elem) if ok and isinstance(inside, Vec) else None


def _add_to_type(ref: Value, x: Value) -> Type | None:
    return Unit if isinstance(ref.type, Ref) and ref.type.inner is x.type else None


PARAM = _structural("param", "A parameter of a block.", lambda: None)
CONST = _structural("const", "A literal.", lambda: None)
ZERO = _structural("zero", "The zero of a type, of any shape.", lambda: None)
TUPLE = _structural("tuple", "Several values as one.", lambda *_: None)
GET = _structural("get", "One item of a tuple.", lambda _: None)
INDEX = _structural("index", "One element of a vector.", _index_type)
PACK = _structural("pack", "A vector from its elements.", lambda *_: None)
FOR = _structural("for", "Last states and vectors, from a block run once for each index.", lambda *_: None, False)
CALL = _structural("call", "A call that may have an effect.", lambda *_: None, False)
PURE_CALL = _structural("pure_call", "A call that only makes its result.", lambda *_: None)
ACCUM = _structural("accum", "Open an accumulator, at a value.", lambda x: Ref(x.type), False)
ADD_TO = _structural("add_to", "Add a value into an accumulator.", _add_to_type, False)
AT = _structural("at", "The accumulator of one element or item of another.", _at_type)
FREEZE = _structural("freeze", "Close an accumulator and read it.", lambda r: r.type.inner, False)


def is_call(v: Value) -> bool:
    return v.op is PURE_CALL or v.op is CALL


def literal_index(i: int, n: int, loc: Loc) -> int:
    """`i` as an index of a vector of `n` elements; from the end if it is negative."""
    if not -n <= i < n:
        raise OutOfRange(f"index {i} is out of range for a vector of {n}", loc, f"its elements are 0 to {n - 1}"
                         if n else "it has no elements")  # fmt: skip
    return i + n if i < 0 else i


def is_literal(v: Value, x: float) -> bool:
    """True if `v` is the literal `x`, with its sign."""
    return v.op is CONST and v.type is Real and v.attr == x and math.copysign(1.0, v.attr) == math.copysign(1.0, x)
