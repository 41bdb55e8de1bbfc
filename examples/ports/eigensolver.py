"""A variational quantum eigensolver: angles of a circuit whose state has the least energy in a chain of magnets.

After Peruzzo and others (2014), with the circuit of Kandala and others (2017): turns of each qubit, and controlled nots
between neighbours. The energy is that of Ising's chain in a transverse field.
"""

from typing import TypeAlias

import numpy as np

import rose
from rose import Complex, Real, Vec, fn

QUBITS, LAYERS = 4, 2
State: TypeAlias = Vec[2, 2, 2, 2, Complex]
FIELD = 0.7

X = np.array([[0, 1], [1, 0]])
Z = np.array([[1, 0], [0, -1]])
CNOT = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]).reshape(2, 2, 2, 2)


def applied(gate: Vec[2, 2, Complex], state: State, qubit: int) -> State:
    return np.moveaxis(np.tensordot(gate, state, ((1,), (qubit,))), 0, qubit)


def entangled(state: State, control: int, target: int) -> State:
    return np.moveaxis(np.tensordot(CNOT, state, ((2, 3), (control, target))), (0, 1), (control, target))


def turned(state: State, qubit: int, y: Real, z: Real) -> State:
    """Turned about the axis y, and then about the axis z."""
    half = y / 2
    about_y = np.cos(half) * np.eye(2) + np.sin(half) * np.array([[0, -1], [1, 0]])
    return applied(np.exp(-0.5j * z * np.diag(Z))[:, None] * about_y, state, qubit)


@fn
def state_of(angles: Vec[LAYERS, QUBITS, 2]) -> State:
    state = np.zeros((2,) * QUBITS, complex)
    state[0, 0, 0, 0] = 1
    for layer in angles:
        for qubit in range(QUBITS):
            state = turned(state, qubit, layer[qubit, 0], layer[qubit, 1])
        for qubit in range(QUBITS - 1):
            state = entangled(state, qubit, qubit + 1)
    return state


@fn
def energy(angles: Vec[LAYERS, QUBITS, 2]) -> Real:
    state = state_of(angles)
    bonds = [applied(Z, applied(Z, state, q), q + 1) for q in range(QUBITS - 1)]
    fields = [applied(X, state, q) for q in range(QUBITS)]
    total: State = sum(bonds) + FIELD * sum(fields)
    return -np.sum(np.conj(state) * total).real


start = np.random.RandomState(0).rand(LAYERS, QUBITS, 2)

if __name__ == "__main__":
    found = rose.lib.lbfgs(energy)(start)
    print(f"energy: {energy(start):.6f}, and the least: {energy(found.x):.6f}")
