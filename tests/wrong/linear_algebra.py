"""Wrong arguments of rose.linalg."""

import numpy as np

import rose
from rose import Real, Vec, fn, linalg

SQUARE, WIDE = Vec[2, Vec[2]], Vec[2, Vec[3]]


def cholesky_of_a_vector():
    return fn([Vec[3]], Vec[3, Vec[3]])(lambda v: linalg.cholesky(v))


def cholesky_of_a_list():
    return fn([Real], Vec[3, Vec[3]])(lambda x: linalg.cholesky([[x, 1.0, 2.0]]))


def equations_with_another_right_side():
    return fn([SQUARE, Vec[3]], Vec[2])(lambda a, y: linalg.cholesky_solve(a, y))


def a_right_side_of_too_many_rows():
    return fn([SQUARE, Vec[3]], Vec[2])(lambda a, y: linalg.solve(a, y))


def the_inverse_of_a_matrix_that_is_not_square():
    return fn([WIDE], WIDE)(lambda a: linalg.inv(a))


def the_determinant_of_a_number():
    return fn([Real], Real)(lambda x: linalg.det(x))


def equations_of_truths():
    return fn([Vec[2, Vec[2, rose.Bool]], Vec[2]], Vec[2])(lambda a, y: linalg.solve(a, y))


def batches_that_do_not_broadcast():
    return fn([Vec[2, SQUARE], Vec[3, SQUARE]], Vec[3, SQUARE])(lambda a, b: linalg.solve(a, b))


def a_factorisation_of_an_unknown_mode():
    return fn([WIDE], SQUARE)(lambda a: linalg.qr(a, mode="raw").Q)


def equations_of_an_unknown_type():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.linsolve(a, b, typ="s"))


def equations_that_are_transposed_in_an_unknown_way():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.solve_triangular(a, b, trans="H"))


def equations_of_owls_that_are_transposed_by_a_number():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.linsolve(a, b, 3))


def the_transposed_factorisation_of_a_vector():
    return fn([Vec[3]], SQUARE)(lambda v: linalg.lq(v).L)


def a_block_diagonal_of_nothing():
    return fn([Real], SQUARE)(lambda x: linalg.block_diag())


def a_block_diagonal_of_truths():
    return fn([SQUARE, Vec[2, rose.Bool]], SQUARE)(lambda a, p: linalg.block_diag(a, p))


def a_toeplitz_matrix_of_a_number():
    return fn([Vec[2], Real], SQUARE)(lambda c, x: linalg.toeplitz(c, r=x))


def diagonals_of_another_number():
    return fn([Vec[2, Vec[4]], Vec[4]], Vec[4])(lambda ab, b: linalg.solve_banded((1, 1), ab, b))


def diagonals_below_zero():
    return fn([Vec[2, Vec[4]], Vec[4]], Vec[4])(lambda ab, b: linalg.solve_banded((-1, 2), ab, b))


def a_diagonal_that_is_too_long():
    return fn([Vec[4], Vec[3], Vec[4]], Vec[4])(lambda a, c, b: linalg.solve_tridiagonal(a, b, c, b))


def a_toeplitz_equation_of_another_right_side():
    return fn([Vec[4], Vec[3]], Vec[4])(lambda c, b: linalg.solve_toeplitz(c, b))


def a_toeplitz_equation_with_a_longer_row():
    return fn([Vec[4], Vec[5]], Vec[4])(lambda c, r: linalg.solve_toeplitz((c, r), c))


def a_square_root_of_a_matrix_that_is_not_square():
    return fn([WIDE], WIDE)(lambda a: linalg.sqrtm(a))


def eigenvalues_of_a_wide_matrix():
    return fn([WIDE], Vec[2])(lambda a: linalg.eigvals(a).re)


def a_logarithm_of_a_vector():
    return fn([Vec[2]], Vec[2])(lambda v: linalg.logm(v))


def sylvesters_equation_with_another_right_side():
    return fn([SQUARE, WIDE], SQUARE)(lambda a, q: linalg.solve_sylvester(a, a, q))


def sylvesters_equation_with_a_wide_matrix():
    return fn([SQUARE, WIDE], SQUARE)(lambda a, b: linalg.solve_sylvester(a, b, q=a))


def lyapunovs_equation_with_a_vector():
    return fn([SQUARE, Vec[2]], SQUARE)(lambda a, q: linalg.solve_discrete_lyapunov(a, q))


def riccatis_equation_with_costs_of_other_controls():
    return fn([SQUARE, WIDE], SQUARE)(lambda a, b: linalg.solve_continuous_are(a, b, a, a))


def a_power_that_is_no_integer():
    return fn([SQUARE], SQUARE)(lambda a: linalg.matrix_power(a, 0.5))


def an_argument_of_numpys_that_is_not_there():
    return fn([SQUARE], Vec[2])(lambda a: np.linalg.eigvalsh(a, UPLO="X"))


def conjugate_gradients_of_a_wide_matrix():
    return fn([WIDE, Vec[2]], Vec[2])(lambda a, b: linalg.cg(a, b).x)


def conjugate_gradients_with_several_right_sides():
    return fn([SQUARE], Vec[2])(lambda a: linalg.cg(a, a).x)


def a_matrix_of_more_rows_than_the_right_side():
    return fn([SQUARE, Vec[3]], Vec[3])(lambda a, b: linalg.gmres(a, b).x)


def a_start_of_another_size():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.gmres(a, b, x0=[1.0, 2.0, 3.0]).x)


def a_matrix_as_a_function_to_another_type():
    length = fn([Vec[2]], Real)(lambda x: rose.norm(x))
    return fn([Vec[2]], Vec[2])(lambda b: linalg.cg(length, b).x)


def a_matrix_as_a_function_with_data():
    scaled = fn([Vec[2], Real], Vec[2])(lambda x, k: k * x)
    return fn([Vec[2]], Vec[2])(lambda b: linalg.gmres(scaled, b).x)


def a_matrix_as_a_function_that_is_not_linear():
    square = fn([Vec[2]], Vec[2])(lambda x: x * x)
    return fn([Vec[2]], Vec[2])(lambda b: linalg.gmres(square, b).x)


def a_preconditioner_of_another_size():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.cg(a, b, M=np.eye(3)).x)


def a_relative_tolerance_below_zero():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.cg(a, b, rtol=-1.0).x)


def no_iterations_at_all():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.cg(a, b, maxiter=0).x)


def a_restart_that_is_no_integer():
    return fn([SQUARE, Vec[2]], Vec[2])(lambda a, b: linalg.gmres(a, b, restart=2.5).x)


def the_transpose_of_how_a_search_went():
    @fn
    def steps(b: Vec[2]) -> Real:
        return linalg.cg([[2.0, 0.0], [0.0, 1.0]], b).info

    return rose.linear_transpose(steps)
