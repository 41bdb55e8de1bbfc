from __future__ import annotations

import itertools

import torch

from . import gradient, tensors, value


def objective(main, ends, state, text):
    layers, b = len(state) // 2, text.shape[1]
    main, states = main.reshape(layers, 2, 4, b), list(state.reshape(layers, 2, b))
    total = torch.zeros(())
    for now, following in itertools.pairwise(text):
        x = now * ends[0]
        for layer, ((weight, bias), (hidden, cell)) in enumerate(zip(main, states, strict=True)):
            pre = torch.stack([x, hidden, x, hidden]) * weight + bias
            forget, ingate, outgate = torch.sigmoid(pre[:3])
            cell = cell * forget + ingate * torch.tanh(pre[3])
            x = outgate * torch.tanh(cell)
            states[layer] = torch.stack([x, cell])
        y = x * ends[1] + ends[2]
        total = total + (following * (y - torch.log(2 + y.exp().sum()))).sum()
    return -total / ((len(text) - 1) * b)


def prepared(make, given, **rest):
    state, text = tensors(given["state"], given["sequence"])
    return make(
        lambda main, ends: objective(main, ends, state, text), given["main_params"], given["extra_params"], **rest
    )


flat = lambda g: torch.cat([x.ravel() for x in g]).tolist()
functions = {
    "objective": lambda i: prepared(value, i),
    "jacobian": lambda i: prepared(gradient, i, shown=flat),
}
