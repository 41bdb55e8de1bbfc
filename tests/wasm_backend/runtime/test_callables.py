"""Calling modules from Python: numbers, names, pickles.

All of it runs twice: through wasmtime's private calls of C, and without them.
"""

import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import wasmtime
from handwritten_modules import (
    ADD,
    ADD_SIGNATURE,
    CALL_SIGNATURES,
    CALLS,
    Mixed,
    Pair,
    calling,
    identity,
    lowered,
    message,
    module,
    signature,
)
from handwritten_modules import add as add
from handwritten_modules import way as way

from rose.errors import OutOfRange, RoseError, TypeMismatch
from rose.frontend.annotations import as_type
from rose.frontend.decorators import opaque
from rose.ir import Func, types
from rose.ir.types import Bool, Fin, Real, Type, Unit, Vec
from wasm_backend.abi.signature import Lowered
from wasm_backend.runtime.callables import Compiled

pytestmark = pytest.mark.usefixtures("way")


# scalars


@pytest.mark.parametrize("y", [2, 2.0, np.float64(2), np.float32(2), np.int8(2), np.array(2.0), np.array(2)])
def test_a_real_is_any_real_number(add: Compiled, y: Any) -> None:
    got = add(1.5, y)
    assert got == 3.5
    assert type(got) is float
    assert add(y, 1.5) == 3.5


def test_every_bit_arrives(add: Compiled) -> None:
    assert str(add(-0.0, -0.0)) == "-0.0"
    assert add(float("inf"), 1.0) == float("inf")
    assert np.isnan(add(float("nan"), 1.0))
    assert add(5e-324, 0.0) == 5e-324


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (True, "y must be a Real, got True (bool)"),
        (np.True_, f"y must be a Real, got {np.True_!r} (bool)"),
        ("a", "y must be a Real, got 'a' (str)"),
        (None, "y must be a Real, got None"),
        (1j, "y must be a Real, got 1j (complex)"),
        (np.complex128(1), f"y must be a Real, got {np.complex128(1)!r} (complex128)"),
        (Decimal(1), "y must be a Real, got Decimal('1') (Decimal)"),
        ([1.0], "y must be a Real, got [1.0] (list)"),
        (np.array([1.0]), "y must be a Real, got array([1.]) (ndarray)"),
        (10**400, "y must be a Real, got 1000000000000000000000000000000000000... (int)"),
    ],
)
def test_what_is_no_real_number_is_refused(add: Compiled, y: Any, what: str) -> None:
    with pytest.raises(TypeMismatch) as e:
        add(1.0, y)
    assert message(e) == what
    with pytest.raises(TypeMismatch) as e:
        add(x=1.0, y=y)
    assert message(e) == what
    assert add(1.0, 2.0) == 3.0


def test_a_traceback_shows_nothing_of_us(add: Compiled) -> None:
    with pytest.raises(TypeMismatch) as e:
        add(1.0, "a")
    assert len(e.traceback) == 1
    assert e.value.__cause__ is None


ONCE = "give it by its place, or by its name"


def test_arguments_by_name(add: Compiled) -> None:
    assert add(x=1.0, y=2.0) == add(1.0, y=2.0) == add(y=2.0, x=1.0) == 3.0


@pytest.mark.parametrize(
    ("args", "named", "what", "hint"),
    [
        ((), {}, "add takes 2 arguments (x, y), got 0", "x is missing"),
        ((1.0,), {}, "add takes 2 arguments (x, y), got 1", "y is missing"),
        ((), {"y": 1.0}, "add takes 2 arguments (x, y), got 1", "x is missing"),
        ((1.0, 2.0, 3.0), {}, "add takes 2 arguments (x, y), got 3", "leave out 1"),
        ((1.0, 2.0), {"z": 3.0}, "add takes 2 arguments (x, y): z is unknown", "write one of x, y"),
        ((1.0,), {"z": 3.0}, "add takes 2 arguments (x, y): z is unknown", "write one of x, y"),
        (
            (1.0, 2.0),
            {"x": 3.0},
            "add takes 2 arguments (x, y): x is given twice",
            "give it by its place, or by its name",
        ),
        ((1.0,), {"x": 3.0}, "add takes 2 arguments (x, y): x is given twice", ONCE),
    ],
)
def test_wrong_number_of_arguments(
    add: Compiled, args: tuple[float, ...], named: dict[str, float], what: str, hint: str
) -> None:
    with pytest.raises(TypeMismatch) as e:
        add(*args, **named)
    assert message(e) == what
    assert e.value.hint == hint


