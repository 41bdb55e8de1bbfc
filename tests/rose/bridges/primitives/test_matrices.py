"""Factorisations of matrices, and Fourier transforms."""

from typing import Any

import pytest
from jax_programs import agrees, jax, jnp, lax, sample

import rose

a, m, x = sample(4, 4), sample(3, 5), sample(4)
s = a @ a.T + jnp.eye(4)
linalg: Any = jax.scipy.linalg

FUNCTIONS = {
    "cholesky": (jnp.linalg.cholesky, s),
    "solve": (jnp.linalg.solve, a, x),
    "solve many": (jnp.linalg.solve, a, a[:, :2]),
    "solve batches": (jnp.linalg.solve, sample(2, 3, 3), sample(2, 3, 2)),
    "inv": (jnp.linalg.inv, a),
    "det": (jnp.linalg.det, a),
    "logdet": (lambda a: jnp.linalg.slogdet(a)[1], a),
    "lu": (lambda a: linalg.lu(a)[2], a),
    "eigh": (lambda s: (jnp.linalg.eigh(s)[0], jnp.linalg.eigh(s)[1] ** 2), s),
    "svdvals": (lambda m: jnp.linalg.svd(m, compute_uv=False), m),
    "svd": (lambda m: jnp.abs(jnp.linalg.svd(m, full_matrices=False)[2]), m),
    "qr": (lambda a: jnp.abs(jnp.linalg.qr(a)[1]), a),
    "lstsq": (lambda a, x: jnp.linalg.lstsq(a, x)[0], a, x),
    "pinv": (jnp.linalg.pinv, m),
    "lower triangle": (lambda a, x: linalg.solve_triangular(a, x, lower=True), a, x),
    "transposed triangle": (lambda a, x: linalg.solve_triangular(a, x, trans=1, unit_diagonal=True), a, x),
    "expm": (linalg.expm, 0.1 * a),
    "Gauss's log density": (lambda s, x: jax.scipy.stats.multivariate_normal.logpdf(x, x * 0, s), s, x),
    "fft": (lambda x: jnp.abs(jnp.fft.fft(x)) + jnp.abs(jnp.fft.ifft(x)), x),
    "rfft": (lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 2, 4), x),
    "fft2": (lambda m: jnp.abs(jnp.fft.fft2(m)), m),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_matrices_is_jaxs(name: str):
    agrees(*FUNCTIONS[name], gradient=name != "svd")


def test_cholesky_of_scipy_reads_one_half_and_so_does_its_gradient():
    """JAX's own gives derivatives to both halves; along symmetric matrices they are the same."""
    f = rose.from_jax(lambda s: jnp.sum(linalg.cholesky(s, lower=True)), s)
    ours, theirs = jnp.asarray(rose.grad(f)(s)), jax.grad(lambda s: jnp.sum(linalg.cholesky(s, lower=True)))(s)
    assert jnp.abs(ours + ours.T - theirs - theirs.T).max() < 1e-10


def test_what_a_factorisation_refuses():
    with pytest.raises(rose.TypeMismatch, match="lu: of a matrix that is not square"):
        rose.compile(rose.from_jax(lambda m: linalg.lu(m)[1], m))


def test_the_order_that_exchanges_make():
    agrees(lambda a: lax.linalg.lu_pivots_to_permutation(lax.linalg.lu(a)[1], 5), sample(5, 5), gradient=False)
    agrees(lambda a: jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(a), a[0]), sample(5, 5))
