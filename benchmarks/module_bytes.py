"""Bytes of every module of the examples, the comparison and GradBench: `python -m benchmarks.module_bytes`.

One line for each module, with its size and the start of its SHA-256: a change of the compiler that is to keep every
byte prints the same before and after. Modules are told apart by their source and by the order in which it compiles
them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rose
import wasm_backend.lower
from rose import build
from rose.optimise.instruments import Instruments, instrumented

from .compare import programs as comparison
from .gradbench import programs
from .gradbench.evals import gmm, kmeans, lstm
from .gradbench.evals.ba import example as bundle
from .gradbench.evals.ht import example as tracking
from .optimiser import PROGRAMS

ROOT = Path(__file__).parents[1]
LARGEST = 2000  # operands in a form of the comparison: larger ones are the same code, with other numbers


@contextlib.contextmanager
def recorded() -> Iterator[list[bytes]]:
    """The bytes of each module that is lowered meanwhile: each time that it is asked for, none is found again."""
    found: list[bytes] = []
    lower = wasm_backend.lower.lower

    def noting(*args: Any, **options: Any) -> Any:
        made = lower(*args, **options)
        found.append(made.wasm)
        return made

    wasm_backend.lower.lower = noting
    try:
        with instrumented(Instruments()):
            yield found
    finally:
        wasm_backend.lower.lower = lower


def examples() -> Iterator[str]:
    """What each example compiles when it is run, and then its functions one by one."""
    sys.path.insert(0, str(ROOT / "examples"))  # as some import others
    for path in sorted((ROOT / "examples").glob("*.py")):
        with contextlib.redirect_stdout(io.StringIO()):
            names = runpy.run_path(str(path), run_name="__main__")
        for f in [f for f in names.values() if isinstance(f, rose.Fn)]:
            with contextlib.suppress(rose.RoseError):  # a function of any size, or one that needs the page's
                build.lowered({"f": f})
        yield f"examples/{path.name}"


def compared() -> Iterator[str]:
    """The forms of the comparison with others, and of the table of the optimiser."""
    for p in comparison.programs():
        for name, f in p.forms.items():
            if p.outputs * len(p.params) <= LARGEST * LARGEST:
                for simd in (False, True, "relaxed"):
                    build.lowered({"f": p.derived(f)}, simd=simd)
            yield f"{p.name}, {name}"
    for name, make in PROGRAMS.items():
        f, argnums, _ = make()
        build.lowered({"f": rose.value_and_grad(f, argnums)})
        build.lowered({"f": rose.value_and_grad(f, argnums)}, dtype="f32")
        yield name


def gradbench() -> Iterator[str]:
    """The programs of GradBench, each prepared for a small input."""
    made = {
        "ba": bundle(3, 5, 8), "det": {"A": [7.0 * k % 11 for k in range(49)], "ell": 7}, "hello": 1.0,
        "gmm": gmm.made(5, 4, 3, 2, 0.5), "ht": tracking(10, "small"), "kmeans": kmeans.made(3, 10, 2),
        "llsq": {"x": [0.3, -1.2, 0.7, 0.1], "n": 9}, "lse": {"x": [0.1 * k % 0.7 for k in range(50)]},
        "lstm": lstm.made(2, 5, 3), "ode": {"x": [0.9, 0.7, 1.1, 0.4], "s": 7},
    }  # fmt: skip
    for name, given in made.items():
        for prepare in (programs.functions(name) or {}).values():
            prepare(json.loads(json.dumps(given)))
        yield f"gradbench {name}"


def main() -> None:
    """Print a line for each module."""
    with recorded() as modules:
        for source in (examples, compared, gradbench):
            for name in source():
                for k, wasm in enumerate(modules, 1):
                    print(f"{name}, {k}: {len(wasm)} {hashlib.sha256(wasm).hexdigest()[:16]}", flush=True)
                modules.clear()


if __name__ == "__main__":
    main()
