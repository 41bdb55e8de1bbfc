"""Pickles of functions: by name, where a module has them under one; else by value, which only some picklers can.

Plain pickle takes a Python function by its name, and so an `@fn`: what is pickled is `model.loss`. Functions of a
notebook, and those that are written in other functions, have no name that another process knows. cloudpickle and dill
take the code of such functions along, with what they use, and so that of an `@fn`.
What a transform gave is pickled as the transform and its function: it is made again, once in a process.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

from ..errors import RoseError, here

_BY_VALUE = {"cloudpickle", "dill"}  # the picklers that take functions of `__main__` and of functions by value
_MOST = 64  # functions by value that a process keeps

Dumps = Callable[[Any], bytes]


class _Dumping(threading.local):
    inside = False  # of a function by value


_dumping = _Dumping()
_loaded: OrderedDict[bytes, Any] = OrderedDict()  # the functions by value that were read last, by their pickles


def by_value() -> Dumps | None:
    """`dumps` of the pickler that is at work, if it can take the code of a function along; else None."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if not _BY_VALUE.isdisjoint(frame.f_globals.get("__name__", "").split(".")):
            return frame.f_globals["dumps"]
        frame = frame.f_back
    return None


def is_global(x: Any) -> bool:
    """True if the module of `x` has it, by its name."""
    found: Any = sys.modules.get(x.__module__)
    for part in x.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is x


def unnamed(x: Any, name: str) -> RoseError:
    """The error of a function that plain pickle cannot take."""
    what = f"{name} cannot be pickled by name: {x.__module__}.{x.__qualname__} is not this function"
    return RoseError(what, here(), "write it at the top of a module, or use cloudpickle, as joblib and Dask do")


def whole(x: Any, dumps: Dumps) -> tuple[Any, ...] | None:
    """How `x` is pickled by value: in bytes of its own, by which it is found again. None for what is in others' bytes.

    A pool of processes sends a function along with each task: it is to be traced and compiled for the first only.
    """
    if _dumping.inside:
        return None
    _dumping.inside = True
    try:
        return _read, (dumps(x),)
    finally:
        _dumping.inside = False


def _read(data: bytes) -> Any:
    """The function that `whole` pickled: the same one for the same bytes, if it is among the last."""
    import pickle
    from hashlib import sha256

    key = sha256(data).digest()
    f = _loaded[key] = _loaded.pop(key, None) or pickle.loads(data)
    if len(_loaded) > _MOST:
        _loaded.popitem(last=False)
    return f


def again(transform: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """The result of a transform, made again where a pickle is read."""
    return transform(*args, **named)
