"""The likelihood of two planets, by the radial velocities of their star, with Kepler's equation: astronomy."""

import math

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn
from rose.implicit import root

EPOCHS, PLANETS = 80, 2


@rose.struct
class Planet:
    log_amplitude: Real
    log_period: Real
    phase: Real
    eccentricity: Real
    periastron: Real


@rose.struct
class System:
    planets: Vec[PLANETS, Planet]
    offset: Real
    trend: Real
    log_jitter: Real


@fn
def kepler(anomaly: Real, mean: Real, e: Real) -> Real:
    return anomaly - e * rose.sin(anomaly) - mean


@fn
def velocity(p: Planet, time: Real) -> Real:
    e, mean = p.eccentricity, 2 * math.pi * time / rose.exp(p.log_period) + p.phase
    anomaly = root(kepler)(mean + e * rose.sin(mean), mean, e)
    near = 1 - e * rose.cos(anomaly)
    cosine, sine = (rose.cos(anomaly) - e) / near, rose.sqrt(1 - e * e) * rose.sin(anomaly) / near
    along = rose.cos(p.periastron) * (cosine + e) - rose.sin(p.periastron) * sine
    return rose.exp(p.log_amplitude) * along


@fn
def loss(s: System, times: Vec[EPOCHS], seen: Vec[EPOCHS], errors: Vec[EPOCHS]) -> Real:
    jitter, total = rose.exp(2 * s.log_jitter), rose.accum(0.0)
    for i in rose.range(EPOCHS):
        model = s.offset + s.trend * times[i] + rose.sum(velocity(s.planets[k], times[i]) for k in rose.range(PLANETS))
        variance = errors[i] ** 2 + jitter
        total += rose.log(variance) + (seen[i] - model) ** 2 / variance
    return 0.5 * total.value


def written() -> Written:
    r = np.random.default_rng(114)
    times = np.sort(r.uniform(0, 30, EPOCHS))
    seen = 3 * np.cos(2 * np.pi * times / 4.2 + 1) + 1.5 * np.cos(2 * np.pi * times / 11.0) + r.normal(0, 0.5, EPOCHS)
    params = [1.0, math.log(4.25), 0.8, 0.3, 0.5, 0.4, math.log(10.7), -0.4, 0.55, -1.0, 0.1, 0.01, -1.0]
    data = (times.tolist(), seen.tolist(), r.uniform(0.3, 0.7, EPOCHS).tolist())
    sizes = {"EPOCHS": EPOCHS, "PLANETS": PLANETS}
    program = Program("radial_velocity", source("radial_velocity"), sizes, params, {"text": loss}, data)
    return Written("radial_velocity", "astronomy", "loops", program)
