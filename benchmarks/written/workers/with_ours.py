"""Our function with its gradient, called as a user calls it: arrays and records of NumPy's in, and structs."""

from __future__ import annotations

import numpy as np
import serve

import rose
from benchmarks.written.model import written
from rose import Real
from rose.ir.types import Tuple


def record(t):
    """The type of NumPy's that holds a number, an array or a struct."""
    if isinstance(t, Tuple):
        return [(name, record(x)) for name, x in zip(t.names, t.items, strict=True)]
    return "f8" if t is Real else (record(t.elem), t.size)


def shaped(t, numbers):
    """The numbers, as a call takes them: an array, a number, a struct of these, or records of many structs."""
    if isinstance(t, Tuple):
        sizes = [np.dtype(record(x)).itemsize // 8 for x in t.items]
        parts = np.split(numbers, np.cumsum(sizes)[:-1])
        return t.form.make([shaped(x, part) for x, part in zip(t.items, parts, strict=True)])
    sizes = []
    while t is not Real and not isinstance(t, Tuple):
        sizes.append(t.size)
        t = t.elem
    return np.array(numbers).view(record(t)).reshape(sizes) if sizes else float(numbers[0])


def flat(x):
    """All numbers in it, in order."""
    if hasattr(x, "__dataclass_fields__"):
        x = list(vars(x).values())
    return [y for part in x for y in flat(part)] if isinstance(x, (tuple, list, np.ndarray)) else [x]


def prepare(given):
    p = written(given["name"]).program
    f = rose.compile(p.derived(p.forms["text"]))
    types = [x.annotation for x in f.signature.parameters.values()]
    return f, [shaped(t, np.array(xs)) for t, xs in zip(types, (p.params, *p.data), strict=True)], flat


serve.serve(prepare)
