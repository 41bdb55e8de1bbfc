"""A transformer of one block that learns a text of nine letters: each letter, after those before it.

After GPT-2 as picoGPT writes it in NumPy.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

LETTERS, LENGTH, WIDTH, HEADS = 10, 8, 16, 4
TEXT = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])  # all but the last are read, all but the first are to be told


@rose.struct
class Transformer:
    letters: Vec[LETTERS, WIDTH]
    places: Vec[LENGTH, WIDTH]
    scales: Vec[2, WIDTH]  # of the two normalisations
    shifts: Vec[2, WIDTH]
    heads: Vec[WIDTH, 3 * WIDTH]  # queries, keys and values
    joined: Vec[WIDTH, WIDTH]
    widened: Vec[WIDTH, 4 * WIDTH]
    narrowed: Vec[4 * WIDTH, WIDTH]


def normalised(x: Vec[LENGTH, WIDTH], scale: Vec[WIDTH], shift: Vec[WIDTH]) -> Vec[LENGTH, WIDTH]:
    far = x - np.mean(x, axis=-1, keepdims=True)
    return far / np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5) * scale + shift


def softmax(x: Vec[LENGTH, LENGTH]) -> Vec[LENGTH, LENGTH]:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attended(x: Vec[LENGTH, WIDTH], heads: Vec[WIDTH, 3 * WIDTH]) -> Vec[LENGTH, WIDTH]:
    """What each letter hears, from those that are not after it."""
    split = np.reshape(x @ heads, (LENGTH, 3, HEADS, WIDTH // HEADS))
    queries, keys, values = np.moveaxis(split, 0, 2)
    later = np.triu(np.full((LENGTH, LENGTH), -1e10), 1)
    weights = softmax(queries @ keys.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS) + later)
    return np.reshape(np.moveaxis(weights @ values, 0, 1), (LENGTH, WIDTH))


def gelu(x: Vec[LENGTH, WIDTH]) -> Vec[LENGTH, WIDTH]:
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@fn
def scores(t: Transformer) -> Vec[LENGTH, LETTERS]:
    x = t.letters[TEXT[:-1]] + t.places
    x += attended(normalised(x, t.scales[0], t.shifts[0]), t.heads) @ t.joined
    x += gelu(normalised(x, t.scales[1], t.shifts[1]) @ t.widened) @ t.narrowed
    out: Vec[LENGTH, LETTERS] = x @ t.letters.T
    return out


@fn
def loss(t: Transformer) -> Real:
    chances = softmax(scores(t))[range(LENGTH), TEXT[1:]]
    out: Real = -np.log(chances).mean()
    return out


rng = np.random.RandomState(0)
start = Transformer(
    letters=0.3 * rng.randn(LETTERS, WIDTH),
    places=0.3 * rng.randn(LENGTH, WIDTH),
    scales=1 + 0.1 * rng.randn(2, WIDTH),
    shifts=0.1 * rng.randn(2, WIDTH),
    heads=0.3 * rng.randn(WIDTH, 3 * WIDTH),
    joined=0.3 * rng.randn(WIDTH, WIDTH),
    widened=0.3 * rng.randn(WIDTH, 4 * WIDTH),
    narrowed=0.3 * rng.randn(4 * WIDTH, WIDTH),
)

if __name__ == "__main__":
    slope = rose.grad(loss)(start)
    print(f"loss: {loss(start):.6f}, by the first letter: {np.asarray(slope.letters)[0, :3].round(6)}")
