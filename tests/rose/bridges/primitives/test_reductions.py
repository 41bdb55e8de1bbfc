"""Sums, extremes, running sums, products of matrices, orders."""

import pytest
from jax_programs import agrees, jax, jnp, lax, sample

x, m, a = sample(5), sample(3, 5), sample(4, 4)

FUNCTIONS = {
    "sums": (lambda m: m.sum() + m.sum(0).prod() + m.mean(1).sum() + m.std(), m),
    "extremes": (lambda m: jnp.max(m, 1) * jnp.min(m) + jnp.ptp(m), m),
    "norms": (lambda m: jnp.linalg.norm(m) + jnp.linalg.norm(m[0], 1) + jnp.linalg.norm(m, axis=0)[0], m),
    "softmax": (lambda m: jax.nn.softmax(m, 0) + jax.nn.log_softmax(m, 1), m),
    "logsumexp": (lambda m: jax.scipy.special.logsumexp(m, axis=1), m),
    "any": (lambda x: jnp.where(jnp.any(x > 1) | jnp.all(x > -9), x, 2 * x), x),
    "running": (lambda m: jnp.cumsum(m, 1) + jnp.cumprod(m, 0) + lax.cummax(m, 1) + lax.cummin(m, 0, reverse=True), m),
    "cumlogsumexp": (lambda m: lax.cumlogsumexp(m, 1) + lax.cumlogsumexp(m, 0, reverse=True), m),
    "matrix products": (lambda a, m: m @ a[0, :1] * 2 + a[:3, 0] @ m @ jnp.ones((5, 2)) @ jnp.ones(2), a, m[:, :1]),
    "einsum": (lambda p, q: jnp.einsum("bij,bjk->bik", p, q), sample(2, 3, 4), sample(2, 4, 2)),
    "batches last": (lambda p, q: jnp.einsum("ijb,jkb->ikb", p, q), sample(3, 4, 2), sample(4, 2, 2)),
    "outer": (lambda x: jnp.outer(x, x) + jnp.kron(x, x[:1])[:, None], x),
    "tensordot": (lambda a: jnp.tensordot(a, a, 2) + jnp.vdot(a, a), a),
    "sort": (lambda m: jnp.sort(m, 0) * m, m),
    "sort by two": (lambda m: lax.sort((jnp.round(m), m), num_keys=2, dimension=1)[1], m),
    "order": (lambda m: jnp.take_along_axis(m, jnp.argsort(m, 1), 1) * m, m),
    "median": (lambda m: jnp.median(m, 1) + jnp.quantile(m, 0.3), m),
    "top_k": (lambda x: lax.top_k(x, 3)[0], x),
    "statistics": (lambda m: jnp.cov(m) + jnp.corrcoef(m) + jnp.var(m, 1), m),
    "of a function": (lambda m: lax.reduce(m, 1.0, lambda a, b: a * b + 0.0 * a, (0,)), m),
    "associative scan": (lambda x: lax.associative_scan(lambda a, b: a * b, x), x),
    "nan": (lambda m: jnp.nanmean(m) + jnp.nanmax(m, 0), m),
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n != "matrix products"])
def test_a_function_of_several_elements_is_jaxs(name: str):
    agrees(*FUNCTIONS[name])


def test_products_of_matrices():
    agrees(lambda a, m, x: (a[:3, :3] @ m, m @ x, x @ m.T, x @ x), a, m, x)


def test_indices_of_extremes():
    agrees(lambda m: (jnp.argmax(m, 1), jnp.argmin(m), jnp.argmax(m)), m, gradient=False)
    agrees(lambda m: jnp.max((m * 10).astype(jnp.int32), 0), m, gradient=False)
    agrees(lambda x: lax.reduce_xor(x, (0,)), x > 0, gradient=False)
