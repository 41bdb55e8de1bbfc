"""Raw calls: host functions and their exceptions, traps, and wasmtime's private interface.

All of it runs twice: through wasmtime's private calls of C, and without them.
"""

import ctypes
import os
import subprocess
import sys
import types as python_types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wasmtime
from handwritten_modules import (
    CALL_SIGNATURES,
    CALLS,
    Pair,
    Point,
    calling,
    func_of,
    in_threads,
    message,
    module,
    signature,
)
from handwritten_modules import add as add
from handwritten_modules import way as way
from paths import ROOT
from processes import INTERRUPTIBLE

from rose.errors import RoseError, TypeMismatch
from rose.frontend.annotations import as_type
from rose.frontend.decorators import opaque
from rose.ir.types import Bool, Fin, Real, Unit, Vec
from wasm_backend.runtime import raw_call
from wasm_backend.runtime.callables import Compiled

pytestmark = pytest.mark.usefixtures("way")


def test_an_opaque_function_of_numbers() -> None:
    seen: list[Any] = []

    def body(x: float) -> float:
        seen.append(x)
        return x * 10.0

    f = calling(body)
    assert f(2.0) == 22.0
    assert f.g(2.0) == 30.0
    assert seen == [2.0, 3.0]
    assert {type(x) for x in seen} == {float}
    assert calling(lambda x: np.float32(2))(1.0) == 3.0
    assert calling(lambda x: 2)(1.0) == 3.0


def test_scalars_of_all_kinds_to_an_opaque_function() -> None:
    seen: list[Any] = []

    def body(p: bool, i: int, nothing: None, x: float, empty: Any) -> int:
        seen.append((p, i, nothing, x, empty.shape))
        return i

    kinds = {"p": Bool, "i": Fin(2**32 - 1), "nothing": Unit, "x": Real, "empty": Vec(0, Real)}
    f = module(
        """(import "opaque" "host" (func $host (param i32 i32 f64) (result i32)))
           (memory (export "memory") 1)
           (func (export "f") (param i32 i32 f64) (result i32)
             (call $host (local.get 0) (local.get 1) (local.get 2)))""",
        signature("f", kinds, Fin(2**32 - 1)),
        imports=(func_of(body, kinds, Fin(2**32 - 1)),),
    )
    for p, i in [(True, 3), (False, 2**31), (True, 2**32 - 2)]:
        assert f(p, i, None, 1.5, []) == i
        assert seen[-1] == (p, i, None, 1.5, (0,))
        assert type(seen[-1][0]) is bool


AGGREGATES = """
  (import "opaque" "host" (func $host (param i32 i32)))
  (memory (export "memory") 1)
  (func (export "f") (call $host (i32.const 0) (i32.const 512)))
"""


def with_aggregates(body: Callable[..., Any]) -> Compiled:
    t, r = as_type({"p": Vec(2, as_type(Point)), "v": Vec(3, Real)}), as_type(Pair)
    return module(AGGREGATES, signature("f", {"x": (t, 0)}, r, 512), imports=(func_of(body, {"x": t}, r),))


def test_an_opaque_function_of_aggregates() -> None:
    seen: list[Any] = []

    def body(x: Any) -> Any:
        seen.append(x)
        return Pair(3, x["v"][:2] + x["p"][1].y)

    f = with_aggregates(body)
    for k in (1.0, 2.0):
        got = f({"p": [Point(1.0, 2.0), Point(3.0, 4.0)], "v": [k, 6.0, 7.0]})
        assert got.first == 3
        assert got.second.tolist() == [k + 4.0, 10.0]
    assert seen[0]["p"] == [Point(1.0, 2.0), Point(3.0, 4.0)]
    assert [x["v"].tolist() for x in seen] == [[1.0, 6.0, 7.0], [2.0, 6.0, 7.0]]
    assert isinstance(seen[0]["v"], np.ndarray)


@pytest.mark.parametrize(
    ("result", "what"),
    [
        (None, "the result of host must be a Pair, got None"),
        ((9, [1.0, 2.0]), "first of the result of host is out of range: 9"),
        ((1, [1.0]), "second of the result of host must have 2 elements, got 1"),
    ],
)
def test_a_wrong_aggregate_from_an_opaque_function(result: Any, what: str) -> None:
    f = with_aggregates(lambda x: result)
    with pytest.raises(RoseError) as e:
        f({"p": [(1, 2), (3, 4)], "v": [1, 2, 3]})
    assert e.value.message == what


def test_a_wrong_number_from_an_opaque_function() -> None:
    def body(x: float) -> Any:
        return "a"

    signatures = (signature("f", {"x": Real}, Real), signature("g", {"x": Real}, Real))
    body.__annotations__ = {"x": Real, "return": Real}
    f = module(CALLS, *signatures, imports=(opaque(body).func,))
    with pytest.raises(TypeMismatch) as e:
        f(1.0)
    assert message(e) == "the result of body must be a Real, got 'a' (str)"
    assert e.value.loc is not None
    assert e.value.loc.code.co_name == "body"


