"""When to take blood, so that a trial tells most about a drug, a D-optimal design."""

import jax.numpy as jnp
import numpy as np
from program import GROUPS, OMEGA, TIMES

KA, CL, V = 1.1, 3.5, 28.0
K = CL / V
OMEGA = np.array(OMEGA).reshape(3, 3)
ADDITIVE, PROPORTIONAL = 0.1, 0.15


def value(params, doses, people):
    times = params.reshape(GROUPS, TIMES)
    scale = (doses * KA / (V * (KA - K)))[:, None]
    slow, fast = jnp.exp(-K * times), jnp.exp(-KA * times)
    f = scale * (slow - fast)
    by_ka = f - KA * f / (KA - K) + KA * scale * times * fast
    by_cl = K * f / (KA - K) - K * scale * times * slow
    slopes = jnp.stack([by_ka, by_cl, -f - by_cl], axis=-1)
    noise = (ADDITIVE + PROPORTIONAL * f) ** 2
    v = jnp.einsum("gti,ij,gsj->gts", slopes, OMEGA, slopes) + noise[:, :, None] * jnp.eye(TIMES)
    information = jnp.einsum("g,gti,gtj->ij", people, slopes, jnp.linalg.solve(v, slopes))
    gaps = times[:, 1:] - times[:, :-1]
    return -jnp.log(jnp.linalg.det(information)) / 3 + 0.1 * jnp.sum(jnp.exp(-gaps / 0.25))
