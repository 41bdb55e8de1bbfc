"""Plans: factors of sizes, and the sizes of convolutions."""

from math import prod

from rose.fft.plans import convolution, cost, friendly, radices


def test_factors_are_fours_and_primes():
    assert [radices(n) for n in (1, 2, 8, 12, 1000)] == [(), (2,), (4, 2), (4, 3), (4, 2, 5, 5, 5)]
    assert radices(7 * 11 * 1009) == (7, 11, 1009)
    assert all([prod(radices(n)) == n for n in range(1, 500)])


def test_friendly_sizes_hold_what_they_are_asked_for():
    assert all([n <= friendly(n) < 2 * n + 1 and radices(friendly(n))[-1:] <= (5,) for n in range(1, 500)])


def test_a_large_prime_is_a_convolution():
    assert convolution(1000) is None and convolution(11 * 13) is None
    assert all([(m := convolution(n)) is not None and m >= 2 * n - 1 for n in (1009, 2018, 65537)])


def test_the_cost_grows_as_the_size_and_its_logarithm():
    for k in range(8, 17):
        for n in range(2**k - 3, 2**k + 4):
            m = convolution(n)
            assert (cost(n) if m is None else 3.0 * cost(m)) < 16.0 * k * 2**k