def test_an_opaque_function_without_a_result() -> None:
    seen: list[float] = []
    f = module(
        """(import "opaque" "host" (func $host (param f64)))
           (memory (export "memory") 1)
           (func (export "f") (param f64) (call $host (local.get 0)) (call $host (f64.const 2)))""",
        signature("f", {"x": Real}, Unit),
        imports=(func_of(seen.append, {"x": Real}, Unit),),
    )
    assert f(1.0) is None
    assert seen == [1.0, 2.0]


class Oops(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, Oops, ZeroDivisionError, RecursionError])
def test_an_exception_of_an_opaque_function_is_itself(kind: type[BaseException]) -> None:
    error = kind("mine")
    error.__cause__ = cause = ValueError("why")

    def body(x: float) -> float:
        if x > 1.0:
            raise error
        return x

    f = calling(body)
    for _ in range(3):
        with pytest.raises(kind, match="mine") as e:
            f(2.0)
        assert e.value is error
        assert e.value.__cause__ is cause
        assert f(1.0) == 2.0
    func: Any = wasmtime._func
    assert func.LAST_EXCEPTION is None
    assert f._module._local.free[0].raised == []


def test_an_exception_through_two_calls() -> None:
    def body(x: float) -> float:
        if x <= 0.0:
            raise LookupError("deep")
        try:
            return f(x - 1.0)
        except LookupError:
            if x == 2.0:
                return 100.0
            raise

    f = calling(body)
    assert f(3.0) == 105.0 - 2.0 + 2.0
    with pytest.raises(LookupError, match="deep"):
        f(1.0)


def test_exceptions_of_threads_are_not_mixed_up() -> None:
    def body(x: float) -> float:
        raise ValueError(x)

    f = module(CALLS, *CALL_SIGNATURES, imports=(func_of(body, {"x": Real}, Real),))

    def check(k: int) -> None:
        for i in range(100):
            x = float(1000 * k + i)
            with pytest.raises(ValueError, match=f"^{x}$"):
                f(x)

    in_threads(8, check)


TRAPS = """
  (func (export "dead") (param f64) (result f64) unreachable)
  (func (export "far") (param f64) (result f64) (f64.load (i32.const -8)))
  (func $deep (export "deep") (param f64) (result f64) (f64.add (f64.const 1) (call $deep (local.get 0))))
  (func (export "fine") (param f64) (result f64) local.get 0)
"""


@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("dead", "the compiled function stopped: wasm `unreachable` instruction executed", "please report it"),
        ("far", "the compiled function stopped: out of bounds memory access", "please report it"),
        ("deep", "the compiled function stopped: call stack exhausted", "nest too deeply"),
    ],
)
def test_traps(name: str, what: str, hint: str) -> None:
    f = module(TRAPS, *[signature(k, {"x": Real}, Real) for k in ("fine", "dead", "far", "deep")])
    for _ in range(3):
        with pytest.raises(RoseError) as e:
            f[name](1.0)
        assert message(e) == what
        assert hint in e.value.hint
        assert f(2.0) == 2.0


def fake(**changes: Any) -> Any:
    """wasmtime's private module, in part."""
    parts = ["wasmtime_context_t", "wasmtime_func_t", "wasmtime_val_raw_t", "wasm_trap_t", "wasm_functype_t"]
    parts += ["wasmtime_caller_t", "wasmtime_func_unchecked_callback_t", "wasmtime_func_new_unchecked", "dll"]
    return python_types.SimpleNamespace(**{**{k: getattr(raw_call._ffi, k) for k in parts}, **changes})


def test_private_parts_are_used_only_as_they_are_known() -> None:
    assert raw_call.find(fake()) is not None
    assert raw_call.find(None) is None
    for name in vars(fake()):
        changed = fake()
        delattr(changed, name)
        assert raw_call.find(changed) is None
    assert raw_call.find(fake(wasmtime_val_raw_t=ctypes.c_uint64)) is None
    assert raw_call.find(fake(wasmtime_func_unchecked_callback_t=ctypes.CFUNCTYPE(None))) is None
    assert raw_call.find(fake(wasmtime_func_t=ctypes.c_int)) is None
    assert raw_call.find(fake(dll=python_types.SimpleNamespace())) is None


SIGNALLED = """
import itertools, ctypes, signal
from wasm_backend.runtime import raw_call

raised = []
called = raw_call._CALLBACK(raw_call._callback("", "", lambda: None, raised))
signal_now = ctypes.PyDLL(None)["raise"]  # and Python runs no handler before the callback begins
first, second = itertools.chain(map(signal_now, [signal.SIGINT]), itertools.starmap(called, [(0, 0, 0, 0)]))
print(second != 0, raised)
"""


@pytest.mark.skipif(os.name == "nt", reason="the functions of C are elsewhere")
def test_a_signal_as_a_host_function_begins_is_its_exception():
    done = subprocess.run([sys.executable, "-c", SIGNALLED], capture_output=True, text=True, cwd=ROOT, **INTERRUPTIBLE)
    assert done.stdout + done.stderr == "True [KeyboardInterrupt()]\n"
