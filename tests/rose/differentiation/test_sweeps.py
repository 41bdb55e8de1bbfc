"""Several directions in one sweep: how many, what they cost, and functions of any size."""

from __future__ import annotations

from typing import Any

import pytest
from access_programs import point
from costs import cost
from harness import Module, same

import rose
from rose import Real, Vec
from rose.differentiation.sweeps import Sweeps
from rose.host.marshal import plain
from rose.optimise.pipeline import optimised


@pytest.mark.parametrize(
    ("count", "each", "number"),
    [(0, 1, 0), (1, 1, 1), (2, 2, 1), (5, 5, 1), (6, 6, 1), (7, 4, 2), (8, 4, 2), (9, 3, 3), (10, 5, 2), (11, 4, 3),
     (18, 6, 3), (100, 4, 25), (rose.dim("n"), 4, "(n + 3) // 4")],
)  # fmt: skip
def test_there_are_few_directions_that_nobody_reads(count: Any, each: int, number: Any):
    sweeps = Sweeps(count)
    assert (sweeps.each, str(sweeps.number)) == (each, str(number))


def dense(n: int, m: int) -> Any:
    """A function of `n` numbers to `m`, of which each has an exponential in common."""
    return rose.fn([Vec[n]], Vec[m])(
        lambda x: rose.vec(
            rose.exp(-0.1 * rose.sum(rose.sin(x[j] * (i + 1)) for j in rose.range(n))) for i in rose.range(m)
        )
    )


def test_a_jacobian_in_forward_mode_computes_its_function_once_in_a_sweep():
    f = dense(24, 30)
    one, whole = [optimised({"f": g.func})["f"] for g in (f, rose.jacfwd(f))]
    x = point(f)
    assert cost(whole, *x) <= 40 * cost(one, *x)  # in six sweeps; one by one it is 54


def test_memory_is_that_of_one_sweep_and_not_of_all_directions():
    n, turns = 40, 1000
    f = rose.fn([Vec[n]], Real)(
        lambda x: rose.scan(lambda i, s: s * 0.9 + rose.sum(rose.sin(s * x[j]) for j in rose.range(n)), 0.1, turns)
    )
    tape = 8 * n * turns  # bytes of one vector in each turn
    assert memory(rose.jacfwd(f)) < tape  # it has none at all
    assert memory(rose.hessian(f)) < 9 * tape  # of the function, and the tangents of four directions


def memory(f: Any) -> int:
    """The bytes of memory of a module of `f`."""
    module = Module({"f": f.func})
    return module.memory.data_len(module.store)


@pytest.mark.parametrize("mode", [rose.jacfwd, rose.jacobian, lambda f: rose.hessian(total(f))])
def test_a_function_of_any_size_has_the_bits_of_each_size(mode: Any):
    d = rose.dim("d")
    for n in (0, 1, 3, 4, 5, 9):
        any_size, sized = mode(squares(d)), mode(squares(n))
        x = [0.1 * k - 0.2 for k in range(n)]
        assert same(plain(any_size(x), sized.result), plain(sized(x), sized.result))


def test_one_module_has_the_columns_of_every_size():
    d = rose.dim("d")
    f = total(squares(d))
    module = rose.compile({"h": rose.hessian(f), "j": rose.jacfwd(squares(d))}, dynamic=True)
    for n in (0, 1, 3, 4, 5, 9):
        x = [0.1 * k - 0.2 for k in range(n)]
        assert module.h(x).tolist() == rose.hessian(total(squares(n)))(x).tolist()
        assert module.j(x).tolist() == rose.jacfwd(squares(n))(x).tolist()


def test_a_gradient_through_a_jacobian_of_any_size_has_the_bits_of_its_module():
    d = rose.dim("d")
    mixed = rose.fn([Vec[d]], Vec[d])(lambda x: rose.vec(rose.sin(x[i] * rose.norm(x)) for i in rose.range(d)))
    j = rose.jacfwd(mixed)
    f = rose.grad(rose.fn([Vec[d]], Real)(lambda x: (lambda m: rose.sum(rose.norm(m[i]) for i in rose.range(d)))(j(x))))
    module = rose.compile(f, dynamic=True)
    for n in (1, 3, 4, 5, 9):
        x = [0.1 * k - 0.25 for k in range(n)]
        assert module(x).tolist() == f(x).tolist()


def squares(n: Any) -> Any:
    g = lambda x: rose.vec(x[i] * rose.sin(x[i]) + rose.sum(x) for i in rose.range(n))
    return rose.fn([Vec[n]], Vec[n])(g)


def total(f: Any) -> Any:
    (t,) = f.types
    return rose.fn([t], Real)(lambda x: rose.sum(f(x)))
