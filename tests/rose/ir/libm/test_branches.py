"""What ordinary arguments decide at the branches of a function."""

import pytest

from rose.ir.libm.branches import ORDINARY, branches
from rose.ir.libm.decode import decode
from rose.ir.libm.library import library


def test_a_branch_is_known_by_the_number_of_its_instruction():
    library_ = library()
    for (name, at), seen in branches("exp").items():
        assert decode(library_.functions[name], library_.opcodes)[1][at].mnemonic == "br_if"
        assert seen


def test_the_exponential_of_an_ordinary_number_is_not_a_special_case():
    """The first branch is for what is tiny, huge or nan; the second leaves out what subnormal results need."""
    assert [{bool(x) for x in seen} for _, seen in sorted(branches("exp").items())] == [{False}, {True}]


@pytest.mark.parametrize("name", ORDINARY)
def test_no_ordinary_argument_needs_another_function(name: str):
    assert {f for f, _ in branches(name)} == {name}
