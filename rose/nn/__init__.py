"""Layers of neural networks, as functions of arrays: written in the language, differentiated as any other program.

Images and signals have the axes batch, places, channels (NHWC); kernels those of their places, channels in, channels
out (HWIO). Parameters are arguments: keep them in a struct.

    windows         stride, dilation and padding of an axis
    convolutions    `conv1d`, `conv2d`, `conv3d`, `conv_transpose`
    pooling         `max_pool`, `avg_pool`, `upsample`
    activations     `elu`, `gelu`, `leaky_relu`, `silu`, `softsign`, `dawsn`, `log_softmax`; and those of `rose`
    losses          `cross_entropy`, `binary_cross_entropy`, `mse`, `one_hot`
    layers          `dense`, `linear`, `embedding`, `dropout`, `attention`, `multi_head_attention`, `batch_norm`,
                    `group_norm`, `layer_norm`, `rms_norm`
    recurrent       `lstm`, `gru`
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from ..frontend.arrays.padding import pad
from ..frontend.arrays.reductions import softmax
from ..ir.ops import relu, sigmoid, softplus, tanh
from .activations import dawsn, elu, gelu, leaky_relu, log_softmax, silu, softsign
from .convolutions import conv1d, conv2d, conv3d, conv_transpose
from .layers import (
    attention,
    batch_norm,
    dense,
    dropout,
    embedding,
    group_norm,
    layer_norm,
    linear,
    multi_head_attention,
    rms_norm,
)
from .losses import binary_cross_entropy, cross_entropy, mse, one_hot
from .pooling import avg_pool, max_pool, upsample
from .recurrent import GRUResult, LSTMResult, gru, lstm

__all__ = [
    "GRUResult", "LSTMResult", "attention", "avg_pool", "batch_norm", "binary_cross_entropy", "conv1d", "conv2d",
    "conv3d", "conv_transpose", "cross_entropy", "dawsn", "dense", "dropout", "elu", "embedding", "gelu", "group_norm",
    "gru", "layer_norm", "leaky_relu", "linear", "log_softmax", "lstm", "max_pool", "mse", "multi_head_attention",
    "one_hot", "pad", "relu", "rms_norm", "sigmoid", "silu", "softmax", "softplus", "softsign", "tanh", "upsample",
]  # fmt: skip

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
