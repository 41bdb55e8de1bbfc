"""NumPy's arrays of objects, which hold traced values: what `np.array([x, y])` is, without a change to NumPy.

NumPy asks each value of a list for its array (`__array__`). A number is one object; a vector is its elements, so that
shapes, broadcasting and indices are those of the array that is meant. Operators and functions of such an array alone
are NumPy's, which does them for each object: operators by Python's, and `np.sin` by a method of that name. Wherever an
array of ours is taken, it is taken as one (`as_given` in `host/marshal.py`).
"""

from __future__ import annotations

import sys
from itertools import product
from math import prod
from typing import Any

from ...errors import TypeMismatch, here, objects_made
from ...errors.advice import of_objects
from ...ir import Value, a_traced, current_builder
from ...ir.sizes import Size
from ...ir.types import is_complex
from ..operators import view
from .elementwise import located
from .shapes import leaf_of, shape_of

MOST = 1000  # elements of a vector that NumPy takes one by one


@located
def objects(v: Value) -> Any:
    """NumPy's array of objects of the shape of `v`, that holds its elements."""
    shape = shape_of(v.type)
    if any([isinstance(n, Size) for n in shape]) or prod(shape) > MOST:
        most = f"{MOST} at most" if prod([n for n in shape if not isinstance(n, Size)]) > MOST else "a number of them"
        what = f"{a_traced(v)} is no array of NumPy's, which would hold its elements one by one: it takes {most}"
        raise TypeMismatch(what, here(), "write rose.array(...) in its place")
    if is_complex(leaf_of(v.type)):  # of an array of objects NumPy says that the imaginary parts are 0
        what = f"{a_traced(v)} is no element of an array of NumPy's, which would lose its imaginary part"
        raise TypeMismatch(what, here(), of_objects(here()))
    objects_made(of_objects)
    out = sys.modules["numpy"].empty(shape, object)
    for at in product(*map(range, shape)):
        x = v
        for k in at:
            x = current_builder().index(x, k)
        out[at] = view(x)
    return out
