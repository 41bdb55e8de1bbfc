"""Raw calls into a module and out of it: single calls of wasmtime's C interface, with the numbers in a buffer.

wasmtime's own `Func.__call__` looks up the types of the function and wraps each number, at each call; so do its
callbacks. The C functions beneath are not part of its public interface. Therefore they are used only if their
signatures are those known here; otherwise `Func.__call__` does the same, slowly.
"""

from __future__ import annotations

import ctypes
import dis
import importlib
import os
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from types import CodeType
from typing import Any, NamedTuple

from wasmtime import Config, Func, FuncType, Store, Trap, TrapCode, ValType, WasmtimeError

from rose.errors import RoseError, here

from .handles import Engine

try:
    _resource: Any = importlib.import_module("resource")
except ImportError:  # on Windows
    _resource = None

try:
    _ffi: Any = importlib.import_module("wasmtime._ffi")
    _func: Any = importlib.import_module("wasmtime._func")
except ImportError:
    _ffi = _func = None

_pointer: Any = ctypes.POINTER
_cast: Any = ctypes.cast
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_FINALIZER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_SLOT = {"d": "d8x", "f": "f12x", "i": "I12x"}  # an argument or result in C: 16 bytes, which begin with the number
_HINTS = {
    TrapCode.STACK_OVERFLOW: "use a loop, which needs no stack, or give threads more with `ulimit -s`: its calls, or "
    "those of an opaque function back into it, nest too deeply for the stack of a thread",
    TrapCode.INTEGER_DIVISION_BY_ZERO: "give it an array with elements: an index is wrapped round, % n, with n = 0",
    TrapCode.MEMORY_OUT_OF_BOUNDS: "please report it, with the program: no program should touch that memory",
    TrapCode.UNREACHABLE: "please report it, with the program: no program should come to that point",
}


class _Private(NamedTuple):
    """The parts of wasmtime's private interface that are used."""

    call: Callable[..., int | None]
    new: Callable[..., None]
    callback: Any
    ffi: Any


def find(ffi: Any) -> _Private | None:
    """wasmtime's C functions; None if they are missing, or have other signatures than those known here."""
    try:
        context, func, raw = map(_pointer, (ffi.wasmtime_context_t, ffi.wasmtime_func_t, ffi.wasmtime_val_raw_t))
        trap, kind, caller = map(_pointer, (_pointer(ffi.wasm_trap_t), ffi.wasm_functype_t, ffi.wasmtime_caller_t))
        callback, count, env = ffi.wasmtime_func_unchecked_callback_t, ctypes.c_size_t, ctypes.c_void_p
        known = (
            ffi.dll.wasmtime_func_call_unchecked.argtypes == [context, func, raw, count, trap]
            and ffi.dll.wasmtime_func_new_unchecked.argtypes == [context, kind, callback, env, _FINALIZER, func]
            and callback._argtypes_ == (env, caller, raw, count)
            and ctypes.sizeof(ffi.wasmtime_val_raw_t) == 16
            and sys.byteorder == "little"
        )
        # looked up again, without argument types: the arguments are converted once, in advance
        call, new = ffi.dll["wasmtime_func_call_unchecked"], ffi.wasmtime_func_new_unchecked
    except (AttributeError, TypeError):
        return None
    call.restype = ctypes.c_void_p
    return _Private(call, new, callback, ffi) if known else None


private = find(_ffi)


# the stack

LEAST, KNOWN = 2**19, 2**21  # bytes of stack that every thread has; that every engine grants to a module


def engine(parallel: bool = True) -> Engine:
    """An engine whose modules may use half of a thread's stack, where its size is known.

    Calls nest as deeply as in the program: a chain of 10,000 calls takes 1 to 4 MB.
    """
    config, size = Config(), stack_size()
    config.parallel_compilation = parallel
    try:  # the engine refuses more than the stack of asynchronous calls, which are not used
        _ffi.wasmtime_config_async_stack_size_set(config.ptr(), max(size, KNOWN))
    except (AttributeError, TypeError, ctypes.ArgumentError):
        size = min(size, KNOWN)
    config.max_wasm_stack = size
    return Engine(config)


