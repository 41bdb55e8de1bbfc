"""Log densities and samplers: NumPyro, distrax, BlackJAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import blackjax
import distrax
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.infer.util import initialize_model

from ..model import Case, case

RNG = np.random.default_rng(1)
Y = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
SIGMA = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
X = RNG.normal(size=(20, 3))
LABELS = (RNG.random(20) < 0.5).astype(int)
SERIES = np.cumsum(RNG.normal(size=30)) * 0.1
COUNTS = RNG.poisson(2.0, 20)


def potential(model: Any, *args: Any) -> Case:
    """The potential energy that NUTS of NumPyro takes, at a place near where it starts."""
    made = initialize_model(jax.random.PRNGKey(0), model, model_args=args)
    start = jax.tree.map(lambda x: 0.5 * jnp.asarray(x, float), made.param_info.z)
    return made.potential_fn, start


@case("NumPyro", "eight schools, not centred")
def eight_schools() -> Case:
    def model() -> None:
        mu = numpyro.sample("mu", dist.Normal(0, 5))
        tau = numpyro.sample("tau", dist.HalfCauchy(5))
        with numpyro.plate("J", 8):
            theta = numpyro.sample("theta", dist.Normal(0, 1))
        numpyro.sample("obs", dist.Normal(mu + tau * theta, SIGMA), obs=Y)

    return potential(model)


@case("NumPyro", "logistic regression")
def logistic_regression() -> Case:
    def model() -> None:
        w = numpyro.sample("w", dist.Normal(jnp.zeros(3), jnp.ones(3)).to_event(1))
        b = numpyro.sample("b", dist.Normal(0, 1))
        numpyro.sample("y", dist.Bernoulli(logits=X @ w + b), obs=LABELS)

    return potential(model)


@case("NumPyro", "Gaussian process")
def gaussian_process() -> Case:
    x, y = jnp.linspace(-1, 1, 15), jnp.sin(4 * jnp.linspace(-1, 1, 15))

    def model() -> None:
        var = numpyro.sample("var", dist.LogNormal(0.0, 10.0))
        noise = numpyro.sample("noise", dist.LogNormal(0.0, 10.0))
        length = numpyro.sample("length", dist.LogNormal(0.0, 10.0))
        k = var * jnp.exp(-0.5 * ((x[:, None] - x) / length) ** 2) + (noise + 1e-6) * jnp.eye(15)
        numpyro.sample("Y", dist.MultivariateNormal(loc=jnp.zeros(15), covariance_matrix=k), obs=y)

    return potential(model)


@case("NumPyro", "horseshoe regression")
def horseshoe() -> Case:
    def model() -> None:
        lambdas = numpyro.sample("lambdas", dist.HalfCauchy(jnp.ones(3)))
        tau = numpyro.sample("tau", dist.HalfCauchy(jnp.ones(1)))
        betas = numpyro.sample("betas", dist.Normal(jnp.zeros(3), jnp.ones(3)))
        precision = numpyro.sample("prec", dist.Gamma(3.0, 1.0))
        mean = jnp.dot(X, (tau * lambdas) * betas)
        numpyro.sample("Y", dist.Normal(mean, 1.0 / jnp.sqrt(precision)), obs=X[:, 0])

    return potential(model)


@case("NumPyro", "mixture of normals")
def mixture() -> Case:
    def model() -> None:
        weights = numpyro.sample("weights", dist.Dirichlet(jnp.ones(3)))
        means = numpyro.sample("means", dist.Normal(0, 10).expand([3]))
        scales = numpyro.sample("scales", dist.HalfNormal(1).expand([3]))
        parts = dist.MixtureSameFamily(dist.Categorical(weights), dist.Normal(means, scales))
        with numpyro.plate("data", 30):
            numpyro.sample("obs", parts, obs=SERIES)

    return potential(model)


@case("NumPyro", "autoregression, by scan")
def autoregression() -> Case:
    def model() -> None:
        a = numpyro.sample("a", dist.Normal(0, 1))
        b = numpyro.sample("b", dist.Uniform(-1, 1))
        sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))

        def step(before: Any, y: Any) -> Any:
            return numpyro.sample("y", dist.Normal(a + b * before, sigma), obs=y), None

        scan(step, SERIES[0], SERIES[1:])

    return potential(model)


@case("NumPyro", "hidden Markov model")
def hidden_markov() -> Case:
    """The forward algorithm, as in the library's example of a semi-supervised model."""
    words = RNG.integers(0, 5, 25)

    def step(before: Any, word: Any, transition: Any, emission: Any) -> Any:
        prob = jnp.expand_dims(before, axis=1) + transition + jnp.log(jnp.expand_dims(emission[:, word], axis=0))
        return jax.nn.logsumexp(prob, axis=0)

    def model() -> None:
        transition = numpyro.sample("transition", dist.Dirichlet(jnp.ones((3, 3))).to_event(1))
        emission = numpyro.sample("emission", dist.Dirichlet(jnp.full((3, 5), 0.1)).to_event(1))
        first = jnp.log(emission[:, words[0]])
        of = lambda before, word: (step(before, word, jnp.log(transition), emission), None)
        last, _ = jax.lax.scan(of, first, words[1:])
        numpyro.factor("forward", jax.nn.logsumexp(last, axis=0))

    return potential(model)


