"""PyTorch on the CPU, eager, in numbers of 64 bits, with one thread."""

from __future__ import annotations

import types

import arrays
import numpy as np
import torch

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)

namespace = types.SimpleNamespace(
    array=torch.tensor, sum=torch.sum, mean=torch.mean, sqrt=torch.sqrt, exp=torch.exp, tanh=torch.tanh,
    reshape=torch.reshape, maximum=torch.maximum,
)  # fmt: skip


def gradient(make):
    def of(p):
        f, data = make(p)

        def call(params, *given):
            x = torch.from_numpy(params).requires_grad_()
            value = f(x, *[torch.from_numpy(xs) for xs in given])
            (g,) = torch.autograd.grad(value, x)
            return value.item(), g.numpy()

        return call, [np.array(xs) for xs in (p["params"], *data)]

    return of


def hessian(make):
    def of(p):
        f, _ = make(p)

        def call(params):
            x = torch.from_numpy(params)
            return f(x).item(), torch.autograd.functional.hessian(f, x).numpy()

        return call, [np.array(p["params"])]

    return of


FORMS = {
    source: {form: (hessian if source == "hessian" else gradient)(make) for form, make in forms.items()}
    for source, forms in arrays.functions(namespace).items()
}
