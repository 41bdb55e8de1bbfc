"""NumPy's functions that make arrays of lists and sizes, while a function is traced: `np.array([x, y])`.

NumPy hands a call to the type of its arguments (NEP 13, NEP 18), but not where these are lists or sizes; and `like=`
would have to be written. So while a function is traced, each of those functions is, in NumPy itself, one that looks for
a traced value or a size among its arguments, and enters the vocabulary if there is one. Without one, outside of a trace
and in every other thread it is NumPy's own answer: so nothing but its identity is different to who took it in a trace,
such as a module that is imported there. A trace never waits for other code, as a coroutine does, and ends by an error
as well. Who took a function before, by `from numpy import zeros`, has NumPy's own, whose error says what to write.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from ..host.marshal import is_dict, is_listing
from ..ir import is_tracing
from ..ir.sizes import open_size
from ..ir.value import OPERATORS
from .values import is_traced

NAMES = ("array", "asarray", "asanyarray", "ascontiguousarray", "zeros", "ones", "full", "eye", "arange")

_lock = threading.Lock()
_inside: list[int] = [0]  # the traces that are under way
_places: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}  # NumPy's own functions, and ours there


@contextmanager
def makers() -> Generator[None]:
    """Inside, NumPy's functions that make arrays take traced values and sizes."""
    _enter(1)
    try:
        yield
    finally:
        _enter(-1)


def _enter(traces: int) -> None:
    with _lock:
        _inside[0] += traces
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return
        if _inside[0] and not _places:
            _places.update({name: (f, _taking_values(f)) for name in NAMES if (f := vars(numpy).get(name)) is not None})
            vars(numpy).update({name: ours for name, (_, ours) in _places.items()})
        elif not _inside[0]:  # what others put there meanwhile stays
            vars(numpy).update({k: f for k, (f, ours) in _places.items() if vars(numpy).get(k) is ours})
            _places.clear()


@functools.cache
def _taking_values(numpys: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function, which is of the vocabulary where it is given traced values or sizes. One for each."""

    @functools.wraps(numpys)
    def make(*args: Any, **named: Any) -> Any:
        if is_tracing() and any([_is_ours(x) for x in (*args, *named.values())]):
            return OPERATORS["function"](numpys, args, named)
        return numpys(*args, **named)

    return make


def _is_ours(x: Any) -> bool:
    """True of a traced value and a size, and of what holds one."""
    if is_listing(x) and not is_dict(x):
        return any(map(_is_ours, x))
    return open_size(x) is not None or is_traced(x)
