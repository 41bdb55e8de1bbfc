"""Modules written by hand, to the contract of `wasm_backend/abi`, for the tests of what runs them."""

import dataclasses
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import wasmtime

import rose
from rose.errors import RoseError
from rose.frontend.decorators import opaque
from rose.ir import Func
from rose.ir.types import Bool, Fin, Real, Type, Vec
from wasm_backend.abi.layout import size
from wasm_backend.abi.signature import Lowered, Signature, Slot
from wasm_backend.runtime import raw_call
from wasm_backend.runtime.callables import Compiled


@pytest.fixture(params=["raw", "official"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With wasmtime's private calls, and as if they were not there."""
    if request.param == "official":
        monkeypatch.setattr(raw_call, "private", None)
    else:
        assert raw_call.private is not None
    return request.param


@rose.struct
class Point:
    x: Real
    y: Real


@dataclasses.dataclass
class Mixed:
    flag: Bool
    x: Real
    k: Fin(7)
    v: Vec(2, Vec(3, Real))
    point: Point


class Pair(NamedTuple):
    first: Fin(9)
    second: Vec(2, Real)


# modules


def signature(name: str, params: dict[str, Type | tuple[Type, int]], result: Type, at: int | None = None) -> Signature:
    slots = [Slot(k, *(t if isinstance(t, tuple) else (t, None))) for k, t in params.items()]
    return Signature(name, tuple(slots), Slot("result", result, at))


def lowered(wat: str, *signatures: Signature, imports: tuple[Func, ...] = ()) -> Lowered:
    wasm = wasmtime.wat2wasm(f"(module {wat})")
    return Lowered(bytes(wasm), {s.name: s for s in signatures}, imports)


def module(wat: str, *signatures: Signature, imports: tuple[Func, ...] = (), doc: str | None = None) -> Compiled:
    made = lowered(wat if imports else f'(memory (export "memory") 1) {wat}', *signatures, imports=imports)
    return Compiled(made, signatures[0].name, doc)


def identity(t: Type) -> Compiled:
    """The function that gives back its argument, which lies in memory."""
    at = -(-(16 + size(t)) // 8) * 8
    pages = (at + size(t)) // 65536 + 1
    wat = f"""(memory (export "memory") {pages})
      (func (export "id") (memory.copy (i32.const {at}) (i32.const 16) (i32.const {size(t)})))"""
    return Compiled(lowered(wat, signature("id", {"x": (t, 16)}, t, at)), "id")


ADD = '(func (export "add") (param f64 f64) (result f64) local.get 0 local.get 1 f64.add)'
ADD_SIGNATURE = signature("add", {"x": Real, "y": Real}, Real)


@pytest.fixture
def add() -> Compiled:
    return module(ADD, ADD_SIGNATURE)


def message(error: pytest.ExceptionInfo[RoseError]) -> str:
    """What is said first; the place must be in the file of the test, and what our code did must not be shown."""
    loc = error.value.loc
    assert loc is not None
    assert loc.position()[0] == sys._getframe(1).f_code.co_filename
    assert error.value.message == str(error.value).splitlines()[0]
    return error.value.message


def func_of(body: Callable[..., Any], params: dict[str, Type], result: Type, name: str = "host") -> Func:
    """An opaque function, as `@opaque` makes it."""
    names = list(params)
    scope: dict[str, Any] = {"body": body}
    exec(f"def {name}({', '.join(names)}): return body({', '.join(names)})", scope)
    f = scope[name]
    f.__annotations__ = {**params, "return": result}
    return opaque(name=name)(f).func


CALLS = """
  (import "opaque" "host" (func $host (param f64) (result f64)))
  (memory (export "memory") 1)
  (func (export "f") (param f64) (result f64)
    (f64.store (i32.const 0) (local.get 0))
    (f64.add (call $host (local.get 0)) (f64.load (i32.const 0))))
  (func (export "g") (param f64) (result f64)
    (f64.store (i32.const 0) (local.get 0))
    (call $host (f64.add (local.get 0) (f64.const 1))))
"""
CALL_SIGNATURES = (signature("f", {"x": Real}, Real), signature("g", {"x": Real}, Real))


def calling(body: Callable[[float], Any]) -> Compiled:
    return module(CALLS, *CALL_SIGNATURES, imports=(func_of(body, {"x": Real}, Real),))


def in_threads(count: int, body: Callable[[int], None]) -> None:
    failures: list[BaseException] = []
    start = threading.Barrier(count)

    def run_one(k: int) -> None:
        try:
            start.wait()
            body(k)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=run_one, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []
