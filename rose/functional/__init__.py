"""Functionals: functions of functions, whose derivatives are functions again, and compile."""

from .algebra import (
    add,
    braket,
    broadcast_arg,
    compose,
    constant,
    integrate,
    invoke,
    linear_transpose,
    linearize,
    nabla,
    partial,
    permute_args,
    pointwise,
    split,
    zip_functions,
)
from .composites import Map
from .functionals import Functional, functional
from .grids import Grid
from . import algebra
from ..frontend.function import install_algebra
from ..ir.value import install_operators

install_algebra(algebra)
install_operators({"pointwise": algebra.pointwise})
