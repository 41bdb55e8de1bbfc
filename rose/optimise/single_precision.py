"""Conversion to single precision: the copy that `rose.compile(..., dtype="f32")` hands to the back end.

It is the same IR, over `Single` in the place of `Real` and of `Tan`. Each row of the table that computes with
numbers has a twin, whose `eval` rounds to 32 bits: twice, which for `+ - * /` and the root is the same as once.
Literals are rounded here; one that single precision cannot hold is an error where it was written.
"""

from __future__ import annotations

import math
from typing import Any

from ..errors import TypeMismatch
from ..host.effects import Printer
from ..ir import CONST, FOR, Block, Func, Opaque, Value, is_call
from ..ir.callgraph import map_kind, memoised
from ..ir.libm import nearest
from ..ir.single_ops import twin_of
from ..ir.types import Single, Tuple, Type, Vec, double, single


def to_single(f: Func) -> Func:
    """`f`, and all that it calls, in single precision: each function once."""
    return memoised(f, to_single, _copy)


def _copy(f: Func) -> Func:
    """The copy of `f`, whose callees are done."""
    kind = map_kind(f.kind, to_single)
    if isinstance(f.impl, Printer):
        kind = Opaque(Printer(f.impl.pieces, [single(t) for t in f.impl.types], f.impl.specs))
    return Func(f.name, _block(f.body, None, {}), single(f.result), pure=f.pure, kind=kind)


def _block(block: Block, parent: Block | None, env: dict[Value, Value]) -> Block:
    made = type(block)(parent)
    for p in block.params:
        env[p] = Value(p.op, single(p.type), (), p.attr, p.loc, made)
    made.params = [env[p] for p in block.params]
    for v in block.code:
        env[v] = _instruction(v, made, env)
        made.code.append(env[v])
    made.results = tuple([env[r] for r in block.results])
    return made


def _instruction(v: Value, block: Block, env: dict[Value, Value]) -> Value:
    t, attr = single(v.type), v.attr
    if v.op is FOR:
        attr = _block(v.attr, block, env)
    elif v.op is CONST:
        attr = _literal(v, v.attr, t)
    elif is_call(v):
        attr = v.attr.memo[to_single]
    return Value(twin_of(v.op), t, tuple([env[a] for a in v.args]), attr, v.loc, block)


# literals


def _literal(v: Value, x: Any, t: Type) -> Any:
    """A literal, or a part of it, rounded to 32 bits."""
    if isinstance(t, Tuple):
        return tuple([_literal(v, y, s) for y, s in zip(x, t.items, strict=True)]) if double(t) is not t else x
    if isinstance(t, Vec):
        return tuple([_literal(v, y, t.elem) for y in x]) if double(t) is not t else x
    if t is not Single:
        return x
    y = nearest(x)
    if math.isinf(y) and not math.isinf(x):
        raise _lost(v, f"the literal {x!r} is too large for single precision", "the largest number there is 3.4e38")
    if x and not y and not isinstance(v.type, Vec):
        raise _lost(v, f"the literal {x!r} would be 0 in single precision", "the smallest number there is 1.4e-45")
    return y


def _lost(v: Value, what: str, why: str) -> TypeMismatch:
    return TypeMismatch(what, v.loc, f'{why}: scale what is computed, or compile with dtype="f64"')
