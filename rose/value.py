"""A traced value: an instruction and its one result, at once, and what a user's code holds while it is traced.

Python's operators on it are rows of the table, which `ops.py` puts into OPERATORS. What Python asks that
has no answer before the compiled function runs, it answers with an error that says what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .errors import Loc, TypeMismatch, asked, called, here
from .types import Bool, Fin, Type, Vec

if TYPE_CHECKING:
    from .ir import Block, Op

OPS: dict[str, Op] = {}  # the rows, by name: filled by `ops.py`, and by `ir.py` with the structural ones
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {}  # Python's operators, by symbol


class Known(tuple[Any]):
    """The number of a value that is known at once, in the place of arguments."""

    __slots__ = ()


class Value:
    """An instruction, and the value it makes."""

    __slots__ = ("args", "attr", "block", "loc", "op", "type")
    __array_ufunc__ = None  # so that `np.float64(2) * x` asks `x`
    __hash__ = object.__hash__

    def __init__(self, op: Op, type: Type, args: tuple[Value, ...], attr: Any, loc: Loc, block: Block) -> None:
        self.op, self.type, self.args, self.attr, self.loc, self.block = op, type, args, attr, loc, block

    @property
    def number(self) -> Any:
        """What it is, where that is known at once: see `eager.py`. Elsewhere there is no such attribute."""
        if self.args.__class__ is Known:
            return self.args[0]
        raise AttributeError("number")

    def __repr__(self) -> str:
        name = f" {self.attr}" if self.op.name == "param" and self.attr else ""
        if hasattr(self, "number"):
            return f"<{self.type!r} {self.number!r}{f', the parameter{name}' * bool(name)}>"
        return f"<traced {self.type!r}{name}, from {self.loc}>"

    def __format__(self, spec: str) -> str:
        if not spec or hasattr(self, "number"):
            return format(self.number, spec) if spec else repr(self)
        hint = f'rose.print("{{:{spec}}}", x) prints it when the function runs; with rose.eager(): it is known'
        raise TypeMismatch(f"{a_traced(self)} cannot be written as {spec}: {_LATER}", here(), hint)

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

    def __matmul__(self, y: Any) -> Any:
        return OPERATORS["@"](self, y)

    def __rmatmul__(self, x: Any) -> Any:
        return OPERATORS["@"](x, self)

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
        if self.type is Bool and hasattr(self, "number"):
            return self.number
        loc = here()
        what = f"{a_traced(self)} has no truth value: it is known only when the compiled function runs"
        raise TypeMismatch(what, loc, _ASKED.get(asked(loc), f"{_ASKED['if']}; {_ASKED['and']}"))

    def __index__(self) -> int:
        if isinstance(self.type, Fin) and hasattr(self, "number"):
            return self.number
        loc = here()
        hint = "a traced index reads a traced vector: make the list a rose.constant(Vec[n], list), or a parameter"
        if called(loc) == "range":
            hint = "loop with rose.range(n), where n is an integer of Python's: the size of a vector, say"
        raise TypeMismatch(f"{a_traced(self)} is no integer of Python's: {_LATER}", loc, hint)

    def __float__(self) -> float:
        if hasattr(self, "number") and self.type.scalar:
            return float(self.number)
        loc = here()
        hint = "use the functions of rose, such as rose.sqrt, in the place of math's and NumPy's"
        raise TypeMismatch(f"{a_traced(self)} is no number of Python's: {_LATER}", loc, _instead(loc, hint))

    def __int__(self) -> int:
        if hasattr(self, "number") and self.type.scalar:
            return int(self.number)
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
    name = f" (the parameter {v.attr})" if v.op.name == "param" and v.attr and v.block.parent is None else ""
    return f"a traced {v.type!r}{name}"


# numbers of the host


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
    if type(x) in (list, tuple) or getattr(x, "shape", ()) != ():
        return "operations work on numbers: rose.vec(... for i in rose.range(n)) does one for each element"
    if instead := getattr(x.__class__, "instead", None):
        return str(instead)
    return "a Real is written as an int or a float" + ("; float(...) makes one of it" * hasattr(x, "__float__"))


def digits(k: int) -> str:
    """An integer in a message, which may have thousands of digits."""
    return shown(k).partition(" (")[0]


def shown(x: Any) -> str:
    """A host value in a message: what it is, and its kind, on a part of a line."""
    kind, count = type(x).__name__, f" of {len(x)}" if type(x) in (list, tuple) else ""
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
        return f"{article} {kind}{count}"
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({kind})"
