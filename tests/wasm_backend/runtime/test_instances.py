"""Instances: one for each thread and each nested call, and all of them freed in time.

All of it runs twice: through wasmtime's private calls of C, and without them.
"""

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from handwritten_modules import (
    ADD,
    ADD_SIGNATURE,
    CALL_SIGNATURES,
    CALLS,
    calling,
    func_of,
    identity,
    in_threads,
    message,
    module,
    signature,
)
from handwritten_modules import add as add
from handwritten_modules import way as way

from rose.errors import RoseError
from rose.ir.types import Real, Vec
from wasm_backend.runtime import code_cache, handles

pytestmark = pytest.mark.usefixtures("way")


def test_nothing_is_kept_alive_in_vain() -> None:
    """No cycle: the store goes with the last name of the function, without the garbage collector."""
    gc.disable()
    try:
        f = identity(Vec(3, Real))
        f([1.0, 2.0, 3.0])
        store = weakref.ref(f._module._local.own.store)
        view = f([1.0, 2.0, 3.0], view=True)
        del f
        assert store() is not None
        del view
        assert store() is None
        g = module(CALLS, *CALL_SIGNATURES, imports=(func_of(lambda x: x, {"x": Real}, Real),))
        g(1.0)
        stores = [weakref.ref(x.store) for x in g._module._local.free]
        del g
        assert [x() for x in stores] == [None]
    finally:
        gc.enable()


SQUARE_SUM = """
  (func (export "f") (param f64) (local i32)
    (f64.store (i32.const 8192) (local.get 0))
    (loop
      (f64.store (i32.add (i32.const 4096) (local.get 1))
        (f64.add (f64.load (i32.const 8192)) (f64.load (local.get 1))))
      (local.set 1 (i32.add (local.get 1) (i32.const 8)))
      (br_if 0 (i32.lt_u (local.get 1) (i32.const 800)))))
"""


def test_threads() -> None:
    t = Vec(100, Real)
    f = module(SQUARE_SUM, signature("f", {"v": (t, 0), "x": Real}, t, 4096))

    def body(k: int) -> None:
        v = np.arange(100.0) * (k + 1)
        for i in range(300):
            assert (f(v, float(i)) == v + i).all()

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        in_threads(8, body)
    finally:
        sys.setswitchinterval(switch)


def test_threads_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = handles.MachineCode

    def counted(*args: Any) -> Any:
        made.append(1)
        return original(*args)

    monkeypatch.setattr(code_cache, "MachineCode", counted)
    f = module(ADD, ADD_SIGNATURE)
    in_threads(8, lambda k: [f(1.0, float(k)) for _ in range(10)] and None)
    assert made == [1]


@pytest.mark.slow
def test_the_instance_of_a_thread_goes_with_it() -> None:
    f = module(ADD, ADD_SIGNATURE)
    stores: list[Any] = []
    in_threads(1, lambda _: stores.append((f(1.0, 2.0), weakref.ref(f._module._local.own.store))[1]))
    gc.collect()
    assert stores[0]() is None
    assert f(1.0, 2.0) == 3.0


def test_memory_that_grew_meanwhile() -> None:
    t = Vec(2, Real)
    f = module(
        """(import "opaque" "host" (func $host (param i32 i32)))
           (memory (export "memory") 1)
           (func (export "f") (result f64) (local i32)
             (local.set 0 (i32.mul (memory.grow (i32.const 1)) (i32.const 65536)))
             (f64.store (local.get 0) (f64.const 3))
             (call $host (local.get 0) (i32.add (local.get 0) (i32.const 64)))
             (f64.load (i32.add (local.get 0) (i32.const 72))))""",
        signature("f", {}, Real),
        imports=(func_of(lambda v: [0.0, v[0] + 1.0], {"v": t}, t),),
    )
    for _ in range(5):
        assert f() == 4.0


def test_a_call_within_a_call() -> None:
    """f(x) = f(x - 1) + x, where the memory still has to hold x after the inner call."""

    def body(x: float) -> float:
        return f(x - 1.0) if x > 0.0 else 0.0

    f = calling(body)
    assert f(5.0) == 15.0
    assert len(f._module._local.free) == 6
    assert f(3.0) == 6.0
    assert len(f._module._local.free) == 6


def test_a_call_of_another_function_of_the_module_within_a_call() -> None:
    f = calling(lambda x: f.g(x) if x < 3.0 else x)
    assert f(2.0) == 5.0


def test_threads_and_calls_within_calls() -> None:
    f = calling(lambda x: f(x - 1.0) if x > 0.0 else 0.0)
    in_threads(8, lambda k: [1 / (f(float(k)) == k * (k + 1) / 2) for _ in range(20)] and None)


def test_endless_calls_within_calls() -> None:
    f = calling(lambda x: f(x))
    with pytest.raises(RoseError) as e:
        f(1.0)
    assert message(e) == "50 calls wait for one another"
