"""Large programs: long functions are split, functions are differentiated once, loops do not unroll."""

from __future__ import annotations

from typing import Any

import pytest
import wasmtime
from harness import Module, compiled

import rose
from rose import Fn, Real, Vec, ir
from rose.host.interpreter import run
from rose.ir import FOR, Block, Func, is_call
from rose.ir.callgraph import callees
from rose.ir.check import check
from rose.optimise import costs, outlining
from rose.optimise.pipeline import optimised


def chain(n: int) -> Fn[..., Any]:
    def body(x: Any, y: Any) -> Any:
        for _ in range(n // 4):
            x = x * y * 0.5 + 0.5
            y = x - y * 0.25
        return x + y

    return rose.fn([Real, Real], Real)(body)


def functions(f: Func) -> dict[Func, int]:
    """A function and all that it calls, with the instructions of each."""
    found: dict[Func, int] = {}
    todo = [f]
    while todo:
        g = todo.pop()
        if g not in found:
            values = instructions(g.body)
            found[g] = len(values)
            todo.extend([v.attr for v in values if is_call(v)])
    return found


def instructions(block: Block) -> list[Any]:
    return [w for v in block.code for w in (v, *(instructions(v.attr) if v.op is FOR else ()))]


@pytest.mark.parametrize("piece", range(2, 12))
def test_a_loop_that_a_later_piece_reads_is_handed_on_by_its_items(piece: int, monkeypatch: pytest.MonkeyPatch):
    """The back end makes only the vectors of a loop that something gets from it."""

    def body(x: Any) -> Any:
        last, seen = rose.scan(lambda i, s: (s * x[i], (s + x, s - x)), x, 3)
        for k in range(3):
            x = x * last[k] + seen[0][k][0]
        return rose.sum(x) * seen[0][1][2]

    monkeypatch.setattr(costs, "LONG_INSTRUCTIONS", 1)
    monkeypatch.setattr(costs, "LONG_BLOCK_INSTRUCTIONS", 4)
    monkeypatch.setattr(costs, "PIECE_INSTRUCTIONS", piece)
    f = rose.fn([Vec[3]], Real)(body).func
    made = check(outlining.outline(f))
    assert len(functions(made)) > 1
    x = (0.5, -1.25, 3.0)
    assert compiled(made)(x) == run(f, x)


def test_a_call_is_not_given_a_loop_as_a_whole():
    with ir.building("g") as b:
        (both,) = [b.tuple([b.zero(Real)])]
        g = b.func(b.get(b.param(both.type), 0))
    with ir.building("f") as b:
        last, _ = b.loop(3, lambda i, s: ([s], []), [b.param(Real)])
        with pytest.raises(AssertionError):
            b.call(g, [last[0].args[0]])


def test_a_program_of_calls_grows_by_calls():
    square = rose.fn([Real], Real)(lambda x: x * x * 0.5 + 0.1)

    def sizes(n: int) -> dict[Func, int]:
        def body(x: Any) -> Any:
            for _ in range(n):
                x = square(x)
            return x

        return functions(check(rose.grad(rose.fn([Real], Real)(body)).func))

    assert len(sizes(10)) == len(sizes(500))


def test_the_code_of_a_loop_does_not_depend_on_its_size():
    def wasm(n: int) -> int:
        f = rose.fn([Vec[n]], Real)(lambda v: rose.sum(v[i] * v[i] for i in rose.range(n)))
        return len(rose.compile(rose.grad(f)).wasm)

    assert abs(wasm(10_000) - wasm(100)) < 20


@pytest.mark.slow
def test_a_hundred_thousand_operations_in_one_function():
    f = chain(100_000)
    g = optimised({"g": rose.value_and_grad(f, (0, 1)).func})["g"]
    assert max(functions(g).values()) < 10_000
    value, (dx, dy) = Module({"g": g})["g"](0.3, 0.2)
    assert value == run(f.func, 0.3, 0.2)
    with rose.eager():
        assert dx - dy == pytest.approx(rose.jvp(f)(rose.Dual(0.3, 1.0), rose.Dual(0.2, -1.0)).du, rel=1e-9, abs=1e-300)


@pytest.mark.slow
def test_twenty_thousand_operations_forwards():
    f = chain(20_000)
    along = rose.compile(rose.jvp(f))(rose.Dual(0.3, 1.0), rose.Dual(0.2, -1.0))
    dx, dy = rose.grad(f, (0, 1))(0.3, 0.2)
    assert (along.re, along.du) == (rose.compile(f)(0.3, 0.2), pytest.approx(dx - dy, rel=1e-9, abs=1e-300))


@pytest.mark.slow
def test_what_is_derived_grows_as_the_program_does():
    small, large = (sum(functions(rose.grad(chain(n)).func).values()) for n in (4_000, 8_000))
    assert 1.8 < large / small < 2.2


@pytest.mark.slow
def test_a_thousand_and_one_parameters():
    f = rose.fn([Real] * 1001, Real)(lambda *xs: rose.sum(x * x for x in xs))
    g = rose.compile(rose.grad(f, (0, 1000)))
    assert g(*[float(k) for k in range(1001)]) == (0.0, 2000.0)


@pytest.mark.slow
def test_a_struct_of_three_thousand_members():
    t = {f"m{k}": Real for k in range(3000)}
    f = rose.fn([t], Real)(lambda s: rose.sum(s[k] * s[k] for k in t))
    gradient = rose.compile(rose.grad(f))(dict.fromkeys(t, 2.0))
    assert list(gradient) == list(t)
    assert set(gradient.values()) == {4.0}


@pytest.mark.slow
def test_the_gradient_of_a_function_with_over_a_thousand_vectors():
    """Its derivative takes as many accumulators."""
    n = 1100
    f = rose.fn([Vec[2]] * n, Real)(lambda *vs: sum([vs[k][0] * vs[(k + 1) % n][1] for k in range(n)], 0.0))
    g = rose.grad(rose.fn(f.types, Real)(lambda *vs: 2.0 * f(*vs)), tuple(range(n)))
    args = [[float(k), float(-k)] for k in range(n)]
    got = rose.compile(g)(*args)
    assert [[*v] for v in got] == [[-2.0 * ((k + 1) % n), 2.0 * ((k - 1) % n)] for k in range(n)]


def two_vectors(x: Any) -> Any:
    """Each is read at another place than in the iteration that makes it."""
    v = rose.vec(rose.sin(x * i) for i in rose.range(400_000_000))
    w = rose.vec(rose.sin(v[i + 1]) for i in rose.range(300_000_000))
    return rose.sum(v[i] * w[(i + 1) % 300_000_000] for i in rose.range(300_000_000))


def scan(x: Any) -> Any:
    return rose.scan(lambda i, s: rose.sin(s), x, 1_000_000_000)


Huge = Vec[2_000_000_000, Vec[2_000_000_000]]
# each function that needs too much, what it says that it needs, and a word of the line that it points at
TOO_LARGE: list[tuple[Any, str, str]] = [
    (rose.fn([Vec[600_000_000]], Real)(lambda v: v[0]), "4,800,000,000 bytes", "lambda v"),
    (rose.fn([Huge], Real)(lambda v: v[5][6]), "32,000,000,000,000,000,000 bytes", "lambda v"),
    (
        rose.fn([Real], Real)(two_vectors),
        r"5,600,00.,... bytes.*3,200,000,000 at .* and 2,400,000,000 at",
        "v = rose.vec",
    ),
    (rose.grad(rose.fn([Real], Real)(scan)), "8,000,00.,... bytes", "rose.scan"),
    (rose.grad(rose.grad(rose.fn([Real], Real)(scan))), "000,000,[0-9]+ bytes", "rose.scan"),
    (rose.fn([Real], Vec[600_000_000])(lambda x: rose.vec(x for _ in rose.range(600_000_000))), "4,800,000,000", "vec"),
]


@pytest.mark.parametrize(("f", "sum_", "line"), TOO_LARGE, ids=[str(k) for k in range(len(TOO_LARGE))])
def test_more_memory_than_webassembly_has_is_refused(f: Fn[..., Any], sum_: str, line: str):
    with pytest.raises(rose.TooLarge, match=sum_) as e:
        rose.compile(f)
    assert line in str(e.value).splitlines()[2]


def test_states_beyond_the_half_of_memory():
    """The sum of the addresses between which a state changes is more than an i32 holds."""

    @rose.fn
    def f(x: Vec[30]) -> Real:
        v = rose.vec(rose.sin(x[i % 30]) for i in rose.range(300_000_000))
        turned = lambda i, s: rose.vec(s[(k + 1) % 30] + v[i] for k in rose.range(30))
        return rose.sum(rose.scan(turned, x, 1000)) + v[7]

    wasmtime.Module.validate(wasmtime.Engine(), rose.compile(f).wasm)  # an error, if it is none


def long(x: Any) -> Any:
    y = x
    for k in range(4_000):
        y = y * x + 0.001 * k
    return y


@rose.fn(syntax=True)
def branching(x: Real) -> Real:
    if x > 0.0:
        y = long(x)
    else:
        y = x
    return y


def choosing(x: Any) -> Any:
    return rose.cond(x > 0.0, lambda: long(x), lambda: x)


def turning(x: Any) -> Any:
    return rose.while_loop(lambda y: y < 1.0, lambda y: long(y) + x * 0.0, x)


def looping(x: Any) -> Any:
    return rose.scan(lambda i, y: long(y), x, 2)


BODIES = [branching, *[rose.fn([Real], Real)(body) for body in (choosing, turning, looping)]]


@pytest.mark.slow
@pytest.mark.parametrize("f", BODIES, ids=["if", "cond", "while_loop", "scan"])
def test_long_parts_of_functions_are_split_too(f: Fn[..., Any]):
    g = rose.value_and_grad(f)
    for h in (f, g):
        whole = optimised({"f": h.func})["f"]
        todo, seen = [whole], {whole}
        while todo:
            part = todo.pop()
            assert len(instructions(part.body)) < 10_000, part
            todo += (new := dict.fromkeys(c for c in callees(part) if c not in seen))
            seen.update(new)
    value, slope = rose.compile(g)(0.5)
    assert value == rose.compile(f)(0.5)
    along = rose.fn([Real], Real)(lambda x: rose.jvp(f)(rose.Dual(x, 1.0)).du)
    assert slope == pytest.approx(rose.compile(along)(0.5), rel=1e-9)


@pytest.mark.slow
def test_more_than_a_thousand_sums_are_open_around_a_loop():
    t = {f"m{k}": Real for k in range(1_100)}

    def body(s: Any) -> Any:
        v = rose.vec({k: s[k] * (i + 1.0) for k in t} for i in rose.range(3))
        w = v[1]
        return rose.sum(w[k] for k in t)

    gradient = rose.compile(rose.grad(rose.fn([t], Real)(body)))(dict.fromkeys(t, 1.0))
    assert set(gradient.values()) == {2.0}
