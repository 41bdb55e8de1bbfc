"""The library, written in the language itself: minimisers, direct manipulation.

Each takes an `@fn` and gives one: it compiles with its callers, and can be differentiated, through all of its steps.

Read `objective` first: what all minimisers share. Then `descent` (gradient descent, Adam), `damped_newton` (Newton,
Gauss-Newton), `quasi_newton` (L-BFGS); `dragging` is direct manipulation. Cholesky is that of `rose.linalg`.
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from ..linalg.positive_definite import cholesky, cholesky_solve
from .damped_newton import gauss_newton, newton
from .descent import adam, gradient_descent
from .dragging import dragger
from .objective import Minimum
from .quasi_newton import lbfgs

__all__ = [
    "Minimum", "adam", "cholesky", "cholesky_solve", "dragger", "gauss_newton", "gradient_descent", "lbfgs", "newton",
]  # fmt: skip

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
