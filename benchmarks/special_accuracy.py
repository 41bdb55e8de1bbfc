"""How exact the special functions are: values and derivatives beside mpmath's.

`PYTHONPATH=tests/support python -m benchmarks.special_accuracy` writes the table into `benchmarks/results/special.md`.
The functions, their ranges and what mpmath says are those of `tests/support/special_functions.py`, whose bounds the
tests hold at fewer points. It takes a minute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from special_functions import TABLE, drawn, exact, function, slope

import rose
from rose import Real

OUT = Path(__file__).with_name("results") / "special.md"
VALUES, SLOPES = 60, 8
SLOW = {"k0", "k1", "k0e", "k1e", "kv", "kve", "y1", "gammainc", "gammaincc", "betaincinv", "gammainccinv"}

HEAD = f"""# How exact special functions are

`PYTHONPATH=tests/support python -m benchmarks.special_accuracy`, mpmath: the largest relative error found of the value,
at {VALUES} points, and of the first two derivatives, at {SLOPES}; a quarter of these where mpmath is slow. An error is
relative to the exact answer, or to the number in the column *beside*, if that is larger: these functions have zeros,
and there digits are lost. The ranges are those of the arguments.

| function | ranges | value | derivatives, orders 1 and 2 in each argument that has one | beside |
|---|---|---|---|---|
"""


def error(got: float, wanted: float, beside: float) -> float:
    return abs(got - wanted) / max(abs(wanted), beside, 1e-300)


def row(name: str) -> str:
    s, n = TABLE[name], len(TABLE[name].ranges)
    share = 4 if name in SLOW else 1
    names = "abcd"[:n]
    f: Any = rose.fn([Real] * n, Real)(eval(f"lambda {', '.join(names)}: f({', '.join(names)})", {"f": function(name)}))
    value = max([error(f(*xs), exact(s.of, xs), s.beside) for xs in drawn(name, VALUES // share)])
    slopes = list[str]()
    for k in s.moving:
        d = f
        for order in (1, 2):
            d = rose.grad(d, argnums=k)
            at = drawn(name, SLOPES // share)
            slopes.append(f"{max([error(d(*xs), slope(name, xs, k, order), s.beside) for xs in at]):.0e}")
    ranges = ", ".join([f"{r[0]:g} to {r[1]:g}" if isinstance(r, tuple) else f"{r}" for r in s.ranges])
    return f"| {name} | {ranges} | {value:.0e} | {', '.join(slopes)} | {s.beside or ''} |\n"


def main() -> None:
    """Measure all, and write the table."""
    OUT.write_text(HEAD + "".join([row(name) for name in TABLE]))


if __name__ == "__main__":
    main()
