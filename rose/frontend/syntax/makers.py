"""What is handed to nobody, under `@fn(syntax=True)`: NumPy's `np.array([x, y])`, `np.zeros(n)`; Python's `max(x)`.

NumPy hands what makes arrays to nobody (NEP 13, NEP 18), and Python asks for truths. In rewritten source a call of one
goes through here, which sees at run time whether it is NumPy's own or Python's, and whether a traced value or a size is
among its arguments: then it is the vocabulary's. In other source `np.array([x, y])` is NumPy's array of objects: see
`frontend/arrays/objects.py`.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from ...errors import edge
from ...host.marshal import is_dict, is_listing
from ...ir import Value
from ...ir.sizes import open_size
from ...ir.value import OPERATORS
from ..arrays import order, reductions
from ..language import loops
from ..values import is_traced

MAKERS = ("array", "asarray", "asanyarray", "ascontiguousarray", "zeros", "ones", "full", "eye", "arange")
PYTHONS: dict[str, Callable[..., Any]] = {  # of traced values, where Python would ask for truths
    "max": loops.max, "min": loops.min, "sum": loops.sum, "any": reductions.any_, "all": reductions.all_,
    "sorted": order.sort,
}  # fmt: skip
NAMES = (*MAKERS, *PYTHONS)


def maker(f: Any) -> Any:
    """The function to call for `f`: `f`; for a maker of NumPy's, one that takes traced values and sizes, too."""
    name = getattr(f, "__name__", "")
    if name in PYTHONS and vars(builtins)[name] is f:
        return _of_values(f, name)
    ours = name in MAKERS and "numpy" in sys.modules and vars(sys.modules["numpy"]).get(name) is f
    return _taking_values(f) if ours else f


def _taking_values(numpys: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(numpys)
    def make(*args: Any, **named: Any) -> Any:
        if any(map(_is_ours, (*args, *named.values()))):
            return OPERATORS["function"](numpys, args, named)
        return numpys(*args, **named)

    return edge(make)


def _of_values(pythons: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Python's function, which of a traced array, and of several traced numbers, is the vocabulary's."""

    @wraps(pythons)
    def of(*args: Any, **named: Any) -> Any:
        values = [x.__class__ is Value for x in args]
        ours = any(values) and not named and (len(args) == 1 or name in ("max", "min"))
        return (PYTHONS[name] if ours else pythons)(*args, **named)

    return edge(of)


def _is_ours(x: Any) -> bool:
    """True of a traced value and a size, and of what holds one."""
    if is_listing(x) and not is_dict(x):
        return any(map(_is_ours, x))
    return open_size(x) is not None or is_traced(x)
