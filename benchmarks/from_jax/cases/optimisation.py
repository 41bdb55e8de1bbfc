"""Losses, optimisers and returns: optax, jaxopt, rlax."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jaxopt
import numpy as np
import optax
import rlax
from jaxopt.projection import projection_simplex

from ..model import Case, case

RNG = np.random.default_rng(3)
LOGITS, LABELS = RNG.normal(size=(12, 5)), RNG.integers(0, 5, 12)
X, SIGNS = RNG.normal(size=(15, 4)), (RNG.random(15) < 0.5).astype(int)
Y = RNG.normal(size=15)


@case("optax", "cross entropy, smoothed")
def cross_entropy() -> Case:
    labels = optax.smooth_labels(jax.nn.one_hot(LABELS, 5), 0.1)
    return lambda x: optax.softmax_cross_entropy(x, labels).mean(), LOGITS


@case("optax", "focal, hinge, Huber and cosine losses")
def losses() -> Case:
    target = RNG.normal(size=(12, 5))

    def loss(x: Any) -> Any:
        total = optax.sigmoid_focal_loss(x, (target > 0).astype(float), alpha=0.25).mean()
        total += optax.huber_loss(x, target, delta=0.7).mean() + optax.cosine_distance(x, target).mean()
        return total + optax.hinge_loss(x[:, 0], jnp.sign(target[:, 0])).mean() + optax.log_cosh(x, target).mean()

    return loss, LOGITS


@case("optax", "CTC loss")
def ctc() -> Case:
    labels = np.array([[1, 2, 2, 3], [3, 1, 0, 0]])
    gaps = np.array([[0.0, 0, 0, 0], [0, 0, 1, 1]])
    return lambda x: optax.ctc_loss(x, jnp.zeros((2, 9)), labels, gaps).mean(), RNG.normal(size=(2, 9, 4))


def rosenbrock(x: Any) -> Any:
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def descended(way: Any, steps: int) -> Case:
    """The value after some steps."""

    def after(x: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            p, s = state
            updates, s = way.update(jax.grad(rosenbrock)(p), s, p)
            return (optax.apply_updates(p, updates), s), None

        (p, _), _ = jax.lax.scan(step, (x, way.init(x)), None, steps)
        return rosenbrock(p)

    return after, np.array([-0.5, 0.3, 0.8, 0.1])


@case("optax", "ten steps of AdamW, clipped")
def adamw() -> Case:
    return descended(optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2)), 10)


@case("optax", "momentum with a schedule")
def momentum() -> Case:
    return descended(optax.sgd(optax.cosine_decay_schedule(1e-3, 20), momentum=0.9, nesterov=True), 10)


@case("optax", "steps of L-BFGS with a line search")
def lbfgs() -> Case:
    way = optax.lbfgs(memory_size=3)

    def after(x: Any) -> Any:
        given = optax.value_and_grad_from_state(rosenbrock)
        state = way.init(x)
        for _ in range(3):
            value, grad = given(x, state=state)
            updates, state = way.update(grad, state, x, value=value, grad=grad, value_fn=rosenbrock)
            x = optax.apply_updates(x, updates)
        return rosenbrock(x)

    return after, np.array([-0.5, 0.3, 0.8, 0.1])


@case("jaxopt", "logistic regression of several classes")
def multiclass() -> Case:
    f = jaxopt.objective.l2_multiclass_logreg
    return lambda w: f(w, 0.1, (jnp.asarray(X[:12]), jnp.asarray(LABELS))), RNG.normal(size=(4, 5))


@case("jaxopt", "projections, onto the simplex and the ball")
def projections() -> Case:
    def f(x: Any) -> Any:
        p = projection_simplex(x)
        return jnp.sum((p - 0.3) ** 3) + jnp.sum(jaxopt.projection.projection_l2_ball(x, 0.7) ** 3)

    return f, np.array([0.4, 0.1, -0.3, 0.6, 0.2])


@case("jaxopt", "a ridge regression solved, by its penalty")
def ridge() -> Case:
    solver = jaxopt.GradientDescent(jaxopt.objective.ridge_regression, maxiter=500, tol=1e-12, implicit_diff=True)

    def validation(penalty: Any) -> Any:
        w = solver.run(jnp.zeros(4), l2reg=penalty, data=(jnp.asarray(X[:10]), jnp.asarray(Y[:10]))).params
        return jnp.mean((X[10:] @ w - Y[10:]) ** 2)

    return validation, np.float64(0.5)


@case("jaxopt", "steps of projected gradients, unrolled")
def projected_gradient() -> Case:
    f = lambda w, t: jnp.sum((X @ w - t) ** 2)
    box = jaxopt.projection.projection_box
    solver = jaxopt.ProjectedGradient(f, box, stepsize=1e-2, maxiter=20, tol=0.0, implicit_diff=False, unroll=True)

    def best(t: Any) -> Any:
        return jnp.sum(solver.run(jnp.zeros(4), hyperparams_proj=(-1.0, 1.0), t=t).params ** 2)

    return best, Y


@case("rlax", "V-trace")
def vtrace() -> Case:
    rewards, discounts, rhos = RNG.normal(size=9), np.full(9, 0.95), np.exp(0.3 * RNG.normal(size=9))

    def loss(v: Any) -> Any:
        errors = rlax.vtrace(v[:-1], v[1:], rewards, discounts, rhos, lambda_=0.9, stop_target_gradients=False)
        return jnp.mean(errors**2)

    return loss, RNG.normal(size=10)


@case("rlax", "PPO: advantages, clipped surrogate and entropy")
def ppo() -> Case:
    rewards, discounts, actions = RNG.normal(size=9), np.full(9, 0.97), RNG.integers(0, 3, 9)
    old = RNG.normal(size=(9, 3))

    def loss(p: Any) -> Any:
        values, logits = p["values"], p["logits"]
        advantages = rlax.truncated_generalized_advantage_estimation(rewards, discounts, 0.9, values)
        ratios = jnp.exp(rlax.batched_index(jax.nn.log_softmax(logits) - jax.nn.log_softmax(old), actions))
        surrogate = rlax.clipped_surrogate_pg_loss(ratios, advantages, 0.2)
        td = rlax.td_lambda(values[:-1], rewards, discounts, values[1:], 0.9)
        return surrogate + 0.5 * jnp.mean(td**2) + 0.01 * rlax.entropy_loss(logits, jnp.ones(9))

    return loss, {"values": RNG.normal(size=10), "logits": RNG.normal(size=(9, 3))}
