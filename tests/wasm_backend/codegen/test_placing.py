"""Which functions are written where they are called."""

from __future__ import annotations

from typing import Any

from harness import compiled, same

import rose
from rose import Real, Vec, build, fn
from rose.host.interpreter import run
from wasm_backend.binary.disassembler import disassemble


def functions(*named: rose.Fn[..., Any]) -> list[str]:
    """The functions of the module of these, as they are optimised."""
    lines = disassemble(build.lowered({f"f{k}": f for k, f in enumerate(named)}).wasm).splitlines()
    return [line.split(" (")[0] for line in lines if line.startswith("func ")]


def search(n: Real, scale: Real = 1.0) -> Any:
    body = lambda s: (s[0] + 1.0, rose.cond(s[1] > 2.0, lambda: rose.exp(s[1] * 0.1), lambda: rose.sin(s[1]) + s[1]))
    return rose.while_loop(lambda s: s[0] < n, body, (0.0, 1.0))[1]


def test_a_loop_and_a_branch_in_it_are_code_of_their_caller():
    f = fn([Real], Real)(lambda n: search(n))
    assert not [name for name in functions(f) if "while" in name or "cond" in name or "then" in name]
    assert same(compiled(f.func)(3.0), run(f.func, 3.0))


def test_a_loop_that_two_call_is_a_function_that_has_its_parts():
    g = fn([Real], Real)(lambda n: search(n))
    f, h = fn([Real], Real)(lambda n: g(n) + 1.0), fn([Real], Real)(lambda n: g(n) * 2.0)
    names = functions(f, h)
    assert len([name for name in names if "while" in name]) <= 1
    assert not [name for name in names if "body" in name or "test" in name]


def test_a_long_chain_of_branches_is_not_written_by_recursion():
    def chain(x: Any, k: int) -> Any:
        return rose.sin(x) if k == 0 else rose.cond(x > float(k), lambda: rose.exp(-x), lambda: chain(x, k - 1))

    f = fn([Real], Real)(lambda x: chain(x, 40))
    assert [f(float(x)) for x in (0, 20, 45)] == [run(f.func, float(x)) for x in (0, 20, 45)]


def test_aggregates_of_a_placed_function_are_built_where_they_are_wanted():
    take = lambda v: rose.cond(v[0] > 0.0, lambda: rose.vec(rose.exp(v[i]) for i in rose.range(12)), lambda: v)
    f = fn([Vec[12]], Vec[12])(take)
    for sign in (1.0, -1.0):
        v = [sign * (k + 1.0) / 8 for k in range(12)]
        assert same(compiled(f.func)(v), run(f.func, v))


def test_loops_in_one_another_share_no_local():
    def inner(a: Any) -> Any:
        return rose.while_loop(lambda s: s[0] < a, lambda s: (s[0] + 1.0, s[1] * 1.5 + a), (0.0, 1.0))[1]

    body = lambda s: (s[0] + 1.0, s[1] + inner(s[0]), [s[2][1], s[2][0] + inner(s[0] + 1.0)])
    f = fn([Real], tuple[Real, Vec[2]])(lambda n: rose.while_loop(lambda s: s[0] < n, body, (0.0, 0.0, [1.0, 2.0]))[1:])
    assert same(compiled(f.func)(4.0), run(f.func, 4.0))
