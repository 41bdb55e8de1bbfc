"""A traced value: an instruction and its one result, at once, and what a user's code holds while it is traced.

The meanings of Python's operators on it are the front end's, by `hooks`. What Python asks that
has no answer before the compiled function runs, it answers with an error that says what to write instead.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from ..errors import (
    EscapedValue,
    Loc,
    NoField,
    NotLinear,
    RoseError,
    TypeMismatch,
    asked,
    called,
    edge,
    here,
    hide_our_frames,
    holds_objects,
    is_stored,
    users_frame,
)
from ..errors.advice import of_library, of_math, of_numpy
from .forms import DUAL, dress, watch
from .hooks import above
from .tracing import has_ended, tracing
from .types import Bool, Fin, Tan, Tuple, Type, Unit, Vec, is_complex, struct_in

if TYPE_CHECKING:
    from .builder import Op
    from .func import Block
    from .sizes import Size

OPS: dict[str, Op] = {}  # the rows, by name: filled by `ops.py`, and by `builder.py` with the structural ones
SPECIALS: dict[str, Op] = {}  # those of special functions: filled by `special_ops.py`, which is read when one is needed
OPERATORS: dict[str, Callable[..., Any]] = {}  # Python's operators, by symbol: see `take_meanings`
_taking = threading.RLock()
_FOR_NUMPY: set[str] = set()  # the methods that NumPy calls of each object of an array
# Two keys whose hashes are equal are compared with ==, which of values is an instruction. Of hashes of 64 bits two are
# never equal by chance; of the 32 bits that Python has in WebAssembly they were, in a function of 20,000 instructions.
WIDE = sys.hash_info.width > 32


def take_meanings() -> None:
    """Give values the meanings of what a user writes of them: those of the front end, once, before there are any.

    What stands after a dot becomes an attribute of the class, so that `dir` and `hasattr` are right, and there is no
    `__getattr__`: with one, CPython 3.11 specialises no attribute of a class, and the whole compiler, which reads those
    of values, takes 1.1 times as long. What a value does not have is Python's AttributeError, of which `naming_absent`
    makes a NoField.
    """
    with _taking:
        if OPERATORS:
            return
        of = above().meanings
        dress(DUAL, of.dual)
        for name, meaning in (of.for_numpy | of.attributes).items():
            setattr(Value, name, meaning)
        _FOR_NUMPY.update(of.for_numpy)
        watch(lambda fields: _add_columns(fields, of.column))
        OPERATORS.update(of.operators)  # last: another thread may ask


@edge
def unchanging(v: Value, x: Any) -> None:
    """What an assignment to an attribute of a value does: the setter of its properties."""
    hint = "make a new value, as x.reshape(n, m) and x.real + 1j * y do"
    raise TypeMismatch(f"{a_traced(v)} keeps its attributes: traced values never change", here(), hint)


class Column:
    """What values have after a dot by the name of a field: arrays of structs with that field its column.

    All other values have what they had by that name, if anything.
    """

    def __init__(self, name: str, read: Callable[[Value, str], Any]) -> None:
        self.name, self.read, self.other = name, read, vars(Value).get(name)
        self.comes_first = self.other is None or name in _FOR_NUMPY

    def __get__(self, v: Value | None, cls: Any = None) -> Any:
        if v is None:
            return self
        t = struct_in(v.type)
        if t is None or t.form is None or self.name not in t.form.fields:
            if self.other is None:
                raise AttributeError(f"{a_traced(v)} has no {self.name}", name=self.name, obj=v)
            return self.other.__get__(v, cls)
        try:
            if self.comes_first:
                return self.read(v, self.name)
            what = f"{self.name} is a field of the elements of {a_traced(v)}, and an attribute of every array"
            hint = f"write rose.vec(v[i].{self.name} for i in rose.range(n)) for the field, or give it another name"
            raise NoField(what, here(), hint)
        except Exception as e:
            hide_our_frames(e)
            raise

    def __set__(self, v: Value, x: Any) -> None:
        unchanging(v, x)


def _add_columns(fields: Sequence[str], read: Callable[[Value, str], Any]) -> None:
    """Give values the columns of arrays of structs with these fields, which `read` makes, after their dot."""
    for k in fields:
        if k.__class__ is str and k not in _INTERNAL and k != "at" and not isinstance(vars(Value).get(k), Column):
            setattr(Value, k, Column(k, read))


class Known(tuple[Any]):
    """The number of a value that is known at once, in the place of arguments."""

    __slots__ = ()


def is_known(v: Value) -> bool:
    """True for a value that is evaluated at once: it has a `number`."""
    return v.args.__class__ is Known


def is_function(x: Any) -> bool:
    """True for what can be called; a traced value, which only refuses it, is none."""
    return callable(x) and not isinstance(x, Value)


def _left(symbol: str) -> Callable[[Value, Any], Value]:
    """The method of an operator whose left side is the value."""

    def method(self: Value, y: Any) -> Value:
        try:
            return OPERATORS[symbol](self, y)
        except Exception as e:
            hide_our_frames(e)
            raise

    return method


def _right(symbol: str) -> Callable[[Value, Any], Value]:
    """The method of an operator whose right side is the value."""

    def method(self: Value, x: Any) -> Value:
        try:
            return OPERATORS[symbol](x, self)
        except Exception as e:
            hide_our_frames(e)
            raise

    return method


def _alone(symbol: str) -> Callable[[Value], Value]:
    """The method of an operator of one operand."""

    def method(self: Value) -> Value:
        try:
            return OPERATORS[symbol](self, None)
        except Exception as e:
            hide_our_frames(e)
            raise

    return method


class Value:
    """An instruction, and the value it makes."""

    if TYPE_CHECKING:  # of what the front end installs, what ours read

        @property
        def shape(self) -> tuple[int | Size, ...]: ...

        @property
        def at(self) -> Any: ...

        @property
        def real(self) -> Any: ...

        @property
        def imag(self) -> Any: ...

        def conj(self) -> Any: ...

    __pandas_priority__ = 5000  # above those of its own classes, so that `series * x` is ours
    __slots__ = ("args", "attr", "block", "loc", "op", "type")
    __hash__ = object.__hash__

    def __init__(self, op: Op, type: Type, args: tuple[Value, ...], attr: Any, loc: Loc, block: Block) -> None:
        self.op, self.type, self.args, self.attr, self.loc, self.block = op, type, args, attr, loc, block

    @property
    def number(self) -> Any:
        """The host value, where that is known at once: see `eager.py`. Elsewhere there is no such attribute."""
        if is_known(self):
            return self.args[0]
        raise AttributeError("number")

    def __repr__(self) -> str:
        name = f" {self.attr}" if self.op.name == "param" and self.attr else ""
        if is_known(self):
            return f"<{self.type!r} {self.number!r}{f', the parameter{name}' * bool(name)}>"
        ended = f"; the trace of {traced_in(self)} has ended" if has_ended(self) else ""
        return f"<traced {self.type!r}{name}, from {self.loc}{ended}>"

    # a value does not change, and means something only in its trace

    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, _: Any) -> Value:
        return self

    @edge
    def __reduce_ex__(self, _: Any) -> Any:
        hint = "pickle numbers: the arguments and results of the compiled function"
        raise later(self, here(), "cannot be pickled", hint)

    # what a user writes: the meaning of each operator is in `frontend/operators.py`

    __add__, __radd__ = _left("+"), _right("+")
    __sub__, __rsub__ = _left("-"), _right("-")
    __mul__, __rmul__ = _left("*"), _right("*")
    __truediv__, __rtruediv__ = _left("/"), _right("/")
    __floordiv__, __rfloordiv__ = _left("//"), _right("//")
    __mod__, __rmod__ = _left("%"), _right("%")
    __matmul__, __rmatmul__ = _left("@"), _right("@")
    __rpow__ = _right("**")
    __and__ = __rand__ = _left("&")
    __or__ = __ror__ = _left("|")
    __xor__ = __rxor__ = _left("^")
    __lt__, __le__, __gt__, __ge__ = _left("<"), _left("<="), _left(">"), _left(">=")
    __eq__, __ne__ = _left("=="), _left("!=")  # pyright: ignore
    __neg__, __abs__, __invert__ = _alone("neg"), _alone("abs"), _alone("~")

    def __pos__(self) -> Value:
        return self

    @edge
    def __pow__(self, n: Any, modulus: Any = None) -> Value:
        if modulus is not None:
            what = f"pow of {a_traced(self)} takes no third argument"
            raise TypeMismatch(what, here(), "write x ** n % m, whose steps round as those of other numbers")
        return OPERATORS["**"](self, n)

    @edge
    def __call__(self, *_: Any, **__: Any) -> Any:
        hint = "write v[i] for an element" if isinstance(self.type, Vec) else "write x * (y + z) with its *"
        raise TypeMismatch(f"{a_traced(self)} is not a function", here(), hint)

    @edge
    def __divmod__(self, y: Any) -> Any:
        return OPERATORS["divmod"](self, y)

    @edge
    def __rdivmod__(self, x: Any) -> tuple[Value, Value]:
        return x // self, x % self

    def __getitem__(self, i: Any) -> Any:
        try:
            return OPERATORS["[]"](self, i)
        except Exception as e:
            hide_our_frames(e)
            raise

    @edge
    def __len__(self) -> int:
        if not isinstance(self.type, Vec):
            raise TypeMismatch(f"{a_traced(self)} has no length", here(), "only a Vec has one")
        return index(self.type.size)

    # what has no answer before the compiled function runs

    @edge
    def __bool__(self) -> bool:
        if self.type is Bool and is_known(self):
            return self.number
        loc = here()
        hint = _MADE if holds_objects() else f"{_ASKED['if']}; write & | ~ for and, or, not"
        hint = _ASKED.get(asked(loc), hint)
        if holds_objects() and (name := called(loc)) not in ("", "bool"):  # NumPy asks, of each object
            hint = of_numpy(name, _MADE)
        raise later(self, loc, "has no truth value", hint)

    @edge
    def __index__(self) -> int:
        if isinstance(self.type, Fin) and is_known(self):
            return self.number
        loc = here()
        hint = "a traced index reads a traced vector: make the list a rose.constant(Vec[n], list), or a parameter"
        hint = "write rose.array([x, y]) for a list of traced values" if holds_objects() else hint
        if called(loc) == "range":
            hint = "loop with rose.range(n), where n is a Python integer: the size of a vector, say"
        raise later(self, loc, "is not a Python integer", of_math(called(loc), hint))

    @edge
    def __float__(self) -> float:
        if is_known(self) and self.type.scalar:
            return float(self.number)
        loc = here()
        if is_stored(loc):
            raise _not_kept(self, loc)
        hint = of_numpy(called(loc), "use the functions of rose, such as rose.sqrt, in the place of math's and NumPy's")
        raise later(self, loc, "is not a Python number", hint)

    @edge
    def __int__(self, *_: Any) -> int:
        if is_known(self) and self.type.scalar:
            return int(self.number)
        loc = here()
        hint = "write rose.index(x, n) for an index below n, rose.trunc(x) for a whole number; loop with rose.range"
        raise later(self, loc, "is not a Python integer", of_math(called(loc), hint))

    @edge
    def __round__(self, n: int | None = None) -> Any:
        return OPERATORS["round"](self, n or 0)

    @edge
    def __floor__(self) -> Any:
        return OPERATORS["floor"](self, None)

    @edge
    def __ceil__(self) -> Any:
        return OPERATORS["ceil"](self, None)

    @edge
    def __trunc__(self) -> Any:
        return OPERATORS["trunc"](self, None)

    __complex__ = __float__

    @edge
    def __format__(self, spec: str) -> str:
        if is_known(self):
            return format(self.number, spec) if spec else repr(self)
        shown = f"{{:{spec}}}" if spec else "{}"
        hint = f'write rose.print("{shown}", x), which prints it when the function runs; repr(x) is for debuggers'
        raise later(self, here(), "has no digits", hint)

    def __rose_absent__(self, name: str, loc: Loc) -> NoField:
        """The error of an attribute that a value does not have."""
        return NoField(f"{a_traced(self)} has no {name}", loc, instead_of_part(self, name))

    def __dir__(self) -> list[str]:
        columns = () if (t := struct_in(self.type)) is None or t.form is None else t.form.fields
        others = {k for k, x in vars(Value).items() if isinstance(x, Column) and x.comes_first}
        return [k for k in object.__dir__(self) if k in columns or k not in _INTERNAL | others | _FOR_NUMPY]

    @edge
    def __iter__(self) -> Iterator[Any]:
        return OPERATORS["iter"](self)

    @edge
    def __contains__(self, x: Any) -> bool:
        hint = "loop with `for i in rose.range(n)` and compare each v[i]"
        raise later(self, here(), "is not searched by `in`", _ASKED.get("in", hint))

    @edge
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """NumPy's array of objects that holds the value, or its elements. See `frontend/arrays/objects.py`."""
        loc = here()
        if has_ended(self):
            raise escaped(self, loc)
        if dtype is None or getattr(dtype, "kind", "") == "O" or dtype is object:
            return OPERATORS["objects"](self)
        if is_stored(loc):
            raise _not_kept(self, loc)
        hint = of_library(name) if (name := called(loc)) else _MADE
        raise later(self, loc, f"cannot become an array of NumPy's of {dtype}", hint)

    @edge
    def __array_ufunc__(self, f: Any, method: str, *inputs: Any, **named: Any) -> Any:
        """NumPy's functions of elements are ours: `np.exp(x)`, and `array * x`. See `frontend/arrays/ufuncs.py`."""
        name = f.__name__ if method == "__call__" else f"{f.__name__}.{method}"
        return OPERATORS["ufunc"](name, inputs, named)

    @edge
    def __array_function__(self, f: Any, _: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """NumPy's other functions are ours: `np.sum(x, axis=0)`. See `frontend/vocabulary.py`."""
        return OPERATORS["function"](f, args, named)

    @edge
    def __setitem__(self, i: Any, x: Any) -> None:
        raise TypeMismatch(
            f"{a_traced(self)} cannot be assigned to: traced values never change",
            here(),
            "write x = x.at[i].set(v), which makes a new array, or .at[i].add(v); sum into a rose.accum",
        )

    @edge
    def __delitem__(self, i: Any) -> None:
        hint = "v[1:] and v[:n] are vectors of fewer elements"
        raise TypeMismatch(f"{a_traced(self)} keeps its elements: traced values never change", here(), hint)


_INTERNAL = {*Value.__slots__, "number", "__rose_absent__", "__pandas_priority__"}  # what is ours of a value


def _not_kept(v: Value, loc: Loc) -> RoseError:
    """The error of an array of NumPy's to one of whose elements a traced value is assigned."""
    if has_ended(v):
        return escaped(v, loc)
    hint = "fill a list and call np.array(list), or begin with x = rose.zeros(n) and write x = x.at[i].set(v)"
    return TypeMismatch(f"an array of numbers of NumPy's cannot hold {a_traced(v)}: {_LATER}", loc, hint)


_MADE = "write rose.array([x, y]) for the array of traced values"
_LATER = "it is known only when the compiled function runs"
_ASKED = {  # what to write where Python asks for the truth of a traced value
    "if": "write @fn(syntax=True), which takes `if`; or rose.select(c, x, y), or rose.cond",
    "and": "write @fn(syntax=True), which takes `and`; or & | ~ for and, or, not, with each comparison in parentheses",
    "or": "write @fn(syntax=True), which takes `or`; or & | ~ for and, or, not, with each comparison in parentheses",
    "not": "write @fn(syntax=True), which takes `not`; or & | ~ for and, or, not, with each comparison in parentheses",
    "chain": "write (a < x) & (x < b) for a < x < b",
    "in": "compare with each: (x == a) | (x == b)",
    "while": "write @fn(syntax=True), which takes `while`; or rose.while_loop(test, body, x)",
    "filter": "each iteration of the loop gives one item: choose it with rose.select(condition, x, 0.0)",
    "assert": "check the numbers where the function is called",
    "min": "rose.min takes traced values",
    "max": "rose.max takes traced values",
    "any": "write x | y for any([x, y])",
    "all": "write x & y for all([x, y])",
    "sorted": "write rose.sort(x), which takes traced values",
}


def instead_of_part(v: Value, name: str) -> str:
    """The hint for a part that a value does not have: what to write."""
    t = struct_in(v.type)
    if t is not None and t.form is not None and hasattr(t.form.cls, name):
        return f"write rose.vec(v[i].{name}(...) for i in rose.range(n)), for each element"
    if t is not None and t.form is not None:
        return f"its columns are {', '.join(t.form.fields)}"
    return _PARTS.get(name) or of_library(name)


_PARTS = {
    "numpy": "leave it out: a traced value stands for the array itself",
    "re": "only a Dual has parts: rose.jvp and a derivative rule are given them",
    "du": "only a Dual has parts: rose.jvp and a derivative rule are given them",
    "append": "traced values never change: rose.vec(... for i in rose.range(n)) makes a new vector",
    "value": "only a rose.accum has one: leave .value out",
}


def a_traced(v: Value) -> str:
    """The name of a value in messages: its type, and its name where it has one."""
    name = f" (the parameter {v.attr})" if v.op.name == "param" and v.attr and v.block.parent is None else ""
    return f"a traced {v.type!r}{name}"


# values that were kept after their trace


def traced_in(v: Value) -> str:
    """The name of the function that made a value."""
    return getattr(v.loc.code, "co_name", "its function")


def made_at(v: Value, loc: Loc) -> str:
    """Where a value was made, to a reader of `loc`."""
    file, line, *_ = v.loc.position()
    return f"line {line}" if file == loc.code.co_filename else str(v.loc)


def escaped(v: Value, loc: Loc) -> EscapedValue:
    """The error of a value that is used after its trace."""
    f = traced_in(v)
    what = f"{a_traced(v)} of {f}, made at {made_at(v, loc)}, is used outside of the trace of {f}: it has no number"
    then = f"use what a call of {f} gives" if tracing.builder is None else "pass it in as a parameter"
    return EscapedValue(what, loc, f"return it from {f}, and {then}")


def later(v: Value, loc: Loc, what: str, hint: str) -> RoseError:
    """The error of what has no answer before the compiled function runs; `what` has no subject, which is the value."""
    return escaped(v, loc) if has_ended(v) else TypeMismatch(f"{a_traced(v)} {what}: {_LATER}", loc, hint)


def outside() -> EscapedValue:
    """The error of what is done outside of any trace: of a value that was kept, if there is one in the call."""
    frame, users, loc = sys._getframe(1), users_frame(), here()  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame is not users:
        for x in frame.f_locals.values():
            for v in x if x.__class__ in (list, tuple) else (x,):
                if v.__class__ is Value and v.type is not Unit and not is_known(v):
                    return escaped(v, loc)
        frame = frame.f_back
    what = "traced values have a meaning only while their function is being traced"
    return EscapedValue(what, loc, "do this inside an @fn function; outside, call the @fn function with numbers")


# what functions and operations refuse


def not_one_each(
    name: str, names: Sequence[str], count: int, named: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> TypeMismatch:
    """The error of arguments, `count` of them by place, that are not one for each of `names` without a default."""
    takes = f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})" if names else "no arguments"
    if extra := [k for k in named if k not in names[count:]]:
        said = "is given twice" if extra[0] in names else "is unknown"
        hint = "give it by its place, or by its name" if extra[0] in names else f"write one of {', '.join(names)}"
        return TypeMismatch(f"{name} takes {takes}: {extra[0]} {said}", here(), hint if names else "leave it out")
    missing = [k for k in names[count:] if k not in named and k not in (defaults or {})]
    hint = f"{missing[0]} is missing" if missing else f"leave out {count + len(named) - len(names)}"
    return TypeMismatch(f"{name} takes {takes}, got {count + len(named)}", here(), hint)


