"""Calls of functions of the module, and of the host."""

from typing import Any

from harness import Module, compiled

import rose
from rose import Bool, Real, Vec, fn, opaque
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.codegen.costs import PARAMETERS_IN_LOCALS
from wasm_backend.lower import lower


def lines(f: Any) -> list[str]:
    return disassemble(lower({"f": f.func}).wasm).splitlines()


def test_aggregates_of_the_result_have_addresses_among_the_arguments():
    @fn
    def g(x: Real) -> tuple[Real, Vec[2], Bool]:
        return x, [x, x * x], x > 0.0

    f = fn([Real], Real)(lambda x: g(x)[1][1] + g(x)[0])
    assert "func g (f64 i32) -> (f64 i32)" in lines(f)
    assert compiled(f.func)(3.0) == 12.0


def test_a_function_of_very_many_numbers_gets_them_in_memory():
    n = PARAMETERS_IN_LOCALS + 1
    g = fn([Real] * n, Real)(lambda *xs: xs[0] - xs[-1])
    f = fn([Real, Real], Real)(lambda x, y: g(x, *[0.0] * (n - 2), y))
    assert "func <lambda> () -> (f64)" in lines(f)
    assert compiled(f.func)(5.0, 2.0) == 3.0


def test_the_host_gets_aggregates_as_a_whole():
    @opaque
    def swapped(p: tuple[Real, Vec[2]]) -> tuple[Vec[2], Real]:
        return p[1], p[0]

    f = fn([Real], Vec[3])(lambda x: (lambda v, y: [y, v[0], v[1]])(*swapped((x, [x + 1.0, x + 2.0]))))
    assert compiled(f.func)(1.0) == (1.0, 2.0, 3.0)


def test_an_assertion_that_does_not_hold_stops_the_module():
    @fn
    def f(x: Real) -> Real:
        rose.assert_(x > 0.0, "x must be positive")
        return x

    module = Module({"f": f.func})
    assert module["f"](1.0) == 1.0
    assert [why.message for why in module.lowered.failures] == ["x must be positive"]
    assert "    unreachable" in lines(f)
