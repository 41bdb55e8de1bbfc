"""The order in which the functions of a module are written."""

from typing import Any

import rose
from rose import Real, fn
from rose.ir import CALL, PURE_CALL, Func
from wasm_backend.codegen.call_order import callees, calls_first, needs


@fn
def leaf(x: Real) -> Real:
    return rose.sin(x)


@fn
def middle(x: Real) -> Real:
    return leaf(x) + leaf(x * x)


@fn
def root(x: Real) -> Real:
    return middle(x) * leaf(x) + 2.0


def test_each_function_comes_once_and_after_its_callees():
    order = list(calls_first([root.func, leaf.func]))
    assert order == [leaf.func, middle.func, root.func]


def test_the_parts_of_a_branch_are_its_callees():
    f = fn([Real], Real)(lambda x: rose.cond(x > 0.0, lambda: leaf(x), lambda: x)).func
    (branch,) = [v.attr for v in f.body.code if v.op in (CALL, PURE_CALL)]
    assert callees(branch, needs(branch.body)) == [branch.kind.then, branch.kind.otherwise]
    assert list(calls_first([f]))[-2:] == [branch, f]


def test_the_needs_of_a_function_are_also_those_in_its_loops():
    f: Func = fn([Real], Real)(lambda x: rose.sum(rose.exp(x * i) for i in rose.range(9))).func
    assert [v.op.name for v in needs(f.body)].count("exp") == 1


def test_a_long_chain_of_calls_is_walked_without_recursion():
    def called(f: Any) -> Any:
        return fn([Real], Real)(lambda x: f(x) + 1.0)

    f: Any = leaf
    for _ in range(2000):
        f = called(f)
        f.func  # noqa: B018 (traced now, not in a chain of 2000)
    assert len(calls_first([f.func])) == 2001
