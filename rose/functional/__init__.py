"""Functionals: functions of functions, whose derivatives are functions again, and compile.

A functional composes the functions that it is given, by operators, and evaluates nothing. So what it makes is a graph
of functions: the IR of a second level, on which forward mode and transposition are those of the first, with one row
for each operator. A node of the graph is an `@fn`, and evaluating one makes ordinary code: an integral is a loop over
the nodes of a grid, and all derivatives in numbers are those of `rose.derivatives`.

Its files, in the order in which to read them:

    grids         the nodes and weights of quadrature rules
    composites    functions that operators make of functions; variables; each function is evaluated once at an argument
    functions_of_numbers
                  constants, sums and products, of which operators are made
    operators     the table: the value, the tangent and the transpose of each operator
    higher_orders derivatives of derivatives, by jets
    transforms    forward mode over a graph, and its transpose
    elementary    functions of values, applied to what functions give: `f + g`, `rose.exp(f)`
    algebra       operators by name, and calls of functions with functions, checked
    functionals   `@functional`, and what `rose.grad` and its kin make of one
    printing      a graph as text

Terms:
    map         the type of a function: its result, and its arguments
    composite   a function that an operator makes of others, its inputs
    variable    a function that stands for a parameter of a functional; open while that is being composed
    grid        nodes and weights for one argument; two functions are paired by the integral of their product

Source: Min Lin, Automatic Functional Differentiation in JAX, ICLR 2024; the rules bear its numbers. To add an
operator: a row in `operators`, and a function in `algebra` that checks its arguments.
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
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
    split,
    zip_functions,
)
from .elementary import pointwise
from .functionals import Functional, functional
from .grids import Grid
from .printing import show

if TYPE_CHECKING:
    from ..frontend.typed import Map
else:
    from .composites import Map

__all__ = [
    "Functional",
    "Grid",
    "Map",
    "add",
    "braket",
    "broadcast_arg",
    "compose",
    "constant",
    "functional",
    "integrate",
    "invoke",
    "linear_transpose",
    "linearize",
    "nabla",
    "partial",
    "permute_args",
    "pointwise",
    "show",
    "split",
    "zip_functions",
]

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
