"""NumPy's functions that make arrays of lists and sizes, while a function is traced: `np.array([x, y])`.

NumPy hands a call to the type of its arguments (NEP 13, NEP 18), but not where these are lists or sizes. So while a
function is traced, each of those functions is, in NumPy itself, one that looks for a traced value or a size among its
arguments, and enters the vocabulary if there is one. Without one, and in every other thread, it is NumPy's own.
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
_numpys: dict[str, Callable[..., Any]] = {}  # NumPy's own functions, while ours are in their places


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
        if _inside[0] and not _numpys and numpy is not None:
            _numpys.update({name: getattr(numpy, name) for name in NAMES if hasattr(numpy, name)})
            vars(numpy).update({name: _taking_values(f) for name, f in _numpys.items()})
        elif not _inside[0] and numpy is not None:
            vars(numpy).update(_numpys)
            _numpys.clear()


def _taking_values(numpys: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function, which is of the vocabulary where it is given traced values or sizes."""

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
