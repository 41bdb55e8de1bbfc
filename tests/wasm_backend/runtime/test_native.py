"""The native call: what it gives is what the call in Python gives, and it takes only what it can."""

from __future__ import annotations

import importlib.util
import math
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from wasm_backend.runtime import callables, native, raw_call


@pytest.fixture(scope="module")
def compiled_call(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The type of native calls, compiled into a folder of its own."""
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        pytest.skip("the headers of Python are not installed, so nothing can be compiled for it")
    try:
        made = native.build(tmp_path_factory.mktemp("native"))
    except OSError as e:
        pytest.skip(f"there is no compiler of C: {e}")
    spec = importlib.util.spec_from_file_location("wasm_backend.runtime._native", made)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Call


def checked(x: Any, y: Any) -> Any:
    rose.assert_(x < 100.0, "x is too large")
    return rose.sin(x) / y


def both(f: Callable[..., Any], call: Any, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Any, Any]:
    """The module of a function of two numbers, once called natively and once not."""
    g = fn([Real, Real], Real)(f)
    made = list[Any]()
    for kind in (call, None):
        monkeypatch.setattr(callables, "NativeCall", kind)
        compiled = rose.compile(g, **options)
        compiled.running  # noqa: B018 (which makes it)
        made.append(compiled)
    return made[0], made[1]


def outcome(call: Callable[[Any], Any], f: Any) -> Any:
    """What a call of `f` gives, with its type and bits; or what it raises."""
    try:
        x = call(f)
    except Exception as e:
        return type(e), str(e)
    return type(x), np.asarray(x).tobytes()


NUMBERS = (
    0.5,
    -0.0,
    math.inf,
    math.nan,
    1e-320,
    3,
    -7,
    2**53,
    2**53 + 1,
    -(2**63),
    2**64,
    10**400,
    True,
    np.float64(0.25),
    np.float32(0.5),
    "2",
    None,
    1 + 1j,
)


@pytest.mark.parametrize("x", NUMBERS, ids=lambda x: repr(x)[:20])
def test_each_number_gives_what_it_gives_in_python(x: Any, compiled_call: Any, monkeypatch: pytest.MonkeyPatch):
    fast, slow = both(checked, compiled_call, monkeypatch)
    assert type(fast.running.__call__) is compiled_call and type(slow.running.__call__) is not compiled_call
    for _ in range(2):
        for call in (lambda f: f(x, 2.0), lambda f: f(2.0, x)):
            assert outcome(call, fast) == outcome(call, slow)


@pytest.mark.parametrize(
    "call",
    [
        lambda f: f(0.5, y=2.0), lambda f: f(y=2.0, x=0.5), lambda f: f(0.5), lambda f: f(0.5, 1.0, 2.0),
        lambda f: f(0.5, z=1.0), lambda f: f(), lambda f: f(*[0.5, 2.0], out=None), lambda f: f.call([0.5, 2.0]),
        lambda f: f.call([0.5, 2.0], view=True), lambda f: f(0.5, 2.0, out=np.zeros(3)),
    ],
)  # fmt: skip
def test_names_options_and_counts_are_those_of_the_call_in_python(
    call: Callable[[Any], Any], compiled_call: Any, monkeypatch: pytest.MonkeyPatch
):
    fast, slow = both(checked, compiled_call, monkeypatch)
    assert fast(0.25, 1.0) == slow(0.25, 1.0)
    assert outcome(call, fast) == outcome(call, slow)


def test_a_failure_is_told_as_in_python_and_the_next_call_works(compiled_call: Any, monkeypatch: pytest.MonkeyPatch):
    fast, slow = both(checked, compiled_call, monkeypatch)
    for _ in range(2):
        found = [outcome(lambda f: f(1000.0, 1.0), f) for f in (fast, slow)]
        assert found[0] == found[1] and "x is too large" in found[0][1]
        assert fast(1.0, 2.0) == slow(1.0, 2.0)


def test_each_thread_gets_its_own_answers(compiled_call: Any, monkeypatch: pytest.MonkeyPatch):
    fast, slow = both(checked, compiled_call, monkeypatch)
    wanted = {x: slow(x, 2.0) for x in np.linspace(0.1, 5.0, 2000).tolist()}
    wrong = list[float]()

    def work(k: int) -> None:
        wrong.extend([x for x in list(wanted)[k::4] if fast(x, 2.0) != wanted[x]])

    for _ in range(3):  # a thread may have the number of one that has ended
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        assert fast(0.5, 2.0) == slow(0.5, 2.0)
        for t in threads:
            t.join()
    assert not wrong


def test_a_module_lives_as_long_as_its_call(compiled_call: Any, monkeypatch: pytest.MonkeyPatch):
    call = both(lambda x, y: x / y, compiled_call, monkeypatch)[0].running.__call__
    assert [call(0.5, 2.0), call(1.0, 2.0)] == [0.25, 0.5]


def test_without_the_interface_that_it_calls_every_call_is_slow(compiled_call: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(raw_call, "private", None)
    fast, slow = both(lambda x, y: x * y, compiled_call, monkeypatch)
    assert fast(3.0, 2.0) == slow(3.0, 2.0) == 6.0 and fast(3.0, y=2.0) == 6.0


def test_an_error_of_the_first_call_is_raised(compiled_call: Any):
    call = compiled_call(lambda x: x + 1.0, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        call(1.0)
    assert call(1.0) == 2.0


@rose.opaque
def seen(x: Real) -> Real:
    return x


@pytest.mark.parametrize(
    ("types", "result", "f", "options"),
    [
        ([Real], Real, lambda x: x * 2.0, dict(timeout=5.0)),
        ([Real], Real, lambda x: x * 2.0, dict(dtype="f32")),
        ([Real], Real, lambda x: seen(x), {}),
        ([Vec[2]], Real, lambda v: v[0] * v[1], {}),
        ([Real], Vec[2], lambda x: [x, x], {}),
        ([Real], rose.Bool, lambda x: x > 0.0, {}),
        ([rose.Fin[3]], Real, lambda i: i * 1.0, {}),
    ],
)
def test_a_call_of_another_kind_stays_in_python(
    types: Any, result: Any, f: Any, options: Any, compiled_call: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(callables, "NativeCall", compiled_call)
    assert type(rose.compile(fn(types, result)(f), **options).running.__call__) is not compiled_call


def test_a_compiler_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: "no-such-compiler" if name == "LDSHARED" else ".so")
    assert native.main() == 1
    assert "native.c was not compiled" in (told := capsys.readouterr().err) and "calls work without it" in told
