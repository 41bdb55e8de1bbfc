"""Programs as the text of a kernel: what Warp and Taichi have in common.

Expressions come from the trace; loops are written here, as the reports have them. `{F}` makes a number of 64 bits, and
`{m}` is the module of the tool.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from ..spec import Missing

BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "gt": ">", "ge": ">=", "lt": "<", "le": "<=", "equal": "=="}
REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "norm": ""}
CALLS = {"sqrt", "exp", "log", "sin", "cos", "atan2", "abs", "max", "min", "floor", "pow"}

# the counts of iterations, and the lines between `x0 = x[0]` and `out[0] = s`
LOOPS: dict[str, tuple[int, int, str]] = {
    "product in a loop": (3, 0, "s = {F}(1.0)\nfor i in range(n1):\n    s = s * x0"),
    "before a loop, and after it": (
        4,
        0,
        "y = x0 * x0\ns = {F}(0.0)\nfor i in range(n1):\n    s = s + {F}(i) * x1\ns = y * s",
    ),
    "loop in a loop": (
        3,
        2,
        "s = {F}(1.0)\nfor i in range(n1):\n    for j in range(n2):\n        s = s * x0 + x1\n    s = s * x1",
    ),
    "largest, with continue": (
        4,
        0,
        "s = {F}(-1e20)\nfor i in range(n1):\n    w = {F}(6 - 2 * i)\n    if i == 0:\n        w = {F}(1.0)\n"
        "    if i == 1:\n        continue\n    if i == 3:\n        w = {F}(4.0)\n    v = x0 * w\n"
        "    if v > s:\n        s = v",
    ),
    "one over a sum": (3, 0, "s = {F}(1.0)\nfor i in range(n1):\n    s = s + x[i]\ns = {F}(1.0) / s"),
    "overwritten in a loop": (5, 0, "s = x1 * {F}(1.0)\nfor i in range(n1):\n    s = {m}.sin(s * x0) + s * s"),
    "element += x, and again": (
        0,
        0,
        "v = {vector}\nv[0] = v[0] + x0\nv[0] = v[0] + x0\nv[0] = v[0] + x0\ns = v[0]",
    ),
    "x = cos(t) * x in place": (0, 0, "x[1] = {m}.cos(x[0]) * x[1]\ns = x[1]"),
    "vector += each of another": (
        2,
        3,
        "s = {F}(0.0)\nfor i in range(n1):\n    for j in range(n2):\n        s = s + x[j]",
    ),
    "local sum": (5, 0, "s = {F}(0.0)\nfor i in range(n1):\n    s += x0"),
    "branch in a loop": (6, 0, "s = {F}(1.0)\nfor i in range(n1):\n    if i < 4:\n        s = s * x0"),
    "alternating branches": (
        130,
        0,
        "s = x0 * {F}(1.0)\nfor i in range(n1):\n    if i % 2 == 0:\n        s = s + {F}(0.01)\n    else:\n"
        "        s = s * {F}(1.001)",
    ),
    "while loop": (0, 0, "s = {F}(1.0)\nwhile s < {F}(10.0):\n    s = s * x0"),
    "while loop with a bystander": (
        0,
        0,
        "k = {F}(0.0)\ns = {F}(1.0)\nwhile k < {F}(1.5):\n    k = k + {F}(1.0)\n    s = s * x0",
    ),
}


class Text:
    """The lines of a traced program; a vector is a list of names."""

    def __init__(self, where: str, norm: str) -> None:
        self.where, self.norm = where, norm  # how the tool writes them
        self.lines: list[str] = []

    def named(self, text: str) -> str:
        self.lines.append(f"t{len(self.lines)} = {text}")
        return f"t{len(self.lines) - 1}"

    def scalar(self, name: str, args: list[str]) -> str:
        if name in BINARY:
            return self.named(f"{args[0]} {BINARY[name]} {args[1]}")
        if name == "clip":
            return self.scalar("min", [self.scalar("max", args[:2]), args[2]])
        if name == "xlogy":
            return self.scalar("mul", [args[0], self.scalar("log", args[1:])])
        if name in ("neg", "where"):
            return self.named({"neg": "-{}", "where": self.where}[name].format(*args))
        if name not in CALLS:
            raise Missing(f"there is no {name}")
        return self.named(f"{{m}}.{name}({', '.join(args)})")

    def each(self, name: str, given: list[Any]) -> Any:
        width = max((len(v) for v in given if isinstance(v, list)), default=0)
        rows = [[v[k] if isinstance(v, list) else v for v in given] for k in range(width)]
        return [self.scalar(name, row) for row in rows] if rows else self.scalar(name, given)

    def reduced(self, name: str, v: list[str]) -> str:
        if name == "norm":
            return self.named(self.norm.format(", ".join(v), n=len(v)))
        out = v[0]
        for x in v[1:]:
            out = self.scalar(REDUCTIONS[name], [out, x])
        return out

    def value(self, name: str, args: list[Any], values: list[Any], n: int) -> Any:
        if name == "x":
            return [f"x{k}" for k in range(n)]
        if name == "const":
            return f"{{F}}({args[0]})"
        if name == "item":
            return values[args[0]][args[1]]
        if name in ("take", "largest"):
            raise Missing(f"there is no {name}")
        given = [values[k] for k in args]
        if name == "vec":
            return given
        return self.reduced(name, given[0]) if name in REDUCTIONS else self.each(name, given)


def expression(nodes: list[list[Any]], n: int, where: str, norm: str) -> str:
    text = Text(where, norm)
    values: list[Any] = []
    for name, *args in nodes:
        values.append(text.value(name, args, values, n))
    return "\n".join([*text.lines, f"s = {values[-1]}"])


def imported(text: str) -> ModuleType:
    """A module from a text in a file: both tools read the source of kernels."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", prefix="kernel_", delete=False) as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(Path(file.name).stem, file.name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())
