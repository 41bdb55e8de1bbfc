"""Linear algebra by the names of NumPy and SciPy: factorisations, equations, determinants, functions of matrices.

All of it is written in the language itself, as loops, and each function is one function of a module, however often it
is called with the same matrix. A derivative is a rule, by the factors that are there, so it differentiates again, and
its transpose is its reverse mode. Leading axes are those of a batch.

    matrices           what is given, checked; batches
    triangular         substitution
    elimination        LU factorisation: `solve`, `inv`, `det` and its logarithm
    positive_definite  Cholesky factorisation
    reflections        QR factorisation, by Householder's reflections
    jacobi             rotations, which the next two share
    symmetric          eigenvalues of symmetric matrices
    singular_values    `svd`, pseudo-inverses, least squares
    powers             powers, and the exponential
"""

from collections.abc import Callable
from typing import Any

from ..frontend import vocabulary
from .elimination import LUResult, SlogdetResult, det, inv, logdet, lu, slogdet, solve
from .positive_definite import cho_solve, cholesky, cholesky_solve
from .powers import expm, matrix_power
from .reflections import QRResult, qr
from .singular_values import LstsqResult, SVDResult, cond, lstsq, pinv, svd, svdvals
from .symmetric import EighResult, eigh, eigvalsh
from .triangular import solve_triangular

__all__ = [
    "EighResult", "LUResult", "LstsqResult", "QRResult", "SVDResult", "SlogdetResult", "cho_solve", "cholesky",
    "cholesky_solve", "cond", "det", "eigh", "eigvalsh", "expm", "inv", "logdet", "lstsq", "lu", "matrix_power", "pinv",
    "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals",
]  # fmt: skip

_NUMPYS: tuple[Callable[..., Any], ...] = (
    cholesky, cond, det, eigh, eigvalsh, inv, lstsq, matrix_power, pinv, qr, slogdet, solve, svd, svdvals,
)  # fmt: skip
vocabulary.enter({f"linalg.{f.__name__}": f for f in _NUMPYS})