def bind_arguments(
    name: str, names: Sequence[str], args: Sequence[Any], named: Mapping[str, Any], defaults: Mapping[str, Any]
) -> list[Any]:
    """The arguments in the order of `names`; a TypeMismatch if there is not one for each that has no default."""
    rest = names[len(args) :]
    there = {**{k: x for k, x in defaults.items() if k in rest}, **named} if defaults else named
    if len(args) + len(there) != len(names) or not there.keys() >= {*rest}:
        raise not_one_each(name, names, len(args), named, defaults)
    return [*args, *[there[k] for k in rest]]


def not_called_so(op: Op, count: int, named: dict[str, Any]) -> TypeMismatch:
    """An operation that is not given one argument for each that it takes."""
    n = op.type.__code__.co_argcount
    what = f"rose.{op.name} takes {n} {'argument' if n == 1 else 'arguments'}"
    what += f" by place, and none by the name {next(iter(named))}" if named else f", not {count}"
    return TypeMismatch(what, here(), f"{op.name}: {op.doc.rstrip('.')}")


def mismatch(op: Op, args: Sequence[Value], loc: Loc) -> RoseError:
    """An operation that is given arguments of types that it does not take."""
    what = f"{op.name} does not accept ({', '.join([repr(v.type) for v in args])})"
    if any(v.type is Tan for v in args):
        hint = "a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear"
        return NotLinear(what, loc, hint)
    if any(isinstance(v.type, (Vec, Tuple)) for v in args):
        hint = "operations work on numbers: rose.vec(... for i in rose.range(n)) does one for each element"
    elif op.name in ("and", "or", "xor", "not"):
        hint = "& | ^ ~ join comparisons, each in parentheses: (a < x) & (x < b)"
    elif any(v.type is Bool for v in args):
        hint = "rose.select(condition, 1.0, 0.0) makes a number of a condition"
    else:
        hint = f"{op.name}: {op.doc.rstrip('.')}"
    return TypeMismatch(what, loc, hint)


def otherwise(op: Op, args: Sequence[Value], loc: Loc) -> Value:
    """The value of an operation on arguments that its type refuses: of complex numbers it is an expression of parts."""
    if any([is_complex(v.type) for v in args]):
        return above().complex.meaning(op, args, loc)
    raise mismatch(op, args, loc)


# numbers of the host


def host_index(x: Any) -> int | None:
    """`x` as a Python integer, if it is one."""
    if x.__class__ is int:
        return x
    if isinstance(x, bool) or x.__class__ is Value or not hasattr(x.__class__, "__index__"):
        return None
    kind = getattr(getattr(x, "dtype", None), "kind", "i")  # an array of no dimensions is one, if it holds an integer
    return None if getattr(x, "shape", ()) != () or kind not in "iu" else int(x)
