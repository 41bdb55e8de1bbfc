"""The table of the primitives of JAX: importing this fills it."""

from .equations import RULES as RULES
from .primitives import (
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
