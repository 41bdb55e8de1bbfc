"""Programs of any size: one module for all sizes has the bits of the interpreter at each, zero included."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from harness import bits
from random_programs import Program

import rose
from rose.frontend.any_size import AnySize
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.ir.types import Real

from .batch import Wrong
from .report import Report
from .small import LIMIT, Expr, Small, Var, Writer

SIZES = ((0, 0), (1, 1), (2, 3), (3, 1), (0, 2), (4, 2), (1, 0), (7, 2), (9, 5), (16, 1), (33, 2))
CHECKED = 4  # sizes of each batch


class OfAnySize(Writer):
    """Writes a program of two vectors of `n` numbers, a matrix of `m` rows of them, and a number."""

    def element(self, vars: Sequence[Var], vectors: Sequence[str], i: str, depth: int, limit: float = LIMIT) -> Expr:
        """A number made of the elements at an index, or near it."""
        at = [f"{v}[{i}]" for v in vectors] * 2 + [f"{v}[({i} + {1 + self.below(3)}) % n]" for v in vectors]
        return self.real([*vars, *[Var(k, Real, LIMIT) for k in at]], depth, limit)

    def total(self, vars: Sequence[Var], vectors: Sequence[str], i: str) -> str:
        """A sum over all elements, of which a factor is the same in each."""
        e, same = self.element(vars, vectors, i, 1, 2.0), self.real(vars, 2, 2.0)
        return f"rose.sum(({e.text}) * ({same.text}) for {i} in rose.range(n)) * 0.03125"

    def statement(self, vars: list[Var], vectors: list[str]) -> None:
        kind, i, j, t = self.below(len(OVER)), self.name("i"), self.name("i"), self.name("t")
        self.tags.append("any size: " + OVER[kind])
        if kind == 0:
            self.write(1, f"{t} = rose.vec({self.element(vars, vectors, i, 2).text} for {i} in rose.range(n))")
            vectors.append(t)
            return
        if kind == 1:
            e = self.element(vars, vectors, i, 2)
            self.write(1, f"{t} = rose.sum({e.text} for {i} in rose.range(n)) * 0.125")
        elif kind == 2:
            s = self.name("s")
            e = self.element([*vars, Var(s, Real, 2.0)], vectors, i, 2, 2.0)
            self.write(1, f"{t} = rose.scan(lambda {i}, {s}: {e.text}, {self.real(vars, 1, 2.0).text}, n)")
        elif kind == 3:
            self.write(1, f"{t} = rose.dot({self.pick(vectors)}, {self.pick(vectors)}) * 0.125")
        elif kind == 4:
            e = self.element([*vars, Var(f"a[{j}][{i}]", Real, 2.0)], vectors, i, 2)
            inner = f"rose.sum({e.text} for {i} in rose.range(n))"
            self.write(1, f"{t} = rose.sum({inner} * w[{j}] for {j} in rose.range(m)) * 0.125")
        elif kind == 5:
            self.write(1, f"{t} = rose.norm(rose.matmul(a, {self.pick(vectors)}))")
        elif kind == 6:
            total, other = self.total(vars, vectors, i), self.real(vars, 1, 2.0).text
            self.write(1, f"{t} = rose.cond({self.real(vars, 1).text} > 0.0, lambda: {total}, lambda: {other})")
        elif kind == 7:
            s = self.name("s")
            total = self.total([*vars, Var(f"{s}[0]", Real, 2.0)], vectors, i)
            turn, start = f"lambda {s}: ({total}, {s}[1] + 1.0)", self.real(vars, 1, 2.0).text
            self.write(1, f"{t} = rose.while_loop(lambda {s}: {s}[1] < 2.0, {turn}, ({start}, 0.0))[0]")
        else:
            acc = self.name("acc")
            self.write(1, f"{acc} = rose.accum(rose.vec({self.pick(vectors)}[{i}] for {i} in rose.range(n)))")
            self.write(1, f"for {j} in rose.range(n):")
            self.write(2, f"{acc}[({j} * 2 + 1) % n] += {self.element(vars, vectors, j, 2).text}")
            self.write(1, f"{t} = {acc}.value")
            vectors.append(t)
            return
        vars.append(Var(t, Real, LIMIT))

    def program(self) -> Small:
        vars, vectors = [Var("z", Real, 2.0)], ["x", "y"]
        self.lines += ['n, m = rose.dim("n"), rose.dim("m")']
        self.lines += ["@rose.fn([Vec[n], Vec[n], Vec[m], Vec[m, Vec[n]], Real], Real)", "def main(x, y, w, a, z):"]
        for _ in range(1 + self.below(3)):
            self.statement(vars, vectors)
        total = f"rose.sum({self.element(vars, vectors, 'i', 1).text} for i in rose.range(n))"
        rows = f"rose.sum(w[j] * {vars[-1].name} for j in rose.range(m))"
        self.write(1, f"return {total} + {self.real(vars, 1).text} + {rows}")
        return Small("\n".join(self.lines) + "\n", (), Real, (), Counter(self.tags))


OVER = ("vec", "sum", "scan", "dot", "sum in a sum", "matmul", "cond", "while", "accum, scattered")


def of_any_size(seed: int) -> Small:
    """The program of any size of this number."""
    return OfAnySize(seed).program()


def arguments(r: random.Random, n: int, m: int) -> list[Any]:
    number = lambda: r.uniform(-2.0, 2.0)
    vector = lambda: [number() for _ in range(n)]
    return [vector(), vector(), [number() for _ in range(m)], [vector() for _ in range(m)], number()]


def check_any_size(seeds: Sequence[int]) -> Report:
    """These programs and their gradients in one module, in turn with SIMD and without, at some sizes.

    Of one in four also a gradient of a derivative.
    """
    report = Report(programs=len(seeds))
    made: dict[int, AnySize] = {}
    for seed in seeds:
        p = of_any_size(seed)
        report.features.update(p.tags.keys())
        made[seed] = p.run()["main"]
    turn = seeds[0] // len(seeds)
    sizes = [SIZES[(turn * CHECKED + k) % len(SIZES)] for k in range(CHECKED)]
    for seed, e in differing(made, sizes, simd=turn % 2 == 1):
        report.failed(seed, e)
    law = "dynamic simd module = interpreter" if turn % 2 else "dynamic module = interpreter"
    report.laws[law] = len(seeds) - len({f["seed"] for f in report.failures})
    return report


def differing(made: dict[int, AnySize], sizes: Sequence[tuple[int, int]], simd: bool) -> list[tuple[int, Exception]]:
    """What differs from the interpreter, by seed; of a module that cannot be made, each program alone."""
    named = {f"f_{seed}": f for seed, f in made.items()}
    named |= {f"g_{seed}": rose.value_and_grad(f, argnums=(0, 1, 2, 3, 4)) for seed, f in made.items()}
    named |= {f"h_{seed}": rose.grad(rose.grad(f, 4), (0, 4)) for seed, f in made.items() if seed % 4 == 0}
    try:
        module = rose.compile(named, dynamic=True, simd=simd)
    except Exception as e:
        if len(made) == 1:
            return [(next(iter(made)), e)]
        return [bad for seed, f in made.items() for bad in differing({seed: f}, sizes, simd)]
    bad: list[tuple[int, Exception]] = []
    for name, f in named.items():
        seed = int(name.partition("_")[2])
        try:
            for n, m in sizes:
                args = arguments(random.Random(seed + n), n, m)
                one = f.at(n=n, m=m)
                got, want = plain(module[name](*args), one.result), run(one.func, *args)
                if unsigned(got) != unsigned(want) if 0 in (n, m) else bits(got) != bits(want):
                    raise Wrong(f"dynamic{' simd' * simd} module = interpreter, n = {n}, m = {m}", got, want)
        except Exception as e:
            bad.append((seed, e))
    return bad


def unsigned(x: Any) -> Any:
    """The bits of a value in which zeros have no sign: of adding up nothing it is not told."""
    return tuple([unsigned(y) for y in x]) if isinstance(x, tuple) else bits(x + 0.0 if x else 0.0)


def law_of_any_size(p: Program, seed: int) -> None:
    """One program at all sizes, with SIMD and without."""
    for simd in (False, True):
        for _, e in differing({seed: p.run()["main"]}, SIZES, simd):
            raise e
