"""Wrong programs: choices between functions, and loops that carry a state."""

from __future__ import annotations

from typing import Any

import rose
from rose import Fin, Real, Vec, fn, opaque


@opaque
def told(x: Real) -> Real:
    return x


# rose.cond


def arms_of_different_types():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: x, lambda: [x, x])

    return f


def an_arm_without_a_result():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: x, lambda: None)

    return f


def arms_of_a_number_and_a_truth_value():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: x, lambda: x > 1.0)

    return f


def arms_of_a_pair_and_a_number():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: (x, x), lambda: x)[0]

    return f


def arms_of_vectors_of_different_lengths():
    @fn
    def f(x: Vec[3], y: Vec[4]) -> Vec[4]:
        return rose.cond(x[0] < 2.0, lambda: x, lambda: y)

    return f


def an_arm_that_is_a_value():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, x, lambda: -x)

    return f


def an_arm_that_is_a_number():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: x, 0.0)

    return f


def a_condition_that_is_a_number():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x, lambda: x, lambda: -x)

    return f


def a_condition_that_is_a_list():
    @fn
    def f(v: Vec[2]) -> Real:
        return rose.cond([v[0] > 0.0, v[1] > 0.0], lambda: v[0], lambda: v[1])

    return f


def an_arm_that_gives_an_accumulator():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: rose.accum(x), lambda: rose.accum(x))

    return f


def an_arm_that_gives_text():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: x, lambda: "x")

    return f


def an_arm_that_decides_by_itself():
    @fn
    def f(x: Real) -> Real:
        return rose.cond(x > 0.0, lambda: x if x > 1.0 else 1.0, lambda: x)

    return f


# rose.while_loop


def a_test_that_gives_a_number():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s, lambda s: 2.0 * s, x)

    return f


def a_test_that_gives_nothing():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: None, lambda s: 2.0 * s, x)

    return f


def a_test_that_is_a_value():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(x < 9.0, lambda s: 2.0 * s, x)

    return f


def a_body_that_is_a_value():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 9.0, 2.0 * x, x)

    return f


def a_test_with_a_Python_and():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s > 1.0 and s < 9.0, lambda s: 2.0 * s, x)

    return f


def a_state_that_becomes_a_vector():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 9.0, lambda s: [s, s], x)

    return f


def a_state_that_becomes_a_longer_tuple():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s[0] < 9.0, lambda s: (s[0], s[1], x), (x, x))[0]

    return f


def a_state_that_becomes_a_number():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s, lambda s: 1.0, True) * x

    return f


def an_index_that_leaves_its_vector():
    @fn
    def f(i: Fin[3]) -> Fin[3]:
        return rose.while_loop(lambda k: k < 2, lambda k: k + 1, i)

    return f


def a_state_that_is_text():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 9.0, lambda s: s + x, "x")

    return f


def a_state_that_is_an_accumulator():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda t: t.value < 9.0, lambda t: t, rose.accum(x)).value

    return f


def a_largest_number_of_turns_that_is_traced():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 9.0, lambda s: 2.0 * s, x, max_iter=x)

    return f


def a_largest_number_of_turns_below_zero():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 9.0, lambda s: 2.0 * s, x, -1)

    return f


# rose.scan


def a_scan_of_a_value():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(x, x, 3)

    return f


def a_scan_of_fewer_than_no_turns():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, -3)

    return f


def a_scan_of_half_a_turn():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, 2.5)

    return f


def a_scan_of_traced_length():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, x)

    return f


def a_scan_whose_state_changes_its_type():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: [s, s], x, 3)

    return f


def a_scan_that_gives_nothing():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: None, x, 3)

    return f


def a_scan_that_gives_text():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: (s, "x"), x, 3)[0]

    return f


def a_scan_from_text():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s, "x", 3)

    return f


def a_scan_with_checkpoints_whose_state_changes_its_type():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: [s, s], x, 3, checkpoint="sqrt")

    return f