def test_no_arguments() -> None:
    f = module('(func (export "f") (result f64) f64.const 4)', signature("f", {}, Real))
    assert f() == 4.0
    with pytest.raises(TypeMismatch) as e:
        f(1.0)
    assert message(e) == "f takes no arguments, got 1"


def test_bool() -> None:
    f = module('(func (export "f") (param i32) (result i32) local.get 0 i32.eqz)', signature("f", {"p": Bool}, Bool))
    assert f(True) is False
    assert f(False) is True
    assert f(np.True_) is False
    assert f(np.array(False)) is True
    for p in (1, 0.0, None, "a", np.int64(1)):
        with pytest.raises(TypeMismatch, match=r"^p must be a Bool, got "):
            f(p)


def test_index() -> None:
    f = module(
        '(func (export "f") (param i32) (result i32) local.get 0)', signature("f", {"i": Fin(2**32 - 1)}, Fin(2**32))
    )
    for i in (0, 7, 2**31 - 1, 2**31, 2**32 - 2, np.int64(2**31)):
        assert f(i) == i
        assert type(f(i)) is int
    for i in (2**32 - 1, -1, 2**70):
        with pytest.raises(OutOfRange, match=f"^i is out of range: {i}"):
            f(i)
    for i in (1.0, True, "a", None, np.float64(1)):
        with pytest.raises(TypeMismatch, match=r"^i must be a Fin\[4294967295\], got "):
            f(i)


def test_unit() -> None:
    f = module('(func (export "f") (param f64))', signature("f", {"nothing": Unit, "x": Real}, Unit))
    assert f(None, 1.0) is None
    with pytest.raises(TypeMismatch) as e:
        f(0, 1.0)
    assert message(e) == "nothing must be a Unit, got 0 (int)"


def test_parameters_called_out_and_view() -> None:
    t = Vec(2, Real)
    f = module(
        """(func (export "f") (param f64)
             (f64.store (i32.const 64) (f64.load (i32.const 0))) (f64.store (i32.const 72) (local.get 0)))""",
        signature("f", {"out": (t, 0), "view": Real}, t, 64),
    )
    assert f(out=[1.0, 2.0], view=3.0).tolist() == [1.0, 3.0]
    into = np.zeros(2)
    assert f.call([[1.0, 2.0], 3.0], out=into) is into
    assert into.tolist() == [1.0, 3.0]
    assert not f.call(([1.0, 2.0], 3.0), view=True).flags.writeable
    assert f.call(([1.0, 2.0], 3.0)).flags.writeable
    with pytest.raises(TypeMismatch, match=r"^f takes 2 arguments"):
        f.call([1.0])


def test_names_that_python_does_not_allow() -> None:
    f = module(ADD.replace('"add"', '"lambda"'), signature("lambda", {"class": Real, "a0": Real}, Real))
    assert f(1.0, 2.0) == 3.0
    assert f(1.0, a0=2.0) == f(**{"class": 1.0, "a0": 2.0}) == 3.0
    assert str(f.signature) == "(x0: Real, x1: Real) -> Real"
    with pytest.raises(TypeMismatch) as e:
        f(None, 1.0)
    assert message(e) == "class must be a Real, got None"


# what a user holds


