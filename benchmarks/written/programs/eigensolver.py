"""The energy of a chain of spins in the state that a quantum circuit makes, a variational eigensolver: physics.

Ising's model in a transverse field; layers of rotations about y and of controlled signs, on a state of real amplitudes.
"""

import numpy as np

from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

QUBITS, LAYERS = 8, 3
STATES = 2**QUBITS
FIELD = 0.9

BITS = (np.arange(STATES)[:, None] >> np.arange(QUBITS)[::-1]) & 1  # the first qubit is the highest bit
SIGNS = np.prod(1 - 2 * BITS[:, :-1] * BITS[:, 1:], axis=1).astype(float)  # of a chain of controlled signs
NEIGHBOURS = np.sum((1 - 2 * BITS[:, :-1]) * (1 - 2 * BITS[:, 1:]), axis=1).astype(float)


def rotated(state, qubit, angle):
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    halves = state.reshape(2**qubit, 2, -1)
    down, up = halves[:, 0], halves[:, 1]
    return np.stack([c * down - s * up, s * down + c * up], axis=1).reshape(STATES)


def flipped(state, qubit):
    return state.reshape(2**qubit, 2, -1)[:, ::-1].reshape(STATES)


@fn
def energy(angles: Vec[LAYERS + 1, QUBITS], start: Vec[STATES]) -> Real:
    state = start
    for layer in range(LAYERS + 1):
        if layer > 0:
            state = SIGNS * state
        for qubit in range(QUBITS):
            state = rotated(state, qubit, angles[layer, qubit])
    bonds = np.sum(NEIGHBOURS * state**2)
    fields = sum(np.sum(state * flipped(state, qubit)) for qubit in range(QUBITS))
    return -bonds - FIELD * fields


def written() -> Written:
    r = np.random.default_rng(215)
    params = r.normal(0, 0.6, (LAYERS + 1) * QUBITS).tolist()
    start = [1.0, *[0.0] * (STATES - 1)]
    sizes, tables = {"QUBITS": QUBITS, "LAYERS": LAYERS}, {"SIGNS": SIGNS.tolist(), "NEIGHBOURS": NEIGHBOURS.tolist()}
    program = Program("eigensolver", source("eigensolver"), sizes, params, {"text": energy}, (start,), tables)
    return Written("eigensolver", "physics", "arrays", program)
