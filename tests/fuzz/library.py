"""Programs of calls of library functions that have derivative rules of their own, twice and three times in one program.

What is differentiated is not written by the program: rules, factors that are shared, loops of unknown length. So the
derivatives are long, are cut into pieces, and are derived again. The cotangents are parameters, as in other people's
tests. The law: of each such derivative the module, the interpreter and `rose.eager` have the same bits.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from harness import bits
from random_programs import Program

import rose
from rose.differentiation.gradients import jvp, pullback
from rose.frontend.function import Fn
from rose.host.interpreter import run
from rose.host.marshal import plain, present
from rose.ir.types import Bool, Fin, Real, Tuple, Type, Unit, Vec

from .batch import Wrong
from .report import Report
from .small import Small, Writer

# By the kind of the result: a matrix, a vector, a number. Arguments: {w} a matrix that can be inverted, {s} a symmetric
# and positive definite one, {m} any; {v} a vector, {z} a number.
CALLS = {
    "m": (
        "linalg.inv({w})", "linalg.solve({w}, {m})", "linalg.cholesky({s})", "linalg.expm({m})", "linalg.sqrtm({s})",
        "linalg.logm({s})", "linalg.pinv({w})", "linalg.matrix_power({m}, 3)", "linalg.qr({w}).Q", "linalg.qr({w}).R",
        "linalg.lq({w}).L", "linalg.lu({w}).U", "linalg.lu({w}).L", "linalg.svd({w}).Vh",
        "linalg.eigh({s}).eigenvectors", "linalg.eig({w}).eigenvectors.real", "linalg.schur(B).T * {z}",
        "linalg.hessenberg(B) * {z}",
        "linalg.solve_continuous_are({m}, {w}, {s}, {s})", "linalg.solve_discrete_are({m}, {w}, {s}, {s})",
        "linalg.solve_continuous_lyapunov({w}, {s})", "linalg.solve_discrete_lyapunov(0.1 * {m}, {s})",
        "linalg.solve_sylvester({w}, {w}, {m})", "linalg.solve_triangular({w}, {m}, lower=True)",
        "linalg.cho_solve((linalg.cholesky({s}), True), {m})", "linalg.toeplitz({v})",
        "linalg.block_diag({z}, {m})[1:, 1:]", "linalg.solve_lyapunov({w}, {s})",
        "fft.fft2({m}).real", "fft.ifft2({m}).imag", "fft.fftn({m}).imag", "fft.ifftn({m}, norm='ortho').real",
        "fft.rfft2({m}, (n, 2 * n - 1)).real", "fft.rfftn({m}, (n, 2 * n - 1)).imag", "fft.irfft2({m}, (n, n))",
        "fft.irfftn({m}, (n, n))", "fft.fftshift({m})", "fft.ifftshift({m}, 0)", "fft.fftconvolve({m}, {m}, 'same')",
        "fft.dct({m}, 3, axis=0)", "fft.idct({m}, norm='ortho')", "fft.dst({m})", "fft.idst({m}, 4, axis=0)",
        "linalg.multi_dot([{w}, {m}, {m}])", "linalg.polar({w})[0]", "linalg.tensorinv({w}, 1)",
    ),
    "v": (
        "linalg.solve({w}, {v})", "linalg.linsolve({w}, {v})", "linalg.cholesky_solve({s}, {v})", "linalg.svdvals({w})",
        "linalg.eigvalsh({s})", "linalg.eigvals({s}).real", "linalg.solve_triangular({w}, {v})",
        "linalg.cg({s}, {v}).x", "linalg.gmres({w}, {v}).x", "linalg.lstsq({w}, {v})[0]",
        "linalg.solve_toeplitz(toeplitz({v}), {v})",
        "linalg.solve_banded((1, 1), np.stack([{v}, 4.0 + {v} ** 2, {v}]), {v})",
        "linalg.solve_tridiagonal({v}[1:], 4.0 + {v} ** 2, {v}[:-1], {v})",
        "implicit.linear_solve(stiff)({v}, {v}, {z})", "implicit.root(corner)({v}, {v})",
        "implicit.ode(field, 0.0, 0.5, {v}, {z}, rtol=1e-3, atol=1e-3)", "random.normal(random.key(7), (n,)) * {v}",
        "np.where(random.bernoulli(random.split(key)[0], 0.5, (n,)), {v}, {z})",
        "({v})[random.permutation(random.fold_in(key, 3), n)]", "({v})[random.integers(key, n, (n,))]",
        "linalg.tensorsolve({w}, {v})", "fft.fft({v}).imag", "fft.ifft({v}).real", "fft.rfft({v}, 2 * n - 1).imag",
        "fft.irfft({v}, n)", "fft.hfft({v}, n)", "fft.ihfft({v}, 2 * n - 1).real", "fft.fftfreq(n, {z}) * {v}",
        "fft.rfftfreq(2 * n - 1) * {v}",
    ),
    "z": (
        "linalg.det({w})", "linalg.logdet({s})", "linalg.slogdet({w})[1]", "linalg.norm({m})", "linalg.norm({v})",
        "linalg.vector_norm({v})", "linalg.matrix_norm({m})", "linalg.matrix_rank({w}) * {z}",
        "linalg.cond({w})", "implicit.root(cubic)(0.5, {z})", "implicit.fixed_point(nearer)(0.5, {z})",
        "implicit.argmin(bowl)(0.5, {z})", "implicit.quadrature(wave, 0.0, {z}, {z})",
        "random.gamma(random.key(3), 0.5 + {z} ** 2)", "random.uniform(random.key(5)) * {z}",
        "({v})[random.categorical(key, {v})]", "implicit.event(drop, level, 0.0, 4.0, 1.0 + {z} ** 2, max_steps=200).t",
    ),
}  # fmt: skip
PRELUDE = """import numpy as np
from rose import fft, implicit, linalg, random

