"""The rules of JAX's primitives, by what they do. Each file fills a part of the table in `equations.py`.

elementwise      functions of numbers, and comparisons
whole_numbers    what wraps, and bits
shapes           axes, parts, joins
reductions       sums, extremes, products of matrices, orders
places           gather, scatter, slices at traced places
windows          convolutions, pooling
control          calls, loops, branches, derivatives that were given
matrices         factorisations, Fourier transforms
random_bits      keys, and Threefry
"""

from ..equations import RULES, Rule
from . import (
    control,
    elementwise,
    given_derivatives,
    matrices,
    places,
    random_bits,
    reductions,
    shapes,
    whole_numbers,
    windows,
)

FILES = (
    control, elementwise, given_derivatives, matrices, places, random_bits, reductions, shapes, whole_numbers, windows,
)  # fmt: skip


def all_rules() -> dict[str, Rule]:
    """The rules, by the names of primitives."""
    return RULES
