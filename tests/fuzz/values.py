"""`python -m tests.fuzz.values`: the values of many programs, and of derivatives, after each step of the compiler.

The programs are calls of the library, twice and three times in a program; layers; functionals; those of `examples/` and
of GradBench. Each is differentiated by the modes of a word, one of another, to order 3, with tangents and cotangents as
parameters, and compiled under a `Witness` of `rose/optimise/values.py`. What is long is left out, and counted.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

from paths import ROOT

import rose
from benchmarks.gradbench import programs as gradbench
from rose.errors import RoseError
from rose.frontend.any_size import AnySize, fixed
from rose.frontend.function import Fn, Opaque
from rose.ir.callgraph import instructions, reachable
from rose.ir.types import Ref
from rose.optimise.values import Witness, watching

from .library import CALLS, TYPES, OfLibrary, derivative, text_of
from .small import Small

AnyFn = Fn[..., Any]
WORDS = ["", *["".join(w) for k in (1, 2, 3) for w in itertools.product("jv", repeat=k)]]
LAYERS = (
    "nn.conv1d(x, k)", "nn.conv1d(x, k, stride=2, padding='same')", "nn.conv_transpose(x, k)", "nn.max_pool(x, 2)",
    "nn.avg_pool(x, 2)", "nn.upsample(x, 2)", "nn.attention(v, v, 0.5 * v)", "nn.batch_norm(x)", "nn.layer_norm(v)",
    "nn.log_softmax(v)", "nn.cross_entropy(v, np.eye(2)[[0, 1, 1, 0]])", "nn.gelu(v)", "nn.softmax(v) * nn.silu(v)",
    "nn.dense(v, k[0], v[0])", "nn.dawsn(v) + nn.softsign(v)", "nn.conv2d(x[:, :, :, None], k[:, :, None])",
    "nn.conv3d(x[None, ..., None], k[:2, ..., None, None])", "nn.dropout(v, 0.5, rose.random.key(3))",
    "nn.embedding(v, [3, 0])", "nn.gru(x, WIDE[:2, :6], WIDE[:2, :6] * z).outputs",
    "nn.lstm(x, WIDE[:2], WIDE[:2] * z).outputs", "nn.pad(v, 1, 'reflect')",
    "nn.relu(v) + nn.sigmoid(v) + nn.softplus(v) + nn.tanh(v)", "nn.linear(v, k[0], v[0])", "nn.group_norm(x, 2)",
    "nn.rms_norm(v) + nn.elu(v) + nn.leaky_relu(v)", "nn.mse(v, v * z)", "nn.binary_cross_entropy(v, 0.5 * v)",
    "nn.one_hot([1, 0, 1, 1], 2) * v", "nn.multi_head_attention(v, v, v, 2, k[0], k[1], k[2], k[0])",
)  # fmt: skip
FUNCTIONALS = (
    "F.nabla(f)(z)", "F.compose(f, f)(z)", "(f * f + f)(z)", "F.nabla(F.nabla(f))(z)", "F.nabla(f(f) * f)(z)",
    "F.linearize(f)(z, v[0][0])", "F.integrate(f * f, GRID) * z",
    "F.add(f, f)(z)", "F.braket(f, F.nabla(f), GRID) * z", "F.broadcast_arg(f, g, 1)(z, z)", "F.invoke(f, z)",
    "F.constant(2.0, [Real])(z) * z", "F.linear_transpose(F.partial(g, [z], 0))(z)",
    "F.permute_args(g, (1, 0))(z, z * z)", "F.pointwise(rose.sin, f)(z)",
    "F.split(F.zip_functions(f, F.nabla(f)))[1](z)", "rose.grad(energy)(f)(z)", "rose.grad(bend)(f)(z)",
)  # fmt: skip
LAYER = "import numpy as np\nfrom rose import nn\nfrom rose import functional as F\n" + (
    "f = rose.fn([Real], Real)(lambda x: rose.sin(x) + x * x)\n"
    "g = rose.fn([Real, Real], Real)(lambda x, y: rose.exp(x) * y)\n"
    "GRID = F.Grid([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])\n"
    "@F.functional\ndef energy(h: F.Map[Real, Real]) -> Real:\n    return F.integrate(h**3 + h * f, GRID)\n"
    "@F.functional\ndef bend(h: F.Map[Real, Real]) -> Real:\n    return F.integrate(F.nabla(h) ** 2 * h, GRID)\n"
    "WIDE = np.sin(np.arange(16.0)).reshape(2, 8)\n"
    "def main(x, k, v, z):\n    return {1}(({0}) * ({0}) + {0})\n"
    "main = rose.fn([Vec[2, 5, 2], Vec[3, 2, 2], Vec[4, 2], Real], Real)(main)\n"
)
EAGER = ("falling",)  # the function of an example that is only called in eager mode
GRADBENCH = {
    "gmm": (2, 2, 3, 0, 1.0), "lstm": (2, 2, 3), "ode": (3, 2), "kmeans": (2, 4, 2), "lse": (4,), "det": (3,),
    "llsq": (3, 4), "hello": (), "ba": (1, 2, 2),
}  # fmt: skip


def sources() -> Iterator[tuple[str, str]]:
    """The calls of the library, layers and functionals, as programs in text."""
    for number, (kind, text) in enumerate([(k, text) for k, texts in CALLS.items() for text in texts]):
        writer, known = OfLibrary(number), {"m": ["a"], "v": ["x"], "z": ["z"]}
        again = writer.call(text, known)
        yield text, text_of(2 + number % 2, TYPES[kind], [f"return {again} + {again} * {writer.call(text, known)}"])
    yield from [(text, LAYER.format(text, "np.sum")) for text in LAYERS]
    yield from [(text, LAYER.format(text, "")) for text in FUNCTIONALS]


def of_gradbench(name: str) -> dict[str, AnyFn]:
    """The functions that a program of GradBench compiles, at small sizes."""
    made: dict[str, AnyFn] = {}

    def instead(fs: dict[str, AnyFn], simd: bool = False, **sizes: int) -> None:
        made.update(fixed(fs, sizes))

    whole, rose.compile = rose.compile, instead  # pyright: ignore
    try:
        importlib.import_module(f"{gradbench.__name__}.{name}").compiled.__wrapped__(*GRADBENCH[name])
    finally:
        rose.compile = whole
    return made


def of_example(path: Path) -> dict[str, AnyFn]:
    """The functions that an example defines."""
    module = importlib.import_module(path.stem)
    found = {k: f for k, f in vars(module).items() if isinstance(f, Fn) and not isinstance(f, (Opaque, AnySize))}
    return {k: f for k, f in found.items() if f.__module__ == path.stem and k not in EAGER and not _refers(f)}


def _refers(f: AnyFn) -> bool:
    return any(isinstance(t, Ref) for t in f.types)


def families() -> dict[str, Callable[[], dict[str, AnyFn]]]:
    """What makes the functions of each program, by its name."""
    main = lambda text: {"main": Small(text, (), rose.Real, (), Counter()).run()["main"]}
    of: dict[str, Callable[[], dict[str, AnyFn]]] = {name: partial(main, text) for name, text in sources()}
    of |= {f"gradbench: {name}": partial(of_gradbench, name) for name in GRADBENCH}
    paths = sorted((ROOT / "examples").glob("*.py"))
    return of | {f"examples: {path.stem}": partial(of_example, path) for path in paths}


class Sum:
    """What was compared, in all programs."""

    def __init__(self, longest: int) -> None:
        self.longest = longest  # instructions of a function that is compiled
        self.programs, self.steps, self.left = Counter[str](), Counter[str](), Counter[str]()
        self.numbers = self.nans = 0
        self.failures: list[str] = []

    def check(self, name: str, f: AnyFn, word: str) -> None:
        """Compile the derivative of a function under a witness; of one that is too long, nothing."""
        try:
            with watching() as w:
                g = derivative(f, word)
                length = sum([1 for h in reachable(g.func) for _ in instructions(h.body)])
                if length <= self.longest:
                    rose.compile(g)
                self.left["derivatives that are too long"] += length > self.longest
                self.programs["value" if not word else f"order {len(word)}"] += length <= self.longest
                self.add(w)
        except Exception as e:
            if word and isinstance(e, RoseError):
                self.left[f"without such a derivative: {type(e).__name__}"] += 1
            else:  # and a program that is wrong itself
                self.failures.append(f"{name} {f.name} {word}: {type(e).__name__} {str(e)[:2000]}")

    def add(self, w: Witness) -> None:
        self.steps += w.steps
        self.left += Counter({f"functions that {k}": n for k, n in w.skipped.items()})
        self.numbers, self.nans = self.numbers + w.numbers, self.nans + w.nans

    def __str__(self) -> str:
        rows = [("programs", self.programs), ("functions kept by", self.steps), ("not compared", self.left)]
        told = [f"| {what} | {', '.join([f'{k}: {n:,}' for k, n in sorted(of.items()) if n])} |" for what, of in rows]
        return "\n".join([*told, f"| bits | {64 * self.numbers:,}, and {self.nans:,} numbers that were nan |"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.values", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the processor (60)")
    parser.add_argument("--longest", type=int, default=10_000, help="instructions of a derivative (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the order of the programs (0)")
    given = parser.parse_args()
    os.nice(10)
    of = families()
    todo = [(name, word) for name in of for word in WORDS]
    random.Random(given.seed).shuffle(todo)
    total, made, done = Sum(given.longest), dict[str, dict[str, AnyFn]](), 0
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        for name, word in todo:
            if time.process_time() > given.seconds:
                break
            if name not in made:
                with redirect_stdout(None):  # what an example prints
                    made[name] = of[name]()
            for f in made[name].values():
                total.check(name, f, word)
            done += 1
    print(f"| derivatives of programs | {done:,} of {len(todo):,}, {len(made)} of {len(of)} programs |")
    print(f"{total}\n| CPU | {time.process_time():.0f} s |")
    print("\n".join(total.failures))
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "examples")]
    sys.exit(main())
