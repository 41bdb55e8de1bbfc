"""The action of an SU(2) gauge field on a lattice in four dimensions, with Iwasaki's improvement."""

import jax.numpy as jnp

BETA, C1 = 2.3, -0.331


def times(p, q):
    w, x, y, z = p
    return jnp.stack(
        [
            w * q[0] - x * q[1] - y * q[2] - z * q[3],
            w * q[1] + x * q[0] + y * q[3] - z * q[2],
            w * q[2] - x * q[3] + y * q[0] + z * q[1],
            w * q[3] + x * q[2] - y * q[1] + z * q[0],
        ]
    )


def dagger(q):
    return jnp.concatenate([q[:1], -q[1:]])


def product(*qs):
    out = qs[0]
    for q in qs[1:]:
        out = times(out, q)
    return out


def value(params):
    side = round((params.size // 16) ** 0.25)
    links = params.reshape(side, side, side, side, 4, 4)
    links = links / jnp.sqrt(jnp.sum(links**2, axis=-1, keepdims=True))
    u = [jnp.moveaxis(links[..., m, :], -1, 0) for m in range(4)]

    def ahead(q, m):
        return jnp.roll(q, -1, axis=m + 1)

    def plaquette(m, n):
        return product(u[m], ahead(u[n], m), dagger(ahead(u[m], n)), dagger(u[n]))[0]

    def rectangle(m, n):
        far = product(u[m], ahead(u[m], m), ahead(ahead(u[n], m), m))
        return product(far, dagger(ahead(ahead(u[m], n), m)), dagger(ahead(u[m], n)), dagger(u[n]))[0]

    total = 0.0
    for m in range(4):
        for n in range(m):
            total += (1 - 8 * C1) * jnp.sum(1 - plaquette(m, n))
            total += C1 * jnp.sum(2 - rectangle(m, n) - rectangle(n, m))
    return BETA * total
