"""How the work of the compiler grows with a program: `python -m benchmarks.growth 1000 4000 20000`.

Work is counted, not timed: the lines of Python that are executed from a function to the bytes of the module of its
value and gradient. The count is the same in each run of one version of Python, and a walk over instructions that are
there already counts as much as one that makes them. `tests/laws/test_growth.py` has the laws.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import rose

from .compare.programs import oscillator, terms
from .stages import in_functions, straight

Program = Callable[[int], tuple[rose.Fn, tuple[int, ...]]]


def lines(work: Callable[[], Any]) -> int:
    """The lines of Python that some work executes, with the calls and the returns."""
    count = 0

    def seen(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        return seen

    outer = sys.gettrace()
    sys.settrace(seen)
    try:
        work()
    finally:
        sys.settrace(outer)
    return count


def shared(n: int) -> rose.Fn:
    """Two functions on each of so many levels that call those of the level below: on 3 ** n paths."""
    one = rose.fn([rose.Real], rose.Real)(lambda x: rose.sin(x) * x)
    two = rose.fn([rose.Real, rose.Real], rose.Real)(lambda x, y: x * y + x)

    def level(f: rose.Fn, g: rose.Fn) -> tuple[rose.Fn, rose.Fn]:
        both = rose.fn([rose.Real, rose.Real], rose.Real)(lambda x, y: g(f(x), f(y)))
        return rose.fn([rose.Real], rose.Real)(lambda x: both(x, x)), both

    for _ in range(n):
        one, two = level(one, two)
    return one


def _part(k: int) -> Callable[[Any, Any], Any]:
    return lambda x, y: x * y + k


def calls(n: int) -> rose.Fn:
    """Half as many functions as operations, called in a row."""
    types = [rose.Real, rose.Real]
    parts = [rose.fn(types, rose.Real)(_part(k)) for k in range(n // 2)]

    @rose.fn(types, rose.Real)
    def f(x, y):
        for g in parts:
            x = g(x, y)
        return x

    return f


def arrays(n: int) -> rose.Fn:
    """Arithmetic on arrays, written out."""

    def f(v, w):
        for _ in range(n // 3):
            v = rose.sin(v) * w + v
        return rose.sum(v)

    return rose.fn([rose.Vec[50], rose.Vec[50]], rose.Real)(f)


def solutions(n: int) -> rose.Fn:
    """Systems of equations, one after the other."""

    def f(a, v):
        for _ in range(n):
            v = rose.linalg.solve(a, v)
        return rose.sum(v)

    return rose.fn([rose.Vec[4, 4], rose.Vec[4]], rose.Real)(f)


PROGRAMS: dict[str, Program] = {
    "straight": lambda n: (straight(n), (0, 1)),
    "calls": lambda n: (calls(n), (0, 1)),
    "functions": lambda n: (in_functions(n), (0, 1)),
    "oscillator": lambda n: (oscillator(n // 10).forms["calls"], (0,)),
    "terms": lambda n: (terms(n // 40, max(4, n // 50)).forms["calls"], (0,)),
    "shared": lambda n: (shared(n // 10), (0,)),
    "arrays": lambda n: (arrays(n // 10), (0, 1)),
    "solutions": lambda n: (solutions(n // 50), (0, 1)),
    "twice": lambda n: (rose.grad(straight(n // 10)), (0, 1)),
}


def compiled(program: Program, n: int) -> bytes:
    """The module of the value and gradient of a program of about `n` operations."""
    f, argnums = program(n)
    return rose.compile(rose.value_and_grad(f, argnums)).wasm


def main() -> None:
    """Lines for each operation, bytes, and milliseconds of thread CPU time, at each of the sizes that are given."""
    for name, program in PROGRAMS.items():
        compiled(program, 100)  # what is done once
        for n in map(int, sys.argv[1:]):
            start = time.thread_time()
            size = len(compiled(program, n))
            ms = (time.thread_time() - start) * 1000
            work = lines(partial(compiled, program, n)) / n
            print(f"{name:10} {n:7,} {work:8,.0f} {size:9,} {ms:9,.0f}", flush=True)


if __name__ == "__main__":
    main()