def a_checkpoint_that_is_unknown():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, 3, checkpoint="log")

    return f


def a_checkpoint_that_is_a_value():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, 3, checkpoint=x)

    return f


def no_snapshots():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, 3, checkpoint="binomial", snapshots=0)

    return f


def half_a_snapshot():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, 3, checkpoint="binomial", snapshots=1.5)

    return f


def snapshots_by_the_root():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: s * x, x, 3, checkpoint="sqrt", snapshots=2)

    return f


def a_turn_with_an_effect_evaluated_again():
    @fn
    def f(x: Real) -> Real:
        return rose.scan(lambda i, s: told(s), x, 3, checkpoint="sqrt")

    return f


# what is used where it is not


def a_while_outside_of_a_trace():
    return rose.while_loop(lambda s: s < 9.0, lambda s: 2.0 * s, 1.0)


def a_scan_outside_of_a_trace():
    return rose.scan(lambda i, s: 2.0 * s, 1.0, 3)


def an_accumulator_from_outside_in_an_arm():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)

        def arm() -> Any:
            nonlocal total
            total += x
            return x

        rose.cond(x > 0.0, arm, lambda: x)
        return total.value

    return f


def the_value_of_an_accumulator_from_outside():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total += x
        return rose.cond(x > 0.0, lambda: total.value, lambda: x)

    return f


def an_accumulator_from_outside_in_a_turn():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)

        def turn(s: Any) -> Any:
            nonlocal total
            total += s
            return s + 1.0

        rose.while_loop(lambda s: s < 9.0, turn, x)
        return total.value

    return f


def an_accumulator_from_outside_with_checkpoints():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)

        def turn(i: Any, s: Any) -> Any:
            nonlocal total
            total += s
            return s + 1.0

        rose.scan(turn, x, 3, checkpoint="sqrt")
        return total.value

    return f


def a_loop_that_an_arm_returns_from():
    @fn
    def f(v: Vec[3]) -> Real:
        def arm() -> Any:
            for i in rose.range(3):
                return v[i]

        return rose.cond(v[0] > 0.0, arm, lambda: v[0])

    return f


def a_loop_that_a_turn_breaks():
    @fn
    def f(v: Vec[3]) -> Real:
        def turn(s: Any) -> Any:
            for _ in rose.range(3):
                s = s * 2.0
                break
            return s

        return rose.while_loop(lambda s: s < 9.0, turn, v[0])

    return f


def a_value_of_an_arm_outside():
    @fn
    def f(x: Real) -> Real:
        kept: list[Any] = []

        def arm() -> Any:
            kept.append(x * 2.0)
            return x

        y = rose.cond(x > 0.0, arm, lambda: -x)
        return y + kept[0]

    return f


def a_value_of_one_arm_in_the_other():
    @fn
    def f(x: Real) -> Real:
        kept: list[Any] = []

        def arm() -> Any:
            kept.append(x * 2.0)
            return x

        return rose.cond(x > 0.0, arm, lambda: kept[0] + 1.0)

    return f


def a_value_of_a_turn_outside():
    @fn
    def f(x: Real) -> Real:
        kept: list[Any] = []

        def turn(s: Any) -> Any:
            kept.append(s * 2.0)
            return kept[0]

        return rose.while_loop(lambda s: s < 9.0, turn, x) + kept[0]

    return f


def a_value_of_a_turn_of_a_scan_outside():
    @fn
    def f(x: Real) -> Real:
        kept: list[Any] = []

        def turn(i: Any, s: Any) -> Any:
            kept.append(s * 2.0)
            return kept[0]

        return rose.scan(turn, x, 3) + kept[0]

    return f


def too_many_turns():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 9.0, lambda s: s * 1.0, x, max_iter=5)

    return f(1.0)


def too_many_turns_in_a_derivative():
    @fn
    def f(x: Real) -> Real:
        return rose.while_loop(lambda s: s < 9.0, lambda s: s * 1.5, x, max_iter=5)

    return rose.grad(f)(1.0)
