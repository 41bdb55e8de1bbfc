"""Functions of scalars, for each element of arrays: over operands that are broadcast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from ...errors import TypeMismatch, edge, here
from ...ir import Op, Value, current_builder
from ...ir.ops import select
from ...ir.sizes import differ
from ...ir.types import Bool, Tuple, is_complex
from ..columns import how_to_compute
from ..function import of_values
from ..operators import as_real
from ..unrolling import counted
from ..values import is_number
from .shapes import Shape, as_array, broadcast, leaf_of, shape_of

F = TypeVar("F", bound=Callable[..., Any])


def located(f: F) -> F:
    """`f`, whose instructions are all where it is called: to look for that once for each of them takes long."""

    @wraps(f)
    def outer(*args: Any, **named: Any) -> Any:
        b = current_builder()
        if b.loc is not None:
            return f(*args, **named)
        b.loc = loc = here()
        try:
            made = f(*args, **named)
        finally:
            b.loc = None
        counted(b, loc, args, made)
        return made

    return cast("F", outer)


def array_function(f: F) -> F:
    """`f` as users call it, with all of its instructions where it is called; of functions, `f` of what they give."""
    return of_values(located(edge(f)))  # the inner one sees arguments that do not fit, the outer one the frames


@located
def each(f: Callable[..., Value], *operands: Any) -> Value:
    """The array of `f(x, y, ...)` for the elements `x`, `y`, ... of the operands, which are broadcast.

    An operand is an array, a list, an array of NumPy's, or a number, which `f` gets as it is. Where `f` is an operation
    on numbers, a condition counts as 1.0 or 0.0, as NumPy's do.
    """
    f = _counting(f) if isinstance(f, Op) else f
    given = [x if is_number(x) else as_array(x) for x in operands]
    shapes = [shape_of(x.type) if isinstance(x, Value) else () for x in given]
    for x in given:
        if isinstance(x, Value) and isinstance(leaf := leaf_of(x.type), Tuple) and not is_complex(leaf):
            raise _of_structs(x)
    return maps(broadcast(shapes), f, given)


def _counting(op: Op) -> Callable[..., Value]:
    """An operation on elements, which may be conditions where it takes numbers."""

    def of_elements(*xs: Any) -> Value:
        conditions = [isinstance(x, Value) and x.type is Bool for x in xs]
        if any(conditions):
            values = [current_builder().lift(x) for x in xs]
            counted = [select(x, 1.0, 0.0) if c else as_real(x) for x, c in zip(values, conditions, strict=True)]
            if op.type(*values) is None and op.type(*counted) is not None:
                return op(*counted)
        return op(*xs)

    return of_elements


def maps(shape: Shape, f: Callable[..., Value], operands: Sequence[Any]) -> Value:
    """The array of that shape of `f` of elements of the operands, whose shapes broadcast to it: a nest of maps.

    An element is read in the outermost loop in which it is known, so that it is clear how often each is needed.
    """
    if not shape:
        return f(*operands)
    b, rank = current_builder(), len(shape)
    now = [_single(x, shape) for x in operands]

    def item(i: Value) -> Value:
        return maps(shape[1:], f, [b.index(x, i) if _rank(x) == rank else x for x in now])

    return b.vec(shape[0], item)


def _rank(x: Any) -> int:
    return len(shape_of(x.type)) if isinstance(x, Value) else 0


def _single(x: Any, shape: Shape) -> Any:
    """`x` without the first axes of one element that are broadcast along larger ones."""
    while (mine := shape_of(x.type) if isinstance(x, Value) else ()) and not differ(mine[0], 1):
        if not differ(shape[-len(mine)], 1):
            break
        x = current_builder().index(x, 0)
    return x


def _of_structs(x: Value) -> TypeMismatch:
    what = f"a {x.type!r} has no arithmetic: its elements are structs or tuples"
    return TypeMismatch(what, here(), how_to_compute(x))
