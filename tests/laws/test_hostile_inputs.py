"""Whatever is given to the public entry points, what comes is a result or an error of Rose's, not a bare one of Python.

Each row is something that once was, or could be, a `RecursionError`, `UnicodeEncodeError`, `ValueError` or
`AttributeError` of the compiler's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, Vec
from rose.errors import RoseError

HALF = "a\ud800"  # half of a surrogate pair, which has no UTF-8


def of_text(t: str = "Real", body: str = "1.0") -> Any:
    return rose.compile(rose.parse(f"def f(x: {t}): Real = {body}"))


def of(body: Callable[[Any], Any], t: Any = Real) -> Any:
    return rose.fn([t], Real)(body)


def nested(depth: int, x: Any) -> Any:
    for _ in range(depth):
        x = [x]
    return x


def cyclic() -> Any:
    items: list[Any] = []
    items.append(items)
    return items


def named(x: Any) -> Any:
    """A docstring with \ud800."""
    return x


named.__name__ = HALF
FIELD = {HALF: Real}


def vectors(x: Any) -> Any:
    for _ in range(3000):
        x = rose.vec([x])
    return x


def recursive(x: Any) -> Any:
    return recursive(x) + 1.0


def annotated() -> Any:
    t: Any = Real
    for _ in range(1000):
        t = Vec[1, t]
    return rose.fn([t], Real)(lambda x: 1.0).func


INPUTS: dict[str, Callable[[], Any]] = {
    "a deep type": lambda: of_text("[2]" * 10_000 + "Real"),
    "a deep tuple": lambda: of_text("(" * 10_000 + "Real" + ",)" * 10_000),
    "a deep type with 1,000 elements": lambda: of_text("[1]" * 200 + "Real"),
    "deep lists": lambda: of_text(body="fst (1.0, " + "[" * 10_000 + "1" + "]" * 10_000 + ")"),
    "deep lists of names": lambda: of_text(body="fst (1.0, " + "[" * 300 + "x" + "]" * 300 + ")"),
    "deep parentheses": lambda: of_text(body="(" * 10_000 + "x" + ")" * 10_000),
    "many minus signs": lambda: of_text(body="-" * 10_000 + "x"),
    "a number that overflows": lambda: of_text(body="1e999"),
    "a hexadecimal number that overflows": lambda: of_text(body="0x1p99999"),
    "a number of many digits": lambda: of_text(body="1" * 1_000_000),
    "a fraction of many digits": lambda: of_text(body="0." + "3" * 1_000_000),
    "an index of many digits": lambda: of_text("[" + "1" * 4_000 + "]Real"),
    "an index with a digit that is none": lambda: of_text("[0²]Real"),
    "a text with half of a pair": lambda: of_text(body=HALF),
    "a text with a NUL": lambda: of_text(body="\0"),
    "an export with half of a pair": lambda: rose.compile({HALF: of(lambda x: x)}),
    "a name with half of a pair": lambda: rose.compile(of(named)),
    "a docstring with half of a pair": lambda: rose.compile({"f": of(named)}).files("f"),
    "a field with half of a pair": lambda: rose.compile({"f": of(lambda p: p[HALF], FIELD)}).files("f", html=True),
    "a package with half of a pair": lambda: rose.compile({"f": of(lambda x: x)}).files(HALF),
    "a directory with half of a pair": lambda: rose.compile({"f": of(lambda x: x)}).save(HALF),
    "a directory with a NUL": lambda: rose.compile({"f": of(lambda x: x)}).save("a\0"),
    "a power with a modulus": lambda: of(lambda x: pow(x, 2, 3)).func,
    "a number that is called": lambda: of(lambda x: x()).func,
    "a vector that is called": lambda: of(lambda x: x(0, a=1), Vec[3]).func,
    "vectors of vectors without end": lambda: rose.compile(of(lambda x: (vectors(x), x)[1])),
    "a recursion without end": lambda: of(recursive).func,
    "a deep annotation": annotated,
    "a deep list": lambda: of(lambda x: (rose.vec(nested(3_000, 1.0)), x)[1]).func,
    "a deep argument": lambda: of(lambda x: x[0], Vec[1])(nested(100_000, 1.0)),
    "a deep constant": lambda: of(lambda x: rose.constant(Vec[1], nested(100_000, 1.0))[0]).func,
    "a list of itself": lambda: of(lambda x: (rose.vec(cyclic()), x)[1]).func,
    "an argument of itself": lambda: of(lambda x: x[0], Vec[1])(cyclic()),
    "an integer of many digits": lambda: of(lambda x: x * 10**5_000).func,
    "an argument of many digits": lambda: of(lambda x: x)(10**5_000),
    "a power of many digits": lambda: of(lambda x: x ** (10**5_000)).func,
    "an index of many digits in Python": lambda: of(lambda x: x[10**5_000], Vec[3]).func,
    "a size of many digits": lambda: Vec[10**5_000],
    "a loop of many digits": lambda: of(lambda x: rose.sum(x for _ in rose.range(10**5_000))).func,
}


def told(program: Callable[[], Any]) -> RoseError | None:
    """The error of Rose's that a program raises; None, if it has a result."""
    try:
        program()
    except RoseError as e:
        return e
    return None


@pytest.mark.parametrize("name", INPUTS)
def test_a_hostile_input_has_a_result_or_an_error_of_ours(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    e = told(INPUTS[name])
    assert e is None or (e.hint and len(str(e)) < 2_000)
