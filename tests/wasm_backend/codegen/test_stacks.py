"""Stacks: pushing, popping and adding tapes."""

import pytest
from harness import compiled, same

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run


@fn
def powers(x: Vec[2]) -> Real:
    def body(s):
        return s[0] + 1.0, [s[1][1] * x[0], s[1][0] + rose.sin(s[1][1])]

    return rose.while_loop(lambda s: s[0] < 6.0, body, (0.0, x))[1][0]


@pytest.mark.parametrize("x", [(1.0, 2.0), (-0.5, 0.25)])
def test_items_with_vectors_come_back_in_reverse(x: tuple[float, float]):
    grad = rose.grad(powers).func
    assert same(compiled(grad)(x), run(grad, x))


def test_the_tapes_of_second_derivatives_are_added():
    hessian = rose.hessian(powers).func
    assert same(compiled(hessian)((1.0, 2.0)), run(hessian, (1.0, 2.0)))
