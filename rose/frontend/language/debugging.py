"""`rose.print` and `rose.assert_`: effects of traced functions, carried out by `host/effects.py` and the runtimes."""

from __future__ import annotations

import builtins
import re
from string import Formatter
from typing import Any

from ... import ir
from ...errors import Loc, TypeMismatch, argument, edge, here
from ...host.effects import Assertion, Printer
from ...ir import Func, Value, a_traced, current_builder, is_tracing, shown
from ...ir.types import Bool, Real, Tuple, Unit, has_complex, once, tuple_of
from ..values import infer, is_traced, to_value

_HINT = 'write {} for each value, as in rose.print("x = {}, y = {:.3f}", x, y)'


@edge
def print(text: str, *values: Any) -> None:
    """Print `text` when the function runs, with a value for each `{}` in it: of any type, as Python writes it.

    `{:.3f}` and `{:.3e}` round a Real. It prints once for each evaluation: in a loop once for each iteration, in a
    branch of `cond` if that is taken, and in a derivative as in the function itself. A page prints to its console.
    """
    loc = here()
    places = _places(text, loc.narrow(argument(0, "text", 1 + len(values))))
    if len(places) != 1 + len(values):
        n, m = len(places) - 1, len(values)
        what = f"rose.print was given {m} value{'s' * (m != 1)} for the {n} place{'s' * (n != 1)} of its text"
        raise TypeMismatch(what, loc, _HINT)
    pieces, specs, given = [places[0][0]], list[str](), list[Value]()
    for k, (x, (piece, spec)) in enumerate(zip(values, places[1:], strict=True), 1):
        if not is_tracing() or not is_traced(x):
            pieces[-1] += _formatted(x, spec, loc) + piece
            continue
        v = _printable(infer(x, loc), spec, loc.narrow(argument(k, "", 1 + len(values))))
        given.append(v)
        specs.append(spec)
        pieces.append(piece)
    if not is_tracing():
        builtins.print(pieces[0])
        return
    printer = _printer(tuple_of(*[v.type for v in given]), tuple(pieces), tuple(specs))
    current_builder().call(printer, given)


def _places(text: Any, loc: Loc) -> list[tuple[str, str]]:
    """The pieces of a format string, each with the spec of the value that stands before it."""
    if not isinstance(text, str):
        raise TypeMismatch(f"rose.print takes a text first, not {_said(text)}", loc, _HINT)
    out, spec = [("", "")], ""
    try:
        for piece, field, spec, conversion in Formatter().parse(text):
            out[-1] = out[-1][0] + piece, out[-1][1]
            if field is not None:
                if field or conversion or "{" in (spec or ""):
                    raise ValueError("a place is {}, or {:.3f} with a number of digits")
                out.append(("", spec or ""))
    except ValueError as e:
        raise TypeMismatch(f"rose.print cannot read its text: {e}", loc, _HINT) from None
    return out


def _formatted(x: Any, spec: str, loc: Loc) -> str:
    """The text of a host value, formatted by Python."""
    try:
        return format(x, spec)
    except (TypeError, ValueError) as e:
        raise TypeMismatch(f"rose.print cannot write {shown(x)} as {{:{spec}}}: {e}", loc, _HINT) from None


def _printable(v: Value, spec: str, loc: Loc) -> Value:
    """`v`, checked to have a text in the format `spec`."""
    if v.type.linear:
        hint = "print what it is the derivative of: of a Dual x, x.re"
        raise TypeMismatch("a tangent cannot be printed: only linear operations take it", loc, hint)
    if has_complex(v.type):
        hint = "print its parts: z.real and z.imag"
        raise TypeMismatch(f"rose.print cannot write a {v.type!r}: it has a complex number", loc, hint)
    if spec and (v.type is not Real or not re.fullmatch(r"\.\d{1,2}[ef]", spec)):
        hint = "write {} for any value in full, and {:.3f} or {:.3e} for the digits of a Real"
        raise TypeMismatch(f"rose.print cannot write a {v.type!r} as {{:{spec}}}", loc, hint)
    return v


@once
def _printer(of: Tuple, pieces: tuple[str, ...], specs: tuple[str, ...]) -> Func:
    """The function that prints what is `of` these types, shared by all prints of the same text, types and formats."""
    with ir.building("print") as b:
        for t in of.items:
            b.param(t)
    return Func("print", b.root, Unit, pure=False, kind=ir.Opaque(Printer(pieces, of.items, specs)))


def _said(x: Any) -> str:
    return a_traced(x) if isinstance(x, Value) else shown(x)


@edge
def assert_(condition: Any, message: str) -> None:
    """Stop the function with `AssertionFailed` and this message if the condition does not hold when it runs.

    It is checked in each evaluation, in derivatives too: in a loop in each iteration, and in a branch of `cond` if
    that is taken. In JavaScript an Error is thrown, with the message and the line.
    """
    loc = here()
    if not isinstance(message, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        hint = 'write rose.assert_(x > 0.0, "x is positive")'
        raise TypeMismatch(f"the message of rose.assert_ is a text, not {_said(message)}", loc, hint)
    assertion = Assertion(message, loc)
    if not is_tracing() and isinstance(condition, bool):
        assertion(condition)
        return
    if not is_tracing():
        raise TypeMismatch(f"rose.assert_ takes a Bool, not {shown(condition)}", loc, "write a comparison")
    p = to_value(condition, Bool, ("the condition",), loc.narrow(argument(0, "condition", 2)))
    with ir.building("assert") as b:
        b.param(Bool, "condition")
    current_builder().call(Func("assert", b.root, Unit, pure=False, kind=ir.Opaque(assertion)), [p])
