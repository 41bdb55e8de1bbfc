"""Linear algebra by the names of NumPy and SciPy: factorisations, equations, determinants, functions of matrices.

All of it is written in the language itself, as loops, and each function is one function of a module, however often it
is called with the same matrix. A derivative is a rule, by the factors that are there, so it differentiates again, and
its transpose is its reverse mode. Leading axes are those of a batch.

    matrices           what is given, checked; batches
    blocks             matrices of many rows, worked on in blocks
    primitives         functions of a module of their own, with rules for their derivatives
    short              matrices of two to four rows, written out
    triangular         substitution
    elimination        LU factorisation: `solve`, `inv`, `det` and its logarithm
    positive_definite  Cholesky factorisation
    reflections        QR and LQ factorisation, by Householder's reflections
    banded             equations with few diagonals, or with constant ones
    krylov             equations by products with a matrix, and what their derivatives are
    iterative          `cg`, `gmres`
    structured         block diagonals, Toeplitz's matrices
    fits               polynomials through points
    tensors            products of several matrices, equations with arrays of more axes
    complex_matrices   those of them that are of complex numbers, too
    complex_factors    Cholesky's factor of complex matrices
    tridiagonal        reduction to three diagonals, and QR steps
    gaps               quotients by gaps between eigenvalues, which may be equal
    jacobi             eigenvalues of two and three rows, by rotations
    symmetric          eigenvalues of symmetric matrices
    reduction          Hessenberg's form of others, also of complex numbers
    qr_steps           Schur's form, by QR steps
    general            eigenvalues and eigenvectors of them, which are complex
    zeros              zeros of polynomials
    bidiagonal         reduction to two diagonals, and QR steps
    singular_values    `svd`, pseudo-inverses, least squares
    powers             powers, and the exponential
    norms              norms by singular values, condition numbers, ranks
    lyapunov           equations of Sylvester and Lyapunov
    roots              square roots, and the logarithm
    riccati            Riccati's equations, of optimal control
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors.advice import listed, missing
from ..frontend.arrays.editing import matrix_transpose
from . import complex_factors, complex_matrices, zeros
from .banded import solve_banded, solve_toeplitz, solve_tridiagonal
from .complex_matrices import also
from .elimination import LUResult, SlogdetResult, det, inv, linsolve, logdet, lu, slogdet, solve
from .fits import polyfit
from .general import EigResult, eig, eigvals
from .iterative import KrylovResult, cg, gmres
from .lyapunov import solve_continuous_lyapunov, solve_discrete_lyapunov, solve_lyapunov, solve_sylvester
from .norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from .positive_definite import cho_solve, cholesky, cholesky_solve
from .powers import expm, matrix_power
from .qr_steps import SchurResult, schur
from .reduction import HessenbergResult, hessenberg
from .reflections import LQResult, QRResult, lq, qr
from .riccati import solve_continuous_are, solve_discrete_are
from .roots import logm, sqrtm
from .singular_values import (
    LstsqResult,
    PolarResult,
    SVDResult,
    lstsq,
    lstsq_of_numpy,
    pinv,
    polar,
    svd,
    svdvals,
)
from .structured import block_diag, toeplitz
from .symmetric import EighResult, eigh, eigvalsh
from .tensors import diagonal_of_numpy, multi_dot, tensorinv, tensorsolve, trace_of_numpy, vecdot_of_numpy
from .triangular import solve_triangular

solve, inv = also(solve, complex_matrices.solve), also(inv, complex_matrices.inv)
det, slogdet = also(det, complex_matrices.det), also(slogdet, complex_matrices.slogdet)
expm, matrix_power = also(expm, complex_matrices.expm), also(matrix_power, complex_matrices.matrix_power)
cholesky = also(cholesky, complex_factors.cholesky)
eigh, eigvalsh = also(eigh, complex_matrices.eigh), also(eigvalsh, complex_matrices.eigvalsh)

__all__ = [
    "EigResult", "EighResult", "HessenbergResult", "KrylovResult", "LQResult", "LUResult", "LstsqResult",
    "PolarResult", "QRResult", "SVDResult", "SchurResult", "SlogdetResult", "block_diag", "cg", "cho_solve",
    "cholesky", "cholesky_solve", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "expm", "gmres",
    "hessenberg", "inv", "linsolve", "logdet", "logm", "lq", "lstsq", "lu", "matrix_norm", "matrix_power",
    "matrix_rank", "multi_dot", "norm", "pinv", "polar", "qr", "schur", "slogdet", "solve", "solve_banded",
    "solve_continuous_are", "solve_continuous_lyapunov", "solve_discrete_are", "solve_discrete_lyapunov",
    "solve_lyapunov", "solve_sylvester", "solve_toeplitz", "solve_triangular", "solve_tridiagonal", "sqrtm", "svd",
    "svdvals", "tensorinv", "tensorsolve", "toeplitz", "vector_norm",
]  # fmt: skip

_NUMPYS: tuple[Callable[..., Any], ...] = (
    cholesky, cond, det, eig, eigh, eigvals, eigvalsh, inv, matrix_norm, matrix_power, matrix_rank, multi_dot, norm,
    pinv, qr, slogdet, solve, svd, svdvals, tensorinv, tensorsolve, vector_norm,
)  # fmt: skip
NUMPYS = {f"linalg.{f.__name__}": f for f in _NUMPYS} | {  # by their names of NumPy
    "linalg.lstsq": lstsq_of_numpy, "linalg.trace": trace_of_numpy, "linalg.diagonal": diagonal_of_numpy,
    "linalg.vecdot": vecdot_of_numpy, "linalg.matrix_transpose": matrix_transpose, "polyfit": polyfit,
    "roots": zeros.roots, "poly": zeros.poly,
}  # fmt: skip

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