@case("NumPyro", "stochastic volatility")
def volatility() -> Case:
    def model() -> None:
        sigma = numpyro.sample("sigma", dist.Exponential(50.0))
        s = numpyro.sample("s", dist.GaussianRandomWalk(scale=sigma, num_steps=30))
        nu = numpyro.sample("nu", dist.Exponential(0.1))
        numpyro.sample("r", dist.StudentT(df=nu, loc=0.0, scale=jnp.exp(s)), obs=SERIES)

    return potential(model)


@case("NumPyro", "correlations, LKJ")
def correlations() -> Case:
    def model() -> None:
        scales = numpyro.sample("scales", dist.HalfCauchy(jnp.ones(3)))
        factor = numpyro.sample("factor", dist.LKJCholesky(3, 2.0))
        tril = jnp.diag(jnp.sqrt(scales)) @ factor
        numpyro.sample("obs", dist.MultivariateNormal(jnp.zeros(3), scale_tril=tril), obs=X)

    return potential(model)


@case("NumPyro", "counts, negative binomial with zeros")
def counts() -> Case:
    def model() -> None:
        w = numpyro.sample("w", dist.Normal(0, 1).expand([3]).to_event(1))
        concentration = numpyro.sample("concentration", dist.Gamma(2.0, 1.0))
        gate = numpyro.sample("gate", dist.Beta(2.0, 2.0))
        base = dist.NegativeBinomial2(jnp.exp(X @ w), concentration)
        numpyro.sample("y", dist.ZeroInflatedDistribution(base, gate=gate), obs=COUNTS)

    return potential(model)


@case("distrax", "density of a coupling flow")
def flow() -> Case:
    mask = jnp.arange(4) % 2 == 0

    def density(p: Any) -> Any:
        layers = []
        for k in range(2):
            of = lambda x, k=k: jnp.tanh(x @ p["w"][k]).reshape(*x.shape[:-1], 4, 2)
            spline = lambda params: distrax.ScalarAffine(shift=params[..., 0], log_scale=params[..., 1])
            layers.append(distrax.MaskedCoupling(mask if k else ~mask, of, spline))
        made = distrax.Chain(layers)
        base = distrax.MultivariateNormalDiag(jnp.zeros(4), jnp.ones(4))
        return -jnp.mean(distrax.Transformed(base, made).log_prob(p["x"]))

    return density, {"w": 0.3 * RNG.normal(size=(2, 4, 8)), "x": RNG.normal(size=(6, 4))}


def log_density(x: Any) -> Any:
    """Rosenbrock's valley, which the library's documents sample."""
    return -(jnp.square(1 - x[0]) + 5.0 * jnp.square(x[1] - jnp.square(x[0]))) - 0.1 * jnp.sum(x[2:] ** 2)


def sampled(make: Any, key: int = 3) -> Case:
    sampler = make(log_density)

    def after(x: Any) -> Any:
        state, _ = sampler.step(jax.random.key(key), sampler.init(x))
        return jnp.sum(jnp.sin(state.position)) + state.logdensity

    return after, np.array([0.3, -0.2, 0.5])


@case("BlackJAX", "a step of HMC")
def hmc() -> Case:
    make = partial(blackjax.hmc, step_size=0.1, inverse_mass_matrix=jnp.ones(3), num_integration_steps=8)
    return sampled(make)


@case("BlackJAX", "a step of NUTS")
def nuts() -> Case:
    return sampled(partial(blackjax.nuts, step_size=0.1, inverse_mass_matrix=jnp.ones(3)))


@case("BlackJAX", "a step of MALA")
def mala() -> Case:
    return sampled(partial(blackjax.mala, step_size=0.05))
