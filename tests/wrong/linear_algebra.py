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


def all_singular_vectors_of_a_matrix_that_is_not_square():
    return fn([WIDE], SQUARE)(lambda a: linalg.svd(a).U)


def a_complete_factorisation():
    return fn([WIDE], SQUARE)(lambda a: linalg.qr(a, mode="complete").Q)


def a_power_that_is_no_integer():
    return fn([SQUARE], SQUARE)(lambda a: linalg.matrix_power(a, 0.5))


def an_argument_of_numpys_that_is_not_there():
    return fn([SQUARE], Vec[2])(lambda a: np.linalg.eigvalsh(a, UPLO="U"))