def test_several_functions() -> None:
    f = module(
        f"""{ADD} (func (export "wasm") (result f64) f64.const 5)
            (func (export "neg") (param f64) (result f64) local.get 0 f64.neg)""",
        ADD_SIGNATURE,
        signature("neg", {"x": Real}, Real),
        signature("wasm", {}, Real),
        doc="The sum.",
    )
    assert f(1.0, 2.0) == f["add"](1.0, 2.0) == f.add(1.0, 2.0) == 3.0
    assert f.neg(1.0) == f["neg"](1.0) == -1.0
    assert f.neg is f["neg"]
    assert f["wasm"]() == 5.0
    assert f.wasm[:4] == b"\0asm"
    assert list(f.signatures) == ["add", "neg", "wasm"]
    assert "neg" in dir(f)
    assert callable(f)
    assert (f.__name__, f.__doc__) == ("add", "The sum.")
    assert "out=array" in str(f.neg.__doc__)
    assert repr(f) == "<compiled add(x: Real, y: Real) -> Real>"
    assert repr(f.neg) == "<compiled neg(x: Real) -> Real>"
    assert list(f.signature.parameters) == ["x", "y"]
    assert f.signature.parameters["x"].annotation is Real
    with pytest.raises(RoseError) as e:
        f["mul"]
    assert message(e) == "the module has no function 'mul'"
    assert e.value.hint == "it has add, neg, wasm"
    with pytest.raises(AttributeError, match=r"^the module has no function 'mul'"):
        _ = f.mul


def test_a_memory_without_room() -> None:
    f = Compiled(lowered(f'(memory (export "memory") 0) {ADD}', ADD_SIGNATURE), "add")
    assert f(1.0, 2.0) == f(1.0, 2.0, view=True) == 3.0


def test_it_is_open_for_more() -> None:
    class Built(Compiled):
        """With a method of its own."""

        def save(self) -> bytes:
            return self.wasm

    f = Built(lowered(f'(memory (export "memory") 1) {ADD}', ADD_SIGNATURE), "add")
    assert f(1.0, 2.0) == 3.0
    assert f.save() == f.wasm
    assert f.add is f


def test_nothing_is_compiled_before_the_first_call() -> None:
    broken = Compiled(Lowered(b"\0asm nonsense", {"add": ADD_SIGNATURE}, ()), "add")
    assert repr(broken).startswith("<compiled")
    with pytest.raises(wasmtime.WasmtimeError):
        broken(1.0, 2.0)


def test_large_vectors() -> None:
    n = 1_000_000
    x = np.random.default_rng(0).normal(size=n)
    assert (identity(Vec(n, Real))(x) == x).all()


# pickles


needs_types_that_pickle = pytest.mark.skipif("__reduce__" not in vars(types.Fin), reason="types do not pickle yet")


def triple(x: Real) -> Real:
    return x * 3.0


@opaque
def double(x: Real) -> Real:
    return x * 2.0


def copied(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


@needs_types_that_pickle
def test_pickles() -> None:
    f = module(
        f'{ADD} (func (export "two") (result f64) f64.const 2)', ADD_SIGNATURE, signature("two", {}, Real), doc="Sum."
    )
    assert f(1.0, 2.0) == 3.0
    g = copied(f)
    assert (g(1.0, 2.0), g.two(), g.wasm, g.__name__, g.__doc__) == (3.0, 2.0, f.wasm, "add", "Sum.")
    assert type(g) is Compiled
    assert copied(f.two)() == 2.0


@needs_types_that_pickle
@pytest.mark.parametrize("t", [Vec(2, Vec(3, Real)), as_type(Mixed), as_type(Pair), as_type({"a": Real, "b": Bool})])
def test_signatures_come_back_as_they_were(t: Type) -> None:
    f = identity(t)
    g = copied(f)
    assert g.signatures == f.signatures
    assert g.signature.return_annotation is t
    assert pickle.dumps(copied(g)) == pickle.dumps(g)


@needs_types_that_pickle
@pytest.mark.parametrize("func", [double.func, opaque(name="Math.triple")(triple).func])
def test_opaque_functions_pickle_by_name(func: Func) -> None:
    f = module(CALLS, *CALL_SIGNATURES, imports=(func,))
    g = copied(f)
    assert g(5.0) == f(5.0)
    assert g.lowered.imports[0].impl is func.impl
    assert g.lowered.imports[0].name == func.name


def test_an_opaque_function_that_cannot_be_found_again() -> None:
    f = calling(lambda x: x)
    with pytest.raises(RoseError) as e:
        pickle.dumps(f)
    assert message(e).startswith("the opaque function host cannot be pickled: ")
    assert "at the top of a module" in e.value.hint
