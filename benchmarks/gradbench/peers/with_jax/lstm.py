from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from . import job

NAMES = ("main_params", "extra_params", "state", "sequence")


def objective(main, ends, state, text):
    layers, b = len(state) // 2, text.shape[1]
    main = main.reshape(layers, 2, 4, b)

    def turn(states, given):
        now, following = given
        x, after = now * ends[0], []
        for (weight, bias), (hidden, cell) in zip(main, states, strict=True):
            pre = jnp.stack([x, hidden, x, hidden]) * weight + bias
            forget, ingate, outgate = jax.nn.sigmoid(pre[:3])
            cell = cell * forget + ingate * jnp.tanh(pre[3])
            x = outgate * jnp.tanh(cell)
            after.append(jnp.stack([x, cell]))
        y = x * ends[1] + ends[2]
        return jnp.stack(after), (following * (y - jnp.log(2 + jnp.exp(y).sum()))).sum()

    _, likely = jax.lax.scan(turn, state.reshape(layers, 2, b), (text[:-1], text[1:]))
    return -likely.sum() / (len(likely) * b)


jacobian = jax.grad(objective, argnums=(0, 1))
flat = lambda g: np.concatenate([np.asarray(x).ravel() for x in g]).tolist()
functions = {
    "objective": lambda i: job(objective, *[i[name] for name in NAMES]),
    "jacobian": lambda i: job(jacobian, *[i[name] for name in NAMES], shown=flat),
}
