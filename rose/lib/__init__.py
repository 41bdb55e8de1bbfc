"""The library, written in the language itself: minimisers, Cholesky factorisation, direct manipulation.

Each takes an `@fn` and gives one: it compiles with its callers, and can be differentiated, through all of its steps.

Read `objective` first: what all minimisers share. Then `descent` (gradient descent, Adam), `linear_algebra` (Cholesky),
`damped_newton` (Newton, Gauss-Newton), `quasi_newton` (L-BFGS); `dragging` is direct manipulation.
"""

from .damped_newton import gauss_newton, newton
from .descent import adam, gradient_descent
from .dragging import dragger
from .linear_algebra import cholesky, cholesky_solve
from .objective import Minimum
from .quasi_newton import lbfgs

__all__ = [
    "Minimum", "adam", "cholesky", "cholesky_solve", "dragger", "gauss_newton", "gradient_descent", "lbfgs", "newton",
]  # fmt: skip
