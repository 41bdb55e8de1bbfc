"""Wrong programs: arithmetic on arrays, and parts of them."""

from __future__ import annotations

import numpy as np

import rose
from rose import Bool, Fin, Real, Vec, fn


def a_sum_of_two_sizes():
    @fn
    def f(x: Vec[3], y: Vec[4]) -> Vec[3]:
        return 1.0 + x + y

    return f


def a_row_and_a_column_of_other_sizes():
    @fn
    def f(x: Vec[2, 3], y: Vec[2]) -> Vec[2, 3]:
        return rose.atan2(x, y)

    return f


def an_array_of_numpys_of_another_size():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return np.ones((2, 2)) * x

    return f


def a_ragged_list():
    @fn
    def f(x: Vec[2]) -> Vec[2]:
        return x * [[1.0, 2.0], [3.0]]

    return f


def a_sum_of_structs():
    @fn
    def f(x: Vec[2, tuple[Real, Real]]) -> Real:
        return (x + x)[0][0]

    return f


def a_difference_of_conditions():
    @fn
    def f(x: Vec[2], c: Vec[2, Bool]) -> Vec[2]:
        return (x > 0.0) - c

    return f


def an_assignment_to_a_slice():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        x[1:] = x[:-1]
        return x

    return f


def an_assignment_to_an_element_of_a_matrix():
    @fn
    def f(x: Vec[2, 2]) -> Vec[2, 2]:
        x[0, 1] = 2.0
        return x

    return f


def a_mask_as_an_index():
    @fn
    def f(x: Vec[3]) -> Real:
        return rose.sum(x[x > 0.0])

    return f


def a_mask_of_numpys_as_an_index():
    @fn
    def f(x: Vec[2, 3]) -> Real:
        return rose.sum(x[0, np.array([True, False])])

    return f


def too_many_indices():
    @fn
    def f(x: Vec[2, 3]) -> Real:
        return x[0, 1, 2]

    return f


def two_ellipses():
    @fn
    def f(x: Vec[2, 3]) -> Real:
        return x[..., 0, ...]

    return f


def a_float_among_indices():
    @fn
    def f(x: Vec[2, 3]) -> Real:
        return x[0, 1.0]

    return f


def an_index_out_of_range_in_an_array():
    @fn
    def f(x: Vec[2, 3]) -> Vec[2]:
        return x[0, [1, 3]]

    return f


def an_index_that_may_be_too_large_in_an_array():
    @fn
    def f(x: Vec[3], i: Vec[2, Fin[5]]) -> Vec[2]:
        return x[i]

    return f


def indices_that_are_numbers():
    @fn
    def f(x: Vec[3], i: Vec[2]) -> Vec[2]:
        return x[i]

    return f


def a_slice_of_a_traced_bound():
    @fn
    def f(x: Vec[9], n: Fin[9]) -> Real:
        return rose.sum(x[:n])

    return f


def a_ufunc_without_a_meaning():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return np.spacing(x)

    return f


def a_ufunc_with_a_place_for_its_result():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return np.exp(x, out=np.zeros(3))

    return f


def a_method_that_arrays_lack():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return x.tostring()

    return f


def reshape_to_another_count():
    @fn
    def f(x: Vec[2, 3]) -> Vec[7]:
        return rose.reshape(x, 7)

    return f


def reshape_with_two_free_sizes():
    @fn
    def f(x: Vec[6]) -> Vec[2, 3]:
        return rose.reshape(x, (-1, -1))

    return f


def concatenate_of_other_shapes():
    @fn
    def f(x: Vec[2, 3], y: Vec[2, 4]) -> Vec[4, 3]:
        return rose.concatenate([x, y])

    return f


def concatenate_of_numbers():
    @fn
    def f(x: Real) -> Vec[2]:
        return rose.concatenate([x, x])

    return f


def concatenate_of_two_kinds():
    @fn
    def f(x: Vec[2]) -> Vec[4]:
        return rose.concatenate([x, x > 0.0])

    return f


def stack_of_nothing():
    @fn
    def f(x: Real) -> Real:
        return x + rose.stack([])[0]

    return f


def stack_of_other_shapes():
    @fn
    def f(x: Vec[2], y: Vec[3]) -> Vec[2, 2]:
        return rose.stack([x, y])

    return f


def einsum_with_a_digit():
    @fn
    def f(x: Vec[2, 3], y: Vec[3]) -> Vec[2]:
        return rose.einsum("i1,1->i", x, y)

    return f


def einsum_of_too_many_operands():
    @fn
    def f(x: Vec[2, 3], y: Vec[3]) -> Vec[2]:
        return rose.einsum("ij->i", x, y)

    return f


def einsum_with_an_index_of_two_sizes():
    @fn
    def f(x: Vec[2, 3], y: Vec[2]) -> Vec[2]:
        return rose.einsum("ij,j->i", x, y)

    return f


def einsum_with_an_unknown_index():
    @fn
    def f(x: Vec[2, 3]) -> Vec[2]:
        return rose.einsum("ij->k", x)

    return f


def einsum_of_another_rank():
    @fn
    def f(x: Vec[2, 3]) -> Vec[2]:
        return rose.einsum("ijk->i", x)

    return f


def an_axis_that_is_not_there():
    @fn
    def f(x: Vec[2, 3]) -> Vec[3, 2]:
        return rose.flip(x, 2)

    return f


def an_array_of_a_traced_size():
    @fn
    def f(x: Real) -> Vec[3]:
        return rose.zeros(x)

    return f


def a_range_to_a_traced_number():
    @fn
    def f(x: Real) -> Vec[3]:
        return 1.0 * rose.arange(x)

    return f


