"""The answers to `ir.hooks`: the rows that take complex numbers, each as an expression of parts; what others refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import Loc, NotLinear, TypeMismatch
from ...ir import Op, Value, current_builder
from ...ir.types import Bool, Fin, Real, Tan, Tuple, Vec, has_complex, is_complex
from ...ir.value import mismatch
from . import arithmetic, arrays, elementary, functions
from .parts import conjugated as conjugate_of

_ROWS: dict[str, Callable[..., Value]] = {
    **{name: getattr(arithmetic, name) for name in "add sub neg mul div eq ne sign select".split()},
    "abs": arithmetic.absolute,
    "round": arithmetic.round_,
    **{
        name: getattr(elementary, name)
        for name in """
            exp exp2 expm1 log log1p log2 log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh
        """.split()
    },
    "pow": elementary.pow_,
}
_ORDERED = {"lt": "<", "le": "<=", "min": "min", "max": "max"}


def meaning(op: Op, args: Sequence[Value], loc: Loc) -> Any:
    """The value of a row on numbers of which some are complex; a TypeMismatch if it has none."""
    of = _ROWS.get(op.name)
    if of is None or not all([_is_number(x) or (op.name == "select" and k == 0) for k, x in enumerate(args)]):
        raise _refused(op, args, loc)
    if any([x.type.linear for x in args]) and op.name not in ("add", "sub", "neg", "mul", "div", "select"):
        raise NotLinear(f"{op.name} does not accept a tangent", loc, "nothing but sums and multiples is linear")
    return of(*args)


def part(name: str, *args: Any, **named: Any) -> Any:
    """A function of numbers and arrays, by NumPy's name."""
    return _PARTS[name](*args, **named)


_PARTS: dict[str, Callable[..., Any]] = {
    "real": arrays.real, "imag": arrays.imag, "conj": arrays.conj, "conjugate": arrays.conj, "angle": arrays.angle,
    "isreal": arrays.isreal, "iscomplex": arrays.iscomplex, "iscomplexobj": arrays.iscomplexobj,
    "isrealobj": arrays.isrealobj, "real_if_close": arrays.real_if_close,
}  # fmt: skip


def array_function(f: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A function of arrays that met complex numbers, as it is of these."""
    return functions.applied(f.__name__, f, args, named)


def conjugated(v: Value) -> Value:
    """A value of any type with the conjugate of each complex number in it."""
    b, t = current_builder(), v.type
    if not has_complex(t):
        return v
    if is_complex(t):
        return conjugate_of(v)
    if isinstance(t, Vec):
        return b.vec(t.size, lambda i: conjugated(b.index(v, i)))
    assert isinstance(t, Tuple)
    return b.tuple([conjugated(b.get(v, k)) for k in range(len(t.items))], t)


def _is_number(x: Value) -> bool:
    return is_complex(x.type) or x.type in (Real, Tan, Bool) or isinstance(x.type, Fin)


def _refused(op: Op, args: Sequence[Value], loc: Loc) -> TypeMismatch:
    if op.name in _ORDERED:
        what = f"complex numbers have no order: {_ORDERED[op.name]} takes Reals"
        return TypeMismatch(what, loc, "compare their .real, their .imag or their abs")
    if not all(map(_is_number, args)):
        error = mismatch(op, args, loc)
        return TypeMismatch(error.message, loc, error.hint)
    what = f"{op.name} takes Reals, and got a complex number"
    return TypeMismatch(what, loc, "take its .real, its .imag or its abs")
