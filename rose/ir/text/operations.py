"""Operators and operations in the text form: which row of the table is meant, by the types of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import NotLinear, TypeMismatch
from ..builder import SMOOTHED, Op
from ..hooks import above
from ..ops import ieq, mul, not_, real, xor
from ..smooth import SMOOTH
from ..types import Bool, Fin, Real, Tan, Type
from ..value import OPS, SPECIALS, Value
from . import trees as tree
from .printer import OPERATIONS, SYMBOLS, spell
from .trees import At, Expr

if TYPE_CHECKING:
    from .elaborate import Body

NOT_LINEAR = "a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear"

# the rows that an operator, or the name of an operation, may mean
MEANT: dict[str, list[Op]] = {name: [op] for name, op in OPS.items()}
for _name, _symbol in SYMBOLS.items():
    MEANT.setdefault(_symbol, []).append(OPS[_name])
MEANT["%"] += [OPS["mod"]]
for _spelling, _name in {"=": "==", ">": "<", ">=": "<=", "sgn": "sign"}.items():
    MEANT[_spelling] = MEANT[_name]


def a(t: Type) -> str:
    """A type in a message."""
    return f"an index of {t.size}" if isinstance(t, Fin) else f"a {spell(t)}"


def row(body: Body, e: tree.Apply, want: Type | None) -> Value:
    """The instruction of an operator or an operation."""
    args = _arms(body, e.args, want) if e.head == "select" and len(e.args) == 3 else _operands(body, e.args)
    if e.head in (">", ">="):
        args.reverse()
    if e.head in ("iff", "==", "=", "!=") and all([v.type is Bool for v in args]):
        made = _emit(body, xor, args, e.at)
        return made if e.head == "!=" else _emit(body, not_, [made], e.at)
    if e.head == "!=" and all([isinstance(v.type, Fin) for v in args]):
        return _emit(body, not_, [_emit(body, ieq, args, e.at)], e.at)
    return _meant(body, e, MEANT["neg"] if e.head == "-" and len(args) == 1 else rows(e.head), args)


def rows(name: str) -> list[Op]:
    """The rows that the name of an operation may mean; those of special functions have a dot in their names."""
    if name not in MEANT and name.startswith("special.") and name in above().specials:
        return [SPECIALS[name]]
    return MEANT.get(name, [])


def _meant(body: Body, e: tree.Apply, meant: list[Op], args: list[Value]) -> Value:
    """The first of some rows that accepts the arguments, as they are or indices as numbers."""
    if meant and (n := meant[0].type.__code__.co_argcount) != len(args):
        what = f"{e.head} takes {n} argument{'s' * (n != 1)}, got {len(args)}"
        body.fail(what, e.at, f"{meant[0].name}: {meant[0].doc}")
    ways = [args]
    if any([isinstance(v.type, Fin) for v in args]):
        ways.append([_Later(v) if isinstance(v.type, Fin) else v for v in args])
    if mul in meant:
        ways.append(args[::-1])
    for way in ways:
        for op in meant:
            if (op.name in OPERATIONS or op.name in SPECIALS) and op.type(*way) is not None:
                made = [_emit(body, real, [v.index], e.at) if isinstance(v, _Later) else v for v in way]
                return _emit(body, op, made, e.at)
    kind, hint = TypeMismatch, f"{meant[0].name}: {meant[0].doc}" if meant else "`rose ops` lists the operations"
    if any([v.type is Tan for v in args]):
        kind, hint = NotLinear, NOT_LINEAR
    body.fail(f"{e.head} does not accept ({', '.join([spell(v.type) for v in args])})", e.at, hint, kind)


class _Later(Value):
    """An index that would be made a number."""

    __slots__ = ("index",)

    def __init__(self, index: Value) -> None:
        super().__init__(real, Real, (index,), None, index.loc, index.block)
        self.index = index


def _emit(body: Body, op: Op, args: Sequence[Value], at: At) -> Value:
    if op.expand is not None:
        body.b.loc = body.module.source.at(at)
        return op.expand(*args)
    t = op.type(*args)
    assert t is not None
    v = body.raw(op, tuple(args), t, at)
    if op in SMOOTHED and t is Real and SMOOTH not in body.module.defs:  # a printed text has its smooth ones
        body.b.loc = v.loc
        smooth = SMOOTHED[op](body.b, *args)
        return v if smooth is None else smooth
    return v


def _is_number(e: Expr) -> bool:
    return isinstance(e, tree.Literal) and e.text not in ("true", "false", "()")


def _operands(body: Body, args: list[Expr]) -> list[Value]:
    """The operands; a number beside an index is one, where it can be, and `zero` has the type of the other."""
    made = [None if _is_number(e) else body.value(e) for e in args]
    beside = [v.type for v in made if v is not None]
    return [body.value(e, _number_type(e, beside)) if v is None else v for v, e in zip(made, args, strict=True)]


def _number_type(e: Expr, beside: list[Type]) -> Type | None:
    assert isinstance(e, tree.Literal)
    if e.text.isdigit() and any([isinstance(t, Fin) for t in beside]):
        return Fin(int(e.text) + 1)
    return beside[0] if e.text == "zero" and beside else None


def _arms(body: Body, args: list[Expr], want: Type | None) -> list[Value]:
    """A condition, and two values of one type."""
    condition = body.value(args[0], Bool, "the condition")
    arms = [None if _is_number(e) else body.value(e, want, "an arm") for e in args[1:]]
    known = want or next((v.type for v in arms if v is not None), None)
    made = [body.value(e, known, "an arm") if v is None else v for v, e in zip(arms, args[1:], strict=True)]
    return [condition, *made]
