"""Mathematics has the same bits everywhere: in the interpreter, under wasmtime, in node, and in Chromium.

For each function, a value and its first derivatives (forward, with tangent 1) at 10,000 points: bits at random,
special values, and both sides of where the code of a function takes another branch. Every nan is the same one.
What C says of zeros, infinities and nan is compared to the C library that is here.
"""

from __future__ import annotations

import functools
import json
import math
import random
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import bits, same
from libm_points import BORDERS
from same_bits import CHECK, entry

import rose
from rose import Dual, Real, Vec
from rose.host.interpreter import run
from rose.ir import OPS
from rose.ir.types import tuple_of

pytestmark = pytest.mark.slow

COUNT = 10_000
Point = tuple[float, ...]
LIBRARY = [op.name for op in OPS.values() if (op.wasm or "").startswith("call ")]
NAMES = [*LIBRARY, "sqrt", "sigmoid", "softplus", "relu", "mod", "logsumexp", "clip"]
TWO = {"atan2", "pow", "hypot", "fmod", "mod", "logsumexp"}

# points

SPECIAL = [
    0.0, 5e-324, 2.2250738585072009e-308, 2.2250738585072014e-308, 1.0, 2.0, 3.0, 0.5, 1.7976931348623157e308,
    math.inf, math.nan,
]  # fmt: skip
MULTIPLES = [*[k * math.pi / 4 for k in range(1, 200)], *[k * math.log(2) / 2 for k in range(1, 200)]]
POWERS = [2.0**k for k in range(-1074, 1024)]


def arity(name: str) -> int:
    return 3 if name == "clip" else 2 if name in TWO else 1


def number(r: random.Random) -> float:
    sign, kind = r.choice([1.0, -1.0]), r.random()
    if kind < 0.3:
        return r.uniform(-10, 10)
    if kind < 0.5:
        return struct.unpack("<d", r.randbytes(8))[0]
    if kind < 0.6:
        return sign * r.choice(SPECIAL)
    near = r.choice(POWERS if kind < 0.7 else MULTIPLES if kind < 0.8 else BORDERS)
    for _ in range(r.randrange(3)):
        near = math.nextafter(near, r.choice([math.inf, -math.inf]))
    return sign * near


def points(name: str) -> list[Point]:
    """The points of a function, the same at every run: for two arguments with all pairs of special values."""
    r, k = random.Random(name), arity(name)
    special = [*SPECIAL, *[-x for x in SPECIAL]] if k < 3 else [0.0, -0.0, 1.0, math.inf, -math.inf, math.nan]
    out = list(product(special, repeat=k))
    inside = 1.0 if name in ("asin", "acos", "atanh") else math.inf
    while len(out) < COUNT:
        p = [number(r) for _ in range(k)]
        p = [1 / x if abs(x) > inside and r.random() < 0.8 else x for x in p]
        if name == "pow" and r.random() < 0.25:
            p[1] = float(r.randint(-20, 20))
        out.append(tuple(p))
    return out


# functions


def function(name: str) -> Callable[..., Any]:
    """A function of ours, of numbers."""
    special: dict[str, Callable[..., Any]] = {
        "mod": lambda x, y: x % y,
        "logsumexp": lambda x, y: rose.logsumexp([x, y]),
    }
    return special.get(name) or getattr(rose, name)


def slope(f: Callable[..., Any], xs: Sequence[Any], k: int) -> Any:
    """The derivative of `f` in one of its arguments."""
    of_one = rose.fn([Real], Real)(lambda x: f(*xs[:k], x, *xs[k + 1 :]))
    return rose.jvp(of_one)(Dual(xs[k], 1.0)).du


@functools.cache
def sweep(name: str) -> Any:
    """At each of the points, the value of a function, and its derivative in each argument."""
    f, k = function(name), arity(name)
    both = rose.fn([Real] * k, tuple_of(*[Real] * (1 + k)))(lambda *xs: (f(*xs), *[slope(f, xs, j) for j in range(k)]))

    def row(p: Any) -> list[Any]:
        answers = both(*[p[j] for j in range(k)])
        return [answers[j] for j in range(1 + k)]

    n = len(points(name))
    return rose.fn([Vec[n, Vec[k]]], Vec[n, Vec[1 + k]])(lambda ps: rose.vec(row(ps[i]) for i in rose.range(n)))


