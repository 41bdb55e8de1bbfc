from __future__ import annotations

import math

import torch

from . import gradient, plain, tensors, value

NAMES = ("alpha", "mu", "q", "l")


def objective(alpha, mu, q, l, x, m, gamma):
    (n, d), k = x.shape, len(alpha)
    columns, rows = torch.triu_indices(d, d, 1)
    lower = torch.zeros(k, d, d).index_put((torch.arange(k)[:, None], rows, columns), l.reshape(k, len(rows)))
    away = x[None] - mu[:, None]
    scaled = q.exp()[:, None] * away + away @ lower.transpose(1, 2)
    terms = (alpha + q.sum(1))[:, None] - (scaled**2).sum(2) / 2
    degrees = d + m + 1
    constant = degrees * d * math.log(gamma / math.sqrt(2)) - float(torch.mvlgamma(torch.tensor(degrees / 2), d))
    prior = gamma**2 / 2 * ((2 * q).exp().sum() + (l**2).sum()) - m * q.sum() - k * constant
    likely = torch.logsumexp(terms, 0).sum() - n * (d / 2 * math.log(2 * math.pi) + torch.logsumexp(alpha, 0))
    return likely - prior


def prepared(make, given, shown):
    (x,) = tensors(given["x"])
    of = lambda alpha, mu, q, l: objective(alpha, mu, q, l, x, given["m"], given["gamma"])
    return make(of, *[given[name] for name in NAMES], shown=shown)


functions = {
    "objective": lambda i: prepared(value, i, plain),
    "jacobian": lambda i: prepared(gradient, i, lambda g: dict(zip(NAMES, map(plain, g), strict=True))),
}
