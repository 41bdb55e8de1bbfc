"""Locations of expressions, and of their parts."""

from __future__ import annotations

from rose.errors import Loc, argument, called, here, is_ours


def underlined(loc: Loc) -> str:
    line, carets = loc.excerpt().splitlines()
    return line[carets.index("^") : carets.rindex("^") + 1]


def test_the_location_is_the_expression_of_the_user():
    loc = here()
    file, line, *_ = loc.position()
    assert file == __file__ and line == test_the_location_is_the_expression_of_the_user.__code__.co_firstlineno + 1
    assert underlined(loc) == "here()"


def test_an_argument_that_is_not_there_leaves_the_whole_expression():
    loc = here()
    assert underlined(loc.narrow(argument(3, "x", 4))) == "here()"


def test_the_name_of_a_call_is_that_of_its_function():
    assert called(here()) == "here"


def test_files_of_the_package_are_ours_and_tests_are_the_users():
    assert is_ours(argument.__code__.co_filename) and not is_ours(__file__)
