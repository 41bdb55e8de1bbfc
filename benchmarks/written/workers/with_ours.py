"""Our function, compiled with its gradient and called as a user calls it: arrays of NumPy's in, and structs."""

from __future__ import annotations

import numpy as np
import serve

import rose
from benchmarks.written.model import written
from rose import Real
from rose.ir.types import Tuple


def shaped(t, numbers):
    """The next of the numbers, as a call takes them: an array, a number, or a struct of these."""
    if t is Real:
        return next(numbers)
    if isinstance(t, Tuple):
        return t.form.make([shaped(x, numbers) for x in t.items])
    return np.array([shaped(t.elem, numbers) for _ in range(t.size)])


def flat(x):
    """All numbers in it, in order."""
    if hasattr(x, "__dataclass_fields__"):
        x = list(vars(x).values())
    return [y for part in x for y in flat(part)] if isinstance(x, (tuple, list, np.ndarray)) else [x]


def prepare(given):
    p = written(given["name"]).program
    f = rose.compile(p.derived(p.forms["text"]))
    types = [x.annotation for x in f.signature.parameters.values()]
    return f, [shaped(t, iter(xs)) for t, xs in zip(types, (p.params, *p.data), strict=True)], flat


serve.serve(prepare)
