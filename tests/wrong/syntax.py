"""Wrong programs: what `@fn(syntax=True)` refuses. The others of these files are refused as ever without it."""

from __future__ import annotations

import functools

import numpy as np

import rose
from rose import Real, Vec, fn

log: list[float] = []

# what a variable is after a branch


def a_variable_of_one_branch():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            y = x * x
        return y

    return f


def two_types_after_a_branch():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            y = x
        else:
            y = [x, x]
        return rose.sum(y)

    return f


def two_types_returned():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            return x
        return x > 1.0

    return f


def a_branch_that_returns_nothing():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            return x

    return f


def a_string_chosen():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        kind = "small"
        if x > 10.0:
            kind = "large"
        return x if kind == "small" else -x

    return f


def a_number_as_a_condition():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x:
            return 1.0 / x
        return 0.0

    return f


def a_number_in_a_conjunction():
    @fn(syntax=True)
    def f(x: Real, y: Real) -> Real:
        return x and y

    return f


def not_of_a_number():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        return 1.0 if not x else x

    return f


def a_number_on_the_right_of_and():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        return x if x > 0.0 and x else 0.0

    return f


def two_types_in_an_expression():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        return x if x > 0.0 else [x]

    return f


# loops


def a_state_without_a_start():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        while x > 1.0:
            y = x
            x = x / 2.0
        return y

    return f


def a_state_that_changes_its_type():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        y = x
        while y > 1.0:
            y = [x, x]
        return x

    return f


def a_state_that_changes_its_type_in_a_for():
    @fn(syntax=True)
    def f(v: Vec[3]) -> Real:
        s = 0.0
        for i in rose.range(3):
            s = s < v[i]
        return s

    return f


def a_state_that_is_no_number():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        step = "up"
        while x < 10.0:
            x = x + 1.0 if step == "up" else x
            step = step + "!"
        return x

    return f


def a_for_without_a_start():
    @fn(syntax=True)
    def f(v: Vec[3]) -> Real:
        for i in rose.range(3):
            last = v[i]
        return last

    return f


def a_break_in_a_try_of_a_loop():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        for k in range(10):
            try:
                if x > k:
                    break
            finally:
                pass
        return x

    return f


def a_return_in_a_with_of_a_while():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        while x > 1.0:
            with np.errstate():
                x = x / 2.0
                return x
        return x

    return f


def a_value_after_a_break_only():
    @fn(syntax=True)
    def f(v: Vec[3]) -> Real:
        for i in rose.range(3):
            if v[i] < 0.0:
                found = v[i]
                break
        return found

    return f


def a_test_with_an_effect():
    @rose.opaque
    def ask(x: Real) -> Real:
        return x

    @fn(syntax=True)
    def f(x: Real) -> Real:
        while ask(x) > 0.0:
            x = x - 1.0
        return x

    return f


def a_walrus_in_the_test_of_a_while():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        while (y := x * x) > 1.0:
            x = y / 4.0
        return x

    return f


def a_loop_of_a_traced_length():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        y = 1.0
        for _ in range(x):
            y = y * 2.0
        return y

    return f


def a_loop_over_a_vector():
    @fn(syntax=True)
    def f(v: Vec[30]) -> Real:
        s = 0.0
        for x in v:
            s = s + x
        return s

    return f


# effects in branches and loops


def an_accumulator_in_a_branch():
    @fn(syntax=True)
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(3):
            if v[i] > 0.0:
                total += v[i]
        return total.value

    return f


def an_element_of_an_accumulator_in_a_branch():
    @fn(syntax=True)
    def f(v: Vec[3]) -> Vec[3]:
        total = rose.accum([0.0, 0.0, 0.0])
        if v[0] > 0.0:
            total[1] += v[0]
        return total.value

    return f


def an_element_assigned():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        y = [0.0, 0.0]
        if x > 0.0:
            y[0] = x
        return y[0] + y[1]

    return f


def an_attribute_assigned():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            functools.seen = True
        return x

    return f


def an_element_of_what_is_called():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            dict(a=1.0)["a"] = x
        return x

    return f


def a_list_appended_to():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        while x > 1.0:
            x = x / 2.0
            log.append(1.0)
        return x

    return f


def an_exception_raised():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x < 0.0:
            raise ValueError("below zero")
        return rose.sqrt(x)

    return f


def a_variable_deleted():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        y = 1.0
        if x < 0.0:
            del y
        return x

    return f


def an_if_inside_of_try():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        try:
            if x < 0.0:
                x = -x
        except ValueError:
            x = 0.0
        return x

    return f


def a_while_inside_of_with():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        with open(__file__):
            while x > 1.0:
                x = x / 2.0
        return x

    return f


# what is refused wherever it stands


def a_global_variable():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        global log
        log = [x]
        return x

    return f


def a_variable_of_the_function_around():
    n = 1.0

    @fn(syntax=True)
    def f(x: Real) -> Real:
        nonlocal n
        n = n + x
        return n

    return f


def a_variable_that_an_inner_function_changes():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        def add():
            nonlocal x
            x = x + 1.0

        if x > 0.0:
            add()
        return x

    return f


def an_inner_async_function():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        async def g():
            return x

        return x

    return f


def locals_of_the_function():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        return locals()["x"]

    return f


def a_walrus_that_may_be_left_out():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        return x if x > 0.0 and (y := x * x) > 1.0 else y

    return f


def more_ways_than_can_be_written():  # noqa: C901
    @fn(syntax=True)
    def f(x: Real) -> Real:  # noqa: C901
        y = x
        if x > 1.0:
            if x > 1.5:
                return y
            y = y + 1.0
        if x > 2.0:
            if x > 2.5:
                return y
            y = y + 2.0
        if x > 3.0:
            if x > 3.5:
                return y
            y = y + 3.0
        if x > 4.0:
            if x > 4.5:
                return y
            y = y + 4.0
        if x > 5.0:
            if x > 5.5:
                return y
            y = y + 5.0
        if x > 6.0:
            if x > 6.5:
                return y
            y = y + 6.0
        if x > 7.0:
            if x > 7.5:
                return y
            y = y + 7.0
        if x > 8.0:
            if x > 8.5:
                return y
            y = y + 8.0
        if x > 9.0:
            if x > 9.5:
                return y
            y = y + 9.0
        return y

    return f


def a_function_called_that_is_not_marked():
    def clamped(x):
        return 0.0 if x < 0.0 else x

    @fn(syntax=True)
    def f(x: Real) -> Real:
        return clamped(x)

    return f


def a_filter_in_a_generator():
    @fn(syntax=True)
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i] for i in rose.range(3) if v[i] > 0.0 and v[i] < 1.0)

    return f


# what cannot be rewritten


def an_fn_already():
    @fn(syntax=True)
    @fn
    def f(x: Real) -> Real:
        return x

    return f


def what_a_decorator_made():
    def twice(g):
        @functools.wraps(g)
        def made(x):
            return 2.0 * g(x)

        return made

    @fn(syntax=True)
    @twice
    def f(x: Real) -> Real:
        return x if x > 0.0 else -x

    return f


def a_class_to_rewrite():
    return fn([Real], Real, syntax=True)(functools.partial(lambda x: x))


def several_lambdas():
    first, second = lambda x: x if x > 0.0 else -x, lambda x: x
    return fn([Real], Real, syntax=True)(first), second


def a_word_for_syntax():
    return fn(syntax="plain")


def a_source_that_cannot_be_had():
    scope = {}
    exec("import rose\ndef f(x: rose.Real) -> rose.Real:\n    return x if x > 0.0 else -x\n", scope)
    return fn(syntax=True)(scope["f"])
