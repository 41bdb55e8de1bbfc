"""While loops: functions that call a test and a body."""

from typing import Any

import pytest
import wasmtime
from harness import compiled, same

import rose
from rose import Bool, Real, Vec, fn
from rose.host.interpreter import run
from rose.ir.callgraph import make_while
from wasm_backend.abi.layout import is_flat


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