@functools.cache
def under_wasmtime(name: str) -> Any:
    return rose.compile({"sweep": sweep(name)})(np.array(points(name)))


@pytest.mark.parametrize("name", NAMES)
def test_the_interpreter_and_wasmtime_agree(name: str):
    at, got = points(name), under_wasmtime(name).tolist()
    assert len(at) >= COUNT
    wanted = run(sweep(name).func, tuple(at))
    wrong = [(p, bits(y), bits(tuple(z))) for p, y, z in zip(at, wanted, got, strict=True) if not same(y, tuple(z))]
    assert not wrong, f"{len(wrong)} points, such as {wrong[:3]}"


# other engines


@pytest.fixture(scope="module")
def bundle() -> str:
    """All modules, with their points and what wasmtime gave there, as `tests/js/same_bits.js` wants them."""
    entries = [entry(name, sweep(name), points(name), under_wasmtime(name)) for name in NAMES]
    return json.dumps(entries)


def agree(said: str) -> None:
    """What `same_bits.js` says: the functions compared, and the points where they differ."""
    compared, wrong = json.loads(said)
    assert not wrong
    assert compared == [[name, len(points(name))] for name in NAMES]


def test_node_agrees(bundle: str, tmp_path: Path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, so its bits are not compared")
    script = tmp_path / "all.js"
    script.write_text(f"{CHECK.read_text()}\nconsole.log(sameBits({bundle}));\n")
    agree(subprocess.run([node, script], check=True, capture_output=True, text=True).stdout)


def test_chromium_agrees(bundle: str, tmp_path: Path):
    """The page does its work while it is loaded, and Chromium prints it then: nothing has to drive it."""
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    if not found:
        pytest.skip("Chromium is not installed, so its bits are not compared")
    page = tmp_path / "all.html"
    page.write_text(
        f"<!doctype html><pre></pre><script>{CHECK.read_text()}\n"
        f"document.querySelector('pre').textContent = sameBits({bundle});</script>"
    )
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([found[0], *options, page.as_uri()], check=True, capture_output=True, text=True, timeout=300)
    agree(done.stdout.partition("<pre>")[2].partition("</pre>")[0])


# C

C_NAMES = {"gamma": "tgamma"}
C_POINTS = [*SPECIAL, -1.0, -2.0, -2.5, 1.5, 200.0, 800.0, 1e300]
C_PROGRAM = """
#include <math.h>
#include <stdio.h>
int main(void) {
    double x, y;
    while (scanf("%lf %lf", &x, &y) == 2) { CALLS }
    return 0;
}
"""


@functools.cache
def in_c(folder: Path) -> dict[str, list[float]]:
    """What the C library gives at all pairs of points, by function."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed: the table of tests/laws/test_libm_accuracy.py has what C says")
    at = list(product([*C_POINTS, *[-x for x in C_POINTS]], repeat=2))
    calls = [f"{C_NAMES.get(n, n)}({', '.join('xy'[: arity(n)])})" for n in LIBRARY]
    source, program = folder / "all.c", folder / "all"
    source.write_text(C_PROGRAM.replace("CALLS", "".join([f'printf("%a\\n", {call});' for call in calls])))
    subprocess.run([gcc, "-O0", "-fno-builtin", source, "-o", program, "-lm"], check=True)
    given = "".join([f"{x.hex()} {y.hex()}\n" for x, y in at])
    said = subprocess.run([program], input=given, check=True, capture_output=True, text=True).stdout.split()
    numbers = [math.nan if "nan" in word else float.fromhex(word) for word in said]
    return {name: numbers[k :: len(LIBRARY)] for k, name in enumerate(LIBRARY)}


@pytest.fixture(scope="module")
def of_c(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    return in_c(tmp_path_factory.mktemp("c"))


@pytest.mark.parametrize("name", LIBRARY)
def test_special_values_are_those_of_the_c_library(name: str, of_c: dict[str, list[float]]):
    at = list(product([*C_POINTS, *[-x for x in C_POINTS]], repeat=2))
    f = OPS[name].eval
    assert f is not None
    for p, wanted in zip(at, of_c[name], strict=True):
        xs = p[: arity(name)]
        got = f(*xs)
        if not wanted or not math.isfinite(wanted):
            assert same(got, wanted), (xs, got, wanted)
        else:
            assert math.isclose(got, wanted, rel_tol=1e-13, abs_tol=1e-323), (xs, got, wanted)
