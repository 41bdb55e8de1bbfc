"""Loops of dependent length are the programs with their iterations written out: values, and all derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pytest

import rose
from rose import Fin, Real, Vec, fn

N = 4
XS = [0.3, 0.7, -0.4, 1.2]


class Ranges(NamedTuple):
    """How a program writes its loops: traced, or written out by Python."""

    range: Callable[..., Iterable[Any]]
    min: Callable[[Any, Any], Any]
    max: Callable[[Any, Any], Any]
    fold: Callable[..., Any]


def _folded(body: Callable[[Any, Any], Any], state: Any, over: Iterable[int]) -> Any:
    for i in over:
        state = body(i, state)
    return state


LOOPS = Ranges(rose.range, rose.min, rose.max, rose.scan)
WRITTEN_OUT = Ranges(range, min, max, _folded)


@rose.struct
class Pair:
    total: Real
    row: Vec[N]


def triangle(x: Any, r: Ranges) -> Any:
    return rose.sum(rose.sum(x[i] * rose.sin(x[j]) for j in r.range(i)) for i in r.range(N))


def pairs(x: Any, r: Ranges) -> Any:
    return rose.sum(rose.exp(-((x[i] - x[j]) ** 2)) for i in r.range(N) for j in r.range(i + 1, N))


def band(x: Any, r: Ranges) -> Any:
    total = rose.accum(0.0)
    for i in r.range(N):
        for j in r.range(r.max(i - 1, 0), r.min(i + 2, N)):
            total += x[i] ** 2 * x[j]
    return total.value


def three_deep(x: Any, r: Ranges) -> Any:
    return rose.sum(rose.exp(x[i]) * x[j] * x[k] for i in r.range(N) for j in r.range(i) for k in r.range(j, i + 1))


def state(x: Any, r: Ranges) -> Any:
    return rose.sum(r.fold(lambda j, s: s * x[j] + rose.sin(s), x[i], r.range(i)) for i in r.range(N))


def nested_states(x: Any, r: Ranges) -> Any:
    inner = lambda i, s: r.fold(lambda j, t: rose.sin(t) * x[j] + s, s * x[i], r.range(i, N))
    return r.fold(inner, x[0], r.range(1, N))


def struct_state(x: Any, r: Ranges) -> Any:
    def body(j: Any, s: Any) -> Any:
        return Pair(s.total + x[j] * s.row[j], rose.vec(rose.sin(s.row[k]) * x[j] for k in rose.range(N)))

    return rose.sum(r.fold(body, Pair(x[i], x), r.range(i)).total for i in r.range(N))


def guarded(x: Any, r: Ranges) -> Any:
    def item(i: Any, j: Any) -> Any:
        return rose.select(x[i] > x[j], rose.sqrt(rose.abs(x[i] - x[j])), 0.0)

    return rose.sum(item(i, j) for i in r.range(N) for j in r.range(i))


def products(x: Any, r: Ranges) -> Any:
    return rose.sum(rose.prod(x[j] + 2.0 for j in r.range(i - 1)) * x[i] for i in r.range(N))


def a_vector_of_sums(x: Any, r: Ranges) -> Any:
    row = rose.vec(rose.sum(x[j] * x[i] for j in r.range(i, N)) for i in r.range(N))
    return rose.sum(row[i] ** 3 for i in r.range(N))


def backwards(x: Any, r: Ranges) -> Any:
    return rose.sum(x[i] * x[N - 1 - j] ** 2 for i in r.range(N) for j in r.range(N - 1 - i))


def added_elements(x: Any, r: Ranges) -> Any:
    total = rose.accum([0.0] * N)
    for i in r.range(N):
        for j in r.range(i):
            total[j] += x[i] * rose.sin(x[j])
            total[j + 1] += x[j] ** 2
    return rose.sum(total.value[k] ** 2 for k in r.range(N))


def branches(x: Any, r: Ranges) -> Any:
    def term(i: Any, j: Any) -> Any:
        return rose.cond(x[i] > x[j], lambda: x[i] * x[j] ** 2, lambda: rose.sin(x[j]))

    return rose.sum(term(i, j) for i in r.range(N) for j in r.range(i))


def while_loops(x: Any, r: Ranges) -> Any:
    def term(i: Any, j: Any) -> Any:
        return rose.while_loop(lambda s: s < 3.0, lambda s: s * s + 1.0 + x[i] ** 2, x[j])

    return rose.sum(term(i, j) for i in r.range(N) for j in r.range(i))


def back_substitution(x: Any, r: Ranges) -> Any:
    def row(i: Any, s: Any) -> Any:
        return (s + r.fold(lambda j, t: t * 0.5 - x[i] * x[j] * s, x[i], r.range(N - 1, i, -1))) / (2.0 + x[i] ** 2)

    return r.fold(row, 0.1, r.range(N - 1, -1, -1))


def every_second(x: Any, r: Ranges) -> Any:
    down = rose.sum(x[i] ** 2 * rose.sin(x[j]) * (j + 1) for i in r.range(N) for j in r.range(i, -1, -2))
    return down + rose.sum(x[i] * rose.exp(x[j]) for i in r.range(N) for j in r.range(i, N, 2))


PROGRAMS = [
    triangle, pairs, band, three_deep, state, nested_states, struct_state, guarded, products, a_vector_of_sums,
    backwards, added_elements, branches, while_loops,
    back_substitution, every_second,
]  # fmt: skip


def derivatives_of(program: Callable[[Any, Ranges], Any], ranges: Ranges) -> dict[str, Any]:
    f = rose.fn([Vec[N]], Real)(lambda x: program(x, ranges))
    slope = rose.grad(f)
    twice = rose.fn([Vec[N]], Vec[N])(lambda x: rose.grad(rose.fn([Vec[N]], Real)(lambda y: rose.dot(slope(y), y)))(x))
    return {"value": f, "gradient": slope, "forward": rose.jacfwd(f), "hessian": rose.hessian(f), "twice": twice}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_loop_of_dependent_length_is_its_iterations_written_out(program: Any) -> None:
    loops, out = [rose.compile(derivatives_of(program, r)) for r in (LOOPS, WRITTEN_OUT)]
    for name in ("value", "gradient", "forward", "hessian", "twice"):
        assert getattr(loops, name)(XS) == pytest.approx(getattr(out, name)(XS), rel=1e-12, abs=1e-13), name


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("options", [{"simd": True}, {"dtype": "f32"}], ids=repr)
def test_the_options_of_the_compiler_hold_for_loops_of_dependent_length(program: Any, options: Any) -> None:
    fs = derivatives_of(program, LOOPS)
    fs = {name: fs[name] for name in ("value", "gradient")}
    same, close = rose.compile(fs), 1e-4 if "dtype" in options else 0.0
    made = rose.compile(fs, **options)
    for name in fs:
        assert getattr(made, name)(XS) == pytest.approx(getattr(same, name)(XS), rel=close, abs=close), name


@pytest.mark.parametrize("program", PROGRAMS)
def test_eager_evaluation_and_the_module_give_the_same_bits(program: Any) -> None:
    f = rose.fn([Vec[N]], Real)(lambda x: program(x, LOOPS))
    with rose.eager():
        assert f(XS) == rose.compile(f)(XS)


@pytest.mark.parametrize("start", range(N))
def test_bounds_may_be_data(start: int) -> None:
    @fn
    def f(x: Vec[N], a: Fin[N], b: Fin[N + 1]) -> Real:
        return rose.sum(x[j] ** 2 for j in rose.range(a, b))

    module = rose.compile({"f": f, "slope": rose.grad(f)})
    for stop in range(N + 1):
        inside = range(start, stop)
        assert module.f(XS, start, stop) == pytest.approx(sum([XS[j] ** 2 for j in inside]))
        assert list(module.slope(XS, start, stop)) == [2 * XS[j] if j in inside else 0.0 for j in range(N)]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_one_module_serves_triangles_of_all_sizes(n: int) -> None:
    m = rose.dim("m")

    @fn
    def f(x: Vec[m]) -> Real:
        return rose.sum(
            rose.scan(lambda j, s: rose.sin(s) + x[j], x[i], rose.range(i)) for i in rose.range(m)
        ) + rose.sum(x[i] * x[j] for i in rose.range(m) for j in rose.range(i + 1, m))

    xs, functions = XS[:1] * n, {"f": f, "slope": rose.grad(f)}
    every, one = rose.compile(functions, dynamic=True), rose.compile(functions, m=n)
    assert every.f(xs) == one.f(xs)
    assert list(every.slope(xs)) == list(one.slope(xs))
