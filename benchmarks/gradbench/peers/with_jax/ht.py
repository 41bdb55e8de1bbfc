"""A forward pass for each of the 26 numbers of a pose, and one for each of the two that say where points are."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from . import job, plain

BONES = 22


def rotation(r):
    none = r @ r < 1e-8
    norm = jnp.sqrt(jnp.where(none, 1.0, r @ r))
    a, c, s = r / norm, jnp.cos(norm), jnp.sin(norm)
    cross = jnp.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return jnp.where(none, jnp.eye(3), jnp.outer(a, a) * (1 - c) + cross * s + jnp.eye(3) * c)


def turns(theta):
    """The matrix by which each bone is turned in its parent."""
    angles = jnp.zeros((BONES, 2))
    for g in range(5):
        a = theta[6 + 4 * g : 10 + 4 * g]
        angles = angles.at[4 * g + 2].set(a[:2]).at[4 * g + 3, 0].set(a[2]).at[4 * g + 4, 0].set(a[3])
    (cx, sx), (cz, sz) = [(jnp.cos(x), jnp.sin(x)) for x in angles.T]
    o, i = jnp.zeros(BONES), jnp.ones(BONES)
    rows = [[cz, -sz * cx, sz * sx, o], [sz, cz * cx, -cz * sx, o], [o, sx, cx, o], [o, o, o, i]]
    return jnp.moveaxis(jnp.array(rows), 2, 0)


def positions(theta, hand, parents, mirrored):
    relatives = hand["base_relatives"] @ turns(theta)
    at: list = []
    for b, parent in enumerate(parents):
        at.append(relatives[b] if parent < 0 else at[parent] @ relatives[b])
    bones = (jnp.stack(at) @ hand["inverse_base_absolutes"])[:, :3]
    local = jnp.einsum("vb,brc,vc->vr", hand["weights"], bones, hand["base_positions"])
    local = local * jnp.array([-1.0 if mirrored else 1.0, 1, 1])
    return local @ rotation(theta[:3]).T + theta[3:6]


def errors(theta, us, hand, points, corners, parents, mirrored):
    at = positions(theta, hand, parents, mirrored)[corners]
    if us is None:
        return points - at
    return points - (us[:, :1] * at[:, 0] + us[:, 1:] * at[:, 1] + (1 - us[:, :1] - us[:, 1:]) * at[:, 2])


def jacobian(theta, us, *rest, parents, mirrored):
    of = lambda theta, us: errors(theta, us, *rest, parents, mirrored)
    by_theta = jax.jacfwd(of)(theta, us)
    if us is None:
        return by_theta.reshape(-1, 26)
    along = lambda k: jax.jvp(lambda us: of(theta, us), (us,), (jnp.zeros_like(us).at[:, k].set(1.0),))[1]
    return jnp.concatenate([jnp.stack([along(0), along(1)], 2), by_theta], 2).reshape(-1, 28)


def prepared(f, i, shown=plain):
    data, model = i["data"], i["data"]["model"]
    names = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    hand = {name: np.array(model[name], float) for name in names}
    corners = np.array(data["correspondences"], np.int32)
    if i["us"]:
        corners = np.array(model["triangles"], np.int32)[corners]
    sizes = {"parents": tuple(model["parents"]), "mirrored": bool(model["is_mirrored"])}
    return job(f, i["theta"], i["us"] or None, hand, data["points"], corners, shown=shown, **sizes)


functions = {
    "objective": lambda i: prepared(errors, i, lambda e: np.asarray(e).ravel().tolist()),
    "jacobian": lambda i: prepared(jacobian, i),
}
