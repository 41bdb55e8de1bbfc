"""Logistic regression: how likely the O-rings of a space shuttle were to fail, by the temperature at its launch.

The data are those of 23 flights before the last one of Challenger, which was launched at 31 °F: S. R. Dalal, E. B.
Fowlkes and B. Hoadley, Risk Analysis of the Space Shuttle, Journal of the American Statistical Association 84 (1989).
"""

from scipy.optimize import minimize

import rose
from rose import Real, Vec, fn

TEMPERATURE = [66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58]
FAILED = [0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1]
n = len(FAILED)


@rose.struct
class Line:
    start: Real
    slope: Real

    def at(self, t):
        return self.start + self.slope * (t - 70) / 10


@fn
def chance(line: Line, t: Real) -> Real:
    """How likely a failure is at this temperature."""
    return rose.sigmoid(line.at(t))


@fn
def loss(line: Line, t: Vec[n], failed: Vec[n], ridge: Real) -> Real:
    """How unlikely what happened is, as a logarithm; and a penalty of the slope."""
    return ridge / 2 * line.slope**2 + rose.sum(
        rose.softplus(line.at(t[i])) - failed[i] * line.at(t[i]) for i in rose.range(n)
    )


s = rose.scipy(loss)


def fit(ridge: float) -> Line:
    """The line under the logistic function that makes what happened likeliest."""
    start = s.flatten(Line(0, 0))
    end = minimize(s.fun, start, (TEMPERATURE, FAILED, ridge), "Newton-CG", s.jac, hessp=s.hessp, tol=1e-10)
    return s.unflatten(end.x)


if __name__ == "__main__":
    for ridge in (0.0, 1.0):
        line = fit(ridge)
        print(f"ridge {ridge:g}: {line.start - 7 * line.slope:.3f} {line.slope / 10:+.4f} t;", end=" ")
        print(f"a failure at 70 °F: {chance(line, 70):.2f}, at 31 °F: {chance(line, 31):.4f}")
