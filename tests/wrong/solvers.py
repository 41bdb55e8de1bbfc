"""Functions that are given to SciPy, and what SciPy's solvers are given of them, wrong."""

import rose
from rose import Bool, Fin, Real, Vec, fn


@rose.struct
class Place:
    x: Real
    y: Real


@rose.struct
class Chosen:
    by: Real
    which: Fin[3]


@rose.struct
class Signed:
    size: Real
    up: Bool


@fn
def chain(x: Vec[3]) -> Real:
    return rose.sum((x[i + 1] - x[i] ** 2) ** 2 for i in rose.range(2))


@fn
def steps(x: Vec[3], far: Real) -> Vec[2]:
    return [far * (x[1] - x[0]), far * (x[2] - x[1])]


def a_plain_function_for_scipy():
    return rose.scipy(lambda x: x)


def a_search_through_an_index():
    @fn
    def pick(i: Fin[3]) -> Real:
        return [1.0, 4.0, 2.0][i]

    return rose.scipy(pick)


def a_search_through_what_has_an_index_in_it():
    @fn
    def pick(at: Chosen) -> Real:
        return rose.constant([1.0, 4.0, 2.0])[at.which] * at.by

    return rose.scipy(pick)


def a_result_with_a_boolean():
    @fn
    def sign(x: Real) -> Signed:
        return Signed(rose.abs(x), x > 0.0)

    return rose.scipy(sign)


def a_parameter_that_is_not_there():
    return rose.scipy(chain, argnums=1)


def a_parameter_that_is_named_twice():
    return rose.scipy(steps, argnums=(0, 1, 0))


def a_search_through_nothing():
    return rose.scipy(steps, argnums=())


def a_size_that_is_not_named():
    n = rose.dim("n")

    @fn
    def square(x: Vec[n]) -> Real:
        return rose.dot(x, x)

    return rose.scipy(square)


def a_size_that_is_not_there():
    return rose.scipy(chain, n=3)


def a_vector_of_another_length():
    return rose.scipy(chain).jac([1.0, 2.0])


def a_vector_of_another_length_where_the_jacobian_is_sparse():
    return rose.scipy(steps, sparse=True).jac([1.0, 2.0], 1.0)


def a_column():
    return rose.scipy(chain).fun([[1.0], [2.0], [3.0]])


def complex_numbers():
    return rose.scipy(chain).fun([1.0, 2.0, 3j])


def a_direction_of_another_length():
    return rose.scipy(chain).hessp([1.0, 2.0, 3.0], [1.0, 0.0])


def data_that_are_missing():
    return rose.scipy(steps).fun([1.0, 2.0, 3.0])


def a_hessian_of_a_vector():
    @fn
    def rises(x: Vec[3]) -> Vec[2]:
        return [x[1] - x[0], x[2] - x[1]]

    return rose.scipy(rises).hess([1.0, 2.0, 3.0])


def a_hessian_of_a_vector_times_a_vector():
    return rose.scipy(steps).hessp([1.0, 2.0, 3.0], [1.0, 0.0, 0.0], 0.5)


def a_struct_where_a_vector_is_meant():
    @fn
    def area(at: Place) -> Real:
        return at.x * at.y

    return rose.scipy(area).fun(Place(1.0, 2.0))


def a_start_of_another_shape():
    @fn
    def area(at: Place) -> Real:
        return at.x * at.y

    return rose.scipy(area).flatten([1.0])
