"""Elements put into vectors: whoever else reads a vector, or holds it, sees the one that it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import FOR, Func, Value
from rose.ir.callgraph import instructions
from rose.optimise.pipeline import optimised
from wasm_backend.codegen.liveness import Lives
from wasm_backend.codegen.states_in_place import InPlace, beginnings

N = 18  # more than are unrolled
X = [0.25 - 0.0625 * (k % 7) for k in range(N)]

Program = Callable[[Any], Any]


@rose.struct
class Pair:
    a: Real
    b: Real


@rose.struct
class Two:
    left: Vec[N]
    right: Vec[N]
    count: Fin[N + 1]


def total(*vectors: Any) -> Any:
    """A number that tells all elements of some vectors apart."""
    return rose.sum(rose.sum((k + 1) * (i + 1) * rose.sin(v[i]) for i in rose.range(N)) for k, v in enumerate(vectors))


def scanned(step: Callable[..., Any]) -> Program:
    return lambda x: total(rose.scan(lambda i, s: step(x, i, s), x, N))


def both_are_read(x: Any) -> Any:
    return total(x, x.at[3].set(2.0), x.at[4].set(3.0))


def an_element_that_is_read_late(x: Any, i: Any, s: Any) -> Any:
    old = s[(i + 1) % N]
    return s.at[(i + 1) % N].set(x[i] * s[i]).at[i].set(old)


def exchanged(x: Any, i: Any, s: Any) -> Any:
    j = (i * 7 + 3) % N
    return s.at[i].set(s[j]).at[j].set(s[i])


def before_and_after(x: Any, i: Any, s: Any) -> Any:
    t = s.at[i].set(x[i] * s[0])
    return t.at[(i + 1) % N].set(s[i] - t[i])


def one_place_twice(x: Any, i: Any, s: Any) -> Any:
    return s.at[i].set(x[i]).at[i].set(s[i] * s[i - 1 if isinstance(i, int) else (i + N - 1) % N])


def the_state_before_as_another(x: Any) -> Any:
    a, b = rose.scan(lambda i, s: (s[0].at[i].set(x[i] * s[1][i]), s[0]), (x, x), N)
    return total(a, b)


def two_that_change_places(x: Any) -> Any:
    a, b = rose.scan(lambda i, s: (s[1].at[i].set(x[i]), s[0]), (x, 2.0 * x), N)
    return total(a, b)


def two_that_change_places_and_both_change(x: Any) -> Any:
    a, b = rose.scan(lambda i, s: (s[1].at[i].set(x[i]), s[0].at[0].set(s[1][i])), (x, 2.0 * x), N)
    return total(a, b)


def one_vector_as_two_states(x: Any) -> Any:
    y = rose.sin(x)
    a, b = rose.scan(lambda i, s: (s[0].at[i].set(s[1][N - 1 - i]), s[1].at[0].set(s[0][i])), (y, y), N)
    return total(a, b, y)


def one_that_changes_and_one_that_stays(x: Any) -> Any:
    y = rose.sin(x)
    a, b = rose.scan(lambda i, s: (s[0].at[i].set(s[1][N - 1 - i]), s[1] + 0.5), (y, y), N)
    return total(a, b)


def read_inside_of_an_inner_loop(x: Any, i: Any, s: Any) -> Any:
    return rose.scan(lambda j, t: t.at[j].set(s[(j + i) % N] + 0.5 * t[i]), s, rose.range(i, N))


def outs(x: Any) -> Any:
    last, each = rose.scan(lambda i, s: (s.at[i].set(x[i] * s[0]), s), x, N)
    return total(last, each[0], each[N - 1])


def new_outs(x: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        t = s.at[i].set(x[i] * s[0])
        return t.at[0].set(t[i]), t

    last, each = rose.scan(step, x, N)
    return total(last, each[0], each[N - 1])


def a_row_that_is_read_late(x: Any) -> Any:
    m = rose.scan(lambda i, m: m.at[i].set(m[0] + x).at[0].set(m[i]), rose.vec(x for _ in range(N)), N)
    return total(*[m[k] for k in range(3)])


def a_row_within_its_matrix(x: Any) -> Any:
    m = rose.scan(lambda i, m: m.at[i].set(m[(i + 5) % N]).at[i, 0].set(x[i]), rose.vec(x * k for k in range(N)), N)
    return total(m[0], m[N - 1])


def rows_that_their_matrix_was_made_of(x: Any) -> Any:
    y, z = rose.sin(x), 2.0 * x
    m = rose.scan(lambda i, m: m.at[i % 3, i].set(m[1, 0]).at[(i + 1) % 3].set(z), np.array([y, z, y]), N)
    return total(m[0], m[1], m[2], y)


def an_element_of_a_row(x: Any) -> Any:
    def step(i: Any, m: Any) -> Any:
        row = m[i].at[i].set(x[i])
        return m.at[(i + 1) % N].set(row)

    m = rose.scan(step, rose.vec(x * k for k in range(N)), N)
    return total(m[0], m[N - 1])


def of_structs(x: Any) -> Any:
    rows = rose.vec(Pair(x[j], 2.0 * x[j]) for j in rose.range(N))
    last = rose.scan(lambda i, s: s.at[i].set(Pair(s[(i + 3) % N].b, s[i].a * s[i].b)), rows, N)
    return rose.sum((j + 1) * last[j].a * last[j].b for j in rose.range(N))


def in_a_struct(x: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        return Two(s.left.at[i].set(s.right[i]), s.right.at[i].set(s.left[(i + 1) % N]), s.count)

    last = rose.scan(step, Two(x, rose.sin(x), 0), N)
    return total(last.left, last.right)


def selected(x: Any, i: Any, s: Any) -> Any:
    return rose.select(s[i] > 0.1, s.at[i].set(x[i] * s[0]), s)


def of_either(x: Any, i: Any, s: Any) -> Any:
    return rose.select(s[i] > 0.1, s.at[i].set(x[i] * s[0]), s.at[0].set(s[i]))


def conditional(x: Any, i: Any, s: Any) -> Any:
    return rose.cond(s[i] > 0.1, lambda: s.at[i].set(rose.exp(x[i]) * s[0]), lambda: s)


def while_it_lasts(x: Any) -> Any:
    step = lambda s: (s[0] + 1.0, s[1].at[0].set(s[1][1] * s[0]).at[2].set(s[1][0]))
    return total(rose.while_loop(lambda s: s[0] < 5.0, step, (0.0, x))[1])


@fn
def stirred(s: Vec[N], i: Fin[N]) -> Vec[N]:
    return rose.scan(lambda j, t: t.at[j].set(t[i] * 0.5 + s[j]), s, N)


def in_a_function(x: Any, i: Any, s: Any) -> Any:
    return stirred(s, i).at[0].set(s[0])


def in_a_map(x: Any) -> Any:
    rows = rose.vec(x.at[i].set(x[0] * i) for i in rose.range(N))
    return total(rows[0], rows[N - 1], x)


def summed(x: Any, i: Any, s: Any) -> Any:
    return s.at[i].add(x[i]).at[(i + 1) % N].set(s[i]).at[0].add(s[1])


PROGRAMS: dict[str, Program] = {
    "an element": scanned(lambda x, i, s: s.at[i].set(x[i] * s[(i + 1) % N])),
    "an element that is read late": scanned(an_element_that_is_read_late), "exchanged": scanned(exchanged),
    "before and after": scanned(before_and_after), "one place twice": scanned(one_place_twice),
    "inside of an inner loop": scanned(read_inside_of_an_inner_loop), "selected": scanned(selected),
    "of either": scanned(of_either), "conditional": scanned(conditional), "in a function": scanned(in_a_function),
    "both are read": both_are_read, "the state before": the_state_before_as_another,
    "two that change places": two_that_change_places, "two that change": two_that_change_places_and_both_change,
    "one vector as two states": one_vector_as_two_states, "one that stays": one_that_changes_and_one_that_stays,
    "outs": outs, "new outs": new_outs, "a row that is read late": a_row_that_is_read_late,
    "a row within its matrix": a_row_within_its_matrix, "an element of a row": an_element_of_a_row,
    "rows of which it is made": rows_that_their_matrix_was_made_of,
    "of structs": of_structs, "in a struct": in_a_struct, "while it lasts": while_it_lasts, "in a map": in_a_map,
    "summed": scanned(summed),
}  # fmt: skip
IN_PLACE = ["an element", "an element that is read late", "exchanged", "selected", "of structs"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bits_are_those_of_the_interpreter(name: str):
    f = fn([Vec[N]], Real)(PROGRAMS[name])
    slope = rose.grad(f)
    along = rose.grad(fn([Vec[N]], Real)(lambda x: rose.dot(slope(x), x)))
    for module in [rose.compile({"f": f, "slope": slope, "along": along}, simd=simd) for simd in (False, True)]:
        assert module.f(X) == run(f.func, tuple(X))
        assert tuple(module.slope(X)) == run(slope.func, tuple(X))
        assert tuple(module.along(X)) == run(along.func, tuple(X))


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_state_in_which_an_element_is_put_stays_where_it_lies(name: str):
    f = optimised({"f": fn([Vec[N]], Real)(PROGRAMS[name]).func})["f"]
    found = InPlace(f.body, Lives(f))
    assert all([found.stays(part) for v in loops(f) for part, _ in beginnings(v)])


def loops(f: Func) -> list[Value]:
    return [v for v in instructions(f.body) if v.op is FOR]


def test_what_a_module_is_given_stays_as_it_is():
    def program(x: Any, m: Any) -> Any:
        return rose.scan(lambda i, s: s.at[i].set(m.at[i, 0].set(1.0)[i, 0] + s[0]), x, N)

    f = fn([Vec[N], Vec[N, Vec[2]]], Vec[N])(program)
    x, m = np.array(X), np.ones((N, 2))
    module = rose.compile(f)
    assert np.array_equal(module(x, m), module(x, m))
    assert np.array_equal(x, X) and (m == 1.0).all()


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_vector_may_be_short_or_have_the_size_of_a_call(n: int):
    m = rose.dim("m")

    def program(x: Any) -> Any:
        return rose.dot(rose.scan(lambda i, s: s.at[i].set(s[i] + x[i]), x, m), x)

    f = fn([Vec[m]], Real)(program)
    xs = X[:n]
    assert rose.compile(f, dynamic=True)(xs) == sum([2.0 * x * x for x in xs])


def test_single_precision_has_the_same_elements():
    f = fn([Vec[N]], Real)(PROGRAMS["exchanged"])
    assert rose.compile(f, dtype="f32")(np.array(X, "f")) == pytest.approx(rose.compile(f)(X), rel=1e-5)
