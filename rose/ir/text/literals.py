"""Literals of the text form: their operations, contents and types."""

from __future__ import annotations

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


def constant(body: Body, e: tree.Listing, want: Type | None) -> tuple[Type, Any] | None:
    """The type and the value of a vector that is a literal; None for one that is not."""
    t = _type(body, e, want)
    return (t, _holds(body, e, t)) if t and not t.linear and not t.stacked and not isinstance(t, Ref) else None


def _type(body: Body, e: Expr, want: Type | None) -> Type | None:
    if isinstance(e, tree.Literal):
        if e.text in ("()", "zero"):
            return None
        return want or (Bool if e.text in ("true", "false") else Real)
    if isinstance(e, tree.Items):
        return _of_items(body, e, want)
    if not isinstance(e, tree.Listing) or not (want is None or isinstance(want, Vec)):
        return None
    inner = want.elem if isinstance(want, Vec) else None
    types = [_type(body, x, inner) for x in e.items]
    if None in types or (not types and inner is None):
        return None
    t = want or Vec(len(types), types[0] or Real)
    if t.depth > DEEPEST:
        body.fail(f"more than {DEEPEST} lists lie in one another", e.at, "write fewer, of more elements")
    return t


def _of_items(body: Body, e: tree.Items, want: Type | None) -> Type | None:
    """The type of a tuple of literals; of a unit among them, too."""
    of = want.items if isinstance(want, Tuple) and len(want.items) == len(e.items) else None
    if want is not None and of is None:
        return None
    types = [
        Unit if _is_unit(x) else _type(body, x, t) for x, t in zip(e.items, of or [None] * len(e.items), strict=True)
    ]
    return None if None in types else want or Tuple(tuple([t for t in types if t]), None)


def _is_unit(e: Expr) -> bool:
    return isinstance(e, tree.Literal) and e.text == "()"


def _holds(body: Body, e: Expr, t: Type) -> Any:
    if isinstance(e, tree.Listing) and isinstance(t, Vec):
        if len(e.items) != t.size:
            hint = "the size is a part of the type, and rows are of one size"
            body.fail(f"there are {len(e.items)} elements, and there must be {t.size}", e.at, hint)
        return tuple([_holds(body, x, t.elem) for x in e.items])
    if isinstance(e, tree.Items) and isinstance(t, Tuple) and len(e.items) == len(t.items):
        return tuple([_holds(body, x, s) for x, s in zip(e.items, t.items, strict=True)])
    if not isinstance(e, tree.Literal):
        body.fail("a row of numbers is among numbers", e.at, "all elements are of one type")
    if _is_unit(e) and t is Unit:
        return None
    _, x, got = plain(body, e, t)
    body.fits(got, t, e.at, "an element")
    return x
