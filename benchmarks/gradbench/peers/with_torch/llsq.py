from __future__ import annotations

import torch

from . import gradient, value


def primal(x, n):
    t = -1 + torch.arange(n) * 2 / (n - 1)
    powers = torch.cumprod(torch.cat([torch.ones((n, 1)), t[:, None].expand(n, len(x) - 1)], dim=1), dim=1)
    return ((torch.sign(t) - powers @ x) ** 2).sum() / 2


functions = {
    "primal": lambda i: value(primal, i["x"], n=i["n"]),
    "gradient": lambda i: gradient(primal, i["x"], n=i["n"]),
}
