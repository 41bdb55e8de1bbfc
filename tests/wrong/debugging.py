"""Wrong programs: what is printed, and what is asserted."""

from __future__ import annotations

from typing import Any

import rose
from rose import Fn, Real, Vec, fn


def a_print_with_too_few_values() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        rose.print("x = {}, y = {}", x)
        return x

    return f


def a_print_of_a_value_alone() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        rose.print(x)  # pyright: ignore[reportArgumentType]
        return x

    return f


def a_print_with_a_name_in_it() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        rose.print("x = {x}", x)
        return x

    return f


def a_print_with_an_open_brace() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        rose.print("x = {", x)
        return x

    return f


def a_print_of_a_vector_with_digits() -> Fn[..., Any]:
    @fn
    def f(v: Vec[2]) -> Real:
        rose.print("v = {:.3f}", v)
        return v[0]

    return f


def a_print_of_a_number_with_a_width() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        rose.print("x = {:>8}", x)
        return x

    return f


def a_print_of_a_tangent() -> None:
    f = rose.fn([Real], Real)(lambda x: x)

    @f.jvp
    def _(x: Any) -> Any:
        rose.print("dx = {}", x.du)
        return x


def a_print_of_a_text_as_a_number() -> None:
    rose.print("{:.3f}", "three")


def an_assertion_without_a_text() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        rose.assert_(x > 0.0, x)  # pyright: ignore[reportArgumentType]
        return x

    return f


def an_assertion_of_a_number() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        rose.assert_(x, "x is there")
        return x

    return f


@fn
def root(x: Real) -> Real:
    rose.assert_(x >= 0.0, "only what is not negative has a root")
    return rose.sqrt(x)


def an_assertion_that_does_not_hold() -> None:
    root(-1.0)


def an_assertion_that_does_not_hold_in_a_derivative() -> None:
    rose.grad(root)(-1.0)


def an_assertion_of_what_python_knows() -> None:
    rose.assert_(len("") > 0, "there is a text")


def a_print_in_a_scan_that_is_evaluated_again() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        def turn(i: Any, s: Any) -> Any:
            rose.print("{}", s)
            return s * x

        return rose.scan(turn, x, 10, checkpoint="sqrt")

    return f


def a_nan_of_a_function_that_is_not_traced() -> None:
    rose.explain_nan(lambda x: x, 1.0)


def a_trace_table_of_an_unknown_mode() -> None:
    rose.trace_table(fn([Real], Real)(lambda x: x), 1.0, mode="backward")


def a_trace_table_of_a_result_without_an_adjoint() -> None:
    rose.trace_table(fn([Vec[2]], Vec[2])(lambda v: v), [1.0, 2.0], mode="reverse")


def a_trace_table_along_too_few_tangents() -> None:
    rose.trace_table(fn([Real, Real], Real)(lambda x, y: x * y), 1.0, 2.0, mode="forward", along=1.0)


def a_trace_table_with_too_many_rows() -> None:
    rose.trace_table(fn([Vec[9]], Real)(lambda v: rose.sum(v)), [1.0] * 9, most=5)


def a_trace_table_of_what_the_host_computes() -> None:
    host = rose.opaque(host_square)
    rose.trace_table(fn([Real], Real)(lambda x: host(x) * x), 3.0, mode="reverse")


def host_square(x: Real) -> Real:
    return x * x


def a_traced_value_in_a_format_string() -> Fn[..., Any]:
    @fn
    def f(x: Real) -> Real:
        raise ValueError(f"x is {x:.3f}")

    return f
