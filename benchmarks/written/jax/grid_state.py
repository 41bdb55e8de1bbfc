"""The state of a power grid from measurements, by weighted least squares."""

import jax.numpy as jnp
import numpy as np
from program import BUS_B, BUS_G, BUSES, FROM, LINE_B, LINE_G, TO

FROM, TO, LINE_G, LINE_B = np.array(FROM), np.array(TO), np.array(LINE_G), np.array(LINE_B)
G, B = np.array(BUS_G).reshape(BUSES, BUSES), np.array(BUS_B).reshape(BUSES, BUSES)


def value(params, volts, active, reactive, flows):
    volt, angle = params[:BUSES], params[BUSES:]
    turn = angle[:, None] - angle[None, :]
    sin, cos = jnp.sin(turn), jnp.cos(turn)
    p = volt * jnp.sum((G * cos + B * sin) * volt[None, :], axis=1)
    q = volt * jnp.sum((G * sin - B * cos) * volt[None, :], axis=1)
    v, w, along = volt[FROM], volt[TO], angle[FROM] - angle[TO]
    f = LINE_G * v**2 - v * w * (LINE_G * jnp.cos(along) + LINE_B * jnp.sin(along))
    injected = jnp.sum(((p - active) / 0.02) ** 2 + ((q - reactive) / 0.03) ** 2)
    along = jnp.sum(((f - flows) / 0.01) ** 2)
    return injected + along + jnp.sum(((volt - volts) / 0.005) ** 2) + 1e6 * angle[0] ** 2
