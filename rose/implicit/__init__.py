"""What an equation defines, with derivatives that do not go through the search for it.

If `g(x, p) == 0` defines `x`, its tangent along one of `p` is the solution of linear equations: `g_x dx == -g_p dp`.
So each function here is a search, which is constant to derivatives, with a rule. The rule is written in the language:
its transpose is the reverse mode, and it differentiates again.

    equations     the rule, and what all share: arguments, `Solution`
    roots         `root`, `fixed_point`
    minima        `argmin`, by the searches of `rose.lib`
    systems       `linear_solve`: a linear function in the place of a matrix
    quadratures   `quadrature`: integrals, of which the limits have derivatives too
    step_methods  steps of differential equations
    walks         steps whose lengths the errors decide, from time to time
    adjoints      equations of the derivatives of what walks find
    trajectories  `ode`: differential equations from a start; its derivatives go through the steps, or are by `adjoints`
    events        `event`: where they meet a surface

Terms. The *unknown* is what is searched, the first parameter; *data* come after it. The *residual* is what is to be
zero: a number, or a vector of as many numbers as the unknown has.
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from .equations import Solution
from .events import Event, event
from .minima import argmin
from .quadratures import Integral, quadrature
from .roots import fixed_point, root
from .systems import linear_solve
from .trajectories import Trajectory, ode

__all__ = [
    "Event",
    "Integral",
    "Solution",
    "Trajectory",
    "argmin",
    "event",
    "fixed_point",
    "linear_solve",
    "ode",
    "quadrature",
    "root",
]

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
