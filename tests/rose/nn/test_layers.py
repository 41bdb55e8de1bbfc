"""Dense layers, embeddings, attention and normalisation against NumPy; derivatives, and training with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import Fin, Real, Vec, fn, lib, nn


def attended(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def test_dense_layers_of_vectors_and_batches():
    w, b = random(0, 3, 2), random(1, 1, 2)[0]
    for shape in [(3,), (4, 3), (0, 3), (2, 4, 3)]:
        x = random(2, 1, *shape)[0]
        f = fn([matrix(*shape)], matrix(*shape[:-1], 2))(lambda x: nn.dense(x, w, b))
        close(f(x), x @ w + b, 1e-13)


def test_embeddings_are_rows():
    table = random(0, 5, 3)
    f = fn([Vec[5, 3], Vec[2, Vec[2, Fin[5]]]], Vec[2, 2, 3])(nn.embedding)
    assert np.array_equal(f(table, [[0, 4], [4, 1]]), table[[[0, 4], [4, 1]]])
    g = rose.grad(fn([Vec[5, 3], Vec[3, Fin[5]]], Real)(lambda t, i: rose.sum(nn.embedding(t, i))))
    assert g(table, [1, 1, 4]).sum(1).tolist() == [0.0, 6.0, 0.0, 0.0, 3.0]


DRAWS = np.array([[0.1, 0.3, 0.9], [0.25, 0.2, 0.5]])


@pytest.mark.parametrize("draws", [DRAWS, DRAWS[0], DRAWS >= 0.25, (DRAWS >= 0.25)[:, :1]])
def test_dropout_is_decided_by_its_draws(draws: Any):
    x = random(0, 2, 3)
    kept = draws if draws.dtype == bool else draws >= 0.25
    f = fn([Vec[2, 3]], Vec[2, 3])(lambda x: nn.dropout(x, 0.25, draws))
    assert f(x) == pytest.approx(np.where(kept, x / 0.75, 0.0), rel=1e-15)
    g = rose.grad(fn([Vec[2, 3]], Real)(lambda x: rose.sum(nn.dropout(x, 0.25, draws))))
    assert g(x) == pytest.approx(np.where(kept, 1.0 / 0.75, 0.0) * np.ones((2, 3)), rel=1e-15)


def test_dropout_by_a_key_drops_what_the_same_numbers_drop():
    body = lambda x, key: nn.dropout(x, 0.25, key)
    by_key = fn([Vec[2, 3], rose.random.Key], Vec[2, 3])(body)
    by_numbers = fn([Vec[2, 3], rose.random.Key], Vec[2, 3])(lambda x, key: body(x, rose.random.uniform(key, (2, 3))))
    x, key = random(0, 2, 3), rose.random.key(1)
    assert by_key(x, key).tolist() == by_numbers(x, key).tolist()
    assert fn([Vec[2, 3]], Vec[2, 3])(lambda x: body(x, key))(x).tolist() == by_key(x, key).tolist()
    many = fn([rose.random.Key], Real)(lambda key: rose.mean(nn.dropout(np.ones(1000), 0.25, key)))
    assert many(key) == pytest.approx(1.0, abs=0.1)
    g = rose.grad(fn([Vec[2, 3], rose.random.Key], Real)(lambda x, key: rose.sum(body(x, key) ** 2)))
    close(g(x, key), 2.0 * by_key(x, key) / 0.75, 1e-14)


def test_dropout_by_an_argument_of_the_program():
    f = fn([Vec[2, 3], Vec[2, 3]], Vec[2, 3])(lambda x, draws: nn.dropout(x, 0.25, draws))
    assert f(np.ones((2, 3)), DRAWS).tolist() == (np.where(DRAWS >= 0.25, 1.0, 0.0) * (1.0 / 0.75)).tolist()
    assert fn([Vec[0], Vec[0]], Vec[0])(lambda x, d: nn.dropout(x, 0, d))([], []).shape == (0,)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_attention_is_that_of_numpy(batch: Any):
    q, k, v = random(0, *batch, 4, 3), random(1, *batch, 5, 3), random(2, *batch, 5, 2)
    types = [matrix(*x.shape) for x in (q, k, v)]
    close(fn(types, matrix(*batch, 4, 2))(nn.attention)(q, k, v), attended(q, k, v), 1e-13)


def test_a_mask_hides_keys():
    q = random(0, 4, 3)
    causal = np.tril(np.ones((4, 4))) > 0.0
    f = fn([Vec[4, 3]], Vec[4, 3])(lambda q: nn.attention(q, q, q, causal))
    close(f(q), attended(q, q, q, causal), 1e-13)


NORMS: dict[str, Any] = {
    "layer": (nn.layer_norm, lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)),
    "batch": (nn.batch_norm, lambda x: (x - x.mean((0, 1))) / np.sqrt(x.var((0, 1)) + 1e-5)),
}


@pytest.mark.parametrize("name", NORMS)
def test_norms_are_those_of_numpy(name: str):
    ours, theirs = NORMS[name]
    x, scale, offset = random(0, 4, 3, 2), np.array([2.0, 3.0]), np.array([0.5, -1.0])
    f = fn([Vec[4, 3, 2]], Vec[4, 3, 2])(lambda x: ours(x, scale, offset))
    close(f(x), theirs(x) * scale + offset, 1e-12)


def test_a_batch_norm_by_running_means():
    x = random(0, 4, 2)
    f = fn([Vec[4, 2]], Vec[4, 2])(lambda x: nn.batch_norm(x, mean=[1.0, 2.0], var=[4.0, 9.0], epsilon=0.0))
    close(f(x), (x - [1.0, 2.0]) / [2.0, 3.0], 1e-13)


BODIES: dict[str, Any] = {
    "layer_norm": lambda x: nn.layer_norm(x) * x,
    "batch_norm": lambda x: nn.batch_norm(x) * x,
    "attention": lambda x: nn.attention(x, x, x, np.tril(np.ones((3, 3))) > 0.0),
    "dense": lambda x: nn.silu(nn.dense(x, x[:2], x[0])),
}


@pytest.mark.parametrize("name", BODIES)
def test_derivatives_of_both_modes(name: str):
    x = random(1, 4 if name == "batch_norm" else 3, 2)
    derivatives_hold(lambda x: rose.sum(rose.sin(BODIES[name](x))), x)


def test_second_derivatives_by_query_key_and_value_together():
    shapes = [(2, 2), (3, 2), (3, 1)]

    def body(z: Any) -> Any:
        q, k, v = z[:4].reshape(shapes[0]), z[4:10].reshape(shapes[1]), z[10:].reshape(shapes[2])
        return rose.sum(rose.sin(nn.attention(q, k, v)))

    derivatives_hold(body, np.random.default_rng(0).normal(size=13))


def test_second_derivatives_of_a_batch_norm_by_scale_and_offset_together():
    x = random(1, 4, 2)
    body = lambda z: rose.sum(rose.sin(nn.batch_norm(x * z[2], z[0], z[1], epsilon=0.1)))
    derivatives_hold(body, np.array([0.7, -0.3, 0.8]))


def test_a_network_learns_exclusive_or():
    @rose.struct
    class Net:
        w: Vec[2, 4]
        b: Vec[4]
        v: Vec[4, 2]

    @fn
    def loss(net: Net, x: Vec[4, 2], y: Vec[4, Fin[2]]) -> Real:
        return rose.mean(nn.cross_entropy(nn.dense(rose.tanh(nn.dense(x, net.w, net.b)), net.v), y))

    start = Net(np.random.default_rng(0).normal(size=(2, 4)), np.zeros(4), np.random.default_rng(1).normal(size=(4, 2)))
    x, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    assert lib.lbfgs(loss, max_steps=200)(start, x, y).value < 1e-3


def test_linear_has_the_weights_of_pytorch():
    w, b, x = random(0, 4, 3), random(1, 1, 4)[0], random(2, 5, 3)
    close(fn([Vec[5, 3]], Vec[5, 4])(lambda x: nn.linear(x, w, b))(x), x @ w.T + b, 1e-13)


HEADS = [random(k, 8, 8) for k in range(4)]


def in_heads(x: Any, mask: Any = None) -> Any:
    q, k, v = x @ HEADS[0] + 0.1, x @ HEADS[1] + 0.2, x @ HEADS[2] + 0.3
    parts = [attended(q[..., s], k[..., s], v[..., s], mask) for s in (slice(0, 4), slice(4, 8))]
    return np.concatenate(parts, -1) @ HEADS[3] + 0.4


@pytest.mark.parametrize("shape", [(5, 8), (2, 5, 8)])
def test_attention_by_heads(shape: tuple[int, ...]):
    x, mask = random(7, 2, 40).reshape(2, 5, 8)[0 if len(shape) == 2 else slice(None)], np.tril(np.ones((5, 5))) > 0
    biases = {"bq": 0.1, "bk": 0.2, "bv": 0.3, "bo": 0.4}
    f = fn([matrix(*shape)], matrix(*shape))(lambda x: nn.multi_head_attention(x, x, x, 2, *HEADS, **biases))
    close(f(x), in_heads(x), 1e-12)
    g = fn([matrix(*shape)], matrix(*shape))(lambda x: nn.multi_head_attention(x, x, x, 2, *HEADS, mask, **biases))
    close(g(x), in_heads(x, mask), 1e-12)
    derivatives_hold(lambda x: rose.sum(nn.multi_head_attention(x, x, x, 2, *HEADS)), 0.1 * x, 4 - len(shape))


def test_a_mask_of_each_example_is_that_of_its_heads():
    x, mask = random(7, 2, 40).reshape(2, 5, 8), np.stack([np.tril(np.ones((5, 5))) > 0, np.ones((5, 5)) > 0])
    f = fn([Vec[2, 5, 8]], Vec[2, 5, 8])(lambda x: nn.multi_head_attention(x, x, x, 2, *HEADS, mask))
    g = fn([Vec[5, 8]], Vec[5, 8])(lambda x: nn.multi_head_attention(x, x, x, 2, *HEADS, mask[0]))
    close(f(x)[0], g(x[0]), 1e-13)


def test_norms_of_groups_and_of_root_mean_squares():
    x = random(3, 2, 72).reshape(2, 3, 3, 8)
    parts = x.reshape(2, 9, 4, 2)
    parts = (parts - parts.mean((1, 3), keepdims=True)) / np.sqrt(parts.var((1, 3), keepdims=True) + 1e-5)
    scale, offset = random(4, 1, 8)[0], random(5, 1, 8)[0]
    f = fn([Vec[2, 3, 3, 8]], Vec[2, 3, 3, 8])(lambda x: nn.group_norm(x, 4, scale, offset))
    close(f(x), parts.reshape(x.shape) * scale + offset, 1e-12)
    g = fn([Vec[3, 8]], Vec[3, 8])(lambda x: nn.rms_norm(x, scale))
    close(g(x[0, 0]), x[0, 0] / np.sqrt((x[0, 0] ** 2).mean(-1, keepdims=True) + 1e-6) * scale, 1e-13)
    derivatives_hold(lambda x: rose.sum(nn.group_norm(x, 2) ** 3 + nn.rms_norm(x) ** 3), x[0, 0, :2, :4])


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda x: nn.group_norm(x, 3), "cannot cut the channels of a traced Vec.* into 3 groups"),
        (lambda x: nn.multi_head_attention(x, x, x, 3, *HEADS), "8 numbers of a query are not cut into 3 equal parts"),
        (lambda x: nn.multi_head_attention(x, x, x, 0, *HEADS), "heads is an integer above 0, not 0"),
    ],
)
def test_channels_that_cannot_be_cut_are_refused(call: Any, what: str):
    with pytest.raises(rose.RoseError, match=what):
        fn([Vec[5, 8]], Vec[5, 8])(call)(random(0, 5, 8))
