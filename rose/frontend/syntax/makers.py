"""NumPy's functions that make arrays of lists and sizes, under `@fn(syntax=True)`: `np.array([x, y])`, `np.zeros(n)`.

NumPy hands them to nobody (NEP 13, NEP 18). In rewritten source a call of one goes through here, which sees at run time
whether it is NumPy's own, and whether a traced value or a size is among its arguments: then it is the vocabulary's. In
other source `np.array([x, y])` is NumPy's array of objects: see `frontend/arrays/objects.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from ...errors import edge
from ...host.marshal import is_dict, is_listing
from ...ir.sizes import open_size
from ...ir.value import OPERATORS
from ..values import is_traced

NAMES = ("array", "asarray", "asanyarray", "ascontiguousarray", "zeros", "ones", "full", "eye", "arange")


def maker(f: Any) -> Any:
    """The function to call for `f`: `f`; for a maker of NumPy's, one that takes traced values and sizes, too."""
    name = getattr(f, "__name__", "")
    ours = name in NAMES and "numpy" in sys.modules and vars(sys.modules["numpy"]).get(name) is f
    return _taking_values(f) if ours else f


def _taking_values(numpys: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(numpys)
    def make(*args: Any, **named: Any) -> Any:
        if any(map(_is_ours, (*args, *named.values()))):
            return OPERATORS["function"](numpys, args, named)
        return numpys(*args, **named)

    return edge(make)


def _is_ours(x: Any) -> bool:
    """True of a traced value and a size, and of what holds one."""
    if is_listing(x) and not is_dict(x):
        return any(map(_is_ours, x))
    return open_size(x) is not None or is_traced(x)