def products_of_conditions():
    @fn
    def f(x: Vec[3]) -> Real:
        return rose.dot(x > 0.0, x < 1.0)

    return f


def a_batch_that_does_not_broadcast():
    @fn
    def f(x: Vec[2, 3, 3], y: Vec[4, 3, 3]) -> Vec[2, 3, 3]:
        return x @ y

    return f


def padding_of_too_many_axes():
    @fn
    def f(x: Vec[3]) -> Vec[5]:
        return rose.pad(x, ((1, 1), (1, 1)))

    return f


def a_split_into_unequal_parts():
    @fn
    def f(x: Vec[3]) -> Vec[1]:
        return rose.split(x, 2)[0]

    return f


def roll_by_a_number():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return rose.roll(x, 0.5)

    return f


def an_axis_of_a_sum_that_is_not_there():
    @fn
    def f(x: Vec[3, 4]) -> Vec[3]:
        return np.sum(x * x, axis=2)

    return f


def an_axis_of_a_method():
    @fn
    def f(x: Vec[3, 4]) -> Vec[3]:
        return x.mean(axis=-3)

    return f


def an_axis_that_is_a_number():
    @fn
    def f(x: Vec[3, 4]) -> Vec[3]:
        return rose.softmax(x, axis=1.0)

    return f


def an_axis_twice():
    @fn
    def f(x: Vec[3, 4]) -> Real:
        return rose.var(x, axis=(0, -2))

    return f


def an_axis_of_a_generator():
    @fn
    def f(x: Vec[3, 4]) -> Vec[4]:
        return rose.sum((x[i] for i in rose.range(3)), axis=0)

    return f


def two_axes_of_an_index():
    @fn
    def f(x: Vec[3, 4]) -> Fin[12]:
        return rose.argmax(x, axis=(0, 1))

    return f


def a_largest_element_of_none():
    @fn
    def f(x: Vec[3, 0]) -> Vec[3]:
        return np.max(x, axis=1)

    return f


def a_place_among_none():
    @fn
    def f(x: Vec[0]) -> Real:
        return 1.0 * rose.argmin(x)

    return f


def a_mean_of_structs():
    @fn
    def f(x: Vec[2, tuple[Real, Real]]) -> Real:
        return rose.mean(x)

    return f


def a_norm_that_is_none():
    @fn
    def f(x: Vec[2, 2]) -> Real:
        return rose.norm(x, "nuc")

    return f


def a_trace_of_a_vector():
    @fn
    def f(x: Vec[2]) -> Real:
        return np.trace(x)

    return f


def a_new_part_of_another_shape():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return x.at[1:].set([1.0, 2.0, 3.0])

    return f


def a_new_element_that_is_a_vector():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return x.at[1].set([1.0, 2.0])

    return f


def a_place_that_is_not_there():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return x.at[3].set(1.0)

    return f


def a_place_that_is_no_array():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return 2.0 * x.at[1]

    return f


def a_sum_of_conditions_in_a_place():
    @fn
    def f(x: Vec[3]) -> Vec[3, Bool]:
        return (x > 0.0).at[1].add(True)

    return f


def an_index_that_is_known_to_be_out_of_range():
    @fn
    def f(x: Vec[3]) -> Real:
        return x[rose.index(3.0, 3)]

    return f


def einsum_with_lists_that_name_an_axis_by_a_word():
    @fn
    def f(x: Vec[2, 3]) -> Vec[2]:
        return rose.einsum(x, ["rows", 1], ["rows"])

    return f


def einsum_without_indices():
    @fn
    def f(x: Vec[2, 3], y: Vec[3]) -> Vec[2]:
        return rose.einsum(x, y)

    return f


def an_index_of_a_condition():
    @fn
    def f(x: Vec[3]) -> Real:
        return x[rose.index(x[0] > 0.5, 3)]

    return f


def a_whole_number_that_may_be_out_of_range():
    @fn
    def f(x: Vec[3], t: Real) -> Real:
        return x[np.floor(t).astype(int)]

    return f


def whole_numbers_that_may_be_out_of_range():
    @fn
    def f(x: Vec[3], t: Vec[2]) -> Vec[2]:
        return x[np.clip(t, 0, 3).astype(int)]

    return f


def python_s_int_as_an_index():
    @fn
    def f(x: Vec[3], t: Real) -> Real:
        return x[int(t) % 3]

    return f


def an_index_before_the_first():
    @fn
    def f(x: Vec[3]) -> Real:
        return rose.sum(x[i - 1] for i in rose.range(3))

    return f


def weights_of_another_shape():
    @fn
    def f(x: Vec[3, 2], w: Vec[3]) -> Real:
        return np.average(x, weights=w)

    return f


def more_conditions_than_choices():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return np.select([x > 1.0, x > 0.0], [x])

    return f


def blocks_of_several_depths():
    @fn
    def f(x: Vec[2, 2]) -> Vec[2, 4]:
        return np.block([[x, x], x])

    return f


def a_percentile_that_is_none():
    @fn
    def f(x: Vec[3]) -> Real:
        return np.percentile(x, 101)

    return f


def a_polynomial_of_a_matrix():
    @fn
    def f(c: Vec[2, 2], x: Real) -> Real:
        return rose.polyval(np.polyder(c), x)

    return f


def covariances_of_three_axes():
    @fn
    def f(x: Vec[2, 2, 2]) -> Vec[2, 2]:
        return np.cov(x)

    return f


def an_inner_product_of_two_sizes():
    @fn
    def f(x: Vec[1], y: Vec[3]) -> Real:
        return np.inner(x, y)

    return f
