"""Rate constants of a mechanism by Arrhenius's law, from runs at three temperatures: chemistry."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

RUNS, SAMPLES, STEPS, DT = 3, 10, 10, 0.05
TEMPERATURES = np.array([300.0, 320.0, 340.0])
STARTS = np.array([[1.0, 1.5, 0.0, 0.0, 0.0], [0.5, 2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.2, 0.0]])


@rose.struct
class Arrhenius:
    log_rate: Vec[5]  # at 320 K
    energy: Vec[5]  # in 1000 K


@fn
def change(k: Vec[5], y: Vec[5]) -> Vec[5]:
    """A + B = C, C to D, D + B = E."""
    a, b, c, d, e = y
    bind, free, react = k[0] * a * b - k[1] * c, k[2] * c, k[3] * d * b - k[4] * e
    return rose.array([-bind, -bind - react, bind - free, free - react, react])


@fn
def step(k: Vec[5], y: Vec[5]) -> Vec[5]:
    """Of Runge and Kutta."""
    k1 = change(k, y)
    k2 = change(k, y + DT / 2 * k1)
    k3 = change(k, y + DT / 2 * k2)
    k4 = change(k, y + DT * k3)
    return y + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@fn
def loss(m: Arrhenius, measured: Vec[RUNS, SAMPLES, 5]) -> Real:
    starts, total = rose.constant(Vec[RUNS, 5], STARTS), rose.accum(0.0)
    inverse = rose.constant(Vec[RUNS], 1000 / TEMPERATURES - 1000 / 320)
    for run in rose.range(RUNS):
        k = rose.exp(m.log_rate - m.energy * inverse[run])

        def sample(i, y, k=k, run=run):
            y = rose.scan(lambda _, y: step(k, y), y, STEPS)
            return y, rose.norm(y - measured[run, i]) ** 2

        _, errors = rose.scan(sample, starts[run], SAMPLES)
        total += rose.sum(errors)
    return total.value


def written() -> Written:
    r = np.random.default_rng(112)
    params = [0.5, -1.0, 0.2, -0.3, -1.5, 4.0, 6.0, 5.0, 3.0, 7.0]
    decay = 0.5 + 0.5 * np.exp(-0.3 * np.arange(1, SAMPLES + 1))[:, None]
    made = np.array([0.0, 0.0, 0.2, 0.2, 0.2]) * (1 - decay)
    measured = STARTS[:, None] * decay + made + r.normal(0, 0.02, (RUNS, SAMPLES, 5))
    sizes = {"RUNS": RUNS, "SAMPLES": SAMPLES, "STEPS": STEPS}
    tables = {"inverse": (1000 / TEMPERATURES - 1000 / 320).tolist(), "starts": STARTS.ravel().tolist(), "dt": [DT]}
    data = (measured.ravel().tolist(),)
    program = Program("kinetics", source("kinetics"), sizes, params, {"text": loss}, data, tables)
    return Written("kinetics", "chemistry", "loops", program)
