"""The f32 twin of each row of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .builder import Op
from .libm import function, nearest
from .libm.library import SPECIAL
from .types import Type, double, single
from .value import OPS, SPECIALS, Value


def _twin(op: Op) -> Op:
    """A row over `Single`: musl's function for floats, or the same instructions on an f32."""
    if op.library and op.library.startswith(SPECIAL):
        arguments = [f"${k}, f64.promote_f32" for k in range(op.type.__code__.co_argcount)]
        assert op.eval is not None, op
        evaluate, wasm = _rounded(op.eval), ", ".join([*arguments, op.wasm, "f32.demote_f64"])
    elif op.library:
        name = op.library + "f"
        evaluate, wasm = function(name), f"call {name}"
    else:
        assert op.eval is not None, op
        evaluate, wasm = _rounded(op.eval), op.wasm.replace("f64", "f32").replace("i64", "i32")
    none: dict[str, Any] = dict(jvp=None, transpose=None, simplify=None, expand=None)
    return replace(op, type=_over_singles(op), eval=evaluate, wasm=wasm, **none)


def _rounded(f: Callable[..., Any]) -> Callable[..., Any]:
    def evaluate(*xs: Any) -> Any:
        z = f(*xs)
        return nearest(z) if z.__class__ is float else z

    return evaluate


def _over_singles(op: Op) -> Callable[..., Type | None]:
    """The types of a row, with `Single` in the place of `Real`."""

    def type(*xs: Value) -> Type | None:
        found = op.type(*[Value(x.op, double(x.type), x.args, x.attr, x.loc, x.block) for x in xs])
        return None if found is None else single(found)

    return type


def twin_of(op: Op) -> Op:
    """The twin of a row, or the row itself, where it has none. That of a special function is made when it is needed.

    Its function is the one of double precision, whose result is rounded.
    """
    found = TWINS.get(op)
    if found is None and op.name in SPECIALS:
        found = TWINS[op] = _twin(op)
    return op if found is None else found


# the rows that have a twin, and it
TWINS = {op: _twin(op) for op in OPS.values() if "f64." in op.wasm or op.library}
