"""The laws of small programs, hundreds of which are checked in one module: so an engine starts once for many.

A program is traced and differentiated, and what the interpreter gives is noted, before the module is made (`Case`);
then the module has to give the same bits, of the value and of each derivative, at ordinary, tied and hostile points.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import mpmath
from costs import Cost, cost, numbers
from harness import Module, reals, same
from operations import Num, number
from precise_numbers import DIGITS, Both, lifted
from random_programs import Program
from second_semantics import Function, Meaning, along, map_reals, untraced

import rose
from rose.host.interpreter import run
from rose.host.marshal import plain, present
from rose.ir import Func
from rose.ir.text.printer import show
from rose.ir.types import Real, Type
from rose.optimise.pipeline import optimised
from rose.optimise.single_precision import to_single

from .derivatives import WAYS, AnyFn, direction, flat, steps
from .report import Report
from .small import small

SECOND = ("jj", "jv", "vj", "vv", "lv", "vl", "gj", "jl")
THIRD = ("vvv", "vvj", "vjv", "jvv", "vjj", "jvj", "jjv", "jjj", "lvv", "vlj")
CLOSE = 1e-10
# Of programs with little in them: operations of a gradient for each of the value, and gradients in a product of the
# Hessian with a vector. Three come for each number of the input, and a few for all. See `tests/laws/test_cost.py`.
GRADIENT, HVP = 8, 3


class Wrong(AssertionError):
    """A law that does not hold, by its name."""

    def __init__(self, law: str, got: Any, wanted: Any) -> None:
        super().__init__(f"{law}: {got!r}, and not {wanted!r}")
        self.law = law


class Call(NamedTuple):
    """A function of a case, its arguments and what it gives in the interpreter."""

    name: str
    args: tuple[Any, ...]
    wanted: Any


class Case:
    """A program with what is derived from it, as functions of the IR, and calls of them."""

    def __init__(self, p: Program, seed: int, counts: Counter[str]) -> None:
        self.p, self.seed, self.counts = p, seed, counts
        self.random = random.Random(seed)
        self.main: AnyFn = p.run()["main"]
        self.meaning: Function = p.run(Meaning)["main"]
        self.real = tuple([k for k, t in enumerate(p.types) if t.real])
        self.exact = not any(["closure" in tag for tag in p.tags])  # else the meaning has another rounding
        self.funcs: dict[str, Func] = {"g": rose.value_and_grad(self.main, argnums=self.real).func}
        if seed % 8 == 0:
            self.funcs["f"] = self.main.func
        self.calls = [Call(name, xs, run(f, *xs)) for xs in p.args for name, f in self.funcs.items()]
        self.value()
        self.slope(p.args[0])
        share = self.random.random()
        if share < 0.2:
            self.slope(p.args[1])
        elif share > 0.98:
            self.higher(self.random.choice(THIRD))
        elif share > 0.91:
            self.higher(self.random.choice(SECOND))
        elif share > 0.86:
            self.higher(self.random.choice("jl"))
        elif share > 0.82:
            self.eager()
        elif share > 0.8:
            self.text()

    def held(self, law: str) -> None:
        self.counts[law] += 1

    def value(self) -> None:
        xs = self.p.args[0]
        wanted, got = untraced(self.meaning(*xs), Real), self.calls[0].wanted[0]
        if self.exact:
            agree("value = meaning", same(got, wanted), got, wanted)
        elif not near(got, wanted):
            self.decide("value = meaning", got, lambda lift: self.meaning(*lift_reals(lift, xs, self.p.types)))
        self.held("value = meaning")
        if "f" in self.funcs:
            for k in range(0, len(self.calls), 2):
                both = self.calls[k].wanted[0], self.calls[k + 1].wanted
                agree("value of value_and_grad = value", same(*both), *both)
            self.held("value of value_and_grad = value")

    def slope(self, xs: Sequence[Any]) -> None:
        """The gradient along a direction is the derivative along it."""
        types = self.p.types
        found = [reals(g, types[k]) for g, k in zip(self.call("g", xs)[1], self.real, strict=True)]
        grads = [x for xs in found for x in xs]
        it = iter(direction(1, len(grads)))
        ds = [map_reals(lambda _: next(it), t, x) if t.real else x for x, t in zip(xs, types, strict=True)]
        terms = [g * d for g, d in zip(grads, direction(1, len(grads)), strict=True)]
        got, scale = sum(terms), sum(map(abs, terms))
        wanted = number(along(self.meaning, xs, ds)[1])
        if not near(got, wanted, scale):
            exact = lambda lift: along(self.meaning, lift_reals(lift, xs, types), ds)[1]
            self.decide("gradient = meaning", got, exact, scale)
        self.held("gradient = meaning")

    def call(self, name: str, xs: Any) -> Any:
        return next(c.wanted for c in self.calls if c.name == name and c.args is xs)

    def higher(self, order: str) -> None:
        """A derivative along fixed directions, by one of the ways to compose forward and reverse mode."""
        p, xs = self.p, self.p.args[0]
        point = [y for a, t in zip(xs, p.types, strict=True) for y in reals(a, t)]
        n = len(point)
        f, meant = flat(self.main, rose, p, n), flat(self.meaning, Meaning, p, n)
        for k, way in enumerate(order, 1):
            f, meant = WAYS[way](f, direction(k, n)), steps(meant, direction(k, n))
        self.funcs[order] = f.func
        self.calls.append(Call(order, (tuple(point),), run(f.func, tuple(point))))
        got, wanted = self.calls[-1].wanted, number(meant([Num(x) for x in point]))
        if not near(got, wanted):
            self.decide(f"order {len(order)} = meaning", got, lambda lift: meant([Num(lift(x)) for x in point]))
        self.held(f"order {len(order)} = meaning")

    def decide(self, law: str, got: float, exact: Any, scale: float = 0.0) -> None:
        """Whether a number that differs from that of the second semantics is further from the truth."""
        self.counts["decided with 50 digits"] += 1
        with mpmath.workdps(DIGITS):
            made = exact(lifted)
            while isinstance(made, Num):
                made = made.re
            if not isinstance(made, Both):
                made = Both(float(made), mpmath.mpf(float(made)))
            if not mpmath.isfinite(made.high):
                self.counts["no number to compare with"] += 1
                return
            error, theirs = abs(got - made.high), abs(made.low - made.high)
            small = CLOSE * (1.0 + scale + abs(made.high))
            agree(law, error <= small or error <= 1000 * theirs, got, float(made.high))

    def eager(self) -> None:
        """What runs at once, in Python, has the bits of the interpreter."""
        for xs in self.p.args:
            with rose.eager():
                given = [present(x, t) for x, t in zip(xs, self.p.types, strict=True)]
                got = plain(self.main(*given), Real)
            wanted = self.call("g", xs)[0]
            agree("eager = interpreter", same(got, wanted), got, wanted)
        self.held("eager = interpreter")

    def text(self) -> None:
        """What is printed is parsed to what was printed."""
        for f in self.funcs.values():
            text = show(f)
            again = show(list(rose.parse(text).values())[-1].func)
            agree("parse of the text = the function", again == text, again, text)
        self.held("parse of the text = the function")

    def operations(self) -> tuple[int, int]:
        """What the value costs, and the value with its gradient, as compiled. Before that they keep the law of cost."""
        fast = optimised({"g": self.funcs["g"], "f": self.main.func})
        tally, wanted = {k: Cost() for k in fast}, self.call("g", self.p.args[0])
        for k, f in fast.items():
            got = run(f, *self.p.args[0], watch=tally[k])
            wanted = wanted if k == "g" else wanted[0]
            agree("optimised = not optimised, in the interpreter", same(got, wanted), got, wanted)
        self.held("optimised = not optimised, in the interpreter")
        xs = self.p.args[0]
        value, gradient = [cost(f, *xs) for f in (self.main.func, self.funcs["g"])]
        self.costs("a gradient costs a constant times its value", gradient, GRADIENT * value)
        k = self.real[0]
        product = cost(rose.hvp(self.main, k).func, *xs, xs[k])
        self.costs("a product with the Hessian costs a constant times its gradient", product, HVP * gradient)
        return tally["f"].count, tally["g"].count

    def costs(self, law: str, count: int, most: int) -> None:
        most += 3 * sum(map(numbers, self.p.types)) + 8
        agree(law, count <= most, count, most)
        self.held(law)


def agree(law: str, holds: Any, got: Any, wanted: Any) -> None:
    if not holds:
        raise Wrong(law, got, wanted)


def near(x: float, y: float, scale: float = 0.0) -> bool:
    return abs(x - y) <= CLOSE * (1.0 + scale + abs(y)) or (x != x and y != y)


def lift_reals(lift: Any, xs: Sequence[Any], types: Sequence[Type]) -> list[Any]:
    return [map_reals(lambda x: Num(lift(x)), t, x) if t.real else x for x, t in zip(xs, types, strict=True)]


# modules


KINDS = ("f64", "simd", "f32", "simd f32")


def compare(cases: Sequence[Case], kind: str = "f64") -> Iterator[tuple[Case, Exception]]:
    """All functions of these cases in one module, and their calls: what differs from the interpreter."""
    funcs, singles = dict[str, Func](), dict[str, Func]()
    for c in cases:
        own = {f"{name}_{c.seed}": to_single(f) if "f32" in kind else f for name, f in c.funcs.items()}
        singles |= own
        funcs |= optimised(own, simd="simd" in kind)
    module = Module(funcs, single="f32" in kind, simd="simd" in kind)
    for c in cases:
        try:
            compare_one(c, module, kind, singles)
        except Exception as e:
            yield c, e


def compare_one(c: Case, module: Module, kind: str, singles: dict[str, Func]) -> None:
    law = f"{kind} module = interpreter"
    for name, args, wanted in c.calls:
        key = f"{name}_{c.seed}"
        if "f32" in kind:
            params = [q.type for q in singles[key].params]
            args = [plain(fitting(x), t) for x, t in zip(args, params, strict=True)]
            wanted = run(singles[key], *args)
        got = module[key](*args)
        agree(law, same(got, wanted), got, wanted)
    c.held(law)


def fitting(x: Any) -> Any:
    """A plain value without numbers that are too large for single precision."""
    if isinstance(x, tuple):
        return tuple([fitting(y) for y in x])
    return math.copysign(math.inf, x) if isinstance(x, float) and abs(x) > 3e38 else x


def law_of_small(p: Program, seed: int = 0) -> None:
    """All laws of one program, alone; the seed says which are chosen."""
    case = Case(p, seed, Counter())
    case.operations()
    for kind in KINDS:
        for _, e in compare([case], kind):
            raise e


def check_small(seeds: Sequence[int]) -> Report:
    """The laws of the small programs of these numbers."""
    report, cases = Report(), list[Case]()
    kinds = ["f64", *[k for n, k in enumerate(KINDS) if n and seeds[0] // len(seeds) % 8 == n]]
    for seed in seeds:
        p = small(seed)
        report.features.update(p.tags.keys())
        try:
            cases.append(Case(p, seed, report.laws))
            if seed % 20 == 0:
                report.ratio(seed, *cases[-1].operations())
        except Exception as e:
            report.failed(seed, e)
    for kind in kinds:
        try:
            for c, e in compare(cases, kind):
                report.failed(c.seed, e)
        except Exception:  # it cannot be compiled: who is it?
            for c in cases:
                try:
                    for _, e in compare([c], kind):
                        report.failed(c.seed, e)
                except Exception as e:
                    report.failed(c.seed, e)
    report.programs = len(seeds)
    return report
