"""Random numbers from what is no key, and shapes that are none."""

import numpy as np

from rose import Real, Vec, fn, random


def a_seed_below_zero():
    return random.key(-1)


def a_seed_that_is_no_integer():
    return random.key(1.5)


def a_seed_that_is_too_large():
    return random.key(2**64)


def a_seed_in_the_place_of_a_key():
    return random.normal(7, 3)


def a_key_with_a_word_that_is_too_large():
    return random.normal((0, 0, 0, 65536))


def a_shape_below_zero():
    return random.uniform(random.key(0), -1)


def a_shape_that_is_traced():
    return fn([random.Key, Real], Real)(lambda k, n: random.uniform(k, n))


def a_key_of_a_number():
    return random.fold_in(random.key(0), 0.5)


def indices_below_zero():
    return random.integers(random.key(0), 0)


def categories_of_one_number():
    return random.categorical(random.key(0), 0.5)


def no_categories():
    return random.categorical(random.key(0), [])


def a_permutation_of_an_array():
    return random.permutation(random.key(0), [1.0, 2.0])


def noise_of_numpys_in_a_trace():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return x + np.random.normal(size=3)

    return f
