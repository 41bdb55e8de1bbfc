"""A convolutional net: a convolution, the largest of each square of four, and a layer, whose classes are learnt.

After autograd's example `convnet`, which is modelled on LeNet-5.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

IMAGES, SIDE, KERNELS, REACH, CLASSES = 5, 8, 2, 3, 4
WIDE = SIDE - REACH + 1  # the side of what is left of an image
UNITS = KERNELS * (WIDE // 2) ** 2


@rose.struct
class Net:
    kernels: Vec[KERNELS, REACH, REACH]
    heights: Vec[KERNELS]
    weights: Vec[UNITS, CLASSES]
    biases: Vec[CLASSES]


def convolved(images: Vec[IMAGES, SIDE, SIDE], kernels: Vec[KERNELS, REACH, REACH]) -> Vec[IMAGES, KERNELS, WIDE, WIDE]:
    out = np.zeros((IMAGES, KERNELS, WIDE, WIDE))
    for i in range(REACH):
        for j in range(REACH):
            part = images[:, None, i : i + WIDE, j : j + WIDE]
            out += part * kernels[:, -1 - i, -1 - j, None, None]
    return out


def pooled(x: Vec[IMAGES, KERNELS, WIDE, WIDE]) -> Vec[IMAGES, KERNELS, WIDE // 2, WIDE // 2]:
    return x.reshape(IMAGES, KERNELS, WIDE // 2, 2, WIDE // 2, 2).max(axis=(3, 5))


@fn
def log_chances(net: Net, images: Vec[IMAGES, SIDE, SIDE]) -> Vec[IMAGES, CLASSES]:
    seen = pooled(convolved(images, net.kernels) + net.heights[:, None, None])
    scores = np.tanh(seen.reshape(IMAGES, -1)) @ net.weights + net.biases
    most = np.max(scores, axis=1, keepdims=True)
    return scores - most - np.log(np.sum(np.exp(scores - most), axis=1, keepdims=True))


@fn
def loss(net: Net, images: Vec[IMAGES, SIDE, SIDE], classes: Vec[IMAGES, CLASSES]) -> Real:
    size = np.sum(net.kernels**2) + np.sum(net.weights**2)
    return 0.01 * size - np.sum(log_chances(net, images) * classes)


rng = np.random.RandomState(0)
images = rng.rand(IMAGES, SIDE, SIDE)
classes = np.eye(CLASSES)[[0, 1, 2, 3, 0]]
start = Net(rng.randn(KERNELS, REACH, REACH), rng.randn(KERNELS), rng.randn(UNITS, CLASSES), rng.randn(CLASSES))

if __name__ == "__main__":
    slope = rose.grad(loss)(start, images, classes)
    print(f"loss: {loss(start, images, classes):.6f}, by the heights: {np.asarray(slope.heights).round(6)}")
