"""The programs of `benchmarks/functionals.py` in autofd 0.0.9 and JAX 0.5.3, in a process of its own.

Each line that is read names a program; each that is written has its answer, and a time: of the process, all threads,
in nanoseconds. The first time that a program is named it is built, and then it is called. autofd differentiates in
functions, not in parameters that they close over, in a JAX that is newer than itself: so losses of parameters are
written in JAX alone, with `jax.jvp` and `jax.vmap` for what autofd would make.
"""

import json
import math
import sys
import time

import autofd.operators as o
import jax
import jax.numpy as jnp
from autofd import Grid, function
from jax.interpreters import ad
from jaxtyping import Array, Float64

jax.config.update("jax_enable_x64", True)
sys.setrecursionlimit(100_000)
if not hasattr(ad.Zero, "from_value"):  # as JAX called it then
    ad.Zero.from_value = staticmethod(ad.Zero.from_primal_value)

Number, Point = Float64[Array, ""], Float64[Array, "3"]

# density functionals: autofd


@function
def density(r: Point) -> Number:
    return math.pi**-1.5 * jnp.exp(-jnp.dot(r, r))


def exchange(n):
    return -0.75 * (3.0 / math.pi) ** (1 / 3) * n ** (4 / 3)


def perdew(n):
    kappa, mu = 0.804, 0.2195149727645171
    slope = o.nabla(n)
    s = o.numpy.sqrt(o.numpy.sum(slope * slope)) / (2.0 * (3.0 * math.pi**2) ** (1 / 3) * n ** (4 / 3))
    return o.integrate(exchange(n) * (1 + kappa - kappa / (1 + mu * s**2.0 / kappa)))


def weizsaecker(n):
    slope = o.nabla(n)
    return o.integrate(o.numpy.sum(slope * slope) / (8.0 * n))


def potential(energy):
    def build():
        v = jax.grad(energy)(density)
        return jax.jit(lambda r: v(r)), (jnp.array([0.1, 0.2, 0.3]),)

    return build


# arc length: autofd


@function
def sine(x: Number) -> Number:
    return jnp.sin(x)


def slope_of_length():
    v = jax.grad(lambda y: o.integrate(o.numpy.sqrt(1.0 + o.nabla(y) ** 2.0)))(sine)
    return jax.jit(lambda x: v(x)), (jnp.array(0.7),)


# the brachistochrone: JAX alone

NODES = jnp.linspace(0.01, 1.0, 50)


def density_of_time(x, y, slope):
    return jnp.sqrt(1 + slope**2) / jnp.sqrt(-y)


def along_nodes(y, f):
    """The mean over the nodes of `f(x, y, y')`."""
    slope = lambda x: jax.jvp(y, (x,), (jnp.ones_like(x),))[1]
    return jnp.mean(jax.vmap(lambda x: f(x, y(x), slope(x)))(NODES))


def euler(y):
    """The derivative of the time in the curve `y`, by the equation of Euler and Lagrange."""
    slope = lambda x: jax.jvp(y, (x,), (jnp.ones_like(x),))[1]
    by = lambda k: jax.grad(density_of_time, k)
    push = lambda x: by(2)(x, y(x), slope(x))
    return lambda x: by(1)(x, y(x), slope(x)) - jax.jvp(push, (x,), (jnp.ones_like(x),))[1]


def losses(curve):
    return {
        "least": lambda c: along_nodes(curve(c), density_of_time),
        "stationary": lambda c: jnp.mean(jax.vmap(euler(curve(c)))(NODES) ** 2),
        "along": lambda c: jnp.mean(
            jax.lax.stop_gradient(jax.vmap(euler(curve(c)))(NODES)) * jax.vmap(curve(c))(NODES)
        ),
    }


def waves(c):
    return lambda x: -x + sum(c[k] * jnp.sin((k + 1.0) * jnp.pi * x) for k in range(3))


def brachistochrone(name):
    return lambda: (jax.jit(jax.value_and_grad(losses(waves)[name])), (jnp.array([-0.3, -0.05, 0.02]),))


# with a network, by Adam's method


def network(p):
    w1, b1, w2, b2, w3, b3, w4, b4 = p

    def y(x):
        h = jax.nn.sigmoid(w1 * x + b1)
        h = jax.nn.sigmoid(w2 @ h + b2)
        h = jax.nn.sigmoid(w3 @ h + b3)
        return (w4 @ h + b4) * jnp.sin(jnp.pi * x) - x

    return y


