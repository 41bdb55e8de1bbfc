"""The table of core ATen, on numbers of ours: PyTorch itself is asked in `test_torch_programs.py`."""

import numpy as np

import rose
from rose import Vec
from rose.bridges.aten import RULES


def applied(name: str, shape: tuple[int, ...], x: np.ndarray, *args: object, **named: object) -> np.ndarray:
    t = Vec[x.shape] if x.shape else rose.Real
    return np.asarray(rose.fn([t], Vec[shape])(lambda x: RULES[name](shape, x, *args, **named))(x))


x = np.random.default_rng(0).normal(size=(2, 3, 4))


def test_the_table_is_large_enough_for_small_networks():
    assert len(RULES) >= 100


def test_axes_below_0_count_from_the_end():
    assert np.allclose(applied("sum", (2, 3), x, [-1]), x.sum(-1))
    assert np.allclose(applied("mean", (2, 1, 4), x, [1], True), x.mean(1, keepdims=True))
    assert np.allclose(applied("cumsum", (2, 3, 4), x, -2), np.cumsum(x, 1))
    assert np.allclose(applied("select", (2, 3), x, -1, -1), x[..., -1])
    assert np.allclose(applied("slice", (2, 3, 2), x, 2, 1, 2**60, 2), x[:, :, 1::2])


def test_norms_and_variances():
    apart = x - x.mean((1, 2), keepdims=True)
    found = rose.fn([Vec[2, 3, 4]], Vec[2, 3, 4])(
        lambda x: RULES["native_layer_norm"]((), x, [3, 4], None, None, 0.1)[0]
    )
    assert np.allclose(found(x), apart / np.sqrt((apart**2).mean((1, 2), keepdims=True) + 0.1))
    assert np.allclose(applied("var", (2, 3), x, [2], correction=1), x.var(2, ddof=1))


def test_pads_and_softmax():
    assert np.allclose(applied("constant_pad_nd", (2, 4, 7), x, [1, 2, 0, 1], 0.5),
                       np.pad(x, ((0, 0), (0, 1), (1, 2)), constant_values=0.5))  # fmt: skip
    e = np.exp(x)
    assert np.allclose(applied("_softmax", (2, 3, 4), x, -1, False), e / e.sum(-1, keepdims=True))
    assert np.allclose(applied("_log_softmax", (2, 3, 4), x, 1, False), x - np.log(e.sum(1, keepdims=True)))