def stack_size() -> int:
    """The bytes of stack that a module may use."""
    known = sys.platform == "darwin" or "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", {})
    if _resource is None or not known:
        return LEAST
    limits = [_resource.getrlimit(_resource.RLIMIT_STACK)[0], threading.stack_size()]
    return max(LEAST, min([n for n in limits if n > 0], default=KNOWN) // 2)


# into the module


class Entry(NamedTuple):
    """An exported function, ready to call: write the arguments into the three views, and do `call(*args)`.

    Argument k is at 2k + 2, an f64 in `reals` and an i32 in `words`, and an f32 at 4k + 4 in `singles`; the
    result replaces the first argument. If the call returns anything but None, or leaves `words[0]` other than 0, it
    failed: raise `fail(returned)`.
    """

    call: Callable[..., Any]
    args: tuple[Any, ...]
    fail: Callable[[Any], BaseException]
    reals: memoryview[float]
    singles: memoryview[float]
    words: memoryview[int]
    keep: tuple[Any, ...]  # the objects that the addresses in `args` point to


def entry(store: Store, func: Func, params: str, result: str, raised: list[BaseException]) -> Entry:
    """An `Entry` to `func`: `params` and `result` have a "d" for each f64, an "f" for each f32, an "i" for each i32.

    `raised` receives the exceptions of host functions.
    """
    size = max(len(params), len(result))
    buffer = (ctypes.c_char * (16 * size + 16))()
    raw = memoryview(buffer).cast("B")
    reals, singles, words = raw.cast("d"), raw.cast("f"), raw.cast("Q")
    if private is None:
        call, args = _official, (store, func, params, result, reals, singles, words)
    else:
        call, at = private.call, ctypes.addressof(buffer)
        context = ctypes.cast(store._context(), ctypes.c_void_p)  # pyright: ignore
        callee = ctypes.c_void_p(ctypes.addressof(func._func))  # pyright: ignore
        args = (context, callee, ctypes.c_void_p(at + 16), ctypes.c_size_t(size), ctypes.c_void_p(at))
    return Entry(call, args, partial(_failure, words, raised), reals, singles, words, (store, func))


def addresses(call: Any, args: Sequence[Any]) -> list[int]:
    """The address of the function of C in an `Entry`, and its arguments: addresses, and the size of the buffer."""
    return [_cast(call, ctypes.c_void_p).value, *[x.value for x in args]]


def _official(
    store: Store, func: Func, params: str, result: str,
    reals: memoryview[float], singles: memoryview[float], words: memoryview[int],
) -> BaseException | None:  # fmt: skip
    """The same as the call of C, by `Func.__call__`: returns the exception, if there was one."""
    try:
        views = {"d": reals[2::2], "f": singles[4::4], "i": words[2::2]}
        returned = func(store, *[views[kind][k] for k, kind in enumerate(params)])
    except BaseException as e:
        return e
    if result == "d":
        reals[2] = returned
    elif result == "f":
        singles[4] = returned
    elif result == "i":
        words[2] = returned & 0xFFFFFFFF
    return None


def _failure(words: memoryview[int], raised: list[BaseException], error: Any) -> BaseException:
    """The exception of a failed call: that of a host function, or the reason of the trap as a `RoseError`."""
    if not isinstance(error, BaseException):
        error = _taken(error, words)
    if raised:
        if _func is not None and getattr(_func, "LAST_EXCEPTION", None) is raised[-1]:
            _func.LAST_EXCEPTION = None  # else it would be raised again, at the next trap of anybody
        return raised.pop()
    if not isinstance(error, Trap):
        return error
    code = error.trap_code
    what = str(error).splitlines()[-1].rpartition("wasm trap: ")[2].strip()
    hint = _HINTS.get(code) if code is not None else None
    return RoseError(f"the compiled function stopped: {what}", here(), hint or "please report it, with the program")


def _taken(error: int | None, words: memoryview[int]) -> BaseException:
    """The error or trap that a call of C returned, as an object of wasmtime that owns it."""
    assert private is not None
    if error is not None:
        at = _cast(error, _pointer(private.ffi.wasmtime_error_t))
        return WasmtimeError._from_ptr(at)  # pyright: ignore
    at = _cast(words[0], _pointer(private.ffi.wasm_trap_t))
    words[0] = 0
    return Trap._from_ptr(at)  # pyright: ignore


# out of the module


def host(
    store: Store, params: str, result: str, body: Callable[..., Any], raised: list[BaseException]
) -> tuple[Func, Any]:
    """A host function, an import that runs `body` on numbers; and the object that must live as long as it.

    An i32 is passed as an unsigned int. An exception is appended to `raised`, and stops the module with a trap.
    """
    kinds = {"d": ValType.f64, "f": ValType.f32, "i": ValType.i32}
    type = FuncType([kinds[k]() for k in params], [kinds[k]() for k in result])
    if private is None:
        return Func(store, type, _official_callback(params, result, body, raised)), None
    callback = _CALLBACK(_callback(params, result, body, raised))
    made = private.ffi.wasmtime_func_t()
    as_callback = ctypes.cast(callback, private.callback)
    private.new(store._context(), type.ptr(), as_callback, None, _FINALIZER(), ctypes.byref(made))  # pyright: ignore
    return Func._from_raw(made), callback  # pyright: ignore


def _callback(
    params: str, result: str, body: Callable[..., Any], raised: list[BaseException]
) -> Callable[..., int | None]:
    """`body` as C calls it: with the address of the arguments, which the result overwrites."""
    arguments = struct.Struct("<" + "".join([_SLOT[k] for k in params]))
    returned = struct.Struct("<" + result.replace("i", "I"))

    def callback(_env: Any, _caller: Any, raw: int, _count: int) -> int | None:
        try:
            x = body(*arguments.unpack(ctypes.string_at(raw, arguments.size)))
            if result:
                ctypes.memmove(raw, returned.pack(x), returned.size)
            return 0
        except BaseException as e:
            raised.append(e)
            assert private is not None
            return _cast(private.ffi.wasmtime_trap_new(b"stopped", 7), ctypes.c_void_p).value

    return _late(callback)


def _late(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, but Python runs no handlers of signals at its first instruction, which no `try` can contain.

    What they raise there is lost: C, which called, goes on with an arbitrary result, and would take it for a trap.
    """
    if sys.implementation.name == "cpython":
        f.__code__ = _late_code(f.__code__)
    return f


@cache
def _late_code(code: CodeType) -> CodeType:
    """The code with another argument of RESUME: that after an `await`, where no handlers are run."""
    at = next((i.offset for i in dis.get_instructions(code) if (i.opname, i.arg) == ("RESUME", 0)), None)
    if at is None:
        return code
    raw = bytearray(code.co_code)
    raw[at + 1] = 3
    return code.replace(co_code=bytes(raw))


def _official_callback(
    params: str, result: str, body: Callable[..., Any], raised: list[BaseException]
) -> Callable[..., Any]:
    """`body` as wasmtime's `Func` calls it: an i32 is signed."""

    def callback(*args: Any) -> Any:
        try:
            x = body(*[x & 0xFFFFFFFF if k == "i" else x for x, k in zip(args, params, strict=True)])
            return x - 2**32 if result == "i" and x >= 2**31 else x
        except BaseException as e:
            raised.append(e)
            raise

    return callback
