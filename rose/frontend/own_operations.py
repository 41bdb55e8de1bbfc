"""`@rose.op`: operations on numbers that a user defines, by a value and a derivative rule, beside those of the table.

A function of an operation's types is an `@fn`, or an `@opaque` one, and takes its rule as they do: the transpose, and
derivatives of higher order, are derived. What an operation adds is arrays, of whose elements it is taken.
"""

from __future__ import annotations

from typing import Any, cast

from .. import errors
from ..errors import TypeMismatch, edge, here
from ..ir import Value, shown
from ..ir.types import Real, Vec
from ..ir.value import is_function
from .arrays.elementwise import each
from .decorators import fn
from .function import AnyFn, Fn, Opaque
from .operators import as_real
from .values import is_number


class _OfElements(Fn[..., Any]):
    """A function of numbers that is one of arrays, too."""

    def emit(self, args: Any) -> Any:
        if all(map(_is_single, args)):
            return super().emit(args)
        return each(lambda *xs: super(_OfElements, self).emit([*map(as_real, xs)]), *args)


def _is_single(x: Any) -> bool:
    return not isinstance(x.type, Vec) if isinstance(x, Value) else is_number(x)


class Operation(_OfElements):
    """An operation whose value is traced."""


class OpaqueOperation(_OfElements, Opaque[..., Any]):
    """An operation whose value is computed by the host."""


@edge
def op(f: Any, /) -> AnyFn:
    """Make a function of numbers an operation of your own: `@rose.op`, and `@f.jvp` for its derivative.

    `f` is a Python function, whose parameters and result are annotated with `Real`; or an `@fn`; or an `@opaque`
    function, which is computed by the host. Of arrays, traced inside of a function, it is taken of each element, and
    arrays are broadcast, as those of `rose.sin` are. `f.jvp` takes its derivative rule, as for any function: reverse
    mode and all higher orders follow from it. Without a rule, that of the value is derived. `rose.testing.check_op`
    checks it.
    """
    if not isinstance(f, Fn) and not is_function(f):
        raise TypeMismatch(f"rose.op takes a function of Reals, not {shown(f)}", here(), "write @rose.op above a def")
    made = cast("AnyFn", f if isinstance(f, Fn) else fn(f))
    for t, name in zip((*made.types, made.result), (*made.names, "return"), strict=True):
        if t is not Real:
            what = f"{made.name}: an operation takes and gives Reals, not a {t!r}"
            hint = "write @rose.fn in the place of @rose.op: it takes a rule, too"
            raise TypeMismatch(what, made.loc.narrow(errors.annotation(name)), hint)
    if not made.types:
        raise TypeMismatch(f"{made.name}: an operation takes Reals", here(), "write @rose.fn in the place of @rose.op")
    if isinstance(made, Opaque):
        own: AnyFn = OpaqueOperation(made.body, made.types, made.result, made.name, made.func.pure)
    else:
        own = Operation(made.body, made.types, made.result, made.name, made.names)
    return own if made.rule is None else _with_rule(own, made.rule)


def _with_rule(own: AnyFn, rule: Any) -> AnyFn:
    own.jvp(rule)
    return own
