"""Functions of the IR that are optimised with their bits compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from harness import Module, same

from rose import ir
from rose.errors import Loc
from rose.host.interpreter import run
from rose.ir import FOR, Block, Func, Value
from rose.ir.check import check
from rose.ir.text.printer import show
from rose.optimise.pipeline import optimise, optimised

HERE = Loc((lambda: None).__code__, -1)


def fast(f: Func, *points: tuple[Any, ...], by: Any = optimised) -> Func:
    """What is compiled for `f`: well formed, with the bits of `f` at some points."""
    optimise([f])
    before = show(f)
    made = check(by({"f": f})["f"])
    assert show(f) == before
    plain, module = Module({"f": f}), Module({"f": made})
    for x in points:
        want = run(f, *x)
        for got in (run(made, *x), plain["f"](*x), module["f"](*x)):
            assert same(got, want), (got, want)
    return made


def code(f: Func) -> Iterator[Value]:
    """All instructions of a function, those in loops too."""

    def of(block: Block) -> Iterator[Value]:
        for v in block.code:
            yield v
            if v.op is FOR:
                yield from of(v.attr)

    return of(f.body)


def loops(f: Func) -> list[Value]:
    return [v for v in code(f) if v.op is FOR]


def func(*params: Any) -> Callable[[Callable[..., Value]], Func]:
    """A function of the IR, from its body over a builder and parameters."""

    def make(body: Callable[..., Value]) -> Func:
        with ir.building("f") as b:
            b.loc = HERE
            result = body(b, *[b.param(t, f"x{k}") for k, t in enumerate(params)])
            return check(b.func(result))

    return make
