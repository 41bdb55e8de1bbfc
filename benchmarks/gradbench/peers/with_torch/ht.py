"""A forward pass for each of the 26 numbers of a pose, and one for each of the two that say where points are."""

from __future__ import annotations

import numpy as np
import torch

from ...programs import Job

BONES = 22
TURNED = [(b, 4 * ((b - 1) // 4) + (b - 1) % 4 + 6) for b in range(1, 21) if b % 4 != 1]  # bones, and their angles


def rotation(r):
    none = r @ r < 1e-8
    norm = torch.sqrt(torch.where(none, 1.0, r @ r))
    a, c, s = r / norm, torch.cos(norm), torch.sin(norm)
    o = torch.zeros(())
    cross = torch.stack([o, -a[2], a[1], a[2], o, -a[0], -a[1], a[0], o]).reshape(3, 3)
    return torch.where(none, torch.eye(3), torch.outer(a, a) * (1 - c) + cross * s + torch.eye(3) * c)


def turns(theta):
    """The matrix by which each bone is turned in its parent."""
    o, i, known = torch.zeros(()), torch.ones(()), dict(TURNED)
    made = []
    for b in range(BONES):
        first = b % 4 == 2  # it has two angles, the others have one
        x, z = (theta[known[b] - first], theta[known[b]] if first else o) if b in known else (o, o)
        (cx, sx), (cz, sz) = [(torch.cos(a), torch.sin(a)) for a in (x, z)]
        rows = [cz, -sz * cx, sz * sx, o, sz, cz * cx, -cz * sx, o, o, sx, cx, o, o, o, o, i]
        made.append(torch.stack(rows).reshape(4, 4))
    return torch.stack(made)


def positions(theta, hand, parents, mirrored):
    relatives = hand["base_relatives"] @ turns(theta)
    at: list = []
    for b, parent in enumerate(parents):
        at.append(relatives[b] if parent < 0 else at[parent] @ relatives[b])
    bones = (torch.stack(at) @ hand["inverse_base_absolutes"])[:, :3]
    local = torch.einsum("vrc,vc->vr", torch.einsum("vb,brc->vrc", hand["weights"], bones), hand["base_positions"])
    local = local * torch.tensor([-1.0 if mirrored else 1.0, 1, 1])
    return local @ rotation(theta[:3]).T + theta[3:6]


def errors(theta, us, hand, points, corners, parents, mirrored):
    at = positions(theta, hand, parents, mirrored)[corners]
    if us is None:
        return points - at
    return points - (us[:, :1] * at[:, 0] + us[:, 1:] * at[:, 1] + (1 - us[:, :1] - us[:, 1:]) * at[:, 2])


def jacobian(theta, us, *rest):
    of = lambda theta, us: errors(theta, us, *rest)
    by_theta = torch.func.jacfwd(of)(theta, us)
    if us is None:
        return by_theta.reshape(-1, 26)
    seed = lambda k: torch.eye(2)[k].expand(len(us), 2)
    by_us = [torch.func.jvp(lambda us: of(theta, us), (us,), (seed(k),))[1] for k in range(2)]
    return torch.cat([torch.stack(by_us, 2), by_theta], 2).reshape(-1, 28)


def job(f, i):
    data, model = i["data"], i["data"]["model"]
    tensor = lambda x: torch.from_numpy(np.array(x, float))
    names = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    corners = np.array(data["correspondences"])
    if i["us"]:
        corners = np.array(model["triangles"])[corners]
    hand = {name: tensor(model[name]) for name in names}
    given = [tensor(i["theta"]), tensor(i["us"]) if i["us"] else None, hand, tensor(data["points"])]
    given += [torch.from_numpy(corners), model["parents"], model["is_mirrored"]]

    def run():
        with torch.no_grad():
            return f(*given)

    run()
    return Job(run, lambda x: (x.ravel() if f is errors else x).tolist())


functions = {"objective": lambda i: job(errors, i), "jacobian": lambda i: job(jacobian, i)}
