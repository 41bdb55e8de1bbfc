"""Options of modules: what they say, and what is refused."""

import pytest

import rose
from rose.module_options import Options, check_options, check_timeout


def test_what_options_say():
    assert Options("f32").is_single and not Options().is_single
    assert Options(simd=True).has_several and not Options(simd="relaxed").has_several


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options("f16"), 'dtype must be "f64" or "f32", not'),
        (Options(simd="fast"), 'simd must be True, False or "relaxed", not'),
        (Options(finite=1), "finite must be True or False, not 1"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_options_that_there_are_not(options: Options, words: str):
    with pytest.raises(rose.TypeMismatch, match=words):
        check_options(options)


def test_a_time_is_a_number_above_0():
    check_timeout(2.5)
    with pytest.raises(rose.OutOfRange, match="timeout must be a number of seconds above 0, not 0"):
        check_timeout(0)
