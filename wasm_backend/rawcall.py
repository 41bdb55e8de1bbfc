"""One call of an exported function as one call of C, through numbers laid out in a buffer beforehand.

wasmtime's own `Func.__call__` asks for the types of the function and wraps each number, at each call. The
call of C beneath it is not part of wasmtime's public interface, so it is used only where it looks as it
did when this was written; everywhere else `Func.__call__` does the same, slowly.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from rose.errors import RoseError, here
from wasmtime import Func, Store, Trap, TrapCode, WasmtimeError

try:
    _ffi: Any = importlib.import_module("wasmtime._ffi")
    _func: Any = importlib.import_module("wasmtime._func")
except ImportError:
    _ffi = _func = None

_CALL = "wasmtime_func_call_unchecked"
_HINTS = {
    TrapCode.STACK_OVERFLOW: "its calls, or those of an opaque function back into it, nest too deeply",
    TrapCode.UNREACHABLE: "it came to a point that no program should come to: please report it, with the program",
    TrapCode.MEMORY_OUT_OF_BOUNDS: "no program should read or write there: please report it, with the program",
}


class Entry(NamedTuple):
    """An exported function, ready: put its arguments into `reals` or `words`, and do `call(*args)`.

    The k-th argument is at 2k, an f64 in `reals` and an i32 in `words`; the result comes at 0. The call
    failed if it gives anything but None, or if `words[trap]` is not 0: then raise what `fail` makes of it.
    """

    call: Callable[..., Any]
    args: tuple[Any, ...]
    fail: Callable[[Any], BaseException]
    reals: memoryview
    words: memoryview
    trap: int
    keep: tuple[Any, ...]  # what the addresses in `args` point into


def find(ffi: Any) -> Callable[..., Any] | None:
    """The call of C, if it and what it reads are there and have the shape that is known."""
    try:
        declared = ffi.dll[_CALL].__class__ and getattr(ffi, f"_{_CALL}", None) or _declared(ffi)
        context, func, raw, trap = (
            ctypes.POINTER(t)
            for t in (ffi.wasmtime_context_t, ffi.wasmtime_func_t, ffi.wasmtime_val_raw_t, ctypes.POINTER(ffi.wasm_trap_t))
        )
        known = [context, func, raw, ctypes.c_size_t, trap]
    except (AttributeError, TypeError):
        return None
    return None
