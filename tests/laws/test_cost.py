"""The law of cost: a derivative takes a constant times the operations of its function, whatever the size.

It is counted, not timed: see `tests/support/costs.py`. Before the optimiser, a small size shows what grows; after it,
loops of few iterations are unrolled, so the sizes are larger there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from access_programs import GUARDS, SHAPES, Random, point, program
from costs import cost, numbers
from pairs import rest_in_fuzz, rotated, seeds

import rose
from rose import Real, Vec
from rose.frontend.function import Fn
from rose.optimise.pipeline import optimised
from tests.fuzz.derivatives import twin

GRADIENT, INPUT = 5.0, 3.0  # operations of a gradient: for each of the value, and for each number of the input
WHILE = 7.0  # for each of the value in a while loop, whose tape is written twice; the value may be a branch
TRACED = 8.0  # for each of the value, before the optimiser
HVP = 3.0  # gradients in a product of the Hessian with a vector
JVP = 4.0  # operations of a derivative in forward mode, for each of the value
FLAT = 1.15  # what an operation of the value costs at a size, over what it costs at half of it
AT_RANDOM = 10.0, 1.3  # the same two where there may be an operation or two in a loop, and what is around it counts

AnyFn = Fn[..., Any]


class Counts(NamedTuple):
    """The operations of a function and of its derivatives, and its input, by which it is derived."""

    value: int
    gradient: int
    hvp: int
    jvp: int
    inputs: int


def counts(f: AnyFn, *, compiled: bool) -> Counts:
    funcs = {"f": f.func, "grad": rose.grad(f).func, "hvp": rose.hvp(f).func, "jvp": rose.jvp(f).func}
    funcs = optimised(funcs) if compiled else funcs
    xs = point(f)
    duals = [twin(x, x, t) for x, t in zip(xs, f.types, strict=True)]
    found = [
        cost(funcs["f"], *xs),
        cost(funcs["grad"], *xs),
        cost(funcs["hvp"], *xs, xs[0]),
        cost(funcs["jvp"], *duals),
    ]
    return Counts(*found, sum(map(numbers, f.types)))


def hold(
    program: Callable[[int], AnyFn],
    sizes: tuple[int, int],
    most: float,
    flat: float = FLAT,
    *,
    compiled: bool = False,
) -> None:
    small, large = [counts(program(n), compiled=compiled) for n in sizes]
    for c in (small, large):
        assert c.gradient <= most * c.value + INPUT * c.inputs
        assert c.hvp <= HVP * c.gradient
        assert c.jvp <= JVP * c.value + 2 * INPUT * c.inputs  # which comes and goes as pairs
    assert large.hvp / large.gradient <= flat * small.hvp / small.gradient
    work = [c.value + c.inputs for c in (small, large)]
    assert large.gradient / work[1] <= flat * small.gradient / work[0]
    assert large.jvp / work[1] <= flat * small.jvp / work[0]


def of_matrix(f: Callable[[Any], Any]) -> Callable[[int], AnyFn]:
    """A program over a matrix of n rows and two of n columns more."""
    return lambda n: rose.fn([Vec[n, n + 2], Vec[n + 2]], Real)(lambda x, y: np.sum(f(rose.sin(x) * y) ** 2))


ARRAYS: dict[str, Callable[[Any], Any]] = {
    "chain": lambda x: rose.exp(x[:, 1:] * x[:1, :-1]) + x[:, :1],
    "sum over rows": lambda x: x.sum(axis=0),
    "sum over columns": lambda x: x.sum(axis=1) * x[:, 0],
    "mean and var": lambda x: x.mean(axis=0) * x.var(axis=0),
    "prod": lambda x: x.prod(axis=1),
    "max": lambda x: x.max(axis=0),
    "softmax": lambda x: rose.softmax(x, axis=-1),
    "softmax of columns": lambda x: rose.softmax(x, axis=0),
    "logsumexp": lambda x: rose.logsumexp(x, axis=0),
    "cumsum": lambda x: x.cumsum(axis=0),
    "cumprod": lambda x: np.cumprod(x, axis=1),
    "cummax": lambda x: rose.cummax(x, axis=0),
    "norm": lambda x: np.linalg.norm(x, axis=0),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_derivatives_of_arrays_cost_a_constant_times_the_value(name: str):
    hold(of_matrix(ARRAYS[name]), (5, 10), *AT_RANDOM)


ALL = [(shape, guard) for shape in SHAPES for guard in GUARDS]
GUARDED = [guard for guard in GUARDS if guard != "plain"]
TRACED_PAIRS = [*[(shape, "plain") for shape in SHAPES], *rotated([*SHAPES], GUARDED)]
COMPILED_PAIRS = [*rotated([*SHAPES], GUARDED, start=2), *rotated([*SHAPES], GUARDED, start=4)]


@pytest.mark.parametrize(("shape", "guard"), rest_in_fuzz(ALL, TRACED_PAIRS))
def test_derivatives_cost_a_constant_times_the_value_before_the_optimiser(shape: str, guard: str):
    hold(lambda n: program(shape, guard, n), (5, 10), TRACED)


@pytest.mark.parametrize(("shape", "guard"), rest_in_fuzz(ALL, COMPILED_PAIRS, pytest.mark.slow))
def test_derivatives_cost_a_constant_times_the_value(shape: str, guard: str):
    hold(lambda n: program(shape, guard, n), (20, 40), WHILE if "while" in shape else GRADIENT, compiled=True)


@pytest.mark.parametrize("seed", seeds(30, 100, quick=6))
def test_derivatives_of_random_programs_cost_a_constant_times_the_value(seed: int):
    hold(lambda n: Random(seed, n).program(), (5, 10), *AT_RANDOM)


# what is made of them


def rows_in_a_scan(n: int, **schedule: Any) -> AnyFn:
    step = lambda x, i, s: s * 0.5 + rose.sum(rose.sin(x[i][j] * s) * x[i][(j + 1) % 8] for j in rose.range(8))
    return rose.fn([Vec[n, Vec[8]]], Real)(lambda x: rose.scan(lambda i, s: step(x, i, s), 0.1, n, **schedule))


@pytest.mark.parametrize(("schedule", "most"), [({"checkpoint": "sqrt"}, 1.6), ({"checkpoint": "binomial"}, 3.0)])
def test_checkpoints_cost_a_factor(schedule: dict[str, Any], most: float):
    for n in (8, 32):
        kept, again = [rose.grad(rows_in_a_scan(n, **given)) for given in ({}, schedule)]
        assert cost(kept.func, *point(kept)) < cost(again.func, *point(again)) <= most * cost(kept.func, *point(kept))


MAPS: dict[str, Callable[[Any, Any], Any]] = {  # by rose.vmap, of the rows of a matrix and of a vector that they share
    "a lambda": lambda x, w: rose.sum(rose.vmap(lambda row, w: rose.sin(rose.dot(row, w)), (0, None))(x, w)),
    "of columns": lambda x, w: rose.sum(rose.vmap(lambda row, w: rose.exp(rose.dot(row, w)), (1, None))(x, w)),
    "a derivative": lambda x, w: rose.sum(rose.vmap(rose.grad(_softened), (0, None))(x, w)[0]),
    "of a map": lambda x, w: rose.sum(
        rose.vmap(lambda row, w: rose.sum(rose.vmap(lambda a, b: rose.sin(a * b))(row, w)), (0, None))(x, w)
    ),
}
m = rose.dim("m")
_softened = rose.fn([Vec[m], Vec[m]], Real)(lambda row, w: rose.log(1 + rose.dot(row, w) ** 2))


@pytest.mark.parametrize("name", MAPS)
def test_the_gradient_of_a_map_costs_a_constant_times_it(name: str):
    program = lambda n: rose.fn([Vec[n, n], Vec[n]], Real)(MAPS[name])
    hold(program, (5, 10), TRACED)
    by_shared = [cost(rose.grad(program(n), 1).func, *point(program(n))) / n**2 for n in (8, 16)]
    assert by_shared[1] <= FLAT * by_shared[0]


def chain(n: int) -> AnyFn:
    """A function whose Hessian has three colours."""
    return rose.fn([Vec[n]], Real)(lambda x: rose.sum((x[i + 1] - x[i] ** 2) ** 2 for i in rose.range(n - 1)))


def test_a_sparse_hessian_costs_a_product_for_each_colour_and_one_more():
    for n in (10, 40):
        f = chain(n)
        x = point(f)
        made, product = rose.hessian(f, sparse=True), cost(rose.hvp(f).func, *x, x[0])
        assert cost(made.func, *x) <= (3 + 1) * product


def test_a_jacobian_costs_half_of_a_derivative_for_each_column():
    for n in (12, 24):
        f = rose.fn([Vec[n], Vec[n, Vec[n]]], Vec[n])(lambda x, a: a @ x)
        assert cost(rose.jacfwd(f).func, *point(f)) <= n * JVP / 2 * cost(f.func, *point(f))
