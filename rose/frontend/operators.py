"""Python's operators on traced values: overload resolution, from the types of the operands to a row of the table.

`TABLE` has the meaning of each operator, for `meanings.py`. `view` gives a value to its user's code.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

from ..errors import Loc, OutOfRange, RoseError, TypeMismatch, here, operand_of, subscript
from ..host.marshal import as_given
from ..ir import PARAM, Builder, Op, Value, a_traced, current_builder, shown
from ..ir.forms import COMPLEX
from ..ir.numbers import digits, is_listed, is_truth
from ..ir.ops import (
    LARGEST,
    abs_,
    add,
    and_,
    copysign,
    div,
    eq,
    floor,
    fmod,
    iadd,
    idiv,
    ieq,
    ile,
    ilt,
    imod,
    imul,
    le,
    lt,
    mod,
    mul,
    ne,
    neg,
    not_,
    or_,
    pow_,
    real,
    select,
    stop_gradient,
    sub,
    xor,
)
from ..ir.sizes import Size, at_most, differ, open_size, plus
from ..ir.smooth import product
from ..ir.types import Bool, Fin, Real, Ref, Tan, Tuple, Unit, Vec, struct_in
from ..ir.value import OPERATORS, host_index, is_known
from .index_expressions import index_of, literal, sum_of
from .ranges import as_index_below, range_of


def operand(x: Any) -> Value:
    """`x` as a traced value: a host number becomes a literal."""
    return x if x.__class__ is Value else current_builder().lift(x)


def as_real(x: Any) -> Value:
    """`x` as a traced value, where a number is wanted: an index becomes a Real."""
    v = operand(x)
    return real(v) if isinstance(v.type, Fin) else v


def _side(side: str, x: Any) -> Value:
    """`x` as a Real, as the operand on one `side` of an operator, at which an error points."""
    if x.__class__ is Value and not isinstance(x.type, Fin):
        return x
    try:
        return as_real(x)
    except RoseError as e:
        raise e.at(here().narrow(operand_of(side))) from None


def is_index(x: Any) -> bool:
    return x.__class__ is Value and isinstance(x.type, Fin)


def is_array(x: Any) -> bool:
    """True for a traced vector, a list, and an array of NumPy's."""
    return x.type.__class__ is Vec if x.__class__ is Value else is_listed(x)


