"""The energy of a chain of spins in the state that a quantum circuit makes, a variational eigensolver."""

import jax.numpy as jnp
import numpy as np
from program import LAYERS, NEIGHBOURS, QUBITS, SIGNS

STATES = 2**QUBITS
FIELD = 0.9

SIGNS, NEIGHBOURS = np.array(SIGNS), np.array(NEIGHBOURS)


def rotated(state, qubit, angle):
    c, s = jnp.cos(angle / 2), jnp.sin(angle / 2)
    halves = state.reshape(2**qubit, 2, -1)
    down, up = halves[:, 0], halves[:, 1]
    return jnp.stack([c * down - s * up, s * down + c * up], axis=1).reshape(STATES)


def value(params, start):
    angles, state = params.reshape(LAYERS + 1, QUBITS), start
    for layer in range(LAYERS + 1):
        if layer > 0:
            state = SIGNS * state
        for qubit in range(QUBITS):
            state = rotated(state, qubit, angles[layer, qubit])
    bonds = jnp.sum(NEIGHBOURS * state**2)
    fields = sum(jnp.sum(state * state.reshape(2**q, 2, -1)[:, ::-1].reshape(STATES)) for q in range(QUBITS))
    return -bonds - FIELD * fields
