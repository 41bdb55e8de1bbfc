"""JAX, in 64 bits: `grad`, then `jacfwd(jacrev(f))`, which is `hessian`, then `jacfwd` of that."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from ..harness import Vocabulary, run

jax.config.update("jax_enable_x64", True)


def _custom(f, slope):
    made = jax.custom_jvp(f)
    made.defjvp(lambda primals, tangents: (made(*primals), slope(*primals) * tangents[0]))
    return made


def _while(test, body, state):
    return lax.while_loop(test, body, jax.tree.map(jnp.asarray, state))


WORDS = Vocabulary(
    sqrt=jnp.sqrt, exp=jnp.exp, log=jnp.log, log1p=jnp.log1p, expm1=jnp.expm1, sin=jnp.sin, cos=jnp.cos,
    atan2=jnp.arctan2, abs=jnp.abs, max=jnp.maximum, min=jnp.minimum, clip=jnp.clip, floor=jnp.floor, pow=jnp.power,
    fmod=jnp.fmod, mod=jnp.mod, asinh=jnp.arcsinh, sigmoid=jax.nn.sigmoid, softplus=jax.nn.softplus,
    copysign=jnp.copysign, sum=jnp.sum, prod=jnp.prod, norm=jnp.linalg.norm, amax=jnp.max, std=jnp.std,
    logsumexp=jax.nn.logsumexp, softmax=jax.nn.softmax, cumprod=jnp.cumprod, where=jnp.where, stop=lax.stop_gradient,
    log_sigmoid=jax.nn.log_sigmoid, logaddexp=jnp.logaddexp, xlogy=jax.scipy.special.xlogy,
    digamma=jax.scipy.special.digamma, sinc=jnp.sinc, i0=jnp.i0, log_ndtr=jax.scipy.special.log_ndtr,
    igamma1=lambda x: jax.scipy.special.gammainc(1.0, x), det2=lambda x: jnp.linalg.det(x.reshape(2, 2)),
    largest=lambda v, k: lax.top_k(v, k)[0], prelu=lambda x, a: jnp.where(x >= 0, x, a * x),
    layer_norm=lambda v, eps: jax.nn.standardize(v, epsilon=eps),
    vec=jnp.stack, constants=jnp.array, powers=lambda x, n: jnp.sum(x ** jnp.arange(n)),
    real=lambda i: jnp.asarray(i, float), entry=lambda d, i, j: d[i, j],
    table=lambda n, k, f: jnp.array([[f(i, j) for j in range(k)] for i in range(n)]), total=jnp.sum,
    fold=lambda n, body, s: lax.fori_loop(0, n, body, jnp.asarray(s)), while_=_while,
    cond=lambda c, then, otherwise, x: lax.cond(c, then, otherwise, x),
    updated=lambda x, n: lax.fori_loop(0, n, lambda i, v: v.at[0].add(x), jnp.zeros(2))[0],
    take=lambda v, at: v[jnp.array(at)], filled=lambda v, at, x: jnp.array(v).at[jnp.array(at)].set(x),
    scattered=lambda n, at, v: jnp.zeros(n).at[jnp.array(at)].add(v), remat=lambda f, x: jax.checkpoint(f)(x),
    grad=lambda f, x: jax.grad(f)(x), custom=_custom,
)  # fmt: skip


def orders(program, n):
    f = partial(program, WORDS)
    made = map(jax.jit, (f, jax.grad(f), jax.hessian(f), jax.jacfwd(jax.hessian(f))))
    return [lambda x, g=g: g(jnp.array(x)) for g in made]


if __name__ == "__main__":
    run(orders, f"JAX {jax.__version__}")
