"""Wrong programs: values outside of where they mean something; places that are hard to point at."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

import rose
from rose import Dual, Real, Unit, Vec, fn

# values outside of where they mean something


def a_value_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x * 2.0)
        return x

    _ = f.func
    return kept[0] + 1.0


def a_condition_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x > 0.0)
        return x

    _ = f.func
    return 1.0 if kept[0] else 2.0


def a_value_of_another_function():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x)
        return x

    @fn
    def g(y: Real) -> Real:
        return y + kept[0]

    _ = f.func
    return g


def a_value_of_another_function_returned():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x)
        return x

    @fn
    def g(y: Real) -> Real:
        return kept[0]

    _ = f.func
    return g


def a_global_assigned_in_a_trace():
    @fn
    def f(x: Real) -> Real:
        global leaked
        leaked = x * 2.0
        return x

    @fn
    def g(x: Real) -> Real:
        return x + leaked

    _ = f.func
    return g


leaked: Any = None


def a_value_of_a_loop_after_it():
    @fn
    def f(v: Vec[3]) -> Real:
        total = 0.0
        for i in rose.range(3):
            total = total + v[i]
        return total

    return f


def a_value_of_a_loop_used_after_it():
    @fn
    def f(v: Vec[3]) -> Real:
        for i in rose.range(3):
            last = v[i]
        return 1.0 + last * 2.0

    return f


def a_list_of_what_a_loop_made():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return [2.0 * v[i] for i in rose.range(3)]

    return f


def the_builtin_sum_over_a_loop():
    @fn
    def f(v: Vec[3]) -> Real:
        return sum(v[i] for i in rose.range(3))

    return f


def a_traced_value_outside_of_any_trace():
    return rose.vec([1.0, 2.0])


def an_accumulator_outside_of_any_trace():
    total = rose.accum(0.0)
    total += 1.0
    return total.value


def a_loop_outside_of_any_trace():
    for i in rose.range(3):
        print(i)


def a_unit_as_a_number():
    @fn
    def nothing(x: Real) -> Unit:
        return None

    @fn
    def f(x: Real) -> Real:
        return x + nothing(x)

    return f


def an_item_of_a_vector_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(v: Vec[3]) -> Vec[3]:
        kept.append(v)
        return v

    _ = f.func
    return kept[0][1]


def a_function_of_a_value_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x)
        return x

    _ = f.func
    return rose.sin(kept[0])


def a_truth_of_a_value_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x > 0.0)
        return x

    _ = f.func
    return 1.0 if kept[0] else 2.0


def kept(scale: float) -> list[Any]:
    found: list[Any] = []

    @fn
    def f(x: Real, v: Vec[3]) -> Real:
        found.extend([x * scale, v * scale])
        return x

    _ = f.func
    return found


def a_value_kept_from_a_trace_as_a_float():
    return float(kept(2.0)[0])


def a_value_kept_from_a_trace_in_an_f_string():
    return f"{kept(2.0)[0]:.2f}"


def values_kept_from_a_trace_as_an_array():
    return np.sum(kept(2.0))


def a_vector_kept_from_a_trace_in_a_loop_of_python():
    return [x for x in kept(2.0)[1]]


def a_value_kept_from_a_trace_as_a_number_of_another():
    @fn
    def g(x: Real) -> Real:
        return x if float(kept(2.0)[0]) > 0.0 else -x

    return g


def a_value_kept_from_a_trace_and_pickled():
    return pickle.dumps(kept(2.0)[0])


def a_value_kept_from_a_trace_among_the_fields_of_a_struct():
    @rose.struct
    class Pair:
        a: Real
        b: Real

    return fn([Pair], Real)(lambda p: p.a + p.b)(Pair(1.0, kept(2.0)[0]))


def a_sum_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(rose.accum(0.0))
        return x

    _ = f.func
    return kept[0].value


def a_value_kept_from_a_trace_given_to_a_function():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x)
        return x

    _ = f.func
    return f(kept[0])


def a_vector_kept_from_a_trace_given_to_a_compiled_function():
    kept: list[Any] = []

    @fn
    def f(v: Vec[3]) -> Vec[3]:
        kept.append(v)
        return v

    return rose.compile(f)(kept[0])


def a_dual_in_arithmetic_outside():
    return Dual(1.0, 2.0) + 1.0


def a_part_that_a_dual_does_not_have_outside():
    return Dual(1.0, 2.0).dx


def an_expression_over_several_lines():
    @fn
    def f(x: Real) -> Real:
        return 1.0 + rose.sqrt(
            rose.select(
                x > 0.0,
                x,
                "zero",
            )
        )

    return f


def a_line_with_other_letters():
    @fn
    def f(ξ: Real, größe: Vec[2]) -> Real:
        return ξ * größe["ä"] + ξ

    return f


def a_line_that_is_very_long():
    @fn
    def f(x: Real) -> Real:
        return (
            0.000000000000000000000000001 * x + 0.000000000000000000000000002 * x + 0.00000000000003 * x + (x + "4") + x
        )

    return f


def a_function_of_python_around():
    def helper(x: Any, y: Any) -> Any:
        return y + 2.0 * (x + [y])  # noqa: RUF005

    @fn
    def f(x: Real) -> Real:
        return helper(x, y=1.0) + 1.0

    return f


def an_error_that_is_swallowed():
    @fn
    def f(x: Real) -> Real:
        try:
            return float(x)  # type: ignore
        except Exception:
            return 0.0

    return f


def an_error_that_is_swallowed_in_a_loop():
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(3):
            try:
                total += float(v[i])  # type: ignore
            except TypeError:
                total += 1.0
        return total.value

    return f


def a_value_in_an_f_string():
    @fn
    def f(x: Real) -> Real:
        rose.print(f"x is {x}")
        return x

    return f


def a_pickle_of_a_function_in_a_function():
    @fn
    def f(x: Real) -> Real:
        return x

    return pickle.dumps(rose.grad(f))


def a_pickle_of_a_traced_value():
    @fn
    def f(x: Real) -> Real:
        pickle.dumps(x)
        return x

    return f
