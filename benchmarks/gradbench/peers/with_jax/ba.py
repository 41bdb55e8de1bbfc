from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from ...evals.ba import SHOWN
from . import job


def turned(r, x):
    theta2 = r @ r
    theta = jnp.sqrt(jnp.where(theta2 == 0, 1.0, theta2))
    v, c, s = r / theta, jnp.cos(theta), jnp.sin(theta)
    about = x * c + jnp.cross(v, x) * s + v * (v @ x) * (1 - c)
    return jnp.where(theta2 == 0, x + jnp.cross(r, x), about)


def error(unknown, feature):
    cam, point, w = unknown[:11], unknown[11:14], unknown[14]
    x = turned(cam[:3], point - cam[3:6])
    at = x[:2] / x[2]
    s = at @ at
    return w * (at * (1 + cam[9] * s + cam[10] * s * s) * cam[6] + cam[7:9] - feature)


def unknowns(cams, points, ws, camera, point):
    return jnp.concatenate([cams[camera], points[point], ws[:, None]], 1)


def objective(cams, points, ws, feats, camera, point):
    return jax.vmap(error)(unknowns(cams, points, ws, camera, point), feats), 1 - ws * ws


def jacobian(cams, points, ws, feats, camera, point):
    n, m, p = len(cams), len(points), len(ws)
    blocks = jax.vmap(jax.jacrev(error))(unknowns(cams, points, ws, camera, point), feats)
    of_weight = 11 * n + 3 * m + jnp.arange(p, dtype=jnp.int32)
    of_camera = 11 * camera[:, None] + jnp.arange(11, dtype=jnp.int32)
    of_point = 11 * n + 3 * point[:, None] + jnp.arange(3, dtype=jnp.int32)
    row = jnp.concatenate([of_camera, of_point, of_weight[:, None]], 1)
    cols = jnp.concatenate([jnp.stack([row, row], 1).ravel(), of_weight])
    rows = jnp.concatenate([15 * jnp.arange(2 * p, dtype=jnp.int32), 30 * p + jnp.arange(p + 1, dtype=jnp.int32)])
    return {"rows": rows, "cols": cols, "vals": jnp.concatenate([blocks.ravel(), -2 * ws])}


def given(i):
    n, m, p = i["n"], i["m"], i["p"]
    seen = np.arange(p, dtype=np.int32)
    repeated = lambda x, times: np.tile(np.array(x, float), (times, 1))
    return (
        repeated(i["cam"], n),
        repeated(i["x"], m),
        np.full(p, float(i["w"])),
        repeated(i["feat"], p),
        seen % n,
        seen % m,
    )


def errors(result):
    first, of_weights = result
    return {
        "reproj_error": {"elements": first[0].tolist(), "repeated": len(first)},
        "w_err": {"element": float(of_weights[0]), "repeated": len(of_weights)},
    }


def ends(result):
    return {k: [*np.asarray(x[:SHOWN]).tolist(), x[-1].item()] for k, x in result.items()}


functions = {
    "objective": lambda i: job(objective, *given(i), shown=errors),
    "jacobian": lambda i: job(jacobian, *given(i), shown=ends),
}
