"""States of loops that are added to where they lie: the bits are those of the interpreter, whoever reads them when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import FOR, Func, Value
from rose.ir.callgraph import instructions
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import Instruments, optimised
from wasm_backend.codegen.liveness import Lives
from wasm_backend.codegen.states_in_place import InPlace

N = 40  # more than are unrolled
X = [0.25 - 0.0625 * (k % 7) for k in range(N)]


def scanned(step: Callable[..., Any], init: Any = None) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        last = rose.scan(lambda i, s: step(x, i, s), x if init is None else init(x), N)
        return rose.sum(last[j] * (j + 1) for j in rose.range(N)) + 0.5 * x[0]

    return program


def added(state: Any, i: Any, more: Any) -> Any:
    acc = rose.accum(state)
    acc[i] += more
    return acc.value


def read_before(x: Any, i: Any, s: Any) -> Any:
    total = rose.sum(s[j] * x[j] for j in rose.range(i))
    return added(s, i, total)


def read_after(x: Any, i: Any, s: Any) -> Any:
    acc = rose.accum(s)
    for j in rose.range(N):
        acc[j] += 0.5 * s[(j + 1) % N]
    return acc.value


def read_by_what_is_added(x: Any, i: Any, s: Any) -> Any:
    acc = rose.accum(s)
    acc[0] += x[i]
    acc[1] += s[0]
    return acc.value


def not_from_the_start(x: Any, i: Any, s: Any) -> Any:
    return added(rose.vec(2.0 * s[j] for j in rose.range(N)), i, x[i])


def a_copy_of_a_row(x: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        row, acc = s[0], rose.accum(s)
        for j in rose.range(N):
            acc[0][j] += x[j]
            acc[1][j] += row[j]
        return acc.value

    last = rose.scan(step, [x, x], N)
    return rose.sum(last[1][j] * x[j] for j in rose.range(N))


def two_that_change_places(x: Any) -> Any:
    last = rose.scan(lambda i, s: (added(s[1], i, x[i]), s[0]), (x, rose.vec(2.0 * x[j] for j in rose.range(N))), N)
    return rose.sum(last[0][j] * last[1][N - 1 - j] for j in rose.range(N))


def the_state_before_as_another(x: Any) -> Any:
    last = rose.scan(lambda i, s: (added(s[0], i, x[i]), s[0]), (x, x), N)
    return rose.sum(last[0][j] * last[1][N - 1 - j] for j in rose.range(N))


def an_item_of_a_state(x: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        v, t = s
        more = 0.25 * rose.sin(t * v[i])
        return added(v, (i + 1) % N, more), t + more

    last = rose.scan(step, (x, 0.25), N)
    return rose.dot(last[0], x) + last[1]


def an_item_that_is_made_of_the_state_before(x: Any) -> Any:
    last = rose.scan(lambda i, s: (added(s[0], i, x[i]), s[1] + s[0][i]), (x, 0.25), N)
    return rose.dot(last[0], x) + last[1]


def outs(x: Any) -> Any:
    last, each = rose.scan(lambda i, s: (added(s, i, x[i]), s[i]), x, N)
    return rose.dot(last, each)


def rows_as_outs(x: Any) -> Any:
    last, each = rose.scan(lambda i, s: (added(s, i, x[i]), s), x, N)
    return rose.dot(last, x) + rose.sum(each[i][j] * (i + 1) for i in rose.range(N) for j in rose.range(N))


def new_rows_as_outs(x: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        after = added(s, i, x[i])
        return after, after

    last, each = rose.scan(step, x, N)
    return rose.dot(last, x) + rose.sum(each[i][j] * (i + 1) for i in rose.range(N) for j in rose.range(N))


def in_one_another(x: Any) -> Any:
    inner = lambda i, s: rose.scan(lambda j, t: added(t, j, x[i] * t[i]), s, rose.range(i, N))
    last = rose.scan(inner, x, N)
    return rose.dot(last, x)


def of_structs(x: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        more = rose.sum(s[j][0] * s[j][1] for j in rose.range(i))
        acc = rose.accum(s)
        acc[i][1] += more
        return acc.value

    last = rose.scan(step, rose.vec(rose.vec([x[j], 2.0 * x[j]]) for j in rose.range(N)), N)
    return rose.sum(last[j][0] * last[j][1] for j in rose.range(N))


def a_part_of_a_matrix(x: Any) -> Any:
    rows = rose.vec([x[j], 2.0 * x[j], x[0]] for j in rose.range(N))
    last = rose.scan(lambda i, s: s.at[i, 1:].add(x[i] * s[i, 0]), rows, N)
    return rose.sum(last[j][1] * last[j][2] for j in rose.range(N))


IN_PLACE = {
    "an element": scanned(lambda x, i, s: s.at[i].add(x[i])), "a part of a matrix": a_part_of_a_matrix,
    "read before": scanned(read_before), "an item of a state": an_item_of_a_state, "of structs": of_structs,
    "new rows as outs": new_rows_as_outs, "from zeros": scanned(read_before, lambda x: [0.0] * N),
}  # fmt: skip
COPIED = {
    "read after": scanned(read_after), "read by what is added": scanned(read_by_what_is_added),
    "not from the start": scanned(not_from_the_start), "a row that is read late": a_copy_of_a_row,
    "two that change places": two_that_change_places, "the state before": the_state_before_as_another,
    "an item of the state before": an_item_that_is_made_of_the_state_before, "outs": outs, "rows as outs": rows_as_outs,
}  # fmt: skip
ALL = {**IN_PLACE, **COPIED, "in one another": in_one_another}


def loops(f: Func) -> list[Value]:
    return [v for v in instructions(f.body) if v.op is FOR and v.args and not v.args[0].type.scalar]


def any_stays(program: Any) -> bool:
    f = optimised({"f": fn([Vec[N]], Real)(program).func})["f"]
    found = InPlace(f.body, Lives(f))
    return any([found.stays((v, 0)) for v in loops(f) if v.block is f.body])


@pytest.mark.parametrize("name", ALL)
def test_the_bits_are_those_of_the_interpreter(name: str) -> None:
    f = fn([Vec[N]], Real)(ALL[name])
    slope = rose.grad(f)
    along = rose.grad(fn([Vec[N]], Real)(lambda x: rose.dot(slope(x), x)))
    module = rose.compile({"f": f, "slope": slope, "along": along})
    assert module.f(X) == run(f.func, tuple(X))
    assert tuple(module.slope(X)) == run(slope.func, tuple(X))
    assert tuple(module.along(X)) == run(along.func, tuple(X))


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_state_that_is_read_no_more_is_added_to_where_it_lies(name: str) -> None:
    assert any_stays(IN_PLACE[name])


@pytest.mark.parametrize("name", COPIED)
def test_a_state_that_is_read_later_is_copied(name: str) -> None:
    assert not any_stays(COPIED[name])


@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_value_before_the_loop_stays_as_it_is(n: int) -> None:
    m = rose.dim("m")

    @fn
    def f(x: Vec[m]) -> Real:
        last = rose.scan(lambda i, s: added(s, i, s[i] + 1.0), x, m)
        return rose.dot(last, x)

    xs = X[:n]
    assert rose.compile(f, dynamic=True)(xs) == sum([(2.0 * x + 1.0) * x for x in xs])


def momentum(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        w, m = s
        m = rose.vec(0.9 * m[j] + w[j] - x[j] + w[j] ** 3 for j in rose.range(N))
        return rose.vec(w[j] - 0.01 * m[j] for j in rose.range(N)), m

    return rose.dot(rose.scan(step, (x, [0.0] * N), 20)[0], x)


def wave(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        u, v = s
        v = rose.vec(v[j] + 0.1 * (u[(j + 1) % N] - 2.0 * u[j] + u[(j + N - 1) % N]) for j in rose.range(N))
        return rose.vec(u[j] + 0.1 * v[j] for j in rose.range(N)), v

    u, v = rose.scan(step, (x, x), 20)
    return rose.sum(u[j] * u[j] * v[j] for j in rose.range(N))


def mirrored(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        p, v = s
        v = rose.vec(v[j] - 0.1 * (p[j] - p[N - 1 - j]) for j in rose.range(N))
        return rose.vec(p[j] + 0.1 * v[j] * p[j] for j in rose.range(N)), v

    p, v = rose.scan(step, (x, x), 20)
    return rose.sum(p[j] ** 2 + v[j] for j in rose.range(N))


def adaptive(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        w, m, v = s
        g = rose.vec(w[j] ** 3 - x[j] for j in rose.range(N))
        m = rose.vec(0.9 * m[j] + 0.1 * g[j] for j in rose.range(N))
        v = rose.vec(0.99 * v[j] + 0.01 * g[j] * g[j] for j in rose.range(N))
        return rose.vec(w[j] - 0.05 * m[j] / (v[j] + 1.0) for j in rose.range(N)), m, v

    return rose.dot(rose.scan(step, (x, [0.0] * N, [0.0] * N), 20)[0], x)


def pendulums(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        q, p = s
        q = rose.vec(q[j] + 0.05 * p[j] for j in rose.range(N))
        return q, rose.vec(p[j] - 0.05 * rose.sin(q[j]) for j in rose.range(N))

    q, p = rose.scan(step, (x, [0.0] * N), 20)
    return rose.dot(q, q) + rose.dot(p, x)


def neurons(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        v, w = s
        w = rose.vec(w[j] + 0.1 * (v[j] - w[N - 1 - j]) for j in rose.range(N))
        return rose.vec(v[j] - 0.1 * v[j] ** 3 - w[j] * x[j] for j in rose.range(N)), w

    v, w = rose.scan(step, (x, x), 20)
    return rose.dot(v, w)


MOVING = {f.__name__: f for f in (momentum, wave, mirrored, adaptive, pendulums, neurons)}


def changed(f: Func) -> list[Value]:
    found = InPlace(f.body, Lives(f))
    return [ref for v in instructions(f.body) if v.op is FOR for ref in found.changed(v).values()]


@pytest.mark.parametrize("name", MOVING)
def test_an_accumulator_that_begins_at_a_state_has_its_buffer(name: str) -> None:
    f = fn([Vec[N]], Real)(MOVING[name])
    slope = rose.grad(f)
    along = rose.grad(fn([Vec[N]], Real)(lambda x: rose.dot(slope(x), x)))
    with instrumented(Instruments(("element-sums",))):  # which makes a value of each of these sums
        assert changed(optimised({"f": slope.func})["f"]) and changed(optimised({"f": along.func})["f"])
    for simd in (False, True):
        module = rose.compile({"f": f, "slope": slope, "along": along}, simd=simd)
        for _ in range(2):  # what a call leaves in memory is nothing to the next
            assert module.f(X) == run(f.func, tuple(X))
            assert tuple(module.slope(X)) == run(slope.func, tuple(X))
            assert tuple(module.along(X)) == run(along.func, tuple(X))


def other_state(x: Any, s: Any, use: Callable[[Any], Any]) -> Any:
    """A step from two vectors to two, of which the first is added to, and then read or not."""
    p, q = s
    acc = rose.accum(p)
    for j in rose.range(N - 1):
        acc[j + 1] += q[j] * x[j]
    after = acc.value
    return rose.vec(0.5 * after[j] + q[j] for j in rose.range(N)), use((p, after))


@pytest.mark.parametrize(
    ("use", "taken"),
    [
        (lambda s: rose.vec(0.1 * s[1][N - 1 - j] for j in rose.range(N)), True),
        (lambda s: rose.vec(0.1 * s[0][N - 1 - j] for j in rose.range(N)), False),
        (lambda s: s[0], False),
        (lambda s: s[1], True),  # it is built where the next state is, though
    ],
    ids=["of the sum", "of the state", "the state", "the sum"],
)
@pytest.mark.parametrize("steps", [0, 1, 20])
def test_what_is_read_later_is_not_written_over(use: Callable[[Any], Any], taken: bool, steps: int) -> None:
    @fn
    def f(x: Vec[N]) -> Real:
        before = rose.vec(2.0 * x[j] for j in rose.range(N))
        p, q = rose.scan(lambda _, s: other_state(x, s, use), (before, x), steps)
        return rose.sum(p[j] * (j + 1) + q[j] * q[j] * before[j] for j in rose.range(N))

    assert steps < 2 or bool(changed(optimised({"f": f.func})["f"])) == taken
    slope = rose.grad(f)
    module = rose.compile({"f": f, "slope": slope})
    assert module.f(X) == run(f.func, tuple(X))
    assert tuple(module.slope(X)) == run(slope.func, tuple(X))
