"""What each adapter does: all cases, in the environment of one tool, a line of JSON for each.

An adapter calls `run(orders, versions)`: `orders(program, n)` gives a function of a point for the value and for each
order of derivative; it raises `Missing` for what the tool does not have.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from .cases import CASES
from .spec import Case, Missing, Program

LIMIT = 60  # seconds for a case
Derivative = Callable[[Sequence[float]], Any]
Orders = Callable[[Program, int], Sequence[Derivative]]


def run(orders: Orders, versions: str, idioms: dict[str, Program] | None = None) -> None:
    """Answers from the case on that the command line names, so that a crash costs one case alone."""
    signal.signal(signal.SIGALRM, _too_long)
    print(json.dumps({"versions": versions}), flush=True)
    for c in CASES[int(sys.argv[1]) :]:
        signal.alarm(LIMIT)
        print(json.dumps({"case": c.name, "answers": answers(orders, c, (idioms or {}).get(c.name))}), flush=True)
        signal.alarm(0)


def answers(orders: Orders, c: Case, idiom: Program | None = None) -> list[list[Any]]:
    """For each point: the value, and each order as far as it is judged."""
    try:
        derivatives = orders(idiom or c.program, c.size)
    except Exception as e:
        return [[said(e)] * 4 for _ in c.points]
    return [[answer(derivatives[k], place.point) for k in range(place.orders + 1)] for place in c.points]


def answer(derivative: Derivative, point: Sequence[float]) -> Any:
    try:
        return flat(derivative(point))
    except Exception as e:
        return said(e)


def said(e: Exception) -> dict[str, str]:
    return {"missing" if isinstance(e, Missing) else "error": f"{type(e).__name__}: {e}"[:200]}


def flat(x: Any) -> list[float]:
    """The numbers of a nested list, a tensor or a number."""
    x = x.tolist() if hasattr(x, "tolist") else x
    return [v for part in x for v in flat(part)] if isinstance(x, list | tuple) else [float(x)]


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"took more than {LIMIT} s")


class Vocabulary:
    """The names that programs call, for a tool that runs Python's own loops and branches; an adapter overrides them.

    What a tool does not have is `Missing`.
    """

    differ = staticmethod(lambda i, j: i != j)
    equal = staticmethod(lambda a, b: a == b)
    item = staticmethod(lambda v, i: v[i])
    entry = staticmethod(lambda d, i, j: d[i][j])
    real = staticmethod(float)

    def __init__(self, **words: Any) -> None:
        self.__dict__.update(words)

    def __getattr__(self, name: str) -> Any:
        raise Missing(f"there is no {name}")

    def table(self, n: int, k: int, f: Any) -> Any:
        return [[f(i, j) for j in range(k)] for i in range(n)]

    def total(self, table: Any) -> Any:
        return sum(v for row in table for v in row)

    def each(self, f: Any, *vectors: Any) -> Any:
        return f(*vectors)

    def fold(self, n: int, body: Any, state: Any) -> Any:
        for i in range(n):
            state = body(i, state)
        return state

    def while_(self, test: Any, body: Any, state: Any) -> Any:
        while test(state):
            state = body(state)
        return state

    def cond(self, c: Any, then: Any, otherwise: Any, x: Any) -> Any:
        return then(x) if c else otherwise(x)

    def powers(self, x: Any, n: int) -> Any:
        return sum(x**k for k in range(n))

    def updated(self, x: Any, n: int) -> Any:
        return n * x  # where memory cannot be written there is nothing to get wrong

    def in_place(self, x: Any) -> Any:
        return self.cos(x[0]) * x[1]

    def det2(self, x: Any) -> Any:
        raise Missing("there is no det")


def full(derivative: Callable[[Sequence[float], tuple[int, ...]], float], n: int, order: int) -> Derivative:
    """A tensor from a function of a point and a tuple of indices."""
    return lambda point: [derivative(point, index) for index in product(range(n), repeat=order)]