n = {n}
toeplitz = lambda v: np.concatenate([4.0 * n + v[:1] ** 2, 0.5 * v[1:]])
cubic = rose.fn([Real, Real], Real)(lambda x, p: x**3 + x - p)
nearer = rose.fn([Real, Real], Real)(lambda x, p: 0.5 * rose.cos(x) + 0.25 * p)
bowl = rose.fn([Real, Real], Real)(lambda x, p: (x - p) ** 2 + 0.1 * x**4)
wave = rose.fn([Real, Real], Real)(lambda t, p: rose.sin(t * p) + t)
stiff = rose.fn([Vec[n], Vec[n], Real], Vec[n])(lambda x, d, p: (3.0 + d**2 + p**2) * x + 0.1 * np.sum(x))
corner = rose.fn([Vec[n], Vec[n]], Vec[n])(lambda x, p: x**3 + x - p + 0.1 * np.sum(x))
field = rose.fn([Real, Vec[n], Real], Vec[n])(lambda t, y, p: p * rose.sin(t) - y)
drop = rose.fn([Real, Real], Real)(lambda t, y: -y)
level = rose.fn([Real, Real], Real)(lambda t, y: y - 0.5)
key = random.key(11)
B = np.sin(np.arange(n * n)).reshape(n, n) + 3.0 * np.eye(n)
"""
TYPES = {"m": "Vec[n, n]", "v": "Vec[n]", "z": "Real"}
WORDS = ("vv",) * 6 + ("v", "j", "vj", "jv")  # each letter a mode, the first the innermost


class OfLibrary(Writer):
    """Writes a program of a matrix, a vector and a number."""

    def argument(self, kind: str, known: dict[str, list[str]]) -> str:
        """A value of a kind, made of what is known."""
        if kind in known:
            x = self.pick(known[kind])
            return f"{x} * {self.pick(known['z'])}" if self.chance(0.2) else x
        m = self.pick(known["m"])
        if kind == "s":
            return f"({m} @ {m}.T + np.eye(n))"
        return self.pick((f"({m} + {2 + 2 * self.below(2)}.0 * n * np.eye(n))", f"(np.tril({m}) + B)"))

    def call(self, text: str, known: dict[str, list[str]]) -> str:
        return text.format(**{k: self.argument(k, known) for k in "mvzws" if f"{{{k}}}" in text})

    def program(self) -> Small:
        n, known = 1 + self.below(5), {"m": ["a"], "v": ["x"], "z": ["z"]}
        kinds, words = [self.pick("mmvz") for _ in range(1 + self.chance(0.4))], self.pick(WORDS)
        for kind in kinds:
            text = self.pick(CALLS[kind])
            self.tags.append(text.partition("(")[0])
            again = self.call(text, known) if self.chance(0.5) else None  # the same arguments in each call
            t = self.name("t")
            calls = [again or self.call(text, known) for _ in range(2 + self.below(2))]
            self.write(0, f"{t} = {self.pick((' + ', ' - ')).join(calls)}")
            known[kind].append(t)
        self.write(0, f"return {t}")
        self.tags += [words, f"n = {n}"]
        text = text_of(n, TYPES[kinds[-1]], self.lines) + f"word = {words!r}\n"
        return Small(text, (), Real, (), Counter(self.tags))


def text_of(n: int, result: str, lines: Sequence[str]) -> str:
    """The text of a program with this size, type of the result, and lines of `main`."""
    head = [f"@rose.fn([Vec[n, n], Vec[n], Real], {result})", "def main(a, x, z):"]
    return "\n".join([PRELUDE.format(n=n), *head, *[f"    {line}" for line in lines], ""])


def of_library(seed: int) -> Small:
    """The program of library calls of this number."""
    return OfLibrary(seed).program()


def derivative(f: Fn[..., Any], word: str) -> Fn[..., Any]:
    """The derivative of `f` by these modes, one of another, whose tangents and cotangents are parameters."""
    for mode in word:
        f = (jvp if mode == "j" else pullback)(f)
    return f


def drawn(t: Type, rng: random.Random) -> Any:
    if isinstance(t, Vec):
        return tuple([drawn(t.elem, rng) for _ in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([drawn(s, rng) for s in t.items])
    if t is Unit:
        return None
    return rng.randrange(t.size) if isinstance(t, Fin) else rng.random() < 0.5 if t is Bool else rng.gauss(0.0, 0.5)


def law_of_library(p: Program, seed: int, points: int = 2) -> None:
    """The module, the interpreter and what runs at once have the same bits."""
    scope = p.run()
    f, rng = derivative(scope["main"], scope["word"]), random.Random(seed)
    module = rose.compile(f)
    for k in range(points):
        xs = [drawn(t, rng) for t in f.types]
        want = run(f.func, *xs)
        got = plain(module(*[present(x, t) for x, t in zip(xs, f.types, strict=True)]), f.result)
        if bits(got) != bits(want):
            raise Wrong(f"library: module = interpreter, {scope['word']}, point {k}", got, want)
    with rose.eager():
        at_once = plain(f(*[present(x, t) for x, t in zip(xs, f.types, strict=True)]), f.result)
    if bits(at_once) != bits(want):
        raise Wrong(f"library: at once = interpreter, {scope['word']}", at_once, want)


def check_library(seeds: Sequence[int]) -> Report:
    """These programs, each alone."""
    report = Report(programs=len(seeds))
    for seed in seeds:
        p = of_library(seed)
        report.features.update(p.tags.keys())
        try:
            law_of_library(p, seed)
            report.laws["library: module = interpreter"] += 1
        except Exception as e:
            report.failed(seed, e)
    return report
