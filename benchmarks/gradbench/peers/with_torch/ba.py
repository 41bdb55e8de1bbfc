from __future__ import annotations

import numpy as np
import torch

from ...evals.ba import SHOWN
from ...programs import Job


def turned(r, x):
    theta2 = r @ r
    theta = torch.sqrt(torch.where(theta2 == 0, 1.0, theta2))
    v, c, s = r / theta, torch.cos(theta), torch.sin(theta)
    about = x * c + torch.linalg.cross(v, x) * s + v * (v @ x) * (1 - c)
    return torch.where(theta2 == 0, x + torch.linalg.cross(r, x), about)


def error(unknown, feature):
    cam, point, w = unknown[:11], unknown[11:14], unknown[14]
    x = turned(cam[:3], point - cam[3:6])
    at = x[:2] / x[2]
    s = at @ at
    return w * (at * (1 + cam[9] * s + cam[10] * s * s) * cam[6] + cam[7:9] - feature)


def unknowns(cams, points, ws, camera, point):
    return torch.cat([cams[camera], points[point], ws[:, None]], 1)


def objective(cams, points, ws, feats, camera, point):
    return torch.vmap(error)(unknowns(cams, points, ws, camera, point), feats), 1 - ws * ws


def jacobian(cams, points, ws, feats, camera, point):
    n, m, p = len(cams), len(points), len(ws)
    whole = dict(dtype=torch.int32)
    blocks = torch.vmap(torch.func.jacrev(error))(unknowns(cams, points, ws, camera, point), feats)
    of_weight = 11 * n + 3 * m + torch.arange(p, **whole)
    of_camera = 11 * camera[:, None].int() + torch.arange(11, **whole)
    of_point = 11 * n + 3 * point[:, None].int() + torch.arange(3, **whole)
    row = torch.cat([of_camera, of_point, of_weight[:, None]], 1)
    cols = torch.cat([torch.stack([row, row], 1).ravel(), of_weight])
    rows = torch.cat([15 * torch.arange(2 * p, **whole), 30 * p + torch.arange(p + 1, **whole)])
    return {"rows": rows, "cols": cols, "vals": torch.cat([blocks.ravel(), -2 * ws])}


def job(f, i, shown):
    n, m, p = i["n"], i["m"], i["p"]
    seen = np.arange(p)
    repeated = lambda x, times: np.tile(np.array(x, float), (times, 1))
    parts = (
        repeated(i["cam"], n),
        repeated(i["x"], m),
        np.full(p, float(i["w"])),
        repeated(i["feat"], p),
        seen % n,
        seen % m,
    )
    given = [torch.from_numpy(x) for x in parts]

    def run():
        with torch.no_grad():
            return f(*given)

    run()
    return Job(run, shown)


def errors(result):
    first, of_weights = result
    return {
        "reproj_error": {"elements": first[0].tolist(), "repeated": len(first)},
        "w_err": {"element": of_weights[0].item(), "repeated": len(of_weights)},
    }


def ends(result):
    return {k: [*x[:SHOWN].tolist(), x[-1].item()] for k, x in result.items()}


functions = {
    "objective": lambda i: job(objective, i, errors),
    "jacobian": lambda i: job(jacobian, i, ends),
}
