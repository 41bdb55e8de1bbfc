"""While loops: functions that call a test and a body."""

from collections.abc import Callable
from typing import Any

import pytest
import wasmtime
from harness import compiled, same

import rose
from rose import Bool, Real, Vec, fn
from rose.host.interpreter import run
from rose.ir.callgraph import make_while
from wasm_backend.abi.layout import is_flat
from wasm_backend.lower import lower


def looped(body: Any, *init: Any, result: Any, **options: Any) -> Any:
    return fn([Real], result)(lambda n: rose.while_loop(lambda s: s[0] < n, body, init, **options))


def test_aggregates_change_buffers_in_each_iteration():
    f = looped(lambda s: (s[0] + 1.0, [s[1][1], s[1][0] + s[1][1]]), 0.0, [0.0, 1.0], result=tuple[Real, Vec[2]])
    loop = compiled(f.func)
    assert [loop(float(n))[1][0] for n in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]


def test_states_that_depend_on_each_other_change_at_once():
    f = looped(lambda s: (s[0] + 1.0, s[2], s[1]), 0.0, 7.0, 9.0, result=tuple[Real, Real, Real])
    assert compiled(f.func)(3.0) == (3.0, 9.0, 7.0)


def test_more_states_than_are_kept_apart_go_through_memory():
    f = looped(lambda s: (s[0] + 1.0, *s[2:], s[1]), 0.0, *map(float, range(20)), result=tuple[(Real,) * 21])
    assert compiled(f.func)(2.0) == (2.0, *map(float, range(2, 20)), 0.0, 1.0)


def test_a_result_that_is_not_kept_apart_is_built_in_memory():
    state = tuple[(*[Real] * 9, Vec[2])]
    test = fn([state, state], Bool)(lambda a, b: a[0] < 5.0).func
    body = fn([state, state], tuple[state, state])(lambda a, b: (b, (a[0] + b[0], *a[2:9], a[1], [a[8], a[9][0]]))).func
    loop = make_while("while", test, body)
    assert not is_flat(loop.result)
    for k in (0.0, 1.0, 4.0, 9.0):
        a, b = ((k + at, *map(float, range(8)), (k, -k)) for at in (0.0, 1.0))
        assert same(compiled(loop)(a, b), run(loop, a, b))


def test_too_many_iterations_stop_the_module():
    f = looped(lambda s: (s[0] + 1.0,), 0.0, result=tuple[Real], max_iter=5)
    assert compiled(f.func)(5.0) == (5.0,)
    with pytest.raises(wasmtime.Trap):
        compiled(f.func)(6.0)


def test_each_run_of_a_loop_counts_its_own_iterations():
    counted = lambda x, k: rose.while_loop(lambda s: s[0] < k, lambda s: (s[0] + 1.0, s[1] * x), (0.0, x), max_iter=5)
    f = fn([Vec[6]], Real)(lambda v: rose.sum(counted(v[i], 5.0)[1] + counted(v[i], 4.0)[1] for i in rose.range(6)))
    v = (0.5, 1.5, -1.0, 2.0, 0.25, 1.0)
    assert compiled(f.func)(v) == run(f.func, v) == sum([x**6 + x**5 for x in v])


NUMBERS = [f"n{k}" for k in range(18)]
Wide: Any = rose.struct(type("Wide", (), {"__annotations__": {"xs": Vec[40], **dict.fromkeys(NUMBERS, Real)}}))
TABLE = [0.5, -0.25] * 20


def wide(following: Callable[[Any, Any], Any]) -> Any:
    """A loop of more states than are kept apart, whose body is written in it; `following` makes a number of them."""

    def body(x: Any, s: Any) -> Any:
        xs = rose.vec(rose.array(TABLE)[i] - 0.5 * s.xs[i] for i in rose.range(40))
        return Wide(xs, following(x, s), *[getattr(s, k) for k in NUMBERS[:-1]])

    def f(x: Real) -> Real:
        start = Wide(rose.vec(x * i for i in rose.range(40)), *[x] * len(NUMBERS))
        end = rose.while_loop(lambda s: s.n0 < 5.0, lambda s: body(x, s), start)
        return rose.sum(end.xs) + end.n17

    return fn(f)


@pytest.mark.parametrize("derive", [lambda f: f, rose.value_and_grad, lambda f: rose.grad(rose.grad(f))])
def test_a_body_of_many_states_reads_a_literal_vector(derive: Any):
    f = derive(wide(lambda x, s: s.n0 + x))
    with rose.eager():
        want = f(0.7)
    assert rose.compile(f)(0.7) == want


def test_a_long_loop_in_a_body_of_many_states_has_a_stop():
    short, long = [wide(lambda x, s, n=n: s.n0 + rose.sum(x * i for i in rose.range(n))) for n in (10, 10**8)]
    stops = [len(lower({"f": f.func}).stops) for f in (short, long)]
    assert stops[1] == stops[0] + 1
