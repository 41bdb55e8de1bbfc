"""Copies of functions whose results are the items of a large tuple."""

from harness import compiled, same
from optimising import HERE

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import building
from rose.ir.types import tuple_of
from wasm_backend.codegen.copying import items_apart


def test_the_results_of_a_copy_are_the_items():
    f = fn([Vec[20]], tuple[(Real,) * 20])(
        lambda v: tuple([v[k] + rose.sum(v[i] for i in rose.range(20)) for k in range(20)])
    )
    made = items_apart(f.func)
    assert made is not None
    assert len(made.body.results) == 20
    assert all(r.block is made.body for r in made.body.results)
    assert len(f.func.body.results) == 1


def test_a_tuple_that_something_else_makes_stays():
    with building("f") as b:
        b.loc = HERE
        assert items_apart(b.func(b.param(tuple_of(*[Real] * 20)))) is None


def test_a_loop_of_more_states_than_are_kept_apart_has_no_memory():
    step = lambda s: (s[0] + 1.0, *s[2:], s[1] * 0.5)
    f = fn([Real], tuple[(Real,) * 21])(
        lambda n: rose.while_loop(lambda s: s[0] < n, step, (0.0, *map(float, range(20))))
    )
    assert same(compiled(f.func)(3.0), run(f.func, 3.0))
