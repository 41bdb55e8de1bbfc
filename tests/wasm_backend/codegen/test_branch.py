"""Branches: `cond` as a function."""

import pytest
from harness import compiled

import rose
from rose import Bool, Real, Vec, fn
from rose.ir import Branch, Func


def branch(f: Func) -> Func:
    (found,) = [v.attr for v in f.body.code if isinstance(v.attr, Func) and isinstance(v.attr.kind, Branch)]
    return found


@fn
def chosen(c: Bool, x: Real) -> tuple[Real, Vec[2], Real]:
    return rose.cond(c, lambda: (x, [x, 1.0], 2.0), lambda: (-x, [3.0, x], x * x))


def test_numbers_and_aggregates_come_from_the_branch_that_is_taken():
    run = compiled(chosen.func)
    assert run(True, 5.0) == (5.0, (5.0, 1.0), 2.0)
    assert run(False, 5.0) == (-5.0, (3.0, 5.0), 25.0)


@pytest.mark.parametrize("c", [True, False])
def test_a_branch_can_be_exported(c: bool):
    f = branch(chosen.func)
    assert compiled(f)(c, 5.0) == compiled(chosen.func)(c, 5.0)
