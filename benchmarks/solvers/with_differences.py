"""SciPy's finite differences of our functions; of a Jacobian whose pattern it is told, which spares most of them."""

from __future__ import annotations

import problems
import with_rose
from scipy.sparse import csr_array

import rose


def smooth(f, *args):
    return {"fun": rose.scipy(f).fun, "jac": "2-point", "args": args}


def squares():
    s, p = rose.scipy(with_rose.misses), rose.sparsity(with_rose.misses)
    pattern = csr_array(([1] * p.nnz, (p.rows, p.cols)), shape=p.shape)
    return {"fun": s.fun, "jac": "2-point", "sparsity": pattern, "args": (with_rose.THERE,)}


TOOLS = {
    "rosenbrock": lambda: smooth(with_rose.valley(problems.ROSENBROCK)),
    "logistic": lambda: smooth(with_rose.loss, *problems.logistic()),
    "bundle": squares,
}
