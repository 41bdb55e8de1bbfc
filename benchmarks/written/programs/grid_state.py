"""The state of a power grid from measurements, by weighted least squares: electrical engineering.

Voltages and angles at the buses; injections of power at buses and flows along lines, as AC power flow has them.
"""

import numpy as np

from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

BUSES, LINES = 30, 41


def network():
    """The ends of the lines, a ring with chords, and their conductances and susceptances."""
    r = np.random.default_rng(209)
    ends = [(i, (i + 1) % BUSES) for i in range(BUSES)]
    while len(ends) < LINES:
        i, j = sorted(r.choice(BUSES, 2, replace=False).tolist())
        if (i, j) not in ends and j - i > 1:
            ends.append((i, j))
    impedance = r.uniform(0.01, 0.08, LINES) + 1j * r.uniform(0.05, 0.25, LINES)
    y = 1 / impedance
    bus = np.zeros((BUSES, BUSES), complex)
    for (i, j), line in zip(ends, y, strict=True):
        bus[i, j] -= line
        bus[j, i] -= line
        bus[i, i] += line + 0.01j
        bus[j, j] += line + 0.01j
    return np.array(ends), y.real, y.imag, bus.real, bus.imag


ENDS, LINE_G, LINE_B, G, B = network()
FROM, TO = ENDS[:, 0], ENDS[:, 1]


def powers(volt, angle):
    """Active and reactive, into the buses, and active along the lines."""
    turn = angle[:, None] - angle[None, :]
    sin, cos = np.sin(turn), np.cos(turn)
    active = volt * np.sum((G * cos + B * sin) * volt[None, :], axis=1)
    reactive = volt * np.sum((G * sin - B * cos) * volt[None, :], axis=1)
    v, w, along = volt[FROM], volt[TO], angle[FROM] - angle[TO]
    flow = LINE_G * v**2 - v * w * (LINE_G * np.cos(along) + LINE_B * np.sin(along))
    return active, reactive, flow


@fn
def misfit(
    state: Vec[2, BUSES], volts: Vec[BUSES], active: Vec[BUSES], reactive: Vec[BUSES], flows: Vec[LINES]
) -> Real:
    p, q, f = powers(state[0], state[1])
    injected = np.sum(((p - active) / 0.02) ** 2 + ((q - reactive) / 0.03) ** 2)
    along = np.sum(((f - flows) / 0.01) ** 2)
    return injected + along + np.sum(((state[0] - volts) / 0.005) ** 2) + 1e6 * state[1, 0] ** 2


def written() -> Written:
    r = np.random.default_rng(210)
    volt, angle = r.uniform(0.96, 1.05, BUSES), np.append(0.0, r.normal(0, 0.1, BUSES - 1))
    p, q, f = powers(volt, angle)
    measured = (
        volt + r.normal(0, 0.005, BUSES), p + r.normal(0, 0.02, BUSES),
        q + r.normal(0, 0.03, BUSES), f + r.normal(0, 0.01, LINES),
    )  # fmt: skip
    params = [*(volt + r.normal(0, 0.01, BUSES)).tolist(), *(angle + r.normal(0, 0.02, BUSES)).tolist()]
    tables = {"FROM": FROM.tolist(), "TO": TO.tolist(), "LINE_G": LINE_G.tolist(), "LINE_B": LINE_B.tolist()}
    tables |= {"BUS_G": G.ravel().tolist(), "BUS_B": B.ravel().tolist()}
    data = tuple([x.tolist() for x in measured])
    sizes = {"BUSES": BUSES, "LINES": LINES}
    program = Program("grid_state", source("grid_state"), sizes, params, {"text": misfit}, data, tables)
    return Written("grid_state", "electrical engineering", "arrays", program)
