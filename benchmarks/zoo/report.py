"""RESULTS.md: the table, and what stands around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from . import judge
from .cases import CASES
from .judge import ERROR, NAN, NONE, PAST, RIGHT, WRONG
from .tools import TOOLS

SIGNS = {RIGHT: "✓", WRONG: "✗", NAN: "n", ERROR: "e", NONE: "-", PAST: "·"}

HEAD = """# The gradient zoo

{cases} small programs, each after a public report of a wrong derivative or of one that is not a number, in {tools}
tools of today. Each program is in our own words; it is run at some points, for its value and for the derivatives of
orders 1 to 3, and judged against mathematics. `python -m benchmarks.zoo` makes this file again: it installs the
tools into `benchmarks/.peers`, some gigabytes, and takes a quarter of an hour.

A cell has four signs: the value, the gradient, the second and the third derivatives. ✓ right, ✗ wrong, n not a number,
e an error with a message, - no such function or no such order in that tool, · not judged.

## The rule

{rule}

Each tool is written as its documentation has it, in 64 bits where it has them: the functions that it has under their
own names, and no function that it has not. Many reports have been mended since, and many of the programs are of another
tool's report: so most cells are right, and that a report is named says nothing of that tool today.

"""
NOTES = """
## Notes

- Warp says in its documentation that a variable which is overwritten in a loop of unknown length is not differentiated
  rightly, and Taichi that memory may not be read and written again; both are silent about it at run time.
- Dr.Jit is told how many iterations a while loop has at most. JAX has no reverse mode of such a loop, and says so.
- Taichi ends in a segmentation fault in "alternating branches"; the two while loops after it were not run.
- Enzyme is the one for JAX; that for Julia and Rust may be asked for products in which 0 times infinity is 0.
- `stop_gradient` and rules written by hand do not survive the lowering from JAX to Enzyme: those cells are "-".
- PyTorch's `softplus` is documented to be the identity beyond 20, and its curvature there is 0.
- Programs are traced for tools in JavaScript and for kernels, so loops on data, derivatives inside of programs and
  rules are "-" there; kernels have their loops written out.
- Stan, and the tools of Julia (Enzyme.jl, Zygote, Mooncake, ForwardDiff), do not run here: Julia is in no registry that
  is reached, and PyStan compiles each program for a minute.
"""


def report(found: Mapping[str, Any]) -> str:
    rule = (judge.__doc__ or "").partition("\n\n")[2].strip()
    names = [t.name for t in TOOLS if "verdicts" in found.get(t.name, {})]
    lines = [
        HEAD.format(cases=len(CASES), tools=len(names), rule=rule),
        *_counts(found, names),
        "",
        *_table(found, names),
    ]
    missing = [f"- {t.name}: {found[t.name]['missing']}" for t in TOOLS if "missing" in found.get(t.name, {})]
    return "\n".join([*lines, *missing]) + "\n" + NOTES


def _counts(found: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    yield "## In numbers\n\nPairs of a case and an order from 1 to 3.\n"
    yield "| | " + " | ".join((RIGHT, WRONG, NAN, ERROR, NONE)) + " |"
    yield "|---|" + "---:|" * 5
    for name in names:
        count = Counter(v for verdicts in found[name]["verdicts"].values() for v in verdicts[1:])
        yield (
            f"| {found[name]['version']} | "
            + " | ".join(str(count[k]) for k in (RIGHT, WRONG, NAN, ERROR, NONE))
            + " |"
        )


def _table(found: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    yield "## Case by case\n"
    yield "| case | " + " | ".join(names) + " |"
    yield "|---|" + ":---:|" * len(names)
    for c in CASES:
        cells = ["".join(SIGNS[v] for v in found[name]["verdicts"][c.name]) for name in names]
        links = ", ".join(f"[{short}]({url})" for short, url in c.urls)
        yield f"| **{c.name}**: {c.what}; {links} | " + " | ".join(cells) + " |"
