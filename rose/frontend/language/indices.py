"""`rose.index`: a number as an index, checked when the function runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import Loc, OutOfRange, TypeMismatch, argument, edge, here
from ...host.marshal import as_given
from ...ir import Value, a_traced, current_builder, shown
from ...ir.ops import and_, eq, floor, ilt, itrunc, le, lt, real
from ...ir.sizes import Size, at_most, differ
from ...ir.types import Fin, Real
from ...ir.value import host_index
from ..arrays.elementwise import each
from ..arrays.shapes import as_array, size_given
from ..index_expressions import literal, within
from ..operators import is_array, written_as_index
from ..values import is_number
from .debugging import assert_


@edge
def index(x: Any, n: Any) -> Any:
    """The number `x` as an index below `n`, a `Fin[n]`, which can index a vector of `n` elements.

    It must be a whole number from 0 to `n - 1`, or an index. When the function runs and it is not, the function stops
    with `AssertionFailed`, at this line; in JavaScript an Error is thrown. Where its type, or the way in which it is
    written, says that it is in range, there is no check. A number that is not whole takes `rose.floor(x)` first. It
    is constant to every derivative. Of an array it makes an array of indices.
    """
    loc = here()
    x, size = as_given(x), size_given(n, "rose.index")
    if (k := _whole(x)) is not None or is_number(x):
        if k is None or not at_most(0, k) or not at_most(k + 1, size):
            what = f"{shown(x)} is no index below {size!r}"
            raise OutOfRange(what, loc.narrow(argument(0, "x", 2)), "write a whole number from 0 to n - 1")
        return current_builder().const(k, Fin(size))
    if is_array(x):
        checked: Callable[[Value], Value] = lambda e: _checked(e, size, loc)
        return each(checked, as_array(x))
    return _checked(x, size, loc)


def _checked(x: Any, size: int | Size, loc: Loc) -> Value:
    """A traced number as an index, with the checks that it needs."""
    v = written_as_index(x) if isinstance(x, Value) and x.type is Real else x
    if not isinstance(v, Value) or (v.type is not Real and not isinstance(v.type, Fin)):
        what = a_traced(x) if isinstance(x, Value) else shown(x)
        raise TypeMismatch(f"rose.index takes a number, not {what}", loc, "write rose.index(x, n)")
    if isinstance(v.type, Fin) and at_most(v.type.size, size):
        return v
    if not differ(size, 0):
        raise OutOfRange("there is no index below 0", loc, "give a size of 1 or more")
    message = f"rose.index: a whole number from 0 to {size!r} - 1"
    if isinstance(v.type, Fin):
        assert_(ilt(v, literal(size)), message)
        return within(v, size)
    assert_(and_(and_(le(0.0, v), lt(v, real(literal(size)))), eq(floor(v), v)), message)
    return within(itrunc(v), size)


def _whole(x: Any) -> int | None:
    """A whole number of the host."""
    return int(x) if isinstance(x, float) and x.is_integer() else host_index(x)
