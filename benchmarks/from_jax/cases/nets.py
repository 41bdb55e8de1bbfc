"""Losses of networks: Equinox, Flax."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from ..model import Case, case

RNG = np.random.default_rng(2)
KEY = jax.random.key(0)
ROWS, TARGETS = RNG.normal(size=(8, 4)), RNG.normal(size=(8, 2))
IMAGES = RNG.normal(size=(2, 1, 12, 12))
SEQUENCE = RNG.normal(size=(10, 3))
CLASSES = np.array([1, 3])


def wide(tree: Any) -> Any:
    """The parameters in 64 bits."""
    return jax.tree.map(lambda x: jnp.asarray(x, float) if eqx.is_inexact_array(x) else x, tree)


def of_module(module: Any, loss: Any) -> Case:
    """The loss of a module of Equinox, by its parameters."""
    params, static = eqx.partition(wide(module), eqx.is_inexact_array)
    return lambda p: loss(eqx.combine(p, static)), params


@case("Equinox", "multilayer perceptron")
def mlp() -> Case:
    model = eqx.nn.MLP(4, 2, 16, 2, key=KEY)
    return of_module(model, lambda m: jnp.mean((jax.vmap(m)(ROWS) - TARGETS) ** 2))


@case("Equinox", "convolutions, as in its MNIST example")
def cnn() -> Case:
    keys = jax.random.split(KEY, 2)
    parts = [
        eqx.nn.Conv2d(1, 3, kernel_size=4, key=keys[0]),
        eqx.nn.MaxPool2d(kernel_size=2),
        jax.nn.relu,
        jnp.ravel,
        eqx.nn.Linear(192, 4, key=keys[1]),
        jax.nn.log_softmax,
    ]

    def loss(m: Any) -> Any:
        predicted = jax.vmap(m)(IMAGES)
        return -jnp.mean(jnp.take_along_axis(predicted, jnp.expand_dims(CLASSES, 1), axis=1))

    return of_module(eqx.nn.Sequential([eqx.nn.Lambda(p) if not isinstance(p, eqx.Module) else p for p in parts]), loss)


def recurrent(cell: Any, head: Any, start: Any) -> Case:
    def loss(m: Any) -> Any:
        of, out = m
        last, _ = jax.lax.scan(lambda s, x: (of(x, s), None), start, SEQUENCE)
        hidden = last[0] if isinstance(last, tuple) else last
        return optax.sigmoid_binary_cross_entropy(out(hidden)[0], 1.0)

    return of_module((cell, head), loss)


@case("Equinox", "GRU over a sequence")
def gru() -> Case:
    return recurrent(eqx.nn.GRUCell(3, 6, key=KEY), eqx.nn.Linear(6, 1, key=KEY), jnp.zeros(6))


@case("Equinox", "attention and norms: a block of a transformer")
def transformer() -> Case:
    class Block(eqx.Module):
        attention: Any
        first: Any
        second: Any
        dense: Any

        def __call__(self, x: Any) -> Any:
            y = jax.vmap(self.first)(x)
            x = x + self.attention(y, y, y, mask=jnp.tril(jnp.ones((5, 5), bool)))
            return x + jax.vmap(lambda row: self.dense(self.second(row)))(x)

    keys = jax.random.split(KEY, 2)
    attention = eqx.nn.MultiheadAttention(2, 8, key=keys[0])
    block = Block(
        attention, eqx.nn.LayerNorm(8), eqx.nn.LayerNorm(8), eqx.nn.MLP(8, 8, 16, 1, jax.nn.gelu, key=keys[1])
    )
    x = RNG.normal(size=(5, 8))
    return of_module(block, lambda m: jnp.mean(m(x) ** 2))


@case("Equinox", "loss after a step of Adam")
def training_step() -> Case:
    model, way = wide(eqx.nn.MLP(4, 2, 8, 1, jnp.tanh, key=KEY)), optax.adam(1e-2)
    params, static = eqx.partition(model, eqx.is_inexact_array)

    def loss(p: Any) -> Any:
        return jnp.mean((jax.vmap(eqx.combine(p, static))(ROWS) - TARGETS) ** 2)

    def after(p: Any) -> Any:
        updates, _ = way.update(jax.grad(loss)(p), way.init(p), p)
        return loss(eqx.apply_updates(p, updates))

    return after, params


def linen(module: Any, loss: Any, *inputs: Any, **how: Any) -> Case:
    """The loss of a module of Flax, by its parameters."""
    variables = wide(module.init(KEY, *inputs))
    rest = {k: v for k, v in variables.items() if k != "params"}
    return lambda p: loss(module.apply({"params": p, **rest}, *inputs, **how)), dict(variables["params"])


@case("Flax", "dense layers and dropout that is off")
def dense() -> Case:
    class Net(nn.Module):
        @nn.compact
        def __call__(self, x: Any) -> Any:
            x = nn.Dropout(0.5, deterministic=True)(nn.gelu(nn.Dense(16)(x)))
            return nn.Dense(2)(x)

    return linen(Net(), lambda y: jnp.mean(optax.l2_loss(y, TARGETS)), ROWS)


@case("Flax", "convolutions, as in its MNIST example")
def conv() -> Case:
    class CNN(nn.Module):
        @nn.compact
        def __call__(self, x: Any) -> Any:
            x = nn.avg_pool(nn.relu(nn.Conv(4, (3, 3))(x)), (2, 2), (2, 2))
            x = nn.avg_pool(nn.relu(nn.Conv(6, (3, 3))(x)), (2, 2), (2, 2))
            x = nn.relu(nn.Dense(10)(x.reshape((x.shape[0], -1))))
            return nn.Dense(4)(x)

    loss = lambda y: jnp.mean(optax.softmax_cross_entropy_with_integer_labels(y, CLASSES))
    return linen(CNN(), loss, IMAGES.transpose(0, 2, 3, 1))


@case("Flax", "batch norm in training")
def batch_norm() -> Case:
    class Net(nn.Module):
        @nn.compact
        def __call__(self, x: Any) -> Any:
            x = nn.BatchNorm(use_running_average=False)(nn.Dense(6)(x))
            return nn.Dense(2)(nn.swish(x))

    loss = lambda found: jnp.mean((found[0] - TARGETS) ** 2)
    return linen(Net(), loss, ROWS, mutable=["batch_stats"])


@case("Flax", "attention with heads")
def attention() -> Case:
    x = RNG.normal(size=(2, 4, 6))
    return linen(nn.MultiHeadDotProductAttention(num_heads=2), lambda y: jnp.sum(jnp.tanh(y)), x)


@case("Flax", "an LSTM, by nn.RNN")
def rnn() -> Case:
    return linen(
        nn.RNN(nn.LSTMCell(5, param_dtype=float)), lambda y: jnp.mean(y[:, -1] ** 2), RNG.normal(size=(2, 7, 3))
    )


@case("Flax", "nnx: embeddings, norms and dense layers")
def embedding() -> Case:
    class Net(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.embed = nnx.Embed(7, 6, dtype=float, rngs=rngs)
            self.norm = nnx.RMSNorm(6, dtype=float, rngs=rngs)
            self.out = nnx.Linear(6, 4, dtype=float, rngs=rngs)

        def __call__(self, tokens: Any) -> Any:
            return self.out(nnx.silu(self.norm(self.embed(tokens)).mean(axis=1)))

    graph, params, rest = nnx.split(Net(nnx.Rngs(0)), nnx.Param, ...)
    tokens = RNG.integers(0, 7, (2, 5))

    def loss(p: Any) -> Any:
        logits = nnx.merge(graph, p, rest)(tokens)
        return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, CLASSES))

    return loss, wide(params)
