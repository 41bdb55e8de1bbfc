"""Differential equations, particles and bodies: diffrax, JAX MD; and JAX's own library."""

from __future__ import annotations

from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import jax_md
import numpy as np
from jax.experimental.ode import odeint
from jax.scipy import ndimage, stats

from ..model import Case, case
from .nets import wide

RNG = np.random.default_rng(4)
RATES = np.array([1.1, 0.4, 0.4, 0.1])


def prey(t: Any, y: Any, p: Any) -> Any:
    return jnp.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[3] * y[0] * y[1] - p[2] * y[1]])


def solved(solver: Any, field: Any, start: Any, end: float, dt: float, **more: Any) -> Any:
    """The last state, by the arguments of the field."""
    term = diffrax.ODETerm(field)
    return lambda p: diffrax.diffeqsolve(term, solver, 0.0, end, dt, start, args=p, **more).ys[-1]


@case("diffrax", "Lotka and Volterra, by Euler's steps")
def euler() -> Case:
    last = solved(diffrax.Euler(), prey, jnp.array([10.0, 5.0]), 2.0, 0.05)
    return lambda p: jnp.sum(last(p) ** 2), RATES


@case("diffrax", "Lotka and Volterra, by Tsit5 with saved points")
def tsit5() -> Case:
    times = jnp.linspace(0.0, 2.0, 6)
    term = diffrax.ODETerm(prey)

    def loss(p: Any) -> Any:
        save = diffrax.SaveAt(ts=times)
        ys = diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 2.0, 0.1, jnp.array([10.0, 5.0]), args=p, saveat=save).ys
        return jnp.mean((ys - 3.0) ** 2)

    return loss, RATES


@case("diffrax", "adaptive steps")
def adaptive() -> Case:
    how = {"stepsize_controller": diffrax.PIDController(rtol=1e-6, atol=1e-6), "max_steps": 64}
    last = solved(diffrax.Tsit5(), prey, jnp.array([10.0, 5.0]), 2.0, 0.1, **how)
    return lambda p: jnp.sum(last(p) ** 2), RATES


@case("diffrax", "a stiff equation, by Kvaerno3")
def stiff() -> Case:
    def robertson(t: Any, y: Any, k: Any) -> Any:
        a, b, c = k[0] * y[0], k[1] * y[1] ** 2, k[2] * y[1] * y[2]
        return jnp.stack([-a + c, a - b - c, b])

    how = {"stepsize_controller": diffrax.PIDController(rtol=1e-6, atol=1e-8), "max_steps": 128}
    last = solved(diffrax.Kvaerno3(), robertson, jnp.array([1.0, 0.0, 0.0]), 1.0, 1e-3, **how)
    return lambda k: jnp.sum(last(k) * jnp.array([1.0, 100.0, 2.0])), np.array([0.04, 30.0, 10.0])


@case("diffrax", "neural differential equation")
def neural() -> Case:
    net = wide(eqx.nn.MLP(2, 2, 8, 1, jax.nn.softplus, key=jax.random.key(5)))
    params, static = eqx.partition(net, eqx.is_inexact_array)
    how = {"adjoint": diffrax.DirectAdjoint(), "max_steps": 16}
    last = solved(diffrax.Heun(), lambda t, y, p: eqx.combine(p, static)(y), jnp.array([1.0, 0.5]), 1.0, 0.1, **how)
    return lambda p: jnp.sum((last(p) - 0.2) ** 2), params


@case("diffrax", "geometric Brownian motion, by a tree")
def brownian() -> Case:
    def last(p: Any) -> Any:
        noise = diffrax.VirtualBrownianTree(0.0, 1.0, tol=1e-2, shape=(), key=jax.random.key(6))
        drift = diffrax.ODETerm(lambda t, y, p: p[0] * y)
        terms = diffrax.MultiTerm(drift, diffrax.ControlTerm(lambda t, y, p: p[1] * y, noise))
        return diffrax.diffeqsolve(terms, diffrax.Heun(), 0.0, 1.0, 0.1, jnp.array(1.0), args=p).ys[-1]

    return lambda p: last(p) ** 2, np.array([0.3, 0.5])


SIDE = 4.0
PARTICLES = (np.stack(np.meshgrid(*[np.arange(3.0)] * 3), -1).reshape(-1, 3) + 0.3) * SIDE / 3 + RNG.uniform(
    -0.1, 0.1, (27, 3)
)


@case("JAX MD", "Lennard-Jones, periodic")
def lennard_jones() -> Case:
    displacement, _ = jax_md.space.periodic(SIDE)
    return jax_md.energy.lennard_jones_pair(displacement, r_cutoff=1.8, r_onset=1.5), PARTICLES


@case("JAX MD", "soft spheres of two kinds")
def soft_spheres() -> Case:
    displacement, _ = jax_md.space.periodic(SIDE)
    species = jnp.array([0] * 13 + [1] * 14)
    sigma = jnp.array([[1.2, 1.3], [1.3, 1.5]])
    return jax_md.energy.soft_sphere_pair(displacement, species=species, sigma=sigma), PARTICLES


@case("JAX MD", "energy after steps of NVE")
def nve() -> Case:
    displacement, shift = jax_md.space.periodic(SIDE)
    energy = jax_md.energy.soft_sphere_pair(displacement, sigma=1.4)
    start, apply = jax_md.simulate.nve(energy, shift, 1e-2)

    def after(r: Any) -> Any:
        state = start(jax.random.key(7), r, kT=0.1)
        state = jax.lax.fori_loop(0, 5, lambda i, s: apply(s), state)
        return energy(state.position)

    return after, PARTICLES


@case("JAX", "odeint")
def ode() -> Case:
    field = lambda y, t, p: jnp.stack([y[1], -p[0] * jnp.sin(y[0]) - p[1] * y[1]])
    last = lambda p: odeint(field, jnp.array([1.0, 0.0]), jnp.linspace(0.0, 1.0, 4), p, rtol=1e-12, atol=1e-12)
    return lambda p: jnp.sum(last(p) ** 2), np.array([2.0, 0.3])


@case("JAX", "an image resized and moved, by map_coordinates")
def image() -> Case:
    target = RNG.normal(size=(8, 8))
    source = RNG.normal(size=(5, 6))

    def loss(p: Any) -> Any:
        large = jax.image.resize(p["image"], (8, 8), "cubic")
        grid = jnp.stack(jnp.meshgrid(jnp.arange(8.0), jnp.arange(8.0), indexing="ij"))
        moved = ndimage.map_coordinates(large, grid + p["by"][:, None, None], order=1, mode="nearest")
        return jnp.mean((moved - target) ** 2)

    return loss, {"image": source, "by": np.array([0.3, -0.4])}


@case("JAX", "log densities of scipy.stats")
def densities() -> Case:
    x = RNG.gamma(2.0, 1.0, size=10)

    def total(p: Any) -> Any:
        a, b = p[0], p[1]
        found = stats.gamma.logpdf(x, a, scale=b) + stats.beta.logpdf(x / 20, a, b) + stats.t.logpdf(x, a, 0.0, b)
        found += stats.norm.logcdf(x, a, b) + stats.laplace.logpdf(x, a, b) + stats.logistic.logpdf(x, a, b)
        cov = jnp.array([[a, 0.2], [0.2, b]])
        return jnp.sum(found) + stats.multivariate_normal.logpdf(x[:2], jnp.zeros(2), cov)

    return total, np.array([1.7, 0.8])
