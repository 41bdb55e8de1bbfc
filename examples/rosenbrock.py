"""Rosenbrock's valley in 100 dimensions, with SciPy's solvers: how many evaluations each takes to its end."""

from typing import Any

from scipy.optimize import minimize

import rose
from rose import Real, Vec, fn

N = 100


@fn
def valley(x: Vec[N]) -> Real:
    return rose.sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in rose.range(N - 1))


s = rose.scipy(valley)
start = [1.3, 0.7, 0.8, 1.9, 1.2] * (N // 5)

ways: dict[str, dict[str, Any]] = {
    "L-BFGS-B": {"jac": s.jac},
    "L-BFGS-B, both at once": {"jac": True},
    "Newton-CG": {"jac": s.jac, "hessp": s.hessp},
    "trust-ncg": {"jac": s.jac, "hessp": s.hessp},
    "trust-exact": {"jac": s.jac, "hess": s.hess},
    "trust-constr": {"jac": s.jac, "hess": s.hess},
}


def search(way: str):
    """The end of a search, and what it took."""
    fun = s.fun_and_jac if ways[way]["jac"] is True else s.fun
    return minimize(fun, start, method=way.partition(",")[0], tol=1e-9, **ways[way])


if __name__ == "__main__":
    for way in ways:
        end = search(way)
        print(f"{way}: {end.fun:.3g} after {end.nfev} values and {end.njev} gradients")
