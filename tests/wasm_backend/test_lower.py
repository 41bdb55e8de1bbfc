"""Lowering: a module for some exports, with what they call and nothing else."""

from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, RoseError, Vec, fn, opaque
from rose.ir import Func
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower, wrapper


@fn
def square(x: Real) -> Real:
    return x * x


@fn
def twice(x: Real) -> Real:
    return square(x) + square(x + 1.0)


@fn
def summed(x: Vec[64]) -> Real:
    return rose.sum(rose.sqrt(x[i]) * x[i] / (1.0 + x[i]) for i in rose.range(64))


def text(**exports: Func) -> str:
    return disassemble(lower(exports).wasm)


def test_a_callee_is_written_once_and_an_export_is_its_own_function():
    lines = text(twice=twice.func, square=square.func).splitlines()
    assert [line for line in lines if line.startswith("func ")] == [
        "func square (f64) -> (f64)", "func twice (f64) -> (f64)", "func square (f64) -> (f64)",
    ]  # fmt: skip


def test_the_same_functions_give_the_same_bytes():
    assert lower({"f": twice.func}).wasm == lower({"f": twice.func}).wasm


@pytest.mark.parametrize("name", ["memory", "#f"])
def test_names_of_ours_cannot_be_exported(name: str):
    with pytest.raises(RoseError, match="cannot be exported"):
        lower({name: square.func})


def test_a_module_with_vectors_has_a_plain_one_beside_it():
    made, plain = lower({"f": summed.func}, simd=True), lower({"f": summed.func})
    assert made.plain is not None and made.plain.wasm == plain.wasm != made.wasm
    assert made.signatures == plain.signatures


def test_a_module_in_which_no_loop_is_vectorised_is_the_plain_one():
    made = lower({"f": square.func}, simd=True)
    assert made.plain is None and made.wasm == lower({"f": square.func}).wasm


def test_a_wrapper_has_the_parameters_of_what_it_calls():
    @opaque
    def host(x: Real, v: Vec[2]) -> Real:
        return x + v[0]

    made = wrapper(host.func)
    assert made.has_body and [p.attr for p in made.params] == ["x", "v"]
    assert [v.attr for v in made.body.code] == [host.func]


@opaque
def seen(x: Real) -> Real:
    return x


@fn
def shown(x: Real) -> Real:
    rose.print("{}", x)
    return x


@fn
def asserted(x: Real) -> Real:
    rose.assert_(x > 0.0, "x is positive")
    return x


def of(body: Callable[[Any], Any]) -> Func:
    return fn([Real], Real)(body).func


CALLING: dict[str, tuple[Func, bool]] = {
    "square": (square.func, False), "asserted": (asserted.func, False), "shown": (shown.func, True),
    "seen": (seen.func, True), "by_a_callee": (of(lambda x: shown(x) * 2.0), True),
    "in_a_branch": (of(lambda x: rose.cond(x > 0.0, lambda: shown(x), lambda: x)), True),
    "in_a_loop": (of(lambda x: rose.while_loop(lambda y: y < 9.0, lambda y: shown(y) + 1.0, x)), True),
}  # fmt: skip


def test_a_signature_tells_whether_its_function_calls_the_page():
    module = lower({name: f for name, (f, _) in CALLING.items()})
    assert {name: s.calls for name, s in module.signatures.items()} == {k: calls for k, (_, calls) in CALLING.items()}
    assert [k for k, s in module.signatures.items() if "calls" in s.describe()] == [k for k in CALLING if CALLING[k][1]]


def doubled(x: Any) -> Any:
    return rose.while_loop(lambda y: y < 9.0, lambda y: y * y, x)


FAILING: dict[str, tuple[Func, bool]] = {
    "square": (square.func, False), "shown": (shown.func, False), "asserted": (asserted.func, True),
    "by_a_callee": (of(lambda x: asserted(x) * 2.0), True),
    "in_a_branch": (of(lambda x: rose.cond(x > 0.0, lambda: asserted(x), lambda: x)), True),
    "in_a_loop": (of(lambda x: rose.while_loop(lambda y: y < 9.0, lambda y: asserted(y) + 1.0, x)), True),
    "loop": (of(lambda x: rose.while_loop(lambda y: y < 9.0, lambda y: y + 1.0, x)), False),
    "with_a_limit": (of(lambda x: rose.while_loop(lambda y: y < 9.0, lambda y: y + 1.0, x, max_iter=5)), True),
    "with_a_tape": (rose.grad(fn([Real], Real)(doubled)).func, True),
    "after_one": (of(lambda x: x + 2.0), False),
}  # fmt: skip


def test_a_signature_tells_whether_its_function_may_fail():
    module = lower({name: f for name, (f, _) in FAILING.items()})
    assert {name: s.fails for name, s in module.signatures.items()} == {k: fails for k, (_, fails) in FAILING.items()}
    assert [k for k, s in module.signatures.items() if "fails" in s.describe()] == [k for k in FAILING if FAILING[k][1]]