def reflecting(symbol: str, of_ours: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator, which the class of an operand decides that defines it itself: `x * mine` is `mine.__rmul__(x)`.

    It is asked here, and not by Python after a NotImplemented: where it gives none, the error is ours. The left
    operand is asked where it is compared: `x > mine` is `mine < x`. Python has asked it before everything else.
    """
    of_left, of_right = _REFLECTED[symbol]

    def operator(x: Any, y: Any) -> Any:
        out: Any = NotImplemented
        if y.__class__ is not Value and (method := _own(y, of_right)) is not None:
            out = method(y, x)
        elif of_left and x.__class__ is not Value and (method := _own(x, of_left)) is not None:
            out = method(x, y)
        return of_ours(x, y) if out is NotImplemented else out

    return operator


_REFLECTED = {  # the methods of a left operand that is compared, and of a right one
    **{symbol: (f"__{name}__", f"__{other}__") for symbol, name, other in
       [("<", "lt", "gt"), ("<=", "le", "ge"), ("==", "eq", "eq"), ("!=", "ne", "ne")]},
    **{symbol: ("", f"__r{name}__") for symbol, name in
       [("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv"), ("//", "floordiv"), ("%", "mod"), ("**", "pow"),
        ("@", "matmul"), ("&", "and"), ("|", "or"), ("^", "xor"), ("divmod", "divmod")]},
}  # fmt: skip


def _own(x: Any, name: str) -> Callable[[Any, Any], Any] | None:
    """The method of the class of `x`, if a class of the user's defines it.

    A number or an array of another library is a constant, but not one of a class that extends Python's or NumPy's own.
    """
    cls = x.__class__
    if cls is float or cls is int:  # as nearly always
        return None
    definer = next((c for c in cls.__mro__ if name in vars(c)), object)
    if _room(definer) in _LIBRARIES:
        return None
    if isinstance(x, Number) or hasattr(cls, "shape"):
        extends = any([_room(c) in ("builtins", "numpy") for c in definer.__mro__[:-1]])
        return getattr(cls, name) if extends else None
    return getattr(cls, name)


_LIBRARIES = {"builtins", "enum", "numpy", "rose"}  # whose operators give way to ours


def _room(cls: type) -> str:
    """The outermost package of a class."""
    return cls.__module__.partition(".")[0]


def _over_arrays(
    of_numbers: Callable[[Any, Any], Any], of_truths: Callable[[Any, Any], Any] | None = None
) -> Callable[[Any, Any], Any]:
    """An operator that is done for each element, if an operand is an array.

    Of arrays a truth counts as 1.0 or 0.0, as NumPy's do; two of them are left to `of_truths`, if there is one.
    """

    def of_elements(x: Any, y: Any) -> Any:
        if not _is_truth(x) and not _is_truth(y):
            return of_numbers(x, y)
        if of_truths is not None and _is_truth(x) and _is_truth(y):
            return of_truths(operand(x), operand(y))
        return of_numbers(_counted(x), _counted(y))

    def operator(x: Any, y: Any) -> Any:
        return OPERATORS["each"](of_elements, x, y) if is_array(x) or is_array(y) else of_numbers(x, y)

    return operator


def _is_truth(x: Any) -> bool:
    return x.type is Bool if x.__class__ is Value else is_truth(x)


def _counted(x: Any) -> Any:
    """A truth as a number."""
    return select(operand(x), 1.0, 0.0) if _is_truth(x) else x


def _as_index(x: Any) -> Value | None:
    """`x` as an index, if it is one: a traced `Fin`, or an integer that is not negative."""
    if x.__class__ is Value:
        return x if isinstance(x.type, Fin) else None
    if (size := open_size(x)) is not None:
        return literal(size)
    k = host_index(x)
    return None if k is None or not 0 <= k < LARGEST else literal(k)


def _numbers(b: Builder, x: Any, y: Any) -> tuple[Value, Value] | None:
    """The fast path: both operands, if one is a Real, and the other a Real or a Python number; else None."""
    if x.__class__ is Value:
        if x.type is Real:
            if y.__class__ is Value:
                return (x, y) if y.type is Real else None
            if y.__class__ is float or (y.__class__ is int and -LARGEST < y < LARGEST):
                return x, b.const(float(y), Real)
    elif y.__class__ is Value and y.type is Real:
        if x.__class__ is float or (x.__class__ is int and -LARGEST < x < LARGEST):
            return b.const(float(x), Real), y
    return None


def _arithmetic(
    symbol: str, of_reals: Op, of_indices: Op | None, of_truths: Callable[[Any, Any], Value] | None = None
) -> Callable[[Any, Any], Value]:
    mixed = reflecting(symbol, _over_arrays(lambda x, y: _of_mixed(of_reals, of_indices, x, y), of_truths))

    def operator(x: Any, y: Any) -> Value:
        b = current_builder()
        pair = _numbers(b, x, y)
        return mixed(x, y) if pair is None else b.emit(of_reals, pair)

    return operator


def _of_mixed(of_reals: Op, of_indices: Op | None, x: Any, y: Any) -> Value:
    """Arithmetic on operands of which some may be indices, Python integers, or tangents."""
    if of_indices is not None and (is_index(x) or is_index(y)):
        i, j = _as_index(x), _as_index(y)
        if i is not None and j is not None:
            return current_builder().emit(of_indices, (i, j))
        for k, other in ((i, y), (j, x)):
            if k is not None and k.type is Fin(0) and host_index(other) is not None:
                return k  # there is no such index: this is never reached
    return current_builder().emit(of_reals, (_side("left", x), _side("right", y)))


def multiply(x: Any, y: Any) -> Value:
    """`x * y`, with a tangent as the first operand of the instruction."""
    b = current_builder()
    if x.__class__ is Value and y.__class__ is Value and y.type is Real and (x.type is Real or x.type is Tan):
        smooth = product(b, x, y) if x.type is Real else None
        return b.emit(mul, (x, y)) if smooth is None else smooth
    if (pair := _numbers(b, x, y)) is not None:
        return b.emit(mul, pair)
    return _products(x, y) if is_array(x) or is_array(y) else _mixed_product(x, y)


def _product_of_mixed(x: Any, y: Any) -> Value:
    if y.__class__ is Value and y.type is Tan and not (x.__class__ is Value and x.type is Tan):
        return current_builder().emit(mul, (y, as_real(x)))
    return _of_mixed(mul, imul, x, y)


_mixed_product = reflecting("*", _product_of_mixed)
_products = reflecting("*", _over_arrays(multiply, and_))


def negative(x: Any, _: None = None) -> Value:
    """`-x`."""
    if x.__class__ is Value and (x.type is Real or x.type is Tan):
        return current_builder().emit(neg, (x,))
    return neg(as_real(x))


def _compare(
    symbol: str,
    of_reals: Op,
    of_indices: Callable[[Value, Value], Value],
    of_truths: Callable[[Value, Value], Value] | None = None,
) -> Callable[[Any, Any], Value]:
    def of_numbers(x: Any, y: Any) -> Value:
        if is_index(x) or is_index(y):
            i, j = _as_index(x), _as_index(y)
            if i is not None and j is not None:
                return of_indices(i, j)
        x, y = _side("left", x), _side("right", y)
        if of_truths is not None and x.type is Bool and y.type is Bool:
            return of_truths(x, y)
        return current_builder().emit(of_reals, (x, y))

    mixed = reflecting(symbol, _over_arrays(of_numbers, of_truths))

    def operator(x: Any, y: Any) -> Value:
        b = current_builder()
        pair = _numbers(b, x, y)
        return mixed(x, y) if pair is None else b.emit(of_reals, pair)

    return operator


def _by_literal(op: Op) -> Callable[[Any, Any], Value | None]:
    """`//` and `%` of an index by a literal; None if `x` is not an index."""

    def operator(x: Any, y: Any) -> Value | None:
        if not is_index(x):
            return None
        if not differ(x.type.size, 0):
            return x  # there is no such index: this is never reached
        if (size := open_size(y)) is not None:
            return current_builder().emit(op, (x, literal(size)))
        k = host_index(y)
        if k is None or k <= 0:
            what = a_traced(y) if isinstance(y, Value) else shown(y)
            raise TypeMismatch(f"an index is divided by {what}", here(), "divide an index by an integer above zero")
        return current_builder().emit(op, (x, literal(k)))

    return operator


_index_quotient, _index_rest = _by_literal(idiv), _by_literal(imod)


def _quotient(x: Any, y: Any) -> Value:
    """`x // y`: of an index by an integer an index, of numbers the largest whole number that is not above `x / y`."""
    at = certain_index(x) if x.__class__ is Value and x.type is Real else x
    if is_index(at):
        whole = open_size(y) is not None or ((k := host_index(y)) is not None and k > 0)
        if whole or (at is x and not isinstance(y, float) and not (isinstance(y, Value) and y.type is Real)):
            out = _index_quotient(at, y)
            assert out is not None
            return out
    return _floor_quotient(_side("left", x), _side("right", y))


def _floor_quotient(x: Value, y: Value) -> Value:
    """NumPy's quotient to the bit, and so Python's: by the rest, as `x / y` may be rounded up to a whole number.

    It is constant to every derivative.
    """
    x, y = stop_gradient(x), stop_gradient(y)
    ratio, rest, zero = div(x, y), fmod(x, y), operand(0.0)
    whole = div(sub(x, rest), y)
    other_side = and_(ne(rest, zero), xor(lt(y, zero), lt(rest, zero)))
    whole = select(other_side, sub(whole, 1.0), whole)
    low = floor(whole)
    low = select(lt(0.5, sub(whole, low)), add(low, 1.0), low)
    low = select(eq(whole, zero), copysign(zero, ratio), low)
    return floor(select(eq(y, zero), ratio, low))


def _rest(x: Any, y: Any) -> Value:
    out = _index_rest(x, y)
    return mod(_side("left", x), _side("right", y)) if out is None else out


def _power(x: Any, n: Any) -> Value:
    """`x ** n`: for a literal integer a product, by squaring, and `1 / x ** -n` below zero; else `pow`."""
    k = host_index(n)
    if k is None and isinstance(n, float) and n.is_integer():
        k = int(n)
    if k is None or not isinstance(x, Value):
        return pow_(_side("left", x), _side("right", n))
    square, out, rest = _side("left", x), None, abs(k)
    while rest:
        if rest & 1:
            out = square if out is None else out * square
        rest >>= 1
        square = square * square if rest else square
    power = operand(1.0) if out is None else out
    return 1.0 / power if k < 0 else power


def _subscript(v: Value, i: Any) -> Any:
    """`v[i]` for an index of any kind: a traced one, an integer, or several in a key."""
    t = v.type
    if not isinstance(t, Vec):
        if t.scalar and all([k is None or k is ... for k in (i if i.__class__ is tuple else [i])]):
            return OPERATORS["part"](v, i)  # an array of no axes
        of = "name its fields" if isinstance(t, Tuple) else "leave out the index: only a Vec has elements"
        raise TypeMismatch(f"{a_traced(v)} cannot be indexed", here(), of)
    if i.__class__ is str and (of := struct_in(t)) is not None and of.form is not None and i in of.form.fields:
        return OPERATORS["column"](v, i)
    if i.__class__ in _SEVERAL or is_array(i):
        return OPERATORS["part"](v, i)
    return view(current_builder().index(v, index_into(v, i)))


_SEVERAL = {slice, tuple, range, type(None), type(...)}  # the keys that are not one index


def index_into(v: Value, i: Any) -> Value | int | Size:
    """`i` as an index of the vector `v` (or of an accumulator of one); an error unless it is certain to be in range."""
    t = v.type.inner if isinstance(v.type, Ref) else v.type
    assert isinstance(t, Vec)
    return index_within(t, i)


def index_within(t: Vec, i: Any) -> Value | int | Size:
    """`i` as an index of a vector of type `t`."""
    i = as_given(i)
    if is_index(i) and at_most(i.type.size, t.size):
        return i
    if i.__class__ is Value and i.type is Real:
        i = certain_index(i)
        if is_index(i) and at_most(i.type.size, t.size):
            return i
    k = host_index(i)
    if k is not None and t.size.__class__ is int and 0 <= k < t.size:
        return k
    loc = here().narrow(subscript)
    if k is not None:
        return _literal_index(k, t.size, loc)
    if not is_index(i):
        what = a_traced(i) if isinstance(i, Value) else shown(i)
        hint = "index with an integer, with i of rose.range, or with a parameter of a type Fin[n]"
        if isinstance(i, Value) and i.type is Real:
            raise _not_an_index(i, t, loc)
        raise TypeMismatch(f"{what} cannot index a vector", loc, hint)
    hint = f"loop over a smaller range, wrap it round with % {t.size!r}, or check it: rose.index(i, {t.size!r})"
    raise TypeMismatch(f"{t!r} is indexed by {Fin(t.size)!r}, not {i.type!r}", loc, hint)


def written_as_index(x: Value) -> Any:
    """The Real `x` as an index, if it is written as one: `n - 1 - i`, or a number that is known; else `x`."""
    if is_known(x):
        return literal(int(x.number)) if x.number.is_integer() and 0 <= x.number < LARGEST else x
    return index if (index := index_of(x)) is not None else x


def certain_index(x: Value) -> Any:
    """The Real `x` as an index, if it is written as one, or as a whole number in some range; else `x`."""
    found = written_as_index(x)
    n = range_of(x).size if found is x else None
    return found if n is None or (isinstance(n, int) and n > LARGEST) else as_index_below(x, n)


def is_parameter(x: Value) -> bool:
    """Whether it is a parameter that a user wrote: a state of a loop is none."""
    return x.op is PARAM and bool(x.attr) and x.loc.lasti < 0


def _not_an_index(x: Value, t: Vec, loc: Loc) -> RoseError:
    """The error of a Real as an index of a `t`."""
    if (found := sum_of(x)) is not None:
        what = f"an index of a {t!r} is never below zero, and this one may be {found.least!r}"
        hint = f"wrap it round, (...) % {t.size!r}, shift the loop, or check it: rose.index(..., {t.size!r})"
        return OutOfRange(what, loc, hint)
    if range_of(x).whole:
        n = f"{t.size!r}"
        what = f"a whole number is an index of a {t!r} if it is certain to be from 0 to {n} - 1"
        hint = f"wrap it round, i % {n}, clip it, np.clip(i, 0, {n} - 1), or check it: rose.index(i, {n})"
        return OutOfRange(what, loc, hint)
    hint = f"declare {x.attr} as a Fin[{t.size!r}], take i" if is_parameter(x) else "take i"
    hint += f" of rose.range, or check it: rose.index(i, {t.size!r})"
    return TypeMismatch(f"{a_traced(x)} cannot index a vector", loc, hint)


def _literal_index(i: int, n: int | Size, loc: Loc) -> int | Size:
    """`i` as an index of a vector of `n` elements; from the end if it is negative."""
    if not at_most(-i if i < 0 else i + 1, n):
        if isinstance(n, Size):
            what = f"index {digits(i)} may be out of range: a vector of {n!r} elements need not have it"
            hint = f"declare a Vec[{n.dims[0]!r} + {i + 1 if i >= 0 else -i}], which has it at any size"
            raise OutOfRange(what, loc, hint)
        hint = f"write an index from 0 to {n - 1}" if n else "leave it out: there are no elements"
        raise OutOfRange(f"index {digits(i)} is out of range for a vector of {n}", loc, hint)
    return plus(i, n) if i < 0 else i


def view(v: Value) -> Any:
    """`v` as its user sees it: a struct as an object of its class, a Unit as None, any number and array as it is."""
    t = v.type
    if isinstance(t, Tuple) and t.form is not COMPLEX:
        b = current_builder()
        items = [view(b.get(v, k)) for k in range(len(t.items))]
        return t.form.make(items) if t.form is not None else tuple(items)
    return None if t is Unit else v


_less, _at_most = _compare("<", lt, ilt), _compare("<=", le, ile)

TABLE: dict[str, Callable[[Any, Any], Any]] = {  # the meaning of each operator; of one operand, the second is None
    "+": _arithmetic("+", add, iadd, or_),
    "-": _arithmetic("-", sub, None, sub),
    "*": multiply,
    "/": _arithmetic("/", div, None),
    "//": reflecting("//", _over_arrays(_quotient)),
    "%": reflecting("%", _over_arrays(_rest)),
    "**": reflecting("**", _over_arrays(_power)),
    "divmod": reflecting("divmod", lambda x, y: (x // y, x % y)),
    "[]": _subscript,
    "neg": negative,
    "abs": lambda x, _: abs_(as_real(x)),
    "~": lambda x, _: not_(x),
    "&": reflecting("&", and_),
    "|": reflecting("|", or_),
    "^": reflecting("^", xor),
    "==": _compare("==", eq, ieq, lambda x, y: not_(xor(x, y))),
    "!=": _compare("!=", ne, lambda i, j: not_(ieq(i, j)), xor),
    "<": _less,
    "<=": _at_most,
    ">": lambda x, y: _less(y, x),
    ">=": lambda x, y: _at_most(y, x),
}  # fmt: skip
