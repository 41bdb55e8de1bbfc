"""What is written in the language itself: searches for the least value of a function, and the algebra that they need;
and what finds the parameters with which a point lies where it is dragged.

Each is made of an `@fn`, and is one: it compiles with what calls it, and can be differentiated, which goes through
all of its steps.
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
