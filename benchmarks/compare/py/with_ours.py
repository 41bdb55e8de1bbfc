"""Our functions, compiled and called as a user calls them: arrays of NumPy's in, and structs where they have them."""

from __future__ import annotations

import numpy as np

import rose
import wasm_backend.runtime.callables  # noqa: F401  which a first call would import
from benchmarks.compare.programs import programs
from rose import Real
from rose.ir.types import Tuple, Vec

PROGRAMS = {p.name: p for p in programs()}


def shaped(t, numbers):
    """The next of the numbers, as a call takes them: an array, a number, or a struct of these."""
    if t is Real:
        return next(numbers)
    if isinstance(t, Tuple):
        return t.form.make([shaped(x, numbers) for x in t.items])
    return np.array([shaped(t.elem, numbers) for _ in range(t.size)])


def of(form):
    def make(p):
        program = PROGRAMS[p["name"]]
        f = rose.compile(program.derived(program.forms[form]))
        given, types = (p["params"], *p["data"]), [x.annotation for x in f.signature.parameters.values()]
        assert all(t is Real or isinstance(t, (Vec, Tuple)) for t in types)
        return f, [shaped(t, iter(xs)) for t, xs in zip(types, given, strict=True)]

    return make


EACH = {form: of(form) for form in ("loop", "unrolled", "pairs", "all", "scan", "calls")}
SOURCES = ("least_squares", "rosenbrock", "springs", "nbody", "network", "oscillator", "hessian", "terms")
FORMS = {source: EACH for source in SOURCES}
