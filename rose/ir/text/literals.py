"""Literals of the text form: their operations, contents and types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import NotLinear, OutOfRange
from .. import builder
from ..builder import Op
from ..types import DEEPEST, Bool, Fin, Real, Ref, Tan, Tuple, Type, Unit, Vec
from . import trees as tree
from .trees import Expr

if TYPE_CHECKING:
    from .elaborate import Body


def number(text: str) -> float:
    """The number that a literal stands for."""
    sign, digits = (-1.0, text[1:]) if text.startswith("-") else (1.0, text)
    return sign * (float.fromhex(digits) if digits[:2] in ("0x", "0X") else float(digits))


def plain(body: Body, e: tree.Literal, want: Type | None) -> tuple[Op, Any, Type]:
    """The operation of a literal, its content, and its type."""
    if e.text == "()":
        return builder.ZERO, None, Unit
    if e.text == "zero":
        if want is None or isinstance(want, Ref):
            body.fail("the type of this zero is not known", e.at, "give it: let x: [3]Real = zero in")
        return (builder.CONST, 0.0, Real) if want is Real else (builder.ZERO, None, want)
    if e.text in ("true", "false"):
        return builder.CONST, e.text == "true", Bool
    if isinstance(want, Fin):
        return _index(body, e, want)
    x = number(e.text)
    if want is Tan:
        if x:
            hint = "a derivative is linear in its tangents: besides them, only 0 is a tangent"
            body.fail(f"{e.text} is not a tangent", e.at, hint, NotLinear)
        return builder.ZERO, None, Tan
    return builder.CONST, x, Real


def _index(body: Body, e: tree.Literal, want: Fin) -> tuple[Op, Any, Type]:
    if not e.text.isdigit():
        body.fail(f"{e.text} is not an index", e.at, f"an index below {want.size} is written as an integer")
    k = int(e.text)
    if k == want.size == 0:
        return builder.ZERO, None, want
    if k >= want.size:
        hint = f"they go from 0 to {want.size - 1}" if want.size else "there are none"
        body.fail(f"index {k} is out of range for {want.size} elements", e.at, hint, OutOfRange)
    return builder.CONST, k, want


def constant(body: Body, e: tree.Apply, want: Type | None) -> tuple[Type, Any] | None:
    """The type and the value of a vector that is a literal; None for one that is not."""
    t = _type(body, e, want)
    return (t, _holds(body, e, t)) if t and not t.linear and not t.stacked and not isinstance(t, Ref) else None


def _type(body: Body, e: Expr, want: Type | None) -> Type | None:
    if isinstance(e, tree.Literal) and e.text not in ("()", "zero"):
        return want or (Bool if e.text in ("true", "false") else Real)
    if not isinstance(e, tree.Apply):
        return None
    if e.head == "(" and (want is None or (isinstance(want, Tuple) and len(want.items) == len(e.args))):
        pairs = zip(e.args, items_wanted(want, len(e.args)), strict=True)
        types = [Unit if is_unit(x) else _type(body, x, t) for x, t in pairs]
        return None if None in types else want or Tuple(tuple([t for t in types if t]), None)
    if e.head != "[" or not (want is None or isinstance(want, Vec)):
        return None
    inner = None if want is None else want.elem
    types = [_type(body, x, inner) for x in e.args]
    if None in types or (not types and inner is None):
        return None
    t = want or Vec(len(types), types[0] or Real)
    if t.depth > DEEPEST:
        body.fail(f"more than {DEEPEST} lists lie in one another", e.at, "write fewer, of more elements")
    return t


def _holds(body: Body, e: Expr, t: Type) -> Any:
    if isinstance(e, tree.Apply) and e.head == "[" and isinstance(t, Vec):
        if len(e.args) != t.size:
            hint = "the size is a part of the type, and rows are of one size"
            body.fail(f"there are {len(e.args)} elements, and there must be {t.size}", e.at, hint)
        return tuple([_holds(body, x, t.elem) for x in e.args])
    if isinstance(e, tree.Apply) and e.head == "(" and isinstance(t, Tuple) and len(e.args) == len(t.items):
        return tuple([_holds(body, x, s) for x, s in zip(e.args, t.items, strict=True)])
    if not isinstance(e, tree.Literal):
        body.fail("a row of numbers is among numbers", e.at, "all elements are of one type")
    if is_unit(e) and t is Unit:
        return None
    _, x, got = plain(body, e, t)
    body.fits(got, t, e.at, "an element")
    return x


def items_wanted(want: Type | None, count: int) -> Sequence[Type | None]:
    """The types that the items of a tuple must have, as far as they are known."""
    return want.items if isinstance(want, Tuple) and len(want.items) == count else [None] * count


def is_unit(e: Expr) -> bool:
    return isinstance(e, tree.Literal) and e.text == "()"
