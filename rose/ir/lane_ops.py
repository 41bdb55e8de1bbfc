"""The rows over several elements of a batch at once: the twins of the rows over one, and what joins the two.

What an instruction computes for an element, its twin computes for each of two (`Pair`), or of four (`Four`), as one
instruction of WebAssembly. A literal of such a type is in all elements, and the `eval` of a twin is that of its row: so
the interpreter runs a function over several elements as one over one of them, and has the bits of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .builder import Op
from .types import Bool, Four, Mask, Pair, Real, Single, Type, lane, lanes
from .value import Value

_SHAPES = {"f64": "f64x2", "f32": "f32x4", "i64": "i64x2", "i32": "i32x4"}
_PLAIN = {
    *("add", "sub", "mul", "div", "neg", "abs", "sqrt", "min", "max", "ceil", "floor", "trunc", "nearest"),
    *("eq", "ne", "lt", "le", "const", "copysign"),
}
_LOGIC = {
    "i32.and": "v128.and", "i32.or": "v128.or", "i32.xor": "v128.xor", "i32.eqz": "v128.not",
    "select": "v128.bitselect",
}  # fmt: skip
_TWINS: dict[Op, Op | None] = {}


def lane_op(op: Op) -> Op | None:
    """The twin of a row over several elements; None if it has none."""
    if op not in _TWINS:
        wasm = _several(op.wasm)
        none: dict[str, Any] = dict(jvp=None, transpose=None, simplify=None, expand=None)
        _TWINS[op] = None if wasm is None else replace(op, type=_over_lanes(op), wasm=wasm, **none)
    return _TWINS[op]


def _several(wasm: str) -> str | None:
    """The instructions on several numbers; a truth value is a mask, all bits or none."""
    steps = list[str]()
    for step in wasm.split(", ") if wasm else ():
        word, *rest = step.split()
        kind, _, what = word.partition(".")
        if word[0] == "$":
            steps.append(word)
        elif word == "call":
            steps.append(f"twice {step}")
        elif word in _LOGIC:
            steps.append(_LOGIC[word])
        elif what in _PLAIN and (kind[0] == "f" or word in ("i64.ne", "i32.ne")):
            steps.append(" ".join([f"{_SHAPES[kind]}.{what}", *rest]))
        elif what not in ("reinterpret_f64", "reinterpret_f32"):
            return None
    return ", ".join(steps) or None


def _over_lanes(op: Op) -> Callable[..., Type | None]:
    """The types of a row, with several elements in the place of one."""

    def type(*xs: Value) -> Type | None:
        if any([lane(x.type) is x.type for x in xs]):
            return None
        found = op.type(*[Value(x.op, lane(x.type), x.args, x.attr, x.loc, x.block) for x in xs])
        return None if found is None else lanes(found)

    return type


def _row(name: str, doc: str, types: dict[tuple[Type, ...], Type], wasm: str, eval: Callable[..., Any]) -> Op:
    one: Callable[[Value], Type | None] = lambda x: types.get((x.type,))
    two: Callable[[Value, Value], Type | None] = lambda x, y: types.get((x.type, y.type))
    columns: dict[str, Any] = dict(linear_in=(), moves=False, reads=(), effect=None, kind=None, monotone=None)
    columns |= dict(exact=True, whole=False, unit="same", cost=1)
    return Op(name, doc, type=one if len(next(iter(types))) == 1 else two, eval=eval, wasm=wasm, **columns)


def _itself(x: Any) -> Any:
    return x


def _taken(c: bool, x: Any) -> Any:
    return x


SPLATS: dict[Type, Op] = {
    Real: _row("splat", "A number in all elements.", {(Real,): Pair}, "f64x2.splat", _itself),
    Single: _row("splat", "A number in all elements.", {(Single,): Four}, "f32x4.splat", _itself),
    Bool: _row(
        "splat", "A truth value in all elements.", {(Bool,): Mask}, "i64.extend_i32_u, i64x2.splat, i64x2.neg",
        _itself,
    ),
}  # fmt: skip
any_of = _row("any_of", "True if a condition holds in some element.", {(Mask,): Bool}, "v128.any_true", _itself)


def _borrowed(*places: str) -> str:
    """The instructions that give an element without the condition the number of one with it."""
    x, holds = "$1", "$0"
    for place in places:
        swapped = f"f32x4.shuffle {place}"
        x = f"{x}, {x}, {x}, {swapped}, {holds}, v128.bitselect"
        holds = f"{holds}, {holds}, {holds}, {swapped}, v128.or"
    return x


# of two elements the halves are swapped; of a mask it need not be known of how many it is
_OF_TWO, _OF_FOUR = _borrowed("2 3 0 1"), _borrowed("1 0 3 2", "2 3 0 1")
BORROW: dict[Type, Op] = {
    t: _row("borrow", "What elements with the condition have, in all.", {(Mask, t): t}, wasm, _taken)
    for t, wasm in {Pair: _OF_TWO, Four: _OF_FOUR, Mask: _OF_FOUR}.items()
}