def start(dtype):
    k, row = 128, lambda i: jnp.sin(jnp.arange(128.0) * (1.3 + i))
    square = lambda i: jnp.sin(jnp.arange(k * k).reshape(k, k) * (0.7 + i)) / 8
    zero = jnp.zeros(k)
    given = (row(0), zero, square(0), zero, square(1), zero, row(1) / 11, jnp.array(0.0))
    return tuple([x.astype(dtype) for x in given])


def training(name, dtype):
    def build():
        slope = jax.grad(losses(network)[name])

        @jax.jit
        def step(p, m, v, k):
            g, k = slope(p), k + 1
            m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
            v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
            r = jax.tree.map(
                lambda p, m, v: p - 1e-3 * (m / (1 - 0.9**k)) / (jnp.sqrt(v / (1 - 0.999**k)) + 1e-8), p, m, v
            )
            return r, m, v, k

        p = start(dtype)
        state = [p, jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p), jnp.array(0.0, dtype)]
        value = losses(network)[name]

        def run(*_):
            state[:] = step(*state)
            return state[0][0]

        run.answer = lambda: value(start(dtype))
        return run, ()

    return build


# the neural functional: autofd

GRID = jnp.linspace(0.0, 1.0, 100)
WEIGHTS = jnp.ones(100) / 100


@function
def wave(x: Number) -> Number:
    return jnp.sin(4.0 * jnp.pi * x)


@function
def bias(x: Number) -> Number:
    return jnp.sin(jnp.pi * x)


@function
def target(x: Number) -> Number:
    return jnp.cos(jnp.pi * x)


@function
def kernel(y: Number, x: Number) -> Number:
    return jnp.sin(y) + jnp.cos(x)


for f in (wave, bias, target):
    f.grid = Grid(nodes=(GRID,), weights=(WEIGHTS,))
kernel.grid = Grid(nodes=(GRID, GRID), weights=(WEIGHTS, WEIGHTS))


def layer(k, b, f):
    return o.integrate(k * o.broadcast_arg(f, k, argnums=1), argnums=1) + b


def loss_of(p):
    k1, b1, k2, b2 = p
    return o.integrate((layer(k2, b2, o.numpy.tanh(layer(k1, b1, wave))) - target) ** 2.0)


def learned(steps):
    def build():
        p = (kernel, bias, kernel, bias)
        for _ in range(steps):
            p = jax.tree.map(lambda w, s: w - 0.1 * s, p, jax.grad(loss_of)(p))
        return jax.jit(lambda y, x: p[0](y, x)), (jnp.array(0.25), jnp.array(0.3))

    return build


# a tower


def tower(depth):
    def build():
        h = sine
        for _ in range(depth):
            h = o.numpy.exp(h) * 0.01 + o.numpy.tanh(h)
        return jax.jit(lambda x: h(x)), (jnp.array(0.3),)

    return build


PROGRAMS = {
    "slope of a length": slope_of_length,
    "potential, LDA": potential(lambda n: o.integrate(exchange(n))),
    "potential, PBE": potential(perdew),
    "potential, von Weizsaecker": potential(weizsaecker),
    **{f"slide, {name}": brachistochrone(name) for name in ("least", "stationary", "along")},
    **{f"neural functional, step {k}": learned(k) for k in (1, 2, 3, 4)},
    **{f"tower of {d}": tower(d) for d in (10, 100, 300, 1000)},
    **{f"network, {name}": training(name, jnp.float64) for name in ("least", "stationary", "along")},
    **{f"network, {name}, 32 bits": training(name, jnp.float32) for name in ("least", "stationary", "along")},
}


def numbers(x):
    return [float(y) for leaf in jax.tree.leaves(x) for y in jnp.ravel(leaf)]


def main():
    made, start = {}, time.process_time_ns()
    jax.block_until_ready(jax.jit(lambda x: x * 2)(1.0))
    for line in sys.stdin:
        name = line.strip()
        start = time.process_time_ns()
        if name not in made:
            try:
                run, args = made[name] = PROGRAMS[name]()
                jax.block_until_ready(run(*args))
            except Exception as e:
                print(json.dumps({"failed": f"{type(e).__name__}: {e}"[:120]}), flush=True)
                continue
            spent = time.process_time_ns() - start
            answer = run.answer() if hasattr(run, "answer") else run(*args)
            print(json.dumps({"ns": spent, "answer": numbers(answer)}), flush=True)
            continue
        run, args = made[name]
        jax.block_until_ready(run(*args))
        start, n = time.process_time_ns(), 0
        while n < 3 or time.process_time_ns() - start < 2e7:
            out, n = run(*args), n + 1
            jax.block_until_ready(out)
        print(json.dumps({"ns": (time.process_time_ns() - start) / n}), flush=True)


main()
