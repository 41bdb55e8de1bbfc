"""Keys: of seeds, of other keys, in loops."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Vec, fn, random
from rose.host.interpreter import run


def test_a_key_has_the_bits_of_its_seed():
    assert random.key(0x0123_4567_89AB_CDEF) == (0x0123, 0x4567, 0x89AB, 0xCDEF)
    assert random.key(np.int64(5)) == (0, 0, 0, 5)


def test_split_is_fold_in_for_each():
    keys = random.split(random.key(1), 5)
    assert keys.tolist() == [random.fold_in(random.key(1), i).tolist() for i in range(5)]
    assert len({tuple(k) for k in keys}) == 5


def test_keys_by_an_index_in_a_loop_are_those_outside():
    f = fn([random.Key], Vec[4, random.Key])(lambda k: rose.vec(random.fold_in(k, i) for i in rose.range(4)))
    assert np.array_equal(f(random.key(3)), random.split(random.key(3), 4))


@pytest.mark.parametrize("i", [0, 1, 65535, 65536, 2**31 - 1])
def test_large_indices_make_other_keys(i: int):
    key = random.fold_in(random.key(0), i)
    f = fn([random.Key], random.Key)(lambda k: random.fold_in(k, i))
    assert tuple(key) == tuple(run(f.func, random.key(0))) and tuple(key) != tuple(random.fold_in(random.key(0), 7))


def test_no_keys_and_one():
    assert random.split(random.key(0), 0).shape == (0, 4) and random.split(random.key(0), 1).shape == (1, 4)


def test_a_key_that_is_folded_in_has_other_numbers_than_it():
    key = random.key(2)
    numbers = [random.uniform(k) for k in (key, random.fold_in(key, 0), *random.split(random.fold_in(key, 0)))]
    assert len(set(numbers)) == 4
